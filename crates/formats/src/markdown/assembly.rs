//! What the blocks make together: one frontmatter, one quill, collections, and who owns the text
//! between the blocks.

use std::{
    collections::{HashMap, HashSet},
    ops::Range,
};

use super::{
    Dialect,
    metadata::{Block, BlockKind, Metadata, Name},
    page::{Findings, Page},
};
use crate::{
    Observation,
    syntax::commonmark::Outline,
    text::{Span, clip},
    tree::{Entry, KeyType},
};

/// How the blocks of a document fit together; numbers are positions in [`Metadata::blocks`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Assembly {
    /// The block with the document's own fields.
    pub(super) frontmatter: Option<usize>,
    /// The block that names the quill; its fields join those of the frontmatter.
    pub(super) quill: Option<usize>,
    /// The document's own text.
    pub(super) body: Range<usize>,
}

impl Assembly {
    /// Text of the block at `index`, up to the next one.
    pub(super) fn text_below(blocks: &[Block], index: usize, length: usize) -> Range<usize> {
        let end = blocks.get(index + 1).map_or(length, |next| next.raw.start);
        blocks[index].raw.end..end
    }
}

/// Puts the blocks together and observes what does not fit.
pub(super) fn assemble(
    page: &Page<'_>,
    metadata: &Metadata,
    outline: &Outline,
    findings: &mut Findings,
) -> Assembly {
    let blocks = &metadata.blocks;
    let mut checker = Checker { page, metadata, outline, findings };
    let frontmatter = checker.only(BlockKind::Frontmatter, "second-frontmatter");
    let quill = checker.only(BlockKind::Quill, "second-quill-block");
    let assembly =
        Assembly { frontmatter, quill, body: body(blocks, frontmatter.or(quill), page.text().len()) };
    checker.collisions(&assembly);
    checker.lost_text(&assembly);
    checker.blocks_in_body(&assembly);
    assembly
}

/// The document's own text: from the frontmatter, or else the QUILL block, to the next SCOPE block.
/// Without either, what is above the first block.
fn body(blocks: &[Block], own: Option<usize>, length: usize) -> Range<usize> {
    let scope_from = |from: usize| {
        let mut scopes = blocks[from..].iter().filter(|block| block.kind == BlockKind::Scope);
        scopes.next().map_or(length, |scope| scope.raw.start)
    };
    match own {
        Some(index) => blocks[index].raw.end..scope_from(index + 1),
        None => 0..scope_from(0),
    }
}

struct Checker<'c, 'a> {
    page: &'c Page<'a>,
    metadata: &'c Metadata,
    outline: &'c Outline,
    findings: &'c mut Findings,
}

