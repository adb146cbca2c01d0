//! Timestamps: `<2026-01-31 Sat 10:00-11:30 +1w -2d>`, inactive in brackets, ranges with `--`.

use crate::calendar::{days_since_epoch, is_day};

/// A timestamp or a range of two.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Timestamp<'t> {
    /// The timestamp as it is written.
    pub text: &'t str,
    pub start: Stamp<'t>,
    /// The second timestamp of a range.
    pub end: Option<Stamp<'t>>,
}

/// What is between one pair of brackets.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Stamp<'t> {
    /// In `<…>`, which the agenda shows, and not in `[…]`.
    pub is_active: bool,
    /// The expression of a diary timestamp `<%%(…)>`, which has nothing else.
    pub diary: Option<&'t str>,
    /// `2026-01-31`
    pub date: &'t str,
    pub weekday: Option<&'t str>,
    /// `10:00` or `10:00-11:30`
    pub time: Option<&'t str>,
    /// `+1w`, `++1w`, `.+1d/3d`
    pub repeater: Option<&'t str>,
    /// `-2d`, `--2d`
    pub warning: Option<&'t str>,
    /// Further words.
    pub unread: Vec<&'t str>,
}

impl<'t> Timestamp<'t> {
    /// Reads the timestamp or range that `text` begins with.
    pub fn read(text: &'t str) -> Option<Self> {
        let text = &text[..length(text)?];
        let first = single(text)?;
        let end = text[first..].strip_prefix("--").map(Stamp::read);
        Some(Self { text, start: Stamp::read(&text[..first]), end })
    }

    /// Both timestamps of a range, or the only one.
    pub fn stamps(&self) -> impl Iterator<Item = &Stamp<'t>> {
        std::iter::once(&self.start).chain(&self.end)
    }

    /// The timestamp as Org writes it; nothing for one that Org cannot write from what it has read.
    pub fn canonical(&self) -> Option<String> {
        let stamps: Option<Vec<String>> = self.stamps().map(Stamp::canonical).collect();
        Some(stamps?.join("--"))
    }
}

impl<'t> Stamp<'t> {
    fn read(text: &'t str) -> Self {
        let inner = &text[1..text.len() - 1];
        let is_active = text.starts_with('<');
        if inner.starts_with("%%(") {
            return Self { is_active, diary: Some(inner), ..Self::default() };
        }
        let (date, rest) = inner.split_at(10);
        let mut stamp = Self { is_active, date, ..Self::default() };
        for word in rest.split([' ', '\t']).filter(|word| !word.is_empty()) {
            let slot = match word {
                _ if is_time(word) => &mut stamp.time,
                _ if is_repeater(word) => &mut stamp.repeater,
                _ if is_warning(word) => &mut stamp.warning,
                _ if is_weekday(word) => &mut stamp.weekday,
                _ => {
                    stamp.unread.push(word);
                    continue;
                }
            };
            if slot.is_none() {
                *slot = Some(word);
            } else {
                stamp.unread.push(word);
            }
        }
        stamp
    }

    /// Year, month and day as written, whether there is such a day or not.
    pub fn numbers(&self) -> Option<(i64, i64, i64)> {
        let part = |range: std::ops::Range<usize>| -> Option<i64> { self.date.get(range)?.parse().ok() };
        Some((part(0..4)?, part(5..7)?, part(8..10)?))
    }

    /// Whether the calendar has its date.
    pub fn is_real(&self) -> bool {
        self.diary.is_some() || self.numbers().is_some_and(|(year, month, day)| is_day(year, month, day))
    }

    /// The English name of its weekday, where the calendar has its date.
    pub fn true_weekday(&self) -> Option<&'static str> {
        let (year, month, day) = self.numbers().filter(|_| self.is_real())?;
        let names = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"];
        names.get(days_since_epoch(year, month, day).rem_euclid(7) as usize).copied()
    }

    /// The stamp as Org writes it: weekday, time with two digits for the hour, repeater, warning, with one
    /// space between them.
    fn canonical(&self) -> Option<String> {
        let (open, close) = if self.is_active { ('<', '>') } else { ('[', ']') };
        if let Some(diary) = self.diary {
            return Some(format!("{open}{diary}{close}"));
        }
        let mut text = format!("{open}{} {}", self.date, self.true_weekday()?);
        if let Some(time) = self.time {
            let hours: Vec<String> = time.split('-').map(|time| format!("{time:0>5}")).collect();
            text.push(' ');
            text.push_str(&hours.join("-"));
        }
        for part in [self.repeater, self.warning].into_iter().flatten() {
            text.push(' ');
            text.push_str(part);
        }
        text.push(close);
        Some(text)
    }
}

