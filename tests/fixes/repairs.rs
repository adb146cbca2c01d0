//! What `fix --unsafe` makes of documents with one mistake, by the built-in rules. Each was repaired in a way
//! that changed what its author meant.

use std::{collections::BTreeMap, fmt::Write as _, sync::Arc};

use proofmark::{Applicability, ParseOptions, Ruleset, Settings, Source, Validator, internals::fix::Fixer};

/// A kind, a document with a mistake, and the document after `fix --unsafe`.
type Repair = (&'static str, &'static str, &'static str);

const HEADERS: &[Repair] = &[
    ("mermaid", "flow chart LR\n    A --> B\n    B --> C\n", "flowchart LR\n    A --> B\n    B --> C\n"),
    (
        "mermaid",
        "requirements\n    requirement one {\n        id: 1\n        text: the text\n    }\n",
        "requirementDiagram\n    requirement one {\n        id: 1\n        text: the text\n    }\n",
    ),
    (
        "mermaid",
        "timelineDiagram\n    title History\n    section First\n    2002 : LinkedIn\n",
        "timeline\n    title History\n    section First\n    2002 : LinkedIn\n",
    ),
    (
        "mermaid",
        "pie-chart\n    title Pets\n    \"Dogs\" : 386\n",
        "pie\n    title Pets\n    \"Dogs\" : 386\n",
    ),
    (
        "mermaid",
        "radar-beta Overview\n    axis a, b, c\n    curve x{1, 2, 3}\n",
        "radar-beta \n    title Overview\n    axis a, b, c\n    curve x{1, 2, 3}\n",
    ),
    ("mermaid", "block \"My Diagram\"\n    a b\n", "---\ntitle: My Diagram\n---\nblock\n    a b\n"),
    ("mermaid", "graph TB Overview\n    A --> B\n", "graph TB\n%% Overview\n    A --> B\n"),
    ("mermaid", "flowchart LR title Foo\n    A --> B\n", "flowchart LR\n%% title Foo\n    A --> B\n"),
    (
        "mermaid",
        "My title\n---\nflowchart TD\n    A --> B\n",
        "%% My title\n%% ---\nflowchart TD\n    A --> B\n",
    ),
    (
        "mermaid",
        "    participant User\n    User->>API: Get\n",
        "    sequenceDiagram\n    participant User\n    User->>API: Get\n",
    ),
];

const BLOCKS: &[Repair] = &[
    (
        "mermaid",
        "erDiagram\n    PERSON {\n        string name\n    CAR {\n        string plate\n    }\n",
        "erDiagram\n    PERSON {\n        string name\n    }\n    CAR {\n        string plate\n    }\n",
    ),
    (
        "mermaid",
        "erDiagram\n    PRODUCT {\n        string id\n        category\n    }\n",
        "erDiagram\n    PRODUCT {\n        string id\n        string category\n    }\n",
    ),
    (
        "mermaid",
        "flowchart LR\n    A[Start] --> G[Both} <--> H[Ways]\n",
        "flowchart LR\n    A[Start] --> G[Both] <--> H[Ways]\n",
    ),
];

const STATEMENTS: &[Repair] = &[
    (
        "mermaid",
        "sequenceDiagram\n    participant A\n    Note besides A: hello\n",
        "sequenceDiagram\n    participant A\n    Note over A: hello\n%% Note besides A: hello\n",
    ),
    (
        "mermaid",
        "gantt\n    section A\n    Task one 2024-01-01, 3d\n",
        "gantt\n    section A\n    Task one :2024-01-01, 3d\n",
    ),
    (
        "mermaid",
        "journey\n    section Go\n      Make tea 5 Me\n",
        "journey\n    section Go\n      Make tea: 5: Me\n",
    ),
    (
        "mermaid",
        "quadrantChart\n    x-axis Low -> High\n    A: [0.3, 0.6]\n",
        "quadrantChart\n    x-axis Low --> High\n    A: [0.3, 0.6]\n",
    ),
    (
        "mermaid",
        "classDiagram\n    Foo -|> Bar\n    interface Shape {\n        +area()\n    }\n",
        "classDiagram\n    Foo --|> Bar\n    class Shape {\n        <<interface>>\n        +area()\n    }\n",
    ),
    ("mermaid", "treemap-beta\n\"A\"\n    \"B\" 20\n", "treemap-beta\n\"A\"\n    \"B\": 20\n"),
    (
        "mermaid",
        "sequenceDiagram\n    participant A\n    A-B: hello\n",
        "sequenceDiagram\n    participant A\n    A->>B: hello\n",
    ),
    (
        "mermaid",
        "sequenceDiagram\n    A->>A Check it, then go\n",
        "sequenceDiagram\n    A->>A: Check it, then go\n",
    ),
];

/// An unclosed front matter of a diagram hides nothing after the fence, and the text there stays.
const FENCES: &[Repair] = &[
    (
        "markdown",
        "> ```mermaid\n> flowchart LR\n>   A -> B\n> ```\n",
        "> ```mermaid\n> flowchart LR\n>   A --> B\n> ```\n",
    ),
    (
        "markdown",
        "# Title\n\n```mermaid\n---\ntitle: Pets\nflowchart TD\n    A --> B\n```\n\nThe picture shows: things.\n\n```mermaid\nflowchart TD\n    A -> B\n```\n",
        "# Title\n\n```mermaid\n---\ntitle: Pets\n---\nflowchart TD\n    A --> B\n```\n\nThe picture shows: things.\n\n```mermaid\nflowchart TD\n    A --> B\n```\n",
    ),
];

const QTYPE: &[Repair] = &[
    (
        "qtype",
        "id: app\nmodels:\n  - {type: Model, id: gpt, provider: openai, temperature: 1}\n",
        "id: app\nmodels:\n  - {type: Model, id: gpt, provider: openai, inference_params: {temperature: 1}}\n",
    ),
    (
        "qtype",
        "id: app\nmodels:\n  - type: Model\n    id: gpt\n    provider: openai\n    color: red\n",
        "id: app\nmodels:\n  - type: Model\n    id: gpt\n    provider: openai\n    # color: red\n",
    ),
    (
        "qtype",
        "id: app\nflows:\n  - id: f\n    variables:\n      - {id: a, type: text}\n      - {id: is_valid, type: flag}\n    inputs: [$a]\n    outputs: [a]\n    steps:\n      - {id: s, type: Echo, inputs: [a], outputs: [a]}\n",
        "id: app\nflows:\n  - id: f\n    variables:\n      - {id: a, type: text}\n      - {id: is_valid, type: boolean}  # flag\n    inputs: [a]\n    outputs: [a]\n    steps:\n      - {id: s, type: Echo, inputs: [a], outputs: [a]}\n",
    ),
];

/// What the first fix for the first finding gives, for the pairs that a rule finds first.
#[derive(Default)]
struct Precision {
    right: usize,
    wrong: Vec<String>,
    without_fix: Vec<String>,
}

/// A document without what has no meaning: comments of their own, empty lines and widths of spaces.
fn meaning(text: &str) -> Vec<String> {
    let lines = text.lines().filter(|line| !line.trim().is_empty() && !line.trim().starts_with("%%"));
    lines.map(|line| line.split(' ').filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")).collect()
}

#[test]
fn the_first_fix_of_each_rule_gives_what_the_author_meant() {
    let pairs: BTreeMap<String, Vec<[String; 2]>> =
        serde_yaml::from_str(include_str!("../data/repairs.yaml")).unwrap();
    let validator = Validator::new(Ruleset::builtin(), Settings::default());
    let mut rules: BTreeMap<String, Precision> = BTreeMap::new();
    for (name, [faulty, meant]) in
        pairs.iter().flat_map(|(name, pairs)| pairs.iter().map(move |pair| (name, pair)))
    {
        let kind = validator.ruleset().kind(name).unwrap().as_ref();
        let validate = |text: &str| {
            let source = Arc::new(Source::new("text", text));
            validator.validate(&source, kind, &ParseOptions::default())
        };
        let fixer = Fixer::new(&validate, validator.ruleset(), Applicability::Unsafe);
        let mut outcome = validate(faulty);
        fixer.offer(faulty, &mut outcome);
        let known = validate(meant);
        let is_new = |id: &str| known.diagnostics.iter().all(|found| found.id != id);
        let mut found = outcome.diagnostics.iter().filter(|found| is_new(&found.id));
        let found = found.next().unwrap_or_else(|| panic!("nothing is wrong with\n{faulty}"));
        let precision = rules.entry(found.id.clone()).or_default();
        let Some(fix) = found.fixes.iter().find(|fix| fix.applicability >= Applicability::Unsafe) else {
            precision.without_fix.push(faulty.clone());
            continue;
        };
        let mut fixed = faulty.clone();
        for edit in fix.edits.iter().rev() {
            fixed.replace_range(edit.byte_start as usize..edit.byte_end as usize, &edit.new);
        }
        if meaning(&fixed) == meaning(meant) {
            precision.right += 1;
        } else {
            precision.wrong.push(format!("{faulty:?}\n    {} -> {fixed:?}", fix.title));
        }
    }
    let mut table = "rule   right  wrong  without\n".to_owned();
    for (id, found) in &rules {
        let _ =
            writeln!(table, "{id:6} {:5} {:6} {:8}", found.right, found.wrong.len(), found.without_fix.len());
    }
    for (id, found) in &rules {
        found.wrong.iter().for_each(|case| _ = writeln!(table, "\nwrong {id}: {case}"));
        found.without_fix.iter().for_each(|case| _ = writeln!(table, "\nwithout {id}: {case:?}"));
    }
    insta::assert_snapshot!(table);
}

fn assert_repaired(repairs: &[Repair]) {
    let validator = Validator::new(Ruleset::builtin(), Settings::default());
    for (name, faulty, repaired) in repairs {
        let kind = validator.ruleset().kind(name).unwrap().as_ref();
        let validate = |text: &str| {
            let source = Arc::new(Source::new("text", text));
            validator.validate(&source, kind, &ParseOptions::default())
        };
        assert!(!validate(faulty).is_valid(), "nothing is wrong with\n{faulty}");
        let fixer = Fixer::new(&validate, validator.ruleset(), Applicability::Unsafe);
        let fixed = fixer.fix(faulty);
        assert_eq!(fixed.text, *repaired, "refused: {:#?}", fixed.refused);
        assert!(fixed.outcome.is_valid(), "{:#?}", fixed.outcome.diagnostics);
    }
}

#[test]
fn headers_keep_their_language_and_the_words_after_them() {
    assert_repaired(HEADERS);
}

#[test]
fn braces_are_closed_where_the_block_ends() {
    assert_repaired(BLOCKS);
}

#[test]
fn statements_get_the_marks_that_they_lack() {
    assert_repaired(STATEMENTS);
}

#[test]
fn what_is_wrong_in_a_fence_does_not_touch_the_text_around_it() {
    assert_repaired(FENCES);
}

#[test]
fn fields_names_and_types_of_qtype_keep_their_words() {
    assert_repaired(QTYPE);
}
