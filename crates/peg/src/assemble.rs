//! From steps to instructions.

use std::collections::{BTreeMap, HashMap};

use super::{
    Form, Grammar, Symbols,
    limits::DEPTH,
    program::{Op, Program},
};

/// Most instructions of a step that are written again rather than called, where several steps use it: a call takes as long as
/// several instructions, and each copy is only a few bytes.
const COPIED: u32 = 24;

/// Most instructions of a step that are written where the step is used, and not called.
const INLINE: u32 = 1000;

/// Most turns of a repetition that are written one after the other.
const WRITTEN: u32 = 16;

/// Choices of more alternatives than this jump to the one that may fit.
const TESTED: usize = 2;

/// The instructions of a grammar; none where it uses the stack, or would have too many of them.
pub(super) fn assemble(grammar: &Grammar) -> Program {
    let mut assembler = Assembler::new(grammar);
    assembler.program().unwrap_or_default()
}

/// The grammar cannot be instructions: it is read step by step.
struct Unsuited;

/// An instruction that jumps to one of several alternatives.
struct Switch {
    /// Its address.
    at: usize,
    /// What each alternative may begin with, and its address.
    ways: Vec<(u16, u16)>,
    /// The address to go to where none of the alternatives may begin.
    none: u16,
}

struct Assembler<'g> {
    grammar: &'g Grammar,
    /// How many steps use each step.
    uses: Vec<u32>,
    ops: Vec<Op>,
    switches: Vec<Switch>,
    /// Addresses of the steps that are called.
    called: HashMap<u16, u16>,
    /// Calls whose addresses are not known yet.
    waiting: Vec<(usize, u16)>,
    /// How deep the reader of steps is inside of what is being written, and at most.
    depth: u32,
    deepest: u32,
}

impl<'g> Assembler<'g> {
    fn new(grammar: &'g Grammar) -> Self {
        let mut uses = vec![0; grammar.steps.len()];
        let mut add = |step: u16| uses[usize::from(step)] += 1;
        for step in grammar.steps.iter() {
            match step.form {
                Form::Sequence(list) | Form::Choice(list) => {
                    list.of(&grammar.children).iter().copied().for_each(&mut add);
                }
                Form::Repeat { step, .. }
                | Form::Not(step)
                | Form::And(step)
                | Form::Push(step)
                | Form::Part(_, step)
                | Form::Token(_, step)
                | Form::Fault(_, step) => add(step),
                _ => {}
            }
        }
        Self {
            grammar,
            uses,
            ops: Vec::new(),
            switches: Vec::new(),
            called: HashMap::new(),
            waiting: Vec::new(),
            depth: 0,
            deepest: 0,
        }
    }

    fn program(&mut self) -> Result<Program, Unsuited> {
        let mut starts = Vec::new();
        for (_, step) in self.grammar.starts.iter() {
            starts.push(self.here()?);
            self.call(*step)?;
            self.emit(Op::Done)?;
        }
        while let Some((call, step)) = self.waiting.pop() {
            let to = match self.called.get(&step) {
                Some(to) => *to,
                None => self.called_step(step)?,
            };
            self.ops[call] = Op::Call { to };
        }
        let (jumps, classes) = self.jumps()?;
        // Inside a call the reader of steps is at most so deep.
        let calls = (DEPTH / (self.deepest + 1)).saturating_sub(1);
        let (ops, starts) = (std::mem::take(&mut self.ops).into(), starts.into());
        Ok(Program { ops, starts, classes: classes.into(), jumps: jumps.into(), calls })
    }

    /// Writes a step that is called; gives its address.
    fn called_step(&mut self, step: u16) -> Result<u16, Unsuited> {
        let to = self.here()?;
        self.called.insert(step, to);
        self.body(step)?;
        self.emit(Op::Return)?;
        Ok(to)
    }

    fn here(&self) -> Result<u16, Unsuited> {
        u16::try_from(self.ops.len()).map_err(|_| Unsuited)
    }

    fn emit(&mut self, op: Op) -> Result<usize, Unsuited> {
        self.here()?;
        self.ops.push(op);
        Ok(self.ops.len() - 1)
    }

    /// Lets an instruction lead to the next one that is written.
    fn land(&mut self, at: usize) -> Result<(), Unsuited> {
        let here = self.here()?;
        match &mut self.ops[at] {
            Op::Test { other: to, .. }
            | Op::Choice { other: to }
            | Op::Try { other: to, .. }
            | Op::Commit { to }
            | Op::Jump { to }
            | Op::Back { to }
            | Op::Take { to, .. }
            | Op::Turn { end: to, .. } => *to = here,
            _ => {}
        }
        Ok(())
    }

