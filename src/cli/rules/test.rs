use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use crate::{
    diagnostic::{
        Severity,
        report::{self, FileReport, Format},
    },
    engine::try_examples,
    kinds::rulefile,
    project::{Baselines, BrokenPack, Findings, Input, Listed, OpenError, Overrides, Project},
    rules::{Rule, Ruleset},
    text::visible,
};

use super::{
    Console, Exit, Fault, Global,
    scores::{Measure, Report},
    shown,
};
use crate::cli::{
    check::ReportArguments,
    console::plural,
    outputs::outputs,
    project::{fails, open},
    reports::Reports,
    validate::{Verdict, validate},
};

/// Test packs: their files, their examples, and that their fixes obey the laws of fixes
///
/// A fix removes its finding, introduces no error, and changes nothing when it is applied again.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  proofmark rules test                  the built-in packs and those of proofmark.toml
  proofmark rules test packs/catalogue  one pack
  proofmark rules test packs            every pack in a folder
  proofmark rules test packs/catalogue/prices.yaml   one rule file
  proofmark rules test packs/catalogue --coverage    what no example exercises
  proofmark rules test packs/catalogue --mutate      which changes of the rules no example notices
  proofmark rules test --mutate --only FM101,MM2     of some built-in rules")]
pub(in crate::cli) struct Arguments {
    /// Folders of packs, folders that have some, or single rule files of packs
    #[arg(value_name = "PATHS")]
    folders: Vec<PathBuf>,
    /// Report which parts of the rules (selectors, conditions, checks, fixes) no example exercises
    #[arg(long)]
    coverage: bool,
    /// Change the rules one part at a time, and report the changes that no example notices
    #[arg(long, conflicts_with = "coverage")]
    mutate: bool,
    /// With --coverage or --mutate: only rules of these packs, ids or prefixes of ids
    #[arg(long, value_name = "RULES", value_delimiter = ',')]
    only: Vec<String>,
    /// With --coverage or --mutate: exit with 1 if a pack has a lower percentage
    #[arg(long, value_name = "PERCENT")]
    at_least: Option<f64>,
    #[command(flatten)]
    report: ReportArguments,
}

impl Arguments {
    /// What is to be measured instead of tested.
    fn scores(&self) -> Result<Option<Report>, Fault> {
        let measure = match (self.coverage, self.mutate) {
            (true, _) => Measure::Coverage,
            (_, true) => Measure::Mutation,
            _ if self.only.is_empty() && self.at_least.is_none() => return Ok(None),
            _ => return Err(Fault::usage("`--only` and `--at-least` go with `--coverage` or `--mutate`")),
        };
        let json = match self.report.findings()? {
            Format::Pretty | Format::Concise => false,
            Format::Json => true,
            _ => return Err(Fault::usage("coverage and mutations are reported as text or `--format json`")),
        };
        Ok(Some(Report { measure, json, at_least: self.at_least }))
    }

    /// Whether a rule is asked for.
    fn means(&self, rule: &Rule) -> bool {
        self.only.is_empty()
            || self
                .only
                .iter()
                .any(|word| *word == rule.pack || *word == rule.name || rule.id.starts_with(word))
    }
}

