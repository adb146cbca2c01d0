//! Blocks from lines.

use std::{cell::RefCell, collections::HashSet};

use super::{
    cursor::{Blocks, Reader, closes_div_tag, is_div_end},
    grid, inlines, lists, tables,
    text::{Line, ended},
};
use crate::{
    budget,
    model::{Attr, Block, Inline, Place, words},
    syntax::pandoc::{self, Braces, heading_marks, indentation, is_rule, prefix, tags},
};

/// Deepest nesting of blocks; markers of deeper ones are left out.
const DEPTH: u32 = 64;

/// Steps that reading a line takes.
const LINE: u64 = 16;

/// Most lines over which the attributes of a div can go.
const ATTRIBUTE_LINES: usize = 8;

/// What closes a div.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Close {
    End,
    Colons,
    Tag,
}

/// Reads lines as blocks.
pub(super) fn read(reader: &Reader<'_>, lines: &[Line], depth: u32, in_item: bool) -> Vec<Block> {
    budget::charge(lines.len() as u64);
    let mut blocks = Blocks {
        reader,
        lines: lines.to_vec(),
        at: 0,
        depth,
        in_item,
        endless: HashSet::new(),
        unclosed: RefCell::new([usize::MAX; 2]),
        html: Vec::new(),
    };
    if depth > DEPTH {
        blocks.note_depth();
        return vec![Block::Para(reader.inlines(lines))];
    }
    blocks.until(Close::End)
}

impl Blocks<'_, '_> {
    fn note_depth(&self) {
        self.reader.definitions.too_deep.borrow_mut().get_or_insert(self.place(self.at));
    }

    /// Reads blocks up to what closes the div around them.
    fn until(&mut self, close: Close) -> Vec<Block> {
        let mut out = Vec::new();
        // Divs that are too deep are left out, and so are their ends.
        let mut left_out = 0_usize;
        while self.at < self.lines.len() && budget::charge(LINE) {
            if self.is_blank(self.at) {
                self.at += 1;
                continue;
            }
            let line = self.line(self.at).unwrap_or_default();
            if close != Close::End {
                if is_div_end(line) && (close == Close::Colons || left_out > 0) {
                    self.at += 1;
                    if left_out == 0 {
                        return out;
                    }
                    left_out -= 1;
                    continue;
                }
                if close == Close::Tag && closes_div_tag(line) {
                    self.cut_tag(line);
                    return out;
                }
            }
            if self.depth >= DEPTH && self.div_open(self.at).is_some() {
                self.note_depth();
                self.at += 1;
                left_out += 1;
                continue;
            }
            // The content of a tag is indented as its first line is.
            if let Some((_, columns)) = self.html.last().filter(|(_, columns)| *columns > 0) {
                self.lines[self.at] = self.cut_line(self.at, *columns);
            }
            let before = out.len();
            if !self.block(&mut out) {
                self.paragraph(&mut out);
            }
            budget::allocate(out.len().saturating_sub(before) * size_of::<Block>());
        }
        out
    }

    /// Removes the closing tag at the start of a line, and the line where it has nothing else.
    fn cut_tag(&mut self, line: &str) {
        let indent = line.len() - line.trim_start().len();
        let length = tags::tag(line.trim_start()).map_or(0, |tag| tag.length);
        self.cut(indent + length);
    }

    /// Leaves out the first bytes of the line.
    fn cut(&mut self, length: usize) {
        self.lines[self.at].start += length;
        if self.is_blank(self.at) {
            self.at += 1;
        }
    }

