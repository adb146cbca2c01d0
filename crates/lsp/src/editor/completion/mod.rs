//! What can be written at a position: words of the language and names that the grammar would accept there, keys and values
//! of schemas, and what rules would accept. What makes the document valid comes first.

mod grammar;
mod named;
mod place;
mod rank;

use std::collections::{HashMap, HashSet};

use serde::Serialize;
use serde_json::Value;

use crate::{
    engine::{Asked, Occurrence},
    project::Subject,
    protocol::{Position, Range},
    text::{SourceId, Span},
    tree::Node,
};

use self::{
    grammar::Accepted,
    place::{CURSOR, Cursor},
    rank::{Placed, Ranking, Slot},
};
use super::{
    snapshot::Snapshot,
    words::{self, Offer},
};

/// Something that can be written.
#[derive(Debug, Clone)]
struct Candidate {
    /// What is written.
    text: String,
    sort: Sort,
    /// What it is, in a few words.
    detail: String,
    description: Option<String>,
    /// Whether the document lacks it.
    required: bool,
    /// How much of the text a grammar would not read with it, in bytes.
    unread: u32,
}

/// Sorts of candidates, by their numbers in the protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sort {
    Variable = 6,
    Property = 10,
    Value = 12,
    Keyword = 14,
    Operator = 24,
}

/// A proposal as the protocol has it.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Item {
    label: String,
    kind: u8,
    #[serde(skip_serializing_if = "String::is_empty")]
    detail: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    documentation: Option<String>,
    /// Clients sort by it.
    sort_text: String,
    filter_text: String,
    text_edit: TextEdit,
}

/// What a proposal changes.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct TextEdit {
    range: Range,
    new_text: String,
}

/// Most proposals of an answer.
const MOST: usize = 1_000;

/// What can be written at a position, the most likely first.
pub(crate) fn completions(snapshot: &Snapshot, position: Position) -> Vec<Item> {
    let Some(subject) = snapshot.subject() else { return Vec::new() };
    let text = snapshot.text.as_str();
    let at = snapshot.offset(position) as usize;
    let (word, mark) = (word_at(text, at), mark_before(text, at));
    let plain =
        Slot { before: text[..word.start as usize].to_owned(), after: text[word.end as usize..].to_owned() };
    let mut ranking = Ranking::new(&subject, &text[word.start as usize..at]);
    let Accepted { candidates, is_read } = grammar::accepted(&subject, text, word);
    let has_grammar = !candidates.is_empty();
    ranking.add(candidates, &plain, word, ("", ""));
    let mut is_known = has_grammar;
    for cursor in place::find(&subject, text, word, is_read) {
        let (candidates, is_listed) = of_rules(&subject, snapshot, &cursor);
        is_known |= cursor.is_key || is_listed;
        ranking.add(candidates, &cursor.slot, word, cursor.marks);
    }
    if !is_known {
        ranking.add(named::candidates(&subject, &plain, word), &plain, word, ("", ""));
    }
    let mut all = Vec::new();
    if !mark.is_empty() {
        let marks = grammar::connectors(&subject, text, mark).into_iter();
        all.extend(marks.map(|candidate| Placed { candidate, span: mark, marks: ("", "") }));
    }
    all.append(&mut ranking.finish());
    items(snapshot, all)
}

/// How far a name is from the cursor: names that nothing uses come first, then those that the text has last before the
/// cursor. What is not a name keeps its place.
fn nearness(names: &[Occurrence], at: Span) -> impl Fn(&str) -> (bool, u32) {
    let mut known: HashMap<String, (bool, u32)> = HashMap::new();
    for one in names {
        let is_used = !one.declares;
        let distance = match at.start.checked_sub(one.span.end) {
            Some(distance) if one.source == SourceId(0) => distance,
            _ => u32::MAX,
        };
        let entry = known.entry(one.name.clone()).or_insert((false, u32::MAX));
        *entry = (entry.0 || is_used, entry.1.min(distance));
    }
    move |name: &str| known.get(name).copied().unwrap_or_default()
}

/// Candidates as proposals, each text once.
fn items(snapshot: &Snapshot, all: Vec<Placed>) -> Vec<Item> {
    let mut items: Vec<Item> = Vec::new();
    let mut seen = HashSet::new();
    for placed in all {
        if items.len() < MOST && seen.insert(placed.candidate.text.clone()) {
            items.push(item(snapshot, items.len(), placed));
        }
    }
    items
}

