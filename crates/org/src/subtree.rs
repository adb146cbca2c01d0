//! A headline with everything below it, as text that goes elsewhere.

use std::ops::Range;

use super::{emacs::without_cookies, files::OrgError};
use crate::kinds::org::{Headline, Outline};

/// The positions of a headline and of those below it in an outline.
pub(super) fn positions(outline: &Outline<'_>, index: usize) -> Range<usize> {
    let section = outline.headlines[index].section;
    let below = outline.headlines[index..].iter();
    index..index + below.take_while(|headline| headline.span.start < section.end).count()
}

/// The text of a subtree with its first headline at `level` and the others as far below it as before.
///
/// # Errors
/// [`OrgError::Invalid`] where one of them would become an inline task.
pub(super) fn at_level(text: &str, level: usize, inline_tasks: Option<usize>) -> Result<String, OrgError> {
    let outline = Outline::read_as(text, inline_tasks);
    let own = outline.headlines.first().map_or(level, |headline| headline.level);
    let mut out = String::with_capacity(text.len() + 16);
    let mut copied = 0;
    for headline in outline.headlines.iter().filter(|headline| headline.inline.is_none()) {
        let start = headline.span.start as usize;
        let stars = headline.level - own + level;
        if inline_tasks.is_some_and(|least| stars >= least) {
            return Err(OrgError::invalid(format!(
                "the headline `{}` would have {stars} stars there, and be read as an inline task",
                OrgError::shown(headline.title)
            )));
        }
        out.push_str(&text[copied..start]);
        out.push_str(&"*".repeat(stars));
        copied = start + headline.level;
    }
    out.push_str(&text[copied..]);
    Ok(out)
}

/// Why nothing is put below an inline task.
pub(super) const HAS_NONE_BELOW: &str = "has no headlines below it";

/// The position of the headline of the same level before one, below the same headline.
pub(super) fn sibling_before(outline: &Outline<'_>, index: usize) -> Option<usize> {
    let own = &outline.headlines[index];
    (0..index).rev().find(|at| {
        let other = &outline.headlines[*at];
        other.inline.is_none() && other.parent == own.parent && other.level == own.level
    })
}

/// Checks that a headline is part of the outline.
///
/// # Errors
/// [`OrgError::Invalid`] for an inline task.
pub(super) fn check_not_inline(headline: &Headline<'_>, what: &str) -> Result<(), OrgError> {
    if headline.inline.is_none() {
        return Ok(());
    }
    Err(OrgError::invalid(format!("`{}` is an inline task, which {what}", OrgError::shown(headline.title))))
}

/// The text of a subtree as lines of another document, which end as its lines do.
pub(super) fn as_lines_of(subtree: &str, target: &str) -> String {
    let crlf = target.contains("\r\n");
    let mut out = subtree.replace("\r\n", "\n");
    if !out.ends_with('\n') {
        out.push('\n');
    }
    if crlf { out.replace('\n', "\r\n") } else { out }
}

