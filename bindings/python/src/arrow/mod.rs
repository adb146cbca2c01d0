//! Columns of data frames, over the C interfaces of Arrow: strings are read where they are, results have one row
//! for each.

mod capsule;
mod check;
mod results;
mod strings;

pub(crate) use capsule::{Results, stream_of};
pub(crate) use check::{Columns, check, ruleset};
pub(crate) use results::RESULT_VERSION;
