use std::sync::Arc;

use serde_json::json;

use super::Markdown;
use crate::{
    Document, FenceKinds, Kind, Observation, ParseOptions,
    budget::timed,
    text::{Fragment, Source},
    yaml::Yaml,
};

fn read_as(text: &str, dialect: &str) -> Document {
    let source = Arc::new(Source::new("test.md", text));
    let fragment = Fragment::contiguous(source.text(), source.span());
    Markdown.parse(&source, &fragment, &ParseOptions { dialect: Some(dialect), ..ParseOptions::default() })
}

fn read(text: &str) -> Document {
    read_as(text, "c2")
}

/// What is observed, as `name: the text of its place`.
fn observed(text: &str) -> Vec<String> {
    let show = |o: &Observation| format!("{}: {}", o.name, o.span.of(text));
    read(text).observations.iter().map(show).collect()
}

#[track_caller]
fn silent(text: &str) {
    assert_eq!(observed(text), [""; 0], "{text:?}");
}

#[test]
fn the_tree_has_a_place_for_everything() {
    let text = "---\nQUILL: catalog\ntitle: Tools\n---\n\n# Our *tools*\n\n---\nSCOPE: products\nsku: A-1\n---\n\
                A [hammer](h.png).\n\n```mermaid\nflowchart LR\n```\n";
    let expected = json!({
        "dialect": "c2",
        "quill": {"name": "catalog"},
        "blocks": [
            {"kind": "quill", "name": "catalog", "type": "string", "line": 1},
            {"kind": "scope", "name": "products", "type": "string", "line": 8},
        ],
        "frontmatter": {"title": "Tools"},
        "scopes": {"products": [
            {"sku": "A-1", "body": "A [hammer](h.png).\n\n```mermaid\nflowchart LR\n```\n"},
        ]},
        "body": "\n# Our *tools*\n\n",
        "headings": [{"level": 1, "text": "Our tools", "slug": "our-tools", "marker": "#", "skipped": 0}],
        "fences": [{
            "language": "mermaid", "info": "mermaid", "content": "flowchart LR\n",
            "marker": "```", "executable": false, "closed": true,
        }],
        "anchors": ["our-tools"],
        "links": [{"kind": "inline", "text": "hammer", "target": "h.png"}],
        "definitions": [],
        "references": [],
        "urls": [],
    });
    assert_eq!(read(text).tree.root().to_json(), expected);
}

#[test]
fn the_tree_fits_its_schema() {
    let schema: serde_json::Value = serde_json::from_str(Markdown.tree_schema()).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    for text in
        ["", "---\na: 1\n---\n---\nb: 2\n---\n", "---\nSCOPE: [x]\n1: a\n---\n```{r}\n", "# a\n![x](y) <a:b>"]
    {
        let tree = read(text).tree.root().to_json();
        let errors: Vec<String> = validator.iter_errors(&tree).map(|error| error.to_string()).collect();
        assert!(errors.is_empty(), "{text:?}: {errors:?}");
    }
}

#[test]
fn links_definitions_and_anchors_are_in_the_tree() {
    let document = read(
        "# Our tools\n# 2 tools\n# Our tools\n<a id='Here'></a> [a](#R%C3%A9sum%C3%A9) [b][Some  name] [c][nothing at all] \
         [d] https://example.org\n\n[some name]: #x\n[d]: <d.pdf>\n",
    );
    let tree = document.tree.root().to_json();
    assert_eq!(tree["anchors"], json!(["our-tools", "2-tools", "tools", "our-tools-1", "here"]));
    assert_eq!(
        tree["links"],
        json!([
            {"kind": "inline", "text": "a", "target": "#R%C3%A9sum%C3%A9", "fragment": "R%C3%A9sum%C3%A9", "anchor": "Résumé"},
            {"kind": "reference", "text": "b", "target": "#x", "anchor": "x"},
            {"kind": "reference", "text": "d", "target": "d.pdf"},
        ])
    );
    assert_eq!(
        tree["definitions"],
        json!([{"name": "some name", "target": "#x"}, {"name": "d", "target": "d.pdf"}])
    );
    assert_eq!(
        tree["references"],
        json!([
            {"name": "Some name", "defined": true},
            {"name": "d", "defined": true},
            {"name": "nothing at all", "defined": false},
        ])
    );
    assert_eq!(tree["urls"], json!(["https://example.org"]));
    let names = ["/references/0/name", "/references/1/name", "/references/2/name", "/definitions/0/name"];
    let written = names.map(|pointer| document.tree.at_pointer(pointer).unwrap().raw());
    assert_eq!(written, ["Some  name", "d", "nothing at all", "some name"]);
}

