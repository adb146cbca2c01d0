//! Each call of the file layer fails once in turn, or the process ends there: no file is lost or torn, the exit code says what
//! was not done, and the next run completes the work and leaves no other files.
//!
//! `FAULTS` is the most points of each command that are tried, spread over all (12); `COMMAND` a command that is tried alone.
#![cfg(all(unix, debug_assertions))]
#![allow(clippy::print_stdout, reason = "what was skipped or counted is shown")]

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    io::Write as _,
    path::Path,
    process::{Command, Output, Stdio},
};

const PROGRAM: &str = env!("CARGO_BIN_EXE_proofmark");

/// Files of a folder by their paths.
type Files = BTreeMap<String, String>;

/// A command, and what it reads.
struct Run {
    name: &'static str,
    arguments: &'static [&'static str],
    stdin: &'static str,
    /// Exit codes of a run without a fault.
    codes: &'static [i32],
    /// Whether a second run finds the work done and has another exit code.
    repeats: bool,
    /// Whether opening a file removes what a killed process left beside it.
    tidies: bool,
}

const PATCH: &str = concat!(
    r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"#,
    r#""clientInfo":{"name":"t","version":"1"}}}"#,
    "\n",
    r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
    "\n",
    r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"apply_patch","#,
    r#""arguments":{"path":"b.yaml","edits":[{"old":"state: old","new":"state: new"}]}}}"#,
    "\n"
);

const RUNS: &[Run] = &[
    Run {
        name: "fix",
        arguments: &["fix", "--isolated", "--jobs", "1", "a.json", "c.json"],
        stdin: "",
        codes: &[0, 1],
        repeats: true,
        tidies: false,
    },
    Run {
        name: "convert",
        arguments: &[
            "convert",
            "--isolated",
            "--to",
            "html",
            "--force",
            "--output",
            "out/",
            "a.qmd",
            "c.qmd",
        ],
        stdin: "",
        codes: &[0],
        repeats: true,
        tidies: false,
    },
    Run {
        name: "snapshot",
        arguments: &["snapshot", "--isolated", "--update", "a.md", "c.md"],
        stdin: "",
        codes: &[0],
        repeats: true,
        tidies: false,
    },
    Run {
        name: "org set",
        arguments: &["org", "--isolated", "set", "org://id/one", "--state", "DONE"],
        stdin: "",
        codes: &[0],
        repeats: true,
        tidies: true,
    },
    Run {
        name: "org refile",
        arguments: &["org", "--isolated", "refile", "org://id/one", "org://y.org"],
        stdin: "",
        codes: &[0],
        repeats: false,
        tidies: true,
    },
    Run {
        name: "org archive",
        arguments: &["org", "--isolated", "archive", "org://id/one"],
        stdin: "",
        codes: &[0],
        repeats: false,
        tidies: true,
    },
    Run {
        name: "apply_patch",
        arguments: &["serve", "--isolated", "--root", "."],
        stdin: PATCH,
        codes: &[0],
        repeats: false,
        tidies: false,
    },
    Run {
        name: "batch",
        arguments: &["batch", "--isolated", "--jobs", "1", "--exit-zero", "--allow-root", "."],
        stdin: "{\"id\": 1, \"path\": \"a.md\"}\n{\"id\": 2, \"path\": \"c.md\"}\n",
        codes: &[0],
        repeats: true,
        tidies: false,
    },
    Run {
        name: "check",
        arguments: &[
            "check",
            "--isolated",
            "--format",
            "json",
            "--exit-zero",
            "--output",
            "report.json",
            "b.yaml",
            "a.md",
        ],
        stdin: "",
        codes: &[0],
        repeats: true,
        tidies: false,
    },
];

