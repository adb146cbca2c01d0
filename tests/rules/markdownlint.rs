//! The pack `markdownlint`: the comments and configuration files of that tool.

use crate::sandbox::Sandbox;

const DOCUMENT: &str =
    "# Title\n\n##  Wide\n\n* Item\n\n<b>Bold</b> and a line that is a little longer than forty characters\n";

/// The findings in a document, with its line, where these files are around it.
fn findings(document: &str, files: &[(&str, &str)]) -> Vec<String> {
    let sandbox = Sandbox::with(&[("proofmark.toml", "[rules]\nextend = [\"markdownlint\"]\n")]);
    for (name, text) in files {
        sandbox.write(name, text);
    }
    sandbox.write("page.md", document);
    let run = sandbox.run(&["check", "--format", "jsonl", "--ignore", "MD1", "page.md"]);
    let lines = run.stdout.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
    let found = lines.filter(|line| line["suppressed"].is_null() && line["id"].is_string());
    found.map(|line| format!("{}:{}", line["id"].as_str().unwrap(), line["location"]["line"])).collect()
}

#[test]
fn the_pack_is_off_unless_it_is_asked_for() {
    let sandbox = Sandbox::with(&[("page.md", "#  Title\n")]);
    assert_eq!(sandbox.ids(&["page.md"]), [""; 0]);
    assert_eq!(sandbox.ids(&["--select", "markdownlint", "page.md"]), ["MD019"]);
    sandbox.write("proofmark.toml", "[rules]\nextend = [\"markdownlint\"]\n");
    assert_eq!(sandbox.ids(&["page.md"]), ["MD019"]);
}

#[test]
fn each_spelling_of_a_configuration_is_read() {
    let rules = r#"{"MD033": false, "line-length": {"line_length": 40}}"#;
    let yaml = "MD033: false\nline-length:\n  line_length: 40\n";
    let files = [
        (".markdownlint.json", rules.to_owned()),
        (".markdownlint.jsonc", format!("// Our rules\n{rules}")),
        (".markdownlint.yaml", yaml.to_owned()),
        (".markdownlint-cli2.jsonc", format!(r#"{{"config": {rules}, /* Globs */ "globs": ["*.md"]}}"#)),
        (".markdownlint-cli2.yaml", format!("config:\n  {}\n", yaml.trim_end().replace('\n', "\n  "))),
        ("package.json", format!(r#"{{"name": "site", "markdownlint-cli2": {{"config": {rules}}}}}"#)),
    ];
    assert_eq!(findings(DOCUMENT, &[]), ["MD019:3", "MD033:7"]);
    for (name, text) in files {
        assert_eq!(findings(DOCUMENT, &[(name, &text)]), ["MD019:3", "MD013:7"], "{name}");
    }
}

#[test]
fn severities_of_a_configuration_count() {
    let config = r#"{"MD033": "error", "MD019": {"severity": "warning"}, "MD013": false}"#;
    let files = [
        (".markdownlint.json", config),
        ("page.md", DOCUMENT),
        ("proofmark.toml", "[rules]\nextend = [\"markdownlint\"]\n"),
    ];
    let sandbox = Sandbox::with(&files);
    let run = sandbox.run(&["check", "page.md"]);
    assert!(
        run.code == 1 && run.stdout.contains("error[MD033") && run.stdout.contains("warning[MD019"),
        "{}",
        run.stdout
    );
    // Where `proofmark.toml` names the rule, it decides.
    let own = "[rules]\nextend = [\"markdownlint\"]\n\n[rules.MD033]\nseverity = \"note\"\n";
    sandbox.write("proofmark.toml", own);
    let run = sandbox.run(&["check", "page.md"]);
    assert!(run.code == 0 && run.stdout.contains("note[MD033"), "{}", run.stdout);
    let sandbox = Sandbox::with(&files[..2]);
    assert_eq!(sandbox.run(&["init", "--from", "markdownlint"]).code, 0);
    let written = sandbox.read("proofmark.toml");
    assert!(written.contains("[rules.MD033]\nseverity = \"error\"\n"), "{written}");
}

/// A page of a handbook with what the configurations below are about.
const HANDBOOK: &str = "# Guide\n\n- One\n  - Two\n\n## Notes\n\n### Usage\n\n<details>More</details>\n\n## Other\n\n### Usage\n\nText\twith a tab and a space at the end \n";

#[test]
fn configurations_of_handbooks_are_read_as_they_are_written() {
    let mut found = findings(HANDBOOK, &[]);
    found.sort();
    assert_eq!(found, ["MD009:16", "MD010:16", "MD024:14", "MD033:10"]);
    let json = r#"{
  "$schema": "https://raw.githubusercontent.com/DavidAnson/markdownlint/main/schema/markdownlint-config-schema.json",
  "default": true,
  "MD003": { "style": "atx" },
  "MD007": { "indent": 4 },
  "MD013": { "line_length": 100, "code_blocks": false, "tables": false },
  "no-duplicate-heading": { "siblings_only": true },
  "MD033": { "allowed_elements": ["details", "summary"] },
  "whitespace": false
}
"#;
    let jsonc = r#"{
  // Headings of one section differ; change logs repeat "Fixed".
  "MD024": { "siblings_only": true, },
  /* Tables and links make long lines. */
  "line-length": false,
  "ul": false, // all rules about bullets
  "MD010": { "code_blocks": false },
  "MD033": { "allowed_elements": [ "details" ] },
}
"#;
    let yaml = "# Style of the handbook\ndefault: false\nheading-style:\n  style: atx\nMD007: {indent: 2}\nul-style:\n  style: asterisk\nMD009:\n  br_spaces: 0\nno-inline-html: true\n";
    let cli2 = r#"{
  "config": {
    "extends": "markdownlint/style/prettier",
    "MD013": false,
    "MD024": false,
    "MD010": false
  },
  "customRules": ["./rules/no-todo.mjs"],
  "globs": ["**/*.md", "!node_modules"],
  "ignores": ["CHANGELOG.md"],
  "outputFormatters": [["markdownlint-cli2-formatter-default"]],
  "gitignore": true
}
"#;
    let package = r#"{
  "name": "handbook",
  "private": true,
  "scripts": { "lint": "markdownlint-cli2 \"**/*.md\"" },
  "devDependencies": { "markdownlint-cli2": "^0.20.0" },
  "markdownlint-cli2": {
    "config": {
      "default": true,
      "MD009": false,
      "MD024": { "siblings_only": true },
      "no-inline-html": { "allowed_elements": ["details"] }
    },
    "globs": ["**/*.md", "!vendor"]
  }
}
"#;
    let cases: [(&str, &str, &[&str]); 5] = [
        (".markdownlint.json", json, &["MD007:4"]),
        (".markdownlint.jsonc", jsonc, &["MD009:16", "MD010:16"]),
        (".markdownlint.yaml", yaml, &["MD004:3", "MD004:4", "MD033:10", "MD009:16"]),
        (".markdownlint-cli2.jsonc", cli2, &["MD033:10", "MD009:16"]),
        ("package.json", package, &["MD010:16"]),
    ];
    for (name, text, expected) in cases {
        let mut found = findings(HANDBOOK, &[(name, text)]);
        let mut expected: Vec<String> = expected.iter().map(|one| (*one).to_owned()).collect();
        found.sort();
        expected.sort();
        assert_eq!(found, expected, "{name}");
    }
}

