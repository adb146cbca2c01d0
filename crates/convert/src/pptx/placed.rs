//! Parts of a slide that `.absolute` places, as in reveal.js.

use super::{media::Size, model::Rect};
use crate::model::{Attr, Block, Inline};

/// The class of what is placed.
const CLASS: &str = "absolute";

/// The size of a slide in the pixels of positions: that of Quarto's slides.
const PIXELS: (f64, f64) = (1050.0, 700.0);

/// Something with a position on the slide.
#[derive(Debug, Clone)]
pub(super) struct Placed {
    pub(super) attr: Attr,
    pub(super) blocks: Vec<Block>,
}

/// Takes what is placed out of a slide's blocks.
pub(super) fn taken(blocks: &[Block], placed: &mut Vec<Placed>) -> Vec<Block> {
    let mut out = Vec::with_capacity(blocks.len());
    for block in blocks {
        match block {
            Block::Div(attr, inner) if attr.has_class(CLASS) => {
                placed.push(Placed { attr: attr.clone(), blocks: inner.clone() });
            }
            Block::Div(attr, inner) => out.push(Block::Div(attr.clone(), taken(inner, placed))),
            Block::Figure(own, _, inner) => match inner.as_slice() {
                [Block::Para(inlines) | Block::Plain(inlines)] => match inlines.as_slice() {
                    [Inline::Image(attr, ..)] if attr.has_class(CLASS) || own.has_class(CLASS) => {
                        placed.push(Placed { attr: (**attr).clone(), blocks: vec![block.clone()] });
                    }
                    _ => out.push(block.clone()),
                },
                _ => out.push(block.clone()),
            },
            Block::Para(inlines) | Block::Plain(inlines) if inlines.iter().any(is_placed) => {
                let mut words = Vec::new();
                for inline in inlines {
                    match inline {
                        Inline::Image(attr, ..) if is_placed(inline) => {
                            let blocks = vec![Block::Para(vec![inline.clone()])];
                            placed.push(Placed { attr: (**attr).clone(), blocks });
                        }
                        other => words.push(other.clone()),
                    }
                }
                let is_space =
                    |inline: &Inline| matches!(inline, Inline::Space | Inline::SoftBreak | Inline::LineBreak);
                if !words.iter().all(is_space) {
                    out.push(Block::Para(words));
                }
            }
            other => out.push(other.clone()),
        }
    }
    out
}

fn is_placed(inline: &Inline) -> bool {
    matches!(inline, Inline::Image(attr, ..) if attr.has_class(CLASS))
}

/// A length in English Metric Units: pixels of the slide, or percent of `whole`.
pub(super) fn length(value: Option<&str>, whole: i64, pixel: f64) -> Option<i64> {
    let value = value?.trim();
    #[expect(clippy::cast_possible_truncation, reason = "sizes are far below the limits of integers")]
    let rounded =
        |share: f64, of: f64| (share.is_finite() && share.abs() < 100_000.0).then_some((share * of) as i64);
    #[expect(clippy::cast_precision_loss, reason = "sizes are far below the limits of integers")]
    let percent = whole as f64 / 100.0;
    match value.strip_suffix('%') {
        Some(share) => rounded(share.trim().parse().ok()?, percent),
        None => rounded(value.strip_suffix("px").unwrap_or(value).trim().parse().ok()?, pixel),
    }
}

/// The size of a pixel on a slide, in English Metric Units: across, down, and for sizes, which keep their proportions.
pub(super) fn pixel((width, height): (i64, i64)) -> (f64, f64, f64) {
    #[expect(clippy::cast_precision_loss, reason = "sizes are far below the limits of integers")]
    let (across, down) = (width as f64 / PIXELS.0, height as f64 / PIXELS.1);
    (across, down, across.min(down))
}

/// The size of something that is not given another one.
pub(super) enum Natural<'n> {
    Picture(Size),
    /// The width of the longest line, and the height for a width, in English Metric Units.
    Text(i64, &'n dyn Fn(i64) -> i64),
}

/// Where something goes on a slide of some size.
pub(super) fn rect(attr: &Attr, slide: (i64, i64), natural: &Natural<'_>) -> Rect {
    let (across, down, size) = pixel(slide);
    let at = |key: &str, whole: i64, pixel: f64| length(attr.get(key), whole, pixel);
    let (left, right) = (at("left", slide.0, across), at("right", slide.0, across));
    let (top, bottom) = (at("top", slide.1, down), at("bottom", slide.1, down));
    let (own_width, own_height) = (at("width", slide.0, size), at("height", slide.1, size));
    let (width, height) = match (natural, own_width, own_height) {
        (_, Some(width), Some(height)) => (width, height),
        (Natural::Picture(Size { width, height }), own_width, own_height) => {
            let (natural_width, natural_height) = (i64::from(*width).max(1), i64::from(*height).max(1));
            let pixels = format!("{natural_width}px");
            let width = own_width
                .or_else(|| own_height.map(|height| height * natural_width / natural_height))
                .or_else(|| length(Some(&pixels), slide.0, size))
                .unwrap_or(slide.0);
            (width, own_height.unwrap_or(width * natural_height / natural_width))
        }
        (Natural::Text(longest, height), width, own_height) => {
            let margin = slide.0 / 20;
            let room = slide.0 - left.unwrap_or(margin) - right.unwrap_or(margin);
            let width = width.unwrap_or((*longest).min(room));
            (width, own_height.unwrap_or_else(|| height(width.max(1))))
        }
    };
    let (width, height) = (width.clamp(1, slide.0), height.clamp(1, slide.1));
    let x = left.or_else(|| right.map(|right| slide.0 - right - width)).unwrap_or(slide.0 / 20);
    let y = top.or_else(|| bottom.map(|bottom| slide.1 - bottom - height)).unwrap_or(slide.1 / 4);
    Rect { x, y, width, height }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn placed(pairs: &[(&str, &str)], natural: &Natural<'_>) -> [i64; 4] {
        let pairs = pairs.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
        let attr = Attr { pairs, ..Attr::default() };
        let found = rect(&attr, (10_500, 7_000), natural);
        [found.x, found.y, found.width, found.height]
    }

    #[test]
    fn positions_are_pixels_of_the_slide_or_shares_of_it() {
        let picture = Natural::Picture(Size { width: 200, height: 100 });
        assert_eq!(placed(&[("top", "100"), ("left", "50px")], &picture), [500, 1000, 2000, 1000]);
        assert_eq!(
            placed(&[("top", "10%"), ("right", "0"), ("width", "100")], &picture),
            [9500, 700, 1000, 500]
        );
        let text = Natural::Text(4000, &|_| 300);
        assert_eq!(placed(&[("bottom", "0"), ("right", "500")], &text), [1500, 6700, 4000, 300]);
        assert_eq!(placed(&[("bottom", "0"), ("left", "900")], &text), [9000, 6700, 975, 300]);
    }
}
