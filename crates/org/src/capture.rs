//! New headlines in the forms that the configuration has.

use std::collections::BTreeMap;

use minijinja::Value;

use super::{
    change::NewHeadline,
    files::{Files, OrgError},
    guarded::{self, Changed, Guard},
};
use crate::{engine::today, expressions::Template, text::nearest};

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
    let mut known = BTreeMap::from([("today".to_owned(), today())]);
    known.extend(values.clone());
    let filled = |text: &str| fill(text, &known);
    let some = |text: &Option<String>| text.as_deref().map(filled).transpose();
    let new = NewHeadline {
        title: filled(&form.title)?,
        todo: some(&form.state)?,
        tags: form.tags.iter().map(|tag| filled(tag)).collect::<Result<_, _>>()?,
        scheduled: some(&form.scheduled)?,
        deadline: some(&form.deadline)?,
        body: some(&form.body)?,
    };
    guarded::add(files, &filled(&form.parent)?, guard, &new)
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
