//! What a worker may use of the machine. A limit that the system does not know is left to the pool,
//! which watches time and memory from outside.

use std::time::Duration;

/// Gives up files, core dumps and memory beyond `memory` bytes more than there are now.
#[cfg(unix)]
pub(super) fn give_up(memory: u64) {
    use rustix::process::{Resource, Rlimit, setrlimit};
    let none = Rlimit { current: Some(0), maximum: Some(0) };
    // A system that refuses a limit leaves it as it was.
    let _ = setrlimit(Resource::Core, none);
    let _ = setrlimit(Resource::Fsize, none);
    if let Some((virtual_size, _)) = sizes() {
        let limit = Some(virtual_size.saturating_add(memory));
        let _ = setrlimit(Resource::As, Rlimit { current: limit, maximum: limit });
    }
    // No file is opened from here on: what is needed is open.
    let files = Some(OPEN_FILES);
    let _ = setrlimit(Resource::Nofile, Rlimit { current: files, maximum: files });
}

/// Standard streams, and one to look at the own size.
#[cfg(unix)]
const OPEN_FILES: u64 = 4;

/// Lets the process use so much more processor time, then be killed by the system.
#[cfg(unix)]
pub(super) fn allow_processor_time(time: Duration) {
    use rustix::{
        process::{Resource, Rlimit, getrlimit, setrlimit},
        time::{ClockId, clock_gettime},
    };
    let used = clock_gettime(ClockId::ProcessCPUTime).tv_sec;
    let until = u64::try_from(used).unwrap_or_default().saturating_add(time.as_secs()).saturating_add(1);
    let maximum = getrlimit(Resource::Cpu).maximum;
    let _ = setrlimit(Resource::Cpu, Rlimit { current: Some(until), maximum });
}

#[cfg(not(unix))]
pub(super) fn give_up(_: u64) {}

#[cfg(not(unix))]
pub(super) fn allow_processor_time(_: Duration) {}

/// Memory that is in use, in bytes; zero where it cannot be told.
pub(super) fn resident() -> u64 {
    sizes().map_or(0, |(_, resident)| resident)
}

/// Virtual and resident size of the process, in bytes.
///
/// Source: proc(5), `/proc/[pid]/statm`: both in pages.
#[cfg(target_os = "linux")]
fn sizes() -> Option<(u64, u64)> {
    let text = std::fs::read_to_string("/proc/self/statm").ok()?;
    let mut pages = text.split_whitespace().map(|number| number.parse::<u64>().ok());
    let page = rustix::param::page_size() as u64;
    Some((pages.next()?? * page, pages.next()?? * page))
}

#[cfg(not(target_os = "linux"))]
fn sizes() -> Option<(u64, u64)> {
    None
}
