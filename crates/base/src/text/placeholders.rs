use super::Span;
use crate::budget;

/// A replacement field of a Python format string, such as `{name!r:>10}`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Placeholder<'t> {
    /// The name before any attribute, index, conversion or format: `user` in `{user.name}`.
    pub name: &'t str,
    /// The bytes of the field in the text.
    pub span: Span,
}

/// The replacement fields of `text` as Python's `str.format` reads them, or why it is not valid.
pub fn placeholders(text: &str) -> Result<Vec<Placeholder<'_>>, &'static str> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(offset) = memchr::memchr2(b'{', b'}', &bytes[at..]) {
        if !budget::charge(1) {
            break;
        }
        let start = at + offset;
        if bytes.get(start + 1) == Some(&bytes[start]) {
            at = start + 2;
            continue;
        }
        if bytes[start] == b'}' {
            return Err("a single `}` outside of a placeholder");
        }
        let end = field_end(bytes, start + 1).ok_or("a placeholder is not closed")?;
        let inner = &text[start + 1..end];
        let is_end = |byte| matches!(byte, b'.' | b'[' | b'!' | b':' | b'{');
        let length = inner.bytes().position(is_end).unwrap_or(inner.len());
        let span = Span::new(start + 1, start + 1 + length);
        budget::push(&mut found, Placeholder { name: &inner[..length], span });
        at = end + 1;
    }
    Ok(found)
}

/// Where the field that starts at `from` ends; a format may contain nested fields.
fn field_end(bytes: &[u8], from: usize) -> Option<usize> {
    let mut depth = 1;
    for offset in memchr::memchr2_iter(b'{', b'}', &bytes[from..]) {
        if bytes[from + offset] == b'{' {
            depth += 1;
        } else {
            depth -= 1;
        }
        if depth == 0 {
            return Some(from + offset);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_read_as_in_python() {
        let names = |text| placeholders(text).map(|all| all.into_iter().map(|p| p.name).collect::<Vec<_>>());
        assert_eq!(names("a {b} {{c}} {d.e[0]!r:>{w}}"), Ok(vec!["b", "d"]));
        assert_eq!(names("{}"), Ok(vec![""]));
        assert!(names("{a").is_err());
        assert!(names("a}").is_err());
    }
}
