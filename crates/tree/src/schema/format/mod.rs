//! The formats of strings: those of JSON Schema, and those of the rule language.

mod address;
mod time;
mod uri;

use regex::Regex;

use crate::{
    budget::{self, Once},
    calendar,
    expressions::{Condition, Place, Template, glob},
    text::{Span, pattern, placeholders},
    tree::JsonPath,
};

/// The formats, with what each one is.
pub const FORMATS: &[(&str, &str)] = &[
    ("uri", "absolute URI (RFC 3986)"),
    ("uri-reference", "URI or relative reference (RFC 3986)"),
    ("url", "absolute `http` or `https` URI with a host"),
    ("date", "calendar date, `YYYY-MM-DD` (RFC 3339)"),
    ("time", "time of day with offset (RFC 3339)"),
    ("date-time", "date and time (RFC 3339)"),
    ("duration", "duration, such as `P1DT12H` (RFC 3339, appendix A)"),
    ("email", "email address (RFC 5321)"),
    ("hostname", "host name (RFC 1123)"),
    ("ipv4", "IPv4 address"),
    ("ipv6", "IPv6 address"),
    ("uuid", "UUID (RFC 9562)"),
    ("regex", "regular expression of the linear-time engine"),
    ("jsonpath", "JSONPath (RFC 9535)"),
    ("json-pointer", "JSON Pointer (RFC 6901)"),
    ("semver", "semantic version (2.0.0)"),
    ("python-format", "format string of Python's `str.format`"),
    ("identifier", "ASCII letter or underscore, then letters, digits, underscores"),
    ("glob", "glob of file names, such as `docs/**/*.md`"),
    ("cel", "expression of CEL"),
    ("template", "template of MiniJinja"),
    ("place", "place of the rule language"),
];

/// Why a string does not have a format; empty where there is no more to say than that.
pub fn fault(format: &str, text: &str) -> Option<String> {
    let holds = match format {
        "regex" => return pattern(text).err().filter(|_| budget::is_left()).map(|error| error.to_string()),
        "jsonpath" => return text.parse::<JsonPath>().err().map(|error| error.message),
        "python-format" => return placeholders(text).err().map(str::to_owned),
        "glob" => return glob(text).err().map(|error| error.detail),
        "cel" => return Condition::new(text).fault(),
        "template" => return Template::new(text).fault(),
        "place" => return text.parse::<Place>().err(),
        "uri" => uri::is_uri(text),
        "uri-reference" => uri::is_reference(text),
        "url" => uri::is_url(text),
        "date" => calendar::is_date(text),
        "time" => time::is_time(text),
        "date-time" => time::is_date_time(text),
        "duration" => time::is_duration(text),
        "email" => address::is_email(text),
        "hostname" => address::is_hostname(text),
        // RFC 2673 §3.2: four decimal octets.
        "ipv4" => text.parse::<std::net::Ipv4Addr>().is_ok(),
        // RFC 4291 §2.2.
        "ipv6" => text.parse::<std::net::Ipv6Addr>().is_ok(),
        "uuid" => is_uuid(text),
        "json-pointer" => is_json_pointer(text),
        "semver" => semver().is_some_and(|regex| regex.is_match(text)),
        "identifier" => is_identifier(text),
        // JSON Schema: what is not known is an annotation.
        _ => true,
    };
    (!holds).then(String::new)
}

/// The part of a string that keeps it from having a format, where that is known.
pub(super) fn part(format: &str, text: &str) -> Option<Span> {
    match format {
        "cel" => Condition::new(text).fault_offset().map(|at| Span::new(at, text.len())),
        "template" => Template::new(text).fault_part(),
        _ => None,
    }
}

fn is_identifier(text: &str) -> bool {
    let first = text.bytes().next().is_some_and(|b| b.is_ascii_alphabetic() || b == b'_');
    first && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

/// RFC 9562 §4: five groups of hexadecimal digits.
fn is_uuid(text: &str) -> bool {
    let groups = text.split('-').map(str::len);
    groups.eq([8, 4, 4, 4, 12]) && text.bytes().all(|b| b.is_ascii_hexdigit() || b == b'-')
}

/// RFC 6901 §3: every `~` is `~0` or `~1`.
fn is_json_pointer(text: &str) -> bool {
    let escaped = |rest: &str| rest.starts_with(['0', '1']);
    (text.is_empty() || text.starts_with('/')) && text.split('~').skip(1).all(escaped)
}

/// Semantic Versioning 2.0.0, the expression that its FAQ suggests.
fn semver() -> Option<&'static Regex> {
    static SEMVER: Once<Option<Regex>> = Once::new();
    let number = "(0|[1-9][0-9]*)";
    let word = "(0|[1-9][0-9]*|[0-9]*[a-zA-Z-][0-9a-zA-Z-]*)";
    let regex = SEMVER.get_or_init(|| {
        let build = r"(\+[0-9a-zA-Z-]+(\.[0-9a-zA-Z-]+)*)?";
        Regex::new(&format!(r"^{number}\.{number}\.{number}(-{word}(\.{word})*)?{build}$")).ok()
    });
    regex.as_ref()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_format_accepts_its_own_and_refuses_others() {
        for (format, right, wrong) in [
            ("uri", "https://example.org/a", "example.org"),
            ("uri-reference", "../a?b#c", "a b"),
            ("url", "https://example.org", "ftp://example.org"),
            ("date", "2026-11-21", "2026-13-01"),
            ("time", "10:00:00+01:00", "10:00"),
            ("date-time", "2026-11-21T10:00:00Z", "2026-11-21 10:00"),
            ("duration", "P1Y2M3DT4H", "P1S"),
            ("email", "ada@example.org", "ada.example.org"),
            ("hostname", "www.example.org", "www_.example.org"),
            ("ipv4", "127.0.0.1", "127.0.0.01"),
            ("ipv6", "::1", ":::1"),
            ("uuid", "2eb8aa08-aa98-11ea-b4aa-73b441d16380", "2eb8"),
            ("regex", "^a+$", "(a"),
            ("jsonpath", "$.a[*]", "$.a["),
            ("json-pointer", "/a~1/0", "/a~2"),
            ("semver", "1.2.3-rc.1+5", "1.2"),
            ("python-format", "{name}", "{name"),
            ("identifier", "a_1", "1a"),
            ("glob", "docs/**/[ab]*", "docs/[a"),
            ("cel", "self > 1", "self >"),
            ("template", "{{ value }}", "{{ value"),
            ("place", "parent.line", "parent.lines"),
        ] {
            assert_eq!(fault(format, right), None, "{format}: {right}");
            assert!(fault(format, wrong).is_some(), "{format}: {wrong}");
        }
        assert_eq!(fault("no-such-format", "anything"), None);
    }
}
