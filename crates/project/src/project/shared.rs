//! The names that the documents of a project share: read in one parallel pass over its files, and afterwards only
//! from files that have changed.

use std::{
    collections::HashMap,
    panic::{self, AssertUnwindSafe},
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::{Duration, Instant, SystemTime},
};

use super::{documents::Listed, index::Indexed, input::Input, remembered::stamp, resolved::Project};
use crate::{
    files,
    kinds::{SharedName, SharedNames},
    text::Fingerprint,
};

/// How long a service uses the names before it looks for files that have changed.
const FRESH: Duration = Duration::from_secs(1);

/// What a file declares, known by the time of its last change and its size.
type Known = HashMap<PathBuf, (SystemTime, u64, Arc<Vec<SharedName>>)>;

/// What files declare, for the rules that the string stands for; the project that was used last is at the end. It outlives
/// projects: `--watch` opens one after each change.
static KNOWN: Mutex<Vec<(String, Known)>> = Mutex::new(Vec::new());

/// How many projects at most are known that way: an editor has several open, and each must find what it had.
const PROJECTS: usize = 8;

/// Takes what is known for `rules`, for as long as files are read.
fn take_known(rules: &str) -> Known {
    let mut all = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    all.iter().position(|(of, _)| of == rules).map(|at| all.remove(at).1).unwrap_or_default()
}

/// Keeps what is known now for the next time.
fn keep_known(rules: &str, known: Known) {
    let mut all = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    all.retain(|(of, _)| of != rules);
    all.push((rules.to_owned(), known));
    if all.len() > PROJECTS {
        all.remove(0);
    }
}

impl Project {
    /// The names that the documents of the project declare for each other; nothing where no rule that is on asks
    /// for them.
    pub(super) fn shared_names(&self) -> Option<Arc<SharedNames>> {
        if !*self.compares_documents.get_or_init(|| self.base().compares_documents()) || !self.reads_files() {
            return None;
        }
        let mut gathered = self.gathered.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((at, names)) = gathered.as_ref()
            && (!self.is_service || at.elapsed() < FRESH)
        {
            return Some(Arc::clone(names));
        }
        let names = Arc::new(self.gather());
        *gathered = Some((Instant::now(), Arc::clone(&names)));
        Some(names)
    }

    /// What the names that files declare depend on besides their text.
    pub(super) fn sharing_fingerprint(&self) -> &str {
        self.sharing.get_or_init(|| {
            let config = Fingerprint::new().add(&format!("{:?}", self.config)).hex();
            format!("{} {config} {}", self.base().fingerprint(), self.root.display())
        })
    }

    fn gather(&self) -> SharedNames {
        let mut documents = self.documents(std::slice::from_ref(&self.root), false);
        self.read_from_index(&mut documents);
        let rules = self.sharing_fingerprint();
        let before = take_known(rules);
        let next = AtomicUsize::new(0);
        let read = || {
            let mut done = Vec::new();
            while let Some(listed) = documents.get(next.fetch_add(1, Ordering::Relaxed)) {
                done.extend(self.names_of(listed, &before));
            }
            done
        };
        let threads = thread::available_parallelism().map_or(1, usize::from).min(documents.len().max(1));
        let results: Vec<_> = thread::scope(|scope| {
            let workers: Vec<_> = (0..threads).map(|_| scope.spawn(read)).collect();
            workers.into_iter().filter_map(|worker| worker.join().ok()).flatten().collect()
        });
        let files =
            results.iter().map(|(key, name, _, (_, _, names))| (key.clone(), name.clone(), names.as_slice()));
        let shared = SharedNames::of(files);
        keep_known(rules, results.into_iter().map(|(_, _, path, file)| (path, file)).collect());
        shared
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

    /// What a document declares: how fingerprints and reports call it, its file, and the names.
    #[expect(clippy::type_complexity, reason = "an entry of the table above")]
    fn names_of(
        &self,
        listed: &Listed,
        before: &Known,
    ) -> Option<(String, String, PathBuf, (SystemTime, u64, Arc<Vec<SharedName>>))> {
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
            None => {
                let subject = self.configured_subject(listed.input.clone()).ok()?;
                let names = AssertUnwindSafe(|| subject.shared_names());
                // A document that the program fails on declares nothing; validating it reports why.
                Arc::new(panic::catch_unwind(names).unwrap_or_default())
            }
        };
        Some((key, listed.name.clone(), path, (changed, size, names)))
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
    fn projects_that_take_turns_find_what_they_had() {
        let one: Known = HashMap::from([(PathBuf::from("a"), (SystemTime::UNIX_EPOCH, 1, Arc::default()))]);
        keep_known("turns: one", one.clone());
        keep_known("turns: two", Known::new());
        assert_eq!(take_known("turns: one").len(), 1);
        assert!(take_known("turns: one").is_empty(), "it is in use");
        keep_known("turns: one", one);
        for other in 0..PROJECTS {
            keep_known(&format!("turns: other {other}"), Known::new());
        }
        assert!(take_known("turns: one").is_empty(), "it was used longest ago");
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
