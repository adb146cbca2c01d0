//! The headlines of an Org text, as Emacs reads them.
//!
//! Sources: Org 9.8.9 (`org-element.el`, `org.el`) and its readings of the test documents; where Org
//! 9.5.5 reads a line otherwise, the reading that keeps more of what the author wrote is taken.

use super::{
    inline::{self, InlineTask},
    lines::{Line, Lines},
    settings::Settings,
    setup::Setup,
    timestamp,
};
use std::ops::Range;

use crate::{budget, text::Span};

/// A headline with what belongs to it.
#[derive(Debug, Clone, Default)]
pub struct Headline<'t> {
    /// The line, without its line break.
    pub span: Span,
    /// The headline with everything below it, up to the next one of its level or above.
    pub section: Span,
    /// Line number, from 1.
    pub line: u32,
    /// Last line of the section.
    pub end_line: u32,
    /// Number of stars.
    pub level: usize,
    pub todo: Option<&'t str>,
    /// What is inside `[#…]`.
    pub priority: Option<&'t str>,
    /// Whether the title begins with the word COMMENT, which keeps the section out of exports.
    pub commented: bool,
    pub title: &'t str,
    pub tags: Vec<&'t str>,
    pub planning: Option<Planning<'t>>,
    pub properties: Option<Drawer<'t>>,
    /// Position of the headline above it in the outline; of an inline task, of the one that it is below.
    pub parent: Option<usize>,
    /// The lines from below the headline, its planning and its properties to the next headline that is not an inline task;
    /// of an inline task, to its end.
    pub body: Span,
    /// Present where it is an inline task.
    pub inline: Option<InlineTask>,
}

/// The line of dates under a headline.
#[derive(Debug, Clone, Default)]
pub struct Planning<'t> {
    pub span: Span,
    /// Keyword and timestamp, in order.
    pub entries: Vec<(&'t str, &'t str)>,
}

impl<'t> Headline<'t> {
    /// Its ID.
    pub fn id(&self) -> Option<&'t str> {
        self.properties.as_ref()?.get("ID").filter(|id| !id.is_empty())
    }

    /// Whether it is an inline task without a line `END`, which has neither dates nor properties nor text.
    pub fn is_one_line(&self) -> bool {
        self.inline.is_some_and(|task| task.end.is_none())
    }
}

impl<'t> Planning<'t> {
    /// The timestamp after the last keyword of this name. Org compares the names as they are written, and takes every other
    /// one, such as `scheduled`, for CLOSED (`org-element--get-time-properties`).
    pub fn get(&self, keyword: &str) -> Option<&'t str> {
        let is_closed = |name: &str| !matches!(name, "SCHEDULED" | "DEADLINE");
        let mut entries = self.entries.iter().rev();
        let found = match keyword {
            "CLOSED" => entries.find(|(name, _)| is_closed(name)),
            _ => entries.find(|(name, _)| *name == keyword),
        };
        found.map(|(_, stamp)| *stamp)
    }
}

/// A drawer of properties.
#[derive(Debug, Clone, Default)]
pub struct Drawer<'t> {
    pub span: Span,
    /// Keys and values as written; values are trimmed.
    pub entries: Vec<(&'t str, &'t str)>,
}

impl<'t> Drawer<'t> {
    /// The value of the last property of this name, whatever its case.
    pub fn get(&self, name: &str) -> Option<&'t str> {
        let named = |(key, _): &&(&str, &str)| key.eq_ignore_ascii_case(name);
        self.entries.iter().rev().find(named).map(|(_, value)| *value)
    }
}

/// The outline of a document.
#[derive(Debug, Clone, Default)]
pub struct Outline<'t> {
    pub settings: Settings<'t>,
    /// The drawer of properties of the file itself.
    pub properties: Option<Drawer<'t>>,
    pub headlines: Vec<Headline<'t>>,
    /// Lines `END` that do not end an inline task.
    pub lone_ends: Vec<Span>,
    /// What it was read with.
    setup: Setup,
}

