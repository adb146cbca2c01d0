//! The tree of a Markdown document.

use std::collections::HashMap;

use super::{
    Dialect,
    assembly::Assembly,
    frontmatter, layout,
    metadata::{Block, BlockKind},
    outline,
    page::Page,
    sections,
};
use crate::{
    budget,
    syntax::commonmark::Outline,
    text::Span,
    tree::{KeyType, NodeId, Scalar, Tree, TreeBuilder},
};

/// What the tree is made of, besides the values of the blocks.
pub(super) struct Parts<'p, 'a> {
    pub(super) page: &'p Page<'a>,
    pub(super) blocks: &'p [Block],
    pub(super) assembly: &'p Assembly,
    pub(super) outline: &'p Outline,
    /// The values of fences of data.
    pub(super) data: &'p [Option<NodeId>],
    /// Whether a rule asks how the document is written.
    pub(super) with_layout: bool,
    /// Whether a rule asks for the text by its headings.
    pub(super) with_sections: bool,
}

/// Finishes the tree that reading the blocks began.
pub(super) fn finish(draft: TreeBuilder, parts: &Parts<'_, '_>) -> Tree {
    let page = parts.page;
    let whole = page.span(0..page.text().len());
    let mut writer = Writer { builder: draft, parts };
    let root = writer.builder.open_mapping(whole);
    writer.builder.field(
        "dialect",
        Scalar::Static(page.dialect.name()),
        Span { start: whole.start, end: whole.start },
    );
    writer.quill();
    writer.blocks();
    writer.frontmatter();
    writer.scopes();
    writer.text("body", parts.assembly.body.clone());
    outline::write(parts.outline, parts.data, page, &mut writer.builder);
    if parts.with_layout {
        layout::write(page, &mut writer.builder);
    }
    if parts.with_sections {
        let toml = frontmatter::toml(page.text()).filter(|_| !page.dialect.has_blocks());
        let blocks = parts.blocks.iter().map(|block| block.raw.start..block.raw.end);
        let mut blocks: Vec<_> = toml.into_iter().chain(blocks).collect();
        blocks.sort_by_key(|block| block.start);
        sections::write(page, &blocks, &mut writer.builder);
    }
    writer.builder.close(None);
    writer.builder.finish_at(root)
}

struct Writer<'w, 'p, 'a> {
    builder: TreeBuilder,
    parts: &'w Parts<'p, 'a>,
}

