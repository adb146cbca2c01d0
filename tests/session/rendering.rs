//! Rendering validates as `check` does. Nothing here needs a worker.

use std::sync::Arc;

use proofmark::{
    Configuration, Input, Overrides, Project,
    internals::{
        kinds::markdown::Markdown,
        render::{Assets, Format, Library, Renderer, Request, WorkerProgram},
    },
};
use serde_json::{Value, json};

use super::{clients, folder::Folder, sandbox::Sandbox, server::Server};

fn project(sandbox: &Sandbox) -> Project {
    let folder = Some(sandbox.path(""));
    Project::open(&Configuration::Nearest, Overrides { folder, ..Overrides::default() }).unwrap()
}

/// What rendering finds before it lays anything out.
fn rendered(project: &Project, document: &str) -> Vec<Value> {
    let config = project.config();
    let (library, _) = Library::load(&config.quills);
    let worker = WorkerProgram::at("/nonexistent/proofmark-render");
    let renderer = Renderer::new(Arc::new(library), &config.render, worker);
    let input = Input::file(document).of_kind(Some(Arc::new(Markdown)));
    let subject = project.subject(input).unwrap();
    let request = Request {
        subject: &subject,
        quill: None,
        format: Format::Pdf,
        standards: &[],
        assets: &Assets::new(),
        ppi: None,
        date: "2026-01-31",
        force: false,
        check_only: true,
    };
    let found = renderer.render(&request).diagnostics;
    found
        .iter()
        .filter(|one| one.suppressed.is_none())
        .map(|one| serde_json::to_value(one).unwrap())
        .collect()
}

#[test]
fn rendering_reports_what_check_reports() {
    let folder = Folder::new();
    let project = project(&folder.sandbox);
    for document in ["letters/offer.md", "letters/note.md"] {
        assert_eq!(rendered(&project, document), clients::check(&folder, document).unwrap());
    }
    // Without a quill, that is an error besides.
    for document in ["docs/report.md", "drafts/one.md", "docs/today.note"] {
        let mut found = rendered(&project, document);
        found.retain(|one| one["id"] != "RN001");
        assert_eq!(found, clients::check(&folder, document).unwrap(), "{document}");
    }
}

#[test]
fn render_document_and_render_have_the_same_limits() {
    let text = format!("---\nQUILL: offer\n---\n\n{}\n", "word ".repeat(20));
    let sandbox = Sandbox::with(&[
        ("proofmark.toml", "[limits]\nline_bytes = 60\ntext_bytes = 400\n"),
        ("a.md", &text),
    ]);
    sandbox.write("long.md", text.repeat(4));
    let project = project(&sandbox);
    let server = Server::start(&sandbox, &[]);
    for (name, text, id) in [("a.md", text.clone(), "MD107"), ("long.md", text.repeat(4), "PM004")] {
        let by_tool = server.call("render_document", json!({"markdown": text, "validate_only": true}));
        let found = by_tool["diagnostics"].as_array().unwrap();
        assert!(found.iter().any(|one| one["code"] == id), "{by_tool:#}");
        if id == "MD107" {
            assert!(rendered(&project, name).iter().any(|one| one["id"] == id));
        } else {
            assert!(project.subject(Input::file(name)).is_err());
        }
    }
}
