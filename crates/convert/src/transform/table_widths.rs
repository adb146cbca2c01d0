//! Widths of columns that a table, the div around it, or the document sets: `tbl-colwidths`.

use serde_json::Value;

use super::Context;
use crate::model::{Block, Rewrite, Table};

/// Gives tables the widths that are set for their columns.
pub(super) fn apply(blocks: Vec<Block>, context: &Context<'_>) -> Vec<Block> {
    let of_document = context.metadata.at("tbl-colwidths").and_then(listed);
    Widths { current: of_document }.rewrite(blocks)
}

struct Widths {
    current: Option<Vec<f64>>,
}

/// A list of percentages.
fn listed(value: &Value) -> Option<Vec<f64>> {
    let widths: Option<Vec<f64>> = value.as_array()?.iter().map(Value::as_f64).collect();
    widths.filter(|widths| !widths.is_empty() && widths.iter().all(|width| *width > 0.0 && *width <= 100.0))
}

fn read(text: &str) -> Option<Vec<f64>> {
    listed(&serde_json::from_str(text).ok()?)
}

impl Widths {
    fn table(&self, table: &mut Table) {
        let own = table.attr.take("tbl-colwidths");
        let widths = own.as_deref().and_then(read).or_else(|| self.current.clone());
        if own.as_deref() == Some("auto") {
            table.widths = vec![None; table.alignments.len()];
        } else if let Some(widths) = widths.filter(|widths| widths.len() == table.alignments.len()) {
            table.widths = widths.into_iter().map(|width| Some(width / 100.0)).collect();
        }
    }
}

impl Rewrite for Widths {
    fn rewrite(&mut self, blocks: Vec<Block>) -> Vec<Block> {
        let mut out = Vec::with_capacity(blocks.len());
        for block in blocks {
            match block {
                Block::Div(mut attr, inner) if attr.get("tbl-colwidths").is_some() => {
                    let own = attr.take("tbl-colwidths").as_deref().and_then(read);
                    let around = std::mem::replace(&mut self.current, own);
                    let inner = self.rewrite(inner);
                    self.current = around;
                    out.push(Block::Div(attr, inner));
                }
                Block::Table(mut table) => {
                    self.table(&mut table);
                    out.push(self.block(Block::Table(table)));
                }
                other => out.push(self.block(other)),
            }
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reader::read_text;

    fn widths(current: Option<Vec<f64>>, text: &str) -> Vec<Vec<Option<f64>>> {
        let mut found = Vec::new();
        for block in (Widths { current }).rewrite(read_text(text, true)) {
            let inner = if let Block::Div(_, inner) = block { inner } else { vec![block] };
            found.extend(inner.into_iter().filter_map(|block| match block {
                Block::Table(table) => Some(table.widths),
                _ => None,
            }));
        }
        found
    }

    #[test]
    fn table_wins_over_its_div_and_the_document() {
        let table = "| a | b |\n|---|---|\n| 1 | 2 |\n";
        let own = format!("{table}\n: T {{tbl-colwidths=\"[75,25]\"}}\n");
        let div = format!("::: {{tbl-colwidths=\"[40,60]\"}}\n\n{table}\n:::\n");
        let document = Some(vec![10.0, 90.0]);
        assert_eq!(widths(document.clone(), &own), [[Some(0.75), Some(0.25)]]);
        assert_eq!(widths(document.clone(), &div), [[Some(0.4), Some(0.6)]]);
        assert_eq!(widths(document, table), [[Some(0.1), Some(0.9)]]);
        assert_eq!(widths(Some(vec![100.0]), table), [[None, None]], "the numbers of columns differ");
    }
}
