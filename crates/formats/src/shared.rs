//! What the documents of a project share with each other: names that one declares and others refer to or must
//! not repeat. Only names, where they are, and the values that packs name for them are kept, so that the memory for a file
//! does not depend on its size.

use std::{collections::HashMap, sync::Arc};

use serde_json::Value;

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
    /// Where the name is declared.
    place: Place,
    /// What other documents can look up of the declaration, where a rule does.
    values: Option<Arc<Value>>,
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
        Self { slot: Arc::clone(slot), name: name.into(), place, values: None }
    }

    /// Adds what other documents can look up of the declaration.
    #[must_use]
    pub fn with_values(self, values: Option<&Arc<Value>>) -> Self {
        Self { values: values.cloned(), ..self }
    }
}

/// A declaration of a name: the number of its file, its place, and what can be looked up of it.
#[derive(Debug)]
struct Site {
    file: u32,
    place: Place,
    values: Option<Arc<Value>>,
}

/// Names with their declarations.
type Slot = HashMap<Box<str>, Vec<Site>>;

/// A declaration that was looked up.
#[derive(Debug, Clone, Copy)]
pub struct Entry<'n> {
    names: &'n SharedNames,
    site: &'n Site,
}

impl<'n> Entry<'n> {
    /// What the pack makes known of the declaration, with its file.
    pub fn values(self) -> &'n Arc<Value> {
        static NOTHING: Once<Arc<Value>> = Once::new();
        self.site.values.as_ref().unwrap_or_else(|| NOTHING.get_or_init(|| Arc::new(Value::Null)))
    }

    /// Where the declaration is.
    pub fn location(self) -> Location {
        self.names.location(self.site)
    }
}

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
                let site = Site { file: number, place: one.place, values: one.values.clone() };
                names.entry(one.name.clone()).or_default().push(site);
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
                    .flat_map(|(name, sites)| sites.iter().map(move |site| (name, site)))
                    .map(|(name, Site { file, place, values })| {
                        let values = values.as_ref().map(ToString::to_string).unwrap_or_default();
                        format!("{slot}\0{name}\0{}\0{place:?}\0{values}", self.key(*file))
                    })
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
        self.sites(slot, name).iter().any(|site| self.key(site.file) != own)
    }

    /// Where the name is declared first, if that is in a file before the one that the configuration calls `own`.
    pub fn earlier(&self, slot: &str, name: &str, own: &str) -> Option<Location> {
        let site = self.sites(slot, name).first()?;
        (self.key(site.file) < own).then(|| self.location(site))
    }

    /// Where another file declares the name.
    pub fn elsewhere(&self, slot: &str, name: &str, own: &str) -> Option<Location> {
        self.sites(slot, name).iter().find(|site| self.key(site.file) != own).map(|site| self.location(site))
    }

    /// The declarations of a name in files other than the one that the configuration calls `own`.
    pub fn others<'n>(
        &'n self,
        slot: &str,
        name: &str,
        own: &str,
    ) -> impl Iterator<Item = Entry<'n>> + use<'n> {
        let own = self.files.binary_search_by(|(key, _)| key.as_str().cmp(own)).ok();
        self.all(slot, name).filter(move |entry| Some(entry.site.file as usize) != own)
    }

    /// The declarations of a name.
    pub fn all<'n>(&'n self, slot: &str, name: &str) -> impl Iterator<Item = Entry<'n>> + use<'n> {
        self.sites(slot, name).iter().map(|site| Entry { names: self, site })
    }

    /// How many declarations of a name there are.
    pub fn count(&self, slot: &str, name: &str) -> usize {
        self.sites(slot, name).len()
    }

    /// Where a name is declared outside of a part of a file, of a file's own names.
    pub fn outside(&self, slot: &str, name: &str, part: Span) -> Option<Location> {
        let is_outside = |place: &Place| place.span.start < part.start || place.span.end > part.end;
        let site = self.sites(slot, name).iter().find(|site| is_outside(&site.place))?;
        Some(self.location(site))
    }

    /// Where a name is declared before a part of a file, of a file's own names.
    pub fn before(&self, slot: &str, name: &str, part: Span) -> Option<Location> {
        let site = self.sites(slot, name).iter().find(|site| site.place.span.start < part.start)?;
        Some(self.location(site))
    }

    /// The names that are declared.
    pub fn names(&self, slot: &str) -> impl Iterator<Item = &str> {
        self.slots.get(slot).into_iter().flat_map(|names| names.keys().map(AsRef::as_ref))
    }

    fn sites(&self, slot: &str, name: &str) -> &[Site] {
        self.slots.get(slot).and_then(|names| names.get(name)).map(Vec::as_slice).unwrap_or_default()
    }

    fn key(&self, file: u32) -> &str {
        self.files.get(file as usize).map_or("", |(key, _)| key)
    }

    fn location(&self, site: &Site) -> Location {
        let Place { line, column, end_line, end_column, span } = site.place;
        let file = self.files.get(site.file as usize).map(|(_, name)| name.clone()).unwrap_or_default();
        Location::elsewhere(file, [line, column], [end_line, end_column], span)
    }
}
