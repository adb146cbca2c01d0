//! Losses as diagnostics at their places.

use std::sync::Arc;

use super::{
    asked,
    formats::Format,
    model::Place,
    reader::Texts,
    transform::{Loss, LossKind},
    worker::{MissingGlyphs, Typeset, Unfit},
};
use crate::{
    diagnostic::Diagnostic,
    engine::Validator,
    syntax::Observation,
    text::{Source, Span, shown},
};

/// The diagnostics of what a conversion lost. The rules in `rules/convert/` provide the messages.
pub(super) fn diagnostics(
    validator: &Validator,
    (source, asked): (&Arc<Source>, &Arc<Source>),
    texts: &Texts,
    format: &Format,
    losses: &[Loss],
) -> Vec<Diagnostic> {
    let mut out = Vec::new();
    let count = texts.sources.len().max(1) as u32;
    for index in (0..count).chain([asked::SOURCE]) {
        let own =
            if index == asked::SOURCE { asked } else { texts.sources.get(index as usize).unwrap_or(source) };
        let facts: Vec<Observation> = losses
            .iter()
            .filter(|loss| loss.place.source == index)
            .map(|loss| fact(loss, own.text(), format))
            .collect();
        if !facts.is_empty() {
            out.extend(validator.run_facts(own, facts));
        }
    }
    out
}

/// What pages that were set do not have as the document says it.
pub(super) fn of_pages(set: &Typeset, texts: &Texts) -> Vec<Loss> {
    let unfit = set.unfit.iter().map(|unfit| Loss {
        place: place_of(unfit, texts),
        kind: LossKind::DoesNotFit,
        what: unfit.what.clone(),
    });
    let untagged = set.is_untagged.then(|| Loss {
        place: Place::default(),
        kind: LossKind::Dropped,
        what: "structure for screen readers".to_owned(),
    });
    unfit.chain(untagged).collect()
}

/// The diagnostics of characters that no font has, at the first of them.
pub(super) fn of_glyphs(validator: &Validator, texts: &Texts, missing: &[MissingGlyphs]) -> Vec<Diagnostic> {
    let of = |missing: &MissingGlyphs| {
        let source = texts.sources.iter().find(|source| missing.first_in(source.text()).is_some());
        let source = source.or_else(|| texts.sources.first())?;
        Some(validator.run_facts(source, vec![missing.fact(source.text())]))
    };
    missing.iter().filter_map(of).flatten().collect()
}

/// Where words of a construct are in a document; its start where they are not found.
fn place_of(unfit: &Unfit, texts: &Texts) -> Place {
    let words = unfit.words.as_str();
    let found = |find: fn(&str, &str) -> Option<usize>| {
        texts.sources.iter().zip(0_u32..).find_map(|(source, index)| {
            let offset = u32::try_from(find(source.text(), words)?).ok()?;
            Some(Place { source: index, offset })
        })
    };
    let cell = if unfit.what == "table" {
        found(|text, words| shown::in_table(text, words).map(|place| place.start))
    } else {
        None
    };
    cell.or_else(|| found(|text, words| shown::places(text, words).next().map(|place| place.start)))
        .unwrap_or_default()
}

fn fact(loss: &Loss, text: &str, format: &Format) -> Observation {
    let name = match loss.kind {
        LossKind::Dropped => "content-dropped",
        LossKind::Simplified => "content-simplified",
        LossKind::NotExecuted => "cell-not-executed",
        LossKind::Unresolved => "value-unresolved",
        LossKind::Ignored => "option-refused",
        LossKind::NoEffect => "option-without-effect",
        LossKind::TooDeep => "nested-too-deeply",
        LossKind::LayoutMissing => "layout-missing",
        LossKind::Overflow => "slide-overflow",
        LossKind::NotDrawn | LossKind::NoRenderer => "diagram-as-source",
        LossKind::Alone => "page-alone",
        LossKind::DoesNotFit => "does-not-fit",
    };
    let start = (loss.place.offset as usize).min(text.len());
    let start = text.floor_char_boundary(start);
    let length = text[start..].lines().next().map_or(0, |line| line.trim_end().len());
    let mut fact =
        Observation::about_file(name).with("what", loss.what.as_str()).with("format", format.id.as_str());
    if name == "diagram-as-source" {
        let problem = if loss.kind == LossKind::NoRenderer { "no-renderer" } else { "refused" };
        fact = fact.with("problem", problem);
    }
    fact.span = Span::new(start, start + length);
    fact
}
