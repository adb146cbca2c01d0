//! The blocks of a document: what CommonMark calls containers and leaves, in the order of the text.

use std::ops::Range;

use pulldown_cmark::{BrokenLink, CodeBlockKind, CowStr, Event, LinkType, Options, Parser, Tag, TagEnd};

use super::{
    front_matter,
    headings::Heading,
    inlines::{Inlines, Leaf, LeafKind},
    lines::{Lines, Part},
    links::normalized,
    lists::{Item, List},
    masks,
    tables::Table,
    tags,
};
use crate::budget;

const OPTIONS: Options = Options::ENABLE_TABLES.union(Options::ENABLE_FOOTNOTES);

/// Bytes of memory for a mark of Markdown, and what reading one costs, in steps.
const MARK: usize = 64;
const MARK_STEPS: u64 = 4;

/// The layout of a document.
#[derive(Debug)]
pub(super) struct Blocks<'t> {
    pub(super) text: &'t str,
    pub(super) lines: Lines<'t>,
    pub(super) front_matter: Range<usize>,
    pub(super) headings: Vec<Heading>,
    pub(super) lists: Vec<List>,
    pub(super) quotes: Vec<Quote>,
    pub(super) code: Vec<CodeBlock>,
    pub(super) tables: Vec<Table>,
    pub(super) breaks: Vec<Range<usize>>,
    pub(super) definitions: Vec<Definition>,
    /// Links of a name that is defined nowhere: how they are written, the link and the name.
    pub(super) undefined: Vec<Undefined>,
    pub(super) inlines: Inlines,
    /// Blocks of HTML, comments among them.
    pub(super) html: Vec<Range<usize>>,
    /// Formulas, displayed or within lines.
    pub(super) formulas: Vec<Range<usize>>,
    /// The blocks that are in no other, without comments.
    pub(super) top: Vec<TopBlock>,
}

/// A block that is in no other.
#[derive(Debug)]
pub(super) struct TopBlock {
    pub(super) range: Range<usize>,
    /// The level of a heading, also of one in HTML.
    pub(super) level: Option<u8>,
}

/// A block quote.
#[derive(Debug)]
pub(super) struct Quote {
    pub(super) range: Range<usize>,
    /// The end of its last block.
    pub(super) end: usize,
    /// How many quotes it is in, itself included.
    pub(super) depth: usize,
    pub(super) in_list: bool,
    pub(super) parent: Option<Container>,
}

/// A code block.
#[derive(Debug)]
pub(super) struct CodeBlock {
    pub(super) range: Range<usize>,
    pub(super) fence: Option<Fence>,
    /// The lines of code, without the prefixes of quotes and lists.
    pub(super) content: Vec<Range<usize>>,
    pub(super) in_list: bool,
}

/// How a code block is fenced.
#[derive(Debug)]
pub(super) struct Fence {
    pub(super) marker: Range<usize>,
    /// The first word after the marks.
    pub(super) language: Range<usize>,
    /// What follows that word.
    pub(super) rest: Range<usize>,
    pub(super) closed: bool,
}

/// A definition of a link, or of a footnote.
#[derive(Debug)]
pub(super) struct Definition {
    pub(super) range: Range<usize>,
    pub(super) name: String,
    pub(super) target: String,
    /// Whether an earlier one has the same name.
    pub(super) repeated: bool,
}

/// A link of a name that is not defined.
#[derive(Debug)]
pub(super) struct Undefined {
    pub(super) range: Range<usize>,
    pub(super) form: super::links::LinkForm,
    pub(super) name: String,
}

/// A container that is open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Container {
    Quote(usize),
    List(usize),
    Item(usize),
    Footnote,
}

