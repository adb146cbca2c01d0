use std::{collections::BTreeMap, fmt::Write as _, path::Path, sync::Arc};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::super::{
    core::{Core, TEXT},
    finding::standing,
    tool::{AgentTool, Needs, Refusal, Spoken},
};
use crate::{
    diagnostic::{Diagnostic, Severity},
    kinds::{
        self, ParseOptions, markdown,
        quill::{self, FieldSchema, Quill, Registered},
    },
    rules::Ruleset,
    service::Toolset,
    text::{Fragment, Source, clip, visible},
};

/// `list_quills`
pub(super) struct ListQuills;

#[derive(Deserialize, JsonSchema)]
pub(super) struct NoArguments {}

#[derive(Serialize, JsonSchema)]
pub(super) struct QuillList {
    quills: Vec<QuillLine>,
}

#[derive(Serialize, JsonSchema)]
struct QuillLine {
    name: String,
    backend: String,
    description: String,
    tags: Vec<String>,
}

impl AgentTool for ListQuills {
    type Arguments = NoArguments;
    type Answer = QuillList;
    const NAME: &'static str = "list_quills";
    const TITLE: &'static str = "List quills";
    const DESCRIPTION: &'static str = "The formats (quills) that a Markdown document may name with `QUILL:`.";
    const TOOLSET: Toolset = Toolset::Quills;
    const NEEDS: Needs = Needs::Quills;
    const EXAMPLE: &'static str = "{}";

    fn call(core: &Core, _: NoArguments) -> Result<QuillList, Refusal> {
        let line = |registered: &Registered| QuillLine {
            name: registered.quill.name.clone(),
            backend: registered.quill.backend.clone(),
            description: registered.quill.description.clone(),
            tags: registered.quill.tags.clone(),
        };
        Ok(QuillList { quills: core.quills.iter().map(line).collect() })
    }
}

impl Spoken for QuillList {
    fn text(&self) -> String {
        let mut text = format!("{} quills\n", self.quills.len());
        for quill in &self.quills {
            let _ = writeln!(text, "{}: {}", quill.name, quill.description);
        }
        text + "Next: get_quill_info {\"quill_name\": …}"
    }
}

/// `get_quill_info`
pub(super) struct GetQuillInfo;

#[derive(Deserialize, JsonSchema)]
pub(super) struct InfoArguments {
    /// Name from `list_quills`.
    quill_name: String,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct QuillInfo {
    name: String,
    backend: String,
    /// File of the glue template.
    #[serde(skip_serializing_if = "Option::is_none")]
    glue: Option<String>,
    /// The whole example document.
    #[serde(skip_serializing_if = "Option::is_none")]
    example: Option<String>,
    description: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    author: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<String>,
    tags: Vec<String>,
    /// The fields that a document may or must have.
    frontmatter_fields: BTreeMap<String, Field>,
    /// Fields of the items of each collection (SCOPE blocks).
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    collections: BTreeMap<String, BTreeMap<String, Field>>,
    supported_formats: Vec<&'static str>,
    /// Further keys, as the quill has them.
    #[serde(flatten)]
    metadata: Map<String, Value>,
}

#[derive(Serialize, JsonSchema)]
struct Field {
    #[serde(rename = "type")]
    field_type: &'static str,
    required: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    example: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    default: Option<Value>,
    /// The values it may have.
    #[serde(rename = "enum", skip_serializing_if = "Vec::is_empty")]
    values: Vec<String>,
}

impl Field {
    fn of(schema: &FieldSchema) -> Self {
        Self {
            field_type: schema.field_type.map_or("string", quill::FieldType::json_type),
            required: schema.required,
            description: schema.description.clone(),
            example: schema.example.clone(),
            default: schema.default.clone(),
            values: schema.values.clone(),
        }
    }

    fn all(fields: &[(String, FieldSchema)]) -> BTreeMap<String, Self> {
        fields.iter().map(|(name, schema)| (name.clone(), Self::of(schema))).collect()
    }
}

impl AgentTool for GetQuillInfo {
    type Arguments = InfoArguments;
    type Answer = QuillInfo;
    const NAME: &'static str = "get_quill_info";
    const TITLE: &'static str = "Describe a quill";
    const DESCRIPTION: &'static str =
        "A quill's fields with types, which are required, and its example document.";
    const TOOLSET: Toolset = Toolset::Quills;
    const NEEDS: Needs = Needs::Quills;
    const EXAMPLE: &'static str = r#"{"quill_name": "letter"}"#;

