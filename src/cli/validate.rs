//! Validating one document of a run.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use crate::{
    diagnostic::Applicability,
    engine::Outcome,
    project::{Listed, NotOpened, Project, WriteError},
    text::Source,
};

use super::{layouts::Layouts, panics};

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
    /// Files of its quill that findings refer to, as the sources after those of the document.
    pub(super) layouts: Vec<Arc<Source>>,
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
        Err(NotOpened::Unreadable { .. }) => return Ok((validate(project, listed, true, None), 0)),
    };
    let reading = start.elapsed();
    let start = Instant::now();
    let Ok(fixed) = panics::caught(|| subject.fix(Applicability::Safe)) else {
        return Ok((validate(project, listed, true, None), 0));
    };
    subject.write(&fixed.text)?;
    let (name, validating, applied) = (listed.name.clone(), start.elapsed(), fixed.applied.len());
    let outcome = fixed.outcome;
    let validated = Validated { name, outcome, layouts: Vec::new(), crashed: false, reading, validating };
    Ok((Verdict::Validated(Box::new(validated)), applied))
}

/// Reads and validates a document, and lays it out where there is something that does. A panic becomes a finding of that
/// document. Fixes are tried where a report shows them.
pub(super) fn validate(
    project: &Project,
    listed: &Listed,
    shows_fixes: bool,
    layouts: Option<&Layouts>,
) -> Verdict {
    panics::caught(|| verdict(project, listed, shows_fixes, layouts)).unwrap_or_else(|panic| {
        let outcome = project.crashed(&listed.name, &panic);
        let (reading, validating) = (Duration::ZERO, Duration::ZERO);
        let (name, layouts) = (listed.name.clone(), Vec::new());
        let validated = Validated { name, outcome, layouts, crashed: true, reading, validating };
        Verdict::Validated(Box::new(validated))
    })
}

fn verdict(project: &Project, listed: &Listed, shows_fixes: bool, layouts: Option<&Layouts>) -> Verdict {
    let start = Instant::now();
    let opened = project.subject(listed.input.clone());
    let reading = start.elapsed();
    let start = Instant::now();
    let (outcome, layouts) = match opened {
        Ok(subject) => {
            let mut outcome = if shows_fixes { subject.validate() } else { subject.validate_untried() };
            let laid_out = layouts.map(|layouts| layouts.try_out(&subject, &mut outcome));
            (outcome, laid_out.unwrap_or_default())
        }
        Err(NotOpened::Unreadable { outcome, .. }) => (*outcome, Vec::new()),
        Err(NotOpened::UnknownKind) => return Verdict::UnknownKind,
    };
    let (name, validating) = (listed.name.clone(), start.elapsed());
    let validated = Validated { name, outcome, layouts, crashed: false, reading, validating };
    Verdict::Validated(Box::new(validated))
}