#[test]
fn safe_fixes_leave_the_page_as_it_is() {
    let merged = "# Title\n\n* One\n- Two\n\n1. One\n3. Two\n\n*One* and _two_\n";
    let sandbox = Sandbox::with(&[("page.md", merged)]);
    let run = sandbox.run(&["fix", "--select", "markdownlint", "page.md"]);
    // Equal bullets would make one list of two.
    assert!(run.stdout.contains("it would change what the page shows"), "{}{}", run.stdout, run.stderr);
    let fixed = "# Title\n\n* One\n\n- Two\n\n1. One\n2. Two\n\n*One* and *two*\n";
    assert_eq!(sandbox.read("page.md"), fixed);
    sandbox.run(&["fix", "--unsafe", "--select", "markdownlint", "page.md"]);
    assert_eq!(sandbox.read("page.md"), fixed.replace("- Two", "* Two"));
}

#[test]
fn a_list_gets_its_bullets_at_once() {
    let page = "# Title\n\n- One\n\nText\n\n* Two\n* Three\n  * Four\n\nEnd\n";
    let sandbox = Sandbox::with(&[("page.md", page)]);
    let check = ["check", "--select", "MD004", "--format", "concise", "page.md"];
    let run = sandbox.run(&check);
    assert!(run.stdout.ends_with("; 3 fixable with `proofmark fix`\n"), "{}", run.stdout);
    // No fix is tried for a report that shows none; the findings are the same.
    let quiet = sandbox.run(&[&check[..], &["--quiet"]].concat());
    assert_eq!(quiet.stdout.lines().count(), 3);
    assert!(run.stdout.starts_with(&quiet.stdout), "{} {}", run.stdout, quiet.stdout);
    sandbox.run(&["fix", "--select", "MD004", "page.md"]);
    assert_eq!(sandbox.read("page.md"), page.replace('*', "-"));
}

