//! Documents in another dialect of metadata blocks: the same fields and bodies with other lines around them.

use std::{fmt::Write as _, ops::Range, sync::Arc};

use super::{
    Dialect, Markdown,
    assembly::{self, Assembly},
    generations,
    metadata::{self, Block, BlockKind, Metadata},
    page::{Findings, Page},
    read_outline,
};
use crate::{
    Kind as _, Limits, Observation, ParseOptions,
    syntax::commonmark::{self, Fence},
    text::{Fragment, Source, Span},
    tree::{Entry, Tree},
};

/// A document in another dialect.
#[derive(Debug)]
pub struct Translation {
    pub text: String,
    /// What the dialect cannot express: `dialect-loss` at its position.
    pub losses: Vec<Observation>,
}

/// Translates a document that has no errors. `from` is the dialect that it was read by.
pub fn translate(source: &Arc<Source>, from: Dialect, to: Dialect, limits: Limits) -> Translation {
    let fragment = Fragment::contiguous(source.text(), source.span());
    let page = Page::new(source, &fragment, from, limits);
    let mut findings = Findings::new(limits.diagnostics);
    let scan = match from {
        Dialect::Cards | Dialect::Tildes => generations::scan(page.text(), from),
        _ => super::blocks::scan(page.text(), from),
    };
    let metadata = metadata::read(&page, &scan, &mut findings);
    let outline = read_outline(&page, &metadata.blocks);
    let assembly = assembly::assemble(&page, &metadata, &outline, &mut findings);
    let mut writer = Writer { page: &page, metadata: &metadata, to, text: String::new(), losses: Vec::new() };
    writer.document(&assembly);
    // What is written anew has the line breaks of the document.
    let is_crlf = source.text().split_once('\n').is_some_and(|(first, _)| first.ends_with('\r'));
    let text = if is_crlf { writer.text.replace("\r\n", "\n").replace('\n', "\r\n") } else { writer.text };
    let mut translation = Translation { text, losses: writer.losses };
    if let Some(difference) = difference(source, from, &translation.text, to) {
        let start = page.span(0..page.text().lines().next().map_or(0, str::len));
        translation.losses.push(loss(start, difference, to));
    }
    translation
}

fn loss(span: Span, what: String, to: Dialect) -> Observation {
    Observation::new("dialect-loss", span).with("what", what).with("dialect", to.name())
}

struct Writer<'w, 'a> {
    page: &'w Page<'a>,
    metadata: &'w Metadata,
    to: Dialect,
    text: String,
    losses: Vec<Observation>,
}

