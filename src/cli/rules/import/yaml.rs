//! Values as YAML in block style. Strings of several lines are literal blocks, others are written as in JSON, which YAML
//! reads in the same way.

use std::fmt::Write as _;

use serde_json::Value;

/// A value as a YAML file.
pub(super) fn written(value: &Value) -> String {
    let mut out = String::new();
    write(value, 0, &mut out);
    out
}

fn write(value: &Value, indent: usize, out: &mut String) {
    let spaces = " ".repeat(indent);
    match value {
        Value::Object(members) if !members.is_empty() => {
            for (key, member) in members {
                let _ = write!(out, "{spaces}{}:", plain(key));
                below(member, indent, out);
            }
        }
        Value::Array(items) if !items.is_empty() => {
            for item in items {
                let mut written = String::new();
                write(item, indent + 2, &mut written);
                let _ = write!(out, "{spaces}- {}", written.trim_start());
            }
        }
        scalar => {
            let _ = writeln!(out, "{spaces}{scalar}");
        }
    }
}

/// The value of a key: on its line where that is short.
fn below(value: &Value, indent: usize, out: &mut String) {
    if let Some(text) = value.as_str().filter(|text| is_block(text)) {
        out.push_str(" |-\n");
        for line in text.lines() {
            let spaces = if line.is_empty() { 0 } else { indent + 2 };
            let _ = writeln!(out, "{:spaces$}{line}", "");
        }
        return;
    }
    let nested = match value {
        Value::Object(members) => !members.is_empty(),
        Value::Array(items) => items.iter().any(|item| item.is_object() || item.is_array()),
        _ => false,
    };
    if nested {
        out.push('\n');
        write(value, indent + 2, out);
    } else {
        let _ = writeln!(out, " {value}");
    }
}

/// Whether a literal block (`|-`) can hold a string: several lines of visible text, without line breaks at its end.
fn is_block(text: &str) -> bool {
    let is_plain = |c: char| {
        c == '\n' || !(c.is_control() || matches!(c, '\u{85}' | '\u{2028}' | '\u{2029}' | '\u{feff}'))
    };
    let has_lines = text.trim_end_matches('\n').contains('\n');
    has_lines && !text.starts_with([' ', '\n']) && !text.ends_with('\n') && text.chars().all(is_plain)
}

/// A key without quotes where that is the same.
fn plain(key: &str) -> String {
    let is_word = key.starts_with(|c: char| c.is_ascii_alphabetic())
        && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
        && !matches!(key, "null" | "true" | "false" | "yes" | "no" | "on" | "off" | "y" | "n");
    if is_word { key.to_owned() } else { Value::from(key).to_string() }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_are_written_in_block_style() {
        let value = json!({
            "version": 1,
            "rules": [{"id": "A", "given": ["$", "@"]}, {"on": {}, "list": [[1]]}],
            "explain": "One.\n\nTwo.",
            "message": "One.\n",
        });
        let text = "version: 1\nrules:\n  - id: \"A\"\n    given: [\"$\",\"@\"]\n  - \"on\": {}\n    list:\n      - - 1\n\
                    explain: |-\n  One.\n\n  Two.\nmessage: \"One.\\n\"\n";
        assert_eq!(written(&value), text);
    }
}
