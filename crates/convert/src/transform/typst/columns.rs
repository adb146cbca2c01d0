//! What is in the margin of a page, or wider than its text.

use super::{code, line};
use crate::{
    model::{Attr, Block, Inline, Rewrite},
    transform::Context,
};

/// How a note is placed in the margin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Margin {
    alignment: String,
    /// How far it is moved down.
    dy: String,
    /// How it is moved where notes overlap.
    shift: String,
}

impl Margin {
    /// What the attributes of content in the margin say, which are removed; nothing for other content.
    pub(super) fn take(attr: &mut Attr) -> Option<Self> {
        let is_note = |class: &String| matches!(class.as_str(), "column-margin" | "aside");
        if !attr.classes.iter().any(is_note) {
            return None;
        }
        attr.classes.retain(|class| !is_note(class));
        let word = |value: &String| {
            value.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'%'))
        };
        let mut value = |key: &str, default: &str| {
            attr.take(key)
                .filter(word)
                .filter(|value| !value.is_empty())
                .unwrap_or_else(|| default.to_owned())
        };
        Some(Self {
            alignment: value("alignment", "baseline"),
            dy: value("dy", "0pt"),
            shift: value("shift", "auto"),
        })
    }

    /// The arguments of a note.
    pub(super) fn arguments(&self) -> String {
        let Self { alignment, dy, shift } = self;
        let shift = match shift.as_str() {
            "true" | "false" | "auto" => shift.clone(),
            other => format!("\"{other}\""),
        };
        format!("alignment: \"{alignment}\", dy: {dy}, shift: {shift}, counter: none")
    }

    pub(super) fn open(&self) -> Block {
        line(format!("#note({})[", self.arguments()))
    }
}

/// The side to which content is as wide as the page.
pub(super) fn wide_side(attr: &Attr) -> Option<&'static str> {
    attr.classes.iter().find_map(|class| match class.as_str() {
        "column-page-right" | "column-screen-right" => Some("outer"),
        "column-page-left" | "column-screen-left" => Some("inner"),
        "column-page" | "column-screen" => Some("both"),
        _ => None,
    })
}

/// The call that makes content wider than the text.
fn wide_call(attr: &Attr) -> Option<String> {
    if let Some(side) = wide_side(attr) {
        return Some(format!("#wideblock(side: \"{side}\")["));
    }
    attr.classes.iter().find_map(|class| {
        if class == "column-screen-inset-shaded" {
            return Some("#column-screen-inset-shaded[".to_owned());
        }
        ["column-body-outset", "column-page-inset", "column-screen-inset"].into_iter().find_map(|name| {
            let side = match class.strip_prefix(name)? {
                "" => "both",
                "-left" => "inner",
                "-right" => "outer",
                _ => return None,
            };
            Some(format!("#{name}(side: \"{side}\")["))
        })
    })
}

pub(super) fn apply(blocks: Vec<Block>, context: &mut Context<'_>) -> Vec<Block> {
    let metadata = context.metadata;
    if metadata.text("reference-location") == Some("margin") {
        context.preamble("#show footnote: it => column-sidenote(it.body)");
    }
    let is_margin = metadata.text("citation-location") == Some("margin");
    Columns { cites: is_margin && context.native_citations }.rewrite(blocks)
}

struct Columns {
    /// Whether works that are cited are described in the margin.
    cites: bool,
}

impl Rewrite for Columns {
    fn blocks(&mut self, blocks: Vec<Block>) -> Vec<Block> {
        let mut out = Vec::with_capacity(blocks.len());
        for block in blocks {
            let Block::Div(mut attr, inner) = block else {
                out.push(block);
                continue;
            };
            if attr.has_class(super::GROUP) {
                out.extend(inner);
                continue;
            }
            if let Some(margin) = Margin::take(&mut attr) {
                out.push(margin.open());
                out.extend(inner);
                out.push(line("]"));
                continue;
            }
            match wide_call(&attr) {
                Some(call) => {
                    attr.classes.retain(|class| !class.starts_with("column-"));
                    out.push(line(call));
                    if attr.is_empty() {
                        out.extend(inner);
                    } else {
                        out.push(Block::Div(attr, inner));
                    }
                    out.push(line("]\n"));
                }
                None => out.push(Block::Div(attr, inner)),
            }
        }
        out
    }

    fn inlines(&mut self, inlines: Vec<Inline>) -> Vec<Inline> {
        let mut out = Vec::with_capacity(inlines.len());
        for inline in inlines {
            if let (true, Inline::Cite(citations, _)) = (self.cites, &inline) {
                let is_word = |key: &&str| !key.contains(['<', '>', '[', ']', ' ']);
                let works: Vec<String> = citations
                    .iter()
                    .map(|citation| citation.key.as_str())
                    .filter(is_word)
                    .map(|key| format!("#cite(<{key}>, form: \"full\")"))
                    .collect();
                let note =
                    "#note(alignment: \"baseline\", shift: auto, counter: none)[#set text(size: 0.85em)\n";
                out.push(inline);
                out.push(code(format!("{note}{}]", works.join("\n"))));
                continue;
            }
            let Inline::Span(mut attr, inner) = inline else {
                out.push(inline);
                continue;
            };
            match Margin::take(&mut attr) {
                Some(margin) => {
                    out.push(code(format!("#note({})[", margin.arguments())));
                    out.extend(inner);
                    out.push(code("]"));
                }
                None => out.push(Inline::Span(attr, inner)),
            }
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_have_only_words_as_arguments() {
        let mut attr = Attr::class("column-margin").with("shift", "avoid").with("dy", "1pt); #read(\"x\"");
        let margin = Margin::take(&mut attr).map(|margin| margin.arguments());
        let expected = "alignment: \"baseline\", dy: 0pt, shift: \"avoid\", counter: none";
        assert_eq!(margin.as_deref(), Some(expected));
        assert_eq!(Margin::take(&mut Attr::class("column-page")), None);
    }

    #[test]
    fn wide_content_has_a_side() {
        let call = |class: &str| wide_call(&Attr::class(class));
        assert_eq!(call("column-page-right").as_deref(), Some("#wideblock(side: \"outer\")["));
        assert_eq!(call("column-body-outset-left").as_deref(), Some("#column-body-outset(side: \"inner\")["));
        assert_eq!(call("column-screen-inset-shaded").as_deref(), Some("#column-screen-inset-shaded["));
        assert_eq!(call("columns"), None);
    }
}
