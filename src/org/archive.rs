//! Where a headline is archived, and what its archived copy says about where it was.

use std::{
    collections::BTreeMap,
    time::{SystemTime, UNIX_EPOCH},
};

use super::files::OrgError;
use crate::{
    engine::day,
    kinds::org::{self, Outline, Timestamp},
};

/// The location where neither the file nor the headline names one.
const DEFAULT: &str = "%s_archive::";

/// Where archived headlines go.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Archive {
    /// The file, by its name in reports.
    pub(super) file: String,
    /// Level and title of the headline below which they go; at the end of the file when absent.
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

/// The properties that Org adds to an archived headline. Times are in UTC.
pub(super) fn properties(
    name: &str,
    text: &str,
    outline: &Outline<'_>,
    index: usize,
) -> BTreeMap<String, Option<String>> {
    let headline = &outline.headlines[index];
    let mut path = Vec::new();
    let mut at = headline.parent;
    while let Some(parent) = at {
        path.push(outline.headlines[parent].title);
        at = outline.headlines[parent].parent;
    }
    path.reverse();
    let inherited: Vec<&str> =
        outline.all_tags(index).into_iter().filter(|tag| !headline.tags.contains(tag)).collect();
    let own_name = name.rsplit('/').next().unwrap_or(name);
    let base = own_name.rsplit_once('.').map_or(own_name, |(base, _)| base);
    let category = headline.properties.as_ref().and_then(|drawer| drawer.get("CATEGORY"));
    let category = category.or_else(|| org::keyword(text, "CATEGORY")).unwrap_or(base);
    let values = [
        ("ARCHIVE_TIME", now()),
        ("ARCHIVE_FILE", name.to_owned()),
        ("ARCHIVE_OLPATH", path.join("/")),
        ("ARCHIVE_CATEGORY", category.to_owned()),
        ("ARCHIVE_TODO", headline.todo.unwrap_or_default().to_owned()),
        ("ARCHIVE_ITAGS", inherited.join(" ")),
    ];
    let some = values.into_iter().filter(|(_, value)| !value.trim().is_empty());
    some.map(|(key, value)| (key.to_owned(), Some(value))).collect()
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

/// The time in UTC, as Org writes it in properties: `2026-01-31 Sat 09:00`.
fn now() -> String {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |elapsed| elapsed.as_secs());
    let day = day(seconds);
    let weekday =
        Timestamp::read(&format!("<{day}>")).and_then(|stamp| stamp.start.true_weekday()).unwrap_or_default();
    format!("{day} {weekday} {:02}:{:02}", seconds / 3600 % 24, seconds / 60 % 60)
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
        let value = |name: &str| properties.get(name).cloned().flatten().unwrap_or_default();
        assert_eq!(value("ARCHIVE_OLPATH"), "Work");
        assert_eq!((value("ARCHIVE_TODO"), value("ARCHIVE_CATEGORY")), ("TODO".into(), "notes".into()));
        assert_eq!(value("ARCHIVE_ITAGS"), "all");
        assert_eq!(value("ARCHIVE_TIME").len(), "2026-01-31 Sat 09:00".len());
        assert_eq!(settings("#+todo: A | B\n#+TITLE: x\n"), "#+todo: A | B\n");
    }
}
