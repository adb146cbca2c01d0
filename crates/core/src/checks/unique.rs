use std::{borrow::Cow, collections::hash_map::Entry, sync::Arc};

use foldhash::{HashMap, HashMapExt, HashSet, HashSetExt};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    CheckKind, Compiler, Context, Evaluate, Fault, Field, FilePart, Finding, OneOrMany,
    evaluate::{Meaning, Name},
    scope::Scope,
};
use crate::{
    budget,
    expressions::LazyRegex,
    text::{SourceId, Span},
    tree::{JsonPath, Node, NodeId},
};

/// All selected nodes differ. Every repetition is a finding, with the first occurrence as its reason.
///
/// ```yaml
/// check: {unique: {by: '@.sku'}}
/// ```
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Unique {
    /// Path to the value that is compared, or paths to values that are compared together (default: the node
    /// itself). A finding points at the first of them. `file.path`, `file.name`, `file.stem` or `file.folder` is that part of the
    /// document's file.
    by: Option<OneOrMany<String>>,
    /// Regular expression (of the linear-time engine) for parts of the text: what the groups of each match have together is
    /// compared, or all of the match. Text that it does not match is not compared. A finding points at the first group.
    #[schemars(extend("format" = "regex", "x-fault" = {"format": "bad-regex"}))]
    pattern: Option<String>,
    /// Name of an ancestor within which values must differ (default: the document).
    within: Option<String>,
    /// Name of an ancestor: a repetition counts only where the first occurrence is in another of these
    /// ancestors, or in another file.
    across: Option<String>,
    /// Compares the keys of the nodes instead, and points at them.
    #[serde(default)]
    keys: bool,
    /// Regular expression for parts of the compared text that count as equal.
    #[schemars(extend("format" = "regex", "x-fault" = {"format": "bad-regex"}))]
    ignore: Option<String>,
    /// Points at the selected node instead of the compared value.
    #[serde(default)]
    blame_node: bool,
    /// Whether uppercase and lowercase letters are the same.
    #[serde(default)]
    fold: bool,
    /// `project`: values must also differ from those that the rule selects in the other documents. The finding is
    /// in the later file, in the order of their paths, and the place `first` is in the earlier one.
    #[serde(default)]
    scope: Scope,
}

impl CheckKind for Unique {
    const NAME: &'static str = "unique";
    const VALUES: &'static [(&'static str, &'static str)] = &[
        ("first", "the value where it occurs first"),
        ("first_file", "the file where it occurs first, if that is another one"),
        ("same", "whether the two mappings that have the value are equal altogether"),
    ];
    const PLACES: &'static [(&'static str, &'static str)] = &[("first", "the first occurrence")];

    const READS_TEXT: bool = false;

    fn compile(self, at: &Field<'_>, compiler: &mut Compiler<'_>) -> Option<Arc<dyn Evaluate>> {
        let file = self.by.as_ref().and_then(|by| by.to_vec().first().and_then(|by| FilePart::of(by)));
        let paths = self.by.as_ref().filter(|_| file.is_none());
        let by = compiler.paths(paths, &at.key("by"));
        if file.is_some() && (self.keys || self.by.as_ref().is_some_and(|by| by.to_vec().len() > 1)) {
            let detail = "a part of the file is compared alone: use it without `keys` and other paths";
            compiler.report(Fault::new("bad-bounds", at).with("detail", detail));
            return None;
        }
        let within = self.within.and_then(|name| compiler.ancestor(&name, &at.key("within")));
        let across = self.across.and_then(|name| compiler.ancestor(&name, &at.key("across")));
        let (pattern, ignore) = (self.pattern.map(LazyRegex::new), self.ignore.map(LazyRegex::new));
        let (keys, blame_node) = (self.keys, self.blame_node);
        Some(Arc::new(Distinct {
            by,
            file,
            pattern,
            within,
            across,
            keys,
            ignore,
            blame_node,
            fold: self.fold,
            scope: self.scope,
        }))
    }
}

#[derive(Debug)]
struct Distinct {
    by: Vec<JsonPath>,
    /// The part of the document's file that is compared.
    file: Option<FilePart>,
    /// The parts of the text that are compared.
    pattern: Option<LazyRegex>,
    /// Path to the nodes within which values must differ.
    within: Option<JsonPath>,
    /// Path to the nodes that a repetition and its first occurrence must not share.
    across: Option<JsonPath>,
    keys: bool,
    ignore: Option<LazyRegex>,
    blame_node: bool,
    fold: bool,
    scope: Scope,
}

