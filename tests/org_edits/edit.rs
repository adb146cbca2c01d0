//! Random edits: as calls of tools, and as Emacs is asked for them.

use serde_json::{Value, json};

use crate::{
    random::Random,
    server::{Answer, Server},
};

/// An edit of a headline of `notes.org`.
#[derive(Debug, Clone)]
pub(crate) struct Edit {
    tool: &'static str,
    arguments: Value,
    /// What Emacs is asked for.
    emacs: Value,
}

impl Edit {
    pub(crate) fn make(&self, server: &mut Server) -> Answer {
        server.call(self.tool, &self.arguments)
    }

    /// What Emacs is asked for, with the ID that the service has made.
    pub(crate) fn for_emacs(&self, answer: &Answer) -> Value {
        let mut edit = self.emacs.clone();
        if self.tool == "org_add_todo" {
            edit["id"] = answer.structured["orgId"].clone();
        }
        edit
    }

    pub(crate) fn name(&self) -> &str {
        self.emacs["op"].as_str().unwrap()
    }

    /// Line of the headline.
    pub(crate) fn line(&self) -> Option<u64> {
        self.emacs["line"].as_u64()
    }

    pub(crate) fn field(&self, name: &str) -> &Value {
        &self.emacs[name]
    }
}

/// The headlines of `notes.org`, and its TODO keywords.
pub(crate) struct Notes {
    headlines: Vec<Value>,
    states: Vec<String>,
}

const DATES: &[&str] = &[
    "<2026-03-02 Mon>",
    "<2026-02-28 Sat 10:00>",
    "<2026-03-05 Thu 10:00-11:30>",
    "<2026-03-01 Sun +1w>",
    "<2026-03-01 Sun 18:00 .+2d>",
];

const TITLES: &[&str] = &[
    "New title",
    "Title [0/0] with a cookie",
    "日本語 and more",
    "A title that is much longer than those before it, but not too long",
];

const NOTES: &[&str] = &["Because", "First line\nand a second one"];

const TAGS: &[&str] = &["new", "größe", "@home", "x", "a_very_long_tag_that_needs_its_space"];

const PROPERTIES: &[(&str, &str)] = &[
    ("Effort", "2:00"),
    ("effort", "0:10"),
    ("Owner", "Ann Smith"),
    ("A_LONG_PROPERTY", "with  spaces"),
    ("Payee", "Jones"),
    ("a", "changed"),
    ("Tab", "y"),
];

impl Notes {
    pub(crate) fn read(server: &mut Server) -> Self {
        let files = json!(["notes.org"]);
        let found = server.get("org_search_headlines", &json!({"query": "", "files": files}));
        let config = server.get("org_get_todo_config", &json!({"files": files}));
        let own = config["files"][0]["semantics"].as_array();
        let semantics = own.or(config["semantics"].as_array()).unwrap();
        let states = semantics.iter().map(|meaning| meaning["state"].as_str().unwrap().to_owned());
        Self { headlines: found["headlines"].as_array().unwrap().clone(), states: states.collect() }
    }

