//! Which documents are read as templates.

use std::path::Path;

use super::resolved::Project;
use crate::{
    kinds::{Templating, config::RawTemplateMode, made_by_template},
    syntax::actions::Engine,
};

/// The folder of a Helm chart with templates.
const TEMPLATES: &str = "templates";

/// The file that every Helm chart has.
const CHART: &str = "Chart.yaml";

impl Project {
    /// How a document is read: its place and name decide where the configuration does not. `configured` is its name as
    /// the configuration sees it.
    pub(super) fn templating(&self, path: Option<&Path>, configured: Option<&str>) -> Templating {
        let mode = self.config().templates_of(configured);
        if mode == RawTemplateMode::Never {
            return Templating::Never;
        }
        let name = path.and_then(Path::file_name).map(|name| name.to_string_lossy());
        if let Some((_, engine)) = name.as_deref().and_then(made_by_template) {
            return Templating::Always(engine);
        }
        if path.is_some_and(|path| self.is_in_chart(path)) {
            return Templating::Always(Engine::Go);
        }
        match mode {
            RawTemplateMode::Always => Templating::Always(Engine::Any),
            _ => Templating::ByContent,
        }
    }

    /// Whether a file is a template of a Helm chart.
    fn is_in_chart(&self, path: &Path) -> bool {
        let folders = path.ancestors().skip(1);
        let mut folders = folders.filter(|folder| folder.file_name().is_some_and(|name| name == TEMPLATES));
        folders.any(|folder| {
            let chart = folder.parent().unwrap_or(Path::new("")).join(CHART);
            self.locate(&chart).is_file()
        })
    }
}
