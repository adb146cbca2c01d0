//! What the sections of a document consist of: blocks, drawers, lists, tables, keywords, paragraphs.
//!
//! One walk over the lines. An element that needs a closing line is looked up in [`Ends`], so nothing is
//! read twice. A line that looks like the beginning of an element without its end is text, as in Emacs,
//! and is observed.

use std::ops::Range;

use super::{
    babel::{self, Header},
    ends::{Closes, Ends},
    keywords::is_verbatim,
    lines::{Line, Lines, strip_prefix_ignore_case},
    list::{ItemLine, OpenLists},
    outline::{Headline, Outline},
    timestamp,
};
use crate::{
    budget,
    syntax::{Comment, Observation},
    text::Span,
};

/// What the sections of a document consist of, each in the order of the text.
#[derive(Debug, Default)]
pub(super) struct Elements<'t> {
    pub(super) blocks: Vec<Block<'t>>,
    pub(super) drawers: Vec<NamedDrawer<'t>>,
    pub(super) items: Vec<Item<'t>>,
    pub(super) definitions: Vec<Definition<'t>>,
    pub(super) keywords: Vec<KeywordLine<'t>>,
    pub(super) tables: Vec<Table>,
    pub(super) clocks: Vec<&'t str>,
    pub(super) results: Vec<Results<'t>>,
    pub(super) comments: Vec<Comment>,
    /// Text that may hold links, timestamps and other objects.
    pub(super) prose: Vec<Range<usize>>,
    pub(super) observations: Vec<Observation>,
}

/// `#+begin_NAME` to `#+end_NAME`, or a dynamic block.
#[derive(Debug)]
pub(super) struct Block<'t> {
    pub(super) span: Span,
    /// The opening line without its indentation.
    pub(super) opener: &'t str,
    /// What follows `begin_`, as written; `begin` itself of a dynamic block.
    pub(super) name: &'t str,
    pub(super) arguments: &'t str,
    /// The language of a code block, the format of an export block.
    pub(super) language: Option<&'t str>,
    /// The lines between the opening and the closing line.
    pub(super) content: Range<usize>,
    /// What `#+name:` before it says.
    pub(super) label: Option<&'t str>,
    /// Its arguments, with those of `#+header:` lines before it.
    pub(super) headers: Vec<Header<'t>>,
}

/// A drawer other than one of properties.
#[derive(Debug)]
pub(super) struct NamedDrawer<'t> {
    pub(super) span: Span,
    pub(super) name: &'t str,
}

/// An item of a list.
#[derive(Debug)]
pub(super) struct Item<'t> {
    pub(super) line: ItemLine<'t>,
    /// Its number by its position.
    pub(super) position: u64,
    pub(super) indent: usize,
}

/// A footnote definition.
#[derive(Debug)]
pub(super) struct Definition<'t> {
    pub(super) label: &'t str,
    pub(super) text: &'t str,
}

/// `#+KEY: value`, with `[option]` after the key.
#[derive(Debug, Clone, Copy)]
pub(super) struct KeywordLine<'t> {
    /// The key without its option.
    pub(super) key: &'t str,
    pub(super) value: &'t str,
    /// The whole line without its indentation.
    pub(super) text: &'t str,
    /// Whether it says something about the element below it.
    pub(super) affiliated: bool,
}

/// The rows of a table.
#[derive(Debug)]
pub(super) struct Table {
    pub(super) span: Span,
    pub(super) rows: u64,
    /// Most cells of a row.
    pub(super) columns: u64,
}

/// `#+results: NAME` with a `#+name:` for the same element.
#[derive(Debug)]
pub(super) struct Results<'t> {
    /// The line.
    pub(super) text: &'t str,
    /// The code block that is named.
    pub(super) of: &'t str,
    pub(super) name: &'t str,
}

