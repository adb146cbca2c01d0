//! quadrantChart.

use crate::kinds::{
    Observation,
    mermaid::{
        diagram::{Diagram, Field, Findings, List, no_more, trimmed},
        grammars,
        syntax::Syntax,
    },
};

pub(super) static DIAGRAM: Diagram = Diagram {
    name: "quadrantChart",
    grammar: &grammars::QUADRANT,
    statements: &[
        ("title", "title text"),
        ("x-axis", "x-axis Low --> High"),
        ("y-axis", "y-axis Low --> High"),
        ("quadrant-1", "quadrant-1 text"),
        ("quadrant-2", "quadrant-2 text"),
        ("quadrant-3", "quadrant-3 text"),
        ("quadrant-4", "quadrant-4 text"),
        ("classDef", "classDef name color: #ff0000"),
    ],
    arrows: &["-->"],
    lists: &[
        List {
            key: "points",
            rules: &["point"],
            fields: &[Field::One("name", "text"), Field::One("x", "x"), Field::One("y", "y")],
        },
        List { key: "axes", rules: &["x_axis", "y_axis"], fields: &[Field::Many("texts", "text")] },
    ],
    check,
    more: no_more,
};

/// Names and values of the styles that points may have.
fn check<'t>(syntax: &'t Syntax<'t>, findings: &mut Findings) {
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
