//! Works in BibTeX and BibLaTeX.

use std::collections::HashMap;

use super::{
    reference::{Name, Reference},
    tex, year_of,
};

/// Most works of one file.
const MOST: usize = 50_000;

/// Bytes after which nothing is joined to a value.
const LONGEST: usize = 16 * 1024;

type Fields = HashMap<String, String>;

/// A work as the file has it.
struct Entry {
    /// In lower case.
    kind: String,
    key: String,
    fields: Fields,
}

/// The works of a file. What is not an entry is a comment.
pub(super) fn references(text: &str) -> Vec<Reference> {
    let mut reader = Reader { text, at: 0, strings: HashMap::new(), entries: Vec::new() };
    while reader.entry() && reader.entries.len() < MOST {}
    let entries = reader.entries;
    let parents: HashMap<String, usize> =
        entries.iter().enumerate().map(|(index, entry)| (entry.key.to_lowercase(), index)).collect();
    let with_parent = |fields: &Fields| -> Fields {
        let mut fields = fields.clone();
        let parent = fields.get("crossref").and_then(|key| parents.get(&key.to_lowercase()));
        if let Some(parent) = parent.and_then(|index| entries.get(*index)) {
            for (key, value) in &parent.fields {
                // The title of the whole is that of the book.
                let key = if key == "title" { "booktitle" } else { key.as_str() };
                fields.entry(key.to_owned()).or_insert_with(|| value.clone());
            }
        }
        fields
    };
    entries.iter().map(|entry| reference(&entry.kind, &entry.key, &with_parent(&entry.fields))).collect()
}

fn reference(kind: &str, key: &str, fields: &Fields) -> Reference {
    let text = |names: &[&str]| {
        let found = names.iter().find_map(|name| fields.get(*name)).filter(|value| !value.trim().is_empty());
        found.map(|value| tex::text(value)).unwrap_or_default()
    };
    let raw = |name: &str| fields.get(name).map(|value| value.trim().to_owned()).unwrap_or_default();
    let people = |name: &str| fields.get(name).map(|value| names(value)).unwrap_or_default();
    let genre = match (kind, text(&["type"])) {
        ("phdthesis", own) if own.is_empty() => "PhD thesis".to_owned(),
        ("mastersthesis", own) if own.is_empty() => "Master’s thesis".to_owned(),
        (_, own) => own,
    };
    let mut title = text(&["title"]);
    let subtitle = text(&["subtitle"]);
    if !subtitle.is_empty() {
        title = format!("{title}: {subtitle}");
    }
    Reference {
        id: key.to_owned(),
        kind: csl_type(kind).to_owned(),
        authors: people("author"),
        editors: people("editor"),
        year: fields.get("year").or_else(|| fields.get("date")).and_then(|date| year_of(&tex::text(date))),
        title,
        container: text(&["journal", "journaltitle", "booktitle", "maintitle"]),
        volume: text(&["volume"]),
        issue: text(&["issue", "number"]),
        pages: text(&["pages"]),
        publisher: text(&["publisher", "school", "institution", "organization", "howpublished"]),
        edition: text(&["edition"]),
        genre,
        number: text(&["number"]),
        doi: raw("doi").trim_start_matches("https://doi.org/").to_owned(),
        url: raw("url"),
    }
}

/// The type of a work as the Citation Style Language names it.
fn csl_type(kind: &str) -> &'static str {
    match kind {
        "article" => "article-journal",
        "book" | "mvbook" | "collection" | "proceedings" => "book",
        "inbook" | "incollection" => "chapter",
        "inproceedings" | "conference" => "paper-conference",
        "phdthesis" | "mastersthesis" | "thesis" => "thesis",
        "techreport" | "report" => "report",
        "online" | "electronic" | "www" => "webpage",
        "software" => "software",
        _ => "document",
    }
}

/// Names separated by `and`: `Last, First`, `First von Last`, or one in braces, which is not divided.
fn names(value: &str) -> Vec<Name> {
    let mut out = Vec::new();
    for name in split_outside(value, " and ") {
        let name = name.trim();
        let whole = name.starts_with('{') && name.ends_with('}') && depth_closes_last(name);
        if name.is_empty() {
            continue;
        }
        if whole {
            out.push(Name { family: tex::text(name), ..Name::default() });
            continue;
        }
        let parts = split_outside(name, ",");
        let (before, given) = match parts.as_slice() {
            [own] => {
                let words = split_outside(own, " ");
                let words: Vec<&str> = words.into_iter().filter(|word| !word.is_empty()).collect();
                let last = words.len().saturating_sub(1);
                // Words in lower case begin what is not a given name.
                let start = words[..last].iter().position(|word| is_lower(word)).unwrap_or(last);
                (words[start..].join(" "), words[..start].join(" "))
            }
            [family, rest @ ..] => {
                ((*family).to_owned(), rest.last().map_or(String::new(), |given| (*given).to_owned()))
            }
            [] => continue,
        };
        let words: Vec<&str> = before.split_whitespace().collect();
        let start = words.iter().position(|word| !is_lower(word)).unwrap_or(0);
        out.push(Name {
            family: tex::text(&words[start..].join(" ")),
            given: tex::text(&given),
            particle: tex::text(&words[..start].join(" ")),
        });
    }
    out
}

fn is_lower(word: &str) -> bool {
    word.starts_with(|c: char| c.is_lowercase())
}

/// Whether the first brace is closed by the last one.
fn depth_closes_last(text: &str) -> bool {
    let mut depth = 0_u32;
    for (at, c) in text.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return at + 1 == text.len();
        }
    }
    false
}

