use std::{borrow::Cow, cell::RefCell};

use super::{
    Documents, DuplicateKeys, Schema, YamlOptions,
    anchors::{Expanded, Follow, Step},
    event::{Event, Tag, What},
    events,
    fault::{Fault, Problem},
    keys::{KeyIdentity, Keys},
    scalar::Resolved,
    value::{self, Value},
};
use crate::{
    kinds::{Comment, Observation},
    text::{Fragment, SourceId, Span},
    tree::{KeyType, NodeId, Scalar, TreeBuilder},
};

/// What came of reading a fragment, besides the value and the observations.
#[derive(Debug, Clone, Default)]
pub struct YamlRead {
    /// The value; absent where the fragment holds none, for which a null stands in the tree.
    pub root: Option<NodeId>,
    /// The comments, in their order.
    pub comments: Vec<Comment>,
    /// Whether the text was read to its end.
    pub complete: bool,
}

/// Reads `fragment`, a piece of the builder's current source, and adds one value to the builder;
/// faults and facts go to `observations`.
///
/// Of a malformed text the value holds what was read before the fault, and one observation says what
/// is wrong.
pub fn read(
    builder: &mut TreeBuilder,
    fragment: &Fragment<'_>,
    options: &YamlOptions,
    observations: &mut Vec<Observation>,
) -> YamlRead {
    let mut memory = MEMORY.take();
    let parsed = events::parse(fragment.text(), options.dialect, options.depth, &mut memory.events);
    let shift = fragment.is_contiguous().then(|| fragment.host(Span::at(0)).start as usize);
    let source = builder.set_source(SourceId(0));
    builder.set_source(source);
    let mut reader = Reader {
        builder,
        source,
        scratch: Vec::new(),
        fragment,
        shift,
        options,
        observations,
        events: Expanded::new(parsed.events, options.alias_nodes),
        stack: std::mem::take(&mut memory.stack),
        keys: Keys::default(),
        result: YamlRead::default(),
        documents: 0,
    };
    for comment in parsed.comments {
        reader.comment(comment);
    }
    reader.result.complete = reader.run(parsed.fault).is_ok();
    reader.close_all();
    let Reader { result, events, stack, .. } = reader;
    memory.events.recycle(events.into_events());
    memory.stack = stack;
    MEMORY.set(memory);
    result
}

thread_local! {
    static MEMORY: RefCell<Memory> = RefCell::default();
}

/// Memory that one reading leaves to the next: a document may hold thousands of small blocks.
#[derive(Default)]
struct Memory {
    events: events::Memory,
    stack: Vec<Frame>,
}

/// That reading ended before the text did; an observation says why.
struct Stopped;

struct Reader<'a, 't> {
    builder: &'a mut TreeBuilder,
    source: SourceId,
    /// Builders of collections that are keys, the innermost last.
    scratch: Vec<TreeBuilder>,
    fragment: &'t Fragment<'t>,
    /// Offset of the fragment in its host, where one offset is all there is to it.
    shift: Option<usize>,
    options: &'a YamlOptions,
    observations: &'a mut Vec<Observation>,
    events: Expanded,
    stack: Vec<Frame>,
    keys: Keys<'t>,
    result: YamlRead,
    documents: usize,
}

/// A collection that is open.
#[allow(clippy::struct_excessive_bools, reason = "independent facts about one collection")]
struct Frame {
    mapping: bool,
    /// In a mapping: whether the next node is a key.
    key_next: bool,
    /// Whether the collection is a key itself, and so stands in a builder of its own.
    is_key: bool,
    /// Whether it stands in the mapping that its tag makes.
    wrapped: bool,
    flow: bool,
    /// Place of the collection in the fragment, or of the alias it was copied for.
    span: Span,
    is_alias: bool,
    /// Its anchor, when it is read for the first time.
    anchor: usize,
}

