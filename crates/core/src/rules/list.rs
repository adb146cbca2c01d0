use std::sync::Arc;

use super::{
    embedded::{EmbeddedRule, Head},
    loader,
    rule::{Pack, Rule},
};
use crate::budget::Once;

/// Rules, ordered by id.
#[derive(Debug)]
pub(super) enum RuleList {
    /// The built-in ones, which are made when they are asked for: one document needs those of one kind.
    Embedded(EmbeddedRules),
    Made(Vec<Arc<Rule>>),
}

/// The built-in rules.
#[derive(Debug)]
pub(super) struct EmbeddedRules {
    packs: Vec<Arc<Pack>>,
    rules: Vec<(Head, Once<Option<Arc<Rule>>>)>,
    all: Once<Vec<Arc<Rule>>>,
}

impl EmbeddedRules {
    /// The rules of `packs` with these heads, which are ordered by id.
    pub(super) fn new(packs: Vec<Arc<Pack>>, heads: impl Iterator<Item = Head>) -> Self {
        Self { packs, rules: heads.map(|head| (head, Once::new())).collect(), all: Once::new() }
    }

    /// The rules whose heads are like this.
    fn with(&self, is_asked: impl Fn(&Head) -> bool) -> impl Iterator<Item = &Arc<Rule>> {
        let asked = self.rules.iter().filter(move |(head, _)| is_asked(head));
        asked.filter_map(move |(head, rule)| rule.get_or_init(|| self.make(*head)).as_ref())
    }

    fn make(&self, head: Head) -> Option<Arc<Rule>> {
        let rule = EmbeddedRule::read(head)?;
        Some(Arc::new(loader::embedded_rule(rule, self.packs.get(head.pack)?)))
    }
}

impl RuleList {
    /// All rules.
    pub(super) fn all(&self) -> &[Arc<Rule>] {
        match self {
            Self::Embedded(embedded) => {
                embedded.all.get_or_init(|| embedded.with(|_| true).cloned().collect())
            }
            Self::Made(rules) => rules,
        }
    }

    /// Changes which rules there are.
    pub(super) fn change(&mut self, change: impl FnOnce(&mut Vec<Arc<Rule>>)) {
        let mut rules = match std::mem::replace(self, Self::Made(Vec::new())) {
            Self::Made(rules) => rules,
            embedded @ Self::Embedded(_) => embedded.all().to_vec(),
        };
        change(&mut rules);
        *self = Self::Made(rules);
    }

    /// The rules for documents of a kind.
    pub(super) fn of_kind(&self, kind: &str) -> Vec<&Arc<Rule>> {
        self.chosen(|head| head.is_for(kind), |rule| rule.kinds.iter().any(|own| own == kind))
    }

    /// The rules of a pack.
    pub(super) fn of_pack(&self, name: &str) -> Vec<&Arc<Rule>> {
        let position = match self {
            Self::Embedded(embedded) => embedded.packs.iter().position(|pack| pack.name == name),
            Self::Made(_) => None,
        };
        self.chosen(|head| Some(head.pack) == position, |rule| rule.pack == name)
    }

    /// The rules that are for some files only, by themselves or by their packs.
    pub(super) fn of_some_files(&self) -> Vec<&Arc<Rule>> {
        self.chosen(Head::is_for_some_files, Rule::is_for_some_files)
    }

    /// The rules that compare the document with others of the project.
    pub(super) fn comparing(&self) -> Vec<&Arc<Rule>> {
        self.chosen(Head::compares_documents, |rule| rule.compares_documents)
    }

    fn chosen(&self, head: impl Fn(&Head) -> bool, rule: impl Fn(&Rule) -> bool) -> Vec<&Arc<Rule>> {
        match self {
            Self::Embedded(embedded) => embedded.with(head).collect(),
            Self::Made(rules) => rules.iter().filter(|made| rule(made)).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Ruleset;

    fn ids(rules: &[&Arc<Rule>]) -> Vec<String> {
        rules.iter().map(|rule| rule.id.clone()).collect()
    }

    #[test]
    fn what_heads_say_chooses_the_same_rules() {
        let ruleset = Ruleset::embedded(crate::kinds::Kinds::clone(&crate::kinds::Kinds::builtin()));
        let made = RuleList::Made(Ruleset::builtin().rules().to_vec());
        let list = ruleset.list();
        for kind in ruleset.kinds().names().chain([crate::rules::ENGINE_KIND]) {
            assert_eq!(ids(&list.of_kind(kind)), ids(&made.of_kind(kind)), "{kind}");
        }
        for pack in ruleset.packs() {
            assert_eq!(ids(&list.of_pack(&pack.name)), ids(&made.of_pack(&pack.name)), "{}", pack.name);
            assert!(!list.of_pack(&pack.name).is_empty(), "{}", pack.name);
        }
        assert_eq!(ids(&list.of_some_files()), ids(&made.of_some_files()));
        assert_eq!(ids(&list.comparing()), ids(&made.comparing()));
        assert!(!list.of_some_files().is_empty() && !list.comparing().is_empty());
    }

    #[test]
    fn all_rules_are_ordered_by_id() {
        let ruleset = Ruleset::builtin();
        assert!(ruleset.rules().is_sorted_by(|one, next| one.id < next.id));
    }

    #[test]
    fn a_rule_is_made_once() {
        let ruleset = Ruleset::builtin();
        let one = ruleset.rules_of("markdown")[0];
        let all = ruleset.rules();
        assert!(all.iter().any(|rule| Arc::ptr_eq(rule, one)));
    }
}
