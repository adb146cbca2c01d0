//! Rule sets of other programs as packs.

mod functions;
mod paths;
mod spectral;
mod yaml;

use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use clap::ValueEnum;
use serde_json::Value;

use self::spectral::Imported;
use super::{Console, Exit, Fault, shown};
use crate::{
    files,
    kinds::ParseOptions,
    project::Project,
    text::{Fragment, Source},
};

/// Translate the rule set of another program to a pack and a configuration
///
/// Rules that Proofmark has under the same name become settings, printed for proofmark.toml; other rules become a pack.
/// What cannot be translated is listed with the reason.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Example:
  proofmark rules import spectral .spectral.yaml >> proofmark.toml")]
pub(super) struct Arguments {
    /// Program whose rule set it is
    #[arg(value_name = "PROGRAM")]
    program: Program,
    /// The rule set
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Folder of the pack [default: rules/spectral]
    #[arg(value_name = "FOLDER", default_value = "rules/spectral", hide_default_value = true)]
    folder: PathBuf,
    /// Print the pack, and write nothing
    #[arg(long)]
    dry_run: bool,
    /// Letters that the ids of the pack's rules begin with
    #[arg(long, value_name = "PREFIX", default_value = "SP")]
    prefix: String,
}

/// Programs whose rule sets can be translated.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum Program {
    /// Spectral, for OpenAPI descriptions
    Spectral,
}

pub(super) fn run(arguments: &Arguments) -> Result<Exit, Fault> {
    let Program::Spectral = arguments.program;
    let is_prefix = |prefix: &str| {
        (2..=4).contains(&prefix.len()) && prefix.bytes().all(|byte| byte.is_ascii_uppercase())
    };
    if !is_prefix(&arguments.prefix) {
        let what = format!("`{}` is not a valid prefix", arguments.prefix);
        return Err(Fault::with_hint(what, "write two to four capital letters"));
    }
    let imported = spectral::translate(&read(&arguments.file)?, &arguments.prefix);
    let files = if imported.rules.is_empty() { Vec::new() } else { pack(&imported, arguments) };
    if !arguments.dry_run {
        write(&files, &arguments.folder)?;
    }
    for (place, reason) in &imported.left {
        Console::note(&format!("not translated: {place}: {reason}"));
    }
    let folder = (!imported.rules.is_empty()).then(|| shown(&arguments.folder));
    Console::print(&imported.settings.to_toml(folder.as_deref()))?;
    if arguments.dry_run {
        for (path, text) in &files {
            Console::print(&format!("\n# {}\n{text}", shown(path)))?;
        }
    }
    Ok(Exit::Clean)
}

/// The rule set as data. JSON is YAML, too.
fn read(path: &Path) -> Result<Value, Fault> {
    let script = path
        .extension()
        .is_some_and(|extension| extension != "yaml" && extension != "yml" && extension != "json");
    if script {
        let what = format!("`{}` is not a rule set in YAML or JSON", shown(path));
        return Err(Fault::with_hint(what, "rule sets in JavaScript cannot be translated"));
    }
    let text = fs::read_to_string(path).map_err(|error| Fault::read(path, error))?;
    let project = Project::builtin();
    let kind = project.kind_named("yaml")?;
    let source = Arc::new(Source::new(shown(path), text));
    let fragment = Fragment::contiguous(source.text(), source.span());
    let document = kind.parse(&source, &fragment, &ParseOptions::default());
    let ruleset = document.tree.root().to_json();
    if ruleset.is_object() {
        return Ok(ruleset);
    }
    let what = format!("`{}` is not a rule set: it is not a mapping", shown(path));
    Err(Fault::with_hint(what, "`proofmark check` shows errors of its YAML"))
}

/// The files of the pack.
fn pack(imported: &Imported, arguments: &Arguments) -> Vec<(PathBuf, String)> {
    let name = arguments.folder.file_name().map(|name| name.to_string_lossy().to_lowercase());
    let pack = spectral::manifest(&name.unwrap_or_else(|| "spectral".to_owned()), &arguments.prefix);
    let files = [("pack.yaml", pack), ("rules.yaml", imported.rule_file())];
    files.into_iter().map(|(name, value)| (arguments.folder.join(name), yaml::written(&value))).collect()
}

fn write(files: &[(PathBuf, String)], folder: &Path) -> Result<(), Fault> {
    if let Some((path, _)) = files.iter().find(|(path, _)| path.exists()) {
        let what = format!("`{}` already exists", shown(path));
        return Err(Fault::with_hint(what, "name another folder, or remove it"));
    }
    if !files.is_empty() {
        fs::create_dir_all(folder).map_err(|error| Fault::write(folder, error))?;
    }
    for (path, text) in files {
        files::put(path, text.as_bytes()).map_err(|error| Fault::write(path, error))?;
        Console::note(&format!("wrote {}", shown(path)));
    }
    Ok(())
}
