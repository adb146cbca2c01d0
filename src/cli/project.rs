//! Opening the project of a command, and what its reports say of it.

use std::collections::BTreeMap;

use crate::{
    diagnostic::{Diagnostic, Severity},
    project::{
        Baselines, Configuration, Findings, LeftOut, Overrides, Project, UnknownDialect, UnknownKind,
        config::FILE_NAME,
    },
};

use super::{
    Global,
    console::{Console, plural},
    exit::Fault,
};

impl Global {
    /// The configuration that the command line names.
    pub(super) fn configuration(&self) -> Configuration {
        match &self.config {
            _ if self.isolated => Configuration::Default,
            Some(path) => Configuration::File(path.clone()),
            None => Configuration::Nearest,
        }
    }
}

/// Opens the project of a command that validates documents, and says which quills were left out.
pub(super) fn open(global: &Global, overrides: Overrides) -> Result<Project, Fault> {
    let overrides = Overrides { nearest: true, session: global.session.clone(), ..overrides };
    let project = Project::open(&global.configuration(), overrides)?;
    for findings in project.all_warnings() {
        Fault::of(findings).report();
    }
    Ok(project)
}

/// Opens the project of a command that is about rules, kinds or quills: known findings do not matter.
pub(super) fn open_for_reference(global: &Global) -> Result<Project, Fault> {
    open(global, Overrides { baseline: Baselines::None, ..Overrides::default() })
}

/// Reports what there is to say about configurations of other tools in the folders of the documents, when these were
/// validated.
pub(super) fn report_later_warnings(project: &Project) {
    for findings in &project.later_warnings() {
        Fault::of(findings).report();
    }
}

/// Reports which configured quills were left out, and why.
pub(super) fn report_left_out(project: &Project) {
    project.quills_left_out().iter().for_each(report_reason);
}

/// Reports how many files were read as templates, and how to change that.
pub(super) fn report_templates(count: usize) {
    let files = if count == 1 {
        "1 file was read as a template".to_owned()
    } else {
        format!("{count} files were read as templates")
    };
    Console::note(&format!(
        "note: {files}: what depends on actions of a template is not checked (`[files] templates` in \
         {FILE_NAME} changes this)"
    ));
}

/// Reports how many files of data were not checked, by kind, and how to see and change that.
pub(super) fn report_without_rules(left_out: &[(String, String)]) {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for (_, kind) in left_out {
        *counts.entry(kind).or_default() += 1;
    }
    let count = |(kind, count): (&str, &usize)| plural(*count, &format!("{} file", kind.to_uppercase()));
    let counts: Vec<String> = counts.iter().map(|(kind, number)| count((kind, number))).collect();
    let (were, them) = if left_out.len() == 1 { ("was", "it") } else { ("were", "them") };
    Console::note(&format!(
        "note: {} {were} not checked: no rule is for {them} (`--show-files` lists what is checked, `[files] include` \
         in {FILE_NAME} changes it)",
        counts.join(" and ")
    ));
}

/// Reports why a quill was left out.
pub(super) fn report_reason(left_out: &LeftOut) {
    match left_out {
        LeftOut::Findings(findings) => {
            Fault::of(findings).report();
        }
        LeftOut::Because(why) => Console::note(&format!("warning: {why}")),
    }
}

impl Fault {
    /// Findings that keep a command from its work.
    pub(super) fn of(findings: &Findings) -> Self {
        Self::findings(&findings.diagnostics, &findings.sources)
    }

    /// A document whose kind is not known, and the option that says it.
    pub(super) fn unknown_kind(document: &str, option: &str, project: &Project) -> Self {
        let known: Vec<&str> = project.kinds().names().collect();
        let hint = format!("name it with {option}; kinds are {}", known.join(", "));
        Self::with_hint(format!("{document}: its kind is not known"), hint)
    }

    /// A rule that does not exist.
    pub(super) fn unknown_rule(name: &str, nearest: Option<&str>) -> Self {
        let hint = match nearest {
            Some(near) => format!("did you mean `{near}`? `proofmark rules list` has them all"),
            None => "`proofmark rules list` has them all".to_owned(),
        };
        Self::with_hint(format!("there is no rule `{name}`"), hint)
    }
}

impl From<UnknownKind> for Fault {
    fn from(error: UnknownKind) -> Self {
        let near = error.nearest.as_ref().map(|near| format!("did you mean `{near}`? ")).unwrap_or_default();
        let hint = format!("{near}kinds are {}", error.known.join(", "));
        Self::with_hint(error.to_string(), hint)
    }
}

impl From<UnknownDialect> for Fault {
    fn from(error: UnknownDialect) -> Self {
        let near = error.nearest.as_ref().map(|near| format!("did you mean `{near}`? ")).unwrap_or_default();
        let hint = format!("{near}dialects are {}", error.known.join(", "));
        Self::with_hint(error.to_string(), hint)
    }
}

/// Whether findings make a run fail.
pub(super) fn fails(diagnostics: &[Diagnostic], level: Severity) -> bool {
    diagnostics.iter().any(|d| d.suppressed.is_none() && d.severity >= level)
}
