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

pub(super) fn check<'t>(syntax: &'t Syntax<'t>, findings: &mut Findings) {
    let mut next = 0;
    for block in syntax.named("block") {
        let (start, end, bits) = (number(block, "first"), number(block, "last"), number(block, "bits"));
        let place = ["first", "bits"].into_iter().find_map(|rule| block.find(rule)).unwrap_or(block);
        let begin = start.unwrap_or(next);
        let observe = |name| {
            Observation::new(name, trimmed(place))
                .with("start", begin)
                .with("end", end.unwrap_or(begin))
                .with("next", next)
        };
        if end.is_some_and(|end| end < begin) {
            findings.push(observe("packet-end-before-start"));
        } else if begin != next {
            findings.push(observe("packet-gap"));
        } else if bits == Some(0) {
            findings.push(observe("packet-zero-bits"));
        }
        let last = end.unwrap_or(begin.saturating_add(bits.unwrap_or(1) - 1));
        next = last.max(begin).saturating_add(1);
    }
}
