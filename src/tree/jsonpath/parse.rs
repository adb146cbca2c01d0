use pest::{Parser, iterators::Pair};
use regex::Regex;
use serde_json::Value;

use super::{Function, JsonPath, Logical, Operand, Operator, Segment, Selector};

#[derive(pest_derive::Parser)]
#[grammar = "../grammars/jsonpath.pest"]
struct PathParser;

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
    fn at(pair: &Pair<'_, Rule>, message: impl Into<String>) -> Self {
        Self { message: message.into(), offset: pair.as_span().start() }
    }
}

/// The largest integer that RFC 9535 allows, 2^53 - 1 (I-JSON).
const LARGEST: i64 = 9_007_199_254_740_991;

/// Maximum nesting of brackets and parentheses.
const DEPTH: usize = 64;

impl std::str::FromStr for JsonPath {
    type Err = PathError;

    fn from_str(source: &str) -> Result<Self, PathError> {
        check_depth(source)?;
        let mut pairs = PathParser::parse(Rule::path, source).map_err(|error| PathError {
            message: expectation(&error),
            offset: match error.location {
                pest::error::InputLocation::Pos(at) | pest::error::InputLocation::Span((at, _)) => at,
            },
        })?;
        let query = pairs.next().and_then(|path| path.into_inner().next());
        query.map_or_else(
            || Err(PathError { message: "the path is empty".into(), offset: 0 }),
            |pair| query_of(pair),
        )
    }
}

fn check_depth(source: &str) -> Result<(), PathError> {
    let mut depth = 0usize;
    for (offset, byte) in source.bytes().enumerate() {
        match byte {
            b'(' | b'[' | b'!' => depth += 1,
            b')' | b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > DEPTH {
            return Err(PathError { message: format!("nested deeper than {DEPTH} levels"), offset });
        }
    }
    Ok(())
}

fn expectation(error: &pest::error::Error<Rule>) -> String {
    let pest::error::ErrorVariant::ParsingError { positives, .. } = &error.variant else {
        return "not a JSONPath".into();
    };
    let mut expected: Vec<&str> = positives.iter().map(|rule| wording(*rule)).collect();
    expected.sort_unstable();
    expected.dedup();
    match expected.as_slice() {
        [] => "not a JSONPath".into(),
        [only] => format!("expected {only}"),
        [first @ .., last] => format!("expected {} or {last}", first.join(", ")),
    }
}

fn wording(rule: Rule) -> &'static str {
    match rule {
        Rule::identifier | Rule::path | Rule::query => "`$` or `@`",
        Rule::child | Rule::descendant | Rule::bracketed => "`.name` or `[…]`",
        Rule::wildcard => "`*`",
        Rule::member | Rule::name => "a name",
        Rule::index | Rule::slice | Rule::start | Rule::end | Rule::step => "an index",
        Rule::filter => "`?…`",
        Rule::operator => "a comparison",
        Rule::string | Rule::literal | Rule::number => "a value",
        Rule::function | Rule::function_name => "a function",
        Rule::EOI => "the end of the path",
        _ => "an expression",
    }
}

fn query_of(pair: Pair<'_, Rule>) -> Result<JsonPath, PathError> {
    let source = pair.as_str().to_owned();
    let mut segments = Vec::new();
    let mut relative = false;
    for part in pair.into_inner() {
        match part.as_rule() {
            Rule::identifier => relative = part.as_str() == "@",
            rule => segments.push(Segment {
                descendant: rule == Rule::descendant,
                selectors: part.into_inner().map(selector).collect::<Result<_, _>>()?,
            }),
        }
    }
    Ok(JsonPath { source, relative, segments: segments.into() })
}

fn selector(pair: Pair<'_, Rule>) -> Result<Selector, PathError> {
    Ok(match pair.as_rule() {
        Rule::member => Selector::Name(pair.as_str().to_owned()),
        Rule::name => Selector::Name(inner(pair, string)?),
        Rule::wildcard => Selector::Wildcard,
        Rule::index => Selector::Index(integer(&pair)?),
        Rule::slice => {
            let (mut start, mut end, mut step) = (None, None, 1);
            for part in pair.into_inner() {
                match part.as_rule() {
                    Rule::start => start = Some(integer(&part)?),
                    Rule::end => end = Some(integer(&part)?),
                    _ => step = integer(&part)?,
                }
            }
            Selector::Slice { start, end, step }
        }
        _ => Selector::Filter(inner(pair, or)?),
    })
}

fn integer(pair: &Pair<'_, Rule>) -> Result<i64, PathError> {
    let value = pair.as_str().parse::<i64>().ok().filter(|value| value.abs() <= LARGEST);
    value.ok_or_else(|| PathError::at(pair, "the integer is too large"))
}

