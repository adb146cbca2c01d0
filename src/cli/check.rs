use std::{
    collections::{BTreeSet, HashSet},
    env,
    fmt::Write as _,
    hash::{DefaultHasher, Hash, Hasher},
    path::{Path, PathBuf},
    sync::Arc,
    time::Instant,
};

use crate::{
    diagnostic::{
        Diagnostic, Location, Severity, Summary, Truncated,
        report::{FileReport, Format, Outcome, ReportOptions, Run},
    },
    engine::{Baseline, Known},
    files::Outputs,
    kinds::Document,
    project::{Baselines, Index, Listed, NotOpened, Overrides, Project, Walked, WriteError, shown},
    rules::ENGINE_KIND,
    text::{SourceId, nearest, visible},
};

use super::{
    Global,
    arguments::{FailArguments, RunArguments},
    console::{Console, plural},
    exit::{Exit, Fault},
    in_order::list_in_order,
    input::InputArguments,
    layouts::Layouts,
    mermaid_report::{DiagramArguments, DiagramReporter},
    names::Named,
    outputs::{outputs, outputs_with_baseline},
    progress::Progress,
    project::{fails, open, report_later_warnings, report_left_out, report_templates, report_without_rules},
    reports::{Reports, Target},
    sink::put,
    statistics,
    timing::Timing,
    validate::{Validated, Verdict, fix, validate},
    watch,
};

/// Check documents
///
/// Walks folders as git sees them (.gitignore is respected; hidden files and folders are left out, except
/// those such as .github) and checks every document of a known kind.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  proofmark check                                  everything below the working directory
  proofmark check docs/a.md --format concise       one line per finding
  proofmark check - --kind markdown < a.md         standard input
  proofmark check --select FM,QL --ignore FM104    only some rules
  proofmark check --format sarif --output out.sarif
  proofmark check --write-baseline known.json      accept what is there,
  proofmark check --baseline known.json            and report only what is new
  proofmark check --output sarif=out.sarif         a report for a program besides that for you
  proofmark check --staged --quiet                 in a pre-commit hook
  proofmark check letters/ --render                also what only rendering finds")]
#[allow(clippy::struct_excessive_bools, reason = "one for each flag of the command line")]
pub(super) struct Arguments {
    #[command(flatten)]
    input: InputArguments,
    #[command(flatten)]
    run: RunArguments,
    #[command(flatten)]
    report: ReportArguments,
    #[command(flatten)]
    diagrams: DiagramArguments,
    #[command(flatten)]
    fail: FailArguments,
    /// File of findings that are known and do not count
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,
    /// Write all findings into a baseline file, and succeed
    #[arg(long, value_name = "FILE", conflicts_with = "baseline")]
    write_baseline: Option<PathBuf>,
    /// Remove fixed findings from the baseline
    #[arg(long, conflicts_with_all = ["write_baseline", "staged", "kind", "dialect"])]
    prune_baseline: bool,
    /// Apply the safe fixes, and report what remains
    #[arg(long)]
    fix: bool,
    /// Also lay out documents with a quill that have no errors, and report what that finds
    #[arg(long)]
    render: bool,
    /// Check staged files, as they are in the Git index
    #[arg(long, conflicts_with_all = ["fix", "watch", "paths"])]
    staged: bool,
    /// List files, their kinds and how each was detected, without checking
    #[arg(long)]
    show_files: bool,
    /// Count the findings of every rule
    #[arg(long)]
    statistics: bool,
    /// Report where the time went: phases, slowest rules, slowest files
    #[arg(long)]
    timing: bool,
    /// Check again whenever a document, the configuration or a pack changes
    #[arg(long)]
    watch: bool,
}

/// How findings are shown.
#[derive(Debug, Clone, clap::Args)]
pub(super) struct ReportArguments {
    /// Format of the report: pretty, concise, json, jsonl, sarif, github, gitlab, junit, markdown, checkstyle,
    /// rdjson, azure, or (`check` only) mermaid-report
    #[arg(
        long, value_name = "FORMAT", default_value = "pretty",
        value_parser = Named { read: form, names: form_names },
        hide_default_value = true, hide_possible_values = true, help_heading = "Report"
    )]
    format: Form,
    /// Write the report to a file; FORMAT=FILE writes a further report in that format; repeatable
    #[arg(long, value_name = "FILE", help_heading = "Report")]
    output: Vec<String>,
    /// Replace existing outputs even if they are files of another type
    #[arg(long, help_heading = "Report")]
    pub(super) force: bool,
    /// Write findings only: no summary, no progress
    #[arg(long, short, help_heading = "Report")]
    pub(super) quiet: bool,
    /// Show at most this many findings
    #[arg(long, value_name = "N", help_heading = "Report")]
    pub(super) max_diagnostics: Option<usize>,
    /// Show findings that a comment or the baseline suppresses
    #[arg(long, help_heading = "Report")]
    pub(super) show_suppressed: bool,
}

