//! What authors of rules and users of linters rely on: which settings win, what a pack may not repeat, what
//! stays known from every working directory.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
};

use rayon::prelude::*;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::sandbox::Sandbox;

/// One rule, for prices of YAML files.
fn pack(rule: &str, id: &str, name: &str) -> String {
    format!(
        "version: 1\nrules:\n  - id: {id}\n    name: {name}\n    severity: error\n    since: 0.1.0\n    tags: [money]\n{rule}    \
         message: \"the price is wrong\"\n    explain: \"Prices are positive, so that an order can be made of them.\"\n    \
         examples: [{{invalid: {{source: \"price: -1\\n\"}}}}, {{valid: {{source: \"price: 1\\n\"}}}}]\n"
    )
}

const PRICE: &str = "    given: $.price\n    check: {range: {min: 0}}\n";
const MANIFEST: &str = "version: 1\nname: flow\ndescription: Prices\nprefix: FL\nkinds: [yaml]\n";

fn shop(configuration: &str) -> Sandbox {
    let configuration = format!("[packs]\npaths = [\"flow\"]\n{configuration}");
    Sandbox::with(&[
        ("flow/pack.yaml", MANIFEST),
        ("flow/rules.yaml", &pack(PRICE, "FL001", "flow-price")),
        ("d/a.yaml", "price: -1\n"),
        ("proofmark.toml", &configuration),
    ])
}

/// The ways to name the rule.
const NAMES: [&str; 5] = ["FL001", "FL", "flow-price", "flow", "all"];

#[test]
fn a_later_setting_wins_and_a_selection_turns_on_what_it_names() {
    let finds = |sandbox: &Sandbox, arguments: &[&str]| {
        let ids = sandbox.ids(&[&["d/a.yaml"], arguments].concat());
        ids.contains(&"FL001".to_owned())
    };
    for off in NAMES {
        let ignored = shop(&format!("[rules]\nignore = [\"{off}\"]\n"));
        let overridden = shop(&format!("[[rules.override]]\nfiles = [\"d/**\"]\nignore = [\"{off}\"]\n"));
        assert!(!finds(&ignored, &[]) && !finds(&overridden, &[]), "ignore {off}");
        for on in NAMES {
            let extended = format!(
                "[rules]\nignore = [\"{off}\"]\n[[rules.override]]\nfiles = [\"d/**\"]\nextend = [\"{on}\"]\n"
            );
            assert!(finds(&shop(&extended), &[]), "ignore {off}, override {on}");
            assert!(finds(&ignored, &["--extend", on]), "ignore {off}, --extend {on}");
            // A selection leaves rules off that the configuration turns off, unless it names the rule itself.
            let is_named = ["FL001", "flow-price"].contains(&on);
            assert_eq!(finds(&ignored, &["--select", on]), is_named, "ignore {off}, --select {on}");
            assert_eq!(finds(&overridden, &["--select", on]), is_named, "override {off}, --select {on}");
            let selected = shop(&format!("[rules]\nselect = [\"{on}\"]\n"));
            assert!(!finds(&selected, &["--ignore", off]), "select {on}, --ignore {off}");
        }
    }
}

#[test]
fn a_level_of_an_override_wins_over_off() {
    let sandbox =
        shop("[rules]\nFL001 = \"off\"\n[[rules.override]]\nfiles = [\"d/**\"]\nrules.FL001 = \"note\"\n");
    sandbox.write("b.yaml", "price: -1\n");
    assert_eq!(sandbox.ids(&["d/a.yaml"]), ["FL001"]);
    assert_eq!(sandbox.ids(&["b.yaml"]), [""; 0]);
}

#[test]
fn names_of_rules_may_have_spaces_around_commas() {
    assert_eq!(shop("").ids(&["d/a.yaml", "--select", "FL001, YM101"]), ["FL001"]);
}

#[test]
fn an_id_or_a_name_of_another_file_or_pack_is_reported_where_it_is() {
    let sandbox = shop("");
    sandbox.write("flow/more.yaml", pack(PRICE, "FL002", "flow-price"));
    let run = sandbox.run(&["check", "d"]);
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("RF042") && run.stderr.contains("flow/more.yaml"), "{}", run.stderr);
    assert_eq!(sandbox.run(&["rules", "test", "flow"]).code, 1);
    sandbox.write("flow/more.yaml", pack(PRICE, "FL001", "flow-other"));
    let run = sandbox.run(&["rules", "test", "flow"]);
    assert!(run.code == 1 && run.stdout.contains("RF041"), "{}{}", run.stdout, run.stderr);
    let other = shop("");
    other.write("more/pack.yaml", MANIFEST.replace("name: flow", "name: more"));
    other.write("more/rules.yaml", pack(PRICE, "FL001", "flow-price"));
    other.write("proofmark.toml", "[packs]\npaths = [\"flow\", \"more\"]\n");
    let run = other.run(&["check", "d"]);
    assert!(run.code == 2 && run.stderr.contains("RF041"), "{}", run.stderr);
}

#[test]
fn an_expression_that_cannot_be_evaluated_is_not_silent() {
    let sandbox = shop("");
    let check = "    given: $\n    check: {cel: \"self.price > 0\"}\n";
    sandbox.write("flow/rules.yaml", pack(check, "FL001", "flow-price"));
    sandbox.write("d/a.yaml", "price: nine\n");
    assert_eq!(sandbox.ids(&["d/a.yaml"]), ["PM016"]);
    sandbox.write("d/a.yaml", "cost: 1\n");
    assert_eq!(sandbox.ids(&["d/a.yaml"]), [""; 0], "an absent key is not an error");
    let trace = sandbox.run(&["rules", "trace", "FL001", "d/a.yaml"]);
    assert!(trace.stdout.contains("check: passed"), "{}", trace.stdout);
    sandbox.write("d/a.yaml", "price: nine\n");
    let trace = sandbox.run(&["rules", "trace", "FL001", "d/a.yaml"]);
    assert!(trace.stdout.contains("check: cannot be evaluated, "), "{}", trace.stdout);
}

#[test]
fn a_template_that_fails_never_shows_its_source() {
    let sandbox = shop("");
    let rule =
        pack(PRICE, "FL001", "flow-price").replace("the price is wrong", "{{ (self | list)[9].x.y(1) }}");
    sandbox.write("flow/rules.yaml", &rule);
    let run = sandbox.run(&["check", "d", "--format", "concise"]);
    assert!(!run.stdout.contains("{{") && run.stdout.contains("PM016"), "{}", run.stdout);
    assert!(sandbox.run(&["rules", "test", "flow"]).stdout.contains("RF064"));
    sandbox.write("flow/rules.yaml", rule.replace("(self | list)[9].x.y(1)", "value | codee"));
    assert!(sandbox.run(&["rules", "test", "flow"]).stdout.contains("there is no filter `codee`"));
}

#[test]
fn known_findings_are_known_from_every_folder() {
    let sandbox = Sandbox::with(&[("specs/x.yaml", "a: b: c\n")]);
    assert_eq!(sandbox.run(&["check", "--write-baseline", "known.json"]).code, 0);
    assert_eq!(sandbox.run(&["check", "specs", "--baseline", "known.json"]).code, 0);
    let inside = sandbox.feed_in("specs", &["check", "--baseline", "../known.json"], "");
    assert_eq!(inside.code, 0, "{}", inside.stdout);
}

#[test]
fn pruning_takes_out_only_what_the_run_looked_at() {
    let sandbox = Sandbox::with(&[("a.yaml", "a: b: c\n"), ("b.yaml", "a: b: c\n"), ("c.yaml", "a: b: c\n")]);
    sandbox.run(&["check", "--write-baseline", "known.json"]);
    let left = || {
        let known: Value =
            serde_json::from_str(&fs::read_to_string(sandbox.path("known.json")).unwrap()).unwrap();
        known["findings"].as_object().unwrap().len()
    };
    assert_eq!(left(), 3);
    sandbox.write("a.yaml", "a: b\n");
    sandbox.write("b.yaml", "a: b\n");
    fs::remove_file(sandbox.path("c.yaml")).unwrap();
    sandbox.run(&["check", "a.yaml", "--baseline", "known.json", "--prune-baseline"]);
    assert_eq!(left(), 1, "a.yaml was looked at, c.yaml is gone, b.yaml was not looked at");
}

