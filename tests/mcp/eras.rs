//! What clients see with session-based and stateless protocol versions.

use proofmark::internals::service::{Options, Service, Toolset};
use rmcp::{
    ClientServiceExt, ServiceExt,
    model::{
        CallToolRequestParams, ClientCapabilities, ClientConfig, GetPromptRequestParams, Implementation,
        ReadResourceRequestParams,
    },
};
use serde_json::json;

use crate::client::{BROKEN, Client, PROTOCOLS, Protocol, configured, with_root};

#[tokio::test]
async fn all_protocol_versions_offer_the_same_server() {
    let mut seen = Vec::new();
    for protocol in PROTOCOLS {
        let client = Client::new(protocol, &Options::default()).await;
        let info = client.running.peer_info().unwrap();
        let name = info.server_info.clone().unwrap().name;
        let instructions = info.instructions.clone().unwrap();
        assert!(instructions.len() < 2048, "{} bytes", instructions.len());
        let tools = client.running.list_all_tools().await.unwrap();
        seen.push((name, instructions, serde_json::to_string(&tools).unwrap()));
    }
    assert_eq!(seen[0], seen[1]);
    assert_eq!(seen[0].0, "proofmark");
}

#[tokio::test]
async fn the_list_of_tools_is_small_and_complete() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("notes.md"), "# Notes\n").unwrap();
    let client = Client::new(Protocol::Stateless, &with_root(folder.path())).await;
    let tools = client.running.list_all_tools().await.unwrap();
    for tool in &tools {
        assert!(tool.title.is_some() && tool.output_schema.is_some(), "{}", tool.name);
        let annotations = tool.annotations.as_ref().unwrap();
        let writes = ["apply_patch", "write_file"].contains(&tool.name.as_ref());
        assert_eq!(annotations.read_only_hint, Some(!writes), "{}", tool.name);
        assert!(tool.description.as_ref().unwrap().len() < 400, "{}", tool.name);
        let name = &tool.name;
        assert!(name.len() <= 40 && name.chars().all(|c| c.is_ascii_lowercase() || c == '_'), "{name}");
    }
    let bytes = serde_json::to_string(&tools).unwrap().len();
    println!("tools/list: {} tools, {bytes} bytes", tools.len());
    assert!(bytes < 24 * 1024, "{bytes} bytes");
}

/// The names of the tools that are listed.
async fn listed(options: &Options) -> Vec<String> {
    let client = Client::new(Protocol::Stateless, options).await;
    let tools = client.running.list_all_tools().await.unwrap();
    tools.iter().map(|tool| tool.name.to_string()).collect()
}

#[tokio::test]
async fn the_documents_below_the_folders_decide_which_tools_are_listed() {
    let folder = tempfile::tempdir().unwrap();
    let has = |names: &[String], start: &str| names.iter().any(|name| name.starts_with(start));
    std::fs::write(folder.path().join("package.json"), "{}").unwrap();
    let empty = listed(&with_root(folder.path())).await;
    assert!(has(&empty, "list_quills") && !has(&empty, "org_") && !has(&empty, "quarto_render"), "{empty:?}");
    std::fs::write(folder.path().join("flow.qtype.yaml"), "id: app\n").unwrap();
    let flows = listed(&with_root(folder.path())).await;
    assert!(has(&flows, "fix_text") && has(&flows, "list_rules"), "{flows:?}");
    assert!(!has(&flows, "list_quills") && !has(&flows, "quarto_"), "{flows:?}");
    std::fs::write(folder.path().join("plan.qmd"), "# Plan\n").unwrap();
    std::fs::write(folder.path().join("tasks.org"), "* Task\n").unwrap();
    let all = listed(&with_root(folder.path())).await;
    assert!(has(&all, "quarto_render") && has(&all, "org_") && !has(&all, "list_quills"), "{all:?}");
    let chosen = Options { toolsets: vec![Toolset::Quills], ..with_root(folder.path()) };
    let chosen = listed(&chosen).await;
    assert!(has(&chosen, "list_quills") && !has(&chosen, "org_") && !has(&chosen, "fix_text"), "{chosen:?}");
}

#[tokio::test]
async fn a_usual_tool_that_is_not_listed_answers() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("flow.qtype.yaml"), "id: app\n").unwrap();
    let options = with_root(folder.path());
    let client = Client::new(Protocol::Stateless, &options).await;
    assert!(!listed(&options).await.contains(&"list_quills".to_owned()));
    let quills = client.get("list_quills", json!({})).await;
    assert!(!quills["quills"].as_array().unwrap().is_empty());
}

