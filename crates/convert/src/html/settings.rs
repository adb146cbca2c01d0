//! Settings of slides, as an object that the script of the page reads.

use std::fmt::Write as _;

use serde_json::Value;

use crate::metadata::Metadata;

/// The settings of a deck that is scrolled: `scroll-view: true`, or with options.
fn scrolled(metadata: &Metadata) -> Option<Vec<(&'static str, String)>> {
    let view = metadata.at("scroll-view");
    let options = match view {
        Some(Value::Bool(true)) => None,
        Some(Value::Object(map)) if map.get("activate").and_then(Value::as_bool) != Some(false) => Some(map),
        _ if metadata.text("view") == Some("scroll") => None,
        _ => return None,
    };
    let option = |key: &str| options.and_then(|map| map.get(key));
    let choice = |key: &str, choices: &[&str], default: &str| {
        let named = option(key).and_then(Value::as_str).filter(|value| choices.contains(value));
        match option(key).and_then(Value::as_bool) {
            Some(value) => value.to_string(),
            None => format!("'{}'", named.unwrap_or(default)),
        }
    };
    let width = option("activation-width").and_then(Value::as_u64).unwrap_or(0);
    Some(vec![
        ("view", "'scroll'".to_owned()),
        ("scrollProgress", choice("progress", &["auto"], "auto")),
        ("scrollActivationWidth", width.to_string()),
        ("scrollSnap", choice("snap", &["mandatory", "proximity"], "mandatory")),
        ("scrollLayout", choice("layout", &["full", "compact"], "full")),
    ])
}

/// The settings of a document as a statement of a script.
pub(super) fn script(metadata: &Metadata) -> String {
    let mut out = String::from("var settings = {\n");
    for (key, value) in scrolled(metadata).unwrap_or_default() {
        let _ = writeln!(out, "  {key}: {value},");
    }
    out.push_str("};\n");
    out
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::formats;

    fn settings(header: Value) -> String {
        script(&Metadata::new(Value::Null, header, &[], &formats::all()[0]))
    }

    #[test]
    fn only_known_values_get_into_the_script() {
        let hostile =
            json!({"scroll-view": {"snap": "'}; alert(1); //", "layout": "compact", "progress": false}});
        let written = settings(hostile);
        assert!(!written.contains("alert"), "{written}");
        for expected in ["scrollSnap: 'mandatory',", "scrollLayout: 'compact',", "scrollProgress: false,"] {
            assert!(written.contains(expected), "{expected} is missing in {written}");
        }
        assert_eq!(settings(json!({})), "var settings = {\n};\n");
    }
}
