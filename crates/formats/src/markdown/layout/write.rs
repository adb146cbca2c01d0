//! The layout as a part of the tree.

use std::{borrow::Cow, collections::HashMap, ops::Range};

use super::{
    super::page::Page,
    blocks::{Blocks, CodeBlock, TopBlock},
    headings::Heading,
    inlines::Emphasis,
    lines::Part,
    links::{Link, normalized},
    lists::{Item, List},
    spaces::{Space, Where},
    tables::{Pipe, Row, Table},
    tags,
};
use crate::{
    budget,
    tree::{Scalar, TreeBuilder},
};

pub(super) struct Writer<'w, 'a> {
    pub(super) blocks: &'w Blocks<'a>,
    pub(super) page: &'w Page<'a>,
    pub(super) builder: &'w mut TreeBuilder,
}

/// A side of a block, with the blank lines there.
struct Edge {
    side: &'static str,
    /// The line whose side it is.
    line: usize,
    blank: Option<usize>,
}

impl Writer<'_, '_> {
    pub(super) fn write(mut self) {
        let whole = self.page.span(0..self.page.text().len());
        self.builder.reserve(self.nodes());
        self.builder.key_static(super::KEY);
        self.builder.open_mapping(whole);
        self.front_matter();
        self.top();
        self.headings();
        self.anchors();
        self.list("lists", &self.blocks.lists, Self::a_list);
        self.quotes();
        self.list("code", &self.blocks.code, Self::a_code_block);
        self.list("tables", &self.blocks.tables, Self::a_table);
        for (key, ranges) in [("html", &self.blocks.html), ("formulas", &self.blocks.formulas)] {
            self.list(key, ranges, |writer, range| {
                let span = writer.page.span(range.clone());
                writer.builder.scalar(Scalar::Null, span);
            });
        }
        self.list("breaks", &self.blocks.breaks, |writer, range| {
            writer.page.item(writer.builder, range.clone());
        });
        self.inlines();
        self.definitions();
        self.list("spaces", &self.blocks.spaces(), Self::a_space);
        self.lines();
        self.builder.close(None);
    }

    /// About how many nodes there will be.
    fn nodes(&self) -> usize {
        let blocks = self.blocks;
        let items: usize = blocks.lists.iter().map(|list| 18 + 11 * list.items.len()).sum();
        let rows = blocks.tables.iter().flat_map(|table| &table.rows);
        let pipes: usize = rows.map(|row| 7 + 4 * row.pipes.len()).sum();
        6 * blocks.lines.count()
            + items
            + pipes
            + 25 * blocks.headings.len()
            + 12 * blocks.inlines.links.len()
    }

    fn list<T>(&mut self, key: &'static str, items: &[T], mut write: impl FnMut(&mut Self, &T)) {
        let whole = self.page.span(0..self.page.text().len());
        self.builder.key_static(key);
        self.builder.open_sequence(whole);
        for item in budget::within(items) {
            write(self, item);
        }
        self.builder.close(None);
    }

    fn open(&mut self, range: Range<usize>) {
        let span = self.page.span(range);
        self.builder.open_mapping(span);
    }

    fn text(&mut self, key: &'static str, text: &str, range: Range<usize>) {
        let span = self.page.span(range);
        self.builder.field(key, Scalar::Text(text), span);
    }

    fn name(&mut self, key: &'static str, name: &'static str, range: Range<usize>) {
        let span = self.page.span(range);
        self.builder.field(key, Scalar::Static(name), span);
    }

    fn number(&mut self, key: &'static str, number: usize, range: Range<usize>) {
        let span = self.page.span(range);
        self.builder.field(key, Scalar::Integer(number as i64), span);
    }

    fn truth(&mut self, key: &'static str, truth: bool, range: Range<usize>) {
        let span = self.page.span(range);
        self.builder.field(key, Scalar::Bool(truth), span);
    }

