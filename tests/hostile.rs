//! Mutated documents of every kind: validation always ends within its budget, nothing panics, and
//! every finding and fix is about bytes that exist.
//!
//! `HOSTILE_ROUNDS` is how many it tries (2,500), `HOSTILE_SEED` what the mutations are drawn from (1). A failure
//! names the seed and the round, which give the same document again.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a failed expectation fails the test"
)]

#[path = "support/examples.rs"]
mod examples;
#[path = "support/numbers.rs"]
mod numbers;

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use proofmark::{Kind, ParseOptions, Ruleset, Settings, Source, Validator, internals::budget::Budget};

use self::{examples::Example, numbers::Numbers};

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

/// Most bytes of a mutated text.
const LARGEST: usize = 40_000;

/// `text` with one random change.
fn mutated(text: &str, other: &str, numbers: &mut Numbers) -> String {
    let boundary =
        |text: &str, numbers: &mut Numbers| text.floor_char_boundary(numbers.below(text.len() + 1));
    let (from, to) = (boundary(text, numbers), boundary(text, numbers));
    let (start, end) = (from.min(to), from.max(to));
    match numbers.below(8) {
        0 => format!("{}{}", &text[..start], &text[end..]),
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

/// Validates a document within a budget, and looks for every finding and fix in it.
fn assert_sound(validator: &Validator, kind: &dyn Kind, name: &str, text: &str, what: &str) {
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
}

/// What the mutations have found: a panic, or gigabytes of memory.
#[test]
fn documents_that_failed_once_are_sound() {
    let cases = [
        ("mermaid", format!("architecture-beta\n {}group a(cloud)[A] in a\n", "\u{2028}".repeat(9))),
        ("yaml", format!("{}\"a\": 1{}}}\n", "{".repeat(40), "}: 1".repeat(39))),
    ];
    let ruleset = Ruleset::builtin();
    let validator = Validator::new(Arc::clone(&ruleset), Settings::default());
    for (kind, text) in cases {
        assert_sound(&validator, ruleset.kind(kind).unwrap().as_ref(), "example", &text, "found earlier");
    }
}

#[test]
fn mutated_documents_are_validated_within_their_budget() {
    let number = |name: &str, usual: u64| {
        std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok()).unwrap_or(usual)
    };
    let last = number("HOSTILE_ROUNDS", 2_500);
    let seed = number("HOSTILE_SEED", 1);
    let ruleset = Ruleset::builtin();
    let validator = Validator::new(Arc::clone(&ruleset), Settings::default());
    let seeds = examples::all(&ruleset);
    let rounds = AtomicU64::new(0);
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
                    assert_sound(&validator, kind.as_ref(), name, &text, &round);
                }
            });
        }
    });
    assert!(rounds.into_inner() >= last);
}
