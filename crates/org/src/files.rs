use std::{
    collections::HashSet,
    io,
    path::{Path, PathBuf},
    sync::Arc,
};

pub use super::error::OrgError;
use super::{
    clock::Moment,
    digest::Digest,
    emacs::Emacs,
    extension::is_org,
    index::{Corpus, Index, Versions},
    note::Note,
    parallel::parallel,
    table::Table,
    words::Words,
};
use crate::{
    kinds::{
        Kind,
        org::{Org, Outline, Setup},
    },
    project::{Input, Listed, NotOpened, OrgConfig, Project, Subject, Walked},
    text::io_reason,
};

/// The Org files of a project.
pub struct Files<'p> {
    project: &'p Project,
    /// Files, and folders that are searched for files.
    paths: Vec<PathBuf>,
    /// Whether only the files count that the configuration allows tools to see.
    is_restricted: bool,
    /// The index of the files.
    index: Option<&'p Index>,
}

impl<'p> Files<'p> {
    /// The Org files among these and below these folders.
    pub fn new(project: &'p Project, paths: Vec<PathBuf>) -> Self {
        Self { project, paths, is_restricted: false, index: None }
    }

    /// The Org files below the folders that the project may read, as far as its configuration allows tools to
    /// see them.
    pub fn of(project: &'p Project) -> Self {
        let paths = project.read_folders().map(Path::to_owned).collect();
        Self { project, paths, is_restricted: true, index: None }
    }

    /// Like [`Self::of`], with an index that is used for these files alone.
    pub fn indexed(project: &'p Project, index: &'p Index) -> Self {
        Self { index: Some(index), ..Self::of(project) }
    }

    /// What the configuration says of the tools for Org files.
    pub(super) fn config(&self) -> &'p OrgConfig {
        &self.project.config().org
    }

    /// How Emacs would make changes, if they are to be made that way.
    pub(super) fn emacs(&self) -> Option<Emacs> {
        let OrgConfig { emacs_compat, log_done, log_repeat, log_into_drawer, .. } = *self.config();
        emacs_compat.then(|| Emacs { now: Moment::now(), log_done, log_repeat, log_into_drawer })
    }

    /// A note on a change of a keyword now.
    pub fn note<'n>(&self, text: &'n str) -> Note<'n> {
        Note { text, now: Moment::now(), into_drawer: self.config().log_into_drawer }
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

    /// The names of all files.
    pub fn names(&self) -> Vec<String> {
        self.listed(true).into_iter().map(|document| document.name).collect()
    }

    /// All files, sorted by name; archives only where wanted.
    fn listed(&self, archives: bool) -> Vec<Listed> {
        let listed = match self.index {
            Some(index) => index.listed(self),
            None if self.is_restricted => self.walked_folders().0,
            None => self.members(self.project.documents(&self.paths, false)),
        };
        let is_wanted = |document: &Listed| document.explicit || is_org(&document.name, archives);
        listed.into_iter().filter(is_wanted).collect()
    }

    fn members(&self, mut listed: Vec<Listed>) -> Vec<Listed> {
        let is_member = |document: &Listed| {
            (is_org(&document.name, true) || document.explicit) && self.is_allowed(&document.name)
        };
        listed.retain(is_member);
        listed.sort_by(|a, b| a.name.cmp(&b.name));
        listed.dedup_by(|a, b| a.name == b.name);
        listed
    }

    /// How the file at a path is called.
    pub(super) fn called(&self, path: &str) -> String {
        self.project.name_of_path(Path::new(path))
    }

    /// What has changed until now; nothing where there is no index.
    pub fn versions(&self) -> Versions {
        self.index.map(|index| index.versions(self)).unwrap_or_default()
    }

    /// The version with which a listed file has changed last.
    pub(super) fn version_of(&self, name: &str) -> Option<u64> {
        self.index.and_then(|index| index.version_of(name))
    }

    /// What queries need of these files, in their order, or of all, sorted by name. Files that cannot be read are left
    /// out, unless they are named.
    ///
    /// # Errors
    /// [`OrgError::NoFile`]
    pub(super) fn table(&self, names: Option<&[String]>) -> Result<Arc<Table>, OrgError> {
        if let Some(names) = names {
            let named = unique(names).map(|name| Ok(Arc::new(digest(&self.open(name)?))));
            return Ok(Arc::new(Table::of(named.collect::<Result<_, OrgError>>()?, true)));
        }
        if let Some(index) = self.index {
            return Ok(index.table(self));
        }
        let read = |document: &Listed| self.digest(document).map(Arc::new);
        // Without a restriction, the files are those of a command: all that are searched count.
        let listed = self.listed(self.is_restricted);
        let digests = parallel(&listed, read).into_iter().flatten().flatten().collect();
        Ok(Arc::new(Table::of(digests, !self.is_restricted)))
    }

    /// The files that may have a headline with an ID.
    pub(super) fn listed_with_id(&self, id: &str) -> Vec<Listed> {
        match self.index {
            Some(index) => index.listed_with_id(self, id),
            None => self.listed(true),
        }
    }

    /// The files that may have a headline with an ID, opened.
    pub(super) fn with_id(&self, id: &str) -> impl Iterator<Item = Subject<'p>> {
        self.listed_with_id(id).into_iter().filter_map(|document| self.subject(document.input).ok())
    }

    /// Opens a file by its name.
    ///
    /// # Errors
    /// [`OrgError::NoFile`]
    pub fn open(&self, name: &str) -> Result<Subject<'p>, OrgError> {
        let missing = || OrgError::NoFile(OrgError::shown(name));
        if !is_org(name, true) || !self.is_allowed(name) {
            return Err(missing());
        }
        self.subject(Input::file(name)).map_err(|error| match error {
            // The file is there, and its content is not text: the finding says why.
            NotOpened::Unreadable { outcome, exists: true } if !outcome.diagnostics.is_empty() => {
                OrgError::Unreadable {
                    file: OrgError::shown(name),
                    why: outcome.diagnostics[0].message.clone(),
                }
            }
            _ => missing(),
        })
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
            return Ok(subject.write(text)?);
        }
        let name = subject.name();
        let made = self.project.create(Path::new(name), text.as_bytes());
        made.map_err(|error| {
            let detail = format!("cannot create `{name}`: {}", io_reason(&error));
            // Another call has made it since.
            let is_there = error.kind() == io::ErrorKind::AlreadyExists;
            if is_there { OrgError::Overtaken(detail) } else { OrgError::NotWritten(detail) }
        })
    }

    /// Writes several files, or none of them, as [`Self::put`] writes one.
    ///
    /// # Errors
    /// [`OrgError::NotWritten`]
    pub(super) fn put_together(changes: &[(&Subject<'_>, &str)]) -> Result<(), OrgError> {
        Ok(Subject::write_together(changes)?)
    }

    pub(super) fn subject(&self, input: Input) -> Result<Subject<'p>, NotOpened> {
        let open = || {
            let kind = self.project.kinds().get(Org.name()).cloned();
            self.project.subject(input.clone().of_kind(kind))
        };
        let subject = open()?;
        if subject.is_file() && subject.tidy() { open() } else { Ok(subject) }
    }
}

