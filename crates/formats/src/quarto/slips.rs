//! Marks that are not closed, and lines that are not the block that they look like.

use crate::{
    Observation,
    markdown::page::{Findings, Page},
    syntax::pandoc::{Pandoc, Slip, SlipKind},
    text::clip,
};

/// Longest piece of text in a message.
const CLIP: usize = 60;

/// Observes the slips of a document, and a header without an end.
pub(super) fn observe(page: &Page<'_>, scan: &Pandoc, findings: &mut Findings) {
    if let Some(header) = scan.header.as_ref().filter(|header| header.closer.is_none()) {
        let text = page.text();
        let content = &text[header.content.clone()];
        let end = header.content.start + content.trim_end().len();
        let line_end = if text[end..].starts_with("\r\n") { "\r\n" } else { "\n" };
        let observation = Observation::new("unclosed_header", page.span(header.opener.clone()))
            .with("closer", format!("{line_end}---"))
            .at("insert", page.span(end..end));
        findings.add(match &header.near_closer {
            Some(near) => observation.with("near", &text[near.clone()]).at("near", page.span(near.clone())),
            None => observation,
        });
    }
    for slip in &scan.slips {
        findings.add(observation(page, slip));
    }
}

fn observation(page: &Page<'_>, slip: &Slip) -> Observation {
    let range = slip.range.clone();
    let written = &page.text()[range.clone()];
    let end = page.span(range.end..range.end);
    let start = page.span(range.start..range.start);
    let named = |name: &'static str| Observation::new(name, page.span(range.clone()));
    let closed = |name| named(name).with("written", clip(written, CLIP)).at("insert", end);
    match slip.kind {
        SlipKind::UnclosedAttributes => closed("unclosed_attributes"),
        SlipKind::UnreadAttributes => named("unread_attributes").with("written", clip(written, CLIP)),
        SlipKind::UnclosedImage => closed("unclosed_image"),
        SlipKind::UnclosedLink => closed("unclosed_link"),
        SlipKind::UnclosedShortcode => {
            let body = written.trim_end_matches(['>', '}']).trim_end();
            let name = body.trim_start_matches(['{', '<']).split_whitespace().next().unwrap_or_default();
            let tail = range.start + body.len()..range.end;
            named("unclosed_shortcode")
                .with("written", clip(written, CLIP))
                .with("name", clip(name, CLIP))
                .at("tail", page.span(tail))
        }
        SlipKind::SurplusDivEnd => named("surplus_div_end").with("colons", written),
        SlipKind::UnclosedComment => named("unclosed_comment"),
        SlipKind::DivWithText => named("div-with-text").with("text", clip(written, CLIP)),
        SlipKind::DivInParagraph => {
            named("div-in-paragraph").with("written", clip(written, CLIP)).at("insert", start)
        }
        SlipKind::IndentedDiv => named("indented-div").with("written", clip(written, CLIP)),
        SlipKind::HeadingInParagraph => {
            named("heading-in-paragraph").with("marks", written).at("insert", start)
        }
        SlipKind::SurplusCells => named("cells-not-shown").with("written", clip(written, CLIP)),
    }
}
