//! Where a headline is archived, and what its archived copy says about where it was.

use super::{clock::Moment, files::OrgError};
use crate::kinds::org::{self, Outline};

/// The location where neither the file nor the headline names one.
const DEFAULT: &str = "%s_archive::";

/// Where archived headlines go.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Archive {
    /// The file, by its name in reports.
    pub(super) file: String,
    /// Level and title of the headline below which they go (default: at the end of the file).
    pub(super) heading: Option<(usize, String)>,
}

impl Archive {
    /// Where the headline at a position goes: as its property `ARCHIVE` says, or that of the nearest headline
    /// above it, or the last `#+ARCHIVE:` of the file.
    ///
    /// # Errors
    /// [`OrgError::Invalid`] for a location that is not `FILE::` or `FILE::* HEADING`.
    pub(super) fn of(name: &str, text: &str, outline: &Outline<'_>, index: usize) -> Result<Self, OrgError> {
        let mut at = Some(index);
        let mut location = None;
        while let Some(index) = at.filter(|_| location.is_none()) {
            let headline = &outline.headlines[index];
            location = headline.properties.as_ref().and_then(|drawer| drawer.get("ARCHIVE"));
            at = headline.parent;
        }
        let location = location.or_else(|| org::keyword(text, "ARCHIVE")).unwrap_or(DEFAULT).trim();
        let invalid = || {
            let shown = OrgError::shown(location);
            OrgError::invalid(format!(
                "`{shown}` is not a location of an archive: write FILE:: or FILE::* HEADING"
            ))
        };
        let (file, heading) = location.split_once("::").ok_or_else(invalid)?;
        let (folder, own) = name.rsplit_once('/').map_or(("", name), |(folder, own)| (folder, own));
        let file = match file.replace("%s", own) {
            same if same.is_empty() => name.to_owned(),
            other if folder.is_empty() => other,
            other => format!("{folder}/{other}"),
        };
        let heading = match heading.trim() {
            "" => None,
            heading => {
                let title = heading.trim_start_matches('*');
                let level = heading.len() - title.len();
                if level == 0 || !title.starts_with(' ') || title.trim().is_empty() {
                    return Err(invalid());
                }
                Some((level, title.trim().to_owned()))
            }
        };
        Ok(Self { file, heading })
    }
}

/// The properties that Org adds to an archived headline, in its order. Times are in UTC.
pub(super) fn properties(
    file: &str,
    text: &str,
    outline: &Outline<'_>,
    index: usize,
) -> Vec<(&'static str, String)> {
    let headline = &outline.headlines[index];
    let mut path = Vec::new();
    let mut at = headline.parent;
    while let Some(parent) = at {
        path.push(shown_title(outline.headlines[parent].title));
        at = outline.headlines[parent].parent;
    }
    path.reverse();
    let values = [
        ("ARCHIVE_TIME", Moment::now().day_and_time()),
        ("ARCHIVE_FILE", file.to_owned()),
        ("ARCHIVE_OLPATH", path.join("/")),
        ("ARCHIVE_CATEGORY", category(file, text, outline, index)),
        ("ARCHIVE_TODO", headline.todo.unwrap_or_default().to_owned()),
        ("ARCHIVE_ITAGS", inherited_tags(outline, index).join(" ")),
    ];
    values.into_iter().filter(|(_, value)| !value.trim().is_empty()).collect()
}

/// The tags that a headline has from the file and the headlines above it, each once: where the last of them is.
pub(super) fn inherited_tags<'t>(outline: &Outline<'t>, index: usize) -> Vec<&'t str> {
    let headline = &outline.headlines[index];
    let mut tags: Vec<&str> = Vec::new();
    let mut at = headline.parent;
    let add = |tags: &mut Vec<&'t str>, more: &[&'t str]| {
        for tag in more.iter().rev() {
            if !tag.is_empty() && !tags.contains(tag) && !headline.tags.contains(tag) {
                tags.push(tag);
            }
        }
    };
    while let Some(parent) = at {
        add(&mut tags, &outline.headlines[parent].tags);
        at = outline.headlines[parent].parent;
    }
    add(&mut tags, &outline.settings.filetags);
    tags.reverse();
    tags
}

/// The category of a headline: as its property says, or that of the nearest headline above it, or the file.
fn category(file: &str, text: &str, outline: &Outline<'_>, index: usize) -> String {
    let mut at = Some(index);
    while let Some(index) = at {
        let headline = &outline.headlines[index];
        if let Some(category) = headline.properties.as_ref().and_then(|drawer| drawer.get("CATEGORY")) {
            return category.to_owned();
        }
        at = headline.parent;
    }
    let own_name = file.rsplit('/').next().unwrap_or(file);
    let base = own_name.rsplit_once('.').map_or(own_name, |(base, _)| base);
    let of_file = outline.properties.as_ref().and_then(|drawer| drawer.get("CATEGORY"));
    of_file.or_else(|| org::keyword(text, "CATEGORY")).unwrap_or(base).to_owned()
}

