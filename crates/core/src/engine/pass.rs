use std::{cell::RefCell, sync::Arc};

use super::contract::Contract;
use crate::{
    kinds::{Document, Observation, ParseOptions, Remark},
    rules::Ruleset,
    text::Source,
};

/// A second look at documents of one kind.
pub(super) trait Pass: Send + Sync {
    /// Name of the kind whose documents it looks at.
    fn kind(&self) -> &'static str;

    /// What it observes: names that the kind declares in [`crate::kinds::Kind::observables`].
    fn observe(&self, document: &Document, context: &PassContext<'_>) -> Vec<Observation>;

    /// What there is to say to editors about parts that are not wrong.
    fn remarks(&self, document: &Document, context: &PassContext<'_>) -> Vec<Remark> {
        let _ = (document, context);
        Vec::new()
    }
}

/// What a pass may ask for besides the document.
pub(super) struct PassContext<'a> {
    /// The rules and kinds that there are.
    pub(super) ruleset: &'a Arc<Ruleset>,
    /// What the document was read with.
    pub(super) options: &'a ParseOptions<'a>,
    /// What the document is validated against.
    pub(super) contract: Contract<'a>,
    /// Other files that the pass looked into; observations name them by their position after the sources
    /// of the document.
    pub(super) sources: RefCell<Vec<Arc<Source>>>,
}

/// Runs the passes for a document and those inside it.
pub(super) fn run(passes: &[&dyn Pass], document: &mut Document, context: &PassContext<'_>) {
    for pass in passes.iter().filter(|pass| document.kind == pass.kind()) {
        if context.options.editor.remarks {
            document.remarks = pass.remarks(document, context);
        }
        let observations = pass.observe(document, context);
        document.tree.add_sources(context.sources.take());
        document.observations.extend(observations);
    }
    for embedded in &mut document.embedded {
        run(passes, embedded, context);
    }
}
