//! Org files through the engine: what is validated inside them, suppressions, fixes.

use std::sync::Arc;

use proofmark::{Applicability, Diagnostic, Input, Kind, ParseOptions, Project, internals::kinds::org::Org};
use serde_json::{Value, json};

fn project() -> Project {
    Project::builtin()
}

fn validate(name: &'static str, text: &str) -> Vec<Diagnostic> {
    let project = project();
    let kind: Option<Arc<dyn Kind>> = project.kinds().get("org").cloned();
    let input = Input::text(text).called(name).of_kind(kind);
    let subject = project.subject(input).ok().unwrap();
    subject.validate().diagnostics
}

fn ids(text: &str) -> Vec<String> {
    let standing = validate("notes.org", text).into_iter().filter(|found| found.suppressed.is_none());
    standing.map(|found| format!("{} {}", found.location.line, found.id)).collect()
}

#[test]
fn a_file_is_org_by_its_name_and_other_text_by_its_first_line() {
    let project = project();
    let of = |input: Input| project.subject(input).ok().unwrap().kind().name().to_owned();
    assert_eq!(of(Input::text("* A\n").at("notes.org")), "org");
    assert_eq!(of(Input::text("x\n").at("notes.org_archive")), "org");
    assert_eq!(of(Input::text("#+TITLE: Notes\n")), "org");
    assert_eq!(of(Input::text("* A\n** B\n")), "org");
    assert_eq!(of(Input::text("# A\n* b\n")), "markdown");
}

#[test]
fn code_in_a_language_that_a_kind_reads_is_validated_at_its_position() {
    let text = "* A\n\n  #+begin_src mermaid\n  flowchart TD\n    A --> \n  #+end_src\n";
    let found = validate("notes.org", text);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].id.starts_with("MM"), "{found:?}");
    assert_eq!(found[0].location.line, 5);
    assert!(ids("#+begin_src mermaid\nflowchart TD\n  A --> B\n#+end_src\n").is_empty());
}

#[test]
fn commas_that_escape_lines_of_a_block_do_not_belong_to_it() {
    let text = "#+begin_src yaml\n  ,#+a: 1\n  b: [\n#+end_src\n";
    assert!(ids(text).iter().all(|id| id.starts_with("3 YM") || id.starts_with("4 YM")), "{:?}", ids(text));
}

#[test]
fn a_block_of_org_shows_a_part_of_a_file() {
    let text =
        "#+begin_src org\n  ,* TODO A\n  :LOGBOOK:\n  ,#+BEGIN: clocktable\n  ,#+begin_src\n#+end_src\n";
    assert_eq!(ids(text), Vec::<String>::new());
}

#[test]
fn a_fence_in_markdown_is_validated() {
    let project = project();
    let text = "# A\n\n> ```org\n> * TODO A\n> Scheduled: <2026-01-31 Sat>\n> ```\n";
    let outcome = project.subject(Input::text(text).at("a.md")).ok().unwrap().validate();
    let found: Vec<_> = outcome.diagnostics.iter().map(|found| (&*found.id, found.location.line)).collect();
    assert_eq!(found, [("OR102", 5)]);
}

#[test]
fn comments_suppress_findings_of_the_next_line() {
    assert_eq!(ids("# proofmark-ignore OR201: imported\n* TODO [#D] A\n* TODO [#E] B\n"), ["3 OR201"]);
    assert!(ids("# proofmark-ignore-file OR201: imported\n* TODO [#D] A\n").is_empty());
}

#[test]
fn undeclared_keywords_are_added_to_those_of_the_file_in_the_hint() {
    let hint = |text: &str| validate("notes.org", text).remove(0).fix_hint.unwrap_or_default();
    assert_eq!(hint("#+TODO: A B\n* TODO Call\n"), "declare it: `#+TODO: A TODO | B`");
    assert_eq!(hint("#+TODO: A(a) | B(b!) C\n* CANCELED Call\n"), "declare it: `#+TODO: A | B C CANCELED`");
    assert_eq!(hint("* NEXT Call\n"), "declare it: `#+TODO: TODO NEXT | DONE`");
}

#[test]
fn fixes_keep_every_other_byte() {
    let text = "#+TITLE Plan\r\n* TODO A\r\n  Scheduled: <2026-01-31 Fri>\r\n#+TBLNAME: t\r\n| 1 |\r\n";
    let project = project();
    let kind = project.kinds().get("org").cloned();
    let subject = project.subject(Input::text(text).called("a.org").of_kind(kind)).ok().unwrap();
    let fixed = subject.fix(Applicability::Unsafe).text;
    let expected = "#+TITLE: Plan\r\n* TODO A\r\n  SCHEDULED: <2026-01-31 Sat>\r\n#+NAME: t\r\n| 1 |\r\n";
    assert_eq!(fixed, expected);
}

