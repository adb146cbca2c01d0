use std::{hash::BuildHasher, sync::Arc};

use cel::{
    Context, ExecutionError, IdedExpr, Program, Value,
    common::{
        ast::{EntryExpr, Expr},
        value::CowVal,
    },
};
use foldhash::quality::FixedState;
use regex::Regex;

use super::{
    metered,
    plain::{Bindings, Form, Plain, Stop},
    regex::Shared,
    strings,
};
use crate::{
    budget::{self, Once},
    text::Notation,
};

/// The parser of CEL calls itself for brackets and unary operators, and what it builds is as deep as a row of
/// binary operators, members and indices is long.
const CEL: Notation = Notation {
    depth: 200,
    bytes: 16 * 1024,
    operators: "+-*/%<>=!&|?:.",
    words: &["in"],
    quotes: "'\"",
    // Where the end of a string depends on its prefix, and where a comment may hold a quote.
    unsure: &["r'", "r\"", "R'", "R\"", "'''", "\"\"\"", "//"],
    ..Notation::BRACKETS
};

/// What compiling an expression usually takes, in steps, besides what each of its bytes takes.
const COMPILING: u64 = 4_000;
const COMPILING_BYTE: u64 = 500;

/// Bytes that a byte of an expression becomes.
const MADE_BYTE: usize = 128;

/// A CEL expression, compiled when first used.
#[derive(Debug)]
pub struct Condition {
    source: String,
    /// Equal for equal sources.
    key: u64,
    program: Arc<Code>,
}

static SHARED: Shared<Code> = Shared::new();

/// What conditions with the same source share.
#[derive(Debug, Default)]
struct Code {
    /// The condition in a form that needs no interpreter, where it has one; this form is asked first.
    plain: Once<Option<Form>>,
    /// The condition for the interpreter.
    compiled: Once<Option<Compiled>>,
}

#[derive(Debug)]
struct Compiled {
    program: Program,
    /// The variables that it uses.
    variables: Vec<String>,
    /// What is evaluated.
    metered: IdedExpr,
}

/// What an expression says at a node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// Whether it holds.
    Holds(bool),
    /// The node does not have what the expression asks for.
    Absent,
    /// The expression cannot be evaluated, and why.
    Failed(String),
}

/// Names that every expression may use.
pub const NAMES: &[&str] = &[
    "self", "key", "path", "parent", "root", "options", "ancestor", "values", "symbols", "file", "lookup",
    "other",
];

/// What `file` has.
pub const FILE_NAMES: &[&str] = &["path", "name", "stem", "folder"];

/// Types of CEL, for comparisons with `type(…)`.
const TYPES: &[&str] =
    &["bool", "bytes", "double", "int", "list", "map", "null_type", "string", "type", "uint"];

/// Functions besides CEL's standard library.
pub const FUNCTIONS: &[&str] =
    &["nearest", "split", "substring", "replace", "trim", "lower", "upper", "indexOf", "capture", "subset"];

impl Condition {
    /// A condition of this source; see [`Self::fault`] for whether it compiles.
    pub fn new(source: impl Into<String>) -> Self {
        let source = source.into();
        let key = FixedState::default().hash_one(&source);
        let program = SHARED.get(&source);
        Self { source, key, program }
    }

    /// The expression as it is written.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// What it is known by: conditions with the same source have the same key.
    pub fn key(&self) -> u64 {
        self.key
    }

    /// Why it does not compile.
    pub fn fault(&self) -> Option<String> {
        compile(&self.source).err()
    }

    /// Names of the unknown variables and of the unknown functions that it uses.
    pub fn unknown_names(&self) -> (Vec<String>, Vec<String>) {
        let Some(compiled) = self.compiled() else { return (Vec::new(), Vec::new()) };
        let references = compiled.program.references();
        let unknown = |found: Vec<&str>, known: &dyn Fn(&str) -> bool| {
            let mut names: Vec<String> = found.into_iter().filter(|n| !known(n)).map(str::to_owned).collect();
            names.sort();
            names
        };
        let bound = bound_names(&self.source);
        let known = |name: &str| {
            NAMES.contains(&name) || TYPES.contains(&name) || name.starts_with('@') || bound.contains(&name)
        };
        (unknown(references.variables(), &known), unknown(references.functions(), &|name| is_function(name)))
    }

    /// The paths of names that it follows from variables that every expression has, such as `self.price`: the
    /// variable, then the names.
    pub fn members(&self) -> Vec<Vec<String>> {
        let mut found = Vec::new();
        if let Some(compiled) = self.compiled() {
            collect_members(compiled.program.expression(), &mut found);
        }
        found.sort();
        found.dedup();
        found
    }

