//! Shapes of slides as XML.

use std::fmt::Write as _;

use super::template::{Placeholder, Rect};
use crate::{
    budget,
    model::{Alignment, Table, plain_blocks},
    xml::escape,
};

/// Identifier and name of a shape.
fn named(id: u32, name: &str) -> String {
    format!("<p:cNvPr id=\"{id}\" name=\"{}\"/>", escape(name))
}

fn frame(rect: Rect) -> String {
    format!("<a:off x=\"{}\" y=\"{}\"/><a:ext cx=\"{}\" cy=\"{}\"/>", rect.x, rect.y, rect.width, rect.height)
}

/// A shape with formulas, and what programs show in its place that do not know them. Programs must know the additions of
/// `PowerPoint` 2016 (`a16`), too: `LibreOffice` knows those of 2010, and leaves formulas out of text all the same.
pub(super) fn with_formulas(shape: &str, formulas: &[(String, String)]) -> String {
    if formulas.is_empty() {
        return shape.to_owned();
    }
    let mut fallback = String::with_capacity(shape.len());
    let mut rest = shape;
    for (formula, shown) in formulas {
        let Some((before, after)) = rest.split_once(formula.as_str()) else { continue };
        fallback.push_str(before);
        fallback.push_str(shown);
        rest = after;
    }
    fallback.push_str(rest);
    format!(
        "<mc:AlternateContent xmlns:mc=\"http://schemas.openxmlformats.org/markup-compatibility/2006\">\
         <mc:Choice xmlns:a14=\"http://schemas.microsoft.com/office/drawing/2010/main\" xmlns:a16=\"http://schemas.microsoft.com/office/drawing/2014/main\" Requires=\"a14 a16\">{shape}</mc:Choice>\
         <mc:Fallback>{fallback}</mc:Fallback></mc:AlternateContent>"
    )
}

/// The text of a placeholder. With a rectangle it has another place than in the layout.
pub(super) fn filled(
    id: u32,
    placeholder: &Placeholder,
    rect: Option<Rect>,
    paragraphs: &str,
    scale: Option<u32>,
) -> String {
    let index =
        placeholder.index.as_ref().map(|index| format!(" idx=\"{}\"", escape(index))).unwrap_or_default();
    let kind = if placeholder.kind == "obj" {
        String::new()
    } else {
        format!(" type=\"{}\"", escape(&placeholder.kind))
    };
    let place = rect.map(|rect| format!("<a:xfrm>{}</a:xfrm>", frame(rect))).unwrap_or_default();
    let fit =
        scale.map(|scale| format!("<a:normAutofit fontScale=\"{}\"/>", scale * 1000)).unwrap_or_default();
    let name = match placeholder.kind.as_str() {
        "title" | "ctrTitle" => "Title",
        "subTitle" => "Subtitle",
        "sldNum" => "Slide Number",
        "dt" => "Date",
        "ftr" => "Footer",
        _ => "Content",
    };
    format!(
        "<p:sp><p:nvSpPr>{}<p:cNvSpPr><a:spLocks noGrp=\"1\"/></p:cNvSpPr><p:nvPr><p:ph{kind}{index}/></p:nvPr></p:nvSpPr>\
         <p:spPr>{place}</p:spPr><p:txBody><a:bodyPr>{fit}</a:bodyPr><a:lstStyle/>{paragraphs}</p:txBody></p:sp>",
        named(id, &format!("{name} {id}"))
    )
}

/// Text that is in no placeholder; `scale` is the percentage of its size.
pub(super) fn text_box(id: u32, rect: Rect, paragraphs: &str, scale: Option<u32>) -> String {
    let scale = scale.map(|scale| format!(" fontScale=\"{}\"", scale * 1000)).unwrap_or_default();
    format!(
        "<p:sp><p:nvSpPr>{}<p:cNvSpPr txBox=\"1\"/><p:nvPr/></p:nvSpPr><p:spPr><a:xfrm>{}</a:xfrm>\
         <a:prstGeom prst=\"rect\"><a:avLst/></a:prstGeom><a:noFill/></p:spPr>\
         <p:txBody><a:bodyPr wrap=\"square\"><a:normAutofit{scale}/></a:bodyPr><a:lstStyle/>{paragraphs}</p:txBody></p:sp>",
        named(id, &format!("Text {id}")),
        frame(rect)
    )
}

/// Marks of lists where no placeholder has them, for three levels.
fn list_style(color: Option<&str>) -> String {
    let color = color.map(|color| format!("<a:solidFill><a:srgbClr val=\"{color}\"/></a:solidFill>"));
    let color = color.unwrap_or_default();
    let mut out = String::from("<a:lstStyle>");
    for level in 1..=3 {
        let margin = 285_750 + (level - 1) * 457_200;
        let _ = write!(
            out,
            "<a:lvl{level}pPr marL=\"{margin}\" indent=\"-285750\"><a:buFont typeface=\"Arial\"/><a:buChar char=\"•\"/><a:defRPr>{color}</a:defRPr></a:lvl{level}pPr>"
        );
    }
    out.push_str("</a:lstStyle>");
    out
}

