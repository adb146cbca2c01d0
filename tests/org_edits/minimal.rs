//! Edits in both modes: lines that an edit is not about stay as they are, and the outline differs only as intended.

use std::{collections::BTreeSet, path::Path};

use serde_json::{Value, json};
use similar::{DiffTag, TextDiff};

use crate::{
    amount,
    emacs::{Made, edits, write},
    server::Server,
};

#[test]
fn edits_touch_only_what_they_are_about() {
    for configuration in ["[org]\nemacs_compat = false\n", "[org]\nemacs_compat = true\nlog_done = true\n"] {
        let folder = tempfile::tempdir().unwrap();
        let reading = tempfile::tempdir().unwrap();
        let mut reader = Server::start(reading.path(), "");
        let is_minimal = configuration.contains("false");
        edits(folder.path(), configuration, amount("PROOFMARK_ORG_EDITS", 80), |made| {
            check_lines(&made, is_minimal);
            check_outline(&made, &mut reader, reading.path(), is_minimal);
        });
    }
}

fn text(files: &crate::emacs::Files) -> &str {
    &files["notes.org"]
}

/// Lines of the old text that may change or get new ones after them, from 0.
fn allowed(old: &str, line: usize, is_minimal: bool) -> BTreeSet<usize> {
    let lines: Vec<&str> = old.split_inclusive('\n').collect();
    let level = |line: &str| {
        let line = line.trim_start_matches('\u{FEFF}');
        let stars = line.len() - line.trim_start_matches('*').len();
        (stars > 0 && line[stars..].starts_with([' ', '\t'])).then_some(stars)
    };
    let mut allowed = BTreeSet::from([line]);
    // The line of dates and the drawer, or where they are to be.
    let mut at = line + 1;
    if lines.get(at).is_some_and(|line| is_dates(line)) {
        allowed.insert(at);
        at += 1;
    }
    if lines.get(at).is_some_and(|line| line.trim().eq_ignore_ascii_case(":PROPERTIES:")) {
        while lines.get(at).is_some_and(|line| level(line).is_none()) {
            allowed.insert(at);
            if lines[at].trim().eq_ignore_ascii_case(":END:") {
                break;
            }
            at += 1;
        }
    }
    if is_minimal {
        return allowed;
    }
    // Cookies of the headlines above, repeaters in the text, and the final line break.
    let mut own = level(lines[line]).unwrap_or_else(|| panic!("line {line} is not a headline: {old:?}"));
    for at in (0..line).rev() {
        if let Some(found) = level(lines[at]).filter(|found| *found < own) {
            own = found;
            allowed.insert(at);
        }
    }
    let body = lines[line + 1..].iter().take_while(|line| level(line).is_none()).count();
    let is_repeated = |at: &usize| lines[*at].contains('<') && lines[*at].contains('+');
    allowed.extend((line + 1..=line + body).filter(is_repeated));
    allowed.insert(lines.len() - 1);
    allowed
}

/// Whether a line below a headline is one of dates.
fn is_dates(line: &str) -> bool {
    ["SCHEDULED:", "DEADLINE:", "CLOSED:"].iter().any(|keyword| line.trim_start().starts_with(keyword))
}

/// Edits that move lines or change marks in them: what they keep is words.
const OF_ORDER: [&str; 8] =
    ["promote", "demote", "up", "down", "delete", "clock-in", "clock-out", "checkbox"];

/// Checks that no word is lost, but those that are deleted.
fn check_words(made: &Made) {
    let counts = |text: &str| {
        let mut counts = std::collections::BTreeMap::<String, isize>::new();
        for word in text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
            // A checked box is a letter, and a cookie counts.
            if word != "X" && !word.chars().all(|c| c.is_ascii_digit()) {
                *counts.entry(word.to_owned()).or_default() += 1;
            }
        }
        counts
    };
    let (before, after) = (counts(text(&made.before)), counts(text(&made.after)));
    let lost: Vec<&String> = before
        .iter()
        .filter(|(word, count)| after.get(*word).unwrap_or(&0) < count)
        .map(|(word, _)| word)
        .collect();
    assert!(lost.is_empty() || made.edit.name() == "delete", "{:?} lost {lost:?}", made.edit);
}

