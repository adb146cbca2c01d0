use std::{collections::BTreeSet, io, sync::Arc};

use minijinja::{Environment, UndefinedBehavior, Value, value::ValueKind};

use regex::Regex;

use super::bounded::{self, WRITTEN};
use crate::{
    budget::{self, Once},
    text::{Notation, Span},
};

/// The parser of templates calls itself for brackets, unary operators and `elif`, and what it builds is as
/// deep as a row of binary operators, filters, members and indices is long. It limits nested blocks itself.
const JINJA: Notation = Notation {
    depth: 128,
    bytes: 64 * 1024,
    operators: "+-*/%<>=!|~.",
    words: &["not", "and", "or", "in", "is", "if", "else"],
    chained: &["elif"],
    quotes: "'\"",
    unsure: &["raw", "{#"],
    code: &[("{{", "}}"), ("{%", "%}")],
    ..Notation::BRACKETS
};

/// Text with placeholders, compiled when first used.
#[derive(Debug, Clone)]
pub struct Template {
    source: String,
    /// Whether there is anything to fill in.
    plain: bool,
    compiled: Arc<Once<Option<Compiled>>>,
}

/// Longest template, in bytes, of which it is found which part cannot be read.
const LOCATED: usize = 4 << 10;

/// A path of a template that leads to nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Gap {
    /// The path, as in `self.address.town`.
    pub path: String,
    /// The number of the first name that does not exist.
    pub missing: usize,
    /// The names that there are instead.
    pub known: Vec<String>,
}

impl Gap {
    fn of(path: &str, context: &Value) -> Option<Self> {
        let mut value = context.clone();
        for (missing, name) in path.split('.').enumerate() {
            let next = value.get_attr(name).unwrap_or_default();
            if next.is_undefined() {
                let names =
                    value.try_iter().into_iter().flatten().filter_map(|key| key.as_str().map(str::to_owned));
                let mut known: Vec<String> =
                    if value.kind() == ValueKind::Map { names.collect() } else { Vec::new() };
                known.sort();
                return Some(Self { path: path.to_owned(), missing, known });
            }
            value = next;
        }
        None
    }

    /// The first name that does not exist.
    pub fn name(&self) -> &str {
        self.path.split('.').nth(self.missing).unwrap_or_default()
    }
}

/// A template, once for each way to treat a placeholder without a value.
#[derive(Debug)]
struct Compiled {
    lenient: Environment<'static>,
    strict: Environment<'static>,
    /// The names that it asks for, where it works on values that it made, which must be small then.
    given: Option<Vec<Vec<String>>>,
}

/// Most instructions of one rendering.
const FUEL: u64 = 200_000;

/// What compiling a template takes, in steps, besides what each of its bytes takes.
const COMPILING: u64 = 1_000;
const COMPILING_BYTE: u64 = 30;

/// Functions that templates may call; they look like placeholders.
const FUNCTIONS: &[&str] = &["range"];

/// The name of the only template of an environment.
const NAME: &str = "text";

impl Template {
    /// A template of this source; see [`Self::fault`] for whether it compiles.
    pub fn new(source: impl Into<String>) -> Self {
        let source = source.into();
        let bytes = source.as_bytes();
        let opens = |at: usize| matches!(bytes.get(at + 1), Some(b'{' | b'%' | b'#'));
        let plain = !memchr::memchr_iter(b'{', bytes).any(opens);
        Self { source, plain, compiled: Arc::default() }
    }

    /// The template as it is written.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// Why it does not compile.
    pub fn fault(&self) -> Option<String> {
        if self.plain {
            return None;
        }
        if let Err(error) = JINJA.check(&self.source) {
            return Some(error.to_string());
        }
        if let Some(growth) = bounded::growth(&self.source) {
            return Some(growth);
        }
        self.charge();
        match base(UndefinedBehavior::Chainable).template_from_str(&self.source) {
            Err(error) => Some(error.detail().map_or_else(|| error.kind().to_string(), str::to_owned)),
            Ok(_) => unknown_filter(&self.source).map(|name| format!("there is no filter `{name}`")),
        }
    }

