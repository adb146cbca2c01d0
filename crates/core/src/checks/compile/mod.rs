//! From what rule files say to what runs: names are looked up, expressions parsed, and everything that
//! is wrong is collected with its place.

mod compiler;
mod fault;
mod field;
mod one_or_many;
mod vocabulary;

pub use compiler::PLACEHOLDERS;
pub use compiler::{Compiler, compile_path, compile_paths, part_of_path};
pub use fault::Fault;
pub use field::Field;
pub use one_or_many::OneOrMany;
pub use vocabulary::{FilePart, Symbol, Vocabulary};
