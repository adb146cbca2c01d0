//! Rendering: what comes out, what is refused, and what cannot do harm.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a failed expectation fails the test"
)]

#[path = "../../../tests/mcp/client.rs"]
#[expect(dead_code, reason = "the tests of the service need more of it")]
mod client;
mod commands;
mod features;
mod gallery;
mod hostile;
mod interrupted;
mod languages;
mod looks;
#[path = "../../../tests/support/numbers.rs"]
mod numbers;
mod outputs;
mod pictures;
mod programs;
mod reload;
mod scripts;
mod service;
mod sheet;
mod typeset;
mod words;
mod workers;

use std::{
    collections::BTreeMap,
    fs,
    path::Path,
    sync::{Arc, LazyLock},
    time::Duration,
};

use proofmark::{
    Configuration, Diagnostic, Input, Overrides, Project, Subject,
    internals::{
        kinds::markdown::Markdown,
        project::config::{Config, Quills, Render},
        render::{Assets, Format, Library, Rendered, Renderer, Request},
    },
};
use tempfile::TempDir;

/// The day that all layouts take for today.
const TODAY: &str = "2026-01-31";

/// A letter without faults.
const LETTER: &str = "---\nQUILL: letter\nsender: Ada Lovelace\nrecipient: Charles Babbage\nsubject: Note G\n\
                      ---\n\nDear Babbage, the table is *finished*.\n";

/// No files that come with a request.
static NO_ASSETS: Assets = Assets::new();

/// The root of the workspace, with the examples.
const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

fn limits() -> Render {
    // Programs of tests are slow; what ends by itself must end in time.
    Render { timeout: Duration::from_mins(1), workers: 2, ..Config::default().render }
}

/// The built-in rules without a configuration.
static PROJECT: LazyLock<Project> =
    LazyLock::new(|| Project::open(&Configuration::Default, Overrides::default()).unwrap());

fn document(text: &str) -> Subject<'static> {
    let input = Input::text(text).at("document.md").of_kind(Some(Arc::new(Markdown)));
    PROJECT.subject(input).unwrap()
}

fn builtin() -> Renderer {
    Renderer::new(Arc::new(Library::builtin()), &limits(), programs::worker())
}

fn render(renderer: &Renderer, text: &str) -> Rendered {
    render_as(renderer, text, Format::Pdf)
}

fn render_as(renderer: &Renderer, text: &str, format: Format) -> Rendered {
    renderer.render(&request(&document(text), format))
}

fn request<'r>(subject: &'r Subject<'r>, format: Format) -> Request<'r> {
    Request {
        subject,
        quill: None,
        format,
        standards: &[],
        assets: &NO_ASSETS,
        ppi: None,
        date: TODAY,
        force: false,
        check_only: false,
    }
}

/// `RN201 3:8 message` for each finding.
fn messages(diagnostics: &[Diagnostic]) -> Vec<String> {
    let line = |d: &Diagnostic| format!("{} {}:{} {}", d.id, d.location.line, d.location.column, d.message);
    diagnostics.iter().map(line).collect()
}

/// A folder with one quill of these files, called `own`, and a renderer that knows it.
struct Own {
    folder: TempDir,
    renderer: Renderer,
}

impl Own {
    fn new(files: &[(&str, &[u8])], limits: &Render) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for (path, bytes) in files {
            let path = folder.path().join("quills/own").join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, bytes).unwrap();
        }
        let renderer = Self::renderer(folder.path(), limits);
        Self { folder, renderer }
    }

    /// A quill with nothing but a plate.
    fn plate(plate: &str) -> Self {
        Self::plate_with(plate, &[], &limits())
    }

    fn plate_with(plate: &str, more: &[(&str, &[u8])], limits: &Render) -> Self {
        let plate = format!("#import \"@local/quillmark-helper:0.2.0\" as qm\n{plate}");
        let mut files: Vec<(&str, &[u8])> =
            vec![("Quill.yaml", MANIFEST.as_bytes()), ("plate.typ", plate.as_bytes())];
        files.extend_from_slice(more);
        Self::new(&files, limits)
    }

    fn renderer(folder: &Path, limits: &Render) -> Renderer {
        let config =
            Quills { path: folder.join("quills"), auto_register: true, builtin: false, manual: Vec::new() };
        let (library, problems) = Library::load(&config);
        assert!(problems.is_empty(), "{problems:?}");
        Renderer::new(Arc::new(library), limits, programs::worker())
    }

    fn render(&self, text: &str) -> Rendered {
        render(&self.renderer, text)
    }
}

