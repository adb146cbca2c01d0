//! `render_document` and what it leaves to be read.

use std::{fs, process::Stdio, sync::Arc, time::Duration};

use proofmark::{
    Project,
    internals::{
        project::config::{Config, Render},
        render::{Library, Renderer, Store},
        service::{Options, Rendering, Toolset},
    },
};
use rmcp::{
    ClientServiceExt,
    model::{ReadResourceRequestParams, ResourceContents},
};
use serde_json::json;
use tokio::{
    io::{AsyncBufReadExt as _, BufReader, Lines},
    process::ChildStderr,
};

use super::{
    client::{Client, PROTOCOLS, Protocol, with_root},
    programs,
};

const MEMO: &str = "---\nQUILL: memo\nto: [All]\nfrom: Ada\nsubject: Keys\n---\n\nTwo are missing.\n";

fn options(render: &Render) -> Options {
    let library = Arc::new(Library::builtin());
    let project = Project::builtin();
    project.use_quills(library.quills().clone().open());
    let renderer = Renderer::new(library, render, programs::worker());
    let rendering = Some(Arc::new(Rendering { renderer, store: Store::new(render) }));
    let mut options = Options { project: Arc::new(project), rendering, ..Options::default() };
    options.limits.deadline = std::time::Duration::from_mins(1);
    options
}

