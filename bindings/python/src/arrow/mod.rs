//! Columns of data frames, over the C interfaces of Arrow: strings are read where they are, results have one row
//! for each.

mod capsule;
mod check;
mod results;
mod strings;

pub(crate) use capsule::{Results, results as results_of, stream_of};
pub(crate) use check::{Columns, check};
pub(crate) use results::RESULT_VERSION;
