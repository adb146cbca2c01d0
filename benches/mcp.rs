//! The cost of a call: the protocol, argument validation, the tool, the answer.
#![allow(clippy::expect_used, reason = "a benchmark that cannot run must fail")]

use std::time::Duration;

use criterion::{Criterion, criterion_group, criterion_main};
use proofmark::internals::service::{Options, Service};
use rmcp::{ServiceExt, model::CallToolRequestParams};
use serde_json::json;
use tokio::runtime::Runtime;

/// A Markdown document of 5 KB.
fn document() -> String {
    let mut text = String::from("---\ntitle: A report\nauthor: Ann\n---\n\n# Heading\n\n");
    while text.len() < 5 * 1024 {
        text.push_str("A paragraph of prose with *emphasis* and `code`, as reports have them.\n\n");
    }
    text
}

fn calls(criterion: &mut Criterion) {
    let runtime = Runtime::new().expect("a runtime");
    let client = runtime.block_on(async {
        let service = Service::new(&Options::default()).expect("a service");
        let (ours, theirs) = tokio::io::duplex(1 << 16);
        tokio::spawn(async move { service.serve(theirs).await.expect("a server").waiting().await });
        ().serve(ours).await.expect("a client")
    });
    let text = document();
    let requests = [
        ("about", json!({})),
        ("validate 5 KB", json!({"text": text, "kind": "markdown"})),
        ("fix_text 5 KB", json!({"text": text, "kind": "markdown"})),
        ("explain_error", json!({"id": "FM101"})),
        ("get_schema_summary", json!({"kind": "markdown"})),
    ];
    let mut group = criterion.benchmark_group("mcp");
    group.measurement_time(Duration::from_secs(3));
    for (name, arguments) in requests {
        let tool = name.split(' ').next().unwrap_or(name).to_owned();
        let request = CallToolRequestParams::new(tool)
            .with_arguments(arguments.as_object().cloned().unwrap_or_default());
        group.bench_function(name, |bencher| {
            bencher.iter(|| {
                let answer = runtime.block_on(client.call_tool(request.clone())).expect("an answer");
                assert_ne!(answer.is_error, Some(true));
            });
        });
    }
    group.finish();
}

criterion_group!(benches, calls);
criterion_main!(benches);
