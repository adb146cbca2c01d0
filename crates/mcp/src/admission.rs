//! What is asked of an HTTP request before its call: one host that is allowed, one origin at most, a body that
//! is neither too large nor too slow.

use std::{future::poll_fn, pin::Pin, sync::Arc, time::Duration};

use axum::{
    Json,
    body::{Body, HttpBody},
    extract::{Request, State},
    http::{HeaderMap, HeaderValue, StatusCode, header},
    middleware::Next,
    response::{IntoResponse, Response},
};
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore},
    time::timeout,
};

use super::{connections::Worker, refusals::Reason};

/// Largest body that is read at once: all connections together can send no more than memory has room for.
const SMALL: u64 = 64 * 1024;

/// Most KiB of larger bodies that requests hold at a time until they are answered: those of others wait unread. A body holds
/// nothing until [`SMALL`] bytes of it have come, so that those that never come keep no one waiting.
const HELD: usize = 96 * 1024;

/// How long a client may take to send a body.
const BODY: Duration = Duration::from_secs(15);

/// How long a client may take to send the next part of a body.
const PART: Duration = Duration::from_secs(5);

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

    /// Waits until there is memory for as many bytes of a body, besides what is held for it already; nothing is held for a
    /// small one.
    async fn hold(&self, bytes: u64, held: &mut Option<OwnedSemaphorePermit>) -> Result<(), Unread> {
        let more = kib(bytes).saturating_sub(held.as_ref().map_or(0, |held| held.num_permits() as u32));
        if bytes <= SMALL || more == 0 {
            return Ok(());
        }
        let waiting = timeout(PATIENCE, Arc::clone(&self.held).acquire_many_owned(more)).await;
        let more = waiting.ok().and_then(Result::ok).ok_or(Unread::Busy)?;
        match held {
            Some(held) => held.merge(more),
            None => *held = Some(more),
        }
        Ok(())
    }

    /// Reads a body, and what is held for it. One whose length is announced holds all of it once it is more than small, so
    /// that it need not wait in its middle.
    async fn read(
        &self,
        mut body: Body,
        announced: Option<u64>,
    ) -> Result<(Vec<u8>, Option<OwnedSemaphorePermit>), Unread> {
        let (mut bytes, mut held) = (Vec::new(), None);
        loop {
            let part = poll_fn(|context| Pin::new(&mut body).poll_frame(context));
            let Some(part) = timeout(PART, part).await.map_err(|_| Unread::Slow)? else {
                return Ok((bytes, held));
            };
            let Ok(data) = part.map_err(|_| Unread::Broken)?.into_data() else { continue };
            let total = bytes.len() + data.len();
            if total > self.body_bytes {
                return Err(Unread::TooLarge);
            }
            if total as u64 > SMALL {
                self.hold(announced.unwrap_or_default().max(total as u64), &mut held).await?;
            }
            bytes.extend_from_slice(&data);
        }
    }
}

/// Why a body was not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Unread {
    /// There is no memory for another body.
    Busy,
    /// It did not come in time.
    Slow,
    TooLarge,
    /// It ended before its end.
    Broken,
}

impl IntoResponse for Unread {
    fn into_response(self) -> Response {
        match self {
            Self::Busy => {
                let mut busy = refuse(StatusCode::SERVICE_UNAVAILABLE, "too many requests are being read");
                busy.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
                busy
            }
            Self::Slow => refuse(StatusCode::REQUEST_TIMEOUT, "the body took too long"),
            Self::TooLarge => refuse(StatusCode::PAYLOAD_TOO_LARGE, "the body is too large"),
            Self::Broken => refuse(StatusCode::BAD_REQUEST, "the body is not complete"),
        }
    }
}

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
        return Unread::TooLarge.into_response();
    }
    let read = timeout(BODY, admission.read(body, announced)).await;
    match read.unwrap_or(Err(Unread::Slow)) {
        Ok((bytes, _held)) => {
            let _work = parts.extensions.get::<Worker>().cloned().map(Worker::work);
            next.run(Request::from_parts(parts, Body::from(bytes))).await
        }
        Err(unread) => unread.into_response(),
    }
}

