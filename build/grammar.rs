//! Turns grammars written for pest into tables for `src/syntax/peg`.
//!
//! Three things make the tables fast to run. What matches exactly one character becomes a set of
//! characters, however many rules it is spread over. Every step knows which byte it may begin with, so
//! that alternatives which cannot fit are never tried. And a repetition knows the bytes that it surely
//! takes one by one. Nothing of that changes what a grammar means: `src/syntax/peg` compares the trees
//! with those of pest's own interpreter.

use std::{collections::HashMap, fmt::Write as _, sync::OnceLock};

use pest_meta::{
    ast::{Expr, Rule, RuleType},
    parser, validator,
};

use crate::charset::CharSet;

/// A step of the tables; numbers are those of other steps.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Step {
    /// A character of the set with this number.
    Char(usize),
    Text(String),
    TextAnyCase(String),
    Sequence(Vec<usize>),
    Choice(Vec<usize>),
    Repeat(usize, u32, u32),
    Not(usize),
    And(usize),
    /// A part with the name of this number.
    Part(usize, usize),
    Start,
    End,
    /// The same as another step.
    Same(usize),
}

/// What may come next: bytes, as bits, or the end of the text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Symbols {
    bytes: [u128; 2],
    end: bool,
}

impl Symbols {
    const NONE: Self = Self { bytes: [0; 2], end: false };
    const ALL: Self = Self { bytes: [u128::MAX; 2], end: true };
    const END: Self = Self { end: true, ..Self::NONE };

    fn of(bytes: impl IntoIterator<Item = u8>) -> Self {
        let mut symbols = Self::NONE;
        for byte in bytes {
            symbols.bytes[usize::from(byte >> 7)] |= 1 << (byte & 127);
        }
        symbols
    }

    fn or(self, other: Self) -> Self {
        let bytes = [self.bytes[0] | other.bytes[0], self.bytes[1] | other.bytes[1]];
        Self { bytes, end: self.end || other.end }
    }

    fn and(self, other: Self) -> Self {
        let bytes = [self.bytes[0] & other.bytes[0], self.bytes[1] & other.bytes[1]];
        Self { bytes, end: self.end && other.end }
    }

    fn without(self, other: Self) -> Self {
        self.and(Self { bytes: [!other.bytes[0], !other.bytes[1]], end: !other.end })
    }
}

/// What is known of a step: the next symbols with which it may succeed and take something, and those
/// with which it may succeed and take nothing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Begin {
    takes: Symbols,
    empty: Symbols,
}

impl Begin {
    fn all(self) -> Symbols {
        self.takes.or(self.empty)
    }
}

/// A grammar in the making.
struct Compiler<'g> {
    rules: HashMap<&'g str, &'g Rule>,
    steps: Vec<Step>,
    /// Steps of rules; a rule has others where its parts do not count.
    of_rules: HashMap<(&'g str, bool), usize>,
    names: Vec<String>,
    sets: Vec<CharSet>,
}

/// The tables of a grammar as Rust source: a static with this name in capitals.
pub(crate) fn compile(name: &str, text: &str) -> Result<String, String> {
    let pairs = parser::parse(parser::Rule::grammar_rules, text).map_err(|error| error.to_string())?;
    let listed = |errors: Vec<pest::error::Error<parser::Rule>>| {
        errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
    };
    validator::validate_pairs(pairs.clone()).map_err(listed)?;
    let rules = parser::consume_rules(pairs).map_err(listed)?;
    let mut compiler = Compiler {
        rules: rules.iter().map(|rule| (rule.name.as_str(), rule)).collect(),
        steps: Vec::new(),
        of_rules: HashMap::new(),
        names: Vec::new(),
        sets: Vec::new(),
    };
    let document = compiler.reference("document", false)?;
    let document = compiler.add(document);
    let statement = compiler.reference("statement", false)?;
    let statement = compiler.add(statement);
    compiler.resolve();
    Ok(compiler.write(name, document, statement))
}

impl<'g> Compiler<'g> {
    fn add(&mut self, step: Step) -> usize {
        if let Step::Same(index) = step {
            return index;
        }
        self.steps.push(step);
        self.steps.len() - 1
    }

