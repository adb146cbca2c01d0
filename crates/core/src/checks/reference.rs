use std::{cell::Cell, sync::Arc};

use foldhash::{HashSet, HashSetExt};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    CheckKind, Compiler, Context, Evaluate, Field, Finding, OneOrMany,
    evaluate::{Declaration, Meaning, Name},
    scope::{Scope, table_slot},
};
use crate::{
    expressions::LazyRegex,
    text::nearest,
    tree::{JsonPath, Node},
};

/// The name is declared in a symbol table of the pack. A name that appears in a part of the document that
/// could not be read may be declared there, and passes.
///
/// ```yaml
/// check: {reference: {to: product}}
/// ```
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Reference {
    /// Symbol table, or several.
    to: Option<OneOrMany<String>>,
    /// Path to the name (default: the node itself).
    name: Option<String>,
    /// Regular expression (of the linear-time engine) for names in longer text, such as `\$\{([A-Za-z_]+)\}`: the first group
    /// of each match is a name, or all of the match. A finding points at the name.
    #[schemars(extend("format" = "regex", "x-fault" = {"format": "bad-regex"}))]
    pattern: Option<String>,
    /// Whether the name must be declared before it is used, in the order of the text.
    #[serde(default)]
    before: bool,
    /// Which names to report.
    #[serde(default)]
    report: Report,
    /// Whether a name that is used several times is reported once, where it is used first.
    #[serde(default)]
    once: bool,
    /// What ends the part of a name that says what it is the name of, as `-` does in `fig-a`: similar names are
    /// suggested only where they begin with the same part.
    prefix: Option<char>,
    /// `project`: names that the symbol table has in another document are declared too.
    #[serde(default)]
    scope: Scope,
}

/// Which bad references a rule reports.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Report {
    /// Names that no symbol table has.
    #[default]
    Undefined,
    /// Names that another symbol table has.
    WrongKind,
    /// Both.
    Any,
}

impl CheckKind for Reference {
    const NAME: &'static str = "reference";
    const VALUES: &'static [(&'static str, &'static str)] =
        &[("kind", "the symbol table that has the name instead")];
    const PLACES: &'static [(&'static str, &'static str)] = &[
        ("nearest", "where the most similar name is declared"),
        ("declaration", "where another symbol table has the name declared"),
        ("later", "where the name is declared after it is used, for `before`"),
    ];

    fn compile(self, at: &Field<'_>, compiler: &mut Compiler<'_>) -> Option<Arc<dyn Evaluate>> {
        let to = self.to.map(OneOrMany::into_vec).unwrap_or_default();
        for name in &to {
            compiler.symbol(name, &at.key("to"));
        }
        let name = self.name.and_then(|name| compiler.path(&name, &at.key("name")));
        Some(Arc::new(Declared {
            to,
            name,
            pattern: self.pattern.map(LazyRegex::new),
            before: self.before,
            report: self.report,
            once: self.once,
            prefix: self.prefix,
            scope: self.scope,
        }))
    }
}

#[derive(Debug)]
struct Declared {
    /// Symbol tables that may have the name.
    to: Vec<String>,
    name: Option<JsonPath>,
    /// What of the text is a name.
    pattern: Option<LazyRegex>,
    before: bool,
    report: Report,
    once: bool,
    /// What ends the part of a name that suggestions share.
    prefix: Option<char>,
    scope: Scope,
}

/// Most names that are compared to find the nearest ones, for all findings of a rule in a document: with many
/// declarations and many mistakes, the last mistakes get no suggestion.
const COMPARISONS: usize = 200_000;

/// A name that is not declared as it must be.
struct Undeclared<'s, 't> {
    named: Node<'t>,
    held: Name<'t>,
    /// What it is the name of instead.
    other: Option<&'s Declaration<'t>>,
    /// The node with the name, where it is declared too late.
    later: Option<Node<'t>>,
}

impl Evaluate for Declared {
    fn run<'t>(&self, nodes: &[Node<'t>], context: &Context<'_, 't>) -> Vec<Finding<'t>> {
        let comparisons = Cell::new(COMPARISONS);
        let findings = nodes.iter().flat_map(|node| self.undeclared(*node, context));
        let findings = findings.filter_map(|one| self.finding(one, context, &comparisons));
        if !self.once {
            return context.kept(findings);
        }
        let mut findings: Vec<Finding<'t>> = findings.collect();
        let mut seen = HashSet::new();
        let name = |finding: &Finding<'t>| {
            let node = finding.node?;
            let part = self.pattern.as_ref().map(|_| node.source().slice(finding.span).to_owned());
            part.or_else(|| Some(context.state.name_of(node)?.text.into_owned()))
        };
        findings.sort_by_key(|finding| (finding.source, finding.span));
        findings.retain(|finding| name(finding).is_none_or(|name| seen.insert(name)));
        findings
    }

    fn compares_documents(&self) -> bool {
        self.scope == Scope::Project
    }

    fn shared_tables(&self) -> &[String] {
        if self.scope == Scope::Project { &self.to } else { &[] }
    }

    fn holds<'t>(&self, node: Node<'t>, context: &Context<'_, 't>) -> bool {
        self.undeclared(node, context).is_empty()
    }
}

