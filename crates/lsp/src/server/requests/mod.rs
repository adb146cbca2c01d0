//! One file per method: from parameters to the question of `editor/`, and from its answer to the protocol.

mod code_action;
mod code_action_resolve;
mod diagnostic;
mod hover;

use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

use crate::{
    editor::Snapshot,
    protocol::{ErrorCode, ResponseError},
};

/// Answers a request about a document that was validated.
pub(super) type Answer = fn(&Snapshot, Value) -> Result<Value, ResponseError>;

/// A method about a document.
pub(super) struct Method {
    pub(super) name: &'static str,
    pub(super) answer: Answer,
    /// Where its parameters name the document.
    pub(super) document: &'static str,
    /// Whether its answer is about the newest version, whichever was there when the client asked.
    pub(super) any_version: bool,
}

const fn about(name: &'static str, answer: Answer) -> Method {
    Method { name, answer, document: "/textDocument/uri", any_version: false }
}

/// The methods that a snapshot of a document answers.
static METHODS: [Method; 4] = [
    about("textDocument/codeAction", code_action::answer),
    Method { document: "/data/uri", ..about("codeAction/resolve", code_action_resolve::answer) },
    Method { any_version: true, ..about("textDocument/diagnostic", diagnostic::answer) },
    about("textDocument/hover", hover::answer),
];

/// The method of this name.
pub(super) fn method(name: &str) -> Option<&'static Method> {
    METHODS.iter().find(|method| method.name == name)
}

/// Reads parameters.
pub(super) fn parsed<P: DeserializeOwned>(params: Value) -> Result<P, ResponseError> {
    serde_json::from_value(params).map_err(|error| failure(ErrorCode::InvalidParams, error.to_string()))
}

/// Writes an answer.
fn written(answer: impl Serialize) -> Result<Value, ResponseError> {
    serde_json::to_value(answer).map_err(|error| failure(ErrorCode::InternalError, error.to_string()))
}

/// Why there is no answer.
pub(super) fn failure(code: ErrorCode, message: impl Into<String>) -> ResponseError {
    ResponseError { code: code as i32, message: message.into(), data: None }
}
