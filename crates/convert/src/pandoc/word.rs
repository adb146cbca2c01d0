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

/// Between two tables, which Word would join to one: the callouts and the figures of a document are tables.
const BETWEEN_TABLES: &[u8] =
    b"<w:p><w:pPr><w:spacing w:before=\"0\" w:after=\"0\"/><w:rPr><w:sz w:val=\"12\"/></w:rPr></w:pPr></w:p>";

/// The document as readers expect it. It has no addresses of pictures in their descriptions: Pandoc describes each picture twice, by
/// its alternative text and by its address, which has all of its content here. A paragraph has the alignment of the innermost cell
/// that it is in: Pandoc also adds those of the others, and the last one counts. Tables are apart from each other.
pub(super) fn corrected(bytes: Vec<u8>) -> Vec<u8> {
    rewritten(&bytes).ok().flatten().unwrap_or(bytes)
}

/// The document with other parts; nothing where there is nothing to correct.
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
        let apart = apart(&content);
        is_changed |= matches!(apart, Cow::Owned(_));
        let content = aligned(&apart);
        is_changed |= matches!(content, Cow::Owned(_));
        writer.start_file(name, options)?;
        writer.write_all(&content)?;
    }
    let made = writer.finish()?.into_inner();
    Ok(is_changed.then_some(made))
}

/// The part with something between its tables.
fn apart(content: &[u8]) -> Cow<'_, [u8]> {
    const END: &[u8] = b"</w:tbl>";
    let mut out = Vec::new();
    let mut done = 0;
    for at in memmem::find_iter(content, END) {
        let after = at + END.len();
        let rest = content[after..].trim_ascii_start();
        if rest.starts_with(b"<w:tbl>") {
            out.extend_from_slice(&content[done..after]);
            out.extend_from_slice(BETWEEN_TABLES);
            done = after;
        }
    }
    rest_of(content, out, done)
}

/// The part whose paragraphs have one alignment, the first.
fn aligned(content: &[u8]) -> Cow<'_, [u8]> {
    const ALIGNMENT: &[u8] = b"<w:jc ";
    let mut out = Vec::new();
    let mut done = 0;
    let mut last_end = None;
    for at in memmem::find_iter(content, ALIGNMENT) {
        let Some(length) = memchr::memchr(b'>', &content[at..]) else { break };
        let end = at + length + 1;
        if last_end == Some(at) {
            out.extend_from_slice(&content[done..at]);
            done = end;
        }
        last_end = Some(end);
    }
    rest_of(content, out, done)
}

/// What was written and the rest of the part; the part itself where nothing was written.
fn rest_of(content: &[u8], mut out: Vec<u8>, done: usize) -> Cow<'_, [u8]> {
    if done == 0 {
        return Cow::Borrowed(content);
    }
    out.extend_from_slice(&content[done..]);
    Cow::Owned(out)
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
    rest_of(content, out, done)
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
        assert_eq!(corrected(b"PK".to_vec()), b"PK");
    }

    #[test]
    fn tables_are_apart_and_paragraphs_have_one_alignment() {
        let table = "<w:tbl><w:p><w:jc w:val=\"right\" /><w:jc w:val=\"left\" /></w:p></w:tbl>";
        let part = format!("{table}\n  {table}<w:p/>");
        let apart = apart(part.as_bytes());
        assert_eq!(memmem::find_iter(&apart, BETWEEN_TABLES).count(), 1);
        let expected = table.replace("<w:jc w:val=\"left\" />", "");
        let between = String::from_utf8_lossy(BETWEEN_TABLES);
        assert_eq!(
            String::from_utf8_lossy(&aligned(&apart)),
            format!("{expected}{between}\n  {expected}<w:p/>")
        );
        assert!(matches!(aligned(b"<w:jc w:val=\"left\"/><a/><w:jc w:val=\"left\"/>"), Cow::Borrowed(_)));
    }
}
