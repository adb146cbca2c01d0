//! What a worker may use of the machine. A limit that the system does not support is left to the client,
//! which watches the time from outside.

use std::time::Duration;

/// Gives up files, core dumps and more than `memory` bytes of additional memory.
#[cfg(unix)]
pub(crate) fn give_up(memory: u64, meter: &mut Meter) {
    use rustix::process::{Resource, Rlimit, setrlimit};
    let none = Rlimit { current: Some(0), maximum: Some(0) };
    // A system that refuses a limit leaves it as it was.
    let _ = setrlimit(Resource::Core, none);
    let _ = setrlimit(Resource::Fsize, none);
    if let Some((virtual_size, _)) = meter.sizes() {
        let limit = Some(virtual_size.saturating_add(memory));
        let _ = setrlimit(Resource::As, Rlimit { current: limit, maximum: limit });
    }
    // No file or connection is opened from here on: what is needed is open.
    let files = Some(OPEN_FILES);
    let _ = setrlimit(Resource::Nofile, Rlimit { current: files, maximum: files });
}

/// The standard streams and the [`Meter`].
#[cfg(unix)]
const OPEN_FILES: u64 = 4;

/// Lets the process use `time` more of the processor; then the system kills it.
#[cfg(unix)]
pub(crate) fn allow_processor_time(time: Duration) {
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
pub(crate) fn give_up(_: u64, _: &mut Meter) {}

#[cfg(not(unix))]
pub(crate) fn allow_processor_time(_: Duration) {}

/// Measures the size of the process. Its file stays open, since none can be opened later.
pub(crate) struct Meter {
    #[cfg(target_os = "linux")]
    statm: Option<std::fs::File>,
}

impl Meter {
    /// Source: proc(5), `/proc/[pid]/statm`.
    #[cfg(target_os = "linux")]
    pub(crate) fn open() -> Self {
        // What they learn about the system at their first call comes from a file, too.
        let _ = rustix::param::page_size();
        let _ = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
        Self { statm: std::fs::File::open("/proc/self/statm").ok() }
    }

    #[cfg(not(target_os = "linux"))]
    pub(crate) fn open() -> Self {
        Self {}
    }

    /// Memory that is in use, in bytes; zero where the system does not say.
    pub(crate) fn resident(&mut self) -> u64 {
        self.sizes().map_or(0, |(_, resident)| resident)
    }

    /// Virtual and resident size of the process, in bytes.
    #[cfg(target_os = "linux")]
    fn sizes(&mut self) -> Option<(u64, u64)> {
        use std::io::{Read as _, Seek as _};
        let statm = self.statm.as_mut()?;
        statm.rewind().ok()?;
        let mut text = String::new();
        statm.read_to_string(&mut text).ok()?;
        let mut pages = text.split_whitespace().map(|number| number.parse::<u64>().ok());
        let page = rustix::param::page_size() as u64;
        Some((pages.next()?? * page, pages.next()?? * page))
    }

    #[cfg(not(target_os = "linux"))]
    #[expect(clippy::unused_self, reason = "the interface is the same on all systems")]
    fn sizes(&mut self) -> Option<(u64, u64)> {
        None
    }
}
