use std::{
    borrow::Cow,
    collections::BTreeMap,
    path::{Component, Path, PathBuf},
    sync::Arc,
};

use super::{Bundle, BundleError, bundle::written};
use crate::{
    budget::Once,
    kinds::{
        markdown::Markdown,
        quill::{MANIFESTS, Problem, Quill, QuillSet, folders},
    },
    project::{Input, config::Quills},
    text::Source,
};

/// The quills that documents can be rendered with, and where their files are.
#[derive(Debug, Default)]
pub struct Library {
    quills: QuillSet,
    bundles: BTreeMap<String, Entry>,
}

#[derive(Debug, Clone)]
struct Entry {
    origin: Origin,
    bundle: Once<Arc<Bundle>>,
}

/// Where a quill comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// A folder.
    Folder,
    /// The program itself.
    Builtin,
}

impl Library {
    /// The quills that a configuration names and the built-in ones; one of a folder takes the place of a
    /// built-in one with its name. A quill with errors is reported and left out.
    pub fn load(config: &Quills) -> (Self, Vec<Problem>) {
        let (quills, problems) = config.load();
        let mut library = Self::of(quills);
        if config.builtin {
            library.add_builtin();
        }
        (library, problems)
    }

    /// The quills of a set that come from folders.
    pub fn of(quills: QuillSet) -> Self {
        let named = quills.iter().filter(|quill| quill.folder.is_some());
        let entry = || Entry { origin: Origin::Folder, bundle: Once::new() };
        let mut bundles: BTreeMap<String, Entry> =
            named.map(|quill| (quill.quill.name.clone(), entry())).collect();
        bundles.extend(quills.versions().map(|(name, _)| (name, entry())));
        Self { quills, bundles }
    }

    /// The built-in quills alone.
    pub fn builtin() -> Self {
        let mut library = Self::default();
        library.add_builtin();
        library
    }

    /// A library of one quill, whose files these are.
    ///
    /// # Errors
    /// Why it cannot be used.
    pub fn draft(bundle: Bundle) -> Result<Self, Problem> {
        let Some(manifest) = MANIFESTS.iter().find(|name| bundle.text(name).is_some()) else {
            return Err(Problem::NoManifest(PathBuf::from("quill_files")));
        };
        let source = Arc::new(Source::new(*manifest, bundle.text(manifest).unwrap_or_default()));
        let mut library = Self::default();
        library.quills.add(&source, &|file| bundle.text(file).map(str::to_owned), None, None)?;
        let name = library.quills.names().next().map(str::to_owned).unwrap_or_default();
        library.bundles.insert(name, Entry { origin: Origin::Folder, bundle: Once::from(Arc::new(bundle)) });
        Ok(library)
    }

    fn add_builtin(&mut self) {
        for (folder, files) in folders() {
            let files = files.into_iter().map(|(file, bytes)| (file.to_owned(), Arc::from(bytes)));
            let bundle = Bundle::new(files.collect());
            let Some(manifest) = MANIFESTS.iter().find(|name| bundle.text(name).is_some()) else { continue };
            let path = format!("quills/{folder}/{manifest}");
            let source = Arc::new(Source::new(path, bundle.text(manifest).unwrap_or_default()));
            let read = |file: &str| bundle.text(file).map(str::to_owned);
            // One that is there already was put there by whoever configures.
            if self.quills.get(folder).is_none() && self.quills.add(&source, &read, None, None).is_ok() {
                let entry = Entry { origin: Origin::Builtin, bundle: Once::from(Arc::new(bundle)) };
                self.bundles.insert(folder.to_owned(), entry);
            }
        }
    }

    /// The quills: names, fields, metadata.
    pub fn quills(&self) -> &QuillSet {
        &self.quills
    }

    /// The quills that documents may name. Where only the built-in ones are known, others may be somewhere
    /// else.
    pub fn nameable(&self) -> QuillSet {
        let registered = self.bundles.values().any(|entry| entry.origin == Origin::Folder);
        let quills = self.quills.clone();
        if registered { quills } else { quills.open() }
    }