fn check_lines(made: &Made, is_minimal: bool) {
    if OF_ORDER.contains(&made.edit.name()) {
        return check_words(made);
    }
    let (old, new) = (text(&made.before), text(&made.after));
    let Some(line) = made.edit.line().map(|line| usize::try_from(line).unwrap() - 1) else {
        assert!(new.starts_with(old.trim_end_matches('\n')), "{:?}", made.edit);
        return;
    };
    let diff = TextDiff::from_lines(old, new);
    let changes: Vec<_> = diff.ops().iter().filter(|op| op.tag() != DiffTag::Equal).collect();
    match made.edit.name() {
        // One block of lines is added.
        "add" if is_minimal => {
            let inserted: Vec<_> = changes.iter().filter(|op| !op.new_range().is_empty()).collect();
            let is_last = changes.iter().all(|op| op.old_range().end == old.split_inclusive('\n').count());
            assert!(inserted.len() == 1 && (changes[0].old_range().is_empty() || is_last), "{:?}", made.edit);
        }
        // One block is removed here, and added somewhere.
        "refile" | "archive" | "add" => {
            let mut lost = lost_lines(made);
            // What was archived before says now where it was last.
            lost.retain(|line| !line.trim_start().starts_with(":ARCHIVE_") || made.edit.name() != "archive");
            assert!(lost.is_empty() || !is_minimal, "{:?} lost {lost:?}", made.edit);
            assert!(lost.iter().all(|line| line.starts_with('*')), "{:?} lost {lost:?}", made.edit);
        }
        // A record of the change is added below the dates and the drawer, in the place of an empty line if there is one.
        "state" if !is_minimal || !made.edit.field("note").is_null() => {
            let allowed: BTreeSet<&str> = {
                let lines: Vec<&str> = old.lines().collect();
                allowed(old, line, is_minimal).into_iter().map(|at| lines[at]).collect()
            };
            let lost = lost_lines(made);
            let is_allowed = |lost: &String| {
                allowed.contains(lost.as_str())
                    || lost.starts_with('*') && allowed.iter().any(|line| line.ends_with(&lost[1..]))
            };
            assert!(lost.iter().all(is_allowed), "{:?} lost {lost:?}\n{}", made.edit, diff.unified_diff());
            assert!(
                made.edit.field("note").as_str().is_none_or(|note| {
                    note.lines().all(|line| new.lines().any(|new| new.trim() == line))
                })
            );
        }
        _ => {
            let allowed = allowed(old, line, is_minimal);
            for op in changes {
                let range = op.old_range();
                let touched: Vec<usize> =
                    if range.is_empty() { vec![range.start.saturating_sub(1)] } else { range.collect() };
                assert!(
                    touched.iter().all(|line| allowed.contains(line)),
                    "{:?} touched {touched:?} besides {allowed:?}\n{}",
                    made.edit,
                    diff.unified_diff()
                );
            }
        }
    }
}

/// Lines that are in no file any more. Stars do not count, since they are adapted.
fn lost_lines(made: &Made) -> Vec<String> {
    let of = |files: &crate::emacs::Files| -> Vec<String> {
        let lines = files.values().flat_map(|text| text.lines());
        let mut lines: Vec<String> = lines
            .map(|line| {
                let rest = line.trim_start_matches('*');
                let is_headline = rest.len() < line.len() && rest.starts_with(' ');
                if is_headline { format!("*{rest}") } else { line.to_owned() }
            })
            .filter(|line| !line.trim().is_empty())
            .collect();
        lines.sort();
        lines
    };
    let mut new = of(&made.after);
    let mut lost = of(&made.before);
    lost.retain(|line| match new.binary_search(line) {
        Ok(at) => {
            new.remove(at);
            false
        }
        Err(_) => true,
    });
    lost
}

/// The headlines of notes.org, without what says where they are.
fn headlines(
    server: &mut Server,
    folder: &Path,
    files: &crate::emacs::Files,
    is_minimal: bool,
) -> Vec<Value> {
    write(folder, files);
    let found = server.get("org_search_headlines", &json!({"query": "", "files": ["notes.org"]}));
    let mut headlines = found["headlines"].as_array().unwrap().clone();
    assert!(found["total"] == headlines.len() || headlines.len() == 200);
    for headline in &mut headlines {
        headline.as_object_mut().unwrap().remove("resourceUri");
        if !is_minimal {
            let title = headline["title"].as_str().unwrap();
            let title: String =
                title.chars().filter(|c| !c.is_ascii_digit() && !"[]/% ".contains(*c)).collect();
            headline["title"] = json!(title);
        }
    }
    headlines
}

