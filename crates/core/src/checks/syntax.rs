use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;

use super::{CheckKind, Compiler, Evaluate, Field, observed};
use crate::kinds::Layer;

/// Reports a syntax error that the document's parser recognizes: an error production of a grammar. The
/// rule has no `given`. `proofmark kinds NAME` lists the names with their values and places.
///
/// ```yaml
/// check: {syntax: err_unclosed_frontmatter}
/// ```
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub(super) struct Syntax(String);

impl CheckKind for Syntax {
    const NAME: &'static str = "syntax";
    const READS_TEXT: bool = false;

    fn compile(self, at: &Field<'_>, compiler: &mut Compiler<'_>) -> Option<Arc<dyn Evaluate>> {
        observed::compile(Layer::Syntax, self.0, at, compiler)
    }
}
