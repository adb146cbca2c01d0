use std::fmt::Write as _;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::super::{
    core::Core,
    example_set::{Document, unknown},
    finding::displayed,
    refusal::Refusal,
    tool::{AgentTool, AnswerText},
};
use crate::{Toolset, text::plural};

/// `list_examples`
pub(super) struct ListExamples;

#[derive(Deserialize, JsonSchema)]
pub(super) struct ListArguments {
    /// List only examples of this kind.
    kind: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct ExampleList {
    examples: Vec<ExampleLine>,
}

#[derive(Serialize, JsonSchema)]
struct ExampleLine {
    id: String,
    kind: String,
    description: String,
}

impl AgentTool for ListExamples {
    type Arguments = ListArguments;
    type Answer = ExampleList;
    const NAME: &'static str = "list_examples";
    const TITLE: &'static str = "List examples";
    const DESCRIPTION: &'static str = "Lists small valid documents to learn from, by id.";
    const TOOLSET: Toolset = Toolset::Learn;
    const EXAMPLE: &'static str = r#"{"kind": "qtype"}"#;

    fn call(core: &Core, arguments: ListArguments) -> Result<ExampleList, Refusal> {
        let kind = arguments.kind.as_deref().map(|name| core.kind(name)).transpose()?;
        let wanted = |document: &Document| kind.is_none_or(|kind| kind.name() == document.kind);
        let examples = core.examples().iter().filter(|(_, document)| wanted(document));
        let line = |(id, document): (&str, &Document)| ExampleLine {
            id: id.to_owned(),
            kind: document.kind.clone(),
            description: document.description.clone(),
        };
        Ok(ExampleList { examples: examples.map(line).collect() })
    }
}

impl AnswerText for ExampleList {
    fn text(&self) -> String {
        let verdict = plural(self.examples.len(), "example");
        let mut text = format!("{verdict}\n");
        for ExampleLine { id, kind, description } in &self.examples {
            let _ = writeln!(text, "{id} ({kind}): {description}");
        }
        text + "Next: get_example {\"id\": …}"
    }
}

/// `get_example`
pub(super) struct GetExample;

#[derive(Deserialize, JsonSchema)]
pub(super) struct GetArguments {
    /// Id from `list_examples`.
    id: String,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct ExampleText {
    id: String,
    kind: String,
    description: String,
    /// The complete, valid document.
    text: String,
}

impl AgentTool for GetExample {
    type Arguments = GetArguments;
    type Answer = ExampleText;
    const NAME: &'static str = "get_example";
    const TITLE: &'static str = "Get an example";
    const DESCRIPTION: &'static str = "Returns the text of one example.";
    const TOOLSET: Toolset = Toolset::Learn;
    const EXAMPLE: &'static str = r#"{"id": "qtype/completion"}"#;

    fn call(core: &Core, arguments: GetArguments) -> Result<ExampleText, Refusal> {
        let examples = core.examples();
        let document = examples.get(&arguments.id).ok_or_else(|| unknown(examples, &arguments.id))?;
        Ok(ExampleText {
            id: arguments.id,
            kind: document.kind.clone(),
            description: document.description.clone(),
            text: displayed(&document.text),
        })
    }
}

impl AnswerText for ExampleText {
    fn text(&self) -> String {
        format!("{} ({}): {}\n{}", self.id, self.kind, self.description, self.text)
    }
}
