//! What `proofmark.toml` says, as it says it. The doc comments become `schemas/config.schema.json`
//! and so the help that editors show.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::defaults;
use crate::{Limits, diagnostic::Severity};

/// Configuration of Proofmark: `proofmark.toml`, the nearest one upward from the working directory.
/// Paths are relative to the folder that contains it.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema, PartialEq)]
#[serde(default, deny_unknown_fields)]
#[schemars(title = "Proofmark configuration")]
pub struct RawConfig {
    /// Configurations that this one extends: files, folders with a `proofmark.toml`, or other repositories as
    /// `git+https://host/repository@tag`, which `proofmark packs add` fetches. What this one says decides over
    /// them, and later ones decide over earlier ones. Packs and single quills are added to theirs, other lists replace
    /// theirs. Their paths are relative to their own folders, their globs to that of this file. The server and the
    /// baseline are not taken from them.
    pub extends: Vec<String>,
    /// Which files are checked.
    pub files: RawFiles,
    /// Where links of documents lead.
    pub links: RawLinks,
    /// Which rules are on, how severe they are, and their options.
    pub rules: RawRules,
    /// What is said of single kinds of documents.
    pub kinds: RawKinds,
    /// Packs of rules besides the built-in ones.
    pub packs: RawPacks,
    /// Quills: what documents are rendered with.
    pub quills: RawQuills,
    /// Markdown templates that clients may start from.
    pub templates: RawTemplates,
    /// Rendering.
    pub render: RawRender,
    /// Conversion of Quarto documents.
    pub convert: RawConvert,
    /// Bounds on what is read.
    pub limits: RawLimits,
    /// The server.
    pub server: RawServer,
    /// The tools for Org files.
    pub org: RawOrg,
}

/// Where links of documents lead.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema, PartialEq)]
#[serde(default, deny_unknown_fields)]
pub struct RawLinks {
    /// Folders that relative links may start at besides the folder of their document, as some site generators resolve
    /// them. Without the key: `docs` with a configuration of Docusaurus, `content` with one of Hugo.
    pub roots: Option<Vec<String>>,
}

/// Which files are checked.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema, PartialEq)]
#[serde(default, deny_unknown_fields)]
pub struct RawFiles {
    /// Globs of the files to check below the folders that are named; every file of a known kind when
    /// empty.
    #[schemars(extend("items" = {"type": "string", "format": "glob"}))]
    pub include: Vec<String>,
    /// Globs of files and folders to leave out.
    #[schemars(extend("items" = {"type": "string", "format": "glob"}))]
    pub exclude: Vec<String>,
    /// Kinds by glob, for files whose names do not show it: `"notes/*.txt" = "markdown"`.
    #[schemars(extend("propertyNames" = {"format": "glob"}))]
    pub kinds: BTreeMap<String, String>,
    /// Dialects of Markdown by glob: `"letters/**" = "c2"`.
    #[schemars(extend("propertyNames" = {"format": "glob"}))]
    pub dialects: BTreeMap<String, RawDialect>,
    /// Whether `.gitignore` and its like are respected.
    #[schemars(extend("default" = defaults::GITIGNORE))]
    pub gitignore: Option<bool>,
    /// Which YAML, JSON and TOML files, and front matter of Markdown, are read as templates of Helm, Jinja, ERB and other
    /// engines: `"auto"`, `"always"` or `"never"`, for all files or by glob: `"deploy/**" = "always"` (default: `"auto"`).
    pub templates: Option<RawTemplating>,
}

/// Which files are read as templates.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, PartialEq)]
#[serde(untagged)]
pub enum RawTemplating {
    /// The same for all files.
    All(RawTemplateMode),
    /// By glob; the longest one that matches counts, and `"auto"` where none does.
    ByGlob(#[schemars(extend("propertyNames" = {"format": "glob"}))] BTreeMap<String, RawTemplateMode>),
}

/// When a file is read as a template.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize, JsonSchema, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum RawTemplateMode {
    /// Where its place, its name or its content show it.
    #[default]
    Auto,
    /// Where it has actions, such as `{{ name }}`.
    Always,
    /// Never.
    Never,
}

