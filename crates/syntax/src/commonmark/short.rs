//! Prose in short. What a line of prose begins with decides what it is, and most of the rest is words that an outline does not
//! have. So the parser gets the beginnings of such lines, and places in that text are mapped to those of the document.
//!
//! Lines are looked at in groups, each from one blank line to the next. Where a line of a group may be more than prose or an
//! item of a list, the whole group stays as it is.

use std::{borrow::Cow, ops::Range};

use memchr::{memchr, memchr_iter, memchr3_iter};

/// Text without words that no part of an outline depends on.
pub(super) struct Short<'t> {
    pub(super) text: Cow<'t, str>,
    cuts: Vec<Cut>,
    /// Paragraphs of which only the first one is left, all of them in one range of the whole text.
    runs: Vec<Range<usize>>,
}

/// Where words are left out.
#[derive(Debug, Clone, Copy)]
struct Cut {
    /// Place in the short text.
    at: usize,
    /// All bytes that are left out up to there.
    missing: usize,
}

/// Bytes of a line of prose with what is around it.
const USUAL_LINE: usize = 80;

/// Bytes of memory for a place where words are left out.
const CUT: usize = size_of::<Cut>();

impl<'t> Short<'t> {
    /// The text in short.
    pub(super) fn new(text: &'t str) -> Self {
        let mut finder = Finder {
            text: text.as_bytes(),
            left_out: Vec::with_capacity(text.len() / USUAL_LINE),
            runs: Vec::new(),
            paragraph: None,
        };
        finder.groups();
        let Finder { left_out, runs, .. } = finder;
        if left_out.is_empty() {
            return Self { text: Cow::Borrowed(text), cuts: Vec::new(), runs };
        }
        let missing: usize = left_out.iter().map(|range| range.len()).sum();
        let mut short = String::with_capacity(text.len() - missing);
        let mut cuts = Vec::with_capacity(left_out.len());
        let mut from = 0;
        for range in left_out {
            short.push_str(&text[from..range.start]);
            from = range.end;
            cuts.push(Cut { at: short.len(), missing: from - short.len() });
        }
        short.push_str(&text[from..]);
        Self { text: Cow::Owned(short), cuts, runs }
    }

    /// The whole text.
    #[cfg(test)]
    pub(super) fn whole(text: &'t str) -> Self {
        Self { text: Cow::Borrowed(text), cuts: Vec::new(), runs: Vec::new() }
    }

    /// The memory that it takes, in bytes.
    pub(super) fn bytes(&self) -> usize {
        match &self.text {
            Cow::Borrowed(_) => 0,
            Cow::Owned(text) => text.len() + self.cuts.len() * CUT,
        }
    }

    /// Maps places of the short text to those of the whole one, which is at `offset` of the document.
    pub(super) fn places(&self, offset: usize) -> Places<'_> {
        Places { cuts: &self.cuts, next: 0, runs: &self.runs, offset }
    }
}

/// Maps places, quickly where they follow each other.
pub(super) struct Places<'s> {
    cuts: &'s [Cut],
    /// The first cut after the last place.
    next: usize,
    /// Runs of paragraphs that are not passed yet.
    runs: &'s [Range<usize>],
    offset: usize,
}

impl Places<'_> {
    pub(super) fn place(&mut self, short: usize) -> usize {
        while self.cuts.get(self.next).is_some_and(|cut| cut.at <= short) {
            self.next += 1;
        }
        while self.next > 0 && self.cuts[self.next - 1].at > short {
            self.next -= 1;
        }
        let missing = self.next.checked_sub(1).map_or(0, |last| self.cuts[last].missing);
        self.offset + short + missing
    }

    pub(super) fn range(&mut self, short: &Range<usize>) -> Range<usize> {
        let start = self.place(short.start);
        start..self.place(short.end)
    }

    /// Maps a paragraph: itself, or the run of paragraphs that it stands for. Paragraphs are asked for in their order.
    pub(super) fn paragraphs<'t>(
        &mut self,
        text: &'t str,
        short: &Range<usize>,
    ) -> impl Iterator<Item = Range<usize>> + use<'t> {
        let whole = self.range(short);
        let start = whole.start - self.offset;
        while let Some((_, rest)) = self.runs.split_first().filter(|(run, _)| run.start < start) {
            self.runs = rest;
        }
        let is_run = self.runs.first().is_some_and(|run| run.start == start);
        let text = &text.as_bytes()[..whole.end];
        let mut from = whole.start;
        std::iter::from_fn(move || {
            from += text[from..].iter().take_while(|byte| is_run && **byte == b'\n').count();
            let start = from;
            let is_blank = |end: &usize| text.get(start + end + 1) == Some(&b'\n');
            let blank = if is_run { memchr_iter(b'\n', &text[start..]).find(is_blank) } else { None };
            from = blank.map_or(text.len(), |at| start + at + 1);
            (start < from).then_some(start..from)
        })
    }
}

