//! Parsing expression grammars in the notation of pest: one compiler and one runtime for all of them.
//!
//! A parsing expression grammar is a set of rules that are tried in order and never ambiguous.
//! [`compile()`] turns the text of a grammar into tables, a [`Grammar`], which reads text into a flat list
//! of [`Match`]es. The grammars that are part of Proofmark are compiled when it is built, those
//! of packs when the pack is loaded. [`mapping`] describes the trees that matches become.
//!
//! Three things make the tables fast to run. What matches exactly one character becomes a set of
//! characters, however many rules it is spread over. Every step knows which bytes it may begin with, so
//! that alternatives which cannot fit are never tried. And a repetition knows the bytes that it surely
//! takes one by one. None of that changes what a grammar means: a test compares the matches with those of
//! pest's own interpreter.
//!
//! Build scripts use this crate, so it depends on little.

#![allow(
    missing_docs,
    reason = "other crates of the workspace use this one; what programs may use is exported and documented by `proofmark`"
)]
#![warn(clippy::disallowed_types)]
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

// What this crate builds on, by the names that its modules use.
use proofmark_base::{budget, text};

mod again;
mod assemble;
mod begin;
mod charset;
mod compile;
mod draft;
mod fault;
mod found;
mod grammar;
mod limits;
mod link;
mod machine;
pub mod mapping;
mod program;
mod reading;
mod run;

pub use compile::{Options, compile, rule_names};
pub use fault::{Fault, Problem};
pub use found::Match;
pub use grammar::Grammar;
pub use grammar::{CharSet, Form, Slice, Step, Symbols};
pub use program::{Op, Program};
pub use reading::{Part, Reading, RuleId};
pub use run::{Ahead, Continuation, Stuck, Trials};

#[cfg(test)]
mod tests;
