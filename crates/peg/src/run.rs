use super::{
    CharSet, Form, Grammar, Slice, Step, Symbols,
    again::{Known, Trail, Turn},
    found::Match,
    limits::{DEPTH, EFFORT_AT_LEAST, EFFORT_PER_BYTE},
    machine::Outcome,
};
use crate::{budget, text::Span};

/// Steps of a grammar after which the budget of the validation is charged.
const CHARGED: u32 = 256;

/// Why text does not match.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stuck {
    /// The furthest offset at which a rule was tried in vain.
    pub at: usize,
    /// Number of that rule.
    pub rule: u16,
    /// Whether the text was given up because reading it took too much effort.
    pub exhausted: bool,
}

impl Grammar {
    /// Reads a whole text with a rule: matches in the order they start, each followed by those inside it.
    ///
    /// # Errors
    /// Where the text does not fit. A rule that the grammar was not compiled for fits nothing.
    pub fn read(&self, start: &str, text: &str) -> Result<Vec<Match>, Stuck> {
        let nowhere = Stuck { at: 0, rule: u16::MAX, exhausted: false };
        let number = self.starts.iter().position(|(name, _)| name == start).ok_or(nowhere)?;
        // Where the text does not fit, the steps say why.
        if let Outcome::Fits(matches) = self.run(number, text) {
            return Ok(matches);
        }
        self.read_by_steps(self.starts[number].1, text)
    }

    /// Like [`Self::read`], where no one asks why text does not fit.
    pub fn read_if_fits(&self, start: &str, text: &str) -> Option<Vec<Match>> {
        let number = self.starts.iter().position(|(name, _)| name == start)?;
        match self.run(number, text) {
            Outcome::Fits(matches) => Some(matches),
            Outcome::Differs => None,
            Outcome::Unknown => self.read_by_steps(self.starts[number].1, text).ok(),
        }
    }

    pub(super) fn read_by_steps(&self, step: u16, text: &str) -> Result<Vec<Match>, Stuck> {
        let mut run = Run::<false, false>::new(self, text);
        match run.step(step, 0) {
            Some(_) if run.left > 0 => Ok(run.matches),
            _ => {
                let (at, rule) = run.furthest;
                Err(Stuck { at, rule, exhausted: run.left == 0 })
            }
        }
    }

    /// The words of the language in text: strings of the grammar that matched outside of error productions.
    pub fn words(&self, start: &str, text: &str) -> Vec<Span> {
        let Some(step) = self.start(start) else { return Vec::new() };
        let mut run = Run::<true, true>::new(self, text);
        run.lookout.words = true;
        run.sure = usize::MAX;
        if run.step(step, 0).is_none() || run.left == 0 {
            return Vec::new();
        }
        run.matches.iter().filter(|found| found.rule == WORD).map(|found| found.span).collect()
    }

    /// Where text that does not match can be read up to, and what would match there: names of rules, and
    /// strings in backticks. This reads the text once more.
    pub fn expected(&self, start: &str, text: &str) -> (usize, Vec<String>) {
        let Some(step) = self.start(start) else { return (0, Vec::new()) };
        let mut run = Run::<true, true>::new(self, text);
        run.step(step, 0);
        (run.missing.at, run.missing.names)
    }
}

/// What may come after text that ends in the middle of a document.
pub struct Ahead<'g, 't> {
    grammar: &'g Grammar,
    /// The step that reads a whole text.
    start: Option<u16>,
    text: &'t str,
    found: Vec<Continuation>,
    trail: Trail,
    /// Whether the matches of each rule are not needed, by number of the rule.
    unwanted: Vec<bool>,
}

impl<'g, 't> Ahead<'g, 't> {
    /// Reads the text. `unread` is the rule that matches what no other rule does: after it, everything would be possible, so
    /// it does not count, and neither do error productions.
    pub fn new(grammar: &'g Grammar, start: &str, text: &'t str, unread: Option<u16>) -> Self {
        let start = grammar.start(start);
        let mut run = Run::<true, true>::new(grammar, text);
        run.lookout.end = Some(text.len());
        run.lookout.unread = unread;
        run.sure = text.len();
        run.trail = Some(Trail::default());
        let unwanted = vec![false; grammar.names.len()];
        run.wanted = Some(&unwanted);
        if let Some(start) = start {
            run.step(start, 0);
        }
        let (found, trail) = (run.lookout.found, run.trail.unwrap_or_default());
        Self { grammar, start, text, found, trail, unwanted }
    }