/// Which rules are on, how severe they are, and their options. A rule is named by its id, the start
/// of one (`FM`), its name, a tag, its pack, or `all`.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema, PartialEq)]
#[serde(default)]
pub struct RawRules {
    /// Only these rules are on; the default set when empty.
    pub select: Vec<String>,
    /// Rules that are on besides.
    pub extend: Vec<String>,
    /// Rules that are off; stronger than the others.
    pub ignore: Vec<String>,
    /// Least severity that makes a run fail.
    #[schemars(extend("default" = defaults::FAIL_LEVEL))]
    pub fail_level: Option<Severity>,
    /// File of findings that are known and do not count.
    pub baseline: Option<String>,
    /// Other settings for some files.
    #[serde(rename = "override")]
    pub overrides: Vec<RawOverride>,
    /// Settings of single rules: `[rules.MM010]`, or `MM010 = "off"`.
    #[serde(flatten)]
    pub rules: BTreeMap<String, RawRule>,
}

/// Settings for the files that match; later ones win.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema, PartialEq)]
#[serde(default, deny_unknown_fields)]
pub struct RawOverride {
    /// Globs of the files.
    #[schemars(extend("items" = {"type": "string", "format": "glob"}))]
    pub files: Vec<String>,
    /// Rules that are on besides.
    pub extend: Vec<String>,
    /// Rules that are off.
    pub ignore: Vec<String>,
    /// Settings of single rules.
    pub rules: BTreeMap<String, RawRule>,
}

/// Settings of a rule: a level, or a table with more.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, PartialEq)]
#[serde(untagged)]
pub enum RawRule {
    /// Its severity, or `off`.
    Level(RawLevel),
    /// With more to say.
    Table(RawRuleTable),
}

/// Settings of a rule.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema, PartialEq)]
#[serde(default)]
pub struct RawRuleTable {
    /// Its severity, or `off`.
    pub severity: Option<RawLevel>,
    /// Whether it is on.
    pub enabled: Option<bool>,
    /// Its options.
    pub options: Map<String, Value>,
    /// Its options again, written beside the keys above: `line_length = 100`.
    #[serde(flatten)]
    pub direct: Map<String, Value>,
}

/// A severity, or `off`.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, JsonSchema, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum RawLevel {
    /// The rule is off.
    Off,
    /// Worth knowing.
    Note,
    /// Likely not what was meant.
    Warning,
    /// The document is not right.
    Error,
}

/// What is said of single kinds of documents.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema, PartialEq)]
#[serde(default, deny_unknown_fields)]
pub struct RawKinds {
    /// Markdown.
    pub markdown: RawMarkdown,
    /// Mermaid diagrams.
    pub mermaid: RawMermaid,
}

/// Markdown.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema, PartialEq)]
#[serde(default, deny_unknown_fields)]
pub struct RawMarkdown {
    /// The dialect of the documents (default: that which each document shows).
    pub dialect: Option<RawDialect>,
}

/// What `---` lines mean in Markdown.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, JsonSchema, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum RawDialect {
    /// What each document shows: metadata blocks where it has the keys QUILL or SCOPE, or nearly these.
    Auto,
    /// Front matter at the start, then CommonMark.
    CommonMark,
    /// Metadata blocks as in Quillmark 0.8.2 – 0.19.1.
    C2,
    /// Metadata blocks as in Quillmark 0.1.1 – 0.1.20.
    Seed,
}

impl RawDialect {
    /// The name by which the kind is asked for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::CommonMark => "commonmark",
            Self::C2 => "c2",
            Self::Seed => "seed",
        }
    }
}

