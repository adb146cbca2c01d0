use std::{
    io::{self, Read, Write},
    path::PathBuf,
};

use crate::{
    diagnostic::{Applicability, Diagnostic, Severity, report::write_json},
    engine::Outcome,
    fix::Fixed,
    kinds::markdown,
    project::{Access, Input, NotOpened, Overrides, Project, Subject},
};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::{
    Global,
    arguments::{FailArguments, QuillArguments, RunArguments},
    exit::{Exit, Fault},
    in_order::in_order,
    panics,
    progress::Progress,
    project::{fails, open, report_left_out},
};

/// Check many documents, one JSON object per line
///
/// Reads records from standard input and writes a result line for each, in the order of the input, in
/// constant memory. A record that cannot be validated gets a result line with `error`, and the others are
/// not affected.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
A record has an `id` (any JSON) and either a `text`, or a `path` below --allow-root:
  {\"id\": 1, \"kind\": \"markdown\", \"text\": \"# Hello\"}
  {\"id\": \"b\", \"path\": \"docs/b.md\"}
and may have `kind`, `dialect`, `name` (the file whose text it is, with the rules, the kind and the
neighboring files of that file) and `emit`, a list of tree, fields, outline and fixed.

A result has `id`, `valid` and `diagnostics`; what `emit` asks for; after a fix also `applied`,
`refused` and `remaining`. One that has `error` was not validated: `line` says which line of the input it was.

Example:
  jq -c '{id: .path, path}' files.jsonl | proofmark batch --allow-root docs > results.jsonl")]
pub(super) struct Arguments {
    #[command(flatten)]
    run: RunArguments,
    #[command(flatten)]
    quills: QuillArguments,
    /// Folder below which records may name files; repeatable
    #[arg(long, value_name = "FOLDER")]
    allow_root: Vec<PathBuf>,
    /// Fix every document: `fixed`, `applied` and `remaining` in its result
    #[arg(long)]
    fix: bool,
    /// Also apply fixes that are likely right but may change what a document means
    #[arg(long = "unsafe")]
    unsafe_fixes: bool,
    #[command(flatten)]
    fail: FailArguments,
}

pub(super) fn run(arguments: &Arguments, global: &Global) -> Result<Exit, Fault> {
    let access = Access::Below(arguments.allow_root.clone());
    let overrides = Overrides {
        access,
        // Records come from elsewhere: variables of this process count only where missing ones are asked for.
        environment: arguments.run.environment.of_records(),
        ..arguments.run.overrides()
    };
    let project = open(global, arguments.quills.with(overrides))?;
    report_left_out(&project);
    let desk = Desk {
        fix: arguments.fix,
        least: if arguments.unsafe_fixes { Applicability::Unsafe } else { Applicability::Safe },
        fail_level: arguments.fail.fail_level.unwrap_or(project.config().rules.fail_level),
        project: &project,
    };
    // Escapes make text longer, `\u00e9` for two bytes.
    let longest = project.limits().text_bytes.saturating_mul(3).saturating_add(64 * 1024);
    let chunks = Chunks::new(io::stdin(), longest);
    let mut out = io::stdout().lock();
    let mut exit = Exit::Clean;
    let progress = Progress::counting();
    in_order(
        arguments.run.jobs(usize::MAX),
        chunks,
        |chunk| desk.results(chunk),
        |results: Result<Results, io::Error>| {
            let results = results.map_err(|error| Fault::read("standard input".as_ref(), error))?;
            exit = exit.max(results.exit);
            progress.advance_by(results.count);
            out.write_all(&results.lines)?;
            out.flush()?;
            Ok::<(), Fault>(())
        },
    )?;
    progress.finish();
    Ok(exit)
}

/// Whole lines of the input.
struct Chunk {
    /// The lines, each with its line end but perhaps the last.
    bytes: Vec<u8>,
    /// Number of the first line, from 1.
    first: usize,
    /// Whether this replaces a line that was too long to keep.
    too_long: bool,
}

/// Cuts a stream into chunks of whole lines, as soon as they are there.
struct Chunks<R> {
    input: R,
    /// The beginning of a line whose end is not there yet.
    rest: Vec<u8>,
    next_line: usize,
    longest: usize,
    ended: bool,
}

/// Bytes that are asked for at once.
const CHUNK: usize = 256 * 1024;

impl<R: Read> Chunks<R> {
    fn new(input: R, longest: usize) -> Self {
        Self { input, rest: Vec::new(), next_line: 1, longest, ended: false }
    }

    fn chunk(&mut self, bytes: Vec<u8>, too_long: bool) -> Chunk {
        let first = self.next_line;
        self.next_line += if too_long { 1 } else { memchr::memchr_iter(b'\n', &bytes).count() };
        Chunk { bytes, first, too_long }
    }

    fn read(&mut self) -> io::Result<Option<Chunk>> {
        let mut bytes = std::mem::take(&mut self.rest);
        loop {
            let start = bytes.len();
            bytes.resize(start + CHUNK, 0);
            let read = match self.input.read(&mut bytes[start..]) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => 0,
                Err(error) => return Err(error),
                Ok(0) => {
                    self.ended = true;
                    bytes.truncate(start);
                    return Ok((!bytes.is_empty()).then(|| self.chunk(bytes, false)));
                }
                Ok(read) => read,
            };
            bytes.truncate(start + read);
            if let Some(end) = memchr::memrchr(b'\n', &bytes[start..]) {
                self.rest = bytes.split_off(start + end + 1);
                return Ok(Some(self.chunk(bytes, false)));
            }
            if bytes.len() > self.longest {
                self.skip_line()?;
                return Ok(Some(self.chunk(Vec::new(), true)));
            }
        }
    }

    /// Reads up to the end of the line and keeps what comes after it.
    fn skip_line(&mut self) -> io::Result<()> {
        let mut bytes = vec![0; CHUNK];
        loop {
            let read = match self.input.read(&mut bytes) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                read => read?,
            };
            if read == 0 {
                self.ended = true;
                return Ok(());
            }
            if let Some(end) = memchr::memchr(b'\n', &bytes[..read]) {
                self.rest = bytes[end + 1..read].to_vec();
                return Ok(());
            }
        }
    }
}

