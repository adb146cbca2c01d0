use serde_json::Value;

use crate::{
    kinds::Observation,
    text::nearest,
    tree::{Entry, Node, NodeType},
};

/// Holds a tree to a JSON Schema as `schemars` makes it of plain types, and observes every
/// difference: `unknown-key`, `missing-key`, `wrong-type`, `bad-value`, `out-of-range`. A tree
/// without any can be deserialised into the type.
pub(super) fn check(node: Node<'_>, schema: &Value, observations: &mut Vec<Observation>) {
    let mut shape = Shape { root: schema, observations };
    shape.value(node, schema);
}

struct Shape<'a> {
    root: &'a Value,
    observations: &'a mut Vec<Observation>,
}

impl<'a> Shape<'a> {
    fn value(&mut self, node: Node<'_>, schema: &'a Value) {
        let schema = self.resolve(schema, node.node_type());
        if schema.is_boolean() || self.allowed_values(node, schema) {
            return;
        }
        let types = types(schema);
        if !types.is_empty() && !types.iter().any(|name| has_type(node.node_type(), name)) {
            self.wrong_type(node, types[0]);
            return;
        }
        self.range(node, schema);
        if node.is_mapping() {
            self.object(node, schema);
        }
        if let Some(items) = schema.get("items") {
            node.items().for_each(|item| self.value(item, items));
        }
    }

    /// Follows references, and of alternatives takes the first that fits the type of the value.
    fn resolve(&self, schema: &'a Value, node_type: NodeType) -> &'a Value {
        if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
            let target = reference.strip_prefix('#').and_then(|pointer| self.root.pointer(pointer));
            return target.map_or(schema, |target| self.resolve(target, node_type));
        }
        let Some(branches) = schema.get("anyOf").or_else(|| schema.get("oneOf")).and_then(Value::as_array)
        else {
            return schema;
        };
        if branches.iter().all(|branch| branch.get("const").is_some()) {
            return schema;
        }
        let resolved = || branches.iter().map(|branch| self.resolve(branch, node_type));
        let fits = |branch: &&Value| {
            let types = types(branch);
            types.is_empty() || types.iter().any(|name| has_type(node_type, name))
        };
        let first = resolved().find(|branch| types(branch) != ["null"]);
        resolved().find(fits).or(first).unwrap_or(schema)
    }

    /// Whether the schema lists values, and so nothing else is left to check.
    fn allowed_values(&mut self, node: Node<'_>, schema: &Value) -> bool {
        let constants = |name: &str| {
            let branches = schema.get(name).and_then(Value::as_array)?;
            branches.iter().map(|branch| branch.get("const")).collect::<Option<Vec<&Value>>>()
        };
        let listed = schema.get("enum").and_then(Value::as_array).map(|list| list.iter().collect());
        let Some(allowed) = listed.or_else(|| constants("oneOf")) else { return false };
        let known: Vec<&str> = allowed.into_iter().filter_map(Value::as_str).collect();
        match node.as_str() {
            Some(text) if known.contains(&text) => {}
            Some(text) => {
                let near = nearest(text, known.iter().copied());
                let observation = about("bad-value", node).with("value", text).with("nearest", near);
                self.observations.push(observation.with("expected", known));
            }
            None => self.wrong_type(node, "string"),
        }
        true
    }

    fn wrong_type(&mut self, node: Node<'_>, expected: &str) {
        let observation = about("wrong-type", node).with("expected", expected);
        let observation = observation.with("actual", node.node_type().name());
        self.observations.push(observation.with("value", node.scalar_text().map(String::from)));
    }

    fn range(&mut self, node: Node<'_>, schema: &Value) {
        let Some(value) = node.as_f64() else { return };
        let bound = |name: &str| schema.get(name).and_then(Value::as_f64);
        let (least, most) = (bound("minimum"), bound("maximum"));
        if least.is_some_and(|least| value < least) || most.is_some_and(|most| value > most) {
            let bounds = |name: &str| schema.get(name).cloned().unwrap_or_default();
            let observation = about("out-of-range", node).with("value", node.to_json());
            let observation = observation.with("minimum", bounds("minimum"));
            self.observations.push(observation.with("maximum", bounds("maximum")));
        }
    }

    fn object(&mut self, node: Node<'_>, schema: &'a Value) {
        let properties = schema.get("properties").and_then(Value::as_object);
        let others = schema.get("additionalProperties");
        let known: Vec<&str> = properties.into_iter().flatten().map(|(name, _)| name.as_str()).collect();
        for entry in node.entries() {
            let declared = properties.and_then(|properties| properties.get(entry.key()));
            match (declared, others) {
                (Some(declared), _) => self.value(entry.value(), declared),
                (None, Some(Value::Bool(false))) => self.unknown(node, entry, &known),
                (None, Some(other)) => self.other(node, entry, other, &known),
                (None, None) => {}
            }
        }
        let required = schema.get("required").and_then(Value::as_array);
        let required = required.into_iter().flatten().filter_map(Value::as_str);
        // A key that is there but misspelt is not missing as well.
        let misspelt =
            |key: &str| node.entries().any(|entry| nearest(entry.key(), known.iter().copied()) == Some(key));
        for key in required.filter(|key| node.get(key).is_none() && !misspelt(key)) {
            let observation = Observation::new("missing-key", node.span()).on(node.id());
            self.observations.push(observation.with("key", key));
        }
    }

    /// A key that names something of the user's, such as a rule: when its value cannot be that and
    /// the key is like a known one, the key is misspelt.
    fn other(&mut self, node: Node<'_>, entry: Entry<'_>, schema: &'a Value, known: &[&str]) {
        let before = self.observations.len();
        self.value(entry.value(), schema);
        let wrong = self.observations[before..]
            .iter()
            .any(|o| o.name == "wrong-type" && o.node == Some(entry.value().id()));
        if wrong && nearest(entry.key(), known.iter().copied()).is_some() {
            self.observations.truncate(before);
            self.unknown(node, entry, known);
        }
    }

    fn unknown(&mut self, node: Node<'_>, entry: Entry<'_>, known: &[&str]) {
        let near = nearest(entry.key(), known.iter().copied());
        let observation = Observation::new("unknown-key", entry.key_span()).on(entry.value().id());
        let observation = observation.with("key", entry.key()).with("nearest", near);
        let section = node.pointer().trim_start_matches('/').replace('/', ".");
        self.observations.push(observation.with("section", section).with("known", known.to_vec()));
    }
}

/// An observation on a value, with the key it belongs to: its own, or that of the list it is in.
fn about(name: &'static str, node: Node<'_>) -> Observation {
    let key = node.ancestors().find_map(Node::key).unwrap_or_default();
    Observation::new(name, node.span()).on(node.id()).with("key", key)
}

fn types(schema: &Value) -> Vec<&str> {
    match schema.get("type") {
        None if schema.get("enum").or_else(|| schema.get("oneOf")).is_some() => vec!["string"],
        Some(Value::String(name)) => vec![name],
        Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}

fn has_type(node_type: NodeType, name: &str) -> bool {
    node_type.name() == name || (node_type == NodeType::Integer && name == "number")
}
