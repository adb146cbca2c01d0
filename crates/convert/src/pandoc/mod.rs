//! The engine that writes most formats: the program `pandoc`.

mod citations;
pub(crate) mod json;
mod meta;
mod process;
mod program;
mod styled;
mod translate;
mod typst;
mod word;

pub(super) use self::{
    citations::Citations,
    styled::{Listing, Styled, styled},
    typst::logo_path,
};
use self::{process::Run, program::Program};
pub use self::{
    program::Pandoc,
    translate::{pandoc_json, translated},
};
use super::{
    brand::Brand,
    citations::uncited_works,
    error::{ConvertError, ErrorCode},
    formats::{Family, Format},
    html::slide_level,
    images::Pictures,
    metadata::Metadata,
    model::Block,
    transform::with_typst_pictures,
};

/// What Pandoc writes.
pub(super) struct Document<'d> {
    pub(super) format: &'d Format,
    pub(super) blocks: &'d [Block],
    /// The pictures whose marks are in the blocks.
    pub(super) pictures: &'d Pictures,
    pub(super) metadata: &'d Metadata,
    /// Lines of the head of a LaTeX document.
    pub(super) preamble: &'d [String],
    /// Bytes of a template.
    pub(super) template: Option<&'d [u8]>,
    pub(super) citations: &'d Citations,
    pub(super) brand: &'d Brand,
    /// Whether Typst resolves the citations.
    pub(super) native_citations: bool,
    /// The logo of typeset pages: its path in the source, or the name of its file.
    pub(super) logo: Option<&'d str>,
}

/// Whether Pandoc's writer of a format has a place for the alternative text of a picture beside its caption.
pub(super) fn shows_alternatives(format: &Format) -> bool {
    use Family::{Asciidoc, Docbook, Docx, Epub, Html, Jats, Latex, Odt, Rst, Tei, Textile};
    matches!(
        format.family,
        Asciidoc | Docbook | Docx | Epub | Html | Jats | Latex | Odt | Rst | Tei | Textile
    )
}

/// Extensions of writers that a document may switch.
const VARIANTS: [&str; 6] = ["-smart", "+smart", "-raw_html", "+raw_html", "-pipe_tables", "+pipe_tables"];

/// Has Pandoc write a document; gives its bytes and the version of Pandoc.
pub(super) fn write(pandoc: &Pandoc, document: &Document<'_>) -> Result<(Vec<u8>, String), ConvertError> {
    let Document { format, blocks, pictures, metadata, preamble, template, citations, brand, .. } = *document;
    let native_citations = document.native_citations;
    let program = pandoc.find()?;
    let is_typst = format.family == Family::Typst;
    let highlighting = Highlighting::of(metadata);
    let mut meta = meta::meta(metadata, format, (blocks, pictures), preamble, brand);
    if is_typst {
        meta.extend(typst::page(metadata, brand, document.logo));
        if native_citations {
            meta.extend(typst::bibliography(metadata));
        }
    }
    if let Some(nocite) = metadata.text("nocite").filter(|_| !citations.is_empty() && !native_citations) {
        let works = json::inlines(&uncited_works(nocite));
        meta.insert("nocite".to_owned(), serde_json::json!({"t": "MetaInlines", "c": works}));
    }
    let is_plain = matches!(highlighting, Highlighting::None);
    let rewritten = is_typst.then(|| with_typst_pictures(blocks.to_vec(), !is_plain));
    let written = rewritten.as_deref().unwrap_or(blocks);
    let mut document = serde_json::to_string(&json::document(&meta, written)).unwrap_or_default();
    let shows_metadata = matches!(format.family, Family::Markdown | Family::Ipynb);
    if shows_metadata && !citations.is_empty() {
        document = cited(pandoc, program, citations, &document)?;
    }
    let mut run = Run::new(program, pandoc.limits())?;
    let mut arguments: Vec<String> = ["--from=json", "--sandbox", "--standalone"].map(str::to_owned).to_vec();
    let variant = metadata.text("variant").filter(|variant| VARIANTS.contains(variant)).unwrap_or_default();
    arguments.push(format!("--to={}{variant}", format.writer()));
    arguments.push(format!("--data-dir={}", run.folder().display()));
    if format.family == Family::Typst {
        let path = run.add_file("template", "typ", typst::TEMPLATE.as_bytes())?;
        arguments.push(format!("--template={}", path.display()));
    }
    arguments.extend(sections(format, blocks, metadata));
    if !shows_metadata && !native_citations {
        arguments.extend(citations.arguments(&mut run)?);
        // Typeset pages have a heading above the works.
        let usual =
            || is_typst.then(|| metadata.words("language.section-title-references").unwrap_or("References"));
        let heading = metadata.words("reference-section-title").or_else(usual);
        if let Some(heading) = heading.filter(|_| !citations.is_empty()) {
            arguments.push(format!("--metadata=reference-section-title:{heading}"));
        }
    }
    if let Some(wrap) = metadata.text("wrap").filter(|wrap| matches!(*wrap, "auto" | "none" | "preserve")) {
        arguments.push(format!("--wrap={wrap}"));
    }
    if is_typst && metadata.text("wrap").is_none() {
        arguments.push("--wrap=none".to_owned());
    }
    if let Some(columns) = metadata.number("columns").filter(|_| !is_typst) {
        arguments.push(format!("--columns={}", columns.clamp(20, 1000)));
    }
    if program.has_syntax_option() {
        let style = match &highlighting {
            _ if !has_code(blocks) => Some("none"),
            Highlighting::None => Some("none"),
            Highlighting::Idiomatic => Some("idiomatic"),
            Highlighting::Style(style) => Some(*style),
            Highlighting::Default => is_typst.then_some("pygments"),
        };
        arguments.extend(style.map(|style| format!("--syntax-highlighting={style}")));
    }
    if let Some(bytes) = template.filter(|_| format.template) {
        let path = run.add_file("template", &format.extension, bytes)?;
        arguments.push(format!("--reference-doc={}", path.display()));
    }
    let mut bytes = run.finish(&arguments, &pictures.written(document))?;
    if is_typst {
        bytes = typst::with_code_blocks(bytes, metadata, brand, &highlighting);
    }
    if format.family == Family::Docx {
        bytes = word::corrected(bytes);
    }
    Ok((bytes, program.version().to_owned()))
}

