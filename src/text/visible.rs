use std::borrow::Cow;

/// Makes text safe to display: control, bidirectional, zero-width and private-use characters become
/// `\u{…}` (line endings and tabs `\n`, `\r`, `\t`), so that a document cannot color, reorder or hide
/// what a report says about it.
pub fn visible(text: &str) -> Cow<'_, str> {
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

/// Control (Cc), bidirectional and zero-width format (part of Cf), line and paragraph separators,
/// and private-use characters.
fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{AD}' | '\u{61C}' | '\u{180E}' | '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}'
            | '\u{2060}'..='\u{206F}' | '\u{FEFF}' | '\u{FFF9}'..='\u{FFFB}' | '\u{E000}'..='\u{F8FF}'
            | '\u{E0000}'..='\u{E007F}' | '\u{F0000}'..='\u{10FFFF}')
}

/// The first `limit` characters of `text`, with `…` instead of the last one if the text is cut.
pub fn clip(text: &str, limit: usize) -> Cow<'_, str> {
    if text.char_indices().nth(limit).is_none() {
        return Cow::Borrowed(text);
    }
    let keep = text.char_indices().nth(limit.saturating_sub(1)).map_or(0, |(at, _)| at);
    Cow::Owned(format!("{}…", &text[..keep]))
}

/// The candidate most similar to `word`, if it is similar enough for a suggestion: at most a third of
/// the longer word may differ (Damerau–Levenshtein distance, case-insensitive). The first candidate wins
/// a tie.
pub fn nearest<'c>(word: &str, candidates: impl IntoIterator<Item = &'c str>) -> Option<&'c str> {
    let folded = word.to_lowercase();
    let length = folded.chars().count();
    let mut best: Option<(usize, &str)> = None;
    for candidate in candidates {
        let other = candidate.chars().count();
        let threshold = length.max(other).div_ceil(3);
        if length.abs_diff(other) > threshold || candidate == word {
            continue;
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
        assert_eq!(nearest("Title", ["title"]), Some("title"));
    }
}
