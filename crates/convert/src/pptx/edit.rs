//! Parts of a template that change when slides are put into it. Only the elements that change are written again.

use roxmltree::{Document, Node};

use super::{
    model::Relationship,
    package::{CORE, PRESENTATION, Package, RELATIONSHIPS, TYPES},
    write::relationship,
};
use crate::xml::{
    self, Writer,
    edit::{Change, after, appended, changed, removed, replaced},
};

/// The name space of the list of content types.
const CONTENT: &str = "http://schemas.openxmlformats.org/package/2006/content-types";

/// The list of content types.
pub(super) const LIST: &str = "[Content_Types].xml";

/// What the types of parts of presentations begin with.
const OFFICE: &str = "application/vnd.openxmlformats-officedocument";

/// Folders whose parts belong to slides.
pub(super) const OF_SLIDES: [&str; 3] = ["ppt/slides/", "ppt/notesSlides/", "ppt/comments/"];

/// Changes a part. `edit` gets its text and its root.
fn change(
    package: &mut Package,
    name: &str,
    edit: impl FnOnce(&str, Node<'_, '_>) -> Vec<Change>,
) -> Result<(), String> {
    let text = package.text(name).ok_or_else(|| format!("it has no part `{name}`"))?;
    let read = xml::parse(text).map_err(|error| format!("`{name}` cannot be used: {error}"))?;
    let changes = edit(text, read.root_element());
    let text = changed(text, changes);
    package.put(name, text);
    Ok(())
}

/// Elements, written in the name space `uri` of the root that they are put into.
fn within(root: Node<'_, '_>, uri: &str, write: impl Fn(&mut Writer, Option<&str>)) -> String {
    let mut writer = Writer::default();
    write(&mut writer, Some(uri).filter(|uri| root.default_namespace() != Some(uri)));
    writer.finish()
}

/// Children of an element with this name.
fn children<'a, 'i>(node: Node<'a, 'i>, name: &'static str) -> impl Iterator<Item = Node<'a, 'i>> {
    node.children().filter(move |child| child.tag_name().name() == name)
}

/// The names of spaces that the root does not declare as our elements use them.
fn undeclared(root: Node<'_, '_>) -> Vec<(&'static str, &'static str)> {
    let used = [("xmlns:p", "p", PRESENTATION), ("xmlns:r", "r", TYPES)];
    let missing =
        used.into_iter().filter(|(_, prefix, uri)| root.lookup_namespace_uri(Some(prefix)) != Some(uri));
    missing.map(|(name, _, uri)| (name, uri)).collect()
}

/// Puts a list after the lists of masters in a presentation, or in the place of an older one.
fn list_after_masters(root: Node<'_, '_>, old: &'static str, masters: &[&str], list: String) -> Change {
    if let Some(old) = children(root, old).next() {
        return replaced(old, list);
    }
    let last = root.children().rfind(|child| masters.contains(&child.tag_name().name()));
    match (last, root.first_element_child()) {
        (Some(last), _) => after(last, list),
        (None, Some(first)) => (first.range().start..first.range().start, list),
        (None, None) => appended(root.document().input_text(), root, &list),
    }
}

/// Lists the slides in the presentation `main`, in place of the template's. What names the template's slides, such as
/// its sections and its shows, is taken out.
pub(super) fn list_slides(package: &mut Package, main: &str, slides: &[String]) -> Result<(), String> {
    let id = |index: usize| format!("rIdSlide{}", index + 1);
    change(package, "ppt/_rels/presentation.xml.rels", |text, root| {
        let is_slide =
            |one: &Node<'_, '_>| one.attribute("Type").is_some_and(|kind| kind.ends_with("/slide"));
        let mut changes: Vec<Change> = children(root, "Relationship").filter(is_slide).map(removed).collect();
        let added = within(root, RELATIONSHIPS, |writer, space| {
            for (index, part) in slides.iter().enumerate() {
                let one = Relationship { kind: "slide", target: format!("/{part}"), is_external: false };
                relationship(writer, &id(index), &one, space);
            }
        });
        changes.push(appended(text, root, &added));
        changes
    })?;
    change(package, main, |_, root| {
        let mut writer = Writer::default();
        writer.element("p:sldIdLst").with_all(&undeclared(root)).content(|writer| {
            for index in 0..slides.len() {
                writer.element("p:sldId").with("id", 256 + index).with("r:id", id(index)).empty();
            }
        });
        let masters = ["sldMasterIdLst", "notesMasterIdLst", "handoutMasterIdLst"];
        let mut changes = vec![list_after_masters(root, "sldIdLst", &masters, writer.finish())];
        changes.extend(children(root, "custShowLst").map(removed));
        let extensions = children(root, "extLst").flat_map(|list| children(list, "ext"));
        let of_slides = |one: &Node<'_, '_>| children(*one, "sectionLst").next().is_some();
        changes.extend(extensions.filter(of_slides).map(removed));
        changes
    })
}

