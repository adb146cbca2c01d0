use crate::{
    engine::pass::{Pass, PassContext},
    kinds::{
        Document, Observation,
        config::{self, KnownRule},
    },
};

/// Looks up the rules, options and kinds that a configuration names.
pub(super) struct ConfigurationPass;

impl Pass for ConfigurationPass {
    fn kind(&self) -> &'static str {
        config::NAME
    }

    fn observe(&self, document: &Document, context: &PassContext<'_>) -> Vec<Observation> {
        let known = context.ruleset.rules().iter().map(|rule| KnownRule {
            id: &rule.id,
            name: &rule.name,
            pack: &rule.pack,
            tags: rule.tags.iter().map(String::as_str).collect(),
            options: rule.options.iter().map(|(name, (kind, ..))| (name.as_str(), kind.name())).collect(),
        });
        let kinds: Vec<&str> = context.ruleset.kinds().names().collect();
        config::unknown_names(document, &known.collect::<Vec<_>>(), &kinds)
    }
}
