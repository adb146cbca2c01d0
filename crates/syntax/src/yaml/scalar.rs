//! Types of plain scalars, by schema.

use super::Schema;

/// The typed value of a scalar.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Resolved {
    Null,
    Bool(bool),
    Integer(i64),
    /// Above `i64::MAX`.
    Unsigned(u64),
    Float(f64),
    /// An integer that fits neither `i64` nor `u64`; its nearest float.
    OutOfRange(f64),
    String,
}

/// The value of a plain scalar.
pub(super) fn resolve(schema: Schema, text: &str) -> Resolved {
    let Some(first) = text.bytes().next() else { return Resolved::Null };
    let number = matches!(first, b'0'..=b'9' | b'+' | b'-' | b'.');
    match schema {
        Schema::Core12 if number => core_number(text),
        Schema::Yaml11 if number => yaml11_number(text),
        Schema::Core12 => core_word(text),
        Schema::Yaml11 => core_word_or(text, yaml11_bool),
    }
}

/// Bytes of `false`.
const LONGEST_WORD: usize = 5;

fn core_word(text: &str) -> Resolved {
    core_word_or(text, |_| None)
}

fn core_word_or(text: &str, more: fn(&str) -> Option<bool>) -> Resolved {
    // No word that means something else is longer.
    if text.len() > LONGEST_WORD {
        return Resolved::String;
    }
    match text {
        "~" | "null" | "Null" | "NULL" => Resolved::Null,
        "true" | "True" | "TRUE" => Resolved::Bool(true),
        "false" | "False" | "FALSE" => Resolved::Bool(false),
        _ => more(text).map_or(Resolved::String, Resolved::Bool),
    }
}

/// The booleans of YAML 1.1 in `PyYAML` that YAML 1.2 does not have; `y` and `n` are not among them.
pub(super) fn yaml11_bool(text: &str) -> Option<bool> {
    match text {
        "yes" | "Yes" | "YES" | "on" | "On" | "ON" => Some(true),
        "no" | "No" | "NO" | "off" | "Off" | "OFF" => Some(false),
        _ => None,
    }
}

fn core_number(text: &str) -> Resolved {
    if let Some(integer) = core_integer(text) {
        return integer;
    }
    if has_leading_zero(text) {
        return Resolved::String;
    }
    core_float(text).map_or(Resolved::String, Resolved::Float)
}

/// An integer of the core schema, with the additions of [`Schema::Core12`]. An integer that does not fit
/// in 128 bits is not one: it becomes a float.
pub(super) fn core_integer(text: &str) -> Option<Resolved> {
    let (negative, body) = split_sign(text);
    let (radix, digits) = match body.get(..2) {
        Some("0x") => (16, &body[2..]),
        Some("0o") => (8, &body[2..]),
        Some("0b") => (2, &body[2..]),
        _ if has_leading_zero(body) => return None,
        _ => (10, body),
    };
    // `from_str_radix` accepts another sign.
    if digits.starts_with(['+', '-']) {
        return None;
    }
    let magnitude = u128::from_str_radix(digits, radix).ok()?;
    if negative && magnitude > i128::MIN.unsigned_abs() {
        return None;
    }
    Some(integer(negative, magnitude))
}

/// A number of the core schema with a fraction or an exponent, infinity or NaN. Numbers too large for a
/// double are not numbers.
pub(super) fn core_float(text: &str) -> Option<f64> {
    let (negative, body) = split_sign(text);
    match body {
        ".inf" | ".Inf" | ".INF" if negative => return Some(f64::NEG_INFINITY),
        ".inf" | ".Inf" | ".INF" => return Some(f64::INFINITY),
        _ => {}
    }
    if matches!(text, ".nan" | ".NaN" | ".NAN") {
        return Some(f64::NAN);
    }
    if body.starts_with(['+', '-']) {
        return None;
    }
    let float: f64 = body.parse().ok().filter(|float: &f64| float.is_finite())?;
    Some(if negative { -float } else { float })
}

