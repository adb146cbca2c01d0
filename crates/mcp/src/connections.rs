//! Connections of HTTP clients: how many there may be, and how long they may take.
//!
//! A connection on which no request is being answered waits for its client. Where there are as many as there may be, a new one
//! takes the place of the one that has waited longest: clients that only hold connections keep no one out.

use std::{
    collections::HashMap,
    io,
    net::IpAddr,
    pin::{Pin, pin},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll, ready},
    time::Duration,
};

use axum::{
    Extension, Router,
    extract::Request,
    middleware::{self, Next},
    response::Response,
};
use hyper::server::conn::http1;
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    service::TowerToHyperService,
};
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    net::{TcpListener, TcpStream},
    task::JoinSet,
    time::{Instant, Sleep, sleep},
};
use tokio_util::sync::CancellationToken;

use super::places::ConnectionId;

/// What connections may take.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bounds {
    /// Most connections at a time; a process may usually open 1024 files.
    pub(super) all: usize,
    /// Most connections of one address.
    pub(super) of_address: usize,
    /// How long a client may take to send the head of a request, also the next one of its connection.
    pub(super) head: Duration,
    /// How long a client may leave what is sent to it unread.
    pub(super) unread: Duration,
}

impl Default for Bounds {
    fn default() -> Self {
        Self { all: 512, of_address: 256, head: Duration::from_secs(10), unread: Duration::from_secs(20) }
    }
}

/// Most bytes of a request that are read ahead, and so of the head of one.
const READ_AHEAD: usize = 128 * 1024;

/// How long to wait after a connection could not be accepted, for want of files or memory.
const PAUSE: Duration = Duration::from_millis(50);

/// Accepts connections until `stop` is canceled, then ends when the requests under way have their answers.
pub(super) async fn accept(
    listener: TcpListener,
    router: Router,
    stop: CancellationToken,
    bounds: Bounds,
) -> io::Result<()> {
    let open = Open::new(bounds);
    let mut tasks = JoinSet::new();
    let mut connections = 0;
    loop {
        let accepted = tokio::select! {
            () = stop.cancelled() => break,
            Some(_) = tasks.join_next(), if !tasks.is_empty() => continue,
            accepted = listener.accept() => accepted,
        };
        let Ok((stream, peer)) = accepted else {
            open.lock().close_one(None);
            tokio::time::sleep(PAUSE).await;
            continue;
        };
        connections += 1;
        // Closed at once where every connection of the client is at work.
        let Some(place) = open.enter(ConnectionId(connections), peer.ip()) else { continue };
        tasks.spawn(serve(stream, router.clone(), place, stop.clone()));
    }
    drop(listener);
    while tasks.join_next().await.is_some() {}
    Ok(())
}

/// Answers the requests of a connection until it is closed.
async fn serve(stream: TcpStream, router: Router, place: Place, stop: CancellationToken) {
    let bounds = place.open.bounds;
    let begins = Arc::new(AtomicBool::new(true));
    let stream =
        Watched { stream, unread: bounds.unread, blocked: None, begins: Arc::clone(&begins), in_line: false };
    let worker = Worker { open: place.open.clone(), id: place.id, begins };
    let router =
        router.layer(Extension(place.id)).layer(middleware::from_fn(note_answered)).layer(Extension(worker));
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(bounds.head)
        .max_buf_size(READ_AHEAD)
        .serve_connection(TokioIo::new(stream), TowerToHyperService::new(router));
    let mut connection = pin!(connection);
    // What a client does wrong on its connection does not affect other clients.
    tokio::select! {
        _ = connection.as_mut() => {}
        () = place.close.cancelled() => {}
        () = stop.cancelled() => {
            connection.as_mut().graceful_shutdown();
            let _ = connection.await;
        }
    }
}

/// The request of a connection that is being answered.
#[derive(Debug, Clone)]
pub(super) struct Worker {
    open: Open,
    id: ConnectionId,
    /// Whether the next bytes of the connection begin a request.
    begins: Arc<AtomicBool>,
}

/// The connection does not wait for its client until this is dropped.
pub(super) struct Work(Worker);

impl Worker {
    /// To be called when the whole request is read.
    pub(super) fn work(self) -> Work {
        self.set_waits(false);
        Work(self)
    }

    fn set_waits(&self, waits: bool) {
        if let Some(entry) = self.open.lock().entries.get_mut(&self.id) {
            entry.waits_since = waits.then(Instant::now);
        }
    }
}

impl Drop for Work {
    fn drop(&mut self) {
        self.0.set_waits(true);
    }
}

async fn note_answered(Extension(worker): Extension<Worker>, request: Request, next: Next) -> Response {
    let response = next.run(request).await;
    worker.begins.store(true, Ordering::Relaxed);
    response
}

/// The open connections.
#[derive(Debug, Clone)]
struct Open {
    bounds: Bounds,
    entries: Arc<Mutex<Entries>>,
}

#[derive(Debug, Default)]
struct Entries {
    entries: HashMap<ConnectionId, Entry>,
}

