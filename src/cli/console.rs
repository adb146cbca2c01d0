//! Standard output and error, and what the people and programs behind them can read.

use std::{
    env,
    io::{self, BufWriter, IsTerminal, Stderr, StdoutLock, Write},
    path::{Path, PathBuf},
};

use clap::ValueEnum;
use proofmark::project::config;
pub(super) use proofmark::text::plural;

use super::exit::Fault;

/// When to write colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(super) enum ColorChoice {
    #[default]
    Auto,
    Always,
    Never,
}

/// The streams of the process.
#[derive(Debug, Clone, Copy)]
pub(super) struct Console {
    color: ColorChoice,
}

impl Console {
    pub(super) fn new(color: ColorChoice) -> Self {
        Self { color }
    }

    /// Standard output, buffered. Whoever writes flushes.
    pub(super) fn stdout() -> BufWriter<StdoutLock<'static>> {
        BufWriter::with_capacity(64 * 1024, io::stdout().lock())
    }

    /// Writes a text to standard output.
    pub(super) fn print(text: &str) -> Result<(), Fault> {
        let mut out = Self::stdout();
        out.write_all(text.as_bytes())?;
        Ok(out.flush()?)
    }

    /// Writes a remark to standard error.
    pub(super) fn note(text: &str) {
        let _ = writeln!(io::stderr().lock(), "{text}");
    }

    /// Whether results on standard output are to have colours.
    pub(super) fn color(self) -> bool {
        self.colored(io::stdout().is_terminal())
    }

    /// Whether remarks on standard error are to have colours.
    pub(super) fn error_color(self) -> bool {
        self.colored(io::stderr().is_terminal())
    }

    fn colored(self, terminal: bool) -> bool {
        match self.color {
            ColorChoice::Always => true,
            ColorChoice::Never => false,
            ColorChoice::Auto => config::color(terminal, &|name| env::var(name).ok()),
        }
    }

    /// Columns of the terminal that standard output is.
    pub(super) fn width() -> Option<usize> {
        let columns = env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
        let terminal = || terminal_size::terminal_size_of(io::stdout()).map(|(width, _)| width.0.into());
        if io::stdout().is_terminal() { columns.or_else(terminal) } else { None }
    }

    /// Columns of the terminal that standard error is.
    pub(super) fn error_width() -> Option<usize> {
        terminal_size::terminal_size_of(io::stderr()).map(|(width, _)| width.0.into())
    }

    /// Whether somebody watches standard error.
    pub(super) fn watched() -> bool {
        io::stderr().is_terminal()
    }
}

/// Where a result goes: a stream, or a file that is written when the result is complete.
pub(super) enum Sink {
    Stdout(BufWriter<StdoutLock<'static>>),
    Stderr(BufWriter<Stderr>),
    File { path: PathBuf, text: Vec<u8> },
}

impl Sink {
    pub(super) fn new(file: Option<&Path>) -> Self {
        match file {
            Some(path) if path != Path::new("-") => Self::File { path: path.to_owned(), text: Vec::new() },
            _ => Self::Stdout(Console::stdout()),
        }
    }

    /// Standard error, for what is said about a result that takes standard output.
    pub(super) fn stderr() -> Self {
        Self::Stderr(BufWriter::new(io::stderr()))
    }

    /// Ends the result.
    pub(super) fn finish(self) -> Result<(), Fault> {
        match self {
            Self::Stdout(mut out) => Ok(out.flush()?),
            Self::Stderr(mut out) => Ok(out.flush()?),
            Self::File { path, text } => {
                std::fs::write(&path, text).map_err(|error| Fault::write(&path, error))
            }
        }
    }
}

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Stdout(out) => out.write(bytes),
            Self::Stderr(out) => out.write(bytes),
            Self::File { text, .. } => text.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Stdout(out) => out.flush(),
            Self::Stderr(out) => out.flush(),
            Self::File { .. } => Ok(()),
        }
    }
}
