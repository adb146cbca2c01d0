//! Which rules a client asks for.

use super::error::OpenError;
use crate::{engine::Settings, rules::Ruleset};

/// Which rules a client wants, instead of what is configured. A rule is named by its id, the start of
/// one, its name, a tag, its pack, or `all`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RuleOverrides {
    /// Only these rules.
    pub select: Vec<String>,
    /// These rules besides the ones that are on.
    pub extend: Vec<String>,
    /// Rules that are off.
    pub ignore: Vec<String>,
}

impl RuleOverrides {
    /// The configured settings with what the client wants, which decides over them.
    pub(super) fn over(&self, configured: Settings) -> Settings {
        let Self { select, extend, ignore } = self.clone();
        Settings { select, extend, ignore, ..configured }
    }

    /// Every name that no rule has.
    pub(super) fn unknown(&self, ruleset: &Ruleset) -> Vec<OpenError> {
        let Self { select, extend, ignore } = self.clone();
        let named = Settings { select, extend, ignore, ..Settings::default() };
        let unknown = named.unknown_names(|| ruleset.rules()).into_iter();
        unknown
            .map(|name| OpenError::UnknownRule {
                name: name.to_owned(),
                nearest: ruleset.nearest(name).map(str::to_owned),
            })
            .collect()
    }
}