const MANIFEST: &str = "quill: {name: own, backend: typst, description: A quill}\nmain:\n  fields:\n    \
                        title: {type: string}\n";

#[test]
fn a_letter_becomes_a_pdf() {
    let rendered = render(&builtin(), LETTER);
    assert_eq!(messages(&rendered.diagnostics), [""; 0]);
    assert_eq!(rendered.quill, "letter");
    assert!(rendered.artifacts[0].bytes.starts_with(b"%PDF-"));
}

#[test]
fn every_example_that_names_a_built_in_quill_renders() {
    let renderer = builtin();
    let root = Path::new(ROOT).join("examples");
    let files =
        [root.clone(), root.join("markdown")].into_iter().flat_map(|folder| fs::read_dir(folder).unwrap());
    let mut rendered_ones = Vec::new();
    for path in files.map(|entry| entry.unwrap().path()) {
        let Ok(text) = fs::read_to_string(&path) else { continue };
        let named = text.lines().find_map(|line| line.strip_prefix("QUILL: "));
        if named.is_none_or(|name| renderer.library().quills().get(name).is_none()) {
            continue;
        }
        let rendered = render(&renderer, &text);
        assert_eq!(messages(&rendered.diagnostics), [""; 0], "{}", path.display());
        assert_eq!(rendered.artifacts.len(), 1, "{}", path.display());
        rendered_ones.push(path.file_stem().unwrap().to_string_lossy().into_owned());
    }
    rendered_ones.sort();
    assert_eq!(rendered_ones, ["invoice", "letter", "letter", "memo", "product-catalogue", "resume"]);
}

#[test]
fn the_same_document_gives_the_same_bytes_on_another_day_of_rendering() {
    let bytes = |renderer: &Renderer| render(renderer, LETTER).artifacts[0].bytes.clone();
    assert_eq!(bytes(&builtin()), bytes(&builtin()));
}

#[test]
fn documents_before_it_change_nothing_of_a_document() {
    let one = || Render { workers: 1, ..limits() };
    let long =
        LETTER.replace("finished*.", &format!("finished*.\n\n{}", "A paragraph, *slanted*.\n\n".repeat(60)));
    let other = LETTER.replace("Note G", "A subject of many more words");
    let alone = |text: &str| {
        let renderer = Renderer::new(Arc::new(Library::builtin()), &one(), programs::worker());
        render_as(&renderer, text, Format::Pdf).artifacts[0].bytes.clone()
    };
    let renderer = Renderer::new(Arc::new(Library::builtin()), &one(), programs::worker());
    for text in [LETTER, &long, &other] {
        assert!(render(&renderer, text).artifacts[0].bytes == alone(text), "{text}");
    }
    let plate = "#assert(not repr(qm.data.title).contains(\"bad\"), message: \"no\")\n= Page\n#qm.data.title";
    let own = Own::plate_with(plate, &[], &one());
    let page = |title: &str| own.render(&format!("---\nQUILL: own\ntitle: {title}\n---\n"));
    let first = page("One").artifacts[0].bytes.clone();
    assert!(page("bad").artifacts.is_empty());
    assert_eq!(messages(&page("Two").diagnostics), [""; 0]);
    let alone = Own::plate_with(plate, &[], &one());
    let again = alone.render("---\nQUILL: own\ntitle: Three\n---\n").artifacts[0].bytes.clone();
    let after = page("Three").artifacts[0].bytes.clone();
    assert!(after == again && after != first, "an error before it changes nothing either");
}

#[test]
fn formats_of_pages_give_an_artifact_a_page() {
    let text = LETTER.replace("finished*.", &format!("finished*.\n\n{}", "A paragraph.\n\n".repeat(90)));
    let renderer = builtin();
    let svg = render_as(&renderer, &text, Format::Svg);
    let png = render_as(&renderer, &text, Format::Png);
    assert!(svg.artifacts.len() > 1);
    assert_eq!(svg.artifacts.len(), png.artifacts.len());
    assert!(svg.artifacts.iter().all(|page| page.bytes.starts_with(b"<svg")));
    assert!(png.artifacts.iter().all(|page| page.bytes.starts_with(b"\x89PNG")));
    assert_eq!(render(&renderer, &text).artifacts.len(), 1);
}

