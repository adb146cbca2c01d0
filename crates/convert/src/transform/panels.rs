//! Tabsets, and figures side by side.

use super::{Context, LossKind, latex, typst};
use crate::{
    formats::Family,
    model::{Alignment, Attr, Block, Cell, Inline, Place, Rewrite, Table, identifier, plain},
};

/// Replaces tabsets and layouts by what the format shows.
pub(super) fn apply(blocks: Vec<Block>, context: &mut Context<'_>) -> Vec<Block> {
    Panels { context, tabsets: 0 }.rewrite(blocks)
}

struct Panels<'a, 'c> {
    context: &'a mut Context<'c>,
    tabsets: u32,
}

/// A tab: its title and its content.
struct Tab {
    title: Vec<Inline>,
    attr: Attr,
    content: Vec<Block>,
}

/// The content of a tabset above its first heading, and its tabs.
fn tabs(inner: Vec<Block>) -> (Vec<Block>, Vec<Tab>) {
    let level = inner.iter().find_map(|block| match block {
        Block::Header(level, ..) => Some(*level),
        _ => None,
    });
    let (mut before, mut tabs): (Vec<Block>, Vec<Tab>) = (Vec::new(), Vec::new());
    for block in inner {
        match block {
            Block::Header(found, attr, title) if Some(found) == level => {
                tabs.push(Tab { title, attr, content: Vec::new() });
            }
            other => match tabs.last_mut() {
                Some(tab) => tab.content.push(other),
                None => before.push(other),
            },
        }
    }
    (before, tabs)
}

impl Panels<'_, '_> {
    fn tabset(&mut self, attr: Attr, inner: Vec<Block>) -> Vec<Block> {
        self.tabsets += 1;
        let number = self.tabsets;
        let (before, tabs) = tabs(inner);
        if tabs.is_empty() {
            return vec![Block::Div(attr, before)];
        }
        if self.context.format.id == "docusaurus-md" {
            return Self::docusaurus(attr.place, number, before, tabs);
        }
        if self.context.family() != Family::Html {
            self.context.lose(LossKind::Simplified, attr.place, "tabset");
            let mut out = before;
            for tab in tabs {
                out.push(Block::Para(vec![Inline::Strong(tab.title)]));
                out.extend(tab.content);
            }
            return out;
        }
        let place = attr.place;
        let raw = |text: String| Block::Raw { format: "html".to_owned(), text, place };
        let active = tabs.iter().position(|tab| tab.attr.has_class("active")).unwrap_or(0);
        let mut out = before;
        let mut titles = vec![raw("<ul class=\"nav nav-tabs\" role=\"tablist\">".to_owned())];
        let mut panes = Vec::new();
        for (index, tab) in tabs.into_iter().enumerate() {
            let id = format!("tabset-{number}-{}", index + 1);
            let (class, selected) = if index == active { (" active", "true") } else { ("", "false") };
            titles.push(raw(format!(
                "<li class=\"nav-item\" role=\"presentation\"><a class=\"nav-link{class}\" id=\"{id}-tab\" data-bs-toggle=\"tab\" \
                 data-bs-target=\"#{id}\" role=\"tab\" aria-controls=\"{id}\" aria-selected=\"{selected}\" href=\"#{id}\">"
            )));
            let own = if tab.attr.id.is_empty() { identifier(&tab.title) } else { tab.attr.id.clone() };
            titles.push(Block::Plain(tab.title));
            titles.push(raw("</a></li>".to_owned()));
            let pane = Attr::classes(&format!("tab-pane{class}")).with_id(id.clone());
            let pane =
                pane.with("tab", own).with("role", "tabpanel").with("aria-labelledby", format!("{id}-tab"));
            panes.push(Block::Div(pane, tab.content));
        }
        titles.push(raw("</ul>".to_owned()));
        out.extend(titles);
        let group = attr.get("group").map(str::to_owned);
        let content = Attr::class("tab-content");
        let content = match group {
            Some(group) => content.with("group", group),
            None => content,
        };
        out.push(Block::Div(content, panes));
        vec![Block::Div(Attr { classes: attr.classes, id: attr.id, pairs: attr.pairs, place }, out)]
    }

