use std::fmt::Write as _;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::super::{
    core::Core,
    lesson::KindGuide,
    refusal::Refusal,
    tool::{AgentTool, AnswerText},
};
use crate::Toolset;

/// Above this number, parts are not listed again where the guide names all of them.
const MANY_PARTS: usize = 40;

/// `get_schema_summary`
pub(super) struct GetSchemaSummary;

#[derive(Deserialize, JsonSchema)]
pub(super) struct Arguments {
    /// Kind of document, such as `markdown`; see `about`.
    kind: String,
    /// One of the `parts` listed by a call without `part`.
    part: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct Answer {
    kind: String,
    description: String,
    required_fields: Vec<String>,
    /// Fields by object type; `*` marks required fields.
    structure: Vec<String>,
    /// Each type of step: number and types of inputs -> outputs, its fields, what must hold.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    step_structure: Vec<String>,
    typing_rules: Vec<String>,
    /// Common mistakes, each with the id of its rule.
    common_pitfalls: Vec<String>,
    /// Valid values of `part`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    parts: Vec<String>,
    /// Resource with the full schema.
    schema: String,
    next: String,
}

impl AgentTool for GetSchemaSummary {
    type Arguments = Arguments;
    type Answer = Answer;
    const NAME: &'static str = "get_schema_summary";
    const TITLE: &'static str = "Summarize a schema";
    const DESCRIPTION: &'static str = "Returns what you need to write a kind of document: required fields, structure, typing rules, common pitfalls. `part` selects one diagram type, step type or other part.";
    const TOOLSET: Toolset = Toolset::Learn;
    const EXAMPLE: &'static str = r#"{"kind": "mermaid", "part": "flowchart"}"#;

    fn call(core: &Core, arguments: Arguments) -> Result<Answer, Refusal> {
        let kind = core.kind(&arguments.kind)?;
        let guide = KindGuide::of(&core.validator, kind.as_ref(), arguments.part.as_deref())?;
        let name = kind.name();
        let parts = if guide.is_short { "the same with `part` for what each part consists of, " } else { "" };
        Ok(Answer {
            kind: name.to_owned(),
            description: kind.description().to_owned(),
            required_fields: guide.required,
            structure: guide.structure,
            step_structure: guide.steps,
            typing_rules: guide.typing,
            common_pitfalls: guide.pitfalls,
            parts: guide.parts,
            schema: format!("schemas://{name}"),
            next: format!(
                "{parts}list_examples {{\"kind\": \"{name}\"}}, then write and validate {{\"text\": …, \"kind\": \"{name}\"}}",
            ),
        })
    }
}

impl AnswerText for Answer {
    fn text(&self) -> String {
        let verdict = format!("{}: {}", self.kind, self.description);
        let mut text = format!("{verdict}\n");
        let parts = [
            ("Required fields", &self.required_fields),
            ("Structure (* = required)", &self.structure),
            ("Steps", &self.step_structure),
            ("Typing rules", &self.typing_rules),
            ("Common pitfalls", &self.common_pitfalls),
        ];
        for (heading, lines) in parts.iter().filter(|(_, lines)| !lines.is_empty()) {
            let _ = writeln!(text, "{heading}:");
            for line in lines.iter().flat_map(|item| item.lines()) {
                let _ = writeln!(text, "  {line}");
            }
        }
        let shown: Vec<&String> = self.structure.iter().chain(&self.step_structure).collect();
        let is_shown = |part: &String| shown.iter().any(|block| block.starts_with(part.as_str()));
        if self.parts.len() > MANY_PARTS && self.parts.iter().all(is_shown) {
            let _ = writeln!(text, "Parts: the names that structure and steps begin with");
        } else if !self.parts.is_empty() {
            let _ = writeln!(text, "Parts: {}", self.parts.join(", "));
        }
        text + &format!("Full schema: {}\nNext: {}", self.schema, self.next)
    }
}
