//! The findings that a report shows of very many: the first ones of the document.

use std::collections::BinaryHeap;

/// Where the first findings are that can be shown, of all rules evaluated so far. Composing more than these would take
/// time and memory for nothing.
#[derive(Debug, Default)]
pub(super) struct First(BinaryHeap<(u16, u32)>);

impl First {
    /// Whether a finding at this offset of a source is among the first ones.
    pub(super) fn has_room(&self, place: (u16, u32), limit: usize) -> bool {
        self.0.len() <= limit || self.0.peek().is_none_or(|last| place < *last)
    }

    /// A finding at this offset is shown.
    pub(super) fn add(&mut self, place: (u16, u32), limit: usize) {
        self.0.push(place);
        if self.0.len() > limit.saturating_add(1) {
            self.0.pop();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::First;

    #[test]
    fn earlier_findings_take_the_place_of_later_ones() {
        let mut first = First::default();
        for start in [30, 10, 20] {
            assert!(first.has_room((0, start), 2));
            first.add((0, start), 2);
        }
        assert!(!first.has_room((0, 30), 2) && !first.has_room((1, 0), 2));
        assert!(first.has_room((0, 25), 2));
        first.add((0, 25), 2);
        assert!(!first.has_room((0, 26), 2));
    }
}
