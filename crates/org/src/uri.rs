use std::{
    fmt::{self, Write as _},
    path::Path,
};

use super::error::OrgError;
use crate::kinds::org::Outline;

/// Names a headline or a file: `org://FILE`, `org://FILE/headline/TITLE/TITLE`, `org://id/ID`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Location {
    /// A whole file.
    File(String),
    /// A headline by the titles that lead to it.
    Headline {
        /// The file.
        file: String,
        /// Titles from the outermost to its own.
        path: Vec<String>,
    },
    /// A headline by its ID.
    Id(String),
}

impl Location {
    /// Reads a URI. `FILE`, `FILE/`, `FILE#`, and `FILE/outline` name the same file.
    ///
    /// # Errors
    /// [`OrgError::BadUri`]
    pub(super) fn parse(uri: &str) -> Result<Self, OrgError> {
        let bad = || OrgError::BadUri(OrgError::shown(uri));
        let rest = uri.strip_prefix("org://").ok_or_else(bad)?;
        if let Some(id) = rest.strip_prefix("id/") {
            let id = decoded(id).ok_or_else(bad)?;
            return if id.is_empty() { Err(bad()) } else { Ok(Self::Id(id)) };
        }
        let rest = rest.trim_end_matches(['#', '/']);
        let rest = rest.strip_suffix("/outline").unwrap_or(rest);
        // A folder may be called `headline`; titles have their slashes encoded, so the mark after the name of
        // the file is the first one that follows an extension.
        let mark = "/headline/";
        let ends = rest.match_indices(mark).map(|(at, _)| at);
        let split = ends.into_iter().find(|at| {
            let extension = Path::new(&rest[..*at]).extension().unwrap_or_default();
            extension.eq_ignore_ascii_case("org") || extension.eq_ignore_ascii_case("org_archive")
        });
        let file = decoded(&rest[..split.unwrap_or(rest.len())]).filter(|file| !file.is_empty());
        let file = file.ok_or_else(bad)?;
        let Some(at) = split else { return Ok(Self::File(file)) };
        let titles: Option<Vec<String>> = rest[at + mark.len()..].split('/').map(decoded).collect();
        Ok(Self::Headline { file, path: titles.ok_or_else(bad)? })
    }

    /// The URI of a file.
    pub fn uri_of(file: &str) -> String {
        Self::File(file.to_owned()).to_string()
    }

    /// The location of a headline: by its ID where it has one.
    pub(super) fn of_headline(file: &str, outline: &Outline<'_>, index: usize) -> Self {
        match outline.headlines[index].id() {
            Some(id) => Self::Id(id.to_owned()),
            None => {
                let above = std::iter::successors(Some(index), |at| outline.headlines[*at].parent);
                Self::of_titles(file, above.map(|at| outline.headlines[at].title))
            }
        }
    }

    /// The location of a headline without an ID, by its title and those of the headlines above it, innermost first.
    pub(super) fn of_titles<'t>(file: &str, titles: impl Iterator<Item = &'t str>) -> Self {
        let mut path: Vec<String> = titles.take(DEEPEST).map(str::to_owned).collect();
        path.reverse();
        Self::Headline { file: file.to_owned(), path }
    }

    /// The same titles as a URI has them.
    pub(super) fn written_path<'t>(titles: impl Iterator<Item = &'t str>) -> String {
        let mut path: Vec<&str> = titles.take(DEEPEST).collect();
        path.reverse();
        written(path.into_iter())
    }

    /// The file that it names, unless it names a headline by its ID.
    pub(super) fn file(&self) -> Option<&str> {
        match self {
            Self::File(file) | Self::Headline { file, .. } => Some(file),
            Self::Id(_) => None,
        }
    }

    /// The position of the headline in the outline of its file.
    ///
    /// # Errors
    /// [`OrgError`], also where several headlines have the path.
    pub(super) fn find(&self, name: &str, outline: &Outline<'_>) -> Result<usize, OrgError> {
        match self {
            Self::File(_) => Err(OrgError::WholeFile),
            Self::Id(id) => with_id(outline, id).ok_or_else(|| OrgError::NoId(OrgError::shown(id))),
            Self::Headline { path, .. } => {
                let shown = || OrgError::shown(&path.join("/"));
                let found = with_path(outline, path);
                match found.as_slice() {
                    [] => Err(OrgError::NoHeadline(shown())),
                    [only] => Ok(*only),
                    several => {
                        let candidate = |index: &usize| {
                            let line = outline.headlines[*index].line;
                            format!("line {line} ({})", Self::of_headline(name, outline, *index))
                        };
                        let candidates = several.iter().take(8).map(candidate).collect();
                        Err(OrgError::Ambiguous { path: shown(), candidates })
                    }
                }
            }
        }
    }
}

