use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, SystemTime},
};

use uuid::Uuid;

use super::{
    Format,
    kept::{Kept, SCHEME},
    shelf::Shelf,
};
use crate::project::config::Render;

/// Number of addresses that are remembered after their document is gone, to distinguish it from an unknown one.
const MOST_GONE: usize = 10_000;

/// Rendered documents by their address, with limits on their number, their bytes and their age.
#[derive(Debug)]
pub struct Store {
    documents: usize,
    bytes: u64,
    time: Duration,
    /// Where they are kept for the next start of the program.
    folder: Shelf,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// The oldest first.
    kept: VecDeque<Arc<Kept>>,
    gone: VecDeque<Uuid>,
    bytes: u64,
}

/// Why there is no document at an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Missing {
    /// It was there.
    #[error("the rendered document was removed to make room, or because of its age: render it again")]
    Evicted,
    /// It never was.
    #[error("no rendered document has this address: render_document gives addresses")]
    Unknown,
}

impl Store {
    /// A store with the documents that its folder has from before.
    pub fn new(config: &Render) -> Self {
        let folder = Shelf::new(config.cache_folder.clone());
        let kept: VecDeque<_> = folder.read(config.cache_bytes).into_iter().map(Arc::new).collect();
        let bytes = kept.iter().map(|kept| kept.bytes.len() as u64).sum();
        let store = Self {
            documents: config.cache_documents,
            bytes: config.cache_bytes,
            time: config.cache_time,
            folder,
            state: Mutex::new(State { kept, bytes, ..State::default() }),
        };
        store.make_room(&mut store.lock());
        store
    }

    fn make_room(&self, state: &mut State) {
        while state.kept.len() > self.documents || state.bytes > self.bytes {
            state.remove_oldest(&self.folder);
        }
    }

    /// Keeps a document; gives it back with its address. The same bytes, rendered once, keep theirs. One that is larger than the whole store is not
    /// kept, and its address is that of a document that was removed.
    pub fn put(&self, quill: &str, format: Format, bytes: Arc<[u8]>) -> Arc<Kept> {
        let known = self.lock().kept.iter().find(|kept| Arc::ptr_eq(&kept.bytes, &bytes)).cloned();
        if let Some(known) = known {
            return known;
        }
        let kept = Arc::new(Kept {
            id: Uuid::new_v4(),
            quill: quill.to_owned(),
            format,
            bytes,
            made: SystemTime::now(),
        });
        self.folder.put(&kept);
        let mut state = self.lock();
        state.bytes += kept.bytes.len() as u64;
        state.kept.push_back(Arc::clone(&kept));
        self.make_room(&mut state);
        kept
    }

    /// The document at an address.
    pub fn get(&self, uri: &str) -> Result<Arc<Kept>, Missing> {
        let id = uri.strip_prefix(SCHEME).and_then(|id| Uuid::try_parse(id).ok()).ok_or(Missing::Unknown)?;
        let state = self.lock();
        match state.kept.iter().find(|kept| kept.id == id) {
            Some(kept) => Ok(Arc::clone(kept)),
            None if state.gone.contains(&id) => Err(Missing::Evicted),
            None => Err(Missing::Unknown),
        }
    }

    /// Removes the documents at these addresses, or all; how many those are.
    pub fn clear(&self, uris: Option<&[String]>) -> usize {
        let mut state = self.lock();
        let is_meant = |kept: &Kept| uris.is_none_or(|uris| uris.contains(&kept.uri()));
        let (removed, kept): (VecDeque<_>, VecDeque<_>) =
            std::mem::take(&mut state.kept).into_iter().partition(|kept| is_meant(kept));
        state.kept = kept;
        for document in &removed {
            state.forget(document, &self.folder);
        }
        removed.len()
    }

    /// All documents, the newest first.
    pub fn list(&self) -> Vec<Arc<Kept>> {
        self.lock().kept.iter().rev().cloned().collect()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let is_old = |kept: &Arc<Kept>| kept.made.elapsed().is_ok_and(|age| age > self.time);
        while state.kept.front().is_some_and(is_old) {
            state.remove_oldest(&self.folder);
        }
        state
    }
}

