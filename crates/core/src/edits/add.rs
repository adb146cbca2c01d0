use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    Apply, Change, EditKind, Site,
    wrap::wrap,
    yaml::{after_colon, dash, is_blank, is_flow, line_end, line_start},
};
use crate::{
    checks::{Compiler, Field},
    expressions::{Place, Template},
    text::Span,
    tree::{Entry, Node},
};

/// Adds an entry to a YAML mapping, after the short ones at its start, or an item at the end of a sequence.
///
/// ```yaml
/// fix: {applicability: unsafe, add: 'id: app', to: root}
/// ```
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[expect(clippy::struct_field_names, reason = "the field has the name that rule files use")]
pub(super) struct Add {
    /// The entry or item (a template).
    #[schemars(extend("format" = "template", "x-fault" = {"format": "bad-template"}))]
    add: String,
    /// The mapping or sequence to add to (default: `self`).
    #[schemars(extend("format" = "place", "x-fault" = {"format": "bad-place"}))]
    to: Option<String>,
    /// The key of the sequence in `to` that the item is added to. A scalar there becomes its first item; a
    /// sequence that is missing is made.
    under: Option<String>,
}

impl EditKind for Add {
    const NAME: &'static str = "add";
    const FIELDS: &'static [&'static str] = &["add", "to", "under"];

    fn compile(self, at: &Field<'_>, compiler: &mut Compiler<'_>) -> Option<Arc<dyn Apply>> {
        let text = compiler.template(&self.add, &at.key("add"));
        let to = compiler.place(self.to.as_deref().unwrap_or("self"), &at.key("to"))?;
        Some(Arc::new(Addition { text, to, under: self.under }))
    }
}

#[derive(Debug)]
struct Addition {
    text: Template,
    to: Place,
    under: Option<String>,
}

impl Apply for Addition {
    fn changes(&self, site: &Site<'_, '_>) -> Option<Vec<Change>> {
        let (to, text) = (site.node(&self.to)?, site.render(&self.text)?);
        match &self.under {
            Some(key) => add_under(to, key, &text),
            None => add(to, &text),
        }
    }

    fn text(&self) -> Option<&Template> {
        Some(&self.text)
    }
}

fn add(to: Node<'_>, added: &str) -> Option<Vec<Change>> {
    add_after(to, added, None)
}

/// Adds an entry or an item; an entry not after the one of the node `except`.
pub(super) fn add_after(to: Node<'_>, added: &str, except: Option<Node<'_>>) -> Option<Vec<Change>> {
    let text = to.source().text();
    if is_flow(to) {
        return Some(flow_add(to, added));
    }
    if to.is_sequence() {
        let (first, last) = (to.items().next()?, to.items().next_back()?);
        let dash = dash(text, first)?;
        let line = line_start(text, dash);
        let indent = text.get(line..dash).filter(|blank| is_blank(blank))?;
        let end = last.span().end as usize;
        if text[..end].ends_with('\n') {
            return Some(vec![(Span::at(dash), format!("- {added}\n{indent}"))]);
        }
        return Some(vec![(Span::at(line_end(text, end)), format!("\n{indent}- {added}"))]);
    }
    let first = to.entries().next()?;
    let key = first.key_span().start as usize;
    after_colon(text, first)?;
    let line = line_start(text, key);
    let indent: String = text[line..key].chars().map(|c| if c == '\t' { '\t' } else { ' ' }).collect();
    let short = |entry: &Entry<'_>| {
        let value = entry.value();
        value.scalar().is_some() && !text[entry.key_span().range()].is_empty() && {
            let end = (value.span().end as usize).max(entry.key_span().end as usize);
            !text[entry.key_span().start as usize..end].contains('\n')
        }
    };
    let except = except.map(Node::id);
    let is_other = |entry: &Entry<'_>| Some(entry.value().id()) != except;
    match to.entries().take_while(short).filter(is_other).last() {
        Some(last) => {
            let end = (last.value().span().end).max(last.key_span().end) as usize;
            Some(vec![(Span::at(line_end(text, end)), format!("\n{indent}{added}"))])
        }
        None => Some(vec![(Span::at(key), format!("{added}\n{indent}"))]),
    }
}

/// Adds an item to the sequence at a key of a mapping, which becomes one where it is a scalar and is
/// made where it is missing.
fn add_under(mapping: Node<'_>, key: &str, item: &str) -> Option<Vec<Change>> {
    let text = mapping.source().text();
    let Some(entry) = mapping.entry(key) else {
        return mapping.is_mapping().then(|| add(mapping, &format!("{key}: [{item}]")))?;
    };
    let value = entry.value();
    if value.is_null() {
        let colon = after_colon(text, entry)?;
        let end = (value.span().end as usize).max(colon);
        return Some(vec![(Span::new(colon, end), format!(" [{item}]"))]);
    }
    if value.is_sequence() {
        return add(value, item);
    }
    let mut changes = wrap(value)?;
    let close = changes.last_mut()?;
    close.1 = format!(", {item}]");
    value.scalar().is_some().then_some(changes)
}

fn flow_add(to: Node<'_>, added: &str) -> Vec<Change> {
    let last = to.children().last();
    match last {
        Some(last) => vec![(Span::at(last.span().end as usize), format!(", {added}"))],
        None => vec![(Span::at(to.span().start as usize + 1), added.to_owned())],
    }
}
