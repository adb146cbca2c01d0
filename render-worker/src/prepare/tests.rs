use super::*;

/// What the engine gets, with marks as `⟦…⟧`.
fn prepared(text: &str) -> String {
    let sent = Sent { extension: "png".to_owned(), bytes: vec![0x89, b'P', b'N', b'G'] };
    let mut preparation = Preparation::new(BTreeMap::from([("a.png".to_owned(), sent)]), Format::Pdf);
    preparation.markdown(text).replace(mark::START, "⟦").replace(mark::END, "⟧")
}

#[test]
fn what_the_engine_reads_stays_as_it_is() {
    for text in [
        "# Head\n\nWords *and* **more** `code <b>`\n\n- [ ] task\n- two\n\n| a | b |\n|---|---|\n| 1 | 2 |\n",
        "```rust\nfn main() {}\nhttps://a.example [TOC]\n```\n",
        "<table><tr><td>1</td></tr></table>\n",
        "~~gone~~ and ~gone~ <u>x</u><br>y <!-- c -->\n",
        "<!-- a comment -->\n",
    ] {
        let expected = text.replace("<!-- a comment -->", "");
        assert_eq!(prepared(text), expected, "{text}");
    }
}

#[test]
fn a_picture_becomes_a_mark_and_a_missing_one_its_words() {
    assert_eq!(prepared("![A *cat*](a.png \"Tom\")\n"), "⟦picture.0⟧\n");
    assert_eq!(
        prepared("see ![](a.png) and <img src=\"a.png\" alt=\"x\">"),
        "see ⟦picture.0⟧ and ⟦picture.1⟧"
    );
    assert_eq!(prepared("![A cat](b.png)\n"), "*A cat*\n");
}

#[test]
fn addresses_become_links() {
    assert_eq!(prepared("<a@b.example>"), "[a@b.example](mailto:a@b.example)");
    assert_eq!(prepared("See https://a.example/x."), "See <https://a.example/x>.");
    assert_eq!(prepared("www.a.example"), "[www.a.example](<https://www.a.example>)");
    assert_eq!(prepared("[https://a.example](https://b.example)"), "[https://a.example](https://b.example)");
}

#[test]
fn ids_of_headings_are_known_and_not_printed() {
    let mut preparation = Preparation::default();
    let text = preparation.markdown("## First part {#start .x}\n\n## First part\n\n[a](#start)\n");
    assert_eq!(text, "## First part\n\n## First part\n\n[a](#start)\n");
    let nth = |id: &str| preparation.anchors.get(id).map(|anchor| anchor["nth"].clone());
    assert_eq!([nth("start"), nth("first-part"), nth("first-part-1")], [0, 0, 1].map(|n| Some(n.into())));
    assert_eq!(nth("second"), None);
}

#[test]
fn blocks_that_stand_for_something_else_become_marks() {
    assert_eq!(prepared("[TOC]\n\ntext\n\n\\newpage\n"), "⟦contents.⟧\n\ntext\n\n⟦pagebreak.⟧\n");
    assert_eq!(prepared("> [!WARNING]\n> Hot.\n"), "> ⟦alert.warning⟧Hot.\n");
    assert_eq!(prepared("> [!NOTE]\n>\n> - x\n"), "> ⟦alert.note⟧\n>\n> - x\n");
    assert_eq!(prepared("H~2~O and x^2^"), "H⟦sub.2⟧O and x⟦sup.2⟧");
    assert_eq!(
        prepared("`x^2^` $x^2^$ [a^1^](b^1^) a^ b^ ~~c~~ d~~e~~"),
        "`x^2^` ⟦formula.0⟧ [a^1^](b^1^) a^ b^ ~~c~~ d~~e~~"
    );
}

/// The pieces of Markdown, and the text with marks as `⟦…⟧`.
fn in_pieces(text: &str) -> (String, Vec<String>) {
    let mut preparation = Preparation::default();
    let shown = |text: &str| text.replace(mark::START, "⟦").replace(mark::END, "⟧");
    let text = shown(&preparation.markdown(text));
    (text, preparation.pieces.iter().map(|piece| shown(piece)).collect())
}

#[test]
fn notes_are_pieces_and_are_printed_once() {
    let (text, pieces) =
        in_pieces("a[^1] b[^2] c[^1]\n\n[^1]: x\n    y[^2]\n\n[^2]: z [l]\n\n[l]: https://a.example\n");
    assert_eq!(text.trim_end(), "a⟦named-note.0⟧ b⟦named-note.1⟧ c⟦same-note.0⟧\n\n[l]: https://a.example");
    assert_eq!(pieces, ["x\ny⟦same-note.1⟧", "z [l]\n\n[l]: https://a.example"]);
    let (text, pieces) = in_pieces("| a[^1] |\n|---|\n| $x$ |\n\n[^1]: Note.\n");
    assert_eq!(text.trim_end(), "| a⟦note.0⟧ |\n|---|\n| ⟦formula.1⟧ |");
    assert_eq!(pieces, ["Note.", "$x$"]);
    assert_eq!(in_pieces("a\n\n[^1]: unused\n").0, "a\n\n[^1]: unused\n");
    let (text, pieces) = in_pieces("a[^1]\n\n[^1]: itself[^1]\n");
    assert_eq!((text.trim_end(), pieces), ("a⟦named-note.0⟧", vec!["itself⟦same-note.0⟧".to_owned()]));
}

