//! Mermaid's own command line tool. It cannot only parse: it renders every diagram.

use std::{
    io::{Read, Write},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::mpsc,
    thread,
    time::{Duration, Instant},
};

use super::{DiagramReport, EngineError};
use crate::{
    engine::Outcome,
    kinds::{LookUp, mermaid},
    programs::{self, Slots},
    text::clip,
    tree::Node,
};

/// Default time limit per diagram; `QUARTO_MCP_MERMAID_TIMEOUT` (milliseconds) overrides it.
const TIMEOUT: Duration = Duration::from_secs(30);

/// Maximum number of bytes read of the output of the tool.
const OUTPUT_BYTES: usize = 64 * 1024;

/// How many of the tool run at a time: each is a browser.
static RUNNING: Slots = Slots::new(2);

/// How long the tool's words are waited for once it has ended. Whatever it has started may keep the stream open.
const LAST_WORDS: Duration = Duration::from_millis(500);

/// The environment variable that names the tool.
const VARIABLE: &str = "MERMAID_CLI_PATH";

/// How to call the tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MermaidCli {
    /// The program.
    pub program: PathBuf,
    /// Time limit per diagram.
    pub timeout: Duration,
    /// Time limit for all diagrams of a document.
    pub total: Duration,
}

/// Why the tool has no verdict.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MermaidCliError {
    /// It is not installed.
    #[error(
        "`mmdc` is not installed; install it with `npm install -g @mermaid-js/mermaid-cli`, or use the engine `native`"
    )]
    NotFound,
    /// No one who may decide it has allowed its use.
    #[error(
        "`mmdc` starts a browser, and the server does not allow it: set `mermaid_cli = true` under `[server]` or the environment variable {VARIABLE}, or use the engine `native`"
    )]
    NotAllowed,
    /// Diagrams of other documents use the tool all the time.
    #[error("`mmdc` is checking diagrams of other documents; try again")]
    Busy,
    /// It took too long.
    #[error("`mmdc` took longer than {} ms; raise the limit with QUARTO_MCP_MERMAID_TIMEOUT", .0.as_millis())]
    Timeout(Duration),
    /// The time limit for the document ended before all diagrams were checked.
    #[error(
        "`mmdc` checked {checked} of {diagrams} diagrams in {} ms, the time limit for a document; send fewer diagrams or raise the limit",
        .total.as_millis()
    )]
    TimeUp {
        /// Number of diagrams that were checked.
        checked: usize,
        /// Number of diagrams of the document.
        diagrams: usize,
        /// The time limit.
        total: Duration,
    },
    /// It could not be run.
    #[error("`mmdc` could not be run: {0}")]
    Failed(String),
}

impl MermaidCliError {
    /// The error code in the format of Quarto's validator.
    pub fn code(&self) -> &'static str {
        match self {
            Self::NotFound => "MERMAID_CLI_NOT_FOUND",
            Self::NotAllowed => "MERMAID_CLI_NOT_ALLOWED",
            Self::Busy | Self::Timeout(_) | Self::TimeUp { .. } => "MERMAID_CLI_TIMEOUT",
            Self::Failed(_) => "MERMAID_CLI_ERROR",
        }
    }
}

impl MermaidCli {
    /// Finds the tool for clients of a service: only where its configuration allows it, or its environment names the
    /// tool.
    pub fn find_allowed(configured: bool, variable: LookUp<'_>) -> Result<Self, MermaidCliError> {
        if configured || variable(VARIABLE).is_some_and(|path| !path.is_empty()) {
            return Self::find(variable);
        }
        Err(MermaidCliError::NotAllowed)
    }

    /// Finds the tool: `MERMAID_CLI_PATH`, or `mmdc` in one of the folders of `PATH`.
    pub fn find(variable: LookUp<'_>) -> Result<Self, MermaidCliError> {
        let timeout = variable("QUARTO_MCP_MERMAID_TIMEOUT")
            .and_then(|text| text.trim().parse().ok())
            .map_or(TIMEOUT, Duration::from_millis);
        let given = variable(VARIABLE).map(PathBuf::from);
        let paths = variable("PATH").unwrap_or_default();
        let folders = std::env::split_paths(&paths).map(|folder| folder.join("mmdc"));
        let program = given.into_iter().chain(folders).find(|path| Path::is_file(path));
        program
            .map(|program| Self { program, timeout, total: Duration::MAX })
            .ok_or(MermaidCliError::NotFound)
    }

    /// The error of the tool for a diagram; `None` if it can render the diagram.
    pub fn fault(&self, diagram: &str) -> Result<Option<String>, MermaidCliError> {
        self.fault_within(diagram, self.timeout)
    }

