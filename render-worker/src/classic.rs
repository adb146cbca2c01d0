//! Glue templates of the classic bundles: `MiniJinja` whose result is Typst.
//!
//! The filters are those of the engine of 2025; what they emit is code of the current one. Markdown
//! goes through `Content`, which hands it to the engine as a rich-text field and emits the field's name.

use std::{
    cell::Cell,
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, Mutex, PoisonError},
};

use minijinja::{Environment, Error, ErrorKind, State, UndefinedBehavior, Value, value::Kwargs};

use proofmark_render_protocol::{EngineMessage, FilePosition, Stage};

/// A glue template that was filled in.
#[derive(Debug)]
pub(crate) struct Filled {
    /// The layout, in Typst.
    pub(crate) plate: String,
    /// Markdown by the name of the rich-text field that holds it.
    pub(crate) contents: Vec<(String, String)>,
}

/// A glue template, with the filters that its quill defines.
pub(crate) struct Template<'t> {
    pub(crate) file: &'t str,
    pub(crate) text: &'t str,
    /// Templates by the names of filters.
    pub(crate) filters: &'t BTreeMap<String, String>,
}

/// Fills a glue template with the fields of a document. `today` is `2026-01-31`.
pub(crate) fn fill(
    template: &Template<'_>,
    fields: &serde_json::Value,
    files: &BTreeSet<&str>,
    today: &str,
) -> Result<Filled, Box<EngineMessage>> {
    let Template { file, text: glue, filters } = *template;
    let contents: Arc<Mutex<Vec<String>>> = Arc::default();
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Chainable);
    environment.set_auto_escape_callback(|_| minijinja::AutoEscape::None);
    // Before the others, which a quill does not replace.
    for (name, template) in filters {
        let (named, template) = (name.clone(), template.clone());
        environment.add_filter(name.clone(), move |state: &State, value: Value, options: Kwargs| {
            defined(state, &named, &template, &value, &options)
        });
    }
    environment.add_filter("String", |value: Value, options: Kwargs| {
        let value = or_default(value, &options)?;
        Ok(Value::from(literal(&text(&value))))
    });
    environment.add_filter("Lines", |value: Value, options: Kwargs| {
        or_default(value, &options).map(|value| lines(&value))
    });
    environment.add_filter("Dict", |value: Value, options: Kwargs| {
        let value = or_default(value, &options)?;
        let json = if is_nothing(&value) { "{}".to_owned() } else { json(&value)? };
        Ok(Value::from(format!("json(bytes({}))", literal(&json))))
    });
    let today = today.to_owned();
    environment.add_filter("Date", move |value: Value, options: Kwargs| {
        let value = or_default(value, &options)?;
        let day = if is_nothing(&value) { today.clone() } else { text(&value) };
        date(&day).map(Value::from)
    });
    let kept = Arc::clone(&contents);
    environment.add_filter("Content", move |value: Value, options: Kwargs| {
        let value = or_default(value, &options)?;
        let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.push(text(&value));
        Ok::<_, Error>(Value::from(format!("(qm.data.c_{})", kept.len() - 1)))
    });
    let assets: Vec<String> = files.iter().map(|path| (*path).to_owned()).collect();
    environment.add_filter("Asset", move |value: Value| asset(&text(&value), &assets).map(Value::from));
    let rendered = environment
        .render_named_str(file, glue, Value::from(minijinja::value::Serde(fields)))
        .map_err(|error| failed(file, &error))?;
    // On the first line of the template, so that lines are the same in both.
    let plate = format!("#import \"@local/quillmark-helper:0.2.0\" as qm;{rendered}");
    let contents = contents.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let named = contents.into_iter().enumerate().map(|(index, text)| (format!("c_{index}"), text));
    Ok(Filled { plate, contents: named.collect() })
}

/// Most filters of a quill that are applied within each other.
const DEEPEST: u32 = 16;

thread_local! {
    /// How many filters of a quill are under way.
    static DEPTH: Cell<u32> = const { Cell::new(0) };
}

