use std::{path::Path, sync::Arc};

use serde_json::Value;

use super::{
    Document, EditorQuestions, Form, KindOption, KindOptions, Limits, Observable, Templating, ValueModel,
};
use crate::text::{Fragment, Source};

/// A kind of document: how its text becomes a [`Document`].
///
/// Kinds are open. Proofmark's own kinds, those that packs define and those of a program that uses the
/// library are registered with the ruleset (`Ruleset::builder().kind(…)`) and treated the same.
pub trait Kind: Send + Sync {
    /// Its name: lower case, one word.
    fn name(&self) -> &str;

    /// One line on what it is.
    fn description(&self) -> &str;

    /// File names it is for, in lower case: `*.qtype.yaml`, with at most one `*`.
    fn globs(&self) -> Vec<&str> {
        Vec::new()
    }

    /// Whether files are documents of this kind only where a rule of a pack is for it or the configuration names
    /// them: formats of data that every program uses for something.
    fn is_data(&self) -> bool {
        false
    }

    /// Whether its documents may be made by template engines, so that a file may be a template.
    fn has_templates(&self) -> bool {
        false
    }

    /// Languages of Markdown fences whose content is of this kind, in lower case.
    fn languages(&self) -> Vec<&str> {
        Vec::new()
    }

    /// Whether the text is certainly of this kind, whatever the globs of other kinds say about its name.
    /// Called for every file, so it looks at little.
    fn detect(&self, path: &Path, text: &str) -> bool {
        let _ = (path, text);
        false
    }

    /// Whether the text is certainly not of this kind, although its file has a name that is usual for it: other
    /// programs may have files of the same name.
    fn disowns(&self, text: &str) -> bool {
        let _ = text;
        false
    }

    /// Whether text without a name looks like this kind. Called when no kind is certain.
    fn resembles(&self, text: &str) -> bool {
        let first = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
        let word = first.split(|c: char| c.is_whitespace() || c == ';').next().unwrap_or_default();
        self.forms().iter().any(|form| form.headers.contains(&word))
    }

    /// Whether its documents configure Proofmark: they are validated also where a configuration cannot be used.
    fn configures(&self) -> bool {
        false
    }

    /// The syntax errors and facts it can observe. A rule that names another one does not load.
    fn observables(&self) -> &[Observable];

    /// Names of those observables that are error productions: rules of a grammar that match an error.
    fn productions(&self) -> Vec<&str> {
        Vec::new()
    }

    /// JSON Schema of the tree, as JSON text.
    fn tree_schema(&self) -> &str;

    /// How documents of this kind are written, where the tree does not show it: one form for each type of
    /// document or part.
    fn forms(&self) -> Vec<Form> {
        Vec::new()
    }

    /// What else there is to know for those who write documents of this kind (Markdown): what neither the schema of the
    /// tree nor the forms say.
    fn notes(&self) -> Vec<&str> {
        Vec::new()
    }

    /// Names of the dialects that can be asked for, where there are several.
    fn dialects(&self) -> &[&str] {
        &[]
    }

    /// The options that its documents are read with, besides those that all kinds have.
    fn options(&self) -> &[KindOption] {
        &[]
    }

    /// How a comment that holds only `text` is written.
    fn comment(&self, text: &str) -> String;

    /// What the kind knows about values beyond the tree: types that they express, secrets.
    fn values(&self) -> Option<&dyn ValueModel> {
        None
    }

    /// The outline of a document as data for clients, where the kind has outlines: its sections with what
    /// the kind knows about each.
    fn outline(&self, text: &str) -> Option<serde_json::Value> {
        let _ = text;
        None
    }

    /// Like [`Self::outline`], for a document that is read with options.
    fn outline_with(&self, text: &str, options: &ParseOptions<'_>) -> Option<serde_json::Value> {
        let _ = options;
        self.outline(text)
    }

    /// What a reader sees of a document, as a number that is equal for documents that show the same; nothing for kinds that
    /// do not know it.
    fn page(&self, text: &str) -> Option<u64> {
        let _ = text;
        None
    }

