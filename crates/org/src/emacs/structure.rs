//! Changing where a headline is in the outline.

use super::{buffer::Buffer, headline::align_line};
use crate::kinds::org;

/// Where a headline goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Direction {
    Up,
    Down,
}

/// Whether headlines have only odd levels (`org-odd-levels-only`): the last of the words `odd` and `oddeven` in
/// `#+STARTUP:` lines.
fn has_odd_levels(text: &str) -> bool {
    let keywords = org::keywords(text).into_iter().filter(|(key, _)| key.eq_ignore_ascii_case("STARTUP"));
    let words = keywords.flat_map(|(_, value)| value.split([' ', '\t']));
    words.fold(false, |now, word| match word {
        "odd" => true,
        "oddeven" => false,
        _ => now,
    })
}

/// The level directly below another one (`org-get-valid-level`).
pub(in super::super) fn level_below(text: &str, level: usize) -> usize {
    below(has_odd_levels(text), level)
}

fn below(is_odd: bool, level: usize) -> usize {
    if is_odd { level.div_ceil(2) * 2 + 1 } else { level + 1 }
}

/// The level directly above another one.
fn above(is_odd: bool, level: usize) -> usize {
    if is_odd { level.saturating_sub(2) / 2 * 2 + 1 } else { level.saturating_sub(1).max(1) }
}

/// Moves a headline and all below it one level down or up (`org-demote-subtree`, `org-promote-subtree`), with the
/// tags at their column where that is wanted.
pub(in super::super) fn change_level(buffer: &mut Buffer, index: usize, demote: bool, align: bool) {
    let own = buffer.entry(index);
    let document = buffer.document();
    let inside = |start: usize| (own.start..own.section_end).contains(&start);
    let leveled = (index..document.count()).filter(|index| !document.is_inline(*index));
    let starts = leveled.map(|index| (document.start(index), document.level(index)));
    let starts: Vec<(usize, usize)> = starts.filter(|(start, _)| inside(*start)).collect();
    let is_odd = has_odd_levels(buffer.text());
    for (start, level) in starts.into_iter().rev() {
        let new = if demote { below(is_odd, level) } else { above(is_odd, level) };
        buffer.replace(start..start + level, &"*".repeat(new));
        if align {
            align_line(buffer, start);
        }
    }
}

/// Exchanges a headline with what is below it and the one before or after it (`org-move-subtree-up`,
/// `org-move-subtree-down`); where it begins then, or nothing where there is no such headline.
pub(in super::super) fn shift(buffer: &mut Buffer, index: usize, direction: Direction) -> Option<usize> {
    let document = buffer.document();
    let is_sibling = |other: &usize| {
        !document.is_inline(*other)
            && document.parent(*other) == document.parent(index)
            && document.level(*other) == document.level(index)
    };
    let other = match direction {
        Direction::Up => (0..index).rev().find(is_sibling),
        Direction::Down => (index + 1..document.count()).find(is_sibling),
    }?;
    let section = |at: usize| document.headline(at).section.range();
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_with_odd_levels_have_no_even_ones() {
        let odd = "#+STARTUP: odd\n";
        // As `org-demote` and `org-promote` of Org 9.5.5 change them.
        for (level, below, above) in [(1, 3, 1), (2, 3, 1), (3, 5, 1), (4, 5, 3), (5, 7, 3)] {
            assert_eq!((level_below(odd, level), super::above(true, level)), (below, above), "{level}");
        }
        let both = "#+STARTUP: odd\n#+STARTUP: oddeven\n";
        assert_eq!((level_below(both, 2), has_odd_levels(both)), (3, false));
        assert_eq!((level_below("* A\n", 1), super::above(false, 3)), (2, 2));
    }
}
