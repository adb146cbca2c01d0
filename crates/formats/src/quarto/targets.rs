//! What cross-references can refer to.

use std::ops::Range;

use memchr::memmem;

use super::files::Part;
use crate::{
    syntax::pandoc::SlipKind,
    text::{SourceId, Span},
    tree::{Node, NodeId, Scalar, TreeBuilder},
};

/// Prefixes of cross-references that Quarto defines.
pub(super) const PREFIXES: &[&str] = &[
    "fig", "tbl", "sec", "eq", "lst", "thm", "lem", "cor", "prp", "cnj", "def", "exm", "exr", "sol", "rem",
    "alg", "nte", "tip", "wrn", "imp", "cau", "prf",
];

/// A label.
pub(super) struct Target {
    pub(super) name: String,
    pub(super) span: Span,
    pub(super) source: SourceId,
    /// What has the label.
    pub(super) of: &'static str,
    /// Whether only some output formats show it.
    pub(super) conditional: bool,
}

/// The prefixes of cross-references that a document can use.
pub(super) struct Prefixes {
    custom: Vec<String>,
}

impl Prefixes {
    /// The built-in ones and those of the header's `crossref`.
    pub(super) fn new(header: Option<Node<'_>>, project: &[String]) -> Self {
        let custom =
            header.and_then(|header| header.get("crossref")).and_then(|crossref| crossref.get("custom"));
        let keys = custom.into_iter().flat_map(Node::items).filter_map(|item| item.get("key")?.as_str());
        Self { custom: keys.map(str::to_owned).chain(project.iter().cloned()).collect() }
    }

    /// The prefix of a label, if it is one of a cross-reference.
    pub(super) fn of<'n>(&self, name: &'n str) -> Option<&'n str> {
        let (prefix, rest) = name.split_once('-')?;
        let known = PREFIXES.contains(&prefix) || self.custom.iter().any(|custom| custom == prefix);
        (known && !rest.is_empty()).then_some(prefix)
    }
}

/// Labels in raw HTML and TeX, and of cells that are embedded from notebooks.
pub(super) fn raw(part: &Part<'_>, prefixes: &Prefixes, targets: &mut Vec<Target>) {
    let text = part.page.text();
    let mut add = |range: Range<usize>, of| {
        let name = &text[range.clone()];
        if prefixes.of(name).is_some() {
            let span = part.page.span(range);
            targets.push(Target { name: name.to_owned(), span, source: part.source, of, conditional: true });
        }
    };
    for (opening, closing) in [("\\label{", '}'), (" id=\"", '"'), (" id='", '\'')] {
        for at in memmem::find_iter(text.as_bytes(), opening) {
            let start = at + opening.len();
            let window = text[start..].char_indices().take(200);
            let end = window.take_while(|(_, c)| *c != closing && !c.is_whitespace()).last();
            if let Some((end, c)) = end {
                add(start..start + end + c.len_utf8(), "raw");
            }
        }
    }
    for shortcode in &part.scan.shortcodes {
        for argument in &shortcode.arguments {
            if let Some(at) = text[argument.clone()].find('#') {
                add(argument.start + at + 1..argument.end, "embed");
            }
        }
    }
}

/// Labels in attributes that could not be read, such as those that nothing closes: what refers to them is not wrong.
pub(super) fn unread(part: &Part<'_>, prefixes: &Prefixes, targets: &mut Vec<Target>) {
    let is_attributes = |kind| {
        matches!(kind, SlipKind::UnclosedAttributes | SlipKind::UnreadAttributes | SlipKind::UnclosedImage)
    };
    for slip in part.scan.slips.iter().filter(|slip| is_attributes(slip.kind)) {
        let text = &part.page.text()[slip.range.clone()];
        for (at, _) in text.match_indices('#') {
            let end =
                text[at + 1..].find(|c: char| !c.is_alphanumeric() && !matches!(c, '-' | '_' | '.' | ':'));
            let range =
                slip.range.start + at + 1..slip.range.start + end.map_or(text.len(), |end| at + 1 + end);
            let name = &part.page.text()[range.clone()];
            if prefixes.of(name).is_some() {
                let (name, span) = (name.to_owned(), part.page.span(range));
                targets.push(Target { name, span, source: part.source, of: "unread", conditional: true });
            }
        }
    }
}

/// Adds `targets` to the open mapping.
pub(super) fn write(
    targets: &[Target],
    prefixes: &Prefixes,
    whole: Span,
    builder: &mut TreeBuilder,
) -> NodeId {
    builder.key_static("targets");
    let sequence = builder.open_sequence(whole);
    for target in targets {
        builder.set_source(target.source);
        builder.open_mapping(target.span);
        builder.field("id", Scalar::Text(&target.name), target.span);
        if let Some(prefix) = prefixes.of(&target.name) {
            builder.field("type", Scalar::Text(prefix), target.span);
        }
        builder.field("of", Scalar::Static(target.of), target.span);
        builder.field("conditional", Scalar::Bool(target.conditional), target.span);
        builder.close(None);
    }
    builder.set_source(SourceId(0));
    builder.close(None);
    sequence
}
