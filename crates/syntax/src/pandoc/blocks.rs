use std::{collections::HashSet, ops::Range};

use memchr::memmem;

use super::{
    attributes::{self, Attributes, Braces},
    containers::Containers,
    document::{CodeBlock, Div, Footnote, Header, Heading, Pandoc, SlipKind},
    header,
    inlines::{self, Inline},
    lines::{div_marks, heading_marks, indentation, is_rule, list_mark, prefix, run, trimmed},
    shortcodes, tables,
};
use crate::commonmark::Fence;

/// Reads a document.
pub fn read(text: &str) -> Pandoc {
    let header = header::header(text);
    let start = header.as_ref().map_or(0, |header| after(text, header));
    let mut out = Pandoc { header, ..Pandoc::default() };
    out.add_shortcodes(shortcodes::read(text, start));
    let mut reader = Reader {
        text,
        out,
        containers: Containers::default(),
        open: Vec::new(),
        paragraph: None,
        code: None,
        above_blank: true,
        skip: start,
        endless: HashSet::new(),
    };
    let mut at = start;
    for line in text[start..].split_inclusive('\n') {
        let range = at..at + line.len();
        at = range.end;
        if range.start >= reader.skip {
            reader.line(range);
        }
    }
    reader.finish()
}

/// The offset at which the text below the header begins.
pub fn body(text: &str) -> usize {
    header::header(text).map_or(0, |header| after(text, &header))
}

/// The offset after the last line of a header.
fn after(text: &str, header: &Header) -> usize {
    let end = header.closer.as_ref().map_or(header.content.end, |closer| closer.end);
    text[end..].find('\n').filter(|_| header.closer.is_some()).map_or(end, |at| end + at + 1)
}

/// Longest stretch in which the end of verbatim content is looked for.
const VERBATIM: usize = 1 << 20;

/// Most lines over which the attributes of a div can go.
const DIV_LINES: usize = 8;

struct Paragraph {
    range: Range<usize>,
    caption: bool,
}

struct OpenCode {
    block: CodeBlock,
    /// How many quotes and list items it is in.
    depth: usize,
    /// Columns of whitespace before its opening line.
    indent: usize,
}

struct Reader<'t> {
    text: &'t str,
    out: Pandoc,
    containers: Containers,
    /// The open divs, the innermost last.
    open: Vec<usize>,
    paragraph: Option<Paragraph>,
    code: Option<OpenCode>,
    /// Whether the line above is empty.
    above_blank: bool,
    /// Lines that begin before this offset are read already.
    skip: usize,
    /// Ends of verbatim content that no longer occur.
    endless: HashSet<String>,
}

