//! Whether a document is an OpenAPI description: one of its first keys is `openapi` or `swagger`, with a version.

use memchr::memmem;

/// Bytes at the start of a document that are looked at.
const HEAD: usize = 16 * 1024;

/// Whether one of the outermost keys in the first part of a document is `openapi` or `swagger`, with a version as its
/// value.
pub(super) fn has_version(text: &str) -> bool {
    let head = text.get(..text.floor_char_boundary(HEAD)).unwrap_or(text);
    ["openapi", "swagger"].into_iter().any(|word| {
        let found = memmem::find_iter(head.as_bytes(), word);
        found.into_iter().any(|at| is_version(&head[at + word.len()..]) && is_outermost(&head[..at]))
    })
}

/// Whether what follows a word makes it a key with a version: `": "3.1.0"`.
fn is_version(after: &str) -> bool {
    let after = after.strip_prefix(['"', '\'']).unwrap_or(after).trim_start_matches([' ', '\t']);
    let Some(value) = after.strip_prefix(':') else { return false };
    let value = value.trim_start();
    value.strip_prefix(['"', '\'']).unwrap_or(value).starts_with(['2', '3'])
}

/// Whether a key that follows this text is one of the document: at the start of a line, or in the outermost braces.
fn is_outermost(before: &str) -> bool {
    let line = before.rfind('\n').map_or(before, |end| &before[end + 1..]);
    let line = line.trim_start_matches('\u{feff}');
    if matches!(line, "" | "\"" | "'") {
        return true;
    }
    let start = before.trim_start_matches('\u{feff}').trim_start();
    start.starts_with('{') && depth(start) == 1
}

/// How many braces and brackets of JSON are open at the end of some JSON.
fn depth(text: &str) -> usize {
    let (mut depth, mut quoted, mut escaped) = (0_usize, false, false);
    for byte in text.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            b'{' | b'[' if !quoted => depth += 1,
            b'}' | b']' if !quoted => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    depth
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_at_the_top_shows_a_description() {
        for text in [
            "openapi: 3.0.0\n",
            "# comment\ninfo: {}\n\"swagger\": '2.0'\n",
            "{\"info\": {\"a\": [\"}\"]}, \"openapi\": \"3.1.0\"}",
            "{\n  \"swagger\": \"2.0\"\n}",
        ] {
            assert!(has_version(text), "{text}");
        }
    }

    #[test]
    fn other_documents_are_not_descriptions() {
        for text in [
            "plugins:\n  openapi: 3.0.0\n",
            "openapi: generator\n",
            "{\"dependencies\": {\"openapi\": \"3.0.0\"}}",
            "see openapi: 3.0.0\n",
            "openapi-version: 3.0.0\n",
            "",
        ] {
            assert!(!has_version(text), "{text}");
        }
    }
}
