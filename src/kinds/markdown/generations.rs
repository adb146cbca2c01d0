//! Blocks of other generations of the dialect, which this one takes as text or as plain fields.

use memchr::memmem;

use super::{
    metadata::Block,
    page::{Findings, Page},
};
use crate::{
    kinds::Observation,
    syntax::commonmark::{Fence, Outline},
};

/// Observes blocks in the syntax of other versions. The key CARD is observed where keys are read.
pub(super) fn observe(page: &Page<'_>, blocks: &[Block], outline: &Outline, findings: &mut Findings) {
    for block in blocks.iter().filter(|_| page.dialect.has_blocks()) {
        tags(page, block, findings);
    }
    for fence in &outline.fences {
        fences(page, fence, findings);
    }
}

/// `!quill memo` or `!scope items` instead of a key (October 2025).
fn tags(page: &Page<'_>, block: &Block, findings: &mut Findings) {
    let content = &page.text()[block.raw.content.clone()];
    if !content.starts_with('!') && memmem::find(content.as_bytes(), b"\n!").is_none() {
        return;
    }
    for line in page.lines(block.raw.content.clone()) {
        let text = page.text()[line.clone()].trim_end();
        let tag = ["!quill", "!scope"].into_iter().find(|tag| {
            text.strip_prefix(tag).is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\t', ':']))
        });
        if let Some(tag) = tag {
            let place = page.span(line.start..line.start + text.len());
            let name = text[tag.len()..].trim_matches([' ', '\t', ':']);
            let key = tag[1..].to_ascii_uppercase();
            let mut observation =
                Observation::new("dialect-tags", place).with("line", text).with("key", key.as_str());
            if !name.is_empty() {
                observation = observation.with("replacement", format!("{key}: {name}"));
            }
            findings.add(observation);
        }
    }
}

/// ```` ```card kind ```` (0.79 – 0.81), `~~~card-yaml` and `~~~` with `$quill:` or `$kind:` (since 0.82).
fn fences(page: &Page<'_>, fence: &Fence, findings: &mut Findings) {
    let text = page.text();
    let line = page.span(fence.marker.start..fence.info.end.max(fence.marker.end));
    let tilde = text[fence.marker.clone()].starts_with('~');
    let name = match (&text[fence.language.clone()], tilde) {
        ("card", false)
            if page.dialect.has_blocks() && !fence.braced && fence.info.len() > fence.language.len() =>
        {
            "dialect-card-fence"
        }
        ("card-yaml", _) => "dialect-tilde-block",
        ("", true) if is_field_block(text, fence) => "dialect-tilde-block",
        _ => return,
    };
    let opener = &text[fence.marker.start..fence.info.end.max(fence.marker.end)];
    findings.add(Observation::new(name, line).with("line", opener));
}

fn is_field_block(text: &str, fence: &Fence) -> bool {
    let content = fence.content.first().map_or("", |piece| &text[piece.clone()]);
    ["$quill:", "$kind:"].iter().any(|key| content.starts_with(key))
}
