use schemars::JsonSchema;
use serde::Serialize;

use super::{Diagnostic, Severity};

/// A finding in the form that clients of the quill tools expect.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ClientDiagnostic {
    /// `ERROR`, `WARNING` or `NOTE`.
    pub severity: &'static str,
    /// What is wrong.
    pub message: String,
    /// Id of the rule.
    pub code: String,
    /// Name of the rule.
    pub name: String,
    /// Where it is in the document.
    pub location: ClientLocation,
    /// What to do.
    #[schemars(extend("x-nullable" = true))]
    pub hint: Option<String>,
    /// Key of the finding, for `apply_patch`.
    pub fingerprint: String,
}

/// A position in the document.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ClientLocation {
    /// Name of the document.
    pub file: String,
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1.
    pub column: u32,
}

impl From<&Diagnostic> for ClientDiagnostic {
    fn from(diagnostic: &Diagnostic) -> Self {
        let location = &diagnostic.location;
        Self {
            severity: match diagnostic.severity {
                Severity::Error => "ERROR",
                Severity::Warning => "WARNING",
                Severity::Note => "NOTE",
            },
            message: diagnostic.message.clone(),
            code: diagnostic.id.clone(),
            name: diagnostic.name.clone(),
            location: ClientLocation {
                file: location.file.clone(),
                line: location.line,
                column: location.column,
            },
            hint: diagnostic.fix_hint.clone(),
            fingerprint: diagnostic.fingerprint.clone(),
        }
    }
}

/// As many findings as one answer holds: those of the highest severity where they are not all.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct ClientFindings {
    /// Findings.
    pub diagnostics: Vec<ClientDiagnostic>,
    /// Number of further findings, which `validate` lists.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub further: Option<usize>,
}

impl ClientFindings {
    /// Some findings: at most a number of them, and of bytes as JSON.
    pub fn of(mut found: Vec<ClientDiagnostic>, (most, bytes): (usize, usize)) -> Self {
        let total = found.len();
        let fit = |found: &[ClientDiagnostic]| {
            let mut left = bytes;
            let fits = |one: &&ClientDiagnostic| {
                let size = serde_json::to_vec(one).map_or(0, |json| json.len());
                let rest = left.checked_sub(size);
                left = rest.unwrap_or(0);
                rest.is_some()
            };
            // One is shown in any case.
            found.iter().take(most).take_while(fits).count().max(1).min(found.len())
        };
        if fit(&found) < total {
            found.sort_by_key(|one| (one.severity != "ERROR", one.severity != "WARNING"));
            found.truncate(fit(&found));
        }
        let further = total - found.len();
        Self { diagnostics: found, further: (further > 0).then_some(further) }
    }

    /// The findings as lines of text.
    pub fn text(&self) -> String {
        let mut text: String = self.diagnostics.iter().map(ClientDiagnostic::text).collect();
        text += &Self::rest(self.further);
        text
    }

    /// Says that there are further findings.
    pub fn rest(further: Option<usize>) -> String {
        further
            .map(|further| format!("and {further} more: `validate` lists all findings\n"))
            .unwrap_or_default()
    }
}

impl ClientDiagnostic {
    /// The finding as lines of text: location, severity, rule and message, then the hint.
    pub fn text(&self) -> String {
        let Self { severity, code, name, message, location, .. } = self;
        let hint = self.hint.as_ref().map(|hint| format!("  hint: {hint}\n")).unwrap_or_default();
        format!("{}:{} {severity} {code} {name}: {message}\n{hint}", location.line, location.column)
    }
}
