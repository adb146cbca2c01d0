//! Mutated documents of every kind: validation always ends within its budget, nothing panics, and
//! every finding and fix is about bytes that exist, and every built-in rule can be evaluated on all of them.
//!
//! `HOSTILE_ROUNDS` is how many it tries (2,500), `HOSTILE_SEED` what the mutations are drawn from (1). A failure
//! names the seed and the round, which give the same document again.

use std::{
    collections::BTreeMap,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering},
    },
};

use proofmark::{
    Diagnostic, Kind, ParseOptions, Ruleset, Settings, Source, Validator,
    internals::{budget::Budget, convert, service},
};
use rayon::prelude::*;

use crate::{examples::Example, numbers::Numbers};

/// Text that readers treat in a special way.
const PIECES: &[&str] = &[
    "\0",
    "\u{feff}",
    "\r",
    "\r\n",
    "\t",
    "\u{202e}",
    "\u{1b}[31m",
    "é",
    "🎉",
    "\u{85}",
    "\u{2028}",
    "---\n",
    "...\n",
    "%YAML 9.9\n",
    "!!binary ",
    "!include x",
    "&a ",
    "*a",
    "<<: *a\n",
    "? ",
    "- ",
    ": ",
    "|-9\n",
    ">+\n",
    "[[",
    "{{",
    "{%",
    "%}",
    "}}",
    "((",
    "$[?",
    "..",
    "@.",
    "'''",
    "\"\\u",
    "\\ud800",
    "```mermaid\n",
    "```\n",
    "~~~",
    "<!--",
    "-->",
    "[^1]: ",
    "](",
    "![",
    "&#0;",
    "&nbsp;",
    "%%{init: ",
    "}%%",
    "${A:-",
    "${",
    "}",
    "0x",
    "1e999",
    "-0",
    "99999999999999999999",
    "2001-99-99",
    "graph TD\n",
    "proofmark-ignore all: x",
    "QUILL: ",
    "SCOPE: ",
    "version: 1\n",
    "rules:\n",
    "\n\n\n",
];

/// Values of every type, and what only looks like one.
const VALUES: &[&str] = &[
    "null",
    "~",
    "",
    "true",
    "0",
    "-1",
    "1.5",
    ".inf",
    ".nan",
    "1e999",
    "99999999999999999999",
    "2001-01-01",
    "a",
    "\"a\"",
    "'a'",
    "[]",
    "[1, a]",
    "[[a]]",
    "{}",
    "{a: 1}",
    "{a: {b: [c]}}",
    "!x y",
    "*a",
    "| x",
    "a: b: c",
    "\"",
    "[",
    "{",
];

/// Most bytes of a mutated text.
const LARGEST: usize = 40_000;

/// `text` with one random change.
fn mutated(text: &str, other: &str, numbers: &mut Numbers) -> String {
    let boundary =
        |text: &str, numbers: &mut Numbers| text.floor_char_boundary(numbers.below(text.len() + 1));
    let (from, to) = (boundary(text, numbers), boundary(text, numbers));
    let (start, end) = (from.min(to), from.max(to));
    match numbers.below(10) {
        0 => format!("{}{}", &text[..start], &text[end..]),
        6 | 7 => with_other_value(text, numbers),
        1 => {
            let end = text.floor_char_boundary(end.min(start + 64));
            format!("{}{}{}", &text[..end], text[start..end].repeat(1 + numbers.below(400)), &text[end..])
        }
        2 => {
            let (a, b) = (boundary(other, numbers), boundary(other, numbers));
            format!("{}{}{}", &text[..start], &other[a.min(b)..a.max(b)], &text[start..])
        }
        3 => {
            let piece = numbers.of::<&str>(PIECES).repeat(1 + numbers.below(300));
            format!("{}{piece}{}", &text[..start], &text[start..])
        }
        4 => text.replace('\n', "\r\n"),
        5 => text.lines().rev().collect::<Vec<_>>().join("\n"),
        _ => {
            let piece = *numbers.of::<&str>(PIECES);
            let next = text.ceil_char_boundary(end.min(start + 3));
            format!("{}{piece}{}", &text[..start], &text[next..])
        }
    }
}

