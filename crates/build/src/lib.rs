//! What the build scripts of Proofmark share: folders of the repository, grammars and rule packs as Rust source or
//! data that is compiled in. Programs of the profile `dev` compile rule packs with it, too.
//!
//! A build script fails with a warning that names the file and the line, and exit code 1.

#![allow(clippy::print_stdout, reason = "Cargo reads what build scripts print")]

mod descriptions;
mod folders;
mod grammars;
mod packs;
mod tables;
mod yaml;

use std::{
    env, fs,
    path::{Path, PathBuf},
};

pub use self::{
    folders::{compiled_in, texts},
    grammars::{diagrams, grammar},
    packs::{Packs, packs, state},
};

/// A folder or file of the repository, by its path from the top. Cargo runs the build script again when anything in it
/// changes.
pub fn input(path: &str) -> PathBuf {
    let path = repository(path);
    println!("cargo:rerun-if-changed={}", path.display());
    path
}

/// The same, for the build script alone. The package is at `crates/<name>`.
fn repository(path: &str) -> PathBuf {
    let package = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    package.ancestors().nth(2).unwrap_or(&package).join(path)
}

/// Writes a file to the folder of the build, where `include!` finds it.
pub fn output(name: &str, text: &str) {
    let path = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default()).join(name);
    if let Err(error) = fs::write(&path, text) {
        fail(&path, &error.to_string());
    }
}

fn fail(path: &Path, why: &str) -> ! {
    stop(&format!("{}: {why}", path.display()))
}

fn stop(why: &str) -> ! {
    println!("cargo:warning={why}");
    std::process::exit(1);
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    paths
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| fail(path, &error.to_string()))
}
