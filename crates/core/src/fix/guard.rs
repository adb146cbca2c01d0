//! The guard: whether a change may be kept. Every client's changes pass through [`Guard::harm`].
//!
//! A fix must not drop a word of the author; edits that a client writes may. No change may introduce an error.
//! Errors are compared by rule and place, so that an error that goes away makes no room for another one of its rule.
//! An error that a change *uncovers* does not count: one in a part of the document that could not be read before, because
//! of a syntax error in the same diagram or document. One that is about a word of the changed lines counts: where
//! a declaration becomes a comment, its uses are errors because of that.

use std::{
    cell::RefCell,
    collections::{BTreeSet, HashMap, HashSet},
    hash::BuildHasher,
    rc::Rc,
};

use foldhash::quality::FixedState;

use super::{
    hidden::{Checked, Hidden},
    known::{Found, Known, by_lines},
    lines::Lines,
    waiting::is_syntax,
};
use crate::{
    diagnostic::{Diagnostic, Severity},
    kinds::Document,
    rules::Ruleset,
    text::{Edit, Span, visible, words},
    tree::Entry,
};

/// How many schemas have their words kept for the next change.
const SCHEMAS: usize = 64;

/// Why a fix is left out that must leave the page as it is.
pub(super) const CHANGES_PAGE: &str = "it would change what the page shows";

/// What a change would do that it must not do.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Harm {
    /// Ids of the errors that it introduces, sorted.
    pub new_errors: Vec<String>,
    /// Words of the author that it drops, in the order of the text.
    pub lost_words: Vec<String>,
    /// Whether it changes what the page shows, although a fix of its rule must not.
    pub changes_page: bool,
    /// Whether lines of an embedded document would no longer be in the block quote that it is in.
    pub leaves_quote: bool,
}

/// Who thought of a change, and so what it may discard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Origin {
    /// A rule: no word.
    Rule,
    /// A person or an agent that wrote the edits, or chose a fix marked manual: anything.
    Chosen,
}

impl Harm {
    /// Whether the change may be kept.
    pub fn is_none(&self) -> bool {
        let drops = self.changes_page || self.leaves_quote;
        self.new_errors.is_empty() && self.lost_words.is_empty() && !drops
    }
}

impl std::fmt::Display for Harm {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let lost = || {
            self.lost_words.iter().map(|word| format!("`{}`", visible(word))).collect::<Vec<_>>().join(", ")
        };
        if self.leaves_quote {
            return f.write_str("it would take lines out of the block quote");
        }
        match (self.new_errors.is_empty(), self.lost_words.is_empty()) {
            (true, true) if self.changes_page => f.write_str(CHANGES_PAGE),
            (true, true) => Ok(()),
            (false, true) => write!(f, "it would add {}", self.new_errors.join(", ")),
            (true, false) => write!(f, "it would drop {}", lost()),
            (false, false) => write!(f, "it would add {} and drop {}", self.new_errors.join(", "), lost()),
        }
    }
}

/// What the edits that lead from `before` to `after` harm.
pub(super) fn harm(
    before: Checked<'_>,
    after: Checked<'_>,
    edits: &[Edit],
    origin: Origin,
    ruleset: &Ruleset,
) -> Harm {
    Harm {
        new_errors: new_errors(before, after, edits, ruleset),
        lost_words: lost_words(before.text, after, edits, origin, ruleset),
        changes_page: false,
        leaves_quote: origin == Origin::Rule && leaves_quote(before, after.text, edits),
    }
}

/// Whether edits inside an embedded document take one of its lines out of the block quote that it is in. The document
/// would end there, and what is wrong after it would not be seen.
fn leaves_quote(before: Checked<'_>, after: &str, edits: &[Edit]) -> bool {
    let quotes = |line: &str| {
        let marks = line.chars().take_while(|c| matches!(c, ' ' | '\t' | '>'));
        marks.filter(|c| *c == '>').count()
    };
    let grown = |edits: &[&Edit]| -> isize {
        edits.iter().map(|edit| edit.new.len() as isize - edit.span.len() as isize).sum()
    };
    before.outcome.document.embedded.iter().any(|inner| {
        let span = inner.tree.root().span();
        let first = before.text[..span.start as usize].rfind('\n').map_or(0, |end| end + 1);
        let depth = quotes(&before.text[first..]);
        let own: Vec<&Edit> =
            edits.iter().filter(|edit| span.start <= edit.span.start && edit.span.end <= span.end).collect();
        if depth == 0 || own.is_empty() {
            return false;
        }
        let earlier: Vec<&Edit> = edits.iter().filter(|edit| edit.span.end <= span.start).collect();
        let start = (span.start as usize).saturating_add_signed(grown(&earlier));
        let end = start.saturating_add(span.len()).saturating_add_signed(grown(&own));
        let inside = after.get(start..end.min(after.len())).unwrap_or_default();
        inside.trim_end().lines().skip(1).any(|line| quotes(line) < depth)
    })
}

