//! Configurations of other repositories, with their packs: copied into the checkout by `proofmark packs`, and pinned
//! by their content in `proofmark.lock`. Nothing here reaches a network.

use std::{
    collections::BTreeMap,
    fmt, io,
    path::{Component, Path, PathBuf},
    str::FromStr,
};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::{files, text::io_reason};

/// The file that pins what was copied, beside the configuration.
pub const LOCK_FILE: &str = "proofmark.lock";

/// The folder of the copies, relative to that of the configuration.
const COPIES: &str = ".proofmark/packs";

/// Most files of a copy.
pub const MOST_FILES: usize = 5_000;

/// Most bytes of all files of a copy.
pub const MOST_BYTES: usize = 64 << 20;

/// Largest lock file, in bytes.
const LOCK_BYTES: usize = 1 << 20;

/// How a source begins in `extends`.
const PREFIX: &str = "git+";

/// Protocols that sources may have.
const PROTOCOLS: [&str; 4] = ["https", "ssh", "http", "file"];

/// Where a configuration is in another repository: `git+https://host/repository@revision`, or with `#folder` at its end.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub struct RemoteSource {
    /// The address that git fetches from, without `git+`.
    pub address: String,
    /// A tag, branch or commit.
    pub revision: String,
    /// The folder in the repository, with `/` between names; empty for all of it.
    pub folder: String,
}

/// Why a string is not a source.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct BadSource(String);

impl RemoteSource {
    /// Whether an entry of `extends` is meant as one.
    pub fn is_meant(text: &str) -> bool {
        text.starts_with(PREFIX)
    }

    /// Whether both are of the same folder of the same repository, whatever the revision.
    #[must_use]
    pub fn is_other_revision_of(&self, other: &Self) -> bool {
        self.address == other.address && self.folder == other.folder && self.revision != other.revision
    }

    /// The folder of a copy with this content hash, relative to that of the configuration.
    #[must_use]
    pub fn copy(&self, hash: &str) -> PathBuf {
        let last = self.address.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
        let last = last.strip_suffix(".git").unwrap_or(last);
        let usable = |c: char| if c.is_ascii_alphanumeric() || "._-".contains(c) { c } else { '-' };
        let name: String = last.chars().map(usable).take(40).collect();
        let name = if name.trim_matches(['.', '-']).is_empty() { "packs".to_owned() } else { name };
        Path::new(COPIES).join(format!("{}-{}", name.trim_start_matches('.'), &hash[..hash.len().min(12)]))
    }
}

impl fmt::Display for RemoteSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{PREFIX}{}@{}", self.address, self.revision)?;
        if self.folder.is_empty() { Ok(()) } else { write!(f, "#{}", self.folder) }
    }
}

impl FromStr for RemoteSource {
    type Err = BadSource;

    fn from_str(text: &str) -> Result<Self, BadSource> {
        let form = "write it as `git+https://host/repository@tag`, or with `#folder` at the end";
        let bad = |why: &str| Err(BadSource(format!("{why}: {form}")));
        let Some(rest) = text.strip_prefix(PREFIX) else { return bad("it does not begin with `git+`") };
        let (rest, folder) = rest.split_once('#').unwrap_or((rest, ""));
        let Some((protocol, named)) = rest.split_once("://") else { return bad("it has no protocol") };
        if !PROTOCOLS.contains(&protocol) {
            return bad("its protocol is not `https`, `ssh`, `http` or `file`");
        }
        // An `@` before the path belongs to the name of a user.
        let path = named.find('/').map_or("", |at| &named[at..]);
        let Some((_, revision)) = path.rsplit_once('@') else { return bad("it has no revision") };
        let plain = |text: &str| !text.chars().any(|c| c.is_whitespace() || c.is_control());
        let is_name = |c: char| c.is_ascii_alphanumeric() || "._/+-".contains(c);
        if revision.is_empty() || revision.starts_with('-') || !revision.chars().all(is_name) {
            return bad("its revision is not a tag, branch or commit");
        }
        let address = &rest[..rest.len() - revision.len() - 1];
        if !plain(address) || named.starts_with('-') {
            return bad("its address has characters that no address has");
        }
        let folder = folder.trim_matches('/');
        let is_below = Path::new(folder).components().all(|part| matches!(part, Component::Normal(_)));
        if !is_below || folder.contains([':', '\\']) || !plain(folder) {
            return bad("its folder is not one in the repository");
        }
        Ok(Self { address: address.to_owned(), revision: revision.to_owned(), folder: folder.to_owned() })
    }
}