/// Paragraphs, also of lists, that are in no placeholder; `scale` is the percentage of their size.
pub(super) fn content_box(id: u32, rect: Rect, paragraphs: &str, scale: Option<u32>) -> String {
    text_box(id, rect, paragraphs, scale).replacen("<a:lstStyle/>", &list_style(None), 1)
}

/// A callout: dark text on the ground of its kind, with a line around it.
pub(super) fn callout(
    id: u32,
    rect: Rect,
    paragraphs: &str,
    scale: Option<u32>,
    (line, fill): (&str, &str),
) -> String {
    let scale = scale.map(|scale| format!(" fontScale=\"{}\"", scale * 1000)).unwrap_or_default();
    format!(
        "<p:sp><p:nvSpPr>{}<p:cNvSpPr/><p:nvPr/></p:nvSpPr><p:spPr><a:xfrm>{}</a:xfrm>\
         <a:prstGeom prst=\"rect\"><a:avLst/></a:prstGeom><a:solidFill><a:srgbClr val=\"{fill}\"/></a:solidFill>\
         <a:ln w=\"19050\"><a:solidFill><a:srgbClr val=\"{line}\"/></a:solidFill></a:ln></p:spPr>\
         <p:txBody><a:bodyPr wrap=\"square\" lIns=\"{CALLOUT_MARGIN}\" rIns=\"{CALLOUT_MARGIN}\" anchor=\"ctr\"><a:normAutofit{scale}/></a:bodyPr>{}{paragraphs}</p:txBody></p:sp>",
        named(id, &format!("Callout {id}")),
        frame(rect),
        list_style(Some("1F1F1F")),
    )
}

/// Between the text of a callout and its sides.
pub(super) const CALLOUT_MARGIN: i64 = 144_000;

/// A picture.
pub(super) fn picture(id: u32, rect: Rect, relationship: &str, alternative: &str) -> String {
    format!(
        "<p:pic><p:nvPicPr><p:cNvPr id=\"{id}\" name=\"Picture {id}\" descr=\"{}\"/><p:cNvPicPr><a:picLocks noChangeAspect=\"1\"/></p:cNvPicPr><p:nvPr/></p:nvPicPr>\
         <p:blipFill><a:blip r:embed=\"{relationship}\"/><a:stretch><a:fillRect/></a:stretch></p:blipFill>\
         <p:spPr><a:xfrm>{}</a:xfrm><a:prstGeom prst=\"rect\"><a:avLst/></a:prstGeom></p:spPr></p:pic>",
        escape(alternative),
        frame(rect)
    )
}

/// Steps and bytes that a cell without text takes.
const CELL: u64 = 16;
const CELL_BYTES: usize = 100;

/// A table.
pub(super) fn table(
    id: u32,
    rect: Rect,
    table: &Table,
    size: &TableSize,
    cell_text: &mut dyn FnMut(&[crate::model::Block]) -> String,
) -> String {
    let columns = table.alignments.len().max(1);
    let mut out = format!(
        "<p:graphicFrame><p:nvGraphicFramePr>{}<p:cNvGraphicFramePr><a:graphicFrameLocks noGrp=\"1\"/></p:cNvGraphicFramePr><p:nvPr/></p:nvGraphicFramePr>\
         <p:xfrm>{}</p:xfrm><a:graphic><a:graphicData uri=\"http://schemas.openxmlformats.org/drawingml/2006/table\">\
         <a:tbl><a:tblPr{} bandRow=\"1\"><a:tableStyleId>{{5C22544A-7EE6-4342-B048-85BDC9FD1C3A}}</a:tableStyleId></a:tblPr><a:tblGrid>",
        named(id, &format!("Table {id}")),
        frame(rect),
        if table.head.is_empty() { "" } else { " firstRow=\"1\"" },
    );
    for width in column_widths(table, rect.width) {
        let _ = write!(out, "<a:gridCol w=\"{width}\"/>");
    }
    out.push_str("</a:tblGrid>");
    let margin = margin(size.text);
    let margins = format!("<a:tcPr marT=\"{margin}\" marB=\"{margin}\"/>");
    for (row, height) in table.head.iter().chain(&table.rows).zip(&size.rows) {
        if !budget::charge(columns as u64 * CELL) || !budget::allocate(columns * CELL_BYTES) {
            break;
        }
        let _ = write!(out, "<a:tr h=\"{height}\">");
        let mut column = 0;
        for cell in row.iter().take(columns) {
            let align = match table.alignments.get(column).copied().unwrap_or_default() {
                Alignment::Right => " algn=\"r\"",
                Alignment::Center => " algn=\"ctr\"",
                Alignment::Left | Alignment::Default => "",
            };
            let span = cell.columns.max(1) as usize;
            let spans = if span > 1 { format!(" gridSpan=\"{span}\"") } else { String::new() };
            let text = cell_text(&cell.blocks).replace(
                "<a:pPr marL=\"0\" indent=\"0\">",
                &format!("<a:pPr marL=\"0\" indent=\"0\"{align}>"),
            );
            let _ = write!(
                out,
                "<a:tc{spans}><a:txBody><a:bodyPr/><a:lstStyle/>{text}</a:txBody>{margins}</a:tc>"
            );
            for _ in 1..span {
                out.push_str(
                    "<a:tc hMerge=\"1\"><a:txBody><a:bodyPr/><a:lstStyle/><a:p/></a:txBody><a:tcPr/></a:tc>",
                );
            }
            column += span;
            if span > 1 && !budget::allocate(span * CELL_BYTES) {
                break;
            }
        }
        for _ in column..columns {
            out.push_str("<a:tc><a:txBody><a:bodyPr/><a:lstStyle/><a:p/></a:txBody><a:tcPr/></a:tc>");
        }
        out.push_str("</a:tr>");
    }
    out.push_str("</a:tbl></a:graphicData></a:graphic></p:graphicFrame>");
    out
}

