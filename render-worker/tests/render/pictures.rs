//! Pictures and diagrams that mean harm: bounded in time and memory, and without what they refer to.

use std::time::{Duration, Instant};

use base64::{Engine as _, prelude::BASE64_STANDARD};
use proofmark::internals::{
    project::config::Render,
    render::{Format, Rendered, Renderer},
};

use super::{LETTER, Library, builtin, limits, messages, programs, render, render_as};

/// A gray picture of this size.
pub(super) fn png(width: u32, height: u32) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, width, height);
    encoder.set_color(png::ColorType::Grayscale);
    encoder.set_depth(png::BitDepth::Eight);
    let mut writer = encoder.write_header().unwrap();
    let mut stream = writer.stream_writer().unwrap();
    let line = vec![0x80; width as usize];
    for _ in 0..height {
        std::io::Write::write_all(&mut stream, &line).unwrap();
    }
    stream.finish().unwrap();
    drop(writer);
    bytes
}

/// A letter that shows a picture.
fn showing(kind: &str, bytes: &[u8]) -> String {
    format!("{LETTER}\n![A picture](data:image/{kind};base64,{})\n", BASE64_STANDARD.encode(bytes))
}

fn small() -> Renderer {
    let limits = Render { timeout: Duration::from_secs(20), workers: 1, memory: 512 << 20, ..limits() };
    Renderer::new(std::sync::Arc::new(Library::builtin()), &limits, programs::worker())
}

/// The result and how long it took; the renderer works afterwards.
fn survived(text: &str) -> Rendered {
    let renderer = small();
    let start = Instant::now();
    let rendered = render(&renderer, text);
    assert!(start.elapsed() < Duration::from_secs(45), "it took {:?}", start.elapsed());
    assert_eq!(render(&renderer, LETTER).artifacts.len(), 1, "the next document is rendered");
    rendered
}

fn refused(text: &str, id: &str) {
    let rendered = survived(text);
    let found = messages(&rendered.diagnostics);
    assert!(found.iter().any(|found| found.starts_with(id)), "{found:?}");
}

#[test]
fn a_picture_with_too_many_pixels_is_not_unpacked() {
    // The head of a picture of 20,000 × 20,000 pixels; its bytes do not matter.
    let mut bytes = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec();
    bytes.extend([0, 0, 0x4E, 0x20, 0, 0, 0x4E, 0x20, 8, 6, 0, 0, 0, 0, 0, 0, 0]);
    refused(&showing("png", &bytes), "RN103");
    let gif = b"GIF89a\xff\xff\xff\xff\0\0\0";
    refused(&showing("gif", gif), "RN103");
    let jpeg = b"\xFF\xD8\xFF\xC0\0\x11\x08\xff\xff\xff\xff\x03\0\0\0\0\0\0\0\0\0";
    refused(&showing("jpeg", jpeg), "RN103");
}

#[test]
fn a_small_file_with_many_pixels_stays_within_the_memory() {
    // 36 million pixels in a few kilobytes, less than what is refused.
    let bomb = png(6000, 6000);
    assert!(bomb.len() < 200_000, "{}", bomb.len());
    let rendered = survived(&showing("png", &bomb));
    assert!(
        rendered.artifacts.len() == 1 || rendered.diagnostics.iter().any(|found| found.id.starts_with("RN")),
        "{:?}",
        messages(&rendered.diagnostics)
    );
}

#[test]
fn a_broken_picture_is_reported() {
    let mut bytes = png(50, 50);
    bytes.truncate(60);
    let rendered = survived(&showing("png", &bytes));
    assert!(
        rendered.diagnostics.iter().any(|found| found.id.starts_with("RN")),
        "{:?}",
        messages(&rendered.diagnostics)
    );
}

