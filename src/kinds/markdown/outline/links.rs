use std::{
    collections::{HashMap, HashSet},
    ops::Range,
};

use memchr::memmem;

use super::super::page::{Findings, Page};
use crate::{
    kinds::Observation,
    syntax::commonmark::{Heading, Link, LinkKind, Outline},
    text::nearest,
    tree::{Scalar, TreeBuilder},
};

/// Adds a link to the open sequence.
pub(super) fn write(link: &Link, page: &Page<'_>, builder: &mut TreeBuilder) {
    builder.open_mapping(page.span(link.range.clone()));
    let marker = page.span(link.range.start..link.range.start);
    builder.field("kind", Scalar::Static(link.kind.name()), marker);
    page.write(builder, "text", link.words.clone());
    let place = page.span(link.target_place());
    let verbatim = link.place.as_ref().is_some_and(|range| page.is_verbatim(range));
    builder.field("target", if verbatim { Scalar::Slice } else { Scalar::Text(&link.target) }, place);
    builder.close(None);
}

/// Most names among which the nearest one is looked for.
const CANDIDATES: usize = 200;

/// Observes links that lead nowhere.
pub(super) fn observe(outline: &Outline, page: &Page<'_>, findings: &mut Findings) {
    let mut anchors: Option<HashSet<String>> = None;
    for link in &outline.links {
        let place = page.span(link.range.clone());
        if link.target.is_empty() {
            let words = &page.text()[link.words.clone()];
            findings.add(
                Observation::new("empty-link-target", place)
                    .with("text", words)
                    .with("kind", link.kind.name()),
            );
        } else if link.kind == LinkKind::Image && link.words.is_empty() {
            let place = place_of_alt(page, link);
            findings.add(
                Observation::new("image-without-alt", page.span(link.range.clone()))
                    .with("target", &*link.target)
                    .at("alt", place),
            );
        }
        if let Some(anchor) = link.target.strip_prefix('#').filter(|anchor| !anchor.is_empty()) {
            let anchors = anchors.get_or_insert_with(|| known_anchors(outline, page.text()));
            unknown_anchor(anchor, link, anchors, outline, page, findings);
        }
    }
    undefined(outline, page, findings);
    unused(outline, page, findings);
    for url in &outline.bare_urls {
        let address = &page.text()[url.clone()];
        findings.add(Observation::new("bare-url", page.span(url.clone())).with("url", address));
    }
}

/// Between `![` and `]`.
fn place_of_alt(page: &Page<'_>, link: &Link) -> crate::text::Span {
    let start = link.range.start + 2.min(link.range.len());
    page.span(start..start)
}

/// Names that a link within the document can lead to, lower case.
fn known_anchors(outline: &Outline, text: &str) -> HashSet<String> {
    let mut anchors = HashSet::new();
    let mut times: HashMap<String, usize> = HashMap::new();
    for heading in &outline.headings {
        let slug = heading.slug().to_lowercase();
        // GitHub numbers headings of the same name.
        let number = times.entry(slug.clone()).and_modify(|times| *times += 1).or_default();
        anchors.insert(if *number == 0 { slug.clone() } else { format!("{slug}-{number}") });
        // Pandoc leaves out what stands before the first letter.
        let pandoc = slug.trim_start_matches(|c: char| !c.is_alphabetic());
        if !pandoc.is_empty() && pandoc.len() < slug.len() {
            anchors.insert(pandoc.to_owned());
        }
    }
    for opening in ["id=\"", "id='", "name=\"", "name='", "{#"] {
        for at in memmem::find_iter(text.as_bytes(), opening) {
            let rest = &text[at + opening.len()..];
            let end = rest
                .find(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '}' | '>'))
                .unwrap_or(rest.len());
            anchors.insert(rest[..end].to_lowercase());
        }
    }
    anchors
}

