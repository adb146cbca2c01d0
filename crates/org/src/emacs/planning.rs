//! The line of dates below a headline.

use std::ops::Range;

use super::{
    Emacs,
    buffer::{Buffer, leading},
};
use crate::kinds::org::Timestamp;

/// What a date is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Keyword {
    Closed,
    Deadline,
    Scheduled,
}

impl Keyword {
    const ALL: [Self; 3] = [Self::Closed, Self::Deadline, Self::Scheduled];

    fn name(self) -> &'static str {
        match self {
            Self::Closed => "CLOSED:",
            Self::Deadline => "DEADLINE:",
            Self::Scheduled => "SCHEDULED:",
        }
    }

    /// The brackets around its date.
    fn brackets(self) -> (char, char) {
        if self == Self::Closed { ('[', ']') } else { ('<', '>') }
    }
}

/// Whether words in another case are keywords: `case-fold-search`, which is on but for `org-todo`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Case {
    Exact,
    Folded,
}

impl Case {
    fn starts(self, text: &str, name: &str) -> bool {
        let start = text.get(..name.len());
        match self {
            Self::Exact => start == Some(name),
            Self::Folded => start.is_some_and(|start| start.eq_ignore_ascii_case(name)),
        }
    }
}

/// Where the line below the headline whose line ends at `headline` is, if it has dates (`org-planning-line-re`).
pub(super) fn line(buffer: &Buffer, headline: usize, case: Case) -> Option<Range<usize>> {
    let start = headline + 1;
    let text = buffer.text().get(start..)?;
    let text = &text[leading(text)..];
    let is_one = Keyword::ALL.iter().any(|keyword| case.starts(text, keyword.name()));
    is_one.then(|| start..buffer.line_end(start))
}

/// Sets a date (`org-add-planning-info`): it becomes the first of the line. Old ones of its kind and of those in
/// `remove` are removed, with other text after them.
fn add(buffer: &mut Buffer, index: usize, keyword: Keyword, stamp: &str, remove: &[Keyword], case: Case) {
    let headline = buffer.entry(index).line_end;
    let mut at = headline + 1;
    match line(buffer, headline, case) {
        Some(_) => at = remove_from_line(buffer, headline, &[&[keyword], remove].concat(), case),
        None => buffer.insert(headline, "\n"),
    }
    let space = if buffer.line_end(at) == at { "" } else { " " };
    buffer.insert(at, &format!("{} {stamp}{space}", keyword.name()));
}

/// Removes a date, and a line that is empty then (`org-add-planning-info` without a date to add).
pub(super) fn remove_from(buffer: &mut Buffer, index: usize, keyword: Keyword, case: Case) {
    let headline = buffer.entry(index).line_end;
    if line(buffer, headline, case).is_some() {
        let at = remove_from_line(buffer, headline, &[keyword], case);
        let end = buffer.line_end(at);
        if buffer.text()[at..end].trim_matches([' ', '\t']).is_empty() {
            buffer.replace(headline..end, "");
        }
    }
}

/// Removes dates from the line below a headline; where its text begins.
fn remove_from_line(buffer: &mut Buffer, headline: usize, keywords: &[Keyword], case: Case) -> usize {
    let start = headline + 1;
    let at = start + leading(&buffer.text()[start..buffer.line_end(start)]);
    for keyword in keywords {
        let line = &buffer.text()[at..buffer.line_end(at)];
        if let Some(found) = find(line, 0, *keyword, &[keyword.brackets()], case) {
            let brackets = [('<', '>'), ('[', ']'), ('<', ']'), ('[', '>')];
            let next = Keyword::ALL.iter().filter_map(|next| find(line, found.end, *next, &brackets, case));
            let end = next.map(|next| next.start).min().unwrap_or(line.len());
            buffer.replace(at + found.start..at + end, "");
        }
    }
    let line = &buffer.text()[at..buffer.line_end(at)];
    let (kept, length) = (line.trim_end_matches([' ', '\t']).len(), line.len());
    buffer.replace(at + kept..at + length, "");
    at
}

/// Where a keyword with a date begins and ends in a line, from `from` on (`org-closed-time-regexp` and its like).
fn find(
    line: &str,
    from: usize,
    keyword: Keyword,
    brackets: &[(char, char)],
    case: Case,
) -> Option<Range<usize>> {
    let name = keyword.name();
    let starts = (from..line.len()).filter(|at| line.is_char_boundary(*at));
    starts.filter(|at| case.starts(&line[*at..], name)).find_map(|start| {
        let is_word = line[..start].ends_with(|c: char| c.is_alphanumeric());
        let rest = line[start + name.len()..].trim_start_matches(' ');
        let open = rest.chars().next()?;
        let close = brackets.iter().filter(|(first, _)| *first == open).map(|(_, last)| *last);
        let end = close.filter_map(|close| rest.find(close)).min().filter(|end| *end > 1)?;
        (!is_word).then(|| start..line.len() - rest.len() + end + 1)
    })
}

