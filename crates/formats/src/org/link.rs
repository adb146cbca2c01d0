//! Where a link leads, by how its target is written.

use super::objects::{self, LinkFormat};

/// Where a link leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Destination<'t> {
    /// A link type and what follows its colon.
    Typed(&'t str, &'t str),
    /// An abbreviation of the file and what follows its colon.
    Abbreviated(&'t str),
    /// A path without `file:`.
    File(&'t str),
    /// `#custom-id`
    CustomId(&'t str),
    /// `(label)` of a line of code.
    CodeLabel(&'t str),
    /// `*Headline`
    Headline(&'t str),
    /// Words: of a target, a name or a headline.
    Words(&'t str),
}

impl<'t> Destination<'t> {
    /// Reads the target of a link; `is_abbreviation` says whether `#+LINK:` defines a word.
    pub(super) fn read(target: &'t str, format: LinkFormat, is_abbreviation: impl Fn(&str) -> bool) -> Self {
        if let Some((name, path)) = target.split_once(':') {
            if objects::is_link_type(name) {
                return Self::Typed(name, path);
            }
            if format == LinkFormat::Bracket && is_abbreviation(name) {
                return Self::Abbreviated(name);
            }
        }
        if target.starts_with(['/', '~']) || target.starts_with("./") || target.starts_with("../") {
            return Self::File(target);
        }
        if let Some(id) = target.strip_prefix('#') {
            return Self::CustomId(id);
        }
        if let Some(label) = target.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) {
            return Self::CodeLabel(label);
        }
        match target.strip_prefix('*') {
            Some(title) => Self::Headline(title),
            None => Self::Words(target),
        }
    }

    /// The name of its type, as Org calls it.
    pub(super) fn type_name(&self) -> &'t str {
        match self {
            Self::Typed(name, _) | Self::Abbreviated(name) => name,
            Self::File(_) => "file",
            Self::CustomId(_) => "custom-id",
            Self::CodeLabel(_) => "coderef",
            Self::Headline(_) | Self::Words(_) => "fuzzy",
        }
    }
}

/// What links by words compare: whitespace and case do not count, statistics cookies are left out.
pub(super) fn anchor(text: &str) -> String {
    let mut anchor = String::with_capacity(text.len());
    for word in without_cookies(text).split_whitespace() {
        if !anchor.is_empty() {
            anchor.push(' ');
        }
        anchor.extend(word.chars().flat_map(char::to_lowercase));
    }
    anchor
}

/// The text without `[1/2]` and `[50%]`.
fn without_cookies(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(open) = rest.find('[') {
        kept.push_str(&rest[..open]);
        rest = &rest[open..];
        match cookie(rest) {
            Some(length) => {
                kept.push(' ');
                rest = &rest[length..];
            }
            None => {
                kept.push('[');
                rest = &rest[1..];
            }
        }
    }
    kept.push_str(rest);
    kept
}

/// The length of the statistics cookie that `text` begins with.
fn cookie(text: &str) -> Option<usize> {
    let digits = |text: &str| text.bytes().take_while(|byte| byte.is_ascii_digit()).count();
    let mut at = 1 + digits(text.get(1..)?);
    match text.as_bytes().get(at)? {
        b'%' => at += 1,
        b'/' => at += 1 + digits(&text[at + 1..]),
        _ => return None,
    }
    (text.as_bytes().get(at) == Some(&b']')).then_some(at + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn destinations_are_distinguished() {
        let read = |target| Destination::read(target, LinkFormat::Bracket, |name| name == "bug");
        assert_eq!(read("https://a.org"), Destination::Typed("https", "//a.org"));
        assert_eq!(read("bug:12"), Destination::Abbreviated("bug"));
        assert_eq!(read("./a.org"), Destination::File("./a.org"));
        assert_eq!(read("#x"), Destination::CustomId("x"));
        assert_eq!(read("(x)"), Destination::CodeLabel("x"));
        assert_eq!(read("*Plan: A"), Destination::Headline("Plan: A"));
        assert_eq!(read("Plan: A"), Destination::Words("Plan: A"));
    }

    #[test]
    fn anchors_leave_out_case_whitespace_and_cookies() {
        assert_eq!(anchor("  The  Plan [1/2] [A]\nB [50%]"), "the plan [a] b");
    }
}
