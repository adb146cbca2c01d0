//! Rule files and packs as documents: YAML whose shape and meaning the `rulefile` rules check.
//!
//! What is wrong with the meaning is found when a rule file is compiled, by stage `rules`; this kind
//! only declares the names.

use std::{path::Path, sync::Arc};

use super::{Document, Kind, Observable, ParseOptions};
use crate::{
    budget::Lazy,
    syntax::yaml::{self, YamlOptions},
    text::{Fragment, Source},
    tree::TreeBuilder,
};

/// Name of the kind.
pub const NAME: &str = "rulefile";

/// The kind of rule files (`rules:`) and of `pack.yaml`.
#[derive(Debug)]
pub struct RuleFile;

impl Kind for RuleFile {
    fn name(&self) -> &'static str {
        NAME
    }

    fn configures(&self) -> bool {
        true
    }

    fn description(&self) -> &'static str {
        "rule files and packs of Proofmark"
    }

    fn globs(&self) -> Vec<&str> {
        vec!["pack.yaml", "*.rules.yaml", "kind.yaml", "*.kind.yaml"]
    }

    fn detect(&self, path: &Path, text: &str) -> bool {
        let yaml = path.extension().is_some_and(|extension| extension == "yaml" || extension == "yml");
        let has = |key: &str| text.lines().take(400).any(|line| line.starts_with(key));
        yaml && has("version:") && (has("rules:") || (has("prefix:") && has("kinds:")))
    }

    fn disowns(&self, text: &str) -> bool {
        let has = |key: &str| text.lines().take(400).any(|line| line.starts_with(key));
        // `kind.yaml` of Kubernetes in Docker, and `pack.yaml` of StackStorm.
        has("apiVersion:") || has("ref:") && has("author:")
    }

    fn observables(&self) -> &[Observable] {
        &OBSERVABLES
    }

    fn tree_schema(&self) -> &'static str {
        include_str!("../../../../schemas/tree/rulefile.schema.json")
    }

    fn comment(&self, text: &str) -> String {
        format!("# {text}")
    }

    fn parse(&self, source: &Arc<Source>, fragment: &Fragment<'_>, options: &ParseOptions<'_>) -> Document {
        let mut builder = TreeBuilder::new(Arc::clone(source));
        let mut observations = Vec::new();
        let yaml = YamlOptions { depth: options.limits.yaml_depth, ..YamlOptions::default() };
        let read = yaml::read(&mut builder, fragment, &yaml, &mut observations);
        let mut document = Document::new(NAME, builder.finish());
        document.observations = observations;
        document.comments = read.comments;
        document
    }
}

/// What a rule file or pack can be found to have wrong, besides the shape of its values, which the
/// rules check by its JSON Schema.
const OWN: &[Observable] = &[
    Observable::fact("undecodable-rule", &["detail"], &[]),
    Observable::fact("bad-jsonpath", &["path", "detail"], &[]),
    Observable::fact("impossible-selector", &["path", "segment", "kind", "nearest", "known"], &[]),
    Observable::fact("unknown-cel-name", &["name", "nearest", "known"], &[]),
    Observable::fact("unknown-placeholder", &["name", "nearest", "known"], &[]),
    Observable::fact("unknown-member", &["path", "name", "nearest", "known"], &[]),
    Observable::fact("empty-placeholder", &["path", "name", "nearest", "known"], &[]),
    Observable::fact("absent-key", &["path", "name", "nearest", "known"], &[]),
    Observable::fact("misspelled-keyword", &["keyword", "nearest"], &[]),
    Observable::fact("kind-takes-files", &["glob", "kind"], &[]),
    Observable::fact("other-version", &["range", "version", "detail"], &[]),
    Observable::fact("bad-schema", &["detail"], &[]),
    Observable::fact("unknown-place", &["name", "nearest", "known"], &[]),
    Observable::fact("unknown-observable", &["name", "nearest", "kind", "layer"], &[]),
    Observable::fact("unknown-kind", &["kind", "nearest", "known"], &[]),
    Observable::fact("unknown-symbol", &["symbol", "nearest", "known"], &[]),
    Observable::fact("unknown-fix-group", &["group", "nearest", "known"], &[]),
    Observable::fact("unknown-ancestor", &["ancestor", "nearest", "known"], &[]),
    Observable::fact("unknown-option", &["option", "nearest", "known"], &[]),
    Observable::fact("bad-bounds", &["detail"], &[]),
    Observable::fact("bad-fix", &["detail", "kinds"], &[]),
    Observable::fact("wrong-prefix", &["id", "prefixes"], &[]),
    Observable::fact("duplicate-id", &["id", "first"], &[]),
    Observable::fact("duplicate-name", &["name", "first"], &[]),
    Observable::fact("unknown-rule", &["rule", "nearest"], &[]),
    Observable::fact("bad-kind", &["detail"], &[]),
    Observable::fact("kind-exists", &["kind"], &[]),
    Observable::fact("bad-file-glob", &["glob", "detail"], &[]),
    Observable::fact("bad-grammar", &["file", "detail"], &[]),
    Observable::fact("unknown-grammar-rule", &["rule", "nearest", "known"], &[]),
    Observable::fact("unreadable-file", &["file", "detail"], &[]),
    Observable::fact("missing-pack", &[], &[]),
    Observable::fact("silent-invalid-example", &["rule", "others"], &[]),
    Observable::fact("unexpected-findings", &["rule", "expected", "actual"], &[]),
    Observable::fact("firing-valid-example", &["rule", "line", "message"], &[]),
    Observable::fact("fixed-differs", &["rule", "detail"], &[]),
    Observable::fact("fix-missing", &["rule"], &[]),
    Observable::fact("fix-keeps-finding", &["rule"], &[]),
    Observable::fact("fix-adds-error", &["rule", "added"], &[]),
    Observable::fact("fix-not-idempotent", &["rule"], &[]),
    Observable::fact("selects-nothing", &["rule"], &[]),
    Observable::fact("rule-fails", &["rule", "detail"], &[]),
];

static OBSERVABLES: Lazy<Vec<Observable>> = Lazy::new(|| [OWN, yaml::OBSERVABLES].concat());
