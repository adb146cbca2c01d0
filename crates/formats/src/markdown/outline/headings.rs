use super::super::page::Page;
use crate::{
    budget,
    syntax::commonmark::Heading,
    tree::{Scalar, TreeBuilder},
};

/// Adds `headings` to the open mapping.
pub(super) fn write(headings: &[Heading], page: &Page<'_>, builder: &mut TreeBuilder) {
    builder.key_static("headings");
    builder.open_sequence(page.span(0..page.text().len()));
    // The headings that the next one may be below, the lowest level last.
    let mut above: Vec<usize> = Vec::new();
    for (index, heading) in budget::within(headings).enumerate() {
        while above.pop_if(|last| headings[*last].level >= heading.level).is_some() {}
        let before = index.checked_sub(1).map(|before| &headings[before]);
        write_heading(heading, before, above.last().copied(), page, builder);
        write_surplus(heading, before, &headings[index..], page, builder);
        builder.close(None);
        above.push(index);
    }
    builder.close(None);
}

fn write_heading(
    heading: &Heading,
    before: Option<&Heading>,
    section: Option<usize>,
    page: &Page<'_>,
    builder: &mut TreeBuilder,
) {
    let whole = page.trimmed(heading.range.clone());
    builder.open_mapping(page.span(whole.clone()));
    let start = heading.range.start;
    builder.field("level", Scalar::Integer(heading.level.into()), page.span(start..start));
    let words = page.span(heading.words.clone());
    let text = heading.text(page.text());
    let verbatim = heading.joined.is_none() && text.len() == words.len();
    builder.field("text", if verbatim { Scalar::Slice } else { Scalar::Text(text) }, words);
    builder.field("slug", Scalar::Text(heading.slug()), words);
    let marks = page.text()[heading.range.clone()].bytes().take_while(|byte| *byte == b'#').count();
    if marks > 0 {
        page.write(builder, "marker", start..start + marks);
    }
    let skipped = before.map_or(0, |before| heading.level.saturating_sub(before.level + 1));
    // Where levels are left out, it is the heading before that shows it.
    let shown = before.map_or(start..start, |before| page.trimmed(before.range.clone()));
    builder.field("skipped", Scalar::Integer(skipped.into()), page.span(shown));
    if let Some(section) = section {
        builder.field("section", Scalar::Integer(section as i64), page.span(start..start));
    }
}

/// Most headings that one heading moves.
const MOVED: usize = 1_000;

/// Adds the `#` that a heading has too many, and those of the headings in the same section, which are beside it or below it. Nothing
/// where one of them is less deep than it: then it is not known where they belong.
fn write_surplus(
    heading: &Heading,
    before: Option<&Heading>,
    from_here: &[Heading],
    page: &Page<'_>,
    builder: &mut TreeBuilder,
) {
    let Some(before) = before else { return };
    let skipped = usize::from(heading.level.saturating_sub(before.level + 1));
    if skipped == 0 {
        return;
    }
    let section = || from_here.iter().take_while(|other| other.level > before.level);
    let marks =
        |other: &Heading| page.text()[other.range.clone()].bytes().take_while(|byte| *byte == b'#').count();
    let fits = |other: &Heading| other.level >= heading.level && marks(other) > skipped;
    if section().nth(MOVED).is_some() || !budget::charge(section().count() as u64) || !section().all(fits) {
        return;
    }
    builder.key_static("surplus");
    builder.open_sequence(page.span(heading.range.start..heading.range.start + skipped));
    for other in section() {
        let span = page.span(other.range.start..other.range.start + skipped);
        builder.scalar(Scalar::Slice, span);
    }
    builder.close(None);
}
