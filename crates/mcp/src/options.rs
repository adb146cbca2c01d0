use std::{str::FromStr, sync::Arc};

use crate::project::{
    Project,
    config::{Answers, Config, ServiceLimits},
};

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
    /// What documents are validated by, and the folders that they may be in.
    pub project: Arc<Project>,
    /// What renders documents; none are rendered without.
    #[cfg(feature = "render")]
    pub rendering: Option<Arc<Rendering>>,
    /// Bounds on calls.
    pub limits: ServiceLimits,
    /// What answers consist of.
    pub answers: Answers,
    /// Families of tools that are offered, besides the core; the usual ones and those that are `found` where empty.
    pub toolsets: Vec<Toolset>,
    /// Families of tools that there are documents for; nothing where that is unknown, or no documents exist.
    pub found: Option<Vec<Toolset>>,
    /// Families of tools that are not offered.
    pub without: Vec<Toolset>,
}

impl Options {
    /// What is configured for a project.
    ///
    /// # Errors
    /// [`ServiceError`] for a family of tools that cannot be left out.
    pub fn of(project: Arc<Project>) -> Result<Self, ServiceError> {
        let server = &project.config().server;
        Ok(Self {
            limits: server.limits,
            answers: server.answers,
            found: found_in(&project),
            toolsets: server.toolsets.iter().map(|name| name.parse()).collect::<Result<_, _>>()?,
            without: server.without.iter().map(|name| name.parse()).collect::<Result<_, _>>()?,
            project,
            #[cfg(feature = "render")]
            rendering: None,
        })
    }
}

impl Options {
    /// Whether the tools of a family answer.
    pub fn offers(&self, toolset: Toolset) -> bool {
        let wanted = match self.toolsets.as_slice() {
            [] => toolset.is_usual() || self.found.as_ref().is_some_and(|found| found.contains(&toolset)),
            wanted => toolset == Toolset::Core || wanted.contains(&toolset),
        };
        wanted && !self.without.contains(&toolset)
    }

    /// Whether the tools of a family are listed. Those of a usual family that no document needs answer clients that
    /// know them, and are not listed: a model pays for every tool that is.
    pub fn lists(&self, toolset: Toolset) -> bool {
        let is_found = || self.found.as_ref().is_none_or(|found| found.contains(&toolset));
        self.offers(toolset) && (!self.toolsets.is_empty() || toolset.kinds().is_empty() || is_found())
    }
}

/// Most files and folders that are looked at for documents that need tools of their own.
const LOOKED_AT: usize = 10_000;

/// The families of tools that the documents below the folders of a project and its configuration need; nothing where
/// no documents exist.
fn found_in(project: &Project) -> Option<Vec<Toolset>> {
    if !project.reads_files() {
        return None;
    }
    let (kinds, config) = (project.kinds_below(LOOKED_AT), project.config());
    let is_configured = |toolset: Toolset| match toolset {
        Toolset::Quills => !config.quills.manual.is_empty() || config.quills.path.is_dir(),
        Toolset::Org => config.org != Config::default().org,
        _ => false,
    };
    let is_needed = |toolset: &Toolset| {
        toolset.kinds().iter().any(|kind| kinds.contains(*kind)) || is_configured(*toolset)
    };
    (!kinds.is_empty()).then(|| Toolset::ALL.into_iter().filter(is_needed).collect())
}

impl Default for Options {
    fn default() -> Self {
        Self {
            project: Arc::new(Project::builtin()),
            #[cfg(feature = "render")]
            rendering: None,
            limits: ServiceLimits::default(),
            answers: Answers::default(),
            toolsets: Vec::new(),
            found: None,
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
    /// `quarto_validate_mermaid`, `draw_diagram`.
    Mermaid,
    /// `org_…`; offered only where asked for or there are Org files.
    Org,
    /// `quarto_render`, `quarto_list_formats`; offered only where asked for or there are Quarto documents.
    Quarto,
}

impl Toolset {
    /// All families.
    pub const ALL: [Self; 7] =
        [Self::Core, Self::Learn, Self::Repair, Self::Quills, Self::Mermaid, Self::Org, Self::Quarto];

    /// Whether its tools are offered where no families are chosen and no documents exist.
    pub fn is_usual(self) -> bool {
        !matches!(self, Self::Org | Self::Quarto)
    }

    /// The kinds of documents that its tools are for; none where they are for all kinds.
    pub fn kinds(self) -> &'static [&'static str] {
        match self {
            Self::Core | Self::Learn | Self::Repair => &[],
            Self::Quills => &["markdown", "quill"],
            Self::Mermaid => &["mermaid", "markdown", "quarto"],
            Self::Org => &["org"],
            Self::Quarto => &["quarto"],
        }
    }

    /// Its name in the configuration.
    pub fn name(self) -> &'static str {
        match self {
            Self::Core => "core",
            Self::Learn => "learn",
            Self::Repair => "repair",
            Self::Quills => "quills",
            Self::Mermaid => "mermaid",
            Self::Org => "org",
            Self::Quarto => "quarto",
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
    /// No family that can be left out has this name.
    #[error(
        "there is no family of tools `{0}` to choose or leave out: there are learn, repair, quills, mermaid, org and quarto"
    )]
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
