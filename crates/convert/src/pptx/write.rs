//! The XML of slides (ECMA-376, parts 1 and 4).

use super::{
    model::{
        Background, Bullet, Drawing, Frame, Link, Look, Paragraph, Piece, Placeholder, Rect, Relationship,
        Run, Shape, ShapeKind, Steps, Style, Table,
    },
    package::{NAMESPACES, RELATIONSHIPS, TYPES},
};
use crate::{
    model::{Alignment, NumberDelimiter, NumberStyle},
    xml::Writer,
};

/// What the name spaces of formulas, of additions of `PowerPoint`, and of tables begin with.
const OFFICE: &str = "http://schemas.microsoft.com/office/drawing";
const COMPATIBILITY: &str = "http://schemas.openxmlformats.org/markup-compatibility/2006";
const TABLE: &str = "http://schemas.openxmlformats.org/drawingml/2006/table";

/// The face of code.
const MONOSPACED: &str = "Courier New";

/// The number of the field that shows the number of a slide.
const SLIDE_NUMBER: &str = "{B6F15528-21DE-4FAA-801E-634DDDAF4B2B}";

/// The table style of the built-in template, which `PowerPoint` knows as "Medium Style 2 - Accent 1".
const TABLE_STYLE: &str = "{5C22544A-7EE6-4342-B048-85BDC9FD1C3A}";

/// The text color of callouts.
const DARK: &str = "1F1F1F";

/// Between the text of a callout and its sides.
pub(super) const CALLOUT_MARGIN: i64 = 144_000;

/// A slide.
pub(super) fn slide(drawing: &Drawing) -> String {
    let mut xml = Writer::part();
    xml.element("p:sld").with_all(&NAMESPACES).content(|xml| {
        xml.element("p:cSld").content(|xml| {
            if let Some(background) = &drawing.background {
                self::background(xml, background);
            }
            shape_tree(xml, |xml| {
                for shape in &drawing.shapes {
                    self::shape(xml, shape);
                }
            });
        });
        xml.element("p:clrMapOvr").content(|xml| color_map(xml, drawing.is_dark));
        if let Some(steps) = &drawing.steps {
            timing(xml, steps);
        }
    });
    xml.finish()
}

/// The speaker notes of a slide.
pub(super) fn notes(paragraphs: &[Paragraph]) -> String {
    let mut xml = Writer::part();
    xml.element("p:notes").with_all(&NAMESPACES).content(|xml| {
        xml.element("p:cSld").content(|xml| {
            xml.element("p:spTree").content(|xml| {
                xml.element("p:nvGrpSpPr").content(|xml| {
                    properties(xml, "p:cNvGrpSpPr", 1, "");
                });
                xml.mark("p:grpSpPr");
                xml.element("p:sp").content(|xml| {
                    xml.element("p:nvSpPr").content(|xml| {
                        xml.element("p:cNvPr").with("id", 2).with("name", "Slide Image 2").empty();
                        xml.element("p:cNvSpPr").content(|xml| {
                            let locks = xml.element("a:spLocks").with("noGrp", 1).with("noRot", 1);
                            locks.with("noChangeAspect", 1).empty();
                        });
                        xml.element("p:nvPr")
                            .content(|xml| xml.element("p:ph").with("type", "sldImg").empty());
                    });
                    xml.mark("p:spPr");
                });
                xml.element("p:sp").content(|xml| {
                    xml.element("p:nvSpPr").content(|xml| {
                        named(xml, 3, "Notes 3");
                        xml.element("p:nvPr")
                            .content(|xml| xml.element("p:ph").with("type", "body").with("idx", 1).empty());
                    });
                    xml.mark("p:spPr");
                    xml.element("p:txBody").content(|xml| {
                        xml.mark("a:bodyPr");
                        xml.mark("a:lstStyle");
                        self::paragraphs(xml, paragraphs, Formulas::Shown);
                    });
                });
            });
        });
        xml.element("p:clrMapOvr").content(|xml| color_map(xml, None));
    });
    xml.finish()
}

/// The relationships of a part.
pub(super) fn relationships(all: &[Relationship]) -> String {
    let mut xml = Writer::part();
    xml.element("Relationships").with("xmlns", RELATIONSHIPS).content(|xml| {
        for (index, one) in all.iter().enumerate() {
            relationship(xml, &id_of(index + 1), one, None);
        }
    });
    xml.finish()
}