    /// The part of it that cannot be read, such as a filter that does not exist; nothing where all of it can, or where
    /// that is not known.
    pub fn fault_part(&self) -> Option<Span> {
        self.fault()?;
        // Each piece of code is read by itself, up to its end.
        if self.source.len() > LOCATED {
            return None;
        }
        let mut open: Vec<(&str, Span)> = Vec::new();
        for block in Blocks::of(&self.source) {
            let code = &self.source[block.start as usize..block.end as usize];
            if !code.ends_with(if code.starts_with("{{") { "}}" } else { "%}" }) {
                return Some(block);
            }
            if let Some((at, name)) = filters(code).into_iter().find(|(_, name)| !is_filter(name)) {
                let start = block.start as usize + at;
                return Some(Span::new(start, start + name.len()));
            }
            let is_read = |text: &str| base(UndefinedBehavior::Chainable).template_from_str(text).is_ok();
            if code.starts_with("{{") {
                if !is_read(code) {
                    return Some(block);
                }
                continue;
            }
            let statement =
                code.trim_start_matches(['{', '%', '-']).split_whitespace().next().unwrap_or_default();
            let closes = statement.strip_prefix("end");
            let is_inside = matches!(statement, "else" | "elif") && !open.is_empty();
            if closes.is_some_and(|name| open.last().is_some_and(|(last, _)| *last == name)) {
                open.pop();
            } else if closes.is_none() && is_read(&format!("{code}{{% end{statement} %}}")) {
                open.push((statement, block));
            } else if closes.is_some() || !is_inside && !is_read(code) {
                return Some(block);
            }
        }
        open.pop().map(|(_, block)| block)
    }

    /// The paths into the document that it writes, such as `self.title`.
    pub fn written_paths(&self) -> Vec<String> {
        static FORM: Once<Option<Regex>> = Once::new();
        if self.plain {
            return Vec::new();
        }
        let form = r"\{\{-?\s*((?:self|parent|root|ancestor)(?:\.[A-Za-z_][A-Za-z0-9_]*)+)";
        let form = FORM.get_or_init(|| Regex::new(form).ok());
        let found = form.iter().flat_map(|form| form.captures_iter(&self.source));
        found.filter_map(|found| Some(found.get(1)?.as_str().to_owned())).collect()
    }

    /// The paths that it writes and that have no value among these, with the names that are there instead of the first
    /// one that is not; none where no gap is seen, since `default` or a condition looks after it.
    pub fn gaps(&self, context: &Value) -> Vec<Gap> {
        let gaps: Vec<Gap> = self.written_paths().iter().filter_map(|path| Gap::of(path, context)).collect();
        if gaps.is_empty() || self.fault().is_some() {
            return Vec::new();
        }
        let environment = new_environment(UndefinedBehavior::SemiStrict);
        let template = environment.template_from_str(&self.source);
        let is_seen = template.is_ok_and(|template| template.render(context).is_err());
        if is_seen { gaps } else { Vec::new() }
    }

    /// The names it needs from outside, such as `value` or `ancestor.step.id`.
    pub fn placeholders(&self) -> BTreeSet<String> {
        let template = self.compiled().and_then(|compiled| compiled.lenient.get_template(NAME).ok());
        let mut names: BTreeSet<String> =
            template.map(|t| t.undeclared_variables(true).into_iter().collect()).unwrap_or_default();
        // The engine does not look at what a slice is taken of.
        if let Some(whole) = without_slices(&self.source) {
            let template = base(UndefinedBehavior::Chainable).template_from_str(&whole);
            names.extend(template.map(|t| t.undeclared_variables(true)).unwrap_or_default());
        }
        names.retain(|name| !FUNCTIONS.contains(&name.as_str()));
        if !self.plain && names_self(&self.source) {
            names.insert("self".into());
        }
        names
    }

    /// The filled-in text; placeholders without a value are empty.
    ///
    /// # Errors
    /// Why it cannot be filled in with these values.
    pub fn render(&self, context: &Value) -> Result<String, String> {
        if self.plain {
            return Ok(self.source.clone());
        }
        let compiled = self.compiled().ok_or_else(|| self.fault().unwrap_or_default())?;
        compiled.rendered(&compiled.lenient, context)
    }

    /// The filled-in text, or nothing when a placeholder has no value.
    pub fn render_complete(&self, context: &Value) -> Option<String> {
        if self.plain {
            return Some(self.source.clone());
        }
        let compiled = self.compiled()?;
        compiled.rendered(&compiled.strict, context).ok()
    }

    /// Charges what the engine takes to compile it.
    fn charge(&self) {
        budget::charge(COMPILING + COMPILING_BYTE * self.source.len() as u64);
    }