    /// The byte at which it cannot be read; nothing where it can, or where that is not known.
    pub fn fault_offset(&self) -> Option<usize> {
        let message = compile(&self.source).err()?;
        let mut position = message.split_once("<input>:")?.1.splitn(3, ':');
        let line: usize = position.next()?.parse().ok()?;
        let column: usize = position.next()?.parse().ok()?;
        let before =
            self.source.split_inclusive('\n').take(line.checked_sub(1)?).map(str::len).sum::<usize>();
        let rest = self.source.get(before..)?;
        let column = column.saturating_sub(1);
        let within = rest.char_indices().nth(column).map_or(rest.trim_end().len(), |(at, _)| at);
        Some(before + within)
    }

    /// Whether it uses a variable.
    pub fn uses(&self, name: &str) -> bool {
        if let Some(form) = self.form() {
            return form.uses(name);
        }
        self.compiled().is_some_and(|compiled| compiled.variables.iter().any(|known| known == name))
    }

    /// Whether it uses a variable that no macro of it binds.
    pub fn uses_unbound(&self, name: &str) -> bool {
        self.uses(name) && !bound_names(&self.source).contains(&name)
    }

    /// What it says. A node that lacks a key which the expression asks for is absent data, and so is the key of a
    /// value that has none, such as a string, or what is in null; any other error, and a value that is not a boolean, is a mistake in
    /// the expression.
    pub fn verdict(&self, bindings: &dyn Bindings) -> Verdict {
        self.plain_verdict(bindings).unwrap_or_else(|| self.interpreted(bindings))
    }

    /// What it says without the interpreter; nothing where only the interpreter can say.
    #[doc(hidden)]
    pub fn plain_verdict(&self, bindings: &dyn Bindings) -> Option<Verdict> {
        verdict_of(self.form()?, bindings)
    }

    /// Fits the condition to the options that a rule has, to ask it about many nodes.
    pub fn with_options<'c>(&'c self, options: &serde_json::Value) -> Fitted<'c> {
        Fitted { condition: self, form: self.form().map(|form| form.with_options(options)) }
    }

    /// The verdict of the interpreter.
    #[doc(hidden)]
    pub fn interpreted(&self, bindings: &dyn Bindings) -> Verdict {
        match self.evaluate(bindings) {
            Some(Ok(Value::Bool(value))) => Verdict::Holds(value),
            Some(Ok(value)) => Verdict::Failed(format!("it gives {}, not a boolean", value.type_of())),
            None | Some(Err(ExecutionError::NoSuchKey(_) | ExecutionError::UndeclaredReference(_))) => {
                Verdict::Absent
            }
            Some(Err(ExecutionError::NoSuchOverload(call))) if call.function() == "_._" => Verdict::Absent,
            Some(Err(ExecutionError::UnexpectedType { got, .. })) if got == "null_type" => Verdict::Absent,
            // What the budget ended says nothing about the expression.
            Some(Err(_)) if !budget::is_left() => Verdict::Absent,
            Some(Err(error)) => Verdict::Failed(error.to_string()),
        }
    }

    /// Its value, or why there is none.
    pub fn explain(&self, bindings: &dyn Bindings) -> Result<Value, String> {
        let value = self.evaluate(bindings).map(|value| value.map_err(|error| error.to_string()));
        value.unwrap_or_else(|| Err(self.fault().unwrap_or_default()))
    }

    fn evaluate(&self, bindings: &dyn Bindings) -> Option<Result<Value, ExecutionError>> {
        let compiled = self.compiled()?;
        let resolver = Resolver(bindings);
        let mut context = root().new_inner_scope();
        context.set_variable_resolver(&resolver);
        Some(Value::resolve(&compiled.metered, &context))
    }

    fn form(&self) -> Option<&Form> {
        self.program.plain.get_or_init(|| Form::new(&self.source)).as_ref()
    }

    fn compiled(&self) -> Option<&Compiled> {
        let compile = || {
            let program = compile(&self.source).ok()?;
            let variables = program.references().variables().into_iter().map(str::to_owned).collect();
            Some(Compiled { metered: metered::metered(program.expression()), variables, program })
        };
        self.program.compiled.get_or_init(compile).as_ref()
    }
}

/// A condition for the options that a rule has.
#[derive(Debug)]
pub struct Fitted<'c> {
    condition: &'c Condition,
    form: Option<Form>,
}

