mod agenda;
mod conditions;
mod entry;

use std::path::PathBuf;

use crate::{
    diagnostic::report::escape_json,
    org::{
        Files, Found, HeadlineInfo, Location, OrgError, Page, Range,
        agenda::{AgendaQuery, items as agenda_items},
        change::{Changes, Dates, LineChange, NewHeadline},
        guarded::{self, Changed, FileChange, Guard},
        outline::{self, OutlineQuery},
        properties, read, search,
        search::{ContentQuery, HeadlineQuery, TodoQuery},
        transfer::{self, Moved},
    },
    project::{Baselines, Overrides},
    text::visible_lines,
};
use clap::{Subcommand, ValueEnum};
use serde::Serialize;

use self::conditions::Conditions;
use super::{
    Global,
    console::Console,
    exit::{Exit, Fault, shown},
    project::open,
};

/// Show the outline, the tasks, or the agenda of Org files, search them, or change headlines
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  proofmark org outline notes.org
  proofmark org todos --tag work --due 2026-01-31
  proofmark org agenda --days 14
  proofmark org search invoice --format json
  proofmark org set notes.org:12 --state DONE --dry-run
  proofmark org refile inbox.org:3 work.org:40
  proofmark org archive org://notes.org/headline/Report
  proofmark org clock start notes.org:12
  proofmark org add log.org Lunch --datetree today --create

A HEADLINE is FILE:LINE, as the lists show it, or a URI: org://FILE/headline/TITLE, org://id/ID. A DATE is a day such
as 2026-01-31, today, tomorrow, +2d, fri, or 2026-W48. Changes are made as Emacs makes them and shown as a diff; they
are refused if the file would get new errors.")]
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
    /// All headlines of a file, or those below a headline
    Outline {
        /// The file or the headline
        file: String,
        /// Levels of headlines to show [default: all]
        #[arg(long, value_name = "NUMBER")]
        depth: Option<usize>,
    },
    /// Tasks
    #[command(after_help = "Without --state, tasks that are not done.")]
    Todos {
        /// Last day of the deadline
        #[arg(long, value_name = "DATE", conflicts_with = "deadline")]
        due: Option<String>,
        #[command(flatten)]
        conditions: Conditions,
    },
    /// Scheduled and due tasks
    Agenda {
        /// First day [default: today]
        #[arg(long, value_name = "DATE")]
        from: Option<String>,
        /// Number of days
        #[arg(long, value_name = "NUMBER", default_value_t = 7)]
        days: u32,
        #[command(flatten)]
        conditions: Conditions,
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
        #[command(flatten)]
        conditions: Conditions,
    },
    /// A headline with everything below it, or its properties with --properties
    #[command(
        after_help = "A line may be any line of the headline's text. With a file, the text before its first headline."
    )]
    Get {
        /// The headline
        headline: String,
        /// Levels of headlines below it to show [default: all]
        #[arg(long, value_name = "NUMBER")]
        depth: Option<usize>,
        /// Its properties
        #[arg(long)]
        properties: bool,
    },
    #[command(flatten)]
    Change(Change),
    #[command(flatten)]
    Entry(entry::Command),
}

