//! Figures, tables and listings with captions and labels.

use super::{
    columns::{self, Margin},
    line, properties, quoted,
};
use crate::model::{Attr, Block, Inline};

/// What is numbered with a caption.
pub(in super::super) struct Float<'f> {
    pub(in super::super) attr: Attr,
    /// The prefix of its label.
    pub(in super::super) kind: &'f str,
    /// What its caption begins with.
    pub(in super::super) supplement: &'f str,
    pub(in super::super) caption: Vec<Inline>,
    pub(in super::super) content: Vec<Block>,
    /// Whether figures are in it that are numbered by letters.
    pub(in super::super) has_parts: bool,
    /// Whether captions are in the margin.
    pub(in super::super) margin_caption: bool,
    /// Where captions of its kind are in this document.
    pub(in super::super) location: Option<&'f str>,
}

/// A float as a figure of Typst.
pub(in super::super) fn float(float: Float<'_>) -> Vec<Block> {
    let Float { mut attr, kind, supplement, caption, mut content, has_parts, margin_caption, location } =
        float;
    for block in &mut content {
        properties::without_alternative(block, &caption);
    }
    take_columns(&mut content, &mut attr);
    let own = attr.take(&format!("{kind}-cap-location")).or_else(|| attr.take("cap-location"));
    let default = if kind == "fig" { "bottom" } else { "top" };
    let location = match own.as_deref().or(location) {
        Some(side @ ("top" | "bottom")) => side,
        Some(_) => "bottom",
        None => default,
    };
    let id = std::mem::take(&mut attr.id);
    let label = if id.is_empty() { String::new() } else { format!("<{id}>") };
    let kind = quoted(&format!("quarto-float-{kind}"));
    let supplement = quoted(supplement);
    let margin = Margin::take(&mut attr);
    let caption_in_margin =
        margin_caption || attr.has_class("margin-caption") || own.as_deref() == Some("margin");
    let mut out = Vec::new();
    let side = columns::wide_side(&attr);
    if has_parts {
        out.extend(margin.as_ref().map(Margin::open));
        out.extend([
            line(format!("#quarto_super(kind: {kind}, ")),
            line("caption: ["),
            Block::Plain(caption),
            line("], "),
            line(format!(
                "label: {}, position: {location}, supplement: {supplement}, subcapnumbering: \"(a)\", [",
                if label.is_empty() { "none" } else { &label }
            )),
        ]);
        out.extend(content);
        out.push(line("])"));
        out.extend(margin.map(|_| line("]")));
    } else if let Some(margin) = margin {
        out.push(line(format!(
            "#notefigure({}, kind: {kind}, supplement: {supplement}, [",
            margin.arguments()
        )));
        out.extend(content);
        out.push(line("]"));
        if !caption.is_empty() {
            out.extend([
                line(format!(", caption: figure.caption(position: {location}, [")),
                Block::Plain(caption),
                line("])"),
            ]);
        }
        out.push(line(format!("){label}")));
    } else if caption_in_margin {
        out.push(line(
            "#[#set figure(gap: 0pt)\n#set figure.caption(position: top)\n\
             #show figure.caption: it => note(alignment: \"top\", counter: none, shift: \"avoid\")[#text(size: 0.9em)[#it]]",
        ));
        out.push(line("#figure(["));
        out.extend(content);
        out.extend([
            line("], caption: ["),
            Block::Plain(caption),
            line(format!("], kind: {kind}, supplement: {supplement})")),
            line(format!("{label}]")),
        ]);
    } else {
        out.extend(side.map(|side| line(format!("#wideblock(side: \"{side}\")["))));
        out.push(line("#figure(["));
        out.extend(content);
        let separator = if caption.is_empty() { "separator: \"\", " } else { "" };
        out.extend([
            line(format!("], caption: figure.caption({separator}position: {location}, [")),
            Block::Plain(caption),
            line(format!("]), kind: {kind}, supplement: {supplement}, )")),
            line(label),
        ]);
        out.extend(side.map(|_| line("]")));
    }
    out.push(line("\n"));
    // One block, which layouts do not take apart.
    vec![Block::Div(Attr { place: attr.place, ..Attr::class(super::GROUP) }, out)]
}

/// Takes over the classes that say where a picture is on the page.
fn take_columns(content: &mut [Block], attr: &mut Attr) {
    let [Block::Plain(inlines) | Block::Para(inlines)] = content else { return };
    let [Inline::Image(own, ..)] = inlines.as_mut_slice() else { return };
    let is_column = |class: &mut String| {
        class.starts_with("column-") || matches!(class.as_str(), "aside" | "margin-caption")
    };
    attr.classes.extend(own.classes.extract_if(.., is_column));
    let is_location = |(key, _): &mut (String, String)| key.ends_with("cap-location");
    attr.pairs.extend(own.pairs.extract_if(.., is_location));
}