/// A relationship with its id, which says its name space where what is around it does not.
pub(super) fn relationship(xml: &mut Writer, id: &str, one: &Relationship, space: Option<&str>) {
    let kind =
        if one.kind.starts_with("http") { one.kind.to_owned() } else { format!("{TYPES}/{}", one.kind) };
    let row = xml
        .element("Relationship")
        .with_some("xmlns", space)
        .with("Id", id)
        .with("Type", kind)
        .with("Target", &one.target);
    row.with_if(one.is_external, "TargetMode", "External").empty();
}

/// The id of the `n`-th relationship of a part.
fn id_of(number: usize) -> String {
    format!("rId{number}")
}

/// The shapes of a slide, a layout or a master.
pub(super) fn shape_tree(xml: &mut Writer, shapes: impl FnOnce(&mut Writer)) {
    xml.element("p:spTree").content(|xml| {
        xml.element("p:nvGrpSpPr").content(|xml| properties(xml, "p:cNvGrpSpPr", 1, ""));
        xml.element("p:grpSpPr").content(|xml| {
            xml.element("a:xfrm").content(|xml| {
                frame(xml, Rect::default());
                xml.element("a:chOff").with("x", 0).with("y", 0).empty();
                xml.element("a:chExt").with("cx", 0).with("cy", 0).empty();
            });
        });
        shapes(xml);
    });
}

/// Number and name of what has neither locks nor a placeholder.
fn properties(xml: &mut Writer, kind: &'static str, id: u32, name: &str) {
    xml.element("p:cNvPr").with("id", id).with("name", name).empty();
    xml.mark(kind);
    xml.mark("p:nvPr");
}

/// Number and name of what fills a placeholder.
pub(super) fn named(xml: &mut Writer, id: u32, name: &str) {
    xml.element("p:cNvPr").with("id", id).with("name", name).empty();
    xml.element("p:cNvSpPr").content(|xml| xml.element("a:spLocks").with("noGrp", 1).empty());
}

pub(super) fn frame(xml: &mut Writer, rect: Rect) {
    xml.element("a:off").with("x", rect.x).with("y", rect.y).empty();
    xml.element("a:ext").with("cx", rect.width).with("cy", rect.height).empty();
}

fn transform(xml: &mut Writer, rect: Rect) {
    xml.element("a:xfrm").content(|xml| frame(xml, rect));
}

pub(super) fn rectangle(xml: &mut Writer) {
    xml.element("a:prstGeom").with("prst", "rect").content(|xml| xml.mark("a:avLst"));
}

fn fill(xml: &mut Writer, color: &str) {
    xml.element("a:solidFill").content(|xml| xml.element("a:srgbClr").with("val", color).empty());
}

/// A picture that fills its rectangle.
fn stretched(xml: &mut Writer, element: &'static str, relationship: usize) {
    xml.element(element).content(|xml| {
        xml.element("a:blip").with("r:embed", id_of(relationship)).empty();
        xml.element("a:stretch").content(|xml| xml.mark("a:fillRect"));
    });
}

fn background(xml: &mut Writer, background: &Background) {
    xml.element("p:bg").content(|xml| {
        xml.element("p:bgPr").content(|xml| {
            match background {
                Background::Color([red, green, blue]) => {
                    fill(xml, &format!("{red:02X}{green:02X}{blue:02X}"));
                }
                Background::Picture(relationship) => stretched(xml, "a:blipFill", *relationship),
            }
            xml.mark("a:effectLst");
        });
    });
}

/// Which colors of the theme text and background have on a slide with a background of its own.
fn color_map(xml: &mut Writer, is_dark: Option<bool>) {
    let Some(is_dark) = is_dark else { return xml.mark("a:masterClrMapping") };
    let (text, ground, link) = if is_dark { ("lt", "dk", "lt2") } else { ("dk", "lt", "hlink") };
    let mut map = xml.element("a:overrideClrMapping");
    for number in 1..=2 {
        map = map.with(&format!("bg{number}"), format!("{ground}{number}"));
        map = map.with(&format!("tx{number}"), format!("{text}{number}"));
    }
    for number in 1..=6 {
        let name = format!("accent{number}");
        map = map.with(&name, &name);
    }
    map.with("hlink", link).with("folHlink", if is_dark { link } else { "folHlink" }).empty();
}

