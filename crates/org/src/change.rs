//! Changes to a headline as edits of spans: every byte outside of them stays as it is.

use std::collections::{BTreeMap, hash_map::RandomState};
use std::hash::BuildHasher;

use super::{
    clock::Moment,
    date,
    emacs::{self, Buffer, Direction, Emacs, Keyword, NoCheckbox, Previous, Record},
    files::OrgError,
    note::Note,
    recorded::Changing,
    subtree,
};
use crate::{
    kinds::org::{Drawer, Headline, Outline, Settings, Setup, rank},
    text::{Edit, Span, apply_edits},
};

/// A new task or headline.
#[derive(Debug, Clone, Default)]
pub struct NewHeadline {
    /// Its title.
    pub title: String,
    /// Its TODO keyword.
    pub todo: Option<String>,
    /// Its tags.
    pub tags: Vec<String>,
    /// When it is scheduled.
    pub scheduled: Option<String>,
    /// When it is due.
    pub deadline: Option<String>,
    /// Text below it.
    pub body: Option<String>,
    /// The day of a date tree that it goes below.
    pub datetree: Option<String>,
    /// Whether its file is made if there is none.
    pub create: bool,
}

/// What to change about the dates of a headline.
#[derive(Debug, Clone, Default)]
#[allow(clippy::option_option, reason = "to leave a date, to remove it, or to set it")]
pub struct Dates {
    /// A new scheduled date, or none to remove the one that is there.
    pub scheduled: Option<Option<String>>,
    /// A new deadline, or none to remove the one that is there.
    pub deadline: Option<Option<String>>,
}

/// What to change about the line of a headline.
#[derive(Debug, Clone, Default)]
#[allow(clippy::option_option, reason = "to leave the priority, to remove it, or to set it")]
pub struct LineChange {
    /// A new title.
    pub title: Option<String>,
    /// A new priority such as `A`, or none to remove the one that is there.
    pub priority: Option<Option<String>>,
    /// Tags to add.
    pub add_tags: Vec<String>,
    /// Tags to remove.
    pub remove_tags: Vec<String>,
}

/// A headline of a document that is to be changed.
pub struct Target<'a, 't> {
    text: &'t str,
    outline: &'a Outline<'t>,
    index: usize,
    headline: &'a Headline<'t>,
    emacs: Option<Emacs>,
}

impl<'a, 't> Target<'a, 't> {
    /// A headline that is changed minimally: for fuzz targets.
    pub fn minimal(text: &'t str, outline: &'a Outline<'t>, index: usize) -> Self {
        Self::new(text, outline, index, None)
    }

    /// The headline at a position of the outline of `text`, which is changed as Emacs does it, or minimally.
    pub(super) fn new(text: &'t str, outline: &'a Outline<'t>, index: usize, emacs: Option<Emacs>) -> Self {
        Self { text, outline, index, headline: &outline.headlines[index], emacs }
    }

    /// Sets the TODO keyword, the empty string for none, and records a note on that.
    ///
    /// # Errors
    /// [`OrgError::Invalid`] for a keyword that the file does not have.
    pub fn set_state(&self, state: &str, note: Option<Note<'_>>) -> Result<Vec<Edit>, OrgError> {
        if !state.is_empty() {
            check_state(self.outline, state)?;
        }
        let note = note.filter(|note| !note.text.trim().is_empty());
        if let Some(note) = note {
            check_body(note.text, 0)?;
            if state.is_empty() {
                return Err(OrgError::invalid(
                    "a note is recorded with a TODO keyword, and there is no new one",
                ));
            }
        }
        if let Some(emacs) = &self.emacs {
            let text = note.map(|note| note.text);
            return Ok(self.emacs_edits(|buffer| set_state_as_emacs(buffer, self.index, state, text, emacs)));
        }
        match note {
            None => Ok(keyword_edit(self.text, self.headline, state).into_iter().collect()),
            Some(note) => self.below(|target| Ok(target.set_state_with_note(state, note))),
        }
    }

    /// Sets the TODO keyword and records a note on that.
    fn set_state_with_note(&self, state: &str, note: Note<'_>) -> Vec<Edit> {
        let mut buffer = Buffer::new(self.text, self.outline.setup());
        change_keyword(&mut buffer, self.index, state);
        let record = Record {
            state: Some(state.to_owned()),
            previous: Previous::of_change(self.headline.todo.unwrap_or_default()),
            note: Some(note.text.to_owned()),
            ..Record::default()
        };
        emacs::store_record(&mut buffer, self.index, &record, note.into_drawer, note.now);
        // A file ends as it did: in a line break, or without one.
        if self.text.ends_with('\n') { buffer.saved(self.text) } else { buffer.written(self.text) }
    }

    /// Fewest stars of an inline task, where there are such tasks.
    fn inline_tasks(&self) -> Option<usize> {
        self.outline.settings.inline_tasks
    }

    /// The edits that a change by commands of Emacs results in.
    fn emacs_edits(&self, change: impl FnOnce(&mut Buffer)) -> Vec<Edit> {
        Emacs::edits(self.text, self.outline.setup(), change)
    }

    /// A change that may add lines below the headline. An inline task of one line gets an end with them, since they would
    /// not be its own.
    fn below(
        &self,
        change: impl Fn(&Target<'_, '_>) -> Result<Vec<Edit>, OrgError>,
    ) -> Result<Vec<Edit>, OrgError> {
        let edits = change(self)?;
        let breaks = |text: &str| text.matches('\n').count();
        let adds_lines = edits.iter().any(|edit| breaks(&edit.new) > breaks(edit.span.of(self.text)));
        if !self.headline.is_one_line() || !adds_lines {
            return Ok(edits);
        }
        let mut changing = Changing::new(self.text);
        let end = format!("{}{} END", line_break(self.text), "*".repeat(self.headline.level));
        changing.apply(vec![replace(Span::at(self.headline.span.end as usize), &end)])?;
        let outline = Outline::read_with(changing.text(), self.outline.setup());
        let edits = change(&Target::new(changing.text(), &outline, self.index, self.emacs))?;
        changing.apply(edits)?;
        Ok(changing.edits())
    }

    /// Sets or removes dates. A repeater or warning stays where the new date has neither.
    ///
    /// # Errors
    /// [`OrgError::Invalid`] for what is not a date.
    pub fn set_dates(&self, dates: &Dates) -> Result<Vec<Edit>, OrgError> {
        self.below(|target| target.set_own_dates(dates))
    }

