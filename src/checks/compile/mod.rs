//! From what rule files say to what runs: names are looked up, expressions parsed, and everything that
//! is wrong is collected with its place.

mod compiler;
mod fault;
mod field;
mod one_or_many;
mod vocabulary;

pub(crate) use compiler::PLACEHOLDERS;
pub(crate) use compiler::{Compiler, compile_path, compile_paths};
pub(crate) use fault::Fault;
pub(crate) use field::Field;
pub(crate) use one_or_many::OneOrMany;
pub(crate) use vocabulary::{Symbol, Vocabulary};
