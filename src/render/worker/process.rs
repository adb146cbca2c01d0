use std::{
    collections::HashSet,
    io::{self, Read},
    path::Path,
    process::{Child, Command, ExitStatus, Stdio},
    sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel},
    thread,
    time::{Duration, Instant},
};

use super::{
    super::{
        Bundle,
        job::{Job, Order, Reply},
    },
    ARGUMENT, WorkerLimits, frame,
};

/// What a worker answers: the words, and the pages in bytes.
pub(super) type Answer = (Reply, Vec<Vec<u8>>);

/// Most bundles that a worker keeps.
const MOST_BUNDLES: usize = 32;

/// Time that a worker has to become ready.
const START: Duration = Duration::from_secs(30);

/// Most bytes that are kept of what a worker says on standard error.
const LAST_WORDS: u64 = 4 * 1024;

/// A worker as its master sees it. Dropped, it is killed.
pub(super) struct Worker {
    child: Child,
    orders: Sender<Letter>,
    replies: Receiver<io::Result<Answer>>,
    last_words: Receiver<String>,
    known: HashSet<u64>,
    ready: bool,
}

/// An order with the bytes that travel behind it.
type Letter = (Order, Vec<Vec<u8>>);

/// Why there is no answer.
#[derive(Debug, PartialEq, Eq)]
pub(in super::super) enum Stopped {
    /// It took too long, and was killed.
    Slow(Duration),
    /// It wanted more memory than it may have: the limit in bytes.
    Large(u64),
    /// It ended: how.
    Gone(String),
    /// None could be started: why.
    NotStarted(String),
}

impl Worker {
    /// Starts a worker; it gets ready on its own time.
    pub(super) fn start(program: &Path, limits: &WorkerLimits) -> Result<Self, Stopped> {
        let mut command = Command::new(program);
        command
            .arg(ARGUMENT)
            .args(["--memory", &limits.memory.to_string()])
            .args(["--milliseconds", &limits.time.as_millis().to_string()])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            // It needs nothing from outside; fewer threads and memory pools keep it small.
            .env_clear()
            .envs([("RAYON_NUM_THREADS", "2"), ("MALLOC_ARENA_MAX", "2")]);
        let failed = |error: io::Error| Stopped::NotStarted(error.kind().to_string());
        let mut child = command.spawn().map_err(failed)?;
        let (Some(mut stdin), Some(mut stdout), Some(stderr)) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take())
        else {
            return Err(Stopped::NotStarted("it has no standard streams".to_owned()));
        };
        let (orders, to_do) = channel::<Letter>();
        let (done, replies) = channel();
        // One thread writes and reads, so that a worker that does neither can be waited for with a limit.
        let talk = move || {
            let mut first = true;
            loop {
                if !first {
                    let Ok((order, blobs)) = to_do.recv() else { return };
                    if let Err(error) = frame::write(&mut stdin, &order, &blobs) {
                        let _ = done.send(Err(error));
                        return;
                    }
                }
                first = false;
                let reply = frame::read(&mut stdout)
                    .and_then(|reply| reply.ok_or_else(|| io::ErrorKind::UnexpectedEof.into()));
                let over = reply.is_err();
                if done.send(reply).is_err() || over {
                    return;
                }
            }
        };
        let (said, last_words) = channel();
        let listen = move || {
            let mut text = Vec::new();
            let mut stderr = stderr;
            let _ = stderr.by_ref().take(LAST_WORDS).read_to_end(&mut text);
            let _ = io::copy(&mut stderr, &mut io::sink());
            let _ = said.send(String::from_utf8_lossy(&text).into_owned());
        };
        let spawned = thread::Builder::new()
            .name("render-talk".to_owned())
            .spawn(talk)
            .and_then(|_| thread::Builder::new().name("render-listen".to_owned()).spawn(listen));
        if let Err(error) = spawned {
            let _ = child.kill();
            let _ = child.wait();
            return Err(failed(error));
        }
        Ok(Self { child, orders, replies, last_words, known: HashSet::new(), ready: false })
    }

    /// Has a document rendered. After an error the worker is of no use any more.
    pub(super) fn render(
        &mut self,
        bundle: &Bundle,
        job: Job,
        limits: &WorkerLimits,
    ) -> Result<Answer, Stopped> {
        if !self.ready {
            self.reply(START, limits)?;
            self.ready = true;
        }
        if !self.known.contains(&bundle.id()) {
            let paths = bundle.files().keys().cloned().collect();
            let blobs = bundle.files().values().cloned().collect();
            self.send((Order::Keep { bundle: bundle.id(), paths }, blobs))?;
            self.reply(START, limits)?;
            self.known.insert(bundle.id());
        }
        self.send((Order::Render(job), Vec::new()))?;
        self.reply(limits.time, limits)
    }

    /// The worker, unless it has ended while nobody looked.
    pub(super) fn still_there(mut self) -> Option<Self> {
        matches!(self.child.try_wait(), Ok(None)).then_some(self)
    }

    /// Whether it may take another bundle.
    pub(super) fn has_room(&self) -> bool {
        self.known.len() < MOST_BUNDLES
    }

    /// Number of the process.
    pub(super) fn id(&self) -> u32 {
        self.child.id()
    }

    fn send(&mut self, letter: Letter) -> Result<(), Stopped> {
        self.orders.send(letter).map_err(|_| self.autopsy(u64::MAX))
    }

    fn reply(&mut self, time: Duration, limits: &WorkerLimits) -> Result<Answer, Stopped> {
        match self.replies.recv_timeout(time) {
            Ok(Ok(reply)) => Ok(reply),
            Ok(Err(_)) | Err(RecvTimeoutError::Disconnected) => Err(self.autopsy_in(limits)),
            Err(RecvTimeoutError::Timeout) => {
                let _ = self.child.kill();
                Err(Stopped::Slow(time))
            }
        }
    }

    fn autopsy_in(&mut self, limits: &WorkerLimits) -> Stopped {
        match self.autopsy(limits.memory) {
            // SIGXCPU: the system's clock was faster than ours.
            Stopped::Gone(how) if how == "signal 24" => Stopped::Slow(limits.time),
            other => other,
        }
    }

    /// How it ended.
    fn autopsy(&mut self, memory: u64) -> Stopped {
        let status = self.wait_a_moment();
        let words = self.last_words.recv_timeout(Duration::from_millis(200)).unwrap_or_default();
        // What the allocator of the standard library says before it aborts, and what a stack or a
        // thread says that gets no memory.
        let no_memory =
            ["memory allocation of", "Cannot allocate memory", "Resource temporarily unavailable"];
        if no_memory.iter().any(|phrase| words.contains(phrase)) {
            return Stopped::Large(memory);
        }
        if words.contains("stack overflow") {
            return Stopped::Gone("stack overflow".to_owned());
        }
        Stopped::Gone(status.map_or_else(|| "unknown".to_owned(), ending))
    }

    fn wait_a_moment(&mut self) -> Option<ExitStatus> {
        let until = Instant::now() + Duration::from_secs(1);
        while Instant::now() < until {
            if let Ok(Some(status)) = self.child.try_wait() {
                return Some(status);
            }
            thread::sleep(Duration::from_millis(2));
        }
        let _ = self.child.kill();
        self.child.wait().ok()
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn ending(status: ExitStatus) -> String {
    #[cfg(unix)]
    {
        use std::os::unix::process::ExitStatusExt;
        if let Some(signal) = status.signal() {
            return format!("signal {signal}");
        }
    }
    status.code().map_or_else(|| "unknown".to_owned(), |code| format!("exit code {code}"))
}
