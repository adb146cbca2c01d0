use std::{borrow::Cow, sync::Arc};

use super::keys::{SCANNED, SortedKeys};
use super::node::{Data, EntryData, KeyBits, KeyType, Mark, Node, NodeData, NodeId, Scalar, Text, Tree};
use crate::{
    budget,
    text::{Source, SourceId, Span},
};

/// Nodes whose memory is charged at a time.
const CHARGED: usize = 1024;

/// Nodes or entries of a large tree.
const LARGE: usize = 1 << 16;

/// Builds a [`Tree`] from the outside in: open a collection, add to it, close it.
///
/// A value that is built while nothing is open is detached: [`Self::place`] and [`Self::move_entry`] add
/// it, or parts of it, to an open collection. A value that is never added is not part of the tree. The
/// first value is the root, unless [`Self::finish_at`] names another one.
///
/// Invalid calls (closing a collection that is not open, a value without a key) keep the tree well-formed:
/// the key is the empty string.
#[derive(Debug)]
pub struct TreeBuilder {
    tree: Tree,
    open: Vec<Frame>,
    /// Items of all open sequences, those of the innermost last.
    items: Vec<u32>,
    /// Entries of all open mappings, those of the innermost last.
    entries: Vec<EntryData>,
    source: SourceId,
}

#[derive(Debug)]
struct Frame {
    node: u32,
    mapping: bool,
    /// Where the children of this collection start among the open items or entries.
    first: usize,
    /// Whether the last entry waits for its value.
    keyed: bool,
}

/// Marks a key that has the span of its value.
const SPAN_OF_VALUE: Span = Span { start: u32::MAX, end: u32::MAX };

/// What a builder has at some time; see [`TreeBuilder::checkpoint`].
#[derive(Debug)]
pub struct Checkpoint {
    nodes: usize,
    closed_items: usize,
    closed_entries: usize,
    open: usize,
    items: usize,
    entries: usize,
    keyed: bool,
}

impl TreeBuilder {
    /// An empty builder over the document's own source.
    pub fn new(source: Arc<Source>) -> Self {
        let tree = Tree {
            sources: vec![source],
            nodes: Vec::new(),
            items: Vec::new(),
            entries: Vec::new(),
            root: 0,
            sorted: SortedKeys::default(),
            links: None,
            refers: false,
        };
        Self { tree, open: Vec::new(), items: Vec::new(), entries: Vec::new(), source: SourceId(0) }
    }

    /// What the builder has now, to return to with [`Self::rewind`].
    #[doc(hidden)]
    pub fn checkpoint(&self) -> Checkpoint {
        Checkpoint {
            nodes: self.tree.nodes.len(),
            closed_items: self.tree.items.len(),
            closed_entries: self.tree.entries.len(),
            open: self.open.len(),
            items: self.items.len(),
            entries: self.entries.len(),
            keyed: self.open.last().is_some_and(|frame| frame.keyed),
        }
    }

    /// Drops the value that was begun since a checkpoint. Collections that were open then must still be.
    #[doc(hidden)]
    pub fn rewind(&mut self, to: Checkpoint) {
        self.tree.nodes.truncate(to.nodes);
        self.tree.items.truncate(to.closed_items);
        self.tree.entries.truncate(to.closed_entries);
        self.open.truncate(to.open);
        self.items.truncate(to.items);
        self.entries.truncate(to.entries);
        if let Some(frame) = self.open.last_mut() {
            frame.keyed = to.keyed;
        }
    }

    /// Adds another source, such as an included file, and returns its number.
    pub fn add_source(&mut self, source: Arc<Source>) -> SourceId {
        self.tree.sources.push(source);
        SourceId(self.tree.sources.len() as u16 - 1)
    }

    /// Sets the source that the spans of the following calls belong to, and returns the previous one.
    pub fn set_source(&mut self, source: SourceId) -> SourceId {
        std::mem::replace(&mut self.source, source)
    }

    /// The source that the spans of calls currently belong to.
    pub fn current_source(&self) -> SourceId {
        self.source
    }

    /// The source with this number.
    pub fn source(&self, id: SourceId) -> &Arc<Source> {
        self.tree.source(id)
    }

