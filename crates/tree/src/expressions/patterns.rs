use std::{fmt, sync::Arc};

use globset::{GlobSet, GlobSetBuilder};

use super::{BadGlob, glob};
use crate::budget::Once;

/// Globs that a path may match: relative to the configuration's folder, with `/`. A glob without `/`
/// matches in every folder, one of a folder everything below it.
#[derive(Clone, Default)]
pub struct Patterns {
    set: Arc<Once<GlobSet>>,
    texts: Vec<String>,
}

impl Patterns {
    /// Compiles globs; the first that cannot be read is given back.
    pub fn new(globs: &[String]) -> Result<Self, BadGlob> {
        Ok(Self { set: Arc::new(compile(globs)?.into()), texts: globs.to_vec() })
    }

    /// Globs that are known to be valid, compiled when a path is first compared: those of built-in packs, which are mostly
    /// off.
    pub fn deferred(globs: Vec<String>) -> Self {
        Self { set: Arc::default(), texts: globs }
    }

    /// Whether a path matches one of the globs.
    pub fn matches(&self, path: &str) -> bool {
        let set = || self.set.get_or_init(|| compile(&self.texts).unwrap_or_default());
        !self.texts.is_empty() && set().is_match(path.trim_start_matches("./"))
    }

    /// Whether there are no globs.
    pub fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }

    /// The hidden names that globs contain, such as `.config` in `.config/**`.
    #[must_use]
    pub fn hidden_names(&self) -> Self {
        let parts = self.texts.iter().flat_map(|text| text.split('/'));
        let hidden = parts.filter(|part| part.starts_with('.') && part.len() > 1 && *part != "..");
        let hidden: Vec<String> = hidden.map(str::to_owned).collect();
        Self::new(&hidden).unwrap_or_default()
    }

    /// The globs as they are written.
    pub fn texts(&self) -> &[String] {
        &self.texts
    }
}

fn compile(globs: &[String]) -> Result<GlobSet, BadGlob> {
    let mut set = GlobSetBuilder::new();
    for written in globs {
        let trimmed = written.trim_start_matches("./").trim_end_matches('/');
        let anchored = trimmed.strip_prefix('/').map(str::to_owned);
        let anywhere = !trimmed.contains('/');
        let base =
            anchored.unwrap_or_else(|| if anywhere { format!("**/{trimmed}") } else { trimmed.to_owned() });
        for text in [base.clone(), format!("{base}/**")] {
            set.add(glob(&text)?);
        }
    }
    let all = |error: globset::Error| BadGlob { glob: globs.join(" "), detail: error.kind().to_string() };
    set.build().map_err(all)
}

impl fmt::Debug for Patterns {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Patterns").field(&self.texts).finish()
    }
}

impl PartialEq for Patterns {
    fn eq(&self, other: &Self) -> bool {
        self.texts == other.texts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn globs_match_as_people_expect() {
        let patterns = |glob: &str| Patterns::new(&[glob.to_owned()]).unwrap();
        assert!(patterns("*.md").matches("docs/deep/a.md"));
        assert!(patterns("vendor/").matches("vendor/x/y.yaml"));
        assert!(patterns("node_modules").matches("a/node_modules/b.md"));
        assert!(patterns("docs/*.md").matches("docs/a.md"));
        assert!(!patterns("docs/*.md").matches("docs/sub/a.md"));
        assert!(patterns("docs/**/*.md").matches("docs/sub/a.md"));
        assert!(patterns("/top.md").matches("top.md"));
        assert!(!patterns("/top.md").matches("docs/top.md"));
        assert!(patterns("./a.md").matches("a.md"));
        assert_eq!(patterns("./a/../.b/**/.c*").hidden_names().texts(), [".b", ".c*"]);
        assert!(!Patterns::default().matches("a.md"));
        assert!(Patterns::new(&["[".to_owned()]).is_err());
        assert!(Patterns::deferred(vec!["*.md".to_owned()]).matches("docs/deep/a.md"));
    }
}