    /// The tabs of Docusaurus, which are components of React.
    fn docusaurus(place: Place, number: u32, before: Vec<Block>, tabs: Vec<Tab>) -> Vec<Block> {
        let raw = |text: String| Block::Raw { format: "markdown".to_owned(), text, place };
        let mut out = before;
        if number == 1 {
            let imports = "import Tabs from '@theme/Tabs';\nimport TabItem from '@theme/TabItem';";
            out.push(raw(imports.to_owned()));
        }
        out.push(raw("<Tabs>".to_owned()));
        for tab in tabs {
            let label = crate::html::escape(&plain(&tab.title));
            let value = crate::html::escape(&identifier(&tab.title));
            out.push(raw(format!("<TabItem value=\"{value}\" label=\"{label}\">")));
            out.extend(tab.content);
            out.push(raw("</TabItem>".to_owned()));
        }
        out.push(raw("</Tabs>".to_owned()));
        out
    }

    /// Parts side by side: rows of a grid in web pages, one below the other elsewhere.
    #[allow(clippy::too_many_lines, reason = "one part per kind of format")]
    fn layout(&mut self, mut attr: Attr, inner: Vec<Block>) -> Vec<Block> {
        let written_layout: Vec<(String, String)> =
            attr.pairs.iter().filter(|(key, _)| key.starts_with("layout")).cloned().collect();
        let columns = attr.take("layout-ncol").and_then(|n| n.parse::<usize>().ok());
        let rows = attr.take("layout-nrow").and_then(|n| n.parse::<usize>().ok());
        let grid = attr.take("layout");
        let attr_valign = attr.get("layout-valign").map(str::to_owned);
        attr.pairs.retain(|(key, _)| !key.starts_with("layout"));
        if self.context.family() == Family::Pptx {
            return self.beside(attr, inner);
        }
        if !matches!(
            self.context.family(),
            Family::Html | Family::Latex | Family::Typst | Family::Docx | Family::Odt
        ) {
            self.context.lose(LossKind::Simplified, attr.place, "layout");
            if attr.is_empty() {
                return inner;
            }
            return vec![Block::Div(attr, inner)];
        }
        let parts: Vec<Block> = inner.into_iter().flat_map(separate).collect();
        // The width of a picture is that of its cell at most; its height follows.
        let parts = if self.context.is_html() { Heights.rewrite(parts) } else { parts };
        if self.context.family() == Family::Typst && attr.has_class("in-float") {
            let shape = shape(grid.as_deref(), columns, rows, parts.len());
            return typst::parts_grid(shape.first().map_or(1, Vec::len), parts);
        }
        if self.context.family() == Family::Typst {
            let shape = written(grid.as_deref()).unwrap_or_else(|| {
                let row =
                    |row: Vec<f64>| row.into_iter().map(|width| (width < 0.0, fraction(width))).collect();
                let mut rows: Vec<Vec<(bool, String)>> =
                    shape(grid.as_deref(), columns, rows, parts.len()).into_iter().map(row).collect();
                // A picture with a width gives it to its column.
                let widths = parts.iter().map(picture_width);
                for ((_, width), own) in rows.iter_mut().flatten().filter(|(gap, _)| !gap).zip(widths) {
                    if let Some(own) = own.filter(|_| grid.is_none()) {
                        *width = own;
                    }
                }
                rows
            });
            let mut parts = parts.into_iter();
            let mut rows = Vec::new();
            for widths in shape {
                let row: Vec<(String, Option<Block>)> = widths
                    .into_iter()
                    .map(|(is_gap, width)| (width, if is_gap { None } else { parts.next() }))
                    .collect();
                if row.iter().any(|(_, part)| part.is_some()) {
                    rows.push(row);
                }
            }
            let mut out = typst::grid(rows);
            out.extend(parts);
            return if attr.is_empty() { out } else { vec![Block::Div(attr, out)] };
        }
        let shape = shape(grid.as_deref(), columns, rows, parts.len());
        let mut parts = parts.into_iter();
        let mut rows: Vec<Vec<(f64, Option<Block>)>> = Vec::new();
        for widths in shape {
            let total: f64 = widths.iter().map(|width| width.abs()).sum();
            let mut row = Vec::new();
            for width in widths {
                let share = width.abs() / total;
                if width < 0.0 {
                    row.push((share, None));
                } else if let Some(part) = parts.next() {
                    row.push((share, Some(part)));
                }
            }
            if !row.is_empty() {
                rows.push(row);
            }
        }
        if self.context.family() == Family::Latex {
            let in_float = attr.has_class("in-float");
            attr.classes.retain(|class| class != "in-float");
            let mut out = latex::side_by_side(rows, in_float, self.context);
            out.extend(parts);
            return if attr.is_empty() { out } else { vec![Block::Div(attr, out)] };
        }
        if matches!(self.context.family(), Family::Docx | Family::Odt) {
            let mut out = frames(rows);
            out.extend(parts);
            return if attr.is_empty() { out } else { vec![Block::Div(attr, out)] };
        }
        let parent = attr.take("ref-parent");
        let vertical = match attr_valign.as_deref() {
            Some("center") => "center",
            Some("bottom") => "flex-end",
            _ => "flex-start",
        };
        let cell = |(share, part): (f64, Option<Block>)| {
            let style = format!("flex-basis: {:.1}%;justify-content: {vertical};", share * 100.0);
            let Some(part) = part else {
                let space = Block::Para(vec![Inline::Str("\u{a0}".to_owned())]);
                return Block::Div(
                    Attr::classes("quarto-figure-spacer quarto-layout-cell").with("style", style),
                    vec![space],
                );
            };
            let is_float = matches!(&part, Block::Div(own, _) if own.has_class("quarto-float"));
            let own = match parent.as_deref().filter(|_| is_float) {
                Some(parent) => {
                    Attr::classes("quarto-layout-cell-subref quarto-layout-cell").with("ref-parent", parent)
                }
                None => Attr::class("quarto-layout-cell"),
            };
            let part = if let (Some(parent), true) = (parent.as_deref(), is_float) {
                WithParent(parent).block(part)
            } else {
                part
            };
            Block::Div(own.with("style", style), vec![part])
        };
        let row = |row: Vec<(f64, Option<Block>)>| {
            let classes = match vertical {
                "center" => "quarto-layout-row quarto-layout-valign-center",
                "flex-end" => "quarto-layout-row quarto-layout-valign-bottom",
                _ => "quarto-layout-row",
            };
            Block::Div(Attr::classes(classes), row.into_iter().map(cell).collect())
        };
        let mut out: Vec<Block> = rows.into_iter().map(row).collect();
        out.extend(parts);
        // The div of a float around them is the panel.
        if attr.has_class("in-panel") {
            return out;
        }
        attr.classes.insert(0, "quarto-layout-panel".to_owned());
        attr.pairs.extend(written_layout);
        vec![Block::Div(attr, out)]
    }
}

