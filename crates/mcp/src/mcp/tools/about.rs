use std::fmt::Write as _;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::super::{
    core::Core,
    refusal::Refusal,
    tool::{AgentTool, AnswerText},
};
use crate::{Toolset, kinds};

/// `about`
pub(super) struct About;

#[derive(Deserialize, JsonSchema)]
pub(super) struct Arguments {
    /// Describe only this kind of document.
    kind: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct Answer {
    name: &'static str,
    version: &'static str,
    purpose: &'static str,
    /// The concepts that the answers use.
    mental_model: &'static str,
    constraints: Vec<String>,
    non_goals: Vec<&'static str>,
    /// Kinds of document that can be validated.
    kinds: Vec<KindLine>,
    /// Names of the tools.
    tools: Vec<&'static str>,
    ruleset: RulesetLine,
}

#[derive(Serialize, JsonSchema)]
struct KindLine {
    kind: String,
    description: String,
    /// Patterns of its file names.
    files: Vec<String>,
    /// Its fence languages.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    languages: Vec<String>,
    rules: usize,
}

#[derive(Serialize, JsonSchema)]
struct RulesetLine {
    /// Equal if the rules are equal.
    fingerprint: String,
    rules: usize,
    packs: Vec<String>,
}

impl AgentTool for About {
    type Arguments = Arguments;
    type Answer = Answer;
    const NAME: &'static str = "about";
    const TITLE: &'static str = "About this validator";
    const DESCRIPTION: &'static str = "Describes what Proofmark validates and how to work with it: kinds of document, tools, limits. Call it first.";
    const TOOLSET: Toolset = Toolset::Core;
    const EXAMPLE: &'static str = "{}";

    fn call(core: &Core, arguments: Arguments) -> Result<Answer, Refusal> {
        let only = arguments.kind.as_deref().map(|name| core.kind(name)).transpose()?;
        let kinds = core.kinds().iter().filter(|kind| only.is_none_or(|only| only.name() == kind.name()));
        let ruleset = core.validator.ruleset();
        let limits = core.limits;
        Ok(Answer {
            name: "proofmark",
            version: env!("CARGO_PKG_VERSION"),
            purpose: "Validates structured documents and reports exactly what is wrong and how to fix it.",
            mental_model: "A document is parsed into a tree of values with source locations. Rules are data with stable ids; they select parts of the tree and state what must hold. Each violation is one diagnostic: what is wrong, where, why, and how to fix it. A document is valid when no diagnostic is an error.",
            constraints: vec![
                format!("A document may have at most {} bytes.", core.project.limits().text_bytes),
                format!(
                    "An answer lists at most {} diagnostics; pass its `next_cursor` as `cursor` to get the rest.",
                    limits.diagnostics
                ),
                if core.project.reads_files() {
                    "Paths are relative to the allowed folders of the server; nothing outside them is read or written.".to_owned()
                } else {
                    "Files cannot be read or written; send documents as `text`.".to_owned()
                },
                "A change that would add errors is refused unless `force` is set. Your own edits may drop words; offered fixes do not.".to_owned(),
            ],
            non_goals: vec![
                "It does not run, fetch or interpret what a document describes.",
                "It does not check style or whether statements are true.",
                "It changes only what a fix or patch names.",
            ],
            kinds: kinds.map(|kind| kind_line(core, kind.as_ref())).collect(),
            tools: core.tools.clone(),
            ruleset: RulesetLine {
                fingerprint: ruleset.fingerprint().to_owned(),
                rules: ruleset.rules().len(),
                packs: ruleset.packs().iter().map(|pack| pack.name.clone()).collect(),
            },
        })
    }
}

fn kind_line(core: &Core, kind: &dyn kinds::Kind) -> KindLine {
    let rules = core.validator.ruleset().rules().iter();
    KindLine {
        kind: kind.name().to_owned(),
        description: kind.description().to_owned(),
        files: kind.globs().into_iter().map(str::to_owned).collect(),
        languages: kind.languages().into_iter().map(str::to_owned).collect(),
        rules: rules.filter(|rule| rule.kinds.iter().any(|name| name == kind.name())).count(),
    }
}

impl AnswerText for Answer {
    fn text(&self) -> String {
        let mut text = format!("{} {}: {}\n{}\n", self.name, self.version, self.purpose, self.mental_model);
        for line in &self.kinds {
            let _ = writeln!(
                text,
                "kind {}: {} ({} rules; {})",
                line.kind,
                line.description,
                line.rules,
                line.files.join(" ")
            );
        }
        for line in self.constraints.iter().map(String::as_str).chain(self.non_goals.iter().copied()) {
            let _ = writeln!(text, "- {line}");
        }
        let _ = writeln!(text, "tools: {}", self.tools.join(", "));
        let _ = writeln!(
            text,
            "ruleset {}: {} rules in {}",
            self.ruleset.fingerprint,
            self.ruleset.rules,
            self.ruleset.packs.join(", ")
        );
        text + "Next: get_schema_summary {\"kind\": …} to learn how to write a kind, or validate {\"text\": …, \"kind\": …}"
    }
}
