//! The service for agents: the Model Context Protocol over stdio and HTTP.
//!
//! A [`Service`] holds what all connections share (rules, allowed folders, limits, and the results that
//! later calls are compared with) and is cheap to clone. [`mcp`] defines what it offers; [`serve_stdio`]
//! and [`serve_http`] are the transports.

#![allow(
    missing_docs,
    reason = "other crates of the workspace use this one; what programs may use is exported and documented by `proofmark`"
)]
#![warn(clippy::disallowed_types)]
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

// What this crate builds on, by the names that its modules use.
use proofmark_base::{budget, calendar, folder, text};
use proofmark_convert as convert;
use proofmark_core::{checks, engine, fix, rules};
use proofmark_diagnostic as diagnostic;
use proofmark_formats as kinds;
use proofmark_org as org;
use proofmark_project::{diagrams, project};
#[cfg(feature = "render")]
use proofmark_renderer as render;
use proofmark_tree::{schema, tree};

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
pub use local::serve_pages;
pub use mcp::{Service, patched};
#[cfg(feature = "render")]
pub use options::Rendering;
pub use options::ServiceError;
pub use options::{Options, Toolset};
pub use stdio::serve_stdio;
