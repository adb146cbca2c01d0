//! Work that is interrupted: by a kill, a full disk, a folder that cannot be written to. Every file has its old content or
//! its new one, and nothing else stays.
//!
//! `PATCHES` is how many patches are applied while servers are killed (60), `RESULTS` how many documents are converted
//! while that is killed (60), `MOVES` how many moves of headlines are interrupted (60).
#![cfg(unix)]

use std::{
    fs,
    io::{BufRead, BufReader, Write as _},
    os::unix::fs::PermissionsExt as _,
    path::Path,
    process::{Child, ChildStdout, Command, Output, Stdio},
    time::{Duration, Instant},
};

use crate::numbers::Numbers;

const PROGRAM: &str = env!("CARGO_BIN_EXE_proofmark");

/// A number from the environment.
fn number(name: &str, usual: usize) -> usize {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(usual)
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap().flatten();
    let mut names: Vec<String> = entries.map(|entry| entry.file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// Kills a program at a moment that looks random, within the time that it takes.
fn kill_within(child: &mut Child, whole: Duration, numbers: &mut Numbers) {
    let most = usize::try_from(whole.as_micros()).unwrap().max(1);
    std::thread::sleep(Duration::from_micros(numbers.below(most) as u64));
    child.kill().unwrap();
    child.wait().unwrap();
}

fn patched(old: &str) -> String {
    old.replace("state: old", "state: new")
}

/// Starts a server, has it patch all files, and gives it with its answers.
fn patching(folder: &Path, files: &[String]) -> (Child, BufReader<ChildStdout>) {
    let mut server = Command::new(PROGRAM)
        .args(["serve", "--isolated", "--root"])
        .arg(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let version = serde_json::json!({"name": "t", "version": "1"});
    let hello =
        serde_json::json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": version});
    let mut lines =
        vec![serde_json::json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": hello})];
    lines.push(serde_json::json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    lines.extend(files.iter().zip(1..).map(|(name, id)| {
        let edits = [serde_json::json!({"old": "state: old", "new": "state: new"})];
        let call = serde_json::json!({"name": "apply_patch", "arguments": {"path": name, "edits": edits}});
        serde_json::json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": call})
    }));
    let input = server.stdin.as_mut().unwrap();
    for line in lines {
        writeln!(input, "{line}").unwrap();
    }
    let output = BufReader::new(server.stdout.take().unwrap());
    (server, output)
}

/// Waits for this many answers.
fn answers(output: &mut impl BufRead, count: usize) {
    assert_eq!(output.lines().take(count).flatten().count(), count);
}

#[test]
fn a_killed_server_leaves_every_patched_file_old_or_new() {
    const FILES: usize = 20;
    let folder = tempfile::tempdir().unwrap();
    let old = |file: usize| format!("state: old\nitems:\n{}", format!("  - item {file}\n").repeat(3_000));
    let files: Vec<String> = (0..FILES).map(|file| format!("{file}.yaml")).collect();
    let restore = || {
        files.iter().enumerate().for_each(|(n, name)| fs::write(folder.path().join(name), old(n)).unwrap());
    };
    let read = |name: &String| fs::read_to_string(folder.path().join(name)).unwrap();
    let mut numbers = Numbers(11);
    let (mut applied, mut kept, mut whole) = (0, 0, Duration::ZERO);
    while applied < number("PATCHES", 60) || kept == 0 {
        restore();
        let (mut server, mut output) = patching(folder.path(), &files);
        // The first answer is that of the handshake.
        answers(&mut output, 1);
        if whole.is_zero() {
            let started = Instant::now();
            answers(&mut output, FILES);
            whole = started.elapsed();
        }
        kill_within(&mut server, whole, &mut numbers);
        for (n, name) in files.iter().enumerate() {
            let now = read(name);
            assert!(now == old(n) || now == patched(&old(n)), "{name} is torn: {} bytes", now.len());
            applied += usize::from(now != old(n));
            kept += usize::from(now == old(n));
        }
    }
    restore();
    let (mut server, mut output) = patching(folder.path(), &files);
    answers(&mut output, FILES + 1);
    drop(server.stdin.take());
    server.wait().unwrap();
    assert!(files.iter().enumerate().all(|(n, name)| read(name) == patched(&old(n))));
    assert_eq!(names(folder.path()).len(), FILES, "no other file is left");
    println!("{applied} patches applied, {kept} files kept");
}

#[test]
fn a_killed_conversion_leaves_every_result_old_or_new() {
    const FILES: usize = 20;
    let folder = tempfile::tempdir().unwrap();
    let file = |n: usize| format!("{n}.qmd");
    let result = |n: usize| folder.path().join("out").join(format!("{n}.html"));
    let write = |version: usize| {
        (0..FILES).for_each(|n| {
            let text = format!(
                "---\ntitle: Number {n}\n---\n\n{}",
                format!("Version {version} of {n}.\n\n").repeat(500)
            );
            fs::write(folder.path().join(file(n)), text).unwrap();
        });
    };
    let convert = || {
        let mut command = Command::new(PROGRAM);
        command
            .args(["convert", "--isolated", "--to", "html", "--force", "--output", "out/"])
            .args((0..FILES).map(file));
        command.current_dir(folder.path()).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command
    };
    let mut whole = Duration::ZERO;
    let versions = [0, 1].map(|version| {
        write(version);
        let started = Instant::now();
        assert!(convert().status().unwrap().success());
        whole = started.elapsed();
        (0..FILES).map(|n| fs::read(result(n)).unwrap()).collect::<Vec<_>>()
    });
    let mut numbers = Numbers(13);
    let (mut written, mut kept, mut version) = (0, 0, 0);
    while written < number("RESULTS", 60) || kept == 0 {
        let before: Vec<Vec<u8>> = (0..FILES).map(|n| fs::read(result(n)).unwrap()).collect();
        write(version);
        kill_within(&mut convert().spawn().unwrap(), whole, &mut numbers);
        for n in 0..FILES {
            let now = fs::read(result(n)).unwrap();
            assert!(versions.iter().any(|results| results[n] == now), "{n} is torn: {} bytes", now.len());
            written += usize::from(now != before[n]);
            kept += usize::from(now == before[n]);
        }
        version = 1 - version;
    }
    assert!(convert().status().unwrap().success());
    assert_eq!(names(&folder.path().join("out")).len(), FILES, "no other file is left");
    println!("{written} results written, {kept} kept");
}

/// A headline with an ID and some text.
fn task(id: &str) -> String {
    format!("* TODO Task {id}\n:PROPERTIES:\n:ID: {id}\n:END:\n{}", "Some text.\n".repeat(20))
}

/// Moves the headline with an ID to one of the files, or into the archive of its file.
fn moving(folder: &Path, id: usize, numbers: &mut Numbers) -> Command {
    let mut command = Command::new(PROGRAM);
    command.args(["org", "--isolated"]);
    let uri = format!("org://id/h{id:02}");
    match numbers.of(&["x.org", "y.org", "sub/z.org", "archive"]) {
        &"archive" => command.args(["archive", &uri]),
        file => command.args(["refile", &uri, &format!("org://{file}")]),
    };
    command.current_dir(folder).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command
}

/// A folder with Org files, and the IDs of their headlines.
fn with_tasks() -> (tempfile::TempDir, Vec<String>) {
    const TASKS: usize = 24;
    let folder = tempfile::tempdir().unwrap();
    let all: Vec<String> = (0..TASKS).map(|id| format!("h{id:02}")).collect();
    fs::create_dir(folder.path().join("sub")).unwrap();
    let (x, y) = all.split_at(TASKS / 2);
    for (name, own) in [("x.org", x), ("y.org", y), ("sub/z.org", &[])] {
        fs::write(folder.path().join(name), own.iter().map(|id| task(id)).collect::<String>()).unwrap();
    }
    (folder, all)
}

/// The IDs in the Org files of the folders, sorted.
fn all_ids(folder: &Path) -> Vec<String> {
    let own = names(folder).into_iter().filter(|name| name != "sub");
    let text = |name: String| fs::read_to_string(folder.join(name)).unwrap();
    let sub = names(&folder.join("sub")).into_iter().map(|name| format!("sub/{name}"));
    let mut ids = Vec::new();
    for name in own.chain(sub).filter(|name| !name.rsplit('/').next().unwrap_or_default().starts_with('.')) {
        ids.extend(text(name).lines().filter_map(|line| line.strip_prefix(":ID: ")).map(str::to_owned));
    }
    ids.sort();
    ids
}

fn hidden(folder: &Path) -> Vec<String> {
    let all = [names(folder), names(&folder.join("sub"))].concat();
    all.into_iter().filter(|name| name.starts_with('.')).collect()
}

#[test]
fn a_killed_move_of_a_headline_is_completed_or_taken_back_by_the_next_call() {
    let (folder, all) = with_tasks();
    let folder = folder.path();
    // Opens all files, archives too.
    let look = || {
        let mut get = Command::new(PROGRAM);
        let output = get.args(["org", "--isolated", "get", "org://id/none"]).current_dir(folder).output();
        assert_eq!(output.unwrap().status.code(), Some(2));
    };
    let mut numbers = Numbers(17);
    let started = Instant::now();
    assert!(moving(folder, 0, &mut numbers).status().unwrap().success());
    let whole = started.elapsed();
    let (mut half, mut changed) = (0, 0);
    for round in 0..number("MOVES", 60) {
        let before = fs::read_to_string(folder.join("x.org")).unwrap();
        let id = numbers.below(all.len());
        kill_within(&mut moving(folder, id, &mut numbers).spawn().unwrap(), whole, &mut numbers);
        half += usize::from(all_ids(folder) != all);
        changed += usize::from(fs::read_to_string(folder.join("x.org")).unwrap() != before);
        look();
        assert_eq!(all_ids(folder), all, "round {round}");
        assert_eq!(hidden(folder), Vec::<String>::new(), "round {round}");
    }
    println!("{changed} files changed, {half} moves interrupted between their files");
}

#[test]
fn concurrent_moves_of_headlines_lose_and_double_none() {
    let (folder, all) = with_tasks();
    let folder = folder.path();
    let made: usize = std::thread::scope(|scope| {
        let movers: Vec<_> = (0..4)
            .map(|thread| {
                scope.spawn(move || {
                    let mut numbers = Numbers(19 + thread);
                    let count = number("MOVES", 60) / 4;
                    let tries = (0..count).map(|_| {
                        let id = numbers.below(24);
                        moving(folder, id, &mut numbers).status().unwrap().success()
                    });
                    tries.filter(|made| *made).count()
                })
            })
            .collect();
        movers.into_iter().map(|mover| mover.join().unwrap()).sum()
    });
    assert_eq!(all_ids(folder), all);
    assert_eq!(hidden(folder), Vec::<String>::new());
    assert!(made > 0, "{made}");
}

#[test]
fn a_full_disk_leaves_both_files_of_a_move() {
    let folder = tempfile::tempdir().unwrap();
    let large = "Text.\n".repeat(4_000);
    fs::write(folder.path().join("x.org"), format!("* TODO A\n* B\n{large}")).unwrap();
    fs::write(folder.path().join("y.org"), "* C\n").unwrap();
    let before = names(folder.path());
    let run = |arguments: &[&str]| {
        let script = "ulimit -f 16; trap '' XFSZ; exec \"$@\"";
        let mut command = Command::new("sh");
        command.args(["-c", script, "sh", PROGRAM, "org", "--isolated"]).args(arguments);
        command.current_dir(folder.path()).output().unwrap()
    };
    for arguments in [
        ["archive", "org://x.org/headline/A"].as_slice(),
        &["refile", "org://x.org/headline/A", "org://y.org"],
        &["refile", "org://x.org/headline/B", "org://y.org"],
        &["set", "org://x.org/headline/A", "--state", "DONE"],
    ] {
        let output = run(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert_eq!(names(folder.path()), before, "{arguments:?}");
        assert_eq!(fs::read_to_string(folder.path().join("y.org")).unwrap(), "* C\n", "{arguments:?}");
        assert!(fs::read_to_string(folder.path().join("x.org")).unwrap().ends_with(&large), "{arguments:?}");
    }
}

/// Documents, a result and a report of a run before.
fn with_old_files() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let broken = format!("{{\"items\": [{},]}}\n", "\"item\", ".repeat(5_000) + "1");
    fs::write(folder.path().join("a.json"), broken).unwrap();
    fs::write(folder.path().join("a.qmd"), "Text.\n\n".repeat(5_000)).unwrap();
    fs::write(folder.path().join("b.yaml"), "a: 1\n".repeat(500)).unwrap();
    fs::write(folder.path().join("a.html"), "old result").unwrap();
    fs::write(folder.path().join("report.json"), "{\"old\": true}").unwrap();
    folder
}

/// Runs that write large files.
const RUNS: &[&[&str]] = &[
    &["fix", "--isolated", "a.json"],
    &["convert", "--isolated", "--to", "html", "--force", "--output", "a.html", "a.qmd"],
    &["check", "--isolated", "--format", "json", "--exit-zero", "--output", "report.json", "b.yaml"],
];

/// Fails with a reason, and changes no file.
fn assert_refused(folder: &Path, arguments: &[&str], run: impl Fn(&[&str]) -> Output) {
    let contents = || -> Vec<_> {
        names(folder).into_iter().map(|name| (fs::read(folder.join(&name)).unwrap(), name)).collect()
    };
    let before = contents();
    let output = run(arguments);
    // Where the report is JSON, so is the error.
    let reason = String::from_utf8_lossy(&[output.stderr, output.stdout].concat()).into_owned();
    assert_eq!(output.status.code(), Some(2), "{arguments:?}: {reason}");
    assert!(reason.contains("cannot write `"), "{arguments:?}: {reason}");
    let changed: Vec<String> =
        contents().into_iter().zip(&before).filter(|(a, b)| a != *b).map(|((_, name), _)| name).collect();
    assert!(
        changed.is_empty() && contents().len() == before.len(),
        "{arguments:?} changed {changed:?}, now {:?}",
        names(folder)
    );
}

#[test]
fn a_full_disk_is_reported_and_leaves_the_old_files() {
    let folder = with_old_files();
    // No file may become larger than 8 KiB: writing ends there with an error, as on a full disk.
    let run = |arguments: &[&str]| {
        let script = "ulimit -f 16; trap '' XFSZ; exec \"$@\"";
        let mut command = Command::new("sh");
        command
            .args(["-c", script, "sh", PROGRAM])
            .args(arguments)
            .current_dir(folder.path())
            .output()
            .unwrap()
    };
    for arguments in RUNS {
        assert_refused(folder.path(), arguments, run);
    }
}

#[test]
fn a_folder_that_cannot_be_written_to_is_reported_and_keeps_the_old_files() {
    let folder = with_old_files();
    let set = |mode: u32| fs::set_permissions(folder.path(), fs::Permissions::from_mode(mode)).unwrap();
    let is_root = Command::new("id").arg("-u").output().unwrap().stdout == b"0\n";
    // No permission holds the superuser back.
    let other = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"];
    if is_root
        && !Command::new(other[0]).args(&other[1..]).arg("true").status().is_ok_and(|status| status.success())
    {
        return;
    }
    let run = |arguments: &[&str]| {
        let mut words: Vec<&str> = if is_root { other.to_vec() } else { Vec::new() };
        words.push(PROGRAM);
        Command::new(words[0]).args(&words[1..]).args(arguments).current_dir(folder.path()).output().unwrap()
    };
    set(0o555);
    for arguments in RUNS {
        assert_refused(folder.path(), arguments, run);
    }
    set(0o755);
}
