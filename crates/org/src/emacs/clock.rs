//! Clocks: `CLOCK: [2026-01-31 Sat 09:00]--[2026-01-31 Sat 10:30] =>  1:30`.

use std::ops::Range;

use super::{
    super::clock::Moment,
    buffer::{Buffer, indentation, leading},
    inherited, log,
};
use crate::kinds::org::Timestamp;

/// A line of a clock in an entry.
#[derive(Debug, Clone)]
pub(in super::super) struct ClockLine {
    /// Where the line is, without its indentation and its line break.
    pub(in super::super) span: Range<usize>,
    pub(in super::super) start: Moment,
    /// Nothing while the clock is running.
    pub(in super::super) end: Option<Moment>,
}

/// The clocks in a part of the text, in its order.
pub(in super::super) fn clock_lines(text: &str, range: Range<usize>) -> Vec<ClockLine> {
    let mut found = Vec::new();
    let mut at = range.start;
    for line in text[range].split_inclusive('\n') {
        let begin = at + leading(line);
        at += line.len();
        let Some(rest) = text[begin..at].strip_prefix("CLOCK:") else { continue };
        let Some(stamp) = Timestamp::read(rest.trim_start_matches([' ', '\t'])) else { continue };
        let Some(start) = Moment::of_stamp(&stamp.start) else { continue };
        let end = stamp.end.as_ref().and_then(Moment::of_stamp);
        let length = text[begin..at].trim_end_matches(['\r', '\n']).len();
        found.push(ClockLine { span: begin..begin + length, start, end });
    }
    found
}

/// Starts a clock below a headline (`org-clock-in`), in the drawer `LOGBOOK` unless a property says otherwise.
pub(in super::super) fn clock_in(buffer: &mut Buffer, index: usize, now: Moment) {
    let line = format!("CLOCK: [{}]", now.day_and_time());
    let wanted =
        inherited::get(buffer.document(), index, "CLOCK_INTO_DRAWER").map(|(value, _)| value).or_else(|| {
            let log = inherited::get(buffer.document(), index, "LOG_INTO_DRAWER");
            log.map(|(value, _)| value)
        });
    let drawer = match wanted.as_deref() {
        Some("nil") => None,
        None | Some("t") => Some("LOGBOOK"),
        Some(name) => Some(name),
    };
    let (at, column) = match drawer {
        Some(name) => {
            gather(buffer, index, name);
            log::in_named_drawer(buffer, index, name)
        }
        None => {
            let entry = buffer.entry(index);
            let first =
                clock_lines(buffer.text(), entry.line_end..entry.end).first().map(|line| line.span.start);
            match first {
                Some(first) => {
                    let start = buffer.line_start(first);
                    (start, super::buffer::column(&buffer.text()[start..first]))
                }
                None => log::below_metadata(buffer, index),
            }
        }
    };
    let line_break = if at > 0 && !buffer.text()[..at].ends_with('\n') { "\n" } else { "" };
    buffer.insert(at, &format!("{line_break}{}{line}\n", indentation(column)));
}

/// Puts the clocks that are directly below a headline into a drawer.
fn gather(buffer: &mut Buffer, index: usize, name: &str) {
    let entry = buffer.entry(index);
    let has_drawer = buffer.text()[entry.line_end..entry.end].lines().any(|line| {
        let mark = line.trim_matches([' ', '\t']).strip_prefix(':').and_then(|mark| mark.strip_suffix(':'));
        mark.is_some_and(|mark| mark.eq_ignore_ascii_case(name))
    });
    let lines = clock_lines(buffer.text(), entry.line_end..entry.end);
    let Some(first) = lines.first().filter(|_| !has_drawer) else { return };
    let at = buffer.line_start(first.span.start);
    let whole: Vec<Range<usize>> = lines
        .iter()
        .map(|line| buffer.line_start(line.span.start)..buffer.next_line(line.span.end))
        .collect();
    let mut content: String = whole.iter().map(|line| &buffer.text()[line.clone()]).collect();
    if !content.ends_with('\n') {
        content.push('\n');
    }
    for line in whole.into_iter().rev() {
        buffer.replace(line, "");
    }
    buffer.insert(at, &format!(":{name}:\n{content}:END:\n"));
}

/// Stops the clock that runs below a headline (`org-clock-out`); how many minutes it ran, or nothing where none runs.
pub(in super::super) fn clock_out(buffer: &mut Buffer, index: usize, now: Moment) -> Option<i64> {
    let entry = buffer.entry(index);
    let running = clock_lines(buffer.text(), entry.line_end..entry.end);
    let running = running.into_iter().find(|line| line.end.is_none())?;
    let minutes = now.minutes_since(running.start);
    let stamp = running.start.day_and_time();
    let new = format!("CLOCK: [{stamp}]--[{}] => {}", now.day_and_time(), duration(minutes));
    buffer.replace(running.span, &new);
    Some(minutes)
}

/// Removes the clock that runs below a headline (`org-clock-cancel`), with a drawer that is empty then. Whether one ran.
pub(in super::super) fn clock_cancel(buffer: &mut Buffer, index: usize) -> bool {
    let entry = buffer.entry(index);
    let lines = clock_lines(buffer.text(), entry.line_end..entry.end);
    let Some(running) = lines.into_iter().find(|line| line.end.is_none()) else { return false };
    let start = buffer.line_start(running.span.start);
    let end = buffer.next_line(running.span.end);
    buffer.replace(start..end, "");
    // `:LOGBOOK:` directly above and `:END:` directly below.
    let above = buffer.line_start(start.saturating_sub(1));
    let is_open = buffer.text()[above..start].trim().eq_ignore_ascii_case(":LOGBOOK:");
    let below = buffer.next_line(start);
    if is_open && buffer.text()[start..below].trim().eq_ignore_ascii_case(":END:") {
        buffer.replace(above..below, "");
    }
    true
}

/// ` 1:30`
pub(in super::super) fn duration(minutes: i64) -> String {
    let sign = if minutes < 0 { "-" } else { "" };
    format!("{:>2}:{:02}", format!("{sign}{}", minutes.abs() / 60), minutes.abs() % 60)
}
