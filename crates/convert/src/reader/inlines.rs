//! The text of paragraphs: emphasis, code, math, links, citations, notes, shortcodes.
//!
//! Delimiters wait on a stack until their partner is found, as in CommonMark; each search ends at a mark that
//! is known to be there, so hostile text takes linear time.

use std::fmt::Write as _;

use memchr::memmem;

use super::text::Joined;
use crate::{
    budget,
    model::{Attr, Block, Citation, CitationMode, Inline, Place, Target},
    syntax::pandoc::{self, Braces},
    weight::made_inlines,
};

/// Deepest nesting of inlines; what is deeper stays text.
const DEPTH: u32 = 48;

/// Steps that reading a character or a construct takes.
const CHARACTER: u64 = 2;

/// Longest run of backticks around code within a line.
const RUN: usize = 64;

/// Deepest nesting of notes, citations and scripts.
const NESTED: u32 = 6;

/// Links without a closing parenthesis after which no further one is looked for.
const TARGETS: usize = 64;

/// Names that link definitions and notes have in common for a document.
pub(super) trait Names {
    /// The target of a reference link.
    fn link(&self, label: &str) -> Option<Target>;
    /// Whether a note of this name is defined.
    fn has_note(&self, name: &str) -> bool;
    /// Whether quotes and dashes become typographic.
    fn smart(&self) -> bool;
}

/// Reads text as inlines.
pub(super) fn read(joined: &Joined, names: &dyn Names) -> Vec<Inline> {
    made_inlines(read_within(joined, names, 0))
}

/// Like [`read`], for text inside of `depth` notes, citations and the like.
fn read_within(joined: &Joined, names: &dyn Names, depth: u32) -> Vec<Inline> {
    if depth > NESTED {
        return vec![Inline::Str(joined.text.clone())];
    }
    let mut reader = Reader::new(joined, names);
    reader.depth = depth;
    reader.run();
    let parts = std::mem::take(&mut reader.parts);
    let mut out = emphasized(parts);
    trim(&mut out);
    out
}

/// Removes whitespace at both ends.
pub(super) fn trim(inlines: &mut Vec<Inline>) {
    let blank = |inline: &Inline| matches!(inline, Inline::Space | Inline::SoftBreak);
    while inlines.last().is_some_and(blank) {
        inlines.pop();
    }
    let start = inlines.iter().take_while(|inline| blank(inline)).count();
    inlines.drain(..start);
}

enum Part {
    Inline(Inline, u32),
    Delimiter { mark: u8, count: usize, opens: bool, closes: bool },
    Bracket { image: bool, at: usize },
}

struct Reader<'t> {
    joined: &'t Joined,
    text: &'t str,
    bytes: &'t [u8],
    at: usize,
    parts: Vec<Part>,
    /// Indices of the open brackets in `parts`.
    brackets: Vec<usize>,
    /// Text that was read and not yet added.
    word: String,
    names: &'t dyn Names,
    /// How many notes, citations and scripts it is in.
    depth: u32,
    /// Marks that no longer occur.
    dead: Dead,
    quotes: Quotes,
    /// Tags of spans that are open: their indices in `parts`, and how many brackets are open there.
    spans: Vec<(usize, usize)>,
}

#[derive(Default)]
#[allow(clippy::struct_excessive_bools, reason = "one for each construct")]
struct Dead {
    math: bool,
    display: bool,
    tex_math: bool,
    environment: bool,
    comment: bool,
    targets: usize,
    /// Lengths of runs of backticks without a partner.
    code: Vec<usize>,
}

impl<'t> Reader<'t> {
    fn new(joined: &'t Joined, names: &'t dyn Names) -> Self {
        let text = joined.text.as_str();
        Self {
            joined,
            text,
            bytes: text.as_bytes(),
            at: 0,
            parts: Vec::new(),
            brackets: Vec::new(),
            word: String::new(),
            names,
            depth: 0,
            dead: Dead::default(),
            quotes: Quotes { double: false, single: None, no_single_after: usize::MAX },
            spans: Vec::new(),
        }
    }

    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    fn place(&self, offset: usize) -> Place {
        self.joined.place(offset)
    }

    /// A part of the text that is read on its own.
    fn nested(&self, range: std::ops::Range<usize>) -> Vec<Inline> {
        read_within(&self.joined.part(range), self.names, self.depth + 1)
    }

    fn flush(&mut self) {
        if !self.word.is_empty() {
            let word = std::mem::take(&mut self.word);
            self.parts.push(Part::Inline(Inline::Str(word), 0));
        }
    }

    fn push(&mut self, inline: Inline) {
        self.flush();
        self.parts.push(Part::Inline(inline, 0));
    }

    fn run(&mut self) {
        while let Some(byte) = self.bytes.get(self.at).copied().filter(|_| budget::charge(CHARACTER)) {
            match byte {
                b'\\' => self.escape(),
                b'\n' => self.line_end(),
                b' ' | b'\t' => self.space(),
                b'`' => self.code(),
                b'$' => self.math(),
                b'*' | b'_' => self.delimiters(byte),
                b'~' | b'^' => self.script(byte),
                b'[' => self.open(),
                b'!' if self.bytes.get(self.at + 1) == Some(&b'[')
                    && self.bytes.get(self.at + 2) != Some(&b'^') =>
                {
                    self.flush();
                    self.brackets.push(self.parts.len());
                    self.parts.push(Part::Bracket { image: true, at: self.at });
                    self.at += 2;
                }
                b']' => self.close(),
                b'<' => self.angle(),
                b'&' => self.entity(),
                b'@' => self.citation(),
                b'{' if self.rest().starts_with("{{<") => self.shortcode(),
                b'{' if self.rest().starts_with("{{{<") => self.shown_shortcode(),
                b'\'' | b'"' | b'-' | b'.' if self.names.smart() => self.smart(byte),
                _ => self.character(),
            }
        }
        self.flush();
        // Brackets that nothing closes are text.
        for part in &mut self.parts {
            if let Part::Bracket { image, .. } = part {
                *part = Part::Inline(Inline::Str(if *image { "![" } else { "[" }.to_owned()), 0);
            }
        }
    }