#[test]
fn fields_of_frontmatter_and_quill_block_are_one_mapping() {
    let document = read("---\ntitle: T\n---\n\n---\nQUILL: memo\nto: Ada\n---\nText.\n");
    assert_eq!(
        document.tree.root().get("frontmatter").unwrap().to_json(),
        json!({"title": "T", "to": "Ada"})
    );
    let node = document.tree.at_pointer("/frontmatter/to").unwrap();
    assert_eq!((node.raw(), node.key()), ("Ada", Some("to")));
}

#[test]
fn a_second_frontmatter_keeps_its_fields_with_its_block() {
    let document = read("---\na: 1\n---\n---\nb: 2\n---\n");
    assert_eq!(document.tree.root().get("frontmatter").unwrap().to_json(), json!({"a": 1}));
    assert_eq!(document.tree.at_pointer("/blocks/1/fields").unwrap().to_json(), json!({"b": 2}));
}

#[test]
fn an_unclosed_frontmatter_is_read_as_far_as_its_fields_go() {
    let document = read("---\ntitle: T\nauthor: A\n\nText without end.\n");
    let fields = document.tree.root().get("frontmatter").unwrap().to_json();
    assert_eq!(fields, json!({"title": "T", "author": "A"}));
}

#[test]
fn observations_of_yaml_lead_to_nodes_of_the_tree() {
    let document = read("---\njust words\n---\n");
    let observation = &document.observations[0];
    assert_eq!(observation.name, "block-not-a-mapping");
    assert!(observation.node.is_none(), "only fields have nodes");
}

#[test]
fn ordinary_prose_is_silent() {
    silent("A letter.\n\nWith a rule:\n\n---\n\nNote: all is well.\n\n***\n\nEnd -- or --- not.\n");
    silent("Heading\n---\n\nScope: what this is about.\n\n| a | b |\n|---|---|\n| 1 | 2 |\n");
    silent("See [1][2] and m[i][j], [ ] and [x], a_b_c, 3 * 4 * 5, <b>bold</b>.\n");
    silent("---\r\ntitle: T\r\n---\r\n\r\nText.\r\n");
    silent("# A\n\n## B\n\n### C\n\n## D\n\n[b](#b)\n");
    silent("~~~\n```\n~~~\n\n````md\n```js\n```\n````\n");
    silent(
        "Persian \u{200C}text, a family 👨\u{200D}👩\u{200D}👧, England 🏴\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}.\n",
    );
}

#[test]
fn near_misses_in_code_and_comments_are_left_alone() {
    silent("```\n--- \nSCOPE: a\n---\n```\n");
    silent("<!--\n --- \nSCOPE: a\n-->\n");
    silent("    ---\n    SCOPE: a\n    ---\n");
}

#[test]
fn a_lost_block_says_why() {
    let cases = [
        ("--- \nSCOPE: a\n---\n", "err_opener_trailing_blanks: --- "),
        ("x\n\n  ---\nSCOPE: a\n---\n", "err_opener_indented:   ---"),
        ("x\n\n-----\nSCOPE: a\n-----\n", "err_opener_more_dashes: -----"),
        ("x\n\n---\n\nQUILL: a\n", "err_opener_blank_below: ---"),
        ("x\n\n---\nSCOPE: a\nb: c\n", "err_unclosed_block: ---"),
        ("\u{FEFF}---\na: 1\n---\n", "err_opener_after_bom: \u{FEFF}---"),
    ];
    for (text, expected) in cases {
        assert_eq!(observed(text), [expected], "{text:?}");
    }
}

#[test]
fn text_outside_of_all_bodies_is_observed_wherever_it_is() {
    let dropped =
        |text: &str| observed(text).into_iter().filter(|o| o.starts_with("text-dropped")).collect::<Vec<_>>();
    assert_eq!(dropped("Lost.\n\n---\na: 1\n---\nKept.\n"), ["text-dropped: Lost."]);
    let behind = "---\na: 1\n---\nKept.\n---\nSCOPE: b\n---\nKept.\n---\nQUILL: q\n---\nLost.\n";
    assert_eq!(dropped(behind), ["text-dropped: Lost."]);
    assert_eq!(dropped("Kept.\n\n---\nSCOPE: b\n---\nKept.\n"), [""; 0]);
}

