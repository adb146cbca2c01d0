//! Suggestions for misspelled names.

use crate::budget;

/// Longest word, in characters, that a suggestion is looked for.
const LONGEST: usize = 64;

/// Most characters of a candidate that can be near a word of at most [`LONGEST`], and one more.
const WIDTH: usize = LONGEST + LONGEST / 2 + 2;

/// Most names that a misspelled one is compared with where there are many: comparing all with all is quadratic.
pub const CANDIDATES: usize = 128;

/// The sorted names that a word is compared with: all, or those around it in the alphabet.
pub fn around<'n, T: AsRef<str>>(sorted: &'n [T], word: &str) -> &'n [T] {
    if sorted.len() <= CANDIDATES {
        return sorted;
    }
    let at = sorted.partition_point(|name| name.as_ref() < word);
    let start = at.saturating_sub(CANDIDATES / 2).min(sorted.len() - CANDIDATES);
    &sorted[start..start + CANDIDATES]
}

/// The candidate most similar to `word`, if it is similar enough for a suggestion: at most a third of
/// the longer word may differ, or one character (edit distance with transpositions, case-insensitive). A third is rounded
/// up where both begin with the same character, as nearly all misspelled words do. The first candidate wins a tie. There is no suggestion for words of more than 64 characters, which no one types, nor after those that one
/// validation may look for.
pub fn nearest<'c>(word: &str, candidates: impl IntoIterator<Item = &'c str>) -> Option<&'c str> {
    // Bytes bound characters, and are known without counting.
    if word.len() > LONGEST * 4 {
        return None;
    }
    let mut folded: Vec<char> = Vec::with_capacity(word.len());
    fold(word, &mut folded);
    let length = folded.len();
    if length > LONGEST {
        return None;
    }
    let mask = letters(&folded);
    let mut other: Vec<char> = Vec::new();
    let mut best: Option<(usize, &str)> = None;
    for candidate in candidates {
        if !budget::suggest(1) {
            break;
        }
        if candidate.len() > WIDTH * 4 || candidate.len() * 3 < length || candidate == word {
            continue;
        }
        // Where the lengths are known from bytes, most candidates need no comparison.
        if candidate.is_ascii() && length.abs_diff(candidate.len()) > length.max(candidate.len()).div_ceil(3)
        {
            continue;
        }
        other.clear();
        fold(candidate, &mut other);
        let longer = length.max(other.len());
        let similar = if folded.first() == other.first() { longer.div_ceil(3) } else { (longer / 3).max(1) };
        // Only what is nearer than the best one counts, and what differs in all characters is not near.
        let nearer = best.map_or(similar, |(least, _)| similar.min(least - 1));
        let most = nearer.min(other.len().saturating_sub(1));
        if other.len() >= WIDTH || length.abs_diff(other.len()) > most {
            continue;
        }
        // What the distance costs, in steps.
        if !budget::suggest(1 + (length * (2 * most + 1) / 32) as u64) {
            break;
        }
        if too_different(mask, letters(&other), most) {
            continue;
        }
        if let Some(distance) = distance(&folded, &other, most) {
            best = Some((distance, candidate));
            if distance == 0 {
                break;
            }
        }
    }
    best.map(|(_, candidate)| candidate)
}

/// A word that is compared with many others.
#[derive(Debug, Clone)]
pub struct Word {
    chars: Vec<char>,
    letters: u64,
}

impl Word {
    /// A word as it is written; one of more than 64 characters is not compared.
    pub fn new(word: &str) -> Self {
        let chars: Vec<char> = word.chars().take(WIDTH).collect();
        let letters = letters(&chars);
        Self { chars, letters }
    }

    /// The edit distance with transpositions (optimal string alignment) to another word, where it is at most `most`.
    pub fn distance(&self, other: &Self, most: usize) -> Option<usize> {
        let is_long = self.chars.len().max(other.chars.len()) >= WIDTH;
        if is_long || too_different(self.letters, other.letters, most) {
            return None;
        }
        distance(&self.chars, &other.chars, most)
    }
}

/// The characters of a word as bits; different characters may share a bit.
fn letters(word: &[char]) -> u64 {
    word.iter().fold(0, |mask, c| mask | 1 << (*c as u32 & 63))
}

/// Whether one of two words has more characters that the other one does not have than edits are allowed: an edit
/// removes one at most. Most words differ so much that this is all that is asked.
fn too_different(one: u64, other: u64, most: usize) -> bool {
    (one & !other).count_ones().max((other & !one).count_ones()) as usize > most
}

