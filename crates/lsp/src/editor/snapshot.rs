use std::{
    path::PathBuf,
    sync::{Arc, atomic::AtomicBool},
};

use crate::{
    budget::Once,
    engine::Outcome,
    kinds::{EditorQuestions, Kind},
    project::{Input, Project, Subject},
    protocol::{self, PositionOf, Range, Uri},
    text::{ColumnUnit, EditorLines, Span},
    tree::Tree,
};

use super::reading::Reading;

/// What a client can do, as far as answers depend on it.
#[derive(Debug, Clone, Default)]
#[expect(clippy::struct_excessive_bools, reason = "one for each capability of the protocol")]
pub(crate) struct Client {
    /// What columns count.
    pub(crate) unit: ColumnUnit,
    /// Whether it asks for diagnostics; others are sent them.
    pub(crate) pulls: bool,
    /// Whether the server can ask it to pull diagnostics again.
    pub(crate) refreshes: bool,
    /// Whether it shows related positions of a diagnostic.
    pub(crate) related: bool,
    /// Whether edits may say which version of a document they are for.
    pub(crate) versioned_edits: bool,
    /// Whether it asks for the edits of a code action when the action is chosen.
    pub(crate) resolves_edits: bool,
    /// Whether it shows documents that the server names.
    pub(crate) shows_documents: bool,
    /// Whether it shows Markdown in hovers.
    pub(crate) markdown: bool,
    /// Whether it registers for changes of files.
    pub(crate) watches_files: bool,
    /// Where the pages on rules are, as the user has configured it: an address that ends without a slash.
    pub(crate) rule_pages: Option<String>,
}

/// An open document at one version, with everything that answers about it depend on.
#[derive(Clone)]
pub(crate) struct Snapshot {
    pub(crate) client: Arc<Client>,
    pub(crate) project: Arc<Project>,
    /// The configuration that the project should have and that cannot be used.
    pub(crate) misconfigured: Option<Arc<str>>,
    pub(crate) uri: Uri,
    /// The file, if it is one.
    pub(crate) path: Option<PathBuf>,
    /// What the client calls the language of the document.
    pub(crate) language: Arc<str>,
    pub(crate) version: i32,
    pub(crate) text: Arc<String>,
    pub(crate) lines: Arc<EditorLines>,
    /// Nothing before the version was validated, and for documents of no known kind.
    pub(crate) checked: Option<Arc<Checked>>,
    /// The version as it was read, for questions about names and parts.
    pub(crate) read: Arc<Once<Option<Reading>>>,
    /// Set when no one waits for the answer any more.
    pub(crate) cancelled: Arc<AtomicBool>,
}

/// A version that was validated.
pub(crate) struct Checked {
    /// Nothing for a document of no known kind.
    pub(crate) outcome: Option<Outcome>,
    /// The findings as the protocol has them, as JSON.
    pub(crate) diagnostics: String,
    /// The files that the document includes or refers to.
    pub(crate) reads: Vec<Uri>,
    /// Whether rules compare the document with all others of its project.
    pub(crate) is_compared: bool,
    /// Identifies the diagnostics: equal for equal diagnostics.
    pub(crate) result_id: String,
}

impl Snapshot {
    /// The document as it was read; nothing for one of no known kind.
    pub(super) fn reading(&self) -> Option<&Reading> {
        self.read.get_or_init(|| self.read_now()).as_ref()
    }

    fn read_now(&self) -> Option<Reading> {
        let subject = self.subject()?;
        let editor = EditorQuestions { lexemes: true, ..EditorQuestions::default() };
        let document = subject.read_text(&self.text, editor);
        let survey = subject.survey(&document, None);
        Some(Reading { document, survey })
    }

    pub(super) fn name(&self) -> String {
        self.path.as_deref().map_or_else(|| self.uri.0.clone(), |path| self.project.name_of_path(path))
    }

    /// The document as the project opens it.
    pub(super) fn input(&self) -> Input {
        let input = Input::text(self.text.as_str());
        match &self.path {
            Some(path) => input.at(path),
            // Only the client knows what a document is that was never saved.
            None => input.called(format!("<{}>", self.uri.0)).of_kind(self.kind_of_language()),
        }
    }

    fn kind_of_language(&self) -> Option<Arc<dyn Kind>> {
        self.project.kind_named(&self.language).ok().cloned()
    }

    /// Opens the document for further questions.
    pub(crate) fn subject(&self) -> Option<Subject<'_>> {
        // What is too large to be validated is not read either.
        if self.text.len() > self.owner().limits().text_bytes {
            return None;
        }
        let subject = self.project.subject(self.input()).ok()?;
        Some(subject.cancelled_by(Arc::clone(&self.cancelled)))
    }

    /// The project whose configuration holds for the document.
    pub(crate) fn owner(&self) -> &Project {
        self.path.as_deref().and_then(|path| self.project.owner(path).ok()).unwrap_or(&self.project)
    }

    pub(crate) fn outcome_of_version(&self) -> Option<&Outcome> {
        self.checked.as_ref()?.outcome.as_ref()
    }

    pub(crate) fn tree(&self) -> Option<&Tree> {
        Some(&self.outcome_of_version()?.document.tree)
    }

    /// A part of the text as the client counts it.
    pub(crate) fn range(&self, span: Span) -> Range {
        range_in(&self.lines, &self.text, span)
    }

    /// The part of the text that a client means.
    pub(crate) fn span(&self, range: Range) -> Span {
        let start = self.offset(range.start);
        Span { start, end: self.offset(range.end).max(start) }
    }

    /// The byte that a client means.
    pub(crate) fn offset(&self, position: protocol::Position) -> u32 {
        self.lines.offset(&self.text, protocol::editor_position(position))
    }
}

/// A part of `text` as a client counts it.
pub(super) fn range_in(lines: &EditorLines, text: &str, span: Span) -> Range {
    let PositionOf(start) = lines.position(text, span.start).into();
    let PositionOf(end) = lines.position(text, span.end).into();
    Range { start, end }
}