#[test]
fn pruning_keeps_what_the_run_did_not_look_for() {
    let sandbox = Sandbox::with(&[("a.yaml", "a: b: c\n"), ("b.yaml", "a: b: c\n")]);
    sandbox.run(&["check", "--write-baseline", "known.json"]);
    let prune = |arguments: &[&str]| {
        let run =
            sandbox.run(&[&["check", "--baseline", "known.json", "--prune-baseline"], arguments].concat());
        let known: Value = serde_json::from_str(&sandbox.read("known.json")).unwrap();
        (run.code, known["findings"].as_object().unwrap().len())
    };
    sandbox.write("a.yaml", "a: b\n");
    sandbox.write("b.yaml", b"\xff\xfe\xff");
    assert_eq!(prune(&["--select", "YM102"]), (0, 2), "YM101 was not looked for");
    assert_eq!(prune(&["--ignore", "YM101"]), (1, 2), "YM101 was not looked for");
    assert_eq!(prune(&["--kind", "toml"]).0, 2);
    assert_eq!(prune(&[]), (1, 1), "b.yaml could not be read");
}

#[test]
fn snapshots_are_the_same_from_every_folder() {
    let sandbox = Sandbox::with(&[("specs/x.yaml", "a: 1\n"), ("y.yaml", "a: 1\n")]);
    assert_eq!(sandbox.run(&["snapshot", "--folder", "snaps", "--update"]).code, 0);
    let inside = sandbox.feed_in("specs", &["snapshot", ".", "--folder", "../snaps", "--update"], "");
    assert!(inside.stdout.contains("0 written, 0 removed, 1 as they were"), "{}", inside.stdout);
    assert!(sandbox.path("snaps/y.yaml.proofmark.txt").exists());
}

#[test]
fn a_file_that_happens_to_have_such_keys_is_not_qtype() {
    let sandbox = Sandbox::with(&[
        ("w.yaml", "id: workshop-7\ntools:\n  - name: hammer\n"),
        ("q.yaml", "id: app\nmodels:\n  - type: Model\n    id: gpt\n    provider: openai\n"),
    ]);
    assert_eq!(sandbox.ids(&["w.yaml"]), [""; 0]);
    let listed = sandbox.run(&["check", "--show-files"]).stdout;
    assert_eq!(listed, "q.yaml\tqtype\tcontent\nw.yaml\tyaml\tname\n");
}

#[test]
fn a_run_without_a_rule_for_its_documents_says_so() {
    let sandbox = shop("");
    sandbox.write("notes/a.md", "# A\n");
    let run = sandbox.run(&["check", "notes", "--select", "FL"]);
    assert!(run.stderr.contains("no enabled rule applies to the checked documents"), "{}", run.stderr);
    assert!(!sandbox.run(&["check", "d", "--select", "FL"]).stderr.contains("no enabled rule"));
}

#[test]
fn until_takes_a_date() {
    for (until, id) in [
        ("2024-1-1", "PM015"),
        ("31.12.2024", "PM015"),
        ("tomorrow", "PM015"),
        ("2025-02-30", "PM015"),
        ("2020-01-31", "PM013"),
    ] {
        let text = format!("a: b: c # proofmark-ignore YM101: known until {until}\n");
        let ids = Sandbox::with(&[("a.yaml", &text)]).ids(&["a.yaml"]);
        assert_eq!(ids, ["YM101", id], "{until}");
    }
    let later = "a: b: c # proofmark-ignore YM101: known until 2999-01-31\n";
    assert_eq!(Sandbox::with(&[("a.yaml", later)]).ids(&["a.yaml"]), [""; 0]);
}

#[test]
fn a_range_suppresses_up_to_its_end() {
    let text = "# proofmark-ignore-start YM101: generated\na: b: c\nd: 1\ne: f: g\n# proofmark-ignore-end\nh: i: j\n";
    let sandbox = Sandbox::with(&[("a.yaml", text)]);
    let run = sandbox.run(&["check", "a.yaml", "--format", "concise"]);
    assert!(
        run.stdout.starts_with("a.yaml:6:5: error") && run.stdout.contains("2 suppressed"),
        "{}",
        run.stdout
    );
    let open = "# proofmark-ignore-start YM101: generated\na: b: c\n";
    assert_eq!(Sandbox::with(&[("a.yaml", open)]).ids(&["a.yaml"]), ["PM015"]);
    assert_eq!(Sandbox::with(&[("a.yaml", "a: 1\n# proofmark-ignore-end\n")]).ids(&["a.yaml"]), ["PM015"]);
}

#[test]
fn the_summary_counts_what_is_not_shown() {
    let sandbox = Sandbox::with(&[("a.yaml", "a: b: c\n"), ("b.yaml", "a: b: c\n")]);
    let run = sandbox.run(&["check", "--max-diagnostics", "0"]);
    assert!(
        run.stdout.contains("2 errors in 2 files") && run.stdout.contains("only 0 of 2 shown"),
        "{}",
        run.stdout
    );
    let run = sandbox.run(&["check", "--max-diagnostics", "1", "--format", "json"]);
    let report: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!((&report["summary"]["errors"], &report["valid"]), (&2.into(), &false.into()));
}

#[test]
fn a_diff_keeps_the_line_ends() {
    let sandbox = Sandbox::with(&[("cr.yaml", "title: A: b\r\nx: 1\r\n")]);
    let run = sandbox.run(&["fix", "--diff", "cr.yaml"]);
    assert!(run.stdout.contains("-title: A: b\r\n+title: \"A: b\"\r\n"), "{:?}", run.stdout);
}

#[test]
fn a_name_for_standard_input_means_standard_input() {
    let sandbox = Sandbox::with(&[("a.yaml", "a: b: c\n")]);
    let run = sandbox.feed(&["check", "--stdin-filename", "x.yaml"], "x: y: z\n");
    assert!(run.code == 1 && run.stdout.contains("x.yaml:1"), "{}", run.stdout);
    assert_eq!(sandbox.run(&["check", "a.yaml", "--stdin-filename", "x.yaml"]).code, 2);
}

#[test]
fn one_rule_file_can_be_tested() {
    let sandbox = shop("");
    sandbox.write("flow/bad.yaml", "version: 1\nrules: []\nruels: 1\n");
    let run = sandbox.run(&["rules", "test", "flow/rules.yaml"]);
    assert!(!run.stdout.contains("flow/bad.yaml"), "{}{}", run.stdout, run.stderr);
    fs::remove_file(sandbox.path("flow/bad.yaml")).unwrap();
    let run = sandbox.run(&["rules", "test", "flow/rules.yaml"]);
    assert!(run.code == 0 && run.stderr.contains("in 1 file"), "{}", run.stderr);
    assert_eq!(sandbox.run(&["rules", "test", "d/a.yaml"]).code, 2);
}

#[test]
fn a_mistake_in_the_arguments_is_json_where_json_is_asked_for() {
    let sandbox = Sandbox::with(&[("a.yaml", "a: 1\n"), ("bad.toml", "fiels = 1\n")]);
    for arguments in [
        &["check", "--format", "json", "nosuch"][..],
        &["check", "--format", "json", "--select", "NOPE"],
        &["check", "--format=json", "--nope"],
        &["kinds", "yml", "--format", "json"],
        &["check", "--format", "json", "--config", "bad.toml"],
    ] {
        let run = sandbox.run(arguments);
        let answer: Value = serde_json::from_str(&run.stdout).unwrap_or_default();
        assert_eq!(
            (run.code, &answer["error"]["kind"]),
            (2, &"usage".into()),
            "{arguments:?}: {}",
            run.stdout
        );
        assert!(!answer["error"]["message"].as_str().unwrap().is_empty());
    }
    let run = sandbox.run(&["check", "--format", "json", "--config", "bad.toml"]);
    let answer: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(answer["diagnostics"][0]["id"], "PM110");
}

