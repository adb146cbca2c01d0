use proptest::prelude::*;
use pulldown_cmark::{Event, Options, Parser, Tag};
use serde_json::json;

use super::*;
use crate::{
    formats,
    images::{Picture, Pictures},
    model::words,
    reader,
};

fn metadata() -> Metadata {
    Metadata::new(json!({}), json!({}), &[], formats::named("gfm").unwrap())
}

/// What is written for the text of a document.
fn written(text: &str, dialect: Dialect) -> String {
    write(&reader::read_text(text, false), &metadata(), dialect)
}

/// The events of another reader.
fn events(text: &str) -> Vec<Event<'_>> {
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_MATH;
    Parser::new_ext(text, options).collect()
}

/// The text that another reader finds in paragraphs; nothing where it finds anything else.
fn read(text: &str) -> Option<String> {
    let mut out = String::new();
    for event in events(text) {
        match event {
            Event::Text(words) => out.push_str(&words),
            Event::SoftBreak => out.push(' '),
            Event::Start(Tag::Paragraph) if out.is_empty() => {}
            Event::End(_) => {}
            _ => return None,
        }
    }
    Some(out)
}

#[test]
fn a_picture_keeps_its_caption_beside_its_alternative_text() {
    let page = written("![A caption](x.png){fig-alt=\"What is seen\"}\n", Dialect::GFM);
    assert!(page.contains("![What is seen](x.png)") && page.contains("A caption"), "{page}");
    assert_eq!(written("![A caption](x.png)\n", Dialect::GFM).trim(), "![A caption](x.png)");
    assert_eq!(written("![Same](x.png){fig-alt=\"Same\"}\n", Dialect::GFM).trim(), "![Same](x.png)");
}

#[test]
fn every_construct_has_its_markdown() {
    for (source, gfm) in [
        ("*a* **b** ***c*** `d` ~~e~~", "*a* **b** ***c*** `d` ~~e~~"),
        ("H~2~O x^2^", "H<sub>2</sub>O x<sup>2</sup>"),
        ("[a](b.md \"t\") <https://a.org>", "[a](b.md \"t\") <https://a.org>"),
        ("![a](b.png){width=50%}", "<img src=\"b.png\" alt=\"a\" width=\"50%\">"),
        ("![a](b(c).png)", "![a](<b(c).png>)"),
        ("- a\n- b\n    - c\n", "- a\n- b\n  - c"),
        ("- a\n\n- b\n", "- a\n\n- b"),
        ("3) a\n4) b\n", "3) a\n4) b"),
        ("> a\n>\n> b", "> a\n>\n> b"),
        ("```python\nx = 1\n```", "``` python\nx = 1\n```"),
        ("````\n```\n````", "````\n```\n````"),
        ("a[^1]\n\n[^1]: b", "a[^1]\n\n[^1]: b"),
        ("$x$ costs 5\\$", "$x$ costs 5\\$"),
        ("$$\nx\n$$", "$$\nx\n$$"),
        ("| a | b |\n|:--|--:|\n| x\\|y | 2 |", "| a    |   b |\n"),
        ("T\n: D", "<dl>\n<dt>\n\nT\n\n</dt>\n<dd>\n\nD\n\n</dd>\n</dl>"),
        ("::: {#x}\na\n:::", "<div id=\"x\">\n\na\n\n</div>"),
        ("---\n\na", "***\n\na"),
        ("## A #b\\# {#c}\n\n[l](#c)", "<a id=\"c\"></a>\n\n## A #b\\#\n\n[l](#c)"),
        ("## Some words\n\n[l](#some-words)", "## Some words\n\n[l](#some-words)"),
        ("[x](javascript:alert(1))", "x"),
        ("a\\\nb", "a\\\nb"),
    ] {
        let written = written(source, Dialect::GFM);
        let start = gfm.split("   b").next().unwrap();
        assert!(written.starts_with(start), "{source}\n---\n{written}");
        if start == gfm {
            assert_eq!(written, format!("{gfm}\n"), "{source}");
        }
    }
}

