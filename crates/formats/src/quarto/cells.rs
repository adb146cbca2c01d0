//! Code cells: their options in comments, and the labels of older chunk headers.

use std::ops::Range;

use crate::{
    markdown::page::Page,
    syntax::{commonmark::Fence, pandoc::annotated},
    text::Fragment,
};

/// Marks of the comments that hold options, in the languages that Quarto knows.
const MARKS: &[&str] = &["#|", "%%|", "//|", "--|", ";|", "%|", "!|", "\"|", "'|"];

/// The pieces of YAML in the option lines at the start of a code block.
pub(super) fn options(page: &Page<'_>, fence: &Fence) -> Vec<Range<usize>> {
    let text = page.text();
    let mut pieces = Vec::new();
    let mut mark = None;
    let lines = fence.content.iter().flat_map(|piece| page.lines(piece.clone()));
    for line in lines {
        let words = text[line.clone()].trim_start();
        let Some(found) = MARKS.iter().find(|mark| words.starts_with(**mark)) else {
            // Options may follow empty lines.
            if mark.is_none() && words.is_empty() {
                continue;
            }
            break;
        };
        if *mark.get_or_insert(found) != found {
            break;
        }
        let start = line.end - words.len() + found.len();
        let start = start + usize::from(text[start..line.end].starts_with(' '));
        pieces.push(start..line.end);
    }
    pieces
}

/// The content of a code block. The annotations of code that is shown are not part of it.
pub(super) fn content<'p>(page: &Page<'p>, fence: &Fence) -> Fragment<'p> {
    let text = page.text();
    let lines: Vec<Range<usize>> = fence.content.iter().flat_map(|piece| page.lines(piece.clone())).collect();
    let is_annotated = |line: &Range<usize>| annotated(&text[line.clone()]).is_some();
    if is_executed(page, fence) || !lines.iter().any(is_annotated) {
        return page.content(fence);
    }
    let mut pieces = Vec::with_capacity(lines.len() + 1);
    for line in lines {
        match annotated(&text[line.clone()]) {
            Some((code, _)) => {
                pieces.push(line.start..line.start + code.len());
                pieces.push(line.start + text[line.clone()].trim_end_matches(['\r', '\n']).len()..line.end);
            }
            None => pieces.push(line),
        }
    }
    pieces.retain(|piece| !piece.is_empty());
    page.pieces(&pieces)
}

/// Whether a code block is executed: its language begins the braces.
pub(super) fn is_executed(page: &Page<'_>, fence: &Fence) -> bool {
    let info = &page.text()[fence.info.clone()];
    let inner = info.strip_prefix('{');
    inner.is_some_and(|inner| inner.starts_with(|c: char| c.is_ascii_alphabetic()))
}

/// The label in a chunk header: `{r fig-sales, echo=FALSE}` or `{r, label="fig-sales"}`.
pub(super) fn header_label(text: &str, info: Range<usize>) -> Option<Range<usize>> {
    let whole = &text[info.clone()];
    let inner = whole.strip_prefix('{')?.strip_suffix('}')?;
    let base = info.start + 1;
    let language = inner.find([' ', ','])?;
    let rest = &inner[language..];
    let labeled = rest.match_indices("label").find_map(|(at, word)| {
        rest[..at].ends_with([' ', ',']).then_some(())?;
        let value = rest[at + word.len()..].trim_start().strip_prefix('=')?.trim_start();
        let value = value.strip_prefix(['"', '\''])?;
        Some(inner.len() - value.len())
    });
    let start = labeled.unwrap_or_else(|| {
        let words = rest.trim_start_matches(' ');
        inner.len() - words.len()
    });
    let word = &inner[start..];
    let length = word.find([' ', ',', '"', '\'', '=']).unwrap_or(word.len());
    let is_key = labeled.is_none() && word[length..].trim_start().starts_with('=');
    (length > 0 && !is_key).then_some(base + start..base + start + length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_of_chunk_headers_are_found() {
        let label = |info: &'static str| header_label(info, 0..info.len()).map(|range| &info[range]);
        assert_eq!(label("{r fig-a, echo=FALSE}"), Some("fig-a"));
        assert_eq!(label("{r, label=\"fig-b\"}"), Some("fig-b"));
        assert_eq!(label("{r, ref.label='fig-b'}"), None);
        assert_eq!(label("{r, echo=FALSE}"), None);
        assert_eq!(label("{r echo=FALSE}"), None);
        assert_eq!(label("{r}"), None);
    }
}
