//! What is logged about refused requests: some of them, so that whoever guesses tokens does not fill the log.

use std::{
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

/// How often refusals for one reason are logged.
const INTERVAL: Duration = Duration::from_secs(1);

/// Why a request was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reason {
    /// It has no token, or a wrong one.
    Token,
    /// It comes from a page of another site.
    Origin,
    /// It is for another host.
    Host,
}

/// When refusals for a reason were logged last, and how many were not since.
#[derive(Debug)]
struct Seen {
    last: Option<Instant>,
    left_out: u64,
}

static SEEN: [Mutex<Seen>; 3] = [const { Mutex::new(Seen { last: None, left_out: 0 }) }; 3];

impl Reason {
    fn name(self) -> &'static str {
        match self {
            Self::Token => "token",
            Self::Origin => "origin",
            Self::Host => "host",
        }
    }

    /// Logs a refusal, unless one for the same reason was logged a moment ago.
    pub(super) fn log(self) {
        let mut seen = SEEN[self as usize].lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(left_out) = seen.next(Instant::now()) {
            drop(seen);
            tracing::warn!(reason = self.name(), left_out, "a request was refused");
        }
    }
}

impl Seen {
    /// Whether this refusal is logged: with how many were not since the last one.
    fn next(&mut self, now: Instant) -> Option<u64> {
        if self.last.is_some_and(|last| now.duration_since(last) < INTERVAL) {
            self.left_out += 1;
            return None;
        }
        self.last = Some(now);
        Some(std::mem::take(&mut self.left_out))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn some_refusals_are_logged_and_the_others_counted() {
        let mut seen = Seen { last: None, left_out: 0 };
        let start = Instant::now();
        let logged: Vec<_> = (0..25).map(|tenth| seen.next(start + INTERVAL / 10 * tenth)).collect();
        let expected = |tenth: usize| match tenth {
            0 => Some(0),
            10 | 20 => Some(9),
            _ => None,
        };
        assert_eq!(logged, (0..25).map(expected).collect::<Vec<_>>());
    }
}
