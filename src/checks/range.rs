use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;

use super::{CheckKind, Compiler, Context, Evaluate, Field, Finding};
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
    /// Less than the number that this route leads to.
    below_of: Option<String>,
    /// The number to compare with where `below_of` leads nowhere.
    default: Option<f64>,
}

impl CheckKind for Range {
    const NAME: &'static str = "range";
    const VALUES: &'static [(&'static str, &'static str)] = &[("bound", "the bound that is violated")];

    fn compile(self, at: &Field<'_>, compiler: &mut Compiler<'_>) -> Option<Arc<dyn Evaluate>> {
        let below_of = self.below_of.and_then(|route| compiler.route(&route, &at.key("below_of")));
        let (min, above, max) = (self.min, self.above, self.max);
        Some(Arc::new(Bounds { min, above, max, below_of, default: self.default }))
    }
}

#[derive(Debug)]
struct Bounds {
    min: Option<f64>,
    above: Option<f64>,
    max: Option<f64>,
    below_of: Option<Route>,
    default: Option<f64>,
}

impl Bounds {
    fn finding<'t>(&self, node: Node<'t>, context: &Context<'_, 't>) -> Option<Finding<'t>> {
        let value = number(node)?;
        let below = self.below_of.as_ref().and_then(|route| {
            let found = context.state.follow(route, node).into_iter().next();
            found.map_or(self.default, number)
        });
        let broken = [
            self.min.filter(|bound| value < *bound),
            self.above.filter(|bound| value <= *bound),
            self.max.filter(|bound| value > *bound),
            below.filter(|bound| value >= *bound),
        ];
        let bound = broken.into_iter().flatten().next()?;
        Some(Finding::at(node).with("bound", bound.to_string()))
    }
}

impl Evaluate for Bounds {
    fn run<'t>(&self, nodes: &[Node<'t>], context: &Context<'_, 't>) -> Vec<Finding<'t>> {
        nodes.iter().filter_map(|node| self.finding(*node, context)).collect()
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
    }
}
