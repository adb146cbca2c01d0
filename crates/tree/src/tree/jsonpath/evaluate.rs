use std::{borrow::Cow, cmp::Ordering};

use regex::Regex;
use serde_json::Value;

use super::{Function, JsonPath, Key, Logical, Operand, Operator, Segment, Selector, across};
use crate::{budget, tree::Node};

/// A value in a comparison; `Nothing` is the absence of a value (RFC 9535).
enum Comparand<'t> {
    Nothing,
    Node(Node<'t>),
    Value(Cow<'t, Value>),
}

/// Keys of a mapping that are compared with a name in one step of a budget.
const KEYS_OF_STEP: u64 = 32;

/// Most keys of a mapping that a lookup compares one after the other.
const COMPARED: usize = 64;

/// The work of finding a key of `node`.
#[inline]
fn lookup(node: Node<'_>) -> u64 {
    work_of_lookup(node.len())
}

/// The work of finding a key among others.
#[inline]
fn work_of_lookup(keys: usize) -> u64 {
    keys.min(COMPARED) as u64 / KEYS_OF_STEP
}

/// Compiles an I-Regexp (RFC 9485) that matches the `whole` text or a part of it.
pub(super) fn regex(pattern: &str, whole: bool) -> Result<Regex, regex::Error> {
    // The dot of I-Regexp matches everything but line endings, like the dot of this engine.
    if whole { crate::text::pattern(&format!("^(?:{pattern})$")) } else { crate::text::pattern(pattern) }
}

impl JsonPath {
    /// The nodes that the path selects in a tree, in the order of RFC 9535; `@` refers to `current`.
    pub fn select<'t>(&self, current: Node<'t>) -> Vec<Node<'t>> {
        let mut nodes = Vec::new();
        self.visit(current, &mut |found| nodes.push(found));
        nodes
    }

    /// Passes every selected node to `found` without collecting them.
    pub fn visit<'t>(&self, current: Node<'t>, found: &mut dyn FnMut(Node<'t>)) {
        walk(self.segments(), self.start(current), found);
    }

    /// The first node that the path selects.
    pub fn first<'t>(&self, current: Node<'t>) -> Option<Node<'t>> {
        if let Some(name) = self.own_member() {
            let is_left = budget::charge(1 + lookup(current));
            return current.get_of(name).map(Node::target).filter(|_| is_left);
        }
        let (rest, node) = lead(self.segments(), self.start(current))?;
        if rest.is_empty() {
            return Some(node);
        }
        let mut first = None;
        walk(rest, node, &mut |found| {
            first.get_or_insert(found);
        });
        first
    }

    /// Whether the first node that the path selects is a string with this text.
    fn first_is(&self, current: Node<'_>, text: &str) -> bool {
        self.first(current).is_some_and(|node| node.is_str(text))
    }

    /// The name in `@.name`: most conditions are about a member of the current node.
    #[inline]
    fn own_member(&self) -> Option<&Key> {
        match self.segments() {
            [Segment { descendant: false, selectors }] if self.relative => match &selectors[..] {
                [Selector::Name(name)] => Some(name),
                _ => None,
            },
            _ => None,
        }
    }

    fn start<'t>(&self, current: Node<'t>) -> Node<'t> {
        if self.relative { current } else { current.tree().root() }
    }
}

/// Takes the leading steps that select one node at most; returns the node with the steps that are left.
fn lead<'s, 't>(mut segments: &'s [Segment], mut node: Node<'t>) -> Option<(&'s [Segment], Node<'t>)> {
    let mut steps = 0;
    while let [Segment { descendant: false, selectors: selected }, rest @ ..] = segments {
        let next = match &selected[..] {
            [Selector::Name(name)] => {
                steps += 1 + lookup(node);
                node.get_of(name)
            }
            [Selector::Index(index)] => {
                steps += 1;
                node.item(*index)
            }
            _ => break,
        };
        let Some(next) = next else {
            budget::charge(steps);
            return None;
        };
        (segments, node) = (rest, next.target());
    }
    (steps == 0 || budget::charge(steps)).then_some((segments, node))
}