#[derive(Debug)]
struct Entry {
    address: IpAddr,
    close: CancellationToken,
    /// Since when it has waited for its client, if it does.
    waits_since: Option<Instant>,
}

/// A connection that is counted.
struct Place {
    open: Open,
    id: ConnectionId,
    close: CancellationToken,
}

impl Open {
    fn new(bounds: Bounds) -> Self {
        Self { bounds, entries: Arc::default() }
    }

    fn lock(&self) -> MutexGuard<'_, Entries> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts a connection, and closes another one for it where there are as many as there may be.
    fn enter(&self, id: ConnectionId, address: IpAddr) -> Option<Place> {
        let mut open = self.lock();
        let own = open.entries.values().filter(|entry| entry.address == address).count();
        let has_room = if own >= self.bounds.of_address {
            open.close_one(Some(address))
        } else {
            open.entries.len() < self.bounds.all || open.close_one(None)
        };
        if !has_room {
            return None;
        }
        let close = CancellationToken::new();
        let entry = Entry { address, close: close.clone(), waits_since: Some(Instant::now()) };
        open.entries.insert(id, entry);
        Some(Place { open: self.clone(), id, close })
    }
}

impl Entries {
    /// Closes the connection of an address that has waited longest for its client: of the address with the most waiting
    /// connections where none is given. Whether there was one.
    fn close_one(&mut self, address: Option<IpAddr>) -> bool {
        let waiting =
            || self.entries.iter().filter_map(|(id, entry)| Some((id, entry.address, entry.waits_since?)));
        let address = address.or_else(|| {
            let mut counts: HashMap<IpAddr, usize> = HashMap::new();
            waiting().for_each(|(_, address, _)| *counts.entry(address).or_default() += 1);
            counts.into_iter().max_by_key(|(_, count)| *count).map(|(address, _)| address)
        });
        let of_address = waiting().filter(|(_, own, _)| Some(*own) == address);
        // Connections that wait since the same moment are closed in the order in which they came.
        let Some(id) = of_address.min_by_key(|(id, _, since)| (*since, id.0)).map(|(id, ..)| *id) else {
            return false;
        };
        if let Some(entry) = self.entries.remove(&id) {
            entry.close.cancel();
        }
        true
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.open.lock().entries.remove(&self.id);
    }
}

/// A stream that fails when the client does not read, and that does not let fragments through: a request for `/mcp#x` would be
/// read as one for `/mcp`, and another program on its way may have read it otherwise.
struct Watched {
    stream: TcpStream,
    unread: Duration,
    /// Ends when the client has read nothing for too long.
    blocked: Option<Pin<Box<Sleep>>>,
    begins: Arc<AtomicBool>,
    /// Whether the first line of a request has begun.
    in_line: bool,
}

impl Watched {
    fn written<T>(&mut self, context: &mut Context<'_>, polled: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        if polled.is_ready() {
            self.blocked = None;
            return polled;
        }
        let unread = self.unread;
        let blocked = self.blocked.get_or_insert_with(|| Box::pin(sleep(unread)));
        blocked.as_mut().poll(context).map(|()| Err(io::ErrorKind::TimedOut.into()))
    }

    /// Makes the first line of a request invalid where it has a fragment.
    fn check_line(&mut self, bytes: &mut [u8]) {
        for byte in bytes {
            match byte {
                b'\n' if self.in_line => {
                    self.in_line = false;
                    self.begins.store(false, Ordering::Relaxed);
                    return;
                }
                b'\r' | b'\n' => {}
                b'#' => *byte = 0,
                _ => self.in_line = true,
            }
        }
    }
}