/// A title as it is in a path: links as they are shown, and without statistics cookies.
fn shown_title(title: &str) -> String {
    let mut shown = String::new();
    let mut rest = title;
    while let Some(start) = rest.find('[') {
        shown.push_str(&rest[..start]);
        rest = &rest[start..];
        if let Some((text, length)) = link(rest) {
            shown.push_str(text);
            rest = &rest[length..];
        } else if let Some(length) = cookie(rest) {
            rest = &rest[length..];
        } else {
            shown.push('[');
            rest = &rest[1..];
        }
    }
    shown.push_str(rest);
    shown.trim().to_owned()
}

/// The shown part of the link `[[target][text]]` that `text` begins with, and the length of the link.
fn link(text: &str) -> Option<(&str, usize)> {
    let inner = text.strip_prefix("[[")?;
    let end = inner.find("]]")?;
    let shown = inner[..end].split_once("][").map_or(&inner[..end], |(_, shown)| shown);
    (!shown.is_empty()).then_some((shown, end + 4))
}

/// The length of the statistics cookie `[1/3]` or `[33%]` that `text` begins with.
fn cookie(text: &str) -> Option<usize> {
    let inner = &text[1..text.find(']')?];
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let is_one = match inner.split_once('/') {
        Some((done, all)) => is_number(done) && is_number(all),
        None => inner.strip_suffix('%').is_some_and(is_number),
    };
    is_one.then_some(inner.len() + 2)
}

/// The lines of a file that say how its headlines are read, for a new file beside it.
pub(super) fn settings(text: &str) -> String {
    let names = ["TODO", "SEQ_TODO", "TYP_TODO", "PRIORITIES"];
    let mut out = String::new();
    for (key, value) in org::keywords(text) {
        if names.iter().any(|name| name.eq_ignore_ascii_case(key)) {
            out = format!("{out}#+{key}: {}\n", value.trim());
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(name: &str, text: &str) -> Result<Archive, String> {
        let outline = Outline::read(text);
        Archive::of(name, text, &outline, outline.headlines.len() - 1).map_err(|error| error.to_string())
    }

    #[test]
    fn the_nearest_location_counts() {
        let archive = |file: &str, heading: Option<(usize, &str)>| {
            let heading = heading.map(|(level, title)| (level, title.to_owned()));
            Ok(Archive { file: file.to_owned(), heading })
        };
        assert_eq!(of("a/notes.org", "* A\n"), archive("a/notes.org_archive", None));
        let text = "#+ARCHIVE: old.org::* Old notes\n* A\n** B\n";
        assert_eq!(of("a/notes.org", text), archive("a/old.org", Some((1, "Old notes"))));
        let text = "#+ARCHIVE: old.org::\n* A\n:PROPERTIES:\n:ARCHIVE: ::** Done\n:END:\n** B\n";
        assert_eq!(of("notes.org", text), archive("notes.org", Some((2, "Done"))));
        assert!(of("notes.org", "#+ARCHIVE: old.org\n* A\n").is_err_and(|error| error.contains("`old.org`")));
        assert!(of("notes.org", "#+ARCHIVE: old.org::datetree/\n* A\n").is_err());
    }

    #[test]
    fn an_archived_headline_says_where_it_was() {
        let text = "#+FILETAGS: :all:\n* Work :job:\n** TODO Report :job:urgent:\n";
        let outline = Outline::read(text);
        let properties = properties("notes.org", text, &outline, 1);
        let value = |name: &str| {
            let found = properties.iter().find(|(key, _)| *key == name);
            found.map(|(_, value)| value.clone()).unwrap_or_default()
        };
        assert_eq!(value("ARCHIVE_OLPATH"), "Work");
        assert_eq!((value("ARCHIVE_TODO"), value("ARCHIVE_CATEGORY")), ("TODO".into(), "notes".into()));
        assert_eq!(value("ARCHIVE_ITAGS"), "all");
        assert_eq!(value("ARCHIVE_TIME").len(), "2026-01-31 Sat 09:00".len());
        assert_eq!(shown_title("A [1/3] [[https://x.org][link]] [x]"), "A  link [x]");
        assert_eq!(settings("#+todo: A | B\n#+TITLE: x\n"), "#+todo: A | B\n");
    }
}