/// Mermaid diagrams.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema, PartialEq)]
#[serde(default, deny_unknown_fields)]
pub struct RawMermaid {
    /// The version of Mermaid that draws the diagrams, such as `11.12`: newer syntax is warned of
    /// (default: the newest).
    #[schemars(regex(pattern = r"^[0-9]+\.[0-9]{1,2}(\.[0-9]+)?$"))]
    pub target: Option<String>,
}

/// The tools for Org files.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema, PartialEq)]
#[serde(default, deny_unknown_fields)]
pub struct RawOrg {
    /// Globs of the files that the tools of the service may read and change; all Org files below the allowed
    /// folders when empty.
    #[schemars(extend("items" = {"type": "string", "format": "glob"}))]
    pub files: Vec<String>,
    /// Whether changes are made as Emacs makes them (Org 9.5): tags in column 77, aligned properties, updated cookies, shifted
    /// repeaters, records of changes. Otherwise only the bytes change that a change is about.
    #[schemars(extend("default" = defaults::EMACS_COMPAT))]
    pub emacs_compat: Option<bool>,
    /// Whether a task that is done gets `CLOSED` with the time, as with `org-log-done`; with `"note"` also a note. Only with
    /// `emacs_compat`.
    #[schemars(extend("default" = defaults::LOG_DONE))]
    pub log_done: Option<RawLogDone>,
    /// Whether a repeating task that is done gets the property `LAST_REPEAT` and a record of the change, as with
    /// `org-log-repeat`; only with `emacs_compat`.
    #[schemars(extend("default" = defaults::LOG_REPEAT))]
    pub log_repeat: Option<bool>,
    /// Whether notes and records of changes go into the drawer `LOGBOOK`, as with `org-log-into-drawer`.
    #[schemars(extend("default" = defaults::LOG_INTO_DRAWER))]
    pub log_into_drawer: Option<bool>,
    /// Whether headlines with at least 15 stars, or with another number of stars, are inline tasks, as with
    /// `org-inlinetask`: within a section instead of beginning one. For validation, too.
    #[schemars(extend("default" = defaults::INLINE_TASKS))]
    pub inline_tasks: Option<RawInlineTasks>,
    /// Forms of new headlines, by name, for `org_capture`.
    pub capture: BTreeMap<String, RawCapture>,
}

/// Which headlines are inline tasks.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, JsonSchema, PartialEq, Eq)]
#[serde(untagged)]
pub enum RawInlineTasks {
    /// Those with at least 15 stars, or none.
    Usual(bool),
    /// Those with at least this number of stars, as with `org-inlinetask-min-level`.
    FromLevel(#[schemars(range(min = 2))] u16),
}

/// What is written when a task is done.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, JsonSchema, PartialEq, Eq)]
#[serde(untagged)]
pub enum RawLogDone {
    /// `CLOSED` with the time, or nothing.
    Time(bool),
    /// A note, too.
    Note(RawLogNote),
}

/// The word for a note.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, JsonSchema, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum RawLogNote {
    /// `CLOSED` and a note.
    Note,
}

/// The form of a new headline. `{{ name }}` stands for a value that the call gives, `{{ today }}` for the day, and `{{ now }}`
/// for a timestamp with the time.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct RawCapture {
    /// What it is for.
    #[serde(default)]
    pub description: Option<String>,
    /// The headline to add it below, or the file: `org://inbox.org`.
    pub parent: String,
    /// Its title.
    pub title: String,
    /// Its TODO keyword.
    #[serde(default)]
    pub state: Option<String>,
    /// Its tags.
    #[serde(default)]
    pub tags: Vec<String>,
    /// When it is scheduled.
    #[serde(default)]
    pub scheduled: Option<String>,
    /// When it is due.
    #[serde(default)]
    pub deadline: Option<String>,
    /// Text below it.
    #[serde(default)]
    pub body: Option<String>,
    /// Day of a date tree that it goes below, such as `{{ today }}`; its headlines are made as needed.
    #[serde(default)]
    pub datetree: Option<String>,
    /// Whether the file is made if there is none.
    #[serde(default)]
    pub create: bool,
}

