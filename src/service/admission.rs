//! What is asked of an HTTP request before its call: one host that is allowed, one origin at most, a body that
//! is neither too large nor too slow.

use std::{future::poll_fn, pin::Pin, sync::Arc, time::Duration};

use axum::{
    Json,
    body::{Body, HttpBody, to_bytes},
    extract::{Request, State},
    http::{HeaderMap, HeaderValue, StatusCode, header},
    middleware::Next,
    response::{IntoResponse, Response},
};
use tokio::{sync::Semaphore, time::timeout};

/// Most bodies that are read at a time: those of others wait unread.
const BODIES: usize = 32;

/// How long a client may take to send a body.
const BODY: Duration = Duration::from_secs(15);

/// How long a request waits until its body may be read.
const PATIENCE: Duration = Duration::from_secs(5);

/// What requests have to keep.
#[derive(Debug, Clone)]
pub(super) struct Admission {
    hosts: Arc<[String]>,
    body_bytes: usize,
    bodies: Arc<Semaphore>,
}

impl Admission {
    /// `hosts` are the names that a request may be for, in lower case and without a port.
    pub(super) fn new(hosts: &[String], body_bytes: usize) -> Self {
        let hosts = hosts.iter().map(|host| host.trim_matches(['[', ']']).to_ascii_lowercase()).collect();
        Self { hosts, body_bytes, bodies: Arc::new(Semaphore::new(BODIES)) }
    }

    fn refusal(&self, request: &Request) -> Option<Response> {
        let headers = request.headers();
        let mut hosts = headers.get_all(header::HOST).iter();
        let (Some(named), None) = (hosts.next(), hosts.next()) else {
            return Some(refuse(StatusCode::BAD_REQUEST, "send one `Host` header"));
        };
        if headers.get_all(header::ORIGIN).iter().count() > 1 {
            return Some(refuse(StatusCode::BAD_REQUEST, "send one `Origin` header"));
        }
        let allowed = |authority: &str| host_of(authority).is_some_and(|host| self.hosts.contains(&host));
        let target = request.uri().authority().map(axum::http::uri::Authority::as_str);
        if !named.to_str().is_ok_and(allowed) || !target.is_none_or(allowed) {
            return Some(refuse(StatusCode::FORBIDDEN, "this host is not allowed"));
        }
        None
    }
}

/// Lets a request through with its whole body.
pub(super) async fn admit(State(admission): State<Admission>, request: Request, next: Next) -> Response {
    if let Some(refusal) = admission.refusal(&request) {
        return refusal;
    }
    let (parts, body) = request.into_parts();
    let place = timeout(PATIENCE, Arc::clone(&admission.bodies).acquire_owned()).await;
    let Ok(Ok(place)) = place else {
        let mut busy = refuse(StatusCode::SERVICE_UNAVAILABLE, "too many requests are being read");
        busy.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
        return busy;
    };
    let read = if announced(&parts.headers) > admission.body_bytes as u64 {
        // A client reads the refusal only when it has sent what it wanted to.
        let _ = timeout(PATIENCE, discard(body)).await;
        drop(place);
        return too_large();
    } else {
        timeout(BODY, to_bytes(body, admission.body_bytes)).await
    };
    drop(place);
    match read {
        Ok(Ok(bytes)) => next.run(Request::from_parts(parts, Body::from(bytes))).await,
        Ok(Err(_)) => too_large(),
        Err(_) => refuse(StatusCode::REQUEST_TIMEOUT, "the body took too long"),
    }
}

/// Most bytes of a body that are read only to be dropped.
const DISCARDED: usize = 32 << 20;

async fn discard(mut body: Body) {
    let mut bytes = 0;
    while bytes < DISCARDED {
        match poll_fn(|context| Pin::new(&mut body).poll_frame(context)).await {
            Some(Ok(frame)) => bytes += frame.data_ref().map_or(0, |data| data.len()),
            _ => return,
        }
    }
}

/// Bytes that a request says its body has.
fn announced(headers: &HeaderMap) -> u64 {
    let length = headers.get(header::CONTENT_LENGTH).and_then(|length| length.to_str().ok());
    length.and_then(|length| length.parse().ok()).unwrap_or_default()
}

fn too_large() -> Response {
    refuse(StatusCode::PAYLOAD_TOO_LARGE, "the body is too large")
}

/// A refusal, after which nothing more is read from the connection.
fn refuse(status: StatusCode, message: &str) -> Response {
    let error = status.canonical_reason().unwrap_or_default().to_lowercase();
    let mut response =
        (status, Json(serde_json::json!({"error": error, "message": message}))).into_response();
    response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    response
}

/// The host of `host`, `host:port` or `[address]:port`, in lower case and without brackets.
fn host_of(authority: &str) -> Option<String> {
    let (host, port) = match authority.strip_prefix('[') {
        Some(rest) => {
            let (host, port) = rest.split_once(']')?;
            host.parse::<std::net::Ipv6Addr>().ok()?;
            (host, if port.is_empty() { None } else { Some(port.strip_prefix(':')?) })
        }
        None => match authority.split_once(':') {
            Some((host, port)) => (host, Some(port)),
            None => (authority, None),
        },
    };
    let name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | '_' | ':');
    let number = port.is_none_or(|port| port.is_empty() || port.parse::<u16>().is_ok());
    (number && !host.is_empty() && host.chars().all(name)).then(|| host.to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::host_of;

    #[test]
    fn hosts_are_read_as_a_whole() {
        assert_eq!(host_of("LocalHost:80").as_deref(), Some("localhost"));
        assert_eq!(host_of("[::1]:8000").as_deref(), Some("::1"));
        assert_eq!(host_of("127.0.0.1").as_deref(), Some("127.0.0.1"));
        for odd in [
            "[::1].evil",
            "[::1]evil",
            "[evil]",
            "localhost:80:80",
            "localhost:evil",
            "",
            "a b",
            "evil@localhost",
            "[::1",
        ] {
            assert_eq!(host_of(odd), None, "{odd}");
        }
    }
}
