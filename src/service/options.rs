use std::{
    path::{Path, PathBuf},
    str::FromStr,
    sync::Arc,
};

use super::Limits;
use crate::{
    engine::{Settings, Validator},
    files::RootsError,
    kinds::{Kind, quill::SharedQuills},
    rules::Ruleset,
};

/// What is configured for single files, by their absolute path.
pub trait FileSettings: Send + Sync {
    /// The rules that are on for a file.
    fn validator(&self, path: &Path) -> Arc<Validator>;

    /// The kind that the configuration gives a file.
    fn kind(&self, path: &Path) -> Option<Arc<dyn Kind>>;
}

/// What renders documents, and what was rendered.
#[cfg(feature = "render")]
#[derive(Debug)]
pub struct Rendering {
    /// Makes pages of documents.
    pub renderer: crate::render::Renderer,
    /// Rendered documents that clients can read again.
    pub store: crate::render::Store,
}

/// What a service is made from.
#[derive(Clone)]
pub struct Options {
    /// The rules that are on, for texts and for files without settings of their own.
    pub validator: Arc<Validator>,
    /// Settings of single files.
    pub files: Option<Arc<dyn FileSettings>>,
    /// Folders below which files may be read and written; without any, tools take texts only.
    pub roots: Vec<PathBuf>,
    /// The quills that documents may name.
    pub quills: SharedQuills,
    /// What renders documents; none are rendered without.
    #[cfg(feature = "render")]
    pub rendering: Option<Arc<Rendering>>,
    /// Folder with `templates.json`: Markdown documents to start from.
    pub templates: Option<PathBuf>,
    /// Bounds on calls.
    pub limits: Limits,
    /// Families of tools that are not offered.
    pub without: Vec<Toolset>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            validator: Arc::new(Validator::new(Ruleset::builtin(), Settings::default())),
            files: None,
            roots: Vec::new(),
            quills: SharedQuills::default(),
            #[cfg(feature = "render")]
            rendering: None,
            templates: None,
            limits: Limits::default(),
            without: Vec::new(),
        }
    }
}

/// A family of tools, to be switched off together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Toolset {
    /// `validate` and what is needed with it; always on.
    Core,
    /// `list_rules`, `list_examples`, `get_example`, `get_schema_summary`.
    Learn,
    /// `fix_text`, `apply_patch`.
    Repair,
    /// Quills, templates, frontmatter.
    Quills,
    /// `quarto_validate_mermaid`.
    Mermaid,
}

impl Toolset {
    /// All families.
    pub const ALL: [Self; 5] = [Self::Core, Self::Learn, Self::Repair, Self::Quills, Self::Mermaid];

    /// Its name in the configuration.
    pub fn name(self) -> &'static str {
        match self {
            Self::Core => "core",
            Self::Learn => "learn",
            Self::Repair => "repair",
            Self::Quills => "quills",
            Self::Mermaid => "mermaid",
        }
    }
}

impl FromStr for Toolset {
    type Err = ServiceError;

    fn from_str(name: &str) -> Result<Self, ServiceError> {
        let found = Self::ALL.into_iter().find(|one| one.name() == name && *one != Self::Core);
        found.ok_or_else(|| ServiceError::UnknownToolset(name.to_owned()))
    }
}

/// Why a service cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum ServiceError {
    /// A folder cannot be opened.
    #[error(transparent)]
    Roots(#[from] RootsError),
    /// No family that can be left out has this name.
    #[error("there is no family of tools `{0}` to leave out: there are learn, repair, quills and mermaid")]
    UnknownToolset(String),
    /// A tool's schema cannot be compiled.
    #[error("the schema of the tool `{tool}` is broken: {detail}")]
    Schema {
        /// The tool.
        tool: &'static str,
        /// What is wrong.
        detail: String,
    },
}
