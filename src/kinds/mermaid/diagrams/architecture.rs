//! architecture-beta.

use std::collections::HashMap;

use crate::kinds::{
    Observation,
    mermaid::{
        diagram::{Findings, trimmed},
        syntax::{Part, Syntax},
    },
};
use crate::text::nearest;

/// Ids and whether each is a group, with its parent.
#[derive(Default)]
struct Known<'s> {
    ids: HashMap<&'s str, (bool, Option<&'s str>)>,
}

impl<'s> Known<'s> {
    fn declare(&mut self, part: Part<'s>, findings: &mut Findings) {
        let Some(id) = part.find("id") else { return };
        let name = id.text();
        let parent = part.find("parent");
        if self.ids.contains_key(name) {
            findings.push(Observation::new("architecture-id-used", trimmed(id)).with("name", name));
        } else if let Some(parent) = parent {
            match self.ids.get(parent.text()) {
                _ if parent.text() == name => {
                    findings.push(
                        Observation::new("architecture-inside-itself", trimmed(parent)).with("name", name),
                    );
                }
                None => findings.push(self.unknown("architecture-parent-unknown", parent)),
                Some((false, _)) => {
                    findings.push(
                        Observation::new("architecture-parent-no-group", trimmed(parent))
                            .with("name", parent.text()),
                    );
                }
                Some(_) => {}
            }
        }
        self.ids.insert(name, (part.is("group"), parent.map(Part::text)));
    }

    fn unknown(&self, rule: &'static str, part: Part<'_>) -> Observation {
        let observation = Observation::new(rule, trimmed(part)).with("name", part.text());
        let mut known: Vec<&str> = self.ids.keys().copied().collect();
        known.sort_unstable();
        match nearest(part.text(), known) {
            Some(near) => observation.with("nearest", near),
            None => observation,
        }
    }

    fn edge(&self, part: Part<'_>, findings: &mut Findings) {
        let mut parents = Vec::new();
        for side in ["left", "right"] {
            let Some(end) = part.find(side) else { return };
            match self.ids.get(end.text()) {
                None => return findings.push(self.unknown("architecture-id-unknown", end)),
                Some((true, _)) => {
                    return findings.push(
                        Observation::new("architecture-edge-to-group", trimmed(end)).with("name", end.text()),
                    );
                }
                Some((false, parent)) => parents.push(*parent),
            }
        }
        let same = matches!(parents[..], [Some(left), Some(right)] if left == right);
        if let Some(mark) = part.find("group_mark").filter(|_| same) {
            findings.push(Observation::new("architecture-same-group", trimmed(mark)));
        }
    }

    fn align(&self, part: Part<'_>, findings: &mut Findings) {
        let mut seen = Vec::new();
        for id in part.find_all("id") {
            let node = self.ids.get(id.text()).is_some_and(|(group, _)| !group);
            if !node {
                findings.push(self.unknown("architecture-id-unknown", id));
            } else if seen.contains(&id.text()) {
                findings.push(Observation::new("architecture-id-used", trimmed(id)).with("name", id.text()));
            }
            seen.push(id.text());
        }
    }
}

/// The reference takes groups first, then services, junctions, edges and alignments.
pub(super) fn check<'t>(syntax: &'t Syntax<'t>, findings: &mut Findings) {
    let mut known = Known::default();
    for rule in ["group", "service", "junction"] {
        syntax.children().filter(|part| part.is(rule)).for_each(|part| known.declare(part, findings));
    }
    if findings.has_faults() {
        return;
    }
    syntax.children().filter(|part| part.is("edge")).for_each(|part| known.edge(part, findings));
    syntax.children().filter(|part| part.is("alignment")).for_each(|part| known.align(part, findings));
}
