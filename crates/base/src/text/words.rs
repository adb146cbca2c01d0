//! The words that an author wrote, and whether a change keeps them.
//!
//! A word is a run of letters and digits, at least one of them a letter where the run is a single
//! character. The name of a character reference (`&gt;`, `#quot;`) is punctuation, not a word. Quoting,
//! moving, splitting and joining keep words, and so do a change of case and a corrected spelling.

use std::collections::HashMap;

use crate::budget;

/// Numbers that may be written as digits instead.
const NUMBERS: &[&str] =
    &["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"];

/// Least similarity (Jaro-Winkler) of a word and its corrected spelling.
const SAME_WORD: f64 = 0.88;

/// Longest word, in bytes, that counts as short.
const SHORT: usize = 4;

/// Longest word, in bytes, whose spelling is corrected: no one types a longer one.
const LONGEST: usize = 64;

/// Steps that comparing two words costs.
const COMPARED: u64 = 10;

/// The words of `before` that `after` has no longer, in lower case and in the order of the text.
/// `is_keyword` decides which words belong to the language, not to the author. Words that cannot be compared
/// within the budget are lost.
pub fn lost(before: &str, after: &str, is_keyword: impl Fn(&str) -> bool) -> Vec<String> {
    let (before, after) = changed(before, after);
    let (old, new) = (words(before), words(after));
    let gone = difference(&old, &new);
    if gone.is_empty() {
        return Vec::new();
    }
    let mut come = difference(&new, &old);
    let numbers = digits(after).saturating_sub(digits(before));
    let mut written = 0;
    // Holds the words that were joined with their neighbors or split.
    let joined = come.concat();
    let all_joined = !joined.is_empty() && joined.contains(&gone.concat());
    let mut lost = Vec::new();
    for word in gone {
        let is_left = budget::charge(1 + (come.len() / 8 + joined.len() / 256) as u64);
        let corrected = if is_left { come.iter().position(|other| is_corrected(&word, other)) } else { None };
        if let Some(at) = corrected {
            come.swap_remove(at);
        } else {
            let split = is_left && word.chars().count() > 1 && joined.contains(&word);
            let as_digits = written < numbers && NUMBERS.contains(&word.as_str());
            written += usize::from(as_digits);
            if !all_joined && !split && !as_digits && !is_keyword(&word) {
                lost.push(word);
            }
        }
    }
    lost
}

/// Whether `after` has all words of `before`, each as often.
pub fn keeps(before: &str, after: &str) -> bool {
    difference(&words(before), &words(after)).is_empty()
}

/// How many numbers in digits there are.
fn digits(text: &str) -> usize {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|run| run.bytes().all(|b| b.is_ascii_digit()) && !run.is_empty())
        .count()
}

/// Whether one word is likely a corrected spelling of the other, or of a word that means the same boolean.
fn is_corrected(word: &str, other: &str) -> bool {
    let same: &[&str] = match other {
        "true" => &["yes", "on", "enabled"],
        "false" => &["no", "off", "disabled"],
        _ => &[],
    };
    is_spelling(word, other) || same.iter().any(|same| word == *same || is_spelling(word, same))
}

/// Whether one word is likely a corrected spelling of the other.
fn is_spelling(word: &str, other: &str) -> bool {
    let (shorter, longer) = (word.len().min(other.len()), word.len().max(other.len()));
    // Words of such lengths are never similar enough.
    if longer > LONGEST || shorter * 5 < longer * 2 || !budget::charge(COMPARED) {
        return false;
    }
    // The Jaro-Winkler similarity makes no sense for short words: `tpi` and `tip` have one letter in common there. For
    // longer words it pairs the wrong letters at times: `tmeline` has both of its `i` where `timeline` has the first.
    let may_be_one_letter = longer > SHORT || longer > 2 && word.chars().next() == other.chars().next();
    strsim::jaro_winkler(word, other) >= SAME_WORD
        || (may_be_one_letter && strsim::osa_distance(word, other) == 1)
}

