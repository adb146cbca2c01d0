use std::{fmt::Debug, sync::Arc};

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::DeserializeOwned;

use super::Site;
use crate::{
    checks::{Compiler, Field},
    expressions::{Place, Template},
    text::Span,
    tree::Node,
};

/// Bytes to replace, and the text that replaces them.
pub(super) type Change = (Span, String);

/// A kind of edit: the form that rule files have, which its doc comment explains to readers of the
/// reference and to editors.
pub(super) trait EditKind: DeserializeOwned + JsonSchema + Debug + Clone {
    /// Its name in rule files: the field that every edit of this kind has.
    const NAME: &'static str;
    /// The names of all fields of an edit of this kind.
    const FIELDS: &'static [&'static str];

    /// What runs; every fault is reported to the compiler. `at` is where the edit is written.
    fn compile(self, at: &Field<'_>, compiler: &mut Compiler<'_>) -> Option<Arc<dyn Apply>>;
}

/// A compiled edit.
pub(super) trait Apply: Debug + Send + Sync {
    /// The changes to the file of a finding; nothing where the document is not written so that the edit can
    /// be made. The fix is then not offered.
    fn changes(&self, site: &Site<'_, '_>) -> Option<Vec<Change>>;

    /// The template of the text that it inserts, if it inserts one.
    fn text(&self) -> Option<&Template> {
        None
    }

    /// What a fix with only this edit does, where the changed text says it less well.
    fn title(&self) -> Option<String> {
        None
    }
}

/// A compiled edit that needs nothing but the node at a place.
#[derive(Debug)]
pub(super) struct NodeEdit {
    place: Place,
    changes: fn(Node<'_>) -> Option<Vec<Change>>,
    title: Option<&'static str>,
}

impl NodeEdit {
    /// The edit of the node at a place that is written at `at`.
    pub(super) fn compile(
        place: &str,
        at: &Field<'_>,
        compiler: &mut Compiler<'_>,
        changes: fn(Node<'_>) -> Option<Vec<Change>>,
        title: Option<&'static str>,
    ) -> Option<Arc<dyn Apply>> {
        Some(Arc::new(Self { place: compiler.place(place, at)?, changes, title }))
    }
}

impl Apply for NodeEdit {
    fn changes(&self, site: &Site<'_, '_>) -> Option<Vec<Change>> {
        (self.changes)(site.node(&self.place)?)
    }

    fn title(&self) -> Option<String> {
        self.title.map(str::to_owned)
    }
}

/// What the reference says of a kind of edit.
#[derive(Debug)]
pub struct EditInfo {
    /// Its name in rule files.
    pub name: &'static str,
    /// Its fields.
    pub fields: &'static [&'static str],
    /// Schema of its form in rule files.
    pub schema: fn(&mut SchemaGenerator) -> Schema,
}

impl EditInfo {
    pub(super) const fn of<K: EditKind>() -> Self {
        Self { name: K::NAME, fields: K::FIELDS, schema: K::json_schema }
    }
}

/// An edit of a fix.
#[derive(Debug, Clone)]
pub struct Edit {
    apply: Arc<dyn Apply>,
}

impl Edit {
    pub(super) fn new(apply: Arc<dyn Apply>) -> Self {
        Self { apply }
    }

    /// The template of the text that it inserts, if it inserts one.
    pub fn text(&self) -> Option<&Template> {
        self.apply.text()
    }

    /// The changes to the file of a finding; nothing where they cannot be made.
    pub fn changes(&self, site: &Site<'_, '_>) -> Option<Vec<Change>> {
        self.apply.changes(site)
    }

    /// What a fix with only this edit does, where the changed text says it less well.
    pub fn title(&self) -> Option<String> {
        self.apply.title()
    }
}
