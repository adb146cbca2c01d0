//! A command that cannot do its work, as JSON: for programs that asked for JSON.

use std::ffi::OsString;

use serde_json::{Value, json};

use super::{
    console::Console,
    exit::{Exit, Fault},
};
use crate::diagnostic::{
    Envelope,
    report::{self, FileReport, Format, Outcome, Run},
};

/// Whether the arguments ask for an answer in JSON. They may be wrong, so they are not parsed.
pub(super) fn wants_json(arguments: &[OsString]) -> bool {
    formats(arguments).iter().any(|value| matches!(*value, "json" | "jsonl"))
}

/// The format of reports for programs that the arguments ask for, other than JSON.
pub(super) fn wanted_format(arguments: &[OsString]) -> Option<Format> {
    let named = formats(arguments).into_iter().find_map(|name| name.parse::<Format>().ok());
    named.filter(|format| !matches!(format, Format::Pretty | Format::Json))
}

/// The formats that the arguments name.
fn formats(arguments: &[OsString]) -> Vec<&str> {
    let words: Vec<&str> = arguments.iter().filter_map(|argument| argument.to_str()).collect();
    let given = words.windows(2).filter(|pair| pair[0] == "--format").map(|pair| pair[1]);
    given.chain(words.iter().filter_map(|word| word.strip_prefix("--format="))).collect()
}

/// Reports why a command failed: findings in the format that was asked for, everything else on standard error.
pub(super) fn report(fault: &Fault, format: Format) -> Exit {
    let exit = fault.exit();
    let mut files = Vec::new();
    for part in fault.parts() {
        match part {
            Fault::Findings { diagnostics, sources, .. } => {
                let name = sources.first().map_or("", |source| source.name());
                files.push(FileReport { name, sources, diagnostics });
            }
            other => drop(other.report()),
        }
    }
    if !files.is_empty() {
        let run = Run { version: env!("CARGO_PKG_VERSION").to_owned(), ..Run::default() };
        let outcome = Outcome { exit_code: exit.code(), truncated: None };
        let mut text = Vec::new();
        // Writing into memory does not fail, and where standard output is closed, there is no reader.
        let _ = report::write(format, &run, &files, &outcome, &mut text);
        let _ = Console::print(&String::from_utf8_lossy(&text));
    }
    exit
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
    let mut messages: Vec<String> = Vec::new();
    for part in fault.parts() {
        let message = match part {
            Fault::Findings { .. } => "the configuration or a rule file has errors".to_owned(),
            other => other.to_string(),
        };
        if !messages.contains(&message) {
            messages.push(message);
        }
    }
    let message = messages.join("\n");
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