    /// A block that is not a paragraph; gives whether there is one.
    fn block(&mut self, out: &mut Vec<Block>) -> bool {
        let line = self.line(self.at).unwrap_or_default();
        let (columns, space) = indentation(line, 0);
        if columns >= 4 {
            out.push(self.indented());
            return true;
        }
        let words = &line[space..];
        let first = match words.as_bytes().first() {
            Some(b'`' | b'~') => self.fence(words, columns),
            Some(b':') if words.starts_with(":::") => self.div(),
            _ => None,
        };
        if let Some(block) = first.or_else(|| self.underlined(words)) {
            out.push(block);
            return true;
        }
        let found = match words.as_bytes().first() {
            Some(b':') if !words.starts_with(":::") => self.caption(out),
            Some(b'#') if columns == 0 => self.heading(words),
            Some(b'>') => Some(self.quote()),
            Some(b'<') => self.html(space, words),
            Some(b'\\') => self.environment(words),
            Some(b'|') => tables::pipe(self).or_else(|| self.line_block()),
            Some(b'+') => grid::spanned(self).or_else(|| tables::grid(self)),
            Some(b'-') => tables::dashes(self),
            Some(b'[') => {
                // A term of definitions may look like a definition of another kind.
                let list = lists::definitions(self);
                if list.is_none() && self.definition(words) {
                    return true;
                }
                list
            }
            _ => None,
        };
        if let Some(block) = found {
            out.push(block);
            return true;
        }
        if is_rule(words) && !(words.starts_with('-') && words.trim_end() == "---" && self.is_yaml()) {
            self.at += 1;
            out.push(Block::Rule);
            return true;
        }
        if self.skip_yaml(words) {
            return true;
        }
        if let Some(list) = lists::list(self) {
            out.push(list);
            return true;
        }
        let table = tables::pipe(self).or_else(|| tables::simple(self));
        if let Some(table) = table {
            out.push(table);
            return true;
        }
        if let Some(list) = lists::definitions(self) {
            out.push(list);
            return true;
        }
        false
    }

    /// A block of YAML in the text begins with dashes above a key.
    fn is_yaml(&self) -> bool {
        let next = self.line(self.at + 1).unwrap_or_default();
        let key = next.split(':').next().unwrap_or_default();
        key.len() < next.len()
            && !key.is_empty()
            && !key.contains(char::is_whitespace)
            && self.yaml_end().is_some()
    }

    fn yaml_end(&self) -> Option<usize> {
        let ahead = self.lines.len().min(self.at + 200);
        (self.at + 1..ahead).find(|at| matches!(self.line(*at).unwrap_or_default().trim_end(), "---" | "..."))
    }

    fn skip_yaml(&mut self, words: &str) -> bool {
        if words.trim_end() != "---" || !self.is_yaml() {
            return false;
        }
        let Some(end) = self.yaml_end() else { return false };
        self.at = end + 1;
        true
    }

    fn indented(&mut self) -> Block {
        let place = self.place(self.at);
        let mut text: Vec<String> = Vec::new();
        while self.at < self.lines.len() {
            let line = self.line(self.at).unwrap_or_default();
            if !self.is_blank(self.at) && indentation(line, 0).0 < 4 {
                break;
            }
            text.push(self.code_line(self.at, 4));
            self.at += 1;
        }
        while text.last().is_some_and(|line| line.trim().is_empty()) {
            text.pop();
        }
        Block::Code(Attr { place, ..Attr::default() }, text.join("\n"))
    }

    fn fence(&mut self, words: &str, columns: usize) -> Option<Block> {
        let end = self.fence_end(self.at)?;
        let mark = words.as_bytes()[0];
        let info = words[pandoc::run(words, mark)..].trim();
        let place = self.place(self.at);
        let text: Vec<String> = (self.at + 1..end).map(|at| self.code_line(at, columns)).collect();
        let text = text.join("\n");
        self.at = end + 1;
        Some(code(info, text, place))
    }

