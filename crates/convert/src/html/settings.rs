//! Settings of a deck, as the object that reveal.js is given.

use std::fmt::Write as _;

use serde_json::Value;

use super::blocks::is_script;
use crate::{metadata::Metadata, reveal};

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

/// A string in a script. It cannot end the script.
fn quoted(text: &str) -> String {
    let quoted = serde_json::to_string(text).unwrap_or_else(|_| "\"\"".to_owned());
    quoted.replace('<', "\\u003c").replace('\u{2028}', "\\u2028").replace('\u{2029}', "\\u2029")
}

/// The settings of a document as a statement of a script.
pub(super) fn script(metadata: &Metadata, image: &dyn Fn(&str) -> Option<String>) -> String {
    let mut out = String::from("var settings = {\n");
    let mut all = reveal::settings(&|key| metadata.at(key));
    let picture = metadata.text("parallax-background-image").filter(|path| !is_script(path));
    if let Some(path) = picture {
        all.push(("parallaxBackgroundImage", quoted(&image(path).unwrap_or_else(|| path.to_owned()))));
    }
    all.extend(scrolled(metadata).unwrap_or_default());
    for (key, value) in all {
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
        script(&Metadata::new(Value::Null, header, &[], &formats::all()[0]), &|_| None)
    }

    #[test]
    fn only_known_values_get_into_the_script() {
        let hostile = json!({
            "scroll-view": {"snap": "'}; alert(1); //", "layout": "compact", "progress": false},
            "transition": "'}; alert(1); //", "auto-animate-easing": "</script>", "width": "1;alert(1)",
        });
        let written = settings(hostile);
        assert!(!written.contains("alert") && !written.contains("</"), "{written}");
        for expected in ["scrollSnap: 'mandatory',", "scrollLayout: 'compact',", "scrollProgress: false,"] {
            assert!(written.contains(expected), "{expected} is missing in {written}");
        }
        assert!(!settings(json!({})).contains("scroll"));
    }

    #[test]
    fn paths_do_not_end_the_script() {
        let path = "a</script><script>alert(1)\u{2028}\"";
        let written = settings(json!({"parallax-background-image": path}));
        let line = "parallaxBackgroundImage: \"a\\u003c/script>\\u003cscript>alert(1)\\u2028\\\"\",";
        assert!(written.contains(line), "{written}");
        let script = settings(json!({"parallax-background-image": "javascript:alert(1)"}));
        assert!(!script.contains("parallax"), "{script}");
    }
}
