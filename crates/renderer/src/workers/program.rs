use std::{
    env,
    ffi::OsString,
    io,
    path::{Path, PathBuf},
};

use proofmark_render_protocol::{PROGRAM, PROTOCOL};

use crate::kinds::Observation;

/// The environment variable that names the worker program.
const VARIABLE: &str = "PROOFMARK_RENDER_WORKER";

/// The environment variable with the command that installs the program. A launcher that comes with a package (for
/// Python, for Node) sets it, because only it knows how the user installs packages.
const INSTALL: &str = "PROOFMARK_INSTALL_RENDER";

/// How to build the worker from source, into the folder where a build of this program lies.
const BUILD: &str = if cfg!(debug_assertions) {
    "cargo build -p proofmark-render"
} else {
    "cargo build --release -p proofmark-render"
};

/// The version of this program.
const THIS: &str = env!("CARGO_PKG_VERSION");

/// Where the worker program is looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkerProgram {
    /// The paths of the program, of which the first one that exists is used.
    candidates: Vec<PathBuf>,
}

/// Why there is no worker to render with.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WorkerError {
    /// There is no such program.
    #[error("documents are rendered by the program `{PROGRAM}`, which is not installed")]
    Missing,
    /// The system does not start it.
    #[error("the program `{PROGRAM}` cannot be started: {0}")]
    NotStarted(io::ErrorKind),
    /// It does not behave like a worker.
    #[error("the program that is configured as `{PROGRAM}` is not a render worker: it did not answer")]
    NotAWorker,
    /// A signal ended it before it answered: how.
    #[error("the program `{PROGRAM}` ended before it answered: {0}")]
    Ended(String),
    /// It understands other messages.
    #[error(
        "`{PROGRAM}` {found} uses version {protocol} of the rendering protocol, and `proofmark` {THIS} needs \
         version {PROTOCOL}"
    )]
    OtherProtocol {
        /// The version of the worker.
        found: String,
        /// The version of its messages.
        protocol: u32,
    },
}

impl WorkerError {
    /// The error as a fact, which RN305 reports in the same words. Values of facts are clipped, so messages are
    /// not passed whole.
    pub(in super::super) fn fact(&self) -> Observation {
        let (problem, detail) = match self {
            Self::Missing => ("missing", None),
            Self::NotStarted(kind) => ("not-started", Some(kind.to_string())),
            Self::NotAWorker => ("not-a-worker", None),
            Self::Ended(how) => ("ended", Some(how.clone())),
            Self::OtherProtocol { .. } => ("other-protocol", None),
        };
        let (found, protocol) = match self {
            Self::OtherProtocol { found, protocol } => (Some(found.as_str()), Some(*protocol)),
            _ => (None, None),
        };
        let fact =
            Observation::about_file("no-render-worker").with("problem", problem).with("detail", detail);
        let fact = fact.with("found", found).with("protocol", protocol);
        let fact = fact.with("version", THIS).with("needed", PROTOCOL).with("build", BUILD);
        fact.with("install", install_command())
    }

    /// What to do about the missing worker.
    pub fn hint(&self) -> String {
        match self {
            Self::Missing => {
                let install = install_command().map_or_else(
                    || format!("install the package `{PROGRAM}`"),
                    |command| format!("install it with `{command}`"),
                );
                format!(
                    "{install}, or build it beside `proofmark` with `{BUILD}`; name one elsewhere with `worker` \
                     under `[render]` or the environment variable {VARIABLE}"
                )
            }
            Self::Ended(_) => {
                "try again; if it happens every time, check the memory of this machine".to_owned()
            }
            Self::NotStarted(_) => {
                format!("check that the file may be executed, or build it again with `{BUILD}`")
            }
            Self::NotAWorker => format!(
                "check `worker` under `[render]` and the environment variable {VARIABLE}, or build it again \
                 with `{BUILD}`"
            ),
            Self::OtherProtocol { .. } => format!(
                "install the same version of both packages, {THIS}, or build both from the same source with \
                 `{BUILD}`"
            ),
        }
    }
}

/// The path of this program. Where the system does not say it, such as in a root without `/proc`, it is the one that it was started by.
fn this_program() -> Option<PathBuf> {
    let started_by = || env::args_os().next().map(PathBuf::from).filter(|path| path.is_absolute());
    env::current_exe().ok().or_else(started_by)
}

/// How the user installs the program, if a launcher has said it.
fn install_command() -> Option<String> {
    env::var(INSTALL).ok().filter(|command| !command.is_empty())
}

impl WorkerProgram {
    /// The program at a path and nowhere else.
    pub fn at(path: impl Into<PathBuf>) -> Self {
        Self { candidates: vec![path.into()] }
    }

    /// The installed program: the one that the environment variable `PROOFMARK_RENDER_WORKER` names;
    /// without the variable, the one in the folder of this program; else the `configured` one. So a
    /// configuration file that comes with documents does not replace a worker that is installed.
    pub fn installed(configured: Option<&Path>) -> Self {
        Self::among(env::var_os(VARIABLE), this_program().as_deref(), configured)
    }

    fn among(variable: Option<OsString>, this: Option<&Path>, configured: Option<&Path>) -> Self {
        if let Some(path) = variable.filter(|path| !path.is_empty()) {
            return Self::at(path);
        }
        let name = format!("{PROGRAM}{}", env::consts::EXE_SUFFIX);
        let beside = this.map(|this| this.with_file_name(name));
        Self { candidates: beside.into_iter().chain(configured.map(Path::to_owned)).collect() }
    }

    /// The first candidate that exists, as an absolute path: workers run in a folder of their own.
    pub(super) fn find(&self) -> Result<PathBuf, WorkerError> {
        let found = self.candidates.iter().find(|path| path.is_file()).ok_or(WorkerError::Missing)?;
        std::path::absolute(found).map_err(|error| WorkerError::NotStarted(error.kind()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_variable_wins_over_the_neighbor_and_the_neighbor_over_the_configuration() {
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str| {
            let path = folder.path().join(name);
            std::fs::write(&path, "").unwrap();
            path
        };
        let (this, configured) = (folder.path().join("proofmark"), file("configured"));
        let find = |variable: Option<&Path>| {
            let variable = variable.map(|path| path.as_os_str().to_owned());
            WorkerProgram::among(variable, Some(&this), Some(&configured)).find()
        };
        assert_eq!(find(None), Ok(configured.clone()), "no neighbor");
        let neighbor = file(&format!("{PROGRAM}{}", env::consts::EXE_SUFFIX));
        assert_eq!(find(None), Ok(neighbor));
        let named = file("named");
        assert_eq!(find(Some(&named)), Ok(named.clone()));
        assert_eq!(find(Some(Path::new("/nonexistent"))), Err(WorkerError::Missing));
    }

    #[test]
    fn errors_name_both_versions_and_what_to_do() {
        let error = WorkerError::OtherProtocol { found: "9.9.9".to_owned(), protocol: 99 };
        let (message, hint) = (error.to_string(), error.hint());
        assert!(message.contains("`proofmark-render` 9.9.9 uses version 99"), "{message}");
        assert!(message.contains(concat!("`proofmark` ", env!("CARGO_PKG_VERSION"))), "{message}");
        assert!(hint.contains(concat!("both packages, ", env!("CARGO_PKG_VERSION"))), "{hint}");
        assert!(WorkerError::Missing.hint().contains("cargo build"), "{}", WorkerError::Missing.hint());
    }
}
