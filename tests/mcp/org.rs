//! The tools for Org files: a day of an agent.

use std::path::Path;

use proofmark::internals::service::{Options, Toolset};
use rmcp::model::CompletionContext;
use serde_json::{Value, json};

use crate::client::{Client, Protocol, configured, with_root};

const NOTES: &str = "#+TODO: TODO NEXT | DONE\n#+FILETAGS: :all:\n* Work :work:\n** TODO [#A] Report [1/2] :urgent:\nSCHEDULED: <2026-01-31 Sat +1w>\n:PROPERTIES:\n:Effort:   1:30\n:END:\nWrite the invoice.\n** DONE Call Ann\n* Home\n:PROPERTIES:\n:ID: home-1\n:END:\n** TODO Paint\n** TODO Paint\n";

const REPORT: &str = "org://notes.org/headline/Work/Report";

/// A client of a service that makes only the smallest changes.
async fn client(root: &Path) -> Client {
    let options = configured(root, "[org]\nemacs_compat = false\n");
    let options = Options { toolsets: vec![Toolset::Org], ..options };
    Client::new(Protocol::Stateless, &options).await
}

fn notes() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("notes.org"), NOTES).unwrap();
    std::fs::write(folder.path().join("old.org_archive"), "* Old invoice\n").unwrap();
    folder
}

fn read(folder: &tempfile::TempDir) -> String {
    std::fs::read_to_string(folder.path().join("notes.org")).unwrap()
}

