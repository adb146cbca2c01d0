//! New headlines in the forms that the configuration has.

use std::collections::{BTreeMap, BTreeSet};

use minijinja::Value;

use super::{
    change::NewHeadline,
    clock::Moment,
    files::{Files, OrgError},
    guarded::{self, Changed, Guard},
};
use crate::{expressions::Template, kinds::config::RawCapture, text::nearest};

/// Adds a headline in the form of this name, with these values.
///
/// # Errors
/// [`OrgError`], also for a form that the configuration does not have, and for values that are missing.
pub fn capture(
    files: &Files<'_>,
    name: &str,
    values: &BTreeMap<String, String>,
    guard: Guard<'_>,
) -> Result<Changed, OrgError> {
    let forms = &files.config().capture;
    let Some(form) = forms.get(name) else {
        let shown = OrgError::shown(name);
        let known: Vec<&str> = forms.keys().map(String::as_str).collect();
        let hint = match nearest(name, known.iter().copied()) {
            Some(near) => format!("did you mean `{near}`?"),
            None if known.is_empty() => "add `[org.capture.NAME]` to the configuration".to_owned(),
            None => format!("available: {}", known.join(", ")),
        };
        return Err(OrgError::invalid(format!("there is no template `{shown}`: {hint}")));
    };
    let now = Moment::now();
    let mut known = BTreeMap::from([
        ("today".to_owned(), now.date()),
        ("now".to_owned(), format!("[{}]", now.day_and_time())),
    ]);
    known.extend(values.clone());
    check_braces(form)?;
    check_used(form, values)?;
    let filled = |text: &str| fill(text, &known);
    let some = |text: &Option<String>| text.as_deref().map(filled).transpose();
    let new = NewHeadline {
        title: filled(&form.title)?,
        todo: some(&form.state)?,
        tags: form.tags.iter().map(|tag| filled(tag)).collect::<Result<_, _>>()?,
        scheduled: some(&form.scheduled)?,
        deadline: some(&form.deadline)?,
        body: some(&form.body)?,
        datetree: some(&form.datetree)?,
        create: form.create,
    };
    guarded::add(files, &filled(&form.parent)?, guard, &new)
}

/// Checks that the dates of a form have no name in single braces, which would stay as it is.
fn check_braces(form: &RawCapture) -> Result<(), OrgError> {
    let mut dates = [&form.scheduled, &form.deadline, &form.datetree].into_iter().flatten();
    let Some(name) = dates.find_map(|text| in_single_braces(text)) else { return Ok(()) };
    let name = OrgError::shown(name);
    Err(OrgError::invalid(format!(
        "`{{{name}}}` in the template is not a placeholder: write it as `{{{{ {name} }}}}`"
    )))
}

fn in_single_braces(text: &str) -> Option<&str> {
    let (name, _) = text.split_once('{')?.1.split_once('}')?;
    let name = name.trim();
    let fits = |c: char| c.is_alphanumeric() || c == '_';
    (!name.is_empty() && name.chars().all(fits)).then_some(name)
}

/// Checks that a form has a placeholder for each value, so that nothing that a client sends is lost.
fn check_used(form: &RawCapture, values: &BTreeMap<String, String>) -> Result<(), OrgError> {
    let optional = [&form.state, &form.scheduled, &form.deadline, &form.body, &form.datetree];
    let texts =
        [&form.title, &form.parent].into_iter().chain(&form.tags).chain(optional.into_iter().flatten());
    let names: BTreeSet<String> = texts.flat_map(|text| Template::new(text).placeholders()).collect();
    let unused: Vec<String> =
        values.keys().filter(|name| !names.contains(*name)).map(|name| OrgError::shown(name)).collect();
    if unused.is_empty() {
        return Ok(());
    }
    let known: Vec<&str> = names.iter().map(String::as_str).collect();
    Err(OrgError::invalid(format!(
        "the template has no placeholder for {}: it has {} (written as {{{{ {} }}}})",
        unused.join(", "),
        if known.is_empty() { "none".to_owned() } else { known.join(", ") },
        known.first().copied().unwrap_or(unused[0].as_str())
    )))
}

/// A template with its values. Each must be given: a headline with a gap would be of no use.
fn fill(text: &str, values: &BTreeMap<String, String>) -> Result<String, OrgError> {
    let template = Template::new(text);
    let missing: Vec<String> =
        template.placeholders().into_iter().filter(|name| !values.contains_key(name)).collect();
    if !missing.is_empty() {
        return Err(OrgError::invalid(format!("the template needs values for {}", missing.join(", "))));
    }
    let context = Value::from_pairs(values.iter().map(|(name, value)| (name.as_str(), value.as_str())));
    template
        .render(&context)
        .map_err(|error| OrgError::invalid(format!("the template cannot be filled: {error}")))
}
