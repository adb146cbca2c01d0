use std::ops::Range;

use memchr::memmem;

/// A shortcode: `{{< name argument key=value >}}`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shortcode {
    /// The shortcode with its marks.
    pub range: Range<usize>,
    pub name: Range<usize>,
    /// Arguments without a key, without quotes.
    pub arguments: Vec<Range<usize>>,
    /// Keys and values, without quotes.
    pub options: Vec<(Range<usize>, Range<usize>)>,
}

/// The shortcodes of a document.
#[derive(Debug, Default)]
pub(super) struct Shortcodes {
    pub all: Vec<Shortcode>,
    /// Openings of shortcodes that nothing closes, up to where the shortcode likely ends.
    pub unclosed: Vec<Range<usize>>,
}

/// Reads the shortcodes from an offset on. Those with more braces (`{{{< … >}}}`) or in a comment
/// (`{{</* … */>}}`) are examples and left out.
pub(super) fn read(text: &str, from: usize) -> Shortcodes {
    let mut found = Shortcodes::default();
    let bytes = text.as_bytes();
    let openings: Vec<usize> = memmem::find_iter(&bytes[from..], b"{{<").map(|at| from + at).collect();
    for (index, start) in openings.iter().copied().enumerate() {
        let is_example = (start > 0 && bytes[start - 1] == b'{') || bytes[start + 3..].starts_with(b"/*");
        if is_example {
            continue;
        }
        let limit = openings.get(index + 1).copied().unwrap_or(text.len());
        let empty_line = [&b"\n\n"[..], b"\n\r\n"].into_iter();
        let paragraph = empty_line.filter_map(|end| memmem::find(&bytes[start..limit], end)).min();
        let paragraph = paragraph.map_or(limit, |at| start + at);
        match memmem::find(&bytes[start..paragraph], b">}}") {
            Some(at) => found.all.extend(shortcode(text, start..start + at + 3)),
            None => found.unclosed.push(meant(text, start..paragraph)),
        }
    }
    found
}

/// From the marks of an unclosed shortcode to a closing mark that lacks a character, or to the end of its
/// line.
fn meant(text: &str, range: Range<usize>) -> Range<usize> {
    let start = range.start;
    let line = text[range].lines().next().unwrap_or_default();
    let closing = [">}", "}}"].iter().filter_map(|mark| line.find(mark)).min();
    let end = closing.map_or(line.trim_end().len(), |at| at + 2);
    start..start + end
}

/// The shortcode that is written so, with its marks.
pub fn shortcode_of(text: &str) -> Option<Shortcode> {
    if text.len() < 6 { None } else { shortcode(text, 0..text.len()) }
}

fn shortcode(text: &str, range: Range<usize>) -> Option<Shortcode> {
    let mut words = words(text, range.start + 3..range.end - 3).into_iter();
    let name = words.next().filter(|word| word.key.is_none())?.value;
    let mut shortcode = Shortcode { range, name, arguments: Vec::new(), options: Vec::new() };
    for word in words {
        match word.key {
            Some(key) => shortcode.options.push((key, word.value)),
            None => shortcode.arguments.push(word.value),
        }
    }
    Some(shortcode)
}

struct Word {
    key: Option<Range<usize>>,
    value: Range<usize>,
}

/// The words between the marks: plain, in quotes, or with a key.
fn words(text: &str, range: Range<usize>) -> Vec<Word> {
    let bytes = text.as_bytes();
    let mut words = Vec::new();
    let mut at = range.start;
    while at < range.end {
        if bytes[at].is_ascii_whitespace() {
            at += 1;
            continue;
        }
        let mut key = None;
        let mut start = at;
        let mut quote = None;
        while at < range.end {
            match (quote, bytes[at]) {
                (None, byte) if byte.is_ascii_whitespace() => break,
                (None, byte @ (b'"' | b'\'')) if at == start => quote = Some(byte),
                (None, b'=') if key.is_none() && at > start => {
                    key = Some(start..at);
                    start = at + 1;
                }
                (Some(open), byte) if byte == open => {
                    at += 1;
                    break;
                }
                _ => {}
            }
            at += 1;
        }
        let end = at.min(range.end);
        let closed = quote.is_some_and(|quote| end > start + 1 && bytes[end - 1] == quote);
        let value = match quote {
            Some(_) if closed => start + 1..end - 1,
            Some(_) => start + 1..end,
            None => start..end,
        };
        words.push(Word { key, value });
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Vec<String> {
        let found = read(text, 0);
        let whole = found.all.iter().map(|shortcode| {
            let arguments = shortcode.arguments.iter().map(|word| format!(" {}", &text[word.clone()]));
            let options = shortcode
                .options
                .iter()
                .map(|(key, value)| format!(" {}={}", &text[key.clone()], &text[value.clone()]));
            format!("{}{}", &text[shortcode.name.clone()], arguments.chain(options).collect::<String>())
        });
        let unclosed = found.unclosed.iter().map(|range| format!("unclosed {}", &text[range.clone()]));
        whole.chain(unclosed).collect()
    }

    #[test]
    fn names_arguments_and_options_are_read() {
        assert_eq!(names("{{< video \"a b\" width='3' x=y >}}"), ["video a b width=3 x=y"]);
        assert_eq!(names("a {{<meta k>}} b {{< pagebreak >}}"), ["meta k", "pagebreak"]);
        assert_eq!(names("{{{< meta k >}}} {{</* meta k */>}}"), [""; 0]);
    }

    #[test]
    fn a_shortcode_ends_before_the_next_one_and_in_its_paragraph() {
        assert_eq!(names("{{< a >} {{< b >}}"), ["b", "unclosed {{< a >}"]);
        assert_eq!(names("{{< a\n\n>}}"), ["unclosed {{< a"]);
    }
}
