//! What the service offers over the Model Context Protocol: tools, resources, prompts, completions.
//!
//! A tool is a type with a name, descriptions, schemas and a function ([`tool::AgentTool`]); [`tools`] has
//! one file per group of related tools. [`server`] is the handler that the SDK calls, for session-based and
//! stateless protocol versions.

mod arguments;
mod completions;
mod core;
mod example_set;
mod finding;
mod lesson;
mod outline;
mod patch;
mod prompts;
mod refusal;
mod resources;
mod schema;
mod server;
mod subscriptions;
mod tool;
mod tools;

#[cfg(feature = "conformance")]
pub(super) mod conformance;

pub use patch::patched;
pub use server::Service;
