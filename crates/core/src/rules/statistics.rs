use serde::Serialize;

use super::{Rule, Ruleset, Status};

/// How the rules of a pack find what is wrong.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct PackStatistics {
    /// Name of the pack.
    pub pack: String,
    /// Number of rules, without removed ones.
    pub rules: usize,
    /// Rules whose check says in the rule file what is wrong.
    pub declarative: usize,
    /// Rules that report an observation of the document's reader: `syntax` and `fact`.
    pub observations: usize,
    /// Number of these rules that report an error production: what a grammar, and not Rust code, matches.
    pub productions: usize,
}

impl Ruleset {
    /// The statistics of every pack, by name.
    #[doc(hidden)]
    pub fn statistics(&self) -> Vec<PackStatistics> {
        let mut packs: Vec<PackStatistics> = self
            .packs()
            .iter()
            .map(|pack| PackStatistics { pack: pack.name.clone(), ..PackStatistics::default() })
            .collect();
        packs.sort_by(|a, b| a.pack.cmp(&b.pack));
        for rule in self.rules().iter().filter(|rule| rule.status != Status::Removed) {
            let Some(pack) = packs.iter_mut().find(|pack| pack.pack == rule.pack) else { continue };
            pack.rules += 1;
            if rule.check.is_declarative() {
                pack.declarative += 1;
            } else {
                pack.observations += 1;
                pack.productions += usize::from(self.reports_production(rule));
            }
        }
        packs
    }

    /// Whether a rule reports an error production of the grammar of its kind.
    fn reports_production(&self, rule: &Rule) -> bool {
        let Some((_, name)) = rule.observed() else { return false };
        let mut kinds = rule.kinds.iter().filter_map(|kind| self.kinds().get(kind));
        kinds.any(|kind| kind.productions().contains(&name))
    }
}

impl PackStatistics {
    /// The sum of several packs.
    pub fn total<'p>(packs: impl IntoIterator<Item = &'p Self>) -> Self {
        let mut total = Self { pack: "total".into(), ..Self::default() };
        for pack in packs {
            total.rules += pack.rules;
            total.declarative += pack.declarative;
            total.observations += pack.observations;
            total.productions += pack.productions;
        }
        total
    }

    /// Number of rules that report what Rust code observes.
    pub fn in_code(&self) -> usize {
        self.observations - self.productions
    }

    /// The share of declarative rules, in percent.
    pub fn percent(&self) -> usize {
        (self.declarative * 100).checked_div(self.rules).unwrap_or_default()
    }
}
