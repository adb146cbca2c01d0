//! From the text of a grammar to steps.

use std::collections::{HashMap, HashSet};

use pest_meta::{
    ast::{Expr, Rule, RuleType},
    parser, validator,
};

use super::{
    Fault, Grammar, Problem,
    charset::Characters,
    draft::{Draft, Drafts},
    link,
};
use crate::{
    budget::Once,
    text::{Notation, Span},
};

/// What a grammar is compiled for.
#[derive(Debug, Clone, Copy)]
pub struct Options<'o> {
    /// The rules that reading can start with.
    pub starts: &'o [&'o str],
    /// How the names of error productions start. Where such a rule is tried in vain, nothing is said to
    /// be missing.
    pub errors: &'o [&'o str],
}

/// Brackets of a grammar nest, and its operators chain, in each rule; what follows rules to other rules can
/// descend as far as all of them together.
const NOTATION: Notation = Notation {
    depth: 1_000,
    bytes: 1 << 20,
    total: 20_000,
    operators: "~|!&*+?",
    separators: "=",
    quotes: "\"",
    // A quote can be a character, or in a comment.
    unsure: &["'", "//", "/*"],
    ..Notation::BRACKETS
};

/// Most steps of a grammar: their numbers have two bytes.
const STEPS: usize = u16::MAX as usize;

/// Compiles a grammar.
///
/// # Errors
/// Everything that is wrong with it, in the order of the text.
pub fn compile(text: &str, options: Options<'_>) -> Result<Grammar, Vec<Fault>> {
    let whole = Span::new(0, text.len());
    if let Err(error) = NOTATION.check(text) {
        let next = text[error.at..].chars().next().map_or(0, char::len_utf8);
        return Err(vec![Fault::new(
            Span::new(error.at, error.at + next),
            Problem::TooLarge(error.to_string()),
        )]);
    }
    let failed = || Fault::new(whole, Problem::Other("the compiler failed".to_owned()));
    with_stack(|| compile_measured(text, options)).unwrap_or_else(|| Err(vec![failed()]))
}

/// Runs work in a thread with a large stack; nothing where it panics or there is no such thread.
#[cfg(not(target_family = "wasm"))]
fn with_stack<R: Send>(work: impl FnOnce() -> R + Send) -> Option<R> {
    use std::thread;
    /// What [`NOTATION`] lets through needs this stack.
    const STACK: usize = 256 << 20;
    thread::scope(|scope| {
        thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work).ok()?.join().ok()
    })
}

/// A module in a browser has one thread, whose stack its builder chooses.
#[cfg(target_family = "wasm")]
fn with_stack<R>(work: impl FnOnce() -> R) -> Option<R> {
    Some(work())
}

/// Compiles a grammar that is small enough for the stack.
fn compile_measured(text: &str, options: Options<'_>) -> Result<Grammar, Vec<Fault>> {
    let listed = |errors: Vec<pest::error::Error<parser::Rule>>| -> Vec<Fault> {
        errors.into_iter().map(Fault::of_pest).collect()
    };
    let pairs =
        parser::parse(parser::Rule::grammar_rules, text).map_err(|error| vec![Fault::of_pest(error)])?;
    validator::validate_pairs(pairs.clone()).map_err(listed)?;
    let places = definitions(pairs.clone());
    let rules = parser::consume_rules(pairs).map_err(listed)?;
    let mut compiler = Compiler::new(&rules, &places);
    for start in options.starts {
        let missing = || vec![Fault::new(Span::default(), Problem::NoStart((*start).to_owned()))];
        let rule = rules.iter().find(|rule| rule.name == *start).ok_or_else(missing)?;
        compiler.start(rule).map_err(|fault| vec![fault])?;
    }
    let drafts = compiler.finish();
    link::link(&drafts, options.errors)
        .map_err(|limit| vec![Fault::new(Span::new(0, text.len()), Problem::TooLarge(limit.to_owned()))])
}

/// The names of the rules that a grammar defines, as far as it can be read.
pub fn rule_names(text: &str) -> Vec<&str> {
    if NOTATION.check(text).is_err() {
        return Vec::new();
    }
    let Ok(pairs) = parser::parse(parser::Rule::grammar_rules, text) else { return Vec::new() };
    let rules = pairs.filter(|pair| pair.as_rule() == parser::Rule::grammar_rule);
    let names = rules
        .filter_map(|rule| rule.into_inner().find(|part| part.as_rule() == parser::Rule::identifier))
        .map(|name| name.as_span().as_str());
    names.collect()
}

