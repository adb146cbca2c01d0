//! Dates as the `dateFormat` of a gantt chart describes them, in the tokens of the library dayjs.

/// A format of dates.
pub(super) struct DateFormat<'f>(&'f str);

/// Tokens, longer ones first, with the least and most digits of those that are numbers.
const TOKENS: &[(&str, Token)] = &[
    ("YYYY", Token::Digits(4, 4)),
    ("YY", Token::Digits(2, 2)),
    ("dddd", Token::Letters),
    ("ddd", Token::Letters),
    ("MMMM", Token::Letters),
    ("MMM", Token::Letters),
    ("MM", Token::Digits(2, 2)),
    ("M", Token::Digits(1, 2)),
    ("DD", Token::Digits(2, 2)),
    ("Do", Token::Ordinal),
    ("D", Token::Digits(1, 2)),
    ("HH", Token::Digits(2, 2)),
    ("H", Token::Digits(1, 2)),
    ("hh", Token::Digits(2, 2)),
    ("h", Token::Digits(1, 2)),
    ("mm", Token::Digits(2, 2)),
    ("m", Token::Digits(1, 2)),
    ("ss", Token::Digits(2, 2)),
    ("s", Token::Digits(1, 2)),
    ("SSS", Token::Digits(3, 3)),
    ("SS", Token::Digits(2, 2)),
    ("S", Token::Digits(1, 1)),
    ("ZZ", Token::Zone),
    ("Z", Token::Zone),
    ("A", Token::Letters),
    ("a", Token::Letters),
    ("X", Token::Digits(1, 12)),
    ("x", Token::Digits(1, 15)),
];

#[derive(Clone, Copy)]
enum Token {
    Digits(usize, usize),
    Letters,
    /// `1st`, `2nd`.
    Ordinal,
    /// `Z`, `+01:00`.
    Zone,
}

impl<'f> DateFormat<'f> {
    pub(super) fn new(format: &'f str) -> Self {
        Self(format)
    }

    /// Whether `text` is a date of this format, or one that all browsers read without it: it begins with
    /// year, month and day, or has the name of a month.
    pub(super) fn fits(&self, text: &str) -> bool {
        let day = text.split([' ', 'T']).next().unwrap_or_default();
        follows(self.0, text) || follows("YYYY-M-D", day) || is_spoken(text)
    }
}

/// Whether `text` has the given format; for each part, dayjs reads either its least or its most digits.
fn follows(format: &str, text: &str) -> bool {
    let Some(first) = format.chars().next() else { return text.is_empty() };
    if let Some(literal) = format.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        return text.strip_prefix(literal.0).is_some_and(|text| follows(literal.1, text));
    }
    let Some((word, token)) = TOKENS.iter().find(|(word, _)| format.starts_with(word)) else {
        let rest = &format[first.len_utf8()..];
        return text.strip_prefix(first).is_some_and(|text| follows(rest, text));
    };
    let rest = &format[word.len()..];
    let run = |fits: fn(&char) -> bool| text.chars().take_while(fits).map(char::len_utf8).sum::<usize>();
    match token {
        Token::Digits(least, most) => {
            let digits = run(char::is_ascii_digit);
            (*least..=digits.min(*most)).rev().any(|end| follows(rest, &text[end..]))
        }
        Token::Letters => {
            let letters = run(|c| c.is_alphabetic() || *c == '.');
            letters > 0 && follows(rest, &text[letters..])
        }
        Token::Ordinal => {
            let end = run(char::is_ascii_digit);
            let letters = text[end..].chars().take_while(char::is_ascii_alphabetic).count();
            end > 0 && follows(rest, &text[end + letters..])
        }
        Token::Zone => {
            let end = run(|c| c.is_ascii_digit() || matches!(c, '+' | '-' | ':' | 'Z'));
            end > 0 && follows(rest, &text[end..])
        }
    }
}

/// `Jan 5 2026`, `5 January 2026`: browsers know the names of months.
fn is_spoken(text: &str) -> bool {
    const MONTHS: &[&str] =
        &["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
    let mut words = text.split(|c: char| !c.is_ascii_alphanumeric());
    let has_month = words
        .any(|word| word.get(..3).is_some_and(|head| MONTHS.contains(&head.to_ascii_lowercase().as_str())));
    has_month && text.contains(|c: char| c.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_date_fits_the_format_or_what_every_browser_reads() {
        let fits = |format: &str, text: &str| DateFormat::new(format).fits(text);
        assert!(fits("YYYY-MM-DD", "2026-01-05"));
        assert!(fits("DD.MM.YYYY", "05.01.2026"));
        assert!(fits("D/M/YY HH:mm", "5/1/26 09:30"));
        assert!(fits("HH:mm", "17:49"));
        assert!(fits("X", "1735689600"));
        assert!(fits("DD.MM.YYYY", "2026-01-05T12:00"));
        assert!(fits("YYYY-MM-DD", "2026-1-5"));
        assert!(fits("YYYY-MM-DD", "Jan 5, 2026"));
        assert!(!fits("YYYY-MM-DD", "05.01.2026"));
        assert!(!fits("YYYY-MM-DD", "tomorrow"));
        assert!(!fits("YYYY-MM-DD", "202-12-01"));
    }
}
