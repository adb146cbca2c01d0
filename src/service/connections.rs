//! Connections of HTTP clients: how many there may be, and how long they may take.

use std::{
    collections::HashMap,
    net::IpAddr,
    pin::pin,
    sync::{Arc, Mutex},
    time::Duration,
};

use axum::{Extension, Router};
use hyper::server::conn::http1;
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    service::TowerToHyperService,
};
use tokio::{net::TcpListener, task::JoinSet};
use tokio_util::sync::CancellationToken;

use super::places::ConnectionId;

/// Most connections at a time; a process may usually open 1024 files.
const CONNECTIONS: usize = 512;

/// Most connections of one address.
const OF_ADDRESS: usize = 256;

/// How long a client may take to send the head of a request, also the next one of its connection.
const HEAD: Duration = Duration::from_secs(30);

/// How long to wait after a connection could not be accepted, for want of files or memory.
const PAUSE: Duration = Duration::from_millis(50);

/// Accepts connections until `stop` is canceled, then ends when the requests under way have their answers.
pub(super) async fn accept(
    listener: TcpListener,
    router: Router,
    stop: CancellationToken,
) -> std::io::Result<()> {
    let open = Open::default();
    let mut tasks = JoinSet::new();
    let mut connections = 0;
    loop {
        let accepted = tokio::select! {
            () = stop.cancelled() => break,
            Some(_) = tasks.join_next(), if !tasks.is_empty() => continue,
            accepted = listener.accept() => accepted,
        };
        let Ok((stream, peer)) = accepted else {
            tokio::time::sleep(PAUSE).await;
            continue;
        };
        // Closed at once: a client with that many connections can use the others.
        let Some(place) = open.enter(peer.ip()) else { continue };
        connections += 1;
        let router = router.clone().layer(Extension(ConnectionId(connections)));
        let service = TowerToHyperService::new(router);
        let stop = stop.clone();
        tasks.spawn(async move {
            let connection = http1::Builder::new()
                .timer(TokioTimer::new())
                .header_read_timeout(HEAD)
                .serve_connection(TokioIo::new(stream), service);
            let mut connection = pin!(connection);
            // What a client does wrong on its connection does not affect other clients.
            tokio::select! {
                _ = connection.as_mut() => {}
                () = stop.cancelled() => {
                    connection.as_mut().graceful_shutdown();
                    let _ = connection.await;
                }
            }
            drop(place);
        });
    }
    drop(listener);
    while tasks.join_next().await.is_some() {}
    Ok(())
}

/// The open connections, by address.
#[derive(Debug, Clone, Default)]
struct Open(Arc<Mutex<HashMap<IpAddr, usize>>>);

/// A connection that is counted.
struct Place {
    open: Open,
    address: IpAddr,
}

impl Open {
    fn enter(&self, address: IpAddr) -> Option<Place> {
        let mut open = self.0.lock().ok()?;
        let all: usize = open.values().sum();
        let own = open.entry(address).or_default();
        if all >= CONNECTIONS || *own >= OF_ADDRESS {
            return None;
        }
        *own += 1;
        Some(Place { open: self.clone(), address })
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let Ok(mut open) = self.open.0.lock() else { return };
        if let Some(count) = open.get_mut(&self.address) {
            *count -= 1;
            if *count == 0 {
                open.remove(&self.address);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connections_of_one_address_are_limited() {
        let open = Open::default();
        let address = IpAddr::from([127, 0, 0, 1]);
        let places: Vec<_> = (0..OF_ADDRESS).map(|_| open.enter(address).unwrap()).collect();
        assert!(open.enter(address).is_none());
        assert!(open.enter(IpAddr::from([127, 0, 0, 2])).is_some(), "others are not affected");
        drop(places);
        assert!(open.enter(address).is_some());
    }
}
