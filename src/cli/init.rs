use std::{
    collections::BTreeMap,
    fs::OpenOptions,
    io::{self, Write},
    path::{Path, PathBuf},
};

use crate::{
    project::{AdoptedTool, config::FILE_NAME},
    rules::Ruleset,
};

use super::{
    console::Console,
    exit::{Exit, Fault, shown},
};

/// Write a commented proofmark.toml
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// Folder of the file [default: .]
    #[arg(value_name = "FOLDER", default_value = ".", hide_default_value = true)]
    folder: PathBuf,

    /// Take over the configuration of another tool in that folder
    #[arg(long, value_name = "TOOL")]
    from: Option<Tool>,
}

/// A tool whose configuration can be taken over.
#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum Tool {
    Markdownlint,
}

impl Tool {
    /// The word that its files are called by, also the pack with its rules.
    fn word(self) -> &'static str {
        match self {
            Self::Markdownlint => "markdownlint",
        }
    }
}

/// What the file says at first: nothing that differs from having none.
const TEXT: &str = include_str!("init.toml");

pub(super) fn run(arguments: &Arguments) -> Result<Exit, Fault> {
    let path = arguments.folder.join(FILE_NAME);
    let path = path.strip_prefix(".").map(Path::to_owned).unwrap_or(path);
    let text = match arguments.from {
        Some(tool) => taken_over(&arguments.folder, tool)?,
        None => TEXT.to_owned(),
    };
    let written = OpenOptions::new().write(true).create_new(true).open(&path);
    let mut file = written.map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => {
            Fault::with_hint(format!("`{}` already exists", shown(&path)), "it is left as it is")
        }
        _ => Fault::write(&path, error),
    })?;
    file.write_all(text.as_bytes()).map_err(|error| Fault::write(&path, error))?;
    Console::note(&format!("wrote {}", shown(&path)));
    Ok(Exit::Clean)
}

/// What the configuration of another tool says, as `proofmark.toml` says it. What has no meaning here is noted.
fn taken_over(folder: &Path, tool: Tool) -> Result<String, Fault> {
    let word = tool.word();
    let found = AdoptedTool::find(folder, word, &Ruleset::builtin());
    for findings in found.findings() {
        Fault::of(findings).report();
    }
    let files = found.files();
    if files.is_empty() {
        let message = format!("`{}` has no configuration of {word} that can be read", shown(folder));
        return Err(Fault::with_hint(message, "run `proofmark init` without `--from`"));
    }
    let names = files.iter().filter_map(|path| path.file_name()).map(|name| name.to_string_lossy());
    let mut lines = vec![format!("# Taken over from {}", names.collect::<Vec<_>>().join(" and "))];
    let ignored = found.ignored();
    if !ignored.is_empty() {
        lines.extend(["[files]".into(), format!("exclude = {}", list(&ignored)), String::new()]);
    }
    let rules = found.rules();
    lines.extend(["[rules]".into(), format!("extend = {}", list(&[word.to_owned()]))]);
    if !rules.off.is_empty() {
        lines.push(format!("ignore = {}", list(&rules.off)));
    }
    // A rule may be there under several names; the last value counts.
    let mut tables: BTreeMap<&String, BTreeMap<&str, String>> = BTreeMap::new();
    for (id, severity) in &rules.severities {
        tables.entry(id).or_default().insert("severity", format!("\"{severity}\""));
    }
    for (id, options) in &rules.options {
        let values = options.iter().map(|(option, value)| (option.as_str(), value.to_string()));
        tables.entry(id).or_default().extend(values);
    }
    for (id, values) in tables {
        lines.extend([String::new(), format!("[rules.{id}]")]);
        lines.extend(values.iter().map(|(key, value)| format!("{key} = {value}")));
    }
    Ok(lines.join("\n") + "\n")
}

/// A list of strings; JSON writes strings as TOML does.
fn list(items: &[String]) -> String {
    serde_json::Value::from(items.to_vec()).to_string()
}
