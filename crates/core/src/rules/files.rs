//! Which files rules are for.

use crate::{
    checks::{Fault, Field, OneOrMany},
    expressions::Patterns,
};

/// The files that a pack or a rule is for.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RuleFiles {
    /// The only files that it is for; all when empty.
    files: Patterns,
    /// Files that it is not for.
    exclude: Patterns,
}

impl RuleFiles {
    /// What `files` and `exclude` at a place say; globs that cannot be read are reported.
    pub(super) fn compile(
        files: Option<&OneOrMany<String>>,
        exclude: Option<&OneOrMany<String>>,
        at: &Field<'_>,
        faults: &mut Vec<Fault>,
    ) -> Self {
        let mut patterns = |globs: Option<&OneOrMany<String>>, key: &'static str| {
            let field = at.key(key);
            let written = globs.map(OneOrMany::to_vec).unwrap_or_default();
            for (index, glob) in written.iter().enumerate() {
                if let Err(bad) = Patterns::new(std::slice::from_ref(glob)) {
                    let at =
                        if matches!(globs, Some(OneOrMany::Many(_))) { field.index(index) } else { field };
                    let fault = Fault::new("bad-file-glob", &at).with("glob", bad.glob.as_str());
                    faults.push(fault.with("detail", bad.detail));
                }
            }
            Patterns::new(&written).unwrap_or_default()
        };
        Self { files: patterns(files, "files"), exclude: patterns(exclude, "exclude") }
    }

    /// What `files` and `exclude` of a built-in pack or rule say; the globs are compiled when they are first used.
    pub(super) fn builtin(files: Option<&OneOrMany<String>>, exclude: Option<&OneOrMany<String>>) -> Self {
        let patterns = |globs: Option<&OneOrMany<String>>| {
            Patterns::deferred(globs.map(OneOrMany::to_vec).unwrap_or_default())
        };
        Self { files: patterns(files), exclude: patterns(exclude) }
    }

    /// Whether they are all files.
    pub(super) fn is_everything(&self) -> bool {
        self.files.is_empty() && self.exclude.is_empty()
    }

    /// Whether a file is one of them, by its path in the configuration; or text that is not in a file.
    pub(super) fn include(&self, file: Option<&str>) -> bool {
        let Some(file) = file else { return self.files.is_empty() };
        (self.files.is_empty() || self.files.matches(file)) && !self.exclude.matches(file)
    }
}