impl<R: Read> Iterator for Chunks<R> {
    type Item = io::Result<Chunk>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        let read = self.read();
        self.ended |= read.is_err();
        read.transpose()
    }
}

/// Result lines of a chunk.
struct Results {
    lines: Vec<u8>,
    count: u64,
    exit: Exit,
}

/// A line of the input.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Record<'a> {
    #[serde(borrow, default)]
    id: Option<&'a RawValue>,
    #[serde(default)]
    kind: Option<String>,
    #[serde(default)]
    text: Option<String>,
    #[serde(default)]
    path: Option<PathBuf>,
    /// The file whose text `text` is.
    #[serde(default)]
    name: Option<PathBuf>,
    #[serde(default)]
    dialect: Option<String>,
    #[serde(default)]
    emit: Vec<Emit>,
}

/// What a result has besides the findings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Emit {
    Tree,
    Fields,
    Outline,
    Fixed,
}

/// A record that was not validated.
#[derive(Debug, Serialize)]
struct Failure<'a> {
    id: Option<&'a RawValue>,
    line: usize,
    valid: bool,
    error: &'a str,
    diagnostics: [(); 0],
}

/// The project and the options that all records of a batch share.
struct Desk<'p> {
    project: &'p Project,
    fix: bool,
    least: Applicability,
    fail_level: Severity,
}

