//! What is observed of the outline, beyond what the tree shows.

use std::collections::HashMap;

use super::{
    elements::misplaced_stars,
    outline::{Headline, Outline},
    settings::rank,
};
use crate::{
    syntax::{Observable, Observation},
    text::Span,
};

/// All that the kind observes.
pub(super) const OBSERVABLES: &[Observable] = &[
    // Structure that is not what it looks like.
    Observable::fact("miscased-planning", &["keyword", "right"], &[]),
    Observable::fact("misplaced-planning", &["keyword", "right"], &[]),
    Observable::fact("indented-diary", &[], &[]),
    Observable::fact("misplaced-headline", &["stars"], &[]),
    Observable::fact("drawer-in-drawer", &["name"], &[]),
    Observable::fact("drawer-not-closed", &["name"], &[]),
    Observable::fact("drawer-end-alone", &["name"], &[]),
    Observable::fact("drawer-end-opens", &["name"], &["end"]),
    Observable::fact("bad-property-line", &["line"], &["line"]),
    Observable::fact("misplaced-properties", &[], &[]),
    Observable::fact("block-not-closed", &["name", "line"], &[]),
    Observable::fact("block-cut-by-headline", &["name", "line"], &["headline"]),
    Observable::fact("block-end-alone", &["line"], &[]),
    Observable::fact("text-after-block-end", &["line"], &[]),
    Observable::fact("keyword-without-colon", &["keyword"], &["end"]),
    Observable::fact("keyword-before-affiliated", &["key", "below"], &["below", "gap"]),
    Observable::fact("orphaned-keyword", &["key"], &[]),
    // The outline.
    Observable::fact("priority-out-of-range", &["priority", "highest", "lowest"], &[]),
    Observable::fact("misplaced-priority", &["priority"], &[]),
    Observable::fact("duplicate-sibling", &["title"], &["first"]),
    Observable::fact("level-jump", &["above", "level"], &["above"]),
    Observable::fact("unended-inline-task", &["what"], &["task"]),
    Observable::fact("lone-inline-end", &[], &[]),
    Observable::fact("text-in-footnote-section", &["text"], &["text"]),
    Observable::fact("mixed-line-ends", &["crlf", "lf"], &[]),
    Observable::fact("missing-setup-file", &["file", "why"], &[]),
];

/// Observes the outline; spans are those of `text`.
pub(super) fn outline(text: &str, outline: &Outline<'_>) -> Vec<Observation> {
    let mut found = Vec::new();
    found.extend(line_ends(text));
    found.extend(outline.lone_ends.iter().map(|end| Observation::new("lone-inline-end", *end)));
    let mut siblings: HashMap<(Option<usize>, &str), usize> = HashMap::new();
    for (index, headline) in outline.headlines.iter().enumerate() {
        found.extend(priority(text, headline, outline));
        found.extend(level(text, headline, outline));
        found.extend(footnote_section(text, headline));
        if headline.title.is_empty() {
            continue;
        }
        found.extend(misplaced_stars(headline.title).map(|stars| {
            Observation::new("misplaced-headline", span(text, stars)).with("stars", stars.trim_end())
        }));
        let first = *siblings.entry((headline.parent, headline.title)).or_insert(index);
        if first != index {
            let observation = Observation::new("duplicate-sibling", span(text, headline.title))
                .with("title", headline.title)
                .at("first", span(text, outline.headlines[first].title));
            found.push(observation);
        }
    }
    found
}

fn span(text: &str, part: &str) -> Span {
    let start = part.as_ptr() as usize - text.as_ptr() as usize;
    Span::new(start, start + part.len())
}

/// Lines that end in different ways: Emacs then takes the carriage returns for text.
fn line_ends(text: &str) -> Option<Observation> {
    let bytes = text.as_bytes();
    let mut counts = [0u64; 2];
    let mut rarer = [None; 2];
    for at in memchr::memchr_iter(b'\n', bytes) {
        let crlf = at > 0 && bytes[at - 1] == b'\r';
        counts[usize::from(crlf)] += 1;
        let start = if crlf { at - 1 } else { at };
        rarer[usize::from(crlf)].get_or_insert(Span::new(start, at + 1));
    }
    let [lf, crlf] = counts;
    let place = rarer[usize::from(crlf <= lf)]?;
    (lf > 0 && crlf > 0).then(|| Observation::new("mixed-line-ends", place).with("crlf", crlf).with("lf", lf))
}

/// A priority outside of the range of the file, also where it is read as a part of the title: after a word
/// that is not a keyword of the file, or after COMMENT.
fn priority(text: &str, headline: &Headline<'_>, outline: &Outline<'_>) -> Option<Observation> {
    let (highest, lowest) = outline.settings.priorities;
    let priority = headline.priority.or_else(|| priority_in(headline.title))?;
    let is_known = rank(priority).is_some_and(|rank| (highest..=lowest).contains(&rank));
    if is_known {
        let is_lost = headline.priority.is_none();
        let seen = || Observation::new("misplaced-priority", span(text, priority)).with("priority", priority);
        return is_lost.then(seen);
    }
    let observation = Observation::new("priority-out-of-range", span(text, priority))
        .with("priority", priority)
        .with("highest", written(highest))
        .with("lowest", written(lowest));
    Some(observation)
}

/// The priority in the first `[#…]` of a title.
fn priority_in(title: &str) -> Option<&str> {
    let inner = &title[title.find("[#")? + 2..];
    let inner = &inner[..inner.find(']')?];
    rank(inner).filter(|rank| inner.len() <= 2 && (*rank <= 64 || inner.len() == 1)).map(|_| inner)
}

/// A priority as it is written.
fn written(rank: u32) -> String {
    match char::from_u32(rank).filter(|c| c.is_ascii_uppercase()) {
        Some(letter) => letter.to_string(),
        None => rank.to_string(),
    }
}

/// A headline more than one level below the one above it.
fn level(text: &str, headline: &Headline<'_>, outline: &Outline<'_>) -> Option<Observation> {
    let above = &outline.headlines[headline.parent.filter(|_| headline.inline.is_none())?];
    if headline.level <= above.level + 1 {
        return None;
    }
    let stars = |headline: &Headline<'_>| {
        let start = headline.span.start as usize;
        span(text, &text[start..start + headline.level])
    };
    let observation = Observation::new("level-jump", stars(headline))
        .with("above", above.level)
        .with("level", headline.level)
        .at("above", stars(above));
    Some(observation)
}

/// Text in the section `Footnotes` that is not a definition: exports leave it out. A definition ends at two
/// empty lines.
fn footnote_section(text: &str, headline: &Headline<'_>) -> Option<Observation> {
    if headline.title != "Footnotes" {
        return None;
    }
    let (mut in_definition, mut empty) = (false, 0);
    let mut lines = headline.body.of(text).lines().map(str::trim_end);
    let first = lines.find(|line| {
        empty = if line.is_empty() { empty + 1 } else { 0 };
        in_definition = line.starts_with("[fn:") || in_definition && empty < 2;
        !in_definition && !line.is_empty() && !line.trim_start().starts_with("# ")
    })?;
    let first = first.trim_start();
    let observation = Observation::new("text-in-footnote-section", span(text, headline.title))
        .with("text", crate::text::clip(first, 60))
        .at("text", span(text, first));
    Some(observation)
}
