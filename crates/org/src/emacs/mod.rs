//! Edits as Emacs makes them, byte for byte: what `[org] emacs_compat` writes.
//!
//! The functions follow those of Org 9.5 (Emacs 28.2) with its default options, which their comments name. They
//! change a [`Buffer`] one after the other, as the commands of Emacs do; what the document then differs in from its
//! old text is the edit.

mod archive;
mod buffer;
mod checkbox;
mod clock;
mod cookies;
mod dates;
mod drawer;
mod headline;
mod inherited;
mod log;
mod planning;
mod repeat;
mod state;
mod structure;
mod subtree;

pub(super) use self::{
    archive::{Goal, abbreviated, after_cut, archive, archive_header, find_heading},
    buffer::Buffer,
    checkbox::{NoCheckbox, set_checkbox},
    clock::{clock_cancel, clock_in, clock_lines, clock_out, duration},
    cookies::without_cookies,
    dates::{remove as remove_date, set as set_date},
    headline::{set_priority, set_tags, set_title},
    log::{Previous, Record, store as store_record, store_refile},
    planning::Keyword,
    state::{set as set_state, set_first as set_first_state},
    structure::{Direction, change_level, level_below, shift},
    subtree::{add_body, add_headline, align_at, cut, entry_of, index_at, paste},
};

use super::clock::Moment;
use crate::{kinds::org::Setup, project::LogDone, text::Edit};

/// The column that tags end at (`org-tags-column`, -77).
const TAGS_COLUMN: usize = 77;

/// How Emacs is configured, as far as edits depend on it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Emacs {
    /// What time it is.
    pub(super) now: Moment,
    /// Whether a task that is done gets the time as `CLOSED`, and a note (`org-log-done`).
    pub(super) log_done: LogDone,
    /// Whether a repeating task that is done gets the time as `LAST_REPEAT`, and a record (`org-log-repeat`).
    pub(super) log_repeat: bool,
    /// Whether records go into the drawer `LOGBOOK` (`org-log-into-drawer`).
    pub(super) log_into_drawer: bool,
}

impl Emacs {
    /// The edits of a document that a change of it as a buffer results in.
    pub(super) fn edits(text: &str, setup: &Setup, change: impl FnOnce(&mut Buffer)) -> Vec<Edit> {
        let mut buffer = Buffer::new(text, setup);
        change(&mut buffer);
        buffer.saved(text)
    }
}

/// Sets a property (`org-entry-put`).
pub(super) fn set_property(buffer: &mut Buffer, index: usize, key: &str, value: &str) {
    drawer::put(buffer, index, key, value);
}

/// Sets a property of the file itself, in the drawer before its first headline (`org-entry-put`).
pub(super) fn set_file_property(buffer: &mut Buffer, key: &str, value: &str) {
    drawer::put_in_file(buffer, key, value);
}

/// Removes a property of the file itself.
pub(super) fn remove_file_property(buffer: &mut Buffer, key: &str) {
    drawer::delete_from_file(buffer, key);
}

/// Removes a property (`org-entry-delete`).
pub(super) fn remove_property(buffer: &mut Buffer, index: usize, key: &str) {
    drawer::delete(buffer, index, key);
}