impl Desk<'_> {
    fn results(&self, chunk: io::Result<Chunk>) -> io::Result<Results> {
        let chunk = chunk?;
        let mut results = Results { lines: Vec::new(), count: 0, exit: Exit::Clean };
        if chunk.too_long {
            let error = "the record is too long: its text would exceed the limit";
            fail(None, chunk.first, error, &mut results);
        }
        let mut start = 0;
        let ends = memchr::memchr_iter(b'\n', &chunk.bytes).chain([chunk.bytes.len()]);
        for (index, end) in ends.enumerate() {
            let line = &chunk.bytes[start..end];
            start = end + 1;
            if !line.trim_ascii().is_empty() {
                self.result(line, chunk.first + index, &mut results);
            }
        }
        Ok(results)
    }

    /// Adds the result of one line.
    fn result(&self, line: &[u8], number: usize, results: &mut Results) {
        results.count += 1;
        let record: Record<'_> = match serde_json::from_slice(line) {
            Ok(record) => record,
            Err(error) => {
                let id = serde_json::from_slice::<Named<'_>>(line).ok().and_then(|named| named.id);
                return fail(id, number, &format!("not a record: {}", without_line(&error)), results);
            }
        };
        let id = record.id;
        let start = results.lines.len();
        let done = panics::caught(|| self.validate(record, &mut results.lines));
        match done {
            Ok(Ok(failed)) => results.exit = results.exit.max(Exit::findings(failed)),
            Ok(Err(error)) => {
                results.lines.truncate(start);
                fail(id, number, &error, results);
            }
            Err(panic) => {
                results.lines.truncate(start);
                results.exit = Exit::Internal;
                let outcome = self.project.crashed(STDIN, &panic);
                write_result(id, &outcome, &mut results.lines);
                results.lines.extend_from_slice(b"}\n");
            }
        }
    }

    /// Writes the result of a record; whether its findings make the run fail.
    fn validate(&self, record: Record<'_>, out: &mut Vec<u8>) -> Result<bool, String> {
        let (id, emit) = (record.id, record.emit.clone());
        let subject = match self.project.subject(self.input(record)?) {
            Ok(subject) => subject,
            Err(NotOpened::UnknownKind) => {
                let names: Vec<&str> = self.project.kinds().names().collect();
                return Err(format!("its kind is not known: give `kind`; kinds are {}", names.join(", ")));
            }
            Err(NotOpened::Unreadable { outcome, .. }) => {
                write_result(id, &outcome, out);
                out.extend_from_slice(b"}\n");
                return Ok(fails(&outcome.diagnostics, self.fail_level));
            }
        };
        let outcome = subject.validate();
        write_result(id, &outcome, out);
        for wanted in &emit {
            emit_part(*wanted, &subject, &outcome, out);
        }
        let failed = fails(&outcome.diagnostics, self.fail_level);
        if self.fix || emit.contains(&Emit::Fixed) {
            write_fixed(&subject.fix_validated(self.least, outcome), out);
        }
        out.extend_from_slice(b"}\n");
        Ok(failed)
    }

    /// The document of a record.
    fn input(&self, record: Record<'_>) -> Result<Input, String> {
        let Record { kind, text, path, name, dialect, .. } = record;
        let input = match (path, text, name) {
            (None, Some(text), None) => Input::text(text).called(STDIN),
            (None, Some(text), Some(name)) => Input::text(text).at(name),
            (Some(path), None, None) if self.project.reads_files() => Input::file(path),
            (Some(_), None, None) => {
                return Err(
                    "a `path` needs --allow-root, the folder below which files may be read".to_owned()
                );
            }
            (Some(_), None, Some(_)) => {
                return Err("both `path` and `name`; a `name` goes with `text`".to_owned());
            }
            (Some(_), Some(_), _) => return Err("both `text` and `path`; give one of them".to_owned()),
            (None, None, _) => return Err("neither `text` nor `path`".to_owned()),
        };
        let kind = kind.as_deref().map(|name| self.project.kind_named(name)).transpose();
        let kind = kind.map_err(|error| one_line(error.into()))?;
        if let Some(dialect) = &dialect {
            self.project.check_dialect(dialect).map_err(|error| one_line(error.into()))?;
        }
        Ok(input.of_kind(kind.cloned()).in_dialect(dialect))
    }
}

/// A mistake of a record with its hint.
fn one_line(fault: Fault) -> String {
    match fault {
        Fault::Usage { what, hint: Some(hint) } => format!("{what}; {hint}"),
        fault => fault.to_string(),
    }
}