#[test]
fn an_unclosed_fence_ends_at_the_next_block() {
    let text = "---\na: 1\n---\n```sh\nmake\n\n---\nSCOPE: b\n---\n# Heading\n";
    let document = read(text);
    assert_eq!(observed(text), ["unclosed-fence: ```"]);
    assert_eq!(document.tree.at_pointer("/fences/0/content").unwrap().as_str(), Some("make\n\n"));
    assert_eq!(document.tree.at_pointer("/headings/0/text").unwrap().as_str(), Some("Heading"));
}

#[test]
fn fences_in_quotes_and_lists_have_their_content_without_prefixes() {
    let document =
        read("> ```sh\n> make\n> make test\n> ```\n\n- x\n\n  ~~~ {.py .fold}\n  a\n\n    b\n  ~~~\n");
    let content = |index: usize| document.tree.at_pointer(&format!("/fences/{index}/content")).unwrap();
    assert_eq!(content(0).as_str(), Some("make\nmake test\n"));
    assert_eq!(content(1).as_str(), Some("a\n\n  b\n"));
    assert_eq!(document.tree.at_pointer("/fences/1/language").unwrap().as_str(), Some("py"));
}

#[test]
fn fences_of_quarto_and_of_windows_are_read() {
    let document = read("```{mermaid}\r\n\r\nflowchart LR\r\n```\r\n");
    let fence = document.tree.at_pointer("/fences/0").unwrap().to_json();
    assert_eq!(fence["language"], "mermaid");
    assert_eq!(fence["executable"], true);
    assert_eq!(fence["content"], "\r\nflowchart LR\r\n");
}

#[test]
fn suppressions_are_collected_from_both_sorts_of_comments() {
    let text = "---\n# proofmark-ignore FM207: intended\nscope: a\n---\n\n<!-- proofmark-ignore-file MD122 -->\n\
                See <!-- other --> and `<!-- proofmark-ignore X -->`.\n";
    let document = read(text);
    let comments: Vec<&str> = document.comments.iter().map(|comment| comment.text.of(text)).collect();
    assert_eq!(comments, ["proofmark-ignore FM207: intended", "proofmark-ignore-file MD122"]);
}

#[test]
fn a_long_line_and_other_lines_of_any_length() {
    silent(&"word ".repeat(3_999));
    silent(&"word\n".repeat(30_000));
    let text = format!("a\n{}\nb\n", "x".repeat(20_001));
    assert_eq!(observed(&text), ["long-line: "]);
}

#[test]
fn reading_takes_linear_time() {
    let prose = "A line of words with a [link](x) and `code`.\n";
    let texts = [
        "---\n",
        "---\nSCOPE: a\n",
        "----\nSCOPE: a\n",
        "```\n---\nSCOPE: a\n---\n",
        "[a][b] ",
        "# a\n[b](#c)\n",
        prose,
    ];
    for text in texts {
        let long = text.repeat(400_000 / text.len());
        assert!(timed(|| read(&long)).1.as_secs() < 10, "{text:?} takes too long");
    }
}

/// A program whose own kind has a language that is like `mermaid`.
struct OwnLanguage;

impl FenceKinds for OwnLanguage {
    fn for_language(&self, language: &str) -> Option<&dyn Kind> {
        (language == "mermain").then_some(&Yaml)
    }
}

#[test]
fn a_language_that_a_registered_kind_reads_is_not_misspelled() {
    let source = Arc::new(Source::new("test.md", "```mermain\na: 1\n```\n"));
    let fragment = Fragment::contiguous(source.text(), source.span());
    let names = |fences| {
        let document =
            Markdown.parse(&source, &fragment, &ParseOptions { fences, ..ParseOptions::default() });
        document.observations.into_iter().map(|seen| seen.name).collect::<Vec<_>>()
    };
    assert_eq!(names(None), ["mermaid-language-misspelt"]);
    assert_eq!(names(Some(&OwnLanguage)), [""; 0]);
}

#[test]
fn later_dashes_of_an_ordinary_document_are_rules_and_underlines() {
    let document = read_as("---\ntitle: x\n---\n\nOne\n\n---\n\nTwo\n---\n\n---\nkey: value\n---\n", "auto");
    let tree = document.tree.root().to_json();
    assert_eq!(tree["dialect"], "commonmark");
    assert_eq!(tree["blocks"].as_array().unwrap().len(), 1);
    assert_eq!(tree["headings"][0]["text"], "Two");
    assert!(document.observations.is_empty(), "{:?}", document.observations);
}