#[test]
fn check_fixes_and_reports_what_remains() {
    let sandbox = Sandbox::with(&[("a.yaml", "a: b: c\n")]);
    let run = sandbox.run(&["check", "--fix"]);
    assert!(run.code == 0 && run.stdout.contains("1 fix in 1 file applied"), "{}", run.stdout);
    assert_eq!(fs::read_to_string(sandbox.path("a.yaml")).unwrap(), "a: \"b: c\"\n");
}

#[test]
fn one_run_writes_several_reports() {
    let sandbox = Sandbox::with(&[("a.yaml", "a: b: c\n")]);
    let outputs = ["check", "--exit-zero", "--output", "checkstyle=c.xml", "--output", "rdjson=r.json"];
    let run = sandbox.run(&outputs);
    assert!(run.code == 0 && run.stdout.contains("1 error in 1 file"), "{}", run.stdout);
    let checkstyle = fs::read_to_string(sandbox.path("c.xml")).unwrap();
    assert!(checkstyle.contains("<error line=\"1\" column=\"5\" severity=\"error\""), "{checkstyle}");
    let rdjson: Value = serde_json::from_str(&fs::read_to_string(sandbox.path("r.json")).unwrap()).unwrap();
    let found = &rdjson["diagnostics"][0];
    assert_eq!(found["location"]["range"]["start"], serde_json::json!({"line": 1, "column": 5}));
    assert!(found["suggestions"][0]["text"].is_string());
    assert_eq!(sandbox.run(&["check", "--quiet", "--select", "YM102"]).stdout, "");
}

#[test]
fn a_report_on_diagrams_goes_with_reports_on_findings() {
    let sandbox = Sandbox::with(&[("a.md", "```mermaid\nflowchart TD\na --> [\n```\n")]);
    let run = sandbox.run(&["check", "--format", "mermaid-report", "--output", "sarif=found.sarif"]);
    assert!(
        run.code == 1 && run.stdout.starts_with("{\"file\":\"a.md\",\"success\":false"),
        "{}",
        run.stdout
    );
    let sarif: Value = serde_json::from_str(&sandbox.read("found.sarif")).unwrap();
    assert_eq!(sarif["runs"][0]["results"][0]["level"], "error");
}

#[test]
fn a_dialect_that_the_kind_does_not_have_leaves_the_configured_one() {
    let sandbox = Sandbox::with(&[
        ("a.md", "---\ntitle: x\n---\n\ntext\n\n---\nSCOP: items\n---\n"),
        ("proofmark.toml", "[kinds.markdown]\ndialect = \"commonmark\"\n"),
    ]);
    let configured = sandbox.ids(&["a.md"]);
    assert_ne!(configured, sandbox.ids(&["a.md", "--dialect", "c2"]));
    assert_eq!(configured, sandbox.ids(&["a.md", "--dialect", "pyyaml"]), "a dialect of YAML");
    let record = |dialect: &str| serde_json::json!({"kind": "markdown", "dialect": dialect, "text": "# A\n"});
    let results = sandbox.batch(&[], &[record("c2"), record("c3")]);
    assert_eq!(results[0]["valid"], true);
    let error = results[1]["error"].as_str().unwrap();
    assert!(error.contains("no dialect `c3`") && error.contains("did you mean `c2`?"), "{error}");
}

