mod each;

use std::{fmt::Write as _, path::PathBuf};

use crate::rules::{Pack, Rule, Ruleset};

use super::{Console, Exit, Explained, Fault, Generated, Global, list::statistics_markdown};
use crate::cli::project::open_for_reference;

/// Write pages on all rules, those of your packs too: one per pack, and an index
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// Folder of the pages
    #[arg(value_name = "FOLDER", default_value = "docs/rules")]
    folder: PathBuf,
    /// Compare the pages with what is there instead, and fail when they differ
    #[arg(long)]
    check: bool,
    /// Write one page for each rule, with what it reports on its first example
    #[arg(long)]
    each: bool,
}

const NOTICE: &str = "<!-- Written by `proofmark rules docs` from the rule files. -->\n";

pub(super) fn run(arguments: &Arguments, global: &Global, console: Console) -> Result<Exit, Fault> {
    let project = open_for_reference(global)?;
    let ruleset = project.ruleset();
    let mut packs: Vec<&Pack> = ruleset.packs().iter().collect();
    packs.sort_by(|a, b| a.prefixes.cmp(&b.prefixes).then(a.name.cmp(&b.name)));
    if arguments.each {
        let files = each::pages(&packs, ruleset);
        let files = files.into_iter().map(|(path, text)| (arguments.folder.join(path), text)).collect();
        let folders = packs.iter().map(|pack| arguments.folder.join(&pack.name));
        let whole = folders.chain([arguments.folder.clone()]).collect();
        let command = "proofmark rules docs --each";
        return Generated { files, whole, command }.settle(arguments.check, console);
    }
    let mut files = vec![(arguments.folder.join("README.md"), index(&packs, ruleset, &by_pack))];
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

/// Where the page of a pack explains a rule.
fn by_pack(rule: &Rule) -> String {
    format!("{}.md#{}-{}", rule.pack, rule.id.to_lowercase(), rule.name)
}

/// All rules in tables, by pack; `page` says where a rule is explained.
fn index(packs: &[&Pack], ruleset: &Ruleset, page: &dyn Fn(&Rule) -> String) -> String {
    let mut text = format!(
        "# Rules\n\n{NOTICE}\nEvery rule has an id that never changes. `proofmark explain ID` shows the same in a terminal.\n"
    );
    let _ = write!(
        text,
        "\nA declarative rule says in its rule file what is wrong. The others report an error production of a \
         grammar, or what the code that reads the document observes.\n\n{}",
        statistics_markdown(&ruleset.statistics())
    );
    for pack in packs {
        let _ = writeln!(text, "\n## {}\n\n{}\n", pack.name, pack.description);
        text.push_str("| rule | name | severity | what it checks |\n|---|---|---|---|\n");
        for rule in rules_of(pack, ruleset) {
            let summary = Explained::new(rule, ruleset).summary().replace('|', "\\|");
            let (id, name, severity, page) = (&rule.id, &rule.name, rule.severity, page(rule));
            let _ = writeln!(text, "| [{id}]({page}) | `{name}` | {severity} | {summary} |");
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
