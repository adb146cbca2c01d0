//! The command line, as people and programs use it.

use std::{
    fs,
    io::{BufRead, BufReader, Read, Write},
    process::Stdio,
};

use serde_json::{Value, json};

use crate::sandbox::Sandbox;

const FINE: &str = "---\ntitle: A report\n---\n\n# A report\n";
/// An error with a safe fix: the value holds a colon and needs quotes.
const BROKEN: &str = "---\ntitle: Report: the year\n---\n\n# A report\n";
const FIXED: &str = "---\ntitle: \"Report: the year\"\n---\n\n# A report\n";
/// A warning: the text holds a zero-width space.
const DOUBTFUL: &str = "# A\u{200B} report\n";

/// A template of a Helm chart.
const CHART: &str = "{{- if .Values.policy }}\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {{ .Values.name }}\n  labels:\n    \
                     {{- include \"labels\" . | nindent 4 }}\nspec:\n  replicas: {{ .Values.replicas }}\n{{- else }}\nkind: Other\n{{- end }}\n";

// ---- exit codes ----------------------------------------------------------------------------------

#[test]
fn nothing_found_is_0() {
    let run = Sandbox::with(&[("a.md", FINE)]).run(&["check"]);
    assert_eq!((run.code, run.stdout.as_str()), (0, "1 file checked, nothing found\n"));
    assert_eq!(run.stderr, "");
}

#[test]
fn an_error_is_1_and_a_warning_only_where_the_level_says_so() {
    let sandbox = Sandbox::with(&[("a.md", BROKEN), ("w.md", DOUBTFUL)]);
    assert_eq!(sandbox.run(&["check", "a.md"]).code, 1);
    assert_eq!(sandbox.run(&["check", "w.md"]).code, 0);
    assert_eq!(sandbox.run(&["check", "w.md", "--fail-level", "warning"]).code, 1);
    sandbox.write("proofmark.toml", "[rules]\nfail_level = \"warning\"\n");
    assert_eq!(sandbox.run(&["check", "w.md"]).code, 1);
    assert_eq!(sandbox.run(&["check", "w.md", "--isolated"]).code, 0);
}

#[cfg(feature = "mcp")]
#[test]
fn the_service_is_found_by_the_name_of_its_protocol() {
    let sandbox = Sandbox::new();
    assert_eq!(sandbox.run(&["mcp", "--help"]).stdout, sandbox.run(&["serve", "--help"]).stdout);
}

#[test]
fn a_wrong_command_is_2_and_says_what_to_do() {
    let sandbox = Sandbox::with(&[("a.md", FINE), ("notes.xyz", "text")]);
    let fails = |arguments: &[&str], shown: &str| {
        let run = sandbox.run(arguments);
        assert_eq!(run.code, 2, "{arguments:?}: {}", run.stderr);
        assert!(run.stderr.contains(shown), "{arguments:?}: {}", run.stderr);
        assert_eq!(run.stdout, "", "results only on standard output");
    };
    fails(&["check", "missing.md", "a.md", "gone"], "there is no `missing.md`\nerror: there is no `gone`");
    fails(&["check", "--frobnicate"], "unexpected argument '--frobnicate'");
    fails(&["check", "--format", "yaml"], "there is no format `yaml`; formats are pretty, concise, json");
    fails(&["check", "--kind", "markdwn"], "did you mean `markdown`?");
    fails(&["check", "--select", "NOSUCH"], "there is no rule `NOSUCH`");
    fails(&["check", "-"], "standard input: its kind is not known");
    fails(&["check", "--baseline", "none.json"], "cannot read `none.json`");
    fails(&["check", "--config", "none.toml"], "there is no such file");
    fails(&["org", "todos", "--in", "nope"], "there is no `nope`");
    fails(&["explain", "not-utf9"], "did you mean `not-utf8`?");
    fails(&["kinds", "yml"], "kinds are");
    fails(&["batch", "--allow-root", "nowhere"], "cannot open the folder `nowhere`");
}

#[test]
fn a_file_of_no_known_kind_is_skipped_in_a_walk_and_shown_when_it_is_named() {
    let sandbox = Sandbox::with(&[("a.md", FINE), ("notes.xyz", BROKEN)]);
    assert_eq!(sandbox.run(&["check"]).code, 0);
    let run = sandbox.run(&["check", "notes.xyz", "a.md"]);
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("notes.xyz: its kind is not known"), "{}", run.stderr);
    assert!(run.stderr.contains("--kind; kinds are"), "{}", run.stderr);
    assert!(run.stdout.contains("1 file checked"), "the others are checked: {}", run.stdout);
    assert_eq!(sandbox.run(&["check", "notes.xyz", "--kind", "markdown"]).code, 1);
    sandbox.write("proofmark.toml", "[files.kinds]\n\"*.xyz\" = \"markdown\"\n");
    assert_eq!(sandbox.run(&["check", "--ignore", "PM", "."]).code, 1, "the configuration knows");
}

#[test]
fn a_configuration_with_errors_is_2_and_shown_with_positions() {
    let sandbox = Sandbox::with(&[("a.md", FINE), ("proofmark.toml", "[rules]\nselct = [\"FM\"]\n")]);
    let run = sandbox.run(&["check", "a.md"]);
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("proofmark.toml:2:1") && run.stderr.contains("select"), "{}", run.stderr);
    assert_eq!(run.stdout, "");
}

#[test]
fn a_configuration_with_errors_in_another_folder_is_checked_like_any_file() {
    let sandbox =
        Sandbox::with(&[("inner/proofmark.toml", "[rules]\nfail_level = \"warn\"\n"), ("inner/a.md", FINE)]);
    let run = sandbox.run(&["check", "inner/proofmark.toml"]);
    assert!(run.stdout.contains("PM113") && !run.stdout.contains("PM017"), "{}", run.stdout);
    assert!(sandbox.run(&["check", "inner/a.md"]).stdout.contains("PM017"));
}

#[test]
fn a_pack_with_errors_is_2_and_shown_with_positions() {
    let sandbox = Sandbox::with(&[
        ("a.md", FINE),
        ("proofmark.toml", "[packs]\npaths = [\"pack\"]\n"),
        ("pack/pack.yaml", "version: 1\nname: pack\ndescription: D\nprefix: PC\nkinds: [markdown]\n"),
        ("pack/r.yaml", "version: 1\nrules:\n  - id: PC001\n    nmae: x\n"),
    ]);
    let run = sandbox.run(&["check", "a.md"]);
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("pack/r.yaml:4:5"), "{}", run.stderr);
    assert!(run.stderr.contains("did you mean `name`?"), "{}", run.stderr);
}

