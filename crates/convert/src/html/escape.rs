//! Text as HTML.

use crate::text::entity;

/// Text with the characters escaped that HTML has a use for. Spaces that do not break are written as entities,
/// so that a reader of the source sees them.
pub(crate) fn escape(text: &str) -> String {
    escaped(text, false)
}

/// Text within an element: quotation marks stay.
pub(super) fn text(content: &str) -> String {
    escaped(content, true)
}

fn escaped(text: &str, quotes_stay: bool) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\u{a0}' => out.push_str("&nbsp;"),
            '"' if quotes_stay => out.push(c),
            c => match entity(c) {
                Some(entity) => out.push_str(entity),
                None => out.push(c),
            },
        }
    }
    out
}
