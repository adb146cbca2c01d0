use std::{cell::Cell, sync::Arc};

use foldhash::HashSet;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::{
    CheckKind, Compiler, Context, Evaluate, Fault, Field, Finding, OneOrMany,
    evaluate::{self, Meaning, Name, NodeBindings},
};
use crate::{
    budget,
    expressions::{Condition, LazyRegex},
    kinds::Entry,
    tree::{JsonPath, Node},
};

/// A document of the project, which may be this one, declares the name, and the declaration fulfills `that` and leads
/// `back`. Declarations are those of a symbol table of the pack, with its `values`; one of them is enough. A name that no
/// document declares passes unless `missing` is set, and so does text without a file name.
///
/// ```yaml
/// check: {lookup: {in: product, that: 'other.file != file.path'}}
/// ```
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Lookup {
    /// Symbol table, or several.
    #[serde(rename = "in")]
    tables: OneOrMany<String>,
    /// Path, or paths, to the names (default: the node itself).
    name: Option<OneOrMany<String>>,
    /// Regular expression for names in longer text: the first group of each match is a name, or all of the match.
    #[schemars(extend("format" = "regex", "x-fault" = {"format": "bad-regex"}))]
    pattern: Option<String>,
    /// Whether to look up the pairs of a mapping instead of a name: the declaration must have all of them, as the labels of a
    /// pod have those of a selector. The symbol table needs `pairs: true`, too.
    #[serde(default)]
    pairs: bool,
    /// CEL condition on a declaration, which is `other`: its `values`, and the path `other.file`.
    #[schemars(extend("format" = "cel", "x-fault" = {"format": "bad-cel"}))]
    that: Option<String>,
    /// Name of a value of the declaration that leads back: one of the names in it is declared in this document.
    back: Option<String>,
    /// Regular expression for the names in that value (default: `pattern`).
    #[schemars(extend("format" = "regex", "x-fault" = {"format": "bad-regex"}))]
    back_pattern: Option<String>,
    /// Whether a name that no document declares is a finding, too.
    #[serde(default)]
    missing: bool,
}

impl CheckKind for Lookup {
    const NAME: &'static str = "lookup";
    const VALUES: &'static [(&'static str, &'static str)] = &[
        ("name", "the name that is looked up; the pairs, with commas between them"),
        ("other", "the first declaration, with its values and its `file`; absent where there is none"),
    ];
    const PLACES: &'static [(&'static str, &'static str)] =
        &[("other", "where the name is declared first, or the most similar name where it is not")];

    fn compile(self, at: &Field<'_>, compiler: &mut Compiler<'_>) -> Option<Arc<dyn Evaluate>> {
        let tables = self.tables.to_vec();
        for name in &tables {
            compiler.symbol(name, &at.key("in"));
        }
        compiler.lookups.extend(tables.iter().cloned());
        let names = compiler.paths(self.name.as_ref(), &at.key("name"));
        let symbols = tables.iter().filter_map(|table| compiler.vocabulary.symbols.get(table));
        let symbols: Vec<_> = symbols.collect();
        let has_pairs = symbols.iter().all(|symbol| symbol.pairs);
        let detail = match () {
            () if self.that.is_none() && self.back.is_none() && !self.missing => {
                "say what holds for a declaration with `that` or `back`, or `missing: true`"
            }
            () if self.back.is_none() && self.back_pattern.is_some() => "`back_pattern` is for `back`",
            () if self.pairs && self.pattern.is_some() => "use either `pairs` or `pattern`",
            () if compiler.deep && self.pairs && !has_pairs => {
                "`pairs` needs a symbol table with `pairs: true` in `pack.yaml`"
            }
            () => "",
        };
        if !detail.is_empty() {
            compiler.report(Fault::new("bad-bounds", at).with("detail", detail));
            return None;
        }
        let mut known: Vec<String> =
            symbols.iter().flat_map(|symbol| symbol.values.keys().cloned()).collect();
        if let Some(back) = self.back.as_ref().filter(|back| compiler.deep && !known.contains(back)) {
            let fault = Fault::new("unknown-member", &at.key("back")).with("path", back.as_str());
            let fault = fault.with("name", back.as_str());
            compiler.report(fault.among(back, known.iter().map(String::as_str)));
        }
        known.push("file".to_owned());
        compiler.other = Some(known);
        let that = self.that.map(|that| compiler.condition(&that, &at.key("that")));
        compiler.other = None;
        let (pairs, back, missing) = (self.pairs, self.back, self.missing);
        let pattern = self.pattern.map(LazyRegex::new);
        let back_pattern = self.back_pattern.map(LazyRegex::new).or_else(|| pattern.clone());
        Some(Arc::new(Fits { tables, names, pattern, pairs, that, back, back_pattern, missing }))
    }
}

