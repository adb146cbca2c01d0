use std::{
    collections::HashSet,
    io::{self, Read},
    process::{Child, Command, ExitStatus, Stdio},
    sync::{
        Arc,
        mpsc::{Receiver, RecvTimeoutError, Sender, channel},
    },
    thread,
    time::{Duration, Instant},
};

use proofmark_render_protocol::{MEMORY, MILLISECONDS, PROTOCOL, WorkerReply, WorkerRequest, frame};

use super::{Task, WorkerError, WorkerLimits, WorkerProgram};
use crate::budget;

/// A reply of a worker: the message, and the bytes that follow it.
pub(in super::super) type Answer = (WorkerReply, Vec<Vec<u8>>);

/// Most bundles that a worker keeps.
const MOST_BUNDLES: usize = 32;

/// Time in which a program says that it is a worker.
const HELLO: Duration = Duration::from_secs(10);

/// Time between two looks whether someone still waits for a result.
const LOOK: Duration = Duration::from_millis(20);

/// Time in which a worker becomes ready.
const START: Duration = Duration::from_secs(30);

/// Most bytes of the standard error of a worker that are kept.
const MOST_STDERR: u64 = 4 * 1024;

/// The whole environment of a worker. The allocator reserves nothing ahead: the limit on memory counts what is reserved.
const ENVIRONMENT: [(&str, &str); 3] =
    [("RAYON_NUM_THREADS", "2"), ("MALLOC_ARENA_MAX", "2"), ("MIMALLOC_ARENA_RESERVE", "0")];

/// A worker process. Dropped, it is killed.
pub(super) struct Worker {
    child: Child,
    requests: Sender<Message>,
    replies: Receiver<io::Result<Answer>>,
    stderr: Receiver<String>,
    known: HashSet<u64>,
    ready: bool,
}

/// A request with the bytes that follow it.
type Message = (WorkerRequest, Vec<Arc<[u8]>>);

/// Why there is no answer.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(in super::super) enum Stopped {
    /// It took too long, and was killed.
    #[error("it took longer than {} seconds", .0.as_secs_f64())]
    Slow(Duration),
    /// It needed more memory than it may have: the limit in bytes.
    #[error("it needs more than {} MiB of memory", .0.div_ceil(1024 * 1024))]
    Large(u64),
    /// It ended: how.
    #[error("the process ended without a result: {0}")]
    Gone(String),
    /// No one waits for the result any more, and it was killed.
    #[error("the call was canceled")]
    Unwanted,
    /// There is no worker.
    #[error(transparent)]
    NoWorker(#[from] WorkerError),
}

impl Stopped {
    /// Whether another program ended the worker, such as a user or a system without memory: by SIGKILL or SIGTERM.
    pub(super) fn is_from_outside(&self) -> bool {
        matches!(self, Self::Gone(how) if matches!(how.as_str(), "signal 9" | "signal 15"))
    }
}

