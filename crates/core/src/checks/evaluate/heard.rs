//! Names, and what checks look at, noted for editors: which text is a name, and what it is the name of.

use std::borrow::Cow;

use crate::{
    text::{SourceId, Span},
    tree::Node,
};

/// A name and where it is.
#[derive(Debug, Clone)]
pub struct Name<'t> {
    pub text: Cow<'t, str>,
    pub node: Node<'t>,
    pub span: Span,
}

/// Something that a check looked at.
#[derive(Debug, Clone)]
pub enum Heard<'t> {
    /// A name.
    Name {
        name: Name<'t>,
        /// What it is the name of.
        meaning: Meaning<'t>,
    },
    /// A reference to a file.
    Link {
        source: SourceId,
        span: Span,
        /// Paths that it may mean, relative to the document's folder, the most likely first.
        candidates: Vec<String>,
    },
    /// A word, with the words that could be there.
    Among { source: SourceId, span: Span, words: Vec<String> },
}

/// What a name means.
#[derive(Debug, Clone)]
pub enum Meaning<'t> {
    /// What one of these symbol tables declares.
    In(Vec<String>),
    /// A declaration that has a type.
    Typed,
    /// What another name means.
    Same(Name<'t>),
    /// What has the name itself.
    Own,
}
