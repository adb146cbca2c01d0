//! Packs of other repositories: fetched from a local one, copied, and pinned.

use std::{fs, process::Command};

use crate::sandbox::Sandbox;

/// A rule that reports a word.
fn rule(word: &str) -> String {
    format!(
        "version: 1\nrules:\n  - id: SW001\n    name: shared-word\n    severity: error\n    since: 1.0.0\n    tags: [words]\n    given: $.headings[*].text\n    \
         check: {{pattern: {{not: '{word}'}}}}\n    message: \"`{{{{ value }}}}` is not for headings\"\n    \
         hint: use another word\n    explain: |\n      A heading has the word.\n\n      It says nothing.\n\n      Use another one.\n    \
         examples:\n      - invalid: {{source: \"# {word}\\n\"}}\n      - valid: {{source: \"# Other\\n\"}}\n"
    )
}

struct Shared {
    sandbox: Sandbox,
    source: String,
}

impl Shared {
    /// A repository with a pack, tagged `v1`, and a folder `project` beside it.
    fn new() -> Self {
        let sandbox = Sandbox::with(&[
            ("rules/proofmark.toml", "[packs]\npaths = [\"house\"]\n"),
            (
                "rules/house/pack.yaml",
                "version: 1\nname: house\ndescription: Words of our house\nprefix: SW\nkinds: [markdown]\nrequires: '>=0.1'\n",
            ),
            ("rules/house/words.yaml", rule("Very").as_str()),
            ("project/proofmark.toml", "# ours\n"),
            ("project/a.md", "# Very good\n"),
        ]);
        let source = format!("git+file://{}@", sandbox.path("rules").display());
        let shared = Self { sandbox, source };
        shared.git(&["init", "--quiet", "--initial-branch", "main"]);
        shared.commit("v1");
        shared
    }

    fn git(&self, arguments: &[&str]) -> String {
        let mut command = Command::new("git");
        command.args(["-c", "user.name=T", "-c", "user.email=t@example.org", "-c", "commit.gpgSign=false"]);
        let output = command.args(arguments).current_dir(self.sandbox.path("rules")).output().unwrap();
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }

    /// Commits everything, and tags it.
    fn commit(&self, tag: &str) {
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--message", tag]);
        self.git(&["tag", "--force", tag]);
    }

    fn run(&self, arguments: &[&str]) -> crate::sandbox::Run {
        self.sandbox.feed_in("project", arguments, "")
    }

    fn packs(&self, arguments: &[&str]) -> crate::sandbox::Run {
        self.run(&[&["packs"], arguments].concat())
    }

