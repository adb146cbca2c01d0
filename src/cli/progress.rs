//! Bars that show the progress of long work.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::console::Console;

/// Fewest documents with a bar: work on fewer ends too soon to need one.
const WORTH_SHOWING: usize = 200;

/// A bar on standard error, when that is a terminal.
pub(super) struct Progress(Option<ProgressBar>);

impl Progress {
    pub(super) fn new(documents: usize) -> Self {
        Self::bar(documents, WORTH_SHOWING, "checking")
    }

    /// No bar.
    pub(super) fn none() -> Self {
        Self(None)
    }

    /// A bar for the examples of rules.
    pub(super) fn of_rules(rules: usize) -> Self {
        Self::bar(rules, 20, "testing")
    }

    /// A bar for documents that are rendered, which takes a while for each.
    pub(super) fn rendering(documents: usize) -> Self {
        Self::bar(documents, 5, "rendering")
    }

    /// A bar for documents that are written in other formats.
    pub(super) fn converting(documents: usize) -> Self {
        Self::bar(documents, 5, "converting")
    }

    fn bar(documents: usize, worth: usize, what: &str) -> Self {
        if documents < worth || !Console::watched() {
            return Self(None);
        }
        let bar =
            ProgressBar::with_draw_target(Some(documents as u64), ProgressDrawTarget::stderr_with_hz(8));
        let style = ProgressStyle::with_template(&format!("{what} {{wide_bar}} {{pos}}/{{len}}"));
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        bar.enable_steady_tick(Duration::from_millis(250));
        Self(Some(bar))
    }

    /// A counter for work of unknown length whose results do not go to the same terminal.
    pub(super) fn counting() -> Self {
        if !Console::watched() || Console::width().is_some() {
            return Self(None);
        }
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(8));
        bar.set_style(
            ProgressStyle::with_template("{pos} documents, {per_sec}")
                .unwrap_or_else(|_| ProgressStyle::default_bar()),
        );
        Self(Some(bar))
    }

    pub(super) fn advance(&self) {
        self.advance_by(1);
    }

    pub(super) fn advance_by(&self, documents: u64) {
        if let Some(bar) = &self.0 {
            bar.inc(documents);
        }
    }

    /// Does work that may write to the terminal, with the bar out of its way.
    pub(super) fn aside<T>(&self, work: impl FnOnce() -> T) -> T {
        match &self.0 {
            Some(bar) => bar.suspend(work),
            None => work(),
        }
    }

    pub(super) fn finish(&self) {
        if let Some(bar) = &self.0 {
            bar.finish_and_clear();
        }
    }
}
