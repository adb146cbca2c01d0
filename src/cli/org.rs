use std::{fmt::Write as _, path::PathBuf};

use crate::{
    org::{
        Files, HeadlineInfo, OrgError, Range, agenda,
        agenda::AgendaQuery,
        search,
        search::{ContentQuery, HeadlineQuery, TodoQuery},
    },
    project::{Baselines, Overrides},
};
use clap::{Subcommand, ValueEnum};
use serde::Serialize;

use super::{
    Global,
    console::Console,
    exit::{Exit, Fault},
    project::open,
};

/// Show the outline, the tasks, or the agenda of Org files, or search them
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  proofmark org outline notes.org
  proofmark org todos --tag work --due 2026-01-31
  proofmark org agenda --days 14
  proofmark org search invoice --format json")]
pub(super) struct Arguments {
    #[command(subcommand)]
    command: Command,
    /// File, or folder to search for files; repeatable
    #[arg(long = "in", global = true, value_name = "PATH", default_value = ".")]
    paths: Vec<PathBuf>,
    /// Format of the result
    #[arg(long, global = true, value_enum, default_value_t)]
    format: Form,
}

/// Format of the result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
enum Form {
    #[default]
    Text,
    Json,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// All headlines of a file
    Outline {
        /// The file
        file: PathBuf,
    },
    /// Tasks
    Todos {
        /// TODO keyword, instead of those that are not done; repeatable
        #[arg(long, value_name = "KEYWORD")]
        state: Vec<String>,
        /// Tag that a task has, inherited tags included; repeatable
        #[arg(long, value_name = "TAG")]
        tag: Vec<String>,
        /// Last day of the deadline
        #[arg(long, value_name = "DATE")]
        due: Option<String>,
    },
    /// Scheduled and due tasks
    Agenda {
        /// First day; today when absent
        #[arg(long, value_name = "DATE")]
        from: Option<String>,
        /// Number of days
        #[arg(long, value_name = "NUMBER", default_value_t = 7)]
        days: u32,
    },
    /// Lines that contain some text, or headlines with --headlines
    Search {
        /// Text to look for
        text: String,
        /// Only titles of headlines
        #[arg(long)]
        headlines: bool,
        /// Search archives, too
        #[arg(long)]
        archived: bool,
    },
}

impl From<OrgError> for Fault {
    fn from(error: OrgError) -> Self {
        Self::usage(error.to_string())
    }
}

pub(super) fn run(arguments: &Arguments, global: &Global) -> Result<Exit, Fault> {
    let project = open(global, Overrides { baseline: Baselines::None, ..Overrides::default() })?;
    let files = Files::new(&project, arguments.paths.clone());
    let text = match &arguments.command {
        Command::Outline { file } => {
            let subject = files.open(&file.to_string_lossy())?;
            match arguments.format {
                Form::Json => written(&subject.kind().outline(subject.text())),
                Form::Text => {
                    let only = Some(vec![file.to_string_lossy().into_owned()]);
                    lines(&search::headlines(
                        &files,
                        &HeadlineQuery { files: only, ..HeadlineQuery::default() },
                    )?)
                }
            }
        }
        Command::Todos { state, tag, due } => {
            let some = |values: &[String]| (!values.is_empty()).then(|| values.to_vec());
            let deadline = due.clone().map(|to| Range { from: None, to: Some(to) });
            let query = TodoQuery { states: some(state), tags: some(tag), deadline, ..TodoQuery::default() };
            arguments.format.headlines(&search::todos(&files, &query)?)
        }
        Command::Agenda { from, days } => {
            let query = AgendaQuery { from: from.clone(), days: Some(*days), files: None };
            let items = agenda::items(&files, &query)?;
            if arguments.format == Form::Json {
                written(&items)
            } else {
                let mut text = String::new();
                let mut day = "";
                for item in &items {
                    if item.date != day {
                        let _ = writeln!(text, "{}{}", if day.is_empty() { "" } else { "\n" }, item.date);
                        day = &item.date;
                    }
                    let time = item.time.as_deref().unwrap_or_default();
                    let _ = writeln!(text, "  {time:11} {:9} {}", item.r#type.name(), item.headline.line());
                }
                text
            }
        }
        Command::Search { text, headlines: true, .. } => {
            let query = HeadlineQuery { query: text.clone(), ..HeadlineQuery::default() };
            arguments.format.headlines(&search::headlines(&files, &query)?)
        }
        Command::Search { text, archived, .. } => {
            let query = ContentQuery {
                query: text.clone(),
                include_archived: *archived,
                max_results: Some(usize::MAX),
                files: None,
            };
            let (found, _) = search::content(&files, &query)?;
            match arguments.format {
                Form::Json => written(&found),
                Form::Text => {
                    found.iter().map(|line| format!("{}:{}: {}\n", line.file, line.line, line.text)).collect()
                }
            }
        }
    };
    Console::print(&text)?;
    Ok(Exit::Clean)
}

impl Form {
    fn headlines(self, found: &[HeadlineInfo]) -> String {
        match self {
            Self::Text => lines(found),
            Self::Json => written(&found),
        }
    }
}

fn lines(found: &[HeadlineInfo]) -> String {
    found.iter().map(|headline| headline.line() + "\n").collect()
}

fn written<T: Serialize>(value: &T) -> String {
    serde_json::to_string_pretty(value).unwrap_or_default() + "\n"
}