    fn call(core: &Core, arguments: InfoArguments) -> Result<QuillInfo, Refusal> {
        let name = &arguments.quill_name;
        let registered = core.quill(name)?;
        let quill = &registered.quill;
        let beside = |file: &str| Ruleset::read_below(registered.folder.as_deref()?, file).ok();
        let mut fields = Field::all(&quill.fields);
        for name in &quill.used {
            fields.entry(name.clone()).or_insert_with(|| Field::of(&FieldSchema::default()));
        }
        let own =
            ["name", "backend", "glue", "example", "frontmatter_fields", "supported_formats", "collections"];
        let metadata = quill.metadata.iter().filter(|(key, _)| !own.contains(&key.as_str()));
        Ok(QuillInfo {
            name: quill.name.clone(),
            backend: quill.backend.clone(),
            glue: quill.glue_file.clone(),
            example: quill.example_file.as_deref().and_then(beside),
            description: quill.description.clone(),
            author: quill.author.clone(),
            version: quill.version.clone(),
            tags: quill.tags.clone(),
            frontmatter_fields: fields,
            collections: quill
                .collections
                .iter()
                .map(|(name, fields)| (name.clone(), Field::all(fields)))
                .collect(),
            supported_formats: vec!["PDF", "SVG"],
            metadata: metadata.map(|(key, value)| (key.clone(), value.clone())).collect(),
        })
    }
}

impl Spoken for QuillInfo {
    fn text(&self) -> String {
        let mut text = format!("{}: {} ({})\n", self.name, self.description, self.backend);
        for (name, field) in &self.frontmatter_fields {
            write_field(&mut text, name, field);
        }
        for (collection, fields) in &self.collections {
            let _ = writeln!(text, "SCOPE {collection}:");
            for (name, field) in fields {
                write_field(&mut text, name, field);
            }
        }
        if let Some(example) = &self.example {
            let _ = writeln!(text, "Example:\n````\n{}\n````", example.trim_end());
        }
        text + &format!("Next: validate {{\"text\": …, \"kind\": \"markdown\"}} with `QUILL: {}`", self.name)
    }
}

fn write_field(text: &mut String, name: &str, field: &Field) {
    let needed = if field.required { ", required" } else { "" };
    let what = field.description.as_deref().map(|what| format!(" – {what}")).unwrap_or_default();
    let example = field.example.as_ref().map(|example| format!("; e.g. {example}")).unwrap_or_default();
    let _ = writeln!(text, "  {name}: {}{needed}{what}{example}", field.field_type);
}

/// `list_markdown_templates`
pub(super) struct ListTemplates;

#[derive(Serialize, JsonSchema)]
pub(super) struct TemplateList {
    templates: Vec<TemplateLine>,
}

#[derive(Serialize, JsonSchema)]
struct TemplateLine {
    name: String,
    description: String,
}

/// An entry of `templates.json`.
#[derive(Deserialize)]
struct Template {
    name: String,
    #[serde(default)]
    description: String,
    file: String,
    #[serde(default = "yes")]
    production: bool,
}

fn yes() -> bool {
    true
}

fn templates(core: &Core) -> Vec<Template> {
    let text =
        core.templates.as_deref().and_then(|folder| Ruleset::read_below(folder, "templates.json").ok());
    let all: Vec<Template> = text.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default();
    all.into_iter().filter(|template| template.production).collect()
}

impl AgentTool for ListTemplates {
    type Arguments = NoArguments;
    type Answer = TemplateList;
    const NAME: &'static str = "list_markdown_templates";
    const TITLE: &'static str = "List templates";
    const DESCRIPTION: &'static str = "Markdown documents to start from.";
    const TOOLSET: Toolset = Toolset::Quills;
    const NEEDS: Needs = Needs::Templates;
    const EXAMPLE: &'static str = "{}";

