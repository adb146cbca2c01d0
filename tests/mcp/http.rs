//! HTTP: access control, refused requests and shutdown.

use std::{net::SocketAddr, time::Duration};

use proofmark::internals::service::{HttpError, HttpOptions, HttpServer, Options, Service, serve_http};
use rmcp::{
    ClientServiceExt,
    transport::{StreamableHttpClientTransport, streamable_http_client::StreamableHttpClientTransportConfig},
};
use serde_json::json;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};
use tokio_util::sync::CancellationToken;

use crate::client::{BROKEN, Client, PROTOCOLS};

const TOKEN: &str = "a-token-of-some-length";

async fn start(options: HttpOptions) -> (HttpServer, CancellationToken) {
    let stop = CancellationToken::new();
    let service = Service::new(&Options::default()).unwrap();
    (serve_http(service, options, stop.clone()).await.unwrap(), stop)
}

/// Sends a request unchanged and returns the status and the complete response.
async fn send(address: SocketAddr, request: &str) -> (u16, String) {
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = Vec::new();
    let _ = tokio::time::timeout(Duration::from_secs(5), stream.read_to_end(&mut answer)).await;
    let answer = String::from_utf8_lossy(&answer).into_owned();
    let status = answer.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or_default();
    (status, answer)
}

fn post(headers: &str, body: &str) -> String {
    format!(
        "POST /mcp HTTP/1.1\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\nConnection: close\r\nContent-Length: {}\r\n{headers}\r\n{body}",
        body.len()
    )
}

const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}"#;

#[tokio::test]
async fn all_protocol_versions_work_over_http() {
    let (server, stop) = start(HttpOptions::loopback(0)).await;
    for protocol in PROTOCOLS {
        let url = format!("http://{}/mcp", server.address());
        let transport = StreamableHttpClientTransport::from_uri(url);
        let client =
            Client::over(().serve_with_lifecycle(transport, protocol.lifecycle()).await.unwrap()).await;
        let answer = client.get("validate", json!({"text": BROKEN, "kind": "rulefile"})).await;
        assert_eq!(answer["valid"], false);
        let again = json!({"text": BROKEN, "kind": "rulefile", "previous": answer["result"]});
        assert_eq!(client.get("validate", again).await["delta"]["new"], json!([]));
    }
    stop.cancel();
    server.finished().await.unwrap();
}

#[tokio::test]
async fn the_host_and_the_origin_are_checked() {
    let (server, _stop) = start(HttpOptions::loopback(0)).await;
    let address = server.address();
    let (status, _) = send(address, &post(&format!("Host: {address}\r\n"), INITIALIZE)).await;
    assert_eq!(status, 200);
    let (status, _) = send(address, &post("Host: evil.example\r\n", INITIALIZE)).await;
    assert_eq!(status, 403);
    let from = |origin: &str| format!("Host: {address}\r\nOrigin: {origin}\r\n");
    let other_port = format!("http://localhost:{}", address.port() ^ 1);
    for origin in ["https://evil.example", "null", "http://evil.example:80", other_port.as_str()] {
        assert_eq!(send(address, &post(&from(origin), INITIALIZE)).await.0, 403, "{origin}");
    }
    let own = format!("http://localhost:{}", address.port());
    assert_eq!(send(address, &post(&from(&own), INITIALIZE)).await.0, 200);
}

#[tokio::test]
async fn hosts_are_read_and_not_searched() {
    let (server, _stop) = start(HttpOptions::loopback(0)).await;
    let address = server.address();
    let own = format!("Host: {address}\r\n");
    for headers in [
        "Host: [::1].evil\r\n".to_owned(),
        "Host: localhost.evil\r\n".to_owned(),
        "Host: evil@localhost\r\n".to_owned(),
        format!("{own}Host: evil.example\r\n"),
        format!("{own}{own}"),
        String::new(),
        format!("{own}Origin: http://{address}\r\nOrigin: https://evil.example\r\n"),
    ] {
        let (status, _) = send(address, &post(&headers, INITIALIZE)).await;
        assert!(status == 400 || status == 403, "{status} for {headers:?}");
    }
    let absolute = post(&own, INITIALIZE).replace("POST /mcp", "POST http://evil.example/mcp");
    let (status, _) = send(address, &absolute).await;
    assert!(status == 400 || status == 403, "{status}");
    for named in ["localhost", "LOCALHOST", "[::1]", "127.0.0.1"] {
        let host = format!("Host: {named}:{}\r\n", address.port());
        assert_eq!(send(address, &post(&host, INITIALIZE)).await.0, 200, "{named}");
    }
}