impl<'t> Reader<'_, 't> {
    fn run(&mut self, fault: Option<Fault>) -> Result<(), Stopped> {
        while let Some(step) = self.events.next() {
            match step {
                Step::Event { event, alias, again } => self.event(event, alias, again)?,
                Step::OverBudget(span) => return Err(self.over_budget(span)),
            }
        }
        fault.map_or(Ok(()), |fault| Err(self.fault(&fault)))
    }

    fn over_budget(&mut self, alias: Span) -> Stopped {
        let limit = self.options.alias_nodes;
        self.observe("yaml_alias_limit", alias, |o| o.with("limit", limit));
        Stopped
    }

    fn event(&mut self, event: Event, alias: Option<Span>, again: bool) -> Result<(), Stopped> {
        match event.what {
            What::Scalar { .. } => self.scalar(event, alias),
            What::Sequence { .. } | What::Mapping { .. } => self.collection(&event, alias, again),
            What::End => {
                self.close(event.span.end);
                Ok(())
            }
            What::Alias(anchor) => self.alias(anchor, event.span),
            What::UnknownAlias => {
                let name = event.span.of(self.fragment.text()).trim_start_matches('*');
                self.observe("yaml_unknown_anchor", event.span, |o| o.with("name", name));
                self.place(&Value::null(), event.span, None);
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

    fn comment(&mut self, span: Span) {
        let text = span.of(self.fragment.text());
        let body = text.trim_start_matches('#').trim_start();
        let start = span.end as usize - body.len();
        let text = Span::new(start, start + body.trim_end().len());
        let comment = Comment { span: self.host(span), text: self.host(text) };
        self.result.comments.push(comment);
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

    fn scalar(&mut self, event: Event, alias: Option<Span>) -> Result<(), Stopped> {
        let What::Scalar { text, style } = event.what else { return Ok(()) };
        let tag = event.tag.as_deref();
        let value = Value::new(self.options, text.into_cow(self.fragment.text()), style, tag);
        self.check_scalar(&value, tag, event.span);
        match tag.filter(|tag| value::wraps(self.options, tag)) {
            None => self.place(&value, event.span, alias),
            Some(tag) => {
                self.wrap(tag, event.span, alias)?;
                self.place(&value, event.span, None);
                self.close(event.span.end);
            }
        }
        Ok(())
    }

    fn check_scalar(&mut self, value: &Value<'t>, tag: Option<&Tag>, span: Span) {
        if let Some(tag) = tag.filter(|_| value.mismatch) {
            let place = self.host(tag.span);
            let name = value::core_type(&tag.name).unwrap_or_default();
            self.observe("yaml_tag_mismatch", span, |o| {
                o.with("tag", tag.name.as_str()).with("type", name).at("tag", place)
            });
        }
        if let Resolved::OutOfRange(_) = value.resolved
            && self.options.schema == Schema::Core12
        {
            let quoted = format!("\"{}\"", value.text);
            self.observe("yaml_integer_range", span, |o| o.with("quoted", quoted));
        }
    }

    /// Puts a scalar where the next node belongs.
    fn place(&mut self, value: &Value<'t>, span: Span, alias: Option<Span>) {
        let place = self.host(alias.unwrap_or(span));
        let verbatim = matches!(&value.text, Cow::Borrowed(text) if text.len() == span.len());
        let slice = verbatim && alias.is_none() && place.len() == span.len();
        if self.stack.last().is_some_and(|frame| frame.key_next) {
            self.scalar_key(value, place, slice);
        } else {
            let node = self.builder().scalar(value.scalar(slice), place);
            self.placed(node);
        }
        self.ends_at(alias.unwrap_or(span).end);
    }

    fn scalar_key(&mut self, value: &Value<'t>, place: Span, slice: bool) {
        let string = value.is_string();
        let key_type = if string { KeyType::String } else { KeyType::Scalar };
        let text = value.key_text();
        self.add_key(KeyIdentity { string, text: text.clone() }, place);
        if slice && text == value.text {
            self.builder().key_slice(place, key_type);
        } else {
            self.builder().key(&text, place, key_type);
        }
    }

    /// Notes that the innermost mapping has a key.
    fn add_key(&mut self, key: KeyIdentity<'t>, place: Span) {
        if let Some(frame) = self.stack.last_mut() {
            frame.key_next = false;
        }
        let text = key.text.clone();
        if let Some(first) = self.keys.add(key, place) {
            let name = match self.options.duplicate_keys {
                DuplicateKeys::Reject => "yaml_duplicate_key",
                DuplicateKeys::LastWins if self.options.report_traps => "yaml-overridden-key",
                DuplicateKeys::LastWins => return,
            };
            let source = self.source;
            self.observations.push(
                Observation::new(name, place).in_source(source).with("key", text.as_ref()).at("first", first),
            );
        }
    }

    fn collection(&mut self, event: &Event, alias: Option<Span>, again: bool) -> Result<(), Stopped> {
        let anchor = if again { 0 } else { event.anchor };
        match event.tag.as_deref().filter(|tag| value::wraps(self.options, tag)) {
            None => self.open(event, alias, anchor, false),
            Some(tag) => {
                self.wrap(tag, event.span, alias)?;
                self.open(event, None, anchor, true)
            }
        }
    }

    /// Opens the mapping that stands for a tag, with the tag as its key.
    fn wrap(&mut self, tag: &Tag, span: Span, alias: Option<Span>) -> Result<(), Stopped> {
        let what = What::Mapping { flow: false };
        let place = tag.span.cover(span);
        self.open(&Event { what, span: place, anchor: 0, tag: None }, alias, 0, false)?;
        let key = self.host(tag.span);
        // `serde_yaml` shows the non-specific tag `!` with a further mark.
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
        if self.stack.iter().filter(|frame| !frame.wrapped).count() >= self.options.depth {
            return Err(self.too_deep(alias.unwrap_or(event.span)));
        }
        let mapping = matches!(event.what, What::Mapping { .. });
        let flow = matches!(event.what, What::Mapping { flow: true } | What::Sequence { flow: true });
        let is_key = self.stack.last().is_some_and(|frame| frame.key_next);
        if is_key {
            let source = self.builder.source(self.source).clone();
            self.scratch.push(TreeBuilder::new(source));
        }
        let span = alias.unwrap_or(event.span);
        let place = self.host(span);
        let builder = self.builder();
        let node = if mapping { builder.open_mapping(place) } else { builder.open_sequence(place) };
        if self.stack.is_empty() {
            self.result.root = Some(node);
        }
        if mapping {
            self.keys.open();
        }
        let is_alias = alias.is_some();
        let frame = Frame { mapping, key_next: mapping, is_key, wrapped, flow, span, is_alias, anchor };
        self.stack.push(frame);
        Ok(())
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
            self.collection_key(place);
        } else if let Some(parent) = self.stack.last_mut() {
            parent.key_next = parent.mapping;
        }
        self.ends_at(frame.span.end);
        if frame.wrapped {
            self.close(frame.span.end);
        }
    }

    /// Makes the collection in the innermost scratch builder the key of the innermost mapping.
    fn collection_key(&mut self, place: Span) {
        let Some(scratch) = self.scratch.pop() else { return };
        let text = scratch.finish().root().to_json().to_string();
        self.builder().key(&text, place, KeyType::Collection);
        self.add_key(KeyIdentity { string: false, text: Cow::Owned(text) }, place);
    }

    fn placed(&mut self, node: NodeId) {
        match self.stack.last_mut() {
            Some(frame) => frame.key_next = frame.mapping,
            None => self.result.root = Some(node),
        }
    }

    /// Lets the innermost collection reach to `end`.
    fn ends_at(&mut self, end: u32) {
        if let Some(frame) = self.stack.last_mut().filter(|frame| !frame.is_alias) {
            frame.span.end = frame.span.end.max(end);
        }
    }

    fn fault(&mut self, fault: &Fault) -> Stopped {
        let span = Span::at(fault.at);
        if fault.problem == Problem::TooDeep {
            return self.too_deep(span);
        }
        let detail = fault.problem.detail();
        self.observe("yaml_syntax", span, |o| o.with("detail", detail));
        Stopped
    }

    fn too_deep(&mut self, span: Span) -> Stopped {
        let limit = self.options.depth;
        self.observe("yaml_too_deep", span, |o| o.with("limit", limit));
        Stopped
    }

    /// Closes what a fault left open.
    fn close_all(&mut self) {
        self.scratch.clear();
        let in_tree = self.stack.iter().position(|frame| frame.is_key).unwrap_or(self.stack.len());
        self.stack.truncate(in_tree);
        while !self.stack.is_empty() {
            self.close(0);
        }
        if self.result.root.is_none() {
            let place = self.host(Span::at(0));
            self.builder.scalar(Scalar::Null, place);
        }
    }

    fn builder(&mut self) -> &mut TreeBuilder {
        self.scratch.last_mut().unwrap_or(self.builder)
    }

    fn host(&self, span: Span) -> Span {
        self.shift.map_or_else(|| self.fragment.host(span), |shift| span.shifted(shift))
    }

    /// Observes something at a span of the fragment.
    fn observe(&mut self, name: &'static str, span: Span, more: impl FnOnce(Observation) -> Observation) {
        let observation = Observation::new(name, self.host(span)).in_source(self.source);
        self.observations.push(more(observation));
    }
}
