//! A dark style beside the light one: `theme: {light: …, dark: …}`, or a brand with dark colors.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde_json::Value;

use crate::metadata::Metadata;

const STYLE: &str = include_str!("dark.css");

/// What changes between both styles.
pub(super) const TOGGLE: &str = "<button class=\"quarto-color-scheme-toggle\" type=\"button\" title=\"Toggle dark mode\"><i class=\"bi\"></i></button>\n";

/// The dark style of a page.
pub(super) struct Dark {
    /// The link to the style, which is in the page itself, with the name that it has as a file.
    pub(super) link: String,
    /// Whether the page is dark until it is changed.
    pub(super) is_default: bool,
}

/// The dark style, where the document has one.
pub(super) fn dark(metadata: &Metadata) -> Option<Dark> {
    let theme = metadata.at("theme").and_then(Value::as_object);
    let brand = metadata.at("brand").and_then(Value::as_object);
    let named = theme
        .filter(|theme| theme.contains_key("dark"))
        .or(brand.filter(|brand| brand.contains_key("dark")))?;
    let is_default =
        named.keys().find(|key| *key == "dark" || *key == "light").is_some_and(|first| first == "dark");
    let state = if is_default { "" } else { " disabled=\"\"" };
    // The name changes with the style, so that one that was kept is not used for another.
    let sum = STYLE.bytes().fold(0_u32, |sum, byte| sum.wrapping_mul(31).wrapping_add(u32::from(byte)));
    let link = format!(
        "<link href=\"data:text/css;name=page-dark-{sum:08x}.css;base64,{}\" rel=\"stylesheet\" \
         class=\"quarto-color-scheme quarto-color-alternate\" id=\"quarto-dark\" data-mode=\"dark\"{state}>\n",
        STANDARD.encode(STYLE)
    );
    Some(Dark { link, is_default })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::formats;

    fn of(header: Value) -> Option<bool> {
        dark(&Metadata::new(Value::Null, header, &[], &formats::all()[0])).map(|dark| dark.is_default)
    }

    #[test]
    fn first_style_is_the_default() {
        assert_eq!(of(json!({"theme": "cosmo"})), None);
        assert_eq!(of(json!({"theme": {"light": "flatly", "dark": "darkly"}})), Some(false));
        assert_eq!(of(json!({"theme": {"dark": "darkly", "light": "flatly"}})), Some(true));
        assert_eq!(of(json!({"brand": {"light": {}, "dark": {}}})), Some(false));
    }
}
