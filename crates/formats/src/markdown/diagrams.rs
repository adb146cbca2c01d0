//! Diagrams that are not where a diagram is drawn: fences that miss the language by a letter or a
//! space, diagrams in fences without a language, in inline code, in plain text.
//!
//! What certainly is a diagram is distinguished from what only looks like one. In plain text only whole
//! lines count: prose that mentions a graph, or has an arrow in it, is not a diagram.

use std::ops::Range;

use regex::Regex;

use super::page::{Findings, Page};
use crate::{
    FenceKinds, Observation,
    budget::{self, Once},
    mermaid,
    syntax::commonmark::{Fence, Outline},
    text::clip,
};

const LANGUAGE: &str = mermaid::NAME;

/// Observes what the outline holds of diagrams outside of their blocks.
///
/// `kinds` are those that fences may hold: a language that one of them reads is not a misspelled one.
pub(crate) fn observe(
    page: &Page<'_>,
    outline: &Outline,
    kinds: Option<&dyn FenceKinds>,
    findings: &mut Findings,
) {
    for fence in budget::within(&outline.fences) {
        findings.extend(in_fence(page, fence, kinds));
    }
    for code in budget::within(&outline.code) {
        findings.extend(in_code(page, code));
    }
    let start = outline.paragraphs.iter().map(|paragraph| paragraph.start).min().unwrap_or_default();
    let end = outline.paragraphs.iter().map(|paragraph| paragraph.end).max().unwrap_or_default();
    let may_have_arrows = has_arrow(&page.text()[start..end]);
    for paragraph in budget::within(&outline.paragraphs) {
        in_paragraph(page, paragraph, may_have_arrows, findings);
    }
}

fn in_fence(page: &Page<'_>, fence: &Fence, kinds: Option<&dyn FenceKinds>) -> Option<Observation> {
    let text = page.text();
    let language = &text[fence.language.clone()];
    if fence.info.is_empty() {
        return without_language(page, fence);
    }
    if language.eq_ignore_ascii_case(LANGUAGE) {
        return spaces_in_braces(page, fence);
    }
    let is_read = || kinds.is_some_and(|kinds| kinds.for_language(&language.to_ascii_lowercase()).is_some());
    (is_meant(language) && !is_read()).then(|| {
        Observation::new("mermaid-language-misspelt", page.span(fence.language.clone()))
            .with("written", language)
            .with("language", LANGUAGE)
    })
}

/// Whether a word is `mermaid` but for two letters at most.
fn is_meant(word: &str) -> bool {
    let close = (5..=9).contains(&word.len()) && word.is_ascii();
    let word = word.to_ascii_lowercase();
    close && word != LANGUAGE && strsim::osa_distance(&word, LANGUAGE) <= 2
}

/// ```` ``` {mermaid} ```` and ```` ```{ mermaid } ````: Quarto requires the braces right after the
/// marks, and only the word in them.
fn spaces_in_braces(page: &Page<'_>, fence: &Fence) -> Option<Observation> {
    let text = page.text();
    let info = &text[fence.info.clone()];
    let inner = info.strip_prefix('{')?.strip_suffix('}')?;
    let blanks = inner.trim() == inner && fence.marker.end == fence.info.start;
    if blanks || !inner.trim().eq_ignore_ascii_case(LANGUAGE) {
        return None;
    }
    let whole = fence.marker.end..fence.info.end;
    Some(
        Observation::new("mermaid-braces-blanks", page.span(whole.clone()))
            .with("written", text[whole].trim())
            .with("braces", format!("{{{LANGUAGE}}}")),
    )
}

fn without_language(page: &Page<'_>, fence: &Fence) -> Option<Observation> {
    let text = page.text();
    let first = fence.content.first()?;
    let header = text[first.clone()].trim_start().lines().next()?.trim_end();
    mermaid::header_word(header)?;
    let content: String = fence.content.iter().map(|piece| &text[piece.clone()]).collect();
    let more = content.trim().lines().filter(|line| !line.trim().is_empty()).count() > 1;
    if !more || !mermaid::is_diagram(&content) {
        return None;
    }
    let marker = fence.marker.clone();
    Some(
        Observation::new("mermaid-without-language", page.span(marker.clone()))
            .with("marker", &text[marker])
            .with("header", clip(header, 40))
            .with("language", LANGUAGE),
    )
}

/// A whole diagram in inline code: a header with an arrow after it.
fn in_code(page: &Page<'_>, code: &Range<usize>) -> Option<Observation> {
    let written = &page.text()[code.clone()];
    let inner = written.trim_matches('`').trim();
    let rest = inner.strip_prefix(mermaid::header_word(inner)?)?;
    let is_diagram = (rest.contains("--") || rest.contains("->") || rest.contains("=="))
        && rest.contains([';', '\n'])
        && mermaid::is_diagram(&inner.replace(';', "\n"));
    is_diagram.then(|| {
        Observation::new("mermaid-in-code", page.span(code.clone()))
            .with("written", clip(inner, 60))
            .with("block", format!("\n\n```{LANGUAGE}\n{inner}\n```\n\n"))
    })
}

