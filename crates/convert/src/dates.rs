//! Dates as documents show them: `date-format`, in the document's language, as Quarto writes it.
//!
//! `dates.json` has the names and weeks of Day.js, which Quarto uses for patterns such as `MMM D, YYYY`, and the styles `full`,
//! `long`, `medium` and `short` of CLDR 48. `tools/dates` writes it.

use std::{collections::HashMap, fmt::Write as _};

use chrono::{DateTime, Local, Offset as _, TimeZone as _, Utc};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::formats::{Family, Format};
use crate::{
    budget::Lazy,
    calendar::{self, days_since_epoch, is_day},
};

/// The names of a language, and how it writes dates.
#[derive(Debug, Deserialize)]
struct Words {
    months: Vec<String>,
    /// The names of months next to the number of a day, where they are other ones.
    #[serde(default)]
    months_of_days: Vec<String>,
    months_short: Vec<String>,
    #[serde(default)]
    months_short_of_days: Vec<String>,
    weekdays: Vec<String>,
    weekdays_short: Vec<String>,
    weekdays_min: Vec<String>,
    /// The weekdays of the style `full`, where they are other ones.
    #[serde(default)]
    weekdays_full: Vec<String>,
    /// The numbers of days as ordinals: all of them, or one for all. English has a rule instead.
    #[serde(default)]
    ordinals: Vec<String>,
    /// The first day of a week, from 0 for Sunday, and the day of January that the first week has.
    week: (i64, i64),
    full: Style,
    long: Style,
    medium: Style,
    short: Style,
}

/// A style of CLDR, with the names of months in it where they are other ones.
#[derive(Debug, Deserialize)]
struct Style {
    pattern: String,
    #[serde(default)]
    names: Vec<String>,
}

static LANGUAGES: Lazy<HashMap<String, Words>> =
    Lazy::new(|| serde_json::from_str(include_str!("dates.json")).unwrap_or_default());

/// The words of a language such as `de-AT`, or of `de`, or else of English.
fn words(language: &str) -> Option<&'static Words> {
    let name = language.to_lowercase();
    let base = name.split('-').next().unwrap_or_default();
    LANGUAGES.get(&name).or_else(|| LANGUAGES.get(base)).or_else(|| LANGUAGES.get("en"))
}

/// A time of a day of the Gregorian calendar, as its author wrote it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Moment {
    year: i64,
    /// From 1.
    month: i64,
    day: i64,
    /// Seconds of the day.
    seconds: i64,
    /// Minutes by which it is ahead of UTC.
    offset: i64,
}

impl Moment {
    /// The current time where the program runs, or the time of `SOURCE_DATE_EPOCH`.
    fn now() -> Self {
        Self::at(calendar::now())
    }

    /// A time in seconds since 1970, as the clock shows it where the program runs.
    fn at(seconds: u64) -> Self {
        let seconds = seconds.cast_signed();
        let offset = DateTime::<Utc>::from_timestamp(seconds, 0)
            .map_or(0, |time| Local.offset_from_utc_datetime(&time.naive_utc()).fix().local_minus_utc());
        let local = seconds + i64::from(offset);
        let (year, month, day) = calendar::date_of(local.div_euclid(86_400));
        Self { year, month, day, seconds: local.rem_euclid(86_400), offset: i64::from(offset) / 60 }
    }

    /// Reads `2026-03-05`, also with a time, `3/5/2026`, `5 March 2026`, and `March 5, 2026`.
    fn read(text: &str) -> Option<Self> {
        let text = text.trim();
        let starts_with_number = text.starts_with(|c: char| c.is_ascii_digit());
        let found = if starts_with_number { Self::of_numbers(text) } else { None };
        found.or_else(|| Self::of_names(text)).filter(|found| is_day(found.year, found.month, found.day))
    }

    fn of_day(year: i64, month: i64, day: i64) -> Self {
        Self { year, month, day, seconds: 0, offset: 0 }
    }