#[derive(Debug)]
struct Fits {
    tables: Vec<String>,
    names: Vec<JsonPath>,
    pattern: Option<LazyRegex>,
    pairs: bool,
    that: Option<Condition>,
    back: Option<String>,
    back_pattern: Option<LazyRegex>,
    missing: bool,
}

/// Declarations that are looked for one by one among others.
const FEW: usize = 8;

/// Most names that are compared to find the nearest ones, for all findings of a rule in a document.
const COMPARISONS: usize = 200_000;

impl Evaluate for Fits {
    fn run<'t>(&self, nodes: &[Node<'t>], context: &Context<'_, 't>) -> Vec<Finding<'t>> {
        let Some(lookup) = evaluate::Lookup::of(context.state) else { return Vec::new() };
        let comparisons = Cell::new(COMPARISONS);
        let mut findings = Vec::new();
        for node in nodes {
            if self.pairs {
                let found =
                    self.named(*node).into_iter().filter_map(|node| self.unfit_pairs(node, lookup, context));
                context.keep(found, &mut findings);
            } else {
                let named = self.named(*node).into_iter();
                let names = named.flat_map(|node| context.state.names_in(node, self.pattern.as_ref()));
                let found = names.filter_map(|name| self.unfit(*node, &name, lookup, context, &comparisons));
                context.keep(found, &mut findings);
            }
        }
        findings
    }

    fn compares_documents(&self) -> bool {
        true
    }
}

impl Fits {
    /// The nodes with the names, or with the pairs.
    fn named<'t>(&self, node: Node<'t>) -> Vec<Node<'t>> {
        if self.names.is_empty() {
            return vec![node];
        }
        self.names.iter().flat_map(|path| path.select(node)).collect()
    }

    fn unfit<'t>(
        &self,
        node: Node<'t>,
        name: &Name<'t>,
        lookup: evaluate::Lookup<'t>,
        context: &Context<'_, 't>,
        comparisons: &Cell<usize>,
    ) -> Option<Finding<'t>> {
        context.state.hear(name, || Meaning::In(self.tables.clone()));
        let entries: Vec<Entry<'t>> =
            self.tables.iter().flat_map(|table| lookup.entries(table, &name.text)).collect();
        let finding = || Finding { span: name.span, ..Finding::at(name.node) }.with("name", &*name.text);
        if entries.is_empty() {
            return self.missing.then(|| self.undeclared(finding(), &name.text, lookup, comparisons));
        }
        let fits = entries.iter().any(|entry| self.fits(node, *entry, lookup, context));
        (!fits).then(|| about(finding(), &entries))
    }

    /// The finding about the pairs of a mapping.
    fn unfit_pairs<'t>(
        &self,
        node: Node<'t>,
        lookup: evaluate::Lookup<'t>,
        context: &Context<'_, 't>,
    ) -> Option<Finding<'t>> {
        let pairs = node
            .entries()
            .filter_map(|entry| Some(format!("{}={}", entry.key(), entry.value().scalar_text()?)));
        let pairs: Vec<String> = pairs.take_while(|_| budget::charge(1)).collect();
        // What selects everything, or what is not a set of pairs, is not decided here.
        if pairs.is_empty() || pairs.len() < node.len() {
            return None;
        }
        let mut found: Vec<Vec<Entry<'t>>> = pairs
            .iter()
            .map(|pair| self.tables.iter().flat_map(|table| lookup.entries(table, pair)).collect())
            .collect();
        found.sort_by_key(Vec::len);
        let mut found = found.into_iter();
        let mut entries = found.next()?;
        for others in found {
            let id = |entry: &Entry<'t>| Arc::as_ptr(entry.values());
            if entries.len() <= FEW {
                entries.retain(|entry| others.iter().any(|other| id(other) == id(entry)));
            } else {
                let others: HashSet<*const Value> = others.iter().map(id).collect();
                entries.retain(|entry| others.contains(&id(entry)));
            }
        }
        let finding = || Finding::at(node).with("name", pairs.join(", "));
        if entries.is_empty() {
            return self.missing.then(finding);
        }
        let fits = entries.iter().any(|entry| self.fits(node, *entry, lookup, context));
        (!fits).then(|| about(finding(), &entries))
    }

    fn fits<'t>(
        &self,
        node: Node<'t>,
        entry: Entry<'t>,
        lookup: evaluate::Lookup<'t>,
        context: &Context<'_, 't>,
    ) -> bool {
        if !budget::charge(1) {
            return true;
        }
        let holds = self.that.as_ref().is_none_or(|that| {
            let bindings = NodeBindings { other: Some(entry.values()), ..context.bindings(node) };
            bindings.hold(that, true)
        });
        holds && self.back.as_ref().is_none_or(|back| self.leads_back(&entry.values()[back], lookup))
    }

    /// Whether a name in a value is declared in this document.
    fn leads_back(&self, value: &Value, lookup: evaluate::Lookup<'_>) -> bool {
        let is_own =
            |name: &str| self.tables.iter().any(|table| lookup.own_names(table).any(|own| own == name));
        let text = match value {
            Value::Array(items) => return items.iter().any(|item| self.leads_back(item, lookup)),
            Value::Object(members) => return members.values().any(|value| self.leads_back(value, lookup)),
            Value::String(text) => text.clone(),
            Value::Number(number) => number.to_string(),
            Value::Null | Value::Bool(_) => return false,
        };
        match &self.back_pattern {
            Some(pattern) => evaluate::matched(pattern, &text).into_iter().any(|(name, _)| is_own(name)),
            None => is_own(&text),
        }
    }

    /// A finding about a name that no document declares; with the names it could have been, while `comparisons` are left.
    fn undeclared<'t>(
        &self,
        finding: Finding<'t>,
        name: &str,
        lookup: evaluate::Lookup<'t>,
        comparisons: &Cell<usize>,
    ) -> Finding<'t> {
        if comparisons.get() == 0 {
            return finding;
        }
        let mut names: Vec<&str> = self.tables.iter().flat_map(|table| lookup.names(table)).collect();
        names.dedup();
        comparisons.set(comparisons.get().saturating_sub(names.len().max(1)));
        let finding = finding.among(name, names.into_iter().map(str::to_owned));
        let near = finding.nearest.clone().into_iter();
        let mut near = near.flat_map(|near| {
            self.tables.iter().flat_map(|table| lookup.entries(table, &near)).collect::<Vec<_>>()
        });
        match near.next() {
            Some(entry) => finding.elsewhere("other", entry.location()),
            None => finding,
        }
    }
}

