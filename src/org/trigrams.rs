//! Which strings a file may contain.

/// A filter of the three bytes in a row of text in lower case (a Bloom filter): it never denies what the text contains,
/// and seldom lets pass what it does not contain.
#[derive(Debug)]
pub(super) struct Trigrams {
    /// Bits; their number is a power of two.
    words: Box<[u64]>,
}

/// Bits for each byte of text. English prose of 10 KB has about 2 300 different trigrams: some twelve bits for each.
const BITS_PER_BYTE: usize = 2;

/// Most bits: that a long text is read in vain costs less than what is kept of it.
const MOST_BITS: usize = 1 << 20;

impl Trigrams {
    /// Those of some text.
    pub(super) fn of(text: &str) -> Self {
        let bits = (text.len() * BITS_PER_BYTE).next_power_of_two().clamp(512, MOST_BITS);
        let mut filter = Self { words: vec![0; bits / 64].into() };
        for trigram in trigrams(text.to_lowercase().as_bytes()) {
            for bit in filter.bits(trigram) {
                filter.words[bit / 64] |= 1 << (bit % 64);
            }
        }
        filter
    }

    /// Whether the text may contain a string, which is in lower case.
    pub(super) fn may_contain(&self, wanted: &str) -> bool {
        let is_set = |bit: usize| self.words[bit / 64] & (1 << (bit % 64)) != 0;
        trigrams(wanted.as_bytes()).all(|trigram| self.bits(trigram).into_iter().all(is_set))
    }

    /// How many bytes of memory it takes.
    pub(super) fn bytes(&self) -> usize {
        size_of_val(&*self.words)
    }

    /// The two bits of a trigram: parts of its product with an odd number near 2^64 divided by the golden ratio, whose
    /// high bits depend on all bits of the trigram.
    fn bits(&self, trigram: u64) -> [usize; 2] {
        let hash = trigram.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let mask = self.words.len() * 64 - 1;
        [(hash >> 44) as usize & mask, (hash >> 24) as usize & mask]
    }
}

fn trigrams(bytes: &[u8]) -> impl Iterator<Item = u64> {
    bytes.windows(3).map(|three| u64::from(three[0]) << 16 | u64::from(three[1]) << 8 | u64::from(three[2]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_that_occur_are_never_denied() {
        let text = "Grüße an Ann.\nInvoice ΟΔΟΣ 2026-01-31\n".repeat(40);
        let filter = Trigrams::of(&text);
        let lower = text.to_lowercase();
        for start in lower.char_indices().map(|(at, _)| at).take(60) {
            for end in lower.char_indices().map(|(at, _)| at).filter(|end| *end > start).take(80) {
                assert!(filter.may_contain(&lower[start..end]), "{}", &lower[start..end]);
            }
        }
        assert!(filter.may_contain("") && filter.may_contain("zz"), "too short to be denied");
    }

    #[test]
    fn strings_that_do_not_occur_are_mostly_denied() {
        let words = ["report", "invoice", "meeting", "garden", "travel", "budget", "letter", "window"];
        let text: String =
            (0..1500).map(|at| format!("{} ", words[at * at % 7 + usize::from(at % 11 == 0)])).collect();
        let filter = Trigrams::of(&text);
        let wrong = (0..1000).filter(|at| filter.may_contain(&format!("q{at}x"))).count();
        assert!(wrong < 20, "{wrong} of 1000");
    }
}
