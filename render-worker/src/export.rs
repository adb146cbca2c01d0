//! What the engine does not write itself: PDF that conforms to standards, and HTML.
//!
//! The engine hands over the project that it would compile: the files of the quill, and the package through which
//! layouts read the document. Typst compiles that project here, with the options that the engine does not offer.

use std::collections::HashMap;

use proofmark_render_protocol::{EngineMessage, FilePosition, PdfStandard, Stage};
use quillmark::{CalendarDate, Quill, typst_workspace::Workspace};
use typst::{
    Feature, Features, Library, LibraryExt, World, WorldExt,
    diag::{FileError, FileResult, SourceDiagnostic, Warned},
    foundations::{Bytes, Datetime, Duration},
    layout::Dir,
    syntax::{FileId, RootedPath, Source, VirtualPath, VirtualRoot, package::PackageSpec},
    text::{Font, FontBook, Lang},
    utils::LazyHash,
};
use typst_html::{HtmlDocument, HtmlOptions};
use typst_layout::PagedDocument;
use typst_pdf::{PdfOptions, PdfStandards, Timestamp};

/// Compilations that results of earlier ones are kept for.
const KEPT: usize = 10;

/// A document with the quill that lays it out, as a project of Typst.
pub(crate) struct Project {
    library: LazyHash<Library>,
    book: LazyHash<FontBook>,
    fonts: Vec<Font>,
    main: FileId,
    sources: HashMap<FileId, Source>,
    files: HashMap<FileId, Bytes>,
    today: Option<Datetime>,
}

/// Bytes of a document, and warnings.
type Written<T> = Result<(T, Vec<EngineMessage>), Vec<EngineMessage>>;

impl Project {
    /// The project of a quill. `faces` are those that layouts have without naming them.
    pub(crate) fn new(
        quill: &Quill,
        workspace: Workspace,
        faces: &[&'static [u8]],
        today: CalendarDate,
        html: bool,
    ) -> Option<Self> {
        let own =
            quill.files().flatten().into_iter().filter_map(|(path, bytes)| Some((file(None, &path)?, bytes)));
        let mut all: HashMap<FileId, Vec<u8>> = own.collect();
        let mut fonts = Vec::new();
        for (path, bytes) in workspace.files {
            let path = path.to_string_lossy().replace('\\', "/");
            if path.starts_with("fonts/") {
                fonts.extend(Font::iter(Bytes::new(bytes)));
            } else if let Some(id) = package_file(&path) {
                all.insert(id, bytes);
            }
        }
        fonts.extend(faces.iter().flat_map(|bytes| Font::iter(Bytes::new(*bytes))));
        let source = |(id, bytes): (&FileId, &Vec<u8>)| {
            let is_source = std::path::Path::new(id.vpath().get_with_slash())
                .extension()
                .is_some_and(|ending| ending == "typ");
            let text = std::str::from_utf8(bytes).ok().filter(|_| is_source)?;
            Some((*id, Source::new(*id, text.to_owned())))
        };
        let features: Features = html.then_some(Feature::Html).into_iter().collect();
        Some(Self {
            library: LazyHash::new(Library::builder().with_features(features).build()),
            book: LazyHash::new(FontBook::from_fonts(&fonts)),
            fonts,
            main: file(None, &workspace.plate_file)?,
            sources: all.iter().filter_map(source).collect(),
            files: all.into_iter().map(|(id, bytes)| (id, Bytes::new(bytes))).collect(),
            today: Datetime::from_ymd(today.year(), today.month(), today.day()),
        })
    }

    /// The document as PDF that conforms to `standards`, or without tags where there are none, with its number of pages.
    pub(crate) fn pdf(&self, standards: &[PdfStandard]) -> Written<(usize, Vec<u8>)> {
        let Warned { output, warnings } = typst::compile::<PagedDocument>(self);
        comemo::evict(KEPT);
        let document = output.map_err(|errors| self.messages(&errors))?;
        let tagged = !standards.is_empty();
        let standards: Vec<typst_pdf::PdfStandard> =
            standards.iter().map(|standard| named(*standard)).collect();
        let standards = PdfStandards::new(&standards).map_err(|error| {
            vec![EngineMessage {
                stage: Stage::Layout,
                code: "proofmark::pdf_standards".to_owned(),
                message: error.message().to_string(),
                ..EngineMessage::default()
            }]
        })?;
        let options = PdfOptions {
            standards,
            tagged,
            timestamp: self.today.map(Timestamp::new_utc),
            ..PdfOptions::default()
        };
        let bytes = typst_pdf::pdf(&document, &options).map_err(|errors| self.messages(&errors))?;
        Ok(((document.pages().len(), bytes), self.messages(&warnings)))
    }

    /// The document as one file of HTML.
    pub(crate) fn html(&self) -> Written<Vec<u8>> {
        let Warned { output, warnings } = typst::compile::<HtmlDocument>(self);
        comemo::evict(KEPT);
        let document = output.map_err(|errors| self.messages(&errors))?;
        let text = typst_html::html(&document, &HtmlOptions { pretty: true })
            .map_err(|errors| self.messages(&errors))?;
        // A warning without a place is not about the document: it says that this output is new in Typst.
        let about_document = warnings.iter().filter(|warning| warning.span.id().is_some());
        let warnings: Vec<SourceDiagnostic> = about_document.cloned().collect();
        Ok((accessible(&text).into_bytes(), self.messages(&warnings)))
    }

    fn messages(&self, found: &[SourceDiagnostic]) -> Vec<EngineMessage> {
        found.iter().map(|one| self.message(one)).collect()
    }

    fn message(&self, found: &SourceDiagnostic) -> EngineMessage {
        // A call in a layout is a better position than what it calls in a package.
        let calls = found.trace.iter().map(|point| point.span.into());
        let in_quill = |span: &typst::syntax::DiagSpan| {
            span.id().is_some_and(|id| matches!(id.root(), VirtualRoot::Project))
        };
        let span = std::iter::once(found.span).chain(calls).find(in_quill);
        EngineMessage {
            stage: Stage::Layout,
            code: "typst::export".to_owned(),
            message: found.message.to_string(),
            help: found.hints.first().map(|hint| hint.v.to_string()),
            position: span.and_then(|span| self.position(span)),
            ..EngineMessage::default()
        }
    }

    fn position(&self, span: typst::syntax::DiagSpan) -> Option<FilePosition> {
        let id = span.id()?;
        let range = self.range(span)?;
        let source = self.sources.get(&id)?;
        let (line, column) = source.lines().byte_to_line_column(range.start)?;
        let number = |index: usize| u32::try_from(index + 1).unwrap_or(u32::MAX);
        let file = id.vpath().get_without_slash().to_owned();
        Some(FilePosition { file, line: number(line), column: number(column) })
    }
}

impl World for Project {
    fn library(&self) -> &LazyHash<Library> {
        &self.library
    }

