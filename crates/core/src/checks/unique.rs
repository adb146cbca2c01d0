use std::{borrow::Cow, sync::Arc};

use foldhash::{HashMap, HashMapExt, HashSet};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    CheckKind, Compiler, Context, Evaluate, Field, Finding, OneOrMany, evaluate::Meaning, scope::Scope,
};
use crate::{
    expressions::LazyRegex,
    text::Span,
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
    /// itself). A finding points at the first of them.
    by: Option<OneOrMany<String>>,
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
        let by = compiler.paths(self.by.as_ref(), &at.key("by"));
        let within = self.within.and_then(|name| compiler.ancestor(&name, &at.key("within")));
        let across = self.across.and_then(|name| compiler.ancestor(&name, &at.key("across")));
        let ignore = self.ignore.map(LazyRegex::new);
        let (keys, blame_node) = (self.keys, self.blame_node);
        Some(Arc::new(Distinct {
            by,
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

impl Evaluate for Distinct {
    fn run<'t>(&self, nodes: &[Node<'t>], context: &Context<'_, 't>) -> Vec<Finding<'t>> {
        let mut first: HashMap<(Option<NodeId>, Cow<'t, str>), Node<'t>> =
            HashMap::with_capacity(nodes.len());
        let mut findings = Vec::new();
        let mut within = self.within.as_ref().map(Members::new);
        let mut across = self.across.as_ref().map(Members::new);
        for node in nodes {
            let Some((value, text)) = self.compared(*node) else { continue };
            if context.state.listens()
                && let Some(name) = context.state.name_of(value)
            {
                context.state.hear(&name, || Meaning::Own);
            }
            let key = (within.as_mut().and_then(|within| within.around(*node)), text);
            match first.get(&key) {
                None => {
                    findings.extend(self.repeats_another_file(value, &key.1, context));
                    first.insert(key, value);
                }
                Some(first) if first.id() == value.id() => {}
                Some(first) if across.as_mut().is_some_and(|across| across.shared(*first, value)) => {}
                Some(_) if findings.len() >= context.most => context.state.count(1),
                Some(first) => {
                    let same = owner(*first).has_same_json(owner(value));
                    let finding = match () {
                        () if self.keys => Finding::at_key(value),
                        () if self.blame_node => Finding::at_key(*node),
                        () => Finding::at(value),
                    };
                    let finding = finding.with("first", self.written(*first)).with("same", same);
                    findings.push(finding.place("first", self.place(*first)));
                }
            }
        }
        findings
    }

    fn compares_documents(&self) -> bool {
        self.scope == Scope::Project
    }

    fn declared<'t>(&self, nodes: &[Node<'t>], _: &Context<'_, 't>) -> Vec<(String, Node<'t>)> {
        if self.scope == Scope::Document {
            return Vec::new();
        }
        let compared = nodes.iter().filter_map(|node| self.compared(*node));
        compared.map(|(value, text)| (text.into_owned(), value)).collect()
    }
}

impl Distinct {
    /// The value of a node that is compared, and its text with that of the others.
    fn compared<'t>(&self, node: Node<'t>) -> Option<(Node<'t>, Cow<'t, str>)> {
        let (value, others) = match self.by.split_first() {
            Some((path, others)) => (path.first(node)?, others),
            None => (node, &[][..]),
        };
        let mut text = if self.keys { value.key()?.into() } else { text_of(value) };
        for other in others {
            let text = text.to_mut();
            text.push('\0');
            text.push_str(&other.first(node).map(text_of).unwrap_or_default());
        }
        let text = match self.ignore.as_ref().and_then(LazyRegex::get) {
            Some(ignore) => ignore.replace_all(&text, "\0").into_owned().into(),
            None => text,
        };
        let text = if self.fold { text.to_lowercase().into() } else { text };
        Some((value, text))
    }

    /// What is compared, as it is written.
    fn written(&self, value: Node<'_>) -> String {
        let key = value.key().filter(|_| self.keys).map(Cow::Borrowed);
        key.or_else(|| value.scalar_text()).map(Cow::into_owned).unwrap_or_default()
    }

    /// Where that is written.
    fn place(&self, value: Node<'_>) -> Span {
        let key = value.own_entry().filter(|_| self.keys).map(|entry| entry.key_span());
        key.unwrap_or(value.span())
    }

    /// The finding about a value that an earlier file of the project has, or an earlier document of the file.
    fn repeats_another_file<'t>(
        &self,
        value: Node<'t>,
        text: &str,
        context: &Context<'_, 't>,
    ) -> Option<Finding<'t>> {
        let document = context.state.document;
        let names = document.project.as_ref().filter(|_| self.scope == Scope::Project)?;
        let beside = || document.siblings().and_then(|(names, part)| names.before(context.rule, text, part));
        let first = names.earlier(context.rule, text, document.source().key()).or_else(beside)?;
        let mut finding = Finding::at(value).with("first", self.written(value));
        if first.file != document.source().name() {
            finding = finding.with("first_file", first.file.as_str());
        }
        Some(finding.elsewhere("first", first))
    }
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

    /// The innermost of them around a node.
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
}