impl<'t> Outline<'t> {
    /// Reads a document without set-up files and inline tasks.
    pub fn read(text: &'t str) -> Self {
        Self::read_as(text, None)
    }

    /// Reads a document without set-up files; headlines of `inline_tasks` stars or more are inline tasks.
    pub fn read_as(text: &'t str, inline_tasks: Option<usize>) -> Self {
        static NONE: Setup = Setup::none();
        let settings = Settings { inline_tasks, ..Settings::read_with(text, &NONE) };
        Self { setup: Setup::none().with_inline_tasks(inline_tasks), ..Self::of(text, settings) }
    }

    /// Reads a document with the settings of its set-up files.
    pub fn read_with<'s: 't>(text: &'t str, setup: &'s Setup) -> Self {
        Self { setup: setup.clone(), ..Self::of(text, Settings::read_with(text, setup)) }
    }

    /// What it was read with, to read other text in the same way.
    pub fn setup(&self) -> &Setup {
        &self.setup
    }

    fn of(text: &'t str, settings: Settings<'t>) -> Self {
        let (headlines, lone_ends) = headlines(Lines::new(text), &settings);
        let properties = file_properties(Lines::new(text));
        Self { settings, properties, headlines, lone_ends, setup: Setup::none() }
    }

    /// An outline of parts that were read before.
    pub(super) fn of_parts(
        settings: Settings<'t>,
        properties: Option<Drawer<'t>>,
        headlines: Vec<Headline<'t>>,
        lone_ends: Vec<Span>,
        setup: Setup,
    ) -> Self {
        Self { settings, properties, headlines, lone_ends, setup }
    }

    /// The headline whose text a line is, an inline task included: none above the first one.
    pub fn index_at(&self, line: u32) -> Option<usize> {
        let mut index = self.headlines.partition_point(|headline| headline.line <= line).checked_sub(1)?;
        while self.headlines[index].inline.is_some() && self.headlines[index].end_line < line {
            match self.headlines[index].parent {
                Some(parent) => index = parent,
                // Before the first headline there are inline tasks at most.
                None => return None,
            }
        }
        Some(index)
    }

    /// The tags of a headline with those of the file and the headlines above it, each once.
    pub fn all_tags(&self, index: usize) -> Vec<&'t str> {
        let mut path = vec![index];
        while let Some(parent) = self.headlines[path[path.len() - 1]].parent {
            path.push(parent);
        }
        let own = path.iter().rev().flat_map(|&at| &self.headlines[at].tags);
        let mut tags: Vec<&'t str> = Vec::new();
        for tag in self.settings.filetags.iter().chain(own).copied() {
            if !tags.contains(&tag) {
                tags.push(tag);
            }
        }
        tags
    }
}

/// Reads the headlines of a document or of a part of it, and the lines `END` that do not end an inline task.
pub(super) fn headlines<'t>(mut lines: Lines<'t>, settings: &Settings<'_>) -> (Vec<Headline<'t>>, Vec<Span>) {
    let mut reader = Reader {
        blocks: settings.inline_tasks.map_or_else(Vec::new, |least| inline::verbatim(lines.clone(), least)),
        settings,
        headlines: Vec::new(),
        lone_ends: Vec::new(),
        open: Vec::new(),
        section: None,
        task: None,
    };
    while let Some(line) = lines.next() {
        if !budget::charge(line.steps()) {
            break;
        }
        if let Some(stars) = line.stars() {
            reader.headline(line, stars, &mut lines);
        }
    }
    // After a final line break there is one more line, as Emacs counts.
    reader.finish(lines.end(), lines.number() + u32::from(lines.are_ended()));
    (reader.headlines, reader.lone_ends)
}