/// Checks that headlines are read in their new file as in the old one: keywords and priorities are those that a
/// file declares.
///
/// # Errors
/// [`OrgError::Invalid`] names the first headline that would be another one.
pub(super) fn check_reading(
    before: &[Headline<'_>],
    after: &[Headline<'_>],
    file: &str,
) -> Result<(), OrgError> {
    for (before, after) in before.iter().zip(after) {
        let shown = OrgError::shown(before.title);
        match (before.todo, after.todo) {
            (Some(todo), now) if now != Some(todo) => {
                let detail = format!("`{todo}` of the headline `{shown}` is not a TODO keyword of `{file}`");
                return Err(OrgError::invalid(detail));
            }
            (None, Some(todo)) => {
                let detail =
                    format!("the headline `{shown}` would begin with the TODO keyword `{todo}` in `{file}`");
                return Err(OrgError::invalid(detail));
            }
            _ if (before.title, before.priority, before.inline.is_some())
                != (after.title, after.priority, after.inline.is_some()) =>
            {
                let detail = format!("the headline `{shown}` would be read differently in `{file}`");
                return Err(OrgError::invalid(detail));
            }
            _ => {}
        }
    }
    Ok(())
}

/// Checks that the headlines that stay where they are read as before, `with` or `without` what moves: it may have settings
/// of the whole file. `before` and `after` are the same headlines of one file.
///
/// # Errors
/// [`OrgError::Invalid`] names the first headline that would be another one.
pub(super) fn check_staying<'b, 'a>(
    before: impl IntoIterator<Item = &'b Headline<'b>>,
    after: impl IntoIterator<Item = &'a Headline<'a>>,
    how: &str,
    file: &str,
) -> Result<(), OrgError> {
    for (before, after) in before.into_iter().zip(after) {
        let has_other_title =
            before.title != after.title && without_cookies(before.title) != without_cookies(after.title);
        if has_other_title || (before.todo, before.priority) != (after.todo, after.priority) {
            return Err(OrgError::invalid(format!(
                "`{file}` would read the headline `{}` differently {how} what is moved, which has settings such as \
                 `#+TODO:`: move them to the top of the file first",
                OrgError::shown(before.title)
            )));
        }
    }
    Ok(())
}

/// All headlines but those in a range.
pub(super) fn without<'h, 't>(
    headlines: &'h [Headline<'t>],
    range: &Range<usize>,
) -> impl Iterator<Item = &'h Headline<'t>> + use<'h, 't> {
    let (start, end) = (range.start.min(headlines.len()), range.end.min(headlines.len()));
    headlines[..start].iter().chain(&headlines[end..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headlines_keep_their_distance() {
        let text = "** A\ntext ** x\n*** B\n***** C\n";
        assert_eq!(at_level(text, 1, None).unwrap(), "* A\ntext ** x\n** B\n**** C\n");
        assert_eq!(at_level(text, 3, None).unwrap(), "*** A\ntext ** x\n**** B\n****** C\n");
        assert_eq!(at_level(text, 1, Some(5)).unwrap(), "* A\ntext ** x\n** B\n***** C\n");
        assert!(at_level(text, 4, Some(5)).unwrap_err().to_string().contains("inline task"));
        let outline = Outline::read("* A\n** B\n** C\n* D\n");
        assert_eq!((positions(&outline, 0), positions(&outline, 2)), (0..3, 2..3));
    }

    #[test]
    fn line_breaks_are_those_of_the_target() {
        assert_eq!(as_lines_of("* A\r\nx", "* B\n"), "* A\nx\n");
        assert_eq!(as_lines_of("* A\nx\n", "* B\r\n"), "* A\r\nx\r\n");
    }

    #[test]
    fn a_keyword_of_one_file_only_is_found() {
        let before = Outline::read("#+TODO: NEXT | DONE\n* NEXT A\n");
        let check = |text: &str| {
            let after = Outline::read(text);
            check_reading(&before.headlines, &after.headlines, "b.org").map_err(|error| error.to_string())
        };
        assert_eq!(check("#+TODO: NEXT | DONE\n** NEXT A\n"), Ok(()));
        let expected = "`NEXT` of the headline `A` is not a TODO keyword of `b.org`";
        assert_eq!(check("** NEXT A\n"), Err(expected.to_owned()));
    }

    #[test]
    fn headlines_that_stay_read_as_before() {
        let text = "* NEXT A\n** B\n#+TODO: NEXT | DONE\n* C\n";
        let before = Outline::read(text);
        let check = |rest: &str, moved: Range<usize>| {
            let after = Outline::read(rest);
            let staying = without(&before.headlines, &moved);
            check_staying(staying, &after.headlines, "without", "a.org").map_err(|error| error.to_string())
        };
        assert_eq!(check("* NEXT A\n** B\n#+TODO: NEXT | DONE\n", 2..3), Ok(()));
        let with_cookie = Outline::read("* A [1/2]\n** DONE B\n** C\n");
        let after = Outline::read("* A [0/1]\n** C\n");
        let staying = without(&with_cookie.headlines, &(1..2));
        assert!(check_staying(staying, &after.headlines, "without", "a.org").is_ok());
        let error = check("* NEXT A\n* C\n", 1..2).unwrap_err();
        assert!(error.starts_with("`a.org` would read the headline `A` differently without"), "{error}");
    }
}
