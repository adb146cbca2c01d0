//! A day of an agent, while an editor writes to the same files, and while the service is killed: nothing that was written
//! is lost.

use std::{
    fs,
    io::Write as _,
    path::{Path, PathBuf},
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::Duration,
};

use serde_json::{Value, json};

use crate::{
    amount,
    random::Random,
    server::{Answer, Server},
};

const NOTES: &str = "#+TITLE: Day\n* Inbox\n** TODO Buy paint\n** TODO Old thing\nText of the old thing.\n* Work [0/2]\n** TODO Report\nDEADLINE: <2026-02-27 Fri>\n** TODO Review\nSCHEDULED: <2026-02-20 Fri +1w>\n* Log\n";

const CONFIGURATION: &str = "";

fn start(folder: &Path) -> Server {
    Server::start(folder, CONFIGURATION)
}

fn fresh() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("notes.org"), NOTES).unwrap();
    fs::write(folder.path().join("work.org"), "* Projects\n").unwrap();
    folder
}

/// A step of the day, with what its text must contain once it is done.
struct Step {
    tool: &'static str,
    arguments: Value,
    mark: &'static str,
}

/// The changes that the agent makes in one day.
fn steps(round: usize) -> Vec<Step> {
    let step = |tool, arguments, mark| Step { tool, arguments, mark };
    vec![
        step(
            "org_schedule_task",
            json!({"resourceUri": "org://notes.org/headline/Work%20%5B0%2F2%5D/Report", "scheduled": "2026-02-26"}),
            "SCHEDULED: <2026-02-26 Thu>",
        ),
        step(
            "org_update_todo_state",
            json!({
                "resourceUri": "org://notes.org/headline/Work%20%5B0%2F2%5D/Review",
                "currentState": "TODO", "newState": "DONE"
            }),
            "SCHEDULED: <2026-02-27 Fri +1w>",
        ),
        step(
            "org_add_todo",
            json!({
                "parentUri": "org://notes.org/headline/Inbox", "title": format!("Call Ann {round}"),
                "todoState": "TODO"
            }),
            "Call Ann",
        ),
        step(
            "org_refile",
            json!({
                "resourceUri": "org://notes.org/headline/Inbox/Buy%20paint",
                "targetUri": "org://work.org/headline/Projects"
            }),
            "Buy paint",
        ),
        step(
            "org_archive",
            json!({"resourceUri": "org://notes.org/headline/Inbox/Old%20thing"}),
            "ARCHIVE_TIME",
        ),
    ]
}

/// All Org files of a folder as one text.
fn everything(folder: &Path) -> String {
    let mut paths: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| {
        let name = path.file_name().unwrap().to_string_lossy();
        name.contains(".org") && !name.starts_with('.') && !name.ends_with(".new")
    });
    paths.sort();
    paths.iter().map(|path| fs::read_to_string(path).unwrap()).collect()
}

#[test]
fn a_day_of_an_agent() {
    let folder = fresh();
    let mut server = start(folder.path());
    let found = server.get("org_search_headlines", &json!({"query": "report"}));
    assert_eq!(found["headlines"][0]["title"], "Report");
    for step in steps(0) {
        server.get(step.tool, &step.arguments);
        assert!(everything(folder.path()).contains(step.mark), "{}", everything(folder.path()));
    }
    let agenda = server.get("org_get_agenda_items", &json!({"from": "2026-02-25", "days": 3}));
    let titles: Vec<&str> = agenda["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|item| item["headline"]["title"].as_str().unwrap())
        .collect();
    assert_eq!(titles, ["Report", "Report", "Review"]);
    let notes = fs::read_to_string(folder.path().join("notes.org")).unwrap();
    let id = notes.lines().find_map(|line| line.strip_prefix(":ID:       ")).unwrap();
    let expected = format!(
        "#+TITLE: Day\n* Inbox\n** TODO Call Ann 0\n:PROPERTIES:\n:ID:       {id}\n:END:\n* Work [0/2]\n** TODO Report\nSCHEDULED: <2026-02-26 Thu> DEADLINE: <2026-02-27 Fri>\n** TODO Review\nSCHEDULED: <2026-02-27 Fri +1w>\n:PROPERTIES:\n:LAST_REPEAT: [2026-02-25 Wed 06:13]\n:END:\n- State \"DONE\"       from \"TODO\"       [2026-02-25 Wed 06:13]\n* Log\n"
    );
    assert_eq!(notes, expected);
    let work = fs::read_to_string(folder.path().join("work.org")).unwrap();
    assert_eq!(work, "* Projects\n** TODO Buy paint\n");
}

#[cfg(unix)]
#[test]
fn the_lock_of_emacs_refuses_an_edit() {
    let folder = fresh();
    let mut server = start(folder.path());
    for step in steps(0) {
        let lock = folder.path().join(".#notes.org");
        std::os::unix::fs::symlink("ann@host.42:1", &lock).unwrap();
        let answer = server.call(step.tool, &step.arguments);
        assert!(answer.is_error && answer.text.contains("unsaved changes in Emacs"), "{}", answer.text);
        assert_eq!(fs::read_to_string(folder.path().join("notes.org")).unwrap(), NOTES);
        fs::remove_file(lock).unwrap();
    }
    server.get("org_archive", &json!({"resourceUri": "org://notes.org/headline/Inbox/Old%20thing"}));
}

/// Edits a file as Emacs does it: the lock, the file as it is now, the new text, and the check before saving that
/// no other program has written. Whether it was saved.
#[cfg(unix)]
fn edit_as_emacs(folder: &Path, line: &str, pause: Duration) -> bool {
    let (lock, path) = (folder.join(".#notes.org"), folder.join("notes.org"));
    if std::os::unix::fs::symlink("ann@host.42:1", &lock).is_err() {
        return false;
    }
    let old = fs::read_to_string(&path).unwrap();
    thread::sleep(pause);
    let new = old.replacen("* Log\n", &format!("* Log\n{line}\n"), 1);
    let beside = folder.join("notes.org.new");
    fs::write(&beside, new).unwrap();
    // An editor that writes between this check and the renaming would itself lose what the service writes.
    let is_writing = folder.join(".notes.org.proofmark").exists();
    let is_unchanged = !is_writing && fs::read_to_string(&path).unwrap() == old;
    if is_unchanged {
        fs::rename(&beside, &path).unwrap();
    }
    fs::remove_file(&lock).unwrap();
    is_unchanged
}

/// Adds a line at the end, as a program without locks does it.
fn append(folder: &Path, line: &str) {
    let mut file = fs::OpenOptions::new().append(true).open(folder.join("notes.org")).unwrap();
    file.write_all(format!("{line}\n").as_bytes()).unwrap();
}

/// Makes a change until it is made; a refusal because the file has changed is right. Whether it was refused before.
fn insist(server: &mut Server, step: &Step) -> usize {
    for refusals in 0..2000 {
        let Answer { is_error, text, .. } = server.call(step.tool, &step.arguments);
        if !is_error {
            return refusals;
        }
        let is_right =
            ["changed", "unsaved changes in Emacs", "is writing"].iter().any(|why| text.contains(why));
        assert!(is_right, "{}: {text}", step.tool);
        thread::sleep(Duration::from_millis(1));
    }
    panic!("{} is refused for ever", step.tool);
}

/// Ends the other thread, also when a change fails.
#[cfg(unix)]
struct SetAtEnd<'b>(&'b AtomicBool);