/// Whether formulas are Office math or what is shown in their place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Formulas {
    Math,
    Shown,
}

/// A shape, and what programs show in place of one with formulas that do not know them. Programs must know the additions of
/// `PowerPoint` 2016 (`a16`), too: `LibreOffice` knows those of 2010, and leaves formulas out of text all the same.
fn shape(xml: &mut Writer, shape: &Shape) {
    if !shape.kind.has_formulas() {
        return shape_with(xml, shape, Formulas::Shown);
    }
    xml.element("mc:AlternateContent").with("xmlns:mc", COMPATIBILITY).content(|xml| {
        let choice = xml.element("mc:Choice").with("xmlns:a14", format!("{OFFICE}/2010/main"));
        let choice = choice.with("xmlns:a16", format!("{OFFICE}/2014/main"));
        choice.with("Requires", "a14 a16").content(|xml| shape_with(xml, shape, Formulas::Math));
        xml.element("mc:Fallback").content(|xml| shape_with(xml, shape, Formulas::Shown));
    });
}

fn shape_with(xml: &mut Writer, Shape { id, kind }: &Shape, formulas: Formulas) {
    match kind {
        ShapeKind::Filled { placeholder, rect, text } => filled(xml, *id, placeholder, *rect, text, formulas),
        ShapeKind::Text { rect, look, text } => text_box(xml, *id, *rect, *look, text, formulas),
        ShapeKind::Picture { rect, relationship, alternative } => {
            xml.element("p:pic").content(|xml| {
                xml.element("p:nvPicPr").content(|xml| {
                    let own = xml.element("p:cNvPr").with("id", id).with("name", format!("Picture {id}"));
                    own.with("descr", alternative).empty();
                    xml.element("p:cNvPicPr")
                        .content(|xml| xml.element("a:picLocks").with("noChangeAspect", 1).empty());
                    xml.mark("p:nvPr");
                });
                stretched(xml, "p:blipFill", *relationship);
                xml.element("p:spPr").content(|xml| {
                    transform(xml, *rect);
                    rectangle(xml);
                });
            });
        }
        ShapeKind::Table { rect, table } => table_frame(xml, *id, *rect, table, formulas),
    }
}

fn filled(
    xml: &mut Writer,
    id: u32,
    placeholder: &Placeholder,
    rect: Option<Rect>,
    text: &Frame,
    formulas: Formulas,
) {
    let name = match placeholder.kind.as_str() {
        "title" | "ctrTitle" => "Title",
        "subTitle" => "Subtitle",
        "sldNum" => "Slide Number",
        "dt" => "Date",
        "ftr" => "Footer",
        _ => "Content",
    };
    xml.element("p:sp").content(|xml| {
        xml.element("p:nvSpPr").content(|xml| {
            named(xml, id, &format!("{name} {id}"));
            xml.element("p:nvPr").content(|xml| {
                let kind = Some(&placeholder.kind).filter(|kind| *kind != "obj");
                let place = xml.element("p:ph").with_some("type", kind);
                place.with_some("idx", placeholder.index.as_ref()).empty();
            });
        });
        xml.element("p:spPr").content(|xml| {
            if let Some(rect) = rect {
                transform(xml, rect);
            }
        });
        xml.element("p:txBody").content(|xml| {
            xml.element("a:bodyPr").content(|xml| {
                if text.scale.is_some() {
                    fitted(xml, text.scale);
                }
            });
            xml.mark("a:lstStyle");
            paragraphs(xml, &text.paragraphs, formulas);
        });
    });
}

/// Text becomes as small as its shape needs.
fn fitted(xml: &mut Writer, scale: Option<u32>) {
    xml.element("a:normAutofit").with_some("fontScale", scale.map(|scale| scale * 1000)).empty();
}

