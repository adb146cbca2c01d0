//! A client that validates every structured answer against the output schema of its tool.

use std::{collections::HashMap, path::Path, sync::Arc};

use proofmark::{
    Access, Configuration, Overrides, Project, Source,
    internals::{
        project::{self, config},
        service::{Options, Service},
    },
};
use rmcp::{
    ClientLifecycleMode, ClientServiceExt, RoleClient, ServiceExt,
    model::{CallToolRequestParams, ProtocolVersion},
    service::RunningService,
};
use serde_json::Value;

/// The session-based protocol versions (up to 2025-11-25) and the stateless one (2026-07-28).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Protocol {
    Sessions,
    Stateless,
}

pub(crate) const PROTOCOLS: [Protocol; 2] = [Protocol::Sessions, Protocol::Stateless];

impl Protocol {
    pub(crate) fn lifecycle(self) -> ClientLifecycleMode {
        match self {
            Self::Sessions => ClientLifecycleMode::Initialize,
            Self::Stateless => {
                ClientLifecycleMode::Discover { preferred_versions: vec![ProtocolVersion::V_2026_07_28] }
            }
        }
    }
}

/// The answer of a tool.
#[derive(Debug, Clone)]
pub(crate) struct Answer {
    pub(crate) is_error: bool,
    pub(crate) structured: Value,
    pub(crate) text: String,
}

pub(crate) struct Client {
    pub(crate) running: RunningService<RoleClient, ()>,
    schemas: HashMap<String, jsonschema::Validator>,
}

impl Client {
    pub(crate) async fn over(running: RunningService<RoleClient, ()>) -> Self {
        let tools = running.list_all_tools().await.unwrap();
        let schemas = tools.iter().map(|tool| {
            let schema = serde_json::to_value(tool.output_schema.as_ref().unwrap()).unwrap();
            (tool.name.to_string(), jsonschema::validator_for(&schema).unwrap())
        });
        Self { schemas: schemas.collect(), running }
    }

    /// A client in the same process.
    pub(crate) async fn new(protocol: Protocol, options: &Options) -> Self {
        let service = Service::new(options).unwrap();
        let (ours, theirs) = tokio::io::duplex(1 << 16);
        tokio::spawn(async move {
            if let Ok(running) = service.serve(theirs).await {
                let _ = running.waiting().await;
            }
        });
        Self::over(().serve_with_lifecycle(ours, protocol.lifecycle()).await.unwrap()).await
    }

    /// Calls a tool and validates its answer against the output schema.
    pub(crate) async fn call(&self, tool: &str, arguments: Value) -> Answer {
        let Value::Object(arguments) = arguments else { panic!("arguments are an object") };
        let request = CallToolRequestParams::new(tool.to_owned()).with_arguments(arguments);
        let result = self.running.call_tool(request).await.unwrap();
        let is_error = result.is_error == Some(true);
        let text = result.content.first().and_then(|block| block.as_text()).map(|text| text.text.clone());
        let structured = result.structured_content.unwrap_or_default();
        // A refused call has text only; a failure of the work itself follows the output schema.
        if !(is_error && structured.is_null()) {
            // Tools that no document needs answer without being listed.
            let schema = self.schemas.get(tool).into_iter();
            let errors = schema.flat_map(|schema| schema.iter_errors(&structured));
            let errors: Vec<String> = errors.map(|error| error.to_string()).collect();
            assert!(errors.is_empty(), "{tool}: {errors:?}\n{structured:#}");
        }
        Answer { is_error, structured, text: text.unwrap_or_default() }
    }

    /// The structured answer of a call that must succeed.
    pub(crate) async fn get(&self, tool: &str, arguments: Value) -> Value {
        let answer = self.call(tool, arguments).await;
        assert!(!answer.is_error, "{tool}: {}", answer.text);
        answer.structured
    }

    /// The text of the answer to a call that must be refused.
    pub(crate) async fn refused(&self, tool: &str, arguments: Value) -> String {
        let answer = self.call(tool, arguments).await;
        assert!(answer.is_error, "{tool}: {:#}", answer.structured);
        answer.text
    }
}

/// A service that may read and write below a folder, without a configuration.
pub(crate) fn with_root(root: &Path) -> Options {
    configured(root, "")
}

/// Like [`with_root`], with a configuration.
pub(crate) fn configured(root: &Path, toml: &str) -> Options {
    let source = Arc::new(Source::new("proofmark.toml", toml));
    let config = config::parse(&source, root).config.expect("the configuration has no errors");
    let overrides = Overrides {
        folder: Some(root.to_owned()),
        client: project::Client::Service,
        access: Access::Below(vec![root.to_owned()]),
        ..Overrides::default()
    };
    let project = Project::open(&Configuration::Given(Box::new(config)), overrides).unwrap();
    Options::of(Arc::new(project)).unwrap()
}

/// A rule file with several errors.
pub(crate) const BROKEN: &str = "version: 1\nrules:\n  - id: RF9\n    name: Bad_Name\n";

/// A client that counts its calls, and the bytes of arguments and answers.
pub(crate) struct Counted {
    client: Client,
    pub(crate) calls: usize,
    pub(crate) bytes: usize,
}

impl Counted {
    pub(crate) fn new(client: Client) -> Self {
        Self { client, calls: 0, bytes: 0 }
    }

    /// What a tool answers, which is not an error.
    pub(crate) async fn get(&mut self, tool: &str, arguments: Value) -> Value {
        let sent = arguments.to_string().len();
        let answer = self.client.call(tool, arguments).await;
        assert!(!answer.is_error, "{tool}: {}", answer.text);
        self.calls += 1;
        self.bytes += sent + answer.text.len();
        answer.structured
    }
}
