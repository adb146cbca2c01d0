//! Changes of files: located, tried, validated, written.

use std::{
    collections::{BTreeMap, hash_map::RandomState},
    hash::BuildHasher as _,
    thread,
    time::{Duration, Instant},
};

use schemars::JsonSchema;
use serde::Serialize;

pub use super::hash::hash;
use super::{
    change::{self, NewHeadline, Target},
    clock::Moment,
    datetree,
    emacs::Direction,
    files::{self, Files, OrgError},
    headline::HeadlineInfo,
    subtree, title,
    uri::Location,
};
use crate::{
    diagnostic::Applicability,
    kinds::org::Outline,
    project::Subject,
    text::{Edit, unified},
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

/// Longest time for which a change is tried again while others write the file.
const PATIENCE: Duration = Duration::from_secs(10);

/// Makes an attempt again from the beginning while another program writes the file between reading and writing it; not where
/// the client has said which text it expects.
pub(super) fn insistently<T>(
    guard: Guard<'_>,
    mut attempt: impl FnMut() -> Result<T, OrgError>,
) -> Result<T, OrgError> {
    let start = Instant::now();
    loop {
        match attempt() {
            Err(OrgError::Overtaken(_)) if guard.expect_hash.is_none() && start.elapsed() < PATIENCE => {
                // Not all at the same time again.
                let random = RandomState::new().hash_one(0_u8) % 4000;
                thread::sleep(Duration::from_micros(200 + random));
            }
            other => return other,
        }
    }
}

/// Changes the headline that a URI names; `edits` says how, from the headline as it is.
///
/// # Errors
/// [`OrgError`]
pub fn change(
    files: &Files<'_>,
    uri: &str,
    guard: Guard<'_>,
    mut edits: impl FnMut(&HeadlineInfo, &Target<'_, '_>) -> Result<Vec<Edit>, OrgError>,
) -> Result<Changed, OrgError> {
    let location = Location::parse(uri)?;
    let mut title = None;
    insistently(guard, || {
        let subject = location.open(files)?;
        expect(guard, &subject)?;
        let setup = files::setup(&subject);
        let outline = Outline::read_with(subject.text(), &setup);
        let index = location.find(subject.name(), &outline)?;
        let before = HeadlineInfo::new(subject.name(), &outline, index).of_file(subject.text());
        check_same(&mut title, &before)?;
        let edits = edits(&before, &Target::new(subject.text(), &outline, index, files.emacs()))?;
        finish(files, &subject, guard, &edits, |_| index)
    })
}

/// Checks that a line or a number still names the headline of the first attempt.
pub(super) fn check_same(title: &mut Option<String>, headline: &HeadlineInfo) -> Result<(), OrgError> {
    match title {
        Some(title) if *title != headline.title => {
            Err(OrgError::NotWritten(format!("`{}` has changed since it was read", headline.file)))
        }
        Some(_) => Ok(()),
        None => {
            *title = Some(headline.title.clone());
            Ok(())
        }
    }
}

/// Adds a headline below the one that a URI names, or at the end of the file that it names. It gets an ID.
///
/// # Errors
/// [`OrgError`]
pub fn add(files: &Files<'_>, uri: &str, guard: Guard<'_>, new: &NewHeadline) -> Result<Changed, OrgError> {
    let location = Location::parse(uri)?;
    let id = change::new_id();
    let mut title = None;
    insistently(guard, || {
        let subject = match &location {
            Location::File(name) if new.create => files.open_or_new(name, "")?,
            Location::File(name) => files.open(name).map_err(with_create)?,
            _ => location.open(files)?,
        };
        expect(guard, &subject)?;
        let setup = files::setup(&subject);
        let outline = Outline::read_with(subject.text(), &setup);
        let parent = match location {
            Location::File(_) => None,
            _ => Some(location.find(subject.name(), &outline)?),
        };
        if let Some(parent) = parent {
            check_same(&mut title, &HeadlineInfo::new(subject.name(), &outline, parent))?;
        }
        let edits = match &new.datetree {
            Some(day) => datetree::add(subject.text(), &outline, parent, day, &id, new, files.emacs())?,
            None => change::add_headline(subject.text(), &outline, parent, &id, new, files.emacs())?,
        };
        let has_id = |outline: &Outline<'_>| {
            outline
                .headlines
                .iter()
                .position(|headline| headline.id() == Some(id.as_str()))
                .unwrap_or_default()
        };
        finish(files, &subject, guard, &edits, has_id)
    })
}

/// Says how a file is made that cannot be opened.
fn with_create(error: OrgError) -> OrgError {
    match error {
        OrgError::NoFile(_) => OrgError::NotWritten(format!("{error}; `create` makes a new file")),
        other => other,
    }
}

/// Sets properties of a file itself, or removes those without a value.
///
/// # Errors
/// [`OrgError`]
pub fn set_file_properties(
    files: &Files<'_>,
    uri: &str,
    guard: Guard<'_>,
    properties: &BTreeMap<String, Option<String>>,
) -> Result<FileChange, OrgError> {
    let location = Location::parse(uri)?;
    insistently(guard, || {
        let subject = location.open(files)?;
        expect(guard, &subject)?;
        let setup = files::setup(&subject);
        let edits = change::set_file_properties(subject.text(), &setup, properties)?;
        let text = trial(&subject, &edits)?;
        let mut changes = write_all(files, guard, &[(&subject, text)])?;
        changes.pop().ok_or(OrgError::WholeFile)
    })
}