/// Packs of rules besides the built-in ones.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema, PartialEq)]
#[serde(default, deny_unknown_fields)]
pub struct RawPacks {
    /// Folders with a `pack.yaml`.
    pub paths: Vec<String>,
}

/// Quills: what documents are rendered with.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema, PartialEq)]
#[serde(default, deny_unknown_fields)]
pub struct RawQuills {
    /// Folder whose subfolders are quills. `QUILLMARK_MCP_QUILLS_PATH` is stronger.
    #[schemars(extend("default" = defaults::QUILLS))]
    pub path: Option<String>,
    /// Whether every quill of that folder is registered. `QUILLMARK_MCP_AUTO_REGISTER` is stronger.
    #[schemars(extend("default" = defaults::AUTO_REGISTER))]
    pub auto_register: Option<bool>,
    /// Whether documents are validated against the built-in quills that they name, and can be rendered with them.
    /// A quill of the same name in a folder replaces a built-in one.
    #[schemars(extend("default" = defaults::BUILTIN_QUILLS))]
    pub builtin: Option<bool>,
    /// Single quills.
    pub manual: Vec<RawManualQuill>,
}

/// A quill in another folder or with another name.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct RawManualQuill {
    /// The name that documents use.
    pub name: String,
    /// Its folder.
    pub path: String,
}

/// Markdown templates that clients may start from.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema, PartialEq)]
#[serde(default, deny_unknown_fields)]
pub struct RawTemplates {
    /// Folder with `templates.json`.
    #[schemars(extend("default" = defaults::TEMPLATES))]
    pub path: Option<String>,
}

/// Rendering.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema, PartialEq)]
#[serde(default, deny_unknown_fields)]
pub struct RawRender {
    /// Longest time one rendering may take, in seconds.
    #[schemars(range(min = 1, max = 3600))]
    #[schemars(extend("default" = defaults::RENDER_SECONDS))]
    pub timeout_seconds: Option<u64>,
    /// Most memory one rendering may take, in MiB.
    #[schemars(range(min = 64, max = 65536))]
    #[schemars(extend("default" = defaults::RENDER_MIB))]
    pub memory_mib: Option<u64>,
    /// Most workers at a time (default: one per CPU).
    #[schemars(range(min = 1, max = 256))]
    pub workers: Option<usize>,
    /// Most pages of a document.
    #[schemars(range(min = 1, max = 100_000))]
    #[schemars(extend("default" = defaults::PAGES))]
    pub pages: Option<usize>,
    /// Most bytes of a rendered document, in MiB.
    #[schemars(range(min = 1, max = 1024))]
    #[schemars(extend("default" = defaults::OUTPUT_MIB))]
    pub output_mib: Option<u64>,
    /// Folders with fonts that all layouts may use.
    pub fonts: Option<Vec<String>>,
    /// Whether layouts may use the fonts of this machine. Pages then differ from machine to machine.
    #[schemars(extend("default" = false))]
    pub system_fonts: Option<bool>,
    /// Path of the program `proofmark-render`, used when there is none in the folder of `proofmark`. Only of a
    /// configuration that is named.
    pub worker: Option<String>,
    /// Most rendered documents that are kept.
    #[schemars(range(min = 0, max = 10_000))]
    #[schemars(extend("default" = defaults::CACHE_DOCUMENTS))]
    pub cache_documents: Option<usize>,
    /// Most memory that rendered documents may take, in MiB.
    #[schemars(range(min = 0, max = 65536))]
    #[schemars(extend("default" = defaults::CACHE_MIB))]
    pub cache_mib: Option<u64>,
    /// Folder that rendered documents are kept in for the next start of the service (default: only in memory). Only
    /// of a configuration that is named.
    pub cache_folder: Option<String>,
    /// How long a rendered document is kept, in seconds.
    #[schemars(range(min = 1, max = 31_536_000))]
    #[schemars(extend("default" = defaults::CACHE_SECONDS))]
    pub cache_seconds: Option<u64>,
}

