use std::{collections::HashSet, iter, mem, ops::Range};

use memchr::memmem;

use super::{
    attributes::{self, Attributes, Braces},
    containers::{Containers, Mark, NOTE},
    document::{CodeBlock, Div, Footnote, Header, Heading, Pandoc, SlipKind},
    header,
    inlines::{self, Inline},
    lines::{div_marks, div_word, heading_marks, indentation, is_rule, list_mark, prefix, run, trimmed},
    marks, shortcodes, tables, tags,
    underlines::{can_be_underlined, underline},
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
        tags: Vec::new(),
        defining: false,
        term: 0..0,
        next_item: None,
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

/// Most lines of YAML within the text.
const YAML_LINES: usize = 200;

/// Most bytes between a term and its definition.
const NEAR: usize = 1024;

/// Most tags around.
const TAGS: usize = 64;

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
    /// The open divs, the innermost last, each with how many quotes and list items it is in.
    open: Vec<(usize, usize)>,
    paragraph: Option<Paragraph>,
    code: Option<OpenCode>,
    /// Whether the line above is empty.
    above_blank: bool,
    /// Lines that begin before this offset are read already.
    skip: usize,
    /// Ends of verbatim content that no longer occur.
    endless: HashSet<String>,
    /// The tags around.
    tags: Vec<OpenTag>,
    /// Whether the last block is a definition, so that further terms may follow.
    defining: bool,
    /// The last paragraph, which may be a term.
    term: Range<usize>,
    /// The mark of the list whose item the line ended, so that it may begin the next one.
    next_item: Option<Mark>,
}

/// A tag of HTML with blocks in it.
struct OpenTag {
    name: String,
    /// Columns by which its content is indented.
    columns: usize,
    /// How many quotes and list items it is in.
    depth: usize,
}

/// What a tag or a comment at the start of text is.
enum Html {
    /// Text.
    Text,
    /// A block, after which a line goes on at an offset.
    Block(usize),
}