/// `text` with another value for one of its keys or items, as far as the characters around it show them.
fn with_other_value(text: &str, numbers: &mut Numbers) -> String {
    let after = |at: usize| {
        [": ", "- ", "= ", "[", ", ", "{"]
            .iter()
            .find(|mark| text[at..].starts_with(*mark))
            .map(|mark| mark.len())
    };
    let starts: Vec<usize> =
        text.char_indices().filter_map(|(at, _)| after(at).map(|length| at + length)).collect();
    if starts.is_empty() {
        return text.to_owned();
    }
    let start = *numbers.of(&starts);
    let length = text[start..].find(['\n', ',', '}', ']']).unwrap_or(text.len() - start);
    format!("{}{}{}", &text[..start], numbers.of::<&str>(VALUES), &text[start + length..])
}

/// Validates a document within a budget, looks for every finding and fix in it, and returns the rules that cannot be
/// evaluated on it, each with the document.
fn assert_sound(validator: &Validator, kind: &dyn Kind, name: &str, text: &str, what: &str) -> Vec<String> {
    let source = Arc::new(Source::new(name, text));
    let budget = Budget { steps: Some(200_000_000), ..Budget::default() };
    let validate = || validator.validate(&source, kind, &ParseOptions::default());
    let result = catch_unwind(AssertUnwindSafe(|| budget.spend(validate)));
    let here = || format!("{what}, kind {}: {text:?}", kind.name());
    let Ok((outcome, spent)) = result else { panic!("validation panics: {}", here()) };
    assert_eq!(spent.exceeded, None, "{}", here());
    for found in outcome.diagnostics.iter().filter(|found| found.location.source.0 == 0) {
        let bytes = found.location.byte_start as usize..found.location.byte_end as usize;
        assert!(text.get(bytes).is_some(), "{} is nowhere: {}", found.id, here());
        for edit in found.fixes.iter().flat_map(|fix| &fix.edits).filter(|edit| edit.file.is_none()) {
            let old = text.get(edit.byte_start as usize..edit.byte_end as usize);
            assert_eq!(old, Some(edit.old.as_str()), "{}: {}", found.id, here());
        }
    }
    let failed = outcome.diagnostics.iter().filter(|found| found.id == "PM016");
    failed.map(|found| format!("{}: {}", found.message, here())).collect()
}

/// What the mutations have found: a panic, or gigabytes of memory.
#[test]
fn documents_that_failed_once_are_sound() {
    let cases = [
        ("mermaid", format!("architecture-beta\n {}group a(cloud)[A] in a\n", "\u{2028}".repeat(9))),
        ("mermaid", "packet\n\u{2028}aa\u{2028}bb\u{2028}cc\n".to_owned()),
        ("yaml", format!("{}\"a\": 1{}}}\n", "{".repeat(40), "}: 1".repeat(39))),
        ("qtype", "id: app\nmodels:\n  - {type: Model, id: null}\n".to_owned()),
        ("qtype", "id: app\nmemories:\n  - {id: m, token_limit: [1, a]}\n".to_owned()),
        ("qtype", "id: app\nflows:\n  - {id: f, variables: [{id: null, type: text2}], steps: []}\n".to_owned()),
        (
            "qtype",
            "id: app\nflows:\n  - {id: f, variables: [{id: a, type: text}], steps: [{id: s, type: Echo, inputs: [a], \
             outputs: a}]}\n"
                .to_owned(),
        ),
        ("qtype", "id: app\ntypes:\n  - {id: Review, fields: a}\n".to_owned()),
        (
            "qtype",
            "id: app\nflows:\n  - id: f\n    variables: []\n    steps: [{id: s, type: PromptTemplate, inputs: }]\n"
                .to_owned(),
        ),
        (
            "qtype",
            "id: app\ntypes: a\nflows:\n  - {id: f, variables: [{id: a, type: text}], steps: [{id: s, type: \
             FieldExtractor, json_path: $.a, inputs: [a], outputs: [b]}]}\n"
                .to_owned(),
        ),
    ];
    let ruleset = Ruleset::builtin();
    let validator = Validator::new(Arc::clone(&ruleset), Settings::default());
    for (kind, text) in cases {
        let kind = ruleset.kind(kind).unwrap();
        let failed = assert_sound(&validator, kind.as_ref(), "example", &text, "found earlier");
        assert!(failed.is_empty(), "{failed:?}");
    }
}

