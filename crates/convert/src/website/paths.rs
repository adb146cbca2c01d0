//! Paths of files of a project, from its folder and with `/`.

/// The folder of a page, which is empty or ends with a slash.
pub(super) fn folder(page: &str) -> &str {
    page.rfind('/').map_or("", |at| &page[..=at])
}

/// The path from a page to the folder of the project, which is empty or ends with a slash.
pub(super) fn up(page: &str) -> String {
    "../".repeat(page.matches('/').count())
}

/// The file that a page names, from the project's folder. An address elsewhere and a path that leaves the folder stay as
/// they are.
pub(super) fn joined(page: &str, path: &str) -> String {
    below(page, path).unwrap_or_else(|| path.to_owned())
}

/// Like [`joined`], but nothing for an address elsewhere and a path that leaves the project's folder.
pub(super) fn below(page: &str, path: &str) -> Option<String> {
    if path.contains(':') || path.starts_with("//") || path.starts_with('#') || path.is_empty() {
        return None;
    }
    let path = path.split(['?', '#']).next().unwrap_or(path);
    let full = match path.strip_prefix('/') {
        Some(path) => path.to_owned(),
        None => format!("{}{path}", folder(page)),
    };
    let mut parts: Vec<&str> = Vec::new();
    for part in full.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// The name of the web page of a document.
pub(super) fn output(page: &str) -> String {
    let stem = page.rsplit_once('.').map_or(page, |(stem, _)| stem);
    format!("{stem}.html")
}

/// Whether a file has one of these endings.
pub(super) fn has_ending(path: &str, endings: &[&str]) -> bool {
    path.rsplit_once('.')
        .is_some_and(|(_, own)| endings.iter().any(|ending| own.eq_ignore_ascii_case(ending)))
}

/// The words of a file's name: `a-first_page.qmd` is "A first page".
pub(super) fn words(path: &str) -> String {
    let name = path.trim_end_matches('/').rsplit('/').next().unwrap_or(path);
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    let spaced = stem.replace(['-', '_'], " ");
    let mut chars = spaced.chars();
    chars.next().map(char::to_uppercase).into_iter().flatten().chain(chars).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_those_from_the_folder_of_the_project() {
        assert_eq!(below("docs/a.qmd", "../b.png").as_deref(), Some("b.png"));
        assert_eq!(below("docs/a.qmd", "/img/b.png?x#y").as_deref(), Some("img/b.png"));
        assert_eq!(below("docs/a.qmd", "./b.png").as_deref(), Some("docs/b.png"));
        for outside in ["../../b.png", "https://a.org/b.png", "//a.org/b", "#c"] {
            assert_eq!(below("docs/a.qmd", outside), None, "{outside}");
        }
        assert_eq!(words("docs/a-first_page.qmd"), "A first page");
        assert_eq!((output("docs/a.qmd"), up("docs/a.qmd")), ("docs/a.html".to_owned(), "../".to_owned()));
    }
}
