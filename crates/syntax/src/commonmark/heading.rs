use std::ops::Range;

/// A heading.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Heading {
    /// The whole of it, without a line end.
    pub range: Range<usize>,
    pub level: u8,
    /// Its plain text, when that is more than one piece of the source.
    pub joined: Option<String>,
    /// From its first word to its last one.
    pub words: Range<usize>,
    /// What `{#id}` gives.
    id: Option<String>,
    /// Name that links can use; the same for headings of the same text.
    slug: String,
}

impl Heading {
    pub fn new(range: Range<usize>, level: u8, id: Option<String>) -> Self {
        Self { words: range.start..range.start, range, level, joined: None, id, slug: String::new() }
    }

    /// Takes in a piece of the text.
    pub fn add(&mut self, source: &str, piece: &str, range: Range<usize>) {
        if self.words.is_empty() && source[range.clone()] == *piece {
            self.words = range;
        } else {
            let words = &source[self.words.clone()];
            self.joined.get_or_insert_with(|| words.to_owned()).push_str(piece);
            self.words = if self.words.is_empty() { range } else { self.words.start..range.end };
        }
        slug(piece, &mut self.slug);
    }

    /// Its text without marks.
    pub fn text<'t>(&'t self, source: &'t str) -> &'t str {
        self.joined.as_deref().unwrap_or(&source[self.words.clone()]).trim()
    }

    /// Name that links can use.
    pub fn slug(&self) -> &str {
        self.id.as_deref().unwrap_or(&self.slug)
    }
}

/// Appends what a piece of a heading's text gives in GitHub's anchors: letters, marks and digits in lower
/// case, `-` and `_`, and `-` for every space, as `github-slugger` 2 makes them.
fn slug(text: &str, slug: &mut String) {
    for c in text.chars() {
        match c {
            'a'..='z' | '0'..='9' | '-' | '_' => slug.push(c),
            ' ' => slug.push('-'),
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
        | '\u{1DC0}'..='\u{1DFF}' | '\u{20D0}'..='\u{20FF}' | '\u{3099}' | '\u{309A}' | '\u{FE00}'..='\u{FE0F}' | '\u{FE20}'..='\u{FE2F}' | '\u{E0100}'..='\u{E01EF}')
}
