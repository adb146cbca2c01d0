use std::{borrow::Cow, ops::Range};

use super::super::page::Page;
use crate::{
    syntax::commonmark::Link,
    text::percent_decoded,
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
    if let Some(fragment) = link.target.strip_prefix('#').filter(|fragment| !fragment.is_empty()) {
        write_anchor(fragment, link, page, builder);
    }
    builder.close(None);
}

/// The anchor that a link within the document leads to, and how it is written, where it is written in the link.
fn write_anchor(fragment: &str, link: &Link, page: &Page<'_>, builder: &mut TreeBuilder) {
    let written = link.place.as_ref().map(|place| place.start + 1..place.end);
    if let Some(written) = &written {
        page.write(builder, "fragment", written.clone());
    }
    let at: Range<usize> = written.unwrap_or_else(|| link.range.clone());
    match percent_decoded(fragment) {
        Cow::Borrowed(_) if link.place.is_some() => page.write(builder, "anchor", at),
        name => {
            builder.field("anchor", Scalar::Text(&name), page.span(at));
        }
    }
}
