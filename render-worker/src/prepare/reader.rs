use std::ops::Range;

use proofmark_render_protocol::Format;
use pulldown_cmark::{BlockQuoteKind, CodeBlockKind, CowStr, Event, LinkType, Parser, Tag, TagEnd};
use serde_json::json;

use super::{
    OPTIONS, Place, Preparation,
    edits::Edits,
    html::{self, Open},
    scope::{self, Referred, Scope},
    urls,
};
use crate::mark::{END, START};

/// Paragraphs that stand for a table of contents.
const CONTENTS: [&str; 4] = ["[toc]", "[[toc]]", "[[_toc_]]", "{:toc}"];

/// Paragraphs that stand for a new page.
const NEW_PAGE: [&str; 4] = ["\\newpage", "\\pagebreak", "{{< pagebreak >}}", "\\clearpage"];

/// Deepest nesting that is read: the engine refuses less.
const DEEPEST: usize = 200;

/// Reads Markdown and returns what the engine gets. The scope is that of the text which it is a part of.
pub(super) fn read(text: &str, preparation: &mut Preparation, scope: &mut Scope) -> String {
    let mut reader = Reader {
        text,
        preparation,
        scope,
        done: 0,
        cell: false,
        terms: Terms::default(),
        edits: Edits::default(),
        depth: 0,
        links: 0,
        paragraph: 0..0,
        skipping: false,
        heading: None,
        verbatim: false,
        code: None,
        html: None,
        image: None,
        alert: None,
        opaque: Vec::new(),
        tags: Open::default(),
    };
    for (event, range) in Parser::new_ext(text, OPTIONS).into_offset_iter() {
        reader.event(event, range);
        if reader.depth > DEEPEST {
            return text.to_owned();
        }
    }
    reader.scripts();
    reader.edits.apply(text)
}

struct Reader<'t, 'p> {
    text: &'t str,
    preparation: &'p mut Preparation,
    scope: &'p mut Scope,
    /// Up to where the text was read, with all that is in it.
    done: usize,
    /// Whether a cell of a table is open.
    cell: bool,
    /// The open list of definitions.
    terms: Terms,
    edits: Edits,
    depth: usize,
    /// How many links are open.
    links: usize,
    /// The last paragraph.
    paragraph: Range<usize>,
    /// Whether the paragraph is replaced whole.
    skipping: bool,
    /// The id and the words of the open heading.
    heading: Option<(Option<String>, String)>,
    /// Whether code is open.
    verbatim: bool,
    /// The open fence of a diagram: its range and content.
    code: Option<(Range<usize>, String)>,
    /// The open block of HTML.
    html: Option<Range<usize>>,
    /// The open image: range, target, title, alternative text.
    image: Option<(Range<usize>, String, String, String)>,
    /// The quote that opened as an alert, until its first block.
    alert: Option<(BlockQuoteKind, Range<usize>)>,
    /// Code, formulas, tags and links, in which nothing is a sub- or superscript.
    opaque: Vec<Range<usize>>,
    tags: Open<'t>,
}

/// A list of terms and what they mean.
#[derive(Debug, Default)]
struct Terms {
    /// How many lists are open, one in the other.
    depth: usize,
    /// Each term, and the definitions below it.
    list: Vec<(Range<usize>, Vec<Range<usize>>)>,
    /// The end of the last definition. The parser's list also contains a paragraph after it.
    end: usize,
}

