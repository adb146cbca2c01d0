//! QType flows: YAML 1.1 with environment variables and includes.
//!
//! A *flow* is a list of *steps* over *variables*; an *application* contains flows and the models, tools,
//! indexes and other resources that steps refer to by id. The rules of the pack `qtype` and the schema of
//! the tree state all requirements of the language; this module only reads the text into that tree and
//! parses type expressions.

mod environment;
mod grammar;
mod load;
mod timestamp;
mod types;

use std::{path::Path, sync::Arc};

pub use environment::STRICT_ENVIRONMENT;

use super::{Disclosure, Document, Kind, KindOption, Observable, ParseOptions, TypeExpression, ValueModel};
use crate::{
    text::{Fragment, Source},
    tree::Node,
};

/// Name of the kind.
pub const NAME: &str = "qtype";

/// The kind of QType applications and lists of their parts.
#[derive(Debug)]
pub struct QType;

impl Kind for QType {
    fn name(&self) -> &'static str {
        NAME
    }

    fn description(&self) -> &'static str {
        "QType applications: flows of steps over models, tools and indexes, in YAML"
    }

    fn globs(&self) -> Vec<&str> {
        vec!["*.qtype.yaml", "*.qtype.yml"]
    }

    fn detect(&self, path: &Path, text: &str) -> bool {
        let yaml = path.extension().is_some_and(|extension| extension == "yaml" || extension == "yml");
        yaml && is_application(text)
    }

    fn observables(&self) -> &'static [Observable] {
        OBSERVABLES
    }

    fn tree_schema(&self) -> &'static str {
        include_str!("../../../../schemas/tree/qtype.schema.json")
    }

    fn options(&self) -> &[KindOption] {
        &[STRICT_ENVIRONMENT]
    }

    fn comment(&self, text: &str) -> String {
        format!("# {text}")
    }

    fn values(&self) -> Option<&dyn ValueModel> {
        Some(self)
    }

    fn parse(&self, source: &Arc<Source>, fragment: &Fragment<'_>, options: &ParseOptions<'_>) -> Document {
        let loaded = load::load(source, fragment, options);
        let mut document = Document::new(NAME, loaded.tree);
        document.observations = loaded.observations;
        document.comments = loaded.comments;
        document.unknown = loaded.unknown;
        document
    }
}

impl ValueModel for QType {
    fn type_expression(&self, node: Node<'_>) -> Option<TypeExpression> {
        types::type_expression(node)
    }

    fn disclosure(&self, node: Node<'_>) -> Disclosure {
        // A number can be a secret too; one that refers to a variable shows no more than its name.
        let is_secret = !node.is_null() && node.key().is_some_and(|key| SECRET_KEYS.contains(&key));
        if is_secret && node.scalar_text().is_some_and(|text| !environment::refers(&text)) {
            return Disclosure::Nothing;
        }
        if node.as_str().is_some_and(|text| text != node.raw()) && node.raw().contains("${") {
            return Disclosure::Source;
        }
        Disclosure::Value
    }
}

/// Fields whose literal values are credentials.
const SECRET_KEYS: &[&str] = &[
    "api_key",
    "token",
    "client_secret",
    "access_key_id",
    "secret_access_key",
    "session_token",
    "connection",
];

/// Whether the text has an `id` and a section that only applications have, both unindented.
fn is_application(text: &str) -> bool {
    const PARTS: &[&str] =
        &["flows:", "models:", "tools:", "auths:", "indexes:", "memories:", "secret_manager:"];
    let mut id = false;
    let mut parts = 0;
    // The part that the lines are in, until its first item shows what it is.
    let mut open = false;
    for line in text.lines().take(400) {
        id |= line.starts_with("id:");
        if PARTS.iter().any(|part| line.starts_with(part)) {
            open = true;
            parts += usize::from(line.starts_with("secret_manager:") || line.contains(['[', '{', '!']));
            continue;
        }
        let entry = line.trim_start_matches([' ', '-']);
        if open && !line.starts_with([' ', '-', '#']) && !line.trim().is_empty() {
            open = false;
        } else if open && ["id:", "type:", "provider:", "!include"].iter().any(|key| entry.starts_with(key)) {
            parts += 1;
        }
    }
    id && parts > 0
}

/// Values of an observation of malformed YAML, each if it applies.
const MALFORMED: &[&str] = &[
    "fault",
    "detail",
    "text",
    "quoted",
    "key",
    "rest",
    "joined",
    "line",
    "dash",
    "open",
    "close",
    "quote",
    "closed",
    "escape",
    "doubled",
    "spaces",
    "count",
    "indented",
    "character",
    "mark",
    "tag",
];

/// The observations that loading can make: syntax errors of YAML in the dialect of QType, and errors in
/// includes, tags and the environment.
const OBSERVABLES: &[Observable] = &[
    Observable::syntax(
        "malformed_yaml",
        MALFORMED,
        &["value", "end", "indentation", "joined", "after", "dash", "lines"],
    ),
    Observable::syntax("yaml_unknown_anchor", &["name", "quoted"], &[]),
    Observable::syntax("yaml_duplicate_anchor", &[], &[]),
    Observable::syntax("yaml_control_character", &["code", "count"], &["all"]),
    Observable::syntax("yaml_collection_key", &[], &[]),
    Observable::syntax("yaml_merge_value", &[], &[]),
    Observable::syntax("yaml_recursive_alias", &["name"], &["anchor"]),
    Observable::syntax("yaml_alias_limit", &["limit"], &[]),
    Observable::syntax("yaml_too_deep", &["limit"], &[]),
    Observable::syntax("yaml_several_documents", &[], &[]),
    Observable::fact("yaml-overridden-key", &["key"], &["first"]),
    Observable::syntax("unknown_tag", &["tag"], &["tag"]),
    Observable::syntax(
        "included_syntax",
        MALFORMED,
        &["value", "end", "indentation", "joined", "after", "dash", "lines"],
    ),
    Observable::fact("impossible-scalar", &["type"], &[]),
    Observable::fact("empty-document", &[], &[]),
    Observable::fact("required-environment", &["variable"], &[]),
    Observable::fact("unset-environment", &["variable"], &[]),
    Observable::fact("include-not-found", &["file", "detail"], &[]),
    Observable::fact("include-cycle", &["file", "chain"], &[]),
    Observable::fact("include-of-collection", &["tag"], &[]),
    Observable::fact("include-of-folder", &["file"], &[]),
    Observable::fact("include-not-utf8", &["file"], &[]),
    Observable::fact("include-scheme", &["file", "scheme"], &[]),
    Observable::fact("include-remote", &["file", "scheme"], &[]),
    Observable::fact("include-outside", &["file"], &[]),
    Observable::fact("include-limit", &["file", "limit"], &[]),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_application_is_detected_by_its_sections() {
        assert!(is_application("id: a\nmodels: []\n"));
        assert!(!is_application("openapi: 3.1.0\ninfo: {}\n"));
        assert!(!is_application("id: a\nsteps: []\n"));
    }
}
