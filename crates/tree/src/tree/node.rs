use std::{fmt, sync::Arc};

use foldhash::{HashSet, HashSetExt};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    keys::{SCANNED, SortedKeys},
    links::Links,
};
use crate::text::{Source, SourceId, Span};

/// The numbers of one digit.
const DIGITS: &str = "0123456789";

/// A node's number in its tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub(super) u32);

impl NodeId {
    /// The number, less than the number of nodes of the tree.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A string in a tree: a slice of the source, a static string, or a computed one.
#[derive(Debug, Clone)]
pub(super) enum Text {
    /// The bytes of a span of the node's own source.
    Slice(Span),
    /// A name that the document kind defines, such as `headings`.
    Static(&'static str),
    /// Text that is not in the source in this form, such as an unescaped string.
    Owned(Box<str>),
}

impl Text {
    /// Number of bytes.
    #[inline]
    fn len(&self) -> usize {
        match self {
            Self::Slice(span) => span.len(),
            Self::Static(text) => text.len(),
            Self::Owned(text) => text.len(),
        }
    }
}

/// A scalar value passed to a [`super::TreeBuilder`].
#[derive(Debug, Clone, PartialEq)]
pub enum Scalar<'a> {
    /// Null.
    Null,
    /// Boolean.
    Bool(bool),
    /// Signed 64-bit integer.
    Integer(i64),
    /// Integer above `i64::MAX`.
    Unsigned(u64),
    /// Floating-point number; may be infinite or NaN.
    Float(f64),
    /// String that is exactly the text of the node's span.
    Slice,
    /// Static string.
    Static(&'static str),
    /// Any other string.
    Text(&'a str),
}

#[derive(Debug, Clone)]
pub(super) enum Data {
    Null,
    Bool(bool),
    Integer(i64),
    Unsigned(u64),
    Float(f64),
    String(Text),
    Sequence { first: u32, len: u32 },
    Mapping { first: u32, len: u32, keys: KeyBits },
}

/// Most keys of a mapping that are compared each with each.
const FEW: usize = 16;

/// A bit for the [`Mark`] of each key of a mapping: most keys that a mapping does not have are not looked for.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct KeyBits(u64);

impl KeyBits {
    pub(super) fn add(&mut self, mark: Mark) {
        self.0 |= mark.bit();
    }

    /// Whether there may be a key with this mark.
    fn may_have(self, mark: Mark) -> bool {
        self.0 & mark.bit() != 0
    }
}

/// The bytes at the ends of a key. Keys of the same length, of at most eight bytes, are equal if their marks are; of longer
/// ones, nearly all that differ have different marks. So keys are compared without the source that they are in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Mark(u64);

impl Mark {
    /// Most bytes of a key that its mark has all of.
    const WHOLE: usize = 8;

    #[inline]
    pub(super) fn of(key: &[u8]) -> Self {
        let ends = match (key.first_chunk::<4>(), key.last_chunk::<4>(), key) {
            (Some(first), Some(last), _) => {
                (u64::from(u32::from_le_bytes(*first)) << 32) | u64::from(u32::from_le_bytes(*last))
            }
            (_, _, [first, .., last]) => {
                u64::from_le_bytes([*first, key[key.len() / 2], *last, 0, 0, 0, 0, 0])
            }
            (_, _, [only]) => u64::from(*only),
            _ => 0,
        };
        Self(ends)
    }

    #[inline]
    fn bit(self) -> u64 {
        1 << (self.0.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 58)
    }

    /// A number whose last bits differ for most keys.
    #[inline]
    pub(super) fn spread(self) -> usize {
        (self.0.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40) as usize
    }
}

/// A key that is looked for in many mappings: what keys are compared by is made once.
#[derive(Clone, PartialEq, Eq)]
pub struct Key {
    text: Box<str>,
    mark: Mark,
}

impl Key {
    /// This key.
    pub fn new(text: impl Into<Box<str>>) -> Self {
        let text = text.into();
        Self { mark: Mark::of(text.as_bytes()), text }
    }

    /// What it is compared by.
    #[inline]
    pub(super) fn mark(&self) -> Mark {
        self.mark
    }
}

impl std::ops::Deref for Key {
    type Target = str;

    fn deref(&self) -> &str {
        &self.text
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self)
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.text.fmt(f)
    }
}

#[derive(Debug, Clone)]
pub(super) struct NodeData {
    pub(super) data: Data,
    pub(super) span: Span,
    pub(super) source: SourceId,
    /// Parent's number; `u32::MAX` for the root.
    pub(super) parent: u32,
    /// Position among the parent's items or entries.
    pub(super) slot: u32,
}

/// The type of a mapping key before its conversion to a string.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyType {
    /// A string.
    String,
    /// Another scalar: a number, a boolean, or null.
    Scalar,
    /// A sequence or mapping.
    Collection,
}

#[derive(Debug, Clone)]
pub(super) struct EntryData {
    pub(super) key: Text,
    pub(super) key_span: Span,
    pub(super) key_type: KeyType,
    pub(super) mark: Mark,
    pub(super) value: u32,
}

/// A document's values in one block of memory; built by a [`super::TreeBuilder`], immutable afterwards.
#[derive(Debug, Clone)]
pub struct Tree {
    pub(super) sources: Vec<Arc<Source>>,
    pub(super) nodes: Vec<NodeData>,
    pub(super) items: Vec<u32>,
    pub(super) entries: Vec<EntryData>,
    pub(super) root: u32,
    /// Made when the tree is finished.
    pub(super) sorted: SortedKeys,
    /// Set by the kind of the document.
    pub(super) links: Option<Arc<Links>>,
    /// Whether a mapping with `$ref` stands for another value, also where it leads nowhere.
    pub(super) refers: bool,
}

impl Tree {
    /// The root value.
    pub fn root(&self) -> Node<'_> {
        Node { tree: self, id: NodeId(self.root) }
    }

