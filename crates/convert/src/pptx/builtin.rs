//! The template that is used where none is given: 16:9, plain.

use std::fmt::Write as _;

use super::package::{NAMESPACES, Package, TYPES, XML};

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

fn shape(id: usize, (kind, index, prompt, [x, y, width, height]): &Shape, master: bool) -> String {
    let index = if *index == 0 { String::new() } else { format!(" idx=\"{index}\"") };
    let kind_text = match *kind {
        "obj" if master => " type=\"body\"".to_owned(),
        "obj" => String::new(),
        kind => format!(" type=\"{kind}\""),
    };
    let content = if *kind == "sldNum" {
        "<a:p><a:fld id=\"{B6F15528-21DE-4FAA-801E-634DDDAF4B2B}\" type=\"slidenum\"><a:rPr lang=\"en-US\"/><a:t>‹#›</a:t></a:fld></a:p>"
            .to_owned()
    } else {
        format!("<a:p><a:r><a:rPr lang=\"en-US\"/><a:t>{prompt}</a:t></a:r></a:p>")
    };
    let (anchor, style) = match *kind {
        "ctrTitle" => ("b", "<a:lvl1pPr algn=\"ctr\"><a:defRPr sz=\"6000\"/></a:lvl1pPr>"),
        "subTitle" => (
            "t",
            "<a:lvl1pPr marL=\"0\" indent=\"0\" algn=\"ctr\"><a:buNone/><a:defRPr sz=\"2400\"/></a:lvl1pPr>",
        ),
        "sldNum" => (
            "ctr",
            "<a:lvl1pPr algn=\"r\"><a:defRPr sz=\"1200\"><a:solidFill><a:schemeClr val=\"tx2\"/></a:solidFill></a:defRPr></a:lvl1pPr>",
        ),
        "title" if !master => ("ctr", ""),
        "title" => ("ctr", ""),
        "body" if !master => {
            ("b", "<a:lvl1pPr marL=\"0\" indent=\"0\"><a:buNone/><a:defRPr sz=\"2400\"/></a:lvl1pPr>")
        }
        _ => ("t", ""),
    };
    format!(
        "<p:sp><p:nvSpPr><p:cNvPr id=\"{id}\" name=\"{} {id}\"/><p:cNvSpPr><a:spLocks noGrp=\"1\"/></p:cNvSpPr><p:nvPr><p:ph{kind_text}{index}/></p:nvPr></p:nvSpPr>\
         <p:spPr><a:xfrm><a:off x=\"{x}\" y=\"{y}\"/><a:ext cx=\"{width}\" cy=\"{height}\"/></a:xfrm>{}</p:spPr>\
         <p:txBody><a:bodyPr anchor=\"{anchor}\"><a:normAutofit/></a:bodyPr><a:lstStyle>{style}</a:lstStyle>{content}</p:txBody></p:sp>",
        if *kind == "sldNum" { "Slide Number" } else { prompt },
        if master { "<a:prstGeom prst=\"rect\"><a:avLst/></a:prstGeom>" } else { "" },
    )
}

fn tree(shapes: &str) -> String {
    format!(
        "<p:spTree><p:nvGrpSpPr><p:cNvPr id=\"1\" name=\"\"/><p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr><p:grpSpPr><a:xfrm><a:off x=\"0\" y=\"0\"/>\
         <a:ext cx=\"0\" cy=\"0\"/><a:chOff x=\"0\" y=\"0\"/><a:chExt cx=\"0\" cy=\"0\"/></a:xfrm></p:grpSpPr>{shapes}</p:spTree>"
    )
}

fn relationships(all: &[(&str, String)]) -> String {
    let mut out = format!(
        "{XML}<Relationships xmlns=\"http://schemas.openxmlformats.org/package/2006/relationships\">"
    );
    for (index, (kind, target)) in all.iter().enumerate() {
        let base = if kind.starts_with("http") { String::new() } else { format!("{TYPES}/") };
        let _ =
            write!(out, "<Relationship Id=\"rId{}\" Type=\"{base}{kind}\" Target=\"{target}\"/>", index + 1);
    }
    out.push_str("</Relationships>");
    out
}

const CORE: &str = "http://schemas.openxmlformats.org/package/2006/relationships/metadata/core-properties";

const COLORS: &str = "<p:clrMap bg1=\"lt1\" tx1=\"dk1\" bg2=\"lt2\" tx2=\"dk2\" accent1=\"accent1\" accent2=\"accent2\" accent3=\"accent3\" \
                      accent4=\"accent4\" accent5=\"accent5\" accent6=\"accent6\" hlink=\"hlink\" folHlink=\"folHlink\"/>";

