//! The participants of a sequence diagram over time, as data for rules.

use std::collections::HashMap;

use crate::{
    mermaid::{
        diagram::trimmed,
        grammars::rules::sequence as rule,
        syntax::{Part, Syntax},
        tree::TreeWriter,
    },
    text::Span,
};

/// Adds `deactivations`, with how often the participant is active before, and `lifelines`: who is created or
/// destroyed, with both ends of the message that Mermaid takes for it.
pub(super) fn write<'t>(syntax: &'t Syntax<'t>, tree: &mut TreeWriter<'_>) {
    let mut life = Life::default();
    for part in syntax.children() {
        life.follow(part);
    }
    tree.list("deactivations", |tree| {
        for Deactivation { participant, place, active } in &life.deactivations {
            tree.object_at(*place, |tree| {
                tree.field("participant", *participant);
                tree.number("active", *active, *participant);
            });
        }
    });
    tree.list("lifelines", |tree| {
        for (statement, name, message) in &life.lifelines {
            tree.object(*name, |tree| {
                tree.word("statement", statement, *name);
                tree.field("name", *name);
                for (key, rule) in [("from", "actor"), ("to", "target")] {
                    if let Some(end) = message.find(rule) {
                        tree.field(key, end);
                    }
                }
            });
        }
    });
}

#[derive(Default)]
struct Life<'s> {
    active: HashMap<&'s str, usize>,
    created: Option<Part<'s>>,
    destroyed: Option<Part<'s>>,
    deactivations: Vec<Deactivation<'s>>,
    /// The statement, the name in it, and the message.
    lifelines: Vec<(&'static str, Part<'s>, Part<'s>)>,
}

struct Deactivation<'s> {
    participant: Part<'s>,
    /// What deactivates it.
    place: Span,
    active: usize,
}

impl<'s> Life<'s> {
    fn follow(&mut self, part: Part<'s>) {
        match part.number() {
            rule::CREATE => self.created = name(part).or(self.created),
            rule::DESTROY => self.destroyed = name(part),
            rule::ACTIVATE => {
                if let Some(name) = name(part) {
                    *self.active.entry(name.text().trim()).or_default() += 1;
                }
            }
            rule::DEACTIVATE => {
                if let Some(name) = name(part) {
                    self.deactivate(name, trimmed(part));
                }
            }
            rule::SIGNAL => self.message(part),
            _ => {}
        }
    }

    fn deactivate(&mut self, participant: Part<'s>, place: Span) {
        let count = self.active.entry(participant.text().trim()).or_default();
        self.deactivations.push(Deactivation { participant, place, active: *count });
        *count = count.saturating_sub(1);
    }

    fn message(&mut self, part: Part<'s>) {
        let (Some(from), Some(to)) = (part.find(rule::ACTOR), part.find(rule::TARGET)) else { return };
        if let Some(created) = self.created.take() {
            self.lifelines.push(("create", created, part));
        } else if let Some(destroyed) = self.destroyed.take() {
            self.lifelines.push(("destroy", destroyed, part));
        }
        let marks = || part.children();
        if marks().any(|mark| mark.is(rule::PLUS)) {
            *self.active.entry(to.text().trim()).or_default() += 1;
        }
        if let Some(minus) = marks().find(|mark| mark.is(rule::MINUS)) {
            self.deactivate(from, minus.span());
        }
    }
}

fn name(part: Part<'_>) -> Option<Part<'_>> {
    ["plain_name", "aliased_name", "configured_name"].into_iter().find_map(|rule| part.find(rule))
}