/// Lists the types of slides and pictures, in place of those of the template's slides. A template becomes a presentation.
pub(super) fn list_types(package: &mut Package, slides: usize, notes: usize) -> Result<(), String> {
    change(package, LIST, |text, root| {
        let of_slide = |one: &Node<'_, '_>| {
            let part = one.attribute("PartName").unwrap_or_default().trim_start_matches('/');
            OF_SLIDES.iter().any(|folder| part.starts_with(folder))
        };
        let mut changes: Vec<Change> = children(root, "Override").filter(of_slide).map(removed).collect();
        let kinds = children(root, "Override").filter_map(|one| one.attribute_node("ContentType"));
        let template = ".presentationml.template.main+xml";
        for kind in kinds.filter(|kind| kind.value().ends_with(template)) {
            changes.push((kind.range_value(), format!("{OFFICE}.presentationml.presentation.main+xml")));
        }
        let known = |extension: &str| {
            let mut listed = children(root, "Default").filter_map(|one| one.attribute("Extension"));
            listed.any(|listed| listed.eq_ignore_ascii_case(extension))
        };
        let added = within(root, CONTENT, |writer, space| {
            for (extension, kind) in [("png", "image/png"), ("jpeg", "image/jpeg"), ("gif", "image/gif")] {
                if !known(extension) {
                    let row = writer.element("Default").with_some("xmlns", space);
                    row.with("Extension", extension).with("ContentType", kind).empty();
                }
            }
            for (count, name) in [(slides, "slide"), (notes, "notesSlide")] {
                for number in 1..=count {
                    let part = format!("/ppt/{name}s/{name}{number}.xml");
                    part_type(writer, &part, &format!("{OFFICE}.presentationml.{name}+xml"), space);
                }
            }
        });
        changes.push(appended(text, root, &added));
        changes
    })
}

/// A list of content types: names and types of parts.
pub(super) fn types(parts: &[(String, String)]) -> String {
    let mut writer = Writer::part();
    writer.element("Types").with("xmlns", CONTENT).content(|writer| {
        let package = "application/vnd.openxmlformats-package.relationships+xml";
        for (extension, kind) in [("rels", package), ("xml", "application/xml")] {
            writer.element("Default").with("Extension", extension).with("ContentType", kind).empty();
        }
        for (part, kind) in parts {
            part_type(writer, &format!("/{part}"), kind, None);
        }
    });
    writer.finish()
}

/// Says which type a part has.
fn part_type(writer: &mut Writer, part: &str, kind: &str, space: Option<&str>) {
    let row = writer.element("Override").with_some("xmlns", space);
    row.with("PartName", part).with("ContentType", kind).empty();
}

/// Sets title and authors where the template has properties.
pub(super) fn set_properties(package: &mut Package, title: &str, creator: &str) {
    if package.parts.contains_key("docProps/core.xml") {
        package.put("docProps/core.xml", properties(title, creator));
    }
}

/// The properties of a presentation.
pub(super) fn properties(title: &str, creator: &str) -> String {
    let mut writer = Writer::part();
    let root = writer.element("cp:coreProperties").with("xmlns:cp", CORE);
    root.with("xmlns:dc", "http://purl.org/dc/elements/1.1/").content(|writer| {
        writer.element("dc:title").text(title);
        writer.element("dc:creator").text(creator);
    });
    writer.finish()
}

/// The theme of an added notes master, as the master refers to it.
pub(super) const NOTES_THEME: &str = "../theme/themeNotes.xml";