    fn set_own_dates(&self, dates: &Dates) -> Result<Vec<Edit>, OrgError> {
        if let Some(emacs) = &self.emacs {
            return self.set_dates_as_emacs(dates, emacs);
        }
        let wanted = [("DEADLINE", &dates.deadline), ("SCHEDULED", &dates.scheduled)];
        let mut edits = Vec::new();
        let mut new = Vec::new();
        let mut removed = 0;
        let entries = self.headline.planning.as_ref().map(|planning| planning.entries.as_slice());
        let entries = entries.unwrap_or_default();
        for (keyword, date) in wanted {
            let Some(date) = date else { continue };
            let old: Vec<&(&str, &str)> = entries.iter().filter(|(name, _)| *name == keyword).collect();
            match (date, old.last()) {
                (Some(date), Some((_, stamp))) => {
                    edits.push(replace(self.span(stamp), &date::timestamp(date, Some(stamp))?));
                }
                (Some(date), None) => new.push(format!("{keyword}: {}", date::timestamp(date, None)?)),
                (None, _) => {
                    removed += old.len();
                    edits.extend(old.iter().map(|(name, stamp)| replace(self.entry(name, stamp), "")));
                }
            }
        }
        let line_break = line_break(self.text);
        match &self.headline.planning {
            Some(planning) if removed > 0 && removed == entries.len() && new.is_empty() => {
                // Nothing is left of the line but whitespace, and perhaps other text.
                let whole = planning.span.of(self.text);
                let rest: usize = edits.iter().map(|edit| edit.span.len()).sum();
                if whole.trim().len() <= rest {
                    edits = vec![replace(self.with_line_break(planning.span), "")];
                    if self.has_dates_with(&edits) {
                        // The next line looks like dates: an empty line keeps it from becoming what this one was.
                        edits = vec![replace(planning.span, "")];
                    }
                }
            }
            Some(planning) if !new.is_empty() => {
                let line = planning.span.of(self.text);
                let indent = line.len() - line.trim_start_matches([' ', '\t']).len();
                let at = planning.span.start as usize + indent;
                edits.push(replace(Span::at(at), &format!("{} ", new.join(" "))));
            }
            None if !new.is_empty() => {
                let at = Span::at(self.headline.span.end as usize);
                edits.push(replace(at, &format!("{line_break}{}", new.join(" "))));
            }
            _ => {}
        }
        Ok(edits)
    }

    /// Whether the headline has dates after these edits below it.
    fn has_dates_with(&self, edits: &[Edit]) -> bool {
        let Ok(text) = apply_edits(self.text, edits) else { return false };
        let mut headlines = Outline::read_with(&text, self.outline.setup()).headlines.into_iter();
        headlines
            .any(|headline| headline.span.start == self.headline.span.start && headline.planning.is_some())
    }

    /// Sets or removes dates as Emacs does it.
    fn set_dates_as_emacs(&self, dates: &Dates, emacs: &Emacs) -> Result<Vec<Edit>, OrgError> {
        let mut wanted = Vec::new();
        // The date that is set last becomes the first of the line.
        for (keyword, date) in [(Keyword::Scheduled, &dates.scheduled), (Keyword::Deadline, &dates.deadline)]
        {
            let Some(date) = date else { continue };
            let stamp = date.as_deref().map(|date| date::timestamp(date, None)).transpose()?;
            wanted.push((keyword, stamp));
        }
        Ok(self.emacs_edits(|buffer| {
            for (keyword, stamp) in &wanted {
                match stamp {
                    Some(stamp) => emacs::set_date(buffer, self.index, *keyword, stamp, Some(emacs)),
                    None => emacs::remove_date(buffer, self.index, *keyword, Some(emacs)),
                }
            }
        }))
    }

    /// Changes the title, the priority, and the tags.
    ///
    /// # Errors
    /// [`OrgError::Invalid`] for a title or tag that would not be read as one.
    pub fn set_line(&self, change: &LineChange) -> Result<Vec<Edit>, OrgError> {
        if let Some(title) = &change.title {
            check_title(title)?;
        }
        let priority = change.priority.as_ref().map(|priority| priority.as_deref().map(str::to_uppercase));
        if let Some(Some(priority)) = &priority {
            check_priority(self.outline, priority)?;
        }
        for tag in &change.add_tags {
            check_tag(tag)?;
        }
        let mut tags: Vec<&str> = self.headline.tags.clone();
        tags.retain(|tag| !change.remove_tags.iter().any(|removed| removed == tag));
        for tag in &change.add_tags {
            if !tags.contains(&tag.as_str()) {
                tags.push(tag);
            }
        }
        if self.emacs.is_some() {
            return Ok(self.emacs_edits(|buffer| {
                // The tags first: the end of a new title may look like some.
                if tags != self.headline.tags {
                    emacs::set_tags(buffer, self.index, &tags);
                }
                if let Some(title) = &change.title {
                    emacs::set_title(buffer, self.index, title.trim());
                }
                if let Some(priority) = &priority {
                    emacs::set_priority(buffer, self.index, priority.as_deref());
                }
            }));
        }
        let mut edits = Vec::new();
        edits.extend(priority.and_then(|priority| self.set_priority(priority.as_deref())));
        if let Some(title) = &change.title {
            edits.push(self.set_title(title.trim()));
        }
        if tags != self.headline.tags {
            edits.push(self.set_tags(&tags));
        }
        Ok(edits)
    }

    /// Replaces the title; one where there is none is kept apart from the keyword before it and the tags after it.
    fn set_title(&self, title: &str) -> Edit {
        let span = self.span(self.headline.title);
        let is_apart = |c: char| c.is_ascii_whitespace();
        let before = if self.text[..span.start as usize].ends_with(is_apart) { "" } else { " " };
        let rest = &self.text[span.end as usize..self.headline.span.end as usize];
        let after = if rest.is_empty() || rest.starts_with(is_apart) { "" } else { " " };
        replace(span, &format!("{before}{title}{after}"))
    }

    fn set_priority(&self, priority: Option<&str>) -> Option<Edit> {
        match (self.headline.priority, priority) {
            (Some(old), Some(new)) => Some(replace(self.span(old), new)),
            (Some(old), None) => {
                let span = self.span(old);
                let (start, end) = (span.start as usize - "[#".len(), span.end as usize + "]".len());
                let rest = &self.text[end..self.headline.span.end as usize];
                let spaces = rest.len() - rest.trim_start_matches([' ', '\t']).len();
                Some(replace(Span::new(start, end + spaces), ""))
            }
            (None, Some(new)) => Some(match self.headline.todo.map(|todo| self.span(todo)) {
                Some(todo) => replace(Span::at(todo.end as usize), &format!(" [#{new}]")),
                None => {
                    let after_stars = self.headline.span.start as usize + self.headline.level + 1;
                    replace(Span::at(after_stars), &format!("[#{new}] "))
                }
            }),
            (None, None) => None,
        }
    }

    fn set_tags(&self, tags: &[&str]) -> Edit {
        let new = format!(":{}:", tags.join(":"));
        if let (Some(first), Some(last)) = (self.headline.tags.first(), self.headline.tags.last()) {
            let old = self.span(first).cover(self.span(last));
            let start = old.start as usize - 1;
            if tags.is_empty() {
                let before = &self.text[..start];
                let trimmed = before.trim_end_matches([' ', '\t']).len();
                // The space after the stars is part of the headline.
                let least = self.headline.span.start as usize + self.headline.level + 1;
                return replace(Span::new(trimmed.max(least), old.end as usize + 1), "");
            }
            return replace(Span::new(start, old.end as usize + 1), &new);
        }
        let line = self.headline.span.of(self.text);
        let end = self.headline.span.start as usize + line.trim_end().len();
        let least = self.headline.span.start as usize + self.headline.level + 1;
        let space = if end >= least { " " } else { "" };
        replace(Span::at(end.max(least)), &format!("{space}{new}"))
    }

    /// Sets properties, or removes those without a value.
    ///
    /// # Errors
    /// [`OrgError::Invalid`] for a name or value that a drawer cannot hold.
    pub fn set_properties(
        &self,
        properties: &BTreeMap<String, Option<String>>,
    ) -> Result<Vec<Edit>, OrgError> {
        for (key, value) in properties {
            check_property(key, value.as_deref())?;
        }
        self.below(|target| target.set_own_properties(properties))
    }

