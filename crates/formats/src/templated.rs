//! Documents that a template engine makes: how text is read as a template.

use std::{borrow::Cow, sync::Arc};

use crate::{
    ParseOptions, Templating,
    syntax::{
        Observation,
        actions::{self, Engine, Language, Template},
    },
    text::Fragment,
};

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