/// Conversion of Quarto documents.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema, PartialEq)]
#[serde(default, deny_unknown_fields)]
pub struct RawConvert {
    /// What writes formats that several engines write.
    pub engine: Option<RawEngine>,
    /// Path of the program `pandoc`, used when there is none in the folders of `PATH`. Only of a configuration that is
    /// named.
    pub pandoc: Option<String>,
    /// File that gives templates of presentations their ids.
    #[schemars(extend("default" = defaults::CONVERT_TEMPLATES))]
    pub templates: Option<String>,
    /// Longest time the program may take for one document, in seconds.
    #[schemars(range(min = 1, max = 3600))]
    #[schemars(extend("default" = defaults::CONVERT_SECONDS))]
    pub timeout_seconds: Option<u64>,
    /// Most memory it may take, in MiB.
    #[schemars(range(min = 64, max = 65536))]
    #[schemars(extend("default" = defaults::CONVERT_MIB))]
    pub memory_mib: Option<u32>,
    /// Most bytes of a result, in MiB.
    #[schemars(range(min = 1, max = 1024))]
    #[schemars(extend("default" = defaults::CONVERT_OUTPUT_MIB))]
    pub output_mib: Option<u64>,
}

/// What writes the result of a conversion.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, JsonSchema, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum RawEngine {
    /// This program.
    Embedded,
    /// Pandoc 3.1 or later.
    Pandoc,
}

/// Bounds on what is read. Sizes are in bytes.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema, PartialEq)]
#[serde(default, deny_unknown_fields)]
pub struct RawLimits {
    /// Largest file.
    #[schemars(range(min = 1, max = 1_073_741_824))]
    #[schemars(extend("default" = Limits::default().text_bytes))]
    pub text_bytes: Option<usize>,
    /// Largest metadata block.
    #[schemars(range(min = 1, max = 1_073_741_824))]
    #[schemars(extend("default" = Limits::default().block_bytes))]
    pub block_bytes: Option<usize>,
    /// Deepest nesting of YAML collections.
    #[schemars(range(min = 1, max = 1000))]
    #[schemars(extend("default" = Limits::default().yaml_depth))]
    pub yaml_depth: Option<usize>,
    /// Most nodes that YAML aliases may add.
    #[schemars(range(min = 0, max = 10_000_000))]
    #[schemars(extend("default" = Limits::default().alias_nodes))]
    pub alias_nodes: Option<usize>,
    /// Largest diagram.
    #[schemars(range(min = 1, max = 1_073_741_824))]
    #[schemars(extend("default" = Limits::default().diagram_bytes))]
    pub diagram_bytes: Option<usize>,
    /// Longest line of a Markdown document that MD107 does not report.
    #[schemars(range(min = 1, max = 1_073_741_824))]
    #[schemars(extend("default" = Limits::default().line_bytes))]
    pub line_bytes: Option<usize>,
    /// Most diagnostics for one document.
    #[schemars(range(min = 1, max = 1_000_000))]
    #[schemars(extend("default" = Limits::default().diagnostics))]
    pub diagnostics: Option<usize>,
    /// Most steps of work for one document; a step is about as much as looking at one node. A document of less than
    /// 20 MiB may use the share that belongs to its size, and at least a tenth.
    #[schemars(range(min = 1_000_000, max = 100_000_000_000_u64))]
    #[schemars(extend("default" = Limits::default().steps))]
    pub steps: Option<u64>,
    /// Most bytes that are read and made for one document besides its text: its tree, files that it includes, values of
    /// variables, text of templates, errors. A document of less than 5 MiB may use the share that belongs to its size, and
    /// at least half.
    #[schemars(range(min = 1_048_576, max = 4_294_967_296_u64))]
    #[schemars(extend("default" = Limits::default().extra_bytes))]
    pub extra_bytes: Option<u64>,
}

