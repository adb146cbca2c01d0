//! Checkboxes of lists, and the cookies that count them.

use std::ops::Range;

use super::{
    buffer::{Buffer, column, leading},
    cookies,
    headline::align_line,
    inherited,
};

/// An item of a list.
#[derive(Debug, Clone)]
struct Item {
    /// Begin of its line.
    start: usize,
    line_end: usize,
    indent: usize,
    /// The character between the brackets of its checkbox.
    checkbox: Option<usize>,
    parent: Option<usize>,
}

/// Why a checkbox is not changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in super::super) enum NoCheckbox {
    /// No item has this text.
    Missing,
    /// Several items have it: their lines, from 1.
    Several(Vec<usize>),
    /// Items below it have checkboxes, which decide about its own.
    Derived,
}

/// Sets the checkbox of the item below a headline whose text contains `wanted`, or toggles it
/// (`org-toggle-checkbox`), and updates the checkboxes and the cookies above it.
pub(in super::super) fn set_checkbox(
    buffer: &mut Buffer,
    index: usize,
    wanted: &str,
    checked: Option<bool>,
) -> Result<(), NoCheckbox> {
    let items = items(buffer, index);
    let text = |item: &Item| item.checkbox.map_or("", |at| buffer.text()[at + 2..item.line_end].trim());
    let boxed: Vec<usize> = (0..items.len()).filter(|at| items[*at].checkbox.is_some()).collect();
    let with = |is_right: &dyn Fn(&str) -> bool| -> Vec<usize> {
        boxed.iter().copied().filter(|at| is_right(text(&items[*at]))).collect()
    };
    let exact = with(&|text| text == wanted.trim());
    let found = if exact.is_empty() { with(&|text| text.contains(wanted.trim())) } else { exact };
    let at = match found.as_slice() {
        [] => return Err(NoCheckbox::Missing),
        [only] => *only,
        several => {
            let line = |at: &usize| buffer.text()[..items[*at].start].matches('\n').count() + 1;
            return Err(NoCheckbox::Several(several.iter().map(line).collect()));
        }
    };
    let has_boxes_below = items.iter().any(|item| item.parent == Some(at) && item.checkbox.is_some());
    if has_boxes_below {
        return Err(NoCheckbox::Derived);
    }
    let Some(mark) = items[at].checkbox else { return Err(NoCheckbox::Missing) };
    let is_set = matches!(buffer.text().as_bytes()[mark], b'X' | b'x');
    buffer.replace(mark..mark + 1, if checked.unwrap_or(!is_set) { "X" } else { " " });
    propagate(buffer, &items, at);
    update_cookies(buffer, index);
    Ok(())
}

/// Sets the checkboxes above an item as those below them say (`org-list-struct-fix-box`).
fn propagate(buffer: &mut Buffer, items: &[Item], from: usize) {
    let mut at = items[from].parent;
    while let Some(parent) = at {
        let below = items.iter().filter(|item| item.parent == Some(parent)).filter_map(|item| item.checkbox);
        let marks: Vec<u8> = below.map(|mark| buffer.text().as_bytes()[mark].to_ascii_uppercase()).collect();
        if let Some(mark) = items[parent].checkbox.filter(|_| !marks.is_empty()) {
            let new = match () {
                () if marks.iter().all(|mark| *mark == b'X') => "X",
                () if marks.iter().all(|mark| *mark == b' ') => " ",
                () => "-",
            };
            buffer.replace(mark..mark + 1, new);
        }
        at = items[parent].parent;
    }
}

/// Updates the cookies of a headline and its items that count checkboxes (`org-update-checkbox-count`).
fn update_cookies(buffer: &mut Buffer, index: usize) {
    let data = cookie_data(buffer, index);
    update_section(buffer, index, &data, false);
}

/// Updates the cookies as the command does it on the line of a headline: from the headline before it on, also where
/// there are no checkboxes.
pub(super) fn update_from_headline(buffer: &mut Buffer, index: usize) {
    let data = cookie_data(buffer, index);
    for at in index.saturating_sub(1)..=index {
        update_section(buffer, at, &data, true);
    }
}

/// Whether an item directly below a headline has a checkbox.
pub(super) fn has_checkboxes(buffer: &Buffer, index: usize) -> bool {
    items(buffer, index).iter().any(|item| item.checkbox.is_some())
}

/// How the cookies of a headline count, in lower case.
pub(super) fn cookie_data(buffer: &Buffer, index: usize) -> String {
    let data = inherited::get(buffer.document(), index, "COOKIE_DATA");
    data.map(|(data, _)| data.to_lowercase()).unwrap_or_default()
}

