use std::fmt::Write as _;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::super::{
    core::{Core, kind_named},
    finding::Explanation,
    lessons,
    tool::{AgentTool, Refusal, Spoken},
};
use crate::{diagnostic::Severity, kinds::Kind, rules::Ruleset, service::Toolset};

/// `get_schema_summary`
pub(super) struct GetSchemaSummary;

#[derive(Deserialize, JsonSchema)]
pub(super) struct Arguments {
    /// Kind of document, such as `markdown`; see `about`.
    kind: String,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct Answer {
    kind: &'static str,
    description: &'static str,
    required_fields: Vec<String>,
    /// What stands where; `*` marks what is required.
    structure: Vec<String>,
    /// The same for the steps of a flow: inputs, outputs and their types.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    step_structure: Vec<String>,
    typing_rules: Vec<String>,
    /// Mistakes that are often made, with the id they are told by.
    common_pitfalls: Vec<String>,
    /// Resource with the whole schema.
    schema: String,
    next: String,
}

/// Most pitfalls that come from rules.
const PITFALLS: usize = 12;

impl AgentTool for GetSchemaSummary {
    type Arguments = Arguments;
    type Answer = Answer;
    const NAME: &'static str = "get_schema_summary";
    const TITLE: &'static str = "Summarize a schema";
    const DESCRIPTION: &'static str = "All one needs to write a kind of document: required fields, structure, typing rules, common pitfalls.";
    const TOOLSET: Toolset = Toolset::Learn;
    const EXAMPLE: &'static str = r#"{"kind": "rulefile"}"#;

    fn call(core: &Core, arguments: Arguments) -> Result<Answer, Refusal> {
        let kind = kind_named(&arguments.kind)?;
        let ruleset = core.validator.ruleset();
        let lesson = lessons::lesson(kind.name());
        let outline = lessons::Outline::of(&lessons::schema(ruleset, kind));
        let pitfalls = match lesson.pitfalls.is_empty() {
            true => pitfalls(ruleset, kind),
            false => lesson.pitfalls,
        };
        let or = |lesson: Vec<String>, outline: Vec<String>| if lesson.is_empty() { outline } else { lesson };
        Ok(Answer {
            kind: kind.name(),
            description: kind.description(),
            required_fields: or(lesson.required, outline.required),
            structure: or(lesson.structure, outline.structure),
            step_structure: lesson.steps,
            typing_rules: or(lesson.typing, outline.typing),
            common_pitfalls: pitfalls,
            schema: format!("schemas://{}", kind.name()),
            next: format!(
                "list_examples {{\"kind\": \"{0}\"}}, then write and validate {{\"text\": …, \"kind\": \"{0}\"}}",
                kind.name()
            ),
        })
    }
}

/// The errors that a kind's rules tell of.
fn pitfalls(ruleset: &Ruleset, kind: &dyn Kind) -> Vec<String> {
    let rules = ruleset
        .rules()
        .iter()
        .filter(|rule| rule.severity == Severity::Error && rule.kinds.iter().any(|name| name == kind.name()));
    rules
        .take(PITFALLS)
        .map(|rule| format!("{}: {}", rule.id, Explanation::of(&ruleset.help(rule).explain).one_line()))
        .collect()
}

impl Spoken for Answer {
    fn text(&self) -> String {
        let verdict = format!("{}: {}", self.kind, self.description);
        let mut text = format!("{verdict}\n");
        let parts = [
            ("Required fields", &self.required_fields),
            ("Structure", &self.structure),
            ("Steps", &self.step_structure),
            ("Typing rules", &self.typing_rules),
            ("Common pitfalls", &self.common_pitfalls),
        ];
        for (heading, lines) in parts.iter().filter(|(_, lines)| !lines.is_empty()) {
            let _ = writeln!(text, "{heading}:");
            for line in *lines {
                let _ = writeln!(text, "  {line}");
            }
        }
        text + &format!("Whole schema: {}\nNext: {}", self.schema, self.next)
    }
}
