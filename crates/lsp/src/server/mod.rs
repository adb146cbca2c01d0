//! What runs questions: one thread reads messages and owns the documents, others validate and answer.

mod buffers;
mod capabilities;
mod documents;
mod frames;
mod main_loop;
mod pages;
mod projects;
mod requests;
mod tasks;

use std::{
    io::{self, BufReader, BufWriter, Read, Write},
    thread,
    time::Duration,
};

use crossbeam_channel::{Receiver, Sender, bounded, unbounded};

pub use self::projects::Options;

use self::{
    frames::{Incoming, Outgoing},
    main_loop::Server,
};

/// How a session ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// The client asked for it, or closed the connection after `shutdown`.
    Properly,
    /// The client left without `shutdown`.
    Abruptly,
}

/// How long the end waits for a client that does not read what was written.
const LAST_WORDS: Duration = Duration::from_millis(300);

/// Messages that may wait to be written, before the server waits for its client.
const UNWRITTEN: usize = 4096;

/// Serves one client until it says `exit` or closes its output.
///
/// # Errors
/// When no thread can be started.
pub fn serve(
    options: Options,
    input: impl Read + Send + 'static,
    output: impl Write + Send + 'static,
) -> io::Result<Ended> {
    let (incoming, received) = unbounded();
    let (outgoing, written) = bounded(UNWRITTEN);
    let (done, finished) = bounded::<()>(1);
    thread::Builder::new().name("editor-in".to_owned()).spawn(move || read_all(input, &incoming))?;
    thread::Builder::new().name("editor-out".to_owned()).spawn(move || {
        write_all(output, &written);
        drop(done);
    })?;
    let ended = Server::new(options, outgoing)?.run(&received);
    let _ = finished.recv_timeout(LAST_WORDS);
    Ok(ended)
}

fn read_all(input: impl Read, incoming: &Sender<Incoming>) {
    let mut input = BufReader::with_capacity(1 << 16, input);
    while let Ok(Some(message)) = frames::read(&mut input) {
        if incoming.send(message).is_err() {
            return;
        }
    }
}

fn write_all(output: impl Write, written: &Receiver<Outgoing>) {
    let mut output = BufWriter::with_capacity(1 << 16, output);
    for message in written {
        // A client that reads nothing any more has left; its input ends soon.
        if message.write(&mut output).and_then(|()| output.flush()).is_err() {
            return;
        }
    }
}
