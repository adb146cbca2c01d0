//! Content that only some formats have.

use serde_json::Value;

use super::Context;
use crate::{
    formats::Family,
    model::{Attr, Block, Inline, Rewrite},
};

/// Leaves out what the format or the metadata rules out.
pub(super) fn apply(blocks: Vec<Block>, context: &Context<'_>) -> Vec<Block> {
    Visible { context }.rewrite(blocks)
}

struct Visible<'a, 'c> {
    context: &'a Context<'c>,
}

/// What becomes of content with attributes.
enum Verdict {
    Unconditional,
    Kept,
    Left,
}

impl Visible<'_, '_> {
    fn verdict(&self, attr: &Attr) -> Verdict {
        let (shown, hidden) = (attr.has_class("content-visible"), attr.has_class("content-hidden"));
        if !shown && !hidden {
            return Verdict::Unconditional;
        }
        let context = self.context;
        let is = |what: &str, value: &str| match what {
            "format" => is_format(context, value),
            "meta" => context.metadata.at(value).is_some_and(is_true),
            _ => false,
        };
        // Several values of one condition are alternatives.
        let any = |key: &str, what: &str| {
            let mut values = attr.pairs.iter().filter(|(name, _)| name == key).peekable();
            values.peek().is_some().then(|| values.any(|(_, value)| is(what, value)))
        };
        let holds = ["format", "meta", "profile"].into_iter().all(|what| {
            any(&format!("when-{what}"), what).unwrap_or(true)
                && !any(&format!("unless-{what}"), what).unwrap_or(false)
        });
        if holds == shown { Verdict::Kept } else { Verdict::Left }
    }
}

fn is_true(value: &Value) -> bool {
    !matches!(value, Value::Null | Value::Bool(false)) && value.as_str() != Some("false")
}

/// Whether the format has one of these names, or belongs to formats of this name.
fn is_format(context: &Context<'_>, name: &str) -> bool {
    let (format, family) = (context.format, context.family());
    let id = format.id.as_str();
    match name {
        _ if name == id || format.aliases.iter().any(|alias| alias == name) => true,
        "html" => matches!(family, Family::Html | Family::Epub),
        "html:js" => family == Family::Html,
        "latex" => family == Family::Latex,
        "pdf" => format.pdf || matches!(id, "latex" | "beamer"),
        "markdown" => matches!(family, Family::Markdown),
        "commonmark" => id == "gfm",
        "hugo" => id == "hugo-md",
        "docusaurus" => id == "docusaurus-md",
        "jats" => family == Family::Jats,
        "office" => matches!(family, Family::Docx | Family::Pptx | Family::Odt),
        _ => false,
    }
}

/// Removes what conditions are written with.
fn without_conditions(attr: &mut Attr) {
    attr.classes.retain(|class| class != "content-visible" && class != "content-hidden");
    attr.pairs.retain(|(key, _)| !key.starts_with("when-") && !key.starts_with("unless-"));
}

impl Rewrite for Visible<'_, '_> {
    fn rewrite(&mut self, blocks: Vec<Block>) -> Vec<Block> {
        let mut out = Vec::with_capacity(blocks.len());
        for block in blocks {
            match block {
                Block::Div(mut attr, inner) => match self.verdict(&attr) {
                    Verdict::Left => {}
                    Verdict::Kept => {
                        let inner = self.rewrite(inner);
                        without_conditions(&mut attr);
                        if attr.is_empty() { out.extend(inner) } else { out.push(Block::Div(attr, inner)) }
                    }
                    Verdict::Unconditional => out.push(Block::Div(attr, self.rewrite(inner))),
                },
                Block::Header(_, ref attr, _) if matches!(self.verdict(attr), Verdict::Left) => {}
                Block::Header(level, mut attr, inner) => {
                    without_conditions(&mut attr);
                    out.push(Block::Header(level, attr, self.rewrite_inlines(inner)));
                }
                Block::Code(ref attr, _) if matches!(self.verdict(attr), Verdict::Left) => {}
                other => out.push(self.block(other)),
            }
        }
        out
    }

    fn inlines(&mut self, inlines: Vec<Inline>) -> Vec<Inline> {
        let mut out = Vec::with_capacity(inlines.len());
        for inline in inlines {
            match inline {
                Inline::Span(mut attr, inner) => match self.verdict(&attr) {
                    Verdict::Left => {}
                    Verdict::Kept => {
                        without_conditions(&mut attr);
                        if attr.is_empty() { out.extend(inner) } else { out.push(Inline::Span(attr, inner)) }
                    }
                    Verdict::Unconditional => out.push(Inline::Span(attr, inner)),
                },
                other => out.push(other),
            }
        }
        out
    }
}
