use std::ops::Range;

use super::super::page::{Findings, Page};
use crate::{
    Observation, budget,
    syntax::commonmark::{Fence, Outline},
    tree::{NodeId, Scalar, TreeBuilder},
};

/// Adds a fence to the open sequence.
pub(crate) fn write(fence: &Fence, data: Option<NodeId>, page: &Page<'_>, builder: &mut TreeBuilder) {
    let text = page.text();
    builder.open_mapping(page.span(fence.range.clone()));
    page.write(builder, "language", fence.language.clone());
    page.write(builder, "info", fence.info.clone());
    let content = fence.content_range();
    if fence.content.len() < 2 {
        page.write(builder, "content", content);
    } else {
        let joined: String = fence.content.iter().map(|piece| &text[piece.clone()]).collect();
        builder.field("content", Scalar::Text(&joined), page.span(content));
    }
    page.write(builder, "marker", fence.marker.clone());
    builder.field("executable", Scalar::Bool(fence.braced), page.span(fence.info.clone()));
    builder.field("closed", Scalar::Bool(fence.closed), page.span(fence.marker.clone()));
    if let Some(data) = data {
        builder.key_static("data");
        builder.place(data);
    }
    builder.close(None);
}

/// A line within a fence that may have been meant to end or to begin one.
struct Inner {
    /// Its backticks or tildes.
    marker: Range<usize>,
    /// Whether there is text after them.
    has_info: bool,
}

/// Observes fences that end elsewhere than they seem to.
pub(crate) fn observe(outline: &Outline, page: &Page<'_>, findings: &mut Findings) {
    // The fence, and the number of the observation, after which a fence line is out of step.
    let mut out_of_step: Option<(&Fence, usize)> = None;
    for (index, fence) in budget::within(&outline.fences).enumerate() {
        if let Some(closer) = closer_with_text(page.text(), fence) {
            observe_text_after(page, fence, closer, findings);
        } else if let Some(nested) = nested(page.text(), fence) {
            out_of_step = Some((fence, findings.list.len()));
            let stray = outline.fences.get(index + 1).filter(|next| is_stray(page.text(), fence, next));
            observe_nested(page, fence, nested, stray, findings);
        } else if !fence.closed {
            let cause =
                out_of_step.filter(|(outer, _)| is_stray(page.text(), outer, fence)).map(|(_, cause)| cause);
            let mut observation = unclosed(page, fence);
            observation.cause = cause;
            findings.add(observation);
        }
    }
}

/// The line that would close a fence if its marks were not followed by text, which is not a language.
fn closer_with_text(text: &str, fence: &Fence) -> Option<Range<usize>> {
    let marker = &text[fence.marker.clone()];
    let mut lines = inner_fences(text, fence).filter(|inner| text[inner.marker.clone()].starts_with(marker));
    let closer = lines.next().filter(|inner| inner.has_info)?.marker;
    let after = text[closer.end..].trim_start_matches([' ', '\t']);
    let is_language =
        after.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '{' | '.' | '_' | '+' | '='));
    (!is_language).then_some(closer)
}

fn observe_text_after(page: &Page<'_>, fence: &Fence, closer: Range<usize>, findings: &mut Findings) {
    let text = &page.text()[closer.end..];
    let after = text.lines().next().unwrap_or_default();
    let start = closer.end + (after.len() - after.trim_start().len());
    let observation =
        Observation::new("text-behind-fence", page.span(start..closer.end + after.trim_end().len()));
    findings.add(
        observation
            .with("marker", &page.text()[closer.clone()])
            .with("text", crate::text::clip(after.trim(), 60))
            .at("opener", page.span(fence.marker.clone()))
            .at("gap", page.span(closer.end..start)),
    );
}

/// The first line in a fence that would begin a fence of the same kind.
fn nested(text: &str, fence: &Fence) -> Option<Range<usize>> {
    let marker = &text[fence.marker.clone()];
    inner_fences(text, fence)
        .find(|inner| inner.has_info && text[inner.marker.clone()].starts_with(marker))
        .map(|inner| inner.marker)
}

/// Whether a fence that nothing closes was meant to close `outer`.
fn is_stray(text: &str, outer: &Fence, fence: &Fence) -> bool {
    !fence.closed && fence.info.is_empty() && text[fence.marker.clone()] == text[outer.marker.clone()]
}

fn observe_nested(
    page: &Page<'_>,
    fence: &Fence,
    nested: Range<usize>,
    stray: Option<&Fence>,
    findings: &mut Findings,
) {
    let marker = &page.text()[fence.marker.clone()];
    let longer = format!("{}{}", &page.text()[nested.clone()], &marker[..1]);
    let opener = page.span(fence.marker.clone());
    let mut observation = Observation::new("nested-fence", page.span(nested))
        .with("marker", marker)
        .with("longer", longer)
        .at("outer", opener);
    if let Some(stray) = stray {
        observation = observation.at("both", opener).at("both", page.span(stray.marker.clone()));
    }
    findings.add(observation);
}

