use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;

use super::{Apply, Change, EditKind, Site, add::add_after, remove::remove, yaml::after_colon};
use crate::{
    checks::{Compiler, Field},
    expressions::Place,
    text::Span,
    tree::Node,
};

/// Moves an entry of a YAML mapping into the mapping at another key beside it, which is made where it is
/// missing: `{temperature: 1}` becomes `{inference_params: {temperature: 1}}`.
///
/// ```yaml
/// fix: {applicability: unsafe, move: self, into: inference_params}
/// ```
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Move {
    /// The entry to move. It is on one line.
    #[schemars(extend("format" = "place", "x-fault" = {"format": "bad-place"}))]
    r#move: String,
    /// The key of the mapping to move it into.
    into: String,
}

impl EditKind for Move {
    const NAME: &'static str = "move";
    const FIELDS: &'static [&'static str] = &["move", "into"];

    fn compile(self, at: &Field<'_>, compiler: &mut Compiler<'_>) -> Option<Arc<dyn Apply>> {
        let entry = compiler.place(&self.r#move, &at.key("move"))?;
        Some(Arc::new(Relocation { entry, key: self.into }))
    }
}

#[derive(Debug)]
struct Relocation {
    entry: Place,
    key: String,
}

impl Apply for Relocation {
    fn changes(&self, site: &Site<'_, '_>) -> Option<Vec<Change>> {
        relocate(site.node(&self.entry)?, &self.key)
    }

    fn title(&self) -> Option<String> {
        Some(format!("move it into `{}`", self.key))
    }
}

fn relocate(node: Node<'_>, key: &str) -> Option<Vec<Change>> {
    let (entry, parent) = (node.own_entry()?, node.parent()?);
    let text = node.source().text();
    let entry = entry.key_span().cover(node.span()).of(text);
    if entry.contains('\n') {
        return None;
    }
    let added = match parent.entry(key).map(|target| (target, target.value())) {
        None => add_after(parent, &format!("{key}: {{{entry}}}"), Some(node))?,
        Some((target, value)) if value.is_null() => {
            let colon = after_colon(text, target)?;
            let end = (value.span().end as usize).max(colon);
            vec![(Span::new(colon, end), format!(" {{{entry}}}"))]
        }
        Some((_, value)) if value.is_mapping() => add_after(value, entry, None)?,
        Some(_) => return None,
    };
    let mut changes = remove(node)?;
    changes.extend(added);
    Some(changes)
}
