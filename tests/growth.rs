//! Work grows with the size of the input, not with its square: the steps that a validation charges to its budget, at
//! three sizes, for every kind and every type of diagram.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a failed expectation fails the test"
)]

use std::{fmt::Write, sync::Arc};

use proofmark::{ParseOptions, Ruleset, Settings, Source, Validator, internals::budget::Budget};
use rayon::prelude::*;

/// By how much the steps may grow when the text doubles: more than twice for sorting and searching, and less
/// than the four times of quadratic work.
const DOUBLED: u64 = 3;

/// Steps that every validation takes, which hide how little ones grow.
const LEAST: u64 = 20_000;

fn steps(validator: &Validator, kind: &str, name: &str, text: &str) -> u64 {
    let kind = validator.ruleset().kind(kind).unwrap();
    let source = Arc::new(Source::new(name, text));
    let validate = || validator.validate(&source, kind.as_ref(), &ParseOptions::default());
    Budget::default().spend(validate).1.steps
}

/// Cases whose work still grows with the square, within the budget: findings are compared with those that they
/// may follow from, and unknown names with all known ones.
const KNOWN: &[&str] = &[
    "erDiagram \"end \"",
    "flowchart \"end \"",
    "mindmap \"(\\n\"",
    "mindmap \"a ((b\\n\"",
    "mindmap \"a\\n\"",
    "mindmap \"a{b\\n\"",
    "mindmap \"subgraph a\\n\"",
    "qtype unknown models",
    "qtype wrong references",
];

/// An input of a given size.
type Grown = Box<dyn Fn(usize) -> String + Send + Sync>;

/// The cases whose work grows too fast.
fn too_fast(cases: Vec<(String, &'static str, &'static str, Grown)>) -> Vec<String> {
    let validator = Validator::new(Ruleset::builtin(), Settings::default());
    let grown = cases.par_iter().filter_map(|(case, kind, name, text)| {
        let [small, middle, large] = [400, 800, 1_600].map(|size| steps(&validator, kind, name, &text(size)));
        let fast = |less: u64, more: u64| more > LEAST && more > DOUBLED * less.max(LEAST / 4);
        (fast(small, middle) && fast(middle, large) && !KNOWN.contains(&case.as_str()))
            .then(|| format!("{case}: {small}, {middle}, {large} steps"))
    });
    let mut grown: Vec<String> = grown.collect();
    grown.sort();
    grown
}

fn lines(line: impl Fn(usize) -> String + Send + Sync + 'static) -> Grown {
    Box::new(move |size| (0..size).map(&line).collect())
}

fn after(head: &'static str, line: impl Fn(usize) -> String + Send + Sync + 'static) -> Grown {
    let body = lines(line);
    Box::new(move |size| format!("{head}{}", body(size)))
}

#[test]
fn work_for_diagrams_grows_with_their_size() {
    let ruleset = Ruleset::builtin();
    let mut cases: Vec<(String, &str, &str, Grown)> = Vec::new();
    for form in ruleset.kind("mermaid").unwrap().forms() {
        let Some(header) = form.headers.first().copied() else { continue };
        for piece in [
            "{",
            "(\n",
            "[",
            "\"",
            "{{",
            "a --> ",
            "a\n",
            "end ",
            "<",
            "%%{",
            "a{b\n",
            "a ((b\n",
            "#a;",
            "subgraph a\n",
        ] {
            let text: Grown = Box::new(move |size| format!("{header}\n{}\n", piece.repeat(size)));
            cases.push((format!("{header} {piece:?}"), "mermaid", "a.mmd", text));
        }
    }
    assert!(cases.len() > 300);
    let slow = too_fast(cases);
    assert!(slow.is_empty(), "{} grow too fast:\n{}", slow.len(), slow.join("\n"));
}

/// The beginning of a flow.
const FLOW: &str = "id: app\nflows:\n  - id: f\n    variables: [{id: a, type: text}]\n    inputs: [a]\n    outputs: [a]\n    steps:\n";