impl Reader<'_> {
    /// Reads a line, given with its line end.
    fn line(&mut self, range: Range<usize>) {
        let line = self.text[range.clone()].trim_end_matches(['\n', '\r']);
        let (depth, at) = self.containers.continued(line);
        if self.code.is_some() && self.code_line(&range, depth, at) {
            return;
        }
        let rest = &line[at..];
        if rest.trim_ascii().is_empty() {
            self.flush();
            self.above_blank = true;
            return;
        }
        if depth < self.containers.depth() {
            if self.paragraph.is_some() && !begins_block(rest) {
                if !(rest.starts_with(['=', '-']) && self.underline(rest)) {
                    self.paragraph_line(range.start..range.start + line.len());
                }
                return;
            }
            if self.paragraph.is_some() {
                self.lazy(range.start + at, rest);
            }
            self.flush();
            self.containers.truncate(depth);
        }
        self.block(range.start + at, range.start + line.len());
        self.above_blank = false;
    }

    /// Records what would be a block, had it an empty line above it: below the text of a quote or a list item, it goes on
    /// with that text.
    fn lazy(&mut self, at: usize, rest: &str) {
        let end = at + rest.trim_end().len();
        let begins =
            |colons: usize| rest[colons..].trim().starts_with(|c: char| c == '{' || c.is_alphabetic());
        if div_marks(rest).is_some_and(begins) {
            self.out.slip(SlipKind::DivInParagraph, at..end);
        } else if let Some((level, _)) = heading_marks(rest) {
            self.out.slip(SlipKind::HeadingInParagraph, at..at + usize::from(level));
        }
    }

    /// A line while code is open; gives whether it belongs to the code.
    fn code_line(&mut self, range: &Range<usize>, depth: usize, at: usize) -> bool {
        let Some(code) = &mut self.code else { return false };
        let text = self.text;
        let line = text[range.clone()].trim_end_matches(['\n', '\r']);
        let outside = depth < code.depth;
        // An empty line ends a quote, and with it the code in it.
        if outside && (self.above_blank || line.trim_ascii().is_empty()) {
            self.end_code();
            return false;
        }
        let start = if outside { 0 } else { at };
        let words = line[start..].trim_ascii();
        let marker = &text[code.block.fence.marker.clone()];
        let mark = marker.as_bytes()[0];
        self.above_blank = words.is_empty();
        let closes = run(words, mark) >= marker.len()
            && words.trim_start_matches(char::from(mark)).is_empty()
            && indentation(&line[start..], 0).0 < 4;
        if closes {
            code.block.fence.closed = true;
            code.block.fence.range.end = range.start + line.trim_end().len();
            self.end_code();
            return true;
        }
        let cut = if outside { 0 } else { prefix(&line[start..], code.indent) };
        code.block.fence.add(text, range.start + start + cut..range.end);
        code.block.fence.range.end = range.start + line.len();
        true
    }

    fn end_code(&mut self) {
        if let Some(code) = self.code.take() {
            self.out.outline.fences.push(code.block.fence.clone());
            self.out.code.push(code.block);
        }
    }

    /// What begins or goes on between two offsets of a line, within the quotes and list items around it.
    fn block(&mut self, mut at: usize, end: usize) {
        loop {
            let rest = &self.text[at..end];
            let (columns, space) = indentation(rest, 0);
            if columns >= 4 && self.paragraph.is_none() {
                return;
            }
            let words = &rest[space..];
            if self.leaf(at + space, end, words, columns) {
                return;
            }
            if self.note(at + space, words) {
                at = self.text[at..end].find("]:").map_or(end, |found| at + found + 2);
                self.containers.begin_note();
                continue;
            }
            let caption = words.starts_with(':');
            let above = if caption && self.above_blank { None } else { self.paragraph.as_ref() };
            let is_item = list_mark(words).is_some() || words.starts_with('>');
            let length = if is_item && !is_rule(words) {
                let inside = above.is_some() && !caption;
                self.containers.begin(rest, inside)
            } else {
                None
            };
            match length {
                Some(length) => {
                    self.flush();
                    at += length;
                    if caption {
                        self.paragraph = Some(Paragraph { range: at..end, caption: true });
                        return;
                    }
                    if self.text[at..end].trim_ascii().is_empty() {
                        return;
                    }
                }
                None => break,
            }
        }
        self.paragraph_line(at..end);
    }

    /// A block of one line, or the first line of a block; gives whether it is one.
    fn leaf(&mut self, at: usize, end: usize, words: &str, columns: usize) -> bool {
        match words.as_bytes().first() {
            Some(b'`' | b'~') => self.fence(at, end, columns),
            Some(b':') if columns == 0 && div_marks(words).is_some() => self.div(at, end),
            Some(b'#') if columns == 0 => self.heading(at, end, words),
            Some(b'=' | b'-') => columns == 0 && self.underline(words) || self.rule(words),
            Some(b'*' | b'_') => self.rule(words),
            Some(b'<') => self.html(at, words),
            Some(b'\\') if self.paragraph.is_none() => self.environment(at, words),
            _ => false,
        }
    }

    fn fence(&mut self, at: usize, end: usize, columns: usize) -> bool {
        let text = self.text;
        let line = &text[at..end];
        let mark = line.as_bytes()[0];
        let length = run(line, mark);
        let info = line[length..].trim();
        if length < 3 || (mark == b'`' && info.contains('`')) {
            return false;
        }
        let Some(mut fence) = Fence::open(text, at..end, info) else { return false };
        self.flush();
        // Twofold braces show a cell instead of executing it.
        if info.starts_with("{{") {
            fence.language = fence.info.start..fence.info.start;
        }
        let brace = fence.info.clone().find(|at| text.as_bytes()[*at] == b'{');
        let (mut attributes, mut raw) = (None, false);
        if let Some(brace) = brace {
            match attributes::read(text, brace, end) {
                Braces::Attributes(found) => attributes = Some(found),
                Braces::Raw { .. } => raw = true,
                Braces::Unclosed(range) => self.out.slip(SlipKind::UnclosedAttributes, range),
                Braces::Other => {}
            }
        }
        let block = CodeBlock { fence, attributes, raw, div: self.open.last().copied() };
        self.code = Some(OpenCode { block, depth: self.containers.depth(), indent: columns });
        true
    }

    fn div(&mut self, at: usize, end: usize) -> bool {
        let text = self.text;
        let marker = at..at + run(&text[at..end], b':');
        let info = trimmed(text, marker.end..end);
        let words = &text[info.clone()];
        if words.is_empty() {
            self.flush();
            match self.open.pop() {
                Some(div) => self.out.divs[div].closer = Some(marker),
                None => self.out.slip(SlipKind::SurplusDivEnd, marker),
            }
            return true;
        }
        let (attributes, word, rest) = self.div_info(&info, end);
        if attributes.is_none() && word.is_none() {
            return false;
        }
        let opener = at..info.end;
        if self.paragraph.is_some() {
            self.out.slip(SlipKind::DivInParagraph, opener.clone());
        } else if !rest.is_empty() {
            self.out.slip(SlipKind::DivWithText, rest);
        }
        self.flush();
        let (parent, depth) = (self.open.last().copied(), self.open.len());
        self.open.push(self.out.divs.len());
        self.out.divs.push(Div { opener, marker, attributes, word, closer: None, parent, depth });
        true
    }

    /// The attributes or the class of a div, and what follows them.
    fn div_info(
        &mut self,
        info: &Range<usize>,
        end: usize,
    ) -> (Option<Attributes>, Option<Range<usize>>, Range<usize>) {
        let text = self.text;
        let words = &text[info.clone()];
        let without_colons = |range: Range<usize>| {
            let rest = text[range.clone()].trim_end_matches(':').trim();
            let start = range.start + (text[range.clone()].len() - text[range.clone()].trim_start().len());
            start..start + rest.len()
        };
        if words.starts_with('{') {
            let limit = text[end..].split_inclusive('\n').take(DIV_LINES).map(str::len).sum::<usize>() + end;
            match attributes::read(text, info.start, limit) {
                Braces::Attributes(found) => {
                    let (from, to) = (found.range.end, found.range.end.max(end));
                    self.skip = self.skip.max(if from > end { line_end(text, from) } else { 0 });
                    return (Some(found), None, without_colons(from..to));
                }
                Braces::Unclosed(range) => {
                    self.out.slip(SlipKind::UnclosedAttributes, range.clone());
                    let attributes = Attributes { range, ..Attributes::default() };
                    return (Some(attributes), None, end..end);
                }
                Braces::Raw { .. } | Braces::Other => {
                    self.out.slip(SlipKind::UnreadAttributes, info.clone());
                    let attributes = Attributes { range: info.clone(), ..Attributes::default() };
                    return (Some(attributes), None, end..end);
                }
            }
        }
        let length = words.find(|c: char| c.is_whitespace() || c == '{').unwrap_or(words.len());
        let word = info.start..info.start + words[..length].trim_end_matches(':').len();
        let is_class = text[word.clone()].starts_with(|c: char| c.is_alphabetic());
        if !is_class {
            return (None, None, end..end);
        }
        (None, Some(word), without_colons(info.start + length..info.end))
    }

    fn heading(&mut self, at: usize, end: usize, words: &str) -> bool {
        let Some((level, marks)) = heading_marks(words) else { return false };
        if self.paragraph.is_some() {
            // A number after the mark is more often an issue or a list than a heading.
            if level < 2 || words[marks..].trim().is_empty() {
                return false;
            }
            self.out.slip(SlipKind::HeadingInParagraph, at..at + usize::from(level));
        }
        self.flush();
        let inner = trimmed(self.text, at + marks..end);
        self.add_heading(at..inner.end.max(at + marks.min(end - at)), inner, level);
        true
    }

    fn add_heading(&mut self, range: Range<usize>, inner: Range<usize>, level: u8) {
        let div = self.open.last().copied();
        let inline = Inline { range: inner.clone(), heading: true, caption: false, div };
        let attributes = inlines::read(self.text, &inline, &mut self.out);
        let end = attributes.as_ref().map_or(inner.end, |attributes| attributes.range.start);
        let words = trimmed(self.text, inner.start..end.max(inner.start));
        let plain = self.text[words.clone()].trim_end_matches('#').trim_end();
        let words = words.start..words.start + plain.len();
        self.out.headings.push(Heading { range, level, words, attributes, div });
    }

    /// A line that makes the paragraph above it a heading.
    fn underline(&mut self, words: &str) -> bool {
        let mark = words.as_bytes()[0];
        let words = words.trim_end();
        if run(words, mark) != words.len() {
            return false;
        }
        let is_heading = |paragraph: &Paragraph| {
            let above = &self.text[paragraph.range.clone()];
            !above.contains(['|', '\n']) && !above.starts_with(['+', '-', ':'])
        };
        if !self.paragraph.as_ref().is_some_and(is_heading) {
            return false;
        }
        let Some(paragraph) = self.paragraph.take() else { return false };
        let level = if mark == b'=' { 1 } else { 2 };
        self.add_heading(paragraph.range.clone(), paragraph.range, level);
        true
    }

    fn rule(&mut self, words: &str) -> bool {
        if !is_rule(words) || self.paragraph.is_some() {
            return false;
        }
        self.flush();
        true
    }

    /// A comment, or a tag whose content is verbatim.
    fn html(&mut self, at: usize, words: &str) -> bool {
        if words.starts_with("<!--") {
            return self.comment(at);
        }
        let Some(tag) = ["script", "style", "pre", "textarea"].into_iter().find(|tag| {
            let name = words.get(1..1 + tag.len());
            name.is_some_and(|name| name.eq_ignore_ascii_case(tag))
                && !words[1 + tag.len()..].starts_with(|c: char| c.is_alphanumeric() || c == '-')
        }) else {
            return false;
        };
        let close = format!("</{tag}");
        self.verbatim(at, &close)
    }

    fn comment(&mut self, at: usize) -> bool {
        if self.endless.contains("-->") {
            return false;
        }
        let Some(found) = memmem::find(&self.text.as_bytes()[at..], b"-->") else {
            self.endless.insert("-->".to_owned());
            self.out.slip(SlipKind::UnclosedComment, at..at + 4);
            return false;
        };
        let end = at + found + 3;
        if self.text[end..line_end(self.text, end)].trim().is_empty() {
            self.flush();
            self.out.outline.html.push(at..end);
            self.skip = line_end(self.text, end);
            return true;
        }
        false
    }

    /// A TeX environment.
    fn environment(&mut self, at: usize, words: &str) -> bool {
        let Some(rest) = words.strip_prefix("\\begin{") else { return false };
        let Some(name) = rest.split('}').next().filter(|name| name.len() < 40) else { return false };
        let close = format!("\\end{{{name}}}");
        self.verbatim(at, &close)
    }

    fn verbatim(&mut self, at: usize, close: &str) -> bool {
        if self.endless.len() > 64 || self.endless.contains(close) {
            return false;
        }
        let window = &self.text.as_bytes()[at..self.text.len().min(at + VERBATIM)];
        let Some(found) = memmem::find(window, close.as_bytes()) else {
            self.endless.insert(close.to_owned());
            return false;
        };
        self.flush();
        let mut close_end = at + found + close.len();
        let end = line_end(self.text, close_end);
        if close.starts_with('<') {
            close_end += self.text[close_end..end].find('>').map_or(end - close_end, |length| length + 1);
        }
        self.out.raw.push(at..end);
        self.skip = end;
        // What follows on the line is text.
        let rest = trimmed(self.text, close_end..end);
        if !rest.is_empty() {
            self.paragraph_line(rest);
        }
        true
    }

    /// The definition of a note at the start of a line.
    fn note(&mut self, at: usize, words: &str) -> bool {
        if self.paragraph.is_some() || !words.starts_with("[^") {
            return false;
        }
        let Some(length) = words.find("]:").filter(|end| !words[2..*end].contains([' ', ']', '['])) else {
            return false;
        };
        self.out.note_definitions.push(Footnote { range: at..at + length + 2, name: at + 2..at + length });
        true
    }

    fn paragraph_line(&mut self, range: Range<usize>) {
        let text = self.text;
        let caption = text[range.clone()].starts_with("Table:");
        let paragraph = self.paragraph.get_or_insert_with(|| Paragraph { range: range.clone(), caption });
        paragraph.range.end = range.end;
        // A comment that begins in the line and goes on below it.
        if let Some(open) = memmem::rfind(&text.as_bytes()[range.clone()], b"<!--")
            && !text[range.start + open..range.end].contains("-->")
            && !self.endless.contains("-->")
        {
            match memmem::find(&text.as_bytes()[range.end..], b"-->") {
                Some(found) => {
                    let end = line_end(text, range.end + found);
                    paragraph.range.end = text[..end].trim_end_matches(['\n', '\r']).len();
                    self.skip = end;
                }
                None => {
                    self.endless.insert("-->".to_owned());
                }
            }
        }
    }

    /// Ends the open paragraph and reads its text.
    fn flush(&mut self) {
        let Some(Paragraph { range, caption }) = self.paragraph.take() else { return };
        if !self.containers.in_quote() {
            self.out.outline.paragraphs.push(range.clone());
        }
        for cells in tables::surplus(self.text, &range) {
            self.out.slip(SlipKind::SurplusCells, cells);
        }
        let div = self.open.last().copied();
        inlines::read(self.text, &Inline { range, heading: false, caption, div }, &mut self.out);
    }

    fn finish(mut self) -> Pandoc {
        self.flush();
        self.end_code();
        self.out.slips.sort_by_key(|slip| slip.range.start);
        self.out
    }
}

