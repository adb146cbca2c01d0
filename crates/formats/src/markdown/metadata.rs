//! What the metadata blocks say: their YAML, and what QUILL and SCOPE make of them.

use super::{
    Dialect,
    blocks::{RawBlock, Scan},
    grammar,
    page::{Findings, Page},
};
use crate::{
    Comment, Limits, Observation,
    syntax::yaml::{self, DuplicateKeys, YamlOptions},
    text::{Span, nearest},
    tree::{Entry, KeyType, Node, NodeId, NodeType, TreeBuilder},
};

/// Deepest nesting that the original parser reads, the block's own mapping included.
const DEPTH: usize = 128;

/// What a block is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BlockKind {
    /// Neither QUILL nor SCOPE: fields of the document.
    Frontmatter,
    /// QUILL: the format of the document, and fields of it.
    Quill,
    /// SCOPE: an item of a collection.
    Scope,
}

impl BlockKind {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Frontmatter => "frontmatter",
            Self::Quill => "quill",
            Self::Scope => "scope",
        }
    }

    /// The key that makes a block this in a dialect, where there is one.
    pub(super) fn key(self, dialect: Dialect) -> &'static str {
        match (self, dialect) {
            (Self::Frontmatter, _) => "",
            (Self::Quill, Dialect::Tildes) => "$quill",
            (Self::Scope, Dialect::Tildes) => "$kind",
            (Self::Scope, Dialect::Cards) => "CARD",
            (Self::Quill, _) => "QUILL",
            (Self::Scope, _) => "SCOPE",
        }
    }

    /// Whether a key of such a block is about the block and no field.
    pub(super) fn is_tag(self, key: &str, dialect: Dialect) -> bool {
        key == self.key(dialect) || dialect == Dialect::Tildes && key.starts_with('$')
    }
}

/// Name of a quill or a collection, with its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Name {
    pub(super) text: String,
    pub(super) span: Span,
}

/// A block that was read.
#[derive(Debug, Clone)]
pub(super) struct Block {
    pub(super) raw: RawBlock,
    pub(super) kind: BlockKind,
    /// Present on a QUILL or SCOPE block, as it is written even where it is not a valid name.
    pub(super) name: Option<Name>,
    /// Type of the name's value, where the block is read to its end and is one of the two kinds only.
    pub(super) name_type: Option<NodeType>,
    /// Its fields, when they are a mapping.
    pub(super) fields: Option<NodeId>,
    /// Whether all of it was read and is a mapping or nothing, so that conclusions can be drawn.
    pub(super) sound: bool,
    /// Whether its YAML is malformed.
    pub(super) malformed: bool,
}

/// All blocks of a document.
pub(super) struct Metadata {
    /// The start of the document's tree: the YAML of every block, each a detached value.
    pub(super) draft: TreeBuilder,
    pub(super) blocks: Vec<Block>,
    pub(super) comments: Vec<Comment>,
    pub(super) dialect: Dialect,
}

impl Metadata {
    /// The entries of a block that are fields: without the key that makes it what it is.
    pub(super) fn fields(&self, block: &Block) -> impl Iterator<Item = Entry<'_>> {
        let (kind, dialect) = (block.kind, self.dialect);
        let entries = block.fields.map(|id| self.draft.node(id).entries());
        entries
            .into_iter()
            .flatten()
            .filter(move |entry| entry.key_type() != KeyType::String || !kind.is_tag(entry.key(), dialect))
    }
}

/// About as many bytes of a block become a node.
const BYTES_OF_NODE: usize = 12;
/// About as many nodes say that there is a block, and where.
const NODES_OF_BLOCK: usize = 8;

