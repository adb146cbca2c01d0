//! JSON (RFC 8259), for every kind that holds some: text to the one spanned tree.
//!
//! The reader goes on after what people often write and JSON does not have: comments, commas at the end,
//! missing commas, single quotes, keys without quotes. Another error ends the reading, and what came before it
//! is in the tree.

mod read;
mod string;

pub use read::read;

use super::Observable;

/// What reading JSON can observe, for every kind that reads some.
pub const OBSERVABLES: &[Observable] = &[
    Observable::syntax("json_syntax", &["found", "expected"], &[]),
    Observable::syntax("json_unclosed", &["open", "close"], &["open"]),
    Observable::syntax("json_comment", &[], &[]),
    Observable::syntax("json_trailing_comma", &["close"], &[]),
    Observable::syntax("json_missing_comma", &["found"], &["gap"]),
    Observable::syntax("json_single_quotes", &["text"], &[]),
    Observable::syntax("json_unquoted_key", &["key"], &[]),
    Observable::syntax("json_bad_string", &["detail"], &[]),
    Observable::syntax("json_bad_number", &["text"], &[]),
    Observable::syntax("json_duplicate_key", &["key"], &["first"]),
    Observable::syntax("json_too_deep", &["limit"], &[]),
];

#[cfg(test)]
mod tests;
