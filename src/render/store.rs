use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use base64::Engine as _;
use uuid::Uuid;

use super::Format;
use crate::{engine, project::config::Render};

/// Number of addresses that are remembered after their document is gone, to distinguish it from an unknown one.
const MOST_GONE: usize = 10_000;

/// Rendered documents by their address, with limits on their number, their bytes and their age.
#[derive(Debug)]
pub struct Store {
    documents: usize,
    bytes: u64,
    time: Duration,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// The oldest first.
    kept: VecDeque<Arc<Kept>>,
    gone: VecDeque<Uuid>,
    bytes: u64,
}

/// A rendered document that is kept.
#[derive(Debug)]
pub struct Kept {
    id: Uuid,
    /// The quill that it was rendered with.
    pub quill: String,
    /// What it is.
    pub format: Format,
    /// The document; of one page for formats of pages.
    pub bytes: Arc<[u8]>,
    /// When it was rendered.
    pub made: SystemTime,
    since: Instant,
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

impl Kept {
    /// Its address, `quillmark://render/UUID`.
    pub fn uri(&self) -> String {
        format!("{SCHEME}{}", self.id)
    }

    /// The bytes in base 64.
    pub fn base64(&self) -> String {
        base64::engine::general_purpose::STANDARD.encode(&self.bytes)
    }

    /// When it was rendered, as `2026-01-31 12:00:00 UTC`.
    pub fn time(&self) -> String {
        let seconds = self.made.duration_since(UNIX_EPOCH).map_or(0, |elapsed| elapsed.as_secs());
        let (day, rest) = (engine::day(seconds), seconds % 86_400);
        format!("{day} {:02}:{:02}:{:02} UTC", rest / 3600, rest / 60 % 60, rest % 60)
    }
}

/// What addresses start with.
const SCHEME: &str = "quillmark://render/";

impl Store {
    /// An empty store.
    pub fn new(config: &Render) -> Self {
        Self {
            documents: config.cache_documents,
            bytes: config.cache_bytes,
            time: config.cache_time,
            state: Mutex::default(),
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
            since: Instant::now(),
        });
        let mut state = self.lock();
        state.bytes += kept.bytes.len() as u64;
        state.kept.push_back(Arc::clone(&kept));
        while state.kept.len() > self.documents || state.bytes > self.bytes {
            state.remove_oldest();
        }
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

    /// All documents, the newest first.
    pub fn list(&self) -> Vec<Arc<Kept>> {
        self.lock().kept.iter().rev().cloned().collect()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        while state.kept.front().is_some_and(|kept| kept.since.elapsed() > self.time) {
            state.remove_oldest();
        }
        state
    }
}

impl State {
    fn remove_oldest(&mut self) {
        let Some(kept) = self.kept.pop_front() else { return };
        self.bytes -= kept.bytes.len() as u64;
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
        Store { documents, bytes, time, state: Mutex::default() }
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
}
