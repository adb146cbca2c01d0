use std::{borrow::Cow, fmt::Write as _};

use crate::{
    diagnostic::Applicability,
    project::summary,
    rules::{Example, Rule, Ruleset, Status},
    text::{unified, visible},
};

use super::{
    Global,
    arguments::PageFormat,
    console::Console,
    exit::{Exit, Fault},
    project::open_for_reference,
    style::Style,
};

/// Explain a rule: what it checks, why, and how to fix the document
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  proofmark explain PM003
  proofmark explain not-utf8
  proofmark explain PM003 --format json")]
pub(super) struct Arguments {
    /// Id or name of the rule; former ids and names work, too
    #[arg(value_name = "RULE")]
    rule: String,
    /// Format of the explanation
    #[arg(long, value_enum, default_value_t)]
    format: PageFormat,
}

pub(super) fn run(arguments: &Arguments, global: &Global, console: Console) -> Result<Exit, Fault> {
    let project = open_for_reference(global)?;
    let ruleset = project.ruleset();
    let unknown = || Fault::unknown_rule(&arguments.rule, ruleset.nearest(&arguments.rule));
    let found = ruleset.find_shown(&arguments.rule).ok_or_else(unknown)?;
    if found.old {
        Console::note(&format!("note: `{}` is now {} ({})", arguments.rule, found.rule.id, found.rule.name));
    }
    let explained = Explained::new(found.rule, ruleset);
    match arguments.format {
        PageFormat::Text => Console::print(&explained.text(Style::new(console.color())))?,
        PageFormat::Markdown => Console::print(&explained.markdown("#"))?,
        PageFormat::Json => Console::print(&format!("{:#}\n", project.explained(found.rule)))?,
    }
    Ok(Exit::Clean)
}

/// A rule with everything there is to say about it.
pub(super) struct Explained<'r> {
    rule: &'r Rule,
    explain: String,
    examples: Vec<Example>,
}

impl<'r> Explained<'r> {
    pub(super) fn new(rule: &'r Rule, ruleset: &Ruleset) -> Self {
        let help = ruleset.help(rule);
        Self { rule, explain: help.explain, examples: help.examples }
    }

    /// What it checks, in one line.
    pub(super) fn summary(&self) -> String {
        summary(&self.explain)
    }

    fn status(&self) -> String {
        match &self.rule.status {
            Status::Deprecated { replaced_by } => format!("deprecated, replaced by {replaced_by}"),
            status => status.name().to_owned(),
        }
    }

