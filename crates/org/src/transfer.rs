//! Moving a headline with everything below it: to another place, or into the archive.
//!
//! Where two files change, both are written together, and the one that the subtree goes to first: whatever happens in
//! between, nothing is lost, and nothing is there twice after the next call.

use schemars::JsonSchema;
use serde::Serialize;

use super::{
    archive::{self, Archive},
    change::Target,
    emacs::{self, Buffer},
    files::{self, Files, OrgError},
    guarded::{self, FileChange, Guard},
    headline::HeadlineInfo,
    subtree,
    uri::Location,
};
use crate::{
    kinds::org::{Headline, Outline},
    project::Subject,
    text::{Edit, Span, apply_edits},
};

/// A headline that was moved.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Moved {
    /// The files that change: the one that it is in now, and the one that it was in.
    pub files: Vec<FileChange>,
    /// The headline where it is now.
    pub headline: HeadlineInfo,
}

/// Moves a headline to the end of what is below another one, or to the end of a file.
///
/// # Errors
/// [`OrgError`]
pub fn refile(files: &Files<'_>, uri: &str, target_uri: &str, guard: Guard<'_>) -> Result<Moved, OrgError> {
    // A line or a number may name another headline after what others write.
    if [uri, target_uri].iter().any(|uri| uri.contains('?')) {
        return try_refile(files, uri, target_uri, guard);
    }
    guarded::insistently(guard, || try_refile(files, uri, target_uri, guard))
}

fn try_refile(files: &Files<'_>, uri: &str, target_uri: &str, guard: Guard<'_>) -> Result<Moved, OrgError> {
    let (location, target) = (Location::parse(uri)?, Location::parse(target_uri)?);
    let from = location.open(files)?;
    guarded::expect(guard, &from)?;
    let to = target.open(files)?;
    let setup = files::setup(&from);
    let outline = Outline::read_with(from.text(), &setup);
    let index = location.find(from.name(), &outline)?;
    check_moves(&outline.headlines[index])?;
    if files.emacs().is_some() {
        let below = match target {
            Location::File(_) => None,
            _ => {
                let setup = files::setup(&to);
                let outline = Outline::read_with(to.text(), &setup);
                let below = target.find(to.name(), &outline)?;
                subtree::check_not_inline(&outline.headlines[below], subtree::HAS_NONE_BELOW)?;
                Some(below)
            }
        };
        return refile_as_emacs(
            files,
            guard,
            &Source { subject: &from, outline: &outline, index },
            to,
            below,
        );
    }
    let place = match target {
        Location::File(_) => Place { at: to.text().len(), level: 1, heading: None },
        _ => {
            let setup = files::setup(&to);
            let outline = Outline::read_with(to.text(), &setup);
            let below = target.find(to.name(), &outline)?;
            let headline = &outline.headlines[below];
            subtree::check_not_inline(headline, subtree::HAS_NONE_BELOW)?;
            check_outside(&from, &outline, index, &to, below)?;
            Place {
                at: headline.section.end as usize,
                level: emacs::level_below(to.text(), headline.level),
                heading: None,
            }
        }
    };
    let section = outline.headlines[index].section;
    transfer(
        files,
        guard,
        &Source { subject: &from, outline: &outline, index },
        to,
        &place,
        section.of(from.text()),
    )
}

/// Moves a headline into the archive of its file, with properties that say where it was.
///
/// # Errors
/// [`OrgError`]
pub fn archive(files: &Files<'_>, uri: &str, guard: Guard<'_>) -> Result<Moved, OrgError> {
    if uri.contains('?') {
        return try_archive(files, uri, guard);
    }
    guarded::insistently(guard, || try_archive(files, uri, guard))
}

fn try_archive(files: &Files<'_>, uri: &str, guard: Guard<'_>) -> Result<Moved, OrgError> {
    let location = Location::parse(uri)?;
    let from = location.open(files)?;
    guarded::expect(guard, &from)?;
    let setup = files::setup(&from);
    let outline = Outline::read_with(from.text(), &setup);
    let index = location.find(from.name(), &outline)?;
    check_moves(&outline.headlines[index])?;
    let goal = Archive::of(from.name(), from.text(), &outline, index)?;
    if files.emacs().is_some() {
        let to = files.open_or_new(&goal.file, "")?;
        return archive_as_emacs(
            files,
            guard,
            &Source { subject: &from, outline: &outline, index },
            to,
            &goal,
        );
    }
    let to = files.open_or_new(&goal.file, &archive::settings(from.text()))?;
    let place = match &goal.heading {
        None => Place { at: to.text().len(), level: 1, heading: None },
        Some((level, title)) => {
            let setup = files::setup(&to);
            let outline = Outline::read_with(to.text(), &setup);
            let known =
                outline.headlines.iter().find(|headline| headline.level == *level && headline.title == title);
            match known {
                Some(known) => {
                    let inside = from.name() == to.name()
                        && subtree::positions(&outline, index)
                            .any(|at| outline.headlines[at].span == known.span);
                    if inside {
                        return Err(OrgError::invalid("a headline cannot be archived below itself"));
                    }
                    Place { at: known.section.end as usize, level: level + 1, heading: None }
                }
                None => {
                    let heading = format!("{} {title}", "*".repeat(*level));
                    Place { at: to.text().len(), level: level + 1, heading: Some(heading) }
                }
            }
        }
    };
    let text = outline.headlines[index].section.of(from.text());
    let properties = archive::properties(from.name(), from.text(), &outline, index);
    let own = Outline::read_with(text, outline.setup());
    let properties = properties.into_iter().map(|(key, value)| (key.to_owned(), Some(value))).collect();
    let edits = Target::new(text, &own, 0, None).set_properties(&properties)?;
    let text = apply_edits(text, &edits).map_err(|error| OrgError::invalid(error.to_string()))?;
    transfer(files, guard, &Source { subject: &from, outline: &outline, index }, to, &place, &text)
}

