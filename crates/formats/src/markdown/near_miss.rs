//! Lines that were meant to open or close a metadata block and do not.

use std::ops::Range;

use memchr::memmem;

use super::{
    Dialect,
    blocks::{self, NotClosed, RawBlock, Scan},
    grammar::{self, MarkerFault, WouldBeBlock},
    metadata::{Block, BlockKind},
    page::{Findings, Page},
};
use crate::{Observation, syntax::pandoc::is_near_closer};

/// Observes why the document's first block is not closed, and gives the block that was meant.
pub(super) fn not_closed(page: &Page<'_>, scan: &Scan, findings: &mut Findings) -> Option<RawBlock> {
    match scan.not_closed? {
        NotClosed::BlankLine(at) => {
            let content = scan.blocks.first().map(|block| block.content.clone());
            findings.add(blank_line(page, "err_blank_line_in_frontmatter", at, content));
            None
        }
        NotClosed::Unclosed => unclosed(page, findings),
    }
}

fn unclosed(page: &Page<'_>, findings: &mut Findings) -> Option<RawBlock> {
    let meant = grammar::would_be_block(page.text())?;
    // Without fields, the line is a thematic break of ordinary Markdown.
    if !page.dialect.has_blocks() && (meant.fields.is_empty() || meant.blank.is_some()) {
        return None;
    }
    let opener = page.span(0..3);
    let fields =
        meant.fields.start.min(meant.tag.as_ref().map_or(usize::MAX, |(key, _)| key.start))..meant.fields.end;
    let insert = page.span(fields.end..fields.end);
    let fault = meant.closer.as_ref().map(|closer| (closer, closer.fault));
    let observation = match fault {
        Some((closer, Some(fault))) => {
            let line = &page.text()[closer.span.clone()];
            Observation::new(closer_fault(fault), page.span(closer.span.clone()))
                .with("line", line)
                .with("rest", line.trim_start_matches('-').trim())
                .at("opener", opener)
        }
        Some((closer, None)) if fields.is_empty() => {
            Observation::new("err_empty_block", page.span(closer.span.clone())).at("opener", opener)
        }
        _ => {
            let observation = Observation::new("err_unclosed_frontmatter", opener)
                .with("closer", closer_line(page.text(), fields.end))
                .at("insert", insert);
            let below = page.text()[fields.end..].lines().next().unwrap_or_default().trim_end();
            if is_near_closer(below) {
                let near = page.span(fields.end..fields.end + below.len());
                observation.with("near", below).at("near", near)
            } else {
                observation
            }
        }
    };
    findings.add(observation);
    let content = fields.start..fields.start + page.text()[fields.clone()].trim_end().len();
    let end = meant.closer.map_or(fields.end, |closer| closer.span.end);
    (!content.is_empty()).then_some(RawBlock { start: 0, content, end, name: None })
}

/// `---` as a line to insert at `offset`, with the line end of the line above.
fn closer_line(text: &str, offset: usize) -> String {
    let above = &text[..offset];
    match (above.ends_with("\r\n"), above.ends_with('\n')) {
        (true, _) => "---\r\n".to_owned(),
        (_, true) => "---\n".to_owned(),
        _ => "\n---\n".to_owned(),
    }
}

fn closer_fault(fault: MarkerFault) -> &'static str {
    match fault {
        MarkerFault::Indented => "err_closer_indented",
        MarkerFault::MoreDashes => "err_closer_more_dashes",
        MarkerFault::Dots => "err_closer_dots",
        MarkerFault::RunOn => "err_closer_run_on",
        MarkerFault::TrailingBlanks | MarkerFault::ByteOrderMark => "err_closer_trailing_blanks",
    }
}

/// A blank line that ends a block of the `seed` dialect; the blank lines of the content are places.
fn blank_line(page: &Page<'_>, name: &'static str, at: usize, content: Option<Range<usize>>) -> Observation {
    let text = page.text();
    let below = at + text[at..].find('\n').map_or(0, |end| end + 1);
    let mut observation = Observation::new(name, page.span(below..below)).at("opener", page.span(0..3));
    for line in content.into_iter().flat_map(|content| page.lines(content)) {
        if matches!(&text[line.clone()], "\n" | "\r\n") {
            observation = observation.at("blank", page.span(line));
        }
    }
    observation
}