/// What `proofmark.lock` says: the content of each source, by its text in `extends`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Lock {
    /// Version of the form of the file: `1`.
    pub version: u32,
    /// The sources.
    #[serde(default)]
    pub sources: BTreeMap<String, Locked>,
}

/// The content of a source.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Locked {
    /// The commit that its revision was.
    pub commit: String,
    /// SHA-256 of its files, as [`content_hash`] makes it, in hexadecimal digits.
    pub sha256: String,
}

impl Default for Lock {
    fn default() -> Self {
        Self { version: 1, sources: BTreeMap::new() }
    }
}

impl Lock {
    /// Reads the file in a folder; an empty one where there is none.
    ///
    /// # Errors
    /// Why it cannot be used.
    pub fn read(folder: &Path) -> Result<Self, String> {
        let bytes = match files::read_bytes(&folder.join(LOCK_FILE), LOCK_BYTES) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Self::default()),
            Err(error) => return Err(format!("`{LOCK_FILE}` cannot be read: {}", io_reason(&error))),
        };
        let lock: Self = serde_json::from_slice(&bytes)
            .map_err(|error| format!("`{LOCK_FILE}` is not what `proofmark packs` writes: {error}"))?;
        if lock.version != 1 {
            return Err(format!(
                "`{LOCK_FILE}` has version {}, and this program knows version 1",
                lock.version
            ));
        }
        let is_hash = |text: &str| text.len() == 64 && text.bytes().all(|b| b.is_ascii_hexdigit());
        match lock.sources.iter().find(|(_, locked)| !is_hash(&locked.sha256)) {
            Some((source, _)) => Err(format!("`{LOCK_FILE}` has no SHA-256 for `{source}`")),
            None => Ok(lock),
        }
    }

    /// The text of the file.
    #[must_use]
    pub fn text(&self) -> String {
        let text = serde_json::to_string_pretty(self).unwrap_or_default();
        format!("{text}\n")
    }
}

/// The hash of files, by their names with `/`, in the order of these: SHA-256 over the length of each name, the name,
/// the length of the content, and the content; lengths as 64 bits, lowest byte first.
pub fn content_hash<'f>(files: impl IntoIterator<Item = (&'f str, &'f [u8])>) -> String {
    let mut hash = Sha256::new();
    for (name, content) in files {
        for part in [name.as_bytes(), content] {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part);
        }
    }
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The files below a folder with their content, by their names with `/`, in the order of these.
///
/// # Errors
/// Where one cannot be read, is not a regular file, or where there are too many.
pub fn files_below(folder: &Path) -> io::Result<BTreeMap<String, Vec<u8>>> {
    let other = |why: String| io::Error::new(io::ErrorKind::InvalidData, why);
    let mut found = BTreeMap::new();
    let mut left = MOST_BYTES;
    for entry in files::walker(folder, false, |_| true).0.build() {
        let entry = entry.map_err(io::Error::other)?;
        let Some(kind) = entry.file_type() else { continue };
        if kind.is_dir() {
            continue;
        }
        let path = entry.path();
        let name = path.strip_prefix(folder).unwrap_or(path).to_string_lossy().replace('\\', "/");
        if !kind.is_file() {
            return Err(other(format!("`{name}` is not a regular file")));
        }
        let content = files::read_bytes(path, left)?;
        left -= content.len();
        found.insert(name, content);
        if found.len() > MOST_FILES {
            return Err(other(format!("it has more than {MOST_FILES} files")));
        }
    }
    Ok(found)
}

