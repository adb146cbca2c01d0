use super::{CharSet, Form, Grammar, Match, Stuck, Symbols};
use crate::text::Span;

/// Effort that a text may take for every byte of it, on top of a fixed amount: many times what the worst
/// real texts need. A sequence and eight characters of a repetition are one each.
const EFFORT_A_BYTE: usize = 200;
const EFFORT_AT_LEAST: usize = 1_000_000;

/// How deep steps may be nested.
const DEPTH: u32 = 4_000;

pub(super) fn run(grammar: &Grammar, start: u16, text: &str) -> Result<Vec<Match>, Stuck> {
    let mut run = Run {
        grammar,
        text,
        bytes: text.as_bytes(),
        matches: Vec::with_capacity(text.len() / 4 + 8),
        left: EFFORT_AT_LEAST + text.len() * EFFORT_A_BYTE,
        depth: 0,
        refusing: 0,
        furthest: (0, 0),
    };
    match run.step(start, 0) {
        Some(_) if run.left > 0 => Ok(run.matches),
        _ => {
            let (at, rule) = run.furthest;
            let rule = grammar.names.get(usize::from(rule)).copied().unwrap_or_default();
            Err(Stuck { at, rule, exhausted: run.left == 0 })
        }
    }
}

struct Run<'t> {
    grammar: &'t Grammar,
    text: &'t str,
    bytes: &'t [u8],
    matches: Vec<Match>,
    /// Effort that is left.
    left: usize,
    depth: u32,
    /// How many negative look-aheads and error productions are being tried: what fails in them tells
    /// nothing.
    refusing: u32,
    /// The furthest place where a rule was missed, and its name.
    furthest: (usize, u16),
}

impl Run<'_> {
    /// Matches a step at an offset; gives the offset behind it.
    #[inline]
    fn step(&mut self, number: u16, at: usize) -> Option<usize> {
        let step = &self.grammar.steps[usize::from(number)];
        if step.first.has(self.bytes, at) {
            return self.form(&step.form, at);
        }
        if let Form::Part(name, _) | Form::Fault(name, _) = step.form {
            self.missed(name, at);
        }
        None
    }

    /// Matches a form that may begin with what comes next.
    fn form(&mut self, form: &Form, at: usize) -> Option<usize> {
        match *form {
            // What it may begin with says it all of a character of ASCII.
            Form::Char(_) if self.bytes.get(at).is_some_and(u8::is_ascii) => Some(at + 1),
            Form::Char(set) => match set.length(self.text, at) {
                0 => None,
                length => Some(at + length),
            },
            Form::Text(text) => self.bytes[at..].starts_with(text.as_bytes()).then(|| at + text.len()),
            Form::TextAnyCase(text) => {
                let head = self.bytes.get(at..at + text.len());
                let fits = head.is_some_and(|head| head.eq_ignore_ascii_case(text.as_bytes()));
                fits.then(|| at + text.len())
            }
            Form::Sequence(steps) => self.sequence(steps, at),
            Form::Choice(steps) => self.choice(steps, at),
            Form::Repeat { step, min, max, quick } => self.repeat(step, min, max, quick, at),
            Form::Not(step) => (!self.look(step, at, 1)).then_some(at),
            Form::And(step) => self.look(step, at, 0).then_some(at),
            Form::Part(name, step) => self.part(name, step, 0, at),
            // Error productions do not tell how far the text can be read either.
            Form::Fault(name, step) => self.part(name, step, 1, at),
            Form::Start => (at == 0).then_some(at),
            Form::End => (at == self.bytes.len()).then_some(at),
        }
    }

    /// A rule does not fit at an offset. What is less than a rule may look far ahead in vain, so that it
    /// tells nothing about how far the text can be read.
    fn missed(&mut self, name: u16, at: usize) {
        if at >= self.furthest.0 && self.refusing == 0 {
            self.furthest = (at, name);
        }
    }

    /// Every cycle of a grammar goes through a sequence, so that this is where effort is counted.
    fn sequence(&mut self, steps: &[u16], at: usize) -> Option<usize> {
        if self.left == 0 || self.depth == DEPTH {
            self.left = 0;
            return None;
        }
        self.left -= 1;
        self.depth += 1;
        let mut end = Some(at);
        for step in steps {
            end = self.step(*step, end.unwrap_or(at));
            if end.is_none() {
                break;
            }
        }
        self.depth -= 1;
        end
    }

    fn choice(&mut self, steps: &[u16], at: usize) -> Option<usize> {
        let mark = self.matches.len();
        for step in steps {
            if let Some(end) = self.step(*step, at) {
                return Some(end);
            }
            self.matches.truncate(mark);
        }
        None
    }

    fn repeat(&mut self, step: u16, min: u32, max: u32, quick: &Symbols, at: usize) -> Option<usize> {
        let mut end = at;
        let mut count = 0;
        while count < max {
            if quick.has(self.bytes, end) {
                end += 1;
                count += 1;
                continue;
            }
            let mark = self.matches.len();
            match self.step(step, end) {
                Some(next) if next > end || count < min => end = next,
                _ => {
                    self.matches.truncate(mark);
                    break;
                }
            }
            count += 1;
        }
        self.left = self.left.saturating_sub((end - at) / 8);
        (count >= min).then_some(end)
    }

    /// Whether a step matches, without going on behind it.
    fn look(&mut self, step: u16, at: usize, refusing: u32) -> bool {
        let first = self.grammar.steps[usize::from(step)].first;
        if refusing > 0 && !first.has(self.bytes, at) {
            return false;
        }
        let mark = self.matches.len();
        self.refusing += refusing;
        let found = self.step(step, at).is_some();
        self.refusing -= refusing;
        self.matches.truncate(mark);
        found
    }

    fn part(&mut self, name: u16, step: u16, refusing: u32, at: usize) -> Option<usize> {
        let index = self.matches.len();
        self.matches.push(Match { rule: name, span: Span::at(at), end: 0 });
        self.refusing += refusing;
        let end = self.step(step, at);
        self.refusing -= refusing;
        let Some(end) = end else {
            self.matches.truncate(index);
            self.missed(name, at);
            return None;
        };
        let after = self.matches.len() as u32;
        if let Some(made) = self.matches.get_mut(index) {
            made.span = Span::new(at, end);
            made.end = after;
        }
        Some(end)
    }
}

impl Symbols {
    #[inline]
    fn has(&self, text: &[u8], at: usize) -> bool {
        match text.get(at) {
            Some(byte) => self.bytes[usize::from(byte >> 6)] >> (byte & 63) & 1 == 1,
            None => self.end,
        }
    }
}

impl CharSet {
    /// Bytes of the character at an offset, if it is in the set; else 0.
    fn length(&self, text: &str, at: usize) -> usize {
        let Some(byte) = text.as_bytes().get(at) else { return 0 };
        if byte.is_ascii() {
            return usize::from(self.ascii >> byte & 1 == 1);
        }
        let Some(c) = text[at..].chars().next() else { return 0 };
        let code = c as u32;
        let next = self.wide.partition_point(|(_, last)| *last < code);
        let found = self.wide.get(next).is_some_and(|(first, _)| *first <= code);
        if found { c.len_utf8() } else { 0 }
    }
}
