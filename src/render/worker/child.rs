use std::{
    collections::BTreeMap,
    io::{self, BufReader, Read, Write},
    thread,
    time::Duration,
};

use super::{
    super::{
        job::{Job, Layout, Order, Reply},
        press::Press,
    },
    frame,
    limits::{self, Meter},
    sandbox,
};

/// Stack of the thread that renders, in bytes: layouts nest.
const STACK: usize = 64 * 1024 * 1024;

/// Is a worker: obeys the orders of `input` until it ends. `memory` bounds what it may use, in bytes,
/// and `time` what one document may take.
///
/// # Errors
/// When a stream breaks or brings what is no order; whoever reads the other end sees it end.
pub fn work<R, W>(input: R, output: W, memory: u64, time: Duration) -> io::Result<()>
where
    R: Read + Send + 'static,
    W: Write + Send + 'static,
{
    let meter = Meter::open();
    // Before there are threads: only those that are started from here on are held to it.
    sandbox::enter();
    let work = move || obey(BufReader::new(input), output, meter, memory, time);
    let thread = thread::Builder::new().name("render".to_owned()).stack_size(STACK).spawn(work)?;
    thread.join().unwrap_or_else(|_| Err(io::Error::other("the renderer panicked")))
}

fn obey(
    mut input: impl Read,
    mut output: impl Write,
    mut meter: Meter,
    memory: u64,
    time: Duration,
) -> io::Result<()> {
    let mut press = Press::new();
    warm_up(&mut press);
    limits::give_up(memory, &mut meter);
    let nothing: &[Vec<u8>] = &[];
    frame::write(&mut output, &Reply::Ready, nothing)?;
    while let Some((order, blobs)) = frame::read::<Order>(&mut input)? {
        match order {
            Order::Keep { bundle, paths } => {
                press.keep(bundle, paths.into_iter().zip(blobs).collect());
                frame::write(&mut output, &Reply::Ready, nothing)?;
            }
            Order::Render(job) => {
                // Threads count together.
                limits::allow_processor_time(time * 2);
                let outcome = press.run(&job);
                let resident = meter.resident();
                match outcome {
                    Ok((artifacts, remarks)) => {
                        frame::write(&mut output, &Reply::Done { remarks, resident }, &artifacts)?;
                    }
                    Err(faults) => {
                        frame::write(&mut output, &Reply::Failed { faults, resident }, nothing)?;
                    }
                }
            }
        }
    }
    Ok(())
}

/// Renders a word, so that fonts, the standard library and threads are there when a document comes.
fn warm_up(press: &mut Press) {
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
        format: super::super::Format::Pdf,
        date: "1970-01-01".to_owned(),
        ppi: 72.0,
        pages: 1,
        bytes: u64::MAX,
    };
    // What fails here fails again, and is told, with the first document.
    let _ = press.run(&job);
}
