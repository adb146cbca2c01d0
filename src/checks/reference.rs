use std::sync::Arc;

use foldhash::{HashSet, HashSetExt};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    CheckKind, Compiler, Context, Evaluate, Field, Finding, OneOrMany,
    evaluate::{Declaration, Name},
};
use crate::tree::{JsonPath, Node};

/// The name is declared in a symbol table of the pack.
///
/// ```yaml
/// check: {reference: {to: product}}
/// ```
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Reference {
    /// Symbol table, or several.
    to: Option<OneOrMany<String>>,
    /// Path to the name; the node itself when absent.
    name: Option<String>,
    /// Which names to report.
    #[serde(default)]
    report: Report,
    /// Whether a name that is used several times is reported once, where it is used first.
    #[serde(default)]
    once: bool,
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
    ];

    fn compile(self, at: &Field<'_>, compiler: &mut Compiler<'_>) -> Option<Arc<dyn Evaluate>> {
        let to = self.to.map(OneOrMany::into_vec).unwrap_or_default();
        for name in &to {
            compiler.symbol(name, &at.key("to"));
        }
        let name = self.name.and_then(|name| compiler.path(&name, &at.key("name")));
        Some(Arc::new(Declared { to, name, report: self.report, once: self.once }))
    }
}

#[derive(Debug)]
struct Declared {
    /// Symbol tables that may have the name.
    to: Vec<String>,
    name: Option<JsonPath>,
    report: Report,
    once: bool,
}

/// A name that is not declared as it must be.
struct Undeclared<'s, 't> {
    named: Node<'t>,
    held: Name<'t>,
    /// What it is the name of instead.
    other: Option<&'s Declaration<'t>>,
}

impl Evaluate for Declared {
    fn run<'t>(&self, nodes: &[Node<'t>], context: &Context<'_, 't>) -> Vec<Finding<'t>> {
        let findings = nodes.iter().filter_map(|node| self.finding(*node, context));
        let mut findings: Vec<Finding<'t>> = findings.collect();
        if self.once {
            let mut seen = HashSet::new();
            let name = |finding: &Finding<'t>| {
                finding.node.and_then(|node| Some(context.state.name_of(node)?.text.into_owned()))
            };
            findings.sort_by_key(|finding| (finding.source, finding.span));
            findings.retain(|finding| name(finding).is_none_or(|name| seen.insert(name)));
        }
        findings
    }

    fn holds<'t>(&self, node: Node<'t>, context: &Context<'_, 't>) -> bool {
        self.undeclared(node, context).is_none()
    }
}

impl Declared {
    fn undeclared<'s, 't>(&self, node: Node<'t>, context: &Context<'s, 't>) -> Option<Undeclared<'s, 't>> {
        let named = match &self.name {
            Some(path) => path.first(node)?,
            None => node,
        };
        let held = context.state.name_of(named)?;
        let declarations = context.state.symbols().find(&held.text, named);
        if declarations.iter().any(|declaration| self.to.iter().any(|table| table == declaration.table)) {
            return None;
        }
        // What is always known, such as a type, is not what a name was meant for.
        let other = declarations.into_iter().find(|declaration| declaration.node.is_some());
        let reported = match self.report {
            Report::Any => true,
            Report::Undefined => other.is_none(),
            Report::WrongKind => other.is_some(),
        };
        reported.then_some(Undeclared { named, held, other })
    }

    fn finding<'t>(&self, node: Node<'t>, context: &Context<'_, 't>) -> Option<Finding<'t>> {
        let Undeclared { named, held, other } = self.undeclared(node, context)?;
        let name = held.text.as_ref();
        let symbols = context.state.symbols();
        let names = symbols.names(&self.to, named);
        let mut finding = Finding { span: held.span, ..Finding::at(named) }
            .among(name, names.into_iter().map(str::to_owned));
        if let Some(other) = other {
            finding = finding.with("kind", other.table);
            if let Some(place) = other.name {
                finding = finding.place("declaration", place.span());
            }
        }
        let nearest = finding.nearest.clone();
        let declared = nearest.and_then(|nearest| symbols.find(&nearest, named).first().and_then(|d| d.name));
        Some(match declared {
            Some(node) => finding.place("nearest", node.span()),
            None => finding,
        })
    }
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
        assert_eq!(faults("{reference: {to: products}}"), ["unknown-symbol"]);
    }
}