    fn compiled(&self) -> Option<&Compiled> {
        let compile = |undefined| {
            let mut environment = base(undefined).clone();
            environment.add_template_owned(NAME, self.source.clone()).ok()?;
            Some(environment)
        };
        let both = || {
            JINJA.check(&self.source).ok()?;
            if bounded::growth(&self.source).is_some() {
                return None;
            }
            self.charge();
            let lenient = compile(UndefinedBehavior::Chainable)?;
            let asked = || lenient.get_template(NAME).ok().map(|asked| asked.undeclared_variables(false));
            let given = bounded::names_values(&self.source).then(asked).flatten();
            let combined = |name: String| bounded::combined(&self.source, &name);
            let given = given.map(|names| names.into_iter().flat_map(combined).collect());
            Some(Compiled { lenient, strict: compile(UndefinedBehavior::Strict)?, given })
        };
        if self.plain { None } else { self.compiled.get_or_init(both).as_ref() }
    }
}

impl Compiled {
    fn rendered(&self, environment: &Environment<'_>, context: &Value) -> Result<String, String> {
        if !budget::charge(10) {
            return Err("the budget of the validation is used up".to_owned());
        }
        if let Some(paths) = &self.given
            && !bounded::is_small(context, paths.iter().map(Vec::as_slice))
        {
            return Err("its values are too large to combine".to_owned());
        }
        let mut out = Bounded(Vec::new());
        let done = environment
            .get_template(NAME)
            .and_then(|template| template.render_captured_to(context, &mut out))
            .map_err(|error| error.detail().map_or_else(|| error.kind().to_string(), str::to_owned))?;
        let instructions = done.state().fuel_levels().map_or(0, |(used, _)| used);
        budget::charge(instructions / 4 + out.0.len() as u64 / 64);
        String::from_utf8(out.0).map_err(|error| error.to_string())
    }
}

/// The template with `name` instead of slices such as `name[:2]`; nothing where it has none.
fn without_slices(source: &str) -> Option<String> {
    let mut whole = String::with_capacity(source.len());
    // Where brackets are open, and whether a colon follows them.
    let mut open: Vec<(usize, char, bool)> = Vec::new();
    let mut quote = None;
    let mut code = false;
    let mut found = false;
    let mut before = ' ';
    for c in source.chars() {
        match (quote, c) {
            (Some(mark), c) if mark == c => quote = None,
            (Some(_), _) => {}
            (None, '{' | '%') if before == '{' => (code, open) = (true, Vec::new()),
            (None, '}') if matches!(before, '}' | '%') && open.is_empty() => code = false,
            _ if !code => {}
            (None, '\'' | '"') => quote = Some(c),
            (None, '[' | '(' | '{') => open.push((whole.len(), c, false)),
            (None, ':') => {
                if let Some((_, '[', colon)) = open.last_mut() {
                    *colon = true;
                }
            }
            (None, ']' | ')' | '}') => {
                if let Some((at, '[', true)) = open.pop() {
                    whole.truncate(at);
                    found = true;
                    before = c;
                    continue;
                }
            }
            _ => {}
        }
        whole.push(c);
        before = c;
    }
    found.then_some(whole)
}

/// The first filter in a template that does not exist. The engine of templates looks filters up when it uses them.
fn unknown_filter(source: &str) -> Option<String> {
    static FORM: Once<Option<Regex>> = Once::new();
    let form = r"(?s)\{\{.*?\}\}|\{%.*?%\}";
    let code = FORM.get_or_init(|| Regex::new(form).ok()).as_ref()?;
    let unknown = |part: regex::Match<'_>| {
        filters(part.as_str()).into_iter().map(|(_, name)| name).find(|name| !is_filter(name))
    };
    code.find_iter(source).find_map(unknown)
}

/// The pieces of code in a template, `{{ … }}` and `{% … %}`; the last one ends with the text where it is not closed.
struct Blocks<'s> {
    source: &'s str,
    at: usize,
}

impl<'s> Blocks<'s> {
    fn of(source: &'s str) -> Self {
        Self { source, at: 0 }
    }
}

impl Iterator for Blocks<'_> {
    type Item = Span;

    fn next(&mut self) -> Option<Span> {
        let rest = &self.source[self.at..];
        let start = ["{{", "{%"].iter().filter_map(|open| rest.find(open)).min()?;
        let close = if rest[start..].starts_with("{{") { "}}" } else { "%}" };
        let next = ["{{", "{%"].iter().filter_map(|open| rest[start + 2..].find(open)).min();
        let next = next.map_or(rest.len(), |at| start + 2 + at);
        let end = rest[start..].find(close).map(|at| start + at + close.len());
        let end = end.filter(|end| *end <= next || !rest[start + 2..next].is_empty() && *end < next);
        let end = end.unwrap_or_else(|| start + rest[start..next].trim_end().len());
        let span = Span::new(self.at + start, self.at + end);
        self.at += end;
        Some(span)
    }
}