/// Adds the first declaration to a finding.
fn about<'t>(finding: Finding<'t>, entries: &[Entry<'t>]) -> Finding<'t> {
    match entries.first() {
        Some(entry) => finding.with("other", (**entry.values()).clone()).elsewhere("other", entry.location()),
        None => finding,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde_json::json;

    use crate::{
        checks::trial::{document, faults, found_in},
        kinds::{Document, SharedName, SharedNames},
        text::{Source, Span},
    };

    /// A document of a project in which another one declares the product `lamp`.
    fn in_project(text: &str) -> Document {
        let mut document = document(text);
        let other = Source::new("b.yaml", "lamp");
        let values = Arc::new(json!({"file": "b.yaml"}));
        let name = SharedName::new(&"/product".into(), "lamp", &other, Span::new(0, 4));
        let names = [name.with_values(Some(&values))];
        let shared = SharedNames::of([("b.yaml".to_owned(), "b.yaml".to_owned(), names.as_slice())]);
        document.project = Some(Arc::new(shared));
        document
    }

    #[test]
    fn a_declaration_of_another_document_fits() {
        let found = |check: &str, text: &str| found_in(check, "$.order[*]", &in_project(text));
        let order = "order: [lamp, lam, 3]\n";
        assert_eq!(
            found("{lookup: {in: product, missing: true}}", order),
            ["/order/1 lam (lamp?)", "/order/2 3"]
        );
        assert_eq!(found("{lookup: {in: product, that: 'other.file == \"b.yaml\"'}}", order), [""; 0]);
        assert_eq!(found("{lookup: {in: product, that: 'other.file == key'}}", order), ["/order/0 lamp"]);
        let inside = "order: ['a lamp, or lam']\n";
        let check = "{lookup: {in: product, pattern: 'l[a-z]+', missing: true}}";
        assert_eq!(found(check, inside), ["/order/0 lam (lamp?)"]);
        assert_eq!(found_in(check, "$.order[*]", &document(inside)), [""; 0], "without a project");
    }

    #[test]
    fn what_finds_nothing_is_refused() {
        assert_eq!(faults("{lookup: {in: product}}"), ["bad-bounds"]);
        assert_eq!(faults("{lookup: {in: product, pairs: true, missing: true}}"), ["bad-bounds"]);
        assert_eq!(faults("{lookup: {in: products, missing: true}}"), ["unknown-symbol"]);
        assert_eq!(faults("{lookup: {in: product, back: supersedes}}"), ["unknown-member"]);
        assert_eq!(faults("{lookup: {in: product, that: other.fil == '1'}}"), ["unknown-member"]);
        assert_eq!(faults("{cel: \"other.file == '1'\"}"), ["unknown-cel-name"]);
        assert_eq!(faults("{cel: \"size(lookup) == 1\"}"), ["unknown-member"]);
        assert_eq!(faults("{cel: \"self in lookup.prodct\"}"), ["unknown-member"]);
    }
}
