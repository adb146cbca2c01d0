//! Quarto documents in other formats.

use std::{
    fmt::Write as _,
    io,
    path::{Path, PathBuf},
};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::super::{
    core::Core,
    refusal::Refusal,
    tool::{AgentTool, AnswerText, Effect, Needs},
};
use crate::{
    Toolset,
    convert::{self, ConvertError, Converted, Engine, ErrorCode, Format, Request},
    diagnostic::{ClientDiagnostic, ClientFindings, Diagnostic, Severity},
    project::Input,
    text::plural,
};

/// `quarto_list_formats`
pub(super) struct ListFormats;

#[derive(Deserialize, JsonSchema)]
pub(super) struct ListArguments {}

#[derive(Serialize, JsonSchema)]
pub(super) struct FormatInfo {
    format: &'static str,
    description: &'static str,
    extension: String,
    mime_type: &'static str,
    supports_templates: bool,
    /// The engine that would be used here.
    engine: &'static str,
    available: bool,
    /// What to install where it is not available.
    #[serde(skip_serializing_if = "Option::is_none")]
    missing: Option<&'static str>,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct FormatsAnswer {
    #[schemars(with = "Vec<Map<String, Value>>")]
    formats: Vec<FormatInfo>,
    total: usize,
    /// How to install what is missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    install: Option<String>,
}

impl AnswerText for FormatsAnswer {
    fn text(&self) -> String {
        let mut text = format!("{}\n", plural(self.total, "format"));
        for format in &self.formats {
            let missing = format.missing.map(|missing| format!(", needs {missing}")).unwrap_or_default();
            let _ =
                writeln!(text, "{} ({}{missing}): {}", format.format, format.extension, format.description);
        }
        if let Some(install) = &self.install {
            let _ = writeln!(text, "{install}");
        }
        text
    }
}

impl AgentTool for ListFormats {
    type Arguments = ListArguments;
    type Answer = FormatsAnswer;
    const NAME: &'static str = "quarto_list_formats";
    const TITLE: &'static str = "List formats";
    const DESCRIPTION: &'static str =
        "Lists the formats that `quarto_render` writes, with the engine used here and what is missing.";
    const TOOLSET: Toolset = Toolset::Quarto;
    const EXAMPLE: &'static str = "{}";

    fn call(core: &Core, _: ListArguments) -> Result<FormatsAnswer, Refusal> {
        let found = core.pandoc.find();
        let formats: Vec<FormatInfo> = convert::formats()
            .iter()
            .map(|format| {
                let written = format.engine == Engine::Embedded || found.is_ok();
                let available = written && (!format.pdf || core.renders());
                FormatInfo {
                    format: &format.id,
                    description: &format.description,
                    extension: format!(".{}", format.extension),
                    mime_type: &format.mime,
                    supports_templates: format.template,
                    engine: format.engine.name(),
                    available,
                    missing: (!available).then_some(if written {
                        "a renderer"
                    } else {
                        "pandoc 3.1 or later"
                    }),
                }
            })
            .collect();
        let install = found.err().map(|error| error.details);
        Ok(FormatsAnswer { total: formats.len(), formats, install })
    }
}

/// `quarto_render`
pub(super) struct RenderQuarto;

