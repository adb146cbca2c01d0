//! Rules that differ from another one in one point. The JSON Schema of rule files says what can be changed where: an
//! expression is negated, a pattern matches always or never, a bound moves by one, an item or an optional field goes. So
//! every check kind and every edit kind has mutants without saying so.

use serde_json::{Map, Value, json};

use super::schemas::rule_file_schema;
use crate::{budget::Lazy, expressions::variants};

/// A rule with one change.
#[derive(Debug, Clone, PartialEq)]
pub struct Mutant {
    /// JSON Pointer to the changed part.
    pub at: String,
    /// The change, in the imperative.
    pub change: String,
    /// The rule as JSON.
    pub rule: Value,
}

/// The fields of a rule that decide what it reports and how it fixes that.
const FIELDS: &[&str] = &["given", "when", "check", "at", "follows", "yields_to", "fix", "fixes"];

/// Fields inside of [`FIELDS`] that only people read, and the one that says who applies a fix.
const PRESENTATION: &[&str] = &["title", "applicability", "description", "$schema", "suggest"];

/// Items of a longer list are alike: only the first, the middle and the last one go.
const LONG: usize = 6;

/// A pattern that matches every string, and one that matches none.
const PATTERNS: &[(&str, &str)] =
    &[("let the pattern match always", ""), ("let the pattern match never", r"[^\s\S]")];

static SCHEMA: Lazy<Value> = Lazy::new(rule_file_schema);

/// All mutants of a rule that is given as JSON.
pub fn mutants(rule: &Value) -> Vec<Mutant> {
    let mut found = Vec::new();
    let schema = &SCHEMA["$defs"]["Rule"]["properties"];
    for field in FIELDS {
        let Some(value) = rule.get(field) else { continue };
        let mut changes = Changes { at: format!("/{field}"), found: Vec::new() };
        if !matches!(*field, "given" | "check") {
            changes.add(format!("drop `{field}`"), None);
        }
        changes.visit(value, &[&schema[*field]]);
        found.append(&mut changes.found);
    }
    let apply = |change: Change| {
        let mut rule = rule.clone();
        set(&mut rule, &change.at, change.to)?;
        Some(Mutant { at: change.at, change: change.what, rule })
    };
    found.into_iter().filter_map(apply).collect()
}

/// A change of one part.
#[derive(Debug)]
struct Change {
    at: String,
    what: String,
    /// What the part becomes; nothing where it goes.
    to: Option<Value>,
}

struct Changes {
    /// Where the walk is.
    at: String,
    found: Vec<Change>,
}

impl Changes {
    fn add(&mut self, what: impl Into<String>, to: Option<Value>) {
        self.found.push(Change { at: self.at.clone(), what: what.into(), to });
    }

    fn inside(&mut self, key: &str, walk: impl FnOnce(&mut Self)) {
        let length = self.at.len();
        self.at.push('/');
        self.at.push_str(&key.replace('~', "~0").replace('/', "~1"));
        walk(self);
        self.at.truncate(length);
    }

    /// Collects the changes of a value that one of these schemas is for.
    fn visit(&mut self, value: &Value, schemas: &[&Value]) {
        let forms = forms(value, schemas);
        match value {
            Value::Object(fields) => self.object(fields, &forms),
            Value::Array(items) => {
                let schemas: Vec<&Value> = forms.iter().filter_map(|form| form.get("items")).collect();
                self.array(items, &schemas);
            }
            Value::Bool(value) => self.add(format!("write `{}`", !value), Some((!value).into())),
            Value::Number(number) => {
                for (step, part) in [(1, 1.0), (-1, -1.0)] {
                    let moved = match number.as_i64() {
                        Some(integer) => integer.checked_add(step).map(Value::from),
                        None => number.as_f64().map(|number| Value::from(number + part)),
                    };
                    self.found.extend(moved.map(|moved| Change {
                        at: self.at.clone(),
                        what: format!("write `{moved}` for `{number}`"),
                        to: Some(moved),
                    }));
                }
            }
            Value::String(text) => self.text(text, &forms),
            Value::Null => {}
        }
    }

    fn object(&mut self, fields: &Map<String, Value>, forms: &[&Value]) {
        let is_check = forms.iter().any(|form| std::ptr::eq(*form, &raw const SCHEMA["$defs"]["Check"]));
        if is_check {
            self.check(fields);
        }
        for (key, value) in fields {
            if PRESENTATION.contains(&key.as_str()) {
                continue;
            }
            let schemas: Vec<&Value> = forms.iter().filter_map(|form| field_of(form, key)).collect();
            let is_optional =
                forms.iter().any(|form| field_of(form, key).is_some() && !is_required(form, key));
            self.inside(key, |changes| {
                if is_optional && !is_check && fields.len() > 1 {
                    changes.add(format!("drop `{key}`"), None);
                }
                changes.visit(value, &schemas);
            });
        }
    }

    /// The negation of a check that looks at nodes, and of several checks all for any.
    fn check(&mut self, fields: &Map<String, Value>) {
        let observes = ["syntax", "fact"].iter().any(|kind| fields.contains_key(*kind));
        if !observes && !fields.contains_key("not") {
            self.add("negate the check", Some(json!({"not": fields})));
        }
        if let Some(inner) = fields.get("not") {
            self.add("drop `not`", Some(inner.clone()));
        }
        for (kind, other) in [("all", "any"), ("any", "all")] {
            if let Some(checks) = fields.get(kind) {
                self.add(format!("write `{other}` for `{kind}`"), Some(json!({other: checks})));
            }
        }
    }

