use std::cell::RefCell;

use super::{
    Documents, YamlOptions,
    build::{self, Reader},
    events::{self, Reading},
    tag::{TagReader, Tagged},
};
use crate::{
    Comment, Observation,
    text::{Fragment, Span},
    tree::{NodeId, TreeBuilder},
};

/// The result of reading a fragment, besides the value and the observations.
#[derive(Debug, Clone, Default)]
pub struct YamlRead {
    /// The value; absent for an empty fragment, which is null in the tree.
    pub root: Option<NodeId>,
    /// The comments, in their order.
    pub comments: Vec<Comment>,
    /// Whether the text is well formed and was read completely.
    pub complete: bool,
    /// Whether the whole text is in the tree; malformed parts are strings.
    pub whole: bool,
    /// Whether there are several documents, so that the value is the sequence of theirs.
    pub several: bool,
}

/// A [`TagReader`] for no tags.
struct NoTags;

impl TagReader for NoTags {
    fn read(&mut self, _: &mut TreeBuilder, _: Tagged<'_>, _: &mut Vec<Observation>) -> bool {
        false
    }
}

/// Allocations that are reused by the next read: a document may have thousands of small blocks.
#[derive(Default)]
struct Memory {
    events: events::Memory,
    reader: build::Memory,
}

thread_local! {
    static MEMORY: RefCell<Memory> = RefCell::default();
}

/// Reads `fragment`, a piece of the builder's current source, and adds one value to the builder;
/// syntax errors and facts go to `observations`.
///
/// If the text is malformed, the value contains what could be read: invalid values are in the tree as
/// strings, and reading stops only where the structure cannot be recovered. Each syntax error is one
/// observation.
pub fn read(
    builder: &mut TreeBuilder,
    fragment: &Fragment<'_>,
    options: &YamlOptions,
    observations: &mut Vec<Observation>,
) -> YamlRead {
    read_with(builder, fragment, options, observations, &mut NoTags)
}

/// Like [`read`], but `tags` reads the scalars of custom tags.
pub fn read_with(
    builder: &mut TreeBuilder,
    fragment: &Fragment<'_>,
    options: &YamlOptions,
    observations: &mut Vec<Observation>,
    tags: &mut dyn TagReader,
) -> YamlRead {
    let mut memory = MEMORY.take();
    let Reading { events, comments, causes, refused, whole } =
        events::read(fragment.text(), options, &mut memory.events);
    let several = options.documents == Documents::Any && events::documents(&events) > 1;
    let left = std::mem::take(&mut memory.reader);
    let mut reader = Reader::new(builder, fragment, options, observations, tags, events, left);
    if several {
        reader.open_documents();
    }
    reader.check_comments(&comments);
    let sound = causes.is_empty();
    let whole = reader.run(causes.into_iter().chain(refused)).is_ok() && whole;
    let (root, events, left) = reader.finish(several);
    memory.events.recycle(events);
    memory.reader = left;
    MEMORY.set(memory);
    let comments = comments.into_iter().map(|span| comment(fragment, span)).collect();
    YamlRead { root, comments, complete: whole && sound, whole, several }
}

fn comment(fragment: &Fragment<'_>, span: Span) -> Comment {
    let body = span.of(fragment.text()).trim_start_matches('#').trim_start();
    let start = span.end as usize - body.len();
    let text = Span::new(start, start + body.trim_end().len());
    Comment { span: fragment.host(span), text: fragment.host(text) }
}
