//! From events to the tree.

use std::borrow::Cow;

use super::{
    Dialect, Documents, DuplicateKeys, Schema, YamlOptions,
    anchors::{Expanded, Follow, Step},
    cause::{self, Cause},
    event::{Event, Style, Tag, Text, What},
    keys::{KeyIdentity, Keys},
    scalar::Resolved,
    tag::{TagReader, Tagged},
    trap::{self, Plain},
    value::{self, Value},
};
use crate::{
    Observation, budget,
    text::{Fragment, SourceId, Span},
    tree::{KeyType, Node, NodeId, Scalar, TreeBuilder},
};

/// Most bytes of `{{ name }}` where it is meant as text.
const TEMPLATE: usize = 256;

/// Reading stopped before the end of the text; an observation says why.
pub(super) struct Stopped;

pub(super) struct Reader<'a, 't> {
    builder: &'a mut TreeBuilder,
    source: SourceId,
    /// Builders of collections that are keys, the innermost last.
    scratch: Vec<TreeBuilder>,
    fragment: &'t Fragment<'t>,
    /// Offset of the fragment in its host, if the fragment is contiguous.
    shift: Option<usize>,
    options: &'a YamlOptions,
    observations: &'a mut Vec<Observation>,
    tags: &'a mut dyn TagReader,
    events: Expanded,
    stack: Vec<Frame>,
    keys: Keys,
    root: Option<NodeId>,
    documents: usize,
    /// Whether the current event is read again, for an alias.
    again: bool,
}

/// Allocations that the next reader reuses.
#[derive(Debug, Default)]
pub(super) struct Memory {
    stack: Vec<Frame>,
    keys: Keys,
}

/// An open collection.
#[derive(Debug)]
#[allow(clippy::struct_excessive_bools, reason = "independent facts about one collection")]
struct Frame {
    mapping: bool,
    /// In a mapping: whether the next node is a key.
    key_next: bool,
    /// Whether the collection is itself a key, and so is in a separate builder.
    is_key: bool,
    /// Whether it is in the mapping that its tag creates.
    wrapped: bool,
    flow: bool,
    /// Whether its entries are complete and those of `<<` are being added.
    merging: bool,
    is_alias: bool,
    /// Position of the collection in the fragment, or of the alias that it replaces.
    span: Span,
    /// Its anchor, if it is read for the first time.
    anchor: usize,
    /// Position of the last key in the host.
    key: Span,
    /// Values of `<<`, as positions of events.
    merges: Vec<usize>,
}

impl<'a, 't> Reader<'a, 't> {
    pub(super) fn new(
        builder: &'a mut TreeBuilder,
        fragment: &'t Fragment<'t>,
        options: &'a YamlOptions,
        observations: &'a mut Vec<Observation>,
        tags: &'a mut dyn TagReader,
        events: Vec<Event>,
        Memory { stack, keys }: Memory,
    ) -> Self {
        let source = builder.set_source(SourceId(0));
        builder.set_source(source);
        Self {
            builder,
            source,
            scratch: Vec::new(),
            fragment,
            shift: fragment.is_contiguous().then(|| fragment.host(Span::at(0)).start as usize),
            options,
            observations,
            tags,
            events: Expanded::new(events, options, options.merge_keys && fragment.text().contains("<<")),
            stack,
            keys,
            root: None,
            documents: 0,
            again: false,
        }
    }

    /// Opens the sequence that contains several documents.
    pub(super) fn open_documents(&mut self) {
        let place = self.host(Span::new(0, self.fragment.text().len()));
        self.root = Some(self.builder.open_sequence(place));
    }

    /// Reads all events, and observes the syntax errors of the text.
    pub(super) fn run(&mut self, causes: impl Iterator<Item = Cause>) -> Result<(), Stopped> {
        let result = self.read_events();
        for cause in causes {
            let observation = cause.observation(|span| self.host(span)).in_source(self.source);
            self.observations.push(observation);
        }
        result
    }

