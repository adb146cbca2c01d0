use std::sync::Arc;

use super::{
    completions,
    core::Core,
    prompts, resources,
    subscriptions::Subscriptions,
    tool::{Effect, Reply, Tool},
    tools,
};
use crate::{
    Options, ServiceError,
    calls::{Caller, Calls},
    metrics::{Ending, Metrics},
    places::ConnectionId,
    project::config::Answers,
    requests::RequestId,
};
use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        CacheScope, CallToolRequestParams, CallToolResponse, CallToolResult, CompleteRequestParams,
        CompleteResult, ContentBlock, CustomRequest, CustomResult, ErrorCode, GetPromptRequestParams,
        GetPromptResponse, Implementation, InitializeRequestParams, InitializeResult, ListPromptsResult,
        ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams,
        ProtocolVersion, ReadResourceRequestParams, ReadResourceResponse, ServerCapabilities, ServerConfig,
        SubscribeRequestParams, SubscriptionFilter, ToolAnnotations, UnsubscribeRequestParams,
    },
    service::{RequestContext, SubscriptionContext},
};

/// How to work with the server, in under 2 KB.
const INSTRUCTIONS: &str = include_str!("instructions.md");

/// How long clients may cache lists, which only a new version of the server changes.
const LIST_TTL_MS: u64 = 3_600_000;

/// The service, shared by all connections.
#[derive(Clone)]
pub struct Service {
    core: Arc<Core>,
    calls: Calls,
    answers: Answers,
    /// The tools that answer.
    tools: Arc<[Tool]>,
    /// The tools that are listed.
    offered: Arc<[rmcp::model::Tool]>,
    subscriptions: Arc<Subscriptions>,
}

impl Service {
    /// Creates the service: compiles the tools' schemas and opens the allowed folders.
    ///
    /// # Errors
    /// [`ServiceError`]
    pub fn new(options: &Options) -> Result<Self, ServiceError> {
        let mut tools = tools::all()?;
        tools.retain(|tool| tool.is_offered(options));
        let listed = || tools.iter().filter(|tool| tool.is_listed(options));
        let names = listed().map(|tool| tool.name).collect();
        let offered = listed().map(|tool| offer(tool, options.answers)).collect();
        let core = Arc::new(Core::new(options, names));
        Ok(Self {
            calls: Calls::new(options.limits, options.project.limits().budget()),
            subscriptions: Arc::new(Subscriptions::new(Arc::clone(&core))),
            core,
            answers: options.answers,
            tools: tools.into(),
            offered,
        })
    }

    /// Names of the tools, in the order in which they are listed.
    pub fn tools(&self) -> impl Iterator<Item = &'static str> + '_ {
        self.tools.iter().map(|tool| tool.name)
    }

    /// Limits on calls.
    pub(crate) fn limits(&self) -> &crate::Limits {
        &self.core.limits
    }

    /// The metrics of the service.
    pub(crate) fn metrics(&self) -> &Arc<Metrics> {
        &self.core.metrics
    }

    /// What writes documents here, with versions: `{name, available, version}` each. Programs are asked once.
    pub(crate) fn engines(&self) -> serde_json::Value {
        self.core.engines()
    }

    /// Ends all streams of notifications, so that their connections can end.
    pub(crate) fn end_notifications(&self) {
        self.subscriptions.end();
    }

    /// What answers to a client consist of: one that reads structured content need not get it as text, too.
    fn answers_for(&self, context: &RequestContext<RoleServer>) -> Answers {
        let experimental = context.client_capabilities().and_then(|client| client.experimental);
        let reads = experimental.is_some_and(|names| names.contains_key(READS_STRUCTURED));
        if reads && self.answers == Answers::Both { Answers::Structured } else { self.answers }
    }

    /// Runs one tool call of the protocol.
    async fn run(
        &self,
        request: CallToolRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> Result<CallToolResult, ErrorData> {
        let Some(index) = self.tools.iter().position(|tool| tool.name == request.name) else {
            self.core.metrics.rejected("unknown_tool");
            return Err(unknown_tool(&request.name, self.tools()));
        };
        let (tools, core) = (Arc::clone(&self.tools), Arc::clone(&self.core));
        let arguments = request.arguments.unwrap_or_default();
        let id = request_id(context);
        let caller = Caller { bytes: arguments.values().map(text_bytes).sum(), ..caller(context) };
        let work =
            move || tools[index].call(&core, arguments).map_err(|refusal| tools[index].refuse(&refusal));
        let started = std::time::Instant::now();
        let result = self.calls.run(caller, &context.ct, work).await;
        let tool = self.tools[index].name;
        let took = started.elapsed();
        let ending = match &result {
            Ok(Ok(_)) => Ending::Answered,
            Ok(Err(_)) => Ending::Refused,
            Err(_) => Ending::Failed,
        };
        self.core.metrics.call(tool, ending, took);
        let ok = ending == Ending::Answered;
        tracing::info!(request_id = id, tool, micros = took.as_micros() as u64, ok, "call");
        Ok(match result {
            Ok(Ok(reply)) => success(reply, self.answers_for(context)),
            Ok(Err(refusal)) => CallToolResult::error(vec![ContentBlock::text(refusal)]),
            Err(error) => {
                self.core.metrics.rejected(error.reason());
                tracing::error!(request_id = id, tool, %error, "call failed");
                CallToolResult::error(vec![ContentBlock::text(format!("`{tool}` failed: {error}"))])
            }
        })
    }
}

impl std::fmt::Debug for Service {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Service").field("tools", &self.core.tools).finish_non_exhaustive()
    }
}

