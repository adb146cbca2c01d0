//! Pictures: their bytes, their kind, their size.

use std::sync::Arc;

/// A picture that slides can show.
#[derive(Debug, Clone)]
pub(super) struct Picture {
    pub(super) bytes: Arc<[u8]>,
    pub(super) extension: &'static str,
    /// In pixels.
    pub(super) width: u32,
    pub(super) height: u32,
}

/// The size of a picture in pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Size {
    pub(super) width: u32,
    pub(super) height: u32,
}

impl Picture {
    pub(super) fn size(&self) -> Size {
        Size { width: self.width, height: self.height }
    }

    /// The picture with these bytes; nothing for kinds that `PowerPoint` does not show.
    pub(super) fn read(bytes: Arc<[u8]>) -> Option<Self> {
        let (extension, (width, height)) = match bytes.as_ref() {
            [0x89, b'P', b'N', b'G', ..] => ("png", png(&bytes)?),
            [0xFF, 0xD8, ..] => ("jpeg", jpeg(&bytes)?),
            [b'G', b'I', b'F', ..] => ("gif", gif(&bytes)?),
            _ => return None,
        };
        (width > 0 && height > 0).then_some(Self { bytes, extension, width, height })
    }
}

fn png(bytes: &[u8]) -> Option<(u32, u32)> {
    let number = |at: usize| Some(u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?));
    Some((number(16)?, number(20)?))
}

fn gif(bytes: &[u8]) -> Option<(u32, u32)> {
    let number = |at: usize| Some(u32::from(u16::from_le_bytes(bytes.get(at..at + 2)?.try_into().ok()?)));
    Some((number(6)?, number(8)?))
}

/// The size in the first frame header.
fn jpeg(bytes: &[u8]) -> Option<(u32, u32)> {
    let number = |at: usize| Some(u16::from_be_bytes(bytes.get(at..at + 2)?.try_into().ok()?));
    let mut at = 2;
    loop {
        while *bytes.get(at)? == 0xFF && *bytes.get(at + 1)? == 0xFF {
            at += 1;
        }
        let marker = *bytes.get(at + 1)?;
        if matches!(marker, 0xC0..=0xCF) && !matches!(marker, 0xC4 | 0xC8 | 0xCC) {
            return Some((u32::from(number(at + 7)?), u32::from(number(at + 5)?)));
        }
        at += 2 + usize::from(number(at + 2)?);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_from_the_first_bytes() {
        let mut bytes = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x10\0\0\0\x08".to_vec();
        bytes.extend([0; 8]);
        let found = Picture::read(bytes.into());
        assert_eq!(found.map(|found| (found.width, found.height)), Some((16, 8)));
        assert!(Picture::read(Arc::from(&b"<svg/>"[..])).is_none());
    }
}
