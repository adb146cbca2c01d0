//! What the system denies a worker: files, network, programs, other processes.
//!
//! A layout cannot ask for any of that: it sees its bundle only. The sandbox is for foreign code that a
//! vulnerability of the engine might let in.

#[cfg(target_os = "linux")]
mod calls;

/// What the system enforces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Enforced {
    /// At least a part of what keeps files, connections and other processes away (Landlock).
    pub(crate) rights: bool,
    /// Whether nothing but a short list of system calls is answered (seccomp).
    pub(crate) calls: bool,
}

/// Gives up, for this thread and those it starts, the right to open files, to connect, to start programs
/// and to signal other processes, and all system calls that could. A system without such rights leaves everything
/// as it is.
#[cfg(target_os = "linux")]
pub(crate) fn enter() -> Enforced {
    // Landlock first: its own calls are not among those that remain.
    Enforced { rights: give_up_rights(), calls: calls::limit() }
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn enter() -> Enforced {
    Enforced { rights: false, calls: false }
}

#[cfg(target_os = "linux")]
fn give_up_rights() -> bool {
    use landlock::{
        ABI, Access as _, AccessFs, AccessNet, Ruleset, RulesetAttr as _, RulesetError, RulesetStatus, Scope,
    };
    // The newest version that this was written for; older systems enforce as much of it as they can.
    let version = ABI::V6;
    let enter = || -> Result<RulesetStatus, RulesetError> {
        let rights = Ruleset::default()
            .handle_access(AccessFs::from_all(version))?
            .handle_access(AccessNet::from_all(version))?
            .scope(Scope::from_all(version))?;
        // No rule is added: nothing is allowed.
        Ok(rights.create()?.restrict_self()?.ruleset)
    };
    enter().is_ok_and(|status| status != RulesetStatus::NotEnforced)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::{
        fs::{self, File},
        io::{self, ErrorKind},
        net::{TcpListener, TcpStream, UdpSocket},
        os::unix::net::{UnixDatagram, UnixStream},
        process::Command,
        thread,
    };

    use super::*;

    /// What is tried inside, with what came of it.
    type Tried = Vec<(&'static str, Option<ErrorKind>)>;

    fn try_everything(outside: &TcpListener) -> Tried {
        fn came<T>(result: io::Result<T>) -> Option<ErrorKind> {
            result.err().map(|error| error.kind())
        }
        let written = std::env::temp_dir().join("proofmark-sandbox");
        let address = outside.local_addr();
        vec![
            ("read a file", came(File::open("/etc/passwd"))),
            ("write a file", came(File::create(&written))),
            ("make a folder", came(fs::create_dir(&written))),
            ("remove a file", came(fs::remove_file(&written))),
            ("look at a file", came(fs::metadata("/etc/passwd"))),
            ("list a folder", came(fs::read_dir("/"))),
            ("start a program", came(Command::new("/bin/true").spawn())),
            ("connect", came(address.and_then(TcpStream::connect))),
            ("listen", came(TcpListener::bind("127.0.0.1:0"))),
            ("send datagrams", came(UdpSocket::bind("127.0.0.1:0"))),
            ("send datagrams to programs", came(UnixDatagram::unbound())),
            ("connect to itself", came(UnixStream::pair())),
        ]
    }

    #[test]
    fn nothing_can_be_opened_or_started_from_inside() {
        let outside = TcpListener::bind("127.0.0.1:0").unwrap();
        let inside = move || {
            let enforced = enter();
            let in_thread = thread::spawn(|| vec![0_u8; 1 << 24].len()).join().unwrap();
            (enforced, try_everything(&outside), in_thread)
        };
        let (enforced, tried, in_thread) = thread::spawn(inside).join().unwrap();
        assert_eq!(in_thread, 1 << 24, "threads and memory are allowed");
        let denied = |what: &str| {
            let (_, kind) = tried.iter().find(|(name, _)| *name == what).unwrap();
            *kind == Some(ErrorKind::PermissionDenied)
        };
        if enforced.rights {
            assert!(["read a file", "write a file", "start a program"].into_iter().all(denied), "{tried:?}");
        }
        if enforced.calls {
            assert!(tried.iter().all(|(name, _)| denied(name)), "{tried:?}");
        }
        assert!(File::open("/etc/passwd").is_ok(), "other threads are unrestricted");
    }
}