/// Reads the blocks of a scan.
pub(super) fn read(page: &Page<'_>, scan: &Scan, findings: &mut Findings) -> Metadata {
    let mut draft = TreeBuilder::new(page.source.clone());
    let written: usize = scan.blocks.iter().map(|block| block.content.len()).sum();
    let written = written.min(page.limits.block_bytes);
    draft.reserve(written / BYTES_OF_NODE + scan.blocks.len() * NODES_OF_BLOCK);
    let options = options(page.dialect, page.limits);
    let mut comments = Vec::new();
    let yaml: Vec<Option<Read>> = scan
        .blocks
        .iter()
        .map(|block| {
            if block.content.len() > page.limits.block_bytes {
                findings.add(too_large(page, block));
                return None;
            }
            let first = findings.list.len();
            let fragment = page.pieces(std::slice::from_ref(&block.content));
            let read = yaml::read(&mut draft, &fragment, &options, &mut findings.list);
            comments.extend(read.comments);
            if !read.complete && block.start > 0 && grammar::begins_like_prose(fragment.text()) {
                // Prose has one fault, whatever it is as YAML.
                findings.list.truncate(first);
                findings.add(text_between_rules(page, block, "string"));
                return None;
            }
            Some(Read {
                root: read.root,
                well_formed: read.complete,
                whole: read.whole,
                observations: first..findings.list.len(),
            })
        })
        .collect();
    let blocks = scan
        .blocks
        .iter()
        .zip(yaml)
        .map(|(raw, read)| match read {
            Some(read) => Reader { page, draft: &draft, findings }.block(raw, &read),
            None => unread(raw),
        })
        .collect();
    Metadata { draft, blocks, comments, dialect: page.dialect }
}

/// The YAML of one block in the draft of the tree.
struct Read {
    root: Option<NodeId>,
    well_formed: bool,
    /// Whether all of it is in the tree.
    whole: bool,
    /// What reading it observed.
    observations: std::ops::Range<usize>,
}

fn options(dialect: Dialect, limits: Limits) -> YamlOptions {
    // The dialect reads more levels than other YAML; a lower limit that was configured applies.
    let depth = if limits.yaml_depth < Limits::default().yaml_depth { limits.yaml_depth } else { DEPTH };
    let duplicate_keys = match dialect {
        Dialect::Seed => DuplicateKeys::LastWins,
        _ => DuplicateKeys::Reject,
    };
    YamlOptions { duplicate_keys, depth, alias_nodes: limits.alias_nodes, ..YamlOptions::default() }
}

pub(super) fn too_large(page: &Page<'_>, block: &RawBlock) -> Observation {
    Observation::new("err_block_too_large", page.span(block.start..block.start + 3))
        .with("size", block.content.len())
        .with("limit", page.limits.block_bytes)
}

/// Prose with a thematic break above and below, which is a block to the dialect.
fn text_between_rules(page: &Page<'_>, block: &RawBlock, value_type: &'static str) -> Observation {
    let words = page.trimmed(block.content.clone());
    let line = page.text()[words.clone()].lines().next().unwrap_or_default().trim_end();
    let below = block.content.start;
    Observation::new("text-between-rules", page.span(words.start..words.start + line.len()))
        .with("type", value_type)
        .at("opener", page.span(block.start..block.start + 3))
        .at("below", page.span(below..below))
}

pub(super) fn unread(raw: &RawBlock) -> Block {
    let kind = BlockKind::Frontmatter;
    Block {
        raw: raw.clone(),
        kind,
        name: None,
        name_type: None,
        fields: None,
        sound: false,
        malformed: false,
    }
}

/// Looks at the YAML of one block.
struct Reader<'r, 'a, 't> {
    page: &'r Page<'a>,
    draft: &'t TreeBuilder,
    findings: &'r mut Findings,
}

impl<'t> Reader<'_, '_, 't> {
    fn block(&mut self, raw: &RawBlock, read: &Read) -> Block {
        self.doubled_opener(raw);
        let root = read.root.map(|id| self.draft.node(id));
        let value = root.map(untagged);
        let mapping = value.filter(|value| value.is_mapping());
        let duplicate = self.duplicate_key(mapping, read);
        let dialect = self.page.dialect;
        let kind = mapping
            .filter(|_| !duplicate)
            .map_or(BlockKind::Frontmatter, |mapping| kind_of(mapping, dialect));
        let entry = mapping.and_then(|mapping| mapping.entry(kind.key(dialect)));
        let name = entry.filter(|_| kind != BlockKind::Frontmatter).map(name_of);
        // The opening line says it where it has a name.
        let opener = raw
            .name
            .clone()
            .map(|name| Name { text: self.page.text()[name.clone()].to_owned(), span: self.page.span(name) });
        let kind = if opener.is_some() { BlockKind::Scope } else { kind };
        let name = opener.or(name);
        let mut block = Block {
            raw: raw.clone(),
            kind,
            name,
            name_type: None,
            fields: mapping.map(Node::id),
            sound: read.whole,
            malformed: !read.well_formed,
        };
        if read.whole {
            block.sound = self.check(&mut block, root, mapping);
        }
        block
    }

