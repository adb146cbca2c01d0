//! The order of candidates: what leaves the fewest findings comes first.

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

/// A candidate with the part of the text that it replaces.
pub(super) struct Placed {
    pub(super) candidate: Candidate,
    pub(super) span: Span,
    /// What is written before and after it.
    pub(super) marks: (&'static str, &'static str),
}

/// What speaks against a candidate: that it does not begin with what is typed, and the errors and the other findings that
/// it would leave. A candidate that was not tried comes after those that were.
type Score = (bool, usize, usize);

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

    /// Adds candidates for a place. Of many candidates, or in a large document, the first ones are tried.
    pub(super) fn add(
        &mut self,
        mut candidates: Vec<Candidate>,
        slot: &Slot,
        span: Span,
        marks: (&'static str, &'static str),
    ) {
        candidates.sort_by_key(|candidate| self.differs(candidate));
        for candidate in candidates {
            let differs = self.differs(&candidate);
            let may_try = self.tried < TRIED && budget::spent().steps - self.begun < STEPS;
            let (errors, others) = if may_try && !differs {
                self.tried += 1;
                findings(self.subject, &slot.with(&candidate.text))
            } else {
                (usize::MAX, usize::MAX)
            };
            self.all.push(((differs, errors, others), Placed { candidate, span, marks }));
        }
    }

    /// Whether there are no candidates yet.
    pub(super) fn is_empty(&self) -> bool {
        self.all.is_empty()
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

/// How many errors the text has, and how many other findings.
fn findings(subject: &Subject<'_>, text: &str) -> (usize, usize) {
    let outcome = subject.try_text(text);
    let counting = || outcome.diagnostics.iter().filter(|found| found.suppressed.is_none());
    let errors = counting().filter(|found| found.severity == Severity::Error).count();
    (errors, counting().count() - errors)
}
