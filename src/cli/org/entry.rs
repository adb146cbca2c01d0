//! Commands about the text, the place, and the clocks of a headline.

use std::{collections::BTreeMap, fmt::Write as _, io::Read as _};

use clap::{Subcommand, ValueEnum};
use serde_json::json;

use super::{Form, guard, uri, written};
use crate::{
    cli::exit::Fault,
    convert::{self, Pandoc},
    org::{
        Files, capture,
        clocked::{self, ClockQuery},
        guarded::{self, ClockAction, Move},
        resource,
    },
    project::Project,
};

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Change the text below a headline
    #[command(
        after_help = "Without --old, the text is added at the end. TEXT `-` is read from standard input."
    )]
    Body {
        /// The headline
        headline: String,
        /// New text
        text: String,
        /// Text to replace, which occurs once
        #[arg(long, value_name = "TEXT")]
        old: Option<String>,
        /// Replace every occurrence
        #[arg(long, requires = "old")]
        all: bool,
        /// Show the change without writing it
        #[arg(long)]
        dry_run: bool,
    },
    /// Promote or demote a headline, or move it past its neighbor, with everything below it
    Move {
        /// The headline
        headline: String,
        /// Where to
        #[arg(value_enum)]
        direction: Direction,
        /// Show the change without writing it
        #[arg(long)]
        dry_run: bool,
    },
    /// Delete a headline with everything below it
    Delete {
        /// The headline
        headline: String,
        /// Show the change without writing it
        #[arg(long)]
        dry_run: bool,
    },
    /// Check or uncheck an item of a list below a headline
    Checkbox {
        /// The headline
        headline: String,
        /// Text of the item, or a part that no other item has
        item: String,
        /// New state [default: toggle]
        #[arg(value_enum)]
        state: Option<Checked>,
        /// Show the change without writing it
        #[arg(long)]
        dry_run: bool,
    },
    /// Start, stop, or cancel a clock, or sum up clocks
    Clock {
        #[command(subcommand)]
        command: ClockCommand,
    },
    /// Add a headline in a form of the configuration
    Capture {
        /// Name of the form
        template: String,
        /// Value of a placeholder; repeatable
        #[arg(value_name = "NAME=VALUE", value_parser = super::property)]
        values: Vec<(String, String)>,
        /// Show the change without writing it
        #[arg(long)]
        dry_run: bool,
    },
    /// Convert a headline with everything below it; needs pandoc
    Export {
        /// The headline
        headline: String,
        /// Format of the text
        #[arg(long, value_enum)]
        to: Target,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Direction {
    Promote,
    Demote,
    Up,
    Down,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Checked {
    On,
    Off,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Target {
    Html,
    Markdown,
    Latex,
    Plain,
}

#[derive(Debug, Subcommand)]
pub(super) enum ClockCommand {
    /// Start the clock of a headline
    Start {
        /// The headline
        headline: String,
    },
    /// Stop the clock of a headline
    Stop {
        /// The headline
        headline: String,
    },
    /// Remove the running clock of a headline
    Cancel {
        /// The headline
        headline: String,
    },
    /// How long clocks ran
    Sum {
        /// First day
        #[arg(long, value_name = "DATE")]
        from: Option<String>,
        /// Last day
        #[arg(long, value_name = "DATE")]
        to: Option<String>,
    },
}

impl Command {
    /// Makes the change; the text that shows it.
    pub(super) fn run(&self, project: &Project, files: &Files<'_>, format: Form) -> Result<String, Fault> {
        Ok(match self {
            Self::Body { headline, text, old, all, dry_run } => {
                let text = if text == "-" { standard_input()? } else { text.clone() };
                let old = old.as_deref().unwrap_or_default();
                let changed = guarded::change(files, &uri(headline), guard(*dry_run), |_, target| {
                    target.edit_body(old, &text, *all)
                })?;
                format.changed(&changed)
            }
            Self::Move { headline, direction, dry_run } => {
                let how = match direction {
                    Direction::Promote => Move::Promote,
                    Direction::Demote => Move::Demote,
                    Direction::Up => Move::Up,
                    Direction::Down => Move::Down,
                };
                format.changed(&guarded::restructure(files, &uri(headline), guard(*dry_run), how)?)
            }
            Self::Delete { headline, dry_run } => {
                format.changed_file(&guarded::delete(files, &uri(headline), guard(*dry_run), None)?)
            }
            Self::Checkbox { headline, item, state, dry_run } => {
                let checked = state.map(|state| state == Checked::On);
                let changed = guarded::change(files, &uri(headline), guard(*dry_run), |_, target| {
                    target.set_checkbox(item, checked)
                })?;
                format.changed(&changed)
            }
            Self::Clock { command } => command.run(files, format)?,
            Self::Capture { template, values, dry_run } => {
                let values: BTreeMap<String, String> = values.iter().cloned().collect();
                format.changed(&capture::capture(files, template, &values, guard(*dry_run))?)
            }
            Self::Export { headline, to } => {
                let writer = match to {
                    Target::Html => "html5",
                    Target::Markdown => "gfm",
                    Target::Latex => "latex",
                    Target::Plain => "plain",
                };
                let document = resource::as_document(files, &uri(headline))?;
                let pandoc = Pandoc::of(&project.config().convert);
                convert::translated(&pandoc, "org", writer, &document)
                    .map_err(|error| Fault::with_hint(error.message, error.details))?
            }
        })
    }
}

impl ClockCommand {
    fn run(&self, files: &Files<'_>, format: Form) -> Result<String, Fault> {
        let (headline, action) = match self {
            Self::Start { headline } => (headline, ClockAction::Start),
            Self::Stop { headline } => (headline, ClockAction::Stop),
            Self::Cancel { headline } => (headline, ClockAction::Cancel),
            Self::Sum { from, to } => {
                let query = ClockQuery { files: None, from: from.clone(), to: to.clone() };
                let (found, total) = clocked::sums(files, &query)?;
                return Ok(match format {
                    Form::Json => written(&json!({"headlines": found, "total": total})),
                    Form::Text => table(&found, total),
                });
            }
        };
        Ok(format.changed(&guarded::clock(files, &uri(headline), guard(false), action)?))
    }
}

/// The sums as a table, with the headlines indented by their levels.
fn table(found: &[clocked::Clocked], total: i64) -> String {
    let place = |of: &clocked::Clocked| format!("{}:{}", of.headline.file, of.headline.line);
    let width = found.iter().map(|of| place(of).len()).max().unwrap_or_default();
    let mut text = String::new();
    for of in found {
        let indent = "  ".repeat(of.headline.level.saturating_sub(1).min(30));
        let running =
            of.running.as_ref().map(|since| format!("  (running since {since})")).unwrap_or_default();
        let (sum, title) = (clocked::duration(of.minutes), &of.headline.title);
        let _ = writeln!(text, "{:width$}  {sum:>6}  {indent}{title}{running}", place(of));
    }
    text + &format!("{:width$}  {:>6}\n", "total", clocked::duration(total))
}

fn standard_input() -> Result<String, Fault> {
    let mut text = String::new();
    let read = std::io::stdin().read_to_string(&mut text);
    read.map_err(|error| Fault::usage(format!("cannot read standard input: {error}")))?;
    Ok(text)
}
