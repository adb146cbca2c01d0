//! What text contains: links, targets, footnotes, timestamps, macros, citations.
//!
//! One walk over each piece of text. Closing marks are looked for once and remembered, so that text of
//! nothing but opening marks is read in linear time.

use std::ops::Range;

use memchr::memmem;

use super::timestamp::Timestamp;
use crate::budget;

/// What the text of a document contains, each in the order of the text.
#[derive(Debug, Default)]
pub(super) struct Objects<'t> {
    pub(super) links: Vec<Link<'t>>,
    pub(super) targets: Vec<Target<'t>>,
    pub(super) references: Vec<Reference<'t>>,
    pub(super) timestamps: Vec<Timestamp<'t>>,
    pub(super) macros: Vec<Macro<'t>>,
    pub(super) citations: Vec<&'t str>,
}

/// How a link is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LinkFormat {
    /// `[[target][description]]`
    Bracket,
    /// `<https://example.org>`
    Angle,
    /// `https://example.org`
    Plain,
}

/// A link.
#[derive(Debug)]
pub(super) struct Link<'t> {
    pub(super) text: &'t str,
    pub(super) format: LinkFormat,
    /// The target as it is written, without the brackets.
    pub(super) target: &'t str,
    pub(super) description: Option<&'t str>,
    /// What follows it directly, up to one character.
    pub(super) after: &'t str,
}

/// `<<target>>` or `<<<radio target>>>`.
#[derive(Debug)]
pub(super) struct Target<'t> {
    pub(super) text: &'t str,
    pub(super) name: &'t str,
    pub(super) is_radio: bool,
}

/// `[fn:label]`, `[fn:label:text]` or `[fn::text]`.
#[derive(Debug)]
pub(super) struct Reference<'t> {
    pub(super) text: &'t str,
    pub(super) label: Option<&'t str>,
    pub(super) is_inline: bool,
}

/// `{{{name(arguments)}}}`
#[derive(Debug)]
pub(super) struct Macro<'t> {
    pub(super) text: &'t str,
    pub(super) name: &'t str,
    /// The arguments, none without parentheses.
    pub(super) arguments: Vec<&'t str>,
}

/// Bytes of text that are looked at in a step.
const BYTES_OF_STEP: u64 = 8;

/// Reads the objects of pieces of a document, which are in ascending order.
pub(super) fn read<'t>(text: &'t str, pieces: &[Range<usize>]) -> Objects<'t> {
    let mut objects = Objects::default();
    for piece in pieces {
        if !budget::charge(1 + piece.len() as u64 / BYTES_OF_STEP) {
            break;
        }
        let bytes = &text.as_bytes()[piece.clone()];
        if memchr::memchr3(b'[', b'<', b'{', bytes).is_some() || memmem::find(bytes, b":/").is_some() {
            Walk::new(&text[piece.clone()], &mut objects).run();
        }
    }
    objects
}

/// The next occurrence of a mark, remembered until the walk has passed it.
#[derive(Debug)]
struct Next {
    mark: &'static str,
    /// Where the last search began and what it found.
    found: Option<(usize, Option<usize>)>,
}

impl Next {
    const fn new(mark: &'static str) -> Self {
        Self { mark, found: None }
    }

    fn after(&mut self, text: &str, from: usize) -> Option<usize> {
        self.after_where(text, from, |_| true)
    }

    /// The next occurrence for which `fits` holds; always asked with the same condition.
    fn after_where(&mut self, text: &str, from: usize, fits: impl Fn(usize) -> bool) -> Option<usize> {
        match self.found {
            Some((began, None)) if began <= from => return None,
            Some((began, Some(at))) if began <= from && from <= at => return Some(at),
            _ => {}
        }
        let rest = text.as_bytes().get(from..)?;
        let found = memmem::find_iter(rest, self.mark).map(|at| from + at).find(|at| fits(*at));
        self.found = Some((from, found));
        found
    }
}

struct Walk<'t, 'o> {
    text: &'t str,
    out: &'o mut Objects<'t>,
    brackets: Next,
    angles: Next,
    braces: Next,
    verbatim: Next,
    code: Next,
    line_end: Next,
    next_line_end: Next,
    /// Positions of closing brackets by those of the opening ones, ascending; made when first needed.
    pairs: Option<Vec<(usize, usize)>>,
}

