//! The bounds that can be configured, with their defaults. Those on reading are [`kinds::Limits`].

use std::{
    num::NonZero,
    path::{Path, PathBuf},
    thread::available_parallelism,
    time::Duration,
};

use crate::kinds::{
    self,
    config::{RawConvert, RawEngine, RawLimits, RawRender, RawServer, defaults},
};

const MIB: u64 = 1024 * 1024;

/// Bounds on calls of the service. Every answer that a bound has cut or refused names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ServiceLimits {
    /// Most diagnostics in one answer; a cursor leads to the rest.
    pub diagnostics: usize,
    /// Most bytes that the diagnostics of one answer take as JSON.
    pub answer_bytes: usize,
    /// Most calls that run at a time.
    pub concurrency: usize,
    /// Most calls that wait to run.
    pub waiting: usize,
    /// Longest time a call may take, including the time it waits.
    pub deadline: Duration,
    /// Most results kept for comparison with later ones.
    pub results: usize,
    /// Largest HTTP request body, in bytes.
    pub body_bytes: usize,
    /// Memory of the process above which calls that need much are refused while others run, in bytes.
    pub memory: u64,
}

impl ServiceLimits {
    /// Most findings of an answer, and most bytes that they take as JSON.
    pub fn of_findings(&self) -> (usize, usize) {
        (self.diagnostics, self.answer_bytes)
    }
}

impl Default for ServiceLimits {
    fn default() -> Self {
        Self {
            diagnostics: defaults::ANSWER_DIAGNOSTICS,
            answer_bytes: 24 * 1024,
            concurrency: defaults::CONCURRENCY,
            waiting: 256,
            deadline: Duration::from_millis(defaults::DEADLINE_MS),
            results: 256,
            body_bytes: 4 * 1024 * 1024,
            memory: defaults::SERVER_MIB * MIB,
        }
    }
}

/// Bounds on rendering.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Render {
    /// The program `proofmark-render`, where there is none in the folder of this program.
    pub worker: Option<PathBuf>,
    /// Folders with fonts that all layouts may use.
    pub fonts: Vec<PathBuf>,
    /// Whether layouts may use the fonts of this machine.
    pub system_fonts: bool,
    /// Longest time one rendering may take.
    pub timeout: Duration,
    /// Most memory one rendering may take, in bytes.
    pub memory: u64,
    /// Most workers at a time.
    pub workers: usize,
    /// Most pages of a document.
    pub pages: usize,
    /// Most bytes of a rendered document.
    pub output_bytes: u64,
    /// Most rendered documents that are kept.
    pub cache_documents: usize,
    /// Most memory that they may take, in bytes.
    pub cache_bytes: u64,
    /// Folder that they are kept in for the next start.
    pub cache_folder: Option<PathBuf>,
    /// How long one is kept.
    pub cache_time: Duration,
}

impl Default for Render {
    fn default() -> Self {
        Self {
            worker: None,
            fonts: Vec::new(),
            system_fonts: false,
            timeout: Duration::from_secs(defaults::RENDER_SECONDS),
            memory: defaults::RENDER_MIB * MIB,
            workers: available_parallelism().map_or(1, NonZero::get),
            pages: defaults::PAGES,
            output_bytes: defaults::OUTPUT_MIB * MIB,
            cache_documents: defaults::CACHE_DOCUMENTS,
            cache_bytes: defaults::CACHE_MIB * MIB,
            cache_folder: None,
            cache_time: Duration::from_secs(defaults::CACHE_SECONDS),
        }
    }
}