    /// Reserves memory for about this many additional nodes.
    pub fn reserve(&mut self, nodes: usize) {
        self.tree.nodes.reserve(nodes);
        self.tree.entries.reserve(nodes);
    }

    /// Number of nodes so far.
    pub fn len(&self) -> usize {
        self.tree.nodes.len()
    }

    /// Whether nothing has been added yet.
    pub fn is_empty(&self) -> bool {
        self.tree.nodes.is_empty()
    }

    /// The node that is added next.
    pub fn next_id(&self) -> NodeId {
        NodeId(self.tree.nodes.len() as u32)
    }

    /// Number of open collections.
    pub fn depth(&self) -> usize {
        self.open.len()
    }

    /// Opens a mapping; [`Self::close`] can replace its span.
    pub fn open_mapping(&mut self, span: Span) -> NodeId {
        self.open_collection(Data::Mapping { first: 0, len: 0, keys: KeyBits::default() }, span, true)
    }

    /// Opens a sequence.
    pub fn open_sequence(&mut self, span: Span) -> NodeId {
        self.open_collection(Data::Sequence { first: 0, len: 0 }, span, false)
    }

    /// Sets the key of the next value of the open mapping.
    pub fn key(&mut self, key: &str, span: Span, key_type: KeyType) {
        self.set_key(Text::Owned(key.into()), span, key_type);
    }

    /// Sets the key of the next value: exactly the text of `span`.
    pub fn key_slice(&mut self, span: Span, key_type: KeyType) {
        self.set_key(Text::Slice(span), span, key_type);
    }

    /// Sets a key that the document kind defines, such as `headings`; its span is that of its value.
    pub fn key_static(&mut self, key: &'static str) {
        self.set_key(Text::Static(key), SPAN_OF_VALUE, KeyType::String);
    }

    /// Like [`Self::key_static`], for a key that is static or owned.
    #[expect(clippy::ptr_arg, reason = "a static key is not copied")]
    pub fn key_cow(&mut self, key: &Cow<'static, str>) {
        match key {
            Cow::Borrowed(key) => self.key_static(key),
            Cow::Owned(key) => self.set_key(Text::Owned(key.as_str().into()), SPAN_OF_VALUE, KeyType::String),
        }
    }

    /// Adds a scalar.
    pub fn scalar(&mut self, value: Scalar<'_>, span: Span) -> NodeId {
        self.push(data_of(value, span), span)
    }

    /// Adds a scalar under a key that the document kind defines.
    pub fn field(&mut self, key: &'static str, value: Scalar<'_>, span: Span) -> NodeId {
        self.key_static(key);
        self.scalar(value, span)
    }

    /// Adds a copy of a finished node of this tree; its own span becomes `span`, the spans inside do not
    /// change. Used for YAML aliases. Subtracts the copied nodes from `budget`; returns `None` if the copy
    /// would exceed it.
    pub fn copy(&mut self, id: NodeId, span: Span, budget: &mut usize) -> Option<NodeId> {
        let size = self.size(id.0, *budget)?;
        *budget -= size;
        let copied = self.copy_node(id.0);
        let source = self.source;
        let node = &mut self.tree.nodes[copied as usize];
        // A string that is a slice of the source keeps its text while the node moves to the alias.
        if let Data::String(Text::Slice(slice)) = node.data {
            let text = self.tree.sources[usize::from(node.source.0)].slice(slice).into();
            node.data = Data::String(Text::Owned(text));
        }
        node.span = span;
        // The keys of a mapping are read from its own source, so a collection keeps its source.
        if !matches!(node.data, Data::Sequence { .. } | Data::Mapping { .. }) {
            node.source = source;
        }
        self.attach(copied);
        Some(NodeId(copied))
    }

    /// Adds a detached value to the open collection.
    pub fn place(&mut self, id: NodeId) {
        self.attach(id.0);
    }

    /// Moves the entry at `position` of a detached mapping, key and value, to the open mapping.
    pub fn move_entry(&mut self, mapping: NodeId, position: usize) {
        let Data::Mapping { first, len, .. } = self.tree.nodes[mapping.0 as usize].data else { return };
        if position < len as usize {
            let entry = self.tree.entries[first as usize + position].clone();
            let value = entry.value;
            self.set_entry(entry);
            self.attach(value);
        }
    }

