//! Panics as values: one document that brings the program down must not take the others with it.

use std::{
    cell::{Cell, RefCell},
    panic,
};

thread_local! {
    static CATCHING: Cell<bool> = const { Cell::new(false) };
    static LAST: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Keeps panics that [`caught`] returns from being written to standard error. Others are reported as before.
pub(crate) fn keep_quiet() {
    let usual = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        if !CATCHING.get() {
            return usual(info);
        }
        let message = info.payload_as_str().unwrap_or("unknown cause");
        let place = info.location().map(|at| format!(" ({}:{})", at.file(), at.line()));
        LAST.set(Some(format!("{message}{}", place.unwrap_or_default())));
    }));
}

/// What `work` gives, or what it panicked with.
pub(crate) fn caught<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    CATCHING.set(true);
    // What validates a document is shared, and changes only inside locks and cells that are filled once, so
    // after a panic other threads see nothing half done.
    let done = panic::catch_unwind(panic::AssertUnwindSafe(work));
    CATCHING.set(false);
    done.map_err(|_| LAST.take().unwrap_or_else(|| "unknown cause".to_owned()))
}
