//! The words of all files, with the files and headlines that have them.
//!
//! The places of a word are a few bytes for each headline that has it, one list for each word. A query looks for its
//! words in the text of all words, and reads only the lists of those that it finds.

use foldhash::{HashMap, HashMapExt};
use memchr::memmem::Finder;

use super::words::{Words, is_boundary};

/// The words of the files of an index, in lower case.
///
/// A file has a number. One that has changed gets another number: that of its old words is not asked for any more.
#[derive(Debug, Clone)]
pub(super) struct Vocabulary {
    numbers: HashMap<Box<str>, u32>,
    /// Each word with a line break before it and after it, in the order of their numbers.
    text: String,
    /// Where each word begins in the text.
    starts: Vec<u32>,
    places: Vec<Places>,
    /// How many files were added.
    files: u32,
    /// How many of them were left out when it was made.
    dropped: u32,
    /// Bytes of all places.
    bytes: usize,
}

/// Where a word is: for each file the distance to the number of the file before, how many places it has there, and the
/// distance of each place to the one before, which wraps around. Numbers are written with seven bits in a byte, the lowest first.
#[derive(Debug, Clone, Default)]
struct Places {
    bytes: Vec<u8>,
    last: u32,
}

/// Most bytes of places that are read to know which files have a string. A string with more of them is in most files.
const MOST_READ: usize = 2 << 20;

/// A set of files, by number.
pub(super) struct FileSet {
    bits: Vec<u64>,
}

impl FileSet {
    fn none(files: u32) -> Self {
        Self { bits: vec![0; files.div_ceil(64) as usize] }
    }

    fn add(&mut self, file: u32) {
        self.bits[file as usize / 64] |= 1 << (file % 64);
    }

    /// Whether a file is in it.
    pub(super) fn contains(&self, file: u32) -> bool {
        self.bits.get(file as usize / 64).is_some_and(|bits| bits & (1 << (file % 64)) != 0)
    }

    fn retain(&mut self, other: &Self) {
        for (bits, other) in self.bits.iter_mut().zip(&other.bits) {
            *bits &= other;
        }
    }
}

impl Default for Vocabulary {
    fn default() -> Self {
        Self {
            numbers: HashMap::new(),
            text: "\n".to_owned(),
            starts: Vec::new(),
            places: Vec::new(),
            files: 0,
            dropped: 0,
            bytes: 0,
        }
    }
}

impl Vocabulary {
    /// Adds the words of a file; its number.
    pub(super) fn add(&mut self, words: &Words) -> u32 {
        let file = self.files;
        self.files += 1;
        for (word, places) in words.iter() {
            let number = self.number(word);
            self.bytes += self.places[number as usize].add(file, places);
        }
        file
    }

    fn number(&mut self, word: &str) -> u32 {
        if let Some(number) = self.numbers.get(word) {
            return *number;
        }
        let number = self.starts.len() as u32;
        self.starts.push(self.text.len() as u32);
        self.text.push_str(word);
        self.text.push('\n');
        self.places.push(Places::default());
        self.numbers.insert(word.into(), number);
        number
    }

    /// How many bytes the places of all files take.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// How many files were added, those that have changed since included.
    pub(super) fn files(&self) -> u32 {
        self.files
    }

    /// How many of them were left out by [`Self::of_files`].
    pub(super) fn dropped(&self) -> u32 {
        self.dropped
    }

    /// The vocabulary of some of the files, which keep their numbers.
    pub(super) fn of_files(&self, is_kept: impl Fn(u32) -> bool) -> Self {
        let mut kept = Self::default();
        for (word, places) in self.text[1..].lines().zip(&self.places) {
            let mut in_file: Vec<u32> = Vec::new();
            let mut file = None;
            let mut add = |file: Option<u32>, places: &mut Vec<u32>| {
                if let Some(file) = file.filter(|file| is_kept(*file)) {
                    let number = kept.number(word);
                    kept.bytes += kept.places[number as usize].add(file, places);
                }
                places.clear();
            };
            places.each(|at, place| {
                if file.is_some_and(|file| file != at) {
                    add(file, &mut in_file);
                }
                file = Some(at);
                in_file.push(place);
            });
            add(file, &mut in_file);
        }
        let count = (0..self.files).filter(|file| is_kept(*file)).count() as u32;
        Self { files: self.files, dropped: self.files - count, ..kept }
    }

    /// The files that have all words of a string, which is in lower case. The first one may be the end of a word of the
    /// file, and the last one the beginning. Nothing where that says little.
    pub(super) fn files_with(&self, wanted: &str) -> Option<FileSet> {
        let mut found: Option<FileSet> = None;
        let mut start = 0;
        loop {
            let length = wanted[start..].find(is_boundary).unwrap_or(wanted.len() - start);
            let end = start + length;
            let before = if start == 0 { "" } else { "\n" };
            let after = if end == wanted.len() { "" } else { "\n" };
            let word = [before, &wanted[start..end], after].concat();
            if length > 0
                && let Some(files) = self.files_with_word(&word)
            {
                match &mut found {
                    Some(found) => found.retain(&files),
                    None => found = Some(files),
                }
            }
            match wanted[end..].chars().next() {
                Some(boundary) => start = end + boundary.len_utf8(),
                None => return found,
            }
        }
    }