/// A document and a budget: what was found until the budget was used up is reported, and nothing that may be wrong
/// because the rest was not read.
#[test]
fn a_budget_that_is_used_up_keeps_what_was_found() {
    let ruleset = Ruleset::builtin();
    let validator = Validator::new(Arc::clone(&ruleset), Settings::default());
    let found = |kind: &str, name: &str, text: &str, budget: &Budget| {
        let source = Arc::new(Source::new(name, text));
        let kind = ruleset.kind(kind).unwrap();
        let validate = || validator.validate(&source, kind.as_ref(), &ParseOptions::default());
        let (outcome, _) = budget.spend(validate);
        outcome.diagnostics.iter().map(|found| found.id.clone()).collect::<Vec<_>>()
    };
    // Small documents may use half of it.
    let bytes = Budget { bytes: Some(2 << 20), ..Budget::default() };
    let steps = Budget { steps: Some(150_000), ..Budget::default() };
    let keys = "key: value\n".repeat(20_000);
    let json = format!("[{}]", "1 ".repeat(20_000));
    let toml = "a = 1\n".repeat(20_000);
    for (kind, name, text, id) in [
        ("yaml", "a.yaml", &keys, "YM301"),
        ("json", "a.json", &json, "JS"),
        ("toml", "a.toml", &toml, "PM1"),
    ] {
        for budget in [&bytes, &steps] {
            let ids = found(kind, name, text, budget);
            assert_eq!(ids[0], "PM010", "{kind}, {budget:?}");
            assert!(ids[1..].iter().all(|found| found.starts_with(id)), "{kind}, {budget:?}: {ids:?}");
        }
        assert!(found(kind, name, text, &bytes).len() > 500, "{kind}");
    }
    // A flow whose end was not read has no missing steps.
    let flow = format!("{}id: app\n", "# a comment\n".repeat(30_000));
    let ids = found("qtype", "a.qtype.yaml", &flow, &Budget { steps: Some(60_000), ..Budget::default() });
    assert_eq!(ids, ["PM010"]);
}

/// What rules are compiled to serves all documents: the budget of the document that first needs it does not decide about
/// it.
#[test]
fn rules_that_a_used_up_budget_first_needs_work_afterwards() {
    let found = |ruleset: &Arc<Ruleset>, budget: &Budget, seeds: &[Example]| -> Vec<Vec<String>> {
        let validator = Validator::new(Arc::clone(ruleset), Settings::default());
        let seeds = seeds.iter().map(|seed| {
            let source = Arc::new(Source::new(seed.name.as_str(), seed.text.as_str()));
            let validate = || validator.validate(&source, seed.kind.as_ref(), &ParseOptions::default());
            let (outcome, _) = budget.spend(validate);
            let place = |found: &Diagnostic| format!("{} at {}", found.id, found.location.byte_start);
            outcome.diagnostics.iter().map(place).collect()
        });
        seeds.collect()
    };
    let ruleset = Ruleset::builtin();
    let seeds = crate::examples::all(&ruleset);
    // Each is used up at another point: before a rule is compiled, while it is, and afterwards.
    for steps in [1, 20_000, 60_000, 150_000] {
        found(&ruleset, &Budget { steps: Some(steps), ..Budget::default() }, &seeds);
    }
    let after = found(&ruleset, &Budget::default(), &seeds);
    // These rules have never seen a budget.
    let fresh = Ruleset::builder().kind(Arc::clone(&seeds[0].kind)).build().unwrap();
    let expected = found(&fresh, &Budget::default(), &seeds);
    for ((seed, after), expected) in seeds.iter().zip(after).zip(expected) {
        assert_eq!(after, expected, "{}: {:?}", seed.rule, seed.text);
    }
}

/// A number from the environment.
fn number(name: &str, usual: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(usual)
}

/// Mutations of `seeds`, a part of the rounds of documents; `check` gets each with what names its round.
fn mutations(seeds: &[String], part: u64, check: impl Fn(&str, &str) + Sync) {
    let (last, seed) = (number("HOSTILE_ROUNDS", 2_500) / part, number("HOSTILE_SEED", 1));
    (0..last).into_par_iter().for_each(|round| {
        let mut numbers = Numbers(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ (round + 1));
        let mut text = numbers.of::<String>(seeds).clone();
        for _ in 0..=numbers.below(3) {
            text = mutated(&text, numbers.of::<String>(seeds), &mut numbers);
            text.truncate(text.floor_char_boundary(LARGEST));
        }
        let what = format!("HOSTILE_SEED={seed}, round {round}: {text:?}");
        assert!(catch_unwind(AssertUnwindSafe(|| check(&text, &what))).is_ok(), "{what}");
    });
}

