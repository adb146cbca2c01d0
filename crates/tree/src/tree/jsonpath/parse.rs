use std::sync::Arc;

use serde_json::Value;

use super::{Function, JsonPath, Key, Logical, Operand, Operator, Segment, Selector, grammar::JSONPATH};
use crate::{peg, text::Notation};

/// A part of a path: what a rule of `grammars/jsonpath.pest` matched.
type Part<'p> = peg::Part<'p, 'static>;

/// Why a JSONPath does not compile.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct PathError {
    /// What is wrong.
    pub message: String,
    /// Byte offset of the error in the path.
    pub offset: usize,
}

impl PathError {
    fn at(part: Part<'_>, message: impl Into<String>) -> Self {
        Self { message: message.into(), offset: part.span().start as usize }
    }
}

/// The largest integer that RFC 9535 allows, 2^53 - 1 (I-JSON).
const LARGEST: i64 = 9_007_199_254_740_991;

/// Filters nest in brackets; what is in a row is read without nesting.
const NOTATION: Notation =
    Notation { bytes: 16 * 1024, operators: "!", separators: "", quotes: "'\"", ..Notation::BRACKETS };

impl std::str::FromStr for JsonPath {
    type Err = PathError;

    fn from_str(source: &str) -> Result<Self, PathError> {
        parse(source, true)
    }
}

/// A path that is known to compile: its patterns are compiled when they are first asked for.
pub(super) fn known(source: &str) -> Option<JsonPath> {
    parse(source, false).ok()
}

fn parse(source: &str, checked: bool) -> Result<JsonPath, PathError> {
    if let Some(path) = super::simple::path(source) {
        return Ok(path);
    }
    NOTATION.check(source).map_err(|error| PathError { message: error.to_string(), offset: error.at })?;
    by_grammar(source, checked)
}

/// The path as the grammar reads it.
pub(super) fn by_grammar(source: &str, checked: bool) -> Result<JsonPath, PathError> {
    let read = peg::Reading::new(&JSONPATH, "path", source);
    let path = read.map_err(|_| expectation(source))?;
    let Some(query) = path.first().and_then(|path| path.children().next()) else {
        return Err(PathError { message: "the path is empty".into(), offset: 0 });
    };
    let path = query_of(query)?;
    if checked {
        check_patterns(query)?;
    }
    Ok(path)
}

/// Whether the patterns of `match` and `search` compile.
fn check_patterns(part: Part<'_>) -> Result<(), PathError> {
    if part.rule() == "function"
        && let Function::Match { pattern: Operand::Literal(Value::String(pattern)), whole, .. } =
            function(part)?
    {
        let bad = |error| PathError::at(part, format!("the pattern does not compile: {error}"));
        super::evaluate::regex(&pattern, whole).map_err(bad)?;
    }
    part.children().try_for_each(check_patterns)
}

fn expectation(source: &str) -> PathError {
    let (offset, rules) = JSONPATH.expected("path", source);
    let mut expected: Vec<&str> = rules.iter().map(|rule| wording(rule)).collect();
    expected.sort_unstable();
    expected.dedup();
    let message = match expected.as_slice() {
        [] => "not a JSONPath".into(),
        [only] => format!("expected {only}"),
        [first @ .., last] => format!("expected {} or {last}", first.join(", ")),
    };
    PathError { message, offset }
}

/// What a rule or character of the grammar is to whoever writes a path.
fn wording(rule: &str) -> &str {
    match rule {
        "identifier" | "path" | "query" => "`$` or `@`",
        "child" | "descendant" | "bracketed" => "`.name` or `[…]`",
        "wildcard" => "`*`",
        "member" | "name" => "a name",
        "index" | "slice" | "start" | "end" | "step" => "an index",
        "filter" => "`?…`",
        "operator" => "a comparison",
        "string" | "literal" | "number" => "a value",
        "function" | "function name" => "a function",
        "the end of the text" => "the end of the path",
        character if character.starts_with('`') => character,
        _ => "an expression",
    }
}

fn query_of(part: Part<'_>) -> Result<JsonPath, PathError> {
    let source = part.text().to_owned();
    let mut segments = Vec::new();
    let mut relative = false;
    for part in part.children() {
        match part.rule() {
            "identifier" => relative = part.text() == "@",
            rule => segments.push(Segment {
                descendant: rule == "descendant",
                selectors: part.children().map(selector).collect::<Result<_, _>>()?,
            }),
        }
    }
    Ok(JsonPath { source, relative, segments: segments.into() })
}

fn selector(part: Part<'_>) -> Result<Selector, PathError> {
    Ok(match part.rule() {
        "member" => Selector::Name(Key::new(part.text())),
        "name" => Selector::Name(Key::new(inner(part, string)?)),
        "wildcard" => Selector::Wildcard,
        "index" => Selector::Index(integer(part)?),
        "slice" => {
            let (mut start, mut end, mut step) = (None, None, 1);
            for part in part.children() {
                match part.rule() {
                    "start" => start = Some(integer(part)?),
                    "end" => end = Some(integer(part)?),
                    _ => step = integer(part)?,
                }
            }
            Selector::Slice { start, end, step }
        }
        _ => Selector::Filter(inner(part, or)?),
    })
}

fn integer(part: Part<'_>) -> Result<i64, PathError> {
    let value = part.text().parse::<i64>().ok().filter(|value| value.abs() <= LARGEST);
    value.ok_or_else(|| PathError::at(part, "the integer is too large"))
}

fn inner<T>(part: Part<'_>, read: impl FnOnce(Part<'_>) -> Result<T, PathError>) -> Result<T, PathError> {
    let offset = part.span().start as usize;
    let first = part.children().next();
    first.map_or_else(|| Err(PathError { message: "nothing here".into(), offset }), read)
}