// ---- bad input -----------------------------------------------------------------------------------

#[test]
fn every_sort_of_bad_file_gets_a_finding_and_the_others_are_checked() {
    let sandbox = Sandbox::with(&[("a.md", BROKEN)]);
    sandbox.write("utf16.md", b"\xFF\xFE#\0 \0a\0");
    sandbox.write("binary.md", b"\x7FELF\x80\0\0\xFF\xFF");
    sandbox.write("latin1.md", b"# Caf\xE9\n");
    assert_eq!(sandbox.ids(&["utf16.md"]), ["PM003"]);
    assert_eq!(sandbox.ids(&["binary.md"]), ["PM003"]);
    let run = sandbox.run(&["check", "latin1.md", "--format", "concise"]);
    assert!(
        run.stdout.starts_with("latin1.md:1:6: error: the file is not UTF-8: byte 5 is 0xE9"),
        "{}",
        run.stdout
    );
    assert_eq!(run.code, 1);
    let all = sandbox.run(&["check", "--format", "concise"]);
    assert!(all.stdout.contains("4 errors in 4 files"), "{}", all.stdout);
}

#[test]
fn odd_input_is_validated_without_a_crash() {
    let sandbox = Sandbox::new();
    sandbox.write("empty.md", "");
    sandbox.write("bom.md", format!("\u{FEFF}{FINE}"));
    sandbox.write("cr.md", FINE.replace('\n', "\r"));
    sandbox.write("nul.md", "# A\0B\n");
    sandbox.write("dashes.md", "---\n".repeat(50_000));
    sandbox.write("long.md", format!("# A\n\n{}\n", "word ".repeat(1_000_000)));
    sandbox.write("brackets.md", format!("---\na: {}\n---\n", "[".repeat(100_000)));
    sandbox.write("items.md", format!("---\na:\n  {}x\n---\n", "- ".repeat(100_000)));
    let laughs: String = (1..20).map(|n| format!("l{n}: &l{n} [*l{0}, *l{0}, *l{0}]\n", n - 1)).collect();
    sandbox.write("laughs.md", format!("---\nl0: &l0 ha\n{laughs}---\n"));
    let run = sandbox.run(&["check", "--format", "json"]);
    assert!(run.code <= 1, "{} {}", run.code, run.stderr);
    let report: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(report["summary"]["files"], 9);
    assert!(report["summary"]["by_rule"].get("PM009").is_none(), "nothing crashed");
}

#[test]
fn a_document_over_the_limit_is_shown_with_its_size() {
    let sandbox = Sandbox::with(&[("proofmark.toml", "[limits]\ntext_bytes = 100\n")]);
    sandbox.write("a.md", "a\n".repeat(80));
    let run = sandbox.run(&["check", "a.md", "--format", "concise"]);
    assert!(run.stdout.contains("the text has 160 bytes, more than the limit of 100"), "{}", run.stdout);
    let piped = sandbox.feed(&["check", "-", "--kind", "markdown", "--format", "concise"], "a\n".repeat(80));
    assert!(piped.stdout.contains("the text has 160 bytes"), "{}", piped.stdout);
    let results = sandbox.batch(&[], &[json!({"id": 1, "kind": "markdown", "text": "a\n".repeat(80)})]);
    assert_eq!(results[0]["diagnostics"][0]["id"], "PM004");
}

#[cfg(unix)]
#[test]
fn only_regular_files_are_opened() {
    use std::os::unix::{fs::symlink, net::UnixListener};
    let sandbox = Sandbox::with(&[("a.md", FINE)]);
    symlink("loop.md", sandbox.path("loop.md")).unwrap();
    symlink("nowhere", sandbox.path("dangling.md")).unwrap();
    symlink("a.md", sandbox.path("link.md")).unwrap();
    let _socket = UnixListener::bind(sandbox.path("socket.md")).unwrap();
    let shown = |path: &str| sandbox.run(&["check", path, "--format", "concise"]).stdout;
    assert!(shown("loop.md").contains("leads in a circle"), "{}", shown("loop.md"));
    assert!(shown("dangling.md").contains("there is no such file"), "{}", shown("dangling.md"));
    assert!(shown("socket.md").contains("this is a socket, not a file"), "{}", shown("socket.md"));
    assert_eq!(sandbox.run(&["check", "link.md"]).code, 0, "a link to a file is that file");
    assert_eq!(sandbox.ids(&["."]), ["PM001", "PM002"], "in a walk, links that lead nowhere are reported");
}

#[cfg(unix)]
#[test]
fn unreadable_files_and_folders_are_findings() {
    use std::os::unix::fs::PermissionsExt;
    let sandbox = Sandbox::with(&[("a.md", FINE), ("secret/b.md", FINE)]);
    for path in ["a.md", "secret"] {
        fs::set_permissions(sandbox.path(path), fs::Permissions::from_mode(0o000)).unwrap();
    }
    let privileged = fs::read_dir(sandbox.path("secret")).is_ok();
    let ids = sandbox.ids(&["."]);
    for path in ["a.md", "secret"] {
        fs::set_permissions(sandbox.path(path), fs::Permissions::from_mode(0o755)).unwrap();
    }
    if !privileged {
        assert_eq!(ids, ["PM001", "PM001"]);
    }
}

// ---- check ---------------------------------------------------------------------------------------

#[test]
fn a_walk_sees_what_git_sees_and_what_the_configuration_includes() {
    let sandbox = Sandbox::with(&[
        ("a.md", BROKEN),
        ("ignored/b.md", BROKEN),
        (".hidden/c.md", BROKEN),
        ("drafts/d.md", BROKEN),
        (".gitignore", "ignored/\n"),
        ("proofmark.toml", "[files]\nexclude = [\"drafts\"]\n"),
    ]);
    let run = sandbox.run(&["check", "--format", "concise"]);
    assert!(run.stdout.starts_with("a.md:2:"), "{}", run.stdout);
    assert!(run.stdout.contains("1 error in 1 of 2 files"), "{}", run.stdout);
    assert_eq!(sandbox.run(&["check", "drafts/d.md"]).code, 1, "a file that is named is checked");
}

#[test]
fn a_file_that_is_named_twice_is_checked_once() {
    let sandbox = Sandbox::with(&[("docs/a.md", BROKEN)]);
    let run = sandbox.run(&["check", "docs/a.md", "docs", "./docs/../docs/a.md", "--format", "concise"]);
    assert!(run.stdout.contains("1 error in 1 file"), "{}", run.stdout);
}