impl<'t, 'o> Walk<'t, 'o> {
    fn new(text: &'t str, out: &'o mut Objects<'t>) -> Self {
        Self {
            text,
            out,
            brackets: Next::new("]]"),
            angles: Next::new(">>"),
            braces: Next::new("}}}"),
            verbatim: Next::new("="),
            code: Next::new("~"),
            line_end: Next::new("\n"),
            next_line_end: Next::new("\n"),
            pairs: None,
        }
    }

    fn run(mut self) {
        let bytes = self.text.as_bytes();
        let mut at = 0;
        while at < bytes.len() {
            let read = match bytes[at] {
                b'[' => self.bracket(at),
                b'<' => self.angle(at),
                b'{' => self.call(at),
                mark @ (b'=' | b'~') => self.verbatim(at, mark),
                b':' => self.plain_link(at),
                _ => None,
            };
            at = read.unwrap_or(at + 1);
        }
    }

    /// `=verbatim=` and `~code~`, whose content is not read. The marks are next to other marks, spaces or
    /// the end outside, and to no space inside.
    fn verbatim(&mut self, at: usize, mark: u8) -> Option<usize> {
        let bytes = self.text.as_bytes();
        let before = at.checked_sub(1).map(|at| bytes[at]);
        if !before.is_none_or(|byte| byte.is_ascii_whitespace() || b"-('\"{".contains(&byte)) {
            return None;
        }
        if bytes.get(at + 1).is_none_or(|byte| byte.is_ascii_whitespace()) {
            return None;
        }
        let next = if mark == b'=' { &mut self.verbatim } else { &mut self.code };
        let close = next.after_where(self.text, at + 2, |close| {
            let after = bytes.get(close + 1);
            let is_end =
                after.is_none_or(|byte| byte.is_ascii_whitespace() || b"-.,;:!?'\")}\\[".contains(byte));
            is_end && !bytes[close - 1].is_ascii_whitespace()
        })?;
        // Emphasis spans at most one line break.
        let first = self.line_end.after(self.text, at).filter(|first| *first < close);
        let second = first.and_then(|first| self.next_line_end.after(self.text, first + 1));
        second.is_none_or(|second| second > close).then_some(close + 1)
    }

    fn bracket(&mut self, at: usize) -> Option<usize> {
        let text = self.text;
        let rest = &text[at..];
        if rest.starts_with("[[") {
            return self.bracket_link(at);
        }
        if rest.starts_with("[fn:") {
            return self.reference(at);
        }
        if rest.starts_with("[cite:") || rest.starts_with("[cite/") {
            let end = self.closing(at)?;
            budget::push(&mut self.out.citations, &text[at..=end]);
            // The prefixes and suffixes of references may hold objects.
            return Some(at + "[cite".len());
        }
        self.timestamp(at)
    }

    fn timestamp(&mut self, at: usize) -> Option<usize> {
        let stamp = Timestamp::read(&self.text[at..])?;
        let end = at + stamp.text.len();
        budget::push(&mut self.out.timestamps, stamp);
        Some(end)
    }

    /// `[[target]]` or `[[target][description]]`.
    fn bracket_link(&mut self, at: usize) -> Option<usize> {
        let text = self.text;
        let bytes = text.as_bytes();
        let start = at + 2;
        let mut end = start;
        // Brackets in a target are escaped by a backslash.
        while !matches!(bytes.get(end)?, b'[' | b']') {
            end += 1 + usize::from(
                bytes[end] == b'\\' && matches!(bytes.get(end + 1), Some(b'[' | b']' | b'\\')),
            );
        }
        let target = &text[start..end];
        let (description, close) = match bytes.get(end..end + 2)? {
            b"]]" => (None, end + 2),
            b"][" => {
                let close = self.brackets.after(text, end + 3)?;
                (Some(&text[end + 2..close]), close + 2)
            }
            _ => return None,
        };
        if target.is_empty() {
            return None;
        }
        let after =
            text[close..].chars().next().map_or(&text[close..close], |c| &text[close..close + c.len_utf8()]);
        let whole = &text[at..close];
        let link = Link { text: whole, format: LinkFormat::Bracket, target, description, after };
        budget::push(&mut self.out.links, link);
        Some(close)
    }

