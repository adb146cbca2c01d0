use std::io;

use serde::Serialize;
use serde_json::{Serializer, ser::Formatter};

use crate::text::visible;

/// Writes JSON with escaped hidden characters (control, bidirectional, zero-width): the same values,
/// safe to print.
pub fn write_json<W: io::Write + ?Sized>(value: &impl Serialize, out: &mut W) -> io::Result<()> {
    let mut serializer = Serializer::with_formatter(out, Escaped);
    value.serialize(&mut serializer).map_err(io::Error::from)
}

/// JSON that is already written, with escaped hidden characters.
pub fn escape_json(json: &str) -> String {
    let mut out = Vec::with_capacity(json.len());
    // Writing into memory does not fail.
    let _ = Escaped.write_string_fragment(&mut out, json);
    String::from_utf8(out).unwrap_or_default()
}

struct Escaped;

impl Formatter for Escaped {
    fn write_string_fragment<W>(&mut self, writer: &mut W, fragment: &str) -> io::Result<()>
    where
        W: ?Sized + io::Write,
    {
        // Nearly all text; control characters of ASCII but one are escaped in any JSON.
        if fragment.bytes().max() < Some(0x7f) {
            return writer.write_all(fragment.as_bytes());
        }
        let mut written = 0;
        let mut buffer = [0; 4];
        let candidates = fragment.char_indices().filter(|(_, c)| !c.is_ascii() || *c == '\u{7f}');
        for (at, c) in candidates {
            if visible(c.encode_utf8(&mut buffer)).len() == c.len_utf8() {
                continue;
            }
            writer.write_all(&fragment.as_bytes()[written..at])?;
            for unit in c.encode_utf16(&mut [0; 2]) {
                write!(writer, "\\u{unit:04x}")?;
            }
            written = at + c.len_utf8();
        }
        writer.write_all(&fragment.as_bytes()[written..])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_characters_are_escaped_and_round_trip() {
        let text = "é😀\u{202e}\u{7f}\u{85}\u{e0041}\u{1b}\n\"";
        let mut out = Vec::new();
        write_json(&text, &mut out).unwrap();
        let json = String::from_utf8(out).unwrap();
        assert_eq!(json, r#""é😀\u202e\u007f\u0085\udb40\udc41\u001b\n\"""#);
        assert_eq!(serde_json::from_str::<String>(&json).unwrap(), text);
    }
}