#[tokio::test]
async fn answers_have_the_form_that_is_configured() {
    let folder = tempfile::tempdir().unwrap();
    for (form, has_text, has_structured) in
        [("both", true, true), ("text", true, false), ("structured", false, true)]
    {
        let options = configured(folder.path(), &format!("[server]\nanswers = \"{form}\"\n"));
        let service = Service::new(&options).unwrap();
        let (ours, theirs) = tokio::io::duplex(1 << 16);
        tokio::spawn(async move { service.serve(theirs).await.unwrap().waiting().await });
        let client = ().serve_with_lifecycle(ours, Protocol::Sessions.lifecycle()).await.unwrap();
        let tools = client.list_all_tools().await.unwrap();
        assert!(tools.iter().all(|tool| tool.output_schema.is_some() == has_structured), "{form}");
        let arguments = json!({"text": BROKEN, "kind": "rulefile"}).as_object().unwrap().clone();
        let request = CallToolRequestParams::new("validate").with_arguments(arguments);
        let answer = client.call_tool(request).await.unwrap();
        assert_eq!(answer.structured_content.is_some(), has_structured, "{form}");
        let text = &answer.content[0].as_text().unwrap().text;
        assert!(text.starts_with("INVALID: ") && text.contains("\nNext: "), "{form}: {text}");
        assert_eq!(text.lines().count() > 2, has_text, "{form}: {text}");
    }
}

#[tokio::test]
async fn a_client_that_reads_structured_content_gets_it_once() {
    let capability =
        std::collections::BTreeMap::from([("structuredContent".to_owned(), serde_json::Map::new())]);
    let capabilities = ClientCapabilities::builder().enable_experimental_with(capability).build();
    let info = ClientConfig::new(capabilities, Implementation::new("test", "1"));
    let service = Service::new(&Options::default()).unwrap();
    let (ours, theirs) = tokio::io::duplex(1 << 16);
    tokio::spawn(async move { service.serve(theirs).await.unwrap().waiting().await });
    let client = info.serve_with_lifecycle(ours, Protocol::Sessions.lifecycle()).await.unwrap();
    let arguments = json!({"text": BROKEN, "kind": "rulefile"}).as_object().unwrap().clone();
    let request = CallToolRequestParams::new("validate").with_arguments(arguments);
    let answer = client.call_tool(request).await.unwrap();
    assert_eq!(answer.content[0].as_text().unwrap().text.lines().count(), 2);
    assert!(answer.structured_content.unwrap()["diagnostics"].as_array().is_some());
}

#[tokio::test]
async fn toolsets_can_be_disabled() {
    let options = Options { without: vec![Toolset::Repair, Toolset::Learn], ..Options::default() };
    let client = Client::new(Protocol::Stateless, &options).await;
    let names: Vec<String> =
        client.running.list_all_tools().await.unwrap().iter().map(|tool| tool.name.to_string()).collect();
    assert!(names.contains(&"validate".to_owned()));
    assert!(!names.contains(&"fix_text".to_owned()) && !names.contains(&"list_rules".to_owned()));
    let about = client.get("about", json!({})).await;
    assert_eq!(about["tools"].as_array().unwrap().len(), names.len());
}

#[tokio::test]
async fn resources_can_be_listed_completed_and_read() {
    for protocol in PROTOCOLS {
        let client = Client::new(protocol, &Options::default()).await;
        let resources = client.running.list_all_resources().await.unwrap();
        assert!(resources.iter().any(|resource| resource.uri == "schemas://rulefile"));
        for resource in &resources {
            let read = ReadResourceRequestParams::new(resource.uri.clone());
            let result = client.running.read_resource(read).await.unwrap();
            assert!(!result.contents.is_empty(), "{}", resource.uri);
        }
        let ids = client.running.complete_resource_argument("rules://{id}", "id", "RF0", None).await.unwrap();
        assert!(!ids.values.is_empty());
        for id in &ids.values {
            let result =
                client.running.read_resource(ReadResourceRequestParams::new(format!("rules://{id}"))).await;
            assert!(serde_json::to_string(&result.unwrap()).unwrap().contains(id));
        }
        let missing = client.running.read_resource(ReadResourceRequestParams::new("rules://XX1")).await;
        assert!(missing.unwrap_err().to_string().contains("there is no resource"));
    }
}

#[tokio::test]
async fn prompts_start_the_work_loop() {
    let client = Client::new(Protocol::Stateless, &Options::default()).await;
    let prompts = client.running.list_all_prompts().await.unwrap();
    let names: Vec<&str> = prompts.iter().map(|prompt| prompt.name.as_str()).collect();
    assert_eq!(names, ["author", "repair"]);
    let arguments = json!({"kind": "rulefile", "goal": "prices"});
    let request =
        GetPromptRequestParams::new("author").with_arguments(arguments.as_object().unwrap().clone());
    let prompt = client.running.get_prompt(request).await.unwrap();
    assert!(serde_json::to_string(&prompt).unwrap().contains("get_schema_summary"));
    let missing = client.running.get_prompt(GetPromptRequestParams::new("author")).await.unwrap_err();
    assert!(missing.to_string().contains("`kind`"));
    let kinds = client.running.complete_prompt_argument("author", "kind", "ru", None).await.unwrap();
    assert_eq!(kinds.values, ["rulefile"]);
}
