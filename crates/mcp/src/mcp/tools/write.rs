//! A tool that makes files.

use std::{fmt::Write as _, io, path::Path};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::super::{
    core::{Core, not_written},
    refusal::Refusal,
    tool::{AgentTool, AnswerText, Effect, Needs},
};
use crate::{
    Toolset,
    diagnostic::{Diagnostic, Severity},
    project::{Input, NotOpened, Subject},
    text::{Fingerprint, clip, io_reason, plural, visible},
};

/// `write_file`
pub(super) struct WriteFile;

/// Endings of files that documents refer to and that are of no known kind.
const OTHERS: &[&str] = &["bib", "csl", "css", "csv", "scss", "svg", "tsv", "txt"];

/// Most findings in an answer.
const LISTED: usize = 20;

#[derive(Deserialize, JsonSchema)]
pub(super) struct WriteArguments {
    /// File below the allowed folders.
    path: String,
    content: String,
    /// Replace a file that exists.
    #[serde(default)]
    overwrite: bool,
    /// `hash` of the file to replace.
    expect_hash: Option<String>,
    /// Validate without writing.
    #[serde(default)]
    dry_run: bool,
    /// Write even if the content has errors.
    #[serde(default)]
    force: bool,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct WriteAnswer {
    /// False if the content has errors and `force` is not set.
    ok: bool,
    written: bool,
    path: String,
    /// Hash of the file, for `expect_hash`.
    hash: String,
    /// Absent for a file that is not validated.
    #[serde(skip_serializing_if = "Option::is_none")]
    kind: Option<String>,
    errors: usize,
    /// Line, id and message of the first findings.
    findings: Vec<String>,
}

impl AnswerText for WriteAnswer {
    fn text(&self) -> String {
        let verdict = match (self.ok, self.written) {
            (false, _) => "REFUSED: the content has errors; correct it, or set `force`",
            (true, true) => "written",
            (true, false) => "not written",
        };
        let mut text =
            format!("{verdict}: {}, hash {}, {}\n", self.path, self.hash, plural(self.errors, "error"));
        for finding in &self.findings {
            let _ = writeln!(text, "{finding}");
        }
        text
    }

    fn failed(&self) -> bool {
        !self.ok
    }
}

impl AgentTool for WriteFile {
    type Arguments = WriteArguments;
    type Answer = WriteAnswer;
    const NAME: &'static str = "write_file";
    const TITLE: &'static str = "Create a file";
    const DESCRIPTION: &'static str = "Creates a document, or a file that documents refer to. Refused if the content has errors, or the file exists.";
    const TOOLSET: Toolset = Toolset::Repair;
    const EFFECT: Effect = Effect::Writes;
    const NEEDS: Needs = Needs::Roots;
    const EXAMPLE: &'static str = r##"{"path": "notes.md", "content": "# Notes\n"}"##;
    const ALIASES: &'static [(&'static str, &'static str)] =
        &[("file_path", "path"), ("text", "content"), ("contents", "content"), ("expectHash", "expect_hash")];

    fn call(core: &Core, arguments: WriteArguments) -> Result<WriteAnswer, Refusal> {
        let WriteArguments { path, content, overwrite, expect_hash, dry_run, force } = arguments;
        check_name(&path)?;
        let existing = core.project.subject(Input::file(&path)).ok();
        if existing.is_some() && !overwrite {
            return Err(exists(&path));
        }
        if let Some(expected) = &expect_hash {
            let actual = existing.as_ref().map(|subject| hash(subject.text())).unwrap_or_default();
            if *expected != actual {
                let reason = format!("the file has changed: its hash is {actual}, not {}", shown(expected));
                return Err(Refusal::because(reason).next("read the file again"));
            }
        }
        let (kind, findings) = findings(core, &path, &content)?;
        let errors = findings.iter().filter(|found| found.severity == Severity::Error).count();
        let ok = errors == 0 || force;
        let written = ok && !dry_run;
        if written {
            write(core, &path, &content, existing.as_ref(), overwrite)?;
        }
        let line = |found: &Diagnostic| format!("{} {} {}", found.location.line, found.id, found.message);
        Ok(WriteAnswer {
            ok,
            written,
            path: visible(&path).into_owned(),
            hash: hash(&content),
            kind,
            errors,
            findings: findings.iter().take(LISTED).map(line).collect(),
        })
    }
}

/// Checks that a name is that of a document, or of a file that documents refer to: not of a program or a configuration.
fn check_name(path: &str) -> Result<(), Refusal> {
    let is_hidden = |part: &str| part.starts_with('.') && part != "." && part != "..";
    let name = path.rsplit(['/', '\\']).next().unwrap_or_default();
    if name.is_empty() || path.split(['/', '\\']).any(is_hidden) || name == "proofmark.toml" {
        let reason =
            format!("`{}` is not a document: hidden files and configurations are not written", shown(path));
        return Err(Refusal::because(reason));
    }
    Ok(())
}

/// The kind of a document that is to be written, and the findings about it.
fn findings(core: &Core, path: &str, content: &str) -> Result<(Option<String>, Vec<Diagnostic>), Refusal> {
    match core.project.subject(Input::text(content).at(path)) {
        Ok(subject) => {
            let found = subject.validate().diagnostics.into_iter().filter(|found| found.suppressed.is_none());
            Ok((Some(subject.kind().name().to_owned()), found.collect()))
        }
        Err(NotOpened::UnknownKind) => {
            let extension = Path::new(path).extension().unwrap_or_default().to_string_lossy().to_lowercase();
            if OTHERS.contains(&extension.as_str()) {
                return Ok((None, Vec::new()));
            }
            let reason =
                format!("`{}` is neither a document of a known kind nor a file for one", shown(path));
            Err(Refusal::because(reason).next(format!("names may also end in {}", OTHERS.join(", "))))
        }
        Err(NotOpened::Unreadable { outcome, .. }) => {
            let why = outcome.diagnostics.first().map(|found| found.message.clone()).unwrap_or_default();
            Err(Refusal::because(format!("`{}` cannot be written: {why}", shown(path))))
        }
    }
}

fn write(
    core: &Core,
    path: &str,
    content: &str,
    existing: Option<&Subject<'_>>,
    overwrite: bool,
) -> Result<(), Refusal> {
    let failed = |error: &io::Error| {
        let reason = format!("`{}` cannot be written: {}", shown(path), io_reason(error));
        Refusal::because(reason).next("give a path in a folder that exists below an allowed folder")
    };
    match existing {
        Some(subject) => subject.write(content).map_err(|error| not_written(&error)),
        None => match core.project.create(Path::new(path), content.as_bytes()) {
            // A file that is not a document.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && overwrite => {
                core.project.write_output(Path::new(path), content.as_bytes()).map_err(|error| failed(&error))
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(exists(path)),
            made => made.map_err(|error| failed(&error)),
        },
    }
}

fn exists(path: &str) -> Refusal {
    let reason = format!("`{}` exists already", shown(path));
    Refusal::because(reason).next("set `overwrite` to replace it, or change it with apply_patch")
}

fn hash(text: &str) -> String {
    Fingerprint::new().add(text).hex()
}

fn shown(text: &str) -> String {
    visible(&clip(text, 120)).into_owned()
}