#[test]
fn results_are_the_same_with_any_number_of_threads() {
    let sandbox = Sandbox::new();
    for number in 0..60 {
        sandbox
            .write(&format!("{}/{number}.md", number % 7), if number % 3 == 0 { BROKEN } else { DOUBTFUL });
    }
    let one = sandbox.run(&["check", "--jobs", "1", "--format", "json"]);
    for jobs in ["2", "5"] {
        let many = sandbox.run(&["check", "--jobs", jobs, "--format", "json"]);
        assert_eq!(one.stdout, many.stdout);
    }
}

#[test]
fn standard_input_takes_its_kind_from_its_name() {
    let sandbox = Sandbox::new();
    let run = sandbox.feed(&["check", "-", "--stdin-filename", "docs/x.md", "--format", "concise"], BROKEN);
    assert_eq!(run.code, 1);
    assert!(run.stdout.starts_with("docs/x.md:2:"), "{}", run.stdout);
}

#[test]
fn rules_are_selected_by_id_prefix_name_tag_or_pack() {
    let sandbox = Sandbox::with(&[("a.md", BROKEN), ("w.md", DOUBTFUL)]);
    let all = sandbox.ids(&["."]);
    assert_eq!(all.len(), 2, "{all:?}");
    assert_eq!(sandbox.ids(&["--select", &all[0]]), [all[0].as_str()]);
    assert_eq!(sandbox.ids(&["--select", "MD"]), [all[1].as_str()]);
    assert_eq!(sandbox.ids(&["--ignore", "hidden-character"]), [all[0].as_str()]);
    assert_eq!(sandbox.ids(&["--ignore", "all"]), [""; 0]);
}

#[test]
fn a_baseline_takes_known_findings_out_of_the_verdict() {
    let sandbox = Sandbox::with(&[("a.md", BROKEN)]);
    assert_eq!(sandbox.run(&["check", "--write-baseline", "known.json"]).code, 0);
    let run = sandbox.run(&["check", "--baseline", "known.json"]);
    assert_eq!(run.code, 0, "{}", run.stdout);
    assert!(run.stdout.contains("1 suppressed"), "{}", run.stdout);
    sandbox.write("b.md", BROKEN.replace("year", "month"));
    assert_eq!(sandbox.run(&["check", "--baseline", "known.json"]).code, 1);
    sandbox.write("known.json", "{}");
    assert_eq!(sandbox.run(&["check", "--baseline", "known.json"]).code, 2);
}

#[test]
fn a_configured_baseline_is_written_for_the_first_time_and_again() {
    let sandbox =
        Sandbox::with(&[("a.md", BROKEN), ("proofmark.toml", "[rules]\nbaseline = \"known.json\"\n")]);
    assert_eq!(sandbox.run(&["check"]).code, 2);
    for _ in 0..2 {
        let run = sandbox.run(&["check", "--write-baseline", "known.json", "a.md"]);
        assert_eq!(run.code, 0, "{}", run.stderr);
        assert_eq!(sandbox.run(&["check", "a.md"]).code, 0);
    }
}

#[test]
fn a_report_in_a_format_that_does_not_exist_is_refused() {
    let sandbox = Sandbox::with(&[("a.md", FINE)]);
    let run = sandbox.run(&["check", "--output", "sarfi=o.sarif"]);
    assert_eq!(run.code, 2);
    assert!(
        run.stderr.contains("there is no format `sarfi`") && run.stderr.contains("did you mean `sarif`?")
    );
    assert!(!sandbox.path("sarfi=o.sarif").exists());
}

#[test]
fn the_most_specific_name_decides_on_the_severity_and_select_keeps_what_is_off() {
    let link = "[a](#nowhere)\n";
    let sandbox = Sandbox::with(&[("a.md", link)]);
    let severity = |rules: &str, arguments: &[&str]| {
        sandbox.write("proofmark.toml", format!("[rules]\n{rules}"));
        let run = sandbox.run(&[&["check", "a.md", "--format", "concise"], arguments].concat());
        let found = ["error", "warning", "note"]
            .into_iter()
            .find(|level| run.stdout.contains(&format!(": {level}: ")));
        found.unwrap_or("nothing").to_owned()
    };
    assert_eq!(severity("", &[]), "warning");
    assert_eq!(severity("MD131 = \"off\"\nall = \"warning\"\n", &[]), "nothing");
    assert_eq!(severity("MD131 = \"error\"\nlink = \"note\"\n", &[]), "error");
    assert_eq!(severity("link = \"error\"\nMD = \"note\"\n", &[]), "error");
    assert_eq!(severity("MD13 = \"error\"\nMD = \"note\"\nmarkdown = \"note\"\n", &[]), "error");
    assert_eq!(severity("ignore = [\"MD131\"]\n", &["--select", "MD"]), "nothing");
    assert_eq!(severity("ignore = [\"MD131\"]\n", &["--extend", "MD131"]), "warning");
    assert_eq!(
        severity("[[rules.override]]\nfiles = [\"a.md\"]\nignore = [\"MD131\"]\n", &["--select", "MD"]),
        "nothing"
    );
}

#[test]
fn findings_over_the_limit_are_counted() {
    let sandbox = Sandbox::with(&[("a.md", BROKEN), ("b.md", BROKEN), ("c.md", BROKEN)]);
    let run = sandbox.run(&["check", "--max-diagnostics", "2", "--format", "json"]);
    let report: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(report["truncated"], json!({"shown": 2, "total": 3}));
    assert_eq!(run.code, 1);
}

#[test]
fn a_report_can_go_to_a_file() {
    let sandbox = Sandbox::with(&[("a.md", BROKEN)]);
    let run = sandbox.run(&["check", "--format", "sarif", "--output", "out.sarif", "a.md"]);
    assert_eq!((run.code, run.stdout.as_str()), (1, ""));
    let sarif: Value = serde_json::from_str(&sandbox.read("out.sarif")).unwrap();
    assert_eq!(sarif["runs"][0]["results"].as_array().unwrap().len(), 1);
}

#[test]
fn statistics_and_timing_are_printed_besides_the_report() {
    let sandbox = Sandbox::with(&[("a.md", BROKEN), ("b.md", BROKEN)]);
    let id = &sandbox.ids(&["a.md"])[0];
    let run = sandbox.run(&["check", "--statistics", "--format", "concise"]);
    assert!(run.stdout.contains(&format!("2  {id}")), "{}", run.stdout);
    let run = sandbox.run(&["check", "--statistics", "--timing", "--format", "json"]);
    serde_json::from_str::<Value>(&run.stdout).unwrap();
    assert!(run.stderr.contains("slowest rules") && run.stderr.contains(" ms a.md"), "{}", run.stderr);
}

