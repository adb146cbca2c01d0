//! Proofmark validates structured documents and reports exactly what is wrong, where, why, and how to
//! fix it.
//!
//! ```
//! use proofmark::{Input, Project};
//!
//! let project = Project::builtin();
//! let letter = project.subject(Input::text("---\ntitle: Part 1: the plan\n---\n").at("letter.md")).unwrap();
//! assert_eq!(letter.validate().diagnostics[0].id, "YM101");
//! ```
//!
//! - A [`Project`] is what results depend on besides the documents: configuration, rules, kinds, limits,
//!   environment, quills and a baseline. [`Project::builtin`] reads no files; [`Project::open`] finds the
//!   configuration as the command line does.
//! - [`Project::subject`] opens an [`Input`] (a file, a string, standard input, the buffer of an editor). The
//!   [`Subject`] validates and fixes it; [`Subject::cancelled_by`] ends a validation that no one waits for any more.
//! - An [`Outcome`] has the [`Diagnostic`]s. [`report`] writes them in the formats of the command line.
//! - Locations count bytes. [`EditorLines`] translates them to the lines and columns of editors, in UTF-8, UTF-16 or UTF-32.
//! - A program adds document kinds of its own with [`Ruleset::builder`]: a [`Kind`] reads text into a
//!   [`Document`] with a [`TreeBuilder`], and rules report what it observes.
//!
//! Everything that the root exports keeps its meaning between compatible versions. `ARCHITECTURE.md` describes
//! the modules that implement it.

#![warn(clippy::disallowed_types)]
#![cfg_attr(
    not(all(feature = "mcp", feature = "render")),
    allow(dead_code, unused_imports, reason = "the service and the renderer use more of the modules")
)]

// The crates below, by the names that modules use.
use proofmark_base::{budget, calendar, text};
#[cfg(feature = "cli")]
use proofmark_convert as convert;
use proofmark_core::{checks, edits, engine, fix, rules};
use proofmark_diagnostic as diagnostic;
use proofmark_files as files;
use proofmark_formats as kinds;
#[cfg(feature = "lsp")]
use proofmark_lsp as lsp;
#[cfg(feature = "mcp")]
use proofmark_mcp as service;
#[cfg(feature = "cli")]
use proofmark_org as org;
use proofmark_peg as peg;
use proofmark_project::{diagrams, project};
#[cfg(feature = "render")]
use proofmark_renderer as render;
use proofmark_syntax as syntax;
use proofmark_tree::{schema, tree};

#[cfg(feature = "cli")]
mod cli;
#[doc(hidden)]
pub mod internals;
pub mod report;

#[cfg(feature = "cli")]
#[doc(hidden)]
pub use cli::{main_with, status_with};
pub use diagnostic::{Applicability, Diagnostic, Fix, FixEdit, Location, Related, Severity};
pub use engine::{Baseline, BaselineError, Known, Outcome, Selection, Settings, Validator};
pub use files::RootsError;
pub use fix::{Applied, Fixed};
pub use kinds::{
    Comment, Disclosure, Document, FenceKinds, Form, Kind, KindOption, KindOptions, Kinds, Layer, Limits,
    LookUp, Name, Names, Observable, Observation, ParseOptions, ReadFile, TypeExpression, ValueModel,
};
pub use project::{
    Access, Baselines, Client, Configuration, EnvironmentOverrides, Findings, Input, Listed, NotOpened,
    OpenError, OpenErrors, Overrides, Project, RuleOverrides, Subject, UnknownDialect, UnknownKind,
    WriteError, config::EnvironmentError,
};
pub use rules::{LoadError, Ruleset, RulesetBuilder};
pub use text::{ColumnUnit, EditorLines, EditorPosition, Fragment, Position, Source, SourceId, Span};
pub use tree::{Entry, KeyType, Node, NodeId, NodeType, Scalar, Tree, TreeBuilder};

/// The examples of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
