//! `proofmark render`, `quills` and `templates`, as people use them.

use std::{
    fs,
    path::PathBuf,
    process::{Command, Stdio},
};

use tempfile::TempDir;

use super::{LETTER, programs};

struct Sandbox(TempDir);

impl Sandbox {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self, path: &str) -> PathBuf {
        self.0.path().join(path)
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// Exit code, standard output, standard error.
    fn run(&self, arguments: &[&str]) -> (i32, String, String) {
        let mut command = Command::new(programs::proofmark());
        command.args(arguments).current_dir(self.0.path()).env("SOURCE_DATE_EPOCH", "1769817600");
        command.env_remove("PROOFMARK_RENDER_WORKER");
        let output = command.stdin(Stdio::null()).output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
    }
}

#[test]
fn a_document_is_rendered_beside_itself_or_where_it_is_wanted() {
    let sandbox = Sandbox::new();
    sandbox.write("docs/letter.md", LETTER);
    let (code, stdout, stderr) = sandbox.run(&["render", "docs/letter.md"]);
    assert_eq!((code, stdout.as_str(), stderr.as_str()), (0, "docs/letter.pdf\n", ""));
    assert!(fs::read(sandbox.path("docs/letter.pdf")).unwrap().starts_with(b"%PDF-"));
    let (code, stdout, _) = sandbox.run(&["render", "docs/letter.md", "-o", "out/", "--format", "svg"]);
    assert_eq!((code, stdout.as_str()), (0, "out/letter.svg\n"));
    let (code, stdout, _) = sandbox.run(&["render", "docs/letter.md", "-o", "page.png"]);
    assert_eq!((code, stdout.as_str()), (0, "page.png\n"));
    let (code, stdout, _) = sandbox.run(&["render", "docs/letter.md", "-o", "-", "--format", "svg"]);
    assert!(code == 0 && stdout.starts_with("<svg"));
}

#[test]
fn check_can_lay_documents_out_and_reports_what_that_finds() {
    let sandbox = Sandbox::new();
    sandbox.write("letter.md", &LETTER.replace("the table", "表 the table"));
    sandbox.write("broken.md", &LETTER.replace("recipient", "recepient"));
    sandbox.write("notes.md", "# Notes\n\n表\n");
    let plate = "#import \"@local/quillmark-helper:0.2.0\" as qm\n#qm.data.title.nonsense\n";
    let manifest = "quill: {name: own, backend: typst, description: A quill}\nmain:\n  fields:\n    title: {type: string}\n";
    sandbox.write("quills/own/Quill.yaml", manifest);
    sandbox.write("quills/own/plate.typ", plate);
    sandbox.write("proofmark.toml", "[quills]\npath = \"quills\"\n");
    sandbox.write("own.md", "---\nQUILL: own\ntitle: a\n---\n");
    let documents = ["letter.md", "broken.md", "notes.md", "own.md"];
    let check = |more: &[&str]| sandbox.run(&[&["check"], documents.as_slice(), more].concat());
    let (code, stdout, stderr) = check(&["--format", "concise"]);
    assert!(code == 1 && !stdout.contains("RN"), "{stdout}{stderr}");
    let (code, stdout, stderr) = check(&["--format", "concise", "--render"]);
    assert_eq!((code, stderr.as_str()), (1, ""), "{stdout}");
    assert!(stdout.contains("letter.md:8:15: warning: ") && stdout.contains("RN205"), "{stdout}");
    assert!(stdout.contains("own.md:2:8: error: ") && stdout.contains("RN201"), "{stdout}");
    assert!(stdout.matches("RN").count() == 2 && stdout.contains("broken.md:4:1: error: "), "{stdout}");
    // The layout is shown where the error is.
    let (_, stdout, _) = check(&["--render"]);
    assert!(stdout.contains("here in the layout") && stdout.contains("plate.typ:2:"), "{stdout}");
    let (_, stdout, _) = check(&["--render", "--format", "json"]);
    assert!(stdout.contains("\"RN205\"") && stdout.contains("\"RN201\""), "{stdout}");
    let (code, stdout, _) = check(&["--render", "--select", "RN205", "--format", "concise"]);
    assert!(code == 0 && stdout.contains("RN205") && !stdout.contains("RN201"), "{stdout}");
}