impl Reader<'_> {
    /// Reads a line, given with its line end.
    fn line(&mut self, range: Range<usize>) {
        let line = self.text[range.clone()].trim_end_matches(['\n', '\r']);
        let (depth, at) = self.containers.continued(line);
        if self.code.is_some() && self.code_line(&range, depth, at) {
            return;
        }
        let (depth, at) = self.with_lazy_quotes(line, depth, at);
        let rest = &line[at..];
        if rest.trim_ascii().is_empty() {
            self.flush();
            // An empty line ends quotes.
            self.leave(depth);
            self.above_blank = true;
            return;
        }
        if depth < self.containers.depth() {
            if self.paragraph.is_some() && !self.begins_outside(depth, rest) {
                let end = range.start + line.len();
                let words = rest.trim_start();
                let start = end - words.len();
                match self.environment(start, words) {
                    Some(next) => self.go_on(next),
                    None => {
                        if let Some(next) = self.paragraph_line(range.start..end, false) {
                            self.block(next, end);
                        }
                    }
                }
                return;
            }
            if self.paragraph.is_some() {
                self.lazy(range.start + at, rest);
            }
            if self.paragraph.is_some() || !self.goes_on(depth, rest) {
                self.flush();
                self.next_item = self.containers.mark_below(depth);
                self.leave(depth);
            }
        }
        let end = range.start + line.len();
        // The content of a tag is indented as its first line is.
        let around = self.tags.last().filter(|tag| tag.depth == depth && self.paragraph.is_none());
        let at = range.start + at;
        let at = at + around.map_or(0, |tag| prefix(&self.text[at..end], tag.columns));
        self.block(at, end);
        self.above_blank = false;
        self.next_item = None;
    }

    /// How many containers a line is in, and how long their prefixes are, with the quotes whose marks are left out, and the
    /// items around them: directly below a line of them.
    fn with_lazy_quotes(&self, line: &str, mut depth: usize, mut at: usize) -> (usize, usize) {
        let in_text = self.paragraph.is_some();
        let is_lazy = |depth: usize, rest: &str| {
            let is_quote = self.containers.is_quote(depth);
            !self.above_blank
                && !rest.trim_ascii().is_empty()
                && (is_quote && !self.ends_text(depth, rest)
                    || !in_text && self.containers.is_item(depth) && !self.begins_outside(depth, rest))
        };
        while is_lazy(depth, &line[at..]) {
            (depth, at) = self.containers.continued_from(line, depth + 1, at);
        }
        (depth, at)
    }

    /// Ends quotes and list items, and what is open in them.
    fn leave(&mut self, depth: usize) {
        // What is in a list item cannot be a term outside of it.
        if depth < self.containers.depth() {
            self.term = 0..0;
        }
        self.containers.truncate(depth);
        self.tags.retain(|tag| tag.depth <= depth);
        while self.open.pop_if(|(_, inside)| *inside > depth).is_some() {}
    }

    /// Whether a line without its indentation is part of a list item: directly below a line of it.
    fn goes_on(&self, depth: usize, rest: &str) -> bool {
        !self.above_blank && self.containers.has_only_items_below(depth) && !self.begins_outside(depth, rest)
    }

    /// The div around.
    fn div_around(&self) -> Option<usize> {
        self.open.last().map(|(div, _)| *div)
    }

    /// Whether a line ends the div around.
    fn ends_div(&self, line: &str) -> bool {
        let words = line.trim_end();
        !self.open.is_empty() && div_marks(words) == Some(words.len())
    }

    /// The rest of a line after a block that ends in it.
    fn go_on(&mut self, at: usize) {
        let end = content_end(self.text, at);
        self.skip = self.skip.max(line_end(self.text, at));
        if !self.text[at..end].trim_ascii().is_empty() {
            self.block(at, end);
        }
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
    fn block(&mut self, mut at: usize, mut end: usize) {
        loop {
            let rest = &self.text[at..end];
            let (columns, space) = indentation(rest, 0);
            if columns >= 4 && self.paragraph.is_none() {
                self.defining = false;
                return;
            }
            let words = &rest[space..];
            let first = words.as_bytes().first().copied();
            let is_tag = first == Some(b'<');
            if is_tag && words.starts_with("<!") && self.underlined(at + space, end, words) {
                return;
            }
            if is_tag && let Html::Block(next) = self.html(at + space, words) {
                self.defining = false;
                (at, end) = (next, content_end(self.text, next));
                self.skip = self.skip.max(line_end(self.text, next));
                if self.text[at..end].trim_ascii().is_empty() {
                    return;
                }
                continue;
            }
            if first == Some(b'\\')
                && let Some(next) = self.environment(at + space, words)
            {
                (at, end) = (next, content_end(self.text, next));
                if self.text[at..end].trim_ascii().is_empty() {
                    return;
                }
                continue;
            }
            if self.leaf(at + space, end, words, columns) {
                self.defining = false;
                return;
            }
            if self.note(at + space, words) {
                at = self.text[at..end].find("]:").map_or(end, |found| at + found + 2);
                self.containers.begin_note();
                continue;
            }
            let is_list = list_mark(words).is_some();
            let caption = is_list && first == Some(b':');
            let is_item = is_list && !caption || self.is_definition(at + space, words) || first == Some(b'>');
            let length = if is_item && !is_rule(words) {
                let inside = self.paragraph.is_some() && !caption;
                self.containers.begin(rest, inside)
            } else {
                None
            };
            match length {
                Some(length) => {
                    self.flush();
                    self.defining = caption;
                    at += length;
                    if caption {
                        if self.underlined(at, end, &self.text[at..end]) {
                            return;
                        }
                        match self.paragraph_line(at..end, true) {
                            Some(next) => at = next,
                            None => return,
                        }
                        continue;
                    }
                    if self.text[at..end].trim_ascii().is_empty() {
                        return;
                    }
                }
                None if self.rows(at, end) => return,
                None => {
                    self.defining = self.defining && self.is_term(end);
                    match self.paragraph_line(at..end, caption) {
                        Some(next) => at = next,
                        None => return,
                    }
                }
            }
        }
    }

    /// A block of one line, or the first line of a block; gives whether it is one.
    fn leaf(&mut self, at: usize, end: usize, words: &str, columns: usize) -> bool {
        let found = match words.as_bytes().first() {
            Some(b'`' | b'~') if columns < 4 => self.fence(at, end, columns),
            Some(b':') if columns == 0 && div_marks(words).is_some() => self.div(at, end),
            Some(b':') => self.indented_div(at, words),
            _ => false,
        };
        found
            || self.underlined(at, end, words)
            || match words.as_bytes().first() {
                Some(b'#') if columns == 0 && !(self.defining && self.is_term(end)) => {
                    self.heading(at, end, words)
                }
                Some(b'-') => self.yaml(end, words) || self.rule(words),
                Some(b'*' | b'_') => self.rule(words),
                Some(b'[') => {
                    self.paragraph.is_none() && !self.is_term(end) && marks::link_definition(words).is_some()
                }
                _ => false,
            }
    }

    /// Where the line below that which ends at an offset has its content, within the quotes and list items here, as far as they
    /// go on; nothing where it is empty.
    fn below(&self, end: usize) -> Option<Range<usize>> {
        let start = line_end(self.text, end);
        let line = &self.text[start..content_end(self.text, start)];
        let (depth, prefix) = self.containers.continued(line);
        let words = line[prefix..].trim_ascii_start();
        let is_item = self.containers.has_item_below(depth) && list_mark(words).is_some() && !is_rule(words);
        (!words.is_empty() && !is_item).then_some(start + prefix..start + line.len())
    }

    /// The first byte of what follows an offset, without whitespace, empty lines and the marks of quotes.
    fn first_below(&self, end: usize) -> u8 {
        let bytes = self.text.as_bytes();
        let mut at = end;
        while let Some(byte) = bytes.get(at) {
            if !matches!(byte, b' ' | b'\t' | b'>' | b'\r' | b'\n') {
                return *byte;
            }
            at += 1;
        }
        0
    }

    /// Whether a line at an offset defines the term above it, at most one empty line between them.
    fn is_definition(&self, at: usize, words: &str) -> bool {
        let lines = |text: &str| text.bytes().filter(|byte| *byte == b'\n').count();
        let is_near = |end: usize| {
            let between = self.text.get(end..at).filter(|text| text.len() < NEAR);
            between.is_some_and(|text| (1..=2).contains(&lines(text)))
        };
        let is_term = |range: &Range<usize>| {
            !range.is_empty() && is_near(range.end) && lines(&self.text[range.clone()]) == 0
        };
        words.starts_with(':')
            && list_mark(words).is_some()
            && match &self.paragraph {
                Some(paragraph) => is_term(&paragraph.range) || paragraph.caption,
                None => is_term(&self.term) || self.defining,
            }
    }

    /// A heading whose marks are below it.
    fn underlined(&mut self, at: usize, end: usize, words: &str) -> bool {
        if self.paragraph.is_some()
            || !matches!(self.first_below(end), b'-' | b'=')
            || self.is_definition(at, words)
        {
            return false;
        }
        let mark = list_mark(words).filter(|_| !is_rule(words)).map(|width| Mark::of(&words[..width]));
        if mark.is_some() && mark == self.next_item {
            return false;
        }
        let Some(below) = self.below(end) else { return false };
        let Some(level) = underline(&self.text[below.clone()]).filter(|_| can_be_underlined(words)) else {
            return false;
        };
        self.skip = line_end(self.text, below.end);
        self.add_heading(at..end, at..end, level);
        true
    }

    /// Whether the line below that which ends at an offset defines the term on it; an empty line can be between them.
    fn is_term(&self, end: usize) -> bool {
        // An empty line ends quotes and list items.
        let is_inside = |start: usize| {
            let line = &self.text[start..content_end(self.text, start)];
            self.containers.continued(line).0 == self.containers.depth()
        };
        let further = || {
            let end = line_end(self.text, end);
            self.below(end).filter(|_| is_inside(end) && is_inside(line_end(self.text, end)))
        };
        let below = || self.below(end).or_else(further);
        matches!(self.first_below(end), b':' | b'~')
            && below().is_some_and(|below| {
                let words = self.text[below].trim_start();
                words.starts_with([':', '~']) && words[1..].starts_with([' ', '\t'])
            })
    }

    /// Whether what a line has in its containers is indented as the content of a note is.
    fn is_note_text(&self, line: &Range<usize>) -> bool {
        indentation(&self.text[line.clone()], 0).0 >= NOTE
    }

    /// YAML within the text, between lines of dashes.
    fn yaml(&mut self, end: usize, words: &str) -> bool {
        if self.paragraph.is_some() || words.trim_end() != "---" {
            return false;
        }
        let key = self.below(end).map(|below| &self.text[below]).and_then(|line| line.split_once(':'));
        if key.is_none_or(|(key, _)| key.is_empty() || key.contains(char::is_whitespace)) {
            return false;
        }
        let mut at = end;
        for _ in 0..YAML_LINES {
            let start = line_end(self.text, at);
            let line = &self.text[start..content_end(self.text, start)];
            let (_, prefix) = self.containers.continued(line);
            at = start + line.len();
            if matches!(line[prefix..].trim_end(), "---" | "...") {
                self.skip = line_end(self.text, at);
                return true;
            }
            if at == self.text.len() {
                return false;
            }
        }
        false
    }

    /// Rows of a table or lines of a line block, whose text ends with each cell and line; gives whether they begin here.
    fn rows(&mut self, at: usize, end: usize) -> bool {
        if self.paragraph.is_some() {
            return false;
        }
        let line = &self.text[at..end];
        let is_line = |line: &str| {
            line.as_bytes().first() == Some(&b'|') && (line.starts_with("| ") || line.trim_end() == "|")
        };
        if !is_line(line) && !matches!(self.first_below(end), b'-' | b'|' | b':' | b'+') {
            return false;
        }
        if line.contains('|')
            && let Some(below) = self.below(end)
            && let Some(columns) = tables::delimiters(&self.text[below.clone()])
        {
            let mut rows: Vec<Range<usize>> = iter::once(at..end).collect();
            let mut last = below.end;
            while let Some(row) = self.below(last).filter(|row| self.text[row.clone()].contains('|')) {
                last = row.end;
                rows.push(row);
            }
            let table = at..last;
            for row in rows {
                let cells = tables::cells(&self.text[row.clone()], columns.len());
                self.cells(cells.into_iter().map(|cell| row.start + cell.start..row.start + cell.end));
            }
            self.end_rows(table);
            return true;
        }
        if is_line(line) {
            let whole = self.line_block(at, end);
            self.end_rows(whole);
            return true;
        }
        let Some(below) = self.below(end) else { return false };
        let Some(columns) = tables::dashes(&self.text[below.clone()]).filter(|columns| columns.len() > 1)
        else {
            return self.grid(at, end);
        };
        let mut rows: Vec<Range<usize>> = iter::once(at..end).collect();
        let mut last = below.end;
        while let Some(row) = self.below(last).filter(|row| !self.ends_div(&self.text[row.clone()])) {
            last = row.end;
            if tables::dashes(&self.text[row.clone()]).is_some() {
                break;
            }
            rows.push(row);
        }
        for row in rows {
            let cells = tables::column_cells(&self.text[row.clone()], &columns);
            self.cells(cells.into_iter().map(|cell| row.start + cell.start..row.start + cell.end));
        }
        self.end_rows(at..last);
        true
    }

    /// A table that is drawn: its lines are read as text, and what follows it is another block.
    fn grid(&mut self, at: usize, end: usize) -> bool {
        let is_row = |line: &str| line.trim_start().starts_with(['+', '|']);
        if !tables::is_border(self.text[at..end].trim()) {
            return false;
        }
        let (mut last, mut lines) = (end, 1);
        while let Some(row) = self.below(last).filter(|row| is_row(&self.text[row.clone()])) {
            last = row.end;
            lines += 1;
        }
        if lines < 3
            || !tables::is_border(
                self.text[..last].rsplit('\n').next().unwrap_or_default().trim_matches([' ', '>']),
            )
        {
            return false;
        }
        self.text_of(at..last);
        self.end_rows(at..last);
        true
    }

    /// Reads the lines of a line block, each with the lines that go on with it; gives where they are.
    fn line_block(&mut self, at: usize, end: usize) -> Range<usize> {
        let mut line = at + 1..end;
        loop {
            let below = self.below(line.end);
            match below.map(|below| (below.clone(), self.text.as_bytes()[below.start])) {
                Some((below, b' ')) => line.end = below.end,
                Some((below, b'|'))
                    if matches!(self.text[below.clone()].as_bytes().get(1), None | Some(b' ' | b'\r')) =>
                {
                    let whole = mem::replace(&mut line, below.start + 1..below.end);
                    self.text_of(whole);
                }
                _ => break,
            }
        }
        self.text_of(line.clone());
        at..line.end
    }

    fn cells(&mut self, cells: impl Iterator<Item = Range<usize>>) {
        cells.filter(|cell| !cell.is_empty()).for_each(|cell| self.text_of(cell));
    }

    /// Reads text that is neither a heading nor a caption.
    fn text_of(&mut self, range: Range<usize>) {
        let div = self.div_around();
        inlines::read(self.text, &Inline { range, heading: false, caption: false, div }, &mut self.out);
    }

    /// Ends a table or a line block.
    fn end_rows(&mut self, whole: Range<usize>) {
        self.skip = line_end(self.text, whole.end);
        self.defining = false;
        for cells in tables::surplus(self.text, &whole) {
            self.out.slip(SlipKind::SurplusCells, cells);
        }
        if !self.containers.in_quote() {
            self.out.outline.paragraphs.push(whole);
        }
    }

    /// Whether a line outside of the quotes and lists below a depth cannot go on with their paragraph.
    fn begins_outside(&self, depth: usize, rest: &str) -> bool {
        let words = rest.trim_start();
        self.ends_text(depth, rest)
            || self.containers.has_item_below(depth) && list_mark(words).is_some() && !is_rule(words)
    }

    /// The same, but for the items of lists.
    fn ends_text(&self, depth: usize, rest: &str) -> bool {
        let words = rest.trim_start();
        let begins_note =
            || words.strip_prefix("[^").and_then(|name| name.find(']')).is_some_and(|end| end > 0);
        let marks_div = div_marks(rest).is_some_and(|colons| {
            // Directly below a line of a list item, colons can end a div in it.
            let inside = self.open.last().is_some_and(|(_, inside)| *inside > depth);
            !inside || self.above_blank || colons != rest.trim_end().len()
        });
        words.starts_with("```") && indentation(rest, 0).0 < 4
            || marks_div
            || heading_marks(rest).is_some_and(|(level, marks)| level > 1 && rest.len() > marks)
            // A quote whose marks are indented as code is.
            || words.starts_with('>') && self.containers.is_quote(depth)
            || self.containers.has_note_below(depth) && begins_note()
    }

    fn fence(&mut self, at: usize, end: usize, columns: usize) -> bool {
        let text = self.text;
        let line = &text[at..end];
        let mark = line.as_bytes()[0];
        let length = run(line, mark);
        let info = line[length..].trim();
        // Tildes do not end a paragraph.
        if length < 3 || (mark == b'`' && info.contains('`')) || (mark == b'~' && self.paragraph.is_some()) {
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
        let block = CodeBlock { fence, attributes, raw, div: self.div_around() };
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
                Some((div, _)) => self.out.divs[div].closer = Some(marker),
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
        let (parent, depth) = (self.div_around(), self.open.len());
        self.open.push((self.out.divs.len(), self.containers.depth()));
        self.out.divs.push(Div { opener, marker, attributes, word, closer: None, parent, depth });
        true
    }

    /// Records a line that would open a div, were it not indented; it is text.
    fn indented_div(&mut self, at: usize, words: &str) -> bool {
        let Some(info) = div_marks(words).map(|colons| words[colons..].trim()) else { return false };
        let is_meant = match attributes::read(info, 0, info.len()) {
            Braces::Attributes(_) => info.starts_with('{'),
            _ => info.starts_with(char::is_alphabetic) && div_word(info).1.is_empty(),
        };
        if is_meant && self.paragraph.is_none() {
            self.out.slip(SlipKind::IndentedDiv, at..at + words.trim_end().len());
        }
        false
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
                    let from = found.range.end;
                    let to = if from > end { content_end(text, from) } else { end };
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
        let (word, mut rest) = div_word(words);
        if !words.starts_with(char::is_alphabetic) {
            let word = rest.is_empty().then_some(info.start..info.start + word.end);
            return (None, word, end..end);
        }
        // Attributes that follow a word without a space would be part of the class.
        let length = words[..word.end].find('{').unwrap_or(word.end);
        if length < word.end {
            rest.start = length;
        }
        let rest = without_colons(info.start + rest.start..info.start + rest.end);
        (None, Some(info.start..info.start + length), rest)
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
        let div = self.div_around();
        let inline = Inline { range: inner.clone(), heading: true, caption: false, div };
        let attributes = inlines::read(self.text, &inline, &mut self.out);
        let end = attributes.as_ref().map_or(inner.end, |attributes| attributes.range.start);
        let words = trimmed(self.text, inner.start..end.max(inner.start));
        let plain = self.text[words.clone()].trim_end_matches('#').trim_end();
        let words = words.start..words.start + plain.len();
        self.out.headings.push(Heading { range, level, words, attributes, div });
    }

    fn rule(&mut self, words: &str) -> bool {
        if !is_rule(words) || self.paragraph.is_some() {
            return false;
        }
        self.flush();
        true
    }

    /// A comment, or the tag of a block. Within a paragraph, only some tags end it.
    fn html(&mut self, at: usize, words: &str) -> Html {
        if words.starts_with("<!") || words.starts_with("<?") {
            return if self.paragraph.is_some() { Html::Text } else { self.declaration(at, words) };
        }
        let text = self.text;
        let Some(tag) = tags::tag(&text[at..]).filter(|tag| !has_empty_line(&text[at..at + tag.length]))
        else {
            return Html::Text;
        };
        let ends_text = || tags::ends_text(&tag, self.open_tag()) && !self.is_in_code(at);
        if !(if self.paragraph.is_some() { ends_text() } else { tags::begins_block(tag.name) }) {
            return Html::Text;
        }
        self.flush();
        if tags::is_verbatim(tag.name) && !tag.closing {
            return self.verbatim(at, &format!("</{}", tag.name)).map_or(Html::Text, Html::Block);
        }
        let end = at + tag.length;
        let is_div = tag.name.eq_ignore_ascii_case("div");
        let is_void = tags::is_void(tag.name) || text[..end].ends_with("/>");
        if tag.closing {
            let open = self.tags.iter().rposition(|open| open.name.eq_ignore_ascii_case(tag.name));
            self.tags.truncate(open.unwrap_or(self.tags.len()));
        } else if !is_void && !is_div && self.tags.len() < TAGS {
            let ends_line = text[end..content_end(text, end)].trim_ascii().is_empty();
            let below = self.below(end).filter(|_| ends_line);
            let columns = below.map_or(0, |below| indentation(&text[below], 0).0);
            let depth = self.containers.depth();
            self.tags.push(OpenTag { name: tag.name.to_owned(), columns, depth });
        }
        Html::Block(end)
    }

    /// The name of the innermost tag around.
    fn open_tag(&self) -> Option<&str> {
        self.tags.last().map(|tag| tag.name.as_str())
    }

    /// Whether code of the paragraph is open at an offset, and closed below it.
    fn is_in_code(&self, at: usize) -> bool {
        self.paragraph.as_ref().is_some_and(|paragraph| self.is_code_open(paragraph.range.start, at))
    }

    /// Whether code is open at an offset of a paragraph that begins at `start`, and closed below it.
    fn is_code_open(&self, start: usize, at: usize) -> bool {
        let below = self.text[at..].lines().take_while(|line| !line.trim_ascii().is_empty());
        marks::is_in_code(self.text[start..at].lines(), below)
    }

    /// A comment or a declaration.
    fn declaration(&mut self, at: usize, words: &str) -> Html {
        let is_comment = words.starts_with("<!--");
        let close = if is_comment { "-->" } else { ">" };
        if self.endless.contains(close) {
            return Html::Text;
        }
        let Some(found) = memmem::find(&self.text.as_bytes()[at..], close.as_bytes()) else {
            self.endless.insert(close.to_owned());
            if is_comment {
                self.out.slip(SlipKind::UnclosedComment, at..at + 4);
            }
            return Html::Text;
        };
        let end = at + found + close.len();
        if is_comment {
            self.out.outline.html.push(at..end);
        }
        Html::Block(end)
    }

    /// A TeX environment; gives where the line after it goes on.
    fn environment(&mut self, at: usize, words: &str) -> Option<usize> {
        let close = marks::environment_close(words).filter(|_| !self.is_in_code(at))?;
        self.verbatim(at, &close)
    }

    /// Verbatim content; gives where the line after it goes on.
    fn verbatim(&mut self, at: usize, close: &str) -> Option<usize> {
        if self.endless.len() > 64 || self.endless.contains(close) {
            return None;
        }
        let window = &self.text.as_bytes()[at..self.text.len().min(at + VERBATIM)];
        let Some(found) = memmem::find(window, close.as_bytes()) else {
            self.endless.insert(close.to_owned());
            return None;
        };
        self.flush();
        let mut end = at + found + close.len();
        let line = line_end(self.text, end);
        if close.starts_with('<') {
            end += self.text[end..line].find('>').map_or(line - end, |length| length + 1);
        }
        self.out.raw.push(at..line);
        self.skip = line;
        Some(end)
    }

    /// The definition of a note at the start of a line.
    fn note(&mut self, at: usize, words: &str) -> bool {
        let end = at + words.len();
        // A definition that is indented is part of the note.
        let is_term = || self.is_term(end) && !self.below(end).is_some_and(|below| self.is_note_text(&below));
        if self.paragraph.is_some() || !words.starts_with("[^") || is_term() {
            return false;
        }
        let Some(length) = words.find("]:").filter(|end| !words[2..*end].contains([' ', ']', '['])) else {
            return false;
        };
        self.out.note_definitions.push(Footnote { range: at..at + length + 2, name: at + 2..at + length });
        true
    }

    /// A line of a paragraph; gives where a tag that ends the paragraph begins in it.
    fn paragraph_line(&mut self, mut range: Range<usize>, caption: bool) -> Option<usize> {
        let text = self.text;
        let first = usize::from(self.paragraph.is_none());
        let tag = tags::block_tag(&text[range.clone()], first, self.open_tag());
        let start = self.paragraph.as_ref().map_or(range.start, |paragraph| paragraph.range.start);
        let tag = tag.map(|tag| range.start + tag).filter(|tag| !self.is_code_open(start, *tag));
        range.end = tag.unwrap_or(range.end);
        let caption = caption || text[range.clone()].starts_with("Table:");
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
        if tag.is_some() {
            self.flush();
        }
        tag
    }

    /// Ends the open paragraph and reads its text.
    fn flush(&mut self) {
        let Some(Paragraph { range, caption }) = self.paragraph.take() else { return };
        self.term = if caption { 0..0 } else { range.clone() };
        if !self.containers.in_quote() {
            self.out.outline.paragraphs.push(range.clone());
        }
        for cells in tables::surplus(self.text, &range) {
            self.out.slip(SlipKind::SurplusCells, cells);
        }
        let div = self.div_around();
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

/// The end of the line at an offset, without its line end.
fn content_end(text: &str, at: usize) -> usize {
    let end = memchr::memchr(b'\n', &text.as_bytes()[at..]).map_or(text.len(), |end| at + end);
    at + text[at..end].trim_end_matches('\r').len()
}

/// Whether a tag goes over an empty line, which ends text.
fn has_empty_line(tag: &str) -> bool {
    tag.contains('\n') && tag.lines().skip(1).any(|line| line.trim_ascii().is_empty())
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
        assert_eq!(slips("::: a\n  ::: {.b}\nText.\n  :::\n:::\n"), ["IndentedDiv ::: {.b}"]);
        assert_eq!(slips("- a\n\n  ::: b\n  Text.\n  :::\n\n   ::: see below\n"), [""; 0]);
        assert_eq!(slips("::: {#thm-a\nText.\n:::\n"), ["UnclosedAttributes {#thm-a"]);
        assert_eq!(slips("::: {.a b, c}\nText.\n:::\n"), ["UnreadAttributes {.a b, c}"]);
        assert_eq!(slips("::: {.a\n  b=\"c\"} text\n:::\n"), ["DivWithText text"]);
        assert_eq!(slips("::: {.a\n  b=\"c\"} :::\n:::\n"), [""; 0]);
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

    /// Expected is what Pandoc 3.9 gives.
    #[test]
    fn text_goes_on_below_quotes_items_and_notes() {
        let headings = |text: &str| {
            let found = read(text);
            found.headings.iter().map(|heading| text[heading.words.clone()].to_owned()).collect::<Vec<_>>()
        };
        // A line of dashes with spaces is the text of the item above it, and what is below it another item.
        assert_eq!(headings("- a\n- - -\n- \n"), [""; 0]);
        assert_eq!(headings("> 1. one\n2. two\n- \n"), [""; 0]);
        assert_eq!(headings("a\n\n: b\n- \n"), [""; 0], "the definition of a term");
        assert_eq!(headings("- a\n: b\n- \n"), [": b"], "an item cannot be a term");
        assert_eq!(headings("a\n: b\n---\n"), ["b"]);
        let cited = |text: &str| {
            read(text).citations.iter().map(|found| text[found.key.clone()].to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(cited("> # A\n(@b) c\n\n    code @d\n"), [""; 0]);
        assert_eq!(cited("> a\n    > code @b\n"), [""; 0]);
        assert_eq!(cited("> * a\n    - b @c\n"), ["c"]);
        assert_eq!(cited("- \t`a` @b\n"), ["b"]);
        assert_eq!(read("a\n    ```\nb\n").code.len(), 0, "marks of code that are indented in a paragraph");
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
        read(&format!("a\n\n# {}\n{}", "b".repeat(400_000), ": c\n---\n".repeat(50_000)));
        read(&format!("{}\n{}", "a".repeat(400_000), ": c\n---\n".repeat(50_000)));
    }
}
