//! Sets of characters, as ranges.

/// Characters as ascending ranges that do not touch, both ends included.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Characters(Vec<(u32, u32)>);

const LAST: u32 = char::MAX as u32;

impl Characters {
    /// All characters.
    pub(super) fn any() -> Self {
        Self(vec![(0, LAST)])
    }

    /// The characters from `first` to `last`.
    pub(super) fn range(first: char, last: char) -> Self {
        Self(vec![(first as u32, last as u32)])
    }

    /// The characters that `holds` is true of.
    pub(super) fn of(holds: impl Fn(char) -> bool) -> Self {
        let all = (0..=LAST).filter_map(char::from_u32).filter(|c| holds(*c));
        Self::joined(all.map(|c| (c as u32, c as u32)).collect())
    }

    /// Characters that are in one of both.
    pub(super) fn or(&self, other: &Self) -> Self {
        Self::joined(self.0.iter().chain(&other.0).copied().collect())
    }

    /// Characters that are not in it.
    pub(super) fn complement(&self) -> Self {
        let mut ranges = Vec::new();
        let mut from = 0;
        for (first, last) in &self.0 {
            if from < *first {
                ranges.push((from, first - 1));
            }
            from = last + 1;
        }
        if from <= LAST {
            ranges.push((from, LAST));
        }
        Self(ranges)
    }

    /// Characters that are in both sets.
    pub(super) fn and(&self, other: &Self) -> Self {
        self.complement().or(&other.complement()).complement()
    }

    /// Its ranges.
    pub(super) fn ranges(&self) -> &[(u32, u32)] {
        &self.0
    }

    /// Whether a character of ASCII is in it.
    pub(super) fn has(&self, code: u32) -> bool {
        self.0.iter().any(|(first, last)| (*first..=*last).contains(&code))
    }

    fn joined(mut ranges: Vec<(u32, u32)>) -> Self {
        ranges.sort_unstable();
        let mut joined: Vec<(u32, u32)> = Vec::new();
        for (first, last) in ranges {
            match joined.last_mut() {
                Some(before) if first <= before.1.saturating_add(1) => before.1 = before.1.max(last),
                _ => joined.push((first, last)),
            }
        }
        Self(joined)
    }
}