/// Adds the first characters of a word, in lower case.
fn fold(word: &str, to: &mut Vec<char>) {
    if word.is_ascii() {
        to.extend(word.bytes().take(WIDTH).map(|byte| char::from(byte.to_ascii_lowercase())));
    } else {
        to.extend(word.chars().flat_map(char::to_lowercase).take(WIDTH));
    }
}

/// The number of insertions, deletions, replacements and transpositions of neighbors that lead from one word to
/// the other (optimal string alignment), where it is at most `most`: only cells so near to the diagonal count.
fn distance(from: &[char], to: &[char], most: usize) -> Option<usize> {
    const FAR: u8 = u8::MAX / 2;
    // Cells farther from the diagonal are never read, so those of a row that matter are few.
    let mut rows = [[FAR; WIDTH]; 3];
    for (cell, column) in rows[0].iter_mut().zip(0..).take(to.len().min(most) + 1) {
        *cell = column;
    }
    for row in 1..=from.len() {
        let [current, last, before] = [row % 3, (row + 2) % 3, (row + 1) % 3];
        let first = row.saturating_sub(most);
        rows[current][first.saturating_sub(1)..(row + most + 2).min(WIDTH)].fill(FAR);
        if first == 0 {
            rows[current][0] = u8::try_from(row).unwrap_or(FAR).min(FAR);
        }
        let mut least = if first == 0 { rows[current][0] } else { FAR };
        for column in first.max(1)..=to.len().min(row + most) {
            let (a, b) = (from[row - 1], to[column - 1]);
            let replaced = rows[last][column - 1] + u8::from(a != b);
            let mut cost = replaced.min(rows[last][column] + 1).min(rows[current][column - 1] + 1);
            let swapped = row > 1 && column > 1 && a == to[column - 2] && from[row - 2] == b;
            if swapped && a != b {
                cost = cost.min(rows[before][column - 2] + 1);
            }
            rows[current][column] = cost.min(FAR);
            least = least.min(cost);
        }
        if usize::from(least) > most {
            return None;
        }
    }
    let distance = usize::from(rows[from.len() % 3][to.len()]);
    (distance <= most).then_some(distance)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn nearest_suggests_only_similar_words() {
        assert_eq!(nearest("recepient", ["sender", "recipient"]), Some("recipient"));
        assert_eq!(nearest("LLMInferance", ["LLMInference", "Agent"]), Some("LLMInference"));
        assert_eq!(nearest("x", ["y"]), None);
        assert_eq!(nearest("NOPE", ["scope"]), None, "half of a short word is another word");
        assert_eq!(nearest("warn", ["note", "warning"]), Some("warning"));
        assert_eq!(nearest("sope", ["scope"]), Some("scope"));
        assert_eq!(nearest("ab", ["ac"]), Some("ac"));
        let long = "a".repeat(1_000_000);
        assert_eq!(nearest(&long, [format!("{long}b").as_str()]), None, "no one types that");
        assert_eq!(nearest("aaaa", [long.as_str()]), None);
        assert_eq!(nearest("Title", ["title"]), Some("title"));
        assert_eq!(nearest("titel", ["tite", "title"]), Some("tite"), "the first of equally near ones");
    }

    #[test]
    fn of_many_names_those_around_the_word_are_compared() {
        let names: Vec<String> = (0..10_000).map(|n| format!("name{n:04}")).collect();
        assert_eq!(around(&names[..100], "name0050").len(), 100);
        for word in ["name0000", "name5000x", "zzz", ""] {
            let some = around(&names, word);
            assert_eq!(some.len(), CANDIDATES);
            let at = names.partition_point(|name| name.as_str() < word).min(names.len() - 1);
            assert!(some.contains(&names[at]), "{word}");
        }
    }

    proptest! {
        #[test]
        fn the_distance_is_that_of_the_whole_table(
            from in "[abc]{0,12}", to in "[abc]{0,12}", most in 0..12usize
        ) {
            let chars = |word: &str| word.chars().collect::<Vec<char>>();
            let whole = strsim::osa_distance(&from, &to);
            let within = distance(&chars(&from), &chars(&to), most);
            prop_assert_eq!(within, (whole <= most).then_some(whole));
            prop_assert_eq!(Word::new(&from).distance(&Word::new(&to), most), within);
        }
    }
}
