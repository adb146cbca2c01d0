//! What keywords such as `#+TODO:` say for the whole file.

use std::borrow::Cow;

use super::{keywords::keywords, setup::Setup};

/// Words that a headline may begin with, in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sequence<'t> {
    /// The value of the keyword as it is written; nothing for the default sequence.
    pub value: Option<&'t str>,
    /// Whether the words are kinds of task (`#+TYP_TODO:`) instead of states.
    pub is_type: bool,
    pub keywords: Vec<String>,
    /// Position of the first final state in `keywords`.
    pub done_from: usize,
}

impl<'t> Sequence<'t> {
    /// The states after which nothing is left to do.
    pub fn done(&self) -> &[String] {
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
pub struct Settings<'t> {
    pub sequences: Vec<Sequence<'t>>,
    /// Tags that all headlines inherit.
    pub filetags: Vec<&'t str>,
    /// Tags that `#+TAGS:` lines declare, without their keys and groups.
    pub tags: Vec<&'t str>,
    /// Priorities, from the highest to the lowest; a letter counts as its code.
    pub priorities: (u32, u32),
    /// Properties that `#+PROPERTY:` lines set for the whole file, each name once.
    pub properties: Vec<(&'t str, Cow<'t, str>)>,
    /// Fewest stars of an inline task; absent where headlines of any number of stars begin sections.
    pub inline_tasks: Option<usize>,
}

/// The keywords that are about the whole file: how its headlines are read and changed depends on them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum OfFile {
    FileTags,
    Priorities,
    Property,
    SetupFile,
    Startup,
    Tags,
    Todo,
    TypedTodo,
}

impl OfFile {
    fn named(key: &str) -> Option<Self> {
        Some(match key.to_ascii_uppercase().as_str() {
            "FILETAGS" => Self::FileTags,
            "PRIORITIES" => Self::Priorities,
            "PROPERTY" => Self::Property,
            "SETUPFILE" => Self::SetupFile,
            "STARTUP" => Self::Startup,
            "TAGS" => Self::Tags,
            "TODO" | "SEQ_TODO" => Self::Todo,
            "TYP_TODO" => Self::TypedTodo,
            _ => return None,
        })
    }
}

/// Whether a keyword is about the whole file.
pub(super) fn is_of_file(key: &str) -> bool {
    OfFile::named(key).is_some()
}

impl<'t> Settings<'t> {
    /// What the keywords of a document say.
    #[cfg(test)]
    pub fn read(text: &'t str) -> Self {
        static NONE: Setup = Setup::none();
        Self::read_with(text, &NONE)
    }

    /// What the keywords of a document and of its set-up files say.
    pub fn read_with<'s: 't>(text: &'t str, setup: &'s Setup) -> Self {
        Self::of(keywords(text), setup)
    }

    /// What these keywords of a document say, and those of its set-up files.
    pub(super) fn of<'s: 't>(
        keywords: impl IntoIterator<Item = (&'t str, &'t str)>,
        setup: &'s Setup,
    ) -> Self {
        let mut settings = Self { inline_tasks: setup.inline_tasks(), ..Self::default() };
        settings.read_keywords(keywords, "", setup, &mut Vec::new());
        if settings.sequences.is_empty() {
            settings.sequences.push(Sequence { value: None, ..Sequence::parse("TODO | DONE", false) });
        }
        settings
    }

    /// Reads the keywords of the document or of a set-up file at a path; one that was read before is left out.
    fn read_keywords<'s: 't>(
        &mut self,
        of: impl IntoIterator<Item = (&'t str, &'t str)>,
        from: &str,
        setup: &'s Setup,
        read: &mut Vec<&'s str>,
    ) {
        for (key, value) in of {
            if OfFile::named(key) != Some(OfFile::SetupFile) {
                self.read_keyword(key, value);
            } else if let Some((path, text)) =
                setup.named(value, from).filter(|(path, _)| !read.contains(path))
            {
                read.push(path);
                self.read_keywords(keywords(text), path, setup, read);
            }
        }
    }

    /// Sets a property of the file; `NAME+` adds to the value that it has.
    fn set_property(&mut self, name: &'t str, value: &'t str) {
        let (name, adds) = name.strip_suffix('+').map_or((name, false), |name| (name, true));
        let known = self.properties.iter_mut().find(|(known, _)| known.eq_ignore_ascii_case(name));
        match known {
            Some((_, before)) if adds => *before = format!("{before} {value}").into(),
            Some(known) => *known = (name, value.into()),
            None => self.properties.push((name, value.into())),
        }
    }

    fn read_keyword(&mut self, key: &str, value: &'t str) {
        match OfFile::named(key) {
            Some(OfFile::Todo) => self.sequences.push(Sequence::parse(value, false)),
            Some(OfFile::TypedTodo) => self.sequences.push(Sequence::parse(value, true)),
            Some(OfFile::Priorities) => {
                let mut words = value.split([' ', '\t']).filter(|word| !word.is_empty());
                if let (Some(highest), Some(lowest)) =
                    (words.next().and_then(rank), words.next().and_then(rank))
                {
                    self.priorities = (highest, lowest);
                }
            }
            Some(OfFile::Tags) => {
                let words = value
                    .split([' ', '\t'])
                    .filter(|word| word.starts_with(|c: char| c.is_alphanumeric() || c == '_' || c == '@'));
                self.tags.extend(words.map(|word| word.split('(').next().unwrap_or(word)));
            }
            Some(OfFile::Property) => {
                let (name, value) = value.split_once([' ', '\t']).unwrap_or((value, ""));
                if !name.is_empty() {
                    self.set_property(name, value.trim());
                }
            }
            Some(OfFile::FileTags) => {
                let tags = value.split([':', ' ', '\t']).filter(|tag| !tag.is_empty());
                for tag in tags {
                    if !self.filetags.contains(&tag) {
                        self.filetags.push(tag);
                    }
                }
            }
            Some(OfFile::SetupFile | OfFile::Startup) | None => {}
        }
    }

    /// Whether nothing is left to do in a state.
    pub fn is_final(&self, state: &str) -> bool {
        self.sequences.iter().any(|sequence| sequence.done().iter().any(|done| done == state))
    }

    /// The longest keyword that `title` begins with, followed by a space or the end.
    pub fn todo<'a>(&self, title: &'a str) -> Option<&'a str> {
        let word = &title[..title.find(' ').unwrap_or(title.len())];
        let known = self.sequences.iter().flat_map(|sequence| &sequence.keywords).any(|known| known == word);
        (known && !word.is_empty()).then_some(word)
    }
}

impl Default for Settings<'_> {
    fn default() -> Self {
        Self {
            sequences: Vec::new(),
            filetags: Vec::new(),
            tags: Vec::new(),
            priorities: (u32::from(b'A'), u32::from(b'C')),
            properties: Vec::new(),
            inline_tasks: None,
        }
    }
}

/// What a priority counts as: a number as itself, a letter as its code.
pub fn rank(priority: &str) -> Option<u32> {
    match priority.as_bytes() {
        [letter] if letter.is_ascii_alphabetic() => Some(u32::from(letter.to_ascii_uppercase())),
        _ => priority.parse().ok(),
    }
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
