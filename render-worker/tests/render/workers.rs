//! Workers that are killed, and many documents at a time.

use std::{
    fs,
    path::Path,
    process::Command,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use proofmark::internals::{
    budget::Budget,
    project::config::{Quills, Render},
    render::{Library, Renderer, WorkerError, WorkerProgram},
};

use super::{LETTER, Own, builtin, limits, messages, programs, render};

/// Waits until this number of workers is idle.
fn wait_for(renderer: &Renderer, workers: usize) -> Vec<u32> {
    let start = Instant::now();
    loop {
        let idle = renderer.idle_workers();
        if idle.len() >= workers {
            return idle;
        }
        assert!(start.elapsed() < Duration::from_mins(1), "no workers were started");
        thread::yield_now();
    }
}

#[cfg(unix)]
fn kill(process: u32) {
    assert!(Command::new("kill").args(["-9", &process.to_string()]).status().unwrap().success());
}

#[cfg(unix)]
#[test]
fn workers_that_are_killed_while_they_wait_are_replaced() {
    let renderer = builtin();
    renderer.start_ahead();
    wait_for(&renderer, 2).into_iter().for_each(kill);
    for subject in ["one", "two", "three"] {
        let rendered = render(&renderer, &LETTER.replace("Note G", subject));
        assert_eq!(rendered.artifacts.len(), 1, "{:?}", messages(&rendered.diagnostics));
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_worker_can_open_no_file_and_get_no_rights() {
    let renderer = builtin();
    assert_eq!(render(&renderer, LETTER).artifacts.len(), 1);
    let [worker] = wait_for(&renderer, 1)[..] else { panic!("one document needs one worker") };
    let limits = fs::read_to_string(format!("/proc/{worker}/limits")).unwrap();
    let hard = |name: &str| {
        let line = limits.lines().find(|line| line.starts_with(name)).unwrap();
        line[name.len()..].split_whitespace().nth(1).unwrap().to_owned()
    };
    let open = |number: u32| fs::read_link(format!("/proc/{worker}/fd/{number}")).is_ok();
    assert!(hard("Max open files") == "4" && (0..4).all(open), "all that it may open is open");
    assert_eq!((hard("Max file size").as_str(), hard("Max core file size").as_str()), ("0", "0"));
    let status = fs::read_to_string(format!("/proc/{worker}/status")).unwrap();
    assert!(status.contains("NoNewPrivs:\t1"), "{status}");
    // 2 is a filter.
    if cfg!(any(target_arch = "x86_64", target_arch = "aarch64", target_arch = "riscv64")) {
        assert!(status.contains("Seccomp:\t2"), "{status}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_worker_that_holds_much_memory_after_a_document_is_replaced() {
    let plate = "#let a = \"0123456789\" * 1000000\n#let b = range(30).map(i => a + str(i))\n#b.len()";
    let own = Own::plate_with(plate, &[], &Render { workers: 1, ..limits() });
    own.renderer.start_ahead();
    let first = wait_for(&own.renderer, 1);
    let rendered = own.render("---\nQUILL: own\n---\n");
    assert_eq!(rendered.artifacts.len(), 1, "{:?}", messages(&rendered.diagnostics));
    assert_ne!(wait_for(&own.renderer, 1), first);
    let light = builtin();
    assert_eq!(render(&light, LETTER).artifacts.len(), 1);
    let first = wait_for(&light, 1);
    assert_eq!(render(&light, &LETTER.replace("Note G", "Note H")).artifacts.len(), 1);
    assert_eq!(wait_for(&light, 1), first, "one that holds little is kept");
}

/// A renderer with another program than the worker.
fn with_program(program: &Path) -> Renderer {
    let limits = Render { timeout: Duration::from_secs(2), ..limits() };
    Renderer::new(Arc::new(Library::builtin()), &limits, WorkerProgram::at(program))
}

#[test]
fn without_a_worker_there_is_an_error_and_a_finding() {
    for (other, error) in [
        ("/nonexistent/proofmark-render", WorkerError::Missing),
        ("/bin/false", WorkerError::NotAWorker),
        ("/bin/cat", WorkerError::NotAWorker),
    ] {
        let renderer = with_program(Path::new(other));
        assert_eq!(renderer.check_worker(), Err(error.clone()), "{other}");
        let diagnostic = &render(&renderer, LETTER).diagnostics[0];
        assert_eq!((diagnostic.id.as_str(), &diagnostic.message), ("RN305", &error.to_string()), "{other}");
        assert_eq!(diagnostic.fix_hint, Some(error.hint()), "{other}");
    }
}

#[cfg(unix)]
#[test]
fn a_worker_of_another_protocol_is_refused_with_both_versions() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().unwrap();
    let hello = r#"{"lengths":[],"message":{"Hello":{"protocol":99,"version":"9.9.9","more":true}}}"#;
    let script = format!("#!/bin/sh\nprintf '\\{:03o}\\0\\0\\0%s' '{hello}'\n", hello.len());
    let program = folder.path().join("proofmark-render");
    fs::write(&program, script).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let renderer = with_program(&program);
    let error = renderer.check_worker().unwrap_err();
    assert_eq!(error, WorkerError::OtherProtocol { found: "9.9.9".to_owned(), protocol: 99 });
    let rendered = render(&renderer, LETTER);
    assert_eq!(rendered.diagnostics[0].message, error.to_string());
    assert_eq!(rendered.diagnostics[0].fix_hint, Some(error.hint()));
}

#[test]
fn a_worker_is_there_when_it_was_checked() {
    let renderer = builtin();
    assert_eq!(renderer.check_worker(), Ok(()));
    assert_eq!(renderer.idle_workers().len(), 1);
    assert_eq!(renderer.check_worker(), Ok(()));
    assert_eq!(renderer.idle_workers().len(), 1, "checking twice starts no second worker");
}

/// The workers of this process whose documents may take `time`, which no other test gives its own.
#[cfg(target_os = "linux")]
fn workers_with(time: Duration) -> Vec<u32> {
    let own = std::process::id().to_string();
    let wanted = time.as_millis().to_string();
    let processes = fs::read_dir("/proc").unwrap().flatten();
    let numbers = processes.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let is_ours = |number: &u32| {
        let Ok(status) = fs::read_to_string(format!("/proc/{number}/stat")) else { return false };
        let Ok(command) = fs::read_to_string(format!("/proc/{number}/cmdline")) else { return false };
        let after_name = status.rsplit(')').next().unwrap_or_default();
        let mut fields = after_name.split_whitespace();
        let alive = fields.next() != Some("Z");
        alive && fields.next() == Some(own.as_str()) && command.split('\0').any(|word| word == wanted)
    };
    numbers.filter(is_ours).collect()
}

/// Waits until there is something.
#[cfg(target_os = "linux")]
fn wait_until<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let start = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(start.elapsed() < Duration::from_mins(1), "waited for {what} in vain");
        thread::yield_now();
    }
}

/// A quill that counts to this number of thousands.
#[cfg(target_os = "linux")]
fn counting(thousands: u32, time: Duration) -> Own {
    let plate =
        format!("#let n = 0\n#for a in range({thousands}) {{ for b in range(1000) {{ n += 1 }} }}\nHello");
    Own::plate_with(&plate, &[], &Render { timeout: time, workers: 1, ..limits() })
}

#[cfg(target_os = "linux")]
const OWN: &str = "---\nQUILL: own\ntitle: a\n---\n\nSome *text*.\n";

#[cfg(target_os = "linux")]
#[test]
fn a_worker_ends_when_no_one_waits_for_its_result() {
    let own = counting(10_000_000, Duration::from_millis(91_241));
    own.renderer.start_ahead();
    let [worker] = wait_for(&own.renderer, 1)[..] else { panic!("one worker was asked for") };
    let cancelled = Arc::new(AtomicBool::new(false));
    let budget = Budget { cancelled: Some(Arc::clone(&cancelled)), ..Budget::default() };
    thread::scope(|scope| {
        let rendering = scope.spawn(|| budget.spend(|| own.render(OWN)).0);
        wait_until("the worker to have work", || own.renderer.idle_workers().is_empty().then_some(()));
        cancelled.store(true, Ordering::Relaxed);
        let rendered = rendering.join().unwrap();
        assert!(rendered.artifacts.is_empty(), "{:?}", messages(&rendered.diagnostics));
    });
    wait_until("the worker to end", || (!Path::new(&format!("/proc/{worker}")).exists()).then_some(()));
}

#[cfg(target_os = "linux")]
#[test]
fn a_document_whose_worker_is_killed_gets_another_one() {
    let time = Duration::from_millis(91_237);
    let own = counting(1_000, time);
    own.renderer.start_ahead();
    let [worker] = wait_for(&own.renderer, 1)[..] else { panic!("one worker was asked for") };
    let rendered = thread::scope(|scope| {
        let rendering = scope.spawn(|| own.render(OWN));
        wait_until("the worker to have work", || own.renderer.idle_workers().is_empty().then_some(()));
        kill(worker);
        rendering.join().unwrap()
    });
    assert_eq!(rendered.artifacts.len(), 1, "{:?}", messages(&rendered.diagnostics));
    assert!(!own.renderer.idle_workers().contains(&worker));
}

#[cfg(target_os = "linux")]
#[test]
fn workers_that_are_killed_again_and_again_end_in_a_finding_and_are_replaced() {
    let time = Duration::from_millis(91_241);
    let plate = "#let n = 0\n#if qm.data.title == \"long\" { \
                 for a in range(100000) { for b in range(100000) { n += 1 } } }\nHello";
    let own = Own::plate_with(plate, &[], &Render { timeout: time, workers: 1, ..limits() });
    own.renderer.start_ahead();
    let [first] = wait_for(&own.renderer, 1)[..] else { panic!("one worker was asked for") };
    let rendered = thread::scope(|scope| {
        let rendering = scope.spawn(|| own.render("---\nQUILL: own\ntitle: long\n---\n"));
        wait_until("the worker to have work", || own.renderer.idle_workers().is_empty().then_some(()));
        kill(first);
        // Kills the worker that gets the document next, and the one that is started ahead.
        wait_until("the end", || {
            for worker in workers_with(time) {
                let _ = Command::new("kill").args(["-9", &worker.to_string()]).output();
            }
            rendering.is_finished().then_some(())
        });
        rendering.join().unwrap()
    });
    let ids: Vec<&str> = rendered.diagnostics.iter().map(|d| d.id.as_str()).collect();
    assert_eq!(ids, ["RN304"], "{:?}", messages(&rendered.diagnostics));
    assert!(rendered.diagnostics[0].message.contains("signal 9"), "{:?}", messages(&rendered.diagnostics));
    let next = own.render("---\nQUILL: own\ntitle: short\n---\n");
    assert_eq!(next.artifacts.len(), 1, "{:?}", messages(&next.diagnostics));
}

/// Quills that mean harm, each with the finding that it must end in.
const HOSTILE: [(&str, &str, &[&str]); 10] = [
    ("reads", "#read(\"/etc/passwd\")", &["RN201", "RN203"]),
    ("outside", "#image(\"../../secret.png\")", &["RN201", "RN203"]),
    ("package", "#import \"@preview/cetz:0.3.0\": canvas", &["RN204"]),
    ("endless", "#let n = 0\n#for a in range(100000) { for b in range(100000) { n += 1 } }", &["RN301"]),
    ("forever", "#while true {}", &["RN201"]),
    ("pages", "#for i in range(1000000) { pagebreak() }", &["RN301", "RN302", "RN303"]),
    (
        "memory",
        // Few and large, so that memory runs out before time does, however slow the worker is.
        "#let a = \"0123456789\" * 10000000\n#let b = range(90).map(i => a + str(i))\n#b.len()",
        &["RN302"],
    ),
    ("deep", "#let f(n) = f(n + 1)\n#f(0)", &["RN201"]),
    ("broken", "#let x = (", &["RN201"]),
    ("panics", "#panic(\"no\")", &["RN201"]),
];

/// A renderer of the built-in quills and the hostile ones.
fn with_hostile_quills(folder: &Path) -> Renderer {
    for (name, plate, _) in HOSTILE {
        let quill = folder.join("quills").join(name);
        fs::create_dir_all(&quill).unwrap();
        let plate = format!("#import \"@local/quillmark-helper:0.2.0\" as qm\n{plate}");
        fs::write(quill.join("plate.typ"), plate).unwrap();
        let manifest = format!("quill: {{name: {name}, backend: typst, description: Hostile}}\n");
        fs::write(quill.join("Quill.yaml"), manifest).unwrap();
    }
    let config =
        Quills { path: folder.join("quills"), auto_register: true, builtin: true, manual: Vec::new() };
    let (library, problems) = Library::load(&config);
    assert!(problems.is_empty(), "{problems:?}");
    let limits = Render { timeout: Duration::from_secs(30), memory: 512 * 1024 * 1024, ..limits() };
    Renderer::new(Arc::new(library), &limits, programs::worker())
}

#[test]
fn two_hundred_documents_with_ten_hostile_ones_among_them() {
    let folder = tempfile::tempdir().unwrap();
    let renderer = with_hostile_quills(folder.path());
    renderer.start_ahead();
    let one = |number: usize| {
        if number % 20 == 7 {
            let (name, _, expected) = HOSTILE[number / 20];
            let rendered = render(&renderer, &format!("---\nQUILL: {name}\n---\n"));
            let ids: Vec<&str> = rendered.diagnostics.iter().map(|d| d.id.as_str()).collect();
            assert!(rendered.artifacts.is_empty(), "{name}");
            assert!(
                ids.len() == 1 && expected.contains(&ids[0]),
                "{name}: {:?}",
                messages(&rendered.diagnostics)
            );
        } else {
            let subject = format!("Number {number}");
            let rendered = render(&renderer, &LETTER.replace("Note G", &subject));
            assert_eq!(rendered.artifacts.len(), 1, "{:?}", messages(&rendered.diagnostics));
            let pdf = String::from_utf8_lossy(&rendered.artifacts[0].bytes).into_owned();
            assert!(pdf.contains(&subject), "each gets its own");
        }
    };
    let one = &one;
    thread::scope(|scope| {
        let threads: Vec<_> =
            (0..8).map(|thread| scope.spawn(move || (thread..200).step_by(8).for_each(one))).collect();
        for thread in threads {
            thread.join().unwrap();
        }
    });
    assert!(renderer.idle_workers().len() <= 2);
}

/// A worker that has begun a layout without an end, with the memory that it may use.
#[cfg(target_os = "linux")]
fn busy_worker(memory: u64, plate: &str) -> std::process::Child {
    use proofmark_render_protocol::{
        Format, Job, Layout, MEMORY, MILLISECONDS, WorkerReply, WorkerRequest,
        frame::{self, NO_BLOBS},
    };
    use std::process::Stdio;
    let mut worker = Command::new(env!("CARGO_BIN_EXE_proofmark-render"))
        .args([MEMORY, &memory.to_string(), MILLISECONDS, "60000"])
        .env_clear()
        .env("MIMALLOC_ARENA_RESERVE", "0")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut input = worker.stdin.take().unwrap();
    let mut output = worker.stdout.take().unwrap();
    let mut reply = || frame::read::<WorkerReply>(&mut output).unwrap().unwrap();
    reply();
    reply();
    let keep = WorkerRequest::Keep { bundle: 1, paths: vec!["plate.typ".to_owned()] };
    frame::write(&mut input, &keep, &[plate.as_bytes()]).unwrap();
    reply();
    let manifest = serde_json::json!({
        "quill": {"name": "endless", "backend": "typst", "description": "Endless", "version": "0.1.0"},
        "main": {"fields": {"word": {"type": "text"}}},
        "typst": {"plate_file": "plate.typ"},
    });
    let document = serde_json::json!({"fields": {"word": "word"}, "body": ""});
    let job = Job {
        bundle: 1,
        layout: Layout::Plate { manifest, document },
        format: Format::Pdf,
        date: "1970-01-01".to_owned(),
        ppi: 72.0,
        pages: 1,
        bytes: 1 << 20,
        pictures: Vec::new(),
        standards: Vec::new(),
    };
    frame::write(&mut input, &WorkerRequest::Render(job), NO_BLOBS).unwrap();
    (worker.stdin, worker.stdout) = (Some(input), Some(output));
    worker
}

#[cfg(target_os = "linux")]
#[test]
fn a_busy_worker_ends_with_its_client() {
    let plate = "#let n = 0\n#for a in range(100000) { for b in range(100000) { n += 1 } }";
    let mut worker = busy_worker(1 << 30, plate);
    thread::sleep(Duration::from_millis(200));
    assert!(worker.try_wait().unwrap().is_none(), "it is busy");
    let ended = Instant::now();
    // What the system does when the client is killed.
    drop((worker.stdin.take(), worker.stdout.take()));
    assert!(worker.wait().unwrap().success());
    assert!(ended.elapsed() < Duration::from_secs(5), "{:?}", ended.elapsed());
}

#[cfg(target_os = "linux")]
#[test]
fn the_limit_on_memory_holds_at_its_value() {
    let plate = "#let a = \"0123456789\" * 1000000\n#let b = range(400).map(i => a + str(i))\n#b.len()";
    let mut worker = busy_worker(256 << 20, plate);
    let status = format!("/proc/{}/status", worker.id());
    let peak = || {
        let now = fs::read_to_string(&status).unwrap_or_default();
        let line = now.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
        line.trim().split(' ').next()?.parse::<u64>().ok()
    };
    let ready = peak().unwrap();
    let mut most = ready;
    while worker.try_wait().unwrap().is_none() {
        most = most.max(peak().unwrap_or_default());
        thread::sleep(Duration::from_millis(5));
    }
    // What the process uses when it is ready does not count.
    assert!(most < ready + (256 + 64) * 1024, "{ready} KiB, then {most} KiB");
}

#[cfg(target_os = "linux")]
#[test]
fn a_worker_runs_in_a_folder_where_nothing_can_be_made() {
    let renderer = builtin();
    assert_eq!(render(&renderer, LETTER).artifacts.len(), 1);
    let [worker] = wait_for(&renderer, 1)[..] else { panic!("one document needs one worker") };
    let folder = fs::read_link(format!("/proc/{worker}/cwd")).unwrap();
    assert!(folder.to_string_lossy().ends_with("(deleted)"), "{}", folder.display());
    let environment = fs::read_to_string(format!("/proc/{worker}/environ")).unwrap();
    assert!(environment.split('\0').filter(|entry| !entry.is_empty()).count() == 3, "{environment}");
}
