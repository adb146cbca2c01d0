//! What checks look at, noted for editors: which text is a name, and what it is the name of.

use super::{Name, State};
use crate::{
    text::{SourceId, Span},
    tree::Node,
};

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
}

/// What a name means.
#[derive(Debug, Clone)]
pub enum Meaning<'t> {
    /// What one of these symbol tables declares.
    In(Vec<String>),
    /// A declaration that has a type.
    Typed,
    /// The same as another name.
    Same(Name<'t>),
    /// What has the name.
    Own,
}

impl<'t> State<'t> {
    /// Notes a name, where someone listens.
    pub fn hear(&self, name: &Name<'t>, meaning: impl FnOnce() -> Meaning<'t>) {
        self.note_heard(|| Heard::Name { name: name.clone(), meaning: meaning() });
    }

    /// Notes a reference to a file, where someone listens.
    pub fn hear_link(&self, node: Node<'t>, candidates: impl FnOnce() -> Vec<String>) {
        let link = || Heard::Link { source: node.source_id(), span: node.span(), candidates: candidates() };
        self.note_heard(link);
    }
}
