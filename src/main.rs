//! The command line of Proofmark.

mod cli;

/// Trees and findings are many small allocations, a tenth of the time with the system's allocator.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    cli::main()
}
