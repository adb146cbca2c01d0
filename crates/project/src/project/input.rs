use std::{borrow::Cow, path::PathBuf, sync::Arc};

use crate::{
    kinds::{Kind, quill::Quill},
    text::Source,
};

/// A document to open: where its text comes from, and what a client says about it.
#[derive(Clone)]
pub struct Input {
    pub(super) origin: Origin,
    /// The file whose text this is; the text need not be that of the file.
    pub(super) path: Option<PathBuf>,
    /// Name in reports of text that is not in a file.
    pub(super) label: Cow<'static, str>,
    pub(super) kind: Option<Arc<dyn Kind>>,
    pub(super) dialect: Option<String>,
    pub(super) quill: Option<Arc<Quill>>,
}

/// Where the text of a document comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Origin {
    File,
    /// A file, and its text as it was read before.
    KnownFile(String),
    /// A file that cannot be reached, and why.
    Unreachable(String),
    Stdin,
    Text(String),
}

impl Input {
    /// The file at a path that is absolute or relative to the working directory of the project.
    pub fn file(path: impl Into<PathBuf>) -> Self {
        Self::new(Origin::File, Some(path.into()), "")
    }

    /// The file at a path, with the text that it had when it was read before.
    #[doc(hidden)]
    pub fn known_file(path: impl Into<PathBuf>, source: &Source) -> Self {
        Self::new(Origin::KnownFile(source.text().to_owned()), Some(path.into()), "")
    }

    /// A file that cannot be reached, and why.
    #[doc(hidden)]
    pub fn unreachable(path: impl Into<PathBuf>, why: impl Into<String>) -> Self {
        Self::new(Origin::Unreachable(why.into()), Some(path.into()), "")
    }

    /// Text that is not in a file.
    pub fn text(text: impl Into<String>) -> Self {
        Self::new(Origin::Text(text.into()), None, "<text>")
    }

    /// What comes on standard input.
    pub fn stdin() -> Self {
        Self::new(Origin::Stdin, None, "<stdin>")
    }

    fn new(origin: Origin, path: Option<PathBuf>, label: &'static str) -> Self {
        let label = Cow::Borrowed(label);
        Self { origin, path, label, kind: None, dialect: None, quill: None }
    }

    /// Makes the input the text that the file at `path` has or is to have: the buffer of an editor. Kind, rules and
    /// neighboring files are those of the file, which need not exist.
    #[must_use]
    pub fn at(mut self, path: impl Into<PathBuf>) -> Self {
        self.path = Some(path.into());
        self
    }

    /// Sets the name in reports, for text that is not in a file; it begins with `<`.
    #[must_use]
    pub fn called(mut self, label: impl Into<Cow<'static, str>>) -> Self {
        self.label = label.into();
        self
    }

    /// Sets the kind of the document, whatever its name says.
    #[must_use]
    pub fn of_kind(mut self, kind: Option<Arc<dyn Kind>>) -> Self {
        self.kind = kind;
        self
    }

    /// Sets the dialect of its kind.
    #[must_use]
    pub fn in_dialect(mut self, dialect: Option<String>) -> Self {
        self.dialect = dialect;
        self
    }

    /// Sets the quill that the document is validated against, whichever it names.
    #[must_use]
    #[doc(hidden)]
    pub fn with_quill(mut self, quill: Option<Arc<Quill>>) -> Self {
        self.quill = quill;
        self
    }

    /// The file that the document is in.
    pub fn path(&self) -> Option<&std::path::Path> {
        self.path.as_deref()
    }

    /// Whether the text is read from a file.
    pub fn is_file(&self) -> bool {
        matches!(self.origin, Origin::File | Origin::KnownFile(_) | Origin::Unreachable(_))
    }

    /// Whether the document comes on standard input.
    pub fn is_stdin(&self) -> bool {
        self.origin == Origin::Stdin
    }
}
