//! What holds where `proofmark.toml` has no key. The configuration, its JSON Schema and the reference page take
//! the values from here; those of `[limits]` are in [`Limits`](crate::kinds::Limits).

use crate::diagnostic::Severity;

/// `[files] gitignore`
pub(crate) const GITIGNORE: bool = true;

/// `[rules] fail_level`
pub(crate) const FAIL_LEVEL: Severity = Severity::Error;

/// `[quills] path`
pub(crate) const QUILLS: &str = "quills";

/// `[quills] auto_register`
pub(crate) const AUTO_REGISTER: bool = true;

/// `[quills] builtin`
pub(crate) const BUILTIN_QUILLS: bool = true;

/// `[templates] path`
pub(crate) const TEMPLATES: &str = "templates";

/// `[render] timeout_seconds`
pub(crate) const RENDER_SECONDS: u64 = 30;

/// `[render] memory_mib`
pub(crate) const RENDER_MIB: u64 = 1024;

/// `[render] pages`
pub(crate) const PAGES: usize = 500;

/// `[render] output_mib`
pub(crate) const OUTPUT_MIB: u64 = 64;

/// `[render] cache_documents`
pub(crate) const CACHE_DOCUMENTS: usize = 50;

/// `[render] cache_mib`
pub(crate) const CACHE_MIB: u64 = 64;

/// `[render] cache_seconds`
pub(crate) const CACHE_SECONDS: u64 = 3600;

/// `[convert] templates`
pub(crate) const CONVERT_TEMPLATES: &str = "templates.yaml";

/// `[convert] timeout_seconds`
pub(crate) const CONVERT_SECONDS: u64 = 60;

/// `[convert] memory_mib`
pub(crate) const CONVERT_MIB: u32 = 2048;

/// `[convert] output_mib`
pub(crate) const CONVERT_OUTPUT_MIB: u64 = 256;

/// `[server] concurrency`
pub(crate) const CONCURRENCY: usize = 16;

/// `[server] memory_mib`
pub(crate) const SERVER_MIB: u64 = 768;

/// `[server] deadline_ms`
pub(crate) const DEADLINE_MS: u64 = 10_000;

/// `[server] text_bytes`, where `[limits]` has none either
pub(crate) const SERVER_TEXT_BYTES: usize = 1024 * 1024;

/// `[server] diagnostics`
pub(crate) const ANSWER_DIAGNOSTICS: usize = 50;

/// `[org] emacs_compat`
pub(crate) const EMACS_COMPAT: bool = false;

/// `[org] log_done`
pub(crate) const LOG_DONE: bool = false;

/// `[org] log_into_drawer`
pub(crate) const LOG_INTO_DRAWER: bool = false;

/// `[org] inline_tasks`
pub(crate) const INLINE_TASKS: bool = false;

/// `[org] inline_tasks` where it is true (`org-inlinetask-min-level`)
pub(crate) const INLINE_TASK_LEVEL: usize = 15;

/// `[org] log_repeat`
pub(crate) const LOG_REPEAT: bool = true;
