//! Where the time of a run went.

use std::{
    collections::HashMap,
    fmt::Write as _,
    time::{Duration, Instant},
};

use crate::project::Project;

use super::{console::Console, validate::Validated};

/// How many of the slowest are listed.
const LISTED: usize = 10;

/// Times of a run; does nothing unless requested.
pub(super) struct Timing {
    wanted: bool,
    phases: Vec<(&'static str, Duration)>,
    reading: Duration,
    validating: Duration,
    files: Vec<(Duration, String)>,
    rules: HashMap<String, Duration>,
}

impl Timing {
    pub(super) fn new(wanted: bool) -> Self {
        Self {
            wanted,
            phases: Vec::new(),
            reading: Duration::ZERO,
            validating: Duration::ZERO,
            files: Vec::new(),
            rules: HashMap::new(),
        }
    }

    /// Does a phase of the run.
    pub(super) fn phase<T>(&mut self, name: &'static str, work: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        let result = work();
        self.add(name, start.elapsed());
        result
    }

    /// Adds a phase that is over.
    pub(super) fn add(&mut self, name: &'static str, time: Duration) {
        self.phases.push((name, time));
    }

    /// Adds a document. Its rules are run once more, each by itself, to see what each costs.
    pub(super) fn document(&mut self, validated: &Validated, project: &Project) {
        if !self.wanted {
            return;
        }
        self.reading += validated.reading;
        self.validating += validated.validating;
        self.files.push((validated.reading + validated.validating, validated.name.clone()));
        self.files.sort_by(|a, b| b.cmp(a));
        self.files.truncate(LISTED);
        for rule in project.ruleset().rules() {
            let start = Instant::now();
            let trace = project.base().trace(rule, &validated.outcome.document);
            if trace.for_kind && trace.enabled {
                *self.rules.entry(rule.id.clone()).or_default() += start.elapsed();
            }
        }
    }

    /// Writes the times to standard error.
    pub(super) fn show(&self) {
        if self.wanted {
            Console::note(self.table().trim_end());
        }
    }

    fn table(&self) -> String {
        let mut text = String::from("time by phase\n");
        let inner =
            [("  reading, all threads", self.reading), ("  validating, all threads", self.validating)];
        for (name, time) in self.phases.iter().copied().chain(inner) {
            let _ = writeln!(text, "  {} {name}", milliseconds(time));
        }
        let mut rules: Vec<(&String, &Duration)> = self.rules.iter().collect();
        rules.sort_by(|a, b| b.1.cmp(a.1).then(a.0.cmp(b.0)));
        text.push_str("slowest rules, each run by itself\n");
        for (id, time) in rules.into_iter().take(LISTED) {
            let _ = writeln!(text, "  {} {id}", milliseconds(*time));
        }
        text.push_str("slowest files\n");
        for (time, name) in &self.files {
            let _ = writeln!(text, "  {} {name}", milliseconds(*time));
        }
        text
    }
}

fn milliseconds(time: Duration) -> String {
    format!("{:>10.3} ms", time.as_secs_f64() * 1000.0)
}
