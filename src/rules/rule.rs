use std::collections::BTreeMap;

use serde_json::Value;

use super::{
    Route, Which,
    check::Check,
    condition::Condition,
    place::Place,
    raw::{OptionType, RawSample},
    schema::SchemaDocument,
    template::Template,
};
use crate::{
    diagnostic::{Applicability, Severity},
    kinds::grammar::GrammarKind,
    tree::JsonPath,
};

/// A rule that the engine can run.
#[derive(Debug, Clone)]
pub struct Rule {
    /// Stable id.
    pub id: String,
    /// Name in kebab-case.
    pub name: String,
    /// Name of its pack.
    pub pack: String,
    /// Kinds of document it is for.
    pub kinds: Vec<String>,
    /// How bad a finding is.
    pub severity: Severity,
    /// Version that has it first.
    pub since: String,
    /// Where it is in its life.
    pub status: Status,
    /// Whether it is on unless configured.
    pub enabled: bool,
    /// Words to select it by.
    pub tags: Vec<String>,
    /// Which nodes it looks at; empty for observations.
    pub given: Vec<JsonPath>,
    /// Nodes for which this is false are left alone.
    pub when: Option<Condition>,
    /// What must hold.
    pub check: Check,
    /// Place of the diagnostic, where it is not what the check finds wrong.
    pub at: Option<Place>,
    /// Ids or names of rules whose findings cause findings of this one.
    pub follows: Vec<String>,
    /// Ids or names of rules whose findings anywhere in the document, or in the same ancestor of this
    /// name, explain findings of this one.
    pub yields_to: Vec<String>,
    /// Name of that ancestor.
    pub yields_within: Option<String>,
    /// What is wrong.
    pub message: Template,
    /// What to do.
    pub hint: Option<Template>,
    /// Further places.
    pub related: Vec<Related>,
    /// Ways to mend it.
    pub fixes: Vec<Fix>,
    /// Options with their type, default and description.
    pub options: BTreeMap<String, (OptionType, Value, String)>,
}

/// Where a rule is in its life.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Status {
    /// May still change or go.
    Preview,
    /// Here to stay.
    Stable,
    /// Another rule takes its place.
    Deprecated {
        /// That rule's id.
        replaced_by: String,
    },
    /// Gone.
    Removed,
}

impl Status {
    /// The name in rule files.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Preview => "preview",
            Self::Stable => "stable",
            Self::Deprecated { .. } => "deprecated",
            Self::Removed => "removed",
        }
    }
}

/// A further place.
#[derive(Debug, Clone)]
pub struct Related {
    /// The place.
    pub at: Place,
    /// What it has to do with the finding.
    pub label: Template,
}

/// A way to mend a finding.
#[derive(Debug, Clone)]
pub struct Fix {
    /// What it does; made from the edits when absent.
    pub title: Option<Template>,
    /// Whether it may be applied unseen.
    pub applicability: Applicability,
    /// Condition for offering it.
    pub when: Option<Condition>,
    /// The name that its templates know as `pick`; the fix is left out when there is none.
    pub pick: Option<Pick>,
    /// The edits.
    pub edits: Vec<Edit>,
}

/// Names of which exactly one is left.
#[derive(Debug, Clone)]
pub struct Pick {
    /// Routes to the names.
    pub from: Vec<Route>,
    /// Routes to names that are not meant.
    pub except: Vec<Route>,
    /// Declared types of which it has one; any when empty.
    pub types: Vec<String>,
    /// Which one where several are left.
    pub of_several: Option<Which>,
}

/// An edit of a fix.
#[derive(Debug, Clone)]
pub enum Edit {
    /// Puts a text in a place.
    Replace(Place, Template),
    /// Inserts a text before a place.
    Before(Place, Template),
    /// Inserts a text after a place.
    After(Place, Template),
    /// Deletes a place.
    Delete(Place),
    /// Takes the entry or item at a place away.
    Remove(Place),
    /// Adds an entry or item to the collection at a place, or to the sequence at a key of it.
    Add {
        /// The collection.
        to: Place,
        /// The key of the sequence.
        under: Option<String>,
        /// The entry or item.
        text: Template,
    },
    /// Makes the value at a place the only item of a sequence.
    Wrap(Place),
    /// Puts the only item of the sequence at a place in the place of the sequence.
    Unwrap(Place),
    /// Makes the values of the mapping at a place a sequence, with the keys under a key of theirs.
    Itemize(Place, String),
}

/// A document that shows a rule.
#[derive(Debug, Clone)]
pub struct Example {
    /// Whether the rule must fire.
    pub invalid: bool,
    /// The document.
    pub sample: Sample,
    /// The findings it must yield; any when empty.
    pub expect: Vec<Expectation>,
    /// What the first fix makes of it.
    pub fixed: Option<Sample>,
    /// Its position among the rule's examples.
    pub index: usize,
}

/// A document of an example.
#[derive(Debug, Clone, Default)]
pub struct Sample {
    /// Its text; absent when its file could not be read.
    pub text: Option<String>,
    /// As it is written in the rule file.
    pub raw: RawSample,
}

/// A finding that an invalid example must yield.
#[derive(Debug, Clone, Default)]
pub struct Expectation {
    /// JSON Pointer to its node.
    pub at: Option<String>,
    /// Its line.
    pub line: Option<u32>,
    /// A part of its message.
    pub message: Option<String>,
}

/// What the rules of a pack share.
#[derive(Debug, Clone, Default)]
pub struct Pack {
    /// Its name.
    pub name: String,
    /// One line on what it is for.
    pub description: String,
    /// Prefixes of its rule ids.
    pub prefixes: Vec<String>,
    /// Kinds of document its rules are for.
    pub kinds: Vec<String>,
    /// Names for nodes.
    pub ancestors: BTreeMap<String, JsonPath>,
    /// Symbol tables.
    pub symbols: BTreeMap<String, Symbol>,
    /// Key of mappings that stand for the name it holds.
    pub reference_key: Option<String>,
    /// JSON Schemas by name.
    pub schemas: BTreeMap<String, std::sync::Arc<SchemaDocument>>,
    /// The kinds that its grammars define, by name.
    pub grammars: BTreeMap<String, &'static GrammarKind>,
    /// Whether it is embedded in the program.
    pub builtin: bool,
}

/// Where the names of a symbol table are declared.
#[derive(Debug, Clone)]
pub struct Symbol {
    /// Paths to the declarations.
    pub given: Vec<JsonPath>,
    /// Path from a declaration to its name; its key when absent.
    pub name: Option<JsonPath>,
    /// Path from a declaration to its type.
    pub value_type: Option<JsonPath>,
    /// Names that are always known.
    pub builtin: Vec<String>,
    /// Name of the ancestor within which a declaration is known.
    pub within: Option<String>,
}

impl Edit {
    /// The text it puts in, if it puts one in.
    pub fn text(&self) -> Option<&Template> {
        match self {
            Self::Replace(_, text)
            | Self::Before(_, text)
            | Self::After(_, text)
            | Self::Add { text, .. } => Some(text),
            Self::Delete(_) | Self::Remove(_) | Self::Wrap(_) | Self::Unwrap(_) | Self::Itemize(..) => None,
        }
    }
}