/// Observes what may have been meant as a block in the text between the blocks. `is_literal` returns
/// whether an offset is within code or a comment.
pub(super) fn in_text(
    page: &Page<'_>,
    metadata: &[Block],
    is_literal: impl Fn(usize) -> bool,
    findings: &mut Findings,
) {
    if page.dialect == Dialect::Tildes {
        return;
    }
    let words = page.text().trim_start_matches(|c: char| c == '\u{FEFF}' || c.is_whitespace());
    let first = page.text().len() - words.len();
    let mut search = Search { page, is_literal, findings, first, last_opener: None };
    let mut from = 0;
    for block in metadata {
        search.gap(from..block.raw.start);
        from = block.raw.end;
    }
    search.gap(from..page.text().len());
}

struct Search<'s, 'a, L> {
    page: &'s Page<'a>,
    is_literal: L,
    findings: &'s mut Findings,
    /// Offset of the first character that is not whitespace.
    first: usize,
    /// Offset after the last `---` with `\n`, once it is looked for; 0 without one.
    last_opener: Option<usize>,
}

impl<L: Fn(usize) -> bool> Search<'_, '_, L> {
    fn gap(&mut self, gap: Range<usize>) {
        let text = self.page.text();
        let mut from = gap.start;
        while let Some(at) = memmem::find(&text.as_bytes()[from..gap.end], b"---") {
            let dashes = from + at;
            let after = dashes + text[dashes..].bytes().take_while(|byte| *byte == b'-').count();
            from = after.min(gap.end);
            let Some(start) = line_start(text, dashes) else { continue };
            if !self.is_promising(start, after) {
                continue;
            }
            if let Some(meant) = grammar::would_be_block(&text[start..]) {
                self.candidate(start, &meant);
                let seen = meant.closer.as_ref().map_or(meant.fields.end, |closer| closer.span.start);
                from = from.max(start + seen).min(gap.end);
            }
        }
    }

    /// Whether fields may follow a line of dashes: a quick test before the grammar is used.
    fn is_promising(&self, start: usize, after: usize) -> bool {
        let rest = &self.page.text()[after..];
        let below = rest.trim_start_matches([' ', '\t']);
        if !below.starts_with(['\n', '\r']) {
            return false;
        }
        let line = below.trim_start();
        let starts_with =
            |key: &str| line.get(..key.len()).is_some_and(|word| word.eq_ignore_ascii_case(key));
        let is_tag = ["quill", "scope", "card"].into_iter().any(starts_with);
        (is_tag && self.page.dialect.has_blocks()) || self.is_first(start)
    }

    /// Whether there is only whitespace above.
    fn is_first(&self, start: usize) -> bool {
        start <= self.first
    }

    fn candidate(&mut self, start: usize, meant: &WouldBeBlock) {
        if (self.is_literal)(start) || !self.is_meant(start, meant) {
            return;
        }
        let text = self.page.text();
        let shifted = |range: &Range<usize>| start + range.start..start + range.end;
        let opener = shifted(&meant.opener.span);
        let name = self.reason(start, meant);
        let mut observation =
            Observation::new(name, self.page.span(opener.clone())).with("line", &text[opener.clone()]);
        if let Some((key, tag)) = &meant.tag {
            let tag = format!("{}: {}", &text[shifted(key)], &text[shifted(tag)]);
            observation = observation.with("tag", tag);
        }
        for blank in self.blank_lines(start, meant, name) {
            observation = observation.at("blank", self.page.span(blank));
        }
        if name == "err_opener_line_ends" {
            observation = observation.at("carriage", self.page.span(opener.end..opener.end + 1));
        }
        if meant.opener.fault.is_some() {
            observation = observation.at("marker", self.page.span(opener));
        }
        let observation = self.closing(start, meant, observation);
        self.findings.add(observation);
    }

    /// Adds what closes the block, or where that would be.
    fn closing(&self, start: usize, meant: &WouldBeBlock, observation: Observation) -> Observation {
        let Some(closer) = &meant.closer else {
            let end = start + meant.fields.end;
            return observation
                .with("closer", closer_line(self.page.text(), end))
                .at("insert", self.page.span(end..end));
        };
        let range = start + closer.span.start..start + closer.span.end;
        let place = self.page.span(range.clone());
        let observation = observation.at("closer", place);
        match closer.fault {
            Some(_) => observation.at("marker", place).with("near", &self.page.text()[range]),
            None => observation,
        }
    }

    /// The blank lines that keep the fields from being a block's.
    fn blank_lines(&self, start: usize, meant: &WouldBeBlock, name: &str) -> Vec<Range<usize>> {
        let range = match (&meant.blank, name) {
            (Some(blank), _) => blank.clone(),
            (None, "err_blank_line_hides_block") => meant.fields.clone(),
            _ => return Vec::new(),
        };
        let text = self.page.text();
        let lines = self.page.lines(start + range.start..start + range.end);
        lines.filter(|line| text[line.clone()].trim().is_empty()).collect()
    }

