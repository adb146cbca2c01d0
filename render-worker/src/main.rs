//! The render worker: lays out documents for Proofmark.
//!
//! Proofmark starts this program; you do not need to. The engine has no time limit and cannot be
//! interrupted, so it runs where it can be killed, with little memory and no files. The worker reads
//! requests from standard input and writes replies to standard output until its input ends; the messages
//! are those of `proofmark-render-protocol`.

mod arguments;
mod classic;
mod diagram;
mod document_path;
mod export;
mod fonts;
mod limits;
mod mark;
mod prepare;
mod press;
mod richtext;
mod sandbox;
mod worker;

use std::{
    io::{self, Write},
    process::ExitCode,
};

use self::arguments::Command;

/// The allocator of Proofmark itself: layouts are many small allocations too.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The exit code of wrong arguments, as in `proofmark`.
const USAGE: u8 = 2;

/// The exit code of a worker whose client broke the protocol or that broke itself.
const INTERNAL: u8 = 3;

fn main() -> ExitCode {
    let (answer, code) = match arguments::parse(std::env::args().skip(1)) {
        Ok(Command::Work { memory, time }) => match worker::run(io::stdin(), io::stdout(), memory, time) {
            Ok(()) => return ExitCode::SUCCESS,
            Err(error) => (format!("error: {error}\n"), INTERNAL),
        },
        Ok(Command::Say(text)) => {
            // Who closes the stream has seen enough.
            let _ = io::stdout().write_all(text.as_bytes());
            return ExitCode::SUCCESS;
        }
        Err(wrong) => (format!("error: {wrong}\nhint: {}\n", arguments::HINT), USAGE),
    };
    let _ = io::stderr().write_all(answer.as_bytes());
    code.into()
}
