use std::{
    fmt::Write as _,
    path::{Path, PathBuf},
};

use crate::{
    checks::Check,
    engine::{Step, Trace},
    project::{Input, NotOpened, Overrides},
    text::visible,
    tree::JsonPath,
};

use super::{Console, Exit, Fault, Global, Style};
use crate::cli::{
    arguments::EnvironmentArguments,
    input::KindArguments,
    project::{open, report_left_out},
};

/// Show why a rule reported something in a document, or why not
///
/// Lists every node that the rule's `given` selects (or every observation of the name it is for), what
/// its `when` said there, and whether its check found something.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  proofmark rules trace FM101 docs/a.md
  proofmark rules trace FM101 docs/a.md:14    only what is on line 14")]
pub(super) struct Arguments {
    /// Id or name of the rule
    #[arg(value_name = "RULE")]
    rule: String,
    /// The document, with or without a line
    #[arg(value_name = "FILE[:LINE]")]
    file: String,
    #[command(flatten)]
    kind: KindArguments,
    #[command(flatten)]
    environment: EnvironmentArguments,
}

pub(super) fn run(arguments: &Arguments, global: &Global, console: Console) -> Result<Exit, Fault> {
    let environment = arguments.environment.of_process();
    let project = open(global, arguments.kind.with(Overrides { environment, ..Overrides::default() }))?;
    report_left_out(&project);
    let ruleset = project.ruleset();
    let unknown = || Fault::unknown_rule(&arguments.rule, ruleset.nearest(&arguments.rule));
    let found = ruleset.find(&arguments.rule).ok_or_else(unknown)?;
    let (path, line) = place(&arguments.file);
    if path.symlink_metadata().is_err() {
        return Err(Fault::usage(format!("there is no `{}`", visible(&arguments.file))));
    }
    let listed = project.listed(Input::file(path));
    let subject = match project.subject(listed.input.clone()) {
        Ok(subject) => subject,
        Err(NotOpened::UnknownKind) => return Err(Fault::unknown_kind(&listed.name, "--kind", &project)),
        Err(NotOpened::Unreadable { outcome, .. }) => {
            return Err(Fault::findings(&outcome.diagnostics, outcome.document.tree.sources()));
        }
    };
    let outcome = subject.validate();
    let trace = subject.trace(found.rule, &outcome);
    let style = Style::new(console.color());
    let mut text = format!("{} {}\n", style.bold(&found.rule.id), found.rule.name);
    let _ = writeln!(text, "  given  {}", given(&found.rule.given, &found.rule.check));
    if let Some(when) = &found.rule.when {
        let _ = writeln!(text, "  when   {}", when.source());
    }
    text.push_str(&verdict(&trace, &outcome.document.kind, &found.rule.kinds));
    for step in trace.steps.iter().filter(|step| line.is_none_or(|line| step.line == line)) {
        text.push_str(&step_line(step));
    }
    let of_rule = outcome.diagnostics.iter().filter(|d| d.id == found.rule.id);
    for diagnostic in of_rule.filter(|d| line.is_none_or(|line| d.location.line == line)) {
        let suppressed =
            diagnostic.suppressed.as_ref().map(|why| format!(" (suppressed: {why})")).unwrap_or_default();
        let at = &diagnostic.location;
        let _ = writeln!(text, "finding {}:{}: {}{suppressed}", at.line, at.column, diagnostic.message);
    }
    Console::print(&text)?;
    Ok(Exit::Clean)
}

/// The path and the line of `FILE[:LINE]`.
fn place(text: &str) -> (PathBuf, Option<u32>) {
    let split = text.rsplit_once(':').and_then(|(path, line)| Some((path, line.parse().ok()?)));
    match split {
        Some((path, line)) if !Path::new(text).exists() => (path.into(), Some(line)),
        _ => (text.into(), None),
    }
}

/// What the rule looks at.
fn given(given: &[JsonPath], check: &Check) -> String {
    match check.observed() {
        Some((_, name)) => format!("every observation `{name}`"),
        None => given.iter().map(JsonPath::source).collect::<Vec<_>>().join(", "),
    }
}

/// What can be said before looking at nodes.
fn verdict(trace: &Trace, kind: &str, kinds: &[String]) -> String {
    if !trace.for_kind {
        let kinds = kinds.join(", ");
        return format!("not run: the document is of kind {kind}, and the rule is for {kinds}\n");
    }
    let mut text = String::new();
    if !trace.enabled {
        text.push_str("off: this rule is not enabled; this is what it would do\n");
    }
    let count = trace.steps.len();
    let fired = trace.steps.iter().filter(|step| step.fired == Some(true)).count();
    let _ = match count {
        0 => writeln!(text, "nothing selected: nothing in the document matches the rule's selectors"),
        _ => writeln!(text, "{count} selected, {fired} reported"),
    };
    text
}

/// The line on one selected node.
fn step_line(step: &Step) -> String {
    let guard = match &step.guard {
        None => String::new(),
        Some(Ok(holds)) => format!("  when: {holds}"),
        Some(Err(error)) => format!("  when: cannot be evaluated, {error}"),
    };
    let failed = step.failure.as_ref().map(|why| format!("  check: cannot be evaluated, {}", visible(why)));
    let check = match step.fired {
        Some(true) => "  check: FAILED",
        Some(false) => "  check: passed",
        None => "  check: skipped",
    };
    let check = failed.as_deref().unwrap_or(check);
    format!("  line {:<4} {}{guard}{check}  {}\n", step.line, or_root(&step.place), visible(&step.text))
}

fn or_root(place: &str) -> &str {
    if place.is_empty() { "(document)" } else { place }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_may_have_a_line() {
        assert_eq!(place("docs/a.md:14"), ("docs/a.md".into(), Some(14)));
        assert_eq!(place("docs/a.md"), ("docs/a.md".into(), None));
        assert_eq!(place("docs/a:b.md"), ("docs/a:b.md".into(), None));
    }
}