    /// A line of code without some columns of its indentation, and with spaces in place of tabs.
    fn code_line(&self, at: usize, columns: usize) -> String {
        let line = self.cut_line(at, columns);
        let text = self.reader.texts.of(line);
        if !text.contains('\t') {
            return text.to_owned();
        }
        let before = self.reader.texts.before(line);
        let mut out = String::with_capacity(text.len() + 8);
        let mut column = 0;
        for (index, c) in before.chars().chain(text.chars()).enumerate() {
            let width = if c == '\t' { 4 - column % 4 } else { 1 };
            column += width;
            if index >= before.chars().count() {
                if c == '\t' { out.extend(std::iter::repeat_n(' ', width)) } else { out.push(c) }
            }
        }
        out
    }

    /// The opening line of a div: its attributes, and the line after it.
    fn div_open(&self, at: usize) -> Option<(Attr, usize)> {
        let line = self.line(at)?;
        let info = line[pandoc::div_marks(line)?..].trim();
        if info.is_empty() {
            return None;
        }
        let place = self.place(at);
        if info.starts_with('{') {
            let mut joined = info.to_owned();
            for more in 0..ATTRIBUTE_LINES {
                if let Braces::Attributes(found) = pandoc::braces(&joined, 0) {
                    if !joined[found.range.end..].trim().trim_end_matches(':').trim().is_empty() {
                        return None;
                    }
                    return Some((inlines::attr(&joined, &found, place), at + 1 + more));
                }
                let Some(line) = self.text_at(at + 1 + more) else { break };
                joined.push('\n');
                joined.push_str(line);
            }
        }
        let (word, rest) = pandoc::div_word(info);
        rest.is_empty().then(|| (Attr { place, ..Attr::class(&info[word]) }, at + 1))
    }

    fn div(&mut self) -> Option<Block> {
        let (attr, next) = self.div_open(self.at)?;
        self.at = next;
        self.depth += 1;
        self.reader.divs.set(self.reader.divs.get() + 1);
        let inner = self.until(Close::Colons);
        self.reader.divs.set(self.reader.divs.get() - 1);
        self.depth -= 1;
        Some(Block::Div(attr, inner))
    }

    /// A heading whose marks are below it.
    fn underlined(&mut self, words: &str) -> Option<Block> {
        let level = self.line(self.at + 1).and_then(pandoc::underline)?;
        if !pandoc::can_be_underlined(words) {
            return None;
        }
        let (line, place) = (self.trimmed(self.lines[self.at]), self.place(self.at));
        self.at += 2;
        Some(self.header(level, line, place))
    }

    fn heading(&mut self, words: &str) -> Option<Block> {
        let (level, marks) = heading_marks(words)?;
        let line = self.lines[self.at];
        let place = self.place(self.at);
        let indent = self.line(self.at)?.len() - words.len();
        let start = line.start + indent + marks;
        self.at += 1;
        Some(self.header(level, Line { start: start.min(line.end), ..line }, place))
    }

    /// A heading with this text, whose attributes end it.
    fn header(&self, level: u8, line: Line, place: Place) -> Block {
        let text = self.reader.texts.of(line);
        let trimmed = text.trim_end();
        let mut attr = Attr { place, ..Attr::default() };
        let mut end = trimmed.len();
        if trimmed.ends_with('}') {
            let starts = trimmed.match_indices('{').map(|(at, _)| at);
            for at in starts {
                // Each may be read up to the end.
                if !budget::charge((trimmed.len() - at) as u64 / 8) {
                    break;
                }
                match pandoc::braces(trimmed, at) {
                    Braces::Attributes(found) if found.range.end == trimmed.len() => {
                        // Code, links and spans take the attributes after them.
                        let before = !trimmed[..at].ends_with(['`', ')', ']', '\\']);
                        if before {
                            attr = inlines::attr(trimmed, &found, place);
                            end = at;
                            break;
                        }
                    }
                    _ => {}
                }
            }
        }
        let words = trimmed[..end].trim_end();
        let closed = words.trim_end_matches('#');
        let words = if closed.ends_with('\\') { words } else { closed.trim_end() };
        let line = Line { end: line.start + words.len(), ..line };
        Block::Header(level, attr, self.reader.inlines(&[line]))
    }

