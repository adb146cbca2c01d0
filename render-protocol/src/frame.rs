//! A message between processes: a header in JSON, followed by any number of byte strings.
//!
//! `u32` length of the header · header `{"lengths": […], "message": …}` · the byte strings. Numbers are
//! little-endian.

use std::io::{self, Read, Write};

use serde::{Deserialize, Serialize, de::DeserializeOwned};

/// Largest header, in bytes: a document and its fields are in it.
const LARGEST_HEADER: usize = 256 * 1024 * 1024;

/// Most bytes of all byte strings together.
const LARGEST: u64 = 1024 * 1024 * 1024;

/// A message without byte strings.
pub const NO_BLOBS: &[Vec<u8>] = &[];

#[derive(Serialize, Deserialize)]
struct Header<M> {
    lengths: Vec<u64>,
    message: M,
}

/// Writes a message and the byte strings that follow it.
///
/// # Errors
/// When the stream breaks or the header is larger than a `u32` can say.
pub fn write<M: Serialize>(out: &mut impl Write, message: &M, blobs: &[impl AsRef<[u8]>]) -> io::Result<()> {
    let lengths = blobs.iter().map(|blob| blob.as_ref().len() as u64).collect();
    let header = serde_json::to_vec(&Header { lengths, message }).map_err(io::Error::other)?;
    let length = u32::try_from(header.len()).map_err(io::Error::other)?;
    out.write_all(&length.to_le_bytes())?;
    out.write_all(&header)?;
    blobs.iter().try_for_each(|blob| out.write_all(blob.as_ref()))?;
    out.flush()
}

/// Reads a message and the byte strings that follow it; nothing at the end of the stream.
///
/// # Errors
/// When the stream breaks, ends inside a message, or a message is not valid or too large.
pub fn read<M: DeserializeOwned>(input: &mut impl Read) -> io::Result<Option<(M, Vec<Vec<u8>>)>> {
    let mut length = [0; 4];
    match input.read(&mut length)? {
        0 => return Ok(None),
        read => input.read_exact(&mut length[read..])?,
    }
    let length = u32::from_le_bytes(length) as usize;
    let wrong = |what: &str| io::Error::new(io::ErrorKind::InvalidData, what.to_owned());
    if length > LARGEST_HEADER {
        return Err(wrong("the header is too large"));
    }
    let header = exactly(input, length as u64)?;
    let header: Header<M> = serde_json::from_slice(&header).map_err(io::Error::other)?;
    let total = header.lengths.iter().try_fold(0u64, |total, length| total.checked_add(*length));
    if total.is_none_or(|total| total > LARGEST) {
        return Err(wrong("the message is too large"));
    }
    let blobs = header.lengths.iter().map(|length| exactly(input, *length)).collect::<io::Result<_>>()?;
    Ok(Some((header.message, blobs)))
}

/// Reads exactly `length` bytes. Memory grows with what arrives, not with what is announced.
fn exactly(input: &mut impl Read, length: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    input.take(length).read_to_end(&mut bytes)?;
    if bytes.len() as u64 == length { Ok(bytes) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_comes_back_as_it_was_sent() {
        let mut bytes = Vec::new();
        write(&mut bytes, &"hello", &[vec![0, 255], Vec::new(), b"x".to_vec()]).unwrap();
        write(&mut bytes, &"again", NO_BLOBS).unwrap();
        let mut input = bytes.as_slice();
        let (message, blobs) = read::<String>(&mut input).unwrap().unwrap();
        assert_eq!((message.as_str(), blobs), ("hello", vec![vec![0, 255], Vec::new(), b"x".to_vec()]));
        assert_eq!(read::<String>(&mut input).unwrap().unwrap().0, "again");
        assert!(read::<String>(&mut input).unwrap().is_none());
    }

    #[test]
    fn a_broken_message_is_an_error() {
        let mut bytes = Vec::new();
        write(&mut bytes, &"hello", &[vec![1; 10]]).unwrap();
        for end in 1..bytes.len() {
            assert!(read::<String>(&mut &bytes[..end]).is_err(), "cut at {end}");
        }
        assert!(read::<String>(&mut &u32::MAX.to_le_bytes()[..]).is_err());
        assert!(read::<String>(&mut &b"\x02\0\0\0{}"[..]).is_err());
    }
}
