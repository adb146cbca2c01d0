use std::{collections::BTreeSet, sync::Arc};

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::{CheckKind, Compiler, Context, Evaluate, Fault, Field, Finding, similar::Similar};
use crate::tree::Node;

/// The keys of the mapping are among those of a schema of the pack and those that are listed. With
/// `similar`, a mapping may have other keys too, unless they are nearly one of them.
///
/// ```yaml
/// check: {keys: {names: [title, author], similar: true}}
/// ```
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Keys {
    /// Known keys; editors propose them first.
    #[serde(default)]
    names: Vec<String>,
    /// Name of a schema of the pack, whose `properties` are known keys.
    file: Option<String>,
    /// JSON Pointer to the subschema that has the `properties`.
    pointer: Option<String>,
    /// Whether only keys that are misspelled known ones are reported.
    #[serde(default)]
    similar: bool,
}

impl CheckKind for Keys {
    const NAME: &'static str = "keys";

    fn compile(self, at: &Field<'_>, compiler: &mut Compiler<'_>) -> Option<Arc<dyn Evaluate>> {
        let mut known: BTreeSet<String> = self.names.iter().cloned().collect();
        if let Some(file) = &self.file {
            let pointer = format!("{}/properties", self.pointer.as_deref().unwrap_or_default());
            let schema = compiler.vocabulary.schemas.get(file);
            let properties =
                schema.and_then(|schema| schema.json().pointer(&pointer)).and_then(Value::as_object);
            let Some(properties) = properties else {
                let detail = format!("the pack has no schema `{file}` with `{pointer}`");
                compiler.report(Fault::new("bad-schema", &at.key("file")).with("detail", detail));
                return None;
            };
            known.extend(properties.keys().cloned());
        }
        let misspelled = self.similar.then(|| known.iter().cloned().collect());
        Some(Arc::new(KnownKeys { known: known.into_iter().collect(), misspelled, first: self.names }))
    }
}

#[derive(Debug)]
struct KnownKeys {
    /// In alphabetical order.
    known: Vec<String>,
    /// The known keys for comparisons, where only misspelled ones are reported.
    misspelled: Option<Similar>,
    /// Keys that editors propose first, in this order.
    first: Vec<String>,
}

impl KnownKeys {
    fn is_known(&self, key: &str) -> bool {
        self.known.binary_search_by(|known| known.as_str().cmp(key)).is_ok()
    }
}

impl Evaluate for KnownKeys {
    fn run<'t>(&self, nodes: &[Node<'t>], context: &Context<'_, 't>) -> Vec<Finding<'t>> {
        let entries = nodes.iter().flat_map(|node| node.entries().map(move |entry| (node, entry)));
        let unknown = entries.filter(|(_, entry)| !self.is_known(entry.key()));
        let finding = |(node, entry): (&Node<'t>, crate::tree::Entry<'t>)| {
            let finding = Finding { span: entry.key_span(), ..Finding::at(entry.value()) };
            context.state.hear_among(finding.source, finding.span, || {
                let mut missing: Vec<String> =
                    self.known.iter().filter(|known| node.entry(known).is_none()).cloned().collect();
                // Keys that are used more often are shorter words.
                missing.sort_by_key(|key| {
                    let position = self.first.iter().position(|first| first == key);
                    (position.unwrap_or(usize::MAX), key.matches(['-', '_']).count(), key.len())
                });
                missing
            });
            let Some(misspelled) = &self.misspelled else {
                return Some(finding.among(entry.key(), self.known.iter().cloned()));
            };
            // A mapping that has both keys means both.
            let meant = misspelled.meant(entry.key()).filter(|meant| node.entry(meant).is_none())?;
            Some(Finding { nearest: Some(meant.clone()), expected: vec![meant.clone()], ..finding })
        };
        context.kept(unknown.filter_map(finding))
    }
}

#[cfg(test)]
mod tests {
    use crate::checks::trial::{faults, findings};

    #[test]
    fn unknown_keys_are_reported() {
        assert_eq!(
            findings("{keys: {names: [title, author]}}", "$", "titel: 1\nx: 2\n"),
            ["/titel titel (title?)", "/x x"]
        );
        assert_eq!(faults("{keys: {file: nothing}}"), ["bad-schema"]);
    }

    #[test]
    fn of_any_keys_only_misspelled_ones_are_reported() {
        let check = "{keys: {names: [title, bibliography, toc, date], similar: true}}";
        assert_eq!(
            findings(check, "$", "titel: 1\nbibliograhpy: 2\ntac: 3\nmine: 4\n"),
            ["/titel titel (title?)", "/bibliograhpy bibliograhpy (bibliography?)"]
        );
        assert_eq!(findings(check, "$", "date: 1\ndata: 2\n"), [""; 0]);
    }
}
