//! OpenAPI descriptions (2.0, 3.0, 3.1, 3.2) in YAML and JSON.
//!
//! The tree is that of the YAML or JSON. A mapping with `$ref` stands for what the reference leads to, in the document
//! itself ([`references`]) or in a file beside it ([`load`]), so that rules see a description as if it had no references,
//! and findings are where the values are written. The pack `openapi` says what a description must contain.

mod detection;
mod files;
mod load;
mod references;
mod referring;

use std::{path::Path, sync::Arc};

pub use self::referring::ReferringKind;
use super::{Document, Kind, Name, Observable, ParseOptions};
use crate::{
    budget::Lazy,
    syntax::{json, yaml},
    text::{Fragment, Source},
};

/// Name of the kind.
pub const NAME: &str = "openapi";

/// The kind of OpenAPI descriptions.
#[derive(Debug, Clone, Copy, Default)]
pub struct OpenApi;

impl Kind for OpenApi {
    fn name(&self) -> &'static str {
        NAME
    }

    fn description(&self) -> &'static str {
        "OpenAPI descriptions (2.0, 3.0, 3.1, 3.2) in YAML and JSON"
    }

    /// The usual names of JSON files, which say little otherwise. YAML files are read anyway, and recognized by their
    /// content.
    fn globs(&self) -> Vec<&str> {
        vec!["openapi.json", "swagger.json", "*.openapi.json", "*.swagger.json"]
    }

    fn detect(&self, path: &Path, text: &str) -> bool {
        let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
        matches!(extension, "yaml" | "yml" | "json") && detection::has_version(text)
    }

    fn observables(&self) -> &[Observable] {
        &OBSERVABLES
    }

    fn tree_schema(&self) -> &'static str {
        include_str!("../../../../schemas/tree/openapi.schema.json")
    }

    fn comment(&self, text: &str) -> String {
        format!("# {text}")
    }

    fn parse(&self, source: &Arc<Source>, fragment: &Fragment<'_>, options: &ParseOptions<'_>) -> Document {
        read(NAME, source, fragment, options)
    }
}

/// Reads YAML or JSON with the files that its references lead to.
fn read(
    kind: impl Into<Name>,
    source: &Arc<Source>,
    fragment: &Fragment<'_>,
    options: &ParseOptions<'_>,
) -> Document {
    let loaded = load::load(source, fragment, options);
    let mut observations = loaded.observations;
    let mut tree = loaded.tree;
    let unresolved = references::resolve(&mut tree, &loaded.files);
    // What a template leaves out may be what its actions leave.
    observations.extend(unresolved.into_iter().filter(|_| loaded.template.is_none()));
    let (comments, template) = (loaded.comments, loaded.template);
    Document { observations, comments, template, ..Document::new(kind, tree) }
}

/// Errors of references; those of the syntax are observed by the readers of YAML and JSON.
const OWN: &[Observable] = &[
    Observable::fact("unresolved-reference", &["reference", "missing", "nearest"], &["missing"]),
    Observable::fact("circular-reference", &["reference"], &[]),
    Observable::fact("unreadable-reference", &["reference", "file", "detail"], &[]),
];

static OBSERVABLES: Lazy<Vec<Observable>> =
    Lazy::new(|| [OWN, yaml::OBSERVABLES, json::OBSERVABLES].concat());

#[cfg(test)]
mod tests {
    use std::io;

    use super::*;
    use crate::text::SourceId;

    fn parse(text: &str, read: Option<crate::ReadFile<'_>>) -> Document {
        let source = Arc::new(Source::new("api/openapi.yaml", text));
        let fragment = Fragment::contiguous(source.text(), source.span());
        OpenApi.parse(&source, &fragment, &ParseOptions { read, ..ParseOptions::default() })
    }

    fn select(document: &Document, path: &str) -> Vec<String> {
        let path: crate::tree::JsonPath = path.parse().unwrap();
        path.select(document.tree.root())
            .iter()
            .map(|node| format!("{}:{}", node.source().name(), node.raw()))
            .collect()
    }