/// The share of the width that a column says, in percent.
fn percent(column: &Block) -> Option<f64> {
    let Block::Div(attr, _) = column else { return None };
    let share = attr.get("width")?.trim().strip_suffix('%')?.trim().parse::<f64>().ok()?;
    (share > 0.0 && share <= 100.0).then_some(share)
}

/// The shares of columns in percent: those that say none share what is left.
fn shares(columns: &[Block]) -> Vec<f64> {
    let written: Vec<Option<f64>> = columns.iter().map(percent).collect();
    let (taken, open) = (written.iter().flatten().sum::<f64>(), written.iter().filter(|own| own.is_none()));
    #[expect(clippy::cast_precision_loss, reason = "there are far fewer columns than 2^52")]
    let share = ((100.0 - taken) / open.count().max(1) as f64).max(5.0);
    written.into_iter().map(|own| own.unwrap_or(share)).collect()
}

impl Panels<'_, '_> {
    /// Whether Pandoc would write columns one below the other, and this program can put them side by side.
    fn stacks(&self, inner: &[Block]) -> bool {
        let is_column = |block: &Block| matches!(block, Block::Div(attr, _) if attr.has_class("column"));
        matches!(self.context.family(), Family::Docx | Family::Odt | Family::Typst)
            && !inner.is_empty()
            && inner.iter().all(is_column)
    }