    /// The node with this number.
    ///
    /// # Panics
    /// If the number belongs to a larger tree.
    pub fn node(&self, id: NodeId) -> Node<'_> {
        Node { tree: self, id }
    }

    /// Gives back memory beyond that of its nodes.
    #[doc(hidden)]
    pub fn shrink(&mut self) {
        self.nodes.shrink_to_fit();
        self.items.shrink_to_fit();
        self.entries.shrink_to_fit();
    }

    /// Whether a node is the root or below it, and not a value that was left out of the tree.
    pub fn holds(&self, id: NodeId) -> bool {
        self.node(id).ancestors().any(|node| node.id.0 == self.root)
    }

    /// Makes another node the root: what is outside of it stays in the tree, so that pointers to nodes remain the same.
    #[doc(hidden)]
    pub fn set_root(&mut self, root: NodeId) {
        self.root = root.0;
    }

    /// All nodes, those outside of the root as well, in the order in which they were added.
    pub fn nodes(&self) -> impl Iterator<Item = Node<'_>> {
        (0..self.nodes.len() as u32).map(|id| Node { tree: self, id: NodeId(id) })
    }

    /// Number of nodes.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether the tree is empty; a finished tree has at least one node.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The sources that its spans belong to; the document itself is the first.
    pub fn sources(&self) -> &[Arc<Source>] {
        &self.sources
    }

    /// Adds further sources after the existing ones.
    pub fn add_sources(&mut self, sources: impl IntoIterator<Item = Arc<Source>>) {
        self.sources.extend(sources);
    }

    /// The source with this number; the document itself if the number is unknown.
    #[inline]
    pub fn source(&self, id: SourceId) -> &Arc<Source> {
        self.sources.get(usize::from(id.0)).unwrap_or(&self.sources[0])
    }

    /// Whether the key of an entry is `key`, which has this mark.
    #[inline]
    pub(super) fn has_key(&self, entry: &EntryData, source: SourceId, key: &str, mark: Mark) -> bool {
        entry.mark == mark
            && entry.key.len() == key.len()
            && (key.len() <= Mark::WHOLE || self.bytes(&entry.key, source) == key.as_bytes())
    }

    /// The bytes of a string: taking a part of the source as text looks for whole characters.
    #[inline]
    pub(super) fn bytes<'t>(&'t self, text: &'t Text, source: SourceId) -> &'t [u8] {
        match text {
            Text::Slice(span) => self.source(source).text().as_bytes().get(span.range()).unwrap_or_default(),
            Text::Static(text) => text.as_bytes(),
            Text::Owned(text) => text.as_bytes(),
        }
    }

    #[inline]
    pub(super) fn text<'t>(&'t self, text: &'t Text, source: SourceId) -> &'t str {
        match text {
            Text::Slice(span) => self.source(source).slice(*span),
            Text::Static(text) => text,
            Text::Owned(text) => text,
        }
    }
}