fn text_box(xml: &mut Writer, id: u32, rect: Rect, look: Look, text: &Frame, formulas: Formulas) {
    let name = if matches!(look, Look::Callout { .. }) { "Callout" } else { "Text" };
    xml.element("p:sp").content(|xml| {
        xml.element("p:nvSpPr").content(|xml| {
            xml.element("p:cNvPr").with("id", id).with("name", format!("{name} {id}")).empty();
            xml.element("p:cNvSpPr").with_if(name == "Text", "txBox", "1").empty();
            xml.mark("p:nvPr");
        });
        xml.element("p:spPr").content(|xml| {
            transform(xml, rect);
            rectangle(xml);
            match look {
                Look::Callout { line, ground } => {
                    fill(xml, ground);
                    xml.element("a:ln").with("w", 19_050).content(|xml| fill(xml, line));
                }
                Look::Lines | Look::Content => xml.mark("a:noFill"),
            }
        });
        xml.element("p:txBody").content(|xml| {
            let body = xml.element("a:bodyPr").with("wrap", "square");
            let body = match look {
                Look::Callout { .. } => {
                    body.with("lIns", CALLOUT_MARGIN).with("rIns", CALLOUT_MARGIN).with("anchor", "ctr")
                }
                Look::Lines | Look::Content => body,
            };
            body.content(|xml| fitted(xml, text.scale));
            match look {
                Look::Lines => xml.mark("a:lstStyle"),
                Look::Content => list_style(xml, None),
                Look::Callout { .. } => list_style(xml, Some(DARK)),
            }
            paragraphs(xml, &text.paragraphs, formulas);
        });
    });
}

/// Marks of lists where no placeholder has them, for three levels.
fn list_style(xml: &mut Writer, color: Option<&str>) {
    xml.element("a:lstStyle").content(|xml| {
        for (name, margin) in [("a:lvl1pPr", 285_750), ("a:lvl2pPr", 742_950), ("a:lvl3pPr", 1_200_150)] {
            xml.element(name).with("marL", margin).with("indent", -285_750).content(|xml| {
                xml.element("a:buFont").with("typeface", "Arial").empty();
                xml.element("a:buChar").with("char", "•").empty();
                xml.element("a:defRPr").content(|xml| {
                    if let Some(color) = color {
                        fill(xml, color);
                    }
                });
            });
        }
    });
}

fn table_frame(xml: &mut Writer, id: u32, rect: Rect, table: &Table, formulas: Formulas) {
    xml.element("p:graphicFrame").content(|xml| {
        xml.element("p:nvGraphicFramePr").content(|xml| {
            xml.element("p:cNvPr").with("id", id).with("name", format!("Table {id}")).empty();
            xml.element("p:cNvGraphicFramePr")
                .content(|xml| xml.element("a:graphicFrameLocks").with("noGrp", 1).empty());
            xml.mark("p:nvPr");
        });
        xml.element("p:xfrm").content(|xml| frame(xml, rect));
        xml.element("a:graphic").content(|xml| {
            xml.element("a:graphicData").with("uri", TABLE).content(|xml| cells(xml, table, formulas));
        });
    });
}

fn cells(xml: &mut Writer, table: &Table, formulas: Formulas) {
    xml.element("a:tbl").content(|xml| {
        let look = xml.element("a:tblPr").with_if(table.has_head, "firstRow", "1").with("bandRow", 1);
        look.content(|xml| xml.element("a:tableStyleId").text(TABLE_STYLE));
        xml.element("a:tblGrid").content(|xml| {
            for width in &table.columns {
                xml.element("a:gridCol").with("w", width).empty();
            }
        });
        for row in &table.rows {
            xml.element("a:tr").with("h", row.height).content(|xml| {
                for cell in &row.cells {
                    let span = Some(cell.span).filter(|span| *span > 1);
                    xml.element("a:tc").with_some("gridSpan", span).content(|xml| {
                        cell_text(xml, |xml| paragraphs(xml, &cell.paragraphs, formulas));
                        let margins = xml.element("a:tcPr").with("marT", table.margin);
                        margins.with("marB", table.margin).empty();
                    });
                    for _ in 1..cell.span {
                        xml.element("a:tc").with("hMerge", 1).content(empty_cell);
                    }
                }
                let filled: usize = row.cells.iter().map(|cell| cell.span).sum();
                for _ in filled..table.columns.len() {
                    xml.element("a:tc").content(empty_cell);
                }
            });
        }
    });
}

fn empty_cell(xml: &mut Writer) {
    cell_text(xml, |xml| xml.mark("a:p"));
    xml.mark("a:tcPr");
}

fn cell_text(xml: &mut Writer, write: impl FnOnce(&mut Writer)) {
    xml.element("a:txBody").content(|xml| {
        xml.mark("a:bodyPr");
        xml.mark("a:lstStyle");
        write(xml);
    });
}

