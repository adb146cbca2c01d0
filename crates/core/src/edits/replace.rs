use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;

use super::{Apply, Change, EditKind, Site};
use crate::{
    checks::{Compiler, Field},
    expressions::{Place, Template},
};

/// Replaces the text of a place.
///
/// ```yaml
/// fix: {applicability: safe, replace: '{{ nearest }}'}
/// ```
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Replace {
    /// The new text (a template).
    #[schemars(extend("format" = "template", "x-fault" = {"format": "bad-template"}))]
    replace: String,
    /// The place whose text `replace` replaces (default: `self`).
    #[schemars(extend("format" = "place", "x-fault" = {"format": "bad-place"}))]
    at: Option<String>,
}

impl EditKind for Replace {
    const NAME: &'static str = "replace";
    const FIELDS: &'static [&'static str] = &["replace", "at"];

    fn compile(self, at: &Field<'_>, compiler: &mut Compiler<'_>) -> Option<Arc<dyn Apply>> {
        let text = compiler.template(&self.replace, &at.key("replace"));
        let place = compiler.place(self.at.as_deref().unwrap_or("self"), &at.key("at"))?;
        Some(Arc::new(Replacement { place, text }))
    }
}

#[derive(Debug)]
struct Replacement {
    place: Place,
    text: Template,
}

impl Apply for Replacement {
    fn changes(&self, site: &Site<'_, '_>) -> Option<Vec<Change>> {
        let text = site.render(&self.text)?;
        site.everywhere(&self.place, |span| (span, text.clone()))
    }

    fn text(&self) -> Option<&Template> {
        Some(&self.text)
    }
}