/// Sets the scheduled date or the deadline (`org-schedule`, `org-deadline`): CLOSED goes, and the repeater of the old
/// date stays if the new one has none. `stamp` is complete and active; what is written.
pub(super) fn set(buffer: &mut Buffer, index: usize, keyword: Keyword, stamp: &str) -> String {
    let is_kept = Timestamp::read(stamp)
        .is_some_and(|stamp| stamp.start.repeater.is_none() && stamp.start.warning.is_none());
    let kept = get_folded(buffer, index, keyword)
        .filter(|_| is_kept)
        .and_then(|old| cookie(&old).map(str::to_owned));
    let stamp = match kept {
        Some(cookie) => format!("{} {cookie}>", stamp.trim_end_matches('>')),
        None => stamp.to_owned(),
    };
    add(buffer, index, keyword, &stamp, &[Keyword::Closed], Case::Folded);
    stamp
}

/// The date after the last keyword of this kind in the line below the headline.
pub(super) fn get(buffer: &Buffer, index: usize, keyword: Keyword) -> Option<String> {
    let planning = buffer.headline(index).planning?;
    planning.get(keyword.name().trim_end_matches(':')).map(str::to_owned)
}

/// Like [`get`], whatever the case of the keyword.
pub(super) fn get_folded(buffer: &Buffer, index: usize, keyword: Keyword) -> Option<String> {
    let planning = buffer.headline(index).planning?;
    let name = keyword.name().trim_end_matches(':');
    let found = planning.entries.iter().rev().find(|(found, _)| found.eq_ignore_ascii_case(name));
    found.map(|(_, stamp)| (*stamp).to_owned())
}

/// The repeater of a timestamp, or its warning, with the interval after it: what Org keeps of an old date.
fn cookie(stamp: &str) -> Option<&str> {
    let interval = |text: &str| -> Option<usize> {
        let digits = text.bytes().take_while(u8::is_ascii_digit).count();
        let has_unit = text[digits..].starts_with(['h', 'd', 'w', 'm', 'y']);
        (digits > 0 && has_unit).then_some(digits + 1)
    };
    let signs = |text: &str| text.bytes().take_while(|byte| matches!(byte, b'.' | b'+' | b'-')).count();
    (0..stamp.len()).filter(|at| stamp.is_char_boundary(*at)).find_map(|at| {
        let text = &stamp[at..];
        let first = signs(text);
        let length = first + interval(&text[first..]).filter(|_| first > 0)?;
        let more = text[length..].strip_prefix(['/', ' ']).and_then(|rest| {
            let sign = usize::from(rest.starts_with(['-', '+']));
            Some(1 + sign + interval(&rest[sign..])?)
        });
        Some(&text[..length + more.unwrap_or(0)])
    })
}

/// Removes every date of this kind up to the next headline (`org-remove-timestamp-with-keyword`), if the headline has
/// one.
pub(super) fn remove(buffer: &mut Buffer, index: usize, keyword: Keyword) {
    if get_folded(buffer, index, keyword).is_some() {
        remove_all(buffer, index, keyword);
        // Org does not find a date directly after the colon.
        if get_folded(buffer, index, keyword).is_some() {
            remove_from(buffer, index, keyword, Case::Folded);
        }
    }
}

/// Removes every date of this kind up to the next headline, also where the line below the headline has none.
pub(super) fn remove_all(buffer: &mut Buffer, index: usize, keyword: Keyword) {
    let entry = buffer.entry(index);
    let mut before = entry.end;
    while let Some(found) = last_with_space(&buffer.text()[entry.start..before], keyword) {
        let start = entry.start + found.start;
        buffer.replace(start..entry.start + found.end, "");
        before = start;
        let (line_start, line_end) = (buffer.line_start(start), buffer.line_end(start));
        let line_before = &buffer.text()[line_start..start];
        if !line_before.trim_matches([' ', '\t']).is_empty() && line_before.ends_with(' ') {
            buffer.replace(start - 1..start, "");
            before = start - 1;
        } else if buffer.text()[line_start..line_end].trim_matches([' ', '\t']).is_empty() {
            let next = buffer.next_line(line_start);
            buffer.replace(line_start..next, "");
            before = line_start;
        }
    }
}

/// The last keyword with an active date after one space or more, and the whitespace after it.
fn last_with_space(text: &str, keyword: Keyword) -> Option<Range<usize>> {
    let name = keyword.name();
    let starts = (0..text.len()).rev().filter(|at| text.is_char_boundary(*at));
    starts.filter(|at| Case::Folded.starts(&text[*at..], name)).find_map(|start| {
        let is_word = text[..start].ends_with(|c: char| c.is_alphanumeric());
        let after = &text[start + name.len()..];
        let rest = after.trim_start_matches(' ');
        let inner = rest.strip_prefix('<').filter(|_| rest.len() < after.len() && !is_word)?;
        let close = inner.find(['>', '\n']).filter(|end| *end > 0 && inner[*end..].starts_with('>'))?;
        let rest = &inner[close + 1..];
        Some(start..text.len() - rest.len() + leading(rest))
    })
}

/// Records when a task was done.
pub(super) fn close(buffer: &mut Buffer, index: usize, emacs: &Emacs) {
    add(buffer, index, Keyword::Closed, &format!("[{}]", emacs.now.day_and_time()), &[], Case::Exact);
}
