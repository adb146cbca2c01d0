//! Templates whose values stay small. The engine counts instructions, and one instruction can make a value as long
//! as it likes: filters that do are replaced, and templates that could double a value again and again are refused.

use minijinja::{
    Environment, Error, ErrorKind, State, Value,
    value::{Kwargs, Rest, ValueKind, ValueOrKwargs},
};

/// Largest text that a filter or a template writes, in bytes.
pub(super) const WRITTEN: usize = 1 << 20;

/// Most characters that [`growth`] counts in a template that names values: each can double one.
const GROWING: usize = 12;

/// Most repetitions (`*`) in a template.
const REPEATED: usize = 8;

/// Most that the values may weigh, in bytes and items, that such a template is given.
const GIVEN: usize = 16 * 1024;

/// Largest width of a field that `format` fills.
const WIDTH: usize = 256;

/// Whether a template gives values names of its own, so that one expression can work on what another one made.
pub(super) fn names_values(source: &str) -> bool {
    let statements = source.split("{%").skip(1).map(|rest| rest.split("%}").next().unwrap_or_default());
    let mut words = statements.flat_map(|code| code.split(|c: char| !(c.is_alphanumeric() || c == '_')));
    words.any(|word| matches!(word, "set" | "with" | "recursive"))
}

/// Why a template may write more than can be held, though it reads little.
pub(super) fn growth(source: &str) -> Option<String> {
    let count = |marks: &[char]| source.matches(marks).count();
    if count(&['*']) > REPEATED {
        return Some(format!("more than {REPEATED} uses of `*`"));
    }
    if !names_values(source) {
        return None;
    }
    if source.contains("loop(") {
        return Some("`recursive` loops are not supported".to_owned());
    }
    (count(&['~', '+', '*', ',']) > GROWING)
        .then(|| format!("more than {GROWING} of `~`, `+`, `*` and `,` in a template with `set`"))
}

/// Whether the values that a template asks for are small enough for one that names values.
pub(super) fn is_small<'n>(context: &Value, names: impl IntoIterator<Item = &'n str>) -> bool {
    let mut left = GIVEN;
    names.into_iter().all(|name| context.get_attr(name).is_ok_and(|value| weigh(&value, &mut left)))
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
        let context =
            minijinja::context! { text => "a\n\nb\n", list => ["a", "b"], long => "x".repeat(20_000) };
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
        let doubling =
            format!("{}{{{{ a | length }}}}", "{% set a = text ~ text %}{% set text = a ~ a %}".repeat(20));
        assert!(Template::new(doubling).fault().is_some());
        let nested = "{% set a = [1, 1, 1, 1, 1] %}{% set b = [a, a, a, a, a] %}{% set c = [b, b, b, b, b] %}{{ [c, c] }}";
        assert!(Template::new(nested).fault().is_some());
        assert!(
            Template::new("{% for a in list recursive %}{{ loop([a ~ a]) }}{% endfor %}").fault().is_some()
        );
        assert_eq!(rendered("{% set a = long ~ long %}{{ a | length }}"), None, "too much is given");
        assert_eq!(rendered("{% set a = list | join('-') %}{{ a }}").as_deref(), Some("a-b"));
    }
}
