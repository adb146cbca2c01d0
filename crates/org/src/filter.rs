//! Conditions that queries combine.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;

use super::{date::Range, files::OrgError};

/// What headlines must have; all of it.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Filter {
    /// All of these tags.
    pub tags: Option<Vec<String>>,
    /// None of these tags.
    pub exclude_tags: Option<Vec<String>>,
    /// One of these TODO keywords.
    pub states: Option<Vec<String>>,
    /// Values of properties by name, in any case; `*` is any value.
    pub properties: Option<BTreeMap<String, String>>,
    /// Scheduled in this range.
    pub scheduled: Option<Range>,
    /// Due in this range.
    pub deadline: Option<Range>,
    /// Closed in this range.
    pub closed: Option<Range>,
    /// Number of stars.
    pub level: Option<Levels>,
    /// Part of a line of its own section, in any case: the headline and the lines to the next one.
    pub text: Option<String>,
    /// Whether tags and properties are inherited from the file and the headlines above. When absent, tags are.
    pub inherited: Option<bool>,
}

/// A range of levels, both included.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(inline)]
pub struct Levels {
    /// Fewest stars.
    pub min: Option<usize>,
    /// Most stars.
    pub max: Option<usize>,
}

impl Filter {
    /// Checks that dates are dates and that the text is not empty.
    ///
    /// # Errors
    /// [`OrgError::Invalid`]
    pub(super) fn check(&self) -> Result<(), OrgError> {
        for range in [&self.scheduled, &self.deadline, &self.closed].into_iter().flatten() {
            range.check()?;
        }
        if self.text.as_ref().is_some_and(|text| text.trim().is_empty()) {
            return Err(OrgError::invalid("`text` is empty"));
        }
        Ok(())
    }

    /// Whether it asks for anything.
    pub(super) fn is_set(&self) -> bool {
        let Self { tags, exclude_tags, states, properties, scheduled, deadline, closed, level, text, .. } =
            self;
        tags.is_some()
            || exclude_tags.is_some()
            || states.is_some()
            || properties.is_some()
            || scheduled.is_some()
            || deadline.is_some()
            || closed.is_some()
            || level.is_some()
            || text.is_some()
    }

    /// The text to look for, in lower case.
    pub(super) fn wanted_text(&self) -> Option<String> {
        self.text.as_ref().map(|text| text.to_lowercase())
    }
}

impl Levels {
    /// Whether a number of stars is in it.
    pub(super) fn contains(self, level: usize) -> bool {
        self.min.is_none_or(|min| min <= level) && self.max.is_none_or(|max| level <= max)
    }
}
