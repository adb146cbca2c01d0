//! What pages do not show as it is meant: markup that is printed as it is typed, tags that are ignored, notes
//! without a mark. Only documents with a quill become pages.

use std::{collections::HashMap, ops::Range};

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};
use regex::Regex;

use super::{
    metadata::{Block, BlockKind},
    page::{Findings, Page},
};
use crate::{
    Observation,
    budget::{self, Lazy},
    text::clip,
};

const OPTIONS: Options = Options::ENABLE_TABLES
    .union(Options::ENABLE_FOOTNOTES)
    .union(Options::ENABLE_STRIKETHROUGH)
    .union(Options::ENABLE_TASKLISTS)
    .union(Options::ENABLE_MATH)
    .union(Options::ENABLE_HEADING_ATTRIBUTES);

/// Markup that is printed as it is typed: its name, and how it looks. The first group is what is shown.
static MARKUP: Lazy<Vec<(&str, Regex)>> = Lazy::new(|| {
    let patterns = [
        ("highlight", r"(==[^\s=](?:[^=\n]*[^\s=])?==)"),
        ("emoji", r"(?:^|\s)(:[a-z][a-z0-9_+-]{1,30}:)(?:$|[\s.,;!?)])"),
        ("citation", r"(\[-?@[A-Za-z][^\]\n]*\])"),
        ("wiki-link", r"(\[\[[^\[\]\n]+\]\])"),
        ("inline-note", r"(\^\[[^\]\n]+\])"),
        ("undefined-note", r"(\[\^[^\]\s]+\])"),
        ("formula", r"(\\\([^)\n]*[\\^_=][^)\n]*\\\)|\\\[[^\]]*[\\^_=][^\]]*\\\])"),
        ("div", r"(?m)^[ \t]*(:{3,}[^\n]*)$"),
        ("grid-table", r"(?m)^[ \t]*(\+(?:[-=:]+\+)+)[ \t]*$"),
        ("caption", r"(?m)^[ \t]*(Table: [^\n]+)$"),
        ("abbreviation", r"(?m)^[ \t]*(\*\[[^\]\n]+\]: [^\n]+)$"),
        (
            "latex",
            r"(\\(?:begin|end|cite|ref|label|textbf|emph|vspace|hspace|footnote|includegraphics)\{[^}\n]*\})",
        ),
        (
            "typst",
            r"(#(?:pagebreak|colbreak|v|h|image|align|text|table|box|block|link|rect|line)\([^)\n]*\))",
        ),
    ];
    let compiled = |(name, pattern)| Some((name, Regex::new(pattern).ok()?));
    patterns.into_iter().filter_map(compiled).collect()
});

/// One of these is in every text that has something to observe: markup of the table above, a table, a tag, a fence, or a note.
/// Links and addresses have none of them, so that ordinary bodies are not parsed once more.
static SIGNS: Lazy<Option<Regex>> = Lazy::new(|| {
    Regex::new(r"==|\|[ \t]*:?-|-[ \t]*\||:[a-z:]|\[(?:-?@|[\[^])|\^\[|\*\[|<|\\[(\[a-z]|#[a-z]+\(|\+[-=:]|Table: |`{3}|~{3}|\](?:\([^)\n]*|:[^\n]*)[ \t][\x22'(]").ok()
});

/// Paragraphs that stand for something that pages have.
const KNOWN: [&str; 5] = ["[toc]", "[[toc]]", "[[_toc_]]", "\\newpage", "\\pagebreak"];

/// Fences whose code other tools draw.
const DRAWN: [&str; 9] =
    ["dot", "graphviz", "plantuml", "puml", "d2", "math", "ditaa", "vega-lite", "wavedrom"];

/// Longest piece of a row in a message.
const MOST_SHOWN: usize = 60;

/// Elements whose content is dropped.
const WORDLESS: [&str; 10] =
    ["script", "style", "template", "iframe", "object", "svg", "noscript", "video", "audio", "caption"];