pub(in crate::cli) fn run(arguments: &Arguments, global: &Global, console: Console) -> Result<Exit, Fault> {
    let named = packs(&arguments.folders)?;
    let opened = |folders: &[PathBuf]| {
        let overrides = Overrides {
            baseline: Baselines::None,
            without_packs: Some(folders.to_vec()),
            packs: folders.to_vec(),
            kind: Some(rulefile::NAME.to_owned()),
            ..Overrides::default()
        };
        open(global, overrides)
    };
    let mut project = opened(&named)?;
    if let Some(report) = arguments.scores()? {
        return measure(arguments, report, &named, &project, console);
    }
    let built_in = if arguments.folders.is_empty() { built_in(project.ruleset())? } else { Exit::Clean };
    let folders = if arguments.folders.is_empty() { project.config().packs.clone() } else { named };
    if folders.is_empty() {
        return Ok(built_in);
    }
    if arguments.folders.is_empty() {
        project = opened(&folders)?;
    }
    let tested = |pack: &&BrokenPack| folders.contains(&pack.folder);
    for pack in project.broken_packs().iter().filter(|pack| !tested(pack)) {
        let name = visible(&project.name_of_path(&pack.folder)).into_owned();
        Console::note(&format!("warning: the pack `{name}` has errors and was left out"));
    }
    // What is wrong with a pack as a whole has no place in a file. A pack whose files may not be read is not shown either.
    let is_whole = |error: &&OpenError| !matches!(error, OpenError::Findings(_));
    let broken = || project.broken_packs().iter().filter(tested);
    let unreadable: Vec<&OpenError> = broken().flat_map(|pack| pack.errors.iter().filter(is_whole)).collect();
    let is_shown = |folder: &&PathBuf| {
        broken().all(|pack| pack.folder != **folder || pack.errors.iter().any(|error| !is_whole(&error)))
    };
    let shown: Vec<PathBuf> = folders.iter().filter(is_shown).cloned().collect();
    let (failed, files) =
        if shown.is_empty() { (false, 0) } else { lint(arguments, &shown, &project, console)? };
    if !unreadable.is_empty() {
        for error in unreadable {
            Fault::usage(error.to_string()).report();
        }
        return Ok(Exit::Usage);
    }
    if failed {
        return Ok(Exit::Findings);
    }
    let ruleset = project.ruleset();
    let names = Project::pack_names(&folders);
    let rules: Vec<&Arc<Rule>> = ruleset.rules().iter().filter(|rule| names.contains(&rule.pack)).collect();
    let examples: usize = rules.iter().map(|rule| ruleset.help(rule).examples.len()).sum();
    let (rules, files) = (plural(rules.len(), "rule"), plural(files, "file"));
    Console::note(&format!("{rules} in {files}, {}: all passed", plural(examples, "example")));
    Ok(built_in)
}

/// Measures the examples of packs, or of the built-in rules where no pack is named. Packs with errors are reported as
/// the test reports them.
fn measure(
    arguments: &Arguments,
    report: Report,
    folders: &[PathBuf],
    project: &Project,
    console: Console,
) -> Result<Exit, Fault> {
    if folders.is_empty() {
        let ruleset = project.ruleset();
        let rules: Vec<&Arc<Rule>> = ruleset.rules().iter().filter(|rule| arguments.means(rule)).collect();
        return report.run(ruleset, &rules, console);
    }
    let broken = project.broken_packs().iter().filter(|pack| folders.contains(&pack.folder));
    let errors: Vec<Fault> = broken.flat_map(|pack| &pack.errors).map(Fault::of_error).collect();
    if !errors.is_empty() {
        return Err(Fault::Several(errors));
    }
    let ruleset = project.ruleset();
    let names = Project::pack_names(folders);
    let own = |rule: &&Arc<Rule>| names.contains(&rule.pack) && arguments.means(rule);
    let rules: Vec<&Arc<Rule>> = ruleset.rules().iter().filter(own).collect();
    report.run(ruleset, &rules, console)
}

/// The folders of packs that are meant: each itself, or those in it.
fn packs(folders: &[PathBuf]) -> Result<Vec<PathBuf>, Fault> {
    let is_pack = |folder: &Path| folder.join("pack.yaml").is_file();
    let mut packs = Vec::new();
    for folder in folders {
        let folder = &pack_of(folder)?;
        if is_pack(folder) {
            packs.extend((!packs.contains(folder)).then(|| folder.clone()));
            continue;
        }
        let entries = fs::read_dir(folder).map_err(|error| Fault::read(folder, error))?;
        let mut inner: Vec<PathBuf> =
            entries.flatten().map(|entry| entry.path()).filter(|path| is_pack(path)).collect();
        inner.sort();
        if inner.is_empty() {
            let what = format!("`{}` is not a pack: it has no `pack.yaml`", shown(folder));
            return Err(Fault::with_hint(what, "`proofmark rules new FOLDER ID` makes one"));
        }
        packs.append(&mut inner);
    }
    Ok(packs)
}

/// The folder of the pack that a rule file belongs to; a folder itself.
fn pack_of(path: &Path) -> Result<PathBuf, Fault> {
    if !path.is_file() {
        return Ok(path.to_owned());
    }
    let folder = path.parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new("."));
    if folder.join("pack.yaml").is_file() {
        return Ok(folder.to_owned());
    }
    let what = format!("`{}` belongs to no pack: there is no `pack.yaml` beside it", shown(path));
    Err(Fault::with_hint(what, "`proofmark rules new FOLDER ID` makes one"))
}