/// Errors that count.
pub(super) fn errors(diagnostics: &[Diagnostic]) -> impl Iterator<Item = &Diagnostic> {
    diagnostics.iter().filter(|found| found.severity == Severity::Error && found.suppressed.is_none())
}

/// Errors that count, also of rules that were not selected.
fn errors_of<'c>(checked: Checked<'c>) -> impl Iterator<Item = &'c Diagnostic> {
    errors(&checked.outcome.diagnostics).chain(errors(checked.outcome.unselected_errors()))
}

fn lost_words(
    before: &str,
    after: Checked<'_>,
    edits: &[Edit],
    origin: Origin,
    ruleset: &Ruleset,
) -> Vec<String> {
    if origin == Origin::Chosen || keeps_words(before, edits) {
        return Vec::new();
    }
    let keywords = std::cell::OnceCell::new();
    words::lost(before, after.text, |word| {
        keywords.get_or_init(|| keywords_of(&after.outcome.document, ruleset)).contains(word)
    })
}

/// Whether the lines that edits touch still have all of their words.
fn keeps_words(text: &str, edits: &[Edit]) -> bool {
    let (mut before, mut after) = (String::new(), String::new());
    let mut left = edits.iter().peekable();
    for line in Lines::touched(text, edits.iter().map(|edit| edit.span)).iter() {
        before.push_str(line.of(text));
        before.push('\n');
        let mut at = line.start;
        while let Some(edit) = left.next_if(|edit| edit.span.end <= line.end) {
            // Edits that are not in order are looked at with the whole text.
            let Some(kept) = text.get(at as usize..edit.span.start as usize) else { return false };
            after.push_str(kept);
            after.push_str(&edit.new);
            at = edit.span.end;
        }
        after.push_str(text.get(at as usize..line.end as usize).unwrap_or_default());
        after.push('\n');
    }
    left.next().is_none() && words::keeps(&before, &after)
}

/// The words of the languages of a document and of those inside it, in lower case: what statements,
/// headers and fences begin with, arrows, and the keys and values that the schema lists.
fn keywords_of(document: &Document, ruleset: &Ruleset) -> HashSet<String> {
    let mut keywords = HashSet::new();
    let mut add = |text: &str| keywords.extend(words::words(text));
    if let Some(kind) = ruleset.kind(&document.kind) {
        kind.languages().iter().for_each(|language| add(language));
        for form in kind.forms() {
            form.headers.iter().chain(form.connectors).for_each(|word| add(word));
            form.headers.iter().flat_map(|word| parts(word)).chain(NOUNS.iter().copied()).for_each(&mut add);
            form.statements.iter().for_each(|(word, written)| add(&format!("{word} {written}")));
        }
        let words = words_of_schema(kind.tree_schema(), has_written_keys(document), kind.optional_keys());
        words.iter().for_each(|word| add(word));
    }
    for inner in &document.embedded {
        keywords.extend(keywords_of(inner, ruleset));
    }
    keywords
}

/// Whether the tree consists of what is written, as that of YAML does: the names of its schema are words of
/// the language. The names of other trees, such as `text` in Markdown, are not.
fn has_written_keys(document: &Document) -> bool {
    let root = document.tree.root();
    let first = root.entries().next().or_else(|| root.items().find_map(|item| item.entries().next()));
    let written = |entry: Entry<'_>| document.source().text().get(entry.key_span().range());
    first.is_some_and(|entry| written(entry).is_some_and(|written| written.contains(entry.key())))
}

/// What authors call a diagram after its type, which is not a word of the language: `pie chart`.
const NOUNS: &[&str] = &["chart", "diagram", "graph"];

/// The first and the last part of a header in camel case: authors add `Chart` or `Diagram` to other headers too, and write
/// statements of `gitGraph` as commands of `git`.
fn parts(header: &str) -> impl Iterator<Item = &str> {
    let ends = [header.find(char::is_uppercase), header.rfind(char::is_uppercase)];
    let [first, last] = ends.map(|at| at.filter(|at| *at > 0));
    first.and_then(|at| header.get(..at)).into_iter().chain(last.and_then(|at| header.get(at..)))
}

/// The words of a schema without those of the optional keys, which say how a document is written. They are found once for
/// each of the last schemas.
fn words_of_schema(schema: &str, written: bool, optional: &[&str]) -> Rc<[String]> {
    type Known = RefCell<HashMap<u64, Rc<[String]>>>;
    thread_local! {
        static KNOWN: Known = RefCell::default();
    }
    KNOWN.with_borrow_mut(|known| {
        if known.len() >= SCHEMAS {
            known.clear();
        }
        let key = FixedState::default().hash_one((schema, written));
        Rc::clone(known.entry(key).or_insert_with(|| {
            let mut words = Vec::new();
            if let Ok(mut schema) = serde_json::from_str::<serde_json::Value>(schema) {
                if let Some(properties) = schema.get_mut("properties").and_then(|all| all.as_object_mut()) {
                    properties.retain(|name, _| !optional.contains(&name.as_str()));
                }
                schema_words(&schema, written, &mut |word| words.push(word.to_owned()));
            }
            words.into()
        }))
    })
}