#[tokio::test]
async fn half_sent_bodies_do_not_block_other_clients() {
    let (server, _stop) = start(HttpOptions::loopback(0)).await;
    let address = server.address();
    let host = format!("Host: {address}\r\n");
    let mut slow = Vec::new();
    for _ in 0..20 {
        let mut stream = TcpStream::connect(address).await.unwrap();
        let begun = post(&host, INITIALIZE).replace("Content-Length: ", "Content-Length: 9");
        stream.write_all(begun.as_bytes()).await.unwrap();
        slow.push(stream);
    }
    assert_eq!(send(address, &post(&host, INITIALIZE)).await.0, 200);
}

#[tokio::test]
async fn a_configured_token_is_required() {
    let options = HttpOptions { token: Some(TOKEN.to_owned()), ..HttpOptions::loopback(0) };
    let (server, _stop) = start(options).await;
    let address = server.address();
    let host = format!("Host: {address}\r\n");
    let (status, answer) = send(address, &post(&host, INITIALIZE)).await;
    assert_eq!(status, 401);
    assert!(answer.to_lowercase().contains("www-authenticate: bearer"), "{answer}");
    assert!(!answer.contains(TOKEN));
    let wrong = format!("{host}Authorization: Bearer {TOKEN}x\r\n");
    assert_eq!(send(address, &post(&wrong, INITIALIZE)).await.0, 401);
    let right = format!("{host}Authorization: Bearer {TOKEN}\r\n");
    assert_eq!(send(address, &post(&right, INITIALIZE)).await.0, 200);
    let config =
        StreamableHttpClientTransportConfig::with_uri(format!("http://{address}/mcp")).auth_header(TOKEN);
    let transport = StreamableHttpClientTransport::from_config(config);
    Client::over(().serve_with_lifecycle(transport, PROTOCOLS[1].lifecycle()).await.unwrap()).await;
}

#[tokio::test]
async fn listening_beyond_the_loopback_requires_a_token() {
    let options = HttpOptions { address: ([0, 0, 0, 0], 0).into(), ..HttpOptions::loopback(0) };
    let service = Service::new(&Options::default()).unwrap();
    let refused = serve_http(service.clone(), options.clone(), CancellationToken::new()).await;
    assert!(matches!(refused, Err(HttpError::NoToken(_))));
    for token in ["short", "                    ", "a                   b"] {
        let short = HttpOptions { token: Some(token.into()), ..options.clone() };
        let refused = serve_http(service.clone(), short, CancellationToken::new()).await;
        assert!(matches!(refused, Err(HttpError::ShortToken(_))), "{token:?}");
    }
}

