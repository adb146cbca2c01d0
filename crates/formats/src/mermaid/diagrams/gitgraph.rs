//! gitGraph: the repository that the statements build, as data for rules.

use std::collections::HashMap;

use crate::{
    mermaid::{
        diagram::trimmed,
        grammars::rules::gitgraph as rule,
        syntax::{Part, Syntax},
        tree::TreeWriter,
    },
    text::Span,
};

/// Adds `mainBranch`, and `history`: the statements in order, with the state of the repository that each of
/// them meets. A statement that Mermaid rejects changes nothing.
pub(super) fn write<'t>(syntax: &'t Syntax<'t>, tree: &mut TreeWriter<'_>) {
    let main = tree.config.main_branch.as_deref().unwrap_or("main").to_owned();
    tree.piece("mainBranch", &main, Span::at(0));
    let mut history = History::new(main);
    tree.list("history", |tree| {
        for part in syntax.children() {
            match part.number() {
                rule::COMMIT => history.commit(part, tree),
                rule::BRANCH => history.branch(part, tree),
                rule::CHECKOUT => history.checkout(part, tree),
                rule::MERGE => history.merge(part, tree),
                rule::CHERRY_PICK => history.cherry_pick(part, tree),
                _ => {}
            }
        }
    });
}

struct Commit {
    branch: String,
    parents: Vec<String>,
    merge: bool,
}

/// The repository.
struct History {
    commits: HashMap<String, Commit>,
    /// Head of each branch; nothing before its first commit.
    branches: HashMap<String, Option<String>>,
    current: String,
    /// How many commits there are, for the ids of those without one.
    sequence: usize,
}

impl History {
    fn new(main: String) -> Self {
        Self {
            commits: HashMap::new(),
            branches: HashMap::from([(main.clone(), None)]),
            current: main,
            sequence: 0,
        }
    }

    fn head(&self) -> Option<String> {
        self.branches.get(&self.current).cloned().flatten()
    }

    fn add(&mut self, id: Option<String>, parents: Vec<String>, merge: bool) {
        // Ids that Mermaid makes up do not contain spaces.
        let id = id.unwrap_or_else(|| format!("{} ", self.sequence));
        self.sequence += 1;
        let branch = self.current.clone();
        self.branches.insert(branch.clone(), Some(id.clone()));
        self.commits.insert(id, Commit { branch, parents, merge });
    }

    fn commit(&mut self, part: Part<'_>, tree: &mut TreeWriter<'_>) {
        let id = last(part, "id");
        if let Some((id, span)) = &id {
            statement(part, "commit", tree, |tree| tree.piece("id", id, *span));
        }
        let parents = self.head().into_iter().collect();
        self.add(id.map(|(id, _)| id), parents, false);
    }

    fn branch(&mut self, part: Part<'_>, tree: &mut TreeWriter<'_>) {
        self.enter(part, "branch", tree);
    }

    fn checkout(&mut self, part: Part<'_>, tree: &mut TreeWriter<'_>) {
        self.enter(part, "checkout", tree);
    }

    /// Makes a branch the current one; one that does not exist begins at the head.
    fn enter(&mut self, part: Part<'_>, word: &'static str, tree: &mut TreeWriter<'_>) {
        let Some(name) = part.find(rule::NAME) else { return };
        let branch = unquoted(name.text());
        statement(part, word, tree, |tree| tree.piece("name", &branch, trimmed(name)));
        let head = self.head();
        self.branches.entry(branch.clone()).or_insert(head);
        self.current = branch;
    }

    fn merge(&mut self, part: Part<'_>, tree: &mut TreeWriter<'_>) {
        let Some(name) = part.find(rule::NAME) else { return };
        let (other, place) = (unquoted(name.text()), trimmed(name));
        let id = last(part, "id");
        let head = self.head();
        let head_branch = head.as_ref().and_then(|head| self.commits.get(head)).map(|head| &head.branch);
        let theirs = self.branches.get(&other);
        statement(part, "merge", tree, |tree| {
            tree.piece("name", &other, place);
            tree.piece("current", &self.current, place);
            if let (Some(head), Some(branch)) = (&head, head_branch) {
                tree.piece("head", head, place);
                tree.piece("headBranch", branch, place);
            }
            if let Some(theirs) = theirs {
                tree.mapping("other", place, |tree| {
                    if let Some(theirs) = theirs {
                        tree.piece("head", theirs, place);
                    }
                });
            }
            if let Some((id, span)) = &id {
                tree.piece("id", id, *span);
            }
        });
        let theirs = theirs.cloned().flatten();
        let is_free = id.as_ref().is_none_or(|(id, _)| !self.commits.contains_key(id));
        let is_own = self.current == other || head_branch == Some(&other);
        if is_free && !is_own && head.is_some() && theirs.is_some() && head != theirs {
            self.add(id.map(|(id, _)| id), head.into_iter().chain(theirs).collect(), true);
        }
    }

    fn cherry_pick(&mut self, part: Part<'_>, tree: &mut TreeWriter<'_>) {
        let id = last(part, "id");
        let parent = last(part, "parent_id");
        let picked = id.as_ref().and_then(|(id, _)| self.commits.get(id));
        let head = self.head();
        let place = part.find(rule::ID).map_or(keyword(part), trimmed);
        statement(part, "cherry-pick", tree, |tree| {
            if let Some((id, span)) = &id {
                tree.piece("id", id, *span);
            }
            if let Some((parent, span)) = &parent {
                tree.piece("parent", parent, *span);
            }
            tree.piece("current", &self.current, place);
            if let Some(head) = &head {
                tree.piece("head", head, place);
            }
            if let Some(picked) = picked {
                tree.mapping("commit", place, |tree| picked.write(place, tree));
            }
        });
        let fits = |picked: &Commit| {
            let has_parent = |(parent, _): &(String, Span)| picked.parents.contains(parent);
            picked.branch != self.current && parent.as_ref().map_or(!picked.merge, has_parent)
        };
        if head.is_some() && picked.is_some_and(fits) {
            self.add(None, head.into_iter().chain(id.map(|(id, _)| id)).collect(), false);
        }
    }
}

impl Commit {
    fn write(&self, place: Span, tree: &mut TreeWriter<'_>) {
        tree.piece("branch", &self.branch, place);
        tree.word_at("kind", if self.merge { "merge" } else { "commit" }, place);
        tree.list("parents", |tree| self.parents.iter().for_each(|parent| tree.item_text(parent, place)));
    }
}

/// Adds an item for a statement: its word at the keyword, and more fields.
fn statement(
    part: Part<'_>,
    word: &'static str,
    tree: &mut TreeWriter<'_>,
    fields: impl FnOnce(&mut TreeWriter<'_>),
) {
    tree.object(part, |tree| {
        tree.word_at("statement", word, keyword(part));
        fields(tree);
    });
}

fn keyword(part: Part<'_>) -> Span {
    let start = trimmed(part).start as usize;
    let word = part.text().split_whitespace().next().unwrap_or_default();
    Span::new(start, start + word.len())
}

/// The text of the last part of a rule, without quotes, unless it is empty.
fn last(part: Part<'_>, rule: &str) -> Option<(String, Span)> {
    let found = part.find_all(rule).last()?;
    let text = unquoted(found.text());
    (!text.is_empty()).then(|| (text, trimmed(found)))
}

fn unquoted(text: &str) -> String {
    let text = text.trim();
    let inner = text.strip_prefix(['"', '\'']).and_then(|rest| rest.strip_suffix(['"', '\'']));
    inner.unwrap_or(text).to_owned()
}