    fn set_own_properties(
        &self,
        properties: &BTreeMap<String, Option<String>>,
    ) -> Result<Vec<Edit>, OrgError> {
        if let Some(emacs) = &self.emacs {
            for (key, value) in properties {
                check_special(self.outline, key, value.as_deref())?;
            }
            let stamp = |value: &str| date::timestamp(value, None).unwrap_or_default();
            return Ok(self.emacs_edits(|buffer| {
                for (key, value) in properties {
                    let value = value.as_deref();
                    match key.to_ascii_uppercase().as_str() {
                        "TODO" => {
                            emacs::set_state(buffer, self.index, value.unwrap_or_default(), None, emacs);
                        }
                        "PRIORITY" => emacs::set_priority(buffer, self.index, value),
                        "SCHEDULED" | "DEADLINE" => {
                            let keyword = if key.eq_ignore_ascii_case("SCHEDULED") {
                                Keyword::Scheduled
                            } else {
                                Keyword::Deadline
                            };
                            match value {
                                Some(value) => {
                                    emacs::set_date(buffer, self.index, keyword, &stamp(value), Some(emacs));
                                }
                                None => emacs::remove_date(buffer, self.index, keyword, Some(emacs)),
                            }
                        }
                        _ => match value {
                            Some(value) => emacs::set_property(buffer, self.index, key, value),
                            None => emacs::remove_property(buffer, self.index, key),
                        },
                    }
                }
            }));
        }
        if let Some(key) = properties.keys().find(|key| is_special(&key.to_ascii_uppercase())) {
            return Err(OrgError::invalid(format!(
                "`{key}` is not kept in a drawer: change the headline or its dates"
            )));
        }
        let drawer = self.headline.properties.as_ref();
        let (mut edits, mut new) = (Vec::new(), Vec::new());
        for (key, value) in properties {
            let old = drawer.and_then(|drawer| entry(drawer, key));
            match (old, value) {
                (Some((name, old)), Some(value)) => edits.push(self.set_value(name, old, value)),
                (Some((name, _)), None) => edits.push(replace(self.line_of(name), "")),
                (None, Some(value)) => new.push(format!(":{key}: {value}")),
                (None, None) => {}
            }
        }
        if new.is_empty() {
            return Ok(edits);
        }
        let line_break = line_break(self.text);
        match drawer {
            Some(drawer) => {
                let whole = drawer.span.of(self.text);
                let end = whole.rfind('\n').map_or(0, |at| at + 1);
                let last = &whole[end..];
                let indent = &last[..last.len() - last.trim_start_matches([' ', '\t']).len()];
                let lines: String = new.iter().map(|line| format!("{indent}{line}{line_break}")).collect();
                edits.push(replace(Span::at(drawer.span.start as usize + end), &lines));
            }
            None => {
                let above =
                    self.headline.planning.as_ref().map_or(self.headline.span, |planning| planning.span);
                let lines: String = new.iter().map(|line| format!("{line}{line_break}")).collect();
                let text = format!("{line_break}:PROPERTIES:{line_break}{lines}:END:");
                edits.push(replace(Span::at(above.end as usize), &text));
            }
        }
        Ok(edits)
    }

    fn set_value(&self, name: &str, old: &str, value: &str) -> Edit {
        if old.is_empty() {
            let colon = self.span(name).end as usize + 1;
            return replace(Span::at(colon), &format!(" {value}"));
        }
        replace(self.span(old), value)
    }

    /// Adds a headline as the last one below this one.
    ///
    /// # Errors
    /// [`OrgError::Invalid`]
    pub fn add_below(&self, new: &NewHeadline, id: &str) -> Result<Vec<Edit>, OrgError> {
        subtree::check_not_inline(self.headline, subtree::HAS_NONE_BELOW)?;
        let level = emacs::level_below(self.text, self.headline.level);
        if self.inline_tasks().is_some_and(|least| level >= least) {
            return Err(OrgError::invalid("a headline below this one would be read as an inline task"));
        }
        if let Some(emacs) = &self.emacs {
            return add_as_emacs(self.text, self.outline, new, Some(self.index), id, emacs);
        }
        add(self.text, self.outline, new, level, self.headline.section.end as usize, id)
    }

    /// Replaces text below the headline, before the next one: the only place where it occurs, or all with `all`.
    /// Without `old`, adds the new text at the end.
    ///
    /// # Errors
    /// [`OrgError::Invalid`] for text that does not occur, or occurs several times, and for headlines that
    /// would end the section.
    pub fn edit_body(&self, old: &str, new: &str, all: bool) -> Result<Vec<Edit>, OrgError> {
        if self.headline.inline.is_none() {
            check_body(new, self.headline.level)?;
        } else if !Outline::read(new).headlines.is_empty() {
            return Err(OrgError::invalid("the text of an inline task cannot contain headlines"));
        }
        self.below(|target| target.edit_own_body(old, new, all))
    }

    fn edit_own_body(&self, old: &str, new: &str, all: bool) -> Result<Vec<Edit>, OrgError> {
        let (start, body) = (self.headline.body.start as usize, self.headline.body.of(self.text));
        // What clients send has line breaks of its own.
        let line_break = line_break(self.text);
        let adapted = |text: &str| {
            let text = text.replace("\r\n", "\n");
            if line_break == "\n" { text } else { text.replace('\n', line_break) }
        };
        if old.is_empty() {
            let kept = body.trim_end().len();
            let before = &self.text[..start + kept];
            let is_at_begin = before.is_empty() || before.ends_with('\n');
            let rest = &self.text[start + kept..];
            // An empty line below stays one.
            let is_ended = rest.starts_with(['\n', '\r']) && !is_at_begin;
            let first = if is_at_begin { "" } else { line_break };
            let last = if is_ended { "" } else { line_break };
            let added = format!("{first}{}{last}", adapted(new.trim_end()));
            return Ok(vec![replace(Span::at(start + kept), &added)]);
        }
        let is_verbatim = body.contains(old);
        let (old, new) = (if is_verbatim { old.to_owned() } else { adapted(old) }, adapted(new));
        let found: Vec<usize> = body.match_indices(&old).map(|(at, _)| start + at).collect();
        let shown = OrgError::shown(&old);
        match found.len() {
            0 => Err(OrgError::invalid(format!("`{shown}` does not occur below the headline"))),
            1 => Ok(()),
            _ if all => Ok(()),
            count => Err(OrgError::invalid(format!(
                "`{shown}` occurs {count} times below the headline: include more of the text around it"
            ))),
        }?;
        let edits = found.into_iter().map(|at| replace(Span::new(at, at + old.len()), &new)).collect();
        Ok(edits)
    }

    /// Adds a star to the headline and all below it, or removes one.
    ///
    /// # Errors
    /// [`OrgError::Invalid`] for a headline of the first level, and for an inline task.
    pub(super) fn change_level(&self, demote: bool) -> Result<Vec<Edit>, OrgError> {
        subtree::check_not_inline(self.headline, "has no level")?;
        if !demote && self.headline.level == 1 {
            return Err(OrgError::invalid("a headline of the first level cannot be promoted"));
        }
        let deepest = subtree::positions(self.outline, self.index)
            .map(|at| &self.outline.headlines[at])
            .filter(|headline| headline.inline.is_none())
            .map(|headline| headline.level)
            .max();
        if demote
            && self
                .inline_tasks()
                .zip(deepest)
                .is_some_and(|(least, deepest)| emacs::level_below(self.text, deepest) >= least)
        {
            return Err(OrgError::invalid("a headline below this one would be read as an inline task"));
        }
        let align = self.emacs.is_some();
        Ok(self.emacs_edits(|buffer| emacs::change_level(buffer, self.index, demote, align)))
    }