impl Declared {
    /// The names of a node that are not declared as they must be.
    fn undeclared<'s, 't>(&self, node: Node<'t>, context: &Context<'s, 't>) -> Vec<Undeclared<'s, 't>> {
        let named = match &self.name {
            Some(path) => path.first(node),
            None => Some(node),
        };
        let Some(named) = named else { return Vec::new() };
        if self.pattern.is_none() {
            if self.is_declared_here(named, context) {
                return Vec::new();
            }
            let held = context.state.name_of(named);
            let undeclared = held.and_then(|held| self.undeclared_name(named, held, context));
            return undeclared.into_iter().collect();
        }
        let names = context.state.names_in(named, self.pattern.as_ref()).into_iter();
        names.filter_map(|held| self.undeclared_name(named, held, context)).collect()
    }

    /// Whether the document declares the name that a node holds, as nearly all are, and nothing else needs to be known.
    fn is_declared_here<'t>(&self, named: Node<'t>, context: &Context<'_, 't>) -> bool {
        let state = context.state;
        if self.before || state.listens() {
            return false;
        }
        let declared = |word| {
            let mut declarations = state.find_word(word, named);
            declarations.any(|found| self.to.iter().any(|table| table == found.table))
        };
        state.word_of(named).is_some_and(declared)
    }

    fn undeclared_name<'s, 't>(
        &self,
        named: Node<'t>,
        held: Name<'t>,
        context: &Context<'s, 't>,
    ) -> Option<Undeclared<'s, 't>> {
        context.state.hear(&held, || Meaning::In(self.to.clone()));
        let mut declarations = context.state.find(&held.text, named);
        let mut later = None;
        for declaration in
            declarations.clone().filter(|found| self.to.iter().any(|table| table == found.table))
        {
            match declaration.name.filter(|name| self.before && !is_before(*name, named)) {
                None => return None,
                Some(name) => later = later.or(Some(name)),
            }
        }
        if self.is_declared_elsewhere(&held.text, context) {
            return None;
        }
        // What is always known, such as a type, is not what a name was meant for.
        let other = declarations
            .find(|found| found.node.is_some() && !self.to.iter().any(|table| table == found.table));
        let reported = match self.report {
            Report::Any => true,
            Report::Undefined => other.is_none(),
            Report::WrongKind => other.is_some(),
        };
        reported.then_some(Undeclared { named, held, other, later })
    }

    /// Whether another document of the project declares the name.
    fn is_declared_elsewhere(&self, name: &str, context: &Context<'_, '_>) -> bool {
        let document = context.state.document;
        let Some(names) = document.project.as_ref().filter(|_| self.scope == Scope::Project) else {
            return false;
        };
        let own = document.source().key();
        let pack = &context.state.vocabulary.pack;
        let beside = |slot: &str| {
            document.siblings().is_some_and(|(names, part)| names.outside(slot, name, part).is_some())
        };
        self.to.iter().any(|table| {
            let slot = table_slot(pack, table);
            names.is_declared(&slot, name, own) || beside(&slot)
        })
    }

    /// The names that other documents of the project declare.
    fn names_elsewhere(&self, context: &Context<'_, '_>) -> Vec<String> {
        let names = context.state.document.project.as_ref().filter(|_| self.scope == Scope::Project);
        let pack = &context.state.vocabulary.pack;
        let slots = self.to.iter().map(|table| table_slot(pack, table));
        let all = slots.flat_map(|slot| {
            names.iter().flat_map(|names| names.names(&slot)).map(str::to_owned).collect::<Vec<_>>()
        });
        let mut all: Vec<String> = all.collect();
        all.sort_unstable();
        all
    }

    /// The finding about a node; with the names it could have been, while `comparisons` are left.
    fn finding<'t>(
        &self,
        undeclared: Undeclared<'_, 't>,
        context: &Context<'_, 't>,
        comparisons: &Cell<usize>,
    ) -> Option<Finding<'t>> {
        let Undeclared { named, held, other, later } = undeclared;
        let name = held.text.as_ref();
        if other.is_none() && later.is_none() && may_be_unread(name, context) {
            return None;
        }
        let symbols = context.state.symbols();
        let mut finding = Finding { span: held.span, ..Finding::at(named) };
        if comparisons.get() > 0 {
            let mut names = symbols.names(&self.to, named, name);
            comparisons.set(comparisons.get().saturating_sub(names.len().max(1)));
            if self.before {
                let is_known = |found: &Declaration<'_>| found.name.is_none_or(|name| is_before(name, named));
                names.retain(|name| context.state.find(name, named).any(is_known));
            }
            let mut others = self.names_elsewhere(context);
            comparisons.set(comparisons.get().saturating_sub(others.len()));
            if let Some(end) = self.prefix {
                // The prefix is equal, so what follows it has to be similar on its own.
                let similar = |other: &str| match (name.split_once(end), other.split_once(end)) {
                    (Some((own, rest)), Some((prefix, other))) => {
                        own.eq_ignore_ascii_case(prefix)
                            && (rest == other || nearest(rest, [other]).is_some())
                    }
                    (own, prefix) => own.is_none() && prefix.is_none(),
                };
                names.retain(|other| similar(other));
                others.retain(|other| similar(other));
            }
            finding = finding.among(name, names.into_iter().map(str::to_owned).chain(others));
        }
        if let Some(other) = other {
            finding = finding.with("kind", other.table);
            if let Some(place) = other.span().filter(|_| other.name.is_some()) {
                finding = finding.place("declaration", place);
            }
        }
        if let Some(later) = later {
            finding = finding.place("later", later.span());
        }
        let nearest = finding.nearest.clone();
        let declared = nearest.and_then(|nearest| {
            context.state.find(&nearest, named).next().filter(|found| found.name.is_some())?.span()
        });
        if let Some(place) = declared {
            return Some(finding.place("nearest", place));
        }
        let document = context.state.document;
        let elsewhere = finding.nearest.as_ref().and_then(|nearest| {
            let names = document.project.as_ref()?;
            let slot = |table: &String| table_slot(&context.state.vocabulary.pack, table);
            let own = document.source().key();
            let beside =
                |slot: &str| document.siblings().and_then(|(names, part)| names.outside(slot, nearest, part));
            self.to.iter().find_map(|table| {
                let slot = slot(table);
                names.elsewhere(&slot, nearest, own).or_else(|| beside(&slot))
            })
        });
        Some(match elsewhere {
            Some(location) => finding.elsewhere("nearest", location),
            None => finding,
        })
    }
}

