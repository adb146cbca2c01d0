use std::{fmt::Write as _, sync::Arc};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::super::{
    core::{Asked, Core},
    finding::unsuppressed,
    refusal::Refusal,
    tool::{AgentTool, AnswerText},
};
use crate::{
    Toolset,
    diagnostic::{ClientDiagnostic, ClientFindings, Diagnostic},
    engine::Outcome,
    kinds::{self, markdown, quill::Quill},
    text::{clip, plural, visible},
    tree::Node,
};

/// `validate_frontmatter`
pub(super) struct ValidateFrontmatter;

#[derive(Deserialize, JsonSchema)]
pub(super) struct FrontmatterArguments {
    /// The document, or only its frontmatter.
    markdown: String,
    /// Quill to validate against; defaults to the one it names.
    quill_name: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct FrontmatterAnswer {
    /// Whether no finding is an error.
    valid: bool,
    /// The fields as parsed, without the bodies of the document and of its blocks.
    parsed_fields: Map<String, Value>,
    missing_required_fields: Vec<String>,
    /// Findings on the metadata.
    errors: Vec<ClientDiagnostic>,
    /// Number of further findings on it, which `validate` lists.
    #[serde(skip_serializing_if = "Option::is_none")]
    further: Option<usize>,
}

/// Id prefixes of rules for metadata.
const METADATA: [&str; 4] = ["FM", "QL", "YM", "PM"];

impl AgentTool for ValidateFrontmatter {
    type Arguments = FrontmatterArguments;
    type Answer = FrontmatterAnswer;
    const NAME: &'static str = "validate_frontmatter";
    const TITLE: &'static str = "Validate frontmatter";
    const DESCRIPTION: &'static str =
        "Parses the metadata of a Markdown document and validates it against the fields of its quill.";
    const TOOLSET: Toolset = Toolset::Quills;
    const EXAMPLE: &'static str = r#"{"markdown": "---\ntitle: Hello\n---\n"}"#;
    const ALIASES: &'static [(&'static str, &'static str)] = &[("text", "markdown"), ("quill", "quill_name")];

    fn call(core: &Core, arguments: FrontmatterArguments) -> Result<FrontmatterAnswer, Refusal> {
        let (text, shift) = fenced(arguments.markdown);
        let quill = arguments.quill_name.as_deref();
        let kind = Some(markdown::NAME);
        let subject = core.subject(Asked { text: Some(text), kind, quill, ..Asked::default() })?;
        let Outcome { document, diagnostics, .. } = subject.validate();
        let found = unsuppressed(&diagnostics);
        let on_metadata = found.iter().filter(|one| METADATA.iter().any(|start| one.id.starts_with(start)));
        let errors: Vec<ClientDiagnostic> = on_metadata.map(|one| shifted(one, shift)).collect();
        let valid = errors.iter().all(|error| error.severity != "ERROR");
        let ClientFindings { diagnostics: errors, further } =
            ClientFindings::of(errors, core.limits.of_findings());
        let parsed_fields = without_bodies(markdown::fields(&document), &document);
        let quill = match quill {
            Some(name) => Some(core.quill(name)?.quill),
            None => named_by(core, &document),
        };
        let fields = quill.iter().flat_map(|quill| &quill.fields);
        let missing = fields.filter(|(name, field)| field.required && !parsed_fields.contains_key(name));
        let missing_required_fields = missing.map(|(name, _)| name.clone()).collect();
        Ok(FrontmatterAnswer { valid, parsed_fields, missing_required_fields, errors, further })
    }
}

/// Adds the `---` lines to frontmatter that comes without them. Returns the number of lines added before
/// the text.
fn fenced(text: String) -> (String, u32) {
    let first =
        text.trim_start_matches('\u{feff}').lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let bare = !first.starts_with("---") && first.split_once(':').is_some_and(|(key, _)| !key.contains(' '));
    if bare { (format!("---\n{}\n---\n", text.trim_end()), 1) } else { (text, 0) }
}

/// The fields of a document without the Markdown of it and of its blocks, which the client has.
fn without_bodies(fields: Value, document: &kinds::Document) -> Map<String, Value> {
    let Value::Object(mut fields) = fields else { return Map::new() };
    fields.remove(BODY);
    for collection in document.tree.root().get("scopes").into_iter().flat_map(Node::entries) {
        let blocks = fields.get_mut(collection.key()).and_then(Value::as_array_mut);
        for block in blocks.into_iter().flatten().filter_map(Value::as_object_mut) {
            block.remove(BODY);
        }
    }
    fields
}

/// The key of the Markdown of a document and of its blocks.
const BODY: &str = "body";

/// The quill that a document names.
fn named_by(core: &Core, document: &kinds::Document) -> Option<Arc<Quill>> {
    core.quills.now().get(document.tree.root().get("quill")?.get("name")?.as_str()?).cloned()
}

/// A finding with its line number in the text as it was sent: `shift` lines were added before it.
fn shifted(diagnostic: &Diagnostic, shift: u32) -> ClientDiagnostic {
    let mut shifted = ClientDiagnostic::from(diagnostic);
    shifted.location.line = shifted.location.line.saturating_sub(shift).max(1);
    shifted
}

impl AnswerText for FrontmatterAnswer {
    fn text(&self) -> String {
        let verdict = format!(
            "{}: {}",
            if self.valid { "VALID" } else { "INVALID" },
            plural(self.errors.len() + self.further.unwrap_or(0), "finding")
        );
        let mut text = format!("{verdict}\n");
        text.extend(self.errors.iter().map(ClientDiagnostic::text));
        text += &ClientFindings::rest(self.further);
        if !self.missing_required_fields.is_empty() {
            let _ = writeln!(text, "missing required fields: {}", self.missing_required_fields.join(", "));
        }
        let fields = serde_json::to_string(&self.parsed_fields).unwrap_or_default();
        text + &format!("fields: {}", visible(&clip(&fields, 2_000)))
    }
}