    fn reference(&mut self, at: usize) -> Option<usize> {
        let text = self.text;
        let rest = &text[at + "[fn:".len()..];
        let word = |c: char| c.is_alphanumeric() || c == '-' || c == '_';
        let length = rest.find(|c: char| !word(c)).unwrap_or(rest.len());
        let label = Some(&rest[..length]).filter(|label| !label.is_empty());
        match rest.as_bytes().get(length)? {
            b']' if label.is_some() => {
                let end = at + "[fn:".len() + length + 1;
                budget::push(
                    &mut self.out.references,
                    Reference { text: &text[at..end], label, is_inline: false },
                );
                Some(end)
            }
            b':' => {
                let end = self.closing(at)?;
                budget::push(
                    &mut self.out.references,
                    Reference { text: &text[at..=end], label, is_inline: true },
                );
                // Its text may hold objects.
                Some(at + "[fn:".len() + length + 1)
            }
            _ => None,
        }
    }

    /// The bracket that closes the one at `at`.
    fn closing(&mut self, at: usize) -> Option<usize> {
        let pairs = self.pairs.get_or_insert_with(|| pairs(self.text));
        let index = pairs.binary_search_by_key(&at, |(open, _)| *open).ok()?;
        Some(pairs[index].1)
    }

    /// `<<target>>`, `<<<radio>>>`, `<2026-01-31 Sat>`, `<https://example.org>`.
    fn angle(&mut self, at: usize) -> Option<usize> {
        let text = self.text;
        let rest = &text[at..];
        if rest.starts_with("<<") {
            let is_radio = rest.starts_with("<<<");
            let marks = if is_radio { 3 } else { 2 };
            let close = self.angles.after(text, at + marks)?;
            let name = &text[at + marks..close];
            let is_name = !name.is_empty()
                && !name.contains(['<', '>', '\n'])
                && !name.starts_with([' ', '\t'])
                && !name.ends_with([' ', '\t']);
            let end = close + marks;
            let closed = text.get(close..end).is_some_and(|marks| marks.bytes().all(|byte| byte == b'>'));
            if !is_name || !closed {
                return None;
            }
            budget::push(&mut self.out.targets, Target { text: &text[at..end], name, is_radio });
            return Some(end);
        }
        if let Some(end) = self.timestamp(at) {
            return Some(end);
        }
        let inner = &rest[1..];
        let scheme =
            inner.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || b"+-".contains(byte)).count();
        let is_link = inner.as_bytes().get(scheme) == Some(&b':') && is_link_type(&inner[..scheme]);
        let end = is_link.then(|| inner.find(['<', '>', '\n'])).flatten()?;
        let target = inner[..end].strip_suffix(' ').unwrap_or(&inner[..end]);
        if !inner[end..].starts_with('>') || target.len() <= scheme + 1 {
            return None;
        }
        let whole = &rest[..end + 2];
        let after = &whole[whole.len()..];
        let link = Link { text: whole, format: LinkFormat::Angle, target, description: None, after };
        budget::push(&mut self.out.links, link);
        Some(at + end + 2)
    }

    /// `{{{name(arguments)}}}`
    fn call(&mut self, at: usize) -> Option<usize> {
        let text = self.text;
        let inner = text[at..].strip_prefix("{{{")?;
        if !inner.starts_with(|c: char| c.is_ascii_alphabetic()) {
            return None;
        }
        let length =
            inner.find(|c: char| !c.is_ascii_alphanumeric() && c != '-' && c != '_').unwrap_or(inner.len());
        let name = &inner[..length];
        let close = self.braces.after(text, at + 3 + length)?;
        let between = &text[at + 3 + length..close];
        let arguments = match between.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) {
            Some("") | None if between.is_empty() || between == "()" => Vec::new(),
            Some(arguments) => split_arguments(arguments),
            None => return None,
        };
        let end = close + 3;
        budget::push(&mut self.out.macros, Macro { text: &text[at..end], name, arguments });
        Some(end)
    }

    /// The link whose scheme ends at `at`: `https://example.org`.
    fn plain_link(&mut self, at: usize) -> Option<usize> {
        let text = self.text;
        let bytes = text.as_bytes();
        if bytes.get(at + 1).is_none_or(|byte| byte.is_ascii_whitespace() || b":]>".contains(byte)) {
            return None;
        }
        let longest = at.saturating_sub(LONGEST_TYPE);
        let scheme = bytes[longest..at]
            .iter()
            .rev()
            .take_while(|byte| byte.is_ascii_alphanumeric() || b"+-".contains(byte))
            .count();
        let start = at - scheme;
        if !is_link_type(&text[start..at]) || text[..start].ends_with(|c: char| c.is_alphanumeric()) {
            return None;
        }
        let rest = &text[at + 1..];
        let length = rest
            .find(|c: char| c.is_whitespace() || matches!(c, '<' | '>' | '[' | ']' | '(' | ')'))
            .unwrap_or(rest.len());
        let path = rest[..length].trim_end_matches(['.', ',', ';', ':', '!', '?', '\'', '"']);
        let end = at + 1 + path.len();
        if path.is_empty() {
            return None;
        }
        let target = &text[start..end];
        let after = &text[end..end];
        let link = Link { text: target, format: LinkFormat::Plain, target, description: None, after };
        budget::push(&mut self.out.links, link);
        Some(end)
    }
}

