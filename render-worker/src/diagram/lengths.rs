//! Widths of text for browsers, which may not have the face that a diagram is laid out with: its letters get narrower or wider
//! as they need, so that labels stay in their boxes.

use std::fmt::Write as _;

use super::{advance_in_face, elements::attribute};

/// The drawing with the width of each piece of text, in em. Text with characters that the face does not have keeps that of its
/// own face.
pub(super) fn fixed(svg: &str) -> String {
    let mut result = String::with_capacity(svg.len() + svg.len() / 4);
    let mut rest = svg;
    // Whether the next piece begins a line, and a space at its beginning is not shown.
    let mut begins = true;
    let mut is_text = false;
    while let Some(at) = rest.find('<') {
        let Some(end) = rest[at..].find('>').map(|end| at + end) else { break };
        let tag = &rest[at..end];
        result.push_str(&rest[..at]);
        rest = &rest[end..];
        if tag.starts_with("</text") {
            is_text = false;
        }
        let is = |name: &str| {
            tag[1..].strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
        };
        is_text |= is("text");
        begins |= is("text") || attribute(tag, "x").is_some();
        result.push_str(tag);
        let words = rest[1..].find('<').map(|length| &rest[1..=length]).unwrap_or_default();
        let closes = rest[1 + words.len()..].starts_with("</t");
        let is_piece = is_text && closes && (is("text") || is("tspan")) && !tag.contains(" textLength=");
        let keeps_spaces = attribute(tag, "xml:space") == Some("preserve");
        if let Some(width) = is_piece.then(|| width(words, begins, keeps_spaces)).flatten() {
            let _ = write!(result, " textLength=\"{width:.3}em\" lengthAdjust=\"spacingAndGlyphs\"");
        }
        if !words.trim().is_empty() {
            begins = false;
        }
    }
    result.push_str(rest);
    result
}

/// The width of text in em; nothing where it has characters that the face does not have, or none that are shown.
fn width(words: &str, begins: bool, keeps_spaces: bool) -> Option<f64> {
    let words =
        words.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&apos;", "'");
    let words = words.replace("&#39;", "'").replace("&amp;", "&");
    if words.trim().is_empty() || words.contains("&#") {
        return None;
    }
    if keeps_spaces {
        return words.chars().map(advance_in_face).sum();
    }
    let shown = words.split_whitespace().collect::<Vec<_>>().join(" ");
    let letters: f64 = shown.chars().map(advance_in_face).sum::<Option<f64>>()?;
    let space = if !begins && words.starts_with(char::is_whitespace) { advance_in_face(' ')? } else { 0.0 };
    Some(letters + space)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_of_text_have_the_width_of_the_face() {
        let svg = "<svg><style>a</style><text x=\"0\"><tspan x=\"0\"><tspan>in</tspan><tspan> it</tspan></tspan></text>\
                   <text y=\"1\">漢</text><text y=\"2\"> a &lt; b  </text></svg>";
        let fixed = fixed(svg);
        let widths: Vec<&str> =
            fixed.split("textLength=\"").skip(1).filter_map(|part| part.split("em").next()).collect();
        assert_eq!(widths.len(), 3, "{fixed}");
        assert!(fixed.contains("> it</tspan>") && fixed.contains("<text y=\"1\">漢"), "{fixed}");
        let plain = |words: &str| words.chars().filter_map(advance_in_face).sum::<f64>();
        for (width, words) in widths.into_iter().zip(["in", " it", "a < b"]) {
            assert_eq!(width, format!("{:.3}", plain(words)));
        }
    }
}
