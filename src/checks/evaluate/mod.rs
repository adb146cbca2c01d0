//! What checks and fixes evaluate against: a document with the names of a pack, and what they find.

mod bindings;
mod cel;
mod context;
mod finding;
mod follow;
mod places;
mod recorder;
mod state;
mod symbols;

pub(crate) use bindings::NodeBindings;
pub(crate) use context::Context;
pub(crate) use finding::Finding;
pub(crate) use follow::Name;
pub(crate) use recorder::Recorder;
pub(crate) use state::State;
pub(crate) use symbols::Declaration;
