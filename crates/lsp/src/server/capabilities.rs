//! What client and server can do. The client's part is read by its names, so that no client is refused for the rest.

use serde_json::{Value, json};

use crate::{
    editor::{Client, EXPLAIN, FIX_ALL, MODIFIERS, TYPES},
    text::ColumnUnit,
};

/// Reads what the client can do from the parameters of `initialize`.
pub(super) fn client(params: &Value, rule_pages: Option<&str>) -> Client {
    let can = |pointer: &str| params.pointer(&format!("/capabilities/{pointer}"));
    let is_on = |pointer: &str| can(pointer).and_then(Value::as_bool).unwrap_or(false);
    let has = |pointer: &str| can(pointer).is_some_and(|value| !value.is_null());
    let lists = |pointer: &str, name: &str| {
        let list = can(pointer).and_then(Value::as_array);
        list.is_some_and(|list| list.iter().any(|item| item.as_str() == Some(name)))
    };
    let units = can("general/positionEncodings").and_then(Value::as_array);
    let units = units.into_iter().flatten().filter_map(|unit| match unit.as_str()? {
        "utf-8" => Some(ColumnUnit::Utf8),
        "utf-16" => Some(ColumnUnit::Utf16),
        "utf-32" => Some(ColumnUnit::Utf32),
        _ => None,
    });
    let configured = params.pointer("/initializationOptions/rulePages").and_then(Value::as_str);
    Client {
        // The client names the one that it likes best first.
        unit: units.into_iter().next().unwrap_or_default(),
        pulls: has("textDocument/diagnostic"),
        refreshes: is_on("workspace/diagnostics/refreshSupport"),
        related: is_on("textDocument/publishDiagnostics/relatedInformation")
            || is_on("textDocument/diagnostic/relatedInformation"),
        versioned_edits: is_on("workspace/workspaceEdit/documentChanges"),
        resolves_edits: lists("textDocument/codeAction/resolveSupport/properties", "edit"),
        shows_documents: is_on("window/showDocument/support"),
        markdown: lists("textDocument/hover/contentFormat", "markdown"),
        watches_files: is_on("workspace/didChangeWatchedFiles/dynamicRegistration"),
        rule_pages: configured.or(rule_pages).map(|base| base.trim_end_matches('/').to_owned()),
    }
}

/// What the server can do for a client.
pub(super) fn server(client: &Client) -> Value {
    let encoding = match client.unit {
        ColumnUnit::Utf8 => "utf-8",
        ColumnUnit::Utf16 => "utf-16",
        ColumnUnit::Utf32 => "utf-32",
    };
    json!({
        "capabilities": {
            "positionEncoding": encoding,
            "textDocumentSync": {"openClose": true, "change": 2, "save": true},
            "diagnosticProvider": {
                "identifier": "proofmark", "interFileDependencies": true, "workspaceDiagnostics": false,
            },
            "codeActionProvider": {"codeActionKinds": ["quickfix", FIX_ALL], "resolveProvider": true},
            "hoverProvider": true,
            "completionProvider": {"triggerCharacters": [":", " ", "-", "\"", "{", "$", "[", ">"]},
            "codeLensProvider": {"resolveProvider": false},
            "definitionProvider": true,
            "referencesProvider": true,
            "documentHighlightProvider": true,
            "renameProvider": {"prepareProvider": true},
            "documentSymbolProvider": true,
            "foldingRangeProvider": true,
            "selectionRangeProvider": true,
            "documentLinkProvider": {"resolveProvider": false},
            "inlayHintProvider": {"resolveProvider": false},
            "semanticTokensProvider": {
                "legend": {"tokenTypes": TYPES, "tokenModifiers": MODIFIERS}, "full": true, "range": false,
            },
            "executeCommandProvider": {"commands": [EXPLAIN]},
            "workspace": {
                "workspaceFolders": {"supported": true, "changeNotifications": true},
                "textDocumentContent": {"schemes": ["proofmark"]},
            },
        },
        "serverInfo": {"name": "proofmark", "version": env!("CARGO_PKG_VERSION")},
    })
}
