use std::{borrow::Cow, collections::BTreeMap, fmt::Write as _};

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize, Serializer};
use serde_json::{Map, Value};

use super::super::{
    core::Core,
    refusal::Refusal,
    schema,
    tool::{AgentTool, AnswerText},
};
use crate::{
    Toolset,
    kinds::quill::{self, FieldSchema, Quill, Registered},
    text::plural,
};

/// `list_quills`
pub(super) struct ListQuills;

/// Of a tool that takes none.
#[derive(Deserialize, JsonSchema)]
pub(super) struct NoArguments {}

#[derive(Deserialize, JsonSchema)]
pub(super) struct ListArguments {
    /// Whether to add author, version and further keys.
    include_metadata: Option<bool>,
}

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
    /// Author, version and further keys.
    #[serde(skip_serializing_if = "Option::is_none")]
    metadata: Option<Map<String, Value>>,
}

impl AgentTool for ListQuills {
    type Arguments = ListArguments;
    type Answer = QuillList;
    const NAME: &'static str = "list_quills";
    const TITLE: &'static str = "List quills";
    const DESCRIPTION: &'static str =
        "Lists the formats (quills) that a Markdown document can name with `QUILL:`.";
    const TOOLSET: Toolset = Toolset::Quills;
    const EXAMPLE: &'static str = "{}";

    fn call(core: &Core, arguments: ListArguments) -> Result<QuillList, Refusal> {
        let with_metadata = arguments.include_metadata.unwrap_or(false);
        let line = |registered: &Registered| QuillLine {
            name: registered.quill.name.clone(),
            backend: registered.quill.backend.clone(),
            description: registered.quill.description.clone(),
            tags: registered.quill.tags.clone(),
            metadata: with_metadata.then(|| metadata(&registered.quill)),
        };
        Ok(QuillList { quills: core.quills.now().iter().map(line).collect() })
    }
}

/// Author, version and the keys of a quill that have no meaning of their own.
fn metadata(quill: &Quill) -> Map<String, Value> {
    let about = [("author", &quill.author), ("version", &quill.version)];
    let about = about.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value.clone()?.into())));
    about.chain(quill.metadata.iter().map(|(key, value)| (key.clone(), value.clone()))).collect()
}

impl AnswerText for QuillList {
    fn text(&self) -> String {
        let mut text = format!("{}\n", plural(self.quills.len(), "quill"));
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
    #[schemars(extend("x-nullable" = true))]
    glue: Option<String>,
    /// The complete example document.
    #[schemars(extend("x-nullable" = true))]
    example: Option<String>,
    description: String,
    #[schemars(extend("x-nullable" = true))]
    author: Option<String>,
    #[schemars(extend("x-nullable" = true))]
    version: Option<String>,
    tags: Vec<String>,
    /// The fields that a document can have.
    frontmatter_fields: Fields,
    /// Fields of the items of each collection (SCOPE blocks).
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    collections: BTreeMap<String, Fields>,
    supported_formats: Vec<&'static str>,
    /// Files of the quill that its layout can show, to be read at `quills://NAME/PATH`.
    assets: Vec<String>,
    /// Blocks to start from: `frontmatter`, and one for each collection.
    snippets: BTreeMap<String, String>,
    /// Further keys of the quill, unchanged.
    #[serde(flatten)]
    metadata: Map<String, Value>,
}

#[derive(Serialize, JsonSchema)]
struct Field {
    #[serde(rename = "type")]
    kind: &'static str,
    required: bool,
    #[schemars(extend("x-nullable" = true))]
    description: Option<String>,
    #[schemars(schema_with = "schema::anything")]
    example: Option<Value>,
    #[schemars(schema_with = "schema::anything")]
    default: Option<Value>,
    /// The allowed values.
    #[serde(rename = "enum", skip_serializing_if = "Vec::is_empty")]
    values: Vec<String>,
}

impl Field {
    fn of(schema: &FieldSchema) -> Self {
        Self {
            kind: schema.field_type.map_or("string", quill::FieldType::json_type),
            required: schema.required,
            description: schema.description.clone(),
            example: schema.example.clone(),
            default: schema.default.clone(),
            values: schema.values.clone(),
        }
    }
}

/// Fields by name, in the order of the manifest.
struct Fields(Vec<(String, Field)>);

impl Fields {
    fn of(fields: &[(String, FieldSchema)]) -> Self {
        Self(fields.iter().map(|(name, schema)| (name.clone(), Field::of(schema))).collect())
    }
}

impl Serialize for Fields {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, field)| (name, field)))
    }
}

impl JsonSchema for Fields {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Fields".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        BTreeMap::<String, Field>::json_schema(generator)
    }
}

impl AgentTool for GetQuillInfo {
    type Arguments = InfoArguments;
    type Answer = QuillInfo;
    const NAME: &'static str = "get_quill_info";
    const TITLE: &'static str = "Describe a quill";
    const DESCRIPTION: &'static str =
        "Describes a quill: its fields with types, which of them are required, and an example document.";
    const TOOLSET: Toolset = Toolset::Quills;
    const EXAMPLE: &'static str = r#"{"quill_name": "letter"}"#;

    fn call(core: &Core, arguments: InfoArguments) -> Result<QuillInfo, Refusal> {
        let name = &arguments.quill_name;
        let registered = core.quill(name)?;
        let quill = &registered.quill;
        let mut fields = Fields::of(&quill.fields);
        for name in &quill.used {
            if !fields.0.iter().any(|(known, _)| known == name) {
                fields.0.push((name.clone(), Field::of(&FieldSchema::default())));
            }
        }
        let own = [
            "name",
            "backend",
            "glue",
            "example",
            "frontmatter_fields",
            "supported_formats",
            "collections",
            "assets",
            "snippets",
        ];
        let metadata = quill.metadata.iter().filter(|(key, _)| !own.contains(&key.as_str()));
        Ok(QuillInfo {
            name: quill.name.clone(),
            backend: quill.backend.clone(),
            glue: quill.glue_file.clone(),
            example: core.quill_example(&registered),
            description: quill.description.clone(),
            author: quill.author.clone(),
            version: quill.version.clone(),
            tags: quill.tags.clone(),
            frontmatter_fields: fields,
            collections: quill
                .collections
                .iter()
                .map(|(name, fields)| (name.clone(), Fields::of(fields)))
                .collect(),
            supported_formats: vec!["PDF", "SVG", "PNG", "HTML"],
            assets: core.quill_assets(&registered),
            snippets: quill.snippets().into_iter().collect(),
            metadata: metadata.map(|(key, value)| (key.clone(), value.clone())).collect(),
        })
    }
}

impl AnswerText for QuillInfo {
    fn text(&self) -> String {
        let mut text = format!("{}: {} ({})\n", self.name, self.description, self.backend);
        for (name, field) in &self.frontmatter_fields.0 {
            write_field(&mut text, name, field);
        }
        for (collection, fields) in &self.collections {
            let _ = writeln!(text, "SCOPE {collection}:");
            for (name, field) in &fields.0 {
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
    let values = match field.values.as_slice() {
        [] => String::new(),
        values => format!(", one of {}", values.join(", ")),
    };
    let default = field.default.as_ref().map(|default| format!("; default {default}")).unwrap_or_default();
    let _ = writeln!(text, "  {name}: {}{needed}{values}{what}{default}{example}", field.kind);
}