fn walk<'t>(segments: &[Segment], node: Node<'t>, found: &mut dyn FnMut(Node<'t>)) {
    match lead(segments, node) {
        Some(([], node)) => found(node),
        Some(([segment], node)) => segment.select_each(node, found),
        Some(([segment, rest @ ..], node)) => segment.select_each(node, |child| walk(rest, child, found)),
        None => {}
    }
}

impl Segment {
    /// Passes every node that the step selects from `node` to `found`. The steps of most paths are to children, and need no
    /// call for each of them.
    #[inline]
    pub fn select_each<'t>(&self, node: Node<'t>, mut found: impl FnMut(Node<'t>)) {
        let Self { descendant: false, selectors } = self else { return self.select(node, &mut found) };
        let (mut steps, children) = (1, node.len());
        for selector in selectors {
            steps += selector.steps(children);
        }
        if !budget::charge(steps) {
            return;
        }
        for selector in selectors {
            match selector {
                Selector::Name(name) => {
                    if let Some(child) = node.get_of(name) {
                        found(child.target());
                    }
                }
                Selector::Wildcard => {
                    for child in node.children() {
                        found(child.target());
                    }
                }
                Selector::Filter(logical) => logical.filter(node, true, &mut found),
                other => other.select(node, true, &mut found),
            }
        }
    }

    /// Passes every node that the step selects from `node` to `found`. From the root, descendants are those in other files,
    /// too, to which references lead.
    pub fn select<'t>(&self, node: Node<'t>, found: &mut dyn FnMut(Node<'t>)) {
        if across::Walk::is_needed(self, node) {
            across::Walk::run(self, node, found);
        } else {
            self.select_within(node, found);
        }
    }

    fn select_within<'t>(&self, node: Node<'t>, found: &mut dyn FnMut(Node<'t>)) {
        let children = if self.descendant { node.len() as u64 } else { 0 };
        if !self.step(node, !self.descendant, children, found) {
            return;
        }
        if self.descendant {
            for child in node.children() {
                self.select_within(child, found);
            }
        }
    }

    /// Passes what the selectors select from `node` to `found`, with `follow` what its children stand for; whether there
    /// was budget for it and for further steps.
    pub(super) fn step<'t>(
        &self,
        node: Node<'t>,
        follow: bool,
        further: u64,
        found: &mut dyn FnMut(Node<'t>),
    ) -> bool {
        let selected: u64 = self.selectors.iter().map(|selector| selector.steps(node.len())).sum();
        let is_left = budget::charge(1 + further + selected);
        if is_left {
            self.selectors.iter().for_each(|selector| selector.select(node, follow, found));
        }
        is_left
    }
}

impl Selector {
    /// The work of looking at the children of a node, given their number.
    #[inline]
    fn steps(&self, children: usize) -> u64 {
        match self {
            Self::Index(_) => 0,
            Self::Name(_) => work_of_lookup(children),
            Self::Wildcard | Self::Slice { .. } | Self::Filter(_) => children as u64,
        }
    }

    /// Passes every selected child of `node` to `found`: with `follow`, what a child stands for instead of the child.
    pub fn select<'t>(&self, node: Node<'t>, follow: bool, found: &mut dyn FnMut(Node<'t>)) {
        let meant = |child: Node<'t>| if follow { child.target() } else { child };
        match self {
            Self::Name(name) => node.get_of(name).map(meant).into_iter().for_each(found),
            Self::Wildcard => node.children().map(meant).for_each(found),
            Self::Index(index) => node.item(*index).map(meant).into_iter().for_each(found),
            Self::Slice { start, end, step } => {
                slice(node, *start, *end, *step, &mut |item| found(meant(item)));
            }
            Self::Filter(logical) => logical.filter(node, follow, found),
        }
    }
}

