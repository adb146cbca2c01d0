//! Where the cursor is in the tree of a document. The text there is not complete, so a word is written at the cursor in the
//! ways in which documents have keys and values, and the way that can be read best shows what belongs there.

use crate::{
    kinds::{Document, EditorQuestions, Kinds, Layer},
    project::Subject,
    text::{SourceId, Span},
    tree::{Node, NodeId},
};

use super::rank::Slot;

/// The word that stands for what is to be written. No document has it.
pub(super) const CURSOR: &str = "proofmarkCursor";

/// A way to write a key or a value.
struct Form {
    notation: Notation,
    before: &'static str,
    after: &'static str,
    /// What follows it only so that the document can be read.
    rest: &'static str,
}

/// What a way to write something is of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Notation {
    Yaml,
    Other,
}

/// The ways in the notations that documents are written in; where several can be read, the first one counts.
const FORMS: [Form; 6] = [
    Form { notation: Notation::Yaml, before: "", after: "", rest: "" },
    Form { notation: Notation::Yaml, before: "", after: ": ", rest: "" },
    Form { notation: Notation::Other, before: "\"", after: "\"", rest: "" },
    Form { notation: Notation::Other, before: "\"", after: "\": ", rest: "null" },
    Form { notation: Notation::Other, before: "", after: " = ", rest: "0" },
    Form { notation: Notation::Yaml, before: "- ", after: "", rest: "" },
];

/// Bytes of a document from which on only the first forms are tried.
const LARGE: usize = 200_000;

/// Where the cursor is.
pub(super) struct Cursor {
    /// How the word is written there.
    pub(super) slot: Slot,
    /// What is written before and after a candidate.
    pub(super) marks: (&'static str, &'static str),
    pub(super) read: Document,
    /// The documents that lead to the one with the cursor, by their positions in the one before.
    path: Vec<usize>,
    /// The node that is the value, or whose key is at the cursor.
    pub(super) node: NodeId,
    pub(super) is_key: bool,
    /// Whether the word is only a part of the value.
    pub(super) is_part: bool,
    /// Where the word is.
    pub(super) span: Span,
}

impl Cursor {
    /// The document that has the cursor.
    pub(super) fn document(&self) -> &Document {
        self.path.iter().fold(&self.read, |document, index| &document.embedded[*index])
    }
}

/// The places that the cursor can have, as a value and as a key; `word` is the word that is there. Where a grammar knows what
/// comes there (`is_read`), the word is only written as it is.
pub(super) fn find(subject: &Subject<'_>, text: &str, word: Span, is_read: bool) -> Vec<Cursor> {
    let mut found: Vec<(usize, Cursor)> = Vec::new();
    let forms = match text.len() {
        _ if is_read => &FORMS[..1],
        LARGE.. => &FORMS[..2],
        _ => &FORMS[..],
    };
    let mut is_yaml = false;
    for form in forms {
        // What can be read without quotes is in no other notation.
        if is_yaml && form.notation != Notation::Yaml {
            continue;
        }
        let slot = Slot {
            before: format!("{}{}", &text[..word.start as usize], form.before),
            after: format!("{}{}{}", form.after, form.rest, &text[word.end as usize..]),
        };
        let read = subject.read_text(&slot.with(CURSOR), EditorQuestions::default());
        let errors = syntax_errors(&read, subject.project().kinds());
        let mut path = Vec::new();
        let found_there = locate(&read, &mut path, false);
        // In a value that is not only a word, the word is written as it is.
        let inside =
            || locate(&read, &mut path, true).filter(|_| form.before.is_empty() && form.after.is_empty());
        let Some((node, is_key, span)) = found_there.or_else(inside) else { continue };
        let is_part = found_there.is_none();
        let is_better = |(fewest, known): &(usize, Cursor)| {
            *fewest < errors || (*fewest == errors && known.is_key == is_key)
        };
        if found.iter().any(is_better) {
            continue;
        }
        let cursor =
            Cursor { slot, marks: (form.before, form.after), read, path, node, is_key, is_part, span };
        found.push((errors, cursor));
        is_yaml |= errors == 0 && form.notation == Notation::Yaml;
        if errors == 0 && found.len() == 2 {
            break;
        }
    }
    let fewest = found.iter().map(|(errors, _)| *errors).min().unwrap_or_default();
    found.into_iter().filter(|(errors, _)| *errors == fewest).map(|(_, cursor)| cursor).collect()
}

/// How many syntax errors a document and those inside it have.
pub(super) fn syntax_errors(document: &Document, kinds: &Kinds) -> usize {
    let observables = kinds.get(&document.kind).map(|kind| kind.observables()).unwrap_or_default();
    let is_syntax =
        |name: &str| observables.iter().any(|known| known.name == name && known.layer == Layer::Syntax);
    let own = document.observations.iter().filter(|seen| is_syntax(&seen.name)).count();
    own + document.embedded.iter().map(|inner| syntax_errors(inner, kinds)).sum::<usize>()
}

/// The node whose key or value is the word, or a value that has the word in it; whether it is the key, and where the word is.
fn locate(document: &Document, path: &mut Vec<usize>, inside: bool) -> Option<(NodeId, bool, Span)> {
    for (index, inner) in document.embedded.iter().enumerate() {
        path.push(index);
        if let Some(found) = locate(inner, path, inside) {
            return Some(found);
        }
        path.pop();
    }
    if inside { part_of(document) } else { in_tree(document.tree.root()) }
}

fn part_of(document: &Document) -> Option<(NodeId, bool, Span)> {
    let start = document.source().text().find(CURSOR)?;
    let span = Span::new(start, start + CURSOR.len());
    let mut waiting = vec![document.tree.root()];
    while let Some(node) = waiting.pop() {
        let covers =
            node.source_id() == SourceId(0) && node.span().start <= span.start && span.end <= node.span().end;
        if covers && node.as_str().is_some_and(|text| text.contains(CURSOR)) {
            return Some((node.id(), false, span));
        }
        waiting.extend(node.children());
    }
    None
}

fn in_tree(root: Node<'_>) -> Option<(NodeId, bool, Span)> {
    let mut waiting = vec![root];
    // A tree may also have a value of the text as a key, such as the name of a collection.
    let mut key = None;
    while let Some(node) = waiting.pop() {
        if node.source_id() != SourceId(0) {
            continue;
        }
        if node.as_str() == Some(CURSOR) {
            return Some((node.id(), false, node.span()));
        }
        for entry in node.entries().filter(|entry| entry.key() == CURSOR) {
            key.get_or_insert((entry.value().id(), true, entry.key_span()));
        }
        waiting.extend(node.children());
    }
    key
}
