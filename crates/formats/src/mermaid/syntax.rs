//! What a grammar saw of a diagram.

use crate::peg;

/// The parts of a prepared text; those directly below the first one are the statements.
pub(super) type Syntax<'t> = peg::Reading<'static, 't>;

/// One part: what a rule of the grammar matched.
pub(super) type Part<'s> = peg::Part<'s, 'static>;
