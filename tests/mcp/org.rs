//! The tools for Org files: a day of an agent.

use std::path::Path;

use proofmark::internals::service::{Options, Toolset};
use serde_json::{Value, json};

use crate::client::{Client, Protocol, with_root};

const NOTES: &str = "#+TODO: TODO NEXT | DONE\n#+FILETAGS: :all:\n* Work :work:\n** TODO [#A] Report [1/2] :urgent:\nSCHEDULED: <2026-01-31 Sat +1w>\n:PROPERTIES:\n:Effort:   1:30\n:END:\nWrite the invoice.\n** DONE Call Ann\n* Home\n:PROPERTIES:\n:ID: home-1\n:END:\n** TODO Paint\n** TODO Paint\n";

const REPORT: &str = "org://notes.org/headline/Work/Report%20%5B1%2F2%5D";

async fn client(root: &Path) -> Client {
    let options = Options { toolsets: vec![Toolset::Org], ..with_root(root) };
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
async fn the_toolset_is_offered_only_where_it_is_chosen() {
    async fn names(client: &Client) -> Vec<rmcp::model::Tool> {
        client.running.list_all_tools().await.unwrap()
    }
    let folder = notes();
    let usual = Client::new(Protocol::Stateless, &with_root(folder.path())).await;
    assert!(names(&usual).await.iter().all(|tool| !tool.name.starts_with("org_")));
    let chosen = names(&client(folder.path()).await).await;
    let org: Vec<_> = chosen.iter().filter(|tool| tool.name.starts_with("org_")).collect();
    assert_eq!(org.len(), 12);
    assert!(chosen.iter().any(|tool| tool.name == "validate"));
    assert!(chosen.iter().all(|tool| tool.name != "list_quills"));
    for tool in org {
        let writes = ["update", "schedule", "add", "edit", "set"].iter().any(|verb| tool.name.contains(verb));
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
