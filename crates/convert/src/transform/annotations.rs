//! Annotations of code: `<1>` at the end of a line, explained by the list below the code.

use super::Context;
use crate::{
    formats::Family,
    model::{Attr, Block, Inline, Rewrite, words},
    syntax::pandoc::annotated,
};

/// Connects annotated code with the list that explains it.
pub(super) fn apply(blocks: Vec<Block>, context: &Context<'_>) -> Vec<Block> {
    if context.metadata.at("code-annotations").is_some_and(|value| value.as_bool() == Some(false)) {
        return blocks;
    }
    Annotations { context, cells: 0 }.rewrite(blocks)
}

struct Annotations<'a, 'c> {
    context: &'a Context<'c>,
    cells: u32,
}

impl Annotations<'_, '_> {
    /// Code with its annotations, and whether it has any.
    fn code(&mut self, attr: &Attr, text: &str) -> Option<(Block, Vec<(u32, usize)>)> {
        if attr.classes.is_empty() {
            return None;
        }
        let mut found = Vec::new();
        let lines: Vec<String> = text
            .lines()
            .enumerate()
            .map(|(index, line)| match annotated(line) {
                Some((code, numbers)) => {
                    found.extend(numbers.iter().map(|number| (*number, index + 1)));
                    match self.context.family() {
                        Family::Asciidoc => {
                            let marks: String = numbers.iter().map(|number| format!(" <{number}>")).collect();
                            format!("{code}{marks}")
                        }
                        _ => code.to_owned(),
                    }
                }
                None => line.to_owned(),
            })
            .collect();
        if found.is_empty() {
            return None;
        }
        self.cells += 1;
        let mut attr = attr.clone();
        if self.context.is_html() {
            if attr.id.is_empty() {
                attr.id = format!("annotated-cell-{}", self.cells);
            }
            attr.classes.extend(["code-annotation-code".to_owned(), "code-annotated".to_owned()]);
            let marks: Vec<String> = found.iter().map(|(number, line)| format!("{line}:{number}")).collect();
            attr.pairs.push(("annotations".to_owned(), marks.join(" ")));
        }
        Some((Block::Code(attr, lines.join("\n")), found))
    }

    /// What names the lines of an explanation where the code shows no marks: `Line 3`, `Lines 1,2`.
    fn lines(&self, lines: &str) -> String {
        let (key, default) =
            if lines.contains(',') { ("code-lines", "Lines") } else { ("code-line", "Line") };
        let named = self.context.metadata.words(&format!("language.{key}")).unwrap_or(default);
        format!("{named} {lines}")
    }

    /// The explanations of annotated code.
    fn explained(&self, id: &str, items: Vec<Vec<Block>>, found: &[(u32, usize)]) -> Block {
        let explanation = |item: Vec<Block>| match item.into_iter().next() {
            Some(Block::Plain(inlines) | Block::Para(inlines)) => inlines,
            _ => Vec::new(),
        };
        let on_demand = matches!(self.context.metadata.text("code-annotations"), Some("select" | "hover"));
        let place = crate::model::Place::default();
        let raw = |text: String| Block::Raw { format: "html".to_owned(), text, place };
        let hidden = if on_demand { "code-annotation-container-hidden " } else { "" };
        let mut list = Vec::new();
        let mut html = vec![raw(format!("<dl class=\"{hidden}code-annotation-container-grid\">"))];
        for (item, number) in items.into_iter().zip(1_u32..) {
            let lines: Vec<String> =
                found.iter().filter(|(own, _)| *own == number).map(|(_, line)| line.to_string()).collect();
            let lines = lines.join(",");
            let explanation = explanation(item);
            if !self.context.is_html() {
                list.push((words(&self.lines(&lines)), vec![vec![Block::Plain(explanation)]]));
                continue;
            }
            if self.context.format.slides {
                let target =
                    Attr::default().with("target-cell", id).with("target-annotation", number.to_string());
                let term = Inline::span(target, words(&number.to_string()));
                let own = Attr::default().with("code-cell", id).with("code-lines", lines);
                let own = own.with("code-annotation", number.to_string());
                list.push((vec![term], vec![vec![Block::Plain(vec![Inline::span(own, explanation)])]]));
                continue;
            }
            let cell = crate::html::escape(id);
            html.push(raw(format!(
                "<dt data-target-cell=\"{cell}\" data-target-annotation=\"{number}\">{number}</dt>\n<dd>"
            )));
            let attr = Attr::default()
                .with("code-cell", id)
                .with("code-lines", lines)
                .with("code-annotation", number.to_string());
            html.push(Block::Plain(vec![Inline::span(attr, explanation)]));
            html.push(raw("</dd>".to_owned()));
        }
        if !self.context.is_html() {
            return Block::DefinitionList(list);
        }
        let order = if on_demand { "nonincremental" } else { "" };
        // The items of slides may appear one by one.
        if self.context.format.slides {
            let classes = format!("cell-annotation code-annotation-container-grid {order}");
            return Block::Div(Attr::classes(&classes), vec![Block::DefinitionList(list)]);
        }
        html.push(raw("</dl>".to_owned()));
        Block::Div(Attr::class("cell-annotation"), html)
    }
}

impl Rewrite for Annotations<'_, '_> {
    fn blocks(&mut self, blocks: Vec<Block>) -> Vec<Block> {
        let mut out: Vec<Block> = Vec::with_capacity(blocks.len());
        let mut open: Option<(String, Vec<(u32, usize)>)> = None;
        for block in blocks {
            let is_cell = matches!(&block, Block::Div(attr, _) if attr.has_class("cell"));
            match block {
                Block::Code(attr, text) => match self.code(&attr, &text) {
                    Some((code, found)) => {
                        let id =
                            if let Block::Code(attr, _) = &code { attr.id.clone() } else { String::new() };
                        open = Some((id, found));
                        out.push(code);
                    }
                    None => {
                        open = None;
                        out.push(Block::Code(attr, text));
                    }
                },
                Block::OrderedList(numbering, items) => match open.take() {
                    Some(_) if self.context.family() == Family::Asciidoc => {
                        for (item, number) in items.into_iter().zip(1_u32..) {
                            let mark = Inline::Raw {
                                format: "asciidoc".to_owned(),
                                text: format!("<{number}> "),
                                place: crate::model::Place::default(),
                            };
                            if let Some(Block::Plain(inlines) | Block::Para(inlines)) =
                                item.into_iter().next()
                            {
                                let mut all = vec![mark];
                                all.extend(inlines);
                                out.push(Block::Para(all));
                            }
                        }
                    }
                    Some((id, found)) => out.push(self.explained(&id, items, &found)),
                    None => out.push(Block::OrderedList(numbering, items)),
                },
                Block::Div(attr, inner) if is_cell => {
                    // The code of a cell was rewritten with its div.
                    open = inner.iter().find_map(|block| match block {
                        Block::Code(attr, _) => {
                            attr.get("annotations").map(|marks| (attr.id.clone(), read(marks)))
                        }
                        _ => None,
                    });
                    out.push(Block::Div(attr, inner));
                }
                other => {
                    open = None;
                    out.push(other);
                }
            }
        }
        out
    }
}

fn read(marks: &str) -> Vec<(u32, usize)> {
    let pairs = marks.split(' ').filter_map(|mark| mark.split_once(':'));
    pairs.filter_map(|(line, number)| Some((number.parse().ok()?, line.parse().ok()?))).collect()
}
