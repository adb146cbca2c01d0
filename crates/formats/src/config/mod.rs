//! `proofmark.toml` as a document: TOML whose shape is that of [`RawConfig`].
//!
//! Reading finds what the file alone shows. [`unknown_names`] finds what takes the rules to know: a rule
//! that does not exist, an option it does not have.

pub mod defaults;
mod known;
mod raw;

use std::sync::Arc;

use serde_json::Value;

pub use self::known::{KnownOption, KnownRule, unknown_names};
pub use self::raw::{
    RawAnswers, RawCapture, RawConfig, RawConvert, RawDialect, RawEngine, RawFiles, RawInlineTasks, RawKinds,
    RawLevel, RawLimits, RawLinks, RawLogDone, RawLogNote, RawOverride, RawQuills, RawRender, RawRule,
    RawRuleTable, RawRules, RawServer, RawTemplateMode, RawTemplating,
};
use super::{Document, Kind, Observable, ParseOptions, toml::document};
use crate::{
    budget::{Lazy, Once},
    schema::{self, SchemaError, Structure},
    syntax::toml,
    text::{Fragment, Source},
    tree::Tree,
};

/// Name of the kind.
pub const NAME: &str = "config";

/// Name of the file.
pub const FILE_NAME: &str = "proofmark.toml";

/// The kind of `proofmark.toml`.
#[derive(Debug)]
pub struct Config;

impl Kind for Config {
    fn name(&self) -> &'static str {
        NAME
    }

    fn configures(&self) -> bool {
        true
    }

    fn description(&self) -> &'static str {
        "configuration of Proofmark, `proofmark.toml`"
    }

    fn globs(&self) -> Vec<&str> {
        vec![FILE_NAME]
    }

    fn observables(&self) -> &[Observable] {
        &OBSERVABLES
    }

    fn tree_schema(&self) -> &'static str {
        static TEXT: Once<String> = Once::new();
        TEXT.get_or_init(|| schema().to_string())
    }

    fn comment(&self, text: &str) -> String {
        format!("# {text}")
    }

    fn parse(&self, source: &Arc<Source>, fragment: &Fragment<'_>, _: &ParseOptions<'_>) -> Document {
        document(NAME, source, fragment)
    }
}

/// The JSON Schema of `proofmark.toml`.
pub fn schema() -> &'static Value {
    static SCHEMA: Once<Value> = Once::new();
    SCHEMA.get_or_init(|| crate::schema::of::<RawConfig>().to_value())
}

/// Whether a tree can be deserialized into [`RawConfig`] and every glob in it can be read.
pub fn conforms(tree: &Tree) -> bool {
    static STRUCTURE: Lazy<Result<Structure, Vec<SchemaError>>> = Lazy::new(|| Structure::new(schema(), ""));
    STRUCTURE.as_ref().is_ok_and(|structure| schema::conforms(structure, tree.root()))
}

const OWN: &[Observable] = &[
    Observable::fact("extended-unusable", &["file", "detail", "command"], &[]),
    Observable::fact("unknown-kind", &["kind", "nearest", "known"], &[]),
    Observable::fact("unknown-rule", &["rule", "nearest", "table"], &[]),
    Observable::fact("unknown-option", &["option", "rule", "nearest", "known"], &[]),
    Observable::fact("option-type", &["option", "rule", "expected", "actual"], &[]),
    Observable::fact("option-value", &["option", "rule", "allowed", "nearest"], &[]),
];

static OBSERVABLES: Lazy<Vec<Observable>> = Lazy::new(|| [OWN, toml::OBSERVABLES].concat());
