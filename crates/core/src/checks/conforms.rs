use std::sync::Arc;

use foldhash::{HashMap, HashMapExt};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    CheckKind, Compiler, Context, Evaluate, Field, Finding, OneOrMany,
    schema::{SCHEMA_VALUES, finding, is_wanted},
};
use crate::{
    budget,
    schema::{Dialect, ShapeId, Structure, evaluate_at},
    tree::{JsonPath, Node, NodeId},
};

/// Values of the document conform to a JSON Schema that is in the document too. References of the schema may lead
/// anywhere in its file; a part that cannot be used, such as a reference to another file, allows every value. Every
/// mistake is one finding; see [Schemas](#schemas).
///
/// ```yaml
/// check: {conforms: {of: '@.example', to: '@.schema', dialect: openapi-3.0}}
/// ```
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Conforms {
    /// Path, or paths, to the values (default: the node itself).
    of: Option<OneOrMany<String>>,
    /// Path to the schema (default: the node itself).
    to: Option<String>,
    /// How the schema is written.
    #[serde(default)]
    dialect: Written,
    /// Required keys whose schema has one of these keywords with the value `true` may be missing, such as `readOnly`.
    #[serde(default)]
    optional: Vec<String>,
    /// The errors that this rule reports, by schema keyword (default: all).
    #[serde(default)]
    keywords: Vec<String>,
}

/// Dialects of schemas in documents.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
enum Written {
    /// JSON Schema 2020-12.
    #[default]
    #[serde(rename = "2020-12")]
    Draft2020,
    /// The schema object of OpenAPI 3.0: `nullable`, and booleans for `exclusiveMinimum` and `exclusiveMaximum`.
    #[serde(rename = "openapi-3.0")]
    OpenApi30,
    /// The schema object of OpenAPI 2.0: as that of 3.0, with `x-nullable`.
    #[serde(rename = "openapi-2.0")]
    OpenApi20,
    /// The schema object of the version of OpenAPI that the document is written in.
    #[serde(rename = "openapi")]
    OpenApi,
}

impl Written {
    /// The dialect of schemas in a document.
    fn dialect(self, document: Node<'_>) -> Dialect {
        match self {
            Self::Draft2020 => Dialect::default(),
            Self::OpenApi30 => Dialect { nullable: Some("nullable"), ..Dialect::early() },
            Self::OpenApi20 => Dialect { nullable: Some("x-nullable"), ..Dialect::early() },
            Self::OpenApi => Self::of(document).dialect(document),
        }
    }

    /// The dialect of the version that a document names.
    fn of(document: Node<'_>) -> Self {
        let version = document.get("openapi").and_then(Node::scalar_text);
        match version {
            Some(version) if version.starts_with("3.0") => Self::OpenApi30,
            None if document.get("swagger").is_some() => Self::OpenApi20,
            _ => Self::Draft2020,
        }
    }
}

impl CheckKind for Conforms {
    const NAME: &'static str = "conforms";
    const VALUES: &'static [(&'static str, &'static str)] = SCHEMA_VALUES;
    const PLACES: &'static [(&'static str, &'static str)] = &[];

    fn compile(self, at: &Field<'_>, compiler: &mut Compiler<'_>) -> Option<Arc<dyn Evaluate>> {
        let of = compiler.paths(self.of.as_ref(), &at.key("of"));
        let to = self.to.and_then(|to| compiler.path(&to, &at.key("to")));
        let (dialect, optional) = (self.dialect, self.optional);
        Some(Arc::new(Instances { of, to, dialect, optional, keywords: self.keywords }))
    }
}

#[derive(Debug)]
struct Instances {
    /// Paths to the values; the node itself when empty.
    of: Vec<JsonPath>,
    to: Option<JsonPath>,
    dialect: Written,
    /// Keywords of required keys that may be missing.
    optional: Vec<String>,
    /// Names of the errors that count; all when empty.
    keywords: Vec<String>,
}

impl Evaluate for Instances {
    /// The schemas of one file are compiled together: they share most of their parts.
    fn run<'t>(&self, nodes: &[Node<'t>], context: &Context<'_, 't>) -> Vec<Finding<'t>> {
        let pairs: Vec<(Node<'t>, Vec<Node<'t>>)> = nodes
            .iter()
            .filter_map(|node| Some((self.schema(*node)?, self.values(*node))))
            .filter(|(_, values)| !values.is_empty())
            .collect();
        let mut by_file: HashMap<NodeId, Vec<Node<'t>>> = HashMap::new();
        for (schema, _) in &pairs {
            by_file.entry(file(*schema).id()).or_default().push(*schema);
        }
        let compiled: HashMap<NodeId, Compiled> =
            by_file.into_iter().map(|(root, schemas)| (root, self.compiled(&schemas, context))).collect();
        let mut findings = Vec::new();
        for (schema, values) in &pairs {
            let Some(of_file) = compiled.get(&file(*schema).id()) else { continue };
            let Some((structure, shape)) = of_file.shape(*schema) else { continue };
            for value in values {
                context.keep(self.findings(structure, shape, *value), &mut findings);
            }
        }
        findings
    }
}

/// The schemas of one file, compiled.
#[derive(Default)]
struct Compiled {
    structure: Option<Structure>,
    shapes: HashMap<NodeId, ShapeId>,
}