    fn front_matter(&mut self) {
        let lines: Vec<Range<usize>> =
            (0..self.blocks.lines.first()).map(|line| self.blocks.lines.range(line)).collect();
        self.list("front_matter", &lines, |writer, line| writer.page.item(writer.builder, line.clone()));
    }

    /// The first block, and the first one that is a heading.
    fn top(&mut self) {
        let first = self.blocks.top.first();
        let title = self.blocks.top.iter().find(|block| block.level.is_some());
        for (key, block) in [("opening", first), ("title", title)] {
            if let Some(TopBlock { range, level }) = block {
                self.builder.key_static(key);
                self.open(range.clone());
                if let Some(level) = level {
                    self.number("level", usize::from(*level), range.clone());
                }
                self.builder.close(None);
            }
        }
    }

    /// The mark of quotes and the indentation before a block, for a line that is added beside it.
    fn prefix(&self, line: usize) -> String {
        let text = self.blocks.lines.text(line);
        let marks = text.rfind('>').filter(|at| text[..*at].chars().all(|c| matches!(c, ' ' | '\t' | '>')));
        let marks = marks.map_or(0, |at| at + 1);
        text[..marks].to_owned()
    }

    fn edges(&mut self, edges: &[Edge]) {
        self.list("edges", edges, |writer, edge| {
            let range = writer.blocks.lines.range(edge.line);
            writer.open(range.clone());
            writer.name("side", edge.side, range.clone());
            if let Some(blank) = edge.blank {
                writer.number("blank", blank, range.clone());
            }
            writer.text("prefix", &writer.prefix(edge.line), range.start..range.start);
            writer.builder.close(None);
        });
    }

    /// The sides of a block from one line to another.
    fn sides(&self, first: usize, last: usize) -> [Edge; 2] {
        let lines = &self.blocks.lines;
        [
            Edge { side: "above", line: first, blank: lines.blank_above(first) },
            Edge { side: "below", line: last, blank: lines.blank_below(last) },
        ]
    }

    fn headings(&mut self) {
        let mut counts = [0_usize; 7];
        let mut above: Vec<(u8, usize)> = Vec::new();
        let mut places = Vec::with_capacity(self.blocks.headings.len());
        for (index, heading) in self.blocks.headings.iter().enumerate() {
            while above.pop_if(|(level, _)| *level >= heading.level).is_some() {}
            let count = &mut counts[usize::from(heading.level)];
            places.push((index, above.last().map(|(_, section)| *section), *count));
            *count += usize::from(!heading.tab);
            above.push((heading.level, index));
        }
        self.list("headings", &places, |writer, (index, section, earlier)| {
            let headings = &writer.blocks.headings;
            let previous = index.checked_sub(1).map(|before| &headings[before]);
            writer.a_heading(&headings[*index], previous, *section, *earlier);
        });
    }

    fn a_heading(
        &mut self,
        heading: &Heading,
        previous: Option<&Heading>,
        section: Option<usize>,
        earlier: usize,
    ) {
        let start = heading.range.start..heading.range.start;
        let content = heading.content.clone();
        self.open(heading.range.clone());
        self.number("level", usize::from(heading.level), start.clone());
        self.name("style", heading.style.name(), heading.marker.clone());
        if let Some(previous) = previous {
            self.number("previous", usize::from(previous.level), previous.range.clone());
        }
        if let Some(section) = section {
            self.number("section", section, start.clone());
        }
        self.number("earlier", earlier, start.clone());
        self.truth("leading", heading.leading, start.clone());
        self.truth("tab", heading.tab, start);
        self.text("text", &heading.text, content.clone());
        let outline = format!("{} {}", "#".repeat(usize::from(heading.level)), heading.text);
        self.text("outline", &outline, heading.range.clone());
        self.page.write(self.builder, "content", content.clone());
        let last = self.blocks.text[content.clone()].chars().next_back().map_or(0, char::len_utf8);
        self.page.write(self.builder, "last", content.end - last..content.end);
        if !heading.indent.is_empty() {
            self.page.write(self.builder, "indent", heading.indent.clone());
        }
        if !heading.marker.is_empty() {
            let mut end = content.start.max(heading.marker.end);
            if content.is_empty() && heading.closer.is_empty() {
                let line = self.blocks.lines.range(self.blocks.lines.at(heading.range.start));
                let after = &self.blocks.text[heading.marker.end..line.end];
                end = end.max(heading.marker.end + after.len() - after.trim_start_matches([' ', '\t']).len());
            }
            self.page.write(self.builder, "before", heading.marker.end..end);
        }
        if !heading.closer.is_empty() {
            self.page.write(
                self.builder,
                "after",
                content.end.min(heading.closer.start)..heading.closer.start,
            );
        }
        let lines = self.blocks.lines.at(heading.range.start)..self.blocks.lines.last_of(&heading.range);
        let [above, below] = self.sides(lines.start, lines.end);
        self.edges(&[above, Edge { line: lines.start, ..below }]);
        self.builder.close(None);
    }

