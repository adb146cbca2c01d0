//! Changes of files: located, tried, validated, written.

use schemars::JsonSchema;
use serde::Serialize;

use super::{
    change::{self, NewHeadline, Target},
    files::{Files, OrgError},
    headline::HeadlineInfo,
    uri::Location,
};
use crate::{
    diagnostic::Applicability,
    kinds::org::Outline,
    project::Subject,
    text::{Edit, Fingerprint},
};

/// How a change is made.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Guard<'a> {
    /// Hash of the file that the client has seen; the change is refused if the file has changed since.
    pub expect_hash: Option<&'a str>,
    /// Whether the change is only shown.
    pub dry_run: bool,
}

/// What a change has come to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct Changed {
    /// Whether the file was written.
    pub written: bool,
    /// Hash of the file's text now, for `expect_hash`.
    pub hash: String,
    /// The change as a unified diff.
    pub diff: String,
    /// The headline after the change.
    pub headline: HeadlineInfo,
}

/// The hash of a document, as `expect_hash` has it.
pub(crate) fn hash(text: &str) -> String {
    Fingerprint::new().add(text).hex()
}

/// Changes the headline that a URI names; `edits` says how, from the headline as it is.
///
/// # Errors
/// [`OrgError`]
pub(crate) fn change(
    files: &Files<'_>,
    uri: &str,
    guard: Guard<'_>,
    edits: impl FnOnce(&HeadlineInfo, &Target<'_, '_>) -> Result<Vec<Edit>, OrgError>,
) -> Result<Changed, OrgError> {
    let location = Location::parse(uri)?;
    let subject = location.open(files)?;
    expect(guard, &subject)?;
    let outline = Outline::read(subject.text());
    let index = location.find(subject.name(), &outline)?;
    let before = HeadlineInfo::new(subject.name(), &outline, index);
    let edits = edits(&before, &Target::new(subject.text(), &outline, index))?;
    finish(&subject, guard, &edits, |_| index)
}

/// Adds a headline below the one that a URI names, or at the end of the file that it names. It gets an ID.
///
/// # Errors
/// [`OrgError`]
pub(crate) fn add(
    files: &Files<'_>,
    uri: &str,
    guard: Guard<'_>,
    new: &NewHeadline,
) -> Result<Changed, OrgError> {
    let location = Location::parse(uri)?;
    let subject = location.open(files)?;
    expect(guard, &subject)?;
    let outline = Outline::read(subject.text());
    let id = change::new_id();
    let edits = match location {
        Location::File(_) => change::append(subject.text(), &outline, new, &id)?,
        _ => {
            let index = location.find(subject.name(), &outline)?;
            Target::new(subject.text(), &outline, index).add_below(new, &id)?
        }
    };
    let has_id = |outline: &Outline<'_>| {
        outline.headlines.iter().position(|headline| headline.id() == Some(id.as_str())).unwrap_or_default()
    };
    finish(&subject, guard, &edits, has_id)
}

fn expect(guard: Guard<'_>, subject: &Subject<'_>) -> Result<(), OrgError> {
    let actual = hash(subject.text());
    match guard.expect_hash {
        Some(expected) if expected != actual => {
            Err(OrgError::Changed { expected: OrgError::shown(expected), actual })
        }
        _ => Ok(()),
    }
}

/// Tries edits, refuses those that add errors, and writes the file.
fn finish(
    subject: &Subject<'_>,
    guard: Guard<'_>,
    edits: &[Edit],
    find: impl Fn(&Outline<'_>) -> usize,
) -> Result<Changed, OrgError> {
    if is_locked(subject) {
        return Err(OrgError::NotWritten(format!("`{}` has unsaved changes in Emacs", subject.name())));
    }
    let before = subject.validate();
    let trial = subject
        .with_fixer(Applicability::Unsafe, before, |fixer, outcome| {
            fixer.try_edits(subject.text(), &outcome, edits)
        })
        .map_err(|error| OrgError::invalid(error.to_string()))?;
    if !trial.harm.new_errors.is_empty() {
        let new = trial.outcome.diagnostics.iter().filter(|found| trial.harm.new_errors.contains(&found.id));
        let reasons =
            new.take(5).map(|found| format!("line {} {} {}", found.location.line, found.id, found.message));
        return Err(OrgError::AddsErrors(reasons.collect()));
    }
    let writes = !guard.dry_run && trial.text != subject.text();
    if writes {
        subject.write(&trial.text).map_err(|error| OrgError::NotWritten(error.to_string()))?;
    }
    let outline = Outline::read(&trial.text);
    let index = find(&outline).min(outline.headlines.len().saturating_sub(1));
    Ok(Changed {
        written: writes,
        hash: hash(if writes { &trial.text } else { subject.text() }),
        diff: diff(subject.name(), subject.text(), &trial.text),
        headline: HeadlineInfo::new(subject.name(), &outline, index),
    })
}

/// Whether Emacs has the file open with changes that are not saved: it then keeps a link `.#name` beside it.
fn is_locked(subject: &Subject<'_>) -> bool {
    let name = subject.name();
    let (folder, file) = name.rsplit_once('/').map_or(("", name), |(folder, file)| (folder, file));
    let lock = subject.project().folder().join(folder).join(format!(".#{file}"));
    lock.symlink_metadata().is_ok()
}

fn diff(name: &str, before: &str, after: &str) -> String {
    if before == after {
        return String::new();
    }
    let diff = similar::TextDiff::from_lines(before, after);
    diff.unified_diff().context_radius(2).header(&format!("a/{name}"), &format!("b/{name}")).to_string()
}