    /// Columns side by side: cells of a grid, or of a table without lines.
    fn columns(&self, attr: Attr, inner: Vec<Block>) -> Block {
        let shares = shares(&inner);
        let contents = inner.into_iter().map(|block| match block {
            Block::Div(_, content) => content,
            other => vec![other],
        });
        let own = if self.context.family() == Family::Typst {
            typst::columns_grid(shares.into_iter().map(fraction).zip(contents).collect())
        } else {
            let total: f64 = shares.iter().sum();
            let widths: Vec<f64> = shares.iter().map(|share| share / total.max(1.0)).collect();
            let cell = |(share, content): (&f64, Vec<Block>)| Cell {
                blocks: Sized(*share).rewrite(content),
                columns: 1,
                rows: 1,
                ..Cell::default()
            };
            vec![Block::Table(Box::new(Table {
                alignments: vec![Alignment::Default; widths.len()],
                rows: vec![widths.iter().zip(contents).map(cell).collect()],
                widths: widths.into_iter().map(Some).collect(),
                ..Table::default()
            }))]
        };
        Block::Div(Attr { id: attr.id, place: attr.place, ..Attr::default() }, own)
    }
}

/// Rows of parts as tables without lines; rows with the same widths share a table.
fn frames(rows: Vec<Vec<(f64, Option<Block>)>>) -> Vec<Block> {
    let mut out: Vec<Block> = Vec::new();
    let mut last: Vec<f64> = Vec::new();
    for row in rows {
        let widths: Vec<f64> = row.iter().map(|(share, _)| *share).collect();
        let cells = row.into_iter().map(|(share, part)| {
            let blocks = Sized(share).rewrite(part.into_iter().collect());
            Cell { blocks, columns: 1, rows: 1, ..Cell::default() }
        });
        let cells: Vec<Cell> = cells.collect();
        match out.last_mut() {
            Some(Block::Table(table)) if last == widths => table.rows.push(cells),
            _ => out.push(Block::Table(Box::new(Table {
                alignments: vec![Alignment::Center; widths.len()],
                widths: widths.iter().map(|width| Some(*width)).collect(),
                rows: vec![cells],
                ..Table::default()
            }))),
        }
        last = widths;
    }
    out
}

/// Pictures without a width get that of their column, a share of the page.
struct Sized(f64);

impl Rewrite for Sized {
    fn inlines(&mut self, mut inlines: Vec<Inline>) -> Vec<Inline> {
        for inline in &mut inlines {
            if let Inline::Image(attr, ..) = inline
                && !attr.pairs.iter().any(|(key, _)| key == "width" || key == "height")
            {
                attr.pairs.push(("width".to_owned(), format!("{:.2}in", self.0 * 6.0)));
            }
        }
        inlines
    }
}

/// Pictures of a part say which float has the part.
struct WithParent<'p>(&'p str);

impl Rewrite for WithParent<'_> {
    fn inlines(&mut self, mut inlines: Vec<Inline>) -> Vec<Inline> {
        for inline in &mut inlines {
            if let Inline::Image(attr, ..) = inline {
                attr.pairs.push(("ref-parent".to_owned(), self.0.to_owned()));
            }
        }
        inlines
    }
}

/// A share of the width of a row in Typst.
fn fraction(width: f64) -> String {
    format!("{}fr", typst::values::number(width.abs()))
}

/// The width of a picture that is a part of its own.
fn picture_width(part: &Block) -> Option<String> {
    let (Block::Para(inlines) | Block::Plain(inlines)) = part else { return None };
    let [Inline::Image(attr, ..)] = inlines.as_slice() else { return None };
    let width = attr.get("width")?.trim();
    match width.parse::<f64>() {
        Ok(pixels) => {
            let inches = format!("{:.6}", pixels / 96.0);
            Some(format!("{}in", inches.trim_end_matches('0').trim_end_matches('.')))
        }
        Err(_) if width.ends_with('%') => None,
        Err(_) => typst::values::length(width),
    }
}

/// The widths of a layout with lengths such as `100px` in it: whether each is a gap, and the width.
fn written(grid: Option<&str>) -> Option<Vec<Vec<(bool, String)>>> {
    let value: serde_json::Value = serde_json::from_str(grid?).ok()?;
    let items = value.as_array()?;
    let row = |row: &[serde_json::Value]| -> Vec<(bool, String)> {
        let widths = row.iter().filter_map(|width| match width {
            serde_json::Value::String(text) => {
                let gap = text.starts_with('-');
                Some((gap, typst::values::length(text.trim_start_matches('-'))?))
            }
            other => other.as_f64().map(|width| (width < 0.0, fraction(width))),
        });
        widths.collect()
    };
    let is_flat = items.iter().all(|item| !item.is_array());
    let rows: Vec<Vec<(bool, String)>> = if is_flat {
        vec![row(items)]
    } else {
        items.iter().filter_map(serde_json::Value::as_array).map(|items| row(items)).collect()
    };
    let has_lengths = rows.iter().flatten().any(|(_, width)| !width.ends_with("fr"));
    has_lengths.then_some(rows)
}