fn inner<T>(
    pair: Pair<'_, Rule>,
    read: impl FnOnce(Pair<'_, Rule>) -> Result<T, PathError>,
) -> Result<T, PathError> {
    let offset = pair.as_span().start();
    let first = pair.into_inner().next();
    first.map_or_else(|| Err(PathError { message: "nothing here".into(), offset }), read)
}

fn or(pair: Pair<'_, Rule>) -> Result<Logical, PathError> {
    let mut parts: Vec<Logical> = pair.into_inner().map(and).collect::<Result<_, _>>()?;
    Ok(if parts.len() == 1 { parts.remove(0) } else { Logical::Or(parts) })
}

fn and(pair: Pair<'_, Rule>) -> Result<Logical, PathError> {
    let mut parts: Vec<Logical> = pair.into_inner().map(basic).collect::<Result<_, _>>()?;
    Ok(if parts.len() == 1 { parts.remove(0) } else { Logical::And(parts) })
}

fn basic(pair: Pair<'_, Rule>) -> Result<Logical, PathError> {
    let mut negated = false;
    let offset = pair.as_span().start();
    for part in pair.into_inner() {
        let logical = match part.as_rule() {
            Rule::not => {
                negated = true;
                continue;
            }
            Rule::comparison => comparison(part)?,
            Rule::paren => inner(part, or)?,
            _ => inner(part, test)?,
        };
        return Ok(if negated { Logical::Not(Box::new(logical)) } else { logical });
    }
    Err(PathError { message: "expected a condition".into(), offset })
}

fn test(pair: Pair<'_, Rule>) -> Result<Logical, PathError> {
    if pair.as_rule() == Rule::query {
        return query_of(pair).map(Logical::Exists);
    }
    let function = function(pair.clone())?;
    if !matches!(function, Function::Match { .. }) {
        return Err(PathError::at(&pair, "this function returns a value: compare it"));
    }
    Ok(Logical::Test(Box::new(function)))
}

fn comparison(pair: Pair<'_, Rule>) -> Result<Logical, PathError> {
    let mut parts = pair.clone().into_inner();
    let (Some(left), Some(operator), Some(right)) = (parts.next(), parts.next(), parts.next()) else {
        return Err(PathError::at(&pair, "expected a comparison"));
    };
    let operator = match operator.as_str() {
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
fn comparable(pair: Pair<'_, Rule>) -> Result<Operand, PathError> {
    let place = pair.clone();
    let operand = operand(pair)?;
    match &operand {
        Operand::Query(path) if !path.is_singular() => {
            Err(PathError::at(&place, "only a path to a single value can be compared"))
        }
        Operand::Function(function) if matches!(**function, Function::Match { .. }) => {
            Err(PathError::at(&place, "`match` and `search` are conditions themselves"))
        }
        _ => Ok(operand),
    }
}

fn operand(pair: Pair<'_, Rule>) -> Result<Operand, PathError> {
    inner(pair, |part| match part.as_rule() {
        Rule::literal => inner(part, literal).map(Operand::Literal),
        Rule::function => Ok(Operand::Function(Box::new(function(part)?))),
        _ => query_of(part).map(Operand::Query),
    })
}

fn literal(pair: Pair<'_, Rule>) -> Result<Value, PathError> {
    Ok(match pair.as_rule() {
        Rule::string => Value::String(string(pair)?),
        Rule::boolean => Value::Bool(pair.as_str() == "true"),
        Rule::null => Value::Null,
        _ => serde_json::from_str(pair.as_str()).map_err(|_| PathError::at(&pair, "not a number"))?,
    })
}

/// Unescapes as JSON, which has the same escapes except `\'`.
fn string(pair: Pair<'_, Rule>) -> Result<String, PathError> {
    let written = pair.as_str();
    let body = &written[1..written.len() - 1];
    if !body.contains('\\') {
        return Ok(body.to_owned());
    }
    let body = body.replace("\\'", "'").replace("\\\"", "\"").replace('"', "\\\"");
    serde_json::from_str(&format!("\"{body}\"")).map_err(|_| PathError::at(&pair, "not a valid escape"))
}

fn function(pair: Pair<'_, Rule>) -> Result<Function, PathError> {
    let mut parts = pair.clone().into_inner();
    let name = parts.next().map(|name| name.as_str().to_owned()).unwrap_or_default();
    let mut arguments: Vec<Operand> = parts.map(argument).collect::<Result<_, _>>()?;
    let wrong = |what: &str| Err(PathError::at(&pair, format!("`{name}` takes {what}")));
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
            let compiled = match &pattern {
                Operand::Literal(Value::String(pattern)) => {
                    Some(super::evaluate::regex(pattern, whole).map_err(|error| {
                        PathError::at(&pair, format!("the pattern does not compile: {error}"))
                    })?)
                }
                _ => None::<Regex>,
            };
            Ok(Function::Match { text, pattern, compiled, whole })
        }
        ("length" | "count" | "value", _) => wrong("one argument"),
        ("match" | "search", _) => wrong("two arguments"),
        _ => {
            let known = ["length", "count", "value", "match", "search"];
            let hint = crate::text::nearest(&name, known).map(|near| format!("; did you mean `{near}`?"));
            Err(PathError::at(&pair, format!("there is no function `{name}`{}", hint.unwrap_or_default())))
        }
    }
}

fn argument(pair: Pair<'_, Rule>) -> Result<Operand, PathError> {
    inner(pair, |part| match part.as_rule() {
        Rule::operand => operand(part),
        _ => Ok(Operand::Logical(Box::new(or(part)?))),
    })
}
