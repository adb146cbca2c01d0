//! Jupyter notebooks: cells of Markdown and of code that has not been executed (nbformat 4.5).

use serde_json::{Map, Value, json};

use super::{
    markdown::{self, Dialect, Writer},
    metadata::Metadata,
    model::{Attr, Block},
};
use crate::budget;

/// Languages of cells, with the name of the kernel that Jupyter knows them by and its title.
const KERNELS: [(&str, &str, &str); 3] =
    [("python", "python3", "Python 3"), ("r", "ir", "R"), ("julia", "julia", "Julia")];

/// A document as a notebook. Code cells are those of the language of the first one; others are shown as code.
pub(crate) fn write(blocks: &[Block], metadata: &Metadata) -> String {
    let mut flat = Vec::with_capacity(blocks.len());
    flatten(blocks, &mut flat);
    let language = flat.iter().find_map(|block| cell(block)).map(|(language, _)| language.to_owned());
    let mut writer = Writer::new(blocks, Dialect::NOTEBOOK);
    let mut cells = Vec::new();
    let heading = markdown::heading(&mut writer, metadata);
    push(&mut cells, "markdown", &heading);
    let mut from = 0;
    for (index, block) in flat.iter().enumerate() {
        if !budget::is_left() {
            break;
        }
        let Some((name, code)) = cell(block) else { continue };
        if Some(name) != language.as_deref() {
            continue;
        }
        let text = writer.blocks(&flat[from..index]);
        budget::allocate(2 * text.len());
        push(&mut cells, "markdown", &text);
        push(&mut cells, "code", code);
        from = index + 1;
    }
    let text = writer.blocks(&flat[from..]);
    budget::allocate(2 * text.len());
    push(&mut cells, "markdown", &text);
    let notes = writer.footnotes();
    push(&mut cells, "markdown", &notes);
    let notebook = json!({
        "cells": cells,
        "metadata": kernel(language.as_deref()),
        "nbformat": 4,
        "nbformat_minor": 5,
    });
    let mut out = serde_json::to_string_pretty(&notebook).unwrap_or_default();
    out.push('\n');
    out
}

fn kernel(language: Option<&str>) -> Value {
    let Some(language) = language else { return json!({}) };
    let known = KERNELS.iter().find(|(name, ..)| *name == language);
    let (name, title) = known.map_or((language, language), |(_, name, title)| (*name, *title));
    json!({
        "kernelspec": {"display_name": title, "language": language, "name": name},
        "language_info": {"name": language},
    })
}

/// Adds a cell, unless it is empty. Identifiers are numbers, so that the same document gives the same bytes.
fn push(cells: &mut Vec<Value>, kind: &str, text: &str) {
    if text.is_empty() {
        return;
    }
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let mut cell = Map::new();
    cell.insert("cell_type".to_owned(), json!(kind));
    cell.insert("id".to_owned(), json!(format!("cell-{}", cells.len() + 1)));
    cell.insert("metadata".to_owned(), json!({}));
    if kind == "code" {
        cell.insert("execution_count".to_owned(), Value::Null);
        cell.insert("outputs".to_owned(), json!([]));
    }
    cell.insert("source".to_owned(), json!(lines));
    cells.push(Value::Object(cell));
}

/// The language and code of a cell.
fn cell(block: &Block) -> Option<(&str, &str)> {
    match block {
        Block::Code(attr, code) if attr.has_class("cell-code") && attr.get("shown").is_none() => {
            Some((attr.classes.first()?, code))
        }
        _ => None,
    }
}

/// Blocks with the content of divs that hold cells in their place: a cell of a notebook is in nothing else.
fn flatten(blocks: &[Block], out: &mut Vec<Block>) {
    for block in blocks {
        match block {
            Block::Div(attr, inner) if inner.iter().any(|block| cell(block).is_some()) => {
                if !attr.id.is_empty() {
                    out.push(Block::Div(Attr { id: attr.id.clone(), ..Attr::default() }, vec![]));
                }
                flatten(inner, out);
            }
            other => out.push(other.clone()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::words;

    #[test]
    fn cells_of_code_are_cells_and_the_rest_is_markdown() {
        let code = |language: &str, text: &str| {
            Block::Code(Attr::classes(&format!("{language} cell-code")), text.to_owned())
        };
        let blocks = [
            Block::Para(words("Before *it*")),
            Block::Div(Attr::default().with_id("fig-a"), vec![code("python", "print(1)\nprint(2)")]),
            code("r", "1"),
            Block::Para(words("After")),
        ];
        let notebook: Value = serde_json::from_str(&write(
            &blocks,
            &Metadata::new(json!({}), json!({}), &[], crate::formats::named("ipynb").unwrap()),
        ))
        .unwrap();
        let cells: Vec<(&str, String)> = notebook["cells"]
            .as_array()
            .unwrap()
            .iter()
            .map(|cell| {
                let lines = cell["source"].as_array().unwrap().iter().map(|line| line.as_str().unwrap());
                (cell["cell_type"].as_str().unwrap(), lines.collect())
            })
            .collect();
        let expected = [
            ("markdown", "Before \\*it\\*\n\n<div id=\"fig-a\">\n\n</div>".to_owned()),
            ("code", "print(1)\nprint(2)".to_owned()),
            ("markdown", "``` r\n1\n```\n\nAfter".to_owned()),
        ];
        assert_eq!(cells, expected);
        assert_eq!(notebook["metadata"]["kernelspec"]["name"], "python3");
    }
}