fn paragraphs(xml: &mut Writer, paragraphs: &[Paragraph], formulas: Formulas) {
    for paragraph in paragraphs {
        xml.element("a:p").content(|xml| {
            paragraph_properties(xml, paragraph);
            for piece in &paragraph.pieces {
                match piece {
                    Piece::Run(run) => self::run(xml, run),
                    Piece::Break => xml.mark("a:br"),
                    Piece::Formula { math, .. } if formulas == Formulas::Math => {
                        let formula = xml.element("a14:m").with("xmlns:a14", format!("{OFFICE}/2010/main"));
                        formula.content(|xml| xml.written(math));
                    }
                    Piece::Formula { shown, .. } => shown.iter().for_each(|run| self::run(xml, run)),
                    Piece::SlideNumber { number, has_own_ground } => {
                        slide_number(xml, &number.to_string(), has_own_ground.then_some("tx1"));
                    }
                }
            }
        });
    }
}

/// The field that shows the number of a slide, in a color of the theme if it is not that of the layout.
pub(super) fn slide_number(xml: &mut Writer, shown: &str, color: Option<&str>) {
    xml.element("a:fld").with("id", SLIDE_NUMBER).with("type", "slidenum").content(|xml| {
        let look = xml.element("a:rPr").with("lang", "en-US");
        match color {
            Some(color) => look.content(|xml| {
                xml.element("a:solidFill")
                    .content(|xml| xml.element("a:schemeClr").with("val", color).empty());
            }),
            None => look.empty(),
        }
        xml.element("a:t").text(shown);
    });
}

fn paragraph_properties(xml: &mut Writer, paragraph: &Paragraph) {
    let level = paragraph.level.min(8);
    let alignment = match paragraph.alignment {
        Alignment::Right => Some("r"),
        Alignment::Center => Some("ctr"),
        Alignment::Left | Alignment::Default => None,
    };
    let (margin, indent) = match paragraph.bullet {
        Bullet::Inherited if alignment.is_none() => return,
        Bullet::Inherited | Bullet::Mark => (None, None),
        Bullet::None => (Some(level * 457_200), Some(0)),
        Bullet::Continued => (Some(342_900 + level * 457_200), Some(0)),
        Bullet::Number(_) => (Some(457_200 + level * 457_200), Some(-457_200)),
    };
    let own = xml.element("a:pPr").with_some("lvl", Some(level).filter(|level| *level > 0));
    let own = own.with_some("marL", margin).with_some("indent", indent).with_some("algn", alignment);
    match paragraph.bullet {
        Bullet::Inherited | Bullet::Mark => own.empty(),
        Bullet::None | Bullet::Continued => own.content(|xml| xml.mark("a:buNone")),
        Bullet::Number(numbering) => own.content(|xml| {
            let style = match numbering.style {
                NumberStyle::Decimal | NumberStyle::Example => "arabic",
                NumberStyle::LowerAlpha => "alphaLc",
                NumberStyle::UpperAlpha => "alphaUc",
                NumberStyle::LowerRoman => "romanLc",
                NumberStyle::UpperRoman => "romanUc",
            };
            let end = match numbering.delimiter {
                NumberDelimiter::Period => "Period",
                NumberDelimiter::OneParenthesis => "ParenR",
                NumberDelimiter::TwoParentheses => "ParenBoth",
            };
            let start = Some(numbering.start.min(32_767)).filter(|start| *start > 1);
            xml.element("a:buFont").with("typeface", "+mj-lt").empty();
            let number = xml.element("a:buAutoNum").with("type", format!("{style}{end}"));
            number.with_some("startAt", start).empty();
        }),
    }
}

fn run(xml: &mut Writer, Run { text, style, size }: &Run) {
    let Style { bold, italic, strike, underline, code, baseline, link, caps } = *style;
    xml.element("a:r").content(|xml| {
        let look = xml.element("a:rPr").with("lang", "en-US").with_some("sz", size.as_ref());
        let look = look.with_if(bold, "b", "1").with_if(italic, "i", "1").with_if(underline, "u", "sng");
        let look = look.with_if(strike, "strike", "sngStrike").with_if(caps, "cap", "small");
        let look = look.with_some("baseline", Some(baseline).filter(|baseline| *baseline != 0));
        look.content(|xml| {
            if code {
                xml.element("a:latin").with("typeface", MONOSPACED).empty();
                xml.element("a:cs").with("typeface", MONOSPACED).empty();
            }
            if let Some(Link { relationship, is_slide }) = link {
                let click = xml.element("a:hlinkClick").with("r:id", id_of(relationship));
                click.with_if(is_slide, "action", "ppaction://hlinksldjump").empty();
            }
        });
        xml.element("a:t").text(text);
    });
}

