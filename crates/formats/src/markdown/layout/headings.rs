//! Headings, and the parts that they are written with.

use std::ops::Range;

use super::{
    inlines::Leaf,
    links::{Link, LinkForm},
};

/// How a heading is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum HeadingStyle {
    /// `# Text`
    Atx,
    /// `# Text #`
    Closed,
    /// Text with a line of `=` or `-` below.
    Setext,
}

impl HeadingStyle {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Atx => "atx",
            Self::Closed => "atx_closed",
            Self::Setext => "setext",
        }
    }
}

/// A heading.
#[derive(Debug)]
pub(super) struct Heading {
    pub(super) range: Range<usize>,
    pub(super) level: u8,
    pub(super) style: HeadingStyle,
    /// Whitespace before it that belongs to no container.
    pub(super) indent: Range<usize>,
    /// The marks before its text.
    pub(super) marker: Range<usize>,
    /// Its text as it is written.
    pub(super) content: Range<usize>,
    /// The marks after its text, of the closed style.
    pub(super) closer: Range<usize>,
    /// Its text without HTML, on one line.
    pub(super) text: String,
    /// The name that links can use, as GitHub makes it.
    pub(super) slug: String,
    /// Whether nothing but comments is above it.
    pub(super) leading: bool,
    /// Whether it consists of a link to a tab, as `DocFX` writes them.
    pub(super) tab: bool,
}

impl Heading {
    pub(super) fn new(
        text: &str,
        range: Range<usize>,
        level: u8,
        indent: Range<usize>,
        leading: bool,
    ) -> Self {
        let written = &text[range.clone()];
        let marks = written.len() - written.trim_start_matches('#').len();
        let is_atx = marks > 0
            && marks == usize::from(level)
            && !written.contains('\n')
            && written[marks..].chars().next().is_none_or(|c| matches!(c, ' ' | '\t'));
        let (style, content) = if is_atx {
            atx_content(text, range.start + marks..range.end)
        } else {
            let above = written.rfind('\n').map_or(written.len(), |at| at);
            (HeadingStyle::Setext, range.start..range.start + written[..above].trim_end().len())
        };
        let marker = if is_atx { range.start..range.start + marks } else { range.end..range.end };
        let closer = if style == HeadingStyle::Closed {
            let end = range.end;
            end - (written.len() - written.trim_end_matches('#').len())..end
        } else {
            range.end..range.end
        };
        Self {
            level,
            style,
            indent,
            marker,
            content,
            closer,
            text: String::new(),
            slug: String::new(),
            leading,
            tab: false,
            range,
        }
    }

    /// Takes what its text consists of.
    pub(super) fn finish(&mut self, text: &str, leaf: &Leaf, links: &[Link]) {
        let mut shown = String::with_capacity(self.content.len());
        let mut from = self.content.start;
        for html in &leaf.html {
            shown.push_str(&text[from.min(html.start)..html.start]);
            from = html.end;
        }
        shown.push_str(&text[from.min(self.content.end)..self.content.end]);
        self.text = shown.replace("\r\n", " ").replace('\n', " ");
        let plain: String = leaf.plain.iter().map(|piece| &text[piece.clone()]).collect();
        self.slug = slug(&plain);
        let link = leaf.only_link.map(|position| &links[position]);
        self.tab = self.style != HeadingStyle::Setext
            && link.is_some_and(|link| link.form == LinkForm::Inline && link.target.starts_with("#tab/"));
    }
}

/// The style of a heading with `#`, and its text.
fn atx_content(text: &str, after: Range<usize>) -> (HeadingStyle, Range<usize>) {
    let trimmed = |range: Range<usize>| {
        let written = &text[range.clone()];
        let start = range.start + (written.len() - written.trim_start_matches([' ', '\t']).len());
        start.min(range.end)..start.min(range.end) + written.trim_matches([' ', '\t']).len()
    };
    let written = &text[after.clone()];
    let open = written.trim_end_matches('#');
    let is_closed = open.len() < written.len() && (open.is_empty() || open.ends_with([' ', '\t']));
    if is_closed {
        (HeadingStyle::Closed, trimmed(after.start..after.start + open.len()))
    } else {
        (HeadingStyle::Atx, trimmed(after))
    }
}

/// The name that links can use, as GitHub makes it: letters, digits, marks and connecting punctuation in lower case,
/// with hyphens for spaces.
fn slug(text: &str) -> String {
    let mut slug = String::with_capacity(text.len());
    for c in text.chars().flat_map(char::to_lowercase) {
        match c {
            ' ' => slug.push('-'),
            '-' | '_' => slug.push(c),
            c if c.is_alphanumeric() || is_joined(c) => slug.push(c),
            _ => {}
        }
    }
    slug
}

/// Combining marks and connecting punctuation, close enough to Unicode's categories for names of anchors.
fn is_joined(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36F}' | '\u{483}'..='\u{489}' | '\u{591}'..='\u{5BD}' | '\u{610}'..='\u{61A}'
        | '\u{64B}'..='\u{65F}' | '\u{900}'..='\u{963}' | '\u{966}'..='\u{DFF}' | '\u{E31}'..='\u{E4E}'
        | '\u{1AB0}'..='\u{1AFF}' | '\u{1DC0}'..='\u{1DFF}' | '\u{20D0}'..='\u{20FF}' | '\u{3099}' | '\u{309A}'
        | '\u{203F}' | '\u{2040}' | '\u{FE00}'..='\u{FE0F}' | '\u{FE20}'..='\u{FE2F}')
}