/// What a report is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// All findings.
    Findings(Format),
    /// The verdict on every diagram.
    Diagrams,
}

impl ReportArguments {
    /// The form of a report on findings.
    pub(super) fn findings(&self) -> Result<Format, Fault> {
        match self.format {
            Form::Findings(format) => Ok(format),
            Form::Diagrams => Err(Fault::usage("`mermaid-report` is a form of `proofmark check`")),
        }
    }

    /// The reports that are asked for, the main one first; their files are taken as outputs.
    pub(super) fn targets(&self, format: Format, outputs: &mut Outputs) -> Result<Vec<Target>, Fault> {
        let mut main = Target { format, file: None };
        let mut further = Vec::new();
        for output in &self.output {
            let named = output.split_once('=').and_then(|(name, file)| Some((name.parse().ok()?, file)));
            match named {
                Some((format, file)) => further.push(Target { format, file: Some(file.into()) }),
                None if main.file.is_some() => {
                    let what = "the report can be written into one file";
                    return Err(Fault::with_hint(what, "write `--output FORMAT=FILE` for further reports"));
                }
                None => {
                    refuse_unknown_format(output)?;
                    main.file = Some(output.into());
                }
            }
        }
        further.insert(0, main);
        for (index, target) in further.iter().enumerate() {
            let Some(file) = target.file.as_deref().filter(|file| *file != Path::new("-")) else { continue };
            let own = match self.format {
                Form::Diagrams if index == 0 => Format::Json,
                _ => target.format,
            };
            let extensions = [own.extensions(), &ANY_REPORT].concat();
            outputs.take(file, &extensions).map_err(|error| Fault::output(&error))?;
        }
        Ok(further)
    }

    /// What the reports say about the run, and how they look.
    pub(super) fn runs(
        &self,
        targets: &[Target],
        project: &Project,
        console: Console,
        fail_level: Severity,
    ) -> Vec<Run> {
        let run = |target: &Target| {
            let to_stdout = target.file.is_none();
            let options = ReportOptions {
                color: to_stdout && console.color(),
                width: if to_stdout { Console::width() } else { None },
                show_suppressed: self.show_suppressed,
                fail_level,
                quiet: self.quiet,
                ..ReportOptions::default()
            };
            project.run(target.format, options)
        };
        targets.iter().map(run).collect()
    }
}

/// Refuses what looks like a report in a format that does not exist: `sarfi=out.sarif`.
fn refuse_unknown_format(output: &str) -> Result<(), Fault> {
    let name = output.split_once('=').map(|(name, _)| name);
    let is_word =
        |name: &&str| !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphabetic() || byte == b'-');
    let Some(name) = name.filter(is_word) else { return Ok(()) };
    let names = Format::ALL.iter().map(|format| format.name());
    let meant = nearest(name, names).map(|near| format!("did you mean `{near}`? ")).unwrap_or_default();
    let hint = format!("{meant}for a file of this name, write `./{output}`");
    Err(Fault::with_hint(format!("there is no format `{name}`"), hint))
}

/// How names of files end that reports of any format are kept in.
const ANY_REPORT: [&str; 4] = ["txt", "log", "out", ""];

/// The names of all forms.
fn form_names() -> Vec<&'static str> {
    Format::ALL.iter().map(|format| format.name()).chain(["mermaid-report"]).collect()
}

/// Reads the name of a form.
fn form(name: &str) -> Result<Form, String> {
    if name == "mermaid-report" {
        return Ok(Form::Diagrams);
    }
    let found = format(name).map_err(|error| format!("{error}, mermaid-report"));
    found.map(Form::Findings)
}

/// Reads the name of a format.
pub(super) fn format(name: &str) -> Result<Format, String> {
    let names: Vec<&str> = Format::ALL.iter().map(|format| format.name()).collect();
    name.parse().map_err(|error| format!("{error}; formats are {}", names.join(", ")))
}

pub(super) fn run(arguments: &Arguments, global: &Global, console: Console) -> Result<Exit, Fault> {
    if arguments.watch {
        return watch::run(&arguments.input, global, || once(arguments, global, console));
    }
    once(arguments, global, console)
}

