//! From steps to flat tables.

use std::borrow::Cow;

use super::{
    CharSet, Form, Grammar, Program, Slice, Step, Symbols,
    assemble::assemble,
    begin::{begins, one_by_one},
    charset::Characters,
    draft::{Draft, Drafts},
};

/// Puts a grammar into tables; the error is the limit that they do not keep.
pub(super) fn link(drafts: &Drafts, errors: &[&str]) -> Result<Grammar, &'static str> {
    let begins = begins(drafts);
    let mut tables = Tables::default();
    let mut steps = Vec::with_capacity(drafts.steps.len());
    for (index, draft) in drafts.steps.iter().enumerate() {
        let first = tables.symbols(begins[index].all().symbols())?;
        let form = match draft {
            Draft::Char(set) => Form::Char(number(*set)?),
            Draft::Text(text) => Form::Text(tables.string(text)?),
            Draft::TextAnyCase(text) => Form::TextAnyCase(tables.string(text)?),
            Draft::Sequence(children) => Form::Sequence(tables.children(children)?),
            Draft::Choice(children) => Form::Choice(tables.children(children)?),
            Draft::Repeat(step, min, max) => {
                let quick = tables.symbols(one_by_one(drafts, *step, &begins).symbols())?;
                Form::Repeat { step: number(*step)?, quick, min: *min, max: *max }
            }
            Draft::Not(step) => Form::Not(number(*step)?),
            Draft::And(step) => Form::And(number(*step)?),
            Draft::Part { name, body, token } => {
                let (rule, body) = (number(*name)?, number(*body)?);
                if errors.iter().any(|start| drafts.names[*name].starts_with(start)) {
                    Form::Fault(rule, body)
                } else if *token {
                    Form::Token(rule, body)
                } else {
                    Form::Part(rule, body)
                }
            }
            Draft::Push(step) => Form::Push(number(*step)?),
            Draft::Peek => Form::Peek,
            Draft::PeekSlice(from, to) => Form::PeekSlice(*from, *to),
            Draft::PeekAll => Form::PeekAll,
            Draft::Pop => Form::Pop,
            Draft::PopAll => Form::PopAll,
            Draft::Drop => Form::Drop,
            Draft::Start => Form::Start,
            Draft::End => Form::End,
            Draft::Same(step) => Form::Sequence(tables.children(&[*step])?),
        };
        steps.push(Step { first, form });
    }
    let sets: Vec<CharSet> = drafts.sets.iter().map(|set| tables.set(set)).collect::<Result<_, _>>()?;
    let starts = drafts.starts.iter().map(|(name, step)| Ok((Cow::Owned(name.clone()), number(*step)?)));
    let mut grammar = Grammar {
        names: drafts.names.iter().map(|name| Cow::Owned(name.clone())).collect(),
        starts: starts.collect::<Result<_, &'static str>>()?,
        steps: steps.into(),
        children: tables.children.into(),
        strings: tables.strings.into(),
        symbols: tables.symbols.into(),
        sets: sets.into(),
        ranges: tables.ranges.into(),
        program: Program::default(),
    };
    grammar.program = assemble(&grammar);
    Ok(grammar)
}

#[derive(Default)]
struct Tables {
    children: Vec<u16>,
    strings: String,
    symbols: Vec<Symbols>,
    ranges: Vec<(u32, u32)>,
}

impl Tables {
    fn symbols(&mut self, symbols: Symbols) -> Result<u16, &'static str> {
        let known = self.symbols.iter().position(|known| *known == symbols);
        number(known.unwrap_or_else(|| {
            self.symbols.push(symbols);
            self.symbols.len() - 1
        }))
    }

    fn children(&mut self, children: &[usize]) -> Result<Slice, &'static str> {
        let start = self.children.len();
        for child in children {
            self.children.push(number(*child)?);
        }
        slice(start, children.len())
    }

    fn string(&mut self, text: &str) -> Result<Slice, &'static str> {
        let start = self.strings.find(text).unwrap_or_else(|| {
            self.strings.push_str(text);
            self.strings.len() - text.len()
        });
        slice(start, text.len())
    }

    fn set(&mut self, set: &Characters) -> Result<CharSet, &'static str> {
        let ascii = (0..128).filter(|code| set.has(*code)).fold(0, |bits, code| bits | 1 << code);
        let wide = set.and(&Characters::range('\u{80}', char::MAX));
        let start = self.ranges.len();
        self.ranges.extend_from_slice(wide.ranges());
        Ok(CharSet { ascii, wide: slice(start, wide.ranges().len())? })
    }
}

fn number(number: usize) -> Result<u16, &'static str> {
    u16::try_from(number).map_err(|_| "its tables have more than 65,535 rows")
}

fn slice(start: usize, len: usize) -> Result<Slice, &'static str> {
    let large = |_| "its tables have more than four thousand million rows";
    Ok(Slice { start: u32::try_from(start).map_err(large)?, len: u32::try_from(len).map_err(large)? })
}
