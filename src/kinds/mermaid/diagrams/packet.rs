//! packet, packet-beta.

use crate::kinds::{
    Observation,
    mermaid::{
        diagram::{Findings, trimmed},
        syntax::{Part, Syntax},
    },
};

fn number(part: Part<'_>, rule: &str) -> Option<i64> {
    part.find(rule).and_then(|number| number.text().trim().parse().ok())
}

/// Each field begins at the bit after the field before it.
pub(super) fn check<'t>(syntax: &'t Syntax<'t>, findings: &mut Findings) {
    let mut next = 0;
    for block in syntax.named("block") {
        let (start, end, bits) = (number(block, "first"), number(block, "last"), number(block, "bits"));
        let place = ["first", "bits"].into_iter().find_map(|rule| block.find(rule)).unwrap_or(block);
        let begin = start.unwrap_or(next);
        let reversed = end.is_some_and(|end| end < begin);
        if begin != next && !reversed {
            findings.push(
                Observation::new("packet-gap", trimmed(place))
                    .with("start", begin)
                    .with("end", end.unwrap_or(begin))
                    .with("next", next),
            );
        }
        let last = end.unwrap_or(begin.saturating_add(bits.unwrap_or(1) - 1));
        next = last.max(begin).saturating_add(1);
    }
}
