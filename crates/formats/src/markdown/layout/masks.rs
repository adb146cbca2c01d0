//! Constructs that CommonMark does not have and other readers do: directives (`:::note`), display formulas (`$$`) and
//! formulas within a line (`$x$`). The parser gets the text without them.

use std::{borrow::Cow, ops::Range};

use crate::budget;

/// The lines of directives and display formulas.
#[derive(Debug, Default)]
pub(super) struct Masked {
    /// The lines that the parser does not see.
    pub(super) hidden: Vec<Range<usize>>,
    /// Displayed formulas.
    pub(super) formulas: Vec<Range<usize>>,
    /// Directives that contain other blocks, with their first and last lines.
    pub(super) directives: Vec<Range<usize>>,
}

/// A construct that is not closed yet.
enum Open {
    Fence(u8, usize),
    /// The number of its marks, and where it begins.
    Formula(usize, usize),
}

/// How many marks of quotes begin a line.
fn quotes(line: &str) -> usize {
    line.bytes().take_while(|byte| matches!(byte, b' ' | b'\t' | b'>')).filter(|byte| *byte == b'>').count()
}

/// Finds directives and display formulas.
pub(super) fn blocks(text: &str, start: usize) -> Masked {
    let mut masked = Masked::default();
    if memchr::memmem::find(text.as_bytes(), b"::").is_none()
        && memchr::memmem::find(text.as_bytes(), b"$$").is_none()
    {
        return masked;
    }
    let mut open: Option<Open> = None;
    let mut depth = 0;
    let mut directives: Vec<(usize, usize)> = Vec::new();
    let mut at = start;
    for line in budget::within(text[start..].split_inclusive('\n')) {
        let range = at..at + line.len();
        at = range.end;
        let content = line.trim_start_matches([' ', '\t', '>']).trim_end();
        let colons = run(content, b':');
        // A quote ends what begins in it.
        if open.is_some()
            && quotes(line) < depth
            && let Some(Open::Formula(_, first)) = open.take()
        {
            budget::push(&mut masked.hidden, first..range.start);
            budget::push(&mut masked.formulas, first..range.start);
        }
        if open.is_none() {
            depth = quotes(line);
        }
        match open {
            Some(Open::Fence(mark, length)) if closes(content, mark, length) => open = None,
            Some(Open::Formula(length, first)) if closes(content, b'$', length) => {
                budget::push(&mut masked.hidden, first..range.end);
                budget::push(&mut masked.formulas, first..range.end);
                open = None;
            }
            None if run(content, b'`') >= 3 && !content[run(content, b'`')..].contains('`') => {
                open = Some(Open::Fence(b'`', run(content, b'`')));
            }
            None if run(content, b'~') >= 3 => open = Some(Open::Fence(b'~', run(content, b'~'))),
            None if run(content, b'$') >= 2 && !content[run(content, b'$')..].contains('$') => {
                open = Some(Open::Formula(run(content, b'$'), range.start));
            }
            None if colons >= 3 && is_named(&content[colons..]) => {
                directives.push((colons, range.start));
                budget::push(&mut masked.hidden, range);
            }
            None if colons == 2 && is_named(&content[colons..]) && is_whole(&content[colons..]) => {
                budget::push(&mut masked.hidden, range);
            }
            None if colons >= 3 && content.len() == colons => {
                if let Some(position) = directives.iter().rposition(|(length, _)| *length <= colons) {
                    budget::push(&mut masked.directives, directives[position].1..range.end);
                    directives.truncate(position);
                    budget::push(&mut masked.hidden, range);
                }
            }
            _ => {}
        }
    }
    if let Some(Open::Formula(_, first)) = open {
        masked.hidden.push(first..text.len());
        masked.formulas.push(first..text.len());
    }
    masked.directives.extend(directives.into_iter().map(|(_, first)| first..text.len()));
    masked
}

/// The number of equal bytes at the start of text.
fn run(text: &str, byte: u8) -> usize {
    text.bytes().take_while(|next| *next == byte).count()
}

/// Whether a line consists of the bytes that end a construct which begins with `length` of them.
fn closes(content: &str, mark: u8, length: usize) -> bool {
    run(content, mark) >= length && content.len() == run(content, mark)
}

fn is_named(after: &str) -> bool {
    after.starts_with(|c: char| c.is_ascii_alphabetic())
}

/// Whether a directive has its line to itself.
fn is_whole(after: &str) -> bool {
    let rest = after.trim_start_matches(|c: char| c.is_alphanumeric() || matches!(c, '-' | '_'));
    rest.is_empty() || rest.starts_with(['[', '{']) && rest.ends_with([']', '}'])
}

/// The text with an empty heading in place of each of these lines: it ends paragraphs and lists in the same places.
/// Offsets stay what they are.
pub(super) fn without<'t>(text: &'t str, hidden: &[Range<usize>]) -> Cow<'t, str> {
    if hidden.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut bytes = text.as_bytes().to_vec();
    budget::allocate(bytes.len());
    for range in hidden {
        let mut left = quotes(&text[range.clone()]);
        let depth = left;
        let mut is_new = true;
        for byte in &mut bytes[range.clone()] {
            match byte {
                b'\n' => (left, is_new) = (depth, true),
                b'\r' | b' ' | b'\t' => {}
                b'>' if is_new && left > 0 => left -= 1,
                _ => {
                    *byte = if is_new { b'#' } else { b' ' };
                    is_new = false;
                }
            }
        }
    }
    String::from_utf8(bytes).map_or(Cow::Borrowed(text), Cow::Owned)
}

/// The formulas within lines of these parts of the document, with their marks.
pub(super) fn formulas(text: &str, parts: &[Range<usize>]) -> Vec<Range<usize>> {
    let has_several =
        |part: &&Range<usize>| memchr::memchr_iter(b'$', &text.as_bytes()[(*part).clone()]).count() > 1;
    budget::within(parts.iter().filter(has_several))
        .flat_map(|part| formulas_in(text, part.clone()))
        .collect()
}

/// The text with letters in place of these parts.
pub(super) fn lettered(text: &str, parts: &[Range<usize>]) -> String {
    let mut bytes = text.as_bytes().to_vec();
    budget::allocate(bytes.len());
    for part in parts {
        for byte in &mut bytes[part.clone()] {
            if !matches!(byte, b'\n' | b'\r') {
                *byte = b'x';
            }
        }
    }
    String::from_utf8(bytes).unwrap_or_else(|_| text.to_owned())
}

/// The formulas in a paragraph: from a run of `$` to the next one of the same length, as with code.
fn formulas_in(text: &str, part: Range<usize>) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut at = part.start;
    while at < part.end && budget::charge(1) {
        match bytes[at] {
            b'\\' => at += 2,
            mark @ (b'`' | b'$') => {
                let length = run(&text[at..part.end], mark);
                let closer = closing_run(&bytes[..part.end], at + length, mark, length);
                if let Some(end) = closer.filter(|_| mark == b'$') {
                    found.push(at..end);
                }
                at = closer.unwrap_or(at + length);
            }
            _ => at += 1,
        }
    }
    found
}

/// The end of the next run of a mark that has this length.
pub(super) fn closing_run(bytes: &[u8], from: usize, mark: u8, length: usize) -> Option<usize> {
    let mut at = from;
    while let Some(start) = memchr::memchr(mark, bytes.get(at..)?).map(|next| at + next) {
        let here = bytes[start..].iter().take_while(|byte| **byte == mark).count();
        if here == length {
            return Some(start + here);
        }
        at = start + here;
        if !budget::charge(1) {
            return None;
        }
    }
    None
}