    fn character(&mut self) {
        if let Some(c) = self.rest().chars().next() {
            self.word.push(c);
            self.at += c.len_utf8();
        }
    }

    fn escape(&mut self) {
        let rest = &self.bytes[self.at + 1..];
        match rest.first() {
            Some(b'\n') => {
                self.push(Inline::LineBreak);
                self.at += 2;
                self.skip_spaces();
            }
            // The end of a line that is the last one.
            None => {
                self.push(Inline::LineBreak);
                self.at += 1;
            }
            Some(b' ') => {
                self.word.push('\u{a0}');
                self.at += 2;
            }
            Some(b'(') if !self.dead.tex_math => self.tex_math("\\)", false),
            Some(b'[') if !self.dead.tex_math => self.tex_math("\\]", true),
            Some(byte) if byte.is_ascii_punctuation() => {
                self.word.push(char::from(*byte));
                self.at += 2;
            }
            Some(byte) if byte.is_ascii_alphabetic() => self.tex_command(),
            _ => self.character(),
        }
    }

    /// `\(x\)`, which Pandoc reads as text unless it is asked for; Quarto asks for it.
    fn tex_math(&mut self, close: &str, display: bool) {
        let start = self.at + 2;
        match memmem::find(&self.bytes[start..], close.as_bytes()) {
            Some(length) => {
                let tex = self.text[start..start + length].trim().to_owned();
                self.push(Inline::Math { display, tex, place: self.place(self.at) });
                self.at = start + length + 2;
            }
            None => {
                self.dead.tex_math = true;
                self.word.push(char::from(self.bytes[self.at + 1]));
                self.at += 2;
            }
        }
    }

    /// An environment of TeX, or a command with its arguments in braces.
    fn tex_command(&mut self) {
        let start = self.at;
        let close = if self.dead.environment { None } else { pandoc::environment_close(self.rest()) };
        let end = close.and_then(|close| {
            let found = memmem::find(&self.bytes[start..], close.as_bytes());
            self.dead.environment = found.is_none();
            Some(start + found? + close.len())
        });
        let end = end.unwrap_or_else(|| pandoc::tex_command_end(self.text, start, self.bytes.len()));
        let text = self.text[start..end].to_owned();
        self.push(Inline::Raw { format: "tex".to_owned(), text, place: self.place(start) });
        self.at = end;
    }

    fn skip_spaces(&mut self) {
        while matches!(self.bytes.get(self.at), Some(b' ' | b'\t')) {
            self.at += 1;
        }
    }

    fn line_end(&mut self) {
        self.flush();
        self.parts.push(Part::Inline(Inline::SoftBreak, 0));
        self.at += 1;
        self.skip_spaces();
    }

    fn space(&mut self) {
        let start = self.at;
        self.skip_spaces();
        if self.names.smart() && self.after_abbreviation(start) {
            self.word.push('\u{a0}');
            return;
        }
        self.flush();
        if self.bytes.get(self.at) == Some(&b'\n') {
            if self.at - start >= 2 {
                self.parts.push(Part::Inline(Inline::LineBreak, 0));
                self.at += 1;
                self.skip_spaces();
            }
            return;
        }
        self.parts.push(Part::Inline(Inline::Space, 0));
    }

    /// Whether the space at an offset follows an abbreviation, and neither a line end nor a citation or note follows it.
    fn after_abbreviation(&self, space: usize) -> bool {
        let is_break = self.at > space + 1 && self.bytes.get(self.at) == Some(&b'\n');
        if !self.word.ends_with('.') || is_break {
            return false;
        }
        let is_part = |c: char| c.is_alphanumeric() || c == '.';
        let before = &self.text[..space];
        let start = before.char_indices().rev().take(8).take_while(|(_, c)| is_part(*c)).last();
        let word = start.map_or("", |(at, _)| &before[at..]);
        let rest = self.rest();
        ABBREVIATIONS.contains(&word)
            && !rest.starts_with('@')
            && !rest.starts_with("[^")
            && !rest.starts_with("[@")
    }

    fn code(&mut self) {
        let start = self.at;
        let run = self.bytes[start..].iter().take_while(|byte| **byte == b'`').count();
        let from = start + run;
        let close = if self.dead.code.contains(&run) || run > RUN {
            None
        } else {
            pandoc::code_end(self.text, from, self.bytes.len(), run)
        };
        let Some(end) = close else {
            // Fewer marks may have a partner.
            self.dead.code.push(run);
            self.word.push('`');
            self.at += 1;
            return;
        };
        let content = self.text[from..end].replace('\n', " ");
        let content = content.trim().to_owned();
        self.at = end + run;
        let place = self.place(start);
        if self.bytes.get(self.at) == Some(&b'{') {
            match pandoc::braces(self.text, self.at) {
                Braces::Raw { format, range } => {
                    let format = self.text[format].to_owned();
                    self.at = range.end;
                    return self.push(Inline::Raw { format, text: content, place });
                }
                Braces::Attributes(found) => {
                    self.at = found.range.end;
                    return self.push(Inline::code(attr(self.text, &found, place), content));
                }
                Braces::Unclosed(_) | Braces::Other => {}
            }
        }
        // Code in braces of a language is executed by Quarto; what it would give is not known.
        self.push(Inline::code(Attr { place, ..Attr::default() }, content));
    }

