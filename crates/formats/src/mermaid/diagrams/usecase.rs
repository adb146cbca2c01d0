//! usecase-beta.

use crate::mermaid::{
    diagram::{Blocks, Findings},
    syntax::Syntax,
};

pub(super) fn check<'t>(syntax: &'t Syntax<'t>, findings: &mut Findings) {
    Blocks::new("err_missing_end", "err_surplus_end").check(syntax, &["boundary"], "end_statement", findings);
}