    /// A date of three numbers, with a time after it where the year is first.
    fn of_numbers(text: &str) -> Option<Self> {
        let end = text.find(|c: char| !(c.is_ascii_digit() || matches!(c, '-' | '/'))).unwrap_or(text.len());
        let (date, time) = text.split_at(end);
        let mark = date.chars().find(|c| !c.is_ascii_digit())?;
        let parts: Vec<&str> = date.split(mark).collect();
        let [first, second, third] = parts.as_slice() else { return None };
        let number = |part: &str| part.parse::<i64>().ok().filter(|_| (1..=4).contains(&part.len()));
        let (a, b, c) = (number(first)?, number(second)?, number(third)?);
        if first.len() == 4 {
            let time = time.strip_prefix(['T', ' ']).unwrap_or(time);
            let (seconds, offset) = clock(time)?;
            return Some(Self { seconds, offset, ..Self::of_day(a, b, c) });
        }
        let year = match third.len() {
            4 => c,
            2 => 2000 + c,
            _ => return None,
        };
        let (month, day) = if a > 12 { (b, a) } else { (a, b) };
        time.is_empty().then(|| Self::of_day(year, month, day))
    }

    /// A date with the English name of its month.
    fn of_names(text: &str) -> Option<Self> {
        let (mut year, mut month, mut day) = (None, None, None);
        let english = LANGUAGES.get("en")?;
        let named = |names: &[String], part: &str| {
            let part = part.trim_end_matches('.').to_lowercase();
            let position = names.iter().position(|name| name.to_lowercase().starts_with(&part));
            position.filter(|_| part.len() >= 3)
        };
        for part in text.split([' ', ',']).filter(|part| !part.is_empty()) {
            let digits = part.trim_end_matches(|c: char| c.is_ascii_alphabetic());
            let slot = match (digits.len(), digits.parse::<i64>()) {
                (4, Ok(number)) if part == digits => (&mut year, number),
                (1 | 2, Ok(number))
                    if part == digits || matches!(&part[digits.len()..], "st" | "nd" | "rd" | "th") =>
                {
                    (&mut day, number)
                }
                _ => match named(&english.months, part) {
                    Some(position) => (&mut month, i64::try_from(position).ok()? + 1),
                    None if named(&english.weekdays, part).is_some() => continue,
                    None => return None,
                },
            };
            if slot.0.replace(slot.1).is_some() {
                return None;
            }
        }
        Some(Self::of_day(year?, month?, day?))
    }

    fn days(self) -> i64 {
        days_since_epoch(self.year, self.month, self.day)
    }

    /// From 0 for Sunday.
    fn weekday(self) -> i64 {
        (self.days() + 4).rem_euclid(7)
    }

    /// The year and the week that it is in by ISO 8601: weeks begin with Monday, and are in the year of their Thursday.
    fn iso_week(self) -> (i64, i64) {
        self.week((1, 4))
    }

    /// The year and the week that it is in where weeks begin with the day `start`, from 0 for Sunday, and the first one has
    /// the day `first` of January.
    fn week(self, (start, first): (i64, i64)) -> (i64, i64) {
        let begin = self.days() - (self.weekday() - start).rem_euclid(7);
        let deciding = begin + 7 - first;
        let (year, ..) = calendar::date_of(deciding);
        (year, (deciding - days_since_epoch(year, 1, 1)) / 7 + 1)
    }
}

/// Seconds of the day and minutes ahead of UTC of a time such as `14:30:00+02:00`; midnight where there is none.
fn clock(text: &str) -> Option<(i64, i64)> {
    if text.is_empty() {
        return Some((0, 0));
    }
    let at = text.find(['Z', '+', '-']).unwrap_or(text.len());
    let (time, zone) = text.split_at(at);
    let mut seconds = 0;
    let mut parts = time.trim_end().splitn(3, ':');
    for (unit, most) in [(3600, 23), (60, 59), (1, 60)] {
        let Some(part) = parts.next() else { break };
        let number =
            part.split('.').next()?.parse::<i64>().ok().filter(|number| (0..=most).contains(number))?;
        seconds += number * unit;
    }
    let offset = match zone.get(1..).unwrap_or_default().replace(':', "") {
        zone if zone.is_empty() => 0,
        zone => {
            let number = zone.parse::<i64>().ok()?;
            number / 100 * 60 + number % 100
        }
    };
    Some((seconds, if zone.starts_with('-') { -offset } else { offset }))
}