/// Reads the sections of a document.
pub(super) fn read<'t>(text: &'t str, outline: &Outline<'t>) -> Elements<'t> {
    let lines = Lines::new(text);
    let tasks: Vec<&Headline<'t>> =
        outline.headlines.iter().filter(|headline| headline.inline.is_some()).collect();
    let mut reader = Reader {
        ends: Ends::read(lines.clone()),
        text,
        lines: lines.clone(),
        out: Elements::default(),
        section: Section::default(),
        tasks: &tasks,
    };
    let sections = || outline.headlines.iter().filter(|headline| headline.inline.is_none());
    let first = sections().next().map_or(text.len(), |headline| headline.span.start as usize);
    let mut before = lines.between(lines.offset().min(first), first);
    if let Some(drawer) = &outline.properties {
        let comments = lines.between(lines.offset().min(first), drawer.span.start as usize);
        reader.read(comments);
        before.skip_to(drawer.span.end as usize);
        // The line break of the drawer's last line.
        before.next();
    }
    reader.read(before);
    for headline in sections() {
        reader.title(headline.title);
        reader.planning(headline);
        reader.read(lines.between(headline.body.start as usize, headline.body.end as usize));
    }
    reader.out
}

/// Something that has other elements inside.
#[derive(Debug)]
struct Container {
    /// Offset of its closing line.
    end: usize,
    is_drawer: bool,
    /// The lists around it.
    lists: OpenLists,
}

/// What is open in the section that is being read.
#[derive(Debug, Default)]
struct Section {
    end: usize,
    containers: Vec<Container>,
    lists: OpenLists,
    prose: Option<Range<usize>>,
    table: Option<Table>,
    /// Positions of the keywords that may say something about the next element.
    affiliated: Vec<usize>,
    /// Position of the keyword on the line before those.
    keyword_above: Option<usize>,
    /// Position of the keyword on the line above.
    last_keyword: Option<usize>,
    /// The line below an inline task of one line, or below what looks like its dates, and that task.
    below_task: Option<(usize, Span)>,
}

/// Reads one section after the other.
struct Reader<'a, 't> {
    text: &'t str,
    lines: Lines<'t>,
    ends: Ends,
    out: Elements<'t>,
    section: Section,
    /// The inline tasks that are below what was read.
    tasks: &'a [&'a Headline<'t>],
}

/// Most lines of a drawer that are looked at for the one that is not a property.
const PROPERTIES: usize = 1000;

/// Keywords that say something about the element below them.
const AFFILIATED: [&str; 13] = [
    "CAPTION", "DATA", "HEADER", "HEADERS", "LABEL", "NAME", "PLOT", "RESNAME", "RESULT", "RESULTS",
    "SOURCE", "SRCNAME", "TBLNAME",
];

/// The affiliated keywords that name the element.
const NAMES: [&str; 7] = ["NAME", "DATA", "LABEL", "RESNAME", "SOURCE", "SRCNAME", "TBLNAME"];

fn is_one_of(key: &str, names: &[&str]) -> bool {
    names.iter().any(|name| key.eq_ignore_ascii_case(name))
}

fn is_affiliated(key: &str) -> bool {
    is_one_of(key, &AFFILIATED) || strip_prefix_ignore_case(key, "ATTR_").is_some_and(|rest| !rest.is_empty())
}

impl<'a, 't> Reader<'a, 't> {
    fn read(&mut self, mut lines: Lines<'t>) {
        self.section = Section { end: lines.end(), ..Section::default() };
        while let Some(line) = lines.next() {
            if !budget::charge(line.steps()) {
                break;
            }
            if self.section.containers.last().is_some_and(|container| container.end == line.start) {
                self.close_container();
            } else if let Some(task) = self.task_at(line) {
                self.inline_task(task, &mut lines);
            } else {
                self.line(line, &mut lines);
            }
        }
        self.end_text();
        self.orphans();
    }

