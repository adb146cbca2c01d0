//! Values by the group that they belong to.

use std::ops::Range;

/// Values in numbered groups, in one allocation: there are many groups, and most are empty.
#[derive(Debug, Clone)]
pub struct Groups<T> {
    values: Vec<T>,
    /// Where the values of each group end.
    ends: Vec<usize>,
}

impl<T> Default for Groups<T> {
    fn default() -> Self {
        Self { values: Vec::new(), ends: Vec::new() }
    }
}

impl<T: Copy> Groups<T> {
    /// Values with the numbers of their groups, which are less than `count`. In a group, they keep their order.
    pub fn new(values: &[(u32, T)], count: usize) -> Self {
        let mut groups = Self::default();
        groups.set(values, count);
        groups
    }

    /// Replaces all values; see [`Self::new`]. The memory is used again.
    pub fn set(&mut self, values: &[(u32, T)], count: usize) {
        let Self { values: grouped, ends } = self;
        ends.clear();
        ends.resize(count, 0);
        for (group, _) in values {
            ends[*group as usize] += 1;
        }
        // First the beginning of each group, then its end, as it is filled.
        let mut start = 0;
        for size in ends.iter_mut() {
            start += std::mem::replace(size, start);
        }
        grouped.clear();
        grouped.extend(values.iter().map(|(_, value)| *value));
        for (group, value) in values {
            grouped[ends[*group as usize]] = *value;
            ends[*group as usize] += 1;
        }
    }

    /// The values of groups that follow each other.
    pub fn of(&self, groups: Range<usize>) -> &[T] {
        let start = |group: usize| group.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.values[start(groups.start)..start(groups.end)]
    }

    /// Number of groups.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are no groups.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::Groups;

    #[test]
    fn values_keep_their_order_in_their_groups() {
        let mut groups = Groups::new(&[(2, 'a'), (0, 'b'), (2, 'c'), (0, 'd'), (3, 'e')], 5);
        assert_eq!(
            (groups.of(0..1), groups.of(1..2), groups.of(2..3)),
            (&['b', 'd'][..], &[][..], &['a', 'c'][..])
        );
        assert_eq!(
            (groups.of(0..5), groups.of(4..5), groups.len()),
            (&['b', 'd', 'a', 'c', 'e'][..], &[][..], 5)
        );
        groups.set(&[(1, 'f')], 2);
        assert_eq!((groups.of(0..1), groups.of(1..2), groups.of(0..2)), (&[][..], &['f'][..], &['f'][..]));
        assert!(!groups.is_empty());
    }
}