#[test]
fn colours_are_for_terminals_and_for_those_who_ask() {
    let sandbox = Sandbox::with(&[("a.md", BROKEN)]);
    let colored = |arguments: &[&str], variable: Option<&str>| {
        let mut command = sandbox.command(arguments);
        if let Some(variable) = variable {
            command.env(variable, "1");
        }
        command.output().unwrap().stdout.contains(&0x1B)
    };
    assert!(!colored(&["check"], None));
    assert!(colored(&["check", "--color", "always"], None));
    assert!(colored(&["check"], Some("CLICOLOR_FORCE")));
    assert!(!colored(&["check"], Some("NO_COLOR")));
}

#[test]
fn a_closed_output_pipe_is_not_a_failure() {
    let sandbox = Sandbox::new();
    for number in 0..300 {
        sandbox.write(&format!("{number}.md"), BROKEN);
    }
    let mut child =
        sandbox.command(&["check"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut first = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut first).unwrap();
    let mut shown = String::new();
    child.stderr.take().unwrap().read_to_string(&mut shown).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert_eq!(shown, "");
}

// ---- fix -----------------------------------------------------------------------------------------

#[test]
fn templates_are_read_as_such_and_no_fix_touches_their_actions() {
    let files = [("chart/Chart.yaml", "name: c\n"), ("chart/templates/a.yaml", CHART), ("b.yaml", "a: 1\n")];
    let sandbox = Sandbox::with(&files);
    let run = sandbox.run(&["check"]);
    assert_eq!((run.code, run.stdout.as_str()), (0, "3 files checked, nothing found\n"));
    assert!(run.stderr.starts_with("note: 1 file was read as a template: "), "{}", run.stderr);
    assert_eq!(sandbox.run(&["check", "--quiet"]).stderr, "");
    // What does not depend on actions is checked: a second key, and a colon in a value.
    let wrong = CHART.replace("kind: ConfigMap\n", "kind: ConfigMap\nkind: Secret\nnote: a: b\n");
    sandbox.write("chart/templates/a.yaml", &wrong);
    let run = sandbox.run(&["check", "--format", "concise"]);
    assert_eq!(run.code, 1);
    assert!(
        run.stdout.contains("a.yaml:4:1: error") && run.stdout.contains("a.yaml:5:8: error"),
        "{}",
        run.stdout
    );
    sandbox.run(&["fix", "--unsafe", "--exit-zero"]);
    let fixed = sandbox.read("chart/templates/a.yaml");
    assert!(fixed.contains("note: \"a: b\"\n") && fixed.contains("  name: {{ .Values.name }}\n"), "{fixed}");
    // The configuration decides.
    sandbox.write("chart/templates/a.yaml", CHART);
    sandbox.write("proofmark.toml", "[files]\ntemplates = \"never\"\n");
    assert_eq!(sandbox.run(&["check"]).code, 1);
    sandbox.write("proofmark.toml", "[files.templates]\n\"chart/**\" = \"always\"\n\"**\" = \"never\"\n");
    assert_eq!(sandbox.run(&["check"]).code, 0);
}

#[test]
fn templates_of_other_engines_are_recognized_by_name_and_content() {
    let files = [
        ("a.yaml.j2", "{% for x in y %}\n- {{ x }}\n{% endfor %}\n"),
        ("b.yml", "{% if a %}\nb: {{ c }}\n{% else %}\nb: 2\n{% endif %}\n"),
        ("c.yaml.erb", "<% if a -%>\nb: <%= c %>\n<% end -%>\n"),
        ("d.yaml.tftpl", "%{ for x in y ~}\n- ${x}\n%{ endfor ~}\n"),
        ("e.json", "{\"a\": {{ .b }}, {{ if .c }}\"d\": 1{{ else }}\"d\": 2{{ end }}}\n"),
        ("f.toml", "a = {{ b }}\n{{#if c}}\nd = 1\n{{/if}}\n"),
        ("g.md", "---\ntitle: \"{{ replace .Name \"-\" \" \" }}\"\ndate: {{ .Date }}\n---\n\n# T\n"),
        ("h-template.yaml", "cell: {{cell}}\n"),
    ];
    let sandbox = Sandbox::with(&files);
    for (file, _) in files {
        let run = sandbox.run(&["check", file, "--format", "concise"]);
        assert_eq!((run.code, run.stdout.as_str()), (0, "1 file checked, nothing found\n"), "{file}");
        assert!(run.stderr.contains("1 file was read as a template"), "{file}: {}", run.stderr);
    }
    // A playbook whose author forgot quotes is not a template.
    sandbox.write("play.yaml", "- hosts: \"{{ a }}\"\n  become: {{ b }}\n");
    let run = sandbox.run(&["check", "play.yaml", "--format", "concise"]);
    assert!(run.stdout.contains("YM417") && run.stderr.is_empty(), "{}{}", run.stdout, run.stderr);
    assert_eq!(sandbox.run(&["fix", "play.yaml", "--quiet"]).code, 0);
    assert!(sandbox.read("play.yaml").contains("become: {{ b }}"));
}

#[test]
fn a_fix_adds_no_error_of_a_rule_that_is_not_selected() {
    let rule = "version: 1\nrules:\n  - id: TT001\n    name: level-name\n    severity: error\n    since: 0.1.0\n    given: $.level\n    check: {one_of: [warning, \"off\"]}\n    \
                message: m\n    fix: {applicability: safe, replace: FIX}\n    explain: |\n      A level has a name that is known.\n\n      Others do nothing.\n\n      Use it.\n    examples:\n      \
                - invalid: {source: \"level: wrning\\n\"}\n      - valid: {source: \"level: warning\\n\"}\n";
    let pack = "version: 1\nname: tt\ndescription: d\nprefix: TT\nkinds: [json, yaml]\n";
    let files = [
        ("a.json", "{\"level\": \"wrning\"}\n"),
        ("p/pack.yaml", pack),
        ("proofmark.toml", "[packs]\npaths = [\"p\"]\n"),
    ];
    let sandbox = Sandbox::with(&files);
    // As it is written, the text would not be JSON any more.
    sandbox.write("p/a.yaml", rule.replace("FIX", "warning"));
    sandbox.run(&["fix", "--select", "TT", "a.json"]);
    assert_eq!(sandbox.read("a.json"), files[0].1);
    // What a placeholder gives is a string.
    for fix in ["\"{{ nearest }}\"", "\"{{ nearest }}\", at: self"] {
        sandbox.write("a.json", files[0].1);
        sandbox.write("p/a.yaml", rule.replace("FIX", fix));
        sandbox.run(&["fix", "--select", "TT", "a.json"]);
        assert_eq!(sandbox.read("a.json"), "{\"level\": \"warning\"}\n");
    }
    // In the quotes that YAML needs for a word which is a boolean to some readers.
    sandbox.write("b.yaml", "level: of\n");
    sandbox.run(&["fix", "--select", "TT", "b.yaml"]);
    assert_eq!(sandbox.read("b.yaml"), "level: \"off\"\n");
}

#[test]
fn fix_changes_once_and_then_finds_nothing_to_do() {
    let sandbox = Sandbox::with(&[("a.md", BROKEN), ("b.md", FINE)]);
    let run = sandbox.run(&["fix"]);
    assert_eq!(run.code, 0, "{}", run.stdout);
    assert!(run.stdout.starts_with("fixed a.md:2: "), "{}", run.stdout);
    assert!(run.stdout.contains("1 fix in 1 file applied"), "{}", run.stdout);
    assert_eq!(sandbox.read("a.md"), FIXED);
    let again = sandbox.run(&["fix"]);
    assert!(again.stdout.contains("0 fixes in 0 files applied"), "{}", again.stdout);
    assert_eq!(sandbox.read("a.md"), FIXED);
}

#[test]
fn fix_keeps_line_ends_byte_order_mark_and_the_last_line() {
    for text in [
        BROKEN.replace('\n', "\r\n"),
        BROKEN.trim_end().to_owned(),
        format!("{BROKEN}\n\ntext with \t tabs  \nand no end"),
    ] {
        let sandbox = Sandbox::with(&[("a.md", &text)]);
        sandbox.run(&["fix", "--select", "YM"]);
        let wanted = text.replace("title: Report: the year", "title: \"Report: the year\"");
        assert_eq!(sandbox.read("a.md"), wanted);
    }
    let text = "\u{FEFF}# A report\r\n\r\n```text\r\nb\r\n";
    let sandbox = Sandbox::with(&[("a.md", text)]);
    sandbox.run(&["fix", "--unsafe", "--select", "unclosed-fence"]);
    assert_eq!(sandbox.read("a.md"), format!("{text}```\r\n"));
}

#[cfg(unix)]
#[test]
fn fix_keeps_permissions_and_links_and_leaves_read_only_files() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let sandbox = Sandbox::with(&[("real.txt", BROKEN), ("fixed.md", BROKEN)]);
    fs::set_permissions(sandbox.path("real.txt"), fs::Permissions::from_mode(0o640)).unwrap();
    symlink("real.txt", sandbox.path("a.md")).unwrap();
    assert_eq!(sandbox.run(&["fix", "a.md"]).code, 0);
    assert!(sandbox.path("a.md").symlink_metadata().unwrap().is_symlink());
    assert_eq!(sandbox.read("real.txt"), FIXED);
    assert_eq!(sandbox.path("real.txt").metadata().unwrap().permissions().mode() & 0o777, 0o640);
    fs::set_permissions(sandbox.path("fixed.md"), fs::Permissions::from_mode(0o440)).unwrap();
    let run = sandbox.run(&["fix", "fixed.md"]);
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("cannot write `fixed.md`"), "{}", run.stderr);
    assert_eq!(sandbox.read("fixed.md"), BROKEN);
    let names: Vec<_> = fs::read_dir(sandbox.path("")).unwrap().flatten().map(|e| e.file_name()).collect();
    assert_eq!(names.len(), 3, "no temporary file remains: {names:?}");
}