/// Where each rule's name is in its definition.
fn definitions(pairs: pest::iterators::Pairs<'_, parser::Rule>) -> HashMap<String, Span> {
    let rules = pairs.filter(|pair| pair.as_rule() == parser::Rule::grammar_rule);
    let names =
        rules.filter_map(|rule| rule.into_inner().find(|part| part.as_rule() == parser::Rule::identifier));
    names
        .map(|name| (name.as_str().to_owned(), Span::new(name.as_span().start(), name.as_span().end())))
        .collect()
}

/// Whether rules make matches and whether spaces are skipped: what pest calls atomicity, and whether an
/// expression only looks ahead.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Mode {
    /// Inside of a look-ahead or an atomic rule.
    quiet: bool,
    /// Inside of a look-ahead, where no rule makes a match.
    looking: bool,
    /// Whether `WHITESPACE` and `COMMENT` are skipped between the parts of sequences.
    spaced: bool,
}

struct Compiler<'g> {
    rules: HashMap<&'g str, &'g Rule>,
    places: &'g HashMap<String, Span>,
    /// Whether the grammar has a rule for what is skipped.
    skips: bool,
    steps: Vec<Draft>,
    /// Steps of rules, in each mode that they are used in.
    bodies: HashMap<(&'g str, Mode), usize>,
    /// The step that skips spaces, for each mode.
    skip: HashMap<Mode, usize>,
    names: Vec<String>,
    sets: Vec<Characters>,
    starts: Vec<(String, usize)>,
    /// The rule that is compiled now.
    current: &'g str,
}

impl<'g> Compiler<'g> {
    fn new(rules: &'g [Rule], places: &'g HashMap<String, Span>) -> Self {
        let rules: HashMap<&str, &Rule> = rules.iter().map(|rule| (rule.name.as_str(), rule)).collect();
        Self {
            skips: rules.contains_key("WHITESPACE") || rules.contains_key("COMMENT"),
            rules,
            places,
            steps: Vec::new(),
            bodies: HashMap::new(),
            skip: HashMap::new(),
            names: Vec::new(),
            sets: Vec::new(),
            starts: Vec::new(),
            current: "",
        }
    }

    fn start(&mut self, rule: &'g Rule) -> Result<(), Fault> {
        let mode = Mode { quiet: false, looking: false, spaced: self.skips };
        let step = self.reference(&rule.name, mode)?;
        let step = self.add(step)?;
        self.starts.push((rule.name.clone(), step));
        Ok(())
    }

    fn finish(mut self) -> Drafts {
        let target = |steps: &[Draft], mut index: usize| {
            let mut seen = HashSet::new();
            while let Draft::Same(next) = &steps[index] {
                if !seen.insert(index) {
                    break;
                }
                index = *next;
            }
            index
        };
        for index in 0..self.steps.len() {
            let mut step = self.steps[index].clone();
            match &mut step {
                Draft::Sequence(children) | Draft::Choice(children) => {
                    for child in children {
                        *child = target(&self.steps, *child);
                    }
                }
                Draft::Repeat(child, ..)
                | Draft::Not(child)
                | Draft::And(child)
                | Draft::Push(child)
                | Draft::Part { body: child, .. } => *child = target(&self.steps, *child),
                _ => {}
            }
            self.steps[index] = step;
        }
        Drafts { steps: self.steps, sets: self.sets, names: self.names, starts: self.starts }
    }

    fn fault(&self, problem: Problem) -> Fault {
        Fault::new(self.places.get(self.current).copied().unwrap_or_default(), problem)
    }

    fn add(&mut self, step: Draft) -> Result<usize, Fault> {
        if let Draft::Same(index) = step {
            return Ok(index);
        }
        if self.steps.len() == STEPS {
            return Err(self.fault(Problem::TooLarge("it has more than 65,535 steps".to_owned())));
        }
        self.steps.push(step);
        Ok(self.steps.len() - 1)
    }

    fn set(&mut self, set: Characters) -> usize {
        self.sets.iter().position(|known| *known == set).unwrap_or_else(|| {
            self.sets.push(set);
            self.sets.len() - 1
        })
    }

    fn name(&mut self, name: &str) -> usize {
        self.names.iter().position(|known| known == name).unwrap_or_else(|| {
            self.names.push(name.to_owned());
            self.names.len() - 1
        })
    }