impl ServerHandler for Service {
    fn get_info(&self) -> ServerConfig {
        let mut capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_resources()
            .enable_prompts()
            .enable_completions()
            .build();
        if let Some(resources) = capabilities.resources.as_mut().filter(|_| self.core.offers_org()) {
            resources.subscribe = Some(true);
            resources.list_changed = Some(true);
        }
        let name = Implementation::new("proofmark", env!("CARGO_PKG_VERSION")).with_title("Proofmark");
        ServerConfig::new(capabilities).with_server_info(name).with_instructions(INSTRUCTIONS)
    }

    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        context.peer.set_peer_info(request.clone());
        let mut result = self.negotiate_initialize(&request)?;
        // Over HTTP there are no sessions, in which clients of these versions would be notified.
        if let Some(resources) = result.capabilities.resources.as_mut().filter(|_| is_http(&context)) {
            resources.subscribe = None;
            resources.list_changed = None;
        }
        Ok(result)
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        self.subscriptions.accepted(requested)
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        self.subscriptions.listen(&context).await
    }

    async fn subscribe(
        &self,
        request: SubscribeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        if is_http(&context) || !self.core.offers_org() {
            return Err(no_sessions("resources/subscribe"));
        }
        self.subscriptions.subscribe(&context.peer, request.uri).await
    }

    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        if is_http(&context) || !self.core.offers_org() {
            return Err(no_sessions("resources/unsubscribe"));
        }
        self.subscriptions.unsubscribe(&request.uri);
        Ok(())
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        if request.is_some_and(|request| request.cursor.is_some()) {
            return Err(ErrorData::invalid_params(
                "the list of tools has one page and takes no `cursor`",
                None,
            ));
        }
        let all = ListToolsResult::with_all_items(self.offered.to_vec());
        Ok(all.with_ttl_ms(LIST_TTL_MS).with_cache_scope(CacheScope::Public))
    }

    fn get_tool(&self, name: &str) -> Option<rmcp::model::Tool> {
        self.offered.iter().find(|tool| tool.name == name).cloned()
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        Ok(self.run(request, &context).await?.into())
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        if self.core.offers_org() && has_session(&context) {
            self.subscriptions.follow_list(&context.peer).await?;
        }
        let core = Arc::clone(&self.core);
        let cursor = request.and_then(|request| request.cursor);
        let (page, next) = self
            .calls
            .run(caller(&context), &context.ct, move || resources::page(&core, cursor.as_deref()))
            .await
            .map_err(failed)??;
        let mut all = ListResourcesResult::with_all_items(page);
        all.next_cursor = next;
        // Rendered documents and Org files come and go.
        let changes = self.core.renders() || self.core.offers_org();
        let ttl = if changes { 0 } else { LIST_TTL_MS };
        Ok(all.with_ttl_ms(ttl).with_cache_scope(CacheScope::Public))
    }

    async fn list_resource_templates(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let all = ListResourceTemplatesResult::with_all_items(resources::templates(&self.core));
        Ok(all.with_ttl_ms(LIST_TTL_MS).with_cache_scope(CacheScope::Public))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let core = Arc::clone(&self.core);
        // Files change.
        let ttl = if request.uri.starts_with("org://") { 0 } else { LIST_TTL_MS };
        let read =
            self.calls.run(caller(&context), &context.ct, move || resources::read(&core, &request.uri)).await;
        let result = read.map_err(failed)??;
        Ok(result.with_ttl_ms(ttl).with_cache_scope(CacheScope::Public).into())
    }

    async fn list_prompts(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let all = ListPromptsResult::with_all_items(prompts::list());
        Ok(all.with_ttl_ms(LIST_TTL_MS).with_cache_scope(CacheScope::Public))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        prompts::get(&request).map(Into::into)
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        let core = Arc::clone(&self.core);
        let complete = move || completions::complete(&core, &request);
        self.calls.run(caller(&context), &context.ct, complete).await.map_err(failed)?
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let method = crate::text::visible(&crate::text::clip(&request.method, 60)).into_owned();
        // The SDK takes a request with parameters that it cannot read for one of an unknown method.
        Err(if METHODS.contains(&request.method.as_str()) {
            ErrorData::invalid_params(format!("the parameters of `{method}` are not valid"), None)
        } else {
            ErrorData::new(ErrorCode::METHOD_NOT_FOUND, format!("there is no method `{method}`"), None)
        })
    }
}

