use std::{
    collections::BTreeMap,
    io::{self, ErrorKind},
    path::{Path, PathBuf},
    sync::Arc,
};

use super::{Quill, builtin, manifest::is_name, parse};
use crate::{
    Document,
    budget::Lazy,
    folder::Folder,
    text::{Source, nearest},
};

/// Names of manifests, the first that exists counts.
pub const MANIFESTS: [&str; 2] = ["Quill.yaml", "Quill.toml"];

/// Largest manifest, glue template or example that is read, in bytes.
pub const LARGEST_FILE: usize = 1024 * 1024;

/// The quills there are, by name.
#[derive(Debug, Clone, Default)]
pub struct QuillSet {
    quills: BTreeMap<String, Registered>,
    /// All versions of the quills that have a folder for each, the newest last.
    versions: BTreeMap<String, BTreeMap<Version, Registered>>,
    /// Whether documents may name other quills.
    open: bool,
    /// Whether the built-in quills are among them, where no other has their name.
    builtin: bool,
}

/// A quill with the folder it came from.
#[derive(Debug, Clone)]
pub struct Registered {
    /// The quill.
    pub quill: Arc<Quill>,
    /// Its folder; absent for one that was not loaded from files.
    pub folder: Option<PathBuf>,
}

/// `0.2.0` of a folder; what is missing is zero.
type Version = [u32; 3];

/// Why a quill was left out.
#[derive(Debug)]
pub enum Problem {
    /// Its manifest has errors, which are the document's observations.
    Faults(Box<Document>),
    /// Its folder has no manifest.
    NoManifest(PathBuf),
    /// A file of it cannot be read.
    Unreadable(PathBuf, std::io::Error),
    /// A quill of its name came before.
    Duplicate {
        /// The name.
        name: String,
        /// The folder that was left out.
        folder: PathBuf,
    },
    /// The name it is registered by is not valid.
    BadName {
        /// The name.
        name: String,
        /// The folder that was left out.
        folder: PathBuf,
    },
}

impl QuillSet {
    /// Adds a quill; gives back the one of that name before.
    pub fn insert(&mut self, quill: Quill, folder: Option<PathBuf>) -> Option<Registered> {
        let name = quill.name.clone();
        self.quills.insert(name, Registered { quill: quill.shared(), folder })
    }

    /// Adds a quill of another set; gives back the one of that name before.
    pub fn put(&mut self, registered: Registered) -> Option<Registered> {
        self.quills.insert(registered.quill.name.clone(), registered)
    }

    /// Adds every quill in `folder`: each subfolder with a manifest. A quill with errors is left
    /// out and reported; the others are added.
    pub fn load_all(&mut self, folder: &dyn Folder) -> Vec<Problem> {
        let folders = match folders(folder) {
            Ok(folders) => folders,
            Err(error) => return vec![Problem::Unreadable(folder.path().to_owned(), error)],
        };
        let mut problems = Vec::new();
        for name in folders {
            match folder.below(&name) {
                Ok(below) => match manifest(below.as_ref()) {
                    Some(manifest) => {
                        problems.extend(self.load_manifest(below.as_ref(), manifest, None).err());
                    }
                    None => problems.extend(self.load_versions(below.as_ref())),
                },
                Err(error) => problems.push(Problem::Unreadable(folder.path().join(name), error)),
            }
        }
        problems
    }

    /// Adds the quill in `folder` that has a subfolder for each version: the newest by its name, all by name and
    /// version.
    fn load_versions(&mut self, folder: &dyn Folder) -> Vec<Problem> {
        let names = folders(folder).unwrap_or_default();
        let mut found: Vec<(Version, String)> =
            names.into_iter().filter_map(|name| Some((version(&name)?, name))).collect();
        found.sort();
        let mut problems = Vec::new();
        let mut newest: Option<(String, Version)> = None;
        for (version, name) in found {
            let Ok(below) = folder.below(&name) else { continue };
            let Some(manifest) = manifest(below.as_ref()) else { continue };
            let mut alone = Self::default();
            if let Err(problem) = alone.load_manifest(below.as_ref(), manifest, None) {
                problems.push(problem);
                continue;
            }
            for (name, registered) in alone.quills {
                self.versions.entry(name.clone()).or_default().insert(version, registered);
                newest = Some((name, version));
            }
        }
        let Some((name, version)) = newest else { return problems };
        let registered = self.versions.get(&name).and_then(|versions| versions.get(&version)).cloned();
        match registered {
            Some(registered) if self.quills.contains_key(&name) => {
                problems.push(Problem::Duplicate { name, folder: registered.folder.unwrap_or_default() });
            }
            Some(registered) => _ = self.quills.insert(name, registered),
            None => {}
        }
        problems
    }

    /// Adds the quill in `folder`, by `name` instead of its own where one is given.
    ///
    /// # Errors
    /// The [`Problem`] for which it was left out.
    pub fn load(&mut self, folder: &dyn Folder, name: Option<&str>) -> Result<(), Problem> {
        let missing = || Problem::NoManifest(folder.path().to_owned());
        self.load_manifest(folder, manifest(folder).ok_or_else(missing)?, name)
    }

