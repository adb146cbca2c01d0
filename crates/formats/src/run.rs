//! What a run records about a file besides what its document says: that it cannot be read, is too large,
//! has a suppression that suppresses nothing, cannot be rendered.
//!
//! No document is of this kind; its observations are made by the stages that read, validate and render.

use std::sync::Arc;

use super::{Document, Observable, Observation};
use crate::{budget::Lazy, text::Source, tree::TreeBuilder};

/// Name of the kind.
pub const NAME: &str = "engine";

/// A document that has nothing but what a run recorded about `source`.
pub fn document(source: &Arc<Source>, observations: Vec<Observation>) -> Document {
    let empty = Document::new(NAME, TreeBuilder::new(Arc::clone(source)).finish());
    Document { observations, ..empty }
}

/// Everything that a run can record.
pub static OBSERVABLES: Lazy<Vec<Observable>> =
    Lazy::new(|| [READING, SUPPRESSIONS, RENDERING, CONVERTING].concat());

const READING: &[Observable] = &[
    Observable::fact("unreadable-file", &["detail"], &[]),
    Observable::fact("not-a-file", &["what"], &[]),
    Observable::fact("not-utf8", &["encoding", "byte", "offset"], &[]),
    Observable::fact("text-too-large", &["bytes", "limit"], &[]),
    Observable::fact("configuration-unusable", &["file", "detail"], &[]),
    Observable::fact("setting-ignored", &["key", "does", "instead"], &[]),
    Observable::fact("setting-not-adopted", &["names"], &[]),
    Observable::fact("adopted-value", &["rule", "option", "allowed"], &[]),
    Observable::fact("script-not-adopted", &[], &[]),
    Observable::fact("configured-path-outside", &["path"], &[]),
    Observable::fact("configuration-of-another-user", &["owner"], &[]),
    Observable::fact("internal-fault", &["detail"], &[]),
    Observable::fact("unreported-syntax-error", &["name", "kind", "wanted", "seen"], &[]),
    Observable::fact("too-complex-for-schema", &["steps"], &[]),
    Observable::fact("too-many-diagnostics", &["shown", "total"], &[]),
    Observable::fact("budget-exceeded", &["limit"], &[]),
    Observable::fact("rule-failed", &["rule", "part", "detail"], &[]),
];

const SUPPRESSIONS: &[Observable] = &[
    Observable::fact("unused-suppression", &["rule", "alone"], &["comment"]),
    Observable::fact("unknown-suppressed-rule", &["rule", "nearest"], &["comment"]),
    Observable::fact("expired-suppression", &["rule", "until"], &["comment"]),
    Observable::fact("suppression-without-reason", &["rule"], &["comment"]),
    Observable::fact("malformed-suppression", &["detail"], &["comment"]),
];

const CONVERTING: &[Observable] = &[
    Observable::fact("content-dropped", &["what", "format"], &[]),
    Observable::fact("dialect-loss", &["what", "dialect"], &[]),
    Observable::fact("content-simplified", &["what", "format"], &[]),
    Observable::fact("cell-not-executed", &["what", "format"], &[]),
    Observable::fact("value-unresolved", &["what", "format"], &[]),
    Observable::fact("option-refused", &["what", "format"], &[]),
    Observable::fact("option-without-effect", &["what", "format"], &[]),
    Observable::fact("nested-too-deeply", &["what", "format"], &[]),
    Observable::fact("layout-missing", &["what", "format"], &[]),
    Observable::fact("slide-overflow", &["what", "format"], &[]),
    Observable::fact("diagram-as-source", &["what", "format", "problem"], &[]),
    Observable::fact("page-alone", &["what", "format"], &[]),
    Observable::fact("page-missing", &["what", "format", "problem"], &[]),
    Observable::fact("page-not-converted", &["what", "format", "problem"], &[]),
    Observable::fact("resource-not-copied", &["what", "format", "problem"], &[]),
];

const RENDERING: &[Observable] = &[
    Observable::fact("no-quill-to-render", &["known"], &[]),
    Observable::fact("unknown-quill-wanted", &["quill", "nearest", "known"], &[]),
    Observable::fact("quill-unreadable", &["quill", "detail"], &[]),
    Observable::fact("quill-refused", &["quill", "detail", "help"], &[]),
    Observable::fact("glue-failed", &["quill", "file", "line", "detail"], &[]),
    Observable::fact("value-refused", &["field", "detail", "help"], &[]),
    Observable::fact("content-changed", &["field", "detail", "help", "lost", "tag"], &[]),
    Observable::fact("layout-failed", &["quill", "place", "detail", "help", "is_example"], &[]),
    Observable::fact("layout-remark", &["quill", "place", "detail", "help"], &[]),
    Observable::fact("optional-field-needed", &["quill", "field", "is_collection", "place", "detail"], &[]),
    Observable::fact("missing-glyph", &["script", "characters", "count", "family", "is_code"], &[]),
    Observable::fact("picture-not-rendered", &["target", "reason"], &[]),
    Observable::fact("diagram-not-drawn", &["detail"], &[]),
    Observable::fact("does-not-fit", &["what"], &[]),
    Observable::fact("missing-asset", &["quill", "path", "place"], &[]),
    Observable::fact("missing-package", &["quill", "package", "place"], &[]),
    Observable::fact("render-too-slow", &["seconds"], &[]),
    Observable::fact("render-too-large", &["what", "limit"], &[]),
    Observable::fact("too-many-pages", &["pages", "limit"], &[]),
    Observable::fact("renderer-stopped", &["detail"], &[]),
    Observable::fact(
        "no-render-worker",
        &["problem", "detail", "found", "protocol", "version", "needed", "build", "install"],
        &[],
    ),
];