/// A drawing as SVG has the fonts of who looks at it.
#[test]
fn characters_of_a_drawing_that_no_font_has_are_reported() {
    let sandbox = Sandbox::new();
    sandbox.write("flow.mmd", "flowchart LR\n  A[表] --> B\n");
    let draw = |format: &str| sandbox.run(&["draw", "flow.mmd", "--format", format, "--report", "concise"]);
    let (code, stdout, stderr) = draw("png");
    assert_eq!((code, stdout.as_str()), (0, "flow.png\n"));
    assert!(stderr.starts_with("flow.mmd:2:5: warning: ") && stderr.contains("RN205"), "{stderr}");
    assert_eq!(draw("svg"), (0, "flow.svg\n".to_owned(), String::new()));
}

#[test]
fn check_says_when_there_is_nothing_that_renders() {
    let sandbox = Sandbox::new();
    sandbox.write("letter.md", LETTER);
    let mut command = Command::new(programs::proofmark());
    command.args(["check", "letter.md", "--render"]).current_dir(sandbox.0.path());
    command.env("PROOFMARK_RENDER_WORKER", sandbox.path("none"));
    let output = command.stdin(Stdio::null()).output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{stderr}");
    assert!(stderr.contains("`proofmark-render`") && stderr.contains("hint: "), "{stderr}");
}

#[test]
fn a_document_with_errors_is_reported_and_not_rendered_unless_forced() {
    let sandbox = Sandbox::new();
    sandbox.write("a.md", &LETTER.replace("recipient", "recepient"));
    let (code, stdout, stderr) = sandbox.run(&["render", "a.md", "--report", "concise"]);
    assert_eq!((code, stdout.as_str()), (1, ""));
    assert!(stderr.starts_with("a.md:4:1: error: ") && stderr.contains("QL102"), "{stderr}");
    assert!(!sandbox.path("a.pdf").exists());
    let (code, stdout, _) = sandbox.run(&["render", "a.md", "--force"]);
    assert_eq!((code, stdout.as_str()), (1, "a.pdf\n"));
}

#[test]
fn the_named_command_fixes_what_rendering_finds() {
    let sandbox = Sandbox::new();
    sandbox.write("a.md", &LETTER.replace("recipient", "recepient"));
    let (_, _, stderr) = sandbox.run(&["render", "a.md"]);
    let (_, command) = stderr.split_once("`proofmark ").unwrap();
    let command: Vec<&str> = command.split_once('`').unwrap().0.split(' ').chain(["a.md"]).collect();
    assert_eq!(command[0], "fix", "{stderr}");
    assert_eq!(sandbox.run(&command).0, 0);
    assert_eq!(fs::read_to_string(sandbox.path("a.md")).unwrap(), LETTER);
    let (code, stdout, _) = sandbox.run(&["render", "a.md"]);
    assert_eq!((code, stdout.as_str()), (0, "a.pdf\n"));
    sandbox.write("a.md", &LETTER.replace("recipient", "recepient"));
    assert_eq!(sandbox.run(&["check", "a.md"]).0, 1);
    assert_eq!(sandbox.run(&["check", "--no-builtin-quills", "a.md"]).0, 0);
}

