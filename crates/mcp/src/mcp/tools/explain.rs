use std::fmt::Write as _;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::super::{
    core::Core,
    finding::{Explanation, cursor_at, displayed, read_cursor},
    refusal::Refusal,
    tool::{AgentTool, AnswerText},
};
use crate::{
    Toolset,
    diagnostic::Severity,
    rules::{Rule, Ruleset},
    text::{clip, plural, visible},
};

/// `explain_error`
pub(super) struct ExplainError;

#[derive(Deserialize, JsonSchema)]
pub(super) struct ExplainArguments {
    /// Id or name of the rule, as in a diagnostic.
    id: String,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct Explained {
    id: String,
    title: String,
    what: String,
    why: String,
    how_to_fix: String,
    /// Short documents that violate and follow the rule.
    examples: Examples,
    severity: Severity,
    since: String,
    status: &'static str,
    kinds: Vec<String>,
    tags: Vec<String>,
    /// Whether findings may offer a fix.
    has_fix: bool,
    /// Options: name, default and meaning.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    options: Vec<String>,
    /// The requested id, if the rule was renamed.
    #[serde(skip_serializing_if = "Option::is_none")]
    replaces: Option<String>,
}

#[derive(Serialize, JsonSchema, Default)]
struct Examples {
    #[serde(skip_serializing_if = "Option::is_none")]
    bad: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    good: Option<String>,
}

/// Maximum number of characters of an example in an explanation.
const EXAMPLE: usize = 2_000;

impl AgentTool for ExplainError {
    type Arguments = ExplainArguments;
    type Answer = Explained;
    const NAME: &'static str = "explain_error";
    const TITLE: &'static str = "Explain a diagnostic";
    const DESCRIPTION: &'static str = "Explains a diagnostic id: what it means, why it matters and how to fix it, with a wrong and a corrected example.";
    const TOOLSET: Toolset = Toolset::Core;
    const EXAMPLE: &'static str = r#"{"id": "FM101"}"#;
    const ALIASES: &'static [(&'static str, &'static str)] =
        &[("error_id", "id"), ("rule", "id"), ("code", "id"), ("name", "id")];