    fn math(&mut self) {
        let start = self.at;
        if self.rest().starts_with("$$") {
            let found = if self.dead.display { None } else { memmem::find(&self.bytes[start + 2..], b"$$") };
            match found {
                Some(length) => {
                    let tex = self.text[start + 2..start + 2 + length].to_owned();
                    self.at = start + 4 + length;
                    self.push(Inline::Math { display: true, tex, place: self.place(start) });
                    self.equation_attributes(start);
                }
                None => {
                    self.dead.display = true;
                    self.word.push_str("$$");
                    self.at += 2;
                }
            }
            return;
        }
        let opens = self.bytes.get(start + 1).is_some_and(|byte| !byte.is_ascii_whitespace());
        let found = if opens && !self.dead.math {
            pandoc::math_end(self.text, start + 1, self.bytes.len())
        } else {
            None
        };
        match found {
            Some(end) => {
                let tex = self.text[start + 1..end].to_owned();
                self.at = end + 1;
                self.push(Inline::Math { display: false, tex, place: self.place(start) });
            }
            None => {
                self.dead.math |= opens;
                self.character();
            }
        }
    }

    /// `{#eq-label}` after display math, which makes it a span.
    fn equation_attributes(&mut self, start: usize) {
        let rest = self.rest();
        let gap = rest.len() - rest.trim_start().len();
        if !rest[gap..].starts_with('{') {
            return;
        }
        if let Braces::Attributes(found) = pandoc::braces(self.text, self.at + gap) {
            self.at = found.range.end;
            let attr = attr(self.text, &found, self.place(start));
            if let Some(Part::Inline(math, _)) = self.parts.pop() {
                self.parts.push(Part::Inline(Inline::span(attr, vec![math]), 1));
            }
        }
    }

    fn delimiters(&mut self, mark: u8) {
        let start = self.at;
        let count = self.bytes[start..].iter().take_while(|byte| **byte == mark).count();
        let before = self.text[..start].chars().next_back().unwrap_or(' ');
        let after = self.text[start + count..].chars().next().unwrap_or(' ');
        let left = !after.is_whitespace();
        let right = !before.is_whitespace();
        let (opens, closes) = if mark == b'_' {
            (left && !before.is_alphanumeric(), right && !after.is_alphanumeric())
        } else {
            (left, right)
        };
        self.flush();
        self.parts.push(Part::Delimiter { mark, count, opens, closes });
        self.at += count;
    }

    /// `~~deleted~~`, `~low~`, `^high^`; the last two without whitespace.
    fn script(&mut self, mark: u8) {
        if self.bytes[self.at..].starts_with(b"^[") {
            return self.inline_note();
        }
        if mark == b'~' && self.bytes[self.at..].starts_with(b"~~") {
            self.flush();
            let before = self.text[..self.at].chars().next_back().unwrap_or(' ');
            let after = self.text[self.at + 2..].chars().next().unwrap_or(' ');
            let (opens, closes) = (!after.is_whitespace(), !before.is_whitespace());
            self.parts.push(Part::Delimiter { mark: b'-', count: 2, opens, closes });
            self.at += 2;
            return;
        }
        let inner = &self.bytes[self.at + 1..self.bytes.len().min(self.at + 200)];
        let end = inner.iter().enumerate().position(|(at, byte)| {
            byte.is_ascii_whitespace() && (at == 0 || inner[at - 1] != b'\\') || *byte == mark
        });
        match end.filter(|end| *end > 0 && inner[*end] == mark) {
            Some(length) => {
                let start = self.at + 1;
                let content = self.nested(start..start + length);
                let wrap = if mark == b'~' { Inline::Subscript } else { Inline::Superscript };
                self.push(wrap(content));
                self.at = start + length + 1;
            }
            None => self.character(),
        }
    }

    fn inline_note(&mut self) {
        let start = self.at + 2;
        let window = &self.bytes[start..self.bytes.len().min(start + 8192)];
        let mut depth = 1_usize;
        let end = window.iter().position(|byte| {
            depth += usize::from(*byte == b'[');
            depth -= usize::from(*byte == b']');
            depth == 0
        });
        match end {
            Some(length) => {
                let content = self.nested(start..start + length);
                self.push(Inline::Note(vec![Block::Para(content)]));
                self.at = start + length + 1;
            }
            None => self.character(),
        }
    }

    fn open(&mut self) {
        if let Some(name) = pandoc::note_name(self.text, self.at, self.bytes.len()) {
            let label = &self.text[name.clone()];
            if self.names.has_note(label) {
                let place = self.place(self.at);
                self.push(Inline::NoteReference(label.to_owned(), place));
                self.at = name.end + 1;
                return;
            }
        }
        self.flush();
        self.brackets.push(self.parts.len());
        self.parts.push(Part::Bracket { image: false, at: self.at });
        self.at += 1;
    }

