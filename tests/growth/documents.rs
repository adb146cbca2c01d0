//! Constructs of which a document may have many.

use std::{collections::BTreeSet, fmt::Write};

use proofmark::Ruleset;

use crate::{Case, after, grows_with_size, lines};

/// The beginning of a flow.
const FLOW: &str = "id: app\nflows:\n  - id: f\n    variables: [{id: a, type: text}]\n    inputs: [a]\n    outputs: [a]\n    steps:\n";

fn markdown() -> Vec<Case> {
    let case = |what: &str, text: crate::Grown| Case::new("markdown", "a.md", what, text);
    vec![
        case("suppressions", Box::new(lines(|n| format!("<!-- proofmark-ignore MD{n:03}: why -->\n\n")))),
        case(
            "suppressions of a rule",
            Box::new(lines(|_| "<!-- proofmark-ignore MD102: why -->\n\ntext  \n".into())),
        ),
        case(
            "suppressions of a file",
            Box::new(lines(|_| "<!-- proofmark-ignore-file MD102: why -->\n\ntext  \n".into())),
        ),
        case("footnotes", Box::new(lines(|n| format!("[^{n}] text\n\n[^{n}]: note\n\n")))),
        case("one footnote", Box::new(lines(|_| "[^a] text\n\n[^a]: note\n\n".into()))),
        case("missing footnotes", Box::new(lines(|n| format!("[^a{n}] text\n\n[^b{n}]: note\n\n")))),
        case("link references", Box::new(lines(|n| format!("[a{n}]: http://example.org/{n}\n")))),
        case("missing link references", Box::new(lines(|n| format!("[a][b{n}]\n\n[c{n}]: d\n\n")))),
        case("anchors", Box::new(lines(|n| format!("# Heading {n}\n\n[a](#headin-{n})\n\n")))),
        case("headings", Box::new(lines(|_| "# Same\n\n".into()))),
        case("emphasis", Box::new(|size| "*a **b ".repeat(size))),
        case("brackets", Box::new(|size| "[".repeat(size * 8))),
        case("tables", Box::new(after("|a|b|\n|-|-|\n", |n| format!("|{n}|x|y|\n")))),
        case("blocks", Box::new(lines(|n| format!("---\nCARD: c{n}\n---\n\n")))),
        case("broken blocks", Box::new(lines(|n| format!("---\nCARD: c{n}\na: [\n---\n\n")))),
        case("blocks in a fence", Box::new(after("```\n", |_| "---\nSCOPE: a\n".into()))),
        case(
            "blocks in a fence below an open front matter",
            Box::new(after("+++\n```\n", |_| "---\nSCOPE: a\n".into())),
        ),
        case("blocks below an open front matter", Box::new(after("+++\n", |_| "---\nSCOPE: a\n".into()))),
        case("fields", Box::new(after("---\nQUILL: letter\n", |n| format!("field_{n}: x\n")))),
        case("diagrams", Box::new(lines(|n| format!("```mermaid\nflowchart TD\na{n} --> [\n```\n\n")))),
        case("long id", Box::new(|size| format!("---\nQUILL: {}\n---\n", "x".repeat(size * 40)))),
    ]
}

fn yaml() -> Vec<Case> {
    let case = |what: &str, text: crate::Grown| Case::new("yaml", "a.yaml", what, text);
    vec![
        case("duplicate keys", Box::new(lines(|_| "key: value\n".into()))),
        case("duplicates of many keys", Box::new(lines(|n| format!("key{}: value\n", n / 2)))),
        case("similar keys", Box::new(lines(|n| format!("key{n}: value\n")))),
        case("braces", Box::new(|size| "{".repeat(size * 8))),
        case("actions in a line", Box::new(|size| "{{ x }} ".repeat(size))),
        case("open actions", Box::new(|size| "{{ x ".repeat(size * 8))),
        case("open comments", Box::new(|size| "{{/* }} ".repeat(size * 4))),
        case("open tags", Box::new(|size| "{% raw %} ".repeat(size * 4))),
        case("stars", Box::new(|size| "*a ".repeat(size))),
        case("anchors", Box::new(|size| "- &a b\n".repeat(size))),
        case("chain of anchors", Box::new(lines(|n| format!("- &a{} [*a{n}]\n", n + 1)))),
        case("aliases", Box::new(after("- &a b\n", |_| "- *a\n".into()))),
        case("merge keys", Box::new(after("- &a {b: 1}\n", |n| format!("- {{<<: *a, c{n}: 2}}\n")))),
        case("tags", Box::new(lines(|n| format!("- !tag{n} a\n")))),
        case("open quote", Box::new(|size| format!("\"{}", "a: b\n".repeat(size)))),
        case("bad lines", Box::new(lines(|n| format!("a{n}: b: c\n")))),
        case("tabs", Box::new(lines(|n| format!("a{n}:\n\t- b\n")))),
        case("comments", Box::new(lines(|n| format!("a{n}: b #c\n")))),
        case("lists as keys", Box::new(lines(|n| format!("[a{n}]: b\n")))),
        case("mappings as keys in a line", Box::new(|size| "{{a}: b}, ".repeat(size))),
    ]
}