/// The start of the next line.
fn line_end(text: &str, at: usize) -> usize {
    memchr::memchr(b'\n', &text.as_bytes()[at..]).map_or(text.len(), |end| at + end + 1)
}

/// Whether a line outside of the quotes and lists above it cannot go on with their paragraph.
fn begins_block(rest: &str) -> bool {
    let words = rest.trim_start();
    words.starts_with("```")
        || words.starts_with("~~~")
        || div_marks(rest).is_some()
        || (words.starts_with("[^") && words.contains("]:"))
        || heading_marks(rest).is_some_and(|(level, marks)| level > 1 && rest.len() > marks)
        || list_mark(words).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slips(text: &str) -> Vec<String> {
        let found = read(text);
        found.slips.iter().map(|slip| format!("{:?} {}", slip.kind, &text[slip.range.clone()])).collect()
    }

    fn divs(text: &str) -> Vec<String> {
        let found = read(text);
        let show = |div: &Div| {
            let closed = if div.closer.is_some() { "" } else { " open" };
            format!("{}{}{closed}", " ".repeat(div.depth), text[div.marker.end..div.opener.end].trim())
        };
        found.divs.iter().map(show).collect()
    }

    #[test]
    fn divs_nest_whatever_their_colons() {
        assert_eq!(divs("::: {.a}\n:::: b\ntext\n:::\n::::\n"), ["{.a}", " b"]);
        assert_eq!(divs("::: {.a}\n\n::: b :::\n:::\n"), ["{.a} open", " b :::"]);
        assert_eq!(slips(":::\n"), ["SurplusDivEnd :::"]);
        assert_eq!(divs("::: {.a\n  b=\"c\"}\ntext\n:::\n"), ["{.a"]);
        assert_eq!(slips("Text\n::: {.a}\n:::\n"), ["DivInParagraph ::: {.a}"]);
        assert_eq!(slips("::: {#thm-a\nText.\n:::\n"), ["UnclosedAttributes {#thm-a"]);
        assert_eq!(slips("::: {.a b, c}\nText.\n:::\n"), ["UnreadAttributes {.a b, c}"]);
    }

    #[test]
    fn nothing_is_read_in_code_and_comments() {
        assert_eq!(divs("```\n::: a\n```\n\n    ::: b\n\n<!--\n::: c\n\n-->\n"), [""; 0]);
        assert_eq!(divs("- item\n\n  ::: a\n  ```\n  ::: b\n  ```\n  :::\n"), ["a"]);
        assert_eq!(divs("<script>\n::: a\n\n</script>\n"), [""; 0]);
    }

    #[test]
    fn fences_end_with_as_many_marks() {
        let text = "````md\n```\nx\n```\n````\n\n> ~~~\n> y\n> ~~~\n\n```{python}\nz\n";
        let found = read(text);
        let closed: Vec<bool> = found.code.iter().map(|code| code.fence.closed).collect();
        assert_eq!(closed, [true, true, false]);
        let content: Vec<&str> = found.code.iter().map(|code| &text[code.fence.content_range()]).collect();
        assert_eq!(content, ["```\nx\n```\n", "y\n", "z\n"]);
    }

    #[test]
    fn code_with_tabs_is_read() {
        let text = "   ```\n\té\n\t\n   ```\n";
        let found = read(text);
        assert_eq!(&text[found.code[0].fence.content_range()], "é\n\t\n");
    }

    #[test]
    fn headings_have_words_and_attributes() {
        let text = "## A *b* {#sec-a .x}\n\nC {#sec-c}\n---\n\n# D #\n";
        let found = read(text);
        let show = |heading: &Heading| {
            let id = heading.attributes.as_ref().and_then(|found| found.id.clone());
            format!("{} {} {}", heading.level, &text[heading.words.clone()], id.map_or("", |id| &text[id]))
        };
        let headings: Vec<String> = found.headings.iter().map(show).collect();
        assert_eq!(headings, ["2 A *b* sec-a", "2 C sec-c", "1 D "]);
    }

    #[test]
    fn notes_follow_each_other_without_an_empty_line() {
        let text = "[^a]: One\ntwo.\n[^b]: Three.\n\n    More.[^c]\n";
        let found = read(text);
        let names: Vec<&str> = found.note_definitions.iter().map(|note| &text[note.name.clone()]).collect();
        assert_eq!(names, ["a", "b"]);
        assert_eq!(found.notes.len(), 1);
    }

    #[test]
    fn hostile_input_takes_linear_time() {
        let deep = "::: {.a}\n".repeat(10_000);
        assert_eq!(read(&deep).divs.len(), 10_000);
        let pieces = [
            "{{< a ",
            "[",
            "![](",
            "{#a ",
            "`",
            "``a",
            "$",
            "<a",
            "<!-- ",
            "[^",
            "> ",
            "- ",
            "@",
            "\\begin{a} ",
        ];
        for piece in pieces {
            read(&piece.repeat(100_000));
            read(&format!("{piece}\n").repeat(50_000));
        }
    }
}
