//! Where constructs within text end. Rules and conversions read text with these, so that both see the same.

use std::ops::Range;

use memchr::memmem;

use super::lines::run;

/// The offset of the run of backticks that closes code.
pub fn code_end(text: &str, from: usize, end: usize, ticks: usize) -> Option<usize> {
    let mut at = from;
    loop {
        at += memchr::memchr(b'`', &text.as_bytes()[at..end])?;
        let found = run(&text[at..end], b'`');
        if found == ticks {
            return Some(at);
        }
        at += found;
    }
}

/// Most lines that are looked at around the place where code may be open.
const CODE_LINES: usize = 64;

/// Whether code is open after the last lines of a paragraph, and closed on one of the next lines.
pub fn is_in_code<'t>(
    above: impl DoubleEndedIterator<Item = &'t str>,
    below: impl Iterator<Item = &'t str>,
) -> bool {
    let mut open = None;
    let above: Vec<&str> = above.rev().take(CODE_LINES).collect();
    for line in above.into_iter().rev() {
        let bytes = line.as_bytes();
        let mut at = 0;
        while let Some(found) = memchr::memchr(b'`', &bytes[at..]) {
            at += found;
            let length = run(&line[at..], b'`');
            let escaped = at > 0 && bytes[at - 1] == b'\\' && open.is_none();
            match open {
                Some(own) if own == length => open = None,
                None if !escaped => open = Some(length),
                _ => {}
            }
            at += length;
        }
    }
    let Some(length) = open else { return false };
    below.take(CODE_LINES).any(|line| {
        // Where as many marks do not follow, fewer open code too.
        let fewer = |at: usize| {
            let before = at.checked_sub(1).map(|at| line.as_bytes()[at]);
            before != Some(b'`') && run(&line[at..], b'`') <= length
        };
        memchr::memchr_iter(b'`', line.as_bytes()).any(fewer)
    })
}

/// The offset of the dollar sign that closes math.
pub fn math_end(text: &str, from: usize, end: usize) -> Option<usize> {
    let bytes = &text.as_bytes()[..end];
    let mut at = from;
    loop {
        at += memchr::memchr2(b'$', b'\\', &bytes[at..])?;
        if bytes[at] == b'\\' {
            at = (at + 2).min(end);
            continue;
        }
        let digit = bytes.get(at + 1).is_some_and(u8::is_ascii_digit);
        if at > from && !bytes[at - 1].is_ascii_whitespace() && !digit {
            return Some(at);
        }
        at += 1;
    }
}

/// Most bytes of an argument of a TeX command.
const ARGUMENT: usize = 4096;

/// The end of a TeX command with its arguments in braces and brackets, or with the spaces after it.
pub fn tex_command_end(text: &str, start: usize, end: usize) -> usize {
    let bytes = &text.as_bytes()[..end];
    let letters = bytes[start + 1..].iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
    let name = start + 1 + letters;
    let mut at = name + usize::from(bytes.get(name) == Some(&b'*'));
    while let Some(open @ (b'{' | b'[')) = bytes.get(at).copied() {
        let close = if open == b'{' { b'}' } else { b']' };
        let mut depth = 0_usize;
        let found = bytes[at..end.min(at + ARGUMENT)].iter().position(|byte| {
            depth += usize::from(*byte == open);
            depth -= usize::from(*byte == close && depth > 0);
            depth == 0
        });
        match found {
            Some(length) => at += length + 1,
            None => break,
        }
    }
    // The spaces after a command without arguments belong to it.
    if at == name {
        at += bytes[at..].iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
        if bytes.get(at) == Some(&b'\n') {
            at = name;
        }
    }
    at
}

/// What closes the TeX environment that begins here.
pub fn environment_close(text: &str) -> Option<String> {
    let name = text.strip_prefix("\\begin{")?.split('}').next()?;
    (name.len() < 40).then(|| format!("\\end{{{name}}}"))
}

/// The name of the note that `[^name]` at an offset refers to.
pub fn note_name(text: &str, at: usize, end: usize) -> Option<Range<usize>> {
    let name = at + 2;
    let rest = text.as_bytes()[..end].get(name..end.min(name + 200))?;
    let ends = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b']' | b'[');
    let length = rest.iter().position(ends).filter(|length| *length > 0 && rest[*length] == b']')?;
    text[at..].starts_with("[^").then_some(name..name + length)
}

/// The key of the citation whose `@` is at an offset of text that begins at `from`. Addresses are not citations.
pub fn cited_key(text: &str, from: usize, at: usize, end: usize) -> Option<Range<usize>> {
    let before = text[from..at].chars().next_back();
    if before.is_some_and(|c| c.is_alphanumeric() || matches!(c, '/' | '_' | '.' | '=')) {
        return None;
    }
    let key = key(&text[at + 1..end]);
    (!key.is_empty()).then_some(at + 1 + key.start..at + 1 + key.end)
}