    /// Removes the headline with everything below it.
    pub(super) fn delete(&self) -> Vec<Edit> {
        if self.emacs.is_none() {
            return vec![replace(self.headline.section, "")];
        }
        self.emacs_edits(|buffer| {
            let (section, _) = emacs::entry_of(buffer, self.index);
            emacs::cut(buffer, section.start);
        })
    }

    /// Exchanges the headline and the one before or after it, with what is below them.
    ///
    /// # Errors
    /// [`OrgError::Invalid`] where there is none.
    pub(super) fn shift(&self, direction: Direction) -> Result<Vec<Edit>, OrgError> {
        subtree::check_not_inline(self.headline, "is moved only with the headline that it is below")?;
        let mut start = None;
        let edits = self.emacs_edits(|buffer| start = emacs::shift(buffer, self.index, direction));
        if start.is_none() {
            let place = if direction == Direction::Up { "before" } else { "after" };
            return Err(OrgError::invalid(format!(
                "there is no headline of the same level {place} this one to move past"
            )));
        }
        Ok(edits)
    }

    /// Starts a clock.
    ///
    /// # Errors
    /// [`OrgError::Invalid`] where one runs in the file already.
    pub(super) fn clock_in(&self, now: Moment) -> Result<Vec<Edit>, OrgError> {
        let running = emacs::clock_lines(self.text, 0..self.text.len());
        if let Some(running) = running.iter().find(|line| line.end.is_none()) {
            let line = self.text[..running.span.start].matches('\n').count() + 1;
            let since = running.start.day_and_time();
            return Err(OrgError::invalid(format!(
                "a clock has been running on line {line} since {since}: stop or cancel it first"
            )));
        }
        self.below(|target| Ok(target.emacs_edits(|buffer| emacs::clock_in(buffer, target.index, now))))
    }

    /// Stops the clock.
    ///
    /// # Errors
    /// [`OrgError::Invalid`] where none runs below the headline.
    pub(super) fn clock_out(&self, now: Moment) -> Result<Vec<Edit>, OrgError> {
        let mut minutes = None;
        let edits = self.emacs_edits(|buffer| minutes = emacs::clock_out(buffer, self.index, now));
        match minutes {
            Some(minutes) if minutes < 0 => Err(OrgError::invalid("the clock was started later than now")),
            Some(_) => Ok(edits),
            None => Err(no_clock()),
        }
    }

    /// Removes the running clock.
    ///
    /// # Errors
    /// [`OrgError::Invalid`] where none runs below the headline.
    pub(super) fn clock_cancel(&self) -> Result<Vec<Edit>, OrgError> {
        let mut has_run = false;
        let edits = self.emacs_edits(|buffer| has_run = emacs::clock_cancel(buffer, self.index));
        if has_run { Ok(edits) } else { Err(no_clock()) }
    }

    /// Sets the checkbox of the item with this text, or toggles it, and updates those above it and the cookies.
    ///
    /// # Errors
    /// [`OrgError::Invalid`] where not exactly one item with a checkbox has the text.
    pub fn set_checkbox(&self, item: &str, checked: Option<bool>) -> Result<Vec<Edit>, OrgError> {
        let mut result = Ok(());
        let edits = self.emacs_edits(|buffer| {
            result = emacs::set_checkbox(buffer, self.index, item, checked);
        });
        let shown = OrgError::shown(item);
        result.map(|()| edits).map_err(|why| {
            OrgError::invalid(match why {
                NoCheckbox::Missing => {
                    format!("no item with a checkbox contains `{shown}` directly below the headline")
                }
                NoCheckbox::Several(lines) => {
                    let lines: Vec<String> = lines.iter().map(usize::to_string).collect();
                    format!(
                        "`{shown}` is in several items, on lines {}: write more of its text",
                        lines.join(", ")
                    )
                }
                NoCheckbox::Derived => {
                    format!(
                        "the checkbox of `{shown}` follows from those of the items below it: change those"
                    )
                }
            })
        })
    }

    fn span(&self, part: &str) -> Span {
        span_in(self.text, part)
    }

    /// A keyword of planning with its date and the whitespace before it, or after it where it is the first.
    fn entry(&self, keyword: &str, stamp: &str) -> Span {
        let whole = self.span(keyword).cover(self.span(stamp));
        let after = &self.text[whole.end as usize..];
        let spaces = after.len() - after.trim_start_matches([' ', '\t']).len();
        Span::new(whole.start as usize, whole.end as usize + spaces)
    }

    /// The whole line that has this part, with its line break.
    fn line_of(&self, part: &str) -> Span {
        let span = self.span(part);
        let start = self.text[..span.start as usize].rfind('\n').map_or(0, |at| at + 1);
        let end = self.text[span.end as usize..]
            .find('\n')
            .map_or(self.text.len(), |at| span.end as usize + at + 1);
        Span::new(start, end)
    }

    /// Lines with the line break after them.
    fn with_line_break(&self, span: Span) -> Span {
        let rest = &self.text[span.end as usize..];
        let length = rest.find('\n').map_or(rest.len(), |at| at + 1);
        Span::new(span.start as usize, span.end as usize + length)
    }
}

/// Sets the TODO keywords of headlines, one after the other, as Emacs does it or minimally: their positions in the outline, and
/// the new keywords.
///
/// # Errors
/// [`OrgError::Invalid`] for a keyword that the file does not have.
pub(super) fn set_states(
    text: &str,
    setup: &Setup,
    changes: &[(usize, &str)],
    emacs: Option<&Emacs>,
) -> Result<Vec<Edit>, OrgError> {
    let mut buffer = Buffer::new(text, setup);
    for (index, state) in changes {
        if !state.is_empty() {
            check_keyword(&buffer.document().settings(), state)?;
        }
        match emacs {
            Some(emacs) => {
                set_state_as_emacs(&mut buffer, *index, state, None, emacs);
                buffer.save();
            }
            None => change_keyword(&mut buffer, *index, state),
        }
    }
    Ok(buffer.written(text))
}

/// Sets the TODO keyword as Emacs does it. An inline task of one line gets an end where that adds lines, since they would not
/// be its own.
fn set_state_as_emacs(buffer: &mut Buffer, index: usize, state: &str, note: Option<&str>, emacs: &Emacs) {
    let set = |buffer: &mut Buffer| emacs::set_state(buffer, index, state, note, emacs);
    let headline = buffer.headline(index);
    if !headline.is_one_line() {
        return set(buffer);
    }
    let (end, level) = (headline.span.end as usize, headline.level);
    if !buffer.change_within_lines(set) {
        let line_break = line_break(buffer.text());
        buffer.replace(end..end, &format!("{line_break}{} END", "*".repeat(level)));
        set(buffer);
    }
}

/// Sets the TODO keyword, and changes nothing else.
fn change_keyword(buffer: &mut Buffer, index: usize, state: &str) {
    let edit = keyword_edit(buffer.text(), &buffer.headline(index), state);
    if let Some(edit) = edit {
        buffer.replace(edit.span.range(), &edit.new);
    }
}

