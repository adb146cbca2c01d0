//! The documents of the next commit, as git has them in its index.

use std::path::Path;

use super::{documents::Listed, index::Indexed, input::Input, resolved::Project};
use crate::files;

impl Project {
    /// The documents that were added or changed in the index of git, below the working directory, with the
    /// text that they have in the index. They are those that a walk through the folders finds. None where the project was
    /// not opened for the index.
    #[doc(hidden)]
    pub fn staged(&self) -> Vec<Listed> {
        let Some(index) = &self.index else { return Vec::new() };
        let mut found = Vec::new();
        for path in &index.changed {
            let owner = self.owner(path).unwrap_or(self);
            let configured = owner.configured_name(path);
            let is_document = owner.is_walked(path, &configured) && owner.config().includes(&configured);
            if is_hidden(path) || !is_document {
                continue;
            }
            let text = index.text(&files::plain(&index.folder.join(path)));
            // Text that is not UTF-8 is reported by whoever reads the file.
            let input = text.map_or_else(|| Input::file(path), |text| Input::text(text).at(path));
            found.push(Listed { explicit: false, ..self.listed(input) });
        }
        found.sort_by(|a, b| a.name.cmp(&b.name));
        found
    }

    /// What the next commit has at a path, where the project was opened for that.
    pub(super) fn indexed(&self, path: &Path) -> Indexed {
        self.index.as_ref().map_or(Indexed::Same, |index| index.file(&files::plain(&self.folder.join(path))))
    }

    /// The content of a file of the next commit.
    pub(super) fn staged_content(&self, path: &Path) -> Option<Vec<u8>> {
        self.index.as_ref()?.content(&files::plain(&self.folder.join(path)))
    }
}

/// Whether a walk leaves out the file, or a folder that it is in, as hidden.
fn is_hidden(path: &Path) -> bool {
    path.components().any(|part| part.as_os_str().to_string_lossy().starts_with('.'))
}
