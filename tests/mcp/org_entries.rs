//! Tools for Org files: naming and reading headlines, dates, clocks, checkboxes, the order of headlines, new files.

use std::{path::Path, sync::Arc};

use proofmark::internals::service::{Options, Toolset};
use serde_json::{Value, json};

use crate::client::{Client, Protocol, with_root};

const NOTES: &str = "#+TITLE: Notes\n* Projects [1/3]\n** DONE Old\n** TODO Same\nfirst\n** TODO Same\nsecond\n*** Deep\n* List [0/2]\n- [ ] passport\n- [-] bags\n  - [X] small\n  - [ ] large\n* Talk <2026-11-24 Tue 15:00>\n* TODO Tax\nDEADLINE: <2026-11-30 Mon>\n";

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("notes.org"), NOTES).unwrap();
    folder
}

async fn client(root: &Path) -> Client {
    let options = Options { toolsets: vec![Toolset::Org, Toolset::Repair], ..with_root(root) };
    Client::new(Protocol::Stateless, &options).await
}

fn text(folder: &tempfile::TempDir) -> String {
    std::fs::read_to_string(folder.path().join("notes.org")).unwrap()
}

#[tokio::test]
async fn every_headline_has_a_uri_that_stays() {
    let folder = folder();
    let client = client(folder.path()).await;
    let outline = client.get("org_get_outline", json!({"resourceUri": "org://notes.org"})).await;
    let headlines = outline["headlines"].as_array().unwrap();
    assert_eq!((headlines.len(), &outline["total"]), (8, &json!(8)));
    for headline in headlines {
        let read = client.get("org_get_headline", json!({"resourceUri": headline["resourceUri"]})).await;
        assert_eq!(read["headline"]["line"], headline["line"]);
        assert_eq!(read["hash"], outline["hash"]);
    }
    assert_eq!(headlines[0]["resourceUri"], "org://notes.org/headline/Projects");
    assert_eq!(headlines[3]["resourceUri"], "org://notes.org/headline/Projects/Same?nth=2");
    let found = client.get("org_search_headlines", json!({"query": "same"})).await;
    assert_eq!(found["headlines"][1]["resourceUri"], headlines[3]["resourceUri"]);
    assert_eq!(found["hashes"]["notes.org"], outline["hash"]);

    let both = json!({"resourceUri": "org://notes.org/headline/Projects/Same", "currentState": "TODO", "newState": "DONE"});
    let refusal = client.refused("org_update_todo_state", both).await;
    assert!(refusal.contains("Same?nth=1") && refusal.contains("one of these URIs"), "{refusal}");
    let second =
        json!({"resourceUri": headlines[3]["resourceUri"], "currentState": "TODO", "newState": "DONE"});
    client.get("org_update_todo_state", second).await;
    assert_eq!(
        text(&folder),
        NOTES.replace("[1/3]", "[2/3]").replace("TODO Same\nsecond", "DONE Same\nsecond")
    );
    // The cookie has changed, and the URI has not.
    client.get("org_get_headline", json!({"resourceUri": headlines[0]["resourceUri"]})).await;

    let line = json!({"resourceUri": "org://notes.org?line=4", "currentState": "TODO", "newState": "DONE"});
    client.get("org_update_todo_state", line).await;
    assert!(text(&folder).contains("[3/3]"), "{}", text(&folder));
    let inside = json!({"resourceUri": "org://notes.org?line=5", "currentState": "TODO", "newState": ""});
    let refusal = client.refused("org_update_todo_state", inside).await;
    assert!(refusal.contains("line 5 is not a headline: it is below `Same` on line 4"), "{refusal}");
    let read = client.get("org_get_headline", json!({"resourceUri": "org://notes.org?line=5"})).await;
    assert_eq!(read["headline"]["line"], 4);
}