    fn close(&mut self) {
        self.flush();
        let close = self.at;
        let Some(opener) = self.brackets.pop() else { return self.character() };
        let Part::Bracket { image, at } = self.parts[opener] else { return self.character() };
        self.at += 1;
        let words = at + 1 + usize::from(image)..close;
        let made = match self.bytes.get(self.at) {
            Some(b'(') => self.inline_link(at),
            Some(b'{') if !image => self.attributes(at).map(Made::Span),
            _ => None,
        };
        let made = made.or_else(|| self.cited(&words)).or_else(|| self.reference(&words, at));
        let Some(made) = made else {
            let text = if image { "![" } else { "[" };
            self.parts[opener] = Part::Inline(Inline::Str(text.to_owned()), 0);
            self.word.push(']');
            return;
        };
        let mut inner = self.parts.split_off(opener + 1);
        self.parts.pop();
        budget::charge(inner.len() as u64);
        let height = height(&inner) + 1;
        if height > DEPTH {
            self.parts.push(Part::Inline(Inline::Str("[".to_owned()), 0));
            self.parts.append(&mut inner);
            return;
        }
        let mut content = emphasized(inner);
        trim(&mut content);
        let inline = match made {
            Made::Link(attr, target) if image => Inline::image(attr, content, target),
            Made::Link(attr, target) => Inline::link(attr, content, target),
            Made::Span(attr) => Self::span(attr, content),
            Made::Cite(citations) => {
                if image {
                    self.parts.push(Part::Inline(Inline::Str("!".to_owned()), 0));
                }
                Inline::Cite(citations, content)
            }
        };
        self.parts.push(Part::Inline(inline, height));
    }

    /// A span; some classes stand for inlines.
    fn span(mut attr: Attr, content: Vec<Inline>) -> Inline {
        let is_small = |style: &str| {
            let style: String = style.chars().filter(|c| !matches!(c, ' ' | '\t' | ';')).collect();
            style.eq_ignore_ascii_case("font-variant:small-caps")
        };
        let mut small = attr.classes.iter().any(|class| class == "smallcaps");
        let underlined = attr.has_class("ul") || attr.has_class("underline");
        if attr.get("style").is_some_and(is_small) {
            attr.take("style");
            small = true;
        }
        attr.classes.retain(|class| !matches!(class.as_str(), "smallcaps" | "ul" | "underline"));
        let mut content = content;
        if underlined {
            content = vec![Inline::Underline(content)];
        }
        if small {
            content = vec![Inline::SmallCaps(content)];
        }
        if attr.is_empty() && (small || underlined) {
            return content.remove(0);
        }
        Inline::span(attr, content)
    }

    fn attributes(&mut self, start: usize) -> Option<Attr> {
        let Braces::Attributes(found) = pandoc::braces(self.text, self.at) else { return None };
        self.at = found.range.end;
        Some(attr(self.text, &found, self.place(start)))
    }

    fn inline_link(&mut self, start: usize) -> Option<Made> {
        if self.dead.targets > TARGETS {
            return None;
        }
        let Some((target, title, end)) = destination(self.text, self.at + 1) else {
            self.dead.targets += 1;
            return None;
        };
        self.at = end;
        let place = self.place(start);
        let attr = if self.bytes.get(self.at) == Some(&b'{') { self.attributes(start) } else { None };
        let attr = attr.unwrap_or(Attr { place, ..Attr::default() });
        Some(Made::Link(attr, Target { url: target, title }))
    }

    /// `[text][label]`, `[text][]`, `[label]`.
    fn reference(&mut self, words: &std::ops::Range<usize>, start: usize) -> Option<Made> {
        let mut end = self.at;
        let mut label = &self.text[words.clone()];
        if self.bytes.get(end) == Some(&b'[') {
            let window = &self.text[end + 1..];
            let length = window.bytes().take(300).position(|byte| matches!(byte, b']' | b'['));
            if let Some(length) = length.filter(|at| window.as_bytes()[*at] == b']') {
                if length > 0 {
                    label = &window[..length];
                }
                end += length + 2;
            }
        }
        if label.len() > 300 {
            return None;
        }
        let target = self.names.link(label)?;
        self.at = end;
        let place = self.place(start);
        let attr = if self.bytes.get(self.at) == Some(&b'{') { self.attributes(start) } else { None };
        Some(Made::Link(attr.unwrap_or(Attr { place, ..Attr::default() }), target))
    }

    /// `[see @a, p. 3; -@b]`
    fn cited(&mut self, words: &std::ops::Range<usize>) -> Option<Made> {
        let text = &self.text[words.clone()];
        if !text.contains('@') || text.len() > 4096 {
            return None;
        }
        let mut citations = Vec::new();
        let mut at = words.start;
        for part in text.split(';') {
            let found = part.match_indices('@').find_map(|(sign, _)| {
                let before = part[..sign].chars().next_back();
                let starts = before.is_none_or(|c| c.is_whitespace() || matches!(c, '-' | '(' | '['));
                let key = pandoc::citation_key(&part[sign + 1..]);
                (starts && !key.is_empty()).then_some((sign, key))
            });
            let (sign, key) = found?;
            let suppressed = part[..sign].ends_with('-');
            let prefix = part[..sign].trim_end_matches('-').trim();
            let prefix_start = at + part.len() - part.trim_start().len();
            let key_start = sign + 1 + key.start;
            let key_end = sign + 1 + key.end;
            let braced = usize::from(part[sign + 1..].starts_with('{'));
            let suffix = part[key_end + braced..].trim_end();
            let inner = |text: &str, start: usize| {
                let mut inlines = self.nested(start..start + text.len());
                if text.starts_with(' ') && !inlines.is_empty() {
                    inlines.insert(0, Inline::Space);
                }
                inlines
            };
            citations.push(Citation {
                key: part[key_start..key_end].to_owned(),
                prefix: if prefix.is_empty() { Vec::new() } else { inner(prefix, prefix_start) },
                suffix: inner(suffix, at + key_end + braced),
                mode: if suppressed { CitationMode::SuppressAuthor } else { CitationMode::Normal },
                place: self.place(at + sign),
            });
            at += part.len() + 1;
        }
        Some(Made::Cite(citations))
    }

