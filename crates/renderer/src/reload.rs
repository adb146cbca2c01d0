use std::{io, path::Path, sync::Arc};

use super::{Bundle, Library, Origin, Renderer};
use crate::{
    diagnostic::{Diagnostic, Severity},
    kinds::quill::{MANIFESTS, Problem, Registered},
    project::{Project, config::Quills},
};

/// What became of the quills when their folders were read anew.
#[derive(Debug, Default)]
pub struct Reload {
    /// New and changed quills, in use from now on.
    pub taken: Vec<String>,
    /// Quills that are gone.
    pub removed: Vec<String>,
    /// Quills that stay as they last were: what lies in their folder now has faults.
    pub kept: Vec<String>,
    /// Why quills were left out or not taken.
    pub problems: Vec<Problem>,
    /// What is wrong with the examples of new and changed quills.
    pub diagnostics: Vec<Diagnostic>,
}

impl Renderer {
    /// Reads the quills of folders anew and uses those that are right: the manifest has no fault and the example
    /// renders. Where a quill was right before and is not any more, its last good files stay in use. Documents under
    /// way end with the quills they began with.
    ///
    /// [`Library::read_ahead`] must have been called on the library before, so that there are last good
    /// files. `date` is the day that layouts take for today, `2026-01-31`.
    pub fn reload(&self, config: &Quills, project: &Project, date: &str) -> Reload {
        let before = self.library();
        let (mut library, problems) = Library::load(config);
        let mut reload = Reload { problems, ..Reload::default() };
        let folders = library.quills().iter().filter(|quill| quill.folder.is_some());
        let loaded: Vec<Registered> = folders.cloned().collect();
        for quill in &loaded {
            let name = &quill.quill.name;
            let known = before.origin(name) == Some(Origin::Folder);
            let files = library.bundle(name);
            if known && same_files(&before, name, files.as_ref().and_then(|files| files.as_ref().ok())) {
                library.take_over(&before, name);
                continue;
            }
            let right = match files {
                Some(Ok(_)) => self.tried(&library, name, project, date, &mut reload.diagnostics),
                Some(Err(error)) => {
                    let folder = quill.folder.clone().unwrap_or_default();
                    reload.problems.push(Problem::Unreadable(folder, io::Error::other(error)));
                    false
                }
                None => false,
            };
            if right || !known {
                reload.taken.push(name.clone());
            } else {
                library.take_over(&before, name);
                reload.kept.push(name.clone());
            }
        }
        for quill in before.quills().iter() {
            let (name, Some(folder)) = (&quill.quill.name, &quill.folder) else { continue };
            if library.origin(name) == Some(Origin::Folder) {
                continue;
            }
            let renamed = loaded.iter().any(|other| other.folder.as_ref() == Some(folder));
            if !renamed && has_manifest(folder) {
                library.take_over(&before, name);
                reload.kept.push(name.clone());
            } else {
                reload.removed.push(name.clone());
            }
        }
        self.replace_library(Arc::new(library));
        reload
    }

    /// Whether the example of a quill renders. A quill without an example is accepted with diagnostics: it may
    /// need other values than the examples of its fields. Where nothing can be rendered, every quill is.
    fn tried(
        &self,
        library: &Library,
        name: &str,
        project: &Project,
        date: &str,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> bool {
        if self.check_worker().is_err() {
            return true;
        }
        let has_example = library.example(name).is_some();
        let Some((_, rendered)) = self.try_example(library, name, project, date) else { return true };
        let wrong = |one: &Diagnostic| one.severity == Severity::Error && one.suppressed.is_none();
        let right = !has_example || !rendered.diagnostics.iter().any(wrong);
        diagnostics.extend(rendered.diagnostics);
        right
    }
}

fn same_files(before: &Library, name: &str, files: Option<&Arc<Bundle>>) -> bool {
    let old = before.bundle(name).and_then(Result::ok);
    old.is_some_and(|old| files.is_some_and(|new| old.files() == new.files()))
}

fn has_manifest(folder: &Path) -> bool {
    MANIFESTS.iter().any(|name| folder.join(name).exists())
}
