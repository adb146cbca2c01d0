use std::{collections::HashMap, ops::Range};

use super::super::page::{Findings, Page};
use crate::{
    kinds::Observation,
    tree::{Scalar, TreeBuilder},
};

/// A heading.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in super::super) struct Heading {
    /// The whole of it, without a line end.
    pub(in super::super) range: Range<usize>,
    pub(in super::super) level: u8,
    /// Its plain text, when that is more than one piece of the source.
    text: Option<String>,
    /// From its first word to its last one.
    pub(in super::super) words: Range<usize>,
    /// What `{#id}` gives.
    id: Option<String>,
    /// Name that links can use; the same for headings of the same text.
    slug: String,
}

impl Heading {
    pub(super) fn new(range: Range<usize>, level: u8, id: Option<String>) -> Self {
        Self { words: range.start..range.start, range, level, text: None, id, slug: String::new() }
    }

    /// Takes in a piece of the text.
    pub(super) fn add(&mut self, source: &str, piece: &str, range: Range<usize>) {
        if self.words.is_empty() && source[range.clone()] == *piece {
            self.words = range;
        } else {
            let words = &source[self.words.clone()];
            self.text.get_or_insert_with(|| words.to_owned()).push_str(piece);
            self.words = if self.words.is_empty() { range } else { self.words.start..range.end };
        }
        slug(piece, &mut self.slug);
    }

    pub(in super::super) fn text<'t>(&'t self, source: &'t str) -> &'t str {
        self.text.as_deref().unwrap_or(&source[self.words.clone()]).trim()
    }

    pub(in super::super) fn slug(&self) -> &str {
        self.id.as_deref().unwrap_or(&self.slug)
    }

    pub(super) fn write(&self, page: &Page<'_>, builder: &mut TreeBuilder) {
        builder.open_mapping(page.span(page.trimmed(self.range.clone())));
        let marker = page.span(self.range.start..self.range.start);
        builder.field("level", Scalar::Integer(i64::from(self.level)), marker);
        let words = page.span(self.words.clone());
        let text = self.text(page.text());
        let verbatim = self.text.is_none() && text.len() == words.len();
        builder.field("text", if verbatim { Scalar::Slice } else { Scalar::Text(text) }, words);
        builder.field("slug", Scalar::Text(self.slug()), words);
        builder.close(None);
    }
}

/// Appends what a piece of a heading's text gives in GitHub's anchors: letters and digits in lower
/// case, `-` and `_`, and `-` for every blank.
fn slug(text: &str, slug: &mut String) {
    for c in text.chars() {
        match c {
            'a'..='z' | '0'..='9' | '-' | '_' => slug.push(c),
            ' ' | '\t' => slug.push('-'),
            'A'..='Z' => slug.push(c.to_ascii_lowercase()),
            c if !c.is_ascii() && (c.is_alphanumeric() || is_mark(c)) => slug.extend(c.to_lowercase()),
            _ => {}
        }
    }
}

/// The combining marks that make letters; close enough to Unicode's category for names of anchors.
fn is_mark(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36F}' | '\u{483}'..='\u{489}' | '\u{591}'..='\u{5BD}' | '\u{610}'..='\u{61A}'
        | '\u{64B}'..='\u{65F}' | '\u{900}'..='\u{DFF}' | '\u{E31}'..='\u{E4E}' | '\u{1AB0}'..='\u{1AFF}'
        | '\u{1DC0}'..='\u{1DFF}' | '\u{20D0}'..='\u{20FF}' | '\u{3099}' | '\u{309A}' | '\u{FE20}'..='\u{FE2F}')
}

/// Observes levels that are left out, and names that stand twice below the same heading: in a changelog
/// every version has its `Added`.
pub(super) fn observe(headings: &[Heading], page: &Page<'_>, findings: &mut Findings) {
    let mut seen: HashMap<(Option<usize>, &str), usize> = HashMap::with_capacity(headings.len());
    // The headings that the next one may stand below, the lowest level last.
    let mut above: Vec<usize> = Vec::new();
    for (index, heading) in headings.iter().enumerate() {
        if let Some(last) = index.checked_sub(1).map(|last| &headings[last]) {
            findings.extend(level_jump(heading, last, page));
        }
        while above.pop_if(|last| headings[*last].level >= heading.level).is_some() {}
        let slug = heading.slug();
        if !slug.is_empty() {
            let first = *seen.entry((above.last().copied(), slug)).or_insert(index);
            findings.extend((first != index).then(|| duplicate(heading, &headings[first], page)));
        }
        above.push(index);
    }
}

fn level_jump(heading: &Heading, above: &Heading, page: &Page<'_>) -> Option<Observation> {
    let expected = above.level + 1;
    if heading.level <= expected {
        return None;
    }
    let start = heading.range.start;
    let marks = page.text()[heading.range.clone()].bytes().take_while(|byte| *byte == b'#').count();
    let observation = Observation::new("heading-level-jump", page.span(page.trimmed(heading.range.clone())))
        .with("text", heading.text(page.text()))
        .with("level", heading.level)
        .with("above", above.level)
        .with("expected", expected)
        .with("marks", "#".repeat(usize::from(expected)))
        .at("above", page.span(page.trimmed(above.range.clone())));
    Some(if marks > 0 { observation.at("marks", page.span(start..start + marks)) } else { observation })
}

fn duplicate(heading: &Heading, first: &Heading, page: &Page<'_>) -> Observation {
    Observation::new("duplicate-heading", page.span(heading.words.clone()))
        .with("text", heading.text(page.text()))
        .with("slug", heading.slug())
        .at("first", page.span(page.trimmed(first.range.clone())))
}