impl<'t> Blocks<'t> {
    /// Reads the text of a document.
    pub(super) fn read(text: &'t str) -> Self {
        let front_matter = front_matter::find(text);
        let start = front_matter.end;
        let hidden = masks::blocks(text, start);
        let masked = masks::without(text, &hidden.hidden);
        let mut blocks = Self::walk(text, &masked, front_matter.clone(), &hidden);
        // Formulas within lines are known when it is known what paragraphs there are.
        if memchr::memchr(b'$', &text.as_bytes()[start..]).is_some() {
            let leaves = std::mem::take(&mut blocks.1);
            let formulas = masks::formulas(&masked, &leaves);
            if !formulas.is_empty() {
                let masked = masks::lettered(&masked, &formulas);
                blocks = Self::walk(text, &masked, front_matter, &hidden);
                blocks.0.formulas.extend(formulas);
            }
        }
        blocks.0
    }

    fn walk(
        text: &'t str,
        masked: &str,
        front_matter: Range<usize>,
        hidden: &masks::Masked,
    ) -> (Self, Vec<Range<usize>>) {
        let start = front_matter.end;
        let mut walker = Walker {
            blocks: Self {
                text,
                lines: Lines::new(text, start),
                front_matter,
                headings: Vec::new(),
                lists: Vec::new(),
                quotes: Vec::new(),
                code: Vec::new(),
                tables: Vec::new(),
                breaks: Vec::new(),
                definitions: Vec::new(),
                undefined: Vec::new(),
                inlines: Inlines::default(),
                html: Vec::new(),
                formulas: hidden.formulas.clone(),
                top: Vec::new(),
            },
            masked,
            open: Vec::new(),
            leaf: None,
            code: None,
            html: None,
            directives: &hidden.directives,
            hidden: &hidden.hidden,
            leaves: Vec::new(),
        };
        for range in &hidden.hidden {
            let lines = walker.blocks.lines.at(range.start)..walker.blocks.lines.last_of(range) + 1;
            walker.blocks.lines.mark(lines, Part::OTHER);
        }
        let marks = memchr::memchr3_iter(b'\n', b'*', b'[', masked.as_bytes()).count()
            + memchr::memchr3_iter(b'_', b'`', b'<', masked.as_bytes()).count();
        if budget::allocate(marks * MARK) && budget::charge(marks as u64 * MARK_STEPS) {
            walker.run(start);
        }
        budget::free(marks * MARK);
        let mut blocks = walker.blocks;
        for hidden in &hidden.hidden {
            let is_inside = |range: &Range<usize>| range.start < hidden.start && hidden.end <= range.end;
            if !walker.directives.iter().any(is_inside) {
                blocks.top.push(TopBlock { range: hidden.clone(), level: None });
            }
        }
        blocks.inlines.emphasis.sort_by_key(|emphasis| emphasis.range.start);
        blocks.mark_inlines();
        blocks.mark_lists();
        blocks.find_definitions();
        blocks.find_undefined_notes();
        blocks.top.sort_by_key(|block| block.range.start);
        blocks.add_top_definition();
        (blocks, walker.leaves)
    }
}

impl Blocks<'_> {
    /// Notes the lines of links and code.
    fn mark_inlines(&mut self) {
        for link in &self.inlines.links {
            let lines = self.lines.at(link.range.start)..self.lines.last_of(&link.range) + 1;
            self.lines.mark(lines, Part::LINK);
        }
        for code in &self.inlines.code {
            let lines = self.lines.at(code.range.start)..self.lines.last_of(&code.range);
            self.lines.mark(lines, Part::CODE_SPAN);
        }
    }

    /// Adds the first definition to the blocks that are in no other, if nothing is before it.
    fn add_top_definition(&mut self) {
        let Some(first) = self.definitions.iter().map(|definition| definition.range.clone()).next() else {
            return;
        };
        if self.top.first().is_none_or(|block| first.start < block.range.start) {
            self.top.insert(0, TopBlock { range: first, level: None });
        }
    }

    /// Notes the lines of lists, without those between the text of an item and the next item.
    fn mark_lists(&mut self) {
        for list in budget::within(&self.lists) {
            let last = self.lines.at(list.end.saturating_sub(1).max(list.range.start));
            self.lines.mark(self.lines.at(list.range.start)..last + 1, Part::LIST);
            for (index, item) in list.items.iter().enumerate() {
                let next = list.items.get(index + 1).map_or(last + 1, |next| self.lines.at(next.range.start));
                for line in self.lines.at(item.text_end.saturating_sub(1)) + 1..next {
                    if self.lines.text(line).starts_with([' ', '\t']) {
                        self.lines.unmark(line, Part::LIST);
                    }
                }
            }
        }
    }
}

