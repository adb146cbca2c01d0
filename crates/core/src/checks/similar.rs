//! Words that are misspelled ones of a list, where other words are allowed too.

use crate::{budget, text::Word};

/// Shortest word that can be a misspelled one.
const SHORTEST: usize = 4;

/// Length up to which misspelled words are recognized: no one types a longer one.
const LONGEST: usize = 64;

/// Length from which two letters of a word may be wrong.
const LONG: usize = 10;

/// Known words, for comparisons.
#[derive(Debug, Default)]
pub(super) struct Similar {
    known: Vec<(String, Word)>,
}

impl FromIterator<String> for Similar {
    fn from_iter<I: IntoIterator<Item = String>>(words: I) -> Self {
        Self { known: words.into_iter().map(|word| (word.clone(), Word::new(&word))).collect() }
    }
}

impl Similar {
    /// The known word that another one was likely meant to be: one letter, or a pair of swapped letters, is wrong,
    /// or two of those in a long one.
    pub(super) fn meant(&self, word: &str) -> Option<&String> {
        if word.len() < SHORTEST {
            return None;
        }
        let most = 1 + usize::from(word.len() >= LONG);
        let near = self.known.iter().filter(|(known, _)| {
            (SHORTEST..=LONGEST).contains(&known.len()) && known.len().abs_diff(word.len()) <= most
        });
        let near = near.take_while(|_| budget::charge(1 + word.len() as u64 / 4));
        let compared = Word::new(word);
        let distances = near.filter_map(|(known, other)| Some((other.distance(&compared, most)?, known)));
        distances.min().map(|(_, known)| known)
    }
}
