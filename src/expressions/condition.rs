use std::sync::{Arc, OnceLock};

use cel::{Context, Program, Value, common::value::CowVal};
use regex::Regex;

use crate::text::Notation;

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

/// A CEL expression, compiled when first used.
#[derive(Debug)]
pub struct Condition {
    source: String,
    program: OnceLock<Option<Program>>,
}

/// What an expression may ask for, made only when it does.
pub trait Bindings: Send + Sync {
    /// The value of a name, or nothing when there is none.
    fn value<'b>(&'b self, name: &str) -> Option<CowVal<'b, 'b>>;
}

/// Names that every expression may use.
pub(crate) const NAMES: &[&str] =
    &["self", "key", "path", "parent", "root", "options", "ancestor", "values", "symbols"];

/// Functions besides CEL's standard library.
pub(crate) const FUNCTIONS: &[&str] = &["nearest"];

impl Condition {
    /// A condition of this source; see [`Self::fault`] for whether it compiles.
    pub fn new(source: impl Into<String>) -> Self {
        Self { source: source.into(), program: OnceLock::new() }
    }

    /// The expression as it is written.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// Why it does not compile.
    pub fn fault(&self) -> Option<String> {
        compile(&self.source).err()
    }

    /// Names of the unknown variables and of the unknown functions that it uses.
    pub fn unknown_names(&self) -> (Vec<String>, Vec<String>) {
        let Some(program) = self.program() else { return (Vec::new(), Vec::new()) };
        let references = program.references();
        let unknown = |found: Vec<&str>, known: &dyn Fn(&str) -> bool| {
            let mut names: Vec<String> = found.into_iter().filter(|n| !known(n)).map(str::to_owned).collect();
            names.sort();
            names
        };
        let bound = bound_names(&self.source);
        let known = |name: &str| NAMES.contains(&name) || name.starts_with('@') || bound.contains(&name);
        (unknown(references.variables(), &known), unknown(references.functions(), &|name| is_function(name)))
    }

    /// Whether it uses a variable.
    pub fn uses(&self, name: &str) -> bool {
        self.program().is_some_and(|program| program.references().has_variable(name))
    }

    /// Whether it holds. An expression that fails at run time, or whose value is not a boolean,
    /// holds as `otherwise` says: neither a guard nor a check reports anything then.
    pub fn holds(&self, bindings: &dyn Bindings, otherwise: bool) -> bool {
        match self.evaluate(bindings) {
            Some(Ok(Value::Bool(value))) => value,
            _ => otherwise,
        }
    }

    /// Its value, or why there is none.
    pub fn explain(&self, bindings: &dyn Bindings) -> Result<Value, String> {
        self.evaluate(bindings).unwrap_or_else(|| Err(self.fault().unwrap_or_default()))
    }

    fn evaluate(&self, bindings: &dyn Bindings) -> Option<Result<Value, String>> {
        let program = self.program()?;
        let resolver = Resolver(bindings);
        let mut context = root().new_inner_scope();
        context.set_variable_resolver(&resolver);
        Some(program.execute(&context).map_err(|error| error.to_string()))
    }

    fn program(&self) -> Option<&Program> {
        self.program.get_or_init(|| compile(&self.source).ok()).as_ref()
    }
}

fn compile(source: &str) -> Result<Program, String> {
    CEL.check(source).map_err(|error| error.to_string())?;
    Program::compile(source).map_err(|error| error.to_string().trim().to_owned())
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
    static ROOT: OnceLock<Context<'static, 'static>> = OnceLock::new();
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
        context
    })
}

/// Names that macros such as `list.all(x, …)` bind.
fn bound_names(source: &str) -> Vec<&str> {
    static MACROS: OnceLock<Option<Regex>> = OnceLock::new();
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

    struct One(i64);

    impl Bindings for One {
        fn value<'b>(&'b self, name: &str) -> Option<CowVal<'b, 'b>> {
            (name == "self").then(|| CowVal::owned(cel::common::types::CelInt::from(self.0)))
        }
    }

    #[test]
    fn conditions_see_their_bindings() {
        assert!(Condition::new("self > 3 && self in [5]").holds(&One(5), false));
        assert!(!Condition::new("self.x == 3").holds(&One(5), false));
        assert!(Condition::new("self.x == 3").holds(&One(5), true));
        assert!(Condition::new("nearest('titel', ['title']) == 'title'").holds(&One(0), false));
    }

    #[test]
    fn errors_and_unknown_names_are_reported() {
        assert!(Condition::new("self >").fault().is_some());
        let (variables, functions) = Condition::new("sef.x > 1 && sizee(self) == 1").unknown_names();
        assert_eq!((variables, functions), (vec!["sef".to_owned()], vec!["sizee".to_owned()]));
        let (variables, functions) =
            Condition::new("self.all(x, x > 1) && [1].exists(y, y == 1)").unknown_names();
        assert_eq!((variables, functions), (vec![], vec![]));
    }
}
