use crate::{syntax::Observation, text::Span, tree::TreeBuilder};

/// Where the scalar of a tag stands that a kind reads itself.
#[derive(Debug, Clone, Copy)]
pub struct Tagged<'a> {
    /// The tag with its `!`, such as `!include`.
    pub tag: &'a str,
    /// The scalar.
    pub text: &'a str,
    /// Place of the tag.
    pub tag_span: Span,
    /// Place of the scalar.
    pub span: Span,
}

/// Reads values whose tag a kind gives a meaning, such as `!include part.yaml`.
pub trait TagReader {
    /// Adds the value to the builder and says yes, or leaves the builder alone and says no.
    fn read(
        &mut self,
        builder: &mut TreeBuilder,
        tagged: Tagged<'_>,
        observations: &mut Vec<Observation>,
    ) -> bool;
}
