//! `proofmark.toml` as a document: TOML whose shape is that of [`RawConfig`].
//!
//! Reading finds what the file alone tells; what takes the rules to know – a rule that does not
//! exist, an option it does not have – is found by [`unknown_names`].

mod known;
mod raw;
mod shape;

use std::sync::{Arc, LazyLock, OnceLock};

use serde_json::Value;

pub use self::known::{KnownRule, unknown_names};
pub use self::raw::{
    RawConfig, RawFiles, RawKinds, RawLevel, RawLimits, RawManualQuill, RawMermaid, RawOverride, RawPacks,
    RawQuills, RawRender, RawRule, RawRuleTable, RawRules, RawServer, RawTemplates, RawToolset,
};
use super::{Document, Kind, Observable, Observation, ParseOptions};
use crate::{
    syntax::toml,
    text::{Fragment, Source, Span},
    tree::{Node, Tree, TreeBuilder},
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
        static TEXT: OnceLock<String> = OnceLock::new();
        TEXT.get_or_init(|| schema().to_string())
    }

    fn comment(&self, text: &str) -> String {
        format!("# {text}")
    }

    fn parse(&self, source: &Arc<Source>, fragment: &Fragment<'_>, _: &ParseOptions<'_>) -> Document {
        let mut builder = TreeBuilder::new(Arc::clone(source));
        let mut observations = Vec::new();
        let comments = toml::read(&mut builder, fragment, &mut observations);
        let mut document = Document::new(NAME, builder.finish());
        let syntax = observations.len();
        shape::check(document.tree.root(), schema(), &mut observations);
        globs(&document.tree, &mut observations);
        drop_consequences(&mut observations, syntax);
        document.observations = observations;
        document.comments = comments;
        document
    }
}

/// The JSON Schema of `proofmark.toml`.
pub fn schema() -> &'static Value {
    static SCHEMA: OnceLock<Value> = OnceLock::new();
    SCHEMA.get_or_init(|| crate::schema::of::<RawConfig>().to_value())
}

/// Drops what is only wrong because the text there could not be read; the first `syntax` observations
/// say so.
fn drop_consequences(observations: &mut Vec<Observation>, syntax: usize) {
    let broken: Vec<Span> = observations[..syntax].iter().map(|observation| observation.span).collect();
    let mut index = 0;
    observations.retain(|observation| {
        index += 1;
        let span = observation.span;
        index <= syntax || !broken.iter().any(|b| b.start <= span.end && span.start <= b.end)
    });
}

/// Observes globs that cannot be read.
fn globs(tree: &Tree, observations: &mut Vec<Observation>) {
    let lists = ["/files/include", "/files/exclude"].into_iter().filter_map(|at| tree.at_pointer(at));
    let overrides = tree.at_pointer("/rules/override");
    let overridden = overrides.into_iter().flat_map(Node::items).filter_map(|table| table.get("files"));
    let patterns = lists.chain(overridden).flat_map(Node::items);
    let listed = patterns.filter_map(|node| Some((node.as_str()?, node.id(), node.span())));
    let kinds = tree.at_pointer("/files/kinds").into_iter().flat_map(Node::entries);
    let keys = kinds.map(|entry| (entry.key(), entry.value().id(), entry.key_span()));
    for (pattern, node, span) in listed.chain(keys) {
        if let Err(error) = globset::Glob::new(pattern) {
            let observation = Observation::new("bad-glob", span).on(node).with("pattern", pattern);
            observations.push(observation.with("detail", error.kind().to_string()));
        }
    }
}

const OWN: &[Observable] = &[
    Observable::fact("unknown-key", &["key", "nearest", "section", "known"], &[]),
    Observable::fact("missing-key", &["key"], &[]),
    Observable::fact("wrong-type", &["key", "expected", "actual", "value"], &[]),
    Observable::fact("bad-value", &["key", "value", "nearest", "expected"], &[]),
    Observable::fact("out-of-range", &["key", "value", "minimum", "maximum"], &[]),
    Observable::fact("bad-glob", &["pattern", "detail"], &[]),
    Observable::fact("unknown-kind", &["kind", "nearest", "known"], &[]),
    Observable::fact("unknown-rule", &["rule", "nearest"], &[]),
    Observable::fact("unknown-option", &["option", "rule", "nearest", "known"], &[]),
    Observable::fact("option-type", &["option", "rule", "expected", "actual"], &[]),
];

static OBSERVABLES: LazyLock<Vec<Observable>> = LazyLock::new(|| [OWN, toml::OBSERVABLES].concat());