#[tokio::test]
async fn invalid_requests_are_refused_and_the_server_keeps_running() {
    let (server, _stop) = start(HttpOptions::loopback(0)).await;
    let address = server.address();
    let host = format!("Host: {address}\r\n");
    let huge = format!("{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"{}\"}}", "x".repeat(5 << 20));
    assert_eq!(send(address, &post(&host, &huge)).await.0, 413);
    let nested = "[".repeat(100_000);
    let bodies = ["", "{", "null", "[]", "\u{0}\u{1}", r#"{"jsonrpc":"1.0"}"#, nested.as_str()];
    for body in bodies {
        let (status, answer) = send(address, &post(&host, body)).await;
        assert!((400..500).contains(&status), "{status} for {:?}: {answer}", &body[..body.len().min(20)]);
    }
    assert_eq!(send(address, &post(&host, INITIALIZE)).await.0, 200);
    let (status, body) =
        send(address, &format!("GET /health HTTP/1.1\r\n{host}Connection: close\r\n\r\n")).await;
    assert_eq!(status, 200);
    assert!(body.contains("\"status\":\"ok\""));
}

#[tokio::test]
async fn bad_parameters_of_a_known_method_are_reported_as_such() {
    let (server, _stop) = start(HttpOptions::loopback(0)).await;
    let address = server.address();
    let headers = format!("Host: {address}\r\nMCP-Protocol-Version: 2025-11-25\r\n");
    for (method, code) in [("tools/call", "-32602"), ("tools/cal", "-32601")] {
        let body = format!(r#"{{"jsonrpc":"2.0","id":7,"method":"{method}","params":{{"nme":"x"}}}}"#);
        let (_, answer) = send(address, &post(&headers, &body)).await;
        assert!(answer.contains(code) && answer.contains(method), "{answer}");
    }
}

#[tokio::test]
async fn older_clients_do_not_open_sessions() {
    let (server, _stop) = start(HttpOptions::loopback(0)).await;
    let address = server.address();
    let (status, answer) = send(address, &post(&format!("Host: {address}\r\n"), INITIALIZE)).await;
    assert_eq!(status, 200);
    assert!(!answer.to_lowercase().contains("mcp-session-id"), "{answer}");
}

#[tokio::test]
async fn a_stopped_server_refuses_connections() {
    let (server, stop) = start(HttpOptions::loopback(0)).await;
    let address = server.address();
    stop.cancel();
    server.finished().await.unwrap();
    assert!(TcpStream::connect(address).await.is_err());
}

/// Asks for a page with further headers.
async fn page(address: SocketAddr, path: &str, headers: &str) -> (u16, String) {
    let request = format!("GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n{headers}\r\n");
    send(address, &request).await
}

#[tokio::test]
async fn metrics_count_calls_findings_and_refusals() {
    let (server, stop) = start(HttpOptions::loopback(0)).await;
    let address = server.address();
    let url = format!("http://{address}/mcp");
    let transport = StreamableHttpClientTransport::from_uri(url);
    let client =
        Client::over(().serve_with_lifecycle(transport, PROTOCOLS[0].lifecycle()).await.unwrap()).await;
    client.get("validate", json!({"text": BROKEN, "kind": "rulefile"})).await;
    assert_eq!(send(address, &post("Host: evil.example\r\n", INITIALIZE)).await.0, 403);
    let (status, text) = page(address, "/metrics", "").await;
    assert_eq!(status, 200);
    for expected in [
        "content-type: text/plain; version=0.0.4; charset=utf-8",
        "proofmark_calls_total{tool=\"validate\",outcome=\"answered\"} 1",
        "proofmark_call_duration_seconds_count{tool=\"validate\"} 1",
        "proofmark_findings_total{rule=\"RF",
        "proofmark_http_errors_total{status=\"403\"} 1",
    ] {
        assert!(text.contains(expected), "{expected} is missing in {text}");
    }
    stop.cancel();
}

#[tokio::test]
async fn with_a_token_only_its_bearers_see_metrics_and_engines() {
    let options = HttpOptions { token: Some(TOKEN.to_owned()), ..HttpOptions::loopback(0) };
    let (server, _stop) = start(options).await;
    let address = server.address();
    let bearer = format!("Authorization: Bearer {TOKEN}\r\n");
    assert_eq!(page(address, "/metrics", "").await.0, 401);
    assert_eq!(page(address, "/metrics", &bearer).await.0, 200);
    let (status, health) = page(address, "/health", "").await;
    assert!(status == 200 && health.ends_with("\r\n\r\n{\"status\":\"ok\"}"), "{health}");
    let (_, health) = page(address, "/health", &bearer).await;
    assert!(health.contains("{\"name\":\"embedded\",\"available\":true,\"version\""), "{health}");
    assert!(health.contains("\"name\":\"pandoc\""), "{health}");
}

#[tokio::test]
async fn answers_have_the_id_of_their_request() {
    let (server, _stop) = start(HttpOptions::loopback(0)).await;
    let (_, own) = page(server.address(), "/health", "X-Request-Id: trace-7\r\n").await;
    assert!(own.contains("x-request-id: trace-7\r\n"), "{own}");
    let (_, new) = page(server.address(), "/health", "X-Request-Id: not an id\r\n").await;
    assert!(new.contains("x-request-id: ") && !new.contains("not an id"), "{new}");
}

#[tokio::test]
async fn pages_of_other_sites_see_nothing() {
    let (server, _stop) = start(HttpOptions::loopback(0)).await;
    let address = server.address();
    for path in ["/health", "/metrics"] {
        let get = |headers: &str| format!("GET {path} HTTP/1.1\r\nConnection: close\r\n{headers}\r\n");
        let own = format!("Host: {address}\r\n");
        for headers in [
            "Host: evil.example\r\n".to_owned(),
            format!("{own}Host: evil.example\r\n"),
            format!("{own}Origin: http://evil.example\r\n"),
            format!("{own}Origin: null\r\n"),
        ] {
            let (status, answer) = send(address, &get(&headers)).await;
            assert!(status == 403 || status == 400, "{status} for {headers:?}");
            assert!(!answer.contains("version"), "{answer}");
        }
        let origin = format!("{own}Origin: http://localhost:{}\r\n", address.port());
        assert_eq!(send(address, &get(&own)).await.0, 200);
        assert_eq!(send(address, &get(&origin)).await.0, 200);
        let (status, _) = send(address, &get(&own).replace(path, &format!("{path}#x"))).await;
        assert_eq!(status, 400, "a fragment");
    }
}

#[tokio::test]
async fn idle_connections_keep_no_one_out() {
    let (server, _stop) = start(HttpOptions::loopback(0)).await;
    let address = server.address();
    let mut idle = Vec::new();
    for _ in 0..300 {
        let mut stream = TcpStream::connect(address).await.unwrap();
        stream.write_all(b"POST /mcp HTTP/1.1\r\nHo").await.unwrap();
        idle.push(stream);
    }
    assert_eq!(send(address, &post(&format!("Host: {address}\r\n"), INITIALIZE)).await.0, 200);
}

#[tokio::test]
async fn bodies_that_never_come_do_not_delay_others() {
    let (server, _stop) = start(HttpOptions::loopback(0)).await;
    let address = server.address();
    let host = format!("Host: {address}\r\n");
    let mut slow = Vec::new();
    for _ in 0..40 {
        let mut stream = TcpStream::connect(address).await.unwrap();
        let head = format!(
            "POST /mcp HTTP/1.1\r\n{host}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
        );
        stream.write_all(head.as_bytes()).await.unwrap();
        slow.push(stream);
    }
    let spaces = " ".repeat(120_000);
    assert_eq!(send(address, &post(&host, &format!("{INITIALIZE}{spaces}"))).await.0, 200);
}

#[tokio::test]
async fn a_body_that_is_not_a_message_gets_an_error_of_the_protocol() {
    let (server, stop) = start(HttpOptions::loopback(0)).await;
    let batch = format!("[{INITIALIZE}]");
    for (body, code) in [
        ("{", -32700),
        ("", -32700),
        ("hello", -32700),
        (batch.as_str(), -32600),
        (r#"{"id":1,"method":"tools/list"}"#, -32600),
    ] {
        let host = format!("Host: {}\r\n", server.address());
        let (status, answer) = send(server.address(), &post(&host, body)).await;
        assert_eq!(status, 400, "{body}: {answer}");
        let json = answer.split("\r\n\r\n").nth(1).unwrap_or_default();
        let error: serde_json::Value = serde_json::from_str(json).unwrap_or_else(|_| panic!("{answer}"));
        assert_eq!(error["error"]["code"], code, "{body}: {answer}");
    }
    stop.cancel();
}
