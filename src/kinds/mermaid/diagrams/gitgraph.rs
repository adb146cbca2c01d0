//! gitGraph.

use std::collections::HashMap;

use crate::{
    kinds::{
        Observation,
        mermaid::{
            diagram::{Findings, trimmed},
            syntax::{Part, Syntax},
        },
    },
    text::{Span, nearest},
};

pub(super) fn check<'t>(syntax: &'t Syntax<'t>, findings: &mut Findings) {
    let mut history = History::new(findings.config.main_branch.as_deref().unwrap_or("main"));
    for part in syntax.children() {
        match part.rule() {
            "commit" => history.commit(part),
            "branch" => history.branch(part, findings),
            "checkout" => history.checkout(part, findings),
            "merge" => history.merge(part, findings),
            "cherry_pick" => history.cherry_pick(part, findings),
            _ => {}
        }
    }
}

struct Commit {
    branch: String,
    parents: Vec<String>,
    merge: bool,
}

/// The repository that the statements build.
struct History {
    commits: HashMap<String, Commit>,
    /// Head of each branch, and where the branch is made.
    branches: HashMap<String, (Option<String>, Option<Span>)>,
    current: String,
    head: Option<String>,
    sequence: usize,
}

impl History {
    fn new(main: &str) -> Self {
        Self {
            commits: HashMap::new(),
            branches: HashMap::from([(main.to_owned(), (None, None))]),
            current: main.to_owned(),
            head: None,
            sequence: 0,
        }
    }
}

impl History {
    fn add(&mut self, id: Option<String>, parents: Vec<String>, merge: bool) {
        // A blank cannot stand in a made-up id of the reference's.
        let id = id.filter(|id| !id.is_empty()).unwrap_or_else(|| format!("{} ", self.sequence));
        self.sequence += 1;
        let branch = self.current.clone();
        self.branches.entry(branch.clone()).or_default().0 = Some(id.clone());
        self.head = Some(id.clone());
        self.commits.insert(id, Commit { branch, parents, merge });
    }

    fn commit(&mut self, part: Part<'_>) {
        let parents = self.head.iter().cloned().collect();
        self.add(last_text(part, "id"), parents, false);
    }

    fn branch(&mut self, part: Part<'_>, findings: &mut Findings) {
        let Some(name) = part.find("name") else { return };
        let text = unquoted(name.text());
        if let Some((_, made)) = self.branches.get(&text) {
            let mut observation = Observation::new("git-branch-exists", trimmed(name))
                .with("name", text.as_str())
                .at("keyword", keyword(part));
            if let Some(made) = made {
                observation = observation.at("first", *made);
            }
            findings.push(observation);
            self.enter(&text);
            return;
        }
        self.branches.insert(text.clone(), (self.head.clone(), Some(trimmed(name))));
        self.enter(&text);
    }

    fn checkout(&mut self, part: Part<'_>, findings: &mut Findings) {
        let Some(name) = part.find("name") else { return };
        let text = unquoted(name.text());
        if self.branches.contains_key(&text) {
            self.enter(&text);
            return;
        }
        findings.push(self.unknown("git-branch-unknown", name, &text).at("keyword", keyword(part)));
        self.branches.insert(text.clone(), (self.head.clone(), Some(trimmed(name))));
        self.enter(&text);
    }

    fn unknown(&self, rule: &'static str, name: Part<'_>, text: &str) -> Observation {
        let mut known: Vec<&str> = self.branches.keys().map(String::as_str).collect();
        known.sort_unstable();
        let mut observation = Observation::new(rule, trimmed(name)).with("name", text);
        if let Some(near) = nearest(text, known.iter().copied()) {
            observation = observation.with("nearest", near);
        }
        let expected: Vec<String> = known.into_iter().map(str::to_owned).collect();
        observation.with("expected", expected)
    }

    fn enter(&mut self, name: &str) {
        name.clone_into(&mut self.current);
        self.head = self.branches.get(name).and_then(|(head, _)| head.clone());
    }

    fn merge(&mut self, part: Part<'_>, findings: &mut Findings) {
        let Some(name) = part.find("name") else { return };
        let other = unquoted(name.text());
        let own = self.branches.get(&self.current).and_then(|(head, _)| head.clone());
        let theirs = self.branches.get(&other).and_then(|(head, _)| head.clone());
        let custom = last_text(part, "id").filter(|id| !id.is_empty());
        let reason = if self.current == other
            || own.is_some()
                && theirs.is_some()
                && own
                    .as_ref()
                    .and_then(|id| self.commits.get(id))
                    .is_some_and(|commit| commit.branch == other)
        {
            Some("git-merge-itself")
        } else if own.is_none() {
            Some("git-no-commits")
        } else if !self.branches.contains_key(&other) {
            Some("git-merge-unknown")
        } else if theirs.is_none() {
            Some("git-merge-empty")
        } else if own == theirs {
            Some("git-merge-same-head")
        } else if custom.as_ref().is_some_and(|id| self.commits.contains_key(id)) {
            Some("git-commit-id-used")
        } else {
            None
        };
        if let Some(reason) = reason {
            findings.push(
                self.unknown(reason, name, &other)
                    .with("current", self.current.as_str())
                    .at("line", trimmed(part)),
            );
            return;
        }
        let parents = self.head.iter().cloned().chain(theirs).collect();
        self.add(custom, parents, true);
    }

    fn cherry_pick(&mut self, part: Part<'_>, findings: &mut Findings) {
        let id = last_text(part, "id").filter(|id| !id.is_empty());
        let parent = last_text(part, "parent_id").filter(|id| !id.is_empty());
        let source = id.as_ref().and_then(|id| self.commits.get(id));
        let reason = match source {
            None => Some("git-pick-unknown"),
            Some(source) if parent.as_ref().is_some_and(|parent| !source.parents.contains(parent)) => {
                Some("git-pick-parent")
            }
            Some(source) if source.merge && parent.is_none() => Some("git-pick-merge"),
            Some(source) if source.branch == self.current => Some("git-pick-own"),
            Some(_) if self.branches.get(&self.current).is_none_or(|(head, _)| head.is_none()) => {
                Some("git-no-commits")
            }
            Some(_) => None,
        };
        if let Some(reason) = reason {
            let place = part.find("id").unwrap_or(part);
            findings.push(
                Observation::new(reason, trimmed(place))
                    .with("name", id.unwrap_or_default())
                    .with("current", self.current.as_str())
                    .at("line", trimmed(part)),
            );
            return;
        }
        let parents = self.head.iter().cloned().chain(id).collect();
        self.add(None, parents, false);
    }
}

fn keyword(part: Part<'_>) -> Span {
    let start = trimmed(part).start as usize;
    let word = part.text().split_whitespace().next().unwrap_or_default();
    Span::new(start, start + word.len())
}

fn last_text(part: Part<'_>, rule: &str) -> Option<String> {
    part.find_all(rule).last().map(|found| unquoted(found.text()))
}

fn unquoted(text: &str) -> String {
    let text = text.trim();
    let inner = text.strip_prefix(['"', '\'']).and_then(|rest| rest.strip_suffix(['"', '\'']));
    inner.unwrap_or(text).to_owned()
}
