//! Characters and lines that are invisible: what is wrong with text before any syntax.

use super::page::{Findings, Page};
use crate::Observation;

/// Most places of one character that an observation names.
const PLACES: usize = 1_000;

/// Observes control and invisible characters, unusual line ends, and lines that are too long.
pub(crate) fn observe(page: &Page<'_>, line_bytes: usize, findings: &mut Findings) {
    let text = page.text();
    if text.trim_start_matches('\u{FEFF}').trim().is_empty() {
        findings.add(Observation::new("empty-document", page.span(0..text.len())));
    }
    if has_control(text.as_bytes()) {
        control(page, findings);
    }
    if memchr::memchr3(0xE2, 0xEF, 0xF3, text.as_bytes()).is_some() {
        hidden(page, findings);
    }
    if memchr::memchr(b'\r', text.as_bytes()).is_some() {
        carriage_returns(page, findings);
    }
    if text.len() > line_bytes {
        long_lines(page, line_bytes, findings);
    }
}

/// Whether there is a control character other than tab and line ends. Whole chunks are looked at, so
/// that ordinary text costs next to nothing.
fn has_control(bytes: &[u8]) -> bool {
    let is_control = |byte: u8| byte < 0x20 && !matches!(byte, b'\t' | b'\n' | b'\r') || byte == 0x7F;
    bytes.chunks(64).any(|chunk| chunk.iter().fold(false, |found, byte| found | is_control(*byte)))
}

fn control(page: &Page<'_>, findings: &mut Findings) {
    let mut nul: Option<Observation> = None;
    for (at, c) in page.text().char_indices() {
        let place = page.span(at..at + c.len_utf8());
        match c {
            '\0' => {
                let first = nul.take().unwrap_or_else(|| Observation::new("nul-character", place));
                nul = Some(if first.places.len() < PLACES { first.at("all", place) } else { first });
            }
            '\t' | '\n' | '\r' => {}
            c if c.is_ascii_control() => {
                findings.add(Observation::new("control-character", place).with("code", code(c)));
            }
            _ => {}
        }
    }
    if let Some(nul) = nul {
        let count = nul.places.len();
        findings.add(nul.with("count", count));
    }
}

fn hidden(page: &Page<'_>, findings: &mut Findings) {
    let text = page.text();
    for at in memchr::memchr3_iter(0xE2, 0xEF, 0xF3, text.as_bytes()) {
        let Some(c) = text.get(at..).and_then(|rest| rest.chars().next()) else { continue };
        let name = match c {
            // Embeddings, overrides and isolates reorder what is shown; the marks alone do not.
            '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' => "bidi-control",
            '\u{200B}' if is_word_break(text, at) => continue,
            '\u{200B}' | '\u{2028}' | '\u{2029}' | '\u{2060}'..='\u{2064}' => "hidden-character",
            '\u{FEFF}' if at > 0 => "hidden-character",
            // Flags of regions are a black flag with letters out of this block.
            '\u{E0000}'..='\u{E007F}' if !is_flag(&text[..at]) => "hidden-character",
            _ => continue,
        };
        let place = page.span(at..at + c.len_utf8());
        findings.add(Observation::new(name, place).with("code", code(c)));
    }
}

/// Whether a zero width space is where it belongs: between words of a script that is written without spaces, where it lets
/// lines break and search find the words (Unicode Standard Annex 14, class ZW).
fn is_word_break(text: &str, at: usize) -> bool {
    let is_unspaced = |c: Option<char>| {
        c.is_some_and(|c| {
            matches!(c,
                // Thai, Lao, Tibetan, Myanmar, Khmer
                '\u{0E00}'..='\u{0FFF}' | '\u{1000}'..='\u{109F}' | '\u{1780}'..='\u{17FF}'
                // Punctuation, kana and ideographs of Chinese and Japanese, and their full width forms
                | '\u{3000}'..='\u{30FF}' | '\u{3400}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}'
                | '\u{FF00}'..='\u{FFEF}' | '\u{20000}'..='\u{3FFFF}')
        })
    };
    let after = text.get(at + '\u{200B}'.len_utf8()..).and_then(|after| after.chars().next());
    is_unspaced(text[..at].chars().next_back()) && is_unspaced(after)
}

fn is_flag(before: &str) -> bool {
    before.trim_end_matches(|c| matches!(c, '\u{E0000}'..='\u{E007F}')).ends_with('\u{1F3F4}')
}

fn code(c: char) -> String {
    format!("U+{:04X}", u32::from(c))
}

/// A carriage return without `\n` ends no line for the dialect, nor for most tools.
fn carriage_returns(page: &Page<'_>, findings: &mut Findings) {
    let bytes = page.text().as_bytes();
    let lone: Vec<usize> = memchr::memchr_iter(b'\r', bytes)
        .filter(|at| bytes.get(at + 1) != Some(&b'\n'))
        .take(PLACES + 1)
        .collect();
    let Some(first) = lone.first() else { return };
    let name = if page.text().starts_with("---\r") && !page.text().starts_with("---\r\n") {
        "err_opener_lone_cr"
    } else {
        "lone-carriage-return"
    };
    let mut observation = Observation::new(name, page.span(*first..*first + 1)).with("count", lone.len());
    if lone.len() <= PLACES {
        for at in lone {
            observation = observation.at("all", page.span(at..at + 1));
        }
    }
    findings.add(observation);
}

fn long_lines(page: &Page<'_>, limit: usize, findings: &mut Findings) {
    let bytes = page.text().as_bytes();
    let mut start = 0;
    while bytes.len() - start > limit {
        // Any line end within the limit will do: the lines above it are short enough.
        if let Some(at) = memchr::memrchr(b'\n', &bytes[start..=start + limit]) {
            start += at + 1;
            continue;
        }
        let end = memchr::memchr(b'\n', &bytes[start..]).map_or(bytes.len(), |at| start + at);
        let observation = Observation::new("long-line", page.span(start..start));
        findings.add(observation.with("length", end - start).with("limit", limit));
        start = (end + 1).min(bytes.len());
    }
}