    fn quote(&mut self) -> Block {
        let mut inner = Vec::new();
        while self.at < self.lines.len() && !self.is_blank(self.at) {
            let line = self.line(self.at).unwrap_or_default();
            let (columns, space) = indentation(line, 0);
            let words = &line[space..];
            let mut start = self.lines[self.at].start;
            if let Some(quoted) = words.strip_prefix('>') {
                // With so much indentation, it is code.
                if columns >= 4 {
                    break;
                }
                start += space + 1 + usize::from(quoted.starts_with(' '));
            } else if !inner.is_empty() && self.interrupts(self.at, line) {
                break;
            }
            inner.push(Line { start, ..self.lines[self.at] });
            self.at += 1;
        }
        Block::Quote(self.reader.read(&ended(&inner), self.depth + 1))
    }

    fn line_block(&mut self) -> Option<Block> {
        // Its lines are not indented.
        let is_line = |line: &&str| line.starts_with("| ") || line.trim_end() == "|";
        self.line(self.at).filter(is_line)?;
        let mut out = Vec::new();
        while let Some(line) = self.line(self.at).filter(is_line) {
            let start = self.lines[self.at].start + 1;
            let text = &line[1..];
            let text = text.strip_prefix(' ').unwrap_or(text);
            let spaces = text.len() - text.trim_start_matches(' ').len();
            let mut lines = vec![Line { start, ..self.lines[self.at] }];
            // Lines that begin with a space go on.
            while self.text_at(self.at + 1).is_some_and(|line| line.starts_with(' ')) {
                self.at += 1;
                lines.push(self.lines[self.at]);
            }
            let mut inlines = self.reader.inlines(&lines);
            for inline in &mut inlines {
                if matches!(inline, Inline::SoftBreak) {
                    *inline = Inline::Space;
                }
            }
            if spaces > 0 {
                inlines.insert(0, Inline::Str("\u{a0}".repeat(spaces)));
            }
            out.push(inlines);
            self.at += 1;
        }
        Some(Block::LineBlock(out))
    }

    /// A tag of a block. What is between tags is Markdown, except in tags with verbatim content.
    fn html(&mut self, space: usize, words: &str) -> Option<Block> {
        let place = self.place(self.at);
        let raw = |text: String| Block::Raw { format: "html".to_owned(), text, place };
        if words.starts_with("<!--") {
            return self.verbatim("-->").map(raw);
        }
        if words.starts_with("<!") || words.starts_with("<?") {
            return self.verbatim(">").map(raw);
        }
        // A tag can go over several lines. The rest of a long line is not copied for each of its tags.
        let own = tags::tag(words).map_or(words.len(), |tag| tag.length);
        let mut joined = words[..own].to_owned();
        let mut last = self.at;
        while tags::tag(&joined).is_none() && last < self.at + 20 && !self.is_blank(last + 1) {
            last += 1;
            joined.push('\n');
            joined.push_str(self.line(last).unwrap_or_default());
        }
        let tag = tags::tag(&joined)?;
        if !tags::begins_block(tag.name) {
            return None;
        }
        if tags::is_verbatim(tag.name) && !tag.closing {
            return self.verbatim(&format!("</{}", tag.name)).map(raw);
        }
        let text = joined[..tag.length].to_owned();
        let before: usize = joined[..tag.length].rfind('\n').map_or(0, |at| at + 1);
        let is_div = tag.name.eq_ignore_ascii_case("div") && !tag.closing && !text.ends_with("/>");
        let cut = if last == self.at || before == 0 { space + tag.length } else { tag.length - before };
        let (is_closing, is_void) = (tag.closing, tags::is_void(tag.name) || text.ends_with("/>"));
        let name = tag.name.to_ascii_lowercase();
        self.at += joined[..tag.length].matches('\n').count();
        let ends_line = self.line(self.at).is_some_and(|line| line[cut..].trim().is_empty());
        if is_closing {
            if let Some(open) = self.html.iter().rposition(|(known, _)| *known == name) {
                self.html.truncate(open);
            }
        } else if !is_void && !is_div && self.html.len() < 64 {
            let next = self.line(self.at + 1).filter(|_| ends_line).unwrap_or_default();
            self.html.push((name, indentation(next, 0).0));
        }
        self.cut(cut);
        if is_div && self.depth < DEPTH {
            let attr = html_attr(&text, place);
            self.depth += 1;
            self.reader.tags.set(self.reader.tags.get() + 1);
            let inner = self.until(Close::Tag);
            self.reader.tags.set(self.reader.tags.get() - 1);
            self.depth -= 1;
            return Some(Block::Div(attr, inner));
        }
        Some(raw(text))
    }

