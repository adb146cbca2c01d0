//! A week is planned by tools only: how many calls that takes, and how many bytes.

use proofmark::internals::service::{Options, Toolset};
use serde_json::{Value, json};

use crate::client::{Client, Counted, Protocol, with_root};

const NOTES: &str = "#+STARTUP: logdone\n* Inbox\n** Ask Ann about the offer\n** Book the train\n* Work [0/3]\n** TODO Report :writing:\nDEADLINE: <2026-11-27 Fri>\n- [ ] figures\n- [ ] summary\n** TODO Review\nSCHEDULED: <2026-11-16 Mon +1w>\n** TODO Slides\n* Home\n** TODO Water the plants\nSCHEDULED: <2026-11-19 Thu .+3d>\n** DONE Paint\n* Talk <2026-11-25 Wed 15:00>\n";

#[tokio::test]
async fn a_week_is_planned_with_tools() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("notes.org"), NOTES).unwrap();
    let options = Options { toolsets: vec![Toolset::Org], ..with_root(folder.path()) };
    let client = Client::new(Protocol::Stateless, &options).await;
    let mut week = Counted::new(client);
    let uri = |path: &str| format!("org://notes.org/headline/{path}");

    // What there is, and what is due.
    let agenda = week.get("org_get_agenda_items", json!({"from": "2026-W48", "days": 7})).await;
    assert_eq!(agenda["total"], 6, "{agenda:#}");
    week.get("org_get_outline", json!({"resourceUri": "org://notes.org"})).await;
    // The inbox becomes tasks with dates.
    for (title, day) in
        [("Ask%20Ann%20about%20the%20offer", "2026-11-24"), ("Book%20the%20train", "2026-W48-3")]
    {
        let task = json!({
            "resourceUri": uri(&format!("Inbox/{title}")), "properties": {"TODO": "TODO", "SCHEDULED": day}
        });
        week.get("org_set_properties", task).await;
        let moved = json!({"resourceUri": uri(&format!("Inbox/{title}")), "targetUri": uri("Work")});
        week.get("org_refile", moved).await;
    }
    for (path, day) in [("Work/Report", "2026-11-26 09:00-11:00"), ("Work/Slides", "2026-11-25 10:00")] {
        week.get("org_schedule_task", json!({"resourceUri": uri(path), "scheduled": day})).await;
    }
    let send = json!({
        "parentUri": uri("Work"), "title": "Send the report", "todoState": "TODO", "scheduled": "2026-11-27"
    });
    week.get("org_add_todo", send).await;
    // Two tasks are done, one of them for this week.
    let states = json!({"changes": [
        {"resourceUri": uri("Work/Review"), "currentState": "TODO", "newState": "DONE"},
        {"resourceUri": uri("Home/Water%20the%20plants"), "currentState": "TODO", "newState": "DONE"},
    ]});
    week.get("org_update_todo_states", states).await;
    week.get("org_set_checkbox", json!({"resourceUri": uri("Work/Report"), "item": "figures"})).await;
    week.get("org_archive", json!({"resourceUri": uri("Home/Paint")})).await;
    let day = |item: &Value| (item["date"].clone(), item["headline"]["title"].clone());
    let agenda = week.get("org_get_agenda_items", json!({"from": "2026-W48", "days": 7})).await;
    let items: Vec<_> = agenda["items"].as_array().unwrap().iter().map(day).collect();
    for expected in [
        ("2026-11-24", "Ask Ann about the offer"),
        ("2026-11-25", "Slides"),
        ("2026-11-25", "Book the train"),
        ("2026-11-26", "Report"),
        ("2026-11-27", "Report"),
        ("2026-11-27", "Send the report"),
    ] {
        assert!(
            items.contains(&(json!(expected.0), json!(expected.1))),
            "{expected:?} is missing in {items:?}"
        );
    }
    println!("{} calls, {} bytes", week.calls, week.bytes);
    assert!(week.calls <= 16, "{} calls", week.calls);
    let text = std::fs::read_to_string(folder.path().join("notes.org")).unwrap();
    assert!(text.contains(":LAST_REPEAT:") && text.contains("- [X] figures"), "{text}");
}
