//! Files from strangers: packs, configurations and whatever changes under a call.
#![cfg(unix)]

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
    let mut ask = |line: &[u8]| -> serde_json::Value {
        input.write_all(line).unwrap();
        input.write_all(b"\n").unwrap();
        let mut answer = String::new();
        output.read_line(&mut answer).unwrap();
        serde_json::from_str::<serde_json::Value>(&answer).unwrap()
    };
    let initialize = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}"#;
    assert_eq!(ask(b"nonsense")["error"]["code"], -32700, "also before the handshake");
    assert_eq!(ask(initialize.as_bytes())["id"], 1);
    assert_eq!(
        ask(b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\nnonsense")["error"]["code"],
        -32700
    );
    assert_eq!(ask(br#"{"jsonrpc":"2.0","id":7,"method":"x","params":{"a":"\ud83d"}}"#)["id"], 7);
    assert_eq!(ask(b"[]")["error"]["code"], -32600);
    let long = format!(r#"{{"jsonrpc":"2.0","id":8,"method":"{}"}}"#, "x".repeat(40 << 20));
    assert!(ask(long.as_bytes())["error"]["message"].as_str().unwrap().contains("bytes"));
    let odd: [&[u8]; 8] = [
        br#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#,
        br#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#,
        br#"{"jsonrpc":"2.0","id":true,"method":"ping"}"#,
        br#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#,
        br#"{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}"#,
        br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":5}"#,
        br#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#,
        b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\"}",
    ];
    for line in odd {
        // What has no answer would be answered by the next line.
        let answer = ask(line);
        assert!(answer["error"]["code"].is_number(), "{}: {answer}", String::from_utf8_lossy(line));
    }
    assert_eq!(ask(br#"{"jsonrpc":"2.0","id":9,"method":"ping"}"#)["id"], 9);
    drop(input);
    assert!(server.wait().unwrap().success());
}

/// A program that leaves a trace when it is started.
fn traced_program(path: &Path, trace: &Path) {
    use std::os::unix::fs::PermissionsExt;
    fs::write(path, format!("#!/bin/sh\necho started >> '{}'\n", trace.display())).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

/// What a command writes, as text.
fn written(output: &Output) -> String {
    [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes).into_owned()).concat()
}

#[test]
fn a_configuration_that_was_found_starts_no_program() {
    let folder = tempfile::tempdir().unwrap();
    let trace = folder.path().join("trace");
    let repository = folder.path().join("repository");
    fs::create_dir(&repository).unwrap();
    traced_program(&repository.join("program"), &trace);
    fs::write(repository.join("a.md"), "# A\n").unwrap();
    fs::write(repository.join("a.qmd"), "---\ntitle: A\n---\n\nText.\n").unwrap();
    let configuration = "[convert]\npandoc = \"program\"\n\n[render]\nworker = \"program\"\n";
    fs::write(repository.join("proofmark.toml"), configuration).unwrap();
    // A copy of the program is installed without a worker.
    let installed = folder.path().join("proofmark");
    fs::copy(env!("CARGO_BIN_EXE_proofmark"), &installed).unwrap();
    let run = |arguments: &[&str]| {
        let mut command = Command::new(&installed);
        command.args(arguments).current_dir(&repository).env("PATH", folder.path());
        command.env_remove("PROOFMARK_RENDER_WORKER").stdin(Stdio::null()).output().unwrap()
    };
    let commands: [&[&str]; 6] = [
        &["check", "a.md"],
        &["fix", "a.md"],
        &["convert", "--formats"],
        &["convert", "a.qmd", "--to", "docx", "--engine", "pandoc"],
        &["render", "a.md"],
        &["serve"],
    ];
    for arguments in commands {
        let shown = written(&run(arguments));
        assert!(!trace.exists(), "{arguments:?} starts the program: {shown}");
        for expected in ["PM018", "proofmark.toml:2:", "proofmark.toml:5:", "--config"] {
            assert!(shown.contains(expected), "{arguments:?} does not name `{expected}`: {shown}");
        }
    }
    run(&["convert", "--formats", "--config", "proofmark.toml"]);
    assert!(trace.exists(), "the user has named the configuration");
}

#[test]
fn a_configuration_that_was_found_leads_out_of_no_folder() {
    let folder = tempfile::tempdir().unwrap();
    let repository = folder.path().join("repository");
    fs::create_dir_all(repository.join("inside")).unwrap();
    fs::create_dir_all(folder.path().join("outside")).unwrap();
    fs::write(folder.path().join("outside/proofmark.toml"), "OUTSIDE-SECRET-TEXT\n").unwrap();
    symlink("../outside", repository.join("link")).unwrap();
    fs::write(repository.join("a.md"), "# A\n").unwrap();
    let settings = [
        "extends = [\"PATH\"]",
        "[packs]\npaths = [\"PATH\"]",
        "[quills]\npath = \"PATH\"",
        "[[quills.manual]]\nname = \"q\"\npath = \"PATH\"",
        "[templates]\npath = \"PATH\"",
        "[convert]\ntemplates = \"PATH\"",
        "[render]\nfonts = [\"PATH\"]",
        "[rules]\nbaseline = \"PATH\"",
    ];
    let check = |setting: &str, path: &str, arguments: &[&str]| {
        fs::write(repository.join("proofmark.toml"), setting.replace("PATH", path)).unwrap();
        written(&proofmark(&[&["check", "a.md"], arguments].concat(), &repository))
    };
    let absolute = folder.path().join("outside").to_string_lossy().into_owned();
    for setting in settings {
        for path in ["../outside", "inside/../../outside", "link", "../nowhere", absolute.as_str()] {
            let shown = check(setting, path, &[]);
            assert!(shown.contains("PM019") && shown.contains("--config"), "{setting} {path}: {shown}");
            assert!(!shown.contains("OUTSIDE-SECRET"), "{setting} {path}: {shown}");
            assert!(
                !shown.contains(&*folder.path().to_string_lossy()) || path == absolute,
                "{path}: {shown}"
            );
        }
        for (path, arguments) in [("inside", &[][..]), ("../outside", &["--config", "proofmark.toml"])] {
            let shown = check(setting, path, arguments);
            assert!(!shown.contains("PM019"), "{setting} {path} {arguments:?}: {shown}");
        }
    }
    // A folder of a checkout may refer to the others.
    fs::create_dir(folder.path().join(".git")).unwrap();
    let shown = check(settings[1], "../outside", &[]);
    assert!(!shown.contains("PM019"), "{shown}");
}

#[test]
fn a_configuration_of_another_user_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("proofmark.toml"), "").unwrap();
    fs::write(folder.path().join("a.md"), "# A\n").unwrap();
    let report = || written(&proofmark(&["check", "a.md"], folder.path()));
    assert!(!report().contains("PM020"), "{}", report());
    // Only root can give files away; `owners_are_compared` holds for everyone.
    if std::os::unix::fs::chown(folder.path().join("proofmark.toml"), Some(12_345), None).is_ok() {
        assert!(report().contains("PM020"), "{}", report());
    }
}

#[test]
fn no_report_is_written_over_what_it_is_about() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let files =
        [("a.md", "# A\n"), ("b.md", "# B\n"), ("proofmark.toml", ""), ("notes.rs", "fn main() {}\n")];
    for (name, text) in files {
        fs::write(at(name), text).unwrap();
    }
    fs::write(at("base.json"), "{\"version\": 1, \"findings\": []}").unwrap();
    symlink("a.md", at("link.txt")).unwrap();
    fs::hard_link(at("a.md"), at("hard.txt")).unwrap();
    let refused: [&[&str]; 12] = [
        &["check", "a.md", "--output", "a.md"],
        &["check", "a.md", "--output", "./a.md"],
        &["check", ".", "--output", "link.txt"],
        &["check", "a.md", "b.md", "--output", "sarif=hard.txt"],
        &["check", "a.md", "--format", "mermaid-report", "--output", "a.md"],
        &["check", "a.md", "--output", "proofmark.toml", "--force"],
        &["check", "a.md", "--baseline", "base.json", "--format", "json", "--output", "base.json"],
        &["check", "a.md", "--write-baseline", "a.md"],
        &["check", "a.md", "--output", "json=x.json", "--output", "sarif=./x.json"],
        &["check", "a.md", "--output", "notes.rs"],
        &["fix", "a.md", "--output", "a.md"],
        &["fix", "a.md", "--output", "notes.rs"],
    ];
    for arguments in refused {
        let output = proofmark(arguments, folder.path());
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", written(&output));
        for (name, text) in files {
            assert_eq!(fs::read_to_string(at(name)).unwrap(), text, "{arguments:?} {name}");
        }
    }
    for arguments in
        [&["check", "a.md", "--output", "notes.rs", "--force"][..], &["check", "a.md", "--output", "r"]]
    {
        for _ in 0..2 {
            assert_eq!(proofmark(arguments, folder.path()).status.code(), Some(0), "{arguments:?}");
        }
    }
}

#[test]
fn snapshots_are_not_written_through_links() {
    let folder = tempfile::tempdir().unwrap();
    let repository = folder.path().join("repository");
    fs::create_dir(&repository).unwrap();
    fs::write(folder.path().join("outside.txt"), OUTSIDE).unwrap();
    fs::write(repository.join("a.md"), "# A\n").unwrap();
    symlink("../outside.txt", repository.join("a.md.proofmark.txt")).unwrap();
    let shown = written(&proofmark(&["snapshot", "a.md"], &repository));
    assert!(!shown.contains("OUTSIDE-SECRET"), "{shown}");
    proofmark(&["snapshot", "a.md", "--update"], &repository);
    assert_eq!(fs::read_to_string(folder.path().join("outside.txt")).unwrap(), OUTSIDE);
}

/// A server over standard input and output, after its handshake.
struct Session {
    server: std::process::Child,
    input: std::process::ChildStdin,
    output: BufReader<std::process::ChildStdout>,
}

impl Session {
    fn start(command: &mut Command) -> Self {
        let mut server =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let (input, output) = (server.stdin.take().unwrap(), BufReader::new(server.stdout.take().unwrap()));
        let mut session = Self { server, input, output };
        session.send(
            r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}"#,
        );
        assert_eq!(session.receive()["id"], 0);
        session.send(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
        session
    }

    fn send(&mut self, line: &str) {
        writeln!(self.input, "{line}").unwrap();
        self.input.flush().unwrap();
    }

    fn receive(&mut self) -> serde_json::Value {
        let mut answer = String::new();
        self.output.read_line(&mut answer).unwrap();
        serde_json::from_str(&answer).unwrap_or_else(|_| panic!("not an answer: {answer:?}"))
    }
}

fn call(id: u32, tool: &str, arguments: &serde_json::Value) -> String {
    let params = serde_json::json!({"name": tool, "arguments": arguments});
    serde_json::json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}).to_string()
}