fn split_sign(text: &str) -> (bool, &str) {
    match text.as_bytes().first() {
        Some(b'-') => (true, &text[1..]),
        Some(b'+') => (false, &text[1..]),
        _ => (false, text),
    }
}

/// Whether the text has only digits, at least two, and starts with zero: `017`, `-00`.
pub(super) fn has_leading_zero(text: &str) -> bool {
    let body = split_sign(text).1;
    body.len() > 1 && body.starts_with('0') && body.bytes().all(|byte| byte.is_ascii_digit())
}

#[allow(
    clippy::cast_precision_loss,
    reason = "an integer out of range is reported, its value is a placeholder"
)]
fn integer(negative: bool, magnitude: u128) -> Resolved {
    let out_of_range = Resolved::OutOfRange(if negative { -(magnitude as f64) } else { magnitude as f64 });
    let Ok(small) = u64::try_from(magnitude) else { return out_of_range };
    match (negative, i64::try_from(small)) {
        (false, Ok(value)) => Resolved::Integer(value),
        (false, Err(_)) => Resolved::Unsigned(small),
        (true, Ok(value)) => Resolved::Integer(-value),
        (true, Err(_)) if small == i64::MIN.unsigned_abs() => Resolved::Integer(i64::MIN),
        (true, Err(_)) => out_of_range,
    }
}

fn yaml11_number(text: &str) -> Resolved {
    yaml11_integer(text).or_else(|| yaml11_float(text).map(Resolved::Float)).unwrap_or(Resolved::String)
}

/// `int` of `PyYAML`: binary, octal with a leading zero, hexadecimal, decimal or base 60, with underscores
/// allowed anywhere after the first digit.
pub(super) fn yaml11_integer(text: &str) -> Option<Resolved> {
    let (negative, body) = split_sign(text);
    let (radix, digits) = match body.as_bytes() {
        [b'0', b'b', ..] => (2, &body[2..]),
        [b'0', b'x', ..] => (16, &body[2..]),
        [b'0', _, ..] => (8, &body[1..]),
        [b'1'..=b'9', ..] if body.contains(':') => return sexagesimal(negative, body),
        [b'0'..=b'9', ..] => (10, body),
        _ => return None,
    };
    let digits = digits.replace('_', "");
    if digits.starts_with(['+', '-']) {
        return None;
    }
    if digits.is_empty() {
        return (radix == 8).then_some(Resolved::Integer(0));
    }
    match u128::from_str_radix(&digits, radix) {
        Ok(magnitude) => Some(integer(negative, magnitude)),
        // Python integers have no size limit.
        Err(error) if *error.kind() == std::num::IntErrorKind::PosOverflow => {
            Some(Resolved::OutOfRange(if negative { f64::NEG_INFINITY } else { f64::INFINITY }))
        }
        Err(_) => None,
    }
}

/// `12:30`: digits, then groups of at most two with a value below 60.
fn sexagesimal(negative: bool, body: &str) -> Option<Resolved> {
    let mut groups = body.split(':');
    let first = groups.next()?.replace('_', "");
    let mut value: u128 = first.parse().ok()?;
    for group in groups {
        let fits = matches!(group.as_bytes(), [b'0'..=b'9'] | [b'0'..=b'5', b'0'..=b'9']);
        let digits: u128 = group.parse().ok().filter(|_| fits)?;
        value = value.checked_mul(60)?.checked_add(digits)?;
    }
    Some(integer(negative, value))
}

