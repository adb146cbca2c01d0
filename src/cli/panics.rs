//! Panics as values: one document that brings the program down must not take the others with it.

use std::{cell::RefCell, panic};

thread_local! {
    static LAST: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Keeps panics from writing to standard error; [`caught`] returns them.
pub(super) fn keep_quiet() {
    panic::set_hook(Box::new(|info| {
        let message = info.payload_as_str().unwrap_or("unknown cause");
        let place = info.location().map(|at| format!(" ({}:{})", at.file(), at.line()));
        let text = format!("{message}{}", place.unwrap_or_default());
        LAST.with(|last| last.replace(Some(text)));
    }));
}

/// What `work` gives, or what it panicked with.
pub(super) fn caught<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    // What validates a document is shared, and changes only inside locks and cells that are
    // filled once, so after a panic other threads see nothing half done.
    panic::catch_unwind(panic::AssertUnwindSafe(work))
        .map_err(|_| LAST.with(RefCell::take).unwrap_or_else(|| "unknown cause".to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_a_message_with_its_position() {
        let usual = panic::take_hook();
        keep_quiet();
        let message = caught(|| panic!("no such {}", "thing")).unwrap_err();
        assert!(message.starts_with("no such thing (src/cli/panics.rs:"), "{message}");
        assert_eq!(caught(|| 3), Ok(3));
        panic::set_hook(usual);
    }
}
