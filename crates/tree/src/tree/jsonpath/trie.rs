//! Paths that are followed together: steps that several of them begin with are taken once.

use std::ops::Range;

use super::{Groups, JsonPath, Key, KeyMap, Logical, Operand, Operator, Segment, Selector};
use crate::{budget, tree::Node};

/// Paths as a trie of their steps. At the end of each path is a value that says which one it is.
#[derive(Debug, Clone)]
pub struct PathTrie<T> {
    /// The roots come first, and every branch before those that it leads to.
    branches: Vec<Branch<T>>,
}

/// What paths have in common up to a node.
#[derive(Debug, Clone)]
struct Branch<T> {
    names: Vec<(Key, usize)>,
    /// The step to all children.
    all: Option<usize>,
    /// The step to each child, for filters. Their conditions are the tests and guards of that branch.
    children: Option<usize>,
    /// Tests of the node itself: which text its member of this name has. Many paths lead to one kind of node each,
    /// `$.steps[?@.type == 'Echo']`, and the member is read once for all.
    tests: Vec<(Key, KeyMap<usize>)>,
    /// Other conditions of the node itself.
    guards: Vec<(Logical, String, usize)>,
    others: Vec<(Segment, String, usize)>,
    /// The paths that end here.
    ends: Vec<T>,
    /// Whether paths lead further.
    leads_on: bool,
}

impl<T> Default for Branch<T> {
    fn default() -> Self {
        Self {
            names: Vec::new(),
            all: None,
            children: None,
            tests: Vec::new(),
            guards: Vec::new(),
            others: Vec::new(),
            ends: Vec::new(),
            leads_on: false,
        }
    }
}

impl<T> Branch<T> {
    /// The branches that its steps and conditions lead to.
    fn next(&self) -> impl Iterator<Item = usize> {
        let names = self.names.iter().map(|(_, next)| *next);
        let tests = self.tests.iter().flat_map(|(_, branches)| branches.values().copied());
        let guards = self.guards.iter().map(|(_, _, next)| *next);
        let others = self.others.iter().map(|(_, _, next)| *next);
        names.chain(self.all).chain(self.children).chain(tests).chain(guards).chain(others)
    }
}

impl<T: Copy> PathTrie<T> {
    /// A trie without paths, with this many roots that paths can start at.
    pub fn new(roots: usize) -> Self {
        Self { branches: (0..roots).map(|_| Branch::default()).collect() }
    }

    /// Adds a path that starts at a root.
    pub fn add(&mut self, root: usize, path: &JsonPath, end: T) {
        let branch = path.segments().iter().fold(root, |branch, segment| self.step(branch, segment));
        self.branches[branch].ends.push(end);
    }

    /// Whether no path starts at a root.
    pub fn is_empty(&self, root: usize) -> bool {
        let branch = &self.branches[root];
        branch.ends.is_empty() && !branch.leads_on
    }

    /// Whether a path that starts at a root begins with the member of this name.
    pub fn begins_with(&self, root: usize, name: &str) -> bool {
        self.branches[root].names.iter().any(|(known, _)| **known == *name)
    }

    /// The branches that lead to the end of a path that is wanted.
    pub fn leading_to(&self, wants: impl Fn(T) -> bool) -> Vec<bool> {
        let mut leading = vec![false; self.branches.len()];
        for (index, branch) in self.branches.iter().enumerate().rev() {
            leading[index] =
                branch.ends.iter().any(|end| wants(*end)) || branch.next().any(|next| leading[next]);
        }
        leading
    }

