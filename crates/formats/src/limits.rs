use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::budget::{self, Budget};

/// Bounds on what is read, each with a diagnostic that names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Limits {
    /// Largest text in bytes.
    pub text_bytes: usize,
    /// Largest metadata block in bytes.
    pub block_bytes: usize,
    /// Deepest nesting of YAML collections, the topmost included.
    pub yaml_depth: usize,
    /// Most nodes that aliases may add to a document.
    pub alias_nodes: usize,
    /// Largest diagram in bytes.
    pub diagram_bytes: usize,
    /// Longest line in bytes that is not reported.
    pub line_bytes: usize,
    /// Most diagnostics for one document.
    pub diagnostics: usize,
    /// Most steps of work for one document; a step is about as much as looking at one node. A document of less than
    /// 20 MiB may use the share that belongs to its size, and at least a tenth.
    pub steps: u64,
    /// Most bytes that are read and made for one document besides its text: its tree, files that it includes, values of
    /// variables, text of templates, errors. A document of less than 5 MiB may use the share that belongs to its size, and
    /// at least half.
    pub extra_bytes: u64,
}

/// Errors of one name that are described beyond those that can be shown, since some of them are folded into others or
/// suppressed.
const HIDDEN: u64 = 1_000;

impl Limits {
    /// What one validation may use.
    #[doc(hidden)]
    pub fn budget(&self) -> Budget {
        let described = Some(self.diagnostics as u64 + HIDDEN);
        Budget { steps: Some(self.steps), bytes: Some(self.extra_bytes), described, ..Budget::default() }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            text_bytes: 10 * 1024 * 1024,
            block_bytes: 1024 * 1024,
            yaml_depth: 64,
            alias_nodes: 100_000,
            diagram_bytes: 256 * 1024,
            line_bytes: 20_000,
            diagnostics: 10_000,
            steps: budget::STEPS,
            extra_bytes: budget::BYTES,
        }
    }
}
