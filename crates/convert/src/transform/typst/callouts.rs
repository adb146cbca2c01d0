//! Callouts as boxes.

use super::{columns::Margin, line, quoted};
use crate::{
    brand::Mode,
    model::{Attr, Block, Inline},
    transform::Context,
};

/// A callout and where it is referred to.
pub(in super::super) struct Callout<'c> {
    pub(in super::super) kind: &'c str,
    pub(in super::super) attr: Attr,
    pub(in super::super) title: Vec<Inline>,
    pub(in super::super) body: Vec<Block>,
    /// What its number begins with, where it has one.
    pub(in super::super) supplement: Option<String>,
    pub(in super::super) has_icon: bool,
}

/// The colors of a kind: of its title, and of its mark and its border.
fn colors(kind: &str) -> (&'static str, &'static str, &'static str) {
    match kind {
        "tip" => ("success", "#ccf1e3", "#00a047"),
        "warning" => ("warning", "#fcefdc", "#eb9113"),
        "important" => ("danger", "#f7dddc", "#cc1914"),
        "caution" => ("", "#ffe5d0", "#fc5300"),
        _ => ("primary", "#dae6fb", "#0758e5"),
    }
}

/// The mark of a kind: a character that fonts of text have.
fn mark(kind: &str) -> &'static str {
    match kind {
        "tip" => "✦",
        "warning" | "caution" => "△",
        "important" => "!",
        _ => "i",
    }
}

/// A callout as a call of the template's function.
pub(in super::super) fn callout(callout: Callout<'_>, context: &Context<'_>) -> Vec<Block> {
    let Callout { kind, mut attr, title, body, supplement, has_icon } = callout;
    let (role, background, icon_color) = colors(kind);
    let mode = context.brand_mode();
    let rgb = |color: &str| format!("rgb({})", quoted(color));
    let (mut background, mut icon_color) = (rgb(background), rgb(icon_color));
    let mut body_background = "white".to_owned();
    let has_background = context.brand.color(mode, "background").is_some();
    if !role.is_empty() && context.brand.color(mode, role).is_some() {
        background = format!("brand-color-background.{role}");
        icon_color = format!("brand-color.{role}");
    } else if has_background {
        let share = if mode == Mode::Dark { 50 } else { 15 };
        let rest = 100 - share;
        background = format!("color.mix(({icon_color}, {share}%), (brand-color.background, {rest}%))");
    }
    if has_background {
        "brand-color.background".clone_into(&mut body_background);
    }
    let margin = Margin::take(&mut attr);
    let mut inner = vec![line("#callout("), line("body: "), line("[")];
    inner.extend(body);
    inner.extend([line("]"), line(", "), line("title: "), line("["), Block::Plain(title), line("]")]);
    let icon = if has_icon { quoted(mark(kind)) } else { "none".to_owned() };
    for (key, value) in [
        ("background_color", background),
        ("icon_color", icon_color),
        ("icon", icon),
        ("body_background_color", body_background),
    ] {
        inner.extend([line(", "), line(format!("{key}: ")), line(value)]);
    }
    inner.push(line(")"));
    let id = std::mem::take(&mut attr.id);
    let place = attr.place;
    let mut out = vec![Block::Div(Attr { place, ..Attr::default() }, inner)];
    if let Some(supplement) = supplement {
        let name = quoted(&kind_name(kind));
        let mut figure = vec![line("#figure([")];
        figure.append(&mut out);
        figure.push(line(format!(
            "], caption: none, kind: {name}, supplement: {}, numbering: callout-numbering, )",
            quoted(&supplement)
        )));
        figure.extend([line(format!("<{id}>")), line("\n")]);
        out = vec![Block::Div(Attr { place, ..Attr::class(super::GROUP) }, figure)];
    }
    if let Some(margin) = margin {
        out.insert(0, margin.open());
        out.push(line("]"));
    }
    out
}

/// The kind of the figures that callouts with numbers are.
fn kind_name(kind: &str) -> String {
    let mut name = "quarto-callout-".to_owned();
    let mut chars = kind.chars();
    name.extend(chars.next().map(|c| c.to_ascii_uppercase()));
    name.extend(chars);
    name
}

/// The number of the callout around, before its title.
pub(in super::super) fn number(kind: &str) -> String {
    format!(
        "#{{context counter(figure.where(kind: {})).display(callout-numbering)}}",
        quoted(&kind_name(kind))
    )
}