#[test]
fn a_string_in_single_quotes_keeps_its_meaning() {
    let sandbox = Sandbox::with(&[("a.json", r#"{'a': 'it\'s', 'b': 'C:\\dir', 'c': 'x\n"q"'}"#)]);
    let run = sandbox.run(&["fix", "a.json"]);
    assert_eq!(sandbox.read("a.json"), r#"{"a": "it's", "b": "C:\\dir", "c": "x\n\"q\""}"#, "{}", run.stdout);
    sandbox.write("b.json", "['a]\n");
    assert_eq!(
        sandbox.ids(&["b.json"]),
        ["JS102", "JS108"],
        "a string that is not closed has no quotes to replace"
    );
}

#[test]
fn excluded_files_are_left_out_also_where_they_are_named() {
    let sandbox =
        Sandbox::with(&[("old/a.yaml", "a: b: c\n"), ("proofmark.toml", "[files]\nexclude = [\"old/\"]\n")]);
    assert_eq!(sandbox.run(&["check", "old/a.yaml"]).code, 1);
    assert_eq!(sandbox.run(&["check", "old/a.yaml", "--force-exclude"]).code, 0);
}

#[test]
fn what_is_staged_is_checked_as_it_is_in_the_index() {
    let sandbox = Sandbox::with(&[("a.yaml", "a: b: c\n"), ("b.yaml", "a: b: c\n")]);
    let git = |arguments: &[&str]| {
        let done = std::process::Command::new("git").args(arguments).current_dir(sandbox.path("")).output();
        done.is_ok_and(|done| done.status.success())
    };
    // A walk through the folders finds neither data that no rule of a pack is for nor hidden files.
    sandbox.write("data.json", "{\"a\": tru}\n");
    sandbox.write(".hidden/c.yaml", "a: b: c\n");
    assert!(git(&["init", "-q"]) && git(&["add", "a.yaml", "data.json", ".hidden"]));
    sandbox.write("a.yaml", "a: 1\n");
    let run = sandbox.run(&["check", "--staged", "--format", "concise"]);
    assert!(
        run.stdout.starts_with("a.yaml:1:5: error") && run.stdout.contains("1 error in 1 file"),
        "{}",
        run.stdout
    );
}

#[test]
fn what_staged_files_refer_to_is_read_from_the_index() {
    let sandbox = Sandbox::with(&[
        (
            "ids/pack.yaml",
            "version: 1\nname: ids\ndescription: Ids\nprefix: ID\nkinds: [yaml]\nsymbols: {id: {given: $.id, name: '@'}}\n",
        ),
        (
            "ids/rules.yaml",
            "version: 1\nrules:\n  - id: ID001\n    name: known-id\n    severity: error\n    since: 0.1.0\n    given: $.needs\n    check: {reference: {to: id, scope: project}}\n    message: unknown\n    explain: Ids are declared once, so that each of them leads to one document.\n",
        ),
        (
            "proofmark.toml",
            "[packs]\npaths = [\"ids\"]\n[rules]\nignore = [\"YM101\"]\n[files]\nexclude = [\"ids\"]\n",
        ),
        ("a.yaml", "needs: DOC-2\n"),
        ("b.yaml", "id: DOC-2\n"),
        ("d.yaml", "a: b: c\n"),
        ("page.md", "[kept](kept.md), [new](new.md), [part](kept.md#first)\n"),
        ("kept.md", "# First\n"),
    ]);
    let git = |arguments: &[&str]| {
        let done = std::process::Command::new("git").args(arguments).current_dir(sandbox.path("")).output();
        assert!(done.is_ok_and(|done| done.status.success()), "{arguments:?}");
    };
    git(&["init", "-q"]);
    git(&["add", "."]);
    // In the checkout, all of it is otherwise.
    sandbox.write("b.yaml", "id: DOC-3\n");
    sandbox.write("new.md", "# New\n");
    sandbox.write("kept.md", "# Second\n");
    sandbox.write("proofmark.toml", "[packs]\npaths = [\"ids\"]\n[files]\nexclude = [\"ids\"]\n");
    let found = || {
        let run = sandbox.run(&["check", "--staged", "--format", "concise"]);
        let lines = run.stdout.lines().filter(|line| line.contains('['));
        lines.map(|line| line.split(" [").next().unwrap_or_default().to_owned()).collect::<Vec<_>>()
    };
    let all = found();
    assert_eq!(all.len(), 1, "{all:?}");
    assert!(all[0].starts_with("page.md:1:24"), "`new.md` is not in the index: {all:?}");
    std::fs::remove_file(sandbox.path("b.yaml")).unwrap();
    std::fs::remove_file(sandbox.path("kept.md")).unwrap();
    assert_eq!(found(), all, "files of the index need not be in the checkout");
    git(&["add", "-A"]);
    let all = found();
    assert_eq!(all.len(), 4, "{all:?}");
}

#[cfg(unix)]
#[test]
fn what_is_staged_is_read_without_programs_of_the_checkout() {
    use std::os::unix::fs::PermissionsExt as _;

    let sandbox = Sandbox::with(&[("a.yaml", "a: 1\n"), (".gitattributes", "*.yaml filter=own diff=own\n")]);
    let git = |arguments: &[&str]| {
        let done = std::process::Command::new("git").args(arguments).current_dir(sandbox.path("")).output();
        assert!(done.is_ok_and(|done| done.status.success()), "{arguments:?}");
    };
    git(&["init", "-q"]);
    git(&["add", "."]);
    git(&["-c", "user.name=a", "-c", "user.email=a@localhost", "commit", "-q", "-m", "first"]);
    sandbox.write("a.yaml", "a: b: c\n");
    git(&["add", "a.yaml"]);
    let started = sandbox.path("started");
    let program = sandbox.path("program");
    let script = format!("#!/bin/sh\necho started >>'{}'\ncat\n", started.display());
    for path in [program.clone(), sandbox.path(".git/hooks/post-index-change")] {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, &script).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    for key in [
        "core.fsmonitor",
        "core.pager",
        "core.sshCommand",
        "diff.external",
        "diff.own.command",
        "diff.own.textconv",
        "filter.own.clean",
        "filter.own.smudge",
        "filter.own.process",
        "pager.diff",
    ] {
        git(&["config", key, &program.to_string_lossy()]);
    }
    let run = sandbox.run(&["check", "--staged", "--format", "concise"]);
    assert!(run.stdout.starts_with("a.yaml:1:5: error"), "{}", run.stdout);
    assert!(!started.exists(), "a program that the configuration of the checkout names was started");
}

#[test]
fn documents_are_validated_against_the_built_in_quills() {
    let sandbox = Sandbox::with(&[
        ("letter.md", "---\nQUILL: letter\nsender: Ada\n---\n\nText.\n"),
        ("other.md", "---\nQUILL: offer\n---\n\nText.\n"),
    ]);
    let found = |arguments: &[&str]| sandbox.ids(&[arguments, &["--select", "QL"]].concat());
    let missing = found(&["letter.md"]);
    assert!(!missing.is_empty());
    assert_eq!(found(&["letter.md", "--no-builtin-quills"]), [""; 0]);
    assert_eq!(found(&["other.md"]), [""; 0], "a quill that is not configured may be somewhere else");
    let record = serde_json::json!({"kind": "markdown", "text": sandbox.read("letter.md")});
    assert_eq!(sandbox.batch(&[], std::slice::from_ref(&record))[0]["valid"], false);
    assert_eq!(sandbox.batch(&["--no-builtin-quills"], &[record])[0]["valid"], true);
    sandbox.write("proofmark.toml", "[quills]\nbuiltin = false\n");
    assert_eq!(found(&["letter.md"]), [""; 0]);
    assert_eq!(found(&["letter.md", "--builtin-quills"]), missing);
    sandbox.write("proofmark.toml", "");
    let quill = "quill: {name: letter, backend: typst, description: Ours}\nmain:\n  fields:\n    sender: {type: string}\n";
    sandbox.write("quills/letter/Quill.yaml", quill);
    assert_eq!(found(&["letter.md"]), [""; 0], "a configured quill of the name is used instead");
    assert_eq!(found(&["other.md"]).len(), 1, "the quills are known");
}

#[test]
fn a_rule_and_a_pack_may_be_for_some_files_only() {
    let ids = |sandbox: &Sandbox, arguments: &[&str]| sandbox.ids(&[arguments, &["--select", "FL"]].concat());
    let scoped = |rule: &str, pack_lines: &str| {
        let sandbox = shop("");
        sandbox.write("flow/pack.yaml", format!("{MANIFEST}{pack_lines}"));
        sandbox.write("flow/rules.yaml", pack(&format!("{rule}{PRICE}"), "FL001", "flow-price"));
        sandbox.write("d/old/b.yaml", "price: -1\n");
        sandbox.write("c.yaml", "price: -1\n");
        sandbox
    };
    let of_rule = scoped("    files: d/**\n    exclude: [old]\n", "");
    let of_pack = scoped("", "files: [d]\nexclude: d/old\n");
    let of_both = scoped("    exclude: d/old/**\n", "files: [\"d/**/*.yaml\"]\n");
    for sandbox in [of_rule, of_pack, of_both] {
        assert_eq!(ids(&sandbox, &["d/a.yaml"]), ["FL001"]);
        assert_eq!(ids(&sandbox, &["c.yaml", "d/old/b.yaml"]), [""; 0]);
        assert_eq!(sandbox.run(&["rules", "test", "flow"]).code, 0, "examples are not restricted");
        let record =
            |name: Option<&str>| serde_json::json!({"kind": "yaml", "name": name, "text": "price: -1\n"});
        let results = sandbox.batch(&[], &[record(Some("d/new.yaml")), record(None)]);
        let valid: Vec<_> = results.iter().map(|result| result["valid"].as_bool().unwrap()).collect();
        assert_eq!(valid, [false, true]);
        let trace = sandbox.run(&["rules", "trace", "FL001", "c.yaml"]);
        assert!(trace.code == 0, "{}{}", trace.stdout, trace.stderr);
    }
    let excluded = scoped("    exclude: [old]\n", "");
    assert_eq!(ids(&excluded, &["d"]), ["FL001"]);
    let bad = scoped("    files: [\"d/[a\"]\n", "");
    let run = bad.run(&["rules", "test", "flow"]);
    assert!(
        run.code != 0 && (run.stdout.clone() + &run.stderr).contains("RF065"),
        "{}{}",
        run.stdout,
        run.stderr
    );
}

#[test]
fn the_first_rule_for_every_kind_passes_its_test() {
    let sandbox = Sandbox::new();
    let listed = sandbox.run(&["kinds", "--format", "json"]).stdout;
    let listed: Value = serde_json::from_str(&listed).unwrap();
    let kinds: Vec<&str> =
        listed.as_array().unwrap().iter().map(|kind| kind["name"].as_str().unwrap()).collect();
    assert!(kinds.len() > 10, "{kinds:?}");
    for kind in kinds {
        assert_eq!(sandbox.run(&["rules", "new", kind, "PC001", "--kind", kind]).code, 0, "{kind}");
        let run = sandbox.run(&["rules", "test", kind]);
        assert_eq!(run.code, 0, "{kind}: {}{}", run.stdout, run.stderr);
    }
}

#[test]
fn an_option_that_is_set_is_not_suggested_for_another_one() {
    let sandbox = Sandbox::with(&[("proofmark.toml", "[rules.MM061]\noptions = { mx = 3, max = 7 }\n")]);
    let run = sandbox.run(&["check", "--isolated", "--format", "concise"]);
    assert!(run.stdout.contains("no option `mx`") && !run.stdout.contains("fixable"), "{}", run.stdout);
}

#[test]
fn a_byte_order_mark_is_not_part_of_a_key() {
    let sandbox = Sandbox::with(&[("a.yaml", "\u{FEFF}title: A: b\n")]);
    let run = sandbox.run(&["check", "--format", "concise"]);
    assert!(run.stdout.contains("the value of `title` contains"), "{}", run.stdout);
    sandbox.run(&["fix", "a.yaml"]);
    assert_eq!(sandbox.read("a.yaml"), "\u{FEFF}title: \"A: b\"\n");
}

#[test]
fn a_configuration_extends_others() {
    let sandbox = shop("");
    sandbox.write(
        "shared/proofmark.toml",
        sandbox.read("proofmark.toml").replace("\"flow\"", "\"../flow\"")
            + "[rules]\nignore = [\"YM\"]\n[files]\nexclude = [\"out\"]\n",
    );
    sandbox.write("d/out/b.yaml", "price: -1\n");
    sandbox.write("d/a.yaml", "price: -1\na: b: c\n");
    let ids = |configuration: &str| {
        sandbox.write("proofmark.toml", configuration);
        sandbox.ids(&["d"])
    };
    assert_eq!(
        ids("extends = [\"shared\"]\n"),
        ["FL001"],
        "the pack, the rules and the excluded folder are those of the other"
    );
    assert_eq!(
        ids("extends = [\"shared/proofmark.toml\"]\n[rules]\nextend = [\"YM101\"]\nignore = [\"FL\"]\n"),
        ["YM101"]
    );
    assert_eq!(
        ids("extends = [\"shared\"]\n[files]\nexclude = []\n").len(),
        2,
        "a list replaces that of the other"
    );
    sandbox.write("top.toml", "extends = [\".\"]\n[rules.FL001]\nseverity = \"note\"\n");
    sandbox.write("proofmark.toml", "extends = [\"shared\"]\n");
    assert_eq!(sandbox.run(&["check", "d", "--config", "top.toml"]).code, 0);
    for (configuration, why) in [
        ("extends = [\"nowhere\"]\n", "there is no such file"),
        ("extends = [\"proofmark.toml\"]\n", "it extends this file itself"),
    ] {
        sandbox.write("proofmark.toml", configuration);
        let run = sandbox.run(&["check", "d"]);
        assert!(run.code == 2 && run.stderr.contains("PM124") && run.stderr.contains(why), "{}", run.stderr);
    }
    sandbox.write("shared/proofmark.toml", "[files]\nexclud = []\n");
    sandbox.write("proofmark.toml", "extends = [\"shared\"]\n");
    let run = sandbox.run(&["check", "d"]);
    assert!(
        run.stderr.contains("shared/proofmark.toml:2:1") || run.stderr.contains("shared/proofmark.toml"),
        "{}",
        run.stderr
    );
}

#[test]
fn each_file_has_the_configuration_nearest_to_it() {
    let sandbox = Sandbox::with(&[
        ("a.yaml", "a: b: c\n"),
        ("inner/b.yaml", "price: -1\nx: 1\n"),
        ("inner/deep/c.yaml", "price: -1\n"),
        ("inner/out/d.yaml", "price: -1\n"),
        (
            "inner/proofmark.toml",
            "[packs]\npaths = [\"flow\"]\n[files]\nexclude = [\"out\"]\n[rules]\nignore = [\"YM\"]\n",
        ),
        ("inner/flow/pack.yaml", MANIFEST),
        ("inner/flow/rules.yaml", &pack(PRICE, "FL001", "flow-price")),
        ("broken/proofmark.toml", "[rules]\nignore = [\"NOPE\"]\n"),
        ("broken/e.yaml", "a: 1\n"),
        ("proofmark.toml", "[rules]\nignore = [\"MD\"]\n"),
    ]);
    let found = |folder: &str, arguments: &[&str]| {
        let arguments = [&["check", "--format", "concise", "--quiet"], arguments].concat();
        let run = sandbox.feed_in(folder, &arguments, "");
        let lines = run.stdout.lines().filter(|line| !line.contains("toml"));
        let id = |line: &str| {
            let id = line.rsplit('[').next().unwrap_or_default().split(' ').next().unwrap_or_default();
            format!("{} {id}", line.split(':').next().unwrap_or_default())
        };
        lines.map(id).collect::<Vec<_>>()
    };
    assert_eq!(
        found("", &["a.yaml", "inner"]),
        ["a.yaml YM101", "inner/b.yaml FL001", "inner/deep/c.yaml FL001"]
    );
    assert_eq!(found("inner", &["b.yaml", "../a.yaml"]), ["../a.yaml YM101", "b.yaml FL001"]);
    let elsewhere = Sandbox::new();
    let path = sandbox.path("inner/b.yaml");
    let run = elsewhere.run(&["check", path.to_str().unwrap(), "--format", "concise"]);
    assert!(run.stdout.contains("FL001"), "{}", run.stdout);
    assert_eq!(found("", &["inner/b.yaml", "--config", "proofmark.toml"]), [""; 0]);
    assert_eq!(found("", &["inner/b.yaml", "--isolated"]), [""; 0]);
    assert_eq!(
        found("", &["inner", "--select", "YM"]),
        [""; 0],
        "rules of the outer configuration can be selected"
    );
    let run = sandbox.run(&["check", "broken/e.yaml", "--format", "concise"]);
    assert!(run.code == 1 && run.stdout.contains("PM017"), "{}{}", run.stdout, run.stderr);
    let fingerprint = |folder: &str, path: &str| {
        let run = sandbox.feed_in(folder, &["check", path, "--format", "json"], "");
        let report: Value = serde_json::from_str(&run.stdout).unwrap();
        report["diagnostics"][0]["fingerprint"].clone()
    };
    assert_eq!(fingerprint("", "inner/b.yaml"), fingerprint("inner", "b.yaml"));
}

#[test]
fn a_baseline_holds_for_files_with_configurations_of_their_own() {
    let sandbox = Sandbox::with(&[
        ("a.yaml", "a: b: c\n"),
        ("inner/a.yaml", "a: b: c\nd: e: f\n"),
        ("inner/proofmark.toml", ""),
        ("proofmark.toml", ""),
    ]);
    assert_eq!(sandbox.run(&["check", "--write-baseline", "known.json"]).code, 0);
    assert_eq!(sandbox.run(&["check", "--baseline", "known.json"]).code, 0);
    let left = || {
        let known: Value = serde_json::from_str(&sandbox.read("known.json")).unwrap();
        known["findings"].as_object().unwrap().len()
    };
    let before = left();
    sandbox.run(&["check", "a.yaml", "--baseline", "known.json", "--prune-baseline"]);
    assert_eq!(left(), before, "nothing was fixed");
    sandbox.write("inner/a.yaml", "a: 1\n");
    sandbox.run(&["check", "--baseline", "known.json", "--prune-baseline"]);
    assert_eq!(left(), 1, "the findings of `inner/a.yaml` are gone");
}

#[test]
fn files_of_nested_configurations_have_fingerprints_of_their_own() {
    let sandbox = Sandbox::with(&[
        ("proofmark.toml", ""),
        ("x.yaml", "a: b: c\n"),
        ("one/proofmark.toml", ""),
        ("one/x.yaml", "a: b: c\n"),
        ("two/proofmark.toml", ""),
        ("two/x.yaml", "a: b: c\n"),
    ]);
    let fingerprint = |folder: &str, arguments: &[&str]| {
        let run = sandbox.feed_in(folder, &[&["check", "--format", "json"], arguments].concat(), "");
        let report: Value = serde_json::from_str(&run.stdout).unwrap();
        report["diagnostics"][0]["fingerprint"].as_str().unwrap().to_owned()
    };
    let all =
        [fingerprint("", &["x.yaml"]), fingerprint("", &["one/x.yaml"]), fingerprint("", &["two/x.yaml"])];
    assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), 3, "{all:?}");
    assert_eq!(fingerprint("one", &["x.yaml"]), all[1], "it does not depend on the working directory");
    assert_eq!(fingerprint("", &["one/x.yaml", "--config", "proofmark.toml"]), all[1]);
    // Only the finding of one of the files is known.
    sandbox.run(&["check", "one", "--write-baseline", "known.json"]);
    let ids = |path: &str| sandbox.ids(&[path, "--baseline", "known.json"]);
    assert_eq!((ids("one").len(), ids("two").len(), ids("x.yaml").len()), (0, 1, 1));
    // What is around the repository does not count.
    let alone = Sandbox::with(&[("x.yaml", "a: b: c\n"), ("proofmark.toml", "")]);
    let report = alone.run(&["check", "x.yaml", "--format", "json"]).stdout;
    let report: Value = serde_json::from_str(&report).unwrap();
    sandbox.write("two/.git/HEAD", "ref: refs/heads/main\n");
    assert_eq!(report["diagnostics"][0]["fingerprint"], Value::from(fingerprint("", &["two/x.yaml"])));
}

#[test]
fn a_mistake_in_a_configuration_is_reported_once() {
    let sandbox = Sandbox::new();
    for (text, expected) in
        [("[kinds.mermaid]\ntarget = \"banana\"\n", "PM113"), ("[rules]\nselct = [\"FM\"]\n", "PM110")]
    {
        sandbox.write("proofmark.toml", text);
        assert_eq!(sandbox.ids(&["proofmark.toml", "--isolated"]), [expected], "{text}");
    }
}

#[test]
fn cases_of_junit_have_only_attributes_of_its_schema() {
    let sandbox = Sandbox::with(&[("a.yaml", "a: b: c\n")]);
    let report = sandbox.run(&["check", "a.yaml", "--format", "junit"]).stdout;
    let case = report.lines().find(|line| line.contains("<testcase")).unwrap();
    assert!(!case.contains(" file=") && !case.contains(" line="), "{case}");
}

#[test]
fn completions_offer_formats_and_rules() {
    let script = Sandbox::new().run(&["completions", "bash"]).stdout;
    for word in ["checkstyle", "rdjson", "YM101", "MD137"] {
        assert!(script.contains(word), "{word}");
    }
}

/// The findings of rules of the pack: line, id, and path.
fn flows(sandbox: &Sandbox) -> Vec<String> {
    let run = sandbox.run(&["check", "d", "--select", "FL", "--format", "json"]);
    let report: Value = serde_json::from_str(&run.stdout).unwrap_or_else(|_| panic!("{}", run.stderr));
    let place = |finding: &Value| {
        let (id, at) = (finding["id"].as_str().unwrap(), &finding["location"]);
        format!("{} {id} {}", at["line"], at["path"].as_str().unwrap())
    };
    report["diagnostics"].as_array().unwrap().iter().map(place).collect()
}

#[test]
fn a_rule_may_look_at_each_document_of_a_file() {
    let sandbox = shop("");
    sandbox.write("d/a.yaml", "price: 1\n---\nprice: -1\n---\n- price: -1\n---\n\nprice: -2 # here\n");
    sandbox.write("d/b.yaml", "price: -3\n");
    assert_eq!(flows(&sandbox), ["1 FL001 /price"], "`$` is the list of the documents");
    let each = PRICE.replace("    check", "    documents: each\n    check");
    sandbox.write("flow/rules.yaml", pack(&each, "FL001", "flow-price"));
    let expected = ["3 FL001 /1/price", "8 FL001 /3/price", "1 FL001 /price"];
    assert_eq!(flows(&sandbox), expected);
    sandbox.write("flow/rules.yaml", pack(PRICE, "FL001", "flow-price"));
    sandbox.write("flow/pack.yaml", format!("{MANIFEST}documents: each\n"));
    assert_eq!(flows(&sandbox), expected);
    let together = PRICE.replace("    check", "    documents: together\n    check");
    sandbox.write("flow/rules.yaml", pack(&together, "FL001", "flow-price"));
    assert_eq!(flows(&sandbox), ["1 FL001 /price"], "a rule may differ from its pack");
}

#[test]
fn each_document_is_the_whole_for_its_rules() {
    let sandbox = shop("");
    sandbox.write(
        "d/a.yaml",
        "kind: Shop\nnames: [a, b, a]\nuses: [b]\n---\nkind: Shop\nnames: [a]\nuses: [a, b]\n---\nkind: Stall\nuses: [c]\n",
    );
    sandbox.write(
        "flow/pack.yaml",
        format!("{MANIFEST}documents: each\nsymbols: {{item: {{given: '$.names[*]', name: '@'}}}}\n"),
    );
    let rule = |id: &str, name: &str, rest: &str| {
        let explain = "explain: \"Names are declared once, so that each of them means one thing.\"";
        format!(
            "  - id: {id}\n    name: {name}\n    severity: error\n    since: 0.1.0\n    message: wrong\n    {explain}\n{rest}"
        )
    };
    let rules = [
        rule("FL001", "repeated", "    given: $.names[*]\n    check: {unique: {}}\n"),
        rule(
            "FL002",
            "undeclared",
            "    given: \"$.uses[?$.kind == 'Shop']\"\n    check: {reference: {to: item}}\n",
        ),
        rule("FL003", "stall", "    given: $.uses\n    check: {cel: \"root.kind == 'Shop'\"}\n"),
        rule(
            "FL004",
            "follower",
            "    given: $.uses\n    follows: [FL003]\n    check: {cel: \"has(root.names)\"}\n",
        ),
        rule(
            "FL005",
            "documents",
            "    documents: together\n    given: $\n    check: {count: {of: \"@[*]\", max: 2}}\n",
        ),
    ];
    sandbox.write("flow/rules.yaml", format!("version: 1\nrules:\n{}", rules.concat()));
    assert_eq!(flows(&sandbox), ["2 FL001 /0/names/2", "7 FL002 /1/uses/1", "9 FL005 ", "10 FL003 /2/uses"],);
    let trace = sandbox.run(&["rules", "trace", "FL003", "d/a.yaml"]).stdout;
    assert!(trace.contains("/2/uses"), "{trace}");
}

#[test]
fn a_field_that_cannot_be_read_hides_no_other_mistake() {
    let sandbox = shop("");
    let rule = |severity: &str, check: &str| {
        pack(&format!("    given: $.price\n    when: slf > 1\n    check: {check}\n"), "FL001", "flow-price")
            .replace("severity: error", &format!("severity: {severity}"))
    };
    for (severity, check, expected) in [
        ("3", "{range: {min: 0}}", ["RF004", "RF023"]),
        ("error", "{range: {min: low}}", ["RF023", "RF003"]),
        ("error", "{rnge: {min: 0}}", ["RF023", "RF001"]),
    ] {
        sandbox.write("flow/rules.yaml", rule(severity, check));
        let run = sandbox.run(&["rules", "test", "flow", "--format", "json"]);
        let report: Value = serde_json::from_str(&run.stdout).unwrap_or_else(|_| panic!("{}", run.stderr));
        let ids: Vec<&str> =
            report["diagnostics"].as_array().unwrap().iter().map(|one| one["id"].as_str().unwrap()).collect();
        assert_eq!(ids, expected, "{severity} {check}");
    }
}

#[test]
fn a_short_word_is_not_taken_for_another_one() {
    let sandbox = shop("[rules]\nignore = [\"NOPE\"]\n");
    let run = sandbox.run(&["check", "d"]);
    assert!(run.stderr.contains("NOPE") || run.stdout.contains("NOPE"), "{}{}", run.stdout, run.stderr);
    assert!(
        !format!("{}{}", run.stdout, run.stderr).contains("did you mean"),
        "{}{}",
        run.stdout,
        run.stderr
    );
}

/// A pack without mistakes, and mistakes to plant in it.
#[derive(Debug, Deserialize)]
struct Planted {
    files: BTreeMap<String, String>,
    mistakes: Vec<Mistake>,
}

#[derive(Debug, Deserialize)]
struct Mistake {
    about: String,
    file: Option<String>,
    replace: String,
    with: String,
    reports: String,
    /// The file that the finding is in, where that is another one.
    #[serde(rename = "in")]
    within: Option<String>,
    at: String,
}

impl Mistake {
    /// What `rules test` reports where the mistake is planted, other than what it should.
    fn misses(&self, files: &BTreeMap<String, String>) -> Option<String> {
        let file = self.file.as_deref().unwrap_or("rules.yaml");
        let whole = &files[file];
        let start = whole.find(&self.replace)?;
        if whole.matches(&self.replace).count() > 1 {
            return Some("the text to replace is there twice".to_owned());
        }
        let text = whole.replacen(&self.replace, &self.with, 1);
        let line = text[..start].rfind('\n').map_or(0, |end| end + 1);
        let after = text[line..].find(&self.at).map(|found| line + found);
        let here = || after.or_else(|| text[..line].rfind(&self.at));
        let at = self.within.as_ref().map_or_else(here, |within| files[within].find(&self.at));
        let at = at.unwrap_or_else(|| panic!("no `{}`: {}", self.at, self.about));
        let sandbox = Sandbox::new();
        for (name, text) in files {
            sandbox.write(&format!("shop/{name}"), text);
        }
        sandbox.write(&format!("shop/{file}"), &text);
        let run = sandbox.run(&["rules", "test", "shop", "--format", "json"]);
        let report: Value = serde_json::from_str(&run.stdout).unwrap_or_default();
        let found: Vec<String> = report["diagnostics"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|finding| {
                let location = &finding["location"];
                let path = location["file"].as_str().unwrap_or_default().trim_start_matches("shop/");
                format!("{} {path}:{}", finding["id"].as_str().unwrap_or_default(), location["byte_start"])
            })
            .collect();
        let expected = format!("{} {}:{at}", self.reports, self.within.as_deref().unwrap_or(file));
        let is_warning = report["diagnostics"][0]["severity"] == "warning";
        (found != [expected.clone()] || (run.code == 0) != is_warning)
            .then(|| format!("{}\n  expected {expected}\n  found    {found:?} {}", self.about, run.stderr))
    }
}

#[test]
fn every_planted_mistake_is_reported_once_and_where_it_is() {
    let planted: Planted = serde_yaml::from_str(include_str!("../data/planted-mistakes.yaml")).unwrap();
    let sandbox = Sandbox::new();
    for (name, text) in &planted.files {
        sandbox.write(&format!("shop/{name}"), text);
    }
    let clean = sandbox.run(&["rules", "test", "shop"]);
    assert_eq!(clean.code, 0, "{}{}", clean.stdout, clean.stderr);
    let missed: Vec<String> =
        planted.mistakes.par_iter().filter_map(|mistake| mistake.misses(&planted.files)).collect();
    assert!(
        missed.is_empty(),
        "{} of {} mistakes:\n{}",
        missed.len(),
        planted.mistakes.len(),
        missed.join("\n")
    );
}

/// A pack of two files: the fix of one rule writes what the other rule forbids.
fn quarreling(sandbox: &Sandbox) {
    let rule = |id: &str, name: &str, not: &str, fix: &str| {
        format!(
            "version: 1\nrules:\n  - id: {id}\n    name: {name}\n    severity: error\n    since: 0.1.0\n    given: $.state\n    check: {{pattern: {{not: '^{not}$'}}}}\n    message: wrong\n{fix}    explain: \"States have names, so that everyone knows what is meant by them.\"\n    examples:\n      - invalid: {{source: \"state: {not}\\n\"}}\n      - valid: {{source: \"state: done\\n\"}}\n"
        )
    };
    sandbox.write("flow/pack.yaml", MANIFEST);
    let fix = "    fix: {applicability: safe, replace: recent}\n";
    sandbox.write("flow/rules.yaml", rule("FL001", "old-state", "old", fix));
    sandbox.write("flow/b.yaml", rule("FL002", "new-state", "recent", ""));
}

#[test]
fn the_test_of_a_pack_and_the_check_of_its_files_agree() {
    let sandbox = shop("");
    quarreling(&sandbox);
    let ids = |arguments: &[&str]| {
        let run = sandbox.run(&[arguments, &["--format", "json"]].concat());
        let report: Value = serde_json::from_str(&run.stdout).unwrap_or_else(|_| panic!("{}", run.stderr));
        let found = report["diagnostics"].as_array().unwrap().iter();
        found.map(|one| one["id"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(ids(&["check", "flow/rules.yaml", "flow/b.yaml", "flow/pack.yaml"]), ["RF058"]);
    assert_eq!(ids(&["rules", "test", "flow"]), ["RF058"]);
    assert_eq!(ids(&["rules", "test", "flow", "--isolated"]), ["RF058"]);
}

#[test]
fn a_broken_pack_is_reported_in_the_format_that_is_asked_for() {
    let sandbox = shop("");
    sandbox.write(
        "flow/kind.yaml",
        "name: steps\ndescription: Steps\nglobs: [\"*.steps\"]\ngrammar: steps.pest\n",
    );
    sandbox.write("flow/steps.pest", "document = { SOI ~ step* ~ EOI }\nstep = { ASCII_DIGT+ }\n");
    sandbox.write("flow/rules.yaml", pack(PRICE, "FL001", "flow-price"));
    for (format, part) in [
        ("github", "file=flow/steps.pest,line=2,"),
        ("concise", "flow/steps.pest:2:10: error"),
        ("sarif", "\"uri\":\"flow/steps.pest\""),
        ("junit", "flow/steps.pest"),
        ("checkstyle", "flow/steps.pest"),
        ("json", "\"file\":\"flow/steps.pest\""),
    ] {
        let run = sandbox.run(&["check", "d", "--format", format]);
        let text = run.stdout.replace(": \"", ":\"");
        assert!(run.code == 2 && text.contains(part), "{format}: {}{}", run.stdout, run.stderr);
        assert!(!run.stdout.contains('╭') && run.stderr.is_empty(), "{format}: {}", run.stderr);
        let run = sandbox.run(&["rules", "test", "flow", "--format", format]);
        let text = run.stdout.replace(": \"", ":\"");
        assert!(run.code == 1 && text.contains(part), "{format}: {}{}", run.stdout, run.stderr);
    }
    // Another pack can be tested.
    for name in ["pack.yaml", "rules.yaml"] {
        let text = sandbox.read(&format!("flow/{name}")).replace("name: flow\n", "name: other\n");
        sandbox
            .write(&format!("other/{name}"), text.replace("FL", "OT").replace("flow-price", "other-price"));
    }
    let run = sandbox.run(&["rules", "test", "other"]);
    assert!(run.code == 0 && run.stderr.contains("1 rule in 2 files"), "{}{}", run.stdout, run.stderr);
    assert!(run.stderr.contains("warning: the pack `flow` has errors"), "{}", run.stderr);
}

#[test]
fn documents_of_one_file_are_siblings_in_a_project() {
    let sandbox = shop("");
    let explain = "explain: \"Names are declared once, so that each of them means one thing.\"";
    let rule = |id: &str, name: &str, rest: &str| {
        format!(
            "  - id: {id}\n    name: {name}\n    severity: error\n    since: 0.1.0\n    message: wrong\n    {explain}\n{rest}"
        )
    };
    sandbox.write(
        "flow/pack.yaml",
        format!("{MANIFEST}documents: each\nsymbols: {{item: {{given: $.name, name: '@'}}}}\n"),
    );
    let rules = [
        rule(
            "FL001",
            "declared",
            "    given: $.uses[*]\n    check: {reference: {to: item, scope: project}}\n",
        ),
        rule(
            "FL002",
            "repeated",
            "    given: $.name\n    check: {unique: {scope: project}}\n    related: [{at: first, label: first}]\n",
        ),
    ];
    sandbox.write("flow/rules.yaml", format!("version: 1\nrules:\n{}", rules.concat()));
    sandbox.write("d/a.yaml", "uses: [b, c, x]\n---\nname: b\n---\nname: b\n---\nname: d\nuses: [d]\n");
    sandbox.write("d/c.yaml", "name: c\n---\nname: d\n");
    assert_eq!(flows(&sandbox), ["1 FL001 /0/uses/2", "5 FL002 /2/name", "3 FL002 /1/name"]);
    let run = sandbox.run(&["check", "d/a.yaml", "--select", "FL002"]);
    assert!(run.stdout.contains("d/a.yaml:3:7"), "the first one is in the same file: {}", run.stdout);
}

#[test]
fn conditions_and_messages_know_the_file() {
    let sandbox = shop("");
    let rule =
        "    given: $.number\n    check: {cel: \"file.stem.startsWith(self) && file.folder == 'd'\"}\n";
    let rules = pack(rule, "FL001", "flow-price")
        .replace("the price is wrong", "{{ file.name }} in {{ file.folder }} is {{ file.path }}");
    let rules = rules.split("    examples").next().unwrap().to_owned()
        + "    examples:\n      - invalid: {name: d/0001-a.yaml, source: \"number: '0002'\\n\"}\n        expect: [{line: 1, column: 9, message: 0001-a.yaml in d is d/0001-a.yaml}]\n      - valid: {name: d/0001-a.yaml, source: \"number: '0001'\\n\"}\n";
    sandbox.write("flow/rules.yaml", &rules);
    let run = sandbox.run(&["rules", "test", "flow"]);
    assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);
    sandbox.write("d/0007-x.yaml", "number: '0008'\n");
    let run = sandbox.feed_in("d", &["check", "0007-x.yaml", "--format", "concise"], "");
    assert!(run.stdout.contains("0007-x.yaml in d is d/0007-x.yaml"), "{}", run.stdout);
    sandbox.write("flow/rules.yaml", rules.replace("column: 9", "column: 10"));
    let run = sandbox.run(&["rules", "test", "flow"]);
    assert!(run.code == 1 && run.stdout.contains("line 1 column 9"), "{}", run.stdout);
    sandbox.write("flow/rules.yaml", rules.replace("file.stem.s", "file.stm.s"));
    let run = sandbox.run(&["rules", "test", "flow"]);
    assert!(run.stdout.contains("RF067") && run.stdout.contains("did you mean `stem`"), "{}", run.stdout);
}

#[test]
fn what_no_rule_is_for_is_counted_once() {
    let sandbox = Sandbox::with(&[("a.yaml", "a: 1\n"), ("b.json", "{"), ("c/d.json", "{"), ("e.toml", "x")]);
    let run = sandbox.run(&["check"]);
    assert!(run.stderr.contains("2 JSON files and 1 TOML file were not checked"), "{}", run.stderr);
    assert_eq!(sandbox.run(&["check", "--quiet"]).stderr, "");
    let run = sandbox.run(&["check", "--show-files"]);
    assert!(run.stdout.contains("c/d.json\tjson\tnot checked: no rule is for it\n"), "{}", run.stdout);
    assert!(!sandbox.run(&["check", "a.yaml"]).stderr.contains("not checked"));
}

#[test]
fn a_tree_shows_what_selectors_see() {
    let sandbox = Sandbox::with(&[
        (
            "a.md",
            "---\ntitle: Prices\n---\n# First\n\n## Second\n\n```mermaid\nflowchart LR\n  a --> b\n```\n",
        ),
        ("b.yaml", "products:\n- sku: a\n  price: 1\n- sku: b\n"),
    ]);
    let run = |arguments: &[&str]| sandbox.run(&[&["tree"], arguments].concat());
    let whole = run(&["b.yaml"]);
    assert_eq!(
        whole.stdout,
        "b.yaml  yaml\n      1:1  $\n      2:1    products  [2]\n      2:3      [0]  {sku: \"a\", price: 1}\n      4:3      [1]  {sku: \"b\"}\n"
    );
    let some = run(&["b.yaml", "$.products[?!@.price]"]);
    assert_eq!(some.stdout, "1 node at $.products[?!@.price]\n      4:3  /products/1  {sku: \"b\"}\n");
    assert!(run(&["b.yaml", "/products/0/sku"]).stdout.ends_with("2:8  /products/0/sku  \"a\"\n"));
    let none = run(&["b.yaml", "$.prodcts[*]"]);
    assert!(none.code == 1 && none.stderr.contains("did you mean `products`?"), "{}", none.stderr);
    let bad = run(&["b.yaml", "$.products["]);
    assert!(bad.code == 2 && bad.stderr.contains("is not a JSONPath"), "{}", bad.stderr);
    let json: Value =
        serde_json::from_str(&run(&["a.md", "$.headings[*]", "--format", "json"]).stdout).unwrap();
    assert_eq!((&json["kind"], &json["nodes"][1]["line"]), (&json!("markdown"), &json!(6)));
    assert!(run(&["a.md"]).stdout.contains("a document of kind mermaid (--embedded 1)"));
    assert!(run(&["a.md", "--embedded", "1"]).stdout.contains("mermaid"));
    assert_eq!(run(&["a.md", "--embedded", "2"]).code, 2);
}

#[test]
fn links_may_start_at_the_root_of_a_site() {
    let sandbox = Sandbox::with(&[
        ("docs/guide/a.md", "[b](api/b.md#part), [c](api/c.md), [d](api/b.md#parts)\n"),
        ("docs/api/b.md", "# Part\n"),
        ("proofmark.toml", ""),
    ]);
    let ids = || sandbox.ids(&["docs/guide/a.md"]);
    assert_eq!(ids(), ["MD137", "MD137", "MD137"]);
    sandbox.write("docusaurus.config.js", "");
    assert_eq!(ids().len(), 2, "the file `c.md` and the anchor `parts` do not exist");
    sandbox.write("proofmark.toml", "[links]\nroots = []\n");
    assert_eq!(ids().len(), 3, "what is configured decides");
    sandbox.write("proofmark.toml", "[links]\nroots = [\"other\", \"docs\"]\n");
    assert_eq!(ids().len(), 2);
}

#[test]
fn an_override_for_no_file_is_reported() {
    let sandbox = Sandbox::with(&[
        ("a.yaml", "a: 1\n"),
        ("proofmark.toml", "[[rules.override]]\nignore = [\"YM101\"]\n"),
    ]);
    let run = sandbox.run(&["check", "a.yaml"]);
    assert!(run.code == 0 && run.stderr.contains("PM116"), "{}{}", run.stdout, run.stderr);
}

#[test]
fn coverage_and_mutation_report_what_examples_miss() {
    let sandbox = shop("");
    let rules = pack(
        "    given: [$.price, $.cost]\n    when: 'self < 5'\n    check: {range: {min: 0}}\n    fix: {applicability: unsafe, replace: '0'}\n",
        "FL001",
        "flow-price",
    );
    sandbox.write("flow/rules.yaml", &rules);
    let json = |flag: &str| -> Value {
        let run = sandbox.run(&["rules", "test", "flow", flag, "--format", "json"]);
        assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);
        serde_json::from_str(&run.stdout).unwrap()
    };
    let coverage = &json("--coverage")["packs"][0];
    assert_eq!((&coverage["branches"], &coverage["covered"]), (&json!(7), &json!(5)));
    assert_eq!(
        coverage["not_covered"],
        json!([
            {"rule": "FL001", "at": "/given/1", "result": "selects something"},
            {"rule": "FL001", "at": "/when", "result": "does not hold"},
        ])
    );
    let mutation = &json("--mutate")["packs"][0];
    let unnoticed: Vec<&str> =
        mutation["not_noticed"].as_array().unwrap().iter().map(|one| one["at"].as_str().unwrap()).collect();
    assert!(unnoticed.contains(&"/given/1") && unnoticed.contains(&"/when"), "{unnoticed:?}");
    assert!(!unnoticed.contains(&"/given/0") && !unnoticed.contains(&"/check"), "{unnoticed:?}");
    assert_eq!(sandbox.run(&["rules", "test", "flow", "--coverage", "--at-least", "100"]).code, 1);
    assert_eq!(sandbox.run(&["rules", "test", "flow", "--only", "FL"]).code, 2);
}

/// Other programs have files of the names that packs have.
#[test]
fn files_of_other_programs_with_names_of_packs_are_data() {
    let sandbox = Sandbox::with(&[
        (
            "cluster/kind.yaml",
            "kind: Cluster\napiVersion: kind.x-k8s.io/v1alpha4\nnodes:\n  - role: worker\n",
        ),
        ("actions/pack.yaml", "ref: shop\nname: shop\nversion: 0.1.0\nauthor: Ada\nemail: ada@example.org\n"),
        ("own/kind.yaml", "name: sku\n"),
    ]);
    let run = sandbox.run(&["check", "--format", "concise"]);
    let reported: Vec<&str> = run.stdout.lines().filter(|line| line.contains("RF0")).collect();
    assert!(
        !reported.is_empty() && reported.iter().all(|line| line.starts_with("own/kind.yaml")),
        "{}",
        run.stdout
    );
}