#[cfg(unix)]
impl Drop for SetAtEnd<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[cfg(unix)]
#[test]
fn nothing_is_lost_while_an_editor_writes_the_same_files() {
    let rounds = amount("PROOFMARK_ORG_ROUNDS", 40).div_ceil(5);
    let folder = fresh();
    let mut server = start(folder.path());
    let (mut refusals, mut lines) = (0, 0);
    for round in 0..rounds {
        fs::write(folder.path().join("notes.org"), NOTES).unwrap();
        fs::write(folder.path().join("work.org"), "* Projects\n").unwrap();
        let _ = fs::remove_file(folder.path().join("notes.org_archive"));
        let is_over = AtomicBool::new(false);
        let written = thread::scope(|scope| {
            let editor = scope.spawn(|| {
                let mut random = Random::new(round as u64 + 1);
                let mut written = Vec::new();
                while !is_over.load(Ordering::Relaxed) {
                    let line = format!("editor {round} {}", written.len());
                    let pause = Duration::from_micros(random.below(4000) as u64);
                    if random.once_in(4) {
                        append(folder.path(), &line);
                        written.push(line);
                    } else if edit_as_emacs(folder.path(), &line, pause) {
                        written.push(line);
                    }
                    thread::sleep(Duration::from_micros(random.below(20_000) as u64));
                }
                written
            });
            let end = SetAtEnd(&is_over);
            for step in steps(round) {
                refusals += insist(&mut server, &step);
            }
            drop(end);
            editor.join().unwrap()
        });
        let all = everything(folder.path());
        let lost: Vec<&String> =
            written.iter().filter(|line| !all.lines().any(|found| found == line.as_str())).collect();
        assert!(lost.is_empty(), "round {round} lost {lost:?}\n{all}");
        for step in steps(round) {
            assert!(all.contains(step.mark), "round {round} lost {}\n{all}", step.mark);
        }
        lines += written.len();
    }
    println!("{} changes, {lines} lines of the editor, {refusals} refusals", rounds * 5);
}

#[test]
fn nothing_is_lost_when_the_service_is_killed() {
    let kills = amount("PROOFMARK_ORG_KILLS", 10);
    let mut random = Random::new(7);
    let (mut done, mut not_done) = (0, 0);
    for round in 0..kills {
        let folder = fresh();
        let all = steps(round);
        let mut server = start(folder.path());
        let before = random.below(all.len());
        for step in &all[..before] {
            server.get(step.tool, &step.arguments);
        }
        let step = &all[before];
        server.kill_while(step.tool, &step.arguments, Duration::from_micros(random.below(60_000) as u64));
        let text = everything(folder.path());
        for line in
            ["Buy paint", "Old thing", "Text of the old thing.", "Report", "Review", "* Log", "* Projects"]
        {
            assert!(text.contains(line), "round {round} lost {line}\n{text}");
        }
        if text.contains(step.mark) && step.mark != "Buy paint" {
            done += 1;
        } else {
            not_done += 1;
        }
        // Each file is whole, and the next service can go on.
        for name in ["notes.org", "work.org"] {
            let text = fs::read_to_string(folder.path().join(name)).unwrap();
            assert!(text.ends_with('\n') && text.starts_with(['#', '*']), "{text:?}");
        }
        let mut next = start(folder.path());
        let found = next.get("org_search_headlines", &json!({"query": "Old thing"}));
        assert!(found["total"].as_u64().is_some_and(|total| total <= 1));
        next.get(
            "org_schedule_task",
            &json!({"resourceUri": "org://notes.org/headline/Work%20%5B0%2F2%5D/Report", "deadline": "2026-03-01"}),
        );
    }
    println!("{kills} times killed: the change was made {done} times, and not or in part {not_done} times");
}