fn once(arguments: &Arguments, global: &Global, console: Console) -> Result<Exit, Fault> {
    let mut timing = Timing::new(arguments.timing);
    let overrides = Overrides { baseline: arguments.baseline(), ..arguments.run.overrides() };
    let overrides = Overrides { index: arguments.index()?, ..arguments.input.with(overrides) };
    let project = timing.phase("rules and configuration", || open(global, overrides))?;
    report_left_out(&project);
    let found = timing.phase("finding files", || arguments.documents(&project))?;
    if arguments.show_files {
        return show_files(&project, &found);
    }
    let Walked { documents, left_out, .. } = found;
    let fail_level = arguments.fail.fail_level.unwrap_or(project.config().rules.fail_level);
    let (format, diagrams) = match arguments.report.format {
        Form::Findings(format) => (format, None),
        Form::Diagrams => (Format::default(), Some(DiagramReporter::new(arguments.diagrams))),
    };
    let force = arguments.report.force;
    let mut outputs = if arguments.write_baseline.is_some() {
        outputs_with_baseline(&project, &documents, force)
    } else {
        outputs(&project, &documents, arguments.baseline.as_deref(), force)
    };
    let targets = arguments.report.targets(format, &mut outputs)?;
    if let Some(path) = &arguments.write_baseline {
        outputs.take(path, &["json"]).map_err(|error| Fault::output(&error))?;
    }
    let runs = arguments.report.runs(&targets, &project, console, fail_level);
    let shows_fixes = targets.iter().any(|target| target.format.shows_fixes(arguments.report.quiet));
    let mut report = Report {
        project: &project,
        reports: if diagrams.is_some() {
            Reports::of_others(&targets, &runs)
        } else {
            Reports::new(&targets, &runs)
        },
        diagrams,
        left: arguments.report.max_diagnostics.unwrap_or(usize::MAX),
        fail_level,
        keep: arguments.write_baseline.is_some(),
        totals: Totals::default(),
    };
    let jobs = arguments.run.jobs(documents.len());
    let layouts = arguments.render.then(|| Layouts::start(&project, jobs)).transpose()?;
    report.reports.begin()?;
    let progress = arguments.progress(documents.len());
    let start = Instant::now();
    list_in_order(
        jobs,
        &documents,
        |listed| (listed, arguments.verdict(&project, listed, shows_fixes, layouts.as_ref())),
        |(listed, done)| {
            let (verdict, applied) = done?;
            report.totals.applied += applied;
            report.totals.fixed += usize::from(applied > 0);
            if let Verdict::Validated(validated) = &verdict {
                timing.document(validated, &project);
            }
            progress.aside(|| report.add(listed, verdict))?;
            progress.advance();
            Ok::<(), Fault>(())
        },
    )?;
    timing.add("reading, validating and reporting", start.elapsed());
    progress.finish();
    report_later_warnings(&project);
    let exit = report.end(arguments)?;
    if !left_out.is_empty() && !arguments.report.quiet {
        report_without_rules(&left_out);
    }
    timing.show();
    Ok(exit)
}

/// Lists files with their kinds and why they are read as these.
fn show_files(project: &Project, found: &Walked) -> Result<Exit, Fault> {
    let mut text = String::new();
    for listed in &found.documents {
        let (kind, why) = match project.subject(listed.input.clone()) {
            Ok(subject) => (subject.kind().name().to_owned(), subject.kind_source().name()),
            Err(NotOpened::Unreadable { .. }) => ("-".to_owned(), "unreadable"),
            Err(NotOpened::UnknownKind) => ("-".to_owned(), "unknown"),
        };
        let _ = writeln!(text, "{}\t{kind}\t{why}", visible(&listed.name));
    }
    for (name, kind) in &found.left_out {
        let _ = writeln!(text, "{}\t{kind}\tnot checked: no rule is for it", visible(name));
    }
    Console::print(&text)?;
    Ok(Exit::Clean)
}

impl Arguments {
    /// The documents of the run, and what was left out.
    fn documents(&self, project: &Project) -> Result<Walked, Fault> {
        if self.staged {
            let mut found = Walked::default();
            found.documents = project.staged();
            return Ok(found);
        }
        self.input.found(project)
    }

    /// How far the run is, for those who watch.
    fn progress(&self, documents: usize) -> Progress {
        match (self.report.quiet, self.render) {
            (true, _) => Progress::none(),
            (false, true) => Progress::rendering(documents),
            (false, false) => Progress::new(documents),
        }
    }

