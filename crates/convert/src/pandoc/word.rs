//! Word documents as Pandoc writes them.

use std::{
    borrow::Cow,
    io::{Cursor, Read as _, Write as _},
    path::Path,
};

use memchr::memmem;
use zip::{CompressionMethod, DateTime, ZipArchive, ZipWriter, result::ZipResult, write::SimpleFileOptions};

/// What begins the description of a picture whose address has its content.
const ADDRESS: &[u8] = b" descr=\"data:";

/// The document without the addresses of pictures in their descriptions: Pandoc describes each picture twice, by its
/// alternative text and by its address, which has all of its content here.
pub(super) fn without_addresses(bytes: Vec<u8>) -> Vec<u8> {
    rewritten(&bytes).ok().flatten().unwrap_or(bytes)
}

/// The document with other parts; nothing where no part has such a description.
fn rewritten(bytes: &[u8]) -> ZipResult<Option<Vec<u8>>> {
    let mut archive = ZipArchive::new(Cursor::new(bytes))?;
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default()
        .compression_method(CompressionMethod::Deflated)
        .last_modified_time(DateTime::default());
    let mut is_changed = false;
    for index in 0..archive.len() {
        let mut file = archive.by_index(index)?;
        let name = file.name()?.to_string();
        let extension = Path::new(&name).extension();
        let is_xml = extension.is_some_and(|extension| extension.eq_ignore_ascii_case("xml"));
        if !(name.starts_with("word/") && is_xml) {
            drop(file);
            writer.raw_copy_file(archive.by_index_raw(index)?)?;
            continue;
        }
        let mut content = Vec::new();
        file.read_to_end(&mut content)?;
        let content = without(&content);
        is_changed |= matches!(content, Cow::Owned(_));
        writer.start_file(name, options)?;
        writer.write_all(&content)?;
    }
    let made = writer.finish()?.into_inner();
    Ok(is_changed.then_some(made))
}

fn without(content: &[u8]) -> Cow<'_, [u8]> {
    let mut out = Vec::new();
    let mut done = 0;
    for start in memmem::find_iter(content, ADDRESS) {
        let value = start + ADDRESS.len();
        let Some(length) = memchr::memchr(b'"', &content[value..]) else { break };
        out.extend_from_slice(&content[done..start]);
        out.extend_from_slice(b" descr=\"\"");
        done = value + length + 1;
    }
    if done == 0 {
        return Cow::Borrowed(content);
    }
    out.extend_from_slice(&content[done..]);
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_descriptions_that_are_addresses_become_empty() {
        let part =
            "<a descr=\"data:image/png;base64,AA==\" id=\"1\"/><b descr=\"Words\"/><c descr=\"data:x\"/>";
        let expected = "<a descr=\"\" id=\"1\"/><b descr=\"Words\"/><c descr=\"\"/>";
        assert_eq!(without(part.as_bytes()).as_ref(), expected.as_bytes());
        assert!(matches!(without(b"<a/>"), Cow::Borrowed(_)));
        assert_eq!(without_addresses(b"PK".to_vec()), b"PK");
    }
}
