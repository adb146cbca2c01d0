//! The packs `github-actions`, `kubernetes` and `adr`: off unless they are asked for, and for the files that they are about.

use crate::sandbox::Sandbox;

const WORKFLOW: &str =
    "on: push\njobs:\n  build:\n    runs-on: ubuntu-latest\n    needs: tests\n    steps: [{run: make}]\n";

fn sandbox() -> Sandbox {
    Sandbox::with(&[
        (".github/workflows/ci.yml", WORKFLOW),
        ("data/ci.yml", WORKFLOW),
        ("deploy/web.yaml", "apiVersion: v1\nkind: Service\nmetadata: {name: web_1}\n"),
        ("docs/adr/postgres.md", "# Use Postgres\n\n## Context\n\nText\n\n## Decision\n\nText\n"),
        ("docs/postgres.md", "# Use Postgres\n"),
    ])
}

#[test]
fn the_packs_are_off_unless_they_are_asked_for() {
    let sandbox = sandbox();
    assert_eq!(sandbox.ids(&[".", ".github"]), [""; 0]);
    assert_eq!(sandbox.ids(&["--extend", "github-actions", ".", ".github"]), ["GA301"]);
    assert_eq!(sandbox.ids(&["--extend", "kubernetes", "."]), ["KU201"]);
    assert_eq!(sandbox.ids(&["--extend", "adr", "."]), ["AD101"]);
}

#[test]
fn settings_for_some_files_turn_a_pack_on() {
    let sandbox = sandbox();
    sandbox.write(
        "proofmark.toml",
        "[[rules.override]]\nfiles = [\".github/**\", \"data/**\"]\nextend = [\"github-actions\"]\n",
    );
    assert_eq!(sandbox.ids(&[".", ".github"]), ["GA301"]);
    let run = sandbox.run(&["check", "--format", "concise", ".github"]);
    assert!(run.stdout.starts_with(".github/workflows/ci.yml:5:12: "), "{}", run.stdout);
}
