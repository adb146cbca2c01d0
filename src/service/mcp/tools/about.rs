use std::fmt::Write as _;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::super::{
    core::Core,
    tool::{AgentTool, Refusal, Spoken},
};
use crate::{kinds, service::Toolset};

/// `about`
pub(super) struct About;

#[derive(Deserialize, JsonSchema)]
pub(super) struct Arguments {
    /// Tell about this kind of document only.
    kind: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct Answer {
    name: &'static str,
    version: &'static str,
    purpose: &'static str,
    /// How to think of it.
    mental_model: &'static str,
    constraints: Vec<String>,
    non_goals: Vec<&'static str>,
    /// Kinds of document that can be checked.
    kinds: Vec<KindLine>,
    /// Names of the tools.
    tools: Vec<&'static str>,
    ruleset: RulesetLine,
}

#[derive(Serialize, JsonSchema)]
struct KindLine {
    kind: String,
    description: String,
    /// File names it is for.
    files: Vec<String>,
    /// Fence languages it is for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    languages: Vec<String>,
    rules: usize,
}

#[derive(Serialize, JsonSchema)]
struct RulesetLine {
    /// Equal for equal rules.
    fingerprint: String,
    rules: usize,
    packs: Vec<String>,
}

impl AgentTool for About {
    type Arguments = Arguments;
    type Answer = Answer;
    const NAME: &'static str = "about";
    const TITLE: &'static str = "About this validator";
    const DESCRIPTION: &'static str =
        "What Proofmark checks and how to work with it: kinds of document, tools, limits. Call it first.";
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
            purpose: "Says whether a structured document is right, exactly what is wrong and how to mend it.",
            mental_model: "A document is text read into a tree of values with places. Rules – data with stable ids – select parts of the tree and say what must hold. Each violation is one diagnostic: what is wrong, where, why, how to mend it. A document is valid when no diagnostic is an error.",
            constraints: vec![
                format!("A text may have {} bytes.", limits.text_bytes),
                format!(
                    "An answer lists up to {} diagnostics; the rest is behind `next_cursor`.",
                    limits.diagnostics
                ),
                if core.roots.is_empty() {
                    "Files cannot be read or written: send texts.".to_owned()
                } else {
                    "Paths are relative to the folders the server was started with; nothing outside is read or written.".to_owned()
                },
                "A call that would add errors to a file is refused unless forced.".to_owned(),
            ],
            non_goals: vec![
                "It does not run, fetch or interpret what a document describes.",
                "It does not judge style, taste or truth.",
                "It changes nothing that no fix or patch names.",
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

impl Spoken for Answer {
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
        text + "Next: get_schema_summary {\"kind\": …} to learn a kind, or validate {\"text\": …, \"kind\": …}"
    }
}
