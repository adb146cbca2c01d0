use std::sync::Arc;

use super::*;
use crate::budget::timed;

fn read(text: &str) -> Document {
    let source = Arc::new(Source::new("notes.org", text));
    let fragment = Fragment::contiguous(source.text(), source.span());
    Org.parse(&source, &fragment, &ParseOptions::default())
}

/// What is observed, with the line of each.
fn observed(text: &str) -> Vec<String> {
    let document = read(text);
    let line = |seen: &Observation| document.source().position(seen.span.start).line;
    document.observations.iter().map(|seen| format!("{} {}", line(seen), seen.name)).collect()
}

#[test]
fn a_star_inside_a_block_ends_it() {
    let text = "* A\n#+begin_example\n* B\n#+end_example\n";
    assert_eq!(observed(text), ["2 block-cut-by-headline", "4 block-end-alone"]);
    assert!(observed("* A\n#+begin_example\n,* B\n#+end_example\n").is_empty());
}

#[test]
fn a_drawer_needs_its_end_and_properties_their_place() {
    assert_eq!(observed("* A\n:NOTE:\ntext\n"), ["2 drawer-not-closed"]);
    assert_eq!(observed("* A\n:PROPERTIES:\n:A: 1\nb\n:END:\n"), ["2 bad-property-line"]);
    assert_eq!(observed("* A\n\n:PROPERTIES:\n:A: 1\n:END:\n"), ["3 misplaced-properties"]);
    assert!(observed("* A\n:PROPERTIES:\n:A: 1\n:END:\n:NOTE:\ntext\n:END:\n").is_empty());
}

#[test]
fn content_of_verbatim_blocks_is_not_read() {
    let text = "#+begin_src sh\n[[x]]\n:NOTE:\nSCHEDULED: <2026-01-31 Sat>\n1. x\n#+end_src\n";
    let document = read(text);
    assert!(document.observations.is_empty(), "{:?}", document.observations);
    let tree = document.tree.root().to_json();
    assert_eq!(tree["links"].as_array().map(Vec::len), Some(0));
    assert_eq!(tree["blocks"][0]["language"], "sh");
}

#[test]
fn keywords_belong_to_the_element_below_them() {
    let text = "#+caption: x\n#+name: t\n| a |\n\n#+name: lost\n\ntext\n";
    assert_eq!(observed(text), ["5 orphaned-keyword"]);
    assert_eq!(read(text).tree.root().to_json()["names"][0]["name"], "t");
}

#[test]
fn every_span_of_the_tree_is_in_the_text() {
    let text = "#+TODO: A | B\n#+FILETAGS: :x:\n* A [#A] Plan [1/2] :t:\nSCHEDULED: <2026-01-31 Sat +1w>\n:PROPERTIES:\n:ID: 1\n:END:\n1. [@2] [X] one [[#c][d]] <<t>> [fn:1]\n\n[fn:1] note\n| a | b |\n\nhttps://a.org <https://b.org> [[c]]";
    let document = read(text);
    for node in document.tree.nodes() {
        let span = node.span();
        assert!(text.get(span.range()).is_some(), "{span:?}");
    }
    let tree = document.tree.root().to_json();
    let headline = &tree["headlines"][0];
    assert_eq!(headline["todo"], "A");
    assert_eq!(headline["anchor"], "plan");
    assert_eq!(headline["planning"]["scheduled"]["repeater"], "+1w");
    assert_eq!(tree["items"][0]["position"], 2);
    assert_eq!(tree["links"][0]["type"], "custom-id");
    assert_eq!(tree["footnotes"]["definitions"][0]["label"], "1");
    assert_eq!(tree["tables"][0]["columns"], 2);
}

/// Text on which other parsers take time that grows with the square of their length.
#[test]
fn hostile_input_takes_linear_time() {
    let mib = 1 << 20;
    let nested: String = (1..1400).map(|level| format!("{} x\n", "*".repeat(level))).collect();
    let texts = [
        "[[".repeat(mib / 2),
        "*a /b _c".repeat(mib / 8),
        ":x:\n".repeat(mib / 4),
        "#+begin_src\n".repeat(mib / 12),
        "#+begin_quote\n".repeat(mib / 14),
        "[fn:".repeat(mib / 4),
        "[fn::".repeat(mib / 5),
        "- x\n".repeat(mib / 4),
        "* a\n:PROPERTIES:\n".repeat(mib / 17),
        ":PROPERTIES:\n:a: b\n".repeat(mib / 20),
        "#+name: x\n".repeat(mib / 10),
        "\\begin{a}\n".repeat(mib / 10),
        "|".repeat(mib),
        nested,
        "*".repeat(mib),
        "=a ".repeat(mib / 3),
        "<<a ".repeat(mib / 4),
    ];
    for text in texts {
        let (_, took) = timed(|| read(&text));
        let start: String = text.chars().take(20).collect();
        assert!(took.as_secs() < 10, "{start:?}: {took:?}");
    }
}
