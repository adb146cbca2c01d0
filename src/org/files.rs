use std::path::{Path, PathBuf};

use super::{clock::Moment, emacs::Emacs};
use crate::{
    kinds::{Kind, org::Org},
    project::{Input, Listed, NotOpened, OrgConfig, Project, Subject},
    text::{clip, io_reason, visible},
};

/// The Org files of a project.
pub(crate) struct Files<'p> {
    project: &'p Project,
    /// Files, and folders that are searched for files.
    paths: Vec<PathBuf>,
    /// Whether only the files count that the configuration allows tools to see.
    is_restricted: bool,
}

/// Why nothing can be read or changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum OrgError {
    /// A file cannot be opened.
    #[error(
        "cannot open the file `{0}`: it does not exist, is not an Org file, or is outside the allowed folders"
    )]
    NoFile(String),
    /// A URI is not one of Org.
    #[error("`{0}` is not a resource URI: write org://FILE/headline/TITLE or org://id/ID")]
    BadUri(String),
    /// A URI names a file where a headline is needed.
    #[error("the URI must identify a headline, not a whole file")]
    WholeFile,
    /// There is no such headline.
    #[error("cannot find the headline `{0}`")]
    NoHeadline(String),
    /// Several headlines have the same path.
    #[error("the path `{path}` is ambiguous: {}", .candidates.join(", "))]
    Ambiguous {
        /// The titles, with `/` between them.
        path: String,
        /// Line and URI of each.
        candidates: Vec<String>,
    },
    /// No file has this ID.
    #[error("cannot find the ID `{0}` in the allowed files")]
    NoId(String),
    /// An argument cannot be used.
    #[error("{0}")]
    Invalid(String),
    /// The file is not what the client takes it for.
    #[error("the file has changed: its hash is {actual}, not {expected}")]
    Changed {
        /// The hash that the client sent.
        expected: String,
        /// That of the file.
        actual: String,
    },
    /// The change would add errors.
    #[error("the change is refused because it would add errors: {}", .0.join("; "))]
    AddsErrors(Vec<String>),
    /// The file cannot be written.
    #[error("{0}")]
    NotWritten(String),
}

impl OrgError {
    /// An argument cannot be used.
    pub(super) fn invalid(detail: impl Into<String>) -> Self {
        Self::Invalid(detail.into())
    }

    /// What a client sent, as it can be shown.
    pub(super) fn shown(text: &str) -> String {
        visible(&clip(text, 120)).into_owned()
    }
}

impl<'p> Files<'p> {
    /// The Org files among these and below these folders.
    pub(crate) fn new(project: &'p Project, paths: Vec<PathBuf>) -> Self {
        Self { project, paths, is_restricted: false }
    }

    /// The Org files below the folders that the project may read, as far as its configuration allows tools to
    /// see them.
    pub(crate) fn of(project: &'p Project) -> Self {
        let paths = project.read_folders().map(Path::to_owned).collect();
        Self { project, paths, is_restricted: true }
    }

    /// What the configuration says of the tools for Org files.
    pub(super) fn config(&self) -> &'p OrgConfig {
        &self.project.config().org
    }

    /// How Emacs would make changes, if they are to be made that way.
    pub(super) fn emacs(&self) -> Option<Emacs> {
        let OrgConfig { emacs_compat, log_done, log_repeat, .. } = *self.config();
        emacs_compat.then(|| Emacs { now: Moment::now(), log_done, log_repeat })
    }

    /// The path of a file as Emacs has it.
    pub(super) fn full_path(&self, name: &str) -> String {
        self.project.folder().join(name).to_string_lossy().into_owned()
    }

    fn is_allowed(&self, name: &str) -> bool {
        let allowed = &self.config().files;
        !self.is_restricted
            || allowed.is_empty()
            || allowed.matches(&self.project.configured_name(Path::new(name)))
    }

    /// Opens all files, sorted by name; archives only where wanted. Files that cannot be read are left out.
    pub(crate) fn all(&self, archives: bool) -> Vec<Subject<'p>> {
        let listed = self.listed(archives);
        listed.into_iter().filter_map(|document| self.subject(document.input).ok()).collect()
    }

    /// The names of all files.
    pub(crate) fn names(&self) -> Vec<String> {
        self.listed(true).into_iter().map(|document| document.name).collect()
    }

    fn listed(&self, archives: bool) -> Vec<Listed> {
        let mut listed = self.project.documents(&self.paths, false);
        listed.retain(|document| {
            (is_org(&document.name, archives) || document.explicit) && self.is_allowed(&document.name)
        });
        listed.sort_by(|a, b| a.name.cmp(&b.name));
        listed.dedup_by(|a, b| a.name == b.name);
        listed
    }

    /// Opens these files, or all.
    ///
    /// # Errors
    /// [`OrgError::NoFile`]
    pub(crate) fn some(
        &self,
        names: Option<&[String]>,
        archives: bool,
    ) -> Result<Vec<Subject<'p>>, OrgError> {
        match names {
            Some(names) => names.iter().map(|name| self.open(name)).collect(),
            None => Ok(self.all(archives)),
        }
    }

    /// Opens a file by its name.
    ///
    /// # Errors
    /// [`OrgError::NoFile`]
    pub(crate) fn open(&self, name: &str) -> Result<Subject<'p>, OrgError> {
        let missing = || OrgError::NoFile(OrgError::shown(name));
        if !is_org(name, true) || !self.is_allowed(name) {
            return Err(missing());
        }
        self.subject(Input::file(name)).map_err(|_| missing())
    }

    /// Opens a file by its name, or one that is not there yet, with this text to begin with.
    ///
    /// # Errors
    /// [`OrgError::NoFile`]
    pub(super) fn open_or_new(&self, name: &str, text: &str) -> Result<Subject<'p>, OrgError> {
        let found = self.open(name);
        if found.is_ok() || !is_org(name, true) || !self.is_allowed(name) {
            return found;
        }
        let input = Input::text(text).at(name);
        self.subject(input).map_err(|_| OrgError::NoFile(OrgError::shown(name)))
    }

    /// Writes the text of a file that was opened, if it has not changed since; or makes it, if it is still not
    /// there.
    ///
    /// # Errors
    /// [`OrgError::NotWritten`]
    pub(super) fn put(&self, subject: &Subject<'_>, text: &str) -> Result<(), OrgError> {
        if subject.is_file() {
            return subject.write(text).map_err(|error| OrgError::NotWritten(error.to_string()));
        }
        let name = subject.name();
        let made = self.project.create(Path::new(name), text.as_bytes());
        made.map_err(|error| OrgError::NotWritten(format!("cannot create `{name}`: {}", io_reason(&error))))
    }

    /// Gives a file the text back that it had before [`Self::put`] wrote `text`; whether that was possible.
    pub(super) fn put_back(&self, subject: &Subject<'_>, text: &str) -> bool {
        let now = self.open(subject.name()).ok().filter(|now| now.text() == text);
        now.is_some_and(|now| now.write(if subject.is_file() { subject.text() } else { "" }).is_ok())
    }

    fn subject(&self, input: Input) -> Result<Subject<'p>, NotOpened> {
        let kind = self.project.kinds().get(Org.name()).cloned();
        self.project.subject(input.of_kind(kind))
    }
}

fn is_org(name: &str, archives: bool) -> bool {
    let ends =
        |end: &str| name.len() >= end.len() && name[name.len() - end.len()..].eq_ignore_ascii_case(end);
    name.is_char_boundary(name.len().saturating_sub(4)) && ends(".org")
        || archives && name.is_char_boundary(name.len().saturating_sub(12)) && ends(".org_archive")
}
