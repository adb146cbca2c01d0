//! Tabs in the indentation of lines: one mistake, however many lines have them.

use super::{Cause, Mask, line::Line};
use crate::text::Span;

/// The widths that a tab can have, those that are more common in YAML first.
const WIDTHS: [usize; 3] = [2, 4, 8];

/// A line that is indented with tabs, and all such lines below it. A tab after spaces may be part of a block scalar below, so
/// only lines that begin with a tab count there.
pub(super) fn indentation(text: &str, line: Line) -> Cause {
    let span = line.indentation();
    let mut lines = vec![line];
    let mut last = line;
    while let Some(below) = last.below(text) {
        last = below;
        if is_tabbed(text, below) {
            lines.push(below);
        }
    }
    let width = width(text, &lines);
    let end = lines.last().map_or(line.span.end, |last| last.span.end);
    let all = Span { start: line.span.start, end };
    Cause::new("yaml_tab_indentation", span)
        .with("spaces", " ".repeat(columns(text, line, width)))
        .with("count", lines.len())
        .with("indented", indented(text, all, &lines, width))
        .at("lines", all)
        .masked(Mask::Tabs(span))
}

/// The lines of a part of the text with spaces for the tabs.
fn indented(text: &str, all: Span, lines: &[Line], width: usize) -> String {
    let mut result = String::with_capacity(all.len());
    let mut done = all.start as usize;
    for line in lines {
        result.push_str(&text[done..line.span.start as usize]);
        result.extend(std::iter::repeat_n(' ', columns(text, *line, width)));
        done = line.first;
    }
    result.push_str(&text[done..all.end as usize]);
    result
}

fn is_tabbed(text: &str, line: Line) -> bool {
    text.as_bytes().get(line.span.start as usize) == Some(&b'\t')
}

/// The indentation of a line in columns.
fn columns(text: &str, line: Line, width: usize) -> usize {
    line.indentation().of(text).bytes().map(|byte| if byte == b'\t' { width } else { 1 }).sum()
}

/// The width of a tab with which most of the lines fit those around them.
fn width(text: &str, lines: &[Line]) -> usize {
    let fitting = |width: usize| lines.iter().map(|line| fit(text, *line, width)).sum::<usize>();
    let [mut best, others @ ..] = WIDTHS;
    for width in others {
        if fitting(width) > fitting(best) {
            best = width;
        }
    }
    best
}

/// How well the indentation of a line fits the lines above and below it.
fn fit(text: &str, line: Line, width: usize) -> usize {
    let own = columns(text, line, width);
    let is_item = text[line.first..].starts_with("- ");
    let as_below = line
        .below(text)
        .filter(|below| !is_tabbed(text, *below))
        .is_some_and(|below| columns(text, below, width) == own);
    let Some(above) = line.above(text) else { return usize::from(as_below) };
    let outer = columns(text, above, width);
    let content = outer + above.content - above.first;
    let opens = text[..above.span.end as usize].trim_end().ends_with(':');
    let as_above = match (opens, is_item) {
        (true, true) => own == content || own == content + 2,
        (true, false) => own == content + 2,
        (false, true) => own == outer,
        (false, false) => own == content,
    };
    2 * usize::from(as_below) + usize::from(as_above)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spaced(text: &str) -> String {
        let at = text.find('\t').unwrap();
        let line = Line::at(text, at);
        let cause = indentation(text, line);
        let value = |name: &str| cause.values.iter().find(|(known, _)| *known == name).unwrap().1.clone();
        let place = cause.places.iter().find(|(name, _)| *name == "lines").unwrap().1;
        let indented = value("indented");
        let mut text = text.to_owned();
        text.replace_range(place.range(), indented.as_str().unwrap());
        text
    }

    #[test]
    fn all_lines_are_indented_by_one_width() {
        assert_eq!(spaced("a:\n\tb: 1\n\tc:\n\t\t- d\n"), "a:\n  b: 1\n  c:\n    - d\n");
    }

    #[test]
    fn the_lines_around_decide_the_width() {
        assert_eq!(spaced("a:\n  - b: 1\n\tc: 2\n    d: 3\n"), "a:\n  - b: 1\n    c: 2\n    d: 3\n");
        assert_eq!(spaced("a:\n    b: 1\n\tc: 2\n"), "a:\n    b: 1\n    c: 2\n");
        assert_eq!(spaced("a:\n  b: 1\n\tc: 2\n"), "a:\n  b: 1\n  c: 2\n");
    }

    #[test]
    fn a_tab_after_spaces_below_stays() {
        assert_eq!(spaced("a:\n\tb: 1\nc: |\n  x\n  \ty\n"), "a:\n  b: 1\nc: |\n  x\n  \ty\n");
    }
}
