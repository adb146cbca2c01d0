//! A complete YAML text as events.

use super::{
    Dialect, YamlOptions,
    cause::{self, Cause, Mask},
    characters::forbidden,
    event::{Event, Text, What},
    fault::{Fault, Problem},
    granit,
    parse::{self, Parser},
};
use crate::text::Span;

/// Maximum number of syntax errors found in a fragment.
const MOST_FAULTS: usize = 20;
/// Maximum number of bytes parsed again to find further syntax errors.
const REPARSED_BYTES: usize = 4 << 20;
/// Event buffers larger than this are not reused.
const KEPT_EVENTS: usize = 1 << 14;

/// Allocations that the next text reuses.
#[derive(Debug, Default)]
pub(super) struct Memory {
    parser: parse::Memory,
}

impl Memory {
    /// Takes an event buffer back, unless it is very large.
    pub(super) fn recycle(&mut self, mut events: Vec<Event>) {
        events.clear();
        if events.capacity() <= KEPT_EVENTS {
            self.parser.events = events;
        }
    }
}

/// The events up to the first syntax error.
pub(super) struct Parsed {
    pub(super) events: Vec<Event>,
    pub(super) comments: Vec<Span>,
    pub(super) fault: Option<Fault>,
}

/// Parses `text` with collections nested up to `depth`.
pub(super) fn parse(text: &str, dialect: Dialect, depth: usize, memory: &mut Memory) -> Parsed {
    if let Some(at) = forbidden(text.as_bytes(), 0) {
        let fault = Some(Fault::new(Problem::ControlCharacter, at));
        return Parsed { events: Vec::new(), comments: Vec::new(), fault };
    }
    let mut parser = Parser::new(text, dialect, depth, std::mem::take(&mut memory.parser));
    let fault = parser.run();
    let (events, comments, left) = parser.finish();
    memory.parser = left;
    Parsed { events, comments, fault }
}

/// Number of YAML documents.
pub(super) fn documents(events: &[Event]) -> usize {
    events.iter().filter(|event| matches!(event.what, What::DocumentStart)).count()
}

/// A complete fragment as events.
pub(super) struct Reading {
    pub(super) events: Vec<Event>,
    pub(super) comments: Vec<Span>,
    /// Its syntax errors, in the order of the text.
    pub(super) causes: Vec<Cause>,
    /// What `libyaml` rejects in valid YAML 1.2.
    pub(super) refused: Option<Cause>,
    /// Whether all of the text was parsed.
    pub(super) whole: bool,
}

/// Parses a fragment. After a syntax error, the invalid part is masked and the whole fragment is parsed
/// again, to find further errors and to read the rest.
pub(super) fn read(text: &str, options: &YamlOptions, memory: &mut Memory) -> Reading {
    let mut parsed = parse(text, options.dialect, options.depth, memory);
    if let Some(fault) = parsed.fault
        && options.dialect == Dialect::Any
        && let Some((events, comments)) = granit::events(text, options.depth)
    {
        let refused = Some(cause::refused(text, &fault));
        return Reading { events, comments, causes: Vec::new(), refused, whole: true };
    }
    let mut causes = Vec::new();
    let mut masks = Vec::new();
    let mut masked: Option<String> = None;
    while let Some(fault) = parsed.fault {
        let cause = cause::find(text, &fault, options.depth);
        let mask = cause.mask;
        causes.push(cause);
        let affordable = causes.len() < MOST_FAULTS && text.len() * causes.len() <= REPARSED_BYTES;
        let Some(mask) = mask.filter(|_| affordable) else { break };
        let again = masked.take().unwrap_or_else(|| text.to_owned());
        let again = masked.insert(apply(mask, again));
        let next = parse(again, options.dialect, options.depth, memory);
        let end = mask.span().end as usize;
        if next.fault.is_some_and(|next| next.context < end && next.at <= fault.at.max(end)) {
            break;
        }
        masks.push(mask.span());
        parsed = next;
    }
    let Parsed { mut events, comments, fault } = parsed;
    restore(&mut events, &masks);
    Reading { events, comments, causes, refused: None, whole: fault.is_none() }
}

/// Restores the original text of scalars that contain masked parts.
fn restore(events: &mut [Event], masks: &[Span]) {
    for event in events {
        let masked = masks.iter().any(|mask| mask.overlaps(event.span));
        if let What::Scalar { text: text @ Text::Copy(_), .. } = &mut event.what
            && masked
        {
            *text = Text::Slice(event.span);
        }
    }
}

/// The text with a space for each tab of an indentation and of those of the lines below that begin with a tab.
fn without_tabs(text: &str, first: Span) -> String {
    let spaced = |indentation: &str| " ".repeat(indentation.len());
    let mut result = text[..first.start as usize].to_owned();
    result.push_str(&spaced(first.of(text)));
    for line in text[first.end as usize..].split_inclusive('\n') {
        let content = line.trim_start_matches([' ', '\t']);
        let is_below = result.ends_with('\n');
        let (indentation, rest) = line.split_at(line.len() - content.len());
        if is_below && indentation.starts_with('\t') {
            result.push_str(&spaced(indentation));
        } else {
            result.push_str(indentation);
        }
        result.push_str(rest);
    }
    result
}

