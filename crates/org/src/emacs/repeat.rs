//! Timestamps with repeaters.

use std::ops::Range;

use super::{
    super::clock::Moment,
    buffer::{Buffer, leading},
};
use crate::kinds::org::{Stamp, Timestamp};

/// How a repeater moves a date.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    /// `+1w`: by the interval.
    Once,
    /// `++1w`: by the interval until it is in the future.
    Future,
    /// `.+1w`: by the interval from today.
    Today,
}

/// A part of a date, as repeaters count it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Unit {
    Minute,
    Hour,
    Day,
    Month,
    Year,
}

/// Whether the first date of an entry with a repeater repeats (`org-get-repeat`): `+0d` does not.
pub(super) fn repeats(buffer: &Buffer, index: usize) -> bool {
    let entry = buffer.entry(index);
    let first = next(buffer, entry.start, entry.start..entry.end);
    first.is_some_and(|stamp| {
        let stamp = Timestamp::read(&buffer.text()[stamp]);
        stamp.and_then(|stamp| repeater(&stamp.start)).is_some_and(|(_, number, _)| number != 0)
    })
}

/// Whether a timestamp has a repeater.
pub(super) fn has_repeater(stamp: &str) -> bool {
    Timestamp::read(stamp).is_some_and(|stamp| stamp.start.is_active && stamp.start.repeater.is_some())
}

/// Moves each date of an entry that has a repeater (the end of `org-auto-repeat-maybe`).
pub(super) fn shift(buffer: &mut Buffer, index: usize, now: Moment) {
    let mut at = buffer.entry(index).start;
    loop {
        let entry = buffer.entry(index);
        let Some(stamp) = next(buffer, at, entry.start..entry.end) else { return };
        let old = &buffer.text()[stamp.clone()];
        let new = shifted(old, now).unwrap_or_else(|| old.to_owned());
        at = stamp.start + new.len();
        buffer.replace(stamp, &new);
    }
}

/// The next active timestamp with a repeater in an entry that the agenda would show.
fn next(buffer: &Buffer, from: usize, entry: Range<usize>) -> Option<Range<usize>> {
    let text = buffer.text();
    let mut at = from;
    while let Some(found) = text[at..entry.end].find('<') {
        let start = at + found;
        at = start + 1;
        let Some(stamp) = Timestamp::read(&text[start..entry.end]) else { continue };
        let length = text[start..].find('>').map_or(0, |end| end + 1);
        if stamp.start.repeater.is_some() && is_shown(text, entry.start, start) {
            return Some(start..start + length);
        }
    }
    None
}

/// Whether a timestamp at `at` is one: not in a comment, nor in a block or on a line whose text is not read as Org.
fn is_shown(text: &str, entry: usize, at: usize) -> bool {
    let line_start = text[..at].rfind('\n').map_or(0, |before| before + 1);
    let line = text[line_start..].lines().next().unwrap_or_default();
    let unindented = &line[leading(line)..];
    if ["# ", "#+", ": "].iter().any(|mark| unindented.starts_with(mark)) {
        return false;
    }
    if is_verbatim(line, at - line_start) {
        return false;
    }
    let mut is_open = false;
    for line in text[entry..line_start].lines() {
        let line = line[leading(line)..].to_ascii_lowercase();
        let of = |mark: &str| {
            line.strip_prefix(mark).is_some_and(|name| {
                ["src", "example", "export", "comment"].iter().any(|known| name.starts_with(known))
            })
        };
        is_open = of("#+begin_") || (is_open && !of("#+end_"));
    }
    !is_open
}