    /// The branch that a step leads to, made when it is new.
    fn step(&mut self, from: usize, segment: &Segment) -> usize {
        if let Some((tests, guard)) = tests_of(segment) {
            let children = self.branches[from].children.unwrap_or_else(|| self.branch(from));
            self.branches[from].children = Some(children);
            let tested = tests.into_iter().fold(children, |at, (member, text)| self.test(at, member, text));
            return guard.map_or(tested, |guard| self.guard(tested, guard));
        }
        match (segment.descendant, segment.selectors.as_slice()) {
            (false, [Selector::Name(name)]) => {
                if let Some((_, to)) = self.branches[from].names.iter().find(|(known, _)| known == name) {
                    return *to;
                }
                let next = self.branch(from);
                self.branches[from].names.push((name.clone(), next));
                return next;
            }
            // What does not depend on the child is looked at once for all of them.
            (false, [Selector::Filter(filter)]) if !filter.has_fixed_part() => {
                let children = self.branches[from].children.unwrap_or_else(|| self.branch(from));
                self.branches[from].children = Some(children);
                return self.guard(children, filter.clone());
            }
            (false, [Selector::Wildcard]) => {
                let next = self.branches[from].all.unwrap_or_else(|| self.branch(from));
                self.branches[from].all = Some(next);
                return next;
            }
            _ => {}
        }
        let key = key_of(segment);
        if let Some((_, _, to)) = self.branches[from].others.iter().find(|(_, known, _)| *known == key) {
            return *to;
        }
        let next = self.branch(from);
        self.branches[from].others.push((segment.clone(), key, next));
        next
    }

    /// A new branch that another one leads to.
    fn branch(&mut self, from: usize) -> usize {
        self.branches[from].leads_on = true;
        self.branches.push(Branch::default());
        self.branches.len() - 1
    }

    /// The branch for nodes whose member has this text.
    fn test(&mut self, from: usize, member: &Key, text: &str) -> usize {
        let tests = &self.branches[from].tests;
        let known = tests.iter().position(|(name, _)| name == member);
        if let Some(to) = known.and_then(|known| tests[known].1.get(text)) {
            return *to;
        }
        let next = self.branch(from);
        let tests = &mut self.branches[from].tests;
        let index = known.unwrap_or_else(|| {
            tests.push((member.clone(), KeyMap::default()));
            tests.len() - 1
        });
        tests[index].1.insert(Key::new(text), next);
        next
    }

    /// The branch for nodes for which a condition holds.
    fn guard(&mut self, from: usize, condition: Logical) -> usize {
        let key = format!("{condition:?}");
        if let Some((_, _, to)) = self.branches[from].guards.iter().find(|(_, known, _)| *known == key) {
            return *to;
        }
        let next = self.branch(from);
        self.branches[from].guards.push((condition, key, next));
        next
    }

    /// Passes every node that a path from a root selects to `found`, with the end of the path; for each path in the order of
    /// RFC 9535. With `asked`, only those branches are followed.
    #[inline]
    pub fn visit<'t>(
        &self,
        root: usize,
        node: Node<'t>,
        asked: Option<&[bool]>,
        found: &mut dyn FnMut(T, Node<'t>),
    ) {
        let branch = &self.branches[root];
        if !budget::charge(1 + branch.ends.len() as u64) {
            return;
        }
        for end in &branch.ends {
            found(*end, node);
        }
        if branch.leads_on {
            self.visit_further(branch, node, asked, found);
        }
    }

    /// Passes the nodes to `found` to which the paths of a branch lead further.
    fn visit_further<'t>(
        &self,
        branch: &Branch<T>,
        node: Node<'t>,
        asked: Option<&[bool]>,
        found: &mut dyn FnMut(T, Node<'t>),
    ) {
        let is_asked = |branch: usize| asked.is_none_or(|asked| asked[branch]);
        for (name, next) in &branch.names {
            if let Some(child) = node.get_of(name).filter(|_| is_asked(*next)) {
                self.visit(*next, child.target(), asked, found);
            }
        }
        for next in branch.all.into_iter().chain(branch.children).filter(|next| is_asked(*next)) {
            if !budget::charge(node.len() as u64) {
                return;
            }
            for child in node.children() {
                self.visit(next, child.target(), asked, found);
            }
        }
        for (member, branches) in &branch.tests {
            let text = node.get_of(member).and_then(|member| member.target().as_str());
            if let Some(next) = text.and_then(|text| branches.get(text)).filter(|next| is_asked(**next)) {
                self.visit(*next, node, asked, found);
            }
        }
        for (condition, _, next) in &branch.guards {
            if is_asked(*next) && condition.holds(node) {
                self.visit(*next, node, asked, found);
            }
        }
        for (segment, _, next) in &branch.others {
            if is_asked(*next) {
                segment.select_each(node, |child| self.visit(*next, child, asked, found));
            }
        }
    }
}

