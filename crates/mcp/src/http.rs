use std::{net::SocketAddr, sync::Arc, time::Duration};

use axum::{
    Json, Router,
    body::{Body, to_bytes},
    extract::{Request, State},
    http::{HeaderMap, HeaderValue, Method, StatusCode, header},
    middleware::{self, Next},
    response::{IntoResponse, Response},
    routing::get,
};
use rmcp::transport::streamable_http_server::{
    StreamableHttpServerConfig, StreamableHttpService, session::never::NeverSessionManager,
};
use tokio::{net::TcpListener, task::JoinHandle};
use tokio_util::sync::CancellationToken;

use super::{
    Service,
    admission::{Admission, admit, from_allowed_origin},
    connections::{self, Bounds},
    lines,
    metrics::{self, Metrics},
    refusals::Reason,
    requests::identify,
};

/// How to serve over HTTP.
#[derive(Debug, Clone)]
pub struct HttpOptions {
    /// Address to listen on; port 0 picks a free port.
    pub address: SocketAddr,
    /// Hosts allowed in the `Host` header besides the loopback names.
    pub hosts: Vec<String>,
    /// Origins that browsers may call from, besides the server's loopback address.
    pub origins: Vec<String>,
    /// Token that clients must send as `Authorization: Bearer …`; required unless the address is loopback.
    pub token: Option<String>,
    /// How long running calls may take to finish when the server stops.
    pub grace: Duration,
}

impl HttpOptions {
    /// Listens on the loopback address without a token.
    pub fn loopback(port: u16) -> Self {
        Self {
            address: SocketAddr::from(([127, 0, 0, 1], port)),
            hosts: Vec::new(),
            origins: Vec::new(),
            token: None,
            grace: Duration::from_secs(5),
        }
    }
}

/// Why a server could not be started.
#[derive(Debug, thiserror::Error)]
pub enum HttpError {
    /// Anyone who can reach the address could read and change files.
    #[error("{0} can be reached from other machines: set a token, or listen on 127.0.0.1")]
    NoToken(SocketAddr),
    /// The token is too short to be secure.
    #[error("the token has fewer than {0} characters")]
    ShortToken(usize),
    /// Listening on the address failed.
    #[error("cannot listen on {address}: {source}")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// The cause.
        source: std::io::Error,
    },
}

/// A running server.
#[derive(Debug)]
pub struct HttpServer {
    address: SocketAddr,
    stop: CancellationToken,
    task: JoinHandle<std::io::Result<()>>,
    grace: Duration,
}

impl HttpServer {
    /// The address it listens on.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Waits until the server ends or `stop` is canceled, then waits for running calls to finish.
    pub async fn finished(self) -> std::io::Result<()> {
        let Self { stop, mut task, grace, .. } = self;
        let flatten = |joined: Result<std::io::Result<()>, tokio::task::JoinError>| {
            joined.unwrap_or_else(|error| Err(std::io::Error::other(error)))
        };
        tokio::select! {
            joined = &mut task => return flatten(joined),
            () = stop.cancelled() => {}
        }
        match tokio::time::timeout(grace, &mut task).await {
            Ok(joined) => flatten(joined),
            Err(_) => {
                task.abort();
                tracing::warn!("running calls were aborted");
                Ok(())
            }
        }
    }
}

/// Minimum number of characters of a token.
const TOKEN: usize = 16;

/// Serves over HTTP at `/mcp`, with a health check at `/health` and counters at `/metrics`, until `stop` is canceled.
///
/// # Errors
/// [`HttpError`]
pub async fn serve_http(
    service: Service,
    options: HttpOptions,
    stop: CancellationToken,
) -> Result<HttpServer, HttpError> {
    let HttpOptions { address, grace, .. } = options;
    match &options.token {
        None if !address.ip().is_loopback() => return Err(HttpError::NoToken(address)),
        Some(token) if token.split_whitespace().collect::<String>().len() < TOKEN => {
            return Err(HttpError::ShortToken(TOKEN));
        }
        _ => {}
    }
    let listen = |source| HttpError::Listen { address, source };
    let listener = TcpListener::bind(address).await.map_err(listen)?;
    let address = listener.local_addr().map_err(listen)?;
    let (ending, stopping) = (service.clone(), stop.clone());
    tokio::spawn(async move {
        stopping.cancelled().await;
        ending.end_notifications();
    });
    let router = router(service, options, address.port());
    let stopped = stop.clone();
    let task = tokio::spawn(connections::accept(listener, router, stopped, Bounds::default()));
    tracing::info!(%address, "serving MCP at /mcp");
    Ok(HttpServer { address, stop, task, grace })
}

