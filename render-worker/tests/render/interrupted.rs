//! Rendering that is killed: every file has its old content or its new one, and no worker stays.
//!
//! `OUTPUTS` is how many files are written while renderings are killed (40).
#![cfg(unix)]

use std::{
    fs,
    path::Path,
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use super::{LETTER, programs};
use crate::numbers::Numbers;

const FILES: usize = 12;

/// Renders all letters of a folder.
fn rendering(folder: &Path) -> Command {
    let mut command = Command::new(programs::proofmark());
    command
        .args(["--isolated", "render", "--date", "2026-01-31", "-o", "out/"])
        .args((0..FILES).map(|n| format!("{n}.md")))
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command
}

#[test]
fn a_killed_rendering_leaves_every_page_old_or_new() {
    let folder = tempfile::tempdir().unwrap();
    let result = |n: usize| folder.path().join("out").join(format!("{n}.pdf"));
    let write = |version: usize| {
        for n in 0..FILES {
            let text = format!("{LETTER}\nVersion {version} of {n}.\n\n{}", "A paragraph.\n\n".repeat(30));
            fs::write(folder.path().join(format!("{n}.md")), text).unwrap();
        }
    };
    let mut whole = Duration::ZERO;
    let versions = [0, 1].map(|version| {
        write(version);
        let started = Instant::now();
        assert!(rendering(folder.path()).status().unwrap().success());
        whole = started.elapsed();
        (0..FILES).map(|n| fs::read(result(n)).unwrap()).collect::<Vec<_>>()
    });
    assert_ne!(versions[0], versions[1]);
    let wanted = std::env::var("OUTPUTS").ok().and_then(|text| text.parse().ok()).unwrap_or(40);
    let mut numbers = Numbers(17);
    let (mut written, mut kept, mut version) = (0, 0, 0);
    while written < wanted || kept == 0 {
        let before: Vec<Vec<u8>> = (0..FILES).map(|n| fs::read(result(n)).unwrap()).collect();
        write(version);
        let mut child = rendering(folder.path()).spawn().unwrap();
        let most = usize::try_from(whole.as_micros()).unwrap().max(1);
        thread::sleep(Duration::from_micros(numbers.below(most) as u64));
        child.kill().unwrap();
        child.wait().unwrap();
        for n in 0..FILES {
            let now = fs::read(result(n)).unwrap();
            assert!(versions.iter().any(|results| results[n] == now), "{n} is torn: {} bytes", now.len());
            written += usize::from(now != before[n]);
            kept += usize::from(now == before[n]);
        }
        version = 1 - version;
    }
    assert!(rendering(folder.path()).status().unwrap().success());
    let left = fs::read_dir(folder.path().join("out")).unwrap().count();
    assert_eq!(left, FILES, "no other file is left");
    println!("{written} results written, {kept} kept");
}