#[test]
fn clients_start_no_program_that_the_user_has_not_allowed() {
    let folder = tempfile::tempdir().unwrap();
    let trace = folder.path().join("trace");
    traced_program(&folder.path().join("mmdc"), &trace);
    fs::create_dir(folder.path().join("repository")).unwrap();
    fs::write(folder.path().join("repository/proofmark.toml"), "[server]\nmermaid_cli = true\n").unwrap();
    let arguments =
        serde_json::json!({"content": "```mermaid\ngraph TD\n  A --> B\n```\n", "engine": "mermaid-cli"});
    let engine_of = |options: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_proofmark"));
        command.arg("serve").args(options).current_dir(folder.path().join("repository"));
        let path = std::env::join_paths([folder.path(), Path::new("/bin"), Path::new("/usr/bin")]).unwrap();
        let mut session = Session::start(command.env("PATH", path).env_remove("MERMAID_CLI_PATH"));
        session.send(&call(1, "quarto_validate_mermaid", &arguments));
        session.receive()["result"]["structuredContent"].clone()
    };
    for options in [&[][..], &["--isolated"]] {
        let answer = engine_of(options);
        assert_eq!(answer["engine_error"]["code"], "MERMAID_CLI_NOT_ALLOWED", "{answer}");
        assert!(!trace.exists(), "{options:?}");
    }
    let answer = engine_of(&["--config", "proofmark.toml"]);
    assert_eq!(answer["validation_engine"], "mermaid-cli", "{answer}");
    assert!(trace.exists());
}

