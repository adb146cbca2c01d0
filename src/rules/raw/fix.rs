//! What rules say of ways to mend a finding.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::OneOrMany;
use crate::diagnostic::Applicability;

/// Defines a fix and an edit with the fields of an edit, which a fix of one edit has itself. (`flatten`
/// of serde cannot refuse unknown fields.)
macro_rules! fix_and_edit {
    ($($(#[$about:meta])+ $field:ident as $name:literal,)+) => {
        /// A way to mend a finding: one edit written in place, or a list of them.
        #[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
        #[serde(deny_unknown_fields)]
        pub struct RawFix {
            /// What it does, in the imperative (a template).
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub title: Option<String>,
            /// Whether it may be applied unseen.
            #[serde(default)]
            pub applicability: Applicability,
            /// CEL condition for offering it.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub when: Option<String>,
            /// The only name that can be meant, known to the templates as `pick`.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub pick: Option<RawPick>,
            $(
                $(#[$about])+
                #[serde(default, rename = $name, skip_serializing_if = "Option::is_none")]
                pub $field: Option<String>,
            )+
            /// Several edits.
            #[serde(default, skip_serializing_if = "Vec::is_empty")]
            pub edits: Vec<RawEdit>,
        }

        /// One edit of a fix.
        #[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
        #[serde(deny_unknown_fields)]
        pub struct RawEdit {
            $(
                $(#[$about])+
                #[serde(default, rename = $name, skip_serializing_if = "Option::is_none")]
                pub $field: Option<String>,
            )+
        }

        impl RawEdit {
            /// The fields that are set, by their names in rule files.
            pub fn set(&self) -> Vec<&'static str> {
                [$(($name, &self.$field)),+]
                    .into_iter()
                    .filter_map(|(name, value)| value.is_some().then_some(name))
                    .collect()
            }
        }

        impl RawFix {
            /// The edit that is written in place; without any field when there is none.
            pub fn own_edit(&self) -> RawEdit {
                RawEdit { $($field: self.$field.clone(),)+ }
            }
        }
    };
}

fix_and_edit! {
    /// Text to put in the place of `at` (a template).
    replace as "replace",
    /// What `replace` replaces; `self` when absent.
    at as "at",
    /// Text to insert `before` or `after` a place (a template).
    insert as "insert",
    /// Where `insert` goes: before this place.
    before as "before",
    /// Where `insert` goes: after this place.
    after as "after",
    /// The place to delete.
    delete as "delete",
    /// The YAML entry or item to take away, with its lines or its comma.
    remove as "remove",
    /// YAML to add `to` a mapping or sequence: an entry or an item (a template).
    add as "add",
    /// What `add` adds to; `self` when absent.
    to as "to",
    /// The key of the sequence in `to` that `add` adds an item to; made when it is missing.
    under as "under",
    /// The YAML value to make the only item of a sequence.
    wrap as "wrap",
    /// The YAML sequence to put its only item in the place of.
    unwrap as "unwrap",
    /// The YAML mapping to make a sequence of its values.
    itemize as "itemize",
    /// The key under which `itemize` keeps the keys.
    key as "as",
}

impl RawEdit {
    /// The kinds of edits, each with the fields that go with it.
    pub const KINDS: &[(&str, &[&str])] = &[
        ("replace", &["at"]),
        ("insert", &["before", "after"]),
        ("delete", &[]),
        ("remove", &[]),
        ("add", &["to", "under"]),
        ("wrap", &[]),
        ("unwrap", &[]),
        ("itemize", &["as"]),
    ];
}

/// Names of which exactly one is left.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RawPick {
    /// Routes to the names, in their order.
    pub from: OneOrMany<String>,
    /// Routes to names that are not meant, such as those in use already.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub except: Option<OneOrMany<String>>,
    /// Declared types of which it has one.
    #[serde(default, rename = "type", skip_serializing_if = "Option::is_none")]
    pub types: Option<OneOrMany<String>>,
    /// Which one where several are left; none when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub of_several: Option<Which>,
}

/// One of several.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Which {
    /// The first.
    First,
    /// The last.
    Last,
}