/// The key of a citation after its `@`.
pub fn key(rest: &str) -> Range<usize> {
    if let Some(inner) = rest.strip_prefix('{') {
        let end = inner.find(['}', '\n']).filter(|end| inner[*end..].starts_with('}'));
        return end.map_or(0..0, |end| 1..1 + end);
    }
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut end = 0;
    let mut chars = rest.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let joins = matches!(c, ':' | '.' | '#' | '$' | '%' | '&' | '-' | '+' | '?' | '<' | '>' | '~' | '/');
        let more = chars.peek().is_some_and(|(_, next)| is_word(*next));
        if is_word(c) || (joins && at > 0 && more) {
            end = at + c.len_utf8();
        } else {
            break;
        }
    }
    0..end
}

/// What a line, without its indentation, defines for links: the label and what follows it, of which the target is a part.
pub fn link_definition(words: &str) -> Option<(Range<usize>, Destination)> {
    let label = 1..words.strip_prefix('[').filter(|inner| !inner.starts_with('^'))?.find("]:")? + 1;
    let start = label.end + 2;
    let end = words.trim_end().len();
    // A target ends with a parenthesis.
    let closed = format!("{})", &words[..end.max(start)]);
    let found = destination(&closed, start, closed.len())?;
    let attributes = closed.get(found.end..).unwrap_or_default().trim();
    let is_whole = found.end == closed.len() || attributes.starts_with('{');
    (!found.url.is_empty() && is_whole).then_some((label, found))
}

/// The target of a link or an image.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Destination {
    /// The address as it is written, without angle brackets and without whitespace around it.
    pub url: Range<usize>,
    /// The title, without quotes.
    pub title: Option<Range<usize>>,
    /// The offset after the closing parenthesis.
    pub end: usize,
}

/// Longest target that is read.
const LONGEST: usize = 1 << 20;

/// The target after an opening parenthesis.
pub fn destination(text: &str, start: usize, end: usize) -> Option<Destination> {
    let end = text.floor_char_boundary(end.min(start + LONGEST));
    let bytes = &text.as_bytes()[..end];
    let space =
        |at: usize| at + bytes[at.min(end)..].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    let mut at = space(start);
    let from = at;
    let url;
    if bytes.get(at) == Some(&b'<') {
        let close = at + memchr::memchr(b'>', &bytes[at..])?;
        url = at + 1..close;
        at = close + 1;
    } else {
        let mut depth = 0_usize;
        while at < end {
            match bytes[at] {
                b'\\' => at += 1,
                b'{' if bytes[at..].starts_with(b"{{<") => {
                    at += memmem::find(&bytes[at..end.min(at + 1024)], b">}}")? + 2;
                }
                b'(' => depth += 1,
                b')' if depth == 0 => break,
                b')' => depth -= 1,
                b'"' | b'\'' if at > from && bytes[at - 1].is_ascii_whitespace() => break,
                _ => {}
            }
            at += 1;
        }
        if at >= end {
            return None;
        }
        url = super::lines::trimmed(text, from..at);
    }
    at = space(at);
    let mut title = None;
    if let Some(quote @ (b'"' | b'\'')) = bytes.get(at).copied() {
        let mut close = at + 1;
        loop {
            close += memchr::memchr(quote, &bytes[close..])?;
            let next = text[close + 1..end].trim_start();
            if next.starts_with(')') && bytes[close - 1] != b'\\' {
                break;
            }
            close += 1;
        }
        title = Some(at + 1..close);
        at = space(close + 1);
    }
    (bytes.get(at) == Some(&b')')).then_some(Destination { url, title, end: at + 1 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_have_addresses_and_titles() {
        let found = |text: &'static str| {
            let found = destination(text, 1, text.len())?;
            Some((&text[found.url], found.title.map(|title| &text[title]), &text[found.end..]))
        };
        assert_eq!(found("(a(1).png) b"), Some(("a(1).png", None, " b")));
        assert_eq!(found("( <a b> 'c \"d\"' )"), Some(("a b", Some("c \"d\""), "")));
        assert_eq!(found("(a\nb \"c\\\" d\")"), Some(("a\nb", Some("c\\\" d"), "")));
        assert_eq!(found("(a \"b\" c)"), None);
        assert_eq!(found("(a"), None);
        assert_eq!(found("(a\\"), None);
    }

    #[test]
    fn link_definitions_have_labels_and_targets() {
        let found = |words: &'static str| {
            let (label, found) = link_definition(words)?;
            Some((&words[label], &words[found.url], found.title.map(|title| &words[title])))
        };
        assert_eq!(found("[a b]: c.html 'd' "), Some(("a b", "c.html", Some("d"))));
        assert_eq!(found("[a]: <b c>"), Some(("a", "b c", None)));
        assert_eq!((found("[^a]: b"), found("[a]:"), found("[a] b")), (None, None, None));
    }

    #[test]
    fn tex_commands_end_after_their_arguments() {
        let found = |text: &'static str| &text[..tex_command_end(text, 0, text.len())];
        assert_eq!(found("\\cite[p. 3]{@a} b"), "\\cite[p. 3]{@a}");
        assert_eq!(found("\\alpha @a"), "\\alpha ");
        assert_eq!(found("\\alpha\nb"), "\\alpha");
        assert_eq!(found("\\a{b"), "\\a");
    }
}