fn titles(answer: &Value, key: &str) -> Vec<String> {
    let found = answer[key].as_array().unwrap();
    found.iter().map(|one| one["title"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn the_toolset_is_offered_where_it_is_chosen_or_there_are_org_files() {
    async fn names(client: &Client) -> Vec<rmcp::model::Tool> {
        client.running.list_all_tools().await.unwrap()
    }
    let folder = notes();
    let (empty, is_org) =
        (tempfile::tempdir().unwrap(), |tool: &rmcp::model::Tool| tool.name.starts_with("org_"));
    let usual = Client::new(Protocol::Stateless, &with_root(empty.path())).await;
    assert!(!names(&usual).await.iter().any(is_org));
    let found = Client::new(Protocol::Stateless, &with_root(folder.path())).await;
    assert!(names(&found).await.iter().any(is_org));
    let chosen = names(&client(folder.path()).await).await;
    let org: Vec<_> = chosen.iter().filter(|tool| tool.name.starts_with("org_")).collect();
    assert_eq!(org.len(), 24);
    assert!(chosen.iter().any(|tool| tool.name == "validate"));
    assert!(chosen.iter().all(|tool| tool.name != "list_quills"));
    for tool in org {
        let writes = [
            "update",
            "schedule",
            "add",
            "edit",
            "set_",
            "refile",
            "archive",
            "capture",
            "restructure",
            "org_clock",
        ]
        .iter()
        .any(|verb| tool.name.contains(verb));
        assert_eq!(tool.annotations.as_ref().unwrap().read_only_hint, Some(!writes), "{}", tool.name);
    }
}

#[tokio::test]
async fn headlines_tasks_and_text_are_found() {
    let folder = notes();
    let client = client(folder.path()).await;
    let found = client.get("org_search_headlines", json!({"query": "REPORT", "tags": ["work"]})).await;
    assert_eq!(titles(&found, "headlines"), ["Report [1/2]"]);
    let report = &found["headlines"][0];
    assert_eq!(report["resourceUri"], REPORT);
    assert_eq!(report["tags"], json!(["all", "work", "urgent"]));
    let none = json!({"query": "report", "excludeTags": ["urgent"]});
    assert_eq!(client.get("org_search_headlines", none).await["total"], 0);
    let home = client.get("org_search_headlines", json!({"query": "Home"})).await;
    assert_eq!(home["headlines"][0]["orgId"], "home-1");
    assert_eq!(home["headlines"][0]["resourceUri"], "org://id/home-1");

    let todos = client.get("org_get_todos", json!({})).await;
    assert_eq!(titles(&todos, "todos"), ["Report [1/2]", "Paint", "Paint"]);
    let due = json!({"scheduled": {"from": "2026-01-31", "to": "2026-01-31"}});
    assert_eq!(titles(&client.get("org_get_todos", due).await, "todos"), ["Report [1/2]"]);
    let done = client.get("org_get_todos", json!({"states": ["DONE"]})).await;
    assert_eq!(titles(&done, "todos"), ["Call Ann"]);

    let lines = client.get("org_search_content", json!({"query": "invoice"})).await;
    assert_eq!((&lines["total"], &lines["matches"][0]["line"]), (&json!(1), &json!(9)));
    assert_eq!(lines["matches"][0]["headline"]["resourceUri"], REPORT);
    let all = client.get("org_search_content", json!({"query": "invoice", "includeArchived": true})).await;
    assert_eq!(all["total"], 2);

    let properties = client.get("org_get_properties", json!({"resourceUri": REPORT})).await;
    assert_eq!(properties["properties"], json!({"Effort": "1:30"}));
    let config = client.get("org_get_todo_config", json!({})).await;
    assert_eq!(config["sequences"][0]["keywords"], json!(["TODO", "|", "DONE"]));
    assert_eq!(config["files"][0]["sequences"][0]["keywords"], json!(["TODO", "NEXT", "|", "DONE"]));
    assert_eq!(
        config["files"][0]["semantics"][2],
        json!({"state": "DONE", "isFinal": true, "sequenceType": "sequence"})
    );
    let tags = client.get("org_get_tag_config", json!({})).await;
    assert_eq!(tags["filetags"]["notes.org"], json!(["all"]));
    let agenda = client.get("org_get_agenda_items", json!({"from": "2026-02-01", "days": 7})).await;
    let items: Vec<_> =
        agenda["items"].as_array().unwrap().iter().map(|item| (&item["date"], &item["type"])).collect();
    assert_eq!(
        items,
        [(&json!("2026-02-01"), &json!("overdue")), (&json!("2026-02-07"), &json!("scheduled"))]
    );
}

#[tokio::test]
async fn a_note_at_the_end_of_a_file_keeps_how_the_file_ends() {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in
        [("a.org", "* TODO Pay\nOn time.\n"), ("b.org", "* TODO Pay\nOn time."), ("c.org", "* TODO Pay\n")]
    {
        std::fs::write(folder.path().join(name), text).unwrap();
        let client = client(folder.path()).await;
        let uri = format!("org://{name}/headline/Pay");
        let change =
            json!({"resourceUri": uri, "currentState": "TODO", "newState": "DONE", "note": "by card"});
        client.get("org_update_todo_state", change).await;
        let new = std::fs::read_to_string(folder.path().join(name)).unwrap();
        assert!(new.contains("- State \"DONE\"       from \"TODO\"") && new.contains("\n  by card"), "{new}");
        assert_eq!(new.ends_with('\n'), text.ends_with('\n'), "{new}");
    }
}

#[tokio::test]
async fn changes_keep_every_other_byte() {
    let folder = notes();
    let client = client(folder.path()).await;
    let next = json!({"resourceUri": REPORT, "currentState": "TODO", "newState": "NEXT"});
    let changed = client.get("org_update_todo_state", next.clone()).await;
    assert_eq!(
        (&changed["success"], &changed["previousState"], &changed["newState"]),
        (&json!(true), &json!("TODO"), &json!("NEXT"))
    );
    let expected = NOTES.replacen("** TODO", "** NEXT", 1);
    assert_eq!(read(&folder), expected);

    let again = client.call("org_update_todo_state", next).await;
    assert!(again.is_error);
    assert_eq!(again.structured["error"], "State mismatch");
    assert_eq!(
        (&again.structured["actualState"], &again.structured["expectedState"]),
        (&json!("NEXT"), &json!("TODO"))
    );
    assert_eq!(read(&folder), expected);

    let hash = changed["hash"].clone();
    let dry = json!({"resourceUri": REPORT, "scheduled": "2026-02-02", "expect_hash": hash, "dry_run": true});
    let shown = client.get("org_schedule_task", dry).await;
    assert_eq!(shown["written"], false);
    assert!(shown["diff"].as_str().unwrap().contains("+SCHEDULED: <2026-02-02 Mon +1w>"), "{shown}");
    assert_eq!(read(&folder), expected);

    let properties = json!({"resourceUri": REPORT, "properties": {"Effort": "2:00", "Owner": "Ann"}});
    client.get("org_set_properties", properties).await;
    let expected = expected.replace(":Effort:   1:30\n", ":Effort:   2:00\n:Owner: Ann\n");
    assert_eq!(read(&folder), expected);

    let title = json!({"resourceUri": REPORT, "currentTitle": "Report [1/2]", "newTitle": "Report", "removeTags": ["urgent"]});
    let renamed = client.get("org_edit_headline", title).await;
    assert_eq!(renamed["resourceUri"], "org://notes.org/headline/Work/Report");
    let expected = expected.replace("Report [1/2] :urgent:", "Report");
    assert_eq!(read(&folder), expected);

    let task = json!({"parentUri": "org://id/home-1", "title": "Buy paint", "todoState": "TODO", "deadline": "2026-02-07"});
    let added = client.get("org_add_todo", task).await;
    let id = added["orgId"].as_str().unwrap();
    let task = format!("** TODO Buy paint\nDEADLINE: <2026-02-07 Sat>\n:PROPERTIES:\n:ID: {id}\n:END:\n");
    assert_eq!(read(&folder), format!("{expected}{task}"));
    let found = client.get("org_get_properties", json!({"resourceUri": format!("org://id/{id}")})).await;
    assert_eq!(found["orgId"], added["orgId"]);
}

#[tokio::test]
async fn changes_that_cannot_be_made_say_why() {
    let folder = notes();
    let client = client(folder.path()).await;
    let state = |uri: &str, new: &str| json!({"resourceUri": uri, "currentState": "TODO", "newState": new});
    for (call, part) in [
        (state("org://notes.org/headline/Home/Paint", "DONE"), "ambiguous"),
        (state("org://notes.org/headline/Nothing", "DONE"), "cannot find the headline"),
        (state("org://id/nothing", "DONE"), "cannot find the ID"),
        (state("org://notes.org", "DONE"), "not a whole file"),
        (state("org://../secret.org/headline/A", "DONE"), "cannot open the file"),
        (state("notes.org", "DONE"), "not a resource URI"),
        (state(REPORT, "WAITING"), "TODO, NEXT, DONE"),
    ] {
        let refusal = client.refused("org_update_todo_state", call.clone()).await;
        assert!(refusal.contains(part), "{part}: {refusal}");
    }
    let stale = json!({"resourceUri": REPORT, "scheduled": "2026-02-02", "expect_hash": "0000"});
    assert!(client.refused("org_schedule_task", stale).await.contains("has changed"));
    let date = json!({"resourceUri": REPORT, "scheduled": "2026-02-30"});
    assert!(client.refused("org_schedule_task", date).await.contains("not a date"));
    let lock = folder.path().join(".#notes.org");
    std::fs::write(&lock, "").unwrap();
    let locked = client.refused("org_update_todo_state", state(REPORT, "DONE")).await;
    assert!(locked.contains("unsaved changes"), "{locked}");
    assert_eq!(read(&folder), NOTES);
}

#[tokio::test]
async fn headlines_move_with_everything_below_them() {
    let folder = notes();
    std::fs::write(folder.path().join("work.org"), "#+TODO: TODO NEXT | DONE\n* Projects\n** A\n* Z\n")
        .unwrap();
    let client = client(folder.path()).await;
    let to_projects = json!({"resourceUri": REPORT, "targetUri": "org://work.org/headline/Projects"});
    let mut dry = to_projects.clone();
    dry["dry_run"] = json!(true);
    let shown = client.get("org_refile", dry).await;
    assert_eq!(shown["files"].as_array().unwrap().len(), 2);
    assert_eq!(read(&folder), NOTES);

    let moved = client.get("org_refile", to_projects).await;
    assert_eq!(moved["resourceUri"], "org://work.org/headline/Projects/Report");
    let start = NOTES.find("** TODO [#A]").unwrap();
    let end = NOTES.find("** DONE Call").unwrap();
    let subtree = &NOTES[start..end];
    let work = std::fs::read_to_string(folder.path().join("work.org")).unwrap();
    assert_eq!(work, format!("#+TODO: TODO NEXT | DONE\n* Projects\n** A\n{subtree}* Z\n"));
    assert_eq!(read(&folder), NOTES.replace(subtree, ""));

    let home = json!({"resourceUri": "org://id/home-1", "targetUri": "org://notes.org/headline/Work"});
    let moved = client.get("org_refile", home.clone()).await;
    assert_eq!(moved["resourceUri"], "org://id/home-1");
    assert!(
        read(&folder)
            .ends_with("** Home\n:PROPERTIES:\n:ID: home-1\n:END:\n*** TODO Paint\n*** TODO Paint\n")
    );
    let inside = json!({"resourceUri": "org://notes.org/headline/Work", "targetUri": "org://id/home-1"});
    assert!(client.refused("org_refile", inside).await.contains("below itself"));
}

#[tokio::test]
async fn a_headline_that_would_be_read_differently_is_not_moved() {
    let folder = notes();
    std::fs::write(folder.path().join("plain.org"), "* A\n").unwrap();
    let client = client(folder.path()).await;
    let next = json!({"resourceUri": REPORT, "currentState": "TODO", "newState": "NEXT"});
    client.get("org_update_todo_state", next).await;
    let before = read(&folder);
    let call = json!({"resourceUri": REPORT, "targetUri": "org://plain.org"});
    let refusal = client.refused("org_refile", call).await;
    assert!(refusal.contains("`NEXT`") && refusal.contains("plain.org"), "{refusal}");
    assert_eq!(read(&folder), before);
    assert_eq!(std::fs::read_to_string(folder.path().join("plain.org")).unwrap(), "* A\n");
}

#[tokio::test]
async fn the_archive_is_made_and_says_where_a_headline_was() {
    let folder = notes();
    let client = client(folder.path()).await;
    let moved = client.get("org_archive", json!({"resourceUri": REPORT})).await;
    assert_eq!(moved["files"][0]["file"], "notes.org_archive");
    let archive = std::fs::read_to_string(folder.path().join("notes.org_archive")).unwrap();
    let start =
        "#+TODO: TODO NEXT | DONE\n* TODO [#A] Report [1/2] :urgent:\nSCHEDULED: <2026-01-31 Sat +1w>\n";
    assert!(archive.starts_with(start), "{archive}");
    for line in
        [":Effort:   1:30", ":ARCHIVE_FILE: notes.org", ":ARCHIVE_OLPATH: Work", ":ARCHIVE_ITAGS: all work"]
    {
        assert!(archive.lines().any(|found| found == line), "{line} is missing in {archive}");
    }
    assert!(archive.ends_with("Write the invoice.\n"));
    assert!(!read(&folder).contains("Report"));
    let call = json!({"resourceUri": "org://notes.org/headline/Work/Call%20Ann"});
    client.get("org_archive", call).await;
    let both = std::fs::read_to_string(folder.path().join("notes.org_archive")).unwrap();
    assert!(both.starts_with(&archive) && both.contains("\n* DONE Call Ann\n"), "{both}");
}

#[tokio::test]
async fn several_states_change_together_or_not_at_all() {
    let folder = notes();
    std::fs::write(folder.path().join("work.org"), "* TODO A\n").unwrap();
    let client = client(folder.path()).await;
    let change = |uri: &str, new: &str| json!({"resourceUri": uri, "currentState": "TODO", "newState": new});
    let bad = json!({"changes": [change("org://work.org/headline/A", "DONE"), change(REPORT, "WAITING")]});
    assert!(client.refused("org_update_todo_states", bad).await.contains("WAITING"));
    assert_eq!(std::fs::read_to_string(folder.path().join("work.org")).unwrap(), "* TODO A\n");
    let good = json!({"changes": [change("org://work.org/headline/A", "DONE"), change(REPORT, "NEXT")]});
    let changed = client.get("org_update_todo_states", good).await;
    assert_eq!(changed["files"].as_array().unwrap().len(), 2);
    assert_eq!(std::fs::read_to_string(folder.path().join("work.org")).unwrap(), "* DONE A\n");
    assert_eq!(read(&folder), NOTES.replacen("** TODO", "** NEXT", 1));
}

#[tokio::test]
async fn text_below_a_headline_is_edited() {
    let folder = notes();
    let client = client(folder.path()).await;
    let call = json!({"resourceUri": REPORT, "oldText": "invoice", "newText": "letter"});
    client.get("org_edit_body", call.clone()).await;
    assert_eq!(read(&folder), NOTES.replace("the invoice", "the letter"));
    assert!(client.refused("org_edit_body", call).await.contains("does not occur"));
}

#[tokio::test]
async fn files_outlines_and_headlines_are_resources() {
    let folder = notes();
    let client = client(folder.path()).await;
    let listed = client.running.list_all_resources().await.unwrap();
    let uris: Vec<&str> = listed.iter().map(|resource| resource.uri.as_str()).collect();
    assert!(uris.contains(&"org://notes.org") && uris.contains(&"org://config/todo-states"), "{uris:?}");
    let templates = client.running.list_all_resource_templates().await.unwrap();
    assert!(templates.iter().any(|template| template.uri_template == "org://{+file}/headline/{+path}"));
    for (uri, expected) in [
        ("org://notes.org", NOTES),
        ("org://id/home-1", "* Home\n:PROPERTIES:\n:ID: home-1\n:END:\n** TODO Paint\n** TODO Paint\n"),
        ("org://notes.org/headline/Work/Call%20Ann", "** DONE Call Ann\n"),
    ] {
        assert_eq!(resource(&client, uri).await.unwrap(), expected, "{uri}");
    }
    let outline: Value =
        serde_json::from_str(&resource(&client, "org://notes.org/outline").await.unwrap()).unwrap();
    assert_eq!(outline["headlines"].as_array().unwrap().len(), 6);
    assert!(resource(&client, "org://config/todo-states").await.unwrap().contains("DONE"));
    for uri in ["org://notes.org/headline/Home/Paint", "org://../secret.org", "org://id/nothing"] {
        assert!(resource(&client, uri).await.is_err(), "{uri}");
    }
}

async fn with_config(folder: &Path, toml: &str) -> Client {
    let options = Options { toolsets: vec![Toolset::Org], ..configured(folder, toml) };
    Client::new(Protocol::Stateless, &options).await
}

#[tokio::test]
async fn only_the_configured_files_are_seen() {
    let folder = notes();
    std::fs::write(folder.path().join("private.org"), "* Secret\n").unwrap();
    let client = with_config(folder.path(), "[org]\nfiles = [\"notes.org\"]\n").await;
    let found = client.get("org_search_headlines", json!({"query": ""})).await;
    assert!(titles(&found, "headlines").iter().all(|title| title != "Secret"), "{found}");
    let call = json!({"resourceUri": "org://private.org/headline/Secret"});
    assert!(client.refused("org_get_properties", call).await.contains("cannot open the file"));
    let away = json!({"resourceUri": REPORT, "targetUri": "org://private.org"});
    assert!(client.refused("org_refile", away).await.contains("cannot open the file"));
    assert!(resource(&client, "org://private.org").await.is_err());
}

#[tokio::test]
async fn headlines_are_added_in_configured_forms() {
    let folder = notes();
    let config = "[org.capture.call]\nparent = \"org://notes.org/headline/Home\"\ntitle = \"Call {{ who }}\"\nstate = \"TODO\"\ntags = [\"phone\"]\nbody = \"Since {{ today }}\"\n";
    let client = with_config(folder.path(), config).await;
    let call = json!({"template": "call", "values": {"who": "Ann"}});
    client.get("org_capture", call).await;
    let text = read(&folder);
    let has_line =
        text.lines().any(|line| line.starts_with("** TODO Call Ann ") && line.ends_with(" :phone:"));
    assert!(has_line && text.contains("\nSince 20"), "{text}");
    let missing = client.refused("org_capture", json!({"template": "call"})).await;
    assert!(missing.contains("needs values for who"), "{missing}");
    let unknown = client.refused("org_capture", json!({"template": "cal"})).await;
    assert!(unknown.contains("did you mean `call`?"), "{unknown}");

    let config =
        "[org.capture.call]\nparent = \"org://notes.org\"\ntitle = \"Call\"\nscheduled = \"{day}\"\n";
    let client = with_config(folder.path(), config).await;
    let braces = client.refused("org_capture", json!({"template": "call", "values": {"day": "fri"}})).await;
    assert!(braces.contains("`{day}` in the template") && braces.contains("`{{ day }}`"), "{braces}");
    let none = client.refused("org_capture", json!({"template": "call"})).await;
    assert!(none.contains("`{{ day }}`"), "{none}");
}

#[tokio::test]
async fn configurations_of_very_many_files_are_cut() {
    let folder = tempfile::tempdir().unwrap();
    for number in 0..203 {
        let text = format!("#+FILETAGS: :f{number}:\n#+TODO: OPEN{number} | DONE\n* OPEN{number} A :own:\n");
        std::fs::write(folder.path().join(format!("{number}.org")), text).unwrap();
    }
    let client = client(folder.path()).await;
    let tags = client.get("org_get_tag_config", json!({})).await;
    let todo = client.get("org_get_todo_config", json!({})).await;
    assert_eq!(tags["filetags"].as_object().unwrap().len(), 200);
    assert_eq!(todo["files"].as_array().unwrap().len(), 200);
    assert_eq!((&tags["moreFiles"], &todo["moreFiles"]), (&json!(3), &json!(3)));
    assert_eq!(tags["used"]["own"], 203, "all are counted");
    let one = client.call("org_get_tag_config", json!({"files": ["202.org"]})).await;
    assert_eq!(one.structured["filetags"], json!({"202.org": ["f202"]}));
    assert_eq!(one.structured.get("moreFiles"), None);
    let text = client.call("org_get_todo_config", json!({})).await.text;
    assert!(text.contains("and 3 files more: name them in `files` to see theirs"), "{text}");
}

async fn resource(client: &Client, uri: &str) -> Result<String, rmcp::ServiceError> {
    let request = rmcp::model::ReadResourceRequestParams::new(uri);
    let read = client.running.read_resource(request).await?;
    Ok(match &read.contents[0] {
        rmcp::model::ResourceContents::TextResourceContents { text, .. } => text.clone(),
        other => panic!("{other:?}"),
    })
}

#[tokio::test]
async fn a_section_is_exported_or_the_program_for_it_named() {
    let folder = notes();
    let client = client(folder.path()).await;
    let call = json!({"resourceUri": "org://notes.org/headline/Work", "format": "markdown"});
    let answer = client.call("org_export_section", call).await;
    if answer.is_error {
        assert!(answer.text.contains("pandoc") && answer.text.contains("install"), "{}", answer.text);
        let is_required = std::env::var_os("PROOFMARK_REQUIRE_PANDOC").is_some();
        assert!(!is_required, "pandoc is required and is not in PATH");
        eprintln!("SKIPPED: pandoc is not in PATH, so no section is exported");
    } else {
        let text = answer.structured["text"].as_str().unwrap();
        assert!(text.starts_with("# Work") && text.contains("Write the invoice."), "{text}");
        assert!(text.contains("TODO") && !text.contains("<span"), "keywords and tags are words: {text}");
    }
}

#[tokio::test]
async fn org_text_is_validated_and_taught() {
    let folder = notes();
    let client = client(folder.path()).await;
    let answer = client.get("validate", json!({"text": "* A\n:LOGBOOK:\n", "kind": "org"})).await;
    assert_eq!(answer["diagnostics"][0]["id"], "OR103");
    let all = Client::new(Protocol::Stateless, &Options::default()).await;
    let summary = all.get("get_schema_summary", json!({"kind": "org"})).await.to_string();
    assert!(summary.contains("headline") && summary.contains("SCHEDULED"), "{summary}");
    let examples = all.get("list_examples", json!({})).await;
    let id = examples["examples"]
        .as_array()
        .unwrap()
        .iter()
        .find(|one| one["kind"] == "org")
        .map(|one| &one["id"]);
    let example = all.get("get_example", json!({"id": id.unwrap()})).await.to_string();
    assert!(example.contains("* "), "{example}");
}

#[tokio::test]
async fn queries_combine_conditions_and_come_in_pages() {
    let folder = notes();
    let client = client(folder.path()).await;
    let found = async |arguments: Value| titles(&client.get("org_get_todos", arguments).await, "todos");
    assert_eq!(
        found(json!({"tags": ["work"], "states": ["TODO", "DONE"]})).await,
        ["Report [1/2]", "Call Ann"]
    );
    assert_eq!(found(json!({"tags": ["work"], "inherited": false})).await, Vec::<String>::new());
    assert_eq!(found(json!({"tags": ["urgent"], "inherited": false})).await, ["Report [1/2]"]);
    assert_eq!(found(json!({"properties": {"effort": "1:30"}})).await, ["Report [1/2]"]);
    assert_eq!(
        found(json!({"properties": {"Effort": "*"}, "level": {"min": 3}})).await,
        Vec::<String>::new()
    );
    assert_eq!(found(json!({"text": "write THE"})).await, ["Report [1/2]"]);
    assert_eq!(found(json!({"query": "pAi", "exclude_tags": ["work"]})).await, ["Paint", "Paint"]);
    let own = json!({"query": "", "properties": {"ID": "home-1"}, "inherited": true});
    let own = client.get("org_search_headlines", own).await;
    assert_eq!(titles(&own, "headlines"), ["Home", "Paint", "Paint"]);

    let first = client.get("org_get_todos", json!({"limit": 2})).await;
    assert_eq!((titles(&first, "todos").len(), &first["total"]), (2, &json!(3)));
    let rest = client.get("org_get_todos", json!({"limit": 2, "cursor": first["nextCursor"]})).await;
    assert_eq!(titles(&rest, "todos"), ["Paint"]);
    assert!(rest.get("nextCursor").is_none());
    let other = json!({"tags": ["work"], "cursor": first["nextCursor"]});
    let refused = client.refused("org_get_todos", other).await;
    assert!(refused.contains("`cursor` is not the `nextCursor`"), "{refused}");

    let lines = client.get("org_search_content", json!({"query": "paint", "limit": 1})).await;
    assert_eq!((&lines["total"], &lines["matches"][0]["line"]), (&json!(2), &json!(15)));
    let next = json!({"query": "paint", "limit": 1, "cursor": lines["nextCursor"]});
    assert_eq!(client.get("org_search_content", next).await["matches"][0]["line"], 16);
    let inside = json!({"query": "i", "tags": ["urgent"]});
    assert_eq!(client.get("org_search_content", inside).await["total"], 2);

    let days = |more: Value| {
        let mut query = json!({"from": "2026-02-01", "days": 14});
        query.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        query
    };
    let all = client.get("org_get_agenda_items", days(json!({}))).await;
    assert_eq!(all["total"], 3);
    let mut seen = Vec::new();
    let mut cursor = json!(null);
    loop {
        let page = client.get("org_get_agenda_items", days(json!({"limit": 1, "cursor": cursor}))).await;
        seen.extend(page["items"].as_array().unwrap().clone());
        match page.get("nextCursor") {
            Some(next) => cursor = next.clone(),
            None => break,
        }
    }
    assert_eq!(json!(seen), all["items"]);
    assert_eq!(client.get("org_get_agenda_items", days(json!({"states": ["NEXT"]}))).await["total"], 0);
}

#[tokio::test]
async fn variables_of_templates_are_completed() {
    let folder = notes();
    let client = client(folder.path()).await;
    let complete = async |uri: &str, name: &str, begun: &str, file: Option<&str>| {
        let known = file.map(|file| [("file".to_owned(), file.to_owned())].into());
        let context = known.map(CompletionContext::with_arguments);
        client.running.complete_resource_argument(uri, name, begun, context).await.unwrap().values
    };
    assert_eq!(complete("org://{+file}", "file", "", None).await, ["notes.org", "old.org_archive"]);
    assert_eq!(complete("org://id/{id}", "id", "HO", None).await, ["home-1"]);
    let headline = "org://{+file}/headline/{+path}";
    assert_eq!(complete(headline, "path", "work/c", Some("notes.org")).await, ["Work/Call%20Ann"]);
    assert_eq!(complete(headline, "path", "", Some("../secret.org")).await, Vec::<String>::new());
}

#[tokio::test]
async fn setup_files_count_in_queries_and_changes() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    write("notes.org", "#+SETUPFILE: shared/setup.org\n* WAIT Report\n");
    std::fs::create_dir(folder.path().join("shared")).unwrap();
    let client = client(folder.path()).await;
    let tasks = async || {
        let found = client.get("org_get_todos", json!({"files": null})).await;
        (titles(&found, "todos"), found["todos"][0]["tags"].clone())
    };
    assert_eq!(tasks().await.0, Vec::<String>::new());
    write("shared/setup.org", "#+TODO: WAIT | SENT\n#+FILETAGS: :mail:\n#+PROPERTY: Area work\n");
    assert_eq!(tasks().await, (vec!["Report".to_owned()], json!(["mail"])));
    let inherited = json!({"query": "", "properties": {"area": "work"}, "inherited": true});
    assert_eq!(client.get("org_search_headlines", inherited).await["total"], 1);
    let uri = "org://notes.org/headline/Report";
    let sent = json!({"resourceUri": uri, "currentState": "WAIT", "newState": "SENT"});
    let answer = client.get("org_update_todo_state", sent).await;
    assert_eq!(answer["newState"], "SENT");
    assert_eq!(tasks().await.0, Vec::<String>::new());
    let done = client.get("org_get_todos", json!({"states": ["SENT"]})).await;
    assert_eq!(done["total"], 1);
}