impl Worker {
    /// Starts a worker and waits until it has said that it is one. It gets ready on its own time.
    pub(super) fn start(program: &WorkerProgram, limits: &WorkerLimits) -> Result<Self, WorkerError> {
        let mut command = Command::new(program.find()?);
        command
            .args([MEMORY, &limits.memory.to_string()])
            .args([MILLISECONDS, &limits.time.as_millis().to_string()])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            // The worker needs nothing from outside; fewer threads and memory pools keep it small.
            .env_clear()
            .envs(ENVIRONMENT);
        let failed = |error: io::Error| WorkerError::NotStarted(error.kind());
        // An empty folder, removed as soon as the worker runs in it: nothing can be read or made there. Where it cannot be made, it
        // is left out: a worker does not use its working directory.
        let nowhere = tempfile::tempdir();
        if let Ok(folder) = &nowhere {
            command.current_dir(folder);
        }
        let mut child = command.spawn().map_err(failed)?;
        drop(nowhere);
        let (Some(stdin), Some(stdout), Some(stderr)) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take())
        else {
            return Err(WorkerError::NotAWorker);
        };
        let (requests, to_send) = channel::<Message>();
        let (received, replies) = channel();
        let (last_words, heard) = channel();
        let spawned = thread::Builder::new()
            .name("render-talk".to_owned())
            .spawn(move || talk(stdin, stdout, &to_send, &received))
            .and_then(|_| {
                thread::Builder::new()
                    .name("render-listen".to_owned())
                    .spawn(move || listen(stderr, &last_words))
            });
        let worker = Self { child, requests, replies, stderr: heard, known: HashSet::new(), ready: false };
        spawned.map_err(failed)?;
        worker.greeted()
    }

    /// The worker, once it has said that it understands this program.
    fn greeted(mut self) -> Result<Self, WorkerError> {
        match self.replies.recv_timeout(HELLO) {
            Ok(Ok((WorkerReply::Hello { protocol: PROTOCOL, .. }, _))) => Ok(self),
            Ok(Ok((WorkerReply::Hello { protocol, version: found }, _))) => {
                Err(WorkerError::OtherProtocol { found, protocol })
            }
            Ok(Err(_)) => match self.end().and_then(signal) {
                Some(number) => Err(WorkerError::Ended(format!("signal {number}"))),
                None => Err(WorkerError::NotAWorker),
            },
            Ok(Ok(_)) | Err(_) => Err(WorkerError::NotAWorker),
        }
    }

    /// Has a task done. After an error the worker is of no further use.
    pub(super) fn run(&mut self, task: &Task<'_>, limits: &WorkerLimits) -> Result<Answer, Stopped> {
        if !self.ready {
            self.reply(START, limits)?;
            self.ready = true;
        }
        if let Some(bundle) = task.bundle.filter(|bundle| !self.known.contains(&bundle.id())) {
            let paths = bundle.files().keys().cloned().collect();
            let blobs = bundle.files().values().cloned().collect();
            self.send((WorkerRequest::Keep { bundle: bundle.id(), paths }, blobs))?;
            self.reply(START, limits)?;
            self.known.insert(bundle.id());
        }
        self.send((task.request.clone(), task.blobs.clone()))?;
        self.reply(limits.time, limits)
    }

    /// The worker, unless it has ended in the meantime.
    pub(super) fn still_there(mut self) -> Option<Self> {
        matches!(self.child.try_wait(), Ok(None)).then_some(self)
    }

    /// Whether it may take another bundle.
    pub(super) fn has_room(&self) -> bool {
        self.known.len() < MOST_BUNDLES
    }

    /// Id of the process.
    pub(super) fn id(&self) -> u32 {
        self.child.id()
    }

    fn send(&mut self, message: Message) -> Result<(), Stopped> {
        self.requests.send(message).map_err(|_| self.autopsy(u64::MAX))
    }

    fn reply(&mut self, time: Duration, limits: &WorkerLimits) -> Result<Answer, Stopped> {
        let until = Instant::now() + time;
        loop {
            let left = until.saturating_duration_since(Instant::now());
            let stopped = match self.replies.recv_timeout(left.min(LOOK)) {
                Ok(Ok(reply)) => return Ok(reply),
                Ok(Err(_)) | Err(RecvTimeoutError::Disconnected) => return Err(self.autopsy_in(limits)),
                Err(RecvTimeoutError::Timeout) if !budget::is_awaited() => Stopped::Unwanted,
                Err(RecvTimeoutError::Timeout) if left <= LOOK => Stopped::Slow(time),
                Err(RecvTimeoutError::Timeout) => continue,
            };
            let _ = self.child.kill();
            return Err(stopped);
        }
    }

    fn autopsy_in(&mut self, limits: &WorkerLimits) -> Stopped {
        match self.autopsy(limits.memory) {
            // SIGXCPU: the limit on processor time was reached first.
            Stopped::Gone(how) if how == "signal 24" => Stopped::Slow(limits.time),
            other => other,
        }
    }

    /// Finds out how the worker ended.
    fn autopsy(&mut self, memory: u64) -> Stopped {
        let status = self.wait_a_moment();
        let words = self.stderr.recv_timeout(Duration::from_millis(200)).unwrap_or_default();
        // What the standard library writes when an allocation, a stack or a thread gets no memory.
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

    /// How it ended, at the latest when it is killed.
    fn wait_a_moment(&mut self) -> Option<ExitStatus> {
        self.end().or_else(|| {
            let _ = self.child.kill();
            self.child.wait().ok()
        })
    }

    /// How it ended, if it does so by itself in a moment.
    fn end(&mut self) -> Option<ExitStatus> {
        let until = Instant::now() + Duration::from_secs(1);
        while Instant::now() < until {
            if let Ok(Some(status)) = self.child.try_wait() {
                return Some(status);
            }
            thread::sleep(Duration::from_millis(2));
        }
        None
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Hands the two messages of the start to `received`, then the reply to each request. It runs on a thread of
/// its own, so that a worker that neither reads nor writes can be waited for with a limit.
fn talk(
    mut stdin: impl io::Write,
    mut stdout: impl Read,
    requests: &Receiver<Message>,
    received: &Sender<io::Result<Answer>>,
) {
    let mut unsolicited = 2;
    loop {
        if unsolicited > 0 {
            unsolicited -= 1;
        } else {
            let Ok((request, blobs)) = requests.recv() else { return };
            if let Err(error) = frame::write(&mut stdin, &request, &blobs) {
                let _ = received.send(Err(error));
                return;
            }
        }
        let reply = frame::read(&mut stdout)
            .and_then(|reply| reply.ok_or_else(|| io::ErrorKind::UnexpectedEof.into()));
        let over = reply.is_err();
        if received.send(reply).is_err() || over {
            return;
        }
    }
}

/// Hands over the beginning of what a worker writes to standard error, once it ends.
fn listen(mut stderr: impl Read, heard: &Sender<String>) {
    let mut text = Vec::new();
    let _ = stderr.by_ref().take(MOST_STDERR).read_to_end(&mut text);
    let _ = io::copy(&mut stderr, &mut io::sink());
    let _ = heard.send(String::from_utf8_lossy(&text).into_owned());
}

fn ending(status: ExitStatus) -> String {
    match signal(status) {
        Some(number) => format!("signal {number}"),
        None => status.code().map_or_else(|| "unknown".to_owned(), |code| format!("exit code {code}")),
    }
}

/// The signal that ended a process.
#[cfg(unix)]
fn signal(status: ExitStatus) -> Option<i32> {
    std::os::unix::process::ExitStatusExt::signal(&status)
}

#[cfg(not(unix))]
fn signal(_: ExitStatus) -> Option<i32> {
    None
}
