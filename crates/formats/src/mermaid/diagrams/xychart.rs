//! xychart, xychart-beta.

use crate::mermaid::{diagram::Findings, syntax::Syntax};

/// What text that is not valid looks like with quotes, each category by itself, and which bracket its list lacks.
pub(super) fn check<'t>(syntax: &'t Syntax<'t>, findings: &mut Findings) {
    let texts = ["err_xy_text", "err_xy_values"];
    for observation in findings.observations.iter_mut().filter(|seen| texts.contains(&&*seen.name)) {
        let start = observation.span.start as usize;
        let line = syntax.text()[..start].rfind('\n').map_or(0, |end| end + 1);
        let end = syntax.text()[start..].find('\n').map_or(syntax.text().len(), |end| start + end);
        let line = &syntax.text()[line..end];
        let missing = match (line.contains('['), line.contains(']')) {
            (true, false) => "]",
            (false, true) => "[",
            _ => "",
        };
        observation.values.push(("missing".into(), missing.into()));
    }
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