    fn read_events(&mut self) -> Result<(), Stopped> {
        if let Some(mut events) = self.events.take_unless_kept() {
            let mut result = Ok(());
            for event in events.drain(..) {
                result = if budget::charge(1) { self.event(event, None) } else { Err(Stopped) };
                if result.is_err() {
                    break;
                }
            }
            self.events.restore(events);
            return result;
        }
        while let Some(step) = self.events.next() {
            if !budget::charge(1) {
                return Err(Stopped);
            }
            match step {
                Step::Event { event, alias, again } => {
                    self.again = again;
                    self.event(event, alias)?;
                }
                Step::OverBudget(span) => return Err(self.over_budget(span)),
            }
        }
        Ok(())
    }

    fn event(&mut self, event: Event, alias: Option<Span>) -> Result<(), Stopped> {
        match event.what {
            What::Scalar { .. } => self.scalar(event, alias),
            What::Sequence { .. } | What::Mapping { .. } => self.collection(&event, alias),
            What::End => {
                self.end(event.span.end);
                Ok(())
            }
            What::Alias(anchor) => self.alias(anchor, event.span),
            What::UnknownAlias => {
                let name = event.span.of(self.fragment.text()).trim_start_matches('*');
                let quoted = format!("\"*{name}\"");
                self.observe("yaml_unknown_anchor", event.span, |o| {
                    o.with("name", name).with("quoted", quoted)
                });
                self.add_scalar(&Value::null(), event.span, None);
                Ok(())
            }
            What::DocumentStart => self.document(event.span),
            What::DocumentEnd => Ok(()),
        }
    }

    fn document(&mut self, span: Span) -> Result<(), Stopped> {
        self.documents += 1;
        if self.documents > 1 && self.options.documents == Documents::One {
            self.observe("yaml_several_documents", span, |o| o);
            return Err(Stopped);
        }
        Ok(())
    }

    fn alias(&mut self, anchor: usize, span: Span) -> Result<(), Stopped> {
        match self.events.follow(anchor, span) {
            Follow::Followed => Ok(()),
            Follow::OverBudget => Err(self.over_budget(span)),
            Follow::Recursive(node) => {
                let name = span.of(self.fragment.text()).trim_start_matches('*');
                let node = self.host(node);
                self.observe("yaml_recursive_alias", span, |o| o.with("name", name).at("anchor", node));
                Err(Stopped)
            }
        }
    }

    fn over_budget(&mut self, alias: Span) -> Stopped {
        let limit = self.options.alias_nodes;
        self.observe("yaml_alias_limit", alias, |o| o.with("limit", limit));
        Stopped
    }

    fn scalar(&mut self, event: Event, alias: Option<Span>) -> Result<(), Stopped> {
        let What::Scalar { text, style } = event.what else { return Ok(()) };
        let tag = event.tag.as_deref();
        if let Some(tag) = tag
            && self.read_tagged(tag, &text, event.span, alias)
        {
            return Ok(());
        }
        let value = Value::new(self.options, text.into_cow(self.fragment.text()), style, tag);
        self.check_scalar(&value, style, tag, event.span);
        if self.is_merge_key(&value, style, tag) {
            self.merge_key();
            return Ok(());
        }
        match tag.filter(|tag| value::wraps(self.options, tag)) {
            None => {
                let is_key = self.is_key_next();
                let node = self.add_scalar(&value, event.span, alias);
                if self.options.report_traps && !self.again && style == Style::Plain && tag.is_none() {
                    self.observe_traps(&value, event.span, is_key, node);
                }
            }
            Some(tag) => {
                self.wrap(tag, event.span, alias)?;
                self.add_scalar(&value, event.span, None);
                self.close(event.span.end);
            }
        }
        Ok(())
    }

