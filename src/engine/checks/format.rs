use std::sync::OnceLock;

use regex::Regex;
use serde_json::{Value, json};

use crate::{engine::finding::Finding, rules::check::Format, tree::Node};

/// `format`: the text has this format. Only texts have formats.
pub(super) fn test<'t>(format: Format, node: Node<'t>) -> Option<Finding<'t>> {
    let detail = fault(format, node.as_str()?)?;
    Some(Finding::at(node).with("format", format.name()).with("detail", detail))
}

/// Why a text does not have a format; empty where there is no more to say than that.
fn fault(format: Format, text: &str) -> Option<String> {
    match format {
        Format::Regex => Regex::new(text).err().map(|error| error.to_string()),
        Format::JsonPath => text.parse::<crate::tree::JsonPath>().err().map(|error| error.message),
        Format::PythonFormat => crate::text::placeholders(text).err().map(str::to_owned),
        Format::Semver => unless(semver().is_some_and(|regex| regex.is_match(text))),
        Format::Identifier => {
            let first = text.bytes().next().is_some_and(|b| b.is_ascii_alphabetic() || b == b'_');
            unless(first && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_'))
        }
        Format::Url => {
            let host = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
            unless(host.is_some_and(|h| !h.is_empty() && !h.starts_with('/')) && holds(Format::Uri, text))
        }
        _ => unless(holds(format, text)),
    }
}

fn unless(holds: bool) -> Option<String> {
    (!holds).then(String::new)
}

/// The formats of JSON Schema, by the library that knows them.
fn holds(format: Format, text: &str) -> bool {
    static VALIDATORS: OnceLock<Vec<(&'static str, jsonschema::Validator)>> = OnceLock::new();
    let validators = VALIDATORS.get_or_init(|| {
        let build = |name: &'static str| {
            let schema = json!({"type": "string", "format": name});
            let validator = jsonschema::options().should_validate_formats(true).build(&schema).ok()?;
            Some((name, validator))
        };
        Format::NAMES.iter().filter_map(|name| build(name)).collect()
    });
    let found = validators.iter().find(|(name, _)| *name == format.name());
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
    fn formats_tell_right_from_wrong() {
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
            let format = Format::by_name(format).unwrap();
            assert_eq!(fault(format, right), None, "{right}");
            assert!(fault(format, wrong).is_some(), "{wrong}");
        }
    }
}