    /// A random edit of a random headline; nothing where there is nothing to edit.
    pub(crate) fn edit(&self, random: &mut Random) -> Option<Edit> {
        if self.headlines.is_empty() {
            return None;
        }
        let headline = random.one(&self.headlines);
        let uri = &headline["resourceUri"];
        let line = &headline["line"];
        let edit = |tool, arguments: Value, emacs: Value| {
            let (mut arguments, mut emacs) = (arguments, emacs);
            arguments["resourceUri"] = uri.clone();
            emacs["line"] = line.clone();
            Some(Edit { tool, arguments, emacs })
        };
        let date = random.one(DATES);
        match random.below(19) {
            0..=3 => {
                let state = if random.once_in(6) || self.states.is_empty() {
                    ""
                } else {
                    random.one::<String>(&self.states)
                };
                let now = headline["todo"].as_str().unwrap_or_default();
                let mut arguments = json!({"currentState": now, "newState": state});
                let mut emacs = json!({"op": "state", "state": state});
                if !state.is_empty() && random.once_in(3) {
                    let note = json!(random.one(NOTES));
                    arguments["note"] = note.clone();
                    emacs["note"] = note;
                }
                edit("org_update_todo_state", arguments, emacs)
            }
            4 => {
                edit("org_schedule_task", json!({"scheduled": date}), json!({"op": "schedule", "date": date}))
            }
            5 => {
                edit("org_schedule_task", json!({"deadline": date}), json!({"op": "deadline", "date": date}))
            }
            6 if random.once_in(2) => {
                edit("org_schedule_task", json!({"removeScheduled": true}), json!({"op": "unschedule"}))
            }
            6 => edit("org_schedule_task", json!({"removeDeadline": true}), json!({"op": "undeadline"})),
            7 => {
                let (key, value) = random.one(PROPERTIES);
                if random.once_in(3) {
                    edit(
                        "org_set_properties",
                        json!({"remove": [key]}),
                        json!({"op": "unproperty", "key": key}),
                    )
                } else {
                    edit(
                        "org_set_properties",
                        json!({"properties": {*key: value}}),
                        json!({"op": "property", "key": key, "value": value}),
                    )
                }
            }
            8 => Self::tags(headline, random, edit),
            9 => {
                let has_one = headline["priority"].is_string();
                let priority = if has_one && random.once_in(3) { " " } else { random.one(&["A", "B", "C"]) };
                edit(
                    "org_edit_headline",
                    json!({"currentTitle": headline["title"], "priority": priority.trim()}),
                    json!({"op": "priority", "priority": priority}),
                )
            }
            // Org 9.5 reads a priority of two digits as a part of the title.
            10 if headline["priority"].as_str().is_none_or(|priority| priority.len() == 1) => {
                let title = random.one(TITLES);
                edit(
                    "org_edit_headline",
                    json!({"currentTitle": headline["title"], "newTitle": title}),
                    json!({"op": "title", "title": title}),
                )
            }
            10 | 11 => Some(self.add(headline, random)),
            12 => Some(self.refile(headline, random)),
            13 => {
                let action = *random.one(&["promote", "demote", "up", "down"]);
                edit("org_restructure", json!({"action": action}), json!({"op": action}))
            }
            14 => edit(
                "org_restructure",
                json!({"action": "delete", "currentTitle": headline["title"]}),
                json!({"op": "delete"}),
            ),
            15 => edit("org_clock", json!({"action": "start"}), json!({"op": "clock-in"})),
            16 => edit("org_clock", json!({"action": "stop"}), json!({"op": "clock-out"})),
            17 => {
                let item = *random.one(&["passport", "bags", "small", "large", "tickets", "deep"]);
                edit("org_set_checkbox", json!({"item": item}), json!({"op": "checkbox", "item": item}))
            }
            _ => edit("org_archive", json!({}), json!({"op": "archive"})),
        }
    }

    fn tags(
        headline: &Value,
        random: &mut Random,
        edit: impl Fn(&'static str, Value, Value) -> Option<Edit>,
    ) -> Option<Edit> {
        // The service shows inherited tags, too; they are not own tags, and so not removed.
        let new = random.one(TAGS);
        edit(
            "org_edit_headline",
            json!({"currentTitle": headline["title"], "addTags": [new]}),
            json!({"op": "add-tag", "tag": new}),
        )
    }

    fn add(&self, headline: &Value, random: &mut Random) -> Edit {
        let title = random.one(TITLES);
        let mut arguments = json!({"title": title});
        let mut emacs = json!({"op": "add", "title": title});
        if random.once_in(5) {
            arguments["parentUri"] = json!("org://notes.org");
        } else {
            arguments["parentUri"] = headline["resourceUri"].clone();
            emacs["line"] = headline["line"].clone();
        }
        if random.once_in(2) && !self.states.is_empty() {
            let state = random.one(&self.states);
            arguments["todoState"] = json!(state);
            emacs["state"] = json!(state);
        }
        if random.once_in(2) {
            let tags = json!([random.one(TAGS)]);
            arguments["tags"] = tags.clone();
            emacs["tags"] = tags;
        }
        for name in ["scheduled", "deadline"] {
            if random.once_in(3) {
                let date = json!(random.one(DATES));
                arguments[name] = date.clone();
                emacs[name] = date;
            }
        }
        if random.once_in(2) {
            arguments["body"] = json!("Text below it.\n- and a list");
            emacs["body"] = json!("Text below it.\n- and a list");
        }
        Edit { tool: "org_add_todo", arguments, emacs }
    }

    fn refile(&self, headline: &Value, random: &mut Random) -> Edit {
        let (target_uri, emacs) = match random.below(6) {
            0 => (json!("org://notes.org"), json!({"file": "notes.org"})),
            1 => (json!("org://other.org/headline/Target/Below"), json!({"file": "other.org", "target": 2})),
            _ => {
                let target = random.one(&self.headlines);
                (target["resourceUri"].clone(), json!({"file": "notes.org", "target": target["line"]}))
            }
        };
        let mut emacs = emacs;
        emacs["op"] = json!("refile");
        emacs["line"] = headline["line"].clone();
        let arguments = json!({"resourceUri": headline["resourceUri"], "targetUri": target_uri});
        Edit { tool: "org_refile", arguments, emacs }
    }
}
