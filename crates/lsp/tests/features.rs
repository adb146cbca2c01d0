//! What the server answers about the content of documents.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a failed expectation fails the test"
)]

mod client;

use std::{fmt::Write as _, fs, path::Path, thread, time::Duration};

use client::{Editor, apply, change, examples, offset, position, project, pulling, renamed, uri, validated};
use serde_json::{Value, json};

/// A document in an editor; `|` in the text is where the cursor is.
struct Opened {
    editor: Editor,
    uri: String,
    text: String,
    cursor: Value,
    _folder: tempfile::TempDir,
}

impl Opened {
    fn new(name: &str, marked: &str) -> Self {
        Self::with_files(name, marked, &[])
    }

    fn with_files(name: &str, marked: &str, files: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let mut editor = Editor::start(folder.path(), pulling("utf-8"));
        let at = marked.find('|').unwrap_or(0);
        let text = marked.replacen('|', "", 1);
        let uri = uri(&folder.path().join(name));
        editor.open(&uri, &text);
        let cursor = position(&text, at);
        Self { editor, uri, text, cursor, _folder: folder }
    }

    fn ask(&mut self, method: &str) -> Value {
        self.ask_with(method, json!({})).unwrap()
    }

    fn ask_with(&mut self, method: &str, more: Value) -> Result<Value, Value> {
        let mut params = json!({"textDocument": {"uri": self.uri}, "position": self.cursor});
        for (key, value) in more.as_object().unwrap() {
            params[key] = value.clone();
        }
        self.editor.ask(method, params)
    }

    /// The text at a range.
    fn at(&self, range: &Value) -> String {
        let place = |end: &str| offset(&self.text, &range[end], "utf-8");
        self.text[place("start")..place("end")].to_owned()
    }

    /// The first proposals.
    fn proposals(&mut self, most: usize) -> Vec<String> {
        let answer = self.ask("textDocument/completion");
        let items = answer["items"].as_array().unwrap().iter().take(most);
        items.map(|item| item["label"].as_str().unwrap().to_owned()).collect()
    }

    /// The text after a proposal was taken.
    fn completed(&mut self, label: &str) -> String {
        let answer = self.ask("textDocument/completion");
        let items = answer["items"].as_array().unwrap();
        let item = items.iter().find(|item| item["label"] == label).unwrap_or_else(|| panic!("{items:#?}"));
        apply(&self.text, &json!([item["textEdit"]]), "utf-8")
    }
}

const FLOW: &str = "\
id: app
models:
  - {type: Model, id: chat_model, provider: openai}
flows:
  - id: chat
    variables:
      - {id: question, type: text}
      - {id: prompt_text, type: text}
    inputs: [question]
    outputs: [prompt_text]
    steps:
      - id: make_prompt
        type: PromptTemplate
        template: \"Answer {question}\"
        inputs: [question]
        outputs: [prompt_text]
";

fn flow(with: &str, instead: &str) -> Opened {
    assert!(FLOW.contains(with));
    Opened::new("app.qtype.yaml", &FLOW.replacen(with, instead, 1))
}

#[test]
fn fields_of_a_mapping_are_proposed() {
    let mut opened = flow("        template: ", "        tem|: ");
    assert_eq!(opened.proposals(1), ["template"]);
    let mut opened = flow("        inputs: [question]\n", "        |\n");
    assert!(opened.proposals(9).contains(&"inputs".to_owned()));
    assert!(opened.completed("inputs").contains("\n        inputs: \n"));
}

#[test]
fn types_and_references_are_proposed() {
    let mut opened = flow("type: PromptTemplate", "type: |");
    assert_eq!(opened.proposals(1), ["PromptTemplate"]);
    let mut opened = flow("        inputs: [question]", "        inputs: [|]");
    assert!(opened.proposals(2).contains(&"question".to_owned()));
    let mut opened = flow("question, type: text", "question, type: t|");
    assert!(opened.proposals(9).contains(&"text".to_owned()));
}

