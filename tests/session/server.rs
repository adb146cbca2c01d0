//! A client of `proofmark serve`, over standard input and output.

use std::{
    cell::RefCell,
    io::{BufRead, BufReader, Write},
    process::{Child, ChildStdin, ChildStdout, Stdio},
};

use serde_json::{Value, json};

use super::sandbox::Sandbox;

pub(crate) struct Server {
    child: RefCell<Child>,
    input: RefCell<ChildStdin>,
    output: RefCell<BufReader<ChildStdout>>,
}

impl Server {
    /// Starts the server in the folder of the sandbox.
    pub(crate) fn start(sandbox: &Sandbox, arguments: &[&str]) -> Self {
        let mut command = sandbox.command(&[&["serve"], arguments].concat());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        let server = Self {
            input: RefCell::new(child.stdin.take().unwrap()),
            output: RefCell::new(BufReader::new(child.stdout.take().unwrap())),
            child: RefCell::new(child),
        };
        let client = json!({"name": "tests", "version": "1"});
        let version = "2025-11-25";
        server.request(
            "initialize",
            json!({"protocolVersion": version, "capabilities": {}, "clientInfo": client}),
        );
        server.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        server
    }

    /// The structured answer of a tool.
    pub(crate) fn call(&self, tool: &str, arguments: Value) -> Value {
        let mut answer = self.request("tools/call", json!({"name": tool, "arguments": arguments}));
        let structured = answer["result"]["structuredContent"].take();
        assert!(structured.is_object(), "{tool}: {answer:#}");
        structured
    }

    fn request(&self, method: &str, params: Value) -> Value {
        self.send(&json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}));
        let mut line = String::new();
        self.output.borrow_mut().read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap()
    }

    fn send(&self, message: &Value) {
        writeln!(self.input.borrow_mut(), "{message}").unwrap();
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.borrow_mut().kill();
        let _ = self.child.borrow_mut().wait();
    }
}
