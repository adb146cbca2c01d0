use std::cell::Cell;

use super::{
    Documents, YamlOptions,
    build::{self, Reader},
    characters::forbidden,
    events::{self, Reading},
    plain,
    tag::{TagReader, Tagged},
    trap,
};
use crate::{
    Comment, Observation,
    text::{Fragment, SourceId, Span},
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
    plain: plain::Memory,
    events: events::Memory,
    reader: build::Memory,
}

thread_local! {
    static MEMORY: Cell<Option<Box<Memory>>> = const { Cell::new(None) };
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
    let mut memory = MEMORY.take().unwrap_or_default();
    let read = match forbidden(fragment.text().as_bytes(), 0) {
        None => read_plain(builder, fragment, options, observations, &mut memory.plain),
        Some(_) => None,
    };
    let read = read.unwrap_or_else(|| read_any(builder, fragment, options, observations, tags, &mut memory));
    MEMORY.set(Some(memory));
    read
}

/// Reads text without forbidden characters, if it is plainly written.
fn read_plain(
    builder: &mut TreeBuilder,
    fragment: &Fragment<'_>,
    options: &YamlOptions,
    observations: &mut Vec<Observation>,
    memory: &mut plain::Memory,
) -> Option<YamlRead> {
    let seen = observations.len();
    let (root, comments) = plain::read(builder, fragment, options, observations, memory)?;
    if options.report_traps && !comments.is_empty() {
        let others = observations.split_off(seen);
        observe_comments(fragment, &comments, builder.current_source(), observations);
        observations.extend(others);
    }
    let comments = positions(fragment, comments);
    Some(YamlRead { root: Some(root), comments, complete: true, whole: true, several: false })
}

/// Reads any text.
fn read_any(
    builder: &mut TreeBuilder,
    fragment: &Fragment<'_>,
    options: &YamlOptions,
    observations: &mut Vec<Observation>,
    tags: &mut dyn TagReader,
    memory: &mut Memory,
) -> YamlRead {
    let Reading { events, comments, causes, refused, whole } =
        events::read(fragment.text(), options, &mut memory.events);
    let several = options.documents == Documents::Any && events::documents(&events) > 1;
    if options.report_traps {
        observe_comments(fragment, &comments, builder.current_source(), observations);
    }
    let left = std::mem::take(&mut memory.reader);
    let mut reader = Reader::new(builder, fragment, options, observations, tags, events, left);
    if several {
        reader.open_documents();
    }
    let sound = causes.is_empty();
    let whole = reader.run(causes.into_iter().chain(refused)).is_ok() && whole;
    let (root, events, left) = reader.finish(several);
    memory.events.recycle(events);
    memory.reader = left;
    YamlRead { root, comments: positions(fragment, comments), complete: whole && sound, whole, several }
}

/// Observes comments that are likely part of a value.
fn observe_comments(
    fragment: &Fragment<'_>,
    comments: &[Span],
    source: SourceId,
    observations: &mut Vec<Observation>,
) {
    for comment in comments {
        if let Some(observation) = trap::comment(fragment.text(), *comment) {
            let places = observation.places.iter();
            let places = places.map(|(name, place)| (name.clone(), fragment.host(*place))).collect();
            let span = fragment.host(observation.span);
            observations.push(Observation { span, source, places, ..observation });
        }
    }
}

/// The comments in the host.
fn positions(fragment: &Fragment<'_>, comments: Vec<Span>) -> Vec<Comment> {
    comments.into_iter().map(|span| comment(fragment, span)).collect()
}

fn comment(fragment: &Fragment<'_>, span: Span) -> Comment {
    let body = span.of(fragment.text()).trim_start_matches('#').trim_start();
    let start = span.end as usize - body.len();
    let text = Span::new(start, start + body.trim_end().len());
    Comment { span: fragment.host(span), text: fragment.host(text) }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use proptest::prelude::*;

    use super::*;
    use crate::{
        text::Source,
        tree::KeyType,
        yaml::{
            DuplicateKeys,
            samples::{LINES, PARTS},
        },
    };

    /// What reading makes, in one of two ways: with a try to read it as plainly written, or without.
    fn made(text: &str, options: &YamlOptions, tries: bool) -> String {
        let source = Arc::new(Source::new("t", text));
        let fragment = Fragment::contiguous(source.text(), source.span());
        let mut builder = TreeBuilder::new(Arc::clone(&source));
        builder.open_mapping(source.span());
        let mut observations = Vec::new();
        // A value that is read before, and one with a key.
        for key in ["first", "second"] {
            builder.key(key, Span::at(0), KeyType::String);
            let read = if tries {
                read(&mut builder, &fragment, options, &mut observations)
            } else {
                let memory = &mut Memory::default();
                read_any(&mut builder, &fragment, options, &mut observations, &mut NoTags, memory)
            };
            observations.push(Observation::new(format!("{read:?}"), Span::at(0)));
        }
        let tree = builder.finish();
        let nodes = tree.nodes().map(|node| {
            let keys: Vec<_> =
                node.entries().map(|entry| (entry.key(), entry.key_span(), entry.key_type())).collect();
            format!("{node:?} {:?} {keys:?}", node.parent().map(|parent| parent.id()))
        });
        format!("{:#?} {observations:#?}", nodes.collect::<Vec<_>>())
    }

    fn agree(text: &str) {
        let options = [
            YamlOptions { depth: 5, ..YamlOptions::default() },
            YamlOptions { report_traps: false, ..YamlOptions::py_yaml() },
            YamlOptions { duplicate_keys: DuplicateKeys::LastWins, ..YamlOptions::default() },
            YamlOptions::py_yaml(),
        ];
        for options in options {
            assert_eq!(made(text, &options, true), made(text, &options, false), "{text:?} {options:?}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]

        #[test]
        fn any_text_makes_the_same_tree_in_both_ways(parts in prop::collection::vec(prop::sample::select(&PARTS[..]), 0..24)) {
            agree(&parts.concat());
            agree(&format!("a:\n  - {}\n", parts.concat()));
            agree(&format!("a: [x, {}]\nb: {{{}}}\n", parts.concat(), parts.concat()));
        }

        #[test]
        fn text_that_is_nearly_valid_makes_the_same_tree_in_both_ways(
            lines in prop::collection::vec((0_usize..4, prop::sample::select(&LINES[..])), 0..12)
        ) {
            let text: String = lines.iter().map(|(indent, line)| format!("{}{line}\n", "  ".repeat(*indent))).collect();
            agree(&text);
        }
    }

    #[test]
    fn values_and_traps_are_the_same_in_both_ways() {
        for text in [
            "a: 1\nb: 2\na: 3\n",
            "a: 99999999999999999999\nb: x\n",
            "a: =\n",
            "<<: {a: 1}\nb: 2\n",
            "a: {<<: {b: 1}}\n",
            "1: a\ntrue: b\nnull: c\n2.0: d\n",
            "a: yes\nb: no\nversion: 1.10\nc: 012\nd: 1_000\ne: 12:30\n",
            "a:\nb: # meant\nc: \n",
            "color: #fff\ntitle: Issue is #42\nd: |\n  text\n",
            "a: one\n  - two\n  three\nb: 'x'\n",
            "a: \"q\\n\"\nb: 'it''s'\nc: \"two\n  lines\"\n\"k\": v\n",
            "a: [1, {b: c}, [d]]\nb: {x: , y: z}\n",
            "a: “smart”\nb: y\nc: Null\nd: ~\n",
            "a: \u{1}\n",
            "-\n- a\n- b: c\n  d: e\n-  - f\n",
        ] {
            agree(text);
        }
    }
}
