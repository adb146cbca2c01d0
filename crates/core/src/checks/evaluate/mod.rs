//! What checks and fixes evaluate against: a document with the names of a pack, and what they find.

mod bindings;
mod cel;
mod context;
mod finding;
mod follow;
mod heard;
mod lookup;
mod places;
mod recorder;
mod state;
mod symbols;
mod words;

pub use bindings::NodeBindings;
pub use context::{Context, differs_between_nodes};
pub use finding::Finding;
pub use follow::Held;
pub use heard::{Heard, Meaning, Name};
pub use lookup::{Lookup, values_of};
pub use recorder::{Recorder, Unmet};
pub use state::State;
pub use symbols::{Declaration, matched};
pub use words::Word;