    /// The step of a rule by name.
    fn reference(&mut self, name: &str, mode: Mode) -> Result<Draft, Fault> {
        let Some((name, rule)) = self.rules.get_key_value(name) else { return self.builtin(name, mode) };
        let (name, rule) = (*name, *rule);
        let atomic = Mode { quiet: true, spaced: false, ..mode };
        let skipped = matches!(name, "WHITESPACE" | "COMMENT");
        // The mode of what is inside, and whether there is a match.
        let (inner, part) = match rule.ty {
            RuleType::Silent => (if skipped { atomic } else { mode }, false),
            RuleType::Normal => (if skipped { atomic } else { mode }, !mode.quiet),
            RuleType::Atomic => (atomic, !mode.quiet),
            RuleType::CompoundAtomic => (Mode { quiet: mode.looking, spaced: false, ..mode }, !mode.looking),
            RuleType::NonAtomic if skipped => (atomic, false),
            RuleType::NonAtomic => (Mode { quiet: mode.looking, spaced: self.skips, ..mode }, !mode.looking),
        };
        let body = match self.bodies.get(&(name, inner)) {
            Some(body) => *body,
            None => {
                let body = self.add(Draft::Start)?;
                self.bodies.insert((name, inner), body);
                let outer = std::mem::replace(&mut self.current, name);
                let step = match self.characters(&rule.expr, inner, 0) {
                    Some(set) => Draft::Char(self.set(set)),
                    None => self.step(&rule.expr, inner)?,
                };
                self.current = outer;
                self.steps[body] = step;
                body
            }
        };
        if part {
            let token = inner.quiet;
            return Ok(Draft::Part { name: self.name(name), body, token });
        }
        Ok(Draft::Same(body))
    }

    /// The step of a rule that every grammar has.
    fn builtin(&mut self, name: &str, mode: Mode) -> Result<Draft, Fault> {
        Ok(match name {
            "SOI" => Draft::Start,
            "EOI" if mode.quiet => Draft::End,
            "EOI" => Draft::Part { name: self.name("EOI"), body: self.add(Draft::End)?, token: true },
            "PEEK" => Draft::Peek,
            "PEEK_ALL" => Draft::PeekAll,
            "POP" => Draft::Pop,
            "POP_ALL" => Draft::PopAll,
            "DROP" => Draft::Drop,
            "NEWLINE" => {
                let ends = ["\n", "\r\n", "\r"];
                let ends: Result<_, _> =
                    ends.iter().map(|end| self.add(Draft::Text((*end).into()))).collect();
                Draft::Choice(ends?)
            }
            _ => match builtin(name) {
                Some(set) => Draft::Char(self.set(set)),
                None => return Err(self.fault(Problem::UnknownRule(name.to_owned()))),
            },
        })
    }

    fn step(&mut self, expr: &'g Expr, mode: Mode) -> Result<Draft, Fault> {
        if let Some(set) = self.characters(expr, mode, 0) {
            return Ok(Draft::Char(self.set(set)));
        }
        let looking = Mode { quiet: true, looking: true, spaced: mode.spaced };
        Ok(match expr {
            Expr::Str(text) => Draft::Text(text.clone()),
            Expr::Insens(text) => Draft::TextAnyCase(text.to_ascii_lowercase()),
            Expr::Ident(name) => self.reference(name, mode)?,
            Expr::PosPred(inner) => Draft::And(self.child(inner, looking)?),
            Expr::NegPred(inner) => Draft::Not(self.child(inner, looking)?),
            Expr::Seq(..) => self.sequence(expr, mode)?,
            Expr::Choice(..) => {
                let list = alternatives(expr);
                let children: Result<_, _> = list.into_iter().map(|item| self.child(item, mode)).collect();
                Draft::Choice(children?)
            }
            Expr::Opt(inner) => Draft::Repeat(self.child(inner, mode)?, 0, 1),
            Expr::Rep(inner) => self.repeat(inner, 0, u32::MAX, mode)?,
            Expr::RepOnce(inner) | Expr::RepMin(inner, 1) => self.repeat(inner, 1, u32::MAX, mode)?,
            Expr::RepExact(inner, n) => self.repeat(inner, *n, *n, mode)?,
            Expr::RepMin(inner, n) => self.repeat(inner, *n, u32::MAX, mode)?,
            Expr::RepMax(inner, n) => self.repeat(inner, 0, *n, mode)?,
            Expr::RepMinMax(inner, low, high) => self.repeat(inner, *low, *high, mode)?,
            Expr::Push(inner) => Draft::Push(self.child(inner, mode)?),
            Expr::PeekSlice(from, to) => Draft::PeekSlice(*from, *to),
            other => return Err(self.fault(Problem::Unsupported(format!("`{other}`")))),
        })
    }

