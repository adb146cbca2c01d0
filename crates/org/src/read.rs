//! Reading a headline or the part of a file before its first one.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::{
    files::{self, Files, OrgError},
    hash::hash,
    headline::HeadlineInfo,
    uri::Location,
};
use crate::kinds::org::{Drawer, Outline};

/// Most bytes of text in an answer.
const MOST: usize = 64 << 10;

/// Most headlines below that an answer lists.
const CHILDREN: usize = 200;

/// A headline with its text, or a file with the text before its first headline.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Read {
    /// Absent for a file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub headline: Option<HeadlineInfo>,
    /// Own properties.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub properties: BTreeMap<String, String>,
    /// The Org text, with `depth` levels of headlines below.
    pub text: String,
    /// Whether the text is cut.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
    /// The headlines directly below.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub children: Vec<Child>,
    /// Hash of the file, for `expect_hash`.
    pub hash: String,
}

/// A headline in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub struct Child {
    pub line: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub todo: Option<String>,
    pub title: String,
    pub resource_uri: String,
}

/// Reads what a URI names. A line may be any one of the text of a headline.
///
/// # Errors
/// [`OrgError`]
pub fn read(files: &Files<'_>, uri: &str, depth: Option<usize>) -> Result<Read, OrgError> {
    let location = Location::parse(uri)?;
    let subject = location.open(files)?;
    let setup = files::setup(&subject);
    let (name, text) = (subject.name(), subject.text());
    let outline = Outline::read_with(text, &setup);
    let index = match location {
        Location::File(_) => None,
        _ => Some(location.find_around(name, &outline)?),
    };
    let (start, end, level) = match index {
        Some(index) => {
            let headline = &outline.headlines[index];
            (headline.span.start as usize, headline.section.end as usize, headline.level)
        }
        None => (0, text.len(), 0),
    };
    // Without a depth, a headline comes with all below it, and a file with nothing.
    let depth = depth.unwrap_or(if index.is_some() { usize::MAX } else { 0 });
    let shown = to_depth(text, &outline, (start, end), level.saturating_add(depth));
    let mut cut = shown.len().min(MOST);
    while !shown.is_char_boundary(cut) {
        cut -= 1;
    }
    let drawer = match index {
        Some(index) => outline.headlines[index].properties.as_ref(),
        None => outline.properties.as_ref(),
    };
    let below = (0..outline.headlines.len()).filter(|at| outline.headlines[*at].parent == index);
    let digest = files::digest(&subject);
    let children = below.take(CHILDREN).map(|at| {
        let info = digest.entry(at).info();
        Child { line: info.line, todo: info.todo, title: info.title, resource_uri: info.resource_uri }
    });
    Ok(Read {
        headline: index.map(|index| digest.entry(index).info()),
        properties: entries(drawer),
        text: shown[..cut].to_owned(),
        truncated: cut < shown.len(),
        children: children.collect(),
        hash: hash(text),
    })
}

/// A part of the text without the headlines below a level.
fn to_depth(text: &str, outline: &Outline<'_>, (start, end): (usize, usize), level: usize) -> String {
    let mut kept = String::new();
    let mut from = start;
    let mut is_kept = true;
    let inside = |at: usize| at > start || start == 0;
    for headline in &outline.headlines {
        let at = headline.span.start as usize;
        if at < start || at >= end || !inside(at) {
            continue;
        }
        let stays =
            headline.inline.is_some() && is_kept || headline.inline.is_none() && headline.level <= level;
        if is_kept {
            kept.push_str(&text[from..at]);
        }
        (from, is_kept) = (at, stays);
    }
    if is_kept {
        kept.push_str(&text[from..end]);
    }
    kept
}

/// The properties of a drawer.
pub(super) fn entries(drawer: Option<&Drawer<'_>>) -> BTreeMap<String, String> {
    let entries = drawer.map(|drawer| drawer.entries.as_slice()).unwrap_or_default();
    entries.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deeper_headlines_are_left_out() {
        let text = "x\n* A\na\n** B\nb\n*** C\nc\n** D\nd\n* E\n";
        let outline = Outline::read(text);
        let of = |from: usize, to: usize, level| to_depth(text, &outline, (from, to), level);
        assert_eq!(of(0, text.len(), 0), "x\n");
        assert_eq!(of(0, text.len(), 1), "x\n* A\na\n* E\n");
        let section = outline.headlines[0].section;
        let (start, end) = (section.start as usize, section.end as usize);
        assert_eq!(of(start, end, 1), "* A\na\n");
        assert_eq!(of(start, end, 2), "* A\na\n** B\nb\n** D\nd\n");
        assert_eq!(of(start, end, usize::MAX), &text[start..end]);
    }
}
