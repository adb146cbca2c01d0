//! Shapes of slides as XML.

use std::fmt::Write as _;

use super::{
    package::escape,
    template::{Placeholder, Rect},
};
use crate::convert::model::{Alignment, Table, plain_blocks};

/// Identifier and name of a shape.
fn named(id: u32, name: &str) -> String {
    format!("<p:cNvPr id=\"{id}\" name=\"{}\"/>", escape(name))
}

fn frame(rect: Rect) -> String {
    format!("<a:off x=\"{}\" y=\"{}\"/><a:ext cx=\"{}\" cy=\"{}\"/>", rect.x, rect.y, rect.width, rect.height)
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

/// Height of a row of a table.
pub(super) const ROW: i64 = 370_840;

/// A table.
pub(super) fn table(
    id: u32,
    rect: Rect,
    table: &Table,
    cell_text: &mut dyn FnMut(&[crate::convert::model::Block]) -> String,
) -> String {
    let columns = table.alignments.len().max(1);
    let total: f64 = table.widths.iter().flatten().sum();
    let mut out = format!(
        "<p:graphicFrame><p:nvGraphicFramePr>{}<p:cNvGraphicFramePr><a:graphicFrameLocks noGrp=\"1\"/></p:cNvGraphicFramePr><p:nvPr/></p:nvGraphicFramePr>\
         <p:xfrm>{}</p:xfrm><a:graphic><a:graphicData uri=\"http://schemas.openxmlformats.org/drawingml/2006/table\">\
         <a:tbl><a:tblPr{} bandRow=\"1\"><a:tableStyleId>{{5C22544A-7EE6-4342-B048-85BDC9FD1C3A}}</a:tableStyleId></a:tblPr><a:tblGrid>",
        named(id, &format!("Table {id}")),
        frame(rect),
        if table.head.is_empty() { "" } else { " firstRow=\"1\"" },
    );
    for column in 0..columns {
        #[expect(clippy::cast_precision_loss, reason = "a table has far fewer columns than 2^52")]
        let share =
            table.widths.get(column).copied().flatten().map_or(1.0 / columns as f64, |width| width / total);
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_precision_loss,
            reason = "widths are far below the limits of integers"
        )]
        let width = (rect.width as f64 * share) as i64;
        let _ = write!(out, "<a:gridCol w=\"{width}\"/>");
    }
    out.push_str("</a:tblGrid>");
    for row in table.head.iter().chain(&table.rows) {
        let _ = write!(out, "<a:tr h=\"{ROW}\">");
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
                "<a:tc{spans}><a:txBody><a:bodyPr/><a:lstStyle/>{text}</a:txBody><a:tcPr/></a:tc>"
            );
            for _ in 1..span {
                out.push_str(
                    "<a:tc hMerge=\"1\"><a:txBody><a:bodyPr/><a:lstStyle/><a:p/></a:txBody><a:tcPr/></a:tc>",
                );
            }
            column += span;
        }
        for _ in column..columns {
            out.push_str("<a:tc><a:txBody><a:bodyPr/><a:lstStyle/><a:p/></a:txBody><a:tcPr/></a:tc>");
        }
        out.push_str("</a:tr>");
    }
    out.push_str("</a:tbl></a:graphicData></a:graphic></p:graphicFrame>");
    out
}

/// How many rows of text a table has, for its height.
pub(super) fn rows(table: &Table) -> i64 {
    let long = |row: &Vec<crate::convert::model::Cell>| {
        let longest = row.iter().map(|cell| plain_blocks(&cell.blocks).chars().count()).max().unwrap_or(0);
        let per_line = 90 / table.alignments.len().max(1);
        1 + longest as i64 / per_line.max(8) as i64
    };
    table.head.iter().chain(&table.rows).map(long).sum()
}
