//! A check of the page for readers who cannot see it, which the browser runs: `axe: true`.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde_json::{Value, json};

use crate::metadata::Metadata;

const SCRIPT: &str = include_str!("axe-check.js");

/// The script and its options, as parts of the head of a page; nothing where the check is not asked for.
///
/// The script is one of this program. It is in the page itself, with the name that it has as a file.
pub(super) fn check(metadata: &Metadata) -> String {
    let options = match metadata.at("axe") {
        Some(Value::Bool(true)) => json!({}),
        Some(options @ Value::Object(_)) => options.clone(),
        _ => return String::new(),
    };
    format!(
        "<script id=\"quarto-axe-checker-options\" type=\"text/plain\">{}</script>\n\
         <script src=\"data:text/javascript;name=axe-check.js;base64,{}\" defer=\"\"></script>\n",
        STANDARD.encode(options.to_string()),
        STANDARD.encode(SCRIPT)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats;

    fn checked(axe: &Value) -> String {
        check(&Metadata::new(Value::Null, json!({"axe": axe}), &[], &formats::all()[0]))
    }

    #[test]
    fn check_is_there_only_where_it_is_asked_for() {
        assert_eq!(checked(&json!(false)), "");
        let options = STANDARD.encode("{\"output\":\"document\"}");
        assert!(checked(&json!({"output": "document"})).contains(&options));
        assert!(checked(&json!(true)).contains("name=axe-check.js"));
    }
}