#[test]
fn fix_with_diff_shows_and_changes_nothing() {
    let sandbox = Sandbox::with(&[("a.md", BROKEN)]);
    let run = sandbox.run(&["fix", "--diff"]);
    assert_eq!(run.code, 1);
    assert!(run.stdout.starts_with("--- a/a.md\n+++ b/a.md\n@@"), "{}", run.stdout);
    assert!(
        run.stdout.contains("-title: Report: the year\n+title: \"Report: the year\"\n"),
        "{}",
        run.stdout
    );
    assert_eq!(sandbox.read("a.md"), BROKEN);
    sandbox.write("a.md", FINE);
    assert_eq!(sandbox.run(&["fix", "--diff"]).code, 0);
}

#[test]
fn fix_with_diff_says_what_unsafe_fixes_would_add() {
    let sandbox = Sandbox::with(&[("a.yaml", "a: A: b\non: yes\n")]);
    let more = "1 fixable with `proofmark fix --unsafe`";
    assert!(
        sandbox.run(&["check"]).stdout.contains("1 fixable with `proofmark fix`, 1 more with `--unsafe`")
    );
    let run = sandbox.run(&["fix", "--diff"]);
    assert!(run.stderr.ends_with(&format!("1 fix in 1 file would be applied; {more}\n")), "{}", run.stderr);
    let run = sandbox.run(&["fix", "--diff", "--unsafe"]);
    assert!(run.stderr.ends_with("2 fixes in 1 file would be applied\n"), "{}", run.stderr);
    assert!(sandbox.run(&["fix"]).stdout.contains(more));
}

#[test]
fn fix_of_standard_input_gives_the_text_alone() {
    let sandbox = Sandbox::new();
    let run = sandbox.feed(&["fix", "-", "--kind", "markdown"], BROKEN);
    assert_eq!((run.code, run.stdout.as_str()), (0, FIXED));
    assert!(run.stderr.contains("fixed <stdin>:2:"), "{}", run.stderr);
}

// ---- batch ---------------------------------------------------------------------------------------

#[test]
fn batch_answers_every_record_in_order() {
    let sandbox = Sandbox::new();
    let records: Vec<Value> = (0..3000)
        .map(|id| json!({"id": id, "kind": "markdown", "text": if id % 3 == 0 { BROKEN } else { FINE }}))
        .collect();
    for jobs in ["1", "4"] {
        let results = sandbox.batch(&["--jobs", jobs], &records);
        assert_eq!(results.len(), 3000);
        for (id, result) in results.iter().enumerate() {
            assert_eq!(result["id"], id);
            assert_eq!(result["valid"], id % 3 != 0);
        }
    }
}

