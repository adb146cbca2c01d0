//! Notes on changes of keywords, where Emacs stores them (`org-store-log-note`).

use std::ops::Range;

use super::{
    super::clock::Moment,
    buffer::{Buffer, column, indentation, leading},
    inherited, planning,
};

/// What is recorded of a change.
#[derive(Debug, Clone, Default)]
pub(in super::super) struct Record {
    /// What was done to a date or to the place, before the time, such as `Rescheduled from "[2026-01-31 Sat]"`.
    pub(in super::super) of_date: Option<String>,
    /// The new keyword; nothing for the note of a task that is closed.
    pub(in super::super) state: Option<String>,
    /// The old keyword.
    pub(in super::super) previous: Previous,
    /// Text of a note; nothing where only the time is recorded.
    pub(in super::super) note: Option<String>,
}

/// The keyword before a change, in double quotes.
#[derive(Debug, Clone, Default)]
pub(in super::super) struct Previous(String);

impl Previous {
    /// The old keyword as the note of a change has it: nothing where the headline had none.
    pub(in super::super) fn of_change(state: &str) -> Self {
        if state.is_empty() { Self(String::new()) } else { Self::of_repetition(state) }
    }

    /// The old keyword as the note of a repetition has it.
    pub(in super::super) fn of_repetition(state: &str) -> Self {
        Self(format!("\"{state}\""))
    }
}

impl Record {
    /// Its first line, without the bullet (`org-log-note-headings`).
    fn heading(&self, now: Moment) -> String {
        let time = now.day_and_time();
        if let Some(what) = &self.of_date {
            return format!("{what} on [{time}]");
        }
        match &self.state {
            Some(state) => {
                format!("State {:<12} from {:<12} [{time}]", format!("\"{state}\""), self.previous.0)
            }
            None => format!("CLOSING NOTE [{time}]"),
        }
    }
}

/// Adds a record as an item of a list: before those that are there already, or after them, and in a drawer where the
/// file asks for that.
pub(in super::super) fn store(
    buffer: &mut Buffer,
    index: usize,
    record: &Record,
    into_drawer: bool,
    now: Moment,
) {
    let is_newest_first = startup(buffer, "logstatesreversed", true);
    let place = match drawer_name(buffer, index, into_drawer) {
        Some(name) => in_drawer(buffer, index, &name, is_newest_first),
        None if is_newest_first => above_text(buffer, index),
        None => below_records(buffer, index),
    };
    let lines = record.note.as_deref().map(str::trim_end).filter(|note| !note.is_empty());
    let end = if lines.is_some() { " \\\\" } else { "" };
    let mut item = format!("{}- {}{end}", indentation(place.column), record.heading(now));
    for line in lines.into_iter().flat_map(str::lines) {
        item = item + "\n" + &indentation(place.column + "- ".len()) + line.trim_start_matches([' ', '\t']);
    }
    let at = place.at;
    if at > 0 && !buffer.text()[..at].ends_with('\n') {
        buffer.insert(at, &format!("\n{item}"));
    } else if at == buffer.text().len() {
        buffer.insert(at, &item);
    } else {
        buffer.insert(at, &format!("{item}\n"));
    }
}

/// Where an item goes: the beginning of a line, or the end of a document without a final line break.
#[derive(Debug, Clone, Copy)]
struct Place {
    at: usize,
    /// The column of its bullet.
    column: usize,
}

/// The drawer that records go into (`org-log-into-drawer`): as the property `LOG_INTO_DRAWER` or the file says.
fn drawer_name(buffer: &Buffer, index: usize, into_drawer: bool) -> Option<String> {
    let name = match inherited::get(buffer.document(), index, "LOG_INTO_DRAWER") {
        Some((value, _)) if value == "nil" => return None,
        Some((value, _)) if value != "t" => value,
        Some(_) => "LOGBOOK".to_owned(),
        None => startup(buffer, "logdrawer", into_drawer).then(|| "LOGBOOK".to_owned())?,
    };
    Some(name)
}

/// Records that a date was changed or removed, where the file asks for that (`#+STARTUP: logreschedule`, `logredeadline`).
pub(super) fn store_date(
    buffer: &mut Buffer,
    index: usize,
    keyword: planning::Keyword,
    old: &str,
    new: Option<&str>,
    emacs: &super::Emacs,
) {
    let (word, changed, removed) = match keyword {
        planning::Keyword::Deadline => ("redeadline", "New deadline from", "Removed deadline, was"),
        _ => ("reschedule", "Rescheduled from", "Not scheduled, was"),
    };
    let is_wanted =
        startup(buffer, &format!("log{word}"), false) || startup(buffer, &format!("lognote{word}"), false);
    if !is_wanted || new == Some(old) {
        return;
    }
    let what = if new.is_some() { changed } else { removed };
    let inner = old.trim_start_matches(['<', '[']).trim_end_matches(['>', ']']);
    let record = Record { of_date: Some(format!("{what} \"[{inner}]\"")), ..Record::default() };
    store(buffer, index, &record, emacs.log_into_drawer, emacs.now);
}

