//! gantt.

use crate::{
    mermaid::{
        diagram::pieces,
        diagrams::{date_format::DateFormat, task},
        syntax::{Part, Syntax},
        tree::TreeWriter,
    },
    text::Span,
};

/// Words that a task's data may begin with, in any order.
const TAGS: &[&str] = &["active", "done", "crit", "milestone", "vert"];

/// Adds the tasks: `name : tags, id, start, end`, of which all but the end may be left out.
pub(super) fn planned<'t>(syntax: &'t Syntax<'t>, tree: &mut TreeWriter<'_>) {
    let format = syntax.named("date_format").last().and_then(|part| part.find("setting_value"));
    let format = DateFormat::new(format.map_or("YYYY-MM-DD", |format| format.text().trim()));
    task::write(syntax, tree, |data, tree| dates(data, &format, tree));
}

/// Most pieces that the data of a task have besides tags: an id, a start and an end.
const PIECES: usize = 3;

fn dates(data: Part<'_>, format: &DateFormat<'_>, tree: &mut TreeWriter<'_>) {
    let text = data.text().strip_prefix(':').unwrap_or_default();
    let all = pieces(text, data.span().start as usize + 1, ',');
    let mut rest: Vec<(&str, Span)> = all.skip_while(|(piece, _)| TAGS.contains(piece)).collect();
    if rest.len() > PIECES {
        let unknown = rest.drain(..rest.len() - PIECES).collect::<Vec<_>>();
        tree.list("unknownTags", |tree| {
            for (piece, span) in unknown {
                tree.item_text(piece, span);
            }
        });
    }
    let keys: &[&'static str] = match rest.len() {
        1 => &["end"],
        2 => &["start", "end"],
        3 => &["id", "start", "end"],
        _ => &[],
    };
    for (key, (piece, span)) in keys.iter().zip(&rest) {
        tree.piece(key, piece, *span);
        let (form, says) = match *key {
            "start" => ("startIs", said(piece, "after", format)),
            "end" => ("endIs", if is_duration(piece) { "duration" } else { said(piece, "until", format) }),
            _ => continue,
        };
        tree.word_at(form, says, *span);
    }
    for (key, word) in [("after", "after"), ("until", "until")] {
        let named = rest.iter().filter_map(|(piece, span)| {
            let ids = piece.strip_prefix(word).filter(|ids| ids.starts_with(char::is_whitespace))?;
            Some((ids, span.end as usize - ids.len()))
        });
        let ids: Vec<(&str, Span)> =
            named.flat_map(|(ids, start)| pieces(ids, start, ' ')).filter(|(id, _)| !id.is_empty()).collect();
        if !ids.is_empty() {
            tree.list(key, |tree| ids.iter().for_each(|(id, span)| tree.item_text(id, *span)));
        }
    }
}

/// What the start or end of a task is: related to other tasks, a date, or nothing that is known.
fn said(piece: &str, word: &'static str, format: &DateFormat<'_>) -> &'static str {
    let related = piece.strip_prefix(word).is_some_and(|ids| ids.starts_with(char::is_whitespace));
    match related {
        true => word,
        false if format.fits(piece) => "date",
        false => "other",
    }
}

/// `3d`, `1.5h`: milliseconds, seconds, minutes, hours, days, weeks, months and years.
fn is_duration(piece: &str) -> bool {
    let number = piece.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let (whole, part) = number.split_once('.').unwrap_or((number, "0"));
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    digits(whole)
        && digits(part)
        && matches!(&piece[number.len()..], "ms" | "s" | "m" | "h" | "d" | "w" | "M" | "y")
}