#[test]
fn calls_under_way_are_answered_when_a_signal_ends_the_server() {
    let mut session =
        Session::start(Command::new(env!("CARGO_BIN_EXE_proofmark")).args(["serve", "--isolated"]));
    let text = "- a paragraph with *emphasis*, `code`, and [a link](#there)\n\n".repeat(6_000);
    for id in 1..=3 {
        session.send(&call(id, "validate", &serde_json::json!({"text": text, "kind": "markdown"})));
    }
    // Lines are read in order: when this one has its answer, the calls are under way.
    session.send(r#"{"jsonrpc":"2.0","id":9,"method":"ping"}"#);
    let mut seen = Vec::new();
    while !seen.contains(&9) {
        seen.push(session.receive()["id"].as_u64().unwrap());
    }
    let pid = session.server.id().to_string();
    assert!(Command::new("kill").args(["-TERM", &pid]).status().unwrap().success());
    while seen.len() < 4 {
        let answer = session.receive();
        assert!(answer["result"]["structuredContent"]["valid"].is_boolean(), "{answer}");
        seen.push(answer["id"].as_u64().unwrap());
    }
    // The client still has the input open.
    assert!(session.server.wait().unwrap().success());
}

#[test]
fn refused_requests_are_logged_but_not_each() {
    use std::{io::Read, net::TcpStream};
    let mut server = Command::new(env!("CARGO_BIN_EXE_proofmark"))
        .args(["serve", "--isolated", "--http", "127.0.0.1:0", "--token-variable", "TOKEN"])
        .env("TOKEN", "a-token-of-many-characters")
        .env("PROOFMARK_LOG", "info")
        .stdin(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut log = BufReader::new(server.stderr.take().unwrap());
    let mut line = String::new();
    while !line.contains("serving MCP") {
        line.clear();
        assert!(log.read_line(&mut line).unwrap() > 0, "the server ends");
    }
    let entry: serde_json::Value = serde_json::from_str(&line).unwrap();
    let address = entry["fields"]["address"].as_str().unwrap().to_owned();
    let request = |headers: &str| {
        let mut stream = TcpStream::connect(&address).unwrap();
        write!(stream, "POST /mcp HTTP/1.1\r\n{headers}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
            .unwrap();
        let mut answer = String::new();
        let _ = stream.read_to_string(&mut answer);
        answer
    };
    let token = "Authorization: Bearer a-token-of-many-characters";
    for _ in 0..20 {
        assert!(request("Host: localhost").contains(" 401 "));
        assert!(request(&format!("Host: evil.example\r\n{token}")).contains(" 403 "));
        assert!(
            request(&format!("Host: localhost\r\nOrigin: https://evil.example\r\n{token}")).contains(" 403 ")
        );
    }
    assert!(Command::new("kill").args(["-TERM", &server.id().to_string()]).status().unwrap().success());
    let mut rest = String::new();
    log.read_to_string(&mut rest).unwrap();
    server.wait().unwrap();
    for reason in ["token", "host", "origin"] {
        let lines = rest.lines().filter(|line| line.contains(&format!("\"reason\":\"{reason}\""))).count();
        assert!((1..10).contains(&lines), "{reason}: {lines} of 20 are logged: {rest}");
    }
    assert!(!rest.contains("a-token"), "{rest}");
}