/// Records that a subtree was moved to this file, where the file asks for that (`#+STARTUP: logrefile`).
pub(in super::super) fn store_refile(buffer: &mut Buffer, start: usize, emacs: &super::Emacs) {
    if !startup(buffer, "logrefile", false) && !startup(buffer, "lognoterefile", false) {
        return;
    }
    let Some(index) = buffer.index_at(start) else { return };
    let record = Record { of_date: Some("Refiled".to_owned()), ..Record::default() };
    store(buffer, index, &record, emacs.log_into_drawer, emacs.now);
}

/// Whether the last of the words `WORD` and `noWORD` in `#+STARTUP:` lines is the first of them; else `by_default`.
fn startup(buffer: &Buffer, word: &str, by_default: bool) -> bool {
    let keywords = buffer.document().keywords().filter(|(key, _)| key.eq_ignore_ascii_case("STARTUP"));
    let words = keywords.flat_map(|(_, value)| value.split([' ', '\t']));
    words.fold(by_default, |now, found| found == word || now && found.strip_prefix("no") != Some(word))
}

/// The lines of an entry from an offset on.
fn lines(buffer: &Buffer, from: usize, end: usize) -> impl Iterator<Item = (Range<usize>, &str)> {
    let mut at = from;
    std::iter::from_fn(move || {
        let range = (at < end).then(|| at..buffer.line_end(at))?;
        at = range.end + 1;
        Some((range.clone(), &buffer.text()[range]))
    })
}

/// The end of the line of dates or of the drawer of properties, or of the headline, and the column of its first line.
fn metadata(buffer: &Buffer, index: usize) -> (usize, usize) {
    let entry = buffer.entry(index);
    let of = |range: Range<usize>| {
        let start = buffer.line_start(range.start);
        let line = &buffer.text()[start..buffer.line_end(start)];
        (buffer.line_end(range.end), column(&line[..leading(line)]))
    };
    match entry.drawer {
        Some(drawer) => of(drawer),
        None => {
            planning::line(buffer, entry.line_end, planning::Case::Folded).map_or((entry.line_end, 0), of)
        }
    }
}

/// At the beginning or the end of the drawer, which is made below the metadata where there is none.
fn in_drawer(buffer: &mut Buffer, index: usize, name: &str, is_newest_first: bool) -> Place {
    let (above, _) = metadata(buffer, index);
    let end = buffer.entry(index).end;
    let is_mark = |line: &str, name: &str| {
        let mark = line.trim_matches([' ', '\t']).strip_prefix(':').and_then(|mark| mark.strip_suffix(':'));
        mark.is_some_and(|mark| mark.eq_ignore_ascii_case(name))
    };
    let below = (above + 1).min(buffer.text().len());
    // Where the first item of the drawer would be.
    let mut first = None;
    // The column of the line before, and that of the list that it is in.
    let (mut last, mut list) = (0, None);
    for (range, line) in lines(buffer, below, end) {
        let (indent, rest) = (column(&line[..leading(line)]), &line[leading(line)..]);
        if first.is_none() {
            first = is_mark(line, name).then_some(Place { at: range.end + 1, column: indent });
        } else if is_mark(line, "END") {
            let end = Place { at: range.start, column: list.unwrap_or(last) };
            return first.filter(|_| is_newest_first).unwrap_or(end);
        } else if rest.starts_with("- ") {
            list = Some(list.map_or(indent, |list: usize| list.min(indent)));
        } else if !rest.is_empty() {
            list = list.filter(|list| indent > *list);
        }
        if !rest.is_empty() {
            last = indent;
        }
    }
    let line_break = if buffer.text()[..below].ends_with('\n') { "" } else { "\n" };
    buffer.insert(below, &format!("{line_break}:{name}:\n:END:\n"));
    Place { at: below + line_break.len() + format!(":{name}:\n").len(), column: 0 }
}

/// Where a clock goes in the drawer of this name, which is made where there is none, with its column.
pub(super) fn in_named_drawer(buffer: &mut Buffer, index: usize, name: &str) -> (usize, usize) {
    let is_newest_first = startup(buffer, "logstatesreversed", true);
    let place = in_drawer(buffer, index, name, is_newest_first);
    (place.at, place.column)
}

/// The line below the metadata of a headline, with their column.
pub(super) fn below_metadata(buffer: &Buffer, index: usize) -> (usize, usize) {
    let (above, column) = metadata(buffer, index);
    ((above + 1).min(buffer.text().len()), column)
}

/// Above the text below the metadata, or the next headline.
fn above_text(buffer: &Buffer, index: usize) -> Place {
    let (above, column) = metadata(buffer, index);
    let rest = &buffer.text()[(above + 1).min(buffer.text().len())..];
    let text = rest.trim_start_matches([' ', '\t', '\n']);
    let at = buffer.text().len() - text.len();
    Place { at: if text.is_empty() { at } else { buffer.line_start(at) }, column }
}

