//! Changing the keyword of a headline, with what Org does then: dates, cookies, repeaters.

use super::{
    Emacs,
    buffer::Buffer,
    cookies, drawer,
    headline::{align_tags, one_space_after_keyword, set_keyword, toggle_comment},
    inherited, log,
    log::{Previous, Record},
    planning,
    planning::Keyword,
    repeat,
};
use crate::project::LogDone;

/// What is recorded about changes of keywords.
#[derive(Debug, Clone)]
struct Logging {
    /// `CLOSED` (`org-log-done`).
    done: LogDone,
    /// `LAST_REPEAT` (`org-log-repeat`), and whether it asks for a note.
    repeat: Option<How>,
    /// What keywords ask for, `WAIT(w@/!)`: when they are set, and when they are left (`org-todo-log-states`).
    states: Vec<(String, Option<How>, Option<How>)>,
}

/// How a change is recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum How {
    /// With its time.
    Time,
    /// With a note.
    Note,
}

/// Sets the TODO keyword (`org-todo`); the empty string for none. A note is recorded in any case, as with a prefix
/// argument.
pub(in super::super) fn set(
    buffer: &mut Buffer,
    index: usize,
    state: &str,
    note: Option<&str>,
    emacs: &Emacs,
) {
    let logging = Logging::of(buffer, index, emacs);
    let forced = note.map(|_| How::Note);
    let Some((mut record, how)) = change(buffer, index, state, &logging, forced, emacs) else { return };
    record.note = note.filter(|_| how == How::Note).map(str::to_owned);
    log::store(buffer, index, &record, emacs.log_into_drawer, emacs.now);
}

/// Sets the TODO keyword of a new headline, which is not recorded.
pub(in super::super) fn set_first(buffer: &mut Buffer, index: usize, state: &str, emacs: &Emacs) {
    let logging = Logging::of(buffer, index, emacs);
    let _ = change(buffer, index, state, &logging, None, emacs);
}

/// Sets the TODO keyword; what is to be recorded of that.
fn change(
    buffer: &mut Buffer,
    index: usize,
    state: &str,
    logging: &Logging,
    forced: Option<How>,
    emacs: &Emacs,
) -> Option<(Record, How)> {
    let is_commented = buffer.entry(index).is_commented;
    if is_commented {
        toggle_comment(buffer, index);
    }
    let old = buffer.entry(index).todo.map(|todo| buffer.text()[todo].to_owned()).unwrap_or_default();
    set_keyword(buffer, index, state);
    let (was_done, is_done) = (is_final(buffer, &old), is_final(buffer, state));
    let is_done_now = is_done && !was_done;
    let mut record = None;
    if logging.done != LogDone::Nothing || !logging.states.is_empty() || forced.is_some() {
        let was_open = !old.is_empty() && !was_done;
        if state.is_empty() || (!is_done && !was_open) {
            planning::remove_from(buffer, index, Keyword::Closed, planning::Case::Exact);
        }
        let how = forced.or_else(|| logging.of_change(&old, state)).filter(|_| !state.is_empty());
        let of = |state: Option<&str>| Record {
            state: state.map(str::to_owned),
            previous: Previous::of_change(&old),
            ..Record::default()
        };
        record = how.map(|how| (of(Some(state)), how));
        if is_done_now && logging.done != LogDone::Nothing {
            planning::close(buffer, index, emacs);
            if logging.done == LogDone::Note && record.is_none() {
                record = Some((of(None), How::Note));
            }
        }
    }
    align_tags(buffer, index);
    cookies::update_above(buffer, index);
    let repeats = is_done_now && repeat::repeats(buffer, index);
    if repeats {
        start_again(buffer, index, &old, logging, emacs);
        if let Some(of_repeat) = logging.repeat {
            let repetition = Record {
                state: Some(state.to_owned()),
                previous: Previous::of_repetition(&old),
                ..Record::default()
            };
            record = Some(match record {
                Some((record, how)) => (record, if of_repeat == How::Note { How::Note } else { how }),
                None => (repetition, of_repeat),
            });
        }
    } else {
        one_space_after_keyword(buffer, index);
    }
    if is_commented {
        toggle_comment(buffer, index);
    }
    record
}

fn is_final(buffer: &Buffer, state: &str) -> bool {
    !state.is_empty() && buffer.document().settings().is_final(state)
}

