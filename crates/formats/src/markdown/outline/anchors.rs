use std::{borrow::Cow, ops::Range};

use foldhash::{HashMap, HashMapExt, HashSet, HashSetExt};
use memchr::memmem;

use super::super::page::Page;
use crate::{
    budget,
    syntax::commonmark::Heading,
    tree::{Scalar, TreeBuilder},
};

/// Adds `anchors` to the open mapping: the names that a link within the document can lead to, in lower case.
pub(super) fn write(headings: &[Heading], page: &Page<'_>, builder: &mut TreeBuilder) {
    let text = page.text();
    builder.key_static("anchors");
    builder.open_sequence(page.span(0..text.len()));
    let mut writer = Writer { page, builder, seen: HashSet::new() };
    let mut times: HashMap<Cow<'_, str>, usize> = HashMap::new();
    for heading in budget::within(headings) {
        let slug = lowercase(heading.slug());
        // GitHub numbers headings of the same name.
        let number = times.entry(slug.clone()).and_modify(|times| *times += 1).or_default();
        match *number {
            0 => writer.add(&slug, &heading.words),
            number => writer.add(&format!("{slug}-{number}"), &heading.words),
        }
        // Pandoc leaves out what comes before the first letter.
        writer.add(slug.trim_start_matches(|c: char| !c.is_alphabetic()), &heading.words);
    }
    for (mark, openings) in OPENINGS {
        // Most documents do not have the mark.
        if memchr::memchr(mark, text.as_bytes()).is_none() {
            continue;
        }
        for opening in openings {
            for at in budget::within(memmem::find_iter(text.as_bytes(), opening)) {
                let start = at + opening.len();
                let ends = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '}' | '>');
                let end = text[start..].find(ends).map_or(text.len(), |length| start + length);
                writer.add(&text[start..end].to_lowercase(), &(start..end));
            }
        }
    }
    builder.close(None);
}

/// A name in lower case, as most of them are.
fn lowercase(name: &str) -> Cow<'_, str> {
    let is_lower = |byte: u8| byte.is_ascii() && !byte.is_ascii_uppercase();
    if name.bytes().all(is_lower) { Cow::Borrowed(name) } else { Cow::Owned(name.to_lowercase()) }
}

/// What begins the name of an anchor, in HTML and in attributes, with a mark that each of them has.
const OPENINGS: [(u8, &[&str]); 2] =
    [(b'=', &["id=\"", "id='", "name=\"", "name='"]), (b'{', &["{#", "{ #", "{: #"])];

/// Bytes of a name in a set, besides its text.
const SEEN: usize = 48;

struct Writer<'w, 'a> {
    page: &'w Page<'a>,
    builder: &'w mut TreeBuilder,
    seen: HashSet<String>,
}

impl Writer<'_, '_> {
    fn add(&mut self, name: &str, range: &Range<usize>) {
        if !name.is_empty() && !self.seen.contains(name) {
            self.seen.insert(name.to_owned());
            budget::allocate(SEEN + name.len());
            self.builder.scalar(Scalar::Text(name), self.page.span(range.clone()));
        }
    }
}