/// Most titles of a path. Deeper headlines are named from their innermost ancestors, which finds nothing: they
/// need an ID.
const DEEPEST: usize = 100;

fn written<'t>(titles: impl Iterator<Item = &'t str>) -> String {
    // A title has no whitespace at its ends, so a space is an empty one, which a path cannot have otherwise.
    let one = |title: &str| if title.is_empty() { "%20".to_owned() } else { encoded(title, false) };
    titles.map(one).collect::<Vec<_>>().join("/")
}

/// The position of the headline with an ID.
pub(super) fn with_id(outline: &Outline<'_>, id: &str) -> Option<usize> {
    outline.headlines.iter().position(|headline| headline.id() == Some(id))
}

/// The headlines to which these titles lead.
fn with_path(outline: &Outline<'_>, path: &[String]) -> Vec<usize> {
    let leads_to = |index: &usize| {
        let mut at = Some(*index);
        for title in path.iter().rev() {
            match at {
                Some(index) if outline.headlines[index].title == title.trim_matches(' ') => {
                    at = outline.headlines[index].parent;
                }
                _ => return false,
            }
        }
        at.is_none()
    };
    (0..outline.headlines.len()).filter(leads_to).collect()
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(file) => write!(f, "org://{}", encoded(file, true)),
            Self::Id(id) => write!(f, "org://id/{}", encoded(id, false)),
            Self::Headline { file, path } => {
                write!(
                    f,
                    "org://{}/headline/{}",
                    encoded(file, true),
                    written(path.iter().map(String::as_str))
                )
            }
        }
    }
}

/// Percent-encodes what is not unreserved (RFC 3986), slashes only where they do not separate.
fn encoded(text: &str, slashes: bool) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) || slashes && byte == b'/' {
            out.push(char::from(byte));
        } else {
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}

fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        if first == b'%' {
            let hex = std::str::from_utf8(after.get(..2)?).ok()?;
            bytes.push(u8::from_str_radix(hex, 16).ok()?);
            rest = &after[2..];
        } else {
            bytes.push(first);
            rest = after;
        }
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_headline_without_a_title_has_a_uri() {
        let outline = Outline::read("* A\n** TODO\n** \n*** B\n");
        let found = |index| {
            let location = Location::of_headline("a.org", &outline, index);
            let read = Location::parse(&location.to_string()).unwrap();
            (location.to_string(), read.find("a.org", &outline).map_err(|error| error.to_string()))
        };
        assert_eq!(found(0), ("org://a.org/headline/A".to_owned(), Ok(0)));
        assert_eq!(found(3), ("org://a.org/headline/A/%20/B".to_owned(), Ok(3)));
        assert!(found(1).1.is_err_and(|error| error.contains("ambiguous")));
    }

    #[test]
    fn uris_are_read_as_they_are_written() {
        for uri in
            ["org://notes.org", "org://a%20b/headline/notes.org/headline/A%2FB/%C3%A9", "org://id/3f1c"]
        {
            assert_eq!(Location::parse(uri).unwrap().to_string(), uri);
        }
        let file = Location::File("notes.org".into());
        for uri in ["org://notes.org/", "org://notes.org#", "org://notes.org/#", "org://notes.org/outline"] {
            assert_eq!(Location::parse(uri).unwrap(), file, "{uri}");
        }
        for uri in ["notes.org", "org://", "org://id/", "org://a.org/headline/%zz", "org://%ff.org"] {
            assert!(Location::parse(uri).is_err(), "{uri}");
        }
    }

    #[test]
    fn a_path_that_several_headlines_have_is_refused() {
        let outline = Outline::read("* A\n** B\n** B\n* B\n");
        let find = |path: &[&str]| {
            let path = path.iter().map(|&title| title.to_owned()).collect();
            Location::Headline { file: "a.org".into(), path }.find("a.org", &outline)
        };
        assert_eq!(find(&["B"]), Ok(3));
        assert!(
            matches!(find(&["A", "B"]), Err(OrgError::Ambiguous { candidates, .. }) if candidates.len() == 2)
        );
        assert_eq!(find(&["C"]), Err(OrgError::NoHeadline("C".into())));
    }
}
