use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    Apply, Change, EditKind, Site,
    wrap::lines_after,
    yaml::{after_colon, is_blank, is_flow, line_start},
};
use crate::{
    checks::{Compiler, Fault, Field},
    expressions::Place,
    text::Span,
    tree::Node,
};

/// Makes the values of a YAML mapping the items of a sequence, with their keys under a key of their own:
/// `{a: {…}}` becomes `[{id: a, …}]`. Values that have that key already keep it. With `within`, the values are
/// kept under another key: `{a: {…}}` becomes `[{id: a, properties: {…}}]`.
///
/// ```yaml
/// fix: {applicability: unsafe, itemize: self, as: id}
/// ```
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[allow(clippy::struct_field_names, reason = "the field has the name that rule files use")]
pub(super) struct Itemize {
    /// The mapping.
    #[schemars(extend("format" = "place", "x-fault" = {"format": "bad-place"}))]
    itemize: String,
    /// The key under which `itemize` keeps the keys.
    #[serde(rename = "as")]
    key: Option<String>,
    /// The key under which `itemize` keeps the values (default: their own keys are those of the items).
    within: Option<String>,
}

impl EditKind for Itemize {
    const NAME: &'static str = "itemize";
    const FIELDS: &'static [&'static str] = &["itemize", "as", "within"];

    fn compile(self, at: &Field<'_>, compiler: &mut Compiler<'_>) -> Option<Arc<dyn Apply>> {
        let Some(key) = self.key else {
            let detail = "`itemize` needs `as`, the key under which the items keep their keys";
            compiler.report(Fault::new("bad-fix", at).with("detail", detail));
            return None;
        };
        let mapping = compiler.place(&self.itemize, &at.key("itemize"))?;
        Some(Arc::new(Itemization { mapping, key, within: self.within }))
    }
}

#[derive(Debug)]
struct Itemization {
    mapping: Place,
    key: String,
    within: Option<String>,
}

impl Apply for Itemization {
    fn changes(&self, site: &Site<'_, '_>) -> Option<Vec<Change>> {
        let mapping = site.node(&self.mapping)?;
        match &self.within {
            Some(within) => itemize_within(mapping, &self.key, within),
            None => itemize(mapping, &self.key),
        }
    }

    fn title(&self) -> Option<String> {
        Some(format!("make it a list, with the keys as `{}`", self.key))
    }
}

fn itemize(node: Node<'_>, name: &str) -> Option<Vec<Change>> {
    let text = node.source().text();
    if !node.is_mapping() || is_flow(node) || node.is_empty() {
        return None;
    }
    let mut changes = Vec::new();
    for entry in node.entries() {
        let value = entry.value();
        let key = entry.key_span();
        let colon = after_colon(text, entry)?;
        let line = line_start(text, key.start as usize);
        let indent = text.get(line..key.start as usize).filter(|blank| is_blank(blank))?;
        if !value.is_mapping() || value.is_empty() {
            return None;
        }
        let named = value.entry(name).is_some();
        if is_flow(value) {
            let open = value.span().start as usize + 1;
            changes.push((Span::new(key.start as usize, colon), "-".into()));
            if !named {
                changes.push((Span::at(open), format!("{name}: {}, ", text.get(key.range())?)));
            }
            continue;
        }
        let first = value.entries().next()?.key_span().start as usize;
        let inner = text.get(line_start(text, first)..first).filter(|blank| is_blank(blank))?;
        let own = if named { String::new() } else { format!("{name}: {}\n{inner}", text.get(key.range())?) };
        if inner.len() == indent.len() + 2 {
            changes.push((Span::new(key.start as usize, first), format!("- {own}")));
        } else {
            changes.push((Span::new(key.start as usize, colon), "-".into()));
            changes.push((Span::at(first), own));
        }
    }
    Some(changes)
}

/// The values stay as they are, one level deeper.
fn itemize_within(node: Node<'_>, name: &str, within: &str) -> Option<Vec<Change>> {
    let text = node.source().text();
    if !node.is_mapping() || is_flow(node) || node.is_empty() {
        return None;
    }
    let mut changes = Vec::new();
    for entry in node.entries() {
        let key = entry.key_span();
        let colon = after_colon(text, entry)?;
        let line = line_start(text, key.start as usize);
        let indent = text.get(line..key.start as usize).filter(|blank| is_blank(blank))?;
        let value = entry.value();
        if !value.is_mapping() || value.is_empty() {
            return None;
        }
        let head = format!("- {name}: {}\n{indent}  {within}:", text.get(key.range())?);
        changes.push((Span::new(key.start as usize, colon), head));
        if !is_flow(value) {
            let lines = lines_after(text, colon, value.span().end as usize);
            changes.extend(lines.into_iter().map(|at| (Span::at(at), "  ".to_owned())));
        }
    }
    Some(changes)
}
