//! Documents and quills that mean harm, or only are too much.

use std::{io::Write as _, time::Duration};

use proofmark::internals::project::config::Render;

use super::{LETTER, Own, builtin, limits, messages, render};

const OWN: &str = "---\nQUILL: own\ntitle: a\n---\n\nSome *text*.\n";

/// The only finding on rendering with this plate; its id and message.
fn refused(plate: &str) -> (String, String) {
    refused_within(plate, &limits())
}

fn refused_within(plate: &str, limits: &Render) -> (String, String) {
    let rendered = Own::plate_with(plate, &[], limits).render(OWN);
    assert!(rendered.artifacts.is_empty());
    let [diagnostic] = rendered.diagnostics.as_slice() else {
        panic!("{:?}", messages(&rendered.diagnostics))
    };
    (diagnostic.id.clone(), diagnostic.message.clone())
}

#[test]
fn files_of_the_machine_cannot_be_read() {
    for plate in [
        "#read(\"/etc/passwd\")",
        "#raw(read(\"../../secret.txt\"))",
        "#include \"/etc/hostname\"",
        "#image(\"/etc/passwd\")",
        "#json(\"/proc/self/environ\")",
    ] {
        let (id, message) = refused(plate);
        assert!(["RN201", "RN203"].contains(&id.as_str()), "{plate}: {id} {message}");
        assert!(!message.contains("root:"), "{message}");
    }
}

#[test]
fn packages_are_not_downloaded() {
    let (id, message) = refused("#import \"@preview/cetz:0.3.0\": canvas");
    assert_eq!(id, "RN204", "{message}");
    assert!(message.contains("cetz"), "{message}");
}

#[cfg(unix)]
#[test]
fn symbolic_links_are_not_part_of_a_quill() {
    let own = Own::plate_with("#read(\"assets/secret.txt\")", &[("assets/other.txt", b"other")], &limits());
    let secret = own.folder.path().join("secret.txt");
    std::fs::write(&secret, "the secret").unwrap();
    std::os::unix::fs::symlink(&secret, own.folder.path().join("quills/own/assets/secret.txt")).unwrap();
    std::os::unix::fs::symlink("/etc", own.folder.path().join("quills/own/etc")).unwrap();
    let rendered = own.render(OWN);
    assert_eq!(rendered.diagnostics[0].id, "RN203", "{:?}", messages(&rendered.diagnostics));
}

#[test]
fn a_manifest_cannot_name_files_outside_of_its_folder() {
    for path in ["../../secret.typ", "/etc/passwd", "assets/../../../secret.typ"] {
        let manifest = format!(
            "[Quill]\nname = \"own\"\nbackend = \"typst\"\nglue_file = \"{path}\"\nexample_file = \"{path}\"\n"
        );
        let own = Own::new(&[("Quill.toml", manifest.as_bytes()), ("assets/a.txt", b"a")], &limits());
        std::fs::write(own.folder.path().join("secret.typ"), "the secret").unwrap();
        assert_eq!(own.renderer.library().example("own"), None, "{path}");
        let rendered = own.render("---\nQUILL: own\n---\n");
        let [diagnostic] = rendered.diagnostics.as_slice() else {
            panic!("{:?}", messages(&rendered.diagnostics))
        };
        assert!(
            rendered.artifacts.is_empty() && diagnostic.id == "RN004",
            "{:?}",
            messages(&rendered.diagnostics)
        );
        let said = format!("{diagnostic:?}");
        assert!(!said.contains("the secret") && !said.contains("root:"), "{said}");
    }
}

#[test]
fn a_value_of_the_wrong_type_is_refused_before_anything_is_laid_out() {
    for (right, wrong, place) in [
        ("sender: Ada Lovelace", "sender: 5", "QL105 3:9"),
        ("recipient: Charles Babbage", "recipient: {name: Charles}", "QL105 4:12"),
        ("subject: Note G", "subject: [Note, G]", "QL105 5:10"),
        ("subject: Note G", "subject: Note G\ndate: soon", "QL107 6:7"),
        ("subject: Note G", "subject: Note G\nenclosures: two", "QL105 6:13"),
    ] {
        let rendered = render(&builtin(), &LETTER.replace(right, wrong));
        let messages = messages(&rendered.diagnostics);
        assert!(
            rendered.artifacts.is_empty() && messages.len() == 1 && messages[0].starts_with(place),
            "{messages:?}"
        );
    }
}

#[test]
fn work_that_does_not_end_is_ended() {
    let limits = Render { timeout: Duration::from_secs(2), ..limits() };
    let (id, message) = refused("#while true {}");
    assert_eq!(id, "RN201", "{message}");
    let endless = "#let n = 0\n#for a in range(100000) { for b in range(100000) { n += 1 } }";
    let (id, message) = refused_within(endless, &limits);
    assert_eq!((id.as_str(), message.contains('2')), ("RN301", true), "{message}");
}

#[test]
fn a_template_that_does_not_end_is_ended() {
    let limits = Render { timeout: Duration::from_secs(2), ..limits() };
    let glue = b"{% for a in range(10000) %}{% for b in range(10000) %}{% for c in range(10000) %}\
                 {% endfor %}{% endfor %}{% endfor %}";
    let manifest = b"[Quill]\nname = \"own\"\nbackend = \"typst\"\nglue_file = \"glue.typ\"\n";
    let own = Own::new(&[("Quill.toml", manifest), ("glue.typ", glue)], &limits);
    let rendered = own.render("---\nQUILL: own\n---\n");
    assert_eq!(rendered.diagnostics[0].id, "RN301", "{:?}", messages(&rendered.diagnostics));
}