    fn book(&self) -> &LazyHash<FontBook> {
        &self.book
    }

    fn main(&self) -> FileId {
        self.main
    }

    fn source(&self, id: FileId) -> FileResult<Source> {
        self.sources.get(&id).cloned().ok_or_else(|| missing(id))
    }

    fn file(&self, id: FileId) -> FileResult<Bytes> {
        self.files.get(&id).cloned().ok_or_else(|| missing(id))
    }

    fn font(&self, index: usize) -> Option<Font> {
        self.fonts.get(index).cloned()
    }

    fn today(&self, _: Option<Duration>) -> Option<Datetime> {
        self.today
    }
}

/// The page with its direction, where its language is written from right to left.
fn directed(html: &str) -> String {
    const LANGUAGE: &str = "<html lang=\"";
    let language = html.split_once(LANGUAGE).and_then(|(_, rest)| rest.split(['"', '-']).next());
    let language = language.and_then(|language| language.parse::<Lang>().ok());
    if language.is_some_and(|language| language.dir() == Dir::RTL) {
        html.replacen(LANGUAGE, "<html dir=\"rtl\" lang=\"", 1)
    } else {
        html.to_owned()
    }
}

/// The page with its direction, with roles of notes on their links, which is where they are allowed, and with notes as a part of
/// its text.
fn accessible(html: &str) -> String {
    const NOTES: &str = "<section role=\"doc-endnotes\">";
    const MAIN: &str = "</main>";
    let mut html = directed(html);
    for role in ["doc-noteref", "doc-backlink"] {
        html = html.replace(&format!(" role=\"{role}\"><a "), &format!("><a role=\"{role}\" "));
    }
    let notes = html.rfind(NOTES).zip(html.rfind("</body>"));
    if let Some((start, end)) = notes.filter(|(start, end)| start < end)
        && let Some(main) = html[..start].rfind(MAIN)
        && html[main + MAIN.len()..start].trim().is_empty()
    {
        let (text, after) = (html[start..end].to_owned(), html.split_off(end));
        let between = html[main..start].to_owned();
        html.truncate(main);
        html.push_str(text.trim_end());
        html.push_str(&between);
        html.push_str(&after);
    }
    html
}

fn missing(id: FileId) -> FileError {
    FileError::NotFound(id.vpath().get_without_slash().into())
}

/// The id of a file of the quill, or of a package.
fn file(package: Option<PackageSpec>, path: &str) -> Option<FileId> {
    let root = package.map_or(VirtualRoot::Project, VirtualRoot::Package);
    Some(FileId::new(RootedPath::new(root, VirtualPath::new(path).ok()?)))
}

/// The id of `packages/NAMESPACE/NAME/VERSION/FILE`.
fn package_file(path: &str) -> Option<FileId> {
    let mut parts = path.strip_prefix("packages/")?.splitn(4, '/');
    let (namespace, name, version) = (parts.next()?, parts.next()?, parts.next()?);
    let spec: PackageSpec = format!("@{namespace}/{name}:{version}").parse().ok()?;
    file(Some(spec), parts.next()?)
}

fn named(standard: PdfStandard) -> typst_pdf::PdfStandard {
    match standard {
        PdfStandard::A2b => typst_pdf::PdfStandard::A_2b,
        PdfStandard::Ua1 => typst_pdf::PdfStandard::Ua_1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_are_in_the_text_and_their_links_have_roles() {
        let page = "<body><main>Text<sup id=\"a\" role=\"doc-noteref\"><a href=\"#b\">1</a></sup></main>\n\
                    <section role=\"doc-endnotes\"><ol><li>Note</li></ol></section></body></html>";
        let expected = "<body><main>Text<sup id=\"a\"><a role=\"doc-noteref\" href=\"#b\">1</a></sup>\
                        <section role=\"doc-endnotes\"><ol><li>Note</li></ol></section></main>\n</body></html>";
        assert_eq!(accessible(page), expected);
        let plain = "<body><p>Text</p><section role=\"doc-endnotes\"></section></body>";
        assert_eq!(accessible(plain), plain);
    }

    #[test]
    fn pages_have_the_direction_of_their_language() {
        assert_eq!(accessible("<html lang=\"fa-IR\"><body>"), "<html dir=\"rtl\" lang=\"fa-IR\"><body>");
        assert_eq!(accessible("<html lang=\"de\"><body>"), "<html lang=\"de\"><body>");
    }
}
