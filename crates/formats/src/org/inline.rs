//! Inline tasks: headlines with many stars that are within a section instead of beginning one.
//!
//! Emacs reads them where `org-inlinetask` is loaded, which it is not by default. A task is one line, or goes on to a
//! headline `END`; only then it has dates, properties, and text of its own. Sources: Org 9.5.5 (`org-inlinetask.el`,
//! `org-element-inlinetask-parser`) and its reading of `tests/data/org_inline/tasks.org`.

use std::ops::Range;

use super::{
    keywords::is_verbatim,
    lines::{Line, Lines},
};
use crate::text::Span;

/// What only an inline task has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InlineTask {
    /// The line `END`, without its line break; absent for a task of one line.
    pub end: Option<Span>,
}

/// Whether a headline is the end of an inline task, if its stars are those of one.
pub(super) fn is_end(line: Line<'_>, stars: usize) -> bool {
    line.text[stars..].trim_matches([' ', '\t', '\r']) == "END"
}

/// The contents of verbatim blocks, in which a line with that many stars is not an inline task. A headline with fewer
/// stars than `least` ends a block that is open, and so does the end of an inline task that began before it.
pub(super) fn verbatim(lines: Lines<'_>, least: usize) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut open: Option<(&str, usize)> = None;
    let mut is_in_task = false;
    for line in lines.filter(|line| line.text.contains("#+") || line.text.starts_with('*')) {
        if let Some(stars) = line.stars() {
            let ends_task = is_in_task && is_end(line, stars);
            if stars < least || ends_task {
                open = None;
            }
            is_in_task = stars >= least && open.is_none() && !ends_task;
        } else if let Some(name) = line.block_end() {
            if let Some((_, start)) = open.filter(|(begun, _)| begun.eq_ignore_ascii_case(name)) {
                found.push(start..line.start);
                open = None;
            }
        } else if let Some((name, _)) = line.block_begin().filter(|(name, _)| is_verbatim(name)) {
            open.get_or_insert((name, line.end()));
        }
    }
    found
}

/// Whether an offset is in one of these ranges, which are sorted.
pub(super) fn is_in(ranges: &[Range<usize>], at: usize) -> bool {
    let next = ranges.partition_point(|range| range.end <= at);
    ranges.get(next).is_some_and(|range| range.contains(&at))
}
