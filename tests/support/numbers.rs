//! Numbers that look random and are the same in every run.

/// Marsaglia's xorshift with 64 bits; the state is not 0.
pub(crate) struct Numbers(pub(crate) u64);

impl Numbers {
    /// A number below `bound`.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % bound.max(1) as u64) as usize
    }

    /// One of the items.
    #[allow(dead_code, reason = "not every test that includes this module needs it")]
    pub(crate) fn of<'i, T>(&mut self, items: &'i [T]) -> &'i T {
        &items[self.below(items.len())]
    }
}