/// The type of a value, named as in JSON; an integer is also a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "ValueType")]
pub enum NodeType {
    /// Null.
    Null,
    /// `true` or `false`.
    Boolean,
    /// A number without a fraction or exponent.
    Integer,
    /// A number.
    Number,
    /// A string.
    String,
    /// A sequence.
    Array,
    /// A mapping.
    Object,
}

impl NodeType {
    /// Whether a value of type `found` is of this type.
    pub fn accepts(self, found: Self) -> bool {
        self == found || (self == Self::Number && found == Self::Integer)
    }

    /// The name of the type in JSON Schema.
    pub fn name(self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Boolean => "boolean",
            Self::Integer => "integer",
            Self::Number => "number",
            Self::String => "string",
            Self::Array => "array",
            Self::Object => "object",
        }
    }
}

impl fmt::Display for NodeType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A node of a tree: its value, its span, its relatives.
#[derive(Clone, Copy)]
pub struct Node<'t> {
    tree: &'t Tree,
    id: NodeId,
}

/// One key with its value.
#[derive(Clone, Copy)]
pub struct Entry<'t> {
    tree: &'t Tree,
    owner: NodeId,
    index: u32,
}

/// The items of a sequence or the values of a mapping that are still to come.
struct Children<'t> {
    tree: &'t Tree,
    mapping: bool,
    next: u32,
    end: u32,
}

impl<'t> Iterator for Children<'t> {
    type Item = Node<'t>;

    #[inline]
    fn next(&mut self) -> Option<Node<'t>> {
        if self.next == self.end {
            return None;
        }
        let at = self.next as usize;
        self.next += 1;
        let id = if self.mapping { self.tree.entries[at].value } else { self.tree.items[at] };
        Some(Node { tree: self.tree, id: NodeId(id) })
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = (self.end - self.next) as usize;
        (left, Some(left))
    }
}