/// `[render]` of a file in the folder `root`.
pub(super) fn render(raw: &RawRender, root: &Path) -> Render {
    let default = Render::default();
    Render {
        worker: raw.worker.as_ref().map(|path| root.join(path)),
        fonts: raw.fonts.iter().flatten().map(|path| root.join(path)).collect(),
        system_fonts: raw.system_fonts.unwrap_or(default.system_fonts),
        timeout: raw.timeout_seconds.map_or(default.timeout, Duration::from_secs),
        memory: raw.memory_mib.map_or(default.memory, |mib| mib * MIB),
        workers: raw.workers.unwrap_or(default.workers),
        pages: raw.pages.unwrap_or(default.pages),
        output_bytes: raw.output_mib.map_or(default.output_bytes, |mib| mib * MIB),
        cache_documents: raw.cache_documents.unwrap_or(default.cache_documents),
        cache_bytes: raw.cache_mib.map_or(default.cache_bytes, |mib| mib * MIB),
        cache_folder: raw.cache_folder.as_ref().map(|path| root.join(path)),
        cache_time: raw.cache_seconds.map_or(default.cache_time, Duration::from_secs),
    }
}

/// Conversion of Quarto documents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Convert {
    /// Name of the engine for formats that several engines write.
    pub engine: Option<&'static str>,
    /// The program `pandoc`, where none is in the folders of `PATH`.
    pub pandoc: Option<PathBuf>,
    /// File that gives templates their ids.
    pub templates: PathBuf,
    /// Longest time the program may take for one document.
    pub timeout: Duration,
    /// Most memory it may take, in MiB.
    pub memory_mib: u32,
    /// Most bytes of a result.
    pub output_bytes: u64,
}

/// `[convert]` of a file in the folder `root`.
pub(super) fn convert(raw: &RawConvert, root: &Path) -> Convert {
    Convert {
        engine: raw.engine.map(|engine| match engine {
            RawEngine::Embedded => "embedded",
            RawEngine::Pandoc => "pandoc",
        }),
        pandoc: raw.pandoc.as_ref().map(|path| root.join(path)),
        templates: root.join(raw.templates.as_deref().unwrap_or(defaults::CONVERT_TEMPLATES)),
        timeout: Duration::from_secs(raw.timeout_seconds.unwrap_or(defaults::CONVERT_SECONDS)),
        memory_mib: raw.memory_mib.unwrap_or(defaults::CONVERT_MIB),
        output_bytes: raw.output_mib.unwrap_or(defaults::CONVERT_OUTPUT_MIB) * MIB,
    }
}

/// `[limits]`
pub(super) fn reading(raw: &RawLimits) -> kinds::Limits {
    let default = kinds::Limits::default();
    kinds::Limits {
        text_bytes: raw.text_bytes.unwrap_or(default.text_bytes),
        block_bytes: raw.block_bytes.unwrap_or(default.block_bytes),
        yaml_depth: raw.yaml_depth.unwrap_or(default.yaml_depth),
        alias_nodes: raw.alias_nodes.unwrap_or(default.alias_nodes),
        diagram_bytes: raw.diagram_bytes.unwrap_or(default.diagram_bytes),
        line_bytes: raw.line_bytes.unwrap_or(default.line_bytes),
        diagnostics: raw.diagnostics.unwrap_or(default.diagnostics),
        steps: raw.steps.unwrap_or(default.steps),
        extra_bytes: raw.extra_bytes.unwrap_or(default.extra_bytes),
    }
}

/// The largest text that the service reads: `[server]`, else `[limits]`, else the default of services.
pub(super) fn service_text_bytes(server: &RawServer, limits: &RawLimits) -> usize {
    server.text_bytes.or(limits.text_bytes).unwrap_or(defaults::SERVER_TEXT_BYTES)
}

/// The limits in `[server]`, for documents of `text_bytes`.
pub(super) fn service(raw: &RawServer, text_bytes: usize) -> ServiceLimits {
    let default = ServiceLimits::default();
    ServiceLimits {
        diagnostics: raw.diagnostics.unwrap_or(default.diagnostics),
        concurrency: raw.concurrency.unwrap_or(default.concurrency),
        deadline: raw.deadline_ms.map_or(default.deadline, Duration::from_millis),
        // Text may be six times as long in JSON.
        body_bytes: default.body_bytes.max(text_bytes.saturating_mul(6)),
        memory: raw.memory_mib.map_or(default.memory, |mib| mib * MIB),
        ..default
    }
}
