//! The template that is used where none is given: 16:9, plain.

use super::{
    edit,
    model::{Rect, Relationship},
    package::{NAMESPACES, Package, TO_CORE},
    write::{self, frame, named, rectangle, shape_tree, slide_number},
};
use crate::xml::Writer;

const THEME: &str = include_str!("theme.xml");

/// The style of tables. Not every program knows the styles of `PowerPoint` by their names.
const TABLE_STYLES: &str = include_str!("table_styles.xml");

/// Kind, index, prompt, and place of a placeholder.
type Shape = (&'static str, u32, &'static str, [i64; 4]);

const TITLE: Shape = ("title", 0, "Title", [838_200, 365_125, 10_515_600, 1_325_563]);
const NUMBER: Shape = ("sldNum", 12, "", [8_610_600, 6_356_350, 2_743_200, 365_125]);

/// The layouts that decks use.
const LAYOUTS: [(&str, &str, &[Shape]); 8] = [
    (
        "Title Slide",
        "title",
        &[
            ("ctrTitle", 0, "Title", [1_524_000, 1_122_363, 9_144_000, 2_387_600]),
            ("subTitle", 1, "Subtitle", [1_524_000, 3_602_038, 9_144_000, 1_655_762]),
        ],
    ),
    (
        "Title and Content",
        "obj",
        &[TITLE, ("obj", 1, "Content", [838_200, 1_825_625, 10_515_600, 4_351_338]), NUMBER],
    ),
    (
        "Section Header",
        "secHead",
        &[
            ("title", 0, "Title", [831_850, 1_709_738, 10_515_600, 2_852_737]),
            ("body", 1, "Text", [831_850, 4_589_463, 10_515_600, 1_500_187]),
            NUMBER,
        ],
    ),
    (
        "Two Content",
        "twoObj",
        &[
            TITLE,
            ("obj", 1, "Content", [838_200, 1_825_625, 5_181_600, 4_351_338]),
            ("obj", 2, "Content", [6_172_200, 1_825_625, 5_181_600, 4_351_338]),
            NUMBER,
        ],
    ),
    (
        "Comparison",
        "twoTxTwoObj",
        &[
            ("title", 0, "Title", [839_788, 365_125, 10_515_600, 1_325_563]),
            ("body", 1, "Text", [839_788, 1_681_163, 5_157_787, 600_000]),
            ("obj", 2, "Content", [839_788, 2_300_000, 5_157_787, 3_890_000]),
            ("body", 3, "Text", [6_172_200, 1_681_163, 5_183_188, 600_000]),
            ("obj", 4, "Content", [6_172_200, 2_300_000, 5_183_188, 3_890_000]),
            NUMBER,
        ],
    ),
    (
        "Content with Caption",
        "objTx",
        &[
            ("title", 0, "Title", [839_788, 457_200, 3_932_237, 1_600_200]),
            ("obj", 1, "Content", [5_183_188, 987_425, 6_172_200, 4_873_625]),
            ("body", 2, "Text", [839_788, 2_057_400, 3_932_237, 3_811_588]),
            NUMBER,
        ],
    ),
    ("Title Only", "titleOnly", &[TITLE, NUMBER]),
    ("Blank", "blank", &[NUMBER]),
];

fn shape(xml: &mut Writer, id: u32, (kind, index, prompt, [x, y, width, height]): &Shape, is_master: bool) {
    let name = if *kind == "sldNum" { "Slide Number" } else { prompt };
    let shown_kind = match *kind {
        "obj" if is_master => Some("body"),
        "obj" => None,
        kind => Some(kind),
    };
    let anchor = match *kind {
        "ctrTitle" => "b",
        "sldNum" | "title" => "ctr",
        "body" if !is_master => "b",
        _ => "t",
    };
    xml.element("p:sp").content(|xml| {
        xml.element("p:nvSpPr").content(|xml| {
            named(xml, id, &format!("{name} {id}"));
            xml.element("p:nvPr").content(|xml| {
                let place = xml.element("p:ph").with_some("type", shown_kind);
                place.with_some("idx", Some(index).filter(|index| **index > 0)).empty();
            });
        });
        xml.element("p:spPr").content(|xml| {
            let rect = Rect { x: *x, y: *y, width: *width, height: *height };
            xml.element("a:xfrm").content(|xml| frame(xml, rect));
            if is_master {
                rectangle(xml);
            }
        });
        // Nothing is written in the picture of a slide.
        if *kind == "sldImg" {
            return;
        }
        xml.element("p:txBody").content(|xml| {
            xml.element("a:bodyPr").with("anchor", anchor).content(|xml| xml.mark("a:normAutofit"));
            xml.element("a:lstStyle").content(|xml| first_level(xml, kind, is_master));
            xml.element("a:p").content(|xml| {
                if *kind == "sldNum" {
                    return slide_number(xml, "‹#›", None);
                }
                xml.element("a:r").content(|xml| {
                    xml.element("a:rPr").with("lang", "en-US").empty();
                    xml.element("a:t").text(prompt);
                });
            });
        });
    });
}

