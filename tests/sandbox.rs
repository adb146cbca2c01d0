//! Files from strangers: packs, configurations and whatever changes under a call.
#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a failed expectation fails the test"
)]

use std::{
    fs,
    io::{BufRead, BufReader, Write},
    os::unix::fs::symlink,
    path::Path,
    process::{Command, Output, Stdio},
    sync::atomic::{AtomicBool, Ordering},
    time::{Duration, Instant},
};

use proofmark::{Access, Client, Configuration, Input, Overrides, Project, Ruleset};

const OUTSIDE: &str = "OUTSIDE-SECRET-TEXT: 1\n";
const PACK: &str = "version: 1\nname: shop\ndescription: a shop\nprefix: SH\nkinds: [yaml]\n";
const RULES: &str = "version: 1\nrules:\n  - id: SH001\n    name: shop-id\n    severity: error\n    since: 0.1.0\n    \
                     given: $\n    check: {required: id}\n    message: \"no id\"\n    explain: \"Because.\"\n";

/// A folder with a pack, beside a file that the pack must not read.
fn pack() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("outside.txt"), OUTSIDE).unwrap();
    fs::create_dir(folder.path().join("pack")).unwrap();
    fs::write(folder.path().join("pack/pack.yaml"), PACK).unwrap();
    fs::write(folder.path().join("pack/rules.yaml"), RULES).unwrap();
    folder
}

fn load(folder: &Path) -> Result<(), String> {
    match Ruleset::with_packs(&[folder.join("pack")]) {
        Ok(_) => Ok(()),
        Err(errors) => Err(errors.iter().map(|error| format!("{error:?} {error}")).collect()),
    }
}

fn proofmark(arguments: &[&str], folder: &Path) -> Output {
    Command::new(env!("CARGO_BIN_EXE_proofmark")).args(arguments).current_dir(folder).output().unwrap()
}

#[test]
fn no_file_of_a_pack_is_read_through_a_link() {
    type Change = fn(&Path);
    let plain = pack();
    load(plain.path()).unwrap();
    let changes: [(&str, Change); 6] = [
        ("pack.yaml", |pack| {
            fs::remove_file(pack.join("pack.yaml")).unwrap();
            symlink("../outside.txt", pack.join("pack.yaml")).unwrap();
        }),
        ("rules.yaml", |pack| {
            fs::remove_file(pack.join("rules.yaml")).unwrap();
            symlink("../outside.txt", pack.join("rules.yaml")).unwrap();
        }),
        ("a schema", |pack| {
            fs::write(pack.join("pack.yaml"), format!("{PACK}schemas: {{x: x.json}}\n")).unwrap();
            symlink("../outside.txt", pack.join("x.json")).unwrap();
        }),
        ("a schema by a path", |pack| {
            fs::write(pack.join("pack.yaml"), format!("{PACK}schemas: {{x: ../outside.txt}}\n")).unwrap();
        }),
        ("a grammar in a linked folder", |pack| {
            let grammar = "grammars: {x: {file: in/outside.txt, start: x, languages: [x]}}\n";
            fs::write(pack.join("pack.yaml"), format!("{PACK}{grammar}")).unwrap();
            symlink("..", pack.join("in")).unwrap();
        }),
        ("a schema that is a device", |pack| {
            fs::write(pack.join("pack.yaml"), format!("{PACK}schemas: {{x: x.json}}\n")).unwrap();
            symlink("/dev/zero", pack.join("x.json")).unwrap();
        }),
    ];
    for (what, change) in changes {
        let folder = pack();
        change(&folder.path().join("pack"));
        let refused = load(folder.path()).expect_err(what);
        assert!(!refused.contains("OUTSIDE-SECRET"), "{what}: {refused}");
        if what.contains("linked folder") {
            // As a document, a pack reads below the folder of the project, where the link leads.
            continue;
        }
        fs::write(folder.path().join("proofmark.toml"), "[packs]\npaths = [\"pack\"]\n").unwrap();
        fs::write(folder.path().join("a.yaml"), "a: 1\n").unwrap();
        for arguments in [&["check", "a.yaml"][..], &["rules", "test", "pack"], &["rules", "list"]] {
            let output = proofmark(arguments, folder.path());
            let shown =
                [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
            assert!(!shown.concat().contains("OUTSIDE-SECRET"), "{what} {arguments:?}: {}", shown.concat());
        }
    }
}

#[test]
fn a_file_that_becomes_a_pipe_blocks_no_reader() {
    let folder = tempfile::tempdir().unwrap();
    let (path, file, pipe) =
        (folder.path().join("a.md"), folder.path().join("file"), folder.path().join("pipe"));
    fs::write(&file, "# A\n").unwrap();
    let made = Command::new("mkfifo").arg(&pipe).status().unwrap();
    assert!(made.success());
    fs::copy(&file, &path).unwrap();
    let overrides = Overrides {
        folder: Some(folder.path().to_owned()),
        client: Client::Service,
        access: Access::Below(vec![folder.path().to_owned()]),
        ..Overrides::default()
    };
    let project = Project::open(&Configuration::Default, overrides).unwrap();
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut now = [&file, &pipe].into_iter().cycle();
            while !done.load(Ordering::Relaxed) {
                let next = folder.path().join("next");
                fs::hard_link(now.next().unwrap(), &next).unwrap();
                fs::rename(&next, &path).unwrap();
                let _ = fs::remove_file(&next);
            }
        });
        let started = Instant::now();
        for _ in 0..2_000 {
            let _ = project.subject(Input::file(Path::new("a.md")));
            assert!(started.elapsed() < Duration::from_mins(1), "a call blocks");
        }
        done.store(true, Ordering::Relaxed);
    });
}

