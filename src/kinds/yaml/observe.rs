use crate::kinds::Observable;

/// What reading YAML can observe, for every kind that reads some.
pub const OBSERVABLES: &[Observable] = &[
    Observable::syntax("yaml_syntax", &["detail"], &[]),
    Observable::syntax("yaml_unknown_anchor", &["name"], &[]),
    Observable::syntax("yaml_recursive_alias", &["name"], &["anchor"]),
    Observable::syntax("yaml_alias_limit", &["limit"], &[]),
    Observable::syntax("yaml_too_deep", &["limit"], &[]),
    Observable::syntax("yaml_duplicate_key", &["key"], &["first"]),
    Observable::fact("yaml-overridden-key", &["key"], &["first"]),
    Observable::syntax("yaml_integer_range", &["quoted"], &[]),
    Observable::syntax("yaml_tag_mismatch", &["tag", "type"], &["tag"]),
    Observable::syntax("yaml_several_documents", &[], &[]),
];
