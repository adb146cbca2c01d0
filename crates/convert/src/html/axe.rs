//! `axe`: a page that checks its accessibility when it is opened, with axe-core, which it loads from the network as the pages of
//! Quarto do.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde_json::{Value, json};

use crate::metadata::Metadata;

const SCRIPT: &str = include_str!("axe.js");

/// The options and the script of the check, where the document asks for it.
pub(super) fn check(metadata: &Metadata) -> String {
    let options = match metadata.at("axe") {
        Some(Value::Bool(true)) => json!({"output": "console"}),
        Some(options @ Value::Object(_)) => options.clone(),
        _ => return String::new(),
    };
    let options = STANDARD.encode(options.to_string());
    format!(
        "<script id=\"quarto-axe-checker-options\" type=\"text/plain\">{options}</script>\n<script type=\"module\">\n{SCRIPT}</script>\n"
    )
}
