//! What the service offers by the Model Context Protocol: tools, resources, prompts, completions.
//!
//! A tool is a type with its name, words, schemas and function ([`tool::AgentTool`]); [`tools`] has one
//! file for each family. [`server`] is the handler that the SDK calls, for both eras of the protocol.

mod arguments;
mod completions;
mod core;
mod finding;
mod lesson;
mod outline;
mod patch;
mod prompts;
mod resources;
mod schema;
mod server;
mod tool;
mod tools;

#[cfg(feature = "mcp-conformance")]
pub(super) mod conformance;

pub use server::Service;