    fn call(core: &Core, arguments: ExplainArguments) -> Result<Explained, Refusal> {
        let ruleset = core.validator.ruleset();
        let id = arguments.id.trim();
        let found = ruleset.find_shown(id).ok_or_else(|| unknown(ruleset, id))?;
        let mut explained = Explained::new(ruleset, found.rule);
        explained.replaces = found.old.then(|| visible(&clip(id, 60)).into_owned());
        Ok(explained)
    }
}

fn unknown(ruleset: &Ruleset, id: &str) -> Refusal {
    let shown = visible(&clip(id, 60)).into_owned();
    let near = ruleset.nearest(id).map(|near| format!(": did you mean `{near}`?"));
    Refusal::because(format!("there is no rule `{shown}`{}", near.unwrap_or_default()))
        .next("list_rules {\"kind\": …} lists the rules of a kind")
}

impl Explained {
    fn new(ruleset: &Ruleset, rule: &Rule) -> Self {
        let help = ruleset.help(rule);
        let Explanation { what, why, how } = Explanation::of(&help.explain);
        let shown = |text: &str| displayed(&clip(text, EXAMPLE));
        let invalid = help.examples.iter().find(|example| example.invalid && example.sample.text.is_some());
        let text = |sample: &crate::rules::Sample| sample.text.as_deref().map(shown);
        let fixed = invalid.and_then(|example| example.fixed.as_ref()).and_then(text);
        let valid = help.examples.iter().filter(|example| !example.invalid).find_map(|e| text(&e.sample));
        let how_to_fix = match (how.is_empty(), &rule.hint) {
            (true, Some(hint)) => hint.source().trim().to_owned(),
            _ => how,
        };
        Self {
            id: rule.id.clone(),
            title: rule.name.clone(),
            what,
            why,
            how_to_fix,
            examples: Examples {
                bad: invalid.and_then(|example| text(&example.sample)),
                good: fixed.or(valid),
            },
            severity: rule.severity,
            since: rule.since.clone(),
            status: rule.status.name(),
            kinds: rule.kinds.clone(),
            tags: rule.tags.clone(),
            has_fix: !rule.fixes.is_empty(),
            options: rule
                .options
                .iter()
                .map(|(name, option)| format!("{name} (default {}): {}", option.default, option.description))
                .collect(),
            replaces: None,
        }
    }
}

/// The explanation of a rule as a page.
pub(in crate::mcp) fn explanation_markdown(ruleset: &Ruleset, rule: &Rule) -> String {
    let explained = Explained::new(ruleset, rule);
    let help = ruleset.help(rule);
    let mut page = format!(
        "# {} {}\n\n{} · {}\n\n{}\n",
        explained.id,
        explained.title,
        explained.severity,
        explained.kinds.join(", "),
        help.explain.trim()
    );
    for (heading, text) in [("Wrong", &explained.examples.bad), ("Right", &explained.examples.good)] {
        if let Some(text) = text {
            let _ = write!(page, "\n## {heading}\n\n````\n{}\n````\n", text.trim_end());
        }
    }
    page
}

impl AnswerText for Explained {
    fn text(&self) -> String {
        let (id, title, severity) = (&self.id, &self.title, self.severity);
        let mut text =
            format!("{id} {title} ({severity}, {}, since {})\n", self.kinds.join(", "), self.since);
        if let Some(old) = &self.replaces {
            let _ = writeln!(text, "{old} is now {id}.");
        }
        for (heading, part) in [("What", &self.what), ("Why", &self.why), ("How to fix", &self.how_to_fix)] {
            if !part.is_empty() {
                let _ = writeln!(text, "{heading}: {part}");
            }
        }
        for (heading, example) in [("Wrong", &self.examples.bad), ("Right", &self.examples.good)] {
            if let Some(example) = example {
                let _ = writeln!(text, "{heading}:\n{}", example.trim_end());
            }
        }
        for option in &self.options {
            let _ = writeln!(text, "Option {option}");
        }
        text + if self.has_fix { "Findings may offer a fix." } else { "Findings offer no fix; edit by hand." }
    }
}

/// `list_rules`
pub(super) struct ListRules;

#[derive(Deserialize, JsonSchema)]
pub(super) struct ListArguments {
    /// List only rules for this kind of document.
    kind: Option<String>,
    /// List only rules with this tag.
    tag: Option<String>,
    /// `next_cursor` of the previous page.
    cursor: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct RuleList {
    total: usize,
    rules: Vec<RuleLine>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct RuleLine {
    id: String,
    name: String,
    severity: Severity,
    /// What it checks, in one line.
    summary: String,
}

/// Maximum number of rules per answer.
const PAGE: usize = 100;

impl AgentTool for ListRules {
    type Arguments = ListArguments;
    type Answer = RuleList;
    const NAME: &'static str = "list_rules";
    const TITLE: &'static str = "List rules";
    const DESCRIPTION: &'static str =
        "Lists rules with id, name and a one-line summary, optionally of one kind or tag; 100 per page.";
    const TOOLSET: Toolset = Toolset::Learn;
    const EXAMPLE: &'static str = r#"{"kind": "rulefile"}"#;

    fn call(core: &Core, arguments: ListArguments) -> Result<RuleList, Refusal> {
        let kind = arguments.kind.as_deref().map(|name| core.kind(name)).transpose()?;
        let ruleset = core.validator.ruleset();
        let tag = arguments.tag.as_deref();
        let chosen: Vec<&Rule> = ruleset
            .rules()
            .iter()
            .map(AsRef::as_ref)
            .filter(|rule: &&Rule| kind.is_none_or(|kind| rule.kinds.iter().any(|name| name == kind.name())))
            .filter(|rule| tag.is_none_or(|tag| rule.tags.iter().any(|own| own == tag)))
            .collect();
        if let (true, Some(tag)) = (chosen.is_empty(), tag) {
            return Err(unknown_tag(ruleset, tag));
        }
        let line = |rule: &&Rule| RuleLine {
            id: rule.id.clone(),
            name: rule.name.clone(),
            severity: rule.severity,
            summary: Explanation::of(&ruleset.help(rule).explain).one_line(),
        };
        let list = format!("{:?} {:?}", arguments.kind, arguments.tag);
        let start = read_cursor(arguments.cursor.as_deref(), &list, chosen.len())?;
        let rules: Vec<RuleLine> = chosen.iter().skip(start).take(PAGE).map(line).collect();
        let end = start + rules.len();
        Ok(RuleList {
            total: chosen.len(),
            next_cursor: (end < chosen.len()).then(|| cursor_at(end, &list)),
            rules,
        })
    }
}

fn unknown_tag(ruleset: &Ruleset, tag: &str) -> Refusal {
    let mut tags: Vec<&str> =
        ruleset.rules().iter().flat_map(|rule| &rule.tags).map(String::as_str).collect();
    tags.sort_unstable();
    tags.dedup();
    let shown = visible(&clip(tag, 40)).into_owned();
    let known = if tags.is_empty() {
        "there are no tags".to_owned()
    } else {
        format!("available: {}", tags.join(", "))
    };
    Refusal::because(format!("no rule of that kind has the tag `{shown}`; {known}"))
}

impl AnswerText for RuleList {
    fn text(&self) -> String {
        let count = format!("{} of {}", self.rules.len(), plural(self.total, "rule"));
        let mut text = format!("{count}\n");
        for rule in &self.rules {
            let _ = writeln!(text, "{} {} ({}): {}", rule.id, rule.name, rule.severity, rule.summary);
        }
        if let Some(cursor) = &self.next_cursor {
            let _ = writeln!(text, "For more, call again with \"cursor\": \"{cursor}\".");
        }
        text
    }
}