fn is_weekday(word: &str) -> bool {
    !word.contains(|c: char| c.is_ascii_digit() || matches!(c, '+' | '-' | '/' | ':'))
}

/// `9:00`, `10:00-11:30`
fn is_time(word: &str) -> bool {
    let is_one = |time: &str| {
        let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        time.split_once(':').is_some_and(|(hour, minute)| {
            digits(hour) && hour.len() <= 2 && digits(minute) && minute.len() == 2
        })
    };
    match word.split_once('-') {
        Some((from, to)) => is_one(from) && is_one(to),
        None => is_one(word),
    }
}

/// `1w`: a number and a unit.
fn is_interval(text: &str) -> bool {
    let number = text.trim_end_matches(['h', 'd', 'w', 'm', 'y']);
    number.len() + 1 == text.len() && !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_repeater(word: &str) -> bool {
    let rest = word.strip_prefix("++").or(word.strip_prefix(".+")).or(word.strip_prefix('+'));
    rest.is_some_and(|rest| match rest.split_once('/') {
        Some((interval, most)) => is_interval(interval) && is_interval(most),
        None => is_interval(rest),
    })
}

fn is_warning(word: &str) -> bool {
    word.strip_prefix("--").or(word.strip_prefix('-')).is_some_and(is_interval)
}

/// The length of the timestamp or range that `text` begins with.
pub(super) fn length(text: &str) -> Option<usize> {
    let first = single(text)?;
    let second = text[first..].strip_prefix("--").and_then(single);
    Some(second.map_or(first, |second| first + 2 + second))
}

/// The length of one timestamp. A diary expression `<%%(…)>` counts as one.
fn single(text: &str) -> Option<usize> {
    let close = match text.as_bytes().first()? {
        b'<' => '>',
        b'[' => ']',
        _ => return None,
    };
    if text[1..].starts_with("%%(") {
        let end = text.find([close, '\n'])?;
        return text[end..].starts_with(close).then_some(end + 1);
    }
    let date = text.get(1..11)?.as_bytes();
    let fits = date.iter().enumerate().all(|(at, byte)| match at {
        4 | 7 => *byte == b'-',
        _ => byte.is_ascii_digit(),
    });
    if !fits {
        return None;
    }
    let rest = &text[11..];
    let end = rest.find(['>', ']', '\n'])?;
    let inner = &rest[..end];
    ((inner.is_empty() || inner.starts_with(' ')) && !rest[end..].starts_with('\n')).then_some(11 + end + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timestamps_and_ranges() {
        for text in [
            "<2026-01-31 Sat>",
            "[2026-01-31 Sat 10:00]",
            "<2026-01-31>",
            "<2026-01-01 Thu 10:00 .+1m/2m --2d>",
            "<2026-01-31 Sat>--<2026-02-01 Sun>",
            "<%%(diary-float t 4 2)>",
        ] {
            assert_eq!(length(&format!("{text} after")), Some(text.len()), "{text}");
            if text != "<2026-01-31>" {
                assert_eq!(Timestamp::read(text).and_then(|stamp| stamp.canonical()).as_deref(), Some(text));
            }
        }
        for text in ["<2026-1-31>", "<tomorrow>", "2026-01-31", "<2026-01-31 Sat\n>"] {
            assert_eq!(length(text), None, "{text}");
        }
    }

    #[test]
    fn timestamps_are_written_as_org_writes_them() {
        let written = |text| Timestamp::read(text).and_then(|stamp| stamp.canonical());
        assert_eq!(written("<2026-01-31  9:00 -1d  +1w>").as_deref(), Some("<2026-01-31 Sat 09:00 +1w -1d>"));
        assert_eq!(written("<2026-01-31 sam.>").as_deref(), Some("<2026-01-31 Sat>"));
        assert_eq!(written("<2026-02-30 Mon>"), None);
        let unread = Timestamp::read("<2026-01-31 Sat 10 Sat>").map(|stamp| stamp.start.unread);
        assert_eq!(unread, Some(vec!["10", "Sat"]));
    }

    #[test]
    fn weekdays_follow_the_calendar() {
        let weekday = |date| Stamp { date, ..Stamp::default() }.true_weekday();
        assert_eq!(weekday("1970-01-01"), Some("Thu"));
        assert_eq!(weekday("2000-02-29"), Some("Tue"));
        assert_eq!(weekday("1900-02-29"), None);
        assert_eq!(weekday("1969-12-31"), Some("Wed"));
    }
}
