use std::convert::Infallible;

use crate::tree::{JsonPath, jsonpath::PathError};

/// A way from a node to names, over declarations: `@.tool -> tool @.inputs[*].id`.
///
/// `^NAME PATH` starts at an ancestor that the pack names; `-> TABLE[,TABLE] PATH` follows the names
/// to their declarations; `| keys`, `| key`, `| placeholders` and `| key | placeholders` at the end give the keys in
/// mappings, the node's own key and the replacement fields of Python format strings (values or keys) instead of values.
#[derive(Debug, Clone)]
pub struct Route {
    /// The ancestor it starts at instead of the node itself.
    pub from: Option<String>,
    /// The path from there.
    pub path: JsonPath,
    /// Declarations it leads over.
    pub hops: Vec<Hop>,
    /// What of the nodes at its end is meant.
    pub part: Part,
}

/// From names to what their declarations hold.
#[derive(Debug, Clone)]
pub struct Hop {
    /// The symbol tables that may have the name.
    pub tables: Vec<String>,
    /// The path from the declaration.
    pub path: JsonPath,
}

/// What of a node a route gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// Its value.
    Value,
    /// Its own key.
    Key,
    /// The keys of a mapping.
    Keys,
    /// The replacement fields of a Python format string.
    Placeholders,
    /// The replacement fields of the node's own key.
    KeyPlaceholders,
}

impl Route {
    /// Whether it leads to the same nodes wherever it starts.
    pub fn is_absolute(&self) -> bool {
        self.from.is_none() && !self.path.is_relative()
    }
}

impl Route {
    /// A route that is known to compile; its paths are compiled when first used.
    pub fn deferred(text: &str) -> Self {
        let Ok(route) = Self::read(text, |path| Ok::<_, Infallible>(JsonPath::deferred(path)));
        route
    }

    fn read<E>(text: &str, compile: impl Fn(&str) -> Result<JsonPath, E>) -> Result<Self, E> {
        let (way, part) = match text.rsplit_once(" | ") {
            Some((way, "keys")) => (way, Part::Keys),
            Some((way, "key")) => (way, Part::Key),
            Some((way, "placeholders")) => match way.strip_suffix(" | key") {
                Some(way) => (way, Part::KeyPlaceholders),
                None => (way, Part::Placeholders),
            },
            _ => (text, Part::Value),
        };
        let mut steps = way.split(" -> ").map(str::trim);
        let first = steps.next().unwrap_or_default();
        let (from, path) = match first.strip_prefix('^') {
            Some(rest) => {
                let (name, path) = rest.split_once(' ').unwrap_or((rest, "@"));
                (Some(name.to_owned()), path)
            }
            None => (None, first),
        };
        let hop = |step: &str| {
            let (tables, path) = step.split_once(' ').unwrap_or((step, "@"));
            let tables = tables.split(',').map(str::to_owned).collect();
            Ok(Hop { tables, path: compile(path.trim())? })
        };
        Ok(Self { from, path: compile(path)?, hops: steps.map(hop).collect::<Result<_, E>>()?, part })
    }
}

impl std::str::FromStr for Route {
    type Err = PathError;

    fn from_str(text: &str) -> Result<Self, PathError> {
        Self::read(text, str::parse)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_route_leads_over_declarations() {
        let route: Route = "^step @.tool -> tool,api @.inputs[*].id | keys".parse().unwrap();
        assert_eq!((route.from.as_deref(), route.part), (Some("step"), Part::Keys));
        assert_eq!((route.path.source(), route.hops[0].tables.len()), ("@.tool", 2));
        let route: Route = "@ | key | placeholders".parse().unwrap();
        assert_eq!((route.path.source(), route.part), ("@", Part::KeyPlaceholders));
        assert!("$.a[*]".parse::<Route>().unwrap().is_absolute());
        assert!("@.a -> tool @.[".parse::<Route>().is_err());
    }
}
