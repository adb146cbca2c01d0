use super::Context;
use crate::{engine::finding::Finding, rules::check::Range, tree::Node};

/// `range`: a number is within bounds. Texts of numbers count as numbers, others are left alone.
pub(super) fn test<'t>(range: &Range, node: Node<'t>, context: &Context<'_, 't>) -> Option<Finding<'t>> {
    let value = number(node)?;
    let below = range.below_of.as_ref().and_then(|route| {
        let found = context.state.follow(route, node).into_iter().next();
        found.map_or(range.default, number)
    });
    let broken = [
        range.min.filter(|bound| value < *bound),
        range.above.filter(|bound| value <= *bound),
        range.max.filter(|bound| value > *bound),
        below.filter(|bound| value >= *bound),
    ];
    let bound = broken.into_iter().flatten().next()?;
    Some(Finding::at(node).with("bound", bound.to_string()))
}

fn number(node: Node<'_>) -> Option<f64> {
    node.as_f64().or_else(|| node.as_str()?.trim().parse().ok())
}
