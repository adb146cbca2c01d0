//! The characters that YAML does not allow.

/// Whether a byte is a forbidden character or can start one.
fn is_suspect(byte: u8) -> bool {
    (byte < 0x20 && !matches!(byte, b'\t' | b'\n' | b'\r')) || matches!(byte, 0x7F | 0xC2 | 0xEF)
}

/// The first suspect byte at or after `from`. Checks many bytes at a time, because few are suspect.
fn suspect(bytes: &[u8], from: usize) -> Option<usize> {
    const WIDTH: usize = 64;
    let mut at = from;
    for chunk in bytes.get(from..)?.chunks(WIDTH) {
        if chunk.iter().fold(false, |found, byte| found | is_suspect(*byte)) {
            return chunk.iter().position(|byte| is_suspect(*byte)).map(|within| at + within);
        }
        at += chunk.len();
    }
    None
}

/// The first character at or after `from` that YAML does not allow: controls except tab, line feed and
/// carriage return, DEL, U+0080 to U+009F except NEL, U+FFFE and U+FFFF.
pub(super) fn forbidden(bytes: &[u8], from: usize) -> Option<usize> {
    let mut at = from;
    loop {
        at = suspect(bytes, at)?;
        match bytes[at..] {
            [0xC2, 0x80..=0x84 | 0x86..=0x9F, ..] | [0xEF, 0xBF, 0xBE | 0xBF, ..] => return Some(at),
            [0xC2 | 0xEF, ..] => at += 1,
            _ => return Some(at),
        }
    }
}
