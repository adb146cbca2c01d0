use crate::{
    Observable,
    budget::Lazy,
    syntax::{toml, yaml},
};

/// What manifests can observe: the names of comparing them with their folder, and those of TOML and YAML.
pub(super) static ALL: Lazy<Vec<Observable>> =
    Lazy::new(|| [FOLDER, toml::OBSERVABLES, yaml::OBSERVABLES].concat());

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

/// What comparing a manifest with the files of its folder can observe.
const FOLDER: &[Observable] = &[
    Observable::fact("quill-missing-glue", &["path"], &[]),
    Observable::fact("quill-missing-example", &["path"], &[]),
    Observable::fact("quill-undeclared-variable", &["name", "path", "line"], &[]),
    Observable::fact("quill-unused-field", &["field", "path"], &[]),
    Observable::fact("quill-example-wrong", &["path", "field", "line", "count"], &[]),
    Observable::fact("quill-example-of-another", &["path", "quill", "named", "line"], &[]),
    Observable::fact("quill-example-without-quill", &["path", "quill"], &[]),
];
