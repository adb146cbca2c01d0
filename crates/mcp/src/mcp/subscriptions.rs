//! Notifications of changed resources.
//!
//! Clients of the stateless protocol listen on a stream for each subscription. Clients with a session, which are those on
//! standard input and output, subscribe to single resources and know of changed lists once they have asked for one. As
//! long as there is anyone to notify, one task looks for changes.

use std::{
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use rmcp::{
    ErrorData, Peer, RoleServer,
    model::{ResourceUpdatedNotificationParam, SubscriptionFilter},
    service::{SubscriptionContext, SubscriptionSink},
};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::core::Core;
use crate::org::{self, Observer, Versions};

/// How often events of the file system are looked at.
const TICK: Duration = Duration::from_millis(100);

/// How often files are looked at that cause no events.
const SLOW_TICK: Duration = Duration::from_secs(2);

/// Most clients and streams that are notified.
const STREAMS: usize = 128;

/// Who is notified of what.
pub(super) struct Subscriptions {
    core: Arc<Core>,
    versions: watch::Sender<Versions>,
    /// Whether a task looks for changes.
    is_watched: Mutex<bool>,
    streams: Arc<AtomicUsize>,
    session: Mutex<Option<Session>>,
    /// Ends all streams.
    stop: CancellationToken,
}

/// The client of a session.
#[derive(Debug, Clone)]
struct Session {
    observer: Arc<Mutex<Observer>>,
}

/// Where notifications go.
enum Sink {
    Stream(SubscriptionSink),
    Session(Peer<RoleServer>),
}

impl Subscriptions {
    pub(super) fn new(core: Arc<Core>) -> Self {
        Self {
            core,
            versions: watch::Sender::new(Versions::default()),
            is_watched: Mutex::new(false),
            streams: Arc::default(),
            session: Mutex::new(None),
            stop: CancellationToken::new(),
        }
    }

    /// Ends all streams, so that their connections can end.
    pub(super) fn end(&self) {
        self.stop.cancel();
    }

    /// The part of what a client asks for that it can be notified of.
    pub(super) fn accepted(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        if !self.core.offers_org() {
            return None;
        }
        let mut accepted = SubscriptionFilter::builder();
        if requested.resources_list_changed == Some(true) {
            accepted = accepted.resources_list_changed();
        }
        let uris = requested.resource_subscriptions.iter().flatten();
        let known = uris.filter(|uri| org::is_resource(uri)).take(org::MOST_OBSERVED);
        let known: Vec<String> = known.cloned().collect();
        if !known.is_empty() {
            accepted = accepted.resource_subscriptions(known);
        }
        Some(accepted.build())
    }

    /// Notifies a stream until its client ends it, or the server.
    pub(super) async fn listen(self: &Arc<Self>, context: &SubscriptionContext) -> Result<(), ErrorData> {
        let _stream = Stream::enter(&self.streams)?;
        let filter = context.accepted().clone();
        let observer = self.with_observer(Arc::default(), move |observer, files| {
            if filter.resources_list_changed == Some(true) {
                observer.add_list(files);
            }
            for uri in filter.resource_subscriptions.iter().flatten() {
                // The client may have changed it since its request was acknowledged, which the SDK did before. What is
                // not a resource was not accepted.
                let _ = observer.add_unseen(files, uri);
            }
        });
        let observer = observer.await?.0;
        let sink = Sink::Stream(context.sink().clone());
        tokio::select! {
            () = self.notify(&observer, &sink) => {}
            () = context.cancelled() => {}
            () = self.stop.cancelled() => {}
        }
        Ok(())
    }

    /// Has the client of a session notified of a resource.
    pub(super) async fn subscribe(
        self: &Arc<Self>,
        peer: &Peer<RoleServer>,
        uri: String,
    ) -> Result<(), ErrorData> {
        let session = self.session(peer)?;
        let added = self.with_observer(session.observer, move |observer, files| observer.add(files, &uri));
        added.await?.1.map_err(|error| ErrorData::invalid_params(error.to_string(), None))
    }

    /// Ends what [`Self::subscribe`] has begun.
    pub(super) fn unsubscribe(&self, uri: &str) {
        let session = locked(&self.session).clone();
        if let Some(session) = session {
            locked(&session.observer).remove(uri);
        }
    }

    /// Has the client of a session notified of other lists than the one that it is given now.
    pub(super) async fn follow_list(self: &Arc<Self>, peer: &Peer<RoleServer>) -> Result<(), ErrorData> {
        let session = self.session(peer)?;
        self.with_observer(session.observer, |observer, files| observer.add_list(files)).await?;
        Ok(())
    }

    /// The session, which begins when it is first asked for.
    fn session(self: &Arc<Self>, peer: &Peer<RoleServer>) -> Result<Session, ErrorData> {
        let mut session = locked(&self.session);
        if let Some(session) = session.as_ref() {
            return Ok(session.clone());
        }
        let stream = Stream::enter(&self.streams)?;
        let new = Session { observer: Arc::default() };
        *session = Some(new.clone());
        let (this, observer, sink) =
            (Arc::clone(self), Arc::clone(&new.observer), Sink::Session(peer.clone()));
        tokio::spawn(async move {
            tokio::select! {
                () = this.notify(&observer, &sink) => {}
                () = this.stop.cancelled() => {}
            }
            drop(stream);
        });
        Ok(new)
    }

    /// Works with an observer where files may be read.
    async fn with_observer<R: Send + 'static>(
        &self,
        observer: Arc<Mutex<Observer>>,
        work: impl FnOnce(&mut Observer, &org::Files<'_>) -> R + Send + 'static,
    ) -> Result<(Arc<Mutex<Observer>>, R), ErrorData> {
        let core = Arc::clone(&self.core);
        let run = tokio::task::spawn_blocking(move || {
            let result = work(&mut locked(&observer), &core.org_files());
            (observer, result)
        });
        run.await.map_err(|_| ErrorData::internal_error("the subscription stopped unexpectedly", None))
    }

    /// Sends what has changed, until it cannot be sent.
    async fn notify(self: &Arc<Self>, observer: &Arc<Mutex<Observer>>, sink: &Sink) {
        let mut versions = self.versions.subscribe();
        self.watch();
        loop {
            let looked = self.with_observer(Arc::clone(observer), |observer, files| {
                (observer.changed(files), observer.has_unlisted())
            });
            let Ok((_, (changed, has_unlisted))) = looked.await else { break };
            for uri in changed.resources {
                if !sink.updated(uri).await {
                    return;
                }
            }
            if changed.list && !sink.list_changed().await {
                return;
            }
            let limit = if has_unlisted { SLOW_TICK } else { Duration::from_mins(1) };
            let _ = tokio::time::timeout(limit, versions.changed()).await;
            if sink.is_closed() {
                return;
            }
        }
    }

    /// Looks for changes as long as someone is notified.
    fn watch(self: &Arc<Self>) {
        let mut is_watched = locked(&self.is_watched);
        if std::mem::replace(&mut *is_watched, true) {
            return;
        }
        let this = Arc::clone(self);
        tokio::spawn(async move {
            loop {
                tokio::time::sleep(if this.core.org.has_events() { TICK } else { SLOW_TICK }).await;
                {
                    let mut is_watched = locked(&this.is_watched);
                    if this.versions.receiver_count() == 0 {
                        *is_watched = false;
                        return;
                    }
                }
                let core = Arc::clone(&this.core);
                let now = tokio::task::spawn_blocking(move || core.org_files().versions()).await;
                this.versions.send_if_modified(|known| {
                    let now = now.unwrap_or(*known);
                    std::mem::replace(known, now) != now
                });
            }
        });
    }
}

impl Sink {
    /// Notifies of a changed resource; whether that was possible.
    async fn updated(&self, uri: String) -> bool {
        match self {
            Self::Stream(sink) => sink.notify_resource_updated(uri).await.is_ok(),
            Self::Session(peer) => {
                peer.notify_resource_updated(ResourceUpdatedNotificationParam::new(uri)).await.is_ok()
            }
        }
    }

    /// Notifies of a changed list; whether that was possible.
    async fn list_changed(&self) -> bool {
        match self {
            Self::Stream(sink) => sink.notify_resource_list_changed().await.is_ok(),
            Self::Session(peer) => peer.notify_resource_list_changed().await.is_ok(),
        }
    }

    /// Whether the client of a session is gone; a stream ends by itself.
    fn is_closed(&self) -> bool {
        matches!(self, Self::Session(peer) if peer.is_transport_closed())
    }
}

/// A client or stream that is counted.
#[derive(Debug)]
struct Stream(Arc<AtomicUsize>);

impl Stream {
    fn enter(count: &Arc<AtomicUsize>) -> Result<Self, ErrorData> {
        let stream = Self(Arc::clone(count));
        if count.fetch_add(1, Ordering::Relaxed) >= STREAMS {
            let message = format!("{STREAMS} clients are already notified of changes: try again later");
            return Err(ErrorData::internal_error(message, None));
        }
        Ok(stream)
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