/// How text of each level looks.
fn text_styles() -> String {
    let mut body = String::new();
    for (level, size) in [2800, 2400, 2000, 1800, 1800, 1800, 1800, 1800, 1800].iter().enumerate() {
        let margin = 228_600 + level * 457_200;
        let _ = write!(
            body,
            "<a:lvl{0}pPr marL=\"{margin}\" indent=\"-228600\" algn=\"l\" defTabSz=\"914400\" rtl=\"0\" eaLnBrk=\"1\" latinLnBrk=\"0\" hangingPunct=\"1\">\
             <a:lnSpc><a:spcPct val=\"90000\"/></a:lnSpc><a:spcBef><a:spcPts val=\"{1}\"/></a:spcBef><a:buFont typeface=\"Arial\"/><a:buChar char=\"•\"/>\
             <a:defRPr sz=\"{size}\" kern=\"1200\"><a:solidFill><a:schemeClr val=\"tx1\"/></a:solidFill><a:latin typeface=\"+mn-lt\"/><a:ea typeface=\"+mn-ea\"/><a:cs typeface=\"+mn-cs\"/></a:defRPr></a:lvl{0}pPr>",
            level + 1,
            if level == 0 { 1000 } else { 500 },
        );
    }
    format!(
        "<p:txStyles><p:titleStyle><a:lvl1pPr algn=\"l\" defTabSz=\"914400\" rtl=\"0\" eaLnBrk=\"1\" latinLnBrk=\"0\" hangingPunct=\"1\"><a:lnSpc><a:spcPct val=\"90000\"/></a:lnSpc>\
         <a:spcBef><a:spcPct val=\"0\"/></a:spcBef><a:buNone/><a:defRPr sz=\"4400\" kern=\"1200\"><a:solidFill><a:schemeClr val=\"tx2\"/></a:solidFill>\
         <a:latin typeface=\"+mj-lt\"/><a:ea typeface=\"+mj-ea\"/><a:cs typeface=\"+mj-cs\"/></a:defRPr></a:lvl1pPr></p:titleStyle>\
         <p:bodyStyle>{body}</p:bodyStyle><p:otherStyle>{}</p:otherStyle></p:txStyles>",
        other_style()
    )
}

