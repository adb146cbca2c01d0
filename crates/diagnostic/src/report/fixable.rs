use std::fmt::Write as _;

use crate::{Applicability, Diagnostic};

/// How many findings have a fix that a command applies.
#[derive(Debug, Clone, Copy, Default)]
pub struct Fixable {
    /// Findings with a safe fix.
    pub safe: usize,
    /// Findings whose best fix is unsafe.
    pub unsafe_only: usize,
}

impl Fixable {
    /// Adds findings; suppressed ones do not count.
    pub fn count(&mut self, diagnostics: &[Diagnostic]) {
        for diagnostic in diagnostics.iter().filter(|diagnostic| diagnostic.suppressed.is_none()) {
            match diagnostic.fixes.iter().map(|fix| fix.applicability).max() {
                Some(Applicability::Safe) => self.safe += 1,
                Some(Applicability::Unsafe) => self.unsafe_only += 1,
                Some(Applicability::Manual) | None => {}
            }
        }
    }

    /// How many `command` fixes, as a sentence without a period; nothing where there are none.
    pub fn sentence(self, command: &str) -> Option<String> {
        let Self { safe, unsafe_only } = self;
        let mut text = match (safe, unsafe_only) {
            (0, 0) => return None,
            (0, _) => return Some(format!("{unsafe_only} fixable with `{command} --unsafe`")),
            (safe, _) => format!("{safe} fixable with `{command}`"),
        };
        if unsafe_only > 0 {
            let _ = write!(text, ", {unsafe_only} more with `--unsafe`");
        }
        Some(text)
    }
}