/// Lines of a paragraph that are lines of a diagram.
fn in_paragraph(page: &Page<'_>, paragraph: &Range<usize>, may_have_arrows: bool, findings: &mut Findings) {
    let text = &page.text()[paragraph.clone()];
    // These two tests exclude nearly all prose.
    let has_arrows = may_have_arrows && has_arrow(text);
    if !has_arrows && !has_short_line(text) {
        return;
    }
    let first = text.lines().next().unwrap_or_default();
    // Other ways to write a block: `::: mermaid`, `{{< mermaid >}}`, `{% mermaid %}`.
    if first.trim_start().starts_with([':', '{', '<']) && first.contains(LANGUAGE) {
        return;
    }
    let mut arrows = 0;
    for line in page.lines(paragraph.clone()) {
        let range = page.trimmed(line);
        let body = &page.text()[range.clone()];
        let short = body.len() <= SHORT;
        let name = if short && is_header(body) {
            "mermaid-header-outside"
        } else if has_arrows && has_arrow(body) && is_edge(body) {
            "mermaid-arrow-outside"
        } else if (short || arrows > 0) && is_block_word(body, arrows > 0) {
            "mermaid-keyword-outside"
        } else {
            continue;
        };
        arrows += 1;
        let end = body.find(char::is_whitespace).unwrap_or(body.len());
        let place = if name == "mermaid-arrow-outside" { range } else { range.start..range.start + end };
        let keyword = &page.text()[place.clone()];
        findings.add(Observation::new(name, page.span(place)).with("keyword", clip(keyword, 60)));
    }
}

/// Bytes of the longest line that is nothing but a header.
const SHORT: usize = 48;

/// Whether a line may be short enough for a header.
fn has_short_line(text: &str) -> bool {
    let mut start = 0;
    let mut is_short = |end: usize| {
        // A carriage return is not counted.
        let short = end - start <= SHORT + 1;
        start = end + 1;
        short
    };
    memchr::memchr_iter(b'\n', text.as_bytes()).any(&mut is_short)
        || (!text.ends_with('\n') && is_short(text.len()))
}

/// Whether there are two marks in a row that begin an arrow.
fn has_arrow(text: &str) -> bool {
    let bytes = text.as_bytes();
    memchr::memchr2_iter(b'-', b'=', bytes).any(
        |at| matches!(bytes.get(at + 1), Some(next) if *next == bytes[at] || *next == b'.' || *next == b'>'),
    )
}

/// A line that is the header of a diagram and cannot be prose: `graph` with a direction, or a word with
/// a capital in it.
fn is_header(line: &str) -> bool {
    let Some(word) = mermaid::header_word(line) else { return false };
    let rest = line[word.len()..].trim_end_matches(';').trim();
    match word {
        "graph" | "flowchart" => ["TD", "TB", "BT", "LR", "RL"].contains(&rest),
        _ => rest.is_empty() && (word.chars().any(char::is_uppercase) || word.ends_with("-beta")),
    }
}

/// Words of a diagram at the start of a line. Those that prose begins lines with as well count only
/// below another line of a diagram.
fn is_block_word(line: &str, below: bool) -> bool {
    if !line.starts_with(['s', 'p', 'a', 'e']) {
        return false;
    }
    let mut words = line.split_whitespace();
    match (words.next(), words.next()) {
        (Some("subgraph"), Some(_)) => below || line.contains('['),
        (Some("participant" | "actor"), Some(_)) => below && words.next().is_none_or(|word| word == "as"),
        (Some("end"), None) => below,
        _ => false,
    }
}

/// A line that is nothing but nodes of one word and arrows between them.
fn is_edge(line: &str) -> bool {
    static EDGE: Once<Option<Regex>> = Once::new();
    let edge = EDGE.get_or_init(|| {
        let node = r"\w+(?:\[[^\]]*\]|\([^)]*\)|\{[^}]*\})?";
        let arrow = r"(?:-->>?|->>|==>|---|-\.->|--o|--x)(?:\s*\|[^|]*\|)?";
        Regex::new(&format!(r"^{node}(?:\s*{arrow}\s*{node})+(?:\s*:\s.*)?;?$")).ok()
    });
    edge.as_ref().is_some_and(|edge| edge.is_match(line))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_near_mermaid_are_meant() {
        for word in ["mermiad", "mermeid", "mermad", "mermaaid", "mremaid", "meramid", "marmaid", "Mermiad"] {
            assert!(is_meant(word), "{word}");
        }
        for word in ["markdown", "mermaid", "merlin", "matlab", "make", "Mermaid"] {
            assert!(!is_meant(word), "{word}");
        }
    }

    #[test]
    fn only_whole_lines_are_edges() {
        for line in ["A --> B", "A[Start] --> B{x}", "a -->|yes| b --> c;", "Alice->>Bob: hi", "a==>b"] {
            assert!(is_edge(line), "{line}");
        }
        for line in ["see a --> b here", "the --flag --> value", "a -> b", "--> x", "1 --- 2 --- three four"]
        {
            assert!(!is_edge(line), "{line}");
        }
    }

    #[test]
    fn lines_of_the_length_of_headers_are_short() {
        let long = "a line that is longer than the longest header of a diagram";
        for text in ["short", "short\n", &format!("{long}\nshort\r\n"), &format!("{long}\n\n"), ""] {
            assert!(has_short_line(text), "{text:?}");
        }
        for text in [long, &format!("{long}\n"), &format!("{long}\r\n{long}")] {
            assert!(!has_short_line(text), "{text:?}");
        }
    }

    #[test]
    fn prose_is_not_a_header() {
        for line in ["graph TD", "flowchart LR;", "sequenceDiagram", "erDiagram"] {
            assert!(is_header(line), "{line}");
        }
        for line in ["graph theory", "pie is good", "timeline", "block", "flowchart LR shows", "journey"] {
            assert!(!is_header(line), "{line}");
        }
    }
}
