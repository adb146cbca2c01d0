//! Mermaid diagrams as pictures, where a program draws them and the format can have pictures inside its file.

use super::{Context, LossKind};
use crate::{
    formats::Family,
    images::Picture,
    model::{Attr, Block, Inline, Target},
    reader,
    worker::{Drawn, NotDrawn},
};

/// The widest picture in inches that a page has room for; wider ones fill the line.
const LINE: f32 = 6.0;

/// How a diagram appears.
#[derive(Debug, Default)]
pub(super) struct Appearance<'o> {
    /// Label of a float, such as `fig-flow`, or any other identifier.
    pub(super) label: Option<&'o str>,
    pub(super) caption: Option<&'o str>,
    /// What is said of it to readers who do not see it.
    pub(super) alternative: Option<&'o str>,
    /// In inches.
    pub(super) width: Option<&'o str>,
    pub(super) align: Option<&'o str>,
}

/// The picture of a diagram as a block; nothing where it is shown as its source, which is recorded as a loss.
pub(super) fn drawn(
    context: &mut Context<'_>,
    own: &Attr,
    text: &str,
    appearance: &Appearance<'_>,
) -> Option<Block> {
    let Some(kind) = context.picture_kind else {
        // GitHub draws what a fence of this language has.
        if context.format.id != "gfm" {
            context.lose(LossKind::Simplified, own.place, "diagram");
        }
        return None;
    };
    let Some(worker) = context.worker else {
        context.lose(LossKind::NoRenderer, own.place, "this program has no renderer");
        return None;
    };
    let Drawn { bytes, missing } = match worker.draw(text, kind) {
        Ok(drawn) => drawn,
        Err(NotDrawn::NoWorker(why)) => {
            context.lose(LossKind::NoRenderer, own.place, why);
            return None;
        }
        Err(NotDrawn::Refused(why)) => {
            context.lose(LossKind::NotDrawn, own.place, why);
            return None;
        }
    };
    context.missing_glyphs.extend(missing);
    let mut attr = Attr { id: own.id.clone(), place: own.place, ..Attr::default() };
    if let Some(width) = width(context.family(), appearance.width, kind.size(&bytes)) {
        attr = attr.with("width", width);
    }
    for (key, value) in [("fig-alt", appearance.alternative), ("fig-align", appearance.align)] {
        if let Some(value) = value {
            attr = attr.with(key, value);
        }
    }
    let url = context.pictures.add(Picture { mime: kind.mime(), bytes: bytes.into() });
    let caption = appearance.caption.map(|caption| reader::read_inlines(caption, true)).unwrap_or_default();
    let label = appearance.label.unwrap_or_default();
    let is_float = label.starts_with("fig-");
    if !is_float && !label.is_empty() {
        label.clone_into(&mut attr.id);
    }
    let image = |attr| Inline::image(attr, caption.clone(), Target { url, title: String::new() });
    if is_float {
        let float = Attr { place: own.place, ..Attr::default() }.with_id(label);
        let mut inner = vec![Block::Para(vec![image(attr)])];
        if !caption.is_empty() {
            inner.push(Block::Para(caption.clone()));
        }
        return Some(Block::Div(float, inner));
    }
    if caption.is_empty() {
        return Some(Block::Para(vec![image(attr)]));
    }
    let figure = Attr { id: std::mem::take(&mut attr.id), place: own.place, ..Attr::default() };
    Some(Block::Figure(figure, caption.clone(), vec![Block::Plain(vec![image(attr)])]))
}

/// The width that a picture gets: what the document says, else its own, as far as there is room.
fn width(family: Family, wanted: Option<&str>, size: Option<(f32, f32)>) -> Option<String> {
    let wanted = wanted.and_then(|inches| inches.parse().ok()).filter(|inches: &f32| *inches > 0.0);
    let inches = wanted.or(size.map(|(width, _)| width))?;
    match family {
        // A slide has a place for it.
        Family::Pptx => None,
        Family::Html => Some(format!("{:.0}", inches * 96.0)),
        _ if inches >= LINE => Some("100%".to_owned()),
        _ => Some(format!("{inches:.2}in")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_is_as_wide_as_it_is_unless_the_line_is_narrower() {
        assert_eq!(width(Family::Html, None, Some((2.0, 1.0))).as_deref(), Some("192"));
        assert_eq!(width(Family::Docx, None, Some((2.0, 1.0))).as_deref(), Some("2.00in"));
        assert_eq!(width(Family::Docx, None, Some((20.0, 1.0))).as_deref(), Some("100%"));
        assert_eq!(width(Family::Docx, Some("4.5"), Some((20.0, 1.0))).as_deref(), Some("4.50in"));
        assert_eq!(width(Family::Pptx, None, Some((2.0, 1.0))), None);
    }
}
