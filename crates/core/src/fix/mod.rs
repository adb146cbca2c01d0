//! Fixes: which edits are applied together, in rounds until nothing is left to do, and never so that a
//! document gets worse or loses what its author wrote.

mod choose;
mod fixer;
mod group;
mod guard;
mod hidden;
mod known;
mod lines;
mod offer;
mod removal;
mod rounds;
mod trial;
mod waiting;

pub use fixer::Fixer;
pub use guard::Harm;
pub use rounds::ROUNDS;
pub use rounds::{Applied, Fixed};
pub use trial::{Refusal, Trial};