#[test]
fn mutated_documents_are_converted_to_the_same_bytes_each_time() {
    let ruleset = Ruleset::builtin();
    let mut seeds: Vec<String> = crate::examples::all(&ruleset)
        .into_iter()
        .filter(|example| ["quarto", "markdown"].contains(&example.kind.name()))
        .map(|example| example.text)
        .filter(|text| convert::text(text, "html").is_some())
        .collect();
    seeds.push(RICH.to_owned());
    assert!(seeds.len() > 50, "{} documents can be converted", seeds.len());
    let converted = AtomicU64::new(0);
    mutations(&seeds, 20, |text, what| {
        for format in ["html", "revealjs", "pptx", "json"] {
            let bytes = convert::text(text, format);
            converted.fetch_add(u64::from(bytes.is_some()), Ordering::Relaxed);
            assert_eq!(bytes, convert::text(text, format), "{format}, {what}");
        }
    });
    assert!(converted.into_inner() > 20, "few of the mutated documents can be converted");
}

/// A document with most of what the writers know.
const RICH: &str = "---\ntitle: A\nauthor: [B, C]\nformat: html\n---\n\n# One {#sec-a}\n\nSee @sec-a, @fig-x and [@doe].[^1]\n\n\
    [^1]: Note.\n\n![Cap](a.png){#fig-x width=50%}\n\n::: {.callout-tip title=\"T\"}\nText **bold** _it_ `c` $x^2$\n:::\n\n\
    ::: {.panel-tabset}\n## A\n1. a\n2. b\n\n## B\n- [ ] c\n:::\n\n| a | b |\n|:--|--:|\n| 1 | 2 |\n\n: Tab {#tbl-y}\n\n\
    ```python\nx = 1 # <1>\n```\n1. Why\n\n{{< pagebreak >}}\n\n::: {.columns}\n::: {.column width=40%}\nL\n:::\n:::\n\n> q\n\nTerm\n: Def\n";

#[test]
fn every_mutated_message_is_one_or_has_an_answer() {
    let seeds = [
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"validate","arguments":{"text":"a: 1"}}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
        r#"{"jsonrpc":"2.0","id":"a","result":{"x":[1,2.5,null,true,"\u00e9\ud83d\ude00"]}}"#,
        r#"[{"jsonrpc":"2.0","id":2,"error":{"code":-32600,"message":"no"}}]"#,
    ];
    let refused = AtomicU64::new(0);
    mutations(&seeds.map(str::to_owned), 1, |text, what| match service::refusal(text.as_bytes()) {
        None => {
            let message: serde_json::Value = serde_json::from_str(text).unwrap();
            assert_eq!(message["jsonrpc"], "2.0", "{what}");
        }
        Some(answer) => {
            refused.fetch_add(1, Ordering::Relaxed);
            assert!(answer["error"]["code"].is_i64() && answer.get("id").is_some(), "{what}");
        }
    });
    assert!(refused.into_inner() > 100);
}

#[test]
fn every_mutated_patch_applies_or_has_a_reason() {
    let text = "---\ntitle: A\n---\n\n# One\n\nText of one.\n\n# Two\n\nText of two.\nText of two.\n";
    let seeds = [
        "--- a/a.md\n+++ b/a.md\n@@ -5,3 +5,3 @@\n # One\n \n-Text of one.\n+Text of *one*.\n",
        "@@ -9,4 +9,3 @@\n # Two\n \n-Text of two.\n Text of two.\n@@ -1,3 +1,4 @@\n ---\n-title: A\n+title: B\n+b: c\n ---\n",
        "*** Begin Patch\n*** Update File: a.md\n@@\n-title: A\n+title: B\n*** End Patch\n",
    ];
    let applied = AtomicU64::new(0);
    mutations(&seeds.map(str::to_owned), 1, |diff, what| match service::patched(text, "a.md", diff) {
        Ok(_) => {
            applied.fetch_add(1, Ordering::Relaxed);
        }
        Err(reasons) => assert!(reasons.iter().any(|reason| !reason.is_empty()), "{what}"),
    });
    assert!(applied.into_inner() > 20);
}

