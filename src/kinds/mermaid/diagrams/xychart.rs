//! xychart, xychart-beta.

use crate::kinds::mermaid::{
    diagram::{Diagram, Field, Findings, List, no_more},
    grammars,
    syntax::Syntax,
};

pub(super) static DIAGRAM: Diagram = Diagram {
    name: "xychart",
    grammar: &grammars::XYCHART,
    statements: &[
        ("title", "title \"text\""),
        ("x-axis", "x-axis [a, b]"),
        ("y-axis", "y-axis \"text\" 0 --> 10"),
        ("line", "line [1, 2]"),
        ("bar", "bar [1, 2]"),
    ],
    arrows: &["-->"],
    lists: &[
        List {
            key: "series",
            rules: &["series"],
            fields: &[Field::One("kind", "series_word"), Field::Many("values", "value")],
        },
        List { key: "categories", rules: &["category"], fields: &[] },
    ],
    check,
    more: no_more,
};

/// What the text of a fault looks like with quotes: each category by itself.
fn check<'t>(_: &'t Syntax<'t>, findings: &mut Findings) {
    for observation in findings.observations.iter_mut().filter(|seen| seen.name == "err_xy_text") {
        let bare =
            observation.values.first().and_then(|(_, bare)| bare.as_str()).unwrap_or_default().to_owned();
        if bare.contains(['[', '"']) || bare.contains("-->") {
            continue;
        }
        let quoted = match bare.strip_suffix(']') {
            Some(list) => {
                let quoted: Vec<String> =
                    list.split(',').map(|text| format!("\"{}\"", text.trim())).collect();
                format!("{}]", quoted.join(", "))
            }
            None => format!("\"{bare}\""),
        };
        observation.values.push(("quoted".into(), quoted.into()));
    }
}
