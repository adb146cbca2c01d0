//! quadrantChart.

use crate::kinds::{
    Observation,
    mermaid::{
        diagram::{Findings, trimmed},
        syntax::Syntax,
    },
};

/// Names and values of the styles that points may have.
pub(super) fn check<'t>(syntax: &'t Syntax<'t>, findings: &mut Findings) {
    for style in syntax.named("style") {
        let (Some(name), Some(value)) = (style.find("style_name"), style.find("style_value")) else {
            continue;
        };
        let text = value.text().trim();
        let hex = || {
            let digits = text.strip_prefix('#').unwrap_or(text);
            matches!(digits.len(), 3 | 6) && digits.bytes().all(|b| b.is_ascii_hexdigit())
        };
        let whole = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        let (known, fits, form) = match name.text() {
            "radius" => (true, whole(text), "a whole number"),
            "color" | "stroke-color" => (true, hex(), "a hex colour such as #ff3300"),
            "stroke-width" => (true, text.strip_suffix("px").is_some_and(whole), "pixels such as 2px"),
            _ => (false, false, ""),
        };
        if !known {
            findings
                .push(Observation::new("quadrant-style-unknown", trimmed(name)).with("name", name.text()));
        } else if !fits {
            findings.push(
                Observation::new("quadrant-style-value", trimmed(value))
                    .with("name", name.text())
                    .with("value", text)
                    .with("form", form),
            );
        }
    }
}