fn openapi() -> Vec<Case> {
    let case = |what: &str, text: crate::Grown| Case::new("openapi", "openapi.yaml", what, text);
    let head = "openapi: 3.0.0\npaths:\n";
    let schemas = "openapi: 3.0.0\ncomponents:\n schemas:\n";
    vec![
        case("operations", Box::new(after(head, |n| format!(" /a{n}/{{id}}: {{get: {{tags: [a{n}]}}}}\n")))),
        case("equivalent paths", Box::new(after(head, |n| format!(" /a/{{id{n}}}: {{}}\n")))),
        case(
            "schemas",
            Box::new(after(schemas, |n| format!("  A{n}: {{type: array, enum: [1], example: a}}\n"))),
        ),
        case(
            "references",
            Box::new(after(schemas, |n| format!("  A{n}: {{$ref: '#/components/schemas/A{}'}}\n", n + 1))),
        ),
        case(
            "bad references",
            Box::new(after(schemas, |n| format!("  A{n}: {{$ref: '#/components/schemas/B{n}'}}\n"))),
        ),
        case(
            "references to one",
            Box::new(after(schemas, |n| format!("  A{n}: {{$ref: '#/components/schemas/A0', a: 1}}\n"))),
        ),
        case("unknown keys", Box::new(after(head, |n| format!(" /a{n}: {{gett: {{}}}}\n")))),
        case("servers", Box::new(after("openapi: 3.0.0\nservers:\n", |n| format!("- url: '{{a{n}}}/'\n")))),
        case("security", Box::new(after("openapi: 3.0.0\nsecurity:\n", |n| format!("- a{n}: [b]\n")))),
    ]
}

fn qtype() -> Vec<Case> {
    let case = |what: &str, text: crate::Grown| Case::new("qtype", "a.qtype.yaml", what, text);
    vec![
        case(
            "wrong references",
            Box::new(after(FLOW, |n| {
                format!(
                    "      - {{id: s{n}, type: LLMInference, model: m{n}, inputs: [b{n}], outputs: [c{n}]}}\n"
                )
            })),
        ),
        case("references to one step", Box::new(after(FLOW, |_| "      - $ref: s\n".into()))),
        case(
            "wrong references to many names",
            Box::new(|size| {
                let variables: String = (0..size).map(|n| format!("{{id: v{n}, type: text}}, ")).collect();
                let steps: String = (0..size)
                    .map(|n| format!("      - {{id: s{n}, type: Echo, inputs: [w{n}], outputs: [v{n}]}}\n"))
                    .collect();
                format!(
                    "id: app\nflows:\n  - id: f\n    variables: [{variables}]\n    inputs: [v0]\n    outputs: [v0]\n    steps:\n{steps}"
                )
            }),
        ),
        case(
            "one name in many flows",
            Box::new(after("id: app\nflows:\n", |n| {
                format!(
                    "  - {{id: f{n}, variables: [{{id: a, type: text}}], inputs: [a], outputs: [b], steps: []}}\n"
                )
            })),
        ),
        case("references to one step", Box::new(after(FLOW, |_| "      - $ref: s\n".into()))),
        case(
            "unknown models",
            Box::new(after("id: app\nmodels:\n", |n| {
                format!("  - {{type: Model, id: model{n}, provider: openai, auth: auth{n}}}\n")
            })),
        ),
        case(
            "unknown types",
            Box::new(after("id: app\ntypes:\n", |n| format!("  - {{id: T{n}, properties: {{a: U{n}}}}}\n"))),
        ),
        case(
            "nested types",
            Box::new(|size| {
                format!(
                    "id: app\ntypes:\n  - {{id: T, properties: {{a: \"{}int{}\"}}}}\n",
                    "list[".repeat(size),
                    "]".repeat(size)
                )
            }),
        ),
        case("unknown keys", Box::new(after("id: app\n", |n| format!("key{n}: 1\n")))),
        case(
            "same ids",
            Box::new(after("id: app\nmodels:\n", |_| "  - {type: Model, id: m, provider: openai}\n".into())),
        ),
        case(
            "long ids",
            Box::new(|size| {
                let id = "x".repeat(size * 20);
                format!(
                    "id: app\nmodels:\n  - {{type: Model, id: {id}, provider: openai}}\nauths: [{{type: api_key, id: {id}y, api_key: '${{K}}'}}]\n"
                )
            }),
        ),
        case("variables of the environment", Box::new(after("id: app\n", |n| format!("a{n}: ${{A{n}}}\n")))),
        case(
            "placeholders",
            Box::new(|size| {
                let fields = (0..size).fold(String::new(), |mut text, n| {
                    let _ = write!(text, "{{x{n}}}");
                    text
                });
                format!(
                    "{FLOW}      - {{id: s, type: PromptTemplate, template: \"{fields}\", inputs: [a], outputs: [a]}}\n"
                )
            }),
        ),
    ]
}