/// Whether an offset of a line is between marks of verbatim text: `=…=` or `~…~`.
fn is_verbatim(line: &str, at: usize) -> bool {
    let opens = |c: Option<char>| c.is_none_or(|c| c.is_whitespace() || "-('\"{".contains(c));
    let closes = |c: Option<char>| c.is_none_or(|c| c.is_whitespace() || "-.,;:!?'\")}\\[".contains(c));
    ['=', '~'].into_iter().any(|mark| {
        let mut open = None;
        for (found, _) in line.match_indices(mark) {
            let (before, after) = (line[..found].chars().next_back(), line[found + 1..].chars().next());
            match open {
                Some(start) if closes(after) && before.is_some_and(|c| !c.is_whitespace()) => {
                    if (start..found).contains(&at) {
                        return true;
                    }
                    open = None;
                }
                None if opens(before) && after.is_some_and(|c| !c.is_whitespace()) => open = Some(found),
                _ => {}
            }
        }
        false
    })
}

/// The timestamp moved as its repeater says; nothing for an interval of hours without a time.
fn shifted(stamp: &str, now: Moment) -> Option<String> {
    let read = Timestamp::read(stamp)?;
    let (mode, mut number, letter) = repeater(&read.start)?;
    let unit = match letter {
        'h' => Unit::Hour,
        'm' => Unit::Month,
        'y' => Unit::Year,
        _ => Unit::Day,
    };
    if letter == 'w' {
        number *= 7;
    }
    if unit == Unit::Hour && read.start.time.is_none() {
        return None;
    }
    let mut stamp = stamp.to_owned();
    match mode {
        Mode::Once => {}
        Mode::Today if unit == Unit::Hour => {
            stamp = moved(&stamp, now.minutes_since(moment(&stamp)?), Unit::Minute, false)?;
        }
        Mode::Today => stamp = moved(&stamp, now.days() - moment(&stamp)?.days(), Unit::Day, false)?,
        Mode::Future if number == 0 => {}
        Mode::Future => {
            loop {
                stamp = moved(&stamp, number, unit, false)?;
                if now < moment(&stamp)? {
                    break;
                }
            }
            // Org goes one interval back before it makes the move that counts.
            stamp = moved(&stamp, -number, unit, false)?;
        }
    }
    moved(&stamp, number, unit, true)
}

/// Mode, number, and unit of a repeater.
fn repeater(stamp: &Stamp<'_>) -> Option<(Mode, i64, char)> {
    let written = stamp.repeater?;
    let (mode, rest) = match written.strip_prefix('.').map(|rest| (Mode::Today, rest)) {
        Some(found) => found,
        None if written.starts_with("++") => (Mode::Future, &written[1..]),
        None => (Mode::Once, written),
    };
    let rest = rest.strip_prefix('+')?.split('/').next()?;
    let letter = rest.chars().last()?;
    let number = rest[..rest.len() - letter.len_utf8()].parse().ok().filter(|number| *number < 100_000)?;
    Some((mode, number, letter))
}

/// The begin of a timestamp.
fn moment(stamp: &str) -> Option<Moment> {
    let read = Timestamp::read(stamp)?;
    Some(Moment::of(read.start.numbers()?, read.start.time.and_then(first_time).unwrap_or_default()))
}

/// Hour and minute that a time or a range of times begins with.
fn first_time(time: &str) -> Option<(i64, i64)> {
    let (hour, minute) = time.split('-').next()?.split_once(':')?;
    Some((hour.parse().ok()?, minute.parse().ok()?))
}

/// The timestamp moved by a number of units (`org-timestamp-change`), without a delay `--2d` on request.
fn moved(stamp: &str, number: i64, unit: Unit, without_delay: bool) -> Option<String> {
    let read = Timestamp::read(stamp)?;
    let (year, month, day) = read.start.numbers()?;
    let time = read.start.time.and_then(first_time);
    let (hour, minute) = time.unwrap_or_default();
    let by = |of: Unit| if of == unit { number } else { 0 };
    let date = (year + by(Unit::Year), month + by(Unit::Month), day + by(Unit::Day));
    let moment = Moment::of(date, (hour + by(Unit::Hour), minute + by(Unit::Minute)));
    let written = if time.is_some() { moment.day_and_time() } else { moment.day() };
    let mut rest = rest(stamp).to_owned();
    if unit == Unit::Hour {
        rest = with_end_time(&rest, number);
    }
    if without_delay {
        rest = rest.split_inclusive(' ').filter(|word| !word.starts_with("--")).collect();
        rest.truncate(rest.trim_end_matches(' ').len());
    }
    let close = if read.start.is_active { '>' } else { ']' };
    Some(format!("{}{written}{rest}{close}", &stamp[..1]))
}

