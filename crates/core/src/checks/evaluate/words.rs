//! Names as numbers. The rules of a document compare the same names with each other again and again: each text is looked up
//! once, and each node once.

#![expect(clippy::disallowed_types, reason = "these cells belong to one document, which its budget pays for")]

use std::{
    borrow::Cow,
    sync::{
        Mutex, MutexGuard, OnceLock, PoisonError,
        atomic::{AtomicU32, Ordering},
    },
};

use foldhash::HashMap;

use crate::{budget, tree::Node};

/// A name by its number in the document. Equal names have equal numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Word(u32);

impl Word {
    /// The number. Names get them one after the other.
    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

/// The names of a document that rules have asked for.
#[derive(Debug, Default)]
pub(super) struct Words<'t> {
    names: Mutex<Names<'t>>,
    /// What is known of each node, by its number.
    of_nodes: OnceLock<Box<[AtomicU32]>>,
}

#[derive(Debug, Default)]
struct Names<'t> {
    numbers: HashMap<Cow<'t, str>, Word>,
    written: Vec<Cow<'t, str>>,
}

/// Of a node that was not looked at.
const UNKNOWN: u32 = 0;

/// Of a node that holds no name. Greater numbers are those of names.
const NONE: u32 = 1;

impl<'t> Words<'t> {
    /// The number of a name.
    #[expect(clippy::ptr_arg, reason = "a name of the document is kept without a copy")]
    pub(super) fn number(&self, text: &Cow<'t, str>) -> Word {
        let Names { numbers, written } = &mut *self.names();
        if let Some(word) = numbers.get(text) {
            return *word;
        }
        let word = Word(written.len() as u32);
        budget::push(written, text.clone());
        numbers.insert(text.clone(), word);
        word
    }

    /// Makes room for more names.
    pub(super) fn reserve(&self, more: usize) {
        let Names { numbers, written } = &mut *self.names();
        numbers.reserve(more);
        written.reserve(more);
    }

    /// The number of a name that has one.
    pub(super) fn find(&self, text: &str) -> Option<Word> {
        self.names().numbers.get(text).copied()
    }

    /// The name with this number.
    pub(super) fn text(&self, word: Word) -> Cow<'t, str> {
        self.names().written[word.index()].clone()
    }

    /// The names with these numbers.
    pub(super) fn written(&self, words: impl IntoIterator<Item = Word>) -> Vec<Cow<'t, str>> {
        let Names { written, .. } = &*self.names();
        words.into_iter().map(|word| written[word.index()].clone()).collect()
    }

    /// The name that a node holds; `read` reads it when the node is first asked for.
    #[inline]
    pub(super) fn of_node(
        &self,
        node: Node<'t>,
        read: impl FnOnce() -> Option<Cow<'t, str>>,
    ) -> Option<Word> {
        let of_nodes = self.of_nodes.get_or_init(|| unknown(node.tree().len()));
        let Some(known) = of_nodes.get(node.id().index()) else {
            return read().map(|text| self.number(&text));
        };
        match known.load(Ordering::Relaxed) {
            UNKNOWN => {
                let word = read().map(|text| self.number(&text));
                known.store(word.map_or(NONE, |word| word.0 + NONE + 1), Ordering::Relaxed);
                word
            }
            NONE => None,
            number => Some(Word(number - NONE - 1)),
        }
    }

    fn names(&self) -> MutexGuard<'_, Names<'t>> {
        self.names.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Nodes whose names are not known.
fn unknown(nodes: usize) -> Box<[AtomicU32]> {
    budget::allocate(nodes * size_of::<AtomicU32>());
    (0..nodes).map(|_| AtomicU32::new(UNKNOWN)).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::{
        text::{Source, Span},
        tree::{Scalar, TreeBuilder},
    };

    #[test]
    fn equal_names_have_equal_numbers_and_nodes_are_read_once() {
        let mut builder = TreeBuilder::new(Arc::new(Source::new("t", "")));
        builder.open_sequence(Span::at(0));
        for text in ["a", "b", "a"] {
            builder.scalar(Scalar::Text(text), Span::at(0));
        }
        builder.close(None);
        let tree = builder.finish();
        let words = Words::default();
        let read = |node| words.of_node(node, || node.as_str().map(|text| text.to_owned().into()));
        let numbers: Vec<_> = tree.root().items().map(read).collect();
        assert!(numbers[0] == numbers[2] && numbers[0] != numbers[1] && read(tree.root()).is_none());
        assert_eq!(numbers, tree.root().items().map(|node| words.of_node(node, || None)).collect::<Vec<_>>());
        assert_eq!(words.of_node(tree.root(), || Some("c".into())), None);
        assert_eq!((words.find("b"), words.find("c")), (numbers[1], None));
        assert_eq!(words.written(numbers.into_iter().flatten()), ["a", "b", "a"]);
    }
}