#[test]
fn a_record_that_cannot_be_validated_gets_its_own_answer() {
    let sandbox = Sandbox::with(&[("a.md", FINE)]);
    let input = [
        r#"{"id": 1, "kind": "markdown", "text": "x"}"#,
        r#"{"id": 2, "kind": "pdf", "text": "x"}"#,
        "not json",
        "",
        r#"{"id": 3, "text": "x"}"#,
        r#"{"id": 4, "kind": "markdown"}"#,
        r#"{"id": 5, "path": "a.md"}"#,
        r#"{"id": 6, "kind": "markdown", "txt": "x"}"#,
        r#"{"id": 7, "kind": "markdown", "text": "x", "emit": ["everything"]}"#,
        "{\"id\": 8, \"kind\": \"markdown\", \"text\": \"\u{FFFD}\"",
        r#"{"id": "last", "kind": "markdown", "text": "x"}"#,
    ]
    .join("\n");
    let run = sandbox.feed(&["batch"], input);
    assert_eq!(run.code, 1);
    let results: Vec<Value> = run.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let shown: Vec<(Value, Value)> = results.iter().map(|r| (r["id"].clone(), r["line"].clone())).collect();
    let lines = [2, 3, 5, 6, 7, 8, 9, 10];
    assert_eq!(shown.len(), 10);
    assert_eq!(shown[0], (json!(1), Value::Null));
    for (result, line) in results[1..9].iter().zip(lines) {
        assert_eq!(result["line"], line);
        assert_eq!((&result["valid"], &result["diagnostics"]), (&json!(false), &json!([])));
    }
    assert_eq!(shown[9], (json!("last"), Value::Null));
    let error = |index: usize| results[index]["error"].as_str().unwrap();
    assert!(error(1).contains("there is no kind `pdf`") && error(1).contains("markdown"), "{}", error(1));
    assert!(error(6).contains("unknown field `txt`"), "{}", error(6));
    assert_eq!(results[6]["id"], 6, "the id is reported where it can be read");
}

#[test]
fn batch_reads_files_below_its_roots_and_no_others() {
    let sandbox = Sandbox::with(&[("docs/a.md", BROKEN), ("secret.md", FINE)]);
    #[cfg(unix)]
    std::os::unix::fs::symlink("../secret.md", sandbox.path("docs/link.md")).unwrap();
    let absolute = sandbox.path("docs/a.md").to_string_lossy().into_owned();
    let outside = sandbox.path("secret.md").to_string_lossy().into_owned();
    let paths =
        ["docs/a.md", "a.md", &absolute, "../secret.md", "docs/../secret.md", "docs/link.md", &outside];
    let records: Vec<Value> = paths.iter().map(|path| json!({"id": path, "path": path})).collect();
    let results = sandbox.batch(&["--allow-root", "docs"], &records);
    for result in &results[..3] {
        assert_eq!(result["diagnostics"][0]["location"]["line"], 2, "{result}");
    }
    for result in &results[3..] {
        assert_eq!(result["diagnostics"][0]["id"], "PM001", "{result}");
        assert!(!result.to_string().contains("A report"), "{result}");
    }
}

#[test]
fn batch_emits_tree_fields_and_fixed_text() {
    let sandbox = Sandbox::new();
    let record = json!({"id": 1, "kind": "markdown", "text": FINE, "emit": ["tree", "fields"]});
    let results = sandbox.batch(&[], &[record]);
    assert_eq!(results[0]["tree"]["frontmatter"]["title"], "A report");
    assert_eq!(results[0]["fields"]["title"], "A report");
    assert!(results[0].get("fixed").is_none());
    let record = json!({"id": 1, "kind": "markdown", "text": BROKEN, "emit": ["fixed"]});
    let results = sandbox.batch(&[], &[record]);
    assert_eq!((&results[0]["fixed"], &results[0]["valid"]), (&json!(FIXED), &json!(false)));
    assert_eq!(results[0]["remaining"], json!([]));
    assert_eq!(results[0]["applied"][0]["line"], 2);
    let record = json!({"id": 1, "kind": "markdown", "text": BROKEN});
    assert_eq!(sandbox.batch(&["--fix"], &[record])[0]["fixed"], FIXED);
}

#[test]
fn batch_answers_as_soon_as_a_record_is_there() {
    let sandbox = Sandbox::new();
    for jobs in ["1", "3"] {
        let mut child = sandbox
            .command(&["batch", "--jobs", jobs])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut input = child.stdin.take().unwrap();
        let mut results = BufReader::new(child.stdout.take().unwrap()).lines();
        for id in 0..3 {
            writeln!(input, "{}", json!({"id": id, "kind": "markdown", "text": FINE})).unwrap();
            let result: Value = serde_json::from_str(&results.next().unwrap().unwrap()).unwrap();
            assert_eq!(result["id"], id);
        }
        drop(input);
        assert_eq!(child.wait().unwrap().code(), Some(0));
    }
}

// ---- snapshot ------------------------------------------------------------------------------------

#[test]
fn snapshots_are_pinned_compared_and_removed() {
    let sandbox = Sandbox::with(&[("docs/a.md", BROKEN), ("docs/b.md", FINE)]);
    let run = sandbox.run(&["snapshot", "docs"]);
    assert_eq!(run.code, 1, "missing");
    assert!(run.stdout.contains("missing: docs/a.md.proofmark.txt"), "{}", run.stdout);
    assert_eq!(sandbox.run(&["snapshot", "docs", "--update"]).code, 0);
    insta::assert_snapshot!(sandbox.read("docs/a.md.proofmark.txt"));
    assert_eq!(sandbox.run(&["snapshot", "docs"]).code, 0);
    sandbox.write("docs/a.md", FINE);
    fs::remove_file(sandbox.path("docs/b.md")).unwrap();
    let run = sandbox.run(&["snapshot", "docs"]);
    assert_eq!(run.code, 1);
    assert!(run.stdout.contains("changed: docs/a.md.proofmark.txt") && run.stdout.contains("+no findings"));
    assert!(run.stdout.contains("stale: docs/b.md.proofmark.txt"), "{}", run.stdout);
    assert_eq!(sandbox.run(&["snapshot", "docs", "--update"]).code, 0);
    assert!(!sandbox.path("docs/b.md.proofmark.txt").exists());
    assert_eq!(sandbox.run(&["snapshot", "docs"]).code, 0);
}

