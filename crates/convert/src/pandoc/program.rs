//! Finding the program.

use std::{
    env, fs,
    path::{Path, PathBuf, absolute},
    process::{Command, Stdio},
    time::Duration,
};

use super::super::error::{ConvertError, ErrorCode};
use crate::{budget::Once, project::config::Convert};

/// The oldest version that writes what the model has.
const OLDEST: (u32, u32) = (3, 1);

/// Where Pandoc is, and what it may use.
#[derive(Debug)]
pub struct Pandoc {
    /// The path that the configuration names, for where none is in the folders of `PATH`. So a configuration
    /// that comes with documents does not replace a program that is installed.
    path: Option<PathBuf>,
    found: Once<Result<Program, ConvertError>>,
    limits: RunLimits,
}

/// A program that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program {
    pub(super) path: PathBuf,
    version: String,
    numbers: (u32, u32),
}

/// What a run may use.
#[derive(Debug, Clone, Copy)]
pub(super) struct RunLimits {
    pub(super) time: Duration,
    /// Mebibytes of memory.
    pub(super) memory: u32,
    /// Bytes of the result.
    pub(super) output: u64,
}

impl Pandoc {
    /// The program as the configuration describes it.
    pub fn of(config: &Convert) -> Self {
        let limits =
            RunLimits { time: config.timeout, memory: config.memory_mib, output: config.output_bytes };
        Self { path: config.pandoc.clone(), found: Once::new(), limits }
    }

    /// Lowers the time limit of a run to `time`, where a call has a deadline.
    #[must_use]
    pub fn within(mut self, time: Duration) -> Self {
        self.limits.time = self.limits.time.min(time);
        self
    }

    pub(super) fn limits(&self) -> RunLimits {
        self.limits
    }

    /// The program, looked for once.
    pub fn find(&self) -> Result<&Program, ConvertError> {
        self.found.get_or_init(|| self.look()).as_ref().map_err(Clone::clone)
    }

    fn look(&self) -> Result<Program, ConvertError> {
        let mut old = None;
        for path in self.candidates() {
            let Some(program) = program(&path) else { continue };
            if program.numbers >= OLDEST {
                return Ok(program);
            }
            old.get_or_insert(program.version);
        }
        let message = match old {
            Some(version) => {
                format!("pandoc {version} is too old: {}.{} or later is needed", OLDEST.0, OLDEST.1)
            }
            None => "pandoc was not found".to_owned(),
        };
        Err(ConvertError::new(ErrorCode::DependencyMissing, message, INSTALL))
    }

    fn candidates(&self) -> Vec<PathBuf> {
        let folders: Vec<PathBuf> =
            env::var_os("PATH").map(|path| env::split_paths(&path).collect()).unwrap_or_default();
        let name = if cfg!(windows) { "pandoc.exe" } else { "pandoc" };
        let mut out: Vec<PathBuf> =
            folders.iter().map(|folder| folder.join(name)).filter(|path| path.is_file()).collect();
        // A name alone would be looked for in the folders of `PATH`, and the program runs in a folder of its own.
        out.extend(self.path.as_deref().map(|path| absolute(path).unwrap_or_else(|_| path.to_owned())));
        // The wheel `pypandoc_binary` has it beside the programs of its environment.
        for folder in &folders {
            out.extend(in_environment(folder, name));
        }
        out
    }
}

/// How to install Pandoc.
pub(super) const INSTALL: &str = "install pandoc 3.1 or later: `pip install pypandoc_binary`; Debian: `sudo apt-get install pandoc` where it is new enough, else the .deb from https://pandoc.org/installing.html; macOS: `brew install pandoc`; Windows: `winget install --id JohnMacFarlane.Pandoc`";

/// Pandoc in the Python environment whose programs are in a folder.
fn in_environment(folder: &Path, name: &str) -> Option<PathBuf> {
    let library = folder.parent()?.join(if cfg!(windows) { "Lib" } else { "lib" });
    let below = Path::new("site-packages/pypandoc/files").join(name);
    let direct = library.join(&below);
    if direct.is_file() {
        return Some(direct);
    }
    #[expect(clippy::disallowed_methods, reason = "looks for a program, as the system does")]
    let entries = fs::read_dir(library).ok()?.take(200).filter_map(Result::ok);
    let pythons = entries.filter(|entry| entry.file_name().to_string_lossy().starts_with("python"));
    let mut found = pythons.map(|entry| entry.path().join(&below)).filter(|path| path.is_file());
    found.next()
}

/// The program at a path, if it says its version.
fn program(path: &Path) -> Option<Program> {
    let output = Command::new(path)
        .arg("--version")
        .env_clear()
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()
        .ok()?;
    let text = String::from_utf8_lossy(&output.stdout);
    let version = text.lines().next()?.split_whitespace().nth(1)?.to_owned();
    let mut parts = version.split('.').map(|part| part.parse().unwrap_or(0));
    let numbers = (parts.next()?, parts.next().unwrap_or(0));
    Some(Program { path: path.to_owned(), version, numbers })
}

impl Program {
    pub fn version(&self) -> &str {
        &self.version
    }

    /// Whether it has an option not to color code.
    pub(super) fn has_syntax_option(&self) -> bool {
        self.numbers >= (3, 8)
    }
}