/// The result of a filter that a quill defines: a template in which `value` is what it is applied to, and other names
/// are its arguments.
fn defined(
    state: &State,
    name: &str,
    template: &str,
    value: &Value,
    options: &Kwargs,
) -> Result<Value, Error> {
    let mut context = BTreeMap::from([("value", value.clone())]);
    for argument in options.args() {
        context.insert(argument, options.get(argument)?);
    }
    let depth = DEPTH.get();
    if depth >= DEEPEST {
        return Err(Error::new(ErrorKind::InvalidOperation, format!("the filter `{name}` applies itself")));
    }
    DEPTH.set(depth + 1);
    let context = Value::from_pairs(context);
    let result = state.env().render_named_str(name, template, context);
    DEPTH.set(depth);
    // The position is that of the use.
    let failed = |error: Error| {
        let detail = error.detail().map_or_else(|| error.kind().to_string(), str::to_owned);
        Error::new(ErrorKind::InvalidOperation, format!("the filter `{name}` of the quill: {detail}"))
    };
    result.map(Value::from).map_err(failed)
}

fn failed(file: &str, error: &Error) -> Box<EngineMessage> {
    let message = error.detail().map_or_else(|| error.kind().to_string(), str::to_owned);
    let line = error.line().unwrap_or(1) as u32;
    Box::new(EngineMessage {
        stage: Stage::Glue,
        message,
        position: Some(FilePosition { file: file.to_owned(), line, column: 1 }),
        ..EngineMessage::default()
    })
}

fn or_default(value: Value, options: &Kwargs) -> Result<Value, Error> {
    let default: Option<Value> = options.get("default")?;
    options.assert_all_used()?;
    Ok(match default {
        Some(default) if is_nothing(&value) => default,
        _ => value,
    })
}

fn is_nothing(value: &Value) -> bool {
    value.is_undefined() || value.is_none()
}

fn text(value: &Value) -> String {
    if is_nothing(value) { String::new() } else { value.to_string() }
}

fn json(value: &Value) -> Result<String, Error> {
    serde_json::to_string(value).map_err(|error| Error::new(ErrorKind::BadSerialization, error.to_string()))
}

/// A list of strings: of a list, of the lines of a string, of nothing.
fn lines(value: &Value) -> Value {
    let texts: Vec<String> = match value.try_iter() {
        _ if is_nothing(value) => Vec::new(),
        Ok(items) if value.as_str().is_none() => items.map(|item| text(&item)).collect(),
        _ => text(value).lines().map(str::to_owned).collect(),
    };
    let items: String = texts.iter().map(|text| format!("{}, ", literal(text))).collect();
    Value::from(format!("({items})"))
}

/// `datetime(..)` of a day, with or without a time after it.
fn date(day: &str) -> Result<String, Error> {
    let day = day.split(['T', ' ']).next().unwrap_or_default();
    let parts: Vec<Option<u32>> = day.split('-').map(|part| part.parse().ok()).collect();
    match parts.as_slice() {
        [Some(year), Some(month), Some(day)] => {
            Ok(format!("datetime(year: {year}, month: {month}, day: {day})"))
        }
        _ => {
            Err(Error::new(ErrorKind::InvalidOperation, format!("`{day}` is not a date such as 2026-01-31")))
        }
    }
}

/// The path of a picture of the bundle, perhaps below `assets/`.
fn asset(path: &str, files: &[String]) -> Result<String, Error> {
    if path.is_empty() {
        return Ok("none".to_owned());
    }
    let clean = path.trim_start_matches("./").trim_start_matches('/');
    let beside = format!("assets/{clean}");
    let known = [clean, beside.as_str()].into_iter().find(|path| files.iter().any(|file| file == path));
    match known {
        Some(known) => Ok(literal(&format!("/{known}"))),
        None => Err(Error::new(ErrorKind::InvalidOperation, format!("the quill has no file `{path}`"))),
    }
}