    /// The copies in the project.
    fn copies(&self) -> Vec<String> {
        let folder = self.sandbox.path("project/.proofmark/packs");
        let mut names: Vec<String> = fs::read_dir(folder)
            .into_iter()
            .flatten()
            .flatten()
            .map(|one| one.file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }

    fn v(&self, revision: &str) -> String {
        format!("{}{revision}", self.source)
    }
}

#[test]
fn a_pack_of_another_repository_is_fetched_once_and_used_without_it() {
    let shared = Shared::new();
    let added = shared.packs(&["add", &shared.v("v1")]);
    assert_eq!(added.code, 0, "{}", added.stderr);
    assert_eq!(
        shared.sandbox.read("project/proofmark.toml"),
        format!("extends = [\"{}\"]\n# ours\n", shared.v("v1"))
    );
    assert_eq!(shared.copies().len(), 1);
    // Nothing but the copy is used from here on.
    fs::rename(shared.sandbox.path("rules"), shared.sandbox.path("away")).unwrap();
    let checked = shared.run(&["check", "--format", "concise"]);
    assert_eq!(checked.code, 1, "{}{}", checked.stdout, checked.stderr);
    assert!(
        checked.stdout.contains("a.md:1:3: error: `Very good` is not for headings [SW001"),
        "{}",
        checked.stdout
    );
    assert!(checked.stdout.contains("in 1 of 2 files"), "copies are not checked: {}", checked.stdout);
    let listed = shared.packs(&["list"]);
    assert!(listed.stdout.contains("\tas pinned\t"), "{}", listed.stdout);
    assert_eq!(shared.packs(&["vendor"]).code, 0, "nothing is missing, so nothing is fetched");
}

#[test]
fn a_copy_that_was_changed_or_is_missing_is_refused_and_restored() {
    let shared = Shared::new();
    assert_eq!(shared.packs(&["add", &shared.v("v1")]).code, 0);
    let copy = format!("project/.proofmark/packs/{}/house/words.yaml", shared.copies()[0]);
    let before = shared.sandbox.read(&copy);
    shared.sandbox.write(&copy, rule("Good"));
    let refused = shared.run(&["check", "--format", "concise"]);
    assert_eq!(refused.code, 2, "{}", refused.stdout);
    let said = format!("{}{}", refused.stdout, refused.stderr);
    assert!(said.contains("PM124") && said.contains("its copy was changed"), "{said}");
    let pretty = shared.run(&["check"]);
    let said = format!("{}{}", pretty.stdout, pretty.stderr);
    assert!(said.contains("help: run `proofmark packs vendor`"), "{said}");
    assert!(shared.packs(&["list"]).stdout.contains("\tchanged\t"));
    let restored = shared.packs(&["vendor"]);
    assert_eq!(restored.code, 0, "{}", restored.stderr);
    assert_eq!(shared.sandbox.read(&copy), before);
    fs::remove_dir_all(shared.sandbox.path("project/.proofmark")).unwrap();
    let missing = shared.run(&["check", "--format", "concise"]);
    assert!(format!("{}{}", missing.stdout, missing.stderr).contains("is missing"), "{}", missing.stdout);
    assert_eq!(shared.packs(&["vendor"]).code, 0);
    assert_eq!(shared.run(&["check"]).code, 1);
}

#[test]
fn versions_replace_each_other_and_moved_tags_are_noticed() {
    let shared = Shared::new();
    assert_eq!(shared.packs(&["add", &shared.v("v1")]).code, 0);
    let first = shared.copies();
    shared.sandbox.write("rules/house/words.yaml", rule("Other"));
    shared.commit("v2");
    assert_eq!(shared.packs(&["add", &shared.v("v2")]).code, 0);
    assert_eq!(shared.run(&["check"]).code, 0, "the new version has no finding");
    assert_eq!(shared.copies().len(), 1);
    assert_ne!(shared.copies(), first);
    assert!(!shared.sandbox.read("project/proofmark.lock").contains("@v1\""));
    assert!(!shared.sandbox.read("project/proofmark.toml").contains("@v1\""));
    // The tag moves, and its old commit is gone after a while.
    shared.sandbox.write("rules/house/words.yaml", rule("Very"));
    shared.git(&["add", "--all"]);
    shared.git(&["commit", "--quiet", "--amend", "--allow-empty", "--message", "again"]);
    shared.git(&["tag", "--force", "v2"]);
    fs::remove_dir_all(shared.sandbox.path("project/.proofmark")).unwrap();
    assert_eq!(shared.packs(&["vendor"]).code, 0, "what is pinned is still there");
    assert_eq!(shared.run(&["check"]).code, 0);
    fs::remove_dir_all(shared.sandbox.path("project/.proofmark")).unwrap();
    shared.git(&["reflog", "expire", "--expire=now", "--all"]);
    shared.git(&["gc", "--quiet", "--prune=now"]);
    let moved = shared.packs(&["vendor"]);
    assert_eq!(moved.code, 2, "{}", moved.stderr);
    assert!(moved.stderr.contains("has other content now"), "{}", moved.stderr);
    let updated = shared.packs(&["update"]);
    assert_eq!(updated.code, 0, "{}", updated.stderr);
    assert!(updated.stderr.contains("updated "), "{}", updated.stderr);
    assert_eq!(shared.run(&["check"]).code, 1);
}

#[test]
fn a_folder_of_a_repository_is_a_source_and_what_cannot_be_copied_is_refused() {
    let shared = Shared::new();
    shared.sandbox.write("rules/inner/proofmark.toml", "[packs]\npaths = [\"house\"]\n");
    shared.sandbox.write("rules/inner/house/pack.yaml", shared.sandbox.read("rules/house/pack.yaml"));
    shared.sandbox.write("rules/inner/house/words.yaml", rule("Very"));
    shared.commit("v2");
    let inner = format!("{}#inner", shared.v("v2"));
    let added = shared.packs(&["add", &inner]);
    assert_eq!(added.code, 0, "{}", added.stderr);
    let names =
        fs::read_dir(shared.sandbox.path(&format!("project/.proofmark/packs/{}", shared.copies()[0])));
    assert_eq!(names.unwrap().count(), 2, "only the folder is copied");
    for (source, why) in [
        (format!("{}#nowhere", shared.v("v2")), "cannot be fetched"),
        (shared.v("v9"), "cannot be fetched"),
        ("git+ext://sh@v1".to_owned(), "its protocol is not"),
        ("../rules".to_owned(), "it does not begin with `git+`"),
    ] {
        let refused = shared.packs(&["add", &source]);
        assert_eq!(refused.code, 2, "{source}: {}", refused.stderr);
        assert!(refused.stderr.contains(why), "{source}: {}", refused.stderr);
    }
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("/etc/passwd", shared.sandbox.path("rules/house/link.yaml")).unwrap();
        shared.commit("v3");
        let refused = shared.packs(&["add", &shared.v("v3")]);
        assert!(refused.stderr.contains("is a symbolic link"), "{}", refused.stderr);
    }
}

#[test]
fn a_pack_for_another_version_is_refused_when_it_is_fetched() {
    let shared = Shared::new();
    let pack = shared.sandbox.read("rules/house/pack.yaml").replace(">=0.1", ">=7");
    shared.sandbox.write("rules/house/pack.yaml", pack);
    shared.commit("v7");
    let refused = shared.packs(&["add", &shared.v("v7")]);
    assert_eq!(refused.code, 2, "{}", refused.stderr);
    let said = format!("{}{}", refused.stdout, refused.stderr);
    assert!(said.contains("the pack is for Proofmark `>=7`"), "{said}");
    assert_eq!(shared.sandbox.read("project/proofmark.toml"), "# ours\n", "nothing is changed");
    assert!(shared.copies().is_empty() && !shared.sandbox.path("project/proofmark.lock").exists());
}