fn check_outline(made: &Made, server: &mut Server, folder: &Path, is_minimal: bool) {
    if OF_ORDER.contains(&made.edit.name()) {
        return;
    }
    let mut before = headlines(server, folder, &made.before, is_minimal);
    let mut after = headlines(server, folder, &made.after, is_minimal);
    let index = before.iter().position(|headline| headline["line"] == *made.edit.field("line"));
    for headline in before.iter_mut().chain(&mut after) {
        headline.as_object_mut().unwrap().remove("line");
    }
    if before.len() == 200 || after.len() == 200 {
        return;
    }
    let edit = &made.edit;
    match edit.name() {
        "add" => {
            assert_eq!(after.len(), before.len() + 1, "{edit:?}");
            let at = (0..after.len()).find(|at| before.get(*at) != Some(&after[*at])).unwrap();
            let new = after.remove(at);
            assert_eq!(new["orgId"].as_str().map(str::len), Some(36), "{edit:?}");
            assert_eq!(after, before, "{edit:?}");
        }
        "refile" | "archive" => {
            let level = before[index.unwrap()]["level"].as_u64();
            let below = before[index.unwrap() + 1..].iter().take_while(|next| next["level"].as_u64() > level);
            let count = below.count() + 1;
            let rest = [&before[..index.unwrap()], &before[index.unwrap() + count..]].concat();
            let is_there = |headline: &&Value| !after.contains(headline);
            let missing: Vec<_> = rest.iter().filter(is_there).collect();
            assert!(missing.is_empty(), "{edit:?} lost {missing:?} of\n{}", text(&made.before));
        }
        name => {
            let index = index.unwrap();
            assert_eq!(after.len(), before.len(), "{edit:?}");
            let (old, new) = (before.remove(index), after.remove(index));
            // Tags of the headline count for those below it.
            if name != "add-tag" {
                assert_eq!(after, before, "{edit:?}");
            }
            check_headline(made, &old, &new, is_minimal);
        }
    }
}

/// Checks the headline that an edit is about.
fn check_headline(made: &Made, old: &Value, new: &Value, is_minimal: bool) {
    let edit = &made.edit;
    let repeats = !is_minimal && text(&made.before).contains('+');
    let after_dates =
        edit.line().and_then(|line| text(&made.before).lines().nth(usize::try_from(line).ok()? + 1));
    if !is_minimal && edit.name().starts_with("un") && after_dates.is_some_and(is_dates) {
        // In Emacs the next line that looks like dates takes the place of the one that goes.
        return;
    }
    if !is_minimal && old["title"].as_str().is_some_and(|title| title.contains('#')) {
        // To Emacs some of what looks like a priority in a title is one.
        return;
    }
    let field = |name: &str| edit.field(name).as_str().unwrap_or_default().to_owned();
    let (name, is_right) = match edit.name() {
        "state" => ("todo", new["todo"].as_str().unwrap_or_default() == field("state") || repeats),
        "schedule" => ("scheduled", new["scheduled"].as_str().unwrap()[..11] == field("date")[..11]),
        "deadline" => ("deadline", new["deadline"].as_str().unwrap()[..11] == field("date")[..11]),
        "unschedule" => ("scheduled", new["scheduled"].is_null()),
        "undeadline" => ("deadline", new["deadline"].is_null()),
        "priority" => ("priority", new["priority"].as_str().unwrap_or(" ") == field("priority")),
        "title" => ("title", !is_minimal || new["title"].as_str() == edit.field("title").as_str()),
        "add-tag" => ("tags", new["tags"].as_array().unwrap().contains(edit.field("tag"))),
        _ => ("orgId", true),
    };
    assert!(is_right, "{edit:?}: {new}");
    let (mut old, mut new) = (old.clone(), new.clone());
    for headline in [&mut old, &mut new] {
        let headline = headline.as_object_mut().unwrap();
        headline.remove(name);
        if repeats && name == "todo" {
            headline.remove("scheduled");
            headline.remove("deadline");
        }
    }
    assert_eq!(old, new, "{edit:?}");
}