/// RFC 9535 §2.3.4.2.2.
fn slice<'t>(
    node: Node<'t>,
    start: Option<i64>,
    end: Option<i64>,
    step: i64,
    found: &mut dyn FnMut(Node<'t>),
) {
    if !node.is_sequence() || step == 0 {
        return;
    }
    let len = node.len() as i64;
    let normal = |index: i64| if index >= 0 { index } else { len + index };
    let (lower, upper) = if step > 0 {
        (normal(start.unwrap_or(0)).clamp(0, len), normal(end.unwrap_or(len)).clamp(0, len))
    } else {
        let upper = start.map_or(len - 1, normal).clamp(-1, len - 1);
        (end.map_or(-1, normal).clamp(-1, len - 1), upper)
    };
    let mut index = if step > 0 { lower } else { upper };
    while if step > 0 { index < upper } else { index > lower } {
        if let Some(item) = node.item(index) {
            found(item);
        }
        index += step;
    }
}

impl Operand {
    /// Whether the value does not depend on the current node.
    fn is_fixed(&self) -> bool {
        match self {
            Self::Literal(_) => true,
            Self::Query(path) => !path.relative && path.is_singular(),
            Self::Function(_) | Self::Logical(_) => false,
        }
    }
}

impl Logical {
    /// Whether the expression does not depend on the current node.
    fn is_fixed(&self) -> bool {
        match self {
            Self::Or(parts) | Self::And(parts) => parts.iter().all(Self::is_fixed),
            Self::Not(part) => part.is_fixed(),
            Self::Compare(left, _, right) => left.is_fixed() && right.is_fixed(),
            Self::Exists(path) => !path.relative && path.is_singular(),
            Self::Test(_) => false,
        }
    }

    /// Whether a part of what it demands does not depend on the current node.
    pub(super) fn has_fixed_part(&self) -> bool {
        if let Self::And(parts) = self { parts.iter().any(Self::is_fixed) } else { self.is_fixed() }
    }

    /// Passes the children of `node` to `found` for which the expression is true. What does not depend on the child is
    /// looked at once for all.
    fn filter<'t>(&self, node: Node<'t>, follow: bool, mut found: impl FnMut(Node<'t>)) {
        let parts = if let Self::And(parts) = self { parts.as_slice() } else { std::slice::from_ref(self) };
        if node.is_empty() {
            return;
        }
        let mut any_fixed = false;
        for part in parts {
            if part.is_fixed() {
                any_fixed = true;
                if !part.holds(node) {
                    return;
                }
            }
        }
        'children: for child in node.children() {
            let child = if follow { child.target() } else { child };
            for part in parts {
                let is_known = any_fixed && part.is_fixed();
                if !is_known && !part.holds(child) {
                    continue 'children;
                }
            }
            found(child);
        }
    }

    /// Whether the expression is true for the current node.
    pub fn holds(&self, current: Node<'_>) -> bool {
        match self {
            Self::Compare(Operand::Query(path), Operator::Equal, Operand::Literal(Value::String(text))) => {
                path.first_is(current, text)
            }
            Self::Compare(Operand::Query(path), Operator::Unequal, Operand::Literal(Value::String(text))) => {
                !path.first_is(current, text)
            }
            Self::Or(parts) => parts.iter().any(|part| part.holds(current)),
            Self::And(parts) => parts.iter().all(|part| part.holds(current)),
            Self::Not(part) => !part.holds(current),
            Self::Compare(left, operator, right) => {
                compare(&left.value(current), *operator, &right.value(current))
            }
            Self::Exists(path) => path.first(current).is_some(),
            Self::Test(function) => function.matches(current),
        }
    }
}