#[test]
fn words_and_names_of_a_grammar_are_proposed() {
    let mut opened = Opened::new("a.mmd", "flowchart |\nA --> B\n");
    assert!(opened.proposals(9).contains(&"LR".to_owned()));
    let mut opened = Opened::new("a.mmd", "flowchart LR\nstart --> finish\nstart --> |\n");
    assert!(opened.proposals(2).contains(&"finish".to_owned()));
    let mut opened = Opened::new("a.mmd", "flowchart LR\nsub|\nA --> B\nend\n");
    assert_eq!(opened.proposals(1), ["subgraph"]);
    let mut opened = Opened::new("a.mmd", "flowchart LR\nA -|\n");
    let completed = opened.completed("-->");
    assert!(completed.contains("A -->"), "{completed}");
    let mut opened = Opened::new("a.mmd", "|");
    assert!(opened.proposals(99).contains(&"sequenceDiagram".to_owned()));
}

#[test]
fn a_diagram_inside_markdown_is_completed() {
    let text = "# A\n\n```mermaid\nsequenceDiagram\n    Alice->>Bob: hi\n    Bob->>|\n```\n";
    let proposals = Opened::new("a.md", text).proposals(3);
    assert!(proposals.contains(&"Alice".to_owned()), "{proposals:?}");
}

#[test]
fn keys_of_a_configuration_are_proposed_in_its_notation() {
    let mut opened = Opened::new("proofmark.toml", "[rules]\nsel|\n");
    assert!(opened.completed("select").contains("select = "));
}

#[test]
fn check_kinds_are_proposed_in_a_rule_file() {
    let text = "version: 1\nrules:\n  - id: XX001\n    name: a-rule\n    check:\n      req|\n";
    let mut opened = Opened::new("a.rules.yaml", text);
    assert!(opened.proposals(20).contains(&"required".to_owned()));
}

#[test]
fn steps_of_paths_and_placeholders_are_proposed_in_a_rule_file() {
    let proposals = |from: &str, to: &str| {
        let rules = RULES.replace("kind: yaml", "kind: quarto");
        assert!(rules.contains(from));
        Opened::new("a.rules.yaml", &rules.replace(from, to)).proposals(60)
    };
    let steps = proposals("given: $.title", "given: $.headings[*].|");
    assert!(steps.contains(&"level".to_owned()), "{steps:?}");
    let names = proposals("message: no title", "message: \"no {{ | }}\"");
    assert!(names.contains(&"value".to_owned()), "{names:?}");
}

#[test]
fn states_and_tags_are_proposed_in_an_org_file() {
    let states = Opened::new("a.org", "#+TODO: OPEN SHUT\n* OPEN a :work:\n* | b\n").proposals(3);
    assert!(states.contains(&"SHUT".to_owned()), "{states:?}");
    let tags = Opened::new("a.org", "* a :work:\n* c :|\n").proposals(3);
    assert_eq!(tags, ["work"]);
    let keywords = Opened::new("a.org", "#+fi|\n").proposals(1);
    assert_eq!(keywords, ["filetags"]);
}

#[test]
fn labels_and_options_are_proposed_in_a_quarto_document() {
    let text = "---\ntitle: A\nbiblio|\n---\n\n![B](b.png){#fig-one}\n\nSee @fig-one.\n";
    assert_eq!(Opened::new("a.qmd", text).proposals(1), ["bibliography"]);
    let text = "# A {#sec-a}\n\n![B](b.png){#fig-one}\n\nSee @|.\n";
    let labels = Opened::new("a.qmd", text).proposals(5);
    assert!(labels.contains(&"fig-one".to_owned()) && labels.contains(&"sec-a".to_owned()), "{labels:?}");
}