    /// Lets the document kind read a value with a custom tag.
    fn read_tagged(&mut self, tag: &Tag, text: &Text, span: Span, alias: Option<Span>) -> bool {
        if !tag.name.starts_with('!') || self.is_key_next() || !self.scratch.is_empty() {
            return false;
        }
        let tagged = Tagged {
            tag: &tag.name,
            text: text.of(self.fragment.text()),
            tag_span: self.host(tag.span),
            span: self.host(alias.unwrap_or(span)),
        };
        if !self.tags.read(self.builder, tagged, self.observations) {
            return false;
        }
        if let Some(frame) = self.stack.last_mut() {
            frame.key_next = frame.mapping;
        }
        self.ends_at(alias.unwrap_or(span).end);
        true
    }

    fn check_scalar(&mut self, value: &Value<'t>, style: Style, tag: Option<&Tag>, span: Span) {
        if self.again {
            return;
        }
        if let Some(tag) = tag {
            self.check_tag(tag, value.mismatch, span);
        }
        if let Resolved::OutOfRange(_) = value.resolved
            && self.options.schema == Schema::Core12
        {
            let quoted = format!("\"{}\"", value.text);
            self.observe("yaml_integer_range", span, |o| o.with("quoted", quoted));
        }
        if self.options.dialect == Dialect::PyYaml
            && style == Style::Plain
            && value.text == "="
            && tag.is_none()
            && !self.is_key_next()
        {
            self.observe("yaml_unknown_tag", span, |o| {
                o.with("tag", "tag:yaml.org,2002:value").at("tag", span)
            });
        }
    }

    /// Observes a tag that does not match its value or that the dialect does not support.
    fn check_tag(&mut self, tag: &Tag, mismatch: bool, span: Span) {
        let place = self.host(tag.span);
        let (name, core) = (tag.name.as_str(), value::core_type(&tag.name));
        if mismatch {
            let core = core.unwrap_or_default();
            self.observe("yaml_tag_mismatch", span, |o| {
                o.with("tag", name).with("type", core).at("tag", place)
            });
        } else if self.options.dialect == Dialect::PyYaml && !value::is_python_tag(name) {
            self.observe("yaml_unknown_tag", span, |o| o.with("tag", name).at("tag", place));
        }
    }

    /// Adds a scalar as the next node.
    fn add_scalar(&mut self, value: &Value<'t>, span: Span, alias: Option<Span>) -> Option<NodeId> {
        let place = self.host(alias.unwrap_or(span));
        let verbatim = matches!(&value.text, Cow::Borrowed(text) if text.len() == span.len());
        let slice = verbatim && alias.is_none() && place.len() == span.len();
        let node = if self.is_key_next() {
            self.scalar_key(value, span, place, slice);
            None
        } else {
            let node = self.builder().scalar(value.scalar(slice), place);
            self.placed(node);
            Some(node)
        };
        self.ends_at(alias.unwrap_or(span).end);
        node
    }

    /// Observes the traps in a plain scalar.
    fn observe_traps(&mut self, value: &Value<'t>, span: Span, is_key: bool, node: Option<NodeId>) {
        let node = node.filter(|_| self.scratch.is_empty());
        let found =
            if is_key { trap::key(value.resolved, &value.text) } else { self.value_trap(value, span) };
        if let Some(mut observation) = found {
            if observation.span == Span::default() {
                observation.span = self.host(span);
            }
            observation.node = node;
            observation.source = self.source;
            self.observations.push(observation);
        }
        // A multi-line plain scalar is not a slice of the text.
        if !is_key && matches!(value.text, Cow::Owned(_)) {
            let place = self.host(span);
            for item in trap::swallowed_items(self.fragment.text(), span) {
                self.observe("yaml-swallowed-item", item, |o| o.at("text", place));
            }
        }
    }

    fn value_trap(&self, value: &Value<'t>, span: Span) -> Option<Observation> {
        let source = self.builder.source(self.source);
        let frame = self.stack.last();
        let key = frame.filter(|frame| frame.mapping).map_or(Span::default(), |frame| frame.key);
        if span.is_empty() && value.resolved == Resolved::Null {
            frame.filter(|frame| frame.mapping && !frame.flow)?;
            return trap::empty_value(self.fragment.text(), span.start as usize, || source.slice(key));
        }
        if frame.is_none()
            && let Some(observation) = trap::missing_space(self.fragment.text(), span)
        {
            let places =
                observation.places.iter().map(|(name, place)| (name.clone(), self.host(*place))).collect();
            return Some(Observation { span: self.host(observation.span), places, ..observation });
        }
        let key = || source.slice(key);
        trap::value(Plain {
            schema: self.options.schema,
            text: &value.text,
            resolved: value.resolved,
            key: &key,
        })
    }