    /// Fixes a document where that is asked for, and validates it; the number of fixes.
    fn verdict(
        &self,
        project: &Project,
        listed: &Listed,
        shows_fixes: bool,
        layouts: Option<&Layouts>,
    ) -> Result<(Verdict, usize), WriteError> {
        if !self.fix || listed.input.is_stdin() {
            return Ok((validate(project, listed, shows_fixes, layouts), 0));
        }
        let (fixed, applied) = fix(project, listed)?;
        let verdict = if layouts.is_some() { validate(project, listed, shows_fixes, layouts) } else { fixed };
        Ok((verdict, applied))
    }

    /// The next commit, where that is what is checked.
    fn index(&self) -> Result<Option<Arc<Index>>, Fault> {
        if !self.staged {
            return Ok(None);
        }
        let folder = env::current_dir().map_err(|error| Fault::read(Path::new("."), error))?;
        let index = Index::read(&folder).map_err(|error| Fault::usage(error.to_string()))?;
        Ok(Some(Arc::new(index)))
    }

    /// Which findings are known. A new baseline has all findings in it.
    fn baseline(&self) -> Baselines {
        match &self.baseline {
            Some(path) => Baselines::File(path.clone()),
            None => self.write_baseline.clone().map_or(Baselines::Configured, Baselines::Written),
        }
    }
}

/// A report in the making.
struct Report<'r> {
    project: &'r Project,
    reports: Reports<'r>,
    /// Reports on diagrams where the main report goes.
    diagrams: Option<DiagramReporter>,
    /// How many findings may still be shown.
    left: usize,
    fail_level: Severity,
    /// Whether findings are kept for a new baseline.
    keep: bool,
    totals: Totals,
}

#[derive(Default)]
struct Totals {
    summary: Summary,
    kept: Vec<Diagnostic>,
    findings: usize,
    shown: usize,
    failed: bool,
    crashed: bool,
    unknown: Vec<String>,
    /// Fixes that were applied, and files that they were applied to.
    applied: usize,
    fixed: usize,
    /// Kinds of the documents, with those of embedded ones.
    kinds: BTreeSet<String>,
    /// Files that were read as templates.
    templates: usize,
    /// The files that were read and validated, as the configuration calls them, and the fingerprints of all findings.
    files: BTreeSet<String>,
    fingerprints: BTreeSet<String>,
    once: Once,
}

/// Findings in files that several documents refer to, which each of them would report.
#[derive(Default)]
struct Once {
    /// What is in the documents that were checked, and what they report of other files.
    own: HashSet<u64>,
    elsewhere: HashSet<u64>,
}

impl Once {
    /// Leaves out what was reported already, for a document that refers to the file or for the file itself.
    fn retain_new(&mut self, found: &mut Vec<Diagnostic>) {
        found.retain(|one| {
            let Location { file, byte_start, byte_end, source, .. } = &one.location;
            let mut key = DefaultHasher::new();
            (file, byte_start, byte_end, &one.id, &one.message).hash(&mut key);
            let key = key.finish();
            if *source == SourceId(0) {
                self.own.insert(key);
                !self.elsewhere.contains(&key)
            } else {
                !self.own.contains(&key) && self.elsewhere.insert(key)
            }
        });
    }
}