impl<'w> Writer<'w, '_> {
    fn document(&mut self, assembly: &Assembly) {
        let blocks = &self.metadata.blocks;
        let mut own: Vec<usize> = [assembly.frontmatter, assembly.quill].into_iter().flatten().collect();
        own.sort_unstable();
        let length = self.page.text().len();
        if own.is_empty() {
            self.body(assembly.body.clone());
        } else {
            let quill = assembly.quill.map(|index| &blocks[index]);
            let fields: String = own.iter().map(|index| self.fields(&blocks[*index])).collect();
            self.main_block(quill, &fields);
            self.body(assembly.body.clone());
        }
        for (index, block) in blocks.iter().enumerate().filter(|(_, block)| block.kind == BlockKind::Scope) {
            let fields = self.fields(block);
            self.item(block, &fields);
            self.body(Assembly::text_below(blocks, index, length));
        }
    }

    /// The block of the document itself.
    fn main_block(&mut self, quill: Option<&'w Block>, fields: &str) {
        let name = quill.and_then(|block| block.name.as_ref());
        let reference = name.map(|name| {
            let (own, version) = name.text.split_once('@').unwrap_or((&name.text, ""));
            if !version.is_empty() && !self.to.is_later() {
                let what = format!("the version `{version}` of the quill");
                self.losses.push(loss(name.span, what, self.to));
                return own.to_owned();
            }
            name.text.clone()
        });
        let key = BlockKind::Quill.key(self.to);
        let tag = reference.map(|reference| format!("{key}: {reference}\n")).unwrap_or_default();
        let fence = if self.to == Dialect::Tildes { "~~~" } else { "---" };
        let _ = write!(self.text, "{fence}\n{tag}{fields}{fence}\n");
    }

    /// The block of an item of a collection.
    fn item(&mut self, block: &Block, fields: &str) {
        let Some(name) = &block.name else { return };
        let key = BlockKind::Scope.key(self.to);
        let fence = if self.to == Dialect::Tildes { "~~~" } else { "---" };
        let _ = write!(self.text, "{fence}\n{key}: {}\n{fields}{fence}\n", name.text);
    }

    /// The fields of a block as lines of YAML, with its comments.
    fn fields(&mut self, block: &Block) -> String {
        let range = block.raw.content.clone();
        let dialect = self.metadata.dialect;
        let entries = block.fields.map(|id| self.metadata.draft.node(id).entries());
        let tags: Vec<Entry<'_>> =
            entries.into_iter().flatten().filter(|entry| block.kind.is_tag(entry.key(), dialect)).collect();
        let own = [BlockKind::Quill, BlockKind::Scope].map(|kind| kind.key(dialect));
        for entry in tags.iter().filter(|entry| !own.contains(&entry.key())) {
            self.losses.push(loss(entry.key_span(), format!("`{}`", entry.key()), self.to));
        }
        let cut: Vec<Range<usize>> = tags.iter().map(|entry| self.lines_of(entry, &range)).collect();
        let mut text = String::new();
        let mut from = range.start;
        for cut in cut {
            text.push_str(&self.page.text()[from..cut.start.max(from)]);
            from = cut.end.max(from);
        }
        text.push_str(&self.page.text()[from.min(range.end)..range.end]);
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        // A block of these dialects ends with the first blank line.
        if self.to == Dialect::Seed && text.lines().any(|line| line.trim().is_empty()) {
            return text
                .lines()
                .filter(|line| !line.trim().is_empty())
                .map(|line| format!("{line}\n"))
                .collect();
        }
        text
    }

    /// The whole lines of an entry.
    fn lines_of(&self, entry: &Entry<'_>, content: &Range<usize>) -> Range<usize> {
        let whole = self.page.span(0..0).start as usize;
        let text = self.page.text();
        let start = (entry.key_span().start as usize).saturating_sub(whole).max(content.start);
        let end = (entry.value().span().end as usize).saturating_sub(whole).clamp(start, content.end);
        let start = text[..start].rfind('\n').map_or(0, |at| at + 1).max(content.start);
        let end = text[end..content.end].find('\n').map_or(content.end, |at| end + at + 1);
        start..end
    }

    /// A body, in which nothing is a block of the other dialect.
    fn body(&mut self, range: Range<usize>) {
        let text = &self.page.text()[range];
        let safe = match self.to {
            Dialect::Tildes => without_tildes(text),
            _ if self.metadata.dialect == Dialect::Tildes => without_dashes(text),
            _ => text.to_owned(),
        };
        self.text.push_str(&safe);
    }
}

/// The text with backticks around the code that tildes are around: these open blocks.
fn without_tildes(text: &str) -> String {
    let outline = commonmark::read(text, &[]);
    let is_block = |fence: &&Fence| {
        text[fence.marker.clone()].starts_with('~') && super::blocks::at_line_start(text, fence.marker.start)
    };
    let mut result = String::with_capacity(text.len());
    let mut from = 0;
    for fence in outline.fences.iter().filter(is_block) {
        let content = fence.content_range();
        let longest = text[content.clone()].split(|c| c != '`').map(str::len).max().unwrap_or_default();
        let marker = "`".repeat(longest.max(2) + 1);
        result.push_str(&text[from..fence.marker.start]);
        result.push_str(&marker);
        result.push_str(&text[fence.marker.end..content.end]);
        from = content.end;
        if fence.closed {
            let closing = &text[content.end..fence.range.end];
            let tildes = closing.trim_end().len();
            result.push_str(&marker);
            from += tildes;
        }
    }
    result.push_str(&text[from..]);
    result
}

/// The text with `***` for thematic breaks of dashes: these open blocks.
fn without_dashes(text: &str) -> String {
    let outline = commonmark::read(text, &[]);
    let mut result = String::with_capacity(text.len());
    let (mut at, mut is_blank) = (0, true);
    for line in text.split_inclusive('\n') {
        let words = line.trim_end();
        if words == "---" && is_blank && outline.literal_at(text, at).is_none() {
            result.push_str("***");
            result.push_str(&line[words.len()..]);
        } else {
            result.push_str(line);
        }
        is_blank = words.is_empty();
        at += line.len();
    }
    result
}

