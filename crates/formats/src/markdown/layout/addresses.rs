//! Addresses in text that GitHub's Markdown makes links of (GFM 0.29, section 6.9).

use std::ops::Range;

use crate::budget;

/// The addresses in a piece of text. `before` is the character above it.
pub(super) fn find(text: &str, piece: Range<usize>) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    let bytes = &text.as_bytes()[..piece.end];
    let mut at = piece.start;
    while let Some(next) =
        memchr::memchr3(b':', b'.', b'@', bytes.get(at..).unwrap_or_default()).map(|n| at + n)
    {
        if !budget::charge(1) {
            break;
        }
        let from = found.last().map_or(piece.start, |last| last.end);
        let address = match bytes[next] {
            b':' => web(text, from..piece.end, next),
            b'.' => www(text, from..piece.end, next),
            _ => email(text, from..piece.end, next),
        };
        at = address.as_ref().map_or(next + 1, |address| address.end.max(next + 1));
        found.extend(address);
    }
    found
}

fn before(text: &str, at: usize) -> Option<char> {
    text[..at].chars().next_back()
}

/// `https://example.com`, whose colon is at an offset.
fn web(text: &str, within: Range<usize>, colon: usize) -> Option<Range<usize>> {
    let scheme = ["https", "http"].into_iter().find(|scheme| {
        let start = colon.checked_sub(scheme.len()).filter(|start| *start >= within.start);
        start.is_some_and(|start| text.as_bytes()[start..colon].eq_ignore_ascii_case(scheme.as_bytes()))
    })?;
    let start = colon - scheme.len();
    let domain = text[colon..within.end].strip_prefix("://")?;
    let is_free = before(text, start).is_none_or(|c| !c.is_ascii_alphabetic());
    (is_free && is_domain(domain)).then(|| start..end(text, colon + 3..within.end))
}

/// `www.example.com`, whose first dot is at an offset.
fn www(text: &str, within: Range<usize>, dot: usize) -> Option<Range<usize>> {
    let start = dot.checked_sub(3).filter(|start| *start >= within.start)?;
    let is_prefix = text.as_bytes()[start..dot].eq_ignore_ascii_case(b"www");
    let is_free = || before(text, start).is_none_or(|c| c.is_whitespace() || "(*_[]~".contains(c));
    let domain = &text[dot + 1..within.end];
    let is_domain = || is_domain(domain) && domain.starts_with(|c: char| !c.is_whitespace());
    (is_prefix && is_free() && is_domain()).then(|| start..end(text, dot + 1..within.end))
}

/// `name@example.com`, whose `@` is at an offset.
fn email(text: &str, within: Range<usize>, at: usize) -> Option<Range<usize>> {
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.' | '_');
    let name = &text[within.start..at];
    let start = at - (name.len() - name.trim_end_matches(is_name).len());
    if start == at || before(text, start).is_some_and(|c| c == '/' || is_name(c)) {
        return None;
    }
    let rest = &text[at + 1..within.end];
    let length = rest
        .find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.')))
        .unwrap_or(rest.len());
    let domain = rest[..length].trim_end_matches('.');
    let domain = domain.split_once("..").map_or(domain, |(first, _)| first);
    let is_host = domain.contains('.') && domain.ends_with(|c: char| c.is_ascii_alphabetic());
    is_host.then(|| start..at + 1 + domain.len())
}

/// Whether `text` starts with a domain: something, without underscores in its last two parts.
fn is_domain(text: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '-' | '.' | '_');
    let domain = &text[..text.find(|c| !is_part(c)).unwrap_or(text.len())];
    let domain = domain.trim_end_matches(['.', '_']);
    !domain.is_empty() && domain.rsplit('.').take(2).all(|part| !part.contains('_'))
}

/// Where an address ends: before whitespace, `<`, punctuation that ends a sentence, and a parenthesis that it does not open.
fn end(text: &str, after: Range<usize>) -> usize {
    let rest = &text[after.clone()];
    let mut address = &rest[..rest.find(|c: char| c.is_whitespace() || c == '<').unwrap_or(rest.len())];
    loop {
        let trimmed = address.trim_end_matches(['!', '"', '\'', '*', ',', '.', ':', '?', '_', '~', ']']);
        let entity =
            trimmed.strip_suffix(';').map(|name| name.trim_end_matches(|c: char| c.is_ascii_alphanumeric()));
        let shorter = match entity {
            Some(rest) => rest.strip_suffix('&').unwrap_or(&trimmed[..trimmed.len() - 1]),
            None if trimmed.ends_with(')') && trimmed.matches(')').count() > trimmed.matches('(').count() => {
                &trimmed[..trimmed.len() - 1]
            }
            None => trimmed,
        };
        if shorter.len() == address.len() || !budget::charge(1) {
            return after.start + address.len();
        }
        address = shorter;
    }
}

#[cfg(test)]
mod tests {
    use super::find;

    #[test]
    fn addresses_end_before_punctuation_that_is_not_theirs() {
        let found = |text: &str| -> Vec<String> {
            find(text, 0..text.len()).into_iter().map(|range| text[range].to_owned()).collect()
        };
        assert_eq!(
            found("See https://example.com/a_(b), and (www.example.org)."),
            ["https://example.com/a_(b)", "www.example.org"]
        );
        assert_eq!(found("Write to me@example.com. Not to @example or a@b."), ["me@example.com"]);
        assert_eq!(
            found("xhttp://a.b http://a_b.c https:// http://localhost:80&amp;"),
            ["http://localhost:80"]
        );
    }
}