/// Something that is compared.
#[derive(Debug, Clone)]
struct Compared<'t> {
    node: Node<'t>,
    /// What is equal for equal values.
    text: Cow<'t, str>,
    /// Where the text is, if it is a part of the node's text.
    part: Option<Span>,
    /// The part as it is written.
    written: Option<String>,
}

impl Evaluate for Distinct {
    fn run<'t>(&self, nodes: &[Node<'t>], context: &Context<'_, 't>) -> Vec<Finding<'t>> {
        // Lists with one item are many, and nothing in them repeats another one.
        let is_alone = nodes.len() < 2 && self.pattern.is_none() && self.scope == Scope::Document;
        if is_alone && !context.state.listens() {
            return Vec::new();
        }
        let is_known_here = self.scope == Scope::Document && self.pattern.is_none();
        if is_known_here && !context.state.listens() && self.all_differ(nodes, context) {
            return Vec::new();
        }
        let mut first: HashMap<(Option<NodeId>, Cow<'t, str>), Compared<'t>> =
            HashMap::with_capacity(nodes.len());
        let mut findings = Vec::new();
        let mut within = self.within.as_ref().map(Members::new);
        let mut across = self.across.as_ref().map(Members::new);
        for (node, one) in nodes.iter().flat_map(|node| {
            let (one, more) = self.compared(*node);
            one.into_iter().chain(more).map(move |one| (node, one))
        }) {
            let value = one.node;
            if context.state.listens()
                && let Some(name) = self.heard(&one, context)
            {
                context.state.hear(&name, || Meaning::Own);
            }
            let key = (within.as_mut().and_then(|within| within.around(*node)), one.text.clone());
            let first = match first.entry(key) {
                Entry::Vacant(free) => {
                    findings.extend(self.repeats_another_file(&one, context));
                    free.insert(one);
                    continue;
                }
                Entry::Occupied(first) => first.into_mut(),
            };
            let is_same = first.node.id() == value.id() && first.part == one.part;
            if is_same || across.as_mut().is_some_and(|across| across.shared(first.node, value)) {
                continue;
            }
            if findings.len() >= context.most {
                context.state.count(1);
                continue;
            }
            let same = owner(first.node).has_same_json(owner(value));
            let finding = match () {
                () if self.keys => Finding::at_key(value),
                () if self.blame_node => Finding::at_key(*node),
                () => Finding { span: one.part.unwrap_or(value.span()), ..Finding::at(value) },
            };
            let finding = finding.with("first", self.written(first)).with("same", same);
            findings.push(finding.place("first", self.place(first)));
        }
        findings
    }

    fn compares_documents(&self) -> bool {
        self.scope == Scope::Project
    }

    fn declared<'t>(&self, nodes: &[Node<'t>], _: &Context<'_, 't>) -> Vec<(String, Node<'t>, Span)> {
        if self.scope == Scope::Document {
            return Vec::new();
        }
        let compared = nodes.iter().map(|node| self.compared(*node));
        let compared = compared.flat_map(|(one, more)| one.into_iter().chain(more));
        compared.map(|one| (one.text.to_string(), one.node, one.part.unwrap_or(one.node.span()))).collect()
    }
}