    fn scalar_key(&mut self, value: &Value<'t>, span: Span, place: Span, slice: bool) {
        let string = value.is_string();
        let key_type = if string { KeyType::String } else { KeyType::Scalar };
        let text = value.key_text();
        if !self.add_key(string, &text, span, place) {
            return;
        }
        if slice && text == value.text {
            self.builder().key_slice(place, key_type);
        } else {
            self.builder().key(&text, place, key_type);
        }
    }

    /// Adds a key to the innermost mapping. Returns false if the key and its value are to be omitted, and
    /// skips the value.
    fn add_key(&mut self, string: bool, text: &str, span: Span, place: Span) -> bool {
        let fragment = self.fragment.text();
        let key = KeyIdentity { string, text };
        let first = self.keys.find(key, fragment);
        if first.is_some() && self.stack.last().is_some_and(|frame| frame.merging) {
            self.events.skip_node();
            return false;
        }
        if let Some(frame) = self.stack.last_mut() {
            frame.key_next = false;
            frame.key = place;
        }
        match first {
            None => self.keys.add(key, span, place, fragment),
            Some(first) if !self.again => self.observe_duplicate(text, place, first),
            Some(_) => {}
        }
        true
    }

    fn observe_duplicate(&mut self, key: &str, place: Span, first: Span) {
        let name = match self.options.duplicate_keys {
            DuplicateKeys::Reject => "yaml_duplicate_key",
            DuplicateKeys::LastWins if self.options.report_traps => "yaml-overridden-key",
            DuplicateKeys::LastWins => return,
        };
        if budget::describe(name) {
            let observation = Observation::new(name, place).in_source(self.source);
            self.observations.push(observation.with("key", key).at("first", first));
        }
    }

    fn is_merge_key(&self, value: &Value<'t>, style: Style, tag: Option<&Tag>) -> bool {
        self.options.merge_keys
            && style == Style::Plain
            && tag.is_none()
            && value.text == "<<"
            && self.is_key_next()
    }

    /// Keeps the value of `<<` until the keys of the mapping are known.
    fn merge_key(&mut self) {
        let value = self.events.position();
        self.events.skip_node();
        match self.events.mergeable(value) {
            Ok(()) => {
                if let Some(frame) = self.stack.last_mut() {
                    frame.merges.push(value);
                }
            }
            Err(span) => self.observe("yaml_merge_value", span, |o| o),
        }
    }

    fn collection(&mut self, event: &Event, alias: Option<Span>) -> Result<(), Stopped> {
        let anchor = if self.again { 0 } else { event.anchor };
        let Some(tag) = event.tag.as_deref() else { return self.open(event, alias, anchor, false) };
        if !self.again {
            let mapping = matches!(event.what, What::Mapping { .. });
            let mismatch = value::mismatches_collection(self.options, &tag.name, mapping);
            self.check_tag(tag, mismatch, event.span);
        }
        if !value::wraps(self.options, tag) {
            return self.open(event, alias, anchor, false);
        }
        self.wrap(tag, event.span, alias)?;
        self.open(event, None, anchor, true)
    }

    /// Opens the mapping for a tag, with the tag as its key.
    fn wrap(&mut self, tag: &Tag, span: Span, alias: Option<Span>) -> Result<(), Stopped> {
        let what = What::Mapping { flow: false };
        let place = tag.span.cover(span);
        self.open(&Event { what, span: place, anchor: 0, tag: None }, alias, 0, false)?;
        let key = self.host(tag.span);
        // `serde_yaml` shows the non-specific tag `!` with a second exclamation mark.
        let name = if tag.name == "!" { "!!" } else { &tag.name };
        self.builder().key(name, key, KeyType::String);
        if let Some(frame) = self.stack.last_mut() {
            frame.key_next = false;
        }
        Ok(())
    }

