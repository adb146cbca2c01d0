//! The program over standard input and output, including bytes that no client would send.

use std::process::Stdio;

use rmcp::{ClientServiceExt, transport::TokioChildProcess};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader},
    process::Command,
};

use crate::client::{BROKEN, Client, PROTOCOLS};

fn program() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_proofmark"));
    command.args(["--isolated", "serve", "--no-files"]);
    command
}

/// What the program writes to standard output for this input; it must exit when the input ends.
async fn output_of(input: &[u8]) -> String {
    let mut child = program()
        .env("PROOFMARK_LOG", "trace")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_vec();
    let writing = tokio::spawn(async move {
        let _ = stdin.write_all(&input).await;
        let _ = stdin.flush().await;
        // Pending answers need the input to stay open.
        tokio::time::sleep(std::time::Duration::from_millis(700)).await;
    });
    let output = tokio::time::timeout(std::time::Duration::from_secs(30), child.wait_with_output()).await;
    let output = output.expect("the program exits when its input ends").unwrap();
    writing.await.unwrap();
    assert!(output.status.code().is_some_and(|code| code < 3), "{:?}", output.status);
    String::from_utf8(output.stdout).unwrap()
}

#[tokio::test]
async fn the_log_has_no_text_of_documents_at_any_level_of_its_own() {
    for level in ["debug", "trace"] {
        let mut child = program()
            .env("PROOFMARK_LOG", level)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut input = opening();
        input.extend(line(&json!({
            "jsonrpc": "2.0", "id": 2, "method": "tools/call",
            "params": {"name": "validate", "arguments": {"text": "SECRET-OF-A-DOCUMENT: [", "kind": "yaml"}}
        })));
        let mut stdin = child.stdin.take().unwrap();
        stdin.write_all(&input).await.unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        while let Some(answer) = lines.next_line().await.unwrap() {
            if answer.contains("\"id\":2") {
                break;
            }
        }
        drop(stdin);
        let output = child.wait_with_output().await.unwrap();
        let log = String::from_utf8(output.stderr).unwrap();
        assert!(log.contains("\"call\""), "calls are logged: {log}");
        assert!(!log.contains("SECRET-OF-A-DOCUMENT"), "{level}: {log}");
    }
}

fn line(value: &Value) -> Vec<u8> {
    let mut bytes = value.to_string().into_bytes();
    bytes.push(b'\n');
    bytes
}

fn opening() -> Vec<u8> {
    let mut bytes = line(&json!({
        "jsonrpc": "2.0", "id": 1, "method": "initialize",
        "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
    }));
    bytes.extend(line(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"})));
    bytes
}

#[tokio::test]
async fn all_protocol_versions_work_with_a_child_process() {
    for protocol in PROTOCOLS {
        let transport = TokioChildProcess::new(program()).unwrap();
        let client =
            Client::over(().serve_with_lifecycle(transport, protocol.lifecycle()).await.unwrap()).await;
        let answer = client.get("validate", json!({"text": BROKEN, "kind": "rulefile"})).await;
        assert_eq!(answer["valid"], false);
        client.running.cancel().await.unwrap();
    }
}

#[tokio::test]
async fn only_the_protocol_is_written_to_standard_output() {
    let mut input = opening();
    let call = |id: u32, arguments: Value| {
        line(
            &json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": "validate", "arguments": arguments}}),
        )
    };
    input.extend(call(2, json!({"text": BROKEN, "kind": "rulefile"})));
    input.extend(call(3, json!({"nonsense": true})));
    let output = output_of(&input).await;
    let mut answered: Vec<i64> = Vec::new();
    for line in output.lines() {
        let message: Value = serde_json::from_str(line).unwrap_or_else(|_| panic!("not JSON: {line}"));
        assert_eq!(message["jsonrpc"], "2.0");
        answered.extend(message["id"].as_i64());
    }
    answered.sort_unstable();
    assert_eq!(answered, [1, 2, 3]);
}

#[tokio::test]
async fn hostile_bytes_do_not_stop_the_server() {
    let mut hostile: Vec<Vec<u8>> = vec![
        b"\xff\xfe\x00\x00\n".to_vec(),
        b"{\"jsonrpc\":\"2.0\",\"id\":9,\"method\":\n".to_vec(),
        b"[]\n".to_vec(),
        b"null\n\n\n\r\n".to_vec(),
        b"{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"tools/list\"}\n".to_vec(),
        b"{\"jsonrpc\":\"2.0\",\"id\":8,\"method\":\"no/such\"}\n".to_vec(),
    ];
    hostile.push([b"[".repeat(200_000), b"\n".to_vec()].concat());
    hostile.push([b"{\"a\":".repeat(50_000), b"\n".to_vec()].concat());
    for bytes in hostile {
        let shown = String::from_utf8_lossy(&bytes[..bytes.len().min(40)]).into_owned();
        let mut input = opening();
        input.extend(&bytes);
        input.extend(line(&json!({"jsonrpc": "2.0", "id": 7, "method": "tools/list"})));
        let output = output_of(&input).await;
        let mut ids = Vec::new();
        for line in output.lines() {
            let message: Value = serde_json::from_str(line).unwrap_or_else(|_| panic!("not JSON: {line}"));
            ids.push(message["id"].clone());
        }
        assert!(ids.contains(&json!(7)), "no answer after {shown:?}: {output}");
    }
}

#[tokio::test]
async fn input_that_is_not_mcp_ends_the_program() {
    for bytes in [&b""[..], b"\n", b"hello\n", b"GET / HTTP/1.1\r\n\r\n"] {
        output_of(bytes).await;
    }
}