/// What the schema and the rules would accept at a place of the tree, and whether the schema lists what can be there.
fn of_rules(subject: &Subject<'_>, snapshot: &Snapshot, cursor: &Cursor) -> (Vec<Candidate>, bool) {
    let sort = if cursor.is_key { Sort::Property } else { Sort::Value };
    let mut all: Vec<Candidate> = Vec::new();
    let document = cursor.document();
    let kind = snapshot.owner().kinds().get(&document.kind);
    let schema: Option<Value> = kind.and_then(|kind| serde_json::from_str(kind.tree_schema()).ok());
    let node = document.tree.node(cursor.node);
    if let Some(schema) = schema.filter(|_| !cursor.is_part) {
        let offers = match node.parent() {
            Some(mapping) if cursor.is_key => words::keys(&schema, mapping, CURSOR),
            _ => words::values(&schema, node, CURSOR),
        };
        let of_offer = |Offer { text, description, required }: Offer| {
            let detail = if required { "required".to_owned() } else { String::new() };
            Candidate { text, sort, detail, description, required, unread: 0 }
        };
        all.extend(offers.into_iter().map(of_offer));
    }
    let is_listed = !all.is_empty();
    let asked = Asked { span: cursor.span, is_part: cursor.is_part };
    let survey = subject.survey(&cursor.read, Some(asked));
    for text in survey.expected {
        let is_one = !text.contains(CURSOR) && !text.is_empty() && !text.contains('\n') && text.len() < 80;
        if is_one && all.iter().all(|known| known.text != text) {
            let name = survey.names.iter().find(|one| one.name == text);
            let detail = name.and_then(|one| one.value_type.clone().or_else(|| one.of.clone()));
            let sort = if name.is_some() { Sort::Variable } else { sort };
            let detail = detail.unwrap_or_default();
            all.push(Candidate { text, sort, detail, description: None, required: false, unread: 0 });
        }
    }
    let near = nearness(&survey.names, cursor.span);
    all.sort_by_key(|candidate| (!candidate.required, near(&candidate.text)));
    if !cursor.is_key && !cursor.is_part {
        add_like(node, &mut all);
    }
    (all, is_listed)
}

/// Adds the values that the same key has elsewhere in the document.
fn add_like(node: Node<'_>, all: &mut Vec<Candidate>) {
    let Some(key) = node.key() else { return };
    let mut waiting = vec![node.ancestors().last().unwrap_or(node)];
    while let Some(next) = waiting.pop() {
        let value = next.get(key).filter(|value| value.id() != node.id()).and_then(Node::as_str);
        let value = value.filter(|text| !text.is_empty() && text.len() < 80 && !text.contains('\n'));
        if let Some(text) = value.filter(|text| all.iter().all(|known| known.text != *text)) {
            let (text, detail) = (text.to_owned(), String::new());
            all.push(Candidate {
                text,
                sort: Sort::Value,
                detail,
                description: None,
                required: false,
                unread: 0,
            });
        }
        waiting.extend(next.children());
    }
}

fn item(snapshot: &Snapshot, index: usize, placed: Placed) -> Item {
    let Placed { candidate, span, marks: (before, after) } = placed;
    let range = snapshot.range(span);
    let new_text = format!("{before}{}{after}", candidate.text);
    Item {
        kind: candidate.sort as u8,
        detail: candidate.detail,
        documentation: candidate.description,
        sort_text: format!("{index:04}"),
        filter_text: candidate.text.clone(),
        label: candidate.text,
        text_edit: TextEdit { range, new_text },
    }
}

/// The word around a byte. A hyphen is a part of it between two letters, or where the next letter is still to be written.
fn word_at(text: &str, at: usize) -> Span {
    let is_letter = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$');
    let (before, after) = text.split_at(at);
    let mut start = before.trim_end_matches(is_letter).len();
    while let Some(hyphen) = before[..start].strip_suffix('-').filter(|rest| rest.ends_with(is_letter)) {
        start = hyphen.trim_end_matches(is_letter).len();
    }
    let rest = |text: &str| text.trim_start_matches(is_letter).len();
    let mut left = rest(after);
    if start < at {
        while let Some(next) =
            after[after.len() - left..].strip_prefix('-').filter(|next| next.starts_with(is_letter))
        {
            left = rest(next);
        }
    }
    Span::new(start, text.len() - left)
}

/// The part of an arrow before a byte.
fn mark_before(text: &str, at: usize) -> Span {
    let is_part = |c: char| c.is_ascii_punctuation() && !matches!(c, '"' | '\'' | '`' | '#');
    let before = &text[..at];
    Span::new(before.trim_end_matches(is_part).len(), at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_word_and_the_arrow_at_the_cursor_are_what_is_replaced() {
        let word = |marked: &str| {
            let at = marked.find('|').unwrap_or_default();
            let text = marked.replacen('|', "", 1);
            word_at(&text, at).of(&text).to_owned()
        };
        assert_eq!([word("a: b-c|"), word("A --|"), word("A -->b|"), word("|")], ["b-c", "", "b", ""]);
        assert_eq!(
            [word("a: b|-c d"), word("A|-->b"), word("A--b|"), word("fig-|")],
            ["b-c", "A", "b", "fig-"]
        );
        let mark = |text: &str| mark_before(text, text.len()).of(text).to_owned();
        assert_eq!([mark("A --"), mark("A"), mark("A-.")], ["--", "", "-."]);
    }
}