/// How the text of the first level looks where a placeholder has it otherwise than its master.
fn first_level(xml: &mut Writer, kind: &str, is_master: bool) {
    let (alignment, size) = match kind {
        "ctrTitle" => (Some("ctr"), 6000),
        "subTitle" => (Some("ctr"), 2400),
        "sldNum" => (Some("r"), 1200),
        "body" if !is_master => (None, 2400),
        _ => return,
    };
    let has_mark = matches!(kind, "ctrTitle" | "sldNum");
    let margin = Some(0).filter(|_| !has_mark);
    let level = xml.element("a:lvl1pPr").with_some("marL", margin).with_some("indent", margin);
    level.with_some("algn", alignment).content(|xml| {
        if !has_mark {
            xml.mark("a:buNone");
        }
        xml.element("a:defRPr").with("sz", size).content(|xml| {
            if kind == "sldNum" {
                color(xml, "tx2");
            }
        });
    });
}

/// A color of the theme.
fn color(xml: &mut Writer, name: &str) {
    xml.element("a:solidFill").content(|xml| xml.element("a:schemeClr").with("val", name).empty());
}

/// The relationships of a part: their types and targets.
fn relationships(all: &[(&'static str, String)]) -> String {
    let one = |(kind, target): &(&'static str, String)| Relationship {
        kind,
        target: target.clone(),
        is_external: false,
    };
    write::relationships(&all.iter().map(one).collect::<Vec<_>>())
}

/// The relationships of a part that has one.
pub(super) fn related(kind: &'static str, target: &str) -> String {
    relationships(&[(kind, target.to_owned())])
}

/// A level of text, without its look.
fn level(
    xml: &mut Writer,
    name: &'static str,
    margin: Option<(usize, Option<i32>)>,
    look: impl FnOnce(&mut Writer),
) {
    let own = xml.element(name).with_some("marL", margin.map(|(margin, _)| margin));
    let own = own.with_some("indent", margin.and_then(|(_, indent)| indent)).with("algn", "l");
    let own = own.with("defTabSz", 914_400).with("rtl", 0).with("eaLnBrk", 1).with("latinLnBrk", 0);
    own.with("hangingPunct", 1).content(look);
}

/// The names of levels.
const LEVELS: [&str; 9] = [
    "a:lvl1pPr",
    "a:lvl2pPr",
    "a:lvl3pPr",
    "a:lvl4pPr",
    "a:lvl5pPr",
    "a:lvl6pPr",
    "a:lvl7pPr",
    "a:lvl8pPr",
    "a:lvl9pPr",
];

/// Size, color and face of text: `face` is `mj` for headings and `mn` for other text.
fn text_look(xml: &mut Writer, size: u32, color: &str, face: &str) {
    xml.element("a:defRPr").with("sz", size).with("kern", 1200).content(|xml| {
        self::color(xml, color);
        for (element, script) in [("a:latin", "lt"), ("a:ea", "ea"), ("a:cs", "cs")] {
            xml.element(element).with("typeface", format!("+{face}-{script}")).empty();
        }
    });
}

/// Between lines, and before a paragraph.
fn spacing(xml: &mut Writer, before: impl FnOnce(&mut Writer)) {
    xml.element("a:lnSpc").content(|xml| xml.element("a:spcPct").with("val", 90_000).empty());
    xml.element("a:spcBef").content(before);
}

/// How text of each level looks.
fn text_styles(xml: &mut Writer) {
    xml.element("p:txStyles").content(|xml| {
        xml.element("p:titleStyle").content(|xml| {
            level(xml, LEVELS[0], None, |xml| {
                spacing(xml, |xml| xml.element("a:spcPct").with("val", 0).empty());
                xml.mark("a:buNone");
                text_look(xml, 4400, "tx2", "mj");
            });
        });
        xml.element("p:bodyStyle").content(|xml| {
            let sizes = [2800, 2400, 2000, 1800, 1800, 1800, 1800, 1800, 1800];
            for (index, (name, size)) in LEVELS.into_iter().zip(sizes).enumerate() {
                let margin = (228_600 + index * 457_200, Some(-228_600));
                level(xml, name, Some(margin), |xml| {
                    let before = if index == 0 { 1000 } else { 500 };
                    spacing(xml, |xml| xml.element("a:spcPts").with("val", before).empty());
                    xml.element("a:buFont").with("typeface", "Arial").empty();
                    xml.element("a:buChar").with("char", "•").empty();
                    text_look(xml, size, "tx1", "mn");
                });
            }
        });
        xml.element("p:otherStyle").content(other_style);
    });
}

/// How text looks that is not in the title or in the content: in tables, captions, and numbers of slides.
fn other_style(xml: &mut Writer) {
    xml.element("a:defPPr").content(|xml| xml.element("a:defRPr").with("lang", "en-US").empty());
    for (index, name) in LEVELS.into_iter().enumerate() {
        level(xml, name, Some((index * 457_200, None)), |xml| text_look(xml, 1800, "tx1", "mn"));
    }
}

/// Which colors of the theme a master uses.
fn colors(xml: &mut Writer) {
    let names = [("bg1", "lt1"), ("tx1", "dk1"), ("bg2", "lt2"), ("tx2", "dk2")];
    let mut map = xml.element("p:clrMap").with_all(&names);
    for number in 1..=6 {
        let name = format!("accent{number}");
        map = map.with(&name, &name);
    }
    map.with("hlink", "hlink").with("folHlink", "folHlink").empty();
}

/// What slides, or notes, look like.
fn master(name: &'static str, shapes: &[Shape], rest: impl FnOnce(&mut Writer)) -> String {
    let mut xml = Writer::part();
    xml.element(name).with_all(&NAMESPACES).content(|xml| {
        xml.element("p:cSld").content(|xml| {
            xml.element("p:bg").content(|xml| {
                xml.element("p:bgRef").with("idx", 1001).content(|xml| {
                    xml.element("a:schemeClr").with("val", "bg1").empty();
                });
            });
            all_shapes(xml, shapes, true);
        });
        colors(xml);
        rest(xml);
    });
    xml.finish()
}

fn all_shapes(xml: &mut Writer, shapes: &[Shape], is_master: bool) {
    shape_tree(xml, |xml| {
        for (id, one) in (2..).zip(shapes) {
            shape(xml, id, one, is_master);
        }
    });
}

fn layout(name: &str, kind: &str, shapes: &[Shape]) -> String {
    let mut xml = Writer::part();
    let own = xml.element("p:sldLayout").with_all(&NAMESPACES).with("type", kind).with("preserve", 1);
    own.content(|xml| {
        xml.element("p:cSld").with("name", name).content(|xml| all_shapes(xml, shapes, false));
        xml.element("p:clrMapOvr").content(|xml| xml.mark("a:masterClrMapping"));
    });
    xml.finish()
}

fn slide_master() -> String {
    let body: Shape = ("obj", 1, "Text", [838_200, 1_825_625, 10_515_600, 4_351_338]);
    master("p:sldMaster", &[TITLE, body, NUMBER], |xml| {
        xml.element("p:sldLayoutIdLst").content(|xml| {
            for number in 1..=LAYOUTS.len() {
                let id = 2_147_483_648 + number as u64;
                xml.element("p:sldLayoutId").with("id", id).with("r:id", format!("rId{number}")).empty();
            }
        });
        text_styles(xml);
    })
}

fn notes_master() -> String {
    let image: Shape = ("sldImg", 2, "", [685_800, 1_143_000, 5_486_400, 3_086_100]);
    let notes: Shape = ("body", 3, "Notes", [685_800, 4_400_550, 5_486_400, 3_600_450]);
    master("p:notesMaster", &[image, notes], |_| {})
}

fn presentation() -> String {
    let mut xml = Writer::part();
    xml.element("p:presentation").with_all(&NAMESPACES).with("saveSubsetFonts", 1).content(|xml| {
        xml.element("p:sldMasterIdLst").content(|xml| {
            xml.element("p:sldMasterId").with("id", 2_147_483_648_u64).with("r:id", "rId1").empty();
        });
        xml.element("p:notesMasterIdLst")
            .content(|xml| xml.element("p:notesMasterId").with("r:id", "rId2").empty());
        xml.mark("p:sldIdLst");
        xml.element("p:sldSz").with("cx", 12_192_000).with("cy", 6_858_000).empty();
        xml.element("p:notesSz").with("cx", 6_858_000).with("cy", 9_144_000).empty();
        xml.element("p:defaultTextStyle").content(other_style);
    });
    xml.finish()
}

/// The built-in template as a file.
#[cfg(test)]
pub(in super::super) fn empty() -> Vec<u8> {
    package().write().unwrap_or_default()
}

/// The built-in template as a file, with another content of a part, or a further part: for fuzz targets.
pub fn with_part(name: &str, content: &[u8]) -> Option<Vec<u8>> {
    let mut package = package();
    package.put(name, content);
    package.write().ok()
}

/// The names of the parts.
pub fn parts() -> Vec<String> {
    package().parts.into_keys().collect()
}

/// The parts of the template.
pub(super) fn package() -> Package {
    let mut package = Package::default();
    // Names and types of parts.
    let mut types: Vec<(String, String)> = Vec::new();
    let office = "application/vnd.openxmlformats-officedocument";
    let mut add = |package: &mut Package, name: String, kind: &str, content: String| {
        package.put(name.clone(), content);
        types.push((name, format!("{office}.{kind}+xml")));
    };
    let mut of_master = Vec::new();
    for (number, (name, kind, shapes)) in (1..).zip(&LAYOUTS) {
        let part = format!("ppt/slideLayouts/slideLayout{number}.xml");
        add(&mut package, part, "presentationml.slideLayout", layout(name, kind, shapes));
        let rels = related("slideMaster", "../slideMasters/slideMaster1.xml");
        package.put(format!("ppt/slideLayouts/_rels/slideLayout{number}.xml.rels"), rels);
        of_master.push(("slideLayout", format!("../slideLayouts/slideLayout{number}.xml")));
    }
    of_master.push(("theme", "../theme/theme1.xml".to_owned()));
    package.put("ppt/slideMasters/_rels/slideMaster1.xml.rels", relationships(&of_master));
    package.put("ppt/notesMasters/_rels/notesMaster1.xml.rels", related("theme", "../theme/theme2.xml"));
    for (name, kind, content) in [
        ("ppt/slideMasters/slideMaster1.xml", "presentationml.slideMaster", slide_master()),
        ("ppt/notesMasters/notesMaster1.xml", "presentationml.notesMaster", notes_master()),
        ("ppt/theme/theme1.xml", "theme", THEME.to_owned()),
        ("ppt/theme/theme2.xml", "theme", THEME.to_owned()),
        ("ppt/presentation.xml", "presentationml.presentation.main", presentation()),
        ("ppt/tableStyles.xml", "presentationml.tableStyles", TABLE_STYLES.to_owned()),
    ] {
        add(&mut package, name.to_owned(), kind, content);
    }
    let rels = relationships(&[
        ("slideMaster", "slideMasters/slideMaster1.xml".to_owned()),
        ("notesMaster", "notesMasters/notesMaster1.xml".to_owned()),
        ("theme", "theme/theme1.xml".to_owned()),
        ("tableStyles", "tableStyles.xml".to_owned()),
    ]);
    package.put("ppt/_rels/presentation.xml.rels", rels);
    package.put("docProps/core.xml", edit::properties("", ""));
    types.push((
        "docProps/core.xml".to_owned(),
        "application/vnd.openxmlformats-package.core-properties+xml".to_owned(),
    ));
    let rels = relationships(&[
        ("officeDocument", "ppt/presentation.xml".to_owned()),
        (TO_CORE, "docProps/core.xml".to_owned()),
    ]);
    package.put("_rels/.rels", rels);
    package.put(edit::LIST, edit::types(&types));
    package
}
