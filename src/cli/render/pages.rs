//! Pages in a browser, which follow the document: `render --watch --serve`.
//!
//! The server answers programs of this machine only, knows a handful of addresses, and reads nothing but the head of a
//! request. A browser waits for events (`text/event-stream`) and loads the pages again when there are new ones.

use std::{
    fmt::Write as _,
    io::{self, BufRead, BufReader, Read as _, Write as _},
    net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream},
    sync::{
        Arc, Condvar, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::Duration,
};

/// Most connections at a time.
const MOST_CONNECTIONS: usize = 16;

/// Most bytes of the head of a request.
const MOST_HEAD: u64 = 8 * 1024;

/// Longest time of reading a request, and of writing to a client that does not read.
const PATIENCE: Duration = Duration::from_secs(5);

/// Time after which an event stream shows that it is alive.
const HEARTBEAT: Duration = Duration::from_secs(15);

const SHELL: &str = include_str!("pages.html");
const SCRIPT: &str = include_str!("pages.js");

/// What browsers may do with the shell: load its script and the pages from here, and nothing else.
const POLICY: &str =
    "default-src 'none'; script-src 'self'; style-src 'unsafe-inline'; img-src 'self'; connect-src 'self'";

/// A server that shows pages.
#[derive(Debug)]
pub(super) struct PageServer {
    address: SocketAddr,
    shared: Arc<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    shown: Mutex<Shown>,
    changed: Condvar,
    connections: AtomicUsize,
}

#[derive(Debug, Default)]
struct Shown {
    version: u64,
    /// The pages as SVG; the last ones while the document has errors.
    pages: Vec<Arc<[u8]>>,
    has_errors: bool,
}

impl Shared {
    fn shown(&self) -> MutexGuard<'_, Shown> {
        self.shown.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl PageServer {
    /// Starts on a port of this machine; on any free one when it is 0.
    pub(super) fn start(port: u16) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
        let address = listener.local_addr()?;
        let shared = Arc::new(Shared::default());
        let serving = Arc::clone(&shared);
        let serve = move || {
            for stream in listener.incoming().flatten() {
                let connection = Connection::of(&serving, address);
                let Some(connection) = connection else { continue };
                let answer = move || connection.answer(stream);
                let _ = thread::Builder::new().name("pages".to_owned()).spawn(answer);
            }
        };
        thread::Builder::new().name("pages".to_owned()).spawn(serve)?;
        Ok(Self { address, shared })
    }

    /// The address for a browser.
    pub(super) fn url(&self) -> String {
        format!("http://{}/", self.address)
    }

    /// Shows pages; without any, that the document has errors.
    pub(super) fn show(&self, pages: Vec<Arc<[u8]>>) {
        let mut shown = self.shared.shown();
        shown.version += 1;
        shown.has_errors = pages.is_empty();
        if !pages.is_empty() {
            shown.pages = pages;
        }
        self.shared.changed.notify_all();
    }
}

