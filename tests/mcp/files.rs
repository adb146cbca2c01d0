//! Files: only below the allowed folders, written atomically, and never with added errors.

use std::{fs, path::Path};

use proofmark::internals::service::Options;
use serde_json::json;

use crate::client::{Client, Protocol, configured, with_root};

const GOOD: &str = "version: 1\nname: catalogue\ndescription: Products\nprefix: PC\nkinds: [markdown]\n";

async fn folder_with(name: &str, text: &str) -> (tempfile::TempDir, Client) {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join(name), text).unwrap();
    let client = Client::new(Protocol::Stateless, &with_root(folder.path())).await;
    (folder, client)
}

fn read(folder: &Path, name: &str) -> String {
    fs::read_to_string(folder.join(name)).unwrap()
}

#[tokio::test]
async fn an_edit_is_written_and_shown_and_keeps_line_endings() {
    let text = GOOD.replace('\n', "\r\n");
    let (folder, client) = folder_with("pack.yaml", &text).await;
    let edits = json!([{"old": "description: Products", "new": "description: Goods"}]);
    let dry = client.get("apply_patch", json!({"path": "pack.yaml", "edits": edits, "dry_run": true})).await;
    assert_eq!((dry["ok"].clone(), dry["written"].clone()), (true.into(), false.into()));
    assert_eq!(read(folder.path(), "pack.yaml"), text);
    let arguments = json!({"file_path": "pack.yaml", "edits": edits, "expect_hash": dry["hash"]});
    let done = client.get("apply_patch", arguments.clone()).await;
    assert_eq!(done["written"], true);
    assert!(done["diff"].as_str().unwrap().contains("+description: Goods"), "{done:#}");
    assert_eq!(read(folder.path(), "pack.yaml"), text.replace("Products", "Goods"));
    let refusal = client.refused("apply_patch", arguments).await;
    assert!(refusal.contains("the file has changed"), "{refusal}");
    let left: Vec<_> =
        fs::read_dir(folder.path()).unwrap().flatten().map(|entry| entry.file_name()).collect();
    assert_eq!(left, ["pack.yaml"]);
}

#[tokio::test]
async fn a_diff_that_adds_errors_is_refused_unless_forced() {
    let (folder, client) = folder_with("pack.yaml", GOOD).await;
    let patch = "--- a/pack.yaml\n+++ b/pack.yaml\n@@ -3,2 +3,2 @@\n description: Products\n-prefix: PC\n+prefix: [\n";
    let refused = client.get("apply_patch", json!({"path": "pack.yaml", "patch": patch})).await;
    assert_eq!((refused["ok"].clone(), refused["written"].clone()), (false.into(), false.into()));
    assert!(!refused["diagnostics"].as_array().unwrap().is_empty());
    assert_eq!(read(folder.path(), "pack.yaml"), GOOD);
    let forced = client.get("apply_patch", json!({"path": "pack.yaml", "patch": patch, "force": true})).await;
    assert_eq!(forced["written"], true);
    assert!(read(folder.path(), "pack.yaml").contains("prefix: ["));
}

#[tokio::test]
async fn nothing_outside_the_folder_is_accessible() {
    let (folder, client) = folder_with("pack.yaml", GOOD).await;
    let outside = tempfile::tempdir().unwrap();
    let secret = outside.path().join("secret.yaml");
    fs::write(&secret, "version: 1\nrules: secret\n").unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink(&secret, folder.path().join("link.yaml")).unwrap();
    let away = secret.to_str().unwrap().to_owned();
    let relative = format!("../{}/secret.yaml", outside.path().file_name().unwrap().to_str().unwrap());
    for path in [away.as_str(), relative.as_str(), "link.yaml", "/etc/passwd", "pack.yaml\0", ".", ""] {
        for (tool, arguments) in [
            ("validate", json!({"path": path, "kind": "rulefile"})),
            ("apply_patch", json!({"path": path, "edits": [{"old": "version: 1", "new": "version: 2"}]})),
        ] {
            let refusal = client.refused(tool, arguments).await;
            assert!(refusal.contains("cannot be read"), "{path}: {refusal}");
            let own = folder.path().to_str().unwrap();
            assert!(!refusal.contains("rules: secret") && !refusal.contains(own), "{refusal}");
        }
    }
    assert_eq!(fs::read_to_string(&secret).unwrap(), "version: 1\nrules: secret\n");
}

#[tokio::test]
async fn names_in_answers_are_relative() {
    let (folder, client) = folder_with("pack.yaml", "version: 1\n").await;
    let whole = folder.path().join("pack.yaml");
    for path in ["pack.yaml", whole.to_str().unwrap()] {
        let answer = client.call("validate", json!({"path": path})).await;
        assert!(!answer.text.contains(folder.path().to_str().unwrap()), "{}", answer.text);
        assert_eq!(answer.structured["diagnostics"][0]["location"]["file"], "pack.yaml");
    }
}

#[tokio::test]
async fn without_allowed_folders_paths_are_refused() {
    let client = Client::new(Protocol::Stateless, &Options::default()).await;
    let refusal = client.refused("validate", json!({"path": "Cargo.toml"})).await;
    assert!(
        refusal.contains("without folders") && refusal.contains("Next: send the document as `text`"),
        "{refusal}"
    );
}

#[tokio::test]
async fn a_rule_file_sent_as_text_does_not_read_files() {
    let client = Client::new(Protocol::Stateless, &Options::default()).await;
    let text = "version: 1\nrules:\n  - id: RF901\n    name: a-name\n    severity: error\n    since: 0.1.0\n    given: $\n    check: {type: object}\n    message: m\n    explain: e\n    examples:\n      - invalid: {file: Cargo.toml}\n      - valid: {source: \"a: 1\"}\n";
    let answer = client.call("validate", json!({"text": text, "kind": "rulefile"})).await;
    assert!(!answer.text.contains("edition"), "{}", answer.text);
}

/// Text files are Markdown, and nothing is reported of those that are not below `strict`.
const SETTINGS: &str = r#"
[files]
kinds = { "*.txt" = "markdown" }
[[rules.override]]
files = ["loose/**"]
ignore = ["all"]
"#;

#[tokio::test]
async fn files_use_the_rules_and_kind_configured_for_them() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["strict", "loose"] {
        fs::create_dir(folder.path().join(name)).unwrap();
        fs::write(folder.path().join(name).join("a.txt"), "---\ntitle: a: b\n---\n").unwrap();
    }
    let client = Client::new(Protocol::Stateless, &configured(folder.path(), SETTINGS)).await;
    let strict = client.get("validate", json!({"path": "strict/a.txt"})).await;
    assert_eq!((strict["valid"].clone(), strict["kind"].clone()), (false.into(), "markdown".into()));
    assert_eq!(client.get("validate", json!({"path": "loose/a.txt"})).await["valid"], true);
}
