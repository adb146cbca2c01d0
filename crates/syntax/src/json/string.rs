use std::{borrow::Cow, ops::Range};

/// A string with its quotes.
pub(super) struct Quoted<'t> {
    /// Its value.
    pub(super) text: Cow<'t, str>,
    /// Offset after the closing quote, or of the end of the line where there is none.
    pub(super) end: usize,
    /// What is wrong in it, and where.
    pub(super) fault: Option<(&'static str, Range<usize>)>,
    /// Whether it has a closing quote.
    pub(super) closed: bool,
}

/// Reads the string whose opening quote is at `start`.
pub(super) fn read(text: &str, start: usize) -> Quoted<'_> {
    let bytes = text.as_bytes();
    let quote = bytes[start];
    let mut value: Option<String> = None;
    let mut fault = None;
    // Start of the text that is not in `value` yet.
    let mut from = start + 1;
    let mut at = from;
    loop {
        let Some(byte) = bytes.get(at).copied().filter(|byte| *byte != b'\n' && *byte != b'\r') else {
            let text = joined(text, value, from..at);
            return Quoted { text, end: at, fault, closed: false };
        };
        match byte {
            byte if byte == quote => {
                let text = joined(text, value, from..at);
                return Quoted { text, end: at + 1, fault, closed: true };
            }
            b'\\' => {
                let into = value.get_or_insert_default();
                into.push_str(&text[from..at]);
                let (length, found) = escape(&text[at..], quote);
                match found {
                    Ok(c) => into.push(c),
                    Err(detail) => {
                        fault = fault.or(Some((detail, at..at + length)));
                        into.push_str(&text[at..at + length]);
                    }
                }
                at += length;
                from = at;
            }
            0..=0x1f => {
                fault = fault.or(Some(("a control character must be escaped", at..at + 1)));
                at += 1;
            }
            _ => at += 1,
        }
    }
}

fn joined(text: &str, value: Option<String>, rest: Range<usize>) -> Cow<'_, str> {
    match value {
        Some(value) => Cow::Owned(value + &text[rest]),
        None => Cow::Borrowed(&text[rest]),
    }
}

/// The content of a string in single quotes as it is written between double quotes, with the same escapes.
pub(super) fn between_double_quotes(content: &str) -> String {
    let mut written = String::with_capacity(content.len());
    let mut rest = content.chars();
    while let Some(c) = rest.next() {
        match c {
            '"' => written.push_str("\\\""),
            '\\' => match rest.next() {
                Some('\'') => written.push('\''),
                escaped => written.extend(std::iter::once('\\').chain(escaped)),
            },
            c => written.push(c),
        }
    }
    written
}

/// The length of an escape in a string with these quotes, and what it means.
fn escape(text: &str, quote: u8) -> (usize, Result<char, &'static str>) {
    const UNKNOWN: &str = "this is not an escape of JSON";
    let Some(c) = text[1..].chars().next().filter(|c| !matches!(c, '\n' | '\r')) else {
        return (1, Err(UNKNOWN));
    };
    let plain = match c {
        '"' | '\\' | '/' => c,
        // JavaScript and Python, which have single quotes, escape them so.
        '\'' if quote == b'\'' => c,
        'b' => '\u{8}',
        'f' => '\u{c}',
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        'u' => return unicode(text),
        _ => return (1 + c.len_utf8(), Err(UNKNOWN)),
    };
    (2, Ok(plain))
}

/// `\uXXXX`, and two of them for a character beyond the first plane.
fn unicode(text: &str) -> (usize, Result<char, &'static str>) {
    const DIGITS: &str = "`\\u` is followed by four hexadecimal digits";
    const PAIR: &str = "half of a surrogate pair is not a character";
    let unit = |text: &str| {
        let digits = text.get(2..6).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()))?;
        u16::from_str_radix(digits, 16).ok()
    };
    let Some(first) = unit(text) else { return (2, Err(DIGITS)) };
    let second = text.get(6..).filter(|rest| rest.starts_with("\\u")).and_then(unit);
    let units = [first, second.unwrap_or_default()];
    match char::decode_utf16(units[..1].iter().copied()).next() {
        Some(Ok(c)) => (6, Ok(c)),
        _ => match char::decode_utf16(units).next().filter(|_| second.is_some()) {
            Some(Ok(c)) => (12, Ok(c)),
            _ => (6, Err(PAIR)),
        },
    }
}
