//! The configuration: `proofmark.toml`, found, read, checked and completed by the environment.
//!
//! *Raw* ([`crate::kinds::config`]) is what the file says; [`Config`] is what holds: paths relative to
//! the file's folder made usable, globs compiled, defaults filled in. A file with faults gives no
//! [`Config`] but the document with every fault in it, for the rules of the kind to word.

mod checked;
mod layers;
mod limits;
mod load;
mod templates;
mod variables;

pub use crate::kinds::config::FILE_NAME;
pub use crate::kinds::config::{KnownOption, KnownRule, RawAnswers as Answers, schema, unknown_names};
pub use checked::{Config, Quills};
pub use checked::{LogDone, Org as OrgConfig, Server};
pub use layers::Layer;
pub use limits::Convert;
pub use limits::{Render, ServiceLimits};
pub use load::outermost;
pub use load::{Loaded, find, parse};
pub use templates::{Template, TemplateError, Templates};
pub use variables::EnvironmentError;
pub use variables::color;
