//! The set-up files that a document names with `#+SETUPFILE:`, as far as they can be read.
//!
//! Source: `org-collect-keywords` of Org 9.8.9: the keywords of a set-up file count where it is named, those that it
//! names too, relative to its own folder; a file that names itself is read once.

use std::{collections::BTreeMap, io, sync::Arc};

use serde_json::Value;

use super::{
    super::{KindOption, KindOptions, ParseOptions},
    keywords::keywords,
};

/// Fewest stars of a headline that is an inline task; `null` where there are no such tasks.
pub const INLINE_TASKS: KindOption = KindOption {
    name: "inline_tasks",
    description: "Fewest stars of a headline that is an inline task; `null` where there are no such tasks.",
    default: || Value::Null,
};

fn stars(value: &Value) -> Option<usize> {
    value.as_u64().and_then(|stars| stars.try_into().ok())
}

/// Most set-up files of a document, those that they name included.
const MOST_FILES: usize = 32;

/// Most bytes of all set-up files of a document.
const MOST_BYTES: usize = 1 << 20;

/// The content of set-up files by path from the folder of the document; nothing where a file cannot be read.
type SetupFiles = BTreeMap<String, Option<String>>;

/// What a document is read with: its set-up files, and what the configuration says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Setup {
    files: Option<Arc<SetupFiles>>,
    /// Fewest stars of an inline task, where there are such tasks.
    inline_tasks: Option<usize>,
}

impl Setup {
    /// A setup without set-up files and inline tasks.
    pub(super) const fn none() -> Self {
        Self { files: None, inline_tasks: None }
    }

    /// Sets the fewest stars of an inline task; nothing where no headlines are inline tasks.
    #[must_use]
    pub fn with_inline_tasks(self, inline_tasks: Option<usize>) -> Self {
        Self { inline_tasks, ..self }
    }

    /// Sets what the options say.
    #[must_use]
    pub fn with_options(self, options: &KindOptions) -> Self {
        self.with_inline_tasks(options.get(&INLINE_TASKS).and_then(stars))
    }

    /// Fewest stars of an inline task, where there are such tasks.
    pub(super) fn inline_tasks(&self) -> Option<usize> {
        self.inline_tasks
    }

    /// What a document is read with by these options.
    pub(super) fn with(text: &str, options: &ParseOptions<'_>) -> Self {
        let files = options.read.map_or_else(Self::default, |read| Self::of(text, read));
        files.with_inline_tasks(stars(&options.option(&INLINE_TASKS)))
    }

    /// Reads the set-up files of a document; `read` takes paths from its folder.
    pub fn of(text: &str, read: impl Fn(&str) -> io::Result<Vec<u8>>) -> Self {
        if !names_any(text) {
            return Self::none();
        }
        let mut files = SetupFiles::new();
        let mut bytes = 0;
        let mut named: Vec<String> = named_in(text, "");
        while let Some(path) = named.pop() {
            if files.contains_key(&path) || files.len() >= MOST_FILES {
                continue;
            }
            let text = read(&path).ok().and_then(|bytes| String::from_utf8(bytes).ok());
            let text = text.filter(|text| bytes + text.len() <= MOST_BYTES);
            bytes += text.as_ref().map_or(0, String::len);
            named.extend(text.iter().flat_map(|text| named_in(text, &path)));
            files.insert(path, text);
        }
        Self { files: Some(Arc::new(files)), inline_tasks: None }
    }

    /// The paths that were looked at, from the folder of the document, and whether they could be read.
    pub fn paths(&self) -> impl Iterator<Item = (&str, bool)> {
        let files = self.files.iter().flat_map(|files| files.iter());
        files.map(|(path, text)| (path.as_str(), text.is_some()))
    }

    /// The path and the text of the file that the value of a `#+SETUPFILE:` names; `from` is the path of the file that
    /// it is in.
    pub(super) fn named(&self, value: &str, from: &str) -> Option<(&str, &str)> {
        let (path, text) = self.files.as_ref()?.get_key_value(&resolved(value, from)?)?;
        Some((path, text.as_ref()?))
    }
}