/// The words of `text`, in lower case.
pub fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut start = None;
    let end = [(text.len(), ' ')];
    for (at, c) in text.char_indices().chain(end) {
        match (start, c.is_alphanumeric()) {
            (None, true) => start = Some(at),
            (Some(from), false) => {
                let reference = c == ';' && text[..from].ends_with(['&', '#']);
                let word = &text[from..at];
                let is_digit = word.len() == 1 && word.as_bytes()[0].is_ascii_digit();
                if !reference && !is_digit {
                    words.push(word.to_lowercase());
                }
                start = None;
            }
            _ => {}
        }
    }
    words
}

/// The words of `one` that are not in `other`, each as often as it is missing.
fn difference(one: &[String], other: &[String]) -> Vec<String> {
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for word in other {
        *counts.entry(word).or_default() += 1;
    }
    let missing = |word: &&String| match counts.get_mut(word.as_str()) {
        Some(count) if *count > 0 => {
            *count -= 1;
            false
        }
        _ => true,
    };
    one.iter().filter(missing).cloned().collect()
}

/// Both versions without the lines at their start and end that they share.
fn changed<'t>(before: &'t str, after: &'t str) -> (&'t str, &'t str) {
    let pairs = before.split_inclusive('\n').zip(after.split_inclusive('\n'));
    let start: usize = pairs.take_while(|(old, new)| old == new).map(|(old, _)| old.len()).sum();
    let (before, after) = (&before[start..], &after[start..]);
    let pairs = before.rsplit('\n').zip(after.rsplit('\n'));
    let shared: usize = pairs.take_while(|(old, new)| old == new).map(|(old, _)| old.len() + 1).sum();
    let cut = |text: &'t str| &text[..text.len().saturating_sub(shared)];
    (cut(before), cut(after))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(before: &str, after: &str) -> Vec<String> {
        lost(before, after, |word| word == "title")
    }

    #[test]
    fn quoting_moving_splitting_joining_and_case_keep_words() {
        for (before, after) in [
            ("A[one (two)]", "A[\"one (two)\"]"),
            ("a one\nb two\n", "b two\na one\n"),
            ("flow chart LR", "flowchart LR"),
            ("NewNode", "New_Node"),
            ("A\u{7}B", "AB"),
            ("title: One", "One"),
            ("ALICE", "Alice"),
            ("recepient: Ann", "recipient: Ann"),
            ("1. One", "One"),
            ("callout-tpi", "callout-tip"),
            ("kbx", "kbd"),
            ("flowchart LTR", "flowchart LR"),
            ("toc: yse", "toc: true"),
            ("layout-ncol=\"two\"", "layout-ncol=\"2\""),
            ("A --&gt; B", "A --> B"),
        ] {
            assert_eq!(of(before, after), [""; 0], "{before} -> {after}");
        }
    }

    #[test]
    fn a_word_that_is_gone_or_replaced_is_lost() {
        assert_eq!(of("first\nA --> B : note\nlast\n", "first\nA --> B\nlast\n"), ["note"]);
        assert_eq!(of("a state\n", "a value\n"), ["state"]);
        assert_eq!(of("one one\n", "one\n"), ["one"], "each time it was written counts");
        assert_eq!(of("two 3 parts\n", "3 parts\n"), ["two"], "no digits were written for it");
        assert_eq!(of("B:\n", ":\n"), ["b"]);
    }

    #[test]
    fn comparing_words_is_limited() {
        let words = |first: char| (0..2_000).map(|n| format!("{first}{:x}\n", n * 7_919)).collect::<String>();
        let (before, after) = (words('k'), words('z'));
        let limited = budget::Budget { steps: Some(100_000), ..budget::Budget::default() };
        let (lost, spent) = limited.spend(|| of(&before, &after));
        assert!(spent.exceeded.is_some(), "{spent:?}");
        assert!(!lost.is_empty(), "what was not compared counts as lost");
        let long = ["x".repeat(100_000), "x".repeat(100_000) + "y"];
        assert_eq!(of(&long[0], &long[1]).len(), 0, "it is a part of the other one");
        assert_eq!(of(&long[1], &long[0]).len(), 1);
    }
}
