//! The grammars of `grammars/mermaid`, one a type, as tables.
#![allow(clippy::unreadable_literal, reason = "the tables are generated")]

use crate::syntax::peg::{CharSet, Form, Grammar, Step, Symbols};

include!(concat!(env!("OUT_DIR"), "/mermaid_grammars.rs"));
