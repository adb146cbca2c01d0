use schemars::JsonSchema;
use serde::Serialize;

use super::{Diagnostic, Severity};

/// A finding in the form that clients of the quill tools expect.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct ClientDiagnostic {
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
pub(crate) struct ClientLocation {
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

impl ClientDiagnostic {
    /// As lines of text: location, severity, rule and message, then the hint.
    pub(crate) fn text(&self) -> String {
        let Self { severity, code, name, message, location, .. } = self;
        let hint = self.hint.as_ref().map(|hint| format!("  hint: {hint}\n")).unwrap_or_default();
        format!("{}:{} {severity} {code} {name}: {message}\n{hint}", location.line, location.column)
    }
}
