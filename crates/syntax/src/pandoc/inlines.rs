use std::ops::Range;

use memchr::memmem;

use super::{
    attributes::{self, Attributes, Braces},
    document::{Citation, CodeSpan, Equation, Footnote, Link, LinkKind, Loose, Pandoc, SlipKind},
    lines::run,
    marks,
};

/// The text of a paragraph or a heading.
#[derive(Debug, Clone)]
pub(super) struct Inline {
    pub(super) range: Range<usize>,
    /// Whether it is a heading, whose attributes end it.
    pub(super) heading: bool,
    /// Whether it is the caption of a table.
    pub(super) caption: bool,
    /// The div around it.
    pub(super) div: Option<usize>,
}

/// Reads a paragraph or heading into `out`; gives the attributes that end a heading.
pub(super) fn read(text: &str, inline: &Inline, out: &mut Pandoc) -> Option<Attributes> {
    let mut reader = Reader {
        text,
        bytes: text.as_bytes(),
        at: inline.range.start,
        end: inline.range.end,
        inline,
        out,
        brackets: Vec::new(),
        dead: Dead::default(),
        math_end: None,
        trailing: None,
    };
    reader.run();
    reader.trailing
}

/// Longest run of backticks that can delimit code.
const TICKS: usize = 32;

/// Most brackets that are followed at once.
const BRACKETS: usize = 256;

/// Most targets without an end that are looked for in one paragraph.
const TARGETS: usize = 64;

/// Longest shortcode that is passed over.
const SHORTCODE: usize = 4096;

/// What no longer occurs in the rest of a paragraph, so that it is not looked for again.
#[derive(Default)]
#[allow(clippy::struct_excessive_bools, reason = "one for each construct")]
struct Dead {
    /// One bit for each length of a run of backticks.
    ticks: u64,
    math: bool,
    display: bool,
    tex_math: bool,
    environment: bool,
    tag: bool,
    comment: bool,
    targets: usize,
}

struct Bracket {
    at: usize,
    image: bool,
}

struct Reader<'r> {
    text: &'r str,
    bytes: &'r [u8],
    at: usize,
    end: usize,
    inline: &'r Inline,
    out: &'r mut Pandoc,
    brackets: Vec<Bracket>,
    dead: Dead,
    /// The last display math.
    math_end: Option<Range<usize>>,
    trailing: Option<Attributes>,
}

