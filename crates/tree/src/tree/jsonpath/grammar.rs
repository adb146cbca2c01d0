//! The grammar of JSONPath, as tables.
#![allow(clippy::unreadable_literal, reason = "the tables are generated")]

use std::borrow::Cow::Borrowed;

use crate::peg::{CharSet, Form, Grammar, Op, Program, Slice, Step, Symbols};

include!(concat!(env!("OUT_DIR"), "/jsonpath_grammar.rs"));