/// Adds the notes master of `builtin` to a template without one, so that speaker notes are kept; gives its name. `related` is
/// the list of its relationships.
pub(super) fn add_notes_master(
    package: &mut Package,
    presentation: &str,
    builtin: &Package,
    related: String,
) -> Result<String, String> {
    let master = "ppt/notesMasters/notesMaster1.xml";
    let theme = "ppt/theme/themeNotes.xml";
    let part = |name: &str| builtin.parts.get(name).cloned().unwrap_or_default();
    package.put_shared(master, part(master));
    package.put_shared(theme, part("ppt/theme/theme2.xml"));
    package.put("ppt/notesMasters/_rels/notesMaster1.xml.rels", related);
    change(package, LIST, |text, root| {
        let added = within(root, CONTENT, |writer, space| {
            let kind = format!("{OFFICE}.presentationml.notesMaster+xml");
            part_type(writer, &format!("/{master}"), &kind, space);
            part_type(writer, &format!("/{theme}"), &format!("{OFFICE}.theme+xml"), space);
        });
        vec![appended(text, root, &added)]
    })?;
    let id = "rIdNotesMaster";
    change(package, "ppt/_rels/presentation.xml.rels", |text, root| {
        let target = "notesMasters/notesMaster1.xml".to_owned();
        let one = Relationship { kind: "notesMaster", target, is_external: false };
        let added = within(root, RELATIONSHIPS, |writer, space| relationship(writer, id, &one, space));
        vec![appended(text, root, &added)]
    })?;
    change(package, presentation, |_, root| {
        let mut writer = Writer::default();
        let list = writer.element("p:notesMasterIdLst").with_all(&undeclared(root));
        list.content(|writer| writer.element("p:notesMasterId").with("r:id", id).empty());
        vec![list_after_masters(root, "notesMasterIdLst", &["sldMasterIdLst"], writer.finish())]
    })?;
    Ok(master.to_owned())
}

/// Whether the main part of a package is a presentation or a template of one.
pub(super) fn is_presentation(package: &Package) -> Result<bool, String> {
    let text = package.text(LIST).ok_or("it has no list of content types")?;
    let read: Document<'_> = xml::parse(text).map_err(|error| format!("`{LIST}` cannot be used: {error}"))?;
    let mut kinds = children(read.root_element(), "Override").filter_map(|one| one.attribute("ContentType"));
    Ok(kinds.any(|kind| {
        [".presentationml.presentation.main+xml", ".presentationml.template.main+xml"]
            .iter()
            .any(|ending| kind.ends_with(ending))
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAIN: &str = "ppt/presentation.xml";

    fn edited(name: &str, text: &str, edit: impl Fn(&mut Package) -> Result<(), String>) -> String {
        let mut package = Package::default();
        let rels = format!("<Relationships xmlns=\"{RELATIONSHIPS}\"/>");
        package.put("ppt/_rels/presentation.xml.rels", rels);
        package.put(name, text);
        edit(&mut package).unwrap();
        package.text(name).unwrap_or_default().to_owned()
    }

    #[test]
    fn slides_take_the_place_of_those_of_the_template_under_any_prefix() {
        let text = format!(
            "<x:presentation xmlns:x=\"{PRESENTATION}\"><x:sldMasterIdLst/><x:sldIdLst><x:sldId id=\"256\"/></x:sldIdLst><x:sldSz cx=\"1\" cy=\"1\"/>\
             <x:custShowLst><x:custShow/></x:custShowLst><x:extLst><x:ext uri=\"a\"><s:sectionLst xmlns:s=\"u\"/></x:ext><x:ext uri=\"b\"/></x:extLst></x:presentation>"
        );
        let made =
            edited(MAIN, &text, |package| list_slides(package, MAIN, &["ppt/slides/slide1.xml".to_owned()]));
        let read = xml::parse(&made).unwrap();
        let names: Vec<&str> = read.root_element().children().map(|child| child.tag_name().name()).collect();
        assert_eq!(names, ["sldMasterIdLst", "sldIdLst", "sldSz", "extLst"]);
        let list = children(read.root_element(), "sldIdLst").next().unwrap();
        assert!(list.children().all(|one| one.has_tag_name((PRESENTATION, "sldId"))));
        assert_eq!(list.first_child().and_then(|one| one.attribute((TYPES, "id"))), Some("rIdSlide1"));
        assert!(!made.contains("sectionLst") && made.contains("uri=\"b\""), "{made}");
    }

    #[test]
    fn a_template_becomes_a_presentation_with_the_types_of_its_slides() {
        let text = format!(
            "<Types xmlns=\"{CONTENT}\"><Default Extension=\"PNG\" ContentType=\"image/png\"/>\
             <Override PartName=\"/ppt/presentation.xml\" ContentType=\"{OFFICE}.presentationml.template.main+xml\"/>\
             <Override ContentType=\"old\" PartName='/ppt/slides/slide9.xml' /></Types>"
        );
        let made = edited(LIST, &text, |package| list_types(package, 2, 1));
        assert!(
            made.contains("presentationml.presentation.main+xml\"") && !made.contains("slide9"),
            "{made}"
        );
        assert_eq!((made.matches("png").count(), made.matches("<Override ").count()), (1, 4), "{made}");
        assert!(xml::parse(&made).is_ok());
    }

    #[test]
    fn parts_that_are_not_xml_are_named() {
        let mut package = Package::default();
        package.put(LIST, "<Types>");
        let why = list_types(&mut package, 1, 0).unwrap_err();
        assert!(why.starts_with("`[Content_Types].xml` cannot be used: "), "{why}");
    }
}