    fn fault_within(&self, diagram: &str, time: Duration) -> Result<Option<String>, MermaidCliError> {
        let failed = |error: std::io::Error| MermaidCliError::Failed(error.to_string());
        let start = Instant::now();
        let _slot = RUNNING.enter(time).ok_or(MermaidCliError::Busy)?;
        let mut command = Command::new(&self.program);
        command
            .args(["--input", "-", "--output", "-", "--outputFormat", "svg", "--quiet"])
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::piped());
        let mut child = programs::in_own_group(&mut command).spawn().map_err(failed)?;
        if let Some(mut input) = child.stdin.take() {
            let text = diagram.to_owned();
            // A tool that does not read its input must not block; the thread ends when the tool exits.
            thread::spawn(move || input.write_all(text.as_bytes()));
        }
        let (words, said) = mpsc::channel();
        if let Some(errors) = child.stderr.take() {
            thread::spawn(move || listen(errors, &words));
        }
        let left = time.saturating_sub(start.elapsed());
        let status =
            programs::wait(&mut child, left).map_err(failed)?.ok_or(MermaidCliError::Timeout(time))?;
        if status.success() {
            return Ok(None);
        }
        let mut all = Vec::new();
        let until = Instant::now() + LAST_WORDS;
        while let Ok(more) = said.recv_timeout(until.saturating_duration_since(Instant::now())) {
            all.extend(more);
        }
        Ok(Some(first_words(&String::from_utf8_lossy(&all))))
    }
}

/// Passes on the beginning of what the tool writes, and reads the rest so that the tool does not wait.
fn listen(mut from: impl Read, words: &mpsc::Sender<Vec<u8>>) {
    let mut left = OUTPUT_BYTES;
    let mut buffer = [0; 4096];
    while let Ok(read @ 1..) = from.read(&mut buffer) {
        let kept = read.min(left);
        left -= kept;
        // Who has heard enough does not listen any more.
        let _ = words.send(buffer[..kept].to_vec());
    }
}

/// The output of the tool before its stack trace.
fn first_words(said: &str) -> String {
    let lines = said.lines().map(str::trim).filter(|line| !line.is_empty());
    let lines: Vec<&str> = lines.take_while(|line| !line.starts_with("at ")).take(6).collect();
    let words = lines.join(" ");
    if words.is_empty() {
        "mermaid-cli could not render the diagram".to_owned()
    } else {
        clip(&words, 400).to_string()
    }
}

/// Adds the tool's verdicts to a report on the diagrams of `outcome`: a block that the tool cannot render
/// is not valid. If the tool has no verdict, the report says why and is otherwise unchanged.
pub fn cross_check(
    report: &mut DiagramReport,
    outcome: &Outcome,
    tool: &Result<MermaidCli, MermaidCliError>,
) {
    let start = Instant::now();
    if let Err(error) = verdicts(report, outcome, tool) {
        report.engine_error = Some(EngineError { code: error.code(), message: error.to_string() });
    }
    let more = u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX);
    report.metadata.total_validation_time_ms = report.metadata.total_validation_time_ms.saturating_add(more);
}

fn verdicts(
    report: &mut DiagramReport,
    outcome: &Outcome,
    tool: &Result<MermaidCli, MermaidCliError>,
) -> Result<(), MermaidCliError> {
    let tool = tool.as_ref().map_err(Clone::clone)?;
    let (start, diagrams) = (Instant::now(), report.results.len());
    for (checked, (result, text)) in report.results.iter_mut().zip(sources(outcome)).enumerate() {
        let left = tool.total.saturating_sub(start.elapsed());
        let fault = match tool.fault_within(text, left.min(tool.timeout)) {
            Err(MermaidCliError::Timeout(_) | MermaidCliError::Busy) if left < tool.timeout => {
                return Err(MermaidCliError::TimeUp { checked, diagrams, total: tool.total });
            }
            fault => fault?,
        };
        let Some(fault) = fault else { continue };
        if result.is_valid {
            report.valid_blocks -= 1;
            report.invalid_blocks += 1;
        }
        report.success = false;
        result.is_valid = false;
        result.code = Some("MERMAID_VALIDATION_FAILED");
        result.error_message.get_or_insert_with(|| format!("mermaid-cli: {fault}"));
    }
    report.validation_engine = "mermaid-cli";
    Ok(())
}

/// The sources of the diagrams, in order.
fn sources(outcome: &Outcome) -> Vec<&str> {
    let document = &outcome.document;
    if document.kind == mermaid::NAME {
        return vec![document.source().text()];
    }
    let fences = document.tree.root().get("fences").into_iter().flat_map(Node::items);
    fences.filter(super::report::is_mermaid).filter_map(|fence| fence.get("content")?.as_str()).collect()
}