fn rules() -> Vec<Case> {
    let case = |what: &str, text: crate::Grown| Case::new("rulefile", "a.rules.yaml", what, text);
    let head = "version: 1\nkinds: [yaml]\nrules:\n";
    let rule = |n: usize, more: &str| {
        format!(
            "  - id: XX{n:03}\n    name: rule-{n}\n    severity: error\n    since: 0.1.0\n    given: $\n    \
             message: m\n    explain: Because.\n{more}"
        )
    };
    vec![
        case("rules", Box::new(after(head, move |n| rule(n, "    check: {required: a}\n")))),
        case(
            "unknown names",
            Box::new(after(head, move |n| {
                rule(n, &format!("    check: {{required: a}}\n    follows: [other-{n}]\n    tags: [t{n}]\n"))
            })),
        ),
        case("same ids", Box::new(after(head, move |_| rule(1, "    check: {required: a}\n")))),
        case(
            "unknown checks",
            Box::new(after(head, move |n| rule(n, &format!("    check: {{chek{n}: a}}\n")))),
        ),
        case(
            "conditions",
            Box::new(after(head, move |n| rule(n, &format!("    check: {{cel: 'self.a{n} > {n}'}}\n")))),
        ),
        case(
            "patterns",
            Box::new(after(head, move |n| rule(n, &format!("    check: {{pattern: '^a{n}$'}}\n")))),
        ),
    ]
}

/// What Org reads in a special way, again and again.
const ORG: &[&str] =
    &["[[x]] ", "* a\n", ":END:\n", "#+end_src\n", "[fn:1] ", "1. x\n", "<<a>> ", "{{{a}}} ", "* [#D]\n"];

/// What Quarto reads in a special way, again and again.
const QUARTO: &[&str] = &["{{< meta title >}} ", "![a](b){#fig-a ", "@fig-a ", "[^a] ", "- > "];

fn repeated() -> impl Iterator<Item = Case> {
    let case = |kind: &str, name: &'static str, piece: &'static str| {
        Case::new(kind, name, piece, Box::new(move |size| piece.repeat(size)))
    };
    let org = ORG.iter().map(move |piece| case("org", "a.org", piece));
    org.chain(QUARTO.iter().map(move |piece| case("quarto", "a.qmd", piece)))
}

