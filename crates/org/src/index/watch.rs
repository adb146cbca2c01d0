//! Events of the file system.
//!
//! Linux queues them before the call returns that causes them, and reading the queue does not wait: a query that reads it
//! first knows of every change made before it. A library that delivers events from a thread of its own cannot promise that.
//! Not reported are changes by memory maps, and changes by other machines: file systems that other machines may
//! change are not watched.

use std::path::PathBuf;

/// A change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Event {
    /// A folder has come, gone, or been moved, or events were lost.
    Folders,
    /// A file may be another one, or gone.
    Moved(PathBuf),
    /// A file has other content or permissions.
    Changed(PathBuf),
}

#[cfg(target_os = "linux")]
pub(super) use linux::Watch;
#[cfg(not(target_os = "linux"))]
pub(super) use none::Watch;

#[cfg(target_os = "linux")]
mod linux {
    use std::{
        collections::HashMap,
        ffi::OsStr,
        mem::MaybeUninit,
        os::{fd::OwnedFd, unix::ffi::OsStrExt, unix::fs::MetadataExt},
        path::PathBuf,
    };

    use rustix::{
        fs::{
            inotify::{self, CreateFlags, ReadFlags, Reader, WatchFlags},
            statfs,
        },
        io::Errno,
    };

    use super::Event;

    /// Watched folders.
    #[derive(Debug)]
    pub(in super::super) struct Watch {
        queue: OwnedFd,
        folders: HashMap<i32, PathBuf>,
        /// Devices with a file system that only this machine changes.
        local: Vec<u64>,
    }

    /// Most folders: the kernel keeps about 1 KB for each.
    const FOLDERS: usize = 32_768;

    /// File systems that only this machine changes: ext, XFS, Btrfs, tmpfs, overlayfs, F2FS, ZFS, bcachefs, FAT, exFAT,
    /// `ReiserFS`, JFS, ramfs, by the numbers that `statfs` gives. Source: `linux/magic.h`, `man 2 statfs`.
    const LOCAL: [u64; 13] = [
        0xEF53,
        0x5846_5342,
        0x9123_683E,
        0x0102_1994,
        0x794C_7630,
        0xF2F5_2010,
        0x2FC1_2FC1,
        0xCA45_1A4E,
        0x4D44,
        0x2011_BAB0,
        0x5265_4973,
        0x3153_464A,
        0x8584_58F6,
    ];

    impl Watch {
        /// Watches nothing yet; nothing where there are no events.
        pub(in super::super) fn new() -> Option<Self> {
            let queue = inotify::init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC).ok()?;
            Some(Self { queue, folders: HashMap::new(), local: Vec::new() })
        }

        /// The events since the last call.
        pub(in super::super) fn events(&mut self) -> Vec<Event> {
            let mut buffer = [MaybeUninit::uninit(); 16 * 1024];
            let mut reader = Reader::new(&self.queue, &mut buffer);
            let mut events = Vec::new();
            loop {
                match reader.next() {
                    Ok(event) => {
                        let name = event.file_name().map(|name| OsStr::from_bytes(name.to_bytes()));
                        events.extend(read(&self.folders, event.wd(), event.events(), name));
                    }
                    Err(Errno::AGAIN) => break,
                    Err(Errno::INTR) => {}
                    Err(_) => {
                        events.push(Event::Folders);
                        break;
                    }
                }
            }
            events
        }

        /// Watches these folders and no others; whether some were not watched before.
        pub(in super::super) fn follow(&mut self, folders: &[PathBuf]) -> Result<bool, ()> {
            let flags = WatchFlags::MODIFY
                | WatchFlags::ATTRIB
                | WatchFlags::CREATE
                | WatchFlags::DELETE
                | WatchFlags::MOVE
                | WatchFlags::DELETE_SELF
                | WatchFlags::MOVE_SELF
                | WatchFlags::ONLYDIR;
            if folders.len() > FOLDERS {
                return Err(());
            }
            let mut followed = HashMap::with_capacity(folders.len());
            for folder in folders {
                if !self.is_local(folder)? {
                    return Err(());
                }
                match inotify::add_watch(&self.queue, folder, flags) {
                    // A folder that was moved keeps its watch.
                    Ok(watch) => _ = followed.insert(watch, folder.clone()),
                    // The folder is gone, or not readable; when that changes, the folder above it says so.
                    Err(Errno::NOENT | Errno::ACCESS | Errno::NOTDIR) => {}
                    Err(_) => return Err(()),
                }
            }
            let before = std::mem::replace(&mut self.folders, followed);
            for watch in before.keys().filter(|watch| !self.folders.contains_key(watch)) {
                // The watch of a folder that is gone ends by itself.
                let _ = inotify::remove_watch(&self.queue, *watch);
            }
            Ok(self.folders.keys().any(|watch| !before.contains_key(watch)))
        }

        fn is_local(&mut self, folder: &PathBuf) -> Result<bool, ()> {
            let Ok(metadata) = folder.metadata() else { return Ok(true) };
            if self.local.contains(&metadata.dev()) {
                return Ok(true);
            }
            let kind = statfs(folder).map_err(|_| ())?.f_type;
            let is_local = u64::try_from(kind).is_ok_and(|kind| LOCAL.contains(&(kind & 0xFFFF_FFFF)));
            if is_local {
                self.local.push(metadata.dev());
            }
            Ok(is_local)
        }
    }

    /// What an event says.
    fn read(
        folders: &HashMap<i32, PathBuf>,
        watch: i32,
        flags: ReadFlags,
        name: Option<&OsStr>,
    ) -> Option<Event> {
        if flags.contains(ReadFlags::QUEUE_OVERFLOW) {
            return Some(Event::Folders);
        }
        // Events of folders that are not watched any more are left out.
        let folder = folders.get(&watch)?;
        let moved = ReadFlags::CREATE | ReadFlags::DELETE | ReadFlags::MOVED_FROM | ReadFlags::MOVED_TO;
        match name {
            Some(_) if flags.contains(ReadFlags::ISDIR) => {
                flags.intersects(moved | ReadFlags::ATTRIB).then_some(Event::Folders)
            }
            Some(name) if flags.intersects(moved) => Some(Event::Moved(folder.join(name))),
            Some(name) => Some(Event::Changed(folder.join(name))),
            // The event is about the folder itself: with `ATTRIB` it may have become unreadable.
            None => Some(Event::Folders),
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod none {
    use std::path::PathBuf;

    use super::Event;

    /// Watches nothing.
    #[derive(Debug)]
    pub(in super::super) struct Watch;

    impl Watch {
        pub(in super::super) fn new() -> Option<Self> {
            None
        }

        #[expect(clippy::unused_self, reason = "the same calls as on Linux")]
        pub(in super::super) fn events(&mut self) -> Vec<Event> {
            vec![Event::Folders]
        }

        #[expect(clippy::unused_self, reason = "the same calls as on Linux")]
        pub(in super::super) fn follow(&mut self, _: &[PathBuf]) -> Result<bool, ()> {
            Err(())
        }
    }
}
