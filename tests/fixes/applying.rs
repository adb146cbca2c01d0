//! Fixing documents: rounds, what goes together, and what is refused.

use std::{fs, path::Path, sync::Arc};

use proofmark::{
    Applicability, Outcome, ParseOptions, Ruleset, Settings, Severity, Source, Span, Validator,
    internals::{
        fix::{Fixer, Harm, Refusal, Trial},
        text::Edit,
    },
};

/// Rules of a pack made for the test, and nothing else.
struct Bench {
    validator: Validator,
}

impl Bench {
    fn new(rules: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
        write("pack.yaml", "version: 1\nname: bench\ndescription: D\nprefix: BE\nkinds: [markdown]\n");
        write("rules.yaml", &format!("version: 1\nrules:\n{rules}"));
        let ruleset = Ruleset::with_packs(&[folder.path().to_owned()]);
        let ruleset = ruleset.unwrap_or_else(|errors| panic!("{errors:?}"));
        let settings = Settings { select: vec!["bench".into()], ..Settings::default() };
        Self { validator: Validator::new(ruleset, settings) }
    }

    fn validate(&self, text: &str) -> Outcome {
        let kind = self.validator.ruleset().kinds().for_path(Path::new("a.md"), text).unwrap();
        self.validator.validate(&Arc::new(Source::new("a.md", text)), kind.as_ref(), &ParseOptions::default())
    }