#[test]
fn a_name_leads_to_its_declaration_and_uses() {
    let mut opened = flow("Answer {question}", "Answer {quest|ion}");
    let found = opened.ask("textDocument/definition");
    assert_eq!(found.as_array().unwrap().len(), 1, "{found}");
    assert_eq!(found[0]["range"]["start"], position(FLOW, FLOW.find("question, type").unwrap()));
    let all = opened.ask("textDocument/references");
    assert_eq!(all.as_array().unwrap().len(), 4, "{all}");
    for one in all.as_array().unwrap() {
        assert_eq!(opened.at(&one["range"]), "question");
    }
    let highlights = opened.ask("textDocument/documentHighlight");
    let written = highlights.as_array().unwrap().iter().filter(|one| one["kind"] == 3).count();
    assert_eq!((highlights.as_array().unwrap().len(), written), (4, 1));
}

#[test]
fn a_rename_changes_every_place() {
    let mut opened = flow("inputs: [question]", "inputs: [quest|ion]");
    let range = opened.ask("textDocument/prepareRename");
    assert_eq!(opened.at(&range), "question");
    let edit = opened.ask_with("textDocument/rename", json!({"newName": "asked"})).unwrap();
    let renamed = apply(&opened.text, &edit["changes"][&opened.uri], "utf-8");
    assert_eq!(renamed, FLOW.replace("question", "asked"));
    let taken = opened.ask_with("textDocument/rename", json!({"newName": "prompt_text"})).unwrap_err();
    assert_eq!(taken["message"], "`prompt_text` exists already");
    let nothing = Opened::new("a.md", "# A|\n").ask_with("textDocument/rename", json!({"newName": "b"}));
    assert!(nothing.is_err());
}

/// Renames every name of a document and back; how many names it has.
fn rename_all(editor: &mut Editor, path: &Path, text: &str) -> usize {
    let uri = uri(path);
    editor.open(&uri, text);
    let document = json!({"textDocument": {"uri": uri}});
    let symbols = editor.ask("textDocument/documentSymbol", document).unwrap();
    let mut positions = Vec::new();
    collect(&symbols, &mut positions);
    let mut count = 0;
    for position in positions {
        let params = json!({"textDocument": {"uri": uri}, "position": position});
        let range = editor.ask("textDocument/prepareRename", params).unwrap();
        if range.is_null() || range["start"] != position {
            continue;
        }
        let old = &text[offset(text, &range["start"], "utf-8")..offset(text, &range["end"], "utf-8")];
        let renamed = renamed(editor, &uri, &position, text, "renamed_name");
        let Ok(renamed) = renamed else { panic!("{}: {old}: {renamed:?}", path.display()) };
        assert_ne!(renamed, text);
        change(editor, &uri, &renamed);
        let back = self::renamed(editor, &uri, &position, &renamed, old);
        assert_eq!(back.as_deref(), Ok(text), "{}: {old}\n{renamed}", path.display());
        change(editor, &uri, text);
        count += 1;
    }
    count
}

/// The positions of the names of symbols.
fn collect(symbols: &Value, positions: &mut Vec<Value>) {
    for symbol in symbols.as_array().unwrap() {
        positions.push(symbol["selectionRange"]["start"].clone());
        collect(&symbol["children"], positions);
    }
}

#[test]
fn renaming_there_and_back_changes_nothing() {
    let folder = examples();
    let project = project(&folder);
    let mut editor = Editor::start(&folder, pulling("utf-8"));
    let mut counts = String::new();
    let mut all = 0;
    for (path, text, found) in validated(&project) {
        let name = path.to_string_lossy();
        let has_names = name.ends_with(".mmd") || name.ends_with(".qtype.yaml");
        if !has_names || found.iter().any(|found| found.severity == proofmark_diagnostic::Severity::Error) {
            continue;
        }
        let count = rename_all(&mut editor, &path, &text);
        all += count;
        let _ = writeln!(counts, "{count} {}", path.display());
    }
    println!("{counts}{all} names");
    assert!(all > 100, "{counts}");
}

