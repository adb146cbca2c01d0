use std::{ops::Range, sync::Arc};

use super::Dialect;
use crate::{
    Limits, Observation,
    syntax::commonmark::Fence,
    text::{Fragment, Source, Span},
    tree::{Scalar, TreeBuilder},
};

/// The text of one document while it is read. Ranges are offsets of this text, spans those of the
/// host file.
pub(crate) struct Page<'a> {
    pub(crate) source: &'a Arc<Source>,
    pub(crate) fragment: &'a Fragment<'a>,
    pub(crate) dialect: Dialect,
    pub(crate) limits: Limits,
    /// Offset of the text in its host, where one offset is all there is to it.
    shift: Option<usize>,
}

impl<'a> Page<'a> {
    pub(crate) fn new(
        source: &'a Arc<Source>,
        fragment: &'a Fragment<'a>,
        dialect: Dialect,
        limits: Limits,
    ) -> Self {
        let shift = fragment.is_contiguous().then(|| fragment.host(Span::at(0)).start as usize);
        Self { source, fragment, dialect, limits, shift }
    }

    pub(crate) fn text(&self) -> &'a str {
        self.fragment.text()
    }

    /// The host's span of a range.
    pub(crate) fn span(&self, range: Range<usize>) -> Span {
        let local = Span::new(range.start, range.end);
        self.shift.map_or_else(|| self.fragment.host(local), |shift| local.shifted(shift))
    }

    /// Whether the host has exactly the bytes of the range at its span.
    pub(crate) fn is_verbatim(&self, range: &Range<usize>) -> bool {
        self.shift.is_some() || self.span(range.clone()).len() == range.len()
    }

    /// The text of several ranges as a fragment of the host.
    pub(crate) fn pieces(&self, ranges: &[Range<usize>]) -> Fragment<'a> {
        let mut spans = Vec::with_capacity(ranges.len());
        for range in ranges {
            match self.shift {
                Some(_) => spans.push(self.span(range.clone())),
                None => spans.extend(self.lines(range.clone()).map(|line| self.span(line))),
            }
        }
        if spans.is_empty() {
            spans.push(self.span(0..0));
        }
        Fragment::pieces(self.source.text(), &spans)
    }

    /// The content of a fence as a fragment of the host.
    pub(crate) fn content(&self, fence: &Fence) -> Fragment<'a> {
        if fence.content.is_empty() {
            let below = fence.range.end;
            return self.pieces(std::slice::from_ref(&(below..below)));
        }
        self.pieces(&fence.content)
    }

    /// The lines of a range with their line ends.
    pub(crate) fn lines(&self, range: Range<usize>) -> impl Iterator<Item = Range<usize>> + use<'a> {
        let mut start = range.start;
        self.text()[range].split_inclusive('\n').map(move |line| {
            let from = start;
            start += line.len();
            from..start
        })
    }

    /// Adds a piece of the text under a key that the kind gives.
    pub(crate) fn write(&self, builder: &mut TreeBuilder, key: &'static str, range: Range<usize>) {
        builder.key_static(key);
        self.item(builder, range);
    }

    /// Adds a piece of the text to the open sequence.
    pub(crate) fn item(&self, builder: &mut TreeBuilder, range: Range<usize>) {
        let value =
            if self.is_verbatim(&range) { Scalar::Slice } else { Scalar::Text(&self.text()[range.clone()]) };
        builder.scalar(value, self.span(range));
    }

    /// The range without spaces and line ends around it.
    pub(crate) fn trimmed(&self, range: Range<usize>) -> Range<usize> {
        let whole = &self.text()[range.clone()];
        let start = range.start + (whole.len() - whole.trim_start().len());
        start..(start + whole.trim().len())
    }
}

/// The observations of one document, no more than the limit.
pub(crate) struct Findings {
    pub(crate) list: Vec<Observation>,
    limit: usize,
}

impl Findings {
    pub(crate) fn new(limit: usize) -> Self {
        Self { list: Vec::new(), limit }
    }

    /// Whether nothing more is added.
    pub(crate) fn is_full(&self) -> bool {
        self.list.len() >= self.limit
    }

    /// Adds what there is.
    pub(crate) fn extend(&mut self, observation: Option<Observation>) {
        if let Some(observation) = observation {
            self.add(observation);
        }
    }

    /// Adds an observation, unless there are too many already.
    pub(crate) fn add(&mut self, observation: Observation) {
        if !self.is_full() {
            self.list.push(observation);
        }
    }
}
