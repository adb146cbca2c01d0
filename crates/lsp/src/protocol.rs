//! The types of the Language Server Protocol: the only module that names the crates they come from.

use serde::Deserialize;

use crate::text::EditorPosition;

pub(crate) use gen_lsp_types::{Code, Command, Edit, Message as DiagnosticMessage};
pub(crate) use gen_lsp_types::{
    CodeAction, CodeActionKind, CodeDescription, Contents, Diagnostic, DiagnosticRelatedInformation,
    DiagnosticSeverity, DocumentChange, Hover, Location, MarkupContent, MarkupKind,
    OptionalVersionedTextDocumentIdentifier, Position, Range, TextDocumentEdit, TextDocumentIdentifier,
    TextEdit, Uri, WorkspaceEdit,
};
pub(crate) use lsp_server::{ErrorCode, Message, Notification, Request, RequestId, Response, ResponseError};

impl From<EditorPosition> for PositionOf {
    fn from(position: EditorPosition) -> Self {
        Self(Position { line: position.line, character: position.column })
    }
}

/// A position of the protocol that is made from one of the text.
pub(crate) struct PositionOf(pub(crate) Position);

/// A position of a client as the text counts it.
pub(crate) fn editor_position(position: Position) -> EditorPosition {
    EditorPosition { line: position.line, column: position.character }
}

/// What most requests about a document have: only what is used is read, so that no client is refused for the rest.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DocumentParams {
    pub(crate) text_document: TextDocumentIdentifier,
}

/// A request about a position in a document.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PositionParams {
    pub(crate) position: Position,
}

/// A request about a part of a document.
#[derive(Debug, Deserialize)]
pub(crate) struct RangeParams {
    pub(crate) range: Range,
}

/// A request about several positions.
#[derive(Debug, Deserialize)]
pub(crate) struct PositionsParams {
    pub(crate) positions: Vec<Position>,
}

/// A request for a new name.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RenameParams {
    pub(crate) position: Position,
    pub(crate) new_name: String,
}

/// A request for code actions. Diagnostics of the context are those of any server, so they are not read.
#[derive(Debug, Deserialize)]
pub(crate) struct CodeActionParams {
    pub(crate) range: Range,
    #[serde(default)]
    pub(crate) context: CodeActionContext,
}

/// Which code actions are asked for.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct CodeActionContext {
    #[serde(default)]
    pub(crate) only: Option<Vec<String>>,
}

/// A document that was opened.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct OpenParams {
    pub(crate) text_document: OpenedDocument,
}

/// The text of an opened document, with its address, language and version.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct OpenedDocument {
    pub(crate) uri: Uri,
    #[serde(default)]
    pub(crate) language_id: String,
    pub(crate) version: i32,
    pub(crate) text: String,
}

/// Changes of a document, each of the text that the one before it left.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ChangeParams {
    pub(crate) text_document: VersionedDocument,
    pub(crate) content_changes: Vec<ContentChange>,
}

/// A version of a document.
#[derive(Debug, Deserialize)]
pub(crate) struct VersionedDocument {
    pub(crate) uri: Uri,
    pub(crate) version: i32,
}

/// New text for a part of a document, or for all of it.
#[derive(Debug, Deserialize)]
pub(crate) struct ContentChange {
    #[serde(default)]
    pub(crate) range: Option<Range>,
    pub(crate) text: String,
}