/// One of the connections that there may be.
struct Connection {
    shared: Arc<Shared>,
    address: SocketAddr,
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.shared.connections.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Connection {
    /// Nothing when there are as many as there may be.
    fn of(shared: &Arc<Shared>, address: SocketAddr) -> Option<Self> {
        let before = shared.connections.fetch_add(1, Ordering::Relaxed);
        let connection = Self { shared: Arc::clone(shared), address };
        (before < MOST_CONNECTIONS).then_some(connection)
    }

    /// A client that goes away ends the connection.
    fn answer(&self, mut stream: TcpStream) {
        let _ = stream.set_read_timeout(Some(PATIENCE));
        let _ = stream.set_write_timeout(Some(PATIENCE));
        let Ok(path) = self.requested(&stream) else {
            let _ = respond(&mut stream, "400 Bad Request", "text/plain", b"");
            return;
        };
        let path = path.split('?').next().unwrap_or_default();
        let _ = match path {
            "/" => respond(&mut stream, "200 OK", "text/html; charset=utf-8", SHELL.as_bytes()),
            "/pages.js" => respond(&mut stream, "200 OK", "text/javascript", SCRIPT.as_bytes()),
            "/events" => self.events(&mut stream),
            _ => match self.page(path) {
                Some(page) => respond(&mut stream, "200 OK", "image/svg+xml", &page),
                None => respond(&mut stream, "404 Not Found", "text/plain", b""),
            },
        };
    }

    /// The path of a request. Other hosts are those of web sites that lead their names here.
    fn requested(&self, stream: &TcpStream) -> io::Result<String> {
        let mut lines = BufReader::new(stream.take(MOST_HEAD)).lines();
        let wrong = || io::Error::from(io::ErrorKind::InvalidData);
        let first = lines.next().ok_or_else(wrong)??;
        let path = first.strip_prefix("GET ").and_then(|rest| rest.split(' ').next()).ok_or_else(wrong)?;
        let own = [self.address.to_string(), format!("localhost:{}", self.address.port())];
        for line in lines {
            let line = line?;
            match line.split_once(':') {
                Some((name, host)) if name.eq_ignore_ascii_case("host") => {
                    return if own.iter().any(|own| own == host.trim()) {
                        Ok(path.to_owned())
                    } else {
                        Err(wrong())
                    };
                }
                _ if line.is_empty() => break,
                _ => {}
            }
        }
        Err(wrong())
    }

    /// `/3.svg`
    fn page(&self, path: &str) -> Option<Arc<[u8]>> {
        let number: usize = path.strip_prefix('/')?.strip_suffix(".svg")?.parse().ok()?;
        self.shared.shown().pages.get(number.checked_sub(1)?).cloned()
    }

    /// Says what is shown, now and after every change.
    fn events(&self, stream: &mut TcpStream) -> io::Result<()> {
        stream.write_all(
            b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: no-store\r\nConnection: close\r\n\r\n",
        )?;
        let mut last = None;
        loop {
            let mut event = String::new();
            {
                let mut shown = self.shared.shown();
                if last == Some(shown.version) {
                    let waited = self.shared.changed.wait_timeout(shown, HEARTBEAT);
                    shown = waited.unwrap_or_else(PoisonError::into_inner).0;
                }
                if last == Some(shown.version) {
                    event.push_str(":\n\n");
                } else {
                    last = Some(shown.version);
                    let (version, pages, errors) = (shown.version, shown.pages.len(), shown.has_errors);
                    let _ = write!(
                        event,
                        "data: {{\"version\":{version},\"pages\":{pages},\"errors\":{errors}}}\n\n"
                    );
                }
            }
            stream.write_all(event.as_bytes())?;
        }
    }
}

fn respond(stream: &mut TcpStream, status: &str, media_type: &str, body: &[u8]) -> io::Result<()> {
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: {media_type}\r\nContent-Length: {}\r\nContent-Security-Policy: {POLICY}\r\n\
         X-Content-Type-Options: nosniff\r\nCache-Control: no-store\r\nConnection: close\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes())?;
    stream.write_all(body)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn get(server: &PageServer, path: &str, host: &str) -> String {
        let mut stream = TcpStream::connect(server.address).unwrap();
        write!(stream, "GET {path} HTTP/1.1\r\nHost: {host}\r\n\r\n").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }

    #[test]
    fn pages_are_shown_to_this_machine_only() {
        let server = PageServer::start(0).unwrap();
        let host = server.address.to_string();
        assert!(server.address.ip().is_loopback());
        assert!(get(&server, "/", &host).contains("pages.js"));
        assert!(get(&server, "/1.svg", &host).starts_with("HTTP/1.1 404"));
        server.show(vec![b"<svg>1</svg>".as_slice().into()]);
        assert!(get(&server, "/1.svg?version=1", &host).ends_with("<svg>1</svg>"));
        for path in ["/2.svg", "/0.svg", "/../etc/passwd", "/x"] {
            assert!(get(&server, path, &host).starts_with("HTTP/1.1 404"), "{path}");
        }
        assert!(get(&server, "/1.svg", "evil.example").starts_with("HTTP/1.1 400"));
        // Without pages, the last ones stay.
        server.show(Vec::new());
        assert!(get(&server, "/1.svg", &host).ends_with("<svg>1</svg>"));
    }

    #[test]
    fn events_say_what_is_shown() {
        let server = PageServer::start(0).unwrap();
        let mut stream = TcpStream::connect(server.address).unwrap();
        write!(stream, "GET /events HTTP/1.1\r\nHost: {}\r\n\r\n", server.address).unwrap();
        let mut lines =
            BufReader::new(stream).lines().map_while(Result::ok).filter(|line| line.starts_with("data"));
        assert_eq!(lines.next().unwrap(), r#"data: {"version":0,"pages":0,"errors":false}"#);
        server.show(vec![b"1".as_slice().into(), b"2".as_slice().into()]);
        assert_eq!(lines.next().unwrap(), r#"data: {"version":1,"pages":2,"errors":false}"#);
        server.show(Vec::new());
        assert_eq!(lines.next().unwrap(), r#"data: {"version":2,"pages":2,"errors":true}"#);
    }
}
