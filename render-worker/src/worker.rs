use std::{
    collections::BTreeMap,
    io::{self, BufReader, Read, Write},
    panic::{AssertUnwindSafe, catch_unwind},
    sync::mpsc::{Receiver, SyncSender, channel, sync_channel},
    thread,
    time::Duration,
};

use proofmark_render_protocol::{
    Format, Job, Layout, PROTOCOL, VERSION, WorkerReply, WorkerRequest,
    frame::{self, NO_BLOBS},
};

use crate::{
    fonts,
    limits::{self, Meter},
    press::{Outcome, Press},
    sandbox,
};

/// Stack of the thread that renders, in bytes: layouts nest.
const STACK: usize = 64 * 1024 * 1024;

/// A request with the bytes that follow it.
type Request = (WorkerRequest, Vec<Vec<u8>>);

/// Requests that are read while another one is under way.
const READ_AHEAD: usize = 1;

/// Serves the requests of `input` until it ends, also in the middle of a layout: a client keeps it open while it waits
/// for an answer, so that a client which is killed takes its workers with it. `memory` bounds what the process may use beyond what it
/// has when it is ready, in bytes, and `time` what one document may take.
///
/// # Errors
/// When a stream breaks or a request is not valid. The client sees that its stream ends.
pub(crate) fn run<R, W>(input: R, output: W, memory: u64, time: Duration) -> io::Result<()>
where
    R: Read + Send + 'static,
    W: Write + Send + 'static,
{
    let meter = Meter::open();
    // A sandbox holds the threads that are started after it is entered.
    sandbox::enter();
    let (requests, to_do) = sync_channel(READ_AHEAD);
    let (over, ended) = channel();
    let done = over.clone();
    let work = move || {
        let served = catch_unwind(AssertUnwindSafe(|| serve(&to_do, output, meter, memory, time)));
        done.send(served.unwrap_or_else(|_| Err(io::Error::other("the renderer panicked"))))
    };
    thread::Builder::new().name("render".to_owned()).stack_size(STACK).spawn(work)?;
    let read = move || over.send(read(BufReader::new(input), &requests));
    thread::Builder::new().name("requests".to_owned()).spawn(read)?;
    ended.recv().unwrap_or(Ok(()))
}

/// Reads requests until there are no more, or no one does them.
fn read(mut input: impl Read, requests: &SyncSender<Request>) -> io::Result<()> {
    while let Some(request) = frame::read::<WorkerRequest>(&mut input)? {
        if requests.send(request).is_err() {
            break;
        }
    }
    Ok(())
}

fn serve(
    requests: &Receiver<Request>,
    mut output: impl Write,
    mut meter: Meter,
    memory: u64,
    time: Duration,
) -> io::Result<()> {
    let hello = WorkerReply::Hello { protocol: PROTOCOL, version: VERSION.to_owned() };
    frame::write(&mut output, &hello, NO_BLOBS)?;
    let mut press = Press::new();
    warm_up(&mut press);
    limits::give_up(memory, &mut meter);
    frame::write(&mut output, &WorkerReply::Ready, NO_BLOBS)?;
    for (request, blobs) in requests {
        match request {
            WorkerRequest::Keep { bundle, paths } => {
                press.keep(bundle, paths.into_iter().zip(blobs).collect());
                frame::write(&mut output, &WorkerReply::Ready, NO_BLOBS)?;
            }
            WorkerRequest::Render(job) => {
                // Processor time is counted over all threads.
                limits::allow_processor_time(time * 2);
                let outcome = press.run(&job, blobs);
                answer(&mut output, outcome, meter.resident())?;
            }
            WorkerRequest::Draw(drawing) => {
                limits::allow_processor_time(time * 2);
                let outcome = press.draw(&drawing);
                answer(&mut output, outcome, meter.resident())?;
            }
        }
    }
    Ok(())
}

fn answer(output: &mut impl Write, outcome: Outcome, resident: u64) -> io::Result<()> {
    match outcome {
        Ok((artifacts, warnings)) => {
            frame::write(output, &WorkerReply::Done { warnings, resident }, &artifacts)
        }
        Err(errors) => frame::write(output, &WorkerReply::Failed { errors, resident }, NO_BLOBS),
    }
}

/// Renders one word, so that fonts, the standard library and threads are loaded when a document arrives.
fn warm_up(press: &mut Press) {
    fonts::warm_up();
    let manifest = serde_json::json!({
        "quill": {"name": "warm", "backend": "typst", "description": "Warm", "version": "0.1.0"},
        "main": {"fields": {"word": {"type": "text"}}},
        "typst": {"plate_file": "plate.typ"},
    });
    let plate = "#import \"@local/quillmark-helper:0.2.0\" as qm\n*#qm.data.word*";
    press.keep(0, BTreeMap::from([("plate.typ".to_owned(), plate.as_bytes().to_vec())]));
    let layout = Layout::Plate {
        manifest,
        document: serde_json::json!({"fields": {"word": "warm"}, "body": "*warm*"}),
    };
    let job = Job {
        bundle: 0,
        layout,
        format: Format::Pdf,
        date: "1970-01-01".to_owned(),
        ppi: 72.0,
        pages: 1,
        bytes: u64::MAX,
        pictures: Vec::new(),
        standards: Vec::new(),
    };
    // An error here occurs again, and is reported, with the first document.
    let _ = press.run(&job, Vec::new());
}
