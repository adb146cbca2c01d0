//! Edits that speak of entries and items of YAML and not of bytes: they find the lines, blanks, dashes
//! and commas that belong to a change in block style or in flow style.
//!
//! Each gives nothing where the text is not written as YAML is, so that a fix is left out and no text
//! damaged.

use crate::{
    text::Span,
    tree::{Entry, Node},
};

/// Bytes to take away and the text that comes in their place.
pub(super) type Change = (Span, String);

/// Takes an entry of a mapping or an item of a sequence away, with the lines or the comma that belong
/// to it. The only item leaves `[]`; the only entry stays.
pub(super) fn remove(node: Node<'_>) -> Option<Vec<Change>> {
    let parent = node.parent()?;
    let text = parent.source().text();
    let whole = whole(node);
    if is_flow(parent) {
        return Some(vec![(with_comma(text, whole), String::new())]);
    }
    if parent.len() == 1 {
        let owner = parent.own_entry().filter(|_| parent.is_sequence())?;
        let colon = after_colon(text, owner)?;
        return Some(vec![(Span::new(colon, parent.span().end as usize), " []".into())]);
    }
    let start = dash(text, node).unwrap_or(whole.start as usize);
    let line = line_start(text, start);
    if is_blank(&text[line..start]) {
        let end = next_line(text, whole.end as usize);
        // The last line of the file may have no end: then the one before it is the one to go.
        let line = if end == text.len() && !text.ends_with('\n') { line.saturating_sub(1) } else { line };
        return Some(vec![(Span::new(line, end), String::new())]);
    }
    // The first entry stands behind the dash of an item, and the next one takes its place.
    let mut entries = parent.entries().skip_while(|entry| entry.value().id() != node.id()).skip(1);
    let next = entries.next()?.key_span().start as usize;
    (dash(text, parent).is_some() && start < next).then(|| vec![(Span::new(start, next), String::new())])
}

/// Adds an entry to a mapping, behind the short ones that lead it, or an item at the end of a
/// sequence.
pub(super) fn add(to: Node<'_>, added: &str) -> Option<Vec<Change>> {
    let text = to.source().text();
    if is_flow(to) {
        return Some(flow_add(to, added));
    }
    if to.is_sequence() {
        let (first, last) = (to.items().next()?, to.items().next_back()?);
        let dash = dash(text, first)?;
        let line = line_start(text, dash);
        let indent = text.get(line..dash).filter(|blank| is_blank(blank))?;
        let end = last.span().end as usize;
        if text[..end].ends_with('\n') {
            return Some(vec![(Span::at(dash), format!("- {added}\n{indent}"))]);
        }
        return Some(vec![(Span::at(line_end(text, end)), format!("\n{indent}- {added}"))]);
    }
    let first = to.entries().next()?;
    let key = first.key_span().start as usize;
    after_colon(text, first)?;
    let line = line_start(text, key);
    let indent: String = text[line..key].chars().map(|c| if c == '\t' { '\t' } else { ' ' }).collect();
    let short = |entry: &Entry<'_>| {
        let value = entry.value();
        value.scalar().is_some() && !text[entry.key_span().range()].is_empty() && {
            let end = (value.span().end as usize).max(entry.key_span().end as usize);
            !text[entry.key_span().start as usize..end].contains('\n')
        }
    };
    match to.entries().take_while(short).last() {
        Some(last) => {
            let end = (last.value().span().end).max(last.key_span().end) as usize;
            Some(vec![(Span::at(line_end(text, end)), format!("\n{indent}{added}"))])
        }
        None => Some(vec![(Span::at(key), format!("{added}\n{indent}"))]),
    }
}

/// Adds an item to the sequence at a key of a mapping, which becomes one where it is a scalar and is
/// made where it is missing.
pub(super) fn add_under(mapping: Node<'_>, key: &str, item: &str) -> Option<Vec<Change>> {
    let text = mapping.source().text();
    let Some(entry) = mapping.entry(key) else {
        return mapping.is_mapping().then(|| add(mapping, &format!("{key}: [{item}]")))?;
    };
    let value = entry.value();
    if value.is_null() {
        let colon = after_colon(text, entry)?;
        let end = (value.span().end as usize).max(colon);
        return Some(vec![(Span::new(colon, end), format!(" [{item}]"))]);
    }
    if value.is_sequence() {
        return add(value, item);
    }
    let mut changes = wrap(value)?;
    let close = changes.last_mut()?;
    close.1 = format!(", {item}]");
    value.scalar().is_some().then_some(changes)
}

/// Makes a scalar, or a mapping, the only item of a sequence.
pub(super) fn wrap(node: Node<'_>) -> Option<Vec<Change>> {
    let text = node.source().text();
    let span = node.span();
    if node.is_mapping() && !is_flow(node) {
        let first = node.entries().next()?.key_span().start as usize;
        let line = line_start(text, first);
        is_blank(&text[line..first]).then_some(())?;
        let mut changes = vec![(Span::at(first), "- ".to_owned())];
        for at in lines_after(text, first, span.end as usize) {
            changes.push((Span::at(at), "  ".into()));
        }
        return Some(changes);
    }
    let raw = node.raw();
    let quoted = raw.starts_with(['"', '\'']);
    let plain = !raw.is_empty() && !quoted && !raw.contains([',', '[', ']', '{', '}', '#', ':']);
    let whole = !raw.contains('\n') && (quoted || plain || is_flow(node));
    whole
        .then(|| vec![(Span::at(span.start as usize), "[".into()), (Span::at(span.end as usize), "]".into())])
}