    /// Where the quill of this name comes from.
    pub fn origin(&self, name: &str) -> Option<Origin> {
        self.bundles.get(name).map(|entry| entry.origin)
    }

    /// The files of a quill, read when first asked for.
    ///
    /// # Errors
    /// [`BundleError`] when they cannot be read; nothing when there is no such quill.
    pub fn bundle(&self, name: &str) -> Option<Result<Arc<Bundle>, BundleError>> {
        let entry = self.bundles.get(&*self.key(name)?)?;
        if let Some(bundle) = entry.bundle.get() {
            return Some(Ok(Arc::clone(bundle)));
        }
        let folder = self.quills.registered(name)?.folder.as_deref()?;
        Some(Bundle::load(folder).map(|bundle| Arc::clone(entry.bundle.get_or_init(|| Arc::new(bundle)))))
    }

    /// The name by which the files of a quill are kept: with its whole version where it has a folder for each.
    fn key<'n>(&self, name: &'n str) -> Option<Cow<'n, str>> {
        let Some((own, _)) = name.split_once('@') else { return Some(name.into()) };
        let registered = self.quills.registered(name)?;
        let of_folder = self.quills.versions().find(|(_, version)| version.folder == registered.folder);
        Some(of_folder.map_or(own.into(), |(version, _)| version.into()))
    }

    /// Reads the files of all quills, so that none is read when its folder has changed.
    pub fn read_ahead(&self) {
        for name in self.bundles.keys() {
            // What cannot be read is reported when a document is rendered with it.
            let _ = self.bundle(name);
        }
    }

    /// Takes a quill and its files from another library, in place of the one of its name.
    pub(super) fn take_over(&mut self, other: &Self, name: &str) {
        if let (Some(quill), Some(entry)) = (other.quills.registered(name), other.bundles.get(name)) {
            self.quills.put(quill.clone());
            self.bundles.insert(name.to_owned(), entry.clone());
        }
    }

    /// How a file of a quill is called in findings: its path below the working directory, else below the
    /// folder of the quill.
    pub fn path_of(&self, name: &str, file: &str) -> String {
        let folder = self.quills.registered(name).and_then(|registered| registered.folder.as_deref());
        let here = std::env::current_dir().unwrap_or_default();
        let near = folder.map(|folder| folder.strip_prefix(&here).unwrap_or(folder));
        let near = near.filter(|folder| folder.is_relative() && folder.components().all(is_plain));
        near.map_or_else(|| format!("{name}/{file}"), |folder| written(&folder.join(file)))
    }

    /// A document to try a quill with: the example, or one made of the examples of fields.
    pub(super) fn trial(&self, name: &str) -> Option<Input> {
        let quill = self.quills.get(name)?;
        let input = match &quill.example_file {
            Some(file) => Input::text(self.example(name)?).at(self.path_of(name, file)),
            None => Input::text(sample(quill)).called(format!("<examples of the fields of {name}>")),
        };
        Some(input.of_kind(Some(Arc::new(Markdown))))
    }

    /// The example document of a quill.
    pub fn example(&self, name: &str) -> Option<String> {
        let file = self.quills.get(name)?.example_file.clone()?;
        let bundle = self.bundle(name)?.ok()?;
        bundle.text(clean(&file)?).map(str::to_owned)
    }
}

/// What a quill without an example is tried with.
fn sample(quill: &Quill) -> String {
    quill.snippets().into_iter().map(|(_, block)| block + "\nText.\n\n").collect()
}

/// Whether a part of a path leads down.
fn is_plain(part: Component<'_>) -> bool {
    matches!(part, Component::Normal(_) | Component::CurDir)
}

/// A path of a manifest as bundles write it; nothing for one that leaves the folder.
pub(super) fn clean(path: &str) -> Option<&str> {
    let path = path.strip_prefix("./").unwrap_or(path);
    let plain = |part: &str| !part.is_empty() && part != ".." && part != ".";
    (!Path::new(path).is_absolute() && path.split('/').all(plain)).then_some(path)
}