    /// The inline task that begins on a line.
    fn task_at(&mut self, line: Line<'t>) -> Option<&'a Headline<'t>> {
        while let Some((task, rest)) = self.tasks.split_first() {
            let start = task.span.start as usize;
            if start > line.start {
                break;
            }
            self.tasks = rest;
            if start == line.start {
                return Some(task);
            }
        }
        None
    }

    /// An inline task, with the text up to its end. Lists go on after it.
    fn inline_task(&mut self, task: &Headline<'t>, lines: &mut Lines<'t>) {
        self.end_text();
        self.attach();
        self.title(task.title);
        self.planning(task);
        lines.skip_to(task.body.start as usize);
        if task.is_one_line() {
            self.section.below_task = Some((lines.offset(), task.span));
        } else if (task.body.end as usize) < self.limit() {
            self.open(task.body.end as usize, false);
        }
    }

    /// The inline task of one line that is directly above a line: what looks like its dates or properties is not.
    fn task_above(&mut self, line: Line<'t>) -> Option<Span> {
        let (below, task) = self.section.below_task?;
        (below == line.start).then_some(task)
    }

    /// The title of a headline.
    fn title(&mut self, title: &'t str) {
        if !title.is_empty() {
            let title = self.span_of(title).range();
            budget::push(&mut self.out.prose, title);
        }
    }

    /// The words of the line of dates that are not the keywords that they look like.
    fn planning(&mut self, headline: &Headline<'t>) {
        for (keyword, _) in headline.planning.iter().flat_map(|planning| &planning.entries) {
            if keyword.bytes().any(|byte| byte.is_ascii_lowercase()) {
                let span = self.span_of(keyword);
                self.observe(of_planning("miscased-planning", span, keyword));
            }
        }
    }

    /// Where the closing line of an element may be at most.
    fn limit(&self) -> usize {
        self.section.containers.last().map_or(self.section.end, |container| container.end)
    }

    fn close_container(&mut self) {
        self.end_text();
        self.orphans();
        if let Some(container) = self.section.containers.pop() {
            self.section.lists = container.lists;
        }
    }

    /// Ends the paragraph and the table that are open.
    fn end_text(&mut self) {
        self.out.prose.extend(self.section.prose.take());
        self.out.tables.extend(self.section.table.take());
    }

    fn observe(&mut self, observation: Observation) {
        self.out.observations.push(observation);
    }

    fn line(&mut self, line: Line<'t>, lines: &mut Lines<'t>) {
        if line.is_empty() {
            self.end_text();
            self.orphans();
            self.section.lists.empty();
            return;
        }
        let first = line.unindented().as_bytes()[0];
        if first != b'|' {
            self.out.tables.extend(self.section.table.take());
        }
        self.look_alikes(line);
        match first {
            b'#' => self.hash(line, lines),
            b':' => self.colon(line, lines.offset()),
            b'|' => self.row(line),
            b'\\' if self.latex(line, lines) => {}
            b'[' if line.footnote().is_some() => self.footnote(line),
            b'-' | b'+' | b'*' | b'0'..=b'9' => match ItemLine::read(line) {
                Some(item) => self.item(line, item),
                None => self.text_line(line),
            },
            b'C' if line.unindented().starts_with("CLOCK:") => self.clock(line),
            _ => self.text_line(line),
        }
    }

    /// Begins an element that is not text.
    fn begin(&mut self, line: Line<'t>) {
        self.end_text();
        self.section.lists.text(line.indent());
    }

    /// A line of a paragraph.
    fn text_line(&mut self, line: Line<'t>) {
        self.stars(line, line.unindented());
        match &mut self.section.prose {
            Some(prose) => prose.end = line.end(),
            None => {
                self.attach();
                self.section.lists.text(line.indent());
                self.section.prose = Some(line.start..line.end());
            }
        }
    }

    /// What looks like a headline within text.
    fn stars(&mut self, line: Line<'t>, text: &'t str) {
        if let Some(stars) = misplaced_stars(text) {
            self.observe(
                Observation::new("misplaced-headline", line.span_of(stars)).with("stars", stars.trim_end()),
            );
        }
    }