/// Values of `enum` and `const`, and the names of properties where these are `written`.
fn schema_words(schema: &serde_json::Value, written: bool, add: &mut impl FnMut(&str)) {
    use serde_json::Value;
    match schema {
        Value::Object(entries) => {
            for (key, value) in entries {
                match (key.as_str(), value) {
                    ("properties", Value::Object(properties)) if written => {
                        properties.keys().for_each(|name| add(name));
                    }
                    ("enum", Value::Array(values)) => {
                        values.iter().filter_map(Value::as_str).for_each(&mut *add);
                    }
                    ("const", Value::String(value)) => add(value),
                    _ => {}
                }
                schema_words(value, written, add);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| schema_words(item, written, add)),
        _ => {}
    }
}

/// Ids of the errors of `after` that `before` does not have, without those that were uncovered.
fn new_errors(before: Checked<'_>, after: Checked<'_>, edits: &[Edit], ruleset: &Ruleset) -> Vec<String> {
    if errors_of(after).next().is_none() {
        return Vec::new();
    }
    let edits = by_lines(before.text, edits);
    let mut known = Known::new(before.text, &edits, errors_of(before));
    let found = known.not_at_their_place(errors_of(after));
    if found.is_empty() {
        return Vec::new();
    }
    let is_syntax = |error: &Diagnostic| is_syntax(ruleset, error);
    let hidden = Hidden::new(before, &is_syntax);
    let changed = Lines::touched(before.text, edits.iter().map(|edit| edit.span));
    let doubtful = edits.iter().filter(|edit| may_hide_words(before.text, edit)).map(|edit| edit.span);
    let touched: HashSet<String> = Lines::touched(before.text, doubtful)
        .iter()
        .flat_map(|line| words::words(line.of(before.text)))
        .collect();
    let is_hidden = |found: &Found<'_>| {
        let is_hidden = !found.is_written && hidden.holds(found.origin, is_syntax(found.error));
        is_hidden && !is_about(found.error, &touched)
    };
    let of_syntax = found.iter().filter(|found| is_syntax(found.error) && is_hidden(found));
    let syntax: Vec<u32> = of_syntax.map(|found| found.origin).collect();
    let is_read = hidden.is_read(&syntax, before.text);
    let renamed = renamed(before, &edits);
    let is_unread = |found: &Found<'_>| {
        !found.is_written
            && renamed.iter().any(|value| value.start <= found.origin && found.origin < value.end)
    };
    let new: BTreeSet<&str> = found
        .iter()
        .filter(|found| !(is_unread(found) || is_read && is_hidden(found)))
        .filter(|found| !known.is_near(found, after.text, &changed))
        .map(|found| found.error.id.as_str())
        .collect();
    new.into_iter().map(str::to_owned).collect()
}

/// The values of keys that edits rename and that were errors before: nothing is known of what is in the value of an unknown
/// key.
fn renamed(before: Checked<'_>, edits: &[Edit]) -> Vec<Span> {
    let wrong: HashSet<Span> = errors_of(before)
        .map(|error| Span { start: error.location.byte_start, end: error.location.byte_end })
        .filter(|place| edits.iter().any(|edit| place.start <= edit.span.start && edit.span.end <= place.end))
        .collect();
    let mut values = Vec::new();
    let mut left = if wrong.is_empty() { Vec::new() } else { vec![before.outcome.document.tree.root()] };
    while let Some(node) = left.pop() {
        let renamed = node.entries().filter(|entry| wrong.contains(&entry.key_span()));
        values.extend(renamed.map(|entry| entry.value().span()));
        left.extend(node.children());
    }
    values
}

/// What comments begin with.
const COMMENTS: &[&str] = &["%%", "#", "//", "<!--"];

/// Whether an edit changes words or makes them a comment, so that nothing declares them after it.
fn may_hide_words(text: &str, edit: &Edit) -> bool {
    let old = edit.span.of(text);
    let begins_comment = |mark: &&str| edit.new.matches(*mark).count() > old.matches(*mark).count();
    words::words(old) != words::words(&edit.new) || COMMENTS.iter().any(begins_comment)
}

/// Whether an error of the meaning is about words of the changed lines only.
fn is_about(error: &Diagnostic, touched: &HashSet<String>) -> bool {
    let named = error.found.as_deref().map(words::words).unwrap_or_default();
    !named.is_empty() && named.iter().all(|word| touched.contains(word))
}