/// Lets a request through that a page of an allowed origin sends, or none: an origin is written as browsers send it, and may end
/// with `:*` for any port.
pub(super) async fn from_allowed_origin(
    State(allowed): State<Arc<[String]>>,
    request: Request,
    next: Next,
) -> Response {
    let Some(origin) = request.headers().get(header::ORIGIN) else { return next.run(request).await };
    let is_one = |origin: &str| {
        allowed.iter().any(|allowed| match allowed.strip_suffix(":*") {
            Some(site) => origin
                .rsplit_once(':')
                .is_some_and(|(own, port)| own.eq_ignore_ascii_case(site) && port.parse::<u16>().is_ok()),
            None => origin.eq_ignore_ascii_case(allowed),
        })
    };
    if origin.to_str().is_ok_and(is_one) {
        return next.run(request).await;
    }
    Reason::Origin.log();
    refuse(StatusCode::FORBIDDEN, "this origin is not allowed")
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
    use std::{
        convert::Infallible,
        task::{Context, Poll},
    };

    use axum::body::Bytes;
    use hyper::body::Frame;

    use super::*;

    #[tokio::test]
    async fn large_bodies_wait_for_memory_and_small_ones_do_not() {
        let admission = Admission::new(&[], 1 << 20);
        let mut all = Vec::new();
        for _ in 0..HELD / 1024 {
            let mut held = None;
            admission.hold(1 << 20, &mut held).await.unwrap();
            all.push(held.expect("it is held"));
        }
        let mut held = None;
        assert!(
            timeout(Duration::from_millis(20), admission.hold(1 << 20, &mut held)).await.is_err(),
            "it waits"
        );
        admission.hold(SMALL, &mut held).await.unwrap();
        assert!(held.is_none());
        all.pop();
        admission.hold(1 << 20, &mut held).await.unwrap();
    }

    /// A body that has begun, and of which no more comes.
    struct Endless(Option<Bytes>);

    impl HttpBody for Endless {
        type Data = Bytes;
        type Error = Infallible;

        fn poll_frame(
            mut self: Pin<&mut Self>,
            _: &mut Context<'_>,
        ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
            self.0.take().map_or(Poll::Pending, |bytes| Poll::Ready(Some(Ok(Frame::data(bytes)))))
        }
    }

    #[tokio::test]
    async fn bodies_that_never_come_hold_nothing() {
        let admission = Admission::new(&[], 4 << 20);
        for (announced, begun) in [(None, 0), (Some(3 << 20), 0), (Some(3 << 20), SMALL), (None, SMALL)] {
            let reads: Vec<_> = (0..40)
                .map(|_| {
                    let (admission, begun) = (admission.clone(), vec![b' '; begun as usize]);
                    let body = Body::new(Endless(Some(begun.into())));
                    tokio::spawn(async move { admission.read(body, announced).await.err() })
                })
                .collect();
            tokio::task::yield_now().await;
            let large = Body::from(vec![b' '; 4 << 20]);
            let read = timeout(PATIENCE, admission.read(large, Some(4 << 20)));
            let (bytes, held) = read.await.expect("it does not wait").unwrap();
            assert!(bytes.len() == 4 << 20 && held.is_some());
            drop(held);
            assert_eq!(admission.held.available_permits(), HELD);
            reads.iter().for_each(tokio::task::JoinHandle::abort);
        }
    }

    #[tokio::test]
    async fn a_body_without_a_length_is_limited() {
        let admission = Admission::new(&[], 1 << 20);
        let read = |bytes: usize| admission.read(Body::from(vec![b' '; bytes]), None);
        let (bytes, held) = read(1 << 20).await.unwrap();
        assert_eq!((bytes.len(), held.unwrap().num_permits()), (1 << 20, 1024));
        assert_eq!(read((1 << 20) + 1).await.unwrap_err(), Unread::TooLarge);
    }

    #[test]
    fn a_body_in_chunks_has_no_length() {
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