/// Tokens of patterns, those first that others begin.
const TOKENS: [&str; 40] = [
    "YYYY", "YY", "MMMM", "MMM", "MM", "M", "DD", "Do", "D", "dddd", "ddd", "dd", "d", "HH", "H", "hh", "h",
    "kk", "k", "mm", "m", "ss", "s", "SSS", "ZZ", "Z", "zzz", "z", "A", "a", "Q", "wo", "ww", "w", "WW", "W",
    "gggg", "GGGG", "X", "x",
];

/// A moment by a pattern of Day.js; what is between brackets is text.
fn by_pattern(pattern: &str, moment: Moment, words: &Words) -> String {
    let mut out = String::new();
    let mut rest = pattern;
    while let Some(next) = rest.chars().next() {
        if let Some((text, after)) = rest.strip_prefix('[').and_then(|after| after.split_once(']')) {
            out.push_str(text);
            rest = after;
        } else if let Some(token) = TOKENS.iter().find(|token| rest.starts_with(**token)) {
            out.push_str(&of_token(token, pattern, moment, words));
            rest = &rest[token.len()..];
        } else {
            out.push(next);
            rest = &rest[next.len_utf8()..];
        }
    }
    out
}

/// The item of a list at a number from 0.
fn item(names: &[String], index: i64) -> String {
    usize::try_from(index).ok().and_then(|index| names.get(index)).cloned().unwrap_or_default()
}

fn ordinal(number: i64, words: &Words) -> String {
    match words.ordinals.as_slice() {
        [] => {
            let ending = match (number % 10, number % 100) {
                (1, tens) if tens != 11 => "st",
                (2, tens) if tens != 12 => "nd",
                (3, tens) if tens != 13 => "rd",
                _ => "th",
            };
            format!("{number}{ending}")
        }
        [all] => all.replace("{day}", &number.to_string()),
        each => item(each, number - 1),
    }
}

/// How far a moment is ahead of UTC, such as `+02:00`.
fn zone(moment: Moment, separator: &str) -> String {
    let sign = if moment.offset < 0 { '-' } else { '+' };
    let minutes = moment.offset.abs();
    format!("{sign}{:02}{separator}{:02}", minutes / 60, minutes % 60)
}

fn of_token(token: &str, pattern: &str, moment: Moment, words: &Words) -> String {
    let Moment { year, month, day, seconds, .. } = moment;
    let (hour, minute) = (seconds / 3600, seconds / 60 % 60);
    let twelve = (hour + 11) % 12 + 1;
    let week = moment.week(words.week);
    let padded = |number: i64| if token.len() > 1 { format!("{number:02}") } else { number.to_string() };
    // Languages that decline names do so next to a day.
    let of_day = |own: &'static str, names: &[String], declined: &[String]| {
        let has_day = pattern.find(own).is_some_and(|at| {
            let before = pattern[..at].trim_end();
            before.ends_with('D') || before.ends_with("Do") || before.ends_with(']')
        });
        item(if has_day && !declined.is_empty() { declined } else { names }, month - 1)
    };
    match token {
        "YYYY" => format!("{year:04}"),
        "YY" => format!("{:02}", year.rem_euclid(100)),
        "MMMM" => of_day("MMMM", &words.months, &words.months_of_days),
        "MMM" => of_day("MMM", &words.months_short, &words.months_short_of_days),
        "MM" | "M" => padded(month),
        "DD" | "D" => padded(day),
        "Do" => ordinal(day, words),
        "dddd" => item(&words.weekdays, moment.weekday()),
        "ddd" => item(&words.weekdays_short, moment.weekday()),
        "dd" => item(&words.weekdays_min, moment.weekday()),
        "d" => moment.weekday().to_string(),
        "HH" | "H" => padded(hour),
        "hh" | "h" => padded(twelve),
        "kk" | "k" => padded(if hour == 0 { 24 } else { hour }),
        "mm" | "m" => padded(minute),
        "ss" | "s" => padded(seconds % 60),
        "SSS" => "000".to_owned(),
        "Z" => zone(moment, ":"),
        "ZZ" => zone(moment, ""),
        "z" | "zzz" if moment.offset == 0 => "UTC".to_owned(),
        "z" | "zzz" => format!("GMT{}", zone(moment, ":")),
        "A" => if hour < 12 { "AM" } else { "PM" }.to_owned(),
        "a" => if hour < 12 { "am" } else { "pm" }.to_owned(),
        "Q" => ((month + 2) / 3).to_string(),
        "wo" => ordinal(week.1, words),
        "ww" | "w" => padded(week.1),
        "WW" | "W" => padded(moment.iso_week().1),
        "gggg" => week.0.to_string(),
        "GGGG" => moment.iso_week().0.to_string(),
        "X" => (moment.days() * 86_400 + seconds - moment.offset * 60).to_string(),
        "x" => ((moment.days() * 86_400 + seconds - moment.offset * 60) * 1000).to_string(),
        _ => token.to_owned(),
    }
}

