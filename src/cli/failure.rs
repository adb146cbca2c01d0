//! A command that cannot do its work, as JSON: for programs that asked for JSON.

use std::ffi::OsString;

use serde_json::{Value, json};

use super::{
    console::Console,
    exit::{Exit, Fault},
};
use crate::diagnostic::Envelope;

/// Whether the arguments ask for an answer in JSON. They may be wrong, so they are not parsed.
pub(super) fn wants_json(arguments: &[OsString]) -> bool {
    let is_json = |value: &str| matches!(value, "json" | "jsonl");
    let words: Vec<&str> = arguments.iter().filter_map(|argument| argument.to_str()).collect();
    let given = words.windows(2).any(|pair| pair[0] == "--format" && is_json(pair[1]));
    given || words.iter().any(|word| word.strip_prefix("--format=").is_some_and(is_json))
}

/// Writes a mistake in the arguments.
pub(super) fn usage(error: &clap::Error) -> Exit {
    let text = error.render().to_string();
    let mut parts = text.trim().split("\n\n");
    let message = parts.next().unwrap_or_default().trim_start_matches("error: ").to_owned();
    let hint = parts.find_map(|part| part.trim().strip_prefix("tip: ")).map(str::to_owned);
    write(&json!({"kind": "usage", "message": message, "hint": hint}), &Value::Null, Exit::Usage)
}

/// Writes why a command failed.
pub(super) fn fault(fault: &Fault) -> Exit {
    let exit = fault.exit();
    if exit == Exit::Clean {
        return exit;
    }
    let kind = if exit == Exit::Internal { "internal" } else { "usage" };
    let message = match fault {
        Fault::Findings { .. } => "the configuration or a rule file has errors".to_owned(),
        other => other.to_string(),
    };
    let error = json!({"kind": kind, "message": message, "hint": fault.hint()});
    write(&error, &fault.diagnostics(), exit)
}

fn write(error: &Value, diagnostics: &Value, exit: Exit) -> Exit {
    let mut error = error.clone();
    if let Value::Object(fields) = &mut error {
        fields.retain(|_, value| !value.is_null());
    }
    let mut answer = json!({
        "tool": Envelope::TOOL,
        "version": env!("CARGO_PKG_VERSION"),
        "valid": false,
        "error": error,
    });
    if !diagnostics.is_null() {
        answer["diagnostics"] = diagnostics.clone();
    }
    // Where standard output is closed, there is no reader.
    let _ = Console::print(&format!("{answer}\n"));
    exit
}
