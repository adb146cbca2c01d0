//! Properties of CSS and of pictures as attributes and calls of Typst.

use super::{code, css};
use crate::{
    model::{Attr, Block, Inline, Rewrite, plain},
    transform::Context,
};

pub(super) fn apply(blocks: Vec<Block>, context: &Context<'_>) -> Vec<Block> {
    if context.metadata.text("css-property-processing") == Some("none") {
        return blocks;
    }
    Properties { context }.rewrite(blocks)
}

struct Properties<'a, 'c> {
    context: &'a Context<'c>,
}

impl Rewrite for Properties<'_, '_> {
    fn blocks(&mut self, mut blocks: Vec<Block>) -> Vec<Block> {
        for block in &mut blocks {
            match block {
                Block::Div(attr, _) => self.of_div(attr),
                Block::Table(table) => {
                    of_table(&mut table.attr);
                    // Figures around tables are those of the document.
                    if table.caption.is_empty() {
                        table.attr.classes.push("typst:no-figure".to_owned());
                    }
                    for cell in table.head.iter_mut().chain(&mut table.rows).flatten() {
                        self.of_cell(&mut cell.attr);
                    }
                }
                Block::Figure(_, caption, inner) => {
                    for block in inner {
                        without_alternative(block, caption);
                    }
                }
                Block::Para(inlines) => {
                    if let [Inline::Image(attr, ..)] = inlines.as_mut_slice()
                        && let Some(side) = attr.take("fig-align")
                        && matches!(side.as_str(), "left" | "right" | "center")
                    {
                        let open = code(format!("#align({side})["));
                        let mut all = vec![open];
                        all.append(inlines);
                        all.push(code("]"));
                        *block = Block::Plain(all);
                    }
                }
                _ => {}
            }
        }
        blocks
    }

    fn inlines(&mut self, inlines: Vec<Inline>) -> Vec<Inline> {
        let mut out = Vec::with_capacity(inlines.len());
        for inline in inlines {
            match inline {
                Inline::Span(mut attr, inner) => {
                    let fill = attr.get("style").and_then(|style| {
                        let declared = css::declarations(style).filter(|(key, _)| *key == "background-color");
                        declared.last().and_then(|(_, value)| self.paint(value, None))
                    });
                    self.of_cell(&mut attr);
                    attr.take("typst:fill");
                    let span = Inline::Span(attr, inner);
                    match fill {
                        Some(fill) => {
                            out.extend([code(format!("#highlight(fill: {fill})[")), span, code("]")]);
                        }
                        None => out.push(span),
                    }
                }
                other => out.push(other),
            }
        }
        out
    }
}

/// The picture of a figure is described by the caption, not again by its alternative text.
pub(super) fn without_alternative(block: &mut Block, caption: &[Inline]) {
    if let Block::Plain(inlines) | Block::Para(inlines) = block {
        for inline in inlines {
            if let Inline::Image(attr, words, _) = inline {
                let own = attr.take_alternative();
                match own {
                    Some(text) => *words = vec![Inline::Str(text)],
                    None if plain(words) == plain(caption) => words.clear(),
                    None => {}
                }
            }
        }
    }
}

/// Sets an attribute, in place of one with the same key.
fn set(attr: &mut Attr, key: &str, value: Option<String>) {
    if let Some(value) = value {
        attr.take(key);
        attr.pairs.push((key.to_owned(), value));
    }
}

fn of_table(attr: &mut Attr) {
    let Some(style) = attr.get("style").map(str::to_owned) else { return };
    for (key, value) in css::declarations(&style) {
        match key {
            "font-family" => set(attr, "typst:text:font", Some(css::fonts(value))),
            "font-size" => set(attr, "typst:text:size", css::length(value)),
            _ => {}
        }
    }
}

/// A style of a font that Typst has.
fn slant(value: &str) -> Option<String> {
    matches!(value, "normal" | "italic" | "oblique").then(|| css::quoted(value))
}

impl Properties<'_, '_> {
    /// A color: one of the brand by its name, or one of CSS.
    fn paint(&self, value: &str, opacity: Option<f64>) -> Option<String> {
        let Some(name) = value.trim().strip_prefix("var(--brand-").and_then(|rest| rest.strip_suffix(')'))
        else {
            return css::color(value).map(|color| color.typst(opacity));
        };
        let found = self.context.brand.color(self.context.brand_mode(), name)?;
        match opacity {
            None => Some(format!("brand-color.{name}")),
            Some(_) => css::color(found).map(|color| color.typst(opacity)),
        }
    }