impl Panels<'_, '_> {
    /// Parts of a slide: pictures become one figure, in which they are side by side; others follow each other.
    fn beside(&mut self, attr: Attr, inner: Vec<Block>) -> Vec<Block> {
        let parts: Vec<Block> = inner.into_iter().flat_map(separate).collect();
        let is_picture = |block: &Block| match block {
            Block::Figure(..) => true,
            Block::Para(inlines) | Block::Plain(inlines) => matches!(inlines.as_slice(), [Inline::Image(..)]),
            _ => false,
        };
        if parts.len() <= 4 && parts.iter().all(is_picture) {
            return vec![Block::Figure(attr, Vec::new(), parts)];
        }
        self.context.lose(LossKind::Simplified, attr.place, "layout");
        if attr.is_empty() { parts } else { vec![Block::Div(attr, parts)] }
    }
}

/// Pictures with a width and a height keep the former.
struct Heights;

impl Rewrite for Heights {
    fn inlines(&mut self, mut inlines: Vec<Inline>) -> Vec<Inline> {
        for inline in &mut inlines {
            if let Inline::Image(attr, ..) = inline
                && attr.get("width").is_some()
            {
                attr.take("height");
            }
        }
        inlines
    }
}

/// Images in one paragraph are parts of their own.
fn separate(block: Block) -> Vec<Block> {
    let Block::Para(inlines) = block else { return vec![block] };
    let only_images =
        inlines.iter().all(|i| matches!(i, Inline::Image(..) | Inline::Space | Inline::SoftBreak));
    if !only_images || inlines.len() < 2 {
        return vec![Block::Para(inlines)];
    }
    let images = inlines.into_iter().filter(|inline| matches!(inline, Inline::Image(..)));
    images.map(|image| Block::Para(vec![image])).collect()
}

/// The relative widths of each row; negative ones are gaps.
fn shape(grid: Option<&str>, columns: Option<usize>, rows: Option<usize>, parts: usize) -> Vec<Vec<f64>> {
    if let Some(grid) = grid
        && let Ok(value) = serde_json::from_str::<serde_json::Value>(grid)
        && let Some(items) = value.as_array()
    {
        let numbers = |row: &serde_json::Value| -> Vec<f64> {
            row.as_array().into_iter().flatten().filter_map(serde_json::Value::as_f64).collect()
        };
        let rows: Vec<Vec<f64>> = if items.iter().all(serde_json::Value::is_number) {
            vec![numbers(&value)]
        } else {
            items.iter().map(numbers).collect()
        };
        return rows.into_iter().filter(|row| !row.is_empty()).collect();
    }
    let columns = columns.unwrap_or_else(|| parts.div_ceil(rows.unwrap_or(1).max(1))).clamp(1, 24);
    vec![vec![1.0; columns]; parts.div_ceil(columns)]
}

impl Rewrite for Panels<'_, '_> {
    fn blocks(&mut self, blocks: Vec<Block>) -> Vec<Block> {
        let mut out = Vec::with_capacity(blocks.len());
        for block in blocks {
            match block {
                Block::Div(attr, inner) if attr.has_class("panel-tabset") => {
                    out.extend(self.tabset(attr, inner));
                }
                Block::Div(attr, inner) if attr.pairs.iter().any(|(key, _)| key.starts_with("layout")) => {
                    out.extend(self.layout(attr, inner));
                }
                Block::Div(attr, inner) if attr.has_class("columns") && self.stacks(&inner) => {
                    out.push(self.columns(attr, inner));
                }
                other => out.push(other),
            }
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_without_a_width_share_what_is_left() {
        let column = |attr: Attr| Block::Div(attr, Vec::new());
        let (narrow, free) = (Attr::class("column").with("width", "40%"), Attr::class("column"));
        let found = shares(&[column(narrow), column(free.clone()), column(free)]);
        assert!(found.iter().zip([40.0, 30.0, 30.0]).all(|(a, b)| (a - b).abs() < 0.01), "{found:?}");
    }
}