impl Compiled {
    fn shape(&self, schema: Node<'_>) -> Option<(&Structure, ShapeId)> {
        Some((self.structure.as_ref()?, *self.shapes.get(&schema.id())?))
    }
}

impl Instances {
    fn schema<'t>(&self, node: Node<'t>) -> Option<Node<'t>> {
        self.to.as_ref().map_or(Some(node), |to| to.first(node))
    }

    fn values<'t>(&self, node: Node<'t>) -> Vec<Node<'t>> {
        if self.of.is_empty() { vec![node] } else { self.of.iter().flat_map(|of| of.select(node)).collect() }
    }

    fn compiled<'t>(&self, schemas: &[Node<'t>], context: &Context<'_, 't>) -> Compiled {
        let Some(first) = schemas.first() else { return Compiled::default() };
        let root = file(*first);
        // Each node of the file is looked at for the copy and for the compilation.
        if !budget::charge(2 * root.tree().len() as u64) {
            return Compiled::default();
        }
        let dialect = self.dialect.dialect(context.state.tree().root());
        let dialect = Dialect { optional: self.optional.clone(), ..dialect };
        let document = context.state.schemas_of(root, &dialect);
        let pointers: Vec<String> = schemas.iter().map(|schema| schema.pointer()).collect();
        let Some((structure, shapes)) = Structure::inside(&document, &pointers) else {
            return Compiled::default();
        };
        let shapes = schemas.iter().map(|schema| schema.id()).zip(shapes).collect();
        Compiled { structure: Some(structure), shapes }
    }

    fn findings<'t>(&self, structure: &Structure, shape: ShapeId, value: Node<'t>) -> Vec<Finding<'t>> {
        let violations = evaluate_at(structure, shape, value).unwrap_or_default();
        let wanted = violations.iter().filter(|violation| is_wanted(&self.keywords, &violation.name));
        wanted.map(finding).collect()
    }
}

/// The value of the file that a node is in.
fn file(node: Node<'_>) -> Node<'_> {
    node.ancestors().last().unwrap_or(node)
}

#[cfg(test)]
mod tests {
    use crate::checks::trial::findings;

    #[test]
    fn values_are_checked_against_schemas_of_the_document() {
        let text = "schemas: {Age: {type: integer, minimum: 0}}\n\
            fields:\n- {schema: {$ref: '#/schemas/Age'}, example: -1}\n- {schema: {$ref: '#/schemas/Age'}, example: 1}\n\
            - {schema: {$ref: 'other.yaml'}, example: x}\n";
        let check = "{conforms: {of: '@.example', to: '@.schema'}}";
        assert_eq!(findings(check, "$.fields[*]", text), ["/fields/0/example -1"]);
    }

    #[test]
    fn dialects_differ_in_null_and_in_bounds() {
        let text = "- {type: string, nullable: true, example: null}\n\
            - {type: integer, minimum: 1, exclusiveMinimum: true, example: 1}\n";
        let found = |dialect: &str| {
            findings(&format!("{{conforms: {{of: '@.example', dialect: {dialect}}}}}"), "$[*]", text)
        };
        assert_eq!(found("openapi-3.0"), ["/1/example 1"]);
        assert_eq!(found("openapi-2.0"), ["/0/example null", "/1/example 1"]);
        assert_eq!(found("2020-12"), ["/0/example null"]);
        let text = format!("openapi: 3.0.3\nschemas:\n{text}");
        let check = "{conforms: {of: '@.example', dialect: openapi}}";
        assert_eq!(findings(check, "$.schemas[*]", &text), ["/schemas/1/example 1"]);
    }

    #[test]
    fn keywords_with_errors_allow_every_value() {
        let text =
            "- {type: strng, example: 1}\n- {enum: a, example: 1}\n- {type: strng, minimum: 2, example: 1}\n";
        assert_eq!(findings("{conforms: {of: '@.example'}}", "$[*]", text), ["/2/example 1"]);
    }

    #[test]
    fn some_required_keys_may_be_missing() {
        let text = "{required: [id, name], properties: {id: {readOnly: true}, name: {}}, example: {}}\n";
        assert_eq!(findings("{conforms: {of: '@.example'}}", "$", text).len(), 2);
        let check = "{conforms: {of: '@.example', optional: [readOnly]}}";
        assert_eq!(findings(check, "$", text), ["/example example"]);
    }

    #[test]
    fn keys_are_not_surplus_where_the_form_that_has_them_does_not_fit() {
        let text = "schema: {unevaluatedProperties: false, oneOf: [{properties: {kind: {const: a}, n: {type: integer}}}, \
            {properties: {kind: {const: b}}}]}\nexample: {kind: a, n: x}\nother: {kind: b, n: 1}\n";
        let check = |of: &str| format!("{{conforms: {{of: '@.{of}', to: '@.schema'}}}}");
        assert_eq!(findings(&check("example"), "$", text), ["/example/n x"]);
        assert_eq!(findings(&check("other"), "$", text), ["/other/n n"]);
    }

    #[test]
    fn schemas_that_lead_to_themselves_allow_everything() {
        let text = "a: {$ref: '#/b'}\nb: {allOf: [{$ref: '#/a'}, {propertyNames: {$ref: '#/c'}}]}\nc: {not: {$ref: '#/c'}}\n\
            examples: [{x: 1}]\n";
        assert_eq!(findings("{conforms: {of: '@.examples[*]', to: '@.a'}}", "$", text), [""; 0]);
    }
}
