use std::fmt::Write as _;

use crate::{
    project::Project,
    rules::{PackStatistics, Rule},
};
use serde_json::json;

use super::{Console, Exit, Explained, Fault, Global, Style};
use crate::cli::{arguments::PageFormat, project::open_for_reference};

/// List rules
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  proofmark rules list --kind markdown
  proofmark rules list --tag reference --format json
  proofmark rules list --statistics")]
pub(super) struct Arguments {
    /// Only rules for documents of this kind
    #[arg(long, value_name = "KIND")]
    kind: Option<String>,
    /// Only rules with this tag
    #[arg(long, value_name = "TAG")]
    tag: Option<String>,
    /// Count the rules of every pack instead: how many say in their rule file what is wrong (declarative),
    /// report an error production of a grammar, or report what the code observes
    #[arg(long, conflicts_with_all = ["kind", "tag"])]
    statistics: bool,
    /// Format of the list
    #[arg(long, value_enum, default_value_t)]
    format: PageFormat,
}

pub(super) fn run(arguments: &Arguments, global: &Global, console: Console) -> Result<Exit, Fault> {
    let project = open_for_reference(global)?;
    if arguments.statistics {
        let packs = project.ruleset().statistics();
        Console::print(&match arguments.format {
            PageFormat::Text => statistics_text(&packs),
            PageFormat::Json => {
                format!("{:#}\n", json!({"packs": packs, "total": PackStatistics::total(&packs)}))
            }
            PageFormat::Markdown => statistics_markdown(&packs),
        })?;
        return Ok(Exit::Clean);
    }
    if let Some(kind) = arguments.kind.as_deref().filter(|kind| *kind != crate::rules::ENGINE_KIND) {
        project.kind_named(kind)?;
    }
    let (kind, tag) = (arguments.kind.as_deref(), arguments.tag.as_deref());
    let rules = project.rules_for(kind, tag);
    let listed = Listed { rules, project: &project };
    Console::print(&match arguments.format {
        PageFormat::Text => listed.text(Style::new(console.color())),
        PageFormat::Json => format!("{:#}\n", project.describe_rules(kind, tag)),
        PageFormat::Markdown => listed.markdown(),
    })?;
    Ok(Exit::Clean)
}

struct Listed<'p> {
    rules: Vec<&'p Rule>,
    project: &'p Project,
}

impl Listed<'_> {
    fn on(&self, rule: &Rule) -> bool {
        self.project.base().settings().selects(rule)
    }

    fn text(&self, style: Style) -> String {
        let width = self.rules.iter().map(|rule| rule.name.len()).max().unwrap_or_default();
        let mut text = String::new();
        for rule in &self.rules {
            let state = if self.on(rule) { "" } else { " (off)" };
            let severity = self.project.base().settings().severity_of(rule);
            let id = style.bold(&format!("{:<6}", rule.id));
            let summary = Explained::new(rule, self.project.ruleset()).summary();
            let summary = summary.split_once(". ").map_or(summary.as_str(), |(first, _)| first);
            let _ = writeln!(text, "{id} {:<width$}  {severity:<7}{state}  {summary}", rule.name);
        }
        text
    }

    fn markdown(&self) -> String {
        let mut text = String::from("| rule | name | severity | what it checks |\n|---|---|---|---|\n");
        for rule in &self.rules {
            let summary = Explained::new(rule, self.project.ruleset()).summary().replace('|', "\\|");
            let _ = writeln!(text, "| {} | `{}` | {} | {summary} |", rule.id, rule.name, rule.severity);
        }
        text
    }
}

fn statistics_text(packs: &[PackStatistics]) -> String {
    let mut text = format!(
        "{:<12} {:>5}  {:>11}  {:>11}  {:>4}\n",
        "pack", "rules", "declarative", "productions", "code"
    );
    for pack in packs.iter().chain([&PackStatistics::total(packs)]) {
        let PackStatistics { pack: name, rules, declarative, productions, .. } = pack;
        let (percent, code) = (pack.percent(), pack.in_code());
        let _ = writeln!(
            text,
            "{name:<12} {rules:>5}  {declarative:>5} ({percent:>2}%)  {productions:>11}  {code:>4}"
        );
    }
    text
}

/// The statistics of packs as a table in Markdown.
pub(super) fn statistics_markdown(packs: &[PackStatistics]) -> String {
    let mut text = String::from(
        "| pack | rules | declarative | error productions | observed by code |\n|---|---:|---:|---:|---:|\n",
    );
    for pack in packs.iter().chain([&PackStatistics::total(packs)]) {
        let PackStatistics { pack: name, rules, declarative, productions, .. } = pack;
        let (percent, code) = (pack.percent(), pack.in_code());
        let _ = writeln!(text, "| {name} | {rules} | {declarative} ({percent} %) | {productions} | {code} |");
    }
    text
}