#[derive(Debug, Subcommand)]
enum Change {
    /// Change a headline
    Set {
        /// The headline
        headline: String,
        /// New TODO keyword; empty for none
        #[arg(long, value_name = "KEYWORD")]
        state: Option<String>,
        /// Why the keyword changes; recorded below the headline with the time
        #[arg(long, value_name = "TEXT", requires = "state")]
        note: Option<String>,
        /// New title
        #[arg(long)]
        title: Option<String>,
        /// New priority such as A; empty to remove it
        #[arg(long, value_name = "PRIORITY")]
        priority: Option<String>,
        /// New date such as 2026-01-31 or "2026-01-31 10:00 +1w"; empty to remove it
        #[arg(long, value_name = "DATE")]
        scheduled: Option<String>,
        /// New deadline; empty to remove it
        #[arg(long, value_name = "DATE")]
        deadline: Option<String>,
        /// Tag to add; repeatable
        #[arg(long, value_name = "TAG")]
        tag: Vec<String>,
        /// Tag to remove; repeatable
        #[arg(long, value_name = "TAG")]
        no_tag: Vec<String>,
        /// Property to set, or to remove with an empty value; repeatable
        #[arg(long, value_name = "NAME=VALUE", value_parser = property)]
        property: Vec<(String, String)>,
        /// Show the change without writing it
        #[arg(long)]
        dry_run: bool,
    },
    /// Add a headline below another, or at the end of a file
    Add {
        /// The headline to add it below, or the file
        parent: String,
        /// Its title
        title: String,
        /// TODO keyword
        #[arg(long, value_name = "KEYWORD")]
        state: Option<String>,
        /// Tag; repeatable
        #[arg(long, value_name = "TAG")]
        tag: Vec<String>,
        /// When it is scheduled
        #[arg(long, value_name = "DATE")]
        scheduled: Option<String>,
        /// When it is due
        #[arg(long, value_name = "DATE")]
        deadline: Option<String>,
        /// Text below it
        #[arg(long, value_name = "TEXT")]
        body: Option<String>,
        /// Add it to the date tree of the parent, below this day
        #[arg(long, value_name = "DATE")]
        datetree: Option<String>,
        /// Create the file if it does not exist
        #[arg(long)]
        create: bool,
        /// Show the change without writing it
        #[arg(long)]
        dry_run: bool,
    },
    /// Move a headline with everything below it
    Refile {
        /// The headline
        headline: String,
        /// The headline to move it below, or the file
        target: String,
        /// Show the change without writing it
        #[arg(long)]
        dry_run: bool,
    },
    /// Move a headline with everything below it into the archive of its file
    Archive {
        /// The headline
        headline: String,
        /// Show the change without writing it
        #[arg(long)]
        dry_run: bool,
    },
}

fn property(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("write a property as NAME=VALUE")?;
    Ok((name.trim().to_owned(), value.to_owned()))
}

/// The URI of what a person writes: `FILE`, `FILE:LINE`, or a URI.
fn uri(written: &str) -> String {
    if written.contains("://") {
        return written.to_owned();
    }
    let line = written.rsplit_once(':').and_then(|(file, line)| Some((file, line.parse::<u32>().ok()?)));
    match line {
        Some((file, line)) => Location::uri_at(file, line),
        None => Location::uri_of(written),
    }
}

fn guard(dry_run: bool) -> Guard<'static> {
    Guard { expect_hash: None, dry_run }
}

/// `some` text, or nothing for what is to be removed.
fn unless_empty(text: &str) -> Option<String> {
    (!text.trim().is_empty()).then(|| text.to_owned())
}

impl From<OrgError> for Fault {
    fn from(error: OrgError) -> Self {
        Self::usage(error.to_string())
    }
}

