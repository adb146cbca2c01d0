//! The diagram types of `grammars/mermaid`, as tables: their grammars, error productions and descriptions.
#![allow(clippy::unreadable_literal, reason = "the tables are generated")]

use std::borrow::Cow::Borrowed;

use super::{
    diagram::Diagram,
    headers::{Ends, Header},
};
use crate::{
    Observable,
    peg::{CharSet, Form, Grammar, Op, Program, Slice, Step, Symbols},
    syntax::mapping::{Field, Items, Mapping, NameRule, Scalar, Source},
};

include!(concat!(env!("OUT_DIR"), "/mermaid_grammars.rs"));