    /// Strings and rules that may come, in the order of the grammar.
    pub fn found(&self) -> &[Continuation] {
        &self.found
    }

    /// Whether a mark may come, and something after it.
    pub fn goes_on_after(&self, mark: &str) -> bool {
        let Some(start) = self.start else { return false };
        let text = format!("{}{mark}", self.text);
        let mut run = Run::<true, true>::new(self.grammar, &text);
        run.sure = text.len();
        run.wanted = Some(&self.unwanted);
        // Here, an error production may end where the text did.
        run.known = Some(Known::new(&self.trail, self.text, &text, 1));
        run.step(start, 0);
        run.missing.at >= text.len()
    }
}

/// Reads text that differs in one place, again and again, for the matches of some rules.
pub struct Trials<'g> {
    grammar: &'g Grammar,
    start: Option<u16>,
    /// Whether the matches of each rule are asked for, by number of the rule.
    wanted: Vec<bool>,
    /// The text that was read first.
    first: Option<(String, Trail)>,
}

impl<'g> Trials<'g> {
    /// Trials with a rule of the grammar, of which none has been run yet.
    pub fn new(grammar: &'g Grammar, start: &str, is_wanted: impl Fn(&str) -> bool) -> Self {
        let wanted = grammar.names().map(is_wanted).collect();
        Self { grammar, start: grammar.start(start), wanted, first: None }
    }

    /// The matches of the text, in the order they start; nothing where it does not fit. Which matches are inside others is not
    /// known.
    pub fn read(&mut self, text: &str) -> Option<Vec<Match>> {
        let mut run = Run::<false, true>::new(self.grammar, text);
        run.wanted = Some(&self.wanted);
        match &self.first {
            Some((first, trail)) => run.known = Some(Known::new(trail, first, text, 0)),
            None => run.trail = Some(Trail::default()),
        }
        let end = run.step(self.start?, 0);
        let found = end.is_some() && run.left > 0;
        let (matches, trail) = (run.matches, run.trail);
        if let Some(trail) = trail {
            self.first = Some((text.to_owned(), trail));
        }
        found.then_some(matches)
    }
}

/// What may come next in the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Continuation {
    /// A string of the grammar.
    Text(String),
    /// A rule, with the innermost one around it that makes matches.
    Rule {
        /// Number of the rule.
        rule: u16,
        /// Number of the rule around it.
        within: Option<u16>,
    },
    /// More of a rule that has begun, with the one around it.
    Rest {
        /// Number of the rule.
        rule: u16,
        /// Number of the rule around it.
        within: Option<u16>,
    },
}

/// Number of the matches that are words of the language, and not of rules.
const WORD: u16 = u16::MAX;

/// What editors ask for: words of the language, and what may come at the end of the text.
#[derive(Default)]
struct Lookout {
    words: bool,
    /// The end of the text, where what may come there is asked for.
    end: Option<usize>,
    /// The rule that matches what no other rule does.
    unread: Option<u16>,
    found: Vec<Continuation>,
    /// The rules that are being tried.
    open: Vec<u16>,
    /// Where the outermost token that is being read begins.
    token: usize,
}

impl Lookout {
    fn add(&mut self, continuation: Continuation) {
        if !self.found.contains(&continuation) {
            self.found.push(continuation);
        }
    }
}

/// What is different while a rule is tried.
#[derive(Clone, Copy, Default)]
struct Inside {
    token: u32,
    refusing: u32,
}

/// What would have fit at the furthest place.
#[derive(Default)]
struct Missing {
    at: usize,
    names: Vec<String>,
}

