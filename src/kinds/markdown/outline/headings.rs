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

/// Observes levels that are left out and names that stand twice.
pub(super) fn observe(headings: &[Heading], page: &Page<'_>, findings: &mut Findings) {
    let mut seen: HashMap<&str, usize> = HashMap::with_capacity(headings.len());
    for (index, heading) in headings.iter().enumerate() {
        let place = page.span(page.trimmed(heading.range.clone()));
        let above = index.checked_sub(1).map(|above| &headings[above]);
        if let Some(above) = above.filter(|above| heading.level > above.level + 1) {
            let marks = page.text()[heading.range.clone()].bytes().take_while(|byte| *byte == b'#').count();
            let mut observation = Observation::new("heading-level-jump", place)
                .with("text", heading.text(page.text()))
                .with("level", heading.level)
                .with("above", above.level)
                .with("expected", above.level + 1)
                .with("marks", "#".repeat(usize::from(above.level) + 1))
                .at("above", page.span(page.trimmed(above.range.clone())));
            if marks > 0 {
                let start = heading.range.start;
                observation = observation.at("marks", page.span(start..start + marks));
            }
            findings.add(observation);
        }
        let slug = heading.slug();
        if slug.is_empty() {
            continue;
        }
        if let Some(first) = seen.get(slug) {
            let first = page.span(page.trimmed(headings[*first].range.clone()));
            findings.add(
                Observation::new("duplicate-heading", page.span(heading.words.clone()))
                    .with("text", heading.text(page.text()))
                    .with("slug", slug)
                    .at("first", first),
            );
        } else {
            seen.insert(slug, index);
        }
    }
}
