//! Divs that nothing closes.

use crate::{
    Observation,
    markdown::page::{Findings, Page},
    syntax::pandoc::{Div, Pandoc},
    text::clip,
};

/// Observes the divs that are open at the end of the text.
///
/// Any line of colons closes the innermost div, so the div that is left open is an outer one, though its
/// author forgot to close an inner one. Where the number of colons shows which one that is, the inner one is
/// observed.
pub(super) fn observe(page: &Page<'_>, scan: &Pandoc, findings: &mut Findings) {
    let mut inner: Vec<Option<usize>> = vec![None; scan.divs.len()];
    for (index, div) in scan.divs.iter().enumerate() {
        if let Some(outer) = stolen_from(scan, div) {
            inner[outer].get_or_insert(index);
        }
    }
    for (index, div) in scan.divs.iter().enumerate().filter(|(_, div)| div.closer.is_none()) {
        let meant = inner[index].map(|inner| &scan.divs[inner]);
        let written = &page.text()[meant.unwrap_or(div).opener.clone()];
        let colons = &page.text()[meant.unwrap_or(div).marker.clone()];
        let observation = Observation::new("unclosed_div", page.span(meant.unwrap_or(div).opener.clone()))
            .with("written", clip(written, 60))
            .with("colons", colons);
        findings.add(match meant {
            Some(_) => observation.at("inner", page.span(div.opener.clone())),
            None => observation,
        });
    }
}

/// The open div around a closed one whose colons the closing line has, where the closed one has others.
fn stolen_from(scan: &Pandoc, div: &Div) -> Option<usize> {
    let closer = div.closer.as_ref()?.len();
    if closer == div.marker.len() {
        return None;
    }
    let mut outer = div.parent;
    // A div that a closed one is around is not left open, so the search is short.
    while let Some(index) = outer {
        let around = &scan.divs[index];
        if around.closer.is_none() && around.marker.len() == closer {
            return Some(index);
        }
        outer = around.parent.filter(|_| around.closer.is_some());
    }
    None
}
