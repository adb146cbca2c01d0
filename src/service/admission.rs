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
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore},
    time::timeout,
};

use super::refusals::Reason;

/// Largest body that is read at once: all connections together can send no more than memory has room for.
const SMALL: u64 = 64 * 1024;

/// Most KiB of larger bodies that requests hold at a time, from their first byte until they are answered: those of
/// others wait unread.
const HELD: usize = 96 * 1024;

/// How long a client may take to send a body.
const BODY: Duration = Duration::from_secs(15);

/// How long a request waits until its body may be read.
const PATIENCE: Duration = Duration::from_secs(5);

/// What requests have to keep.
#[derive(Debug, Clone)]
pub(super) struct Admission {
    hosts: Arc<[String]>,
    body_bytes: usize,
    /// KiB that larger bodies may still take.
    held: Arc<Semaphore>,
}

impl Admission {
    /// `hosts` are the names that a request may be for, in lower case and without a port.
    pub(super) fn new(hosts: &[String], body_bytes: usize) -> Self {
        let hosts = hosts.iter().map(|host| host.trim_matches(['[', ']']).to_ascii_lowercase()).collect();
        // The largest body must fit.
        let held = HELD.max(body_bytes / 1024 + 1);
        Self { hosts, body_bytes, held: Arc::new(Semaphore::new(held)) }
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
            Reason::Host.log();
            return Some(refuse(StatusCode::FORBIDDEN, "this host is not allowed"));
        }
        None
    }

    /// Waits until there is memory for a body of this size; nothing is held for a small one.
    async fn hold(&self, bytes: u64) -> Result<Option<OwnedSemaphorePermit>, Busy> {
        if bytes <= SMALL {
            return Ok(None);
        }
        let held = timeout(PATIENCE, Arc::clone(&self.held).acquire_many_owned(kib(bytes))).await;
        held.ok().and_then(Result::ok).map(Some).ok_or(Busy)
    }
}

/// There is no memory for another body.
struct Busy;

/// Bytes in KiB, rounded up.
fn kib(bytes: u64) -> u32 {
    u32::try_from(bytes.div_ceil(1024)).unwrap_or(u32::MAX)
}

/// Lets a request through with its whole body.
pub(super) async fn admit(State(admission): State<Admission>, request: Request, next: Next) -> Response {
    if let Some(refusal) = admission.refusal(&request) {
        return refusal;
    }
    let (parts, body) = request.into_parts();
    let announced = announced(&parts.headers);
    if announced.is_some_and(|bytes| bytes > admission.body_bytes as u64) {
        // A client reads the refusal only when it has sent what it wanted to.
        let _ = timeout(PATIENCE, discard(body)).await;
        return too_large();
    }
    let Ok(mut held) = admission.hold(announced.unwrap_or(admission.body_bytes as u64)).await else {
        let mut busy = refuse(StatusCode::SERVICE_UNAVAILABLE, "too many requests are being read");
        busy.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
        return busy;
    };
    match timeout(BODY, to_bytes(body, admission.body_bytes)).await {
        Ok(Ok(bytes)) => {
            if let Some(held) = &mut held {
                // What was held for a body without a length, and is not needed.
                let surplus = held.num_permits().saturating_sub(kib(bytes.len() as u64) as usize);
                drop(held.split(surplus));
            }
            let response = next.run(Request::from_parts(parts, Body::from(bytes))).await;
            drop(held);
            response
        }
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

/// Bytes that a request says its body has; nothing for a body in chunks.
fn announced(headers: &HeaderMap) -> Option<u64> {
    if headers.contains_key(header::TRANSFER_ENCODING) {
        return None;
    }
    let length = headers.get(header::CONTENT_LENGTH).and_then(|length| length.to_str().ok());
    Some(length.and_then(|length| length.parse().ok()).unwrap_or_default())
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
    use super::*;

    #[tokio::test]
    async fn large_bodies_wait_for_memory_and_small_ones_do_not() {
        let admission = Admission::new(&[], 1 << 20);
        let mut held = Vec::new();
        for _ in 0..HELD / 1024 {
            held.push(admission.hold(1 << 20).await.ok().flatten().expect("it is held"));
        }
        assert!(timeout(Duration::from_millis(20), admission.hold(1 << 20)).await.is_err(), "it waits");
        assert!(admission.hold(SMALL).await.is_ok_and(|held| held.is_none()));
        held.pop();
        assert!(admission.hold(1 << 20).await.is_ok());
    }

    #[test]
    fn a_body_without_a_length_counts_as_the_largest() {
        let mut headers = HeaderMap::new();
        assert_eq!(announced(&headers), Some(0));
        headers.insert(header::CONTENT_LENGTH, HeaderValue::from_static("7"));
        assert_eq!(announced(&headers), Some(7));
        headers.insert(header::TRANSFER_ENCODING, HeaderValue::from_static("chunked"));
        assert_eq!(announced(&headers), None);
    }

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