#[test]
fn work_for_documents_grows_with_their_size() {
    let markdown = |case: &str, text: Grown| (format!("markdown {case}"), "markdown", "a.md", text);
    let yaml = |case: &str, text: Grown| (format!("yaml {case}"), "yaml", "a.yaml", text);
    let mut cases = vec![
        markdown("suppressions", lines(|n| format!("<!-- proofmark-ignore MD{n:03}: why -->\n\n"))),
        markdown(
            "suppressions of a rule",
            lines(|_| "<!-- proofmark-ignore MD102: why -->\n\ntext  \n".into()),
        ),
        markdown("footnotes", lines(|n| format!("[^{n}] text\n\n[^{n}]: note\n\n"))),
        markdown("one footnote", lines(|_| "[^a] text\n\n[^a]: note\n\n".into())),
        markdown("link references", lines(|n| format!("[a{n}]: http://example.org/{n}\n"))),
        markdown("missing link references", lines(|n| format!("[a][b{n}]\n\n"))),
        markdown("headings", lines(|_| "# Same\n\n".into())),
        markdown("emphasis", Box::new(|size| "*a **b ".repeat(size))),
        markdown("brackets", Box::new(|size| "[".repeat(size * 4))),
        markdown("blocks", lines(|n| format!("---\nCARD: c{n}\n---\n\n"))),
        markdown("fields", after("---\nQUILL: letter\n", |n| format!("field_{n}: x\n"))),
        yaml("duplicate keys", lines(|_| "key: value\n".into())),
        yaml("similar keys", lines(|n| format!("key{n}: value\n"))),
        yaml("braces", Box::new(|size| "{".repeat(size * 4))),
        yaml("stars", Box::new(|size| "*a ".repeat(size))),
        yaml("anchors", Box::new(|size| "- &a b\n".repeat(size))),
        yaml("open quote", Box::new(|size| format!("\"{}", "a: b\n".repeat(size)))),
        ("config unknown keys".into(), "config", "proofmark.toml", lines(|n| format!("key{n} = 1\n"))),
        ("config packs".into(), "config", "proofmark.toml", lines(|n| format!("[a{n}]\nb = 1\n"))),
    ];
    let rule = |n: usize| {
        format!(
            "  - id: XX{n:03}\n    name: rule-{n}\n    severity: error\n    since: 0.1.0\n    given: $\n    check: {{required: a}}\n    \
             message: m\n    explain: Because.\n"
        )
    };
    cases.push((
        "rules".into(),
        "rulefile",
        "a.rules.yaml",
        after("version: 1\nkinds: [yaml]\nrules:\n", rule),
    ));
    let qtype = |case: &str, text: Grown| (format!("qtype {case}"), "qtype", "a.qtype.yaml", text);
    cases.extend([
        qtype("wrong references", after(FLOW, |n| format!("      - {{id: s{n}, type: LLMInference, model: m{n}, inputs: [b{n}], outputs: [c{n}]}}\n"))),
        qtype("unknown models", after("id: app\nmodels:\n", |n| format!("  - {{type: Model, id: model{n}, provider: openai, auth: auth{n}}}\n"))),
        qtype("unknown keys", after("id: app\n", |n| format!("key{n}: 1\n"))),
        qtype("long ids", Box::new(|size| {
            let id = "x".repeat(size * 20);
            format!("id: app\nmodels:\n  - {{type: Model, id: {id}, provider: openai}}\nauths: [{{type: api_key, id: {id}y, api_key: '${{K}}'}}]\n")
        })),
        qtype("placeholders", Box::new(|size| {
            let fields = (0..size).fold(String::new(), |mut text, n| {
                let _ = write!(text, "{{x{n}}}");
                text
            });
            format!("{FLOW}      - {{id: s, type: PromptTemplate, template: \"{fields}\", inputs: [a], outputs: [a]}}\n")
        })),
    ]);
    let slow = too_fast(cases);
    assert!(slow.is_empty(), "{} grow too fast:\n{}", slow.len(), slow.join("\n"));
}
