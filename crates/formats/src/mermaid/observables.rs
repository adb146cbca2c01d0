//! What can be observed in a diagram.

use super::grammars::PRODUCTIONS;
use crate::{Observable, budget::Lazy};

/// All that can be observed: the error productions of the grammars, and what Rust observes.
pub(super) fn all() -> &'static [Observable] {
    static ALL: Lazy<Vec<Observable>> = Lazy::new(|| {
        let is_other = |production: &&Observable| {
            production.name != HEADER && OBSERVED.iter().all(|observed| observed.name != production.name)
        };
        let mut all: Vec<Observable> =
            OBSERVED.iter().chain(PRODUCTIONS.iter().filter(is_other)).cloned().collect();
        all.sort_by(|one, other| one.name.cmp(&other.name));
        all
    });
    &ALL
}

/// The error production for the first line, which `header` replaces with its reason.
const HEADER: &str = "err_header";

/// What Rust observes, and error productions to which it adds values or places.
const OBSERVED: &[Observable] = &[
    Observable::fact("annotation-before-class", &["name"], &["line"]),
    Observable::syntax("diagram_too_complex", &["type"], &[]),
    Observable::syntax("diagram_too_large", &["size", "limit"], &[]),
    Observable::syntax("err_arrow", &["expected", "found", "line", "nearest"], &[]),
    Observable::syntax(
        "err_arrow_without_target",
        &["found", "here", "lead", "line", "tail"],
        &["here", "line"],
    ),
    Observable::syntax("err_bar_in_label", &["label", "quoted"], &["label"]),
    Observable::syntax("err_block_content", &["text"], &["block"]),
    Observable::syntax("err_block_empty", &["text"], &["block"]),
    Observable::syntax("err_braces_in_label", &["label", "quoted"], &["label"]),
    Observable::syntax("err_brackets_in_label", &["label", "quoted"], &["label"]),
    Observable::syntax("err_cardinality", &["expected", "found", "line", "nearest"], &["line"]),
    Observable::syntax("err_colon_label", &["colon_text"], &["colon_text", "link"]),
    Observable::syntax("err_comment", &["found", "line", "mark", "text"], &["line"]),
    Observable::syntax("err_concurrency_outside", &["text"], &[]),
    Observable::syntax("err_character", &["found", "line"], &["line"]),
    Observable::syntax("err_edge_text", &["edge_text"], &["edge_text"]),
    Observable::syntax("err_empty_pipe_label", &["label"], &[]),
    Observable::syntax("err_escaped_quote", &["found", "line"], &["line"]),
    Observable::syntax("err_fence", &["found", "line"], &["line"]),
    Observable::syntax("err_foreign_word", &["found", "line", "word"], &["line"]),
    Observable::syntax("err_front_matter_unclosed", &[], &["header"]),
    Observable::syntax("err_front_matter_yaml", &["detail"], &["block"]),
    Observable::syntax("err_full_width", &["found", "line", "plain"], &["all", "line"]),
    Observable::syntax("err_header_case", &["header", "word"], &[]),
    Observable::syntax("err_header_mermaid", &["alone"], &["line", "word"]),
    Observable::syntax("err_header_missing", &["header"], &["start"]),
    Observable::syntax("err_header_misspelt", &["diagram", "nearest", "word"], &[]),
    Observable::syntax(
        "err_header_rest",
        &["diagram", "direction", "found", "header", "rest", "statement", "title"],
        &[],
    ),
    Observable::syntax("err_html_tag", &["found", "line"], &["line"]),
    Observable::syntax("err_html_entity", &["found", "line", "plain"], &["all", "line"]),
    Observable::syntax("err_inline_comment", &["found", "line", "text"], &["line"]),
    Observable::syntax("err_invisible_character", &["found", "line", "plain"], &["all", "line"]),
    Observable::syntax("err_keyword_case", &["found", "keyword", "line", "word"], &["line"]),
    Observable::syntax("err_keyword_misspelt", &["found", "line", "nearest", "word"], &["line"]),
    Observable::syntax("err_label", &["label", "quoted"], &["label"]),
    Observable::syntax("err_label_after_target", &["text_between"], &["link", "text_between"]),
    Observable::syntax("err_lone_word", &["expected", "found", "line"], &["line"]),
    Observable::syntax("err_markdown", &["found", "line"], &["line"]),
    Observable::syntax("err_member_parens", &["member"], &[]),
    Observable::syntax("err_message_colon", &["name", "text"], &["name_end"]),
    Observable::syntax("err_metadata_yaml", &["detail", "text"], &[]),
    Observable::syntax("err_mismatched_closer", &["found", "line", "opener", "closer"], &["line", "opener"]),
    Observable::syntax("err_mismatched_shape", &["closer", "found", "opener"], &["opener"]),
    Observable::syntax(
        "err_missing_end",
        &["closed", "keyword", "lead", "opener", "tail"],
        &["end", "opener", "wrong"],
    ),
    Observable::syntax("err_other_diagram", &["found", "line", "other"], &["line"]),
    Observable::syntax("err_parens_in_label", &["label", "quoted"], &["label"]),
    Observable::syntax("err_pipe_unclosed", &["pipe_label"], &["label_end", "pipe_label"]),
    Observable::syntax("err_placeholder", &["found", "line"], &["line"]),
    Observable::syntax("err_prose", &["found", "line"], &["line"]),
    Observable::syntax("err_prose_before", &["front_matter", "header", "line"], &["before"]),
    Observable::syntax("err_quote_in_label", &["label", "quoted"], &["label"]),
    Observable::syntax("err_rest", &["found", "line"], &["line"]),
    Observable::syntax("err_role_words", &["label", "quoted"], &["label"]),
    Observable::syntax("err_second_diagram", &["found", "line", "word"], &["line"]),
    Observable::syntax("err_section_outside", &["block", "inside", "section"], &["opener"]),
    Observable::syntax("err_semicolon_end", &["found", "line"], &["line"]),
    Observable::syntax("err_slash_in_label", &["label", "quoted"], &["label"]),
    Observable::syntax("err_smart_quote", &["found", "line", "plain"], &["all", "line"]),
    Observable::syntax("err_state_quotes", &["id", "text"], &[]),
    Observable::syntax("err_statement", &["form", "found", "keyword", "line"], &["keyword", "line"]),
    Observable::syntax("err_stray_brace", &["opener", "text"], &["opener"]),
    Observable::syntax("err_stray_character", &["found", "line"], &["line"]),
    Observable::syntax("err_stray_closer", &["found", "line", "opener"], &["line"]),
    Observable::syntax("err_surplus_end", &["text"], &[]),
    Observable::syntax("err_unclosed_body", &["here", "lead", "tail"], &["here", "wrong"]),
    Observable::syntax(
        "err_unclosed_braces",
        &["closed", "keyword", "lead", "opener", "tail"],
        &["end", "opener", "wrong"],
    ),
    Observable::syntax("err_unclosed_bracket", &["closer", "found", "line", "opener"], &["end", "line"]),
    Observable::syntax("err_unclosed_label_quote", &["label", "quoted"], &["label"]),
    Observable::syntax("err_unclosed_quote", &["found", "line"], &["end", "line"]),
    Observable::syntax("err_unclosed_shape", &["closer", "found", "line", "opener"], &["end", "line"]),
    Observable::syntax("err_unicode_arrow", &["found", "line", "plain"], &["all", "line"]),
    Observable::syntax("err_unquoted", &["bare", "quoted"], &["bare"]),
    Observable::syntax("err_value", &["number", "words"], &[]),
    Observable::syntax("err_xy_text", &["bare", "missing", "quoted"], &["bare"]),
    Observable::syntax("err_xy_values", &["bare", "missing"], &["bare"]),
    Observable::fact("kanban-without-column", &["text"], &[]),
    Observable::fact("lint-state-arrow", &["found", "nearest"], &[]),
    Observable::fact("lint-state-quotes", &["id", "text"], &[]),
    Observable::fact("lint-stray-brace", &["opener", "text"], &["opener"]),
    Observable::syntax("nesting_too_deep", &["limit"], &[]),
    Observable::fact("shape-unknown", &["shape"], &[]),
    Observable::fact("treeview-mixed-indentation", &["text"], &[]),
    Observable::syntax("unchecked_diagram", &["header"], &[]),
    Observable::syntax("unexpected", &["expected", "found", "line"], &["line"]),
    Observable::syntax("unknown_diagram", &["word"], &[]),
];
