use serde_json::{Value, json};

use super::{super::template::relationships, *};
use crate::{formats, reader};

fn deck(header: Value, text: &str, template: Option<&[u8]>) -> Deck {
    let format = formats::named("pptx").cloned().unwrap_or_else(|| formats::all()[0].clone());
    let metadata = Metadata::new(Value::Null, header, &[], &format);
    let made = write(&reader::read_text(text, true), &metadata, template, &|_| None);
    made.unwrap_or_else(|why| Deck { bytes: why.into_bytes(), lacks: vec![] })
}

/// Targets of relationships that are not parts of the file.
fn dangling(package: &Package) -> Vec<String> {
    let names = package.parts.keys().filter(|name| !name.contains("_rels/"));
    let targets =
        names.flat_map(|name| relationships(package, name).unwrap_or_default()).map(|(_, target)| target);
    targets.filter(|target| !package.parts.contains_key(target)).collect()
}

const TEXT: &str = "# Part\n\n## List\n\n- a\n  - b\n- *c* [d](https://example.org)\n\n::: notes\nSay it.\n:::\n\n## Table\n\n| x | y |\n|---|--:|\n| 1 | 2 |\n\nText.[^1]\n\n[^1]: Note.\n\n## Code\n\n```r\nx <- 1\n```\n";

#[test]
fn parts_of_a_deck_are_xml_and_refer_to_parts_that_are_there() {
    let deck = deck(json!({"title": "A & B", "author": "Ada", "incremental": true}), TEXT, None);
    let package = Package::read(&deck.bytes).unwrap_or_default();
    assert_eq!(dangling(&package), [""; 0]);
    let has = |name: &str, ending: &str| name.rsplit('.').next() == Some(ending);
    for (name, bytes) in package.parts.iter().filter(|(name, _)| has(name, "xml") || has(name, "rels")) {
        let text = String::from_utf8_lossy(bytes);
        assert!(
            roxmltree::Document::parse(&text).is_ok(),
            "{name}: {:?}",
            roxmltree::Document::parse(&text).err()
        );
        let types = package.text("[Content_Types].xml").unwrap_or_default();
        let listed = has(name, "rels") || name.starts_with('[') || types.contains(&format!("/{name}\""));
        assert!(listed, "{name} has no content type");
    }
    assert_eq!(package.parts.keys().filter(|name| name.starts_with("ppt/slides/slide")).count(), 5);
    let slide = package.text("ppt/slides/slide3.xml").unwrap_or_default();
    assert!(slide.contains("hlinkClick") && slide.contains("bldP") && slide.contains("lvl=\"1\""), "{slide}");
    assert!(package.text("ppt/slides/slide4.xml").unwrap_or_default().contains("<a:tbl>"));
    assert!(package.text("ppt/notesSlides/notesSlide1.xml").unwrap_or_default().contains("Say it."));
}

fn slide(deck: &Deck, number: usize) -> String {
    let package = Package::read(&deck.bytes).unwrap_or_default();
    package.text(&format!("ppt/slides/slide{number}.xml")).unwrap_or_default().to_owned()
}

#[test]
fn text_contrasts_with_the_background_of_its_slide() {
    let text =
        "## A {background-color=\"navy\"}\n\nx\n\n## B {background-color=\"#ffc\"}\n\nx\n\n## C\n\nx\n";
    let made = deck(json!({}), text, None);
    for (number, color, mapping) in [
        (1, "val=\"000080\"", "bg1=\"dk1\" tx1=\"lt1\" bg2=\"dk2\" tx2=\"lt2\""),
        (2, "val=\"FFFFCC\"", "bg1=\"lt1\" tx1=\"dk1\" bg2=\"lt2\" tx2=\"dk2\""),
        (3, "", "<a:masterClrMapping/>"),
    ] {
        let slide = slide(&made, number);
        assert!(slide.contains(color) && slide.contains(mapping), "{slide}");
    }
}

#[test]
fn long_titles_become_smaller_and_very_long_ones_are_reported() {
    let size = |words: usize| {
        let made = deck(json!({}), &format!("## {}\n\nx\n", "word ".repeat(words)), None);
        let slide = slide(&made, 1);
        let size =
            slide.split_once(" sz=\"").and_then(|(_, rest)| rest.split('"').next()?.parse::<u32>().ok());
        (size, made.lacks.len())
    };
    assert_eq!(size(4), (None, 0));
    let (long, reported) = size(25);
    assert!(long.is_some_and(|size| (2_600..4_400).contains(&size)) && reported == 0, "{long:?}");
    assert_eq!(size(150).1, 1);
}