#[tokio::test]
async fn a_headline_is_read_to_a_depth_and_an_outline_in_pages() {
    let folder = folder();
    let client = client(folder.path()).await;
    let read = client
        .get("org_get_headline", json!({"resourceUri": "org://notes.org/headline/Projects", "depth": 1}))
        .await;
    let shown = read["text"].as_str().unwrap();
    assert!(shown.contains("second") && !shown.contains("Deep"), "{shown}");
    assert_eq!(read["children"].as_array().unwrap().len(), 3);
    let file = client.get("org_get_headline", json!({"resourceUri": "org://notes.org"})).await;
    assert_eq!((&file["text"], file.get("headline")), (&json!("#+TITLE: Notes\n"), None));
    let top = json!({"resourceUri": "org://notes.org", "depth": 1, "limit": 3});
    let first = client.get("org_get_outline", top).await;
    assert_eq!((first["headlines"].as_array().unwrap().len(), &first["total"]), (3, &json!(4)));
    let rest =
        json!({"resourceUri": "org://notes.org", "depth": 1, "limit": 3, "cursor": first["nextCursor"]});
    let rest = client.get("org_get_outline", rest).await;
    assert_eq!(rest["headlines"][0]["title"], "Tax");
    assert!(rest.get("nextCursor").is_none());
}

#[tokio::test]
async fn an_id_that_two_headlines_have_names_none_of_them() {
    let folder = folder();
    let copy = "* A\n:PROPERTIES:\n:ID: x\n:END:\n";
    std::fs::write(folder.path().join("a.org"), copy).unwrap();
    std::fs::write(folder.path().join("b.org"), format!("Text\n{copy}")).unwrap();
    let client = client(folder.path()).await;
    let refusal = client.refused("org_get_headline", json!({"resourceUri": "org://id/x"})).await;
    assert!(refusal.contains("org://a.org?line=1") && refusal.contains("org://b.org?line=2"), "{refusal}");
}

#[tokio::test]
async fn a_file_that_is_not_utf_8_says_so() {
    let folder = folder();
    std::fs::write(folder.path().join("latin.org"), b"* Gr\xFC\xDFe\n").unwrap();
    let client = client(folder.path()).await;
    let refusal = client.refused("org_get_headline", json!({"resourceUri": "org://latin.org"})).await;
    assert!(refusal.contains("UTF-8") && !refusal.contains("does not exist"), "{refusal}");
}

#[tokio::test]
async fn checkboxes_clocks_and_the_order_of_headlines_change() {
    let folder = folder();
    let client = client(folder.path()).await;
    let list = "org://notes.org/headline/List";
    client.get("org_set_checkbox", json!({"resourceUri": list, "item": "passport"})).await;
    client.get("org_set_checkbox", json!({"resourceUri": list, "item": "large", "checked": true})).await;
    assert!(
        text(&folder).contains("* List [2/2]\n- [X] passport\n- [X] bags\n  - [X] small\n  - [X] large\n"),
        "{}",
        text(&folder)
    );
    let derived = client.refused("org_set_checkbox", json!({"resourceUri": list, "item": "bags"})).await;
    assert!(derived.contains("follows from those of the items below it"), "{derived}");

    let clock = |action: &str| json!({"resourceUri": "org://notes.org/headline/Tax", "action": action});
    client.get("org_clock", clock("start")).await;
    assert!(client.refused("org_clock", clock("start")).await.contains("a clock has been running"));
    let running = client.get("org_get_clock_sums", json!({})).await;
    assert_eq!(running["headlines"][0]["title"], "Tax");
    assert!(running["headlines"][0]["running"].is_string());
    client.get("org_clock", clock("stop")).await;
    assert!(text(&folder).contains(":LOGBOOK:\nCLOCK: ["), "{}", text(&folder));
    assert!(text(&folder).contains(" =>  0:0"), "{}", text(&folder));
    assert!(client.refused("org_clock", clock("stop")).await.contains("no clock is running"));

    let change =
        |action: &str| json!({"resourceUri": "org://notes.org/headline/Projects/Old", "action": action});
    client.get("org_restructure", change("down")).await;
    assert!(
        text(&folder).contains("** TODO Same\nfirst\n** DONE Old\n** TODO Same\nsecond\n"),
        "{}",
        text(&folder)
    );
    let promoted = client.get("org_restructure", change("promote")).await;
    assert_eq!(promoted["resourceUri"], "org://notes.org/headline/Old");
    let delete = json!({"resourceUri": "org://notes.org/headline/Old", "action": "delete"});
    assert!(client.refused("org_restructure", delete.clone()).await.contains("currentTitle"));
    let mut delete = delete;
    delete["currentTitle"] = json!("Old");
    client.get("org_restructure", delete).await;
    assert!(!text(&folder).contains("Old") && !text(&folder).contains("second"), "{}", text(&folder));
}

