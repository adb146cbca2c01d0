use std::{collections::HashMap, fmt, path::Path, sync::Arc};

use super::{FenceKinds, Kind, made_by_template};

/// Document kinds, found by name, by file name and by fence language.
#[derive(Clone, Default)]
pub struct Kinds {
    all: Vec<Arc<dyn Kind>>,
    /// Globs of file names in lower case, and the position of their kind.
    globs: Vec<(String, usize)>,
    /// Positions by fence language.
    languages: HashMap<String, usize>,
}

impl Kinds {
    /// Adds a kind. It takes the place of one of the same name, and goes before the others where two
    /// kinds want the same file name or fence language.
    pub fn add(&mut self, kind: Arc<dyn Kind>) {
        let known = self.all.iter().position(|known| known.name() == kind.name());
        let position = known.unwrap_or(self.all.len());
        self.globs.retain(|(_, of)| *of != position);
        self.languages.retain(|_, of| *of != position);
        self.globs.extend(kind.globs().into_iter().map(|glob| (glob.to_lowercase(), position)));
        self.languages.extend(kind.languages().into_iter().map(|language| (language.to_owned(), position)));
        match known {
            Some(position) => self.all[position] = kind,
            None => self.all.push(kind),
        }
    }

    /// A copy with further kinds, which replace kinds of the same name.
    #[must_use]
    pub fn with(&self, further: &Self) -> Self {
        let mut kinds = self.clone();
        further.iter().for_each(|kind| kinds.add(Arc::clone(kind)));
        kinds
    }

    /// All kinds, in the order in which they were added.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<dyn Kind>> {
        self.all.iter()
    }

    /// The names of all kinds, in the order in which they were added.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.all.iter().map(|kind| kind.name())
    }

    /// The kind of this name.
    pub fn get(&self, name: &str) -> Option<&Arc<dyn Kind>> {
        self.all.iter().find(|kind| kind.name() == name)
    }

    /// The kind that reads fences of this language, given in lower case.
    pub fn for_language(&self, language: &str) -> Option<&Arc<dyn Kind>> {
        self.languages.get(language).map(|position| &self.all[*position])
    }

    /// The kind of a file: by its content where a kind is sure, else by its name.
    pub fn for_path(&self, path: &Path, text: &str) -> Option<&Arc<dyn Kind>> {
        self.detect(path, text).or_else(|| self.named(path, |kind| !kind.disowns(text)))
    }

    /// The kind that the name of a file shows.
    pub fn for_name(&self, path: &Path) -> Option<&Arc<dyn Kind>> {
        self.named(path, |_| true)
    }

    /// The kind that the name of a file shows, among these.
    fn named(&self, path: &Path, may_be: impl Fn(&dyn Kind) -> bool) -> Option<&Arc<dyn Kind>> {
        let name = path.file_name()?.to_string_lossy().to_lowercase();
        self.of_name(&name, &may_be).or_else(|| {
            let (made, _) = made_by_template(&name)?;
            self.of_name(made, &may_be).filter(|kind| kind.has_templates())
        })
    }

    fn of_name(&self, name: &str, may_be: &impl Fn(&dyn Kind) -> bool) -> Option<&Arc<dyn Kind>> {
        let fitting = self.globs.iter().filter(|(glob, _)| matches(glob, name));
        let fitting = fitting.filter(|(_, position)| may_be(self.all[*position].as_ref()));
        let (_, position) = fitting.max_by_key(|(glob, _)| glob.len())?;
        Some(&self.all[*position])
    }

    /// Whether a file may be a document by its name: some kind has files with that name or with that
    /// extension.
    pub fn may_read(&self, path: &Path) -> bool {
        let Some(name) = path.file_name() else { return false };
        let name = name.to_string_lossy().to_lowercase();
        let extension = name.rsplit_once('.').map(|(_, extension)| extension);
        // Both extensions are those of YAML.
        let extension = if extension == Some("yml") { Some("yaml") } else { extension };
        let is_template = || {
            let kind = made_by_template(&name).and_then(|(made, _)| self.of_name(made, &|_| true));
            kind.is_some_and(|kind| kind.has_templates())
        };
        self.globs.iter().any(|(glob, _)| {
            let of_glob = glob.rsplit_once('.').map(|(_, extension)| extension);
            (of_glob.is_some() && of_glob == extension) || matches(glob, &name)
        }) || is_template()
    }

    /// The kind that recognizes the text, whatever its file is called.
    pub fn detect(&self, path: &Path, text: &str) -> Option<&Arc<dyn Kind>> {
        self.all.iter().find(|kind| kind.detect(path, text))
    }
}

impl FenceKinds for Kinds {
    fn for_language(&self, language: &str) -> Option<&dyn Kind> {
        Self::for_language(self, language).map(AsRef::as_ref)
    }
}

impl FromIterator<Arc<dyn Kind>> for Kinds {
    fn from_iter<I: IntoIterator<Item = Arc<dyn Kind>>>(all: I) -> Self {
        let mut kinds = Self::default();
        all.into_iter().for_each(|kind| kinds.add(kind));
        kinds
    }
}

impl fmt::Debug for Kinds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.names()).finish()
    }
}

/// Whether a file name matches a glob with at most one `*`.
fn matches(glob: &str, name: &str) -> bool {
    match glob.split_once('*') {
        Some((start, end)) => {
            name.len() >= start.len() + end.len() && name.starts_with(start) && name.ends_with(end)
        }
        None => glob == name,
    }
}