    fn load_manifest(
        &mut self,
        folder: &dyn Folder,
        (file, text): (&str, io::Result<String>),
        name: Option<&str>,
    ) -> Result<(), Problem> {
        let path = folder.path().join(file);
        let text = text.map_err(|error| Problem::Unreadable(path.clone(), error))?;
        let source = Arc::new(Source::new(display(&path), text));
        self.add(&source, &|file| folder.read(file).ok(), folder.on_disk(), name)
    }

    /// Adds the quill with this manifest, whose other files `read` gives by their path in the manifest,
    /// by `name` instead of its own where one is given.
    ///
    /// # Errors
    /// The [`Problem`] for which it was left out.
    pub fn add(
        &mut self,
        manifest: &Arc<Source>,
        read: &dyn Fn(&str) -> Option<String>,
        folder: Option<&Path>,
        name: Option<&str>,
    ) -> Result<(), Problem> {
        let (document, quill) = parse(manifest);
        let Some(mut quill) = quill else { return Err(Problem::Faults(Box::new(document))) };
        if let Some(name) = name {
            name.clone_into(&mut quill.name);
        }
        let name = quill.name.clone();
        let place = || folder.unwrap_or(Path::new(manifest.name())).to_owned();
        if !is_name(&name) {
            return Err(Problem::BadName { name, folder: place() });
        }
        if self.quills.contains_key(&name) {
            return Err(Problem::Duplicate { name, folder: place() });
        }
        let glue = quill.glue_file.as_deref().and_then(read);
        let example = quill.example_file.as_deref().and_then(read);
        let fields = example.as_deref().map(super::example_fields).unwrap_or_default();
        self.insert(quill.completed(glue.as_deref(), &fields), folder.map(Path::to_owned));
        Ok(())
    }

    /// The quills in a list of paths with their content, such as `quills/letter/Quill.toml`; those with errors
    /// are left out.
    pub fn from_texts<'t>(texts: impl IntoIterator<Item = (&'t str, &'t str)>) -> Self {
        let mut quills = Self::default();
        for (path, text) in texts {
            let name = path.rsplit('/').next().unwrap_or(path);
            if MANIFESTS.contains(&name)
                && let (_, Some(quill)) = parse(&Arc::new(Source::new(path, text)))
            {
                quills.insert(quill, None);
            }
        }
        quills
    }

    /// The quill of this name.
    pub fn get(&self, name: &str) -> Option<&Arc<Quill>> {
        self.registered(name).map(|registered| &registered.quill)
    }

    /// The quill of this name with its folder. `name@0.2` is the newest version 0.2 of it.
    pub fn registered(&self, name: &str) -> Option<&Registered> {
        if let Some((name, wanted)) = name.split_once('@') {
            return self.version(name, wanted);
        }
        self.quills.get(name).or_else(|| self.builtin()?.quills.get(name))
    }

    /// The newest version of a quill that begins as `wanted` does. A quill without folders for versions has the one
    /// of its manifest.
    fn version(&self, name: &str, wanted: &str) -> Option<&Registered> {
        let fits = |version: &str| {
            version == wanted || version.strip_prefix(wanted).is_some_and(|rest| rest.starts_with('.'))
        };
        let folders = self.versions.get(name).into_iter().flatten().rev();
        let mut of_folders =
            folders.filter(|([major, minor, patch], _)| fits(&format!("{major}.{minor}.{patch}")));
        let of_folders = of_folders.next().map(|(_, registered)| registered);
        of_folders.or_else(|| {
            let registered = self.registered(name)?;
            registered.quill.version.as_deref().is_some_and(fits).then_some(registered)
        })
    }

    /// The versions of a quill that has a folder for each, with their names, such as `letter@0.2.0`.
    pub fn versions(&self) -> impl Iterator<Item = (String, &Registered)> {
        self.versions.iter().flat_map(|(name, versions)| {
            let named = move |[major, minor, patch]: &Version| format!("{name}@{major}.{minor}.{patch}");
            versions.iter().map(move |(version, registered)| (named(version), registered))
        })
    }

    /// All names, in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.all().into_keys()
    }

    /// All quills, by name.
    pub fn iter(&self) -> impl Iterator<Item = &Registered> {
        self.all().into_values()
    }

    fn all(&self) -> BTreeMap<&str, &Registered> {
        let builtin = self.builtin().into_iter().flat_map(|builtin| &builtin.quills);
        builtin.chain(&self.quills).map(|(name, quill)| (name.as_str(), quill)).collect()
    }

    fn builtin(&self) -> Option<&'static Self> {
        self.builtin.then(builtin_quills)
    }

    /// Adds the built-in quills, as far as no other has their name. Where there is no other, a document may name
    /// further quills: they may be somewhere else.
    #[must_use]
    pub fn with_builtin(mut self) -> Self {
        self.open |= self.quills.is_empty();
        self.builtin = true;
        self
    }

    /// Makes this one of several places where quills are: a document may name a quill that is not in it.
    #[must_use]
    pub fn open(mut self) -> Self {
        self.open = true;
        self
    }

    /// Makes this the only place where quills are: a document may name only these.
    #[must_use]
    pub fn closed(mut self) -> Self {
        self.open = false;
        self
    }

    /// Whether a document may name a quill that is not in it.
    pub fn is_open(&self) -> bool {
        self.open
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.quills.is_empty() && !self.builtin
    }

    /// Number of quills.
    pub fn len(&self) -> usize {
        self.all().len()
    }

    /// The name most like `name`.
    pub fn nearest(&self, name: &str) -> Option<&str> {
        nearest(name, self.names())
    }
}

