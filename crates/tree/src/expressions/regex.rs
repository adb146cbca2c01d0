use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError, Weak},
};

use regex::Regex;
use regex_syntax::hir::{Class, ClassUnicodeRange, Hir, HirKind, Look, Repetition};

use crate::{budget::Once, text::pattern};

/// Deepest nesting of an expression that is looked into: one that has a sieve, or characters that each match begins with.
const DEPTH: u32 = 64;

/// Longest expression that is looked into, in bytes. Two of them, `\w`, take several kilobytes once they are read.
const LONGEST: usize = 4 << 10;

/// A regular expression, compiled when first used.
#[derive(Debug, Clone)]
pub struct LazyRegex {
    source: String,
    compiled: Arc<Compiled>,
}

#[derive(Debug, Default)]
struct Compiled {
    regex: Once<Option<Regex>>,
    /// Matches whatever the expression matches, and more; compiled in a fraction of the time.
    sieve: Once<Option<Regex>>,
}

/// What is made from sources, as long as something uses it: many rules have the same fixes.
#[derive(Debug)]
pub(super) struct Shared<T>(Mutex<Option<HashMap<String, Weak<T>>>>);

impl<T: Default> Shared<T> {
    pub(super) const fn new() -> Self {
        Self(Mutex::new(None))
    }

    /// The value that all users of a source share.
    pub(super) fn get(&self, source: &str) -> Arc<T> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = known.get_or_insert_default();
        if let Some(shared) = known.get(source).and_then(Weak::upgrade) {
            return shared;
        }
        if known.len() == known.capacity() {
            known.retain(|_, shared| shared.strong_count() > 0);
        }
        let shared = Arc::new(T::default());
        known.insert(source.to_owned(), Arc::downgrade(&shared));
        shared
    }
}

static SHARED: Shared<Compiled> = Shared::new();

impl LazyRegex {
    /// An expression with this source; see [`Self::fault`] for whether it compiles.
    pub fn new(source: impl Into<String>) -> Self {
        let source = source.into();
        let compiled = SHARED.get(&source);
        Self { source, compiled }
    }

    /// The characters that each match begins with, where there are several. Without them there is no match.
    #[doc(hidden)]
    pub fn prefix(&self) -> Option<String> {
        let whole = parsed(&self.source)?;
        let prefix = prefix(&whole)?;
        prefix.chars().nth(1).is_some().then(|| prefix.to_owned())
    }

    /// The expression as it is written.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// The compiled expression; nothing when it does not compile. It serves all documents, so the budget of the first one
    /// does not decide about it.
    pub fn get(&self) -> Option<&Regex> {
        self.compiled.regex.get_or_init(|| pattern(&self.source).ok()).as_ref()
    }

    /// Whether the expression may match somewhere in the text. Where it does not, it is not compiled.
    pub fn may_match(&self, text: &str) -> bool {
        let sieve = self.compiled.sieve.get_or_init(|| sieve(&self.source));
        sieve.as_ref().is_none_or(|sieve| sieve.is_match(text))
    }
}

/// The expression with classes that hold every character beyond ASCII or none: those of Unicode, such as `\w`, have
/// hundreds of ranges, and compiling them takes milliseconds.
fn sieve(source: &str) -> Option<Regex> {
    pattern(&widened(&parsed(source)?).to_string()).ok()
}

/// An expression of an ordinary size and depth.
fn parsed(source: &str) -> Option<Hir> {
    if source.len() > LONGEST {
        return None;
    }
    regex_syntax::ParserBuilder::new().nest_limit(DEPTH).build().parse(source).ok()
}

fn widened(hir: &Hir) -> Hir {
    match hir.kind() {
        HirKind::Class(Class::Unicode(class)) => {
            let mut class = class.clone();
            if !class.is_ascii() {
                class.push(ClassUnicodeRange::new('\u{80}', char::MAX));
            }
            Hir::class(Class::Unicode(class))
        }
        HirKind::Look(look) if !matches!(look, Look::Start | Look::End | Look::StartLF | Look::EndLF) => {
            Hir::empty()
        }
        HirKind::Repetition(repetition) => {
            let sub = Box::new(widened(&repetition.sub));
            Hir::repetition(Repetition { sub, ..repetition.clone() })
        }
        HirKind::Capture(capture) => widened(&capture.sub),
        HirKind::Concat(parts) => Hir::concat(parts.iter().map(widened).collect()),
        HirKind::Alternation(parts) => Hir::alternation(parts.iter().map(widened).collect()),
        HirKind::Empty | HirKind::Literal(_) | HirKind::Class(_) | HirKind::Look(_) => hir.clone(),
    }
}

/// The characters that an expression begins with.
fn prefix(hir: &Hir) -> Option<&str> {
    match hir.kind() {
        HirKind::Literal(literal) => std::str::from_utf8(&literal.0).ok(),
        HirKind::Capture(capture) => prefix(&capture.sub),
        HirKind::Concat(parts) => parts.first().and_then(prefix),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::budget::{self, Budget};

    #[test]
    fn a_used_up_budget_leaves_expressions_usable() {
        let regex = LazyRegex::new("^a$");
        let used_up = Budget { steps: Some(1), ..Budget::default() };
        used_up.spend(|| {
            assert!(!budget::charge(1) && pattern("^b$").is_err());
            assert!(regex.get().is_some_and(|regex| regex.is_match("a")));
        });
        assert!(regex.get().is_some());
    }

    #[test]
    fn a_sieve_lets_everything_through_that_the_expression_matches() {
        let texts = ["A to B", "Ä to Ö", "a-b", " 1.5", "x→y", "", "été, 2", "K\u{212a}"];
        for source in [r"^\w+ to \w+$", r"\b\w\b", r"^[^\w\s]", r"(?i)^k+$", r"\d(?:\.\d)?", r"\s*\z", r"\S→"]
        {
            let (regex, exact) = (LazyRegex::new(source), Regex::new(source).unwrap());
            for text in texts {
                assert!(regex.may_match(text) || !exact.is_match(text), "{source} {text}");
            }
        }
        assert!(!LazyRegex::new(r"^\w+ to \w+$").may_match("Ä zu Ö"));
    }

    #[test]
    fn a_prefix_is_what_each_match_begins_with() {
        let prefix = |source: &str| LazyRegex::new(source).prefix();
        for (source, expected) in
            [(r"\$\$[^$]+\$\$", "$$"), ("(?P<at>été)s?", "été"), ("abc?", "ab"), ("(?x) a b # c", "ab")]
        {
            assert_eq!(prefix(source).as_deref(), Some(expected), "{source}");
        }
        // A match may begin with something else, or it is a single character, or it is not where the match begins.
        for source in ["ab|cd", "(?i)ab", "a?bc", "(ab)?cd", "(ab)*", "a[bc]", "^ab", "[ab]cd", "é", "", "("]
        {
            assert_eq!(prefix(source), None, "{source}");
        }
        assert_eq!(prefix(&"ab".repeat(LONGEST)), None);
    }
}
