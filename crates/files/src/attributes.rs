//! What a file has besides its content and its name: owner, group, permissions, extended attributes.

use std::{fs::File, io};

/// Gives the new file what the old one has. The process may not be allowed to set the owner, the group or an attribute:
/// then the new file permits no more than the old one does.
pub(super) fn copy(old: &File, new: &File) -> io::Result<()> {
    #[cfg(unix)]
    {
        use std::{fs::Permissions, os::unix::fs::PermissionsExt};

        let kept = Kept::of(old, new)?;
        // After the owner: a change of owner takes away set-ID bits.
        let mode = kept.narrowed(old.metadata()?.permissions().mode() & 0o7777);
        new.set_permissions(Permissions::from_mode(mode))
    }
    #[cfg(not(unix))]
    new.set_permissions(old.metadata()?.permissions())
}

/// Which of the properties that permissions refer to a new file has in common with the old one.
#[cfg(unix)]
#[derive(Debug, Clone, Copy)]
struct Kept {
    owner: bool,
    group: bool,
    acl: bool,
}

#[cfg(unix)]
impl Kept {
    /// Sets what the process may set.
    fn of(old: &File, new: &File) -> io::Result<Self> {
        use std::os::unix::fs::{MetadataExt, fchown};

        let (old_owner, mut now) = (old.metadata()?, new.metadata()?);
        let (uid, gid) = (old_owner.uid(), old_owner.gid());
        if (now.uid(), now.gid()) != (uid, gid) {
            // An ordinary user may set a group that it belongs to.
            let _ = fchown(new, Some(uid), Some(gid)).or_else(|_| fchown(new, None, Some(gid)));
            now = new.metadata()?;
        }
        let acl = extended::copy(old, new);
        Ok(Self { owner: now.uid() == uid, group: now.gid() == gid, acl })
    }

    /// The permissions of the old file without those that would allow others more than before.
    fn narrowed(self, mut mode: u32) -> u32 {
        if !self.owner || !self.group {
            // Set-user-ID and set-group-ID.
            mode &= !0o6000;
        }
        if !self.group || !self.acl {
            // The members of another group were others before. With an ACL, the bits of the group are the most
            // that any entry grants.
            mode &= !0o070 | ((mode & 0o007) << 3);
        }
        mode
    }
}

#[cfg(target_os = "linux")]
mod extended {
    use std::{ffi::CStr, fs::File};

    use rustix::{
        fs::{XattrFlags, fgetxattr, flistxattr, fremovexattr, fsetxattr},
        io::Errno,
    };

    /// The access control list of a file.
    const ACL: &CStr = c"system.posix_acl_access";

    /// Most bytes of a list of names, and of a value, in Linux.
    const LONGEST: usize = 64 << 10;

    /// Most bytes of all values that are copied; some file systems have no limit of their own.
    const MOST: usize = 1 << 20;

    /// Copies the attributes of users and the access control list, and leaves out what cannot be set. Other attributes
    /// belong to the system, or are about the content. Returns whether both files have the same access control list.
    pub(super) fn copy(old: &File, new: &File) -> bool {
        let (mut names, mut value) = (vec![0; LONGEST], vec![0; LONGEST]);
        let length = flistxattr(old, &mut names[..]).unwrap_or_default();
        let mut left = MOST;
        for name in
            names[..length].split_inclusive(|byte| *byte == 0).filter(|name| name.starts_with(b"user."))
        {
            let Ok(name) = CStr::from_bytes_with_nul(name) else { continue };
            let Ok(length) = fgetxattr(old, name, &mut value[..]) else { continue };
            if length <= left && fsetxattr(new, name, &value[..length], XattrFlags::empty()).is_ok() {
                left -= length;
            }
        }
        match fgetxattr(old, ACL, &mut value[..]) {
            Ok(length) => fsetxattr(new, ACL, &value[..length], XattrFlags::empty()).is_ok(),
            // A new file gets that of its folder.
            Err(Errno::NODATA) => {
                matches!(fremovexattr(new, ACL), Ok(()) | Err(Errno::NODATA | Errno::NOTSUP))
            }
            Err(error) => error == Errno::NOTSUP,
        }
    }
}

#[cfg(all(unix, not(target_os = "linux")))]
mod extended {
    use std::fs::File;

