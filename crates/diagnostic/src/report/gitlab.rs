use std::{collections::HashMap, io};

use serde::Serialize;

use super::{FileReport, Outcome, Reporter, Run, escaped::write_json, findings};
use crate::{
    Severity,
    text::{Fingerprint, visible},
};

/// GitLab's code quality report: an array of issues with unique fingerprints.
pub(super) struct Gitlab<'r> {
    run: &'r Run,
    /// How often each fingerprint of a file was written.
    seen: HashMap<String, u32>,
    first: bool,
}

impl<'r> Gitlab<'r> {
    pub(super) fn new(run: &'r Run) -> Self {
        Self { run, seen: HashMap::new(), first: true }
    }

    /// The finding's fingerprint, made unique by the file name and, for repetitions, a number.
    fn fingerprint(&mut self, file: &str, fingerprint: &str) -> String {
        let mut unique = Fingerprint::new();
        let mut add = |part: &str| unique.add_bytes(part.bytes().chain([0])).hex();
        add(file);
        let key = add(fingerprint);
        let count = self.seen.entry(key.clone()).or_default();
        *count += 1;
        if *count == 1 { key } else { add(&count.to_string()) }
    }
}

impl Reporter for Gitlab<'_> {
    fn begin(&mut self, out: &mut dyn io::Write) -> io::Result<()> {
        write!(out, "[")
    }

    fn file(&mut self, file: &FileReport<'_>, out: &mut dyn io::Write) -> io::Result<()> {
        for finding in findings::shown(file, &self.run.options) {
            let diagnostic = finding.diagnostic;
            let place = &diagnostic.location;
            let hint = diagnostic.fix_hint.as_deref().map(|hint| format!(" ({})", visible(hint)));
            let issue = Issue {
                description: format!("{}{}", visible(&diagnostic.message), hint.unwrap_or_default()),
                check_name: format!("{} {}", diagnostic.id, diagnostic.name),
                fingerprint: self.fingerprint(&place.file, &diagnostic.fingerprint),
                severity: match diagnostic.severity {
                    Severity::Error => "major",
                    Severity::Warning => "minor",
                    Severity::Note => "info",
                },
                location: Location {
                    path: format!("{}{}", self.run.options.prefix, visible(&place.file)),
                    lines: Lines { begin: place.line, end: place.end_line.max(place.line) },
                },
            };
            out.write_all(if self.first { b"\n" } else { b",\n" })?;
            self.first = false;
            write_json(&issue, out)?;
        }
        Ok(())
    }

    fn end(&mut self, _: &Outcome, out: &mut dyn io::Write) -> io::Result<()> {
        writeln!(out, "{}]", if self.first { "" } else { "\n" })
    }
}

#[derive(Serialize)]
struct Issue {
    description: String,
    check_name: String,
    fingerprint: String,
    severity: &'static str,
    location: Location,
}

#[derive(Serialize)]
struct Location {
    path: String,
    lines: Lines,
}

#[derive(Serialize)]
struct Lines {
    begin: u32,
    end: u32,
}
