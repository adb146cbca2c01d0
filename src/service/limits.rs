use std::time::Duration;

/// Bounds on calls. Every answer that a bound has cut or refused names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Largest text of a call, in bytes.
    pub text_bytes: usize,
    /// Most diagnostics in one answer; the rest is behind a cursor.
    pub diagnostics: usize,
    /// Most bytes that the diagnostics of one answer take as JSON.
    pub answer_bytes: usize,
    /// Most calls at work at a time.
    pub concurrency: usize,
    /// Most calls that wait for a place.
    pub waiting: usize,
    /// Longest time a call may take, waiting included.
    pub deadline: Duration,
    /// Most results kept for comparison with later ones.
    pub results: usize,
    /// Largest HTTP request body, in bytes.
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