    fn call(core: &Core, _: NoArguments) -> Result<TemplateList, Refusal> {
        let line =
            |template: Template| TemplateLine { name: template.name, description: template.description };
        Ok(TemplateList { templates: templates(core).into_iter().map(line).collect() })
    }
}

impl Spoken for TemplateList {
    fn text(&self) -> String {
        let mut text = format!("{} templates\n", self.templates.len());
        for template in &self.templates {
            let _ = writeln!(text, "{}: {}", template.name, template.description);
        }
        text + "Next: get_markdown_template {\"template_name\": …}"
    }
}

/// `get_markdown_template`
pub(super) struct GetTemplate;

#[derive(Deserialize, JsonSchema)]
pub(super) struct TemplateArguments {
    /// Name from `list_markdown_templates`.
    template_name: String,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct TemplateText {
    template_name: String,
    markdown: String,
}

impl AgentTool for GetTemplate {
    type Arguments = TemplateArguments;
    type Answer = TemplateText;
    const NAME: &'static str = "get_markdown_template";
    const TITLE: &'static str = "Get a template";
    const DESCRIPTION: &'static str = "The Markdown of one template.";
    const TOOLSET: Toolset = Toolset::Quills;
    const NEEDS: Needs = Needs::Templates;
    const EXAMPLE: &'static str = r#"{"template_name": "Letter"}"#;

    fn call(core: &Core, arguments: TemplateArguments) -> Result<TemplateText, Refusal> {
        let name = arguments.template_name;
        let known = templates(core);
        let Some(template) = known.iter().find(|template| template.name == name) else {
            let near = crate::text::nearest(&name, known.iter().map(|template| template.name.as_str()));
            let near = near.map(|near| format!(": did you mean `{near}`?")).unwrap_or_default();
            let fault = format!("there is no template `{}`{near}", visible(&clip(&name, 60)));
            return Err(Refusal::because(fault).next("list_markdown_templates names them"));
        };
        let folder = core.templates.as_deref().unwrap_or(Path::new(""));
        let markdown = Ruleset::read_below(folder, &template.file)
            .map_err(|error| Refusal::because(format!("the template cannot be read: {}", error.kind())))?;
        Ok(TemplateText { template_name: name, markdown })
    }
}

impl Spoken for TemplateText {
    fn text(&self) -> String {
        format!("{}\n````\n{}\n````", self.template_name, self.markdown.trim_end())
    }
}

/// `validate_frontmatter`
pub(super) struct ValidateFrontmatter;

#[derive(Deserialize, JsonSchema)]
pub(super) struct FrontmatterArguments {
    /// The document, or its frontmatter alone.
    markdown: String,
    /// Quill whose fields count; the one that the document names when absent.
    quill_name: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct FrontmatterAnswer {
    /// Whether no finding is an error.
    valid: bool,
    /// The fields as they are read.
    parsed_fields: Map<String, Value>,
    missing_required_fields: Vec<String>,
    /// Findings on the metadata.
    errors: Vec<FrontmatterError>,
}

#[derive(Serialize, JsonSchema)]
struct FrontmatterError {
    severity: &'static str,
    message: String,
    code: String,
    name: String,
    location: ErrorPlace,
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<String>,
    fingerprint: String,
}

#[derive(Serialize, JsonSchema)]
struct ErrorPlace {
    file: String,
    line: u32,
    column: u32,
}

/// Starts of the ids of rules on metadata.
const METADATA: [&str; 4] = ["FM", "QL", "YM", "PM"];

impl AgentTool for ValidateFrontmatter {
    type Arguments = FrontmatterArguments;
    type Answer = FrontmatterAnswer;
    const NAME: &'static str = "validate_frontmatter";
    const TITLE: &'static str = "Validate frontmatter";
    const DESCRIPTION: &'static str =
        "Reads the metadata of a Markdown document and holds it to the fields of its quill.";
    const TOOLSET: Toolset = Toolset::Quills;
    const EXAMPLE: &'static str = r#"{"markdown": "---\ntitle: Hello\n---\n"}"#;
    const ALIASES: &'static [(&'static str, &'static str)] = &[("text", "markdown"), ("quill", "quill_name")];

