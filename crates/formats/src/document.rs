use std::sync::Arc;

use super::{Comment, Continuation, Lexeme, LinkedFiles, Name, Observation, Remark, SharedNames};
use crate::{
    syntax::actions::Template,
    text::{Source, SourceId, Span},
    tree::{NodeId, Tree},
};

/// Text read as a document of some kind.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Document {
    /// Name of the kind, such as `markdown`.
    pub kind: Name,
    /// The values, with spans of the host file.
    pub tree: Tree,
    /// Faults and facts, in the order they were found.
    pub observations: Vec<Observation>,
    /// Comments that may hold suppressions.
    pub comments: Vec<Comment>,
    /// The parts that could not be read because of a syntax error, for a kind that recovers from one.
    /// Where absent, that is everything after the first syntax error.
    pub unread: Option<Vec<Span>>,
    /// Strings whose text is not known: they have values of the environment in them, and the tree has
    /// `${NAME}` instead. In ascending order.
    pub unknown: Vec<NodeId>,
    /// What the other documents of the project declare, where a rule asks for it.
    #[doc(hidden)]
    pub project: Option<Arc<SharedNames>>,
    /// What the parts of the document declare for each other, where rules that look at them one by one compare documents.
    #[doc(hidden)]
    pub own_names: Option<Arc<SharedNames>>,
    /// Whether it is one of the documents of a file, which a rule looks at by itself.
    #[doc(hidden)]
    pub is_part: bool,
    /// Where its references to files lead, as far as rules ask for it.
    #[doc(hidden)]
    pub linked: Option<Arc<LinkedFiles>>,
    /// The values that rules may look at one by one, where the text has several: those of a YAML file's documents.
    #[doc(hidden)]
    pub parts: Vec<NodeId>,
    /// The template that it is, or that a part of it is.
    #[doc(hidden)]
    pub template: Option<Arc<Template>>,
    /// Words of the language and names, where an editor asks for them.
    #[doc(hidden)]
    pub lexemes: Vec<Lexeme>,
    /// What may come at the cursor, where an editor asks for it.
    #[doc(hidden)]
    pub continuations: Vec<Continuation>,
    /// What there is to say about parts that are not wrong, where an editor asks for it.
    #[doc(hidden)]
    pub remarks: Vec<Remark>,
    /// Documents inside this one, such as the diagrams of a Markdown file.
    pub embedded: Vec<Document>,
}

impl Document {
    /// Gives back the memory that reading took and the document does not need, for those who keep it.
    #[doc(hidden)]
    pub fn shrink(&mut self) {
        self.tree.shrink();
        self.observations.shrink_to_fit();
        self.comments.shrink_to_fit();
        self.embedded.iter_mut().for_each(Self::shrink);
    }

    /// A document with a tree and nothing observed.
    pub fn new(kind: impl Into<Name>, tree: Tree) -> Self {
        Self {
            kind: kind.into(),
            tree,
            observations: Vec::new(),
            comments: Vec::new(),
            unread: None,
            unknown: Vec::new(),
            project: None,
            own_names: None,
            is_part: false,
            linked: None,
            parts: Vec::new(),
            template: None,
            lexemes: Vec::new(),
            continuations: Vec::new(),
            remarks: Vec::new(),
            embedded: Vec::new(),
        }
    }

    /// What the other parts of its file declare, with where it is itself, if it is such a part.
    #[doc(hidden)]
    pub fn siblings(&self) -> Option<(&SharedNames, Span)> {
        let names = self.own_names.as_deref().filter(|_| self.is_part)?;
        Some((names, self.tree.root().span()))
    }

    /// Calls `work` with what a rule takes for the document: this one or, for a rule that looks at parts one by one,
    /// each part as the root of the tree. What was observed belongs to the whole.
    #[doc(hidden)]
    pub fn visit(&self, by_parts: bool, mut work: impl FnMut(&Self)) {
        if !by_parts || self.parts.is_empty() {
            return work(self);
        }
        let mut part = Self {
            unknown: self.unknown.clone(),
            project: self.project.clone(),
            own_names: self.own_names.clone(),
            is_part: true,
            linked: self.linked.clone(),
            template: self.template.clone(),
            ..Self::new(self.kind.clone(), self.tree.clone())
        };
        for root in &self.parts {
            part.tree.set_root(*root);
            work(&part);
        }
    }

    /// The source that contains the document.
    pub fn source(&self) -> &Arc<Source> {
        self.tree.source(SourceId(0))
    }
}