#[test]
fn a_misspelt_field_is_found_before_rendering_and_has_a_fix() {
    let text = LETTER.replace("recipient", "recepient");
    let rendered = render(&builtin(), &text);
    assert!(rendered.artifacts.is_empty());
    let diagnostic = rendered.diagnostics.iter().find(|d| d.id == "QL102").unwrap();
    assert_eq!(diagnostic.location.line, 4);
    assert!(diagnostic.fix_hint.as_ref().unwrap().contains("recipient"));
    assert_eq!(diagnostic.fixes[0].edits[0].new, "recipient");
}

#[test]
fn the_report_on_a_missing_or_unknown_quill_lists_the_quills() {
    let renderer = builtin();
    let none = render(&renderer, "# Hello\n");
    assert_eq!(none.diagnostics[0].id, "RN001");
    assert!(none.diagnostics[0].fix_hint.as_ref().unwrap().contains("`letter`"));
    let unknown = render(&renderer, &LETTER.replace("QUILL: letter", "QUILL: leter"));
    assert_eq!(messages(&unknown.diagnostics), ["QL101 2:8 there is no quill `leter`"]);
    let document = document(LETTER);
    for name in ["../letter", "/etc", "letter\0", "lettre"] {
        let request = Request { quill: Some(name), ..request(&document, Format::Pdf) };
        let wanted = renderer.render(&request);
        assert_eq!(wanted.diagnostics[0].id, "RN002", "{name}");
        assert!(wanted.artifacts.is_empty());
    }
}

#[test]
fn another_quill_may_be_wanted_than_the_one_that_is_named() {
    let text = LETTER.replace("sender: Ada Lovelace\nrecipient: Charles", "to: [Charles]\nfrom: Ada #");
    let document = document(&text);
    let request = Request { quill: Some("memo"), ..request(&document, Format::Pdf) };
    let rendered = builtin().render(&request);
    assert_eq!(messages(&rendered.diagnostics), [""; 0]);
    assert_eq!((rendered.quill.as_str(), rendered.artifacts.len()), ("memo", 1));
}

#[test]
fn an_error_in_a_layout_is_reported_with_its_position_in_the_quill() {
    let rendered = Own::plate("Hello\n#qm.data.title.nonsense\n").render("---\nQUILL: own\ntitle: a\n---\n");
    let [diagnostic] = rendered.diagnostics.as_slice() else {
        panic!("{:?}", messages(&rendered.diagnostics))
    };
    assert_eq!((diagnostic.id.as_str(), diagnostic.location.line), ("RN201", 2));
    assert!(diagnostic.message.contains("plate.typ:3:"), "{}", diagnostic.message);
}

/// A red square of one pixel.
const PIXEL: &str = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";

#[test]
fn a_picture_in_the_text_is_rendered_and_a_missing_one_is_reported_at_its_position() {
    let own = Own::plate("#qm.data.at(\"$body\")\n");
    let shown = own.render(&format!("---\nQUILL: own\n---\n\n![a dot]({PIXEL})\n"));
    assert_eq!(messages(&shown.diagnostics), [""; 0]);
    let without = own.render("---\nQUILL: own\n---\n\n*a dot*\n");
    assert_ne!(shown.artifacts[0].bytes, without.artifacts[0].bytes);
    let rendered = own.render("---\nQUILL: own\n---\n\nSome words ![a cat](cat.png) and more.\n");
    let found = messages(&rendered.diagnostics);
    let expected = "RN103 5:21 the picture `cat.png` is not rendered: there is no such file that may be read";
    assert!(found.iter().any(|found| found == expected), "{found:?}");
    assert_eq!(rendered.artifacts.len(), 1);
}

#[test]
fn code_keeps_its_spaces() {
    let page = |code: &str| {
        let text = format!("---\nQUILL: own\n---\n\n```rust\n{code}\n```\n");
        let rendered = render_as(&Own::plate("#qm.data.at(\"$body\")\n").renderer, &text, Format::Png);
        assert_eq!(messages(&rendered.diagnostics), [""; 0]);
        rendered.artifacts[0].bytes.clone()
    };
    assert_ne!(page("fn main() { }"), page("fnmain(){}"));
    assert_ne!(page("a\n  b"), page("a\nb"));
}