impl<'c> Checker<'c, '_> {
    /// The first block of a kind that there may be one of; further ones are observed.
    fn only(&mut self, kind: BlockKind, surplus: &'static str) -> Option<usize> {
        let blocks = &self.metadata.blocks;
        let mut of_kind = (0..blocks.len()).filter(|index| blocks[*index].kind == kind);
        let mut sound = of_kind.clone().filter(|index| blocks[*index].sound);
        let Some(first) = sound.next() else { return of_kind.next() };
        for index in sound {
            let place = self.place(index);
            let mut observation = Observation::new(surplus, place).at("first", self.place(first));
            observation = match &blocks[index].name {
                Some(name) => observation.with("name", name.text.as_str()),
                None => observation.with("fields", self.keys(index)).at("opener", self.opener(index)),
            };
            if let Some(place) = self.outline.literal_at(self.page.text(), blocks[index].raw.start) {
                observation = observation.with("inside", place.name());
            }
            self.findings.add(observation);
        }
        Some(first)
    }

    /// What a diagnostic about a whole block points at: its name, or else its opening line.
    fn place(&self, index: usize) -> Span {
        self.metadata.blocks[index].name.as_ref().map_or_else(|| self.opener(index), |name| name.span)
    }

    fn opener(&self, index: usize) -> Span {
        let start = self.metadata.blocks[index].raw.start;
        self.page.span(start..start + 3)
    }

    fn keys(&self, index: usize) -> Vec<String> {
        let fields = self.metadata.fields(&self.metadata.blocks[index]);
        fields.take(3).map(|entry| entry.key().to_owned()).collect()
    }

    /// Observes names that both a field and a collection have, or two fields.
    fn collisions(&mut self, assembly: &Assembly) {
        if self.page.dialect.is_later() {
            return;
        }
        let has_scopes = self.metadata.blocks.iter().any(|block| block.kind == BlockKind::Scope);
        if !has_scopes && (assembly.frontmatter.is_none() || assembly.quill.is_none()) {
            return;
        }
        let frontmatter = self.own_fields(assembly.frontmatter);
        let quill = self.own_fields(assembly.quill);
        let mut found = Vec::new();
        for (key, entry) in &quill {
            if let Some(first) = frontmatter.get(key) {
                let observation = Observation::new("quill-field-collides", entry.key_span());
                found.push(observation.with("name", *key).at("first", first.key_span()));
            }
        }
        for name in self.collections() {
            let sides =
                [(&frontmatter, "scope-collides-with-field"), (&quill, "scope-collides-with-quill-field")];
            for (fields, fault) in sides {
                let field = fields.get(name.text.as_str());
                if let Some(field) = field.filter(|field| !self.joins(**field)) {
                    let observation = Observation::new(fault, field.key_span());
                    found.push(observation.with("name", name.text.as_str()).at("scope", name.span));
                }
            }
        }
        found.sort_by_key(|observation| observation.span);
        for observation in found {
            self.findings.add(observation);
        }
    }

    fn own_fields(&self, index: Option<usize>) -> HashMap<&'c str, Entry<'c>> {
        let metadata = self.metadata;
        let block = index.map(|index| &metadata.blocks[index]).filter(|block| block.sound);
        let entries = block.into_iter().flat_map(|block| metadata.fields(block));
        entries.filter(|entry| self.is_field(*entry)).map(|entry| (entry.key(), entry)).collect()
    }

    /// The names of the collections, each where it appears first.
    fn collections(&self) -> Vec<&'c Name> {
        let mut seen = HashSet::new();
        let scopes =
            self.metadata.blocks.iter().filter(|block| block.kind == BlockKind::Scope && block.sound);
        scopes
            .filter_map(|block| block.name.as_ref())
            .filter(|name| seen.insert(name.text.as_str()))
            .collect()
    }

    /// Whether an entry becomes a field: `c2` keeps those with text for a key only.
    fn is_field(&self, entry: Entry<'_>) -> bool {
        self.page.dialect == Dialect::Seed || entry.key_type() == KeyType::String
    }

    /// Whether a collection of the same name is appended to a field.
    fn joins(&self, field: Entry<'_>) -> bool {
        self.page.dialect == Dialect::C2 && field.value().is_sequence()
    }

    /// Observes text that belongs to no body.
    fn lost_text(&mut self, assembly: &Assembly) {
        let own = assembly.frontmatter.or(assembly.quill);
        // What is not a block after all, or only an example, is observed itself: text above it needs no
        // second observation.
        if own.is_some_and(|own| !self.is_intended(own)) {
            return;
        }
        let blocks = &self.metadata.blocks;
        let length = self.page.text().len();
        let above = 0..blocks.first().map_or(0, |block| block.raw.start);
        let below = (0..blocks.len())
            .filter(|index| blocks[*index].kind != BlockKind::Scope)
            .map(|index| Assembly::text_below(blocks, index, length));
        let gaps: Vec<_> = std::iter::once(above).chain(below).collect();
        for gap in gaps {
            let kept = gap.start >= assembly.body.start && gap.end <= assembly.body.end;
            let text = self.page.trimmed(gap);
            if !kept && self.page.text()[text.clone()].chars().any(|c| c != '\u{FEFF}') {
                self.text_dropped(text, assembly);
            }
        }
    }

    fn is_intended(&self, index: usize) -> bool {
        let block = &self.metadata.blocks[index];
        block.sound && self.outline.literal_at(self.page.text(), block.raw.start).is_none()
    }

    fn text_dropped(&mut self, text: Range<usize>, assembly: &Assembly) {
        let whole = &self.page.text()[text.clone()];
        let line = whole.lines().next().unwrap_or_default().trim_end();
        let place = self.page.span(text.start..text.start + line.len());
        let mut observation = Observation::new("text-dropped", place)
            .with("text", clip(line, 60))
            .with("lines", whole.lines().count())
            .at("text", self.page.span(text));
        if let Some(owner) = assembly.frontmatter.or(assembly.quill) {
            observation = observation.at("block", self.opener(owner));
        }
        self.findings.add(observation);
    }

    /// Observes blocks whose text, dashes and all, stays in the body.
    fn blocks_in_body(&mut self, assembly: &Assembly) {
        let body = &assembly.body;
        let Some(index) = assembly.quill.filter(|_| assembly.frontmatter.is_some()) else { return };
        let block = &self.metadata.blocks[index].raw;
        if block.start >= body.start && block.end <= body.end {
            let lines = self.page.span(block.start..block.end);
            self.findings.add(Observation::new("block-text-in-body", self.opener(index)).at("block", lines));
        }
    }
}