/// Checks that a headline can be moved.
fn check_moves(headline: &Headline<'_>) -> Result<(), OrgError> {
    subtree::check_not_inline(headline, "is moved only with the headline that it is below")
}

/// Checks that a headline is not moved below itself.
fn check_outside(
    from: &Subject<'_>,
    outline: &Outline<'_>,
    index: usize,
    to: &Subject<'_>,
    below: usize,
) -> Result<(), OrgError> {
    if from.name() == to.name() && subtree::positions(outline, index).contains(&below) {
        return Err(OrgError::invalid("a headline cannot be moved below itself"));
    }
    Ok(())
}

/// Moves a headline as Emacs does it (`org-refile`).
fn refile_as_emacs(
    files: &Files<'_>,
    guard: Guard<'_>,
    source: &Source<'_, '_>,
    to: Subject<'_>,
    below: Option<usize>,
) -> Result<Moved, OrgError> {
    if let Some(below) = below {
        check_outside(source.subject, source.outline, source.index, &to, below)?;
    }
    move_as_emacs(files, guard, source, to, true, |buffer, subtree| {
        let below = below.map(|below| emacs::entry_of(buffer, below));
        let (at, level) = below.map_or((buffer.text().len(), 1), |(section, level)| {
            (section.end, emacs::level_below(buffer.text(), level))
        });
        let start = emacs::paste(buffer, at, subtree, level);
        if let Some(emacs) = files.emacs() {
            emacs::store_refile(buffer, start, &emacs);
        }
        emacs::align_at(buffer, start);
        start
    })
}

/// Archives a headline as Emacs does it (`org-archive-subtree`).
fn archive_as_emacs(
    files: &Files<'_>,
    guard: Guard<'_>,
    source: &Source<'_, '_>,
    to: Subject<'_>,
    goal: &Archive,
) -> Result<Moved, OrgError> {
    let (from, outline) = (source.subject, source.outline);
    let heading = goal.heading.as_ref().map(|(level, title)| format!("{} {title}", "*".repeat(*level)));
    let to_setup = files::setup(&to);
    let known =
        heading.as_ref().and_then(|heading| emacs::find_heading(&Buffer::new(to.text(), &to_setup), heading));
    if let Some(known) = known {
        check_outside(from, outline, source.index, &to, known)?;
    }
    let full = files.full_path(from.name());
    let tags = (from.name() == to.name()).then(|| {
        let mut tags = archive::inherited_tags(outline, source.index);
        tags.extend(outline.headlines[source.index].tags.iter().filter(|tag| !tag.is_empty()));
        tags
    });
    let place = emacs::Goal {
        heading: heading.as_deref(),
        header: (!to.is_file()).then(|| emacs::archive_header(&full, to.name())),
        tags: tags.filter(|tags| tags.len() > outline.headlines[source.index].tags.len()),
        properties: archive::properties(&emacs::abbreviated(&full), from.text(), outline, source.index),
    };
    move_as_emacs(files, guard, source, to, false, |buffer, subtree| emacs::archive(buffer, subtree, &place))
}

