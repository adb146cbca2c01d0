//! The documents of the next commit, as git has them in its index.

use std::{
    io,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use super::{documents::Listed, input::Input, resolved::Project};

/// Options with which git starts no other program, whatever the configuration of the checkout says.
const ALONE: &[&str] = &[
    "--no-pager",
    // An index that is written again calls a hook.
    "--no-optional-locks",
    // No value is off in all versions of git; `false` is a program in old ones.
    "-c",
    "core.fsmonitor=",
    "-c",
    "core.hooksPath=/dev/null",
    "-c",
    "core.attributesFile=/dev/null",
];

/// Lists the files that differ between the index and the last commit. A renamed file is one that was added.
const CHANGED: &[&str] = &[
    "diff",
    "--cached",
    "--name-only",
    "--relative",
    "--diff-filter=ACM",
    "-z",
    "--no-renames",
    "--no-ext-diff",
    "--no-textconv",
    "--ignore-submodules=all",
    "-O/dev/null",
];

/// Why the documents of the next commit are not known.
#[derive(Debug, thiserror::Error)]
pub enum StagedError {
    /// Git cannot be started.
    #[error("cannot run `git`: {0}")]
    Git(#[from] io::Error),
    /// Git refuses.
    #[error("{0}")]
    Refused(String),
}

/// Files of a repository that git reads to list what is staged.
const READ_BY_GIT: [&str; 6] = ["HEAD", "index", "config", "packed-refs", "info/exclude", "info/attributes"];

impl Project {
    /// The documents that were added or changed in the index of git, below the working directory, with the
    /// text that they have in the index. They are those that a walk through the folders finds.
    ///
    /// # Errors
    /// [`StagedError`] where git has no answer.
    #[doc(hidden)]
    pub fn staged(&self) -> Result<Vec<Listed>, StagedError> {
        self.check_repository()?;
        let changed = self.git(CHANGED)?;
        let names = changed.split(|byte| *byte == 0).filter(|name| !name.is_empty());
        let mut found = Vec::new();
        for name in names {
            let path = PathBuf::from(String::from_utf8_lossy(name).into_owned());
            let owner = self.owner(&path).unwrap_or(self);
            let configured = owner.configured_name(&path);
            let is_document = owner.is_walked(&path, &configured) && owner.config().includes(&configured);
            if is_hidden(&path) || !is_document {
                continue;
            }
            let text =
                String::from_utf8(self.git(&["cat-file", "blob", &format!(":./{}", slashed(&path))])?);
            // Text that is not UTF-8 is reported by whoever reads the file.
            let input = text.map_or_else(|_| Input::file(&path), |text| Input::text(text).at(&path));
            found.push(Listed { explicit: false, ..self.listed(input) });
        }
        found.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(found)
    }

    /// Refuses a repository whose files git would wait for without an end.
    fn check_repository(&self) -> Result<(), StagedError> {
        let folders = self.folder().ancestors().map(|folder| folder.join(".git"));
        let Some(git) = folders.into_iter().find(|git| git.symlink_metadata().is_ok()) else { return Ok(()) };
        for name in READ_BY_GIT {
            if git.join(name).metadata().is_ok_and(|found| !found.is_file()) {
                return Err(StagedError::Refused(format!("`.git/{name}` is not a regular file")));
            }
        }
        Ok(())
    }

    fn git(&self, arguments: &[&str]) -> Result<Vec<u8>, StagedError> {
        let output = Command::new("git")
            .args(ALONE)
            .args(arguments)
            // Objects that a partial clone lacks are not fetched: its configuration names the program for that.
            .env("GIT_NO_LAZY_FETCH", "1")
            .env("GIT_ALLOW_PROTOCOL", "none")
            .stdin(Stdio::null())
            .current_dir(self.folder())
            .output()?;
        if output.status.success() {
            return Ok(output.stdout);
        }
        let why = String::from_utf8_lossy(&output.stderr);
        Err(StagedError::Refused(why.lines().next().unwrap_or("git failed").to_owned()))
    }
}

/// Whether a walk leaves out the file, or a folder that it is in, as hidden.
fn is_hidden(path: &Path) -> bool {
    path.components().any(|part| part.as_os_str().to_string_lossy().starts_with('.'))
}

fn slashed(path: &Path) -> String {
    path.to_string_lossy().replace('\\', "/")
}
