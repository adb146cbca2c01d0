use std::time::Duration;

/// Limits on calls. An answer that a limit truncates or refuses names the limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Maximum size of the document of a call, in bytes.
    pub text_bytes: usize,
    /// Maximum number of diagnostics in one answer; a cursor leads to the rest.
    pub diagnostics: usize,
    /// Maximum size of the diagnostics of one answer as JSON, in bytes.
    pub answer_bytes: usize,
    /// Maximum number of calls that run at a time.
    pub concurrency: usize,
    /// Maximum number of calls that wait for a slot.
    pub waiting: usize,
    /// Maximum time a call may take, including waiting.
    pub deadline: Duration,
    /// Maximum number of results kept for comparison with later ones.
    pub results: usize,
    /// Maximum size of an HTTP request body, in bytes.
    pub body_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            text_bytes: 1024 * 1024,
            diagnostics: 50,
            answer_bytes: 24 * 1024,
            concurrency: 8,
            waiting: 256,
            deadline: Duration::from_secs(10),
            results: 256,
            body_bytes: 4 * 1024 * 1024,
        }
    }
}