/// Parts between separators that are not in braces.
fn split_outside<'t>(text: &'t str, separator: &str) -> Vec<&'t str> {
    let mut out = Vec::new();
    let (mut depth, mut start, mut at) = (0_u32, 0, 0);
    while at < text.len() {
        match text.as_bytes()[at] {
            b'{' => depth += 1,
            b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        let matches = |byte: &u8, wanted: u8| {
            if wanted == b' ' { byte.is_ascii_whitespace() } else { byte.eq_ignore_ascii_case(&wanted) }
        };
        let here = text.as_bytes().get(at..at + separator.len());
        if depth == 0
            && here.is_some_and(|here| {
                here.iter().zip(separator.bytes()).all(|(own, wanted)| matches(own, wanted))
            })
        {
            out.push(&text[start..at]);
            at += separator.len();
            start = at;
        } else {
            at += 1;
        }
    }
    out.push(&text[start..]);
    out
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
    /// Values that have names.
    strings: HashMap<String, String>,
    entries: Vec<Entry>,
}

impl<'t> Reader<'t> {
    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    fn spaces(&mut self) {
        self.at += self.rest().len() - self.rest().trim_start().len();
    }

    fn take(&mut self, c: char) -> bool {
        self.spaces();
        let found = self.rest().starts_with(c);
        self.at += if found { c.len_utf8() } else { 0 };
        found
    }

    fn word(&mut self) -> &'t str {
        self.spaces();
        let rest = self.rest();
        let end = rest
            .find(|c: char| {
                c.is_whitespace() || matches!(c, ',' | '=' | '{' | '}' | '(' | ')' | '#' | '"' | '@')
            })
            .unwrap_or(rest.len());
        self.at += end;
        &rest[..end]
    }

    /// Reads what begins at the next `@`; gives whether there is one.
    fn entry(&mut self) -> bool {
        let Some(sign) = self.rest().find('@') else { return false };
        self.at += sign + 1;
        let kind = self.word().to_lowercase();
        if kind == "comment" || kind == "preamble" || !(self.take('{') || self.take('(')) {
            return true;
        }
        if kind == "string" {
            let name = self.word().to_lowercase();
            if self.take('=') {
                let value = self.value();
                self.strings.insert(name, value);
            }
            return true;
        }
        let key = self.word().to_owned();
        let mut fields = Fields::new();
        while self.take(',') {
            let name = self.word().to_lowercase();
            if name.is_empty() || !self.take('=') {
                break;
            }
            let value = self.value();
            fields.entry(name).or_insert(value);
        }
        if !key.is_empty() {
            self.entries.push(Entry { kind, key, fields });
        }
        true
    }

    /// Pieces joined with `#`: in braces, in quotes, numbers, and names of strings.
    fn value(&mut self) -> String {
        let mut out = String::new();
        loop {
            self.spaces();
            match self.rest().chars().next() {
                Some('{') => out.push_str(self.enclosed('}')),
                Some('"') => out.push_str(self.enclosed('"')),
                _ => {
                    let word = self.word();
                    match self.strings.get(&word.to_lowercase()) {
                        Some(known) => out.push_str(known),
                        None => out.push_str(word),
                    }
                }
            }
            // Strings can double each other.
            if !self.take('#') || out.len() > LONGEST {
                return out;
            }
        }
    }

    /// What is before the closing character that is not in braces.
    fn enclosed(&mut self, closing: char) -> &'t str {
        self.at += 1;
        let rest = self.rest();
        let mut depth = 0_u32;
        let mut escaped = false;
        for (at, c) in rest.char_indices() {
            if depth == 0 && c == closing && !escaped {
                self.at += at + 1;
                return &rest[..at];
            }
            match c {
                '{' if !escaped => depth += 1,
                '}' if !escaped => depth = depth.saturating_sub(1),
                _ => {}
            }
            escaped = c == '\\' && !escaped;
        }
        self.at = self.text.len();
        rest
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::budget::timed;

    #[test]
    fn entries_are_read_with_strings_and_parents() {
        let found = references(
            "Words.\n@string{aw = \"Addison\" # {-Wesley}}\n@comment{x}\n@Book(knuth, author = \"Knuth, Donald E.\", title = {The {\\TeX}book},\n\
             publisher = aw, year = 1984)\n@inproceedings{talk, author={Jane van der Roe and {World Health Organization}}, title={A Talk}, crossref={Conf}}\n\
             @proceedings{conf, title={Proceedings}, year={2010}}\n@article{",
        );
        let ids: Vec<&str> = found.iter().map(|found| found.id.as_str()).collect();
        assert_eq!(ids, ["knuth", "talk", "conf"]);
        assert_eq!((found[0].title.as_str(), found[0].publisher.as_str()), ("The TeXbook", "Addison-Wesley"));
        assert_eq!(found[0].authors[0].inverted(), "Knuth, Donald E.");
        assert_eq!(found[1].authors[0].inverted(), "Roe, Jane van der");
        assert_eq!(found[1].authors[1].family, "World Health Organization");
        assert_eq!((found[1].container.as_str(), found[1].year.as_deref()), ("Proceedings", Some("2010")));
    }

    #[test]
    fn hostile_files_take_linear_time() {
        for piece in ["@a{b, c = {", "@", "@string{a = a # a}\n", "@a{b, c = \"{\"", "{} and "] {
            let (_, took) = timed(|| references(&piece.repeat(20_000)));
            assert!(took.as_secs() < 10, "{piece}");
        }
    }
}
