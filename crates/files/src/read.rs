use std::{
    fs::{self, File, Metadata},
    io::{self, Read},
    path::Path,
    time::UNIX_EPOCH,
};

use cap_std::fs::Dir;

use super::steps;
use crate::{
    syntax::Observation,
    text::{DecodeError, Encoding, Source, Span},
};

/// Why a file gave no document.
#[derive(Debug)]
pub struct Unreadable {
    /// What the file is called, with as much of its text as can be shown.
    pub source: Box<Source>,
    /// What the run has to say of it.
    pub fact: Observation,
}

impl Unreadable {
    /// A file that cannot be read, and why.
    pub fn because(name: &str, detail: &str) -> Self {
        unreadable(name, Observation::about_file("unreadable-file").with("detail", detail))
    }

    /// Whether the file was found, and only its content cannot be used.
    pub fn has_content(&self) -> bool {
        matches!(self.fact.name.as_ref(), "text-too-large" | "not-utf8")
    }
}

/// Reads the file at `path`, of at most `limit` bytes, following symbolic links.
///
/// # Errors
/// [`Unreadable`] with the fact that the rules of the engine word.
pub fn read(path: &Path, name: &str, limit: usize) -> Result<Source, Unreadable> {
    let regular = |metadata: &Metadata| match kind_of(metadata) {
        None => Ok(()),
        Some(what) => Err(unreadable(name, Observation::about_file("not-a-file").with("what", what))),
    };
    // Asked before the file is opened: opening a pipe would wait for its writer.
    regular(&path.metadata().map_err(|error| failed(name, &error))?)?;
    steps::look().map_err(|error| failed(name, &error))?;
    let file = not_waiting(File::options().read(true)).open(path).map_err(|error| failed(name, &error))?;
    let metadata = file.metadata().map_err(|error| failed(name, &error))?;
    regular(&metadata)?;
    read_open(file, name, Some(metadata.len()), limit)
}

/// When a file was last changed, in seconds since 1970.
pub fn modified(path: &Path) -> Option<u64> {
    let time = path.metadata().and_then(|found| found.modified()).ok()?;
    time.duration_since(UNIX_EPOCH).ok().map(|since| since.as_secs())
}

/// Reads a file that the program itself needs, such as a baseline: a regular one of at most `limit` bytes of
/// UTF-8, following symbolic links.
///
/// # Errors
/// The errors of [`open_regular`]; [`io::ErrorKind::FileTooLarge`] for a file that is too large,
/// [`io::ErrorKind::InvalidData`] for content that is not UTF-8.
pub fn read_small(path: &Path, limit: usize) -> io::Result<String> {
    String::from_utf8(read_bytes(path, limit)?).map_err(|_| io::ErrorKind::InvalidData.into())
}

/// Reads a regular file of at most `limit` bytes, following symbolic links. Its size is looked at before it is read.
///
/// # Errors
/// The errors of [`read_small`], except those for content that is not UTF-8.
pub fn read_bytes(path: &Path, limit: usize) -> io::Result<Vec<u8>> {
    let file = open_regular(path)?;
    let size = file.metadata()?.len();
    if size > limit as u64 {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    let mut bytes = Vec::with_capacity(size as usize + 1);
    steps::look()?;
    // The file may have grown since.
    file.take(limit as u64 + 1).read_to_end(&mut bytes)?;
    if bytes.len() > limit { Err(io::ErrorKind::FileTooLarge.into()) } else { Ok(bytes) }
}

/// Opens a regular file without waiting for whatever else may be there.
///
/// # Errors
/// Errors of the file system; [`io::ErrorKind::IsADirectory`] for a folder, [`io::ErrorKind::InvalidInput`] for what
/// else is not a regular file.
pub fn open_regular(path: &Path) -> io::Result<File> {
    let regular = |found: &Metadata| match () {
        () if found.is_file() => Ok(()),
        () if found.is_dir() => Err(io::ErrorKind::IsADirectory.into()),
        () => Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file")),
    };
    // Asked before the file is opened too: opening a device can do something.
    regular(&path.metadata()?)?;
    steps::look()?;
    let file = not_waiting(File::options().read(true)).open(path)?;
    regular(&file.metadata()?)?;
    Ok(file)
}

/// Opens a regular file below a folder, without waiting for whatever else may be there; gives its size too.
pub fn open_below(folder: &Dir, path: &Path) -> io::Result<(cap_std::fs::File, u64)> {
    let mut options = cap_std::fs::OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        use cap_std::fs::OpenOptionsExt;
        options.custom_flags(rustix::fs::OFlags::NONBLOCK.bits() as i32);
    }
    steps::look()?;
    let file = folder.open_with(path, &options)?;
    let metadata = file.metadata()?;
    if metadata.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    if !metadata.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"));
    }
    Ok((file, metadata.len()))
}

