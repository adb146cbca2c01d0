//! How much memory the process has, where the system says so.

/// Bytes of memory that the process has in use; nothing where that cannot be known.
pub(super) fn resident() -> Option<u64> {
    #[cfg(target_os = "linux")]
    {
        let status = std::fs::read_to_string("/proc/self/status").ok()?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
        Some(line.trim().strip_suffix(" kB")?.parse::<u64>().ok()? * 1024)
    }
    #[cfg(not(target_os = "linux"))]
    None
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    #[test]
    fn a_process_has_memory() {
        assert!(super::resident().is_some_and(|bytes| bytes > 1 << 20));
    }
}
