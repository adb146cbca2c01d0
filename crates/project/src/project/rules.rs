//! Which rules are on for a document: what is configured for its file, and what the client asks for.

use std::{
    collections::{BTreeSet, HashMap},
    path::Path,
    sync::{Arc, Mutex, PoisonError},
};

use super::{
    adopted::{self, AdoptedTool, OfFile},
    config::Config,
    error::Findings,
    overrides::RuleOverrides,
};
use crate::{
    engine::{Settings, Validator},
    kinds::Limits,
    rules::{Rule, Ruleset},
};

/// The validators of a project: one for each set of overrides that files have and of rules that are not for them.
pub(super) struct Validators {
    ruleset: Arc<Ruleset>,
    overrides: RuleOverrides,
    limits: Limits,
    /// What configurations of other tools say, where packs have the rules of these tools.
    adopted: Vec<AdoptedTool>,
    base: Arc<Validator>,
    /// The ids of the rules that are not for documents that are not files.
    left_out: BTreeSet<String>,
    /// The rules that are for some files only.
    of_some_files: Vec<Arc<Rule>>,
    others: Mutex<HashMap<Difference, Arc<Validator>>>,
}

/// How the rules for a file differ from those for all: the numbers of the overrides, the rules that are not for it, and
/// what each of the other tools' configurations says of it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
struct Difference {
    overrides: Vec<usize>,
    left_out: BTreeSet<String>,
    adopted: Vec<OfFile>,
}

impl Validators {
    pub(super) fn new(
        ruleset: Arc<Ruleset>,
        config: &Config,
        overrides: RuleOverrides,
        limits: Limits,
        folder: Option<&Path>,
    ) -> Self {
        let of_some_files: Vec<Arc<Rule>> = {
            // A rule that is off for every file need not be compared with each of them.
            let settings = overrides.over(config.settings(&limits));
            let may_be_on = |rule: &Rule| config.has_overrides_for_files() || settings.selects(rule);
            let rules = ruleset.rules_for_some_files().into_iter();
            rules.filter(|rule| may_be_on(rule)).cloned().collect()
        };
        let left_out = left_out(&of_some_files, None);
        let settings = Settings { left_out: left_out.clone(), ..config.settings(&limits) };
        let mut settings = overrides.over(settings);
        let words = folder.map(|_| adopted::words(&ruleset, &settings)).unwrap_or_default();
        let find = |word: &str| Some(AdoptedTool::find(folder?, word, &ruleset));
        let adopted: Vec<AdoptedTool> = words.into_iter().filter_map(find).collect();
        for tool in &adopted {
            tool.apply(OfFile::default(), &mut settings, &overrides, &ruleset);
        }
        let base = Arc::new(Validator::new(Arc::clone(&ruleset), settings));
        let others = Mutex::default();
        Self { ruleset, overrides, limits, adopted, base, left_out, of_some_files, others }
    }

    /// The validator for documents that are not files.
    pub(super) fn base(&self) -> &Arc<Validator> {
        &self.base
    }

    /// What there is to say about the configurations of other tools in the folder of this one.
    pub(super) fn adopted_findings(&self) -> impl Iterator<Item = &Findings> {
        self.adopted.iter().flat_map(AdoptedTool::findings)
    }

    /// Like [`Self::adopted_findings`], for the folders below that files were in until now.
    pub(super) fn later_findings(&self) -> Vec<Findings> {
        self.adopted.iter().flat_map(AdoptedTool::later_findings).collect()
    }

    /// The validator for a file, by its path relative to the folder of the configuration.
    pub(super) fn of_file(&self, path: &str, config: &Config) -> Arc<Validator> {
        let left_out = left_out(&self.of_some_files, Some(path));
        let adopted = self.adopted.iter().map(|tool| tool.of_file(path, &self.ruleset)).collect();
        let difference = Difference { overrides: config.overrides_of(path), left_out, adopted };
        let is_usual = difference.adopted.iter().all(|of_file| *of_file == OfFile::default());
        if difference.overrides.is_empty() && difference.left_out == self.left_out && is_usual {
            return Arc::clone(&self.base);
        }
        let made = |difference: &Difference| {
            let settings = config.settings_for(path, &self.limits);
            let settings = Settings { left_out: difference.left_out.clone(), ..settings };
            let mut settings = self.overrides.over(settings);
            for (tool, of_file) in self.adopted.iter().zip(&difference.adopted) {
                tool.apply(*of_file, &mut settings, &self.overrides, &self.ruleset);
            }
            Arc::new(Validator::new(Arc::clone(&self.ruleset), settings))
        };
        let mut known = self.others.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(validator) = known.get(&difference) {
            return Arc::clone(validator);
        }
        let validator = made(&difference);
        known.insert(difference, Arc::clone(&validator));
        validator
    }
}

/// The ids of the rules among these that are not for a file, or not for text that is not in one.
fn left_out(rules: &[Arc<Rule>], file: Option<&str>) -> BTreeSet<String> {
    rules.iter().filter(|rule| !rule.is_for_file(file)).map(|rule| rule.id.clone()).collect()
}
