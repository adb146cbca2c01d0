//! Block quotes, and the whitespace after their marks.

use std::ops::Range;

use super::{
    blocks::{Blocks, Quote},
    lines::Part,
};
use crate::budget;

/// Whitespace after the mark of a quote, besides the first space.
#[derive(Debug)]
pub(super) struct QuoteIndent {
    pub(super) range: Range<usize>,
    /// Whether a list begins after it, or is around it.
    pub(super) list: bool,
}

impl Blocks<'_> {
    /// The blank lines between a quote and the next one beside it.
    pub(super) fn gap_after(&self, index: usize) -> Range<usize> {
        let quote = &self.quotes[index];
        let end = self.quote_end(quote);
        let next = self.quotes[index + 1..].iter().find(|next| next.range.start >= end);
        let Some(next) = next.filter(|next| next.depth == quote.depth && next.parent == quote.parent) else {
            return 0..0;
        };
        let last = self.lines.at(end.saturating_sub(1));
        let first = self.lines.at(next.range.start);
        let is_blank = (last + 1..first).all(|line| self.lines.text(line).trim().is_empty());
        if is_blank { last + 1..first } else { 0..0 }
    }

    /// The end of a quote's last line with a mark.
    fn quote_end(&self, quote: &Quote) -> usize {
        quote.range.start + self.text[quote.range.clone()].trim_end().len()
    }

    /// Whitespace after the marks of quotes that indents what they quote.
    pub(super) fn quote_indents(&self) -> Vec<QuoteIndent> {
        let mut found = Vec::new();
        let mut items: Vec<Lines> = self
            .lists
            .iter()
            .flat_map(|list| &list.items)
            .map(|item| Lines {
                first: self.lines.at(item.range.start),
                last: self.lines.at(item.end.saturating_sub(1)),
                start: item.range.start,
                content: item.content,
            })
            .collect();
        items.sort_unstable_by_key(|item| (item.first, item.start));
        for quote in &self.quotes {
            let first = self.lines.at(quote.range.start);
            let last = self.lines.at(self.quote_end(quote).saturating_sub(1));
            for line in budget::within(first..=last) {
                found.extend(self.indent_in_quote(quote, line, line == first, &items));
            }
        }
        found
    }

    fn indent_in_quote(
        &self,
        quote: &Quote,
        line: usize,
        is_first: bool,
        items: &[Lines],
    ) -> Option<QuoteIndent> {
        let range = self.lines.range(line);
        let after = if is_first {
            quote.range.start + 1
        } else {
            after_marks(self.text, range.clone(), quote.depth)?
        };
        let after = after + usize::from(self.text[after..range.end].starts_with([' ', '\t']));
        let rest = &self.text[after..range.end];
        let mut spaces = rest.len() - rest.trim_start_matches([' ', '\t']).len();
        if spaces == 0 || self.lines.is(line, Part::HTML) {
            return None;
        }
        if self.lines.is(line, Part::CODE) && !rest[spaces..].starts_with('>') {
            spaces = spaces.min(self.fence_indent(line)?);
        }
        let begun = items.partition_point(|item| item.first < line);
        let mut around =
            items[..begun].iter().filter(|item| item.last >= line && item.start > quote.range.start);
        // A line that is not indented as far as the text of its item is a part of its paragraph all the same.
        let is_lazy = |item: &Lines| spaces < rest.len() && self.lines.column(after + spaces) < item.content;
        if !around.all(is_lazy) {
            return None;
        }
        let begins = items[begun..]
            .iter()
            .take_while(|item| item.first == line)
            .any(|item| item.start == after + spaces);
        Some(QuoteIndent { range: after..after + spaces, list: begins || quote.in_list })
    }

    /// How far the fences are indented of the block whose opening fence or code a line is; nothing for other code.
    fn fence_indent(&self, line: usize) -> Option<usize> {
        let next = self.code.partition_point(|code| code.range.start <= self.lines.range(line).end);
        let code = &self.code[next.checked_sub(1)?];
        let fence = code.fence.as_ref()?;
        let opener = self.lines.at(code.range.start);
        let is_closer = fence.closed && line == self.lines.last_of(&code.range) && line != opener;
        let before = &self.text[self.lines.start(opener)..code.range.start];
        let indent = before.rfind('>').map_or(0, |at| before.len() - at - 1).saturating_sub(1);
        (!is_closer && indent > 0).then_some(indent)
    }
}

/// The lines of an item of a list.
#[derive(Debug)]
struct Lines {
    first: usize,
    last: usize,
    start: usize,
    /// Column of its text.
    content: usize,
}

/// The offset after this many marks of quotes at the start of a line.
fn after_marks(text: &str, line: Range<usize>, marks: usize) -> Option<usize> {
    let mut rest = &text[line.clone()];
    for _ in 0..marks {
        rest = rest.trim_start_matches([' ', '\t']).strip_prefix('>')?;
    }
    Some(line.end - rest.len())
}
