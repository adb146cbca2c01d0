use std::{
    fs::Metadata,
    path::Path,
    time::{Duration, SystemTime},
};

/// What shows that a file has changed: which one it is, its size, its times.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Stamp {
    identity: Identity,
    size: u64,
    modified: Option<SystemTime>,
}

/// The coarsest times that file systems keep are two seconds apart. A file that has changed since may have the stamp that
/// it had before.
const RESOLUTION: Duration = Duration::from_secs(2);

impl Stamp {
    /// Looks at a file, and not at one that it leads to.
    pub(super) fn of(path: &Path) -> Option<Self> {
        path.symlink_metadata().ok().map(|metadata| Self::new(&metadata))
    }

    /// Looks at a regular file.
    pub(super) fn of_file(path: &Path) -> Option<Self> {
        let metadata = path.symlink_metadata().ok().filter(Metadata::is_file)?;
        Some(Self::new(&metadata))
    }

    /// Looks at the file that a path leads to.
    pub(super) fn behind(path: &Path) -> Option<Self> {
        path.metadata().ok().map(|metadata| Self::new(&metadata))
    }

    /// Looks at which folder is at a path; what is in it does not matter.
    pub(super) fn of_folder(path: &Path) -> Option<Self> {
        let stamp = Self::new(&path.metadata().ok()?);
        Some(Self { size: 0, modified: None, identity: stamp.identity.of_folder() })
    }

    fn new(metadata: &Metadata) -> Self {
        Self { identity: Identity::of(metadata), size: metadata.len(), modified: metadata.modified().ok() }
    }

    /// Whether the file has changed so recently that its stamp does not show whether it has changed since.
    pub(super) fn is_recent(&self) -> bool {
        let now = SystemTime::now();
        let is_recent = |time: SystemTime| now.duration_since(time).map_or(true, |since| since < RESOLUTION);
        self.modified.is_none_or(is_recent) || self.identity.changed().is_some_and(is_recent)
    }

    /// Whether the file has certainly not changed since a time.
    pub(super) fn is_older_than(&self, time: SystemTime) -> bool {
        let is_older =
            |changed: SystemTime| time.duration_since(changed).is_ok_and(|before| before > RESOLUTION);
        self.modified.is_some_and(is_older) && self.identity.changed().is_none_or(is_older)
    }

    /// Whether the file has several names.
    pub(super) fn has_links(&self) -> bool {
        self.identity.links() > 1
    }
}

/// What identifies a file.
#[cfg(unix)]
#[derive(Debug, Clone, PartialEq, Eq)]
struct Identity {
    device: u64,
    inode: u64,
    links: u64,
    /// Seconds and nanoseconds of the last change, also of its name or its permissions, which no program can set.
    changed: (i64, i64),
}

#[cfg(unix)]
impl Identity {
    fn of(metadata: &Metadata) -> Self {
        use std::os::unix::fs::MetadataExt;
        Self {
            device: metadata.dev(),
            inode: metadata.ino(),
            links: metadata.nlink(),
            changed: (metadata.ctime(), metadata.ctime_nsec()),
        }
    }

    fn of_folder(self) -> Self {
        Self { links: 0, changed: (0, 0), ..self }
    }

    fn changed(&self) -> Option<SystemTime> {
        let seconds = Duration::from_secs(u64::try_from(self.changed.0).ok()?);
        let nanoseconds = Duration::from_nanos(u64::try_from(self.changed.1).ok()?);
        SystemTime::UNIX_EPOCH.checked_add(seconds + nanoseconds)
    }

    fn links(&self) -> u64 {
        self.links
    }
}

/// What identifies a file: nothing on other systems, where size and time alone have to show it.
#[cfg(not(unix))]
#[derive(Debug, Clone, PartialEq, Eq)]
struct Identity;

#[cfg(not(unix))]
#[expect(clippy::unused_self, reason = "the same calls as on Unix")]
impl Identity {
    fn of(_: &Metadata) -> Self {
        Self
    }

    fn of_folder(self) -> Self {
        self
    }

    fn changed(&self) -> Option<SystemTime> {
        None
    }

    fn links(&self) -> u64 {
        1
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_file_of_the_same_size_is_another_one() {
        let folder = tempfile::tempdir().unwrap();
        let (a, b) = (folder.path().join("a"), folder.path().join("b"));
        fs::write(&a, "x").unwrap();
        fs::write(&b, "y").unwrap();
        let old = Stamp::of(&a).unwrap();
        assert!(old.is_recent() && !old.has_links());
        fs::rename(&b, &a).unwrap();
        if cfg!(unix) {
            assert_ne!(Stamp::of(&a).unwrap(), old);
        }
        assert_eq!(Stamp::of(&b), None);
        let long_ago = SystemTime::now() - Duration::from_mins(1);
        let stamp = Stamp { modified: Some(long_ago), ..old };
        assert_eq!(stamp.is_recent(), cfg!(unix), "its content was changed long ago, the file was not");
    }

    #[test]
    fn a_folder_stays_the_same_while_its_files_change() {
        let folder = tempfile::tempdir().unwrap();
        let before = Stamp::of_folder(folder.path());
        fs::create_dir(folder.path().join("a")).unwrap();
        assert_eq!(Stamp::of_folder(folder.path()), before);
    }
}