/// A string literal of Typst.
pub(crate) fn literal(text: &str) -> String {
    let mut literal = String::with_capacity(text.len() + 2);
    literal.push('"');
    for c in text.chars() {
        match c {
            '\\' => literal.push_str("\\\\"),
            '"' => literal.push_str("\\\""),
            '\n' => literal.push_str("\\n"),
            '\r' => literal.push_str("\\r"),
            '\t' => literal.push_str("\\t"),
            c if c.is_control() => literal.extend(c.escape_unicode()),
            c => literal.push(c),
        }
    }
    literal.push('"');
    literal
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn filled(glue: &str, fields: &serde_json::Value) -> Result<Filled, Box<EngineMessage>> {
        let filters = [
            ("euro", "{{ value | round(2) }} {{ unit | default('€') }}"),
            ("loud", "{{ value | upper }}!"),
            ("endless", "{{ value | endless }}"),
            ("wrong", "{{ value | nonsense }}"),
            ("String", "not used"),
        ];
        let filters = filters.map(|(name, template)| (name.to_owned(), template.to_owned())).into();
        let template = Template { file: "glue.typ", text: glue, filters: &filters };
        fill(&template, fields, &BTreeSet::from(["assets/seal.svg"]), "2026-01-31")
    }

    fn plate(glue: &str, fields: &serde_json::Value) -> String {
        let plate = filled(glue, fields).unwrap().plate;
        plate.split_once(';').unwrap().1.to_owned()
    }

    #[test]
    fn filters_emit_typst_that_cannot_be_broken_out_of() {
        let fields = json!({"title": "a\"b\\c\n#d", "to": ["x", "y"], "map": {"k": 1}, "day": "2026-02-03"});
        assert_eq!(plate("{{ title | String }}", &fields), r#""a\"b\\c\n#d""#);
        assert_eq!(plate("{{ none_such | String(default=\"x\") }}", &fields), r#""x""#);
        assert_eq!(plate("{{ to | Lines }}", &fields), r#"("x", "y", )"#);
        assert_eq!(plate("{{ map | Dict }}", &fields), r#"json(bytes("{\"k\":1}"))"#);
        assert_eq!(plate("{{ day | Date }}", &fields), "datetime(year: 2026, month: 2, day: 3)");
        assert_eq!(plate("{{ no | Date }}", &fields), "datetime(year: 2026, month: 1, day: 31)");
        assert_eq!(plate("{{ \"seal.svg\" | Asset }}", &fields), r#""/assets/seal.svg""#);
    }

    #[test]
    fn a_quill_defines_filters() {
        let fields = json!({"price": 3.456, "name": "a\"b"});
        assert_eq!(plate("{{ price | euro | String }}", &fields), "\"3.46 €\"");
        assert_eq!(plate("{{ price | euro(unit='CHF') | String }}", &fields), "\"3.46 CHF\"");
        assert_eq!(plate("{{ name | loud | loud | String }}", &fields), r#""A\"B!!""#);
        let error = filled("one\n{{ price | endless }}", &fields).unwrap_err();
        assert!(error.message.contains("the filter `endless` applies itself"), "{}", error.message);
        assert_eq!(error.position.unwrap().line, 2);
        let error = filled("{{ price | wrong }}", &fields).unwrap_err();
        assert!(error.message.contains("`wrong`") && error.message.contains("nonsense"), "{}", error.message);
    }

    #[test]
    fn markdown_is_left_to_the_engine() {
        let fields = json!({"body": "# Hello", "quotes": [{"body": "*one*"}]});
        let glue = "#{{ body | Content }}\n{% for q in quotes %}#{{ q.body | Content }}{% endfor %}";
        let filled = filled(glue, &fields).unwrap();
        assert!(filled.plate.contains("#(qm.data.c_0)\n#(qm.data.c_1)"));
        let expected = [("c_0", "# Hello"), ("c_1", "*one*")].map(|(n, t)| (n.to_owned(), t.to_owned()));
        assert_eq!(filled.contents, expected);
    }

    #[test]
    fn an_error_in_a_template_has_its_line() {
        let error = filled("one\n{{ title | Nonsense }}", &json!({})).unwrap_err();
        let position = FilePosition { file: "glue.typ".to_owned(), line: 2, column: 1 };
        assert_eq!(error.position, Some(position));
        assert!(filled("{{ \"../secret\" | Asset }}", &json!({})).is_err());
        assert!(filled("{{ day | Date }}", &json!({"day": "soon"})).is_err());
    }
}
