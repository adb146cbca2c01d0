//! A dark style beside the light one: `theme: {light: …, dark: …}`, or a brand with dark colors.

use std::fmt::Write as _;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde_json::Value;

use crate::{
    brand::{Brand, Mode},
    metadata::Metadata,
};

const STYLE: &str = include_str!("dark.css");

/// The button that changes between the light and the dark style.
pub(super) const TOGGLE: &str = "<button class=\"quarto-color-scheme-toggle\" type=\"button\" title=\"Toggle dark mode\"><i class=\"bi\"></i></button>\n";

/// Applies the style that the reader has chosen on another page.
pub(super) const CHOSEN: &str = "<script>\n(function () {\n  var chosen = null, dark = document.getElementById(\"quarto-dark\");\n  try { chosen = localStorage.getItem(\"quarto-color-scheme\"); } catch (error) {}\n  if (!chosen) return;\n  dark.disabled = chosen !== \"dark\";\n  document.body.classList.toggle(\"quarto-dark\", !dark.disabled);\n  document.body.classList.toggle(\"quarto-light\", dark.disabled);\n})();\n</script>\n";

/// The dark style of a page.
pub(super) struct Dark {
    /// The link to the style, which is in the page itself.
    pub(super) link: String,
    /// Whether the page is dark until it is changed.
    pub(super) is_default: bool,
}

/// The dark style, where the document has one. Colors of the brand are those of its dark side.
pub(super) fn dark(metadata: &Metadata, brand: &Brand) -> Option<Dark> {
    let theme = metadata.at("theme").and_then(Value::as_object).filter(|theme| theme.contains_key("dark"));
    let own = metadata.at("brand");
    let sides = own.and_then(Value::as_object).filter(|brand| brand.contains_key("dark"));
    if theme.is_none() && sides.is_none() && !own.is_some_and(has_dark_values) {
        return None;
    }
    let first = theme.or(sides).and_then(|named| named.keys().find(|key| *key == "dark" || *key == "light"));
    let is_default = first.is_some_and(|first| first == "dark");
    let state = if is_default { "" } else { " disabled=\"\"" };
    let mut style = STYLE.to_owned();
    for (name, property) in [("background", "background"), ("foreground", "color")] {
        let color = brand.color(Mode::Dark, name).filter(|color| is_color(color));
        if let Some(color) = color {
            let _ = writeln!(style, "body, body.quarto-dashboard {{ {property}: {color}; }}");
        }
    }
    let link = format!(
        "<link href=\"data:text/css;base64,{}\" rel=\"stylesheet\" \
         class=\"quarto-color-scheme quarto-color-alternate\" id=\"quarto-dark\" data-mode=\"dark\"{state}>\n",
        STANDARD.encode(style)
    );
    Some(Dark { link, is_default })
}

/// Whether colors, fonts or logos of a brand have values of their own for dark pages.
fn has_dark_values(brand: &Value) -> bool {
    let is_pair = |value: &Value| value.get("dark").is_some();
    let any = |key: &str, found: &dyn Fn(&Value) -> bool| {
        brand.get(key).and_then(Value::as_object).is_some_and(|map| map.values().any(found))
    };
    let of_font =
        |font: &Value| ["color", "background-color"].iter().any(|key| font.get(key).is_some_and(is_pair));
    any("color", &is_pair) || any("logo", &is_pair) || any("typography", &of_font)
}

fn is_color(text: &str) -> bool {
    text.len() < 40
        && text
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '#' | '(' | ')' | ',' | '.' | '%' | ' '))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::formats;

    fn of(header: Value) -> Option<bool> {
        dark(&Metadata::new(Value::Null, header, &[], &formats::all()[0]), &Brand::default())
            .map(|dark| dark.is_default)
    }

    #[test]
    fn first_style_is_the_default() {
        assert_eq!(of(json!({"theme": "cosmo"})), None);
        assert_eq!(of(json!({"theme": {"light": "flatly", "dark": "darkly"}})), Some(false));
        assert_eq!(of(json!({"theme": {"dark": "darkly", "light": "flatly"}})), Some(true));
        assert_eq!(of(json!({"brand": {"light": {}, "dark": {}}})), Some(false));
        assert_eq!(
            of(json!({"brand": {"color": {"background": {"light": "#fff", "dark": "#000"}}}})),
            Some(false)
        );
        assert_eq!(of(json!({"brand": {"color": {"background": "#fff"}}})), None);
    }
}
