use std::sync::Arc;

use super::{example_set::ExampleSet, refusal::Refusal};
use crate::{
    Limits, Options,
    budget::Once,
    convert::{ConvertError, ErrorCode, Format, Pandoc, RenderWorker},
    engine::{Outcome, Validator},
    folder::Folder as _,
    kinds::{Kind, Kinds, markdown, quill::Registered},
    metrics::Metrics,
    org,
    project::{Input, NotOpened, Project, SharedQuills, Subject, WriteError, quill_folder},
    results::Results,
    text::{clip, visible},
};

#[cfg(feature = "render")]
use crate::render::Format as PageFormat;

fn without_renderer() -> ConvertError {
    let message = "there is no preview: this server was started without a renderer";
    ConvertError::new(
        ErrorCode::DependencyMissing,
        message,
        "install the render worker, the package `proofmark-render`",
    )
}

/// The state of a service, which all calls share.
pub(super) struct Core {
    pub(super) project: Arc<Project>,
    /// The rules for documents without a file, and for files without settings of their own.
    pub(super) validator: Arc<Validator>,
    pub(super) quills: SharedQuills,
    #[cfg(feature = "render")]
    pub(super) rendering: Option<Arc<crate::Rendering>>,
    pub(super) limits: Limits,
    pub(super) results: Results,
    pub(super) tools: Vec<&'static str>,
    /// The program that writes most formats.
    pub(super) pandoc: Pandoc,
    pub(super) metrics: Arc<Metrics>,
    examples: Once<ExampleSet>,
    /// What is known of the Org files.
    pub(super) org: org::Index,
}

/// The document that a call is about, as its arguments say it.
#[derive(Debug, Default)]
pub(super) struct Asked<'a> {
    pub(super) text: Option<String>,
    pub(super) path: Option<&'a str>,
    /// The file whose text `text` is.
    pub(super) name: Option<&'a str>,
    pub(super) kind: Option<&'a str>,
    /// The quill that it is validated against.
    pub(super) quill: Option<&'a str>,
}

impl Core {
    pub(super) fn new(options: &Options, tools: Vec<&'static str>) -> Self {
        Self {
            validator: Arc::clone(options.project.base()),
            quills: options.project.quills().clone(),
            project: Arc::clone(&options.project),
            #[cfg(feature = "render")]
            rendering: options.rendering.clone(),
            limits: options.limits,
            results: Results::new(options.limits.results),
            tools,
            pandoc: Pandoc::of(&options.project.config().convert).within(options.limits.deadline),
            metrics: Arc::new(Metrics::new()),
            examples: Once::new(),
            org: org::Index::default(),
        }
    }

    /// Whether the tools for Org files are offered.
    pub(super) fn offers_org(&self) -> bool {
        self.tools.iter().any(|tool| tool.starts_with("org_"))
    }