/// Below the metadata and the records that are there already (`org-skip-over-state-notes`).
fn below_records(buffer: &Buffer, index: usize) -> Place {
    let (above, own_column) = metadata(buffer, index);
    let end = buffer.entry(index).end;
    let below = (above + 1).min(buffer.text().len());
    let next_line = |line_end: usize| (line_end + 1).min(buffer.text().len());
    let mut place = Place { at: below, column: own_column };
    // The column of the records.
    let mut list = None;
    let mut empty = 0;
    for (range, line) in lines(buffer, below, end) {
        let (indent, rest) = (column(&line[..leading(line)]), &line[leading(line)..]);
        if rest.is_empty() {
            empty += 1;
            // Two empty lines end a list.
            if list.is_some() && empty > 1 {
                break;
            }
            continue;
        }
        let continues = match list {
            None => is_record(rest),
            Some(list) => indent > list || indent == list && is_record(rest),
        };
        if !continues {
            break;
        }
        list = list.or(Some(indent));
        empty = 0;
        place = Place { at: next_line(range.end), column: list.unwrap_or(indent) };
    }
    place
}

/// Whether a line without its indentation begins a record of a change: `- State "DONE" from "TODO" [2026-01-31 Sat 10:00]`.
fn is_record(line: &str) -> bool {
    let quoted = |text: &str| text.len() > 2 && text.starts_with('"') && text.ends_with('"');
    let mut words = line.split(' ').filter(|word| !word.is_empty()).peekable();
    let is_headed = words.next() == Some("-") && words.next() == Some("State");
    let _ = words.next_if(|word| quoted(word));
    let is_from = words.next() == Some("from");
    let _ = words.next_if(|word| quoted(word));
    is_headed
        && is_from
        && words.next().is_some_and(|word| word.starts_with('[') && word.len() == "[2026-01-31".len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kinds::org::Setup;

    fn stored(text: &str, note: Option<&str>) -> String {
        let mut buffer = Buffer::new(text, &Setup::default());
        let record = Record {
            state: Some("DONE".to_owned()),
            previous: Previous::of_change("TODO"),
            note: note.map(str::to_owned),
            ..Record::default()
        };
        store(&mut buffer, 0, &record, false, Moment::of((2026, 2, 20), (12, 0)));
        buffer.text().to_owned()
    }

    const FIRST: &str = "- State \"DONE\"       from \"TODO\"       [2026-02-20 Fri 12:00]";

    #[test]
    fn the_newest_record_is_the_first_one_below_the_metadata() {
        let done = "* DONE A\nCLOSED: [2026-02-20 Fri 12:00]\n:PROPERTIES:\n:ID: a\n:END:\n";
        assert_eq!(
            stored(&format!("{done}text\n"), Some("Why:\n  it is")),
            format!("{done}{FIRST} \\\\\n  Why:\n  it is\ntext\n")
        );
        let old = "- State \"TODO\"       from              [2026-02-19 Thu 12:00] \\\\\n  old\n";
        assert_eq!(stored(&format!("{done}{old}- item\n"), None), format!("{done}{FIRST}\n{old}- item\n"));
        assert_eq!(stored("* DONE A\n\ntext\n", None), format!("* DONE A\n\n{FIRST}\ntext\n"));
        assert_eq!(stored("* DONE A\n\n* B\n", None), format!("* DONE A\n\n{FIRST}\n* B\n"));
        assert_eq!(stored("* DONE A", None), format!("* DONE A\n{FIRST}"));
    }

    #[test]
    fn the_newest_record_is_the_last_one_where_the_file_says_so() {
        let file = "#+STARTUP: nologstatesreversed\n* DONE A\n";
        let old = "- State \"TODO\"       from              [2026-02-19 Thu 12:00] \\\\\n  old\n";
        assert_eq!(stored(&format!("{file}{old}- item\n"), None), format!("{file}{old}{FIRST}\n- item\n"));
        assert_eq!(stored(&format!("{file}\ntext\n"), None), format!("{file}{FIRST}\n\ntext\n"));
        let drawer = format!("#+STARTUP: logdrawer nologstatesreversed\n* DONE A\n:LOGBOOK:\n{old}");
        assert_eq!(stored(&format!("{drawer}:END:\n"), None), format!("{drawer}{FIRST}\n:END:\n"));
    }

    #[test]
    fn records_go_into_the_drawer_that_the_file_asks_for() {
        let file = "* DONE A\n:PROPERTIES:\n:LOG_INTO_DRAWER: t\n:END:\n";
        let once = format!("{file}:LOGBOOK:\n{FIRST}\n:END:\ntext\n");
        assert_eq!(stored(&format!("{file}text\n"), None), once);
        let old = once.replace("20 Fri", "19 Thu");
        assert_eq!(stored(&old, None), old.replace(":LOGBOOK:\n", &format!(":LOGBOOK:\n{FIRST}\n")));
        let started = "#+STARTUP: logdrawer\n* DONE A\n";
        assert_eq!(stored(started, None), format!("{started}:LOGBOOK:\n{FIRST}\n:END:\n"));
    }
}
