//! Links and images, and the parts that they are written with.

use std::ops::Range;

use pulldown_cmark::LinkType;

/// How a link is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LinkForm {
    /// `[text](target)`
    Inline,
    /// `[text][name]`
    Full,
    /// `[name][]`
    Collapsed,
    /// `[name]`
    Shortcut,
    /// `<https://example.com>`
    Autolink,
}

impl LinkForm {
    pub(super) fn of(link: LinkType) -> Self {
        match link {
            LinkType::Inline | LinkType::WikiLink { .. } => Self::Inline,
            LinkType::Reference | LinkType::ReferenceUnknown => Self::Full,
            LinkType::Collapsed | LinkType::CollapsedUnknown => Self::Collapsed,
            LinkType::Shortcut | LinkType::ShortcutUnknown => Self::Shortcut,
            LinkType::Autolink | LinkType::Email => Self::Autolink,
        }
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Inline => "inline",
            Self::Full => "full",
            Self::Collapsed => "collapsed",
            Self::Shortcut => "shortcut",
            Self::Autolink => "autolink",
        }
    }

    /// The range of a link, for which the parser leaves out the empty brackets of `[name][]`.
    pub(super) fn whole(self, text: &str, range: Range<usize>) -> Range<usize> {
        let brackets = self == Self::Collapsed && text[range.end..].starts_with("[]");
        range.start..range.end + if brackets { 2 } else { 0 }
    }

    /// Whether it names a definition.
    pub(super) fn is_reference(self) -> bool {
        matches!(self, Self::Full | Self::Collapsed | Self::Shortcut)
    }
}

/// A link or an image.
#[derive(Debug)]
pub(super) struct Link {
    pub(super) image: bool,
    pub(super) form: LinkForm,
    pub(super) range: Range<usize>,
    /// What is between its brackets.
    pub(super) label: Range<usize>,
    /// Where it leads, without escapes.
    pub(super) target: String,
    pub(super) has_title: bool,
    /// The target as it is written, where it is in the link.
    pub(super) place: Option<Range<usize>>,
    /// Whether code or HTML is in its label.
    pub(super) has_code: bool,
    /// The end of the last construct in its label.
    covered: usize,
}

impl Link {
    pub(super) fn new(image: bool, form: LinkForm, range: Range<usize>, target: &str, title: &str) -> Self {
        let start = range.start + 1 + usize::from(image);
        Self {
            image,
            form,
            label: start..start,
            covered: start,
            target: target.to_owned(),
            has_title: !title.is_empty(),
            place: None,
            has_code: false,
            range,
        }
    }

    /// Takes in a construct in its label.
    pub(super) fn covers(&mut self, range: &Range<usize>) {
        self.covered = self.covered.max(range.end);
    }

    /// Finds its parts, when all of its label is read.
    pub(super) fn finish(&mut self, text: &str) {
        if self.form == LinkForm::Autolink {
            self.label = self.range.start + 1..self.range.end - 1;
            self.place = Some(self.label.clone());
            return;
        }
        let bytes = &text.as_bytes()[..self.range.end];
        let from = self.covered.min(self.range.end);
        let end = memchr::memchr(b']', &bytes[from..]).map_or(self.range.end, |at| from + at);
        self.label.end = end.max(self.label.start);
        if self.form == LinkForm::Inline {
            self.place = destination(text, self.label.end + 2, self.range.end);
        }
    }

    /// The definition that it names, as it is written.
    pub(super) fn reference<'t>(&self, text: &'t str) -> &'t str {
        match self.form {
            LinkForm::Full => {
                text.get(self.label.end + 2..self.range.end.saturating_sub(1)).unwrap_or_default()
            }
            _ => &text[self.label.clone()],
        }
    }
}

/// The target between the parentheses of a link, without the angle brackets around it.
fn destination(text: &str, from: usize, end: usize) -> Option<Range<usize>> {
    let rest = text.get(from..end)?;
    let start = from + (rest.len() - rest.trim_start().len());
    let rest = &text[start..end];
    if rest.starts_with('<') {
        let bytes = rest.as_bytes();
        let close = (1..bytes.len()).find(|at| bytes[*at] == b'>' && bytes[at - 1] != b'\\')?;
        return (close > 1).then_some(start + 1..start + close);
    }
    let mut depth = 0_usize;
    let mut escaped = false;
    let length = rest.find(|c: char| {
        let ends = match c {
            _ if escaped => false,
            '(' => {
                depth += 1;
                false
            }
            ')' if depth == 0 => true,
            ')' => {
                depth -= 1;
                false
            }
            c => c.is_ascii_whitespace(),
        };
        escaped = c == '\\' && !escaped;
        ends
    })?;
    (length > 0).then_some(start..start + length)
}

/// A name by which definitions are found: in lower case, with one space for whitespace and for the marks of quotes
/// between its lines.
pub(super) fn normalized(name: &str) -> String {
    let mut lines = name.split('\n');
    let mut whole = lines.next().unwrap_or_default().to_lowercase();
    for line in lines {
        whole.push(' ');
        whole.push_str(&line.trim_start_matches(|c: char| c == '>' || c.is_whitespace()).to_lowercase());
    }
    whole.split_whitespace().collect::<Vec<_>>().join(" ")
}
