//! The names that the documents of a project share: read in one parallel pass over its files, and afterwards only
//! from files that have changed.

use std::{
    collections::HashMap,
    path::PathBuf,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::{Duration, Instant, SystemTime},
};

use super::{documents::Listed, resolved::Project};
use crate::kinds::{SharedName, SharedNames};

/// How long a service uses the names before it looks for files that have changed.
const FRESH: Duration = Duration::from_secs(1);

/// What a file declares, known by the time of its last change and its size.
type Known = HashMap<PathBuf, (SystemTime, u64, Arc<Vec<SharedName>>)>;

/// What files declare, for the rules that the string stands for. It outlives projects: `--watch` opens one after
/// each change.
static KNOWN: Mutex<Option<(String, Known)>> = Mutex::new(None);

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

    fn gather(&self) -> SharedNames {
        let documents = self.documents(std::slice::from_ref(&self.root), false);
        let rules = format!("{} {}", self.base().fingerprint(), self.root.display());
        let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        let before = known.take().filter(|(of, _)| *of == rules).map(|(_, known)| known).unwrap_or_default();
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
        *known = Some((rules, results.into_iter().map(|(_, _, path, file)| (path, file)).collect()));
        shared
    }

    /// What a document declares: how the configuration and reports call it, its file, and the names.
    #[expect(clippy::type_complexity, reason = "an entry of the table above")]
    fn names_of(
        &self,
        listed: &Listed,
        before: &Known,
    ) -> Option<(String, String, PathBuf, (SystemTime, u64, Arc<Vec<SharedName>>))> {
        let path = self.locate(listed.input.path()?);
        let metadata = path.metadata().ok()?;
        let (changed, size) = (metadata.modified().ok()?, metadata.len());
        let key = self.configured_name(listed.input.path()?);
        let same = before.get(&path).filter(|(at, bytes, _)| (*at, *bytes) == (changed, size));
        let names = match same {
            Some((_, _, names)) => Arc::clone(names),
            None => {
                let subject = self.subject(listed.input.clone()).ok()?;
                Arc::new(self.budget(1).spend(|| subject.shared_names()).0)
            }
        };
        Some((key, listed.name.clone(), path, (changed, size, names)))
    }
}
