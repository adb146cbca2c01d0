//! Documents that a template engine makes: when text is read as a template, and how.

use std::{borrow::Cow, sync::Arc};

use crate::{
    ParseOptions,
    syntax::{
        Observation,
        actions::{self, Engine, Language, Template},
    },
    text::Fragment,
};

/// When text is read as a template, and of which engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Templating {
    /// Never.
    Never,
    /// Where it cannot be read otherwise, or only in an odd way, and has actions where only templates have them.
    ByContent,
    /// Where it has actions of this engine.
    Always(Engine),
}

impl Default for Templating {
    fn default() -> Self {
        Self::ByContent
    }
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

/// How text is read.
pub(crate) struct View<'t> {
    /// What the reader of the language gets.
    pub(crate) fragment: Cow<'t, Fragment<'t>>,
    /// The template that it is, if it is one.
    pub(crate) template: Option<Arc<Template>>,
}

impl View<'_> {
    /// Keeps those observations from `first` on that are certain.
    pub(crate) fn retain_certain(&self, text: &str, observations: &mut Vec<Observation>, first: usize) {
        if let Some(template) = &self.template {
            template.retain_certain(text, observations, first);
        }
    }
}

/// What the reader of a language gets of a fragment of `host`, in the file `name`. `trial` reads a fragment only for what it
/// observes.
pub(crate) fn view<'t>(
    (name, host): (&str, &str),
    fragment: &'t Fragment<'t>,
    language: Language,
    options: &ParseOptions<'_>,
    trial: &dyn Fn(&Fragment<'_>) -> Vec<Observation>,
) -> View<'t> {
    let as_it_is = || View { fragment: Cow::Borrowed(fragment), template: None };
    let text = fragment.text();
    let engine = match options.templates {
        Templating::Never => return as_it_is(),
        Templating::ByContent => Engine::Any,
        Templating::Always(engine) => engine,
    };
    // Terraform's templates often have the endings of others.
    let is_terraform = options.templates == Templating::Always(Engine::Any) && text.contains("%{");
    let engine = if is_terraform { Engine::Terraform } else { engine };
    if engine != Engine::Terraform && !["{{", "{%", "<%"].iter().any(|mark| text.contains(mark)) {
        return as_it_is();
    }
    let found = actions::actions(text, engine);
    if found.is_empty() {
        return as_it_is();
    }
    if options.templates == Templating::ByContent {
        let is_odd = |seen: &Observation| seen.name.contains('_') || seen.name == "yaml-template-value";
        if !trial(fragment).iter().any(is_odd) || !actions::shows_template(name, text, &found) {
            return as_it_is();
        }
    }
    let template = Template::new(fragment, &found, language);
    let whole = actions::view(fragment, &found, language, false);
    // Where the arms of blocks do not fit together, the first ones are read.
    let fits = !template.retain_certain(host, &mut trial(&whole), 0);
    let fragment = if fits { whole } else { actions::view(fragment, &found, language, true) };
    View { fragment: Cow::Owned(fragment), template: Some(Arc::new(template)) }
}