    fn with<T>(&self, least: Applicability, work: impl FnOnce(&Fixer<'_>) -> T) -> T {
        let validate = |text: &str| self.validate(text);
        work(&Fixer::new(&validate, self.validator.ruleset(), least))
    }
}

/// A rule for fields of the frontmatter: `given`, what must hold, and what is put in its place.
fn rule(id: &str, given: &str, check: &str, fix: &str) -> String {
    format!(
        "  - id: {id}\n    name: {}\n    severity: error\n    since: 0.1.0\n    given: {given}\n    check: {check}\n    message: \"wrong\"\n    fix: {fix}\n    explain: E\n    examples: [{{invalid: {{source: \"\"}}}}, {{valid: {{source: \"\"}}}}]\n",
        id.to_lowercase()
    )
}

fn document(state: &str) -> String {
    format!("---\nstate: {state}\n---\n")
}

#[test]
fn fixes_follow_each_other_until_none_is_left() {
    let steps = [("v1", "v12"), ("v12", "v123"), ("v123", "v1234")];
    let rules: String = steps
        .iter()
        .enumerate()
        .map(|(at, (from, to))| {
            let check = format!("{{cel: \"self != '{from}'\"}}");
            rule(
                &format!("BE00{at}"),
                "$.frontmatter.state",
                &check,
                &format!("{{replace: {to}, applicability: safe}}"),
            )
            // A fix that introduces an error is refused; one that introduces a warning is not.
            .replace("severity: error", "severity: warning")
        })
        .collect();
    Bench::new(&rules).with(Applicability::Safe, |fixer| {
        let fixed = fixer.fix(&document("v1"));
        assert_eq!(fixed.text, document("v1234"));
        let applied: Vec<&str> = fixed.applied.iter().map(|applied| applied.id.as_str()).collect();
        assert_eq!(applied, ["BE000", "BE001", "BE002"]);
        assert!(fixed.settled && fixed.outcome.diagnostics.is_empty());
    });
}

#[test]
fn fixes_that_chase_each_other_come_to_an_end() {
    let forth =
        rule("BE001", "$.frontmatter.state", "{cel: \"self != 'a'\"}", "{replace: b, applicability: safe}");
    let back =
        rule("BE002", "$.frontmatter.state", "{cel: \"self != 'b'\"}", "{replace: a, applicability: safe}");
    Bench::new(&(forth + &back)).with(Applicability::Safe, |fixer| {
        let fixed = fixer.fix(&document("a"));
        assert!(fixed.applied.len() <= 2 || !fixed.settled);
    });
}

#[test]
fn a_fix_that_introduces_errors_is_reported_as_left_out_while_others_are_applied() {
    let harmful = rule(
        "BE001",
        "$.frontmatter.state",
        "{cel: \"self != 'a'\"}",
        "{replace: \"b\\nbad: 1\", applicability: safe}",
    );
    let guard = rule("BE002", "$.frontmatter", "{forbidden: [bad]}", "{delete: self, applicability: manual}");
    let good =
        rule("BE003", "$.frontmatter.other", "{cel: \"self == 1\"}", "{replace: \"1\", applicability: safe}");
    Bench::new(&(harmful + &guard + &good)).with(Applicability::Safe, |fixer| {
        let fixed = fixer.fix("---\nstate: a\nother: 2\n---\n");
        assert_eq!(fixed.text, "---\nstate: a\nother: 1\n---\n");
        let ids = |list: &[proofmark::Applied]| list.iter().map(|one| one.id.clone()).collect::<Vec<_>>();
        assert_eq!((ids(&fixed.applied), ids(&fixed.refused)), (vec!["BE003".into()], vec!["BE001".into()]));
        assert!(fixed.settled);
    });
}

#[test]
fn unsafe_fixes_are_for_those_who_ask() {
    let rules = rule(
        "BE001",
        "$.frontmatter.state",
        "{cel: \"self != 'old'\"}",
        "{replace: olds, applicability: unsafe}",
    );
    let bench = Bench::new(&rules);
    bench.with(Applicability::Safe, |fixer| assert_eq!(fixer.fix(&document("old")).text, document("old")));
    bench.with(Applicability::Unsafe, |fixer| assert_eq!(fixer.fix(&document("old")).text, document("olds")));
}

#[test]
fn mappings_with_empty_lines_become_items() {
    let rules = |given: &str| rule("BE001", given, "{type: array}", "{wrap: self, applicability: safe}");
    let nested = "---\nitems:\n  a: 1\n\n  b: 2\n---\n";
    Bench::new(&rules("$.frontmatter.items")).with(Applicability::Safe, |fixer| {
        let fixed = "---\nitems:\n  - a: 1\n\n    b: 2\n---\n";
        assert_eq!(fixer.fix(nested).text, fixed);
        assert_eq!(fixer.fix(&nested.replace('\n', "\r\n")).text, fixed.replace('\n', "\r\n"));
    });
    Bench::new(&rules("$.frontmatter")).with(Applicability::Safe, |fixer| {
        let found = (fixer.validate)("---\na: 1\n\nb: 2\n---\n").diagnostics;
        let edits: Vec<(u32, &str)> =
            found[0].fixes[0].edits.iter().map(|edit| (edit.byte_start, edit.new.as_str())).collect();
        assert_eq!(edits, [(4, "- "), (10, "  ")]);
    });
}

/// A document with front matter, and what a rule with one fix makes of it.
fn fixed_by(given: &str, check: &str, fix: &str, front_matter: &str) -> String {
    let rules = rule("BE001", given, check, &format!("{{{fix}, applicability: unsafe}}"));
    Bench::new(&rules).with(Applicability::Unsafe, |fixer| {
        let fixed = fixer.fix(&format!("---\n{front_matter}---\n")).text;
        fixed.trim_start_matches("---\n").trim_end_matches("---\n").to_owned()
    })
}

#[test]
fn an_entry_moves_into_the_mapping_beside_it() {
    let moved = |text: &str| fixed_by("$.frontmatter.t", "{cel: 'false'}", "move: self, into: params", text);
    for (text, fixed) in [
        ("id: a\nt: 1\n", "id: a\nparams: {t: 1}\n"),
        ("id: a\nt: 1\nparams:\n  u: 2\n", "id: a\nparams:\n  u: 2\n  t: 1\n"),
        ("id: a\nparams: {u: 2}\nt: 1\n", "id: a\nparams: {u: 2, t: 1}\n"),
        ("id: a\nparams:\nt: 1\n", "id: a\nparams: {t: 1}\n"),
        ("id: a\nparams: text\nt: 1\n", "id: a\nparams: text\nt: 1\n"),
    ] {
        assert_eq!(moved(text), fixed, "{text}");
    }
}

#[test]
fn an_item_moves_ahead_of_another_one() {
    let moved = |text: &str| {
        let check = "{cel: \"self.s[0].id == 'a'\"}";
        fixed_by("$.frontmatter", check, "reorder: '@.s[-1]', ahead_of: '@.s[0].id'", text)
    };
    assert_eq!(
        moved("s:\n  - id: b\n    n: 1\n  - id: a\n    n: 2\nend: 1\n"),
        "s:\n  - id: a\n    n: 2\n  - id: b\n    n: 1\nend: 1\n"
    );
    assert_eq!(moved("s: [{id: b}, {id: a}]\n"), "s: [{id: b}, {id: a}]\n", "flow style");
    assert_eq!(moved("s:\n  - id: b\n"), "s:\n  - id: b\n", "the item itself");
}

#[test]
fn values_become_a_part_of_the_items_that_their_keys_name() {
    let text = "types:\n  One:\n    a: text\n    b: text\n  Two: {c: text}\n";
    let fixed =
        fixed_by("$.frontmatter.types", "{type: array}", "itemize: self, as: id, within: fields", text);
    assert_eq!(
        fixed,
        "types:\n  - id: One\n    fields:\n      a: text\n      b: text\n  - id: Two\n    fields: {c: text}\n"
    );
}

#[test]
fn what_a_fix_drops_is_kept_in_a_comment() {
    let kept = |edit: &str, text: &str| {
        fixed_by("$.frontmatter.s", "{cel: \"self == 'other'\"}", &format!("{edit}, keep: '#'"), text)
    };
    assert_eq!(kept("replace: other", "s: quite different\n"), "s: other  # quite different\n");
    assert_eq!(kept("remove: self", "a: 1\ns: gone\n"), "a: 1\n# s: gone\n");
    assert_eq!(kept("replace: other", "s: othr\n"), "s: other\n", "a corrected spelling needs no comment");
}

#[test]
fn findings_can_be_fixed_one_by_one_and_all_unknown_ones_are_reported() {
    let rules =
        rule("BE001", "$.frontmatter.*", "{cel: \"self != 'a'\"}", "{replace: b, applicability: safe}");
    let text = "---\none: a\ntwo: a\n---\n";
    Bench::new(&rules).with(Applicability::Safe, |fixer| {
        let outcome = (fixer.validate)(text);
        let found = &outcome.diagnostics;
        let second = found[1].fingerprint.clone();
        let trial = fixer.try_fixes(text, &outcome, std::slice::from_ref(&second)).unwrap();
        assert_eq!(trial.text, "---\none: a\ntwo: b\n---\n");
        assert_eq!((trial.outcome.diagnostics.len(), trial.applied.len()), (1, 1));
        assert_eq!(trial.harm.new_errors, [""; 0]);

        let unknown = [second.clone(), "0000".into(), "1111".into()];
        let refusals = fixer.try_fixes(text, &outcome, &unknown).unwrap_err();
        assert_eq!(refusals, ["0000", "1111"].map(|one| Refusal::UnknownFinding(one.into())));
        let elsewhere =
            fixer.try_fixes("---\none: a\n---\n", &outcome, std::slice::from_ref(&second)).unwrap_err();
        assert_eq!(elsewhere, [Refusal::NoFix { fingerprint: second, id: "BE001".into() }]);
    });
}

#[test]
fn edits_are_tried_and_the_errors_that_they_introduce_are_reported() {
    let rules =
        rule("BE001", "$.frontmatter.state", "{cel: \"self != 'a'\"}", "{replace: b, applicability: safe}");
    Bench::new(&rules).with(Applicability::Safe, |fixer| {
        let tried = |from: &str, to: &str| {
            let text = document(from);
            let edit = Edit { span: Span::new(11, 12), new: to.into() };
            let trial = fixer.try_edits(&text, &(fixer.validate)(&text), &[edit]).unwrap();
            (trial.text, trial.harm.new_errors)
        };
        assert_eq!(tried("x", "y"), (document("y"), vec![]));
        assert_eq!(tried("x", "a"), (document("a"), vec!["BE001".into()]));
        assert_eq!(tried("a", "a"), (document("a"), vec![]), "an error that was there stays one");
    });
}

/// Tries something with the built-in rules for Markdown.
fn with_builtin<T>(work: impl FnOnce(&Fixer<'_>) -> T) -> T {
    let validator = Validator::new(Ruleset::builtin(), Settings::default());
    let kind = validator.ruleset().kind("markdown").unwrap().as_ref();
    let validate =
        |text: &str| validator.validate(&Arc::new(Source::new("a.md", text)), kind, &ParseOptions::default());
    work(&Fixer::new(&validate, validator.ruleset(), Applicability::Safe))
}

/// The second error comes after the first, and is found only when that is fixed.
const TWO_FAULTS: &str = "---\ntitle: Part 1: A\nname: Part 2: B\n---\n";

#[test]
fn what_a_fixed_syntax_error_uncovers_does_not_count() {
    with_builtin(|fixer| {
        let fixed = fixer.fix(TWO_FAULTS);
        assert_eq!(fixed.text, "---\ntitle: \"Part 1: A\"\nname: \"Part 2: B\"\n---\n");
        assert_eq!(fixed.refused, []);
    });
}

#[test]
fn edits_that_fix_the_syntax_are_not_blamed_for_what_they_uncover() {
    with_builtin(|fixer| {
        let tried = |start, end, new: &str| {
            let edit = Edit { span: Span::new(start, end), new: new.into() };
            fixer.try_edits(TWO_FAULTS, &(fixer.validate)(TWO_FAULTS), &[edit]).unwrap()
        };
        let fixed = tried(11, 20, "Part 1");
        assert_eq!((fixed.outcome.diagnostics.len(), fixed.harm.new_errors.len()), (1, 0), "{fixed:?}");
        let worse = tried(0, 4, "---\na: 'b\n");
        assert_ne!(worse.harm.new_errors, [""; 0], "{worse:?}");
    });
}

/// Tries edits of a Markdown text with the built-in rules: each piece of text with what replaces it.
fn edited(text: &str, edits: &[(&str, &str)]) -> Trial {
    let edits: Vec<Edit> = edits
        .iter()
        .map(|(old, new)| {
            let at = text.find(old).unwrap();
            Edit { span: Span::new(at, at + old.len()), new: (*new).into() }
        })
        .collect();
    with_builtin(|fixer| fixer.try_edits(text, &(fixer.validate)(text), &edits).unwrap())
}

#[test]
fn an_edit_may_replace_and_drop_words() {
    let text = "---\ntitle: One\n---\n\n# Kept words\n\nKeep every sentence.\n";
    assert!(edited(text, &[("Keep every sentence", "Another one, to keep")]).harm.is_none());
    assert!(edited(text, &[("\nKeep every sentence.\n", "")]).harm.is_none());
}

#[test]
fn a_declaration_that_is_used_must_not_become_a_comment() {
    let text = "# Title\n\n```mermaid\narchitecture-beta\n    service a(server)[A]\n    service b(server)[B\n    a:R -- L:b\n```\n";
    let closed = edited(text, &[("[B\n", "[B]\n")]);
    assert!(closed.harm.is_none(), "{closed:?}");
    let commented = edited(text, &[("    service b", "    %% service b")]);
    assert!(!commented.harm.new_errors.is_empty(), "{commented:?}");
}

#[test]
fn a_fix_that_drops_words_is_left_out() {
    let rules =
        rule("BE001", "$.frontmatter.state", "{cel: \"self == 'a'\"}", "{replace: a, applicability: safe}");
    Bench::new(&rules).with(Applicability::Safe, |fixer| {
        let text = document("quite different words");
        let fixed = fixer.fix(&text);
        assert_eq!((fixed.text.as_str(), fixed.settled), (text.as_str(), true));
        let reasons: Vec<Option<&str>> =
            fixed.refused.iter().map(|one| one.refused_because.as_deref()).collect();
        assert_eq!(reasons, [Some("it would drop `quite`, `different`, `words`")]);
    });
}

#[test]
fn a_manual_fix_may_discard_words_when_it_is_chosen_by_its_own_id() {
    let rules =
        rule("BE001", "$.frontmatter.state", "{cel: \"self == 'a'\"}", "{replace: a, applicability: manual}");
    Bench::new(&rules).with(Applicability::Unsafe, |fixer| {
        let text = document("quite different");
        let outcome = (fixer.validate)(&text);
        let found = &outcome.diagnostics[0];
        assert_eq!(found.fixes[0].id, format!("{}.1", found.fingerprint));
        let by_finding = fixer.try_fixes(&text, &outcome, std::slice::from_ref(&found.fingerprint));
        let only_manual = Refusal::OnlyManual {
            fingerprint: found.fingerprint.clone(),
            id: "BE001".into(),
            fix: found.fixes[0].id.clone(),
        };
        assert_eq!(by_finding.unwrap_err(), [only_manual]);
        let chosen = fixer.try_fixes(&text, &outcome, std::slice::from_ref(&found.fixes[0].id)).unwrap();
        assert_eq!((chosen.text, chosen.harm.is_none()), (document("a"), true));
    });
}

#[test]
fn fixes_and_edits_go_together() {
    let rules =
        rule("BE001", "$.frontmatter.one", "{cel: \"self != 'ab'\"}", "{replace: abc, applicability: safe}");
    Bench::new(&rules).with(Applicability::Safe, |fixer| {
        let text = "---\none: ab\ntwo: c\n---\n";
        let outcome = (fixer.validate)(text);
        let names = [outcome.diagnostics[0].fingerprint.clone()];
        let edits = [Edit { span: Span::new(17, 18), new: "changed".into() }];
        let trial = fixer.try_changes(text, &outcome, &names, &edits).unwrap();
        assert_eq!(trial.text, "---\none: abc\ntwo: changed\n---\n");
        assert!(trial.harm.is_none(), "{trial:?}");
    });
}

/// The metadata block is not closed, so neither its values nor the diagram after it were read.
const NEVER_CLOSED: &str =
    "---\ntitle: [One\nnumber: 1\n\n# Title\n\n```mermaid\nflowchart TD\n    A -> B\n    C -> D\n```\n";

#[test]
fn closing_a_block_is_not_blamed_for_the_errors_that_it_uncovers() {
    let closed = edited(NEVER_CLOSED, &[("number: 1\n", "number: 1\n---\n")]);
    assert!(closed.outcome.diagnostics.len() > 1, "{closed:?}");
    assert_eq!(closed.harm, Harm::default());
}

/// A diagram whose header is misspelled: none of its lines was read.
const MISSPELLED: &str = "# Title\n\n```mermaid\nerDiagrm\n    A ||--o{ B : has\n    B ||--o{ C : has\n    C ||--o{ D : has\n    D ||--|| E : (has)\n```\n";

#[test]
fn a_header_that_makes_the_diagram_readable_is_not_blamed_for_its_other_errors() {
    let right = edited(MISSPELLED, &[("erDiagrm", "erDiagram")]);
    assert!(!right.outcome.is_valid());
    assert_eq!(right.harm, Harm::default());
}

#[test]
fn a_header_of_another_language_is_refused_because_the_statements_cannot_be_read() {
    let wrong = edited(MISSPELLED, &[("erDiagrm", "flowchart TD")]);
    assert!(!wrong.harm.new_errors.is_empty(), "{wrong:?}");
}

#[test]
fn a_syntax_error_does_not_excuse_new_errors_on_lines_that_were_read() {
    let text = "# Title\n\n```mermaid\nclassDiagram\n    A --- --- B\n    class C {\n        +int one\n        +int two\n    }\n```\n";
    let worse = edited(text, &[("A --- --- B", "A -- B"), ("class C {", "class C")]);
    assert!(!worse.harm.is_none(), "{worse:?}");
}

#[test]
fn an_error_that_stays_does_not_make_room_for_another_one_of_its_rule() {
    let text = "# Title\n\n```mermaid\nflowchart TD\n    A -> B\n    C -> D\n    E --> F\n```\n";
    assert_eq!(edited(text, &[("E --> F", "E -> F")]).harm.new_errors, ["MM031"]);
    assert_eq!(edited(text, &[("A -> B", "A --> B")]).harm, Harm::default());
}

/// One bracket is not closed.
const ONE_OPEN: &str =
    "# Title\n\n```mermaid\nflowchart TD\n    A[One --> B\n    B --> C\n    C[Two] --> D\n```\n";

#[test]
fn fixing_one_line_while_breaking_another_is_refused() {
    let closed = edited(ONE_OPEN, &[("A[One ", "A[One] ")]);
    assert_eq!((closed.outcome.is_valid(), closed.harm), (true, Harm::default()));
    let swapped = edited(ONE_OPEN, &[("A[One ", "A[One] "), ("C[Two]", "C[Two")]);
    assert!(!swapped.harm.new_errors.is_empty(), "{swapped:?}");
    let lines = "    A[One --> B\n    B --> C\n    C[Two] --> D\n";
    let at_once = edited(ONE_OPEN, &[(lines, "    A[One] --> B\n    B --> C\n    C[Two --> D\n")]);
    assert_eq!(at_once.harm.new_errors, swapped.harm.new_errors);
}

#[test]
fn an_error_may_stay_in_a_line_that_is_changed_or_moved() {
    let renamed = edited(ONE_OPEN, &[("A[One ", "Start[One and more ")]);
    assert_eq!(renamed.harm, Harm::default(), "{renamed:?}");
    let moved =
        edited(ONE_OPEN, &[("    A[One --> B\n", ""), ("C[Two] --> D\n", "C[Two] --> D\n    A[One --> B\n")]);
    assert_eq!(moved.harm, Harm::default(), "{moved:?}");
    let whole = ONE_OPEN.replace("Two", "Three");
    let replaced = edited(ONE_OPEN, &[(ONE_OPEN, &whole)]);
    assert_eq!(replaced.harm, Harm::default(), "{replaced:?}");
}

#[test]
fn of_several_unsafe_fixes_only_the_first_is_offered_as_unsafe() {
    let state = rule(
        "BE001",
        "$.frontmatter.state",
        "{cel: \"self != 'v1'\"}",
        "[{replace: v12, applicability: unsafe}, {replace: v13, applicability: unsafe}]",
    )
    .replace("    fix:", "    fixes:");
    // The first fix leaves an error that was there before.
    let other = rule(
        "BE002",
        "$.frontmatter",
        "{cel: \"self.state in ['v13']\"}",
        "{delete: self, applicability: manual}",
    );
    let bench = Bench::new(&(state + &other));
    bench.with(Applicability::Manual, |fixer| {
        let text = document("v1");
        let mut outcome = bench.validate(&text);
        fixer.offer(&text, &mut outcome);
        let first = outcome.diagnostics.iter().find(|found| found.id == "BE001").unwrap();
        let offered: Vec<(&str, Applicability)> =
            first.fixes.iter().map(|fix| (fix.edits[0].new.as_str(), fix.applicability)).collect();
        assert_eq!(offered, [("v13", Applicability::Unsafe), ("v12", Applicability::Manual)]);
    });
}

#[test]
fn an_error_that_the_fix_of_another_one_removes_has_no_unsafe_fix() {
    // The `end` is right where the block begins.
    let text = "# Title\n\n```mermaid\nflowchart TD\n    SUBGRAPH one\n        A --> B\n    end\n```\n";
    with_builtin(|fixer| {
        let mut outcome = (fixer.validate)(text);
        let fixer = Fixer::new(fixer.validate, fixer.ruleset, Applicability::Manual);
        fixer.offer(text, &mut outcome);
        let unsafely = |found: &&proofmark::Diagnostic| {
            found.fixes.iter().any(|fix| fix.applicability == Applicability::Unsafe)
        };
        let with_fix: Vec<&str> =
            outcome.diagnostics.iter().filter(unsafely).map(|found| found.id.as_str()).collect();
        assert!(outcome.diagnostics.len() > 1 && with_fix.len() == 1, "{:#?}", outcome.diagnostics);
        assert_ne!(with_fix, ["MM040"]);
    });
}

#[test]
fn words_of_prose_differ_from_keys_of_the_tree() {
    let rules =
        rule("BE001", "$.headings[*].text", "{cel: \"self == 'A'\"}", "{replace: A, applicability: safe}");
    Bench::new(&rules).with(Applicability::Safe, |fixer| {
        let fixed = fixer.fix("# Text, blocks\n");
        let reasons: Vec<Option<&str>> =
            fixed.refused.iter().map(|one| one.refused_because.as_deref()).collect();
        assert_eq!(reasons, [Some("it would drop `text`, `blocks`")]);
    });
}

#[test]
fn rounds_never_end_with_more_errors_than_they_began_with() {
    let validator = Validator::new(Ruleset::builtin(), Settings::default());
    let kind = Arc::clone(validator.ruleset().kind("markdown").unwrap());
    let validate = |text: &str| {
        validator.validate(&Arc::new(Source::new("a.md", text)), kind.as_ref(), &ParseOptions::default())
    };
    let fixer = Fixer::new(&validate, validator.ruleset(), Applicability::Unsafe);
    // One error hides three that have no fix.
    let text = "# Title\n\n```mermaid\ngitGrph\n    commit\n    commit\n    commit\n    one\n    commit\n    commit\n    two\n    commit\n    three\n    commit\n```\n";
    let fixed = fixer.fix(text);
    let errors =
        |outcome: &Outcome| outcome.diagnostics.iter().filter(|d| d.severity == Severity::Error).count();
    assert!(errors(&fixed.outcome) <= errors(&validate(text)), "{fixed:?}");
    assert!(fixed.settled);
    let reason = fixed.refused.iter().find_map(|one| one.refused_because.clone());
    assert_eq!(reason.as_deref(), Some("it would increase the number of errors"));
    assert_eq!(fixer.fix(&fixed.text).text, fixed.text);
}

#[test]
fn of_several_fixes_the_one_that_leaves_the_fewest_errors_is_applied() {
    let check = "{cel: \"self != 'a'\"}";
    let fixes = "\n      - {replace: b, applicability: unsafe}\n      - {replace: c, applicability: unsafe}\n      - {replace: d, applicability: unsafe}";
    let state = rule("BE001", "$.frontmatter.state", check, fixes).replace("    fix: ", "    fixes: ");
    // The first fix leaves an error that was there before, so the guard alone would allow it.
    let other = rule(
        "BE002",
        "$.frontmatter",
        "{cel: \"self.state in ['c', 'd']\"}",
        "{delete: self, applicability: manual}",
    );
    Bench::new(&(state + &other)).with(Applicability::Unsafe, |fixer| {
        let fixed = fixer.fix(&document("a"));
        assert_eq!(fixed.text, document("c"));
        assert!(fixed.outcome.is_valid(), "{fixed:?}");
    });
}

#[test]
fn a_substitution_changes_only_what_its_expression_matches() {
    let fix = "{substitute: '(\\d+) to (\\d+)', with: '$1-$2', applicability: safe}";
    let rules = rule("BE001", "$.frontmatter.state", "{pattern: {not: ' to |none'}}", fix);
    Bench::new(&rules).with(Applicability::Safe, |fixer| {
        let outcome = (fixer.validate)(&document("from 1 to 10 on"));
        let edit = &outcome.diagnostics[0].fixes[0].edits[0];
        assert_eq!((edit.old.as_str(), edit.new.as_str()), (" to ", "-"), "what is alike stays");
        let unmatched = (fixer.validate)(&document("none"));
        assert_eq!(unmatched.diagnostics[0].fixes.len(), 0, "nothing to replace");
    });
}

#[test]
fn of_several_ways_the_one_that_leaves_the_fewest_errors_is_taken() {
    let state = rule(
        "BE001",
        "$.frontmatter.state",
        "{cel: \"self != 'v1'\"}",
        "[{replace: v12, applicability: unsafe}, {replace: v13, applicability: unsafe}]",
    )
    .replace("    fix:", "    fixes:");
    let mode = rule(
        "BE002",
        "$.frontmatter.mode",
        "{cel: \"self != 'm1'\"}",
        "{replace: m12, applicability: unsafe, when: \"root.frontmatter.state == 'v13'\"}",
    );
    let document = |state: &str, mode: &str| format!("---\nstate: {state}\nmode: {mode}\n---\n");
    Bench::new(&(state + &mode)).with(Applicability::Unsafe, |fixer| {
        let fixed = fixer.fix(&document("v1", "m1"));
        assert_eq!(fixed.text, document("v13", "m12"), "the first fix of the state leaves the mode as it is");
        assert!(fixed.outcome.is_valid() && fixed.settled);
        let refused: Vec<_> =
            fixed.refused.iter().map(|refused| refused.refused_because.as_deref()).collect();
        assert_eq!(refused, [Some("with it, more errors are left")]);
    });
}

#[test]
fn two_fixes_of_one_finding_are_alternatives() {
    let rules = rule(
        "BE001",
        "$.frontmatter.state",
        "{cel: \"self != 'v1'\"}",
        "[{replace: v12, applicability: unsafe}, {replace: v13, applicability: unsafe}]",
    )
    .replace("    fix:", "    fixes:");
    let bench = Bench::new(&rules);
    bench.with(Applicability::Unsafe, |fixer| {
        let text = document("v1");
        let before = bench.validate(&text);
        let ids: Vec<String> = before.diagnostics[0].fixes.iter().map(|fix| fix.id.clone()).collect();
        let refusals = fixer.try_fixes(&text, &before, &ids).unwrap_err();
        assert_eq!(refusals, [Refusal::Alternatives(ids[0].clone(), ids[1].clone())]);
        let twice = [ids[1].clone(), ids[1].clone()];
        let trial = fixer.try_fixes(&text, &before, &twice).unwrap();
        assert_eq!((trial.text, trial.applied.len()), (document("v13"), 1));
    });
}