#[derive(Deserialize, JsonSchema)]
pub(super) struct RenderArguments {
    /// The document, with its YAML header.
    content: String,
    /// A format of `quarto_list_formats`, such as `pptx`, `html` or `docx`.
    format: String,
    /// Path of the result, absolute or in the allowed folder.
    output_path: String,
    /// Id of a template in `templates.yaml`; pptx only.
    template: Option<String>,
    /// Options that win over the document's own, such as `{"toc": true}`.
    format_options: Option<Map<String, Value>>,
    engine: Option<EngineName>,
    /// Replace a file that exists.
    #[serde(default)]
    overwrite: bool,
    /// Also PNGs of its slides or pages, as resources.
    #[serde(default)]
    preview: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
enum EngineName {
    Embedded,
    Pandoc,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct Output {
    path: String,
    filename: String,
    mime_type: &'static str,
    size_bytes: usize,
    /// Addresses of pictures of the slides or pages, in their order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    previews: Vec<String>,
    /// Why there are no pictures, where they were wanted.
    #[serde(skip_serializing_if = "Option::is_none")]
    without_preview: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct Metadata {
    /// Name and version of the engine: nothing is rendered by Quarto itself.
    quarto_version: String,
    engine: &'static str,
    render_time_ms: u64,
    warnings: Vec<String>,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct Failure {
    code: &'static str,
    message: String,
    /// What to install or to change.
    details: String,
    quarto_output: String,
    timestamp: String,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct RenderAnswer {
    success: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    format: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Map<String, Value>>")]
    output: Option<Output>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Map<String, Value>>")]
    metadata: Option<Metadata>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Map<String, Value>>")]
    error: Option<Failure>,
    #[serde(flatten)]
    findings: ClientFindings,
}

impl RenderAnswer {
    fn failed(error: ConvertError, findings: ClientFindings) -> Self {
        let failure = Failure {
            code: error.code.name(),
            message: error.message,
            details: error.details,
            quarto_output: error.output,
            timestamp: crate::calendar::today(),
        };
        Self { success: false, format: None, output: None, metadata: None, error: Some(failure), findings }
    }
}

impl AnswerText for RenderAnswer {
    fn text(&self) -> String {
        let text = match (&self.output, &self.error) {
            (Some(output), _) => {
                let mut text = format!("written: {} ({} bytes)\n", output.path, output.size_bytes);
                for (index, picture) in output.previews.iter().enumerate() {
                    let _ = writeln!(text, "page {}: {picture}", index + 1);
                }
                if let Some(why) = &output.without_preview {
                    let _ = writeln!(text, "{why}");
                }
                text
            }
            (None, Some(error)) => format!("{}: {}\n{}\n", error.code, error.message, error.details),
            (None, None) => String::new(),
        };
        text + &self.findings.text()
    }

    fn failed(&self) -> bool {
        !self.success
    }
}

/// The format, and where the result goes.
fn wanted(arguments: &RenderArguments) -> Result<(&'static Format, PathBuf), ConvertError> {
    let name = arguments.format.as_str();
    let format = convert::format_named(name).ok_or_else(|| {
        let near =
            convert::similar_format(name).map(|near| format!("did you mean `{near}`? ")).unwrap_or_default();
        let shown = crate::text::visible(&crate::text::clip(name, 40)).into_owned();
        let details = format!("{near}quarto_list_formats lists the formats");
        ConvertError::new(ErrorCode::UnsupportedFormat, format!("there is no format `{shown}`"), details)
    })?;
    let path = PathBuf::from(&arguments.output_path);
    let invalid =
        |message: &str, details: String| Err(ConvertError::new(ErrorCode::InvalidInput, message, details));
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    if extension != format.extension && !(format.pdf && extension == "typ") {
        let details = format!("name the result with the ending .{}", format.extension);
        return invalid("`output_path` does not have the ending of the format", details);
    }
    Ok((format, path))
}

/// What is wrong with a result whose file exists.
fn exists() -> ConvertError {
    let details = "set `overwrite` to replace the file, or give another `output_path`";
    ConvertError::new(ErrorCode::InvalidInput, "`output_path` exists already", details)
}

/// Writes a result: as a new file, or in place of another one.
fn write(core: &Core, path: &Path, bytes: &[u8], overwrite: bool) -> Result<(), ConvertError> {
    let written =
        if overwrite { core.project.write_output(path, bytes) } else { core.project.create(path, bytes) };
    written.map_err(|error| {
        if error.kind() == io::ErrorKind::AlreadyExists && !overwrite {
            return exists();
        }
        let message = format!("the result cannot be written: {}", error.kind());
        let details = "give an `output_path` in a folder that exists below an allowed folder";
        ConvertError::new(ErrorCode::InvalidInput, message, details)
    })
}

impl AgentTool for RenderQuarto {
    type Arguments = RenderArguments;
    type Answer = RenderAnswer;
    const NAME: &'static str = "quarto_render";
    const TITLE: &'static str = "Convert a Quarto document";
    const DESCRIPTION: &'static str = "Converts a Quarto document and writes the result to a file below an allowed folder. Code is shown, never executed. Refused while the document has errors, or if the file exists. `proofmark convert FOLDER` converts a whole website or book.";
    const TOOLSET: Toolset = Toolset::Quarto;
    const EFFECT: Effect = Effect::Writes;
    const NEEDS: Needs = Needs::Roots;
    const EXAMPLE: &'static str = r#"{"content": "---\ntitle: Plan\n---\n\n# Goals\n\n- One\n", "format": "html", "output_path": "/work/plan.html"}"#;
    const ALIASES: &'static [(&'static str, &'static str)] = &[
        ("text", "content"),
        ("markdown", "content"),
        ("output", "output_path"),
        ("options", "format_options"),
    ];

    fn call(core: &Core, arguments: RenderArguments) -> Result<RenderAnswer, Refusal> {
        let (format, path) = match wanted(&arguments) {
            Ok(wanted) => wanted,
            Err(error) => return Ok(RenderAnswer::failed(error, ClientFindings::default())),
        };
        if !arguments.overwrite && core.project.exists(&path) {
            return Ok(RenderAnswer::failed(exists(), ClientFindings::default()));
        }
        if arguments.preview
            && let Err(error) = core.check_preview(format)
        {
            return Ok(RenderAnswer::failed(error, ClientFindings::default()));
        }
        let template = match arguments.template.as_deref().map(|id| convert::template(&core.project, id)) {
            Some(Err(error)) => return Ok(RenderAnswer::failed(error, ClientFindings::default())),
            Some(Ok(bytes)) => Some(bytes),
            None => None,
        };
        // Files beside the result are files beside the document.
        let beside = path.with_extension("qmd");
        let input = Input::text(arguments.content).at(&beside).of_kind(convert::source_kind(&core.project));
        let subject = core.project.subject(input).map_err(|_| Refusal::because("the text cannot be read"))?;
        let options: Vec<(String, String)> = arguments
            .format_options
            .unwrap_or_default()
            .into_iter()
            .map(|(key, value)| (key, value.as_str().map_or_else(|| value.to_string(), str::to_owned)))
            .collect();
        let engine = arguments.engine.map(|engine| match engine {
            EngineName::Embedded => Engine::Embedded,
            EngineName::Pandoc => Engine::Pandoc,
        });
        let request = Request {
            format,
            engine: engine.or_else(|| convert::preferred(&core.project.config().convert)),
            options: &options,
            options_name: "<format_options>",
            pandoc: &core.pandoc,
            template: template.as_deref(),
            source: path.extension().is_some_and(|extension| extension == "typ"),
            back: None,
            worker: core.worker(),
        };
        let shown = |diagnostics: &[Diagnostic]| {
            let found = diagnostics.iter().filter(|found| found.suppressed.is_none());
            ClientFindings::of(found.map(ClientDiagnostic::from).collect(), core.limits.of_findings())
        };
        let made = convert::convert(&subject, &request);
        let used = request.engine.unwrap_or(format.engine).name();
        core.metrics.conversion(&format.id, used, made.is_ok());
        let Converted { bytes, diagnostics, engine, version, milliseconds } = match made {
            Ok(converted) => converted,
            Err(failed) => return Ok(RenderAnswer::failed(failed.error, shown(&failed.diagnostics))),
        };
        core.metrics.findings(&diagnostics);
        if let Err(error) = write(core, &path, &bytes, arguments.overwrite) {
            return Ok(RenderAnswer::failed(error, shown(&diagnostics)));
        }
        let warnings = diagnostics.iter().filter(|found| found.severity == Severity::Warning);
        let warnings = warnings.map(|found| found.message.clone()).take(100).collect();
        // The result is there also where its pictures are not.
        let previews = if arguments.preview { core.preview(&bytes, format) } else { Ok(Vec::new()) };
        let (previews, without_preview) = match previews {
            Ok(previews) => (previews, None),
            Err(error) => (Vec::new(), Some(format!("{}: {}", error.message, error.details))),
        };
        let filename = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Ok(RenderAnswer {
            success: true,
            format: Some(format.id.clone()),
            output: Some(Output {
                path: arguments.output_path,
                filename,
                mime_type: &format.mime,
                size_bytes: bytes.len(),
                previews,
                without_preview,
            }),
            metadata: Some(Metadata {
                quarto_version: format!("{engine} {version}"),
                engine,
                render_time_ms: milliseconds,
                warnings,
            }),
            error: None,
            findings: shown(&diagnostics),
        })
    }
}
