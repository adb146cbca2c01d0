use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::{CheckKind, Compiler, Context, Evaluate, Fault, Field, Finding};
use crate::{
    budget,
    schema::{
        MISSPELLED, SchemaDocument, SchemaError, Subschema, Violation, errors, evaluate, schema_of_schemas,
    },
    tree::Node,
};

/// A JSON Schema (2020-12) holds at the node: one written here or one that the pack names. Every mistake is one
/// finding; see [Schemas](#schemas).
///
/// ```yaml
/// check: {schema: {schema: {type: number, exclusiveMinimum: 0}}}
/// ```
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Schema {
    /// The schema itself.
    #[serde(default)]
    #[schemars(schema_with = "schema_of_schemas")]
    #[allow(clippy::struct_field_names, reason = "the name of the field in rule files")]
    schema: Option<Value>,
    /// Name of a schema of the pack.
    file: Option<String>,
    /// JSON Pointer to a subschema of that file.
    pointer: Option<String>,
    /// The errors that this rule reports, by schema keyword or by the name that `x-fault` gives them
    /// (default: all).
    #[serde(default)]
    keywords: Vec<String>,
}

/// The values of the findings of schemas.
pub(super) const SCHEMA_VALUES: &[(&str, &str)] = &[
    ("keyword", "the schema keyword that fails"),
    ("property", "the key of the value, or the key that is missing or not allowed"),
    ("field", "the key of the value, or of the list that it is in"),
    ("detail", "what must hold, as a clause"),
    ("actual", "the type of the value, for `type`"),
    ("expects", "the expected types with spaces between them, for `type`"),
    ("bound", "the bound that is violated"),
    ("minimum", "the least number, for `minimum` and `maximum`"),
    ("maximum", "the greatest number, for `minimum` and `maximum`"),
    (
        "keys",
        "the keys of the mapping, for `maxProperties`; those that it can have, for `type` where only a mapping is expected",
    ),
    ("allowed", "all allowed values, for `enum` and `const`"),
    ("owner", "the `title` of the subschema around the value"),
    ("likely", "the branch whose keys the mapping has, for `discriminator`"),
    ("indent", "the spaces before the first key of the mapping, for `discriminator-missing`"),
];

impl CheckKind for Schema {
    const NAME: &'static str = "schema";
    const VALUES: &'static [(&'static str, &'static str)] = SCHEMA_VALUES;
    const PLACES: &'static [(&'static str, &'static str)] = &[
        ("inside", "before the first key of the mapping, for `discriminator-missing`"),
        ("opening", "the key of a list or mapping of the wrong type that begins on a later line"),
    ];

    fn compile(self, at: &Field<'_>, compiler: &mut Compiler<'_>) -> Option<Arc<dyn Evaluate>> {
        let schema = self.subschema(at, compiler)?;
        if compiler.deep
            && let Err(errors) = schema.structure()
        {
            self.report(errors, at, compiler);
            return None;
        }
        Some(Arc::new(Conforms { schema, keywords: self.keywords }))
    }
}

impl Schema {
    /// Errors of a schema in the rule are reported at their place in it; the other schemas of the pack report
    /// theirs in their own files.
    fn report(&self, errors: &[SchemaError], at: &Field<'_>, compiler: &mut Compiler<'_>) {
        if self.schema.is_some() {
            for error in errors {
                let pointer = format!("{}{}", at.key("schema").pointer(), error.pointer);
                let fault = Fault::new("bad-schema", pointer);
                compiler.report(fault.with("detail", error.problem.to_string()));
            }
        } else if let Some(error) = errors.first() {
            let missing = self.pointer.as_ref() == Some(&error.pointer);
            let field = at.key(if missing { "pointer" } else { "file" });
            compiler.report(Fault::new("bad-schema", &field).with("detail", error.to_string()));
        }
    }

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
    /// Names of the errors that count; all when empty.
    keywords: Vec<String>,
}

impl Evaluate for Conforms {
    fn run<'t>(&self, nodes: &[Node<'t>], context: &Context<'_, 't>) -> Vec<Finding<'t>> {
        context.kept(nodes.iter().flat_map(|node| self.findings(*node, context)))
    }
}

impl Conforms {
    fn wants(&self, name: &str) -> bool {
        is_wanted(&self.keywords, name)
    }

    fn findings<'t>(&self, node: Node<'t>, context: &Context<'_, 't>) -> Vec<Finding<'t>> {
        if !budget::is_left() {
            return Vec::new();
        }
        // A schema is compiled for all documents: the budget of the first one does not decide about it.
        let Ok(structure) = self.schema.structure() else { return Vec::new() };
        let schema = std::ptr::from_ref(structure) as usize;
        let advises = self.keywords.iter().any(|keyword| keyword == MISSPELLED);
        let evaluate = if advises { evaluate } else { errors };
        let all = context.state.violations((schema, node.id(), advises), node, || evaluate(structure, node));
        context.state.count(all.further(|name| self.wants(name)));
        all.iter().filter(|violation| self.wants(&violation.name)).map(finding).collect()
    }
}

/// Whether errors of a name are reported, where the rule lists `keywords`.
pub(super) fn is_wanted(keywords: &[String], name: &str) -> bool {
    match keywords {
        [] => name != MISSPELLED,
        wanted => wanted.iter().any(|wanted| wanted == name),
    }
}

/// An error as a finding.
pub(super) fn finding<'t>(violation: &Violation<'t>) -> Finding<'t> {
    let mut finding = Finding {
        span: violation.span,
        places: violation.places.clone(),
        expected: violation.expected.clone(),
        nearest: violation.nearest.clone(),
        values: violation.values.clone(),
        ..Finding::at(violation.node)
    };
    let field = violation.node.ancestors().find_map(Node::key).map_or(Value::Null, Value::from);
    finding = finding.with("keyword", violation.keyword).with("detail", violation.detail.as_str());
    finding.with("field", field)
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
        assert_eq!(faults("{schema: {file: product}}"), ["bad-schema"]);
    }
}