/// Lines from one blank line to the next.
struct Group {
    start: usize,
    /// How much was left out above it.
    kept: usize,
    /// The first byte in it or below that may begin more than words.
    special: usize,
    /// Whether all of its lines so far are prose or items of lists.
    is_prose: bool,
    /// Whether they all begin with words, and with none of the marks that may begin a block.
    at_margin: bool,
    /// The paragraph right above.
    before: Option<Range<usize>>,
}

/// What a byte may be at the beginning of a line of prose.
#[derive(Clone, Copy, PartialEq)]
enum Begin {
    /// Neither: the line may be more than prose.
    Other,
    /// A part of what is before the words: whitespace, marks of lists, digits.
    Mark,
    /// The first byte of the words.
    Word,
}

const BEGIN: [Begin; 256] = {
    let mut begin = [Begin::Other; 256];
    let mut byte = 0;
    while byte < 256 {
        begin[byte] = match byte as u8 {
            b' ' | b'\t' | b'0'..=b'9' | b'.' | b')' | b'+' | b'*' | b'_' | b'-' => Begin::Mark,
            b'a'..=b'z' | b'A'..=b'Z' | 0x80.. | b'(' | b'"' | b'\'' | b'`' | b'[' | b'<' | b'!' => {
                Begin::Word
            }
            _ => Begin::Other,
        };
        byte += 1;
    }
    begin
};

struct Finder<'t> {
    text: &'t [u8],
    left_out: Vec<Range<usize>>,
    runs: Vec<Range<usize>>,
    /// The last group, where it is a paragraph at the margin.
    paragraph: Option<Range<usize>>,
}

/// The next one of some bytes, wherever it is asked for: places are asked for in their order.
struct Next<I> {
    places: I,
    next: usize,
}

impl<I: Iterator<Item = usize>> Next<I> {
    fn new(mut places: I) -> Self {
        let next = places.next().unwrap_or(usize::MAX);
        Self { places, next }
    }

    fn from(&mut self, place: usize) -> usize {
        while self.next < place {
            self.next = self.places.next().unwrap_or(usize::MAX);
        }
        self.next
    }
}

/// Bytes of code within a line that outlines leave out.
const SHORT_CODE: usize = 12;

/// The marks that may begin more than words.
struct Specials<'t, I> {
    text: &'t [u8],
    marks: Next<I>,
}

impl<I: Iterator<Item = usize>> Specials<'_, I> {
    /// The first one from a place where no code is open.
    fn from(&mut self, mut place: usize) -> usize {
        loop {
            let mark = self.marks.from(place);
            match self.short_code(mark) {
                Some(end) => place = end,
                None => return mark,
            }
        }
    }

    /// The end of the short code that begins at a mark. It is closed on its line, has no web address, and is not escaped.
    fn short_code(&self, mark: usize) -> Option<usize> {
        let rest = self.text.get(mark..)?;
        let run = |bytes: &[u8]| bytes.iter().take_while(|byte| **byte == b'`').count();
        let opening = run(rest);
        if opening == 0 || mark > 0 && self.text[mark - 1] == b'\\' {
            return None;
        }
        let mut end = opening;
        while end <= opening + SHORT_CODE {
            match rest.get(end)? {
                b'`' => {
                    let closing = run(&rest[end..]);
                    end += closing;
                    if closing == opening {
                        return Some(mark + end);
                    }
                }
                b'\n' | b':' => return None,
                _ => end += 1,
            }
        }
        None
    }
}

