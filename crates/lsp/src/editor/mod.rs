//! Pure functions from a snapshot of a document to an answer, one file per question.

mod actions;
mod check;
mod completion;
mod diagnostics;
mod fixes;
mod folding;
mod hints;
mod hover;
mod lens;
mod links;
mod names;
mod outline;
mod page;
mod reading;
mod rename;
mod selected;
mod snapshot;
mod suppress;
mod tokens;
mod words;

pub(crate) use actions::{EXPLAIN, FIX_ALL, actions, resolve};
pub(crate) use completion::completions;
pub(crate) use folding::{folds, selections};
pub(crate) use hints::hints;
pub(crate) use hover::hover;
pub(crate) use lens::lenses;
pub(crate) use links::links;
pub(crate) use names::{definition, highlights, references};
pub(crate) use outline::symbols;
pub(crate) use page::rule_page;
pub(crate) use reading::Reading;
pub(crate) use rename::{renamable, rename};
pub(crate) use snapshot::{Checked, Client, Snapshot};
pub(crate) use tokens::{MODIFIERS, TYPES, tokens};
