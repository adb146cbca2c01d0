//! The bytes that steps may begin with.

use super::{
    Symbols,
    charset::Characters,
    draft::{Draft, Drafts},
};

/// Bytes that may come next, and the end of the text, while they are worked out.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Bytes {
    halves: [u128; 2],
    end: bool,
}

impl Bytes {
    const NONE: Self = Self { halves: [0; 2], end: false };
    const ALL: Self = Self { halves: [u128::MAX; 2], end: true };
    const END: Self = Self { end: true, ..Self::NONE };

    fn of(bytes: impl IntoIterator<Item = u8>) -> Self {
        let mut found = Self::NONE;
        for byte in bytes {
            found.halves[usize::from(byte >> 7)] |= 1 << (byte & 127);
        }
        found
    }

    fn or(self, other: Self) -> Self {
        let halves = [self.halves[0] | other.halves[0], self.halves[1] | other.halves[1]];
        Self { halves, end: self.end || other.end }
    }

    fn and(self, other: Self) -> Self {
        let halves = [self.halves[0] & other.halves[0], self.halves[1] & other.halves[1]];
        Self { halves, end: self.end && other.end }
    }

    fn without(self, other: Self) -> Self {
        self.and(Self { halves: [!other.halves[0], !other.halves[1]], end: !other.end })
    }

    pub(super) fn symbols(self) -> Symbols {
        let [low, high] = self.halves;
        let quarters = [low as u64, (low >> 64) as u64, high as u64, (high >> 64) as u64];
        Symbols { bytes: quarters, end: self.end }
    }
}

/// What is known of a step: the next bytes with which it may succeed and take something, and those with
/// which it may succeed and take nothing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Begin {
    takes: Bytes,
    empty: Bytes,
}

impl Begin {
    pub(super) fn all(self) -> Bytes {
        self.takes.or(self.empty)
    }
}

/// How every step begins: the least solution, found by going round until nothing is added.
pub(super) fn begins(drafts: &Drafts) -> Vec<Begin> {
    let firsts: Vec<Bytes> = drafts.sets.iter().map(first_bytes).collect();
    let mut known = vec![Begin::default(); drafts.steps.len()];
    let mut changed = true;
    while changed {
        changed = false;
        for index in 0..drafts.steps.len() {
            let begin = begin(drafts, &firsts, index, &known);
            if begin != known[index] {
                known[index] = begin;
                changed = true;
            }
        }
    }
    known
}

fn begin(drafts: &Drafts, firsts: &[Bytes], index: usize, known: &[Begin]) -> Begin {
    let takes = |takes| Begin { takes, empty: Bytes::NONE };
    let empty = |empty| Begin { takes: Bytes::NONE, empty };
    match &drafts.steps[index] {
        Draft::Char(set) => takes(firsts[*set]),
        Draft::Text(text) if text.is_empty() => empty(Bytes::ALL),
        Draft::Text(text) => takes(Bytes::of(text.bytes().next())),
        Draft::TextAnyCase(text) if text.is_empty() => empty(Bytes::ALL),
        Draft::TextAnyCase(text) => {
            let first = text.bytes().next();
            takes(Bytes::of(first.into_iter().flat_map(|byte| [byte, byte.to_ascii_uppercase()])))
        }
        Draft::Sequence(children) => children.iter().fold(empty(Bytes::ALL), |begin, child| {
            let next = known[*child];
            Begin { takes: begin.takes.or(begin.empty.and(next.takes)), empty: begin.empty.and(next.empty) }
        }),
        Draft::Choice(children) => children.iter().fold(Begin::default(), |begin, child| Begin {
            takes: begin.takes.or(known[*child].takes),
            empty: begin.empty.or(known[*child].empty),
        }),
        Draft::Repeat(child, min, _) => {
            let empty = if *min == 0 { Bytes::ALL } else { known[*child].empty };
            Begin { takes: known[*child].takes, empty }
        }
        Draft::Not(child) => empty(Bytes::ALL.without(surely(drafts, *child))),
        Draft::And(child) => empty(known[*child].all()),
        Draft::Part { body: child, .. } | Draft::Push(child) | Draft::Same(child) => known[*child],
        Draft::Start | Draft::Drop => empty(Bytes::ALL),
        Draft::End => empty(Bytes::END),
        Draft::Peek | Draft::PeekSlice(..) | Draft::PeekAll | Draft::Pop | Draft::PopAll => {
            Begin { takes: Bytes::ALL, empty: Bytes::ALL }
        }
    }
}

/// Bytes with which a step surely succeeds.
fn surely(drafts: &Drafts, index: usize) -> Bytes {
    match &drafts.steps[index] {
        Draft::Char(set) => Bytes::of((0..128).filter(|code| drafts.sets[*set].has(u32::from(*code)))),
        Draft::End => Bytes::END,
        Draft::Choice(children) => {
            children.iter().fold(Bytes::NONE, |bytes, child| bytes.or(surely(drafts, *child)))
        }
        _ => Bytes::NONE,
    }
}

/// Bytes with which a step surely takes that byte, no more, and makes no match.
pub(super) fn one_by_one(drafts: &Drafts, index: usize, begins: &[Begin]) -> Bytes {
    match &drafts.steps[index] {
        Draft::Char(_) => surely(drafts, index),
        Draft::Sequence(children) => {
            let Some((last, before)) = children.split_last() else { return Bytes::NONE };
            before.iter().fold(one_by_one(drafts, *last, begins), |bytes, child| {
                let refused = match &drafts.steps[*child] {
                    Draft::Not(inner) => begins[*inner].all(),
                    _ => Bytes::ALL,
                };
                bytes.without(refused)
            })
        }
        Draft::Choice(children) => {
            let mut bytes = Bytes::NONE;
            let mut before = Bytes::NONE;
            for child in children {
                bytes = bytes.or(one_by_one(drafts, *child, begins).without(before));
                before = before.or(begins[*child].all());
            }
            bytes
        }
        _ => Bytes::NONE,
    }
}

/// First bytes of a set's characters.
fn first_bytes(set: &Characters) -> Bytes {
    let lead = |code: u32| {
        // Surrogates are not characters.
        let code = if (0xD800..0xE000).contains(&code) { 0xE000 } else { code };
        let mut bytes = [0; 4];
        char::from_u32(code).map_or(0, |c| c.encode_utf8(&mut bytes).as_bytes()[0])
    };
    let ranges = set.ranges().iter().map(|(first, last)| Bytes::of(lead(*first)..=lead(*last)));
    ranges.fold(Bytes::NONE, Bytes::or)
}
