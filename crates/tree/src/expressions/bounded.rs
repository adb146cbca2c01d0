//! Templates whose values stay small. The engine counts instructions, and one instruction can make a value as long
//! as it likes: filters that do are replaced, and templates that could double a value repeatedly are refused.

use minijinja::{
    Environment, Error, ErrorKind, State, Value,
    value::{Kwargs, Rest, ValueKind, ValueOrKwargs},
};

/// Largest text that a filter or a template writes, in bytes.
pub(super) const WRITTEN: usize = 1 << 20;

/// Most by which the values of a template that names values may grow, in doublings: a value that is made of three
/// others is at most as large as two doublings of the largest.
const DOUBLINGS: usize = 12;

/// Most repetitions (`*`) in a template; the engine limits the text that one writes.
const REPEATED: usize = 4;

/// Most that the values may weigh, in bytes and items, that such a template is given.
const GIVEN: usize = 16 * 1024;

/// Largest width of a field that `format` fills.
const WIDTH: usize = 256;

/// The code of the statements that give values names, so that one expression can work on what another one made.
fn naming(source: &str) -> impl Iterator<Item = &str> {
    let statements = source.split("{%").skip(1).map(|rest| rest.split("%}").next().unwrap_or_default());
    statements.filter(|code| {
        let mut words =
            code.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|word| !word.is_empty());
        words.next().is_some_and(|word| matches!(word, "set" | "with"))
            || words.any(|word| word == "recursive")
    })
}

/// What the statements that give values names use of the value `name`: paths of attributes that begin with the name.
/// `{'a': 1}[root.type]` uses the type, however large the root is.
pub(super) fn combined(source: &str, name: &str) -> Vec<Vec<String>> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let uses = |code: &str| -> Vec<Vec<String>> {
        let begins =
            code.match_indices(name).filter(|(at, _)| !code[..*at].ends_with(|c| is_word(c) || c == '.'));
        let ends = begins.map(|(at, _)| &code[at + name.len()..]).filter(|rest| !rest.starts_with(is_word));
        let path = |rest: &str| {
            let length = rest.find(|c: char| !(is_word(c) || c == '.')).unwrap_or(rest.len());
            let attributes = rest[..length].split('.').skip(1).map(str::to_owned);
            std::iter::once(name.to_owned()).chain(attributes).collect()
        };
        ends.map(path).collect()
    };
    naming(source).flat_map(uses).collect()
}

/// Whether a template gives values names.
pub(super) fn names_values(source: &str) -> bool {
    naming(source).next().is_some()
}

/// Why a template may write more than can be held, though it reads little.
pub(super) fn growth(source: &str) -> Option<String> {
    let inside = |start: &'static str, end: &'static str| {
        source.split(start).skip(1).map(move |rest| rest.split(end).next().unwrap_or_default())
    };
    let repeated: usize =
        inside("{{", "}}").chain(inside("{%", "%}")).map(|code| uses_in(code).repetitions).sum();
    if repeated > REPEATED {
        return Some(format!("more than {REPEATED} uses of `*`"));
    }
    if source.contains("loop(") {
        return Some("`recursive` loops are not supported".to_owned());
    }
    let doublings = |code: &str| {
        let uses = uses_in(code.split_once('=').map_or("", |(_, value)| value));
        uses.values.saturating_sub(1) + uses.repetitions * 4
    };
    (naming(source).map(doublings).sum::<usize>() > DOUBLINGS).then(|| {
        format!("its `set` statements combine more than {DOUBLINGS} values in all: write a simpler one")
    })
}

/// What an expression uses, besides strings.
#[derive(Debug, Clone, Copy, Default)]
struct Uses {
    /// Values of names.
    values: usize,
    /// `*`
    repetitions: usize,
}

fn uses_in(code: &str) -> Uses {
    const KEYWORDS: &[&str] = &["if", "else", "and", "or", "not", "in", "is", "true", "false", "none"];
    let mut uses = Uses::default();
    let mut before = ' ';
    let mut rest = code;
    while let Some(c) = rest.chars().next() {
        if c == '"' || c == '\'' {
            rest = after_string(&rest[1..], c);
            before = c;
        } else if c.is_alphabetic() || c == '_' {
            let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
            // The name of a filter or a member is not a value.
            uses.values += usize::from(!matches!(before, '|' | '.') && !KEYWORDS.contains(&&rest[..end]));
            rest = &rest[end..];
            before = 'a';
        } else {
            uses.repetitions += usize::from(c == '*');
            if !c.is_whitespace() {
                before = c;
            }
            rest = &rest[c.len_utf8()..];
        }
    }
    uses
}