impl Fitted<'_> {
    /// The condition as it is written.
    pub fn condition(&self) -> &Condition {
        self.condition
    }

    /// See [`Condition::verdict`].
    pub fn verdict(&self, bindings: &dyn Bindings) -> Verdict {
        self.plain_verdict(bindings).unwrap_or_else(|| self.condition.interpreted(bindings))
    }

    /// See [`Condition::plain_verdict`].
    #[doc(hidden)]
    pub fn plain_verdict(&self, bindings: &dyn Bindings) -> Option<Verdict> {
        verdict_of(self.form.as_ref()?, bindings)
    }
}

fn verdict_of(form: &Form, bindings: &dyn Bindings) -> Option<Verdict> {
    match form.value(bindings) {
        Ok(Plain::Bool(holds)) => Some(Verdict::Holds(holds)),
        Err(Stop::Missing) => Some(Verdict::Absent),
        Ok(_) | Err(Stop::Unknown) => None,
    }
}

/// Collects the paths of names that begin with a variable that every expression has.
fn collect_members(expression: &IdedExpr, found: &mut Vec<Vec<String>>) {
    match &expression.expr {
        Expr::Select(select) => match path_of(expression) {
            Some(path) => found.push(path),
            None => collect_members(&select.operand, found),
        },
        Expr::Call(call) => {
            call.target.iter().for_each(|target| collect_members(target, found));
            call.args.iter().for_each(|argument| collect_members(argument, found));
        }
        Expr::Comprehension(inner) => {
            for part in
                [&inner.iter_range, &inner.accu_init, &inner.loop_cond, &inner.loop_step, &inner.result]
            {
                collect_members(part, found);
            }
        }
        Expr::List(list) => list.elements.iter().for_each(|element| collect_members(element, found)),
        Expr::Map(map) => {
            for entry in &map.entries {
                if let EntryExpr::MapEntry(entry) = &entry.expr {
                    collect_members(&entry.key, found);
                    collect_members(&entry.value, found);
                }
            }
        }
        Expr::Unspecified | Expr::Ident(_) | Expr::Literal(_) | Expr::Struct(_) => {}
    }
}

/// The names of `self.a.b`.
fn path_of(expression: &IdedExpr) -> Option<Vec<String>> {
    let mut names = Vec::new();
    let mut rest = &expression.expr;
    loop {
        match rest {
            Expr::Select(select) => {
                names.push(select.field.clone());
                rest = &select.operand.expr;
            }
            Expr::Ident(name) if NAMES.contains(&name.as_str()) => {
                names.push(name.clone());
                names.reverse();
                return Some(names);
            }
            _ => return None,
        }
    }
}

pub(super) fn compile(source: &str) -> Result<Program, String> {
    CEL.check(source).map_err(|error| error.to_string())?;
    let bytes = source.len() as u64;
    budget::allocate(source.len() * MADE_BYTE);
    let program = budget::measure(COMPILING + COMPILING_BYTE * bytes, || Program::compile(source));
    program.map_err(|error| error.to_string().trim().to_owned())
}

impl Clone for Condition {
    fn clone(&self) -> Self {
        Self::new(self.source.clone())
    }
}

struct Resolver<'b>(&'b dyn Bindings);

impl cel::context::VariableResolver for Resolver<'_> {
    fn resolve<'b>(&'b self, variable: &str) -> Option<CowVal<'b, 'b>> {
        self.0.value(variable)
    }
}

fn root() -> &'static Context<'static, 'static> {
    static ROOT: Once<Context<'static, 'static>> = Once::new();
    ROOT.get_or_init(|| {
        let mut context = Context::default();
        // The names are ours, so that they cannot clash with the standard library's.
        let _ = context.add_function("nearest", |word: Arc<String>, candidates: Value| {
            let Value::List(candidates) = candidates else { return Value::Null };
            let texts = candidates.iter().filter_map(|value| match value {
                Value::String(text) => Some(text.as_str()),
                _ => None,
            });
            crate::text::nearest(&word, texts).map_or(Value::Null, |near| near.to_owned().into())
        });
        strings::add(&mut context);
        metered::add_functions(&mut context);
        context
    })
}

/// Names that macros such as `list.all(x, …)` bind.
fn bound_names(source: &str) -> Vec<&str> {
    static MACROS: Once<Option<Regex>> = Once::new();
    let form = r"\.(?:all|exists|exists_one|map|filter)\(\s*([A-Za-z_][A-Za-z0-9_]*)\s*,";
    let macros = MACROS.get_or_init(|| Regex::new(form).ok());
    let found = macros.iter().flat_map(|macros| macros.captures_iter(source));
    found.filter_map(|found| found.get(1)).map(|name| name.as_str()).collect()
}