/// Moves a subtree: `put` puts it into the document that it goes to, and says where it begins there.
fn move_as_emacs(
    files: &Files<'_>,
    guard: Guard<'_>,
    source: &Source<'_, '_>,
    to: Subject<'_>,
    is_refile: bool,
    put: impl FnOnce(&mut Buffer, &str) -> usize,
) -> Result<Moved, OrgError> {
    let (from, moved) = (source.subject, subtree::positions(source.outline, source.index));
    let setup = files::setup(&to);
    let mut target = Buffer::new(to.text(), &setup);
    let mut rest = Buffer::new(from.text(), source.outline.setup());
    // They belong to the file, though they are below its last headline.
    let variables = rest.take_local_variables();
    let (section, _) = emacs::entry_of(&rest, source.index);
    let subtree = rest.text()[section.clone()].to_owned();
    let before = target.text().len();
    let start = put(&mut target, &subtree);
    let inserted = target.text().len().saturating_sub(before);
    let is_same = from.name() == to.name();
    let document = if is_same { &mut target } else { &mut rest };
    let variables = if is_same { document.take_local_variables() } else { variables };
    let own = section.start + if is_same && start <= section.start { inserted } else { 0 };
    emacs::cut(document, own);
    let start = if is_same && own < start { start - section.len() } else { start };
    if let Some(variables) = variables {
        document.append(&variables);
    }
    let length = document.text().len();
    if !is_refile {
        emacs::after_cut(document, own);
    }
    // Cookies of headlines above may have become longer or shorter.
    let start = if is_same && own < start { start + document.text().len() - length } else { start };
    let first = emacs::index_at(&target, start);
    let new = guarded::trial(&to, &target.saved(to.text()))?;
    let outline = Outline::read_with(&new, &setup);
    let headline = HeadlineInfo::new(to.name(), &outline, first);
    if is_same {
        return Ok(Moved { files: guarded::write_all(files, guard, &[(&to, new)])?, headline });
    }
    if is_refile {
        let arrived = outline.headlines.get(first..first + moved.len()).unwrap_or_default();
        subtree::check_reading(&source.outline.headlines[moved.clone()], arrived, to.name())?;
    }
    let removal = rest.saved(from.text());
    Ok(Moved { files: write_both(files, guard, source, &removal, (&to, new))?, headline })
}

/// Writes the file that a subtree goes to, with its new text, and the one that it is removed from.
fn write_both(
    files: &Files<'_>,
    guard: Guard<'_>,
    source: &Source<'_, '_>,
    removal: &[Edit],
    (to, new): (&Subject<'_>, String),
) -> Result<Vec<FileChange>, OrgError> {
    let (from, moved) = (source.subject, subtree::positions(source.outline, source.index));
    let rest = guarded::trial(from, removal)?;
    let staying = subtree::without(&source.outline.headlines, &moved);
    let setup = files::setup(from);
    let read = Outline::read_with(&rest, &setup);
    subtree::check_staying(staying, &read.headlines, "without", from.name())?;
    guarded::write_all(files, guard, &[(to, new), (from, rest)])
}

/// Where a subtree goes.
struct Place {
    /// Offset in the text of the file.
    at: usize,
    level: usize,
    /// A headline that is put before it.
    heading: Option<String>,
}

/// The subtree that moves.
struct Source<'s, 'p> {
    subject: &'s Subject<'p>,
    outline: &'s Outline<'s>,
    index: usize,
}

/// Moves a subtree, with `text` as its new text.
fn transfer(
    files: &Files<'_>,
    guard: Guard<'_>,
    source: &Source<'_, '_>,
    to: Subject<'_>,
    place: &Place,
    text: &str,
) -> Result<Moved, OrgError> {
    let (from, moved) = (source.subject, subtree::positions(source.outline, source.index));
    let section = source.outline.headlines[source.index].section;
    let removal = Edit { span: section, new: String::new() };
    let mut lines = place.heading.iter().map(|heading| heading.clone() + "\n").collect::<String>();
    let inline_tasks = source.outline.settings.inline_tasks;
    lines.push_str(&subtree::at_level(text, place.level, inline_tasks)?);
    let before = to.text()[..place.at].ends_with('\n') || place.at == 0;
    let lines = subtree::as_lines_of(&lines, to.text());
    let lines = if before { lines } else { format!("{}{lines}", line_break(to.text())) };
    let insertion = Edit { span: Span::at(place.at), new: lines };
    let same = from.name() == to.name();
    let setup = files::setup(&to);
    let target_outline = Outline::read_with(to.text(), &setup);
    let is_before = |index: &usize| {
        let gone = same && moved.contains(index);
        (target_outline.headlines[*index].span.start as usize) < place.at && !gone
    };
    let first =
        (0..target_outline.headlines.len()).filter(is_before).count() + usize::from(place.heading.is_some());
    if same {
        let mut edits = vec![removal, insertion];
        edits.sort_by_key(|edit| edit.span);
        let text = guarded::trial(&to, &edits)?;
        let headline = HeadlineInfo::new(to.name(), &Outline::read_with(&text, &setup), first);
        return Ok(Moved { files: guarded::write_all(files, guard, &[(&to, text)])?, headline });
    }
    let new = guarded::trial(&to, &[insertion])?;
    let outline = Outline::read_with(&new, &setup);
    let arrived = outline.headlines.get(first..first + moved.len()).unwrap_or_default();
    subtree::check_reading(&source.outline.headlines[moved.clone()], arrived, to.name())?;
    let added = first - usize::from(place.heading.is_some())..first + moved.len();
    let known = subtree::without(&outline.headlines, &added);
    subtree::check_staying(&target_outline.headlines, known, "with", to.name())?;
    let headline = HeadlineInfo::new(to.name(), &outline, first);
    Ok(Moved { files: write_both(files, guard, source, &[removal], (&to, new))?, headline })
}

fn line_break(text: &str) -> &'static str {
    if text.contains("\r\n") { "\r\n" } else { "\n" }
}