    /// A comment, a tag or an address.
    fn angle(&mut self) {
        let start = self.at;
        let rest = self.rest();
        if rest.starts_with("<!--") && !self.dead.comment {
            match rest.find("-->") {
                Some(end) => {
                    self.at += end + 3;
                    let text = self.text[start..self.at].to_owned();
                    return self.push(Inline::Raw { format: "html".into(), text, place: self.place(start) });
                }
                None => self.dead.comment = true,
            }
        }
        let window = &rest[..rest.floor_char_boundary(2048)];
        if let Some(end) = window.find('>') {
            let inner = &window[1..end];
            let scheme = inner.find(':').map_or("", |at| &inner[..at]);
            let is_scheme = scheme.starts_with(|c: char| c.is_ascii_alphabetic())
                && scheme
                    .bytes()
                    .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.'));
            let address = is_scheme && (inner.contains("://") || inner.starts_with("mailto:"));
            let mail = !inner.contains([':', '/', ' ', '=', '"'])
                && inner
                    .split_once('@')
                    .is_some_and(|(name, domain)| !name.is_empty() && domain.contains('.'));
            if (address || mail) && !inner.contains(char::is_whitespace) && !inner.contains('<') {
                let (class, url) =
                    if address { ("uri", inner.to_owned()) } else { ("email", format!("mailto:{inner}")) };
                let attr = Attr { place: self.place(start), ..Attr::class(class) };
                let text = inner.trim_start_matches("mailto:").to_owned();
                self.at += end + 1;
                let own = if self.bytes.get(self.at) == Some(&b'{') { self.attributes(start) } else { None };
                let attr = own.unwrap_or(attr);
                self.push(Inline::link(attr, vec![Inline::Str(text)], Target { url, ..Target::default() }));
                return;
            }
        }
        match pandoc::tags::tag(rest) {
            Some(tag) if tag.name.eq_ignore_ascii_case("span") && tag.closing && self.close_span() => {
                self.at += tag.length;
            }
            Some(tag) => {
                if tag.name.eq_ignore_ascii_case("span") && !tag.closing {
                    self.flush();
                    self.spans.push((self.parts.len(), self.brackets.len()));
                }
                let text = rest[..tag.length].to_owned();
                self.push(Inline::Raw { format: "html".into(), text, place: self.place(start) });
                self.at += tag.length;
            }
            None => self.character(),
        }
    }

    /// Makes a span of what is between the last tag that opens one and the tag here.
    fn close_span(&mut self) -> bool {
        self.flush();
        let Some((opener, brackets)) = self.spans.pop() else { return false };
        let Some(Part::Inline(Inline::Raw { text, place, .. }, _)) = self.parts.get(opener) else {
            return false;
        };
        if brackets != self.brackets.len() {
            return false;
        }
        let mut attr = Attr { place: *place, ..Attr::default() };
        for (key, value) in pandoc::tags::attributes(text) {
            match key.as_str() {
                "id" => attr.id = value,
                "class" => attr.classes = value.split_whitespace().map(str::to_owned).collect(),
                _ => attr.pairs.push((key, value)),
            }
        }
        let inner = self.parts.split_off(opener + 1);
        budget::charge(inner.len() as u64);
        let height = height(&inner) + 1;
        if height > DEPTH {
            self.parts.extend(inner);
            return false;
        }
        self.parts.pop();
        let content = emphasized(inner);
        self.parts.push(Part::Inline(Self::span(attr, content), height));
        true
    }

    fn entity(&mut self) {
        let rest = self.rest();
        let window = &rest[..rest.floor_char_boundary(40)];
        let decoded = window.find(';').and_then(|end| Some((super::entities::entity(&window[1..end])?, end)));
        match decoded {
            Some((c, end)) => {
                self.word.push_str(&c);
                self.at += end + 1;
            }
            None => self.character(),
        }
    }

