//! The program as a service over standard input and output.

use std::{
    io::{BufRead, BufReader, Write},
    path::Path,
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    thread,
    time::Duration,
};

use serde_json::{Value, json};

/// The time that every service believes it is: 2026-02-25 06:13:20 UTC.
pub(crate) const NOW: u64 = 1_772_000_000;

pub(crate) struct Server {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    last: u64,
}

/// The answer of a tool.
pub(crate) struct Answer {
    pub(crate) is_error: bool,
    pub(crate) structured: Value,
    pub(crate) text: String,
}

impl Server {
    /// A service for the Org files of a folder with this configuration.
    pub(crate) fn start(folder: &Path, configuration: &str) -> Self {
        std::fs::write(folder.join("proofmark.toml"), configuration).unwrap();
        let mut child = Command::new(env!("CARGO_BIN_EXE_proofmark"))
            .args(["serve", "--root", ".", "--toolsets", "org"])
            .current_dir(folder)
            .env("SOURCE_DATE_EPOCH", NOW.to_string())
            .env("TZ", "UTC")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let input = child.stdin.take().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        let mut server = Self { child, input, output, last: 0 };
        let opening = json!({
            "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}
        });
        server.ask("initialize", &opening).expect("the service starts");
        let _ = server.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        server
    }

    fn send(&mut self, message: &Value) -> std::io::Result<()> {
        writeln!(self.input, "{message}")?;
        self.input.flush()
    }

    /// The result of a request; nothing when the process has ended.
    fn ask(&mut self, method: &str, params: &Value) -> Option<Value> {
        self.begin(method, params)?;
        self.finish()
    }

    /// Sends a request without waiting for its answer.
    fn begin(&mut self, method: &str, params: &Value) -> Option<()> {
        self.last += 1;
        self.send(&json!({"jsonrpc": "2.0", "id": self.last, "method": method, "params": params})).ok()
    }

    fn finish(&mut self) -> Option<Value> {
        loop {
            let mut line = String::new();
            if self.output.read_line(&mut line).ok()? == 0 {
                return None;
            }
            let message: Value = serde_json::from_str(&line).unwrap();
            if message["id"] == self.last {
                assert!(message["error"].is_null(), "{message}");
                return Some(message["result"].clone());
            }
        }
    }

    pub(crate) fn call(&mut self, tool: &str, arguments: &Value) -> Answer {
        self.try_call(tool, arguments).expect("the service answers")
    }

    /// Calls a tool; nothing when the process has ended.
    pub(crate) fn try_call(&mut self, tool: &str, arguments: &Value) -> Option<Answer> {
        let result = self.ask("tools/call", &json!({"name": tool, "arguments": arguments}))?;
        Some(Answer {
            is_error: result["isError"] == true,
            structured: result["structuredContent"].clone(),
            text: result["content"][0]["text"].as_str().unwrap_or_default().to_owned(),
        })
    }

    /// Kills the process a while after it was asked to call a tool.
    pub(crate) fn kill_while(mut self, tool: &str, arguments: &Value, after: Duration) {
        self.begin("tools/call", &json!({"name": tool, "arguments": arguments})).unwrap();
        thread::sleep(after);
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// The structured answer of a call that succeeds.
    pub(crate) fn get(&mut self, tool: &str, arguments: &Value) -> Value {
        let answer = self.call(tool, arguments);
        assert!(!answer.is_error, "{tool} {arguments}: {}", answer.text);
        answer.structured
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
