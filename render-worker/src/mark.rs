//! Marks: pieces of text that pass through the engine as words and become something else in the layout.
//!
//! A mark is `kind.argument` between two private characters. `typst/page.typ` has a rule for each kind.

/// The first character of a mark.
pub(crate) const START: char = '\u{F0000}';

/// The last character of a mark.
pub(crate) const END: char = '\u{F0001}';

/// Whether a character is the first or the last one of a mark, which never reaches the page.
pub(crate) fn is_end_of_mark(c: char) -> bool {
    c == START || c == END
}

/// A mark.
pub(crate) fn mark(kind: &str, argument: impl std::fmt::Display) -> String {
    format!("{START}{kind}.{argument}{END}")
}

/// The text without characters that could be taken for a mark.
pub(crate) fn without(text: &str) -> Option<String> {
    let private = [START, END];
    text.contains(private).then(|| text.replace(private, "\u{FFFD}"))
}
