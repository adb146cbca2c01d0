//! Which rules are on for a document: what is configured for its file, and what the client asks for.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use super::{config::Config, error::OpenError};
use crate::{
    engine::{Settings, Validator},
    kinds::Limits,
    rules::Ruleset,
};

/// Which rules a client wants, instead of what is configured. A rule is named by its id, the start of
/// one, its name, a tag, its pack, or `all`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RuleOverrides {
    /// Only these.
    pub select: Vec<String>,
    /// These besides the ones that are on.
    pub extend: Vec<String>,
    /// Not these.
    pub ignore: Vec<String>,
}

impl RuleOverrides {
    /// The configured settings with what the client wants, which decides over them.
    fn over(&self, configured: Settings) -> Settings {
        let Self { select, extend, ignore } = self.clone();
        Settings { select, extend, ignore, ..configured }
    }

    /// Every name that no rule has.
    pub(super) fn unknown(&self, ruleset: &Ruleset) -> Vec<OpenError> {
        let Self { select, extend, ignore } = self.clone();
        let named = Settings { select, extend, ignore, ..Settings::default() };
        let unknown = named.unknown_names(ruleset.rules()).into_iter();
        unknown
            .map(|name| OpenError::UnknownRule {
                name: name.to_owned(),
                nearest: ruleset.nearest(name).map(str::to_owned),
            })
            .collect()
    }
}

/// The validators of a project: one for each set of overrides that files have.
pub(super) struct Validators {
    ruleset: Arc<Ruleset>,
    overrides: RuleOverrides,
    limits: Limits,
    base: Arc<Validator>,
    /// By the numbers of the overrides.
    overridden: Mutex<HashMap<Vec<usize>, Arc<Validator>>>,
}

impl Validators {
    pub(super) fn new(
        ruleset: Arc<Ruleset>,
        config: &Config,
        overrides: RuleOverrides,
        limits: Limits,
    ) -> Self {
        let settings = overrides.over(config.settings(&limits));
        let base = Arc::new(Validator::new(Arc::clone(&ruleset), settings));
        Self { ruleset, overrides, limits, base, overridden: Mutex::default() }
    }

    /// The one for documents that are not files, and for files without overrides.
    pub(super) fn base(&self) -> &Arc<Validator> {
        &self.base
    }

    /// The one for a file, by its path relative to the folder of the configuration.
    pub(super) fn of_file(&self, path: &str, config: &Config) -> Arc<Validator> {
        let overrides = config.overrides_of(path);
        if overrides.is_empty() {
            return Arc::clone(&self.base);
        }
        let made = || {
            let settings = self.overrides.over(config.settings_for(path, &self.limits));
            Arc::new(Validator::new(Arc::clone(&self.ruleset), settings))
        };
        let mut known = self.overridden.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(known.entry(overrides).or_insert_with(made))
    }
}
