//! Paths that are followed together: steps that several of them begin with are taken once.

use foldhash::HashMap;

use super::{JsonPath, Logical, Operand, Operator, Segment, Selector};
use crate::{budget, tree::Node};

/// Paths as a trie of their steps. At the end of each path is a value that says which one it is.
#[derive(Debug, Clone)]
pub struct PathTrie<T> {
    /// The roots come first, and every branch before those that it leads to.
    branches: Vec<Branch<T>>,
}

#[derive(Debug, Clone)]
struct Branch<T> {
    names: Vec<(String, usize)>,
    /// Steps to the children whose member of this name has some text, by the text: many paths lead to
    /// one kind of node each, `$.steps[?@.type == 'Echo']`, and the member is read once for all.
    by_text: Vec<(String, HashMap<String, usize>)>,
    others: Vec<(Segment, String, usize)>,
    /// The paths that end here.
    ends: Vec<T>,
}

impl<T> Default for Branch<T> {
    fn default() -> Self {
        Self { names: Vec::new(), by_text: Vec::new(), others: Vec::new(), ends: Vec::new() }
    }
}

impl<T> Branch<T> {
    /// The branches that its steps lead to.
    fn next(&self) -> impl Iterator<Item = usize> {
        let names = self.names.iter().map(|(_, next)| *next);
        let by_text = self.by_text.iter().flat_map(|(_, branches)| branches.values().copied());
        names.chain(by_text).chain(self.others.iter().map(|(_, _, next)| *next))
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
        branch.ends.is_empty() && branch.next().next().is_none()
    }

    /// Whether a path that starts at a root begins with the member of this name.
    pub fn begins_with(&self, root: usize, name: &str) -> bool {
        self.branches[root].names.iter().any(|(known, _)| known == name)
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
        let next = self.branches.len();
        if let (false, [Selector::Name(name)]) = (segment.descendant, segment.selectors.as_slice()) {
            if let Some((_, to)) = self.branches[from].names.iter().find(|(known, _)| known == name) {
                return *to;
            }
            self.branches[from].names.push((name.clone(), next));
        } else if let Some((member, text)) = member_text(segment) {
            let groups = &mut self.branches[from].by_text;
            let known = groups.iter().position(|(name, _)| name == member);
            let group = known.unwrap_or_else(|| {
                groups.push((member.to_owned(), HashMap::default()));
                groups.len() - 1
            });
            if let Some(to) = groups[group].1.get(text) {
                return *to;
            }
            groups[group].1.insert(text.to_owned(), next);
        } else {
            let key = format!("{segment:?}");
            if let Some((_, _, to)) = self.branches[from].others.iter().find(|(_, known, _)| *known == key) {
                return *to;
            }
            self.branches[from].others.push((segment.clone(), key, next));
        }
        self.branches.push(Branch::default());
        next
    }

    /// Passes every node that a path from a root selects to `found`, with the end of the path; for each path in the order of
    /// RFC 9535. With `asked`, only those branches are followed.
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
        let is_asked = |branch: usize| asked.is_none_or(|asked| asked[branch]);
        for end in &branch.ends {
            found(*end, node);
        }
        if !branch.names.is_empty() && node.is_mapping() {
            for (name, next) in &branch.names {
                let child = if is_asked(*next) { node.get(name).map(Node::target) } else { None };
                if let Some(child) = child {
                    self.visit(*next, child, asked, found);
                }
            }
        }
        for (member, branches) in &branch.by_text {
            if !branches.values().any(|next| is_asked(*next)) || !budget::charge(node.len() as u64) {
                continue;
            }
            for child in node.children().map(Node::target) {
                let text = child.get(member).and_then(|member| member.target().as_str());
                if let Some(next) = text.and_then(|text| branches.get(text)).filter(|next| is_asked(**next)) {
                    self.visit(*next, child, asked, found);
                }
            }
        }
        for (segment, _, next) in &branch.others {
            if is_asked(*next) {
                segment.select_each(node, |child| self.visit(*next, child, asked, found));
            }
        }
    }
}

/// Member and text of a step `[?@.member == 'text']`.
fn member_text(segment: &Segment) -> Option<(&str, &str)> {
    let (false, [Selector::Filter(Logical::Compare(left, Operator::Equal, right))]) =
        (segment.descendant, segment.selectors.as_slice())
    else {
        return None;
    };
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
    trie: PathTrie<usize>,
    len: usize,
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

    /// The nodes that each path selects, in the order of the paths; `@` refers to `current`. Lists of an earlier call are
    /// used again.
    pub fn select<'t>(&self, current: Node<'t>, selected: &mut Vec<Vec<Node<'t>>>) {
        selected.iter_mut().for_each(Vec::clear);
        selected.resize_with(self.len, Vec::new);
        let mut add = |path: usize, node| selected[path].push(node);
        self.trie.visit(FROM_NODE, current, None, &mut add);
        self.trie.visit(FROM_DOCUMENT, current.tree().root(), None, &mut add);
    }
}
