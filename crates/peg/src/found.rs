//! What reading gives.

use crate::text::Span;

/// What a rule matched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Match {
    /// Number of the rule, see [`super::Grammar::name`].
    pub rule: u16,
    /// The text that it takes.
    pub span: Span,
    /// Index after the last match inside it.
    pub next: u32,
}
