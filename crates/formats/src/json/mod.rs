//! JSON documents.

use std::sync::Arc;

use super::{Document, Kind, Observable, ParseOptions};
use crate::{
    syntax::json::{self, OBSERVABLES},
    text::{Fragment, Source},
    tree::TreeBuilder,
};

/// Any JSON file. Comments are accepted in files whose programs accept them: `*.jsonc`, and those of TypeScript
/// and of editors.
#[derive(Debug, Clone, Copy, Default)]
pub struct Json;

impl Kind for Json {
    fn name(&self) -> &'static str {
        "json"
    }

    fn description(&self) -> &'static str {
        "JSON of any meaning"
    }

    fn globs(&self) -> Vec<&str> {
        vec!["*.json", "*.jsonc"]
    }

    fn is_data(&self) -> bool {
        true
    }

    fn observables(&self) -> &'static [Observable] {
        OBSERVABLES
    }

    fn tree_schema(&self) -> &'static str {
        include_str!("../../../../schemas/tree/json.schema.json")
    }

    fn comment(&self, text: &str) -> String {
        format!("// {text}")
    }

    fn parse(&self, source: &Arc<Source>, fragment: &Fragment<'_>, options: &ParseOptions<'_>) -> Document {
        let mut builder = TreeBuilder::new(Arc::clone(source));
        let mut observations = Vec::new();
        let comments = may_have_comments(source.name());
        let depth = options.limits.yaml_depth;
        let read = json::read(&mut builder, fragment, depth, comments, &mut observations);
        let tree = builder.finish();
        Document { observations, comments: read.comments, ..Document::new("json", tree) }
    }
}

fn may_have_comments(name: &str) -> bool {
    let (folder, file) = name.rsplit_once('/').unwrap_or(("", name));
    let folder = folder.rsplit('/').next().unwrap_or_default();
    file.rsplit_once('.').is_some_and(|(_, extension)| extension == "jsonc")
        || file.starts_with("tsconfig")
        || file.starts_with("jsconfig")
        || file == "devcontainer.json"
        || file == ".eslintrc.json"
        || folder == ".vscode"
}
