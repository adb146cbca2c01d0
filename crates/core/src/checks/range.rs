use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;

use super::{CheckKind, Compiler, Context, Evaluate, Fault, Field, Finding};
use crate::{expressions::Route, tree::Node};

/// A number is within bounds. Strings that hold a number count as numbers; other values pass.
///
/// ```yaml
/// check: {range: {above: 0, max: 100}}
/// ```
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Range {
    /// At least.
    min: Option<f64>,
    /// More than.
    above: Option<f64>,
    /// At most.
    max: Option<f64>,
    /// At least the number that this route leads to.
    min_of: Option<String>,
    /// More than the number that this route leads to.
    above_of: Option<String>,
    /// At most the number that this route leads to.
    max_of: Option<String>,
    /// Less than the number that this route leads to.
    below_of: Option<String>,
    /// The number to compare with where a route leads nowhere.
    default: Option<f64>,
}

impl CheckKind for Range {
    const NAME: &'static str = "range";
    const VALUES: &'static [(&'static str, &'static str)] = &[("bound", "the bound that is violated")];
    const PLACES: &'static [(&'static str, &'static str)] =
        &[("bound", "the bound that is violated, where a route leads to it")];

    fn compile(self, at: &Field<'_>, compiler: &mut Compiler<'_>) -> Option<Arc<dyn Evaluate>> {
        let fixed = [(Relation::Min, self.min), (Relation::Above, self.above), (Relation::Max, self.max)];
        let routes = [
            (Relation::Min, "min_of", self.min_of),
            (Relation::Above, "above_of", self.above_of),
            (Relation::Max, "max_of", self.max_of),
            (Relation::Below, "below_of", self.below_of),
        ];
        let mut bounds: Vec<(Relation, Bound)> = fixed
            .into_iter()
            .filter_map(|(relation, bound)| Some((relation, Bound::Fixed(bound?))))
            .collect();
        for (relation, key, route) in routes {
            let route = route.and_then(|route| compiler.route(&route, &at.key(key)));
            bounds.extend(route.map(|route| (relation, Bound::Route(route))));
        }
        let contradict = match (self.min.or(self.above), self.max) {
            (Some(least), Some(most)) => least > most || (self.above.is_some() && least >= most),
            _ => false,
        };
        if bounds.is_empty() || contradict {
            let detail =
                if contradict { "no number is within these bounds" } else { "give at least one bound" };
            compiler.report(Fault::new("bad-bounds", at).with("detail", detail));
            return None;
        }
        Some(Arc::new(Bounds { bounds, default: self.default }))
    }
}

/// How a number relates to a bound.
#[derive(Debug, Clone, Copy)]
enum Relation {
    Min,
    Above,
    Max,
    Below,
}

impl Relation {
    fn holds(self, value: f64, bound: f64) -> bool {
        match self {
            Self::Min => value >= bound,
            Self::Above => value > bound,
            Self::Max => value <= bound,
            Self::Below => value < bound,
        }
    }
}

#[derive(Debug)]
enum Bound {
    /// A number that the rule has.
    Fixed(f64),
    /// A number that the document has.
    Route(Route),
}

#[derive(Debug)]
struct Bounds {
    bounds: Vec<(Relation, Bound)>,
    default: Option<f64>,
}

impl Bounds {
    fn finding<'t>(&self, node: Node<'t>, context: &Context<'_, 't>) -> Option<Finding<'t>> {
        let value = number(node)?;
        let broken = |(relation, bound): &(Relation, Bound)| {
            let (bound, place) = match bound {
                Bound::Fixed(bound) => (*bound, None),
                Bound::Route(route) => match context.state.follow(route, node).into_iter().next() {
                    Some(found) => (number(found)?, Some(found)),
                    None => (self.default?, None),
                },
            };
            (!relation.holds(value, bound)).then_some((bound, place))
        };
        let (bound, place) = self.bounds.iter().find_map(broken)?;
        let finding = Finding::at(node).with("bound", bound.to_string());
        Some(match place {
            Some(place) => finding.place("bound", place.span()),
            None => finding,
        })
    }
}

impl Evaluate for Bounds {
    fn run<'t>(&self, nodes: &[Node<'t>], context: &Context<'_, 't>) -> Vec<Finding<'t>> {
        context.kept(nodes.iter().filter_map(|node| self.finding(*node, context)))
    }
}

fn number(node: Node<'_>) -> Option<f64> {
    node.as_f64().or_else(|| node.as_str()?.trim().parse().ok())
}

#[cfg(test)]
mod tests {
    use crate::checks::trial::findings;

    #[test]
    fn numbers_and_strings_of_numbers_are_compared() {
        assert_eq!(
            findings("{range: {above: 0, max: 10}}", "$[*]", "[0, 1, '11', many]"),
            ["/0 0", "/2 '11'"]
        );
        let below = "{range: {below_of: '$.limit', default: 3}}";
        assert_eq!(findings(below, "$.n", "n: 4\nlimit: 5\n"), [""; 0]);
        assert_eq!(findings(below, "$.n", "n: 4\n"), ["/n 4"]);
        let numbers = "limit: 2\nn: [1, 2, 3]\n";
        assert_eq!(findings("{range: {min_of: '$.limit'}}", "$.n[*]", numbers), ["/n/0 1"]);
        assert_eq!(findings("{range: {above_of: '$.limit'}}", "$.n[*]", numbers), ["/n/0 1", "/n/1 2"]);
        assert_eq!(findings("{range: {max_of: '$.limit'}}", "$.n[*]", numbers), ["/n/2 3"]);
    }
}
