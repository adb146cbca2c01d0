//! Requests over HTTP have ids, in the log and in their answers, and those that fail are counted.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::{Instant, SystemTime, UNIX_EPOCH},
};

use axum::{
    extract::{Request, State},
    http::{HeaderMap, HeaderName, HeaderValue},
    middleware::Next,
    response::Response,
};

use super::metrics::Metrics;
use crate::budget::Lazy;

/// The header that has the id.
const HEADER: HeaderName = HeaderName::from_static("x-request-id");

/// Most characters of an id that a client chooses.
const LONGEST: usize = 64;

/// The id of a request: the client's own, or a new one.
#[derive(Debug, Clone)]
pub(super) struct RequestId(Arc<str>);

impl RequestId {
    fn of(headers: &HeaderMap) -> Self {
        let own = headers.get(HEADER).and_then(|id| id.to_str().ok()).filter(|id| is_id(id));
        Self(own.map_or_else(new_id, Arc::from))
    }

    pub(super) fn as_str(&self) -> &str {
        &self.0
    }
}

fn is_id(text: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    (1..=LONGEST).contains(&text.len()) && text.bytes().all(allowed)
}

/// An id that this process has not used, and no other one is likely to have used.
fn new_id() -> Arc<str> {
    static STARTED: Lazy<u128> =
        Lazy::new(|| SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_micros()));
    static NEXT: AtomicU64 = AtomicU64::new(1);
    Arc::from(format!("{:x}-{}", *STARTED, NEXT.fetch_add(1, Ordering::Relaxed)))
}

/// Gives a request its id, and logs how it ended.
pub(super) async fn identify(
    State(metrics): State<Arc<Metrics>>,
    mut request: Request,
    next: Next,
) -> Response {
    let id = RequestId::of(request.headers());
    let (method, path) = (request.method().clone(), request.uri().path().to_owned());
    request.extensions_mut().insert(id.clone());
    let started = Instant::now();
    let mut response = next.run(request).await;
    let status = response.status().as_u16();
    if status >= 400 {
        metrics.http_error(status);
    }
    let micros = u64::try_from(started.elapsed().as_micros()).unwrap_or(u64::MAX);
    tracing::info!(request_id = id.as_str(), %method, path, status, micros, "request");
    if let Ok(value) = HeaderValue::from_str(id.as_str()) {
        response.headers_mut().insert(HEADER, value);
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_may_choose_an_id_that_logs_can_show() {
        let of = |value: &'static str| {
            let mut headers = HeaderMap::new();
            headers.insert(HEADER, HeaderValue::from_static(value));
            RequestId::of(&headers).as_str().to_owned()
        };
        assert_eq!(of("trace-1.a_B"), "trace-1.a_B");
        for odd in ["", "a b", "a\"b", "{}"] {
            assert_ne!(of(odd), odd);
        }
        assert_ne!(new_id(), new_id());
    }
}
