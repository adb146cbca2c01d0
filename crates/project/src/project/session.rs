//! What is kept of files while projects are opened one after the other.

use std::{
    collections::HashMap,
    fmt,
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
    time::SystemTime,
};

use super::remembered::Remembered;
use crate::kinds::{SharedName, SharedNames};

/// What a file declares, known by the time of its last change and its size.
pub(super) type Known = HashMap<PathBuf, (SystemTime, u64, Arc<Vec<SharedName>>)>;

/// For how many sets of rules at most it is known what files declare: an editor has several projects open, and each must
/// find what it had.
pub(super) const SETS: usize = 8;

/// What is known of files that have not changed. Its copies share it. A client that opens a project again when the configuration
/// changes, or several projects side by side, gives all of them the same session.
#[derive(Clone, Default)]
pub struct Session(Arc<Kept>);

#[derive(Default)]
struct Kept {
    /// What files declare for the other documents of their project, for the rules that the string stands for; those that were
    /// used last are at the end.
    shared: Mutex<Vec<(String, Known)>>,
    /// What files declare for those that refer to them.
    declared: Remembered<Option<Arc<SharedNames>>>,
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Session")
    }
}

impl Session {
    /// Takes what is known for `rules`, for as long as files are read.
    pub(super) fn take_shared(&self, rules: &str) -> Known {
        let mut all = self.0.shared.lock().unwrap_or_else(PoisonError::into_inner);
        all.iter().position(|(of, _)| of == rules).map(|at| all.remove(at).1).unwrap_or_default()
    }

    /// Keeps what is known now for the next time.
    pub(super) fn keep_shared(&self, rules: &str, known: Known) {
        let mut all = self.0.shared.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|(of, _)| of != rules);
        all.push((rules.to_owned(), known));
        if all.len() > SETS {
            all.remove(0);
        }
    }

    /// What files declare for those that refer to them.
    pub(super) fn declared(&self) -> &Remembered<Option<Arc<SharedNames>>> {
        &self.0.declared
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn projects_that_take_turns_find_what_they_had() {
        let one: Known = HashMap::from([(PathBuf::from("a"), (SystemTime::UNIX_EPOCH, 1, Arc::default()))]);
        let session = Session::default();
        session.keep_shared("one", one.clone());
        session.keep_shared("two", Known::new());
        let copy = session.clone();
        assert_eq!(copy.take_shared("one").len(), 1);
        assert!(session.take_shared("one").is_empty(), "it is in use");
        session.keep_shared("one", one);
        assert!(Session::default().take_shared("one").is_empty(), "another session knows nothing of it");
        for other in 0..SETS {
            session.keep_shared(&format!("other {other}"), Known::new());
        }
        assert!(session.take_shared("one").is_empty(), "it was used longest ago");
    }
}