    fn citation(&mut self) {
        let start = self.at;
        let Some(key) = pandoc::cited_key(self.text, 0, start, self.bytes.len()) else {
            return self.character();
        };
        let braced = usize::from(self.text[start + 1..].starts_with('{'));
        let name = self.text[key.clone()].to_owned();
        self.at = key.end + braced;
        let mut mode = CitationMode::InText;
        if self.word.ends_with('-') && self.word.len() == 1 {
            self.word.clear();
            mode = CitationMode::SuppressAuthor;
        }
        let mut shown = vec![Inline::Str(format!("@{name}"))];
        let mut suffix = Vec::new();
        let mut further = Vec::new();
        if let Some((range, length)) = self.listed()
            && let Some(Made::Cite(citations)) = self.cited(&range)
        {
            shown.extend([Inline::Space, Inline::Str(self.text[range.start - 1..=range.end].to_owned())]);
            further = citations;
            self.at += length;
        } else if mode == CitationMode::InText
            && let Some((first, range, length)) = self.located()
            && let Some(Made::Cite(citations)) = self.cited(&range)
        {
            suffix = self.nested(first.clone());
            shown.extend([Inline::Space, Inline::Str(self.text[first.start - 1..=range.end].to_owned())]);
            further = citations;
            self.at += length;
        } else if mode == CitationMode::InText
            && let Some((text, length)) = bracketed(self.rest())
        {
            let start = self.at + length - 1 - text.len();
            suffix = self.nested(start..start + text.len());
            shown.extend([Inline::Space, Inline::Str("[".to_owned())]);
            shown.extend(suffix.iter().cloned());
            shown.push(Inline::Str("]".to_owned()));
            self.at += length;
        }
        let citation = Citation { key: name, prefix: vec![], suffix, mode, place: self.place(start) };
        let mut citations = vec![citation];
        citations.append(&mut further);
        self.push(Inline::Cite(citations, shown));
    }

    /// `@a [p. 3; @b]`: the range of the text about the first, that of further citations, and their length.
    fn located(&self) -> Option<(std::ops::Range<usize>, std::ops::Range<usize>, usize)> {
        let rest = self.rest();
        let spaces = usize::from(rest.starts_with([' ', '\n']));
        let inner = rest[spaces..].strip_prefix('[')?;
        let window = &inner[..inner.floor_char_boundary(400)];
        let end = window.find([']', '[']).filter(|end| window[*end..].starts_with(']'))?;
        let (first, further) = window[..end].split_once(';')?;
        let is_list =
            !first.contains('@') && further.contains('@') && !inner[end + 1..].starts_with(['(', '[', '{']);
        let start = self.at + spaces + 1;
        is_list.then(|| (start..start + first.len(), start + first.len() + 1..start + end, spaces + end + 2))
    }

    /// The range of further citations in brackets after one in the text, `@a [@b; @c]`, and their length with the
    /// space before them.
    fn listed(&self) -> Option<(std::ops::Range<usize>, usize)> {
        let rest = self.rest();
        let spaces = usize::from(rest.starts_with([' ', '\n']));
        let inner = rest[spaces..].strip_prefix('[')?;
        let window = &inner[..inner.floor_char_boundary(400)];
        let end = window.find([']', '[']).filter(|end| window[*end..].starts_with(']'))?;
        let after = &inner[end + 1..];
        let start = self.at + spaces + 1;
        let is_list = window[..end].contains('@') && !after.starts_with(['(', '[', '{']);
        is_list.then(|| (start..start + end, spaces + end + 2))
    }

    fn shortcode(&mut self) {
        let start = self.at;
        let window = &self.rest()[..self.rest().floor_char_boundary(8192)];
        let Some(end) = window.find(">}}") else { return self.character() };
        let text = &window[..end + 3];
        self.at += text.len();
        // `{{</* … */>}}` shows a shortcode.
        if let Some(inner) = text.strip_prefix("{{</*").and_then(|text| text.strip_suffix("*/>}}")) {
            let _ = write!(self.word, "{{{{<{inner}>}}}}");
            return;
        }
        match super::shortcode(text, self.place(start)) {
            Some(shortcode) => self.push(Inline::Shortcode(shortcode.into())),
            None => self.word.push_str(text),
        }
    }

    /// `{{{< … >}}}`, which shows a shortcode.
    fn shown_shortcode(&mut self) {
        let window = &self.rest()[..self.rest().floor_char_boundary(8192)];
        match window.find(">}}}") {
            Some(end) => {
                self.word.push_str(&window[1..end + 3]);
                self.at += end + 4;
            }
            None => self.character(),
        }
    }

    fn smart(&mut self, byte: u8) {
        let rest = self.rest();
        let (text, length) = match byte {
            b'-' if rest.starts_with("---") => ("—", 3),
            b'-' if rest.starts_with("--") => ("–", 2),
            b'.' if rest.starts_with("...") => ("…", 3),
            b'"' => (self.double_quote(), 1),
            b'\'' => (self.single_quote(), 1),
            _ => return self.character(),
        };
        self.word.push_str(text);
        self.at += length;
    }

    /// Whether a quotation mark here may open: not after a word and not before a space.
    fn may_quote(&self) -> bool {
        let before = self.text[..self.at].chars().next_back();
        let after_word = before.is_some_and(|c| c.is_alphanumeric() || c == '.') || self.after_emphasis();
        let after = self.bytes.get(self.at + 1);
        !after_word && after.is_some_and(|byte| !matches!(byte, b' ' | b'\t'))
    }

    /// Whether emphasis ends here.
    fn after_emphasis(&self) -> bool {
        let Some((Part::Delimiter { mark, closes: true, .. }, before)) = self.parts.split_last() else {
            return false;
        };
        let is_opener =
            |part: &Part| matches!(part, Part::Delimiter { mark: own, opens: true, .. } if own == mark);
        self.word.is_empty() && *mark != b'-' && before.iter().rev().take(256).any(is_opener)
    }