/// Why a source cannot be used.
pub(super) struct Unusable {
    /// What is wrong.
    pub(super) detail: String,
    /// The command that helps; empty where none does.
    pub(super) command: String,
}

/// The folder with the configuration of a source, for the configuration in the folder `root` that extends it.
pub(super) fn locate(root: &Path, written: &str) -> Result<PathBuf, Unusable> {
    let because = |detail: String| Unusable { detail, command: String::new() };
    let vendor = |detail: String| Unusable { detail, command: "proofmark packs vendor".to_owned() };
    let source: RemoteSource = written.parse().map_err(|error: BadSource| because(error.to_string()))?;
    let lock = Lock::read(root).map_err(because)?;
    let Some(locked) = lock.sources.get(written) else {
        let command = format!("proofmark packs add {written}");
        return Err(Unusable { detail: "it was not fetched".to_owned(), command });
    };
    let folder = root.join(source.copy(&locked.sha256));
    if !folder.is_dir() {
        return Err(vendor("its copy is missing".to_owned()));
    }
    let files = files_below(&folder)
        .map_err(|error| vendor(format!("its copy cannot be read: {}", io_reason(&error))))?;
    let hash = content_hash(files.iter().map(|(name, content)| (name.as_str(), content.as_slice())));
    if hash == locked.sha256 { Ok(folder) } else { Err(vendor("its copy was changed".to_owned())) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_are_read_and_written() {
        for (text, address, revision, folder) in [
            ("git+https://example.org/rules@v1.2", "https://example.org/rules", "v1.2", ""),
            (
                "git+ssh://git@example.org/a/rules.git@main#packs/docs",
                "ssh://git@example.org/a/rules.git",
                "main",
                "packs/docs",
            ),
            ("git+file:///srv/rules@feature/x", "file:///srv/rules", "feature/x", ""),
        ] {
            let source: RemoteSource = text.parse().unwrap();
            assert_eq!(
                (source.address.as_str(), source.revision.as_str(), source.folder.as_str()),
                (address, revision, folder)
            );
            assert_eq!(source.to_string(), text);
        }
        for text in [
            "https://example.org/rules@v1",
            "git+https://example.org/rules",
            "git+ssh://git@example.org/rules",
            "git+ext://sh -c x/@v1",
            "git+https://example.org/rules@--upload-pack=x",
            "git+https://example.org/rules@v1#../x",
            "git+https://example.org/ru les@v1",
            "git+https://example.org/rules@",
        ] {
            assert!(text.parse::<RemoteSource>().is_err(), "{text}");
        }
    }

    #[test]
    fn names_and_contents_have_different_hashes() {
        let hash = |files: &[(&'static str, &'static [u8])]| content_hash(files.iter().copied());
        let all = [
            hash(&[]),
            hash(&[("a", b"b")]),
            hash(&[("ab", b"")]),
            hash(&[("a", b""), ("b", b"")]),
            hash(&[("a", b"b"), ("c", b"")]),
        ];
        for (at, one) in all.iter().enumerate() {
            assert_eq!(one.len(), 64);
            assert!(!all[at + 1..].contains(one));
        }
    }

    #[test]
    fn copies_have_safe_names() {
        for (address, start) in [
            ("https://example.org/a/rules.git", ".proofmark/packs/rules-"),
            ("https://example.org/..", ".proofmark/packs/packs-"),
            ("https://example.org/a%20b/", ".proofmark/packs/a-20b-"),
        ] {
            let source =
                RemoteSource { address: address.into(), revision: "v1".into(), folder: String::new() };
            let copy = source.copy(&"0".repeat(64));
            assert_eq!(copy, Path::new(&format!("{start}000000000000")), "{address}");
        }
    }
}
