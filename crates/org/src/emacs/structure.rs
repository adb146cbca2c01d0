//! Changing where a headline is in the outline.

use super::{buffer::Buffer, headline::align_line};

/// Where a headline goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Direction {
    Up,
    Down,
}

/// Adds a star to a headline and to all below it, or removes one (`org-demote-subtree`, `org-promote-subtree`), with the
/// tags at their column where that is wanted.
pub(in super::super) fn change_level(buffer: &mut Buffer, index: usize, demote: bool, align: bool) {
    let own = buffer.entry(index);
    let outline = buffer.outline();
    let inside = |start: usize| (own.start..own.section_end).contains(&start);
    let leveled = outline.headlines.iter().filter(|headline| headline.inline.is_none());
    let starts = leveled.map(|headline| headline.span.start as usize).filter(|start| inside(*start));
    let starts: Vec<usize> = starts.collect();
    for start in starts.into_iter().rev() {
        if demote {
            buffer.insert(start, "*");
        } else {
            buffer.replace(start..start + 1, "");
        }
        if align {
            align_line(buffer, start);
        }
    }
}

/// Exchanges a headline with what is below it and the one before or after it (`org-move-subtree-up`,
/// `org-move-subtree-down`); where it begins then, or nothing where there is no such headline.
pub(in super::super) fn shift(buffer: &mut Buffer, index: usize, direction: Direction) -> Option<usize> {
    let outline = buffer.outline();
    let own = &outline.headlines[index];
    let is_sibling = |other: &usize| {
        let other = &outline.headlines[*other];
        other.inline.is_none() && other.parent == own.parent && other.level == own.level
    };
    let other = match direction {
        Direction::Up => (0..index).rev().find(is_sibling),
        Direction::Down => (index + 1..outline.headlines.len()).find(is_sibling),
    }?;
    let section = |at: usize| outline.headlines[at].section.range();
    let (own, other) = (section(index), section(other));
    let (first, second) = if own.start < other.start { (own.clone(), other) } else { (other, own.clone()) };
    // Deeper headlines that are not below either of the two may be between them.
    if first.end != second.start {
        return None;
    }
    let with_break = |range: std::ops::Range<usize>| {
        let text = &buffer.text()[range];
        if text.ends_with('\n') { text.to_owned() } else { format!("{text}\n") }
    };
    let (before, after) = (with_break(first.clone()), with_break(second.clone()));
    let start = if own.start == first.start { first.start + after.len() } else { first.start };
    let new = format!("{after}{before}");
    buffer.replace(first.start..second.end, &new);
    Some(start)
}
