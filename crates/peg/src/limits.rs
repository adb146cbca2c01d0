//! What reading text may take.

/// Effort that reading may take for every byte, on top of a fixed amount: many times what the worst
/// real documents need. A sequence, a call of the machine, and eight characters of a repetition are one each.
pub(super) const EFFORT_PER_BYTE: usize = 200;
pub(super) const EFFORT_AT_LEAST: usize = 1_000_000;

/// How deep sequences, choices and rules may be nested.
pub(super) const DEPTH: u32 = 3_000;