/// A moment by a style of CLDR.
fn by_style(style: &Style, moment: Moment, words: &Words) -> String {
    let names = if style.names.is_empty() { &words.months } else { &style.names };
    let weekdays = if words.weekdays_full.is_empty() { &words.weekdays } else { &words.weekdays_full };
    let mut out = String::new();
    let mut rest = style.pattern.as_str();
    while let Some((before, after)) = rest.split_once('{') {
        out.push_str(before);
        let Some((key, after)) = after.split_once('}') else { break };
        let _ = match key {
            "weekday" => write!(out, "{}", item(weekdays, moment.weekday())),
            "name" => write!(out, "{}", item(names, moment.month - 1)),
            "day" => write!(out, "{}", moment.day),
            "0day" => write!(out, "{:02}", moment.day),
            "month" => write!(out, "{}", moment.month),
            "0month" => write!(out, "{:02}", moment.month),
            "yy" => write!(out, "{:02}", moment.year.rem_euclid(100)),
            _ => write!(out, "{}", moment.year),
        };
        rest = after;
    }
    out.push_str(rest);
    out
}

/// A moment in a format of Quarto: a style, `iso`, or a pattern.
fn written(moment: Moment, format: &str, language: &str) -> String {
    let Some(words) = words(language) else { return String::new() };
    match format {
        "full" => by_style(&words.full, moment, words),
        "long" => by_style(&words.long, moment, words),
        "medium" => by_style(&words.medium, moment, words),
        "short" => by_style(&words.short, moment, words),
        "iso" => by_pattern("YYYY-MM-DD", moment, words),
        pattern => by_pattern(pattern, moment, words),
    }
}

/// A date in a format of Quarto; nothing where it cannot be read.
pub(crate) fn formatted(date: &str, format: &str, language: &str) -> Option<String> {
    let moment = match date.trim() {
        "today" | "now" => Moment::now(),
        date => Moment::read(date)?,
    };
    Some(written(moment, format, language))
}

/// What a date is called that is the time of the document's last change.
const LAST_MODIFIED: &str = "last-modified";

/// Replaces `last-modified` in the dates of a header, and in those for a format, by the time of the last change, in seconds since
/// 1970: not after `SOURCE_DATE_EPOCH`. Text that is not in a file changes now.
pub(crate) fn with_modified(header: &mut Value, modified: Option<u64>) {
    let Value::Object(values) = header else { return };
    for key in ["date", "date-modified"] {
        let date = match values.get_mut(key) {
            Some(Value::Object(map)) => map.get_mut("value"),
            date => date,
        };
        if let Some(date) = date.filter(|date| date.as_str() == Some(LAST_MODIFIED)) {
            *date = Value::String(time(modified));
        }
    }
    if let Some(Value::Object(formats)) = values.get_mut("format") {
        for own in formats.values_mut() {
            with_modified(own, modified);
        }
    }
}

/// The same for the options of a call.
pub(crate) fn options_with_modified(
    options: &[(String, String)],
    modified: Option<u64>,
) -> Vec<(String, String)> {
    let is_date = |key: &str| matches!(key, "date" | "date-modified");
    let resolved = |(key, value): &(String, String)| {
        let is_asked = is_date(key) && value == LAST_MODIFIED;
        (key.clone(), if is_asked { time(modified) } else { value.clone() })
    };
    options.iter().map(resolved).collect()
}

