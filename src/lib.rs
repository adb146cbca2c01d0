//! Proofmark validates structured documents and reports exactly what is wrong, where, why, and how to
//! fix it.
//!
//! A document travels one way: [`text`] (bytes to a [`text::Source`]) → [`syntax`] and [`kinds`] (a spanned value
//! [`tree`] with observations) → [`rules`] and [`engine`] (diagnostics) → [`diagnostic::report`] or
//! [`fix`]. A module imports only modules to its left; `ARCHITECTURE.md` has the picture and a test
//! holds the code to it.

pub mod checks;
pub mod diagnostic;
pub mod diagrams;
pub mod edits;
pub mod engine;
pub mod expressions;
pub mod files;
pub mod fix;
pub mod kinds;
pub mod peg;
pub mod project;
#[cfg(feature = "render")]
pub mod render;
pub mod rules;
pub mod schema;
#[cfg(feature = "mcp")]
pub mod service;
pub mod syntax;
pub mod text;
pub mod tree;
