//! Pages about a person or a project: `about: {template: …, image: …, links: …}`.

use std::fmt::Write as _;

use serde_json::Value;

use super::{blocks::is_script, escape::escape};
use crate::{
    metadata::{Metadata, scalar},
    model::{Attr, Block, Place},
};

/// The layouts of pages that introduce a person or a project.
const TEMPLATES: [&str; 5] = ["jolla", "trestles", "solana", "marquee", "broadside"];

/// The blocks with the part that introduces a person or a project marked: the div that `about.id` names, or all of them.
pub(super) fn applied(
    blocks: &[Block],
    metadata: &Metadata,
    image: &dyn Fn(&str) -> Option<String>,
) -> Option<Vec<Block>> {
    let named = metadata.text("about.template").or_else(|| metadata.text("about"))?;
    let template = TEMPLATES.into_iter().find(|template| *template == named)?;
    let classes = format!("quarto-about-{template} column-body");
    let entity = entity(metadata, image);
    let with_entity = |inner: Vec<Block>| entity.clone().into_iter().chain(inner).collect::<Vec<_>>();
    let Some(id) = metadata.text("about.id") else {
        return Some(vec![Block::Div(Attr::classes(&classes), with_entity(blocks.to_vec()))]);
    };
    let mark = |block: &Block| match block {
        Block::Div(attr, inner) if attr.id == id => {
            let mut attr = attr.clone();
            attr.classes.extend(classes.split(' ').map(str::to_owned));
            Block::Div(attr, with_entity(inner.clone()))
        }
        other => other.clone(),
    };
    Some(blocks.iter().map(mark).collect())
}

/// The picture and the links.
fn entity(metadata: &Metadata, image: &dyn Fn(&str) -> Option<String>) -> Option<Block> {
    let mut text = String::new();
    let picture = metadata.text("about.image").or_else(|| metadata.text("image"));
    if let Some(path) = picture.filter(|path| !is_script(path)) {
        let alt = metadata.text("about.image-alt").or_else(|| metadata.text("image-alt")).unwrap_or_default();
        let shape = match metadata.text("about.image-shape") {
            Some("rectangle") => "",
            Some("rounded") => " rounded",
            _ => " round",
        };
        let source = image(path).unwrap_or_else(|| path.to_owned());
        let _ = writeln!(
            text,
            "<img src=\"{}\" class=\"about-image{shape}\" alt=\"{}\">",
            escape(&source),
            escape(alt)
        );
    }
    if let Some(Value::Array(links)) = metadata.at("about.links") {
        text.push_str("<div class=\"about-links\">\n");
        for link in links {
            let field = |key: &str| link.get(key).and_then(scalar);
            let Some(href) = field("href").filter(|href| !is_script(href)) else { continue };
            let words = field("text").unwrap_or_else(|| href.clone());
            let _ = writeln!(
                text,
                "<a href=\"{}\" class=\"about-link\" rel=\"me\"><span class=\"about-link-text\">{}</span></a>",
                escape(&href),
                escape(&words)
            );
        }
        text.push_str("</div>\n");
    }
    if text.is_empty() {
        return None;
    }
    let raw = Block::Raw { format: "html".to_owned(), text, place: Place::default() };
    Some(Block::Div(Attr::class("about-entity"), vec![raw]))
}
