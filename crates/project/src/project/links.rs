//! The files that a document refers to.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use super::{
    dependencies::{Recorder, locked},
    index::Indexed,
    input::Input,
    names::relative,
    neighbors::Neighbors,
    resolved::Project,
};
use crate::{
    budget, files,
    kinds::{FileState, SharedNames, Surroundings},
};

/// Configurations of site generators, and the folder beside them that relative links may start at.
const SITES: &[(&str, &str)] = &[
    ("docusaurus.config.js", "docs"),
    ("docusaurus.config.ts", "docs"),
    ("docusaurus.config.mjs", "docs"),
    ("website/docusaurus.config.js", "docs"),
    ("website/docusaurus.config.ts", "docs"),
    ("website/docusaurus.config.js", "website/docs"),
    ("website/docusaurus.config.ts", "website/docs"),
    ("hugo.toml", "content"),
    ("hugo.yaml", "content"),
    ("hugo.json", "content"),
    ("config/_default/hugo.toml", "content"),
    ("config/_default/hugo.yaml", "content"),
];

impl Project {
    /// The folders that relative links may start at besides that of their document: those that are configured, or those of
    /// the site generator whose configuration is in the folder of this one. Jekyll and `MkDocs` have none.
    fn link_roots(&self) -> &[PathBuf] {
        self.link_roots.get_or_init(|| match &self.config.link_roots {
            Some(roots) => roots.iter().map(|root| self.folder.join(root)).collect(),
            None => {
                let used = SITES.iter().filter(|(file, folder)| {
                    self.root.join(file).is_file() && self.root.join(folder).is_dir()
                });
                used.map(|(_, folder)| self.root.join(folder)).collect()
            }
        })
    }

    /// The names that the document in a file declares; nothing where its kind declares none.
    fn names_in(&self, path: &Path) -> Option<Arc<SharedNames>> {
        if !self.knows_kind_of(path) {
            return None;
        }
        if self.indexed(path) == Indexed::File {
            let text = String::from_utf8(self.staged_content(path)?).ok()?;
            let subject = self.configured_subject(Input::text(text).at(path)).ok()?;
            return subject.names_for_links(subject.source());
        }
        if let Some(text) = self.open_text(path) {
            return self.names_in_open(path, text);
        }
        let settings = format!("{} {}", self.sharing_fingerprint(), self.folder.display());
        let names = self.session.declared().get(&settings, &self.locate(path), || {
            let subject = self.configured_subject(Input::file(path)).ok()?;
            subject.names_for_links(subject.source())
        });
        names.flatten()
    }

    /// The names that a file declares with the content that it has in an editor. They are found once for each content: a
    /// document can refer to the same file many times.
    fn names_in_open(&self, path: &Path, text: Arc<String>) -> Option<Arc<SharedNames>> {
        if let Some((of, names)) = locked(&self.open_names).get(path)
            && Arc::ptr_eq(of, &text)
        {
            return names.clone();
        }
        let subject = self.configured_subject(Input::text(text.as_str()).at(path)).ok()?;
        let names = subject.names_for_links(subject.source());
        if budget::is_left() {
            let mut known = locked(&self.open_names);
            known.retain(|path, (of, _)| self.open_text(path).is_some_and(|text| Arc::ptr_eq(of, &text)));
            known.insert(path.to_owned(), (text, names.clone()));
        }
        names
    }
}

/// The files around a document that is validated.
pub(super) struct Around<'a, 'p> {
    pub(super) project: &'p Project,
    pub(super) neighbors: &'a Neighbors<'p>,
    /// Where the document is, or is to be.
    pub(super) place: Option<&'a Path>,
    /// What the text that is validated declares.
    pub(super) own: &'a dyn Fn() -> Option<Arc<SharedNames>>,
    pub(super) recorder: &'a Recorder,
}

impl Around<'_, '_> {
    fn path(&self, path: &str) -> Option<PathBuf> {
        Some(files::plain(&self.place?.parent()?.join(path)))
    }

    /// Where a path leads, from the folder of the document or else from a further root of links; and what is there.
    fn lead(&self, path: &str) -> (String, FileState) {
        let state = self.state_of(path);
        if state != FileState::Missing {
            return (path.to_owned(), state);
        }
        let folder = self.place.and_then(Path::parent).map(|folder| self.project.folder.join(folder));
        let below = |root: &PathBuf| {
            let path = relative(&root.join(path), folder.as_ref()?);
            let state = self.state_of(&path);
            matches!(state, FileState::File | FileState::Folder).then_some((path, state))
        };
        self.project.link_roots().iter().find_map(below).unwrap_or_else(|| (path.to_owned(), state))
    }

    /// What is at a path from the folder of the document.
    fn state_of(&self, path: &str) -> FileState {
        // What is to become a file is one.
        let is_own = self.path(path).is_some_and(|path| self.is_own(&path));
        match self.neighbors.state(path) {
            _ if is_own => FileState::File,
            // What may not be looked at may not be looked at in the index either.
            FileState::Unknown => FileState::Unknown,
            state => self.path(path).and_then(|path| self.staged_state(&path)).unwrap_or(state),
        }
    }

    /// What the next commit has at a path, where that is what is validated.
    fn staged_state(&self, path: &Path) -> Option<FileState> {
        let index = self.project.index.as_ref()?;
        let path = &files::plain(&self.project.folder.join(path));
        match index.file(path) {
            Indexed::Same => None,
            Indexed::File => Some(FileState::File),
            Indexed::Absent if index.has_files_below(path) => Some(FileState::Folder),
            Indexed::Absent => Some(FileState::Missing),
        }
    }

    fn is_own(&self, path: &Path) -> bool {
        self.place.is_some_and(|own| files::plain(own) == path)
    }
}

impl Surroundings for Around<'_, '_> {
    fn state(&self, path: &str) -> FileState {
        let (_, state) = self.lead(path);
        self.recorder.link(path, format!("{state:?}"));
        state
    }

    fn names(&self, path: &str) -> Option<Arc<SharedNames>> {
        let full = self.path(&self.lead(path).0)?;
        let names = if self.is_own(&full) { (self.own)() } else { self.project.names_in(&full) }?;
        self.recorder.link(path, names.fingerprint().to_owned());
        Some(names)
    }
}
