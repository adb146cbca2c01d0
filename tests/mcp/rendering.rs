//! `render_document` without a render worker. Rendering itself is tested where the worker is built.

use std::sync::Arc;

use proofmark::{
    Project,
    internals::{
        project::config::Config,
        render::{Library, Renderer, Store, WorkerProgram},
        service::{Options, Rendering},
    },
};
use serde_json::json;

use super::client::{Client, Protocol};

const MEMO: &str = "---\nQUILL: memo\nto: [All]\nfrom: Ada\nsubject: Keys\n---\n\nTwo are missing.\n";

fn without_worker() -> Options {
    let render = Config::default().render;
    let library = Arc::new(Library::builtin());
    let project = Project::builtin();
    project.use_quills(library.quills().clone().open());
    let renderer = Renderer::new(library, &render, WorkerProgram::at("/nonexistent/proofmark-render"));
    let rendering = Some(Arc::new(Rendering { renderer, store: Store::new(&render) }));
    Options { project: Arc::new(project), rendering, ..Options::default() }
}

#[tokio::test(flavor = "multi_thread")]
async fn rendering_is_refused_with_the_next_step() {
    let client = Client::new(Protocol::Stateless, &without_worker()).await;
    let text = client.refused("render_document", json!({"markdown": MEMO})).await;
    assert!(text.contains("`proofmark-render`, which is not installed"), "{text}");
    let next = text.split_once("\nNext: ").unwrap().1;
    assert!(next.contains("the package `proofmark-render`") && next.contains("`validate`"), "{next}");
}

#[tokio::test(flavor = "multi_thread")]
async fn everything_else_works() {
    let client = Client::new(Protocol::Stateless, &without_worker()).await;
    let checked = client.get("render_document", json!({"markdown": MEMO, "validate_only": true})).await;
    assert_eq!(checked["success"], true);
    let quills = client.get("list_quills", json!({})).await;
    assert_eq!(quills["quills"].as_array().unwrap().len(), 10);
    let wrong = json!({"text": MEMO.replace("subject", "subjekt"), "kind": "markdown"});
    assert_eq!(client.get("validate", wrong).await["valid"], false);
}
