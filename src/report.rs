//! Writing diagnostics: for terminals, editors, code scanning, and as data.

pub use crate::diagnostic::{
    Summary, Truncated,
    report::{
        FileReport, Format, Outcome, ReportOptions, Reporter, RuleInfo, Run, UnknownFormat, reporter, write,
    },
};
