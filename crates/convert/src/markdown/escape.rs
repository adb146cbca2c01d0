//! Text that readers of Markdown must not take for markup.

use super::Dialect;

/// Adds text to a paragraph, with a backslash before each character that would begin or end markup.
///
/// `before_link` says that a link or a picture follows, so that `!` at the end would make it a picture.
pub(super) fn add(text: &str, before_link: bool, in_row: bool, dialect: Dialect, out: &mut String) {
    let is_line_start = out.is_empty() || out.ends_with('\n');
    let special = if is_line_start { line_start(text) } else { None };
    let mut previous = out.chars().next_back();
    let mut rest = text.char_indices().peekable();
    while let Some((at, c)) = rest.next() {
        let next = rest.peek().map(|(_, c)| *c);
        let escaped = match c {
            '\\' | '`' | '*' | '[' | ']' | '<' => true,
            '_' => !(previous.is_some_and(char::is_alphanumeric) && next.is_some_and(char::is_alphanumeric)),
            '~' => dialect.strikeout,
            '$' => dialect.math,
            '|' => in_row || (is_line_start && at == 0),
            '&' => is_entity(&text[at..]),
            '!' => next.is_none() && before_link,
            _ => special == Some(at),
        };
        if escaped {
            out.push('\\');
        }
        out.push(c);
        previous = Some(c);
    }
}

/// The offset of the character that makes a line something else than text, where the text begins one.
fn line_start(text: &str) -> Option<usize> {
    let first = text.chars().next()?;
    let only = |c: char| text.chars().all(|other| other == c);
    match first {
        '>' => Some(0),
        '#' if text.trim_start_matches('#').is_empty() => Some(0),
        '+' if text == "+" => Some(0),
        '-' | '=' if only(first) || text.starts_with("-|") => Some(0),
        ':' if text.starts_with(":-") => Some(0),
        '0'..='9' => {
            let end = text.find(|c: char| !c.is_ascii_digit())?;
            (matches!(&text[end..], "." | ")") && end <= 9).then_some(end)
        }
        _ => None,
    }
}

/// Whether text that begins with `&` begins with an entity.
fn is_entity(text: &str) -> bool {
    let name = text[1..].split(';').next().filter(|name| name.len() + 1 < text.len());
    name.is_some_and(|name| {
        let digits = name.strip_prefix('#').unwrap_or(name);
        !digits.is_empty() && digits.len() < 32 && digits.chars().all(|c| c.is_ascii_alphanumeric())
    })
}

/// Code between as many grave accents as it needs.
pub(super) fn code(text: &str, in_row: bool) -> String {
    let text = text.replace('\n', " ");
    let text = if in_row { text.replace('|', "\\|") } else { text };
    let fence = "`".repeat(longest_run(&text, '`') + 1);
    let pads = text.starts_with('`')
        || text.ends_with('`')
        || (text.starts_with(' ') && text.ends_with(' ') && !text.trim().is_empty());
    let pad = if pads { " " } else { "" };
    if text.is_empty() { "<code></code>".to_owned() } else { format!("{fence}{pad}{text}{pad}{fence}") }
}

/// The length of the longest run of a character.
pub(super) fn longest_run(text: &str, wanted: char) -> usize {
    let (mut longest, mut run) = (0, 0);
    for c in text.chars() {
        run = if c == wanted { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    longest
}

/// Where a link leads, and its title.
pub(super) fn destination(url: &str, title: &str) -> String {
    let plain = !url.is_empty()
        && !url.contains(|c: char| {
            c.is_whitespace() || c.is_control() || matches!(c, '(' | ')' | '<' | '>' | '\\')
        });
    let url = if plain {
        url.to_owned()
    } else {
        let url: String = url.split(['\n', '\r']).collect();
        format!("<{}>", url.replace('\\', "\\\\").replace('<', "\\<").replace('>', "\\>"))
    };
    if title.is_empty() {
        return url;
    }
    let title = title.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', " ");
    format!("{url} \"{title}\"")
}
