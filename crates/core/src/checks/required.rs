use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;

use super::{CheckKind, Compiler, Context, Evaluate, Fault, Field, Finding};
use crate::{
    text::nearest,
    tree::{Entry, Key, Node},
};

/// The mapping has these keys: one, all of a list, or at least one of `any`. Values that are not
/// mappings pass.
///
/// ```yaml
/// check: {required: [sku, price]}
/// ```
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(untagged, deny_unknown_fields)]
pub(super) enum Required {
    /// One key.
    One(String),
    /// All of these keys.
    All(Vec<String>),
    /// At least one of these keys.
    Any {
        /// The keys.
        any: Vec<String>,
    },
}

impl CheckKind for Required {
    const NAME: &'static str = "required";
    const VALUES: &'static [(&'static str, &'static str)] = &[("missing", "the key that is missing")];
    const PLACES: &'static [(&'static str, &'static str)] = &[("nearest", "a similar key that is there")];

    const READS_TEXT: bool = false;

    fn compile(self, at: &Field<'_>, compiler: &mut Compiler<'_>) -> Option<Arc<dyn Evaluate>> {
        let (keys, any) = match self {
            Self::One(key) => (vec![key], false),
            Self::All(keys) => (keys, false),
            Self::Any { any } => (any, true),
        };
        if keys.is_empty() {
            compiler.report(Fault::new("bad-bounds", at).with("detail", "name at least one key"));
            return None;
        }
        Some(Arc::new(Keys { keys: keys.into_iter().map(Key::new).collect(), any }))
    }
}

#[derive(Debug)]
struct Keys {
    keys: Vec<Key>,
    /// Whether one of them is enough.
    any: bool,
}

impl Keys {
    /// Whether a mapping has them.
    fn are_present(&self, node: Node<'_>) -> bool {
        let mut present = self.keys.iter().map(|key| node.entry_of(key).is_some());
        if self.any { present.any(|present| present) } else { present.all(|present| present) }
    }

    fn missing<'t>(&self, node: Node<'t>) -> Vec<Finding<'t>> {
        if self.are_present(node) {
            return Vec::new();
        }
        if self.any {
            return vec![finding(node, &self.keys)];
        }
        let missing = self.keys.iter().filter(|key| node.entry_of(key).is_none());
        missing.map(|key| finding(node, std::slice::from_ref(key))).collect()
    }
}

impl Evaluate for Keys {
    fn run<'t>(&self, nodes: &[Node<'t>], context: &Context<'_, 't>) -> Vec<Finding<'t>> {
        let mappings = nodes.iter().filter(|node| node.is_mapping());
        context.kept(mappings.flat_map(|node| self.missing(*node)))
    }

    fn holds<'t>(&self, node: Node<'t>, _: &Context<'_, 't>) -> bool {
        !node.is_mapping() || self.are_present(node)
    }

    fn looks_at_each(&self) -> bool {
        true
    }
}

fn finding<'t>(node: Node<'t>, missing: &[Key]) -> Finding<'t> {
    let missing: Vec<&str> = missing.iter().map(|key| &**key).collect();
    // A similar key that is there is likely the missing one, misspelled.
    let similar = |entry: &Entry<'t>| nearest(entry.key(), missing.iter().copied()).is_some();
    let near = node.entries().find(similar);
    let finding = Finding::at_key(node).with("missing", missing.join("`, `"));
    match near {
        Some(entry) => {
            let nearest = Some(entry.key().to_owned());
            Finding { nearest, ..finding.place("nearest", entry.key_span()) }
        }
        None => finding,
    }
}

#[cfg(test)]
mod tests {
    use crate::checks::trial::findings;

    #[test]
    fn missing_keys_are_reported_each_with_a_similar_key() {
        let text = "products:\n- {skuu: 1}\n- {sku: 2, price: 3}\n";
        let found = findings("{required: [sku, price]}", "$.products[*]", text);
        assert_eq!(found, ["/products/0 skuu (skuu?)", "/products/0 skuu"]);
        assert_eq!(findings("{required: {any: [sku, skuu]}}", "$.products[*]", text), [""; 0]);
    }
}
