use crate::{
    engine::pass::{Pass, PassContext},
    kinds::{Document, Observation, markdown},
};

/// Validates Markdown documents against their quill.
pub(super) struct ContractPass;

impl Pass for ContractPass {
    fn kind(&self) -> &'static str {
        markdown::NAME
    }

    fn observe(&self, document: &Document, context: &PassContext<'_>) -> Vec<Observation> {
        context.contract.observe(&document.tree)
    }
}
