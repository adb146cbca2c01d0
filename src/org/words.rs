//! Which strings a file may contain.

use foldhash::{HashSet, HashSetExt};
use memchr::memmem;

/// The words of some text in lower case, which say whether it may contain a string.
#[derive(Debug)]
pub(super) struct Words {
    trigrams: Trigrams,
    /// Each word once, with a line break before it and after it.
    words: Box<str>,
}

impl Words {
    /// Those of some text.
    pub(super) fn of(text: &str) -> Self {
        let text = text.to_lowercase();
        let mut known = HashSet::new();
        let mut words = String::from("\n");
        for word in text.split(is_boundary).filter(|word| !word.is_empty()) {
            if known.insert(word) {
                words.push_str(word);
                words.push('\n');
            }
        }
        Self { trigrams: Trigrams::of(&text), words: words.into() }
    }

    /// Whether the text may contain a string, which is in lower case: whether it has its words. The first one may be the
    /// end of a word of the text, and the last one the beginning.
    pub(super) fn may_contain(&self, wanted: &str) -> bool {
        self.trigrams.may_contain(wanted) && self.has_words(wanted)
    }

    fn has_words(&self, wanted: &str) -> bool {
        let mut start = 0;
        loop {
            let rest = &wanted[start..];
            let length = rest.find(is_boundary).unwrap_or(rest.len());
            let end = start + length;
            let before = if start == 0 { "" } else { "\n" };
            let after = if end == wanted.len() { "" } else { "\n" };
            let word = [before, &wanted[start..end], after].concat();
            if length > 0 && memmem::find(self.words.as_bytes(), word.as_bytes()).is_none() {
                return false;
            }
            match wanted[end..].chars().next() {
                Some(boundary) => start = end + boundary.len_utf8(),
                None => return true,
            }
        }
    }

    /// How many bytes of memory it takes.
    pub(super) fn bytes(&self) -> usize {
        self.trigrams.bytes() + self.words.len()
    }
}

fn is_boundary(c: char) -> bool {
    !c.is_alphanumeric()
}

/// A filter of the three bytes in a row of text in lower case (a Bloom filter): it never denies what the text contains,
/// and seldom lets pass what it does not contain.
#[derive(Debug)]
struct Trigrams {
    /// Bits; their number is a power of two.
    words: Box<[u64]>,
}

/// Bits for each byte of text. English prose of 10 KB has about 2 300 different trigrams: some seven bits for each.
const BITS_PER_BYTE: usize = 1;

/// Most bits: that a long text is read in vain costs less than what is kept of it.
const MOST_BITS: usize = 1 << 20;

impl Trigrams {
    /// Those of some text, which is in lower case.
    fn of(text: &str) -> Self {
        let bits = (text.len() * BITS_PER_BYTE).next_power_of_two().clamp(512, MOST_BITS);
        let mut filter = Self { words: vec![0; bits / 64].into() };
        for trigram in trigrams(text.as_bytes()) {
            for bit in filter.bits(trigram) {
                filter.words[bit / 64] |= 1 << (bit % 64);
            }
        }
        filter
    }

    /// Whether the text may contain a string, which is in lower case.
    fn may_contain(&self, wanted: &str) -> bool {
        let is_set = |bit: usize| self.words[bit / 64] & (1 << (bit % 64)) != 0;
        trigrams(wanted.as_bytes()).all(|trigram| self.bits(trigram).into_iter().all(is_set))
    }

    fn bytes(&self) -> usize {
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
        let filter = Words::of(&text);
        let lower = text.to_lowercase();
        for start in lower.char_indices().map(|(at, _)| at).take(60) {
            for end in lower.char_indices().map(|(at, _)| at).filter(|end| *end > start).take(80) {
                assert!(filter.may_contain(&lower[start..end]), "{}", &lower[start..end]);
            }
        }
        assert!(filter.may_contain(""));
        for absent in ["zz", "xinvoice", "invoicex", "rü an"] {
            assert!(!filter.may_contain(absent), "{absent}");
        }
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
