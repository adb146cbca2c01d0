use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;

use super::{CheckKind, Compiler, Evaluate, Field, observed};
use crate::kinds::Layer;

/// Reports something that the reader of the document found out about its meaning. The rule has no
/// `given`. `proofmark kinds NAME` lists the names with their values and places.
///
/// ```yaml
/// check: {fact: heading-skip}
/// ```
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub(super) struct Fact(String);

impl CheckKind for Fact {
    const NAME: &'static str = "fact";
    const READS_TEXT: bool = false;

    fn compile(self, at: &Field<'_>, compiler: &mut Compiler<'_>) -> Option<Arc<dyn Evaluate>> {
        observed::compile(Layer::Fact, self.0, at, compiler)
    }
}