/// Bytes of the longest link type.
const LONGEST_TYPE: usize = 12;

/// The pairs of brackets of a document, by the position of the opening one.
fn pairs(text: &str) -> Vec<(usize, usize)> {
    let mut open = Vec::new();
    let mut pairs = Vec::new();
    for at in memchr::memchr2_iter(b'[', b']', text.as_bytes()) {
        if text.as_bytes()[at] == b'[' {
            open.push(at);
        } else if let Some(opened) = open.pop() {
            pairs.push((opened, at));
        }
    }
    pairs.sort_unstable();
    pairs
}

/// Arguments of a macro: separated by commas that have no backslash before them.
fn split_arguments(text: &str) -> Vec<&str> {
    let mut arguments = Vec::new();
    let mut start = 0;
    for at in memchr::memchr_iter(b',', text.as_bytes()) {
        if !text[..at].ends_with('\\') {
            arguments.push(&text[start..at]);
            start = at + 1;
        }
    }
    arguments.push(&text[start..]);
    arguments
}

/// The link types that Org has without configuration.
const LINK_TYPES: [&str; 28] = [
    "attachment",
    "bbdb",
    "bibtex",
    "coderef",
    "custom-id",
    "docview",
    "doi",
    "elisp",
    "eww",
    "file",
    "file+emacs",
    "file+sys",
    "ftp",
    "gnus",
    "help",
    "http",
    "https",
    "id",
    "info",
    "irc",
    "mailto",
    "man",
    "mhe",
    "news",
    "rmail",
    "shell",
    "shortdoc",
    "w3m",
];

/// Whether this is the type of a link in `type:path`.
pub(super) fn is_link_type(name: &str) -> bool {
    LINK_TYPES.contains(&name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::budget::timed;

    fn objects(text: &str) -> Objects<'_> {
        read(text, std::slice::from_ref(&(0..text.len())))
    }

    #[test]
    fn links_of_every_format_are_read() {
        let text =
            "[[*Plan][the [1] plan]] <https://a.org/x> see https://b.org/y(z). [[a\\]b]] =[[no]]= ~[[no]]~";
        let objects = objects(text);
        let links: Vec<_> = objects.links.iter().map(|link| (link.target, link.description)).collect();
        assert_eq!(
            links,
            [
                ("*Plan", Some("the [1] plan")),
                ("https://a.org/x", None),
                ("https://b.org/y", None),
                ("a\\]b", None),
            ]
        );
    }

    #[test]
    fn footnotes_targets_macros_timestamps_and_citations_are_read() {
        let text = "a[fn:1] b[fn:x: see [[y]] ] c[fn::z] <<t>> <<<r d>>> {{{m(a\\,b,c)}}} {{{n}}} [2026-01-31 Sat] [cite:@k]";
        let objects = objects(text);
        let labels: Vec<_> = objects.references.iter().map(|r| (r.label, r.is_inline)).collect();
        assert_eq!(labels, [(Some("1"), false), (Some("x"), true), (None, true)]);
        assert_eq!(objects.links.len(), 1);
        let targets: Vec<_> = objects.targets.iter().map(|t| (t.name, t.is_radio)).collect();
        assert_eq!(targets, [("t", false), ("r d", true)]);
        let macros: Vec<_> = objects.macros.iter().map(|m| (m.name, m.arguments.len())).collect();
        assert_eq!(macros, [("m", 2), ("n", 0)]);
        assert_eq!((objects.timestamps.len(), objects.citations.len()), (1, 1));
    }

    #[test]
    fn opening_marks_alone_take_linear_time() {
        for mark in ["[[", "[fn:", "[fn::", "<<", "{{{a", "=a ", "<a:", "[[a][", "[cite:"] {
            let text = mark.repeat(200_000 / mark.len());
            let (_, took) = timed(|| objects(&text));
            assert!(took.as_millis() < 2_000, "{mark}: {took:?}");
        }
    }
}
