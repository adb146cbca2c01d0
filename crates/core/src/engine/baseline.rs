use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::diagnostic::Diagnostic;

/// Findings that are known and left out of the verdict, by fingerprint.
#[derive(Debug, Clone, Default, Serialize, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Baseline {
    /// Version of the format: `1`.
    pub version: u32,
    /// By fingerprint: what a reviewer wants to see of the finding.
    pub findings: BTreeMap<String, Known>,
}

/// A known finding.
#[derive(Debug, Clone, Default, Serialize, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Known {
    /// The rule.
    pub id: String,
    /// The file.
    pub file: String,
    /// The message.
    pub message: String,
}

/// Why a baseline cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BaselineError {
    /// It is not the JSON of a baseline.
    #[error("not a baseline: {0}; write one with `--write-baseline`")]
    Format(String),
    /// It is of a later version.
    #[error("the baseline has version {0}, this program reads version 1")]
    Version(u32),
}

/// Why a known finding is suppressed.
const REASON: &str = "in the baseline";

impl Baseline {
    /// A baseline of all these findings.
    pub fn of<'d>(diagnostics: impl IntoIterator<Item = &'d Diagnostic>) -> Self {
        let open = diagnostics.into_iter().filter(|diagnostic| diagnostic.suppressed.is_none());
        let findings = open.map(|diagnostic| {
            let known = Known {
                id: diagnostic.id.clone(),
                file: diagnostic.location.file.clone(),
                message: diagnostic.message.clone(),
            };
            (diagnostic.fingerprint.clone(), known)
        });
        Self { version: 1, findings: findings.collect() }
    }

    /// Reads a baseline.
    ///
    /// # Errors
    /// [`BaselineError`] when the text is not a baseline.
    pub fn parse(text: &str) -> Result<Self, BaselineError> {
        let read = serde_json::from_str(text);
        let baseline: Self = read.map_err(|error| BaselineError::Format(error.to_string()))?;
        if baseline.version == 1 { Ok(baseline) } else { Err(BaselineError::Version(baseline.version)) }
    }

    /// The findings that are still known: without those that a run looked for and did not find again.
    #[must_use]
    pub fn pruned(&self, found: &BTreeSet<String>, was_looked_for: &dyn Fn(&Known) -> bool) -> Self {
        let keeps =
            |(fingerprint, known): &(&String, &Known)| found.contains(*fingerprint) || !was_looked_for(known);
        let kept = self.findings.iter().filter(keeps);
        Self { version: 1, findings: kept.map(|(key, known)| (key.clone(), known.clone())).collect() }
    }

    /// The baseline as JSON, one finding a few lines, in a stable order.
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }

    /// Takes back the marks of [`Self::apply`].
    pub fn lift(&self, diagnostics: &mut [Diagnostic]) {
        for diagnostic in diagnostics {
            diagnostic.suppressed.take_if(|reason| reason == REASON);
        }
    }

    /// Marks the findings that are known.
    pub fn apply(&self, diagnostics: &mut [Diagnostic]) {
        for diagnostic in diagnostics {
            if diagnostic.suppressed.is_none() && self.findings.contains_key(&diagnostic.fingerprint) {
                diagnostic.suppressed = Some(REASON.to_owned());
            }
        }
    }
}
