//! Places for calls: many for calls that are short, and few for those that are not. Each place that becomes
//! free goes to the connection whose turn it is, so that a client with many calls delays only its own.

use std::{
    collections::{HashMap, VecDeque},
    sync::{Arc, Mutex, PoisonError, mpsc},
    time::Duration,
};

use tokio::sync::oneshot;

/// A client's connection, whose calls wait for each other first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub(super) struct ConnectionId(pub(super) u64);

/// How much time and memory a call takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Length {
    /// A moment and little memory, as far as can be known from its arguments.
    Short,
    /// A moment, and perhaps memory: its text is larger than that of most calls.
    Medium,
    /// More time or memory than a call of medium length.
    Long,
}

/// The places of a service.
#[derive(Debug, Clone)]
pub(super) struct Places(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    short: Mutex<Lane>,
    medium: Mutex<Lane>,
    long: Mutex<Lane>,
}

/// How many calls of each length may run at a time; at least one of each.
#[derive(Debug, Clone, Copy)]
pub(super) struct Numbers {
    pub(super) short: usize,
    pub(super) medium: usize,
    pub(super) long: usize,
}

/// The places for calls of one length.
#[derive(Default)]
struct Lane {
    free: usize,
    taken: usize,
    /// The connections with waiting calls, the next one first.
    turns: VecDeque<ConnectionId>,
    waiting: HashMap<ConnectionId, VecDeque<Waiter>>,
}

/// Takes a place, or gives it back where no one waits for it any more.
type Waiter = Box<dyn FnOnce(Place) -> Result<(), Place> + Send>;

impl std::fmt::Debug for Lane {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Lane").field("free", &self.free).field("turns", &self.turns).finish_non_exhaustive()
    }
}

/// A place, which goes to the next call when it is dropped.
#[derive(Debug)]
pub(super) struct Place {
    places: Option<Places>,
    length: Length,
}

impl Places {
    pub(super) fn new(numbers: Numbers) -> Self {
        let lane = |free: usize| Mutex::new(Lane { free: free.max(1), ..Lane::default() });
        let Numbers { short, medium, long } = numbers;
        Self(Arc::new(Shared { short: lane(short), medium: lane(medium), long: lane(long) }))
    }

    /// Waits for a place.
    pub(super) async fn enter(&self, length: Length, connection: ConnectionId) -> Option<Place> {
        let (give, given) = oneshot::channel();
        self.queue(length, connection, Box::new(move |place| give.send(place)));
        given.await.ok()
    }

    /// Waits for a place on a thread, until `given_up` says that the call ended.
    pub(super) fn enter_blocking(
        &self,
        length: Length,
        connection: ConnectionId,
        given_up: &dyn Fn() -> bool,
    ) -> Option<Place> {
        /// How often it is asked whether the call is given up.
        const LOOK: Duration = Duration::from_millis(20);
        let (give, given) = mpsc::sync_channel(1);
        self.queue(length, connection, Box::new(move |place| give.send(place).map_err(|back| back.0)));
        loop {
            match given.recv_timeout(LOOK) {
                Ok(place) => return Some(place),
                Err(mpsc::RecvTimeoutError::Timeout) if !given_up() => {}
                Err(_) => return None,
            }
        }
    }

    /// How many calls of a length have places.
    #[cfg(test)]
    pub(super) fn taken(&self, length: Length) -> usize {
        self.with(length, |lane| lane.taken)
    }

    fn with<R>(&self, length: Length, work: impl FnOnce(&mut Lane) -> R) -> R {
        let lane = match length {
            Length::Short => &self.0.short,
            Length::Medium => &self.0.medium,
            Length::Long => &self.0.long,
        };
        work(&mut lane.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Gives a place at once where one is free, and else when it is the connection's turn.
    fn queue(&self, length: Length, connection: ConnectionId, waiter: Waiter) {
        let waiter = self.with(length, |lane| {
            if lane.free > 0 {
                lane.free -= 1;
                lane.taken += 1;
                return Some(waiter);
            }
            let own = lane.waiting.entry(connection).or_default();
            if own.is_empty() {
                lane.turns.push_back(connection);
            }
            own.push_back(waiter);
            None
        });
        if let Some(waiter) = waiter
            && let Err(back) = waiter(self.place(length))
        {
            drop(back);
        }
    }

    fn place(&self, length: Length) -> Place {
        Place { places: Some(self.clone()), length }
    }

    /// Gives a place to the next call that still waits for one.
    fn hand_on(&self, length: Length) {
        loop {
            let next = self.with(length, |lane| {
                let next = lane.next();
                if next.is_none() {
                    lane.free += 1;
                    lane.taken -= 1;
                }
                next
            });
            let Some(waiter) = next else { return };
            match waiter(self.place(length)) {
                Ok(()) => return,
                // Tried again here, so that many calls which were given up do not fill the stack.
                Err(mut back) => back.places = None,
            }
        }
    }
}

impl Lane {
    /// The next call of the connection whose turn it is.
    fn next(&mut self) -> Option<Waiter> {
        let connection = self.turns.pop_front()?;
        let own = self.waiting.get_mut(&connection)?;
        let next = own.pop_front();
        if own.is_empty() {
            self.waiting.remove(&connection);
        } else {
            self.turns.push_back(connection);
        }
        next
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        if let Some(places) = self.places.take() {
            places.hand_on(self.length);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn connections_take_turns() {
        let places = Places::new(Numbers { short: 1, medium: 1, long: 1 });
        let first = places.enter(Length::Short, ConnectionId(1)).await;
        let order = Arc::new(Mutex::new(Vec::new()));
        for connection in [1, 1, 1, 2, 3, 1, 2] {
            let order = Arc::clone(&order);
            let note = move |place: Place| {
                order.lock().unwrap().push(connection);
                drop(place);
                Ok(())
            };
            places.queue(Length::Short, ConnectionId(connection), Box::new(note));
        }
        assert!(order.lock().unwrap().is_empty());
        drop(first);
        assert_eq!(*order.lock().unwrap(), [1, 2, 3, 1, 2, 1, 1]);
        assert_eq!(places.taken(Length::Short), 0);
    }

    #[tokio::test]
    async fn calls_that_were_given_up_are_left_out() {
        let places = Places::new(Numbers { short: 1, medium: 1, long: 1 });
        let held = places.enter(Length::Long, ConnectionId(1)).await.unwrap();
        assert!(places.enter_blocking(Length::Long, ConnectionId(1), &|| true).is_none());
        let given_up = places.enter(Length::Long, ConnectionId(2));
        assert!(tokio::time::timeout(Duration::ZERO, given_up).await.is_err());
        assert!(places.enter(Length::Short, ConnectionId(2)).await.is_some(), "the others are not taken");
        drop(held);
        assert_eq!(places.taken(Length::Long), 0);
        assert!(places.enter(Length::Long, ConnectionId(3)).await.is_some());
    }
}