#[test]
fn an_unknown_command_of_a_formula_is_reported_where_it_is_written() {
    let text = format!(
        "{LETTER}\nA $\\foo{{x}}$.\n\n- $$\n  \\unknown\n  $$\n\n| a |\n|---|\n| $\\zip$ |\n\nx[^1]\n\n[^1]: $\\qq$\n"
    );
    let diagnostics = render(&builtin(), &text).diagnostics;
    for command in ["\\foo", "\\unknown", "\\zip", "\\qq"] {
        let line = 1 + text.lines().position(|line| line.contains(command)).unwrap();
        let found = diagnostics.iter().find(|found| found.message.contains(command)).expect(command);
        assert_eq!((found.id.as_str(), found.location.line as usize), ("RN102", line), "{}", found.message);
        assert!(found.message.starts_with("`body` is not rendered as written"), "{}", found.message);
    }
}

#[test]
fn characters_without_a_glyph_are_named_by_script_and_position() {
    let rendered = render(&builtin(), &LETTER.replace("the table", "表 and ה the table"));
    let found = messages(&rendered.diagnostics);
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(found[0].starts_with("RN205 8:15 no font has these Chinese characters 表: "), "{found:?}");
    assert!(found[1].starts_with("RN205 8:21 no font has the Hebrew characters ה: "), "{found:?}");
}

#[test]
fn fonts_of_a_configured_folder_are_added_to_the_built_in_ones() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fonts");
    let limits = Render { fonts: vec![folder], ..limits() };
    let own =
        Own::plate_with("#set text(font: (\"Roboto\", \"DejaVu Sans Mono\"))\n#qm.data.title", &[], &limits);
    assert_eq!(messages(&own.render("---\nQUILL: own\ntitle: a\n---\n").diagnostics), [""; 0]);
}

#[test]
fn characters_of_diagrams_that_no_font_has_are_reported() {
    let text = format!("{LETTER}\n```mermaid\nflowchart LR\n  A[表] --> B[表]\n```\n");
    let found = messages(&render(&builtin(), &text).diagnostics);
    assert!(matches!(&found[..], [one] if one.starts_with("RN205 12:5 ") && one.contains('表')), "{found:?}");
    assert_eq!(messages(&render_as(&builtin(), &text, Format::Html).diagnostics), [""; 0]);
}

#[test]
fn a_diagram_is_drawn_and_one_that_cannot_be_is_reported() {
    let own = Own::plate("#qm.data.at(\"$body\")\n");
    let text = |diagram: &str| format!("---\nQUILL: own\n---\n\n```mermaid\n{diagram}\n```\n");
    let drawn = own.render(&text("flowchart LR\n  A[Start] --> B[End]"));
    assert_eq!(messages(&drawn.diagnostics), [""; 0]);
    let code = own.render(&text("flowchart LR\n  A[Start] --> B[End]").replace("mermaid", "text"));
    assert_ne!(drawn.artifacts[0].bytes, code.artifacts[0].bytes);
    let svg = own.renderer.draw("flowchart LR\n  A --> B\n", Format::Svg, None).unwrap();
    assert!(svg.starts_with(b"<svg"));
    let png = own.renderer.draw("flowchart LR\n  A --> B\n", Format::Png, None).unwrap();
    assert!(png.starts_with(b"\x89PNG"));
    assert!(own.renderer.draw("flowchart LR\n  A[ --> B\n", Format::Svg, None).is_err());
}

#[test]
fn links_alerts_and_page_breaks_reach_the_page() {
    let own = Own::plate("#qm.data.at(\"$body\")\n");
    let text = "---\nQUILL: own\n---\n\n# One {#start}\n\n[TOC]\n\n> [!NOTE]\n> Words with <sup>2</sup>.\n\n\\newpage\n\n\
                [back](#start) and <a@b.example> and https://a.example\n\nTerm\n: Meaning\n";
    let pages = render_as(&own.renderer, text, Format::Svg);
    assert_eq!(messages(&pages.diagnostics), [""; 0]);
    assert_eq!(pages.artifacts.len(), 2, "the break makes a second page");
}

