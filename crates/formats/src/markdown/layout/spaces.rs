//! Whitespace that markup makes odd: at the ends of lines, within code, labels and stray marks, after the marks of quotes.

use std::ops::Range;

use super::{blocks::Blocks, inlines::Code, lines::Part};
use crate::budget;

/// Where whitespace is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Where {
    LineEnd,
    Tab,
    Code,
    Label,
    Mark,
    Quote,
}

impl Where {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::LineEnd => "line_end",
            Self::Tab => "tab",
            Self::Code => "code",
            Self::Label => "label",
            Self::Mark => "mark",
            Self::Quote => "quote",
        }
    }
}

/// A run of whitespace.
#[derive(Debug)]
pub(super) struct Space {
    pub(super) range: Range<usize>,
    pub(super) place: Where,
    /// Whether the construct that it is in ends there.
    pub(super) at_end: bool,
    /// Whether it is in a list.
    pub(super) list: bool,
}

impl Space {
    fn new(place: Where, range: Range<usize>, at_end: bool) -> Self {
        Self { range, place, at_end, list: false }
    }
}

impl Blocks<'_> {
    /// All odd whitespace, in no order.
    pub(super) fn spaces(&self) -> Vec<Space> {
        let mut spaces = Vec::new();
        self.at_line_ends(&mut spaces);
        for code in budget::within(&self.inlines.code) {
            self.in_code(code, &mut spaces);
        }
        self.in_labels(&mut spaces);
        self.beside_marks(&mut spaces);
        for indent in self.quote_indents() {
            spaces.push(Space { list: indent.list, ..Space::new(Where::Quote, indent.range, false) });
        }
        spaces
    }

    fn at_line_ends(&self, spaces: &mut Vec<Space>) {
        for line in budget::within(self.lines.first()..self.lines.count()) {
            let shown = self.lines.shown(line);
            let start = self.lines.start(line);
            let length = shown.trim_end().len();
            if length < shown.len() {
                let space = Space::new(Where::LineEnd, start + length..start + shown.len(), true);
                budget::push(spaces, Space { list: self.lines.is(line, Part::LIST), ..space });
            }
            let mut at = 0;
            while let Some(tab) = memchr::memchr(b'\t', &shown.as_bytes()[at..]).map(|next| at + next) {
                let tabs = shown[tab..].bytes().take_while(|byte| *byte == b'\t').count();
                at = tab + tabs;
                budget::push(spaces, Space::new(Where::Tab, start + tab..start + at, false));
            }
        }
    }

    /// Whitespace within the backticks of code, besides the space that separates code from its marks.
    fn in_code(&self, code: &Code, spaces: &mut Vec<Space>) {
        let content = &self.text[code.content.clone()];
        let is_space = |c: Option<char>| c.is_some_and(|c| matches!(c, ' ' | '\n' | '\r'));
        let is_padded = is_space(content.chars().next())
            && is_space(content.chars().next_back())
            && !content.trim().is_empty();
        let padding = usize::from(is_padded);
        let inner = code.content.start + padding..code.content.end - padding;
        let data = &self.text[inner.clone()];
        let first = data.lines().next().unwrap_or_default();
        let last = data.rsplit('\n').next().unwrap_or_default();
        let kept = |beside: Option<char>| usize::from(beside == Some('`') && !is_padded);
        let start = first.trim_start();
        let before = if start.is_empty() { 0 } else { first.len() - start.len() };
        let before = before.saturating_sub(kept(start.chars().next()));
        let end = last.trim_end();
        let after = if end.is_empty() { 0 } else { last.len() - end.len() };
        let after = after.saturating_sub(kept(end.chars().next_back()));
        // Where both sides have more than one space, the padding is as odd as the rest.
        let is_ticked = start.starts_with('`') || end.ends_with('`');
        let padding = if before > 0 && after > 0 && !is_ticked { padding } else { 0 };
        if before > 0 {
            spaces.push(Space::new(Where::Code, inner.start - padding..inner.start + before, false));
        }
        if after > 0 {
            spaces.push(Space::new(Where::Code, inner.end - after..inner.end + padding, true));
        }
    }

    fn in_labels(&self, spaces: &mut Vec<Space>) {
        for link in self
            .inlines
            .links
            .iter()
            .filter(|link| !link.image && link.form != super::links::LinkForm::Autolink)
        {
            let label = &self.text[link.label.clone()];
            let start = label.len() - label.trim_start().len();
            let end = label.trim_end().len();
            // Where the label begins or ends with a line end, the whitespace of the line beside it counts.
            if start > 0 {
                let skipped =
                    if label.starts_with(['\n', '\r']) { label.find('\n').map_or(0, |at| at + 1) } else { 0 };
                let length = label[skipped..start].find(['\n', '\r']).map_or(start, |at| skipped + at);
                spaces.push(Space::new(
                    Where::Label,
                    link.label.start + skipped..link.label.start + length,
                    false,
                ));
            }
            if end < label.len() {
                let last = label[end..].trim_end_matches(['\n', '\r']);
                let is_cut = last.len() < label.len() - end;
                let from = if is_cut { end } else { label.rfind('\n').map_or(end, |at| (at + 1).max(end)) };
                let to =
                    if is_cut { end + last.find(['\n', '\r']).unwrap_or(last.len()) } else { label.len() };
                spaces.push(Space::new(Where::Label, link.label.start + from..link.label.start + to, true));
            }
        }
    }

    fn beside_marks(&self, spaces: &mut Vec<Space>) {
        for stray in budget::within(&self.inlines.strays) {
            let line = self.lines.range(self.lines.at(stray.opening.start));
            let after = &self.text[stray.opening.end..line.end.max(stray.opening.end)];
            let inner = after.trim_start();
            if inner.len() < after.len() && !inner.is_empty() {
                let end = stray.opening.end + (after.len() - inner.len());
                spaces.push(Space::new(Where::Mark, stray.opening.end..end, false));
            }
            let line = self.lines.start(self.lines.at(stray.closing.start));
            let before = &self.text[line..stray.closing.start];
            let inner = before.trim_end();
            if inner.len() < before.len() && !inner.is_empty() {
                spaces.push(Space::new(Where::Mark, line + inner.len()..stray.closing.start, true));
            }
        }
    }
}
