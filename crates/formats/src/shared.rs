//! What the documents of a project share with each other: names that one declares and others refer to or must
//! not repeat. Only names and where they are is kept, so that the memory for a file does not depend on its size.

use std::{collections::HashMap, sync::Arc};

use crate::{
    budget::Once,
    diagnostic::Location,
    text::{Fingerprint, Source, SourceId, Span},
};

/// A name that a document declares.
#[derive(Debug, Clone)]
pub struct SharedName {
    /// What declares it: a rule, or a symbol table of a pack.
    pub slot: Arc<str>,
    /// The name.
    pub name: Box<str>,
    /// Where it is.
    place: Place,
}

/// Where a name is: a location without its file.
#[derive(Debug, Clone, Copy)]
struct Place {
    line: u32,
    column: u32,
    end_line: u32,
    end_column: u32,
    span: Span,
}

impl SharedName {
    pub fn new(slot: &Arc<str>, name: &str, source: &Source, span: Span) -> Self {
        let Location { line, column, end_line, end_column, .. } = Location::of(source, SourceId(0), span);
        let place = Place { line, column, end_line, end_column, span };
        Self { slot: Arc::clone(slot), name: name.into(), place }
    }
}

/// Names with the files and places that declare them.
type Slot = HashMap<Box<str>, Vec<(u32, Place)>>;

/// The names of all documents of a project.
#[derive(Debug, Default)]
pub struct SharedNames {
    /// Each file: how the configuration and how reports call it, in the order of the former.
    files: Vec<(String, String)>,
    /// By what declares a name, and by the name: files and places, in the order of the files.
    slots: HashMap<Arc<str>, Slot>,
    fingerprint: Once<String>,
}

impl SharedNames {
    /// The names of these files: how the configuration and how reports call each, and what it declares.
    pub fn of<'n>(files: impl IntoIterator<Item = (String, String, &'n [SharedName])>) -> Self {
        let mut all = Self::default();
        let mut files: Vec<_> = files.into_iter().collect();
        files.sort_by(|a, b| a.0.cmp(&b.0));
        for (key, name, declared) in files {
            let number = all.files.len() as u32;
            all.files.push((key, name));
            for one in declared {
                let names = all.slots.entry(Arc::clone(&one.slot)).or_default();
                names.entry(one.name.clone()).or_default().push((number, one.place));
            }
        }
        all
    }

    /// A hash of all names and of where they are.
    pub fn fingerprint(&self) -> &str {
        self.fingerprint.get_or_init(|| {
            let declared = |(slot, names): (&Arc<str>, &Slot)| {
                let mut sites: Vec<String> = names
                    .iter()
                    .flat_map(|(name, sites)| sites.iter().map(move |(file, place)| (name, file, place)))
                    .map(|(name, file, place)| format!("{slot}\0{name}\0{}\0{place:?}", self.key(*file)))
                    .collect();
                sites.sort_unstable();
                sites
            };
            let mut all: Vec<Vec<String>> = self.slots.iter().map(declared).collect();
            all.sort_unstable();
            let mut hash = Fingerprint::new();
            for site in all.iter().flatten() {
                hash.add(site);
            }
            hash.hex()
        })
    }

    /// Whether a file other than the one that the configuration calls `own` declares the name.
    pub fn is_declared(&self, slot: &str, name: &str, own: &str) -> bool {
        self.sites(slot, name).iter().any(|(file, _)| self.key(*file) != own)
    }

    /// Where the name is declared first, if that is in a file before the one that the configuration calls `own`.
    pub fn earlier(&self, slot: &str, name: &str, own: &str) -> Option<Location> {
        let (file, place) = self.sites(slot, name).first()?;
        (self.key(*file) < own).then(|| self.location(*file, *place))
    }

    /// Where another file declares the name.
    pub fn elsewhere(&self, slot: &str, name: &str, own: &str) -> Option<Location> {
        let (file, place) = self.sites(slot, name).iter().find(|(file, _)| self.key(*file) != own)?;
        Some(self.location(*file, *place))
    }

    /// Where a name is declared outside of a part of a file, of a file's own names.
    pub fn outside(&self, slot: &str, name: &str, part: Span) -> Option<Location> {
        let is_outside = |place: &Place| place.span.start < part.start || place.span.end > part.end;
        let (file, place) = self.sites(slot, name).iter().find(|(_, place)| is_outside(place))?;
        Some(self.location(*file, *place))
    }

    /// Where a name is declared before a part of a file, of a file's own names.
    pub fn before(&self, slot: &str, name: &str, part: Span) -> Option<Location> {
        let (file, place) = self.sites(slot, name).iter().find(|(_, place)| place.span.start < part.start)?;
        Some(self.location(*file, *place))
    }

    /// The names that are declared.
    pub fn names(&self, slot: &str) -> impl Iterator<Item = &str> {
        self.slots.get(slot).into_iter().flat_map(|names| names.keys().map(AsRef::as_ref))
    }

    fn sites(&self, slot: &str, name: &str) -> &[(u32, Place)] {
        self.slots.get(slot).and_then(|names| names.get(name)).map(Vec::as_slice).unwrap_or_default()
    }

    fn key(&self, file: u32) -> &str {
        self.files.get(file as usize).map_or("", |(key, _)| key)
    }

    fn location(&self, file: u32, place: Place) -> Location {
        let Place { line, column, end_line, end_column, span } = place;
        let file = self.files.get(file as usize).map(|(_, name)| name.clone()).unwrap_or_default();
        Location::elsewhere(file, [line, column], [end_line, end_column], span)
    }
}