    /// Nothing is copied; permissions do not depend on it.
    pub(super) fn copy(_: &File, _: &File) -> bool {
        true
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::{
        fs::{self, Permissions},
        os::unix::fs::{MetadataExt, PermissionsExt, chown},
    };

    use super::{super::replace::replace, *};

    #[test]
    fn a_file_that_is_replaced_keeps_its_permissions() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.md");
        for mode in [0o600, 0o640, 0o664, 0o755, 0o4755] {
            fs::write(&path, "old").unwrap();
            fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
            replace(&path, "old", "new").unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), "new");
            assert_eq!(fs::metadata(&path).unwrap().mode() & 0o7777, mode, "{mode:o}");
        }
    }

    #[test]
    fn a_file_of_another_user_keeps_its_owner_with_the_set_id_bits() {
        if !rustix::process::geteuid().is_root() {
            eprintln!("SKIPPED: only root can give a file to another user");
            return;
        }
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.md");
        let properties = || {
            let found = fs::metadata(&path).unwrap();
            (found.uid(), found.gid(), found.mode() & 0o7777)
        };
        for given in [(12345, 12345, 0o6755), (12345, 0, 0o2640), (0, 12345, 0o4711)] {
            fs::write(&path, "old").unwrap();
            chown(&path, Some(given.0), Some(given.1)).unwrap();
            fs::set_permissions(&path, Permissions::from_mode(given.2)).unwrap();
            assert_eq!(properties(), given);
            replace(&path, "old", "new").unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), "new");
            assert_eq!(properties(), given);
        }
    }

    #[test]
    fn no_one_may_do_more_with_a_file_whose_owner_or_group_is_not_kept() {
        let all = Kept { owner: true, group: true, acl: true };
        let no_owner = Kept { owner: false, ..all };
        let no_group = Kept { group: false, ..all };
        let no_acl = Kept { acl: false, ..all };
        let cases = [
            (all, 0o7775, 0o7775),
            (no_owner, 0o6755, 0o755),
            (no_owner, 0o4664, 0o664),
            (no_group, 0o6775, 0o755),
            (no_group, 0o1640, 0o1600),
            (no_group, 0o604, 0o604),
            (no_acl, 0o4664, 0o4644),
            (no_acl, 0o670, 0o600),
        ];
        for (kept, mode, narrowed) in cases {
            assert_eq!(kept.narrowed(mode), narrowed, "{kept:?} {mode:o}");
        }
    }

    #[cfg(target_os = "linux")]
    mod extended {
        use rustix::fs::{XattrFlags, getxattr, listxattr, setxattr};

        use super::*;

        const ACCESS: &str = "system.posix_acl_access";

        /// An access control list as Linux has it: tag, permissions, and user of each entry.
        fn acl(user: u32) -> Vec<u8> {
            let entries =
                [(1, 6, u32::MAX), (2, 6, user), (4, 4, u32::MAX), (0x10, 6, u32::MAX), (0x20, 0, u32::MAX)];
            let entry = |(tag, permissions, id): (u16, u16, u32)| {
                [tag.to_le_bytes(), permissions.to_le_bytes()].concat().into_iter().chain(id.to_le_bytes())
            };
            2_u32.to_le_bytes().into_iter().chain(entries.into_iter().flat_map(entry)).collect()
        }

        /// Sets an attribute, if the file system of the test has attributes.
        fn set(path: &std::path::Path, name: &str, value: &[u8]) -> bool {
            let set = setxattr(path, name, value, XattrFlags::empty());
            if let Err(error) = set {
                eprintln!("SKIPPED: cannot set {name}: {error}");
            }
            set.is_ok()
        }

        fn get(path: &std::path::Path, name: &str) -> Option<Vec<u8>> {
            let mut value = vec![0; 64 << 10];
            let length = getxattr(path, name, &mut value[..]).ok()?;
            value.truncate(length);
            Some(value)
        }

        #[test]
        fn a_file_that_is_replaced_keeps_its_extended_attributes() {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("a.md");
            fs::write(&path, "old").unwrap();
            if !set(&path, "user.note", b"kept") || !set(&path, "user.empty", b"") {
                return;
            }
            let names = || {
                let mut names = vec![0; 64 << 10];
                let length = listxattr(&path, &mut names[..]).unwrap();
                names.truncate(length);
                names
            };
            let before = names();
            replace(&path, "old", "new").unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), "new");
            assert_eq!(names(), before);
            assert_eq!(get(&path, "user.note").unwrap(), b"kept");
            assert_eq!(get(&path, "user.empty").unwrap(), b"");
        }

        #[test]
        fn a_file_that_is_replaced_keeps_its_access_control_list() {
            let folder = tempfile::tempdir().unwrap();
            let (path, open) = (folder.path().join("a.md"), folder.path().join("b.md"));
            fs::write(&path, "old").unwrap();
            fs::write(&open, "old").unwrap();
            fs::set_permissions(&open, Permissions::from_mode(0o640)).unwrap();
            // The folder gives new files another one.
            if !set(&path, ACCESS, &acl(12345))
                || !set(folder.path(), "system.posix_acl_default", &acl(54321))
            {
                return;
            }
            replace(&path, "old", "new").unwrap();
            assert_eq!(get(&path, ACCESS).unwrap(), acl(12345));
            assert_eq!(fs::metadata(&path).unwrap().mode() & 0o7777, 0o660);
            replace(&open, "old", "new").unwrap();
            assert_eq!(get(&open, ACCESS), None);
            assert_eq!(fs::metadata(&open).unwrap().mode() & 0o7777, 0o640);
        }
    }
}
