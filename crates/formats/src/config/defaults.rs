//! What holds where `proofmark.toml` has no key. The configuration, its JSON Schema and the reference page take
//! the values from here; those of `[limits]` are in [`Limits`](crate::Limits).

use crate::diagnostic::Severity;

/// `[files] gitignore`
pub const GITIGNORE: bool = true;

/// `[rules] fail_level`
pub const FAIL_LEVEL: Severity = Severity::Error;

/// `[quills] path`
pub const QUILLS: &str = "quills";

/// `[quills] auto_register`
pub const AUTO_REGISTER: bool = true;

/// `[quills] builtin`
pub const BUILTIN_QUILLS: bool = true;

/// `[templates] path`
pub const TEMPLATES: &str = "templates";

/// `[render] timeout_seconds`
pub const RENDER_SECONDS: u64 = 30;

/// `[render] memory_mib`
pub const RENDER_MIB: u64 = 1024;

/// `[render] pages`
pub const PAGES: usize = 500;

/// `[render] output_mib`
pub const OUTPUT_MIB: u64 = 64;

/// `[render] cache_documents`
pub const CACHE_DOCUMENTS: usize = 50;

/// `[render] cache_mib`
pub const CACHE_MIB: u64 = 64;

/// `[render] cache_seconds`
pub const CACHE_SECONDS: u64 = 3600;

/// `[convert] templates`
pub const CONVERT_TEMPLATES: &str = "templates.yaml";

/// `[convert] timeout_seconds`
pub const CONVERT_SECONDS: u64 = 60;

/// `[convert] memory_mib`
pub const CONVERT_MIB: u32 = 2048;

/// `[convert] output_mib`
pub const CONVERT_OUTPUT_MIB: u64 = 256;

/// `[server] concurrency`
pub const CONCURRENCY: usize = 16;

/// `[server] memory_mib`
pub const SERVER_MIB: u64 = 768;

/// `[server] deadline_ms`
pub const DEADLINE_MS: u64 = 10_000;

/// `[server] text_bytes`, where `[limits]` has none either
pub const SERVER_TEXT_BYTES: usize = 1024 * 1024;

/// `[server] diagnostics`
pub const ANSWER_DIAGNOSTICS: usize = 50;

/// `[org] emacs_compat`
pub const EMACS_COMPAT: bool = true;

/// `[org] log_done`
pub const LOG_DONE: bool = false;

/// `[org] log_into_drawer`
pub const LOG_INTO_DRAWER: bool = false;

/// `[org] inline_tasks`
pub const INLINE_TASKS: bool = false;

/// `[org] inline_tasks` where it is true (`org-inlinetask-min-level`)
pub const INLINE_TASK_LEVEL: usize = 15;

/// `[org] log_repeat`
pub const LOG_REPEAT: bool = true;
