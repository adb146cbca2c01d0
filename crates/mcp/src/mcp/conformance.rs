//! Tools, resources and prompts that the protocol's conformance suite expects of every server, to test
//! how the server transfers them. They are fixtures of the suite and not part of any release.

use std::time::Duration;

use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        AudioContent, CallToolRequestParams, CallToolResponse, CallToolResult, CompleteRequestParams,
        CompleteResult, ContentBlock, GetPromptRequestParams, GetPromptResponse, GetPromptResult,
        ImageContent, InitializeRequestParams, InitializeResult, ListPromptsResult,
        ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams,
        ProgressNotificationParam, Prompt, PromptArgument, PromptMessage, ReadResourceRequestParams,
        ReadResourceResponse, ReadResourceResult, Resource, ResourceContents, ResourceTemplate, Role,
        ServerConfig, SubscriptionFilter, Tool,
    },
    service::{RequestContext, SubscriptionContext},
};
use serde_json::{Map, Value, json};

use super::server::Service;

type Context = RequestContext<RoleServer>;

/// The service with the suite's fixtures added to what it offers.
#[derive(Debug, Clone)]
pub(crate) struct Fixtures(pub(crate) Service);

const IMAGE: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8/5+hHgAHggJ/PchI7wAAAABJRU5ErkJggg==";
const AUDIO: &str = "UklGRiQAAABXQVZFZm10IBAAAAABAAEARKwAAIhYAQACABAAZGF0YQAAAAA=";

/// Fixture tools without arguments.
const TOOLS: [&str; 7] = [
    "test_simple_text",
    "test_image_content",
    "test_audio_content",
    "test_embedded_resource",
    "test_multiple_content_types",
    "test_error_handling",
    "test_tool_with_progress",
];

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(object) => object,
        _ => Map::new(),
    }
}

fn custom_header() -> Tool {
    let schema = json!({
        "type": "object",
        "properties": {"value": {"type": "string", "x-mcp-header": "Value"}},
        "required": ["value"]
    });
    Tool::new("test_custom_header", "Takes its value from a header too", object(schema))
}

fn schema_tool() -> Tool {
    let schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": {"address": {
            "$anchor": "address",
            "type": "object",
            "properties": {"street": {"type": "string"}, "city": {"type": "string"}}
        }},
        "properties": {"name": {"type": "string"}, "address": {"$ref": "#/$defs/address"}},
        "allOf": [{"anyOf": [{"required": ["name"]}, {"required": ["address"]}]}],
        "if": {"required": ["address"]},
        "then": {"properties": {"address": {"required": ["street"]}}},
        "else": {"required": ["name"]},
        "additionalProperties": false
    });
    Tool::new("json_schema_2020_12_tool", "Has a schema with the keywords of the draft", object(schema))
}

fn tools() -> Vec<Tool> {
    let empty = || object(json!({"type": "object", "properties": {}}));
    let plain = TOOLS.iter().map(|name| Tool::new(*name, "Fixture of the conformance suite", empty()));
    plain.chain([custom_header(), schema_tool()]).collect()
}

fn text_resource(uri: &str, text: &str, mime: &str) -> ResourceContents {
    ResourceContents::text(text, uri).with_mime_type(mime)
}

async fn call(request: &CallToolRequestParams, context: &Context) -> Option<CallToolResult> {
    let content = match request.name.as_ref() {
        "test_simple_text" => vec![ContentBlock::text("This is a simple text response for testing.")],
        "test_image_content" => vec![ContentBlock::image(IMAGE, "image/png")],
        "test_audio_content" => vec![ContentBlock::Audio(AudioContent::new(AUDIO, "audio/wav"))],
        "test_embedded_resource" => {
            let text = "This is an embedded resource content.";
            vec![ContentBlock::resource(text_resource("test://embedded-resource", text, "text/plain"))]
        }
        "test_multiple_content_types" => {
            let text = r#"{"test":"data","value":123}"#;
            vec![
                ContentBlock::text("Multiple content types test:"),
                ContentBlock::image(IMAGE, "image/png"),
                ContentBlock::resource(text_resource(
                    "test://mixed-content-resource",
                    text,
                    "application/json",
                )),
            ]
        }
        "test_error_handling" => {
            let text = "This tool intentionally returns an error for testing";
            return Some(CallToolResult::error(vec![ContentBlock::text(text)]));
        }
        "test_tool_with_progress" => {
            progress(context).await;
            vec![ContentBlock::text("Progress test completed")]
        }
        "test_custom_header" | "json_schema_2020_12_tool" => {
            let arguments = request.arguments.clone().unwrap_or_default();
            vec![ContentBlock::text(Value::Object(arguments).to_string())]
        }
        _ => return None,
    };
    Some(CallToolResult::success(content))
}