    /// Lines that Org reads as text, whatever their author meant.
    fn look_alikes(&mut self, line: Line<'t>) {
        let text = line.unindented();
        let planning = planning_keyword(text);
        if let (Some(keyword), Some(task)) = (planning, self.task_above(line)) {
            self.observe(unended(line.span_of(keyword), task, "dates"));
            self.section.below_task = Some((self.lines.after(line), task));
        } else if let Some(keyword) = planning {
            let stamp = text[keyword.len() + 1..].trim_start_matches([' ', '\t']);
            let name = if keyword.bytes().any(|byte| byte.is_ascii_lowercase()) {
                "miscased-planning"
            } else {
                "misplaced-planning"
            };
            let is_dated = timestamp::length(stamp).is_some();
            if is_dated || name == "misplaced-planning" {
                self.observe(of_planning(name, line.span_of(keyword), keyword));
            }
        }
        if line.indent() > 0 && text.starts_with("%%(") {
            self.observe(Observation::new("indented-diary", line.span_of(&text[..2])));
        }
        if let Some(mark) = line.drawer_mark() {
            let in_drawer = self.section.containers.iter().any(|container| container.is_drawer);
            if in_drawer {
                self.observe(Observation::new("drawer-in-drawer", trimmed(line)).with("name", mark));
            }
        }
    }

    /// A line that begins with `#`.
    fn hash(&mut self, line: Line<'t>, lines: &mut Lines<'t>) {
        if let Some(comment) = line.comment() {
            self.begin(line);
            self.attach();
            let text = line.span_of(comment.trim_matches([' ', '\t', '\r']));
            budget::push(&mut self.out.comments, Comment { span: trimmed(line), text });
        } else if let Some((name, arguments)) = line.block_begin() {
            self.block(line, name, arguments, &Closes::block(name), lines);
        } else if let Some(arguments) = line.dynamic_begin() {
            let name = &line.unindented()[2..7];
            self.block(line, name, arguments, &Closes::Dynamic, lines);
        } else if line.block_end().is_some() || line.is_dynamic_end() {
            self.observe(Observation::new("block-end-alone", trimmed(line)).with("line", line.text.trim()));
            self.text_line(line);
        } else if strip_prefix_ignore_case(line.unindented(), "#+end_").is_some() {
            self.observe(
                Observation::new("text-after-block-end", trimmed(line)).with("line", line.text.trim()),
            );
            self.text_line(line);
        } else if let Some(keyword) = keyword(line) {
            self.keyword(line, keyword);
        } else {
            self.missing_colon(line);
            self.text_line(line);
        }
    }

    /// `#+TITLE Report`, which Org reads as text.
    fn missing_colon(&mut self, line: Line<'t>) {
        let Some(rest) = line.unindented().strip_prefix("#+") else { return };
        let word = &rest[..rest.find([' ', '\t']).unwrap_or(rest.len())];
        if !word.contains(':') && !word.is_empty() {
            self.observe(
                Observation::new("keyword-without-colon", line.span_of(word))
                    .with("keyword", word)
                    .at("end", Span::at(line.span_of(word).end as usize)),
            );
        }
    }