    /// Replaces the value of a string; its span does not change.
    pub fn set_text(&mut self, id: NodeId, text: &str) {
        if let Data::String(value) = &mut self.tree.nodes[id.0 as usize].data {
            *value = Text::Owned(text.into());
        }
    }

    /// Closes the innermost open collection; `span` replaces its initial span.
    pub fn close(&mut self, span: Option<Span>) {
        let Some(frame) = self.open.pop() else { return };
        if frame.keyed {
            self.entries.pop();
        }
        let tree = &mut self.tree;
        let data = if frame.mapping {
            let entries = &mut self.entries[frame.first..];
            let (first, len) = (tree.entries.len() as u32, entries.len() as u32);
            let mut keys = KeyBits::default();
            for (slot, entry) in entries.iter_mut().enumerate() {
                let value = adopt(tree, entry.value, frame.node, slot);
                if entry.key_span == SPAN_OF_VALUE {
                    entry.key_span = value;
                }
                keys.add(entry.mark);
            }
            if len > 0 {
                budget::allocate(len as usize * size_of::<EntryData>());
                make_room(&mut tree.entries, len as usize);
                tree.entries.extend(self.entries.drain(frame.first..));
            }
            Data::Mapping { first, len, keys }
        } else {
            let items = &self.items[frame.first..];
            let (first, len) = (tree.items.len() as u32, items.len() as u32);
            for (slot, item) in items.iter().enumerate() {
                adopt(tree, *item, frame.node, slot);
            }
            tree.items.extend(self.items.drain(frame.first..));
            Data::Sequence { first, len }
        };
        let node = &mut tree.nodes[frame.node as usize];
        node.data = data;
        if let Some(span) = span {
            node.span = span;
        }
    }

    /// Whether the innermost open mapping has this key, with this type.
    #[doc(hidden)]
    pub fn has_key(&self, key: &str, key_type: KeyType) -> bool {
        let Some(frame) = self.open.last() else { return false };
        let (mark, source) = (Mark::of(key.as_bytes()), self.tree.nodes[frame.node as usize].source);
        let is_same =
            |entry: &EntryData| entry.key_type == key_type && self.tree.has_key(entry, source, key, mark);
        self.open_entries().iter().any(is_same)
    }

    /// The keys of the innermost open mapping, with their types.
    #[doc(hidden)]
    pub fn open_keys(&self) -> impl ExactSizeIterator<Item = (&str, KeyType)> {
        self.open_entries().iter().map(|entry| (self.text(&entry.key), entry.key_type))
    }

    /// The entries of the innermost open mapping that have their values.
    fn open_entries(&self) -> &[EntryData] {
        let frame = self.open.last().filter(|frame| frame.mapping);
        frame.map_or(&[], |frame| &self.entries[frame.first..self.entries.len() - usize::from(frame.keyed)])
    }

    /// The span of this key in the innermost open mapping, if it is already there.
    pub fn key_span(&self, key: &str) -> Option<Span> {
        let entry = self.open_entries().iter().find(|entry| self.text(&entry.key) == key)?;
        let of_value = || self.tree.nodes[entry.value as usize].span;
        Some(if entry.key_span == SPAN_OF_VALUE { of_value() } else { entry.key_span })
    }

