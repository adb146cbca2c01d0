//! What a template has: its size, its layouts, and their placeholders.

use std::collections::{BTreeSet, HashSet};

use roxmltree::Node;

use super::{
    builtin, edit,
    model::{Placeholder, Rect, TextSizes},
    package::Package,
};
use crate::{
    budget,
    text::{clip, visible},
    xml,
};

/// Most masters, layouts, and placeholders of all layouts.
const MASTERS: usize = 200;
const LAYOUTS_READ: usize = 2_000;
const PLACEHOLDERS: usize = 20_000;

/// Most relationships of a part.
const RELATIONSHIPS: usize = 10_000;

/// Most faces of a theme that are listed.
const FACES: usize = 100;

/// Longest name in characters.
const LONGEST: usize = 200;

/// Steps that reading a shape takes.
const SHAPE: u64 = 100;

/// A layout.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layout {
    pub part: String,
    pub name: String,
    pub placeholders: Vec<Placeholder>,
}

/// A template.
pub(super) struct Template {
    pub(super) package: Package,
    pub(super) layouts: Vec<Layout>,
    pub(super) width: i64,
    pub(super) height: i64,
    pub(super) presentation: String,
    pub(super) notes_master: String,
}

/// What a template offers, for people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Description {
    pub width: i64,
    pub height: i64,
    pub layouts: Vec<Layout>,
    /// Names of layouts that decks use and the template does not have.
    pub missing: Vec<&'static str>,
    /// Fonts of the theme.
    pub fonts: Vec<String>,
}

/// The layouts that decks use.
pub(super) const LAYOUTS: [&str; 7] = [
    "Title Slide",
    "Title and Content",
    "Section Header",
    "Two Content",
    "Comparison",
    "Content with Caption",
    "Blank",
];

/// Describes a template.
pub(crate) fn describe(bytes: &[u8]) -> Result<Description, String> {
    let template = Template::read(Some(bytes))?;
    let missing = LAYOUTS.into_iter().filter(|name| template.layout(name).is_none()).collect();
    let mut fonts = BTreeSet::new();
    let themes = template.package.parts.keys().filter(|name| name.starts_with("ppt/theme/theme"));
    for text in themes.filter_map(|name| template.package.text(name)) {
        let Ok(document) = xml::parse(text) else { continue };
        let faces = document.descendants().filter(|node| {
            node.has_tag_name(("http://schemas.openxmlformats.org/drawingml/2006/main", "latin"))
        });
        fonts.extend(
            faces
                .filter_map(|node| node.attribute("typeface"))
                .filter(|face| !face.is_empty() && !face.starts_with('+'))
                .take(FACES)
                .map(|face| clip(face, LONGEST).into_owned()),
        );
    }
    Ok(Description {
        width: template.width,
        height: template.height,
        layouts: template.layouts,
        missing,
        fonts: fonts.into_iter().collect(),
    })
}

impl Template {
    /// Reads a template, or makes the built-in one.
    pub(super) fn read(bytes: Option<&[u8]>) -> Result<Self, String> {
        let mut package = match bytes {
            Some(bytes) => Package::read(bytes)?,
            None => builtin::package(),
        };
        if !edit::is_presentation(&package)? {
            return Err("its main part is not a presentation".to_owned());
        }
        let presentation = "ppt/presentation.xml".to_owned();
        let main = package.text(&presentation).ok_or("it has no part `ppt/presentation.xml`")?;
        let document =
            xml::parse(main).map_err(|error| format!("`{presentation}` cannot be used: {error}"))?;
        let size = document.descendants().find(|node| node.tag_name().name() == "sldSz");
        let length = |name: &str| size.and_then(|size| size.attribute(name)?.parse::<i64>().ok());
        let (width, height) = (length("cx").unwrap_or(12_192_000), length("cy").unwrap_or(6_858_000));
        let mut notes_master = None;
        let mut masters = Vec::new();
        for (kind, target) in relationships(&package, &presentation)? {
            if kind.ends_with("/notesMaster") {
                notes_master = Some(target);
            } else if kind.ends_with("/slideMaster") {
                masters.push(target);
            }
        }
        let layouts = layouts(&package, masters)?;
        if layouts.is_empty() {
            return Err("it has no slide layouts".to_owned());
        }
        let notes_master = match notes_master {
            Some(found) => found,
            None => {
                let (notes, related) = (builtin::package(), builtin::related("theme", edit::NOTES_THEME));
                edit::add_notes_master(&mut package, &presentation, &notes, related)?
            }
        };
        Ok(Self { package, layouts, width, height, presentation, notes_master })
    }

