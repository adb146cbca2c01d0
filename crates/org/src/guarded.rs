//! Changes of files: located, tried, validated, written.

use schemars::JsonSchema;
use serde::Serialize;

use super::{
    change::{self, NewHeadline, Target},
    difference::difference,
    files::{self, Files, OrgError},
    headline::HeadlineInfo,
    uri::Location,
};
use crate::{
    diagnostic::Applicability,
    kinds::org::Outline,
    project::Subject,
    text::{Edit, Fingerprint, apply_edits, unified},
};

/// How a change is made.
#[derive(Debug, Clone, Copy, Default)]
pub struct Guard<'a> {
    /// Hash of the file that the client has seen; the change is refused if the file has changed since.
    pub expect_hash: Option<&'a str>,
    /// Whether the change is only shown.
    pub dry_run: bool,
}

/// What a change has come to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Changed {
    /// Whether the file was written.
    pub written: bool,
    /// Hash of the file's text now, for `expect_hash`.
    pub hash: String,
    /// The change as a unified diff.
    pub diff: String,
    /// The headline after the change.
    pub headline: HeadlineInfo,
}

/// The change of one of several files.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FileChange {
    /// The file.
    pub file: String,
    /// Whether it was written.
    pub written: bool,
    /// Hash of its text now.
    pub hash: String,
    /// The change as a unified diff.
    pub diff: String,
}

/// The hash of a document, as `expect_hash` has it.
pub fn hash(text: &str) -> String {
    Fingerprint::new().add(text).hex()
}

/// Changes the headline that a URI names; `edits` says how, from the headline as it is.
///
/// # Errors
/// [`OrgError`]
pub fn change(
    files: &Files<'_>,
    uri: &str,
    guard: Guard<'_>,
    edits: impl FnOnce(&HeadlineInfo, &Target<'_, '_>) -> Result<Vec<Edit>, OrgError>,
) -> Result<Changed, OrgError> {
    let location = Location::parse(uri)?;
    let subject = location.open(files)?;
    expect(guard, &subject)?;
    let setup = files::setup(&subject);
    let outline = Outline::read_with(subject.text(), &setup);
    let index = location.find(subject.name(), &outline)?;
    let before = HeadlineInfo::new(subject.name(), &outline, index);
    let edits = edits(&before, &Target::new(subject.text(), &outline, index, files.emacs()))?;
    finish(&subject, guard, &edits, |_| index)
}

/// Adds a headline below the one that a URI names, or at the end of the file that it names. It gets an ID.
///
/// # Errors
/// [`OrgError`]
pub fn add(files: &Files<'_>, uri: &str, guard: Guard<'_>, new: &NewHeadline) -> Result<Changed, OrgError> {
    let location = Location::parse(uri)?;
    let subject = location.open(files)?;
    expect(guard, &subject)?;
    let setup = files::setup(&subject);
    let outline = Outline::read_with(subject.text(), &setup);
    let id = change::new_id();
    let edits = match location {
        Location::File(_) => change::append(subject.text(), &outline, new, &id, files.emacs())?,
        _ => {
            let index = location.find(subject.name(), &outline)?;
            Target::new(subject.text(), &outline, index, files.emacs()).add_below(new, &id)?
        }
    };
    let has_id = |outline: &Outline<'_>| {
        outline.headlines.iter().position(|headline| headline.id() == Some(id.as_str())).unwrap_or_default()
    };
    finish(&subject, guard, &edits, has_id)
}

pub(super) fn expect(guard: Guard<'_>, subject: &Subject<'_>) -> Result<(), OrgError> {
    let actual = hash(subject.text());
    match guard.expect_hash {
        Some(expected) if expected != actual => {
            Err(OrgError::Changed { expected: OrgError::shown(expected), actual })
        }
        _ => Ok(()),
    }
}