#[test]
fn many_documents_are_rendered_and_one_bad_one_stops_no_other() {
    let sandbox = Sandbox::new();
    for name in ["a", "b", "c"] {
        sandbox.write(&format!("{name}.md"), &LETTER.replace("Note G", name));
    }
    sandbox.write("bad.md", "# No quill\n");
    let (code, stdout, stderr) =
        sandbox.run(&["render", "a.md", "bad.md", "b.md", "c.md", "gone.md", "-o", "out/"]);
    assert_eq!((code, stdout.as_str()), (1, "out/a.pdf\nout/b.pdf\nout/c.pdf\n"));
    assert!(stderr.contains("RN001") && stderr.contains("PM001"), "{stderr}");
}

#[test]
fn a_file_that_cannot_be_written_is_reported() {
    let sandbox = Sandbox::new();
    sandbox.write("a.md", LETTER);
    sandbox.write("b.md", LETTER);
    let (code, _, stderr) = sandbox.run(&["render", "a.md", "b.md", "-o", "one.pdf"]);
    assert!(code == 2 && stderr.contains("many documents"), "{stderr}");
    let (code, _, stderr) = sandbox.run(&["render", "a.md", "-o", "no/such/folder.pdf"]);
    assert!(code == 2 && stderr.contains("cannot write"), "{stderr}");
    let (code, _, stderr) = sandbox.run(&["render", "a.md", "-o", "a.md", "--format", "pdf"]);
    assert!(code == 2 && stderr.contains("is not a format of pages"), "{stderr}");
    sandbox.write("b.svg", LETTER);
    let (code, _, stderr) = sandbox.run(&["render", "b.svg", "-o", "b.svg"]);
    assert!(code == 2 && stderr.contains("is one of the inputs"), "{stderr}");
    assert_eq!(fs::read_to_string(sandbox.path("b.svg")).unwrap(), LETTER);
    let (code, _, stderr) = sandbox.run(&["render", "a.md", "--date", "2026-02-30"]);
    assert!(code == 2 && stderr.contains("2026-01-31"), "{stderr}");
    assert_eq!(fs::read_to_string(sandbox.path("a.md")).unwrap(), LETTER);
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_reported_and_leaves_no_files() {
    let sandbox = Sandbox::new();
    sandbox.write("a.md", LETTER);
    let (code, _, stderr) = sandbox.run(&["render", "a.md", "-o", "/dev/full", "--format", "pdf"]);
    assert!(code == 2 && stderr.contains("/dev/full"), "{stderr}");
}

#[test]
fn quills_are_listed_and_described() {
    let sandbox = Sandbox::new();
    let (code, stdout, _) = sandbox.run(&["quills", "list"]);
    assert!(code == 0 && stdout.contains("letter") && stdout.contains("(built in)"), "{stdout}");
    let (code, stdout, _) = sandbox.run(&["quills", "info", "letter", "--format", "json"]);
    let info: serde_json::Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!((code, &info["frontmatter_fields"]["recipient"]["required"]), (0, &true.into()));
    assert!(info["example"].as_str().unwrap().starts_with("---\nQUILL: letter"));
    let (code, _, stderr) = sandbox.run(&["quills", "info", "leter"]);
    assert!(code == 2 && stderr.contains("did you mean `letter`?"), "{stderr}");
}

#[test]
fn a_new_quill_is_right_and_renders() {
    let sandbox = Sandbox::new();
    let (code, stdout, _) = sandbox.run(&["quills", "new", "invoice"]);
    assert_eq!(code, 0);
    assert!(stdout.contains("quills/invoice/Quill.yaml"));
    let (code, stdout, stderr) = sandbox.run(&["quills", "check", "invoice", "--format", "concise"]);
    assert_eq!(code, 0, "{stdout}{stderr}");
    for bad in ["../x", "Invoice", "a b", ""] {
        assert_eq!(sandbox.run(&["quills", "new", bad]).0, 2, "{bad}");
    }
    assert_eq!(sandbox.run(&["quills", "new", "invoice"]).0, 2);
}

#[test]
fn all_errors_in_a_quill_are_reported_at_their_positions() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "quills/bill/Quill.toml",
        "[Quill]\nname = \"bill\"\nbackend = \"typst\"\nglue_file = \"glue.typ\"\nexample_file = \"bill.md\"\n\
         descripton = \"Bills\"\n[fields]\ntitle = { type = \"string\" }\nunused = { type = \"string\" }\n",
    );
    sandbox.write("quills/bill/bill.md", "---\nQUILL: bill\ntitle: 5\n---\n");
    let check = || sandbox.run(&["quills", "check", "bill", "--format", "concise"]);
    let (code, stdout, _) = check();
    assert_eq!(code, 1);
    assert!(stdout.contains("quills/bill/Quill.toml:4:13: error: the quill has no layout"), "{stdout}");
    sandbox.write(
        "quills/bill/glue.typ",
        "{% if titel %}{{ titel | String }}{% endif %}\n#{{ title | String }}\n",
    );
    let (code, stdout, _) = check();
    assert_eq!(code, 1);
    for (place, id) in [
        ("quills/bill/Quill.toml:6:1:", "QL003"),
        ("quills/bill/Quill.toml:4:13:", "QL022"),
        ("quills/bill/Quill.toml:9:1:", "QL023"),
        ("quills/bill/bill.md:3:8:", "QL105"),
    ] {
        let found = stdout.lines().any(|line| line.starts_with(place) && line.contains(id));
        assert!(found, "no {id} at {place} in\n{stdout}");
    }
    sandbox.write("quills/bill/bill.md", "---\nQUILL: bill\ntitle: a\n---\n");
    sandbox.write("quills/bill/glue.typ", "#let title = {{ title | String }}\n#nonsense\n");
    let (code, stdout, _) = sandbox.run(&["quills", "check", "bill", "--format", "json"]);
    let report: serde_json::Value = serde_json::from_str(&stdout).unwrap();
    let all = report["diagnostics"].as_array().unwrap();
    let failed = all.iter().find(|one| one["id"] == "RN201").unwrap();
    let place = &failed["related"][0]["location"];
    assert_eq!((code, &place["file"], &place["line"]), (1, &"quills/bill/glue.typ".into(), &2.into()));
}