    /// The layout of a name.
    pub(super) fn layout(&self, name: &str) -> Option<&Layout> {
        self.layouts.iter().find(|layout| layout.name.trim().eq_ignore_ascii_case(name))
    }

    /// Where slides with one column have their content, and the sizes of its text.
    pub(super) fn content(&self) -> (Rect, TextSizes) {
        let layout = self.layout("Title and Content");
        let placeholder =
            layout.and_then(|layout| layout.placeholders.iter().find(|one| one.takes_content()));
        match placeholder.filter(|placeholder| placeholder.rect.height > 0) {
            Some(placeholder) => (placeholder.rect, placeholder.sizes),
            None => {
                let (width, height) = (self.width * 9 / 10, self.height * 6 / 10);
                (Rect { width, height, ..Rect::default() }, TextSizes::USUAL)
            }
        }
    }
}

/// The layouts of masters, each of which is read once however often it is named.
fn layouts(package: &Package, masters: Vec<String>) -> Result<Vec<Layout>, String> {
    let limited = |what: &str, count: usize, most: usize| {
        if count > most { Err(format!("it has more than {most} {what}")) } else { Ok(()) }
    };
    let mut known: HashSet<String> = HashSet::new();
    let mut out: Vec<Layout> = Vec::new();
    let (mut read, mut places) = (0, 0);
    for target in masters {
        if !known.insert(target.clone()) {
            continue;
        }
        read += 1;
        limited("slide masters", read, MASTERS)?;
        let master = placeholders(package, &target, &[]);
        for (kind, part) in relationships(package, &target)? {
            if !kind.ends_with("/slideLayout") || !known.insert(part.clone()) {
                continue;
            }
            let name = layout_name(package, &part).unwrap_or_default();
            let placeholders = placeholders(package, &part, &master);
            places += placeholders.len();
            out.push(Layout { part, name, placeholders });
            limited("slide layouts", out.len(), LAYOUTS_READ)?;
            limited("placeholders", places, PLACEHOLDERS)?;
            if !budget::is_left() {
                return Err("the budget is used up".to_owned());
            }
        }
    }
    Ok(out)
}

/// Types and targets of the relationships of a part, except for those that lead out of the file.
///
/// # Errors
/// What is wrong with their list.
pub(super) fn relationships(package: &Package, part: &str) -> Result<Vec<(String, String)>, String> {
    let (folder, name) = part.rsplit_once('/').unwrap_or(("", part));
    let list = format!("{folder}/_rels/{name}.rels");
    let Some(text) = package.text(&list) else { return Ok(Vec::new()) };
    let document = xml::parse(text).map_err(|error| format!("`{}` cannot be used: {error}", shown(&list)))?;
    let nodes = document.root_element().children().filter(Node::is_element);
    let inside = nodes.filter(|node| node.attribute("TargetMode") != Some("External"));
    let found = inside.filter_map(|node| {
        let target = node.attribute("Target")?;
        Some((node.attribute("Type")?.to_owned(), resolved(folder, target)))
    });
    let found: Vec<(String, String)> = budget::within(found).take(RELATIONSHIPS + 1).collect();
    if found.len() > RELATIONSHIPS {
        return Err(format!("`{}` has more than {RELATIONSHIPS} relationships", shown(&list)));
    }
    Ok(found)
}

