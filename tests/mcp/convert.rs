//! The tools that convert Quarto documents.

use std::path::Path;

use proofmark::internals::service::{Options, Toolset};
use serde_json::{Value, json};

use crate::client::{Client, Protocol, with_root};

const DOCUMENT: &str = "---\ntitle: Plan\n---\n\n## Goals\n\n- One\n- Two\n";

async fn client(root: &Path) -> Client {
    let options = Options { toolsets: vec![Toolset::Quarto], ..with_root(root) };
    Client::new(Protocol::Stateless, &options).await
}

async fn render(client: &Client, folder: &Path, name: &str, further: Value) -> Value {
    let mut arguments = json!({
        "content": DOCUMENT,
        "format": name.rsplit('.').next(),
        "output_path": folder.join(name).to_string_lossy(),
    });
    if let (Some(arguments), Some(further)) = (arguments.as_object_mut(), further.as_object()) {
        arguments.extend(further.clone());
    }
    client.call("quarto_render", arguments).await.structured
}

#[tokio::test]
async fn a_document_becomes_a_deck_and_a_page() {
    let folder = tempfile::tempdir().unwrap();
    let client = client(folder.path()).await;
    let made = render(&client, folder.path(), "plan.pptx", json!({})).await;
    assert_eq!(made["success"], true, "{made}");
    assert_eq!(made["output"]["filename"], "plan.pptx");
    assert_eq!(
        made["output"]["mime_type"],
        "application/vnd.openxmlformats-officedocument.presentationml.presentation"
    );
    let bytes = std::fs::read(folder.path().join("plan.pptx")).unwrap();
    assert_eq!(made["output"]["size_bytes"], bytes.len());
    assert!(bytes.starts_with(b"PK"));
    let made = render(&client, folder.path(), "plan.html", json!({"format_options": {"toc": true}})).await;
    assert_eq!(made["success"], true, "{made}");
    let page = std::fs::read_to_string(folder.path().join("plan.html")).unwrap();
    assert!(page.contains("id=\"TOC\"") && page.contains("<li>One</li>"), "{page}");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2);
}

#[tokio::test]
async fn files_that_exist_are_replaced_only_on_request() {
    let folder = tempfile::tempdir().unwrap();
    let client = client(folder.path()).await;
    for name in ["plan.html", "plan.pptx", "plan.gfm"] {
        let file = name.replace("gfm", "md");
        let path = folder.path().join(&file);
        std::fs::write(&path, "mine").unwrap();
        let output = json!({"output_path": path.to_string_lossy()});
        let refused = render(&client, folder.path(), name, output.clone()).await;
        assert_eq!(refused["error"]["code"], "INVALID_INPUT", "{refused}");
        let error = refused["error"].to_string();
        assert!(error.contains("exists already") && error.contains("overwrite"), "{error}");
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "mine");
        let mut replace = output;
        replace["overwrite"] = json!(true);
        let made = render(&client, folder.path(), name, replace).await;
        assert_eq!(made["success"], true, "{made}");
        assert_ne!(std::fs::read(&path).unwrap(), b"mine");
    }
}

#[tokio::test]
async fn a_path_may_begin_in_the_folder_that_the_server_may_write_to() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("refs.bib"), "@book{a, author={Roe, Jane}, title={T}, year=2010}")
        .unwrap();
    let client = client(folder.path()).await;
    let content = "---\nbibliography: refs.bib\n---\n\nSee [@a].\n";
    for overwrite in [false, true] {
        let further = json!({
            "content": content, "output_path": "plan.html", "overwrite": overwrite,
            "format_options": {"footer": "F"},
        });
        let made = render(&client, folder.path(), "plan.html", further).await;
        assert_eq!(made["success"], true, "{made}");
        assert!(
            made.to_string().contains("<format_options>") && made.to_string().contains("`footer`"),
            "{made}"
        );
        let page = std::fs::read_to_string(folder.path().join("plan.html")).unwrap();
        assert!(page.contains("Roe 2010"), "{page}");
    }
}

#[tokio::test]
async fn failures_have_codes_and_write_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let outside = tempfile::tempdir().unwrap();
    let client = client(folder.path()).await;
    let cases = [
        ("plan.nope", json!({}), "UNSUPPORTED_FORMAT"),
        ("plan.html", json!({"output_path": "../plan.html"}), "INVALID_INPUT"),
        ("plan.html", json!({"format_options": {"number-sections": "maybe"}}), "INVALID_INPUT"),
        (
            "plan.html",
            json!({"output_path": outside.path().join("plan.html").to_string_lossy()}),
            "INVALID_INPUT",
        ),
        (
            "plan.html",
            json!({"output_path": folder.path().join("plan.sh").to_string_lossy()}),
            "INVALID_INPUT",
        ),
        ("plan.html", json!({"content": "---\ntitle: [\n---\n"}), "INVALID_INPUT"),
        ("plan.pptx", json!({"template": "acme"}), "TEMPLATE_NOT_FOUND"),
        ("plan.pptx", json!({"template": "http://127.0.0.1/a.pptx"}), "TEMPLATE_URL_INVALID"),
    ];
    for (name, further, code) in cases {
        let failed = render(&client, folder.path(), name, further).await;
        assert_eq!((&failed["success"], &failed["error"]["code"]), (&json!(false), &json!(code)), "{failed}");
        assert_ne!(failed["error"]["details"], "", "{failed}");
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    assert_eq!(std::fs::read_dir(outside.path()).unwrap().count(), 0);
}

#[tokio::test]
async fn formats_are_listed_with_their_engine() {
    let folder = tempfile::tempdir().unwrap();
    let listed = client(folder.path()).await.get("quarto_list_formats", json!({})).await;
    let formats = listed["formats"].as_array().unwrap();
    let find = |name: &str| formats.iter().find(|one| one["format"] == name).unwrap();
    assert_eq!(find("pptx")["engine"], "embedded");
    assert_eq!(find("pptx")["supports_templates"], true);
    assert_eq!(find("mediawiki")["extension"], ".mediawiki");
    assert_eq!(find("docx")["engine"], "pandoc");
    assert!(formats.len() > 40);
}
