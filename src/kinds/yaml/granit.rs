//! The one place that knows `granit-parser`.

use granit_parser::{ErrorKind, Event as Granit, Parser, ScalarStyle, ScanError, StrInput, StructureStyle};

use super::event::{Event, Events, Fault, FaultKind, Style, Tag, What};
use crate::text::Span;

/// Events of `granit-parser`.
pub(super) struct GranitEvents<'t> {
    parser: Parser<'t, StrInput<'t>>,
    length: usize,
}

impl<'t> GranitEvents<'t> {
    /// Reads `text`, down to `depth` nested collections.
    pub(super) fn new(text: &'t str, depth: usize) -> Self {
        let options = granit_parser::options! {
            emit_unresolved_aliases: true,
            emit_comments: memchr::memchr(b'#', text.as_bytes()).is_some(),
            max_buffered_comment_events: usize::MAX,
            flow_nesting_limit: depth.saturating_add(1),
            block_nesting_limit: depth.saturating_add(1),
        };
        Self { parser: Parser::new_from_str_with_options(text, options), length: text.len() }
    }

    fn span(&self, span: &granit_parser::Span) -> Span {
        let start = span.start.byte_offset().unwrap_or_default().min(self.length);
        let end = span.end.byte_offset().unwrap_or_default().min(self.length);
        Span::new(start, end)
    }

    fn event(&self, event: Granit<'t>, at: &granit_parser::Span) -> Option<Event<'t>> {
        let (what, anchor, tag) = match event {
            Granit::Scalar(text, style, anchor, tag) => {
                (What::Scalar { text, style: style_of(style) }, anchor, tag)
            }
            Granit::SequenceStart(style, anchor, tag) => {
                (What::Sequence { flow: style == StructureStyle::Flow }, anchor, tag)
            }
            Granit::MappingStart(style, anchor, tag) => {
                (What::Mapping { flow: style == StructureStyle::Flow }, anchor, tag)
            }
            Granit::SequenceEnd | Granit::MappingEnd => (What::End, 0, None),
            Granit::Alias(anchor) => (What::Alias(anchor), 0, None),
            Granit::UnresolvedAlias(name) => (What::UnknownAlias(name), 0, None),
            Granit::Comment(..) => (What::Comment, 0, None),
            Granit::DocumentStart(..) => (What::DocumentStart, 0, None),
            Granit::DocumentEnd => (What::DocumentEnd, 0, None),
            _ => return None,
        };
        let tag = tag.map(|tag| {
            let span = at.tag_span().map_or_else(|| self.span(at), |span| self.span(&span));
            Box::new(Tag { name: tag.to_string(), span })
        });
        Some(Event { what, span: self.span(at), anchor, tag })
    }

    fn fault(&self, error: &ScanError) -> Fault {
        let at = error.marker().byte_offset().unwrap_or(self.length).min(self.length);
        let kind = match error.kind() {
            ErrorKind::RecursionLimitExceeded => FaultKind::TooDeep,
            _ => FaultKind::Other,
        };
        Fault { at, kind, detail: error.info() }
    }
}

impl<'t> Events<'t> for GranitEvents<'t> {
    fn next_event(&mut self) -> Option<Result<Event<'t>, Fault>> {
        loop {
            match self.parser.next_event()? {
                Err(error) => return Some(Err(self.fault(&error))),
                Ok((event, span)) => {
                    if let Some(event) = self.event(event, &span) {
                        return Some(Ok(event));
                    }
                }
            }
        }
    }
}

fn style_of(style: ScalarStyle) -> Style {
    match style {
        ScalarStyle::Plain => Style::Plain,
        ScalarStyle::SingleQuoted => Style::SingleQuoted,
        ScalarStyle::DoubleQuoted => Style::DoubleQuoted,
        ScalarStyle::Literal => Style::Literal,
        ScalarStyle::Folded => Style::Folded,
    }
}
