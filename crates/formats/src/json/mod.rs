//! JSON documents.

use std::sync::Arc;

use super::{Document, Kind, Observable, ParseOptions};
use crate::{
    syntax::{
        actions::Language,
        json::{self, OBSERVABLES},
    },
    templated,
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

    fn has_templates(&self) -> bool {
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
        let may_have_comments = may_have_comments(source.name());
        let may_have_commas = may_have_trailing_commas(source.name());
        let depth = options.limits.yaml_depth;
        let read_into = |builder: &mut TreeBuilder, fragment: &Fragment<'_>| {
            let mut observations = Vec::new();
            let read = json::read(builder, fragment, depth, may_have_comments, &mut observations);
            observations.retain(|seen| !may_have_commas || seen.name != "json_trailing_comma");
            (read.comments, observations)
        };
        let trial =
            |fragment: &Fragment<'_>| read_into(&mut TreeBuilder::new(Arc::clone(source)), fragment).1;
        let of = (source.name(), source.text());
        let view = templated::view(of, fragment, Language::Json, options, &trial);
        let mut builder = TreeBuilder::new(Arc::clone(source));
        let (comments, mut observations) = read_into(&mut builder, &view.fragment);
        view.retain_certain(source.text(), &mut observations, 0);
        let (tree, template) = (builder.finish(), view.template);
        Document { observations, comments, template, ..Document::new("json", tree) }
    }
}

/// Whether the program that reads the file accepts a comma before a closing bracket: TypeScript and Visual Studio Code do.
fn may_have_trailing_commas(name: &str) -> bool {
    let (folder, file) = name.rsplit_once('/').unwrap_or(("", name));
    ["tsconfig", "jsconfig"].iter().any(|start| file.starts_with(start))
        || file == "devcontainer.json"
        || folder.rsplit('/').next() == Some(".vscode")
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