#[test]
fn the_outline_has_what_clients_of_org_need() {
    let text = "#+TODO: TODO NEXT | DONE\n#+FILETAGS: :all:\n:PROPERTIES:\n:A: 1\n:END:\n* NEXT [#A] COMMENT Plan :x:\nSCHEDULED: <2026-01-31 Sat>\n:PROPERTIES:\n:ID: a1\n:END:\n** Step :y:\ntext\n* Other\n";
    let outline = Org.outline(text).unwrap();
    assert_eq!(outline["todo"]["sequences"][0]["done"], serde_json::json!(["DONE"]));
    let first = &outline["headlines"][0];
    let expected = serde_json::json!({
        "line": 6, "end_line": 12, "level": 1, "todo": "NEXT", "priority": "A", "commented": true,
        "title": "Plan", "tags": ["x"], "all_tags": ["all", "x"], "id": "a1",
        "scheduled": "<2026-01-31 Sat>", "deadline": null, "closed": null, "properties": [["ID", "a1"]],
    });
    assert_eq!(*first, expected);
    assert_eq!(outline["headlines"][1]["all_tags"], serde_json::json!(["all", "x", "y"]));
}

/// The keywords of a set-up file and inline tasks count in each form of an outline and in each command.
#[test]
fn outlines_as_data_have_what_set_up_files_and_the_configuration_say() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    std::fs::write(at("setup.org"), "#+TODO: NEXT | CANCELED\n#+FILETAGS: :all:\n").unwrap();
    let text = "#+SETUPFILE: setup.org\n* NEXT Plan\n*************** CANCELED Aside\n";
    std::fs::write(at("a.org"), text).unwrap();
    std::fs::write(at("proofmark.toml"), "[org]\ninline_tasks = true\n").unwrap();
    let record = json!({"id": 1, "path": "a.org", "emit": ["outline"]}).to_string();
    let program = |arguments: &[&str], input: &str| -> Value {
        use std::process::{Command, Stdio};
        let mut command = Command::new(env!("CARGO_BIN_EXE_proofmark"));
        command.args(arguments).current_dir(folder.path()).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        std::io::Write::write_all(&mut child.stdin.take().unwrap(), input.as_bytes()).unwrap();
        serde_json::from_slice(&child.wait_with_output().unwrap().stdout).unwrap()
    };
    let outlines = [
        program(&["org", "outline", "a.org", "--format", "json"], ""),
        program(&["batch", "--allow-root", "."], &record)["outline"].take(),
    ];
    for outline in outlines {
        let of = |index: usize, field: &str| outline["headlines"][index][field].clone();
        assert_eq!([of(0, "todo"), of(1, "todo")], ["NEXT", "CANCELED"], "{outline}");
        assert_eq!((of(1, "inline"), of(0, "all_tags")), (json!(true), json!(["all"])), "{outline}");
    }
}

fn with_inline_tasks(text: &str) -> Vec<Value> {
    let options = ParseOptions { inline_tasks: Some(15), ..ParseOptions::default() };
    Org.outline_with(text, &options).unwrap()["headlines"].as_array().unwrap().clone()
}

/// What Emacs says is written by `tests/reference/org_inline.el`.
#[test]
fn inline_tasks_are_read_as_emacs_reads_them() {
    let text = include_str!("../data/org_inline/tasks.org");
    let expected: Vec<Value> = serde_json::from_str(include_str!("../data/org_inline/emacs.json")).unwrap();
    let found = with_inline_tasks(text);
    let property = |headline: &Value, name: &str| {
        let all = headline["properties"].as_array().unwrap().iter();
        all.filter(|entry| entry[0] == name).map(|entry| entry[1].clone()).next_back().unwrap_or_default()
    };
    let found: Vec<Value> = found
        .iter()
        .map(|headline| {
            let (line, end) = (headline["line"].as_u64().unwrap(), headline["end_line"].as_u64().unwrap());
            let inline = headline["inline"] == true;
            let around = found.iter().rev().filter(|above| above["inline"] != true).find(|above| {
                let range = above["line"].as_u64().unwrap()..=above["end_line"].as_u64().unwrap();
                range.contains(&line) && above["level"].as_u64() < headline["level"].as_u64()
            });
            json!({
                "line": line, "level": headline["level"], "inline": inline, "parent": around.map(|above| &above["line"]),
                "todo": headline["todo"], "title": headline["title"], "tags": headline["tags"],
                "element": {
                    "type": if inline { "inlinetask" } else { "headline" },
                    "scheduled": headline["scheduled"], "deadline": headline["deadline"],
                    "id": headline["id"], "effort": property(headline, "Effort"),
                    "ends": if inline && end > line { json!(end) } else { Value::Null },
                }
            })
        })
        .collect();
    let by_line = |line: &Value, all: &[Value]| all.iter().find(|one| one["line"] == *line).cloned();
    for expected in &expected {
        assert_eq!(by_line(&expected["line"], &found), Some(expected.clone()));
    }
    assert_eq!(found.len(), expected.len());
}

#[test]
fn what_is_around_an_inline_task_goes_on_after_it() {
    let text = "* A\n- x\n*************** TODO B\nSCHEDULED: <2026-01-31 Sat>\n#+NAME: t\n*************** END\n- y\n** C\n";
    let headlines = with_inline_tasks(text);
    let lines: Vec<(u64, u64)> = headlines
        .iter()
        .map(|headline| (headline["line"].as_u64().unwrap(), headline["end_line"].as_u64().unwrap()))
        .collect();
    assert_eq!(lines, [(1, 9), (3, 6), (8, 9)]);
    // Without the option they are headlines, and the last one is below them.
    assert_eq!(Org.outline(text).unwrap()["headlines"].as_array().unwrap().len(), 4);
}