    fn of_div(&self, attr: &mut Attr) {
        let Some(style) = attr.get("style").map(str::to_owned) else { return };
        for (key, value) in css::declarations(&style) {
            match key {
                "font-family" => set(attr, "typst:text:font", Some(css::fonts(value))),
                "font-size" => set(attr, "typst:text:size", css::length(value)),
                "font-weight" => set(attr, "typst:text:weight", css::weight(value)),
                "font-style" => set(attr, "typst:text:style", slant(value)),
                "background-color" => set(attr, "typst:fill", self.paint(value, None)),
                "color" => set(attr, "typst:text:fill", self.paint(value, None)),
                _ => {}
            }
        }
    }

    fn of_cell(&self, attr: &mut Attr) {
        let Some(style) = attr.get("style").map(str::to_owned) else { return };
        let (mut color, mut opacity) = (None, None);
        let (mut down, mut across) = (None, None);
        let mut borders = css::Borders::default();
        for (key, value) in css::declarations(&style) {
            match key {
                "background-color" => set(attr, "typst:fill", self.paint(value, None)),
                "color" => color = Some(value.to_owned()),
                "opacity" => opacity = css::opacity(value),
                "font-size" => set(attr, "typst:text:size", css::length(value)),
                "font-weight" => set(attr, "typst:text:weight", css::weight(value)),
                "font-style" => set(attr, "typst:text:style", slant(value)),
                "vertical-align" => {
                    down = match value {
                        "top" => Some("top"),
                        "middle" => Some("horizon"),
                        "bottom" => Some("bottom"),
                        _ => down,
                    }
                }
                "text-align" => {
                    let sides = ["start", "end", "center", "left", "right"];
                    across = sides.into_iter().find(|side| *side == value).or(across);
                }
                _ if key.starts_with("border") => borders.declare(key, value),
                _ => {}
            }
        }
        let aligned: Vec<&str> = down.into_iter().chain(across).collect();
        set(attr, "typst:align", (!aligned.is_empty()).then(|| aligned.join(" + ")));
        if color.is_some() || opacity.is_some() {
            let color = color.unwrap_or_else(|| "rgb(0, 0, 0)".to_owned());
            set(attr, "typst:text:fill", self.paint(&color, opacity));
        }
        set(attr, "typst:stroke", borders.typst());
    }
}

/// Pictures with an alternative text, which Pandoc does not write. Their files have been placed before.
pub(super) struct Pictures {
    /// Whether code has colors.
    pub(super) highlighted: bool,
}

impl Rewrite for Pictures {
    fn blocks(&mut self, mut blocks: Vec<Block>) -> Vec<Block> {
        for block in blocks.iter_mut().filter(|_| !self.highlighted) {
            if let Block::Code(attr, _) = block {
                attr.classes.clear();
            }
        }
        blocks
    }

    fn inlines(&mut self, mut inlines: Vec<Inline>) -> Vec<Inline> {
        for inline in &mut inlines {
            let Inline::Image(attr, words, target) = inline else { continue };
            let own = attr.take_alternative();
            let text = own.unwrap_or_else(|| plain(words));
            if text.is_empty() {
                words.clear();
                continue;
            }
            let mut arguments = vec![css::quoted(&target.url), format!("alt: {}", css::quoted(&text))];
            for key in ["height", "width"] {
                arguments.extend(attr.get(key).and_then(size).map(|size| format!("{key}: {size}")));
            }
            *inline = code(format!("#box(image({}))", arguments.join(", ")));
        }
        inlines
    }
}

/// A size of a picture: pixels become inches.
fn size(text: &str) -> Option<String> {
    let text = text.trim();
    if let Ok(pixels) = text.trim_end_matches("px").parse::<f64>() {
        return Some(format!("{}in", css::number(pixels / 96.0)));
    }
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').filter(|end| *end > 0)?;
    matches!(&text[end..], "%" | "in" | "cm" | "mm" | "pt" | "em").then(|| text.to_owned())
}