/// The other elements of HTML. What has the form of a tag and none of these names is most likely a word.
#[rustfmt::skip]
const ELEMENTS: [&str; 112] = [
    "a", "acronym", "address", "applet", "area", "article", "aside", "b", "base", "basefont", "bdi", "bdo",
    "blockquote", "body", "br", "button", "canvas", "center", "cite", "code", "col", "colgroup", "data",
    "datalist", "dd", "del", "details", "dfn", "dialog", "dir", "div", "dl", "dt", "em", "embed",
    "fieldset", "figcaption", "figure", "footer", "form", "frame", "frameset", "h1", "h2", "h3", "h4", "h5",
    "h6", "head", "header", "hgroup", "hr", "html", "i", "image", "img", "input", "kbd", "legend", "li",
    "link", "main", "map", "marquee", "math", "menu", "meta", "meter", "nav", "nobr", "ol", "optgroup",
    "option", "output", "p", "param", "picture", "plaintext", "pre", "progress", "rp", "rt", "ruby", "s",
    "samp", "search", "section", "select", "slot", "source", "strike", "strong", "sub", "summary", "sup",
    "table", "tbody", "td", "textarea", "tfoot", "th", "thead", "time", "title", "tr", "track", "tt", "u",
    "ul", "var", "wbr", "xmp",
];

/// Elements within a line whose words stay and whose meaning does not.
const IGNORED: [&str; 10] = ["span", "mark", "small", "big", "font", "ins", "abbr", "q", "label", "blink"];

/// Observes what pages do not show, in each body of a document with a quill.
pub(super) fn observe(page: &Page<'_>, blocks: &[Block], findings: &mut Findings) {
    if !blocks.iter().any(|block| block.kind == BlockKind::Quill) {
        return;
    }
    let ends = blocks.iter().skip(1).map(|block| block.raw.start).chain([page.text().len()]);
    for (block, end) in blocks.iter().zip(ends) {
        let body = block.raw.end.min(end)..end;
        let signs = SIGNS.as_ref().is_none_or(|signs| signs.is_match(&page.text()[body.clone()]));
        if signs {
            Body::new(page, body, findings).observe();
        }
    }
}

struct Body<'b, 'p> {
    page: &'b Page<'p>,
    range: Range<usize>,
    findings: &'b mut Findings,
    /// Code, formulas, tags and links within the open block.
    masked: Vec<Range<usize>>,
    /// Where notes are, by name, until a mark refers to them.
    notes: HashMap<String, Range<usize>>,
    marks: Vec<String>,
}

impl<'b, 'p> Body<'b, 'p> {
    fn new(page: &'b Page<'p>, range: Range<usize>, findings: &'b mut Findings) -> Self {
        Self { page, range, findings, masked: Vec::new(), notes: HashMap::new(), marks: Vec::new() }
    }

