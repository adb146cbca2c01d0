//! Pictures that open in full size when they are chosen: `lightbox: true`, or the class `lightbox` of a picture.

use serde_json::Value;

use super::Context;
use crate::{
    formats::Family,
    model::{Attr, Block, Inline, Rewrite, Target, plain},
};

/// Makes links of the pictures that open in full size. Pictures that are links already stay.
pub(super) fn apply(blocks: Vec<Block>, context: &Context<'_>) -> Vec<Block> {
    if context.family() != Family::Html || context.format.slides || context.format.id == "email" {
        return blocks;
    }
    let value = context.metadata.at("lightbox");
    let auto = match value {
        Some(Value::Bool(all)) => *all,
        Some(Value::String(word)) => word == "auto",
        Some(Value::Object(map)) => map.get("match").and_then(Value::as_str) == Some("auto"),
        _ => false,
    };
    Lightbox { auto, count: 0, caption: None, gallery: None }.rewrite(blocks)
}

struct Lightbox {
    /// Whether all pictures open.
    auto: bool,
    count: u32,
    /// The caption of the figure around.
    caption: Option<String>,
    /// The gallery of the pictures of one figure.
    gallery: Option<String>,
}

impl Lightbox {
    fn picture(&mut self, mut attr: Attr, words: Vec<Inline>, target: Target) -> Inline {
        let own = attr.take("lightbox");
        let asked = attr.has_class("lightbox") || own.as_deref() == Some("true");
        let refused = attr.has_class("nolightbox") || own.as_deref() == Some("false");
        attr.classes.retain(|class| class != "lightbox" && class != "nolightbox");
        if !(asked || self.auto && !refused) {
            return Inline::image(attr, words, target);
        }
        self.count += 1;
        let gallery = attr.take("group").or_else(|| self.gallery.clone());
        let gallery = gallery.unwrap_or_else(|| format!("quarto-lightbox-gallery-{}", self.count));
        let mut link = Attr { place: attr.place, ..Attr::class("lightbox") }.with("gallery", gallery);
        for key in ["desc-position", "description"] {
            if let Some(value) = attr.take(key) {
                link = link.with(key, value);
            }
        }
        let title = self.caption.clone().unwrap_or_else(|| plain(&words));
        let to = Target { url: target.url.clone(), title };
        Inline::link(link, vec![Inline::image(attr, words, target)], to)
    }
}

impl Rewrite for Lightbox {
    fn rewrite(&mut self, blocks: Vec<Block>) -> Vec<Block> {
        let mut out = Vec::with_capacity(blocks.len());
        for block in blocks {
            match block {
                Block::Figure(attr, caption, inner) => {
                    let words = plain(&caption);
                    let around = std::mem::replace(&mut self.caption, (!words.is_empty()).then_some(words));
                    let has_parts = inner.iter().any(|block| matches!(block, Block::Div(..)));
                    let gallery = self.gallery.clone();
                    if has_parts && self.gallery.is_none() {
                        self.gallery = attr.get("caption-id").map(|id| {
                            let id = id.split("-caption-").next().unwrap_or(id);
                            format!("quarto-lightbox-gallery-{id}")
                        });
                    }
                    let inner = self.rewrite(inner);
                    (self.caption, self.gallery) = (around, gallery);
                    out.push(Block::Figure(attr, caption, inner));
                }
                other => out.push(self.block(other)),
            }
        }
        out
    }

    fn rewrite_inlines(&mut self, inlines: Vec<Inline>) -> Vec<Inline> {
        let mut out = Vec::with_capacity(inlines.len());
        for inline in inlines {
            match inline {
                Inline::Link(..) => out.push(inline),
                Inline::Image(attr, words, target) => out.push(self.picture(*attr, words, *target)),
                other => out.push(self.inline(other)),
            }
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reader::read_inlines;

    fn opened(auto: bool, text: &str) -> Vec<Inline> {
        let mut lightbox = Lightbox { auto, count: 0, caption: None, gallery: None };
        lightbox.rewrite_inlines(read_inlines(text, true))
    }

    #[test]
    fn pictures_open_where_it_is_asked_for() {
        let is_link =
            |inlines: &[Inline]| matches!(inlines, [Inline::Link(attr, ..)] if attr.has_class("lightbox"));
        assert!(is_link(&opened(false, "![A](a.png){.lightbox}")));
        assert!(is_link(&opened(true, "![A](a.png)")));
        assert!(!is_link(&opened(false, "![A](a.png)")));
        assert!(!is_link(&opened(true, "![A](a.png){.nolightbox}")));
        assert!(!is_link(&opened(true, "[![A](a.png)](b.html)")), "a link stays");
    }
}
