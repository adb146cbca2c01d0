use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    Apply, Change, EditKind, Site,
    literal::{self, Literal},
};
use crate::{
    checks::{Compiler, Field},
    expressions::{Place, Template},
    tree::Scalar,
};

/// Replaces the text of a place. A string of a JSON, TOML or YAML document that a placeholder replaces keeps its quotes, as with
/// `value`.
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

impl Replacement {
    /// The new text as a string, where it replaces a string in data and comes from a placeholder: an author who writes `{{ nearest }}`
    /// means a string. What is quoted already stays as it is.
    fn value(&self, site: &Site<'_, '_>, text: &str) -> Option<String> {
        let language = literal::language_of_data(site.state.document)?;
        let is_filled_in = self.text.source().contains("{{");
        if !is_filled_in || site.finding.observation.is_some() || text.starts_with(['"', '\'']) {
            return None;
        }
        let node = site.node(&self.place)?;
        let spans = site.texts(&self.place);
        let is_whole = matches!(spans.as_slice(), [(span, _)] if *span == node.span());
        let is_string = matches!(node.scalar(), Some(Scalar::Text(_) | Scalar::Slice));
        if is_whole && is_string { literal::written(Literal::Text(text), node, language) } else { None }
    }
}

impl Apply for Replacement {
    fn changes(&self, site: &Site<'_, '_>) -> Option<Vec<Change>> {
        let text = site.render(&self.text)?;
        let text = self.value(site, &text).unwrap_or(text);
        site.everywhere(&self.place, |span| (span, text.clone()))
    }

    fn text(&self) -> Option<&Template> {
        Some(&self.text)
    }
}