    fn open(
        &mut self,
        event: &Event,
        alias: Option<Span>,
        anchor: usize,
        wrapped: bool,
    ) -> Result<(), Stopped> {
        let span = alias.unwrap_or(event.span);
        // The mapping for a tag does not count.
        if self.stack.iter().filter(|frame| !frame.wrapped).count() >= self.options.depth {
            let limit = self.options.depth;
            self.observe("yaml_too_deep", span, |o| o.with("limit", limit));
            return Err(Stopped);
        }
        let mapping = matches!(event.what, What::Mapping { .. });
        let flow = matches!(event.what, What::Mapping { flow: true } | What::Sequence { flow: true });
        let is_key = self.is_key_next();
        if is_key {
            self.check_collection_key(span);
            let source = self.builder.source(self.source).clone();
            self.scratch.push(TreeBuilder::new(source));
        }
        let place = self.host(span);
        let builder = self.builder();
        let node = if mapping { builder.open_mapping(place) } else { builder.open_sequence(place) };
        if self.stack.is_empty() {
            self.root.get_or_insert(node);
        }
        if mapping {
            self.keys.open();
        }
        self.stack.push(Frame {
            mapping,
            key_next: mapping,
            is_key,
            wrapped,
            flow,
            merging: false,
            is_alias: alias.is_some(),
            span,
            anchor,
            key: Span::default(),
            merges: Vec::new(),
        });
        Ok(())
    }

    /// Observes a list or mapping as a key, which Python does not support, and `{{ name }}`, which is not meant
    /// as one.
    fn check_collection_key(&mut self, span: Span) {
        if self.again {
            return;
        }
        let text = self.fragment.text();
        let outer = self.stack.last().map_or(span, |frame| frame.span);
        let start = outer.start as usize;
        let braces = span.start == outer.start + 1 && text[start..].starts_with("{{");
        let template = || {
            let near = &text[start..text.floor_char_boundary(start + TEMPLATE)];
            let line = near.split(['\n', '\r']).next()?;
            line.find("}}").map(|end| Span::new(start, start + end + 2))
        };
        match (self.options.dialect, braces.then(template).flatten()) {
            (Dialect::PyYaml, None) => {
                let key = flow_collection(text, span);
                self.observe("yaml_collection_key", key, |o| o);
            }
            (Dialect::PyYaml, Some(value)) => self.observe_template("yaml_template_braces", value),
            (_, Some(value)) if self.options.report_traps => {
                let first = text.floor_char_boundary(start.saturating_sub(TEMPLATE));
                let before = text[first..start].rsplit('\n').next().unwrap_or_default();
                let key = before.trim().trim_start_matches("- ").trim_end_matches(':').trim();
                let (template, place) = (value.of(text), self.host(value));
                let quoted = cause::double_quoted(template);
                self.observe("yaml-template-value", value, |o| {
                    o.with("text", template).with("quoted", quoted).with("key", key).at("value", place)
                });
            }
            (_, None) if self.options.report_traps => self.observe("yaml-collection-key", span, |o| o),
            _ => {}
        }
    }

    fn observe_template(&mut self, name: &'static str, value: Span) {
        let text = value.of(self.fragment.text());
        let quoted = cause::double_quoted(text);
        let place = self.host(value);
        self.observe(name, value, |o| o.with("text", text).with("quoted", quoted).at("value", place));
    }

    /// Handles the end of a collection; for a mapping with `<<` it occurs again after the merged entries.
    fn end(&mut self, end: u32) {
        let merge = self.stack.last_mut().and_then(|frame| {
            let merge = frame.merges.pop();
            frame.merging |= merge.is_some();
            merge
        });
        match merge {
            None => self.close(end),
            Some(value) => {
                let items = self.events.merge(value);
                if let Some(frame) = self.stack.last_mut() {
                    frame.merges.extend(items);
                }
            }
        }
    }