/// The names after `|` in a piece of code, outside of strings, with where they are.
fn filters(code: &str) -> Vec<(usize, String)> {
    let mut names = Vec::new();
    let mut quote = None;
    let mut rest = code;
    while let Some(c) = rest.chars().next() {
        rest = &rest[c.len_utf8()..];
        match (quote, c) {
            (Some(open), c) if open == c => quote = None,
            (None, '\'' | '"') => quote = Some(c),
            (None, '|') => {
                let name = rest.trim_start();
                let end = name.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(name.len());
                let at = code.len() - name.len();
                names.extend((end > 0).then(|| (at, name[..end].to_owned())));
            }
            _ => {}
        }
    }
    names
}

fn is_filter(name: &str) -> bool {
    let source = format!("0|{name}");
    let result = base(UndefinedBehavior::Chainable).compile_expression(&source).and_then(|e| e.eval(()));
    !result.is_err_and(|error| error.kind() == minijinja::ErrorKind::UnknownFilter)
}

/// What a template writes, up to a limit.
struct Bounded(Vec<u8>);

impl io::Write for Bounded {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.0.len() + bytes.len() > WRITTEN {
            return Err(io::ErrorKind::OutOfMemory.into());
        }
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Whether a template may speak of the node: the engine of templates takes `self` for a name of its own and does
/// not list it.
fn names_self(source: &str) -> bool {
    let part = |c: char| c.is_alphanumeric() || c == '_';
    source
        .match_indices("self")
        .any(|(at, word)| !source[..at].ends_with(part) && !source[at + word.len()..].starts_with(part))
}

/// What all templates share; each has a copy with itself in it, so that templates do not outlive their rules.
fn base(undefined: UndefinedBehavior) -> &'static Environment<'static> {
    static LENIENT: Once<Environment<'static>> = Once::new();
    static STRICT: Once<Environment<'static>> = Once::new();
    let base = if undefined == UndefinedBehavior::Strict { &STRICT } else { &LENIENT };
    base.get_or_init(|| new_environment(undefined))
}

fn new_environment(undefined: UndefinedBehavior) -> Environment<'static> {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(undefined);
    environment.set_fuel(Some(FUEL));
    bounded::add_filters(&mut environment);
    if let Ok(syntax) = minijinja::syntax::SyntaxConfig::builder().keep_trailing_newline(true).build() {
        environment.set_syntax(syntax);
    }
    environment.set_auto_escape_callback(|_| minijinja::AutoEscape::None);
    environment.add_filter("code", |value: String| format!("`{value}`"));
    environment.add_filter("quoted_list", |values: Vec<String>| quoted_list(&values));
    environment.add_filter("json", |value: Value| serde_json::to_string(&value).unwrap_or_default());
    environment.add_filter("ordinal", ordinal);
    environment.add_filter("snake_case", |value: String| snake_case(&value));
    environment
}

/// `` `a`, `b` or `c` ``.
fn quoted_list(values: &[String]) -> String {
    match values {
        [] => String::new(),
        [only] => format!("`{only}`"),
        [first @ .., last] => {
            let first: Vec<String> = first.iter().map(|value| format!("`{value}`")).collect();
            format!("{} or `{last}`", first.join(", "))
        }
    }
}

/// Text as a name of lower-case letters, digits and `_`; empty where nothing of it can stay.
fn snake_case(text: &str) -> String {
    let lower = |c: char| c.is_ascii_lowercase();
    let mixed = text.contains(lower);
    let mut name = String::with_capacity(text.len() + 1);
    for c in text.chars() {
        match c {
            'a'..='z' | '0'..='9' | '_' => name.push(c),
            // `MyQuill` becomes `my_quill`, `ITEMS` becomes `items`.
            'A'..='Z' => {
                if mixed && name.ends_with(lower) {
                    name.push('_');
                }
                name.push(c.to_ascii_lowercase());
            }
            _ if !name.is_empty() && !name.ends_with('_') => name.push('_'),
            _ => {}
        }
    }
    let name = name.trim_end_matches('_');
    if name.starts_with(|c: char| c.is_ascii_digit()) { format!("_{name}") } else { name.to_owned() }
}

