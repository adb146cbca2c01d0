//! One run of the program: in a private folder, with an empty environment, in a process group of its own, and
//! stopped when it takes too long or writes too much.

use std::{
    env, fs,
    io::{Read, Write},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    thread,
};

use tempfile::TempDir;

use crate::programs;

use super::{
    super::error::{ConvertError, ErrorCode},
    program::{Program, RunLimits},
};

/// Date of results where the environment does not say another one, so that the same input gives the same bytes.
const EPOCH: &str = "946684800";

/// Most bytes of messages that are kept.
const MESSAGES: u64 = 8 * 1024;

/// A run of the program.
pub(super) struct Run<'p> {
    program: &'p Program,
    limits: RunLimits,
    /// A folder that only this run uses; removed with everything in it.
    private: TempDir,
}

fn failed(error: &std::io::Error) -> ConvertError {
    let message = format!("pandoc cannot be run: {}", error.kind());
    ConvertError::new(ErrorCode::RenderFailed, message, "check that the temporary folder can be written to")
}

impl<'p> Run<'p> {
    pub(super) fn new(program: &'p Program, limits: RunLimits) -> Result<Self, ConvertError> {
        let private = tempfile::tempdir().map_err(|error| failed(&error))?;
        Ok(Self { program, limits, private })
    }

    /// The private folder.
    pub(super) fn folder(&self) -> &Path {
        self.private.path()
    }

    /// Puts a file into the private folder.
    pub(super) fn add_file(
        &mut self,
        name: &str,
        extension: &str,
        bytes: &[u8],
    ) -> Result<PathBuf, ConvertError> {
        let path = self.private.path().join(format!("{name}.{extension}"));
        #[expect(clippy::disallowed_methods, reason = "a new file of its own temporary folder")]
        fs::write(&path, bytes).map_err(|error| failed(&error))?;
        Ok(path)
    }

    /// Runs the program; its result comes from standard output.
    pub(super) fn finish(self, arguments: &[String], input: &[u8]) -> Result<Vec<u8>, ConvertError> {
        let folder = self.private.path();
        let mut command = Command::new(&self.program.path);
        command
            .args(arguments)
            .arg("--output=-")
            .args(["+RTS", &format!("-M{}m", self.limits.memory), "-RTS"])
            .current_dir(folder)
            .env_clear()
            .env("HOME", folder)
            .env("LC_ALL", "C.UTF-8")
            .env("SOURCE_DATE_EPOCH", env::var("SOURCE_DATE_EPOCH").unwrap_or_else(|_| EPOCH.to_owned()))
            .env("TMPDIR", folder)
            .env("XDG_DATA_HOME", folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = programs::in_own_group(&mut command).spawn().map_err(|error| failed(&error))?;
        let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let limits = self.limits;
        let collected = thread::scope(|scope| {
            let writer = scope.spawn(move || stdin.map(|mut stdin| stdin.write_all(input)));
            let result = scope.spawn(move || read(stdout, limits.output + 1));
            let messages = scope.spawn(move || read(stderr, MESSAGES));
            let status = programs::wait(&mut child, limits.time).unwrap_or_else(|_| {
                programs::kill(&mut child);
                None
            });
            let status = status.map(|status| status.success());
            let _ = writer.join();
            (status, result.join().unwrap_or_default(), messages.join().unwrap_or_default())
        });
        let (status, result, messages) = collected;
        let messages = self.cleaned(&messages);
        match status {
            None => {
                let seconds = limits.time.as_secs();
                let message = format!("pandoc was stopped after {seconds} seconds");
                let hint = "make the document smaller, or raise `timeout_seconds` under `[convert]`";
                Err(ConvertError { output: messages, ..ConvertError::new(ErrorCode::Timeout, message, hint) })
            }
            Some(_) if result.len() as u64 > limits.output => {
                let message = "the result is too large";
                Err(ConvertError::new(ErrorCode::RenderFailed, message, "make the document smaller"))
            }
            Some(true) if result.is_empty() => {
                let message = "pandoc has written nothing";
                Err(ConvertError {
                    output: messages,
                    ..ConvertError::new(ErrorCode::OutputNotFound, message, "")
                })
            }
            Some(true) => Ok(result),
            Some(false) => {
                let first = messages.lines().next().unwrap_or("it ended without a message");
                let message = format!("pandoc failed: {first}");
                Err(ConvertError {
                    output: messages.clone(),
                    ..ConvertError::new(ErrorCode::RenderFailed, message, "")
                })
            }
        }
    }

    /// Messages without paths of this machine.
    fn cleaned(&self, bytes: &[u8]) -> String {
        let folder = self.private.path().display().to_string();
        String::from_utf8_lossy(bytes).replace(&folder, ".").trim().to_owned()
    }
}

fn read(from: Option<impl Read>, limit: u64) -> Vec<u8> {
    let mut out = Vec::new();
    if let Some(from) = from {
        let _ = from.take(limit).read_to_end(&mut out);
    }
    out
}
