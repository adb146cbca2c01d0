//! Conditions of the commands that list headlines.

use std::ops::RangeInclusive;

use crate::org::{Filter, Levels, OrgError, Page, Range};

/// What is listed, and how much of it.
#[derive(Debug, Clone, clap::Args)]
pub(super) struct Conditions {
    /// TODO keyword, one of them if repeated
    #[arg(long, value_name = "KEYWORD")]
    state: Vec<String>,
    /// Tag, all of them if repeated; inherited tags count
    #[arg(long, value_name = "TAG")]
    tag: Vec<String>,
    /// Tag that leaves a headline out; repeatable
    #[arg(long, value_name = "TAG")]
    exclude_tag: Vec<String>,
    /// Property with this value, or with any value for `*`; repeatable
    #[arg(long, value_name = "NAME=VALUE", value_parser = super::property)]
    property: Vec<(String, String)>,
    /// Scheduled on a day, or on the days from one to another
    #[arg(long, value_name = "DATE[..DATE]", value_parser = days)]
    scheduled: Option<Range>,
    /// Due on a day, or on the days from one to another
    #[arg(long, value_name = "DATE[..DATE]", value_parser = days)]
    deadline: Option<Range>,
    /// Closed on a day, or on the days from one to another
    #[arg(long, value_name = "DATE[..DATE]", value_parser = days)]
    closed: Option<Range>,
    /// Number of stars, or a range of it
    #[arg(long, value_name = "NUMBER[..NUMBER]", value_parser = levels)]
    level: Option<RangeInclusive<usize>>,
    /// Part of a line of the headline's own section
    #[arg(long, value_name = "TEXT")]
    with: Option<String>,
    /// Whether tags and properties are inherited; without it, tags are
    #[arg(long, value_name = "BOOLEAN")]
    inherited: Option<bool>,
    /// Most results
    #[arg(long, value_name = "NUMBER")]
    limit: Option<usize>,
    /// Continue after the results before, with the cursor that they ended with
    #[arg(long, value_name = "CURSOR")]
    cursor: Option<String>,
}

/// `2026-01-31`, `2026-01-01..2026-01-31`, `..2026-01-31`
fn days(text: &str) -> Result<Range, String> {
    let day = |text: &str| {
        let day = (!text.is_empty()).then(|| text.to_owned());
        day.map(|day| Range::is_day(&day).map(|()| day)).transpose()
    };
    let range = match text.split_once("..") {
        Some((from, to)) => day(from).and_then(|from| Ok(Range { from, to: day(to)? })),
        None => day(text).map(|on| Range { from: on.clone(), to: on }),
    };
    range.map_err(|error: OrgError| error.to_string())
}

/// `2`, `1..3`, `2..`
fn levels(text: &str) -> Result<RangeInclusive<usize>, String> {
    let number = |text: &str, absent: usize| {
        if text.is_empty() { Ok(absent) } else { text.parse::<usize>().map_err(|error| error.to_string()) }
    };
    match text.split_once("..") {
        Some((least, most)) => Ok(number(least, 1)?..=number(most, usize::MAX)?),
        None => text
            .parse()
            .map(|level| level..=level)
            .map_err(|error: std::num::ParseIntError| error.to_string()),
    }
}

impl Conditions {
    /// The conditions for headlines.
    pub(super) fn filter(&self) -> Filter {
        let some = |values: &[String]| (!values.is_empty()).then(|| values.to_vec());
        Filter {
            tags: some(&self.tag),
            exclude_tags: some(&self.exclude_tag),
            states: some(&self.state),
            properties: (!self.property.is_empty()).then(|| self.property.iter().cloned().collect()),
            scheduled: self.scheduled.clone(),
            deadline: self.deadline.clone(),
            closed: self.closed.clone(),
            level: self
                .level
                .as_ref()
                .map(|level| Levels { min: Some(*level.start()), max: Some(*level.end()) }),
            text: self.with.clone(),
            inherited: self.inherited,
        }
    }

    /// How much is listed: all of it where nothing is said.
    pub(super) fn page(&self) -> Page {
        Page { limit: self.limit.or(Some(usize::MAX)), cursor: self.cursor.clone() }
    }

    /// Whether only a part is listed.
    pub(super) fn is_paged(&self) -> bool {
        self.limit.is_some() || self.cursor.is_some()
    }
}