/// What steps have in common that select the same.
fn key_of(segment: &Segment) -> String {
    let step = if segment.descendant { ".." } else { "." };
    match segment.selectors.as_slice() {
        // Most steps, so these are quick.
        [Selector::Wildcard] => format!("{step}*"),
        [Selector::Name(name)] => format!("{step}{name}'"),
        _ => format!("{segment:?}"),
    }
}

/// The parts `@.member == 'text'` of a step `[?@.member == 'text' && …]`, and what else the filter demands; nothing for a
/// step without such a part.
fn tests_of(segment: &Segment) -> Option<(Vec<MemberText<'_>>, Option<Logical>)> {
    let (false, [Selector::Filter(filter)]) = (segment.descendant, segment.selectors.as_slice()) else {
        return None;
    };
    let parts =
        if let Logical::And(parts) = filter { parts.as_slice() } else { std::slice::from_ref(filter) };
    let tests: Vec<MemberText<'_>> = parts.iter().filter_map(member_text).collect();
    let mut others: Vec<Logical> = parts.iter().filter(|part| member_text(part).is_none()).cloned().collect();
    let guard = if others.len() > 1 { Some(Logical::And(others)) } else { others.pop() };
    (!tests.is_empty()).then_some((tests, guard))
}

/// Member and text of a condition `@.member == 'text'`.
type MemberText<'s> = (&'s Key, &'s str);

fn member_text(condition: &Logical) -> Option<MemberText<'_>> {
    let Logical::Compare(left, Operator::Equal, right) = condition else { return None };
    let (Operand::Query(path), Operand::Literal(serde_json::Value::String(text))) = (left, right) else {
        return None;
    };
    let [Segment { descendant: false, selectors }] = path.segments() else { return None };
    let [Selector::Name(member)] = selectors.as_slice() else { return None };
    path.is_relative().then_some((member, text))
}

/// Paths from a node or from the document that are wanted together.
#[derive(Debug, Clone)]
pub struct PathSet {
    /// Its roots are [`FROM_NODE`] and [`FROM_DOCUMENT`]; at the ends are the positions of the paths.
    trie: PathTrie<u32>,
    len: u32,
}

/// Root of the paths that start at `@`.
const FROM_NODE: usize = 0;

/// Root of the paths that start at `$`.
const FROM_DOCUMENT: usize = 1;

impl PathSet {
    /// These paths.
    pub fn new<'p>(paths: impl IntoIterator<Item = &'p JsonPath>) -> Self {
        let mut set = Self { trie: PathTrie::new(2), len: 0 };
        for path in paths {
            let root = if path.is_relative() { FROM_NODE } else { FROM_DOCUMENT };
            set.trie.add(root, path, set.len);
            set.len += 1;
        }
        set
    }

    /// The nodes that each path selects; `@` refers to `current`. The memory of an earlier call is used again.
    pub fn select<'t>(&self, current: Node<'t>, selected: &mut Selected<'t>) {
        let Selected { found, by_path } = selected;
        found.clear();
        let mut add = |path: u32, node| found.push((path, node));
        self.trie.visit(FROM_NODE, current, None, &mut add);
        self.trie.visit(FROM_DOCUMENT, current.tree().root(), None, &mut add);
        by_path.set(found, self.len as usize);
    }
}

/// The nodes that the paths of a [`PathSet`] select.
#[derive(Debug, Default)]
pub struct Selected<'t> {
    /// Each node with the position of its path.
    found: Vec<(u32, Node<'t>)>,
    by_path: Groups<Node<'t>>,
}

impl<'t> Selected<'t> {
    /// Number of nodes of all paths.
    pub fn len(&self) -> usize {
        self.found.len()
    }

    /// Whether no path selects a node.
    pub fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// The nodes of paths that follow each other, in the order of the paths.
    pub fn of(&self, paths: Range<usize>) -> &[Node<'t>] {
        self.by_path.of(paths)
    }
}
