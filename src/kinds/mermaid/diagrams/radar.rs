//! radar-beta.

use crate::kinds::{
    Observation,
    mermaid::{
        diagram::{Diagram, Field, Findings, List, no_more, trimmed},
        grammars,
        syntax::Syntax,
    },
};

pub(super) static DIAGRAM: Diagram = Diagram {
    name: "radar",
    grammar: &grammars::RADAR,
    statements: &[
        ("title", "title text"),
        ("axis", "axis a[\"A\"], b[\"B\"]"),
        ("curve", "curve c[\"C\"]{1, 2}"),
        ("showLegend", "showLegend true"),
        ("ticks", "ticks 5"),
        ("max", "max 100"),
        ("min", "min 0"),
        ("graticule", "graticule circle|polygon"),
    ],
    arrows: &[],
    lists: &[
        List {
            key: "axes",
            rules: &["axis"],
            fields: &[Field::One("id", "lid"), Field::One("label", "label")],
        },
        List {
            key: "curves",
            rules: &["curve"],
            fields: &[Field::One("id", "lid"), Field::One("label", "label"), Field::Many("values", "number")],
        },
    ],
    check,
    more: no_more,
};

/// A curve that names axes names all of them.
fn check<'t>(syntax: &'t Syntax<'t>, findings: &mut Findings) {
    let axes: Vec<&str> =
        syntax.named("axis").filter_map(|axis| axis.find("lid")).map(|id| id.text()).collect();
    for curve in syntax.named("curve").filter(|curve| curve.find("entries").is_some()) {
        let named: Vec<&str> = curve.find_all("axis_name").map(|name| name.text()).collect();
        let missing = axes.iter().find(|axis| !named.contains(axis));
        if axes.is_empty() {
            findings.push(Observation::new("radar-no-axes", trimmed(curve)));
        } else if let Some(missing) = missing {
            findings.push(Observation::new("radar-entry-missing", trimmed(curve)).with("axis", *missing));
        }
    }
}
