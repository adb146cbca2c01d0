//! Date trees: a headline for each year, month, and day (`org-datetree.el`).

use super::{
    change::{self, NewHeadline},
    date::parse_day,
    emacs::{self, Emacs},
    files::OrgError,
    recorded::Changing,
};
use crate::{
    kinds::org::{Outline, Stamp},
    text::{Edit, Span},
};

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

/// Adds a headline below that of a day, which is made in its order where there is none, with those of its month and year.
///
/// # Errors
/// [`OrgError::Invalid`]
pub(super) fn add(
    text: &str,
    outline: &Outline<'_>,
    parent: Option<usize>,
    day: &str,
    id: &str,
    new: &NewHeadline,
    emacs: Option<Emacs>,
) -> Result<Vec<Edit>, OrgError> {
    let (year, month, day) = parse_day(day)?;
    let date = format!("{year:04}-{month:02}-{day:02}");
    let weekday = Stamp { date: &date, ..Stamp::default() }.true_weekday().map_or("", full);
    let name = usize::try_from(month - 1).ok().and_then(|at| MONTHS.get(at)).copied().unwrap_or_default();
    let wanted = [
        (format!("{year:04}"), format!("{year:04}")),
        (format!("{year:04}-{month:02}"), format!("{year:04}-{month:02} {name}")),
        (date.clone(), format!("{date} {weekday}")),
    ];
    let (mut changing, mut above) = (Changing::new(text), parent);
    for (key, title) in &wanted {
        let now = changing.text();
        let read = Outline::read_with(now, outline.setup());
        match place(&read, above, key) {
            Ok(found) => above = Some(found),
            Err(at) => {
                let at = at.min(now.len());
                let level = above.map_or(1, |above| emacs::level_below(now, read.headlines[above].level));
                let before = if at == 0 || now[..at].ends_with('\n') { "" } else { "\n" };
                let line = format!("{before}{} {title}\n", "*".repeat(level));
                let line = if now.contains("\r\n") { line.replace('\n', "\r\n") } else { line };
                let start = at + line.find('*').unwrap_or_default();
                changing.apply(vec![Edit { span: Span::at(at), new: line }])?;
                let read = Outline::read_with(changing.text(), outline.setup());
                above = read.headlines.iter().position(|headline| headline.span.start as usize == start);
            }
        }
    }
    let read = Outline::read_with(changing.text(), outline.setup());
    let edits = change::add_headline(changing.text(), &read, above, id, new, emacs)?;
    changing.apply(edits)?;
    Ok(changing.edits())
}

/// The position of the headline that begins with a year, month, or day, or the offset where it belongs.
fn place(outline: &Outline<'_>, above: Option<usize>, key: &str) -> Result<usize, usize> {
    let children = (0..outline.headlines.len()).filter(|at| outline.headlines[*at].parent == above);
    let mut end = above.map_or(usize::MAX, |above| outline.headlines[above].section.end as usize);
    for at in children {
        let headline = &outline.headlines[at];
        let word = headline.title.split(' ').next().unwrap_or_default();
        if word == key {
            return Ok(at);
        }
        let is_date = word.len() == key.len() && word.starts_with(|c: char| c.is_ascii_digit());
        if is_date && word > key {
            return Err(headline.span.start as usize);
        }
        if above.is_none() {
            end = headline.section.end as usize;
        }
    }
    Err(end)
}

fn full(weekday: &str) -> &'static str {
    let names = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];
    names.into_iter().find(|name| name.starts_with(weekday)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::apply_edits;

    fn added(text: &str, day: &str) -> String {
        let outline = Outline::read(text);
        let new = NewHeadline { title: "Note".into(), ..NewHeadline::default() };
        let edits = add(text, &outline, None, day, "1", &new, None).unwrap();
        apply_edits(text, &edits).unwrap()
    }

    #[test]
    fn days_are_made_once_and_in_order() {
        let note = "**** Note\n:PROPERTIES:\n:ID: 1\n:END:\n";
        let first = added("#+TITLE: Log\n", "2026-11-25");
        let day = "* 2026\n** 2026-11 November\n*** 2026-11-25 Wednesday\n";
        assert_eq!(first, format!("#+TITLE: Log\n{day}{note}"));
        assert_eq!(added(&first, "2026-11-25"), format!("{first}{note}"));
        let earlier = added(&first, "2026-11-03");
        let expected = format!("*** 2026-11-03 Tuesday\n{note}*** 2026-11-25 Wednesday\n");
        assert!(earlier.contains(&expected), "{earlier}");
        let later = added(&first, "2027-01-01");
        assert!(
            later.ends_with(&format!("* 2027\n** 2027-01 January\n*** 2027-01-01 Friday\n{note}")),
            "{later}"
        );
        assert_eq!(added("", "2026-11-25"), format!("{day}{note}"));
    }
}
