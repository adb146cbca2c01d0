//! The grammars of `grammars/mermaid`, one a type, as tables.
#![allow(clippy::unreadable_literal, reason = "the tables are generated")]

use crate::kinds::peg::{CharSet, Form, Grammar, Step, Symbols};

include!(concat!(env!("OUT_DIR"), "/mermaid_grammars.rs"));