/// The built-in quills, read when a document first names one that is not configured.
fn builtin_quills() -> &'static QuillSet {
    static QUILLS: Lazy<QuillSet> = Lazy::new(|| {
        let mut quills = QuillSet::default();
        for (folder, files) in builtin::folders() {
            let text = |file: &str| std::str::from_utf8(files.get(file)?).ok();
            let manifest = MANIFESTS.iter().find_map(|name| Some((name, text(name)?)));
            let Some((name, manifest)) = manifest else { continue };
            let source = Arc::new(Source::new(format!("quills/{folder}/{name}"), manifest));
            let added = quills.add(&source, &|file| text(file).map(str::to_owned), None, None);
            debug_assert!(added.is_ok(), "{added:?}");
        }
        quills
    });
    &QUILLS
}

/// The version that a folder is called after, with or without a `v`.
fn version(name: &str) -> Option<Version> {
    let mut version = Version::default();
    let mut parts = name.strip_prefix('v').unwrap_or(name).split('.');
    for (index, number) in version.iter_mut().enumerate() {
        *number = match parts.next() {
            None if index > 0 => 0,
            part => part.filter(|part| part.bytes().all(|byte| byte.is_ascii_digit()))?.parse().ok()?,
        };
    }
    parts.next().is_none().then_some(version)
}

/// The manifest of a quill: its name, and its text as far as it can be read; nothing where there is none.
fn manifest(folder: &dyn Folder) -> Option<(&'static str, io::Result<String>)> {
    let is_missing =
        |error: &io::Error| matches!(error.kind(), ErrorKind::NotFound | ErrorKind::IsADirectory);
    let read = |name: &'static str| match folder.read(name) {
        Err(error) if is_missing(&error) => None,
        read => Some((name, read)),
    };
    MANIFESTS.into_iter().find_map(read)
}

/// The names of the folders that are directly in one.
fn folders(folder: &dyn Folder) -> io::Result<Vec<String>> {
    let entries = folder.entries()?.into_iter();
    Ok(entries.filter(|entry| entry.is_folder).map(|entry| entry.name).collect())
}

fn display(path: &Path) -> String {
    path.to_string_lossy().replace('\\', "/")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::folder::MemoryFolder;

    #[test]
    fn every_built_in_quill_is_valid() {
        assert_eq!(builtin_quills().len(), builtin::folders().len());
        let quills = QuillSet::default().with_builtin();
        assert!(quills.get("letter").is_some() && quills.is_open());
        assert_eq!(quills.names().count(), builtin::folders().len());
    }

    #[test]
    fn a_folder_of_versions_is_one_quill() {
        let files = ["0.2.0", "0.10.1", "0.2.3", "notes"].map(|version| {
            let manifest = format!(
                "quill: {{name: offer, backend: typst, description: Version {version}, version: 0.0.1}}\n"
            );
            (format!("offer/{version}/Quill.yaml"), manifest)
        });
        let mut quills = QuillSet::default();
        assert!(quills.load_all(&MemoryFolder::new("quills", files)).is_empty());
        let described = |name: &str| quills.get(name).map(|quill| quill.description.clone());
        assert_eq!(described("offer").as_deref(), Some("Version 0.10.1"));
        assert_eq!(described("offer@0.2").as_deref(), Some("Version 0.2.3"));
        assert_eq!(described("offer@0.2.0").as_deref(), Some("Version 0.2.0"));
        assert_eq!(described("offer@0").as_deref(), Some("Version 0.10.1"));
        assert_eq!((described("offer@0.3"), described("offer@0.1")), (None, None));
        assert_eq!(quills.names().collect::<Vec<_>>(), ["offer"]);
        assert_eq!(quills.versions().count(), 3);
    }

    #[test]
    fn folders_of_versions_have_numbers() {
        assert_eq!(version("0.2.0"), Some([0, 2, 0]));
        assert_eq!((version("v1"), version("1.2")), (Some([1, 0, 0]), Some([1, 2, 0])));
        assert_eq!(
            (version("1.2.3.4"), version("assets"), version("1.x"), version("")),
            (None, None, None, None)
        );
    }
}