    fn array(&mut self, items: &[Value], schemas: &[&Value]) {
        for (index, item) in items.iter().enumerate() {
            let is_typical = items.len() <= LONG || [0, items.len() / 2, items.len() - 1].contains(&index);
            self.inside(&index.to_string(), |changes| {
                if items.len() > 1 && is_typical {
                    changes.add(format!("drop {}", shown(item)), None);
                }
                if is_typical || !item.is_string() {
                    changes.visit(item, schemas);
                }
            });
        }
    }

    fn text(&mut self, text: &str, forms: &[&Value]) {
        let has_format = |format: &str| forms.iter().any(|form| form["format"] == format);
        if has_format("cel") {
            for variant in variants(text) {
                self.add(variant.change, Some(variant.source.into()));
            }
        }
        if has_format("regex") {
            for (change, pattern) in PATTERNS {
                self.add(*change, Some((*pattern).into()));
            }
        }
    }
}

/// The schemas that can be for a value, with references followed and unions taken apart.
fn forms<'s>(value: &Value, schemas: &[&'s Value]) -> Vec<&'s Value>
where
    'static: 's,
{
    let mut forms = Vec::new();
    for schema in schemas {
        if let Some(name) = schema["$ref"].as_str().and_then(|path| path.strip_prefix("#/$defs/")) {
            forms.append(&mut self::forms(value, &[&SCHEMA["$defs"][name]]));
        }
        for union in ["anyOf", "oneOf"] {
            let branches: Vec<&Value> = schema[union].as_array().into_iter().flatten().collect();
            forms.append(&mut self::forms(value, &branches));
        }
        if fits(value, schema) {
            forms.push(*schema);
        }
    }
    forms
}

/// Whether a value has the type of a schema, if that says one.
fn fits(value: &Value, schema: &Value) -> bool {
    let name = match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    let is = |kind: &Value| kind == name || (name == "number" && kind == "integer");
    match &schema["type"] {
        Value::Array(kinds) => kinds.iter().any(is),
        Value::Null => schema["$ref"].is_null() && schema["anyOf"].is_null() && schema["oneOf"].is_null(),
        kind => is(kind),
    }
}

fn field_of<'s>(form: &'s Value, key: &str) -> Option<&'s Value> {
    let own = form.get("properties").and_then(|fields| fields.get(key));
    own.or_else(|| form.get("additionalProperties").filter(|schema| schema.is_object()))
}

fn is_required(form: &Value, key: &str) -> bool {
    form["required"].as_array().is_some_and(|names| names.iter().any(|name| name == key))
}

/// An item of a list as a message shows it.
fn shown(item: &Value) -> String {
    match item {
        Value::String(text) => format!("`{text}`"),
        Value::Object(_) | Value::Array(_) => "the item".to_owned(),
        other => format!("`{other}`"),
    }
}

/// Sets or removes the part at a pointer.
fn set(rule: &mut Value, at: &str, to: Option<Value>) -> Option<()> {
    let Some(to) = to else {
        let (parent, key) = at.rsplit_once('/')?;
        match rule.pointer_mut(parent)? {
            Value::Object(fields) => drop(fields.remove(&key.replace("~1", "/").replace("~0", "~"))?),
            Value::Array(items) => drop(items.remove(key.parse().ok()?)),
            _ => return None,
        }
        return Some(());
    };
    *rule.pointer_mut(at)? = to;
    Some(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::mutants;

    fn changes(rule: &serde_json::Value) -> Vec<String> {
        mutants(rule).into_iter().map(|mutant| format!("{} {}", mutant.at, mutant.change)).collect()
    }

    #[test]
    fn the_schema_of_rule_files_says_what_can_be_changed() {
        let rule = json!({
            "id": "SH001",
            "given": ["$.a", "$.b"],
            "when": "self.x && self.y",
            "check": {"all": [{"required": ["sku", "price"]}, {"pattern": "^a"}, {"range": {"min": 1, "max": 2}}]},
            "message": "{{ value }}",
            "fix": {"title": "do it", "applicability": "safe", "when": "self.z", "delete": "self"},
        });
        assert_eq!(
            changes(&rule),
            [
                "/given/0 drop `$.a`",
                "/given/1 drop `$.b`",
                "/when drop `when`",
                "/when negate the condition",
                "/when drop `self.x`",
                "/when drop `self.y`",
                "/check negate the check",
                "/check write `any` for `all`",
                "/check/all/0 drop the item",
                "/check/all/0 negate the check",
                "/check/all/0/required/0 drop `sku`",
                "/check/all/0/required/1 drop `price`",
                "/check/all/1 drop the item",
                "/check/all/1 negate the check",
                "/check/all/1/pattern let the pattern match always",
                "/check/all/1/pattern let the pattern match never",
                "/check/all/2 drop the item",
                "/check/all/2 negate the check",
                "/check/all/2/range/min drop `min`",
                "/check/all/2/range/min write `2` for `1`",
                "/check/all/2/range/min write `0` for `1`",
                "/check/all/2/range/max drop `max`",
                "/check/all/2/range/max write `3` for `2`",
                "/check/all/2/range/max write `1` for `2`",
                "/fix drop `fix`",
                "/fix/when drop `when`",
                "/fix/when negate the condition",
                "/fix/delete drop `delete`",
            ]
        );
    }

    #[test]
    fn a_mutant_differs_in_one_part() {
        let rule = json!({"check": {"not": {"one_of": ["a", "b"]}}});
        let mutants = mutants(&rule);
        assert_eq!(mutants[0].rule, json!({"check": {"one_of": ["a", "b"]}}));
        assert_eq!(mutants.last().unwrap().rule, json!({"check": {"not": {"one_of": ["a"]}}}));
    }
}
