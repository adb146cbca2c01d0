//! Workers that are killed, and many documents at a time.

use std::{
    process::Command,
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use proofmark::{
    config::Render,
    render::{Library, Renderer},
};

use super::{LETTER, Own, builtin, limits, program, render, told};

/// Waits until so many workers wait for work.
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
        assert_eq!(rendered.artifacts.len(), 1, "{:?}", told(&rendered.diagnostics));
    }
}

#[test]
fn without_a_program_to_start_there_is_a_finding() {
    let library = Arc::new(Library::builtin());
    for other in ["/nonexistent/proofmark", "/bin/false", "/bin/cat"] {
        let limits = Render { timeout: Duration::from_secs(2), ..limits() };
        let renderer = Renderer::new(Arc::clone(&library), &limits, other.into());
        let rendered = render(&renderer, LETTER);
        assert_eq!(rendered.diagnostics[0].id, "RN304", "{other}");
    }
}

#[test]
fn two_hundred_documents_with_ten_hostile_ones_among_them() {
    let limits = Render { timeout: Duration::from_mins(1), memory: 512 * 1024 * 1024, ..limits() };
    let hostile = Own::plate_with(
        "#let a = \"0123456789\" * 1000000\n#let b = range(900).map(i => a + str(i))\n#b.len()",
        &[],
        &limits,
    );
    let good = Renderer::new(Arc::new(Library::builtin()), &limits, program());
    good.start_ahead();
    let (good, hostile) = (&good, &hostile);
    thread::scope(|scope| {
        let threads: Vec<_> = (0..8)
            .map(|thread| {
                scope.spawn(move || {
                    for number in (thread..200).step_by(8) {
                        if number % 20 == 7 {
                            let text = format!("---\nQUILL: own\ntitle: no. {number}\n---\n");
                            let rendered = hostile.render(&text);
                            assert_eq!(
                                rendered.diagnostics[0].id,
                                "RN302",
                                "{:?}",
                                told(&rendered.diagnostics)
                            );
                        } else {
                            let subject = format!("Number {number}");
                            let rendered = render(good, &LETTER.replace("Note G", &subject));
                            assert_eq!(rendered.artifacts.len(), 1, "{:?}", told(&rendered.diagnostics));
                            let pdf = String::from_utf8_lossy(&rendered.artifacts[0].bytes).into_owned();
                            assert!(pdf.contains(&subject), "each gets its own");
                        }
                    }
                })
            })
            .collect();
        for thread in threads {
            thread.join().unwrap();
        }
    });
    assert!(good.idle_workers().len() <= 2);
}
