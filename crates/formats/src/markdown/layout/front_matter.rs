use std::ops::Range;

/// The lines that tools take for front matter: YAML between `---`, TOML between `+++`, JSON between `{` and `}`, with
/// the blank lines below. Nothing here depends on whether they can be read.
pub(in super::super) fn find(text: &str) -> Range<usize> {
    let start = text.len() - text.trim_start_matches('\u{FEFF}').len();
    let first = text[start..].lines().next().unwrap_or_default();
    let closers: &[&str] = match first.trim_end() {
        "---" => &["---"],
        "+++" => &["+++", "..."],
        "{" => &["}"],
        _ => return start..start,
    };
    let mut at = start + first.len();
    let lines = text[at..].split_inclusive('\n').map(|line| {
        at += line.len();
        (line, at)
    });
    let closer = lines.skip(1).find(|(line, _)| closers.contains(&line.trim_end()));
    closer.map_or(start..start, |(_, end)| start..end + blank_lines(&text[end..]))
}

/// The length of the blank lines at the start of `text`.
fn blank_lines(text: &str) -> usize {
    let blank = text.split_inclusive('\n').take_while(|line| line.ends_with('\n') && line.trim().is_empty());
    blank.map(str::len).sum()
}