#[tokio::test]
async fn the_agenda_has_timestamps_and_warnings() {
    let folder = folder();
    let client = client(folder.path()).await;
    let agenda = client.get("org_get_agenda_items", json!({"from": "2026-11-23", "days": 3})).await;
    let items: Vec<_> = agenda["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|item| {
            let field = |name: &str| item[name].as_str().unwrap_or_default().to_owned();
            (field("date"), field("time"), field("type"), item["headline"]["title"].clone())
        })
        .collect();
    let item = |date: &str, time: &str, kind: &str, title: &str| {
        (date.to_owned(), time.to_owned(), kind.to_owned(), json!(title))
    };
    assert_eq!(
        items,
        [
            item("2026-11-23", "", "upcoming", "Tax"),
            item("2026-11-24", "15:00", "timestamp", "Talk <2026-11-24 Tue 15:00>"),
        ]
    );
}

#[tokio::test]
async fn titles_that_end_like_tags_keep_their_words() {
    let folder = folder();
    let client = client(folder.path()).await;
    let add = json!({"parentUri": "org://notes.org", "title": "Ratio a:b and :x:", "tags": ["home"]});
    client.get("org_add_todo", add).await;
    let found = client.get("org_search_headlines", json!({"query": "Ratio"})).await;
    assert_eq!(
        (&found["headlines"][0]["title"], &found["headlines"][0]["tags"]),
        (&json!("Ratio a:b and :x:"), &json!(["home"]))
    );
    let edit = json!({
        "resourceUri": "org://notes.org/headline/Tax", "currentTitle": "Tax", "newTitle": "Tax :y:", "addTags": ["home"]
    });
    client.get("org_edit_headline", edit).await;
    assert!(text(&folder).contains("* TODO Tax :y:"), "{}", text(&folder));
    client.get("org_add_todo", json!({"parentUri": "org://notes.org", "title": "Ratio :x:"})).await;
    client.get("org_add_todo", json!({"parentUri": "org://notes.org", "title": " :z:"})).await;
    let add = json!({"parentUri": "org://notes.org", "title": "Share :x:", "todoState": "TODO"});
    client.get("org_add_todo", add).await;
    let text = text(&folder);
    let has = |start: &str, end: &str| {
        text.lines().any(|line| line.strip_prefix(start).is_some_and(|rest| rest.trim_start() == end))
    };
    assert!(has("* Ratio ", ":x:") && has("* ", ":z:") && has("* TODO Share ", ":x:"), "{text}");
}

#[tokio::test]
async fn new_files_date_trees_and_properties_of_files() {
    let folder = folder();
    let client = client(folder.path()).await;
    let missing = json!({"parentUri": "org://log.org", "title": "Lunch"});
    assert!(client.refused("org_add_todo", missing).await.contains("cannot open the file"));
    let add =
        json!({"parentUri": "org://log.org", "title": "Lunch", "datetree": "2026-11-25", "create": true});
    client.get("org_add_todo", add.clone()).await;
    client.get("org_add_todo", add).await;
    let log = || std::fs::read_to_string(folder.path().join("log.org")).unwrap();
    assert!(
        log().starts_with("* 2026\n** 2026-11 November\n*** 2026-11-25 Wednesday\n**** Lunch\n"),
        "{}",
        log()
    );
    assert_eq!(log().matches("**** Lunch").count(), 2);
    let set = json!({"resourceUri": "org://log.org", "properties": {"CATEGORY": "diary"}});
    client.get("org_set_properties", set).await;
    assert!(log().starts_with(":PROPERTIES:\n:CATEGORY: diary\n:END:\n* 2026\n"), "{}", log());
    let read = client.get("org_get_properties", json!({"resourceUri": "org://log.org"})).await;
    assert_eq!(read["properties"], json!({"CATEGORY": "diary"}));
    client.get("org_set_properties", json!({"resourceUri": "org://log.org", "remove": ["CATEGORY"]})).await;
    assert!(log().starts_with("* 2026\n"), "{}", log());
}

