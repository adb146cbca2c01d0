use foldhash::{HashSet, HashSetExt};

use serde_json::Value;

use super::Context;
use crate::{
    engine::finding::Finding,
    rules::{check::Count, raw::Bound},
    tree::Node,
};

/// `count`: how many nodes a path selects.
pub(super) fn test<'t>(count: &Count, node: Node<'t>, context: &Context<'_, 't>) -> Option<Finding<'t>> {
    let mut counted: Vec<Node<'t>> = match &count.of {
        Some(path) => path.select(node),
        None => node.children().collect(),
    };
    if let Some(filter) = &count.filter {
        counted.retain(|node| filter.holds(&context.bindings(*node), false));
    }
    if !count.typed.is_empty() {
        let fits = |node: Node<'t>| {
            let name = context.state.name_of(node)?;
            let (_, found) = context.state.declared_type(&name.text, node)?;
            Some(count.typed.iter().any(|wanted| found.is(wanted)))
        };
        // Where a type is not known, the number is not either.
        let fitting: Option<Vec<bool>> = counted.iter().map(|node| fits(*node)).collect();
        let mut fitting = fitting?.into_iter();
        counted.retain(|_| fitting.next().unwrap_or_default());
    }
    if count.distinct {
        let mut seen = HashSet::new();
        counted.retain(|node| seen.insert(node.to_json().to_string()));
    }
    let number = counted.len() as u64;
    let (min, max) = (bound(count.min.as_ref(), context), bound(count.max.as_ref(), context));
    let (few, many) = (min.is_some_and(|min| number < min), max.is_some_and(|max| number > max));
    if !few && !many {
        return None;
    }
    // The first one too many is what is wrong; of too few, nothing is there to point at.
    let surplus = max.and_then(|max| counted.get(usize::try_from(max).ok()?));
    let finding = match surplus {
        Some(first) if many && count.of.is_some() => Finding { span: first.span(), ..Finding::at(node) },
        _ => Finding::at_key(node),
    };
    Some(
        finding
            .with("count", number)
            .with("min", min.map_or(Value::Null, Value::from))
            .with("max", max.map_or(Value::Null, Value::from)),
    )
}

fn bound(bound: Option<&Bound>, context: &Context<'_, '_>) -> Option<u64> {
    match bound? {
        Bound::Number(number) => Some(*number),
        Bound::Option(name) => context.options[name.strip_prefix("options.").unwrap_or(name)].as_u64(),
    }
}