#[test]
fn a_quill_without_an_example_is_tried_with_those_of_its_fields() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "quills/bill/Quill.yaml",
        "quill: {name: bill, backend: typst, description: Bills}\nmain:\n  fields:\n    \
         title: {type: string, required: true, description: Head}\n    \
         due: {type: date, description: Day, example: 2026-05-01}\n    \
         copies: {type: integer, required: true, description: How many}\n",
    );
    let plate = |rest: &str| {
        let head = "#import \"@local/quillmark-helper:0.2.0\" as qm\n";
        sandbox.write("quills/bill/plate.typ", &format!("{head}#let due = qm.data.due\n{rest}\n"));
    };
    let check = || sandbox.run(&["quills", "check", "bill", "--format", "concise"]);
    plate("#qm.data.title #if due != none { due.display() } #(qm.data.copies + 1)");
    let (code, stdout, _) = check();
    assert_eq!(code, 0, "{stdout}");
    plate("#qm.data.title #due.display() #(qm.data.copies + 1)");
    let (code, stdout, _) = check();
    assert!(code == 1 && stdout.contains("RN206") && stdout.contains("without `due`"), "{stdout}");
    plate("#qm.data.title #due.display() #qm.data.copies.nonsense");
    let (code, stdout, _) = check();
    assert!(code == 1 && stdout.contains("RN201") && stdout.contains("plate.typ:3:"), "{stdout}");
}