/// Whether a declaration of a name comes before its use; one in another file does.
fn is_before(declared: Node<'_>, used: Node<'_>) -> bool {
    declared.source_id() != used.source_id() || declared.span().start < used.span().start
}

/// Whether a name appears as a word in a part of the document that could not be read.
fn may_be_unread(name: &str, context: &Context<'_, '_>) -> bool {
    let unread = context.state.document.unread.as_deref().unwrap_or_default();
    let text = context.state.document.source().text();
    let is_inside = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
    let is_word = |part: &str, at: usize| {
        let (before, after) = (&part[..at], &part[at + name.len()..]);
        !before.ends_with(is_inside) && !after.starts_with(is_inside)
    };
    !name.is_empty()
        && unread
            .iter()
            .filter_map(|span| text.get(span.range()))
            .any(|part| part.match_indices(name).any(|(at, _)| is_word(part, at)))
}

#[cfg(test)]
mod tests {
    use crate::checks::trial::{faults, findings};

    #[test]
    fn names_are_looked_up_in_symbol_tables() {
        let text = "products: [{sku: lamp}]\norder: [lamp, lam, any, lam]\n";
        let found = findings("{reference: {to: product}}", "$.order[*]", text);
        assert_eq!(found, ["/order/1 lam (lamp?)", "/order/3 lam (lamp?)"]);
        let once = findings("{reference: {to: product, once: true}}", "$.order[*]", text);
        assert_eq!(once, ["/order/1 lam (lamp?)"]);
        let before = findings("{reference: {to: product, before: true}}", "$.order[*]", text);
        assert_eq!(before, found);
        let later = "order: [lamp]\nproducts: [{sku: lamp}]\n";
        assert_eq!(findings("{reference: {to: product}}", "$.order[*]", later), [""; 0]);
        assert_eq!(
            findings("{reference: {to: product, before: true}}", "$.order[*]", later),
            ["/order/0 lamp"]
        );
        assert_eq!(faults("{reference: {to: products}}"), ["unknown-symbol"]);
        let text = "products: [{sku: lamp}]\norder: ['1 ${lamp}, 2 ${lam}', '${shelf}', none]\n";
        let inside = "{reference: {to: product, pattern: '[$][{]([a-z]+)[}]'}}";
        assert_eq!(findings(inside, "$.order[*]", text), ["/order/0 lam (lamp?)", "/order/1 shelf"]);
        let text = "products: [{sku: eq-margin}]\norder: [tbl-margin, eq-margn]\n";
        let found = findings("{reference: {to: product, prefix: '-'}}", "$.order[*]", text);
        assert_eq!(found, ["/order/0 tbl-margin", "/order/1 eq-margn (eq-margin?)"]);
    }
}
