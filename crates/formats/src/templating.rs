//! When text is read as a template.

use crate::syntax::actions::Engine;

/// When text is read as a template, and of which engine.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Templating {
    /// Never.
    Never,
    /// Where text cannot be read otherwise, or only in an odd way, and has actions where only templates have them.
    #[default]
    ByContent,
    /// Where text has actions of this engine.
    Always(Engine),
}

/// How names of files end that contain the template of another file, and the engine that reads it.
const ENDINGS: &[(&str, Engine)] = &[
    (".j2", Engine::Jinja),
    (".jinja", Engine::Jinja),
    (".jinja2", Engine::Jinja),
    (".njk", Engine::Jinja),
    (".liquid", Engine::Jinja),
    (".tmpl", Engine::Any),
    (".tpl", Engine::Any),
    (".template", Engine::Any),
    (".gotmpl", Engine::Go),
    (".tftpl", Engine::Terraform),
    (".erb", Engine::Erb),
    (".mustache", Engine::Any),
    (".hbs", Engine::Any),
];

/// The name of the file that a template makes and the engine, where the name of the template shows both: `a.yaml` for `a.yaml.j2`.
pub fn made_by_template(name: &str) -> Option<(&str, Engine)> {
    ENDINGS.iter().find_map(|(ending, engine)| {
        let start = name.len().checked_sub(ending.len())?;
        let found = name.get(start..)?.eq_ignore_ascii_case(ending);
        found.then(|| (&name[..start], *engine))
    })
}