    fn observe(mut self) {
        let page = self.page;
        let text = &page.text()[self.range.clone()];
        let mut leaf: Option<Range<usize>> = None;
        let (mut row, mut cell) = (0..0, 0);
        for (event, range) in Parser::new_ext(text, OPTIONS).into_offset_iter() {
            if !budget::charge(1) || self.findings.is_full() {
                return;
            }
            match event {
                Event::Start(Tag::Paragraph | Tag::Heading { .. } | Tag::TableCell) => {
                    self.masked.clear();
                    leaf = Some(range);
                }
                Event::Start(Tag::TableHead | Tag::TableRow) => row = range.clone(),
                // The lines of a tight item are in no paragraph.
                Event::Start(Tag::Item) => {
                    self.masked.clear();
                    leaf = None;
                }
                Event::Text(_) if leaf.is_none() => self.words(range),
                Event::End(TagEnd::Paragraph | TagEnd::Heading(_)) => {
                    if let Some(range) = leaf.take() {
                        self.words(range);
                    }
                }
                Event::End(TagEnd::TableCell) => {
                    cell = range.end;
                    if let Some(range) = leaf.take() {
                        self.words(range);
                    }
                }
                Event::End(TagEnd::TableHead | TagEnd::TableRow) => {
                    self.surplus(cell.max(row.start)..row.end);
                }
                Event::Start(Tag::CodeBlock(kind)) => {
                    leaf = Some(range.start..range.start);
                    self.fence(&kind, range);
                }
                Event::End(TagEnd::CodeBlock | TagEnd::HtmlBlock) => leaf = None,
                Event::Start(Tag::HtmlBlock) => {
                    leaf = Some(range.start..range.start);
                    // Cells of tables in HTML can have notes.
                    let marks =
                        text[range.clone()].split("[^").skip(1).filter_map(|rest| rest.split_once(']'));
                    self.marks.extend(marks.map(|(label, _)| label.to_owned()));
                    self.html(range);
                }
                Event::InlineHtml(_) => {
                    self.html(range.clone());
                    self.masked.push(range);
                }
                Event::FootnoteReference(name) => {
                    self.marks.push(name.to_string());
                    self.masked.push(range);
                }
                Event::Start(Tag::FootnoteDefinition(name)) => {
                    let line = text[range.clone()].lines().next().unwrap_or_default().len();
                    self.notes.insert(name.to_string(), range.start..range.start + line);
                }
                // A digit after the last dollar sign makes it money, which pages show as text.
                Event::InlineMath(_) if text[range.end..].starts_with(|c: char| c.is_ascii_digit()) => {}
                Event::Start(Tag::Link { title, .. }) if !title.is_empty() => {
                    self.link_title(&title, range.clone());
                    self.masked.push(range);
                }
                Event::Code(_)
                | Event::InlineMath(_)
                | Event::DisplayMath(_)
                | Event::Start(Tag::Link { .. } | Tag::Image { .. }) => self.masked.push(range),
                _ => {}
            }
        }
        let marks = std::mem::take(&mut self.marks);
        let mut unused: Vec<Range<usize>> =
            self.notes.drain().filter(|(name, _)| !marks.contains(name)).map(|(_, range)| range).collect();
        unused.sort_by_key(|range| range.start);
        for range in unused {
            self.report("unused-note", range);
        }
    }

    fn report(&mut self, construct: &'static str, range: Range<usize>) {
        let range = range.start + self.range.start..range.end + self.range.start;
        let written = self.page.text()[range.clone()].trim();
        let fact = Observation::new("printed-as-typed", self.page.span(range));
        self.findings.add(fact.with("construct", construct).with("written", written));
    }

    /// The title of a link, at the link where its definition has it.
    fn link_title(&mut self, title: &str, link: Range<usize>) {
        let text = &self.page.text()[self.range.clone()];
        let at = text[link.clone()].rfind(title).map(|at| link.start + at);
        let place = at.map_or(link, |at| at..at + title.len());
        let place = place.start + self.range.start..place.end + self.range.start;
        let fact = Observation::new("printed-as-typed", self.page.span(place));
        self.findings.add(fact.with("construct", "link-title").with("written", clip(title, MOST_SHOWN)));
    }

    /// What a row of a table has after its last column.
    fn surplus(&mut self, range: Range<usize>) {
        let rest = &self.page.text()[self.range.clone()][range.clone()];
        let words = rest.trim_matches(['|', ' ', '\t', '\r', '\n']);
        if words.is_empty() {
            return;
        }
        let start =
            self.range.start + range.start + rest.len() - rest.trim_start_matches(['|', ' ', '\t']).len();
        let fact = Observation::new("cells-not-shown", self.page.span(start..start + words.len()));
        self.findings.add(fact.with("written", clip(words, MOST_SHOWN)));
    }

    /// Looks for markup in the words of a block.
    fn words(&mut self, range: Range<usize>) {
        let text = &self.page.text()[self.range.clone()];
        let piece = &text[range.clone()];
        if KNOWN.contains(&piece.trim().to_ascii_lowercase().as_str()) {
            return;
        }
        let mut visible = piece.to_owned();
        for masked in
            self.masked.iter().filter(|masked| masked.start >= range.start && masked.end <= range.end)
        {
            let masked = masked.start - range.start..masked.end - range.start;
            let blank: String =
                piece[masked.clone()].bytes().map(|b| if b == b'\n' { '\n' } else { ' ' }).collect();
            visible.replace_range(masked, &blank);
        }
        let mut found: Vec<(&str, Range<usize>)> = Vec::new();
        for (name, pattern) in MARKUP.iter() {
            for groups in pattern.captures_iter(&visible) {
                let Some(group) = groups.get(1) else { continue };
                let place = group.start() + range.start..group.end() + range.start;
                if !found.iter().any(|(_, known)| known.start < place.end && place.start < known.end) {
                    found.push((name, place));
                }
            }
        }
        found.sort_by_key(|(_, place)| place.start);
        for (name, place) in found {
            self.report(name, place);
        }
    }