/// What comes after the end of a string.
fn after_string(text: &str, quote: char) -> &str {
    let mut escaped = false;
    let end = text.find(|c| {
        let ends = c == quote && !escaped;
        escaped = c == '\\' && !escaped;
        ends
    });
    end.map_or("", |end| &text[end + quote.len_utf8()..])
}

/// Whether the values that a template asks for are small enough for one that names values.
pub(super) fn is_small<'n>(context: &Value, paths: impl IntoIterator<Item = &'n [String]>) -> bool {
    let mut left = GIVEN;
    // What is not there has no weight.
    let found = |path: &[String]| path.iter().try_fold(context.clone(), |value, name| value.get_attr(name));
    paths.into_iter().filter_map(|path| found(path).ok()).all(|value| weigh(&value, &mut left))
}

/// Takes the weight of a value from what is left.
fn weigh(value: &Value, left: &mut usize) -> bool {
    let own = 1 + value.as_str().map_or(0, str::len);
    let Some(rest) = left.checked_sub(own) else { return false };
    *left = rest;
    match value.kind() {
        ValueKind::Seq | ValueKind::Iterable => {
            value.try_iter().is_ok_and(|mut items| items.all(|item| weigh(&item, left)))
        }
        ValueKind::Map => value.try_iter().is_ok_and(|mut keys| {
            keys.all(|key| weigh(&key, left) && value.get_item(&key).is_ok_and(|item| weigh(&item, left)))
        }),
        _ => true,
    }
}

/// Replaces the filters that write more than they read.
pub(super) fn add_filters(environment: &mut Environment<'_>) {
    environment.add_filter("replace", replace);
    environment.add_filter("join", join);
    environment.add_filter("indent", indent);
    environment.add_filter("format", format);
    environment.add_filter("batch", batch);
    environment.add_filter("slice", slice);
    // What it holds grows from turn to turn of a loop.
    environment.remove_global("namespace");
}

fn too_large() -> Error {
    Error::new(ErrorKind::InvalidOperation, format!("a value of more than {WRITTEN} bytes"))
}

#[allow(clippy::needless_pass_by_value, reason = "how the engine gives arguments")]
fn replace(text: String, from: String, to: String) -> Result<String, Error> {
    let count = if to.len() > from.len() { text.matches(&from).count() } else { 0 };
    if count.saturating_mul(to.len()).saturating_add(text.len()) > WRITTEN.max(text.len()) {
        return Err(too_large());
    }
    Ok(text.replace(&from, &to))
}

#[allow(clippy::needless_pass_by_value, reason = "how the engine gives arguments")]
fn join(
    list: Value,
    joiner: Option<String>,
    attribute: Option<String>,
    named: Kwargs,
) -> Result<String, Error> {
    let joiner = joiner.map_or_else(|| named.get::<Option<String>>("d"), |joiner| Ok(Some(joiner)))?;
    let attribute =
        attribute.map_or_else(|| named.get::<Option<String>>("attribute"), |name| Ok(Some(name)))?;
    named.assert_all_used()?;
    let mut joined = String::new();
    for (index, item) in list.try_iter()?.enumerate() {
        if let Some(joiner) = joiner.as_ref().filter(|_| index > 0) {
            joined.push_str(joiner);
        }
        let item = attribute.as_ref().map_or(Ok(item.clone()), |name| item.get_attr(name))?;
        match item.as_str() {
            Some(text) => joined.push_str(text),
            None => joined.push_str(&item.to_string()),
        }
        if joined.len() > WRITTEN {
            return Err(too_large());
        }
    }
    Ok(joined)
}

#[allow(clippy::needless_pass_by_value, reason = "how the engine gives arguments")]
fn indent(
    text: String,
    width: Option<usize>,
    first: Option<bool>,
    blank: Option<bool>,
    named: Kwargs,
) -> Result<String, Error> {
    let width =
        width.map_or_else(|| named.get::<Option<usize>>("width"), |width| Ok(Some(width)))?.unwrap_or(4);
    let first = first.map_or_else(|| named.get::<Option<bool>>("first"), |first| Ok(Some(first)))?;
    let blank = blank.map_or_else(|| named.get::<Option<bool>>("blank"), |blank| Ok(Some(blank)))?;
    named.assert_all_used()?;
    let text = text.strip_suffix('\n').unwrap_or(&text);
    let text = text.strip_suffix('\r').unwrap_or(text);
    if text.lines().count().saturating_mul(width).saturating_add(text.len()) > WRITTEN.max(text.len()) {
        return Err(too_large());
    }
    let space = " ".repeat(width);
    let mut indented = String::with_capacity(text.len());
    for (index, line) in text.split('\n').enumerate() {
        if index > 0 {
            indented.push('\n');
        }
        let wanted =
            if index == 0 { first == Some(true) } else { !line.trim().is_empty() || blank == Some(true) };
        if wanted {
            indented.push_str(&space);
        }
        indented.push_str(line);
    }
    Ok(indented)
}