    /// Observes `---` below the opening line, which YAML takes for the start of its text.
    fn doubled_opener(&mut self, raw: &RawBlock) {
        if !self.page.text()[raw.content.clone()].starts_with("---") {
            return;
        }
        let line = self.page.lines(raw.content.clone()).next().unwrap_or(raw.content.clone());
        if self.page.text()[line.clone()].trim_end() == "---" && line.end < raw.content.end {
            let opener = self.page.span(raw.start..raw.start + 3);
            let place = self.page.span(line.start..line.start + 3);
            self.findings.add(
                Observation::new("err_doubled_opener", place)
                    .at("opener", opener)
                    .at("line", self.page.span(line)),
            );
        }
    }

    /// Whether the block's own mapping has a key twice, which makes it a plain one in `seed`; further
    /// down that is a fault.
    fn duplicate_key(&mut self, mapping: Option<Node<'t>>, read: &Read) -> bool {
        let mut found = false;
        for observation in &mut self.findings.list[read.observations.clone()] {
            if observation.name == "yaml-overridden-key" {
                let mut entries = mapping.into_iter().flat_map(Node::entries);
                if entries.any(|entry| entry.key_span() == observation.span) {
                    found = true;
                } else {
                    observation.name = "yaml_duplicate_key".into();
                }
            }
        }
        found
    }

    /// Checks what a block is and what its keys are; gives whether its fields can be taken at their
    /// word.
    fn check(&mut self, block: &mut Block, root: Option<Node<'t>>, mapping: Option<Node<'t>>) -> bool {
        if block.raw.name.is_some() {
            block.name_type = Some(NodeType::String);
            if root.is_none_or(Node::is_null) {
                return true;
            }
        }
        let Some(mapping) = mapping else { return self.not_a_mapping(block, root) };
        if block.kind == BlockKind::Frontmatter
            && self.page.dialect != Dialect::Seed
            && root.is_some_and(|root| root.id() != mapping.id())
        {
            return self.not_a_mapping(block, root);
        }
        let dialect = self.page.dialect;
        let quill = mapping.entry(BlockKind::Quill.key(dialect));
        let scope = mapping.entry(BlockKind::Scope.key(dialect));
        match (quill, scope, block.kind) {
            (Some(quill), Some(scope), BlockKind::Quill) if dialect != Dialect::Tildes => {
                self.both(quill, scope);
            }
            (Some(tag), _, BlockKind::Quill) | (_, Some(tag), BlockKind::Scope) => {
                block.name_type = Some(untagged(tag.value()).node_type());
            }
            _ if dialect.is_later() => {}
            _ => self.likely_tag(mapping),
        }
        self.keys(mapping);
        if mapping.is_empty() && block.kind == BlockKind::Frontmatter {
            self.no_fields(block);
        }
        true
    }

    fn not_a_mapping(&mut self, block: &Block, root: Option<Node<'t>>) -> bool {
        let root = root.map(|root| if self.page.dialect == Dialect::Seed { untagged(root) } else { root });
        // `seed` takes no value for no fields, but not a null that is written.
        let explicit = root
            .filter(|root| !root.is_null() || self.page.dialect == Dialect::Seed && !root.span().is_empty());
        let Some(value) = explicit else {
            self.no_fields(block);
            return true;
        };
        if block.malformed {
            return false;
        }
        let value_type = value.node_type().name();
        self.findings.add(if value.as_str().is_some() && block.raw.start > 0 {
            text_between_rules(self.page, &block.raw, value_type)
        } else {
            Observation::new("block-not-a-mapping", value.span()).with("type", value_type)
        });
        false
    }

    fn no_fields(&mut self, block: &Block) {
        let lines = self.page.span(block.raw.start..block.raw.end);
        let opener = self.page.span(block.raw.start..block.raw.start + 3);
        self.findings.add(Observation::new("block-without-fields", opener).at("block", lines));
    }

    fn both(&mut self, quill: Entry<'t>, scope: Entry<'t>) {
        let (first, second) =
            if quill.key_span() < scope.key_span() { (quill, scope) } else { (scope, quill) };
        self.findings.add(
            Observation::new("both-quill-and-scope", second.key_span())
                .with("quill", written(quill.value()))
                .with("scope", written(scope.value()))
                .at("first", first.key_span()),
        );
    }