fn unclosed(page: &Page<'_>, fence: &Fence) -> Observation {
    let text = page.text();
    let marker = &text[fence.marker.clone()];
    let place = page.span(fence.marker.clone());
    if let Some(near) = wrong_closer(text, fence) {
        return Observation::new("fence-closed-differently", page.span(near.clone()))
            .with("marker", marker)
            .with("written", &text[near])
            .at("opener", place);
    }
    let observation = Observation::new("unclosed-fence", place)
        .with("marker", marker)
        .with("language", &text[fence.language.clone()]);
    let line_start = memchr::memrchr(b'\n', &text.as_bytes()[..fence.range.start]).map_or(0, |at| at + 1);
    let indent = &text[line_start..fence.marker.start];
    // Within a quote or a list the closing line needs a prefix that only the writer knows.
    if !indent.trim().is_empty() {
        return observation;
    }
    let end = prose_after(text, fence).unwrap_or(fence.range.end);
    let end = page.trimmed(fence.range.start..end).end;
    observation.with("closer", format!("\n{indent}{marker}")).at("last", page.span(end..end))
}

/// Languages of fences whose content may be prose.
const PROSE: [&str; 8] = ["", "text", "txt", "plain", "plaintext", "md", "markdown", "console"];

/// Where the text of the document goes on after the code of a fence that nothing closes: at a paragraph that code does not have.
fn prose_after(text: &str, fence: &Fence) -> Option<usize> {
    let language = text[fence.language.clone()].trim_matches(['{', '}', '.', '=']).to_ascii_lowercase();
    if PROSE.contains(&language.as_str()) {
        return None;
    }
    let content = &text[fence.range.clone()];
    let first = content.find('\n')? + 1;
    let (mut at, mut after_blank, mut in_string) = (first, false, false);
    while let Some(rest) = content.get(at..).filter(|rest| !rest.is_empty()) {
        let line = rest.lines().next().unwrap_or_default();
        if after_blank && !in_string && begins_prose(line, rest) {
            return Some(fence.range.start + at);
        }
        after_blank = line.trim().is_empty();
        in_string ^= (line.matches("\"\"\"").count() + line.matches("'''").count()) % 2 == 1;
        at += memchr::memchr(b'\n', rest.as_bytes()).map_or(rest.len(), |end| end + 1);
    }
    None
}

/// Whether a line begins a div, a heading with attributes, or a paragraph of sentences.
fn begins_prose(line: &str, rest: &str) -> bool {
    if line.starts_with(":::") || (line.starts_with("##") && line.contains("{#") && line.ends_with('}')) {
        return true;
    }
    let paragraph = rest.lines().take_while(|line| !line.trim().is_empty());
    let ends = paragraph.last().is_some_and(|line| line.trim_end().ends_with(['.', '!', '?', ':']));
    let words: Vec<&str> = line.split_whitespace().collect();
    let is_word = |word: &&&str| {
        let word = word.trim_matches(|c: char| ",.:!?()\"'".contains(c));
        !word.is_empty() && word.chars().all(|c| c.is_alphabetic() || c == '-' || c == '\'')
    };
    let plain = words.iter().filter(is_word).count();
    let begins = line.starts_with(char::is_uppercase) && line.contains(char::is_lowercase);
    ends && begins && words.len() >= 4 && plain * 4 >= words.len() * 3 && !line.contains(" = ")
}

/// The last line in a fence that was meant to close it: with fewer marks or other ones. Lines that
/// make pairs are fences of an example.
fn wrong_closer(text: &str, fence: &Fence) -> Option<Range<usize>> {
    let (mut count, mut last) = (0, None);
    for inner in inner_fences(text, fence) {
        count += 1;
        last = Some(inner);
    }
    last.filter(|last| count % 2 == 1 && !last.has_info).map(|last| last.marker)
}

/// The lines of a fence's content that look like fences.
fn inner_fences<'t>(text: &'t str, fence: &'t Fence) -> impl Iterator<Item = Inner> + use<'t> {
    let has_any = |piece: &Range<usize>| {
        let content = &text[piece.clone()];
        content.contains("``") || content.contains("~~")
    };
    fence.content.iter().filter(move |piece| has_any(piece)).flat_map(move |piece| {
        let mut start = piece.start;
        text[piece.clone()].split_inclusive('\n').filter_map(move |line| {
            let from = start;
            start += line.len();
            let inner = line.trim_start();
            let mark = inner.bytes().next().filter(|mark| matches!(mark, b'`' | b'~'))?;
            let length = inner.bytes().take_while(|byte| *byte == mark).count();
            let info = inner[length..].trim();
            let plausible = if info.is_empty() {
                length >= 2
            } else {
                length >= 3 && !info.contains('`') && !info.starts_with('~')
            };
            let at = from + (line.len() - inner.len());
            plausible.then_some(Inner { marker: at..at + length, has_info: !info.is_empty() })
        })
    })
}