    /// The names that links within the document can lead to.
    fn anchors(&mut self) {
        let text = self.blocks.text;
        let mut anchors: Vec<(String, Range<usize>)> = Vec::new();
        let mut times: HashMap<&str, usize> = HashMap::new();
        for heading in budget::within(&self.blocks.headings).filter(|heading| !heading.slug.is_empty()) {
            let number = times.entry(&heading.slug).and_modify(|times| *times += 1).or_default();
            if *number > 0 {
                anchors.push((format!("{}-{number}", heading.slug), heading.content.clone()));
            } else {
                anchors.push((heading.slug.clone(), heading.content.clone()));
            }
            anchors.extend(attribute_ids(text, heading.content.clone()));
        }
        for tag in budget::within(&self.blocks.inlines.tags).filter(|tag| !tag.closing) {
            let written = &text[tag.range.clone()];
            let is_anchor = text[tag.name.clone()].eq_ignore_ascii_case("a");
            let name = || tags::attribute(written, "name").filter(|_| is_anchor);
            if let Some(id) = tags::attribute(written, "id").or_else(name) {
                anchors.push((id.to_owned(), tag.range.clone()));
            }
        }
        self.list("anchors", &anchors, |writer, (name, range)| {
            let span = writer.page.span(range.clone());
            writer.builder.scalar(Scalar::Text(name), span);
        });
    }

    fn a_list(&mut self, list: &List) {
        let lines = &self.blocks.lines;
        let start = list.range.start..list.range.start;
        let (first, last) =
            (lines.at(list.range.start), lines.at(list.end.saturating_sub(1).max(list.range.start)));
        self.open(list.range.start..list.end.max(list.range.start));
        self.truth("ordered", list.ordered, start.clone());
        self.number("depth", list.depth, start.clone());
        self.number("levels", list.levels, start.clone());
        self.truth("bulleted", list.bulleted, start.clone());
        self.truth("footnote", list.in_footnote, start.clone());
        self.truth("multiline", last - first + 1 != list.items.len(), start.clone());
        let column = list.items.first().map_or(0, |item| item.column);
        let even = list.items.iter().all(|item| item.column == column);
        self.truth("even", even, start);
        let mut index = 0;
        self.list("items", &list.items, |writer, item| {
            writer.an_item(item, list, index);
            index += 1;
        });
        let edges = self.sides(first, last);
        self.edges(&edges);
        self.builder.close(None);
    }

    fn an_item(&mut self, item: &Item, list: &List, index: usize) {
        let start = item.range.start..item.range.start;
        let marker = &self.blocks.text[item.marker.clone()];
        self.open(item.marker.clone());
        if list.ordered {
            let digits = item.marker.start..item.marker.end - 1;
            let value = self.blocks.text[digits.clone()].parse().unwrap_or_default();
            self.number("value", value, digits);
        } else {
            let style = match marker {
                "-" => "dash",
                "+" => "plus",
                _ => "asterisk",
            };
            self.name("style", style, item.marker.clone());
        }
        self.number("index", index, start.clone());
        self.number("depth", list.depth, start.clone());
        if let Some(outer) = list.depth.checked_sub(1) {
            self.number("outer", outer, start.clone());
        }
        let line = self.blocks.lines.start(self.blocks.lines.at(item.range.start));
        let before = &self.blocks.text[line..item.range.start];
        let lead = before.len() - before.trim_end_matches([' ', '\t']).len();
        self.page.write(self.builder, "lead", item.range.start - lead..item.range.start);
        self.number("column", item.column, start.clone());
        self.number("end", item.column + marker.len(), start.clone());
        self.number("indent", item.indent, start);
        if item.width > 0 {
            self.number("spaces", item.space.len(), item.space.clone());
        }
        self.builder.close(None);
    }

