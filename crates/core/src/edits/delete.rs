use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;

use super::{Apply, Change, EditKind, Site};
use crate::{
    checks::{Compiler, Field},
    expressions::Place,
};

/// Deletes the text of a place. An empty last line is deleted with the end of the line before it.
///
/// ```yaml
/// fix: {applicability: safe, delete: self}
/// ```
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Delete {
    /// The place whose text is deleted.
    #[schemars(extend("format" = "place", "x-fault" = {"format": "bad-place"}))]
    delete: String,
}

impl EditKind for Delete {
    const NAME: &'static str = "delete";
    const FIELDS: &'static [&'static str] = &["delete"];

    fn compile(self, at: &Field<'_>, compiler: &mut Compiler<'_>) -> Option<Arc<dyn Apply>> {
        Some(Arc::new(Deletion(compiler.place(&self.delete, &at.key("delete"))?)))
    }
}

#[derive(Debug)]
struct Deletion(Place);

impl Apply for Deletion {
    fn changes(&self, site: &Site<'_, '_>) -> Option<Vec<Change>> {
        site.everywhere(&self.0, |span| (site.or_line_end_before(span), String::new()))
    }
}
