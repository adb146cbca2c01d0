//! Archiving a headline.

use super::{
    buffer::Buffer, checkbox, cookies, drawer, headline::set_tags, structure::level_below, subtree::paste,
};

/// Where a headline is archived, and with what.
pub(in super::super) struct Goal<'a> {
    /// The headline below which it goes, with its stars (default: the end of the file).
    pub(in super::super) heading: Option<&'a str>,
    /// What a new file begins with.
    pub(in super::super) header: Option<String>,
    /// All tags, inherited ones included, where it stays in its file.
    pub(in super::super) tags: Option<Vec<&'a str>>,
    /// The properties that say where it was, in order.
    pub(in super::super) properties: Vec<(&'static str, String)>,
}

/// Puts a subtree into an archive (`org-archive-subtree`); where it begins.
pub(in super::super) fn archive(buffer: &mut Buffer, subtree: &str, goal: &Goal<'_>) -> usize {
    if let Some(header) = &goal.header {
        let end = buffer.text().len();
        buffer.insert(end, header);
    }
    let at = match goal.heading {
        Some(heading) => below(buffer, heading),
        None => {
            let end = buffer.text().len();
            buffer.insert(end, "\n");
            end + 1
        }
    };
    let level = goal.heading.map_or(1, |heading| {
        level_below(buffer.text(), heading.len() - heading.trim_start_matches('*').len())
    });
    let start = paste(buffer, at, subtree, level);
    let Some(index) = buffer.index_at(start) else { return start };
    if let Some(tags) = &goal.tags {
        set_tags(buffer, index, tags);
    }
    for (key, value) in goal.properties.iter().filter(|(_, value)| !value.trim().is_empty()) {
        drawer::put(buffer, index, key, value);
    }
    start
}

/// Makes room at the end of what is below a headline, which is added at the end of the file where there is none; the
/// begin of the room.
fn below(buffer: &mut Buffer, heading: &str) -> usize {
    let end = if let Some(index) = find_heading(buffer, heading) {
        buffer.entry(index).section_end
    } else {
        buffer.end_last_line();
        let end = buffer.text().len();
        buffer.insert(end, &format!("\n{heading}\n"));
        buffer.text().len()
    };
    let kept = buffer.text()[..end].trim_end_matches([' ', '\t', '\r', '\n']).len();
    buffer.replace(kept..end, "\n\n");
    kept + 2
}

/// The first headline with these stars and this title, whatever its tags and its case.
pub(in super::super) fn find_heading(buffer: &Buffer, heading: &str) -> Option<usize> {
    (0..buffer.document().count()).find(|index| {
        let line = buffer.headline(*index).span.of(buffer.text());
        line.get(..heading.len()).is_some_and(|start| start.to_lowercase() == heading.to_lowercase())
            && is_tags(&line[heading.len()..])
    })
}

/// What a new archive begins with (`org-archive-file-header-format`); a line for the mode where its name does not say it.
pub(in super::super) fn archive_header(file: &str, archive: &str) -> String {
    let is_org = std::path::Path::new(archive).extension().is_some_and(|extension| extension == "org");
    let mode = if is_org { "" } else { "#    -*- mode: org -*-\n\n" };
    format!("{mode}\nArchived entries from file {file}\n\n")
}

/// A path with `~` for the home folder (`abbreviate-file-name`).
pub(in super::super) fn abbreviated(path: &str) -> String {
    let home = std::env::var("HOME").ok().filter(|home| home.len() > 1);
    let rest = home.and_then(|home| path.strip_prefix(home.trim_end_matches('/')).map(str::to_owned));
    match rest.filter(|rest| rest.starts_with('/')) {
        Some(rest) => format!("~{rest}"),
        None => path.to_owned(),
    }
}

/// Whether what follows a title is whitespace or tags.
fn is_tags(text: &str) -> bool {
    let tags = text.trim_matches([' ', '\t']);
    let is_one =
        tags.len() > 2 && tags.starts_with(':') && tags.ends_with(':') && !tags.contains([' ', '\t']);
    tags.is_empty() || (is_one && text.starts_with([' ', '\t']))
}

/// Updates the cookies after a subtree was cut at `at` (the end of `org-archive-subtree`): of the headline above the
/// one that is there now.
pub(in super::super) fn after_cut(buffer: &mut Buffer, at: usize) {
    let Some(index) = buffer.index_at(at) else { return };
    let above = buffer.entry(index).parent.unwrap_or(index);
    if checkbox::has_checkboxes(buffer, above) && !checkbox::cookie_data(buffer, above).contains("todo") {
        checkbox::update_from_headline(buffer, above);
    } else {
        cookies::update(buffer, above);
    }
}