impl Report<'_> {
    fn add(&mut self, listed: &Listed, verdict: Verdict) -> Result<(), Fault> {
        let Validated { name, mut outcome, layouts, crashed, validating, .. } = match verdict {
            Verdict::Validated(validated) => *validated,
            Verdict::UnknownKind => {
                self.totals.unknown.extend(listed.explicit.then(|| listed.name.clone()));
                return Ok(());
            }
        };
        let totals = &mut self.totals;
        totals.once.retain_new(&mut outcome.diagnostics);
        // A configuration inside of this one calls its files by other names.
        let named = listed.input.path().map(|path| self.project.configured_name(path));
        let key = named.unwrap_or_else(|| outcome.document.source().key().to_owned());
        totals.fingerprints.extend(outcome.diagnostics.iter().map(|found| found.fingerprint.clone()));
        kinds_in(&outcome.document, &mut totals.kinds);
        totals.templates += usize::from(outcome.document.template.is_some());
        totals.failed |= self.diagrams.is_none() && fails(&outcome.diagnostics, self.fail_level);
        totals.crashed |= crashed;
        totals.summary.count(outcome.diagnostics.iter().filter(|d| d.suppressed.is_none()));
        totals.findings += outcome.diagnostics.len();
        let count = outcome.diagnostics.len().min(self.left);
        self.left -= count;
        totals.shown += count;
        let shown = outcome.shown(self.project.ruleset().kinds());
        let sources = [&shown.sources[..], &layouts].concat();
        let file = FileReport { name: &name, sources: &sources, diagnostics: &shown.diagnostics[..count] };
        self.reports.file(&file, &outcome.diagnostics[count..])?;
        if let Some((diagrams, sink)) = self.diagrams.as_ref().zip(self.reports.main()) {
            let ruleset = self.project.ruleset();
            totals.failed |= !diagrams.file(&name, &outcome, ruleset, validating, sink)?;
        }
        if self.keep {
            for diagnostic in &mut outcome.diagnostics {
                if diagnostic.location.file == name {
                    diagnostic.location.file.clone_from(&key);
                }
            }
            totals.kept.append(&mut outcome.diagnostics);
        }
        // What is known of a file that was not read, or on which the program failed, stays known.
        if !crashed && outcome.document.kind != ENGINE_KIND {
            totals.files.insert(key);
        }
        Ok(())
    }

    fn end(mut self, arguments: &Arguments) -> Result<Exit, Fault> {
        let totals = self.totals;
        let mut exit =
            Exit::findings(totals.failed && arguments.write_baseline.is_none() && !arguments.fail.exit_zero);
        if !totals.unknown.is_empty() {
            exit = Exit::Usage;
        }
        if totals.crashed {
            exit = Exit::Internal;
        }
        let truncated = (totals.shown < totals.findings)
            .then_some(Truncated { shown: totals.shown, total: totals.findings });
        self.reports.end(&Outcome { exit_code: exit.code(), truncated })?;
        let to_people = matches!(arguments.report.format, Form::Findings(Format::Pretty | Format::Concise));
        if arguments.statistics && to_people {
            self.reports.write(&statistics::table(&totals.summary, self.project.ruleset()))?;
        }
        if to_people && totals.applied > 0 && !arguments.report.quiet {
            let (fixes, files) = (plural(totals.applied, "fix"), plural(totals.fixed, "file"));
            self.reports.write(&format!("{fixes} in {files} applied\n"))?;
        }
        self.reports.finish()?;
        if arguments.statistics && !to_people {
            Console::note(statistics::table(&totals.summary, self.project.ruleset()).trim_end());
        }
        if let Some(path) = &arguments.write_baseline {
            let text = Baseline::of(&totals.kept).to_json();
            put(path, text.as_bytes()).map_err(|error| Fault::write(path, error))?;
        }
        if arguments.prune_baseline {
            prune(arguments, self.project, &totals)?;
        }
        if totals.templates > 0 && !arguments.report.quiet {
            report_templates(totals.templates);
        }
        let kinds: Vec<&str> = totals.kinds.iter().map(String::as_str).collect();
        if !kinds.is_empty()
            && !arguments.render
            && !kinds.iter().any(|kind| self.project.has_rules_for(kind))
        {
            let kinds = kinds.join(", ");
            Console::note(&format!("warning: no enabled rule applies to the checked documents ({kinds})"));
        }
        if !totals.unknown.is_empty() {
            Fault::unknown_kind(&totals.unknown.join(", "), "--kind", self.project).report();
        }
        Ok(exit)
    }
}

/// Adds the kinds of a document and of those inside it.
fn kinds_in(document: &Document, kinds: &mut BTreeSet<String>) {
    // What the run records about a file that cannot be read is of no kind.
    if document.kind != ENGINE_KIND && !kinds.contains(document.kind.as_ref()) {
        kinds.insert(document.kind.to_string());
    }
    document.embedded.iter().for_each(|inner| kinds_in(inner, kinds));
}

/// Removes findings from the baseline that were not found again: rules that ran on files that were validated no
/// longer report them, or the files no longer exist.
fn prune(arguments: &Arguments, project: &Project, totals: &Totals) -> Result<(), Fault> {
    let path = arguments.baseline.clone().or_else(|| project.config().rules.baseline.clone());
    let (Some(path), Some(baseline)) = (path, project.baseline()) else {
        let hint = "name one with `--baseline FILE` or `baseline` in `[rules]`";
        return Err(Fault::with_hint("there is no baseline to prune", hint));
    };
    let was_looked_for = |known: &Known| {
        let was_run = || totals.files.contains(&known.file) && project.enables(&known.id, &known.file);
        !project.has_file(&known.file) || was_run()
    };
    let pruned = baseline.pruned(&totals.fingerprints, &was_looked_for);
    let gone = baseline.findings.len() - pruned.findings.len();
    put(&path, pruned.to_json().as_bytes()).map_err(|error| Fault::write(&path, error))?;
    let (gone, left) = (plural(gone, "finding"), pruned.findings.len());
    Console::note(&format!("removed {gone} from `{}`; {left} remain", shown(&path)));
    Ok(())
}