/// Changes the TODO keywords of several headlines: of all of them, or of none. Each is the URI of a headline, its
/// keyword now and the new one.
///
/// # Errors
/// [`OrgError`] for the first that cannot be changed; nothing is written then.
pub fn change_states(
    files: &Files<'_>,
    guard: Guard<'_>,
    changes: &[(String, String, String)],
) -> Result<Vec<FileChange>, OrgError> {
    let mut by_file: Vec<(Subject<'_>, Vec<(usize, &str)>)> = Vec::new();
    for (uri, current, new) in changes {
        let location = Location::parse(uri)?;
        let subject = location.open(files)?;
        let setup = files::setup(&subject);
        let outline = Outline::read_with(subject.text(), &setup);
        let index = location.find(subject.name(), &outline)?;
        let actual = outline.headlines[index].todo.unwrap_or_default();
        if actual != current {
            let (uri, current) = (OrgError::shown(uri), OrgError::shown(current));
            return Err(OrgError::invalid(format!(
                "state mismatch at {uri}: expected `{current}`, found `{actual}`; nothing is changed"
            )));
        }
        match by_file.iter_mut().find(|(known, _)| known.name() == subject.name()) {
            Some((_, changes)) => changes.push((index, new)),
            None => by_file.push((subject, vec![(index, new)])),
        }
    }
    let mut tried = Vec::new();
    for (subject, changes) in &mut by_file {
        expect(guard, subject)?;
        changes.sort_unstable();
        if let Some(twice) = changes.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            let setup = files::setup(subject);
            let outline = Outline::read_with(subject.text(), &setup);
            let title = OrgError::shown(outline.headlines[twice[0].0].title);
            return Err(OrgError::invalid(format!(
                "the headline `{title}` is named twice; nothing is changed"
            )));
        }
        // One after the other, since a change may concern the headlines around.
        let mut text = subject.text().to_owned();
        let setup = files::setup(subject);
        for (index, new) in changes {
            let outline = Outline::read_with(&text, &setup);
            let edits = Target::new(&text, &outline, *index, files.emacs()).set_state(new, None)?;
            text = apply_edits(&text, &edits).map_err(|error| OrgError::invalid(error.to_string()))?;
        }
        let edits = difference(subject.text(), &text);
        tried.push((&*subject, trial(subject, &edits)?));
    }
    write_all(files, guard, &tried)
}

/// Writes several files: all of them, or none.
pub(super) fn write_all(
    files: &Files<'_>,
    guard: Guard<'_>,
    tried: &[(&Subject<'_>, String)],
) -> Result<Vec<FileChange>, OrgError> {
    let writes = |subject: &Subject<'_>, text: &str| !guard.dry_run && text != subject.text();
    let changed = tried.iter().filter(|(subject, text)| writes(subject, text));
    let changed: Vec<(&Subject<'_>, &str)> =
        changed.map(|(subject, text)| (*subject, text.as_str())).collect();
    for (subject, _) in &changed {
        check_not_locked(subject)?;
    }
    match changed.as_slice() {
        [] => {}
        [(subject, text)] => files.put(subject, text)?,
        several => Files::put_together(several)?,
    }
    let change = |(subject, text): &(&Subject<'_>, String)| FileChange {
        file: subject.name().to_owned(),
        written: writes(subject, text),
        hash: hash(if guard.dry_run { subject.text() } else { text }),
        diff: diff(subject.name(), subject.text(), text),
    };
    Ok(tried.iter().map(change).collect())
}

/// The text after edits.
///
/// # Errors
/// [`OrgError`], also for edits that add errors, and for a file that is open in Emacs with changes.
pub(super) fn trial(subject: &Subject<'_>, edits: &[Edit]) -> Result<String, OrgError> {
    check_not_locked(subject)?;
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
    Ok(trial.text)
}

/// Tries edits, refuses those that add errors, and writes the file.
fn finish(
    subject: &Subject<'_>,
    guard: Guard<'_>,
    edits: &[Edit],
    find: impl Fn(&Outline<'_>) -> usize,
) -> Result<Changed, OrgError> {
    let text = trial(subject, edits)?;
    let writes = !guard.dry_run && text != subject.text();
    if writes {
        check_not_locked(subject)?;
        subject.write(&text).map_err(|error| OrgError::NotWritten(error.to_string()))?;
    }
    let setup = files::setup(subject);
    let outline = Outline::read_with(&text, &setup);
    let index = find(&outline).min(outline.headlines.len().saturating_sub(1));
    Ok(Changed {
        written: writes,
        hash: hash(if writes { &text } else { subject.text() }),
        diff: diff(subject.name(), subject.text(), &text),
        headline: HeadlineInfo::new(subject.name(), &outline, index),
    })
}

/// Checks that Emacs does not have the file open with changes that are not saved: it then keeps a link `.#name`
/// beside it.
///
/// # Errors
/// [`OrgError::NotWritten`]
fn check_not_locked(subject: &Subject<'_>) -> Result<(), OrgError> {
    let name = subject.name();
    let (folder, file) = name.rsplit_once('/').map_or(("", name), |(folder, file)| (folder, file));
    let lock = subject.project().folder().join(folder).join(format!(".#{file}"));
    if lock.symlink_metadata().is_ok() {
        return Err(OrgError::NotWritten(format!("`{name}` has unsaved changes in Emacs")));
    }
    Ok(())
}

fn diff(name: &str, before: &str, after: &str) -> String {
    if before == after {
        return String::new();
    }
    unified(before, after, 2, Some([&format!("a/{name}"), &format!("b/{name}")]))
}
