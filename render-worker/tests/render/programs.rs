//! The programs that the tests start.

use std::{
    env,
    path::{Path, PathBuf},
    process::Command,
    sync::LazyLock,
};

use proofmark::internals::render::WorkerProgram;

/// The worker of this package.
pub(crate) fn worker() -> WorkerProgram {
    WorkerProgram::at(env!("CARGO_BIN_EXE_proofmark-render"))
}

/// `proofmark`, built into the folder of the worker, where it finds it.
pub(crate) fn proofmark() -> &'static Path {
    static PROGRAM: LazyLock<PathBuf> = LazyLock::new(build);
    &PROGRAM
}

/// Cargo builds the programs of the package under test only. The arguments are those of
/// `cargo test --workspace`, so that nothing is compiled anew when that has been run; the test program `repository`
/// covers all tests of the other package: every one of them needs its program.
fn build() -> PathBuf {
    let worker = Path::new(env!("CARGO_BIN_EXE_proofmark-render"));
    let release = worker.parent().is_some_and(|folder| folder.ends_with("release"));
    let status = Command::new(env!("CARGO"))
        .args(["test", "--quiet", "--workspace", "--no-run", "--test", "repository"])
        .args(release.then_some("--release"))
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .status();
    assert!(status.expect("cargo can be started").success(), "`proofmark` cannot be built");
    worker.with_file_name(format!("proofmark{}", env::consts::EXE_SUFFIX))
}