/// Whether a URI names a whole file.
pub fn is_file(uri: &str) -> bool {
    matches!(Location::parse(uri), Ok(Location::File(_)))
}

/// Removes a headline with everything below it. `current_title` is what it must be called.
///
/// # Errors
/// [`OrgError`]
pub fn delete(
    files: &Files<'_>,
    uri: &str,
    guard: Guard<'_>,
    current_title: Option<&str>,
) -> Result<FileChange, OrgError> {
    let location = Location::parse(uri)?;
    let mut title = None;
    insistently(guard, || {
        let subject = location.open(files)?;
        expect(guard, &subject)?;
        let setup = files::setup(&subject);
        let outline = Outline::read_with(subject.text(), &setup);
        let index = location.find(subject.name(), &outline)?;
        let headline = HeadlineInfo::new(subject.name(), &outline, index);
        check_same(&mut title, &headline)?;
        check_title(&headline, current_title)?;
        let edits = Target::new(subject.text(), &outline, index, files.emacs()).delete();
        let text = trial(&subject, &edits)?;
        let staying = subtree::without(&outline.headlines, &subtree::positions(&outline, index));
        let read = Outline::read_with(&text, &setup);
        subtree::check_staying(staying, &read.headlines, "without", subject.name())?;
        let mut changes = write_all(files, guard, &[(&subject, text)])?;
        changes.pop().ok_or(OrgError::WholeFile)
    })
}

/// Checks the title of a headline, if a client says what it takes it for.
///
/// # Errors
/// [`OrgError::Invalid`]
pub fn check_title(headline: &HeadlineInfo, current: Option<&str>) -> Result<(), OrgError> {
    match current {
        Some(current) if title::name(current) != title::name(&headline.title) => Err(OrgError::invalid(
            format!("title mismatch: expected `{}`, found `{}`", OrgError::shown(current), headline.title),
        )),
        _ => Ok(()),
    }
}

/// How the place of a headline in the outline changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Move {
    /// One star less, with all below it.
    Promote,
    /// One star more, with all below it.
    Demote,
    /// Before the headline of the same level above it.
    Up,
    /// After the headline of the same level below it.
    Down,
}

/// Changes the place of a headline with everything below it.
///
/// # Errors
/// [`OrgError`]
pub fn restructure(files: &Files<'_>, uri: &str, guard: Guard<'_>, how: Move) -> Result<Changed, OrgError> {
    let location = Location::parse(uri)?;
    let mut title = None;
    insistently(guard, || {
        let subject = location.open(files)?;
        expect(guard, &subject)?;
        let setup = files::setup(&subject);
        let outline = Outline::read_with(subject.text(), &setup);
        let index = location.find(subject.name(), &outline)?;
        check_same(&mut title, &HeadlineInfo::new(subject.name(), &outline, index))?;
        let target = Target::new(subject.text(), &outline, index, files.emacs());
        let edits = match how {
            Move::Promote => target.change_level(false)?,
            Move::Demote => target.change_level(true)?,
            Move::Up => target.shift(Direction::Up)?,
            Move::Down => target.shift(Direction::Down)?,
        };
        let new = match how {
            Move::Promote | Move::Demote => index,
            Move::Up => subtree::sibling_before(&outline, index).unwrap_or(index),
            Move::Down => {
                let other = subtree::positions(&outline, index).end;
                index + subtree::positions(&outline, other.min(outline.headlines.len() - 1)).len()
            }
        };
        finish(files, &subject, guard, &edits, |_| new)
    })
}

/// What is done with the clock of a headline.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClockAction {
    /// Starts it.
    Start,
    /// Stops it.
    Stop,
    /// Removes it.
    Cancel,
}

/// Starts, stops, or removes the clock of a headline.
///
/// # Errors
/// [`OrgError`]
pub fn clock(
    files: &Files<'_>,
    uri: &str,
    guard: Guard<'_>,
    action: ClockAction,
) -> Result<Changed, OrgError> {
    let now = Moment::now();
    change(files, uri, guard, |_, target| match action {
        ClockAction::Start => target.clock_in(now),
        ClockAction::Stop => target.clock_out(now),
        ClockAction::Cancel => target.clock_cancel(),
    })
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
    files: &Files<'_>,
    subject: &Subject<'_>,
    guard: Guard<'_>,
    edits: &[Edit],
    find: impl Fn(&Outline<'_>) -> usize,
) -> Result<Changed, OrgError> {
    let text = trial(subject, edits)?;
    let writes = !guard.dry_run && text != subject.text();
    if writes {
        check_not_locked(subject)?;
        files.put(subject, &text)?;
    }
    let setup = files::setup(subject);
    let outline = Outline::read_with(&text, &setup);
    let index = find(&outline).min(outline.headlines.len().saturating_sub(1));
    Ok(Changed {
        written: writes,
        hash: hash(if writes { &text } else { subject.text() }),
        diff: diff(subject.name(), subject.text(), &text),
        headline: HeadlineInfo::new(subject.name(), &outline, index).of_file(&text),
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