impl<'p> Writer<'_, 'p, '_> {
    fn block(&self, index: usize) -> &'p Block {
        &self.parts.blocks[index]
    }

    fn span(&self, block: &Block) -> Span {
        self.parts.page.span(block.raw.start..block.raw.end)
    }

    fn text(&mut self, key: &'static str, range: std::ops::Range<usize>) {
        self.parts.page.write(&mut self.builder, key, range);
    }

    fn quill(&mut self) {
        let Some(index) = self.parts.assembly.quill else { return };
        let span = self.span(self.block(index));
        self.builder.key_static("quill");
        self.builder.open_mapping(span);
        self.name(index);
        self.builder.close(None);
    }

    fn name(&mut self, index: usize) {
        let parts = self.parts;
        if let Some(name) = &parts.blocks[index].name {
            self.builder.field("name", Scalar::Text(&name.text), name.span);
        }
    }

    /// What blocks there are; the fields of those that have no other place stay with them.
    fn blocks(&mut self) {
        let parts = self.parts;
        let mut line = Lines::default();
        self.builder.key_static("blocks");
        self.builder.open_sequence(parts.page.span(0..parts.page.text().len()));
        for (index, block) in budget::within(parts.blocks).enumerate() {
            let span = self.span(block);
            let opener = parts.page.span(block.raw.start..block.raw.start + 3);
            self.builder.open_mapping(span);
            self.builder.field("kind", Scalar::Static(block.kind.name()), opener);
            self.name(index);
            if let (Some(name), Some(name_type)) = (&block.name, block.name_type) {
                self.builder.field("type", Scalar::Static(name_type.name()), name.span);
            }
            let line = line.of(parts.page.text(), block.raw.start);
            self.builder.field("line", Scalar::Integer(line.into()), opener);
            if self.is_surplus(index) && block.fields.is_some() {
                self.builder.key_static("fields");
                self.builder.open_mapping(parts.page.span(block.raw.content.clone()));
                self.entries(block);
                self.builder.close(None);
            }
            self.builder.close(None);
        }
        self.builder.close(None);
    }

    fn is_surplus(&self, index: usize) -> bool {
        let assembly = self.parts.assembly;
        let owner = match self.block(index).kind {
            BlockKind::Frontmatter => assembly.frontmatter,
            BlockKind::Quill => assembly.quill,
            BlockKind::Scope => return false,
        };
        owner != Some(index)
    }

    /// The fields of the frontmatter and of the QUILL block, as one mapping.
    fn frontmatter(&mut self) {
        let parts = self.parts;
        let mut owners: Vec<usize> =
            [parts.assembly.frontmatter, parts.assembly.quill].into_iter().flatten().collect();
        owners.sort_unstable();
        let Some(first) = owners.first() else { return };
        let span = parts.page.span(self.block(*first).raw.content.clone());
        self.builder.key_static("frontmatter");
        self.builder.open_mapping(span);
        for index in owners {
            self.entries(&parts.blocks[index]);
        }
        self.builder.close(None);
    }

    /// The items of SCOPE blocks, by collection in the order of their first items.
    fn scopes(&mut self) {
        let parts = self.parts;
        let mut order: Vec<(&str, Vec<usize>)> = Vec::new();
        let mut places: HashMap<&str, usize> = HashMap::new();
        for (index, block) in parts.blocks.iter().enumerate() {
            if let (BlockKind::Scope, Some(name)) = (block.kind, &block.name) {
                let place = *places.entry(&name.text).or_insert_with(|| {
                    order.push((&name.text, Vec::new()));
                    order.len() - 1
                });
                order[place].1.push(index);
            }
        }
        let whole = parts.page.span(0..parts.page.text().len());
        self.builder.key_static("scopes");
        self.builder.open_mapping(whole);
        for (name, items) in order {
            self.collection(name, &items);
        }
        self.builder.close(None);
    }

    fn collection(&mut self, name: &str, items: &[usize]) {
        let parts = self.parts;
        let length = parts.page.text().len();
        let below = |index: usize| Assembly::text_below(parts.blocks, index, length);
        let (Some(first), Some(last)) = (items.first(), items.last()) else { return };
        let first = &parts.blocks[*first];
        let key = first.name.as_ref().map_or_else(Span::default, |name| name.span);
        self.builder.key(name, key, KeyType::String);
        self.builder.open_sequence(parts.page.span(first.raw.start..below(*last).end));
        for index in budget::within(items) {
            let block = &parts.blocks[*index];
            self.builder.open_mapping(parts.page.span(block.raw.content.clone()));
            self.entries(block);
            self.text("body", below(*index));
            self.builder.close(None);
        }
        self.builder.close(None);
    }

    /// Moves the fields of a block here. A `body` of a SCOPE block gives way to the text below the block.
    fn entries(&mut self, block: &Block) {
        let Some(fields) = block.fields else { return };
        self.drop_line_end(fields, self.parts.page.span(block.raw.content.clone()).end);
        for position in budget::within(0..self.builder.node(fields).len()) {
            let Some(entry) = self.builder.node(fields).entry_at(position) else { continue };
            let named = |key: &str| entry.key_type() == KeyType::String && entry.key() == key;
            let dialect = self.parts.page.dialect;
            let is_tag = entry.key_type() == KeyType::String && block.kind.is_tag(entry.key(), dialect);
            if is_tag || block.kind == BlockKind::Scope && named("body") {
                continue;
            }
            // `seed` reads the keys of a plain block as text, and those of other blocks as values that it
            // turns into text.
            let verbatim = self.parts.page.dialect == Dialect::Seed
                && block.kind == BlockKind::Frontmatter
                && entry.key_type() == KeyType::Scalar;
            if verbatim {
                let (key, value) = (entry.key_span(), entry.value().id());
                self.builder.key_slice(key, KeyType::Scalar);
                self.builder.place(value);
            } else {
                self.builder.move_entry(fields, position);
            }
        }
    }

    /// Takes a line end off the text at the end of a block's YAML: the line end above the closing line is
    /// no part of a block scalar that ends with the YAML.
    fn drop_line_end(&mut self, fields: NodeId, end: u32) {
        let mut last = self.builder.node(fields);
        while let Some(child) = last.children().filter(|child| child.span().end >= end).last() {
            last = child;
        }
        let Some(text) = last.as_str().and_then(|text| text.strip_suffix('\n')) else { return };
        let written = last.raw().rsplit('\n').next().unwrap_or_default().trim_start();
        let shorter = (!written.is_empty() && text.ends_with(written)).then(|| text.to_owned());
        if let Some(text) = shorter.filter(|_| last.span().end >= end) {
            let id = last.id();
            self.builder.set_text(id, &text);
        }
    }
}

/// Line numbers of ascending offsets.
#[derive(Default)]
struct Lines {
    offset: usize,
    line: u32,
}

impl Lines {
    fn of(&mut self, text: &str, offset: usize) -> u32 {
        let passed = &text.as_bytes()[self.offset..offset];
        self.line += memchr::memchr_iter(b'\n', passed).count() as u32;
        self.offset = offset;
        self.line + 1
    }
}
