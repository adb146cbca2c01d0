//! The engine that writes most formats: the program `pandoc`.

mod citations;
pub(crate) mod json;
mod meta;
mod process;
mod program;
mod translate;
mod typst;

pub(super) use self::citations::Citations;
use self::{process::Run, program::Program};
pub use self::{program::Pandoc, translate::translated};
use super::{
    brand::Brand,
    error::{ConvertError, ErrorCode},
    formats::{Family, Format},
    html::slide_level,
    metadata::Metadata,
    model::Block,
    transform::with_typst_pictures,
};

/// What Pandoc writes.
pub(super) struct Document<'d> {
    pub(super) format: &'d Format,
    pub(super) blocks: &'d [Block],
    pub(super) metadata: &'d Metadata,
    /// Lines of the head of a LaTeX document.
    pub(super) preamble: &'d [String],
    /// Bytes of a template.
    pub(super) template: Option<&'d [u8]>,
    pub(super) citations: &'d Citations,
    pub(super) brand: &'d Brand,
}

/// Extensions of writers that a document may switch.
const VARIANTS: [&str; 6] = ["-smart", "+smart", "-raw_html", "+raw_html", "-pipe_tables", "+pipe_tables"];

/// Has Pandoc write a document; gives its bytes and the version of Pandoc.
pub(super) fn write(pandoc: &Pandoc, document: &Document<'_>) -> Result<(Vec<u8>, String), ConvertError> {
    let Document { format, blocks, metadata, preamble, template, citations, brand } = *document;
    let program = pandoc.find()?;
    let meta = meta::meta(metadata, format, blocks, preamble, brand);
    let pictures = (format.family == Family::Typst).then(|| with_typst_pictures(blocks.to_vec()));
    let written = pictures.as_deref().unwrap_or(blocks);
    let mut document = serde_json::to_vec(&json::document(&meta, written)).unwrap_or_default();
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
    if metadata.is_true("toc") {
        arguments.push("--toc".to_owned());
        if let Some(depth) = metadata.number("toc-depth") {
            arguments.push(format!("--toc-depth={}", depth.clamp(1, 6)));
        }
    }
    if metadata.is_true("number-sections") {
        arguments.push("--number-sections".to_owned());
    }
    if !shows_metadata {
        arguments.extend(citations.arguments(&mut run)?);
    }
    if format.slides {
        arguments.push(format!("--slide-level={}", slide_level(blocks, metadata)));
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
    if let Some(wrap) = metadata.text("wrap").filter(|wrap| matches!(*wrap, "auto" | "none" | "preserve")) {
        arguments.push(format!("--wrap={wrap}"));
    }
    if let Some(columns) = metadata.number("columns") {
        arguments.push(format!("--columns={}", columns.clamp(20, 1000)));
    }
    if program.has_syntax_option() && !has_code(blocks) {
        arguments.push("--syntax-highlighting=none".to_owned());
    }
    if let Some(bytes) = template.filter(|_| format.template) {
        let path = run.add_file("template", &format.extension, bytes)?;
        arguments.push(format!("--reference-doc={}", path.display()));
    }
    let bytes = run.finish(&arguments, &document)?;
    Ok((bytes, program.version().to_owned()))
}

/// A document with its citations resolved. Its metadata does not name the files that they were resolved with, which
/// are in a folder of this run.
fn cited(
    pandoc: &Pandoc,
    program: &Program,
    citations: &Citations,
    document: &[u8],
) -> Result<Vec<u8>, ConvertError> {
    let mut run = Run::new(program, pandoc.limits())?;
    let mut arguments: Vec<String> = ["--from=json", "--to=json", "--sandbox"].map(str::to_owned).to_vec();
    arguments.push(format!("--data-dir={}", run.folder().display()));
    arguments.extend(citations.arguments(&mut run)?);
    let bytes = run.finish(&arguments, document)?;
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
    }
    Ok(serde_json::to_vec(&resolved).unwrap_or_default())
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
