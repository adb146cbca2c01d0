//! Validating one document of a run.

use std::time::{Duration, Instant};

use crate::{
    diagnostic::Applicability,
    engine::Outcome,
    project::{Listed, NotOpened, Project, WriteError},
};

use super::panics;

/// The result of validating a document.
pub(super) enum Verdict {
    /// It was validated.
    Validated(Box<Validated>),
    /// Its kind is not known.
    UnknownKind,
}

/// A document that was validated.
pub(super) struct Validated {
    /// Its name in reports.
    pub(super) name: String,
    /// The document with its findings.
    pub(super) outcome: Outcome,
    /// Whether the program failed on it.
    pub(super) crashed: bool,
    /// Time it took to read the file.
    pub(super) reading: Duration,
    /// Time it took to validate the text.
    pub(super) validating: Duration,
}

/// Fixes a document as far as safe fixes go, writes it, and gives what remains with the number of fixes.
pub(super) fn fix(project: &Project, listed: &Listed) -> Result<(Verdict, usize), WriteError> {
    let start = Instant::now();
    let subject = match project.subject(listed.input.clone()) {
        Ok(subject) => subject,
        Err(NotOpened::UnknownKind) => return Ok((Verdict::UnknownKind, 0)),
        Err(NotOpened::Unreadable { .. }) => return Ok((validate(project, listed, true), 0)),
    };
    let reading = start.elapsed();
    let start = Instant::now();
    let Ok(fixed) = panics::caught(|| subject.fix(Applicability::Safe)) else {
        return Ok((validate(project, listed, true), 0));
    };
    subject.write(&fixed.text)?;
    let (name, validating, applied) = (listed.name.clone(), start.elapsed(), fixed.applied.len());
    let validated = Validated { name, outcome: fixed.outcome, crashed: false, reading, validating };
    Ok((Verdict::Validated(Box::new(validated)), applied))
}

/// Reads and validates a document. A panic becomes a finding of that document. Fixes are tried where a report shows them.
pub(super) fn validate(project: &Project, listed: &Listed, shows_fixes: bool) -> Verdict {
    panics::caught(|| verdict(project, listed, shows_fixes)).unwrap_or_else(|panic| {
        let outcome = project.crashed(&listed.name, &panic);
        let (reading, validating) = (Duration::ZERO, Duration::ZERO);
        let name = listed.name.clone();
        Verdict::Validated(Box::new(Validated { name, outcome, crashed: true, reading, validating }))
    })
}

fn verdict(project: &Project, listed: &Listed, shows_fixes: bool) -> Verdict {
    let start = Instant::now();
    let opened = project.subject(listed.input.clone());
    let reading = start.elapsed();
    let start = Instant::now();
    let outcome = match opened {
        Ok(subject) if shows_fixes => subject.validate(),
        Ok(subject) => subject.validate_untried(),
        Err(NotOpened::Unreadable { outcome, .. }) => *outcome,
        Err(NotOpened::UnknownKind) => return Verdict::UnknownKind,
    };
    let (name, validating) = (listed.name.clone(), start.elapsed());
    Verdict::Validated(Box::new(Validated { name, outcome, crashed: false, reading, validating }))
}