#[test]
fn a_configuration_that_was_found_opens_nothing_outside_its_folder() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir_all(folder.path().join("repository/docs")).unwrap();
    let repository = folder.path().join("repository");
    let roots =
        |roots: &str| fs::write(repository.join("proofmark.toml"), format!("[server]\nroots = [{roots}]\n"));
    let open = |configuration: &Configuration| {
        let overrides = Overrides {
            folder: Some(repository.clone()),
            client: Client::Service,
            access: Access::Configured,
            ..Overrides::default()
        };
        Project::open(configuration, overrides).map(|_| ()).map_err(|errors| errors.to_string())
    };
    roots("\"docs\"").unwrap();
    open(&Configuration::Nearest).unwrap();
    for outside in ["\"/\"", "\"..\"", "\"docs\", \"docs/../..\""] {
        roots(outside).unwrap();
        assert!(open(&Configuration::Nearest).unwrap_err().contains("--root"), "{outside}");
        open(&Configuration::File(repository.join("proofmark.toml"))).unwrap();
    }
}

#[test]
fn every_line_of_a_client_has_an_answer() {
    let folder = tempfile::tempdir().unwrap();
    let mut server = Command::new(env!("CARGO_BIN_EXE_proofmark"))
        .args(["serve", "--isolated"])
        .current_dir(folder.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut input = server.stdin.take().unwrap();
    let mut output = BufReader::new(server.stdout.take().unwrap());
    let mut ask = |line: &str| -> serde_json::Value {
        writeln!(input, "{line}").unwrap();
        let mut answer = String::new();
        output.read_line(&mut answer).unwrap();
        serde_json::from_str::<serde_json::Value>(&answer).unwrap()
    };
    let initialize = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}"#;
    assert_eq!(ask("nonsense")["error"]["code"], -32700, "also before the handshake");
    assert_eq!(ask(initialize)["id"], 1);
    assert_eq!(
        ask("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\nnonsense")["error"]["code"],
        -32700
    );
    assert_eq!(ask(r#"{"jsonrpc":"2.0","id":7,"method":"x","params":{"a":"\ud83d"}}"#)["id"], 7);
    assert_eq!(ask("[]")["error"]["code"], -32600);
    let long = format!(r#"{{"jsonrpc":"2.0","id":8,"method":"{}"}}"#, "x".repeat(40 << 20));
    assert!(ask(&long)["error"]["message"].as_str().unwrap().contains("bytes"));
    assert_eq!(ask(r#"{"jsonrpc":"2.0","id":9,"method":"ping"}"#)["id"], 9);
    drop(input);
    assert!(server.wait().unwrap().success());
}