impl Operand {
    fn value<'t>(&'t self, current: Node<'t>) -> Comparand<'t> {
        match self {
            Self::Literal(value) => Comparand::Value(Cow::Borrowed(value)),
            Self::Query(path) => path.first(current).map_or(Comparand::Nothing, Comparand::Node),
            Self::Function(function) => function.value(current),
            Self::Logical(logical) => Comparand::Value(Cow::Owned(logical.holds(current).into())),
        }
    }
}

impl Function {
    fn value<'t>(&'t self, current: Node<'t>) -> Comparand<'t> {
        let number = |count: usize| Comparand::Value(Cow::Owned(count.into()));
        match self {
            Self::Length(operand) => match operand.value(current) {
                Comparand::Node(node) => match node.as_str() {
                    Some(text) => number(text.chars().count()),
                    None if node.is_mapping() || node.is_sequence() => number(node.len()),
                    None => Comparand::Nothing,
                },
                Comparand::Value(value) => match value.as_ref() {
                    Value::String(text) => number(text.chars().count()),
                    _ => Comparand::Nothing,
                },
                Comparand::Nothing => Comparand::Nothing,
            },
            Self::Count(path) => number(path.select(current).len()),
            Self::Value(path) => match path.select(current)[..] {
                [only] => Comparand::Node(only),
                _ => Comparand::Nothing,
            },
            Self::Match { .. } => Comparand::Value(Cow::Owned(self.matches(current).into())),
        }
    }

    fn matches(&self, current: Node<'_>) -> bool {
        let Self::Match { text, pattern, compiled, whole } = self else { return false };
        let text = text.value(current);
        let Some(text) = text.text() else { return false };
        let compile = || pattern.value(current).text().and_then(|pattern| regex(pattern, *whole).ok());
        match compiled {
            Some(compiled) => {
                // The pattern serves all documents: the budget of the first one does not decide about it.
                let regex = compiled.get_or_init(compile).as_ref();
                regex.is_some_and(|regex| regex.is_match(text))
            }
            None => compile().is_some_and(|regex| regex.is_match(text)),
        }
    }
}

impl Comparand<'_> {
    fn text(&self) -> Option<&str> {
        match self {
            Self::Nothing => None,
            Self::Node(node) => node.as_str(),
            Self::Value(value) => value.as_str(),
        }
    }

    fn number(&self) -> Option<f64> {
        match self {
            Self::Nothing => None,
            Self::Node(node) => node.as_f64(),
            Self::Value(value) => value.as_f64(),
        }
    }

    fn json(&self) -> Option<Cow<'_, Value>> {
        match self {
            Self::Nothing => None,
            Self::Node(node) => Some(Cow::Owned(node.to_json())),
            Self::Value(value) => Some(Cow::Borrowed(value)),
        }
    }
}

/// RFC 9535 §2.3.5.2.2.
fn compare(left: &Comparand<'_>, operator: Operator, right: &Comparand<'_>) -> bool {
    let ordering = || match (left.number(), right.number()) {
        (Some(left), Some(right)) => left.partial_cmp(&right),
        _ => Some(left.text()?.cmp(right.text()?)),
    };
    match operator {
        Operator::Equal => equal(left, right),
        Operator::Unequal => !equal(left, right),
        Operator::Less => ordering() == Some(Ordering::Less),
        Operator::Greater => ordering() == Some(Ordering::Greater),
        Operator::LessOrEqual => ordering() == Some(Ordering::Less) || equal(left, right),
        Operator::GreaterOrEqual => ordering() == Some(Ordering::Greater) || equal(left, right),
    }
}

#[allow(clippy::float_cmp, reason = "JSON numbers are equal when their values are")]
fn equal(left: &Comparand<'_>, right: &Comparand<'_>) -> bool {
    match (left.number(), right.number()) {
        (Some(left), Some(right)) => left == right,
        (None, None) => match (left.text(), right.text()) {
            (Some(left), Some(right)) => left == right,
            _ => left.json() == right.json(),
        },
        _ => false,
    }
}
