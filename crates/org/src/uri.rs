use std::{
    borrow::Cow,
    collections::HashMap,
    fmt::{self, Write as _},
    path::Path,
};

use super::{error::OrgError, title};
use crate::kinds::org::Outline;

/// Names a headline or a file: `org://FILE`, `org://FILE/headline/TITLE/TITLE`, `org://FILE?line=LINE`, `org://id/ID`.
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
        /// Which of the headlines with these titles it is, from 1; nothing where there is only one.
        nth: Option<usize>,
    },
    /// A headline by its line.
    Line {
        /// The file.
        file: String,
        /// Line of the headline.
        line: u32,
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
        let (rest, query) = Query::split(rest);
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
        let nth = match (split, query) {
            (_, Some(Query::Line(line))) => return Ok(Self::Line { file, line }),
            (None, Some(Query::Nth(_))) => return Err(bad()),
            (_, Some(Query::Nth(nth))) => Some(nth),
            (_, None) => None,
        };
        let Some(at) = split else { return Ok(Self::File(file)) };
        let titles: Option<Vec<String>> = rest[at + mark.len()..].split('/').map(decoded).collect();
        Ok(Self::Headline { file, path: titles.ok_or_else(bad)?, nth })
    }

    /// The URI of a file.
    pub fn uri_of(file: &str) -> String {
        Self::File(file.to_owned()).to_string()
    }

    /// A headline by its line.
    pub(super) fn at_line(file: &str, line: u32) -> Self {
        Self::Line { file: file.to_owned(), line }
    }

    /// The location of a headline: by its ID where it has one.
    pub(super) fn of_headline(file: &str, outline: &Outline<'_>, index: usize) -> Self {
        match outline.headlines[index].id() {
            Some(id) => Self::Id(id.to_owned()),
            None => {
                let titles = path_to(outline, index).map(|at| outline.headlines[at].title);
                Self::of_titles(file, titles, ordinal(outline, index))
            }
        }
    }

    /// The location of a headline without an ID, by its title and those of the headlines above it, innermost first, and
    /// its number among those with the same titles.
    pub(super) fn of_titles<'t>(
        file: &str,
        titles: impl Iterator<Item = &'t str>,
        nth: Option<usize>,
    ) -> Self {
        let mut path: Vec<String> =
            titles.take(DEEPEST).map(|found| title::name(found).into_owned()).collect();
        path.reverse();
        Self::Headline { file: file.to_owned(), path, nth }
    }

    /// The titles and the number that [`Self::of_titles`] takes, as a URI has them.
    pub(super) fn written_path<'t>(titles: impl Iterator<Item = &'t str>, nth: Option<usize>) -> String {
        match Self::of_titles("", titles, nth) {
            Self::Headline { path, nth, .. } => written(path.iter().map(String::as_str), nth),
            _ => String::new(),
        }
    }

    /// The file that it names, unless it names a headline by its ID.
    pub(super) fn file(&self) -> Option<&str> {
        match self {
            Self::File(file) | Self::Headline { file, .. } | Self::Line { file, .. } => Some(file),
            Self::Id(_) => None,
        }
    }

    /// The position of the headline in the outline of its file.
    ///
    /// # Errors
    /// [`OrgError`], also where several headlines have the path.
    pub(super) fn find(&self, name: &str, outline: &Outline<'_>) -> Result<usize, OrgError> {
        self.find_among(name, outline, outline)
    }

    /// Like [`Self::find`], with the names of the headlines, for a file in which many are looked for.
    ///
    /// # Errors
    /// Those of [`Self::find`].
    pub(super) fn find_by(&self, name: &str, names: &Names<'_, '_>) -> Result<usize, OrgError> {
        self.find_among(name, names.outline, names)
    }

    fn find_among(&self, name: &str, outline: &Outline<'_>, names: &impl Named) -> Result<usize, OrgError> {
        match self {
            Self::File(_) => Err(OrgError::WholeFile),
            Self::Id(id) => only(name, outline, &names.with_id(id), || OrgError::shown(id))?
                .ok_or_else(|| OrgError::NoId(OrgError::shown(id))),
            Self::Headline { path, nth, .. } => {
                let shown = || OrgError::shown(&path.join("/"));
                let found = with_path(outline, names, path);
                if let Some(nth) = nth {
                    let found = nth.checked_sub(1).and_then(|at| found.get(at)).copied();
                    return found.ok_or_else(|| OrgError::NoHeadline(format!("{}?nth={nth}", shown())));
                }
                // A title that is written as it is, with its cookies, says more than one without them.
                let exact = found.iter().copied().filter(|index| is_exact(outline, *index, path));
                let exact: Vec<usize> = exact.collect();
                let found = if exact.len() == 1 { &exact[..] } else { &found };
                only(name, outline, found, shown)?.ok_or_else(|| OrgError::NoHeadline(shown()))
            }
            Self::Line { line, .. } => {
                let around = outline.index_at(*line);
                let found = around.filter(|index| outline.headlines[*index].line == *line);
                found.ok_or_else(|| match around {
                    Some(index) => OrgError::NotAHeadline {
                        line: *line,
                        headline: outline.headlines[index].line,
                        title: OrgError::shown(outline.headlines[index].title),
                    },
                    None => OrgError::NoHeadline(format!("{}:{line}", OrgError::shown(name))),
                })
            }
        }
    }

    /// Like [`Self::find`], for a reader: a line may be any one of the text of a headline.
    ///
    /// # Errors
    /// The errors of [`Self::find`].
    pub(super) fn find_around(&self, name: &str, outline: &Outline<'_>) -> Result<usize, OrgError> {
        match self {
            Self::Line { line, .. } => {
                let missing = || OrgError::NoHeadline(format!("{}:{line}", OrgError::shown(name)));
                outline.index_at(*line).ok_or_else(missing)
            }
            _ => self.find(name, outline),
        }
    }
}