/// The timing of a slide on which paragraphs of a shape appear one after another.
fn timing(xml: &mut Writer, steps: &Steps) {
    xml.element("p:timing").content(|xml| {
        xml.element("p:tnLst").content(|xml| {
            xml.element("p:par").content(|xml| {
                let root =
                    xml.element("p:cTn").with("id", 1).with("dur", "indefinite").with("restart", "never");
                root.with("nodeType", "tmRoot").content(|xml| {
                    xml.element("p:childTnLst").content(|xml| sequence(xml, steps));
                });
            });
        });
        xml.element("p:bldLst").content(|xml| {
            let build = xml.element("p:bldP").with("spid", steps.shape).with("grpId", 0);
            build.with("build", "p").empty();
        });
    });
}

fn sequence(xml: &mut Writer, steps: &Steps) {
    xml.element("p:seq").with("concurrent", 1).with("nextAc", "seek").content(|xml| {
        let main = xml.element("p:cTn").with("id", 2).with("dur", "indefinite").with("nodeType", "mainSeq");
        main.content(|xml| {
            xml.element("p:childTnLst").content(|xml| {
                for (index, start) in steps.starts.iter().enumerate() {
                    let next = steps.starts.get(index + 1).copied().unwrap_or(steps.paragraphs);
                    let end = next.saturating_sub(1).max(*start);
                    step(xml, 3 + 4 * index, steps.shape, (*start, end));
                }
            });
        });
        for (list, event) in [("p:prevCondLst", "onPrev"), ("p:nextCondLst", "onNext")] {
            xml.element(list).content(|xml| {
                xml.element("p:cond").with("evt", event).with("delay", 0).content(|xml| {
                    xml.element("p:tgtEl").content(|xml| xml.mark("p:sldTgt"));
                });
            });
        }
    });
}

/// A click after which paragraphs appear. It has four numbers, from `id` on.
fn step(xml: &mut Writer, id: usize, shape: u32, (start, end): (usize, usize)) {
    let begins = |xml: &mut Writer, delay: &str| {
        xml.element("p:stCondLst").content(|xml| xml.element("p:cond").with("delay", delay).empty());
    };
    let set = |xml: &mut Writer| {
        xml.element("p:cBhvr").content(|xml| {
            let own = xml.element("p:cTn").with("id", id + 3).with("dur", 1).with("fill", "hold");
            own.content(|xml| begins(xml, "0"));
            xml.element("p:tgtEl").content(|xml| {
                xml.element("p:spTgt").with("spid", shape).content(|xml| {
                    xml.element("p:txEl")
                        .content(|xml| xml.element("p:pRg").with("st", start).with("end", end).empty());
                });
            });
            xml.element("p:attrNameLst").content(|xml| xml.element("p:attrName").text("style.visibility"));
        });
        xml.element("p:to").content(|xml| xml.element("p:strVal").with("val", "visible").empty());
    };
    let effect = |xml: &mut Writer| {
        let own = xml.element("p:cTn").with("id", id + 2).with("presetID", 1).with("presetClass", "entr");
        let own = own.with("presetSubtype", 0).with("fill", "hold").with("grpId", 0);
        own.with("nodeType", "clickEffect").content(|xml| {
            begins(xml, "0");
            xml.element("p:childTnLst").content(|xml| xml.element("p:set").content(set));
        });
    };
    let held = |xml: &mut Writer, id: usize, delay: &str, inner: &dyn Fn(&mut Writer)| {
        xml.element("p:par").content(|xml| {
            xml.element("p:cTn").with("id", id).with("fill", "hold").content(|xml| {
                begins(xml, delay);
                xml.element("p:childTnLst").content(|xml| inner(xml));
            });
        });
    };
    held(xml, id, "indefinite", &|xml| {
        held(xml, id + 1, "0", &|xml| xml.element("p:par").content(effect));
    });
}