/// The edit that sets the TODO keyword of a headline.
fn keyword_edit(text: &str, headline: &Headline<'_>, state: &str) -> Option<Edit> {
    let edit = match (headline.todo, state) {
        (Some(old), "") => {
            let span = span_in(text, old);
            let rest = &text[span.end as usize..headline.span.end as usize];
            let spaces = rest.len() - rest.trim_start_matches([' ', '\t']).len();
            replace(Span::new(span.start as usize, span.end as usize + spaces), "")
        }
        (Some(old), _) => replace(span_in(text, old), state),
        (None, "") => return None,
        (None, _) => {
            let after_stars = headline.span.start as usize + headline.level + 1;
            replace(Span::at(after_stars), &format!("{state} "))
        }
    };
    Some(edit)
}

/// The span of a part of `text`.
fn span_in(text: &str, part: &str) -> Span {
    let start = part.as_ptr() as usize - text.as_ptr() as usize;
    Span::new(start, start + part.len())
}

/// Several changes of one headline, made one after the other, as one edit.
#[derive(Debug, Clone, Default)]
pub struct Changes {
    /// A new TODO keyword; empty for none.
    pub state: Option<String>,
    /// Changes of the title and the tags.
    pub line: LineChange,
    /// Changes of dates.
    pub dates: Dates,
    /// New values of properties; nothing to remove one.
    pub properties: BTreeMap<String, Option<String>>,
}

impl Changes {
    /// The edit of the headline `target` that makes all changes, and records a note on that of its keyword.
    ///
    /// # Errors
    /// [`OrgError::Invalid`]
    pub fn edits(&self, target: &Target<'_, '_>, note: Option<Note<'_>>) -> Result<Vec<Edit>, OrgError> {
        let mut changing = Changing::new(target.text);
        let mut step = |make: &dyn Fn(&Target<'_, '_>) -> Result<Vec<Edit>, OrgError>| {
            let outline = Outline::read_with(changing.text(), target.outline.setup());
            let edits = make(&Target::new(changing.text(), &outline, target.index, target.emacs))?;
            changing.apply(edits)
        };
        if let Some(state) = &self.state {
            step(&|target| target.set_state(state, note))?;
        }
        step(&|target| target.set_line(&self.line))?;
        step(&|target| target.set_dates(&self.dates))?;
        step(&|target| target.set_properties(&self.properties))?;
        Ok(changing.edits())
    }
}

/// Adds a headline below another one, or at the end of a file.
///
/// # Errors
/// [`OrgError::Invalid`]
pub(super) fn add_headline(
    text: &str,
    outline: &Outline<'_>,
    parent: Option<usize>,
    id: &str,
    new: &NewHeadline,
    emacs: Option<Emacs>,
) -> Result<Vec<Edit>, OrgError> {
    match (parent, emacs) {
        (Some(parent), emacs) => Target::new(text, outline, parent, emacs).add_below(new, id),
        (None, Some(emacs)) => add_as_emacs(text, outline, new, None, id, &emacs),
        (None, None) => add(text, outline, new, 1, text.len(), id),
    }
}

/// Sets properties of a file itself, or removes those without a value.
///
/// # Errors
/// [`OrgError::Invalid`] for a name or value that a drawer cannot hold.
pub(super) fn set_file_properties(
    text: &str,
    setup: &Setup,
    properties: &BTreeMap<String, Option<String>>,
) -> Result<Vec<Edit>, OrgError> {
    for (key, value) in properties {
        check_property(key, value.as_deref())?;
    }
    Ok(Emacs::edits(text, setup, |buffer| {
        for (key, value) in properties {
            match value {
                Some(value) => emacs::set_file_property(buffer, key, value),
                None => emacs::remove_file_property(buffer, key),
            }
        }
    }))
}

/// Adds a headline by the commands of Emacs, one after the other: at the end of what is below the headline at
/// `parent`, or of the file.
fn add_as_emacs(
    text: &str,
    outline: &Outline<'_>,
    new: &NewHeadline,
    parent: Option<usize>,
    id: &str,
    emacs: &Emacs,
) -> Result<Vec<Edit>, OrgError> {
    check_title(&new.title)?;
    let state = new.todo.as_deref().filter(|state| !state.is_empty());
    if let Some(state) = state {
        check_state(outline, state)?;
    }
    for tag in &new.tags {
        check_tag(tag)?;
    }
    let level = parent.map_or(1, |parent| emacs::level_below(text, outline.headlines[parent].level));
    let body = new.body.as_deref().map(str::trim_end).filter(|body| !body.is_empty());
    if let Some(body) = body {
        check_body(body, level)?;
    }
    let stamp = |date: &Option<String>| date.as_deref().map(|date| date::timestamp(date, None)).transpose();
    let (scheduled, deadline) = (stamp(&new.scheduled)?, stamp(&new.deadline)?);
    Ok(Emacs::edits(text, outline.setup(), |buffer| {
        // With the tags, so that the end of the title is not taken for some.
        let tags = if new.tags.is_empty() { String::new() } else { format!(" :{}:", new.tags.join(":")) };
        let index = emacs::add_headline(buffer, parent, level, &format!("{}{tags}", new.title.trim()));
        if let Some(state) = state {
            emacs::set_first_state(buffer, index, state, emacs);
        }
        // Without tags, the end of the title stays as it is, even if it looks like tags.
        if !new.tags.is_empty() {
            emacs::set_tags(buffer, index, &new.tags.iter().map(String::as_str).collect::<Vec<_>>());
        }
        for (keyword, stamp) in [(Keyword::Scheduled, &scheduled), (Keyword::Deadline, &deadline)] {
            if let Some(stamp) = stamp {
                emacs::set_date(buffer, index, keyword, stamp, None);
            }
        }
        emacs::set_property(buffer, index, "ID", id);
        if let Some(body) = body {
            emacs::add_body(buffer, index, body);
        }
    }))
}

fn add(
    text: &str,
    outline: &Outline<'_>,
    new: &NewHeadline,
    level: usize,
    at: usize,
    id: &str,
) -> Result<Vec<Edit>, OrgError> {
    check_title(&new.title)?;
    let mut line = "*".repeat(level);
    if let Some(state) = new.todo.as_deref().filter(|state| !state.is_empty()) {
        check_state(outline, state)?;
        line = line + " " + state;
    }
    line = line + " " + new.title.trim();
    for tag in &new.tags {
        check_tag(tag)?;
    }
    if !new.tags.is_empty() {
        line = format!("{line} :{}:", new.tags.join(":"));
    }
    let mut lines = vec![line];
    let dates = [("DEADLINE", &new.deadline), ("SCHEDULED", &new.scheduled)];
    let mut planning = Vec::new();
    for (keyword, date) in dates {
        if let Some(date) = date {
            planning.push(format!("{keyword}: {}", date::timestamp(date, None)?));
        }
    }
    if !planning.is_empty() {
        lines.push(planning.join(" "));
    }
    lines.extend([":PROPERTIES:".to_owned(), format!(":ID: {id}"), ":END:".to_owned()]);
    if let Some(body) = new.body.as_deref().map(str::trim_end).filter(|body| !body.is_empty()) {
        check_body(body, level)?;
        lines.extend(body.lines().map(str::to_owned));
    }
    let line_break = line_break(text);
    let before = if at == 0 || text[..at].ends_with('\n') { "" } else { line_break };
    let body: String = lines.iter().map(|line| format!("{line}{line_break}")).collect();
    Ok(vec![replace(Span::at(at), &format!("{before}{body}"))])
}

