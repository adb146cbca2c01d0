//! From plainly written text to the tree.

use std::borrow::Cow;

use foldhash::HashSet;

use super::{
    Dialect, Schema, YamlOptions,
    event::{Style, Text},
    lines::{self, Form, Nodes},
    scalar::Resolved,
    trap::{self, Plain},
    value::Value,
};
use crate::{
    Observation,
    text::{Fragment, SourceId, Span},
    tree::{KeyType, NodeId, TreeBuilder},
};

/// Adds the value of a fragment to the tree while [`lines`] finds its parts.
///
/// It has no aliases, tags and collections as keys. Mistakes that depend on the values, such as a repeated key, end the
/// reading like mistakes of syntax do: [`super::build`] reports them.
struct PlainReader<'a, 't> {
    builder: &'a mut TreeBuilder,
    fragment: &'t Fragment<'t>,
    options: &'a YamlOptions,
    observations: &'a mut Vec<Observation>,
    source: SourceId,
    /// Offset of the fragment in its host, if the fragment is contiguous.
    shift: Option<usize>,
    stack: &'a mut Vec<Frame>,
    root: Option<NodeId>,
}

/// Allocations that the next reader reuses.
#[derive(Debug, Default)]
pub(super) struct Memory {
    lines: lines::Memory,
    stack: Vec<Frame>,
}

/// An open collection.
#[derive(Debug)]
struct Frame {
    form: Form,
    /// In a mapping: whether the next node is a key.
    key_next: bool,
    /// Position of the collection in the fragment.
    span: Span,
    /// Position of the last key in the host.
    key: Span,
    /// The keys of a mapping with more than [`FEW`].
    keys: Option<HashSet<(String, bool)>>,
}

/// Most keys of a mapping that a further one is compared with.
const FEW: usize = 24;

/// Adds the value of a fragment without forbidden characters to the tree. Returns the value and the comments; nothing where
/// the text is not plainly written or has mistakes, and then the tree and the observations are as they were.
pub(super) fn read(
    builder: &mut TreeBuilder,
    fragment: &Fragment<'_>,
    options: &YamlOptions,
    observations: &mut Vec<Observation>,
    memory: &mut Memory,
) -> Option<(NodeId, Vec<Span>)> {
    let Memory { lines: reused, stack } = memory;
    stack.clear();
    let (before, seen) = (builder.checkpoint(), observations.len());
    let mut reader = PlainReader {
        source: builder.current_source(),
        shift: fragment.is_contiguous().then(|| fragment.host(Span::at(0)).start as usize),
        builder,
        fragment,
        options,
        observations,
        stack,
        root: None,
    };
    let comments = lines::read(fragment.text(), options.dialect, options.depth, reused, &mut reader);
    let PlainReader { builder, observations, root, .. } = reader;
    let read = root.zip(comments);
    if read.is_none() {
        builder.rewind(before);
        observations.truncate(seen);
    }
    read
}

