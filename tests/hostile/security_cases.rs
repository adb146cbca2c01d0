//! The table of attacks: every cause has a test or says why not, and every test that is named exists, runs, and compares
//! something. Packs of strangers are tried here.

use std::{collections::BTreeSet, fs, path::Path, sync::Arc, time::Duration};

use proofmark::{
    ParseOptions, Ruleset, Settings, Source, Validator,
    internals::budget::{Budget, timed},
};

const TABLE: &str = include_str!("../data/security.md");

/// The causes that the review has found.
const CAUSES: &[&str] = &[
    "C1", "H1", "H2", "H3", "H4", "H5", "B1", "M1", "M2", "M3", "M4", "M5", "M6", "M7", "M8", "M9", "M10",
    "M11", "M12", "L",
];

fn rows() -> impl Iterator<Item = Vec<&'static str>> {
    let lines = TABLE.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| cause"));
    lines.map(|line| line.trim_matches('|').split(" | ").map(str::trim).collect())
}

#[test]
fn every_cause_has_a_test_or_a_reason() {
    let found: BTreeSet<&str> = rows().map(|row| row[0]).collect();
    assert_eq!(found, CAUSES.iter().copied().collect());
}

/// The tests that the table names: each file with the name of a function.
fn named_tests() -> Vec<(&'static str, &'static str)> {
    let tests = rows().filter(|row| row.len() == 4).map(|row| row[3]);
    tests
        .map(|test| {
            let (file, name) = test.split_once(' ').unwrap();
            (file, name.trim_matches('`'))
        })
        .collect()
}

/// A function with the lines above it that belong to it.
fn function<'t>(text: &'t str, name: &str) -> Option<(&'t str, &'t str)> {
    let at = text.find(&format!("fn {name}("))?;
    let line = text[..at].rfind('\n').map_or(0, |end| end + 1);
    let above = text[..line].rfind("\n\n").map_or(0, |end| end + 2);
    let indent = text[line..at].len() - text[line..at].trim_start().len();
    let end = format!("\n{}}}", " ".repeat(indent));
    let length = text[at..].find(&end).unwrap_or(text.len() - at);
    Some((&text[above..line], &text[at..at + length]))
}

/// Whether a function compares something, itself or in a function of the same text that it calls.
fn asserts(text: &str, name: &str, depth: usize) -> bool {
    let Some((_, body)) = function(text, name) else { return false };
    let checks = |body: &str| ["assert", "panic!", "expect_", "Err("].iter().any(|word| body.contains(word));
    let called = |before: &str| {
        let start = before.rfind(|c: char| !c.is_alphanumeric() && c != '_').map_or(0, |at| at + 1);
        let called = before[start..].to_owned();
        !called.is_empty() && called != name && asserts(text, &called, depth - 1)
    };
    checks(body) || depth > 0 && body.match_indices('(').any(|(at, _)| called(&body[..at]))
}

#[test]
fn every_test_of_the_table_exists_runs_and_compares_something() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let tests = named_tests();
    assert!(tests.len() > 30);
    for (file, name) in tests {
        let path = root.join(file);
        let text = fs::read_to_string(&path).unwrap_or_else(|_| panic!("{file} does not exist"));
        let (above, _) = function(&text, name).unwrap_or_else(|| panic!("{file} has no {name}"));
        assert!(above.contains("test]") || above.contains("test("), "{name} of {file} is not a test");
        assert!(!above.contains("#[ignore"), "{name} of {file} does not run by default");
        // What the tests of a folder share is beside them.
        let beside: String = fs::read_dir(path.parent().unwrap())
            .unwrap()
            .flatten()
            .filter(|entry| entry.path().extension().is_some_and(|extension| extension == "rs"))
            .filter_map(|entry| fs::read_to_string(entry.path()).ok())
            .collect();
        let is_checked = asserts(&text, name, 1) || asserts(&format!("{text}\n\n{beside}"), name, 2);
        assert!(is_checked, "{name} of {file} compares nothing");
    }
}

/// A rule of a pack.
fn rule(number: usize, fields: &str) -> String {
    format!(
        "  - {{id: XX{number:03}, name: rule-{number}, severity: error, since: 0.1.0, given: $, explain: Because., {fields}}}\n"
    )
}

/// Packs of a stranger, with what the review found: each took more than ten seconds or gigabytes.
#[test]
fn hostile_packs_and_documents_for_them_end_within_their_limits() {
    let patterns: String =
        (0..300).map(|n| rule(n, &format!("message: m, check: {{pattern: '\\pL{{500}}{n}'}}"))).collect();
    let nested = "self.a.all(b, self.a.all(c, self.a.all(d, self.a.all(e, self.a.all(f, f == f)))))";
    let doubled = (0..40).fold("{type: object}".to_owned(), |schema, n| {
        if n < 12 { format!("{{allOf: [{schema}, {schema}]}}") } else { schema }
    });
    let text = (0..24).fold("'x'".to_owned(), |text, _| format!("({text}).replace('x', 'xxxx')"));
    let cases = [
        ("patterns", patterns),
        ("loops", rule(1, &format!("message: m, check: {{cel: \"{nested}\"}}"))),
        ("schemas", rule(1, &format!("message: m, check: {{schema: {{schema: {doubled}}}}}"))),
        ("strings", rule(1, &format!("message: m, check: {{cel: \"{text} == 'a'\"}}"))),
        ("templates", rule(1, "message: \"{{ value | indent(999999999) }}\", check: {forbidden: true}")),
    ];
    let document = format!("a: [{}]\n", "1, ".repeat(2_000));
    for (what, rules) in cases {
        let folder = tempfile::tempdir().unwrap();
        let pack = "version: 1\nname: hostile\ndescription: D\nprefix: XX\nkinds: [yaml]\n";
        fs::write(folder.path().join("pack.yaml"), pack).unwrap();
        fs::write(folder.path().join("rules.yaml"), format!("version: 1\nrules:\n{rules}")).unwrap();
        let budget = Budget { steps: Some(MOST), bytes: Some(128 << 20), ..Budget::default() };
        let work = || match Ruleset::with_packs(&[folder.path().to_owned()]) {
            Err(errors) => errors.iter().map(ToString::to_string).collect::<Vec<_>>(),
            Ok(ruleset) => {
                let kind = Arc::clone(ruleset.kind("yaml").unwrap());
                let source = Arc::new(Source::new("a.yaml", document.as_str()));
                let validator = Validator::new(ruleset, Settings::default());
                let outcome = validator.validate(&source, kind.as_ref(), &ParseOptions::default());
                outcome.diagnostics.into_iter().map(|found| found.message).collect()
            }
        };
        let ((ended, spent), took) = timed(|| budget.spend(work));
        assert!(took < LONGEST, "{what}: {took:?}, {ended:?}");
        assert!(spent.steps < 2 * MOST, "{what}: {spent:?}, {ended:?}");
        let length: usize = ended.iter().map(String::len).sum();
        assert!(length < 1 << 20, "{what}: {length} bytes of messages");
    }
}

/// Steps of a hostile pack with its document: seconds of a slow machine.
const MOST: u64 = 200_000_000;

/// How long one may take without optimizations.
const LONGEST: Duration = Duration::from_mins(2);
