use std::borrow::Cow;

use crate::budget;

/// Makes text safe to display: control, bidirectional, zero-width and private-use characters become
/// `\u{…}` (line endings and tabs `\n`, `\r`, `\t`), so that a document cannot color, reorder or hide
/// what a report says about it.
pub(crate) fn visible(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_hidden) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        match c {
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if is_hidden(c) => out.extend(c.escape_unicode()),
            c => out.push(c),
        }
    }
    Cow::Owned(out)
}

/// Control (Cc), bidirectional and zero-width format (part of Cf), line and paragraph separators, private-use
/// characters, and what Unicode calls default-ignorable: what leaves no trace on a screen.
fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{AD}' | '\u{34F}' | '\u{61C}' | '\u{115F}' | '\u{1160}' | '\u{17B4}' | '\u{17B5}'
            | '\u{180B}'..='\u{180F}' | '\u{3164}' | '\u{FFA0}' | '\u{FFF0}'..='\u{FFF8}' | '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}'
            | '\u{2060}'..='\u{206F}' | '\u{FEFF}' | '\u{FFF9}'..='\u{FFFB}' | '\u{E000}'..='\u{F8FF}'
            | '\u{E0000}'..='\u{E0FFF}' | '\u{1BCA0}'..='\u{1BCA3}' | '\u{1D173}'..='\u{1D17A}' | '\u{F0000}'..='\u{10FFFF}')
}

/// The first `limit` characters of `text`, with `…` instead of the last one if the text is cut.
pub fn clip(text: &str, limit: usize) -> Cow<'_, str> {
    if text.char_indices().nth(limit).is_none() {
        return Cow::Borrowed(text);
    }
    let keep = text.char_indices().nth(limit.saturating_sub(1)).map_or(0, |(at, _)| at);
    Cow::Owned(format!("{}…", &text[..keep]))
}

/// Longest word, in characters, that a suggestion is looked for.
const SUGGESTED: usize = 64;

/// The candidate most similar to `word`, if it is similar enough for a suggestion: at most a third of
/// the longer word may differ (Damerau–Levenshtein distance, case-insensitive). The first candidate wins
/// a tie. There is no suggestion for words of more than 64 characters, which no one types.
pub(crate) fn nearest<'c>(word: &str, candidates: impl IntoIterator<Item = &'c str>) -> Option<&'c str> {
    if word.len() > SUGGESTED * 4 {
        return None;
    }
    let folded = word.to_lowercase();
    let length = folded.chars().count();
    if length > SUGGESTED {
        return None;
    }
    let mut best: Option<(usize, &str)> = None;
    for candidate in candidates {
        // Bytes bound characters, and are known without counting.
        let far = candidate.len() > SUGGESTED * 8 || candidate.len() * 3 < length;
        if !budget::charge(1) {
            break;
        }
        if far {
            continue;
        }
        let other = candidate.chars().count();
        let threshold = length.max(other).div_ceil(3);
        if length.abs_diff(other) > threshold || candidate == word {
            continue;
        }
        // What the distance costs, in steps.
        if !budget::charge(1 + (length * other / 32) as u64) {
            break;
        }
        let distance = strsim::damerau_levenshtein(&folded, &candidate.to_lowercase());
        if distance <= threshold && distance < other && best.is_none_or(|(least, _)| distance < least) {
            best = Some((distance, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_characters_become_escapes() {
        assert_eq!(visible("a\u{1b}[31m\u{202e}b\n"), "a\\u{1b}[31m\\u{202e}b\\n");
        assert_eq!(visible("née 😀"), "née 😀");
    }

    #[test]
    fn clipping_counts_characters() {
        assert_eq!(clip("ééééé", 3), "éé…");
        assert_eq!(clip("ééé", 3), "ééé");
    }

    #[test]
    fn nearest_suggests_only_similar_words() {
        assert_eq!(nearest("recepient", ["sender", "recipient"]), Some("recipient"));
        assert_eq!(nearest("LLMInferance", ["LLMInference", "Agent"]), Some("LLMInference"));
        assert_eq!(nearest("x", ["y"]), None);
        let long = "a".repeat(1_000_000);
        assert_eq!(nearest(&long, [format!("{long}b").as_str()]), None, "no one types that");
        assert_eq!(nearest("Title", ["title"]), Some("title"));
    }
}
