//! Descriptions of trees: as they are written, and as they are run. They depend on nothing but the grammar, so that build
//! scripts can compile them.

mod names;
mod ordered;
mod raw;
mod table;

use std::{borrow::Cow, fmt};

pub use self::names::{NameRule, RawNames, compile_names, names};
pub use self::ordered::Ordered;
pub use self::raw::RawTree;
use self::raw::{OneOrMany, RawDetail, RawField, RawFields, RawType};
pub use self::table::Mapping;
pub use self::table::{Field, Items, Scalar, Source};
use crate::Grammar;

/// Something wrong with a description.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TreeFault {
    /// JSON Pointer from the description to the wrong value.
    pub pointer: String,
    /// What is wrong.
    pub problem: Problem,
}

/// What can be wrong with a description.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Problem {
    /// No rule of this name makes matches.
    UnknownRule(String),
    /// The parts of the description do not fit together.
    Contradiction(&'static str),
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownRule(rule) => write!(f, "the grammar has no rule `{rule}` that makes matches"),
            Self::Contradiction(what) => f.write_str(what),
        }
    }
}

/// Compiles a description for a grammar.
///
/// # Errors
/// Everything that is wrong with it.
pub fn compile(tree: &RawTree, grammar: &Grammar) -> Result<Mapping, Vec<TreeFault>> {
    let mut compiler = Compiler { grammar, faults: Vec::new() };
    let fields = compiler.fields(&tree.0, "", true);
    if fields.len() > Mapping::ROOTS {
        compiler.contradiction("", "a tree has at most 64 keys");
    }
    if compiler.faults.is_empty() { Ok(Mapping::new(fields, grammar)) } else { Err(compiler.faults) }
}

struct Compiler<'g> {
    grammar: &'g Grammar,
    faults: Vec<TreeFault>,
}

impl Compiler<'_> {
    fn fields(&mut self, raw: &RawFields, at: &str, outermost: bool) -> Vec<Field> {
        let compile = |(key, field): &(String, RawField)| {
            let at = format!("{at}/{}", key.replace('~', "~0").replace('/', "~1"));
            let detail = match field {
                RawField::Rule(rule) => {
                    &RawDetail { from: Some(OneOrMany::One(rule.clone())), ..RawDetail::default() }
                }
                RawField::Detailed(detail) => detail,
            };
            // Where only a name is written, it is the field itself that names the rule.
            let short = matches!(field, RawField::Rule(_));
            let source = self.source(detail, &at, short, outermost)?;
            let about = detail.description.clone().unwrap_or_default();
            Some(Field { key: Cow::Owned(key.clone()), about: Cow::Owned(about), source })
        };
        raw.iter().filter_map(compile).collect()
    }

    fn source(&mut self, raw: &RawDetail, at: &str, short: bool, outermost: bool) -> Option<Source> {
        let of_item = raw.rule || raw.indent;
        let given = [raw.from.is_some(), raw.list.is_some(), raw.has.is_some(), raw.rule, raw.indent];
        if given.iter().filter(|given| **given).count() != 1 {
            return self.contradiction(at, "give exactly one of `from`, `list`, `has`, `rule` and `indent`");
        }
        if raw.fields.is_some() && (raw.value_type.is_some() || raw.has.is_some() || of_item) {
            return self.contradiction(at, "`fields` go with `from` or `list`, and without `type`");
        }
        if raw.value_type.is_some() && (raw.has.is_some() || of_item) {
            return self.contradiction(at, "`type` goes with `from` or `list`");
        }
        if of_item {
            if outermost {
                return self.contradiction(
                    at,
                    "`rule` and `indent` are about an item or object, so they go in its `fields`",
                );
            }
            return Some(if raw.rule { Source::Rule } else { Source::Indent });
        }
        let here = |key: &str| if short { at.to_owned() } else { format!("{at}/{key}") };
        let scalar = match raw.value_type.unwrap_or_default() {
            RawType::String => Scalar::String,
            RawType::Number => Scalar::Number,
            RawType::Integer => Scalar::Integer,
            RawType::Boolean => Scalar::Boolean,
        };
        let fields = raw.fields.as_ref().map(|fields| self.fields(fields, &format!("{at}/fields"), false));
        if let Some(rules) = &raw.list {
            let rules = self.rules(rules, &here("list"))?;
            let items = fields.map_or(Items::Scalars(scalar), |fields| Items::Objects(fields.into()));
            return Some(Source::List { rules, items });
        }
        if let Some(rules) = &raw.has {
            return self.rules(rules, &here("has")).map(|rules| Source::Has { rules });
        }
        let rules = self.rules(raw.from.as_ref()?, &here("from"))?;
        Some(match fields {
            Some(fields) => Source::Object { rules, fields: fields.into() },
            None => Source::Scalar { rules, scalar },
        })
    }

    /// The numbers of rules; nothing when one does not exist.
    fn rules(&mut self, names: &OneOrMany<String>, at: &str) -> Option<Cow<'static, [u16]>> {
        let mut rules = Vec::new();
        let mut complete = true;
        for (index, name) in names.as_slice().iter().enumerate() {
            match self.grammar.rule(name) {
                Some(rule) => rules.push(rule),
                None => {
                    complete = false;
                    let several = matches!(names, OneOrMany::Many(_));
                    let pointer = if several { format!("{at}/{index}") } else { at.to_owned() };
                    self.faults.push(TreeFault { pointer, problem: Problem::UnknownRule(name.clone()) });
                }
            }
        }
        complete.then(|| rules.into())
    }

    fn contradiction(&mut self, at: &str, what: &'static str) -> Option<Source> {
        self.faults.push(TreeFault { pointer: at.to_owned(), problem: Problem::Contradiction(what) });
        None
    }
}