#[test]
fn mutated_packs_load_or_have_a_reason() {
    const FILES: [&str; 4] = ["pack.yaml", "rules.yaml", "kind.yaml", "sku.pest"];
    let from = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/packs/sku");
    let read = |name: &str| std::fs::read_to_string(from.join(name)).unwrap();
    let (files, document) = (FILES.map(read), read("stock.sku"));
    let loaded = AtomicU64::new(0);
    let budget = Budget { steps: Some(200_000_000), bytes: Some(64 << 20), ..Budget::default() };
    for (changed, seed) in FILES.iter().zip(&files) {
        mutations(std::slice::from_ref(seed), 250, |text, what| {
            let folder = tempfile::tempdir().unwrap();
            for (name, own) in FILES.iter().zip(&files) {
                let content = if name == changed { text } else { own };
                std::fs::write(folder.path().join(name), content).unwrap();
            }
            let (result, spent) = budget.spend(|| Ruleset::with_packs(&[folder.path().to_owned()]));
            assert!(spent.exceeded.is_none() || result.is_err(), "{changed}: {what}");
            match result {
                Err(errors) => {
                    assert!(errors.iter().all(|error| !error.to_string().is_empty()), "{changed}: {what}");
                }
                Ok(ruleset) => {
                    loaded.fetch_add(1, Ordering::Relaxed);
                    let Some(kind) = ruleset.kind("sku") else { return };
                    let validator = Validator::new(Arc::clone(&ruleset), Settings::default());
                    assert_sound(&validator, kind.as_ref(), "stock.sku", &document, what);
                }
            }
        });
    }
    assert!(loaded.into_inner() > 0, "no mutated pack is loaded");
}

#[test]
fn mutated_expressions_of_rules_end_within_their_budget() {
    let ruleset = Ruleset::builtin();
    let validator = Validator::new(Arc::clone(&ruleset), Settings::default());
    let kind = ruleset.kind("rulefile").unwrap();
    let conditions = [
        "self.a.all(x, x > 1) && has(root.b) || size(self.c) == 2",
        "self.map(k, k + 'x').exists(v, v.matches('^[a-z]+$')) ? nearest('a', ['b']) == '' : self in [1, 2.5, null]",
        "'a' + string(self) == {'k': [1, 2]}.k[0] - int('7') * -3",
    ];
    let templates = [
        "{% for x in self.a %}{{ x | upper | quoted_list }}{% endfor %}{{ value | default('x') }}",
        "{% set a = {'b': root.type}[value] %}{% if a is defined and a == 'b' %}{{ a ~ 1 + 2 }}{% endif %}",
    ];
    let seeds: Vec<String> = conditions.iter().chain(&templates).map(|&text| text.to_owned()).collect();
    mutations(&seeds, 4, |text, what| {
        for (field, other) in [("cel", "message"), ("message", "cel")] {
            let mut rule = serde_json::json!({
                "id": "XX001", "name": "hostile", "severity": "error", "since": "0.1.0", "given": "$",
                "explain": "What it checks.\n\nWhy it matters.\n\nHow to fix it.",
                "examples": [{"invalid": {"source": "a: [1, b, {c: null}]\n"}}, {"valid": {"source": "b: 1.5\n"}}],
                "check": {"cel": if field == "cel" { text } else { "size(self) > 1" }},
            });
            rule["message"] = if field == "message" { text } else { other }.into();
            let file = serde_json::json!({"version": 1, "kinds": ["yaml"], "rules": [rule]}).to_string();
            assert_sound(&validator, kind.as_ref(), "a.rules.yaml", &file, what);
        }
    });
}

#[test]
fn mutated_documents_are_validated_within_their_budget() {
    let last = number("HOSTILE_ROUNDS", 2_500);
    let seed = number("HOSTILE_SEED", 1);
    let ruleset = Ruleset::builtin();
    let validator = Validator::new(Arc::clone(&ruleset), Settings::default());
    let seeds = crate::examples::all(&ruleset);
    let rounds = AtomicU64::new(0);
    let failed = Mutex::new(BTreeMap::new());
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let round = rounds.fetch_add(1, Ordering::Relaxed);
                    if round >= last {
                        break;
                    }
                    let mut numbers = Numbers(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ (round + 1));
                    let Example { kind, name, text, .. } = numbers.of(&seeds);
                    let mut text = text.clone();
                    for _ in 0..=numbers.below(4) {
                        let other = numbers.of(&seeds);
                        text = mutated(&text, &other.text, &mut numbers);
                        text.truncate(text.floor_char_boundary(LARGEST));
                    }
                    let round = format!("HOSTILE_SEED={seed}, round {round}");
                    let found = assert_sound(&validator, kind.as_ref(), name, &text, &round);
                    failed.lock().unwrap().extend(found.into_iter().map(|found| {
                        let rule = found.split('`').nth(1).unwrap_or_default();
                        (rule.to_owned(), found)
                    }));
                }
            });
        }
    });
    assert!(rounds.into_inner() >= last);
    let failed: Vec<String> = failed.into_inner().unwrap().into_values().collect();
    assert!(failed.is_empty(), "{} rules cannot be evaluated:\n{}", failed.len(), failed.join("\n"));
}