    /// Observes a key that was likely meant as QUILL or SCOPE.
    fn likely_tag(&mut self, mapping: Node<'t>) {
        for (position, entry) in mapping.entries().enumerate() {
            let key = entry.key();
            if !(4..=6).contains(&key.len()) || entry.value().as_str().is_none_or(|name| !is_name(name)) {
                continue;
            }
            let upper = key.to_ascii_uppercase();
            let (name, expected) = match (&*upper, key == upper) {
                ("QUILL" | "SCOPE", false) if position == 0 => ("tag-key-case", upper),
                ("CARD", true) => {
                    self.findings.add(Observation::new("dialect-card-block", entry.key_span()));
                    continue;
                }
                (_, true) if position == 0 => match near_tag(key) {
                    Some(near) => ("tag-key-misspelt", near.to_owned()),
                    None => continue,
                },
                _ => continue,
            };
            self.findings
                .add(Observation::new(name, entry.key_span()).with("key", key).with("expected", expected));
        }
    }

    fn keys(&mut self, mapping: Node<'t>) {
        for entry in mapping.entries() {
            match (entry.key_type(), self.page.dialect) {
                (KeyType::String, _) if entry.key() == "body" => {
                    let place = entry.key_span().cover(entry.value().span());
                    self.findings
                        .add(Observation::new("body-key-overwritten", entry.key_span()).at("field", place));
                }
                (KeyType::String, _) | (KeyType::Scalar, Dialect::Seed) => {}
                (KeyType::Collection, Dialect::Seed) => self.key_without_text(entry),
                _ => {
                    self.key_dropped(entry);
                    continue;
                }
            }
            self.inner_keys(entry.value());
        }
    }

    fn key_dropped(&mut self, entry: Entry<'t>) {
        let mut observation = Observation::new("key-dropped", entry.key_span()).with("key", entry.key());
        if entry.key_type() == KeyType::Scalar {
            observation = observation.at("scalar", entry.key_span());
        }
        self.findings.add(observation);
    }

    /// Observes keys below the first level that the dialect cannot write as text.
    fn inner_keys(&mut self, value: Node<'t>) {
        if value.is_empty() {
            return;
        }
        let mut open = vec![value];
        while let Some(node) = open.pop() {
            for entry in node.entries() {
                let null = entry.key_type() == KeyType::Scalar && entry.key() == "null";
                if null || entry.key_type() == KeyType::Collection {
                    self.key_without_text(entry);
                }
            }
            open.extend(node.children().filter(|child| !child.is_empty()));
        }
    }

    fn key_without_text(&mut self, entry: Entry<'t>) {
        self.findings.add(Observation::new("key-without-text", entry.key_span()).with("key", entry.key()));
    }
}

/// The value below a tag such as `!memo`, which the tree holds as a mapping of that key.
fn untagged(node: Node<'_>) -> Node<'_> {
    let mut entries = node.entries();
    match (entries.next(), entries.next()) {
        (Some(only), None) if node.source().slice(only.key_span()).starts_with('!') => only.value(),
        _ => node,
    }
}

fn kind_of(mapping: Node<'_>, dialect: Dialect) -> BlockKind {
    let found = [BlockKind::Quill, BlockKind::Scope]
        .into_iter()
        .find(|kind| mapping.entry(kind.key(dialect)).is_some())
        .unwrap_or(BlockKind::Frontmatter);
    // The first block of the dialect may say that it is the main one.
    let is_main = || mapping.get("$kind").and_then(Node::as_str) == Some("main");
    if found == BlockKind::Scope && dialect == Dialect::Tildes && is_main() {
        return BlockKind::Frontmatter;
    }
    found
}

fn name_of(entry: Entry<'_>) -> Name {
    let value = untagged(entry.value());
    let text = value.scalar_text().filter(|_| !value.is_null()).unwrap_or_default().into_owned();
    Name { text, span: if value.span().is_empty() { entry.key_span() } else { value.span() } }
}

fn written(node: Node<'_>) -> String {
    crate::text::clip(node.raw(), 80).into_owned()
}

/// The key that a word in capital letters was likely meant as.
pub(super) fn near_tag(key: &str) -> Option<&'static str> {
    let is_upper = (4..=6).contains(&key.len()) && key.bytes().all(|byte| byte.is_ascii_uppercase());
    let near = nearest(key, ["QUILL", "SCOPE"]).filter(|_| is_upper)?;
    (strsim::damerau_levenshtein(key, near) == 1).then_some(near)
}

/// `[a-z_][a-z0-9_]*`
pub(super) fn is_name(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'_'))
        && text.bytes().next().is_some_and(|first| !first.is_ascii_digit())
}
