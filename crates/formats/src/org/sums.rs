//! How much is before each part of a document, while parts change.

use std::ops::{Add, Sub};

/// What a part of a document has.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Size {
    pub(super) bytes: usize,
    /// Line breaks.
    pub(super) lines: usize,
    /// Line breaks with a carriage return.
    pub(super) crlf: usize,
    pub(super) headlines: usize,
}

impl Size {
    /// The size of text, without its headlines.
    pub(super) fn of(text: &str) -> Self {
        let bytes = text.as_bytes();
        let (mut lines, mut crlf) = (0, 0);
        for at in memchr::memchr_iter(b'\n', bytes) {
            lines += 1;
            crlf += usize::from(at > 0 && bytes[at - 1] == b'\r');
        }
        Self { bytes: bytes.len(), lines, crlf, headlines: 0 }
    }

    /// Whether every line break has a carriage return.
    pub(super) fn has_crlf(self) -> bool {
        self.lines > 0 && self.lines == self.crlf
    }
}

impl Add for Size {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            bytes: self.bytes + other.bytes,
            lines: self.lines + other.lines,
            crlf: self.crlf + other.crlf,
            headlines: self.headlines + other.headlines,
        }
    }
}

impl Sub for Size {
    type Output = Self;

    /// `other` is a part of `self`.
    fn sub(self, other: Self) -> Self {
        Self {
            bytes: self.bytes - other.bytes,
            lines: self.lines - other.lines,
            crlf: self.crlf - other.crlf,
            headlines: self.headlines - other.headlines,
        }
    }
}

/// Sums of the sizes of parts, in a binary indexed tree (Fenwick 1994): finding a part and changing its size take time that
/// is logarithmic in the number of parts.
#[derive(Debug, Clone, Default)]
pub(super) struct Sums {
    /// The entry at a position, from 1, has the sum of as many parts as the lowest bit of the position says, the last of
    /// which is at the position.
    tree: Vec<Size>,
}

fn lowest_bit(at: usize) -> usize {
    at & at.wrapping_neg()
}

impl Sums {
    pub(super) fn of(sizes: impl Iterator<Item = Size>) -> Self {
        let mut tree: Vec<Size> = std::iter::once(Size::default()).chain(sizes).collect();
        for at in 1..tree.len() {
            let above = at + lowest_bit(at);
            if above < tree.len() {
                tree[above] = tree[above] + tree[at];
            }
        }
        Self { tree }
    }

    /// The size of the parts before one.
    pub(super) fn before(&self, part: usize) -> Size {
        let mut at = part;
        let mut sum = Size::default();
        while at > 0 {
            sum = sum + self.tree[at];
            at -= lowest_bit(at);
        }
        sum
    }

    /// The size of all parts.
    pub(super) fn total(&self) -> Size {
        self.before(self.tree.len().saturating_sub(1))
    }

    /// Changes the size of a part.
    pub(super) fn change(&mut self, part: usize, old: Size, new: Size) {
        let mut at = part + 1;
        while at < self.tree.len() {
            self.tree[at] = self.tree[at] + new - old;
            at += lowest_bit(at);
        }
    }

    /// The part that the byte, line, or headline at `at` is in, as `of` says; the number of parts beyond the last one.
    pub(super) fn find(&self, at: usize, of: impl Fn(&Size) -> usize) -> usize {
        let (mut found, mut rest) = (0, at);
        let mut step = self.tree.len().next_power_of_two();
        while step > 0 {
            if let Some(size) = self.tree.get(found + step)
                && of(size) <= rest
            {
                found += step;
                rest -= of(size);
            }
            step /= 2;
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_found_by_what_is_before_them() {
        let size = |bytes| Size { bytes, ..Size::default() };
        for count in 0..20 {
            let mut sizes: Vec<usize> = (0..count).map(|at| at * 7 % 5).collect();
            let mut sums = Sums::of(sizes.iter().copied().map(size));
            if count > 3 {
                sums.change(3, size(sizes[3]), size(9));
                sizes[3] = 9;
            }
            let total: usize = sizes.iter().sum();
            assert_eq!(sums.total().bytes, total);
            for at in 0..=total {
                let found = sums.find(at, |size| size.bytes);
                let before: usize = sizes[..found].iter().sum();
                assert_eq!(sums.before(found).bytes, before);
                assert!(
                    before <= at && sizes.get(found).is_none_or(|size| at < before + size),
                    "{at} of {sizes:?}"
                );
            }
        }
    }
}