impl AsyncRead for Watched {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.stream).poll_read(context, buffer))?;
        if self.begins.load(Ordering::Relaxed) {
            self.check_line(&mut buffer.filled_mut()[before..]);
        }
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Watched {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let polled = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.written(context, polled)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let polled = Pin::new(&mut self.stream).poll_write_vectored(context, parts);
        self.written(context, polled)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use std::net::SocketAddr;

    use axum::routing::get;
    use tokio::{
        io::{AsyncReadExt as _, AsyncWriteExt as _},
        time::timeout,
    };

    use super::*;

    const HOUR: Duration = Duration::from_hours(1);

    /// Longest time of a test whose program waits for something that does not happen.
    const HANG: Duration = Duration::from_mins(1);

    const BOUNDS: Bounds = Bounds { all: 6, of_address: 4, head: HOUR, unread: HOUR };

    fn address(number: u8) -> IpAddr {
        IpAddr::from([127, 0, 0, number])
    }

    #[test]
    fn a_new_connection_closes_the_one_of_its_address_that_has_waited_longest() {
        let open = Open::new(BOUNDS);
        let enter = |id: u64, number: u8| open.enter(ConnectionId(id), address(number));
        let other = enter(1, 2).unwrap();
        let own: Vec<Place> = (2..6).map(|id| enter(id, 1).unwrap()).collect();
        let begins = Arc::default();
        let work = Worker { open: open.clone(), id: own[0].id, begins }.work();
        let new = enter(6, 1).unwrap();
        let closed: Vec<bool> = own.iter().map(|place| place.close.is_cancelled()).collect();
        assert_eq!(closed, [false, true, false, false], "the first one is at work");
        drop(work);
        let newer = enter(7, 1).unwrap();
        assert!(own[2].close.is_cancelled(), "the first one has waited for a moment only");
        assert!(!other.close.is_cancelled() && !new.close.is_cancelled() && !newer.close.is_cancelled());
        drop((own, new, newer));
        assert_eq!(open.lock().entries.len(), 1, "those that were closed are not counted twice");
    }

    #[test]
    fn where_all_connections_are_taken_the_address_with_the_most_loses_one() {
        let open = Open::new(BOUNDS);
        let enter = |id: u64, number: u8| open.enter(ConnectionId(id), address(number));
        let few: Vec<Place> = (1..3).map(|id| enter(id, 1).unwrap()).collect();
        let many: Vec<Place> = (3..7).map(|id| enter(id, 2).unwrap()).collect();
        let _new = enter(7, 3).unwrap();
        assert!(few.iter().all(|place| !place.close.is_cancelled()));
        assert!(many[0].close.is_cancelled());
    }

    #[test]
    fn a_connection_is_refused_where_all_others_are_at_work() {
        let open = Open::new(BOUNDS);
        let places: Vec<Place> = (0..4).map(|id| open.enter(ConnectionId(id), address(1)).unwrap()).collect();
        let work = |place: &Place| Worker { open: open.clone(), id: place.id, begins: Arc::default() }.work();
        let _work: Vec<Work> = places.iter().map(work).collect();
        assert!(open.enter(ConnectionId(5), address(1)).is_none());
        assert!(open.enter(ConnectionId(6), address(2)).is_some(), "others are not affected");
    }

    async fn start(router: Router, bounds: Bounds) -> SocketAddr {
        let listener = TcpListener::bind((address(1), 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        tokio::spawn(accept(listener, router, CancellationToken::new(), bounds));
        address
    }

    async fn connect(address: SocketAddr, message: &str) -> TcpStream {
        let mut stream = TcpStream::connect(address).await.unwrap();
        stream.write_all(message.as_bytes()).await.unwrap();
        stream
    }

    async fn answer(mut stream: TcpStream) -> String {
        let mut answer = Vec::new();
        let _ = timeout(HANG, stream.read_to_end(&mut answer)).await.expect("the connection ends");
        String::from_utf8_lossy(&answer).into_owned()
    }

    const REQUEST: &str = "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";

    #[tokio::test]
    async fn clients_that_hold_connections_keep_no_one_out() {
        let address = start(Router::new().route("/", get(|| async { "here" })), BOUNDS).await;
        let mut held = Vec::new();
        for _ in 0..3 * BOUNDS.all {
            held.push(connect(address, "GET / HTTP/1.1\r\nHo").await);
        }
        for _ in 0..3 {
            let answer = answer(connect(address, REQUEST).await).await;
            assert!(answer.ends_with("here"), "{answer}");
        }
    }

    #[tokio::test]
    async fn heads_that_never_end_are_given_up() {
        let bounds = Bounds { head: Duration::from_millis(50), ..BOUNDS };
        let address = start(Router::new(), bounds).await;
        let answer = answer(connect(address, "GET / HTTP/1.1\r\nHo").await).await;
        assert!(!answer.contains(" 200 "), "{answer}");
    }

    #[tokio::test]
    async fn a_client_that_does_not_read_is_given_up() {
        let bounds = Bounds { unread: Duration::from_millis(50), ..BOUNDS };
        let listener = TcpListener::bind((address(1), 0)).await.unwrap();
        let mut stream = connect(listener.local_addr().unwrap(), REQUEST).await;
        let (served, peer) = listener.accept().await.unwrap();
        let place = Open::new(bounds).enter(ConnectionId(1), peer.ip()).unwrap();
        let router = Router::new().route("/", get(|| async { vec![b'x'; 64 << 20] }));
        let serving = serve(served, router, place, CancellationToken::new());
        timeout(HANG, serving).await.expect("the connection is closed");
        let mut sent = Vec::new();
        let _ = stream.read_to_end(&mut sent).await;
        assert!(sent.len() < 64 << 20, "{} bytes", sent.len());
    }

    #[tokio::test]
    async fn fragments_are_refused() {
        let address = start(Router::new().fallback(|| async { "here" }), BOUNDS).await;
        for path in ["/#a", "/a#", "/a?b#c", "/##"] {
            let request = REQUEST.replace("GET /", &format!("GET {path}"));
            let answer = answer(connect(address, &request).await).await;
            assert!(answer.starts_with("HTTP/1.1 400"), "{path}: {answer}");
        }
        let kept = "POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\n#";
        let second = REQUEST.replace("GET /", "GET /b#c");
        let mut stream = connect(address, kept).await;
        let mut first = [0; 15];
        stream.read_exact(&mut first).await.unwrap();
        assert_eq!(&first, b"HTTP/1.1 200 OK");
        stream.write_all(second.as_bytes()).await.unwrap();
        let answer = answer(stream).await;
        assert!(answer.contains("HTTP/1.1 400"), "{answer}");
    }
}