/// The text with the masked part replaced by filler of the same length.
fn apply(mask: Mask, mut text: String) -> String {
    let (span, filler) = match mask {
        Mask::Text(span) => (span, 'x'),
        Mask::Spaces(span) => (span, ' '),
        Mask::Mark(span, mark) => (span, mark),
        Mask::Forbidden(first) => {
            let mut from = first.start as usize;
            while let Some(at) = forbidden(text.as_bytes(), from) {
                let width = text[at..].chars().next().map_or(1, char::len_utf8);
                text.replace_range(at..at + width, &"x".repeat(width));
                from = at + width;
            }
            return text;
        }
        Mask::Tabs(first) => return without_tabs(&text, first),
    };
    if text.get(span.range()).is_some() {
        text.replace_range(span.range(), &filler.to_string().repeat(span.len()));
    }
    text
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::yaml::{
        event::Style,
        lines::{self, Form, Nodes},
        samples::{LINES, PARTS},
    };

    /// Notes nodes as events.
    impl Nodes for Vec<Event> {
        fn scalar(&mut self, text: Text, style: Style, span: Span) -> Option<()> {
            self.push(Event::new(What::Scalar { text, style }, span));
            Some(())
        }

        fn open(&mut self, Form { mapping, flow }: Form, span: Span) -> Option<()> {
            let what = if mapping { What::Mapping { flow } } else { What::Sequence { flow } };
            self.push(Event::new(what, span));
            Some(())
        }

        fn close(&mut self, span: Span) {
            self.push(Event::new(What::End, span));
        }
    }

    /// Whether the text is plainly written, after the result is compared with what the parser gives.
    fn agrees(text: &str, dialect: Dialect, depth: usize) -> bool {
        let mut events = Vec::new();
        let Some(comments) = lines::read(text, dialect, depth, &mut lines::Memory::default(), &mut events)
        else {
            return false;
        };
        let parsed = parse(text, dialect, depth, &mut Memory::default());
        assert_eq!(parsed.fault, None, "{text:?}");
        let [Event { what: What::DocumentStart, .. }, expected @ .., Event { what: What::DocumentEnd, .. }] =
            &parsed.events[..]
        else {
            panic!("{text:?} is not one document");
        };
        assert_eq!(format!("{events:#?}"), format!("{expected:#?}"), "{text:?}");
        assert_eq!(comments, parsed.comments, "{text:?}");
        true
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(10_000))]

        #[test]
        fn lines_agree_with_the_parser_on_any_text(parts in prop::collection::vec(prop::sample::select(&PARTS[..]), 0..24)) {
            for dialect in [Dialect::SerdeYaml, Dialect::PyYaml] {
                agrees(&parts.concat(), dialect, 4);
                agrees(&format!("a:\n  - {}\n", parts.concat()), dialect, 8);
                agrees(&format!("a: [x, {}]\nb: {{{}}}\n", parts.concat(), parts.concat()), dialect, 8);
            }
        }

        #[test]
        fn lines_agree_with_the_parser_on_text_that_is_nearly_valid(
            lines in prop::collection::vec((0_usize..4, prop::sample::select(&LINES[..])), 0..12)
        ) {
            let text: String = lines.iter().map(|(indent, line)| format!("{}{line}\n", "  ".repeat(*indent))).collect();
            for dialect in [Dialect::SerdeYaml, Dialect::PyYaml] {
                agrees(&text, dialect, 6);
                agrees(text.trim_end(), dialect, 6);
            }
        }
    }

    #[test]
    fn ordinary_text_is_plainly_written() {
        let text = "# head\nid: app\nmodels:\n- type: Model # one\n  id: \"gpt\"\n  list:\n    - a\n    - b: 'c'\n      d: [x, {y: z}]\nempty:\n\
                    text: |\n  two\n  lines\nplain: goes\n  on\nlast:\n  -\n  - - e\n";
        assert!(agrees(text, Dialect::SerdeYaml, 64));
        assert!(agrees(text, Dialect::PyYaml, 64));
        for other in [
            "a: &x 1",
            "a: !t 1",
            "? a",
            "--- a",
            "a: b: c",
            "a\n",
            "\ta: 1",
            "a: {b}",
            "{a: 1}: 2",
            "- a\nb: 1",
        ] {
            assert!(!agrees(other, Dialect::SerdeYaml, 64), "{other:?}");
        }
        // `PyYAML` wants a space before a comment.
        assert!(agrees("a: |#c\n", Dialect::SerdeYaml, 64));
        assert!(!agrees("a: |#c\n", Dialect::PyYaml, 64));
    }
}
