//! Reading text that differs little from text that was read before: what a repetition took is kept, so that text before and
//! after the difference is not read once more.

use std::collections::HashMap;

use super::Match;
use crate::text::Span;

/// Bytes from which on a repetition is worth keeping.
const LONG: usize = 64;

/// Most turns that are kept.
const MOST: usize = 1 << 18;

/// The end of one turn of a repetition.
#[derive(Debug, Clone, Copy)]
pub(super) struct Turn {
    /// Where the turn ends.
    pub(super) at: usize,
    /// Up to where the text was looked at since the repetition began.
    pub(super) seen: usize,
    /// Number of matches since then.
    pub(super) matches: usize,
    /// Effort since then.
    pub(super) effort: usize,
}

/// A repetition of the text that was read first: its turns, and what it matched.
#[derive(Debug)]
struct Repetition {
    turns: Vec<Turn>,
    /// The last turn is also the end.
    matches: Vec<Match>,
}

/// What the repetitions of the text that was read first took.
#[derive(Debug, Default)]
pub(super) struct Trail {
    all: Vec<Repetition>,
    /// The repetition, and the turn before, for the step that is repeated and the place where a turn begins.
    places: HashMap<(u16, usize), (usize, usize)>,
}

impl Trail {
    /// Whether a repetition that has come this far is kept.
    pub(super) fn is_long(begin: usize, at: usize) -> bool {
        at - begin >= LONG
    }

    /// Keeps a repetition of a step that begins at a place.
    pub(super) fn add(&mut self, step: u16, begin: usize, mut turns: Vec<Turn>, matches: &[Match]) {
        if self.places.len() > MOST {
            return;
        }
        let index = self.all.len();
        turns.insert(0, Turn { at: begin, seen: begin, matches: 0, effort: 0 });
        for (turn, Turn { at, .. }) in turns.iter().enumerate() {
            self.places.entry((step, *at)).or_insert((index, turn));
        }
        self.all.push(Repetition { turns, matches: matches.to_vec() });
    }
}

/// A trail, for text that is the same at its beginning and at its end.
#[derive(Clone, Copy)]
pub(super) struct Known<'t> {
    pub(super) trail: &'t Trail,
    /// How long the part at the beginning is that is the same.
    prefix: usize,
    /// Where the part at the end begins that is the same, in this text and in the one that was read first.
    suffix: (usize, usize),
}

/// What a repetition would take from a place on.
pub(super) struct Leap<'t> {
    /// Where what it takes ends.
    pub(super) at: usize,
    /// Whether the repetition ends there.
    pub(super) is_end: bool,
    pub(super) effort: usize,
    matches: &'t [Match],
    /// How far the matches are from where they were.
    before: usize,
    after: usize,
}

impl Leap<'_> {
    /// The matches of the repetition, at their places in the text.
    pub(super) fn matches(&self) -> impl Iterator<Item = Match> {
        let moved = |at: u32| at as usize - self.before + self.after;
        self.matches.iter().map(move |found| {
            let span = Span::new(moved(found.span.start), moved(found.span.end));
            Match { span, ..*found }
        })
    }
}

impl<'t> Known<'t> {
    /// What is known of `text` from the trail of `first`. The last `hidden` bytes of what is the same at the beginning are
    /// taken for different.
    pub(super) fn new(trail: &'t Trail, first: &str, text: &str, hidden: usize) -> Self {
        let (one, other) = (first.as_bytes(), text.as_bytes());
        let prefix = one.iter().zip(other).take_while(|(one, other)| one == other).count();
        let rest = one.len().min(other.len()) - prefix;
        let pairs = one.iter().rev().zip(other.iter().rev()).take(rest);
        let suffix = pairs.take_while(|(one, other)| one == other).count();
        let suffix = (other.len() - suffix, one.len() - suffix);
        Self { trail, prefix: prefix.saturating_sub(hidden), suffix }
    }

    /// What a repetition of a step takes that is at a place, as far as that is known.
    pub(super) fn leap(&self, step: u16, at: usize) -> Option<Leap<'t>> {
        let is_after = at >= self.suffix.0;
        let (before, after) = if is_after { (self.suffix.1, self.suffix.0) } else { (0, 0) };
        let (index, begun) = self.trail.places.get(&(step, at - after + before))?;
        let Repetition { turns, matches } = &self.trail.all[*index];
        let last = if is_after {
            turns.len() - 1
        } else {
            turns.partition_point(|turn| turn.seen <= self.prefix && turn.at <= self.prefix).checked_sub(1)?
        };
        let (from, to) = (turns[*begun], turns[last]);
        // A repetition that ends at once has nothing to leap over.
        (last > *begun).then(|| Leap {
            at: to.at - before + after,
            is_end: is_after,
            effort: to.effort - from.effort,
            matches: &matches[from.matches..to.matches],
            before,
            after,
        })
    }
}