/// Puts the only item of a sequence in its place.
pub(super) fn unwrap(node: Node<'_>) -> Option<Vec<Change>> {
    let only = node.items().next().filter(|_| node.len() == 1)?;
    let span = node.span();
    if is_flow(node) {
        let (start, end) = (span.start as usize, span.end as usize);
        let item = only.span();
        let before = Span::new(start, item.start as usize);
        return Some(vec![(before, String::new()), (Span::new(item.end as usize, end), String::new())]);
    }
    let text = node.source().text();
    let dash = dash(text, only)?;
    Some(vec![(Span::new(dash, dash + 1), " ".into())])
}

/// Makes the values of a mapping the items of a sequence; those that are mappings without `name` get
/// their key under it.
pub(super) fn itemize(node: Node<'_>, name: &str) -> Option<Vec<Change>> {
    let text = node.source().text();
    if !node.is_mapping() || is_flow(node) || node.is_empty() {
        return None;
    }
    let mut changes = Vec::new();
    for entry in node.entries() {
        let value = entry.value();
        let key = entry.key_span();
        let colon = after_colon(text, entry)?;
        let line = line_start(text, key.start as usize);
        let indent = text.get(line..key.start as usize).filter(|blank| is_blank(blank))?;
        if !value.is_mapping() || value.is_empty() {
            return None;
        }
        let named = value.entry(name).is_some();
        if is_flow(value) {
            let open = value.span().start as usize + 1;
            changes.push((Span::new(key.start as usize, colon), "-".into()));
            if !named {
                changes.push((Span::at(open), format!("{name}: {}, ", text.get(key.range())?)));
            }
            continue;
        }
        let first = value.entries().next()?.key_span().start as usize;
        let inner = text.get(line_start(text, first)..first).filter(|blank| is_blank(blank))?;
        let own = if named { String::new() } else { format!("{name}: {}\n{inner}", text.get(key.range())?) };
        if inner.len() == indent.len() + 2 {
            changes.push((Span::new(key.start as usize, first), format!("- {own}")));
        } else {
            changes.push((Span::new(key.start as usize, colon), "-".into()));
            changes.push((Span::at(first), own));
        }
    }
    Some(changes)
}

/// The key with its value, or the item.
fn whole(node: Node<'_>) -> Span {
    node.own_entry().map_or(node.span(), |entry| entry.key_span().cover(node.span()))
}

fn is_flow(node: Node<'_>) -> bool {
    (node.is_mapping() || node.is_sequence()) && node.raw().starts_with(['{', '['])
}

fn is_blank(text: &str) -> bool {
    text.bytes().all(|byte| byte == b' ')
}

fn line_start(text: &str, at: usize) -> usize {
    text[..at].rfind('\n').map_or(0, |end| end + 1)
}

/// The end of the line of `at`, before its line break.
fn line_end(text: &str, at: usize) -> usize {
    let end = text[at..].find('\n').map_or(text.len(), |length| at + length);
    if text[..end].ends_with('\r') { end - 1 } else { end }
}

/// The start of the line behind the one that ends at or behind `at`.
fn next_line(text: &str, at: usize) -> usize {
    if at > 0 && text[..at].ends_with('\n') { at } else { behind_line(text, at) }
}

/// The start of the line behind that of `at`, which may be its first byte.
fn behind_line(text: &str, at: usize) -> usize {
    text[at..].find('\n').map_or(text.len(), |length| at + length + 1)
}

/// Starts of the lines behind that of `from`, up to `end`, that are not blank.
fn lines_after(text: &str, from: usize, end: usize) -> Vec<usize> {
    let mut starts = Vec::new();
    let mut at = behind_line(text, from);
    while at < end {
        let next = behind_line(text, at);
        if !text[at..next].trim().is_empty() {
            starts.push(at);
        }
        at = next;
    }
    starts
}

/// The place behind the colon of an entry.
fn after_colon(text: &str, entry: Entry<'_>) -> Option<usize> {
    let end = entry.key_span().end as usize;
    let rest = text.get(end..)?;
    let blanks = rest.len() - rest.trim_start_matches(' ').len();
    rest[blanks..].starts_with(':').then_some(end + blanks + 1)
}

/// The dash of an item of a block sequence.
fn dash(text: &str, node: Node<'_>) -> Option<usize> {
    node.parent().filter(|parent| parent.is_sequence())?;
    let first = node.entries().next().map(|entry| entry.key_span().start);
    let start = first.filter(|_| !is_flow(node)).unwrap_or(node.span().start) as usize;
    let before = text[..start].trim_end_matches(' ');
    before.ends_with('-').then(|| before.len() - 1)
}

/// An item or entry in flow style with the comma behind it, or with that before it.
fn with_comma(text: &str, whole: Span) -> Span {
    let (start, end) = (whole.start as usize, whole.end as usize);
    let rest = text[end..].trim_start();
    if let Some(behind) = rest.strip_prefix(',') {
        let next = behind.trim_start_matches(' ');
        return Span::new(start, text.len() - next.len());
    }
    let before = text[..start].trim_end();
    match before.strip_suffix(',') {
        Some(kept) => Span::new(kept.len(), end),
        None => whole,
    }
}

fn flow_add(to: Node<'_>, added: &str) -> Vec<Change> {
    let last = to.children().last();
    match last {
        Some(last) => vec![(Span::at(last.span().end as usize), format!(", {added}"))],
        None => vec![(Span::at(to.span().start as usize + 1), added.to_owned())],
    }
}