impl Distinct {
    /// Whether no value repeats another one. In most documents none does, and nothing else of them is needed.
    fn all_differ<'t>(&self, nodes: &[Node<'t>], context: &Context<'_, 't>) -> bool {
        let mut within = self.within.as_ref().map(Members::new);
        if let Some(differ) = self.words_differ(nodes, &mut within, context) {
            return differ;
        }
        let mut seen = HashSet::with_capacity(nodes.len());
        nodes.iter().all(|node| match self.value(*node) {
            Some((_, text, others)) => {
                let around = within.as_mut().and_then(|within| within.around(*node));
                seen.insert((around, self.equal(text, *node, others)))
            }
            None => true,
        })
    }

    /// Whether no value repeats another one, where all are compared as names; nothing where they are not.
    fn words_differ<'t>(
        &self,
        nodes: &[Node<'t>],
        within: &mut Option<Members<'_>>,
        context: &Context<'_, 't>,
    ) -> Option<bool> {
        if self.keys || self.fold || self.by.len() > 1 || self.file.is_some() || self.ignore.is_some() {
            return None;
        }
        let mut seen = HashSet::with_capacity(nodes.len());
        for node in nodes {
            let value = match self.by.first() {
                Some(path) => path.first(*node),
                None => Some(*node),
            };
            let Some(value) = value else { continue };
            let word = if value.is_scalar() { context.state.word_of(value)? } else { return None };
            let around = within.as_mut().and_then(|within| within.around(*node));
            if !seen.insert((around, word)) {
                return Some(false);
            }
        }
        Some(true)
    }

    /// The value that is compared, its text, and the paths to what is compared with it.
    fn value<'t>(&self, node: Node<'t>) -> Option<(Node<'t>, Cow<'t, str>, &[JsonPath])> {
        let (value, others) = match self.by.split_first() {
            Some((path, others)) => (path.first(node)?, others),
            None => (node, &[][..]),
        };
        let text = match self.file {
            Some(part) => {
                let key = Some(node.tree().source(SourceId(0)).key()).filter(|key| !key.is_empty())?;
                Cow::Borrowed(part.in_path(key))
            }
            None if self.keys => Cow::Borrowed(value.key()?),
            None => text_of(value),
        };
        Some((value, text, others))
    }

    /// What of a node is compared: its value, or parts of it.
    fn compared<'t>(&self, node: Node<'t>) -> (Option<Compared<'t>>, Vec<Compared<'t>>) {
        let Some((value, text, others)) = self.value(node) else { return (None, Vec::new()) };
        let Some(pattern) = &self.pattern else {
            let text = self.equal(text, node, others);
            return (Some(Compared { node: value, text, part: None, written: None }), Vec::new());
        };
        let place =
            |part| (self.file.is_none() && !self.keys && value.scalar().is_some()).then(|| value.part(part));
        let parts = groups(pattern, &text).into_iter();
        let made = |(text, part): (String, Span)| Compared {
            node: value,
            part: place(part),
            written: Some(text.replace('\0', " ")),
            text: self.equal(text.into(), node, others),
        };
        (None, parts.map(made).collect())
    }

    /// The text of a value with that of the others, equal for equal values.
    fn equal<'t>(&self, mut text: Cow<'t, str>, node: Node<'t>, others: &[JsonPath]) -> Cow<'t, str> {
        for other in others {
            let text = text.to_mut();
            text.push('\0');
            text.push_str(&other.first(node).map(text_of).unwrap_or_default());
        }
        let text = match self.ignore.as_ref().and_then(LazyRegex::get) {
            Some(ignore) => ignore.replace_all(&text, "\0").into_owned().into(),
            None => text,
        };
        if self.fold { text.to_lowercase().into() } else { text }
    }

    /// What is compared as a name, for editors.
    fn heard<'t>(&self, one: &Compared<'t>, context: &Context<'_, 't>) -> Option<Name<'t>> {
        if self.file.is_some() {
            return None;
        }
        match (one.part, &one.written) {
            (None, None) => context.state.name_of(one.node),
            (Some(span), Some(written)) if one.node.source().slice(span) == written => {
                Some(Name { text: written.clone().into(), node: one.node, span })
            }
            _ => None,
        }
    }

    /// What is compared, as it is written.
    fn written(&self, one: &Compared<'_>) -> String {
        if let Some(written) = &one.written {
            return written.clone();
        }
        if self.file.is_some() {
            return one.text.to_string();
        }
        let key = one.node.key().filter(|_| self.keys).map(Cow::Borrowed);
        key.or_else(|| one.node.scalar_text()).map(Cow::into_owned).unwrap_or_default()
    }

    /// Where what is compared is written.
    fn place(&self, one: &Compared<'_>) -> Span {
        let key = one.node.own_entry().filter(|_| self.keys).map(|entry| entry.key_span());
        one.part.or(key).unwrap_or(one.node.span())
    }

    /// The finding about a value that an earlier file of the project has, or an earlier document of the file.
    fn repeats_another_file<'t>(&self, one: &Compared<'t>, context: &Context<'_, 't>) -> Option<Finding<'t>> {
        let document = context.state.document;
        let names = document.project.as_ref().filter(|_| self.scope == Scope::Project)?;
        let beside =
            || document.siblings().and_then(|(names, part)| names.before(context.rule, &one.text, part));
        let first = names.earlier(context.rule, &one.text, document.source().key()).or_else(beside)?;
        let finding = Finding { span: one.part.unwrap_or(one.node.span()), ..Finding::at(one.node) };
        let mut finding = finding.with("first", self.written(one));
        if first.file != document.source().name() {
            finding = finding.with("first_file", first.file.as_str());
        }
        Some(finding.elsewhere("first", first))
    }
}

