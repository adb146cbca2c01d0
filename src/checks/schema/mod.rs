mod structure;

use std::{collections::HashSet, sync::Arc};

use jsonschema::{ValidationError, error::ValidationErrorKind};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::{CheckKind, Compiler, Context, Evaluate, Fault, Field, Finding};
use crate::{
    schema::{KEYWORDS, SchemaDocument, Subschema, unknown_keywords},
    text::{clip, nearest},
    tree::{Node, Tree},
};

/// A JSON Schema (2020-12) holds at the node: one written here or one that the pack names. One finding
/// per error; a union reports the errors of the branch that fits best. See
/// [Schemas with variants](#schemas-with-variants) for schemas with `discriminator`.
///
/// ```yaml
/// check: {schema: {schema: {type: number, exclusiveMinimum: 0}}}
/// ```
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[expect(clippy::struct_field_names, reason = "the field has the name that rule files use")]
pub(super) struct Schema {
    /// The schema itself.
    schema: Option<Value>,
    /// Name of a schema of the pack.
    file: Option<String>,
    /// JSON Pointer to a subschema of that file.
    pointer: Option<String>,
    /// The schema keywords whose errors this rule reports; all when absent.
    #[serde(default)]
    keywords: Vec<String>,
}

impl CheckKind for Schema {
    const NAME: &'static str = "schema";
    const VALUES: &'static [(&'static str, &'static str)] = &[
        ("keyword", "the schema keyword that fails"),
        ("property", "the key of the value, or the key that is missing"),
        ("detail", "more about the error"),
        ("owner", "the `title` of the subschema around the value, for schemas with variants"),
        ("expects", "the expected types, for schemas with variants"),
        ("indent", "the spaces before the first key of the mapping, for schemas with variants"),
    ];
    const PLACES: &'static [(&'static str, &'static str)] =
        &[("inside", "before the first key of the mapping, for schemas with variants")];

    fn compile(self, at: &Field<'_>, compiler: &mut Compiler<'_>) -> Option<Arc<dyn Evaluate>> {
        let schema = self.subschema(at, compiler)?;
        if compiler.deep {
            let detail = match schema.structure() {
                Some(structure) => structure.as_ref().err(),
                None => schema.validator().err(),
            };
            if let Some(detail) = detail {
                compiler.report(Fault::new("bad-schema", at).with("detail", detail.as_str()));
                return None;
            }
            for (pointer, keyword) in self.schema.iter().flat_map(unknown_keywords) {
                let pointer = format!("{}/schema{pointer}", at.pointer());
                let fault = Fault::new("unknown-schema-keyword", &Field::at(&pointer).key(&keyword)).of_key();
                let fault = fault.with("keyword", keyword.as_str());
                compiler.report(fault.among(&keyword, KEYWORDS.iter().copied()));
            }
        }
        Some(Arc::new(Conforms { schema, keywords: self.keywords }))
    }
}

impl Schema {
    fn subschema(&self, at: &Field<'_>, compiler: &mut Compiler<'_>) -> Option<Arc<Subschema>> {
        let pointer = self.pointer.as_deref().unwrap_or_default();
        match (&self.schema, &self.file) {
            (Some(schema), None) => Some(SchemaDocument::new(schema.clone()).part(pointer)),
            (None, Some(file)) => {
                let schemas = &compiler.vocabulary.schemas;
                if let Some(schema) = schemas.get(file) {
                    return Some(schema.part(pointer));
                }
                let known: Vec<&str> = schemas.keys().map(String::as_str).collect();
                let detail = format!("the pack has no schema `{file}`, only: {}", known.join(", "));
                compiler.report(Fault::new("bad-schema", &at.key("file")).with("detail", detail));
                None
            }
            _ => {
                let detail = "give either `schema` or `file`";
                compiler.report(Fault::new("bad-schema", at).with("detail", detail));
                None
            }
        }
    }
}

#[derive(Debug)]
struct Conforms {
    /// The schema, shared by the rules that report errors of it.
    schema: Arc<Subschema>,
    /// Keywords whose errors count; all when empty.
    keywords: Vec<String>,
}

/// Most characters that are kept of what the library says of an error.
const DETAIL: usize = 400;

impl Evaluate for Conforms {
    fn run<'t>(&self, nodes: &[Node<'t>], context: &Context<'_, 't>) -> Vec<Finding<'t>> {
        nodes.iter().flat_map(|node| self.findings(*node, context)).collect()
    }
}

impl Conforms {
    fn wants(&self, keyword: &str) -> bool {
        self.keywords.is_empty() || self.keywords.iter().any(|wanted| wanted == keyword)
    }

    fn findings<'t>(&self, node: Node<'t>, context: &Context<'_, 't>) -> Vec<Finding<'t>> {
        if let Some(Ok(structure)) = self.schema.structure() {
            let key = (std::ptr::from_ref(structure) as usize, node.id());
            let all = context.state.structure(key, || structure::evaluate(structure, node));
            return all.iter().filter(|(name, _)| self.wants(name)).map(|(_, f)| f.clone()).collect();
        }
        let Ok(validator) = self.schema.validator() else { return Vec::new() };
        let json = node.to_json();
        if validator.is_valid(&json) {
            return Vec::new();
        }
        let base = node.pointer();
        let mut findings = Vec::new();
        for error in validator.iter_errors(&json) {
            report(&error, node.tree(), &base, self.schema.document(), &mut findings);
        }
        findings.retain(|finding| {
            let keyword = finding.values.iter().find(|(name, _)| *name == "keyword");
            self.wants(keyword.and_then(|(_, value)| value.as_str()).unwrap_or_default())
        });
        findings.sort_by_key(|finding| finding.span);
        findings
    }
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
            let near = nearest(&name, near.iter().map(String::as_str)).map(str::to_owned);
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

#[cfg(test)]
mod tests {
    use crate::checks::trial::{faults, findings};

    #[test]
    fn errors_are_reported_at_their_values() {
        let check = "{schema: {schema: {items: {required: [id], properties: {n: {minimum: 1}}}}}}";
        assert_eq!(findings(check, "$", "[{id: a, n: 0}, {n: 1}]"), ["/0/n 0", "/1 n"]);
        let only = "{schema: {schema: {items: {required: [id]}, maxItems: 1}, keywords: [maxItems]}}";
        assert_eq!(findings(only, "$", "[{}, {}]"), [" [{}, {}]"]);
        assert_eq!(faults("{schema: {schema: {requird: []}}}"), ["unknown-schema-keyword"]);
        assert_eq!(faults("{schema: {file: product}}"), ["bad-schema"]);
    }
}