    /// The name of the innermost tag that is open.
    fn open_tag(&self) -> Option<&str> {
        self.html.last().map(|(name, _)| name.as_str())
    }

    /// Lines up to the end of verbatim content. What follows it on its line is another block.
    fn verbatim(&mut self, close: &str) -> Option<String> {
        if self.endless.contains(close) || self.endless.len() > 64 {
            return None;
        }
        let is_tag = close.starts_with("</");
        let found = (self.at..self.lines.len()).find_map(|at| {
            let line = self.line(at).unwrap_or_default();
            let start = if is_tag { position_ignoring_case(line, close) } else { line.find(close) }?;
            let end = start + close.len();
            // A tag ends with its bracket.
            let end =
                if is_tag { line[end..].find('>').map_or(line.len(), |more| end + more + 1) } else { end };
            Some((at, end))
        });
        let Some((end, length)) = found else {
            self.endless.insert(close.to_owned());
            return None;
        };
        let mut text: Vec<&str> = (self.at..end).filter_map(|at| self.line(at)).collect();
        text.extend(self.line(end).map(|line| &line[..length]));
        let text = text.join("\n");
        self.at = end;
        self.cut(length);
        Some(text)
    }

    /// An environment of TeX.
    fn environment(&mut self, words: &str) -> Option<Block> {
        let place = self.place(self.at);
        let raw = |text: String| Block::Raw { format: "tex".to_owned(), text, place };
        if let Some(rest) = words.strip_prefix("\\begin{") {
            let name = rest.split('}').next().filter(|name| name.len() < 40)?;
            return self.verbatim(&format!("\\end{{{name}}}")).map(raw);
        }
        let command = words.trim_end();
        let is_definition = DEFINITIONS
            .iter()
            .any(|name| command.strip_prefix(name).is_some_and(|rest| rest.starts_with(['{', '\\', '*'])));
        if is_definition
            && command.ends_with('}')
            && command.matches('{').count() == command.matches('}').count()
        {
            self.at += 1;
            return Some(raw(command.to_owned()));
        }
        let name = command[1..].find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(command.len() - 1);
        let alone =
            name > 0 && self.is_blank(self.at + 1) && (command.len() == name + 1 || command.ends_with('}'));
        if alone && command[1 + name..].matches('{').count() == command[1 + name..].matches('}').count() {
            let only_arguments = command.len() == name + 1 || command[1 + name..].starts_with(['{', '[']);
            if only_arguments && !command.contains("} ") {
                self.at += 1;
                return Some(raw(command.to_owned()));
            }
        }
        None
    }