/// Reads a regular file of at most `limit` bytes below a folder.
pub(super) fn read_below(folder: &Dir, path: &Path, limit: usize) -> io::Result<Vec<u8>> {
    Ok(read_whole(folder, path, limit)?.1)
}

/// Like [`read_below`], but the file stays open and is returned, too.
pub(super) fn read_whole(folder: &Dir, path: &Path, limit: usize) -> io::Result<(File, Vec<u8>)> {
    let (file, size) = open_below(folder, path)?;
    if size > limit as u64 {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    let file = file.into_std();
    let mut bytes = Vec::with_capacity(size as usize + 1);
    steps::look()?;
    // The file may have grown since.
    (&file).take(limit as u64 + 1).read_to_end(&mut bytes)?;
    if bytes.len() > limit { Err(io::ErrorKind::FileTooLarge.into()) } else { Ok((file, bytes)) }
}

/// Opening does not wait: a pipe that takes the place of a file would block until it has a writer.
fn not_waiting(options: &mut fs::OpenOptions) -> &mut fs::OpenOptions {
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.custom_flags(rustix::fs::OFlags::NONBLOCK.bits() as i32);
    }
    options
}

/// Reads what is already open: a stream, or a file that is known to be regular and of this size.
///
/// # Errors
/// [`Unreadable`] as for [`read`].
pub fn read_open(
    mut file: impl Read,
    name: &str,
    size: Option<u64>,
    limit: usize,
) -> Result<Source, Unreadable> {
    let too_large = |bytes: u64| {
        unreadable(name, Observation::about_file("text-too-large").with("bytes", bytes).with("limit", limit))
    };
    if let Some(size) = size.filter(|size| *size > limit as u64) {
        return Err(too_large(size));
    }
    let mut bytes = Vec::with_capacity(size.map_or(0, |size| size as usize + 1));
    steps::look().map_err(|error| failed(name, &error))?;
    let read = file.by_ref().take(limit as u64 + 1).read_to_end(&mut bytes);
    read.map_err(|error| failed(name, &error))?;
    if bytes.len() > limit {
        let rest = io::copy(&mut file.take(MOST_COUNTED), &mut io::sink()).unwrap_or_default();
        return Err(too_large(bytes.len() as u64 + rest));
    }
    decode(name, bytes)
}

/// Most bytes of a stream that are read only to say how many there are.
const MOST_COUNTED: u64 = 1 << 30;

/// Decodes the bytes of a file.
fn decode(name: &str, bytes: Vec<u8>) -> Result<Source, Unreadable> {
    let bytes = match String::from_utf8(bytes) {
        Ok(text) => return Ok(Source::new(name, text)),
        Err(error) => error.into_bytes(),
    };
    let DecodeError { offset, byte, encoding, .. } = match Source::decode(name, bytes.clone()) {
        Ok(source) => return Ok(source),
        Err(error) => error,
    };
    let fact = Observation::about_file("not-utf8")
        .with("encoding", encoding.name())
        .with("byte", format!("0x{byte:02X}"))
        .with("offset", offset);
    if encoding != Encoding::Unknown {
        return Err(unreadable(name, fact));
    }
    // The text up to the end of the first wrong line shows people where to look.
    let end = memchr::memchr(b'\n', &bytes[offset..]).map_or(bytes.len(), |at| offset + at);
    let shown = String::from_utf8_lossy(&bytes[..end]).into_owned();
    let fact = fact.moved_to(Span::at(offset));
    Err(Unreadable { source: Box::new(Source::new(name, shown)), fact })
}

/// The fact for an error of the file system.
pub(super) fn failed(name: &str, error: &io::Error) -> Unreadable {
    let not_a_file = |what: &str| Observation::about_file("not-a-file").with("what", what);
    let cannot = |detail: &str| Observation::about_file("unreadable-file").with("detail", detail);
    let fact = match error.kind() {
        io::ErrorKind::IsADirectory => not_a_file("this is a folder"),
        io::ErrorKind::NotFound => cannot("there is no such file"),
        io::ErrorKind::PermissionDenied => cannot("permission denied"),
        // The kind has no stable name yet.
        kind if kind.to_string().starts_with("filesystem loop") => {
            not_a_file("this is a symbolic link that leads in a circle")
        }
        kind => cannot(&kind.to_string()),
    };
    unreadable(name, fact)
}

pub(super) fn unreadable(name: &str, fact: Observation) -> Unreadable {
    Unreadable { source: Box::new(Source::new(name, "")), fact }
}

/// What a path leads to when it is not a regular file.
fn kind_of(metadata: &Metadata) -> Option<&'static str> {
    if metadata.is_file() {
        return None;
    }
    if metadata.is_dir() {
        return Some("this is a folder");
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;
        let file_type = metadata.file_type();
        if file_type.is_fifo() {
            return Some("this is a pipe");
        }
        if file_type.is_socket() {
            return Some("this is a socket");
        }
    }
    Some("this is a device")
}