    /// How the rule's findings can be fixed.
    fn fixable(&self) -> &'static str {
        match self.rule.fixes.iter().map(|fix| fix.applicability).max() {
            Some(Applicability::Safe) => "safe",
            Some(Applicability::Unsafe) => "unsafe",
            Some(Applicability::Manual) => "manual",
            None => "none",
        }
    }

    fn facts(&self) -> Vec<(&'static str, String)> {
        let rule = self.rule;
        let mut facts = vec![
            ("severity", rule.severity.to_string()),
            ("status", self.status()),
            ("since", rule.since.clone()),
            ("pack", rule.pack.clone()),
            ("kinds", rule.kinds.join(", ")),
            ("fix", self.fixable().to_owned()),
        ];
        if !rule.enabled {
            facts.push(("enabled", "only when selected".to_owned()));
        }
        if !rule.tags.is_empty() {
            facts.push(("tags", rule.tags.join(", ")));
        }
        facts
    }

    fn first(&self, invalid: bool) -> Option<&Example> {
        self.examples.iter().find(|example| example.invalid == invalid && example.sample.text.is_some())
    }

    /// The explanation for people.
    fn text(&self, style: Style) -> String {
        let rule = self.rule;
        let mut text = format!("{} {}\n\n", style.bold(&rule.id), style.bold(&rule.name));
        for (name, value) in self.facts() {
            let _ = writeln!(text, "  {name:<9} {value}");
        }
        let _ = writeln!(text, "\n{}", self.explain.trim());
        if !rule.options.is_empty() {
            let _ = writeln!(text, "\n{}", style.bold("Options"));
        }
        for (name, option) in &rule.options {
            let (kind, default) = (option.value_type.name(), &option.default);
            let _ = writeln!(text, "  {name} ({kind}, default {default}): {}", option.description);
        }
        if let Some((bad, sample)) = self.bad() {
            let _ = writeln!(text, "\n{}\n{}", style.bold("Wrong"), indent(sample));
            for (name, content) in Self::files(bad) {
                let _ = writeln!(text, "\n{}\n{}", style.bold(&beside(name, content)), indent(content));
            }
            if let Some(fixed) = bad.fixed.as_ref().and_then(|fixed| fixed.text.as_deref()) {
                let _ =
                    writeln!(text, "\n{}\n{}", style.bold("Fixed"), style.diff(&plain(&diff(sample, fixed))));
            }
        }
        if let Some((good, sample)) = self.good() {
            let _ = writeln!(text, "\n{}\n{}", style.bold("Right"), indent(sample));
            for (name, content) in Self::files(good) {
                let _ = writeln!(text, "\n{}\n{}", style.bold(&beside(name, content)), indent(content));
            }
        }
        text
    }

    /// The other files of an example, with their content; nothing of those that are not text.
    fn files(example: &Example) -> Vec<(&str, &str)> {
        let texts = example.sample.raw.files.iter().map(|(name, text)| (name.as_str(), text.as_str()));
        texts.chain(example.sample.raw.binary.keys().map(|name| (name.as_str(), ""))).collect()
    }

    fn bad(&self) -> Option<(&Example, &str)> {
        let example = self.first(true)?;
        Some((example, example.sample.text.as_deref().filter(|text| !text.is_empty())?))
    }

    fn good(&self) -> Option<(&Example, &str)> {
        let example = self.first(false)?;
        Some((example, example.sample.text.as_deref().filter(|text| !text.is_empty())?))
    }

    /// The explanation as Markdown below a heading of this level.
    pub(super) fn markdown(&self, heading: &str) -> String {
        let rule = self.rule;
        let mut text = format!("{heading} {} {}\n\n", rule.id, rule.name);
        let facts: Vec<String> =
            self.facts().into_iter().map(|(name, value)| format!("{name}: {value}")).collect();
        let _ = writeln!(text, "{}\n\n{}", facts.join(" · "), self.explain.trim());
        if !rule.options.is_empty() {
            text.push_str("\n| option | type | default | what it does |\n|---|---|---|---|\n");
        }
        for (name, option) in &rule.options {
            let (kind, default) = (option.value_type.name(), &option.default);
            let _ = writeln!(text, "| `{name}` | {kind} | `{default}` | {} |", option.description);
        }
        if let Some((bad, sample)) = self.bad() {
            let _ = write!(text, "\nWrong:\n\n{}", fenced("text", sample));
            files_as_markdown(&Self::files(bad), &mut text);
            if let Some(fixed) = bad.fixed.as_ref().and_then(|fixed| fixed.text.as_deref()) {
                let _ = write!(text, "\nFixed:\n\n{}", fenced("diff", &diff(sample, fixed)));
            }
        }
        if let Some((good, sample)) = self.good() {
            let _ = write!(text, "\nRight:\n\n{}", fenced("text", sample));
            files_as_markdown(&Self::files(good), &mut text);
        }
        text
    }
}

/// The other files of an example, below its document.
fn files_as_markdown(files: &[(&str, &str)], text: &mut String) {
    for (name, content) in files {
        let _ = write!(text, "\n{}\n", beside(&format!("`{name}`"), content));
        if !content.is_empty() {
            let _ = write!(text, "\n{}", fenced("text", content));
        }
    }
}

/// The title of another file of an example.
fn beside(name: &str, content: &str) -> String {
    if content.is_empty() { format!("beside {name}") } else { format!("beside {name}:") }
}

/// `text` with invisible characters escaped, on the lines that have some.
fn plain(text: &str) -> String {
    let hidden = |line: &str| matches!(visible(&line.replace('\t', " ")), Cow::Owned(_));
    let lines = text.trim_end_matches('\n').split('\n');
    lines.map(|line| if hidden(line) { visible(line) } else { line.into() }).collect::<Vec<_>>().join("\n")
}

/// What changes, with three lines around it.
pub(super) fn diff(old: &str, new: &str) -> String {
    unified(old, new, 3, None)
}

fn indent(text: &str) -> String {
    text.trim_end()
        .lines()
        .map(|line| format!("  {line}").trim_end().to_owned())
        .collect::<Vec<_>>()
        .join("\n")
}

/// A fence that is longer than any in the text.
pub(super) fn fenced(language: &str, text: &str) -> String {
    let longest = text.lines().map(|line| line.chars().take_while(|c| *c == '`').count()).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    format!("{fence}{language}\n{}\n{fence}\n", plain(text))
}
