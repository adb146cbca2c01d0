//! What a report knows of the validator that made it, also in another process.

use std::{
    collections::BTreeMap,
    path::PathBuf,
    sync::{Arc, Mutex, OnceLock, PoisonError},
    time::Duration,
};

use proofmark::{
    Access, Configuration, EnvironmentOverrides, Overrides, Project, RuleOverrides,
    report::{Format, ReportOptions, Run},
};
use pyo3::prelude::*;
use serde::{Deserialize, Serialize};

use crate::error::{self, ConfigurationError};

/// What a validator was made with, so that it can be made again in another process.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Arguments {
    pub(crate) config: Option<PathBuf>,
    pub(crate) select: Vec<String>,
    pub(crate) extend: Vec<String>,
    pub(crate) ignore: Vec<String>,
    pub(crate) packs: Vec<PathBuf>,
    pub(crate) env: Option<BTreeMap<String, String>>,
    pub(crate) dialect: Option<String>,
    pub(crate) roots: Vec<PathBuf>,
    pub(crate) deadline: Option<f64>,
}

impl Arguments {
    /// The project with these arguments.
    pub(crate) fn open(&self) -> PyResult<Project> {
        let configuration = self.config.clone().map_or(Configuration::Default, Configuration::File);
        let deadline = self.deadline.map(|seconds| {
            Duration::try_from_secs_f64(seconds).map_err(|_| {
                ConfigurationError::new_err(format!(
                    "`deadline` is {seconds}, not a number of seconds: give 0 or more, or None"
                ))
            })
        });
        let overrides = Overrides {
            rules: RuleOverrides {
                select: self.select.clone(),
                extend: self.extend.clone(),
                ignore: self.ignore.clone(),
            },
            dialect: self.dialect.clone(),
            environment: EnvironmentOverrides {
                variables: self.env.clone().unwrap_or_default(),
                strict: self.env.is_some(),
                ..EnvironmentOverrides::default()
            },
            access: Access::Below(self.roots.clone()),
            packs: self.packs.clone(),
            deadline: deadline.transpose()?,
            ..Overrides::default()
        };
        Project::open(&configuration, overrides).map_err(|errors| error::of_opening(&errors))
    }

    /// The arguments that the descriptions of rules depend on. A report has no values of environment variables.
    fn of_rules(&self) -> Self {
        Self { env: None, roots: Vec::new(), deadline: None, ..self.clone() }
    }
}

/// The project that a restored report needed last: reports that come from another process come in numbers.
static REOPENED: Mutex<Option<(Arguments, Arc<Project>)>> = Mutex::new(None);

/// The validator of a report. After pickling it is opened again only for what needs its rules.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Origin {
    version: String,
    ruleset: String,
    arguments: Arguments,
    #[serde(skip)]
    project: OnceLock<Arc<Project>>,
}

impl Origin {
    /// The origin of the reports of an open project.
    pub(crate) fn new(arguments: &Arguments, project: Arc<Project>) -> Self {
        Self {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            ruleset: project.ruleset().fingerprint().to_owned(),
            arguments: arguments.of_rules(),
            project: OnceLock::from(project),
        }
    }

    /// What reports say about the program and its rules.
    pub(crate) fn run(&self, format: Format, options: ReportOptions) -> PyResult<Run> {
        // Only SARIF describes the rules.
        if self.project.get().is_none() && format != Format::Sarif {
            let (version, ruleset) = (self.version.clone(), self.ruleset.clone());
            return Ok(Run { version, ruleset, rules: Vec::new(), options });
        }
        Ok(self.project()?.run(format, options))
    }

    /// A copy without the open project, for pickling.
    pub(crate) fn described(&self) -> Self {
        Self {
            version: self.version.clone(),
            ruleset: self.ruleset.clone(),
            arguments: self.arguments.clone(),
            project: OnceLock::new(),
        }
    }

    fn project(&self) -> PyResult<&Arc<Project>> {
        if let Some(project) = self.project.get() {
            return Ok(project);
        }
        let mut last = REOPENED.lock().unwrap_or_else(PoisonError::into_inner);
        let project = match &*last {
            Some((arguments, project)) if *arguments == self.arguments => Arc::clone(project),
            _ => Arc::new(self.arguments.open()?),
        };
        *last = Some((self.arguments.clone(), Arc::clone(&project)));
        Ok(self.project.get_or_init(|| project))
    }
}