/// What of a timestamp stays when its date is moved: the end of a range of times, and the cookies at the end.
fn rest(stamp: &str) -> &str {
    let inner = &stamp[..stamp.len() - 1];
    let mut start = inner.len();
    while let Some(space) = inner[..start].rfind(' ') {
        if !is_cookie(&inner[space + 1..start]) {
            break;
        }
        start = inner[..space].trim_end_matches(' ').len();
    }
    let end_time = inner[..start].len().checked_sub(6).and_then(|at| inner.get(at..start));
    match end_time {
        Some(time) if time.starts_with('-') && time[1..].split_once(':').is_some_and(is_hour_and_minute) => {
            &inner[start - 6..]
        }
        _ => &inner[start..],
    }
}

fn is_hour_and_minute((hour, minute): (&str, &str)) -> bool {
    let digits = |text: &str| text.len() == 2 && text.bytes().all(|byte| byte.is_ascii_digit());
    digits(hour) && digits(minute) && hour < "30" && minute < "60"
}

/// `+1w`, `.+1d/3d`, `-2d`, `--2d`
fn is_cookie(word: &str) -> bool {
    let rest = word.strip_prefix(['.', '+']).filter(|rest| rest.starts_with(['+', '-'])).unwrap_or(word);
    let rest = rest.strip_prefix('-').filter(|rest| rest.starts_with(['+', '-'])).unwrap_or(rest);
    let interval = |text: &str| {
        let number = text.trim_end_matches(['h', 'd', 'w', 'm', 'y']);
        number.len() + 1 == text.len()
            && !number.is_empty()
            && number.bytes().all(|byte| byte.is_ascii_digit())
    };
    rest.strip_prefix(['+', '-']).is_some_and(|rest| match rest.split_once('/') {
        Some((first, second)) => interval(first) && interval(second),
        None => interval(rest),
    })
}

/// `-11:30 +1h` with the end of the range moved by hours (`org-modify-ts-extra`).
fn with_end_time(rest: &str, hours: i64) -> String {
    let time = rest.strip_prefix('-').and_then(|rest| rest.get(..5)).and_then(first_time);
    match time {
        Some((hour, minute)) => format!("-{:02}:{minute:02}{}", (hour + hours).rem_euclid(24), &rest[6..]),
        None => rest.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeaters_move_dates_as_org_does() {
        let now = Moment::of((2026, 2, 20), (12, 0));
        let shifted = |stamp| shifted(stamp, now).unwrap_or_default();
        assert_eq!(shifted("<2026-01-31 Sat +1w>"), "<2026-02-07 Sat +1w>");
        assert_eq!(shifted("<2026-01-31 Sat ++1w>"), "<2026-02-21 Sat ++1w>");
        assert_eq!(shifted("<2026-01-31 Sat .+1d/3d -2d>"), "<2026-02-21 Sat .+1d/3d -2d>");
        assert_eq!(shifted("<2026-01-31 +1m>"), "<2026-03-03 Tue +1m>");
        assert_eq!(shifted("<2026-01-31 Sat 9:00-10:30 +1y>"), "<2027-01-31 Sun 09:00-10:30 +1y>");
        assert_eq!(shifted("<2026-02-20 Fri 10:00-11:30 ++3h>"), "<2026-02-20 Fri 13:00-14:30 ++3h>");
        assert_eq!(shifted("<2026-01-31 Sat +1w --2d>"), "<2026-02-07 Sat +1w>");
        assert_eq!(shifted("<2026-01-31 Sat +1h>"), "");
    }
}
