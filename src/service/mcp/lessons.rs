//! What somebody must know to write a kind of document: written by hand where a schema does not say
//! it (`lessons/*.md`), else drawn from the schema.

use std::fmt::Write as _;

use serde_json::Value;

use crate::{kinds::Kind, rules::Ruleset, text::clip};

/// Lessons by kind.
const LESSONS: &[(&str, &str)] = &[
    ("markdown", include_str!("lessons/markdown.md")),
    ("mermaid", include_str!("lessons/mermaid.md")),
    ("qtype", include_str!("lessons/qtype.md")),
    ("rulefile", include_str!("lessons/rulefile.md")),
];

/// A lesson: the list items below each of its headings.
#[derive(Debug, Default)]
pub(super) struct Lesson {
    pub(super) required: Vec<String>,
    pub(super) structure: Vec<String>,
    pub(super) steps: Vec<String>,
    pub(super) typing: Vec<String>,
    pub(super) pitfalls: Vec<String>,
}

/// The lesson on a kind; empty where there is none.
pub(super) fn lesson(kind: &str) -> Lesson {
    let text = LESSONS.iter().find(|(name, _)| *name == kind).map_or("", |(_, text)| *text);
    let mut lesson = Lesson::default();
    let mut heading = "";
    for line in text.lines() {
        if let Some(name) = line.strip_prefix("## ") {
            heading = name;
            continue;
        }
        let part = match heading {
            "Required fields" => &mut lesson.required,
            "Structure" => &mut lesson.structure,
            "Steps" => &mut lesson.steps,
            "Typing rules" => &mut lesson.typing,
            "Common pitfalls" => &mut lesson.pitfalls,
            _ => continue,
        };
        if let Some(item) = line.strip_prefix("- ") {
            part.push(item.to_owned());
        } else if line.starts_with("  ")
            && let Some(last) = part.last_mut()
        {
            let _ = write!(last, "\n{line}");
        }
    }
    lesson
}

/// The schema of a kind's documents: that of its tree where it says something, else the first schema
/// of a pack for this kind.
pub(super) fn schema(ruleset: &Ruleset, kind: &dyn Kind) -> Value {
    let tree: Value = serde_json::from_str(kind.tree_schema()).unwrap_or_default();
    if tree.get("properties").is_some() {
        return tree;
    }
    let mut packs = ruleset.packs().iter().filter(|pack| pack.kinds == [kind.name()]);
    packs.find_map(|pack| pack.schemas.values().next()).map_or(tree, |schema| schema.as_ref().clone())
}

/// What a schema says, line by line.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Outline {
    pub(super) required: Vec<String>,
    pub(super) structure: Vec<String>,
    pub(super) typing: Vec<String>,
}

/// Deepest level that an outline shows.
const DEPTH: usize = 3;

/// Most lines of an outline.
const LINES: usize = 80;

impl Outline {
    pub(super) fn of(schema: &Value) -> Self {
        let mut outline = Self::default();
        let branches = ["then", "else"].iter().filter_map(|key| schema.get(*key));
        let roots: Vec<&Value> =
            if schema.get("properties").is_some() { vec![schema] } else { branches.collect() };
        for root in roots {
            let root = resolved(schema, root);
            outline.object(schema, root, 0);
        }
        outline
    }

    fn object(&mut self, root: &Value, object: &Value, depth: usize) {
        let required: Vec<&str> =
            object["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        for (name, property) in object["properties"].as_object().into_iter().flatten() {
            if self.structure.len() >= LINES {
                return;
            }
            let property = resolved(root, property);
            let needed = required.contains(&name.as_str());
            let what = described(property);
            let mark = if needed { "*" } else { "" };
            self.structure.push(format!(
                "{:indent$}{name}{mark}: {}{what}",
                "",
                type_of(root, property),
                indent = depth * 2
            ));
            if depth == 0 && needed {
                self.required.push(format!("`{name}`{what}"));
            }
            if let Some(values) = enumerated(property) {
                self.typing.push(format!("`{name}` is one of {values}"));
            }
            if let Some(pattern) = property["pattern"].as_str() {
                self.typing.push(format!("`{name}` matches `{pattern}`"));
            }
            if depth + 1 < DEPTH {
                self.object(root, property, depth + 1);
                self.object(root, resolved(root, &property["items"]), depth + 1);
            }
        }
    }
}

/// Follows references within a schema, a few at most.
fn resolved<'s>(root: &'s Value, schema: &'s Value) -> &'s Value {
    let mut schema = schema;
    for _ in 0..8 {
        let target = schema["$ref"].as_str().and_then(|reference| root.pointer(reference.strip_prefix('#')?));
        let only = || match schema["anyOf"].as_array()?.as_slice() {
            [one, null] | [null, one] if null["type"] == "null" => Some(one),
            _ => None,
        };
        match target.or_else(only) {
            Some(next) => schema = next,
            None => break,
        }
    }
    schema
}

fn type_of(root: &Value, schema: &Value) -> String {
    match &schema["type"] {
        Value::String(name) if name == "array" => {
            format!("list of {}", type_of(root, resolved(root, &schema["items"])))
        }
        Value::String(name) => name.clone(),
        Value::Array(names) => {
            names.iter().filter_map(Value::as_str).filter(|n| *n != "null").collect::<Vec<_>>().join(" | ")
        }
        _ => enumerated(schema).unwrap_or_else(|| "any".into()),
    }
}

/// ` – what it is`
fn described(schema: &Value) -> String {
    let text = schema["description"].as_str().unwrap_or_default();
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.is_empty() { line } else { format!(" – {}", clip(&line, 100)) }
}

fn enumerated(schema: &Value) -> Option<String> {
    let of =
        |one: &Value| one.as_array().map(|values| values.iter().map(Value::to_string).collect::<Vec<_>>());
    let constants = |branches: &Value| {
        let constants = branches.as_array()?.iter().map(|branch| branch.get("const").map(Value::to_string));
        constants.collect::<Option<Vec<_>>>()
    };
    let values = of(&schema["enum"]).or_else(|| constants(&schema["oneOf"]))?;
    Some(values.join(", "))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_outline_shows_what_is_required_and_which_values_there_are() {
        let outline = Outline::of(&json!({
            "required": ["id"],
            "properties": {
                "id": {"type": "string", "description": "Name of\n it", "pattern": "^a"},
                "steps": {"type": "array", "items": {"$ref": "#/$defs/Step"}}
            },
            "$defs": {"Step": {"type": "object", "properties": {"kind": {"enum": ["a", "b"]}}}}
        }));
        assert_eq!(outline.required, ["`id` – Name of it"]);
        assert_eq!(
            outline.structure,
            ["id*: string – Name of it", "steps: list of object", "  kind: \"a\", \"b\""]
        );
        assert_eq!(outline.typing, ["`id` matches `^a`", "`kind` is one of \"a\", \"b\""]);
    }

    #[test]
    fn every_lesson_has_its_parts() {
        for (kind, _) in LESSONS {
            let lesson = lesson(kind);
            assert!(!lesson.structure.is_empty() && !lesson.pitfalls.is_empty(), "{kind}");
        }
    }
}
