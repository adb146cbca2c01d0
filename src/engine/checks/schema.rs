use std::collections::HashSet;

use jsonschema::{ValidationError, error::ValidationErrorKind};
use serde_json::Value;

use super::Context;
use crate::{
    engine::finding::Finding,
    rules::check::Schema,
    text::clip,
    tree::{Node, Tree},
};

/// Most characters that are kept of what the library says of an error.
const DETAIL: usize = 400;

/// `schema`: a JSON Schema holds at the node. One finding an error, surplus keys one each; a union
/// speaks by the branch that fits best.
pub(super) fn run<'t>(schema: &Schema, node: Node<'t>, context: &Context<'_, 't>) -> Vec<Finding<'t>> {
    if let Some(Ok(structure)) = schema.schema.structure() {
        let key = (std::ptr::from_ref(structure) as usize, node.id());
        let all = context.state.structure(key, || super::structure::evaluate(structure, node));
        let wanted = |name: &str| schema.keywords.is_empty() || schema.keywords.iter().any(|k| k == name);
        return all.iter().filter(|(name, _)| wanted(name)).map(|(_, finding)| finding.clone()).collect();
    }
    let Ok(validator) = schema.schema.validator() else { return Vec::new() };
    let json = node.to_json();
    if validator.is_valid(&json) {
        return Vec::new();
    }
    let base = node.pointer();
    let mut findings = Vec::new();
    for error in validator.iter_errors(&json) {
        report(&error, node.tree(), &base, schema.schema.document(), &mut findings);
    }
    findings.retain(|finding| {
        let keyword = finding.values.iter().find(|(name, _)| *name == "keyword");
        let keyword = keyword.and_then(|(_, value)| value.as_str()).unwrap_or_default();
        schema.keywords.is_empty() || schema.keywords.iter().any(|wanted| wanted == keyword)
    });
    findings.sort_by_key(|finding| finding.span);
    findings
}

fn report<'t>(
    error: &ValidationError<'_>,
    tree: &'t Tree,
    base: &str,
    schema: &Value,
    findings: &mut Vec<Finding<'t>>,
) {
    let pointer = format!("{base}{}", error.instance_path());
    let Some(node) = tree.at_pointer(&pointer) else { return };
    let keyword = error.kind().keyword().to_owned();
    // The error tells all keys that are too many, and each of them becomes a finding.
    let detail = clip(&error.to_string(), DETAIL).into_owned();
    let finding = |node| {
        Finding::at(node)
            .with("keyword", keyword.as_str())
            .with("detail", detail.as_str())
            .with("property", node_key(node))
    };
    match error.kind() {
        ValidationErrorKind::AdditionalProperties { unexpected }
        | ValidationErrorKind::UnevaluatedProperties { unexpected } => {
            let unexpected: HashSet<&str> = unexpected.iter().map(String::as_str).collect();
            let present: HashSet<&str> = node.entries().map(|entry| entry.key()).collect();
            let mut absent = known_properties(schema, &error.schema_path().to_string());
            absent.retain(|name| !present.contains(name.as_str()));
            for entry in node.entries().filter(|entry| unexpected.contains(entry.key())) {
                let finding = Finding { span: entry.key_span(), ..finding(entry.value()) };
                findings.push(finding.among(entry.key(), absent.iter().cloned()));
            }
        }
        ValidationErrorKind::Required { property } => {
            let name = property.as_str().unwrap_or_default().to_owned();
            let near = node.entries().map(|entry| entry.key().to_owned()).collect::<Vec<_>>();
            let near = crate::text::nearest(&name, near.iter().map(String::as_str)).map(str::to_owned);
            let place = Finding::at_key(node).span;
            let mut finding = Finding { span: place, nearest: near, ..finding(node) };
            finding.values.retain(|(name, _)| *name != "property");
            findings.push(finding.with("property", name));
        }
        ValidationErrorKind::Enum { options } => {
            let values = options.as_array().map(Vec::as_slice).unwrap_or_default();
            let values =
                values.iter().map(|value| value.as_str().map_or_else(|| value.to_string(), str::to_owned));
            let word = node.scalar_text().unwrap_or_default().into_owned();
            findings.push(finding(node).among(&word, values));
        }
        ValidationErrorKind::Type { kind } => {
            let expected = match kind {
                jsonschema::error::TypeKind::Single(single) => vec![single.to_string()],
                jsonschema::error::TypeKind::Multiple(types) => types.iter().map(|t| t.to_string()).collect(),
            };
            findings.push(Finding { expected, ..finding(node) });
        }
        ValidationErrorKind::AnyOf { context } | ValidationErrorKind::OneOfNotValid { context } => {
            if let Some(values) = constants(context) {
                let word = node.scalar_text().unwrap_or_default().into_owned();
                let mut finding = finding(node).among(&word, values);
                finding.values.retain(|(name, _)| *name != "keyword");
                findings.push(finding.with("keyword", "enum"));
                return;
            }
            match best_branch(context) {
                Some(branch) => {
                    for error in branch {
                        report(error, tree, base, schema, findings);
                    }
                }
                None => findings.push(finding(node)),
            }
        }
        _ => findings.push(finding(node)),
    }
}