#[test]
fn what_commonmark_does_not_have_is_html_around_markdown() {
    let table = written("| a | b |\n|:--|--:|\n| *x* | 2 |", Dialect::COMMONMARK);
    assert!(table.starts_with("<table>\n<thead>\n<tr>\n<th align=\"left\">\n\na\n\n</th>"), "{table}");
    assert!(table.contains("<td align=\"left\">\n\n*x*\n\n</td>"), "{table}");
    let note = written("a[^1]\n\n[^1]: b", Dialect::COMMONMARK);
    assert_eq!(note, "a<sup>[1](#fn1)</sup>\n\n1. <a id=\"fn1\"></a>b\n");
    assert_eq!(written("~~a~~ 5\\$", Dialect::COMMONMARK), "<del>a</del> 5$\n");
}

#[test]
fn marks_that_would_not_be_read_as_marks_are_tags() {
    let strong = |text: &str| Inline::Strong(vec![Inline::Str(text.to_owned())]);
    let emph = |text: &str| Inline::Emph(vec![Inline::Str(text.to_owned())]);
    let line = |inlines: &[Inline]| Writer::new(&[], Dialect::GFM).line(inlines);
    assert_eq!(
        line(&[Inline::Str("a".into()), strong("(b)"), Inline::Str("c".into())]),
        "a<strong>(b)</strong>c"
    );
    assert_eq!(line(&[Inline::Str("a".into()), strong("b"), Inline::Str("c".into())]), "a**b**c");
    assert_eq!(line(&[emph("a"), strong("b")]), "<em>a</em>**b**");
    assert_eq!(
        line(&[Inline::Emph(vec![Inline::Space, Inline::Str("a".into()), Inline::Space]), strong("b")]),
        "*a* **b**"
    );
    assert_eq!(line(&[Inline::Emph(vec![emph("a")])]), "<em>*a*</em>");
}

#[test]
fn identifiers_of_headings_are_those_of_github() {
    assert_eq!(slug("Hello, World! 2.0 – C++"), "hello-world-20--c");
    let blocks = reader::read_text("# A\n\n### B\n\n## B\n", false);
    let contents = title::contents(&mut Writer::new(&[], Dialect::GFM), &blocks, &metadata());
    assert_eq!(contents, "- [A](#a)\n  - [B](#b)\n  - [B](#b-1)");
}

proptest! {
    /// Text does not become markup.
    #[test]
    fn text_is_read_as_the_same_text(text in "[-+*_`~$|&!<>#=:.)(\\[\\]\\\\a1é;]{1,12}( [-+*_`~$|&!<>#=:.)(\\[\\]\\\\a1é;]{1,6}){0,3}") {
        let blocks = [Block::Para(words(&text))];
        let markdown = write(&blocks, &metadata(), Dialect::GFM);
        prop_assert_eq!(read(&markdown), Some(text), "{}", markdown);
    }

    /// Emphasis is read as emphasis of the same text.
    #[test]
    fn emphasis_is_read_as_emphasis(before in "[a(.]?", text in "[a(.*_ ]{1,4}", after in "[a(.]?") {
        prop_assume!(!text.trim().is_empty());
        let inlines = [Inline::Str(before), Inline::Strong(words(&text)), Inline::Str(after)];
        let markdown = Writer::new(&[], Dialect::GFM).line(&inlines);
        let is_strong = |event: &Event<'_>| match event {
            Event::Start(Tag::Strong) => true,
            Event::InlineHtml(html) => html.as_ref() == "<strong>",
            _ => false,
        };
        prop_assert_eq!(events(&markdown).iter().filter(|event| is_strong(event)).count(), 1, "{}", markdown);
    }
}

#[test]
fn a_column_with_a_picture_is_as_wide_as_a_filled_one_gets() {
    let mark = Pictures::default().add(Picture { mime: "image/png", bytes: vec![0; 100].into() });
    let table = written(&format!("| a |\n|---|\n| ![x]({mark}) |\n"), Dialect::NOTEBOOK);
    let lines: Vec<&str> = table.lines().collect();
    assert_eq!(lines[1], format!("| {} |", "-".repeat(40)), "{table}");
    assert_eq!(lines[2], format!("| ![x]({mark}) |"), "the cell itself is not filled up");
}
