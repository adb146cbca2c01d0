use std::{borrow::Cow, ops::Range};

use super::super::page::Page;
use crate::{
    budget,
    syntax::commonmark::{Definition, Outline},
    tree::{Scalar, TreeBuilder},
};

/// Adds `definitions` and `references` to the open mapping: lines such as `[name]: target`, and the links that name
/// them.
pub(super) fn write(outline: &Outline, page: &Page<'_>, builder: &mut TreeBuilder) {
    let whole = page.span(0..page.text().len());
    builder.key_static("definitions");
    builder.open_sequence(whole);
    budget::within(&outline.definitions).for_each(|definition| write_definition(definition, page, builder));
    builder.close(None);
    builder.key_static("references");
    builder.open_sequence(whole);
    let links = outline.links.iter().filter(|link| !link.name.is_empty());
    for link in budget::within(links) {
        write_reference(&link.range, &link.name, true, page, builder);
    }
    let meant = outline.undefined.iter().filter(|(range, name)| is_meant(outline, page, range, name));
    for (range, name) in budget::within(meant) {
        write_reference(range, name, false, page, builder);
    }
    builder.close(None);
}

fn write_definition(definition: &Definition, page: &Page<'_>, builder: &mut TreeBuilder) {
    let range = page.trimmed(definition.range.clone());
    builder.open_mapping(page.span(range.clone()));
    let written = &page.text()[range.clone()];
    let label = written.find('[').zip(written.find("]:")).filter(|(open, close)| open < close);
    let label = label.map_or(range.clone(), |(open, close)| range.start + open + 1..range.start + close);
    write_name(&definition.name, label, page, builder);
    builder.field("target", Scalar::Text(&definition.target), page.span(range));
    builder.close(None);
}

fn write_reference(
    range: &Range<usize>,
    name: &str,
    defined: bool,
    page: &Page<'_>,
    builder: &mut TreeBuilder,
) {
    builder.open_mapping(page.span(range.clone()));
    write_name(name, label(page.text(), range), page, builder);
    builder.field("defined", Scalar::Bool(defined), page.span(range.clone()));
    builder.close(None);
}

fn write_name(name: &str, at: Range<usize>, page: &Page<'_>, builder: &mut TreeBuilder) {
    let name = collapsed(name);
    if page.text()[at.clone()] == *name {
        page.write(builder, "name", at);
    } else {
        builder.field("name", Scalar::Text(&name), page.span(at));
    }
}

/// Where the name of a definition is written in a link: in its last brackets, unless they are empty.
fn label(text: &str, range: &Range<usize>) -> Range<usize> {
    let link = &text[range.clone()];
    let link = link.strip_suffix("[]").unwrap_or(link);
    let inner = link.strip_suffix(']').unwrap_or(link);
    let start = inner.rfind('[').map_or(0, |at| at + 1);
    range.start + start..range.start + inner.len()
}

/// A label as CommonMark compares it, but for uppercase and lowercase letters: any whitespace is one space.
fn collapsed(label: &str) -> Cow<'_, str> {
    if label.split(' ').all(|word| !word.is_empty() && !word.contains(char::is_whitespace)) {
        return label.into();
    }
    label.split_whitespace().collect::<Vec<_>>().join(" ").into()
}

/// Whether two pairs of brackets that no definition fits are likely meant as a link.
fn is_meant(outline: &Outline, page: &Page<'_>, range: &Range<usize>, name: &str) -> bool {
    let text = page.text();
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
