use std::{collections::BTreeMap, ops::Deref, sync::Arc};

use super::{
    Which,
    files::RuleFiles,
    raw::{RawDocuments, RawFix, RawOption, RawSample},
};
use crate::{
    budget::Lazy,
    checks::{Check, Fault, Vocabulary, passing},
    diagnostic::{Applicability, Severity},
    edits::Edit,
    expressions::{Condition, LazyRegex, Place, Route, Template},
    kinds::{Kinds, Layer},
    tree::JsonPath,
};

/// A rule that the engine can run: what selects it. The rest, [`RuleBody`], is read from the program when the first
/// document comes that a built-in rule is for; its fields are those of the rule.
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
    /// The files that its pack is for, and those that it is for itself.
    pub files: [RuleFiles; 2],
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
    /// Whether its id is that of another tool. Rules of Proofmark may begin with the same letters, so the letters alone do not
    /// select it.
    pub(crate) has_foreign_id: bool,
    /// Options with their type, default and description.
    pub options: BTreeMap<String, RawOption>,
    /// Whether it compares the document with others of the project.
    pub compares_documents: bool,
    /// What a built-in rule waits for that looks at nothing else: then its body is needed only where there is such a thing.
    pub(super) waits: Option<Waiting>,
    pub(super) body: Later<RuleBody>,
}

/// What a rule waits for, with the rules that decide about its findings.
#[derive(Debug, Clone)]
pub(super) struct Waiting {
    pub(super) awaited: Awaited,
    pub(super) follows: Vec<String>,
    pub(super) yields_to: Vec<String>,
}

