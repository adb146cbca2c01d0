//! The index of Org files: 10 000 files of 10 KB, cold and warm, and after the change of one file.
#![allow(
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a benchmark that cannot run must fail, and prints"
)]

use std::{
    fmt::Write as _,
    fs,
    path::Path,
    sync::Arc,
    time::{Duration, Instant},
};

use proofmark::{
    Access, Configuration, Overrides, Project,
    internals::{
        project,
        service::{Options, Service, Toolset},
    },
};
use rmcp::{RoleClient, ServiceExt, model::CallToolRequestParams, service::RunningService};
use serde_json::{Value, json};
use tokio::runtime::Runtime;

const FILES: usize = 10_000;
const BYTES: usize = 10 * 1024;

/// Numbers that look random and are the same in each run (xorshift).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % end as u64) as usize
    }
}

const WORDS: [&str; 24] = [
    "report", "invoice", "meeting", "garden", "travel", "budget", "letter", "window", "review", "plan",
    "the", "and", "with", "about", "before", "call", "write", "check", "house", "number", "paper", "group",
    "after", "week",
];

/// A file of 10 KB: about 30 headlines, most of them tasks, a third of them with dates, properties, tags.
fn file(number: usize, numbers: &mut Numbers) -> String {
    let mut text = format!("#+TITLE: File {number}\n#+FILETAGS: :f{}:\n", number % 10);
    let mut headline = 0;
    while text.len() < BYTES {
        headline += 1;
        let state = ["", "TODO ", "TODO ", "DONE "][numbers.below(4)];
        let tag = ["", " :work:", " :home:urgent:"][numbers.below(3)];
        let stars = "*".repeat(1 + numbers.below(3));
        let (one, other) = (WORDS[numbers.below(24)], WORDS[numbers.below(24)]);
        let _ = writeln!(text, "{stars} {state}{one} {other} {number}-{headline}{tag}");
        if numbers.below(3) == 0 {
            let (month, day) = (1 + numbers.below(12), 1 + numbers.below(28));
            let repeater = ["", "", " +1w"][numbers.below(3)];
            let _ = writeln!(text, "SCHEDULED: <2026-{month:02}-{day:02}{repeater}>");
        }
        if numbers.below(3) == 0 {
            let _ = writeln!(text, ":PROPERTIES:\n:ID: id-{number}-{headline}\n:Effort: 1:00\n:END:");
        }
        for _ in 0..=numbers.below(4) {
            for _ in 0..12 {
                text.push_str(WORDS[numbers.below(24)]);
                text.push(' ');
            }
            let _ = writeln!(text, "w{}", numbers.below(5_000));
        }
    }
    text
}

fn corpus(folder: &Path) {
    let mut numbers = Numbers(0x9E37_79B9_7F4A_7C15);
    for number in 0..FILES {
        let below = folder.join(format!("{:02}", number % 100));
        if number < 100 {
            fs::create_dir(&below).expect("a folder");
        }
        fs::write(below.join(format!("{number}.org")), file(number, &mut numbers)).expect("a file");
    }
}

fn service(folder: &Path) -> Service {
    let overrides = Overrides {
        folder: Some(folder.to_owned()),
        client: project::Client::Service,
        access: Access::Below(vec![folder.to_owned()]),
        ..Overrides::default()
    };
    let project = Project::open(&Configuration::Default, overrides).expect("a project");
    let options = Options::of(Arc::new(project)).expect("options");
    let mut options = Options { toolsets: vec![Toolset::Org], ..options };
    options.limits.deadline = Duration::from_mins(2);
    Service::new(&options).expect("a service")
}

struct Caller {
    runtime: Runtime,
    client: RunningService<RoleClient, ()>,
}

impl Caller {
    fn new(service: Service) -> Self {
        let runtime = Runtime::new().expect("a runtime");
        let client = runtime.block_on(async {
            let (ours, theirs) = tokio::io::duplex(1 << 16);
            tokio::spawn(async move { service.serve(theirs).await.expect("a server").waiting().await });
            ().serve(ours).await.expect("a client")
        });
        Self { runtime, client }
    }