impl<'t> Node<'t> {
    #[inline]
    fn data(self) -> &'t NodeData {
        &self.tree.nodes[self.id.0 as usize]
    }

    /// The tree that the node belongs to.
    pub fn tree(self) -> &'t Tree {
        self.tree
    }

    /// The node's number in the tree.
    pub fn id(self) -> NodeId {
        self.id
    }

    /// Type of the value.
    pub fn node_type(self) -> NodeType {
        match self.data().data {
            Data::Null => NodeType::Null,
            Data::Bool(_) => NodeType::Boolean,
            Data::Integer(_) | Data::Unsigned(_) => NodeType::Integer,
            Data::Float(_) => NodeType::Number,
            Data::String(_) => NodeType::String,
            Data::Sequence { .. } => NodeType::Array,
            Data::Mapping { .. } => NodeType::Object,
        }
    }

    /// Bytes of the value in [`Self::source`].
    pub fn span(self) -> Span {
        self.data().span
    }

    /// Number of the source that contains the value.
    pub fn source_id(self) -> SourceId {
        self.data().source
    }

    /// The source that contains the value.
    pub fn source(self) -> &'t Arc<Source> {
        self.tree.source(self.data().source)
    }

    /// The value as written in the source.
    pub fn raw(self) -> &'t str {
        self.source().slice(self.span())
    }

    /// The span of a part of its text; its own where the source does not have the text as it is.
    #[doc(hidden)]
    pub fn part(self, part: Span) -> Span {
        let (span, raw) = (self.span(), self.raw());
        match self.as_str().filter(|text| !text.is_empty()).and_then(|text| raw.find(text)) {
            Some(at) => part.shifted(span.start as usize + at),
            None => span,
        }
    }

    /// The string, if the value is one.
    #[inline]
    pub fn as_str(self) -> Option<&'t str> {
        match &self.data().data {
            Data::String(text) => Some(self.tree.text(text, self.data().source)),
            _ => None,
        }
    }

    /// The boolean, if the value is one.
    pub fn as_bool(self) -> Option<bool> {
        match self.data().data {
            Data::Bool(value) => Some(value),
            _ => None,
        }
    }

    /// The integer, if the value is one that fits.
    pub fn as_i64(self) -> Option<i64> {
        match self.data().data {
            Data::Integer(value) => Some(value),
            _ => None,
        }
    }

    /// The number, if the value is an integer or a float.
    #[allow(clippy::cast_precision_loss, reason = "numbers compare as JSON numbers do, in double precision")]
    pub fn as_f64(self) -> Option<f64> {
        match self.data().data {
            Data::Integer(value) => Some(value as f64),
            Data::Unsigned(value) => Some(value as f64),
            Data::Float(value) => Some(value),
            _ => None,
        }
    }

    /// Whether the value is null.
    pub fn is_null(self) -> bool {
        matches!(self.data().data, Data::Null)
    }

    /// Whether the value is a mapping.
    pub fn is_mapping(self) -> bool {
        matches!(self.data().data, Data::Mapping { .. })
    }

    /// Whether the value is a sequence.
    pub fn is_sequence(self) -> bool {
        matches!(self.data().data, Data::Sequence { .. })
    }

    /// Whether the value is neither a mapping nor a sequence.
    #[doc(hidden)]
    pub fn is_scalar(self) -> bool {
        !matches!(self.data().data, Data::Mapping { .. } | Data::Sequence { .. })
    }

    /// The scalar as text: strings unchanged, numbers and booleans as in JSON; `None` for collections.
    pub fn scalar_text(self) -> Option<std::borrow::Cow<'t, str>> {
        match &self.data().data {
            Data::Null => Some("null".into()),
            Data::Bool(true) => Some("true".into()),
            Data::Bool(false) => Some("false".into()),
            Data::Integer(value) => {
                // Most numbers of rules are small.
                let digit = usize::try_from(*value).ok().and_then(|value| DIGITS.get(value..=value));
                Some(digit.map_or_else(|| value.to_string().into(), Into::into))
            }
            Data::Unsigned(value) => Some(value.to_string().into()),
            Data::Float(value) => Some(value.to_string().into()),
            Data::String(text) => Some(self.tree.text(text, self.data().source).into()),
            Data::Sequence { .. } | Data::Mapping { .. } => None,
        }
    }

    /// The scalar value, for conversions; `None` for collections.
    pub fn scalar(self) -> Option<Scalar<'t>> {
        match &self.data().data {
            Data::Null => Some(Scalar::Null),
            Data::Bool(value) => Some(Scalar::Bool(*value)),
            Data::Integer(value) => Some(Scalar::Integer(*value)),
            Data::Unsigned(value) => Some(Scalar::Unsigned(*value)),
            Data::Float(value) => Some(Scalar::Float(*value)),
            Data::String(text) => Some(Scalar::Text(self.tree.text(text, self.data().source))),
            Data::Sequence { .. } | Data::Mapping { .. } => None,
        }
    }

    /// Whether the value is a string with this text.
    pub(super) fn is_str(self, text: &str) -> bool {
        let data = self.data();
        matches!(&data.data, Data::String(own) if self.tree.bytes(own, data.source) == text.as_bytes())
    }

    /// Number of items or entries; `0` for scalars.
    #[inline]
    pub fn len(self) -> usize {
        match self.data().data {
            Data::Sequence { len, .. } | Data::Mapping { len, .. } => len as usize,
            _ => 0,
        }
    }

    /// Whether the value has neither items nor entries.
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// Items of a sequence; empty for other values.
    pub fn items(self) -> impl ExactSizeIterator<Item = Node<'t>> + DoubleEndedIterator {
        let (first, len) = match self.data().data {
            Data::Sequence { first, len } => (first as usize, len as usize),
            _ => (0, 0),
        };
        let tree = self.tree;
        tree.items[first..first + len].iter().map(move |id| Node { tree, id: NodeId(*id) })
    }

    /// Entries of a mapping in source order; empty for other values.
    pub fn entries(self) -> impl ExactSizeIterator<Item = Entry<'t>> + DoubleEndedIterator {
        let (first, len) = match self.data().data {
            Data::Mapping { first, len, .. } => (first, len),
            _ => (0, 0),
        };
        let (tree, owner) = (self.tree, self.id);
        (first..first + len).map(move |index| Entry { tree, owner, index })
    }

    /// Items of a sequence or values of a mapping.
    pub fn children(self) -> impl Iterator<Item = Node<'t>> {
        let (mapping, first, len) = match self.data().data {
            Data::Mapping { first, len, .. } => (true, first, len),
            Data::Sequence { first, len } => (false, first, len),
            _ => (false, 0, 0),
        };
        Children { tree: self.tree, mapping, next: first, end: first + len }
    }

    /// The entry at `position` in source order.
    pub fn entry_at(self, position: usize) -> Option<Entry<'t>> {
        let Data::Mapping { first, len, .. } = self.data().data else { return None };
        let index = u32::try_from(position).ok().filter(|position| *position < len)?;
        Some(Entry { tree: self.tree, owner: self.id, index: first + index })
    }

    /// The entry with this key; the last one if the key is duplicated.
    #[inline]
    pub fn entry(self, key: &str) -> Option<Entry<'t>> {
        let Data::Mapping { first, len, keys } = self.data().data else { return None };
        let mark = Mark::of(key.as_bytes());
        if keys.may_have(mark) { self.entry_among(first, len, key, mark) } else { None }
    }

    /// Like [`Self::entry`], for a key that is looked for in many mappings.
    #[doc(hidden)]
    #[inline]
    pub fn entry_of(self, key: &Key) -> Option<Entry<'t>> {
        let Data::Mapping { first, len, keys } = self.data().data else { return None };
        if keys.may_have(key.mark) { self.entry_among(first, len, key, key.mark) } else { None }
    }

    /// The last one with this key among entries.
    fn entry_among(self, first: u32, len: u32, key: &str, mark: Mark) -> Option<Entry<'t>> {
        let source = self.data().source;
        if len > SCANNED {
            let text = |position: u32| self.tree.text(&self.tree.entries[position as usize].key, source);
            if let Some(found) = self.tree.sorted.find(first, key, text) {
                return Some(Entry { tree: self.tree, owner: self.id, index: found? });
            }
        }
        let entries = &self.tree.entries[first as usize..(first + len) as usize];
        let mut at = entries.len();
        while at > 0 {
            at -= 1;
            let entry = &entries[at];
            if self.tree.has_key(entry, source, key, mark) {
                return Some(Entry { tree: self.tree, owner: self.id, index: first + at as u32 });
            }
        }
        None
    }

    /// Whether a mapping has a key more than once.
    #[doc(hidden)]
    pub fn has_repeated_key(self) -> bool {
        let Data::Mapping { first, len, keys } = self.data().data else { return false };
        // Keys whose marks fall on different bits differ; otherwise all are compared, few of them by their marks.
        keys.0.count_ones() != len && {
            let entries = &self.tree.entries[first as usize..(first + len) as usize];
            let mut rest = entries;
            while let Some((entry, others)) = rest.split_first().filter(|_| entries.len() <= FEW) {
                if others.iter().any(|other| other.mark == entry.mark) {
                    break;
                }
                rest = others;
            }
            if rest.is_empty() {
                return false;
            }
            let mut keys = HashSet::with_capacity(entries.len());
            !entries.iter().all(|entry| keys.insert(self.tree.text(&entry.key, self.data().source)))
        }
    }

    /// The value of this key; the last one if the key is duplicated.
    #[inline]
    pub fn get(self, key: &str) -> Option<Node<'t>> {
        self.entry(key).map(Entry::value)
    }

    /// Like [`Self::get`], for a key that is looked for in many mappings.
    #[doc(hidden)]
    #[inline]
    pub fn get_of(self, key: &Key) -> Option<Node<'t>> {
        self.entry_of(key).map(Entry::value)
    }

    /// The item at `index`; negative numbers count from the end.
    pub fn item(self, index: i64) -> Option<Node<'t>> {
        let Data::Sequence { first, len } = self.data().data else { return None };
        let index = if index < 0 { index + i64::from(len) } else { index };
        let index = u32::try_from(index).ok().filter(|index| *index < len)?;
        Some(Node { tree: self.tree, id: NodeId(self.tree.items[(first + index) as usize]) })
    }

    /// The mapping or sequence that contains the node.
    pub fn parent(self) -> Option<Node<'t>> {
        let parent = self.data().parent;
        (parent != u32::MAX).then_some(Node { tree: self.tree, id: NodeId(parent) })
    }

    /// The node itself, its parent, and so on up to the root.
    pub fn ancestors(self) -> impl Iterator<Item = Node<'t>> {
        std::iter::successors(Some(self), |node| node.parent())
    }

    /// The entry whose value is this node, if its parent is a mapping.
    pub fn own_entry(self) -> Option<Entry<'t>> {
        let parent = self.parent()?;
        let Data::Mapping { first, .. } = parent.data().data else { return None };
        Some(Entry { tree: self.tree, owner: parent.id, index: first + self.data().slot })
    }

    /// The node's key, if its parent is a mapping.
    pub fn key(self) -> Option<&'t str> {
        self.own_entry().map(Entry::key)
    }

    /// Where the value begins to say something: at the first key of a mapping or, if that is on a later line, at the
    /// opening brace.
    pub fn start(self) -> Span {
        let Some(first) = self.entries().next().map(Entry::key_span) else { return self.span() };
        let brace = Span { start: self.span().start, end: self.span().start + 1 };
        let until_key = Span { start: self.span().start, end: first.start.max(self.span().start) };
        let before = self.source().slice(until_key);
        if before.starts_with('{') && before.contains('\n') { brace } else { first }
    }

    /// The node's index, if its parent is a sequence.
    pub fn position(self) -> Option<usize> {
        self.parent().filter(|parent| parent.is_sequence()).map(|_| self.data().slot as usize)
    }
}

