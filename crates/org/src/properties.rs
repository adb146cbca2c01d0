//! Properties of a headline.

use std::collections::BTreeMap;

use super::{
    files::{self, Files, OrgError},
    hash::hash,
    headline::HeadlineInfo,
    read,
    uri::Location,
};
use crate::kinds::org::Outline;

/// Properties by name, and where they are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Properties {
    /// Nothing for those of a file.
    pub headline: Option<HeadlineInfo>,
    /// The URI of the headline or file.
    pub uri: String,
    pub values: BTreeMap<String, String>,
    /// Hash of the file.
    pub hash: String,
}

/// The properties of a headline or of a file itself: these, or all. A property that it does not have is absent.
///
/// # Errors
/// [`OrgError`]
pub fn get(files: &Files<'_>, uri: &str, names: Option<&[String]>) -> Result<Properties, OrgError> {
    let location = Location::parse(uri)?;
    let subject = location.open(files)?;
    let setup = files::setup(&subject);
    let outline = Outline::read_with(subject.text(), &setup);
    let index = match location {
        Location::File(_) => None,
        _ => Some(location.find_around(subject.name(), &outline)?),
    };
    let drawer = match index {
        Some(index) => outline.headlines[index].properties.as_ref(),
        None => outline.properties.as_ref(),
    };
    let mut values = read::entries(drawer);
    values.retain(|key, _| names.is_none_or(|names| names.iter().any(|name| name.eq_ignore_ascii_case(key))));
    let headline = index.map(|index| HeadlineInfo::new(subject.name(), &outline, index));
    let uri = match &headline {
        Some(headline) => headline.resource_uri.clone(),
        None => Location::uri_of(subject.name()),
    };
    Ok(Properties { headline, uri, values, hash: hash(subject.text()) })
}