    /// The mark for `"`: closing where a quotation is open, opening where one may begin.
    fn double_quote(&mut self) -> &'static str {
        if self.quotes.double {
            self.quotes.double = false;
            return "”";
        }
        if !self.may_quote() {
            return "”";
        }
        // Without an end, the mark is that of a quotation that goes on.
        self.quotes.double = self.bytes[self.at + 1..].contains(&b'"');
        "“"
    }

    /// The mark for `'`: an apostrophe, unless a quotation begins or ends.
    fn single_quote(&mut self) -> &'static str {
        if let Some(end) = self.quotes.single.filter(|end| *end >= self.at) {
            if end == self.at {
                self.quotes.single = None;
            }
            return "’";
        }
        self.quotes.single = None;
        let from = self.at + 2;
        if !self.may_quote() || self.quotes.no_single_after <= from {
            return "’";
        }
        let is_end = |at: &usize| {
            !self.text[at + 1..].starts_with(|c: char| c.is_alphanumeric()) && self.bytes[at - 1] != b'\\'
        };
        let found = memchr::memchr_iter(b'\'', self.bytes.get(from..).unwrap_or_default())
            .map(|at| from + at)
            .take_while(|_| budget::charge(CHARACTER))
            .find(is_end);
        match found {
            Some(end) => {
                self.quotes.single = Some(end);
                "‘"
            }
            None => {
                self.quotes.no_single_after = from;
                "’"
            }
        }
    }
}

/// The quotations that are open.
#[derive(Debug)]
struct Quotes {
    double: bool,
    /// Where the one in single marks ends.
    single: Option<usize>,
    /// From here on, no mark ends a quotation in single marks.
    no_single_after: usize,
}

/// Abbreviations, after which a space does not end a line.
const ABBREVIATIONS: [&str; 80] = [
    "Apr.", "Aug.", "Bros.", "Capt.", "Co.", "Corp.", "Dec.", "Dr.", "Feb.", "Fr.", "Gen.", "Gov.", "Hon.",
    "Inc.", "Jan.", "Jr.", "Jul.", "Jun.", "Ltd.", "M.A.", "M.D.", "Mar.", "Mr.", "Mrs.", "Ms.", "No.",
    "Nov.", "Oct.", "Ph.D.", "Pres.", "Prof.", "Rep.", "Rev.", "Sen.", "Sep.", "Sept.", "Sgt.", "Sr.", "St.",
    "aet.", "aetat.", "al.", "bk.", "c.", "cf.", "ch.", "chap.", "chs.", "col.", "cp.", "d.", "e.g.", "ed.",
    "eds.", "esp.", "f.", "fasc.", "ff.", "fig.", "fl.", "fol.", "fols.", "i.e.", "ill.", "incl.", "n.",
    "n.b.", "nn.", "p.", "pp.", "pt.", "q.v.", "s.v.", "s.vv.", "saec.", "sec.", "univ.", "viz.", "vol.",
    "vs.",
];

enum Made {
    Link(Attr, Target),
    Span(Attr),
    Cite(Vec<Citation>),
}

fn height(parts: &[Part]) -> u32 {
    let heights = parts.iter().map(|part| if let Part::Inline(_, height) = part { *height } else { 0 });
    heights.max().unwrap_or(0)
}

/// Pairs the delimiters of emphasis.
fn emphasized(parts: Vec<Part>) -> Vec<Inline> {
    let mut out: Vec<Part> = Vec::new();
    // Indices in `out` of delimiters that can open, and how many there are of each mark.
    let mut openers: Vec<usize> = Vec::new();
    let mut open = [0_usize; 3];
    let slot = |mark: u8| match mark {
        b'*' => 0,
        b'_' => 1,
        _ => 2,
    };
    for part in parts {
        let Part::Delimiter { mark, mut count, opens, closes } = part else {
            out.push(part);
            continue;
        };
        while closes && count > 0 && open[slot(mark)] > 0 {
            let Some(at) = openers.pop() else { break };
            let Part::Delimiter { mark: found, count: available, .. } = &mut out[at] else { continue };
            open[slot(*found)] -= 1;
            if *found != mark {
                continue;
            }
            let used = if mark == b'-' || (*available >= 2 && count >= 2) { 2 } else { 1 };
            if mark == b'-' && (*available < 2 || count < 2) {
                continue;
            }
            *available -= used;
            let left = *available;
            count -= used;
            let marks = || Part::Inline(Inline::Str(char::from(mark).to_string().repeat(used)), 0);
            budget::charge((out.len() - at) as u64);
            let tall = height(&out[at + 1..]) + 1;
            if tall > DEPTH {
                // Text, where it is: nothing is moved, since there may be thousands of these.
                if left == 0 {
                    out[at] = marks();
                } else {
                    out.insert(at + 1, marks());
                }
                out.push(marks());
                continue;
            }
            let mut content: Vec<Inline> = out.split_off(at + 1).into_iter().map(text_of).collect();
            trim(&mut content);
            if content.is_empty() {
                out.extend([marks(), marks()]);
                continue;
            }
            let wrapped = match (mark, used) {
                (b'-', _) => Inline::Strikeout(content),
                (_, 2) => Inline::Strong(content),
                _ => Inline::Emph(content),
            };
            if left == 0 {
                out.pop();
            } else {
                openers.push(at);
                open[slot(mark)] += 1;
            }
            out.push(Part::Inline(wrapped, tall));
        }
        if count > 0 {
            if opens {
                openers.push(out.len());
                open[slot(mark)] += 1;
            }
            out.push(Part::Delimiter { mark, count, opens, closes });
        }
    }
    merged(out.into_iter().map(text_of))
}

