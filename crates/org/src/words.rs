//! The words of a file, and which strings it may contain.

use foldhash::{HashMap, HashMapExt};

/// The words of some text in lower case, and the places where each of them is.
#[derive(Debug, Default)]
pub(super) struct Words {
    /// Each word once, with a line break after it.
    text: String,
    /// Where the places of each word end.
    ends: Vec<u32>,
    /// The places of the words, in the order of their lines.
    places: Vec<u32>,
}

impl Words {
    /// The words of some text in lower case; `place_of` gives the place of a line.
    pub(super) fn of(text: &str, mut place_of: impl FnMut(u32) -> u32) -> Self {
        let mut numbers: HashMap<&str, usize> = HashMap::new();
        let mut words = Self::default();
        // The number of a word with a place, and the last place of each word with how many it has.
        let (mut found, mut last) = (Vec::new(), Vec::new());
        for (line, at) in text.split('\n').zip(1..) {
            let place = place_of(at);
            for word in words_in(line) {
                let number = *numbers.entry(word).or_insert_with(|| {
                    words.text.push_str(word);
                    words.text.push('\n');
                    last.push((None, 0));
                    last.len() - 1
                });
                let (last_place, count) = &mut last[number];
                if last_place.replace(place) != Some(place) {
                    *count += 1;
                    found.push((number, place));
                }
            }
        }
        let mut starts: Vec<u32> = Vec::with_capacity(last.len());
        let mut end = 0;
        for (_, count) in last {
            starts.push(end);
            end += count;
        }
        words.places = vec![0; found.len()];
        for (number, place) in found {
            words.places[starts[number] as usize] = place;
            starts[number] += 1;
        }
        words.ends = starts;
        words
    }

    /// Each word with its places.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, &[u32])> {
        let starts = std::iter::once(&0).chain(&self.ends);
        let places = starts.zip(&self.ends).map(|(start, end)| &self.places[*start as usize..*end as usize]);
        self.text.lines().zip(places)
    }
}

/// The words of some text.
fn words_in(text: &str) -> impl Iterator<Item = &str> {
    text.split(is_boundary).filter(|word| !word.is_empty())
}

/// Whether a character is not part of a word.
pub(super) fn is_boundary(c: char) -> bool {
    !c.is_alphanumeric()
}

/// A filter of the three bytes in a row of text in lower case (a Bloom filter): it never denies what the text contains,
/// and seldom lets pass what it does not contain.
#[derive(Debug)]
pub(super) struct Trigrams {
    /// Bits; their number is a power of two.
    words: Box<[u64]>,
}

/// Bits for each byte of text. English prose of 10 KB has about 2 300 different trigrams: some seven bits for each.
const BITS_PER_BYTE: usize = 1;

/// Most bits: that a long text is read in vain costs less than what is kept of it.
const MOST_BITS: usize = 1 << 20;

impl Trigrams {
    /// The trigrams of some text, which is in lower case.
    pub(super) fn of(text: &str) -> Self {
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
    fn words_have_the_places_of_their_lines() {
        let words = Words::of("one two\ntwo, one\n\nthree one", |line| line / 2);
        let found: Vec<(&str, &[u32])> = words.iter().collect();
        assert_eq!(found, [("one", &[0, 1, 2][..]), ("two", &[0, 1]), ("three", &[2])]);
    }

    #[test]
    fn strings_that_occur_are_never_denied() {
        let text = "Grüße an Ann.\nInvoice ΟΔΟΣ 2026-01-31\n".repeat(40).to_lowercase();
        let filter = Trigrams::of(&text);
        for start in text.char_indices().map(|(at, _)| at).take(60) {
            for end in text.char_indices().map(|(at, _)| at).filter(|end| *end > start).take(80) {
                assert!(filter.may_contain(&text[start..end]), "{}", &text[start..end]);
            }
        }
        assert!(filter.may_contain(""));
        assert!(!filter.may_contain("zzz"));
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