    fn names(document: &Document) -> Vec<String> {
        document.observations.iter().map(|observation| observation.name.to_string()).collect()
    }

    #[test]
    fn references_lead_to_values_where_they_are_written() {
        let text = "openapi: 3.0.0\na: {$ref: '#/b~1c'}\nb/c: {$ref: '#/d/0'}\nd: [{e: 1}]\n";
        let document = parse(text, None);
        assert_eq!(select(&document, "$.a.e"), ["api/openapi.yaml:1"]);
        assert!(document.observations.is_empty());
    }

    #[test]
    fn references_may_be_recursive_and_must_not_lead_only_to_each_other() {
        let document = parse("tree: {left: {$ref: '#/tree'}}\n", None);
        assert_eq!(
            select(&document, "$.tree.left.left.left.left"),
            ["api/openapi.yaml:{left: {$ref: '#/tree'}}"]
        );
        let document = parse("a: {$ref: '#/b'}\nb: {$ref: '#/a'}\n", None);
        assert_eq!(names(&document), ["circular-reference", "circular-reference"]);
    }

    #[test]
    fn what_a_reference_misses_is_observed_with_the_nearest_name() {
        let text = "a: {$ref: '#/schemas/Pett'}\nschemas: {Pet: {}}\n";
        let document = parse(text, None);
        assert_eq!(names(&document), ["unresolved-reference"]);
        let observation = &document.observations[0];
        assert!(observation.values.iter().any(|(name, value)| name == "nearest" && value == "Pet"));
        assert_eq!(observation.places[0].1.of(text), "Pett");
    }

    #[test]
    fn references_lead_into_files_and_from_there_into_others() {
        let read = |path: &str| match path {
            "schemas/pet.yaml" => Ok(b"Pet: {owner: {$ref: '../people.json#/Person'}}\n".to_vec()),
            "people.json" => Ok(b"{\"Person\": {\"pets\": {\"$ref\": \"schemas/pet.yaml#/Pet\"}}}".to_vec()),
            _ => Err(io::Error::from(io::ErrorKind::NotFound)),
        };
        let text = "a: {$ref: 'schemas/pet.yaml#/Pet'}\nb: {$ref: ./absent.yaml}\nc: {$ref: 'https://example.org/'}\n";
        let document = parse(text, Some(&read));
        assert_eq!(
            select(&document, "$.a.owner.pets.owner.pets"),
            ["api/schemas/pet.yaml:{owner: {$ref: '../people.json#/Person'}}"]
        );
        assert_eq!(names(&document), ["unreadable-reference"]);
        assert_eq!(document.observations[0].source, SourceId(0));
        assert!(parse(text, None).observations.is_empty());
    }

    #[test]
    fn descendants_of_the_root_are_those_in_other_files_too_each_once() {
        let read = |path: &str| match path {
            "pet.yaml" => {
                Ok(b"type: array\nitems: {$ref: 'names.yaml#/Name'}\nx-next: {$ref: openapi.yaml}\n".to_vec())
            }
            "names.yaml" => {
                Ok(b"Name: {type: string, of: {$ref: pet.yaml}}\nOther: {type: integer}\n".to_vec())
            }
            _ => Err(io::Error::from(io::ErrorKind::NotFound)),
        };
        let text = "a: {$ref: pet.yaml}\nb: {c: {$ref: pet.yaml}}\nd: {type: number}\n";
        let document = parse(text, Some(&read));
        let types = ["api/openapi.yaml:number", "api/pet.yaml:array", "api/names.yaml:string"];
        assert_eq!(select(&document, "$..type"), types);
        assert_eq!(
            select(&document, "$..[?@.type == 'array'].items"),
            ["api/names.yaml:{type: string, of: {$ref: pet.yaml}}"]
        );
        assert_eq!(select(&document, "$.b..type"), [""; 0]);
        assert_eq!(select(&parse(text, None), "$..type"), ["api/openapi.yaml:number"]);
    }
}
