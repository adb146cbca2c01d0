//! What the service has done, for Prometheus: the text format, version 0.0.4.
//!
//! Labels have few values: tools, rules and formats are those of this program and its packs, whatever clients send.

use std::{
    collections::BTreeMap,
    fmt::Write as _,
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use crate::diagnostic::Diagnostic;

/// The MIME type of the format.
pub(super) const MIME: &str = "text/plain; version=0.0.4; charset=utf-8";

/// Upper bounds of durations in seconds.
const BUCKETS: [f64; 13] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0];

/// Most rules that are counted under their own ids; others are counted together.
const MOST_RULES: usize = 5_000;

/// How a call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Ending {
    Answered,
    /// The call cannot be answered as it was made.
    Refused,
    /// There was no time or memory for it, or it stopped unexpectedly.
    Failed,
}

impl Ending {
    fn name(self) -> &'static str {
        match self {
            Self::Answered => "answered",
            Self::Refused => "refused",
            Self::Failed => "failed",
        }
    }
}

/// Durations by their size.
#[derive(Debug, Default)]
struct Histogram {
    buckets: [u64; BUCKETS.len()],
    count: u64,
    sum: Duration,
}

impl Histogram {
    fn add(&mut self, duration: Duration) {
        let seconds = duration.as_secs_f64();
        if let Some(bucket) = BUCKETS.iter().position(|bound| seconds <= *bound) {
            self.buckets[bucket] += 1;
        }
        self.count += 1;
        self.sum += duration;
    }
}