#[test]
fn snapshots_in_a_folder_are_the_same_text() {
    let sandbox = Sandbox::with(&[("docs/a.md", BROKEN)]);
    sandbox.run(&["snapshot", "docs", "--update"]);
    sandbox.run(&["snapshot", "docs", "--update", "--folder", "pinned"]);
    assert_eq!(sandbox.read("docs/a.md.proofmark.txt"), sandbox.read("pinned/docs/a.md.proofmark.txt"));
    fs::remove_file(sandbox.path("docs/a.md")).unwrap();
    let run = sandbox.run(&["snapshot", "docs", "--folder", "pinned"]);
    assert_eq!(run.code, 1);
    assert!(run.stdout.contains("stale: pinned/docs/a.md.proofmark.txt"), "{}", run.stdout);
}

// ---- rules ---------------------------------------------------------------------------------------

#[test]
fn explain_says_what_why_and_how() {
    let sandbox = Sandbox::new();
    let run = sandbox.run(&["explain", "YM101"]);
    assert_eq!(run.code, 0);
    insta::assert_snapshot!(run.stdout);
    // As reports show it, and as it is typed.
    for written in ["YM101 yaml-unquoted-colon", "ym101"] {
        assert_eq!(sandbox.run(&["explain", written]).stdout, run.stdout, "{written}");
    }
    let by_name = sandbox.run(&["explain", "yaml-unquoted-colon", "--format", "json"]);
    let shown: Value = serde_json::from_str(&by_name.stdout).unwrap();
    assert_eq!(shown["id"], "YM101");
    for part in ["what", "why", "how_to_fix"] {
        assert!(shown[part].as_str().is_some_and(|text| text.len() > 10), "{part}");
    }
    assert!(sandbox.run(&["explain", "YM101", "--format", "markdown"]).stdout.starts_with("# YM101 "));
}

