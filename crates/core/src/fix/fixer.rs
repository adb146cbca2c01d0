//! What fixes documents, and how much of it may be tried on copies.

use std::{cell::RefCell, hash::BuildHasher, rc::Rc};

use foldhash::quality::FixedState;

use crate::{diagnostic::Applicability, engine::Outcome, kinds::Kind, rules::Ruleset};

/// Most fixes that are tried before the best of each finding is known, and most bytes of text that are validated
/// for that.
const TRIALS: usize = 200;
const TRIED_BYTES: usize = 4 << 20;

/// Steps after which no further fix is tried before it is offered: some tenths of a second.
pub(super) const TRIED_STEPS: u64 = 20_000_000;

/// How many fixes of this text may be tried.
pub(super) fn trials(text: &str) -> usize {
    TRIALS.min(TRIED_BYTES / text.len().max(1)).max(1)
}

/// Fixes documents. The caller provides the validation, and with it kind, settings and neighboring files.
pub struct Fixer<'v> {
    /// Validates the text of a document.
    pub validate: &'v dyn Fn(&str) -> Outcome,
    /// The rules of the validation.
    pub ruleset: &'v Ruleset,
    /// Least applicability of fixes that are applied.
    pub least: Applicability,
    check: Option<&'v Check<'v>>,
    pub(super) pages: Pages,
}

/// Validates a version that is only tried: without fixes, and besides errors only with the findings of the rules with
/// these ids.
type Check<'v> = dyn Fn(&str, &[&str]) -> Outcome + 'v;

impl<'v> Fixer<'v> {
    /// Applies fixes that are at least this safe.
    pub fn new(validate: &'v dyn Fn(&str) -> Outcome, ruleset: &'v Ruleset, least: Applicability) -> Self {
        Self { validate, ruleset, least, check: None, pages: Pages::default() }
    }

    /// Sets a faster validation for versions that are only tried.
    #[must_use]
    pub fn trying_with(self, check: &'v Check<'v>) -> Self {
        Self { check: Some(check), ..self }
    }

    /// Validates a version that is only tried to see what becomes of the findings of these rules.
    pub(super) fn check(&self, text: &str, rules: &[&str]) -> Outcome {
        self.check.map_or_else(|| (self.validate)(text), |check| check(text, rules))
    }
}

/// What the last versions of the document show, so that the one that fixes are compared with is not read again for each
/// of them.
#[derive(Debug, Default)]
pub(super) struct Pages {
    shown: RefCell<Vec<(u64, Option<u64>)>>,
    /// Where the version can be cut that others were last compared with.
    cuts: RefCell<Option<(u64, Rc<[usize]>)>>,
}

/// How many versions are remembered.
const KEPT: usize = 4;

impl Pages {
    /// Whether two versions show the same.
    pub(super) fn are_same(&self, kind: &dyn Kind, before: &str, after: &str) -> bool {
        let key = key_of(before);
        let near = kind.is_same_page(before, &self.cuts(kind, key, before), after);
        near.unwrap_or_else(|| self.page(kind, key, before) == self.page(kind, key_of(after), after))
    }

    /// What a version shows; nothing for kinds that have no page.
    fn page(&self, kind: &dyn Kind, key: u64, text: &str) -> Option<u64> {
        let mut shown = self.shown.borrow_mut();
        if let Some((_, page)) = shown.iter().find(|(known, _)| *known == key) {
            return *page;
        }
        let page = kind.page(text);
        shown.truncate(KEPT - 1);
        shown.insert(0, (key, page));
        page
    }

    fn cuts(&self, kind: &dyn Kind, key: u64, text: &str) -> Rc<[usize]> {
        let mut kept = self.cuts.borrow_mut();
        if let Some((_, cuts)) = kept.as_ref().filter(|(known, _)| *known == key) {
            return Rc::clone(cuts);
        }
        let cuts: Rc<[usize]> = kind.page_cuts(text).into();
        *kept = Some((key, Rc::clone(&cuts)));
        cuts
    }
}

fn key_of(text: &str) -> u64 {
    FixedState::default().hash_one(text)
}