/// Whether a document may name set-up files, which few do.
fn names_any(text: &str) -> bool {
    let key = b"SETUPFILE";
    let is_key = |at: usize| {
        let found = text.as_bytes().get(at + 2..at + 2 + key.len());
        found.is_some_and(|found| found.eq_ignore_ascii_case(key))
    };
    memchr::memmem::find_iter(text.as_bytes(), "#+").any(is_key)
}

/// The set-up files that a document or a set-up file names.
fn named_in(text: &str, from: &str) -> Vec<String> {
    let named = keywords(text).into_iter().filter(|(key, _)| key.eq_ignore_ascii_case("SETUPFILE"));
    named.filter_map(|(_, value)| resolved(value, from)).collect()
}

/// The file that the value of a `#+SETUPFILE:` names, where it is one of this project: neither on the network nor by a
/// path from the root of the file system or the user's folder.
pub(super) fn local(value: &str) -> Option<&str> {
    let file = value.trim().trim_matches('"');
    (!file.is_empty() && !file.starts_with(['/', '~']) && !file.contains("://")).then_some(file)
}

/// The path of a file from the folder of the document, which has only `..` at its beginning.
fn resolved(value: &str, from: &str) -> Option<String> {
    let file = local(value)?;
    let mut parts: Vec<&str> = from.split('/').collect();
    parts.pop();
    for part in file.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => _ = parts.pop(),
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::org::Outline;

    fn setup(text: &str, files: &[(&str, &str)]) -> Setup {
        Setup::of(text, |path| {
            let found = files.iter().find(|(name, _)| *name == path);
            found.map(|(_, text)| text.as_bytes().to_vec()).ok_or(io::ErrorKind::NotFound.into())
        })
    }

    #[test]
    fn keywords_of_set_up_files_count_where_they_are_named() {
        let text = "#+TODO: A | B\n#+SETUPFILE: \"../s/one.org\"\n#+TODO: E | F\n#+FILETAGS: :own:\n* C Title\n* E x\n";
        let files = [
            ("../s/one.org", "#+SETUPFILE: sub/two.org\n#+FILETAGS: :one:\n#+PROPERTY: Area home\n"),
            ("../s/sub/two.org", "#+TODO: C | D\n#+PROPERTY: area+ garden\n#+SETUPFILE: ../one.org\n"),
        ];
        let setup = setup(text, &files);
        assert_eq!(setup.paths().collect::<Vec<_>>(), [("../s/one.org", true), ("../s/sub/two.org", true)]);
        let outline = Outline::read_with(text, &setup);
        let keywords: Vec<String> =
            outline.settings.sequences.iter().map(|sequence| sequence.keywords.join(" ")).collect();
        assert_eq!(keywords, ["A B", "C D", "E F"]);
        assert_eq!(outline.settings.filetags, ["one", "own"]);
        assert_eq!((outline.headlines[0].todo, outline.headlines[1].todo), (Some("C"), Some("E")));
    }

    #[test]
    fn properties_of_the_file_add_up() {
        let outline = Outline::read(
            "#+PROPERTY: Area home\n#+PROPERTY: area+ garden\n#+PROPERTY: B 1\n#+PROPERTY: b 2\n",
        );
        let properties: Vec<(&str, &str)> =
            outline.settings.properties.iter().map(|(key, value)| (*key, value.as_ref())).collect();
        assert_eq!(properties, [("Area", "home garden"), ("b", "2")]);
    }

    #[test]
    fn what_names_itself_ends_and_what_is_not_local_is_left_out() {
        let text = "#+SETUPFILE: a.org\n#+SETUPFILE: /etc/a.org\n#+SETUPFILE: https://example.org/a.org\n";
        let setup = setup(text, &[("a.org", "#+SETUPFILE: ./a.org\n#+TODO: X | Y\n")]);
        assert_eq!(setup.paths().collect::<Vec<_>>(), [("a.org", true)]);
        assert_eq!(Outline::read_with(text, &setup).settings.sequences.len(), 1);
        let chain = Setup::of("#+SETUPFILE: a/a.org", |_| Ok(b"#+SETUPFILE: a/a.org\n".to_vec()));
        assert_eq!(chain.paths().count(), MOST_FILES);
        assert_eq!(Outline::read_with("#+SETUPFILE: a/a.org", &chain).settings.sequences.len(), 1);
    }
}