#[test]
fn the_parts_of_a_document_are_a_tree() {
    let mut opened = flow("id: app", "id: app");
    let symbols = opened.ask("textDocument/documentSymbol");
    let names = |symbols: &Value| -> Vec<String> {
        symbols.as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(names(&symbols), ["id", "models", "flows"]);
    let flow = &symbols[2]["children"][0];
    assert_eq!(flow["name"], "chat");
    assert!(names(&flow["children"]).contains(&"steps".to_owned()));
    let mut opened = Opened::new("a.md", "# A\n\n## B\n\n```mermaid\nflowchart LR\nX --> Y\n```\n\n# C\n");
    let symbols = opened.ask("textDocument/documentSymbol");
    assert_eq!(names(&symbols), ["A", "C"]);
    let section = &symbols[0]["children"][0];
    assert_eq!((&section["name"], &section["children"][0]["name"]), (&json!("B"), &json!("mermaid")));
    assert_eq!(names(&section["children"][0]["children"]), ["X", "Y"]);
}

#[test]
fn parts_fold_and_selections_grow() {
    let mut opened = flow("inputs: [question]\n        outputs", "inputs: [quest|ion]\n        outputs");
    let folds = opened.ask("textDocument/foldingRange");
    let flows = folds.as_array().unwrap().iter().find(|fold| fold["startLine"] == 3).unwrap();
    assert_eq!(flows["endLine"], 15);
    let cursor = opened.cursor.clone();
    let selections = opened.ask_with("textDocument/selectionRange", json!({"positions": [cursor]})).unwrap();
    let mut grown = Vec::new();
    let mut next = &selections[0];
    while !next.is_null() {
        grown.push(opened.at(&next["range"]));
        next = &next["parent"];
    }
    assert_eq!(grown.first().map(String::as_str), Some("question"));
    assert_eq!(grown.last().map(String::as_str), Some(FLOW));
    assert!(grown.contains(&"inputs: [question]".to_owned()), "{grown:#?}");
    assert!(grown.windows(2).all(|pair| pair[1].contains(&pair[0])));
}

#[test]
fn words_names_and_keys_have_colors() {
    let mut opened = Opened::new("a.mmd", "flowchart LR\nA --> B\nsubgraph one [One]\nA\nend\n");
    let data = opened.ask("textDocument/semanticTokens/full")["data"].clone();
    let numbers: Vec<u64> = data.as_array().unwrap().iter().map(|n| n.as_u64().unwrap()).collect();
    let (mut line, mut column) = (0, 0);
    let mut tokens = Vec::new();
    for token in numbers.chunks(5) {
        column = if token[0] > 0 { token[1] } else { column + token[1] };
        line += token[0];
        let start = opened.text.split_inclusive('\n').take(line as usize).map(str::len).sum::<usize>();
        let start = start + column as usize;
        tokens.push((&opened.text[start..start + token[2] as usize], token[3], token[4]));
    }
    assert_eq!(tokens[..4], [("flowchart", 0, 0), ("LR", 0, 0), ("A", 1, 1), ("B", 1, 1)]);
    assert!(tokens.contains(&("subgraph", 0, 0)) && tokens.contains(&("A", 1, 0)), "{tokens:?}");
}

#[test]
fn the_types_of_names_are_shown_where_they_are_used() {
    let mut opened = flow("id: app", "id: app");
    let end = json!({"line": 99, "character": 0});
    let range = json!({"start": {"line": 0, "character": 0}, "end": end});
    let hints = opened.ask_with("textDocument/inlayHint", json!({"range": range})).unwrap();
    let hints = hints.as_array().unwrap();
    assert!(hints.len() >= 4 && hints.iter().all(|hint| hint["label"] == ": text"), "{hints:?}");
}

#[test]
fn references_to_files_are_links() {
    let text = "# A\n\n[b](b.md) and [c](c.md)\n";
    let mut opened = Opened::with_files("a.md", text, &[("b.md", "# B\n")]);
    let links = opened.ask("textDocument/documentLink");
    assert_eq!(links.as_array().unwrap().len(), 1, "{links}");
    assert!(links[0]["target"].as_str().unwrap().ends_with("/b.md"));
}

const RULES: &str = "\
version: 1
rules:
  - id: XX001
    name: no-todo
    severity: warning
    since: 0.1.0
    kind: yaml
    given: $.title
    check: {forbidden: true}
    message: no title
    hint: remove it
    explain: |
      Looks for titles.

      They are not allowed.

      Remove them.
    examples:
      - invalid: {source: \"title: a\\n\"}
      - valid: {source: \"name: a\\n\"}
";

#[test]
fn the_examples_of_a_rule_run_while_one_types() {
    let mut opened = Opened::new("a.rules.yaml", RULES);
    let lenses = opened.ask("textDocument/codeLens");
    assert_eq!(lenses[0]["command"]["title"], "2 examples pass", "{lenses}");
    let mut opened = Opened::new("a.rules.yaml", &RULES.replace("name: a\\n", "title: b\\n"));
    assert_eq!(opened.ask("textDocument/codeLens")[0]["command"]["title"], "1 of 2 examples pass");
}

#[test]
fn a_rule_leads_to_what_it_looks_at_in_open_documents() {
    let marked = RULES.replacen("  - id: ", "  - id: |", 1);
    let pack = marked.replacen('|', "", 1);
    let about = "version: 1\nname: own\ndescription: Rules on titles\nprefix: XX\nkinds: [yaml]\n";
    let config = "[packs]\npaths = [\"own\"]\n";
    let files = [("own/rules.yaml", pack.as_str()), ("own/pack.yaml", about), ("proofmark.toml", config)];
    let mut opened = Opened::with_files("own/rules.yaml", &marked, &files);
    let other = opened.uri.replace("own/rules.yaml", "b.yaml");
    let all = json!({"context": {"includeDeclaration": true}});
    assert_eq!(opened.ask_with("textDocument/references", all.clone()).unwrap(), json!([]));
    opened.editor.open(&other, "name: a\ntitle: b\n");
    let found = opened.ask_with("textDocument/references", all).unwrap();
    let place = json!({"start": {"line": 1, "character": 7}, "end": {"line": 1, "character": 8}});
    assert_eq!(found, json!([{"uri": other, "range": place}]));
}

#[test]
fn an_included_file_counts_as_it_is_in_the_editor() {
    let include = "id: app\nflows: !include flows.yaml\n";
    let flows = "- {type: Flow, id: f, variables: [], inputs: [], outputs: [], steps: []}\n";
    let mut opened = Opened::with_files("app.qtype.yaml", include, &[("flows.yaml", flows)]);
    let uri = opened.uri.clone();
    let before = opened.editor.pull(&uri).len();
    let other = uri.replace("app.qtype.yaml", "flows.yaml");
    opened.editor.open(&other, &flows.replace("inputs: []", "inputs: [nothing]"));
    assert_eq!(opened.editor.pull(&uri).len(), before + 1);
    opened.editor.notify("textDocument/didClose", json!({"textDocument": {"uri": other}}));
    assert_eq!(opened.editor.pull(&uri).len(), before);
}

/// A folder's files with a pack of the examples.
fn with_pack(pack: &str) -> Vec<(String, String)> {
    let own = examples().join("packs").join(pack);
    let files = fs::read_dir(own).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_file());
    let name = |path: &Path| format!("packs/{pack}/{}", path.file_name().unwrap().to_str().unwrap());
    let mut all: Vec<(String, String)> =
        files.map(|path| (name(&path), fs::read_to_string(&path).unwrap())).collect();
    all.push(("proofmark.toml".to_owned(), format!("[packs]\npaths = [\"packs/{pack}\"]\n")));
    all
}

/// A document in a folder with a pack of the examples.
fn opened_with_pack(pack: &str, name: &str, marked: &str) -> Opened {
    let files = with_pack(pack);
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    Opened::with_files(name, marked, &files)
}

#[test]
fn names_of_a_pack_are_known_without_code() {
    let text = "services:\n  web:\n    depends_on: [ap|i]\n  api: {}\n";
    let mut opened = opened_with_pack("compose", "compose.yaml", text);
    assert_eq!(opened.proposals(2), ["api", "web"]);
    let declared = opened.ask("textDocument/definition");
    assert_eq!(declared[0]["range"]["start"], json!({"line": 3, "character": 2}));
    let edit = opened.ask_with("textDocument/rename", json!({"newName": "server"})).unwrap();
    let renamed = apply(&opened.text, &edit["changes"][&opened.uri], "utf-8");
    assert_eq!(renamed, "services:\n  web:\n    depends_on: [server]\n  server: {}\n");
}

#[test]
fn a_kind_of_a_pack_is_completed_by_its_grammar() {
    let text = "A-100: 5\nA-101: 6 s| -> A-100\n";
    assert_eq!(opened_with_pack("sku", "a.sku", text).proposals(1), ["sold"]);
    let mut opened = opened_with_pack("sku", "a.sku", "A-100: 5\nA-101: 6 -> |\n");
    assert!(opened.proposals(2).contains(&"A-100".to_owned()));
    let mut opened = opened_with_pack("sku", "a.sku", "A-100: 5\n");
    assert_eq!(opened.ask("textDocument/documentSymbol")[0]["name"], "A-100");
}

#[test]
fn values_of_other_documents_count_as_they_are_in_the_editor() {
    let other = "---\nid: DOC-2\n---\n";
    let mut files = with_pack("crossrefs");
    files.push(("new.md".to_owned(), other.to_owned()));
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let mut opened = Opened::with_files("old.md", "---\nid: DOC-1\nreplaced_by: DOC-2\n---\n", &files);
    let uri = opened.uri.clone();
    let ids = |found: Vec<Value>| -> Vec<Value> { found.iter().map(|one| one["code"].clone()).collect() };
    assert_eq!(ids(opened.editor.pull(&uri)), ["XR004"]);
    let new = uri.replace("old.md", "new.md");
    opened.editor.open(&new, &other.replace("DOC-2\n", "DOC-2\nreplaces: DOC-1\n"));
    assert_eq!(ids(opened.editor.pull(&uri)), [""; 0]);
    // While one types, the others wait for a pause.
    change(&mut opened.editor, &new, other);
    let mut again = (0..200).map(|_| {
        thread::sleep(Duration::from_millis(50));
        ids(opened.editor.pull(&uri))
    });
    assert!(again.any(|found| found == ["XR004"]), "the other document was not validated again");
    change(&mut opened.editor, &new, &other.replace("DOC-2\n", "DOC-2\nreplaces: DOC-1\n"));
    opened.editor.notify("textDocument/didClose", json!({"textDocument": {"uri": new}}));
    assert_eq!(ids(opened.editor.pull(&uri)), ["XR004"]);
}

#[test]
fn anchors_of_other_documents_count_as_they_are_in_the_editor() {
    let guide = "# Guide\n\n## Install\n";
    let mut opened = Opened::with_files("a.md", "See [use](guide.md#use).\n", &[("guide.md", guide)]);
    let uri = opened.uri.clone();
    assert_eq!(opened.editor.pull(&uri)[0]["code"], "MD138");
    let other = uri.replace("a.md", "guide.md");
    opened.editor.open(&other, guide);
    assert_eq!(opened.editor.pull(&uri)[0]["code"], "MD138");
    change(&mut opened.editor, &other, &guide.replace("Install", "Use"));
    assert_eq!(opened.editor.pull(&uri), [Value::Null; 0]);
}
