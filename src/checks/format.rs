use std::sync::{Arc, OnceLock};

use regex::Regex;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{CheckKind, Compiler, Context, Evaluate, Fault, Field, Finding};
use crate::tree::Node;

/// The string has this format; see [Formats](#formats). Values that are not strings pass.
///
/// ```yaml
/// check: {format: uri}
/// ```
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub(super) struct Format(String);

impl CheckKind for Format {
    const NAME: &'static str = "format";
    const VALUES: &'static [(&'static str, &'static str)] = &[
        ("format", "the format"),
        ("detail", "why the string does not have it, where there is more to say"),
    ];

    fn compile(self, at: &Field<'_>, compiler: &mut Compiler<'_>) -> Option<Arc<dyn Evaluate>> {
        let names = || FORMATS.iter().map(|(name, _)| *name);
        let Some(name) = names().find(|name| *name == self.0) else {
            let fault = Fault::new("unknown-format", at).with("format", self.0.as_str());
            compiler.report(fault.among(&self.0, names()));
            return None;
        };
        Some(Arc::new(Formatted(name)))
    }
}

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
];

#[derive(Debug)]
struct Formatted(&'static str);

impl Evaluate for Formatted {
    fn run<'t>(&self, nodes: &[Node<'t>], _: &Context<'_, 't>) -> Vec<Finding<'t>> {
        let finding = |node: &Node<'t>| {
            let detail = fault(self.0, node.as_str()?)?;
            Some(Finding::at(*node).with("format", self.0).with("detail", detail))
        };
        nodes.iter().filter_map(finding).collect()
    }
}

/// Why a string does not have a format; empty where there is no more to say than that.
fn fault(format: &str, text: &str) -> Option<String> {
    match format {
        "regex" => Regex::new(text).err().map(|error| error.to_string()),
        "jsonpath" => text.parse::<crate::tree::JsonPath>().err().map(|error| error.message),
        "python-format" => crate::text::placeholders(text).err().map(str::to_owned),
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
            ("uuid", "2eb8aa08-aa98-11ea-b4aa-73b441d16380", "2eb8"),
            ("date-time", "2026-11-21T10:00:00Z", "2026-11-21 10:00"),
        ] {
            assert_eq!(fault(format, right), None, "{right}");
            assert!(fault(format, wrong).is_some(), "{wrong}");
        }
    }
}