/// Goes through the events of the parser.
struct Walker<'w, 't> {
    blocks: Blocks<'t>,
    masked: &'w str,
    open: Vec<Container>,
    leaf: Option<Leaf>,
    code: Option<CodeBlock>,
    html: Option<Range<usize>>,
    directives: &'w [Range<usize>],
    hidden: &'w [Range<usize>],
    /// The paragraphs, headings and cells.
    leaves: Vec<Range<usize>>,
}

impl Walker<'_, '_> {
    fn run(&mut self, start: usize) {
        let undefined = std::cell::RefCell::new(Vec::new());
        let broken = |link: BrokenLink<'_>| -> Option<(CowStr<'_>, CowStr<'_>)> {
            let range = link.span.start + start..link.span.end + start;
            budget::push(&mut undefined.borrow_mut(), (range, link.link_type, link.reference.to_string()));
            None
        };
        let parser = Parser::new_with_broken_link_callback(&self.masked[start..], OPTIONS, Some(broken));
        let definitions: Vec<Definition> = parser
            .reference_definitions()
            .iter()
            .map(|(name, definition)| Definition {
                range: definition.span.start + start..definition.span.end + start,
                name: normalized(name),
                target: definition.dest.to_string(),
                repeated: false,
            })
            .collect();
        self.blocks.definitions = definitions;
        for (event, range) in parser.into_offset_iter() {
            if !budget::charge(1) {
                break;
            }
            self.event(event, range.start + start..range.end + start);
        }
        self.finish_leaf();
        let undefined = undefined.into_inner();
        self.blocks.undefined = undefined.into_iter().filter_map(|found| self.undefined(found)).collect();
    }

    /// A link of a name that is not defined, if it has text that can be a name.
    fn undefined(&self, (range, form, name): (Range<usize>, LinkType, String)) -> Option<Undefined> {
        let text = self.blocks.text;
        let form = super::links::LinkForm::of(form);
        let written = &text[range.clone()];
        let range = form.whole(text, range);
        let label = match form {
            super::links::LinkForm::Full => {
                written.strip_suffix(']')?.rsplit_once("][").map(|(label, _)| &label[1..])?
            }
            _ => written.strip_suffix(']')?.get(1..)?,
        };
        let shown = label.trim_matches('!');
        let is_code = shown.starts_with('`') && shown.ends_with('`');
        let name = normalized(&name);
        (!is_code && !shown.trim().is_empty() && !name.is_empty()).then_some(Undefined { range, form, name })
    }

    fn event(&mut self, event: Event<'_>, range: Range<usize>) {
        match event {
            Event::Start(tag) if !is_inline(&tag) => self.start(tag, range),
            Event::End(tag) if !is_inline_end(tag) => self.end(tag, range),
            Event::Rule => {
                self.finish_leaf();
                let whole = self.trimmed(range);
                self.mark(&whole, Part::OTHER);
                self.add_top(&whole, None);
                self.cover(whole.end);
                budget::push(&mut self.blocks.breaks, whole);
            }
            Event::Text(_) if self.code.is_some() => {
                if let Some(code) = &mut self.code {
                    code.content.push(range);
                }
            }
            Event::Html(_) => {}
            event => self.inline(event, range),
        }
    }

    fn inline(&mut self, event: Event<'_>, range: Range<usize>) {
        if self.leaf.is_none() {
            let top = self.is_top(range.start);
            self.leaf = Some(Leaf::new(LeafKind::Paragraph { top }, range.start..range.start));
        }
        if let Some(leaf) = &mut self.leaf {
            leaf.event(self.masked, event, range, &mut self.blocks.inlines);
        }
    }

    /// Whether there is a directive or a formula at an offset, where the parser sees an empty heading.
    fn is_hidden(&self, offset: usize) -> bool {
        let next = self.hidden.partition_point(|range| range.start <= offset);
        next > 0 && self.hidden[next - 1].end > offset
    }

    /// Whether a block at an offset is in no other one.
    fn is_top(&self, offset: usize) -> bool {
        self.open.is_empty() && !self.directives.iter().any(|range| range.contains(&offset))
    }

    fn trimmed(&self, range: Range<usize>) -> Range<usize> {
        range.start..range.start + self.blocks.text[range.clone()].trim_end().len()
    }

    fn line_range(&self, range: &Range<usize>) -> Range<usize> {
        self.blocks.lines.at(range.start)..self.blocks.lines.last_of(range) + 1
    }

    fn mark(&mut self, range: &Range<usize>, part: Part) {
        let lines = self.line_range(range);
        self.blocks.lines.mark(lines, part);
    }

    fn add_top(&mut self, range: &Range<usize>, level: Option<u8>) {
        if self.is_top(range.start) {
            budget::push(&mut self.blocks.top, TopBlock { range: range.clone(), level });
        }
    }

    /// Notes that the open containers have something up to an offset.
    fn cover(&mut self, end: usize) {
        for container in &self.open {
            match container {
                Container::List(list) => {
                    let list = &mut self.blocks.lists[*list];
                    list.end = list.end.max(end);
                    if let Some(item) = list.items.last_mut() {
                        item.end = item.end.max(end);
                    }
                }
                Container::Quote(quote) => {
                    let quote = &mut self.blocks.quotes[*quote];
                    quote.end = quote.end.max(end);
                }
                Container::Item(_) | Container::Footnote => {}
            }
        }
    }

    fn start(&mut self, tag: Tag<'_>, range: Range<usize>) {
        self.finish_leaf();
        match tag {
            Tag::Paragraph => {
                let top = self.is_top(range.start);
                self.leaf = Some(Leaf::new(LeafKind::Paragraph { top }, self.trimmed(range)));
            }
            Tag::Heading { .. } if self.is_hidden(range.start) => {
                let end = self.trimmed(range).end;
                self.cover(end);
            }
            Tag::Heading { level, .. } => self.start_heading(level as u8, range),
            Tag::BlockQuote(_) => self.start_quote(range),
            Tag::List(first) => self.start_list(first.is_some(), range),
            Tag::Item => self.start_item(range),
            Tag::FootnoteDefinition(name) => {
                self.add_top(&range, None);
                let whole = self.trimmed(range.clone());
                self.mark(&whole, Part::DEFINITION);
                let name = format!("^{}", normalized(&name));
                let definition = Definition { range: whole, name, target: String::new(), repeated: false };
                budget::push(&mut self.blocks.definitions, definition);
                self.open.push(Container::Footnote);
            }
            Tag::CodeBlock(kind) => self.start_code(&kind, range),
            Tag::HtmlBlock => self.html = Some(range),
            Tag::Table(_) => self.start_table(range),
            Tag::TableCell => self.leaf = Some(Leaf::new(LeafKind::Cell, range)),
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd, range: Range<usize>) {
        self.finish_leaf();
        match tag {
            TagEnd::BlockQuote(_) | TagEnd::List(_) | TagEnd::Item | TagEnd::FootnoteDefinition => {
                self.open.pop();
            }
            TagEnd::CodeBlock => {
                if let Some(code) = self.code.take() {
                    if code.fence.is_none() {
                        self.mark_blank_code(&code);
                    }
                    budget::push(&mut self.blocks.code, code);
                }
            }
            TagEnd::HtmlBlock => self.end_html(range),
            _ => {}
        }
    }

    /// Ends the paragraph, heading or cell that is open.
    fn finish_leaf(&mut self) {
        let Some(leaf) = self.leaf.take() else { return };
        budget::push(&mut self.leaves, leaf.range.clone());
        let end = leaf.range.start + self.blocks.text[leaf.range.clone()].trim_end().len();
        let whole = leaf.range.start..end;
        self.cover(end);
        let kind = leaf.kind;
        let leaf = leaf.finish(self.masked, &mut self.blocks.lines, &mut self.blocks.inlines);
        match kind {
            LeafKind::Paragraph { .. } => {
                self.add_top(&whole, None);
                let lines = self.line_range(&whole);
                self.blocks.lines.mark(lines.start..lines.end - 1, Part::CONTINUED);
                self.blocks.lines.mark(lines, Part::PARAGRAPH);
                if let Some(Container::Item(list)) = self.open.last()
                    && let Some(item) = self.blocks.lists[*list].items.last_mut()
                {
                    item.text_end = item.text_end.max(end);
                }
            }
            LeafKind::Heading => {
                if let Some(heading) = self.blocks.headings.last_mut() {
                    heading.finish(self.blocks.text, &leaf, &self.blocks.inlines.links);
                }
            }
            LeafKind::Cell => {}
        }
    }

    fn start_heading(&mut self, level: u8, range: Range<usize>) {
        let range = self.trimmed(range);
        self.mark(&range, Part::HEADING);
        let top = self.is_top(range.start);
        let leading = top && self.blocks.top.is_empty();
        self.add_top(&range, Some(level));
        self.cover(range.end);
        let indent = self.indent(range.start);
        let heading = Heading::new(self.blocks.text, range.clone(), level, indent, leading);
        self.leaf = Some(Leaf::new(LeafKind::Heading, heading.content.clone()));
        budget::push(&mut self.blocks.headings, heading);
    }

    fn start_quote(&mut self, range: Range<usize>) {
        self.add_top(&range, None);
        self.open.push(Container::Quote(self.blocks.quotes.len()));
        let around = self.open.iter().rev().skip(1).find_map(|container| match container {
            Container::Quote(quote) => Some(*quote),
            _ => None,
        });
        let depth = around.map_or(1, |quote| self.blocks.quotes[quote].depth + 1);
        let in_list = self.open.iter().any(|container| matches!(container, Container::List(_)));
        let quote = Quote {
            end: range.start + 1,
            range,
            depth,
            in_list,
            parent: self.open.get(self.open.len().wrapping_sub(2)).copied(),
        };
        budget::push(&mut self.blocks.quotes, quote);
    }

    fn start_list(&mut self, ordered: bool, range: Range<usize>) {
        let start = range.start + leading_whitespace(&self.blocks.text[range.clone()]);
        self.add_top(&(start..range.end), None);
        let mut list = List {
            range: start..range.end,
            end: start,
            ordered,
            depth: 0,
            levels: 0,
            bulleted: !ordered,
            in_footnote: self.open.contains(&Container::Footnote),
            items: Vec::new(),
        };
        let mut in_quote = false;
        for container in self.open.iter().rev() {
            match container {
                Container::List(outer) => {
                    list.depth += 1;
                    if !in_quote {
                        list.levels += 1;
                        list.bulleted &= !self.blocks.lists[*outer].ordered;
                    }
                }
                Container::Quote(_) => in_quote = true,
                Container::Item(_) | Container::Footnote => {}
            }
        }
        self.open.push(Container::List(self.blocks.lists.len()));
        budget::push(&mut self.blocks.lists, list);
    }

    fn start_item(&mut self, range: Range<usize>) {
        let Some(Container::List(list)) = self.open.last().copied() else { return };
        let start = range.start + leading_whitespace(&self.blocks.text[range.clone()]);
        let ordered = self.blocks.lists[list].ordered;
        let item = Item::read(self.blocks.text, start..range.end, ordered, &self.blocks.lines);
        let end = item.end;
        budget::push(&mut self.blocks.lists[list].items, item);
        self.cover(end);
        self.open.push(Container::Item(list));
    }

    fn start_code(&mut self, kind: &CodeBlockKind<'_>, range: Range<usize>) {
        let whole = range.clone();
        let range = self.trimmed(range);
        self.add_top(&range, None);
        self.cover(range.end);
        let lines = self.line_range(&range);
        let fence = match kind {
            CodeBlockKind::Fenced(_) => Some(Fence::read(self.blocks.text, &range, &self.blocks.lines)),
            CodeBlockKind::Indented => None,
        };
        let content = match &fence {
            Some(fence) if fence.closed => lines.start + 1..lines.end - 1,
            // A fence that nothing closes goes on to the end of what it is in, whose last line is its last line, too.
            Some(_) => {
                let is_whole = whole.end == self.blocks.text.len() && self.blocks.text.ends_with('\n');
                lines.start + 1..self.blocks.lines.at(whole.end.saturating_sub(1)) + usize::from(is_whole)
            }
            None => lines.clone(),
        };
        self.blocks.lines.mark(lines.start..lines.end.max(content.end), Part::CODE);
        self.blocks.lines.mark(content, Part::CODE_CONTENT);
        let in_list = self.open.iter().any(|container| matches!(container, Container::List(_)));
        self.code = Some(CodeBlock { range, fence, content: Vec::new(), in_list });
    }

    /// Notes the lines below indented code that have nothing but its indentation: they are code, too.
    fn mark_blank_code(&mut self, code: &CodeBlock) {
        let Some(first) = code.content.first() else { return };
        let lines = &self.blocks.lines;
        let column = lines.column(first.start);
        let below = lines.last_of(&code.range) + 1;
        let is_empty = |line: &usize| lines.text(*line).chars().all(|c| c == '>' || c.is_whitespace());
        let last = (below..lines.count())
            .take_while(is_empty)
            .filter(|line| {
                let range = lines.range(*line);
                lines.text(*line).ends_with([' ', '\t']) && lines.column(range.end) >= column
            })
            .last();
        if let Some(last) = last {
            self.blocks.lines.mark(below..last + 1, Part::CODE);
            self.blocks.lines.mark(below..last + 1, Part::CODE_CONTENT);
        }
    }

    fn end_html(&mut self, range: Range<usize>) {
        let Some(first) = self.html.take() else { return };
        let mut range = self.trimmed(first.start..first.end.max(range.end));
        if self.open.iter().any(|container| matches!(container, Container::Quote(_))) {
            range.end = range.start + without_empty_quotes(&self.blocks.text[range.clone()]).len();
        }
        self.mark(&range, Part::HTML);
        self.cover(range.end);
        let text = self.blocks.text;
        budget::push(&mut self.blocks.html, range.clone());
        let last =
            self.blocks.lines.range(self.blocks.lines.at(range.end.saturating_sub(1).max(range.start)));
        if is_comment(&text[range.start..last.end.max(range.end)]) {
            return;
        }
        let before = self.blocks.inlines.tags.len();
        tags::in_block(text, range.clone(), &mut self.blocks.inlines.tags);
        let level =
            self.blocks.inlines.tags.get(before).and_then(|tag| heading_level(&text[tag.name.clone()]));
        self.add_top(&range, level);
    }

    fn start_table(&mut self, range: Range<usize>) {
        let range = self.trimmed(range);
        self.mark(&range, Part::TABLE);
        self.add_top(&range, None);
        self.cover(range.end);
        let quoted = self.open.iter().filter(|container| matches!(container, Container::Quote(_))).count();
        let table = Table::read(self.blocks.text, range, &self.blocks.lines, quoted);
        budget::push(&mut self.blocks.tables, table);
    }

    /// The whitespace before a block, or before a container that begins on its line, that belongs to no container.
    fn indent(&self, start: usize) -> Range<usize> {
        let lines = &self.blocks.lines;
        let line = lines.at(start);
        let text = self.blocks.text;
        let mut at = lines.start(line);
        let mut found = start..start;
        for container in &self.open {
            let spaces = leading_whitespace(&text[at..start]);
            match container {
                Container::List(_) => {}
                Container::Quote(_) => {
                    if spaces > 0 {
                        found = at..at + spaces;
                    }
                    at += spaces + usize::from(text[at + spaces..start].starts_with('>'));
                    at += usize::from(text[at..start].starts_with([' ', '\t']));
                }
                Container::Footnote => at += spaces.min(4),
                Container::Item(list) => {
                    let Some(item) = self.blocks.lists[*list].items.last() else { continue };
                    if lines.at(item.range.start) == line {
                        if spaces > 0 {
                            found = at..at + spaces;
                        }
                        at = item.space.end.max(at).min(start);
                    } else {
                        let spaces = at..at + spaces;
                        at =
                            spaces.clone().find(|at| lines.column(*at) >= item.content).unwrap_or(spaces.end);
                    }
                }
            }
        }
        if at < start && leading_whitespace(&text[at..start]) == start - at { at..start } else { found }
    }
}