/// Methods of the protocol that the server answers and that have parameters.
const METHODS: &[&str] = &[
    "initialize",
    "tools/list",
    "tools/call",
    "resources/list",
    "resources/templates/list",
    "resources/read",
    "resources/subscribe",
    "resources/unsubscribe",
    "subscriptions/listen",
    "prompts/list",
    "prompts/get",
    "completion/complete",
];

/// The experimental capability of clients whose models see structured content.
const READS_STRUCTURED: &str = "structuredContent";

/// A tool as the protocol describes it.
fn offer(tool: &Tool, answers: Answers) -> rmcp::model::Tool {
    let reads = tool.effect == Effect::Reads;
    // The protocol gives the other two a meaning only where a tool changes something.
    let annotations = ToolAnnotations::new().read_only(reads).open_world(false);
    let annotations = if reads { annotations } else { annotations.destructive(true).idempotent(false) };
    let offered = rmcp::model::Tool::new(tool.name, tool.description, Arc::new(tool.input.clone()))
        .with_title(tool.title)
        .with_annotations(annotations);
    match answers {
        Answers::Text => offered,
        Answers::Both | Answers::Structured => offered.with_raw_output_schema(Arc::new(tool.output.clone())),
    }
}

fn success(reply: Reply, answers: Answers) -> CallToolResult {
    let text = if answers == Answers::Structured { reply.brief() } else { reply.text };
    let content = vec![ContentBlock::text(text)];
    let mut result = match answers {
        Answers::Text => CallToolResult::success(content),
        Answers::Both | Answers::Structured => {
            let mut both = CallToolResult::structured(reply.structured);
            both.content = content;
            both
        }
    };
    let images = reply.images.into_iter().map(|image| ContentBlock::image(image.base64, image.mime_type));
    result.content.extend(images);
    result.is_error = Some(reply.failed);
    result
}

fn failed(error: crate::calls::CallError) -> ErrorData {
    let retry = error.retry_after().map(|seconds| serde_json::json!({"retry_after_seconds": seconds}));
    ErrorData::internal_error(error.to_string(), retry)
}

/// Whether a request came over HTTP.
fn is_http(context: &RequestContext<RoleServer>) -> bool {
    context.extensions.get::<axum::http::request::Parts>().is_some()
}

/// Whether the client has a session, in which it can be notified without asking for a stream.
fn has_session(context: &RequestContext<RoleServer>) -> bool {
    let version = context.protocol_version();
    !is_http(context)
        && version.is_some_and(|version| version.as_str() < ProtocolVersion::V_2026_07_28.as_str())
}

fn no_sessions(method: &str) -> ErrorData {
    let message = format!(
        "`{method}` is for Org files over standard input and output; over HTTP, `subscriptions/listen` of the protocol \
         2026-07-28 notifies of changes"
    );
    ErrorData::new(ErrorCode::METHOD_NOT_FOUND, message, None)
}

/// Who calls: the connection over HTTP, the only client otherwise.
fn caller(context: &RequestContext<RoleServer>) -> Caller {
    let parts = context.extensions.get::<axum::http::request::Parts>();
    let connection = parts.and_then(|parts| parts.extensions.get::<ConnectionId>());
    Caller { connection: connection.copied().unwrap_or_default(), bytes: 0 }
}

/// The id of the request over HTTP that a call came in; the client's number of the call otherwise.
fn request_id(context: &RequestContext<RoleServer>) -> String {
    let parts = context.extensions.get::<axum::http::request::Parts>();
    let id = parts.and_then(|parts| parts.extensions.get::<RequestId>());
    id.map_or_else(
        || crate::text::clip(&context.id.to_string(), 64).into_owned(),
        |id| id.as_str().to_owned(),
    )
}

/// Bytes of the text in an argument.
fn text_bytes(value: &serde_json::Value) -> usize {
    match value {
        serde_json::Value::String(text) => text.len(),
        serde_json::Value::Array(items) => items.iter().map(text_bytes).sum(),
        serde_json::Value::Object(entries) => entries.values().map(text_bytes).sum(),
        _ => 0,
    }
}

fn unknown_tool(name: &str, known: impl Iterator<Item = &'static str>) -> ErrorData {
    let known: Vec<&str> = known.collect();
    let shown = crate::text::visible(&crate::text::clip(name, 60)).into_owned();
    let near = crate::text::nearest(name, known.iter().copied());
    let hint = near
        .map_or_else(|| format!("available: {}", known.join(", ")), |near| format!("did you mean `{near}`?"));
    ErrorData::invalid_params(format!("there is no tool `{shown}`: {hint}"), None)
}
