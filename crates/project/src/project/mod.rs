//! Projects: the one way from a client to a validated document.
//!
//! [`Project::open`] resolves everything that results depend on besides the documents: configuration,
//! rules, kinds, limits, dialect, environment, quills, baseline, and the folders that may be read.
//! [`Project::subject`] opens one document (a file, a string, standard input, the buffer of an editor), and
//! a [`Subject`] validates it, fixes it, and validates what it would become. Clients parse arguments and
//! print; they decide nothing about validation, so that every client gives the same results.

mod adopted;
mod buffers;
pub mod config;
mod dependencies;
mod documents;
mod environment;
mod error;
mod extended;
mod found;
mod gathered;
mod index;
mod input;
mod kept;
mod kinds;
mod links;
mod names;
mod nearest;
mod neighbors;
mod open;
mod overrides;
mod packs;
mod quills;
mod reference;
mod remembered;
mod resolved;
mod rules;
mod session;
mod shared;
mod staged;
mod subject;
mod templating;
mod vendored;

pub use adopted::AdoptedTool;
pub use buffers::Buffers;
pub use config::{LogDone, OrgConfig};
pub use documents::Listed;
pub use documents::Walked;
pub use environment::EnvironmentOverrides;
pub use error::{BrokenPack, Findings, OpenError, OpenErrors};
pub use index::{Index, StagedError};
pub use input::Input;
pub use kinds::{UnknownDialect, UnknownKind};
pub use names::shown;
pub use open::{Access, Baselines, Client, Configuration, Overrides};
pub use overrides::RuleOverrides;
pub use quills::{LeftOut, SharedQuills, quill_folder};
pub use reference::{describe_kind, summary, tree_schema};
pub use resolved::Project;
pub use session::Session;
pub use subject::{NotOpened, Subject, WriteError};
pub use vendored::{
    BadSource, LOCK_FILE, Lock, Locked, MOST_BYTES, MOST_FILES, RemoteSource, content_hash, files_below,
};
