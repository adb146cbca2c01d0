//! The same edits by the service and by Emacs itself: the files have the same bytes.

use std::{
    collections::BTreeMap,
    env, fs,
    path::Path,
    process::{Command, Stdio},
};

use serde_json::{Value, json};

use crate::{
    amount, documents,
    edit::{Edit, Notes},
    random::Random,
    server::{NOW, Server},
};

const OTHER: &str = "* Target :t:\n** Below\n";

/// The Org files of a folder.
pub(crate) type Files = BTreeMap<String, String>;

pub(crate) fn read(folder: &Path) -> Files {
    let mut files = Files::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if name.contains(".org") {
            files.insert(name, fs::read_to_string(&path).unwrap());
        }
    }
    files
}

pub(crate) fn write(folder: &Path, files: &Files) {
    for name in read(folder).keys() {
        fs::remove_file(folder.join(name)).unwrap();
    }
    for (name, text) in files {
        fs::write(folder.join(name), text).unwrap();
    }
}

/// The files that an edit of a document begins with.
pub(crate) fn files_of(document: &str) -> Files {
    [("notes.org", document), ("other.org", OTHER)]
        .map(|(name, text)| (name.to_owned(), text.to_owned()))
        .into()
}

/// An edit that the service has made.
pub(crate) struct Made {
    pub(crate) edit: Edit,
    pub(crate) before: Files,
    pub(crate) after: Files,
    request: Value,
}

/// Makes random edits of random documents, and passes each on. What the service refuses does not count.
pub(crate) fn edits(folder: &Path, configuration: &str, count: usize, mut made: impl FnMut(Made)) {
    let documents = documents::all();
    let mut server = Server::start(folder, configuration);
    let mut random = Random::new(amount("PROOFMARK_ORG_SEED", 16) as u64);
    let (mut done, mut refused) = (0, BTreeMap::<String, usize>::new());
    while done < count {
        let before = files_of(random.one::<String>(&documents));
        write(folder, &before);
        let notes = Notes::read(&mut server);
        let Some(edit) = notes.edit(&mut random) else { continue };
        let answer = edit.make(&mut server);
        if answer.is_error {
            let why: String = answer.text.chars().take(60).collect();
            *refused.entry(why).or_default() += 1;
            assert!(refused.values().sum::<usize>() < 50 + count, "{refused:?}");
            continue;
        }
        let request = json!({"folder": folder, "files": before, "edit": edit.for_emacs(&answer)});
        made(Made { edit, after: read(folder), before, request });
        done += 1;
    }
    println!("{done} edits; refused: {refused:#?}");
}

#[test]
fn edits_have_the_bytes_of_those_of_emacs() {
    let is_there = Command::new("emacs").arg("--version").stdout(Stdio::null()).status();
    if !is_there.is_ok_and(|status| status.success()) {
        assert!(
            std::env::var_os("PROOFMARK_REQUIRE_EMACS").is_none(),
            "emacs is required and is not in PATH"
        );
        eprintln!("SKIPPED: emacs is not on the path, so its edits cannot be compared");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let mut ours = Vec::new();
    let count = amount("PROOFMARK_ORG_EDITS", 80);
    edits(folder.path(), "", count, |made| ours.push(made));
    let theirs = emacs(folder.path(), &ours.iter().map(|made| made.request.clone()).collect::<Vec<_>>());
    let (mut same, mut different, mut refused) = (0, 0, 0);
    for (ours, theirs) in ours.iter().zip(&theirs) {
        if let Some(error) = theirs["error"].as_str() {
            refused += 1;
            println!("Emacs refuses {}: {error}", ours.request["edit"]);
            continue;
        }
        let theirs: Files = serde_json::from_value(theirs["files"].clone()).unwrap();
        if ours.after == theirs {
            same += 1;
        } else {
            different += 1;
            show(ours, &theirs);
        }
    }
    println!("{same} edits have the same bytes, {different} have others, Emacs refuses {refused}");
    let all = same + different;
    assert!(same * 200 >= all * 199, "{same} of {all}");
}

/// What Emacs makes of the edits.
fn emacs(folder: &Path, requests: &[Value]) -> Vec<Value> {
    let exchange = tempfile::tempdir().unwrap();
    let (input, output) = (exchange.path().join("in.json"), exchange.path().join("out.json"));
    fs::write(&input, serde_json::to_vec(requests).unwrap()).unwrap();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/reference/org_edits.el");
    let status = Command::new("emacs")
        .args(["--batch", "-Q", "-l"])
        .arg(script)
        .args(["-f", "org-edits-run"])
        .args([&input, &output])
        .current_dir(folder)
        .envs([("SOURCE_DATE_EPOCH", NOW.to_string().as_str()), ("TZ", "UTC"), ("LC_ALL", "C.UTF-8")])
        .status()
        .unwrap();
    assert!(status.success());
    serde_json::from_slice(&fs::read(&output).unwrap()).unwrap()
}

fn show(ours: &Made, theirs: &Files) {
    println!("--- {}", ours.request["edit"]);
    let names: std::collections::BTreeSet<_> = ours.after.keys().chain(theirs.keys()).collect();
    for name in names {
        let of = |files: &Files| files.get(name).cloned().unwrap_or_else(|| "(no file)\n".to_owned());
        let (old, emacs, own) = (of(&ours.before), of(theirs), of(&ours.after));
        if emacs != own {
            let diff = |a: &str, b: &str| {
                similar::TextDiff::from_lines(a, b)
                    .unified_diff()
                    .context_radius(1)
                    .header("a", "b")
                    .to_string()
            };
            println!("{name}: from Emacs to here\n{:?}", diff(&emacs, &own));
            println!("{}\nby Emacs\n{}", diff(&emacs, &own), diff(&old, &emacs));
        }
    }
}