/// Reads the headlines of a document, one after the other.
struct Reader<'t, 's> {
    settings: &'s Settings<'s>,
    /// Verbatim blocks, in which there are no inline tasks.
    blocks: Vec<Range<usize>>,
    headlines: Vec<Headline<'t>>,
    lone_ends: Vec<Span>,
    /// The headlines that are open, innermost last.
    open: Vec<usize>,
    /// The last headline that is not an inline task.
    section: Option<usize>,
    /// The inline task that a line `END` would end, and the lines below its headline.
    task: Option<(usize, Lines<'t>)>,
}

impl<'t> Reader<'t, '_> {
    /// Reads a headline and what belongs to it.
    fn headline(&mut self, line: Line<'t>, level: usize, lines: &mut Lines<'t>) {
        if self.settings.inline_tasks.is_some_and(|least| level >= least) {
            if !inline::is_in(&self.blocks, line.start) {
                self.inline_task(line, level, lines);
            }
            return;
        }
        self.task = None;
        let number = lines.number();
        let headlines = &mut self.headlines;
        while let Some(&last) = self.open.last().filter(|&&last| headlines[last].level >= level) {
            close(&mut headlines[last], line.start, number - 1);
            self.open.pop();
        }
        if let Some(section) = self.section {
            headlines[section].body.end = line.start as u32;
        }
        let mut headline = headline(line, level, self.settings);
        headline.line = number;
        headline.parent = self.open.last().copied();
        headline.planning = planning(lines);
        headline.properties = drawer(lines);
        headline.body = Span::at(lines.offset());
        self.section = Some(headlines.len());
        self.open.push(headlines.len());
        budget::push(headlines, headline);
    }

    /// Reads the first line of an inline task, or the last one.
    fn inline_task(&mut self, line: Line<'t>, level: usize, lines: &Lines<'t>) {
        if inline::is_end(line, level) {
            match self.task.take() {
                Some((task, below)) => end_task(&mut self.headlines[task], line, below, lines),
                None => self.lone_ends.push(line.span()),
            }
            return;
        }
        let mut task = headline(line, level, self.settings);
        task.line = lines.number();
        task.end_line = lines.number();
        task.parent = self.open.last().copied();
        task.section = Span::new(line.start, lines.offset());
        task.body = Span::at(lines.offset());
        task.inline = Some(InlineTask { end: None });
        self.task = Some((self.headlines.len(), lines.clone()));
        budget::push(&mut self.headlines, task);
    }

    /// Ends all that is open at the end of the text, which is on line `last`.
    fn finish(&mut self, end: usize, last: u32) {
        if let Some(section) = self.section {
            self.headlines[section].body.end = end as u32;
        }
        for index in self.open.drain(..) {
            close(&mut self.headlines[index], end, last);
        }
    }
}

/// Gives an inline task what is between its headline and its end; `below` are the lines from the one below its headline
/// on, and `after` those after its end.
fn end_task<'t>(task: &mut Headline<'t>, end: Line<'t>, below: Lines<'t>, after: &Lines<'t>) {
    let mut below = below.between(below.offset(), end.start);
    task.planning = planning(&mut below);
    task.properties = drawer(&mut below);
    task.body = Span::new(below.offset(), end.start);
    task.section = Span::new(task.section.start as usize, after.offset());
    task.end_line = after.number();
    task.inline = Some(InlineTask { end: Some(end.span()) });
}

/// Sets where the section of a headline ends.
fn close(headline: &mut Headline<'_>, end: usize, line: u32) {
    headline.section = Span::new(headline.span.start as usize, end);
    headline.end_line = line;
}

fn headline<'t>(line: Line<'t>, level: usize, settings: &Settings<'_>) -> Headline<'t> {
    let mut rest = line.text[level..].trim_start_matches([' ', '\t']);
    let todo = settings.todo(rest);
    if let Some(todo) = todo {
        rest = rest[todo.len()..].trim_start_matches([' ', '\t']);
    }
    let priority = priority(rest);
    if let Some(priority) = priority {
        rest = rest["[#]".len() + priority.len()..].trim_start_matches([' ', '\t']);
    }
    let after =
        rest.strip_prefix("COMMENT").filter(|after| after.is_empty() || after.starts_with([' ', '\t']));
    if let Some(after) = after {
        rest = after;
    }
    let (title, tags) = split_tags(rest);
    Headline {
        span: line.span(),
        level,
        todo,
        priority,
        commented: after.is_some(),
        title: title.trim_matches([' ', '\t', '\r']),
        tags,
        ..Headline::default()
    }
}

