//! The formats of strings.

use std::sync::OnceLock;

use regex::Regex;
use serde_json::{Value, json};

use crate::{
    expressions::{Condition, Place, Template, glob},
    text::{pattern, placeholders},
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
    ("duration", "duration (ISO 8601)"),
    ("email", "email address (RFC 5321)"),
    ("hostname", "host name (RFC 1123)"),
    ("ipv4", "IPv4 address"),
    ("ipv6", "IPv6 address"),
    ("uuid", "UUID (RFC 4122)"),
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
pub(crate) fn fault(format: &str, text: &str) -> Option<String> {
    match format {
        "regex" => pattern(text).err().map(|error| error.to_string()),
        "jsonpath" => text.parse::<JsonPath>().err().map(|error| error.message),
        "python-format" => placeholders(text).err().map(str::to_owned),
        "glob" => glob(text).err().map(|error| error.detail),
        "cel" => Condition::new(text).fault(),
        "template" => Template::new(text).fault(),
        "place" => text.parse::<Place>().err(),
        "semver" => unless(semver().is_some_and(|regex| regex.is_match(text))),
        "identifier" => {
            let first = text.bytes().next().is_some_and(|b| b.is_ascii_alphabetic() || b == b'_');
            unless(first && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_'))
        }
        "url" => {
            let host = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
            unless(host.is_some_and(|h| !h.is_empty() && !h.starts_with('/')) && holds("uri", text))
        }
        _ => unless(holds(format, text)),
    }
}

fn unless(holds: bool) -> Option<String> {
    (!holds).then(String::new)
}

/// The formats of JSON Schema, by the library that has them.
fn holds(format: &str, text: &str) -> bool {
    static VALIDATORS: OnceLock<Vec<(&'static str, jsonschema::Validator)>> = OnceLock::new();
    let validators = VALIDATORS.get_or_init(|| {
        let build = |name: &'static str| {
            let schema = json!({"type": "string", "format": name});
            let validator = jsonschema::options().should_validate_formats(true).build(&schema).ok()?;
            Some((name, validator))
        };
        FORMATS.iter().filter_map(|(name, _)| build(name)).collect()
    });
    let found = validators.iter().find(|(name, _)| *name == format);
    found.is_none_or(|(_, validator)| validator.is_valid(&Value::from(text)))
}

/// Semantic Versioning 2.0.0, the expression its FAQ suggests.
fn semver() -> Option<&'static Regex> {
    static SEMVER: OnceLock<Option<Regex>> = OnceLock::new();
    let number = r"(0|[1-9]\d*)";
    let word = r"(0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)";
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
            ("url", "https://example.org", "ftp://example.org"),
            ("date", "2026-11-21", "2026-13-01"),
            ("email", "ada@example.org", "ada.example.org"),
            ("semver", "1.2.3-rc.1+5", "1.2"),
            ("identifier", "a_1", "1a"),
            ("regex", "^a+$", "(a"),
            ("jsonpath", "$.a[*]", "$.a["),
            ("json-pointer", "/a/0", "a/0"),
            ("glob", "docs/**/[ab]*", "docs/[a"),
            ("cel", "self > 1", "self >"),
            ("template", "{{ value }}", "{{ value"),
            ("place", "parent.line", "parent.lines"),
            ("uuid", "2eb8aa08-aa98-11ea-b4aa-73b441d16380", "2eb8"),
            ("date-time", "2026-11-21T10:00:00Z", "2026-11-21 10:00"),
        ] {
            assert_eq!(fault(format, right), None, "{right}");
            assert!(fault(format, wrong).is_some(), "{wrong}");
        }
    }
}