    fn first(&self, step: u16) -> u16 {
        self.grammar.steps[usize::from(step)].first
    }

    fn symbols(&self, number: u16) -> &'g Symbols {
        &self.grammar.symbols[usize::from(number)]
    }

    /// Writes that the machine goes elsewhere where a step cannot begin; nothing where it always can.
    fn test(&mut self, step: u16) -> Result<Option<usize>, Unsuited> {
        let symbols = self.first(step);
        let Symbols { bytes, end } = self.symbols(symbols);
        if *end && bytes.iter().all(|bits| *bits == u64::MAX) {
            return Ok(None);
        }
        self.emit(Op::Test { symbols, other: 0 }).map(Some)
    }

    /// Writes that failing leads elsewhere, as does a byte with which a step cannot begin.
    fn attempt(&mut self, step: u16) -> Result<usize, Unsuited> {
        match self.test(step)? {
            None => self.emit(Op::Choice { other: 0 }),
            Some(test) => {
                self.ops[test] = Op::Try { symbols: self.first(step), other: 0 };
                Ok(test)
            }
        }
    }

    /// About how many instructions a step takes, up to a limit.
    fn size(&self, step: u16, limit: u32) -> u32 {
        let all = |list: &[u16], each: u32| {
            list.iter().fold(1, |size, step| {
                if size > limit { size } else { size + each + self.size(*step, limit - size) }
            })
        };
        match self.grammar.steps[usize::from(step)].form {
            _ if limit == 0 => 1,
            Form::Sequence(list) => all(list.of(&self.grammar.children), 0),
            Form::Choice(list) => all(list.of(&self.grammar.children), 3),
            Form::Repeat { step, .. } => 4 + self.size(step, limit - 1),
            Form::Not(step) | Form::And(step) => 3 + self.size(step, limit - 1),
            Form::Part(_, step) | Form::Token(_, step) | Form::Fault(_, step) => {
                2 + self.size(step, limit - 1)
            }
            _ => 1,
        }
    }

    /// Writes a step, or a call of it. A step that is written `often` is like one that several steps use.
    fn step(&mut self, step: u16, often: bool) -> Result<(), Unsuited> {
        let limit = if often || self.uses[usize::from(step)] > 1 { COPIED } else { INLINE };
        if self.size(step, limit) > limit { self.call(step) } else { self.body(step) }
    }

    fn call(&mut self, step: u16) -> Result<(), Unsuited> {
        let call = self.emit(Op::Call { to: 0 })?;
        self.waiting.push((call, step));
        Ok(())
    }

    /// Writes what matches a step, where the reader of steps is one deeper.
    fn inside(&mut self, write: impl FnOnce(&mut Self) -> Result<(), Unsuited>) -> Result<(), Unsuited> {
        self.depth += 1;
        self.deepest = self.deepest.max(self.depth);
        write(self)?;
        self.depth -= 1;
        Ok(())
    }

    fn body(&mut self, step: u16) -> Result<(), Unsuited> {
        let children = &self.grammar.children;
        match self.grammar.steps[usize::from(step)].form {
            Form::Char(set) => self.emit(Op::Char { symbols: self.first(step), set }).map(drop),
            Form::Text(text) => self.emit(Op::Text { len: short(text.len)?, start: text.start }).map(drop),
            Form::TextAnyCase(text) => {
                self.emit(Op::TextAnyCase { len: short(text.len)?, start: text.start }).map(drop)
            }
            Form::Sequence(list) => {
                let mut steps = list.of(children).iter();
                self.inside(|own| steps.try_for_each(|step| own.step(*step, false)))
            }
            Form::Choice(list) => self.inside(|own| own.choice(list.of(children))),
            Form::Repeat { step, quick, min, max } => self.repeat(step, quick, min, max),
            Form::Not(inner) => self.not(inner),
            Form::And(inner) => self.and(inner),
            Form::Part(rule, inner) | Form::Token(rule, inner) | Form::Fault(rule, inner) => {
                self.inside(|own| {
                    own.emit(Op::Open { rule })?;
                    own.step(inner, false)?;
                    own.emit(Op::Close).map(drop)
                })
            }
            Form::Start => self.emit(Op::Start).map(drop),
            Form::End => self.emit(Op::End).map(drop),
            Form::Push(_)
            | Form::Peek
            | Form::PeekSlice(..)
            | Form::PeekAll
            | Form::Pop
            | Form::PopAll
            | Form::Drop => Err(Unsuited),
        }
    }

    /// Whether a step takes one byte, and no more, wherever it may begin.
    fn takes_one_byte(&self, step: u16) -> bool {
        let Symbols { bytes, end } = self.symbols(self.first(step));
        if *end || bytes[2] | bytes[3] != 0 {
            return false;
        }
        match self.grammar.steps[usize::from(step)].form {
            Form::Char(_) => true,
            Form::Text(text) => text.len == 1,
            Form::Choice(list) => {
                list.of(&self.grammar.children).iter().all(|child| self.takes_one_byte(*child))
            }
            _ => false,
        }
    }

    /// Writes a step that may begin here, as a test has shown.
    fn tested(&mut self, step: u16, often: bool) -> Result<(), Unsuited> {
        if self.takes_one_byte(step) { self.emit(Op::Skip).map(drop) } else { self.step(step, often) }
    }

    fn not(&mut self, inner: u16) -> Result<(), Unsuited> {
        if self.takes_one_byte(inner) {
            let test = self.test(inner)?;
            self.emit(Op::Fail)?;
            return test.map_or(Ok(()), |test| self.land(test));
        }
        let attempt = self.attempt(inner)?;
        self.step(inner, false)?;
        self.emit(Op::FailTwice)?;
        self.land(attempt)
    }

    fn and(&mut self, inner: u16) -> Result<(), Unsuited> {
        let (other, found) = if self.takes_one_byte(inner) {
            (self.test(inner)?, self.emit(Op::Jump { to: 0 })?)
        } else {
            let attempt = self.attempt(inner)?;
            self.step(inner, false)?;
            (Some(attempt), self.emit(Op::Back { to: 0 })?)
        };
        if let Some(other) = other {
            self.land(other)?;
        }
        self.emit(Op::Fail)?;
        self.land(found)
    }

    fn choice(&mut self, children: &[u16]) -> Result<(), Unsuited> {
        if children.len() > TESTED {
            return self.switched(children);
        }
        let mut ends = Vec::new();
        for (index, child) in children.iter().enumerate() {
            let later = &children[index + 1..];
            if later.is_empty() {
                self.step(*child, false)?;
            } else if self.may_begin_alike(*child, later) {
                let attempt = self.attempt(*child)?;
                self.step(*child, false)?;
                ends.push(self.emit(Op::Commit { to: 0 })?);
                self.land(attempt)?;
            } else {
                let test = self.test(*child)?;
                self.tested(*child, false)?;
                ends.push(self.emit(Op::Jump { to: 0 })?);
                test.map_or(Ok(()), |test| self.land(test))?;
            }
        }
        ends.into_iter().try_for_each(|end| self.land(end))
    }

    /// Writes a choice that jumps to the first alternative that may begin here, and from one that fails to the next such.
    fn switched(&mut self, children: &[u16]) -> Result<(), Unsuited> {
        let mut switches = vec![(self.emit(Op::Switch { table: 0 })?, 0)];
        let mut ways = Vec::new();
        let mut ends = Vec::new();
        for (index, child) in children.iter().enumerate() {
            ways.push((self.first(*child), self.here()?));
            if self.may_begin_alike(*child, &children[index + 1..]) {
                let choice = self.emit(Op::Choice { other: 0 })?;
                self.step(*child, false)?;
                ends.push(self.emit(Op::Commit { to: 0 })?);
                self.land(choice)?;
                switches.push((self.emit(Op::Switch { table: 0 })?, index + 1));
            } else {
                self.tested(*child, false)?;
                ends.push(self.emit(Op::Jump { to: 0 })?);
            }
        }
        let none = self.here()?;
        self.emit(Op::Fail)?;
        for (at, first) in switches {
            self.switches.push(Switch { at, ways: ways[first..].to_vec(), none });
        }
        ends.into_iter().try_for_each(|end| self.land(end))
    }

    /// Whether one of the later alternatives may fit where a step begins and fails.
    fn may_begin_alike(&self, step: u16, later: &[u16]) -> bool {
        let first = self.symbols(self.first(step));
        !self.takes_one_byte(step)
            && later.iter().any(|other| first.overlaps(self.symbols(self.first(*other))))
    }

    fn repeat(&mut self, step: u16, quick: u16, min: u32, max: u32) -> Result<(), Unsuited> {
        let often = max > 1;
        let written = if max == u32::MAX { min } else { max };
        if written > WRITTEN {
            return Err(Unsuited);
        }
        for _ in 0..min {
            let take = self.take(quick)?;
            self.step(step, often)?;
            take.map_or(Ok(()), |take| self.land(take))?;
        }
        if max == u32::MAX {
            return self.repeat_endlessly(step, quick, often);
        }
        let mut ends = Vec::new();
        for _ in min..max {
            self.optional(step, quick, often, &mut ends)?;
        }
        ends.into_iter().try_for_each(|end| self.land(end))
    }

    /// Writes that a byte of what a step surely takes one by one is taken, and the step left out.
    fn take(&mut self, quick: u16) -> Result<Option<usize>, Unsuited> {
        if self.symbols(quick).bytes == [0; 4] {
            return Ok(None);
        }
        self.emit(Op::Take { symbols: quick, to: 0 }).map(Some)
    }

    /// Whether a step takes bytes one by one, whatever it begins with.
    fn is_quick(&self, step: u16, quick: u16) -> bool {
        self.takes_one_byte(step) && self.symbols(quick).bytes == self.symbols(self.first(step)).bytes
    }

    /// Writes a step that may be left out; `ends` are the instructions that lead to what comes after the repetition.
    fn optional(
        &mut self,
        step: u16,
        quick: u16,
        often: bool,
        ends: &mut Vec<usize>,
    ) -> Result<(), Unsuited> {
        let take = self.take(quick)?;
        if take.is_some() && self.is_quick(step, quick) {
            let end = self.emit(Op::Jump { to: 0 })?;
            ends.push(end);
        } else {
            ends.push(self.attempt(step)?);
            self.step(step, often)?;
            let next = self.here()?.checked_add(1).ok_or(Unsuited)?;
            ends.push(self.emit(Op::Turn { to: next, end: 0 })?);
        }
        take.map_or(Ok(()), |take| self.land(take))
    }

    fn repeat_endlessly(&mut self, step: u16, quick: u16, often: bool) -> Result<(), Unsuited> {
        let start = self.here()?;
        if self.symbols(quick).bytes != [0; 4] {
            self.emit(Op::Span { symbols: quick })?;
            if self.is_quick(step, quick) {
                return Ok(());
            }
        }
        let attempt = self.attempt(step)?;
        self.step(step, often)?;
        let turn = self.emit(Op::Turn { to: start, end: 0 })?;
        self.land(turn)?;
        self.land(attempt)
    }

    /// The tables of all switches, and the classes of bytes that they are in order of.
    fn jumps(&mut self) -> Result<(Vec<u16>, Vec<u8>), Unsuited> {
        let used = self.switches.iter().flat_map(|switch| switch.ways.iter().map(|(symbols, _)| *symbols));
        let used: BTreeMap<u16, Symbols> = used.map(|number| (number, *self.symbols(number))).collect();
        let (count, classes) = classes(&used.into_values().collect::<Vec<_>>());
        let members = (0..count).map(|class| classes.iter().position(|of| *of == class).unwrap_or_default());
        let members: Vec<usize> = members.collect();
        let mut jumps = Vec::with_capacity(self.switches.len() * members.len());
        for Switch { at, ways, none } in std::mem::take(&mut self.switches) {
            self.ops[at] = Op::Switch { table: u32::try_from(jumps.len()).map_err(|_| Unsuited)? };
            for member in &members {
                let byte = u8::try_from(*member).ok();
                let fits = |symbols: &Symbols| byte.map_or(symbols.end, |byte| symbols.has_byte(byte));
                let way = ways.iter().find(|(symbols, _)| fits(self.symbols(*symbols)));
                jumps.push(way.map_or(none, |(_, address)| *address));
            }
        }
        let classes = classes.into_iter().map(|class| u8::try_from(class).map_err(|_| Unsuited));
        Ok((jumps, classes.collect::<Result<_, _>>()?))
    }
}

fn short(number: u32) -> Result<u16, Unsuited> {
    u16::try_from(number).map_err(|_| Unsuited)
}

/// Number of classes, and the class of each byte and of the end of the text: two of a class are in the same tables.
fn classes(tables: &[Symbols]) -> (usize, Vec<usize>) {
    let mut classes = vec![0; usize::from(u8::MAX) + 2];
    let mut count = 1;
    for table in tables {
        // Whatever the table distinguishes goes to a class of its own.
        let mut split: Vec<Option<usize>> = vec![None; count];
        let mut fits: Vec<Option<bool>> = vec![None; count];
        for (byte, class) in classes.iter_mut().enumerate() {
            let has = u8::try_from(byte).map_or(table.end, |byte| table.has_byte(byte));
            if *fits[*class].get_or_insert(has) != has {
                *class = *split[*class].get_or_insert_with(|| {
                    count += 1;
                    count - 1
                });
            }
        }
    }
    (count, classes)
}
