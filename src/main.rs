//! The program `proofmark`.

/// Trees and findings are many small allocations, a tenth of the time with the system's allocator.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    proofmark::main_with(std::env::args_os())
}