    /// Where a document can be cut so that what each part shows does not depend on the others: what
    /// [`Self::is_same_page`] needs to know of its first version.
    #[doc(hidden)]
    fn page_cuts(&self, text: &str) -> Vec<usize> {
        let _ = text;
        Vec::new()
    }

    /// Whether a reader sees the same in two versions of a document, found by looking around the change only; nothing where
    /// that does not decide.
    #[doc(hidden)]
    fn is_same_page(&self, before: &str, cuts: &[usize], after: &str) -> Option<bool> {
        let _ = (before, cuts, after);
        None
    }

    /// Keys of the root of the tree whose values are made only if a rule asks for them.
    fn optional_keys(&self) -> &[&'static str] {
        &[]
    }

    /// Reads a document. Every error is an observation; nothing panics and nothing is dropped.
    ///
    /// `fragment` is the text to read, a part of `source` (the whole of it for a file); all spans of
    /// the document are spans of `source`. The span of the tree's root contains those of all its nodes.
    fn parse(&self, source: &Arc<Source>, fragment: &Fragment<'_>, options: &ParseOptions<'_>) -> Document;
}

/// Gives the bytes of the file at a relative path.
pub type ReadFile<'a> = &'a (dyn Fn(&str) -> std::io::Result<Vec<u8>> + Sync);

/// Gives the value of an environment variable.
pub type LookUp<'a> = &'a (dyn Fn(&str) -> Option<String> + Sync);

/// What a kind may want to know besides the text.
#[derive(Clone, Copy, Default)]
pub struct ParseOptions<'a> {
    /// Dialect of the kind (default: its default).
    pub dialect: Option<&'a str>,
    /// Bounds on what is read.
    pub limits: Limits,
    /// Reads a file beside the document (an include, a quill): path relative to the document's
    /// folder. Jailed by whoever provides it; absent when there are no files.
    pub read: Option<ReadFile<'a>>,
    /// The kinds that fences may hold; without them no fence is read.
    pub fences: Option<&'a dyn FenceKinds>,
    /// Looks an environment variable up; absent where the environment that counts is not known, and then
    /// no variable is missed.
    pub environment: Option<LookUp<'a>>,
    /// Values of options that kinds declare ([`Kind::options`]).
    pub kind_options: Option<&'a KindOptions>,
    /// Sets the option `strict_environment` of QType files where [`Self::kind_options`] does not.
    pub strict_environment: bool,
    /// Sets the option `inline_tasks` of Org files where [`Self::kind_options`] does not.
    pub inline_tasks: Option<usize>,
    /// Whether the text is read as a template.
    #[doc(hidden)]
    pub templates: Templating,
    /// The keys of [`Kind::optional_keys`] that rules ask for.
    pub keys: &'a [&'static str],
    /// What an editor asks for besides.
    #[doc(hidden)]
    pub editor: EditorQuestions,
}

impl<'a> ParseOptions<'a> {
    /// Whether rules ask for a part of the tree that is made only then.
    pub fn asks_for(&self, key: &str) -> bool {
        self.keys.contains(&key)
    }

    /// The value of an option: the one that is set, or its default.
    pub fn option(&self, option: &KindOption) -> Value {
        let set = self.kind_options.and_then(|options| options.get(option)).cloned();
        set.or_else(|| self.field(option.name)).unwrap_or_else(option.default)
    }

    /// The value of an option of a built-in kind that is set by a field.
    fn field(&self, name: &str) -> Option<Value> {
        match name {
            "strict_environment" => self.strict_environment.then(|| true.into()),
            "inline_tasks" => self.inline_tasks.map(Value::from),
            _ => None,
        }
    }

    /// Sets the kinds for fences.
    #[must_use]
    pub fn with_fences(self, fences: &'a dyn FenceKinds) -> Self {
        Self { fences: Some(fences), ..self }
    }

    /// The options for documents embedded in this one, whose kinds do not have its dialect.
    #[must_use]
    pub fn for_embedded(self) -> Self {
        Self { dialect: None, ..self }
    }
}

/// Finds the kind of a fence in a Markdown document.
pub trait FenceKinds: Sync {
    /// The kind that reads fences of this language, given in lower case.
    fn for_language(&self, language: &str) -> Option<&dyn Kind>;
}