/// A new ID: 122 random bits in the form of a UUID (RFC 9562, version 4).
pub(super) fn new_id() -> String {
    // Each state has fresh keys, which come from the operating system.
    let random = || RandomState::new().hash_one(0_u8);
    let (high, low) = (random(), random());
    let high = high & !0xF000 | 0x4000;
    let low = low & !(0b11 << 62) | 0b10 << 62;
    let hex = format!("{high:016x}{low:016x}");
    format!("{}-{}-{}-{}-{}", &hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..])
}

fn no_clock() -> OrgError {
    OrgError::invalid("no clock is running directly below the headline")
}

fn replace(span: Span, new: &str) -> Edit {
    Edit { span, new: new.to_owned() }
}

/// How the lines of a document end.
fn line_break(text: &str) -> &'static str {
    if text.contains("\r\n") { "\r\n" } else { "\n" }
}

fn entry<'d>(drawer: &'d Drawer<'_>, key: &str) -> Option<(&'d str, &'d str)> {
    drawer.entries.iter().rev().find(|(name, _)| name.eq_ignore_ascii_case(key)).copied()
}

fn check_state(outline: &Outline<'_>, state: &str) -> Result<(), OrgError> {
    check_keyword(&outline.settings, state)
}

fn check_keyword(settings: &Settings<'_>, state: &str) -> Result<(), OrgError> {
    let mut known = settings.sequences.iter().flat_map(|sequence| &sequence.keywords);
    if known.clone().any(|known| known == state) {
        return Ok(());
    }
    let known: Vec<&str> = known.by_ref().map(String::as_str).collect();
    let shown = OrgError::shown(state);
    Err(OrgError::invalid(format!(
        "`{shown}` is not a TODO keyword of this file: it has {}",
        known.join(", ")
    )))
}

fn check_title(title: &str) -> Result<(), OrgError> {
    if title.trim().is_empty() {
        return Err(OrgError::invalid("a title cannot be empty or contain only whitespace"));
    }
    if title.contains(['\n', '\r']) {
        return Err(OrgError::invalid("a title cannot contain line breaks"));
    }
    Ok(())
}

fn check_priority(outline: &Outline<'_>, priority: &str) -> Result<(), OrgError> {
    let (highest, lowest) = outline.settings.priorities;
    if rank(priority).is_some_and(|rank| (highest..=lowest).contains(&rank)) {
        return Ok(());
    }
    let written = |rank: u32| match char::from_u32(rank) {
        Some(letter) if rank > 64 => letter.to_string(),
        _ => rank.to_string(),
    };
    let (shown, highest, lowest) = (OrgError::shown(priority), written(highest), written(lowest));
    Err(OrgError::invalid(format!("`{shown}` is not a priority of this file: it has {highest} to {lowest}")))
}

/// Whether Org keeps this elsewhere than in a drawer (`org-special-properties`).
fn is_special(key: &str) -> bool {
    let names = [
        "ALLTAGS",
        "BLOCKED",
        "CLOCKSUM",
        "CLOCKSUM_T",
        "CLOSED",
        "DEADLINE",
        "FILE",
        "ITEM",
        "PRIORITY",
        "SCHEDULED",
        "TAGS",
        "TIMESTAMP",
        "TIMESTAMP_IA",
        "TODO",
    ];
    names.contains(&key)
}

/// Checks what is set as a property and kept elsewhere, as `org-entry-put` sets it.
fn check_special(outline: &Outline<'_>, key: &str, value: Option<&str>) -> Result<(), OrgError> {
    match (key.to_ascii_uppercase().as_str(), value) {
        ("TODO", Some(state)) => check_state(outline, state),
        ("PRIORITY", Some(priority)) => check_priority(outline, priority),
        ("SCHEDULED" | "DEADLINE", Some(date)) => date::timestamp(date, None).map(|_| ()),
        ("TODO" | "PRIORITY" | "SCHEDULED" | "DEADLINE", None) => Ok(()),
        (key, _) if is_special(key) => Err(OrgError::invalid(format!(
            "`{key}` cannot be set as a property: Org derives it from the headline, its dates, or its file"
        ))),
        _ => Ok(()),
    }
}

fn check_body(body: &str, level: usize) -> Result<(), OrgError> {
    let outline = Outline::read(body);
    if outline.headlines.iter().all(|headline| headline.level > level) {
        return Ok(());
    }
    Err(OrgError::invalid(format!("the body cannot contain headlines at level {level} or above")))
}

fn check_tag(tag: &str) -> Result<(), OrgError> {
    let fits = |c: char| c.is_alphanumeric() || matches!(c, '_' | '@' | '#' | '%');
    if !tag.is_empty() && tag.chars().all(fits) {
        return Ok(());
    }
    let shown = OrgError::shown(tag);
    Err(OrgError::invalid(format!("`{shown}` is not a tag: use letters, digits, `_`, `@`, `#`, or `%`")))
}

fn check_property(key: &str, value: Option<&str>) -> Result<(), OrgError> {
    let is_key = !key.is_empty() && !key.contains([' ', '\t', '\n', '\r', ':']);
    if !is_key {
        let shown = OrgError::shown(key);
        return Err(OrgError::invalid(format!("`{shown}` is not the name of a property")));
    }
    let is_value = value.is_none_or(|value| !value.contains(['\n', '\r']) && !value.trim().is_empty());
    if is_value {
        Ok(())
    } else {
        Err(OrgError::invalid(format!("the value of `{key}` must be one line of text")))
    }
}

#[cfg(test)]
mod tests {
    use proptest::{prelude::*, test_runner::RngSeed};

    use super::*;
    use crate::{budget::Budget, project::LogDone};

    fn changed(text: &str, change: impl Fn(&Target<'_, '_>) -> Result<Vec<Edit>, OrgError>) -> String {
        let outline = Outline::read(text);
        apply_edits(text, &change(&Target::new(text, &outline, 0, None)).unwrap()).unwrap()
    }

    #[test]
    fn states_are_set_changed_and_removed() {
        let set = |text, state| changed(text, |target| target.set_state(state, None));
        assert_eq!(set("*  A :t:\n", "TODO"), "* TODO  A :t:\n");
        assert_eq!(set("* TODO [#A] A\r\n", "DONE"), "* DONE [#A] A\r\n");
        assert_eq!(set("* TODO  A\n", ""), "* A\n");
        let outline = Outline::read("* A\n");
        let target = Target::new("* A\n", &outline, 0, None);
        assert!(target.set_state("NEXT", None).is_err_and(|error| error.to_string().contains("TODO, DONE")));
    }

    fn emacs() -> Emacs {
        let now = Moment::of((2026, 2, 20), (12, 0));
        Emacs { now, log_done: LogDone::Time, log_repeat: true, log_into_drawer: false }
    }

