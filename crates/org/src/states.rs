//! Changing the TODO keywords of many headlines in one call: each file is opened, read, and written once, however many of its
//! headlines change.

use std::{cell::OnceCell, collections::HashMap};

use super::{
    change,
    files::{self, Files, OrgError},
    guarded::{self, FileChange, Guard},
    locate,
    uri::{Location, Names},
};
use crate::{
    kinds::org::{Outline, Setup},
    project::Subject,
};

/// The URI of a headline, its keyword now, and the new one.
type StateChange = (String, String, String);

/// A file that was opened, with what changes in it.
struct Opened<'p, 'c> {
    subject: Subject<'p>,
    /// The lines of the headlines with each ID.
    ids: OnceCell<HashMap<String, Vec<u32>>>,
    changes: Vec<(Location, &'c StateChange)>,
}

/// The files of a call.
#[derive(Default)]
struct All<'p, 'c> {
    opened: Vec<Opened<'p, 'c>>,
    by_name: HashMap<String, usize>,
}

/// Changes the TODO keywords of several headlines: of all of them, or of none. Each is the URI of a headline, its
/// keyword now and the new one.
///
/// # Errors
/// [`OrgError`] for the first that cannot be changed; nothing is written then.
pub fn change_states(
    files: &Files<'_>,
    guard: Guard<'_>,
    changes: &[StateChange],
) -> Result<Vec<FileChange>, OrgError> {
    guarded::insistently(guard, || try_states(files, guard, changes))
}

fn try_states(
    files: &Files<'_>,
    guard: Guard<'_>,
    changes: &[StateChange],
) -> Result<Vec<FileChange>, OrgError> {
    let (mut all, mut order) = (All::default(), Vec::new());
    for change in changes {
        let location = Location::parse(&change.0)?;
        let at = match &location {
            Location::Id(id) => all.with_id(files, id)?,
            Location::File(name)
            | Location::Headline { file: name, .. }
            | Location::Line { file: name, .. } => all.named(name, || files.open(name))?,
        };
        let changes = &mut all.opened[at].changes;
        if changes.is_empty() {
            order.push(at);
        }
        changes.push((location, change));
    }
    let emacs = files.emacs();
    let mut tried = Vec::new();
    for at in order {
        let Opened { subject, changes, .. } = &all.opened[at];
        guarded::expect(guard, subject)?;
        let setup = files::setup(subject);
        let changes = indexes(subject, &setup, changes)?;
        // One after the other, since a change may concern the headlines around.
        let edits = change::set_states(subject.text(), &setup, &changes, emacs.as_ref())?;
        tried.push((subject, guarded::trial(subject, &edits)?));
    }
    guarded::write_all(files, guard, &tried)
}

impl<'p> All<'p, '_> {
    /// The position of the file of this name, which is opened if it was not.
    fn named(
        &mut self,
        name: &str,
        open: impl FnOnce() -> Result<Subject<'p>, OrgError>,
    ) -> Result<usize, OrgError> {
        if let Some(at) = self.by_name.get(name) {
            return Ok(*at);
        }
        let subject = open()?;
        // A file may be called in several ways.
        let at = *self.by_name.entry(subject.name().to_owned()).or_insert(self.opened.len());
        self.by_name.insert(name.to_owned(), at);
        if at == self.opened.len() {
            self.opened.push(Opened { subject, ids: OnceCell::new(), changes: Vec::new() });
        }
        Ok(at)
    }

    /// The position of the only file that has a headline with an ID.
    fn with_id(&mut self, files: &Files<'p>, id: &str) -> Result<usize, OrgError> {
        let mut found = Vec::new();
        for listed in files.listed_with_id(id) {
            let open =
                || files.subject(listed.input.clone()).map_err(|_| OrgError::NoId(OrgError::shown(id)));
            // What cannot be read has no headlines.
            let Ok(at) = self.named(&listed.name, open) else { continue };
            let lines = self.opened[at].lines_with(id);
            if !lines.is_empty() {
                found.push((at, lines.to_vec()));
            }
        }
        let candidates =
            found.iter().map(|(at, lines)| (self.opened[*at].subject.name(), lines.as_slice())).collect();
        locate::only(id, candidates).map(|found_at| found[found_at].0)
    }
}

impl Opened<'_, '_> {
    /// The lines of the headlines with an ID.
    fn lines_with(&self, id: &str) -> &[u32] {
        let ids = self.ids.get_or_init(|| {
            let outline = Outline::read(self.subject.text());
            let mut ids: HashMap<String, Vec<u32>> = HashMap::new();
            for headline in &outline.headlines {
                if let Some(id) = headline.id() {
                    ids.entry(id.to_owned()).or_default().push(headline.line);
                }
            }
            ids
        });
        ids.get(id).map_or(&[], Vec::as_slice)
    }
}

/// The headlines of a file that change, by their indexes in the order of the file, with their new keywords.
fn indexes<'c>(
    subject: &Subject<'_>,
    setup: &Setup,
    changes: &[(Location, &'c StateChange)],
) -> Result<Vec<(usize, &'c str)>, OrgError> {
    let outline = Outline::read_with(subject.text(), setup);
    let names = Names::of(&outline);
    let mut found = Vec::new();
    for (location, (uri, current, new)) in changes {
        let index = location.find_by(subject.name(), &names)?;
        let actual = outline.headlines[index].todo.unwrap_or_default();
        if actual != current {
            let (uri, current) = (OrgError::shown(uri), OrgError::shown(current));
            return Err(OrgError::invalid(format!(
                "state mismatch at {uri}: expected `{current}`, found `{actual}`; nothing is changed"
            )));
        }
        found.push((index, new.as_str()));
    }
    found.sort_unstable();
    if let Some(twice) = found.windows(2).find(|pair| pair[0].0 == pair[1].0) {
        let title = OrgError::shown(outline.headlines[twice[0].0].title);
        return Err(OrgError::invalid(format!("the headline `{title}` is named twice; nothing is changed")));
    }
    Ok(found)
}
