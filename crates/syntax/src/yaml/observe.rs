use crate::Observable;

/// The observations that reading YAML can make, for every kind that contains YAML.
///
/// `text` is the source text, `quoted` the same as a double-quoted scalar, and the location `value` the text
/// that `quoted` can replace.
pub const OBSERVABLES: &[Observable] = &[
    // Values that need quotes.
    Observable::syntax(
        "yaml_unquoted_colon",
        &["text", "quoted", "key", "joined", "line"],
        &["value", "joined"],
    ),
    Observable::syntax("yaml_star_value", &["text", "quoted"], &["value"]),
    Observable::syntax("yaml_reserved_start", &["text", "quoted", "character"], &["value"]),
    Observable::syntax("yaml_undefined_tag_handle", &["text", "quoted", "tag"], &["value"]),
    Observable::syntax("yaml_template_braces", &["text", "quoted"], &["value"]),
    Observable::syntax("yaml_text_after_bracket", &["text", "quoted"], &["value"]),
    Observable::syntax("yaml_block_scalar_header", &["text", "quoted", "mark"], &["value"]),
    // Quotes.
    Observable::syntax("yaml_text_after_quote", &["text", "quoted", "nested", "key"], &["value", "quoted"]),
    Observable::syntax("yaml_unclosed_quote", &["quote", "closed"], &["value", "end"]),
    Observable::syntax("yaml_invalid_escape", &["escape", "doubled"], &["value"]),
    // Brackets.
    Observable::syntax("yaml_unclosed_bracket", &["open", "close"], &["value", "end"]),
    Observable::syntax("yaml_mismatched_bracket", &["found", "expected", "open"], &["open"]),
    Observable::syntax("yaml_stray_mark", &["character"], &[]),
    Observable::syntax("yaml_missing_comma", &["open", "close"], &["after", "open"]),
    Observable::syntax("yaml_list_in_brackets", &[], &["open"]),
    // Lines and indentation.
    Observable::syntax("yaml_tab_indentation", &["spaces", "count", "indented"], &["lines"]),
    Observable::syntax("yaml_tab_separator", &[], &[]),
    Observable::syntax("yaml_bad_indentation", &["found", "expected", "spaces"], &["indentation"]),
    Observable::syntax(
        "yaml_key_inside_text",
        &["key", "text", "spaces", "dash"],
        &["text", "indentation", "dash"],
    ),
    Observable::syntax("yaml_missing_colon", &["text", "key", "rest"], &["after"]),
    Observable::syntax("yaml_missing_space", &["key", "rest"], &["after"]),
    Observable::syntax("yaml_long_key", &[], &[]),
    Observable::syntax("yaml_item_on_key_line", &["text", "quoted", "key", "indent"], &["value", "rest"]),
    Observable::syntax("yaml_item_in_mapping", &[], &["mapping"]),
    Observable::syntax("yaml_key_in_list", &["key"], &["list"]),
    // The text as a whole.
    Observable::syntax("yaml_several_documents", &[], &[]),
    Observable::syntax("yaml_directive", &["text"], &[]),
    Observable::syntax("yaml_control_character", &["code", "count"], &["all"]),
    Observable::syntax("yaml_byte_order_mark", &[], &[]),
    Observable::syntax("yaml_too_deep", &["limit"], &[]),
    Observable::syntax("yaml_syntax", &["detail"], &[]),
    // Values.
    Observable::syntax("yaml_duplicate_key", &["key"], &["first"]),
    Observable::syntax("yaml_unknown_anchor", &["name", "quoted"], &[]),
    Observable::syntax("yaml_duplicate_anchor", &[], &[]),
    Observable::syntax("yaml_recursive_alias", &["name"], &["anchor"]),
    Observable::syntax("yaml_alias_limit", &["limit"], &[]),
    Observable::syntax("yaml_integer_range", &["quoted"], &[]),
    Observable::syntax("yaml_tag_mismatch", &["tag", "type"], &["tag"]),
    Observable::syntax("yaml_unknown_tag", &["tag"], &["tag"]),
    Observable::syntax("yaml_collection_key", &[], &[]),
    Observable::syntax("yaml_merge_value", &[], &[]),
    // Traps.
    Observable::fact("yaml-boolean-word", &["text", "quoted", "meaning", "boolean"], &[]),
    Observable::fact("yaml-boolean-letter", &["text", "quoted", "boolean"], &[]),
    Observable::fact("yaml-null-word", &["text", "quoted", "meaning"], &[]),
    Observable::fact("yaml-octal-number", &["text", "quoted", "number"], &[]),
    Observable::fact("yaml-sexagesimal-number", &["text", "quoted", "number"], &[]),
    Observable::fact("yaml-timestamp", &["text", "quoted"], &[]),
    Observable::fact("yaml-exponent-text", &["text", "quoted", "number"], &[]),
    Observable::fact("yaml-leading-zero", &["text", "quoted", "octal"], &[]),
    Observable::fact("yaml-underscored-number", &["text", "quoted", "number"], &[]),
    Observable::fact("yaml-exponent-number", &["text", "quoted", "number"], &[]),
    Observable::fact("yaml-version-number", &["text", "quoted", "number"], &[]),
    Observable::fact("yaml-smart-quotes", &["text", "quoted", "inner"], &[]),
    Observable::fact("yaml-swallowed-item", &[], &["text"]),
    Observable::fact("yaml-comment-cut", &["text", "quoted", "kept", "comment"], &["value"]),
    Observable::fact("yaml-comment-value", &["text", "quoted", "key"], &["value"]),
    Observable::fact("yaml-missing-space", &["key", "rest"], &["after"]),
    Observable::fact("yaml-template-value", &["text", "quoted", "key"], &["value"]),
    Observable::fact("yaml-non-string-key", &["text", "quoted", "type"], &[]),
    Observable::fact("yaml-collection-key", &[], &[]),
    Observable::fact("yaml-merge-key", &[], &[]),
    Observable::fact("yaml-refused-by-libyaml", &["detail"], &[]),
    Observable::fact("yaml-empty-value", &["key"], &[]),
    Observable::fact("yaml-overridden-key", &["key"], &["first"]),
];