/// The name of a part as messages show it.
fn shown(part: &str) -> String {
    visible(&clip(part, 60)).into_owned()
}

/// The name of a part that a part in `folder` names.
fn resolved(folder: &str, target: &str) -> String {
    if let Some(absolute) = target.strip_prefix('/') {
        return absolute.to_owned();
    }
    let mut parts: Vec<&str> = folder.split('/').collect();
    for part in target.split('/') {
        match part {
            ".." => {
                parts.pop();
            }
            "." | "" => {}
            part => parts.push(part),
        }
    }
    parts.join("/")
}

fn layout_name(package: &Package, part: &str) -> Option<String> {
    let document = xml::parse(package.text(part)?).ok()?;
    let content = document.descendants().find(|node| node.tag_name().name() == "cSld")?;
    content.attribute("name").map(|name| clip(name, LONGEST).into_owned())
}

/// The placeholders of a layout; rectangles and sizes of text that it does not set are those of the master.
fn placeholders(package: &Package, part: &str, master: &[Placeholder]) -> Vec<Placeholder> {
    let Some(Ok(document)) = package.text(part).map(xml::parse) else { return Vec::new() };
    let shapes = document.descendants().filter(|node| node.tag_name().name() == "sp");
    // A master has the sizes of text; a layout has none of its own here.
    let body = document.descendants().find(|node| node.tag_name().name() == "bodyStyle");
    let usual = sized(TextSizes::USUAL, body);
    shapes
        .take_while(|_| budget::charge(SHAPE))
        .take(PLACEHOLDERS + 1)
        .filter_map(|shape| {
            budget::charge(shape.range().len() as u64 / 8);
            let found = shape.descendants().find(|node| node.tag_name().name() == "ph")?;
            let kind = clip(found.attribute("type").unwrap_or("obj"), LONGEST).into_owned();
            let index = found.attribute("idx").map(|index| clip(index, LONGEST).into_owned());
            let wanted = match kind.as_str() {
                "ctrTitle" => "title",
                "obj" | "subTitle" | "pic" | "tbl" | "chart" => "body",
                other => other,
            };
            let inherited = master.iter().find(|placeholder| placeholder.kind == wanted);
            let rect = rect(shape).or(inherited.map(|found| found.rect)).unwrap_or_default();
            let own = shape.descendants().find(|node| node.tag_name().name() == "lstStyle");
            let sizes = sized(inherited.map_or(usual, |found| found.sizes), own);
            Some(Placeholder { kind, index, rect, sizes })
        })
        .collect()
}

/// The sizes of text with those that a list of levels sets.
fn sized(sizes: TextSizes, levels: Option<Node<'_, '_>>) -> TextSizes {
    let mut out = sizes;
    for (level, own) in (1..).zip(&mut out.0) {
        let name = format!("lvl{level}pPr");
        let set = levels.and_then(|levels| levels.children().find(|node| node.tag_name().name() == name));
        let run = set.and_then(|set| set.children().find(|node| node.tag_name().name() == "defRPr"));
        let size = run.and_then(|run| run.attribute("sz")?.parse().ok());
        *own = size.filter(|size| (100..=40_000).contains(size)).unwrap_or(*own);
    }
    out
}