impl Finder<'_> {
    fn groups(&mut self) {
        let text = self.text;
        // The end of HTML, the cells of tables, other line ends.
        let mut others = Next::new(memchr3_iter(b'>', b'|', b'\r', text));
        // What follows one of these on its line, and on the next ones, may be part of it.
        let mut specials = Specials { text, marks: Next::new(memchr3_iter(b'`', b'[', b'<', text)) };
        let line_ends = memchr_iter(b'\n', text).chain([text.len()]);
        let mut start = 0;
        // Nothing between groups.
        let mut group: Option<Group> = None;
        for end in line_ends {
            let line = start..end;
            start = end + 1;
            if line.is_empty() {
                if let Some(group) = group.take() {
                    self.finish(group, line.start);
                }
                continue;
            }
            let group = group.get_or_insert_with(|| Group {
                start: line.start,
                kept: self.left_out.len(),
                special: specials.from(line.start),
                is_prose: true,
                at_margin: true,
                before: self.paragraph.take(),
            });
            if group.is_prose && (others.from(line.start) < end || !self.line(line, group)) {
                // A line of marks makes a heading of those above.
                group.is_prose = false;
                self.left_out.truncate(group.kept);
            }
        }
        if let Some(group) = group {
            self.finish(group, text.len());
        }
    }

    /// Finds what can be left out of a line; whether it is one of prose.
    fn line(&mut self, line: Range<usize>, group: &mut Group) -> bool {
        let bytes = &self.text[line.clone()];
        let marks = bytes.iter().take_while(|byte| BEGIN[usize::from(**byte)] == Begin::Mark).count();
        let Some(first) = bytes.get(marks).filter(|first| BEGIN[usize::from(**first)] == Begin::Word) else {
            return false;
        };
        group.at_margin &= marks == 0 && !matches!(first, b'`' | b'[' | b'<');
        let word = line.start + marks;
        // Right before a bracket, this mark would make an image of a link; and half of short code would not be code.
        if word < group.special && !matches!(first, b'!' | b'`') {
            self.words(word, line.end, group.special);
        }
        true
    }

    /// Ends a group at the blank line below it, or at the end of the text.
    fn finish(&mut self, group: Group, end: usize) {
        if !group.is_prose || !group.at_margin {
            return;
        }
        if group.special >= end {
            self.whole_paragraph(group.kept, group.start..end, group.before);
        } else {
            self.paragraph = Some(group.start..end);
        }
    }

    /// Leaves out the words of a line but for their first character.
    fn words(&mut self, word: usize, end: usize, special: usize) {
        let continued =
            self.text[word + 1..end].iter().take_while(|byte| (0x80..0xC0).contains(*byte)).count();
        let from = word + 1 + continued;
        let mut to = end.min(special);
        // An escape, or the mark of an image.
        while special < end && to > from && matches!(self.text[to - 1], b'\\' | b'!') {
            to -= 1;
        }
        if from < to {
            self.left_out.push(from..to);
        }
    }

    /// Leaves out all but the first character of a paragraph; the whole of it where there is a paragraph right above.
    fn whole_paragraph(&mut self, kept: usize, group: Range<usize>, before: Option<Range<usize>>) {
        let end = group.end - usize::from(self.text[..group.end].ends_with(b"\n"));
        let Some(first) = self.left_out.get(kept).map(|range| range.start) else { return };
        self.left_out.truncate(kept);
        self.left_out.push(first..end);
        self.paragraph = Some(group.clone());
        let Some(before) = before.filter(|_| end < group.end) else { return };
        // How many bytes of the paragraph above are left last: its line end, nothing, or more than words.
        let left = self.left_out.iter().rev().nth(1).map_or(before.end, |cut| before.end - cut.end);
        // Web addresses are looked for in words, and what is left out below more than words is not part of any.
        if left != 1 && memchr(b':', &self.text[group.clone()]).is_some() {
            return;
        }
        self.left_out.pop();
        match self.left_out.last_mut().filter(|_| left <= 1) {
            Some(cut) => cut.end = group.end - left,
            None => self.left_out.push(before.end..group.end),
        }
        match self.runs.last_mut().filter(|run| run.end == before.end) {
            Some(run) => run.end = group.end,
            None => self.runs.push(before.start..group.end),
        }
    }
}
