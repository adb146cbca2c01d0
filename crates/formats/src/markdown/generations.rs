//! Blocks of other generations of the dialect, which this one takes as text or as plain fields.

use std::ops::Range;

use memchr::memmem;

use super::{
    Dialect,
    blocks::{self, RawBlock, Scan},
    metadata::Block,
    page::{Findings, Page},
};
use crate::{
    Observation,
    syntax::commonmark::{self, Fence, Outline},
};

/// Observes blocks in the syntax of other versions. The key CARD is observed where keys are read.
pub(super) fn observe(page: &Page<'_>, blocks: &[Block], outline: &Outline, findings: &mut Findings) {
    if page.dialect.is_later() {
        unclosed(page, outline, findings);
        return;
    }
    let has_tags = || memmem::find(page.text().as_bytes(), b"\n!").is_some();
    if page.dialect.has_blocks() && has_tags() {
        for block in blocks {
            tags(page, block, findings);
        }
    }
    for fence in &outline.fences {
        fences(page, fence, findings);
    }
}

/// Whether text begins with a block of tildes that names a quill.
pub(super) fn shows_tildes(text: &str) -> bool {
    let text = text.trim_start_matches('\u{FEFF}');
    let mut lines = text.lines().skip_while(|line| line.trim().is_empty());
    lines.next().is_some_and(|opener| opener.starts_with("~~~"))
        && lines.take_while(|line| !line.starts_with("~~~")).any(|line| line.starts_with("$quill:"))
}

/// Finds the blocks of text in one of the later dialects.
pub(super) fn scan(text: &str, dialect: Dialect) -> Scan {
    let mut found = if dialect == Dialect::Cards { blocks::scan(text, Dialect::C2) } else { Scan::default() };
    let known: Vec<Range<usize>> = found.blocks.iter().map(|block| block.start..block.end).collect();
    let outline = commonmark::read(text, &known);
    let fences = outline.fences.iter().filter(|fence| fence.closed && is_block(text, fence, dialect));
    found.blocks.extend(fences.map(|fence| block(text, fence, dialect)));
    found.blocks.sort_by_key(|block| block.start);
    found
}

fn is_block(text: &str, fence: &Fence, dialect: Dialect) -> bool {
    let tilde = text[fence.marker.clone()].starts_with('~');
    blocks::at_line_start(text, fence.marker.start)
        && match dialect {
            Dialect::Tildes => tilde,
            _ => !tilde && text[fence.language.clone()] == *"card" && !collection(text, fence).is_empty(),
        }
}

/// The name after `card`.
fn collection(text: &str, fence: &Fence) -> Range<usize> {
    let rest = &text[fence.language.end..fence.info.end.max(fence.language.end)];
    let start = fence.language.end + (rest.len() - rest.trim_start().len());
    start..start + rest.trim().len()
}

fn block(text: &str, fence: &Fence, dialect: Dialect) -> RawBlock {
    let content = fence.content_range();
    let inner = &text[content.clone()];
    let inner = inner.strip_suffix('\n').map_or(inner, |inner| inner.strip_suffix('\r').unwrap_or(inner));
    let below = &text[fence.range.end..];
    let line_end = ["\r\n", "\n"].iter().find(|end| below.starts_with(**end)).map_or(0, |end| end.len());
    let ended = text[..fence.range.end].ends_with('\n');
    RawBlock {
        start: fence.marker.start,
        content: content.start..content.start + inner.len(),
        end: fence.range.end + if ended { 0 } else { line_end },
        name: (dialect == Dialect::Cards).then(|| collection(text, fence)),
    }
}

/// Blocks that nothing closes, which are code up to the end of the text.
fn unclosed(page: &Page<'_>, outline: &Outline, findings: &mut Findings) {
    let text = page.text();
    for fence in outline.fences.iter().filter(|fence| !fence.closed && is_block(text, fence, page.dialect)) {
        let marker = page.span(fence.marker.clone());
        let opener = &text[fence.marker.clone()];
        findings.add(Observation::new("metadata-fence-unclosed", marker).with("marker", opener));
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