    fn close(&mut self, end: u32) {
        let Some(mut frame) = self.stack.pop() else { return };
        if frame.flow && !frame.is_alias {
            frame.span.end = frame.span.end.max(end);
        }
        let place = self.host(frame.span);
        self.builder().close(Some(place));
        if frame.mapping {
            self.keys.close();
        }
        if frame.anchor != 0 {
            self.events.complete(frame.anchor);
        }
        if frame.is_key {
            self.collection_key(frame.span, place);
        } else if let Some(parent) = self.stack.last_mut() {
            parent.key_next = parent.mapping;
        }
        self.ends_at(frame.span.end);
        if frame.wrapped {
            self.close(frame.span.end);
        }
    }

    /// Makes the collection in the innermost scratch builder the key of the innermost mapping: as JSON, or as it
    /// is written when it has such a key itself, since JSON escapes the quotes of a key and doubles their number
    /// with each level.
    fn collection_key(&mut self, written: Span, place: Span) {
        let Some(scratch) = self.scratch.pop() else { return };
        let key = scratch.finish();
        let text = if has_collection_key(key.root()) {
            written.of(self.fragment.text()).to_owned()
        } else {
            key.root().to_json().to_string()
        };
        if self.add_key(false, &text, Span::default(), place) {
            self.builder().key(&text, place, KeyType::Collection);
        }
    }

    fn placed(&mut self, node: NodeId) {
        match self.stack.last_mut() {
            Some(frame) => frame.key_next = frame.mapping,
            None => {
                self.root.get_or_insert(node);
            }
        }
    }

    /// Extends the innermost collection to `end`.
    fn ends_at(&mut self, end: u32) {
        if let Some(frame) = self.stack.last_mut().filter(|frame| !frame.is_alias && !frame.merging) {
            frame.span.end = frame.span.end.max(end);
        }
    }

    /// Closes what a syntax error left open, and returns the value and the memory.
    pub(super) fn finish(mut self, several: bool) -> (Option<NodeId>, Vec<Event>, Memory) {
        self.scratch.clear();
        let in_tree = self.stack.iter().position(|frame| frame.is_key).unwrap_or(self.stack.len());
        self.stack.truncate(in_tree);
        while !self.stack.is_empty() {
            self.close(0);
        }
        if several {
            self.builder.close(None);
        }
        if self.root.is_none() {
            let place = self.host(Span::at(0));
            self.builder.scalar(Scalar::Null, place);
        }
        self.keys.clear();
        (self.root, self.events.into_events(), Memory { stack: self.stack, keys: self.keys })
    }

    fn is_key_next(&self) -> bool {
        self.stack.last().is_some_and(|frame| frame.key_next)
    }

    fn builder(&mut self) -> &mut TreeBuilder {
        self.scratch.last_mut().unwrap_or(self.builder)
    }

    fn host(&self, span: Span) -> Span {
        self.shift.map_or_else(|| self.fragment.host(span), |shift| span.shifted(shift))
    }

    /// Observes something at a span of the fragment.
    fn observe(&mut self, name: &'static str, span: Span, more: impl FnOnce(Observation) -> Observation) {
        if budget::describe(name) {
            let observation = Observation::new(name, self.host(span)).in_source(self.source);
            self.observations.push(more(observation));
        }
    }
}

/// A collection in brackets, up to the bracket that closes it, as far as that is near.
fn flow_collection(text: &str, first: Span) -> Span {
    let start = first.start as usize;
    let near = &text[start..text.floor_char_boundary(start + TEMPLATE)];
    let mut depth = 0usize;
    let closing = near.bytes().position(|byte| {
        match byte {
            b'[' | b'{' => depth += 1,
            b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0
    });
    closing.filter(|at| *at > 0).map_or(first, |at| Span::new(start, start + at + 1))
}

/// Whether a key in a value is a list or a mapping.
fn has_collection_key(node: Node<'_>) -> bool {
    node.entries().any(|entry| entry.key_type() == KeyType::Collection)
        || node.children().any(has_collection_key)
}
