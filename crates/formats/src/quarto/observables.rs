use crate::{Observable, budget::Lazy, markdown::observables, syntax::yaml};

/// What reading a Quarto document can observe: its own names, and those of Markdown and YAML.
pub(super) static ALL: Lazy<Vec<Observable>> = Lazy::new(|| {
    [OWN, observables::FENCES, observables::DIAGRAMS, observables::TEXT, yaml::OBSERVABLES].concat()
});

const OWN: &[Observable] = &[
    // The header.
    Observable::syntax("unclosed_header", &["closer", "near"], &["insert", "near"]),
    Observable::syntax("header_not_a_mapping", &["type"], &[]),
    Observable::syntax("header_too_large", &["size", "limit"], &[]),
    // Marks that are not closed, or close nothing.
    Observable::syntax("unclosed_attributes", &["written"], &["insert"]),
    Observable::syntax("unread_attributes", &["written"], &[]),
    Observable::syntax("unclosed_shortcode", &["written", "name"], &["tail"]),
    Observable::syntax("unclosed_image", &["written"], &["insert"]),
    Observable::syntax("unclosed_link", &["written"], &["insert"]),
    Observable::syntax("unclosed_div", &["written", "colons"], &["inner"]),
    Observable::syntax("surplus_div_end", &["colons"], &[]),
    Observable::syntax("unclosed_comment", &[], &[]),
    // Lines that are not the block that they look like.
    Observable::fact("div-with-text", &["text"], &[]),
    Observable::fact("div-in-paragraph", &["written"], &["insert"]),
    Observable::fact("heading-in-paragraph", &["marks"], &["insert"]),
    Observable::fact("cells-not-shown", &["written"], &[]),
    Observable::fact("indented-div", &["written"], &[]),
    // Other files.
    Observable::fact("include-not-found", &["file", "outside"], &[]),
    Observable::fact("include-not-read", &["file"], &[]),
    Observable::fact("include-cycle", &["file", "chain"], &[]),
    Observable::fact("include-limit", &["file", "limit"], &[]),
    Observable::fact("include-not-utf8", &["file"], &[]),
    Observable::fact("bibliography-not-found", &["file", "outside"], &[]),
    Observable::fact("image-not-found", &["file"], &[]),
];