/// What a rule waits for.
#[derive(Debug, Clone)]
pub(super) enum Awaited {
    /// Observations of a name.
    Observation(Layer, &'static str),
    /// Nodes that paths select: in the document, or in each document of a file with several; where an expression is
    /// sought in them, only if it matches in the text.
    Nodes { given: Vec<JsonPath>, by_parts: bool, sought: Option<&'static str> },
}

/// What a rule does.
#[derive(Debug, Clone)]
pub struct RuleBody {
    /// Whether it looks at each document of a file with several by itself.
    pub by_parts: bool,
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
    /// Ways to fix it.
    pub fixes: Later<Vec<Fix>>,
    /// Whether its fixes must leave what the page shows as it is.
    pub keeps_page: bool,
    /// Keys of trees that kinds make only if a rule mentions them, and that it mentions.
    pub optional: Vec<&'static str>,
    /// Symbol tables of the pack in which it looks up values of other documents.
    pub lookups: Vec<String>,
}

impl Deref for Rule {
    type Target = RuleBody;

    fn deref(&self) -> &RuleBody {
        &self.body
    }
}

impl RuleBody {
    /// The body of a rule that finds nothing.
    pub(super) fn inert() -> Self {
        Self {
            by_parts: false,
            given: Vec::new(),
            when: None,
            check: passing(),
            at: None,
            follows: Vec::new(),
            yields_to: Vec::new(),
            yields_within: None,
            message: Template::new(""),
            hint: None,
            related: Vec::new(),
            fixes: Later::default(),
            keeps_page: false,
            optional: Vec::new(),
            lookups: Vec::new(),
        }
    }
}

impl Rule {
    /// The observations that it reports, if it does not look at nodes.
    pub fn observed(&self) -> Option<(Layer, &str)> {
        match self.awaited() {
            Some(Awaited::Observation(layer, name)) => Some((*layer, name)),
            Some(Awaited::Nodes { .. }) => None,
            None => self.check.observed(),
        }
    }

    fn awaited(&self) -> Option<&Awaited> {
        self.waits.as_ref().map(|waits| &waits.awaited)
    }

    /// The paths to the nodes that it looks at.
    pub(crate) fn selectors(&self) -> &[JsonPath] {
        match self.awaited() {
            Some(Awaited::Observation(..)) => &[],
            Some(Awaited::Nodes { given, .. }) => given,
            None => &self.given,
        }
    }

    /// Whether it looks at each document of a file with several by itself.
    pub(crate) fn looks_at_parts(&self) -> bool {
        match self.awaited() {
            Some(Awaited::Observation(..)) => false,
            Some(Awaited::Nodes { by_parts, .. }) => *by_parts,
            None => self.by_parts,
        }
    }

    /// The characters that each match of what it searches for begins with. Without them a document has nothing for it to find.
    pub(crate) fn sought_prefix(&self) -> Option<String> {
        match self.awaited() {
            Some(Awaited::Observation(..)) => None,
            Some(Awaited::Nodes { sought, .. }) => LazyRegex::new((*sought)?).prefix(),
            None => self.check.sought()?.prefix(),
        }
    }

    /// Whether it finds nothing in a document whose links were not followed.
    pub(crate) fn needs_links(&self) -> bool {
        self.waits.is_none() && self.check.needs_links()
    }

    /// Ids, names or tags of the rules that it follows, and of those that it yields to.
    pub fn causes(&self) -> [&[String]; 2] {
        match &self.waits {
            Some(waits) => [&waits.follows, &waits.yields_to],
            None => [&self.follows, &self.yields_to],
        }
    }

    /// Keys of trees that kinds make only if a rule mentions them, and that it mentions.
    pub fn optional_keys(&self) -> &[&'static str] {
        if self.waits.is_some() { &[] } else { &self.optional }
    }

    /// Whether it asks for files that strings of the document lead to.
    pub fn follows_links(&self) -> bool {
        self.waits.is_none() && self.check.follows_links()
    }

    /// Whether it is for some files only.
    pub fn is_for_some_files(&self) -> bool {
        !self.files.iter().all(RuleFiles::is_everything)
    }

    /// Whether it is for the file that the configuration calls so, or for text that is not in a file.
    pub fn is_for_file(&self, file: Option<&str>) -> bool {
        self.files.iter().all(|files| files.include(file))
    }
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
        /// The id of the other rule.
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

/// A part of a rule or of a pack that is made when it is first asked for: most documents have no use for it. Copies share it.
#[derive(Debug, Clone)]
pub struct Later<T>(Arc<Lazy<T, Box<dyn FnOnce() -> T + Send>>>);

impl<T> Later<T> {
    /// What `make` makes when it is first asked for.
    pub(super) fn new(make: impl FnOnce() -> T + Send + 'static) -> Self {
        Self(Arc::new(Lazy::new(Box::new(make))))
    }
}

impl<T: Send + 'static> From<T> for Later<T> {
    fn from(made: T) -> Self {
        Self::new(move || made)
    }
}

impl<T: Default + Send + 'static> Default for Later<T> {
    fn default() -> Self {
        Self::from(T::default())
    }
}

impl<T> Deref for Later<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

/// A way to fix a finding.
#[derive(Debug, Clone)]
pub struct Fix {
    /// What it does (default: made from the edits).
    pub title: Option<Template>,
    /// Whether it may be applied without review.
    pub applicability: Applicability,
    /// Condition for offering it.
    pub when: Option<Condition>,
    /// The mark of the comments that keep the words that the edits drop.
    pub keep: Option<String>,
    /// The name that its templates know as `pick`; the fix is left out when there is none.
    pub pick: Option<Pick>,
    /// The edits.
    pub edits: Vec<Edit>,
    /// Where it is written.
    pub origin: FixOrigin,
}

/// Where a fix is written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FixOrigin {
    /// Its position in the list `fixes` of the rule; nothing for the only one, `fix`.
    pub entry: Option<usize>,
    /// The position of its group among those of the pack, by name, and its own position in the group.
    pub group: Option<(usize, usize)>,
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
    /// Its column, counted from 1 in characters.
    pub column: Option<u32>,
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
    /// The files that its rules are for.
    pub(super) files: RuleFiles,
    /// The names that it gives its rules.
    pub vocabulary: Vocabulary,
    /// Fixes that several of its rules offer, by name, as they are written.
    pub fix_groups: Later<BTreeMap<String, Vec<RawFix>>>,
    /// Word that begins comments which turn its rules off and on.
    pub control_comments: Option<String>,
    /// What its rules take for the document where a file has several, unless they say it.
    pub documents: RawDocuments,
    /// The kinds that it defines itself.
    pub defines: Kinds,
    /// Files that define kinds and cannot be used.
    pub broken_kinds: Vec<BrokenKind>,
    /// Whether it is embedded in the program.
    pub builtin: bool,
}

/// A file of a pack that should define a kind, with what is wrong with it.
#[derive(Debug, Clone)]
pub struct BrokenKind {
    /// Path of the file, relative to the pack.
    pub file: String,
    /// The kind's name, which rules of the pack may use nevertheless.
    pub name: String,
    pub faults: Vec<Fault>,
}
