use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;

use super::{Apply, Change, EditKind, Site};
use crate::{
    checks::{Compiler, Fault, Field},
    expressions::{Place, Template},
    text::Span,
};

/// Inserts text before or after a place.
///
/// ```yaml
/// fix: {applicability: safe, insert: ' ', before: self}
/// ```
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[expect(clippy::struct_field_names, reason = "the field has the name that rule files use")]
pub(super) struct Insert {
    /// The text (a template).
    #[schemars(extend("format" = "template", "x-fault" = {"format": "bad-template"}))]
    insert: String,
    /// The place that `insert` inserts before.
    #[schemars(extend("format" = "place", "x-fault" = {"format": "bad-place"}))]
    before: Option<String>,
    /// The place that `insert` inserts after.
    #[schemars(extend("format" = "place", "x-fault" = {"format": "bad-place"}))]
    after: Option<String>,
}

impl EditKind for Insert {
    const NAME: &'static str = "insert";
    const FIELDS: &'static [&'static str] = &["insert", "before", "after"];

    fn compile(self, at: &Field<'_>, compiler: &mut Compiler<'_>) -> Option<Arc<dyn Apply>> {
        let (place, field) = match (&self.before, &self.after) {
            (Some(place), None) => (place, "before"),
            (None, Some(place)) => (place, "after"),
            _ => {
                let detail = "`insert` needs either `before` or `after`";
                compiler.report(Fault::new("bad-fix", at).with("detail", detail));
                return None;
            }
        };
        let text = compiler.template(&self.insert, &at.key("insert"));
        let place = compiler.place(place, &at.key(field))?;
        Some(Arc::new(Insertion { place, before: self.before.is_some(), text }))
    }
}

#[derive(Debug)]
struct Insertion {
    place: Place,
    /// Whether it goes before the place.
    before: bool,
    text: Template,
}

impl Apply for Insertion {
    fn changes(&self, site: &Site<'_, '_>) -> Option<Vec<Change>> {
        let text = site.render(&self.text)?;
        let offset = |span: Span| if self.before { span.start } else { span.end };
        site.everywhere(&self.place, |span| (Span::at(offset(span) as usize), text.clone()))
    }

    fn text(&self) -> Option<&Template> {
        Some(&self.text)
    }
}