/// Each part that a document need not have is left out in turn: fields, properties in lists, all blocks of a collection.
#[test]
fn a_layout_that_needs_an_optional_field_is_reported_at_that_field() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "quills/bill/Quill.yaml",
        "quill: {name: bill, backend: typst, description: Bills, example_file: example.md}\nmain:\n  fields:\n    \
         title: {type: string, required: true, description: Head}\n    \
         due: {type: date, description: Day}\n    \
         copies: {type: integer, default: 1, description: How many}\n    \
         lines:\n      type: array\n      description: Lines\n      items:\n        type: object\n        properties:\n          \
         what: {type: string, required: true, description: What}\n          \
         on: {type: date, description: Day}\n\
         card_kinds:\n  notes:\n    description: Notes\n    fields:\n      \
         day: {type: date, description: When}\n",
    );
    sandbox.write(
        "quills/bill/example.md",
        "---\nQUILL: bill\ntitle: May\ndue: 2026-05-01\ncopies: 2\nlines:\n  - what: tea\n    on: 2026-04-01\n  - what: milk\n    on: 2026-04-02\n---\n\nText.\n\n\
         ---\nSCOPE: notes\nday: 2026-05-02\n---\n\nPaid.\n",
    );
    let plate = |lines: &[&str]| {
        let head =
            "#import \"@local/quillmark-helper:0.2.0\" as qm\n#let data = qm.data\n#(data.copies + 1)\n";
        sandbox.write("quills/bill/plate.typ", &format!("{head}{}\n", lines.join("\n")));
    };
    let check = || sandbox.run(&["quills", "check", "bill", "--format", "concise"]);
    plate(&[
        "#data.title #if data.due != none { data.due.display() }",
        "#if data.lines != none { for line in data.lines [#line.what #if line.on != none { line.on.display() }] }",
        "#for note in data.at(\"$cards\", default: ()) [#if note.day != none { note.day.display() }]",
    ]);
    let (code, stdout, _) = check();
    assert_eq!((code, stdout.lines().count()), (0, 1), "{stdout}");
    plate(&[
        "#data.title #data.due.display()",
        "#for line in data.lines [#line.what #line.on.display()]",
        "#for note in data.at(\"$cards\", default: ()) [#note.day.display()]",
        "#data.at(\"$cards\").first().len()",
    ]);
    let (code, stdout, _) = check();
    let found = |start: &str, words: &str| {
        let is = |line: &str| line.starts_with(start) && line.contains(words) && line.contains("RN206");
        assert!(stdout.lines().any(is), "no {words} at {start} in\n{stdout}");
    };
    assert_eq!(code, 1);
    found("quills/bill/example.md:4:1:", "without `due`, which is optional: ");
    found("quills/bill/example.md:8:5:", "without `lines.on`, which is optional: ");
    found("quills/bill/example.md:17:1:", "without `notes.day`, which is optional: ");
    found("quills/bill/example.md:16:1:", "without `notes` blocks: array is empty");
    assert_eq!(stdout.matches("RN206").count(), 4, "{stdout}");
}

#[test]
fn templates_are_right_and_render_once_filled_in() {
    let sandbox = Sandbox::new();
    let (code, list, _) = sandbox.run(&["templates"]);
    assert!(code == 0 && list.lines().count() >= 5, "{list}");
    for line in list.lines() {
        let name = line.split("  ").next().unwrap();
        let (code, markdown, _) = sandbox.run(&["templates", name]);
        assert_eq!(code, 0, "{name}");
        sandbox.write("template.md", &markdown);
        let (code, _, stderr) = sandbox.run(&["render", "template.md"]);
        assert_eq!(code, 0, "{name}: {stderr}");
    }
    let (code, _, stderr) = sandbox.run(&["templates", "Formal leter"]);
    assert!(code == 2 && stderr.contains("`Formal letter`"), "{stderr}");
    assert_eq!(sandbox.run(&["templates", "../Cargo.toml"]).0, 2);
}