impl<'t> Entry<'t> {
    #[inline]
    fn data(self) -> &'t EntryData {
        &self.tree.entries[self.index as usize]
    }

    /// The key; scalars other than strings as written.
    #[inline]
    pub fn key(self) -> &'t str {
        let owner = &self.tree.nodes[self.owner.0 as usize];
        self.tree.text(&self.data().key, owner.source)
    }

    /// Bytes of the key; those of the value if the kind defines the key.
    pub fn key_span(self) -> Span {
        self.data().key_span
    }

    /// The type of the key before its conversion to a string.
    pub fn key_type(self) -> KeyType {
        self.data().key_type
    }

    /// Whether this is its key.
    #[doc(hidden)]
    #[inline]
    pub fn has(self, key: &Key) -> bool {
        let source = self.tree.nodes[self.owner.0 as usize].source;
        self.tree.has_key(self.data(), source, key, key.mark)
    }

    /// What its key is compared by.
    #[inline]
    pub(super) fn mark(self) -> Mark {
        self.data().mark
    }

    /// The value.
    #[inline]
    pub fn value(self) -> Node<'t> {
        Node { tree: self.tree, id: NodeId(self.data().value) }
    }
}

impl fmt::Debug for Node<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}..{} {}", self.pointer(), self.span().start, self.span().end, self.to_json())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use crate::{
        text::{Source, Span},
        tree::{KeyType, Scalar, TreeBuilder},
    };

    #[test]
    fn the_last_of_equal_keys_is_found_in_mappings_of_any_size() {
        for count in [0, 1, 5, 64, 65, 1_000] {
            let mut builder = TreeBuilder::new(Arc::new(Source::new("t", "")));
            builder.open_mapping(Span::new(0, 0));
            for number in (0..count).chain(0..count / 2) {
                builder.key(&format!("key{number}"), Span::new(0, 0), KeyType::String);
                builder.scalar(Scalar::Null, Span::new(0, 0));
            }
            builder.close(None);
            let tree = builder.finish();
            for number in 0..count {
                let slot = tree.root().get(&format!("key{number}")).unwrap().data().slot;
                assert_eq!(slot, if number < count / 2 { count + number } else { number }, "{count} keys");
            }
            for absent in ["", "a", "key", "zzz"] {
                assert!(tree.root().get(absent).is_none());
            }
        }
    }

    #[test]
    fn repeated_keys_are_found_among_many() {
        let repeats = |keys: &[String]| {
            let mut builder = TreeBuilder::new(Arc::new(Source::new("t", "")));
            builder.open_mapping(Span::new(0, 0));
            for key in keys {
                builder.key(key, Span::new(0, 0), KeyType::String);
                builder.scalar(Scalar::Null, Span::new(0, 0));
            }
            builder.close(None);
            builder.finish().root().has_repeated_key()
        };
        for count in [0, 1, 2, 5, 70, 300] {
            let mut keys: Vec<String> = (0..count).map(|number| format!("key{number}")).collect();
            assert!(!repeats(&keys), "{count} keys");
            if let Some(first) = keys.first().cloned() {
                keys.push(first);
                assert!(repeats(&keys), "{count} keys and one again");
            }
        }
    }
}
