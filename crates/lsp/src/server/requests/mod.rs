//! One file per method: from parameters to the question of `editor/`, and from its answer to the protocol.

mod code_action;
mod code_action_resolve;
mod code_lens;
mod completion;
mod definition;
mod diagnostic;
mod document_highlight;
mod document_link;
mod document_symbol;
mod folding_range;
mod hover;
mod inlay_hint;
mod prepare_rename;
mod references;
mod rename;
mod selection_range;
mod semantic_tokens;

use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

use crate::{
    editor::Snapshot,
    protocol::{ErrorCode, ResponseError},
};

/// Answers a request about a document, as JSON.
pub(super) type Answer = fn(&Snapshot, Value) -> Result<String, ResponseError>;

/// A method about a document.
pub(super) struct Method {
    pub(super) name: &'static str,
    pub(super) answer: Answer,
    /// Where its parameters name the document.
    pub(super) document: &'static str,
    /// Whether its answer is about the newest version, whichever was there when the client asked.
    pub(super) any_version: bool,
    /// Whether it needs the result of validating the document.
    pub(super) needs_result: bool,
}

const fn about(name: &'static str, answer: Answer) -> Method {
    Method { name, answer, document: "/textDocument/uri", any_version: false, needs_result: true }
}

/// A method that needs only the text.
const fn of_text(name: &'static str, answer: Answer) -> Method {
    Method { needs_result: false, ..about(name, answer) }
}

/// The methods that a snapshot of a document answers.
static METHODS: [Method; 17] = [
    about("textDocument/codeAction", code_action::answer),
    Method { document: "/data/uri", ..about("codeAction/resolve", code_action_resolve::answer) },
    Method { any_version: true, ..about("textDocument/diagnostic", diagnostic::answer) },
    about("textDocument/hover", hover::answer),
    of_text("textDocument/codeLens", code_lens::answer),
    of_text("textDocument/completion", completion::answer),
    of_text("textDocument/definition", definition::answer),
    of_text("textDocument/documentHighlight", document_highlight::answer),
    of_text("textDocument/documentLink", document_link::answer),
    of_text("textDocument/documentSymbol", document_symbol::answer),
    of_text("textDocument/foldingRange", folding_range::answer),
    of_text("textDocument/inlayHint", inlay_hint::answer),
    of_text("textDocument/prepareRename", prepare_rename::answer),
    of_text("textDocument/references", references::answer),
    of_text("textDocument/rename", rename::answer),
    of_text("textDocument/selectionRange", selection_range::answer),
    of_text("textDocument/semanticTokens/full", semantic_tokens::answer),
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
pub(super) fn written(answer: impl Serialize) -> Result<String, ResponseError> {
    serde_json::to_string(&answer).map_err(|error| failure(ErrorCode::InternalError, error.to_string()))
}

/// The error that says why there is no answer.
pub(super) fn failure(code: ErrorCode, message: impl Into<String>) -> ResponseError {
    ResponseError { code: code as i32, message: message.into(), data: None }
}