    #[test]
    fn work_for_the_states_of_many_headlines_grows_with_their_number() {
        for emacs in [None, Some(&emacs())] {
            let steps = |count: usize| {
                let task = "** TODO Task :a:\n:PROPERTIES:\n:ID: a\n:END:\nSome text.\n";
                let text = format!("#+STARTUP: logdrawer\n* Work [0/0]\n{}", task.repeat(count));
                let changes: Vec<_> = (1..=count).map(|index| (index, "DONE")).collect();
                let work = || set_states(&text, &Setup::default(), &changes, emacs);
                let (edits, spent) = Budget::default().spend(work);
                let changed = apply_edits(&text, &edits.unwrap()).unwrap();
                assert_eq!(changed.matches("** DONE Task").count(), count);
                spent.steps
            };
            let (few, many) = (steps(100), steps(400));
            assert!(few > 1_000 && many < few * 5, "{few} steps for 100, {many} for 400");
        }
    }

    const PIECES: [&str; 24] = [
        "* TODO A [0/0]\n",
        "** TODO B :x:\n",
        "** DONE C\n",
        "*** NEXT [#A] D [50%]\n",
        "* E\n",
        "** COMMENT TODO F\n",
        "***** TODO T\n",
        "***** END\n",
        "SCHEDULED: <2026-01-31 Sat +1w>\n",
        "DEADLINE: <2026-01-31 Sat>\n",
        "CLOSED: [2026-01-31 Sat 09:00]\n",
        ":PROPERTIES:\n",
        ":LOG_INTO_DRAWER: t\n",
        ":COOKIE_DATA: recursive\n",
        ":LOGGING: nil\n",
        ":END:\n",
        ":LOGBOOK:\n",
        "- State \"DONE\" from \"TODO\" [2026-01-31 Sat 10:00]\n",
        "text\n",
        "\n",
        "#+begin_src org\n",
        "#+end_src\n",
        "CLOCK: [2026-01-31 Sat 09:00]\n",
        "<2026-01-31 Sat ++1m>\n",
    ];

    proptest! {
        #![proptest_config(ProptestConfig { cases: 1000, rng_seed: RngSeed::Fixed(1), ..ProptestConfig::default() })]

        #[test]
        fn the_states_of_several_headlines_are_set_as_one_after_the_other(
            pieces in proptest::collection::vec(proptest::sample::select(&PIECES[..]), 1..16),
            states in proptest::collection::vec(proptest::sample::select(&["", "TODO", "NEXT", "DONE", "WAIT"][..]), 16),
            is_ended in any::<bool>(),
            is_crlf in any::<bool>(),
            inline_tasks in proptest::option::of(Just(5)),
            as_emacs in any::<bool>(),
        ) {
            let text = "#+TODO: TODO NEXT WAIT(w!) | DONE(d!/!)\n".to_owned() + &pieces.concat();
            let text = if is_ended { text } else { text.trim_end().to_owned() };
            let text = if is_crlf { text.replace('\n', "\r\n") } else { text };
            let setup = Setup::default().with_inline_tasks(inline_tasks);
            let emacs = as_emacs.then(emacs);
            let count = Outline::read_with(&text, &setup).headlines.len();
            let changes: Vec<_> = (0..count).zip(states.iter().copied()).collect();
            let mut one_by_one = text.clone();
            for (index, state) in &changes {
                let outline = Outline::read_with(&one_by_one, &setup);
                let edits = Target::new(&one_by_one, &outline, *index, emacs).set_state(state, None).unwrap();
                let next = apply_edits(&one_by_one, &edits).unwrap();
                one_by_one = next;
            }
            let edits = set_states(&text, &setup, &changes, emacs.as_ref()).unwrap();
            prop_assert_eq!(apply_edits(&text, &edits).unwrap(), one_by_one);
        }
    }

    #[test]
    fn dates_are_set_changed_and_removed() {
        let set = |text: &str, scheduled: Option<&str>| {
            let dates = Dates { scheduled: Some(scheduled.map(str::to_owned)), deadline: None };
            changed(text, |target| target.set_dates(&dates))
        };
        assert_eq!(set("* A\ntext\n", Some("2026-01-31")), "* A\nSCHEDULED: <2026-01-31 Sat>\ntext\n");
        assert_eq!(
            set("* A\n  DEADLINE: <2026-02-01 Sun>\n", Some("2026-01-31")),
            "* A\n  SCHEDULED: <2026-01-31 Sat> DEADLINE: <2026-02-01 Sun>\n"
        );
        let both = "* A\r\nSCHEDULED: <2026-01-24 Sat +1w> CLOSED: [2026-01-01 Thu]\r\nx\r\n";
        assert_eq!(
            set(both, Some("2026-01-31")),
            "* A\r\nSCHEDULED: <2026-01-31 Sat +1w> CLOSED: [2026-01-01 Thu]\r\nx\r\n"
        );
        assert_eq!(set(both, None), "* A\r\nCLOSED: [2026-01-01 Thu]\r\nx\r\n");
        assert_eq!(set("* A\nSCHEDULED: <2026-01-24 Sat>\nx\n", None), "* A\nx\n");
        let twice = "* A\nSCHEDULED: <2026-01-24 Sat>\nDEADLINE: <2026-02-01 Sun>\n";
        assert_eq!(set(twice, None), "* A\n\nDEADLINE: <2026-02-01 Sun>\n");
        assert_eq!(set("* A", Some("2026-01-31")), "* A\nSCHEDULED: <2026-01-31 Sat>");
    }

    #[test]
    fn properties_are_set_changed_and_removed() {
        let set = |text: &str, key: &str, value: Option<&str>| {
            let properties = BTreeMap::from([(key.to_owned(), value.map(str::to_owned))]);
            changed(text, |target| target.set_properties(&properties))
        };
        assert_eq!(set("* A\nx\n", "Effort", Some("1:00")), "* A\n:PROPERTIES:\n:Effort: 1:00\n:END:\nx\n");
        let drawer = "* A\n  :PROPERTIES:\n  :ID:  a\n  :B:\n  :END:\n";
        assert_eq!(set(drawer, "C", Some("c")), "* A\n  :PROPERTIES:\n  :ID:  a\n  :B:\n  :C: c\n  :END:\n");
        assert_eq!(set(drawer, "id", Some("c")), "* A\n  :PROPERTIES:\n  :ID:  c\n  :B:\n  :END:\n");
        assert_eq!(set(drawer, "B", Some("c")), "* A\n  :PROPERTIES:\n  :ID:  a\n  :B: c\n  :END:\n");
        assert_eq!(set(drawer, "B", None), "* A\n  :PROPERTIES:\n  :ID:  a\n  :END:\n");
    }

    #[test]
    fn titles_and_tags_are_changed() {
        let set = |text: &str, title: Option<&str>, add: &[&str], remove: &[&str]| {
            let owned = |tags: &[&str]| tags.iter().map(|&tag| tag.to_owned()).collect();
            let change = LineChange {
                title: title.map(str::to_owned),
                priority: None,
                add_tags: owned(add),
                remove_tags: owned(remove),
            };
            changed(text, |target| target.set_line(&change))
        };
        assert_eq!(set("* TODO A   :x:y:\n", Some("B"), &[], &["x"]), "* TODO B   :y:\n");
        assert_eq!(set("* A   :x:\n", None, &[], &["x"]), "* A\n");
        assert_eq!(set("* :x:\n", Some("A"), &[], &[]), "* A :x:\n");
        assert_eq!(set("* TODO\n", Some("A"), &[], &[]), "* TODO A\n");
        assert_eq!(set("* A\n", None, &["x", "y"], &[]), "* A :x:y:\n");
        assert_eq!(set("* :x:\n", None, &[], &["x"]), "* \n");
    }