pub(super) fn run(arguments: &Arguments, global: &Global) -> Result<Exit, Fault> {
    let project = open(global, Overrides { baseline: Baselines::None, ..Overrides::default() })?;
    if let Some(path) = arguments.paths.iter().find(|path| !project.exists(path)) {
        let hint = "`--in` takes a file or a folder, relative to the working directory";
        return Err(Fault::with_hint(format!("there is no `{}`", shown(path)), hint));
    }
    let files = Files::new(&project, arguments.paths.clone());
    let text = match &arguments.command {
        Command::Outline { file, depth } => outlined(&files, file, *depth, arguments.format)?,
        Command::Todos { due, conditions } => {
            let mut filter = conditions.filter();
            if let Some(to) = due {
                filter.deadline = Some(Range { from: None, to: Some(to.clone()) });
            }
            let query = TodoQuery { filter, page: conditions.page(), ..TodoQuery::default() };
            arguments.format.listed(search::todos(&files, &query)?, conditions, "headlines", lines)
        }
        Command::Agenda { from, days, conditions } => {
            let query = AgendaQuery {
                from: from.clone(),
                days: Some(*days),
                files: None,
                filter: conditions.filter(),
                page: conditions.page(),
            };
            arguments.format.listed(agenda_items(&files, &query)?, conditions, "items", agenda::lines)
        }
        Command::Search { text, headlines: true, conditions, .. } => {
            let (filter, page) = (conditions.filter(), conditions.page());
            let query = HeadlineQuery { query: text.clone(), filter, page, ..HeadlineQuery::default() };
            let found = search::headlines(&files, &query)?;
            arguments.format.listed(found, conditions, "headlines", lines)
        }
        Command::Search { text, archived, conditions, .. } => {
            let query = ContentQuery {
                query: text.clone(),
                include_archived: *archived,
                filter: conditions.filter(),
                page: conditions.page(),
                ..ContentQuery::default()
            };
            let found = search::content(&files, &query)?.found;
            arguments.format.listed(found, conditions, "matches", |found| {
                found.iter().map(|line| format!("{}:{}: {}\n", line.file, line.line, line.text)).collect()
            })
        }
        Command::Get { headline, depth, properties } => {
            let uri = uri(headline);
            match (*properties, arguments.format) {
                (true, Form::Json) => {
                    let found = properties::get(&files, &uri, None)?;
                    let (headline, values) = (found.headline, found.values);
                    written(
                        &serde_json::json!({"headline": headline, "properties": values, "hash": found.hash}),
                    )
                }
                (true, Form::Text) => {
                    let found = properties::get(&files, &uri, None)?.values;
                    found.iter().map(|(name, value)| format!("{name}: {value}\n")).collect()
                }
                (false, Form::Text) => read::read(&files, &uri, *depth)?.text,
                (false, Form::Json) => written(&read::read(&files, &uri, *depth)?),
            }
        }
        Command::Change(change) => change.run(&files, arguments.format)?,
        Command::Entry(command) => command.run(&project, &files, arguments.format)?,
    };
    Console::print(&visible_lines(&text))?;
    Ok(Exit::Clean)
}

impl Change {
    /// Makes the change; the text that shows it.
    fn run(&self, files: &Files<'_>, format: Form) -> Result<String, Fault> {
        Ok(match self {
            Self::Set {
                headline,
                state,
                note,
                title,
                priority,
                scheduled,
                deadline,
                tag,
                no_tag,
                property,
                dry_run,
            } => {
                let changes = Changes {
                    state: state.clone(),
                    line: LineChange {
                        title: title.clone(),
                        priority: priority.as_deref().map(unless_empty),
                        add_tags: tag.clone(),
                        remove_tags: no_tag.clone(),
                    },
                    dates: Dates {
                        scheduled: scheduled.as_deref().map(unless_empty),
                        deadline: deadline.as_deref().map(unless_empty),
                    },
                    properties: property
                        .iter()
                        .map(|(name, value)| (name.clone(), unless_empty(value)))
                        .collect(),
                };
                let uri = uri(headline);
                if guarded::is_file(&uri) {
                    return changes_of_file(files, &uri, &changes, guard(*dry_run), format);
                }
                let changed = guarded::change(files, &uri, guard(*dry_run), |_, target| {
                    changes.edits(target, note.as_deref().map(|note| files.note(note)))
                })?;
                format.changed(&changed)
            }
            Self::Add { parent, title, state, tag, scheduled, deadline, body, datetree, create, dry_run } => {
                let new = NewHeadline {
                    title: title.clone(),
                    todo: state.clone(),
                    tags: tag.clone(),
                    scheduled: scheduled.clone(),
                    deadline: deadline.clone(),
                    body: body.clone(),
                    datetree: datetree.clone(),
                    create: *create,
                };
                let uri = uri(parent);
                format.changed(&guarded::add(files, &uri, guard(*dry_run), &new)?)
            }
            Self::Refile { headline, target, dry_run } => {
                let (uri, target) = (uri(headline), uri(target));
                format.moved(&transfer::refile(files, &uri, &target, guard(*dry_run))?)
            }
            Self::Archive { headline, dry_run } => {
                let uri = uri(headline);
                format.moved(&transfer::archive(files, &uri, guard(*dry_run))?)
            }
        })
    }
}

