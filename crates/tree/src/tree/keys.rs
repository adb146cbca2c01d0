//! The keys of large mappings in order, so that finding one does not take looking at all of them.

use std::ops::Range;

use foldhash::HashMap;

/// Most keys of a mapping that are looked at one after the other.
pub(super) const SCANNED: u32 = 64;

/// Positions of entries, ordered by key and then by position; by the position of the mapping's first entry. Only
/// mappings of more than [`SCANNED`] keys are here.
#[derive(Debug, Clone, Default)]
pub(super) struct SortedKeys(HashMap<u32, Box<[u32]>>);

impl SortedKeys {
    /// Adds the mapping whose entries are at these positions and have these keys.
    pub(super) fn add<'k>(&mut self, entries: Range<u32>, key: impl Fn(u32) -> &'k str) {
        let first = entries.start;
        let mut positions: Box<[u32]> = entries.collect();
        positions.sort_by(|one, other| key(*one).cmp(key(*other)));
        self.0.insert(first, positions);
    }

    /// The position of the last entry with a key, in the mapping whose first entry is at `first`. Nothing where the
    /// mapping is not here.
    #[allow(clippy::option_option, reason = "no mapping, or no entry in it")]
    pub(super) fn find<'k>(
        &self,
        first: u32,
        wanted: &str,
        key: impl Fn(u32) -> &'k str,
    ) -> Option<Option<u32>> {
        let positions = self.0.get(&first)?;
        let after = positions.partition_point(|position| key(*position) <= wanted);
        let last = after.checked_sub(1).map(|before| positions[before]);
        Some(last.filter(|position| key(*position) == wanted))
    }
}
