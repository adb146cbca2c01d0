//! Fixes: which edits are applied together, in rounds until nothing is left to do, and never so that a
//! document gets worse or loses what its author wrote.

mod choose;
mod guard;
mod hidden;
mod offer;
mod rounds;
mod trial;

pub use guard::Harm;
pub(crate) use rounds::ROUNDS;
pub use rounds::{Applied, Fixed, Fixer};
pub use trial::{Refusal, Trial};
