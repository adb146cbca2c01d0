//! Rules as data: what rule files say ([`raw`]) turned, once, into what the engine runs ([`Rule`]).
//!
//! A pack is a folder with a `pack.yaml` and rule files; the built-in ones are embedded. Faults of a
//! rule file are facts of a document of kind `rulefile` and worded by the rules of that kind.

mod builder;
mod embedded;
mod lint;
mod loader;
pub mod raw;
mod rule;
mod ruleset;
mod schemas;
mod statistics;

pub use builder::RulesetBuilder;
pub use lint::{LintedFile, lint};
pub use loader::{LoadError, LoadedFile};
pub use raw::Which;
pub use rule::{Example, Expectation, Fix, Pack, Pick, Related, Rule, Sample, Status};
pub use ruleset::{Help, Redirect, Ruleset};
pub use schemas::{document_schema, kind_schema, pack_schema, rule_file_schema};
pub use statistics::PackStatistics;

use crate::kinds::Observable;

/// The kind of rules that speak of the run itself and not of a document: unreadable files, limits,
/// suppressions.
pub const ENGINE_KIND: &str = "engine";

/// What the run itself can observe.
pub const ENGINE_OBSERVABLES: &[Observable] = &[
    Observable::fact("unreadable-file", &["detail"], &[]),
    Observable::fact("not-a-file", &["what"], &[]),
    Observable::fact("not-utf8", &["encoding", "byte", "offset"], &[]),
    Observable::fact("text-too-large", &["bytes", "limit"], &[]),
    Observable::fact("internal-fault", &["detail"], &[]),
    Observable::fact("unreported-syntax-error", &["name", "kind", "wanted", "seen"], &[]),
    Observable::fact("too-many-diagnostics", &["shown", "total"], &[]),
    Observable::fact("unused-suppression", &["rule"], &["comment"]),
    Observable::fact("unknown-suppressed-rule", &["rule", "nearest"], &["comment"]),
    Observable::fact("expired-suppression", &["rule", "until"], &["comment"]),
    Observable::fact("suppression-without-reason", &["rule"], &["comment"]),
    Observable::fact("malformed-suppression", &["detail"], &["comment"]),
    // Of the last stage: `render/`.
    Observable::fact("no-quill-to-render", &["known"], &[]),
    Observable::fact("unknown-quill-wanted", &["quill", "nearest", "known"], &[]),
    Observable::fact("quill-unreadable", &["quill", "detail"], &[]),
    Observable::fact("quill-refused", &["quill", "detail", "help"], &[]),
    Observable::fact("glue-failed", &["quill", "file", "line", "detail"], &[]),
    Observable::fact("value-refused", &["field", "detail", "help"], &[]),
    Observable::fact("content-changed", &["field", "detail", "help", "lost", "tag"], &[]),
    Observable::fact("layout-failed", &["quill", "place", "detail", "help"], &[]),
    Observable::fact("layout-remark", &["quill", "place", "detail", "help"], &[]),
    Observable::fact("missing-asset", &["quill", "path", "place"], &[]),
    Observable::fact("missing-package", &["quill", "package", "place"], &[]),
    Observable::fact("render-too-slow", &["seconds"], &[]),
    Observable::fact("render-too-large", &["what", "limit"], &[]),
    Observable::fact("too-many-pages", &["pages", "limit"], &[]),
    Observable::fact("renderer-stopped", &["detail"], &[]),
    Observable::fact("no-render-worker", &["detail", "help"], &[]),
];