/// The letter or the number up to 64 of a priority `[#A]`.
fn priority(text: &str) -> Option<&str> {
    let inner = text.strip_prefix("[#")?;
    let inner = &inner[..inner.find(']')?];
    let letter = inner.len() == 1 && inner.as_bytes()[0].is_ascii_alphanumeric();
    let number = inner.len() == 2
        && inner.bytes().all(|byte| byte.is_ascii_digit())
        && inner.parse().is_ok_and(|number: u8| number <= 64);
    (letter || number).then_some(inner)
}

/// Splits `title :tag:tag:` at the tags, which are the whole text or follow whitespace.
fn split_tags(text: &str) -> (&str, Vec<&str>) {
    let trimmed = text.trim_end_matches([' ', '\t']);
    let start = trimmed.rfind([' ', '\t']).map_or(0, |at| at + 1);
    let tag = |c: char| c.is_alphanumeric() || matches!(c, '_' | '@' | '#' | '%' | ':');
    let inner = trimmed[start..].strip_prefix(':').and_then(|rest| rest.strip_suffix(':'));
    match inner.filter(|inner| !inner.is_empty() && inner.chars().all(tag)) {
        Some(inner) => (&text[..start], inner.split(':').collect()),
        None => (text, Vec::new()),
    }
}

/// Takes the planning line, where the next line is one.
fn planning<'t>(lines: &mut Lines<'t>) -> Option<Planning<'t>> {
    let line = lines.peek()?;
    let begins = ["SCHEDULED", "DEADLINE", "CLOSED"];
    // The expressions of Org ignore case, as `case-fold-search` has it by default.
    let is_at = |text: &str, at: usize, name: &str| {
        text.get(at..at + name.len()).is_some_and(|found| found.eq_ignore_ascii_case(name))
    };
    let text = line.unindented();
    if !begins.iter().any(|name| is_at(text, 0, name) && text[name.len()..].starts_with(':')) {
        return None;
    }
    lines.next();
    let mut entries = Vec::new();
    let mut at = 0;
    while let Some(found) = line.text[at..].find(':') {
        let colon = at + found;
        at = colon + 1;
        let keyword = begins.iter().find_map(|name| {
            let start = colon.checked_sub(name.len()).filter(|start| is_at(line.text, *start, name))?;
            let alone = !line.text[..start].ends_with(|c: char| c.is_alphanumeric() || c == '_');
            alone.then(|| &line.text[start..colon])
        });
        let Some(keyword) = keyword else { continue };
        let rest = line.text[at..].trim_start_matches([' ', '\t']);
        if let Some(length) = timestamp::length(rest) {
            entries.push((keyword, &rest[..length]));
            at = line.text.len() - rest.len() + length;
        }
    }
    Some(Planning { span: line.span(), entries })
}

/// Takes the drawer of properties that begins on the next line; nothing when a line in it is not a
/// property or its end is missing: then there is not a drawer at all, and the lines are text.
fn drawer<'t>(lines: &mut Lines<'t>) -> Option<Drawer<'t>> {
    let mut ahead = lines.clone();
    let first = ahead.next()?;
    if !first.drawer_mark()?.eq_ignore_ascii_case("PROPERTIES") {
        return None;
    }
    let mut entries = Vec::new();
    while let Some(line) = ahead.next() {
        if line.drawer_mark().is_some_and(|name| name.eq_ignore_ascii_case("END")) {
            *lines = ahead;
            return Some(Drawer { span: first.span().cover(line.span()), entries });
        }
        entries.push(line.property()?);
    }
    None
}

/// The drawer of properties before which there are only empty lines and comments.
pub(super) fn file_properties(mut lines: Lines<'_>) -> Option<Drawer<'_>> {
    while lines.peek().is_some_and(|line| line.is_empty() || line.comment().is_some()) {
        lines.next();
    }
    drawer(&mut lines)
}
