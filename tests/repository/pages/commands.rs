//! The parts of `docs/cli.md`: every command with its arguments.

use std::fmt::Write as _;

use clap::{Arg, Command};
use proofmark::internals::reference::commands;

use super::{
    Part,
    form::{cell, one_line},
};

/// One part for the global options and one for each command that is compiled in.
pub(super) fn parts() -> Vec<Part> {
    let root = commands();
    let mut parts = vec![("global options".to_owned(), global(&root))];
    for command in root.get_subcommands().filter(|command| is_shown(command)) {
        let mut text = String::new();
        section(command, &format!("proofmark {}", command.get_name()), &mut text);
        parts.push((format!("proofmark {}", command.get_name()), text));
    }
    parts
}

fn is_shown(command: &Command) -> bool {
    !command.is_hide_set() && command.get_name() != "help"
}

fn global(root: &Command) -> String {
    let global: Vec<&Arg> = root.get_arguments().filter(|argument| argument.is_global_set()).collect();
    table(&global)
}

/// A command, and the commands below it.
fn section(command: &Command, path: &str, text: &mut String) {
    let about = command.get_long_about().or_else(|| command.get_about());
    let about = about.map(ToString::to_string).unwrap_or_default();
    let usage = command.clone().render_usage().to_string();
    let usage = usage.trim_start_matches("Usage: ");
    let _ = write!(text, "## `{path}`\n\n{}\n\n```console\n{usage}\n```\n\n", about.trim());
    let own: Vec<&Arg> = command.get_arguments().filter(|argument| is_own(argument)).collect();
    if !own.is_empty() {
        *text += &table(&own);
        text.push('\n');
    }
    if let Some(examples) = command.get_after_help() {
        let _ = write!(text, "```text\n{}\n```\n\n", examples.to_string().trim());
    }
    for inner in command.get_subcommands().filter(|command| is_shown(command)) {
        section(inner, &format!("{path} {}", inner.get_name()), text);
    }
}

fn is_own(argument: &Arg) -> bool {
    !argument.is_global_set()
        && !argument.is_hide_set()
        && !["help", "version"].contains(&argument.get_id().as_str())
}

fn table(arguments: &[&Arg]) -> String {
    let mut text = String::from("| argument | meaning |\n|---|---|\n");
    for argument in arguments {
        let help = argument.get_long_help().or_else(|| argument.get_help());
        let mut about = one_line(&help.map(ToString::to_string).unwrap_or_default());
        if !about.is_empty() && !about.ends_with('.') {
            about.push('.');
        }
        let values: Vec<String> = argument
            .get_possible_values()
            .iter()
            .filter(|value| !value.is_hide_set())
            .map(|value| format!("`{}`", value.get_name()))
            .collect();
        if argument.get_action().takes_values()
            && !values.is_empty()
            && !argument.is_hide_possible_values_set()
        {
            let _ = write!(about, " One of {}.", values.join(", "));
        }
        let default: Vec<String> =
            argument.get_default_values().iter().map(|value| value.to_string_lossy().into_owned()).collect();
        if argument.get_action().takes_values() && !default.is_empty() {
            let _ = write!(about, " Default: `{}`.", default.join(" "));
        }
        if let Some(variable) = argument.get_env() {
            let _ = write!(about, " Environment variable: `{}`.", variable.to_string_lossy());
        }
        let _ = writeln!(text, "| {} | {} |", name(argument), cell(&about));
    }
    text
}

/// `-o`, `--output FILE`, or the name of a positional argument.
fn name(argument: &Arg) -> String {
    let values: Vec<String> =
        argument.get_value_names().unwrap_or_default().iter().map(|name| name.as_str().to_owned()).collect();
    let value = if argument.get_action().takes_values() { values.join(" ") } else { String::new() };
    let mut names: Vec<String> =
        argument.get_short().map(|short| format!("`-{short}`")).into_iter().collect();
    match argument.get_long() {
        Some(long) if value.is_empty() => names.push(format!("`--{long}`")),
        Some(long) => names.push(format!("`--{long} {value}`")),
        None if names.is_empty() => names.push(format!("`{value}`")),
        None => {}
    }
    names.join(", ")
}