impl<'t> PlainReader<'_, 't> {
    fn key(&mut self, value: &Value<'t>, style: Style, span: Span) -> Option<()> {
        let text = value.key_text();
        let is_merge_key = self.options.merge_keys && style == Style::Plain && text == "<<";
        let place = self.host(span);
        let key_type = if value.is_string() { KeyType::String } else { KeyType::Scalar };
        let frame = self.stack.last_mut()?;
        if is_merge_key || !is_new(&text, key_type, self.builder, &mut frame.keys) {
            return None;
        }
        frame.key_next = false;
        frame.key = place;
        if is_slice(value, span, place) && text == value.text {
            self.builder.key_slice(place, key_type);
        } else {
            self.builder.key(&text, place, key_type);
        }
        if self.options.report_traps && style == Style::Plain {
            self.observe(trap::key(value.resolved, &value.text), place, None);
        }
        Some(())
    }

    fn value(&mut self, value: &Value<'t>, style: Style, span: Span) -> Option<()> {
        if style == Style::Plain && self.options.dialect == Dialect::PyYaml && value.text == "=" {
            return None;
        }
        let place = self.host(span);
        let node = self.builder.scalar(value.scalar(is_slice(value, span, place)), place);
        let frame = self.stack.last_mut()?;
        frame.key_next = frame.form.mapping;
        if self.options.report_traps && style == Style::Plain {
            let trap = self.value_trap(value, span);
            self.observe(trap, place, Some(node));
            // Only a value of several lines is not in the text as it is.
            if matches!(value.text, Cow::Owned(_))
                && !trap::swallowed_items(self.fragment.text(), span).is_empty()
            {
                return None;
            }
        }
        Some(())
    }

    /// The trap in a plain value.
    fn value_trap(&self, value: &Value<'t>, span: Span) -> Option<Observation> {
        let frame = self.stack.last()?;
        let Form { mapping, flow } = frame.form;
        let key = || if mapping { self.builder.source(self.source).slice(frame.key) } else { "" };
        if span.is_empty() && value.resolved == Resolved::Null {
            let found = || trap::empty_value(self.fragment.text(), span.start as usize, key);
            return (mapping && !flow).then(found).flatten();
        }
        let schema = self.options.schema;
        trap::value(Plain { schema, text: &value.text, resolved: value.resolved, key: &key })
    }

    fn observe(&mut self, found: Option<Observation>, place: Span, node: Option<NodeId>) {
        if let Some(found) = found {
            self.observations.push(Observation { span: place, node, source: self.source, ..found });
        }
    }

    /// Extends the innermost collection to `end`.
    fn extend(&mut self, end: u32) {
        if let Some(frame) = self.stack.last_mut() {
            frame.span.end = frame.span.end.max(end);
        }
    }

    fn host(&self, span: Span) -> Span {
        self.shift.map_or_else(|| self.fragment.host(span), |shift| span.shifted(shift))
    }
}

impl Nodes for PlainReader<'_, '_> {
    fn scalar(&mut self, text: Text, style: Style, span: Span) -> Option<()> {
        let value = Value::new(self.options, text.into_cow(self.fragment.text()), style, None);
        if matches!(value.resolved, Resolved::OutOfRange(_)) && self.options.schema == Schema::Core12 {
            return None;
        }
        if self.stack.last().is_some_and(|frame| frame.key_next) {
            self.key(&value, style, span)?;
        } else {
            self.value(&value, style, span)?;
        }
        self.extend(span.end);
        Some(())
    }

    fn open(&mut self, form: Form, span: Span) -> Option<()> {
        let place = self.host(span);
        let node =
            if form.mapping { self.builder.open_mapping(place) } else { self.builder.open_sequence(place) };
        self.root.get_or_insert(node);
        self.stack.push(Frame { form, key_next: form.mapping, span, key: Span::default(), keys: None });
        Some(())
    }

    fn close(&mut self, span: Span) {
        let Some(Frame { form, span: mut own, .. }) = self.stack.pop() else { return };
        if form.flow {
            own.end = own.end.max(span.end);
        }
        let place = self.host(own);
        self.builder.close(Some(place));
        if let Some(parent) = self.stack.last_mut() {
            parent.key_next = parent.form.mapping;
        }
        self.extend(own.end);
    }
}

/// Whether the open mapping does not have a key yet; `keys` are those of a mapping with many.
fn is_new(
    key: &str,
    key_type: KeyType,
    builder: &TreeBuilder,
    keys: &mut Option<HashSet<(String, bool)>>,
) -> bool {
    let known = builder.open_keys();
    if known.len() < FEW {
        return !builder.has_key(key, key_type);
    }
    let identity = |(key, key_type): (&str, KeyType)| (key.to_owned(), key_type == KeyType::String);
    keys.get_or_insert_with(|| known.map(identity).collect()).insert(identity((key, key_type)))
}

/// Whether the text of a value is that of its place in the host.
fn is_slice(value: &Value<'_>, span: Span, place: Span) -> bool {
    matches!(&value.text, Cow::Borrowed(text) if text.len() == span.len()) && place.len() == span.len()
}