#[test]
fn a_new_pack_passes_its_tests_and_works() {
    let sandbox = Sandbox::new();
    let run = sandbox.run(&["rules", "new", "packs/catalogue", "PC001", "--name", "has-title"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let run = sandbox.run(&["rules", "test", "packs/catalogue"]);
    assert_eq!(run.code, 0, "{}", run.stdout);
    assert!(run.stderr.contains("1 rule in 2 files, 2 examples: all passed"), "{}", run.stderr);
    sandbox.write("proofmark.toml", "[packs]\npaths = [\"packs/catalogue\"]\n");
    sandbox.write("a.md", "---\nauthor: Ada\n---\n");
    assert_eq!(sandbox.ids(&["a.md"]), ["PC001"]);
    assert_eq!(sandbox.run(&["rules", "test"]).code, 0);
    assert_eq!(sandbox.run(&["rules", "test", "packs"]).code, 0, "a folder of packs");
    let trace = sandbox.run(&["rules", "trace", "has-title", "a.md"]);
    assert!(trace.stdout.contains("1 selected, 1 reported"), "{}", trace.stdout);
    assert!(trace.stdout.contains("finding 2:1: the document has no `title`"), "{}", trace.stdout);
    let trace = sandbox.run(&["rules", "trace", "has-title", "a.md:9"]);
    assert!(!trace.stdout.contains("finding"), "{}", trace.stdout);
    sandbox.run(&["rules", "new", "packs/catalogue", "PC002"]);
    assert_eq!(sandbox.run(&["rules", "test", "packs/catalogue"]).code, 0, "a second rule");
}

#[test]
fn a_folder_takes_the_place_of_the_built_in_pack_of_its_name_and_of_no_other() {
    let sandbox = Sandbox::new();
    let run = sandbox.run(&["rules", "test", concat!(env!("CARGO_MANIFEST_DIR"), "/rules/config")]);
    let shown = run.stderr.trim_start();
    assert!(run.code == 0 && shown.contains(" rules in ") && !shown.starts_with("0 "), "{shown}");
    sandbox.run(&["rules", "new", "one/same", "PC001"]);
    sandbox.run(&["rules", "new", "two/same", "PD001"]);
    sandbox.write("proofmark.toml", "[packs]\npaths = [\"one/same\", \"two/same\"]\n");
    sandbox.write("a.md", "text\n");
    let run = sandbox.run(&["check", "a.md"]);
    assert!(run.code == 2 && run.stderr.contains("has the name of another pack, `same`"), "{}", run.stderr);
}

#[test]
fn rules_new_refuses_what_is_taken_or_no_id() {
    let sandbox = Sandbox::new();
    sandbox.run(&["rules", "new", "pack", "PC001"]);
    for (arguments, shown) in [
        (&["pack", "PC001"][..], "has a rule `PC001` already"),
        (&["pack", "PD001"], "start with PC"),
        (&["other", "FM001"], "belong to the built-in pack `markdown`"),
        (&["other", "pc1"], "is not a valid id for a rule"),
        (&["other", "PC001", "--name", "Bad Name"], "is not a valid name for a rule"),
    ] {
        let run = sandbox.run(&[&["rules", "new"], arguments].concat());
        assert_eq!(run.code, 2);
        assert!(run.stderr.contains(shown), "{}", run.stderr);
    }
    assert!(!sandbox.path("other").exists(), "nothing is written");
}

#[test]
fn rules_test_reports_the_errors_in_a_pack_with_positions() {
    let sandbox = Sandbox::new();
    sandbox.run(&["rules", "new", "pack", "PC001"]);
    let rule = sandbox.read("pack/new-pc001.yaml");
    sandbox.write("pack/new-pc001.yaml", rule.replace("{required: title}", "{required: author}"));
    let run = sandbox.run(&["rules", "test", "pack", "--format", "concise"]);
    assert_eq!(run.code, 1);
    assert!(run.stdout.contains("pack/new-pc001.yaml:30:9: error: PC001 reports nothing"), "{}", run.stdout);
    assert!(run.stdout.contains("RF053"), "{}", run.stdout);
    assert_eq!(sandbox.run(&["rules", "test", "nowhere"]).code, 2);
    assert_eq!(sandbox.run(&["rules", "test", "."]).code, 1, "a folder that holds packs");
}

#[test]
fn generated_pages_and_schemas_are_compared() {
    let sandbox = Sandbox::new();
    for generator in ["docs", "schema"] {
        assert_eq!(sandbox.run(&["rules", generator, "--check"]).code, 1);
        assert_eq!(sandbox.run(&["rules", generator]).code, 0);
        assert_eq!(sandbox.run(&["rules", generator, "--check"]).code, 0);
    }
    sandbox.write("docs/rules/old.md", "");
    let run = sandbox.run(&["rules", "docs", "--check"]);
    assert_eq!(run.code, 1);
    assert!(run.stdout.contains("not generated: docs/rules/old.md"), "{}", run.stdout);
    assert_eq!(sandbox.run(&["rules", "docs"]).code, 0);
    assert!(!sandbox.path("docs/rules/old.md").exists());
}

#[test]
fn lists_are_for_people_and_for_programs() {
    let sandbox = Sandbox::new();
    let rules = sandbox.run(&["rules", "list", "--kind", "markdown"]).stdout;
    assert!(rules.lines().count() > 50 && rules.contains("FM101"), "{rules}");
    let rules = sandbox.run(&["rules", "list", "--tag", "suppression", "--format", "json"]).stdout;
    let rules: Value = serde_json::from_str(&rules).unwrap();
    assert!(rules.as_array().unwrap().iter().all(|rule| rule["id"].as_str().unwrap().starts_with("PM")));
    let kinds = sandbox.run(&["kinds"]).stdout;
    assert!(kinds.contains("markdown") && kinds.contains("*.md"), "{kinds}");
    let kind = sandbox.run(&["kinds", "markdown", "--format", "json"]).stdout;
    let kind: Value = serde_json::from_str(&kind).unwrap();
    assert!(kind["tree"]["properties"]["frontmatter"].is_object());
}

#[test]
fn init_writes_a_configuration_that_changes_nothing_and_is_never_overwritten() {
    let sandbox = Sandbox::with(&[("a.md", BROKEN)]);
    let before = sandbox.run(&["check", "a.md"]).stdout;
    assert_eq!(sandbox.run(&["init"]).code, 0);
    assert_eq!(sandbox.ids(&["proofmark.toml"]), [""; 0]);
    assert_eq!(sandbox.run(&["check", "a.md"]).stdout, before);
    let run = sandbox.run(&["init"]);
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("`proofmark.toml` already exists"), "{}", run.stderr);
}

#[test]
fn completions_name_the_commands() {
    for shell in ["bash", "zsh", "fish"] {
        let run = Sandbox::new().run(&["completions", shell]);
        assert_eq!(run.code, 0);
        assert!(run.stdout.contains("snapshot"), "{shell}");
    }
}

#[test]
fn man_writes_one_page_per_command() {
    let sandbox = Sandbox::new();
    let run = sandbox.run(&["man", "--each", "pages"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let page = |name: &str| std::fs::read_to_string(sandbox.path("pages").join(name)).unwrap();
    assert!(page("proofmark.1").contains("proofmark\\-check(1)"), "{}", page("proofmark.1"));
    assert!(page("proofmark-rules-test.1").contains("\\-\\-coverage"));
    assert_eq!(sandbox.run(&["man", "rules", "test"]).stdout, page("proofmark-rules-test.1"));
}

#[test]
fn man_names_the_similar_command() {
    let run = Sandbox::new().run(&["man", "rules", "tset"]);
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("`proofmark rules` has no command `tset`"), "{}", run.stderr);
    assert!(run.stderr.contains("did you mean `test`?"), "{}", run.stderr);
}

// Features bring commands, and the help names them all.
#[cfg(all(feature = "lsp", feature = "mcp", feature = "render"))]
#[test]
fn help_teaches() {
    use std::fmt::Write as _;
    let sandbox = Sandbox::new();
    let commands: [&[&str]; 9] = [
        &[],
        &["check"],
        &["fix"],
        &["batch"],
        &["snapshot"],
        &["explain"],
        &["rules"],
        &["rules", "test"],
        &["rules", "new"],
    ];
    let mut text = String::new();
    for command in commands {
        let run = sandbox.run(&[command, &["--help"]].concat());
        assert_eq!(run.code, 0);
        let _ = write!(text, "$ proofmark {} --help\n{}\n", command.join(" "), run.stdout);
    }
    insta::assert_snapshot!(text);
}

#[cfg(feature = "render")]
#[test]
fn rendering_without_the_render_worker_exits_2_with_a_hint() {
    let letter =
        "---\nQUILL: letter\nsender: Ada\nrecipient: Charles\nsubject: Note G\n---\n\nDear Babbage.\n";
    let sandbox = Sandbox::with(&[("letter.md", letter)]);
    for arguments in [["render", "letter.md"], ["quills", "check"]] {
        let mut command = sandbox.command(&arguments);
        let output = command.env("PROOFMARK_RENDER_WORKER", "/nonexistent/worker").output().unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{stderr}");
        let (error, hint) = stderr.trim_end().split_once('\n').unwrap();
        assert_eq!(
            error,
            "error: documents are rendered by the program `proofmark-render`, which is not installed"
        );
        assert!(hint.starts_with("hint: install the package `proofmark-render`, or build"), "{hint}");
    }
    let run = sandbox.run(&["check", "--builtin-quills", "letter.md"]);
    assert_eq!(run.code, 0, "documents are validated without it: {}", run.stdout);
}

// ---- review of fixes -----------------------------------------------------------------------------

#[test]
fn a_review_shows_changes_and_decisions_and_writes_nothing_else_with_diff() {
    let text = "# A <b>\n\n```mermaid\nflowchart LR\n    A -> B\n```\n";
    let sandbox = Sandbox::with(&[("a.md", text), ("fine.md", FINE)]);
    let run = sandbox.run(&["fix", "--unsafe", "--diff", "--review", "review.html", "."]);
    assert_eq!(run.code, 1, "{}{}", run.stdout, run.stderr);
    assert_eq!(sandbox.read("a.md"), text);
    let page = sandbox.read("review.html");
    for part in [
        "1 fix in 1 file, not written yet",
        "look at it",
        "MM031",
        "A -&gt; B",
        "A --&gt; B",
        "Diagram on line 4",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
    assert!(!page.contains("fine.md") && !page.contains("<script"), "{page}");
}

#[test]
fn a_review_does_not_replace_a_document_or_a_file_of_another_type() {
    let sandbox = Sandbox::with(&[("a.md", BROKEN), ("notes.html", "<p>mine</p>")]);
    let run = sandbox.run(&["fix", "--review", "a.md", "a.md"]);
    assert_eq!(run.code, 2, "{}", run.stderr);
    assert_eq!(sandbox.read("a.md"), BROKEN);
    let run = sandbox.run(&["fix", "--review", "review.html", "a.md"]);
    assert!(sandbox.read("review.html").contains("1 fix in 1 file."), "{}", run.stderr);
    assert_eq!(sandbox.read("a.md"), FIXED);
}