/// One reading of the text. With `EXPLAIN` it keeps what would have matched where the text did not; with `AGAIN` it can use
/// what is known of another text, or be of use to the next one.
struct Run<'t, const EXPLAIN: bool, const AGAIN: bool> {
    grammar: &'t Grammar,
    steps: &'t [Step],
    symbols: &'t [Symbols],
    children: &'t [u16],
    text: &'t str,
    bytes: &'t [u8],
    matches: Vec<Match>,
    /// Strings on the stack, each with the index of the one below it. What is popped stays in the list,
    /// so that backtracking needs only the old index of the top.
    stack: Vec<(Option<u32>, Span)>,
    top: Option<u32>,
    /// Effort that is left.
    left: usize,
    depth: u32,
    /// Steps of the grammar since the budget was charged.
    uncharged: u32,
    /// How many negative look-aheads and error productions are being tried: what fails in them says
    /// nothing.
    refusing: u32,
    /// How many tokens are being read: what fails in them is the token.
    tokens: u32,
    /// The furthest place where a rule was missed, and its number.
    furthest: (usize, u16),
    missing: Missing,
    lookout: Lookout,
    /// Before this place, what does not fit is of no interest, so that what cannot begin there is not tried.
    sure: usize,
    /// Up to where the text was looked at.
    seen: usize,
    /// The trail that this run leaves to others.
    trail: Option<Trail>,
    /// The trail that another run has left.
    known: Option<Known<'t>>,
    /// The rules whose matches are kept, where not all are.
    wanted: Option<&'t [bool]>,
}

impl<'t, const EXPLAIN: bool, const AGAIN: bool> Run<'t, EXPLAIN, AGAIN> {
    fn new(grammar: &'t Grammar, text: &'t str) -> Self {
        Self {
            grammar,
            steps: &grammar.steps,
            symbols: &grammar.symbols,
            children: &grammar.children,
            text,
            bytes: text.as_bytes(),
            // Reading may stop near the start of the text.
            matches: Vec::with_capacity((text.len() / 4 + 8).min(1024)),
            stack: Vec::new(),
            top: None,
            left: EFFORT_AT_LEAST + text.len() * EFFORT_PER_BYTE,
            depth: 0,
            uncharged: 0,
            refusing: 0,
            tokens: 0,
            furthest: (0, 0),
            missing: Missing::default(),
            lookout: Lookout::default(),
            sure: 0,
            seen: 0,
            trail: None,
            known: None,
            wanted: None,
        }
    }

    /// Notes that the text is looked at up to an offset.
    #[inline]
    fn look_at(&mut self, end: usize) {
        if AGAIN && end > self.seen {
            self.seen = end;
        }
    }