fn ordinal(number: u64) -> String {
    let suffix = match (number % 10, number % 100) {
        (1, n) if n != 11 => "st",
        (2, n) if n != 12 => "nd",
        (3, n) if n != 13 => "rd",
        _ => "th",
    };
    format!("{number}{suffix}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_node_is_among_what_a_template_asks_for() {
        let asks = |source: &str| Template::new(source).placeholders().contains("self");
        assert!(asks("step `{{ self.id }}`") && asks("{% for name in self.inputs %}{{ name }}{% endfor %}"));
        assert!(!asks("{{ itself }}") && !asks("self"));
    }

    #[test]
    fn a_fix_with_an_undefined_name_is_left_out_while_a_message_stays() {
        let template = Template::new("use `{{ nearest }}`");
        let context = minijinja::context! { value => 1 };
        assert_eq!(template.render(&context).as_deref(), Ok("use ``"));
        assert_eq!(template.render_complete(&context), None);
    }

    #[test]
    fn lists_and_ordinals_read_well() {
        let context = minijinja::context! { names => ["a", "b", "c"], n => 22 };
        assert_eq!(
            Template::new("{{ names | quoted_list }}, {{ n | ordinal }}").render(&context).as_deref(),
            Ok("`a`, `b` or `c`, 22nd")
        );
    }

    #[test]
    fn text_becomes_a_name() {
        let names = ["My Letter-2", "2nd", "语", "a_b", "UsafMemo", "Line-Items", "ITEMS"].map(snake_case);
        assert_eq!(names, ["my_letter_2", "_2nd", "", "a_b", "usaf_memo", "line_items", "items"]);
    }

    #[test]
    fn placeholders_are_known_with_their_path() {
        let names = Template::new("{% if nearest %}{{ ancestor.step.id }}{% endif %}").placeholders();
        assert_eq!(names.into_iter().collect::<Vec<_>>(), ["ancestor.step.id", "nearest"]);
        assert!(Template::new("{{ a").fault().is_some());
    }

    #[test]
    fn what_cannot_be_read_has_a_place() {
        let part = |source: &'static str| Template::new(source).fault_part().map(|span| span.of(source));
        assert_eq!(part("a {{ value }}"), None);
        assert_eq!(part("a {{ value | code }} {{ value | codee }}"), Some("codee"));
        assert_eq!(part("a {{ value }} b {{ value"), Some("{{ value"));
        assert_eq!(part("a {{ value b {{ key }}"), Some("{{ value b"));
        assert_eq!(part("{{ key }} {{ a b }}"), Some("{{ a b }}"));
        assert_eq!(part("{% if key %}a{% endif %}{% if value %}b"), Some("{% if value %}"));
        assert_eq!(part("{% iff key %}a{% endif %}"), Some("{% iff key %}"));
        assert_eq!(part("{% if key %}a{% else %}b{% endif %}{% endif %}"), Some("{% endif %}"));
    }

    #[test]
    fn gaps_are_paths_without_a_value_that_nothing_looks_after() {
        let context = minijinja::context! { self => minijinja::context! { title => "A", size => 1 } };
        let gaps = |source: &str| {
            let gaps = Template::new(source).gaps(&context);
            gaps.into_iter().map(|gap| format!("{} {}", gap.path, gap.known.join(" "))).collect::<Vec<_>>()
        };
        assert_eq!(gaps("`{{ self.titel }}` of {{ self.size }}"), ["self.titel size title"]);
        assert_eq!(gaps("{{ self.title }}"), [""; 0]);
        assert_eq!(gaps("{{ self.titel | default('none') }}{% if self.x %}{{ self.x }}{% endif %}"), [""; 0]);
    }

    #[test]
    fn what_a_slice_is_taken_of_is_a_placeholder() {
        let names = |source: &str| Template::new(source).placeholders().into_iter().collect::<Vec<_>>();
        assert_eq!(names("{{ found[:2] }}, {{ expected[1:last] | length }}"), ["expected", "found", "last"]);
        assert_eq!(names("{% set word = value %}{{ word[:1] }}{{ ':]' }}"), ["value"], "not what is set");
        assert_eq!(names("{{ parent.items[names[1:][0]] }} [:2]"), ["names", "parent.items"]);
        assert_eq!(names("{% if {'a': b}[c] %}{% endif %}"), ["b", "c"]);
    }

    #[test]
    fn an_unknown_filter_is_found_without_values() {
        let fault = |source: &str| Template::new(source).fault();
        assert_eq!(fault("{{ value | codee }}").as_deref(), Some("there is no filter `codee`"));
        assert_eq!(fault("{{ '|x' }} {{ value | code | upper }} | y {% if a|length > 1 %}{% endif %}"), None);
    }

    #[test]
    fn a_template_that_fails_says_why_and_not_what_it_is() {
        let template = Template::new("{{ value[0].x(1) }}");
        assert!(template.render(&minijinja::context! { value => "a" }).is_err());
    }
}