    /// The definition of a note or a link.
    fn definition(&mut self, words: &str) -> bool {
        let Some(end) = words.find("]:") else { return false };
        let label = &words[1..end];
        let Some(name) = label.strip_prefix('^') else {
            let known = pandoc::link_definition(words).is_some();
            self.at += usize::from(known);
            return known;
        };
        if name.contains([' ', ']', '[']) {
            return false;
        }
        let mut lines = Vec::new();
        let indent = self.line(self.at).map_or(0, |line| line.len() - words.len());
        let first = self.lines[self.at];
        lines.push(Line { start: first.start + indent + end + 2, ..first });
        self.at += 1;
        while self.at < self.lines.len() {
            let line = self.line(self.at).unwrap_or_default();
            let blank = line.trim().is_empty();
            if blank {
                let next = (self.at..self.lines.len()).find(|at| !self.is_blank(*at));
                let goes_on =
                    next.and_then(|at| self.line(at)).is_some_and(|line| indentation(line, 0).0 >= 4);
                if !goes_on {
                    break;
                }
                lines.push(self.lines[self.at]);
            } else if indentation(line, 0).0 >= 4 {
                let start = self.lines[self.at].start + prefix(line, 4);
                lines.push(Line { start, ..self.lines[self.at] });
            } else {
                let above_blank = self.is_blank(self.at - 1);
                if above_blank || self.interrupts(self.at, line) || line.trim_start().starts_with("[^") {
                    break;
                }
                lines.push(self.lines[self.at]);
            }
            self.at += 1;
        }
        let trimmed = lines[0];
        let text = self.reader.texts.of(trimmed);
        lines[0].start += text.len() - text.trim_start().len();
        let blocks = self.reader.read(&ended(&lines), self.depth + 1);
        self.reader.definitions.notes.borrow_mut().insert(name.to_owned(), blocks);
        true
    }

    /// `: text` as the caption of the table above or below it.
    fn caption(&mut self, out: &mut Vec<Block>) -> Option<Block> {
        let line = self.line(self.at)?.trim_start();
        line.strip_prefix(": ")?;
        let start = self.at;
        let lines = self.caption_lines()?;
        if let Some(Block::Table(table)) = out.last_mut()
            && table.caption.is_empty()
        {
            let mut table = std::mem::take(table);
            out.pop();
            (table.caption, table.attr) = self.captioned(&lines);
            return Some(Block::Table(table));
        }
        // Above a table.
        let mut below = self.at;
        while below < self.lines.len() && self.is_blank(below) {
            below += 1;
        }
        self.at = below;
        let table = grid::spanned(self).or_else(|| tables::any(self));
        match table {
            Some(Block::Table(mut table)) => {
                (table.caption, table.attr) = self.captioned(&lines);
                Some(Block::Table(table))
            }
            _ => {
                self.at = start;
                None
            }
        }
    }

    fn caption_lines(&mut self) -> Option<Vec<Line>> {
        let line = self.line(self.at)?;
        let words = line.trim_start();
        let cut = line.len() - words.len() + if words.starts_with("Table:") { 6 } else { 1 };
        let mut lines = vec![Line { start: self.lines[self.at].start + cut, ..self.lines[self.at] }];
        self.at += 1;
        // Attributes at the end of a line end the caption.
        while lines.last().is_some_and(|last| self.last_attributes(*last).is_none())
            && self.text_at(self.at).is_some_and(|line| !self.interrupts(self.at, line))
        {
            lines.push(self.lines[self.at]);
            self.at += 1;
        }
        Some(lines)
    }

    /// The attributes at the end of a line, and where they begin in it.
    fn last_attributes(&self, line: Line) -> Option<(usize, Attr)> {
        let trimmed = self.reader.texts.of(line).trim_end();
        let at = trimmed.ends_with('}').then(|| trimmed.rfind('{')).flatten()?;
        // Those of a span, of code, or of a link are not those of the caption.
        let before = &trimmed[..at];
        if before.ends_with([']', '`']) || before.ends_with(')') && before.contains("](") {
            return None;
        }
        let Braces::Attributes(found) = pandoc::braces(trimmed, at) else { return None };
        let place = Place { source: line.source, offset: (line.start + at) as u32 };
        (found.range.end == trimmed.len()).then(|| (at, inlines::attr(trimmed, &found, place)))
    }

