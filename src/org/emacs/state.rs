//! Changing the keyword of a headline, with what Org does then: dates, cookies, repeaters.

use super::{
    Emacs,
    buffer::Buffer,
    cookies, drawer,
    headline::{align_tags, one_space_after_keyword, set_keyword, toggle_comment},
    inherited, planning,
    planning::Keyword,
    repeat,
};
use crate::kinds::org;

/// What is recorded about changes of keywords.
#[derive(Debug, Clone, Copy)]
struct Logging {
    /// `CLOSED` (`org-log-done`).
    done: bool,
    /// `LAST_REPEAT` (`org-log-repeat`).
    repeat: bool,
    /// Whether some keyword has a `!` or `@` (`org-todo-log-states`).
    states: bool,
}

/// Sets the TODO keyword (`org-todo`); the empty string for none.
pub(in super::super) fn set(buffer: &mut Buffer, index: usize, state: &str, emacs: &Emacs) {
    let logging = Logging::of(buffer, index, emacs);
    change(buffer, index, state, logging, emacs);
}

fn change(buffer: &mut Buffer, index: usize, state: &str, logging: Logging, emacs: &Emacs) {
    let is_commented = buffer.entry(index).is_commented;
    if is_commented {
        toggle_comment(buffer, index);
    }
    let old = buffer.entry(index).todo.map(|todo| buffer.text()[todo].to_owned()).unwrap_or_default();
    set_keyword(buffer, index, state);
    let (was_done, is_done) = (is_final(buffer, &old), is_final(buffer, state));
    let is_done_now = is_done && !was_done;
    if logging.done || logging.states {
        let was_open = !old.is_empty() && !was_done;
        if state.is_empty() || (!is_done && !was_open) {
            planning::remove_from(buffer, index, Keyword::Closed);
        }
        if is_done_now && logging.done {
            planning::close(buffer, index, emacs);
        }
    }
    align_tags(buffer, index);
    cookies::update_above(buffer, index);
    let repeats = is_done_now && repeat::repeats(buffer, index);
    if repeats {
        start_again(buffer, index, &old, logging, emacs);
    } else {
        one_space_after_keyword(buffer, index);
    }
    if is_commented {
        toggle_comment(buffer, index);
    }
}

fn is_final(buffer: &Buffer, state: &str) -> bool {
    !state.is_empty() && buffer.outline().settings.is_final(state)
}

/// Sets a repeating task back to where it began, and moves its dates (`org-auto-repeat-maybe`).
fn start_again(buffer: &mut Buffer, index: usize, old: &str, logging: Logging, emacs: &Emacs) {
    let state = first_state(buffer, index, old);
    change(buffer, index, &state, Logging { done: false, states: false, ..logging }, emacs);
    planning::remove_from(buffer, index, Keyword::Closed);
    let entry = buffer.entry(index);
    let has_clock =
        buffer.text()[entry.start..entry.end].lines().any(|line| line.trim_start().starts_with("CLOCK:"));
    if logging.repeat || has_clock {
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
    let outline = buffer.outline();
    let drawer = outline.headlines[index].properties.as_ref();
    let is_keyword = |state: &&str| {
        outline.settings.sequences.iter().any(|sequence| sequence.keywords.iter().any(|known| known == state))
    };
    if let Some(wanted) = drawer.and_then(|drawer| drawer.get("REPEAT_TO_STATE")).filter(is_keyword) {
        return wanted.to_owned();
    }
    let sequence =
        outline.settings.sequences.iter().find(|sequence| sequence.keywords.iter().any(|known| known == old));
    match sequence {
        Some(sequence) if !sequence.is_type => sequence.keywords.first().cloned().unwrap_or_default(),
        Some(_) => old.to_owned(),
        None => String::new(),
    }
}

impl Logging {
    /// What the configuration says, the file (`#+STARTUP: logdone`), and the property `LOGGING`.
    fn of(buffer: &Buffer, index: usize, emacs: &Emacs) -> Self {
        let outline = buffer.outline();
        let sequences = outline.settings.sequences.iter().filter_map(|sequence| sequence.value);
        let states = sequences.flat_map(|value| value.split([' ', '\t'])).any(logs);
        let mut logging = Self { done: emacs.log_done, repeat: emacs.log_repeat, states };
        for (key, value) in org::keywords(buffer.text()) {
            if key.eq_ignore_ascii_case("STARTUP") {
                value.split([' ', '\t']).for_each(|word| logging.read(word));
            }
        }
        if let Some((value, _)) = inherited::get(&outline, buffer.text(), index, "LOGGING") {
            logging = Self { done: false, repeat: false, states: value.split([' ', '\t']).any(logs) };
            value.split([' ', '\t']).for_each(|word| logging.read(word));
        }
        logging
    }

    fn read(&mut self, word: &str) {
        match word {
            "logdone" | "lognotedone" => self.done = true,
            "nologdone" => self.done = false,
            "logrepeat" | "lognoterepeat" => self.repeat = true,
            "nologrepeat" => self.repeat = false,
            _ => {}
        }
    }
}

/// Whether a keyword is written with what to log: `WAIT(w@/!)`.
fn logs(word: &str) -> bool {
    let settings = word.strip_suffix(')').and_then(|word| word.split_once('('));
    settings.is_some_and(|(_, settings)| settings.contains(['!', '@']))
}
