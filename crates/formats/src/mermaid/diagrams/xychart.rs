//! xychart, xychart-beta.

use crate::mermaid::{diagram::Findings, syntax::Syntax};

/// What the text of a fault looks like with quotes: each category by itself.
pub(super) fn check<'t>(_: &'t Syntax<'t>, findings: &mut Findings) {
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