    /// Code that another tool makes a picture or a page of.
    fn fence(&mut self, kind: &CodeBlockKind<'_>, range: Range<usize>) {
        let CodeBlockKind::Fenced(info) = kind else { return };
        let language = info.split_whitespace().next().unwrap_or_default();
        let line =
            self.page.text()[self.range.clone()][range.clone()].lines().next().unwrap_or_default().len();
        let place = range.start..range.start + line;
        if language.starts_with("{=") {
            self.report("raw-block", place);
        } else if DRAWN.contains(&language.to_ascii_lowercase().as_str()) {
            self.report("drawing", place);
        }
    }

    /// The tags of a piece of HTML.
    fn html(&mut self, range: Range<usize>) {
        let text = &self.page.text()[self.range.clone()];
        let mut rest = range.start;
        while let Some(at) = text[rest..range.end].find('<') {
            let start = rest + at;
            let after = &text[start + 1..range.end];
            if after.starts_with("!--") {
                rest = after.find("-->").map_or(range.end, |end| start + 1 + end + 3);
                continue;
            }
            let length = after.find(|c: char| !c.is_ascii_alphanumeric() && c != '-').unwrap_or(after.len());
            let name = after[..length].to_ascii_lowercase();
            rest = start + 1;
            let gone = WORDLESS.contains(&name.as_str());
            let ignored = IGNORED.contains(&name.as_str());
            // What begins with `qm-` is the engine's.
            let unknown = !name.is_empty()
                && !gone
                && !ignored
                && !ELEMENTS.contains(&name.as_str())
                && !name.starts_with("qm-");
            if gone || ignored || unknown {
                let end = after.find('>').map_or(range.end, |end| start + 1 + end + 1);
                let place = start + self.range.start..end + self.range.start;
                let fact = Observation::new("tag-not-rendered", self.page.span(place));
                let tag = if unknown { &after[..length] } else { name.as_str() };
                self.findings.add(fact.with("tag", tag).with("gone", gone).with("unknown", unknown));
                rest = end;
                if gone {
                    let close = text[rest..range.end].to_ascii_lowercase().find(&format!("</{name}"));
                    rest = close.map_or(range.end, |close| rest + close + 2);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_markup_has_a_sign() {
        let samples = [
            "==mark==",
            ":smile:",
            "see [@knuth]",
            "see [-@knuth]",
            "[[page]]",
            "a^[note]",
            "a[^1]",
            r"\(x_1\)",
            r"\[x=1\]",
            "- ::: note",
            "> +---+---+",
            "- Table: sums",
            "*[ab]: c",
            r"\newline \cite{a}",
            "#pagebreak()",
        ];
        for titled in ["[a](b \"c\")", "[a]: <b c> 'd'"] {
            assert!(SIGNS.as_ref().is_some_and(|signs| signs.is_match(titled)), "{titled}");
        }
        let signs = SIGNS.as_ref().expect("the expression is valid");
        for sample in samples {
            assert!(signs.is_match(sample), "{sample}");
            let body = sample.trim_start_matches(['-', '>', ' ']);
            assert!(MARKUP.iter().any(|(_, pattern)| pattern.is_match(body)), "{sample}");
        }
        for (name, pattern) in MARKUP.iter() {
            let is_covered = |sample: &str| pattern.is_match(sample.trim_start_matches(['-', '>', ' ']));
            assert!(samples.into_iter().any(is_covered), "no sample for {name}");
        }
        assert!(!signs.is_match("A [link](https://example.org/1), **bold**, 10:30 o'clock."));
    }
}