    /// A finished node, for inspection while building.
    pub fn node(&self, id: NodeId) -> Node<'_> {
        self.tree.node(id)
    }

    /// Closes all open collections and returns the tree; without a value, its root is null.
    pub fn finish(mut self) -> Tree {
        while !self.open.is_empty() {
            self.close(None);
        }
        if self.tree.nodes.is_empty() {
            self.scalar(Scalar::Null, Span::default());
        }
        self.tree.sorted = sorted_keys(&self.tree);
        self.tree
    }

    /// Like [`Self::finish`], with this value as the root.
    pub fn finish_at(mut self, root: NodeId) -> Tree {
        self.tree.root = root.0;
        self.finish()
    }

    fn text<'s>(&'s self, text: &'s Text) -> &'s str {
        match text {
            Text::Slice(span) => self.tree.source(self.source).slice(*span),
            Text::Static(text) => text,
            Text::Owned(text) => text,
        }
    }

    fn set_key(&mut self, text: Text, span: Span, key_type: KeyType) {
        let Some(frame) = self.open.last() else { return };
        let source = self.tree.nodes[frame.node as usize].source;
        let mark = Mark::of(self.tree.bytes(&text, source));
        self.set_entry(EntryData { key: text, key_span: span, key_type, mark, value: 0 });
    }

    /// Begins an entry of the open mapping, whose value is to come.
    fn set_entry(&mut self, entry: EntryData) {
        let Some(frame) = self.open.last_mut().filter(|frame| frame.mapping) else { return };
        if std::mem::replace(&mut frame.keyed, true) {
            self.entries.pop();
        }
        self.entries.push(entry);
    }

    fn open_collection(&mut self, data: Data, span: Span, mapping: bool) -> NodeId {
        let id = self.push(data, span);
        let first = if mapping { self.entries.len() } else { self.items.len() };
        self.open.push(Frame { node: id.0, mapping, first, keyed: false });
        id
    }

    fn push(&mut self, data: Data, span: Span) -> NodeId {
        let id = self.tree.nodes.len() as u32;
        self.add(NodeData { data, span, source: self.source, parent: u32::MAX, slot: 0 });
        self.attach(id);
        NodeId(id)
    }

    /// Adds a node, and charges its memory. A reader sees that the budget is used up when it charges its next step.
    fn add(&mut self, node: NodeData) {
        let nodes = &mut self.tree.nodes;
        make_room(nodes, 1);
        nodes.push(node);
        if nodes.len().is_multiple_of(CHARGED) {
            budget::allocate(CHARGED * (size_of::<NodeData>() + size_of::<u32>()));
        }
    }

    fn attach(&mut self, node: u32) {
        match self.open.last_mut() {
            Some(frame) if frame.mapping => {
                if !frame.keyed {
                    self.key_static("");
                }
                if let (Some(frame), Some(entry)) = (self.open.last_mut(), self.entries.last_mut()) {
                    frame.keyed = false;
                    entry.value = node;
                }
            }
            Some(_) => self.items.push(node),
            None => {}
        }
    }

    /// Number of nodes in the subtree of `id`, or `None` if there are more than `limit`.
    fn size(&self, id: u32, limit: usize) -> Option<usize> {
        let mut count = 0;
        let mut stack = vec![id];
        while let Some(id) = stack.pop() {
            count += 1;
            if count > limit {
                return None;
            }
            match self.tree.nodes[id as usize].data {
                Data::Sequence { first, len } => {
                    stack.extend(&self.tree.items[first as usize..(first + len) as usize]);
                }
                Data::Mapping { first, len, .. } => {
                    let entries = &self.tree.entries[first as usize..(first + len) as usize];
                    stack.extend(entries.iter().map(|entry| entry.value));
                }
                _ => {}
            }
        }
        Some(count)
    }

    fn copy_node(&mut self, id: u32) -> u32 {
        let original = self.tree.nodes[id as usize].clone();
        let copy = self.tree.nodes.len() as u32;
        self.add(NodeData { parent: u32::MAX, ..original.clone() });
        match original.data {
            Data::Sequence { first, len } => {
                let children: Vec<u32> =
                    (first..first + len).map(|at| self.copy_node(self.tree.items[at as usize])).collect();
                let first = self.tree.items.len() as u32;
                for (slot, child) in children.into_iter().enumerate() {
                    adopt(&mut self.tree, child, copy, slot);
                    self.tree.items.push(child);
                }
                self.tree.nodes[copy as usize].data = Data::Sequence { first, len };
            }
            Data::Mapping { first, len, keys } => {
                let children: Vec<EntryData> = (first..first + len)
                    .map(|at| {
                        let entry = self.tree.entries[at as usize].clone();
                        EntryData { value: self.copy_node(entry.value), ..entry }
                    })
                    .collect();
                let first = self.tree.entries.len() as u32;
                for (slot, child) in children.into_iter().enumerate() {
                    adopt(&mut self.tree, child.value, copy, slot);
                    self.tree.entries.push(child);
                }
                self.tree.nodes[copy as usize].data = Data::Mapping { first, len, keys };
            }
            _ => {}
        }
        copy
    }
}