#[test]
fn scripts_and_references_of_svg_do_not_reach_the_page() {
    let svg = "<svg xmlns='http://www.w3.org/2000/svg' xmlns:xlink='http://www.w3.org/1999/xlink' width='60' height='20'>\
               <script>alert(1)</script><style>@import url(http://a.example/x.css);</style>\
               <image xlink:href='file:///etc/passwd' width='9' height='9'/>\
               <image href='http://a.example/secret.png' width='9' height='9'/>\
               <foreignObject width='9' height='9'><iframe src='http://a.example'/></foreignObject>\
               <rect width='60' height='20' fill='teal' onload='alert(2)'/></svg>";
    refused(&showing("svg+xml", svg.as_bytes()), "RN103");
    let own: String = svg.split_inclusive("/>").filter(|part| !part.contains("<image")).collect();
    for format in [Format::Svg, Format::Pdf, Format::Html] {
        let rendered = render_as(&builtin(), &showing("svg+xml", own.as_bytes()), format);
        assert_eq!(rendered.artifacts.len(), 1, "{:?}", messages(&rendered.diagnostics));
        let page = String::from_utf8_lossy(&rendered.artifacts[0].bytes).into_owned();
        // A picture within a page is never run by browsers, whatever it contains.
        assert!(!page.contains("<script>") && !page.contains("onload"), "{format}");
    }
}

#[test]
fn svg_that_grows_is_ended() {
    let mut uses = "<g id='a0'><rect width='1' height='1'/></g>".to_owned();
    for level in 1..20 {
        let below = level - 1;
        let inner = format!("<use href='#a{below}'/>").repeat(10);
        uses.extend(["<g id='a", &level.to_string(), "'>", &inner, "</g>"]);
    }
    let bomb = format!(
        "<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'><defs>{uses}</defs><use href='#a19'/></svg>"
    );
    let rendered = survived(&showing("svg+xml", bomb.as_bytes()));
    assert!(rendered.artifacts.len() < 2);
    let laughs = "<!DOCTYPE svg [<!ENTITY a 'lol'><!ENTITY b '&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;'><!ENTITY c '&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;'>\
                  <!ENTITY d '&c;&c;&c;&c;&c;&c;&c;&c;&c;&c;'><!ENTITY e '&d;&d;&d;&d;&d;&d;&d;&d;&d;&d;'><!ENTITY f '&e;&e;&e;&e;&e;&e;&e;&e;&e;&e;'>\
                  <!ENTITY g '&f;&f;&f;&f;&f;&f;&f;&f;&f;&f;'>]><svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'><text>&g;</text></svg>";
    survived(&showing("svg+xml", laughs.as_bytes()));
    survived(&showing("svg+xml", b"<svg xmlns='http://www.w3.org/2000/svg' width='1e9' height='1e9'><rect width='1e9' height='1e9'/></svg>"));
}

#[test]
fn hostile_diagrams_are_bounded_in_time_and_memory() {
    let chain: String = (0..5_000).map(|n| format!("  n{n} --> n{}\n", (n * 7919) % 5_000)).collect();
    let nested =
        (0..400).map(|n| format!("subgraph s{n}\n")).collect::<String>() + "a --> b\n" + &"end\n".repeat(400);
    let messages: String = (0..20_000).map(|n| format!("  A->>B: {n}\n")).collect();
    let label = "x".repeat(400_000);
    let hostile = [
        format!("flowchart LR\n{chain}"),
        format!("flowchart LR\n{nested}"),
        format!("sequenceDiagram\n{messages}"),
        format!("flowchart LR\n  A[{label}] --> B\n"),
        format!("mindmap\n{}", (0..300).map(|n| format!("{}n{n}\n", "  ".repeat(n + 1))).collect::<String>()),
        format!("pie\n{}", (0..20_000).map(|n| format!("  \"p{n}\" : 1\n")).collect::<String>()),
    ];
    let renderer = small();
    for diagram in hostile {
        let start = Instant::now();
        let drawn = renderer.draw(&diagram, Format::Svg, None);
        let took = start.elapsed();
        let head: String = diagram.chars().take(40).collect();
        assert!(took < Duration::from_secs(45), "{head}: {took:?}");
        assert!(drawn.is_err() || drawn.is_ok_and(|svg| svg.len() < 64 << 20), "{head}");
        assert_eq!(render(&renderer, LETTER).artifacts.len(), 1, "{head}: the next document is rendered");
    }
}
