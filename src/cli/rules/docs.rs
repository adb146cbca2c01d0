use std::{fmt::Write as _, path::PathBuf};

use proofmark::rules::{Pack, Rule, Ruleset};

use super::{Console, Exit, Explained, Fault, Generated, Global};
use crate::cli::project::{Project, RuleArguments};

/// Write the pages about all rules: one a pack, and an index
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// Folder of the pages
    #[arg(value_name = "FOLDER", default_value = "docs/rules")]
    folder: PathBuf,
    /// Compare the pages with what is there instead, and fail when they differ
    #[arg(long)]
    check: bool,
}

const NOTICE: &str = "<!-- Written by `proofmark rules docs` from the rule files. -->\n";

pub(super) fn run(arguments: &Arguments, global: &Global, console: Console) -> Result<Exit, Fault> {
    let project = Project::load(global, &RuleArguments::default())?;
    let ruleset = &project.ruleset;
    let mut packs: Vec<&Pack> = ruleset.packs().iter().collect();
    packs.sort_by(|a, b| a.prefixes.cmp(&b.prefixes).then(a.name.cmp(&b.name)));
    let mut files = vec![(arguments.folder.join("README.md"), index(&packs, ruleset))];
    let pages = packs.iter().map(|pack| (arguments.folder.join(page_name(pack)), page(pack, ruleset)));
    files.extend(pages);
    let whole = vec![arguments.folder.clone()];
    Generated { files, whole, command: "proofmark rules docs" }.settle(arguments.check, console)
}

fn page_name(pack: &Pack) -> String {
    format!("{}.md", pack.name)
}

fn rules_of<'r>(pack: &'r Pack, ruleset: &'r Ruleset) -> impl Iterator<Item = &'r Rule> {
    ruleset.rules().iter().map(AsRef::as_ref).filter(|rule| rule.pack == pack.name)
}

/// All rules in tables, by pack.
fn index(packs: &[&Pack], ruleset: &Ruleset) -> String {
    let mut text = format!(
        "# Rules\n\n{NOTICE}\nEvery rule has an id that never changes. `proofmark explain ID` tells what stands here.\n"
    );
    for pack in packs {
        let page = page_name(pack);
        let _ = writeln!(text, "\n## [{}]({page})\n\n{}\n", pack.name, pack.description);
        text.push_str("| rule | name | severity | what it checks |\n|---|---|---|---|\n");
        for rule in rules_of(pack, ruleset) {
            let summary = Explained::new(rule, ruleset).summary().replace('|', "\\|");
            let anchor = format!("{}-{}", rule.id.to_lowercase(), rule.name);
            let (id, name, severity) = (&rule.id, &rule.name, rule.severity);
            let _ = writeln!(text, "| [{id}]({page}#{anchor}) | `{name}` | {severity} | {summary} |");
        }
    }
    let redirects = ruleset.redirects();
    if !redirects.is_empty() {
        text.push_str("\n## Old ids and names\n\n| was | is |\n|---|---|\n");
    }
    for (was, is) in redirects {
        let _ = writeln!(text, "| {was} | {is} |");
    }
    text
}

/// One pack with all there is to say of its rules.
fn page(pack: &Pack, ruleset: &Ruleset) -> String {
    let mut text = format!("# Pack `{}`\n\n{NOTICE}\n{}\n", pack.name, pack.description);
    for rule in rules_of(pack, ruleset) {
        let _ = write!(text, "\n{}", Explained::new(rule, ruleset).markdown("##"));
    }
    text
}
