//! How much work an evaluation does: counted, limited, and not done twice.

use std::cell::{Cell, RefCell};

use foldhash::HashMap;

use super::TooComplex;
use crate::{budget, schema::ShapeId, tree::NodeId};

/// Fewest steps after which evaluation stops; larger documents may take [`STEPS_PER_NODE`] for each node.
const STEPS: u64 = 200_000;

/// Steps for each node of a document, so that only what grows faster than documents do is stopped.
const STEPS_PER_NODE: u64 = 500;

/// Most steps for any document.
const MOST_STEPS: u64 = 50_000_000;

/// Most schemas inside of each other, each of which takes room on the stack.
const DEPTH: u32 = 512;

/// The work of one evaluation.
pub(super) struct Effort {
    steps: Cell<u64>,
    limit: u64,
    depth: Cell<u32>,
    /// Whether a limit is reached; nothing more is evaluated then.
    exceeded: Cell<bool>,
    /// Whether values fit subschemas that were tried.
    known: RefCell<HashMap<(ShapeId, NodeId), bool>>,
}

impl Effort {
    /// The effort for a document with this many nodes.
    pub(super) fn new(nodes: usize) -> Self {
        Self {
            steps: Cell::new(0),
            limit: (nodes as u64 * STEPS_PER_NODE).clamp(STEPS, MOST_STEPS),
            depth: Cell::new(0),
            exceeded: Cell::new(false),
            known: RefCell::default(),
        }
    }

    /// Begins to apply a schema to a value; not when a limit is reached.
    pub(super) fn enter(&self) -> bool {
        let deeper = self.depth.get() + 1;
        if deeper > DEPTH {
            self.exceeded.set(true);
        }
        if !self.step() {
            return false;
        }
        self.depth.set(deeper);
        true
    }

    /// Ends what [`Self::enter`] began.
    pub(super) fn leave(&self) {
        self.depth.set(self.depth.get() - 1);
    }

    /// Counts a step, also for the budget; there are no more when it is false.
    pub(super) fn step(&self) -> bool {
        if self.steps.get() >= self.limit {
            self.exceeded.set(true);
        }
        // A budget that is used up says nothing about the value.
        let more = !self.exceeded.get() && budget::charge(1);
        self.steps.set(self.steps.get() + u64::from(more));
        more
    }

    /// The result of a trial, which is the same whenever it is made.
    pub(super) fn remembered(&self, trial: (ShapeId, NodeId), run: impl FnOnce() -> bool) -> bool {
        if let Some(result) = self.known.borrow().get(&trial) {
            return *result;
        }
        let result = run();
        self.known.borrow_mut().insert(trial, result);
        result
    }

    /// Whether the evaluation is complete.
    pub(super) fn result(&self) -> Result<(), TooComplex> {
        if self.exceeded.get() { Err(TooComplex { steps: self.steps.get() }) } else { Ok(()) }
    }
}