/// The counters.
#[derive(Debug, Default)]
struct Counters {
    calls: BTreeMap<(&'static str, Ending), u64>,
    durations: BTreeMap<&'static str, Histogram>,
    rejected: BTreeMap<&'static str, u64>,
    findings: BTreeMap<String, u64>,
    conversions: BTreeMap<(String, &'static str, bool), u64>,
    http: BTreeMap<u16, u64>,
}

/// What the service has done since it was started.
#[derive(Debug)]
pub(super) struct Metrics {
    started: SystemTime,
    counters: Mutex<Counters>,
}

impl Metrics {
    pub(super) fn new() -> Self {
        Self { started: SystemTime::now(), counters: Mutex::default() }
    }

    fn counters(&self) -> MutexGuard<'_, Counters> {
        self.counters.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A call of a tool has ended.
    pub(super) fn call(&self, tool: &'static str, ending: Ending, duration: Duration) {
        let mut counters = self.counters();
        *counters.calls.entry((tool, ending)).or_default() += 1;
        counters.durations.entry(tool).or_default().add(duration);
    }

    /// A call was not answered: why.
    pub(super) fn rejected(&self, reason: &'static str) {
        *self.counters().rejected.entry(reason).or_default() += 1;
    }

    /// A document was validated.
    pub(super) fn findings(&self, diagnostics: &[Diagnostic]) {
        let mut counters = self.counters();
        for found in diagnostics.iter().filter(|found| found.suppressed.is_none()) {
            if let Some(count) = counters.findings.get_mut(found.id.as_str()) {
                *count += 1;
                continue;
            }
            let id = if counters.findings.len() < MOST_RULES { found.id.as_str() } else { "other" };
            *counters.findings.entry(id.to_owned()).or_default() += 1;
        }
    }

    /// A document was converted, or could not be.
    pub(super) fn conversion(&self, format: &str, engine: &'static str, succeeded: bool) {
        *self.counters().conversions.entry((format.to_owned(), engine, succeeded)).or_default() += 1;
    }

    /// A request over HTTP was answered with an error.
    pub(super) fn http_error(&self, status: u16) {
        *self.counters().http.entry(status).or_default() += 1;
    }

    /// All counters as text.
    pub(super) fn text(&self) -> String {
        let counters = self.counters();
        let mut out = Text(String::new());
        out.family("build_info", "gauge", "The version of the program.");
        out.sample("build_info", &[("version", env!("CARGO_PKG_VERSION"))], 1);
        let since = self.started.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
        out.family("start_time_seconds", "gauge", "When the service was started, in seconds since 1970.");
        out.sample("start_time_seconds", &[], since);
        out.family("calls_total", "counter", "Calls of tools, by how they ended.");
        for ((tool, ending), count) in &counters.calls {
            out.sample("calls_total", &[("tool", tool), ("outcome", ending.name())], *count);
        }
        out.family("call_duration_seconds", "histogram", "How long calls took.");
        for (tool, histogram) in &counters.durations {
            let mut below = 0;
            for (bound, count) in BUCKETS.iter().zip(histogram.buckets) {
                below += count;
                let bound = bound.to_string();
                out.sample("call_duration_seconds_bucket", &[("tool", tool), ("le", &bound)], below);
            }
            let labels = [("tool", *tool), ("le", "+Inf")];
            out.sample("call_duration_seconds_bucket", &labels, histogram.count);
            out.sample("call_duration_seconds_sum", &labels[..1], histogram.sum.as_secs_f64());
            out.sample("call_duration_seconds_count", &labels[..1], histogram.count);
        }
        out.family("calls_rejected_total", "counter", "Calls that were rejected, by reason.");
        for (reason, count) in &counters.rejected {
            out.sample("calls_rejected_total", &[("reason", reason)], *count);
        }
        out.family("findings_total", "counter", "Findings in validated documents, by rule.");
        for (rule, count) in &counters.findings {
            out.sample("findings_total", &[("rule", rule)], *count);
        }
        out.family("conversions_total", "counter", "Conversions, by format and engine.");
        for ((format, engine, succeeded), count) in &counters.conversions {
            let outcome = if *succeeded { "written" } else { "failed" };
            let labels = [("format", format.as_str()), ("engine", engine), ("outcome", outcome)];
            out.sample("conversions_total", &labels, *count);
        }
        out.family("http_errors_total", "counter", "Requests over HTTP that were answered with an error.");
        for (status, count) in &counters.http {
            out.sample("http_errors_total", &[("status", &status.to_string())], *count);
        }
        out.0
    }
}

/// Text in the format.
struct Text(String);

impl Text {
    fn family(&mut self, name: &str, kind: &str, help: &str) {
        let _ = writeln!(self.0, "# HELP proofmark_{name} {help}\n# TYPE proofmark_{name} {kind}");
    }

    fn sample(&mut self, name: &str, labels: &[(&str, &str)], value: impl std::fmt::Display) {
        let _ = write!(self.0, "proofmark_{name}");
        for (index, (label, text)) in labels.iter().enumerate() {
            let text = text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
            let _ = write!(self.0, "{}{label}=\"{text}\"", if index == 0 { '{' } else { ',' });
        }
        let _ = writeln!(self.0, "{} {value}", if labels.is_empty() { "" } else { "}" });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_has_counters_and_cumulative_buckets() {
        let metrics = Metrics::new();
        metrics.call("validate", Ending::Answered, Duration::from_millis(2));
        metrics.call("validate", Ending::Answered, Duration::from_secs(20));
        metrics.rejected("too_many");
        metrics.conversion("pptx", "embedded", true);
        metrics.http_error(401);
        let text = metrics.text();
        for expected in [
            "# TYPE proofmark_calls_total counter",
            "proofmark_calls_total{tool=\"validate\",outcome=\"answered\"} 2",
            "proofmark_call_duration_seconds_bucket{tool=\"validate\",le=\"0.001\"} 0",
            "proofmark_call_duration_seconds_bucket{tool=\"validate\",le=\"0.0025\"} 1",
            "proofmark_call_duration_seconds_bucket{tool=\"validate\",le=\"10\"} 1",
            "proofmark_call_duration_seconds_bucket{tool=\"validate\",le=\"+Inf\"} 2",
            "proofmark_call_duration_seconds_sum{tool=\"validate\"} 20.002",
            "proofmark_call_duration_seconds_count{tool=\"validate\"} 2",
            "proofmark_calls_rejected_total{reason=\"too_many\"} 1",
            "proofmark_conversions_total{format=\"pptx\",engine=\"embedded\",outcome=\"written\"} 1",
            "proofmark_http_errors_total{status=\"401\"} 1",
        ] {
            assert!(text.lines().any(|line| line == expected), "{expected} is missing in {text}");
        }
        assert!(text.ends_with('\n'));
    }

    #[test]
    fn labels_are_escaped() {
        let mut text = Text(String::new());
        text.sample("x", &[("a", "\"\\\n")], 1);
        assert_eq!(text.0, "proofmark_x{a=\"\\\"\\\\\\n\"} 1\n");
    }
}