    fn block(
        &mut self,
        line: Line<'t>,
        name: &'t str,
        arguments: &'t str,
        closes: &Closes,
        lines: &mut Lines<'t>,
    ) {
        let below = lines.offset();
        let limit = self.limit();
        let Some(end) = self.ends.find(closes, below, limit) else {
            // The closing line is there, but a headline or the end of what is around comes first.
            let cut = self.ends.find(closes, below, self.text.len());
            let headline = cut.filter(|_| limit == self.section.end && limit < self.text.len());
            let observed = if headline.is_some() { "block-cut-by-headline" } else { "block-not-closed" };
            let mut observation =
                Observation::new(observed, trimmed(line)).with("name", name).with("line", line.text.trim());
            if headline.is_some() {
                observation = observation.at("headline", Span::at(limit));
            }
            self.observe(observation);
            self.text_line(line);
            return;
        };
        self.begin(line);
        let affiliated = self.attach();
        let verbatim = *closes != Closes::Dynamic && is_verbatim(name);
        let is_code = name.eq_ignore_ascii_case("src");
        let (language, rest) = match () {
            () if is_code => babel::language(arguments),
            () if name.eq_ignore_ascii_case("export") => {
                (arguments.split([' ', '\t']).next().filter(|word| !word.is_empty()), "")
            }
            () => (None, ""),
        };
        let mut headers = if is_code { babel::headers(rest) } else { Vec::new() };
        for keyword in affiliated.iter().filter(|keyword| is_one_of(keyword.key, &["HEADER", "HEADERS"])) {
            headers.extend(babel::headers(keyword.value));
        }
        let mut inside = lines.clone();
        inside.skip_to(end);
        let closing = inside.next().map_or(end, |closing| closing.end());
        budget::push(
            &mut self.out.blocks,
            Block {
                span: Span::new(line.start + line.indent(), closing),
                opener: line.text.trim(),
                name,
                arguments,
                language,
                content: below..end,
                label: label(&affiliated),
                headers,
            },
        );
        if verbatim {
            lines.skip_to(inside.offset());
        } else if name.eq_ignore_ascii_case("verse") {
            budget::push(&mut self.out.prose, below..end);
            lines.skip_to(inside.offset());
        } else {
            self.open(end, false);
        }
    }

    fn open(&mut self, end: usize, is_drawer: bool) {
        let lists = std::mem::take(&mut self.section.lists);
        self.section.containers.push(Container { end, is_drawer, lists });
    }

    fn keyword(&mut self, line: Line<'t>, mut keyword: KeywordLine<'t>) {
        self.end_text();
        let indent = line.indent();
        self.section.lists.text(indent);
        let index = self.out.keywords.len();
        keyword.affiliated = is_affiliated(keyword.key);
        if is_one_of(keyword.key, &["CAPTION", "TITLE", "SUBTITLE"]) && !keyword.value.is_empty() {
            let value = line.span_of(keyword.value);
            budget::push(&mut self.out.prose, value.range());
        }
        budget::push(&mut self.out.keywords, keyword);
        if keyword.affiliated {
            if self.section.affiliated.is_empty() {
                self.section.keyword_above = self.section.last_keyword;
            }
            self.section.affiliated.push(index);
            return;
        }
        self.attach();
        self.section.last_keyword = (!keyword.key.eq_ignore_ascii_case("CALL")).then_some(index);
    }

