//! The line of a headline: keyword, priority, title, tags.

use std::ops::Range;

use super::{
    TAGS_COLUMN,
    buffer::{Buffer, column, leading},
};

/// Puts the tags at their column (`org-align-tags`).
pub(in super::super) fn align_tags(buffer: &mut Buffer, index: usize) {
    let start = buffer.entry(index).start;
    align_line(buffer, start);
}

/// Like [`align_tags`], for the headline whose line begins at `start`.
pub(super) fn align_line(buffer: &mut Buffer, start: usize) {
    let line = &buffer.text()[start..buffer.line_end(start)];
    let Some(tags) = tag_group(line) else { return };
    let before = line[..tags.start].trim_end_matches([' ', '\t']);
    let title_end = column(before);
    let new = TAGS_COLUMN.saturating_sub(column(&line[tags.clone()])).max(title_end + 1);
    if new != column(&line[..tags.start]) {
        let spaces = start + before.len()..start + tags.start;
        buffer.replace(spaces, &" ".repeat(new - title_end));
    }
}

/// Where the tags of a headline are, with their colons (`org-tag-line-re`).
fn tag_group(line: &str) -> Option<Range<usize>> {
    let trimmed = line.trim_end_matches([' ', '\t']);
    let start = trimmed.rfind([' ', '\t'])? + 1;
    let inner = trimmed[start..].strip_prefix(':')?.strip_suffix(':')?;
    let fits = |c: char| c.is_alphanumeric() || matches!(c, '_' | '@' | '#' | '%' | ':');
    (!inner.is_empty() && inner.chars().all(fits)).then_some(start..trimmed.len())
}

/// Replaces the tags (`org-set-tags`).
pub(in super::super) fn set_tags(buffer: &mut Buffer, index: usize, tags: &[&str]) {
    let entry = buffer.entry(index);
    if entry.tags != tags {
        let line = &buffer.text()[entry.start..entry.line_end];
        let kept = tag_group(line).map_or(line.len(), |tags| tags.start);
        let kept = line[..kept].trim_end_matches([' ', '\t']).len();
        let has_title = kept > entry.level;
        let mut new = if has_title { String::new() } else { " ".to_owned() };
        if !tags.is_empty() {
            new = format!("{new} :{}:", tags.join(":"));
        }
        buffer.replace(entry.start + kept..entry.line_end, &new);
    }
    if !tags.is_empty() {
        align_tags(buffer, index);
    }
}

/// Replaces the title (`org-edit-headline`); a word COMMENT before it stays.
pub(in super::super) fn set_title(buffer: &mut Buffer, index: usize, title: &str) {
    let entry = buffer.entry(index);
    if &buffer.text()[entry.title.clone()] == title {
        return;
    }
    if entry.title.is_empty() {
        let line = &buffer.text()[entry.start..entry.line_end];
        let kept = tag_group(line).map_or(line.len(), |tags| tags.start);
        let kept = line[..kept].trim_end_matches([' ', '\t']).len();
        buffer.insert(entry.start + kept, &format!(" {title}"));
        align_tags(buffer, index);
        let entry = buffer.entry(index);
        let line = &buffer.text()[entry.start..entry.line_end];
        let trimmed = entry.start + line.trim_end_matches([' ', '\t']).len();
        buffer.replace(trimmed..entry.line_end, "");
        return;
    }
    buffer.replace(entry.title, title);
    align_tags(buffer, index);
}

/// Sets or removes the priority (`org-priority`).
pub(in super::super) fn set_priority(buffer: &mut Buffer, index: usize, priority: Option<&str>) {
    let entry = buffer.entry(index);
    let line = &buffer.text()[entry.start..entry.line_end];
    match (priority_cookie(line), priority) {
        (Some(cookie), Some(new)) => {
            let (from, to) = (entry.start + cookie.start + 2, entry.start + cookie.end - 1);
            buffer.replace(from..to, new);
        }
        (Some(cookie), None) => {
            let space = usize::from(line[cookie.end..].starts_with(' '));
            buffer.replace(entry.start + cookie.start..entry.start + cookie.end + space, "");
        }
        (None, Some(new)) => match entry.todo {
            Some(todo) => buffer.insert(todo.end, &format!(" [#{new}]")),
            None => {
                let spaces = line[entry.level..].len() - line[entry.level..].trim_start_matches(' ').len();
                buffer.insert(entry.start + entry.level + spaces, &format!("[#{new}] "));
            }
        },
        (None, None) => return,
    }
    align_tags(buffer, index);
}

/// Where the first `[#A]` of a headline is, wherever that is in the title (`org-priority-regexp`).
fn priority_cookie(line: &str) -> Option<Range<usize>> {
    line.match_indices("[#").find_map(|(start, _)| {
        let rest = &line[start + 2..];
        let length = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_alphanumeric()).len();
        (length > 0 && rest[length..].starts_with(']')).then_some(start..start + 2 + length + 1)
    })
}

/// Replaces the keyword with the spaces around it (a part of `org-todo`).
pub(super) fn set_keyword(buffer: &mut Buffer, index: usize, keyword: &str) {
    let entry = buffer.entry(index);
    let after_stars = entry.start + entry.level;
    let old_end = entry.todo.map_or(after_stars, |todo| todo.end);
    let rest = &buffer.text()[old_end..entry.line_end];
    let spaces = rest.len() - rest.trim_start_matches(' ').len();
    let spaces = if rest.trim_matches([' ', '\t']).is_empty() { rest.len() } else { spaces };
    let new = if keyword.is_empty() { " ".to_owned() } else { format!(" {keyword} ") };
    buffer.replace(after_stars..old_end + spaces, &new);
}

/// Leaves one space after the keyword, unless tags follow (the end of `org-todo`).
pub(super) fn one_space_after_keyword(buffer: &mut Buffer, index: usize) {
    let entry = buffer.entry(index);
    let end = entry.todo.map_or(entry.start + entry.level, |todo| todo.end);
    let rest = &buffer.text()[end..entry.line_end];
    if rest.starts_with(' ') && !rest.trim_start_matches(' ').starts_with(':') {
        let spaces = leading(rest);
        buffer.replace(end..end + spaces, " ");
    }
}

/// Adds the word COMMENT or removes it (`org-toggle-comment`).
pub(super) fn toggle_comment(buffer: &mut Buffer, index: usize) {
    let entry = buffer.entry(index);
    let line = &buffer.text()[entry.start..entry.line_end];
    let mut at = entry.todo.map_or(entry.level, |todo| todo.end - entry.start);
    let spaces = leading(&line[at..]);
    // The expression of Org reads a priority of one character.
    let cookie = &line[at + spaces..];
    if spaces > 0 && cookie.starts_with("[#") && cookie.chars().nth(3) == Some(']') {
        at += spaces + cookie.chars().take(4).map(char::len_utf8).sum::<usize>();
    }
    let spaces = leading(&line[at..]);
    let space = if spaces == 0 { " " } else { "" };
    at += spaces;
    let start = entry.start + at;
    if entry.is_commented {
        let rest = &line[at..];
        let word = rest.find(' ').map_or(rest.len(), |space| space + 1);
        let word = word + leading(&rest[word..]);
        buffer.replace(start..start + word, space);
    } else {
        let after = if at < line.len() { " " } else { "" };
        buffer.insert(start, &format!("{space}COMMENT{after}"));
    }
}