/// What differs between a document and its translation, read by their dialects.
fn difference(source: &Arc<Source>, from: Dialect, text: &str, to: Dialect) -> Option<String> {
    let read = |source: &Arc<Source>, dialect: Dialect| {
        let fragment = Fragment::contiguous(source.text(), source.span());
        let options = ParseOptions { dialect: Some(dialect.name()), ..ParseOptions::default() };
        Markdown.parse(source, &fragment, &options).tree
    };
    let before = read(source, from);
    let other = Arc::new(Source::new(source.name(), text));
    let after = read(&other, to);
    let json = |tree: &Tree, key: &str| tree.root().get(key).map(|node| node.to_json());
    let differs = |key: &str| json(&before, key) != json(&after, key);
    if ["frontmatter", "scopes"].iter().any(|key| differs(key)) {
        return Some("a field or a collection, or a body that reads as one,".to_owned());
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn translated(text: &str, from: Dialect, to: Dialect) -> (String, Vec<String>) {
        let source = Arc::new(Source::new("a.md", text));
        let Translation { text, losses } = translate(&source, from, to, Limits::default());
        let what = |loss: &Observation| {
            loss.value("what").and_then(|value| value.as_str()).unwrap_or_default().to_owned()
        };
        (text, losses.iter().map(what).collect())
    }

    const C2: &str = "---\nQUILL: letter\n# a comment\nsender: Ada\nto: [x, y]\n---\n\nDear *you*,\n\n---\nSCOPE: items\n\
                      name: One\ntext: |\n  Two\n  lines\n---\n\nFirst.\n\n---\nSCOPE: items\nname: Two\n---\n";
    const TILDES: &str = "~~~\n$quill: letter\n# a comment\nsender: Ada\nto: [x, y]\n~~~\n\nDear *you*,\n\n~~~\n$kind: items\n\
                          name: One\ntext: |\n  Two\n  lines\n~~~\n\nFirst.\n\n~~~\n$kind: items\nname: Two\n~~~\n";

    #[test]
    fn blocks_get_the_lines_of_the_other_dialect_and_back() {
        assert_eq!(translated(C2, Dialect::C2, Dialect::Tildes), (TILDES.to_owned(), Vec::new()));
        assert_eq!(translated(TILDES, Dialect::Tildes, Dialect::C2), (C2.to_owned(), Vec::new()));
        for to in Dialect::WITH_BLOCKS {
            let (text, losses) = translated(C2, Dialect::C2, to);
            assert_eq!(losses, Vec::<String>::new(), "{to:?}");
            assert_eq!(translated(&text, to, Dialect::C2), (C2.to_owned(), Vec::new()), "{to:?}");
        }
    }

    #[test]
    fn line_breaks_stay_what_they_are() {
        let (text, losses) = translated(&C2.replace('\n', "\r\n"), Dialect::C2, Dialect::Tildes);
        assert_eq!((text, losses), (TILDES.replace('\n', "\r\n"), Vec::new()));
    }

    #[test]
    fn fences_of_cards_become_blocks() {
        let text =
            "---\nQUILL: letter@0.2\nsender: Ada\n---\n\nHello.\n\n```card items\nname: One\n```\n\nFirst.\n";
        let (c2, losses) = translated(text, Dialect::Cards, Dialect::C2);
        assert_eq!(
            c2,
            "---\nQUILL: letter\nsender: Ada\n---\n\nHello.\n\n---\nSCOPE: items\nname: One\n---\n\nFirst.\n"
        );
        assert_eq!(losses, ["the version `0.2` of the quill"]);
        let (tildes, losses) = translated(text, Dialect::Cards, Dialect::Tildes);
        assert!(
            tildes.starts_with("~~~\n$quill: letter@0.2\nsender: Ada\n~~~\n") && losses.is_empty(),
            "{tildes}"
        );
    }

    #[test]
    fn texts_that_would_be_blocks_are_written_in_another_way() {
        let text = "---\nQUILL: memo\n---\n\n~~~rust\nlet x = 1;\n~~~\n\nEnd.\n";
        let (tildes, losses) = translated(text, Dialect::C2, Dialect::Tildes);
        assert!(
            tildes.contains("\n```rust\nlet x = 1;\n```\n\nEnd.\n") && losses.is_empty(),
            "{tildes} {losses:?}"
        );
        let text = "~~~\n$quill: memo\n~~~\n\nOne\n\n---\n\nHead\n---\n\nTwo: x\n\n---\n";
        let (c2, losses) = translated(text, Dialect::Tildes, Dialect::C2);
        assert!(c2.contains("\n***\n\nHead\n---\n\nTwo: x\n\n***\n") && losses.is_empty(), "{c2} {losses:?}");
    }

    #[test]
    fn what_a_dialect_cannot_express_is_reported() {
        let text = "~~~\n$quill: memo\n$id: a1\n$ext: {x: 1}\nto: [All]\n~~~\n\nText.\n";
        let (c2, losses) = translated(text, Dialect::Tildes, Dialect::C2);
        assert_eq!(c2, "---\nQUILL: memo\nto: [All]\n---\n\nText.\n");
        assert_eq!(losses, ["`$id`", "`$ext`"]);
    }
}
