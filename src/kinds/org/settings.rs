//! What keywords such as `#+TODO:` say for the whole file.

use super::lines::Lines;

/// Words that a headline may begin with, in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Sequence<'t> {
    /// As it is written; absent for the default.
    pub(crate) value: Option<&'t str>,
    /// Whether the words are kinds of task (`#+TYP_TODO:`) instead of states.
    pub(crate) is_type: bool,
    pub(crate) keywords: Vec<String>,
    /// Position of the first final state in `keywords`.
    pub(crate) done_from: usize,
}

impl<'t> Sequence<'t> {
    /// The states after which nothing is left to do.
    pub(crate) fn done(&self) -> &[String] {
        &self.keywords[self.done_from..]
    }

    /// Reads the value of a `#+TODO:` line. A word's `(t!/@)` names a key for fast selection and what
    /// to log. Without a `|` the last word is the final state.
    fn parse(value: &'t str, is_type: bool) -> Self {
        let mut keywords = Vec::new();
        let mut done_from = None;
        for word in value.split([' ', '\t']).filter(|word| !word.is_empty()) {
            if word == "|" {
                done_from.get_or_insert(keywords.len());
                continue;
            }
            let name = word.strip_suffix(')').and_then(|word| word.rsplit_once('('));
            keywords.push(name.map_or(word, |(name, _)| name).to_owned());
        }
        let last = keywords.len().saturating_sub(1);
        Self { value: Some(value), is_type, done_from: done_from.unwrap_or(last), keywords }
    }
}

/// What the keywords of a file say.
#[derive(Debug, Clone)]
pub(crate) struct Settings<'t> {
    pub(crate) sequences: Vec<Sequence<'t>>,
    /// Tags that all headlines inherit.
    pub(crate) filetags: Vec<&'t str>,
    /// Tags that `#+TAGS:` lines declare, without their keys and groups.
    pub(crate) tags: Vec<&'t str>,
    /// Priorities, from the highest to the lowest; a letter counts as its code.
    pub(crate) priorities: (u32, u32),
}

impl<'t> Settings<'t> {
    /// What the keywords of a document say.
    pub(crate) fn read(text: &'t str) -> Self {
        let mut settings = Self::default();
        for (key, value) in keywords(text) {
            settings.read_keyword(key, value);
        }
        if settings.sequences.is_empty() {
            settings.sequences.push(Sequence { value: None, ..Sequence::parse("TODO | DONE", false) });
        }
        settings
    }

    fn read_keyword(&mut self, key: &str, value: &'t str) {
        match key.to_ascii_uppercase().as_str() {
            "TODO" | "SEQ_TODO" => self.sequences.push(Sequence::parse(value, false)),
            "TYP_TODO" => self.sequences.push(Sequence::parse(value, true)),
            "PRIORITIES" => {
                let mut words = value.split([' ', '\t']).filter(|word| !word.is_empty());
                if let (Some(highest), Some(lowest)) =
                    (words.next().and_then(rank), words.next().and_then(rank))
                {
                    self.priorities = (highest, lowest);
                }
            }
            "TAGS" => {
                let words = value
                    .split([' ', '\t'])
                    .filter(|word| word.starts_with(|c: char| c.is_alphanumeric() || c == '_' || c == '@'));
                self.tags.extend(words.map(|word| word.split('(').next().unwrap_or(word)));
            }
            "FILETAGS" => {
                let tags = value.split([':', ' ', '\t']).filter(|tag| !tag.is_empty());
                for tag in tags {
                    if !self.filetags.contains(&tag) {
                        self.filetags.push(tag);
                    }
                }
            }
            _ => {}
        }
    }

    /// Whether nothing is left to do in a state.
    pub(crate) fn is_final(&self, state: &str) -> bool {
        self.sequences.iter().any(|sequence| sequence.done().iter().any(|done| done == state))
    }

    /// The longest keyword that `title` begins with, followed by a space or the end.
    pub(crate) fn todo(&self, title: &'t str) -> Option<&'t str> {
        let word = &title[..title.find(' ').unwrap_or(title.len())];
        let known = self.sequences.iter().flat_map(|sequence| &sequence.keywords).any(|known| known == word);
        (known && !word.is_empty()).then_some(word)
    }
}

/// The keywords of a document, `#+KEY: value`. Those inside a block (`#+begin_src` to `#+end_src`, without a
/// headline between) are its content.
pub(crate) fn keywords(text: &str) -> Vec<(&str, &str)> {
    let mut keywords = Vec::new();
    // The block that is open, and the number of keywords before it.
    let mut open: Option<(&str, usize)> = None;
    for line in Lines::new(text).filter(|line| line.text.contains("#+") || line.text.starts_with('*')) {
        if line.stars().is_some() {
            open = None;
        } else if let Some(name) = line.block_end() {
            if let Some((_, before)) = open.filter(|(begun, _)| begun.eq_ignore_ascii_case(name)) {
                keywords.truncate(before);
                open = None;
            }
        } else if let Some((name, _)) = line.block_begin() {
            if open.is_none() && is_verbatim(name) {
                open = Some((name, keywords.len()));
            }
        } else {
            keywords.extend(line.keyword());
        }
    }
    keywords
}

/// The value of the last keyword of this name.
pub(crate) fn keyword<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    let named = |(key, _): &(&str, &str)| key.eq_ignore_ascii_case(name);
    keywords(text).into_iter().rev().find(named).map(|(_, value)| value)
}

impl Default for Settings<'_> {
    fn default() -> Self {
        Self {
            sequences: Vec::new(),
            filetags: Vec::new(),
            tags: Vec::new(),
            priorities: (u32::from(b'A'), u32::from(b'C')),
        }
    }
}

/// What a priority counts as: a number as itself, a letter as its code.
pub(crate) fn rank(priority: &str) -> Option<u32> {
    match priority.as_bytes() {
        [letter] if letter.is_ascii_alphabetic() => Some(u32::from(letter.to_ascii_uppercase())),
        _ => priority.parse().ok(),
    }
}

/// Whether what is inside a block of this name is not read as Org.
pub(crate) fn is_verbatim(name: &str) -> bool {
    ["src", "example", "export", "comment"].iter().any(|known| name.eq_ignore_ascii_case(known))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sequences_add_up_and_replace_the_default() {
        let read = |text| {
            let settings = Settings::read(text);
            settings
                .sequences
                .iter()
                .map(|s| format!("{} / {}", s.keywords.join(" "), s.done().join(" ")))
                .collect::<Vec<_>>()
        };
        assert_eq!(read(""), ["TODO DONE / DONE"]);
        assert_eq!(read("#+TODO: A(a!/@) B\n#+typ_todo: | X\n"), ["A B / B", "X / X"]);
        assert_eq!(read("#+TODO:\n"), [" / "]);
    }

    #[test]
    fn keywords_inside_a_closed_block_are_its_content() {
        let tags = |text| Settings::read(text).filetags;
        assert!(tags("#+begin_src org\n#+FILETAGS: :a:\n#+end_src\n").is_empty());
        assert_eq!(tags("#+begin_src org\n#+FILETAGS: :a:\n"), ["a"]);
        assert_eq!(tags("#+begin_src org\n#+FILETAGS: a b\n* H\n#+end_src\n"), ["a", "b"]);
    }
}