/// What the groups of each match have, or all of the match, with where it is.
fn groups(pattern: &LazyRegex, text: &str) -> Vec<(String, Span)> {
    let mut found = Vec::new();
    let Some(regex) = pattern.get().filter(|_| budget::charge(1 + text.len() as u64 / 16)) else {
        return found;
    };
    for one in regex.captures_iter(text) {
        let own: Vec<_> = one.iter().skip(1).flatten().collect();
        let Some(place) = own.first().copied().or_else(|| one.get(0)) else { continue };
        let joined: Vec<&str> = if own.is_empty() {
            vec![place.as_str()]
        } else {
            own.iter().map(|group| group.as_str()).collect()
        };
        found.push((joined.join("\0"), Span::new(place.start(), place.end())));
    }
    found
}

/// What is compared: the text of a scalar, or else the value as JSON.
fn text_of(value: Node<'_>) -> Cow<'_, str> {
    value.scalar_text().unwrap_or_else(|| value.to_json().to_string().into())
}

/// The mapping that a value distinguishes from others; the value itself where it is an item.
fn owner(value: Node<'_>) -> Node<'_> {
    value.parent().filter(|parent| parent.is_mapping()).unwrap_or(value)
}

/// The nodes that a path selects; once for the document where it does not depend on the node.
struct Members<'p> {
    path: &'p JsonPath,
    fixed: Option<HashSet<NodeId>>,
}

impl<'p> Members<'p> {
    fn new(path: &'p JsonPath) -> Self {
        Self { path, fixed: None }
    }

    /// The innermost selected node around a node.
    fn around(&mut self, node: Node<'_>) -> Option<NodeId> {
        let select = || self.path.select(node).into_iter().map(Node::id).collect();
        let selected;
        let members = if self.path.is_relative() {
            selected = select();
            &selected
        } else {
            self.fixed.get_or_insert_with(select)
        };
        node.ancestors().map(Node::id).find(|id| members.contains(id))
    }

    /// Whether both nodes are in the same file and in the same one of them.
    fn shared(&mut self, first: Node<'_>, other: Node<'_>) -> bool {
        first.source_id() == other.source_id() && self.around(first) == self.around(other)
    }
}

#[cfg(test)]
mod tests {
    use crate::checks::trial::{faults, findings};

    #[test]
    fn a_repetition_points_at_the_first() {
        assert_eq!(findings("{unique: {fold: true}}", "$[*]", "[a, b, A]"), ["/2 A"]);
        let text = "[{a: 1, b: 1}, {a: 1}, {a: 1, b: 2}, {a: 1, b: 1}, {b: 1}, {b: 1}]";
        assert_eq!(findings("{unique: {by: ['@.a', '@.b']}}", "$[*]", text), ["/3/a 1"]);
        let text = "shelves:\n- [a, a]\n- [a]\n";
        assert_eq!(findings("{unique: {within: shelf}}", "$.shelves[*][*]", text), ["/shelves/0/1 a"]);
        assert_eq!(findings("{unique: {across: shelf}}", "$.shelves[*][*]", text), ["/shelves/1/0 a"]);
        let text = "a/{x}: 1\na/{y}: 2\na: 3\n";
        let equivalent = "{unique: {keys: true, ignore: '[{][^}]*[}]'}}";
        assert_eq!(findings(equivalent, "$[*]", text), ["/a~1{y} a/{y}"]);
        let blamed = "{unique: {by: '@.a', blame_node: true}}";
        assert_eq!(findings(blamed, "$.*", "x: {a: 1}\ny: {a: 1}\n"), ["/y y"]);
        assert_eq!(faults("{unique: {within: shelff}}"), ["unknown-ancestor"]);
    }

    #[test]
    fn parts_of_strings_are_compared() {
        let text = "- 'ADR-3: a'\n- 'ADR-4: b'\n- 'adr-3: c'\n- no number\n- no number\n";
        let numbers = "{unique: {pattern: '(?i)adr-([0-9]+)'}}";
        assert_eq!(findings(numbers, "$[*]", text), ["/2 3"]);
        let names = "{unique: {pattern: '([a-z]+)/([a-z]+)'}}";
        assert_eq!(findings(names, "$[*]", "[a/b c/d a/b, b/a, ab/x]"), ["/0 a"]);
        assert_eq!(faults("{unique: {by: [file.name, '@.a']}}"), ["bad-bounds"]);
    }
}