fn router(service: Service, options: HttpOptions, port: u16) -> Router {
    let mut hosts: Vec<String> = ["localhost", "127.0.0.1", "::1"].map(str::to_owned).into();
    hosts.extend(options.hosts);
    // Pages served from this address may call it.
    let own = ["localhost", "127.0.0.1", "[::1]"].map(|host| format!("http://{host}:{port}"));
    let origins: Vec<String> = options.origins.into_iter().chain(own).collect();
    let admission = Admission::new(&hosts, service.limits().body_bytes);
    // Sessions of the older protocol versions would stay in memory for as long as clients keep them;
    // requests are served without sessions instead.
    let config = StreamableHttpServerConfig::default()
        .with_allowed_hosts(hosts)
        .with_allowed_origins(origins.clone())
        .enforce_origin_validation()
        .with_json_response(true)
        .with_legacy_session_mode(false)
        .with_max_request_body_bytes(service.limits().body_bytes)
        // Calls under way finish when the server stops; those that take too long end with their connections.
        .with_cancellation_token(CancellationToken::new());
    let (asked, counters) = (service.clone(), Arc::clone(service.metrics()));
    #[cfg(feature = "conformance")]
    let service = super::mcp::conformance::Fixtures(service);
    let mcp = StreamableHttpService::new(
        move || Ok(service.clone()),
        Arc::new(NeverSessionManager::default()),
        config,
    );
    let token: Option<Arc<str>> = options.token.map(|token| Arc::from(token.as_str()));
    let health = Health { service: asked, token: token.clone() };
    // The layer that is added last is asked first.
    let guarded = Router::new()
        .route("/metrics", get(metrics).with_state(Arc::clone(&counters)))
        .layer(middleware::from_fn_with_state(token.clone(), authorize));
    let origins: Arc<[String]> = origins.into();
    let pages = Router::new()
        .route("/health", get(self::health).with_state(health))
        .merge(guarded)
        .layer(middleware::from_fn_with_state(origins, from_allowed_origin))
        .layer(middleware::from_fn_with_state(admission.clone(), admit));
    Router::new()
        .nest_service("/mcp", mcp)
        .layer(middleware::from_fn(refuse_malformed))
        .layer(middleware::from_fn(note_foreign))
        .layer(middleware::from_fn_with_state(admission, admit))
        .layer(middleware::from_fn_with_state(token, authorize))
        .merge(pages)
        .layer(middleware::from_fn_with_state(counters, identify))
}

/// What the health check needs.
#[derive(Clone)]
struct Health {
    service: Service,
    token: Option<Arc<str>>,
}

/// Reports that the service answers. Whoever may call tools sees its version and which programs write documents, too.
async fn health(State(health): State<Health>, headers: HeaderMap) -> Json<serde_json::Value> {
    let mut answer = serde_json::json!({"status": "ok"});
    if health.token.is_none_or(|token| carries(&headers, &token)) {
        answer["name"] = "proofmark".into();
        answer["version"] = env!("CARGO_PKG_VERSION").into();
        let service = health.service;
        // Programs are started to ask for their versions.
        if let Ok(engines) = tokio::task::spawn_blocking(move || service.engines()).await {
            answer["engines"] = engines;
        }
    }
    Json(answer)
}

async fn metrics(State(metrics): State<Arc<Metrics>>) -> Response {
    ([(header::CONTENT_TYPE, metrics::MIME)], metrics.text()).into_response()
}

/// Accepts requests that carry the token, or all requests if no token is set.
async fn authorize(State(token): State<Option<Arc<str>>>, request: Request, next: Next) -> Response {
    match token {
        Some(token) if !carries(request.headers(), &token) => {
            Reason::Token.log();
            unauthorized()
        }
        _ => next.run(request).await,
    }
}

/// Answers a body that is not a message with an error of the protocol. Batches are not messages since its version
/// 2025-06-18.
async fn refuse_malformed(request: Request, next: Next) -> Response {
    // Pages of other sites are refused whatever they send.
    if request.method() != Method::POST || request.headers().contains_key(header::ORIGIN) {
        return next.run(request).await;
    }
    let (parts, body) = request.into_parts();
    // The body has been read already, and within the limits.
    let Ok(body) = to_bytes(body, usize::MAX).await else {
        return StatusCode::BAD_REQUEST.into_response();
    };
    match lines::refusal(&body) {
        Some(error) => (StatusCode::BAD_REQUEST, Json(error)).into_response(),
        None => next.run(Request::from_parts(parts, Body::from(body))).await,
    }
}

/// Logs what was refused because of the site that it comes from.
async fn note_foreign(request: Request, next: Next) -> Response {
    let from_a_page = request.headers().contains_key(header::ORIGIN);
    let response = next.run(request).await;
    if from_a_page && response.status() == StatusCode::FORBIDDEN {
        Reason::Origin.log();
    }
    response
}

fn unauthorized() -> Response {
    let body =
        Json(serde_json::json!({"error": "unauthorized", "message": "send `Authorization: Bearer TOKEN`"}));
    let mut response = (StatusCode::UNAUTHORIZED, body).into_response();
    let challenge = HeaderValue::from_static("Bearer realm=\"proofmark\"");
    response.headers_mut().insert(header::WWW_AUTHENTICATE, challenge);
    response
}

fn carries(headers: &HeaderMap, token: &str) -> bool {
    let sent = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
    let sent = sent.and_then(|value| value.split_once(' '));
    sent.is_some_and(|(scheme, sent)| scheme.eq_ignore_ascii_case("bearer") && same(sent.trim(), token))
}

/// Compares in constant time, which does not reveal where two strings differ.
fn same(a: &str, b: &str) -> bool {
    let differing = a.bytes().zip(b.bytes()).fold(0, |differing, (a, b)| differing | (a ^ b));
    a.len() == b.len() && differing == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_complete_token_is_accepted() {
        let carries_it = |value: &'static str| {
            let mut headers = HeaderMap::new();
            headers.insert(header::AUTHORIZATION, HeaderValue::from_static(value));
            carries(&headers, "secret-of-mine-1234")
        };
        assert!(carries_it("Bearer secret-of-mine-1234"));
        assert!(carries_it("bearer secret-of-mine-1234"));
        for wrong in
            ["Bearer secret-of-mine-123", "Bearer secret-of-mine-12345", "Basic secret-of-mine-1234", ""]
        {
            assert!(!carries_it(wrong), "{wrong}");
        }
    }
}