async fn progress(context: &Context) {
    let Some(token) = context.meta.get_progress_token() else { return };
    for (progress, message) in [(0.0, "Starting"), (50.0, "Halfway"), (100.0, "Complete")] {
        let step = ProgressNotificationParam::new(token.clone(), progress);
        let _ = context.peer.notify_progress(step.with_total(100.0).with_message(message)).await;
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

fn read(uri: &str) -> Option<ReadResourceResult> {
    let contents = match uri {
        "test://static-text" => {
            text_resource(uri, "This is the content of the static text resource.", "text/plain")
        }
        "test://static-binary" => ResourceContents::blob(IMAGE, uri).with_mime_type("image/png"),
        _ => {
            let id = uri.strip_prefix("test://template/")?.strip_suffix("/data")?;
            let text = json!({"id": id, "templateTest": true, "data": format!("Data for ID: {id}")});
            text_resource(uri, &text.to_string(), "application/json")
        }
    };
    Some(ReadResourceResult::new(vec![contents]))
}

fn prompts() -> Vec<Prompt> {
    let argument =
        |name: &str, required| PromptArgument::new(name).with_description("Fixture").with_required(required);
    let arguments = vec![argument("arg1", true), argument("arg2", false)];
    let plain = |name: &str| Prompt::new(name, Some("Fixture of the conformance suite"), None);
    vec![
        plain("test_simple_prompt"),
        Prompt::new("test_prompt_with_arguments", Some("Fixture of the conformance suite"), Some(arguments)),
        plain("test_prompt_with_embedded_resource"),
        plain("test_prompt_with_image"),
    ]
}

fn prompt(request: &GetPromptRequestParams) -> Option<GetPromptResult> {
    let given = |name: &str| {
        let value = request.arguments.as_ref().and_then(|arguments| arguments.get(name));
        value.and_then(Value::as_str).unwrap_or_default().to_owned()
    };
    let text = |text: String| PromptMessage::new_text(Role::User, text);
    let messages = match request.name.as_str() {
        "test_simple_prompt" => vec![text("This is a simple test prompt.".into())],
        "test_prompt_with_arguments" => {
            vec![text(format!("Prompt with arguments: arg1='{}', arg2='{}'", given("arg1"), given("arg2")))]
        }
        "test_prompt_with_embedded_resource" => {
            let uri = given("resourceUri");
            let uri = if uri.is_empty() { "test://static-text".to_owned() } else { uri };
            let content = Some("Resource content for prompt".into());
            let mime = Some("text/plain".into());
            vec![
                text("Here is a resource:".into()),
                PromptMessage::new_resource(Role::User, uri, mime, content, None, None, None),
            ]
        }
        "test_prompt_with_image" => {
            let image = ContentBlock::Image(ImageContent::new(IMAGE, "image/png"));
            vec![text("Here is an image:".into()), PromptMessage::new(Role::User, image)]
        }
        _ => return None,
    };
    Some(GetPromptResult::new(messages))
}

impl ServerHandler for Fixtures {
    fn get_info(&self) -> ServerConfig {
        self.0.get_info()
    }

    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: Context,
    ) -> Result<InitializeResult, ErrorData> {
        self.0.initialize(request, context).await
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        self.0.accepted_subscription_filter(requested)
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        self.0.listen(context).await
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        context: Context,
    ) -> Result<ListToolsResult, ErrorData> {
        let mut all = self.0.list_tools(request, context).await?;
        all.tools.extend(tools());
        Ok(all)
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.0.get_tool(name).or_else(|| tools().into_iter().find(|tool| tool.name == name))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: Context,
    ) -> Result<CallToolResponse, ErrorData> {
        match call(&request, &context).await {
            Some(result) => Ok(result.into()),
            None => self.0.call_tool(request, context).await,
        }
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        context: Context,
    ) -> Result<ListResourcesResult, ErrorData> {
        let mut all = self.0.list_resources(request, context).await?;
        let fixture =
            |name: &str, mime: &str| Resource::new(format!("test://{name}"), name).with_mime_type(mime);
        all.resources.extend([fixture("static-text", "text/plain"), fixture("static-binary", "image/png")]);
        Ok(all)
    }

    async fn list_resource_templates(
        &self,
        request: Option<PaginatedRequestParams>,
        context: Context,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let mut all = self.0.list_resource_templates(request, context).await?;
        all.resource_templates.push(ResourceTemplate::new("test://template/{id}/data", "template"));
        Ok(all)
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: Context,
    ) -> Result<ReadResourceResponse, ErrorData> {
        match read(&request.uri) {
            Some(result) => Ok(result.into()),
            None => self.0.read_resource(request, context).await,
        }
    }

    async fn list_prompts(
        &self,
        request: Option<PaginatedRequestParams>,
        context: Context,
    ) -> Result<ListPromptsResult, ErrorData> {
        let mut all = self.0.list_prompts(request, context).await?;
        all.prompts.extend(prompts());
        Ok(all)
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: Context,
    ) -> Result<GetPromptResponse, ErrorData> {
        match prompt(&request) {
            Some(result) => Ok(result.into()),
            None => self.0.get_prompt(request, context).await,
        }
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        context: Context,
    ) -> Result<CompleteResult, ErrorData> {
        let fixture = matches!(&request.r#ref, rmcp::model::Reference::Prompt(prompt) if prompt.name.starts_with("test_"));
        if fixture {
            return Ok(CompleteResult::default());
        }
        self.0.complete(request, context).await
    }
}
