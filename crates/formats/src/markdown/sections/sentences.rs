//! Where sentences end.

use std::ops::Range;

/// The sentences of a part of text; none ends inside of `inlines`, code and links, which are in order.
///
/// A sentence ends with `.`, `!`, `?` or `…` and what closes it, such as a quotation mark, where a space and then anything but a
/// lowercase letter follows. A letter with a period, as in `J. Smith` and `e.g.`, ends none.
pub(super) fn sentences(text: &str, range: Range<usize>, inlines: &[Range<usize>]) -> Vec<Range<usize>> {
    let part = &text[range.clone()];
    let mut found = Vec::new();
    let mut start = 0;
    let mut inlines = inlines.iter().peekable();
    let mut letters = part.char_indices().peekable();
    // The character before, and the one before that.
    let mut before = [' ', ' '];
    while let Some((at, letter)) = letters.next() {
        let is_end = matches!(letter, '.' | '!' | '?' | '…' | '。' | '！' | '？');
        let is_initial = letter == '.' && before[0].is_alphabetic() && !before[1].is_alphanumeric();
        before = [letter, before[0]];
        if !is_end || is_initial {
            continue;
        }
        let is_wide = !matches!(letter, '.' | '!' | '?' | '…');
        let mut end = at + letter.len_utf8();
        while let Some((at, next)) = letters.peek().copied() {
            if !matches!(next, '.' | '!' | '?' | '…' | ')' | ']' | '"' | '\'' | '”' | '’' | '»' | '*' | '_')
            {
                break;
            }
            letters.next();
            before = [next, before[0]];
            end = at + next.len_utf8();
        }
        let rest = &part[end..];
        let next = rest.trim_start().chars().next();
        let is_followed = match next {
            None => true,
            Some(next) => is_wide || (rest.starts_with(char::is_whitespace) && !next.is_lowercase()),
        };
        let place = range.start + end - 1;
        while inlines.next_if(|inline| inline.end <= place).is_some() {}
        let is_inside = inlines.peek().is_some_and(|inline| inline.start < place && place < inline.end);
        if is_followed && !is_inside {
            push(part, start..end, range.start, &mut found);
            start = end;
        }
    }
    push(part, start..part.len(), range.start, &mut found);
    found
}

fn push(part: &str, range: Range<usize>, offset: usize, found: &mut Vec<Range<usize>>) {
    let whole = &part[range.clone()];
    let start = range.start + (whole.len() - whole.trim_start().len());
    let end = start + whole.trim().len();
    if start < end {
        found.push(offset + start..offset + end);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(text: &str) -> Vec<&str> {
        sentences(text, 0..text.len(), &[]).into_iter().map(|range| &text[range]).collect()
    }

    #[test]
    fn sentences_end_before_a_new_one() {
        assert_eq!(
            split("We use it. Why? (It is fast.) It is"),
            ["We use it.", "Why?", "(It is fast.)", "It is"]
        );
        assert_eq!(
            split("Version 1.2 of J. Smith, e.g. this. So"),
            ["Version 1.2 of J. Smith, e.g. this.", "So"]
        );
        assert_eq!(split("One...\nTwo. three"), ["One...", "Two. three"]);
        assert_eq!(split("这是。好"), ["这是。", "好"]);
        let text = "See `a. B` now. Then";
        let found = sentences(text, 0..text.len(), std::slice::from_ref(&(4..10)));
        assert_eq!(found, [0..15, 16..20]);
    }
}