    fn child(&mut self, expr: &'g Expr, mode: Mode) -> Result<usize, Fault> {
        let step = self.step(expr, mode)?;
        self.add(step)
    }

    /// A repetition. Where spaces are skipped, they are skipped between the repetitions, and also where
    /// pest takes a repetition apart into a sequence: after the first one of `e+`, and between all of
    /// `e{n,m}`, the optional ones included.
    fn repeat(&mut self, expr: &'g Expr, min: u32, max: u32, mode: Mode) -> Result<Draft, Fault> {
        let child = self.child(expr, mode)?;
        if !mode.spaced {
            return Ok(Draft::Repeat(child, min, max));
        }
        let skip = self.skip(mode)?;
        let mut items = Vec::new();
        let counted = if max == u32::MAX { min } else { max };
        if counted as usize > STEPS {
            return Err(
                self.fault(Problem::TooLarge("a repetition is counted higher than 65,535".to_owned()))
            );
        }
        let optional = self.add(Draft::Repeat(child, 0, 1))?;
        for index in 0..counted {
            if index > 0 {
                items.push(skip);
            }
            items.push(if index < min { child } else { optional });
        }
        if max == u32::MAX {
            if min > 0 {
                items.push(skip);
            }
            let further = self.add(Draft::Sequence(vec![skip, child]))?;
            let further = self.add(Draft::Repeat(further, 0, u32::MAX))?;
            let all = self.add(Draft::Sequence(vec![child, further]))?;
            items.push(self.add(Draft::Repeat(all, 0, 1))?);
        }
        Ok(Draft::Sequence(items))
    }

    /// The step that skips what is between the parts of a sequence.
    fn skip(&mut self, mode: Mode) -> Result<usize, Fault> {
        if let Some(skip) = self.skip.get(&mode) {
            return Ok(*skip);
        }
        let mut any = |name: &str| -> Result<Option<(usize, usize)>, Fault> {
            if !self.rules.contains_key(name) {
                return Ok(None);
            }
            let one = self.reference(name, mode)?;
            let one = self.add(one)?;
            Ok(Some((one, self.add(Draft::Repeat(one, 0, u32::MAX))?)))
        };
        let (spaces, comments) = (any("WHITESPACE")?, any("COMMENT")?);
        let skip = match (spaces, comments) {
            (Some((_, spaces)), Some((comment, _))) => {
                let comment = self.add(Draft::Sequence(vec![comment, spaces]))?;
                let comments = self.add(Draft::Repeat(comment, 0, u32::MAX))?;
                self.add(Draft::Sequence(vec![spaces, comments]))?
            }
            (Some((_, only)), None) | (None, Some((_, only))) => only,
            (None, None) => self.add(Draft::Sequence(Vec::new()))?,
        };
        self.skip.insert(mode, skip);
        Ok(skip)
    }

    /// A sequence. Without spaces between its parts, look-aheads at single characters and the character
    /// after them are one step.
    fn sequence(&mut self, expr: &'g Expr, mode: Mode) -> Result<Draft, Fault> {
        let items = sequence(expr);
        if mode.spaced {
            let skip = self.skip(mode)?;
            let mut children = Vec::new();
            for (index, item) in items.into_iter().enumerate() {
                if index > 0 {
                    children.push(skip);
                }
                children.push(self.child(item, mode)?);
            }
            return Ok(Draft::Sequence(children));
        }
        let looking = Mode { quiet: true, looking: true, spaced: false };
        let mut children = Vec::new();
        let mut held: Option<Characters> = None;
        let mut waiting: Vec<&'g Expr> = Vec::new();
        for item in items {
            let ahead = match item {
                Expr::NegPred(inner) => self.characters(inner, looking, 0).map(|set| set.complement()),
                _ => None,
            };
            if let Some(set) = ahead {
                held = Some(held.map_or_else(|| set.clone(), |held| held.and(&set)));
                waiting.push(item);
                continue;
            }
            match (held.take(), self.characters(item, mode, 0)) {
                (Some(held), Some(set)) => {
                    let set = self.set(held.and(&set));
                    children.push(self.add(Draft::Char(set))?);
                }
                _ => {
                    for item in waiting.drain(..) {
                        children.push(self.child(item, mode)?);
                    }
                    children.push(self.child(item, mode)?);
                }
            }
            waiting.clear();
        }
        for item in waiting {
            children.push(self.child(item, mode)?);
        }
        Ok(match children.as_slice() {
            [only] => Draft::Same(*only),
            _ => Draft::Sequence(children),
        })
    }