impl Corpus for Files<'_> {
    fn folders(&self) -> &[PathBuf] {
        &self.paths
    }

    fn has_ignore_files(&self) -> bool {
        self.project.config().files.gitignore
    }

    fn walked_folders(&self) -> (Vec<Listed>, Vec<PathBuf>) {
        let Walked { documents, folders, .. } = self.project.walked(&self.paths, None);
        (self.members(documents), folders)
    }

    fn walked_folder(&self, folder: &Path) -> Vec<Listed> {
        self.members(self.project.walked(&[folder.to_owned()], Some(1)).documents)
    }

    fn may_contain(&self, name: &str) -> bool {
        is_org(name, true)
    }

    fn name_of(&self, path: &Path) -> String {
        self.project.name_of_path(path)
    }

    fn path_of(&self, listed: &Listed) -> PathBuf {
        listed.input.path().map(|path| self.project.locate(path)).unwrap_or_default()
    }

    fn digest(&self, listed: &Listed) -> Option<Digest> {
        Some(digest(&self.subject(listed.input.clone()).ok()?))
    }

    fn digest_with_words(&self, listed: &Listed) -> Option<(Digest, Words)> {
        let subject = self.subject(listed.input.clone()).ok()?;
        let setup = setup(&subject);
        let outline = Outline::read_with(subject.text(), &setup);
        Some(Digest::with_words(subject.name(), subject.text(), &outline, &setup))
    }
}

/// The digest of an open file.
pub(super) fn digest(subject: &Subject<'_>) -> Digest {
    let setup = setup(subject);
    let outline = Outline::read_with(subject.text(), &setup);
    Digest::new(subject.name(), subject.text(), &outline, &setup)
}

/// What the outline of an open file is read with.
pub(super) fn setup(subject: &Subject<'_>) -> Setup {
    let setup = Setup::of(subject.text(), |path| subject.neighbor(path));
    setup.with_options(subject.kind_options())
}

/// Names without those that occur before.
fn unique(names: &[String]) -> impl Iterator<Item = &String> {
    let mut known = HashSet::new();
    names.iter().filter(move |name| known.insert(*name))
}