#[test]
fn formulas_are_office_math_with_text_in_its_place() {
    let text = "## A\n\nIf $a^2$ then\n\n$$\\frac{1}{2}$$\n\n| x |\n|---|\n| $y_1$ |\n\n::: notes\nSay $a^2$.\n:::\n";
    let made = deck(json!({}), text, None);
    let slide = slide(&made, 1);
    for part in ["<m:sSup>", "<m:f>", "<m:sSub>", "Requires=\"a14 a16\"", "<a:t>a</a:t>", "<a:t>1/2</a:t>"] {
        assert!(slide.contains(part), "{part} is missing in {slide}");
    }
    assert_eq!(slide.matches("<mc:Fallback>").count(), 2);
    assert!(roxmltree::Document::parse(&slide).is_ok());
    let package = Package::read(&made.bytes).unwrap_or_default();
    let notes = package.text("ppt/notesSlides/notesSlide1.xml").unwrap_or_default();
    assert!(!slide.contains("a^2") && slide.contains("baseline=\"-25000\""), "{slide}");
    assert!(notes.contains("baseline=\"30000\"") && !notes.contains("oMath"), "{notes}");
}

#[test]
fn the_same_document_gives_the_same_bytes() {
    let header = json!({"title": "A"});
    assert_eq!(deck(header.clone(), TEXT, None).bytes, deck(header, TEXT, None).bytes);
}

#[test]
fn a_deck_is_a_template_whose_slides_are_replaced() {
    let first = deck(json!({"title": "Old"}), "## Secret plan\n\nText.\n", None);
    let second = deck(json!({"title": "New"}), "## B\n\nText.\n", Some(&first.bytes));
    let package = Package::read(&second.bytes).unwrap_or_default();
    let all: String =
        package.parts.values().map(|bytes| String::from_utf8_lossy(bytes).into_owned()).collect();
    assert!(all.contains(">New<") && !all.contains("Secret"), "{:?}", package.parts.keys());
    assert_eq!(dangling(&package), [""; 0]);
}

#[test]
fn speaker_notes_are_kept_in_templates_without_a_notes_master() {
    let mut package = super::super::builtin::package();
    package.parts.retain(|name, _| !name.contains("notesMaster") && !name.ends_with("theme2.xml"));
    for (name, pattern) in [
        ("[Content_Types].xml", "<Override PartName=\"/ppt/notesMasters/notesMaster1.xml\""),
        ("[Content_Types].xml", "<Override PartName=\"/ppt/theme/theme2.xml\""),
        ("ppt/_rels/presentation.xml.rels", "<Relationship Id=\"rId2\""),
        ("ppt/presentation.xml", "<p:notesMasterId r"),
    ] {
        let text = package.text(name).unwrap_or_default().to_owned();
        let start = text.find(pattern).unwrap_or(text.len());
        let end = text[start..].find("/>").map_or(text.len(), |at| start + at + 2);
        package.put(name, format!("{}{}", &text[..start], &text[end..]));
    }
    let text = package.text("ppt/presentation.xml").unwrap_or_default();
    let text = text.replace("<p:notesMasterIdLst></p:notesMasterIdLst>", "");
    package.put("ppt/presentation.xml", text);
    let template = package.write().unwrap_or_default();
    let made = deck(json!({}), "## A\n\nb\n\n::: notes\nSay it.\n:::\n", Some(&template));
    let package = Package::read(&made.bytes).unwrap_or_default();
    assert_eq!(dangling(&package), [""; 0]);
    assert!(package.text("ppt/notesSlides/notesSlide1.xml").unwrap_or_default().contains("Say it."));
    assert_eq!(made.lacks, []);
}

#[test]
fn a_missing_layout_is_reported_by_name() {
    let mut package = super::super::builtin::package();
    for bytes in package.parts.values_mut() {
        let text = String::from_utf8_lossy(bytes).replace("name=\"Two Content\"", "name=\"Zwei Inhalte\"");
        *bytes = text.into_bytes().into();
    }
    let template = package.write().unwrap_or_default();
    let text = "## A\n\n:::: columns\n::: column\nx\n:::\n::: column\ny\n:::\n::::\n";
    let lacks: Vec<Lack> =
        deck(json!({}), text, Some(&template)).lacks.into_iter().map(|(_, lack)| lack).collect();
    assert_eq!(lacks, [Lack::Layout("Two Content".to_owned())]);
}

#[test]
fn text_that_does_not_fit_is_reported_with_its_slide() {
    let text = format!("## A\n\n{}\n", "word ".repeat(400));
    let lacks = deck(json!({"title": "T"}), &text, None).lacks;
    assert!(
        matches!(lacks.as_slice(), [(_, Lack::Room { slide: 2, percent })] if *percent > 100),
        "{lacks:?}"
    );
}

#[test]
fn parts_of_a_slide_share_its_height_by_need() {
    let text = "# A\n\n- a\n- b\n\n## B\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n$$ e = mc^2 $$\n";
    assert_eq!(deck(json!({"title": "T"}), text, None).lacks, []);
}

#[test]
fn columns_without_room_are_reported_once_for_the_slide() {
    let long = "word ".repeat(400);
    let text =
        format!("## A\n\n:::: columns\n::: column\n{long}\n:::\n::: column\n{long}{long}\n:::\n::::\n");
    let lacks = deck(json!({"title": "T"}), &text, None).lacks;
    assert!(matches!(lacks.as_slice(), [(_, Lack::Room { slide: 2, .. })]), "{lacks:?}");
}

