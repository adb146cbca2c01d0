//! Whether a document is written in the QUILL/SCOPE dialect: it has a block with one of the keys, or lines
//! that were likely meant as one. Without such a sign, `---` lines mean what they mean in CommonMark.

use std::{cell::OnceCell, ops::Range};

use memchr::memmem;

use super::{
    blocks, frontmatter, grammar,
    metadata::{is_name, near_tag},
    near_miss::line_start,
};
use crate::syntax::commonmark::{self, Outline};

/// Whether the text shows the QUILL/SCOPE dialect. Examples in code and comments do not count.
pub(super) fn shows_metadata(text: &str) -> bool {
    let bytes = text.as_bytes();
    let literals = Literals { text, front: OnceCell::new(), outline: OnceCell::new() };
    let mut from = 0;
    while let Some(at) = memmem::find(&bytes[from..], b"---") {
        let dashes = from + at;
        let after = dashes + bytes[dashes..].iter().take_while(|byte| **byte == b'-').count();
        from = after;
        let rest = text[after..].trim_start_matches([' ', '\t']);
        let Some(start) = line_start(text, dashes).filter(|_| rest.starts_with(['\n', '\r'])) else {
            continue;
        };
        if (is_tagged(text, start) || has_tag(text, start, after)) && !literals.contain(start, after) {
            return true;
        }
    }
    false
}

/// Whether the lines below an opening line start with `QUILL: name` or the like. Another case of the word
/// counts only where the lines are closed like a block, and `scope` not in front matter, where it is an
/// ordinary key.
fn is_tagged(text: &str, start: usize) -> bool {
    let lines = &text[start..];
    let below = lines.find('\n').map_or("", |end| lines[end..].trim_start());
    let is_word = |word: &str| below.get(..word.len()).is_some_and(|found| found.eq_ignore_ascii_case(word));
    if !["quill", "scope", "card"].into_iter().any(is_word) {
        return false;
    }
    let Some(meant) = grammar::would_be_block(lines) else { return false };
    let Some((key, _)) = meant.tag else { return false };
    let key = &lines[key];
    let is_upper = key.bytes().all(|byte| byte.is_ascii_uppercase());
    is_upper || meant.closer.is_some() && (start > 0 || key.eq_ignore_ascii_case("quill"))
}

/// Whether the block that opens with `---` has one of the keys, or nearly one, on a line.
fn has_tag(text: &str, start: usize, after: usize) -> bool {
    let exact = text[start..after] == *"---" && blocks::at_line_start(text, start);
    let below = text[after..].strip_prefix("\r\n").or_else(|| text[after..].strip_prefix('\n'));
    let Some(below) = below.filter(|below| exact && !below.starts_with(['\n', '\r'])) else { return false };
    let Some(end) = memmem::find(below.as_bytes(), b"\n---") else { return false };
    let content = &below[..end];
    content.lines().enumerate().any(|(number, line)| {
        let line = line.trim_end();
        let tag = ["!quill", "!scope"].into_iter().find_map(|tag| line.strip_prefix(tag));
        if tag.is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\t', ':'])) {
            return true;
        }
        let Some((key, value)) = line.split_once(':') else { return false };
        let (key, value) = (unquoted(key.trim_end()), unquoted(value.trim()));
        match key {
            "QUILL" | "SCOPE" => true,
            "CARD" => is_name(value) && !value.is_empty(),
            _ => number == 0 && !value.is_empty() && is_name(value) && near_tag(key).is_some(),
        }
    })
}

fn unquoted(word: &str) -> &str {
    let inner = |mark| word.strip_prefix(mark)?.strip_suffix(mark);
    ['"', '\''].into_iter().find_map(inner).unwrap_or(word)
}

/// The parts of the text that are in code fences or comments. Each of them is read once.
struct Literals<'t> {
    text: &'t str,
    /// The lines of the front matter.
    front: OnceCell<Option<Range<usize>>>,
    /// The blocks of the whole text.
    outline: OnceCell<Outline>,
}

impl Literals<'_> {
    /// Whether they contain a line. The text up to the line shows that of most lines; the whole text is read
    /// where a line seems to be in one.
    fn contain(&self, start: usize, after: usize) -> bool {
        let front = self.front.get_or_init(|| frontmatter::lines(self.text)).as_ref();
        if start == 0 || front.is_some_and(|front| front.start == start) {
            return false;
        }
        if self.outline.get().is_none() {
            let head = &self.text[..after];
            let front: Vec<_> = front.filter(|front| front.end <= after).cloned().into_iter().collect();
            if commonmark::read(head, &front).literal_at(head, start).is_none() {
                return false;
            }
        }
        let front: Vec<_> = front.cloned().into_iter().collect();
        let outline = self.outline.get_or_init(|| commonmark::read(self.text, &front));
        outline.literal_at(self.text, start).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::budget::timed;

    #[test]
    fn a_key_of_the_dialect_shows_it() {
        for text in [
            "---\nQUILL: memo\n---\n",
            "---\ntitle: x\nQUILL: memo\n---\n",
            "---\ntitle: x\n---\n\ntext\n\n---\nSCOPE: items\na: 1\n---\n",
            "---\r\ntitle: x\r\n---\r\n\r\n---\r\n\"SCOPE\": items\r\n---\r\n",
        ] {
            assert!(shows_metadata(text), "{text:?}");
        }
    }

    #[test]
    fn a_near_miss_shows_it_too() {
        for text in [
            "---\nquill: memo\n---\n",
            "---\nSCOP: items\na: 1\n---\n",
            "---\n!scope items\na: 1\n---\n",
            "---\nCARD: items\n---\n",
            "text\n\n--- \nSCOPE: items\n---\n",
            " ---\nQUILL: memo\n---\n",
            "text\n\n---\nSCOPE: items\na: 1\n\nnever closed\n",
            "text\n\n---\n\nSCOPE: items\na: 1\n",
        ] {
            assert!(shows_metadata(text), "{text:?}");
        }
    }

    #[test]
    fn ordinary_documents_do_not() {
        for text in [
            "---\ntitle: x\n---\n\nOne\n\n---\n\nTwo\n\n---\n",
            "---\ntitle: x\nscope: api\n---\n",
            "---\nscope: api\n---\n",
            "---\ntitle: x\n---\n\n```yaml\n---\nSCOPE: items\n---\n```\n",
            "<!--\n---\nQUILL: memo\n---\n-->\n",
            "First.\n\n---\n\nScope: all of it.\n\nSecond.\n",
            "Heading\n---\nSCORE: 7 of 9\n\n---\n",
            "| a | b |\n|---|---|\n| QUILL: x | |\n",
            "",
        ] {
            assert!(!shows_metadata(text), "{text:?}");
        }
    }

    #[test]
    fn hostile_documents_take_linear_time() {
        for (head, text) in [
            ("```\n", "---\nSCOPE: a\n"),
            ("+++\n```\n", "---\nSCOPE: a\n"),
            ("", "---\n"),
            ("", "---\nx: y\n"),
            ("", "---\nscope: a\n\n"),
        ] {
            let text = head.to_owned() + &text.repeat(40_000);
            let (_, took) = timed(|| shows_metadata(&text));
            assert!(took.as_secs() < 5, "{head:?} takes too long");
        }
    }
}