/// Checks the files of packs as documents and reports what is found: whether something is wrong, and
/// how many files there are.
fn lint(
    arguments: &Arguments,
    folders: &[PathBuf],
    project: &Project,
    console: Console,
) -> Result<(bool, usize), Fault> {
    let format = arguments.report.findings()?;
    let mut files = files(folders, project)?;
    let mut outputs = outputs(project, &files, None, arguments.report.force);
    let targets = arguments.report.targets(format, &mut outputs)?;
    let runs = arguments.report.runs(&targets, project, console, Severity::Error);
    let mut reports = Reports::new(&targets, &runs);
    let quiet = matches!(format, Format::Pretty | Format::Concise);
    let mut failed = false;
    let named: Vec<&PathBuf> = arguments.folders.iter().filter(|path| path.is_file()).collect();
    let is_asked_for = |listed: &Listed| {
        let path = listed.input.path().unwrap_or(Path::new(""));
        let same = |file: &&PathBuf| file.canonicalize().ok() == path.canonicalize().ok();
        let whole = |folder: &PathBuf| folder.is_dir() && path.starts_with(folder);
        named.iter().any(same) || arguments.folders.iter().any(whole)
    };
    if !named.is_empty() {
        files.retain(is_asked_for);
    }
    reports.begin()?;
    let known = found_on_loading(project);
    for listed in &files {
        // What takes the whole pack to see was found when it was loaded.
        if let Some(findings) = known
            .iter()
            .find(|findings| findings.sources.first().is_some_and(|source| source.name() == listed.name))
        {
            failed |= fails(&findings.diagnostics, Severity::Error);
            let Findings { diagnostics, sources, .. } = findings;
            reports.file(&FileReport { name: &listed.name, sources, diagnostics }, &[])?;
            continue;
        }
        let Verdict::Validated(validated) = validate(project, listed, true, None) else { continue };
        failed |= fails(&validated.outcome.diagnostics, Severity::Error);
        let sources = validated.outcome.document.tree.sources();
        let diagnostics = &validated.outcome.diagnostics;
        reports.file(&FileReport { name: &validated.name, sources, diagnostics }, &[])?;
    }
    let exit_code = Exit::findings(failed).code();
    if !quiet || failed {
        reports.end(&report::Outcome { exit_code, truncated: None })?;
    }
    reports.finish()?;
    Ok((failed, files.len()))
}

/// The findings in files of packs that cannot be loaded.
fn found_on_loading(project: &Project) -> Vec<&Findings> {
    let errors = project.broken_packs().iter().flat_map(|pack| &pack.errors);
    errors
        .filter_map(|error| match error {
            OpenError::Findings(findings) => Some(findings),
            _ => None,
        })
        .collect()
}

/// The YAML files of packs.
fn files(folders: &[PathBuf], project: &Project) -> Result<Vec<Listed>, Fault> {
    let mut files = Vec::new();
    for folder in folders {
        let entries = fs::read_dir(folder).map_err(|error| Fault::read(folder, error))?;
        for path in entries.flatten().map(|entry| entry.path()) {
            let yaml = path.extension().is_some_and(|extension| extension == "yaml" || extension == "yml");
            if yaml && path.is_file() {
                files.push(project.listed(Input::file(path)));
            }
        }
    }
    files.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(files)
}

/// Runs the examples of the built-in rules.
fn built_in(ruleset: &Arc<Ruleset>) -> Result<Exit, Fault> {
    let mut examples = 0;
    let mut failures = Vec::new();
    for rule in ruleset.rules() {
        let help = ruleset.help(rule);
        examples += help.examples.len();
        failures.extend(try_examples(ruleset, rule, &help.examples));
    }
    let text: String = failures.iter().map(|failure| format!("{failure}\n")).collect();
    Console::print(&text)?;
    let rules = ruleset.rules().len();
    let verdict = if failures.is_empty() { "all passed" } else { "not all passed" };
    Console::note(&format!("{rules} built-in rules, {examples} examples: {verdict}"));
    Ok(Exit::findings(!failures.is_empty()))
}