fn rect(shape: Node<'_, '_>) -> Option<Rect> {
    let frame = shape.descendants().find(|node| node.tag_name().name() == "xfrm")?;
    let child = |name: &str| frame.children().find(|node| node.tag_name().name() == name);
    let number = |node: Node<'_, '_>, name: &str| node.attribute(name)?.parse::<i64>().ok();
    let (offset, extent) = (child("off")?, child("ext")?);
    Some(Rect {
        x: number(offset, "x")?,
        y: number(offset, "y")?,
        width: number(extent, "cx")?,
        height: number(extent, "cy")?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const RELATED: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";

    /// The built-in template with further parts.
    fn with(parts: &[(&str, String)]) -> Vec<u8> {
        let mut package = builtin::package();
        for (name, text) in parts {
            package.put(*name, text.clone());
        }
        package.write().unwrap()
    }

    fn related(kind: &str, targets: impl Iterator<Item = String>) -> String {
        let rows = targets.enumerate().map(|(number, target)| {
            format!("<Relationship Id=\"r{number}\" Type=\"{RELATED}/{kind}\" Target=\"{target}\"/>")
        });
        format!("<Relationships>{}</Relationships>", rows.collect::<String>())
    }

    const MASTER: &str = "ppt/slideMasters/_rels/slideMaster1.xml.rels";
    const PRESENTATION: &str = "ppt/_rels/presentation.xml.rels";

    #[test]
    fn a_layout_that_is_named_often_is_read_once() {
        let layout = || std::iter::repeat_n("../slideLayouts/slideLayout1.xml".to_owned(), 9_000);
        let master = || std::iter::repeat_n("slideMasters/slideMaster1.xml".to_owned(), 9_000);
        let bytes = with(&[
            (MASTER, related("slideLayout", layout())),
            (PRESENTATION, related("slideMaster", master())),
        ]);
        assert_eq!(describe(&bytes).map(|found| found.layouts.len()), Ok(1));
    }

    #[test]
    fn numbers_of_parts_and_relationships_are_limited() {
        let refused = |parts: &[(&str, String)]| describe(&with(parts)).unwrap_err();
        let layouts = (0..10_001).map(|number| format!("../slideLayouts/{number}.xml"));
        assert!(
            refused(&[(MASTER, related("slideLayout", layouts))]).contains("more than 10000 relationships")
        );
        let layouts = (0..2_001).map(|number| format!("../slideLayouts/{number}.xml"));
        assert_eq!(
            refused(&[(MASTER, related("slideLayout", layouts))]),
            "it has more than 2000 slide layouts"
        );
        let masters = (0..201).map(|number| format!("slideMasters/{number}.xml"));
        let masters = related("slideMaster", masters);
        assert_eq!(refused(&[(PRESENTATION, masters)]), "it has more than 200 slide masters");
        let shapes = "<sp><ph/></sp>".repeat(20_001);
        let layout = format!("<sldLayout><cSld>{shapes}</cSld></sldLayout>");
        assert_eq!(
            refused(&[("ppt/slideLayouts/slideLayout1.xml", layout)]),
            "it has more than 20000 placeholders"
        );
        let attributes: String = (0..300).map(|number| format!(" a{number}='1'")).collect();
        let main = format!("<presentation{attributes}/>");
        assert!(refused(&[("ppt/presentation.xml", main)]).contains("more than 256 attributes"));
        let many: Vec<(String, String)> =
            (0..5_001).map(|number| (format!("x/{number}"), String::new())).collect();
        let many: Vec<(&str, String)> =
            many.iter().map(|(name, text)| (name.as_str(), text.clone())).collect();
        assert_eq!(refused(&many), "it has more than 5000 parts");
        let large = format!("<a>{}</a>", " ".repeat(17 << 20));
        assert!(refused(&[("ppt/x.xml", large)]).contains("is larger than 16 MiB"));
    }

    #[test]
    fn names_of_parts_stay_in_the_file() {
        for name in ["../x", "ppt/../../x", "a\\..\\b", "/etc/x", "C:/x", "ppt//x", "./x", "a\u{1b}b"] {
            let why = describe(&with(&[(name, String::new())])).unwrap_err();
            assert!(why.contains("leads out of the file") && !why.contains('\u{1b}'), "{name}: {why}");
        }
        assert!(describe(&with(&[("ppt/media/a..b.png", String::new())])).is_ok());
    }
}