impl Fence {
    fn read(text: &str, range: &Range<usize>, lines: &Lines<'_>) -> Self {
        let first = lines.range(lines.at(range.start)).end.min(range.end);
        let opener = &text[range.start..first];
        let mark = opener.chars().next().unwrap_or('`');
        let length = opener.len() - opener.trim_start_matches(mark).len();
        let marker = range.start..range.start + length;
        let info = &opener[length..];
        let start = marker.end + (info.len() - info.trim_start().len());
        let info = &text[start..first];
        let language = start..start + info.find(char::is_whitespace).unwrap_or(info.len());
        let after = &text[language.end..first];
        let rest_start = language.end + (after.len() - after.trim_start().len());
        let rest = rest_start.min(first)..(rest_start + after.trim().len()).min(first);
        let last = text[range.clone()].rsplit('\n').next().unwrap_or_default();
        let last = last.trim_start_matches([' ', '\t', '>']);
        let closed = lines.at(range.start) != lines.last_of(range)
            && last.len() >= length
            && last.chars().all(|c| c == mark);
        Self { marker, language, rest, closed }
    }
}

/// HTML in a quote without the lines at its end that have nothing but marks of quotes.
fn without_empty_quotes(html: &str) -> &str {
    let mut html = html;
    while let Some(end) = html.rfind('\n') {
        let is_empty = html[end..].chars().all(|c| c == '>' || c.is_whitespace());
        if !is_empty {
            break;
        }
        html = html[..end].trim_end();
    }
    html
}

fn leading_whitespace(text: &str) -> usize {
    text.len() - text.trim_start_matches([' ', '\t', '\n', '\r']).len()
}

fn is_inline(tag: &Tag<'_>) -> bool {
    matches!(tag, Tag::Emphasis | Tag::Strong | Tag::Link { .. } | Tag::Image { .. })
}

fn is_inline_end(tag: TagEnd) -> bool {
    matches!(tag, TagEnd::Emphasis | TagEnd::Strong | TagEnd::Link | TagEnd::Image)
}

/// Whether a block of HTML is a comment and nothing else.
fn is_comment(html: &str) -> bool {
    let inner = html.strip_prefix("<!--").and_then(|inner| inner.strip_suffix("-->"));
    inner.is_some_and(|inner| !inner.starts_with('>') && !inner.starts_with("->") && !inner.ends_with('-'))
}

/// The level of the heading that an element of HTML is.
fn heading_level(name: &str) -> Option<u8> {
    let level = name.strip_prefix(['h', 'H'])?.parse().ok()?;
    (1..=6).contains(&level).then_some(level)
}
