//! What Proofmark and its render worker say to each other.
//!
//! Proofmark starts the worker, `proofmark-render`, and talks to it over standard input and output. Every
//! message is a [`frame`]. The worker begins with [`WorkerReply::Hello`], gets ready and says
//! [`WorkerReply::Ready`]; from then on each [`WorkerRequest`] gets one reply.
//!
//! Both programs are built from this crate, but not always from the same version of it: when a message
//! changes, [`PROTOCOL`] does, and a client refuses a worker with another number.

mod format;
pub mod frame;
mod message;

pub use self::{
    format::{Format, PdfStandard},
    message::{
        DocumentPath, Drawing, EngineMessage, FilePosition, Job, Layout, Picture, Root, Stage, Step,
        WorkerReply, WorkerRequest,
    },
};

/// Version of the messages.
pub const PROTOCOL: u32 = 4;

/// Name of the worker program, without the extension that some systems add.
pub const PROGRAM: &str = "proofmark-render";

/// Version of the package.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Option of the worker: most memory beyond that of the start, in bytes.
pub const MEMORY: &str = "--memory";

/// Option of the worker: the longest time of one document, in milliseconds.
pub const MILLISECONDS: &str = "--milliseconds";
