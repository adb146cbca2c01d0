//! The grammars of `grammars/mermaid`, one a type, as tables.
#![allow(clippy::unreadable_literal, reason = "the tables are generated")]

use std::borrow::Cow::Borrowed;

use crate::peg::{CharSet, Form, Grammar, Slice, Step, Symbols};

include!(concat!(env!("OUT_DIR"), "/mermaid_grammars.rs"));
