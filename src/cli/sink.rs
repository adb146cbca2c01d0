//! Where a result goes: a stream, or a file that is written at once.

use std::{
    io::{self, BufWriter, Stderr, StdoutLock, Write},
    path::{Path, PathBuf},
};

use crate::files;

use super::{console::Console, exit::Fault};

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
            Self::File { path, text } => put(&path, &text).map_err(|error| Fault::write(&path, error)),
        }
    }
}

/// Writes a file in one step. Symbolic links that lead to it stay.
pub(super) fn put(path: &Path, bytes: &[u8]) -> io::Result<()> {
    // What is not a regular file, such as `/dev/stdout`, is written to and not replaced.
    let is_replaced = path.metadata().is_ok_and(|found| found.is_file());
    let real = if is_replaced && path.is_symlink() { path.canonicalize()? } else { path.to_owned() };
    files::put(&real, bytes)
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
