use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    super::super::{
        core::Core,
        refusal::Refusal,
        tool::{AgentTool, AnswerText, Effect, Needs},
    },
    rendering,
};
use crate::{Toolset, text::plural};

/// `clear_rendered_documents`
pub(in super::super) struct ClearRendered;

#[derive(Deserialize, JsonSchema)]
pub(in super::super) struct ClearArguments {
    /// Addresses of the documents, `quillmark://render/…` (default: all).
    resource_uris: Option<Vec<String>>,
}

#[derive(Serialize, JsonSchema)]
pub(in super::super) struct ClearAnswer {
    /// How many documents were removed.
    removed: usize,
    /// How many there still are.
    remaining: usize,
}

impl AgentTool for ClearRendered {
    type Arguments = ClearArguments;
    type Answer = ClearAnswer;
    const NAME: &'static str = "clear_rendered_documents";
    const TITLE: &'static str = "Remove rendered documents";
    const DESCRIPTION: &'static str =
        "Removes rendered documents that the server keeps for reading: those at some addresses, or all.";
    const TOOLSET: Toolset = Toolset::Quills;
    const EFFECT: Effect = Effect::Writes;
    const NEEDS: Needs = Needs::Renderer;
    const EXAMPLE: &'static str = "{}";

    fn call(core: &Core, arguments: ClearArguments) -> Result<ClearAnswer, Refusal> {
        let store = &rendering(core)?.store;
        let removed = store.clear(arguments.resource_uris.as_deref());
        Ok(ClearAnswer { removed, remaining: store.list().len() })
    }
}

impl AnswerText for ClearAnswer {
    fn text(&self) -> String {
        let removed = plural(self.removed, "rendered document");
        format!("REMOVED: {removed}; {} remaining", self.remaining)
    }
}