#[test]
fn several_formats_are_rendered_in_one_run() {
    let sandbox = Sandbox::new();
    sandbox.write("a.md", LETTER);
    let (code, stdout, stderr) = sandbox.run(&["render", "a.md", "--format", "pdf,html,png", "-o", "out/"]);
    assert_eq!((code, stdout.as_str(), stderr.as_str()), (0, "out/a.pdf\nout/a.html\nout/a.png\n", ""));
    assert!(fs::read_to_string(sandbox.path("out/a.html")).unwrap().starts_with("<!DOCTYPE html>"));
    let (code, _, stderr) = sandbox.run(&["render", "a.md", "--format", "pdf,html", "-o", "a.pdf"]);
    assert!(code == 2 && stderr.contains("several formats"), "{stderr}");
    let (code, _, stderr) = sandbox.run(&["render", "a.md", "--format", "svg", "--pdf-standard", "a-2b"]);
    assert!(code == 2 && stderr.contains("is for PDF"), "{stderr}");
    let (code, stdout, _) = sandbox.run(&["render", "a.md", "--pdf-standard", "a-2b,ua-1"]);
    assert_eq!((code, stdout.as_str()), (0, "a.pdf\n"));
}

#[test]
fn a_quill_is_exported_and_then_used() {
    let sandbox = Sandbox::new();
    let (code, stdout, stderr) = sandbox.run(&["quills", "export", "letter"]);
    assert!(code == 0 && stdout.contains("quills/letter/plate.typ\n"), "{stderr}");
    let plate = sandbox.path("quills/letter/plate.typ");
    let changed = fs::read_to_string(&plate).unwrap() + "\n#pagebreak()\nEnd\n";
    fs::write(&plate, changed).unwrap();
    sandbox.write("a.md", LETTER);
    let (code, stdout, stderr) = sandbox.run(&["render", "a.md", "--format", "svg"]);
    assert_eq!((code, stdout.as_str()), (0, "a-1.svg\na-2.svg\n"), "{stderr}");
    let (code, _, stderr) = sandbox.run(&["quills", "export", "letter"]);
    assert!(code == 2 && stderr.contains("already"), "{stderr}");
}

#[test]
fn examples_are_shown_on_a_contact_sheet() {
    let sandbox = Sandbox::new();
    let (code, stdout, stderr) = sandbox.run(&["quills", "preview", "letter", "memo", "-o", "sheet.png"]);
    assert_eq!((code, stdout.as_str()), (0, "sheet.png\n"), "{stderr}");
    assert!(fs::read(sandbox.path("sheet.png")).unwrap().starts_with(b"\x89PNG"));
    let (code, _, stderr) = sandbox.run(&["quills", "preview", "leter"]);
    assert!(code == 2 && stderr.contains("did you mean `letter`?"), "{stderr}");
}

#[test]
fn a_document_is_translated_rendered_and_translated_back() {
    let sandbox = Sandbox::new();
    sandbox.write("a.md", LETTER);
    for dialect in ["tildes", "cards", "seed"] {
        let (code, text, stderr) = sandbox.run(&["convert", "a.md", "--to", dialect]);
        assert_eq!((code, stderr.as_str()), (0, ""), "{dialect}");
        sandbox.write("b.md", &text);
        let (code, back, stderr) = sandbox.run(&["convert", "b.md", "--to", "c2", "--dialect", dialect]);
        assert_eq!((code, back.as_str(), stderr.as_str()), (0, LETTER, ""), "{dialect}");
    }
    let (_, text, _) = sandbox.run(&["convert", "a.md", "--to", "tildes", "-o", "-"]);
    sandbox.write("t.md", &text);
    assert_eq!(sandbox.run(&["render", "t.md"]).0, 0);
    assert_eq!(sandbox.run(&["render", "a.md"]).0, 0);
    assert!(fs::read(sandbox.path("t.pdf")).unwrap() == fs::read(sandbox.path("a.pdf")).unwrap());
    let (code, _, stderr) = sandbox.run(&["convert", "a.md", "--to", "tildes", "-o", "a.md"]);
    assert!(code == 2 && stderr.contains("is one of the inputs"), "{stderr}");
}
