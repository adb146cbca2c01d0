use std::{fmt, io, path::PathBuf, sync::Arc};

use super::{
    config::EnvironmentError,
    kinds::{UnknownDialect, UnknownKind},
    names::shown,
};
use crate::{
    diagnostic::{Diagnostic, Severity},
    engine::BaselineError,
    files::RootsError,
    rules::LoadError,
    text::Source,
};

/// Findings in a file that a project is made from, with the sources that they point into.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Findings {
    /// The findings.
    pub diagnostics: Vec<Diagnostic>,
    /// The file, and others by the number in locations.
    pub sources: Vec<Arc<Source>>,
}

impl Findings {
    /// Whether one of them is an error.
    pub(super) fn has_errors(&self) -> bool {
        self.diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error)
    }
}

/// Why a project cannot be opened.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// The configuration or a rule file has errors.
    #[error("`{}` has errors", .0.sources.first().map_or("", |source| source.name()))]
    Findings(Findings),
    /// A file cannot be read.
    #[error("cannot read `{}`: {source}", shown(.path))]
    File {
        /// The file.
        path: PathBuf,
        /// Why it cannot be read.
        source: io::Error,
    },
    /// A pack cannot be loaded.
    #[error(transparent)]
    Pack(LoadError),
    /// An environment variable that configures the project cannot be used.
    #[error(transparent)]
    Variable(#[from] EnvironmentError),
    /// No rule has this name.
    #[error("there is no rule `{name}`")]
    UnknownRule {
        /// The name.
        name: String,
        /// The most similar name of a rule.
        nearest: Option<String>,
    },
    /// No kind of document has this name.
    #[error(transparent)]
    UnknownKind(#[from] UnknownKind),
    /// No kind of document has a dialect of this name.
    #[error(transparent)]
    UnknownDialect(#[from] UnknownDialect),
    /// A baseline cannot be used.
    #[error("`{}`: {source}", shown(.path))]
    Baseline {
        /// The file.
        path: PathBuf,
        /// Why it cannot be used.
        source: BaselineError,
    },
    /// A folder that is to be read from cannot be opened.
    #[error(transparent)]
    Roots(#[from] RootsError),
}

/// A pack that cannot be loaded.
#[derive(Debug)]
pub struct BrokenPack {
    /// Its folder.
    pub folder: PathBuf,
    /// Everything that is wrong with it.
    pub errors: Vec<OpenError>,
}

/// Everything for which a project cannot be opened.
#[derive(Debug)]
pub struct OpenErrors(pub Vec<OpenError>);

impl fmt::Display for OpenErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all: Vec<String> = self.0.iter().map(ToString::to_string).collect();
        f.write_str(&all.join("\n"))
    }
}

impl std::error::Error for OpenErrors {}

impl From<OpenError> for OpenErrors {
    fn from(error: OpenError) -> Self {
        Self(vec![error])
    }
}