    fn set(&mut self, set: CharSet) -> usize {
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

    /// The step of a rule by name; a quiet one makes no parts.
    fn reference(&mut self, name: &str, quiet: bool) -> Result<Step, String> {
        match name {
            "SOI" => return Ok(Step::Start),
            "EOI" if quiet => return Ok(Step::End),
            "EOI" => {
                let (name, end) = (self.name("EOI"), self.add(Step::End));
                return Ok(Step::Part(name, end));
            }
            _ => {}
        }
        if let Some(set) = builtin(name) {
            return Ok(Step::Char(self.set(set)));
        }
        let (name, rule) = self.rules.get_key_value(name).ok_or_else(|| format!("no rule `{name}`"))?;
        let (name, rule) = (*name, *rule);
        let inner_quiet = match rule.ty {
            RuleType::Atomic => true,
            RuleType::Normal | RuleType::Silent => quiet,
            RuleType::CompoundAtomic | RuleType::NonAtomic => {
                return Err(format!("rule `{name}`: only plain, silent and atomic rules are known here"));
            }
        };
        let body = match self.of_rules.get(&(name, inner_quiet)) {
            Some(body) => *body,
            None => {
                let body = self.add(Step::Start);
                self.of_rules.insert((name, inner_quiet), body);
                let step = self.step(&rule.expr, inner_quiet)?;
                self.steps[body] = step;
                body
            }
        };
        if quiet || rule.ty == RuleType::Silent {
            return Ok(Step::Same(body));
        }
        Ok(Step::Part(self.name(name), body))
    }

    fn step(&mut self, expr: &'g Expr, quiet: bool) -> Result<Step, String> {
        if let Some(set) = self.characters(expr, quiet, 0) {
            return Ok(Step::Char(self.set(set)));
        }
        Ok(match expr {
            Expr::Str(text) => Step::Text(text.clone()),
            Expr::Insens(text) => Step::TextAnyCase(text.to_ascii_lowercase()),
            Expr::Ident(name) => self.reference(name, quiet)?,
            Expr::PosPred(inner) => Step::And(self.child(inner, true)?),
            Expr::NegPred(inner) => Step::Not(self.child(inner, true)?),
            Expr::Seq(..) => self.sequence(expr, quiet)?,
            Expr::Choice(..) => {
                let mut list = Vec::new();
                alternatives(expr, &mut list);
                let children: Result<Vec<_>, _> =
                    list.into_iter().map(|item| self.child(item, quiet)).collect();
                Step::Choice(children?)
            }
            Expr::Opt(inner) => Step::Repeat(self.child(inner, quiet)?, 0, 1),
            Expr::Rep(inner) => Step::Repeat(self.child(inner, quiet)?, 0, u32::MAX),
            Expr::RepOnce(inner) => Step::Repeat(self.child(inner, quiet)?, 1, u32::MAX),
            Expr::RepExact(inner, n) => Step::Repeat(self.child(inner, quiet)?, *n, *n),
            Expr::RepMin(inner, n) => Step::Repeat(self.child(inner, quiet)?, *n, u32::MAX),
            Expr::RepMax(inner, n) => Step::Repeat(self.child(inner, quiet)?, 0, *n),
            Expr::RepMinMax(inner, low, high) => Step::Repeat(self.child(inner, quiet)?, *low, *high),
            other => return Err(format!("`{other}` is not known here")),
        })
    }

    fn child(&mut self, expr: &'g Expr, quiet: bool) -> Result<usize, String> {
        let step = self.step(expr, quiet)?;
        Ok(self.add(step))
    }

    /// A sequence, in which look-aheads at single characters and the character after them are one step.
    fn sequence(&mut self, expr: &'g Expr, quiet: bool) -> Result<Step, String> {
        let mut items = Vec::new();
        flatten(expr, &mut items);
        let mut children = Vec::new();
        let mut held: Option<CharSet> = None;
        let mut waiting: Vec<&'g Expr> = Vec::new();
        for item in items {
            let ahead = match item {
                Expr::NegPred(inner) => self.characters(inner, true, 0).map(|set| set.complement()),
                _ => None,
            };
            if let Some(set) = ahead {
                held = Some(held.map_or_else(|| set.clone(), |held| held.and(&set)));
                waiting.push(item);
                continue;
            }
            match (held.take(), self.characters(item, quiet, 0)) {
                (Some(held), Some(set)) => {
                    let set = self.set(held.and(&set));
                    children.push(self.add(Step::Char(set)));
                }
                _ => {
                    for item in waiting.drain(..) {
                        children.push(self.child(item, quiet)?);
                    }
                    children.push(self.child(item, quiet)?);
                }
            }
            waiting.clear();
        }
        for item in waiting {
            children.push(self.child(item, quiet)?);
        }
        Ok(match children.as_slice() {
            [only] => Step::Same(*only),
            _ => Step::Sequence(children),
        })
    }

    /// The set of an expression that matches exactly one character and makes no part.
    fn characters(&self, expr: &Expr, quiet: bool, depth: u32) -> Option<CharSet> {
        if depth > 24 {
            return None;
        }
        let one = |text: &str| {
            let mut chars = text.chars();
            chars.next().filter(|_| chars.next().is_none())
        };
        match expr {
            Expr::Str(text) => one(text).map(|c| CharSet::range(c, c)),
            Expr::Insens(text) => one(text).map(|c| {
                let (low, high) = (c.to_ascii_lowercase(), c.to_ascii_uppercase());
                CharSet::range(low, low).or(&CharSet::range(high, high))
            }),
            Expr::Range(first, last) => Some(CharSet::range(one(first)?, one(last)?)),
            Expr::Ident(name) => {
                if let Some(set) = builtin(name) {
                    return Some(set);
                }
                let rule = self.rules.get(name.as_str())?;
                (quiet || rule.ty == RuleType::Silent)
                    .then(|| self.characters(&rule.expr, quiet || rule.ty == RuleType::Atomic, depth + 1))?
            }
            Expr::Choice(left, right) => {
                let left = self.characters(left, quiet, depth + 1)?;
                Some(left.or(&self.characters(right, quiet, depth + 1)?))
            }
            Expr::Seq(..) => {
                let mut items = Vec::new();
                flatten(expr, &mut items);
                let (last, before) = items.split_last()?;
                let mut set = self.characters(last, quiet, depth + 1)?;
                for item in before {
                    set = match item {
                        Expr::NegPred(inner) => {
                            set.and(&self.characters(inner, true, depth + 1)?.complement())
                        }
                        Expr::PosPred(inner) => set.and(&self.characters(inner, true, depth + 1)?),
                        _ => return None,
                    };
                }
                Some(set)
            }
            _ => None,
        }
    }

    /// Replaces steps that are the same as others by those.
    fn resolve(&mut self) {
        let target = |steps: &[Step], mut index: usize| {
            while let Step::Same(next) = &steps[index] {
                index = *next;
            }
            index
        };
        for index in 0..self.steps.len() {
            let mut step = self.steps[index].clone();
            match &mut step {
                Step::Sequence(children) | Step::Choice(children) => {
                    for child in children {
                        *child = target(&self.steps, *child);
                    }
                }
                Step::Repeat(child, ..) | Step::Not(child) | Step::And(child) | Step::Part(_, child) => {
                    *child = target(&self.steps, *child);
                }
                _ => {}
            }
            self.steps[index] = step;
        }
    }

    /// How every step begins: the least solution, found by going round until nothing is added.
    fn begins(&self) -> Vec<Begin> {
        let mut known = vec![Begin::default(); self.steps.len()];
        let mut changed = true;
        while changed {
            changed = false;
            for index in 0..self.steps.len() {
                let begin = self.begin(index, &known);
                if begin != known[index] {
                    known[index] = begin;
                    changed = true;
                }
            }
        }
        known
    }

    fn begin(&self, index: usize, known: &[Begin]) -> Begin {
        let takes = |takes| Begin { takes, empty: Symbols::NONE };
        let empty = |empty| Begin { takes: Symbols::NONE, empty };
        match &self.steps[index] {
            Step::Char(set) => takes(first_bytes(&self.sets[*set])),
            Step::Text(text) if text.is_empty() => empty(Symbols::ALL),
            Step::Text(text) => takes(Symbols::of(text.bytes().next())),
            Step::TextAnyCase(text) => {
                let first = text.bytes().next();
                takes(Symbols::of(first.into_iter().flat_map(|byte| [byte, byte.to_ascii_uppercase()])))
            }
            Step::Sequence(children) => children.iter().fold(empty(Symbols::ALL), |begin, child| {
                let next = known[*child];
                Begin {
                    takes: begin.takes.or(begin.empty.and(next.takes)),
                    empty: begin.empty.and(next.empty),
                }
            }),
            Step::Choice(children) => children.iter().fold(Begin::default(), |begin, child| Begin {
                takes: begin.takes.or(known[*child].takes),
                empty: begin.empty.or(known[*child].empty),
            }),
            Step::Repeat(child, min, _) => {
                let empty = if *min == 0 { Symbols::ALL } else { known[*child].empty };
                Begin { takes: known[*child].takes, empty }
            }
            Step::Not(child) => empty(Symbols::ALL.without(self.surely(*child))),
            Step::And(child) => empty(known[*child].all()),
            Step::Part(_, child) | Step::Same(child) => known[*child],
            Step::Start => empty(Symbols::ALL),
            Step::End => empty(Symbols::END),
        }
    }

    /// Symbols with which a step surely succeeds.
    fn surely(&self, index: usize) -> Symbols {
        match &self.steps[index] {
            Step::Char(set) => Symbols::of((0..128).filter(|code| self.sets[*set].has(u32::from(*code)))),
            Step::End => Symbols::END,
            Step::Choice(children) => {
                children.iter().fold(Symbols::NONE, |symbols, child| symbols.or(self.surely(*child)))
            }
            _ => Symbols::NONE,
        }
    }

    /// Bytes with which a step surely takes that byte, no more, and makes no part.
    fn one_by_one(&self, index: usize, begins: &[Begin]) -> Symbols {
        match &self.steps[index] {
            Step::Char(_) => self.surely(index),
            Step::Sequence(children) => {
                let Some((last, before)) = children.split_last() else { return Symbols::NONE };
                before.iter().fold(self.one_by_one(*last, begins), |bytes, child| {
                    let refused = match &self.steps[*child] {
                        Step::Not(inner) => begins[*inner].all(),
                        _ => Symbols::ALL,
                    };
                    bytes.without(refused)
                })
            }
            Step::Choice(children) => {
                let mut bytes = Symbols::NONE;
                let mut before = Symbols::NONE;
                for child in children {
                    bytes = bytes.or(self.one_by_one(*child, begins).without(before));
                    before = before.or(begins[*child].all());
                }
                bytes
            }
            _ => Symbols::NONE,
        }
    }

    fn write(&self, name: &str, document: usize, statement: usize) -> String {
        let begins = self.begins();
        let mut tables: Vec<Symbols> = Vec::new();
        let mut table = |symbols: Symbols| {
            tables.iter().position(|known| *known == symbols).unwrap_or_else(|| {
                tables.push(symbols);
                tables.len() - 1
            })
        };
        let upper = name.to_uppercase();
        let mut steps = String::new();
        for (index, step) in self.steps.iter().enumerate() {
            let first = format!("&{upper}_SYMBOLS[{}]", table(begins[index].all()));
            let step = match step {
                Step::Char(set) => format!("Char(&{upper}_SETS[{set}])"),
                Step::Text(text) => format!("Text({text:?})"),
                Step::TextAnyCase(text) => format!("TextAnyCase({text:?})"),
                Step::Sequence(children) => format!("Sequence(&{children:?})"),
                Step::Choice(children) => format!("Choice(&{children:?})"),
                Step::Repeat(child, min, max) => {
                    let quick = table(self.one_by_one(*child, &begins));
                    let quick = format!("&{upper}_SYMBOLS[{quick}]");
                    format!("Repeat {{ step: {child}, min: {min}, max: {max}, quick: {quick} }}")
                }
                Step::Not(child) => format!("Not({child})"),
                Step::And(child) => format!("And({child})"),
                Step::Part(name, child) => {
                    let fault = ["err_", "raw_"].iter().any(|mark| self.names[*name].starts_with(mark));
                    format!("{}({name}, {child})", if fault { "Fault" } else { "Part" })
                }
                Step::Start => "Start".to_owned(),
                Step::End => "End".to_owned(),
                Step::Same(child) => format!("Sequence(&[{child}])"),
            };
            let _ = writeln!(steps, "        Step {{ first: {first}, form: Form::{step} }},");
        }
        let mut sets = String::new();
        for set in &self.sets {
            let ascii: u128 = (0..128).filter(|code| set.has(*code)).fold(0, |bits, code| bits | 1 << code);
            let wide = set.and(&CharSet::range('\u{80}', char::MAX));
            let _ = writeln!(sets, "        CharSet {{ ascii: {ascii:#x}, wide: &{:?} }},", wide.ranges());
        }
        let mut firsts = String::new();
        for Symbols { bytes: [low, high], end } in &tables {
            let quarters = [*low as u64, (low >> 64) as u64, *high as u64, (high >> 64) as u64];
            let _ = writeln!(firsts, "        Symbols {{ bytes: {quarters:?}, end: {end} }},");
        }
        format!(
            "static {upper}_SETS: [CharSet; {}] = [\n{sets}];\n\
             static {upper}_SYMBOLS: [Symbols; {}] = [\n{firsts}];\n\
             pub(crate) static {upper}: Grammar = Grammar {{\n    names: &{:?},\n    steps: &[\n{steps}    ],\n    \
             document: {document},\n    statement: {statement},\n}};\n",
            self.sets.len(),
            tables.len(),
            self.names
        )
    }
}

/// First bytes of a set's characters.
fn first_bytes(set: &CharSet) -> Symbols {
    let lead = |code: u32| {
        // Surrogates are no characters.
        let code = if (0xD800..0xE000).contains(&code) { 0xE000 } else { code };
        let mut bytes = [0; 4];
        char::from_u32(code).map_or(0, |c| c.encode_utf8(&mut bytes).as_bytes()[0])
    };
    let ranges = set.ranges().iter().map(|(first, last)| Symbols::of(lead(*first)..=lead(*last)));
    ranges.fold(Symbols::NONE, Symbols::or)
}

fn builtin(name: &str) -> Option<CharSet> {
    let range = CharSet::range;
    Some(match name {
        "ANY" => CharSet::any(),
        "ASCII" => range('\0', '\x7F'),
        "ASCII_DIGIT" => range('0', '9'),
        "ASCII_ALPHA_LOWER" => range('a', 'z'),
        "ASCII_ALPHA_UPPER" => range('A', 'Z'),
        "ASCII_ALPHA" => range('a', 'z').or(&range('A', 'Z')),
        "ASCII_ALPHANUMERIC" => range('a', 'z').or(&range('A', 'Z')).or(&range('0', '9')),
        "ASCII_HEX_DIGIT" => range('a', 'f').or(&range('A', 'F')).or(&range('0', '9')),
        "LETTER" => {
            static LETTERS: OnceLock<CharSet> = OnceLock::new();
            LETTERS.get_or_init(|| CharSet::of(pest::unicode::LETTER)).clone()
        }
        _ => return None,
    })
}

fn flatten<'e>(expr: &'e Expr, items: &mut Vec<&'e Expr>) {
    match expr {
        Expr::Seq(left, right) => {
            flatten(left, items);
            flatten(right, items);
        }
        _ => items.push(expr),
    }
}

fn alternatives<'e>(expr: &'e Expr, list: &mut Vec<&'e Expr>) {
    match expr {
        Expr::Choice(left, right) => {
            alternatives(left, list);
            alternatives(right, list);
        }
        _ => list.push(expr),
    }
}
