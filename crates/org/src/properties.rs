//! Properties of a headline.

use std::collections::BTreeMap;

use super::{
    files::{self, Files, OrgError},
    headline::HeadlineInfo,
    uri::Location,
};
use crate::kinds::org::Outline;

/// The properties of a headline: these, or all. A property that it does not have is absent.
///
/// # Errors
/// [`OrgError`]
pub fn get(
    files: &Files<'_>,
    uri: &str,
    names: Option<&[String]>,
) -> Result<(HeadlineInfo, BTreeMap<String, String>), OrgError> {
    let location = Location::parse(uri)?;
    let subject = location.open(files)?;
    let setup = files::setup(&subject);
    let outline = Outline::read_with(subject.text(), &setup);
    let index = location.find(subject.name(), &outline)?;
    let drawer = outline.headlines[index].properties.as_ref();
    let entries = drawer.map(|drawer| drawer.entries.as_slice()).unwrap_or_default();
    let is_wanted =
        |key: &str| names.is_none_or(|names| names.iter().any(|name| name.eq_ignore_ascii_case(key)));
    let found = entries.iter().filter(|(key, _)| is_wanted(key));
    let properties = found.map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
    Ok((HeadlineInfo::new(subject.name(), &outline, index), properties))
}
