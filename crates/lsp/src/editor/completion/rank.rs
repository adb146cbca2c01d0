//! The order of candidates: what leaves the fewest findings comes first, and of those, what the document has already.

use std::collections::HashSet;

use crate::{budget, diagnostic::Severity, project::Subject, text::Span};

use super::Candidate;

/// Where a candidate is written.
pub(super) struct Slot {
    pub(super) before: String,
    pub(super) after: String,
}

impl Slot {
    /// The text, with a word in the slot.
    pub(super) fn with(&self, word: &str) -> String {
        format!("{}{word}{}", self.before, self.after)
    }
}

/// Steps of validations that trying candidates may take, so that an answer takes a few milliseconds.
const STEPS: u64 = 4_000_000;

/// Most candidates that are tried.
const TRIED: usize = 40;

/// Bytes of a document from which on none is tried: the steps would be enough for one or two of them, which says nothing about the
/// others.
const LARGE: usize = 50_000;

/// A candidate with the part of the text that it replaces.
pub(super) struct Placed {
    pub(super) candidate: Candidate,
    pub(super) span: Span,
    /// What is written before and after it.
    pub(super) marks: (&'static str, &'static str),
}

/// What speaks against a candidate: that it does not begin with what is typed; what a grammar would not read, the errors
/// and the other findings that it would leave; and that the document does not have it yet. A candidate that was not tried comes after
/// those that were.
type Score = (bool, u32, usize, usize, bool);

/// What stands for the findings of a candidate that was not tried.
const UNTRIED: usize = usize::MAX;

/// Candidates, while they are put in order.
pub(super) struct Ranking<'s, 'p> {
    subject: &'s Subject<'p>,
    /// What is typed, in lower case.
    typed: String,
    begun: u64,
    tried: usize,
    all: Vec<(Score, Placed)>,
}

impl<'s, 'p> Ranking<'s, 'p> {
    pub(super) fn new(subject: &'s Subject<'p>, typed: &str) -> Self {
        let begun = budget::spent().steps;
        Self { subject, typed: typed.to_lowercase(), begun, tried: 0, all: Vec::new() }
    }

    /// Adds candidates for a place. The text is validated with those that a grammar reads best; of many candidates, or in a
    /// large document, with the first ones.
    pub(super) fn add(
        &mut self,
        mut candidates: Vec<Candidate>,
        slot: &Slot,
        span: Span,
        marks: (&'static str, &'static str),
    ) {
        candidates.sort_by_key(|candidate| (self.differs(candidate), candidate.unread));
        let words = Words::new([&slot.before, &slot.after]);
        let is_large = slot.before.len() + slot.after.len() > LARGE;
        let least = candidates.first().map_or(0, |first| first.unread);
        for candidate in candidates {
            let differs = self.differs(&candidate);
            let may_try =
                !is_large && self.tried < TRIED && self.has_steps() && !differs && candidate.unread == least;
            self.tried += usize::from(may_try);
            let (errors, others) = if may_try {
                findings(self.subject, &slot.with(&candidate.text))
            } else {
                (UNTRIED, UNTRIED)
            };
            let score = (differs, candidate.unread, errors, others, !words.has(&candidate.text));
            self.all.push((score, Placed { candidate, span, marks }));
        }
    }

    fn has_steps(&self) -> bool {
        budget::spent().steps - self.begun < STEPS
    }

    fn differs(&self, candidate: &Candidate) -> bool {
        !candidate.text.to_lowercase().starts_with(&self.typed)
    }

    /// All candidates, the most likely first.
    pub(super) fn finish(mut self) -> Vec<Placed> {
        self.all.sort_by_key(|(score, _)| *score);
        self.all.into_iter().map(|(_, placed)| placed).collect()
    }
}

/// The words of the text, in two parts.
struct Words<'t> {
    parts: [&'t str; 2],
    /// The words, and those that hyphens connect.
    all: HashSet<&'t str>,
}

impl<'t> Words<'t> {
    fn new(parts: [&'t str; 2]) -> Self {
        let words = parts.iter().flat_map(|part| part.split(|c| !is_part(c)));
        let connected = parts.iter().flat_map(|part| part.split(|c| !is_part(c) && c != '-'));
        Self { parts, all: words.chain(connected.filter(|word| word.contains('-'))).collect() }
    }

    /// Whether the text has a word by itself.
    fn has(&self, word: &str) -> bool {
        self.all.contains(word)
            || (!word.chars().all(is_part) && self.parts.iter().any(|part| has_word(part, word)))
    }
}

/// Whether a character is a part of a word.
fn is_part(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Whether text has something by itself that need not be a word.
fn has_word(text: &str, word: &str) -> bool {
    text.match_indices(word)
        .any(|(at, _)| !text[..at].ends_with(is_part) && !text[at + word.len()..].starts_with(is_part))
}

/// How many errors the text has, and how many other findings.
fn findings(subject: &Subject<'_>, text: &str) -> (usize, usize) {
    let outcome = subject.try_text(text);
    let counting = || outcome.diagnostics.iter().filter(|found| found.suppressed.is_none());
    let errors = counting().filter(|found| found.severity == Severity::Error).count();
    (errors, counting().count() - errors)
}