/// How text looks that is not in the title or in the content: in tables, captions, and numbers of slides.
fn other_style() -> String {
    let mut out = "<a:defPPr><a:defRPr lang=\"en-US\"/></a:defPPr>".to_owned();
    for level in 1..=9 {
        let _ = write!(
            out,
            "<a:lvl{level}pPr marL=\"{}\" algn=\"l\" defTabSz=\"914400\" rtl=\"0\" eaLnBrk=\"1\" latinLnBrk=\"0\" hangingPunct=\"1\"><a:defRPr sz=\"1800\" kern=\"1200\">\
             <a:solidFill><a:schemeClr val=\"tx1\"/></a:solidFill><a:latin typeface=\"+mn-lt\"/><a:ea typeface=\"+mn-ea\"/><a:cs typeface=\"+mn-cs\"/></a:defRPr></a:lvl{level}pPr>",
            (level - 1) * 457_200
        );
    }
    out
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
#[allow(clippy::too_many_lines, reason = "a list of parts")]
pub(super) fn package() -> Package {
    let mut package = Package::default();
    let office = "application/vnd.openxmlformats-officedocument";
    let mut types = String::new();
    let mut add = |package: &mut Package, name: &str, kind: &str, content: String| {
        let _ = write!(types, "<Override PartName=\"/{name}\" ContentType=\"{kind}\"/>");
        package.put(name, content);
    };
    let mut master_relationships = Vec::new();
    let mut list = String::new();
    for (index, (name, kind, shapes)) in LAYOUTS.iter().enumerate() {
        let number = index + 1;
        let all: String = shapes.iter().enumerate().map(|(at, one)| shape(at + 2, one, false)).collect();
        let content = format!(
            "{XML}<p:sldLayout {NAMESPACES} type=\"{kind}\" preserve=\"1\"><p:cSld name=\"{name}\">{}</p:cSld><p:clrMapOvr><a:masterClrMapping/></p:clrMapOvr></p:sldLayout>",
            tree(&all)
        );
        let part = format!("ppt/slideLayouts/slideLayout{number}.xml");
        add(&mut package, &part, &format!("{office}.presentationml.slideLayout+xml"), content);
        let rels = relationships(&[("slideMaster", "../slideMasters/slideMaster1.xml".to_owned())]);
        package.put(format!("ppt/slideLayouts/_rels/slideLayout{number}.xml.rels"), rels);
        master_relationships.push(("slideLayout", format!("../slideLayouts/slideLayout{number}.xml")));
        let _ =
            write!(list, "<p:sldLayoutId id=\"{}\" r:id=\"rId{number}\"/>", 2_147_483_649_u64 + index as u64);
    }
    master_relationships.push(("theme", "../theme/theme1.xml".to_owned()));
    let body: Shape = ("obj", 1, "Text", [838_200, 1_825_625, 10_515_600, 4_351_338]);
    let shapes = [shape(2, &TITLE, true), shape(3, &body, true), shape(4, &NUMBER, true)].concat();
    let master = format!(
        "{XML}<p:sldMaster {NAMESPACES}><p:cSld><p:bg><p:bgRef idx=\"1001\"><a:schemeClr val=\"bg1\"/></p:bgRef></p:bg>{}</p:cSld>{COLORS}\
         <p:sldLayoutIdLst>{list}</p:sldLayoutIdLst>{}</p:sldMaster>",
        tree(&shapes),
        text_styles()
    );
    add(
        &mut package,
        "ppt/slideMasters/slideMaster1.xml",
        &format!("{office}.presentationml.slideMaster+xml"),
        master,
    );
    package.put("ppt/slideMasters/_rels/slideMaster1.xml.rels", relationships(&master_relationships));
    let image: Shape = ("sldImg", 2, "", [685_800, 1_143_000, 5_486_400, 3_086_100]);
    let notes: Shape = ("body", 3, "Notes", [685_800, 4_400_550, 5_486_400, 3_600_450]);
    let picture = shape(2, &image, true).replace("<p:txBody>", "<p:gone>");
    let picture = picture.split("<p:gone>").next().map(|start| format!("{start}</p:sp>")).unwrap_or_default();
    let notes_master = format!(
        "{XML}<p:notesMaster {NAMESPACES}><p:cSld><p:bg><p:bgRef idx=\"1001\"><a:schemeClr val=\"bg1\"/></p:bgRef></p:bg>{}</p:cSld>{COLORS}</p:notesMaster>",
        tree(&format!("{picture}{}", shape(3, &notes, true)))
    );
    add(
        &mut package,
        "ppt/notesMasters/notesMaster1.xml",
        &format!("{office}.presentationml.notesMaster+xml"),
        notes_master,
    );
    let rels = relationships(&[("theme", "../theme/theme2.xml".to_owned())]);
    package.put("ppt/notesMasters/_rels/notesMaster1.xml.rels", rels);
    for number in 1..=2 {
        add(
            &mut package,
            &format!("ppt/theme/theme{number}.xml"),
            &format!("{office}.theme+xml"),
            THEME.to_owned(),
        );
    }
    let presentation = format!(
        "{XML}<p:presentation {NAMESPACES} saveSubsetFonts=\"1\"><p:sldMasterIdLst><p:sldMasterId id=\"2147483648\" r:id=\"rId1\"/></p:sldMasterIdLst>\
         <p:notesMasterIdLst><p:notesMasterId r:id=\"rId2\"/></p:notesMasterIdLst><p:sldIdLst/><p:sldSz cx=\"12192000\" cy=\"6858000\"/><p:notesSz cx=\"6858000\" cy=\"9144000\"/><p:defaultTextStyle>{}</p:defaultTextStyle></p:presentation>",
        other_style()
    );
    add(
        &mut package,
        "ppt/presentation.xml",
        &format!("{office}.presentationml.presentation.main+xml"),
        presentation,
    );
    let rels = relationships(&[
        ("slideMaster", "slideMasters/slideMaster1.xml".to_owned()),
        ("notesMaster", "notesMasters/notesMaster1.xml".to_owned()),
        ("theme", "theme/theme1.xml".to_owned()),
        ("tableStyles", "tableStyles.xml".to_owned()),
    ]);
    package.put("ppt/_rels/presentation.xml.rels", rels);
    add(
        &mut package,
        "ppt/tableStyles.xml",
        &format!("{office}.presentationml.tableStyles+xml"),
        TABLE_STYLES.to_owned(),
    );
    let core = format!(
        "{XML}<cp:coreProperties xmlns:cp=\"http://schemas.openxmlformats.org/package/2006/metadata/core-properties\"/>"
    );
    add(
        &mut package,
        "docProps/core.xml",
        "application/vnd.openxmlformats-package.core-properties+xml",
        core,
    );
    let rels = relationships(&[
        ("officeDocument", "ppt/presentation.xml".to_owned()),
        (CORE, "docProps/core.xml".to_owned()),
    ]);
    package.put("_rels/.rels", rels);
    let all = format!(
        "{XML}<Types xmlns=\"http://schemas.openxmlformats.org/package/2006/content-types\">\
         <Default Extension=\"rels\" ContentType=\"application/vnd.openxmlformats-package.relationships+xml\"/>\
         <Default Extension=\"xml\" ContentType=\"application/xml\"/>{types}</Types>"
    );
    package.put("[Content_Types].xml", all);
    package
}