impl Reader<'_> {
    fn run(&mut self) {
        while self.at < self.end {
            match self.bytes[self.at] {
                b'\\' => self.escape(),
                b'`' => self.code(),
                b'$' => self.math(),
                b'<' => self.angle(),
                b'{' => self.brace(),
                b'[' => self.open(),
                b']' => self.close(),
                b'@' => self.citation(),
                _ => self.at += 1,
            }
        }
    }

    /// An escaped character, math, or a command of TeX.
    fn escape(&mut self) {
        let next = self.bytes[..self.end].get(self.at + 1).copied();
        match next {
            Some(open @ (b'(' | b'[')) => {
                let close: &[u8] = if open == b'(' { b"\\)" } else { b"\\]" };
                let found = if self.dead.tex_math { None } else { self.find(close, self.at + 2) };
                self.dead.tex_math |= found.is_none();
                self.at = found.unwrap_or(self.at) + 2;
            }
            Some(byte) if byte.is_ascii_alphabetic() => self.tex_command(),
            Some(byte) if byte.is_ascii_punctuation() => self.at += 2,
            _ => self.at += 1,
        }
    }

    fn tex_command(&mut self) {
        let close = if self.dead.environment {
            None
        } else {
            marks::environment_close(&self.text[self.at..self.end])
        };
        if let Some(close) = close {
            if let Some(found) = self.find(close.as_bytes(), self.at) {
                self.at = found + close.len();
                return;
            }
            self.dead.environment = true;
        }
        self.at = marks::tex_command_end(self.text, self.at, self.end);
    }

    fn rest(&self) -> &[u8] {
        &self.bytes[self.at..self.end]
    }

    /// The offset of `needle` from an offset on.
    fn find(&self, needle: &[u8], from: usize) -> Option<usize> {
        let from = from.min(self.end);
        memmem::find(&self.bytes[from..self.end], needle).map(|at| from + at)
    }

    fn code(&mut self) {
        let start = self.at;
        let ticks = run(&self.text[start..self.end], b'`');
        let is_dead = ticks > TICKS || self.dead.ticks & (1 << ticks) != 0;
        let from = start + ticks;
        let close = if is_dead { None } else { marks::code_end(self.text, from, self.end, ticks) };
        if let Some(close) = close {
            return self.code_span(start..close + ticks, from..close);
        }
        // Fewer marks may have a partner.
        if !is_dead {
            self.dead.ticks |= 1 << ticks;
        }
        self.at += ticks.saturating_sub(TICKS).max(1);
    }

    fn code_span(&mut self, range: Range<usize>, content: Range<usize>) {
        self.at = range.end;
        let words = self.text[content.clone()].trim_start();
        let executed = words.starts_with('{') && words.contains('}');
        let mut span = CodeSpan { range, content, attributes: None, raw: None };
        if self.rest().first() == Some(&b'{') {
            match attributes::read(self.text, self.at, self.end) {
                Braces::Attributes(attributes) => {
                    self.at = attributes.range.end;
                    span.attributes = Some(attributes);
                }
                Braces::Raw { format, range } => {
                    self.at = range.end;
                    span.raw = Some(format);
                }
                Braces::Unclosed(_) | Braces::Other => {}
            }
        }
        if span.raw.is_none() && span.content.len() > 12 {
            self.out.outline.code.push(span.range.clone());
        }
        if executed || span.raw.is_some() || span.attributes.is_some() {
            span.range.end = self.at;
            self.out.spans.push(span);
        }
    }

    fn math(&mut self) {
        let start = self.at;
        if self.rest().starts_with(b"$$") {
            self.at += 2;
            if self.dead.display {
                return;
            }
            match self.find(b"$$", self.at) {
                Some(end) => {
                    self.at = end + 2;
                    self.math_end = Some(start..self.at);
                }
                None => self.dead.display = true,
            }
            return;
        }
        self.at += 1;
        let opens = self.rest().first().is_some_and(|byte| !byte.is_ascii_whitespace());
        if !opens || self.dead.math {
            return;
        }
        if let Some(end) = marks::math_end(self.text, self.at, self.end) {
            self.at = end + 1;
            return;
        }
        self.dead.math = true;
    }

    /// A comment, a tag or an autolink.
    fn angle(&mut self) {
        let start = self.at;
        self.at += 1;
        if self.rest().starts_with(b"!--") {
            if self.dead.comment {
                return;
            }
            match self.find(b"-->", self.at + 3) {
                Some(end) => {
                    self.at = end + 3;
                    self.out.outline.html.push(start..self.at);
                }
                None => self.dead.comment = true,
            }
            return;
        }
        let is_tag = self.rest().first().is_some_and(|byte| byte.is_ascii_alphabetic() || *byte == b'/');
        if !is_tag || self.dead.tag {
            return;
        }
        match memchr::memchr(b'>', self.rest()) {
            Some(end) => self.at += end + 1,
            None => self.dead.tag = true,
        }
    }

    /// A shortcode, or attributes that follow nothing that takes them at once.
    fn brace(&mut self) {
        if self.rest().starts_with(b"{{<") {
            // The shortcodes of the whole text are read at once.
            let window = &self.rest()[..self.rest().len().min(SHORTCODE)];
            self.at += memmem::find(window, b">}}").map_or(3, |end| end + 3);
            return;
        }
        let start = self.at;
        self.at += 1;
        let after_math = self.math_end.clone().filter(|math| self.text[math.end..start].trim().is_empty());
        match attributes::read(self.text, start, self.end) {
            Braces::Attributes(attributes) => {
                self.at = attributes.range.end;
                self.attach(attributes, after_math);
            }
            Braces::Unclosed(range) => {
                let id = self.text[start + 1..range.end].starts_with('#');
                if self.inline.heading || after_math.is_some() || (id && self.is_label(start + 2)) {
                    self.out.slip(SlipKind::UnclosedAttributes, range);
                }
            }
            Braces::Raw { .. } | Braces::Other => {}
        }
    }

    fn is_label(&self, at: usize) -> bool {
        self.text[at.min(self.end)..self.end].starts_with(|c: char| c.is_alphabetic())
    }

    fn attach(&mut self, attributes: Attributes, math: Option<Range<usize>>) {
        let div = self.inline.div;
        if let Some(math) = math.filter(|_| !self.inline.heading) {
            let range = math.start..attributes.range.end;
            self.out.equations.push(Equation { range, attributes, div });
        } else if self.inline.heading && self.text[self.at..self.end].trim().is_empty() {
            self.trailing = Some(attributes);
        } else {
            self.out.loose.push(Loose { attributes, caption: self.inline.caption, div });
        }
    }

    fn open(&mut self) {
        let start = self.at;
        self.at += 1;
        if self.rest().first() == Some(&b'^') && self.note(start) {
            return;
        }
        let image = start > self.inline.range.start && self.bytes[start - 1] == b'!';
        if self.brackets.len() < BRACKETS {
            self.brackets.push(Bracket { at: start, image });
        }
    }

    /// A reference to a note; gives whether there is one.
    fn note(&mut self, start: usize) -> bool {
        let Some(name) = marks::note_name(self.text, start, self.end) else { return false };
        self.at = name.end + 1;
        self.out.notes.push(Footnote { range: start..self.at, name });
        true
    }

    fn close(&mut self) {
        let close = self.at;
        self.at += 1;
        let Some(bracket) = self.brackets.pop() else { return };
        let words = bracket.at + 1..close;
        let start = bracket.at - usize::from(bracket.image);
        match self.rest().first() {
            Some(b'(') => self.target(start, words, bracket.image),
            Some(b'{') if !bracket.image => self.span(start, words),
            _ => {}
        }
    }

    fn span(&mut self, start: usize, words: Range<usize>) {
        match attributes::read(self.text, self.at, self.end) {
            Braces::Attributes(attributes) => {
                self.at = attributes.range.end;
                let (range, attributes) = (start..self.at, Some(attributes));
                let div = self.inline.div;
                let kind = LinkKind::Span;
                self.out.links.push(Link { kind, range, words, target: None, attributes, div });
            }
            Braces::Unclosed(range) => {
                self.at = range.end;
                self.out.slip(SlipKind::UnclosedAttributes, range);
            }
            Braces::Raw { .. } | Braces::Other => {}
        }
    }

    /// The target of a link or an image, and its attributes.
    fn target(&mut self, start: usize, words: Range<usize>, image: bool) {
        if self.dead.targets > TARGETS {
            return;
        }
        let Some(found) = marks::destination(self.text, self.at + 1, self.end) else {
            self.dead.targets += 1;
            self.unclosed_target(start, image);
            return;
        };
        // An address that goes on below its line is more often one that is not closed.
        if self.text[found.url.clone()].contains('\n') && self.unclosed_target(start, image) {
            self.dead.targets += 1;
            return;
        }
        let target = found.url;
        self.at = found.end;
        let mut attributes = None;
        if self.rest().first() == Some(&b'{') {
            match attributes::read(self.text, self.at, self.end) {
                Braces::Attributes(found) => {
                    self.at = found.range.end;
                    attributes = Some(found);
                }
                Braces::Unclosed(range) => {
                    self.at = range.end;
                    self.out.slip(SlipKind::UnclosedAttributes, range);
                }
                Braces::Raw { .. } | Braces::Other => {}
            }
        }
        let kind = if image { LinkKind::Image } else { LinkKind::Link };
        let div = self.inline.div;
        self.out.links.push(Link {
            kind,
            range: start..self.at,
            words,
            target: Some(target),
            attributes,
            div,
        });
    }

    /// Records a target that ends with its line, for a link only where it looks like one; gives whether it does.
    fn unclosed_target(&mut self, start: usize, image: bool) -> bool {
        let line = self.text[self.at + 1..self.end].lines().next().unwrap_or_default().trim_end();
        let range = start..self.at + 1 + line.len();
        let is_path = !line.is_empty()
            && !line.contains(char::is_whitespace)
            && (line.contains("://") || line.starts_with(['/', '.', '#']) || line.contains('.'));
        let is_slip = if image { !line.is_empty() } else { is_path };
        if is_slip {
            let kind = if image { SlipKind::UnclosedImage } else { SlipKind::UnclosedLink };
            self.out.slip(kind, range);
        }
        is_slip
    }

    fn citation(&mut self) {
        let start = self.at;
        self.at += 1;
        if let Some(key) = marks::cited_key(self.text, self.inline.range.start, start, self.end) {
            self.at = key.end;
            self.out.citations.push(Citation { key, bracketed: !self.brackets.is_empty() });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(text: &str) -> Vec<String> {
        let inline = Inline { range: 0..text.len(), heading: false, caption: false, div: None };
        let mut out = Pandoc::default();
        read(text, &inline, &mut out);
        let slice = |range: &Range<usize>| text[range.clone()].to_owned();
        let links = out.links.iter().map(|link| {
            let target = link.target.as_ref().map(&slice).unwrap_or_default();
            let attributes = link.attributes.as_ref().map(|a| slice(&a.range)).unwrap_or_default();
            format!("{:?} {} {target} {attributes}", link.kind, slice(&link.words))
        });
        let citations = out.citations.iter().map(|citation| format!("cites {}", slice(&citation.key)));
        let notes = out.notes.iter().map(|note| format!("note {}", slice(&note.name)));
        let equations =
            out.equations.iter().map(|equation| format!("equation {}", slice(&equation.attributes.range)));
        let slips = out.slips.iter().map(|slip| format!("{:?} {}", slip.kind, slice(&slip.range)));
        links.chain(citations).chain(notes).chain(equations).chain(slips).collect()
    }

    #[test]
    fn links_images_and_spans_have_attributes() {
        assert_eq!(parts("![A [b](c)](d.png \"t\"){#fig-x}"), ["Link b c ", "Image A [b](c) d.png {#fig-x}"]);
        assert_eq!(parts("[low]{.x}"), ["Span low  {.x}"]);
        assert_eq!(parts("![](a(1).png)"), ["Image  a(1).png "]);
        assert_eq!(parts("`[a](b)` $[a](b)$ <!-- [a](b) -->"), [""; 0]);
    }

    #[test]
    fn citations_are_distinguished_from_addresses() {
        assert_eq!(
            parts("See @fig-a, [-@b:c; @d.e]. Write to a@b.org, <a@b.org>, \\@x."),
            ["cites fig-a", "cites b:c", "cites d.e"]
        );
        assert_eq!(parts("A note.[^1]"), ["note 1"]);
    }

    #[test]
    fn what_is_not_closed_is_recorded() {
        assert_eq!(parts("![](a.png\n![](b.png)"), ["Image  b.png ", "UnclosedImage ![](a.png"]);
        assert_eq!(parts("![](a.png){#fig-a"), ["Image  a.png ", "UnclosedAttributes {#fig-a"]);
        assert_eq!(parts("$$\nx\n$$ {#eq-a\nmore"), ["UnclosedAttributes {#eq-a"]);
        assert_eq!(parts("$$x$$ {#eq-a}"), ["equation {#eq-a}"]);
    }
}