/// Sets a repeating task back to where it began, and moves its dates (`org-auto-repeat-maybe`).
fn start_again(buffer: &mut Buffer, index: usize, old: &str, logging: &Logging, emacs: &Emacs) {
    let state = first_state(buffer, index, old);
    let silent = Logging { done: LogDone::Nothing, repeat: logging.repeat, states: Vec::new() };
    change(buffer, index, &state, &silent, None, emacs);
    planning::remove_from(buffer, index, Keyword::Closed, planning::Case::Exact);
    let entry = buffer.entry(index);
    let has_clock =
        buffer.text()[entry.start..entry.end].lines().any(|line| line.trim_start().starts_with("CLOCK:"));
    if logging.repeat.is_some() || has_clock {
        drawer::put(buffer, index, "LAST_REPEAT", &format!("[{}]", emacs.now.day_and_time()));
    }
    let scheduled = planning::get(buffer, index, Keyword::Scheduled);
    if scheduled.is_some_and(|stamp| !repeat::has_repeater(&stamp)) {
        planning::remove_all(buffer, index, Keyword::Scheduled);
    }
    repeat::shift(buffer, index, emacs.now);
}

/// The keyword of a repeating task that begins again: as its property `REPEAT_TO_STATE` says, else the first of its
/// sequence, or the old one where keywords are kinds of tasks.
fn first_state(buffer: &Buffer, index: usize, old: &str) -> String {
    let (settings, headline) = (buffer.document().settings(), buffer.headline(index));
    let drawer = headline.properties.as_ref();
    let is_keyword = |state: &&str| {
        settings.sequences.iter().any(|sequence| sequence.keywords.iter().any(|known| known == state))
    };
    if let Some(wanted) = drawer.and_then(|drawer| drawer.get("REPEAT_TO_STATE")).filter(is_keyword) {
        return wanted.to_owned();
    }
    let sequence =
        settings.sequences.iter().find(|sequence| sequence.keywords.iter().any(|known| known == old));
    match sequence {
        Some(sequence) if !sequence.is_type => sequence.keywords.first().cloned().unwrap_or_default(),
        Some(_) => old.to_owned(),
        None => String::new(),
    }
}

impl Logging {
    /// What the configuration says, the file (`#+STARTUP: logdone`), and the property `LOGGING`.
    fn of(buffer: &Buffer, index: usize, emacs: &Emacs) -> Self {
        let settings = buffer.document().settings();
        let sequences = settings.sequences.iter().filter_map(|sequence| sequence.value);
        let states = sequences.flat_map(|value| value.split([' ', '\t'])).filter_map(logs).collect();
        let repeat = emacs.log_repeat.then_some(How::Time);
        let mut logging = Self { done: emacs.log_done, repeat, states };
        for (key, value) in buffer.document().keywords() {
            if key.eq_ignore_ascii_case("STARTUP") {
                value.split([' ', '\t']).for_each(|word| logging.read(word));
            }
        }
        if let Some((value, _)) = inherited::get(buffer.document(), index, "LOGGING") {
            let states = value.split([' ', '\t']).filter_map(logs);
            logging = Self { done: LogDone::Nothing, repeat: None, states: states.collect() };
            value.split([' ', '\t']).for_each(|word| logging.read(word));
        }
        logging
    }

    fn read(&mut self, word: &str) {
        match word {
            "logdone" => self.done = LogDone::Time,
            "lognotedone" => self.done = LogDone::Note,
            "nologdone" => self.done = LogDone::Nothing,
            "logrepeat" => self.repeat = Some(How::Time),
            "lognoterepeat" => self.repeat = Some(How::Note),
            "nologrepeat" => self.repeat = None,
            _ => {}
        }
    }

    /// What keywords ask for when one takes the place of another.
    fn of_change(&self, old: &str, new: &str) -> Option<How> {
        let of = |keyword: &str| self.states.iter().find(|(known, ..)| known == keyword);
        let entered = of(new).and_then(|(_, entered, _)| *entered);
        entered.or_else(|| of(old).and_then(|(.., left)| *left))
    }
}

/// A keyword that is written with what to record, `WAIT(w@/!)`: when it is set, and when it is left.
fn logs(word: &str) -> Option<(String, Option<How>, Option<How>)> {
    let (keyword, settings) = word.strip_suffix(')')?.split_once('(')?;
    let how = |text: &str| match text.chars().last() {
        Some('!') => Some(How::Time),
        Some('@') => Some(How::Note),
        _ => None,
    };
    let (entered, left) = settings.split_once('/').unwrap_or((settings, ""));
    let (entered, left) = (how(entered), how(left));
    (entered.is_some() || left.is_some()).then(|| (keyword.to_owned(), entered, left))
}