/// How large the text of a table is, and how high its rows become.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TableSize {
    /// In hundredths of a point.
    pub(super) text: u32,
    pub(super) rows: Vec<i64>,
}

impl TableSize {
    /// Sizes of text, the preferred one first.
    const TEXT: [u32; 8] = [1400, 1200, 1100, 1000, 900, 800, 700, 600];

    /// The largest text with which a table fits a rectangle; the smallest one where it does not fit.
    pub(super) fn fitting(table: &Table, rect: Rect) -> Self {
        let sizes = Self::TEXT.into_iter().map(|text| Self::of(table, rect.width, text));
        let mut last = None;
        for size in sizes {
            if size.height() <= rect.height {
                return size;
            }
            last = Some(size);
        }
        last.unwrap_or_else(|| Self::of(table, rect.width, Self::TEXT[0]))
    }

    /// The size of a table with the preferred size of text.
    pub(super) fn preferred(table: &Table, width: i64) -> Self {
        Self::of(table, width, Self::TEXT[0])
    }

    /// The size of a table with the smallest text that can be read on a projected slide.
    pub(super) fn legible(table: &Table, width: i64) -> Self {
        Self::of(table, width, 1000)
    }

    fn of(table: &Table, width: i64, text: u32) -> Self {
        /// English Metric Units in a hundredth of a point.
        const UNIT: i64 = 127;
        // Faces that replace missing ones are higher than those of Office.
        let line = i64::from(text) * UNIT * 14 / 10;
        let widths = column_widths(table, width);
        let height = |row: &Vec<crate::model::Cell>| {
            let mut column = 0;
            let mut lines = 1;
            for cell in budget::within(row) {
                let span = cell.columns.max(1) as usize;
                let own: i64 = widths.iter().skip(column).take(span).sum();
                column += span;
                // A character is half as wide as it is high; both sides have a margin.
                let per_line = ((own - 2 * MARGIN_SIDE) / (i64::from(text) * UNIT * 55 / 100)).max(1);
                let shown = plain_blocks(&cell.blocks);
                budget::charge(shown.len() as u64);
                let needed = shown
                    .lines()
                    .map(|line| (line.chars().count() as i64 + per_line - 1).div_euclid(per_line).max(1));
                lines = lines.max(needed.sum());
            }
            lines * line + 2 * margin(text)
        };
        Self { text, rows: table.head.iter().chain(&table.rows).map(height).collect() }
    }

    pub(super) fn height(&self) -> i64 {
        self.rows.iter().sum()
    }
}

/// Between the text of a cell and its sides.
const MARGIN_SIDE: i64 = 91_440;

/// Between the text of a cell and the rows around it.
fn margin(text: u32) -> i64 {
    if text < 1200 { 18_000 } else { 45_720 }
}

/// The widths of the columns of a table.
fn column_widths(table: &Table, width: i64) -> Vec<i64> {
    let columns = table.alignments.len().max(1);
    let total: f64 = table.widths.iter().flatten().sum();
    let share = |column: usize| {
        #[expect(clippy::cast_precision_loss, reason = "a table has far fewer columns than 2^52")]
        let equal = 1.0 / columns as f64;
        let share = table.widths.get(column).copied().flatten().map_or(equal, |width| width / total);
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_precision_loss,
            reason = "widths are far below the limits of integers"
        )]
        let width = (width as f64 * share) as i64;
        width
    };
    (0..columns).map(share).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{model::Block, reader};

    #[test]
    fn text_of_tables_shrinks_until_the_table_fits() {
        let rows: String = (0..12).map(|n| format!("| row {n} | {} |\n", "word ".repeat(12))).collect();
        let text = format!("| a | b |\n|---|---|\n{rows}");
        let [Block::Table(table)] = &reader::read_text(&text, true)[..] else { panic!("a table") };
        let fits = |height| {
            let size = TableSize::fitting(table, Rect { x: 0, y: 0, width: 8_000_000, height });
            (size.text, size.height() <= height)
        };
        assert_eq!(fits(20_000_000), (1400, true));
        let (text, fit) = fits(4_000_000);
        assert!(text < 1400 && fit, "{text}");
        assert_eq!(fits(100), (600, false));
    }
}