impl<'t> Reader<'t, '_> {
    fn event(&mut self, event: Event<'t>, range: Range<usize>) {
        match &event {
            Event::Start(_) => self.depth += 1,
            Event::End(_) => self.depth -= 1,
            _ => {}
        }
        self.term(&event, &range);
        if range.start < self.done {
            return;
        }
        match event {
            Event::Start(tag) => self.start(tag, range),
            Event::End(tag) => self.end(tag, range),
            Event::Text(words) => self.words(&words, range),
            Event::Code(words) => {
                self.add(&words);
                self.opaque.push(range);
            }
            Event::SoftBreak | Event::HardBreak => self.add(" "),
            Event::InlineHtml(_) if self.html.is_none() => self.tag(range),
            Event::InlineMath(formula) => self.formula(&formula, "$", range),
            Event::DisplayMath(formula) => self.formula(&formula, "$$", range),
            Event::FootnoteReference(label) => self.note(&label, range),
            _ => {}
        }
    }

    fn start(&mut self, tag: Tag<'t>, range: Range<usize>) {
        if let Some((kind, quote)) = self.alert.take() {
            let text = matches!(tag, Tag::Paragraph).then_some(range.start);
            self.alert(kind, &quote, text);
        }
        match tag {
            Tag::Paragraph => self.paragraph(range),
            Tag::Heading { id, .. } => {
                self.tags.clear();
                self.heading = Some((id.map(|id| id.to_string()), String::new()));
                self.remove_attributes(&range);
            }
            Tag::CodeBlock(CodeBlockKind::Fenced(info)) if is_mermaid(&info) => {
                self.code = Some((range, String::new()));
            }
            Tag::CodeBlock(_) => {
                self.opaque.push(range);
                self.verbatim = true;
            }
            Tag::HtmlBlock => {
                self.opaque.push(range.clone());
                self.html = Some(range);
            }
            Tag::BlockQuote(Some(kind)) => self.alert = Some((kind, range)),
            Tag::Link { link_type, dest_url, .. } => {
                self.links += 1;
                self.opaque.push(range.clone());
                if link_type == LinkType::Email {
                    let address = &self.text[range.start + 1..range.end - 1];
                    self.edits.replace(range, format!("[{address}](mailto:{dest_url})"));
                }
            }
            Tag::Image { dest_url, title, .. } if self.image.is_none() => {
                self.opaque.push(range.clone());
                self.image = Some((range, dest_url.to_string(), title.to_string(), String::new()));
            }
            Tag::FootnoteDefinition(label) if self.scope.is_used(&label) => {
                self.done = range.end;
                self.edits.replace(range, "");
            }
            Tag::TableCell => {
                self.tags.clear();
                self.cell = true;
            }
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd, range: Range<usize>) {
        match tag {
            TagEnd::BlockQuote(_) => {
                if let Some((kind, quote)) = self.alert.take() {
                    self.alert(kind, &quote, None);
                }
            }
            TagEnd::Paragraph => self.skipping = false,
            TagEnd::Heading(_) => {
                if let Some((id, words)) = self.heading.take() {
                    self.preparation.heading(id.as_deref(), words.trim());
                }
            }
            TagEnd::CodeBlock => {
                self.verbatim = false;
                if let Some((range, source)) = self.code.take()
                    && let Some(mark) = self.preparation.diagram(&source)
                {
                    let block = self.text[range.clone()].trim_end().len();
                    self.edits.replace(range.start..range.start + block, mark);
                }
            }
            TagEnd::HtmlBlock => {
                if let Some(start) = self.html.take() {
                    self.html_block(start.start..range.end.max(start.end));
                }
            }
            TagEnd::Link => self.links = self.links.saturating_sub(1),
            TagEnd::Image => self.picture(&range),
            TagEnd::TableCell => self.cell = false,
            _ => {}
        }
    }

    /// Words are part of what is open around them.
    fn add(&mut self, words: &str) {
        if let Some((_, heading)) = &mut self.heading {
            heading.push_str(words);
        }
        if let Some((.., alt)) = &mut self.image {
            alt.push_str(words);
        }
    }

    fn words(&mut self, words: &CowStr<'t>, range: Range<usize>) {
        if let Some((_, source)) = &mut self.code {
            source.push_str(words);
            return;
        }
        self.add(words);
        if self.links > 0 || self.image.is_some() || self.skipping || self.verbatim {
            return;
        }
        for address in urls::find(self.text, range) {
            let url = &self.text[address.range.clone()];
            let link = if address.bare { format!("[{url}](<https://{url}>)") } else { format!("<{url}>") };
            self.edits.replace(address.range, link);
        }
    }

    /// A paragraph that stands for something else.
    fn paragraph(&mut self, range: Range<usize>) {
        self.tags.clear();
        let words = self.text[range.clone()].trim();
        let lower = words.to_ascii_lowercase();
        let mark = if CONTENTS.contains(&lower.as_str()) {
            Some(self.preparation.mark("contents", ""))
        } else if NEW_PAGE.contains(&lower.as_str()) {
            Some(self.preparation.mark("pagebreak", ""))
        } else {
            None
        };
        if let Some(mark) = mark {
            self.skipping = true;
            self.edits.replace(range.start..range.start + words.len(), mark);
        }
        self.paragraph = range;
    }

    /// The attributes of a heading, `{#id .class}`, are for tools.
    fn remove_attributes(&mut self, range: &Range<usize>) {
        let line = self.text[range.clone()].lines().next().unwrap_or_default().trim_end();
        let Some(open) = line.rfind('{').filter(|_| line.ends_with('}')) else { return };
        let inner = &line[open + 1..line.len() - 1];
        let attribute = |word: &str| word.starts_with(['#', '.']) || word.contains('=');
        if !inner.trim().is_empty() && inner.split_whitespace().all(attribute) {
            let before = line[..open].trim_end().len();
            self.edits.replace(range.start + before..range.start + line.len(), "");
        }
    }

    /// `[!NOTE]` at the start of a quote, up to the text that begins at `text`.
    fn alert(&mut self, kind: BlockQuoteKind, range: &Range<usize>, text: Option<usize>) {
        let name = match kind {
            BlockQuoteKind::Note => "note",
            BlockQuoteKind::Tip => "tip",
            BlockQuoteKind::Important => "important",
            BlockQuoteKind::Warning => "warning",
            BlockQuoteKind::Caution => "caution",
        };
        let quote = &self.text[range.clone()];
        let Some(open) = quote.find("[!") else { return };
        let Some(close) = quote[open..].find(']') else { return };
        let mark = self.preparation.mark("alert", name);
        let end = text.unwrap_or(range.start + open + close + 1);
        self.edits.replace(range.start + open..end, mark);
    }

    /// The mark of a footnote: the note itself, or a reference to it.
    fn note(&mut self, label: &str, range: Range<usize>) {
        self.opaque.push(range.clone());
        if self.image.is_some() {
            return;
        }
        let mark = match self.scope.note(label, self.preparation.next_piece()) {
            None => return,
            Some(Referred::Again(piece)) => self.preparation.mark("same-note", piece),
            Some(Referred::First { text, named }) => {
                let text = text.to_owned();
                let piece = self.preparation.piece(self.scope.complete(&text));
                self.preparation.mark(if named { "named-note" } else { "note" }, piece)
            }
        };
        self.edits.replace(range, mark);
    }

    /// A formula. In a cell, the engine would print what it is written as; in a PDF, `typst/page.typ` says what it reads as.
    fn formula(&mut self, formula: &str, sign: &str, range: Range<usize>) {
        self.opaque.push(range.clone());
        if let Some((.., alt)) = &mut self.image {
            alt.push_str(formula);
        } else if self.cell || self.preparation.format == Format::Pdf {
            let mark = self.preparation.formula(format!("{sign}{formula}{sign}"));
            self.edits.replace(range, mark);
        }
    }

    /// What is part of a list of terms, which is read as a whole.
    fn term(&mut self, event: &Event<'t>, range: &Range<usize>) {
        match event {
            Event::Start(Tag::DefinitionList) => {
                self.terms.depth += 1;
                if self.terms.depth == 1 && range.start >= self.done && self.is_terms(range) {
                    self.terms.list.clear();
                    self.done = range.end;
                }
            }
            Event::Start(Tag::DefinitionListTitle) if self.terms.depth == 1 => {
                self.terms.list.push((range.clone(), Vec::new()));
                self.terms.end = range.end;
            }
            Event::Start(Tag::DefinitionListDefinition) if self.terms.depth == 1 => {
                if let Some((_, definitions)) = self.terms.list.last_mut() {
                    definitions.push(range.clone());
                }
                self.terms.end = range.end;
            }
            Event::End(TagEnd::DefinitionList) => {
                self.terms.depth -= 1;
                if self.terms.depth == 0 && self.done == range.end {
                    self.done = self.terms.end;
                    self.definitions(&(range.start..self.terms.end));
                }
            }
            _ => {}
        }
    }

    /// Whether what the reader takes for a list of terms is one.
    fn is_terms(&self, range: &Range<usize>) -> bool {
        let mut lines =
            self.text[range.clone()].lines().map(|line| line.trim_start_matches([' ', '\t', '>']));
        lines.any(is_definition) && self.depth < DEEPEST
    }

    /// A list of terms: a mark, and a piece for each term and each definition.
    fn definitions(&mut self, range: &Range<usize>) {
        let text = self.text;
        let mut items = Vec::new();
        for (term, definitions) in std::mem::take(&mut self.terms.list) {
            let term = self.part(term.clone(), term.start);
            let mut pieces = Vec::new();
            for definition in definitions {
                let colon = text[definition.clone()].find(':').map_or(0, |colon| colon + 1);
                pieces.push(self.part(definition.start + colon..definition.end, definition.start));
            }
            items.push(json!({"term": term, "definitions": pieces}));
        }
        let mark = self.preparation.place("terms", items.into());
        let length = text[range.clone()].trim_end().len();
        self.edits.replace(range.start..range.start + length, mark);
    }

    /// The number of the piece that a part of a block becomes.
    fn part(&mut self, range: Range<usize>, block: usize) -> usize {
        let text = scope::part(self.text, range, block);
        self.preparation.piece(self.scope.complete(&text))
    }

    fn picture(&mut self, range: &Range<usize>) {
        let Some((start, target, title, alt)) = self.image.take() else { return };
        let range = start.start..range.end.max(start.end);
        let paragraph = self.text[self.paragraph.clone()].trim();
        let alone = self.text[range.clone()].trim() == paragraph && self.links == 0;
        let place = if self.cell { Place::Cell } else { Place::of(alone) };
        let mark = self.preparation.picture(&target, alt.trim(), &title, place);
        // The words that stand for a picture are better than nothing.
        let alt = alt.trim();
        let words = if alt.is_empty() { String::new() } else { format!("*{}*", alt.replace('*', "")) };
        self.edits.replace(range, mark.unwrap_or(words));
    }

    /// `x^2^` and `H~2~O`. One tilde around whole words strikes them out, as on GitHub.
    fn scripts(&mut self) {
        let text = self.text;
        let mut from = 0;
        while let Some(at) = text[from..].find(['^', '~']) {
            let start = from + at;
            from = start + 1;
            let sign = text.as_bytes()[start];
            let before = text[..start].chars().next_back();
            if !before.is_some_and(|c| c.is_alphanumeric() || matches!(c, ')' | ']')) {
                continue;
            }
            let length = text[from..].find(|c| !is_script(c)).unwrap_or(text.len() - from);
            let closes = length > 0 && text.as_bytes().get(from + length) == Some(&sign);
            let is_opaque = || self.opaque.iter().any(|range| range.contains(&start));
            if !closes || text.as_bytes().get(from + length + 1) == Some(&sign) || is_opaque() {
                continue;
            }
            let kind = if sign == b'^' { "sup" } else { "sub" };
            let mark = self.preparation.mark(kind, &text[from..from + length]);
            from += length + 1;
            self.edits.replace(start..from, mark);
        }
    }

    /// A tag within a line.
    fn tag(&mut self, range: Range<usize>) {
        self.opaque.push(range.clone());
        let text = self.text;
        let Some(tag) = html::Tag::read(&text[range.clone()]) else { return };
        if tag.name == "img" {
            let mark = tag.attribute("src").and_then(|target| {
                let alt = tag.attribute("alt").unwrap_or_default();
                let alone = text[self.paragraph.clone()].trim() == &text[range.clone()];
                let place = if self.cell { Place::Cell } else { Place::of(alone) };
                self.preparation.picture(target, alt, "", place)
            });
            if let Some(mark) = mark {
                self.edits.replace(range, mark);
            }
            return;
        }
        if !tag.closing {
            self.tags.push(tag, range);
            return;
        }
        let Some((open, from)) = self.tags.close(&tag.name) else { return };
        let content = &text[from.end..range.start];
        if let Some((before, after)) = html::around(&open, content) {
            if before.starts_with(START) || after.ends_with(END) {
                self.preparation.used = true;
            }
            self.edits.replace(from, before);
            self.edits.replace(range, after);
        }
    }

    /// A block of HTML: its words.
    fn html_block(&mut self, range: Range<usize>) {
        let block = &self.text[range.clone()];
        let preparation = &mut *self.preparation;
        let mut picture = |tag: &html::Tag<'_>| {
            let target = tag.attribute("src")?;
            preparation.picture(target, tag.attribute("alt").unwrap_or_default(), "", Place::Alone)
        };
        let Some(words) = html::words(block, &mut picture).or_else(|| {
            html::table(block, &mut |cell| {
                let piece = preparation.piece(self.scope.complete(&cell));
                preparation.mark("content", piece)
            })
        }) else {
            return;
        };
        self.preparation.used |= words.contains(START);
        let length = block.trim_end().len();
        self.edits.replace(range.start..range.start + length, words);
    }
}

/// Whether a line begins a definition. The end of a div, `:::`, does not.
fn is_definition(line: &str) -> bool {
    line.starts_with(": ") || line.starts_with(":\t")
}

/// Whether a sub- or superscript may have a character.
fn is_script(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '+' | '-' | '\u{2212}' | '=' | '.' | ',' | '(' | ')')
}

fn is_mermaid(info: &str) -> bool {
    info.split([' ', '{', ',']).next().is_some_and(|language| language.eq_ignore_ascii_case("mermaid"))
}