/// Name of text that is not in a file.
const STDIN: &str = "<stdin>";

/// A record of which only the id can be read.
#[derive(Deserialize)]
struct Named<'a> {
    #[serde(borrow)]
    id: Option<&'a RawValue>,
}

/// The message of a JSON error with its column. The line is reported separately.
fn without_line(error: &serde_json::Error) -> String {
    let text = error.to_string();
    text.replacen(" at line 1 column", ", at column", 1)
}

fn fail(id: Option<&RawValue>, line: usize, error: &str, results: &mut Results) {
    results.exit = results.exit.max(Exit::Findings);
    to_json(&Failure { id, line, valid: false, error, diagnostics: [] }, &mut results.lines);
    results.lines.push(b'\n');
}

/// Writes a result without its closing brace.
fn write_result(id: Option<&RawValue>, outcome: &Outcome, out: &mut Vec<u8>) {
    out.extend_from_slice(b"{\"id\":");
    out.extend_from_slice(id.map_or("null", RawValue::get).as_bytes());
    out.extend_from_slice(if outcome.is_valid() { b",\"valid\":true" } else { b",\"valid\":false" });
    out.extend_from_slice(b",\"diagnostics\":");
    write_diagnostics(&outcome.diagnostics, out);
}

fn write_diagnostics(diagnostics: &[Diagnostic], out: &mut Vec<u8>) {
    if diagnostics.iter().all(|diagnostic| diagnostic.suppressed.is_none()) {
        return to_json(diagnostics, out);
    }
    let standing: Vec<&Diagnostic> = diagnostics.iter().filter(|d| d.suppressed.is_none()).collect();
    to_json(&standing, out);
}

fn emit_part(wanted: Emit, subject: &Subject<'_>, outcome: &Outcome, out: &mut Vec<u8>) {
    match wanted {
        Emit::Tree => {
            out.extend_from_slice(b",\"tree\":");
            to_json(&outcome.document.tree.root().to_json(), out);
        }
        Emit::Fields => {
            out.extend_from_slice(b",\"fields\":");
            to_json(&markdown::own_fields(&outcome.document), out);
        }
        Emit::Outline => {
            out.extend_from_slice(b",\"outline\":");
            to_json(&subject.outline(), out);
        }
        Emit::Fixed => {}
    }
}

fn write_fixed(fixed: &Fixed, out: &mut Vec<u8>) {
    out.extend_from_slice(b",\"fixed\":");
    to_json(&fixed.text, out);
    out.extend_from_slice(b",\"applied\":");
    to_json(&fixed.applied, out);
    if !fixed.refused.is_empty() {
        out.extend_from_slice(b",\"refused\":");
        to_json(&fixed.refused, out);
    }
    out.extend_from_slice(b",\"remaining\":");
    write_diagnostics(&fixed.outcome.diagnostics, out);
}

fn to_json<T: Serialize + ?Sized>(value: &T, out: &mut Vec<u8>) {
    // Neither writing into memory nor these types can fail.
    let _ = write_json(&value, out);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chunks(input: &str, longest: usize) -> Vec<(String, usize, bool)> {
        let text = |chunk: Chunk| (String::from_utf8(chunk.bytes).unwrap(), chunk.first, chunk.too_long);
        Chunks::new(input.as_bytes(), longest).map(|chunk| text(chunk.unwrap())).collect()
    }

    #[test]
    fn chunks_are_whole_lines() {
        assert_eq!(chunks("a\nb\nc", 99), [("a\nb\n".into(), 1, false), ("c".into(), 3, false)]);
        assert_eq!(chunks("", 99), []);
    }

    #[test]
    fn a_line_that_is_too_long_is_skipped() {
        let long = "x".repeat(3 * CHUNK);
        let input = format!("a\n{long}\nb\n");
        let found = chunks(&input, 100);
        let lines: Vec<_> =
            found.iter().map(|(text, first, too_long)| (text.len(), *first, *too_long)).collect();
        assert_eq!(lines, [(2, 1, false), (0, 2, true), (2, 3, false)]);
    }
}
