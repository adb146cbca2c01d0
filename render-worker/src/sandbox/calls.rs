//! The system calls that a layout needs. All others fail, also those that systems get in the future.
//!
//! What is left cannot open or change a file, make a socket, start a program, reach another process, or get rights:
//! a worker reads and writes its streams, takes memory, waits for its threads, and looks at the clock.

use std::{collections::BTreeMap, process};

use seccompiler::{
    BackendError, BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, TargetArch, apply_filter,
};

/// Calls that are allowed with all arguments.
const ALLOWED: &[i64] = &[
    // The streams, and the file with the size of the process, which are open.
    libc::SYS_read,
    libc::SYS_readv,
    libc::SYS_write,
    libc::SYS_writev,
    libc::SYS_lseek,
    libc::SYS_fstat,
    libc::SYS_close,
    // Memory.
    libc::SYS_brk,
    libc::SYS_mmap,
    libc::SYS_mprotect,
    libc::SYS_mremap,
    libc::SYS_munmap,
    libc::SYS_madvise,
    // Threads.
    libc::SYS_clone3,
    libc::SYS_futex,
    libc::SYS_set_robust_list,
    libc::SYS_rseq,
    libc::SYS_membarrier,
    libc::SYS_sched_getaffinity,
    libc::SYS_sched_yield,
    libc::SYS_getcpu,
    libc::SYS_gettid,
    libc::SYS_getpid,
    libc::SYS_exit,
    libc::SYS_exit_group,
    // Signals that the process gets, among them those of faults, which panics and guard pages need.
    libc::SYS_rt_sigaction,
    libc::SYS_rt_sigprocmask,
    libc::SYS_rt_sigreturn,
    libc::SYS_sigaltstack,
    libc::SYS_restart_syscall,
    // Clocks and random numbers.
    libc::SYS_clock_gettime,
    libc::SYS_clock_getres,
    libc::SYS_clock_nanosleep,
    libc::SYS_gettimeofday,
    libc::SYS_nanosleep,
    libc::SYS_getrandom,
    libc::SYS_getrusage,
];

/// Refuses all system calls but these for this thread and those it starts, and the right to get further rights.
/// Returns whether the system does so; filters exist for Linux on the processors that most machines have.
pub(super) fn limit() -> bool {
    let Ok(processor) = TargetArch::try_from(std::env::consts::ARCH) else { return false };
    // What allows least counts. The flags of `clone3` are in memory, where a filter does not see them: a system that seems
    // not to have it is asked with `clone`. All later ones have to pass this filter too, so it is the first.
    let filters = [without_clone3(processor), only_allowed(processor)];
    filters.into_iter().all(|filter| filter.is_ok_and(|program| apply_filter(&program).is_ok()))
}

fn without_clone3(processor: TargetArch) -> Result<BpfProgram, BackendError> {
    let calls = BTreeMap::from([(libc::SYS_clone3, Vec::new())]);
    let missing = SeccompAction::Errno(libc::ENOSYS.unsigned_abs());
    SeccompFilter::new(calls, SeccompAction::Allow, missing, processor)?.try_into()
}

fn only_allowed(processor: TargetArch) -> Result<BpfProgram, BackendError> {
    let mut calls: BTreeMap<i64, Vec<SeccompRule>> = ALLOWED.iter().map(|call| (*call, Vec::new())).collect();
    let thread = u64::from(libc::CLONE_THREAD.unsigned_abs());
    calls.insert(libc::SYS_clone, vec![when(0, SeccompCmpOp::MaskedEq(thread), thread)?]);
    // Limits of this process, which can only become lower, and what its threads are called.
    calls.insert(libc::SYS_prlimit64, vec![when(0, SeccompCmpOp::Eq, 0)?]);
    let name = u64::from(libc::PR_SET_NAME.unsigned_abs());
    calls.insert(libc::SYS_prctl, vec![when(0, SeccompCmpOp::Eq, name)?]);
    // To abort.
    calls.insert(libc::SYS_tgkill, vec![when(0, SeccompCmpOp::Eq, u64::from(process::id()))?]);
    let refused = SeccompAction::Errno(libc::EACCES.unsigned_abs());
    SeccompFilter::new(calls, refused, SeccompAction::Allow, processor)?.try_into()
}

/// A call is allowed when the argument at this position compares so.
fn when(argument: u8, comparison: SeccompCmpOp, value: u64) -> Result<SeccompRule, BackendError> {
    SeccompRule::new(vec![SeccompCondition::new(argument, SeccompCmpArgLen::Dword, comparison, value)?])
}