    /// The set of an expression that matches exactly one character and makes no match of its own.
    fn characters(&self, expr: &Expr, mode: Mode, depth: u32) -> Option<Characters> {
        if depth > 24 {
            return None;
        }
        let one = |text: &str| {
            let mut chars = text.chars();
            chars.next().filter(|_| chars.next().is_none())
        };
        match expr {
            Expr::Str(text) => one(text).map(|c| Characters::range(c, c)),
            Expr::Insens(text) => one(text).map(|c| {
                let (low, high) = (c.to_ascii_lowercase(), c.to_ascii_uppercase());
                Characters::range(low, low).or(&Characters::range(high, high))
            }),
            Expr::Range(first, last) => Some(Characters::range(one(first)?, one(last)?)),
            Expr::Ident(name) => {
                let Some(rule) = self.rules.get(name.as_str()) else { return builtin(name) };
                let plain = match rule.ty {
                    RuleType::Silent => true,
                    RuleType::Normal | RuleType::Atomic => mode.quiet,
                    RuleType::CompoundAtomic | RuleType::NonAtomic => mode.looking,
                };
                let spaced = match rule.ty {
                    RuleType::Normal | RuleType::Silent => mode.spaced,
                    RuleType::Atomic | RuleType::CompoundAtomic => false,
                    RuleType::NonAtomic => self.skips,
                };
                let quiet = mode.quiet || rule.ty == RuleType::Atomic;
                plain.then(|| self.characters(&rule.expr, Mode { quiet, spaced, ..mode }, depth + 1))?
            }
            Expr::Choice(left, right) => {
                let left = self.characters(left, mode, depth + 1)?;
                Some(left.or(&self.characters(right, mode, depth + 1)?))
            }
            Expr::Seq(..) if !mode.spaced => {
                let items = sequence(expr);
                let (last, before) = items.split_last()?;
                let looking = Mode { quiet: true, looking: true, spaced: false };
                let mut set = self.characters(last, mode, depth + 1)?;
                for item in before {
                    set = match item {
                        Expr::NegPred(inner) => {
                            set.and(&self.characters(inner, looking, depth + 1)?.complement())
                        }
                        Expr::PosPred(inner) => set.and(&self.characters(inner, looking, depth + 1)?),
                        _ => return None,
                    };
                }
                Some(set)
            }
            _ => None,
        }
    }
}

/// The characters of a rule that every grammar has.
fn builtin(name: &str) -> Option<Characters> {
    let range = Characters::range;
    Some(match name {
        "ANY" => Characters::any(),
        "ASCII" => range('\0', '\x7F'),
        "ASCII_DIGIT" => range('0', '9'),
        "ASCII_NONZERO_DIGIT" => range('1', '9'),
        "ASCII_BIN_DIGIT" => range('0', '1'),
        "ASCII_OCT_DIGIT" => range('0', '7'),
        "ASCII_ALPHA_LOWER" => range('a', 'z'),
        "ASCII_ALPHA_UPPER" => range('A', 'Z'),
        "ASCII_ALPHA" => range('a', 'z').or(&range('A', 'Z')),
        "ASCII_ALPHANUMERIC" => range('a', 'z').or(&range('A', 'Z')).or(&range('0', '9')),
        "ASCII_HEX_DIGIT" => range('a', 'f').or(&range('A', 'F')).or(&range('0', '9')),
        // Asked for often, and costly.
        "LETTER" => {
            static LETTERS: Once<Characters> = Once::new();
            LETTERS.get_or_init(|| Characters::of(pest::unicode::LETTER)).clone()
        }
        _ => {
            let property = pest::unicode::by_name(name)?;
            Characters::of(property)
        }
    })
}

/// The parts of a sequence.
fn sequence(expr: &Expr) -> Vec<&Expr> {
    flat(expr, |expr| match expr {
        Expr::Seq(left, right) => Some((left, right)),
        _ => None,
    })
}

/// The alternatives of a choice.
fn alternatives(expr: &Expr) -> Vec<&Expr> {
    flat(expr, |expr| match expr {
        Expr::Choice(left, right) => Some((left, right)),
        _ => None,
    })
}

fn flat<'e>(expr: &'e Expr, split: impl Fn(&'e Expr) -> Option<(&'e Expr, &'e Expr)>) -> Vec<&'e Expr> {
    let mut items = Vec::new();
    let mut waiting = vec![expr];
    while let Some(expr) = waiting.pop() {
        match split(expr) {
            Some((left, right)) => waiting.extend([right, left]),
            None => items.push(expr),
        }
    }
    items
}
