//! The names that the documents of a project share: read in one parallel pass over its files, and afterwards only
//! from files that have changed.

use std::{
    collections::{HashMap, HashSet},
    panic::{self, AssertUnwindSafe},
    path::Path,
    sync::{
        Arc, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::{Duration, Instant, SystemTime},
};

use super::{
    documents::Listed,
    gathered::{File, Gathered, OpenFile, Reread},
    index::Indexed,
    input::Input,
    remembered::{Stamp, stamp},
    resolved::Project,
    session::Known,
};
use crate::{
    budget, files,
    kinds::{SharedName, SharedNames},
    text::Fingerprint,
};

/// How long a service uses the names before it looks for files that have changed.
const FRESH: Duration = Duration::from_secs(1);

impl Project {
    /// The names that the documents of the project declare for each other, for the document at a path; nothing where no rule
    /// that is on asks for them.
    pub(super) fn shared_names(&self, own: Option<&Path>) -> Option<Arc<SharedNames>> {
        if !self.compares_documents() {
            return None;
        }
        let open = self.open_files();
        let own = own.map(|path| files::plain(&self.locate(path)));
        let mut last = self.gathered.lock().unwrap_or_else(PoisonError::into_inner);
        let is_fresh = |last: &Gathered| !self.is_service || last.at.elapsed() < FRESH;
        let gathered = match last.take() {
            Some(last) if is_fresh(&last) && last.agrees(&open, own.as_deref()) => last,
            Some(last) => {
                let is_fresh = is_fresh(&last);
                let Gathered { at, files, open: before, .. } = last;
                let (at, files) = if is_fresh { (at, files) } else { (Instant::now(), self.gather()) };
                self.with_open(at, files, open, &before)
            }
            None => self.with_open(Instant::now(), self.gather(), open, &[]),
        };
        Some(Arc::clone(&last.insert(gathered).names))
    }

    /// Whether a rule that is on compares the documents of the project with each other.
    #[doc(hidden)]
    pub fn compares_documents(&self) -> bool {
        *self.compares_documents.get_or_init(|| self.base().compares_documents()) && self.reads_files()
    }

    /// The names of files, with those of what is open in an editor instead of what is on the disk.
    fn with_open(&self, at: Instant, files: Vec<File>, open: Vec<OpenFile>, before: &[Reread]) -> Gathered {
        let is_open: HashSet<&Path> = open.iter().map(|(path, _)| path.as_path()).collect();
        let asked = files.iter().filter(|file| is_open.contains(file.path.as_path()));
        let listed: HashMap<&Path, &File> = asked.map(|file| (file.path.as_path(), file)).collect();
        let reread = |(path, text): &OpenFile| {
            let file = listed.get(path.as_path())?;
            let known = before.iter().find(|known| known.is(path, text));
            let names = known.and_then(|known| known.names.clone());
            Some(names.unwrap_or_else(|| self.declared_now(file, text)))
        };
        let reread: Vec<Reread> = open
            .iter()
            .map(|file| Reread { path: file.0.clone(), text: Arc::clone(&file.1), names: reread(file) })
            .collect();
        let now: HashMap<&Path, &Arc<Vec<SharedName>>> =
            reread.iter().filter_map(|open| Some((open.path.as_path(), open.names.as_ref()?))).collect();
        let declared = files.iter().map(|file| {
            let names = now.get(file.path.as_path()).copied().unwrap_or(&file.names);
            (file.key.clone(), file.name.clone(), names.as_slice())
        });
        let names = Arc::new(SharedNames::of(declared));
        Gathered { at, files, open: reread, names }
    }

    /// What the names that files declare depend on besides their text.
    pub(super) fn sharing_fingerprint(&self) -> &str {
        self.sharing.get_or_init(|| {
            let config = Fingerprint::new().add(&format!("{:?}", self.config)).hex();
            format!("{} {config} {}", self.base().fingerprint(), self.root.display())
        })
    }

    /// Reads what the files of the project declare.
    fn gather(&self) -> Vec<File> {
        let mut documents = self.documents(std::slice::from_ref(&self.root), false);
        self.read_from_index(&mut documents);
        let rules = self.sharing_fingerprint();
        let before = self.session.take_shared(rules);
        let next = AtomicUsize::new(0);
        let read = || {
            let mut done = Vec::new();
            while let Some(listed) = documents.get(next.fetch_add(1, Ordering::Relaxed)) {
                done.extend(self.names_of(listed, &before));
            }
            done
        };
        let threads = thread::available_parallelism().map_or(1, usize::from).min(documents.len().max(1));
        let results: Vec<(File, Stamp)> = thread::scope(|scope| {
            let workers: Vec<_> = (0..threads).map(|_| scope.spawn(read)).collect();
            workers.into_iter().filter_map(|worker| worker.join().ok()).flatten().collect()
        });
        let stamped = results
            .iter()
            .map(|(file, (changed, size))| (file.path.clone(), (*changed, *size, Arc::clone(&file.names))));
        self.session.keep_shared(rules, stamped.collect());
        results.into_iter().map(|(file, _)| file).collect()
    }

    /// Takes documents from the index where they are not in the checkout as they are there.
    fn read_from_index(&self, documents: &mut Vec<Listed>) {
        let Some(index) = &self.index else { return };
        documents
            .retain(|listed| listed.input.path().is_none_or(|path| self.indexed(path) != Indexed::Absent));
        for listed in documents.iter_mut() {
            let Some(path) = listed.input.path().map(Path::to_owned) else { continue };
            if let Some(text) = index.text(&files::plain(&self.folder.join(&path))) {
                listed.input = Input::text(text).at(path);
            }
        }
        for path in index.files().filter(|path| self.is_lost_document(path)) {
            if let Some(text) = index.text(path) {
                documents.push(Listed { explicit: false, ..self.listed(Input::text(text).at(path)) });
            }
        }
    }

    /// Whether a file that is in the index and not in the checkout is a document of the project.
    fn is_lost_document(&self, path: &Path) -> bool {
        let configured = self.configured_name(path);
        path.starts_with(&self.root)
            && path.symlink_metadata().is_err()
            && self.is_walked(path, &configured)
            && self.config().includes(&configured)
    }

    /// What a document declares, with the time of the last change of its file and the size.
    fn names_of(&self, listed: &Listed, before: &Known) -> Option<(File, Stamp)> {
        let path = self.locate(listed.input.path()?);
        // What is read from the index may differ the next time, whatever the file in the checkout is.
        let is_staged = !listed.input.is_file();
        let (changed, size) = if is_staged { (SystemTime::UNIX_EPOCH, u64::MAX) } else { stamp(&path)? };
        let key = self.fingerprint_name(listed.input.path().filter(|path| self.owns(path))?);
        let same = before
            .get(&path)
            .filter(|_| !is_staged)
            .filter(|(at, bytes, _)| (*at, *bytes) == (changed, size));
        let names = match same {
            Some((_, _, names)) => Arc::clone(names),
            None => self.declared_in(listed.input.clone())?,
        };
        Some((File { key, name: listed.name.clone(), path: files::plain(&path), names }, (changed, size)))
    }

    /// The names that a file declares with the content that it has in an editor.
    fn declared_now(&self, file: &File, text: &str) -> Arc<Vec<SharedName>> {
        budget::despite(|| self.declared_in(Input::text(text).at(&file.path))).unwrap_or_default()
    }

    /// The names that a document declares; nothing where it cannot be read.
    fn declared_in(&self, input: Input) -> Option<Arc<Vec<SharedName>>> {
        let subject = self.configured_subject(input).ok()?;
        let names = AssertUnwindSafe(|| subject.shared_names());
        // A document that the program fails on declares nothing; validating it reports why.
        Some(Arc::new(panic::catch_unwind(names).unwrap_or_default()))
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::{
        kinds::{Document, Kind, Observable, ParseOptions},
        project::{Configuration, Input, Overrides},
        rules::Ruleset,
        text::{Fragment, Source},
        tree::{Scalar, TreeBuilder},
    };

    /// Files with one name; the kind panics on the name `panic`.
    struct NameFile;

    impl Kind for NameFile {
        fn name(&self) -> &'static str {
            "name"
        }

        fn description(&self) -> &'static str {
            "a name"
        }

        fn globs(&self) -> Vec<&str> {
            vec!["*.name"]
        }

        fn observables(&self) -> &[Observable] {
            &[]
        }

        fn tree_schema(&self) -> &'static str {
            r#"{"type": "string"}"#
        }

        fn comment(&self, text: &str) -> String {
            text.to_owned()
        }

        fn parse(&self, source: &Arc<Source>, fragment: &Fragment<'_>, _: &ParseOptions<'_>) -> Document {
            assert!(!fragment.text().contains("panic"), "this name brings the program down");
            let mut builder = TreeBuilder::new(Arc::clone(source));
            builder.scalar(Scalar::Text(fragment.text()), source.span());
            Document::new("name", builder.finish())
        }
    }

    const PACK: &str = "version: 1\nname: names\ndescription: Names\nprefix: NA\nkinds: [name]\n";
    const RULES: &str = "version: 1\nrules:\n  - id: NA001\n    name: name-repeated\n    severity: error\n    \
        since: 0.1.0\n    given: $\n    check: {unique: {scope: project}}\n    message: repeated\n    \
        explain: Names differ, so that each of them means one file.\n";

    fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("pack")).unwrap();
        for (name, text) in files {
            fs::write(folder.path().join(name), text).unwrap();
        }
        folder
    }

    #[test]
    fn a_document_that_brings_the_program_down_does_not_hide_the_others() {
        let files = [("a.name", "panic"), ("b.name", "x"), ("c.name", "x"), ("d.name", "y"), ("e.name", "y")];
        let pack = [("pack/pack.yaml", PACK), ("pack/rules.yaml", RULES)];
        let folder = folder(&[&pack[..], &files[..]].concat());
        let ruleset = Ruleset::builder().kind(Arc::new(NameFile)).pack(folder.path().join("pack")).build();
        let project = Project::of_files_with(ruleset.unwrap(), folder.path());
        let found = |name: &str| {
            let subject = project.subject(Input::file(folder.path().join(name))).unwrap();
            subject.validate().diagnostics.len()
        };
        assert_eq!([found("b.name"), found("c.name"), found("d.name"), found("e.name")], [0, 1, 0, 1]);
    }

    #[test]
    fn a_handle_depends_on_what_other_documents_declare() {
        let pack = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/packs/crossrefs");
        let configuration = format!("[packs]\npaths = [\"{pack}\"]\n");
        let folder = folder(&[
            ("proofmark.toml", configuration.as_str()),
            ("a.md", "---\nid: DOC-1\n---\n"),
            ("b.md", "---\nid: DOC-2\n---\n"),
        ]);
        let handle = || {
            let overrides = Overrides { folder: Some(folder.path().to_owned()), ..Overrides::default() };
            let configuration = Configuration::File(folder.path().join("proofmark.toml"));
            let project = Project::open(&configuration, overrides).unwrap();
            let subject = project.subject(Input::file("b.md")).unwrap();
            subject.handle(&subject.validate())
        };
        let first = handle();
        assert_eq!(handle(), first);
        fs::write(folder.path().join("a.md"), "---\nid: DOC-2, really\n---\n").unwrap();
        assert_ne!(handle(), first, "`a.md` declares another id");
    }
}
