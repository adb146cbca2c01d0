//! The command line of Proofmark.

mod cli;

fn main() -> std::process::ExitCode {
    cli::main()
}
