//! JSONPath as Spectral understands it, in the form of RFC 9535.

use crate::tree::JsonPath;

/// What a path of Spectral selects.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Selected {
    /// The path of RFC 9535.
    pub(super) path: String,
    /// Whether it selects the keys of the nodes, not their values (`~`).
    pub(super) keys: bool,
}

/// A path in the form of RFC 9535, or why there is none.
pub(super) fn translated(path: &str) -> Result<Selected, String> {
    let (path, keys) = match path.strip_suffix('~') {
        Some(path) => (path, true),
        None => (path, false),
    };
    for (part, why) in UNKNOWN {
        if path.contains(part) {
            return Err(format!("the path `{path}` uses `{part}`, {why}"));
        }
    }
    let path = quoted_names(&path.replace("!==", "!=").replace("===", "=="));
    match path.parse::<JsonPath>() {
        Ok(_) => Ok(Selected { path, keys }),
        Err(error) => Err(format!("the path `{path}` is not a JSONPath of RFC 9535: {error}")),
    }
}

/// What RFC 9535 does not have.
const UNKNOWN: &[(&str, &str)] = &[
    ("@property", "which RFC 9535 does not have: name the key instead"),
    ("@parent", "which RFC 9535 does not have"),
    ("@path", "which RFC 9535 does not have"),
    ("@root", "which RFC 9535 does not have: use `$`"),
    ("^", "which RFC 9535 does not have"),
    (".match(", "which is JavaScript: use `match()` or `search()` of RFC 9535"),
    (".includes(", "which is JavaScript"),
    (".constructor", "which is JavaScript"),
];

/// Puts quotes around names in brackets, such as `[get,put]`.
fn quoted_names(path: &str) -> String {
    let mut out = String::new();
    let mut rest = path;
    while let Some(at) = rest.find('[') {
        let inside = &rest[at + 1..];
        let end = inside.find(']').unwrap_or(inside.len());
        let names: Vec<&str> = inside[..end].split(',').map(str::trim).collect();
        let is_name = |name: &&str| {
            name.starts_with(|c: char| c.is_ascii_alphabetic())
                && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
        };
        out.push_str(&rest[..=at]);
        if names.iter().all(is_name) {
            let quoted: Vec<String> = names.iter().map(|name| format!("'{name}'")).collect();
            out.push_str(&quoted.join(","));
            rest = &inside[end..];
        } else {
            rest = inside;
        }
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_get_the_form_of_the_standard() {
        let path = |path: &str| translated(path).map(|selected| selected.path);
        assert_eq!(path("$.paths[*][get,put]").as_deref(), Ok("$.paths[*]['get','put']"));
        assert_eq!(path("$..[?(@.type === 'a')]").as_deref(), Ok("$..[?(@.type == 'a')]"));
        assert!(translated("$.paths.*~").unwrap().keys);
        assert!(path("$..[?(@property === 'x')]").unwrap_err().contains("@property"));
        assert!(path("$.[").is_err());
    }
}
