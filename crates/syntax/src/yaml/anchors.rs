use foldhash::{HashMap, HashMapExt};

use super::{
    YamlOptions,
    event::{Event, What},
};
use crate::text::Span;

/// Number of aliases that may be followed per event of the text, as in `serde_yaml`.
const ALIASES_PER_EVENT: usize = 100;

/// Events in which aliases are replaced by their nodes, lazily.
pub(super) struct Expanded {
    events: Vec<Event>,
    next: usize,
    /// Whether events can be read again.
    kept: bool,
    anchors: HashMap<usize, AnchoredNode>,
    replays: Vec<Replay>,
    /// Nodes that aliases may still add.
    nodes_left: usize,
    /// Aliases that may still be followed.
    aliases_left: usize,
}

/// The positions of the events of a node with an anchor.
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
    /// Whether the first event is still to come; its node replaces the alias.
    fresh: bool,
}

/// What comes next.
pub(super) enum Step {
    Event {
        event: Event,
        /// Position of the alias, if the event starts the node that replaces it.
        alias: Option<Span>,
        /// Whether the event was read before.
        again: bool,
    },
    /// The alias at this position adds more nodes than allowed.
    OverBudget(Span),
}

/// Whether an alias can be followed.
pub(super) enum Follow {
    Followed,
    /// The alias is inside the node with its anchor, which starts at this position.
    Recursive(Span),
    OverBudget,
}

impl Expanded {
    /// Wraps the events of a YAML text; `merges` says whether it can have merge keys, whose mappings are
    /// read later.
    pub(super) fn new(events: Vec<Event>, options: &YamlOptions, merges: bool) -> Self {
        Self {
            kept: merges || events.iter().any(|event| event.anchor != 0),
            next: 0,
            anchors: HashMap::new(),
            replays: Vec::new(),
            nodes_left: options.alias_nodes,
            aliases_left: events.len().saturating_mul(ALIASES_PER_EVENT),
            events,
        }
    }

    /// Returns the events, to reuse their memory.
    pub(super) fn into_events(self) -> Vec<Event> {
        self.events
    }

    /// All events, where each is read only once: without anchors there is nothing to read again.
    pub(super) fn take_unless_kept(&mut self) -> Option<Vec<Event>> {
        (!self.kept).then(|| std::mem::take(&mut self.events))
    }

    /// Takes the memory of events that were read back.
    pub(super) fn restore(&mut self, events: Vec<Event>) {
        self.events = events;
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
        let event = self.events.get(self.next)?.clone();
        if event.anchor != 0 {
            let end = matches!(event.what, What::Scalar { .. }).then_some(self.next + 1);
            self.anchors.insert(event.anchor, AnchoredNode { first: self.next, end });
        }
        self.next += 1;
        Some(Step::Event { event, alias: None, again: false })
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

    /// Makes the node with this anchor come next.
    pub(super) fn follow(&mut self, anchor: usize, alias: Span) -> Follow {
        let Some(node) = self.anchors.get(&anchor) else { return Follow::Recursive(alias) };
        let Some(end) = node.end else { return Follow::Recursive(self.events[node.first].span) };
        let Some(left) = self.aliases_left.checked_sub(1) else { return Follow::OverBudget };
        self.aliases_left = left;
        self.replays.push(Replay { next: node.first, end, alias, fresh: true });
        Follow::Followed
    }

    /// Marks the collection with this anchor as complete.
    pub(super) fn complete(&mut self, anchor: usize) {
        if let Some(node) = self.anchors.get_mut(&anchor) {
            node.end = Some(self.next);
        }
    }

    /// Position of the next event.
    pub(super) fn position(&self) -> usize {
        self.replays.last().map_or(self.next, |replay| replay.next)
    }

    /// Skips the next node.
    pub(super) fn skip_node(&mut self) {
        let end = self.node_end(self.position());
        *self.cursor() = end;
    }

    /// Whether the node at a position can be the value of `<<`: a mapping, an alias for one, or a sequence of
    /// these. The error is the position of the node that cannot.
    pub(super) fn mergeable(&self, position: usize) -> Result<(), Span> {
        let Some(event) = self.events.get(position) else { return Ok(()) };
        if let What::Sequence { .. } = event.what {
            let mut items = self.items(position).into_iter();
            return match items.find(|item| self.mapping(*item).is_none()) {
                Some(item) => Err(self.events[item].span),
                None => Ok(()),
            };
        }
        match event.what {
            What::Alias(_) | What::Mapping { .. } if self.mapping(position).is_some() => Ok(()),
            _ => Err(event.span),
        }
    }

    /// Makes the entries of the node at a position come next, followed by the last event again. For a sequence, the
    /// positions of its items are returned instead, the last one first.
    pub(super) fn merge(&mut self, position: usize) -> Vec<usize> {
        *self.cursor() -= 1;
        let Some((first, end)) = self.mapping(position) else {
            let mut items = self.items(position);
            items.reverse();
            return items;
        };
        let alias = self.events[position].span;
        self.replays.push(Replay { next: first + 1, end: end - 1, alias, fresh: false });
        Vec::new()
    }

    /// First event and end of the mapping at a position, or of the mapping that the alias there refers to.
    fn mapping(&self, position: usize) -> Option<(usize, usize)> {
        let (first, end) = match self.events.get(position)?.what {
            What::Alias(anchor) => {
                self.anchors.get(&anchor).and_then(|node| Some((node.first, node.end?)))?
            }
            _ => (position, self.node_end(position)),
        };
        matches!(self.events[first].what, What::Mapping { .. }).then_some((first, end))
    }

    /// Positions of the items of the sequence at a position.
    fn items(&self, position: usize) -> Vec<usize> {
        let mut items = Vec::new();
        let mut at = position + 1;
        while self.events.get(at).is_some_and(|event| !matches!(event.what, What::End)) {
            items.push(at);
            at = self.node_end(at);
        }
        items
    }

    /// Position after the node at a position.
    fn node_end(&self, position: usize) -> usize {
        let mut depth = 0_usize;
        for (at, event) in self.events.iter().enumerate().skip(position) {
            match event.what {
                What::Sequence { .. } | What::Mapping { .. } => depth += 1,
                What::End => depth = depth.saturating_sub(1),
                _ => {}
            }
            if depth == 0 {
                return at + 1;
            }
        }
        self.events.len()
    }

    fn cursor(&mut self) -> &mut usize {
        match self.replays.last_mut() {
            Some(replay) => &mut replay.next,
            None => &mut self.next,
        }
    }
}