/// A delimiter without a partner is text.
fn text_of(part: Part) -> Inline {
    match part {
        Part::Inline(inline, _) => inline,
        Part::Delimiter { mark, count, .. } => {
            let mark = if mark == b'-' { '~' } else { char::from(mark) };
            Inline::Str(mark.to_string().repeat(count))
        }
        Part::Bracket { image, .. } => Inline::Str(if image { "![" } else { "[" }.to_owned()),
    }
}

/// Strings next to each other as one.
fn merged(inlines: impl Iterator<Item = Inline>) -> Vec<Inline> {
    let mut out: Vec<Inline> = Vec::new();
    for inline in inlines {
        match (out.last_mut(), inline) {
            (Some(Inline::Str(last)), Inline::Str(text)) => last.push_str(&text),
            (Some(last @ (Inline::Space | Inline::SoftBreak)), Inline::LineBreak) => {
                *last = Inline::LineBreak;
            }
            (Some(Inline::LineBreak), Inline::Space | Inline::SoftBreak)
            | (Some(Inline::Space | Inline::SoftBreak), Inline::Space) => {}
            (Some(last @ Inline::Space), Inline::SoftBreak) => *last = Inline::SoftBreak,
            (_, inline) => out.push(inline),
        }
    }
    out
}

/// The attributes of a pair of braces.
pub(super) fn attr(text: &str, found: &pandoc::Attributes, place: Place) -> Attr {
    let value = |range: &std::ops::Range<usize>| unescaped(&text[range.clone()]);
    let mut out = Attr {
        id: found.id.as_ref().map(|id| text[id.clone()].to_owned()).unwrap_or_default(),
        classes: found
            .classes
            .iter()
            .map(|class| text[class.clone()].to_owned())
            .map(|class| if class == "-" { "unnumbered".to_owned() } else { class })
            .collect(),
        pairs: found
            .pairs
            .iter()
            .map(|pair| (text[pair.key.clone()].to_owned(), value(&pair.value)))
            .collect(),
        place,
    };
    for (key, value) in out.pairs.extract_if(.., |(key, _)| matches!(key.as_str(), "id" | "class")) {
        match key.as_str() {
            "id" => out.id = value,
            _ => out.classes.extend(value.split_whitespace().map(str::to_owned)),
        }
    }
    out
}

/// Text without the backslashes of its escapes, with the characters of its entities, and on one line.
fn unescaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let after = &rest[c.len_utf8()..];
        if c == '\\' && after.starts_with(|c: char| c.is_ascii_punctuation()) {
            out.push_str(&after[..1]);
            rest = &after[1..];
            continue;
        }
        if c == '&'
            && let Some(end) = after.bytes().take(40).position(|byte| byte == b';')
            && let Some(character) = super::entities::entity(&after[..end])
        {
            out.push_str(&character);
            rest = &after[end + 1..];
            continue;
        }
        out.push(if c == '\n' { ' ' } else { c });
        rest = after;
    }
    out
}

/// The target and the title after an opening parenthesis, and where the link ends.
pub(super) fn destination(text: &str, start: usize) -> Option<(String, String, usize)> {
    let found = pandoc::destination(text, start, text.len())?;
    let Target { url, title } = target(text, &found);
    Some((url, title, found.end))
}

/// A target as it is in the model.
pub(super) fn target(text: &str, found: &pandoc::Destination) -> Target {
    let written = &text[found.url.clone()];
    let is_exact = text[..found.url.start].ends_with('<');
    let url = if is_exact { escaped_url(written) } else { address(written) };
    let title = found.title.clone().map_or_else(String::new, |title| unescaped(&text[title]));
    Target { url, title }
}

/// The address that a target is written as.
pub(super) fn address(written: &str) -> String {
    let words: Vec<&str> = written.split_whitespace().collect();
    escaped_url(&unescaped(&words.join(" ")))
}

/// An address in which characters that none may have are escaped, except in shortcodes.
fn escaped_url(url: &str) -> String {
    let mut out = String::with_capacity(url.len());
    let mut rest = url;
    while let Some(c) = rest.chars().next() {
        if rest.starts_with("{{<")
            && let Some(end) = rest.find(">}}")
        {
            out.push_str(&rest[..end + 3].replace(' ', "%20"));
            rest = &rest[end + 3..];
            continue;
        }
        if c.is_whitespace() || matches!(c, '<' | '>' | '|' | '"' | '{' | '}' | '[' | ']' | '^' | '`') {
            let mut bytes = [0; 4];
            for byte in c.encode_utf8(&mut bytes).bytes() {
                let _ = write!(out, "%{byte:02X}");
            }
        } else {
            out.push(c);
        }
        rest = &rest[c.len_utf8()..];
    }
    out
}

/// The text in brackets after a citation in the text, `@a [p. 3]`, and how long it is with its brackets. A link, a
/// note and further citations are something else.
fn bracketed(text: &str) -> Option<(&str, usize)> {
    let spaces = usize::from(text.starts_with([' ', '\n']));
    let inner = text[spaces..].strip_prefix('[')?;
    let window = &inner[..inner.floor_char_boundary(400)];
    let end = window.find([']', '[', '@'])?;
    let after = window[end..].strip_prefix(']')?;
    let is_text = !inner.starts_with(['^', '!']) && end > 0 && !after.starts_with(['(', '[', '{', ':']);
    is_text.then_some((&inner[..end], spaces + end + 2))
}