    fn quotes(&mut self) {
        let gaps: Vec<Range<usize>> = (0..self.blocks.quotes.len())
            .flat_map(|index| self.blocks.gap_after(index))
            .map(|line| self.blocks.lines.range(line))
            .collect();
        self.list("quote_gaps", &gaps, |writer, line| writer.page.item(writer.builder, line.clone()));
    }

    fn a_code_block(&mut self, code: &CodeBlock) {
        let lines = &self.blocks.lines;
        let (first, last) = (lines.at(code.range.start), lines.last_of(&code.range));
        let text = self.blocks.text;
        self.open(code.range.clone());
        self.name("style", if code.fence.is_some() { "fenced" } else { "indented" }, code.range.clone());
        self.truth("in_list", code.in_list, code.range.start..code.range.start);
        let content: String = code.content.iter().map(|piece| &text[piece.clone()]).collect();
        let start = code.content.first().map_or(code.range.end, |piece| piece.start);
        let end = code.content.last().map_or(start, |piece| piece.end);
        self.text("content", &content, start..end);
        if let Some(fence) = &code.fence {
            let is_tilde = text[fence.marker.clone()].starts_with('~');
            self.name("fence", if is_tilde { "tilde" } else { "backtick" }, fence.marker.clone());
            self.page.write(self.builder, "language", fence.language.clone());
            self.page.write(self.builder, "rest", fence.rest.clone());
            let [above, below] = self.sides(first, last);
            // A fence that is closed by the end of its container has the blank line in it.
            let blank = if lines.is_blank(last) { Some(1) } else { below.blank };
            self.edges(&[above, Edge { blank, ..below }]);
        }
        self.builder.close(None);
    }

    fn a_table(&mut self, table: &Table) {
        let lines = &self.blocks.lines;
        let (first, last) = (lines.at(table.range.start), lines.last_of(&table.range));
        self.open(table.range.clone());
        let cells = table.rows.first().map_or(0, |row| row.cells);
        self.number("columns", cells, table.range.start..table.range.start);
        let mut index = 0;
        self.list("rows", &table.rows, |writer, row| {
            writer.a_row(row, index);
            index += 1;
        });
        let edges = self.sides(first, last);
        self.edges(&edges);
        self.builder.close(None);
    }

    fn a_row(&mut self, row: &Row, index: usize) {
        let (start, end) = (row.range.start..row.range.start, row.range.end..row.range.end);
        self.open(row.range.clone());
        self.number("index", index, start.clone());
        let style = match (row.leading, row.trailing) {
            (true, true) => "leading_and_trailing",
            (true, false) => "leading_only",
            (false, true) => "trailing_only",
            (false, false) => "no_leading_or_trailing",
        };
        self.name("style", style, row.range.clone());
        self.truth("leading", row.leading, start);
        self.truth("trailing", row.trailing, end);
        self.number("cells", row.cells, row.range.clone());
        self.list("pipes", &row.pipes, |writer, pipe| writer.a_pipe(pipe, index == 1));
        self.builder.close(None);
    }

    fn a_pipe(&mut self, pipe: &Pipe, below_head: bool) {
        let range = pipe.at..pipe.at + 1;
        self.open(range.clone());
        self.truth("aligned", pipe.aligned, range.clone());
        if below_head {
            self.truth("delimiter_aligned", pipe.aligned, range.clone());
        }
        if let Some(before) = pipe.before {
            self.number("before", before, pipe.at - before..pipe.at);
        }
        if let Some(after) = pipe.after {
            self.number("after", after, range.end..range.end + after);
        }
        self.builder.close(None);
    }