fn or(part: Part<'_>) -> Result<Logical, PathError> {
    let mut parts: Vec<Logical> = part.children().map(and).collect::<Result<_, _>>()?;
    Ok(if parts.len() == 1 { parts.remove(0) } else { Logical::Or(parts) })
}

fn and(part: Part<'_>) -> Result<Logical, PathError> {
    let mut parts: Vec<Logical> = part.children().map(basic).collect::<Result<_, _>>()?;
    Ok(if parts.len() == 1 { parts.remove(0) } else { Logical::And(parts) })
}

fn basic(part: Part<'_>) -> Result<Logical, PathError> {
    let mut negated = false;
    let offset = part.span().start as usize;
    for part in part.children() {
        let logical = match part.rule() {
            "not" => {
                negated = true;
                continue;
            }
            "comparison" => comparison(part)?,
            "paren" => inner(part, or)?,
            _ => inner(part, test)?,
        };
        return Ok(if negated { Logical::Not(Box::new(logical)) } else { logical });
    }
    Err(PathError { message: "expected a condition".into(), offset })
}

fn test(part: Part<'_>) -> Result<Logical, PathError> {
    if part.rule() == "query" {
        return query_of(part).map(Logical::Exists);
    }
    let function = function(part)?;
    if !matches!(function, Function::Match { .. }) {
        return Err(PathError::at(part, "this function returns a value: compare it"));
    }
    Ok(Logical::Test(Box::new(function)))
}

fn comparison(part: Part<'_>) -> Result<Logical, PathError> {
    let mut parts = part.children();
    let (Some(left), Some(operator), Some(right)) = (parts.next(), parts.next(), parts.next()) else {
        return Err(PathError::at(part, "expected a comparison"));
    };
    let operator = match operator.text() {
        "==" => Operator::Equal,
        "!=" => Operator::Unequal,
        "<" => Operator::Less,
        "<=" => Operator::LessOrEqual,
        ">" => Operator::Greater,
        _ => Operator::GreaterOrEqual,
    };
    Ok(Logical::Compare(comparable(left)?, operator, comparable(right)?))
}

/// RFC 9535 §2.3.5.1: only singular queries and functions that return a value can be compared.
fn comparable(part: Part<'_>) -> Result<Operand, PathError> {
    let place = part;
    let operand = operand(part)?;
    match &operand {
        Operand::Query(path) if !path.is_singular() => {
            Err(PathError::at(place, "only a path to a single value can be compared"))
        }
        Operand::Function(function) if matches!(**function, Function::Match { .. }) => {
            Err(PathError::at(place, "`match` and `search` are conditions themselves"))
        }
        _ => Ok(operand),
    }
}

fn operand(part: Part<'_>) -> Result<Operand, PathError> {
    inner(part, |part| match part.rule() {
        "literal" => inner(part, literal).map(Operand::Literal),
        "function" => Ok(Operand::Function(Box::new(function(part)?))),
        _ => query_of(part).map(Operand::Query),
    })
}

fn literal(part: Part<'_>) -> Result<Value, PathError> {
    Ok(match part.rule() {
        "string" => Value::String(string(part)?),
        "boolean" => Value::Bool(part.text() == "true"),
        "null" => Value::Null,
        _ => serde_json::from_str(part.text()).map_err(|_| PathError::at(part, "not a number"))?,
    })
}

/// Unescapes as JSON, which has the same escapes except `\'`.
fn string(part: Part<'_>) -> Result<String, PathError> {
    let written = part.text();
    let body = &written[1..written.len() - 1];
    if !body.contains('\\') {
        return Ok(body.to_owned());
    }
    let body = body.replace("\\'", "'").replace("\\\"", "\"").replace('"', "\\\"");
    serde_json::from_str(&format!("\"{body}\"")).map_err(|_| PathError::at(part, "not a valid escape"))
}

fn function(part: Part<'_>) -> Result<Function, PathError> {
    let mut parts = part.children();
    let name = parts.next().map(|name| name.text().to_owned()).unwrap_or_default();
    let mut arguments: Vec<Operand> = parts.map(argument).collect::<Result<_, _>>()?;
    let wrong = |what: &str| Err(PathError::at(part, format!("`{name}` takes {what}")));
    match (name.as_str(), arguments.len()) {
        ("length", 1) => Ok(Function::Length(arguments.remove(0))),
        ("count" | "value", 1) => match arguments.remove(0) {
            Operand::Query(path) if name == "count" => Ok(Function::Count(path)),
            Operand::Query(path) => Ok(Function::Value(path)),
            _ => wrong("a path"),
        },
        ("match" | "search", 2) => {
            let (text, pattern) = (arguments.remove(0), arguments.remove(0));
            let whole = name == "match";
            let is_literal = matches!(&pattern, Operand::Literal(Value::String(_)));
            let compiled = is_literal.then(Arc::default);
            Ok(Function::Match { text, pattern, compiled, whole })
        }
        ("length" | "count" | "value", _) => wrong("one argument"),
        ("match" | "search", _) => wrong("two arguments"),
        _ => {
            let known = ["length", "count", "value", "match", "search"];
            let hint = crate::text::nearest(&name, known).map(|near| format!("; did you mean `{near}`?"));
            Err(PathError::at(part, format!("there is no function `{name}`{}", hint.unwrap_or_default())))
        }
    }
}

fn argument(part: Part<'_>) -> Result<Operand, PathError> {
    inner(part, |part| match part.rule() {
        "operand" => operand(part),
        _ => Ok(Operand::Logical(Box::new(or(part)?))),
    })
}