fn unknown_anchor(
    anchor: &str,
    link: &Link,
    anchors: &HashSet<String>,
    outline: &Outline,
    page: &Page<'_>,
    findings: &mut Findings,
) {
    let wanted = decoded(anchor).to_lowercase();
    // `#top` leads to the start of every page, and `:~:text=` to words on it.
    if anchors.contains(&wanted) || wanted == "top" || wanted.starts_with(":~:") || findings.is_full() {
        return;
    }
    let slugs = outline.headings.iter().map(Heading::slug).filter(|slug| !slug.is_empty());
    let slugs: Vec<&str> = slugs.take(CANDIDATES).collect();
    let place = link.target_place();
    let is_target = link.place.is_some();
    let name = if is_target { place.start + 1..place.end } else { place };
    let mut observation = Observation::new("unknown-anchor", page.span(name.clone())).with("anchor", anchor);
    if let Some(near) = nearest(&wanted, slugs.iter().copied()).filter(|_| is_target) {
        observation = observation.with("nearest", near).at("anchor", page.span(name));
    }
    findings.add(observation.with("expected", slugs.into_iter().take(20).collect::<Vec<_>>()));
}

/// The text with `%C3%A9` and the like read as UTF-8.
fn decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, tail)) = rest.split_first() {
        let hex = tail.get(..2).and_then(|hex| std::str::from_utf8(hex).ok());
        let byte = hex.filter(|_| *first == b'%').and_then(|hex| u8::from_str_radix(hex, 16).ok());
        bytes.push(byte.unwrap_or(*first));
        rest = if byte.is_some() { &tail[2..] } else { tail };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn undefined(outline: &Outline, page: &Page<'_>, findings: &mut Findings) {
    for (range, name) in &outline.undefined {
        if findings.is_full() {
            return;
        }
        if !is_reference(outline, page.text(), range, name) {
            continue;
        }
        let names = outline.definitions.iter().take(CANDIDATES).map(|definition| definition.name.as_str());
        let mut observation =
            Observation::new("undefined-reference", page.span(range.clone())).with("name", name.as_str());
        let label = range.end - range.len().min(name.len() + 1)..range.end.saturating_sub(1);
        let is_label = page.text().get(label.clone()) == Some(name.as_str());
        if let Some(near) = nearest(name, names).filter(|_| is_label) {
            observation = observation.with("nearest", near).at("name", page.span(label));
        }
        findings.add(observation);
    }
}

/// Whether two pairs of brackets are likely meant as a link.
fn is_reference(outline: &Outline, text: &str, range: &Range<usize>, name: &str) -> bool {
    let link = &text[range.clone()];
    // `matrix[i][j]`, `[1][2]`, a footnote, an item's path for rustdoc.
    let before = text[..range.start].chars().next_back();
    let is_code = before.is_some_and(|c| c.is_alphanumeric() || matches!(c, '_' | ')' | ']'));
    let is_citation = !link.chars().any(char::is_alphabetic);
    if is_code || is_citation || name.starts_with('^') || name.contains("::") {
        return false;
    }
    // `[win][arm64]` are tags where nothing is ever defined.
    !outline.definitions.is_empty() || link.contains(' ')
}

fn unused(outline: &Outline, page: &Page<'_>, findings: &mut Findings) {
    if outline.definitions.is_empty() {
        return;
    }
    let used: HashSet<String> =
        outline.links.iter().filter(|link| !link.name.is_empty()).map(|link| folded(&link.name)).collect();
    for definition in &outline.definitions {
        // `[//]: # (a comment)` and the like are a way to write comments.
        let is_comment =
            definition.target.is_empty() || definition.target == "#" || definition.name.starts_with("//");
        if !is_comment && !used.contains(&folded(&definition.name)) {
            let lines = page.trimmed(definition.range.clone());
            findings
                .add(Observation::new("unused-definition", page.span(lines)).with("name", &*definition.name));
        }
    }
}

/// A label as CommonMark compares it: case folded, any white space one blank.
fn folded(label: &str) -> String {
    label.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}