    fn inlines(&mut self) {
        self.list("links", &self.blocks.inlines.links, Self::a_link);
        self.list("emphasis", &self.blocks.inlines.emphasis, Self::an_emphasis);
        self.list("tags", &self.blocks.inlines.tags, Self::a_tag);
        self.list("addresses", &self.blocks.inlines.addresses, |writer, range| {
            writer.page.item(writer.builder, range.clone());
        });
        self.list("code_spans", &self.blocks.inlines.code, |writer, code| {
            writer.page.item(writer.builder, code.range.clone());
        });
        self.list("undefined", &self.blocks.undefined, |writer, link| {
            writer.open(link.range.clone());
            writer.text("name", &link.name, link.range.clone());
            writer.name("form", link.form.name(), link.range.clone());
            writer.builder.close(None);
        });
    }

    fn a_link(&mut self, link: &Link) {
        let start = link.range.start..link.range.start;
        self.open(link.range.clone());
        self.truth("image", link.image, start.clone());
        self.name("form", link.form.name(), start.clone());
        self.page.write(self.builder, "text", link.label.clone());
        let name = link.form.is_reference().then(|| normalized(link.reference(self.blocks.text)));
        let defined = name.as_deref().and_then(|name| self.blocks.target_of(name));
        let target = defined.map_or(link.target.as_str(), |definition| &definition.target);
        let place = link.place.clone().unwrap_or_else(|| link.range.clone());
        self.text("target", target, place.clone());
        let written = link.place.clone().unwrap_or(place.start..place.start);
        self.page.write(self.builder, "written", written);
        if link.form == super::links::LinkForm::Inline
            && let Some(fragment) = link.target.strip_prefix('#').filter(|fragment| !fragment.is_empty())
        {
            let written = after_sign(self.blocks.text, place);
            self.text("fragment", &decoded(fragment), written);
        }
        self.truth("title", link.has_title, start.clone());
        if link.form != super::links::LinkForm::Autolink {
            let resource = (link.label.end + 1).min(link.range.end)..link.range.end;
            self.page.write(self.builder, "resource", resource);
        }
        self.truth("plain", !link.has_code, start);
        let words = words(&self.blocks.text[link.label.clone()]);
        self.text("words", &words, link.label.clone());
        self.builder.close(None);
    }

    fn an_emphasis(&mut self, emphasis: &Emphasis) {
        let range = emphasis.range.clone();
        let mark = emphasis.mark();
        let inner = range.start + mark..range.end - mark;
        self.open(range.clone());
        self.truth("strong", emphasis.strong, range.start..range.start);
        let alone = emphasis.alone && !has_label(&self.blocks.text[inner.clone()]);
        self.truth("alone", alone, range.start..range.start);
        if alone {
            self.page.write(self.builder, "text", inner.clone());
            let last = self.blocks.text[inner.clone()].chars().next_back().map_or(0, char::len_utf8);
            self.page.write(self.builder, "last", inner.end - last..inner.end);
        }
        let style = if self.blocks.text[range.clone()].starts_with('*') { "asterisk" } else { "underscore" };
        self.list("marks", &[range.start..inner.start, inner.end..range.end], |writer, mark| {
            writer.open(mark.clone());
            writer.name("style", style, mark.clone());
            writer.truth("intraword", emphasis.intraword, mark.clone());
            writer.builder.close(None);
        });
        self.builder.close(None);
    }

    fn a_tag(&mut self, tag: &tags::Tag) {
        let name = self.blocks.text[tag.name.clone()].to_ascii_lowercase();
        let range = tag.range.clone();
        self.open(range.clone());
        self.text("name", &name, tag.name.clone());
        self.truth("closing", tag.closing, range.start..range.start);
        self.truth("in_table", tag.in_table, range.start..range.start);
        self.page.write(self.builder, "written", range);
        self.builder.close(None);
    }

