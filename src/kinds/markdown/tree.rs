//! The tree of a Markdown document.

use std::collections::HashMap;

use super::{
    Dialect,
    assembly::Assembly,
    metadata::{Block, BlockKind, Metadata},
    outline::Outline,
    page::Page,
};
use crate::{
    text::Span,
    tree::{Entry, KeyType, Node, NodeId, Scalar, Tree, TreeBuilder},
};

/// Everything that goes into the tree.
pub(super) struct Parts<'p, 'a> {
    pub(super) page: &'p Page<'a>,
    pub(super) metadata: &'p Metadata,
    pub(super) assembly: &'p Assembly,
    pub(super) outline: &'p Outline,
}

/// Builds the tree; `moved` lists the nodes of the metadata's tree that observations are about, and
/// gets their numbers in the new one.
pub(super) fn build(parts: &Parts<'_, '_>, moved: &mut HashMap<NodeId, Option<NodeId>>) -> Tree {
    let page = parts.page;
    let whole = page.span(0..page.text().len());
    let mut writer = Writer { builder: TreeBuilder::new(page.source.clone()), parts, moved, yaml_end: 0 };
    writer.builder.open_mapping(whole);
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
    parts.outline.write(page, &mut writer.builder);
    writer.builder.close(None);
    writer.builder.finish()
}

struct Writer<'w, 'p, 'a> {
    builder: TreeBuilder,
    parts: &'w Parts<'p, 'a>,
    moved: &'w mut HashMap<NodeId, Option<NodeId>>,
    /// Where the YAML of the block that is written ends in the host.
    yaml_end: u32,
}

impl Writer<'_, '_, '_> {
    fn block(&self, index: usize) -> &Block {
        &self.parts.metadata.blocks[index]
    }

    fn span(&self, block: &Block) -> Span {
        self.parts.page.span(block.raw.start..block.raw.end)
    }

    fn text(&mut self, key: &'static str, range: std::ops::Range<usize>) {
        write_text(self.parts.page, &mut self.builder, key, range);
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
        if let Some(name) = &parts.metadata.blocks[index].name {
            self.builder.field("name", Scalar::Text(&name.text), name.span);
        }
    }

    /// What blocks there are; the fields of those that have no other place stay with them.
    fn blocks(&mut self) {
        let parts = self.parts;
        let mut line = Lines::default();
        self.builder.key_static("blocks");
        self.builder.open_sequence(parts.page.span(0..parts.page.text().len()));
        for (index, block) in parts.metadata.blocks.iter().enumerate() {
            let span = self.span(block);
            let opener = parts.page.span(block.raw.start..block.raw.start + 3);
            self.builder.open_mapping(span);
            self.builder.field("kind", Scalar::Static(block.kind.name()), opener);
            self.name(index);
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
            self.entries(&parts.metadata.blocks[index]);
        }
        self.builder.close(None);
    }

    /// The items of SCOPE blocks, by collection in the order of their first items.
    fn scopes(&mut self) {
        let parts = self.parts;
        let mut order: Vec<(&str, Vec<usize>)> = Vec::new();
        let mut places: HashMap<&str, usize> = HashMap::new();
        for (index, block) in parts.metadata.blocks.iter().enumerate() {
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
        let below = |index: usize| Assembly::text_below(&parts.metadata.blocks, index, length);
        let (Some(first), Some(last)) = (items.first(), items.last()) else { return };
        let first = &parts.metadata.blocks[*first];
        let key = first.name.as_ref().map_or_else(Span::default, |name| name.span);
        self.builder.key(name, key, KeyType::String);
        self.builder.open_sequence(parts.page.span(first.raw.start..below(*last).end));
        for index in items {
            let block = &parts.metadata.blocks[*index];
            self.builder.open_mapping(parts.page.span(block.raw.content.clone()));
            self.entries(block);
            self.text("body", below(*index));
            self.builder.close(None);
        }
        self.builder.close(None);
    }

    /// The fields of a block. A `body` of a SCOPE block gives way to the text below the block.
    fn entries(&mut self, block: &Block) {
        let parts = self.parts;
        self.yaml_end = parts.page.span(block.raw.content.clone()).end;
        for entry in parts.metadata.fields(block) {
            if block.kind == BlockKind::Scope && entry.key_type() == KeyType::String && entry.key() == "body"
            {
                continue;
            }
            self.key(block, entry);
            self.value(entry.value());
        }
    }

    fn key(&mut self, block: &Block, entry: Entry<'_>) {
        let span = entry.key_span();
        let written = self.parts.page.source.slice(span);
        // `seed` reads the keys of a plain block as text, and those of other blocks as values that it
        // turns into text.
        let verbatim = self.parts.page.dialect == Dialect::Seed
            && block.kind == BlockKind::Frontmatter
            && entry.key_type() == KeyType::Scalar;
        if verbatim || entry.key() == written {
            self.builder.key_slice(span, entry.key_type());
        } else {
            self.builder.key(entry.key(), span, entry.key_type());
        }
    }

    /// The text without a line end that does not stand there: the line end above the closing line is
    /// no part of a block scalar that ends with the YAML.
    fn as_written<'t>(&self, node: Node<'_>, text: &'t str) -> &'t str {
        let last = node.raw().rsplit('\n').next().unwrap_or_default().trim_start();
        let at_end = node.span().end >= self.yaml_end && !last.is_empty();
        text.strip_suffix('\n').filter(|text| at_end && text.ends_with(last)).unwrap_or(text)
    }

    /// Copies a value of the metadata's tree. Nesting is bounded by the reader of YAML.
    fn value(&mut self, node: Node<'_>) {
        let span = node.span();
        let copy = match node.scalar() {
            Some(Scalar::Text(text)) if node.raw() == text => self.builder.scalar(Scalar::Slice, span),
            Some(Scalar::Text(text)) => self.builder.scalar(Scalar::Text(self.as_written(node, text)), span),
            Some(scalar) => self.builder.scalar(scalar, span),
            None if node.is_sequence() => {
                let copy = self.builder.open_sequence(span);
                node.items().for_each(|item| self.value(item));
                self.builder.close(None);
                copy
            }
            None => {
                let copy = self.builder.open_mapping(span);
                for entry in node.entries() {
                    if entry.key() == node.source().slice(entry.key_span()) {
                        self.builder.key_slice(entry.key_span(), entry.key_type());
                    } else {
                        self.builder.key(entry.key(), entry.key_span(), entry.key_type());
                    }
                    self.value(entry.value());
                }
                self.builder.close(None);
                copy
            }
        };
        if let Some(moved) = self.moved.get_mut(&node.id()) {
            *moved = Some(copy);
        }
    }
}

/// Adds a piece of the text under a key that the kind gives.
pub(super) fn write_text(
    page: &Page<'_>,
    builder: &mut TreeBuilder,
    key: &'static str,
    range: std::ops::Range<usize>,
) {
    let value =
        if page.is_verbatim(&range) { Scalar::Slice } else { Scalar::Text(&page.text()[range.clone()]) };
    builder.field(key, value, page.span(range));
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
