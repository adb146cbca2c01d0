//! Standard output and error, and what the people and programs that read them can display.

use std::{
    env,
    io::{self, BufWriter, IsTerminal, StdoutLock, Write},
};

use crate::project::config;
pub(super) use crate::text::plural;
use clap::ValueEnum;

/// When to write colors.
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

    /// Writes `text` to standard output.
    pub(super) fn print(text: &str) -> io::Result<()> {
        let mut out = Self::stdout();
        out.write_all(text.as_bytes())?;
        out.flush()
    }

    /// Writes a remark to standard error.
    pub(super) fn note(text: &str) {
        let _ = writeln!(io::stderr().lock(), "{text}");
    }

    /// Whether results on standard output are to be colored.
    pub(super) fn color(self) -> bool {
        self.colored(io::stdout().is_terminal())
    }

    /// Whether remarks on standard error are to be colored.
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

    /// Whether a user watches standard error.
    pub(super) fn watched() -> bool {
        io::stderr().is_terminal()
    }
}