    /// The Org files that tools may see.
    pub(super) fn org_files(&self) -> org::Files<'_> {
        org::Files::indexed(&self.project, &self.org)
    }

    /// Whether documents are rendered.
    #[cfg(feature = "render")]
    pub(super) fn renders(&self) -> bool {
        self.rendering.is_some()
    }

    /// Whether documents are rendered.
    #[cfg(not(feature = "render"))]
    #[expect(clippy::unused_self, reason = "it is asked the same way with and without a renderer")]
    pub(super) fn renders(&self) -> bool {
        false
    }

    /// What sets pages and draws diagrams.
    #[cfg(feature = "render")]
    pub(super) fn worker(&self) -> Option<&dyn RenderWorker> {
        self.rendering.as_ref().map(|rendering| &rendering.renderer as &dyn RenderWorker)
    }

    /// What sets pages and draws diagrams.
    #[cfg(not(feature = "render"))]
    #[expect(clippy::unused_self, reason = "it is asked the same way with and without a renderer")]
    pub(super) fn worker(&self) -> Option<&dyn RenderWorker> {
        None
    }

    /// Makes sure that results of a format can be shown as pictures.
    #[cfg(feature = "render")]
    pub(super) fn check_preview(&self, format: &Format) -> Result<(), ConvertError> {
        self.rendering.as_ref().ok_or_else(without_renderer)?.renderer.check_preview(format)
    }

    /// Keeps a picture of each slide or page of a result, as many as its bytes allow, and gives their addresses.
    #[cfg(feature = "render")]
    pub(super) fn preview(&self, bytes: &[u8], format: &Format) -> Result<Vec<String>, ConvertError> {
        let rendering = self.rendering.as_ref().ok_or_else(without_renderer)?;
        let made = rendering.renderer.preview(bytes, format, self.limits.deadline)?;
        let keep = |page: Vec<u8>| rendering.store.put("preview", PageFormat::Png, page.into()).uri();
        Ok(made.pages.into_iter().map(keep).collect())
    }

    /// Without the renderer there are no pictures.
    #[cfg(not(feature = "render"))]
    #[expect(clippy::unused_self, reason = "it is asked the same way with and without a renderer")]
    pub(super) fn check_preview(&self, _: &Format) -> Result<(), ConvertError> {
        Err(without_renderer())
    }

    /// Without the renderer there are no pictures.
    #[cfg(not(feature = "render"))]
    #[expect(clippy::unused_self, reason = "it is asked the same way with and without a renderer")]
    pub(super) fn preview(&self, _: &[u8], _: &Format) -> Result<Vec<String>, ConvertError> {
        Err(without_renderer())
    }

    /// The programs that write documents here.
    pub(super) fn engines(&self) -> serde_json::Value {
        let version = env!("CARGO_PKG_VERSION");
        let pandoc = self.pandoc.find().ok().map(|program| program.version().to_owned());
        #[cfg(feature = "render")]
        let renderer =
            self.rendering.as_ref().is_some_and(|rendering| rendering.renderer.check_worker().is_ok());
        #[cfg(not(feature = "render"))]
        let renderer = false;
        serde_json::json!([
            {"name": "embedded", "available": true, "version": version},
            {"name": "pandoc", "available": pandoc.is_some(), "version": pandoc},
            // A worker of another version is not available.
            {"name": "renderer", "available": renderer, "version": renderer.then_some(version)},
        ])
    }

    /// Paths of the files of a quill that its layout can show.
    #[cfg_attr(not(feature = "render"), expect(clippy::unused_self, reason = "a renderer has the files"))]
    pub(super) fn quill_assets(&self, quill: &Registered) -> Vec<String> {
        #[cfg(feature = "render")]
        if let Some(rendering) = &self.rendering {
            let bundle = rendering.renderer.library().bundle(&quill.quill.name).and_then(Result::ok);
            return bundle.map(|bundle| bundle.assets()).unwrap_or_default();
        }
        let _ = quill;
        Vec::new()
    }

    /// The example document of a quill.
    #[cfg_attr(not(feature = "render"), expect(clippy::unused_self, reason = "a renderer has the examples"))]
    pub(super) fn quill_example(&self, quill: &Registered) -> Option<String> {
        #[cfg(feature = "render")]
        if let Some(rendering) = &self.rendering {
            return rendering.renderer.library().example(&quill.quill.name);
        }
        let file = quill.quill.example_file.as_deref()?;
        quill_folder(quill.folder.as_deref()?).ok()?.read(file).ok()
    }

    /// The examples there are, found when first asked for.
    pub(super) fn examples(&self) -> &ExampleSet {
        self.examples.get_or_init(|| ExampleSet::new(&self.validator))
    }

    /// All kinds.
    pub(super) fn kinds(&self) -> &Kinds {
        self.project.kinds()
    }

    /// The kind of this name, or the kind that reads a fence language of this name.
    pub(super) fn kind(&self, name: &str) -> Result<&Arc<dyn Kind>, Refusal> {
        self.project.kind_named(name).map_err(|error| {
            let near = error.nearest.map(|near| format!("did you mean `{near}`? ")).unwrap_or_default();
            let shown = visible(&clip(name, 40)).into_owned();
            let fault = format!("there is no kind `{shown}`: {near}known are {}", self.kind_names());
            Refusal::arguments(vec![fault])
        })
    }

    fn kind_names(&self) -> String {
        self.kinds().names().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
    }

    /// The quill of this name.
    pub(super) fn quill(&self, name: &str) -> Result<Registered, Refusal> {
        let quills = self.quills.now();
        quills.registered(name).cloned().ok_or_else(|| {
            let near = quills.nearest(name).map(|near| format!("did you mean `{near}`? "));
            let known: Vec<&str> = quills.names().collect();
            let known = if known.is_empty() {
                "none is registered".to_owned()
            } else {
                format!("there are {}", known.join(", "))
            };
            let shown = visible(&clip(name, 60)).into_owned();
            Refusal::because(format!("there is no quill `{shown}`: {}{known}", near.unwrap_or_default()))
                .next("list_quills names them")
        })
    }

    /// The document that a call is about: text, or a file below the allowed folders.
    pub(super) fn subject(&self, asked: Asked<'_>) -> Result<Subject<'_>, Refusal> {
        let path = asked.path.map(str::to_owned);
        self.open(asked)?.map_err(|outcome| cannot_be_read(path.as_deref().unwrap_or_default(), &outcome))
    }

    /// Like [`Self::subject`], but gives the outcome of a file that exists and whose content cannot be used.
    pub(super) fn open(&self, asked: Asked<'_>) -> Result<Result<Subject<'_>, Box<Outcome>>, Refusal> {
        let (path, has_quill) = (asked.path.map(str::to_owned), asked.quill.is_some());
        match self.project.subject(self.input(asked)?) {
            Ok(subject) if has_quill && subject.kind().name() != markdown::NAME => {
                let kind = subject.kind().name();
                let fault = format!("`quill` is for documents of kind `markdown`, not `{kind}`");
                Err(Refusal::arguments(vec![fault]))
            }
            Ok(subject) => Ok(Ok(subject)),
            Err(NotOpened::Unreadable { outcome, exists: true }) => Ok(Err(outcome)),
            Err(NotOpened::Unreadable { outcome, exists: false }) => {
                Err(cannot_be_read(path.as_deref().unwrap_or_default(), &outcome))
            }
            Err(NotOpened::UnknownKind) => {
                let fault = format!(
                    "the kind of this text cannot be detected: give `kind`, one of {}",
                    self.kind_names()
                );
                Err(Refusal::arguments(vec![fault]))
            }
        }
    }

    fn input(&self, asked: Asked<'_>) -> Result<Input, Refusal> {
        let kind = asked.kind.map(|name| self.kind(name)).transpose()?;
        let quill = asked.quill.map(|name| self.quill(name)).transpose()?;
        let input = match (asked.text, asked.path, asked.name) {
            (Some(text), None, None) => Input::text(text),
            (Some(text), None, Some(name)) => Input::text(text).at(name),
            (None, Some(path), None) if self.project.reads_files() => Input::file(path),
            (None, Some(_), None) => {
                let fault = "this server was started without folders that it may read";
                return Err(Refusal::because(fault).next("send the document as `text`"));
            }
            (Some(_), Some(_), _) => {
                return Err(Refusal::arguments(vec!["give `text` or `path`, not both".into()]));
            }
            (None, Some(_), Some(_)) => {
                return Err(Refusal::arguments(vec!["`name` goes with `text`, not with `path`".into()]));
            }
            (None, None, _) => {
                return Err(Refusal::arguments(vec!["give the document as `text` or its `path`".into()]));
            }
        };
        Ok(input.of_kind(kind.cloned()).with_quill(quill.map(|registered| registered.quill)))
    }
}

fn cannot_be_read(path: &str, outcome: &Outcome) -> Refusal {
    let reasons = outcome.diagnostics.iter().map(|d| format!("{} {}", d.id, d.message));
    let shown = visible(&clip(path, 120)).into_owned();
    let fault = format!("`{shown}` cannot be read: {}", reasons.collect::<Vec<_>>().join("; "));
    Refusal::because(fault).next("give a path relative to an allowed folder, or send the `text`")
}

/// Why a file was not written.
pub(super) fn not_written(error: &WriteError) -> Refusal {
    let refusal = Refusal::because(visible(&error.to_string()).into_owned());
    match error {
        WriteError::Changed(_) => refusal.next("validate the file again and make the change again"),
        _ => refusal,
    }
}