fn format(state: &mut State<'_, '_>, form: &Value, values: Rest<ValueOrKwargs>) -> Result<Value, Error> {
    let text = form.as_str().unwrap_or_default();
    let mut widths = text.split(|c: char| !c.is_ascii_digit()).filter(|digits| !digits.is_empty());
    if text.contains('*') || widths.any(|width| width.parse::<usize>().is_ok_and(|width| width > WIDTH)) {
        return Err(too_large());
    }
    minijinja::filters::format(state, form, values)
}

fn batch(state: &State<'_, '_>, list: Value, count: usize, filler: Option<Value>) -> Result<Value, Error> {
    minijinja::filters::batch(state, list, checked(count)?, filler)
}

fn slice(state: &State<'_, '_>, list: Value, count: usize, filler: Option<Value>) -> Result<Value, Error> {
    minijinja::filters::slice(state, list, checked(count)?, filler)
}

fn checked(count: usize) -> Result<usize, Error> {
    if count > WRITTEN / 64 { Err(too_large()) } else { Ok(count) }
}

#[cfg(test)]
mod tests {
    use crate::expressions::Template;

    fn rendered(template: &str) -> Option<String> {
        let context = minijinja::context! {
            text => "a\n\nb\n", list => ["a", "b"], long => "x".repeat(20_000),
            root => minijinja::context! { kind => "b", text => "x".repeat(20_000) },
        };
        Template::new(template).render_complete(&context)
    }

    #[test]
    fn filters_write_what_they_always_wrote() {
        assert_eq!(rendered("{{ list | join(', ') }}").as_deref(), Some("a, b"));
        assert_eq!(rendered("{{ list | join }}").as_deref(), Some("ab"));
        assert_eq!(rendered("{{ text | indent(2) }}|").as_deref(), Some("a\n\n  b|"));
        assert_eq!(rendered("{{ text | indent(2, true, true) }}|").as_deref(), Some("  a\n  \n  b|"));
        assert_eq!(rendered("{{ 'aba' | replace('a', 'cc') }}").as_deref(), Some("ccbcc"));
        assert_eq!(rendered("{{ '%03d' | format(7) }}").as_deref(), Some("007"));
        assert_eq!(rendered("{{ list | batch(1) | list | length }}").as_deref(), Some("2"));
    }

    #[test]
    fn values_stay_small() {
        for large in [
            "{{ long | replace('x', long) | length }}",
            "{{ range(10000) | join(long) | length }}",
            "{{ text | indent(999999999) | length }}",
            "{{ '%999999999d' | format(1) | length }}",
            "{{ list | batch(999999999, 'x') | list | length }}",
            "{{ list | slice(999999999) | list | length }}",
            "{{ long * 999999 | length }}",
        ] {
            assert_eq!(rendered(large), None, "{large}");
        }
    }

    #[test]
    fn templates_that_could_double_values_are_refused() {
        for refused in [
            "{% set a = text ~ text %}{% set text = a ~ a %}".repeat(20),
            "{% set a = [text, text, text, text, text] %}".repeat(4),
            "{% set a = 'x' * 99 %}{% set b = a * 99 %}{% set c = b * 99 %}{% set d = c * 99 %}".to_owned(),
            "{% with a = {'k': text, 'l': text, 'm': text} %}".repeat(7),
            "{{ 'x' * 99 }}".repeat(5),
            "{% for a in list recursive %}{{ loop([a ~ a]) }}{% endfor %}".to_owned(),
        ] {
            assert!(super::growth(&refused).is_some(), "{refused}");
        }
        let table =
            format!("{{% set all = {{{}}} %}}{{{{ all[text] }}}}", "'a, b': 'c ~ d + \\'e', ".repeat(50));
        assert_eq!(super::growth("**a** **b** {{ '*****' }}"), None);
        assert_eq!(super::growth(&table), None, "strings are as long as they are written");
        assert_eq!(rendered("{% set a = long ~ long %}{{ a | length }}"), None, "too much is given");
        assert_eq!(rendered("{% set a = list | join('-') %}{{ a }}").as_deref(), Some("a-b"));
        assert_eq!(
            rendered("{% set a = {'b': 'c'}[root.kind] %}{{ a }}").as_deref(),
            Some("c"),
            "it is small"
        );
        for large in ["root", "root['text']", "root.text ~ root.kind", "[root, root.kind]"] {
            assert_eq!(rendered(&format!("{{% set a = {large} %}}b")), None, "{large} is large");
        }
        assert_eq!(rendered("{% set a = root.none %}{% set b = list.root %}b").as_deref(), Some("b"));
    }
}