#[test]
fn more_memory_than_allowed_ends_a_worker_and_nothing_else() {
    let limits = Render { memory: 256 * 1024 * 1024, ..limits() };
    let plate = "#let a = \"0123456789\" * 1000000\n#let b = range(400).map(i => a + str(i))\n#b.len()";
    let own = Own::plate_with(plate, &[], &limits);
    for _ in 0..2 {
        let rendered = own.render(OWN);
        assert_eq!(rendered.diagnostics[0].id, "RN302", "{:?}", messages(&rendered.diagnostics));
        assert!(rendered.diagnostics[0].message.contains("256 MiB"), "{:?}", messages(&rendered.diagnostics));
    }
}

#[test]
fn pages_are_counted_before_they_are_written() {
    let limits = Render { pages: 10, ..limits() };
    let (id, message) = refused_within("#for i in range(11) { pagebreak() }", &limits);
    assert_eq!(id, "RN303", "{message}");
    assert!(message.contains("12 pages") && message.contains("10"), "{message}");
}

#[test]
fn a_million_pages_end_in_a_finding() {
    let limits = Render { timeout: Duration::from_secs(5), memory: 512 * 1024 * 1024, ..limits() };
    let (id, message) = refused_within("#for i in range(1000000) { pagebreak() }", &limits);
    assert!(["RN301", "RN302", "RN303"].contains(&id.as_str()), "{id} {message}");
}

#[test]
fn a_result_that_is_too_large_is_reported() {
    let limits = Render { output_bytes: 1000, ..limits() };
    let (id, message) = refused_within("Hello", &limits);
    assert_eq!(id, "RN302", "{message}");
}

#[test]
fn a_picture_of_a_hundred_megapixels_does_no_harm() {
    let picture = solid_png(10_000);
    assert!(picture.len() < 200_000);
    let limits = Render { memory: 384 * 1024 * 1024, timeout: Duration::from_secs(20), ..limits() };
    let own = Own::plate_with("#image(\"assets/huge.png\")", &[("assets/huge.png", &picture)], &limits);
    let rendered = own.render(OWN);
    let ids: Vec<&str> = rendered.diagnostics.iter().map(|d| d.id.as_str()).collect();
    // Whether it fits depends on the engine; the worker is there for the next document either way.
    assert!(rendered.artifacts.len() == 1 || ids == ["RN302"] || ids == ["RN301"], "{ids:?}");
    let next = own.render("---\nQUILL: own\n---\n\nAnother one, with ![nothing](no.png).\n");
    assert!(!next.diagnostics.is_empty());
}

/// A white square with this many pixels per side.
fn solid_png(side: u32) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, side, side);
    encoder.set_color(png::ColorType::Grayscale);
    encoder.set_depth(png::BitDepth::One);
    let mut writer = encoder.write_header().unwrap();
    let mut stream = writer.stream_writer().unwrap();
    let row = vec![0xFF; (side as usize).div_ceil(8)];
    for _ in 0..side {
        stream.write_all(&row).unwrap();
    }
    stream.finish().unwrap();
    drop(writer);
    bytes
}

#[test]
fn a_corrupt_font_is_left_out() {
    let font = b"\0\x01\0\0 not a font, although the name says so";
    let own = Own::plate_with(
        "#set text(font: \"Broken\")\nHello",
        &[("assets/fonts/broken.ttf", font)],
        &limits(),
    );
    let rendered = own.render(OWN);
    assert_eq!(rendered.artifacts.len(), 1, "{:?}", messages(&rendered.diagnostics));
    assert!(rendered.diagnostics.iter().any(|d| d.id == "RN202"), "{:?}", messages(&rendered.diagnostics));
}

#[test]
fn deep_nesting_ends_in_a_finding_or_a_page() {
    let renderer = builtin();
    let head = LETTER.split("Dear").next().unwrap();
    for text in [
        format!("{head}{}deep", "> ".repeat(5_000)),
        format!("{head}{}", "- ".repeat(3_000)),
        format!("{head}{}x{}", "*".repeat(20_000), "*".repeat(20_000)),
        format!("{head}{}", "[".repeat(50_000)),
    ] {
        let rendered = render(&renderer, &text);
        assert!(rendered.artifacts.len() == 1 || !rendered.diagnostics.is_empty());
        assert!(
            rendered.diagnostics.iter().all(|d| d.id != "RN304"),
            "{:?}",
            messages(&rendered.diagnostics)
        );
    }
    let (id, message) = refused("#let f(n) = f(n + 1)\n#f(0)");
    assert_eq!(id, "RN201", "{message}");
}

#[test]
fn text_that_is_code_elsewhere_is_text_here() {
    let text = LETTER
        .replace("Note G", "'#read(\"/etc/passwd\") $x$ @a <b> \\'")
        .replace("*finished*", "#import \"@preview/x:1.0.0\" \\#eval(1) `#panic()` $ x $ <a@b.example>");
    let rendered = render(&builtin(), &text);
    assert_eq!(rendered.artifacts.len(), 1, "{:?}", messages(&rendered.diagnostics));
}

#[test]
fn odd_bytes_are_rendered_or_reported() {
    let renderer = builtin();
    for text in [
        LETTER.replace('\n', "\r\n"),
        format!("\u{FEFF}{LETTER}"),
        LETTER.replace("finished", "fi\u{202e}n😀ish\u{0}ed 漢字 ‏עברית"),
        String::new(),
        "---\nQUILL: letter\n".to_owned(),
    ] {
        let rendered = render(&renderer, &text);
        assert!(rendered.artifacts.len() == 1 || !rendered.diagnostics.is_empty(), "{text:?}");
    }
}
