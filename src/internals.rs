//! What the tests, benches and fuzz targets of this repository use besides the public API, by stage. It may
//! change in every release: programs use what the root of the crate exports.

#![allow(missing_docs, reason = "the items are documented where they are defined")]

pub mod budget {
    pub use crate::budget::{Budget, Exceeded, Spent, timed};
}

#[cfg(feature = "cli")]
pub mod convert {
    use crate::{
        convert::{self, Engine, Pandoc, Request},
        project::{Input, Project},
    };

    /// Converts a Quarto document that is not in a file with the writers of this program; nothing where it has errors or
    /// the format has no such writer.
    pub fn text(text: &str, format: &str) -> Option<Vec<u8>> {
        with_template(text, format, None)
    }

    /// A presentation with the layouts of a template; nothing where the template is refused.
    pub fn deck(template: &[u8]) -> Option<Vec<u8>> {
        with_template("---\ntitle: T\n---\n\n## A\n\n- b\n", "pptx", Some(template))
    }

    /// The built-in template with another content of one of its parts, or a further part.
    pub fn template(part: &str, content: &[u8]) -> Option<Vec<u8>> {
        convert::template_with(part, content)
    }

    /// The names of the parts of the built-in template.
    pub fn template_parts() -> Vec<String> {
        convert::template_parts()
    }

    fn with_template(text: &str, format: &str, template: Option<&[u8]>) -> Option<Vec<u8>> {
        let project = Project::builtin();
        let kind = convert::source_kind(&project);
        let subject = project.subject(Input::text(text).of_kind(kind)).ok()?;
        let format = convert::format_named(format).filter(|format| format.engine == Engine::Embedded)?;
        let pandoc = Pandoc::of(&project.config().convert);
        let engine = Some(Engine::Embedded);
        let request = Request {
            format,
            engine,
            options: &[],
            options_name: "<options>",
            pandoc: &pandoc,
            template,
            source: false,
            back: None,
            worker: None,
        };
        convert::convert(&subject, &request).ok().map(|converted| converted.bytes)
    }
}

pub mod diagnostic {
    pub use crate::diagnostic::{Envelope, schema};
}

pub mod files {
    pub use crate::files::{DiskFolder, Links};
}

pub mod diagrams {
    pub use crate::diagrams::{DiagramReport, IssueType, MermaidCli, MermaidCliError, cross_check, report};
}

pub mod engine {
    pub use crate::engine::{
        Branch, BranchResult, Contract, Mutation, coverage, run_example, try_examples, try_mutants,
    };
}

pub mod fix {
    pub use crate::fix::{Fixer, Harm, Refusal, Trial};
}

pub mod kinds {
    pub mod config {
        pub use crate::kinds::config::Config;
    }
    pub mod markdown {
        pub use crate::kinds::markdown::{Markdown, fields};
    }
    pub mod mermaid {
        pub use crate::kinds::mermaid::Mermaid;
    }
    pub mod org {
        pub use crate::kinds::org::Org;
    }
    pub mod quill {
        pub use crate::kinds::quill::{FieldType, Manifest, Problem, Quill, QuillSet, parse};
    }
    pub mod rulefile {
        pub use crate::kinds::rulefile::RuleFile;
    }
}

#[cfg(feature = "cli")]
pub mod org {
    use std::collections::BTreeMap;

    use crate::{
        kinds::org::Outline,
        org::change::{LineChange, NewHeadline, Target},
        text::apply_edits,
    };

    /// A document after a change of one of its headlines: of its keyword, its title, its properties, its text, or what is below
    /// it. Nothing where the change is refused; an error where its edits do not fit the document.
    pub fn edited(text: &str, headline: usize, change: u8, words: &str) -> Option<Result<String, String>> {
        let outline = Outline::read(text);
        let index = headline.checked_rem(outline.headlines.len())?;
        let target = Target::minimal(text, &outline, index);
        let edits = match change % 5 {
            0 => target.set_state(words, None),
            1 => target.set_line(&LineChange { title: Some(words.to_owned()), ..LineChange::default() }),
            2 => target.set_properties(&BTreeMap::from([("KEY".to_owned(), Some(words.to_owned()))])),
            3 => target.edit_body("", words, false),
            _ => target.add_below(&NewHeadline { title: words.to_owned(), ..NewHeadline::default() }, "id"),
        };
        Some(apply_edits(text, &edits.ok()?).map_err(|error| format!("{error:?}")))
    }

    /// The number of headlines of a document.
    pub fn headlines(text: &str) -> usize {
        Outline::read(text).headlines.len()
    }
}

pub mod peg {
    pub use crate::peg::{Options, compile, rule_names};
}

pub mod project {
    pub use crate::project::Client;
    pub mod config {
        pub use crate::project::config::{
            Config, KnownOption, KnownRule, Loaded, Quills, Render, find, parse, schema, unknown_names,
        };
    }
}

#[cfg(feature = "render")]
pub mod render {
    pub use crate::render::{
        Assets, Bundle, Format, Library, Origin, PdfStandard, Reload, Rendered, Renderer, Request, Store,
        WorkerError, WorkerProgram,
    };
}

/// What pages of the documentation are written from.
#[cfg(feature = "cli")]
pub mod reference {
    pub use crate::{
        checks::{KINDS as CHECKS, PLACEHOLDERS},
        cli::commands,
        edits::KINDS as EDITS,
        project::config::schema as configuration_schema,
        schema::FORMATS,
    };
}

pub mod rules {
    pub use crate::rules::{ENGINE_KIND, ENGINE_OBSERVABLES, Rule, Sample};
}

pub mod schema {
    pub use crate::schema::{FORMATS, Structure, Violations, evaluate};
}

#[cfg(feature = "mcp")]
pub mod service {
    #[cfg(feature = "render")]
    pub use crate::service::Rendering;
    pub use crate::service::{
        HttpError, HttpOptions, HttpServer, Limits, Options, Service, Toolset, patched, refusal, serve_http,
    };
}

pub mod syntax {
    pub mod yaml {
        pub use crate::syntax::yaml::{
            Dialect, Documents, OBSERVABLES, TagReader, Tagged, Tags, YamlOptions, YamlRead, read, read_with,
        };
    }
}

pub mod text {
    pub use crate::text::{Edit, Fingerprint, apply_edits, clip};
}
