use std::ops::Range;

/// A range of bytes in one source: `start` inclusive, `end` exclusive, both on character boundaries.
///
/// Offsets are `u32`: sources are limited to far less than 4 GiB before any span is created.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Span {
    /// First byte.
    pub start: u32,
    /// First byte after the range.
    pub end: u32,
}

impl Span {
    /// The range `start..end`; an `end` before `start` gives the empty range at `start`.
    pub fn new(start: usize, end: usize) -> Self {
        Self { start: start as u32, end: end.max(start) as u32 }
    }

    /// The empty range at `offset`: a position for an insertion.
    pub fn at(offset: usize) -> Self {
        Self::new(offset, offset)
    }

    /// Length in bytes.
    pub fn len(self) -> usize {
        (self.end - self.start) as usize
    }

    /// Whether the range is empty.
    pub fn is_empty(self) -> bool {
        self.start == self.end
    }

    /// The range as indices of a string or slice.
    pub fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }

    /// Whether `other` is completely inside.
    pub fn contains(self, other: Self) -> bool {
        self.start <= other.start && other.end <= self.end
    }

    /// Whether the two share a byte, or are the same empty range.
    pub fn overlaps(self, other: Self) -> bool {
        self == other || (self.start < other.end && other.start < self.end)
    }

    /// The smallest range that contains both.
    #[must_use]
    pub fn cover(self, other: Self) -> Self {
        Self { start: self.start.min(other.start), end: self.end.max(other.end) }
    }

    /// The range moved `by` bytes towards the end.
    #[must_use]
    pub fn shifted(self, by: usize) -> Self {
        Self { start: self.start + by as u32, end: self.end + by as u32 }
    }

    /// The text of the range; empty if the range is out of bounds of `text`.
    #[inline]
    pub fn of(self, text: &str) -> &str {
        text.get(self.range()).unwrap_or_default()
    }
}

/// The source of a document that a span belongs to: `0` is the document itself, others are files that
/// it includes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct SourceId(pub u16);
