//! Compiled grammars as Rust source.

use std::fmt::Write as _;

use proofmark_peg::{Form, Grammar, Program, Slice};

/// A static with the tables of a grammar.
pub(crate) fn source(name: &str, grammar: &Grammar) -> String {
    let names: String = grammar.names.iter().map(|name| format!("Borrowed({name:?}), ")).collect();
    let starts: String =
        grammar.starts.iter().map(|(name, step)| format!("(Borrowed({name:?}), {step}), ")).collect();
    let mut steps = String::new();
    for step in grammar.steps.iter() {
        let _ = writeln!(steps, "        Step {{ first: {}, form: Form::{} }},", step.first, form(step.form));
    }
    let mut symbols = String::new();
    for table in grammar.symbols.iter() {
        let _ = writeln!(symbols, "        Symbols {{ bytes: {:?}, end: {} }},", table.bytes, table.end);
    }
    let mut sets = String::new();
    for set in grammar.sets.iter() {
        let _ = writeln!(sets, "        CharSet {{ ascii: {:#x}, wide: {} }},", set.ascii, slice(set.wide));
    }
    format!(
        "pub(crate) static {}: Grammar = Grammar {{\n    names: Borrowed(&[{names}]),\n    \
         starts: Borrowed(&[{starts}]),\n    steps: Borrowed(&[\n{steps}    ]),\n    \
         children: Borrowed(&{:?}),\n    strings: Borrowed({:?}),\n    \
         symbols: Borrowed(&[\n{symbols}    ]),\n    sets: Borrowed(&[\n{sets}    ]),\n    \
         ranges: Borrowed(&{:?}),\n    program: {},\n}};\n",
        name.to_uppercase(),
        grammar.children,
        grammar.strings,
        grammar.ranges,
        program(&grammar.program),
    )
}

/// A module with a constant for each rule that makes matches, its number: comparing numbers takes less than comparing names.
pub(crate) fn rules(name: &str, grammar: &Grammar) -> String {
    let mut constants = String::new();
    for (number, rule) in grammar.names().enumerate() {
        let _ = writeln!(constants, "        pub(crate) const {}: u16 = {number};", rule.to_uppercase());
    }
    format!("    pub(crate) mod {name} {{\n{constants}    }}\n")
}

fn program(Program { ops, starts, classes, jumps, calls }: &Program) -> String {
    let ops: String = ops.iter().map(|op| format!("Op::{op:?}, ")).collect();
    format!(
        "Program {{\n    ops: Borrowed(&[{ops}]),\n    starts: Borrowed(&{starts:?}),\n    \
         classes: Borrowed(&{classes:?}),\n    jumps: Borrowed(&{jumps:?}),\n    calls: {calls},\n}}"
    )
}

fn slice(Slice { start, len }: Slice) -> String {
    format!("Slice {{ start: {start}, len: {len} }}")
}

fn form(form: Form) -> String {
    match form {
        Form::Char(set) => format!("Char({set})"),
        Form::Text(text) => format!("Text({})", slice(text)),
        Form::TextAnyCase(text) => format!("TextAnyCase({})", slice(text)),
        Form::Sequence(steps) => format!("Sequence({})", slice(steps)),
        Form::Choice(steps) => format!("Choice({})", slice(steps)),
        plain => format!("{plain:?}"),
    }
}
