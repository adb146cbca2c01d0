//! The service for agents: the Model Context Protocol over stdio and HTTP.
//!
//! A [`Service`] holds what all connections share (rules, allowed folders, limits, and the results that
//! later calls are compared with) and is cheap to clone. [`mcp`] defines what it offers; [`serve_stdio`]
//! and [`serve_http`] are the transports.

mod admission;
mod calls;
mod connections;
mod http;
mod lines;
#[cfg(feature = "render")]
mod local;
mod mcp;
mod memory;
mod metrics;
mod options;
mod places;
mod refusals;
mod requests;
mod results;
mod stdio;

pub use crate::project::config::ServiceLimits as Limits;
pub use http::{HttpError, HttpOptions, HttpServer, serve_http};
pub use lines::refusal;
#[cfg(feature = "render")]
pub(crate) use local::serve_pages;
pub use mcp::{Service, patched};
#[cfg(feature = "render")]
pub use options::Rendering;
pub(crate) use options::ServiceError;
pub use options::{Options, Toolset};
pub(crate) use stdio::serve_stdio;