/// `float` of `PyYAML`: it has a point, its exponent needs a sign, and no sign precedes a leading point.
pub(super) fn yaml11_float(text: &str) -> Option<f64> {
    let (negative, body) = split_sign(text);
    let signed = body.len() != text.len();
    match body {
        ".inf" | ".Inf" | ".INF" if negative => return Some(f64::NEG_INFINITY),
        ".inf" | ".Inf" | ".INF" => return Some(f64::INFINITY),
        ".nan" | ".NaN" | ".NAN" if !signed => return Some(f64::NAN),
        _ => {}
    }
    let (whole, rest) = body.split_once('.')?;
    let point_first = whole.is_empty();
    if point_first && (signed || !rest.starts_with(|c: char| c.is_ascii_digit())) {
        return None;
    }
    if !point_first && !whole.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    if let Some((head, tail)) = whole.split_once(':') {
        return sexagesimal_float(negative, head, tail, rest);
    }
    let (fraction, exponent) = match rest.find(['e', 'E']) {
        Some(at) => (&rest[..at], Some(&rest[at + 1..])),
        None => (rest, None),
    };
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'_');
    let exponent_fits = exponent.is_none_or(|exponent| {
        let digits = exponent.strip_prefix(['+', '-']).unwrap_or_default();
        !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
    });
    if !digits(whole) || !digits(fraction) || !exponent_fits {
        return None;
    }
    let float: f64 = body.replace('_', "").parse().ok()?;
    Some(if negative { -float } else { float })
}

fn sexagesimal_float(negative: bool, head: &str, groups: &str, fraction: &str) -> Option<f64> {
    if !fraction.bytes().all(|byte| byte.is_ascii_digit() || byte == b'_') {
        return None;
    }
    let mut value: f64 = head.replace('_', "").parse().ok()?;
    for group in groups.split(':') {
        let fits = matches!(group.as_bytes(), [b'0'..=b'9'] | [b'0'..=b'5', b'0'..=b'9']);
        value = value * 60.0 + group.parse::<f64>().ok().filter(|_| fits)?;
    }
    value += format!("0.{}", fraction.replace('_', "")).parse::<f64>().ok()?;
    Some(if negative { -value } else { value })
}

/// Whether a plain scalar is a date or a date with a time of the `timestamp` type of YAML 1.1.
pub(super) fn is_timestamp(text: &str) -> bool {
    let digits = |part: Option<&str>, least: usize, most: usize| {
        part.is_some_and(|part| {
            (least..=most).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit())
        })
    };
    let (date, time) = match text.find(['T', 't', ' ', '\t']) {
        Some(at) => (&text[..at], Some(text[at + 1..].trim_start_matches([' ', '\t']))),
        None => (text, None),
    };
    let mut parts = date.split('-');
    let shortest = if time.is_some() { 1 } else { 2 };
    let is_date = digits(parts.next(), 4, 4)
        && digits(parts.next(), shortest, 2)
        && digits(parts.next(), shortest, 2)
        && parts.next().is_none();
    is_date && time.is_none_or(is_time)
}

fn is_time(text: &str) -> bool {
    let zone = text.find(['Z', '+', '-', ' ', '\t']).unwrap_or(text.len());
    let (clock, zone) = (&text[..zone], text[zone..].trim_start_matches([' ', '\t']));
    let (clock, fraction) = clock.split_once('.').unwrap_or((clock, ""));
    let two = |part: &str| part.len() == 2 && part.bytes().all(|byte| byte.is_ascii_digit());
    let hour = |part: &str| two(part) || (part.len() == 1 && part.bytes().all(|byte| byte.is_ascii_digit()));
    let clock: Vec<&str> = clock.split(':').collect();
    let is_zone = match zone.strip_prefix(['+', '-']) {
        None => zone.is_empty() || zone == "Z",
        Some(offset) => match offset.split_once(':') {
            Some((hours, minutes)) => hour(hours) && two(minutes),
            None => hour(offset) || (offset.len() == 4 && offset.bytes().all(|byte| byte.is_ascii_digit())),
        },
    };
    matches!(clock[..], [hours, minutes, seconds] if hour(hours) && two(minutes) && two(seconds))
        && fraction.bytes().all(|byte| byte.is_ascii_digit())
        && is_zone
}