fn others() -> Vec<Case> {
    let config = |what: &str, text: crate::Grown| Case::new("config", "proofmark.toml", what, text);
    let quill = |what: &str, text: crate::Grown| Case::new("quill", "Quill.yaml", what, text);
    let quarto = |what: &str, text: crate::Grown| Case::new("quarto", "a.qmd", what, text);
    let org = |what: &str, text: crate::Grown| Case::new("org", "a.org", what, text);
    let json = |what: &str, text: crate::Grown| Case::new("json", "a.json", what, text);
    let toml = |what: &str, text: crate::Grown| Case::new("toml", "a.toml", what, text);
    vec![
        json("same keys", Box::new(|size| format!("{{{}\"a\": 1}}", "\"a\": 1, ".repeat(size)))),
        json("missing commas", Box::new(|size| format!("[{}]", "1 ".repeat(size)))),
        json("open brackets", Box::new(|size| "[".repeat(size * 8))),
        toml("same keys", Box::new(lines(|_| "a = 1\n".into()))),
        toml("tables", Box::new(lines(|n| format!("[a{n}.b]\nc = [1, \n")))),
        config("unknown keys", Box::new(lines(|n| format!("key{n} = 1\n")))),
        config("tables", Box::new(lines(|n| format!("[a{n}]\nb = 1\n")))),
        config("unknown rules", Box::new(after("[rules]\n", |n| format!("XX{n:03} = \"off\"\n")))),
        config(
            "globs",
            Box::new(|size| {
                let globs: String = (0..size).map(|n| format!("\"a{n}/**/*.{{md,qmd}}\", ")).collect();
                format!("[files]\nexclude = [{globs}]\n")
            }),
        ),
        config(
            "options that no rule has",
            Box::new(after("[rules.all.options]\n", |n| format!("option{n} = 1\n"))),
        ),
        config(
            "unknown rules between lines that are not TOML",
            Box::new(after("[rules]\n", |n| format!("XX{n:03} = \"off\"\n[\n[rules.YY{n:03}]\n= 1\n"))),
        ),
        config("same keys", Box::new(lines(|_| "a = 1\n".into()))),
        config("bad values", Box::new(lines(|n| format!("a{n} = b\n")))),
        quill(
            "fields",
            Box::new(after("Quill:\n  name: a\nmain:\n  fields:\n", |n| {
                format!("    field_{n}:\n      type: strin\n      descriptin: a\n")
            })),
        ),
        quill(
            "cards",
            Box::new(after("Quill:\n  name: a\ncards:\n", |n| {
                format!("  card_{n}:\n    fields:\n      a:\n        type: string\n")
            })),
        ),
        quarto(
            "cross-references",
            Box::new(lines(|n| format!("See @fig-a{n}.\n\n![c](a.png){{#fig-b{n}}}\n\n"))),
        ),
        quarto("divs", Box::new(lines(|n| format!("::: {{.callout-not #d{n}}}\na\n:::\n\n")))),
        quarto("open divs", Box::new(|size| "::: {.a}\n".repeat(size))),
        quarto("shortcodes", Box::new(lines(|n| format!("{{{{< includ a{n}.qmd >}}}}\n\n")))),
        quarto("options of cells", Box::new(lines(|n| format!("```{{python}}\n#| lable: a{n}\n```\n\n")))),
        quarto("citations", Box::new(lines(|n| format!("[@a{n}; -@b{n}]\n\n")))),
        org("headlines", Box::new(lines(|n| format!("* TODO a{n} :t{n}:\n:PROPERTIES:\n:ID: x\n:END:\n")))),
        org("open blocks", Box::new(lines(|n| format!("#+begin_src a{n}\n")))),
        org("links", Box::new(lines(|n| format!("[[id:a{n}][b]] [[#c{n}]]\n")))),
        org("footnotes", Box::new(lines(|n| format!("a[fn:{n}]\n\n[fn:b{n}] note\n\n")))),
        org("tables", Box::new(lines(|n| format!("| a{n} | <2024-13-99> |\n")))),
    ]
}

/// Every construct of every kind but diagrams.
pub(crate) fn cases() -> Vec<Case> {
    [markdown(), yaml(), openapi(), qtype(), rules(), others(), repeated().collect()]
        .into_iter()
        .flatten()
        .collect()
}

#[test]
fn work_for_documents_grows_with_their_size() {
    let cases = cases();
    grows_with_size(&cases);
    let tried: BTreeSet<&str> = cases.iter().map(|case| case.kind.as_str()).collect();
    let ruleset = Ruleset::builtin();
    // Diagrams have a table of their own.
    let untried: Vec<&str> =
        ruleset.kinds().names().filter(|kind| !tried.contains(kind) && *kind != "mermaid").collect();
    assert!(untried.is_empty(), "no case for {untried:?}");
}
