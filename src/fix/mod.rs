//! Mending: which edits are applied together, in rounds until nothing is left to do, and never so
//! that a text gets worse.

mod choose;
mod guard;
mod rounds;
mod trial;

pub use choose::{Chosen, choose};
pub use rounds::{Applied, Fixer, Mended, ROUNDS};
pub use trial::{Refusal, Trial};