    /// Calls a tool; how long it takes, and how much it finds.
    fn call(&self, tool: &str, arguments: &Value) -> (Duration, usize) {
        let arguments = arguments.as_object().cloned().unwrap_or_default();
        let request = CallToolRequestParams::new(tool.to_owned()).with_arguments(arguments);
        let start = Instant::now();
        let answer = self.runtime.block_on(self.client.call_tool(request)).expect("an answer");
        let took = start.elapsed();
        assert_ne!(answer.is_error, Some(true), "{answer:?}");
        let total = answer.structured_content.as_ref().and_then(|found| found["total"].as_u64());
        (took, total.unwrap_or_default() as usize)
    }
}

fn milliseconds(times: &mut [Duration]) -> String {
    times.sort_unstable();
    let of = |part: usize| times[(times.len() - 1) * part / 100].as_secs_f64() * 1e3;
    format!("median {:7.2} ms   p95 {:7.2} ms", of(50), of(95))
}

/// Bytes of memory that the process uses.
fn memory() -> Option<usize> {
    let pages = fs::read_to_string("/proc/self/statm").ok()?;
    Some(pages.split(' ').nth(1)?.parse::<usize>().ok()? * 4096)
}

fn main() {
    // `cargo test --benches` only checks that it starts.
    if std::env::args().any(|argument| argument == "--test") {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    corpus(folder.path());
    let before = memory();
    let caller = Caller::new(service(folder.path()));
    let queries = [
        ("org_get_todos", json!({})),
        (
            "org_get_todos",
            json!({"tags": ["urgent", "f3"], "scheduled": {"from": "2026-03-01", "to": "2026-03-31"}}),
        ),
        ("org_get_todos", json!({"states": ["DONE"], "properties": {"Effort": "1:00"}, "level": {"max": 2}})),
        ("org_search_headlines", json!({"query": "garden travel"})),
        ("org_search_headlines", json!({"query": "7777-3"})),
        ("org_get_agenda_items", json!({"from": "2026-05-01", "days": 7})),
        ("org_search_content", json!({"query": "w4321"})),
        ("org_search_content", json!({"query": "invoice"})),
        ("org_get_properties", json!({"resourceUri": "org://id/id-9000-1"})),
    ];
    let (cold, total) = caller.call("org_get_todos", &json!({}));
    println!("{FILES} files of {} KB, {total} tasks that are not done", BYTES / 1024);
    println!("{:50} {:.2} s", "cold: the first query", cold.as_secs_f64());
    if let (Some(before), Some(after)) = (before, memory()) {
        println!("{:50} {} MiB", "memory of the index", (after - before) >> 20);
    }
    let id = (0..).map(|number| format!("id-9000-{number}"));
    let has =
        |id: &String| fs::read_to_string(folder.path().join("00/9000.org")).expect("a file").contains(id);
    let id = id.take(100).find(has).expect("an ID");
    for (tool, mut arguments) in queries {
        if tool == "org_get_properties" {
            arguments = json!({"resourceUri": format!("org://id/{id}")});
        }
        let mut times: Vec<Duration> = (0..50).map(|_| caller.call(tool, &arguments).0).collect();
        let (_, found) = caller.call(tool, &arguments);
        println!(
            "{:50} {}   {found} found",
            format!("{tool} {arguments}").chars().take(110).collect::<String>(),
            milliseconds(&mut times)
        );
    }
    let path = folder.path().join("42/4242.org");
    let mut numbers = Numbers(7);
    let mut changed = |write: &dyn Fn(&str)| {
        let mut times: Vec<Duration> = (0..50)
            .map(|_| {
                write(&file(4242, &mut numbers));
                caller.call("org_search_headlines", &json!({"query": "4242-1"})).0
            })
            .collect();
        milliseconds(&mut times)
    };
    println!(
        "{:50} {}",
        "a query after a file was written",
        changed(&|text| fs::write(&path, text).expect("a file"))
    );
    let new = folder.path().join("new.tmp");
    let replace = |text: &str| {
        fs::write(&new, text).expect("a file");
        fs::rename(&new, &path).expect("a rename");
    };
    println!("{:50} {}", "a query after a file was replaced", changed(&replace));
}