    fn definitions(&mut self) {
        let used = self.blocks.used_names();
        self.list("definitions", &self.blocks.definitions, |writer, definition| {
            let range = definition.range.clone();
            writer.open(range.clone());
            writer.text("name", &definition.name, range.clone());
            writer.text("target", &definition.target, range.clone());
            writer.truth("used", used.contains(&definition.name), range.clone());
            writer.truth("repeated", definition.repeated, range.clone());
            if let Some(fragment) =
                definition.target.strip_prefix('#').filter(|fragment| !fragment.is_empty())
            {
                let written = after_sign(writer.blocks.text, range);
                writer.text("fragment", &decoded(fragment), written);
            }
            writer.builder.close(None);
        });
        self.list("comments", &self.blocks.comments(), |writer, range| {
            let span = writer.page.span(range.clone());
            writer.builder.scalar(Scalar::Null, span);
        });
    }

    fn a_space(&mut self, space: &Space) {
        let range = space.range.clone();
        let lines = &self.blocks.lines;
        let line = lines.at(range.start);
        self.open(range.clone());
        self.name("where", space.place.name(), range.clone());
        self.number("length", self.blocks.text[range.clone()].chars().count(), range.clone());
        self.name("side", if space.at_end { "end" } else { "start" }, range.clone());
        self.truth("list", space.list, range.clone());
        if matches!(space.place, Where::LineEnd | Where::Tab) {
            self.truth("code", lines.is(line, Part::CODE_CONTENT), range.clone());
            let hard = lines.is(line, Part::CONTINUED) && !lines.is(line, Part::CODE_SPAN);
            self.truth("continued", hard, range.clone());
        }
        if space.place == Where::Tab {
            self.tab(range);
        }
        self.builder.close(None);
    }

    /// Adds what code a tab is in.
    fn tab(&mut self, range: Range<usize>) {
        let is_around = |other: &Range<usize>| other.contains(&range.start);
        let in_span = self.blocks.inlines.code.iter().any(|code| is_around(&code.range));
        self.truth("code_span", in_span, range.clone());
        let lines = &self.blocks.lines;
        let before = &self.blocks.text[lines.start(lines.at(range.start))..range.start];
        let is_indent =
            before.chars().all(|c| c.is_whitespace() || c.is_ascii_digit() || ">*+-.)".contains(c));
        let width = if is_indent { lines.column(range.end) - lines.column(range.start) } else { range.len() };
        self.number("width", width, range.clone());
        let block = self.blocks.code.iter().find(|code| is_around(&code.range));
        let fence = block.and_then(|code| code.fence.as_ref());
        self.truth("fenced", fence.is_some(), range.clone());
        if let Some(fence) = fence {
            let language = self.blocks.text[fence.language.clone()].to_lowercase();
            self.text("language", &language, range);
        }
    }

    fn lines(&mut self) {
        let all: Vec<usize> = (self.blocks.lines.first()..self.blocks.lines.count()).collect();
        let mut blank = 0;
        let mut blanks = Vec::new();
        for line in &all {
            let is_blank =
                self.blocks.lines.shown(*line).trim().is_empty() && !self.blocks.lines.is(*line, Part::CODE);
            blank = if is_blank { blank + 1 } else { 0 };
            if blank > 1 {
                blanks.push((*line, blank));
            }
        }
        self.list("blank_lines", &blanks, |writer, (line, count)| {
            let range = writer.blocks.lines.range(*line);
            writer.open(range.clone());
            writer.number("count", *count, range);
            writer.builder.close(None);
        });
        let filled: Vec<usize> =
            all.into_iter().filter(|line| !self.blocks.lines.range(*line).is_empty()).collect();
        self.list("lines", &filled, |writer, line| writer.a_line(*line));
        let last = self.blocks.lines.count() - 1;
        let end = self.page.text().len();
        self.truth("ended", last < self.blocks.lines.first() || self.blocks.lines.is_blank(last), end..end);
    }