fn is_function(name: &str) -> bool {
    // Operators and macros appear as functions with names such as `_==_` or `@in`.
    let plain = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '.');
    !plain
        || FUNCTIONS.contains(&name)
        || name.starts_with('_')
        || [
            "size",
            "contains",
            "startsWith",
            "endsWith",
            "matches",
            "string",
            "int",
            "uint",
            "double",
            "bytes",
            "bool",
            "type",
            "max",
            "min",
            "duration",
            "timestamp",
            "has",
            "all",
            "exists",
            "exists_one",
            "map",
            "filter",
            "dyn",
        ]
        .contains(&name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::budget::Budget;

    struct One(i64);

    impl Bindings for One {
        fn value<'b>(&'b self, name: &str) -> Option<CowVal<'b, 'b>> {
            (name == "self").then(|| CowVal::owned(cel::common::types::CelInt::from(self.0)))
        }
    }

    #[test]
    fn conditions_see_their_bindings() {
        let verdict = |source: &str| Condition::new(source).verdict(&One(5));
        assert_eq!(verdict("self > 3 && self in [5]"), Verdict::Holds(true));
        assert_eq!(verdict("nearest('titel', ['title']) == 'title'"), Verdict::Holds(true));
        assert_eq!(verdict("{'a': 1}.b == 3"), Verdict::Absent);
        assert_eq!(
            verdict("'REQ-12'.split('-')[1] == '12' && 'größe'.substring(1, 3) == 'rö'"),
            Verdict::Holds(true)
        );
        assert_eq!(
            verdict("'a-b'.replace('-', '+') == 'a+b' && ' A '.trim().lower() == 'a'"),
            Verdict::Holds(true)
        );
        assert_eq!(verdict("'größe'.indexOf('ß') == 3 && 'x'.indexOf('y') == -1"), Verdict::Holds(true));
        assert_eq!(verdict("'DOC-0228'.capture('^DOC-([0-9]+)$')[0] == '0228'"), Verdict::Holds(true));
        assert_eq!(verdict("size('x'.capture('^(y)')) == 0"), Verdict::Holds(true));
        assert!(matches!(verdict("'x'.capture('(') == []"), Verdict::Failed(_)));
        assert!(matches!(verdict("self > 'a'"), Verdict::Failed(_)));
        assert!(matches!(verdict("self + 1"), Verdict::Failed(_)));
    }

    #[test]
    fn loops_values_and_patterns_are_charged() {
        let budget = Budget { steps: Some(1_000_000), ..Budget::default() };
        let ran = |source: &str| {
            let condition = Condition::new(source);
            assert_eq!(condition.fault(), None, "{source}");
            let (result, spent) = budget.spend(|| condition.explain(&One(5)));
            (result, spent.exceeded.is_some())
        };
        let many = "[1,2,3,4,5,6,7,8,9,10]";
        let nested = |body: &str| (0..8).fold(body.to_owned(), |body, n| format!("{many}.all(x{n}, {body})"));
        let (result, exceeded) = ran(&nested("true"));
        assert!(result.is_err() && exceeded, "{result:?}");
        let maps = (0..8).fold("1".to_owned(), |body, n| format!("{many}.map(x{n}, {body})"));
        assert!(ran(&maps).1, "map");
        let filters =
            (0..8).fold("true".to_owned(), |body, n| format!("{many}.filter(x{n}, {body}).size() >= 0"));
        assert!(ran(&filters).1, "filter");
        let doubled = format!("['aaaaaaaa']{}.size() == 1", ".map(x, x + x)".repeat(40));
        assert!(ran(&doubled).0.is_err(), "strings");
        let doubled = format!("[1]{}.size() == 1", ".map(x, [x, x])".repeat(40));
        assert!(ran(&doubled).0.is_err(), "lists");
        let doubled = format!("[1]{}.size() == 1", ".map(x, {'a': x, 'b': x})".repeat(40));
        assert!(ran(&doubled).0.is_err(), "maps");
        // What is read and made in each turn counts, not only the turn.
        let text = format!("['ab']{}", ".map(t, t + t)".repeat(16));
        let turns = format!("[[1]]{}", ".map(l, l + l)".repeat(12));
        for body in [
            "!t.contains('x')",
            "(t + t + t + t + t + t + t + t + t + t + t + t).split('b').size() > 1",
            "t.size() > 1",
            "t == t",
            "t.lower() != 'x'",
            "t.split('b').size() > 1",
            "t.replace('a', 'b') != 'x'",
            "t.indexOf('x') < 0",
            "t.capture('(x)').size() == 0",
            "!t.matches('x')",
            "!(x in [t])",
        ] {
            let (result, exceeded) = ran(&format!("{text}.all(t, {turns}.all(l, l.all(x, {body})))"));
            assert!(result.is_err() && exceeded, "{body}: {result:?}");
        }
        assert!(ran(&format!("{turns}.all(l, l.all(x, !(2 in l)))")).1, "lists");
    }

    #[test]
    fn large_values_use_the_bytes_of_the_budget() {
        let budget = Budget { bytes: Some(64 << 20), ..Budget::default() };
        let large = Condition::new(format!("['aaaaaaaa']{}.size() == 1", ".map(x, x + x)".repeat(17)));
        let times = |times: usize| budget.spend(|| (0..times).all(|_| large.explain(&One(5)).is_ok()));
        let (all, spent) = times(2);
        assert!(all && spent.exceeded.is_none(), "{spent:?}");
        let (all, spent) = times(80);
        assert!(!all && spent.exceeded.is_some(), "{spent:?}");
        // What a loop keeps counts however small it is.
        let text = format!("['a']{}", ".map(t, t + t)".repeat(14));
        let turns = format!("[[1]]{}", ".map(l, l + l)".repeat(13));
        let kept = format!("{text}.map(t, {turns}.map(l, l.map(x, t.lower()))).size() == 1");
        let (result, spent) = budget.spend(|| Condition::new(&kept).explain(&One(5)));
        assert!(result.is_err() && spent.exceeded.is_some(), "{result:?} {spent:?}");
    }

    #[test]
    fn metered_expressions_mean_what_they_meant() {
        for holds in [
            "[1, 2, 3].all(x, x > 0)",
            "[1, 2, 3].exists(x, x == 2) && ![1].exists(x, x == 2)",
            "[1, 2, 3].exists_one(x, x > 2)",
            "[1, 2, 3].map(x, x * 2) == [2, 4, 6]",
            "[1, 2, 3].map(x, x > 1, x * 2) == [4, 6]",
            "[1, 2, 3].filter(x, x > 1) == [2, 3]",
            "[[1, 2], [3]].map(x, x.map(y, [y, y])) == [[[1, 1], [2, 2]], [[3, 3]]]",
            "'a' + 'b' == 'ab' && [1] + [self] == [1, 5] && 1 + self == 6",
            "{'a': self}.a == 5 && {'a': 1}.exists(key, key == 'a')",
            "'abc'.matches('^a.c$') && matches('abc', 'b') && !'abc'.matches('^b')",
            "[0, 1].exists(x, 1 / x == 1)",
        ] {
            assert_eq!(Condition::new(holds).explain(&One(5)), Ok(Value::Bool(true)), "{holds}");
        }
        assert!(Condition::new("'a'.matches('(')").explain(&One(5)).is_err());
    }

    #[test]
    fn paths_of_names_are_known_with_their_variable() {
        let members = |source: &str| {
            let paths = Condition::new(source).members();
            paths.iter().map(|path| path.join(".")).collect::<Vec<_>>()
        };
        assert_eq!(members("size(self.a.b) > 1 && has(parent.c)"), ["parent.c", "self.a.b"]);
        assert_eq!(members("self.items.all(x, x.price > root.least)"), ["root.least", "self.items"]);
        assert_eq!(members("self.name.startsWith('a') || [self.x][0] == 1"), ["self.name", "self.x"]);
        assert_eq!(members("other.name == key"), ["other.name"]);
        assert_eq!(members("foreign.name == key"), [""; 0]);
    }

    #[test]
    fn an_error_has_a_position() {
        let offset = |source: &str| Condition::new(source).fault_offset();
        assert_eq!(offset("self > 1"), None);
        assert_eq!(offset("self >"), Some(6));
        assert_eq!(offset("self == ) 1"), Some(8));
        assert_eq!(offset("'ö' == self &&\n  )"), Some(18));
    }

    #[test]
    fn errors_and_unknown_names_are_reported() {
        assert!(Condition::new("self >").fault().is_some());
        let (variables, functions) = Condition::new("sef.x > 1 && sizee(self) == 1").unknown_names();
        assert_eq!((variables, functions), (vec!["sef".to_owned()], vec!["sizee".to_owned()]));
        let (variables, functions) =
            Condition::new("self.all(x, x > 1) && [1].exists(y, y == 1) && type(self) == list")
                .unknown_names();
        assert_eq!((variables, functions), (vec![], vec![]));
    }
}