async fn client() -> Client {
    Client::new(Protocol::Stateless, &options(&Config::default().render)).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_document_is_rendered_and_can_be_read_again_in_both_eras() {
    for protocol in PROTOCOLS {
        let client = Client::new(protocol, &options(&Config::default().render)).await;
        let answer = client.get("render_document", json!({"markdown": MEMO, "bytes": "inline"})).await;
        let artifact = &answer["artifacts"][0];
        assert_eq!((&answer["success"], &artifact["format"]), (&json!(true), &json!("PDF")));
        assert_eq!(artifact["mime_type"], "application/pdf");
        let inline = artifact["bytes_base64"].as_str().unwrap();
        assert!(inline.starts_with("JVBERi0"), "base 64 of %PDF-");
        let uri = artifact["resource_uri"].as_str().unwrap();
        assert!(uri.starts_with("quillmark://render/"));
        let listed = client.running.list_all_resources().await.unwrap();
        let resource = listed.iter().find(|resource| resource.uri == uri).unwrap();
        assert_eq!(resource.name, "Rendered document (pdf)");
        let read = client.running.read_resource(ReadResourceRequestParams::new(uri)).await.unwrap();
        let [ResourceContents::BlobResourceContents { blob, mime_type, .. }] = read.contents.as_slice()
        else {
            panic!("a blob is read");
        };
        assert_eq!((blob.as_str(), mime_type.as_deref()), (inline, Some("application/pdf")));
    }
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn a_service_that_can_write_no_file_keeps_rendered_documents_all_the_same() {
    let mut command = tokio::process::Command::new("sh");
    let program = programs::proofmark().display();
    command.args(["-c", &format!("ulimit -f 0; exec '{program}' --isolated serve --no-files")]);
    let transport = rmcp::transport::TokioChildProcess::new(command).unwrap();
    let client =
        Client::over(().serve_with_lifecycle(transport, Protocol::Stateless.lifecycle()).await.unwrap())
            .await;
    let answer = client.get("render_document", json!({"markdown": MEMO, "bytes": "resource"})).await;
    let uri = answer["artifacts"][0]["resource_uri"].as_str().unwrap();
    let read = client.running.read_resource(ReadResourceRequestParams::new(uri)).await.unwrap();
    let [ResourceContents::BlobResourceContents { blob, .. }] = read.contents.as_slice() else {
        panic!("a blob is read");
    };
    assert!(blob.starts_with("JVBERi0"), "base 64 of %PDF-");
}

/// Waits for a line of a log.
async fn wait_for(log: &mut Lines<BufReader<ChildStderr>>, words: &str) {
    let found = async {
        while let Some(line) = log.next_line().await.unwrap() {
            if line.contains(words) {
                return;
            }
        }
        panic!("the log ended without `{words}`");
    };
    tokio::time::timeout(Duration::from_mins(1), found).await.expect("it is logged in time");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_watching_service_reloads_changed_quills_and_keeps_the_last_good_ones() {
    let folder = tempfile::tempdir().unwrap();
    let quill = folder.path().join("quills/own");
    fs::create_dir_all(&quill).unwrap();
    let manifest = |what: &str| {
        format!("quill: {{name: own, backend: typst, description: {what}, example_file: e.md}}\n")
    };
    fs::write(quill.join("Quill.yaml"), manifest("First")).unwrap();
    fs::write(quill.join("plate.typ"), "Hello").unwrap();
    fs::write(quill.join("e.md"), "---\nQUILL: own\n---\n").unwrap();
    let mut command = tokio::process::Command::new(programs::proofmark());
    command.args(["serve", "--no-files", "--watch"]).current_dir(folder.path());
    let child = rmcp::transport::TokioChildProcess::builder(command).stderr(Stdio::piped()).spawn();
    let (transport, log) = child.unwrap();
    let mut log = BufReader::new(log.unwrap()).lines();
    let client =
        Client::over(().serve_with_lifecycle(transport, Protocol::Stateless.lifecycle()).await.unwrap())
            .await;
    let described = async || {
        let info = client.get("get_quill_info", json!({"quill_name": "own"})).await;
        info["description"].as_str().unwrap().to_owned()
    };
    let render = async |number: u32| {
        let markdown = format!("---\nQUILL: own\n---\n\n{number}\n");
        client.get("render_document", json!({"markdown": markdown, "bytes": "resource"})).await
    };
    assert_eq!(described().await, "First");
    fs::write(quill.join("Quill.yaml"), manifest("Second")).unwrap();
    wait_for(&mut log, "quills reloaded: own").await;
    assert_eq!(described().await, "Second");
    fs::write(quill.join("Quill.yaml"), manifest("Third")).unwrap();
    fs::write(quill.join("plate.typ"), "#let x = (").unwrap();
    wait_for(&mut log, "quills/own/plate.typ:1:").await;
    wait_for(&mut log, "previous version kept: own").await;
    assert_eq!((described().await.as_str(), &render(1).await["success"]), ("Second", &json!(true)));
    fs::write(quill.join("plate.typ"), "Fixed").unwrap();
    wait_for(&mut log, "quills reloaded: own").await;
    assert_eq!((described().await.as_str(), &render(2).await["success"]), ("Third", &json!(true)));
}

#[tokio::test(flavor = "multi_thread")]
async fn bytes_may_be_left_to_the_resource() {
    let arguments = json!({"markdown": MEMO, "output_format": "SVG", "bytes": "resource"});
    let answer = client().await.get("render_document", arguments).await;
    assert!(answer["artifacts"][0].get("bytes_base64").is_none());
    assert_eq!(answer["artifacts"][0]["mime_type"], "image/svg+xml");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_same_day_gives_the_same_bytes() {
    let render = async |client: &Client, date: &str| {
        let answer =
            client.get("render_document", json!({"markdown": MEMO, "date": date, "bytes": "inline"})).await;
        answer["artifacts"][0]["bytes_base64"].as_str().unwrap().to_owned()
    };
    let (one, other) = (client().await, client().await);
    let first = render(&one, "2026-01-31").await;
    assert!(first == render(&other, "2026-01-31").await, "two servers, one day");
    assert!(first != render(&one, "2026-02-01").await, "the day is in the document");
    let wrong = one.call("render_document", json!({"markdown": MEMO, "date": "31.1.2026"})).await;
    assert!(wrong.is_error && wrong.text.contains("2026-01-31"), "{}", wrong.text);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_failure_says_which_stage_failed_where_and_what_to_do() {
    let client = client().await;
    for (markdown, quill, kind, line) in [
        (MEMO.replace("subject", "subjekt"), None, "ValidationError", 5),
        (MEMO.replace("QUILL: memo\n", ""), None, "InvalidQuillName", 1),
        (MEMO.to_owned(), Some("../memo"), "InvalidQuillName", 2),
        (MEMO.replace("QUILL: memo", "QUILL: meno"), None, "InvalidQuillName", 2),
        (MEMO.replace("subject: Keys", "subject: \"Keys"), None, "ParseError", 5),
    ] {
        let arguments = json!({"markdown": markdown, "quill_name": quill});
        let arguments = arguments.as_object().unwrap().iter().filter(|(_, value)| !value.is_null());
        let arguments = arguments.map(|(key, value)| (key.clone(), value.clone())).collect();
        let answer = client.call("render_document", serde_json::Value::Object(arguments)).await;
        assert!(answer.is_error && answer.structured["success"] == false, "{}", answer.text);
        assert_eq!(answer.structured["error_type"], kind, "{}", answer.text);
        let first = &answer.structured["diagnostics"][0];
        assert_eq!(first["location"]["line"], line, "{}", answer.text);
        assert!(first["hint"].is_string(), "{}", answer.text);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_laid_out_when_only_validity_is_asked_for() {
    let client = client().await;
    let right = client.get("render_document", json!({"markdown": MEMO, "validate_only": true})).await;
    assert!(right["success"] == true && right.get("artifacts").is_none());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_removed_document_is_distinguished_from_an_unknown_one() {
    let render = Render { cache_documents: 1, ..Config::default().render };
    let client = Client::new(Protocol::Stateless, &options(&render)).await;
    let mut uris = Vec::new();
    for subject in ["Keys", "Locks"] {
        let arguments = json!({"markdown": MEMO.replace("Keys", subject), "bytes": "resource"});
        let answer = client.get("render_document", arguments).await;
        uris.push(answer["artifacts"][0]["resource_uri"].as_str().unwrap().to_owned());
    }
    let read = async |uri: &str| {
        let read = client.running.read_resource(ReadResourceRequestParams::new(uri)).await;
        read.map(|_| ()).map_err(|error| error.to_string())
    };
    assert!(read(&uris[0]).await.unwrap_err().contains("removed"));
    assert!(read(&uris[1]).await.is_ok());
    let never = "quillmark://render/00000000-0000-4000-8000-000000000000";
    assert!(read(never).await.unwrap_err().contains("no rendered document"));
    assert!(read("quillmark://render/../../etc/passwd").await.is_err());
}

#[tokio::test(flavor = "multi_thread")]
async fn built_in_quills_and_templates_are_offered_with_examples() {
    let client = client().await;
    let list = client.get("list_quills", json!({})).await;
    assert_eq!(list["quills"].as_array().unwrap().len(), 10);
    let info = client.get("get_quill_info", json!({"quill_name": "letter"})).await;
    assert!(info["example"].as_str().unwrap().starts_with("---\nQUILL: letter"));
    let templates = client.get("list_markdown_templates", json!({})).await;
    for template in templates["templates"].as_array().unwrap() {
        let name = json!({"template_name": template["name"]});
        let markdown = client.get("get_markdown_template", name).await["markdown"].clone();
        let answer = client.get("render_document", json!({"markdown": markdown, "bytes": "resource"})).await;
        assert_eq!(answer["success"], true, "{template}");
    }
    // Other quills may be somewhere else.
    let other = json!({"text": "---\nQUILL: elsewhere\n---\n", "kind": "markdown"});
    assert_eq!(client.get("validate", other).await["valid"], true);
}

#[tokio::test(flavor = "multi_thread")]
async fn one_call_gives_several_formats() {
    let arguments = json!({"markdown": MEMO, "output_formats": ["PDF", "HTML", "PNG"], "bytes": "resource"});
    let answer = client().await.get("render_document", arguments).await;
    let formats: Vec<&str> =
        answer["artifacts"].as_array().unwrap().iter().map(|one| one["format"].as_str().unwrap()).collect();
    assert_eq!(formats, ["PDF", "HTML", "PNG"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_batch_renders_what_is_right_and_reports_the_rest() {
    let client = client().await;
    let documents = json!([{"name": "good", "markdown": MEMO}, {"markdown": "---\nQUILL: memo\n---\n"}]);
    let answer = client.call("render_documents", json!({"documents": documents})).await.structured;
    assert_eq!(answer["success"], false);
    let [good, bad] = answer["documents"].as_array().unwrap().as_slice() else { panic!("{answer}") };
    assert_eq!((&good["name"], &good["success"]), (&json!("good"), &json!(true)));
    assert!(
        good["artifacts"][0]["resource_uri"].is_string()
            && good["artifacts"][0].get("bytes_base64").is_none()
    );
    assert_eq!((&bad["name"], &bad["error_type"]), (&json!("2"), &json!("ValidationError")));
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_of_a_converted_document_can_be_looked_at() {
    let folder = tempfile::tempdir().unwrap();
    let rendering = options(&Config::default().render).rendering;
    let toolsets = vec![Toolset::Quarto];
    let options = Options { rendering, toolsets, ..with_root(folder.path()) };
    let client = Client::new(Protocol::Stateless, &options).await;
    let content = "---\ntitle: Plan\n---\n\n# Goals\n\nOne.\n\n{{< pagebreak >}}\n\n# Costs\n\nTwo.\n";
    let render = async |format: &str| {
        let output = format!("plan.{format}");
        let arguments = json!({"content": content, "format": format, "output_path": output, "preview": true});
        client.call("quarto_render", arguments).await.structured
    };
    let made = render("pdf").await;
    assert!(made["success"] == true && made["output"].get("without_preview").is_none(), "{made:#}");
    let pictures = made["output"]["previews"].as_array().unwrap();
    assert_eq!(pictures.len(), 2, "{made:#}");
    for picture in pictures {
        let uri = picture.as_str().unwrap();
        let read = client.running.read_resource(ReadResourceRequestParams::new(uri)).await.unwrap();
        let [ResourceContents::BlobResourceContents { blob, mime_type, .. }] = read.contents.as_slice()
        else {
            panic!("a blob is read");
        };
        assert_eq!(mime_type.as_deref(), Some("image/png"));
        assert!(blob.starts_with("iVBORw0KGgo"), "base 64 of what each PNG begins with");
    }
    // What has no pages is said before anything is written.
    let page = render("html").await;
    let error = &page["error"];
    assert!(page["success"] == false && error["message"].as_str().unwrap().contains("no slides or pages"));
    assert!(folder.path().join("plan.pdf").exists() && !folder.path().join("plan.html").exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn rendered_documents_can_be_cleared() {
    let client = client().await;
    let answer = client.get("render_document", json!({"markdown": MEMO})).await;
    let uri = answer["artifacts"][0]["resource_uri"].as_str().unwrap();
    let cleared = client.get("clear_rendered_documents", json!({"resource_uris": [uri]})).await;
    assert_eq!(cleared, json!({"removed": 1, "remaining": 0}));
    assert!(client.running.read_resource(ReadResourceRequestParams::new(uri)).await.is_err());
    let again = client.get("clear_rendered_documents", json!({})).await;
    assert_eq!(again["removed"], 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_brings_its_pictures() {
    const DOT: &str =
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";
    let client = client().await;
    let markdown = format!("{MEMO}\n![A dot](dot.png)\n");
    let without = client.get("render_document", json!({"markdown": markdown, "bytes": "resource"})).await;
    assert_eq!(without["diagnostics"][0]["code"], "RN103", "{without}");
    let arguments = json!({"markdown": markdown, "assets": {"dot.png": DOT}, "bytes": "resource"});
    let with = client.get("render_document", arguments).await;
    assert_eq!((&with["success"], &with["diagnostics"]), (&json!(true), &json!([])));
    for name in ["../dot.png", "/etc/dot.png", ""] {
        let text = client.refused("render_document", json!({"markdown": MEMO, "assets": {name: DOT}})).await;
        assert!(text.contains("is not a relative path"), "{text}");
    }
    let text = client.refused("render_document", json!({"markdown": MEMO, "assets": {"a.png": "%"}})).await;
    assert!(text.contains("is not base64"), "{text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_draft_of_a_quill_is_tried() {
    let client = client().await;
    let manifest = "quill: {name: draft, backend: typst, description: A draft}\nmain:\n  fields:\n    title: {type: string}\n";
    let plate = "#import \"@local/quillmark-helper:0.2.0\" as qm\n= #qm.data.title\n";
    let call = |manifest: &str, plate: &str| {
        json!({
            "markdown": "---\nQUILL: draft\ntitle: Mine\n---\n", "bytes": "resource",
            "quill_files": {"Quill.yaml": manifest, "plate.typ": plate},
        })
    };
    let answer = client.get("render_document", call(manifest, plate)).await;
    assert_eq!((&answer["success"], &answer["diagnostics"]), (&json!(true), &json!([])));
    let wrong = client.call("render_document", call("quill: {name: Draft}\n", plate)).await;
    assert!(wrong.is_error && wrong.structured["diagnostics"][0]["code"] == "QL002", "{}", wrong.text);
    let wrong = client.call("render_document", call(manifest, "#nothing")).await;
    assert_eq!(wrong.structured["error_type"], "CompilationError", "{}", wrong.text);
    let unknown = client.call("render_document", json!({"markdown": "---\nQUILL: draft\n---\n"})).await;
    assert!(unknown.is_error, "a draft is not registered");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_quill_is_described_with_blocks_to_start_from() {
    let info = client().await.get("get_quill_info", json!({"quill_name": "product_catalog"})).await;
    assert!(info["snippets"]["frontmatter"].as_str().unwrap().starts_with("---\nQUILL: product_catalog\n"));
    assert!(info["snippets"]["products"].as_str().unwrap().starts_with("---\nSCOPE: products\n"));
    assert_eq!((&info["assets"], &info["supported_formats"][3]), (&json!([]), &json!("HTML")));
}
