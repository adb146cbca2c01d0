//! Pages in a browser, which follow the document: `render --watch --serve`.
//!
//! The server answers browsers of this machine only, and knows a handful of addresses. A browser waits for events
//! (`text/event-stream`) and loads the pages again when there are new ones.

use std::{
    convert::Infallible,
    io,
    net::SocketAddr,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

use axum::{
    Router,
    body::{Body, Bytes, HttpBody},
    extract::{Path, State},
    http::{StatusCode, header},
    response::{IntoResponse, Response},
    routing::get,
};
use hyper::body::Frame;
use serde_json::json;
use tokio::{sync::watch, time::timeout};

use crate::service::serve_pages;

/// Time after which an event stream shows that it is alive.
const HEARTBEAT: Duration = Duration::from_secs(15);

const SHELL: &str = include_str!("pages.html");
const SCRIPT: &str = include_str!("pages.js");

/// A server that shows pages.
#[derive(Debug)]
pub(super) struct PageServer {
    address: SocketAddr,
    shown: watch::Sender<Shown>,
}

#[derive(Debug, Default)]
struct Shown {
    version: u64,
    /// The pages as SVG; the last ones while the document has errors.
    pages: Vec<Arc<[u8]>>,
    has_errors: bool,
    /// The findings on the document, as the terminal shows them without colors; empty where there is nothing to say.
    report: String,
}

impl PageServer {
    /// Starts on a port of this machine; on any free one when it is 0.
    pub(super) fn start(port: u16) -> io::Result<Self> {
        let (shown, seen) = watch::channel(Shown::default());
        let text = |media_type: &'static str, text: &'static str| {
            get(move || async move { ([(header::CONTENT_TYPE, media_type)], text) })
        };
        let pages = Router::new()
            .route("/", text("text/html; charset=utf-8", SHELL))
            .route("/pages.js", text("text/javascript", SCRIPT))
            .route("/events", get(events))
            .route("/{page}", get(page))
            .with_state(seen);
        Ok(Self { address: serve_pages(port, pages)?, shown })
    }

    /// The address for a browser.
    pub(super) fn url(&self) -> String {
        format!("http://{}/", self.address)
    }

    /// Shows pages and a report; without any page, that the document has errors.
    pub(super) fn show(&self, pages: Vec<Arc<[u8]>>, report: String) {
        self.shown.send_modify(|shown| {
            shown.version += 1;
            shown.has_errors = pages.is_empty();
            shown.report = report;
            if !pages.is_empty() {
                shown.pages = pages;
            }
        });
    }
}

/// `/3.svg`
async fn page(Path(name): Path<String>, State(seen): State<watch::Receiver<Shown>>) -> Response {
    let number = name.strip_suffix(".svg").and_then(|number| number.parse::<usize>().ok());
    let index = number.and_then(|number| number.checked_sub(1));
    let page = index.and_then(|index| seen.borrow().pages.get(index).cloned());
    match page {
        Some(page) => ([(header::CONTENT_TYPE, "image/svg+xml")], Bytes::from_owner(page)).into_response(),
        None => StatusCode::NOT_FOUND.into_response(),
    }
}

/// Says what is shown, now and after every change.
async fn events(State(mut seen): State<watch::Receiver<Shown>>) -> Response {
    seen.mark_changed();
    let events = Events(Box::pin(next_event(seen)));
    ([(header::CONTENT_TYPE, "text/event-stream")], Body::new(events)).into_response()
}

/// The next event of a stream, and what the one after it follows from.
type NextEvent = Pin<Box<dyn Future<Output = (watch::Receiver<Shown>, String)> + Send>>;

/// An event stream.
struct Events(NextEvent);

async fn next_event(mut seen: watch::Receiver<Shown>) -> (watch::Receiver<Shown>, String) {
    let changed = timeout(HEARTBEAT, seen.changed()).await.is_ok();
    let event = if changed {
        let Shown { version, pages, has_errors, report } = &*seen.borrow_and_update();
        let data = json!({"version": version, "pages": pages.len(), "errors": has_errors, "report": report});
        format!("data: {data}\n\n")
    } else {
        ":\n\n".to_owned()
    };
    (seen, event)
}

impl HttpBody for Events {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        self.0.as_mut().poll(context).map(|(seen, event)| {
            // The sender is gone when the program ends.
            let is_open = seen.has_changed().is_ok();
            self.0 = Box::pin(next_event(seen));
            is_open.then(|| Ok(Frame::data(event.into())))
        })
    }
}

#[cfg(test)]
mod tests {
    use std::{
        io::{BufRead, BufReader, Read as _, Write as _},
        net::TcpStream,
    };

    use super::*;

