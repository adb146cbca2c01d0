//! Load test, run manually: `cargo nextest run --release --run-ignored only load`.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use proofmark::internals::service::{HttpOptions, Options, Service, serve_http};
use serde_json::json;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    time::MissedTickBehavior,
};
use tokio_util::sync::CancellationToken;

/// A Markdown document of 5 KB.
fn document() -> String {
    let mut text = String::from("---\ntitle: A report\nauthor: Ann\ntags: [a, b]\n---\n\n# Heading\n\n");
    while text.len() < 5 * 1024 {
        text.push_str("A paragraph of prose with *emphasis* and `code`, as reports have them.\n\n");
    }
    text
}

fn request(text: &str) -> Vec<u8> {
    let body = json!({
        "jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": {"name": "validate", "arguments": {"text": text, "kind": "markdown"}}
    });
    let body = body.to_string();
    let head = format!(
        "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\nMCP-Protocol-Version: 2025-11-25\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    [head.into_bytes(), body.into_bytes()].concat()
}

/// Sends a request over a kept-alive connection and reads the complete response.
async fn exchange(stream: &mut TcpStream, request: &[u8], buffer: &mut Vec<u8>) {
    stream.write_all(request).await.unwrap();
    buffer.clear();
    let mut wanted = None;
    loop {
        let mut chunk = vec![0; 16 * 1024];
        let read = stream.read(&mut chunk).await.unwrap();
        assert!(read > 0, "{}", String::from_utf8_lossy(buffer));
        buffer.extend_from_slice(&chunk[..read]);
        if wanted.is_none() {
            wanted = whole_length(buffer);
        }
        if wanted.is_some_and(|wanted| buffer.len() >= wanted) {
            break;
        }
    }
    assert!(buffer.starts_with(b"HTTP/1.1 200"), "{}", String::from_utf8_lossy(buffer));
}

fn whole_length(buffer: &[u8]) -> Option<usize> {
    let text = String::from_utf8_lossy(buffer);
    let head = text.find("\r\n\r\n")? + 4;
    let length = text[..head]
        .lines()
        .find_map(|line| line.to_lowercase().strip_prefix("content-length: ")?.parse::<usize>().ok());
    Some(head + length.expect("answers have a length"))
}

fn resident_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|line| line.trim().split(' ').next()?.parse().ok()).unwrap_or_default()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "takes a minute and needs an otherwise idle machine"]
async fn load_of_200_requests_per_second() {
    let stop = CancellationToken::new();
    let service = Service::new(&Options::default()).unwrap();
    let server = serve_http(service, HttpOptions::loopback(0), stop.clone()).await.unwrap();
    let address = server.address();
    let request = Arc::new(request(&document()));
    let mut warm = TcpStream::connect(address).await.unwrap();
    let mut buffer = Vec::new();
    for _ in 0..500 {
        exchange(&mut warm, &request, &mut buffer).await;
    }
    let connections = 16;
    let seconds = 20;
    let tasks: Vec<_> = (0..connections)
        .map(|index| {
            let request = Arc::clone(&request);
            tokio::spawn(async move {
                let mut stream = TcpStream::connect(address).await.unwrap();
                let mut buffer = Vec::new();
                let mut times = Vec::new();
                let every = Duration::from_secs_f64(f64::from(connections) / 200.0);
                tokio::time::sleep(every.mul_f64(f64::from(index) / f64::from(connections))).await;
                let mut ticks = tokio::time::interval(every);
                ticks.set_missed_tick_behavior(MissedTickBehavior::Burst);
                for _ in 0..(200 * seconds / connections) {
                    let due = ticks.tick().await;
                    exchange(&mut stream, &request, &mut buffer).await;
                    // From when the request was due, so that a stall counts for every waiting request.
                    times.push(Instant::now().duration_since(due.into_std()));
                }
                times
            })
        })
        .collect();
    let mut times = Vec::new();
    for task in tasks {
        times.extend(task.await.unwrap());
    }
    times.sort();
    let at = |percent: usize| times[(times.len() - 1) * percent / 100];
    println!("{} calls at 200/s: p50 {:?}, p99 {:?}, max {:?}", times.len(), at(50), at(99), at(100));

    let before = resident_kib();
    let started = Instant::now();
    for _ in 0..10_000 {
        exchange(&mut warm, &request, &mut buffer).await;
    }
    let after = resident_kib();
    println!(
        "10000 sequential calls in {:?}: {before} KiB resident before, {after} KiB after",
        started.elapsed()
    );
    assert!(after < before + 4 * 1024, "memory grew by {} KiB", after - before);
    stop.cancel();
    server.finished().await.unwrap();
}