    fn call(core: &Core, arguments: FrontmatterArguments) -> Result<FrontmatterAnswer, Refusal> {
        let quill = match &arguments.quill_name {
            Some(name) => Some(&core.quill(name)?.quill),
            None => None,
        };
        let (text, shift) = fenced(arguments.markdown);
        if text.len() > core.limits.text_bytes {
            return Err(Refusal::because(format!(
                "the text has more bytes than the limit of {}",
                core.limits.text_bytes
            )));
        }
        let document = read(core, &text, quill.map(AsRef::as_ref))?;
        let missing = document.observations.iter().filter(|seen| seen.name == "missing-field");
        let field = |seen: &kinds::Observation| {
            seen.values
                .iter()
                .find(|(name, _)| *name == "field")
                .and_then(|(_, value)| value.as_str().map(str::to_owned))
        };
        let diagnostics = core.validator.judge(&document);
        let found = standing(&diagnostics);
        let on_metadata = found.iter().filter(|one| METADATA.iter().any(|start| one.id.starts_with(start)));
        let errors: Vec<FrontmatterError> = on_metadata.map(|one| FrontmatterError::of(one, shift)).collect();
        let parsed_fields = match markdown::fields(&document) {
            Value::Object(fields) => fields,
            _ => Map::new(),
        };
        Ok(FrontmatterAnswer {
            valid: errors.iter().all(|error| error.severity != "ERROR"),
            parsed_fields,
            missing_required_fields: missing.filter_map(field).collect(),
            errors,
        })
    }
}

/// Frontmatter alone gets its marks; how many lines come before it then.
fn fenced(text: String) -> (String, u32) {
    let first =
        text.trim_start_matches('\u{feff}').lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let bare = !first.starts_with("---") && first.split_once(':').is_some_and(|(key, _)| !key.contains(' '));
    if bare { (format!("---\n{}\n---\n", text.trim_end()), 1) } else { (text, 0) }
}

fn read(core: &Core, text: &str, quill: Option<&Quill>) -> Result<kinds::Document, Refusal> {
    let kind =
        kinds::by_name(markdown::NAME).ok_or_else(|| Refusal::because("there is no kind `markdown`"))?;
    let source = Arc::new(Source::new(TEXT, text));
    let fragment = Fragment::contiguous(source.text(), source.span());
    let quills = Some(core.quills.as_ref());
    let options = ParseOptions { quills, quill, ..ParseOptions::default() };
    Ok(kind.parse(&source, &fragment, &options))
}

impl FrontmatterError {
    fn of(diagnostic: &Diagnostic, shift: u32) -> Self {
        let location = &diagnostic.location;
        Self {
            severity: match diagnostic.severity {
                Severity::Error => "ERROR",
                Severity::Warning => "WARNING",
                Severity::Note => "NOTE",
            },
            message: diagnostic.message.clone(),
            code: diagnostic.id.clone(),
            name: diagnostic.name.clone(),
            location: ErrorPlace {
                file: location.file.clone(),
                line: location.line.saturating_sub(shift).max(1),
                column: location.column,
            },
            hint: diagnostic.fix_hint.clone(),
            fingerprint: diagnostic.fingerprint.clone(),
        }
    }
}

impl Spoken for FrontmatterAnswer {
    fn text(&self) -> String {
        let verdict =
            format!("{}: {} findings", if self.valid { "VALID" } else { "INVALID" }, self.errors.len());
        let mut text = format!("{verdict}\n");
        for error in &self.errors {
            let ErrorPlace { line, column, .. } = error.location;
            let _ = writeln!(
                text,
                "{line}:{column} {} {} {}: {}",
                error.severity, error.code, error.name, error.message
            );
            if let Some(hint) = &error.hint {
                let _ = writeln!(text, "  hint: {hint}");
            }
        }
        if !self.missing_required_fields.is_empty() {
            let _ = writeln!(text, "missing: {}", self.missing_required_fields.join(", "));
        }
        let fields = serde_json::to_string(&self.parsed_fields).unwrap_or_default();
        let _ = writeln!(text, "fields: {}", visible(&clip(&fields, 2_000)));
        text + &verdict
    }
}
