use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;

use super::{CheckKind, Compiler, Context, Evaluate, Field, Finding, OneOrMany};
use crate::{
    text::Span,
    tree::{JsonPath, Node},
};

/// The values of nodes follow, in their order, what an option lists. In the list, `*` is any number of values, `+` is one
/// or more of them, and `?` is one. Without a list, every order passes. The first value that does not fit is the
/// finding; if values are missing at the end, it is the end of the selected node.
///
/// ```yaml
/// check: {sequence: {of: '@.headings[*].text', option: most}}
/// ```
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Sequence {
    /// Path, or paths, from the selected node to the values.
    of: OneOrMany<String>,
    /// Name of the option with the list.
    option: String,
    /// Whether uppercase and lowercase letters are the same.
    #[serde(default)]
    fold: bool,
}

impl CheckKind for Sequence {
    const NAME: &'static str = "sequence";
    const VALUES: &'static [(&'static str, &'static str)] = &[
        ("wanted", "what the list has there; absent where nothing is allowed"),
        ("missing", "whether values are missing at the end"),
    ];

    fn compile(self, at: &Field<'_>, compiler: &mut Compiler<'_>) -> Option<Arc<dyn Evaluate>> {
        let of = compiler.paths(Some(&self.of), &at.key("of"));
        compiler.option(&self.option, &at.key("option"));
        Some(Arc::new(Order { of, option: self.option, fold: self.fold }))
    }
}

#[derive(Debug)]
struct Order {
    of: Vec<JsonPath>,
    option: String,
    fold: bool,
}

/// A list that values are compared with, and how far they have come.
struct Progress<'o> {
    wanted: Vec<&'o str>,
    next: usize,
    /// Whether values that are not next may come in between.
    any: bool,
    fold: bool,
}

impl<'o> Progress<'o> {
    fn take(&mut self) -> Option<&'o str> {
        let next = self.wanted.get(self.next).copied();
        self.next += 1;
        next
    }

    fn same(&self, wanted: Option<&str>, value: &str) -> bool {
        wanted.is_some_and(|wanted| {
            if self.fold { wanted.to_lowercase() == value.to_lowercase() } else { wanted == value }
        })
    }

    /// Goes on with a value; gives what is wanted instead where it does not fit.
    fn accept(&mut self, value: &str) -> Result<(), Option<&'o str>> {
        match self.take() {
            Some("*") => {
                let after = self.take();
                if !self.same(after, value) {
                    self.any = true;
                    self.next -= 1;
                }
            }
            Some("+") => self.any = true,
            Some("?") => {}
            wanted if self.same(wanted, value) => self.any = false,
            _ if self.any => self.next -= 1,
            wanted => return Err(wanted),
        }
        Ok(())
    }

    /// What is missing after the last value.
    fn missing(&self, any_values: bool) -> Option<&'o str> {
        let left = self.wanted.len().saturating_sub(self.next);
        let next = self.wanted.get(self.next).copied()?;
        let is_optional = left == 1 && next == "*";
        let all_optional = !any_values && self.wanted.iter().all(|wanted| *wanted == "*");
        (!is_optional && !all_optional).then_some(next)
    }
}

impl Order {
    fn finding<'t>(&self, node: Node<'t>, context: &Context<'_, 't>) -> Option<Finding<'t>> {
        let listed = context.options.get(&self.option)?.as_array().filter(|listed| !listed.is_empty())?;
        let wanted = listed.iter().filter_map(|one| one.as_str()).collect();
        let mut progress = Progress { wanted, next: 0, any: false, fold: self.fold };
        let mut values = Vec::new();
        for path in &self.of {
            path.visit(node, &mut |found| values.push(found));
        }
        for value in &values {
            let text = value.scalar_text().unwrap_or_default();
            if let Err(wanted) = progress.accept(&text) {
                return Some(Finding::at(*value).with("wanted", wanted).with("missing", false));
            }
        }
        let missing = progress.missing(!values.is_empty())?;
        let end = Span::at(node.span().end as usize);
        Some(Finding { span: end, ..Finding::at(node) }.with("wanted", missing).with("missing", true))
    }
}

impl Evaluate for Order {
    fn run<'t>(&self, nodes: &[Node<'t>], context: &Context<'_, 't>) -> Vec<Finding<'t>> {
        context.kept(nodes.iter().filter_map(|node| self.finding(*node, context)))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::checks::trial::{faults, findings_with};

    #[test]
    fn values_follow_a_list() {
        let found = |text: &str, list: serde_json::Value| {
            findings_with(
                "{sequence: {of: '@[*]', option: most, fold: true}}",
                "$",
                text,
                &json!({"most": list}),
            )
        };
        assert_eq!(found("[A, b]", json!(["a", "b"])), [""; 0]);
        assert_eq!(found("[a, c]", json!(["a", "b"])), ["/1 c"]);
        assert_eq!(found("[a, x, y, b]", json!(["a", "*", "b"])), [""; 0]);
        assert_eq!(found("[a, b]", json!(["a", "*", "b"])), [""; 0]);
        assert_eq!(found("[a, b]", json!(["a", "+", "b"])).len(), 1);
        assert_eq!(found("[x, b]", json!(["?", "b"])), [""; 0]);
        assert_eq!(found("[a]", json!(["a", "b"])), [" "]);
        assert_eq!(found("[a, b]", json!([])), [""; 0]);
        assert_eq!(faults("{sequence: {of: '@[*]', option: list}}"), ["unknown-option"]);
    }
}