    /// A change of the second headline, where headlines with 15 stars are inline tasks.
    fn of_task(
        text: &str,
        change: impl Fn(&Target<'_, '_>) -> Result<Vec<Edit>, OrgError>,
    ) -> Result<String, OrgError> {
        let outline = Outline::read_as(text, Some(15));
        let edits = change(&Target::new(text, &outline, 1, None))?;
        Ok(apply_edits(text, &edits).unwrap())
    }

    const TASK: &str = "* A\n*************** TODO T\nx\n";
    const ENDED: &str = "* A\n*************** TODO T\nx\n*************** END\ny\n";

    #[test]
    fn an_inline_task_of_one_line_gets_an_end_with_what_is_below_it() {
        let dates = Dates { scheduled: Some(Some("2026-01-31".to_owned())), deadline: None };
        let properties = BTreeMap::from([("Effort".to_owned(), Some("1:00".to_owned()))]);
        let expected =
            |below: &str| format!("* A\n*************** TODO T\n{below}\n*************** END\nx\n");
        let dated = of_task(TASK, |target| target.set_dates(&dates)).unwrap();
        assert_eq!(dated, expected("SCHEDULED: <2026-01-31 Sat>"));
        let with_properties = of_task(TASK, |target| target.set_properties(&properties)).unwrap();
        assert_eq!(with_properties, expected(":PROPERTIES:\n:Effort: 1:00\n:END:"));
        let with_text = of_task(TASK, |target| target.edit_body("", "new\n", false)).unwrap();
        assert_eq!(with_text, expected("new"));
        let done = of_task(TASK, |target| target.set_state("DONE", None)).unwrap();
        assert_eq!(done, "* A\n*************** DONE T\nx\n");
        let without_break =
            of_task(TASK.trim_end_matches("\nx\n"), |target| target.set_dates(&dates)).unwrap();
        assert_eq!(without_break, expected("SCHEDULED: <2026-01-31 Sat>").trim_end_matches("\nx\n"));
    }

    #[test]
    fn an_inline_task_keeps_its_end() {
        let dates = Dates { scheduled: Some(Some("2026-01-31".to_owned())), deadline: None };
        let dated = of_task(ENDED, |target| target.set_dates(&dates)).unwrap();
        assert_eq!(dated, ENDED.replace("\nx\n", "\nSCHEDULED: <2026-01-31 Sat>\nx\n"));
        let edited = of_task(ENDED, |target| target.edit_body("x", "z", false)).unwrap();
        assert_eq!(edited, ENDED.replace("\nx\n", "\nz\n"));
        let added = of_task(ENDED, |target| target.edit_body("", "z", false)).unwrap();
        assert_eq!(added, ENDED.replace("\nx\n", "\nx\nz\n"));
        assert!(of_task(ENDED, |target| target.edit_body("y", "z", false)).is_err());
        assert!(of_task(ENDED, |target| target.edit_body("", "* B", false)).is_err());
        let new = NewHeadline { title: "B".to_owned(), ..NewHeadline::default() };
        let refused = of_task(ENDED, |target| target.add_below(&new, "id")).unwrap_err();
        assert_eq!(refused.to_string(), "`T` is an inline task, which has no headlines below it");
    }

    #[test]
    fn priorities_are_set_changed_and_removed() {
        let set = |text: &str, priority: Option<&str>| {
            let change = LineChange { priority: Some(priority.map(str::to_owned)), ..LineChange::default() };
            changed(text, |target| target.set_line(&change))
        };
        assert_eq!(set("* TODO  A :t:\n", Some("a")), "* TODO [#A]  A :t:\n");
        assert_eq!(set("* A\n", Some("B")), "* [#B] A\n");
        assert_eq!(set("* TODO [#A]  A\n", Some("B")), "* TODO [#B]  A\n");
        assert_eq!(set("* TODO [#A]  A\n", None), "* TODO A\n");
        let outline = Outline::read("* A\n");
        let target = Target::new("* A\n", &outline, 0, None);
        let change = LineChange { priority: Some(Some("D".into())), ..LineChange::default() };
        let why = target.set_line(&change).unwrap_err().to_string();
        assert_eq!(why, "`D` is not a priority of this file: it has A to C");
    }

    #[test]
    fn several_changes_are_one_edit() {
        let changes = Changes {
            state: Some("DONE".into()),
            line: LineChange { add_tags: vec!["x".into()], ..LineChange::default() },
            dates: Dates { scheduled: Some(Some("2026-01-31".into())), deadline: None },
            properties: BTreeMap::from([("Effort".into(), Some("1:00".into()))]),
        };
        let text = changed("* A\n* B\n", |target| changes.edits(target, None));
        assert_eq!(
            text,
            "* DONE A :x:\nSCHEDULED: <2026-01-31 Sat>\n:PROPERTIES:\n:Effort: 1:00\n:END:\n* B\n"
        );
    }

    #[test]
    fn text_below_a_headline_is_replaced_and_added() {
        let edit =
            |text: &str, old: &str, new: &str, all| changed(text, |target| target.edit_body(old, new, all));
        assert_eq!(edit("* A\none two\n** B\none\n", "one", "1", false), "* A\n1 two\n** B\none\n");
        assert_eq!(edit("* A\nx x\n", "x", "y", true), "* A\ny y\n");
        assert_eq!(edit("* A\nx\n\n** B\n", "", "y\n", false), "* A\nx\ny\n\n** B\n");
        assert_eq!(edit("* A\n\n* B\n", "", "y", false), "* A\ny\n\n* B\n", "the empty line stays");
        assert_eq!(edit("* A :x:\r\none\r\n", "one", "1\n2", false), "* A :x:\r\n1\r\n2\r\n");
        assert_eq!(edit("* A\r\n1\r\n2\r\n", "1\n2", "3", false), "* A\r\n3\r\n");
        assert_eq!(edit("* A\r\n* B\r\n", "", "y\nz", false), "* A\r\ny\r\nz\r\n* B\r\n");
        assert_eq!(edit("* A", "", "y", false), "* A\ny\n");
        let outline = Outline::read("* A\nx x\n** B\ny\n");
        let target = Target::new("* A\nx x\n** B\ny\n", &outline, 0, None);
        let why = |old: &str, new: &str| target.edit_body(old, new, false).unwrap_err().to_string();
        assert!(why("x", "z").contains("occurs 2 times"));
        assert!(why("y", "z").contains("does not occur"));
        assert!(why("x x", "a\n* C").contains("at level 1 or above"));
    }

    #[test]
    fn a_new_headline_goes_to_the_end_of_its_section() {
        let new = NewHeadline {
            title: "C".into(),
            todo: Some("TODO".into()),
            tags: vec!["t".into()],
            deadline: Some("2026-01-31".into()),
            body: Some("text\n".into()),
            ..NewHeadline::default()
        };
        let text = changed("* A\n** B\n* D\n", |target| target.add_below(&new, "1"));
        let added = "** TODO C :t:\nDEADLINE: <2026-01-31 Sat>\n:PROPERTIES:\n:ID: 1\n:END:\ntext\n";
        assert_eq!(text, format!("* A\n** B\n{added}* D\n"));
        let outline = Outline::read("* A\n");
        let bad = NewHeadline { title: "C".into(), body: Some("* x".into()), ..NewHeadline::default() };
        assert!(add_headline("* A\n", &outline, None, "1", &bad, None).is_err());
        assert_eq!(new_id().len(), 36);
        assert_ne!(new_id(), new_id());
    }
}