impl State {
    fn remove_oldest(&mut self, folder: &Shelf) {
        if let Some(kept) = self.kept.pop_front() {
            self.forget(&kept, folder);
        }
    }

    /// Takes note of a document that was removed.
    fn forget(&mut self, kept: &Kept, folder: &Shelf) {
        self.bytes -= kept.bytes.len() as u64;
        folder.remove(kept);
        self.gone.push_back(kept.id);
        if self.gone.len() > MOST_GONE {
            self.gone.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn store(documents: usize, bytes: u64, time: Duration) -> Store {
        Store { documents, bytes, time, folder: Shelf::new(None), state: Mutex::default() }
    }

    fn put(store: &Store, size: usize) -> String {
        store.put("letter", Format::Pdf, vec![0; size].into()).uri()
    }

    #[test]
    fn the_oldest_goes_when_there_are_too_many_or_too_much() {
        let store = store(2, 100, Duration::from_mins(1));
        let uris = [put(&store, 10), put(&store, 10), put(&store, 10)];
        assert_eq!(store.get(&uris[0]).unwrap_err(), Missing::Evicted);
        assert!(store.get(&uris[1]).is_ok() && store.get(&uris[2]).is_ok());
        let large = put(&store, 95);
        assert_eq!(store.list().iter().map(|kept| kept.uri()).collect::<Vec<_>>(), [large]);
        let larger = put(&store, 101);
        assert_eq!(store.get(&larger).unwrap_err(), Missing::Evicted);
        assert!(store.list().is_empty());
    }

    #[test]
    fn removed_documents_are_distinguished_from_unknown_ones() {
        let store = store(1, 100, Duration::ZERO);
        let old = put(&store, 1);
        assert_eq!(store.get(&old).unwrap_err(), Missing::Evicted);
        let never = format!("{SCHEME}{}", Uuid::nil());
        for unknown in [never.as_str(), "quillmark://render/../../etc", "rules://x", ""] {
            assert_eq!(store.get(unknown).unwrap_err(), Missing::Unknown, "{unknown}");
        }
    }

    #[test]
    fn documents_are_cleared_one_by_one_or_all() {
        let store = store(5, 100, Duration::from_mins(1));
        let uris = [put(&store, 10), put(&store, 10), put(&store, 10)];
        assert_eq!(store.clear(Some(&uris[1..2])), 1);
        assert_eq!(store.get(&uris[1]).unwrap_err(), Missing::Evicted);
        assert_eq!((store.list().len(), store.clear(None), store.list().len()), (2, 2, 0));
        assert_eq!(store.lock().bytes, 0);
    }

    #[test]
    fn a_folder_keeps_documents_for_the_next_start() {
        let folder = tempfile::tempdir().unwrap();
        let config = Render { cache_folder: Some(folder.path().join("kept")), ..Render::default() };
        let store = Store::new(&config);
        let old = store.put("letter@0.2", Format::Pdf, b"%PDF-1".to_vec().into());
        let gone = store.put("memo", Format::Svg, b"<svg/>".to_vec().into());
        assert_eq!(store.clear(Some(&[gone.uri()])), 1);
        let again = Store::new(&config);
        let found = again.get(&old.uri()).unwrap();
        assert_eq!(
            (found.quill.as_str(), found.format, &*found.bytes),
            ("letter@0.2", Format::Pdf, &b"%PDF-1"[..])
        );
        assert_eq!(again.list().len(), 1);
        assert_eq!(Store::new(&Render { cache_documents: 0, ..config.clone() }).list().len(), 0);
        assert_eq!(std::fs::read_dir(folder.path().join("kept")).unwrap().count(), 0);
    }

    #[cfg(unix)]
    #[test]
    fn only_the_user_can_read_kept_documents() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let kept = folder.path().join("kept");
        let config = Render { cache_folder: Some(kept.clone()), ..Render::default() };
        Store::new(&config).put("letter", Format::Pdf, b"%PDF-1".to_vec().into());
        let mode = |path: &std::path::Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
        let file = std::fs::read_dir(&kept).unwrap().next().unwrap().unwrap().path();
        assert_eq!((mode(&kept), mode(&file)), (0o700, 0o600));
    }
}