    /// The text of a caption and the attributes that end it.
    fn captioned(&self, lines: &[Line]) -> (Vec<Inline>, Attr) {
        let mut lines = lines.to_vec();
        let mut attr = Attr::default();
        if let Some(last) = lines.last_mut()
            && let Some((at, found)) = self.last_attributes(*last)
        {
            last.end = last.start + self.reader.texts.of(*last)[..at].trim_end().len();
            attr = found;
        }
        (self.reader.inlines(&lines), attr)
    }

    /// Whether a line ends the text above it.
    fn interrupts(&self, at: usize, line: &str) -> bool {
        self.begins_item(line) || self.begins_fence(at, line)
    }

    fn begins_item(&self, line: &str) -> bool {
        self.ends_item(line) || self.in_item && lists::begins(line)
    }

    fn begins_fence(&self, at: usize, line: &str) -> bool {
        line.trim_start().starts_with('`') && self.is_fence(at)
    }

    fn paragraph(&mut self, out: &mut Vec<Block>) {
        let mut lines: Vec<Line> = Vec::new();
        while self.at < self.lines.len() && !self.is_blank(self.at) {
            let line = self.line(self.at).unwrap_or_default();
            if !lines.is_empty() {
                if self.begins_item(line) || self.begins_fence(self.at, line) && !self.in_code(&lines) {
                    break;
                }
                let raw = begins_html(line, self.open_tag()) || self.begins_environment(line);
                if raw && !self.in_code(&lines) {
                    // However far it is indented, below text it does not become code.
                    self.lines[self.at] = self.trimmed(self.lines[self.at]);
                    break;
                }
            }
            let current = self.lines[self.at];
            if let Some(at) = tags::block_tag(line, 1, self.open_tag()).filter(|_| !self.in_code(&lines)) {
                lines.push(Line { end: current.start + at, ..current });
                self.lines[self.at].start += at;
                break;
            }
            lines.push(current);
            self.at += 1;
        }
        let text = lines.first().map(|line| self.reader.text(*line)).unwrap_or_default();
        if text.starts_with("Table:") && self.table_caption(&lines, out) {
            return;
        }
        let inlines = self.reader.inlines(&lines);
        if let Some(figure) = figure(&inlines) {
            out.push(figure);
            return;
        }
        if !inlines.is_empty() {
            let ends = self.at >= self.lines.len() && !self.in_item
                || self.at < self.lines.len() && self.is_blank(self.at)
                || self.line(self.at).is_some_and(|line| self.ends_item(line))
                || self.at < self.lines.len() && self.is_fence(self.at);
            out.push(if ends { Block::Para(inlines) } else { Block::Plain(inlines) });
        }
    }

    /// Whether code is open after the lines of a paragraph, and closed on one of the next lines.
    fn in_code(&self, lines: &[Line]) -> bool {
        let above = lines.iter().map(|line| self.reader.texts.of(*line));
        pandoc::is_in_code(above, (self.at..self.lines.len()).map_while(|at| self.text_at(at)))
    }

    /// Whether a line begins with an environment of TeX that is closed.
    fn begins_environment(&self, line: &str) -> bool {
        pandoc::environment_close(line.trim_start()).is_some_and(|close| {
            let mut below = (self.at..self.lines.len()).filter_map(|at| self.line(at));
            !self.endless.contains(&close) && below.any(|line| line.contains(&close))
        })
    }

    fn trimmed(&self, line: Line) -> Line {
        let text = self.reader.texts.of(line);
        Line { start: line.start + (text.len() - text.trim_start().len()), ..line }
    }

