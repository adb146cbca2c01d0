//! The contact sheet: every built-in quill with short, long, missing and foreign values, with code, tables and
//! diagrams. Each page has a look that is compared, so that a change is seen in review.
//!
//! `PROOFMARK_SHEET=FOLDER` writes the pages as pictures, to look at; `PROOFMARK_BLESS=1` rewrites the looks.

use std::{fs, path::Path};

use proofmark::internals::render::{Format, Library, Rendered, Request};

use super::{
    builtin, document,
    looks::{PPI, compared, look},
    messages, request,
};

/// Documents with a table that has more columns than there is room for in a column of the layout.
const NARROW: [(&str, &str); 2] = [("product_catalog", "tables"), ("resume", "tables")];

/// Names the folder that pages to look at are written to.
const SHEET: &str = "PROOFMARK_SHEET";

/// The documents of a quill.
const DOCUMENTS: [&str; 7] = ["short", "missing", "foreign", "long", "code", "tables", "diagrams"];

/// Pixels per inch of the pictures to look at.
const PPI_TO_LOOK_AT: f32 = 96.0;

/// Least share of a page, in thousandths of its characters, that has ink.
const LEAST_INK: usize = 1;

fn folder() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/sheet"))
}

/// A document of a quill; those of code, tables and diagrams have the same text in all quills.
pub(super) fn text(quill: &str, name: &str) -> String {
    let own = folder().join(quill).join(name).with_extension("md");
    fs::read_to_string(own).unwrap_or_else(|_| {
        let body = fs::read_to_string(folder().join(name).with_extension("md")).unwrap();
        with_body(quill, &body)
    })
}

/// An ordinary document of a quill with this text wherever it can have text.
pub(super) fn with_body(quill: &str, body: &str) -> String {
    let plain = fs::read_to_string(folder().join(quill).join("plain.md")).unwrap();
    plain.replace("{{body}}", &format!("{}\n", body.trim()))
}

/// Writes pages as pictures to look at, where that is asked for.
pub(super) fn show(name: &str, rendered: &Rendered) {
    let Some(folder) = std::env::var_os(SHEET) else { return };
    for (index, page) in rendered.artifacts.iter().enumerate() {
        fs::write(Path::new(&folder).join(format!("{name}-{}.png", index + 1)), &page.bytes).unwrap();
    }
}

#[test]
fn pages_of_the_contact_sheet_look_as_they_did() {
    let renderer = builtin();
    let library = Library::builtin();
    let mut wrong = Vec::new();
    for quill in library.quills().names() {
        for name in DOCUMENTS {
            let subject = document(&text(quill, name));
            let rendered = renderer.render(&Request { ppi: Some(PPI), ..request(&subject, Format::Png) });
            let found = messages(&rendered.diagnostics);
            if NARROW.contains(&(quill, name)) {
                assert!(
                    matches!(&found[..], [one] if one.starts_with("RN105 ")),
                    "{quill}, {name}: {found:?}"
                );
            } else {
                assert_eq!(found, [""; 0], "{quill}, {name}");
            }
            let pages: Vec<String> = rendered.artifacts.iter().map(|page| look(&page.bytes)).collect();
            for (index, page) in pages.iter().enumerate() {
                let inked = page.chars().filter(|c| !c.is_whitespace()).count();
                if inked * 1000 < LEAST_INK * page.len().max(4_000) {
                    wrong.push(format!("{quill}, {name}: page {} is nearly empty", index + 1));
                }
            }
            wrong.extend(compared(&format!("sheet/{quill}-{name}"), &pages));
            if std::env::var_os(SHEET).is_some() {
                let ppi = Some(PPI_TO_LOOK_AT);
                let large = renderer.render(&Request { ppi, ..request(&subject, Format::Png) });
                show(&format!("{quill}-{name}"), &large);
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