#[test]
fn a_place_in_the_layout_is_a_related_place() {
    let rendered = Own::plate("Hello\n#qm.data.title.nonsense\n").render("---\nQUILL: own\ntitle: a\n---\n");
    let [diagnostic] = rendered.diagnostics.as_slice() else {
        panic!("{:?}", messages(&rendered.diagnostics))
    };
    let [related] = diagnostic.related.as_slice() else { panic!("{:?}", diagnostic.related) };
    let place = &related.location;
    assert_eq!((place.file.as_str(), place.line), ("own/plate.typ", 3));
    let source = &rendered.layouts[usize::from(place.source.0) - 1];
    let text = &source.text()[place.byte_start as usize..place.byte_end as usize];
    assert!("qm.data.title.nonsense".contains(text) && !text.is_empty(), "{text}");
}

#[test]
fn what_a_layout_asserts_about_a_field_is_reported_at_its_value() {
    let text = LETTER.replace("subject:", "accent: blau\nsubject:");
    let rendered = render(&builtin(), &text);
    assert_eq!(
        messages(&rendered.diagnostics),
        ["RN101 5:9 `accent` cannot be rendered: blau is not a color such as #1f4e5f"]
    );
}

#[test]
fn an_error_after_a_loop_is_reported_at_the_line_of_the_template() {
    let manifest = "[Quill]\nname = \"own\"\nbackend = \"typst\"\nglue_file = \"glue.typ\"\n";
    let glue = "{% for item in items %}\nItem {{ item }}\n{% endfor %}\n#nonsense\n";
    let files: [(&str, &[u8]); 2] = [("Quill.toml", manifest.as_bytes()), ("glue.typ", glue.as_bytes())];
    let rendered = Own::new(&files, &limits()).render("---\nQUILL: own\nitems: [a, b, c]\n---\n");
    let [diagnostic] = rendered.diagnostics.as_slice() else {
        panic!("{:?}", messages(&rendered.diagnostics))
    };
    assert!(diagnostic.id == "RN201" && diagnostic.message.contains("glue.typ:4:"), "{}", diagnostic.message);
    assert_eq!(diagnostic.related[0].location.line, 4);
}

#[test]
fn html_with_a_counterpart_is_rendered_and_other_tags_are_reported() {
    let rendered = render(&builtin(), &LETTER.replace("*finished*", "<b>finished</b>"));
    assert_eq!(messages(&rendered.diagnostics), [""; 0]);
    let rendered = render(&builtin(), &LETTER.replace("*finished*", "<mark>finished</mark>"));
    assert_eq!(rendered.artifacts.len(), 1);
    assert_eq!(
        messages(&rendered.diagnostics),
        ["FM602 8:28 the tag `<mark>` has no effect on the page; its text is rendered"]
    );
}

#[test]
fn a_classic_bundle_is_filled_in_from_its_template() {
    let files = BTreeMap::from([
        ("Quill.toml", "[Quill]\nname = \"own\"\nbackend = \"typst\"\nglue_file = \"glue.typ\"\n"),
        ("glue.typ", "#{{ title | String }}\n#{{ body | Content }}\n{{ nonsense | None }}"),
    ]);
    let bytes: Vec<(&str, &[u8])> = files.iter().map(|(path, text)| (*path, text.as_bytes())).collect();
    let rendered = Own::new(&bytes, &limits()).render("---\nQUILL: own\ntitle: a\n---\n\nText.\n");
    assert_eq!(rendered.diagnostics[0].id, "RN005", "{:?}", messages(&rendered.diagnostics));
    assert!(rendered.diagnostics[0].message.contains("glue.typ, line 3"));
    let text = "---\nQUILL: memo_classic\nsubject: \"#read(\\\"/etc/passwd\\\") \\\" \\\\\"\nfrom: Ada\nto: [Bob]\n\
                ---\n\n*Hello*, world.\n";
    let rendered = render(&builtin(), text);
    assert_eq!(messages(&rendered.diagnostics), [""; 0]);
    assert_eq!(rendered.artifacts.len(), 1);
}

#[test]
fn a_document_that_was_rendered_is_not_laid_out_again() {
    let renderer = builtin();
    let first = render(&renderer, LETTER).artifacts[0].bytes.clone();
    let again = render(&renderer, LETTER).artifacts[0].bytes.clone();
    assert!(Arc::ptr_eq(&first, &again));
    let other = render(&renderer, &LETTER.replace("Note G", "Note H")).artifacts[0].bytes.clone();
    assert!(!Arc::ptr_eq(&first, &other));
}