fn documents() -> Files {
    let broken = |item: &str| format!("{{\"items\": [{}1,]}}\n", format!("\"{item}\", ").repeat(200));
    let page = |title: &str| format!("# {title}\n\n[a](#none)\n\n{}", "Words of a paragraph.\n\n".repeat(50));
    let task = |id: &str| format!("* TODO Task {id}\n:PROPERTIES:\n:ID: {id}\n:END:\nText.\n");
    [
        ("a.json", broken("a")),
        ("c.json", broken("c")),
        ("a.md", page("A")),
        ("c.md", page("C")),
        ("a.md.proofmark.txt", "old\n".to_owned()),
        ("a.qmd", page("A").replace("[a](#none)", "")),
        ("c.qmd", page("C").replace("[a](#none)", "")),
        ("out/a.html", "old result\n".to_owned()),
        ("b.yaml", format!("state: old\n{}", "item: 1\n".replace("item", "a"))),
        ("report.json", "{\"old\": true}\n".to_owned()),
        ("x.org", task("one") + &task("two")),
        ("y.org", task("three")),
    ]
    .map(|(name, text)| (name.to_owned(), text))
    .into()
}

fn write(folder: &Path, files: &Files) {
    for (name, text) in files {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
}

/// The content of every file below a folder.
fn read(folder: &Path) -> Files {
    fn add(folder: &Path, prefix: &str, files: &mut Files) {
        for entry in fs::read_dir(folder).unwrap().flatten() {
            let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
            if entry.path().is_dir() {
                add(&entry.path(), &format!("{name}/"), files);
            } else {
                let text = String::from_utf8_lossy(&fs::read(entry.path()).unwrap()).into_owned();
                files.insert(name, text);
            }
        }
    }
    let mut files = Files::new();
    add(folder, "", &mut files);
    // What is archived has the folder in it.
    let own = folder.canonicalize().unwrap().to_string_lossy().into_owned();
    for text in files.values_mut() {
        *text = text.replace(&own, "FOLDER").replace(&*folder.to_string_lossy(), "FOLDER");
    }
    files
}

/// What the file layer leaves beside a file until the next change of it.
fn is_beside(name: &str) -> bool {
    name.rsplit('/').next().is_some_and(|name| name.starts_with('.') && name.contains(".proofmark"))
}

fn start(run: &Run, folder: &Path, fault: &str) -> Output {
    let mut child = Command::new(PROGRAM)
        .args(run.arguments)
        .current_dir(folder)
        .env("PROOFMARK_TEST_FAULT", fault)
        // What is archived has the time in it.
        .env("SOURCE_DATE_EPOCH", "1790000000")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // It may have ended already.
    let _ = child.stdin.take().unwrap().write_all(run.stdin.as_bytes());
    child.wait_with_output().unwrap()
}

/// The IDs of headlines in all Org files, sorted.
fn ids(files: &Files) -> Vec<&str> {
    let own = files.iter().filter(|(name, _)| name.contains(".org") && !is_beside(name));
    let mut ids: Vec<&str> =
        own.flat_map(|(_, text)| text.lines()).filter_map(|line| line.strip_prefix(":ID: ")).collect();
    ids.sort_unstable();
    ids
}

/// Dates of today, which differ between runs that are made around midnight or in another minute.
fn undated(text: &str) -> String {
    regex::Regex::new(r"\[\d{4}-\d\d-\d\d[^\]]*\]").unwrap().replace_all(text, "[date]").into_owned()
}

/// How many times a step of the run is reached; the process says nothing of it, so the first run that ends as one without a fault
/// is the last.
fn points(run: &Run) -> usize {
    let ended = |point: usize| {
        let folder = tempfile::tempdir().unwrap();
        write(folder.path(), &documents());
        start(run, folder.path(), &format!("kill:{point}")).status.code().is_some()
    };
    let mut after = 1;
    while !ended(after) {
        after *= 2;
    }
    let mut before = after / 2;
    while before + 1 < after {
        let middle = usize::midpoint(before, after);
        if ended(middle) { after = middle } else { before = middle }
    }
    after
}

fn check(run: &Run, most: usize) -> usize {
    let name = run.name;
    let before = documents();
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), &before);
    let done = start(run, folder.path(), "none:0");
    assert!(
        done.status.code().is_some_and(|code| run.codes.contains(&code)),
        "{name}: {}",
        String::from_utf8_lossy(&done.stderr)
    );
    let after = read(folder.path());
    assert_eq!(after.keys().filter(|name| is_beside(name)).count(), 0, "{name}");
    let points = points(run);
    assert!(points > 2, "{name} reaches {points} steps");
    let chosen: BTreeSet<usize> = (0..most.min(points)).map(|n| n * points / most.min(points)).collect();
    for point in &chosen {
        for fault in ["fail", "kill"] {
            let place = format!("{name}, {fault}:{point} of {points}");
            let folder = tempfile::tempdir().unwrap();
            write(folder.path(), &before);
            let ended = start(run, folder.path(), &format!("{fault}:{point}"));
            let now = read(folder.path());
            for (file, text) in &now {
                // Where a removal fails, something is left.
                if is_beside(file) {
                    continue;
                }
                let known = [&before, &after].map(|files| files.get(file).map(|text| undated(text)));
                // A report may say that a document cannot be read.
                let reports =
                    file == "report.json" && serde_json::from_str::<serde_json::Value>(text).is_ok();
                assert!(known.contains(&Some(undated(text))) || reports, "{place}: {file} is torn: {text:?}");
            }
            let lost: Vec<_> = before.keys().filter(|file| !now.contains_key(*file)).collect();
            assert!(lost.is_empty(), "{place} loses {lost:?}");
            if fault == "fail" {
                let code = ended.status.code();
                assert!(code.is_some(), "{place}: {}", String::from_utf8_lossy(&ended.stderr));
                let own = || now.iter().filter(|(file, _)| !is_beside(file));
                let same = own().count() == after.len()
                    && own()
                        .zip(&after)
                        .all(|(now, after)| now.0 == after.0 && undated(now.1) == undated(after.1));
                let reports = code.is_some_and(|code| code != 0)
                    || now.get("report.json").is_some_and(|report| report.contains("PM001"))
                    || String::from_utf8_lossy(&ended.stdout).contains("\"error\"")
                    || String::from_utf8_lossy(&ended.stdout).contains("isError\":true");
                assert!(
                    same || reports,
                    "{place}: the work is not done, and exit code {code:?} does not say so"
                );
                assert_eq!(ids(&now), ids(&before), "{place}: headlines");
            }
            // The next run completes the work, or finds it done.
            let next = start(run, folder.path(), "none:0");
            let completed = read(folder.path());
            assert_eq!(ids(&completed), ids(&before), "{place}: headlines after the next run");
            if run.repeats {
                assert!(
                    next.status.code().is_some_and(|code| run.codes.contains(&code)),
                    "{place}, then: {}",
                    String::from_utf8_lossy(&next.stderr)
                );
            }
            // What a killed process left beside a file that needs no further change stays until its next change.
            let left: Vec<_> = completed.keys().filter(|file| is_beside(file)).collect();
            assert!(left.is_empty() || !run.tidies, "{place}: the next run leaves {left:?}");
            for (file, text) in &after {
                if run.repeats {
                    assert_eq!(
                        completed.get(file).map(|text| undated(text)),
                        Some(undated(text)),
                        "{place}: {file}"
                    );
                }
            }
        }
    }
    println!("{name}: {} of {points} points, 2 faults each", chosen.len());
    chosen.len() * 2
}

#[test]
fn no_fault_of_a_file_call_loses_or_tears_a_file() {
    let most = std::env::var("FAULTS").ok().and_then(|text| text.parse().ok()).unwrap_or(12);
    let only = std::env::var("COMMAND").ok();
    let runs = RUNS.iter().filter(|run| only.as_ref().is_none_or(|only| run.name == only));
    let tried: usize = runs.map(|run| check(run, most)).sum();
    println!("{tried} faults tried");
}