#[tokio::test]
async fn files_are_created_and_not_replaced_unasked() {
    let folder = folder();
    let client = client(folder.path()).await;
    let write = |path: &str, content: &str| json!({"path": path, "content": content});
    let made = client.get("write_file", write("new.org", "* TODO A\n")).await;
    assert_eq!((&made["written"], &made["kind"], &made["errors"]), (&json!(true), &json!("org"), &json!(0)));
    let again = client.refused("write_file", write("new.org", "* B\n")).await;
    assert!(again.contains("exists already") && again.contains("overwrite"), "{again}");
    let mut replace = write("new.org", "* B\n");
    replace["overwrite"] = json!(true);
    replace["expect_hash"] = json!("0000000000000000");
    assert!(client.refused("write_file", replace.clone()).await.contains("has changed"));
    replace["expect_hash"] = made["hash"].clone();
    client.get("write_file", replace).await;
    assert_eq!(std::fs::read_to_string(folder.path().join("new.org")).unwrap(), "* B\n");

    client.get("write_file", write("refs.bib", "@book{a, title = {A}}\n")).await;
    assert!(client.refused("write_file", write("refs.bib", "")).await.contains("exists already"));
    let bad = client.call("write_file", write("bad.org", "* A\n:LOGBOOK:\n")).await;
    assert!(bad.is_error && bad.text.contains("OR103"), "{}", bad.text);
    assert!(!folder.path().join("bad.org").exists());
    let outside = folder.path().parent().unwrap().join("outside.org");
    for path in [
        "../outside.org",
        outside.to_str().unwrap(),
        ".hidden/a.org",
        "proofmark.toml",
        "run.sh",
        "x/.git/a.md",
    ] {
        let refused = client.call("write_file", write(path, "* A\n")).await;
        assert!(refused.is_error, "{path}");
    }
    assert!(!outside.exists());
}

#[tokio::test]
async fn additions_at_the_same_time_all_land() {
    let folder = folder();
    let client = Arc::new(client(folder.path()).await);
    let mut calls = tokio::task::JoinSet::new();
    for number in 0..40 {
        let client = Arc::clone(&client);
        let add =
            json!({"parentUri": "org://notes.org/headline/Projects", "title": format!("Task {number}")});
        calls.spawn(async move { client.call("org_add_todo", add).await });
    }
    let answers = calls.join_all().await;
    let failed: Vec<&str> =
        answers.iter().filter(|answer| answer.is_error).map(|answer| answer.text.as_str()).collect();
    assert!(failed.is_empty(), "{failed:?}");
    let text = text(&folder);
    assert!((0..40).all(|number| text.lines().any(|line| line == format!("** Task {number}"))), "{text}");
}

#[tokio::test]
async fn many_resources_come_in_pages() {
    let folder = folder();
    for number in 0..1100 {
        std::fs::write(folder.path().join(format!("{number:04}.org")), "* A\n").unwrap();
    }
    let client = client(folder.path()).await;
    let all = client.running.list_all_resources().await.unwrap();
    let files: std::collections::BTreeSet<_> = all
        .iter()
        .map(|resource| &resource.uri)
        .filter(|uri| uri.starts_with("org://") && !uri.starts_with("org://config/"))
        .collect();
    assert_eq!(files.len(), 1101);
    let first = client.running.list_resources(None).await.unwrap();
    assert_eq!((first.resources.len(), first.next_cursor.is_some()), (500, true));
}

/// What a value is after a change of state.
#[tokio::test]
async fn a_repeating_task_says_that_it_starts_again() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("notes.org"), "* TODO Water\nSCHEDULED: <2026-11-19 Thu .+3d>\n")
        .unwrap();
    let client = client(folder.path()).await;
    let done =
        json!({"resourceUri": "org://notes.org/headline/Water", "currentState": "TODO", "newState": "DONE"});
    let answer: Value = client.get("org_update_todo_state", done).await;
    assert_eq!(answer["newState"], "TODO");
    let text = text(&folder);
    assert!(text.contains(":LAST_REPEAT: [") && !text.contains("2026-11-19 Thu .+3d"), "{text}");
}
