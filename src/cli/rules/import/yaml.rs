//! Values as YAML in block style; strings are written as in JSON, which YAML reads in the same way.

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
        let value =
            json!({"version": 1, "rules": [{"id": "A", "given": ["$", "@"]}, {"on": {}, "list": [[1]]}]});
        let text = "rules:\n  - given: [\"$\",\"@\"]\n    id: \"A\"\n  - list:\n      - - 1\n    \"on\": {}\nversion: 1\n";
        let sorted: Vec<&str> = text.lines().collect();
        let result = written(&value);
        for line in sorted {
            assert!(result.contains(line), "{line} in\n{result}");
        }
    }
}