fn update_section(buffer: &mut Buffer, index: usize, data: &str, even_none: bool) {
    if data.contains("todo") {
        return;
    }
    let items = items(buffer, index);
    let counted = |buffer: &Buffer, parent: Option<usize>, is_recursive: bool| {
        let is_below = |item: &&Item| {
            let mut above = item.parent;
            if parent == above {
                return true;
            }
            while let Some(at) = above.filter(|_| is_recursive) {
                if parent == Some(at) || (parent.is_none() && items[at].parent.is_none()) {
                    return true;
                }
                above = items[at].parent;
            }
            false
        };
        let below = items.iter().filter(is_below).filter_map(|item| item.checkbox);
        below.fold((0, 0), |(done, all), mark| {
            (done + usize::from(matches!(buffer.text().as_bytes()[mark], b'X' | b'x')), all + 1)
        })
    };
    let is_recursive = data.contains("recursive");
    // From the last to the first, since a cookie may become longer.
    for at in (0..items.len()).rev() {
        let counts = counted(buffer, Some(at), is_recursive);
        if counts.1 > 0 {
            replace_cookies(buffer, items[at].start..items[at].line_end, counts);
        }
    }
    let counts = counted(buffer, None, is_recursive);
    if counts.1 > 0 || even_none {
        let entry = buffer.entry(index);
        if replace_cookies(buffer, entry.start..entry.line_end, counts) {
            align_line(buffer, entry.start);
        }
    }
}

fn replace_cookies(buffer: &mut Buffer, line: Range<usize>, counts: (usize, usize)) -> bool {
    let edits = cookies::written(&buffer.text()[line.clone()], counts);
    for (cookie, new) in edits.iter().rev() {
        buffer.replace(line.start + cookie.start..line.start + cookie.end, new);
    }
    !edits.is_empty()
}

/// The items of the lists directly below a headline. Lines of blocks and drawers are not items.
fn items(buffer: &Buffer, index: usize) -> Vec<Item> {
    let entry = buffer.entry(index);
    let text = buffer.text();
    let mut found: Vec<Item> = Vec::new();
    let mut open: Vec<usize> = Vec::new();
    let (mut is_verbatim, mut blank, mut at) = (false, 0, (entry.line_end + 1).min(text.len()));
    while at < entry.end {
        let start = at;
        let line_end = buffer.line_end(at);
        at = line_end + 1;
        let line = &text[start..line_end];
        let trimmed = &line[leading(line)..];
        let lower = trimmed.to_ascii_lowercase();
        is_verbatim = lower.starts_with("#+begin_") || (is_verbatim && !lower.starts_with("#+end_"));
        if is_verbatim || lower.starts_with("#+end_") {
            continue;
        }
        if trimmed.is_empty() {
            blank += 1;
            // Two empty lines end all lists.
            if blank > 1 {
                open.clear();
            }
            continue;
        }
        blank = 0;
        let indent = column(&line[..leading(line)]);
        let Some(bullet) = bullet(line) else {
            open.retain(|at| found[*at].indent < indent);
            continue;
        };
        open.retain(|at| found[*at].indent < indent);
        let rest = &trimmed[bullet..];
        let mark = rest.len() - rest.trim_start_matches([' ', '\t']).len();
        let is_box =
            [" ", "X", "x", "-"].iter().any(|mark_is| rest[mark..].starts_with(&format!("[{mark_is}]")));
        let checkbox = is_box.then_some(start + leading(line) + bullet + mark + 1);
        found.push(Item { start, line_end, indent, checkbox, parent: open.last().copied() });
        open.push(found.len() - 1);
    }
    found
}

/// The length of the bullet that a line begins with after its indentation.
fn bullet(line: &str) -> Option<usize> {
    let text = &line[leading(line)..];
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let length = match text.as_bytes().get(digits)? {
        b'-' | b'+' if digits == 0 => 1,
        b'*' if digits == 0 && text.len() < line.len() => 1,
        b'.' | b')' if digits > 0 => digits + 1,
        _ => return None,
    };
    let rest = &text[length..];
    (rest.is_empty() || rest.starts_with([' ', '\t'])).then(|| {
        // `[@3]` sets the number of the item.
        let spaces = leading(rest);
        let counter = rest[spaces..].strip_prefix("[@").and_then(|rest| rest.find(']'));
        length + counter.map_or(0, |end| spaces + "[@".len() + end + 1)
    })
}
