//! Every type of diagram.

use proofmark::{Ruleset, Settings, Validator};

use crate::{Case, after, grows_with_size, steps};

const PIECES: &[&str] = &[
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
    "%% proofmark-ignore all: why\n",
    "a: b : c\n",
    "&&&",
];

/// In these types, `direction` counts wherever it is in a line, so that every statement looks for it up to the end
/// of its line. For one long line that is quadratic, up to the effort that grammars may take for each byte, after
/// which the diagram is reported as too complex (MM060).
const ENDS_WITH_LINE: &[&str] =
    &["mermaid erDiagram \"end \"", "mermaid flowchart \"end \"", "mermaid stateDiagram-v2 \"end \""];

/// Every piece again and again in every type of diagram.
pub(crate) fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    let ruleset = Ruleset::builtin();
    let forms = ruleset.kind("mermaid").unwrap().forms();
    for header in forms.iter().filter_map(|form| form.headers.first().copied()) {
        for piece in PIECES {
            let text = move |size: usize| format!("{header}\n{}\n", piece.repeat(size));
            cases.push(Case::new("mermaid", "a.mmd", &format!("{header} {piece:?}"), text));
        }
        let names = move |size: usize| {
            format!("{header}\n{}", (0..size).map(|n| format!("a{n} --> b{n}\n")).collect::<String>())
        };
        cases.push(Case::new("mermaid", "a.mmd", &format!("{header} names"), names));
    }
    assert!(cases.len() > 400);
    cases
}

#[test]
fn work_for_diagrams_grows_with_their_size() {
    let mut cases = cases();
    cases.retain(|case| !ENDS_WITH_LINE.contains(&case.what.as_str()));
    grows_with_size(&cases);
}

/// Steps after which a service takes a call for a long one, which leaves its place to others.
const LONG: u64 = 400_000;

#[test]
fn many_findings_make_a_call_a_long_one() {
    let validator = Validator::new(Ruleset::builtin(), Settings::default());
    let case = |header: &'static str, line: &'static str| {
        Case::new("mermaid", "a.mmd", header, move |size| format!("{header}\n{}", line.repeat(size)))
    };
    let valid = case("flowchart TD", "a --> b\n");
    assert!(steps(&validator, &valid, 1_000) < LONG, "{}", steps(&validator, &valid, 1_000));
    // Also text that a grammar reads in few steps costs as much as its bytes.
    assert!(steps(&validator, &case("pie", "{"), 8_000) > 8_000);
    for (header, line) in [("mindmap", "a\n"), ("mindmap", "(\n"), ("sequenceDiagram", "a\n")] {
        let taken = steps(&validator, &case(header, line), 4_000);
        assert!(taken > LONG, "{header} {line:?}: {taken} steps for 8 KB and a finding in each line");
    }
}

#[test]
fn work_for_unknown_names_grows_with_their_number() {
    let case = |what: &str, head: &'static str, line: fn(usize) -> String| {
        Case::new("mermaid", "a.mmd", what, after(head, line))
    };
    grows_with_size(&[
        case("classes of nodes", "flowchart TD\n", |n| format!("a{n} --> b{n}\nclass a{n} missing{n}\n")),
        case("styles of nodes", "flowchart TD\n", |n| format!("style a{n} fill:#f00\n")),
        case("links", "flowchart TD\n", |n| format!("a{n} --> b{n}\nlinkStyle {n} stroke:red\n")),
        case("participants", "sequenceDiagram\n", |n| format!("a{n}->>b{n}: text\nactivate c{n}\n")),
        case("branches", "gitGraph\n", |n| format!("commit\ncheckout b{n}\n")),
        case("tasks", "gantt\ndateFormat YYYY-MM-DD\n", |n| format!("t{n} :a{n}, after b{n}, 1d\n")),
        case("services", "architecture-beta\n", |n| format!("service a{n}(server)[A]\na{n}:L -- R:b{n}\n")),
        case("blocks", "block-beta\n", |n| format!("a{n} --> b{n}\n")),
        case("entities", "erDiagram\n", |n| format!("A{n} ||--o{{ B{n} : has\n")),
        case("states", "stateDiagram-v2\n", |n| format!("state a{n} {{\nb{n} --> c{n}\n}}\n")),
    ]);
}
