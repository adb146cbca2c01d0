use crate::{engine::finding::Finding, tree::Node};

/// `required`: the mapping has these keys (or `any` of them). Other values are not its business.
pub(super) fn missing<'t>(keys: &[String], any: bool, node: Node<'t>) -> Vec<Finding<'t>> {
    if !node.is_mapping() {
        return Vec::new();
    }
    let present = |key: &String| node.entry(key).is_some();
    let finding = |missing: String| {
        let written: Vec<String> = node.entries().map(|entry| entry.key().to_owned()).collect();
        // A near miss among the keys that are there is likely the missing one, misspelt.
        let near = crate::text::nearest(&missing, written.iter().map(String::as_str)).map(str::to_owned);
        let finding = Finding::at_key(node).with("missing", missing);
        Finding { nearest: near, ..finding }
    };
    if any {
        return if keys.iter().any(present) { Vec::new() } else { vec![finding(keys.join("`, `"))] };
    }
    keys.iter().filter(|key| !present(key)).map(|key| finding(key.clone())).collect()
}

/// `forbidden`: none of these keys is there; without keys: the node itself is not.
pub(super) fn forbidden<'t>(keys: Option<&[String]>, node: Node<'t>) -> Vec<Finding<'t>> {
    let Some(keys) = keys else { return vec![Finding::at(node)] };
    let entries = node.entries().filter(|entry| keys.iter().any(|key| key == entry.key()));
    entries.map(|entry| Finding { span: entry.key_span(), ..Finding::at(entry.value()) }).collect()
}
