//! Items of plain lists: `- item`, `1. [@3] [X] item`, `+ term :: description`.

use super::lines::Line;

/// The parts of the line that begins an item.
#[derive(Debug, Clone, Copy)]
pub(super) struct ItemLine<'t> {
    /// `-`, `+`, `*`, `1.` or `1)`.
    pub(super) bullet: &'t str,
    /// The number of an ordered item.
    pub(super) number: Option<u64>,
    /// The number in `[@3]`, which sets the count.
    pub(super) counter: Option<u64>,
    /// `[ ]`, `[X]` or `[-]`.
    pub(super) checkbox: Option<&'t str>,
    /// The term before ` :: ` of an unordered item.
    pub(super) term: Option<&'t str>,
    /// What follows the bullet, the counter and the checkbox.
    pub(super) rest: &'t str,
}

impl<'t> ItemLine<'t> {
    /// Reads a line; nothing when it does not begin an item. A star at the start of the line begins a
    /// headline, and letters are not bullets unless Emacs is configured so.
    pub(super) fn read(line: Line<'t>) -> Option<Self> {
        let text = line.unindented();
        let digits = text.bytes().take_while(|byte| byte.is_ascii_digit()).count();
        let bullet = match text.as_bytes().get(digits)? {
            b'-' | b'+' if digits == 0 => &text[..1],
            b'*' if digits == 0 && line.indent() > 0 => &text[..1],
            b'.' | b')' if digits > 0 => &text[..=digits],
            _ => return None,
        };
        let rest = &text[bullet.len()..];
        if !rest.is_empty() && !rest.starts_with([' ', '\t']) {
            return None;
        }
        let rest = rest.trim_start_matches([' ', '\t']);
        let (counter, rest) = counter(rest).map_or((None, rest), |(counter, rest)| (Some(counter), rest));
        let checkbox = rest.get(..3).filter(|mark| matches!(*mark, "[ ]" | "[X]" | "[-]" | "[x]"));
        let checkbox = checkbox.filter(|_| rest[3..].is_empty() || rest[3..].starts_with([' ', '\t']));
        let rest = checkbox.map_or(rest, |mark| rest[mark.len()..].trim_start_matches([' ', '\t']));
        let term = (digits == 0).then(|| term(rest)).flatten();
        Some(Self { bullet, number: text[..digits].parse().ok(), counter, checkbox, term, rest })
    }
}

/// `[@3]` and what follows it.
fn counter(text: &str) -> Option<(u64, &str)> {
    let (number, rest) = text.strip_prefix("[@")?.split_once(']')?;
    Some((number.parse().ok()?, rest.trim_start_matches([' ', '\t'])))
}

/// What is before ` :: `, or before ` ::` at the end.
fn term(text: &str) -> Option<&str> {
    let end = text.find(" :: ").or_else(|| text.strip_suffix(" ::").map(str::len))?;
    Some(text[..end].trim_matches([' ', '\t']))
}

/// The lists that are open at a line, innermost last.
#[derive(Debug, Clone, Default)]
pub(super) struct OpenLists {
    levels: Vec<Level>,
    blank: usize,
}

#[derive(Debug, Clone, Copy)]
struct Level {
    indent: usize,
    /// Number of its last item, as exported.
    number: u64,
}

impl OpenLists {
    /// Takes in an item; its number by its position in its list.
    pub(super) fn item(&mut self, indent: usize, counter: Option<u64>) -> u64 {
        self.blank = 0;
        while self.levels.last().is_some_and(|level| level.indent > indent) {
            self.levels.pop();
        }
        match self.levels.last_mut().filter(|level| level.indent == indent) {
            Some(level) => {
                level.number = counter.unwrap_or(level.number.saturating_add(1));
                level.number
            }
            None => {
                let number = counter.unwrap_or(1);
                self.levels.push(Level { indent, number });
                number
            }
        }
    }

    /// Takes in a line that is not an item. Lists end at text that is not indented more than their
    /// bullets.
    pub(super) fn text(&mut self, indent: usize) {
        self.blank = 0;
        while self.levels.last().is_some_and(|level| level.indent >= indent) {
            self.levels.pop();
        }
    }

    /// Takes in an empty line. Two of them end all lists.
    pub(super) fn empty(&mut self) {
        self.blank += 1;
        if self.blank > 1 {
            self.levels.clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(text: &str) -> Option<ItemLine<'_>> {
        ItemLine::read(Line { text, start: 0 })
    }

    #[test]
    fn bullets_counters_checkboxes_and_terms_are_read() {
        let read = item("  3) [@3] [X] Call Ann").unwrap();
        assert_eq!((read.bullet, read.number, read.counter), ("3)", Some(3), Some(3)));
        assert_eq!((read.checkbox, read.rest), (Some("[X]"), "Call Ann"));
        assert_eq!(item("- Org :: an outliner").unwrap().term, Some("Org"));
        assert_eq!(item(" * x").unwrap().bullet, "*");
        for text in ["* x", "-x", "a. x", "1 x", "--- x", ""] {
            assert!(item(text).is_none(), "{text}");
        }
    }

    #[test]
    fn items_are_numbered_per_list() {
        let mut lists = OpenLists::default();
        assert_eq!([lists.item(0, None), lists.item(2, None), lists.item(2, None)], [1, 1, 2]);
        lists.text(3);
        assert_eq!([lists.item(0, None), lists.item(0, Some(7)), lists.item(0, None)], [2, 7, 8]);
        lists.empty();
        lists.empty();
        assert_eq!(lists.item(0, None), 1);
    }
}
