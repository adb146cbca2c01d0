//! The grammar of YAML 1.2, using `granit-parser`; the only module that depends on that crate.

use std::borrow::Cow;

use granit_parser::{Event as Granit, Parser, ScalarStyle, StructureStyle};

use super::event::{Event, Style, Tag, Text, What};
use crate::{budget, text::Span};

/// Events and comments of valid YAML 1.2, with collections nested up to `depth`; none if the text
/// is not valid.
pub(super) fn events(text: &str, depth: usize) -> Option<(Vec<Event>, Vec<Span>)> {
    let options = granit_parser::options! {
        emit_unresolved_aliases: true,
        max_buffered_comment_events: usize::MAX,
        flow_nesting_limit: depth,
        block_nesting_limit: depth,
    };
    let (mut events, mut comments) = (Vec::new(), Vec::new());
    for next in Parser::new_from_str_with_options(text, options) {
        let (event, at) = next.ok().filter(|_| budget::charge(2))?;
        match event {
            Granit::Comment(..) => comments.push(span(&at)),
            event => events.extend(convert(event, &at, text)),
        }
    }
    Some((events, comments))
}

fn convert(event: Granit<'_>, at: &granit_parser::Span, text: &str) -> Option<Event> {
    let (what, anchor, tag) = match event {
        Granit::Scalar(value, style, anchor, tag) => (scalar(value, style, span(at), text), anchor, tag),
        Granit::SequenceStart(style, anchor, tag) => {
            (What::Sequence { flow: style == StructureStyle::Flow }, anchor, tag)
        }
        Granit::MappingStart(style, anchor, tag) => {
            (What::Mapping { flow: style == StructureStyle::Flow }, anchor, tag)
        }
        Granit::SequenceEnd | Granit::MappingEnd => (What::End, 0, None),
        Granit::Alias(anchor) => (What::Alias(anchor), 0, None),
        Granit::UnresolvedAlias(_) => (What::UnknownAlias, 0, None),
        Granit::DocumentStart(..) => (What::DocumentStart, 0, None),
        Granit::DocumentEnd => (What::DocumentEnd, 0, None),
        _ => return None,
    };
    let tag = tag.map(|tag| {
        let span = at.tag_span().map_or_else(|| span(at), |tag| span(&tag));
        Box::new(Tag { name: tag.to_string(), span })
    });
    Some(Event { what, span: span(at), anchor, tag })
}

fn scalar(value: Cow<'_, str>, style: ScalarStyle, span: Span, text: &str) -> What {
    let style = match style {
        ScalarStyle::Plain => Style::Plain,
        ScalarStyle::SingleQuoted => Style::SingleQuoted,
        ScalarStyle::DoubleQuoted => Style::DoubleQuoted,
        ScalarStyle::Literal => Style::Literal,
        ScalarStyle::Folded => Style::Folded,
    };
    let verbatim = span.of(text) == value.as_ref();
    let value = if verbatim { Text::Slice(span) } else { Text::Copy(value.into_owned()) };
    What::Scalar { text: value, style }
}

fn span(span: &granit_parser::Span) -> Span {
    let byte = |mark: &granit_parser::Marker| mark.byte_offset().unwrap_or_default();
    Span::new(byte(&span.start), byte(&span.end))
}