/// The server.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema, PartialEq)]
#[serde(default, deny_unknown_fields)]
pub struct RawServer {
    /// Address of the HTTP transport, such as `127.0.0.1:8000`. This key, the next three, and `mermaid_cli` hold only in
    /// a configuration that is named.
    pub address: Option<String>,
    /// Names that the `Host` header may have, besides those of the loopback.
    pub allowed_hosts: Vec<String>,
    /// Origins that browsers may call from.
    pub allowed_origins: Vec<String>,
    /// Name of the environment variable that holds the token clients must send.
    pub token_variable: Option<String>,
    /// Folders that tools may read and write below.
    pub roots: Vec<String>,
    /// Dialect of the documents, if their kind has several.
    pub dialect: Option<String>,
    /// Most calls at a time.
    #[schemars(range(min = 1, max = 1024))]
    #[schemars(extend("default" = defaults::CONCURRENCY))]
    pub concurrency: Option<usize>,
    /// Memory of the process, in MiB, above which large calls are refused while others run.
    #[schemars(range(min = 64, max = 65536))]
    #[schemars(extend("default" = defaults::SERVER_MIB))]
    pub memory_mib: Option<u64>,
    /// Longest time one call may take, in milliseconds.
    #[schemars(range(min = 10, max = 3_600_000))]
    #[schemars(extend("default" = defaults::DEADLINE_MS))]
    pub deadline_ms: Option<u64>,
    /// Largest document, sent as text or read from a file; `text_bytes` of `[limits]` when only that is set.
    #[schemars(range(min = 1, max = 1_073_741_824))]
    #[schemars(extend("default" = defaults::SERVER_TEXT_BYTES))]
    pub text_bytes: Option<usize>,
    /// Most diagnostics in one answer.
    #[schemars(range(min = 1, max = 10_000))]
    #[schemars(extend("default" = defaults::ANSWER_DIAGNOSTICS))]
    pub diagnostics: Option<usize>,
    /// Whether clients may have diagrams checked by `mmdc`, Mermaid's command line tool, which starts a browser. Setting
    /// `MERMAID_CLI_PATH` allows it too.
    #[schemars(extend("default" = false))]
    pub mermaid_cli: Option<bool>,
    /// What answers of tools consist of, for clients that do not say it themselves.
    #[schemars(extend("default" = "both"))]
    pub answers: Option<RawAnswers>,
    /// Families of tools that are offered besides the core. When empty: `learn`, `repair`, and those for which there are
    /// documents below the folders that tools may read; `quills` and `mermaid`, too, where no documents exist.
    pub toolsets: Vec<RawToolset>,
    /// Families of tools that are not offered.
    pub without: Vec<RawToolset>,
}

/// What the answer of a tool consists of.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize, JsonSchema, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum RawAnswers {
    /// Text with everything, and structured content.
    #[default]
    Both,
    /// Only text, for clients whose model sees structured content besides the text.
    Text,
    /// Structured content, with its verdict and the next step as text.
    Structured,
}

/// A family of tools that can be chosen or left out.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, JsonSchema, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum RawToolset {
    /// Schema summaries, examples, lists of rules.
    Learn,
    /// Fixes and patches.
    Repair,
    /// Quills, templates, frontmatter.
    Quills,
    /// Mermaid in Quarto documents.
    Mermaid,
    /// Org files: searching and changing them.
    Org,
    /// Quarto documents in other formats.
    Quarto,
}

impl RawToolset {
    /// Its name in the configuration.
    pub fn name(self) -> &'static str {
        match self {
            Self::Learn => "learn",
            Self::Repair => "repair",
            Self::Quills => "quills",
            Self::Mermaid => "mermaid",
            Self::Org => "org",
            Self::Quarto => "quarto",
        }
    }
}
