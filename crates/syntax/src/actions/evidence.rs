//! Whether text is the template of a document, and not a document with text in braces.

use super::scan::{Action, Role};

/// Whether text that its language cannot read, or reads in an odd way, is a template: not a document whose author forgot quotes
/// around a placeholder. `name` is that of the file.
pub fn shows_template(name: &str, text: &str, actions: &[Action]) -> bool {
    let file = name.rsplit('/').next().unwrap_or_default().to_ascii_lowercase();
    if actions.is_empty() {
        return false;
    }
    if file.contains("template") || file.contains(".tpl.") || file.contains(".tmpl.") {
        return true;
    }
    let blocks = BlockScalars::new(text);
    let mut placeholders = 0;
    let mut quoted = 0;
    // The line up to `seen`, with its double and single quotes: a line with many actions is read once.
    let (mut line, mut seen, mut quotes) = (0, 0, (0, 0));
    for action in actions {
        let (start, end) = (action.span.start as usize, action.span.end as usize);
        if let Some(at) = text[seen..start].rfind('\n') {
            (line, seen, quotes) = (seen + at + 1, seen + at + 1, (0, 0));
        }
        let further = &text[seen..start];
        quotes.0 += further.matches('"').count();
        quotes.1 += further.matches('\'').count();
        seen = start;
        let before = &text[line..start];
        if before.trim_start().starts_with('#') || blocks.holds(start) {
            continue;
        }
        let is_quoted = quotes.0 % 2 == 1 || quotes.1 % 2 == 1;
        if is_quoted {
            quoted += 1;
            continue;
        }
        let written = &text[start..end];
        let is_block = action.role != Role::Output;
        let is_go = written.starts_with("{{-")
            || written.ends_with("-}}")
            || written[2..].trim_start().starts_with(['.', '$']);
        let is_alone = before.trim().is_empty()
            && text[end..].lines().next().is_none_or(|after| after.trim().is_empty());
        let is_key = before.trim_start().trim_start_matches("- ").is_empty() && text[end..].starts_with(':');
        if is_block || is_go || is_alone || is_key || written.starts_with('<') {
            return true;
        }
        placeholders += 1;
    }
    placeholders >= 2 && quoted == 0
}

/// The lines of block scalars, by their indentation.
struct BlockScalars(Vec<(usize, usize)>);

impl BlockScalars {
    fn new(text: &str) -> Self {
        let mut found = Vec::new();
        let mut open: Option<(usize, usize)> = None;
        let mut at = 0;
        for line in text.split_inclusive('\n') {
            let indentation = line.len() - line.trim_start_matches(' ').len();
            let content = line.trim();
            if let Some((start, outer)) = open
                && !content.is_empty()
                && indentation <= outer
            {
                found.push((start, at));
                open = None;
            }
            let header = content.trim_end_matches(['+', '-', '1', '2', '3', '4', '5', '6', '7', '8', '9']);
            if open.is_none() && (header.ends_with(": |") || header.ends_with(": >") || header == "- |") {
                open = Some((at + line.len(), indentation));
            }
            at += line.len();
        }
        if let Some((start, _)) = open {
            found.push((start, text.len()));
        }
        Self(found)
    }

    fn holds(&self, offset: usize) -> bool {
        self.0.iter().any(|(start, end)| (*start..*end).contains(&offset))
    }
}
