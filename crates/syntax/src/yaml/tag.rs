use crate::{Observation, text::Span, tree::TreeBuilder};

/// A scalar with a tag that the document kind reads itself.
#[derive(Debug, Clone, Copy)]
pub struct Tagged<'a> {
    /// The tag with its `!`, such as `!include`.
    pub tag: &'a str,
    /// The scalar.
    pub text: &'a str,
    /// Position of the tag.
    pub tag_span: Span,
    /// Position of the scalar.
    pub span: Span,
}

/// Reads values whose tag has a meaning in a document kind, such as `!include part.yaml`.
pub trait TagReader {
    /// Adds the value to the builder and returns true, or leaves the builder unchanged and returns false.
    fn read(
        &mut self,
        builder: &mut TreeBuilder,
        tagged: Tagged<'_>,
        observations: &mut Vec<Observation>,
    ) -> bool;
}
