use std::collections::HashMap;

use super::super::page::{Findings, Page};
use crate::{
    kinds::Observation,
    syntax::commonmark::Heading,
    tree::{Scalar, TreeBuilder},
};

/// Adds a heading to the open sequence.
pub(super) fn write(heading: &Heading, page: &Page<'_>, builder: &mut TreeBuilder) {
    builder.open_mapping(page.span(page.trimmed(heading.range.clone())));
    let marker = page.span(heading.range.start..heading.range.start);
    builder.field("level", Scalar::Integer(i64::from(heading.level)), marker);
    let words = page.span(heading.words.clone());
    let text = heading.text(page.text());
    let verbatim = heading.joined.is_none() && text.len() == words.len();
    builder.field("text", if verbatim { Scalar::Slice } else { Scalar::Text(text) }, words);
    builder.field("slug", Scalar::Text(heading.slug()), words);
    builder.close(None);
}

/// Observes levels that are left out, and names that stand twice below the same heading: in a changelog
/// every version has its `Added`.
pub(super) fn observe(headings: &[Heading], page: &Page<'_>, findings: &mut Findings) {
    let mut seen: HashMap<(Option<usize>, &str), usize> = HashMap::with_capacity(headings.len());
    // The headings that the next one may stand below, the lowest level last.
    let mut above: Vec<usize> = Vec::new();
    for (index, heading) in headings.iter().enumerate() {
        if let Some(last) = index.checked_sub(1).map(|last| &headings[last]) {
            findings.extend(level_jump(heading, last, page));
        }
        while above.pop_if(|last| headings[*last].level >= heading.level).is_some() {}
        let slug = heading.slug();
        if !slug.is_empty() {
            let first = *seen.entry((above.last().copied(), slug)).or_insert(index);
            findings.extend((first != index).then(|| duplicate(heading, &headings[first], page)));
        }
        above.push(index);
    }
}

fn level_jump(heading: &Heading, above: &Heading, page: &Page<'_>) -> Option<Observation> {
    let expected = above.level + 1;
    if heading.level <= expected {
        return None;
    }
    let start = heading.range.start;
    let marks = page.text()[heading.range.clone()].bytes().take_while(|byte| *byte == b'#').count();
    let observation = Observation::new("heading-level-jump", page.span(page.trimmed(heading.range.clone())))
        .with("text", heading.text(page.text()))
        .with("level", heading.level)
        .with("above", above.level)
        .with("expected", expected)
        .with("marks", "#".repeat(usize::from(expected)))
        .at("above", page.span(page.trimmed(above.range.clone())));
    Some(if marks > 0 { observation.at("marks", page.span(start..start + marks)) } else { observation })
}

fn duplicate(heading: &Heading, first: &Heading, page: &Page<'_>) -> Observation {
    Observation::new("duplicate-heading", page.span(heading.words.clone()))
        .with("text", heading.text(page.text()))
        .with("slug", heading.slug())
        .at("first", page.span(page.trimmed(first.range.clone())))
}
