use std::sync::Arc;

use super::Quarto;
use crate::{
    Document, Kind, Kinds, ParseOptions,
    text::{Fragment, Source},
};

fn read(text: &str) -> Document {
    let source = Arc::new(Source::new("test.qmd", text));
    let fragment = Fragment::contiguous(source.text(), source.span());
    let kinds = Kinds::builtin();
    Quarto.parse(
        &source,
        &fragment,
        &ParseOptions { fences: Some(kinds.as_ref()), ..ParseOptions::default() },
    )
}

fn names(text: &str) -> Vec<String> {
    read(text).observations.iter().map(|seen| seen.name.to_string()).collect()
}

#[test]
fn the_parts_of_a_document_are_in_its_tree() {
    let text = "---\ntitle: A\nformat: {html: {toc: true}, acm-pdf: default}\n---\n\n## B {#sec-b}\n\n\
                ::: {.callout-note title=\"C\"}\n![D](d.png){#fig-d width=50%}\n:::\n\n\
                See @fig-d, @Sec-b and [@knuth].\n\n```{r}\n#| label: tbl-e\n#| echo: false\n1\n```\n";
    let json = read(text).tree.root().to_json();
    assert_eq!(json["header"]["title"], "A");
    assert_eq!(json["formats"][1]["base"], "pdf");
    assert_eq!(json["divs"][0]["classes"][0], "callout-note");
    assert_eq!(json["images"][0]["attributes"]["width"], "50%");
    assert_eq!(json["fences"][0]["options"]["echo"], false);
    let ids: Vec<&str> =
        json["targets"].as_array().unwrap().iter().map(|target| target["id"].as_str().unwrap()).collect();
    assert_eq!(ids, ["sec-b", "tbl-e", "fig-d"]);
    assert_eq!(json["references"][1]["name"], "sec-b");
    assert_eq!(json["citations"][0]["key"], "knuth");
}

#[test]
fn errors_in_cell_options_are_at_their_place() {
    let text = "```{python}\n#| label: fig-a\n#| fig-cap: A: b\n1\n```\n";
    let document = read(text);
    let seen = &document.observations[0];
    assert_eq!(seen.name, "yaml_unquoted_colon");
    assert_eq!(document.source().position(seen.span.start).line, 3);
}

#[test]
fn diagrams_are_embedded_documents() {
    let document =
        read("```{mermaid}\n%%| label: fig-a\nflowchart LR\n  A --> B\n```\n\n```{{mermaid}}\nx\n```\n");
    assert_eq!(document.embedded.len(), 1);
    assert_eq!(document.embedded[0].kind, "mermaid");
    assert_eq!(document.tree.root().to_json()["fences"][0]["options"]["label"], "fig-a");
}

#[test]
fn the_div_that_lacks_its_colons_is_the_inner_one() {
    let text = ":::: {.a}\n::: {.b}\nText.\n\n::::\n";
    let document = read(text);
    assert_eq!(document.observations[0].name, "unclosed_div");
    assert_eq!(document.source().position(document.observations[0].span.start).line, 2);
    assert_eq!(names("::: {.a}\n"), ["unclosed_div"]);
}