/// A scalar at a span as data.
fn data_of(value: Scalar<'_>, span: Span) -> Data {
    match value {
        Scalar::Null => Data::Null,
        Scalar::Bool(value) => Data::Bool(value),
        Scalar::Integer(value) => Data::Integer(value),
        Scalar::Unsigned(value) => Data::Unsigned(value),
        Scalar::Float(value) => Data::Float(value),
        Scalar::Slice => Data::String(Text::Slice(span)),
        Scalar::Static(text) => Data::String(Text::Static(text)),
        Scalar::Text(text) => Data::String(Text::Owned(text.into())),
    }
}

/// Makes room for more items. A large vector grows by half of its length: twice the memory of a large tree is too much.
#[inline]
fn make_room<T>(items: &mut Vec<T>, more: usize) {
    let length = items.len();
    if items.capacity() - length < more {
        if length >= LARGE {
            items.reserve_exact(more.max(length / 2));
        } else {
            items.reserve(more);
        }
    }
}

/// The index of the large mappings of a finished tree.
fn sorted_keys(tree: &Tree) -> SortedKeys {
    let mut sorted = SortedKeys::default();
    if tree.entries.len() <= SCANNED as usize {
        return sorted;
    }
    for node in &tree.nodes {
        let Data::Mapping { first, len, .. } = node.data else { continue };
        if len > SCANNED {
            sorted.add(first..first + len, |at| tree.text(&tree.entries[at as usize].key, node.source));
        }
    }
    sorted
}

fn adopt(tree: &mut Tree, child: u32, parent: u32, slot: usize) -> Span {
    let node = &mut tree.nodes[child as usize];
    node.parent = parent;
    node.slot = slot as u32;
    node.span
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `{first: 1, second: [2]}`, where a value is begun under `second` and dropped.
    fn built(drops: bool) -> String {
        let span = Span::new(0, 0);
        let mut builder = TreeBuilder::new(Arc::new(Source::new("t", "")));
        builder.open_mapping(span);
        builder.field("first", Scalar::Integer(1), span);
        builder.key_static("second");
        if drops {
            let checkpoint = builder.checkpoint();
            builder.open_mapping(span);
            builder.field("third", Scalar::Integer(3), span);
            builder.key_static("fourth");
            builder.open_sequence(span);
            builder.scalar(Scalar::Null, span);
            builder.close(None);
            builder.key_static("fifth");
            builder.open_sequence(span);
            builder.scalar(Scalar::Null, span);
            builder.rewind(checkpoint);
        }
        builder.open_sequence(span);
        builder.scalar(Scalar::Integer(2), span);
        builder.close(None);
        let tree = builder.finish();
        format!("{:?} {}", tree.nodes().collect::<Vec<_>>(), tree.len())
    }

    #[test]
    fn a_value_that_is_dropped_leaves_nothing() {
        assert!(built(false).ends_with(" 4"));
        assert_eq!(built(true), built(false));
    }

    #[test]
    fn a_key_without_a_value_is_dropped_and_a_value_without_a_key_has_an_empty_one() {
        let span = Span::new(0, 0);
        let mut builder = TreeBuilder::new(Arc::new(Source::new("t", "")));
        builder.open_mapping(span);
        builder.scalar(Scalar::Integer(1), span);
        builder.key_static("a");
        builder.key_static("b");
        builder.scalar(Scalar::Integer(2), span);
        builder.key_static("c");
        assert_eq!(builder.key_span("b"), Some(span));
        assert_eq!((builder.key_span("a"), builder.key_span("c")), (None, None));
        builder.close(None);
        assert_eq!(builder.finish().root().to_json().to_string(), r#"{"":1,"b":2}"#);
    }

    #[test]
    fn keys_with_the_same_ends_differ() {
        const KEYS: [&str; 9] =
            ["", "a", "aa", "aaa", "aaaa", "abab", "ababab", "abcd1234wxyz", "abcd5678wxyz"];
        for key in KEYS {
            let mut builder = TreeBuilder::new(Arc::new(Source::new("t", "")));
            builder.open_mapping(Span::at(0));
            builder.field(key, Scalar::Integer(1), Span::at(0));
            let known: Vec<_> =
                KEYS.into_iter().filter(|other| builder.has_key(other, KeyType::String)).collect();
            builder.close(None);
            let tree = builder.finish();
            let found: Vec<_> = KEYS.into_iter().filter(|other| tree.root().get(other).is_some()).collect();
            assert_eq!((known, found), (vec![key], vec![key]));
        }
    }
}