    fn open(server: &PageServer, path: &str, headers: &str) -> TcpStream {
        let mut stream = TcpStream::connect(server.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_mins(1))).unwrap();
        // In one piece: a request that is refused may be answered before its end.
        let request = format!("GET {path} HTTP/1.1\r\nConnection: close\r\n{headers}\r\n");
        stream.write_all(request.as_bytes()).unwrap();
        stream
    }

    fn get_with(server: &PageServer, path: &str, headers: &str) -> String {
        let mut answer = String::new();
        open(server, path, headers).read_to_string(&mut answer).unwrap();
        answer
    }

    fn get(server: &PageServer, path: &str) -> String {
        get_with(server, path, &format!("Host: {}\r\n", server.address))
    }

    fn status(answer: &str) -> &str {
        answer.split(' ').nth(1).unwrap_or_default()
    }

    #[test]
    fn pages_are_shown_to_this_machine_only() {
        let server = PageServer::start(0).unwrap();
        assert!(server.address.ip().is_loopback());
        assert!(get(&server, "/").contains("pages.js"));
        assert_eq!(status(&get(&server, "/1.svg")), "404");
        server.show(vec![b"<svg>1</svg>".as_slice().into()], String::new());
        assert!(get(&server, "/1.svg?version=1").ends_with("<svg>1</svg>"));
        for path in ["/2.svg", "/0.svg", "/../etc/passwd", "/x", "/+1.svg/"] {
            assert_eq!(status(&get(&server, path)), "404", "{path}");
        }
        // Without pages, the last ones stay.
        server.show(Vec::new(), String::new());
        assert!(get(&server, "/1.svg").ends_with("<svg>1</svg>"));
    }

    #[test]
    fn pages_of_other_sites_load_nothing() {
        let server = PageServer::start(0).unwrap();
        server.show(vec![b"<svg>1</svg>".as_slice().into()], String::new());
        let own = format!("Host: {}\r\n", server.address);
        for headers in [
            "Host: evil.example\r\n".to_owned(),
            format!("{own}Host: evil.example\r\n"),
            format!("{own}Origin: https://evil.example\r\n"),
            format!("{own}Sec-Fetch-Site: cross-site\r\n"),
            format!(
                "{own}Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: iframe\r\n"
            ),
        ] {
            for path in ["/", "/1.svg", "/events", "/pages.js"] {
                let answer = get_with(&server, path, &headers);
                assert!(matches!(status(&answer), "400" | "403"), "{headers:?} {path}: {answer}");
            }
        }
        let link = format!(
            "{own}Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: document\r\n"
        );
        assert_eq!(status(&get_with(&server, "/", &link)), "200");
        assert_eq!(status(&get_with(&server, "/1.svg", &link)), "403");
        assert_eq!(
            status(&get_with(&server, "/1.svg", &format!("{own}Sec-Fetch-Site: same-origin\r\n"))),
            "200"
        );
        for path in ["/", "/1.svg", "/nothing"] {
            let answer = get(&server, path);
            for expected in [
                "frame-ancestors 'none'",
                "x-frame-options: DENY\r\n",
                "cross-origin-resource-policy: same-origin\r\n",
                "x-content-type-options: nosniff\r\n",
            ] {
                assert!(answer.contains(expected), "{path}: {answer}");
            }
        }
        assert_eq!(status(&get(&server, "/1.svg#x")), "400", "a fragment");
    }

    #[test]
    fn slow_clients_and_open_streams_keep_no_one_out() {
        let server = PageServer::start(0).unwrap();
        let own = format!("Host: {}\r\n", server.address);
        let mut held = Vec::new();
        for _ in 0..80 {
            held.push(open(&server, "/events", &own));
            let mut slow = TcpStream::connect(server.address).unwrap();
            slow.write_all(b"GET / HT").unwrap();
            held.push(slow);
        }
        assert!(get(&server, "/").contains("pages.js"));
    }

    #[test]
    fn events_say_what_is_shown() {
        let server = PageServer::start(0).unwrap();
        let stream = open(&server, "/events", &format!("Host: {}\r\n", server.address));
        let mut lines =
            BufReader::new(stream).lines().map_while(Result::ok).filter(|line| line.starts_with("data"));
        let mut next = || -> serde_json::Value {
            serde_json::from_str(lines.next().unwrap().trim_start_matches("data: ")).unwrap()
        };
        assert_eq!(next(), json!({"version": 0, "pages": 0, "errors": false, "report": ""}));
        server.show(vec![b"1".as_slice().into(), b"2".as_slice().into()], "a\nb \"c\" <d>".to_owned());
        assert_eq!(next(), json!({"version": 1, "pages": 2, "errors": false, "report": "a\nb \"c\" <d>"}));
        server.show(Vec::new(), "gone".to_owned());
        assert_eq!(next(), json!({"version": 2, "pages": 2, "errors": true, "report": "gone"}));
    }
}