    /// `Table: text` beside a table.
    fn table_caption(&mut self, lines: &[Line], out: &mut Vec<Block>) -> bool {
        let mut lines = lines.to_vec();
        lines[0].start += "Table:".len();
        let (caption, attr) = self.captioned(&lines);
        if let Some(Block::Table(table)) = out.last_mut()
            && table.caption.is_empty()
        {
            table.caption = caption;
            table.attr = attr;
            return true;
        }
        let after = self.at;
        while self.at < self.lines.len() && self.is_blank(self.at) {
            self.at += 1;
        }
        let found = grid::spanned(self).or_else(|| tables::any(self));
        if let Some(Block::Table(mut table)) = found {
            table.caption = caption;
            table.attr = attr;
            out.push(Block::Table(table));
            return true;
        }
        self.at = after;
        false
    }
}

/// Commands of TeX that define something.
const DEFINITIONS: [&str; 6] = [
    "\\newcommand",
    "\\renewcommand",
    "\\providecommand",
    "\\DeclareMathOperator",
    "\\def",
    "\\newenvironment",
];

/// A paragraph that is only an image with a caption is a figure.
fn figure(inlines: &[Inline]) -> Option<Block> {
    let [Inline::Image(attr, caption, target)] = inlines else { return None };
    if caption.is_empty() {
        return None;
    }
    let mut image = attr.clone();
    let id = std::mem::take(&mut image.id);
    let mut figure = Attr { id, place: attr.place, ..Attr::default() };
    if let Some(placement) = image.take("latex-placement") {
        figure = figure.with("latex-placement", placement);
    }
    let words = image.take("alt").map_or_else(|| caption.clone(), |alt| words(&alt));
    let image = Inline::Image(image, words, target.clone());
    Some(Block::Figure(figure, caption.clone(), vec![Block::Plain(vec![image])]))
}

/// A code block with the info of its fence.
pub(super) fn code(info: &str, text: String, place: Place) -> Block {
    if info.starts_with("{{") {
        // Twofold braces show a cell.
        let language = info.trim_matches(['{', '}']);
        return Block::Code(Attr { place, ..Attr::class("cell-code") }.with("shown", language.trim()), text);
    }
    let Some(brace) = info.find('{') else {
        let word = info.split_whitespace().next().unwrap_or_default();
        let classes = if word.is_empty() { vec![] } else { vec![word.to_owned()] };
        return Block::Code(Attr { classes, place, ..Attr::default() }, text);
    };
    let word = info[..brace].trim();
    let attr = match pandoc::braces(info, brace) {
        Braces::Raw { format, .. } => {
            return Block::Raw { format: info[format].to_owned(), text, place };
        }
        Braces::Attributes(found) => {
            let mut attr = inlines::attr(info, &found, place);
            if !word.is_empty() {
                attr.classes.insert(0, word.to_owned());
            }
            attr
        }
        // `{python}`, `{r, echo=FALSE}`: a cell.
        Braces::Other | Braces::Unclosed(_) => {
            let inner = info[brace + 1..].trim_end_matches('}').trim();
            let end = inner.find(|c: char| c.is_whitespace() || c == ',').unwrap_or(inner.len());
            Attr { place, ..Attr::default() }.with("cell", &inner[..end])
        }
    };
    Block::Code(attr, text)
}

/// The attributes of a tag, in the model.
pub(super) fn html_attr(tag: &str, place: Place) -> Attr {
    let mut attr = Attr { place, ..Attr::default() };
    for (key, value) in tags::attributes(tag) {
        match key.as_str() {
            "id" => attr.id = value,
            "class" => attr.classes = value.split_whitespace().map(str::to_owned).collect(),
            _ => attr.pairs.push((key.strip_prefix("data-").unwrap_or(&key).to_owned(), value)),
        }
    }
    attr
}

fn position_ignoring_case(line: &str, part: &str) -> Option<usize> {
    line.as_bytes().windows(part.len()).position(|window| window.eq_ignore_ascii_case(part.as_bytes()))
}

/// Whether a line begins with a tag that ends the paragraph before it: that of a block, or the one that closes the
/// innermost `open` one.
fn begins_html(line: &str, open: Option<&str>) -> bool {
    tags::tag(line.trim_start()).is_some_and(|tag| tags::ends_text(&tag, open))
}
