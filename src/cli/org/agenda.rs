//! The agenda as people read it: a heading for each day, the time, the reason, where the headline is, and the headline.

use std::fmt::Write as _;

use crate::{
    kinds::org::Stamp,
    org::{
        HeadlineInfo,
        agenda::{AgendaItem, AgendaType},
    },
};

/// The items, which are sorted by day.
pub(super) fn lines(items: &[AgendaItem]) -> String {
    let width = items.iter().map(|item| location(&item.headline).len()).max().unwrap_or_default();
    let mut text = String::new();
    let mut day = "";
    for item in items {
        if item.date != day {
            day = &item.date;
            let stamp = Stamp { date: day, ..Stamp::default() };
            let gap = if text.is_empty() { "" } else { "\n" };
            let _ = writeln!(text, "{gap}{day} {}", stamp.true_weekday().unwrap_or_default());
        }
        let (time, reason) = (item.time.as_deref().unwrap_or_default(), item.r#type.name());
        let (location, headline) = (location(&item.headline), headline(item));
        let _ = writeln!(text, "  {time:11} {reason:9}  {location:width$}  {headline}");
    }
    text
}

/// `notes.org:12`, as other commands take it.
fn location(headline: &HeadlineInfo) -> String {
    format!("{}:{}", headline.file, headline.line)
}

/// Keyword, priority, title, and tags; with the date where that is not the day of the item.
fn headline(item: &AgendaItem) -> String {
    let HeadlineInfo { todo, priority, title, tags, .. } = &item.headline;
    let priority = priority.as_ref().map(|priority| format!("[#{priority}]"));
    let parts = [todo.as_deref(), priority.as_deref(), Some(title)].into_iter().flatten();
    let mut text = parts.collect::<Vec<_>>().join(" ");
    if !tags.is_empty() {
        let _ = write!(text, "  :{}:", tags.join(":"));
    }
    if item.r#type == AgendaType::Upcoming
        && let Some(date) = item.headline.deadline.as_deref().and_then(|stamp| stamp.get(1..11))
    {
        let _ = write!(text, "  (due {date})");
    }
    if item.r#type == AgendaType::Overdue
        && let Some((what, day)) = missed(&item.headline, &item.date)
    {
        let _ = write!(text, "  ({what} {day})");
    }
    text
}

/// By which date before a day a headline is overdue.
fn missed<'h>(headline: &'h HeadlineInfo, day: &str) -> Option<(&'static str, &'h str)> {
    let dates = [("due", &headline.deadline), ("scheduled", &headline.scheduled)];
    dates.into_iter().find_map(|(what, stamp)| {
        let date = stamp.as_deref()?.get(1..11)?;
        (date.starts_with(|c: char| c.is_ascii_digit()) && date < day).then_some((what, date))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_agenda_has_days_and_columns() {
        let headline = |line, title: &str, deadline: Option<&str>| HeadlineInfo {
            file: "notes.org".to_owned(),
            line,
            level: 2,
            inline: false,
            title: title.to_owned(),
            todo: Some("TODO".to_owned()),
            priority: (line == 4).then(|| "A".to_owned()),
            tags: if line == 4 { vec!["home".to_owned()] } else { Vec::new() },
            scheduled: None,
            deadline: deadline.map(str::to_owned),
            resource_uri: String::new(),
            org_id: None,
            hash: String::new(),
        };
        let item = |date: &str, time: Option<&str>, r#type, headline| AgendaItem {
            date: date.to_owned(),
            time: time.map(str::to_owned),
            r#type,
            headline,
        };
        let items = [
            item("2026-11-23", Some("10:00"), AgendaType::Scheduled, headline(4, "Buy paint", None)),
            item(
                "2026-11-23",
                None,
                AgendaType::Overdue,
                headline(16, "Report", Some("<2026-11-20 Fri -2d>")),
            ),
            item("2026-11-24", None, AgendaType::Deadline, headline(7, "Call Ann", Some("<2026-11-24 Tue>"))),
        ];
        let expected = "\
2026-11-23 Mon
  10:00       scheduled  notes.org:4   TODO [#A] Buy paint  :home:
              overdue    notes.org:16  TODO Report  (due 2026-11-20)

2026-11-24 Tue
              deadline   notes.org:7   TODO Call Ann
";
        assert_eq!(lines(&items), expected);
        assert_eq!(lines(&[]), "");
    }
}
