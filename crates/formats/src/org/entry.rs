//! Headlines with positions instead of text, for outlines whose text changes.

use super::{
    inline::InlineTask,
    outline::{Drawer, Headline, Planning},
};
use crate::text::Span;

/// A headline; positions and lines are relative to the part of the document that it is in.
#[derive(Debug, Clone)]
pub(super) struct Entry {
    pub(super) span: Span,
    /// Lines before it.
    pub(super) line: u32,
    pub(super) level: usize,
    pub(super) todo: Option<Span>,
    priority: Option<Span>,
    commented: bool,
    title: Span,
    tags: Vec<Span>,
    planning: Option<Pairs>,
    properties: Option<Pairs>,
    /// Its end is that of the part, unless it is an inline task.
    body: Span,
    /// Of an inline task.
    pub(super) section: Span,
    /// Last line of an inline task.
    end_line: u32,
    pub(super) inline: Option<InlineTask>,
}

/// A line of dates, or a drawer.
#[derive(Debug, Clone)]
pub(super) struct Pairs {
    span: Span,
    entries: Vec<(Span, Span)>,
}

/// The span of a part of `text`, relative to `base`.
fn within(text: &str, part: &str, base: usize) -> Span {
    let start = part.as_ptr() as usize - text.as_ptr() as usize - base;
    Span::new(start, start + part.len())
}

fn before(span: Span, base: usize) -> Span {
    Span::new((span.start as usize).saturating_sub(base), (span.end as usize).saturating_sub(base))
}

impl Pairs {
    pub(super) fn of(span: Span, entries: &[(&str, &str)], text: &str, base: usize) -> Self {
        let entries = entries.iter().map(|(key, value)| (within(text, key, base), within(text, value, base)));
        Self { span: before(span, base), entries: entries.collect() }
    }

    /// The pairs with their text; `start` is where `text` begins in the document.
    pub(super) fn pairs<'t>(&self, text: &'t str, start: usize) -> (Span, Vec<(&'t str, &'t str)>) {
        let entries = self.entries.iter().map(|(key, value)| (key.of(text), value.of(text)));
        (self.span.shifted(start), entries.collect())
    }
}

impl Entry {
    /// A headline of `text`, relative to the byte `base` and to the number of lines before that.
    pub(super) fn of(headline: &Headline<'_>, text: &str, base: usize, lines: u32) -> Self {
        let part = |part: &str| within(text, part, base);
        let is_inline = headline.inline.is_some();
        let end = headline.inline.and_then(|task| task.end);
        Self {
            span: before(headline.span, base),
            line: headline.line - 1 - lines,
            level: headline.level,
            todo: headline.todo.map(part),
            priority: headline.priority.map(part),
            commented: headline.commented,
            title: part(headline.title),
            tags: headline.tags.iter().map(|tag| part(tag)).collect(),
            planning: headline
                .planning
                .as_ref()
                .map(|planning| Pairs::of(planning.span, &planning.entries, text, base)),
            properties: headline
                .properties
                .as_ref()
                .map(|drawer| Pairs::of(drawer.span, &drawer.entries, text, base)),
            body: before(headline.body, base),
            section: if is_inline { before(headline.section, base) } else { Span::default() },
            end_line: if is_inline { headline.end_line - lines } else { 0 },
            inline: headline.inline.map(|_| InlineTask { end: end.map(|end| before(end, base)) }),
        }
    }

    /// The headline in its part of the document, which begins at `start` and after that many `lines`. What depends on other
    /// headlines is missing.
    pub(super) fn headline<'t>(&self, text: &'t str, start: usize, lines: u32) -> Headline<'t> {
        let is_inline = self.inline.is_some();
        Headline {
            span: self.span.shifted(start),
            section: if is_inline { self.section.shifted(start) } else { Span::default() },
            line: self.line + 1 + lines,
            end_line: if is_inline { self.end_line + lines } else { 0 },
            level: self.level,
            todo: self.todo.map(|todo| todo.of(text)),
            priority: self.priority.map(|priority| priority.of(text)),
            commented: self.commented,
            title: self.title.of(text),
            tags: self.tags.iter().map(|tag| tag.of(text)).collect(),
            planning: self.planning.as_ref().map(|planning| {
                let (span, entries) = planning.pairs(text, start);
                Planning { span, entries }
            }),
            properties: self.properties.as_ref().map(|drawer| {
                let (span, entries) = drawer.pairs(text, start);
                Drawer { span, entries }
            }),
            parent: None,
            body: self.body.shifted(start),
            inline: self.inline.map(|task| InlineTask { end: task.end.map(|end| end.shifted(start)) }),
        }
    }
}
