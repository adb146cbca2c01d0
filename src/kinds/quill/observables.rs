use std::sync::LazyLock;

use crate::{
    kinds::Observable,
    syntax::{toml, yaml},
};

/// What manifests can observe: their own names, those of their folder, and those of TOML and YAML.
pub(super) static ALL: LazyLock<Vec<Observable>> =
    LazyLock::new(|| [OWN, FOLDER, toml::OBSERVABLES, yaml::OBSERVABLES].concat());

/// What a document can be found to do against its quill; the kinds whose documents name quills declare
/// these.
pub const FIELD_OBSERVABLES: &[Observable] = &[
    Observable::fact("unknown-quill", &["quill", "nearest", "known"], &[]),
    Observable::fact("misspelt-field", &["field", "quill", "nearest", "known"], &["entry"]),
    Observable::fact("unknown-field", &["field", "quill", "known"], &["entry"]),
    Observable::fact(
        "missing-field",
        &["field", "name", "quill", "type", "description", "sample"],
        &["after"],
    ),
    Observable::fact("field-type", &["field", "quill", "expected", "actual", "value", "replacement"], &[]),
    Observable::fact("field-not-in-enum", &["field", "quill", "value", "nearest", "expected"], &[]),
    Observable::fact("field-date", &["field", "quill", "expected", "value", "replacement"], &[]),
    Observable::fact("deprecated-field", &["field", "quill", "detail", "replaced_by"], &["entry"]),
    Observable::fact("unknown-collection", &["collection", "quill", "nearest", "known"], &[]),
];

const OWN: &[Observable] = &[
    Observable::fact("quill-section-missing", &["found"], &[]),
    Observable::fact("quill-key-missing", &["key"], &[]),
    Observable::fact("quill-misspelt-key", &["key", "nearest"], &[]),
    Observable::fact("quill-wrong-type", &["key", "expected", "actual"], &[]),
    Observable::fact("quill-bad-name", &["name", "suggestion"], &[]),
    Observable::fact("quill-unknown-backend", &["backend", "nearest", "known"], &[]),
    Observable::fact("quill-bad-field-name", &["field"], &[]),
    Observable::fact("quill-unknown-type", &["field", "type", "nearest", "known"], &[]),
    Observable::fact("quill-enum-without-values", &["field"], &[]),
    Observable::fact("quill-sample-type", &["field", "key", "expected", "actual"], &[]),
    Observable::fact("quill-sample-value", &["field", "key", "value", "nearest", "expected"], &[]),
    Observable::fact("quill-required-default", &["field"], &[]),
];

/// What comparing a manifest with the files of its folder can observe.
const FOLDER: &[Observable] = &[
    Observable::fact("quill-missing-glue", &["path"], &[]),
    Observable::fact("quill-missing-example", &["path"], &[]),
    Observable::fact("quill-undeclared-variable", &["name", "path", "line"], &[]),
    Observable::fact("quill-unused-field", &["field", "path"], &[]),
    Observable::fact("quill-example-wrong", &["path", "field", "line", "count"], &[]),
];
