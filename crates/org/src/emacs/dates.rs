//! Setting and removing dates, with the records that a file asks for.

use super::{
    Emacs,
    buffer::Buffer,
    log,
    planning::{self, Keyword},
};

/// Sets a date (`org-schedule`, `org-deadline`), and records a change of one where `recorded` is given.
pub(in super::super) fn set(
    buffer: &mut Buffer,
    index: usize,
    keyword: Keyword,
    stamp: &str,
    recorded: Option<&Emacs>,
) {
    let old = planning::get_folded(buffer, index, keyword);
    let new = planning::set(buffer, index, keyword, stamp);
    if let (Some(old), Some(emacs)) = (old, recorded) {
        log::store_date(buffer, index, keyword, &old, Some(&new), emacs);
    }
}

/// Removes a date, and records that.
pub(in super::super) fn remove(
    buffer: &mut Buffer,
    index: usize,
    keyword: Keyword,
    recorded: Option<&Emacs>,
) {
    let old = planning::get_folded(buffer, index, keyword);
    planning::remove(buffer, index, keyword);
    if let (Some(old), Some(emacs)) = (old, recorded) {
        log::store_date(buffer, index, keyword, &old, None, emacs);
    }
}