    /// Whether a block was meant, rather than a rule between two paragraphs.
    fn is_meant(&self, start: usize, meant: &WouldBeBlock) -> bool {
        let text = &self.page.text()[start..];
        let exact = meant
            .tag
            .as_ref()
            .is_some_and(|(key, _)| text[key.clone()].bytes().all(|byte| byte.is_ascii_uppercase()));
        let proper = meant.opener.fault.is_none() && meant.blank.is_none();
        let whole = meant.closer.is_some() && !meant.fields.is_empty();
        exact || whole && (meant.tag.is_some() || self.is_first(start)) && (!proper || start > 0)
    }

    fn reason(&mut self, start: usize, meant: &WouldBeBlock) -> &'static str {
        match meant.opener.fault {
            Some(MarkerFault::ByteOrderMark) => "err_opener_after_bom",
            Some(MarkerFault::Indented) => "err_opener_indented",
            Some(MarkerFault::MoreDashes) => "err_opener_more_dashes",
            Some(_) => "err_opener_trailing_blanks",
            None if meant.blank.is_some() => "err_opener_blank_below",
            None if self.is_hidden(start) => "err_opener_line_ends",
            None if self.is_interrupted(start, meant) => "err_blank_line_hides_block",
            None => "err_unclosed_block",
        }
    }

    /// Whether the line ends with `\r\n` above a `---` that ends with `\n`, for which the parser looks
    /// first.
    fn is_hidden(&mut self, start: usize) -> bool {
        let text = self.page.text().as_bytes();
        let find = || memmem::rfind(text, b"---\n").map_or(0, |at| at + 4);
        let last = *self.last_opener.get_or_insert_with(find);
        text[start..].starts_with(b"---\r\n") && last > start
    }

    fn is_interrupted(&self, start: usize, meant: &WouldBeBlock) -> bool {
        let fields = &self.page.text()[start..][meant.fields.clone()];
        self.page.dialect == Dialect::Seed && (fields.contains("\n\n") || fields.contains("\r\n\r\n"))
    }
}

/// Start of the line if only up to three spaces, or a byte order mark, are before `offset`.
pub(super) fn line_start(text: &str, offset: usize) -> Option<usize> {
    let blanks = text[..offset].bytes().rev().take(4).take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    let start = offset - blanks;
    let after_mark = start == '\u{FEFF}'.len_utf8() && text.starts_with('\u{FEFF}');
    match blanks {
        0..=3 if blocks::at_line_start(text, start) => Some(start),
        0..=3 if after_mark => Some(0),
        _ => None,
    }
}

/// Observes lines of a block that were likely meant to close it.
pub(super) fn in_block(page: &Page<'_>, block: &Block, findings: &mut Findings) {
    if page.dialect == Dialect::Tildes || block.raw.name.is_some() {
        return;
    }
    let text = page.text();
    if block.malformed && page.dialect.has_blocks() {
        let opener = block.raw.start;
        let swallowed =
            grammar::would_be_block(&text[opener..block.raw.content.end]).and_then(|meant| meant.closer);
        if let Some(closer) = swallowed {
            let place = opener + closer.span.start..opener + closer.span.end;
            findings.add(
                Observation::new("err_swallowed_closer", page.span(place.clone()))
                    .with("line", &text[place])
                    .at("opener", page.span(opener..opener + 3)),
            );
        } else if let Some(insert) = next_opener(text, block) {
            let closer = text[..block.raw.end].trim_end().len() - 3;
            findings.add(
                Observation::new("err_closer_opens_next", page.span(closer..closer + 3))
                    .with("kind", block.kind.name())
                    .with("closer", closer_line(text, insert))
                    .at("opener", page.span(opener..opener + 3))
                    .at("insert", page.span(insert..insert)),
            );
        }
    }
}

/// Where a block should have been closed whose closing line opens the next one: after its fields.
fn next_opener(text: &str, block: &Block) -> Option<usize> {
    let below = &text[block.raw.end..];
    let is_tag = [BlockKind::Quill, BlockKind::Scope].iter().any(|kind| {
        below
            .strip_prefix(kind.key(Dialect::C2))
            .is_some_and(|rest| rest.trim_start_matches([' ', '\t']).starts_with(':'))
    });
    let meant = grammar::would_be_block(&text[block.raw.start..block.raw.content.end]).filter(|_| is_tag)?;
    let tag = meant.tag.map_or(0, |(_, name)| name.end);
    Some(block.raw.start + meant.fields.end.max(tag))
}