    /// Attaches the keywords above to the element that begins here.
    fn attach(&mut self) -> Vec<KeywordLine<'t>> {
        let above = self.section.keyword_above.take();
        self.section.last_keyword = None;
        let pending = std::mem::take(&mut self.section.affiliated);
        let keywords: Vec<KeywordLine<'t>> = pending.iter().map(|&index| self.out.keywords[index]).collect();
        let Some(first) = keywords.first() else { return keywords };
        if let Some(above) = above.map(|index| self.out.keywords[index]) {
            let observation = Observation::new("keyword-before-affiliated", self.span_of(above.text))
                .with("key", above.key)
                .with("below", first.key)
                .at("below", self.span_of(first.text))
                .at("gap", Span::at(self.span_of(above.text).end as usize + self.line_break()));
            self.observe(observation);
        }
        let results = keywords.iter().rev().find(|keyword| is_one_of(keyword.key, &["RESULTS", "RESULT"]));
        if let (Some(results), Some(name)) = (results, label(&keywords)) {
            budget::push(&mut self.out.results, Results { text: results.text, of: results.value, name });
        }
        keywords
    }

    /// Observes the keywords above that say something about an element that is not there.
    fn orphans(&mut self) {
        self.section.last_keyword = None;
        for index in std::mem::take(&mut self.section.affiliated) {
            let keyword = self.out.keywords[index];
            self.out.keywords[index].affiliated = false;
            if !is_one_of(keyword.key, &["RESULT", "RESULTS"]) {
                let span = self.span_of(keyword.text);
                self.observe(Observation::new("orphaned-keyword", span).with("key", keyword.key));
            }
        }
    }

    /// Bytes of a line break.
    fn line_break(&self) -> usize {
        self.lines.line_break().len()
    }

    fn span_of(&self, part: &str) -> Span {
        let start = part.as_ptr() as usize - self.text.as_ptr() as usize;
        Span::new(start, start + part.len())
    }

    /// A line that begins with `:`: a drawer, fixed-width text, or a paragraph.
    fn colon(&mut self, line: Line<'t>, below: usize) {
        if let Some(name) = line.drawer_mark() {
            let is_end = name.eq_ignore_ascii_case("END");
            let end = self.ends.find(&Closes::Drawer, below, self.limit());
            match end {
                Some(end) => {
                    if is_end {
                        // Org takes it for the beginning of a drawer with this name.
                        let observation = Observation::new("drawer-end-opens", trimmed(line));
                        self.observe(observation.with("name", name).at("end", Span::at(end)));
                    }
                    self.drawer(line, name, below..end);
                }
                None => {
                    let observed = if is_end { "drawer-end-alone" } else { "drawer-not-closed" };
                    self.observe(Observation::new(observed, trimmed(line)).with("name", name));
                    self.text_line(line);
                }
            }
            return;
        }
        let rest = &line.unindented()[1..];
        if rest.is_empty() || rest.starts_with(' ') {
            self.begin(line);
            self.attach();
        } else {
            self.text_line(line);
        }
    }

    fn drawer(&mut self, line: Line<'t>, name: &'t str, content: Range<usize>) {
        self.begin(line);
        self.attach();
        let in_drawer = self.section.containers.iter().any(|container| container.is_drawer);
        if name.eq_ignore_ascii_case("PROPERTIES") && !in_drawer {
            match self.task_above(line) {
                Some(task) => self.observe(unended(trimmed(line), task, "properties")),
                None => self.lost_properties(line, content.clone()),
            }
        }
        budget::push(
            &mut self.out.drawers,
            NamedDrawer { span: Span::new(line.start + line.indent(), content.end), name },
        );
        self.open(content.end, true);
    }

    /// A drawer named `PROPERTIES` that is not one of properties: something is wrong with a line of it,
    /// or with what is before it.
    fn lost_properties(&mut self, line: Line<'t>, content: Range<usize>) {
        let inside = self.lines.between(content.start, content.end);
        let bad = inside.take(PROPERTIES).find(|line| line.property().is_none());
        let mut observation = match bad {
            Some(bad) => Observation::new("bad-property-line", trimmed(line)).with("line", bad.text.trim()),
            None => Observation::new("misplaced-properties", trimmed(line)),
        };
        if let Some(bad) = bad {
            observation = observation.at("line", bad.span());
        }
        self.observe(observation);
    }

    fn row(&mut self, line: Line<'t>) {
        if self.section.table.is_none() {
            self.begin(line);
            self.attach();
        }
        let text = line.unindented().trim_end();
        let is_rule = text.starts_with("|-");
        let cells = if is_rule { 0 } else { text[1..].trim_end_matches('|').split('|').count() as u64 };
        let table = self.section.table.get_or_insert(Table { span: trimmed(line), rows: 0, columns: 0 });
        table.span = table.span.cover(trimmed(line));
        table.rows += u64::from(!is_rule);
        table.columns = table.columns.max(cells);
        if !is_rule {
            budget::push(&mut self.out.prose, line.start..line.end());
        }
    }

    fn latex(&mut self, line: Line<'t>, lines: &mut Lines<'t>) -> bool {
        let Some(name) = line.latex_begin() else { return false };
        let closes = Closes::Latex(name.to_owned());
        let Some(end) = self.ends.find(&closes, line.start, self.limit()) else { return false };
        self.begin(line);
        self.attach();
        lines.skip_to(end);
        if end > line.start {
            lines.next();
        }
        true
    }

    fn footnote(&mut self, line: Line<'t>) {
        let Some(label) = line.footnote() else { return };
        self.begin(line);
        self.attach();
        let mark = "[fn:]".len() + label.len();
        budget::push(&mut self.out.definitions, Definition { label, text: &line.text[..mark] });
        self.section.lists = OpenLists::default();
        if line.text.len() > mark {
            self.section.prose = Some(line.start + mark..line.end());
        }
    }

    fn item(&mut self, line: Line<'t>, item: ItemLine<'t>) {
        self.end_text();
        self.attach();
        let position = self.section.lists.item(line.indent(), item.counter);
        budget::push(&mut self.out.items, Item { line: item, position, indent: line.indent() });
        if item.term.is_none() {
            self.stars(line, item.rest);
        }
        if !item.rest.is_empty() {
            let start = line.span_of(item.rest).start as usize;
            self.section.prose = Some(start..line.end());
        }
    }

    fn clock(&mut self, line: Line<'t>) {
        self.begin(line);
        self.attach();
        let text = line.unindented().trim_end();
        budget::push(&mut self.out.clocks, text);
        let start = line.start + line.indent();
        budget::push(&mut self.out.prose, start..start + text.len());
    }
}