    fn a_line(&mut self, line: usize) {
        let lines = &self.blocks.lines;
        let range = lines.range(line);
        let written = lines.text(line);
        let shown = lines.shown(line);
        let kind = match () {
            () if lines.is(line, Part::DEFINITION) => "definition",
            () if lines.is(line, Part::CODE) => "code",
            () if lines.is(line, Part::HEADING) => "heading",
            () if lines.is(line, Part::TABLE) => "table",
            () => "text",
        };
        let word = shown.trim_end_matches(|c: char| !c.is_whitespace()).len();
        let before = &written[..word.min(written.len())];
        let only_link = lines.is(line, Part::LINK) && !lines.is(line, Part::TEXT);
        let lead = shown.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, '#' | '>'));
        let lead_ends =
            lead.len() == shown.len() || shown[..shown.len() - lead.len()].ends_with(char::is_whitespace);
        let one_word = word <= shown.len() - lead.len() && lead_ends || !shown.contains(char::is_whitespace);
        self.open(range.clone());
        self.name("kind", kind, range.clone());
        // Whitespace at the end does not make a line longer than it is.
        let length = units(written);
        self.number("length", length, range.clone());
        self.number("last_word", (units(before) + 1).min(length), range.clone());
        self.truth("only_link", only_link, range.clone());
        self.truth("one_word", one_word, range);
        self.builder.close(None);
    }
}

/// Length of `text` in units of UTF-16, as editors count columns.
fn units(text: &str) -> usize {
    if text.is_ascii() { text.len() } else { text.chars().map(char::len_utf16).sum() }
}

/// A fragment without percent-encoding, as browsers compare it; as it is written if that is not text.
fn decoded(fragment: &str) -> Cow<'_, str> {
    if !fragment.contains('%') {
        return Cow::Borrowed(fragment);
    }
    let bytes = fragment.as_bytes();
    let mut text = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let digits = fragment.get(at + 1..at + 3).filter(|_| *byte == b'%');
        let encoded = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok());
        text.push(encoded.unwrap_or(*byte));
        at += if encoded.is_some() { 3 } else { 1 };
    }
    String::from_utf8(text).map_or(Cow::Borrowed(fragment), Cow::Owned)
}

/// The words of a label, in lower case and with single spaces.
fn words(label: &str) -> String {
    let mut words = String::with_capacity(label.len());
    for word in label.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty()) {
        if !words.is_empty() {
            words.push(' ');
        }
        words.push_str(&word.to_ascii_lowercase());
    }
    words
}

/// Names in braces, `{#name}`, in the text of a heading.
fn attribute_ids(text: &str, range: Range<usize>) -> Vec<(String, Range<usize>)> {
    let mut found = Vec::new();
    let mut at = range.start;
    while let Some(start) = text[at..range.end].find("{#").map(|next| at + next + 2) {
        let rest = &text[start..range.end];
        let length = rest.find('}').unwrap_or(rest.len());
        let name = &rest[..length];
        let is_name = !name.is_empty()
            && name.split(['-', '_']).all(|part| {
                !part.is_empty() && part.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit())
            });
        if is_name && rest[length..].starts_with('}') {
            found.push((name.to_owned(), start..start + length));
        }
        at = start;
    }
    found
}

/// The part of a link or of its definition after the first `#` in its target: from there to the next whitespace or bracket.
fn after_sign(text: &str, range: Range<usize>) -> Range<usize> {
    let whole = &text[range.clone()];
    let target = whole.find("]:").map_or(0, |at| at + 2);
    let Some(sign) = whole[target..].find('#') else { return range };
    let start = range.start + target + sign + 1;
    let end = text[start..range.end].find(|c: char| c.is_whitespace() || c == '>');
    start..end.map_or(range.end, |end| start + end)
}

/// Whether some text has brackets, which name a definition or look as if they did.
fn has_label(text: &str) -> bool {
    text.find('[').is_some_and(|at| text[at..].contains(']'))
}