#[test]
fn files_that_are_not_presentations_are_refused() {
    let refused = |bytes: &[u8]| Template::read(Some(bytes)).err().unwrap_or_default();
    assert_eq!(refused(b"text"), "it is not a zip file");
    let mut package = Package::default();
    package.put(
        "[Content_Types].xml",
        "<Types><Override ContentType=\"wordprocessingml.document.main+xml\"/></Types>",
    );
    assert_eq!(refused(&package.write().unwrap_or_default()), "its main part is not a presentation");
}

/// Tops and bottoms of the tables, pictures and boxes of a slide that have a frame, in their order.
fn frames(deck: &Deck, slide: &str) -> Vec<(i64, i64)> {
    let package = Package::read(&deck.bytes).unwrap_or_default();
    let xml = package.text(slide).unwrap_or_default();
    let Ok(document) = roxmltree::Document::parse(xml) else { return vec![] };
    let number = |node: Option<roxmltree::Node<'_, '_>>, name: &str| {
        node.and_then(|node| node.attribute(name)?.parse::<i64>().ok()).unwrap_or_default()
    };
    let frames = document.descendants().filter(|node| node.tag_name().name() == "xfrm");
    let frame = |frame: roxmltree::Node<'_, '_>| {
        let child = |name| frame.children().find(|node| node.tag_name().name() == name);
        let top = number(child("off"), "y");
        (top, top + number(child("ext"), "cy"))
    };
    frames.map(frame).filter(|(top, bottom)| bottom > top).collect()
}

#[test]
fn text_below_a_table_begins_after_it() {
    let rows = "| Scale the incoming slide so that it grows in from its center | b |\n".repeat(7);
    let text = format!("## A\n\nBefore the table.\n\n| a | b |\n|---|---|\n{rows}\n\nAfter the table.\n");
    let frames = frames(&deck(json!({}), &text, None), "ppt/slides/slide1.xml");
    assert!(frames.len() >= 3, "{frames:?}");
    assert!(frames.windows(2).all(|pair| pair[0].1 <= pair[1].0), "{frames:?}");
}

#[test]
fn pictures_of_a_layout_are_side_by_side_with_their_captions() {
    let mut png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x10\0\0\0\x10".to_vec();
    png.extend([0; 8]);
    let format = formats::named("pptx").cloned().unwrap_or_else(|| formats::all()[0].clone());
    let metadata = Metadata::new(Value::Null, json!({}), &[], &format);
    let picture = |caption: &str| {
        let text = format!("![{caption}](x.png)\n");
        Block::Figure(crate::model::Attr::default(), words(caption), reader::read_text(&text, true))
    };
    let group =
        Block::Figure(crate::model::Attr::default(), words("Both"), vec![picture("One"), picture("Two")]);
    let blocks = [reader::read_text("## A\n", true), vec![group]].concat();
    let made =
        write(&blocks, &metadata, None, &|_| Some(png.clone().into())).unwrap_or_else(|why| panic!("{why}"));
    let package = Package::read(&made.bytes).unwrap_or_default();
    let slide = package.text("ppt/slides/slide1.xml").unwrap_or_default();
    assert_eq!(slide.matches("<p:pic>").count(), 2, "{slide}");
    for caption in ["One", "Two", "Both"] {
        assert!(slide.contains(&format!("<a:t>{caption}</a:t>")), "{caption}: {slide}");
    }
}

#[test]
fn a_table_on_a_full_slide_can_be_read() {
    let long = "word ".repeat(250);
    let text = format!("## A\n\n{long}\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n{long}\n");
    let made = deck(json!({}), &text, None);
    let package = Package::read(&made.bytes).unwrap_or_default();
    let slide = package.text("ppt/slides/slide1.xml").unwrap_or_default();
    let table = slide.split("<a:tbl>").nth(1).unwrap_or_default();
    let table = table.split("</a:tbl>").next().unwrap_or_default();
    let sizes: Vec<u32> =
        table.split("sz=\"").skip(1).filter_map(|rest| rest.split('"').next()?.parse().ok()).collect();
    assert!(!sizes.is_empty() && sizes.iter().all(|size| *size >= 900), "{sizes:?}");
}

#[test]
fn the_need_of_text_is_that_of_the_sizes_of_the_template() {
    let text = format!("## A\n\n{}", "- item\n".repeat(7));
    let builtin = deck(json!({}), "Text.\n", None);
    let mut package = Package::read(&builtin.bytes).unwrap_or_default();
    let rooms = |template: &[u8]| deck(json!({}), &text, Some(template)).lacks.len();
    assert_eq!(rooms(&builtin.bytes), 0);
    let master = "ppt/slideMasters/slideMaster1.xml";
    let xml = package.text(master).unwrap_or_default();
    let start = xml.find("<p:bodyStyle>").unwrap_or_default();
    let larger = format!("{}{}", &xml[..start], xml[start..].replacen("sz=\"", "sz=\"3", 1));
    package.put(master, larger);
    assert_eq!(rooms(&package.write().unwrap_or_default()), 1);
}