/// Dates or properties below an inline task without an end.
fn unended(at: Span, task: Span, what: &'static str) -> Observation {
    Observation::new("unended-inline-task", at).with("what", what).at("task", task)
}

/// The line without whitespace around it.
fn trimmed(line: Line<'_>) -> Span {
    line.span_of(line.text.trim_matches([' ', '\t', '\r']))
}

/// What the last of these keywords calls the element.
fn label<'t>(keywords: &[KeywordLine<'t>]) -> Option<&'t str> {
    keywords.iter().rev().find(|keyword| is_one_of(keyword.key, &NAMES)).map(|keyword| keyword.value)
}

/// `#+KEY: value` or `#+KEY[option]: value`.
fn keyword<'t>(line: Line<'t>) -> Option<KeywordLine<'t>> {
    let text = line.unindented().trim_end();
    let rest = text.strip_prefix("#+")?;
    let end = rest.find([':', ' ', '\t', '['])?;
    let key = &rest[..end];
    let option = if rest[end..].starts_with('[') { rest[end..].find("]:")? + 1 } else { 0 };
    let value = rest[end + option..].strip_prefix(':')?.trim_matches([' ', '\t']);
    (!key.is_empty()).then_some(KeywordLine { key, value, text, affiliated: false })
}

/// What is observed of a keyword of planning.
fn of_planning(name: &'static str, span: Span, keyword: &str) -> Observation {
    Observation::new(name, span).with("keyword", keyword).with("right", keyword.to_ascii_uppercase())
}

/// The keyword of planning that `text` begins with, in any case.
fn planning_keyword(text: &str) -> Option<&str> {
    ["SCHEDULED:", "DEADLINE:", "CLOSED:"].iter().find_map(|keyword| {
        let rest = strip_prefix_ignore_case(text, keyword)?;
        Some(&text[..text.len() - rest.len() - 1])
    })
}

/// Two stars or more with a space after them, within a line and after something other than a star, a space
/// or a comma.
pub(super) fn misplaced_stars(text: &str) -> Option<&str> {
    let mut from = 0;
    while let Some(found) = text[from..].find("** ") {
        let end = from + found + 3;
        let before = text[..end - 3].trim_end_matches('*');
        let is_word_end = before.chars().next_back().is_some_and(|c| !matches!(c, ' ' | ',' | '\r'));
        if is_word_end {
            return Some(&text[before.len()..end]);
        }
        from = end;
    }
    None
}
