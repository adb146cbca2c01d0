//! The pictures of `docs/gallery.md` and of the guide to quills: every diagram is drawn, and every example rendered, again.
//! `PROOFMARK_BLESS=1` rewrites the pictures.

use std::{fs, path::Path, sync::Arc};

use proofmark::internals::{
    project::config::Quills,
    render::{Format, Library, Renderer, Request},
};

use super::{
    ROOT, builtin, document, limits,
    looks::{differing, look},
    messages, programs, request,
};

/// Pixels per inch of pages.
const PPI: f32 = 50.0;

/// The pictures with what they are made from: the fence before them, or nothing.
fn pictures(page: &str) -> Vec<(&str, Option<&str>)> {
    let mut found = Vec::new();
    for section in page.split("\n### ").skip(1) {
        let fence = section.split_once("```text\n").and_then(|(_, rest)| rest.split_once("```"));
        let name = section.split_once("](gallery/").and_then(|(_, rest)| rest.split_once(')'));
        found.push((name.expect("a picture").0, fence.map(|(source, _)| source)));
    }
    found
}

/// A drawing as pages show it beside text: in its own size, and white where they are dark.
fn as_picture(svg: &str) -> String {
    let width = svg.split_once("viewBox=\"").and_then(|(_, area)| area.split(['"', ' ']).nth(2)).unwrap();
    svg.replacen("width=\"100%\"", &format!("width=\"{width}\""), 1).replacen(
        "style=\"",
        "style=\"background-color:white;",
        1,
    )
}

/// Compares a picture with the one that is kept, or keeps it.
fn compare(path: &Path, picture: &[u8], same: impl Fn(&[u8]) -> bool) {
    if std::env::var_os("PROOFMARK_BLESS").is_some() {
        fs::write(path, picture).unwrap();
    }
    let kept = fs::read(path)
        .unwrap_or_else(|error| panic!("{}: {error}; bless with PROOFMARK_BLESS=1", path.display()));
    assert!(same(&kept), "{} differs; bless with PROOFMARK_BLESS=1", path.display());
}

/// Compares the first page of a document with the picture that is kept.
fn compare_page(path: &Path, renderer: &Renderer, text: &str) {
    let subject = document(text);
    let rendered = renderer.render(&Request { ppi: Some(PPI), ..request(&subject, Format::Png) });
    assert_eq!(messages(&rendered.diagnostics), [""; 0], "{}", path.display());
    let page = &rendered.artifacts[0].bytes;
    compare(path, page, |kept| differing(&look(kept), &look(page)).is_none());
}

#[test]
fn pictures_of_the_gallery_are_those_of_today() {
    let renderer = builtin();
    let (library, folder) = (Library::builtin(), Path::new(ROOT).join("docs/gallery"));
    let page = include_str!("../../../docs/gallery.md");
    let mut names = Vec::new();
    for (name, source) in pictures(page) {
        names.push(name.to_owned());
        let path = folder.join(name);
        if let Some(source) = source {
            let drawn =
                renderer.draw(source, Format::Svg, None).unwrap_or_else(|error| panic!("{name}: {error}"));
            let drawn = as_picture(&String::from_utf8(drawn).unwrap());
            compare(&path, drawn.as_bytes(), |kept| kept == drawn.as_bytes());
        } else {
            let example = library
                .example(name.trim_end_matches(".png"))
                .unwrap_or_else(|| panic!("no quill for {name}"));
            compare_page(&path, &renderer, &example);
        }
    }
    // The folder has nothing else.
    let mut kept: Vec<String> = fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    kept.sort();
    names.sort();
    assert_eq!(kept, names, "files of docs/gallery, and pictures of the page");
}

#[test]
fn the_quill_of_the_guide_renders_as_it_is_shown() {
    let guide = Path::new(ROOT).join("docs/guide");
    let config = Quills { path: guide.clone(), auto_register: true, builtin: false, manual: Vec::new() };
    let (library, problems) = Library::load(&config);
    assert!(problems.is_empty(), "{problems:?}");
    let example = library.example("studio_invoice").unwrap();
    let renderer = Renderer::new(Arc::new(library), &limits(), programs::worker());
    compare_page(&guide.join("studio_invoice.png"), &renderer, &example);
}
