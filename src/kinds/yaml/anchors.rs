use std::collections::HashMap;

use super::event::{Event, What};
use crate::text::Span;

/// A text may follow this many aliases for every event it holds, as in `serde_yaml`.
const ALIASES_PER_EVENT: usize = 100;

/// Events with the nodes that aliases stand for in place of the aliases, as far as the reader asks.
pub(super) struct Expanded {
    events: Vec<Event>,
    next: usize,
    /// Whether events may be read again.
    anchored: bool,
    anchors: HashMap<usize, AnchoredNode>,
    replays: Vec<Replay>,
    /// Nodes that aliases may still add.
    nodes_left: usize,
    /// Aliases that may still be followed.
    aliases_left: usize,
}

/// The events of a node with an anchor, as positions.
struct AnchoredNode {
    first: usize,
    /// Absent while the node is open.
    end: Option<usize>,
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
pub(super) enum Step {
    Event {
        event: Event,
        /// Place of the alias, when the event starts what the alias stands for.
        alias: Option<Span>,
        /// Whether the event was read before.
        again: bool,
    },
    /// The alias at this place adds more nodes than are allowed.
    OverBudget(Span),
}

/// Whether an alias can be followed.
pub(super) enum Follow {
    Followed,
    /// It stands inside the node that has its anchor; the place where that node starts.
    Recursive(Span),
    OverBudget,
}

impl Expanded {
    pub(super) fn new(events: Vec<Event>, node_limit: usize) -> Self {
        Self {
            anchored: events.iter().any(|event| event.anchor != 0),
            next: 0,
            anchors: HashMap::new(),
            replays: Vec::new(),
            nodes_left: node_limit,
            aliases_left: events.len().saturating_mul(ALIASES_PER_EVENT),
            events,
        }
    }

    /// Gives the memory of the events back.
    pub(super) fn into_events(self) -> Vec<Event> {
        self.events
    }

    pub(super) fn next(&mut self) -> Option<Step> {
        while let Some(replay) = self.replays.last_mut() {
            if replay.next < replay.end {
                let event = self.events[replay.next].clone();
                replay.next += 1;
                let alias = std::mem::take(&mut replay.fresh).then_some(replay.alias);
                return Some(self.spend(event, alias));
            }
            self.replays.pop();
        }
        let slot = self.events.get_mut(self.next)?;
        let event = if self.anchored {
            slot.clone()
        } else {
            std::mem::replace(slot, Event::new(What::End, Span::default()))
        };
        if event.anchor != 0 {
            let end = matches!(event.what, What::Scalar { .. }).then_some(self.next + 1);
            self.anchors.insert(event.anchor, AnchoredNode { first: self.next, end });
        }
        self.next += 1;
        Some(Step::Event { event, alias: None, again: false })
    }

    /// Makes the node with this anchor come next.
    pub(super) fn follow(&mut self, anchor: usize, alias: Span) -> Follow {
        let Some(node) = self.anchors.get(&anchor) else { return Follow::Recursive(alias) };
        let Some(end) = node.end else { return Follow::Recursive(self.events[node.first].span) };
        let Some(left) = self.aliases_left.checked_sub(1) else { return Follow::OverBudget };
        self.aliases_left = left;
        self.replays.push(Replay { next: node.first, end, alias, fresh: true });
        Follow::Followed
    }

    /// Says that the collection with this anchor is complete.
    pub(super) fn complete(&mut self, anchor: usize) {
        if let Some(node) = self.anchors.get_mut(&anchor) {
            node.end = Some(self.next);
        }
    }

    fn spend(&mut self, event: Event, alias: Option<Span>) -> Step {
        if matches!(event.what, What::Scalar { .. } | What::Sequence { .. } | What::Mapping { .. }) {
            let Some(left) = self.nodes_left.checked_sub(1) else {
                let alias = self.replays.first().map_or(event.span, |replay| replay.alias);
                return Step::OverBudget(alias);
            };
            self.nodes_left = left;
        }
        Step::Event { event, alias, again: true }
    }
}
