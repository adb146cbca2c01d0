//! Statistics cookies of headlines: `[1/3]`, `[33%]`.

use std::ops::Range;

use super::{buffer::Buffer, headline::align_line, inherited};
use crate::kinds::org::Edited;

/// Updates the cookies of the headline above one whose keyword has changed
/// (`org-update-parent-todo-statistics`); with `COOKIE_DATA: recursive` those of all above it, as far as the property
/// is inherited.
pub(super) fn update_above(buffer: &mut Buffer, index: usize) {
    let mut updates = Vec::new();
    let document = buffer.document();
    let (level, above) = (document.level(index), document.parent(index));
    let data = inherited::get(document, above.unwrap_or(index), "COOKIE_DATA");
    let is_recursive = data.as_ref().is_some_and(|(data, _)| has_word(data, "recursive"));
    let top = data.and_then(|(_, from)| from).unwrap_or(0);
    let mut at = above;
    while let Some(parent) = at.filter(|parent| *parent >= top) {
        let headline = document.headline(parent);
        let own = headline.properties.as_ref().and_then(|drawer| drawer.get("COOKIE_DATA"));
        if own.is_some_and(|data| has_word(&data.to_lowercase(), "checkbox")) {
            break;
        }
        let line = headline.span.of(buffer.text());
        if has_cookies(line) {
            let counts = count(document, parent, (!is_recursive).then_some(level));
            updates.push((headline.span.start as usize, written(line, counts)));
        }
        at = headline.parent.filter(|_| is_recursive);
    }
    // From the innermost to the outermost headline, that is from the last to the first.
    for (start, edits) in updates {
        for (cookie, new) in edits.into_iter().rev() {
            buffer.replace(start + cookie.start..start + cookie.end, &new);
        }
        align_line(buffer, start);
    }
}

/// Updates the cookies of a headline itself that count headlines (`org-update-statistics-cookies`).
pub(super) fn update(buffer: &mut Buffer, index: usize) {
    let document = buffer.document();
    let headline = document.headline(index);
    if index + 1 < document.count() && document.level(index + 1) > headline.level {
        update_above(buffer, index + 1);
        return;
    }
    let start = headline.span.start as usize;
    let line = headline.span.of(buffer.text());
    let edits: Vec<(Range<usize>, &str)> = cookies(line)
        .into_iter()
        .map(|cookie| {
            let new = if line[cookie.clone()].contains('%') { "[100%]" } else { "[0/0]" };
            (cookie, new)
        })
        .collect();
    for (cookie, new) in edits.into_iter().rev() {
        buffer.replace(start + cookie.start..start + cookie.end, new);
    }
}

/// How many of the headlines below one are done, and how many have a keyword; only those of a level, if one is given.
fn count(document: &Edited, parent: usize, level: Option<usize>) -> (usize, usize) {
    let (own, settings) = (document.level(parent), document.settings());
    let below = document.keywords_from(parent + 1).take_while(|(level, _)| *level > own);
    let keywords =
        below.filter(|(below, _)| level.is_none_or(|level| *below == level)).filter_map(|(_, todo)| todo);
    keywords.fold((0, 0), |(done, all), todo| (done + usize::from(settings.is_final(todo)), all + 1))
}

/// The cookies of a headline with what they become.
pub(super) fn written(line: &str, (done, all): (usize, usize)) -> Vec<(Range<usize>, String)> {
    let new = |cookie: &str| {
        if cookie.contains('%') {
            format!("[{}%]", 100 * done / all.max(1))
        } else {
            format!("[{done}/{all}]")
        }
    };
    cookies(line).into_iter().map(|cookie| (cookie.clone(), new(&line[cookie]))).collect()
}

/// A title without its cookies, which Emacs changes when a headline below changes.
pub(in super::super) fn without_cookies(title: &str) -> String {
    let mut kept = title.to_owned();
    for cookie in cookies(title).into_iter().rev() {
        kept.replace_range(cookie, "");
    }
    kept
}

fn has_cookies(line: &str) -> bool {
    !cookies(line).is_empty()
}

/// Where `[1/3]`, `[33%]`, `[/]`, and `[%]` are in a line.
fn cookies(line: &str) -> Vec<Range<usize>> {
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let found = line.match_indices('[').filter_map(|(start, _)| {
        let inner = &line[start + 1..];
        let first = digits(inner);
        let rest = &inner[first..];
        let length = match rest.strip_prefix('/') {
            Some(rest) => first + 1 + digits(rest),
            None => first + usize::from(rest.starts_with('%')),
        };
        let is_one = inner[length..].starts_with(']') && length > first;
        is_one.then_some(start..start + length + 2)
    });
    found.collect()
}

fn has_word(text: &str, word: &str) -> bool {
    text.split(|c: char| !c.is_alphanumeric()).any(|found| found == word)
}
