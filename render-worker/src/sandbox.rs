//! What the system denies a worker: files, network, programs, signals to other processes.
//!
//! A layout cannot ask for any of that: it sees its bundle only. The sandbox is for foreign code that a
//! vulnerability of the engine might let in.

/// Gives up, for this thread and those it starts, the right to open files, to connect, to start programs
/// and to signal other processes. Returns whether the system enforces at least a part of that; one without
/// such rights leaves everything as it is.
#[cfg(target_os = "linux")]
pub(crate) fn enter() -> bool {
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

#[cfg(not(target_os = "linux"))]
pub(crate) fn enter() -> bool {
    false
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::{fs::File, io::ErrorKind, net::TcpListener, process::Command, thread};

    use super::*;

    #[test]
    fn nothing_can_be_opened_or_started_from_inside() {
        let outside = TcpListener::bind("127.0.0.1:0").unwrap();
        let tried = thread::spawn(move || {
            if !enter() {
                return None;
            }
            let kind = |error: std::io::Error| error.kind();
            let written = std::env::temp_dir().join("proofmark-sandbox");
            let address = outside.local_addr().unwrap();
            Some([
                File::open("/etc/passwd").map_err(kind).err(),
                File::create(written).map_err(kind).err(),
                Command::new("/bin/true").spawn().map_err(kind).err(),
                std::net::TcpStream::connect(address).map_err(kind).err(),
            ])
        });
        // A system without Landlock denies nothing.
        let Some([read, write, start, connect]) = tried.join().unwrap() else { return };
        assert_eq!([read, write, start], [Some(ErrorKind::PermissionDenied); 3]);
        // Systems before 2024 do not restrict connections.
        assert!(matches!(connect, None | Some(ErrorKind::PermissionDenied)));
        assert!(File::open("/etc/passwd").is_ok(), "other threads are unrestricted");
    }
}