    fn files_with_word(&self, part: &str) -> Option<FileSet> {
        let words = self.words_with(part);
        if words.iter().map(|word| self.places[*word].bytes.len()).sum::<usize>() > MOST_READ {
            return None;
        }
        let mut files = FileSet::none(self.files);
        for word in words {
            self.places[word].each(|file, _| files.add(file));
        }
        Some(files)
    }

    /// Files and places whose lines contain a string, which is in lower case, each once and ascending. Nothing where
    /// the string is not a part of a word.
    pub(super) fn places_with(&self, wanted: &str) -> Option<Vec<(u32, u32)>> {
        if wanted.is_empty() || wanted.contains(is_boundary) {
            return None;
        }
        let mut found = Vec::new();
        for word in self.words_with(wanted) {
            self.places[word].each(|file, place| found.push((file, place)));
        }
        found.sort_unstable();
        found.dedup();
        Some(found)
    }

    /// The numbers of the words that contain a string; a line break in it is the beginning or the end of a word.
    fn words_with(&self, part: &str) -> Vec<usize> {
        let (finder, text) = (Finder::new(part), self.text.as_bytes());
        let mut found = Vec::new();
        let mut from = 0;
        while let Some(at) = finder.find(&text[from..]) {
            // The line break before a word is not yet the word.
            let at = from + at + usize::from(part.starts_with('\n'));
            let word = self.starts.partition_point(|start| *start as usize <= at) - 1;
            found.push(word);
            // The next word begins after a line break, which a search may begin with.
            from = self.starts.get(word + 1).map_or(text.len(), |start| *start as usize - 1);
        }
        found
    }
}

impl Places {
    /// Adds the places of a file, which comes after those that were added; how many bytes they take.
    fn add(&mut self, file: u32, places: &[u32]) -> usize {
        let before = self.bytes.len();
        self.write(file - self.last);
        self.last = file;
        self.write(places.len() as u32);
        let mut last = 0;
        for place in places {
            self.write(place.wrapping_sub(last));
            last = *place;
        }
        self.bytes.len() - before
    }

    fn write(&mut self, mut number: u32) {
        while number > 0x7F {
            self.bytes.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.bytes.push(number as u8);
    }

    /// Calls `found` with each file and place.
    fn each(&self, mut found: impl FnMut(u32, u32)) {
        let mut bytes = self.bytes.iter();
        let mut read = || {
            let (mut number, mut shift) = (0, 0);
            for byte in bytes.by_ref() {
                number |= u32::from(byte & 0x7F) << shift;
                shift += 7;
                if byte & 0x80 == 0 {
                    return Some(number);
                }
            }
            None
        };
        let mut file = 0;
        while let Some(distance) = read() {
            file += distance;
            let mut place = 0;
            for _ in 0..read().unwrap_or(0) {
                place = read().unwrap_or(0).wrapping_add(place);
                found(file, place);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A vocabulary of files whose lines are places.
    fn vocabulary(texts: &[String]) -> Vocabulary {
        let mut vocabulary = Vocabulary::default();
        for text in texts {
            vocabulary.add(&Words::of(text, |line| line * 100));
        }
        vocabulary
    }

    proptest! {
        #[test]
        fn places_are_those_of_the_lines(
            texts in prop::collection::vec("[aäb ,\n]{0,30}", 1..5),
            wanted in "[aäb]{1,3}",
        ) {
            let lines = |text: &String| text.split('\n').map(str::to_owned).collect::<Vec<_>>();
            let mut expected = Vec::new();
            for (file, text) in (0..).zip(&texts) {
                let found = (1..).zip(lines(text)).filter(|(_, line)| line.contains(&wanted));
                expected.extend(found.map(|(line, _)| (file, line * 100)));
            }
            prop_assert_eq!(vocabulary(&texts).places_with(&wanted), Some(expected));
        }

        #[test]
        fn files_that_are_kept_have_the_same_places(texts in prop::collection::vec("[ab \n]{0,20}", 1..6)) {
            let all = vocabulary(&texts);
            let kept = all.of_files(|file| file % 2 == 0);
            for wanted in ["a", "b", "ab", "bb"] {
                let mut expected = all.places_with(wanted).unwrap();
                expected.retain(|(file, _)| file % 2 == 0);
                prop_assert_eq!(kept.places_with(wanted).unwrap(), expected);
            }
        }

        #[test]
        fn files_that_contain_a_string_have_its_words(
            texts in prop::collection::vec("[aäb ,\n]{0,20}", 1..5),
            wanted in "[aäb ,]{1,4}",
        ) {
            let found = vocabulary(&texts).files_with(&wanted);
            for (file, text) in (0..).zip(&texts) {
                let is_in = found.as_ref().is_none_or(|found| found.contains(file));
                prop_assert!(is_in || !text.contains(&wanted));
            }
        }
    }

    #[test]
    fn words_are_whole_within_a_string() {
        let texts = ["an invoice".to_owned(), "invoices an".to_owned(), "the plan".to_owned()];
        let with = |wanted: &str| {
            let found = vocabulary(&texts).files_with(wanted).unwrap();
            (0..3).filter(|file| found.contains(*file)).collect::<Vec<_>>()
        };
        assert_eq!(with("an inv"), [0, 1]);
        assert_eq!(with("an"), [0, 1, 2]);
        assert_eq!(with("invoice "), [0]);
        assert_eq!(with(" an "), [0, 1]);
        assert!(with("zebra").is_empty());
        assert!(vocabulary(&texts).files_with("[[").is_none());
        assert!(vocabulary(&texts).places_with("an inv").is_none());
    }
}