#[test]
fn what_is_configured_here_decides() {
    let theirs = (".markdownlint.json", r#"{"default": false, "MD013": {"line_length": 40}, "MD019": true}"#);
    assert_eq!(findings(DOCUMENT, &[theirs]), ["MD019:3", "MD013:7"]);
    let own = (
        "proofmark.toml",
        "[rules]\nextend = [\"markdownlint\", \"MD033\"]\nMD019 = \"off\"\n\n[rules.MD013]\nline_length = 200\n",
    );
    assert_eq!(findings(DOCUMENT, &[theirs, own]), ["MD033:7"]);
}

#[test]
fn comments_turn_rules_off_and_on() {
    let page = |comment: &str| {
        format!("# Title\n\n{comment}\n\n##  One\n\n##  Two\n\n<!-- markdownlint-enable -->\n\n##  Three\n")
    };
    let found = |comment: &str| findings(&page(comment), &[]);
    assert_eq!(found("Text"), ["MD019:5", "MD019:7", "MD019:11"]);
    assert_eq!(found("<!-- markdownlint-disable MD019 -->"), ["MD019:11"]);
    assert_eq!(found("<!-- markdownlint-disable no-multiple-space-atx MD013 -->"), ["MD019:11"]);
    assert_eq!(found("<!-- markdownlint-disable headings -->"), ["MD019:11"]);
    assert_eq!(found("<!-- markdownlint-disable -->"), ["MD019:11"]);
    assert_eq!(found("<!-- markdownlint-disable-file MD019 -->"), ["MD019:11"]);
    assert_eq!(found("<!-- markdownlint-configure-file {\"MD019\": false} -->"), ["MD019:11"]);
    let line = "# Title\n\n##  One <!-- markdownlint-disable-line MD019 -->\n\n<!-- markdownlint-disable-next-line MD019 -->\n##  Two\n";
    assert_eq!(findings(line, &[]), [""; 0]);
    let restored = "# Title\n\n<!-- markdownlint-capture -->\n<!-- markdownlint-disable -->\n\n##  One\n\n<!-- markdownlint-restore -->\n\n##  Two\n";
    assert_eq!(findings(restored, &[]), ["MD019:10"]);
}

/// Its keys are names of rules or of options, each once in `proofmark.toml`.
#[test]
fn a_rule_under_two_names_is_taken_over_once() {
    let config = r#"{"MD013": {"line_length": 80, "tables": false}, "line-length": {"line_length": 100}}"#;
    let sandbox = Sandbox::with(&[(".markdownlint.json", config), ("page.md", DOCUMENT)]);
    assert_eq!(sandbox.run(&["init", "--from", "markdownlint"]).code, 0);
    let written = sandbox.read("proofmark.toml");
    assert!(written.ends_with("[rules.MD013]\nline_length = 100\ntables = false\n"), "{written}");
    assert!(sandbox.run(&["check", "page.md"]).code < 2);
}

#[test]
fn a_configuration_is_taken_over() {
    let config = r#"{"MD033": false, "line-length": {"line_length": 40}, "custom-rule": true}"#;
    let sandbox = Sandbox::with(&[(".markdownlint.json", config), ("page.md", DOCUMENT)]);
    let run = sandbox.run(&["init", "--from", "markdownlint"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(run.stderr.contains("`custom-rule`"), "{}", run.stderr);
    let written = "# Taken over from .markdownlint.json\n[rules]\nextend = [\"markdownlint\"]\nignore = [\"MD033\"]\n\n[rules.MD013]\nline_length = 40\n";
    assert_eq!(sandbox.read("proofmark.toml"), written);
    assert_eq!(Sandbox::new().run(&["init", "--from", "markdownlint"]).code, 2);
}

#[test]
fn configurations_of_subfolders_count_for_the_files_below_them() {
    let sandbox = Sandbox::with(&[
        ("proofmark.toml", "[rules]\nextend = [\"markdownlint\"]\n"),
        (".markdownlint.json", r#"{"MD033": false}"#),
        ("page.md", DOCUMENT),
        ("docs/page.md", DOCUMENT),
        ("docs/.markdownlint-cli2.yaml", "config:\n  MD019: false\n"),
        ("docs/deep/page.md", DOCUMENT),
        ("docs/deep/.markdownlint.jsonc", r#"{"default": false, "MD019": true}"#),
        ("other/deep/page.md", DOCUMENT),
    ]);
    let ids = |page: &str| sandbox.ids(&["--ignore", "MD1", page]);
    assert_eq!(ids("page.md"), ["MD019"]);
    assert_eq!(ids("other/deep/page.md"), ["MD019"]);
    assert_eq!(ids("docs/page.md"), ["MD033"]);
    assert_eq!(ids("docs/deep/page.md"), ["MD019"]);
}

#[test]
fn files_that_the_tool_ignores_are_checked_by_other_rules_only() {
    let page = "#  Title\n\n[gone](gone.md)\n";
    let ids = |name: &str, config: &str| {
        let sandbox = Sandbox::with(&[
            ("proofmark.toml", "[rules]\nextend = [\"markdownlint\"]\n"),
            (name, config),
            ("page.md", page),
            ("docs/page.md", page),
            ("docs/old/page.md", page),
        ]);
        ["page.md", "docs/page.md", "docs/old/page.md"]
            .map(|page| sandbox.ids(&[page]).contains(&"MD019".to_owned()))
    };
    assert_eq!(ids(".markdownlint-cli2.jsonc", r#"{"ignores": ["docs/old"]}"#), [true, true, false]);
    assert_eq!(ids(".markdownlint-cli2.jsonc", r#"{"ignores": ["page.md"]}"#), [false, true, true]);
    assert_eq!(ids("docs/.markdownlint-cli2.yaml", "ignores: [page.md]\n"), [true, false, true]);
    assert_eq!(
        ids(".markdownlint-cli2.yaml", "globs: ['docs/**/*.md', '!docs/old/**']\n"),
        [false, true, false]
    );
    assert_eq!(ids(".markdownlintignore", "# Old pages\nold/\n"), [true, true, false]);
    let sandbox = Sandbox::with(&[
        ("proofmark.toml", "[rules]\nextend = [\"markdownlint\"]\n"),
        (".markdownlintignore", "page.md\n"),
        ("page.md", page),
    ]);
    assert!(sandbox.ids(&["page.md"]).iter().all(|id| id.starts_with("MD1")));
    assert_eq!(sandbox.ids(&["page.md"]).len(), 1);
}

#[test]
fn what_cannot_be_taken_over_is_reported_where_it_is() {
    let run = |files: &[(&str, &str)]| {
        let sandbox = Sandbox::with(&[
            ("proofmark.toml", "[rules]\nextend = [\"markdownlint\"]\n"),
            ("docs/page.md", "# Title\n"),
        ]);
        for (name, text) in files {
            sandbox.write(name, text);
        }
        let run = sandbox.run(&["check", "docs/page.md"]);
        (run.code, run.stdout + &run.stderr)
    };
    let (code, noted) = run(&[(
        ".markdownlint-cli2.jsonc",
        "{\n  \"noProgress\": true,\n  \"customRules\": [],\n  \"config\": {\n    \"MD013\": {\"widht\": 3}\n  }\n}\n",
    )]);
    assert_eq!(code, 0, "{noted}");
    assert!(noted.contains(".markdownlint-cli2.jsonc:3:3"), "{noted}");
    assert!(noted.contains(".markdownlint-cli2.jsonc:5:15") && noted.contains("`MD013.widht`"), "{noted}");
    assert!(!noted.contains("noProgress"), "{noted}");
    let (code, noted) = run(&[(".markdownlint.yaml", "MD003:\n  style: bogus\n")]);
    assert_eq!(code, 2, "{noted}");
    assert!(noted.contains(".markdownlint.yaml:2:10") && noted.contains("`atx_closed`"), "{noted}");
    let (code, noted) = run(&[(".markdownlint.json", "{\n  \"MD013\": false\n  \"MD033\": false\n}\n")]);
    assert_eq!(code, 2, "{noted}");
    assert_eq!(noted.matches(".markdownlint.json").count(), 1, "{noted}");
    assert!(noted.contains(".markdownlint.json:3:3"), "{noted}");
    let (code, noted) = run(&[(".markdownlint.cjs", "module.exports = {};\n")]);
    assert_eq!(code, 0, "{noted}");
    assert!(noted.contains(".markdownlint.cjs") && noted.contains("PM023"), "{noted}");
    let (_, noted) = run(&[("docs/.markdownlint.mjs", "export default {};\n")]);
    assert!(noted.contains("docs/.markdownlint.mjs") && noted.contains("PM023"), "{noted}");
}

#[test]
fn a_configuration_may_extend_another_one() {
    let files = [
        ("base.yaml", "MD033: false\nMD013:\n  line_length: 40\n"),
        (".markdownlintrc", r#"{"extends": "./base.yaml", "MD033": true}"#),
    ];
    assert_eq!(findings(DOCUMENT, &files), ["MD019:3", "MD033:7", "MD013:7"]);
}

#[test]
fn an_unsafe_fix_corrects_anchors() {
    let page = "# The title\n\nSee [above](#The-Title) and [here][x].\n\n[x]: #THE-title\n";
    let sandbox = Sandbox::with(&[("page.md", page)]);
    sandbox.run(&["fix", "--unsafe", "--select", "markdownlint", "page.md"]);
    let fixed = "# The title\n\nSee [above](#the-title) and [here][x].\n\n[x]: #the-title\n";
    assert_eq!(sandbox.read("page.md"), fixed);
}