/// Headlines by what names them.
trait Named {
    /// Those with an ID: one, unless it was copied.
    fn with_id(&self, id: &str) -> Cow<'_, [usize]>;

    /// Those to which titles without cookies lead.
    fn with_names(&self, names: &[Cow<'_, str>]) -> Cow<'_, [usize]>;
}

impl Named for Outline<'_> {
    fn with_id(&self, id: &str) -> Cow<'_, [usize]> {
        with_id(self, id).into()
    }

    fn with_names(&self, names: &[Cow<'_, str>]) -> Cow<'_, [usize]> {
        let leads_to = |index: &usize| {
            let mut at = Some(*index);
            for name in names.iter().rev() {
                match at {
                    Some(index) if title::name(self.headlines[index].title) == *name => {
                        at = self.headlines[index].parent;
                    }
                    _ => return false,
                }
            }
            at.is_none()
        };
        (0..self.headlines.len()).filter(leads_to).collect::<Vec<usize>>().into()
    }
}

/// The names of the headlines of a file, so that finding one of them does not look at all.
pub(super) struct Names<'o, 't> {
    outline: &'o Outline<'t>,
    ids: HashMap<&'t str, Vec<usize>>,
    /// Paths by the path above them and their last title without cookies.
    paths: HashMap<(Option<usize>, Cow<'t, str>), usize>,
    /// The headlines with each path.
    with_path: Vec<Vec<usize>>,
}

impl<'o, 't> Names<'o, 't> {
    pub(super) fn of(outline: &'o Outline<'t>) -> Self {
        let mut ids: HashMap<&'t str, Vec<usize>> = HashMap::new();
        let mut paths = HashMap::new();
        let mut with_path: Vec<Vec<usize>> = Vec::new();
        // The path of each headline.
        let mut known: Vec<usize> = Vec::with_capacity(outline.headlines.len());
        for (index, headline) in outline.headlines.iter().enumerate() {
            if let Some(id) = headline.id() {
                ids.entry(id).or_default().push(index);
            }
            let key = (headline.parent.map(|parent| known[parent]), title::name(headline.title));
            let path = *paths.entry(key).or_insert_with(|| {
                with_path.push(Vec::new());
                with_path.len() - 1
            });
            with_path[path].push(index);
            known.push(path);
        }
        Self { outline, ids, paths, with_path }
    }
}

impl Named for Names<'_, '_> {
    fn with_id(&self, id: &str) -> Cow<'_, [usize]> {
        self.ids.get(id).map_or(&[][..], Vec::as_slice).into()
    }

    fn with_names(&self, names: &[Cow<'_, str>]) -> Cow<'_, [usize]> {
        let path = names.iter().try_fold(None, |above, name| {
            self.paths.get(&(above, Cow::Borrowed(name.as_ref()))).map(|path| Some(*path))
        });
        path.flatten().map_or(&[][..], |path| &self.with_path[path]).into()
    }
}

/// What follows the path of a URI.
enum Query {
    Line(u32),
    Nth(usize),
}

impl Query {
    /// Takes it from the end of a URI; a title may contain a question mark.
    fn split(rest: &str) -> (&str, Option<Self>) {
        let Some((path, query)) = rest.rsplit_once('?') else { return (rest, None) };
        let read = match query.split_once('=') {
            Some(("line", line)) => line.parse().ok().map(Self::Line),
            Some(("nth", nth)) => nth.parse().ok().map(Self::Nth),
            _ => None,
        };
        if read.is_some() { (path, read) } else { (rest, None) }
    }
}

/// The only headline that was found, if any.
///
/// # Errors
/// [`OrgError::Ambiguous`] names each of several ones in a way that finds it.
fn only(
    name: &str,
    outline: &Outline<'_>,
    found: &[usize],
    shown: impl Fn() -> String,
) -> Result<Option<usize>, OrgError> {
    if found.len() < 2 {
        return Ok(found.first().copied());
    }
    let candidate = |index: &usize| {
        let line = outline.headlines[*index].line;
        let uri = match Location::of_headline(name, outline, *index) {
            // Several have this ID.
            Location::Id(id) if with_id(outline, &id).len() > 1 => Location::at_line(name, line),
            other => other,
        };
        format!("line {line} ({uri})")
    };
    let candidates = found.iter().take(8).map(candidate).collect();
    Err(OrgError::Ambiguous { path: shown(), candidates })
}

/// A headline and those above it, innermost first.
fn path_to<'o>(outline: &'o Outline<'_>, index: usize) -> impl Iterator<Item = usize> + use<'o> {
    let parents: Vec<usize> =
        std::iter::successors(Some(index), |at| outline.headlines[*at].parent).collect();
    parents.into_iter()
}

/// The number of a headline among those to which the same titles lead, from 1; nothing where it is the only one.
pub(super) fn ordinal(outline: &Outline<'_>, index: usize) -> Option<usize> {
    let name = |at: usize| title::name(outline.headlines[at].title);
    let own = name(index);
    let has_same_path = |other: &usize| {
        let headline = &outline.headlines[*other];
        // Most titles differ in their first bytes.
        let may_be =
            headline.title.starts_with(own.get(..1).unwrap_or_default()) || headline.title.contains('[');
        may_be && name(*other) == own && {
            let (ours, others) = (path_to(outline, index), path_to(outline, *other));
            ours.map(name).eq(others.map(name))
        }
    };
    let same: Vec<usize> = (0..outline.headlines.len()).filter(has_same_path).collect();
    (same.len() > 1).then(|| same.iter().position(|at| *at == index).map(|at| at + 1))?
}

/// Whether titles are those of a headline and the ones above it, with cookies.
fn is_exact(outline: &Outline<'_>, index: usize, path: &[String]) -> bool {
    let titles = path_to(outline, index).map(|at| outline.headlines[at].title);
    titles.eq(path.iter().rev().map(|title| title.trim_matches(' ')))
}

/// Most titles of a path. Deeper headlines are named from their innermost ancestors, which finds nothing: they
/// need an ID.
const DEEPEST: usize = 100;

fn written<'t>(titles: impl Iterator<Item = &'t str>, nth: Option<usize>) -> String {
    // A title has no whitespace at its ends, so a space is an empty one, which a path cannot have otherwise.
    let one = |title: &str| if title.is_empty() { "%20".to_owned() } else { encoded(title, false) };
    let path = titles.map(one).collect::<Vec<_>>().join("/");
    path + &nth.map(|nth| format!("?nth={nth}")).unwrap_or_default()
}

/// The positions of the headlines with an ID: one, unless it was copied.
pub(super) fn with_id(outline: &Outline<'_>, id: &str) -> Vec<usize> {
    (0..outline.headlines.len()).filter(|index| outline.headlines[*index].id() == Some(id)).collect()
}

/// The headlines to which these titles lead. Cookies do not count, since they change with what is below a headline, and a
/// keyword or a priority before a title is not a part of it.
fn with_path<'n>(outline: &Outline<'_>, named: &'n impl Named, path: &[String]) -> Cow<'n, [usize]> {
    let names: Vec<_> = path.iter().map(|wanted| title::name(wanted.trim_matches(' '))).collect();
    let found = named.with_names(&names);
    if !found.is_empty() {
        return found;
    }
    let plain: Vec<_> = names
        .iter()
        .map(|name| {
            let todo = outline.settings.todo(name).map_or(0, str::len);
            let rest = name[todo..].trim_start();
            let rest =
                rest.strip_prefix("[#").and_then(|rest| rest.split_once(']')).map_or(rest, |(_, rest)| rest);
            Cow::Borrowed(rest.trim_start())
        })
        .collect();
    if plain == names { Cow::Borrowed(&[]) } else { named.with_names(&plain) }
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(file) => write!(f, "org://{}", encoded(file, true)),
            Self::Id(id) => write!(f, "org://id/{}", encoded(id, false)),
            Self::Headline { file, path, nth } => {
                let path = written(path.iter().map(String::as_str), *nth);
                write!(f, "org://{}/headline/{path}", encoded(file, true))
            }
            Self::Line { file, line } => write!(f, "org://{}?line={line}", encoded(file, true)),
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
        assert_eq!(found(1), ("org://a.org/headline/A/%20?nth=1".to_owned(), Ok(1)));
        assert_eq!(found(2), ("org://a.org/headline/A/%20?nth=2".to_owned(), Ok(2)));
    }

    #[test]
    fn uris_are_read_as_they_are_written() {
        for uri in [
            "org://notes.org",
            "org://a%20b/headline/notes.org/headline/A%2FB/%C3%A9",
            "org://id/3f1c",
            "org://notes.org?line=12",
            "org://notes.org/headline/Why%3F?nth=2",
        ] {
            assert_eq!(Location::parse(uri).unwrap().to_string(), uri);
        }
        let why = Location::parse("org://notes.org/headline/Why?").unwrap();
        assert_eq!(why.to_string(), "org://notes.org/headline/Why%3F");
        let file = Location::File("notes.org".into());
        for uri in ["org://notes.org/", "org://notes.org#", "org://notes.org/#", "org://notes.org/outline"] {
            assert_eq!(Location::parse(uri).unwrap(), file, "{uri}");
        }
        for uri in [
            "notes.org",
            "org://",
            "org://id/",
            "org://a.org/headline/%zz",
            "org://%ff.org",
            "org://a.org?nth=1",
        ] {
            assert!(Location::parse(uri).is_err(), "{uri}");
        }
    }

    #[test]
    fn a_path_that_several_headlines_have_is_refused() {
        let outline = Outline::read("* A\n** B\n** B\n* B\n");
        let find = |path: &[&str]| {
            let path = path.iter().map(|&title| title.to_owned()).collect();
            let location = Location::Headline { file: "a.org".into(), path, nth: None };
            let found = location.find("a.org", &outline);
            assert_eq!(location.find_by("a.org", &Names::of(&outline)), found);
            found
        };
        assert_eq!(find(&["B"]), Ok(3));
        assert!(
            matches!(find(&["A", "B"]), Err(OrgError::Ambiguous { candidates, .. }) if candidates.len() == 2)
        );
        assert_eq!(find(&["C"]), Err(OrgError::NoHeadline("C".into())));
    }

    #[test]
    fn cookies_and_keywords_are_not_part_of_a_path() {
        let outline =
            Outline::read("* Work [1/2]\n** TODO [#A] Report [50%]\n* Work\n** Report\n* A [1/1]\n");
        let find = |uri: &str| {
            let location = Location::parse(uri).unwrap();
            let found = location.find("a.org", &outline);
            assert_eq!(location.find_by("a.org", &Names::of(&outline)), found, "{uri}");
            found.ok()
        };
        assert_eq!(find("org://a.org/headline/A"), Some(4));
        assert_eq!(find("org://a.org/headline/A%20%5B0%2F1%5D"), Some(4), "the cookie has changed");
        assert_eq!(find("org://a.org/headline/Work%20%5B1%2F2%5D/Report%20%5B50%25%5D"), Some(1));
        assert_eq!(find("org://a.org/headline/Work?nth=1"), Some(0));
        assert_eq!(find("org://a.org/headline/Work/Report?nth=2"), Some(3));
        assert_eq!(find("org://a.org/headline/Work?nth=3"), None);
        assert_eq!(find("org://a.org/headline/Work/TODO%20%5B%23A%5D%20Report?nth=1"), Some(1));
        let uri = |index| Location::of_headline("a.org", &outline, index).to_string();
        assert_eq!(uri(1), "org://a.org/headline/Work/Report?nth=1");
        assert_eq!(uri(4), "org://a.org/headline/A");
    }

    #[test]
    fn a_line_names_the_headline_on_it() {
        let outline = Outline::read("x\n* A\ntext\n** B\n");
        let line = |line| Location::at_line("a.org", line);
        assert_eq!(line(4).find("a.org", &outline), Ok(1));
        let inside = line(3).find("a.org", &outline).unwrap_err().to_string();
        assert_eq!(inside, "line 3 is not a headline: it is below `A` on line 2");
        assert_eq!(line(3).find_around("a.org", &outline), Ok(0));
        assert_eq!(line(1).find_around("a.org", &outline), Err(OrgError::NoHeadline("a.org:1".into())));
    }
}
