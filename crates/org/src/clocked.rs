//! How long clocks ran: what a clock table shows.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    clock::Moment,
    date::{Range, parse_day},
    emacs,
    files::{self, Files, OrgError},
    headline::HeadlineInfo,
};
use crate::{calendar::days_since_epoch, kinds::org::Outline};

/// Which clocks to sum up.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
pub struct ClockQuery {
    /// Only these files.
    pub files: Option<Vec<String>>,
    /// First day.
    pub from: Option<String>,
    /// Last day.
    pub to: Option<String>,
}

/// The clocks of a headline.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Clocked {
    pub headline: HeadlineInfo,
    /// Minutes of its own clocks.
    pub own: i64,
    /// With those of the headlines below it.
    pub minutes: i64,
    /// Since when a clock runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub running: Option<String>,
}

/// The sums of the headlines on which clocks ran, and of all.
///
/// # Errors
/// [`OrgError`]
pub fn sums(files: &Files<'_>, query: &ClockQuery) -> Result<(Vec<Clocked>, i64), OrgError> {
    let range = Range { from: query.from.clone(), to: query.to.clone() };
    range.check()?;
    let day = |date: &Option<String>, after: i64| -> Result<Option<Moment>, OrgError> {
        let Some(date) = date else { return Ok(None) };
        let (year, month, day) = parse_day(date)?;
        Ok(Some(Moment::of_days(days_since_epoch(year, month, day) + after)))
    };
    let (first, last) = (day(&range.from, 0)?, day(&range.to, 1)?);
    let names = match &query.files {
        Some(names) => names.clone(),
        None => files.names().into_iter().filter(|name| super::extension::is_org(name, false)).collect(),
    };
    let (mut found, mut total) = (Vec::new(), 0);
    for name in &names {
        let subject = match files.open(name) {
            Ok(subject) => subject,
            Err(error) if query.files.is_some() => return Err(error),
            Err(_) => continue,
        };
        // Most files have no clocks, and are not read as outlines.
        if !subject.text().contains("CLOCK:") {
            continue;
        }
        total += of_file(&subject, (first, last), &mut found);
    }
    Ok((found, total))
}

fn of_file(
    subject: &crate::project::Subject<'_>,
    (first, last): (Option<Moment>, Option<Moment>),
    found: &mut Vec<Clocked>,
) -> i64 {
    let setup = files::setup(subject);
    let text = subject.text();
    let outline = Outline::read_with(text, &setup);
    let digest = files::digest(subject);
    let count = outline.headlines.len();
    let (mut own, mut sums, mut running) = (vec![0; count], vec![0; count], vec![None; count]);
    for line in emacs::clock_lines(text, 0..text.len()) {
        let at =
            outline.headlines.partition_point(|headline| headline.span.start as usize <= line.span.start);
        let Some(mut index) = at.checked_sub(1) else { continue };
        while outline.headlines[index].inline.is_some()
            && outline.headlines[index].section.end as usize <= line.span.start
        {
            match outline.headlines[index].parent {
                Some(parent) => index = parent,
                None => break,
            }
        }
        let Some(end) = line.end else {
            running[index] = Some(line.start.day_and_time());
            continue;
        };
        // Only the part of it that is in the range counts.
        let start = first.map_or(line.start, |first| line.start.max(first));
        let end = last.map_or(end, |last| end.min(last));
        own[index] += end.minutes_since(start).max(0);
    }
    for index in (0..count).rev() {
        sums[index] += own[index];
        if let Some(parent) = outline.headlines[index].parent {
            sums[parent] += sums[index];
        }
    }
    for index in 0..count {
        if sums[index] > 0 || running[index].is_some() {
            let headline = digest.entry(index).info();
            found.push(Clocked {
                headline,
                own: own[index],
                minutes: sums[index],
                running: running[index].take(),
            });
        }
    }
    own.iter().sum()
}

/// `1:30`
pub fn duration(minutes: i64) -> String {
    emacs::duration(minutes).trim_start().to_owned()
}
