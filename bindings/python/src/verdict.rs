//! Validating one document of many: whatever happens to it is a value.

use proofmark::{Diagnostic, Fixed, Input, NotOpened, Outcome, Project, Severity, Subject};

use crate::panics;

/// Names of the rules that report that a document was not validated, or not to its end.
const NOT_VALIDATED: [&str; 6] =
    ["unreadable-file", "not-a-file", "not-utf8", "text-too-large", "budget-exceeded", "internal-fault"];

/// What came of a document.
pub(crate) struct Verdict<T> {
    /// What was made of its outcome; nothing where there is none.
    pub(crate) result: Option<T>,
    /// Why it was not validated, or not to its end: a code, a colon, and details.
    pub(crate) error: Option<String>,
}

/// What is made of the outcome of a document.
pub(crate) struct Validated<'s, 'p> {
    /// The document; nothing where its text cannot be used.
    pub(crate) subject: Option<&'s Subject<'p>>,
    /// Its findings.
    pub(crate) outcome: Outcome,
}

/// Validates a document and has `work` done with the outcome. A panic becomes an error of this document.
pub(crate) fn verdict<T>(
    project: &Project,
    input: Input,
    work: impl FnOnce(Validated<'_, '_>) -> T,
) -> Verdict<T> {
    let done = panics::caught(|| match project.subject(input) {
        Ok(subject) => {
            let outcome = subject.validate();
            let error = unfinished(&outcome.diagnostics);
            Verdict { result: Some(work(Validated { subject: Some(&subject), outcome })), error }
        }
        Err(NotOpened::Unreadable { outcome, .. }) => {
            let error = unfinished(&outcome.diagnostics);
            Verdict { result: Some(work(Validated { subject: None, outcome: *outcome })), error }
        }
        Err(_) => Verdict { result: None, error: Some(UNKNOWN_KIND.to_owned()) },
    });
    done.unwrap_or_else(|panic| Verdict { result: None, error: Some(format!("panic: {panic}")) })
}

/// The error of a document whose kind is not known.
pub(crate) const UNKNOWN_KIND: &str = "unknown-kind: name it with `kind`";

/// Why a document with these findings was not validated to its end.
fn unfinished(diagnostics: &[Diagnostic]) -> Option<String> {
    let found = diagnostics.iter().find(|diagnostic| NOT_VALIDATED.contains(&diagnostic.name.as_str()))?;
    Some(format!("{}: {}", found.name, found.message))
}

/// The findings that count: neither a comment nor a baseline suppresses them.
pub(crate) fn standing(diagnostics: &[Diagnostic]) -> impl Iterator<Item = &Diagnostic> {
    diagnostics.iter().filter(|diagnostic| diagnostic.suppressed.is_none())
}

/// Whether findings that count are errors.
pub(crate) fn is_valid(diagnostics: &[Diagnostic]) -> bool {
    standing(diagnostics).all(|diagnostic| diagnostic.severity < Severity::Error)
}

/// How many findings that count have this severity.
pub(crate) fn count(diagnostics: &[Diagnostic], severity: Severity) -> usize {
    standing(diagnostics).filter(|diagnostic| diagnostic.severity == severity).count()
}

/// The text with its fixes applied; nothing where the text cannot be used.
pub(crate) fn fixed(validated: Validated<'_, '_>, least: proofmark::Applicability) -> Option<Fixed> {
    Some(validated.subject?.fix_validated(least, validated.outcome))
}
