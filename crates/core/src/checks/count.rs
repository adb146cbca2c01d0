use std::sync::Arc;

use foldhash::{HashSet, HashSetExt};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::{Arity, CheckKind, Compiler, Context, Evaluate, Fault, Field, Finding};
use crate::{
    expressions::Condition,
    tree::{JsonPath, Node},
};

/// How many nodes a path selects. Of too many, the finding points at the first one too many.
///
/// ```yaml
/// check: {count: {of: '@.items[*]', min: 1, max: 10}}
/// ```
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Count {
    /// Path to what is counted (default: the node's items or members).
    of: Option<String>,
    /// CEL condition on what is counted (`self` is the counted node).
    #[serde(rename = "where")]
    #[schemars(extend("format" = "cel", "x-fault" = {"format": "bad-cel"}))]
    filter: Option<String>,
    /// Counts only names whose declared type is one of these.
    #[serde(default)]
    typed: Vec<String>,
    /// Counts equal values once.
    #[serde(default)]
    distinct: bool,
    /// Exactly this many.
    eq: Option<Bound>,
    /// At least this many.
    min: Option<Bound>,
    /// At most this many.
    max: Option<Bound>,
}

/// A number, or the name of an option that holds it: `options.NAME`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(untagged)]
enum Bound {
    /// The number.
    Number(u64),
    /// `options.NAME`.
    Option(String),
}

impl CheckKind for Count {
    const NAME: &'static str = "count";
    const VALUES: &'static [(&'static str, &'static str)] = &[
        ("count", "how many there are"),
        ("min", "the least number, if there is one"),
        ("max", "the greatest number, if there is one"),
    ];

    const READS_TEXT: bool = false;

    fn compile(self, at: &Field<'_>, compiler: &mut Compiler<'_>) -> Option<Arc<dyn Evaluate>> {
        for (key, bound) in [("eq", &self.eq), ("min", &self.min), ("max", &self.max)] {
            if let Some(Bound::Option(name)) = bound {
                compiler.option(option_name(name), &at.key(key));
            }
        }
        let (min, max) = match (self.eq, self.min, self.max) {
            (Some(eq), None, None) => (Some(eq.clone()), Some(eq)),
            (None, None, None) | (Some(_), _, _) => {
                let detail = "give `eq`, or `min` and `max`, or one of these";
                compiler.report(Fault::new("bad-bounds", at).with("detail", detail));
                return None;
            }
            (None, Some(Bound::Number(min)), Some(Bound::Number(max))) if min > max => {
                compiler
                    .report(Fault::new("bad-bounds", at).with("detail", "no number is within these bounds"));
                return None;
            }
            (None, min, max) => (min, max),
        };
        let of = self.of.and_then(|of| compiler.path(&of, &at.key("of")));
        let filter = self.filter.map(|filter| compiler.condition(&filter, &at.key("where")));
        Some(Arc::new(Counter { of, filter, typed: self.typed, distinct: self.distinct, min, max }))
    }
}

#[derive(Debug)]
struct Counter {
    of: Option<JsonPath>,
    filter: Option<Condition>,
    /// Declared types of the names that count; all when empty.
    typed: Vec<String>,
    distinct: bool,
    min: Option<Bound>,
    max: Option<Bound>,
}

impl Counter {
    fn finding<'t>(&self, node: Node<'t>, context: &Context<'_, 't>) -> Option<Finding<'t>> {
        let mut counted: Vec<Node<'t>> = match &self.of {
            Some(path) => path.select(node),
            None => node.children().collect(),
        };
        if let Some(filter) = &self.filter {
            counted.retain(|node| context.bindings(*node).hold(filter, false));
        }
        if !self.typed.is_empty() {
            let fits = |node: Node<'t>| {
                let name = context.state.name_of(node)?;
                let (_, found) = context.state.declared_type(&name.text, node)?;
                Some(self.typed.iter().any(|wanted| found.is(wanted)))
            };
            // Where a type is not known, the number is not either.
            let fitting: Option<Vec<bool>> = counted.iter().map(|node| fits(*node)).collect();
            let mut fitting = fitting?.into_iter();
            counted.retain(|_| fitting.next().unwrap_or_default());
        }
        if self.distinct {
            let mut seen = HashSet::new();
            counted.retain(|node| seen.insert(node.to_json().to_string()));
        }
        let number = counted.len() as u64;
        let (min, max) = (bound(self.min.as_ref(), context), bound(self.max.as_ref(), context));
        let (few, many) = (min.is_some_and(|min| number < min), max.is_some_and(|max| number > max));
        if !few && !many {
            return None;
        }
        // The first one too many is what is wrong; of too few, nothing is there to point at.
        let surplus = max.and_then(|max| counted.get(usize::try_from(max).ok()?));
        let finding = match surplus {
            Some(first) if many && self.of.is_some() => Finding { span: first.span(), ..Finding::at(node) },
            _ => Finding::at_key(node),
        };
        Some(
            finding
                .with("count", number)
                .with("min", min.map_or(Value::Null, Value::from))
                .with("max", max.map_or(Value::Null, Value::from)),
        )
    }
}

impl Evaluate for Counter {
    fn run<'t>(&self, nodes: &[Node<'t>], context: &Context<'_, 't>) -> Vec<Finding<'t>> {
        context.kept(nodes.iter().filter_map(|node| self.finding(*node, context)))
    }

    fn arity(&self, items: &str) -> Arity {
        let all = self.typed.is_empty() && self.filter.is_none();
        if !all || !self.of.as_ref().is_some_and(|of| of.source().starts_with(items)) {
            return Arity::default();
        }
        let number = |bound: &Option<Bound>| match bound {
            Some(Bound::Number(number)) => Some(*number),
            _ => None,
        };
        Arity { least: number(&self.min), most: number(&self.max), types: Vec::new() }
    }
}

fn option_name(bound: &str) -> &str {
    bound.strip_prefix("options.").unwrap_or(bound)
}

fn bound(bound: Option<&Bound>, context: &Context<'_, '_>) -> Option<u64> {
    match bound? {
        Bound::Number(number) => Some(*number),
        Bound::Option(name) => context.options[option_name(name)].as_u64(),
    }
}

#[cfg(test)]
mod tests {
    use crate::checks::trial::{faults, findings};

    #[test]
    fn too_many_point_at_the_first_one_too_many() {
        let text = "items: [a, b, b, c]\n";
        assert_eq!(findings("{count: {of: '@.items[*]', max: 2}}", "$", text), [" b"]);
        assert_eq!(findings("{count: {of: '@.items[*]', distinct: true, eq: 3}}", "$", text), [""; 0]);
        assert_eq!(findings("{count: {of: '@.items[*]', where: self == 'b', max: 1}}", "$", text), [" b"]);
        assert_eq!(findings("{count: {min: 5}}", "$.items", text), ["/items items"]);
        assert_eq!(faults("{count: {eq: 1, max: 2}}"), ["bad-bounds"]);
        assert_eq!(faults("{count: {max: options.least}}"), ["unknown-option"]);
    }
}