impl Form {
    /// What was found: as data a list, or an object with the list under `key` where only a part was asked for.
    fn listed<T: Serialize>(
        self,
        found: Found<T>,
        conditions: &Conditions,
        key: &str,
        lines: impl Fn(&[T]) -> String,
    ) -> String {
        let Found { items, total, next } = found;
        match self {
            Self::Json if conditions.is_paged() => {
                written(&serde_json::json!({key: items, "total": total, "nextCursor": next}))
            }
            Self::Json => written(&items),
            Self::Text => {
                let more =
                    next.map(|next| format!("{} of {total}; continue with --cursor {next}\n", items.len()));
                lines(&items) + &more.unwrap_or_default()
            }
        }
    }

    fn changed(self, changed: &Changed) -> String {
        match self {
            Self::Text if changed.diff.is_empty() => "nothing to change\n".to_owned(),
            Self::Text => format!("{}{}\n{}", changed.diff, changed.headline.line(), remark(changed.written)),
            Self::Json => written(changed),
        }
    }

    fn changed_file(self, changed: &FileChange) -> String {
        match self {
            Self::Text if changed.diff.is_empty() => "nothing to change\n".to_owned(),
            Self::Text => format!("{}{}", changed.diff, remark(changed.written)),
            Self::Json => written(changed),
        }
    }

    fn moved(self, moved: &Moved) -> String {
        match self {
            Self::Text => {
                let diffs: String = moved.files.iter().map(|file| file.diff.as_str()).collect();
                let is_written = moved.files.iter().any(|file| file.written);
                format!("{diffs}{}\n{}", moved.headline.line(), remark(is_written))
            }
            Self::Json => written(moved),
        }
    }
}

/// The outline of a file or of what is below a headline, indented by its levels.
fn outlined(files: &Files<'_>, name: &str, depth: Option<usize>, format: Form) -> Result<String, Fault> {
    let uri = uri(name);
    if format == Form::Json && depth.is_none() && guarded::is_file(&uri) {
        let subject = files.open(name)?;
        return Ok(written(&subject.outline()));
    }
    let found = outline::outline(files, &OutlineQuery { resource_uri: uri, depth, page: Page::all() })?;
    if format == Form::Json {
        return Ok(written(&found.headlines));
    }
    let width = found.headlines.last().map_or(0, |last| format!("{}:{}", found.file, last.line).len());
    let least = found.headlines.iter().map(|line| line.level).min().unwrap_or(1);
    let line = |line: &outline::Line| {
        let (place, indent) =
            (format!("{}:{}", found.file, line.line), "  ".repeat((line.level - least).min(30)));
        format!("{place:width$}  {indent}{}\n", line.text())
    };
    Ok(found.headlines.iter().map(line).collect())
}

/// Changes the properties of a file itself.
fn changes_of_file(
    files: &Files<'_>,
    uri: &str,
    changes: &Changes,
    guard: Guard<'_>,
    format: Form,
) -> Result<String, Fault> {
    let Changes { state, line, dates, properties } = changes;
    let is_of_headline = state.is_some()
        || line.title.is_some()
        || line.priority.is_some()
        || !line.add_tags.is_empty()
        || !line.remove_tags.is_empty()
        || dates.scheduled.is_some()
        || dates.deadline.is_some();
    if is_of_headline {
        return Err(Fault::usage("a file has only properties: name a headline as FILE:LINE".to_owned()));
    }
    Ok(format.changed_file(&guarded::set_file_properties(files, uri, guard, properties)?))
}

/// What a person should know about a change that was only tried.
fn remark(is_written: bool) -> &'static str {
    if is_written { "" } else { "nothing is written: this is a dry run\n" }
}

fn lines(found: &[HeadlineInfo]) -> String {
    found.iter().map(|headline| headline.line() + "\n").collect()
}

fn written<T: Serialize>(value: &T) -> String {
    escape_json(&serde_json::to_string_pretty(value).unwrap_or_default()) + "\n"
}
