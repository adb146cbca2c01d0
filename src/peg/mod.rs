//! Parsing expression grammars in the notation of pest: one compiler and one runtime for all of them.
//!
//! A parsing expression grammar is a set of rules that are tried in order and never ambiguous.
//! [`compile()`] turns the text of a grammar into tables, a [`Grammar`], which reads text into a flat list
//! of [`Match`]es. The grammars that are part of Proofmark are compiled when it is built (`build.rs`
//! includes this folder), those of packs when the pack is loaded.
//!
//! Three things make the tables fast to run. What matches exactly one character becomes a set of
//! characters, however many rules it is spread over. Every step knows which bytes it may begin with, so
//! that alternatives which cannot fit are never tried. And a repetition knows the bytes that it surely
//! takes one by one. None of that changes what a grammar means: a test compares the matches with those of
//! pest's own interpreter.
//!
//! The folder depends on nothing but spans and the measure of nesting in `text`.

mod begin;
mod charset;
mod compile;
mod draft;
mod fault;
mod grammar;
mod link;
mod reading;
mod run;

pub use compile::{Options, compile, rule_names};
pub(crate) use fault::{Fault, Problem};
pub(crate) use grammar::Grammar;
pub(crate) use grammar::{CharSet, Form, Slice, Step, Symbols};
pub(crate) use reading::{Part, Reading};
pub(crate) use run::{Match, Stuck};

#[cfg(test)]
mod tests;