/// The arguments about sections, slides and their numbers.
fn sections(format: &Format, blocks: &[Block], metadata: &Metadata) -> Vec<String> {
    let mut arguments = Vec::new();
    if metadata.is_true("toc") {
        arguments.push("--toc".to_owned());
        if let Some(depth) = metadata.number("toc-depth") {
            arguments.push(format!("--toc-depth={}", depth.clamp(1, 6)));
        }
    }
    if metadata.is_true("number-sections") {
        arguments.push("--number-sections".to_owned());
    }
    if format.slides {
        arguments.push(format!("--slide-level={}", slide_level(blocks, metadata, format.id == "revealjs")));
    }
    if metadata.is_true("incremental") && format.slides {
        arguments.push("--incremental".to_owned());
    }
    if format.family == Family::Latex && metadata.is_true("number-sections") {
        let highest = blocks.iter().filter_map(|block| match block {
            Block::Header(level, ..) => Some(*level),
            _ => None,
        });
        let shift = highest.min().unwrap_or(1).saturating_sub(1);
        if shift > 0 && !format.slides {
            // Numbers that begin with 0 are not what a document without chapters means.
            arguments.push(format!("--shift-heading-level-by=-{shift}"));
        }
    }
    let top = metadata.text("top-level-division").or_else(|| {
        let book = matches!(
            metadata.text("documentclass"),
            Some("book" | "report" | "scrbook" | "scrreprt" | "memoir")
        );
        (format.family == Family::Latex && book).then_some("chapter")
    });
    if let Some(top) = top.filter(|top| matches!(*top, "section" | "chapter" | "part")) {
        arguments.push(format!("--top-level-division={top}"));
    }
    arguments
}

/// How code is colored.
enum Highlighting {
    None,
    /// As the format itself does.
    Idiomatic,
    /// One of the styles that Pandoc has.
    Style(&'static str),
    Default,
}

impl Highlighting {
    const STYLES: [&'static str; 8] =
        ["pygments", "tango", "espresso", "zenburn", "kate", "monochrome", "breezedark", "haddock"];

    fn of(metadata: &Metadata) -> Self {
        let named = metadata.at("syntax-highlighting").or_else(|| metadata.at("highlight-style"));
        if named.and_then(serde_json::Value::as_bool) == Some(false) {
            return Self::None;
        }
        match named.and_then(serde_json::Value::as_str) {
            Some("none") => Self::None,
            Some("idiomatic") => Self::Idiomatic,
            Some(name) => {
                Self::STYLES.into_iter().find(|style| *style == name).map_or(Self::Default, Self::Style)
            }
            None => Self::Default,
        }
    }
}

/// A document with its citations resolved. Its metadata does not name the files that they were resolved with, which
/// are in a folder of this run.
fn cited(
    pandoc: &Pandoc,
    program: &Program,
    citations: &Citations,
    document: &str,
) -> Result<String, ConvertError> {
    let mut run = Run::new(program, pandoc.limits())?;
    let mut arguments: Vec<String> = ["--from=json", "--to=json", "--sandbox"].map(str::to_owned).to_vec();
    arguments.push(format!("--data-dir={}", run.folder().display()));
    arguments.extend(citations.arguments(&mut run)?);
    let bytes = run.finish(&arguments, document.as_bytes())?;
    let mut resolved: serde_json::Value = serde_json::from_slice(&bytes).map_err(|_| {
        ConvertError::new(
            ErrorCode::RenderFailed,
            "the result of pandoc is not JSON",
            "install another version",
        )
    })?;
    if let Some(meta) = resolved.get_mut("meta").and_then(serde_json::Value::as_object_mut) {
        meta.remove("bibliography");
        meta.remove("csl");
        meta.remove("nocite");
    }
    Ok(serde_json::to_string(&resolved).unwrap_or_default())
}

/// Whether any code has a language, which is then shown in colors.
fn has_code(blocks: &[Block]) -> bool {
    blocks.iter().any(|block| match block {
        Block::Code(attr, _) => !attr.classes.is_empty(),
        Block::Div(_, inner) | Block::Quote(inner) | Block::Figure(_, _, inner) => has_code(inner),
        Block::BulletList(items) | Block::OrderedList(_, items) => items.iter().any(|item| has_code(item)),
        _ => false,
    })
}
