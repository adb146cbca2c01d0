//! The part of a title that names its headline.

use std::borrow::Cow;

use super::emacs::without_cookies;

/// A title without its cookies, which change with what is below the headline, and without the whitespace around them.
pub(super) fn name(title: &str) -> Cow<'_, str> {
    if !title.contains('[') {
        return Cow::Borrowed(title);
    }
    let kept = without_cookies(title);
    if kept.len() == title.len() {
        return Cow::Borrowed(title);
    }
    Cow::Owned(kept.split_ascii_whitespace().collect::<Vec<_>>().join(" "))
}

#[cfg(test)]
mod tests {
    use super::name;

    #[test]
    fn cookies_do_not_count() {
        for (title, expected) in [
            ("Report", "Report"),
            ("Report [1/2]", "Report"),
            ("[33%] Report  [/] of  May", "Report of May"),
            ("[[link][x]]  [2]", "[[link][x]]  [2]"),
            ("[1/2]", ""),
        ] {
            assert_eq!(name(title), expected);
        }
    }
}
