//! A temporary folder with files, and the program `proofmark` that runs in it.

use std::{
    fs,
    io::Write,
    path::PathBuf,
    process::{Command, Stdio},
};

use serde_json::Value;
use tempfile::TempDir;

/// A folder of its own, and the program in it.
pub(crate) struct Sandbox {
    folder: TempDir,
}

/// How a run of the program ended, and what it wrote.
pub(crate) struct Run {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Sandbox {
    pub(crate) fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    pub(crate) fn with(files: &[(&str, &str)]) -> Self {
        let sandbox = Self::new();
        for (path, text) in files {
            sandbox.write(path, text);
        }
        sandbox
    }

    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    pub(crate) fn write(&self, path: &str, text: impl AsRef<[u8]>) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub(crate) fn read(&self, path: &str) -> String {
        fs::read_to_string(self.path(path)).unwrap()
    }

    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        self.command_in("", arguments)
    }

    /// The program in a folder of the sandbox.
    pub(crate) fn command_in(&self, folder: &str, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_proofmark"));
        command.args(arguments).current_dir(self.path(folder));
        for variable in ["NO_COLOR", "CLICOLOR_FORCE", "FORCE_COLOR", "COLUMNS"] {
            command.env_remove(variable);
        }
        command
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Run {
        self.feed(arguments, "")
    }

    pub(crate) fn feed(&self, arguments: &[&str], stdin: impl AsRef<[u8]>) -> Run {
        self.feed_in("", arguments, stdin)
    }

    /// Runs the program in a folder of the sandbox.
    pub(crate) fn feed_in(&self, folder: &str, arguments: &[&str], stdin: impl AsRef<[u8]>) -> Run {
        let mut command = self.command_in(folder, arguments);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut input = child.stdin.take().unwrap();
        let text = stdin.as_ref().to_vec();
        let feeder = std::thread::spawn(move || {
            // A program that has seen enough closes its end.
            let _ = input.write_all(&text);
        });
        let output = child.wait_with_output().unwrap();
        feeder.join().unwrap();
        Run {
            code: output.status.code().unwrap(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// The ids of the findings of `check`, in order.
    pub(crate) fn ids(&self, arguments: &[&str]) -> Vec<String> {
        let run = self.run(&[&["check", "--format", "json"], arguments].concat());
        let report: Value = serde_json::from_str(&run.stdout).unwrap_or_else(|_| panic!("{}", run.stderr));
        let diagnostics = report["diagnostics"].as_array().unwrap();
        diagnostics.iter().map(|finding| finding["id"].as_str().unwrap().to_owned()).collect()
    }

    /// The result lines of `batch`.
    pub(crate) fn batch(&self, arguments: &[&str], records: &[Value]) -> Vec<Value> {
        let input: String = records.iter().map(|record| format!("{record}\n")).collect();
        let run = self.feed(&[&["batch"], arguments].concat(), input);
        run.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}
