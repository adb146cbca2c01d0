//! Files that results are written to: none is an input, each gets one result, and none of another type is replaced
//! unless that is asked for.

use std::{
    collections::HashSet,
    fs::{self, Metadata},
    path::{Path, PathBuf},
};

/// Why a result is not written to a file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotAnOutput {
    /// It is a file that the results are made from, whatever its path is.
    #[error("`{0}` is one of the inputs")]
    Input(String),
    /// Another result is written to it.
    #[error("two results would be written to `{0}`")]
    Twice(String),
    /// Its name says that it contains something else.
    #[error("`{0}` exists and is not a file of type `{1}`")]
    OtherType(String, String),
}

impl NotAnOutput {
    /// What to do about the error.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Input(_) => "name another file",
            Self::Twice(_) => "write the results of inputs with the same name to different folders",
            Self::OtherType(..) => "name another file, or replace it with `--force`",
        }
    }
}

/// The files that results of a run are written to.
#[derive(Debug)]
pub struct Outputs {
    inputs: HashSet<Identity>,
    taken: HashSet<Identity>,
    replaces_all: bool,
}

/// What two paths have in common that lead to one file.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Identity {
    /// Device and number of a file that exists.
    #[cfg(unix)]
    Number(u64, u64),
    /// Its path without links.
    Path(PathBuf),
}

impl Outputs {
    /// The outputs of results that are made from `inputs`. Files of other types are replaced where that is asked for.
    pub fn new<'p>(inputs: impl IntoIterator<Item = &'p Path>, replaces_all: bool) -> Self {
        let inputs = inputs.into_iter().flat_map(identities).collect();
        Self { inputs, taken: HashSet::new(), replaces_all }
    }

    /// Takes a file for a result whose type has these file extensions; an empty one stands for none.
    ///
    /// # Errors
    /// [`NotAnOutput`]
    pub fn take(&mut self, path: &Path, extensions: &[&str]) -> Result<(), NotAnOutput> {
        let found = fs::metadata(path).ok();
        if found.as_ref().is_some_and(|found| !found.is_file()) {
            // A device or a pipe takes everything; writing to a folder fails.
            return Ok(());
        }
        let name = || path.to_string_lossy().into_owned();
        let own: Vec<Identity> = identities(path).collect();
        if own.iter().any(|one| self.inputs.contains(one)) {
            return Err(NotAnOutput::Input(name()));
        }
        if own.iter().any(|one| self.taken.contains(one)) {
            return Err(NotAnOutput::Twice(name()));
        }
        let own_type = path.extension().unwrap_or_default();
        let is_of_type = extensions.iter().any(|extension| own_type.eq_ignore_ascii_case(extension));
        if found.is_some_and(|found| found.len() > 0) && !is_of_type && !self.replaces_all {
            return Err(NotAnOutput::OtherType(
                name(),
                extensions.first().copied().unwrap_or_default().to_owned(),
            ));
        }
        self.taken.extend(own);
        Ok(())
    }
}

fn identities(path: &Path) -> impl Iterator<Item = Identity> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let beside = || Some(folder.canonicalize().ok()?.join(path.file_name()?));
    let real = path.canonicalize().ok().or_else(beside).unwrap_or_else(|| path.to_owned());
    let number = fs::metadata(path).ok().and_then(|found| number(&found));
    number.into_iter().chain([Identity::Path(real)])
}

#[cfg(unix)]
#[expect(clippy::unnecessary_wraps, reason = "other systems have no such number")]
fn number(found: &Metadata) -> Option<Identity> {
    use std::os::unix::fs::MetadataExt;
    Some(Identity::Number(found.dev(), found.ino()))
}

#[cfg(not(unix))]
fn number(_: &Metadata) -> Option<Identity> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_input_is_recognized_by_any_path() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("x.md"), "# X\n").unwrap();
        fs::create_dir(at("a")).unwrap();
        let mut outputs = Outputs::new([at("x.md").as_path()], true);
        for same in ["x.md", "./x.md", "a/../x.md"] {
            assert!(matches!(outputs.take(&at(same), &["md"]), Err(NotAnOutput::Input(_))), "{same}");
        }
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(at("x.md"), at("link.md")).unwrap();
            std::os::unix::fs::symlink(".", at("here")).unwrap();
            fs::hard_link(at("x.md"), at("hard.md")).unwrap();
            for same in ["link.md", "here/x.md", "hard.md"] {
                assert!(matches!(outputs.take(&at(same), &["md"]), Err(NotAnOutput::Input(_))), "{same}");
            }
        }
        assert_eq!(outputs.take(&at("y.md"), &["md"]), Ok(()));
    }

    #[test]
    fn each_file_gets_one_result() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let mut outputs = Outputs::new([], false);
        outputs.take(&at("x.pdf"), &["pdf"]).unwrap();
        assert!(matches!(outputs.take(&at("./x.pdf"), &["pdf"]), Err(NotAnOutput::Twice(_))));
        fs::write(at("x.pdf"), "pdf").unwrap();
        assert!(
            matches!(outputs.take(&at("x.pdf"), &["pdf"]), Err(NotAnOutput::Twice(_))),
            "also when it exists"
        );
        outputs.take(&at("y.pdf"), &["pdf"]).unwrap();
    }

    #[test]
    fn a_file_of_another_type_is_replaced_only_on_request() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        for name in ["notes.md", "notes", "a.PDF", "a.pdf"] {
            fs::write(at(name), "text").unwrap();
        }
        fs::write(at("empty.md"), "").unwrap();
        let mut outputs = Outputs::new([], false);
        for other in ["notes.md", "notes"] {
            assert!(matches!(outputs.take(&at(other), &["pdf"]), Err(NotAnOutput::OtherType(..))), "{other}");
            assert_eq!(Outputs::new([], true).take(&at(other), &["pdf"]), Ok(()));
        }
        for name in ["a.PDF", "a.pdf", "empty.md", "new.txt"] {
            assert_eq!(outputs.take(&at(name), &["pdf"]), Ok(()), "{name}");
        }
    }
}
