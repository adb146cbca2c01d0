use std::io::ErrorKind;

use crate::{
    engine::pass::{Pass, PassContext},
    kinds::{
        Document, Observation, ReadFile,
        config::{self, KnownOption, KnownRule},
    },
    tree::Node,
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
            options: rule
                .options
                .iter()
                .map(|(name, option)| KnownOption {
                    name,
                    value_type: option.value_type.name(),
                    values: &option.values,
                })
                .collect(),
        });
        let kinds: Vec<&str> = context.ruleset.kinds().names().collect();
        let mut observations = config::unknown_names(document, &known.collect::<Vec<_>>(), &kinds);
        observations.extend(context.options.read.into_iter().flat_map(|read| missing(document, read)));
        observations
    }
}

/// The configurations that a document extends and that are not there.
fn missing(document: &Document, read: ReadFile<'_>) -> Vec<Observation> {
    let is_missing = |path: &str| read(path).is_err_and(|error| error.kind() == ErrorKind::NotFound);
    let extended = document.tree.root().get("extends").into_iter().flat_map(Node::items);
    let observation = |item: Node<'_>| {
        // What is in another repository is looked for where its copy is.
        let file = item.as_str().filter(|file| !file.starts_with("git+"))?;
        let inside = format!("{}/{}", file.trim_end_matches('/'), config::FILE_NAME);
        let seen = Observation::new("extended-unusable", item.span()).on(item.id());
        (is_missing(file) && is_missing(&inside))
            .then(|| seen.with("file", file).with("detail", "there is no such file").with("command", ""))
    };
    extended.filter_map(observation).collect()
}
