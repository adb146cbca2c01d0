//! radar-beta.

use crate::kinds::{
    Observation,
    mermaid::{
        diagram::{Findings, trimmed},
        syntax::Syntax,
    },
};

/// A curve that names axes names all of them.
pub(super) fn check<'t>(syntax: &'t Syntax<'t>, findings: &mut Findings) {
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