    /// Matches a step at an offset; gives the offset after it.
    #[inline(always)]
    #[expect(
        clippy::inline_always,
        reason = "most steps cannot begin where they are tried, or are characters: no calls"
    )]
    fn step(&mut self, number: u16, at: usize) -> Option<usize> {
        let steps = self.steps;
        let Step { first, form } = &steps[usize::from(number)];
        self.look_at(at + 1);
        let is_sure = !EXPLAIN || at < self.sure;
        if is_sure && !self.symbols[usize::from(*first)].has(self.bytes, at) {
            if let Form::Part(name, _) | Form::Token(name, _) | Form::Fault(name, _) = *form {
                self.missed(name, at);
            }
            return None;
        }
        // What it may begin with says it all of a character of ASCII.
        if let Form::Char(_) = form
            && is_sure
            && self.bytes.get(at).is_some_and(u8::is_ascii)
        {
            return Some(at + 1);
        }
        self.enter(*form, at)
    }

    /// Matches a step that may begin at an offset.
    #[inline(never)]
    fn enter(&mut self, form: Form, at: usize) -> Option<usize> {
        self.uncharged += 1;
        if self.uncharged == CHARGED {
            self.uncharged = 0;
            if !budget::charge(u64::from(CHARGED)) {
                self.left = 0;
            }
        }
        match form {
            Form::Sequence(steps) => self.sequence(steps, at),
            Form::Choice(steps) => self.choice(steps, at),
            Form::Repeat { step, quick, min, max } if AGAIN && max == u32::MAX => {
                self.repeat_again(step, quick, min, at)
            }
            Form::Repeat { step, quick, min, max } => self.repeat(step, quick, min, max, at),
            Form::Not(step) => (!self.look(step, at, 1)).then_some(at),
            Form::And(step) => self.look(step, at, 0).then_some(at),
            Form::Part(name, step) => self.part(name, step, at, Inside::default()),
            Form::Token(name, step) => self.part(name, step, at, Inside { token: 1, refusing: 0 }),
            // Error productions do not say how far the text can be read either.
            Form::Fault(name, step) => self.part(name, step, at, Inside { token: 0, refusing: 1 }),
            Form::Push(step) => self.push(step, at),
            form => self.terminal(form, at),
        }
    }

    /// Matches what has nothing inside.
    #[inline]
    fn terminal(&mut self, form: Form, at: usize) -> Option<usize> {
        let end = match form {
            Form::Char(set) => self.character(set, at),
            Form::Text(text) => {
                let text = text.of_text(&self.grammar.strings);
                self.look_at(at + text.len());
                self.bytes[at..].starts_with(text).then(|| at + text.len())
            }
            Form::TextAnyCase(text) => {
                let text = text.of_text(&self.grammar.strings);
                self.look_at(at + text.len());
                let head = self.bytes.get(at..at + text.len());
                let fits = head.is_some_and(|head| head.eq_ignore_ascii_case(text));
                fits.then(|| at + text.len())
            }
            Form::Start => (at == 0).then_some(at),
            Form::End => (at == self.bytes.len()).then_some(at),
            _ => self.stacked(form, at),
        };
        if EXPLAIN {
            match end {
                None => self.missed_terminal(form, at),
                Some(end) if self.lookout.words => self.word(form, Span::new(at, end)),
                Some(_) => {}
            }
        }
        end
    }

    /// Every cycle of a grammar goes through a sequence, so that this is where effort is counted.
    fn sequence(&mut self, steps: Slice, at: usize) -> Option<usize> {
        if self.left == 0 || self.depth >= DEPTH {
            self.left = 0;
            return None;
        }
        self.left -= 1;
        self.depth += 1;
        let end = steps.of(self.children).iter().try_fold(at, |at, step| self.step(*step, at));
        self.depth -= 1;
        end
    }

    fn choice(&mut self, steps: Slice, at: usize) -> Option<usize> {
        if self.depth >= DEPTH {
            self.left = 0;
            return None;
        }
        self.depth += 1;
        let (mark, top) = (self.matches.len(), self.top);
        let end = steps.of(self.children).iter().find_map(|step| {
            let end = self.step(*step, at);
            if end.is_none() {
                self.matches.truncate(mark);
                self.top = top;
            }
            end
        });
        self.depth -= 1;
        end
    }

    /// One turn of a repetition; nothing where the step takes no more, and then nothing of it is kept. A turn that `is_needed`
    /// may be empty.
    #[inline]
    fn turn(&mut self, step: u16, at: usize, is_needed: bool) -> Option<usize> {
        let (mark, top) = (self.matches.len(), self.top);
        match self.step(step, at) {
            Some(next) if next > at || is_needed || self.top != top => Some(next),
            _ => {
                self.matches.truncate(mark);
                self.top = top;
                None
            }
        }
    }

    fn repeat(&mut self, step: u16, quick: u16, min: u32, max: u32, at: usize) -> Option<usize> {
        let quick = &self.symbols[usize::from(quick)];
        let mut end = at;
        let mut count = 0;
        while count < max {
            self.look_at(end + 1);
            if quick.has(self.bytes, end) {
                end += 1;
                count += 1;
                continue;
            }
            let Some(next) = self.turn(step, end, count < min) else { break };
            end = next;
            count += 1;
        }
        self.left = self.left.saturating_sub((end - at) / 8);
        (count >= min).then_some(end)
    }

    /// Like [`Self::repeat`], without a maximum; what the repetition takes may be known from another run, or is kept.
    fn repeat_again(&mut self, step: u16, quick: u16, min: u32, at: usize) -> Option<usize> {
        let quick = &self.symbols[usize::from(quick)];
        let seen = std::mem::replace(&mut self.seen, at);
        let (begun, left) = (self.matches.len(), self.left);
        let mut turns = Vec::new();
        let (mut end, mut count) = (at, 0_u32);
        loop {
            // First, since places are kept without what is taken quickly after them.
            let top = self.top;
            let leap = self.known.filter(|_| top.is_none()).and_then(|known| known.leap(step, end));
            if let Some(leap) = leap {
                self.left = self.left.saturating_sub(leap.effort);
                self.matches.extend(leap.matches());
                end = leap.at;
                count += 1;
                if leap.is_end {
                    break;
                }
                continue;
            }
            self.look_at(end + 1);
            if quick.has(self.bytes, end) {
                end += 1;
                count += 1;
                continue;
            }
            let Some(next) = self.turn(step, end, count < min) else { break };
            end = next;
            count += 1;
            if self.trail.is_some() && top.is_none() && self.top.is_none() && Trail::is_long(at, end) {
                let effort = left.saturating_sub(self.left);
                turns.push(Turn { at: end, seen: self.seen, matches: self.matches.len() - begun, effort });
            }
        }
        if let Some(trail) = self.trail.as_mut().filter(|_| !turns.is_empty()) {
            let (matches, effort) = (self.matches.len() - begun, left.saturating_sub(self.left));
            if turns.last().is_some_and(|last| last.at < end) {
                turns.push(Turn { at: end, seen: self.seen, matches, effort });
            }
            trail.add(step, at, turns, self.matches.get(begun..).unwrap_or_default());
        }
        self.seen = self.seen.max(seen);
        self.left = self.left.saturating_sub((end - at) / 8);
        (count >= min).then_some(end)
    }

    /// Whether a step matches, without going on after it.
    fn look(&mut self, step: u16, at: usize, refusing: u32) -> bool {
        let first = &self.symbols[usize::from(self.steps[usize::from(step)].first)];
        self.look_at(at + 1);
        if refusing > 0 && !first.has(self.bytes, at) {
            return false;
        }
        let (mark, top) = (self.matches.len(), self.top);
        self.refusing += refusing;
        let found = self.step(step, at).is_some();
        self.refusing -= refusing;
        self.matches.truncate(mark);
        self.top = top;
        found
    }

    fn part(&mut self, name: u16, step: u16, at: usize, inside: Inside) -> Option<usize> {
        if self.depth >= DEPTH {
            self.left = 0;
            return None;
        }
        let index = self.matches.len();
        let known = if EXPLAIN && self.missing.at == at { self.missing.names.len() } else { 0 };
        let is_wanted = !AGAIN || self.wanted.is_none_or(|wanted| wanted[usize::from(name)]);
        if is_wanted {
            self.matches.push(Match { rule: name, span: Span::at(at), next: 0 });
        }
        self.refusing += inside.refusing;
        if EXPLAIN {
            if self.tokens == 0 {
                self.lookout.token = at;
            }
            self.lookout.open.push(name);
        }
        self.tokens += inside.token;
        self.depth += 1;
        let end = self.step(step, at);
        self.depth -= 1;
        if EXPLAIN {
            self.lookout.open.pop();
        }
        self.tokens -= inside.token;
        self.refusing -= inside.refusing;
        let is_wrong = inside.refusing > 0 || self.lookout.unread == Some(name);
        let Some(end) = end.filter(|end| !(EXPLAIN && is_wrong && self.lookout.end == Some(*end))) else {
            self.matches.truncate(index);
            if EXPLAIN && self.missing.at == at {
                // What is missing at the start of a rule is the rule.
                self.missing.names.truncate(known);
            }
            self.refusing += inside.refusing * u32::from(EXPLAIN);
            self.missed(name, at);
            self.refusing -= inside.refusing * u32::from(EXPLAIN);
            return None;
        };
        let next = self.matches.len() as u32;
        if let Some(made) = self.matches.get_mut(index).filter(|_| is_wanted) {
            made.span = Span::new(at, end);
            made.next = next;
        }
        Some(end)
    }

    fn push(&mut self, step: u16, at: usize) -> Option<usize> {
        let end = self.step(step, at)?;
        self.stack.push((self.top, Span::new(at, end)));
        self.top = u32::try_from(self.stack.len() - 1).ok();
        Some(end)
    }

    /// Matches what is on the stack.
    #[cold]
    fn stacked(&mut self, form: Form, at: usize) -> Option<usize> {
        self.look_at(self.bytes.len() + 1);
        match form {
            Form::Peek => self.same(&[self.top?], at),
            Form::Pop => {
                let top = self.top?;
                let end = self.same(&[top], at)?;
                self.top = self.stack[top as usize].0;
                Some(end)
            }
            Form::Drop => {
                self.top = self.stack[self.top? as usize].0;
                Some(at)
            }
            Form::PeekAll | Form::PopAll => {
                let end = self.same(&self.stacked_strings(), at)?;
                if matches!(form, Form::PopAll) {
                    self.top = None;
                }
                Some(end)
            }
            Form::PeekSlice(from, to) => {
                let mut texts = self.stacked_strings();
                texts.reverse();
                let place = |number: i32| {
                    let from_end = if number < 0 { texts.len() } else { 0 };
                    usize::try_from(i64::try_from(from_end).ok()? + i64::from(number)).ok()
                };
                let (from, to) = (place(from)?, to.map_or(Some(texts.len()), place)?);
                self.same(texts.get(from..to)?, at)
            }
            _ => None,
        }
    }

    /// Indices of the strings on the stack, from top to bottom.
    fn stacked_strings(&self) -> Vec<u32> {
        std::iter::successors(self.top, |index| self.stack[*index as usize].0).collect()
    }

    /// Matches strings of the stack, one after the other.
    fn same(&self, texts: &[u32], at: usize) -> Option<usize> {
        texts.iter().try_fold(at, |at, index| {
            let text = self.stack[*index as usize].1.of(self.text);
            self.text[at..].starts_with(text).then(|| at + text.len())
        })
    }

    /// The end of the character at an offset, if it is in the set.
    fn character(&mut self, set: u16, at: usize) -> Option<usize> {
        let byte = self.bytes.get(at)?;
        self.look_at(at + 4);
        if byte.is_ascii() {
            return (self.grammar.sets[usize::from(set)].ascii >> byte & 1 == 1).then_some(at + 1);
        }
        self.grammar.wide_character(set, self.text, at)
    }

    /// Notes a string of the grammar that is a word.
    fn word(&mut self, form: Form, span: Span) {
        let is_string = matches!(form, Form::Text(_) | Form::TextAnyCase(_));
        let text = span.of(self.text);
        if is_string && self.refusing == 0 && text.len() > 1 && text.starts_with(char::is_alphabetic) {
            let next = self.matches.len() as u32 + 1;
            self.matches.push(Match { rule: WORD, span, next });
        }
    }

    /// A rule does not fit at an offset. What is less than a rule may look far ahead in vain, so that it
    /// says nothing about how far the text can be read.
    fn missed(&mut self, rule: u16, at: usize) {
        if at >= self.furthest.0 && self.refusing == 0 {
            self.furthest = (at, rule);
        }
        if EXPLAIN && self.refusing == 0 && self.lookout.end == Some(at) {
            let within = self.lookout.open.last().copied();
            self.lookout.add(Continuation::Rule { rule, within });
        }
        if EXPLAIN && self.refusing == 0 && self.tokens == 0 && at >= self.sure {
            let name = match self.grammar.name(rule) {
                "EOI" => "the end of the text".to_owned(),
                name => name.replace('_', " "),
            };
            self.missing.add(at, name);
        }
    }

    /// A string or character does not fit at an offset; within a token the token is what does not fit.
    fn missed_terminal(&mut self, form: Form, at: usize) {
        // A token that has begun is one to complete, not one to follow.
        let begins = self.tokens == 0 || self.lookout.token == at;
        if let (Form::Text(text) | Form::TextAnyCase(text), true) = (form, begins && self.refusing == 0)
            && self.lookout.end == Some(at)
        {
            let text = String::from_utf8_lossy(text.of_text(&self.grammar.strings)).into_owned();
            self.lookout.add(Continuation::Text(text));
        }
        if self.refusing == 0 && self.lookout.end == Some(at) {
            let mut open = self.lookout.open.iter().rev().copied();
            if let Some(rule) = open.next() {
                self.lookout.add(Continuation::Rest { rule, within: open.next() });
            }
        }
        if self.refusing > 0 || self.tokens > 0 || at < self.sure {
            return;
        }
        let name = match form {
            Form::Text(text) | Form::TextAnyCase(text) => match text.of_text(&self.grammar.strings) {
                b"\n" | b"\r\n" | b"\r" => "the end of the line".to_owned(),
                text => format!("`{}`", String::from_utf8_lossy(text)),
            },
            Form::Char(set) => {
                let CharSet { ascii, wide } = self.grammar.sets[usize::from(set)];
                match u8::try_from(ascii.trailing_zeros()) {
                    Ok(b'\n') if ascii.is_power_of_two() => "the end of the line".to_owned(),
                    Ok(byte) if ascii.is_power_of_two() && wide.len == 0 => format!("`{}`", char::from(byte)),
                    _ => return,
                }
            }
            Form::End => "the end of the text".to_owned(),
            _ => return,
        };
        self.missing.add(at, name);
    }
}

impl Missing {
    fn add(&mut self, at: usize, name: String) {
        if at > self.at {
            self.at = at;
            self.names.clear();
        }
        if at == self.at && !self.names.contains(&name) {
            self.names.push(name);
        }
    }
}
