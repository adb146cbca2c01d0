use std::{path::Path, sync::Arc};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    Document, Observable,
    quill::{Quill, QuillSet},
};
use crate::{
    text::{Fragment, Source},
    tree::Node,
};

/// A kind of document.
pub trait Kind: Send + Sync {
    /// Its name: lower case, one word.
    fn name(&self) -> &'static str;

    /// One line on what it is.
    fn description(&self) -> &'static str;

    /// File names it is for, as globs such as `*.qtype.yaml`.
    fn globs(&self) -> &'static [&'static str];

    /// Names that a fence's language may have for the fence's content to be this kind.
    fn languages(&self) -> &[&'static str] {
        &[]
    }

    /// Whether a text is surely of this kind, whatever other kinds' globs say of its name. Asked of
    /// every file, so it looks at little.
    fn detect(&self, path: &Path, text: &str) -> bool {
        let _ = (path, text);
        false
    }

    /// The faults and facts it can observe. A name without a rule fails a test; a rule that names
    /// another one does not load.
    fn observables(&self) -> &[Observable];

    /// JSON Schema of the tree.
    fn tree_schema(&self) -> &'static str;

    /// How its texts are written, for a kind whose tree does not say it: one form for each sort of
    /// text or part.
    fn forms(&self) -> Vec<Form> {
        Vec::new()
    }

    /// How a comment that holds only `text` is written.
    fn comment(&self, text: &str) -> String;

    /// The type that a node expresses, for the check `typed`; nothing where it expresses none.
    fn type_expression(&self, node: Node<'_>) -> Option<TypeExpression> {
        let _ = node;
        None
    }

    /// Whether documents may hold secrets, that is whether [`Self::disclosure`] ever says
    /// [`Disclosure::Nothing`].
    fn has_secrets(&self) -> bool {
        false
    }

    /// What messages may show of a node's value.
    fn disclosure(&self, node: Node<'_>) -> Disclosure {
        let _ = node;
        Disclosure::Value
    }

    /// Reads a text. Every fault is an observation; nothing panics and nothing is lost.
    ///
    /// `fragment` is the text to read, a part of `source` (the whole of it for a file); all spans of
    /// the document are those of `source`.
    fn parse(&self, source: &Arc<Source>, fragment: &Fragment<'_>, options: &ParseOptions<'_>) -> Document;
}

/// A form of text: a type of diagram, a sort of block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Form {
    /// Its name; where documents have a `type` in their tree, that.
    pub name: &'static str,
    /// What it is, in one line; may be empty.
    pub about: &'static str,
    /// Words that a text of this form begins with, each on its own.
    pub headers: Vec<&'static str>,
    /// Words that a statement begins with, and how the statement is written.
    pub statements: &'static [(&'static str, &'static str)],
    /// Arrows and other marks between names.
    pub connectors: &'static [&'static str],
}

/// How much of a value messages and reports may show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Disclosure {
    /// The value.
    Value,
    /// What stands in the file, since the value has something from outside in it.
    Source,
    /// Nothing: it is a secret.
    Nothing,
}

/// A type as a kind of document writes it: a name, perhaps in lists, perhaps optional.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TypeExpression {
    /// The name of the innermost element.
    pub base: String,
    /// How many lists it is in.
    pub lists: u8,
    /// Whether the whole may be absent.
    pub optional: bool,
    /// Whether elements may be absent.
    pub optional_elements: bool,
}

impl TypeExpression {
    /// Whether it is written so, apart from being optional.
    pub fn is(&self, written: &str) -> bool {
        let mut rest = written;
        for _ in 0..self.lists {
            let Some(inner) = rest.strip_prefix("list[").and_then(|rest| rest.strip_suffix(']')) else {
                return false;
            };
            rest = inner;
        }
        rest == self.base
    }

    /// Whether it is in `more` lists more than `other` and else the same.
    pub fn same_as(&self, other: &Self, more: u8) -> bool {
        self.base == other.base && self.lists == other.lists + more
    }
}

impl std::fmt::Display for TypeExpression {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let lists = usize::from(self.lists);
        write!(f, "{}{}{}", "list[".repeat(lists), self.base, "]".repeat(lists))
    }
}

/// Gives the bytes of the file at a relative path.
pub type ReadFile<'a> = &'a (dyn Fn(&str) -> std::io::Result<Vec<u8>> + Sync);

/// Gives the value of an environment variable.
pub type LookUp<'a> = &'a (dyn Fn(&str) -> Option<String> + Sync);

/// What a kind may want to know besides the text.
#[derive(Clone, Copy, Default)]
pub struct ParseOptions<'a> {
    /// Dialect of the kind; its default when absent.
    pub dialect: Option<&'a str>,
    /// Bounds on what is read.
    pub limits: Limits,
    /// Reads a file beside the document (an include, a quill): path relative to the document's
    /// folder. Jailed by whoever provides it; absent when there are no files.
    pub read: Option<ReadFile<'a>>,
    /// Further kinds that fences may hold: those of the packs' grammars.
    pub embedded: &'a [&'static dyn Kind],
    /// The quills that documents may name; a document is held to the fields of its quill.
    pub quills: Option<&'a QuillSet>,
    /// The quill that a document is held to whichever it names; stronger than `quills`.
    pub quill: Option<&'a Quill>,
    /// Looks an environment variable up; absent where the environment that counts is not known, and then
    /// no variable is missed.
    pub environment: Option<LookUp<'a>>,
    /// Whether an environment variable that is not set is an error and not a warning.
    pub strict_environment: bool,
}

/// Bounds on what is read, each with a diagnostic that names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Limits {
    /// Largest text in bytes.
    pub text_bytes: usize,
    /// Largest metadata block in bytes.
    pub block_bytes: usize,
    /// Deepest nesting of YAML collections, the topmost included.
    pub yaml_depth: usize,
    /// Most nodes that aliases may add to a document.
    pub alias_nodes: usize,
    /// Largest diagram in bytes.
    pub diagram_bytes: usize,
    /// Longest line in bytes that is not reported.
    pub line_bytes: usize,
    /// Most diagnostics for one document.
    pub diagnostics: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            text_bytes: 10 * 1024 * 1024,
            block_bytes: 1024 * 1024,
            yaml_depth: 64,
            alias_nodes: 100_000,
            diagram_bytes: 256 * 1024,
            line_bytes: 20_000,
            diagnostics: 10_000,
        }
    }
}