/// The time of a change as dates are read.
fn time(modified: Option<u64>) -> String {
    let now = calendar::now();
    let moment = Moment::at(modified.unwrap_or(now).min(now));
    let Moment { year, month, day, seconds, .. } = moment;
    let (hour, minute, second) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}{}", zone(moment, ":"))
}

/// The text of a string or a number.
fn text_of(value: &Value) -> Option<String> {
    value.as_str().map(str::to_owned).or_else(|| value.as_number().map(ToString::to_string))
}

/// Replaces the dates of a header by what the format shows; `date-meta` keeps the day as `2026-03-05`. What cannot be read as
/// a date stays as it is, and so do dates of formats whose headers other programs read.
pub(crate) fn apply(values: &mut Map<String, Value>, format: &Format) {
    let has_header = format.family == Family::Markdown && !matches!(format.id.as_str(), "gfm" | "commonmark");
    let is_page = format.family == Family::Html && !format.slides;
    let is_titled =
        values.get("title-block-style").is_none_or(|style| *style != json!("none") && *style != json!(false));
    let text =
        |values: &Map<String, Value>, key: &str| values.get(key).and_then(Value::as_str).map(str::to_owned);
    let language = text(values, "lang").unwrap_or_default();
    let default = if is_page && is_titled { "long" } else { "iso" };
    let asked = text(values, "date-format").unwrap_or_else(|| default.to_owned());
    for key in ["date", "date-modified"] {
        let Some(value) = values.get(key) else { continue };
        let (date, own) = match value {
            Value::Object(map) => {
                (map.get("value").and_then(text_of), map.get("format").and_then(Value::as_str))
            }
            value => (text_of(value), None),
        };
        let Some(date) = date else { continue };
        let shown = own.unwrap_or(&asked).to_owned();
        let is_relative = matches!(date.trim(), "today" | "now");
        let day = formatted(&date, "iso", &language);
        let shown = if has_header {
            if is_relative { day.clone() } else { None }
        } else if format.id == "jats" {
            day.clone()
        } else {
            formatted(&date, &shown, &language)
        };
        if key == "date"
            && let Some(day) = day
        {
            values.entry("date-meta").or_insert(Value::String(day));
        }
        values.insert(key.to_owned(), Value::String(shown.unwrap_or(date)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats;

    fn shown(date: &str, format: &str, language: &str) -> String {
        formatted(date, format, language).unwrap_or_else(|| "unreadable".to_owned())
    }

    #[test]
    fn dates_are_read_in_the_forms_that_authors_write() {
        for date in [
            "2026-03-05",
            "2026/3/5",
            "2026-03-05T14:30:00Z",
            "2026-03-05 14:30",
            "03/05/2026",
            "3/5/26",
            "03-05-2026",
            "5 March 2026",
            "5 Mar 2026",
            "March 5, 2026",
            "Thursday, March 5th, 2026",
        ] {
            assert_eq!(shown(date, "iso", "en"), "2026-03-05", "{date}");
        }
        assert_eq!(shown("25/12/2026", "iso", "en"), "2026-12-25");
        for other in
            ["2026-02-30", "Spring 2026", "2026", "March 2026", "5. März 2026", "May May 5 2026", "1-2", ""]
        {
            assert_eq!(shown(other, "iso", "en"), "unreadable", "{other}");
        }
    }

    #[test]
    fn patterns_are_those_of_day_js() {
        let date = "2026-03-05T14:07:09+02:00";
        for (pattern, expected) in [
            ("MMM D, YYYY", "Mar 5, 2026"),
            ("dddd, MMMM Do, YYYY", "Thursday, March 5th, 2026"),
            ("[Day] D [of] MMMM", "Day 5 of March"),
            ("DD/MM/YY", "05/03/26"),
            ("ddd dd d", "Thu Th 4"),
            ("HH:mm:ss h:mm A Z", "14:07:09 2:07 PM +02:00"),
            ("YYYY[-W]WW Q", "2026-W10 1"),
            ("gggg w", "2026 10"),
            ("X", "1772712429"),
        ] {
            assert_eq!(shown(date, pattern, "en"), expected, "{pattern}");
        }
        let ordinals =
            [1, 2, 3, 4, 11, 12, 13, 21, 22, 23, 31].map(|day| shown(&format!("2026-03-{day:02}"), "Do", ""));
        assert_eq!(ordinals.join(" "), "1st 2nd 3rd 4th 11th 12th 13th 21st 22nd 23rd 31st");
        assert_eq!(shown("2027-01-01", "GGGG-WW", "en"), "2026-53");
    }

    #[test]
    fn languages_have_their_own_names_and_orders() {
        for (language, full, pattern) in [
            ("en", "Thursday, March 5, 2026", "5 March"),
            ("en-GB", "Thursday, 5 March 2026", "5 March"),
            ("de", "Donnerstag, 5. März 2026", "5 März"),
            ("fr", "jeudi 5 mars 2026", "5 mars"),
            ("ca", "dijous, 5 de març del 2026", "5 Març"),
            ("ru", "четверг, 5 марта 2026\u{202f}г.", "5 марта"),
            ("ja", "2026年3月5日木曜日", "5 3月"),
            ("xx", "Thursday, March 5, 2026", "5 March"),
        ] {
            assert_eq!(shown("2026-03-05", "full", language), full, "{language}");
            assert_eq!(shown("2026-03-05", "D MMMM", language), pattern, "{language}");
        }
        assert_eq!(shown("2026-03-05", "MMMM YYYY", "ru"), "март 2026");
        assert_eq!(shown("2026-03-01", "Do MMMM", "fr"), "1er mars");
        assert_eq!(shown("2026-03-05", "short", "de"), "05.03.26");
        for (name, words) in LANGUAGES.iter() {
            assert_eq!((words.months.len(), words.weekdays.len()), (12, 7), "{name}");
        }
    }

    #[test]
    fn the_time_of_the_last_change_is_that_of_the_file() {
        // 2026-03-05, noon in UTC.
        let modified = 1_772_712_000;
        let mut header = json!({
            "date": "last-modified", "date-modified": {"value": "last-modified", "format": "iso"},
            "format": {"html": {"date": "last-modified", "title": "last-modified"}},
        });
        with_modified(&mut header, Some(modified));
        for path in ["/date", "/date-modified/value", "/format/html/date"] {
            let date = header.pointer(path).and_then(Value::as_str).unwrap();
            assert_eq!(formatted(date, "X", "en").unwrap(), modified.to_string(), "{path}: {date}");
        }
        assert_eq!(header["format"]["html"]["title"], "last-modified");
        let options = [("date".to_owned(), "last-modified".to_owned())];
        let later = options_with_modified(&options, Some(u64::MAX / 4));
        assert!(Moment::read(&later[0].1).is_some(), "a file is not changed after now: {later:?}");
    }

    #[test]
    fn weeks_begin_where_the_region_has_them_begin() {
        // A Sunday.
        for (language, week) in [("en", "10"), ("en-US", "10"), ("en-GB", "9"), ("en-AU", "9"), ("de", "9")] {
            assert_eq!(shown("2026-03-01", "w", language), week, "{language}");
        }
    }

    #[test]
    fn pages_write_dates_out_and_other_formats_as_numbers() {
        let of = |format: &str, header: Value| {
            let mut header = header.as_object().cloned().unwrap_or_default();
            apply(&mut header, formats::named(format).unwrap());
            header["date"].as_str().unwrap_or_default().to_owned()
        };
        assert_eq!(of("html", json!({"date": "2026-03-05"})), "March 5, 2026");
        assert_eq!(of("html", json!({"date": "2026-03-05", "title-block-style": "none"})), "2026-03-05");
        assert_eq!(of("docx", json!({"date": "3/5/2026"})), "2026-03-05");
        assert_eq!(of("docx", json!({"date": "2026-03-05", "date-format": "D MMM", "lang": "de"})), "5 März");
        assert_eq!(of("pptx", json!({"date": {"value": "2026-03-05", "format": "long"}})), "March 5, 2026");
        assert_eq!(of("hugo-md", json!({"date": "2026-03-05", "date-format": "long"})), "2026-03-05");
        assert_eq!(of("html", json!({"date": "in spring"})), "in spring");
    }
}
