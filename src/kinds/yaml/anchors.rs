use std::collections::HashMap;

use super::event::{Event, Events, Fault, What};
use crate::text::Span;

/// Events with the nodes that aliases stand for in place of the aliases, as far as the reader asks.
pub(super) struct Expanded<'t, E> {
    events: E,
    /// All events since the first anchor.
    log: Vec<Event<'t>>,
    logging: bool,
    anchors: HashMap<usize, AnchoredNode>,
    replays: Vec<Replay>,
    /// Nodes that aliases may still add.
    budget: usize,
}

/// The events of a node with an anchor, as positions in the log.
struct AnchoredNode {
    first: usize,
    /// Absent while the node is open.
    end: Option<usize>,
    span: Span,
}

/// Events that are read again for an alias.
struct Replay {
    next: usize,
    end: usize,
    alias: Span,
    /// Whether the first node is still to come.
    fresh: bool,
}

/// What comes next.
pub(super) enum Step<'t> {
    Event {
        event: Event<'t>,
        /// Place of the alias, when the event starts what the alias stands for.
        alias: Option<Span>,
        /// Whether the event was read before.
        again: bool,
    },
    /// The alias at this place adds more nodes than are allowed.
    OverBudget(Span),
    Fault(Fault),
}

/// Whether an alias can be followed.
pub(super) enum Follow {
    Followed,
    /// It stands inside the node that has its anchor; the place of that node.
    Recursive(Span),
}

impl<'t, E: Events<'t>> Expanded<'t, E> {
    pub(super) fn new(events: E, budget: usize) -> Self {
        Self { events, log: Vec::new(), logging: false, anchors: HashMap::new(), replays: Vec::new(), budget }
    }

    pub(super) fn next(&mut self) -> Option<Step<'t>> {
        while let Some(replay) = self.replays.last_mut() {
            if replay.next < replay.end {
                let event = self.log[replay.next].clone();
                replay.next += 1;
                let alias = std::mem::take(&mut replay.fresh).then_some(replay.alias);
                return Some(self.spend(event, alias));
            }
            self.replays.pop();
        }
        match self.events.next_event()? {
            Ok(event) => {
                self.remember(&event);
                Some(Step::Event { event, alias: None, again: false })
            }
            Err(fault) => Some(Step::Fault(fault)),
        }
    }

    /// Makes the node with this anchor come next.
    pub(super) fn follow(&mut self, anchor: usize, alias: Span) -> Follow {
        match self.anchors.get(&anchor) {
            Some(AnchoredNode { first, end: Some(end), .. }) => {
                self.replays.push(Replay { next: *first, end: *end, alias, fresh: true });
                Follow::Followed
            }
            Some(node) => Follow::Recursive(node.span),
            None => Follow::Recursive(alias),
        }
    }

    /// Says that the collection with this anchor is complete.
    pub(super) fn complete(&mut self, anchor: usize) {
        let end = self.log.len();
        if let Some(node) = self.anchors.get_mut(&anchor) {
            node.end = Some(end);
        }
    }

    fn remember(&mut self, event: &Event<'t>) {
        self.logging |= event.anchor != 0;
        if !self.logging {
            return;
        }
        let first = self.log.len();
        self.log.push(event.clone());
        if event.anchor != 0 {
            let end = matches!(event.what, What::Scalar { .. }).then_some(first + 1);
            self.anchors.insert(event.anchor, AnchoredNode { first, end, span: event.span });
        }
    }

    fn spend(&mut self, event: Event<'t>, alias: Option<Span>) -> Step<'t> {
        if matches!(event.what, What::Scalar { .. } | What::Sequence { .. } | What::Mapping { .. }) {
            let Some(rest) = self.budget.checked_sub(1) else {
                let alias = self.replays.first().map_or(event.span, |replay| replay.alias);
                return Step::OverBudget(alias);
            };
            self.budget = rest;
        }
        Step::Event { event, alias, again: true }
    }
}