fn node_key(node: Node<'_>) -> Value {
    node.key().map_or(Value::Null, Value::from)
}

/// The property names that the schema knows where `additionalProperties` at `schema_path` forbids
/// others.
fn known_properties(schema: &Value, schema_path: &str) -> Vec<String> {
    let parent = schema_path.rsplit_once('/').map_or("", |(parent, _)| parent);
    // Evaluation passes through references; the place in the document starts behind the last one.
    let mut place = schema;
    for token in parent.split('/').skip(1) {
        let token = token.replace("~1", "/").replace("~0", "~");
        while let Some(target) = place.get("$ref").and_then(Value::as_str).and_then(|r| r.strip_prefix('#')) {
            let Some(found) = schema.pointer(target) else { break };
            place = found;
        }
        if token == "$ref" {
            continue;
        }
        let index = token.parse::<usize>().ok();
        let next = place.get(&token).or_else(|| place.get(index?));
        let Some(next) = next else { return Vec::new() };
        place = next;
    }
    while let Some(target) = place.get("$ref").and_then(Value::as_str).and_then(|r| r.strip_prefix('#')) {
        let Some(found) = schema.pointer(target) else { break };
        place = found;
    }
    let properties = place.get("properties").and_then(Value::as_object);
    properties.map(|properties| properties.keys().cloned().collect()).unwrap_or_default()
}

/// The values of a union of constants, which is how an enumeration with documented values is written.
fn constants(branches: &[Vec<ValidationError<'static>>]) -> Option<Vec<String>> {
    let constant = |errors: &Vec<ValidationError<'static>>| match errors.as_slice() {
        [error] => match error.kind() {
            ValidationErrorKind::Constant { expected_value } => {
                Some(expected_value.as_str().map_or_else(|| expected_value.to_string(), str::to_owned))
            }
            _ => None,
        },
        _ => None,
    };
    branches.iter().map(constant).collect()
}

/// The branch of a union that was likely meant: no failing `const`, then no type fault at the top,
/// then the fewest errors. Nothing when no branch is better than saying that none fits.
fn best_branch<'e>(branches: &'e [Vec<ValidationError<'static>>]) -> Option<&'e [ValidationError<'static>]> {
    let cost = |errors: &[ValidationError<'_>]| {
        let depth = errors.iter().map(|error| error.instance_path().to_string().len()).min().unwrap_or(0);
        let constant = errors.iter().any(|e| matches!(e.kind(), ValidationErrorKind::Constant { .. }));
        let wrong_type = errors.iter().any(|e| {
            matches!(e.kind(), ValidationErrorKind::Type { .. })
                && e.instance_path().to_string().len() == depth
        });
        (constant, wrong_type, errors.len())
    };
    let best = branches.iter().min_by_key(|errors| cost(errors))?;
    let (constant, wrong_type, _) = cost(best);
    (!constant && !wrong_type && !best.is_empty()).then_some(best.as_slice())
}