#[test]
fn formulas_are_pieces_as_they_are_written() {
    let (text, pieces) = in_pieces("# A $n$\n\n*x $a_1$* ![$b$](none.png)\n\n> $$\n> y^2\n> $$\n");
    assert_eq!(text, "# A ⟦formula.0⟧\n\n*x ⟦formula.1⟧* *b*\n\n> ⟦formula.2⟧\n");
    assert_eq!(pieces, ["$n$", "$a_1$", "$$\ny^2\n$$"]);
}

#[test]
fn lists_of_terms_are_pieces() {
    let (text, pieces) = in_pieces("Term\n: One\n  two\n\n    - x\n\nOther\n: a\n: b\n\nEnd\n");
    assert_eq!(text, "⟦terms.0⟧\n\nEnd\n");
    assert_eq!(pieces, ["Term", "One\ntwo\n\n- x", "Other", "a", "b"]);
}

#[test]
fn money_is_not_a_formula() {
    let (text, pieces) = in_pieces("**$1,200** and **$3,400**");
    assert_eq!((text.as_str(), pieces.len()), (r"**\$1,200** and **\$3,400**", 0));
}

#[test]
fn a_long_chain_of_notes_is_read() {
    let notes: String = (1..3_000).map(|n| format!("[^{n}]: x[^{}]\n\n", n + 1)).collect();
    let (_, pieces) = in_pieces(&format!("a[^1]\n\n{notes}"));
    assert_eq!(pieces.len(), 2_999);
}

#[test]
fn a_diagram_is_described_by_its_title() {
    assert_eq!(alternative("pie\n  accTitle: T\n  accDescr: D d\n"), "T: D d");
    assert_eq!(alternative("pie\n accDescr {\n  a\n  b\n }\n"), "a b");
    assert_eq!(alternative("pie\n  \"a\" : 1\n"), "pie\n  \"a\" : 1");
}

#[test]
fn html_keeps_its_words() {
    assert_eq!(
        prepared("a <b>b</b> <kbd>C</kbd> <sup>2</sup> <a href=\"x\">y</a>"),
        "a **b** `C` ⟦sup.2⟧ [y](<x>)"
    );
    assert_eq!(prepared("<div align=\"center\">\nWords\n</div>\n\nMore\n"), "Words\n\nMore\n");
    assert_eq!(prepared("a <b> b </b> c"), "a <b> b </b> c");
}

#[test]
fn captions_of_html_tables_are_left_out() {
    assert_eq!(
        prepared("<table><caption>a <b>b</b></caption><tr><td>1</td></tr></table>\n"),
        "<table><tr><td>1</td></tr></table>\n\n"
    );
    assert_eq!(
        prepared("<table><caption>a<tr><td>1</td></tr></table>\n"),
        "<table><tr><td>1</td></tr></table>\n\n"
    );
}

#[test]
fn a_diagram_becomes_a_file_and_one_that_cannot_be_drawn_stays_code() {
    let mut preparation = Preparation::default();
    let text = preparation.markdown("- x\n\n  ```mermaid\n  flowchart LR\n    A --> B\n  ```\n\n  y\n");
    assert_eq!(text.replace(mark::START, "⟦").replace(mark::END, "⟧"), "- x\n\n  ⟦diagram.0⟧\n\n  y\n");
    assert_eq!(preparation.files.keys().collect::<Vec<_>>(), ["assets/proofmark/diagram-0.svg"]);
    let broken = "```mermaid\nflowchart LR\n  A[ --> B\n```\n";
    assert_eq!(preparation.markdown(broken), broken);
    assert_eq!(preparation.take_remarks().len(), 1);
}

#[test]
fn what_marks_refer_to_is_json_of_ascii() {
    let value = json!({"text": "Größe 😀 \u{a0}\n"});
    let written = ascii(&value);
    assert!(written.is_ascii(), "{written}");
    assert_eq!(serde_json::from_str::<Value>(&written).unwrap(), value);
}

#[test]
fn private_characters_of_an_author_are_not_taken_for_a_mark() {
    let mut preparation = Preparation::default();
    let text = preparation.markdown(&format!("{}picture.0{}", mark::START, mark::END));
    assert_eq!(text, "\u{FFFD}picture.0\u{FFFD}");
    assert!(!preparation.is_used());
}
