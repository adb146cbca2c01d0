use schemars::JsonSchema;
use serde::Deserialize;

use crate::{checks::OneOrMany, diagnostic::Applicability, edits::RawEdit};

/// A way to fix a finding: one edit written in place, a list of them, or a group of fixes of the pack.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[schemars(extend("additionalProperties" = false))]
#[schemars(rename = "Fix")]
pub struct RawFix {
    /// Name of a group of `fix_groups` in `pack.yaml`: this stands for its fixes.
    pub group: Option<String>,
    /// Declared types that the picks of the group are limited to.
    #[serde(rename = "type")]
    pub types: Option<OneOrMany<String>>,
    /// What it does, in the imperative (a template).
    #[schemars(extend("format" = "template", "x-fault" = {"format": "bad-template"}))]
    pub title: Option<String>,
    /// Whether it may be applied without review.
    #[serde(default)]
    pub applicability: Applicability,
    /// CEL condition for offering it.
    #[schemars(extend("format" = "cel", "x-fault" = {"format": "bad-cel"}))]
    pub when: Option<String>,
    /// The mark that begins a comment, such as `#`. Words that the edits drop are kept in a comment: at the end of
    /// their line, or in place of whole lines.
    pub keep: Option<String>,
    /// The only name that can be meant, known to the templates as `pick`.
    pub pick: Option<RawPick>,
    /// Several edits.
    #[serde(default)]
    pub edits: Vec<RawEdit>,
    /// The edit that is written in place. (It refuses the fields that no edit has.)
    #[serde(flatten)]
    pub edit: RawEdit,
}

impl RawFix {
    /// Whether it names a group and says nothing that a fix says.
    pub fn is_only_group(&self) -> bool {
        let own = self.title.is_some() || self.when.is_some() || self.keep.is_some() || self.pick.is_some();
        self.group.is_some() && !own && self.edits.is_empty() && self.edit.is_empty()
    }
}

/// Names of which exactly one is left.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Pick")]
pub struct RawPick {
    /// Routes to the names, in their order.
    pub from: OneOrMany<String>,
    /// Routes to names that are not meant, such as those in use already.
    pub except: Option<OneOrMany<String>>,
    /// Declared types of which it has one.
    #[serde(rename = "type")]
    pub types: Option<OneOrMany<String>>,
    /// Which one where several are left (default: none).
    pub of_several: Option<Which>,
}

/// One of several.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Which {
    /// The first.
    First,
    /// The last.
    Last,
}
