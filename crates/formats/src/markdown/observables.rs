use crate::{Observable, budget::Lazy, quill, syntax::yaml};

/// What reading Markdown can observe: its own names, those of YAML, and those of its quill.
pub(super) static ALL: Lazy<Vec<Observable>> =
    Lazy::new(|| [OWN, FENCES, DIAGRAMS, TEXT, yaml::OBSERVABLES, quill::FIELD_OBSERVABLES].concat());

const fn syntax(
    name: &'static str,
    values: &'static [&'static str],
    places: &'static [&'static str],
) -> Observable {
    Observable::syntax(name, values, places)
}

const fn fact(
    name: &'static str,
    values: &'static [&'static str],
    places: &'static [&'static str],
) -> Observable {
    Observable::fact(name, values, places)
}

/// What is known of lines that were meant as a block.
const NEAR: &[&str] = &["line", "tag", "near", "closer"];

const OWN: &[Observable] = &[
    // The first block is not closed.
    syntax("err_unclosed_frontmatter", &["closer", "near"], &["insert", "near"]),
    syntax("err_closer_trailing_blanks", &["line", "rest"], &["opener"]),
    syntax("err_closer_indented", &["line", "rest"], &["opener"]),
    syntax("err_closer_more_dashes", &["line", "rest"], &["opener"]),
    syntax("err_closer_dots", &["line", "rest"], &["opener"]),
    syntax("err_closer_run_on", &["line", "rest"], &["opener"]),
    syntax("err_empty_block", &[], &["opener"]),
    syntax("err_blank_line_in_frontmatter", &[], &["opener", "blank"]),
    syntax("err_block_too_large", &["size", "limit"], &[]),
    syntax("err_doubled_opener", &[], &["opener", "line"]),
    syntax("err_swallowed_closer", &["line"], &["opener"]),
    syntax("err_closer_opens_next", &["kind", "closer"], &["opener", "insert"]),
    // Text that was meant as a block.
    syntax("err_opener_trailing_blanks", NEAR, &["marker", "closer", "insert"]),
    syntax("err_opener_indented", NEAR, &["marker", "closer", "insert"]),
    syntax("err_opener_more_dashes", NEAR, &["marker", "closer", "insert"]),
    syntax("err_opener_after_bom", NEAR, &["marker", "closer", "insert"]),
    syntax("err_opener_blank_below", NEAR, &["blank", "marker", "closer", "insert"]),
    syntax("err_opener_line_ends", NEAR, &["carriage", "marker", "closer", "insert"]),
    syntax("err_unclosed_block", NEAR, &["marker", "closer", "insert"]),
    syntax("err_blank_line_hides_block", NEAR, &["blank", "marker", "closer", "insert"]),
    // What a block is.
    fact("both-quill-and-scope", &["quill", "scope"], &["first"]),
    fact("tag-key-case", &["key", "expected"], &[]),
    fact("tag-key-misspelt", &["key", "expected"], &[]),
    fact("block-not-a-mapping", &["type"], &[]),
    fact("text-between-rules", &["type"], &["opener", "below"]),
    fact("block-without-fields", &[], &["block"]),
    fact("key-dropped", &["key"], &["scalar"]),
    fact("key-without-text", &["key"], &[]),
    fact("body-key-overwritten", &[], &["field"]),
    // What the blocks make together.
    fact("second-frontmatter", &["fields", "inside"], &["first", "opener"]),
    fact("second-quill-block", &["name"], &["first"]),
    fact("scope-collides-with-field", &["name"], &["scope"]),
    fact("quill-field-collides", &["name"], &["first"]),
    fact("scope-collides-with-quill-field", &["name"], &["scope"]),
    fact("text-dropped", &["text", "lines"], &["text", "block"]),
    fact("block-text-in-body", &[], &["block"]),
    fact("block-inside-fence", &["kind"], &["fence", "block", "mark"]),
    fact("block-inside-comment", &["kind"], &["comment", "block", "mark"]),
    // Fences of data.
    fact("fence-data-malformed", &["format", "reason"], &[]),
    // What pages do not show.
    fact("printed-as-typed", &["construct", "written"], &[]),
    fact("tag-not-rendered", &["tag", "gone", "unknown"], &[]),
    fact("cells-not-shown", &["written"], &[]),
    // Other generations.
    fact("dialect-tags", &["line", "key", "replacement"], &[]),
    fact("dialect-card-block", &[], &[]),
    fact("dialect-card-fence", &["line"], &[]),
    fact("dialect-tilde-block", &["line"], &[]),
    fact("metadata-fence-unclosed", &["marker"], &[]),
];

/// What is observed of fences in every kind of Markdown.
pub(crate) const FENCES: &[Observable] = &[
    fact("unclosed-fence", &["marker", "language", "closer"], &["last"]),
    fact("fence-closed-differently", &["marker", "written"], &["opener"]),
    fact("text-behind-fence", &["marker", "text"], &["opener", "gap"]),
    fact("nested-fence", &["marker", "longer"], &["outer", "both"]),
];

/// Diagrams outside of their blocks, in every kind of Markdown.
pub(crate) const DIAGRAMS: &[Observable] = &[
    fact("mermaid-language-misspelt", &["written", "language"], &[]),
    fact("mermaid-braces-blanks", &["written", "braces"], &[]),
    fact("mermaid-without-language", &["marker", "header", "language"], &[]),
    fact("mermaid-in-code", &["written", "block"], &[]),
    fact("mermaid-header-outside", &["keyword"], &[]),
    fact("mermaid-arrow-outside", &["keyword"], &[]),
    fact("mermaid-keyword-outside", &["keyword"], &[]),
];

/// What is observed of the text of every kind of Markdown.
pub(crate) const TEXT: &[Observable] = &[
    syntax("err_opener_lone_cr", &["count"], &["all"]),
    fact("empty-document", &[], &[]),
    fact("nul-character", &["count"], &["all"]),
    fact("control-character", &["code"], &[]),
    fact("hidden-character", &["code"], &[]),
    fact("bidi-control", &["code"], &[]),
    fact("lone-carriage-return", &["count"], &["all"]),
    fact("long-line", &["length", "limit"], &[]),
];
