use super::lines::{indentation, list_mark, prefix};

/// What the items of one list begin with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mark {
    Bullet,
    Colon,
    /// A number, a letter or a label, in digits or not, with what is after it or around it.
    Number(bool, Option<char>, bool),
}

impl Mark {
    /// The mark that is written so.
    pub(super) fn of(text: &str) -> Self {
        match text {
            "-" | "+" | "*" => Self::Bullet,
            ":" => Self::Colon,
            _ => {
                let is_decimal = text.bytes().any(|byte| byte.is_ascii_digit() || byte == b'#');
                Self::Number(
                    is_decimal && !text.contains('@'),
                    text.chars().next_back(),
                    text.starts_with('('),
                )
            }
        }
    }
}

/// What a line can be inside of, besides divs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Container {
    Quote,
    /// A list item or a definition, with the columns by which its content is indented, and its mark.
    Item(usize, Mark),
    /// A note, whose content is indented by four columns.
    Note,
}

/// Columns by which the content of a note is indented.
pub(super) const NOTE: usize = 4;

/// Deepest nesting of quotes and lists that is followed.
const DEPTH: usize = 64;

/// The quotes and list items around the current line.
#[derive(Debug, Default)]
pub(super) struct Containers {
    open: Vec<Container>,
}

impl Containers {
    /// How many containers are open.
    pub(super) fn depth(&self) -> usize {
        self.open.len()
    }

    /// Whether the innermost one is a list item.
    pub(super) fn in_item(&self) -> bool {
        matches!(self.open.last(), Some(Container::Item(..)))
    }

    /// Whether a list item is among those below the first `depth`.
    pub(super) fn has_item_below(&self, depth: usize) -> bool {
        self.open[depth..].iter().any(|open| matches!(open, Container::Item(..)))
    }

    /// The mark of the outermost list item below the first `depth`.
    pub(super) fn mark_below(&self, depth: usize) -> Option<Mark> {
        match self.open.get(depth) {
            Some(Container::Item(_, mark)) => Some(*mark),
            _ => None,
        }
    }

    /// Whether all below the first `depth` are list items.
    pub(super) fn has_only_items_below(&self, depth: usize) -> bool {
        self.open[depth..].iter().all(|open| matches!(open, Container::Item(..)))
    }

    /// Whether the one below the first `depth` is a quote.
    pub(super) fn is_quote(&self, depth: usize) -> bool {
        self.open.get(depth) == Some(&Container::Quote)
    }

    /// Whether the one below the first `depth` is a list item.
    pub(super) fn is_item(&self, depth: usize) -> bool {
        matches!(self.open.get(depth), Some(Container::Item(..)))
    }

    /// Whether a note is among those below the first `depth`.
    pub(super) fn has_note_below(&self, depth: usize) -> bool {
        self.open[depth..].contains(&Container::Note)
    }

    /// Whether a quote is among them.
    pub(super) fn in_quote(&self) -> bool {
        self.open.contains(&Container::Quote)
    }

    /// Closes all containers but the first `depth`.
    pub(super) fn truncate(&mut self, depth: usize) {
        self.open.truncate(depth);
    }

    /// How many of them a line continues, and how long their prefixes in it are.
    pub(super) fn continued(&self, line: &str) -> (usize, usize) {
        self.continued_from(line, 0, 0)
    }

    /// The same, where the line continues the first `depth` of them, and their prefixes are `at` long.
    pub(super) fn continued_from(&self, line: &str, depth: usize, mut at: usize) -> (usize, usize) {
        for (depth, container) in self.open.iter().enumerate().skip(depth) {
            let rest = &line[at..];
            let (columns, space) = indentation(rest, at);
            match container {
                Container::Quote if rest[space..].starts_with('>') && columns < 4 => {
                    at += space + 1;
                    at += usize::from(line[at..].starts_with(' '));
                }
                Container::Item(..) | Container::Note if rest.trim_ascii().is_empty() => {}
                Container::Item(wanted, _) if columns >= *wanted => at += prefix(rest, *wanted),
                Container::Note if columns >= NOTE => at += prefix(rest, NOTE),
                _ => return (depth, at),
            }
        }
        (self.open.len(), at)
    }

    /// Opens what a line begins, and gives the length of its marks. `inside` is whether a paragraph goes on,
    /// which neither a quote nor a list outside of lists can interrupt.
    pub(super) fn begin(&mut self, line: &str, paragraph: bool) -> Option<usize> {
        if self.open.len() >= DEPTH || (paragraph && !self.in_item()) {
            return None;
        }
        let (columns, space) = indentation(line, 0);
        let rest = &line[space..];
        if columns >= 4 {
            return None;
        }
        if rest.starts_with('>') && !paragraph {
            self.open.push(Container::Quote);
            return Some(space + 1 + usize::from(rest[1..].starts_with(' ')));
        }
        let width = list_mark(rest)?;
        let after = &rest[width..];
        let (gap, bytes) = indentation(after, columns + width);
        // Where more than four columns follow, all but the first belong to the content.
        let (gap, bytes) =
            if gap > 4 || bytes == after.len() { (1.min(gap), prefix(after, 1)) } else { (gap, bytes) };
        // The content of an example is indented by four columns, however long its label is.
        let is_example = rest.starts_with("(@") || rest.starts_with('@');
        let inside = if is_example { 4 } else { columns + width + gap.max(1) };
        self.open.push(Container::Item(inside, Mark::of(&rest[..width])));
        Some(space + width + bytes)
    }

    /// Opens the content of a note.
    pub(super) fn begin_note(&mut self) {
        if self.open.len() < DEPTH {
            self.open.push(Container::Note);
        }
    }
}