#[test]
fn front_matter_of_an_ordinary_document_is_data_and_its_mistakes_are_found() {
    let tree = read_as("--- \ntitle: x\n...\n\ntext\n", "auto").tree;
    assert_eq!(tree.root().to_json()["frontmatter"]["title"], "x");
    assert!(!read_as("---\ntitle: [x\n---\n", "auto").observations.is_empty());
    assert!(!read_as("---\nbad key: [x\n---\n", "auto").observations.is_empty());
    assert!(!read_as("---\ntitle: x\n\nnever closed\n", "auto").observations.is_empty());
    for text in [
        "---\n---\ntext\n",
        "---\nOnly prose, [not\n---\n",
        "---\n\nNote: prose.\n\n---\n",
        "---\n- a\n---\n",
    ] {
        assert!(read_as(text, "auto").observations.is_empty(), "{text:?}");
    }
}

#[test]
fn a_document_that_shows_the_keys_has_metadata_blocks() {
    let document = read_as("---\ntitle: x\n---\n\n---\nSCOPE: items\nsku: a\n---\n", "auto");
    let tree = document.tree.root().to_json();
    assert_eq!((&tree["dialect"], &tree["scopes"]["items"][0]["sku"]), (&"c2".into(), &"a".into()));
}

#[test]
fn fences_of_data_are_part_of_the_tree() {
    let text = "> ```yaml\n> a: 1\n> ```\n\n```json\n[{\"b\": true}]\n```\n\n```toml\nc = 2\n```\n\n```yaml\na: [\n```\n\n```sh\nls\n```\n";
    let document = read_as(text, "commonmark");
    let fences = document.tree.root().to_json()["fences"].clone();
    let data: Vec<_> = (0..5).map(|index| fences[index].get("data").cloned()).collect();
    let expected = [
        Some(serde_json::json!({"a": 1})),
        Some(serde_json::json!([{"b": true}])),
        Some(serde_json::json!({"c": 2})),
    ];
    assert_eq!(data[..3], expected);
    assert_eq!(data[3..], [None, None]);
    let value = document.tree.at_pointer("/fences/0/data/a").unwrap();
    assert_eq!((value.raw(), value.source().lines().line(value.span().start)), ("1", 2));
    assert_eq!(document.observations.len(), 1);
    assert_eq!(document.observations[0].name, "fence-data-malformed");
}

#[test]
fn sections_have_the_text_below_their_headings() {
    let text = "---\ntitle: A\n---\n\nBefore. With `code.` in it.\n\n# One\n\n> Quoted.\n\n- [x] done\n- open\n  1. inner\n\n\
                ## Two *b*\n\n| a | b |\n|---|---|\n| 1 |  |\n\n```sh\nx\n```\n\nTwo\n===\n\nLast\n";
    let source = Arc::new(Source::new("test.md", text));
    let fragment = Fragment::contiguous(source.text(), source.span());
    let options = ParseOptions { keys: &["sections"], ..ParseOptions::default() };
    let document = Markdown.parse(&source, &fragment, &options);
    let sections = document.tree.root().get("sections").unwrap();
    let empty = json!([]);
    let expected = json!([
        {
            "level": 0, "paragraphs": ["Before. With `code.` in it."], "lists": empty, "tables": empty,
            "sentences": ["Before.", "With `code.` in it."], "code": ["`code.`"], "sections": empty,
        },
        {
            "level": 1, "title": "One", "paragraphs": ["Quoted."],
            "lists": [{"ordered": false, "items": [
                {"text": "done", "done": true, "lists": empty},
                {"text": "open", "lists": [{"ordered": true, "items": [{"text": "inner", "lists": empty}]}]},
            ]}],
            "tables": empty, "sentences": ["Quoted.", "done", "open", "inner"], "code": empty,
            "sections": [{
                "level": 2, "title": "Two b", "paragraphs": empty, "lists": empty,
                "tables": [{"header": ["a", "b"], "rows": [["1", ""]]}],
                "sentences": empty, "code": ["```sh\nx\n```"], "sections": empty,
            }],
        },
        {
            "level": 1, "title": "Two", "paragraphs": ["Last"], "lists": empty, "tables": empty,
            "sentences": ["Last"], "code": empty, "sections": empty,
        },
    ]);
    assert_eq!(sections.to_json(), expected);
    let item = document.tree.at_pointer("/sections/1/lists/0/items/1/text").unwrap();
    assert_eq!((item.raw(), item.source().slice(item.span())), ("open", "open"));
    assert!(read("# One\n").tree.root().get("sections").is_none(), "no rule asks for them");
}
