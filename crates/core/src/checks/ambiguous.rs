use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;

use super::{CheckKind, Compiler, Context, Evaluate, Field, Finding};
use crate::{
    budget,
    expressions::LazyRegex,
    tree::{Entry, Node},
};

/// No two keys of the mapping are templates that the same text fits, with neither of them the more specific one: `/{kind}/all`
/// and `/pets/{id}` are ambiguous, `/pets/{id}` and `/pets/all` are not. Templates that differ only in the names of their
/// placeholders are left to `unique`. Each later key is one finding.
///
/// ```yaml
/// check: {ambiguous: {separator: /, placeholder: '^[{][^{}]*[}]$'}}
/// ```
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Ambiguous {
    /// What is between the parts of a template.
    separator: char,
    /// Regular expression (of the linear-time engine) of a part that any text fits. Other parts fit only themselves.
    #[schemars(extend("format" = "regex", "x-fault" = {"format": "bad-regex"}))]
    placeholder: String,
}

impl CheckKind for Ambiguous {
    const NAME: &'static str = "ambiguous";
    const VALUES: &'static [(&'static str, &'static str)] =
        &[("name", "the key"), ("first", "the key before it that the same text fits")];
    const PLACES: &'static [(&'static str, &'static str)] = &[("first", "the key before it")];

    fn compile(self, _: &Field<'_>, _: &mut Compiler<'_>) -> Option<Arc<dyn Evaluate>> {
        Some(Arc::new(Templates { separator: self.separator, placeholder: LazyRegex::new(self.placeholder) }))
    }
}

#[derive(Debug)]
struct Templates {
    separator: char,
    placeholder: LazyRegex,
}

/// A key, and its parts; a placeholder is nothing.
struct Template<'t> {
    entry: Entry<'t>,
    parts: Vec<Option<&'t str>>,
}

impl Evaluate for Templates {
    fn run<'t>(&self, nodes: &[Node<'t>], context: &Context<'_, 't>) -> Vec<Finding<'t>> {
        let mut findings = Vec::new();
        for node in nodes {
            let templates: Vec<Template<'t>> =
                node.entries().filter_map(|entry| self.template(entry)).collect();
            for (index, template) in templates.iter().enumerate() {
                let mut before = templates[..index].iter().take_while(|_| budget::charge(1));
                let first = before.find(|first| are_ambiguous(&first.parts, &template.parts));
                let finding = first.map(|first| {
                    let entry = template.entry;
                    let finding = Finding { span: entry.key_span(), ..Finding::at(entry.value()) };
                    let finding = finding.with("name", entry.key()).with("first", first.entry.key());
                    finding.place("first", first.entry.key_span())
                });
                context.keep(finding, &mut findings);
            }
        }
        findings
    }
}

impl Templates {
    /// A key with a placeholder: other keys are more specific than every template that they fit.
    fn template<'t>(&self, entry: Entry<'t>) -> Option<Template<'t>> {
        let placeholder = self.placeholder.get()?;
        let part = |part: &'t str| (!placeholder.is_match(part)).then_some(part);
        let parts: Vec<Option<&'t str>> = entry.key().split(self.separator).map(part).collect();
        parts.contains(&None).then_some(Template { entry, parts })
    }
}

/// Whether some text fits both templates, and each of them has a placeholder where the other one has none.
fn are_ambiguous(one: &[Option<&str>], other: &[Option<&str>]) -> bool {
    let pairs = || one.iter().zip(other);
    one.len() == other.len()
        && pairs().all(|(one, other)| one == other || one.is_none() || other.is_none())
        && pairs().any(|(one, other)| one.is_none() && other.is_some())
        && pairs().any(|(one, other)| one.is_some() && other.is_none())
}

#[cfg(test)]
mod tests {
    use crate::checks::trial::findings;

    #[test]
    fn templates_that_the_same_text_fits_are_ambiguous() {
        let check = "{ambiguous: {separator: /, placeholder: '^[{].*[}]$'}}";
        let found = |text: &str| findings(check, "$", text);
        assert_eq!(
            found("{'/{a}/b': 1, '/c/{d}': 2, '/{e}/f': 3}"),
            ["/~1c~1{d} '/c/{d}'", "/~1{e}~1f '/{e}/f'"]
        );
        assert_eq!(found("{'/a/{b}': 1, '/a/c': 2, '/a/{d}': 3, '/{e}/{f}': 4, '/x/{b}/y': 5}"), [""; 0]);
        assert_eq!(found("{'/a/{b}/c': 1, '/{a}/b/d': 2, '/{a}/b': 3, '/a/x{b}': 4}"), [""; 0]);
    }
}
